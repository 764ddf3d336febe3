//! Servers that are reached by HTTP.

use crate::server::{Reply, Request, Server};
use crate::*;

fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// A server that behaves, in JSON or in events, with or without a session.
fn behaved(request: &Request, events: bool) -> Reply {
    if request.method != "POST" {
        return Reply::Of { status: 405, headers: Vec::new(), body: Vec::new() };
    }
    let message: Value = serde_json::from_str(&request.body).unwrap();
    let id = &message["id"];
    let reply = match message["method"].as_str().unwrap() {
        "initialize" => result(
            id,
            &json!({"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "h", "version": "1"}}),
        ),
        "tools/list" => result(
            id,
            &json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}, {"name": "huge", "inputSchema": {}},
            {"name": "break", "inputSchema": {}}, {"name": "move", "inputSchema": {}}, {"name": "wait", "inputSchema": {}}]}),
        ),
        "tools/call" => match message["params"]["name"].as_str().unwrap() {
            "huge" => {
                return Reply::Flood(
                    b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n\r\n\"".to_vec(),
                    vec![b'x'; 1 << 16],
                );
            }
            "break" => return Reply::Of { status: 500, headers: Vec::new(), body: b"broken by key-12345".to_vec() },
            "move" => return Reply::redirect("http://127.0.0.1:1/elsewhere"),
            "wait" => return Reply::Silence(Vec::new()),
            _ => {
                result(id, &json!({"content": [{"type": "text", "text": message["params"]["arguments"].to_string()}]}))
            }
        },
        _ => return Reply::Of { status: 202, headers: Vec::new(), body: Vec::new() },
    };
    let (kind, body) = match events {
        true => ("text/event-stream", format!("event: message\ndata: {reply}\n\n")),
        false => ("application/json", reply.to_string()),
    };
    let headers = vec![("content-type", kind.into()), ("mcp-session-id", "session-1".into())];
    Reply::Of { status: 200, headers, body: body.into() }
}

#[test]
fn servers_are_reached_by_http_with_their_headers() {
    for events in [false, true] {
        let stage = Stage::new();
        let server = Server::start(move |request| behaved(request, events));
        let mcp = start(&stage, &[by_http("h", &server.url("/mcp"))], McpLimits::default());
        assert_eq!(mcp.problems(), Vec::<String>::new());
        assert_says(&call(&mcp, "mcp__h__echo", json!({"a": 1})), Went::Well, &["{\"a\":1}"]);
        let asked = server.asked();
        assert!(
            asked.iter().all(|request| request.headers.contains(&"authorization: Bearer key-12345".into())),
            "{asked:?}"
        );
        assert!(asked.iter().any(|request| request.headers.contains(&"mcp-session-id: session-1".into())), "{asked:?}");
    }
}

/// QL-32, QL-33, QL-35: what a server says is bounded, it is not followed elsewhere, and a key is not repeated.
#[test]
fn replies_that_are_no_answers_are_named_ql_32() {
    let stage = Stage::new();
    let server = Server::start(|request| behaved(request, false));
    let mut limits = quick();
    limits.initialize = Duration::from_secs(30);
    limits.call = Duration::from_secs(5);
    limits.message_bytes = 1 << 20;
    let mcp = start(&stage, &[by_http("h", &server.url("/mcp"))], limits);
    assert_eq!(mcp.problems(), Vec::<String>::new());
    let check = |tool: &str, part: &str| {
        let answer = call(&mcp, &format!("mcp__h__{tool}"), json!({}));
        assert_says(&answer, Went::Wrong, &[part]);
        assert!(!answer.text.contains("key-12345") && answer.text.len() < 1_500, "{}", answer.text);
    };
    check("huge", "it says more than 1048576 bytes at once");
    check("break", "status 500 Internal Server Error: broken by [hidden]");
    check("move", "it sends us to another address");
    check("wait", "it took longer than 5 seconds");
    assert_says(&call(&mcp, "mcp__h__echo", json!({})), Went::Well, &["{}"]);
}

#[test]
fn servers_that_answer_nonsense_are_named_ql_32() {
    let stage = Stage::new();
    let server = Server::start(|request| match request.path.as_str() {
        "/key" => Reply::Of { status: 401, headers: vec![("www-authenticate", "Bearer".into())], body: Vec::new() },
        "/html" => Reply::html("<h1>Not found</h1>"),
        "/gone" => Reply::Of { status: 404, headers: Vec::new(), body: b"nobody here".to_vec() },
        "/moved" => Reply::redirect("/elsewhere"),
        "/silent" => Reply::Silence(Vec::new()),
        "/flood" => Reply::Flood(
            b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n".to_vec(),
            b"data: x\n".repeat(1000),
        ),
        _ => Reply::of("application/json", "{}"),
    });
    let paths = ["/key", "/html", "/gone", "/moved", "/silent", "/flood", "/other"];
    let servers: Vec<McpServer> = paths.iter().map(|path| by_http(&path[1..], &server.url(path))).collect();
    let mcp = start(
        &stage,
        &servers,
        McpLimits { message_bytes: 1 << 20, initialize: Duration::from_secs(5), ..McpLimits::default() },
    );
    assert_eq!(mcp.problems().len(), paths.len(), "{:#?}", mcp.problems());
    let all = mcp.problems().join("\n");
    for part in [
        "Auth required",
        "status 404 Not Found: nobody here",
        "it sends us to another address",
        "it does not answer within 5 seconds",
    ] {
        assert!(all.contains(part), "{all}");
    }
    assert!(!all.contains("key-12345"), "{all}");
    assert!(!server.paths().contains(&"/elsewhere".into()), "it was followed");
}
