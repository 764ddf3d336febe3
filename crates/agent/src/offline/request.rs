//! What a request asks for, as far as its words say: goal, forms, subject, language.
//!
//! Owns the reading of requests and instructions. It must not know plans. It never guesses an intention.

use std::collections::BTreeSet;

use serde_json::Value;

use super::read::Piece;
use super::sentences::sentences;
use super::words::{self, Language};

/// A form of deliverable that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    Markdown,
    Html,
    Text,
    Csv,
    Json,
}

impl Format {
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Text => "txt",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
            Self::Text => "plain text",
            Self::Csv => "CSV",
            Self::Json => "JSON",
        }
    }

    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "txt" | "text" => Some(Self::Text),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The request in the brief: of the context, else the prompt.
pub(crate) fn text(context: &Value, prompt: &str) -> String {
    let from_context = ["request", "user_request"].iter().find_map(|name| context.get(name).and_then(Value::as_str));
    from_context.filter(|text| !text.trim().is_empty()).unwrap_or(prompt).trim().to_owned()
}

/// The sentences of a request.
pub(crate) fn goals(request: &str) -> Vec<String> {
    let pieces: Vec<Piece> = request.lines().map(|line| Piece { line: 1, text: line.to_owned() }).collect();
    // A line of its own, such as an item of a list, is a sentence even without a full stop.
    pieces
        .chunks(1)
        .flat_map(sentences)
        .map(|sentence| sentence.text.trim_start_matches(['-', '*', ' ']).to_owned())
        .collect()
}

/// The words that a request is about.
pub(crate) fn subject(text: &str) -> BTreeSet<String> {
    words::content(text)
        .into_iter()
        .filter(|word| Format::of_ending(word).is_none() && !ASKING.contains(&word.as_str()))
        .collect()
}

/// Words by which one asks for something, whatever it is about.
const ASKING: [&str; 30] = [
    "write",
    "make",
    "create",
    "report",
    "summarise",
    "summarize",
    "summary",
    "analyse",
    "analyze",
    "analysis",
    "deliver",
    "deliverable",
    "file",
    "document",
    "page",
    "format",
    "produce",
    "prepare",
    "give",
    "show",
    "use",
    "source",
    "asset",
    "output",
    "schreibe",
    "bericht",
    "erstelle",
    "보고서",
    "작성",
    "정리",
];

/// What a sentence of a request is about, where it says so: the words behind `about`, up to the form it asks for.
pub(crate) fn topic(sentence: &str) -> Option<String> {
    const MARKS: [&str; 9] = [" about ", " on ", " über ", " zu ", " sur ", " sobre ", " о ", " об ", " su "];
    const ENDS: [&str; 14] = [
        ", as ",
        " as ",
        " in markdown",
        " in html",
        ", in ",
        " als ",
        " en markdown",
        " en html",
        " au format",
        " como ",
        " в формате",
        "; ",
        ". ",
        " and deliver",
    ];
    // Letters keep their length in lower case here, or places would not fit: anything else has no topic.
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return None;
    }
    let from = MARKS.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).min()?;
    let until = ENDS.iter().filter_map(|end| lower[from..].find(end)).min().map_or(sentence.len(), |at| from + at);
    let words = sentence.get(from..until)?.trim().trim_end_matches([',', '.', ' ']);
    let mut chars = words.chars();
    let first = chars.next()?;
    (words.chars().count() > 2).then(|| first.to_uppercase().chain(chars).collect())
}

pub(crate) fn language(request: &str) -> Language {
    words::language(request)
}

/// The forms that a text asks for; a name of a file that is a source asks for none.
pub(crate) fn formats(text: &str, sources: &[String]) -> Vec<Format> {
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for (word, format) in NAMES {
        for (at, _) in lower.match_indices(word) {
            let before = &lower[..at];
            let after = &lower[at + word.len()..];
            let is_whole = !word.is_ascii()
                || (!before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-'))
                    && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-')));
            if is_whole && !is_denied(before) && (is_document(*format) || is_asked_as(before)) {
                found.insert(*format);
            }
        }
    }
    for name in lower.split(|c: char| c.is_whitespace() || "\"'`,;()".contains(c)) {
        let name = name.trim_end_matches(['.', ':', '!', '?']);
        let is_source = sources.iter().any(|path| path.to_lowercase().ends_with(name)) || name.starts_with("assets/");
        if let Some((_, ending)) = name.rsplit_once('.')
            && let Some(format) = Format::of_ending(ending)
            && !is_source
        {
            found.insert(format);
        }
    }
    found.into_iter().collect()
}

const NAMES: &[(&str, Format)] = &[
    ("markdown", Format::Markdown),
    ("md", Format::Markdown),
    ("마크다운", Format::Markdown),
    ("マークダウン", Format::Markdown),
    ("html", Format::Html),
    ("web page", Format::Html),
    ("webpage", Format::Html),
    ("webseite", Format::Html),
    ("웹페이지", Format::Html),
    ("웹 페이지", Format::Html),
    ("ウェブページ", Format::Html),
    ("网页", Format::Html),
    ("plain text", Format::Text),
    ("csv", Format::Csv),
    ("json", Format::Json),
];

/// Markdown and HTML are what reports are written in; the others are more often what is to be read.
fn is_document(format: Format) -> bool {
    matches!(format, Format::Markdown | Format::Html)
}

fn is_denied(before: &str) -> bool {
    let before = before.trim_end();
    ["no", "not", "not in", "not as", "without", "kein", "keine", "ohne", "nicht als"]
        .iter()
        .any(|word| before.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}

fn is_asked_as(before: &str) -> bool {
    let before = before.trim_end();
    ["as", "as a", "in", "into", "als", "and", "or", "to", ",", "deliver as"].iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| *word == "," || rest.is_empty() || rest.ends_with(' '))
    })
}

