//! Opening a project: the newest checkpoint, the records after it, and what the last processes left half done.

use std::time::Duration;

use crate::alive::{self, Alive};
use crate::aside;
use crate::blobs::Blobs;
use crate::by_path::ByPath;
use crate::checkpoint::{self, Checkpoint};
use crate::documents::Known;
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode};
use crate::journal::{Boot, Head, Journal, Opened};
use crate::lock::Lock;
use crate::notice::Notice;
use crate::pace::Pace;
use crate::path::ProjectPath;
use crate::place::{self, Circumstance, Due, Stray};
use crate::record::{Found, Kind};
use crate::scribe::Scribe;
use crate::segment;
use crate::store::{Listener, Paths, Store};

/// Whether a project may be made where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It is made.
    Create,
    /// It is a fault.
    Refuse,
}

impl<F: Fs> Store<F> {
    /// Opens the project, brings every document that the journal is ahead of up to date, and puts aside what a power
    /// loss left behind. `listener` hears of it.
    pub fn open(fs: F, missing: Missing, listener: Listener) -> Result<Self, Fault> {
        if let Some(reason) = fs.unfit() {
            return Err(Fault::new("open", &ProjectPath::own(""), FaultKind::Unsupported, reason));
        }
        prepare_folder(&fs, missing)?;
        let lock = Lock::open(&fs)?;
        lock.take(&fs, &|holder, state| {
            let advice = crate::lock::advice(holder.process, state);
            listener(&Notice::LockHeld { process: holder.process, advice });
        })?;
        let (mut store, boot) = Self::load(fs, lock, listener)?;
        let recovered = store.recover(boot);
        let released = store.lock.give_up(&store.fs);
        recovered.and(released)?;
        store.sync()?;
        if let Err(fault) = store.place(Due::All) {
            (store.listener)(&Notice::NotPlaced { fault });
        }
        Ok(store)
    }

    /// Opens the project to look at it, in a world where nothing can be changed: nobody waits for anybody, and nothing is
    /// recovered. What the journal says at this moment is known, and [`Store::catch_up`] brings in what comes later.
    pub fn open_to_look(fs: F, listener: Listener) -> Result<Self, Fault> {
        let lock = Lock::open(&fs)?;
        if segment::numbers(&fs)?.is_empty() {
            return Err(Fault::new("open", &ProjectPath::own(""), FaultKind::Missing, "there is no project here"));
        }
        Self::load(fs, lock, listener).map(|(store, _)| store)
    }

    fn load(fs: F, mut lock: Lock<F>, listener: Listener) -> Result<(Self, Boot), Fault> {
        let segments = segment::numbers(&fs)?;
        let (Checkpoint { head, documents, fold, size }, (journal, entries, boot)) = match segments.is_empty() {
            // The lock is signed when there is a journal, and not before.
            true if lock.read(&fs)?.is_some() => return Err(journal_is_gone()),
            true => (Checkpoint::default(), (begin(&fs)?, Vec::new(), Boot::Same)),
            false => start(&fs, &segments)?,
        };
        let alive = Alive::announce(&fs)?;
        // Whoever closes the journal leaves every file in its place.
        let told = lock.read(&fs)?.filter(|_| boot == Boot::Same).map_or(0, |holder| holder.placed);
        let placed_up_to = if journal.was_closed { journal.head.number } else { head.number.max(told) };
        lock.sign(&fs, &alive.name, journal.header.segment, placed_up_to)?;
        let mut store = Self {
            fs,
            lock,
            journal,
            documents,
            behind: ByPath::default(),
            pace: Pace::default(),
            lock_checked: Duration::ZERO,
            blobs: Blobs::new(&alive.name),
            alive,
            strays: Vec::new(),
            apart: None,
            listener,
            news: Vec::new(),
            fold,
            checkpoint_size: size,
            checkpoint_number: head.number,
            placed_up_to,
            parts: 0,
            scribe: Scribe::default(),
            folders: Paths::default(),
            free: Paths::default(),
            broken: None,
        };
        store.apply(entries)?;
        Ok((store, boot))
    }

