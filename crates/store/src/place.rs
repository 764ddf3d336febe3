//! The placer: puts documents where people see them, whole and many commits at once. The new file is exchanged with
//! the old one, and what comes out is looked at: if it is none of ours, somebody edited it just then.

use std::collections::BTreeSet;
use std::time::Duration;

use text::Text;

use crate::aside::Part;
use crate::documents::{Document, Known, Seen};
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode, Now, Stamp};
use crate::history::{HistoryError, document_at};
use crate::limits;
use crate::path::ProjectPath;
use crate::store::Store;
use crate::walk::version_in_journal;

/// Which documents are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Those whose time has come.
    Now,
    /// All that are behind: before a command returns, before a person is asked, when there is nothing else to do.
    All,
}

/// A file that came out of its place. It is kept until nobody can be writing to it any more.
#[derive(Debug, Clone)]
pub(crate) struct Stray {
    pub document: ProjectPath,
    pub file: ProjectPath,
    pub stamp: Stamp,
    pub since: Duration,
    /// Whether its content is known to be a version of ours while its stamp stays the same.
    pub ours: bool,
}

/// When a document is put into its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Circumstance {
    /// While everyone is at work: a file that is missing or older than it could be is somebody's deed.
    AtWork,
    /// After the machine stopped: any version, or none, may be left.
    AfterCrash,
}

/// What stands in a document's place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// No file.
    Nothing,
    /// A version that the journal knows.
    Version(u64, Stamp),
    /// Something else, or something that is being written.
    Foreign,
}

pub(crate) fn folder() -> ProjectPath {
    ProjectPath::own("placing")
}

impl<F: Fs> Store<F> {
    /// Puts documents that are behind into their places; gives how long until the next is due.
    pub fn place(&mut self, due: Due) -> Result<Option<Duration>, Fault> {
        self.usable()?;
        self.collect_apart()?;
        let waiting = self.waiting(due);
        self.place_all(&waiting)?;
        Ok(self.next_due())
    }

    /// Whether [`Store::place`] may have something to do now: cheap to ask, however much is behind.
    pub fn placing_is_due(&self) -> bool {
        !self.behind.is_empty() && self.fs.now().steady >= self.pace.begins(self.behind.len())
    }

    /// Puts these documents into their places, whether they are due or not: somebody is about to read them.
    pub fn place_these(&mut self, paths: &[ProjectPath]) -> Result<(), Fault> {
        self.usable()?;
        // Nobody waits here for what somebody else writes meanwhile (QL-07): should one of these be among it, whichever
        // is put second is found to be in its place, and is thrown away.
        let behind = paths.iter().filter(|path| self.behind.contains_key(path));
        let known = behind.filter_map(|path| Some((path, self.documents.get(path)?)));
        let waiting = known.filter(|(_, document)| waits(document)).map(|(path, _)| path.clone());
        let waiting: BTreeSet<ProjectPath> = waiting.collect();
        self.place_all(&waiting.into_iter().collect::<Vec<_>>())
    }

    /// The documents that are newer than their files, or not known to be in place, as they are now.
    pub fn behind(&self) -> impl Iterator<Item = (&ProjectPath, &Text)> {
        let known = self.behind.keys().filter_map(|path| Some((path, self.documents.get(path)?)));
        known.filter_map(|(path, document)| Some((path, document.text.as_ref()?)))
    }

    fn place_all(&mut self, waiting: &[ProjectPath]) -> Result<(), Fault> {
        if !waiting.is_empty() {
            self.clear_strays();
        }
        for paths in waiting.chunks(limits::PLACED_TOGETHER) {
            self.make_showable(paths)?;
            let begun = self.fs.now().steady;
            let (parts, written) = self.write_parts(paths);
            let put = self.put_together(&parts);
            self.pace.took(paths.len(), self.fs.now().steady.saturating_sub(begun));
            put.and(written)?;
        }
        Ok(())
    }

    /// Nothing is shown that could still be lost.
    pub(crate) fn make_showable(&mut self, paths: &[ProjectPath]) -> Result<(), Fault> {
        match paths.iter().any(|path| self.documents[path].version > self.journal.durable) {
            true => self.sync().map(drop),
            false => Ok(()),
        }
    }

    /// Puts documents into their places under one taking of the lock.
    pub(crate) fn put_together(&mut self, parts: &[Part]) -> Result<(), Fault> {
        let mut tried = 0;
        // One document that cannot be placed holds up no other.
        let mut put = Ok(());
        let locked = self.locked(|store| {
            for part in parts {
                tried += 1;
                let result = store.put(part, Circumstance::AtWork);
                put = std::mem::replace(&mut put, Ok(())).and(result);
            }
            Ok(())
        });
        parts[tried..].iter().for_each(|part| drop(self.discard(part)));
        locked.and(put)
    }

