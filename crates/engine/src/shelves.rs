//! The catalogs of a project brought together: which documents they are, which of them changed since they were read, and
//! the index of them below `.multiverse/`, which may be deleted at any time. Decides nothing, and no run rests on it.

use std::collections::BTreeSet;

use dialect::{CatalogSheet, multiverse as documents};
use knowledge::{Entry, Library, Link, Note, Renewed, Rows};
use machine::{Item, Timing};
use store::{Fs, Mode, ProjectPath, RealFs};
use text::Text;

use crate::fault::EngineError;
use crate::files::{beginning, digest_of};
use crate::service::Service;

/// Where the index is kept.
pub const INDEX: &str = ".multiverse/catalog.index";
/// The largest index, catalog or plan that is read.
const MOST_BYTES: u64 = store::limits::DOCUMENT_BYTES;
/// The levels of a run whose items leave files: tasks and tool tasks.
const TASKS: usize = 2;

/// What was there of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexWas {
    /// It was read.
    There,
    /// There was none.
    Missing,
    /// It could not be used, and was made again.
    Broken,
    /// Nobody looked: it was to be made again.
    PutAside,
}

/// What catalogs and plans say, and what it took to know it.
#[derive(Debug)]
pub struct Shelves {
    /// The rows.
    pub library: Library,
    /// What was there of the index.
    pub was: IndexWas,
    /// How many rows were read, and how many were known.
    pub renewed: Renewed,
    /// Whether something is other than in the index.
    pub is_newer: bool,
    /// Catalogs that could not be read, and why.
    pub problems: Vec<String>,
}

/// How much is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The catalogs.
    Catalogs,
    /// And what plans say is made of what, where catalogs do not.
    Plans,
}

impl Service {
    /// What the catalogs say, from the index as far as it is still so. The index is brought up to date; where it cannot be
    /// written, it is only slower the next time.
    pub fn shelves(&self, depth: Depth) -> Shelves {
        let shelves = self.read_shelves(depth);
        if shelves.is_newer {
            let _ = self.keep_index(&shelves.library);
        }
        shelves
    }

    /// The same with the index made anew.
    pub fn rebuild_shelves(&self) -> Result<Shelves, EngineError> {
        let mut shelves = Shelves::new(IndexWas::PutAside, Library::default());
        self.bring_up_to_date(&mut shelves, Depth::Plans);
        self.keep_index(&shelves.library)?;
        Ok(shelves)
    }

    /// Writes the index: whole or not at all. Whoever only looks at a project does that, too.
    fn keep_index(&self, library: &Library) -> Result<(), EngineError> {
        let fs = RealFs::open(self.project())?;
        let (part, index) = (path_of(&format!("{INDEX}.{}", fs.process()))?, path_of(INDEX)?);
        let _ = fs.remove(&part);
        let file = fs.open(&part, Mode::CreateNew)?;
        let written = fs.write_at(&file, 0, &library.to_bytes()).and_then(|()| fs.rename(&part, &index));
        if written.is_err() {
            let _ = fs.remove(&part);
        }
        Ok(written?)
    }
}

impl<F: Fs> Service<F> {
    /// What the catalogs say, from the index as far as it is still so; nothing is written.
    pub fn read_shelves(&self, depth: Depth) -> Shelves {
        let bytes = path_of(INDEX).ok().and_then(|path| beginning(self.engine.store.fs(), &path, MOST_BYTES).ok()?);
        let mut shelves = match bytes.map(Library::from_bytes) {
            None => Shelves::new(IndexWas::Missing, Library::default()),
            Some(Err(knowledge::Broken)) => Shelves::new(IndexWas::Broken, Library::default()),
            Some(Ok(library)) => Shelves::new(IndexWas::There, library),
        };
        self.bring_up_to_date(&mut shelves, depth);
        shelves
    }

    fn bring_up_to_date(&self, shelves: &mut Shelves, depth: Depth) {
        shelves.is_newer |= shelves.was != IndexWas::There;
        let catalogs = self.catalogs();
        shelves.is_newer |= shelves.library.keep_catalogs(|document| catalogs.contains(document));
        for path in &catalogs {
            self.take_in(shelves, path);
        }
        if depth == Depth::Plans {
            self.take_in_plans(shelves, catalogs.contains(documents::CATALOG));
        }
    }

    /// The documents that are catalogs.
    fn catalogs(&self) -> BTreeSet<String> {
        let fs = self.engine.store.fs();
        let names = |folder: &str| {
            let folder = ProjectPath::any(folder).ok();
            folder.and_then(|folder| fs.list(&folder).ok()?).unwrap_or_default()
        };
        let under_journal = self.engine.store.paths().map(|path| path.as_str().to_owned());
        let mut found: BTreeSet<String> = under_journal.filter(|path| dialect::is_catalog(path)).collect();
        found.extend(names("db").into_iter().map(|name| format!("db/{name}")).filter(|path| dialect::is_catalog(path)));
        // Where one catalog is for all runs, none has its own.
        if !found.contains(documents::CATALOG) {
            for run in names("runs") {
                let own = format!("{run}_knowledge_base_catalog.md");
                let usual = [format!("runs/{run}/{own}"), format!("runs/{run}/db/{own}")];
                let other = ["", "db/"].map(|folder| format!("runs/{run}/{folder}knowledge_base_catalog.md"));
                found.extend(usual.into_iter().chain(other).filter(|path| self.stamp_of(path).is_some()));
            }
        }
        found.retain(|path| self.engine.read(path).is_some() || self.stamp_of(path).is_some());
        found
    }

