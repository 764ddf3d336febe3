//! What an idea's text says: what it is for, and by what one would see that it is done. Must not invent anything: every
//! criterion is a line or a sentence of the text.

/// The most that is read of an idea, in bytes.
const LONGEST: usize = 64 * 1024;
/// The most criteria that are taken.
const MOST: usize = 40;
/// The longest criterion, in characters.
const LINE: usize = 240;

/// An idea as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Idea {
    pub(super) headline: String,
    /// What it is about: the first sentences that are no criteria.
    pub(super) purpose: Vec<String>,
    /// By what one would see that it is done; `AC-1` is the first.
    pub(super) criteria: Vec<String>,
}

impl Idea {
    /// The name of a criterion, by its place.
    pub(super) fn name(place: usize) -> String {
        format!("AC-{}", place + 1)
    }
}

/// Reads an idea.
pub(super) fn read(headline: &str, text: &str) -> Idea {
    let end = (0..=text.len().min(LONGEST)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let lines = lines_of(&text[..end]);
    // What the author calls criteria; else what is demanded, and whatever stands in a list beside it; else every item of a
    // list; else every sentence.
    let is_list_of_demands = lines.iter().any(|line| line.is_item && is_demand(&line.text));
    let ways: [&dyn Fn(&Line) -> bool; 4] = [
        &|line| line.is_item && line.is_below_criteria,
        &|line| is_demand(&line.text) || (line.is_item && is_list_of_demands),
        &|line| line.is_item,
        &|_| true,
    ];
    let picked = ways.iter().map(|way| lines.iter().filter(|line| way(line)).collect::<Vec<_>>());
    let picked = picked.into_iter().find(|picked| !picked.is_empty()).unwrap_or_default();
    let mut criteria: Vec<String> = Vec::new();
    for line in picked {
        if criteria.len() < MOST && !criteria.contains(&line.text) {
            criteria.push(line.text.clone());
        }
    }
    let headline = shortened(headline.trim());
    if criteria.is_empty() && !headline.is_empty() {
        criteria.push(headline.clone());
    }
    let rest = lines.iter().filter(|line| !criteria.contains(&line.text));
    let mut purpose: Vec<String> = rest.take(3).map(|line| line.text.clone()).collect();
    if purpose.is_empty() {
        purpose.push(if headline.is_empty() { "The idea has no text.".into() } else { headline.clone() });
    }
    Idea { headline, purpose, criteria }
}

struct Line {
    text: String,
    is_item: bool,
    is_below_criteria: bool,
}

fn lines_of(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let (mut is_below_criteria, mut is_code) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        if is_code || line.is_empty() || line.starts_with('|') || line == "---" {
            continue;
        }
        if line.starts_with('#') {
            let title = line.trim_start_matches('#').to_lowercase();
            let words = ["accept", "criteri", "abnahme", "akzeptanz", "kriterien", "criterios", "인수", "수용", "验收"];
            is_below_criteria = words.iter().any(|word| title.contains(word));
            continue;
        }
        match item_of(line) {
            Some(item) => lines.push(Line { text: shortened(item), is_item: true, is_below_criteria }),
            None => lines.extend(sentences(line).map(|sentence| Line {
                text: shortened(sentence),
                is_item: false,
                is_below_criteria,
            })),
        }
    }
    lines.retain(|line| !line.text.is_empty());
    lines
}

/// The text of an item of a list, its box left out.
fn item_of(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•'])?,
        _ => line[digits..].strip_prefix(['.', ')'])?,
    };
    let item = rest.strip_prefix([' ', '\t'])?.trim();
    let item = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item);
    Some(item.trim())
}

fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let is_end = |(at, letter): &(usize, char)| match letter {
            '.' | '!' | '?' => rest[at + 1..].starts_with(char::is_whitespace),
            '。' | '！' | '？' => true,
            _ => false,
        };
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, letter)| at + letter.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence.trim())
    })
}

/// Whether a sentence demands something.
fn is_demand(text: &str) -> bool {
    let words =
        ["must", "shall", "should", "needs", "required", "muss", "müssen", "soll", "sollen", "debe", "doit", "doivent"];
    let lower = text.to_lowercase();
    let has_word = lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| words.contains(&word));
    has_word || ["해야", "必须", "必須", "なければならない"].iter().any(|piece| lower.contains(piece))
}

/// One line, without what would make it another block, and not too long.
fn shortened(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|letter| !letter.is_control()));
    }
    match line.chars().count() > LINE {
        true => line.chars().take(LINE - 1).chain(['…']).collect(),
        false => line,
    }
}
