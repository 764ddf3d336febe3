//! Owns lists of paths within a value: written as a JSON array, read in every form that people use.
//! Must not know cells (the value is decoded already) or whether a path exists.

use crate::data::Kind;
use crate::{json, yaml};

/// One entry of a list of paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// The path as it is written, without backticks and blanks around it.
    pub path: String,
    /// Whether it is a pattern for several paths.
    pub is_glob: bool,
}

impl PathEntry {
    fn new(path: &str) -> Self {
        let is_glob = memchr::memchr3(b'*', b'?', b'{', path.as_bytes()).is_some() || has_character_class(path);
        PathEntry { path: path.to_owned(), is_glob }
    }
}

/// Writes paths as the value of a cell: a JSON array of strings.
pub fn write_paths<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> String {
    let mut value = String::from("[");
    for (number, path) in paths.into_iter().enumerate() {
        if number > 0 {
            value.push_str(", ");
        }
        json::write_string(&mut value, path.as_ref());
    }
    value.push(']');
    value
}

/// Reads the paths of a cell's value: a JSON array, or paths separated by commas or line breaks.
pub fn read_paths(value: &str) -> Vec<PathEntry> {
    let value = value.trim();
    if let Some(paths) = read_plain_array(value).or_else(|| read_array(value)).or_else(|| read_array(strip_code(value)))
    {
        return paths;
    }
    value
        .split(['\n', ','])
        .map(|path| strip_code(path.trim().trim_start_matches("- ")))
        .filter(|path| !path.is_empty())
        .map(PathEntry::new)
        .collect()
}

/// The usual case, seen at a glance: an array as it is written here, with nothing in it that needs an escape.
fn read_plain_array(value: &str) -> Option<Vec<PathEntry>> {
    let inner = value.strip_prefix("[\"")?.strip_suffix("\"]")?;
    let is_plain = inner.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'\\'));
    let paths = || inner.split("\", \"");
    (is_plain && paths().all(|path| !path.contains('"'))).then(|| paths().map(PathEntry::new).collect())
}

/// A list in brackets: JSON as we write it, or what people write instead (no quotes, single quotes, a comma too many),
/// which happens to be YAML.
fn read_array(value: &str) -> Option<Vec<PathEntry>> {
    if !(value.starts_with('[') && value.ends_with(']')) {
        return None;
    }
    [json::parse, yaml::parse].iter().find_map(|parse| {
        let parsed = parse(value.as_bytes());
        let Kind::List(items) = &parsed.root.as_ref()?.kind else { return None };
        let paths = items.iter().map(|item| item.as_text().map(PathEntry::new));
        if parsed.problems.is_empty() { paths.collect() } else { None }
    })
}

fn strip_code(path: &str) -> &str {
    path.trim_matches(|character: char| character == '`' || character.is_whitespace())
}

/// `[ab]` is a pattern, a lone bracket is part of a name.
fn has_character_class(path: &str) -> bool {
    path.find('[').is_some_and(|open| path[open..].contains(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, expected: &[(&str, bool)]) {
        let read: Vec<(String, bool)> =
            read_paths(value).into_iter().map(|entry| (entry.path, entry.is_glob)).collect();
        let expected: Vec<(String, bool)> = expected.iter().map(|(path, glob)| ((*path).to_owned(), *glob)).collect();
        assert_eq!(read, expected, "{value:?}");
    }

    #[test]
    fn every_form_of_a_list_is_read() {
        check("", &[]);
        check("[]", &[]);
        check(r#"["a.md", "b, c.md"]"#, &[("a.md", false), ("b, c.md", false)]);
        check(r#"["a.md","b.md" , "c.md"]"#, &[("a.md", false), ("b.md", false), ("c.md", false)]);
        check(r#"["a\".md", "\u0062.md"]"#, &[("a\".md", false), ("b.md", false)]);
        check(r#"["a"]"#, &[("a", false)]);
        check(r#"[""]"#, &[("", false)]);
        check(r#"`["a.md"]`"#, &[("a.md", false)]);
        check("a.md, b c.md", &[("a.md", false), ("b c.md", false)]);
        check("`a.md`, `b.md`", &[("a.md", false), ("b.md", false)]);
        check("a.md\nb.md", &[("a.md", false), ("b.md", false)]);
        check("assets/*.pdf", &[("assets/*.pdf", true)]);
        check("[draft] a.md, b.md", &[("[draft] a.md", true), ("b.md", false)]);
        check("[a.md, 'b c.md',]", &[("a.md", false), ("b c.md", false)]);
        check("- a.md\n- b.md", &[("a.md", false), ("b.md", false)]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let paths = ["a, b.md", "c\"d\\e", "가/나.md", "x|y\nz", ""];
        let written = write_paths(paths);
        let read: Vec<String> = read_paths(&written).into_iter().map(|entry| entry.path).collect();
        assert_eq!(read, paths);
    }
}
