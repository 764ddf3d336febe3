//! Which words are names, as far as capital letters and the sources themselves say.
//!
//! Owns what is known of capital letters over all sources together. A capital at the beginning of a sentence says
//! little, and in German every noun has one: so a word counts as a name if a capital stands where none is needed.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::dates::plain_digits;
use super::limits;
use super::read::{Block, Document};
use super::sentences::sentences;
use super::units;
use super::vocabulary::{self, Part};
use super::words::{self, Language, Script, Word};

/// What all sources together say about the capitals of words.
#[derive(Debug, Default)]
pub(crate) struct Names {
    capital_inside: HashSet<String>,
    lower: HashSet<String>,
    with_legal_form: HashSet<String>,
    /// Kinds of things, with the languages in which sources speak of them.
    kinds: HashMap<String, Vec<Language>>,
    /// Words with a capital at a beginning, and how many sources have them so.
    begins: HashMap<String, BTreeSet<usize>>,
    /// The names that stand beside a common word, over all sources: Kilmorna beside harbour.
    beside: HashMap<String, BTreeSet<String>>,
}

/// Where in its sentence a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Beginning,
    Inside,
}

impl Names {
    pub(crate) fn of(documents: &[Document]) -> Self {
        let mut names = Self::default();
        for (index, document) in documents.iter().enumerate() {
            let language = document.language;
            for block in &document.blocks {
                if let Block::Heading { text, .. } = block {
                    names.take_beside(text, language);
                }
                if let Block::Prose(pieces) = block {
                    for sentence in
                        sentences(pieces).iter().filter(|sentence| sentence.text.len() <= limits::CLAIM_BYTES)
                    {
                        names.take(&sentence.text, language, index);
                    }
                }
            }
        }
        names
    }

    /// The name that a common word is of, where it is only ever of one: `the harbour` is Kilmorna Harbour.
    pub(crate) fn implied(&self, words: &BTreeSet<String>) -> BTreeSet<String> {
        let of = |word: &String| self.beside.get(word).filter(|names| names.len() == 1);
        words.iter().filter(|word| self.lower.contains(*word)).filter_map(of).flatten().cloned().collect()
    }

