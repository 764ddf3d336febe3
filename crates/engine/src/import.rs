//! Projects that others made, taken over: looked at without changing them, and on request mended in one commit that can be
//! taken back. What is right is the dialect's business; reading, copying and committing is done here.

use std::collections::BTreeSet;
use std::path::Path;

pub use dialect::import::{Examined, Finding, ProjectKind, Weight};
use dialect::import::{Files, examine};
use store::{Commit, FaultKind, Fs, Missing, ProjectPath, RealFs, Store, What};
use text::{Text, diff};

use crate::fault::EngineError;
use crate::files::beginning;

/// The most files that are looked at.
const FILES: usize = 200_000;
/// How deep folders are followed.
const DEPTH: usize = 32;
/// The largest document that is read.
const DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;
/// Folders that hold nothing of a project.
const LEFT_OUT: [&str; 4] = [store::OWN, ".git", "target", "node_modules"];

/// What became of a project.
#[derive(Debug)]
pub struct Imported {
    /// What was found.
    pub examined: Examined,
    /// The record that has all that was mended; nothing if nothing was to be.
    pub record: Option<u64>,
    /// The digest of the last record; empty where nothing was written.
    pub head: String,
}

/// Looks at a project, and changes nothing.
pub fn look(folder: &Path) -> Result<Imported, EngineError> {
    let fs = RealFs::open_to_look(folder)?;
    Ok(Imported { examined: examined(&fs, |_| None), record: None, head: String::new() })
}

/// Mends a project where it is, in one commit.
pub fn write(folder: &Path) -> Result<Imported, EngineError> {
    let mut store = Store::open(RealFs::open(folder)?, Missing::Create, Box::new(|_| {}))?;
    store.settle()?;
    let first = examined(store.fs(), |path| store.read(path).cloned());
    let wanted = touched(&first);
    let new: Vec<ProjectPath> = wanted.into_iter().filter(|path| store.read(path).is_none()).collect();
    if !new.is_empty() {
        store.adopt(&new)?;
    }
    // What is under the journal now is what is mended: an edit that came between is seen, not overwritten.
    let base = store.head().number;
    let examined = examined(store.fs(), |path| store.read(path).cloned());
    let changes = changes(&store, &examined)?;
    let record = match changes.is_empty() {
        true => None,
        false => Some(store.commit(Commit::new("project imported: what was sloppy is mended", base, changes))?),
    };
    let head = store.close()?.sum.to_string();
    Ok(Imported { examined, record, head })
}

/// Copies a project, what is the program's own and git's left out, into a folder that is not there or empty.
pub fn copy(from: &Path, to: &Path) -> Result<usize, EngineError> {
    if std::fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        let reason = format!("{} is not empty", to.display());
        return Err(EngineError::refused(reason, "give a folder that is not there yet"));
    }
    let fs = RealFs::open_to_look(from)?;
    let (paths, _) = walked(&fs);
    let failed = |error: std::io::Error, path: &str| {
        EngineError::refused(
            format!("{path} cannot be copied: {error}"),
            "look whether there is room, and leave to write",
        )
    };
    std::fs::create_dir_all(to).map_err(|error| failed(error, "."))?;
    for path in &paths {
        let place = to.join(path);
        let made = place.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::copy(from.join(path), &place)).map_err(|error| failed(error, path))?;
    }
    Ok(paths.len())
}

/// Files of the original that change or move, and all tables: the engine goes by what is under the journal.
fn touched(examined: &Examined) -> BTreeSet<ProjectPath> {
    let back = |place: &String| {
        let moved = examined.moves.iter().find(|(_, to)| *to == place);
        moved.map_or_else(|| place.clone(), |(from, _)| from.clone())
    };
    let all = examined.documents.keys().map(back).chain(examined.moves.keys().cloned()).chain(examined.tables.clone());
    all.filter_map(|path| ProjectPath::document(&path).ok()).collect()
}

