//! Which goal a sentence asks for, and over which files. A sentence that no rule reads is none: nothing is guessed.

/// A goal that code can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// Every term that the sources mark in bold has an entry in the glossary.
    Glossary {
        /// Its path.
        glossary: String,
        /// Files and folders that mark terms.
        sources: Vec<String>,
    },
    /// Every relative link leads to a file, and to a heading in it where it names one.
    Links {
        /// Files and folders with links.
        sources: Vec<String>,
    },
    /// Every heading follows a pattern.
    Headings {
        /// Files and folders with headings.
        sources: Vec<String>,
        /// The pattern.
        pattern: Pattern,
    },
}

/// What headings follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// `## Only the first word has a capital`; words all in capitals, and in code, stay.
    SentenceCase,
    /// `## 1. Title`, counted from 1 within the section above.
    Numbered,
    /// No `.`, `:`, `!` or `;` at the end.
    NoPunctuation,
    /// No level is left out on the way down.
    NoSkippedLevel,
}

impl Goal {
    /// The goal of a text, if one of its sentences asks for one that code can reach.
    pub fn read(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let paths = paths(text);
        if lower.contains("glossary") && has_any(&lower, &["cover", "term", "entry", "entries", "describe", "explain"])
        {
            let (own, sources): (Vec<String>, Vec<String>) =
                paths.into_iter().partition(|path| path.to_lowercase().contains("glossary"));
            let glossary = own.into_iter().next().unwrap_or_else(|| "GLOSSARY.md".to_owned());
            return Some(Self::Glossary { glossary, sources });
        }
        if lower.contains("link") && has_any(&lower, &["resolve", "broken", "dead", "lead", "work", "valid"]) {
            return Some(Self::Links { sources: paths });
        }
        if lower.contains("heading") {
            let pattern = if has_any(&lower, &["sentence case", "sentence-case"]) {
                Pattern::SentenceCase
            } else if has_any(&lower, &["numbered", "number", "counted"]) {
                Pattern::Numbered
            } else if has_any(&lower, &["punctuation", "full stop", "period", "colon"]) {
                Pattern::NoPunctuation
            } else if has_any(&lower, &["level", "skip"]) {
                Pattern::NoSkippedLevel
            } else {
                return None;
            };
            return Some(Self::Headings { sources: paths, pattern });
        }
        None
    }

    /// What it asks for, in a sentence.
    pub fn in_words(&self) -> String {
        let of =
            |sources: &[String]| if sources.is_empty() { "all Markdown files".to_owned() } else { sources.join(", ") };
        match self {
            Self::Glossary { glossary, sources } => {
                format!("every term in bold in {} has an entry in {glossary}", of(sources))
            }
            Self::Links { sources } => format!("every relative link in {} leads to a file and a heading", of(sources)),
            Self::Headings { sources, pattern } => {
                let pattern = match pattern {
                    Pattern::SentenceCase => "is written in sentence case",
                    Pattern::Numbered => "is numbered within its section",
                    Pattern::NoPunctuation => "ends without punctuation",
                    Pattern::NoSkippedLevel => "leaves out no level",
                };
                format!("every heading in {} {pattern}", of(sources))
            }
        }
    }
}

/// Whether a path is meant by sources: one of them, or below one; without sources every Markdown file is.
pub(super) fn is_source(path: &str, sources: &[String]) -> bool {
    let is_markdown = path.ends_with(".md") || path.ends_with(".markdown");
    is_markdown
        && (sources.is_empty()
            || sources.iter().any(|source| {
                let folder = source.trim_end_matches(['*', '/']);
                path == source
                    || (folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
            }))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// The paths that a text names: in backticks, with a slash, or with a Markdown ending.
fn paths(text: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word =
            word.trim_matches(|mark: char| !(mark.is_alphanumeric() || matches!(mark, '/' | '_' | '.' | '*' | '-')));
        let word = word.trim_end_matches('.').trim_start_matches("./");
        let is_path =
            word.ends_with(".md") || word.ends_with(".markdown") || (word.contains('/') && !word.contains("//"));
        let is_inside = !word.starts_with('/') && !word.split('/').any(|part| part == "..");
        if is_path && is_inside && !paths.iter().any(|path| path == word) {
            paths.push(word.to_owned());
        }
    }
    paths
}
