//! Phrases that recur: names and runs of content words that stand in several sentences.
//!
//! Owns the counting. It must not know what a phrase means; the place is that of its first mention.

use std::collections::BTreeMap;

use super::limits;
use super::paper::{Cite, Row};
use super::read::{Block, Document, is_record};
use super::sentences::sentences;
use super::units;
use super::vocabulary::{self, Part};
use super::words::{self, Script, Word};

struct Seen {
    shown: String,
    count: usize,
    cite: Cite,
}

/// The phrases that recur most, longest first where they recur alike, each with the place of its first mention.
pub(crate) fn phrases(documents: &[Document]) -> Vec<Row> {
    let mut seen: BTreeMap<Vec<String>, Seen> = BTreeMap::new();
    for document in documents {
        for block in &document.blocks {
            let Block::Prose(pieces) = block else { continue };
            for sentence in sentences(pieces).into_iter().filter(|one| !is_record(&one.text)) {
                let chars: Vec<char> = sentence.text.chars().collect();
                for run in runs(&chars) {
                    for length in 1..=run.len().min(3) {
                        for part in run.windows(length) {
                            let line = sentence.line_at(part[0].0.start);
                            count(&mut seen, &chars, part, Cite::new(&document.path, line));
                        }
                    }
                }
            }
        }
    }
    chosen(seen)
}

/// Runs of content words with nothing but a space between them.
fn runs(chars: &[char]) -> Vec<Vec<(Word, String)>> {
    let mut found: Vec<Vec<(Word, String)>> = Vec::new();
    let mut end = usize::MAX;
    for word in words::words(chars) {
        let key = words::key(&word);
        let touches = end != usize::MAX
            && chars[end..word.start].iter().all(|c| *c == ' ')
            && word.start - end <= 1
            && !matches!(word.script, Script::Han | Script::Katakana);
        end = word.end;
        let Some(key) = key.filter(|key| can_be_phrase(&word, key)) else {
            end = usize::MAX;
            continue;
        };
        match found.last_mut() {
            Some(run) if touches => run.push((word, key)),
            _ => found.push(vec![(word, key)]),
        }
    }
    found
}

/// Verbs, units and words that add nothing are no phrases.
fn can_be_phrase(word: &Word, key: &str) -> bool {
    let lower = word.text.to_lowercase();
    matches!(vocabulary::part(key, &lower), Part::Subject(_))
        && units::unit(&lower).is_none()
        && units::scale(&lower).is_none()
        && !vocabulary::is_generic(key)
        && !matches!(lower.as_str(), "one" | "two" | "three" | "four" | "five" | "ten")
}

fn count(seen: &mut BTreeMap<Vec<String>, Seen>, chars: &[char], part: &[(Word, String)], cite: Cite) {
    let keys: Vec<String> = part.iter().map(|(_, key)| key.clone()).collect();
    let (first, last) = (&part[0].0, &part[part.len() - 1].0);
    let mut shown: String = chars[first.start..last.end].iter().collect();
    if last.script == Script::Hangul
        && let Some((_, key)) = part.last()
    {
        // The particle belongs to the sentence, not to the phrase.
        let front: String = chars[first.start..last.start].iter().collect();
        shown = format!("{front}{key}");
    }
    let one = seen.entry(keys).or_insert(Seen { shown: words::bare(&shown), count: 0, cite });
    one.count += 1;
}

fn chosen(seen: BTreeMap<Vec<String>, Seen>) -> Vec<Row> {
    let counts: BTreeMap<Vec<String>, usize> = seen.iter().map(|(keys, one)| (keys.clone(), one.count)).collect();
    // A part that never stands without the longer phrase says nothing of its own.
    let is_part = |keys: &[String], count: usize| {
        counts.iter().any(|(longer, times)| {
            longer.len() > keys.len() && *times == count && longer.windows(keys.len()).any(|part| part == keys)
        })
    };
    let mut all: Vec<(Vec<String>, Seen)> = seen.into_iter().filter(|(_, one)| one.count > 1).collect();
    all.sort_by(|(keys, one), (other_keys, other)| {
        let weight = |keys: &[String], one: &Seen| one.count * (keys.len() + 1);
        weight(other_keys, other).cmp(&weight(keys, one)).then(keys.cmp(other_keys))
    });
    all.truncate(limits::PHRASES * 8);
    all.retain(|(keys, one)| !is_part(keys, one.count));
    all.into_iter()
        .take(limits::PHRASES)
        .map(|(_, one)| Row { cells: vec![one.shown, one.count.to_string()], cites: vec![one.cite] })
        .collect()
}
