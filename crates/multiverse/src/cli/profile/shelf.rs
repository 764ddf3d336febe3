//! Where profiles are found, and how they are read: those of the tree around, checked against the schema that stands
//! there, else those that are shipped (PF-17).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::workflows::{
    Invocation, PROFILE_SCHEMA, PROFILES, Profile, ReadProfile, SCHEMAS, SHIPPED, Schema, choose, read_profile,
};

use super::super::failure::{Failure, Kind};
use super::super::project::Start;
use super::super::{documents, visible};

/// The folders below a project's root that may hold the tree.
const ROOTS: [&str; 2] = ["", "Version2"];
/// The schema of profiles, in the folder of schemas.
const SCHEMA_FILE: &str = "workflow_profile.schema.json";

/// The profiles of a place.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) source: Source,
    /// By name of file.
    pub(crate) stored: Vec<Stored>,
    schema: Arc<Schema>,
}

/// Where the profiles of a shelf come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// The root of a tree.
    Tree(PathBuf),
    /// They come along with the program.
    Shipped,
}

/// A profile with what was read of it.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) read: ReadProfile,
}

impl Shelf {
    /// The shelf of the nearest tree; without one, what is shipped.
    pub(crate) fn near(start: &Start) -> Result<Self, Failure> {
        let Some(root) = root(start) else {
            let schema = Arc::new(schema_of(PROFILE_SCHEMA, Path::new(SCHEMA_FILE))?);
            let stored =
                SHIPPED.iter().map(|(name, text)| Stored::of((*name).to_owned(), text.as_bytes().to_vec(), &schema));
            return Ok(Self { source: Source::Shipped, stored: stored.collect(), schema });
        };
        let own = root.join(SCHEMAS).join(SCHEMA_FILE);
        let schema = match own.is_file() {
            true => schema_of(&String::from_utf8_lossy(&documents::read(&own)?), start.shown(&own))?,
            false => schema_of(PROFILE_SCHEMA, Path::new(SCHEMA_FILE))?,
        };
        let schema = Arc::new(schema);
        let folder = root.join(PROFILES);
        let mut files: Vec<PathBuf> = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).filter(|path| is_profile(path)).collect(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Failure::reading(start.shown(&folder), &error)),
        };
        files.sort();
        let shown = |path: &Path| start.shown(path).to_string_lossy().into_owned();
        let read = |path: &PathBuf| Ok(Stored::of(shown(path), documents::read(path)?, &schema));
        let stored = files.iter().map(read).collect::<Result<_, Failure>>()?;
        Ok(Self { source: Source::Tree(root), stored, schema })
    }

    /// Profiles with nothing wrong.
    pub(crate) fn valid(&self) -> impl Iterator<Item = (&Stored, &Profile)> {
        self.stored.iter().filter_map(|stored| Some((stored, stored.read.profile.as_ref()?)))
    }

    /// The profile of this name; one that is wrong is found by the name of its file.
    pub(crate) fn named(&self, name: &str) -> Result<&Stored, Failure> {
        let of_name: Vec<&Stored> =
            self.valid().filter(|(_, profile)| profile.name == name).map(|(stored, _)| stored).collect();
        if of_name.len() > 1 {
            let files: Vec<String> = of_name.iter().map(|stored| visible::text(&stored.path)).collect();
            let message = format!("{} profiles are called `{name}`: {}", files.len(), files.join(", "));
            return Err(Failure::new(Kind::Refused, message).hint("give each a name of its own: `name:` in the file"));
        }
        let by_name = of_name.first().copied();
        let is_file_of = |stored: &&Stored| Path::new(&stored.path).file_stem().is_some_and(|stem| stem == name);
        by_name.or_else(|| self.stored.iter().find(is_file_of)).ok_or_else(|| {
            let profiles: Vec<Profile> = self.valid().map(|(_, profile)| profile.clone()).collect();
            match choose(&Invocation::Named(name.to_owned()), None, &profiles) {
                Err(refusal) => {
                    let hint = refusal.hint.replace(":\n  ", ": ").replace("\n  ", "; ");
                    Failure::new(Kind::Refused, refusal.reason).hint(hint)
                }
                Ok(_) => Failure::new(Kind::Refused, format!("there is no profile `{name}`")),
            }
        })
    }

    /// Names that more than one file gives, each with its files.
    pub(crate) fn doubled(&self) -> Vec<(String, Vec<String>)> {
        let mut named: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (stored, profile) in self.valid() {
            named.entry(&profile.name).or_default().push(stored.path.clone());
        }
        named.into_iter().filter(|(_, files)| files.len() > 1).map(|(name, files)| (name.into(), files)).collect()
    }

    /// The profile in a file that a command line names.
    pub(crate) fn file(&self, start: &Start, file: &Path) -> Result<Stored, Failure> {
        let is_stdin = documents::is_stdin(file);
        let bytes = documents::read(&if is_stdin { file.to_path_buf() } else { start.place_of(file) })?;
        let path = if is_stdin { "<stdin>".into() } else { file.to_string_lossy().into_owned() };
        Ok(Stored::of(path, bytes, &self.schema))
    }
}

impl Stored {
    fn of(path: String, bytes: Vec<u8>, schema: &Schema) -> Self {
        let read = read_profile(&bytes, schema);
        Self { path, bytes, read }
    }
}

/// The root of the nearest tree with profiles in it.
fn root(start: &Start) -> Option<PathBuf> {
    let roots = start.folder().ancestors().flat_map(|folder| ROOTS.iter().map(|root| folder.join(root)));
    roots.into_iter().find(|root| root.join(PROFILES).is_dir())
}

fn is_profile(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ["yaml", "yml"].contains(&ending)) && path.is_file()
}

fn schema_of(text: &str, path: &Path) -> Result<Schema, Failure> {
    Schema::read(text).map_err(|complaint| {
        let message = format!("{}:{complaint}", visible::path(path));
        Failure::new(Kind::Document, message)
            .at(path)
            .hint("`multiverse schema profile` prints the one that is shipped")
    })
}
