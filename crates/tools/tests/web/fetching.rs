//! `web_fetch`: what it reaches, what it does not, and what it makes of what it gets.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::server::Reply;
use crate::*;

#[test]
fn pages_become_markdown_with_whole_links_mv_28() {
    let server = Server::start(|request| match request.path.as_str() {
        "/page" => Reply::html(
            "<title>A page</title><nav>NOISE</nav><h1>Big</h1><p>See <a href='/x'>this</a>.<script>no</script>",
        ),
        "/data" => Reply::of("application/json", "{\"a\":1}"),
        _ => Reply::of("text/plain", "plain text"),
    });
    let web = web_for(&server);
    let answer = fetch(&web, &format!("Summarise {}, then compare ({}).", server.url("/page"), server.url("/data")));
    let link = format!("[this](http://{}/x)", server.address);
    assert_says(&answer, Went::Well, &["# Big", &link, "title: A page", "{\"a\":1}", "material to judge"]);
    assert!(!answer.text.contains("NOISE"), "{}", answer.text);
    assert_eq!(server.asked()[0].method, "GET");
    let agent = server.asked()[0].headers.iter().find(|header| header.starts_with("user-agent")).cloned();
    assert!(agent.unwrap().starts_with("user-agent: multiverse/"));
}

/// QL-33: no way of writing an address leads to this machine, its network or its host, and none is even connected to.
#[test]
fn inner_addresses_are_refused_in_every_spelling_ql_33() {
    let server = Server::start(|_| Reply::html("secret"));
    let port = server.address.port();
    let book = Book::of(&[
        ("inside.example", &["127.0.0.1"]),
        ("mixed.example", &["93.184.216.34 127.0.0.1"]),
        ("localhost", &["127.0.0.1 ::1"]),
        ("six.example", &["::ffff:127.0.0.1"]),
        ("private.example", &["10.1.2.3"]),
        ("nat64.example", &["64:ff9b::7f00:1"]),
    ]);
    let web = Web::new(settings(&[], Arc::clone(&book)));
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "[fd00:ec2::254]",
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "[::ffff:169.254.169.254]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "inside.example",
        "INSIDE.example",
        "mixed.example",
        "localhost",
        "six.example",
        "private.example",
        "nat64.example",
    ];
    for host in hosts {
        for url in
            [format!("http://{host}/"), format!("http://{host}:{port}/"), format!("https://{host}/latest/meta-data/")]
        {
            let answer = fetch(&web, &format!("read {url}"));
            assert_says(&answer, Went::Denied, &["is not fetched", "a grant for"]);
        }
    }
    assert_eq!(server.paths(), Vec::<String>::new(), "somebody connected");
}

#[test]
fn what_is_no_url_of_the_web_is_refused_ql_33() {
    let server = Server::start(|_| Reply::html("x"));
    let web = Web::new(settings(&[], Book::of(&[("public.example", &["93.184.216.34"])])));
    let check = |prompt: &str, went: Went, part: &str| assert_says(&fetch(&web, prompt), went, &[part]);
    check("file:///etc/passwd", Went::Denied, "file is not fetched here; valid: http, https");
    check("gopher://127.0.0.1:70/x", Went::Denied, "valid: http, https");
    check("ftp://public.example/", Went::Denied, "valid: http, https");
    check("http://user:secret@public.example/", Went::Denied, "leave them out");
    check("http://public.example:22/", Went::Denied, "port 22 is open only with a grant for public.example:22");
    check("http://public.example:8080/", Went::Denied, "port 8080");
    check("http://public.example:99999/", Went::Wrong, "invalid port");
    check("http://unknown.example/", Went::Wrong, "unknown.example has no address (no such name)");
    check("http://[::1/", Went::Wrong, "is no URL");
    check(&format!("http://public.example/{}", "x".repeat(9000)), Went::Wrong, "too long");
    check("no address at all", Went::Wrong, "the prompt has no URL");
    let password = fetch(&web, "http://user:secret@public.example/");
    assert!(!password.text.contains("secret"), "{}", password.text);
    for (arguments, part) in [
        (json!({}), "`prompt` is missing"),
        (json!({"prompt": 5}), "`prompt` is not a string"),
        (json!({"prompt": " "}), "`prompt` is empty"),
        (json!({"prompt": "x".repeat(30_000)}), "longer than"),
        (json!({"prompt": "http://x/", "page": 0}), "`page` is no whole number"),
        (json!({"prompt": "http://x/", "page": "two"}), "`page` is no whole number"),
        (json!([]), "`prompt` is missing"),
    ] {
        assert_says(&call(&web, "web_fetch", arguments), Went::Wrong, &[part]);
    }
    assert_says(
        &call(&web, "web_fletch", json!({})),
        Went::Wrong,
        &["valid: web_fetch, google_web_search, web_research"],
    );
    assert!(server.paths().is_empty());
}