    pub(crate) fn waiting(&mut self, due: Due) -> Vec<ProjectPath> {
        let now = self.fs.now().steady;
        if due == Due::Now && now < self.pace.begins(self.behind.len()) {
            return Vec::new();
        }
        self.pace.begin();
        let behind = self.behind.iter().filter(|(_, time)| due == Due::All || **time <= now).map(|(path, _)| path);
        let known = behind.filter_map(|path| Some((path, self.documents.get(path)?)));
        known.filter(|(_, document)| waits(document)).map(|(path, _)| path.clone()).collect()
    }

    pub(crate) fn next_due(&self) -> Option<Duration> {
        let now = self.fs.now().steady;
        let together = self.pace.begins(self.behind.len());
        let waits =
            |path: &ProjectPath| self.documents.get(path).is_some_and(|document| document.disk.suspect.is_some());
        let due = |(path, time): (&ProjectPath, &Duration)| match waits(path) {
            // Somebody is editing it: it is looked at again before it is placed.
            true => limits::EDIT_SETTLES,
            false => together.max(*time).saturating_sub(now),
        };
        self.behind.iter().map(due).min()
    }

    /// Whether a file may hold a version, or be missing, because nobody has come to place a newer one; else somebody
    /// put it back.
    pub(crate) fn may_be_behind(&self, path: &ProjectPath, version: u64) -> bool {
        let Some(document) = self.documents.get(path) else { return false };
        match document.disk.seen {
            Some(seen) => version >= seen.version,
            None => {
                let is_placed = document.changed_by(version).is_some_and(|number| number <= self.placed_up_to);
                !is_placed && !document.was_edited_since(version)
            }
        }
    }

    /// Puts one document into its place, under the lock.
    pub(crate) fn put(&mut self, part: &Part, circumstance: Circumstance) -> Result<(), Fault> {
        let path = &part.document;
        let before = self.fs.now();
        let standing = self.standing(path).inspect_err(|_| drop(self.discard(part)))?;
        // Somebody may have removed the document since the part was written, or made it again.
        let as_then = |document: &&Document| document.text.is_some() == part.has_file();
        let Some(document) = self.documents.get(path).filter(as_then) else {
            return self.discard(part);
        };
        let (was_there, absence) = (document.disk.seen.is_some(), document.recognise(None));
        let allowed = |version| circumstance == Circumstance::AfterCrash || self.may_be_behind(path, version);
        match (standing, part.stamp) {
            // Another process was faster and has placed this version, or a newer one.
            (Standing::Version(version, stamp), _) if version >= part.version => {
                self.note_seen(path, version, stamp, before);
                self.discard(part)
            }
            (Standing::Version(version, old), Some(new)) if allowed(version) => {
                let new = self.keep_permissions(part, old, new).inspect_err(|_| drop(self.discard(part)))?;
                // Where its stamp said nothing it was read just now. From here on the stamp tells, unless it is too young.
                if document.disk.seen.is_none_or(|seen| seen.stamp != old || seen.racy) {
                    self.note(path, version, old, is_racy(old, before));
                }
                self.exchange(part, old, new)
            }
            (Standing::Version(version, old), None) if allowed(version) => {
                match self.fs.rename(path, &part.file) {
                    Err(fault) if fault.kind == FaultKind::Missing => return self.leave_alone(part),
                    other => other?,
                }
                let looked = self.came_out(part, old);
                self.placed(part, None);
                looked
            }
            (Standing::Nothing, None) => {
                self.placed(part, None);
                Ok(())
            }
            (Standing::Nothing, Some(new)) => match absence {
                Known::Version(version) if version > part.version => {
                    self.placed(part, None);
                    self.discard(part)
                }
                Known::Version(version) if !was_there && allowed(version) => self.put_new(part, new),
                _ if circumstance == Circumstance::AfterCrash => self.put_new(part, new),
                _ => self.leave_alone(part),
            },
            _ => self.leave_alone(part),
        }
    }

    /// What stands there is none of ours: it is looked at until it is quiet.
    fn leave_alone(&mut self, part: &Part) -> Result<(), Fault> {
        let noted = self.suspect(&part.document);
        self.discard(part).and(noted)
    }

    fn put_new(&mut self, part: &Part, new: Stamp) -> Result<(), Fault> {
        let put = match self.fs.rename_new(&part.file, &part.document) {
            // It was made when the document was committed, but that need not be durable, and people tidy up.
            Err(fault) if fault.kind == FaultKind::Missing => {
                self.make_way(&part.document).and_then(|()| self.fs.rename_new(&part.file, &part.document))
            }
            other => other,
        };
        match put {
            Ok(()) => {
                self.placed(part, Some(new));
                Ok(())
            }
            Err(fault) if fault.kind == FaultKind::Exists => self.leave_alone(part),
            Err(fault) => self.discard(part).and(Err(fault)),
        }
    }

