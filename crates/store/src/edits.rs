//! Edits by hand: noticed by their stamps, taken over when they are quiet, recorded with their difference, merged
//! with what was committed since the version that they started from.

use std::collections::HashSet;
use std::time::Duration;

use text::{Change, Text};

use crate::commit::CommitError;
use crate::documents::{Age, Disk, Known, Merged};
use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Now, Stamp};
use crate::limits;
use crate::notice::Notice;
use crate::path::ProjectPath;
use crate::place::{Standing, Stray, is_racy};
use crate::record::{DocumentRecord, Kind, Presence};
use crate::store::Store;
use crate::walk::{only_by_hand_since, past_of, version_in_journal};

/// What a look at the files brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The record of the edits that were taken over, if there were any.
    pub record: Option<u64>,
    /// How many files look edited but are not quiet yet. Look again.
    pub unsettled: usize,
}

/// A text that somebody else wrote, to be taken over.
struct Foreign {
    document: ProjectPath,
    /// Nothing when the file was removed.
    text: Option<Text>,
    /// What the document is to be, where that need not be found out by merging: somebody put back what it was.
    becomes: Option<Text>,
    /// The file in the document's place, or the stray that came out of it.
    from: From,
}

enum From {
    Place(Option<Stamp>),
    Stray,
}

impl From {
    /// How old it may be beside what was found before.
    fn age(&self) -> Age {
        match self {
            Self::Place(_) => Age::Newest,
            Self::Stray => Age::Unknown,
        }
    }
}

impl<F: Fs> Store<F> {
    /// Looks at every document's file once. What differs from all that is ours, and did so the last time, a while ago,
    /// in the same way, is an edit: all such edits become one record.
    pub fn look(&mut self) -> Result<Look, Fault> {
        self.usable()?;
        if self.fs.only_looks() {
            return Ok(Look::default());
        }
        let now = self.fs.now();
        let paths: Vec<ProjectPath> = self.documents.keys().cloned().collect();
        let (mut settled, mut unsettled) = (Vec::new(), 0);
        let mut trouble = Ok(());
        for path in paths {
            match self.look_at(&path) {
                Ok(Quiet::AsKnown) => {}
                Ok(Quiet::Unsettled) => unsettled += 1,
                Ok(Quiet::Settled) => settled.push(path),
                // A file that cannot be looked at holds up no other.
                Err(fault) => trouble = trouble.and(Err(fault)),
            }
        }
        let strays = self.settled_strays(now.steady)?;
        unsettled += self.strays.iter().filter(|stray| !stray.ours).count();
        // What changes together, as in a checkout, is one edit: wait for the rest, they will be quiet soon.
        let waits = unsettled > 0 && self.waited(&settled, &strays, now.steady) < limits::EDIT_COMPANY;
        if waits || (settled.is_empty() && strays.is_empty()) {
            self.strays.extend(strays);
            return trouble.map(|()| Look { record: None, unsettled: unsettled + settled.len() });
        }
        // One text a document in one record, so that each can be taken back.
        let mut documents = HashSet::new();
        let (strays, later): (Vec<_>, Vec<_>) =
            strays.into_iter().partition(|stray| documents.insert(stray.document.clone()));
        // What came out of a document's place was written before what stands there now, which may have started from it.
        documents.extend(self.strays.iter().filter(|stray| !stray.ours).map(|stray| stray.document.clone()));
        let (at_once, next): (Vec<_>, Vec<_>) = settled.into_iter().partition(|path| !documents.contains(path));
        unsettled += later.len() + next.len();
        self.strays.extend(later);
        let record = self.take_over(&at_once, strays)?;
        trouble.map(|()| Look { record, unsettled })
    }

    /// Whether the file of a document is not the one that was last seen there. One that is none of ours is nobody's edit.
    pub fn looks_edited(&self, path: &ProjectPath) -> bool {
        let Some(document) = self.documents.get(path) else { return false };
        self.fs.look(path).map_or(true, |found| document.disk.seen.map(|seen| seen.stamp) != found)
    }

