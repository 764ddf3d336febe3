//! Where in a row the words stand that were looked for: in the text as it is written, not as it is compared.

use std::collections::HashSet;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::entry::Entry;
use crate::terms::search_terms;

/// How much is shown around what fits, in graphemes.
const BEFORE: usize = 40;
const AFTER: usize = 80;

/// A column that people look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The path.
    Path,
    /// The summary.
    Summary,
    /// The kind.
    Kind,
    /// The task.
    Task,
    /// The family.
    Lineage,
}

/// Where a row fits: a piece of its text, and the place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The column.
    pub field: Field,
    /// Some text around the place.
    pub text: String,
    /// The word in that text, in bytes.
    pub span: Range<usize>,
}

/// The first place that has one of the words: in the summary, or else in the path, or in what else there is.
pub(crate) fn best_place(entry: &Entry, words: &HashSet<&str>) -> Option<Match> {
    let fields = [
        (Field::Summary, &entry.summary),
        (Field::Path, &entry.path),
        (Field::Kind, &entry.kind),
        (Field::Task, &entry.task),
        (Field::Lineage, &entry.lineage),
    ];
    fields.into_iter().find_map(|(field, text)| {
        let span = first(text, words)?;
        Some(around(field, text, span))
    })
}

fn first(text: &str, words: &HashSet<&str>) -> Option<Range<usize>> {
    let fits = |piece: &str| {
        let terms = search_terms(piece);
        let begins =
            |term: &str| words.iter().any(|word| word.len() >= 3 && !word.ends_with('…') && term.starts_with(word));
        terms.iter().any(|term| words.contains(term.text.as_str()) || (term.run.is_none() && begins(&term.text)))
    };
    let parted = |letter: char| letter.is_whitespace() || matches!(letter, '_' | '-' | '.' | '/' | '\\' | ',' | ';');
    let mut at = 0;
    for word in text.split(parted) {
        let start = at + text[at..].find(word).unwrap_or_default();
        at = start + word.len();
        if word.is_empty() || !fits(word) {
            continue;
        }
        // In scripts without blanks the word is a whole sentence: look closer.
        let letters: Vec<(usize, &str)> = word.grapheme_indices(true).collect();
        let pair = letters.windows(2).find(|pair| {
            let piece = &word[pair[0].0..pair[1].0 + pair[1].1.len()];
            !piece.is_ascii() && words.contains(piece)
        });
        return Some(match pair {
            Some(pair) => start + pair[0].0..start + pair[1].0 + pair[1].1.len(),
            None => start..start + word.trim_end_matches(|letter: char| letter.is_ascii_punctuation()).len(),
        });
    }
    None
}

fn around(field: Field, text: &str, span: Range<usize>) -> Match {
    let before: Vec<(usize, &str)> = text[..span.start].grapheme_indices(true).rev().take(BEFORE).collect();
    let start = before.last().map_or(span.start, |(at, _)| *at);
    let end = text[span.end..].grapheme_indices(true).nth(AFTER).map_or(text.len(), |(at, _)| span.end + at);
    let lead = if start > 0 { "…" } else { "" };
    let trail = if end < text.len() { "…" } else { "" };
    let shift = lead.len();
    Match {
        field,
        span: span.start - start + shift..span.end - start + shift,
        text: format!("{lead}{}{trail}", &text[start..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(summary: &str, words: &str, expected: Option<&str>) {
        let entry = Entry { path: "data/a.md".into(), summary: summary.into(), ..Entry::default() };
        let terms = search_terms(words);
        let words: HashSet<&str> = terms.iter().map(|term| term.text.as_str()).collect();
        let found = best_place(&entry, &words);
        let shown = found.as_ref().and_then(|found| found.text.get(found.span.clone()));
        assert_eq!(shown, expected, "{summary}: {found:?}");
    }

    #[test]
    fn the_place_is_where_the_word_is_written() {
        check("Prices of boats, by yard", "boat", Some("boats"));
        check("Über die GDAŃSKER Werften", "gdansker", Some("GDAŃSKER"));
        check("조선소의 분기별 매출을 비교한 표", "매출", Some("매출"));
        check("造船所の売上の推移を比較する", "推移", Some("推移"));
        check("nothing", "data", Some("data"));
        check("nothing", "other", None);
        check(&format!("{} boats {}", "x ".repeat(300), "y ".repeat(300)), "boats", Some("boats"));
        check("a_b-boats.md", "boats", Some("boats"));
        check("", "boats", None);
    }
}