    /// The languages of sources that speak of such a kind of thing.
    pub(crate) fn tongues_of(&self, kind: &str) -> &[Language] {
        self.kinds.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Notes which names stand beside which kinds of things, in front or behind: `Kilmorna Harbour`, `cantina Montechiaro`.
    fn take_beside(&mut self, text: &str, language: Language) {
        if language == Language::German {
            return;
        }
        let chars: Vec<char> = text.chars().collect();
        let words = words::words(&chars);
        let is_spaced = |word: &&Word| word.script == Script::Spaced;
        let told: Vec<&Word> =
            words.iter().filter(is_spaced).filter(|word| !words::is_stop(&word.text.to_lowercase())).collect();
        // English has the name in front, Romance and Slavic languages behind, with small words between.
        let is_in_front = matches!(language, Language::English | Language::Dutch | Language::Unknown);
        for (index, word) in told.iter().enumerate() {
            let Some(kind) = words::key(word).filter(|key| vocabulary::is_kind(key)) else { continue };
            let beside = match is_in_front {
                true => index.checked_sub(1).map(|at| told[at]).filter(|one| one.end + 1 == word.start),
                false => told.get(index + 1).copied().filter(|one| one.start.saturating_sub(word.end) <= 8),
            };
            let named = beside.filter(|one| words::is_capitalised(&one.text)).and_then(words::key);
            let is_name = |key: &String| !vocabulary::is_common(key) && !vocabulary::is_kind(key);
            self.beside.entry(kind).or_default().extend(named.filter(is_name));
        }
    }

    fn take(&mut self, text: &str, language: Language, source: usize) {
        self.take_beside(text, language);
        let chars: Vec<char> = text.chars().collect();
        let words = words::words(&chars);
        for (index, word) in words.iter().enumerate() {
            if word.script != Script::Spaced {
                continue;
            }
            let Some(key) = words::key(word) else { continue };
            if vocabulary::is_kind(&key) {
                let known = self.kinds.entry(key.clone()).or_default();
                known.extend((!known.contains(&language)).then_some(language));
            }
            if words.get(index + 1).is_some_and(|next| is_legal_form(&next.text)) {
                self.with_legal_form.insert(key.clone());
            }
            if !words::is_capitalised(&word.text) {
                self.lower.insert(key);
            } else if language == Language::German {
                // Bäckerei Kornblum: behind a kind of thing stands what it is called.
                let kind = index.checked_sub(1).and_then(|at| words::key(&words[at]));
                let is_behind =
                    kind.is_some_and(|kind| vocabulary::is_kind(&kind)) && words[index - 1].end + 1 == word.start;
                if is_behind && !vocabulary::is_common(&key) && !vocabulary::is_kind(&key) {
                    self.capital_inside.insert(key);
                }
            } else if index > 0 && !follows_stop(&chars, word.start) {
                self.capital_inside.insert(key);
            } else {
                self.begins.entry(key).or_default().insert(source);
            }
        }
    }

    pub(crate) fn is_name(&self, word: &Word, key: &str, at: At, language: Language) -> bool {
        // Scripts without capitals: a long word is rarely a common one.
        let length = word.text.chars().count();
        match word.script {
            Script::Katakana => return true,
            Script::Han | Script::Hangul if !vocabulary::is_common(key) => return length >= 4,
            _ => {}
        }
        if vocabulary::is_common(key) || !words::is_capitalised(&word.text) {
            return false;
        }
        if self.is_known(key) || is_acronym(&word.text) {
            return true;
        }
        match (at, language) {
            (_, Language::German) => false,
            (At::Inside, _) => true,
            // "Acme had 120 employees": no article, no plural, and never written small.
            (At::Beginning, _) => !self.lower.contains(key) && word.text.to_lowercase() == key,
        }
    }

    /// Whether a word is a name wherever it stands, also in a heading, where every word may have a capital.
    pub(crate) fn is_known(&self, key: &str) -> bool {
        // What begins sentences of several sources and is never written small is a name, too.
        let is_begun = || self.begins.get(key).is_some_and(|sources| sources.len() > 1);
        let is_capital = self.capital_inside.contains(key) || is_begun();
        is_capital && !self.lower.contains(key) || self.with_legal_form.contains(key)
    }
}

/// The words of a sentence that can say what it is about.
pub(crate) fn named_in(text: &str) -> BTreeSet<String> {
    let chars = plain_digits(text);
    let part = |word: &Word| {
        let key = words::key(word)?;
        let lower = word.text.to_lowercase();
        if units::unit(&lower).is_some() || units::scale(&lower).is_some() {
            return None;
        }
        match vocabulary::part(&key, &lower) {
            Part::Subject(made) if !vocabulary::is_common(&made) || vocabulary::is_kind(&made) => Some(made),
            _ => None,
        }
    };
    words::words(&chars).iter().filter_map(part).collect()
}

/// A capital behind a full stop, a colon or an opening quote is that of a beginning.
fn follows_stop(chars: &[char], start: usize) -> bool {
    let before = (0..start).rev().map(|index| chars[index]).find(|c| *c != ' ');
    before
        .is_none_or(|c| matches!(c, '.' | ':' | '!' | '?' | '“' | '"' | '«' | '„' | '•' | '–' | '—' | '(' | '¿' | '¡'))
}

fn is_acronym(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters > 1 && text.chars().all(|c| !c.is_lowercase())
}

fn is_legal_form(text: &str) -> bool {
    matches!(
        text,
        "GmbH"
            | "AG"
            | "KG"
            | "Inc"
            | "Ltd"
            | "LLC"
            | "plc"
            | "PLC"
            | "Corp"
            | "SA"
            | "SARL"
            | "SE"
            | "BV"
            | "SpA"
            | "Oy"
            | "AB"
    )
}
