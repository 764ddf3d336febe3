//! Cuts paragraphs into sentences, each with the line on which it begins.
//!
//! Owns the rules for full stops in several scripts. It must not know what a sentence says.

use super::limits;
use super::read::Piece;
use super::words::unspaced;

/// A sentence and the lines of its file that it takes up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) line: usize,
    pub(crate) last: usize,
    pub(crate) text: String,
    /// Whether it is all of a cell.
    pub(crate) is_cell: bool,
    /// Where in the text a further line begins, and which.
    breaks: Vec<(usize, usize)>,
}

impl Sentence {
    /// The text of a cell, whatever it has of full stops.
    pub(crate) fn of_cell(line: usize, text: &str) -> Self {
        Self { line, last: line, text: text.trim().to_owned(), is_cell: true, breaks: Vec::new() }
    }

    /// The line on which a character of the text stands.
    pub(crate) fn line_at(&self, index: usize) -> usize {
        self.breaks.iter().rev().find(|(from, _)| *from <= index).map_or(self.line, |(_, line)| *line)
    }
}

/// The sentences of one paragraph, which is given line by line.
pub(crate) fn sentences(pieces: &[Piece]) -> Vec<Sentence> {
    let (chars, lines) = join(pieces);
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < chars.len() {
        if let Some(end) = end_of_sentence(&chars, start, at) {
            push(&mut found, &chars, &lines, start..end);
            start = end;
            at = end;
        } else {
            at += 1;
        }
    }
    push(&mut found, &chars, &lines, start..chars.len());
    found
}

/// The paragraph as one run of characters, and for each character the line it stands on.
fn join(pieces: &[Piece]) -> (Vec<char>, Vec<usize>) {
    let mut chars: Vec<char> = Vec::new();
    let mut lines = Vec::new();
    for piece in pieces {
        let mut text = piece.text.split_whitespace().flat_map(|word| word.chars().chain([' '])).peekable();
        let first = text.peek().copied();
        if chars.last() == Some(&' ')
            && first.is_some_and(unspaced)
            && chars.len() > 1
            && unspaced(chars[chars.len() - 2])
        {
            chars.pop();
            lines.pop();
        }
        for c in text {
            chars.push(c);
            lines.push(piece.line);
            drop_mark(&mut chars, &mut lines);
        }
    }
    (chars, lines)
}

/// Takes the mark of a footnote off again that stands right behind a word or a full stop: `1967.[1] The`.
fn drop_mark(chars: &mut Vec<char>, lines: &mut Vec<usize>) {
    if chars.last() != Some(&']') {
        return;
    }
    let Some(open) = chars.iter().rposition(|c| *c == '[') else { return };
    let inside = &chars[open + 1..chars.len() - 1];
    let is_mark = (1..=3).contains(&inside.len()) && inside.iter().all(char::is_ascii_digit);
    if is_mark && open > 0 && chars[open - 1] != ' ' {
        chars.truncate(open);
        lines.truncate(open);
    }
}

fn push(found: &mut Vec<Sentence>, chars: &[char], lines: &[usize], range: std::ops::Range<usize>) {
    let mut range = range;
    while range.start < range.end && chars[range.start] == ' ' {
        range.start += 1;
    }
    while range.end > range.start && chars[range.end - 1] == ' ' {
        range.end -= 1;
    }
    if !chars[range.clone()].iter().any(|c| c.is_alphanumeric()) {
        return;
    }
    let is_cut = range.len() > limits::SENTENCE_CHARS;
    if is_cut {
        range.end = last_space(chars, range.start, range.start + limits::SENTENCE_CHARS);
    }
    let line = lines[range.start];
    let breaks: Vec<(usize, usize)> = range
        .clone()
        .skip(1)
        .filter(|index| lines[*index] != lines[*index - 1])
        .map(|index| (index - range.start, lines[index]))
        .collect();
    let last = breaks.last().map_or(line, |(_, line)| *line);
    let mut text: String = chars[range].iter().collect();
    if is_cut {
        text.push('…');
    }
    found.push(Sentence { line, last, text, is_cell: false, breaks });
}

/// Where a text can be cut at or before `end`: no figure and no word is cut in two, if it has a space at all.
fn last_space(chars: &[char], start: usize, end: usize) -> usize {
    (start + 1..=end)
        .rev()
        .find(|index| chars[*index] == ' ' || (unspaced(chars[*index]) && unspaced(chars[*index - 1])))
        .unwrap_or(end)
}

/// Where the sentence ends if the character at `at` ends it: behind closing quotes and brackets.
fn end_of_sentence(chars: &[char], start: usize, at: usize) -> Option<usize> {
    let c = chars[at];
    let mut end = at + 1;
    match c {
        '。' | '！' | '？' | '｡' | '।' | '॥' | '؟' | '۔' => {}
        '!' | '?' | '…' | '.' => {
            while chars.get(end).is_some_and(|next| matches!(next, '.' | '!' | '?' | '…')) {
                end += 1;
            }
        }
        _ => return None,
    }
    while chars.get(end).is_some_and(|next| closes(*next)) {
        end += 1;
    }
    if !matches!(c, '!' | '?' | '…' | '.') {
        return Some(end);
    }
    let next = chars[end.min(chars.len())..].iter().copied().find(|next| *next != ' ');
    match (chars.get(end), next) {
        (None, _) | (_, None) => Some(end),
        (Some(gap), Some(next)) if *gap == ' ' => {
            let goes_on = next.is_lowercase() || (c == '.' && is_abbreviation(chars, start, at, next));
            (!goes_on).then_some(end)
        }
        (Some(gap), _) if unspaced(*gap) => Some(end),
        _ => None,
    }
}

