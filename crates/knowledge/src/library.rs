//! All catalogs of a project as one index: which rows there are, found by words, kept in one piece of bytes that can be
//! thrown away and made again. Rows lie on shelves that are known by their digest, so that a catalog in which a few rows
//! changed is read again only there. Must not know where the bytes are kept, or how a catalog is written.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::entry::Entry;
use crate::packed::{Packer, Unpacker};
use crate::shelf::{Digest, Shelf};

/// What the bytes begin with; a change of the format changes the number.
const MAGIC: &[u8; 8] = b"mvknow01";
/// How long the checksum at the end is.
const SUM: usize = 16;
/// A shelf has about this many rows: it ends behind a row whose digest says so.
const ABOUT: u64 = 512;
/// The fewest and the most rows of a shelf.
const FEWEST: usize = 64;
const MOST: usize = 2048;
/// So much of a row decides whether a shelf ends behind it.
const DECIDES: usize = 64;

/// The rows of all catalogs.
#[derive(Debug, Clone, Default)]
pub struct Library {
    catalogs: BTreeMap<String, Catalog>,
    plans: BTreeMap<String, Plan>,
}

/// One catalog.
#[derive(Debug, Clone)]
pub(crate) struct Catalog {
    note: Note,
    /// The line of its first row, from 1.
    first_line: usize,
    pub(crate) shelves: Vec<Shelf>,
}

/// A document that says which files are made of which.
#[derive(Debug, Clone)]
struct Plan {
    note: Note,
    links: Vec<Link>,
}

/// What a document was when it was read: enough to see that it still is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    /// How its file looked.
    pub stamp: String,
    /// The digest of its content.
    pub digest: String,
}

/// One file that is made of others, as a plan says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// The run.
    pub run: String,
    /// The task.
    pub task: String,
    /// The file that it leaves.
    pub output: String,
    /// The files that it reads.
    pub inputs: Vec<String>,
}

/// The rows of a catalog as they are written.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// What decides how rows are read: the document's path and its header.
    pub context: &'a [u8],
    /// The document.
    pub text: &'a [u8],
    /// Where each row stands in it.
    pub spans: &'a [Range<usize>],
    /// The line of the first row, from 1.
    pub first_line: usize,
}

/// How much of a catalog was read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Renewed {
    /// Rows that were read.
    pub read: usize,
    /// Rows that were as before.
    pub kept: usize,
}

/// Bytes that are no library: cut, changed, or of another version. What they held is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

impl Library {
    /// What a catalog or a plan was when it was read.
    pub fn note(&self, document: &str) -> Option<&Note> {
        let catalog = self.catalogs.get(document).map(|catalog| &catalog.note);
        catalog.or_else(|| self.plans.get(document).map(|plan| &plan.note))
    }

    /// The document is as it was read; only its file looks different.
    pub fn renote(&mut self, document: &str, note: Note) {
        if let Some(catalog) = self.catalogs.get_mut(document) {
            catalog.note = note;
        } else if let Some(plan) = self.plans.get_mut(document) {
            plan.note = note;
        }
    }

    /// Takes a catalog in; only rows that are on no shelf are read.
    pub fn renew(
        &mut self,
        document: &str,
        note: Note,
        rows: Rows<'_>,
        read: &mut dyn FnMut(usize) -> Option<Entry>,
    ) -> Renewed {
        let known: HashMap<Digest, Shelf> = self
            .catalogs
            .get(document)
            .into_iter()
            .flat_map(|catalog| &catalog.shelves)
            .map(|shelf| (shelf.digest, shelf.clone()))
            .collect();
        let mut renewed = Renewed::default();
        let mut shelves = Vec::new();
        for range in cut(&rows) {
            let digest = digest(&rows, &range);
            match known.get(&digest) {
                Some(shelf) => {
                    renewed.kept += range.len();
                    shelves.push(shelf.clone());
                }
                None => {
                    renewed.read += range.len();
                    let entries: Vec<Entry> = range.map(|row| read(row).unwrap_or_default()).collect();
                    shelves.push(Shelf::new(digest, &entries));
                }
            }
        }
        self.catalogs.insert(document.to_owned(), Catalog { note, first_line: rows.first_line, shelves });
        renewed
    }

    /// Takes a plan in.
    pub fn renew_plan(&mut self, document: &str, note: Note, links: Vec<Link>) {
        self.plans.insert(document.to_owned(), Plan { note, links });
    }

    /// Forgets the catalogs that are not among these; says whether there were any.
    pub fn keep_catalogs(&mut self, is_kept: impl Fn(&str) -> bool) -> bool {
        let before = self.catalogs.len();
        self.catalogs.retain(|document, _| is_kept(document));
        before != self.catalogs.len()
    }

