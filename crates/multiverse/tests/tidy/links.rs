//! Links in the documents: each relative one leads to a file, and to a heading in it where it names one.

use crate::Finding;

/// What a path leads to.
pub(crate) enum Lookup {
    Missing,
    /// A file or folder without headings.
    Other,
    /// A Markdown text.
    Document(String),
}

pub(crate) fn findings(path: &str, text: &str, lookup: &dyn Fn(&str) -> Lookup) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, target) in targets(text) {
        let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
        if is_elsewhere {
            continue;
        }
        let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
        let found = match resolve(path, file) {
            Some(_) if file.is_empty() => Lookup::Document(text.into()),
            Some(inside) => lookup(&inside),
            None => Lookup::Missing,
        };
        match found {
            Lookup::Missing => findings.push(Finding::new(path, line, format!("the link {target:?} leads to no file"))),
            Lookup::Document(text) if !heading.is_empty() && !has_heading(&text, heading) => {
                findings.push(Finding::new(path, line, format!("the link {target:?} leads to no heading")));
            }
            _ => {}
        }
    }
    findings
}

/// The path that a link means, from the root; nothing if it leads out of the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// Targets of inline links and of link definitions, with their lines. Code is no link.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose_lines(text) {
        if let Some((_, target)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
            found.push((number, target.trim().to_string()));
        }
        for (at, _) in line.match_indices("](") {
            let rest = &line[at + 2..];
            if let Some(end) = rest.find(')') {
                found.push((number, rest[..end].split(' ').next().unwrap_or_default().to_string()));
            }
        }
    }
    found
}

/// Lines outside fenced blocks, their code spans blanked.
fn prose_lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        let prose = || line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        (!is_code && !is_fence).then(|| (number, prose()))
    })
}

fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| slug(line.trim_start_matches('#').trim())).any(|slug| slug == anchor)
}

/// The name that forges give a heading.
fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.map(|one| if one == ' ' { '-' } else { one }).collect()
}

#[test]
fn links_lead_somewhere() {
    let lookup = |path: &str| match path {
        "README.md" | "docs/a.md" => Lookup::Document("# The one\n## `b`: two, three\n".into()),
        "" | "docs" | "LICENSE" => Lookup::Other,
        _ => Lookup::Missing,
    };
    crate::check_cases(
        |text| findings("docs/b.md", text, &lookup),
        &[
            ("[a](a.md) [b](../README.md) [c](../LICENSE) [d](..) [e](./a.md \"title\")", &[]),
            ("[a](https://example.org/x) [b](mailto:a@example.org)", &[]),
            ("[a](a.md#the-one) [b](a.md#b-two-three)", &[]),
            ("# Here\n[a](#here)", &[]),
            ("[a](#there)", &["\"#there\" leads to no heading"]),
            ("[a](a.md#other)", &["leads to no heading"]),
            ("x\n[a](gone.md)", &["docs/b.md:2: the link \"gone.md\" leads to no file"]),
            ("![picture](gone.png)", &["leads to no file"]),
            ("[a](../../outside.md)", &["leads to no file"]),
            ("[a]: gone.md", &["leads to no file"]),
            ("`[a](gone.md)`\n```\n[a](gone.md)\n```\n", &[]),
        ],
    );
}
