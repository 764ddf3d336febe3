//! How long files and functions may be, and the list of those that are still longer.

use std::collections::BTreeMap;

use crate::Finding;
use crate::scan::{Function, Source};

/// The most lines of a file, and of a function from `fn` to its closing brace.
const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 70;

/// A comment right above a function that is one `match` over every pair of state and input.
const TABLE_MARKER: &str = "// tidy: transition table";

pub(crate) const ALLOWED_PATH: &str = "crates/multiverse/tests/tidy/allow.txt";

/// A file or function and its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measured {
    kind: Kind,
    /// `path` or `path::function`.
    name: String,
    path: String,
    line: usize,
    lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    File,
    Function,
}

impl Kind {
    fn named(word: &str) -> Option<Self> {
        [Self::File, Self::Function].into_iter().find(|kind| kind.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Function => "function",
        }
    }

    fn most(self) -> usize {
        match self {
            Self::File => FILE_LINES,
            Self::Function => FUNCTION_LINES,
        }
    }
}

/// The length of a file and of its functions, transition tables left out.
pub(crate) fn measure(path: &str, source: &Source<'_>) -> Vec<Measured> {
    let file = Measured {
        kind: Kind::File,
        name: path.into(),
        path: path.into(),
        line: 1,
        lines: source.text.lines().count(),
    };
    let functions = source.functions();
    let functions = functions.iter().filter(|function| !is_table(source.text, function)).map(|function| Measured {
        kind: Kind::Function,
        name: format!("{path}::{}", function.name),
        path: path.into(),
        line: function.line,
        lines: function.lines,
    });
    std::iter::once(file).chain(functions).collect()
}

/// Markers on functions that are no table, or short enough without one.
pub(crate) fn needless_markers(path: &str, source: &Source<'_>) -> Vec<Finding> {
    let functions = source.functions();
    let marked = functions.iter().filter(|function| is_table(source.text, function));
    let needless = marked.filter_map(|function| {
        let why = if function.lines <= FUNCTION_LINES {
            format!("{} lines need no exemption", function.lines)
        } else if !function.body.contains("match ") {
            "there is no `match` in it".into()
        } else {
            return None;
        };
        let what = format!("function {} is marked as a transition table, but {why}: remove the marker", function.name);
        Some(Finding::new(path, function.line, what))
    });
    needless.collect()
}

/// What is too long, and what the allow-list says that is no longer true.
pub(crate) fn findings(list_path: &str, list: &str, measured: &[Measured]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut allowed = BTreeMap::new();
    for (index, line) in list.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match parse_entry(line) {
            Some((kind, name, limit)) => {
                allowed.insert((kind, name), (index + 1, limit));
            }
            None => {
                let what = format!("{line:?} is no entry: write `file PATH LINES` or `function PATH::NAME LINES`");
                findings.push(Finding::new(list_path, index + 1, what));
            }
        }
    }
    for one in longest_by_name(measured) {
        let (word, most) = (one.kind.word(), one.kind.most());
        match allowed.remove(&(one.kind, one.name.as_str())) {
            None if one.lines > most => {
                let what = format!("{word} {} has {} lines, {most} is the most: split it", one.name, one.lines);
                findings.push(Finding::new(&one.path, one.line, what));
            }
            Some((_, limit)) if one.lines > limit => {
                let what = format!(
                    "{word} {} has grown to {} lines, {limit} are allowed: split it, the list only shrinks",
                    one.name, one.lines
                );
                findings.push(Finding::new(&one.path, one.line, what));
            }
            Some((line, _)) if one.lines <= most => {
                let what = format!("{word} {} is down to {} lines: the entry is no longer needed", one.name, one.lines);
                findings.push(Finding::new(list_path, line, what));
            }
            Some((line, limit)) if one.lines < limit => {
                let what =
                    format!("{word} {} is down to {lines} lines: write {lines} here", one.name, lines = one.lines);
                findings.push(Finding::new(list_path, line, what));
            }
            _ => {}
        }
    }
    for ((kind, name), (line, _)) in allowed {
        findings.push(Finding::new(list_path, line, format!("{} {name} does not exist: remove it", kind.word())));
    }
    findings
}

