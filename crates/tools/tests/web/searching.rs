//! Searching and the report of the Web Search specialist (MV-28, MV-29).

use crate::server::Reply;
use crate::*;

fn search(web: &Web, query: &str) -> ToolAnswer {
    call(web, "google_web_search", json!({ "query": query }))
}

#[test]
fn without_a_service_the_answer_says_what_to_set_mv_28() {
    let web = Web::new(settings(&[], Book::of(&[])));
    for tool in ["google_web_search", "web_research"] {
        let answer = call(&web, tool, json!({"query": "x"}));
        assert_says(
            &answer,
            Went::Wrong,
            &["under [web] in multiverse.toml", "gemini, brave, tavily, searxng", "env:NAME"],
        );
        assert_says(&call(&web, tool, json!({})), Went::Wrong, &["`query` is missing"]);
    }
    let names: Vec<String> = web.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["web_fetch", "google_web_search", "web_research"]);
    assert!(web.tools().iter().all(|tool| tool.parameters["type"] == "object"));
}

#[test]
fn every_service_gives_titles_urls_and_snippets_mv_28() {
    let hit = |snippet: &str| json!({"title": "The <b>title</b>", "url": "https://a.example/x", snippet: "A <strong>snippet</strong>\nhere"});
    let other = |snippet: &str| json!({"title": "Bad", "url": "javascript:alert(1)", snippet: ""});
    let results = move |snippet: &str| json!([hit(snippet), other(snippet)]);
    let gemini = json!({"candidates": [{"content": {"parts": [{"text": "It is so."}]}, "groundingMetadata": {
        "groundingChunks": [{"web": {"uri": "https://a.example/x", "title": "The title"}}],
        "groundingSupports": [{"segment": {"endIndex": 9, "text": "A snippet here"}, "groundingChunkIndices": [0]}]}}]});
    let services = [
        ("brave", json!({"web": {"results": results("description")}}), ""),
        ("tavily", json!({"answer": "In short.", "results": results("content")}), "In short."),
        ("searxng", json!({"results": results("content")}), ""),
        ("gemini", gemini, "It is so.[1]"),
    ];
    for (kind, reply, summary) in services {
        let server = Server::start(move |_| Reply::of("application/json", reply.to_string()));
        let web = searching(&server, kind);
        let answer = search(&web, "what is so?");
        assert_says(
            &answer,
            Went::Well,
            &["[1] The", "(https://a.example/x)", "snippet", summary, "material to judge"],
        );
        assert!(!answer.text.contains("javascript:") && !answer.text.contains("<strong>"), "{}", answer.text);
        let asked = &server.asked()[0];
        let said = format!("{} {}", asked.path, asked.body);
        assert!(said.contains("what is so?") || said.contains("what+is+so"), "{kind}: {said}");
        assert!(asked.headers.iter().any(|header| header.contains("key-12345")), "{kind}: {:?}", asked.headers);
    }
}

/// QL-35: whatever a service answers, its key is not shown, and it does not travel to another host.
#[test]
fn bad_replies_are_named_and_the_key_stays_hidden_ql_35() {
    let elsewhere = Server::start(|_| Reply::of("application/json", "{}"));
    let place = elsewhere.url("/");
    let server = Server::start(move |request| {
        let reply = |status, body: &str| Reply::Of { status, headers: Vec::new(), body: body.into() };
        match request.path.split("q=").nth(1).unwrap_or_default().split('&').next().unwrap_or_default() {
            "denied" => reply(401, "key-12345 is wrong"),
            "limit" => reply(429, "slow down, key-12345"),
            "prose" => reply(200, "<html>key-12345 is fine"),
            "half" => reply(200, "{\"web\": {\"results\": [{"),
            "other" => reply(200, "{\"error\": \"key-12345\"}"),
            "strange" => reply(200, "{\"web\": {\"results\": [1, null, [], {\"url\": {}}]}}"),
            "moved" => Reply::redirect(&place),
            "flood" => Reply::Flood(b"HTTP/1.1 200 X\r\n\r\n".to_vec(), vec![b'['; 1 << 16]),
            _ => reply(500, ""),
        }
    });
    let web = searching(&server, "brave");
    let check = |query: &str, went: Went, part: &str| {
        let answer = search(&web, query);
        assert_says(&answer, went, &[part]);
        assert!(!answer.text.contains("key-12345") && answer.text.len() < 1000, "{}", answer.text);
    };
    check("denied", Went::Wrong, "refuses its key (status 401): look at `key` under [web]");
    check("limit", Went::Wrong, "status 429: slow down, [hidden]");
    check("prose", Went::Wrong, "no result: <html>[hidden] is fine");
    check("half", Went::Wrong, "no result");
    check("other", Went::Wrong, "no result");
    check("strange", Went::Well, "Nothing was found");
    check("moved", Went::Wrong, "status 302");
    check("flood", Went::Wrong, "no result");
    check("broken", Went::Wrong, "status 500");
    assert!(elsewhere.paths().is_empty(), "the key went elsewhere");
}

