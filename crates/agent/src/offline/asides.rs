//! What a sentence says beside its figure: when the thing began, and what it is besides (`… is the longest of the region`).
//!
//! Owns these turns. It must not know claims: it is given words and says where something else begins.

use super::dates::Dated;
use super::figures::Figure;
use super::vocabulary::{self, Part, has};
use super::words::{self, Script, Word};

/// The event that a date is of, if its word stands right before it: `founded in 1921`, `創業1923年`.
pub(crate) fn event_before(words: &[Word], date: &Dated) -> Option<(&'static str, Word)> {
    const BETWEEN: usize = 2;
    let before: Vec<&Word> = words.iter().rev().skip_while(|word| word.end > date.start).collect();
    let is_between = |word: &&&Word| words::is_stop(&word.text.to_lowercase());
    let skipped = before.iter().take(BETWEEN).take_while(is_between).count();
    let word = before.get(skipped)?;
    let gap = date.start - word.end;
    let is_near = if word.script == Script::Spaced { gap <= 16 } else { gap <= 1 };
    let key = words::key(word).unwrap_or_default();
    match vocabulary::part(&key, &word.text.to_lowercase()) {
        Part::Event(event) if is_near => Some((event, (*word).clone())),
        _ => None,
    }
}

/// Whether a word begins the second half of a sentence: `covers 38 hectares and opened in 1934`.
pub(crate) fn is_second_half(words: &[Word], event: &Word, figures: &[Figure]) -> bool {
    let before = words.iter().rev().find(|word| word.end <= event.start);
    let is_joined = before.is_some_and(|word| has("and und et y e i и en och", &word.text.to_lowercase()));
    is_joined && figures.iter().all(|figure| figure.end <= event.start)
}

/// The event that a date is of, if its word stands right behind it and then who did it: `in 1952 opgericht door zes boeren`.
pub(crate) fn event_behind(words: &[Word], date: &Dated) -> Option<(&'static str, Word)> {
    let mut behind = words.iter().skip_while(|word| word.start < date.end);
    let (word, by) = (behind.next()?, behind.next()?);
    let key = words::key(word).unwrap_or_default();
    match vocabulary::part(&key, &word.text.to_lowercase()) {
        Part::Event(event) if BY.contains(&by.text.as_str()) => Some((event, word.clone())),
        _ => None,
    }
}

/// Words before who did something.
pub(crate) const BY: [&str; 8] = ["by", "von", "par", "por", "da", "door", "przez", "يد"];

/// Where a sentence begins to say what its subject is besides, behind its last figure: `is the largest of the valley`.
pub(crate) fn predicate_at(words: &[Word], figures: &[Figure]) -> Option<usize> {
    let last = figures.iter().map(|figure| figure.end).max()?;
    let behind = words.iter().enumerate().filter(|(_, word)| word.start >= last);
    let lower = |index: usize| words.get(index).map(|word| word.text.to_lowercase()).unwrap_or_default();
    const IS: &str = "is are was were ist sind war waren est sont était es son era è sono é são jest";
    const WHO: &str = "it they he she es er sie il elle ella ello él esta este";
    // "With 386 beds it is the largest house": what stands behind the verb and its pronoun is said besides.
    const WITH: &str = "with mit con avec com met z";
    let opens_with = has(WITH, &lower(0))
        && figures.iter().any(|figure| words.iter().take(5).any(|word| figure.start <= word.end + 1));
    let mut found = None;
    for (index, word) in behind {
        let is_superlative = is_superlative(&lower(index), &lower(index.wrapping_sub(1)));
        let is_told = opens_with
            && has(WHO, &lower(index))
            && (has(IS, &lower(index.wrapping_sub(1))) || has(IS, &lower(index + 1)));
        if is_superlative || is_told {
            found = Some(word.start);
            break;
        }
    }
    found
}

/// `the longest`, `der größte`, `la mayor`, `le plus`.
fn is_superlative(lower: &str, before: &str) -> bool {
    const THE: &str = "the der die das den dem le la les el los las il lo gli o os as its his her sein ihr su";
    const WORDS: &str =
        "most least mayor menor mejor peor más plus maggiore minore migliore maior melhor only einzige seul única";
    let count = lower.chars().count();
    let is_english = count > 5
        && lower.ends_with("est")
        && !matches!(lower, "harvest" | "forest" | "interest" | "request" | "protest" | "contest");
    let is_german = count > 6
        && ["ste", "sten", "ster", "stes"].iter().any(|ending| lower.ends_with(ending))
        && lower.chars().next().is_some_and(char::is_lowercase);
    has(THE, before) && (has(WORDS, lower) || is_english || is_german)
}

/// Whether a word in a script without spaces only says what the subject is: `…28室の木造旅館だ`.
pub(crate) fn is_predicate(words: &[Word], index: usize, figures: &[Figure]) -> bool {
    let Some(word) = words.get(index).filter(|word| matches!(word.script, Script::Han | Script::Katakana)) else {
        return false;
    };
    let is_behind = figures.iter().any(|figure| figure.end <= word.start);
    let next = words.get(index + 1).filter(|next| next.script == Script::Hiragana && next.start == word.end);
    is_behind
        && next.is_some_and(|next| {
            ["だ", "です", "である", "であっ", "でし"].iter().any(|copula| next.text.starts_with(copula))
        })
}
