//! Owns one function per thing that comes from outside (QL-25): it takes any bytes and fails only by panicking. The
//! seeded mutation loop of the tests and fuzzing engines call the same functions. Must not be used by anything else.

use crate::{mcp, web};

/// Turns a page into Markdown, and looks for URLs in it.
pub fn fuzz_page(bytes: &[u8]) {
    let page = String::from_utf8_lossy(bytes);
    web::fuzz_page(&page);
    for url in web::urls_in(&page) {
        assert!(page.contains(&url), "a URL that is not in the text");
    }
}

/// Reads a file of MCP servers; every problem has a place in the text.
pub fn fuzz_mcp_file(bytes: &[u8]) {
    let file = mcp::read_mcp_file(bytes, &|name| (name.len() % 2 == 0).then(|| "value".into()));
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(file.servers.len() <= 64 && file.problems.len() <= 100);
    for problem in &file.problems {
        assert!(problem.line <= lines && !problem.what.is_empty(), "{problem}");
    }
}
