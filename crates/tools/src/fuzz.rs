//! Owns one function per thing that comes from outside (QL-25): it takes any bytes and fails only by panicking. The
//! seeded mutation loop of the tests and fuzzing engines call the same functions. Must not be used by anything else.

use serde_json::json;

use crate::{Effect, Grants, Rule, ToolCall, mcp, web};

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

/// Takes a command line apart and decides on it; the first line is a pattern.
pub fn fuzz_command_line(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, line) = text.split_once('\n').unwrap_or(("run_shell_command: git *", &text));
    let rules = [Effect::Deny, Effect::Allow].map(|effect| Rule::new(effect, pattern));
    let Ok(grants) = Grants::new(rules.into(), Effect::Ask) else { return };
    for name in ["run_shell_command", "web_fetch", "write_file", "mcp__x__y"] {
        let arguments = json!({"command": line, "prompt": line, "file_path": line});
        let call = ToolCall { id: "1".into(), name: name.into(), arguments };
        let decision = grants.decide(&call, Some(std::path::Path::new("/project")));
        // Whatever the rule that allows would match, the same one that denies stands before it and matches too.
        assert!(decision.effect != Effect::Allow, "{decision:?}");
    }
}
