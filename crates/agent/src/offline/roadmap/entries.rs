//! A goal's text as headings and list entries, each with its depth, its box and its number. Must not know what an entry asks
//! for.

use super::super::text_goal::{Line, heading, lines};

/// A heading or an entry of a list, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// From 1.
    pub(super) line: usize,
    pub(super) kind: PartKind,
    /// Without its marks.
    pub(super) text: String,
    /// As the text has it: `1.2` of `1.2. Move it`, `3` of the third of a numbered list.
    pub(super) number: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// By its level.
    Heading(usize),
    /// By the columns that it is indented.
    Entry { indent: usize, ticked: Ticked },
    /// Text that is neither.
    Prose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ticked {
    /// It has no box, or an empty one.
    No,
    Yes,
}

/// The parts of a text. A line that goes on from an entry belongs to it.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for Line { number, text } in lines(text) {
        let trimmed = text.trim();
        if trimmed.is_empty() || matches!(trimmed, "-" | "*" | "+") {
            parts.push(Part { line: number, kind: PartKind::Prose, text: String::new(), number: String::new() });
        } else if let Some((level, title, _)) = heading(text) {
            let (own, title) = numbered(&plain(title));
            parts.push(Part { line: number, kind: PartKind::Heading(level), text: title, number: own });
        } else if let Some(part) = entry(number, text) {
            parts.push(part);
        } else {
            match parts.last_mut() {
                Some(last) if last.kind != PartKind::Prose && !matches!(last.kind, PartKind::Heading(_)) => {
                    last.text.push(' ');
                    last.text.push_str(&plain(trimmed));
                }
                _ => {
                    let kind = PartKind::Prose;
                    parts.push(Part { line: number, kind, text: plain(trimmed), number: String::new() });
                }
            }
        }
    }
    parts.retain(|part| !part.text.is_empty());
    parts
}

fn entry(line: usize, text: &str) -> Option<Part> {
    let indent =
        text.chars().take_while(|letter| letter.is_whitespace()).map(|letter| if letter == '\t' { 4 } else { 1 }).sum();
    let rest = text.trim_start();
    let (marked, rest) = match rest.strip_prefix(['-', '*', '+', '•']) {
        Some(rest) if rest.starts_with([' ', '\t']) => (String::new(), rest),
        Some(_) => return None,
        None => {
            let digits = rest.chars().take_while(char::is_ascii_digit).count();
            let after = rest.get(digits..)?.strip_prefix(['.', ')', '、'])?;
            if digits == 0 || digits > 4 || !(after.starts_with([' ', '\t']) || rest[digits..].starts_with('、')) {
                return None;
            }
            (rest[..digits].to_string(), after)
        }
    };
    let rest = rest.trim();
    let (ticked, rest) = boxed(rest);
    let (own, title) = numbered(&plain(rest));
    let number = if own.is_empty() { marked } else { own };
    (!title.is_empty()).then_some(Part { line, kind: PartKind::Entry { indent, ticked }, text: title, number })
}

/// `[x] rest`.
fn boxed(text: &str) -> (Ticked, &str) {
    let inner = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match inner {
        Some((mark, rest)) if mark.chars().count() <= 1 && !rest.starts_with('(') => match mark.trim() {
            "" => (Ticked::No, rest.trim_start()),
            "x" | "X" | "✓" | "✔" => (Ticked::Yes, rest.trim_start()),
            _ => (Ticked::No, rest.trim_start()),
        },
        _ => (Ticked::No, text),
    }
}

/// A number with dots in front of a title, and the title: `1.2. Move`, `2.1 Move`; a bare `2` is part of the title.
fn numbered(text: &str) -> (String, String) {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let rest = text[end..].trim_start_matches([')', ':']).trim();
    let is_number = number.contains('.')
        && number.split('.').all(|part| !part.is_empty() && part.len() <= 5)
        && (text[end..].starts_with([' ', '\t', ')', ':']));
    match is_number && !rest.is_empty() {
        true => (number.to_string(), rest.to_string()),
        false => (String::new(), text.to_string()),
    }
}

/// Without the marks of bold print around words.
fn plain(text: &str) -> String {
    text.trim().replace("**", "").replace("__", "").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_entries_of_all_kinds_are_read() {
        let text = "# Goal\nSome words.\n\n## 2. Phase\n- [ ] **1.1. First**\n  goes on\n- [x] done\n* star\n1) one\n    12. deep\n- \n-no\n```\n- code\n```\n一、\n3、三";
        let told: Vec<String> = parts(text)
            .iter()
            .map(|part| {
                let kind = match part.kind {
                    PartKind::Heading(level) => format!("h{level}"),
                    PartKind::Entry { indent, ticked: Ticked::Yes } => format!("x{indent}"),
                    PartKind::Entry { indent, .. } => format!("e{indent}"),
                    PartKind::Prose => "p".into(),
                };
                format!("{}:{kind}:{}:{}", part.line, part.number, part.text)
            })
            .collect();
        assert_eq!(
            told,
            [
                "1:h1::Goal",
                "2:p::Some words.",
                "4:h2::2. Phase",
                "5:e0:1.1:First goes on",
                "7:x0::done",
                "8:e0::star",
                "9:e0:1:one",
                "10:e4:12:deep",
                "12:p::-no",
                "16:p::一、",
                "17:e0:3:三"
            ]
        );
    }
}
