//! From a wish to a line in the journal: is what it was decided on still so? Then it is taken into memory and written.

use std::ops::Range;

use bytes::Bytes;
use text::{Change, Text, diff};

use crate::commit::{Commit, CommitError, Need, What};
use crate::documents::Clash;
use crate::fault::{Fault, FaultKind};
use crate::fs::Fs;
use crate::journal::Head;
use crate::limits;
use crate::path::{ProjectPath, folder_of};
use crate::record::{DocumentRecord, Presence, Record, Sum};
use crate::store::{Store, exists};

/// Commits that are written together.
pub struct Batch<'a, F: Fs> {
    store: &'a mut Store<F>,
    lines: Vec<(Vec<u8>, Sum)>,
    head: Head,
}

/// A change of one document, ready to be written.
struct Ready {
    path: ProjectPath,
    was: Presence,
    change: Change,
    after: Option<Text>,
}

impl<F: Fs> Batch<'_, F> {
    /// The newest record, those of this batch included.
    pub fn head(&self) -> Head {
        self.head
    }

    /// A document as of that record.
    pub fn read(&self, path: &ProjectPath) -> Option<&Text> {
        self.store.read(path)
    }

    /// The records that came from elsewhere and that the caller has not taken yet. They need not be durable: nothing may be
    /// done for them before a sync that begins after this batch has returned.
    pub fn news(&self) -> &[Record] {
        &self.store.news
    }

    /// Takes them, so that they are not told again.
    pub fn take_news(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.store.news)
    }

    /// The path of a document that is under the journal, by its text: it was checked when it came there.
    pub fn path_of(&self, path: &str) -> Option<ProjectPath> {
        self.store.documents.named(path).map(|(path, _)| path.clone())
    }

    /// Adds a commit; gives its number.
    pub fn append(&mut self, commit: &Commit) -> Result<u64, CommitError> {
        self.store.prepare(commit)?;
        let (line, sum) = self.store.build(commit, self.head)?;
        self.lines.push((line, sum));
        self.head = Head { number: self.head.number + 1, sum };
        Ok(self.head.number)
    }

    fn write(mut self) -> Result<(), Fault> {
        if self.lines.is_empty() {
            return Ok(());
        }
        match self.store.journal.append(&self.store.fs, &mut self.lines) {
            Err(fault) if fault.kind == FaultKind::Reopen => Err(self.store.break_with(fault)),
            other => other,
        }
    }
}

impl<F: Fs> Drop for Batch<'_, F> {
    /// What was taken into memory and not written, for whatever reason, is taken back.
    fn drop(&mut self) {
        let first = self.head.number + 1 - self.lines.len() as u64;
        (first..=self.head.number).rev().for_each(|number| self.store.forget(number));
    }
}

impl<F: Fs> Store<F> {
    /// One commit, durable when this returns. Its documents are placed when they are due.
    pub fn commit(&mut self, commit: Commit) -> Result<u64, CommitError> {
        let number = self.append(&[commit]).pop().unwrap_or_else(|| Err(self.reopen_fault().into()))?;
        self.sync()?;
        Ok(number)
    }

    /// Appends commits in order, each on its own merits, under one lock and in one write. They count when a `sync`
    /// that begins later has returned.
    pub fn append(&mut self, commits: &[Commit]) -> Vec<Result<u64, CommitError>> {
        // Blobs are made durable before the lock is taken, so that nobody waits for them.
        let prepared: Vec<_> = commits.iter().map(|commit| self.prepare(commit)).collect();
        let mut results = Vec::with_capacity(commits.len());
        let written = self.batch(|batch| {
            for (commit, prepared) in commits.iter().zip(prepared) {
                results.push(prepared.and_then(|()| batch.append(commit)));
            }
        });
        if let Err(fault) = written {
            results.resize(commits.len(), Ok(0));
            results.iter_mut().filter(|result| result.is_ok()).for_each(|result| *result = Err(fault.clone().into()));
        }
        results
    }

