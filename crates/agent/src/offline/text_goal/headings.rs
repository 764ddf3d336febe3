//! Headings that follow a pattern. Must not change anything but the line of a heading, nor links to it: `links` finds those.

use super::goal::{Pattern, is_source};
use super::texts::{heading, lines};
use super::{Files, Gap, Measure};

pub(super) fn find(sources: &[String], pattern: Pattern, files: &Files) -> Measure {
    let (mut subjects, mut gaps) = (0, Vec::new());
    for (path, text) in files.iter().filter(|(path, _)| is_source(path, sources)) {
        let mut above: Vec<(usize, usize)> = Vec::new();
        for line in lines(text) {
            let Some((level, title, start)) = heading(line.text) else { continue };
            subjects += 1;
            let (front, wanted) = match pattern {
                Pattern::SentenceCase => (None, sentence_case(title)),
                Pattern::NoPunctuation => {
                    (None, title.trim_end_matches(['.', ':', '!', ';', ',']).trim_end().to_owned())
                }
                Pattern::Numbered => (None, numbered(level, title, &mut above)),
                Pattern::NoSkippedLevel => (level_below(level, &mut above), title.to_owned()),
            };
            let marks = &line.text[..start];
            let marks = match front {
                Some(level) => format!("{} ", "#".repeat(level)),
                None => marks.to_owned(),
            };
            let is_right = wanted == title && marks == line.text[..start];
            if !is_right && !wanted.is_empty() {
                let behind = &line.text[start + title.len()..];
                gaps.push(Gap {
                    path: path.clone(),
                    line: line.number,
                    reason: format!("`{}` should be `{marks}{wanted}`", line.text.trim()),
                    subject: line.text.to_owned(),
                    mend: Some(format!("{marks}{wanted}{behind}")),
                });
            }
        }
    }
    Measure { subjects, gaps }
}

/// Puts each heading right on its own line.
pub(super) fn mend(files: &Files, gaps: &[Gap]) -> Files {
    let mut files = files.clone();
    for gap in gaps {
        let (Some(text), Some(line)) = (files.get(&gap.path), &gap.mend) else { continue };
        let changed = (1..).zip(text.split_inclusive('\n')).map(|(number, whole)| {
            let content = whole.trim_end_matches(['\n', '\r']);
            match number == gap.line && content == gap.subject {
                true => format!("{line}{}", &whole[content.len()..]),
                false => whole.to_owned(),
            }
        });
        let changed: String = changed.collect();
        files.insert(gap.path.clone(), changed);
    }
    files
}

/// The first word with a capital, others without; names in capitals, in code or with capitals inside stay.
fn sentence_case(title: &str) -> String {
    let mut words = Vec::new();
    let (mut in_code, mut is_first) = (false, true);
    for word in title.split(' ') {
        let had_code = in_code || word.contains('`');
        in_code ^= word.matches('`').count() % 2 == 1;
        let letters: Vec<char> = word.chars().filter(|letter| letter.is_alphabetic()).collect();
        let is_name = letters.len() > 1 && letters[1..].iter().any(|letter| letter.is_uppercase());
        let is_short = letters.len() == 1 && !is_first && letters[0] == 'I';
        let begins = is_first && !letters.is_empty();
        words.push(match had_code || is_name || is_short || letters.is_empty() {
            true => word.to_owned(),
            false => cased(word, begins),
        });
        // A number in front is not the first word.
        is_first = is_first && letters.is_empty() && !had_code;
    }
    words.join(" ")
}

fn cased(word: &str, is_capital: bool) -> String {
    let mut is_done = false;
    let mut cased = String::with_capacity(word.len());
    for letter in word.chars() {
        match (letter.is_alphabetic() && !is_done, is_capital) {
            (true, true) => cased.extend(letter.to_uppercase()),
            (true, false) => cased.extend(letter.to_lowercase()),
            (false, _) => cased.push(letter),
        }
        is_done |= letter.is_alphabetic();
    }
    cased
}

/// The title with its number within the section above; titles of documents have none.
fn numbered(level: usize, title: &str, above: &mut Vec<(usize, usize)>) -> String {
    if level == 1 {
        above.clear();
        return title.to_owned();
    }
    while above.last().is_some_and(|(deeper, _)| *deeper > level) {
        above.pop();
    }
    match above.last_mut() {
        Some((same, count)) if *same == level => *count += 1,
        _ => above.push((level, 1)),
    }
    let numbers: Vec<String> = above.iter().map(|(_, count)| count.to_string()).collect();
    let bare = title.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let bare = if bare.len() < title.len() && bare.starts_with([' ', ')']) {
        bare.trim_start_matches([')', ' '])
    } else {
        title
    };
    match numbers.as_slice() {
        [one] => format!("{one}. {bare}"),
        several => format!("{} {bare}", several.join(".")),
    }
}

/// The level that leaves none out, if this one does.
fn level_below(level: usize, above: &mut Vec<(usize, usize)>) -> Option<usize> {
    while above.last().is_some_and(|(written, _)| *written >= level) {
        above.pop();
    }
    let right = above.last().map_or(level, |(_, right)| right + 1);
    above.push((level, right));
    (right != level).then_some(right)
}
