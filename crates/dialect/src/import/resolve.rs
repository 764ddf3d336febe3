//! Which files there are, by the names that they will have, and which one a written path means.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Files;
use crate::catalogs::path_readings;

/// The files of a project.
pub(super) struct There<'a> {
    /// By the path that a file will have: the path that it has.
    places: BTreeMap<String, String>,
    folders: BTreeSet<String>,
    /// By path in lower case: the paths that differ from it only in that.
    alike: HashMap<String, Vec<String>>,
    names: HashMap<String, Vec<String>>,
    moves: BTreeMap<String, String>,
    files: &'a dyn Files,
}

/// What a written path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// The file that it names.
    Itself,
    /// Another one, without a doubt.
    Other(String),
    /// A pattern for several.
    Pattern,
    /// No file; these have the same name.
    Nothing(Vec<String>),
}

impl<'a> There<'a> {
    pub(super) fn new(paths: &[String], moves: &BTreeMap<String, String>, files: &'a dyn Files) -> Self {
        let (places, folders) = (BTreeMap::new(), BTreeSet::new());
        let (alike, names) = (HashMap::new(), HashMap::new());
        let mut this = Self { places, folders, alike, names, moves: moves.clone(), files };
        for path in paths {
            let place = moves.get(path).unwrap_or(path);
            this.places.insert(place.clone(), path.clone());
            this.alike.entry(place.to_lowercase()).or_default().push(place.clone());
            let name = place.rsplit('/').next().unwrap_or(place);
            this.names.entry(name.to_lowercase()).or_default().push(place.clone());
            let mut folder = place.as_str();
            while let Some((above, _)) = folder.rsplit_once('/') {
                this.folders.insert(above.to_owned());
                folder = above;
            }
        }
        this
    }

    pub(super) fn is_file(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path.trim_end_matches('/'))
    }

    /// Whether a file has something in it.
    pub(super) fn has_content(&self, place: &str) -> bool {
        self.places.get(place).is_some_and(|path| self.files.has_content(path))
    }

    /// What a file is called in the original.
    pub(super) fn original<'p>(&'p self, place: &'p str) -> &'p str {
        self.places.get(place).map_or(place, String::as_str)
    }

    /// All files, by the path that they will have.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.places.keys().map(String::as_str)
    }

    /// What a path in a document of a run means.
    pub(super) fn meant(&self, run: &str, written: &str) -> Meant {
        let plain = crate::spelling::bare(written);
        if self.is_file(plain) {
            return if plain == written.trim() { Meant::Itself } else { Meant::Other(plain.to_owned()) };
        }
        if plain.contains(['*', '?']) {
            return Meant::Pattern;
        }
        let readings = path_readings(run, plain);
        for reading in &readings {
            let moved = self.moves.get(reading).unwrap_or(reading);
            if self.is_file(moved) {
                return Meant::Other(moved.clone());
            }
        }
        for reading in &readings {
            if let Some([only]) = self.alike.get(&reading.to_lowercase()).map(Vec::as_slice) {
                return Meant::Other(only.clone());
            }
        }
        let name = plain.rsplit(['/', '\\']).next().unwrap_or(plain).to_lowercase();
        Meant::Nothing(self.names.get(&name).cloned().unwrap_or_default())
    }
}