/// QL-33: where a reply sends us is checked like the first place, and it is not followed for ever.
#[test]
fn redirects_are_checked_at_every_hop_ql_33() {
    let inner = Server::start(|_| Reply::html("secret"));
    let secret = inner.url("/secret");
    let port = inner.address.port();
    let target = secret.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/hop" => Reply::redirect("/two"),
        "/two" => Reply::redirect("three?x=1#part"),
        "/three?x=1" => Reply::html("arrived"),
        "/loop" => Reply::redirect("/loop"),
        "/in" => Reply::redirect(&target),
        "/hex" => Reply::redirect(&format!("http://0x7f.1:{port}/secret")),
        "/scheme-relative" => Reply::redirect(&format!("//127.0.0.1:{port}/secret")),
        "/name" => Reply::redirect(&format!("http://rebound.example:{port}/secret")),
        "/file" => Reply::redirect("file:///etc/passwd"),
        "/user" => Reply::redirect("http://a:b@public.example/"),
        "/nowhere" => Reply::Of { status: 302, headers: Vec::new(), body: Vec::new() },
        "/bad" => Reply::redirect("http://[oops/"),
        _ => Reply::html("?"),
    });
    let names = Book::of(&[("rebound.example", &["127.0.0.1"]), ("public.example", &["93.184.216.34"])]);
    let web = Web::new(settings(&[&server.address.to_string()], names));
    let arrived = fetch(&web, &server.url("/hop"));
    let at = format!("URL: http://{}/three?x=1\n", server.address);
    assert_says(&arrived, Went::Well, &["arrived", &at, "asked for: "]);
    for path in ["/in", "/hex", "/scheme-relative", "/name", "/file", "/user"] {
        assert_says(&fetch(&web, &server.url(path)), Went::Denied, &["is not fetched"]);
    }
    assert_says(&fetch(&web, &server.url("/loop")), Went::Wrong, &["sent on more than 5 times"]);
    assert_eq!(server.paths().iter().filter(|path| *path == "/loop").count(), 6);
    assert_says(&fetch(&web, &server.url("/nowhere")), Went::Wrong, &["does not say where to go"]);
    assert_says(&fetch(&web, &server.url("/bad")), Went::Wrong, &["is no URL"]);
    assert!(inner.paths().is_empty(), "the inner server was reached: {:?}", inner.paths());
}

/// QL-33: a name that gives a public address to the check and an inner one afterwards. It is asked once, and the
/// connection goes to the address that was checked.
#[test]
fn a_name_that_changes_its_mind_gains_nothing_ql_33() {
    let server = Server::start(|_| Reply::html("secret"));
    let port = server.address.port();
    // 203.0.113.9 leads nowhere; the grant makes it pass the check like a public one.
    let names = Book::of(&[("rebind.example", &["203.0.113.9", "127.0.0.1"])]);
    let mut rebinding = settings(&["203.0.113.9"], Arc::clone(&names));
    rebinding.limits = short_time(Duration::from_millis(300));
    let answer = fetch(&Web::new(rebinding), &format!("http://rebind.example:{port}/"));
    assert_eq!(answer.went, Went::Wrong, "{}", answer.text);
    assert_eq!(names.looked_up(), ["rebind.example"], "it was looked up again after the check");
    assert!(server.paths().is_empty(), "the inner server was reached");
    // The other way round: the address that was checked is the one that is used, also though the system knows no such name.
    let names = Book::of(&[("pinned.example", &["127.0.0.1", "203.0.113.9"])]);
    let web = Web::new(settings(&["pinned.example"], Arc::clone(&names)));
    assert_says(&fetch(&web, &format!("http://pinned.example:{port}/")), Went::Well, &["secret"]);
    assert_eq!(names.looked_up(), ["pinned.example"]);
    assert!(server.asked()[0].headers.contains(&format!("host: pinned.example:{port}")));
}

#[test]
fn grants_open_what_they_name_ql_33() {
    let server = Server::start(|_| Reply::html("opened"));
    let port = server.address.port();
    let check = |grants: &[&str], host: &str, went: Went| {
        let names = Book::of(&[("localhost", &["127.0.0.1"]), ("a.test.example", &["127.0.0.1"])]);
        let answer = fetch(&Web::new(settings(grants, names)), &format!("http://{host}:{port}/"));
        assert_eq!(answer.went, went, "{grants:?} {host}: {}", answer.text);
    };
    check(&["127.0.0.1"], "127.0.0.1", Went::Well);
    check(&["127.0.0.0/8"], "localhost", Went::Well);
    check(&["localhost"], "localhost", Went::Well);
    check(&["localhost"], "127.0.0.1", Went::Denied);
    check(&["localhost:1"], "localhost", Went::Denied);
    check(&["*.test.example"], "a.test.example", Went::Well);
    check(&["test.example"], "a.test.example", Went::Denied);
}

