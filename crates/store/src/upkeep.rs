//! What is done now and then, not at every step: adopting documents, checkpoints, closing.

use serde_json::value::RawValue;
use text::{Change, Text};

use crate::checkpoint;
use crate::commit::CommitError;
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Stamp};
use crate::journal::Head;
use crate::limits;
use crate::notice::Notice;
use crate::path::ProjectPath;
use crate::place::{self, Circumstance, Due};
use crate::record::{DocumentRecord, Kind, Presence, Record};
use crate::store::{Store, exists};

/// How often files that people keep editing are brought in before a command gives up waiting for them.
const ROUNDS: usize = 8;

impl<F: Fs> Store<F> {
    /// Takes files that are there under the journal, as they are, in one record. Those that are under it already are
    /// left out; when that is all of them, nothing is recorded.
    pub fn adopt(&mut self, paths: &[ProjectPath]) -> Result<Option<u64>, CommitError> {
        let mut contents: Vec<(ProjectPath, Text, Stamp)> = Vec::new();
        let before = self.fs.now();
        for path in paths {
            ProjectPath::document(path.as_str())?;
            let twice = contents.iter().any(|(known, ..)| known == path);
            if twice || exists(&self.documents, path) {
                continue;
            }
            let (text, stamp) = files::read_text(&self.fs, path)?.ok_or_else(|| {
                Fault::new("adopt", path, FaultKind::Missing, "there is no such file, or it is being written")
            })?;
            self.blobs.piece(&self.fs, &text.to_vec())?;
            contents.push((path.clone(), text, stamp));
        }
        if contents.is_empty() {
            return Ok(None);
        }
        let adopted = self.locked(|store| {
            let mut record = store.record(Kind::Adopt, "taken under the journal", store.journal.head);
            let fresh: Vec<_> = contents.into_iter().filter(|(path, ..)| !exists(&store.documents, path)).collect();
            if fresh.is_empty() {
                return Ok(Ok(None));
            }
            for (path, text, _) in &fresh {
                let change = Change::one(0, "", text.to_vec());
                let edits = store.blobs.edits(&store.fs, &change)?;
                let (was, now) = (Presence::Absent, Presence::Present);
                record.docs.push(DocumentRecord {
                    path: path.clone(),
                    was,
                    now,
                    base: None,
                    clashes: 0,
                    file: None,
                    edits,
                });
            }
            let line = match store.to_line(&record) {
                Ok(line) => line,
                Err(error) => return Ok(Err(error)),
            };
            store.journal.append(&store.fs, &mut vec![line])?;
            for (path, text, stamp) in fresh {
                let document = store.documents.one_or_default(&path);
                document.take(record.number, Change::one(0, "", text.to_vec()), Some(text), None);
                store.note_seen(&path, record.number, stamp, before);
            }
            Ok(Ok(Some(record.number)))
        })??;
        self.sync()?;
        Ok(adopted)
    }

    /// Whether enough has been written since the last checkpoint.
    pub fn checkpoint_is_due(&self) -> bool {
        self.journal.bytes_since_checkpoint > limits::CHECKPOINT_BYTES.max(2 * self.checkpoint_size)
    }

    /// Puts everything into place, makes it durable, and writes down where a recovery may start. Nothing happens while
    /// somebody is editing a document.
    ///
    /// `fold` gets the news that were not yet taken, and gives what the caller made of all records up to the head: it
    /// is kept with the checkpoint and given back by the next opening. It is asked under the lock, so that no record
    /// of another process comes between the two and is never told of.
    pub fn checkpoint(
        &mut self,
        fold: impl FnOnce(Vec<Record>) -> Option<Box<RawValue>>,
    ) -> Result<Option<Head>, Fault> {
        self.finish()?;
        self.locked(|store| {
            store.journal.sync(&store.fs)?;
            if !store.all_in_place()? {
                return Ok(None);
            }
            store.sync_documents()?;
            let head = store.journal.head;
            store.documents.retain(|_, document| document.text.is_some() && document.retired.is_none());
            let fold = fold(std::mem::take(&mut store.news));
            store.checkpoint_size =
                checkpoint::write(&store.fs, &mut store.blobs, head, &store.documents, fold.as_deref())?;
            store.checkpoint_number = head.number;
            store.fold = fold;
            store.placed_up_to = head.number;
            store.announce_segment()?;
            store.journal.next_segment(&store.fs)?;
            store.journal.bytes_since_checkpoint = 0;
            Ok(Some(head))
        })
    }

    /// Everything in its place and nothing of ours unfinished: for commands that come and go. Gives the head.
    pub fn close(mut self) -> Result<Head, Fault> {
        if self.fs.only_looks() {
            return Ok(self.journal.head);
        }
        self.finish()?;
        // The padding is for those who write; whoever reads the file sees it without. That it is gone also says that
        // every file is in its place, and durable: what differs from it later was edited.
        self.locked(|store| match store.behind.is_empty() {
            true if store.sync_documents().is_ok() => store.journal.trim(&store.fs),
            _ => Ok(()),
        })?;
        Ok(self.journal.head)
    }

    /// Takes over edits and places documents until nothing is left to do.
    pub fn finish(&mut self) -> Result<(), Fault> {
        for _ in 0..ROUNDS {
            self.settle()?;
            self.sync()?;
            match self.place(Due::All) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // A folder or a link in one document's place: all others are where they belong.
                Err(fault) if fault.kind == FaultKind::NotAFile => {
                    (self.listener)(&Notice::NotPlaced { fault });
                    break;
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// Whether every file holds the newest version, whoever committed it. What others have not come to is placed for
    /// them, under the lock, or there would never be a checkpoint while they work.
    fn all_in_place(&mut self) -> Result<bool, Fault> {
        let left: Vec<ProjectPath> =
            self.behind.keys().filter(|path| self.documents.contains_key(path)).cloned().collect();
        let (parts, written) = self.write_parts(&left);
        let put = parts.iter().try_for_each(|part| self.put(part, Circumstance::AtWork));
        written.and(put)?;
        for path in self.changed_since_checkpoint() {
            let before = self.fs.now();
            match (self.standing(&path)?, &self.documents[&path]) {
                (crate::place::Standing::Version(version, stamp), document) if version == document.version => {
                    self.note_seen(&path, version, stamp, before);
                }
                (crate::place::Standing::Nothing, document) if document.text.is_none() => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    fn changed_since_checkpoint(&self) -> Vec<ProjectPath> {
        let changed = self.documents.iter().filter(|(_, document)| document.version > self.checkpoint_number);
        changed.map(|(path, _)| path.clone()).collect()
    }

    /// Makes the changed files and their names durable; those that did not change were so at the last checkpoint.
    fn sync_documents(&mut self) -> Result<(), Fault> {
        // An exchange is durable when both folders are, and they themselves.
        let mut folders = vec![Some(place::folder()), Some(ProjectPath::own(""))];
        let mut changed = self.changed_since_checkpoint();
        for path in &changed {
            let mut above = path.parent();
            folders.push(above.clone());
            while let Some(folder) = above {
                above = folder.parent();
                folders.push(above.clone());
            }
        }
        // One that somebody has just removed will be an edit.
        changed.retain(|path| self.documents[path].text.is_some());
        self.fs.sync_files(&changed)?;
        folders.sort();
        folders.dedup();
        self.fs.make_folder(&place::folder())?;
        for folder in &folders {
            match self.fs.sync_folder(folder.as_ref()) {
                // It went with the last of its documents, or somebody has just removed it; that will be an edit.
                Err(fault) if fault.kind == FaultKind::Missing => {}
                other => other?,
            }
        }
        Ok(())
    }
}