fn changes(store: &Store<RealFs>, examined: &Examined) -> Result<Vec<(ProjectPath, What)>, EngineError> {
    let document = |path: &str| {
        ProjectPath::document(path).map_err(|refusal| EngineError::refused(refusal.to_string(), "rename it"))
    };
    let mut changes = Vec::new();
    for (place, text) in examined.documents.iter().filter(|(place, _)| !examined.moves.values().any(|to| to == *place))
    {
        let path = document(place)?;
        let before = store.read(&path).cloned().unwrap_or_default();
        changes.push((path, What::Edit(diff(&before, text))));
    }
    for (from, to) in &examined.moves {
        let (path, place) = (document(from)?, document(to)?);
        let text = examined.documents.get(to).cloned().or_else(|| store.read(&path).cloned()).unwrap_or_default();
        changes.push((place, What::Create(text.to_vec().into())));
        changes.push((path, What::Delete));
    }
    Ok(changes)
}

fn examined(fs: &RealFs, read: impl Fn(&ProjectPath) -> Option<Text>) -> Examined {
    let (paths, oddities) = walked(fs);
    let mut examined = examine(&OnDisk { fs, paths, read });
    examined.findings.extend(oddities);
    examined
}

/// The files of a folder, as the dialect sees them.
struct OnDisk<'a, R> {
    fs: &'a RealFs,
    paths: Vec<String>,
    read: R,
}

impl<R: Fn(&ProjectPath) -> Option<Text>> Files for OnDisk<'_, R> {
    fn paths(&self) -> Vec<String> {
        self.paths.clone()
    }

    fn read(&self, path: &str) -> Option<Text> {
        let path = ProjectPath::any(path).ok()?;
        let size = self.fs.look(&path).ok()??.size;
        if size > DOCUMENT_BYTES {
            return None;
        }
        (self.read)(&path).or_else(|| beginning(self.fs, &path, DOCUMENT_BYTES).ok()?.map(Text::from))
    }

    fn has_content(&self, path: &str) -> bool {
        let path = ProjectPath::any(path).ok();
        path.and_then(|path| self.fs.look(&path).ok()?).is_some_and(|stamp| stamp.size > 0)
    }
}

/// All regular files, in order; what is left out, and why.
fn walked(fs: &RealFs) -> (Vec<String>, Vec<Finding>) {
    let (mut paths, mut oddities) = (Vec::new(), Vec::new());
    let mut open: Vec<(String, usize)> = vec![(String::new(), 0)];
    let names_of_root = || {
        std::fs::read_dir(fs.root()).map(|entries| {
            let mut names: Vec<String> =
                entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        })
    };
    while let Some((folder, depth)) = open.pop() {
        let names = match folder.is_empty() {
            true => names_of_root().unwrap_or_default(),
            false => ProjectPath::any(&folder).ok().and_then(|path| fs.list(&path).ok()?).unwrap_or_default(),
        };
        for name in names {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if folder.is_empty() && LEFT_OUT.contains(&name.as_str()) {
                continue;
            }
            let mut left_out = |why: &str| oddities.push(odd(&path, why));
            let place = match ProjectPath::document(&path) {
                Ok(place) => place,
                Err(refusal) => {
                    left_out(&refusal.reason);
                    continue;
                }
            };
            match fs.look(&place) {
                Ok(Some(_)) if paths.len() >= FILES => left_out("there are too many files"),
                Ok(Some(_)) => paths.push(path),
                Ok(None) => left_out("its name is not UTF-8"),
                Err(fault) if fault.kind == FaultKind::NotAFile => match fs.list(&place) {
                    Ok(Some(_)) if depth < DEPTH => open.push((path, depth + 1)),
                    Ok(Some(_)) => left_out("the folder lies too deep"),
                    _ => left_out("it is a link, or no regular file"),
                },
                Err(fault) => left_out(&fault.reason),
            }
        }
    }
    paths.sort();
    (paths, oddities)
}

fn odd(path: &str, why: &str) -> Finding {
    let hint = "rename or replace it if it belongs to the project".into();
    Finding { path: path.into(), line: 0, weight: Weight::Decide, what: format!("left out: {why}"), hint }
}
