//! White space: none at the end of a line, no tabs, one line break at the end of a file.

use crate::Finding;

pub(crate) fn findings(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.ends_with('\r') {
            findings.push(Finding::new(path, number, "the line ends with CRLF: use LF alone"));
        } else if line.ends_with(char::is_whitespace) {
            findings.push(Finding::new(path, number, "white space at the end of the line"));
        }
        if line.contains('\t') {
            findings.push(Finding::new(path, number, "a tab: use blanks, or \\t in a string"));
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        findings.push(Finding::new(path, text.lines().count(), "no line break at the end of the file"));
    }
    if text.ends_with("\n\n") {
        findings.push(Finding::new(path, text.lines().count(), "blank lines at the end of the file"));
    }
    findings
}

#[test]
fn white_space_is_where_it_belongs() {
    crate::check_cases(
        |text| findings("a.md", text),
        &[
            ("", &[]),
            ("a\n\nb\n", &[]),
            ("a \n", &["a.md:1: white space at the end"]),
            ("a\n  \nb\n", &["a.md:2: white space at the end"]),
            ("a\tb\n", &["a.md:1: a tab"]),
            ("a\r\n", &["CRLF"]),
            ("a\nb", &["a.md:2: no line break"]),
            ("a\n\n", &["a.md:2: blank lines"]),
        ],
    );
}