fn parse_entry(line: &str) -> Option<(Kind, &str, usize)> {
    let mut words = line.split_whitespace();
    let entry = (Kind::named(words.next()?)?, words.next()?, words.next()?.parse().ok()?);
    words.next().is_none().then_some(entry)
}

/// Functions of one name in one file (methods of several types) share an entry: the longest counts.
fn longest_by_name(measured: &[Measured]) -> Vec<&Measured> {
    let mut longest: BTreeMap<(Kind, &str), &Measured> = BTreeMap::new();
    for one in measured {
        let kept = longest.entry((one.kind, &one.name)).or_insert(one);
        if kept.lines < one.lines {
            *kept = one;
        }
    }
    longest.into_values().collect()
}

/// Whether the marker stands right above, among the function's attributes and doc comments.
fn is_table(text: &str, function: &Function<'_>) -> bool {
    let above: Vec<&str> = text.lines().take(function.line - 1).map(str::trim).collect();
    let own = above.iter().rev().take_while(|line| line.starts_with("//") || line.starts_with("#["));
    own.into_iter().any(|line| *line == TABLE_MARKER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_cases;

    fn long_function(lines: usize, head: &str, inside: &str) -> String {
        format!("{head}fn long() {{\n{}}}\n", format!("{inside}\n").repeat(lines - 2))
    }

    fn check(text: &str, list: &str, expected: &[&str]) {
        let rule = |text: &str| {
            let source = Source::new(text);
            let mut found = findings("list", list, &measure("a.rs", &source));
            found.extend(needless_markers("a.rs", &source));
            found
        };
        check_cases(rule, &[(text, expected)]);
    }

    #[test]
    fn length_is_held_to_its_bounds() {
        check(&"\n".repeat(600), "", &[]);
        check(&"\n".repeat(601), "", &["a.rs:1: file a.rs has 601 lines, 600 is the most"]);
        check(&long_function(70, "", "x;"), "", &[]);
        check(&long_function(71, "\n", "x;"), "", &["a.rs:2: function a.rs::long has 71 lines, 70 is the most"]);
    }

    #[test]
    fn the_allow_list_only_shrinks() {
        let (file, function) = ("\n".repeat(650), long_function(80, "", "x;"));
        check(&file, "# why\n\nfile a.rs 650", &[]);
        check(&file, "file a.rs 640", &["has grown to 650 lines, 640 are allowed"]);
        check(&file, "file a.rs 660", &["list:1: file a.rs is down to 650 lines: write 650 here"]);
        check("", "file a.rs 650", &["list:1: file a.rs is down to 0 lines: the entry is no longer needed"]);
        check("", "file b.rs 650", &["list:1: file b.rs does not exist"]);
        check(&function, "function a.rs::long 80", &[]);
        check(&function, "function a.rs::long 79", &["grown to 80"]);
        check(&function, "function a.rs::gone 80", &["function a.rs::long has 80", "a.rs::gone does not exist"]);
        check("", "whatever a.rs 3", &["list:1: \"whatever a.rs 3\" is no entry"]);
        check("", "file a.rs many", &["is no entry"]);
        check("", "file a.rs 3 4", &["is no entry"]);
    }

    #[test]
    fn transition_tables_are_exempt() {
        let marker = format!("/// Doc.\n{TABLE_MARKER}\n#[rustfmt::skip]\n");
        check(&long_function(90, &marker, "match x {}"), "", &[]);
        check(&long_function(90, &marker, "if x {}"), "", &["there is no `match` in it: remove the marker"]);
        check(&long_function(20, &marker, "match x {}"), "", &["20 lines need no exemption"]);
        check(&long_function(90, &format!("{TABLE_MARKER}\n\n"), "match x {}"), "", &["has 90 lines"]);
    }
}
