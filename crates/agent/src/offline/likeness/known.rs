//! Folders whose contradictions are known: their documents, and which figures are meant by the words of `truth.txt`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::offline::analysis::all_claims;
use crate::offline::contradictions::{Contradiction, contradictions};
use crate::offline::mentions::{Mention, mentions};
use crate::offline::read::{Extent, document};

/// One side of a known pair: file, line, and the words that hold the figure.
pub(super) struct Side {
    pub(super) path: String,
    line: usize,
    pub(super) words: String,
}

impl Side {
    fn is_at(&self, mention: &Mention) -> bool {
        mention.path == self.path && mention.lines.0 <= self.line && self.line <= mention.lines.1
    }

    /// Whether it is this figure: of several in its line the one that stands in the words.
    pub(super) fn is_of(&self, mention: &Mention, all: &[Mention]) -> bool {
        let is_in = |one: &Mention| self.words.contains(one.written.as_str());
        self.is_at(mention) && (is_in(mention) || !all.iter().any(|one| self.is_at(one) && is_in(one)))
    }

    /// Whether a contradiction cites it.
    pub(super) fn is_cited(&self, path: &str, lines: (usize, usize)) -> bool {
        self.path == path && lines.0 <= self.line && self.line <= lines.1
    }
}

/// A folder that was read, and what is known of it.
pub(super) struct Known {
    pub(super) name: String,
    pub(super) pairs: Vec<(Side, Side)>,
    pub(super) found: Vec<Contradiction>,
    pub(super) mentions: Vec<Mention>,
}

/// The folders beside the tests, or those that the variable `MULTIVERSE_FOLDERS` names a place of.
pub(super) fn folders() -> Vec<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/folders");
    let place = std::env::var_os("MULTIVERSE_FOLDERS").map_or_else(beside, PathBuf::from);
    let more = std::env::var_os("MULTIVERSE_MORE").map(PathBuf::from);
    let all = [place].into_iter().chain(more).flat_map(|place| fs::read_dir(place).unwrap());
    let mut found: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.join("truth.txt").is_file());
    found.sort();
    found
}

impl Known {
    pub(super) fn read(folder: &Path) -> Self {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder.join("assets")).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let read = |path: &PathBuf| document(&name(path), &fs::read(path).unwrap(), Extent::Whole).ok();
        let documents: Vec<_> = paths.iter().filter_map(read).collect();
        let side = |file: &str, words: &str| {
            let text = fs::read(folder.join("assets").join(file)).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            let line = text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{file}: {words}"));
            Side { path: file.to_owned(), line: line + 1, words: words.to_owned() }
        };
        let truth = fs::read_to_string(folder.join("truth.txt")).unwrap();
        let cells = truth.lines().filter(|line| line.starts_with("pair")).map(|line| line.split('|').map(str::trim));
        let pairs = cells.map(|cells| cells.collect::<Vec<&str>>());
        let pairs = pairs.map(|cells| (side(cells[1], cells[2]), side(cells[3], cells[4]))).collect();
        let claims = all_claims(&documents);
        let found = contradictions(&claims).found;
        Self { name: name(folder), pairs, found, mentions: mentions(&documents, &claims) }
    }

    /// Which known pair two mentions are, if any.
    pub(super) fn pair(&self, first: &Mention, second: &Mention) -> Option<usize> {
        let is_of = |one: &Side, other: &Side| one.is_of(first, &self.mentions) && other.is_of(second, &self.mentions);
        self.pairs.iter().position(|(one, other)| is_of(one, other) || is_of(other, one))
    }
}