    /// How long the first of some quiet edits has been waiting.
    fn waited(&self, settled: &[ProjectPath], strays: &[Stray], now: Duration) -> Duration {
        let suspects = settled.iter().filter_map(|path| self.documents[path].disk.suspect).map(|(_, since)| since);
        let first = suspects.chain(strays.iter().map(|stray| stray.since)).min().unwrap_or(now);
        now.saturating_sub(first)
    }

    /// Looks until nothing is unsettled; for commands that come and go.
    pub fn settle(&mut self) -> Result<(), Fault> {
        let start = self.fs.now().steady;
        let mut told = false;
        loop {
            match self.look() {
                Ok(look) if look.unsettled > 0 => {}
                // A folder or a link in one document's place is told when that one is placed.
                Err(fault) if fault.kind != FaultKind::NotAFile => return Err(fault),
                _ => return Ok(()),
            }
            let waited = self.fs.now().steady.saturating_sub(start);
            if waited > limits::WRITER_PATIENCE * 2 {
                return Ok(());
            }
            if waited > limits::WAITING_TOLD && !told {
                told = true;
                let waits = self.documents.iter().filter(|(_, document)| document.disk.suspect.is_some());
                let strays = self.strays.iter().filter(|stray| !stray.ours).map(|stray| stray.document.clone());
                let paths = waits.map(|(path, _)| path.clone()).chain(strays).collect();
                (self.listener)(&Notice::Waiting { paths });
            }
            self.fs.pause(limits::EDIT_SETTLES);
        }
    }

    fn look_at(&mut self, path: &ProjectPath) -> Result<Quiet, Fault> {
        let found = self.fs.look(path)?;
        let now = self.fs.now();
        let document = &self.documents[path];
        let seen = document.disk.seen;
        let suspect = document.disk.suspect;
        if document.text.is_none() && found.is_none() {
            self.forget_file(path);
            return Ok(Quiet::AsKnown);
        }
        if let Some(seen) = seen.filter(|seen| Some(seen.stamp) == found) {
            // A racy stamp says nothing until the clock has moved on; then the content is read once.
            if !seen.racy || is_racy(seen.stamp, now) {
                self.clear_suspect(path);
                return Ok(Quiet::AsKnown);
            }
        }
        if let (Some((stamp, since)), true) = (suspect, suspect.is_some_and(|(stamp, _)| stamp == found)) {
            return self.is_quiet(path, stamp, since);
        }
        let never_placed = seen.is_none() && found.is_none();
        if never_placed && self.absence_is_ours(path) {
            self.clear_suspect(path);
            return Ok(Quiet::AsKnown);
        }
        let gone = self.documents[path].is_gone();
        match self.standing(path)? {
            Standing::Version(version, stamp) if !gone && self.may_be_behind(path, version) => {
                self.note_seen(path, version, stamp, now);
                Ok(Quiet::AsKnown)
            }
            _ => {
                self.suspect(path)?;
                Ok(Quiet::Unsettled)
            }
        }
    }

    /// Whether there is no file because nobody has come to place one yet, or because it was removed by a commit.
    fn absence_is_ours(&self, path: &ProjectPath) -> bool {
        match self.documents[path].recognise(None) {
            Known::Version(version) => self.may_be_behind(path, version),
            Known::Foreign => false,
        }
    }

    fn is_quiet(&self, path: &ProjectPath, stamp: Option<Stamp>, since: Duration) -> Result<Quiet, Fault> {
        let waited = self.fs.now().steady.saturating_sub(since);
        let written = stamp.is_some() && waited < limits::WRITER_PATIENCE && self.has_writer(path)?;
        Ok(if waited < limits::EDIT_SETTLES || written { Quiet::Unsettled } else { Quiet::Settled })
    }

    /// Another process may have taken the file away a moment ago.
    fn has_writer(&self, path: &ProjectPath) -> Result<bool, Fault> {
        match self.fs.has_writer(path) {
            Err(fault) if fault.kind == FaultKind::Missing => Ok(false),
            other => Ok(other? == Some(true)),
        }
    }

