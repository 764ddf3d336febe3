//! A project's store as one process has it open. No threads: every method is a step that does its work and returns,
//! so that a simulator can drive it call by call.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::value::RawValue;
use text::Text;

use crate::alive::Alive;
use crate::aside::Apart;
use crate::blobs::{self, Blobs};
use crate::by_path::ByPath;
use crate::commit::CommitError;
use crate::documents::{Document, Documents};
use crate::fault::{Fault, FaultKind};
use crate::fs::Fs;
use crate::history::{HistoryError, document_at};
use crate::journal::{Head, Journal, Syncing};
use crate::limits;
use crate::lock::{self, Lock};
use crate::notice::Notice;
use crate::pace::Pace;
use crate::path::ProjectPath;
use crate::place::Stray;
use crate::record::{DocumentRecord, Kind, Presence, Record, Sum};
use crate::scribe::Scribe;
use crate::segment::Entry;

/// Receives what the store has to say beside its answers.
pub type Listener = Box<dyn Fn(&Notice) + Send>;

/// Paths that are asked for in every step.
pub(crate) type Paths = HashSet<ProjectPath, foldhash::fast::RandomState>;

/// The documents of a project, its journal and its lock.
pub struct Store<F: Fs> {
    pub(crate) fs: F,
    pub(crate) lock: Lock<F>,
    pub(crate) journal: Journal<F>,
    pub(crate) documents: Documents,
    /// The documents whose files are behind, or not known to be up to date, and before when none is placed.
    pub(crate) behind: ByPath<Duration>,
    /// When they are placed together.
    pub(crate) pace: Pace,
    pub(crate) blobs: Blobs,
    pub(crate) strays: Vec<Stray>,
    /// What somebody else writes aside meanwhile.
    pub(crate) apart: Option<Apart>,
    pub(crate) listener: Listener,
    /// Records that the caller has not seen yet: those of other processes, and edits by hand.
    pub(crate) news: Vec<Record>,
    pub(crate) fold: Option<Box<RawValue>>,
    pub(crate) checkpoint_size: u64,
    pub(crate) checkpoint_number: u64,
    /// When it was last looked whether the lock is still in its place.
    pub(crate) lock_checked: Duration,
    /// Tells others that this opening lives, and its files from theirs.
    pub(crate) alive: Alive<F>,
    /// The newest record at which every file was known to be in its place: an older version is nobody's delay.
    pub(crate) placed_up_to: u64,
    pub(crate) parts: u64,
    pub(crate) scribe: Scribe,
    /// Folders that are known to exist.
    pub(crate) folders: Paths,
    /// Places of new documents that were looked at and are free, until the next batch has used them.
    pub(crate) free: Paths,
    /// The fault after which memory cannot be trusted.
    pub(crate) broken: Option<Fault>,
}

impl<F: Fs> Store<F> {
    /// The newest record: number and sum.
    pub fn head(&self) -> Head {
        self.journal.head
    }

    /// The number up to which everything is on the disk.
    pub fn durable(&self) -> u64 {
        self.journal.durable
    }

    /// A document as of the head; nothing when it does not exist.
    pub fn read(&self, path: &ProjectPath) -> Option<&Text> {
        self.documents.get(path)?.text.as_ref()
    }

    /// The documents that exist, in order of their paths.
    pub fn paths(&self) -> impl Iterator<Item = &ProjectPath> {
        self.documents.iter().filter(|(_, document)| document.text.is_some()).map(|(path, _)| path)
    }

    /// What the caller folded of the records up to the newest checkpoint, given back as it was.
    pub fn fold(&self) -> Option<&RawValue> {
        self.fold.as_deref()
    }

    /// The records that came from elsewhere since this was last asked: at first those since the checkpoint.
    /// They are durable by then, so that nothing is done for a record that could still be lost.
    pub fn take_news(&mut self) -> Result<Vec<Record>, Fault> {
        if self.news.last().is_some_and(|newest| newest.number > self.journal.durable) {
            self.sync()?;
        }
        Ok(std::mem::take(&mut self.news))
    }

    /// The world it works in.
    pub fn fs(&self) -> &F {
        &self.fs
    }

