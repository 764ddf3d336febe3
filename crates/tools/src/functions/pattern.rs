//! Owns what a glob pattern matches: `*` and `?` within a name, `**` across folders, `[ab]`, `{one,two}`. Must not look
//! at any file.

use regex::{Regex, RegexBuilder};

/// The most letters of a pattern, and the most that its compiled form may take.
const PATTERN_LETTERS: usize = 1_000;
const COMPILED_BYTES: usize = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

#[derive(Debug)]
pub(crate) struct Pattern {
    compiled: Regex,
    /// Names that begin with a dot are meant only where the pattern says so.
    names_hidden: bool,
}

impl Pattern {
    /// A pattern without a slash matches names in any folder.
    pub(crate) fn new(pattern: &str, case: Case) -> Result<Self, String> {
        if pattern.is_empty() || pattern.chars().count() > PATTERN_LETTERS {
            return Err(format!("a pattern has between 1 and {PATTERN_LETTERS} letters, as `**/*.md`"));
        }
        let anchored = if pattern.contains('/') { pattern.to_string() } else { format!("**/{pattern}") };
        let anchored = anchored.trim_start_matches("./").trim_start_matches('/');
        let text = format!("^(?:{})$", translated(anchored)?);
        let compiled = RegexBuilder::new(&text)
            .case_insensitive(case == Case::Ignored)
            .dot_matches_new_line(true)
            .size_limit(COMPILED_BYTES)
            .build()
            .map_err(|_| {
                format!("`{pattern}` is no valid pattern: `*`, `?`, `**`, `[ab]` and `{{one,two}}` are understood")
            })?;
        let names_hidden = pattern.split('/').any(|part| part.starts_with('.') && part.len() > 1);
        Ok(Self { compiled, names_hidden })
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        self.compiled.is_match(path)
    }

    pub(crate) fn names_hidden(&self) -> bool {
        self.names_hidden
    }
}

/// Whether a text holds what only a pattern would.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut letters = pattern.chars().peekable();
    let mut braces = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.peek() == Some(&'*') => {
                while letters.peek() == Some(&'*') {
                    letters.next();
                }
                if letters.peek() == Some(&'/') {
                    letters.next();
                    out.push_str("(?:[^/]+/)*");
                } else {
                    out.push_str(".*");
                }
            }
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => out.push_str(&class(&mut letters, pattern)?),
            '{' => {
                braces += 1;
                out.push_str("(?:");
            }
            '}' if braces > 0 => {
                braces -= 1;
                out.push(')');
            }
            ',' if braces > 0 => out.push('|'),
            '\\' => out.push_str(&regex::escape(&letters.next().unwrap_or('\\').to_string())),
            other => out.push_str(&regex::escape(&other.to_string())),
        }
    }
    if braces == 0 { Ok(out) } else { Err(format!("`{pattern}` opens a brace that it does not close")) }
}

fn class(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, pattern: &str) -> Result<String, String> {
    let mut inside = String::new();
    if letters.next_if(|letter| matches!(letter, '!' | '^')).is_some() {
        inside.push('^');
    }
    let mut is_first = true;
    for letter in letters.by_ref() {
        match letter {
            ']' if !is_first => return Ok(format!("[[{inside}]&&[^/]]")),
            '-' => inside.push('-'),
            other => inside.push_str(&regex::escape(&other.to_string())),
        }
        is_first = false;
    }
    Err(format!("`{pattern}` opens a bracket that it does not close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let compiled = Pattern::new(pattern, Case::Matters).unwrap();
        for path in matching {
            assert!(compiled.matches(path), "{pattern} should match {path}");
        }
        for path in others {
            assert!(!compiled.matches(path), "{pattern} should not match {path}");
        }
    }

    /// MV-28: patterns as everybody knows them.
    #[test]
    fn patterns_match_as_expected() {
        check("*.md", &["a.md", "x/y/a.md", ".md"], &["a.mdx", "md", "a.md/b"]);
        check("runs/*/a.md", &["runs/r/a.md"], &["runs/a.md", "runs/r/s/a.md", "x/runs/r/a.md"]);
        check("**/*.md", &["a.md", "x/a.md", "x/y/z/a.md"], &["a.txt"]);
        check("src/**", &["src/a", "src/a/b"], &["src", "other/a"]);
        check("src/**/t.rs", &["src/t.rs", "src/a/b/t.rs"], &["src/at.rs"]);
        check("a?c", &["abc", "x/axc"], &["ac", "a/c"]);
        check("[ab]*.{md,txt}", &["a.md", "bcd.txt"], &["c.md", "a.rs"]);
        check("[!a].md", &["b.md"], &["a.md", "/.md"]);
        check("./x.md", &["x.md"], &["y/x.md"]);
        check("a.b+(c)", &["a.b+(c)"], &["aXb+(c)", "a.bb(c)"]);
        check("file \\*", &["file *"], &["file x"]);
        let ignoring = Pattern::new("*.MD", Case::Ignored).unwrap();
        assert!(ignoring.matches("x/a.md"));
        for wrong in ["", "[ab", "{a,b", &"x".repeat(PATTERN_LETTERS + 1)] {
            assert!(Pattern::new(wrong, Case::Matters).is_err(), "{wrong}");
        }
        assert!(Pattern::new(".git/*", Case::Matters).unwrap().names_hidden());
        assert!(!Pattern::new("*.md", Case::Matters).unwrap().names_hidden());
    }
}