    fn make_way(&self, path: &ProjectPath) -> Result<(), Fault> {
        path.parent().map_or(Ok(()), |folder| self.fs.make_folder(&folder))
    }

    /// They may have been changed since the part was written, or were not known then.
    fn keep_permissions(&self, part: &Part, old: Stamp, new: Stamp) -> Result<Stamp, Fault> {
        if old.permissions != new.permissions {
            self.fs.set_permissions(&self.fs.open(&part.file, Mode::Read)?, old.permissions)?;
        }
        Ok(Stamp { permissions: old.permissions, ..new })
    }

    fn exchange(&mut self, part: &Part, old: Stamp, new: Stamp) -> Result<(), Fault> {
        match self.fs.exchange(&part.file, &part.document) {
            Err(fault) if fault.kind == FaultKind::Unsupported => return self.replace(part, old, new),
            // Somebody removed it just then.
            Err(fault) if fault.kind == FaultKind::Missing => return self.leave_alone(part),
            other => other.inspect_err(|_| drop(self.discard(part)))?,
        }
        let looked = self.came_out(part, old);
        self.placed(part, Some(new));
        looked
    }

    /// Where the file system has no exchange: the old file is kept under a second name while the new one takes its
    /// place. An edit that is renamed into place between the two calls would be lost; `doctor` says so.
    fn replace(&mut self, part: &Part, old: Stamp, new: Stamp) -> Result<(), Fault> {
        let kept = ProjectPath::own(&part.file.as_str()[crate::path::OWN.len() + 1..].replace(".out", "-old.out"));
        match self.fs.link(&part.document, &kept) {
            Err(fault) if fault.kind == FaultKind::Missing => return self.leave_alone(part),
            other => other.inspect_err(|_| drop(self.discard(part)))?,
        }
        self.fs.rename(&part.file, &part.document).inspect_err(|_| drop(self.discard(part)))?;
        let part = Part { document: part.document.clone(), file: kept, stamp: Some(new), ..*part };
        let looked = self.came_out(&part, old);
        self.placed(&part, Some(new));
        looked
    }

    /// Looks at the file that came out: it should be the one that stood there a moment ago.
    fn came_out(&mut self, part: &Part, expected: Stamp) -> Result<(), Fault> {
        // Whatever fails from here on: it is not lost sight of, and looked at when it is quiet.
        let (document, file, since) = (part.document.clone(), part.file.clone(), self.fs.now().steady);
        self.strays.push(Stray { document, file, stamp: expected, since, ours: false });
        let Some(stamp) = self.fs.look(&part.file)? else { return Ok(()) };
        let seen = self.documents.get(&part.document).and_then(|document| document.disk.seen);
        let trusted = stamp == expected && seen.is_some_and(|seen| seen.stamp == stamp && !seen.racy);
        if let Some(stray) = self.strays.last_mut() {
            (stray.stamp, stray.ours) = (stamp, trusted);
        }
        Ok(())
    }

    /// Removes what came out of its place in earlier placings and is ours beyond doubt, so that it does not pile up
    /// while everyone is too busy to look for edits. Whatever fails here is met, and told, by whoever looks.
    pub(crate) fn clear_strays(&mut self) {
        let quiet = self.fs.now().steady.saturating_sub(limits::EDIT_SETTLES);
        let fs = &self.fs;
        self.strays.retain(|stray| {
            let gone = stray.ours
                && stray.since <= quiet
                && fs.look(&stray.file) == Ok(Some(stray.stamp))
                // Whoever has it open may still write to it.
                && fs.has_writer(&stray.file) == Ok(Some(false))
                && files::discard(fs, &stray.file).is_ok();
            !gone
        });
    }

    /// Whether a file's content is a version of the document, however old: one that memory does not reach back to is
    /// looked for in all of the journal, since it would take back everything that was committed after it.
    pub(crate) fn is_ours(&mut self, document: &ProjectPath, file: &ProjectPath) -> Result<bool, Fault> {
        let Some((text, _)) = files::read_text(&self.fs, file)? else { return Ok(false) };
        let remembered = self.recognise(document, &text)? != Known::Foreign;
        Ok(remembered || version_in_journal(&self.fs, document, &text)?.is_some())
    }

    /// Which version of a document a text is, looking into the journal when memory does not reach back far enough.
    pub(crate) fn recognise(&mut self, path: &ProjectPath, text: &Text) -> Result<Known, Fault> {
        self.recall(path)?;
        let Some(document) = self.documents.get(path) else { return Ok(Known::Foreign) };
        let known = document.recognise(Some(text));
        if known != Known::Foreign || document.past_is_complete {
            return Ok(known);
        }
        self.look_up_past(path)?;
        Ok(self.documents[path].recognise(Some(text)))
    }