    fn take_in(&self, shelves: &mut Shelves, path: &str) {
        let stamp = self.stamp(path);
        let known = shelves.library.note(path).cloned();
        if known.as_ref().is_some_and(|note| !stamp.is_empty() && note.stamp == stamp) {
            return;
        }
        let text = match self.text_of(path) {
            Ok(text) => text,
            Err(reason) => return shelves.problems.push(format!("{path} cannot be read: {reason}")),
        };
        shelves.is_newer = true;
        let note = Note { stamp, digest: digest_of(&text) };
        if known.is_some_and(|known| known.digest == note.digest) {
            return shelves.library.renote(path, note);
        }
        let Some(sheet) = CatalogSheet::read(path, &text) else {
            let rows = Rows { context: &[], text: &[], spans: &[], first_line: 1 };
            shelves.library.renew(path, note, rows, &mut |_| None);
            return shelves.problems.push(format!("{path} has no table with the column `file_path`"));
        };
        let (spans, header, bytes) = (sheet.spans(), sheet.header(), text.to_vec());
        let rows = Rows { context: header.as_bytes(), text: &bytes, spans: &spans, first_line: sheet.first_line() };
        let renewed = shelves.library.renew(path, note, rows, &mut |row| sheet.entry(row).map(entry));
        shelves.renewed.read += renewed.read;
        shelves.renewed.kept += renewed.kept;
    }

    /// What the plans of runs say, where the catalog has no column for it.
    fn take_in_plans(&self, shelves: &mut Shelves, is_needed: bool) {
        let folder = ProjectPath::any("runs").ok().filter(|_| is_needed);
        let runs = folder.and_then(|folder| self.engine.store.fs().list(&folder).ok()?).unwrap_or_default();
        let mut seen = BTreeSet::new();
        for run in runs {
            let (tasks, tools) = (documents::tasks(&run), documents::tool_tasks(&run));
            if self.engine.read(&tasks).is_none() && self.stamp_of(&tasks).is_none() {
                continue;
            }
            seen.insert(tasks.clone());
            let stamp = format!("{} {}", self.stamp(&tasks), self.stamp(&tools));
            if shelves.library.note(&tasks).is_some_and(|note| note.stamp == stamp) {
                continue;
            }
            shelves.is_newer = true;
            let items = documents::PROTOCOL.lift(&|path: &str| self.text_of(path).ok(), &run).items;
            shelves.library.renew_plan(&tasks, Note { stamp, digest: String::new() }, links(&run, &items));
        }
        shelves.is_newer |= shelves.library.keep_plans(|document| seen.contains(document));
    }

    /// A document: as of the head where the journal has it, else as it lies there.
    pub(crate) fn text_of(&self, path: &str) -> Result<Text, String> {
        if let Some(text) = self.engine.read(path) {
            return Ok(text.clone());
        }
        let path = ProjectPath::any(path).map_err(|refusal| refusal.reason)?;
        let content = beginning(self.engine.store.fs(), &path, MOST_BYTES).map_err(|fault| fault.reason)?;
        content.map(Text::from).ok_or_else(|| "it is gone".into())
    }

    /// What tells that a document is as it was: how its file looks, and how far the journal was.
    fn stamp(&self, path: &str) -> String {
        let file = self.stamp_of(path).unwrap_or_default();
        match self.engine.read(path) {
            Some(_) => format!("{file}@{}", self.engine.store.head().number),
            None => file,
        }
    }

    fn stamp_of(&self, path: &str) -> Option<String> {
        let path = ProjectPath::any(path).ok()?;
        let stamp = self.engine.store.fs().look(&path).ok()??;
        Some(format!("{}-{}-{}", stamp.inode, stamp.size, stamp.modified))
    }
}

impl Shelves {
    fn new(was: IndexWas, library: Library) -> Self {
        Self { library, was, renewed: Renewed::default(), is_newer: false, problems: Vec::new() }
    }
}

fn path_of(path: &str) -> Result<ProjectPath, EngineError> {
    ProjectPath::any(path).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))
}

fn entry(row: dialect::CatalogEntry) -> Entry {
    let dialect::CatalogEntry { path, run, kind, phase, task, lineage, sources, summary } = row;
    Entry { path, summary, kind, run, phase, lineage, task, sources }
}

/// What each task of a run leaves, and of what: what it reads, and what tools made for it before; tools after it work on
/// what it left.
fn links(run: &str, items: &[Item]) -> Vec<Link> {
    let output_of = |id: &str| items.iter().find(|item| item.id == id).map(|item| item.output.clone());
    let leaves = items.iter().filter(|item| item.level >= TASKS && !item.output.is_empty());
    let link = |item: &Item| {
        let mut inputs = item.inputs.clone();
        let before =
            items.iter().filter(|tool| tool.parent.as_ref() == Some(&item.id) && tool.timing == Some(Timing::Pre));
        inputs.extend(before.map(|tool| tool.output.clone()));
        if item.timing == Some(Timing::Post) {
            inputs.extend(item.parent.as_deref().and_then(output_of));
        }
        inputs.retain(|input| !input.is_empty() && *input != item.output);
        Link { run: run.into(), task: item.id.clone(), output: item.output.clone(), inputs }
    };
    leaves.map(link).collect()
}