    /// Makes everything appended so far durable; gives the number up to which it is.
    pub fn sync(&mut self) -> Result<u64, Fault> {
        self.usable()?;
        if self.journal.sync(&self.fs).is_err() {
            self.heal_sync()?;
        }
        Ok(self.journal.durable)
    }

    /// Lets the disk begin with what was appended, for one who has something else to do before the sync. Nothing is
    /// durable by it.
    pub fn begin_sync(&self) {
        self.journal.begin_sync(&self.fs);
    }

    /// A sync of the journal that somebody else carries out, so that others may append meanwhile.
    pub(crate) fn to_sync(&self) -> Syncing<F> {
        self.journal.to_sync()
    }

    /// Takes in how such a sync ended.
    pub(crate) fn synced(&mut self, syncing: &Syncing<F>, result: Result<(), Fault>) -> Result<(), Fault> {
        self.journal.synced(syncing, result).or_else(|_| self.heal_sync())
    }

    /// After a failed sync: what is not durable is written anew.
    fn heal_sync(&mut self) -> Result<(), Fault> {
        let failed = self.journal.header.segment;
        let healed = self.locked(|store| {
            // Another process may have met the same fault first and begun a new segment.
            if store.journal.header.segment > failed && store.journal.sync(&store.fs).is_ok() {
                return Ok(());
            }
            store.announce_segment()?;
            store.journal.replace_segment(&store.fs)
        });
        healed.map_err(|fault| self.break_with(fault))
    }

    /// Whether other processes seem to have committed something: two looks at files, without the lock. Whoever is about to
    /// wait for news asks this after it has said that it wants to be told.
    pub fn has_news(&self) -> bool {
        self.journal.looks_grown(&self.fs).unwrap_or(true)
    }

    /// Brings in what other processes committed.
    pub fn catch_up(&mut self) -> Result<(), Fault> {
        self.locked(|_| Ok(()))
    }