fn closes(c: char) -> bool {
    matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '）')
}

/// Whether the full stop at `at` belongs to the word in front of it.
fn is_abbreviation(chars: &[char], start: usize, at: usize, next: char) -> bool {
    let begin =
        (start..at).rev().find(|index| matches!(chars[*index], ' ' | '(' | '"')).map_or(start, |index| index + 1);
    let word: String = chars[begin..at].iter().collect::<String>().to_lowercase();
    if word.is_empty() {
        return false;
    }
    // "3. April", "1. Introduction": a short number with a stop is an ordinal, unless a sentence ends in it.
    if word.chars().all(|c| c.is_ascii_digit()) {
        let is_first = chars[start..begin].iter().all(|c| *c == ' ');
        return word.len() <= 2 && (is_first || next_is_month(chars, at + 1));
    }
    // "J. Smith", "U.S. Steel"
    if word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && chars[begin].is_uppercase() {
        return true;
    }
    if word.contains('.') && word.split('.').all(|part| part.chars().count() <= 1) {
        return true;
    }
    // "Dipl.-Ing. Weber"
    let last = word.rsplit(['-', '.']).next().unwrap_or_default();
    ABBREVIATIONS.contains(&word.as_str())
        || TITLES.contains(&last) && is_title(chars, begin)
        || (next.is_numeric() && BEFORE_NUMBERS.contains(&word.as_str()))
        // "Acme Inc. The …" ends a sentence more often than not only if an article or the like follows.
        || (LEGAL.contains(&word.as_str()) && !begins_sentence(chars, at + 1))
}

fn following_word(chars: &[char], from: usize) -> String {
    chars[from.min(chars.len())..].iter().skip_while(|c| **c == ' ').take_while(|c| c.is_alphabetic()).collect()
}

fn next_is_month(chars: &[char], from: usize) -> bool {
    super::dates::month(&following_word(chars, from).to_lowercase()).is_some()
}

fn begins_sentence(chars: &[char], from: usize) -> bool {
    let word = following_word(chars, from).to_lowercase();
    super::words::is_stop(&word)
}

const ABBREVIATIONS: [&str; 32] = [
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "e.g", "i.e", "cf", "etc", "approx", "z.b", "d.h", "bzw",
    "ca", "usw", "u.a", "mio", "mrd", "tsd", "gen", "sen", "rep", "mt", "ft", "m.e", "resp", "incl", "excl",
];
/// A title has a capital, and no figure stands before it: `92 MW.` ends a sentence, `Mw. Jansen` does not.
fn is_title(chars: &[char], begin: usize) -> bool {
    let before = chars[..begin].iter().rev().find(|c| **c != ' ');
    chars.get(begin).is_some_and(|c| c.is_uppercase()) && !before.is_some_and(char::is_ascii_digit)
}

/// Titles in front of names.
const TITLES: [&str; 40] = [
    "dra", "sra", "srta", "srs", "dª", "sig", "sigra", "dott", "dottssa", "avv", "arch", "geom", "rag", "ing", "dipl",
    "mag", "hr", "fr", "frl", "fa", "mme", "mlle", "mm", "prof", "profa", "drs", "mr", "mw", "dhr", "ir", "r-ra",
    "capt", "lt", "col", "rev", "hon", "gebr", "inż", "св", "г",
];
const BEFORE_NUMBERS: [&str; 10] = ["no", "nr", "fig", "p", "pp", "vol", "art", "sec", "ch", "eq"];
const LEGAL: [&str; 6] = ["inc", "ltd", "co", "corp", "bros", "plc"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let pieces: Vec<Piece> =
            text.lines().enumerate().map(|(index, line)| Piece { line: index + 1, text: line.to_owned() }).collect();
        let found: Vec<(usize, String)> = sentences(&pieces).into_iter().map(|one| (one.line, one.text)).collect();
        let expected: Vec<(usize, String)> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sentences_end_where_each_script_ends_them() {
        check("One. Two!\nThree goes\non? Yes.", &[(1, "One."), (1, "Two!"), (2, "Three goes on?"), (3, "Yes.")]);
        check("매출이 늘었다. 비용은 줄었다.", &[(1, "매출이 늘었다."), (1, "비용은 줄었다.")]);
        check("売上は増えた。費用は\n減った。", &[(1, "売上は増えた。"), (1, "費用は減った。")]);
        check("收入增加了！成本呢？", &[(1, "收入增加了！"), (1, "成本呢？")]);
        check("هل زادت؟ نعم. زادت.", &[(1, "هل زادت؟"), (1, "نعم."), (1, "زادت.")]);
        check("बिक्री बढ़ी। लागत घटी।", &[(1, "बिक्री बढ़ी।"), (1, "लागत घटी।")]);
    }

    #[test]
    fn full_stops_that_end_nothing() {
        check("Dr. Smith paid 3.5 million. Fine.", &[(1, "Dr. Smith paid 3.5 million."), (1, "Fine.")]);
        check("Am 3. April 2023 begann es.", &[(1, "Am 3. April 2023 begann es.")]);
        check(
            "It was founded in 1967.[1] It had 84 guests.[22]",
            &[(1, "It was founded in 1967."), (1, "It had 84 guests.")],
        );
        check("It grew in 2023. Then it fell.", &[(1, "It grew in 2023."), (1, "Then it fell.")]);
        check(
            "The U.S. Army, e.g. here. See example.com now.",
            &[(1, "The U.S. Army, e.g. here."), (1, "See example.com now.")],
        );
        check(
            "Acme Inc. Berlin grew. It sold (all of it.) Then not.",
            &[(1, "Acme Inc. Berlin grew."), (1, "It sold (all of it.)"), (1, "Then not.")],
        );
    }
}
