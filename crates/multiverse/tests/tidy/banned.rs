//! Code that must not be there: unfinished work, forgotten probes, tests that are skipped or wait for the clock.

use crate::Finding;
use crate::scan::Source;

/// Where a piece of code is not wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// In files below `tests/` and in the test module at the end of a file.
    Tests,
}

const BANNED: [(&str, Place, &str); 6] = [
    ("todo!", Place::Anywhere, "unfinished work is not committed"),
    ("unimplemented!", Place::Anywhere, "unfinished work is not committed"),
    ("dbg!", Place::Anywhere, "a forgotten probe"),
    ("#[ignore", Place::Anywhere, "a test that does not run is no test"),
    ("thread::sleep", Place::Tests, "a test waits for something that happens, not for the clock"),
    ("thread::{sleep", Place::Tests, "a test waits for something that happens, not for the clock"),
];

pub(crate) fn findings(path: &str, source: &Source<'_>) -> Vec<Finding> {
    let tests_from = tests_begin(path, &source.code);
    let mut findings = Vec::new();
    for (piece, place, reason) in BANNED {
        let all = source.code.match_indices(piece).map(|(offset, _)| offset);
        let wrong = all.filter(|offset| {
            let is_whole = !source.code[..*offset].ends_with(|last: char| last.is_alphanumeric() || last == '_');
            is_whole && (place == Place::Anywhere || *offset >= tests_from)
        });
        findings.extend(wrong.map(|offset| {
            let what = format!("`{piece}` does not belong here: {reason}");
            Finding::new(path, source.line_of(offset), what)
        }));
    }
    findings
}

/// From where on a file is test code. Tests come last in a file.
fn tests_begin(path: &str, code: &str) -> usize {
    if path.split('/').any(|name| name == "tests") {
        return 0;
    }
    code.find("#[cfg(test)]").unwrap_or(code.len())
}

#[test]
fn what_must_not_be_there_is_found() {
    crate::check_cases(
        |text| findings("crates/a/src/lib.rs", &Source::new(text)),
        &[
            ("fn a() {\n    todo!()\n}", &["crates/a/src/lib.rs:2: `todo!` does not belong here"]),
            ("unimplemented!(\"x\")", &["unfinished work"]),
            ("dbg!(x)", &["a forgotten probe"]),
            ("#[ignore]\nfn a() {}", &["a test that does not run"]),
            ("#[ignore = \"slow\"]\nfn a() {}", &["a test that does not run"]),
            ("#[cfg(test)]\nmod tests {\n  std::thread::sleep(x)\n}", &[":3: `thread::sleep`"]),
            ("std::thread::sleep(x);", &[]),
            ("// todo!\nlet x = \"dbg!\"; not_todo!();", &[]),
        ],
    );
    crate::check_cases(
        |text| findings("crates/a/tests/kill.rs", &Source::new(text)),
        &[("use std::thread::{sleep, spawn};", &["`thread::{sleep`"]), ("thread::sleep(x)", &["`thread::sleep`"])],
    );
}
