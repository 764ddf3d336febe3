//! The tidy test: what the repository promises about its own shape, checked on every run.
//!
//! Each rule is a pure function from text to findings and has cases that show it failing. The last test applies all
//! of them to the repository. A rule may be tightened; the allow-list of lengths may only shrink.
#![cfg(test)]

mod banned;
mod edges;
mod length;
mod links;
mod modules;
mod names;
mod repository;
mod scan;
mod space;

use std::fmt;

use repository::Repository;

/// Something that breaks a rule: where it is, what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.what)
    }
}

#[test]
fn the_repository_is_tidy() {
    let repository = Repository::read();
    let mut findings = edges::findings(&repository.architecture(), &repository.manifests());
    let mut measured = Vec::new();
    for file in repository.rust() {
        let source = scan::Source::new(&file.text);
        findings.extend(banned::findings(&file.path, &source));
        findings.extend(names::in_source(&file.path, &source));
        if repository::is_module(&file.path) {
            findings.extend(modules::findings(&file.path, &file.text));
        }
        measured.extend(length::measure(&file.path, &source));
        findings.extend(length::needless_markers(&file.path, &source));
    }
    findings.extend(length::findings(length::ALLOWED_PATH, include_str!("allow.txt"), &measured));
    for manifest in repository.manifests() {
        findings.extend(names::of_crate(&manifest.path, &edges::crate_name(&manifest.text)));
    }
    for path in repository.paths() {
        findings.extend(names::of_file(path));
    }
    for file in repository.markdown() {
        findings.extend(links::findings(&file.path, &file.text, &|path| repository.lookup(path)));
    }
    for file in repository.texts() {
        findings.extend(space::findings(&file.path, &file.text));
    }
    findings.sort();
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(lines.is_empty(), "{} findings:\n{}\n", lines.len(), lines.join("\n"));
}

/// The cases of a rule: text, and a part of each finding that it must give, in order. No part, no finding.
#[track_caller]
fn check_cases(rule: impl Fn(&str) -> Vec<Finding>, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let found = rule(text);
        let shown: Vec<String> = found.iter().map(Finding::to_string).collect();
        assert_eq!(found.len(), expected.len(), "in {text:?} found {shown:#?}");
        for (line, part) in shown.iter().zip(*expected) {
            assert!(line.contains(part), "in {text:?} found {line:?}, which does not say {part:?}");
        }
    }
}