/// QL-33: proxies of the environment would look names up themselves, so none is used. In a process of its own, since an
/// environment is shared by all tests of one.
#[test]
fn proxies_of_the_environment_are_not_used_ql_33() {
    const INNER: &str = "MULTIVERSE_TEST_PROXY_URL";
    if let Ok(url) = std::env::var(INNER) {
        let web = Web::new(settings(&["127.0.0.1"], Book::of(&[])));
        assert_says(&fetch(&web, &url), Went::Well, &["direct"]);
        return;
    }
    let server = Server::start(|_| Reply::html("direct"));
    let proxy = Server::start(|_| Reply::html("through a proxy"));
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "fetching::proxies_of_the_environment_are_not_used_ql_33"]).env(INNER, server.url("/"));
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"] {
        command.env(name, proxy.url(""));
    }
    let output = command.env_remove("no_proxy").env_remove("NO_PROXY").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(proxy.paths().is_empty() && server.paths() == ["/"]);
}

/// QL-33: sizes are bounded, before and after decompression.
#[test]
fn sizes_are_bounded_ql_33() {
    let zeros = gzipped(&vec![b'a'; 30 << 20]);
    assert!(zeros.len() < 100_000, "the bomb is {} bytes", zeros.len());
    let server = Server::start(move |request| match request.path.as_str() {
        "/bomb" => {
            let headers = vec![("content-type", "text/plain".into()), ("content-encoding", "gzip".into())];
            Reply::Of { status: 200, headers, body: zeros.clone() }
        }
        "/endless" => Reply::Flood(b"HTTP/1.1 200 X\r\ncontent-type: text/plain\r\n\r\n".to_vec(), vec![b'b'; 1 << 16]),
        "/headers" => Reply::Flood(b"HTTP/1.1 200 X\r\n".to_vec(), b"x-a: y\r\n".to_vec()),
        "/long-header" => Reply::Flood(b"HTTP/1.1 200 X\r\nx-a: ".to_vec(), vec![b'c'; 1 << 16]),
        "/many-bytes" => {
            let headers = (0..50).map(|_| ("x-a", "z".repeat(4000))).collect();
            Reply::Of { status: 200, headers, body: b"x".to_vec() }
        }
        _ => Reply::html(&"<p>word ".repeat(1_000_000)),
    });
    let web = web_for(&server);
    for path in ["/bomb", "/endless"] {
        let answer = call(&web, "web_fetch", json!({"prompt": server.url(path), "page": 1}));
        assert_says(&answer, Went::Well, &["page 1 of ", "more with \"page\": 2"]);
        // 5 MiB and no more, in pages of at most 32 KB.
        let count: usize = answer.text.split("page 1 of ").nth(1).unwrap().split(';').next().unwrap().parse().unwrap();
        assert!((165..250).contains(&count), "{path}: {count} pages");
        let last = call(&web, "web_fetch", json!({"prompt": server.url(path), "page": count}));
        assert_says(&last, Went::Well, &["the end is left out"]);
    }
    for path in ["/headers", "/long-header", "/many-bytes"] {
        assert_says(&fetch(&web, &server.url(path)), Went::Wrong, &["cannot be fetched"]);
    }
    assert_says(&fetch(&web, &server.url("/html")), Went::Well, &["word", "page 1 of"]);
}

/// QL-33: times are bounded, wherever the silence begins; and nobody waits for them who is told to stop.
#[test]
fn times_are_bounded_and_a_stop_is_obeyed_ql_33() {
    let server = Server::start(|request| match request.path.as_str() {
        "/silent" => Reply::Silence(Vec::new()),
        "/head" => Reply::Silence(b"HTTP/1.1 200 X\r\ncontent-type: text/plain\r\n".to_vec()),
        "/body" => {
            Reply::Silence(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\ncontent-type: text/plain\r\n\r\nhalf".to_vec())
        }
        "/drip" => Reply::Flood(b"HTTP/1.1 200 X\r\ncontent-type: text/html\r\n\r\n".to_vec(), Vec::new()),
        _ => Reply::html("fine"),
    });
    let grant = server.address.to_string();
    let mut short = settings(&[&grant], Book::of(&[]));
    short.limits = short_time(Duration::from_millis(200));
    let web = Web::new(short);
    for path in ["/silent", "/head", "/body", "/drip"] {
        assert_says(&fetch(&web, &server.url(path)), Went::Wrong, &["cannot be fetched: it took longer than"]);
    }
    // One that hangs does not spoil the other.
    let both = fetch(&web, &format!("{} {}", server.url("/silent"), server.url("/fine")));
    assert_says(&both, Went::Well, &["fine", "took longer than"]);
    let stop = Stop::new();
    let asked =
        ToolCall { id: "1".into(), name: "web_fetch".into(), arguments: json!({"prompt": server.url("/silent")}) };
    let patient = web_for(&server);
    let before = server.paths().len();
    let answer = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| patient.call(&asked, &stop));
        while server.paths().len() == before {
            std::thread::yield_now();
        }
        stop.stop();
        waiting.join().unwrap()
    });
    assert_says(&answer, Went::Wrong, &["stopped before it was done"]);
}