    /// Removes strays that stayed what they were; gives those that hold an edit and are quiet.
    fn settled_strays(&mut self, now: Duration) -> Result<Vec<Stray>, Fault> {
        let (mut edited, mut later) = (Vec::new(), Vec::new());
        while let Some(stray) = self.strays.pop() {
            match self.look_at_stray(stray.clone(), now) {
                Ok(None) => {}
                Ok(Some((stray, Quiet::Settled))) => edited.push(stray),
                Ok(Some((stray, _))) => later.push(stray),
                Err(fault) => {
                    self.strays.extend(later.into_iter().chain(edited).chain([stray]));
                    return Err(fault);
                }
            }
        }
        self.strays = later;
        Ok(edited)
    }

    /// Removes a stray that is a version of ours, or gone; gives any other with how it looks.
    fn look_at_stray(&mut self, mut stray: Stray, now: Duration) -> Result<Option<(Stray, Quiet)>, Fault> {
        let Some(stamp) = self.fs.look(&stray.file)? else { return Ok(None) };
        if stamp != stray.stamp {
            stray = Stray { stamp, since: now, ours: false, ..stray };
        }
        match self.is_quiet(&stray.file, Some(stamp), stray.since)? {
            // Whoever has it open may write to it in an hour; until then it is in nobody's way.
            Quiet::Settled if stray.ours && self.has_writer(&stray.file)? => Ok(Some((stray, Quiet::Unsettled))),
            Quiet::Settled if stray.ours || self.is_ours(&stray.document, &stray.file)? => {
                files::discard(&self.fs, &stray.file).map(|()| None)
            }
            quiet => Ok(Some((stray, quiet))),
        }
    }

    fn take_over(&mut self, settled: &[ProjectPath], strays: Vec<Stray>) -> Result<Option<u64>, Fault> {
        // Old records do not change, so they are read before the lock is taken.
        for path in settled.iter().chain(strays.iter().map(|stray| &stray.document)) {
            self.look_up_past(path)?;
        }
        let (mut read, mut merged) = (Vec::new(), Vec::new());
        let taken = self.locked(|store| {
            let before = store.fs.now();
            let mut foreign = store.read_foreign(settled, before)?;
            for stray in &strays {
                // One that has moved on since it was quiet is looked at again.
                let Some((text, stamp)) = files::read_text(&store.fs, &stray.file)? else { continue };
                if stamp != stray.stamp {
                    continue;
                }
                read.push(stray.file.clone());
                if store.recognise(&stray.document, &text)? == Known::Foreign {
                    let (document, text) = (stray.document.clone(), Some(text));
                    foreign.push(Foreign { document, text, becomes: None, from: From::Stray });
                }
            }
            let mut records = Vec::new();
            for group in in_groups(foreign) {
                records.push(store.record_edits(group, before, &mut merged)?);
            }
            Ok(records)
        });
        let done = taken.and_then(|records| self.sync().map(|_| records));
        let (gone, left): (Vec<_>, Vec<_>) =
            strays.into_iter().partition(|stray| done.is_ok() && read.contains(&stray.file));
        self.strays.extend(left);
        let records = done?;
        for stray in gone {
            files::discard(&self.fs, &stray.file)?;
        }
        for (record, paths) in &records {
            (self.listener)(&Notice::Edited { record: *record, paths: paths.clone() });
        }
        for (path, base, record) in merged {
            (self.listener)(&Notice::Merged { path, base, record });
        }
        Ok(records.last().map(|(record, _)| *record))
    }

