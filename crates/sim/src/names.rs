//! Names: which folder holds which file under which name, now and on the platter. It knows nothing of bytes.
//!
//! What survives of the changes since the last sync of a folder:
//! - One change (create, rename, exchange, link, remove) is atomic: all names that it touches, or none.
//! - A change is durable once every folder in which it touched a name was synced since.
//! - Unsynced changes survive in any subset, with one order kept: a change survives only if every earlier change that
//!   touched or read one of its names does. So each name goes through its history in order, and every outcome is a
//!   state that a journaling file system could have been in.
//! - Whatever happens in a folder needs the folder: when its own name is lost, so is what it holds, synced or not.

use std::collections::{BTreeMap, BTreeSet};

use store::{FaultKind, ProjectPath};

use crate::failure::Failure;
use crate::loss::Odd;
use crate::random::Random;

/// Tells inodes apart for ever, unlike their numbers, which are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(pub(crate) u64);

/// Something that is neither a file nor a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    /// A symbolic link, wherever it leads.
    SymbolicLink,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    File(FileId),
    Folder,
    Special(Special),
}

impl Node {
    /// The file, or why it is none.
    pub(crate) fn file(self) -> Result<FileId, Failure> {
        let what = match self {
            Self::File(file) => return Ok(file),
            Self::Folder => "a folder",
            Self::Special(Special::SymbolicLink) => "a symbolic link",
            Self::Special(Special::Pipe) => "a named pipe",
            Self::Special(Special::Socket) => "a socket",
            Self::Special(Special::Device) => "a device",
        };
        Err(Failure::new(FaultKind::NotAFile, format!("it is {what}, not a regular file")))
    }
}

/// A name in a folder; the root's own path is empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    folder: String,
    name: String,
}

impl Place {
    pub(crate) fn of(path: &ProjectPath) -> Self {
        let folder = path.parent().map(|parent| parent.to_string()).unwrap_or_default();
        Self { folder, name: path.name().into() }
    }
}

/// One atomic change of names.
#[derive(Debug, Clone)]
struct Change {
    /// What each name stands for afterwards.
    sets: Vec<(Place, Option<Node>)>,
    /// Names that it relied on and left alone.
    reads: Vec<Place>,
    /// Folders that must still be synced before it is durable.
    waits_for: BTreeSet<String>,
}

impl Change {
    fn places(&self) -> impl Iterator<Item = &Place> {
        self.sets.iter().map(|(place, _)| place).chain(&self.reads)
    }
}

/// Folders by path, each with its names.
type Tree = BTreeMap<String, BTreeMap<String, Node>>;

#[derive(Debug, Clone)]
pub(crate) struct Names {
    current: Tree,
    durable: Tree,
    unsynced: Vec<Change>,
}

impl Names {
    pub(crate) fn new() -> Self {
        let root = Tree::from([(String::new(), BTreeMap::new())]);
        Self { current: root.clone(), durable: root, unsynced: Vec::new() }
    }

    /// What stands at a path; a fault when its folder is missing or none.
    pub(crate) fn node(&self, path: &ProjectPath) -> Result<Option<Node>, Failure> {
        match path.parent() {
            None => Ok(self.current[""].get(path.name()).copied()),
            Some(parent) => Ok(self.folder(&parent)?.get(path.name()).copied()),
        }
    }

    /// The names in a folder.
    pub(crate) fn folder(&self, path: &ProjectPath) -> Result<&BTreeMap<String, Node>, Failure> {
        if let Some(names) = self.current.get(path.as_str()) {
            return Ok(names);
        }
        // The outermost path that is missing, or no folder, is the reason.
        if let Some(parent) = path.parent() {
            self.folder(&parent)?;
        }
        match self.node(path)? {
            None => Err(Failure::missing()),
            Some(_) => Err(Failure::new(FaultKind::NotAFile, format!("{path} is not a folder"))),
        }
    }

    /// Every file with its path, in order.
    pub(crate) fn files(&self) -> impl Iterator<Item = (String, FileId)> + '_ {
        files_of(&self.current)
    }

    /// Every file that the present, the platter or anything in between can still lead to.
    pub(crate) fn reachable(&self) -> BTreeSet<FileId> {
        let between = self.unsynced.iter().flat_map(|change| change.sets.iter()).filter_map(|(_, node)| match node {
            Some(Node::File(file)) => Some(*file),
            _ => None,
        });
        files_of(&self.current).chain(files_of(&self.durable)).map(|(_, file)| file).chain(between).collect()
    }

    /// Changes names in one step.
    pub(crate) fn change(&mut self, sets: Vec<(Place, Option<Node>)>, reads: Vec<Place>) {
        for (place, node) in &sets {
            set(&mut self.current, place, *node);
        }
        let waits_for = sets.iter().map(|(place, _)| place.folder.clone()).collect();
        self.unsynced.push(Change { sets, reads, waits_for });
    }

    /// Makes the names in a folder durable.
    pub(crate) fn sync(&mut self, folder: &str) {
        let mut ready = false;
        for change in &mut self.unsynced {
            ready |= change.waits_for.remove(folder) && change.waits_for.is_empty();
        }
        if !ready {
            return;
        }
        self.take_along();
        let sure = |change: &Change| change.waits_for.is_empty();
        self.unsynced = replay(&mut self.durable, std::mem::take(&mut self.unsynced), sure);
    }

    /// The power fails.
    pub(crate) fn lose(&mut self, odd: Odd, random: &mut Random) {
        let survives = |change: &Change| change.waits_for.is_empty() || odd.draw(random);
        replay(&mut self.durable, std::mem::take(&mut self.unsynced), survives);
        self.current = self.durable.clone();
    }

    /// What a durable change builds on is durable with it.
    fn take_along(&mut self) {
        let mut needed = BTreeSet::new();
        for change in self.unsynced.iter_mut().rev() {
            if change.places().any(|place| needed.contains(place)) {
                change.waits_for.clear();
            }
            if change.waits_for.is_empty() {
                needed.extend(change.places().cloned());
            }
        }
    }
}

