//! Some rows of a catalog that stand beside each other, with the words that are in them: what an index is made of. It is
//! known by the digest of the rows it was made from, never changes, and can be used as it lies in a file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::entry::Entry;
use crate::packed::{Packer, Unpacker, fixed_at};
use crate::terms::search_terms;

/// What begins the text of a field, so that it is no word.
const FIELD: char = '\u{1}';
/// Where the tables begin: behind the number of rows, the number of terms and the place of the terms.
const HEADER: usize = 12;
/// What one row takes in the table of rows: its place, and how much it says.
const ROW: usize = 8;
/// What one term takes in the table of terms: its place, and that of its rows.
const TERM: usize = 8;
/// Weights are kept in parts of this.
const PARTS: f64 = 16.0;
/// The most terms that stand for the beginning of a word.
const BEGINNINGS: usize = 64;

/// What tells the rows of one shelf from those of another.
pub(crate) type Digest = [u8; 16];

/// Rows and their words.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    pub(crate) digest: Digest,
    bytes: Arc<[u8]>,
    range: Range<usize>,
}

impl Shelf {
    /// Of rows that were read; a row that names no file keeps its place.
    pub(crate) fn new(digest: Digest, entries: &[Entry]) -> Self {
        let mut words: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        let mut lengths = Vec::with_capacity(entries.len());
        for (row, entry) in entries.iter().enumerate() {
            let mut own: BTreeMap<String, f64> = BTreeMap::new();
            if entry.is_listed() {
                search_terms(&entry.text())
                    .into_iter()
                    .for_each(|term| *own.entry(term.text).or_default() += term.weight);
            }
            lengths.push(own.values().sum::<f64>());
            if entry.is_listed() {
                own.extend(fields(entry).map(|text| (text, 1.0)));
            }
            for (text, weight) in own {
                words.entry(text).or_default().push((row, weight));
            }
        }
        let bytes: Arc<[u8]> = packed(entries, &lengths, &words).into();
        Self { digest, range: 0..bytes.len(), bytes }
    }

    /// As it lies in a file; nothing if its tables are not whole.
    pub(crate) fn within(digest: Digest, bytes: &Arc<[u8]>, range: Range<usize>) -> Option<Self> {
        bytes.get(range.clone())?;
        let this = Self { digest, bytes: Arc::clone(bytes), range };
        let terms_end = this.terms_at()?.checked_add(this.terms()?.checked_mul(TERM)?)?;
        let rows_end = HEADER.checked_add(this.rows()?.checked_mul(ROW)?)?;
        (terms_end <= this.bytes().len() && rows_end <= this.bytes().len()).then_some(this)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }

    /// How many rows there are, those that name no file counted.
    pub(crate) fn row_count(&self) -> usize {
        self.rows().unwrap_or_default()
    }

    fn rows(&self) -> Option<usize> {
        fixed_at(self.bytes(), 0)
    }

    fn terms(&self) -> Option<usize> {
        fixed_at(self.bytes(), 4)
    }

    fn terms_at(&self) -> Option<usize> {
        fixed_at(self.bytes(), 8)
    }

    /// How much a row says.
    pub(crate) fn length(&self, row: usize) -> f64 {
        fixed_at(self.bytes(), HEADER + row * ROW + 4).unwrap_or_default() as f64 / PARTS
    }

    /// A row, if it names a file.
    pub(crate) fn entry(&self, row: usize) -> Option<Entry> {
        if row >= self.row_count() {
            return None;
        }
        let at = fixed_at(self.bytes(), HEADER + row * ROW)?;
        let mut reader = Unpacker::new(self.bytes(), at);
        let mut text = || reader.text().map(str::to_owned);
        let mut entry = Entry {
            path: text()?,
            summary: text()?,
            kind: text()?,
            run: text()?,
            phase: text()?,
            lineage: text()?,
            task: text()?,
            sources: Vec::new(),
        };
        for _ in 0..reader.size()? {
            entry.sources.push(reader.text()?.to_owned());
        }
        entry.is_listed().then_some(entry)
    }

    /// The rows that have a word, and how much of it.
    pub(crate) fn with(&self, word: &str) -> Postings<'_> {
        match self.first_at_least(word) {
            Some(place) if self.term(place) == Some(word) => self.postings(place),
            _ => Postings::default(),
        }
    }

    /// The rows that have a word which begins so, word by word; the word itself left out.
    pub(crate) fn beginning(&self, word: &str) -> impl Iterator<Item = Postings<'_>> {
        let first = self.first_at_least(word).unwrap_or(usize::MAX);
        let places = (first..first.saturating_add(BEGINNINGS)).map_while(|place| Some((place, self.term(place)?)));
        let fitting = places.take_while(|(_, term)| term.starts_with(word));
        // A stem stands for its words already.
        let others = fitting.filter(|(_, term)| term.len() > word.len() && !term.ends_with('…'));
        others.map(|(place, _)| self.postings(place)).collect::<Vec<_>>().into_iter()
    }

    /// The place of the first term that is not before a word.
    fn first_at_least(&self, word: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.terms()?);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.term(middle)? < word {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Some(low)
    }

    fn term(&self, place: usize) -> Option<&str> {
        if place >= self.terms()? {
            return None;
        }
        let at = fixed_at(self.bytes(), self.terms_at()? + place * TERM)?;
        Unpacker::new(self.bytes(), at).text()
    }

    fn postings(&self, place: usize) -> Postings<'_> {
        let at = self.terms_at().and_then(|terms| fixed_at(self.bytes(), terms + place * TERM + 4));
        let Some(at) = at else { return Postings::default() };
        let mut reader = Unpacker::new(self.bytes(), at);
        let left = reader.size().unwrap_or_default().min(self.row_count());
        Postings { reader: Some(reader), left, row: 0, rows: self.row_count() }
    }
}