    /// Several commits under one taking of the lock and in one write, each decided on the newest state, the commits
    /// before it included. They count when a `sync` that begins later has returned; after a fault none does.
    pub fn batch<T>(&mut self, work: impl FnOnce(&mut Batch<'_, F>) -> T) -> Result<T, Fault> {
        self.locked(|store| {
            let mut batch = Batch { head: store.journal.head, lines: Vec::new(), store };
            let value = work(&mut batch);
            batch.store.free.clear();
            batch.write().map(|()| value)
        })
    }

    /// What can be checked and done before the lock is taken: folders, blobs. A batch does it for those that it was
    /// not done for.
    pub fn prepare(&mut self, commit: &Commit) -> Result<(), CommitError> {
        self.usable()?;
        if let Some(path) = twice(&commit.changes) {
            return Err(CommitError::Twice(path.clone()));
        }
        for (path, what) in &commit.changes {
            path.require_document()?;
            match what {
                What::Create(content) => {
                    self.prepare_place(path)?;
                    self.blobs.keep_piece(&self.fs, content)?;
                }
                What::Write(content) => {
                    self.blobs.keep_piece(&self.fs, content)?;
                    self.keep_old(path)?;
                }
                What::Edit(change) | What::Made { change, .. } => {
                    self.blobs.keep_pieces(&self.fs, change)?;
                }
                What::Delete => self.keep_old(path)?,
            }
        }
        Ok(())
    }

    /// What goes is in the record, too: a large document becomes a blob before the lock is taken.
    fn keep_old(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        let large = |text: &&Text| text.len() > limits::COMPARED_BYTES;
        match self.documents.get(path).and_then(|document| document.text.as_ref()).filter(large) {
            Some(text) => self.blobs.keep_piece(&self.fs, &text.to_vec()),
            None => Ok(()),
        }
    }

    /// A document that could not be placed later must not be committed now.
    fn prepare_place(&mut self, path: &ProjectPath) -> Result<(), CommitError> {
        if self.free.contains(path) {
            return Ok(());
        }
        let is_there = folder_of(path.as_str()).is_none_or(|folder| self.folders.contains(folder));
        if !is_there && let Some(folder) = path.parent() {
            self.fs.make_folder(&folder)?;
            self.folders.insert(folder);
        }
        let known = self.documents.get(path).is_some_and(|document| document.disk.seen.is_some());
        match self.fs.look(path)? {
            Some(_) if !known => return Err(CommitError::Exists(path.clone())),
            _ => drop(self.free.insert(path.clone())),
        }
        Ok(())
    }

    /// Decides whether a commit can stand on the newest state, and takes it into memory.
    fn build(&mut self, commit: &Commit, head: Head) -> Result<(Vec<u8>, Sum), CommitError> {
        let ready: Vec<Ready> =
            commit.changes.iter().map(|(path, what)| self.ready(commit, path, what)).collect::<Result<_, _>>()?;
        self.check_needs(commit)?;
        let mut docs = Vec::with_capacity(ready.len());
        for entry in &ready {
            docs.push(DocumentRecord {
                path: entry.path.clone(),
                was: entry.was,
                now: Presence::of(entry.after.as_ref()),
                base: None,
                clashes: 0,
                file: None,
                edits: self.blobs.edits(&self.fs, &entry.change)?,
            });
        }
        let mut record = self.record(commit.kind, &commit.cause, head);
        record.docs = docs;
        record.retire = commit.retire.clone();
        record.body = commit.body.clone();
        let (line, sum) = self.to_line(&record)?;
        for entry in ready {
            let document = self.documents.one_or_default(&entry.path);
            document.take(record.number, entry.change, entry.after, None);
            let (is_placed, place_after) = (document.is_placed(), document.place_after);
            self.note_behind(&entry.path, is_placed, place_after);
        }
        for path in &record.retire {
            if let Some(document) = self.documents.one_mut(path) {
                document.retired = Some(record.number);
            }
        }
        Ok((line, sum))
    }

    fn ready(&self, commit: &Commit, path: &ProjectPath, what: &What) -> Result<Ready, CommitError> {
        let known = self.documents.get(path).filter(|document| document.text.is_some());
        let was = Presence::of(known);
        let path = path.clone();
        if let What::Create(content) = what {
            if known.is_some() {
                return Err(CommitError::Exists(path));
            }
            self.check_way(commit, &path)?;
            check_size(&path, content.len())?;
            let after = Some(content.clone().into());
            return Ok(Ready { path, was, change: Change::one(0, "", content.clone()), after });
        }
        let unknown = || match self.documents.get(&path) {
            Some(gone) if gone.version > commit.base => {
                CommitError::Conflict { path: path.clone(), record: gone.version }
            }
            _ => CommitError::Unknown(path.clone()),
        };
        let document = known.ok_or_else(unknown)?;
        let text = document.text.clone().unwrap_or_default();
        let clash = |clash: Clash| CommitError::Conflict { path: path.clone(), record: clash.record };
        let change = match what {
            What::Edit(change) | What::Made { change, .. } if !change.is_sound() => {
                let at = change.splices().first().map_or(0, |splice| splice.at);
                return Err(CommitError::Mismatch { path, at });
            }
            // The usual case, without a search through what is remembered.
            What::Made { change, before, after } if document.version <= commit.base && before.is_same(&text) => {
                debug_assert_eq!(change.apply(before).as_ref(), Ok(after), "what was made of {path}");
                check_size(&path, after.len())?;
                return Ok(Ready { path, was, change: change.clone(), after: Some(after.clone()) });
            }
            What::Edit(change) | What::Made { change, .. } if document.version <= commit.base => change.clone(),
            What::Edit(change) | What::Made { change, .. } => {
                document.rebase(commit.base, change.clone(), &mut []).map_err(clash)?
            }
            _ if document.version > commit.base => return Err(clash(Clash { record: document.version })),
            What::Write(content) => rewrite(&text, content),
            _ => Change::replace(&text, 0..text.len(), ""),
        };
        let after = change.apply(&text).map_err(|found| CommitError::Mismatch { path: path.clone(), at: found.at })?;
        check_size(&path, after.len())?;
        let after = if matches!(what, What::Delete) { None } else { Some(after) };
        Ok(Ready { path, was, change, after })
    }

    /// A document cannot be placed below another one, nor where others have their folder.
    fn check_way(&self, commit: &Commit, path: &ProjectPath) -> Result<(), CommitError> {
        let created = commit.changes.iter().filter(|(_, what)| matches!(what, What::Create(_))).map(|(path, _)| path);
        let exists = |other: &ProjectPath| exists(&self.documents, other) || created.clone().any(|path| path == other);
        let mut folders = std::iter::successors(folder_of(path.as_str()), |&folder| folder_of(folder));
        let document = |folder: &str| match self.documents.named(folder) {
            Some((path, document)) if document.text.is_some() => Some(path.clone()),
            _ => created.clone().find(|path| path.as_str() == folder).cloned(),
        };
        let above = folders.find_map(document);
        let folder = [path.as_str(), "/"].concat();
        let below = |other: &&ProjectPath| other.as_str().starts_with(&folder);
        let inside = self.documents.keys_from(path);
        let inside = inside.take_while(|other| other.as_str().starts_with(path.as_str())).filter(|other| exists(other));
        let other = above.or_else(|| inside.chain(created.clone()).find(below).cloned());
        other.map_or(Ok(()), |other| Err(CommitError::InTheWay { path: path.clone(), other }))
    }

    fn check_needs(&self, commit: &Commit) -> Result<(), CommitError> {
        for need in &commit.needs {
            let (path, range): (_, Option<Range<usize>>) = match need {
                Need::Span(path, range) => (path, Some(range.clone())),
                Need::Whole(path) => (path, None),
            };
            let document = self.documents.get(path).ok_or_else(|| CommitError::Unknown(path.clone()))?;
            let kept = match range {
                None => document.version <= commit.base,
                Some(range) => document.rebase(commit.base, Change::default(), &mut [range]).is_ok(),
            };
            if !kept {
                return Err(CommitError::Conflict { path: path.clone(), record: document.version });
            }
        }
        Ok(())
    }

    /// Takes back what was taken into memory for a record that could not be written.
    fn forget(&mut self, number: u64) {
        for document in self.documents.values_mut() {
            document.forget(number);
        }
        self.documents.retain(|_, document| document.version > 0);
        let documents = &self.documents;
        self.behind.retain(|path, _| documents.get(path).is_some_and(|document| !document.is_placed()));
    }
}

/// A path that stands there twice.
fn twice(changes: &[(ProjectPath, What)]) -> Option<&ProjectPath> {
    // A step has a few: they are compared one by one, by their lengths first.
    const FEW: usize = 8;
    if changes.len() <= FEW {
        let is_before = |at: usize, path: &ProjectPath| changes[..at].iter().any(|(other, _)| other == path);
        return changes.iter().enumerate().find(|(at, (path, _))| is_before(*at, path)).map(|(_, (path, _))| path);
    }
    let mut paths: Vec<&ProjectPath> = changes.iter().map(|(path, _)| path).collect();
    paths.sort_unstable();
    paths.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn check_size(path: &ProjectPath, size: usize) -> Result<(), CommitError> {
    match size as u64 > limits::DOCUMENT_BYTES {
        true => Err(CommitError::TooLarge { path: path.clone(), size }),
        false => Ok(()),
    }
}

/// The change that replaces a document's content. What is text and not huge is compared line by line, so that the
/// history shows what really changed.
fn rewrite(text: &Text, content: &Bytes) -> Change {
    let comparable = content.len().max(text.len()) <= limits::COMPARED_BYTES
        && std::str::from_utf8(content).is_ok()
        && std::str::from_utf8(&text.to_vec()).is_ok();
    match comparable {
        true => diff(text, &content.clone().into()),
        false => Change::replace(text, 0..text.len(), content.clone()),
    }
}

impl<F: Fs> std::fmt::Debug for Batch<'_, F> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Batch").field("head", &self.head).finish_non_exhaustive()
    }
}