    /// Runs `work` under the project's lock, on the newest state.
    pub(crate) fn locked<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.usable()?;
        let listener = &self.listener;
        self.lock.take(&self.fs, &|holder, state| {
            listener(&Notice::LockHeld { process: holder.process, advice: lock::advice(holder.process, state) });
        })?;
        let result = self.refresh().and_then(|()| work(self));
        // Whoever cannot give the lock up keeps all others waiting, and does not know what of the work counts.
        if let Err(fault) = self.lock.give_up(&self.fs) {
            return Err(self.break_with(fault));
        }
        match result {
            Err(fault) if fault.kind == FaultKind::Reopen => Err(self.break_with(fault)),
            other => other,
        }
    }

    /// Tells the next holders of the lock that a new segment is about to be there, should this one not live to.
    pub(crate) fn announce_segment(&mut self) -> Result<(), Fault> {
        self.lock.sign(&self.fs, &self.alive.name, self.journal.header.segment + 1, self.placed_up_to)
    }

    fn refresh(&mut self) -> Result<(), Fault> {
        let now = self.fs.now().steady;
        if now.saturating_sub(self.lock_checked) >= limits::LOCK_CHECKED {
            self.lock.check_in_place(&self.fs)?;
            self.lock_checked = now;
        }
        let own = self.journal.header.segment;
        if self.lock.is_as_signed(&self.fs, own, self.placed_up_to)? {
            return Ok(());
        }
        let holder = self.lock.read(&self.fs)?;
        let current = holder.map_or(own, |holder| holder.segment.max(own));
        self.placed_up_to = self.placed_up_to.max(holder.map_or(0, |holder| holder.placed));
        let mut entries = Vec::new();
        let caught_up = self.journal.catch_up(&self.fs, current, &mut entries);
        // Whatever happened then: the journal's head is behind these records, so they must be in memory.
        self.apply(entries).map_err(|fault| self.break_with(fault))?;
        caught_up?;
        self.lock.sign(&self.fs, &self.alive.name, self.journal.header.segment, self.placed_up_to)
    }

    /// Takes records that are in the journal into memory.
    pub(crate) fn apply(&mut self, entries: Vec<Entry>) -> Result<(), Fault> {
        for Entry { record, .. } in entries {
            self.apply_documents(&record)?;
            self.news.push(record);
        }
        Ok(())
    }

    fn apply_documents(&mut self, record: &Record) -> Result<(), Fault> {
        let now = self.fs.now().steady;
        for entry in &record.docs {
            let change = blobs::change(&self.fs, &entry.edits)?;
            self.remember(record, entry)?;
            let document = self.documents.one_or_default(&entry.path);
            let before = document.text.clone().unwrap_or_default();
            let fits = Presence::of(document.text.as_ref()) == entry.was;
            let after = change.apply(&before).ok().filter(|_| fits).ok_or_else(|| {
                let reason = format!("record {} does not fit what the journal says before it", record.number);
                Fault::new("follow", &entry.path, FaultKind::Damaged, reason)
            })?;
            let found = entry.file.as_ref().map(|file| blobs::text(&self.fs, file)).transpose()?;
            let by_hand = record.kind == Kind::Edit && found.is_none();
            document.take(record.number, change, entry.now.is_present().then_some(after), found);
            if by_hand {
                document.note_by_hand();
            }
            document.place_after = document.place_after.max(now + limits::PLACE_FOR_OTHERS);
            self.touch(&entry.path);
        }
        for path in &record.retire {
            if let Some(document) = self.documents.one_mut(path) {
                document.retired = Some(record.number);
            }
        }
        Ok(())
    }

    /// A retired document leaves memory with a checkpoint, but a process that had not come to that may still change it;
    /// and whoever adopts it begins anew.
    fn remember(&mut self, record: &Record, entry: &DocumentRecord) -> Result<(), Fault> {
        if record.kind == Kind::Adopt {
            self.documents.remove(&entry.path);
        } else if entry.was.is_present() && !self.documents.contains_key(&entry.path) {
            let before = record.number - 1;
            let then = match document_at(&self.fs, &entry.path, before) {
                Err(HistoryError::Fault(fault)) => return Err(fault),
                other => other.ok().flatten(),
            };
            if let Some(text) = then {
                self.documents.insert(entry.path.clone(), Document::at(before, text));
            }
        }
        Ok(())
    }

    /// The frame of the record after `head`.
    pub(crate) fn record(&self, kind: Kind, cause: &str, head: Head) -> Record {
        Record {
            number: head.number + 1,
            prev: head.sum,
            at: time(self.fs.now().wall),
            durable: self.journal.durable,
            kind,
            cause: cause.into(),
            docs: Vec::new(),
            retire: Vec::new(),
            found: Vec::new(),
            body: None,
        }
    }

    pub(crate) fn to_line(&self, record: &Record) -> Result<(Vec<u8>, Sum), CommitError> {
        let (line, sum) = record
            .to_line()
            .map_err(|error| Fault::new("write", &crate::segment::folder(), FaultKind::Other, error.to_string()))?;
        match line.len() > limits::RECORD_BYTES {
            true => Err(CommitError::TooLong(line.len())),
            false => Ok((line, sum)),
        }
    }

    pub(crate) fn usable(&self) -> Result<(), Fault> {
        self.broken.as_ref().map_or(Ok(()), |_| Err(self.reopen_fault()))
    }

    pub(crate) fn reopen_fault(&self) -> Fault {
        let reason = self.broken.as_ref().map_or_else(String::new, |fault| fault.to_string());
        Fault::new(
            "use",
            &ProjectPath::own(""),
            FaultKind::Reopen,
            format!("an earlier fault left it unsure ({reason})"),
        )
    }

    /// Notes that what is in memory may not be what is in the journal.
    pub(crate) fn break_with(&mut self, fault: Fault) -> Fault {
        self.broken.get_or_insert(fault.clone());
        fault
    }
}

/// A moment as people and programs read it, in UTC.
pub(crate) fn time(wall: i128) -> String {
    jiff::Timestamp::from_nanosecond(wall - wall.rem_euclid(1000)).unwrap_or_default().to_string()
}

impl<F: Fs> std::fmt::Debug for Store<F> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store").field("head", &self.journal.head).field("documents", &self.documents.len()).finish()
    }
}

impl<F: Fs> Drop for Store<F> {
    /// Whoever ends without closing the journal is not alive either.
    fn drop(&mut self) {
        self.drop_apart();
        let _ = self.alive.leave(&self.fs);
    }
}

/// A document that does not exist yet is the same as one that nothing is known of.
pub(crate) fn exists(documents: &Documents, path: &ProjectPath) -> bool {
    documents.get(path).is_some_and(|document: &Document| document.text.is_some())
}
