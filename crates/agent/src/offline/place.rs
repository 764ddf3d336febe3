//! Where in a document a claim stands: its headings, its title, the name of its file, and the period that they say.
//!
//! Owns what a claim may leave unsaid because it stands around it. It must not know sentences or what is claimed.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::dates::{Period, dates, plain_digits};
use super::figures::Decimal;
use super::limits;
use super::names::{At, Names};
use super::read::{Block, Document};
use super::vocabulary::{self, Part};
use super::words::{self, Language, Word};

/// What stands around a claim: what its subject may leave unsaid.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// Words of headings, title, file name, and of the sentence before.
    pub(crate) words: BTreeSet<String>,
    /// Those of headings and title alone, heading by heading.
    pub(crate) headings: Vec<BTreeSet<String>>,
    /// Those of headings, title and file name that are names.
    pub(crate) names: BTreeSet<String>,
    /// All names that stand anywhere in the document.
    pub(crate) document: Arc<BTreeSet<String>>,
}

/// Where in a document a claim stands.
pub(crate) struct Place<'a> {
    pub(crate) path: &'a str,
    pub(crate) decimal: Decimal,
    pub(crate) names: &'a Names,
    pub(crate) language: Language,
    file: Heading,
    headings: Vec<Heading>,
    document: Arc<BTreeSet<String>>,
}

struct Heading {
    level: usize,
    words: BTreeSet<String>,
    /// With measures, which `words` leaves out.
    all: BTreeSet<String>,
    names: BTreeSet<String>,
    period: Option<Period>,
    is_plan: bool,
}

impl<'a> Place<'a> {
    pub(crate) fn new(document: &'a Document, names: &'a Names) -> Self {
        let name = document.path.rsplit('/').next().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['_', '-', '.'], " ");
        let mut file = heading(0, &stem, names);
        file.words.retain(|word| !NUMBERED.contains(&word.as_str()));
        Self {
            path: &document.path,
            decimal: document.decimal(),
            names,
            language: document.language,
            file,
            headings: Vec::new(),
            document: Arc::new(names_of(document, names)),
        }
    }

    pub(crate) fn enter(&mut self, level: usize, text: &str) {
        self.headings.retain(|one| one.level < level);
        // Below a title that names somebody, a lone word says what the section is about: `Staff`, `Energie`.
        let is_below_name = self.headings.iter().any(|one| !one.names.is_empty());
        let mut made = heading(level, text, self.names);
        if is_below_name {
            made.names.retain(|name| self.names.is_known(name));
        }
        self.headings.push(made);
    }

    pub(crate) fn surroundings(&self) -> Surroundings {
        let headings: Vec<BTreeSet<String>> = self.headings.iter().map(|one| one.words.clone()).collect();
        let names = self.headings.iter().flat_map(|one| &one.names).cloned();
        let of_file = self.file.words.iter().filter(|word| self.names.is_known(word)).cloned();
        let told: BTreeSet<String> = headings.iter().flatten().chain(&self.file.words).cloned().collect();
        let implied = if self.headings.iter().all(|one| one.names.is_empty()) {
            self.names.implied(&told)
        } else {
            BTreeSet::new()
        };
        Surroundings {
            words: told.into_iter().chain(implied).collect(),
            names: names.chain(of_file).collect(),
            headings,
            document: self.document.clone(),
        }
    }

    pub(crate) fn period(&self) -> Option<Period> {
        // The day of a meeting or of a letter is not the time of what is said there.
        let is_stretch = |period: &Period| !matches!(period, Period::Day(..));
        self.headings.iter().rev().find_map(|one| one.period).or(self.file.period).filter(is_stretch)
    }

    /// All words of the nearest heading, measures with them; without a heading, what the file's name says is done.
    pub(crate) fn nearest_heading(&self) -> BTreeSet<String> {
        let of_file = || self.file.all.iter().filter(|word| vocabulary::is_deed(word)).cloned().collect();
        self.headings.last().map_or_else(of_file, |one| one.all.clone())
    }

    /// Whether a heading says that what follows is intended.
    pub(crate) fn is_plan(&self) -> bool {
        self.headings.iter().any(|one| one.is_plan)
    }
}

/// The names in the sentences of a document.
fn names_of(document: &Document, names: &Names) -> BTreeSet<String> {
    let prose = document.blocks.iter().filter_map(|block| match block {
        Block::Prose(pieces) => Some(pieces),
        _ => None,
    });
    let mut found = BTreeSet::new();
    for text in prose.flatten().map(|piece| plain_digits(&piece.text)) {
        for word in words::words(&text) {
            let Some(key) = words::key(&word) else { continue };
            let at = if word.start == 0 { At::Beginning } else { At::Inside };
            if names.is_name(&word, &key, at, document.language) && found.len() < limits::NAMES {
                found.insert(key);
            }
        }
    }
    found
}

fn heading(level: usize, text: &str, names: &Names) -> Heading {
    let chars = plain_digits(text);
    let dates = dates(&chars);
    let period = if dates.len() == 1 { dates.first().map(|date| date.period) } else { None };
    let words = words::words(&chars);
    let keyed: Vec<(&Word, String)> = words.iter().filter_map(|word| words::key(word).map(|key| (word, key))).collect();
    let is_alone = keyed.len() == 1;
    let mut made =
        Heading { level, words: BTreeSet::new(), all: BTreeSet::new(), names: BTreeSet::new(), period, is_plan: false };
    // The month of a meeting says nothing of what is told there.
    let is_month = |word: &Word| super::dates::month(&word.text.to_lowercase()).is_some() && !dates.is_empty();
    for (word, key) in keyed.into_iter().filter(|(word, _)| !is_month(word)) {
        match vocabulary::part(&key, &word.text.to_lowercase()) {
            Part::Subject(subject) => {
                made.all.insert(subject.clone());
                if vocabulary::is_common(&subject) {
                    continue;
                }
                let is_lone_name = is_alone && level > 0 && words::is_capitalised(&word.text);
                if names.is_known(&key) || is_lone_name {
                    made.names.insert(subject.clone());
                }
                made.words.insert(subject);
            }
            // A planning committee speaks of what is, too.
            Part::Plan => made.is_plan |= !matches!(word.text.to_lowercase().as_str(), "planning" | "planung"),
            _ => {}
        }
    }
    made
}

/// Words of file names that only count the files, or say what kind of text they are.
const NUMBERED: [&str; 34] = [
    "email",
    "mail",
    "wiki",
    "newsletter",
    "minute",
    "faq",
    "brochure",
    "flyer",
    "blog",
    "post",
    "protokoll",
    "carta",
    "lettera",
    "verbale",
    "relazione",
    "giornale",
    "krant",
    "gazeta",
    "haber",
    "rapor",
    "one",
    "two",
    "three",
    "four",
    "five",
    "part",
    "copy",
    "draft",
    "final",
    "version",
    "houkoku",
    "shinbun",
    "baogao",
    "자료",
];
