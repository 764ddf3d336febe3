//! A real project in a folder of its own, with a store that is open in it, and a person's hands on its files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use store::{Commit, CommitError, Due, Fs, Kind, Missing, Notice, ProjectPath, RealFs, Record, Store, What, verify};
use tempfile::TempDir;
use text::Text;

/// How often files are looked at before something must be wrong; each look is followed by a pause.
const LOOKS: usize = 1500;
const PAUSE: Duration = Duration::from_millis(10);

/// The table that most tests begin with.
pub(crate) const ROWS: &str = "| id | status | note |\n| --- | --- | --- |\n| T1 | PENDING | |\n| T2 | PENDING | |\n";

/// A project and a store that is open in it.
#[allow(dead_code, reason = "not every test file needs all of it")]
pub(crate) struct Desk {
    pub(crate) store: Store<RealFs>,
    pub(crate) heard: Arc<Mutex<Vec<Notice>>>,
    pub(crate) folder: TempDir,
}

pub(crate) fn path(name: &str) -> ProjectPath {
    ProjectPath::any(name).unwrap()
}

/// Opens the project in a folder; what it has to say is kept.
pub(crate) fn open(folder: &Path) -> (Store<RealFs>, Arc<Mutex<Vec<Notice>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = heard.clone();
    let listener = Box::new(move |notice: &Notice| ear.lock().unwrap().push(notice.clone()));
    (Store::open(RealFs::open(folder).unwrap(), Missing::Create, listener).unwrap(), heard)
}

/// Looks at the files until nothing is unsettled; gives the record of the edits, if there were any.
pub(crate) fn settle(store: &mut Store<RealFs>) -> Option<u64> {
    for _ in 0..LOOKS {
        let look = store.look().unwrap();
        if look.unsettled == 0 {
            return look.record;
        }
        store.fs().pause(PAUSE);
    }
    panic!("the files do not settle");
}

/// All records of a project.
pub(crate) fn records(fs: &RealFs) -> Vec<Record> {
    let mut all = Vec::new();
    store::records(fs, |record| all.push(record)).unwrap();
    all
}

#[allow(dead_code, reason = "not every test file needs all of it")]
impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (store, heard) = open(folder.path());
        Self { store, heard, folder }
    }

    /// A project with one document of some content, in its place.
    pub(crate) fn with(name: &str, content: &str) -> Self {
        let mut desk = Self::new();
        desk.create(name, content).unwrap();
        desk.place();
        desk
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn commit(&mut self, name: &str, what: What) -> Result<u64, CommitError> {
        let base = self.store.head().number;
        self.store.commit(Commit::new("a test", base, vec![(path(name), what)]))
    }

    pub(crate) fn create(&mut self, name: &str, content: &str) -> Result<u64, CommitError> {
        self.commit(name, What::Create(content.to_owned().into()))
    }

    pub(crate) fn write(&mut self, name: &str, content: &str) -> Result<u64, CommitError> {
        self.commit(name, What::Write(content.to_owned().into()))
    }

    pub(crate) fn place(&mut self) {
        assert_eq!(self.store.place(Due::All).unwrap(), None);
    }

    /// What is in a file now; nothing when there is none.
    pub(crate) fn on_disk(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.at(name)).ok()
    }

    pub(crate) fn in_store(&self, name: &str) -> Option<Vec<u8>> {
        self.store.read(&path(name)).map(Text::to_vec)
    }

    /// The document is this, by the store, and on the disk when all is done.
    #[track_caller]
    pub(crate) fn is(&mut self, name: &str, expected: Option<&[u8]>) {
        assert_same(self.in_store(name).as_deref(), expected, "in the store");
        self.store.finish().unwrap();
        assert_same(self.on_disk(name).as_deref(), expected, "on the disk");
        assert_same(self.in_store(name).as_deref(), expected, "in the store, after all is done");
    }

    /// The record of the edits made just now: one, of this kind, of these documents.
    #[track_caller]
    pub(crate) fn edited(&mut self, names: &[&str]) -> u64 {
        let number = settle(&mut self.store).expect("an edit");
        let record = records(self.store.fs()).pop().unwrap();
        assert_eq!((record.number, record.kind), (number, Kind::Edit));
        let mut paths: Vec<_> = record.docs.iter().map(|doc| doc.path.to_string()).collect();
        paths.sort();
        assert_eq!(paths, names);
        number
    }

    /// Closes the project and proves it: a whole journal, every file what the journal makes of it, nothing left over,
    /// and the same again when it is opened once more.
    #[track_caller]
    pub(crate) fn prove(self) -> TempDir {
        let Self { store, folder, .. } = self;
        let head = store.close().unwrap();
        let (mut store, _) = open(folder.path());
        assert_eq!(settle(&mut store), None, "an edit that nobody made");
        assert_eq!(store.close().unwrap(), head);
        let found = verify(&RealFs::open(folder.path()).unwrap(), Some(head.sum)).unwrap();
        assert!(found.problems.is_empty() && found.differing.is_empty(), "{found:?}");
        for name in ["placing", "journal", "checkpoints", "blobs"] {
            let left = std::fs::read_dir(folder.path().join(".multiverse").join(name)).into_iter().flatten();
            let left: Vec<_> = left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            let unfinished = left.iter().find(|file| name == "placing" || file.ends_with(".part"));
            assert_eq!(unfinished, None, "left in {name}");
        }
        folder
    }
}

/// Shows texts, not lists of numbers, and not all of long ones.
#[track_caller]
pub(crate) fn assert_same(found: Option<&[u8]>, expected: Option<&[u8]>, place: &str) {
    let shown = |bytes: Option<&[u8]>| {
        bytes.map(|bytes| format!("{} bytes: {:.600}", bytes.len(), String::from_utf8_lossy(bytes)))
    };
    assert!(found == expected, "{place}:\n{:?}\nexpected:\n{:?}", shown(found), shown(expected));
}
