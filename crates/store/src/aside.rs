//! New versions of documents, written aside before they are put into their places: at once, or by somebody else while
//! the caller goes on. Must not know what stands in those places.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use text::Text;

use crate::fault::Fault;
use crate::files;
use crate::fs::{Fs, Stamp};
use crate::limits;
use crate::path::ProjectPath;
use crate::place::{Due, Standing, folder};
use crate::record::Sum;
use crate::store::Store;

/// Permissions of a document that was not there before, whatever the umask (CY-17): who may come here is said by the folders.
const NEW_DOCUMENT: u32 = 0o644;

/// A version that is to be written aside.
#[derive(Debug)]
struct Draft {
    document: ProjectPath,
    version: u64,
    /// Nothing when the document is to vanish.
    text: Option<Text>,
    /// Those of the file in its place, where one is known.
    permissions: Option<u32>,
    part: ProjectPath,
    file: ProjectPath,
}

/// A new version of a document, written and ready to be put in its place.
#[derive(Debug)]
pub(crate) struct Part {
    pub document: ProjectPath,
    pub version: u64,
    pub file: ProjectPath,
    /// Nothing when the document is to vanish.
    pub stamp: Option<Stamp>,
    /// How long it took to write.
    pub cost: Duration,
}

/// Versions that somebody else is writing aside.
pub(crate) type Apart = Receiver<Vec<Result<Part, Fault>>>;

/// How a look at what is to be placed went.
enum Passed {
    /// What somebody else writes is not there yet.
    WhileOthersWrite,
    /// What could be done was done.
    Done,
}

/// The beginning of the name of every file that waits for, or came out of, a document's place.
pub(crate) fn mark(document: &ProjectPath) -> String {
    Sum::of(document.as_str().as_bytes()).to_string()
}

impl Part {
    /// Whether there is a file to be placed, or one to vanish.
    pub(crate) fn has_file(&self) -> bool {
        self.stamp.is_some()
    }
}

impl Draft {
    fn write<F: Fs>(self, fs: &F) -> Result<Part, Fault> {
        let begun = fs.now().steady;
        let stamp = self.text.as_ref().map(|text| self.write_file(fs, text)).transpose();
        let Self { document, version, file, .. } = self;
        // The person knows the document, not the file on its way there.
        let named = |fault: Fault| Fault {
            doing: "place",
            path: document.to_string(),
            reason: format!("{} (at {})", fault.reason, fault.path),
            ..fault
        };
        let stamp = stamp.map_err(named)?;
        Ok(Part { document, version, file, stamp, cost: fs.now().steady.saturating_sub(begun) })
    }

    /// A file that is named `.part` is unfinished and nobody's; one named `.out` is whole.
    fn write_file<F: Fs>(&self, fs: &F, text: &Text) -> Result<Stamp, Fault> {
        let file = files::create(fs, &self.part)?;
        let written = files::write(fs, &file, text)
            // File systems tell times by coarse ticks. An exact one is unlike any that a later write could leave, so
            // that the stamp alone tells whether somebody wrote.
            .and_then(|()| fs.set_modified(&file, fs.now().wall))
            .and_then(|()| fs.stamp(&file))
            .and_then(|stamp| {
                let permissions = self.permissions.unwrap_or(NEW_DOCUMENT);
                if stamp.permissions != permissions {
                    fs.set_permissions(&file, permissions)?;
                }
                Ok(Stamp { permissions, ..stamp })
            });
        let named = written.and_then(|stamp| fs.rename(&self.part, &self.file).map(|()| stamp));
        named.inspect_err(|_| drop(fs.remove(&self.part)))
    }
}

impl<F: Fs> Store<F> {
    /// Puts documents that are behind into their places, as [`Store::place`] does when they are due; but their files are
    /// written by somebody else, where the world has others, and put into their places by a later call. Gives how long
    /// until there is something to do.
    pub fn place_meanwhile(&mut self) -> Result<Option<Duration>, Fault> {
        match self.go_on_placing()? {
            Passed::WhileOthersWrite => Ok(Some(limits::PLACE_POLL)),
            Passed::Done => Ok(self.next_due()),
        }
    }

    /// The same for one who has enough to do and comes by again: the answer would be a look at all that is behind.
    pub fn place_in_passing(&mut self) -> Result<(), Fault> {
        self.go_on_placing().map(drop)
    }

    fn go_on_placing(&mut self) -> Result<Passed, Fault> {
        self.usable()?;
        match self.apart.as_ref().map(Receiver::try_recv) {
            Some(Err(TryRecvError::Empty)) => return Ok(Passed::WhileOthersWrite),
            Some(Ok(parts)) => {
                self.apart = None;
                self.put_written(parts)?;
            }
            // Whoever wrote them is gone: then it is done here.
            Some(Err(TryRecvError::Disconnected)) => {
                self.apart = None;
                self.place(Due::Now)?;
                return Ok(Passed::Done);
            }
            None => {}
        }
        if !self.placing_is_due() {
            return Ok(Passed::Done);
        }
        let waiting = self.waiting(Due::Now);
        let waiting = self.in_turn(waiting);
        if waiting.is_empty() {
            return Ok(Passed::Done);
        }
        self.clear_strays();
        self.make_showable(&waiting)?;
        let (drafts, drafted) = self.drafts(&waiting);
        if !drafts.is_empty() {
            let (sender, receiver) = channel();
            let errand = Box::new(move |fs: &F| {
                let parts = drafts.into_iter().map(|draft| draft.write(fs)).collect();
                // Whoever is gone does not want them any more; the next opening removes them.
                let _ = sender.send(parts);
            });
            if let Err(errand) = self.fs.apart(errand) {
                errand(&self.fs);
            }
            self.apart = Some(receiver);
        }
        drafted.map(|()| Passed::Done)
    }