/// Forms that are asked for and that this agent cannot write.
pub(crate) fn beyond(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    let words: BTreeSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    ["pdf", "docx", "word", "pptx", "powerpoint", "xlsx", "excel", "epub", "slides"]
        .into_iter()
        .filter(|name| {
            words.contains(name) && (*name != "word" || lower.contains("word document") || lower.contains("as word"))
        })
        .collect()
}

/// The contents of the ACTIVE instructions in the context.
pub(crate) fn instructions(context: &Value) -> Vec<Instruction> {
    let rows = context.get("instructions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    rows.iter()
        .filter_map(|row| {
            if let Some(text) = row.as_str() {
                return Some(Instruction { content: text.to_owned(), ..Instruction::default() });
            }
            let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let status = field("status");
            let content = field("content");
            let is_active = status.is_empty() || status.contains("ACTIVE");
            (is_active && !content.is_empty()).then(|| Instruction {
                instruction_id: field("instruction_id"),
                run_id: field("run_id"),
                content,
            })
        })
        .collect()
}

/// The sources that the instructions name: an Executor's brief has no catalog. Some may be gone since.
pub(crate) fn named_sources(context: &Value) -> Vec<String> {
    const FIRST: &str = "Use these sources only: ";
    let instructions = instructions(context);
    let lists = instructions.iter().filter_map(|one| one.content.strip_prefix(FIRST)?.rsplit_once("; "));
    // A name may hold blanks and commas; the next one begins with the folder.
    let names = lists.flat_map(|(list, _)| list.strip_prefix("assets/").unwrap_or_default().split(", assets/"));
    let names = names.map(|name| match name.rsplit_once(" and ") {
        Some((name, more)) if more.ends_with(" more files of assets/") => name,
        _ => name,
    });
    names.filter(|name| !name.is_empty()).map(|name| format!("assets/{name}")).collect()
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) instruction_id: String,
    pub(crate) run_id: String,
    pub(crate) content: String,
}

/// The forms to publish: all that the instructions name, else those of the request, else Markdown.
pub(crate) fn formats_to_publish(context: &Value, prompt: &str, sources: &[String]) -> Vec<Format> {
    let mut found = BTreeSet::new();
    for instruction in instructions(context) {
        found.extend(formats(&instruction.content, sources));
    }
    if found.is_empty() {
        found.extend(formats(&text(context, prompt), sources));
    }
    if found.is_empty() {
        found.insert(Format::Markdown);
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_with_all_that_their_names_hold() {
        let told = |content: &str| named_sources(&serde_json::json!({"instructions": [content]}));
        assert_eq!(
            told(
                "Use these sources only: assets/my notes.md, assets/a,b.md, assets/sub folder/x.md; cite file and line."
            ),
            ["assets/my notes.md", "assets/a,b.md", "assets/sub folder/x.md"]
        );
        assert_eq!(
            told("Use these sources only: assets/a and b.md and 3 more files of assets/; cite."),
            ["assets/a and b.md"]
        );
        assert!(told("Use the files in assets/ only; cite.").is_empty());
    }

    #[test]
    fn forms_that_a_request_names() {
        let sources = vec!["assets/sales.csv".to_owned(), "assets/page.html".to_owned()];
        for (request, expected) in [
            ("Write a report about sales", ""),
            ("Write a report as Markdown and HTML", "md html"),
            ("Compare sales.csv and page.html in a web page", "html"),
            ("Read the CSV files; deliver as CSV, no HTML", "csv"),
            ("Summarise into summary.md.", "md"),
            ("매출을 마크다운과 웹페이지로 정리", "md html"),
            ("The amd64 build, cmd.exe", ""),
            ("Deliver as Markdown (.md) and JSON (.json)", "md json"),
        ] {
            let found: Vec<&str> = formats(request, &sources).into_iter().map(Format::ending).collect();
            assert_eq!(found.join(" "), expected, "{request}");
        }
        assert_eq!(beyond("as a PDF, not in other words"), ["pdf"]);
    }
}