    /// A document that was retired or removed leaves memory with a checkpoint, but a file of it that came out of its
    /// place may be left: without its past that would be taken for an edit of a document that never was.
    fn recall(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        if self.documents.contains_key(path) {
            return Ok(());
        }
        let head = self.journal.head.number;
        let text = match document_at(&self.fs, path, head) {
            Ok(text) => text,
            Err(HistoryError::Fault(fault)) => return Err(fault),
            Err(_) => return Ok(()),
        };
        let mut document = Document::at(head, Text::new());
        (document.text, document.retired) = (text, Some(head));
        self.documents.insert(path.clone(), document);
        Ok(())
    }

    /// What stands in a document's place now; reads the file only when its stamp does not tell.
    pub(crate) fn standing(&self, path: &ProjectPath) -> Result<Standing, Fault> {
        let Some(stamp) = self.fs.look(path)? else { return Ok(Standing::Nothing) };
        let Some(document) = self.documents.get(path) else { return Ok(Standing::Foreign) };
        if let Some(seen) = document.disk.seen
            && seen.stamp == stamp
            && !seen.racy
        {
            return Ok(Standing::Version(seen.version, stamp));
        }
        let Some((text, stamp)) = files::read_text(&self.fs, path)? else { return Ok(Standing::Foreign) };
        let known = match document.recognise(Some(&text)) {
            Known::Foreign => self.long_behind(path, Some(&text), Some(stamp))?,
            known @ Known::Version(_) => known,
        };
        match known {
            Known::Version(version) => Ok(Standing::Version(version, stamp)),
            Known::Foreign => Ok(Standing::Foreign),
        }
    }

    /// Remembers which version a file holds that was read no earlier than `before`.
    pub(crate) fn note_seen(&mut self, path: &ProjectPath, version: u64, stamp: Stamp, before: Now) {
        self.note(path, version, stamp, is_racy(stamp, before));
    }

    /// The same for a file of our own, whose time is exact.
    pub(crate) fn note_placed(&mut self, path: &ProjectPath, version: u64, stamp: Stamp) {
        // Unless the file system keeps no exact times.
        self.note(path, version, stamp, stamp.modified % 1_000_000 == 0);
    }

    fn note(&mut self, path: &ProjectPath, version: u64, stamp: Stamp, racy: bool) {
        if let Some(document) = self.documents.one_mut(path) {
            document.disk.seen = Some(Seen { version, stamp, racy });
            document.disk.suspect = None;
        }
        self.touch(path);
    }

    /// Notes whether a document's file is behind, and before when it is not placed: files that change often are placed
    /// seldom.
    pub(crate) fn touch(&mut self, path: &ProjectPath) {
        let Some(document) = self.documents.get(path) else { return };
        let (is_placed, place_after) = (document.is_placed(), document.place_after);
        self.note_behind(path, is_placed, place_after);
    }

    /// The same by one who has just looked at the document.
    pub(crate) fn note_behind(&mut self, path: &ProjectPath, is_placed: bool, place_after: Duration) {
        if is_placed {
            self.behind.remove(path);
        } else if !self.behind.contains_key(path) {
            self.behind.insert(path.clone(), place_after);
            self.pace.fell_behind(self.fs.now().steady);
        }
    }

    /// Remembers that a file looks like none of ours, and since when.
    pub(crate) fn suspect(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        let now = self.fs.now().steady;
        let stamp = self.fs.look(path)?;
        if let Some(document) = self.documents.one_mut(path) {
            document.disk.suspect = Some((stamp, now));
        }
        Ok(())
    }

    fn placed(&mut self, part: &Part, stamp: Option<Stamp>) {
        match stamp {
            Some(stamp) => self.note_placed(&part.document, part.version, stamp),
            None => self.forget_file(&part.document),
        }
        let now = self.fs.now().steady;
        if let Some(document) = self.documents.one_mut(&part.document) {
            document.place_after = now + limits::PLACE_PAUSE.max(part.cost * limits::PLACE_COST_FACTOR);
        }
        // What has changed since it was written waits for its next turn.
        self.behind.remove(&part.document);
        self.touch(&part.document);
    }

    pub(crate) fn discard(&self, part: &Part) -> Result<(), Fault> {
        match part.stamp {
            Some(_) => files::discard(&self.fs, &part.file),
            None => Ok(()),
        }
    }
}

/// Whether a document is to be placed; one that somebody is editing is looked at before.
fn waits(document: &Document) -> bool {
    !document.is_placed() && document.disk.suspect.is_none()
}

/// Whether a file could be changed from now on and keep its stamp.
pub(crate) fn is_racy(stamp: Stamp, now: Now) -> bool {
    let racy = i128::try_from(limits::RACY.as_nanos()).unwrap_or_default();
    now.wall - stamp.modified < racy
}