    /// Without those that another process has placed a moment ago. Many that change one document would else all write each of
    /// its versions, and each would read what each other wrote (QL-07). A file of a person's that lies there waits as long.
    fn in_turn(&mut self, waiting: Vec<ProjectPath>) -> Vec<ProjectPath> {
        let now = self.fs.now();
        let mut due = Vec::with_capacity(waiting.len());
        for path in waiting {
            let seen = self.documents.get(&path).and_then(|document| document.disk.seen);
            let found = self.fs.look(&path).ok().flatten();
            let others = found.filter(|found| seen.is_some_and(|seen| seen.stamp != *found));
            // A time that is still to come says nothing.
            let age = others.and_then(|found| u64::try_from(now.wall - found.modified).ok()).map(Duration::from_nanos);
            match age.and_then(|age| limits::PLACE_TURN.checked_sub(age)).filter(|left| !left.is_zero()) {
                Some(left) => self.behind.insert(path, now.steady + left + self.own_share()),
                None => due.push(path),
            }
        }
        due
    }

    /// Some time within a turn that differs from process to process: not all come back at once.
    fn own_share(&self) -> Duration {
        const SHARES: u32 = 32;
        let sum = self.alive.name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        limits::PLACE_TURN * (sum % SHARES) / SHARES
    }

    /// Waits for what somebody else writes, and puts it into its place.
    pub(crate) fn collect_apart(&mut self) -> Result<(), Fault> {
        match self.apart.take().map(|apart| apart.recv()) {
            Some(Ok(parts)) => self.put_written(parts),
            Some(Err(_)) | None => Ok(()),
        }
    }

    /// Waits for what somebody else writes, and throws it away.
    pub(crate) fn drop_apart(&mut self) {
        let parts = self.apart.take().and_then(|apart| apart.recv().ok()).unwrap_or_default();
        parts.into_iter().flatten().for_each(|part| drop(self.discard(&part)));
    }

    fn put_written(&mut self, written: Vec<Result<Part, Fault>>) -> Result<(), Fault> {
        let mut parts = Vec::with_capacity(written.len());
        // One document that cannot be written holds up no other.
        let mut faults = Ok(());
        for part in written {
            match part {
                Ok(part) => parts.push(part),
                Err(fault) => faults = faults.and(Err(fault)),
            }
        }
        let (begun, cost) = (self.fs.now().steady, parts.iter().map(|part| part.cost).sum::<Duration>());
        let count = parts.len();
        while !parts.is_empty() {
            let rest = parts.split_off(parts.len().min(limits::PLACED_TOGETHER));
            let put = self.put_together(&parts);
            faults = faults.and(put);
            parts = rest;
        }
        self.pace.took(count, cost + self.fs.now().steady.saturating_sub(begun));
        faults
    }

    /// As many as can be written, and why there are no more.
    pub(crate) fn write_parts(&mut self, paths: &[ProjectPath]) -> (Vec<Part>, Result<(), Fault>) {
        let (drafts, mut written) = self.drafts(paths);
        let mut parts = Vec::with_capacity(drafts.len());
        for draft in drafts {
            match draft.write(&self.fs) {
                Ok(part) => parts.push(part),
                Err(fault) => written = written.and(Err(fault)),
            }
        }
        (parts, written)
    }

    /// What is to be written; not what turns out to be in place already, when nothing was known of the file.
    fn drafts(&mut self, paths: &[ProjectPath]) -> (Vec<Draft>, Result<(), Fault>) {
        let mut drafts = Vec::with_capacity(paths.len());
        let mut drafted = self.fs.make_folder(&folder());
        if drafted.is_err() {
            return (drafts, drafted);
        }
        for path in paths {
            match self.is_there(path) {
                Ok(false) => {}
                Ok(true) => continue,
                Err(fault) => {
                    drafted = drafted.and(Err(fault));
                    continue;
                }
            }
            self.parts += 1;
            let name = ["placing/", &mark(path), "-", &self.alive.name, "-", &self.parts.to_string()].concat();
            let document = &self.documents[path];
            drafts.push(Draft {
                document: path.clone(),
                version: document.version,
                text: document.text.clone(),
                permissions: document.disk.seen.map(|seen| seen.stamp.permissions),
                part: ProjectPath::own(&[&name, ".part"].concat()),
                file: ProjectPath::own(&[&name, ".out"].concat()),
            });
        }
        (drafts, drafted)
    }

    fn is_there(&mut self, path: &ProjectPath) -> Result<bool, Fault> {
        let document = &self.documents[path];
        if document.disk.seen.is_some() || document.text.is_none() {
            return Ok(false);
        }
        let before = self.fs.now();
        match self.standing(path)? {
            Standing::Version(version, stamp) if version == self.documents[path].version => {
                self.note_seen(path, version, stamp, before);
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