    /// Forgets the plans that are not among these; says whether there were any.
    pub fn keep_plans(&mut self, is_kept: impl Fn(&str) -> bool) -> bool {
        let before = self.plans.len();
        self.plans.retain(|document, _| is_kept(document));
        before != self.plans.len()
    }

    /// The catalogs, by path.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.catalogs.keys().map(String::as_str)
    }

    /// Every row that names a file: its catalog, its line, and what it says.
    pub fn entries(&self) -> impl Iterator<Item = (&str, usize, Entry)> {
        self.shelves().flat_map(|(document, first, shelf)| {
            (0..shelf.row_count()).filter_map(move |row| Some((document, first + row, shelf.entry(row)?)))
        })
    }

    /// What plans say is made of what.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.plans.values().flat_map(|plan| &plan.links)
    }

    /// How many rows there are, those that name no file counted.
    pub fn row_count(&self) -> usize {
        self.shelves().map(|(.., shelf)| shelf.row_count()).sum()
    }

    /// All shelves with their catalog and the line of their first row.
    pub(crate) fn shelves(&self) -> impl Iterator<Item = (&str, usize, &Shelf)> {
        self.catalogs.iter().flat_map(|(document, catalog)| {
            let mut line = catalog.first_line;
            catalog.shelves.iter().map(move |shelf| {
                let first = line;
                line += shelf.row_count();
                (document.as_str(), first, shelf)
            })
        })
    }

    /// As bytes that [`Library::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut list = Packer::default();
        let mut shelves: Vec<&Shelf> = Vec::new();
        list.number(self.catalogs.len() as u64);
        for (document, catalog) in &self.catalogs {
            [document, &catalog.note.stamp, &catalog.note.digest].into_iter().for_each(|text| list.text(text));
            list.number(catalog.first_line as u64);
            list.number(catalog.shelves.len() as u64);
            for shelf in &catalog.shelves {
                list.0.extend(shelf.digest);
                list.number(shelf.bytes().len() as u64);
                shelves.push(shelf);
            }
        }
        list.number(self.plans.len() as u64);
        for (document, plan) in &self.plans {
            [document, &plan.note.stamp, &plan.note.digest].into_iter().for_each(|text| list.text(text));
            list.number(plan.links.len() as u64);
            for Link { run, task, output, inputs } in &plan.links {
                [run, task, output].into_iter().for_each(|text| list.text(text));
                list.number(inputs.len() as u64);
                inputs.iter().for_each(|input| list.text(input));
            }
        }
        let mut bytes = Packer(MAGIC.to_vec());
        bytes.bytes(&list.0);
        shelves.iter().for_each(|shelf| bytes.0.extend_from_slice(shelf.bytes()));
        let sum = sum(&bytes.0);
        bytes.0.extend(sum);
        bytes.0
    }

    /// Reads what [`Library::to_bytes`] wrote. Rows are not copied: they are read when somebody asks for them.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Broken> {
        let end = bytes.len().checked_sub(SUM).ok_or(Broken)?;
        if !bytes.starts_with(MAGIC) || sum(&bytes[..end])[..] != bytes[end..] {
            return Err(Broken);
        }
        Self::decoded(&bytes.into()).ok_or(Broken)
    }

    fn decoded(bytes: &Arc<[u8]>) -> Option<Self> {
        let mut outer = Unpacker::new(bytes, MAGIC.len());
        let list = outer.bytes()?;
        let mut at = outer.at;
        let mut list = Unpacker::new(list, 0);
        let mut this = Self::default();
        for _ in 0..list.size()? {
            let document = list.text()?.to_owned();
            let note = note(&mut list)?;
            let first_line = list.size()?;
            let mut shelves = Vec::new();
            for _ in 0..list.size()? {
                let (digest, length) = (list.array()?, list.size()?);
                let end = at.checked_add(length)?;
                shelves.push(Shelf::within(digest, bytes, at..end)?);
                at = end;
            }
            this.catalogs.insert(document, Catalog { note, first_line, shelves });
        }
        for _ in 0..list.size()? {
            let document = list.text()?.to_owned();
            let note = note(&mut list)?;
            let mut links = Vec::new();
            for _ in 0..list.size()? {
                let mut text = || list.text().map(str::to_owned);
                let mut link = Link { run: text()?, task: text()?, output: text()?, inputs: Vec::new() };
                for _ in 0..list.size()? {
                    link.inputs.push(list.text()?.to_owned());
                }
                links.push(link);
            }
            this.plans.insert(document, Plan { note, links });
        }
        Some(this)
    }
}

fn note(list: &mut Unpacker<'_>) -> Option<Note> {
    Some(Note { stamp: list.text()?.to_owned(), digest: list.text()?.to_owned() })
}

fn sum(bytes: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..SUM]);
    sum
}

