//! Every module opens by saying what it owns and what it must not know.

use crate::Finding;

/// Whether a module's first line, attributes aside, is an inner doc comment that says something.
pub(crate) fn findings(path: &str, text: &str) -> Vec<Finding> {
    let mut lines = (1..).zip(text.lines()).filter(|(number, line)| {
        let is_shebang = *number == 1 && line.starts_with("#!/");
        !is_shebang && !line.trim().is_empty() && !line.starts_with("#![")
    });
    match lines.next() {
        Some((_, line)) if line.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty()) => Vec::new(),
        first => {
            let what = "the module must open with `//!`: what it owns and what it must not know";
            vec![Finding::new(path, first.map_or(1, |(number, _)| number), what)]
        }
    }
}

#[test]
fn modules_open_with_their_purpose() {
    let rule = |text: &str| findings("a.rs", text);
    let missing: &[&str] = &["the module must open with `//!`"];
    crate::check_cases(
        rule,
        &[
            ("//! Owns x.\nfn a() {}", &[]),
            ("#![no_std]\n\n//! Owns x.\n", &[]),
            ("#!/usr/bin/env run\n//! Owns x.\n", &[]),
            ("", missing),
            ("//!\nuse a;", missing),
            ("/// Not the module.\nfn a() {}", missing),
            ("use a;\n//! Owns x.\n", missing),
            ("// Copyright\n//! Owns x.\n", &["a.rs:1: the module must open"]),
        ],
    );
}