    fn recover(&mut self, boot: Boot) -> Result<(), Fault> {
        let recovered = match boot {
            Boot::Same => self.recover_strays(),
            Boot::Restarted | Boot::Crashed => {
                let mut found = self.keep_cut()?;
                found.extend(self.clear_placing()?);
                // Whoever closed the journal left every file durable: one that differs was edited since. When the machine
                // crashed, it may have been edited just then, and be half there.
                let all: Vec<ProjectPath> = self.documents.keys().cloned().collect();
                for path in all.iter().filter(|_| boot == Boot::Crashed) {
                    // One that cannot be put back now holds up no other; it stays behind.
                    match self.put_aside(path, path).and_then(|aside| self.rebuild(path).map(|()| aside)) {
                        Ok(aside) => found.extend(aside),
                        Err(fault) => (self.listener)(&Notice::NotPlaced { fault }),
                    }
                }
                self.record_found(found)?;
                // Its header names this boot, so that the next process knows that all of this has been done.
                self.announce_segment()?;
                self.journal.next_segment(&self.fs)
            }
        };
        recovered.and_then(|()| alive::clear(&self.fs))
    }

    /// Same boot: a whole file in `placing/` may be an edit that came out of its place just before its process died.
    fn recover_strays(&mut self) -> Result<(), Fault> {
        let now = self.fs.now().steady;
        for (file, document) in self.left_in_placing()? {
            // Something else than a file is none of ours.
            let (Some(document), Ok(Some(stamp))) = (document, self.fs.look(&file)) else { continue };
            // One that is a version of ours is of no use, unless somebody still has it open and may write to it.
            let before = self.fs.now();
            let ours = self.is_ours(&document, &file)? && !place::is_racy(stamp, before);
            match ours && self.fs.has_writer(&file)? == Some(false) {
                true => files::discard(&self.fs, &file)?,
                false => self.strays.push(Stray { document, file, stamp, since: now, ours }),
            }
        }
        Ok(())
    }

    /// The whole files in `placing/`, with the document each belongs to. Unfinished ones of processes that are gone
    /// are removed.
    fn left_in_placing(&mut self) -> Result<Vec<(ProjectPath, Option<ProjectPath>)>, Fault> {
        let names = self.fs.list(&place::folder())?.unwrap_or_default();
        let mut left = Vec::new();
        for name in names {
            // Files of an opening that lives are its own to look after.
            let owner = name.split('-').nth(1).unwrap_or_default();
            if alive::lives(&self.fs, owner)? {
                continue;
            }
            let file = ProjectPath::own(&format!("placing/{name}"));
            if name.ends_with(".out") {
                let mark = name.split('-').next().unwrap_or_default();
                let document = self.documents.keys().find(|path| aside::mark(path) == mark).cloned();
                left.push((file, document));
            } else {
                files::discard(&self.fs, &file)?;
            }
        }
        Ok(left)
    }

    /// Other boot: what stood behind the last record is no promise broken, but somebody may want to see it.
    fn keep_cut(&mut self) -> Result<Vec<Found>, Fault> {
        let Some(bytes) = self.journal.cut.take() else { return Ok(Vec::new()) };
        let part = ProjectPath::own("journal/cut.part");
        let file = files::create(&self.fs, &part)?;
        self.fs.write_at(&file, 0, &bytes)?;
        Ok(vec![self.keep(&segment::path(self.journal.header.segment), &part)?])
    }

    /// Other boot: nothing in `placing/` was synced, so nothing in it can be trusted.
    fn clear_placing(&mut self) -> Result<Vec<Found>, Fault> {
        let mut found = Vec::new();
        for (file, document) in self.left_in_placing()? {
            match document {
                Some(document) => found.extend(self.put_aside(&document, &file)?),
                None => found.push(self.keep(&file, &file)?),
            }
        }
        Ok(found)
    }

    /// Other boot: a file whose bytes are no version of its document is put aside, never adopted.
    fn put_aside(&mut self, document: &ProjectPath, file: &ProjectPath) -> Result<Option<Found>, Fault> {
        let before = self.fs.now();
        let Some((text, stamp)) = files::read_text(&self.fs, file)? else { return Ok(None) };
        match self.recognise(document, &text)? {
            Known::Version(version) if document == file => {
                self.note_seen(document, version, stamp, before);
                Ok(None)
            }
            Known::Version(_) => files::discard(&self.fs, file).map(|()| None),
            Known::Foreign if text.is_empty() => files::discard(&self.fs, file).map(|()| None),
            Known::Foreign => self.keep(document, file).map(Some),
        }
    }