#[test]
fn replies_that_are_no_page_are_named() {
    let server = Server::start(|request| match request.path.as_str() {
        "/picture" => Reply::of("image/png", vec![0, 1, 2]),
        "/missing" => {
            Reply::Of { status: 404, headers: vec![("content-type", "text/html".into())], body: b"<h1>Gone".to_vec() }
        }
        "/garbage" => Reply::Raw(b"not http at all\r\n\r\n".to_vec()),
        "/short" => {
            Reply::Raw(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\ncontent-type: text/plain\r\n\r\nhalf".to_vec())
        }
        "/nothing" => Reply::Raw(Vec::new()),
        "/not-gzip" => Reply::Of {
            status: 200,
            headers: vec![("content-encoding", "gzip".into()), ("content-type", "text/plain".into())],
            body: b"plain".to_vec(),
        },
        "/empty" => Reply::html("<script>fill()</script>"),
        "/escape" => Reply::of("text/plain", "a\u{1b}[2Jb\u{7}\u{9b}31mc"),
        _ => Reply::html("?"),
    });
    let web = web_for(&server);
    let check = |path: &str, went: Went, part: &str| assert_says(&fetch(&web, &server.url(path)), went, &[part]);
    check("/picture", Went::Wrong, "a file of type image/png of 3 bytes, which is not text");
    check("/missing", Went::Wrong, "status 404\n# Gone");
    check("/garbage", Went::Wrong, "cannot be fetched");
    check("/short", Went::Wrong, "cannot be fetched");
    check("/nothing", Went::Wrong, "cannot be fetched");
    check("/not-gzip", Went::Wrong, "cannot be fetched");
    check("/empty", Went::Well, "it has no text");
    check("/escape", Went::Well, "a[2Jb31mc");
    let closed = Server::start(|_| Reply::html("x")).address.port();
    assert_says(
        &fetch(&Web::new(settings(&["127.0.0.1"], Book::of(&[]))), &format!("http://127.0.0.1:{closed}/ok")),
        Went::Well,
        &["x"],
    );
    assert_says(
        &fetch(&Web::new(settings(&["127.0.0.1"], Book::of(&[]))), "http://127.0.0.1:1/"),
        Went::Wrong,
        &["cannot be fetched"],
    );
}

/// BY-17: an answer is never longer than it may be; the rest comes page by page, from one fetch.
#[test]
fn long_texts_come_in_pages_by_17() {
    let text: String = (0..40_000).map(|number| format!("line {number}\n")).collect();
    let server = Server::start(move |_| Reply::of("text/plain", text.clone()));
    let mut small = settings(&[&server.address.to_string()], Book::of(&[]));
    small.answer_tokens = 1_000;
    let web = Web::new(small);
    let (mut number, mut seen) = (1, 0);
    loop {
        let answer = call(&web, "web_fetch", json!({"prompt": server.url("/"), "page": number}));
        assert_eq!(answer.went, Went::Well);
        assert!(answer.text.len() <= 4_200, "{} bytes", answer.text.len());
        let lines: Vec<&str> = answer.text.lines().filter(|line| line.starts_with("line ")).collect();
        assert_eq!(lines[0], format!("line {seen}"), "page {number}");
        seen += lines.len();
        if !answer.text.contains("more with") {
            break;
        }
        number += 1;
    }
    assert_eq!((seen, server.paths().len()), (40_000, 1), "every line once, and one fetch");
    let beyond = call(&web, "web_fetch", json!({"prompt": server.url("/"), "page": number + 1}));
    assert_says(&beyond, Went::Well, &[&format!("there is no page {}: it has {number}", number + 1)]);
    let many: String = (0..25).map(|number| server.url(&format!("/{number} "))).collect();
    let answer = fetch(&web, &many);
    assert_says(&answer, Went::Well, &["5 more URLs were not fetched: at most 20"]);
    assert!(answer.text.len() <= 4_200, "{} bytes", answer.text.len());
}

/// Made by the tool that every system has.
fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = gzip.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writing = std::thread::spawn(move || input.write_all(&bytes));
    let output = gzip.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    output.stdout
}