/// Which rows share a shelf. Where one ends is said by the rows themselves: one that comes or goes moves no other border.
fn cut(rows: &Rows<'_>) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for (row, span) in rows.spans.iter().enumerate() {
        let count = row + 1 - start;
        let text = rows.text.get(span.clone()).unwrap_or_default();
        let is_border = count >= FEWEST && spread(&text[..text.len().min(DECIDES)]).is_multiple_of(ABOUT);
        if is_border || count >= MOST {
            ranges.push(start..row + 1);
            start = row + 1;
        }
    }
    if start < rows.spans.len() {
        ranges.push(start..rows.spans.len());
    }
    ranges
}

/// A number that bytes spread over evenly enough (FNV).
fn spread(bytes: &[u8]) -> u64 {
    let mut number = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        number = (number ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    number >> 20
}

fn digest(rows: &Rows<'_>, range: &Range<usize>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(rows.context.len() as u64).to_le_bytes()).update(rows.context);
    for span in &rows.spans[range.clone()] {
        let row = rows.text.get(span.clone()).unwrap_or_default();
        hasher.update(&(row.len() as u64).to_le_bytes()).update(row);
    }
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A catalog of one file a line.
    fn take_in(library: &mut Library, text: &str) -> Renewed {
        let mut at = 0;
        let lines: Vec<&str> = text.lines().collect();
        let spans: Vec<Range<usize>> = lines
            .iter()
            .map(|line| {
                at += line.len() + 1;
                at - line.len() - 1..at - 1
            })
            .collect();
        let rows = Rows { context: b"c.md", text: text.as_bytes(), spans: &spans, first_line: 5 };
        let mut read = |row: usize| Some(Entry { path: lines[row].into(), ..Entry::default() });
        library.renew("c.md", Note::default(), rows, &mut read)
    }

    fn lines(count: usize) -> String {
        (0..count).map(|number| format!("data/{number}-{}.md\n", number * 7919 % 1000)).collect()
    }

    /// LN-10, QL-09: only what changed is read again, wherever in a catalog it stands.
    #[test]
    fn a_row_that_changes_has_few_others_read_again() {
        let mut library = Library::default();
        let text = lines(20_000);
        assert_eq!(take_in(&mut library, &text), Renewed { read: 20_000, kept: 0 });
        assert_eq!(take_in(&mut library, &text), Renewed { read: 0, kept: 20_000 });
        for changed in [
            text.replacen("data/10000-", "data/ten-thousand-", 1),
            format!("new.md\n{text}"),
            format!("{text}new.md\n"),
            text.replacen(&lines(3)[..], "", 1),
        ] {
            let mut library = library.clone();
            let renewed = take_in(&mut library, &changed);
            assert!(renewed.read > 0 && renewed.read <= 2 * MOST, "{renewed:?}");
            let mut fresh = Library::default();
            take_in(&mut fresh, &changed);
            assert!(library.entries().eq(fresh.entries()), "what is kept is what is there");
        }
        let places: Vec<usize> = library.entries().map(|(_, line, _)| line).collect();
        assert_eq!(places, (5..20_005).collect::<Vec<_>>());
    }

    #[test]
    fn it_comes_back_from_its_bytes() {
        let mut library = Library::default();
        take_in(&mut library, &lines(300));
        let link = Link { output: "o".into(), inputs: vec!["a".into(), "b".into()], ..Link::default() };
        library.renew_plan("t.md", Note { stamp: "1".into(), digest: "2".into() }, vec![link.clone()]);
        let back = Library::from_bytes(library.to_bytes()).unwrap();
        assert!(back.entries().eq(library.entries()));
        assert_eq!(back.links().collect::<Vec<_>>(), [&link]);
        assert_eq!(back.note("t.md").map(|note| note.stamp.as_str()), Some("1"));
        assert_eq!(back.to_bytes(), library.to_bytes());
        assert_eq!(Library::from_bytes(Library::default().to_bytes()).unwrap().row_count(), 0);
    }

    /// A broken index is known as such, wherever it is broken.
    #[test]
    fn broken_bytes_are_no_library() {
        let mut library = Library::default();
        take_in(&mut library, &lines(100));
        let bytes = library.to_bytes();
        for at in (0..bytes.len()).step_by(7) {
            let mut broken = bytes.clone();
            broken[at] ^= 0x20;
            assert!(Library::from_bytes(broken).is_err(), "{at}");
            assert!(Library::from_bytes(bytes[..at].to_vec()).is_err(), "cut at {at}");
            // And where the sum is right, the rest may still be nonsense.
            let mut signed = bytes.clone();
            signed[at] ^= 0x20;
            let end = signed.len() - SUM;
            let right = sum(&signed[..end]);
            signed[end..].copy_from_slice(&right);
            if let Ok(library) = Library::from_bytes(signed) {
                let _ = library.entries().take(1000).count();
            }
        }
    }
}