    /// Other boot: puts the newest version into place, durable. Somebody may be saving it just now, so it is placed as
    /// carefully as ever.
    fn rebuild(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        if self.documents[path].is_placed() {
            return Ok(());
        }
        let (parts, written) = self.write_parts(std::slice::from_ref(path));
        written?;
        for part in &parts {
            if part.has_file() {
                self.fs.sync(&self.fs.open(&part.file, Mode::Read)?)?;
            }
            self.put(part, Circumstance::AfterCrash)?;
        }
        Ok(())
    }

    fn keep(&mut self, document: &ProjectPath, file: &ProjectPath) -> Result<Found, Fault> {
        let folder = ProjectPath::own("found");
        self.fs.make_folder(&folder)?;
        let name: String = document.name().chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
        for count in 1..=u32::MAX {
            let kept = ProjectPath::own(&format!("found/{}-{count}-{name}", self.journal.head.number));
            match self.fs.rename_new(file, &kept) {
                Err(fault) if fault.kind == FaultKind::Exists => {}
                Err(fault) => return Err(fault),
                Ok(()) => {
                    self.fs.sync_folder(Some(&folder))?;
                    (self.listener)(&Notice::PutAside { path: document.clone(), kept: kept.clone() });
                    return Ok(Found { path: document.clone(), kept });
                }
            }
        }
        Err(Fault::new("fill", &folder, FaultKind::Other, "it is full"))
    }

    fn record_found(&mut self, found: Vec<Found>) -> Result<(), Fault> {
        if found.is_empty() {
            return Ok(());
        }
        let mut record = self.record(Kind::Recovery, "found after the machine stopped", self.journal.head);
        record.found = found;
        match self.to_line(&record) {
            Ok(line) => self.journal.append(&self.fs, &mut vec![line])?,
            Err(error) => {
                let reason = error.to_string();
                return Err(Fault::new("record", &segment::folder(), FaultKind::Other, reason));
            }
        }
        self.news.push(record);
        Ok(())
    }
}

/// The newest checkpoint that is whole and of this journal, and the journal from there on. Nothing of a journal is ever
/// deleted, so an older checkpoint, or none, does as well; a folder that was copied while somebody worked in it may have
/// a checkpoint that its journal does not reach.
fn start<F: Fs>(fs: &F, segments: &[u64]) -> Result<(Checkpoint, Opened<F>), Fault> {
    let mut first = None;
    for number in checkpoint::numbers(fs)?.into_iter().rev() {
        let opened = checkpoint::load(fs, number)
            .and_then(|checkpoint| Journal::open(fs, segments, checkpoint.head).map(|journal| (checkpoint, journal)));
        match opened {
            Err(fault) if fault.kind == FaultKind::Damaged => first = first.or(Some(fault)),
            other => return other,
        }
    }
    Journal::open(fs, segments, Head::default())
        .map(|journal| (Checkpoint::default(), journal))
        .map_err(|fault| first.unwrap_or(fault))
}

pub(crate) fn journal_is_gone() -> Fault {
    Fault::new("read", &segment::folder(), FaultKind::Damaged, "the journal that was here is gone")
}

/// Begins the journal. Another process may have made the folder a moment ago without syncing its name yet.
fn begin<F: Fs>(fs: &F) -> Result<Journal<F>, Fault> {
    if !checkpoint::numbers(fs)?.is_empty() {
        return Err(journal_is_gone());
    }
    let journal = Journal::begin(fs)?;
    segment::sync_names(fs)?;
    Ok(journal)
}

fn prepare_folder<F: Fs>(fs: &F, missing: Missing) -> Result<(), Fault> {
    let own = ProjectPath::own("");
    let exists = fs.list(&own)?.is_some();
    if !exists && missing == Missing::Refuse {
        let reason = "there is no project here";
        return Err(Fault::new("open", &own, FaultKind::Missing, reason));
    }
    let ignore = ProjectPath::own(".gitignore");
    if exists && fs.look(&ignore)?.is_some() {
        return Ok(());
    }
    fs.make_folder(&own)?;
    let file = fs.open(&ignore, Mode::Create)?;
    fs.write_at(&file, 0, b"*\n")
}