/// MV-29: a report in Markdown, every statement with its URL and the time of retrieval, unread sources said to be so.
#[test]
fn a_report_quotes_its_sources_mv_29() {
    let pages = Server::start(|request| match request.path.as_str() {
        "/one" => Reply::html(
            "<title>Page one</title><main><h1>Landlock</h1><p>Landlock came with Linux 5.13 in the summer of 2021, for all \
             users.</p><p>Roses are red and violets are blue, as everybody knows by now.</p></main>",
        ),
        "/two" => Reply::redirect("/moved"),
        "/moved" => Reply::html("<p>Nothing here that anybody asked for, only text about something else | or other."),
        _ => Reply::Of { status: 500, headers: Vec::new(), body: Vec::new() },
    });
    let results = json!({"answer": "Since 2021.", "results": [
        {"title": "One", "url": pages.url("/one"), "content": "s"},
        {"title": "Two | 2", "url": pages.url("/two"), "content": "s"},
        {"title": "Three", "url": pages.url("/three"), "content": "Landlock, a snippet"},
        {"title": "Four", "url": "http://127.0.0.1:1/x", "content": ""},
    ]});
    let engine = Server::start(move |_| Reply::of("application/json", results.to_string()));
    let mut settings = settings(&[&pages.address.to_string()], Book::of(&[]));
    settings.search =
        Some(SearchProvider::new("tavily", Some(&engine.url("")), None, Some(tools::Secret::new("k"))).unwrap());
    let web = Web::new(settings);
    let report = tools::web::research(&web, "When did Landlock come to Linux?", 5, &Stop::new()).unwrap();
    let at = |path: &str| pages.url(path);
    let expected = format!(
        "# Web search: When did Landlock come to Linux?\n\n\
         2 of 4 results of the search service tavily were read ({NOW}). What follows is quoted as it was found; nothing was added.\n\n\
         ## Summary\n\n> Since 2021.\n>\n> — the search service tavily, asked {NOW}; its numbers are those of its results\n\n\
         ## Findings\n\n### [1] Page one\n\n> Landlock came with Linux 5.13 in the summer of 2021, for all users.\n>\n\
         > — [1] <{one}>, retrieved {NOW}\n\n\
         ### [2] Two | 2\n\nNothing in it bears on the question.\n\n\
         ### [3] Three\n\n> Landlock, a snippet\n>\n> — [3] <{three}>, retrieved {NOW}, as the search service tavily quotes it\n\n\
         ### [4] Four\n\nNothing in it bears on the question.\n\n\
         ## Sources\n\n| no. | title | address | retrieved | read |\n|---|---|---|---|---|\n\
         | 1 | Page one | <{one}> | {NOW} | yes |\n| 2 | Two \\| 2 | <{moved}> | {NOW} | yes |\n\
         | 3 | Three | <{three}> | {NOW} | no: {three} cannot be read: the host answers with status 500 |\n\
         | 4 | Four | <http://127.0.0.1:1/x> | {NOW} | no: http://127.0.0.1:1/x is not fetched: 127.0.0.1 is 127.0.0.1, \
         which is this machine (loopback); a grant for 127.0.0.1 would open it |\n",
        one = at("/one"),
        three = at("/three"),
        moved = at("/moved"),
    );
    assert_eq!(report.markdown, expected);
    assert_eq!(report.sources.len(), 4);
    let answer = call(&web, "web_research", json!({"query": "When did Landlock come to Linux?", "sources": 1}));
    assert_says(&answer, Went::Well, &["### [1] Page one", "1 of 1 results"]);
    assert!(!answer.text.contains("### [2]"));
}

#[test]
fn a_report_of_nothing_says_so_mv_29() {
    let engine = Server::start(|_| Reply::of("application/json", "{\"results\": []}"));
    let report = tools::web::research(&searching(&engine, "searxng"), "x", 3, &Stop::new()).unwrap();
    assert_eq!(report.markdown, format!("# Web search: x\n\nThe search service searxng found nothing ({NOW}).\n"));
}