/// Applies the changes that survive and can, in order; gives back the others.
fn replay(tree: &mut Tree, changes: Vec<Change>, mut survives: impl FnMut(&Change) -> bool) -> Vec<Change> {
    let mut stuck: BTreeSet<Place> = BTreeSet::new();
    let mut left = Vec::new();
    for change in changes {
        let possible = change.places().all(|place| tree.contains_key(&place.folder) && !stuck.contains(place));
        if survives(&change) && possible {
            for (place, node) in &change.sets {
                set(tree, place, *node);
            }
        } else {
            stuck.extend(change.places().cloned());
            left.push(change);
        }
    }
    left
}

fn set(tree: &mut Tree, place: &Place, node: Option<Node>) {
    if node == Some(Node::Folder) {
        let path = join(&place.folder, &place.name);
        tree.entry(path).or_default();
    }
    let Some(names) = tree.get_mut(&place.folder) else { return };
    match node {
        Some(node) => names.insert(place.name.clone(), node),
        None => names.remove(&place.name),
    };
}

fn files_of(tree: &Tree) -> impl Iterator<Item = (String, FileId)> + '_ {
    tree.iter().flat_map(|(folder, names)| {
        names.iter().filter_map(move |(name, node)| match node {
            Node::File(file) => Some((join(folder, name), *file)),
            _ => None,
        })
    })
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{LossMode, Odds};

    fn place(path: &str) -> Place {
        Place::of(&ProjectPath::any(path).unwrap())
    }

    fn file(number: u64) -> Option<Node> {
        Some(Node::File(FileId(number)))
    }

    fn create(names: &mut Names, path: &str, number: u64) {
        names.change(vec![(place(path), file(number))], vec![]);
    }

    fn rename(names: &mut Names, from: &str, to: &str, number: u64) {
        names.change(vec![(place(from), None), (place(to), file(number))], vec![]);
    }

    /// All different outcomes of 300 power losses: "path=file" for each file.
    fn outcomes(names: &Names, mode: LossMode) -> BTreeSet<String> {
        (0..300)
            .map(|seed| {
                let (mut names, mut random) = (names.clone(), Random::new(seed));
                let Odds { names: odd, .. } = mode.odds(&mut random);
                names.lose(odd, &mut random);
                names.files().map(|(path, file)| format!("{path}={} ", file.0)).collect::<String>()
            })
            .collect()
    }

    fn check(names: &Names, expected: &[&str]) {
        let expected: BTreeSet<String> = expected.iter().map(|&text| text.into()).collect();
        assert_eq!(outcomes(names, LossMode::Mixed), expected);
    }

    #[test]
    fn rename_is_atomic_and_durable_only_when_synced() {
        let mut names = Names::new();
        create(&mut names, "old", 1);
        create(&mut names, "new", 2);
        names.sync("");
        rename(&mut names, "new", "old", 2);
        check(&names, &["new=2 old=1 ", "old=2 "]);
        names.sync("");
        check(&names, &["old=2 "]);
    }

    #[test]
    fn each_name_goes_through_its_history_in_order() {
        let mut names = Names::new();
        create(&mut names, "temporary", 1);
        rename(&mut names, "temporary", "document", 1);
        create(&mut names, "other", 2);
        check(&names, &["", "temporary=1 ", "document=1 ", "other=2 ", "other=2 temporary=1 ", "document=1 other=2 "]);
    }

    #[test]
    fn a_link_is_there_before_its_source_goes() {
        let mut names = Names::new();
        create(&mut names, "a", 1);
        names.sync("");
        names.change(vec![(place("b"), file(1))], vec![place("a")]);
        names.change(vec![(place("a"), None)], vec![]);
        check(&names, &["a=1 ", "a=1 b=1 ", "b=1 "]);
    }

    #[test]
    fn a_rename_between_folders_needs_both_synced() {
        let mut names = Names::new();
        for folder in ["one", "two"] {
            names.change(vec![(place(folder), Some(Node::Folder))], vec![]);
        }
        create(&mut names, "one/a", 1);
        names.sync("");
        names.sync("one");
        rename(&mut names, "one/a", "two/a", 1);
        names.sync("two");
        check(&names, &["one/a=1 ", "two/a=1 "]);
        names.sync("one");
        check(&names, &["two/a=1 "]);
    }

    #[test]
    fn a_synced_name_in_a_folder_that_is_lost_is_lost() {
        let mut names = Names::new();
        names.change(vec![(place("folder"), Some(Node::Folder))], vec![]);
        create(&mut names, "folder/a", 1);
        names.sync("folder");
        check(&names, &["", "folder/a=1 "]);
        names.sync("");
        check(&names, &["folder/a=1 "]);
    }

    #[test]
    fn a_durable_change_takes_along_what_it_builds_on() {
        let mut names = Names::new();
        names.change(vec![(place("other"), Some(Node::Folder))], vec![]);
        names.sync("");
        create(&mut names, "a", 1);
        rename(&mut names, "a", "other/a", 1);
        names.change(vec![(place("other/a"), None)], vec![]);
        create(&mut names, "b", 2);
        names.sync("other");
        // The removal is durable, so the rename before it is too, though the root was never synced.
        check(&names, &["", "b=2 "]);
    }
}