/// Rows that have a word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Postings<'a> {
    reader: Option<Unpacker<'a>>,
    left: usize,
    row: usize,
    rows: usize,
}

impl Postings<'_> {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.left
    }
}

impl Iterator for Postings<'_> {
    type Item = (usize, f64);

    fn next(&mut self) -> Option<(usize, f64)> {
        self.left = self.left.checked_sub(1)?;
        let reader = self.reader.as_mut()?;
        self.row = self.row.checked_add(reader.size()?)?;
        let weight = reader.number()? as f64 / PARTS;
        (self.row < self.rows).then_some((self.row, weight))
    }
}

/// A field as a term.
pub(crate) fn field(name: &str, value: &str) -> String {
    format!("{FIELD}{name}={}", crate::terms::folded(value.trim()))
}

fn fields(entry: &Entry) -> impl Iterator<Item = String> {
    let all = [
        ("type", &entry.kind),
        ("run", &entry.run),
        ("phase", &entry.phase),
        ("lineage", &entry.lineage),
        ("task", &entry.task),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| field(name, value))
}

fn packed(entries: &[Entry], lengths: &[f64], words: &BTreeMap<String, Vec<(usize, f64)>>) -> Vec<u8> {
    let mut packer = Packer::default();
    let tables = HEADER + entries.len() * ROW;
    let mut bodies = Packer::default();
    let mut rows = Packer::default();
    for (entry, length) in entries.iter().zip(lengths) {
        rows.fixed(tables + words.len() * TERM + bodies.0.len());
        rows.fixed((length * PARTS).round() as usize);
        let Entry { path, summary, kind, run, phase, lineage, task, sources } = entry;
        [path, summary, kind, run, phase, lineage, task].into_iter().for_each(|text| bodies.text(text));
        bodies.number(sources.len() as u64);
        sources.iter().for_each(|source| bodies.text(source));
    }
    let mut terms = Packer::default();
    for (text, places) in words {
        terms.fixed(tables + words.len() * TERM + bodies.0.len());
        bodies.text(text);
        terms.fixed(tables + words.len() * TERM + bodies.0.len());
        bodies.number(places.len() as u64);
        let mut before = 0;
        for (row, weight) in places {
            bodies.number((row - before) as u64);
            bodies.number((weight * PARTS).round().max(1.0) as u64);
            before = *row;
        }
    }
    packer.fixed(entries.len());
    packer.fixed(words.len());
    packer.fixed(tables);
    for part in [rows, terms, bodies] {
        packer.0.extend(part.0);
    }
    packer.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, summary: &str) -> Entry {
        let sources = vec!["data/a.md".into()];
        Entry { path: path.into(), summary: summary.into(), kind: "DRAFT".into(), sources, ..Entry::default() }
    }

    #[test]
    fn rows_come_back_and_are_found_by_their_words() {
        let entries =
            [entry("data/prices.csv", "Prices of boats"), Entry::default(), entry("보고서.md", "조선소 매출")];
        let shelf = Shelf::new([1; 16], &entries);
        assert_eq!(
            (0..4).map(|row| shelf.entry(row)).collect::<Vec<_>>(),
            [Some(entries[0].clone()), None, Some(entries[2].clone()), None]
        );
        let rows = |word: &str| shelf.with(word).map(|(row, _)| row).collect::<Vec<_>>();
        assert_eq!(
            (rows("boat"), rows("매출"), rows("draft"), rows("nothing")),
            (vec![0], vec![2], vec![0, 2], vec![])
        );
        assert_eq!(rows(&field("type", "Draft")), [0, 2]);
        let begins: Vec<_> = shelf.beginning("pri").flatten().map(|(row, _)| row).collect();
        assert_eq!(begins, [0]);
    }

    /// Bytes that are not what was written give nothing, and nothing worse.
    #[test]
    fn broken_bytes_are_survived() {
        let whole = Shelf::new([1; 16], &[entry("a/b.md", "one two three"), entry("c.md", "four five")]);
        let bytes = whole.bytes().to_vec();
        for at in 0..bytes.len() {
            for value in [0, 0x7f, 0xff] {
                let mut broken = bytes.clone();
                broken[at] = value;
                let broken: Arc<[u8]> = broken.into();
                let Some(shelf) = Shelf::within([1; 16], &broken, 0..bytes.len()) else { continue };
                for row in 0..shelf.row_count().min(9) {
                    let _ = (shelf.entry(row), shelf.length(row));
                }
                let _ = (shelf.with("one").count(), shelf.beginning("t").flatten().count());
            }
        }
    }
}