    /// Reads the files that look edited. Those that turn out to be versions of ours are no edits, unless several were
    /// put back at once: that is a checkout, and meant.
    fn read_foreign(&mut self, paths: &[ProjectPath], before: Now) -> Result<Vec<Foreign>, Fault> {
        let mut foreign = Vec::new();
        let (mut put_back, mut stale) = (Vec::new(), Vec::new());
        for path in paths {
            let Some(document) = self.documents.get(path) else { continue };
            let suspect = document.disk.suspect.and_then(|(stamp, _)| stamp);
            let seen = document.disk.seen;
            let content = files::read_text(&self.fs, path)?;
            let (text, stamp) = content.map_or((None, None), |(text, stamp)| (Some(text), Some(stamp)));
            if stamp != suspect {
                // It has moved on since: it is looked at again.
                self.suspect(path)?;
                continue;
            }
            let (removed, newest) = (document.text.is_none(), document.version);
            let stands_for = text.as_ref().and_then(|text| document.stands_for(text));
            let known = match document.is_gone() {
                true => Known::Foreign,
                false => match document.recognise(text.as_ref()) {
                    Known::Foreign => self.long_behind(path, text.as_ref(), stamp)?,
                    known => known,
                },
            };
            let entry = Foreign { document: path.clone(), text, becomes: None, from: From::Place(stamp) };
            match (known, stamp) {
                (Known::Version(version), Some(stamp)) if self.may_be_behind(path, version) => {
                    self.note_seen(path, version, stamp, before);
                }
                (Known::Version(version), Some(stamp)) => match stands_for.unwrap_or(version) {
                    // All of it is in the newest version: whoever saved it again changed nothing.
                    same if same == newest => stale.push((entry, version, stamp)),
                    // People may take back what they did themselves.
                    then if only_by_hand_since(&self.fs, path, then)? => {
                        let becomes = self.documents[path].version_of(then);
                        foreign.push(Foreign { becomes, ..entry });
                    }
                    _ => put_back.push((entry, version, stamp)),
                },
                (Known::Version(_), None) if removed || seen.is_none() && self.absence_is_ours(path) => {
                    self.clear_suspect(path);
                }
                _ => foreign.push(entry),
            }
        }
        match put_back.len() {
            0 | 1 => stale.append(&mut put_back),
            _ => {
                foreign
                    .extend(put_back.into_iter().map(|(entry, ..)| Foreign { becomes: entry.text.clone(), ..entry }));
            }
        }
        for (entry, version, stamp) in stale {
            self.note_seen(&entry.document, version, stamp, before);
            (self.listener)(&Notice::Stale { path: entry.document, version });
        }
        Ok(foreign)
    }

    /// A version that memory does not reach back to, though nobody has come to place a newer one since: whoever was
    /// killed in the midst of many commits leaves such a file.
    pub(crate) fn long_behind(
        &self,
        path: &ProjectPath,
        text: Option<&Text>,
        stamp: Option<Stamp>,
    ) -> Result<Known, Fault> {
        let document = &self.documents[path];
        let is_first_met = document.disk.seen.is_none_or(|seen| Some(seen.stamp) == stamp);
        let all_are_remembered = document.remembers_from() <= self.placed_up_to + 1;
        let Some(text) = text.filter(|_| is_first_met && !all_are_remembered) else { return Ok(Known::Foreign) };
        let met = version_in_journal(&self.fs, path, text)?;
        let behind = met.filter(|met| met.changed_by.is_none_or(|number| number > self.placed_up_to));
        Ok(behind.map_or(Known::Foreign, |met| Known::Version(met.version)))
    }

    /// An edit may have started from a version older than the checkpoint; the journal has those too.
    pub(crate) fn look_up_past(&mut self, path: &ProjectPath) -> Result<(), Fault> {
        let Some(document) = self.documents.one_mut(path).filter(|document| !document.past_is_complete) else {
            return Ok(());
        };
        document.remember_older(past_of(&self.fs, path, document.remembers_from())?);
        Ok(())
    }

    fn record_edits(
        &mut self,
        foreign: Vec<Foreign>,
        before: Now,
        merged_edits: &mut Vec<(ProjectPath, u64, u64)>,
    ) -> Result<(u64, Vec<ProjectPath>), Fault> {
        let mut record = self.record(Kind::Edit, "edited by hand", self.journal.head);
        let number = record.number;
        let mut taken = Vec::new();
        for entry in foreign {
            let document = self.documents.one_or_default(&entry.document);
            let head = document.text.clone();
            let Merged { base, clashes, change } = match (&head, &entry.text) {
                (Some(head), None) => {
                    let change = Change::replace(head, 0..head.len(), "");
                    Merged { base: document.version, clashes: 0, change }
                }
                (head, Some(text)) => match (head, &entry.becomes) {
                    (Some(head), Some(becomes)) => {
                        Merged { base: document.version, clashes: 0, change: text::diff(head, becomes) }
                    }
                    _ => document.merge(text, entry.from.age()),
                },
                (None, None) => continue,
            };
            let merged = change.apply(&head.clone().unwrap_or_default()).map_err(|found| {
                let reason = format!("what was merged does not fit at byte {}", found.at);
                Fault::new("record the edit of", &entry.document, FaultKind::Other, reason)
            })?;
            let after = entry.text.is_some().then_some(merged);
            let in_place = matches!(entry.from, From::Place(_)) && after == entry.text;
            let found = entry.text.clone().filter(|_| !in_place);
            let file = found.as_ref().map(|text| self.blobs.piece(&self.fs, &text.to_vec())).transpose()?;
            record.docs.push(DocumentRecord {
                path: entry.document.clone(),
                was: Presence::of(head.as_ref()),
                now: Presence::of(after.as_ref()),
                base: Some(base),
                clashes,
                file,
                edits: self.blobs.edits(&self.fs, &change)?,
            });
            if after != entry.text {
                merged_edits.push((entry.document.clone(), base, number));
            }
            let version = if in_place { number } else { base };
            taken.push((entry, version, change, after, found));
        }
        let paths = record.docs.iter().map(|entry| entry.path.clone()).collect();
        self.write_edits(record)?;
        for (entry, version, change, after, found) in taken {
            let by_hand = found.is_none();
            let document = self.documents.one_or_default(&entry.document);
            document.take(number, change, after, found);
            if by_hand {
                document.note_by_hand();
            }
            self.touch(&entry.document);
            match entry.from {
                From::Place(Some(stamp)) => self.note_seen(&entry.document, version, stamp, before),
                From::Place(None) => self.forget_file(&entry.document),
                From::Stray => {}
            }
        }
        Ok((number, paths))
    }

    fn write_edits(&mut self, record: crate::record::Record) -> Result<(), Fault> {
        match self.to_line(&record) {
            Ok(line) => self.journal.append(&self.fs, &mut vec![line])?,
            Err(CommitError::Fault(fault)) => return Err(fault),
            Err(other) => {
                let place = record.docs.first().map_or_else(|| ProjectPath::own(""), |doc| doc.path.clone());
                return Err(Fault::new("record the edit of", &place, FaultKind::Other, other.to_string()));
            }
        }
        self.news.push(record);
        Ok(())
    }

    fn clear_suspect(&mut self, path: &ProjectPath) {
        if let Some(document) = self.documents.one_mut(path) {
            document.disk.suspect = None;
        }
    }

    pub(crate) fn forget_file(&mut self, path: &ProjectPath) {
        if let Some(document) = self.documents.one_mut(path) {
            let gone = document.text.is_none().then_some(document.version);
            document.disk = Disk { gone, ..Disk::default() };
        }
        self.touch(path);
    }
}

/// One record for all that was edited together, unless that would be more than a record can hold.
fn in_groups(foreign: Vec<Foreign>) -> Vec<Vec<Foreign>> {
    let mut groups: Vec<Vec<Foreign>> = Vec::new();
    let mut weight = usize::MAX;
    for entry in foreign {
        let size = entry.text.as_ref().map_or(0, Text::len).min(limits::INLINE_BYTES);
        weight = weight.saturating_add(size);
        match groups.last_mut().filter(|_| weight <= limits::EDITED_TOGETHER) {
            Some(group) => group.push(entry),
            None => {
                weight = size;
                groups.push(vec![entry]);
            }
        }
    }
    groups
}

/// How a file looks between two looks.
enum Quiet {
    /// As it was placed.
    AsKnown,
    /// Changed, and perhaps still changing.
    Unsettled,
    /// Changed, and the same for a while.
    Settled,
}
