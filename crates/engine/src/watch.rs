//! News of files, as the system gives it: a hint that it is worth looking, never a reason to believe anything. Without
//! it everything is noticed all the same, only later. Knows folders and names, nothing of what is in them.

use std::collections::BTreeSet;
use std::path::Path;

/// What somebody seems to have done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Hint {
    /// The journal has grown.
    Journal,
    /// These files, from the project's root, were written or came to be.
    Files(BTreeSet<String>),
    /// More than can be told.
    Everything,
}

/// Whether somebody still wants to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listening {
    Yes,
    No,
}

/// Who is told.
pub(crate) type Told = Box<dyn Fn(Hint) -> Listening + Send>;

/// The most folders that are watched: every one costs the system memory that is not ours.
pub(crate) const FOLDERS: usize = 4096;

#[cfg(target_os = "linux")]
pub(crate) use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub(crate) use nowhere::Watch;

/// Why a project cannot be watched here, if it cannot: edits and commits of others are noticed later then.
pub fn watching_problem(project: &Path) -> Option<String> {
    match Watch::begin(project, Box::new(|_| Listening::No)) {
        Ok(mut watch) => watch.cover(BTreeSet::from(["db".to_string()])).err(),
        Err(reason) => Some(reason),
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread::JoinHandle;

    use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
    use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
    use rustix::io::Errno;

    use super::{FOLDERS, Hint, Listening, Told};

    /// The most files that one hint names.
    const FILES: usize = 256;
    /// How many bytes of events are read at once.
    const BUFFER: usize = 16 * 1024;

    /// Folders, by the number under which the system tells of them; the journal's is empty.
    type Names = Arc<Mutex<HashMap<i32, String>>>;

    /// Watches a project until it is dropped.
    #[derive(Debug)]
    pub(crate) struct Watch {
        project: PathBuf,
        events: Arc<OwnedFd>,
        end: Arc<OwnedFd>,
        names: Names,
        folders: BTreeMap<String, i32>,
        thread: Option<JoinHandle<()>>,
    }

    impl Watch {
        pub(crate) fn begin(project: &Path, told: Told) -> Result<Self, String> {
            let fault = |errno: Errno| problem(errno);
            let events = Arc::new(init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(fault)?);
            let end = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(fault)?);
            let names = Names::default();
            let (heard, ended, known) = (events.clone(), end.clone(), names.clone());
            let thread = std::thread::Builder::new()
                .name("watch".into())
                .spawn(move || listen(&heard, &ended, &known, &told))
                .map_err(|error| format!("no thread for it: {error}"))?;
            let (project, folders) = (project.to_path_buf(), BTreeMap::new());
            Ok(Self { project, events, end, names, folders, thread: Some(thread) })
        }

        /// Watches exactly these folders from here on; says what could not be watched.
        pub(crate) fn cover(&mut self, wanted: BTreeSet<String>) -> Result<(), String> {
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::MOVED_FROM | WatchFlags::DELETE;
            let left: Vec<String> = self.folders.keys().filter(|folder| !wanted.contains(*folder)).cloned().collect();
            for folder in left {
                if let Some(number) = self.folders.remove(&folder) {
                    self.lock().remove(&number);
                    // It may be gone already.
                    let _ = remove_watch(&*self.events, number);
                }
            }
            for folder in wanted {
                if self.folders.contains_key(&folder) || self.folders.len() >= FOLDERS {
                    continue;
                }
                match add_watch(&*self.events, self.project.join(&folder), flags | WatchFlags::ONLYDIR) {
                    Ok(number) => {
                        self.lock().insert(number, folder.clone());
                        self.folders.insert(folder, number);
                    }
                    // What is not there yet is tried again.
                    Err(Errno::NOENT | Errno::NOTDIR) => {}
                    Err(errno) => return Err(problem(errno)),
                }
            }
            Ok(())
        }

        /// Tells once when the journal grows: asked for anew before every wait, so that our own commits wake nobody.
        pub(crate) fn expect_commit(&self) {
            let flags = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::ONESHOT | WatchFlags::ONLYDIR;
            let journal = self.project.join(store::OWN).join("journal");
            // Whoever cannot be told looks by itself.
            if let Ok(number) = add_watch(&*self.events, journal, flags) {
                self.lock().insert(number, String::new());
            }
        }

        fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<i32, String>> {
            self.names.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            let _ = rustix::io::write(&*self.end, &1_u64.to_ne_bytes());
            self.thread.take().map(JoinHandle::join);
        }
    }

    fn problem(errno: Errno) -> String {
        match errno {
            Errno::NOSPC => "the system's watches are used up (fs.inotify.max_user_watches)".into(),
            Errno::MFILE => "too many watchers or open files (fs.inotify.max_user_instances)".into(),
            errno => std::io::Error::from(errno).to_string(),
        }
    }

    fn listen(events: &OwnedFd, end: &OwnedFd, names: &Names, told: &Told) {
        let mut buffer = [MaybeUninit::<u8>::uninit(); BUFFER];
        loop {
            let mut waits = [PollFd::new(events, PollFlags::IN), PollFd::new(end, PollFlags::IN)];
            match poll(&mut waits, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            if !waits[1].revents().is_empty() {
                return;
            }
            if heard(events, &mut buffer, names).into_iter().any(|hint| told(hint) == Listening::No) {
                return;
            }
        }
    }

    /// All that there is to hear now.
    fn heard(events: &OwnedFd, buffer: &mut [MaybeUninit<u8>], names: &Names) -> Vec<Hint> {
        let mut reader = Reader::new(events, buffer);
        let (mut files, mut journal, mut too_much) = (BTreeSet::new(), false, false);
        while let Ok(event) = reader.next() {
            too_much |= event.events().contains(ReadFlags::QUEUE_OVERFLOW) || files.len() > FILES;
            let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
            if event.events().contains(ReadFlags::IGNORED) {
                names.remove(&event.wd());
                continue;
            }
            match names.get(&event.wd()).map(String::as_str) {
                None => {}
                Some("") => journal = true,
                Some(folder) => {
                    let name = event.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                    files.insert(format!("{folder}/{name}"));
                }
            }
        }
        let files = match (too_much, files.is_empty()) {
            (true, _) => Some(Hint::Everything),
            (false, false) => Some(Hint::Files(files)),
            (false, true) => None,
        };
        journal.then_some(Hint::Journal).into_iter().chain(files).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::Told;

    /// Nothing is watched here.
    #[derive(Debug)]
    pub(crate) struct Watch;

    impl Watch {
        pub(crate) fn begin(_: &Path, _: Told) -> Result<Self, String> {
            Err("this system's way of telling is not known here".into())
        }

        pub(crate) fn cover(&mut self, _: BTreeSet<String>) -> Result<(), String> {
            Ok(())
        }

        pub(crate) fn expect_commit(&self) {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test ends where it fails")]

    use super::*;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    fn begin(project: &Path) -> (Watch, Receiver<Hint>) {
        let (sender, receiver) = channel();
        let told = move |hint| match sender.send(hint) {
            Ok(()) => Listening::Yes,
            Err(_) => Listening::No,
        };
        (Watch::begin(project, Box::new(told)).unwrap(), receiver)
    }

    fn next(hints: &Receiver<Hint>) -> Hint {
        hints.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    /// QL-23: a file that is written or moved into a folder is told by name, whatever else is not watched.
    #[test]
    fn files_of_watched_folders_are_told() {
        let project = tempfile::tempdir().unwrap();
        let place = |path: &str| project.path().join(path);
        std::fs::create_dir_all(place("runs/r/db")).unwrap();
        std::fs::create_dir_all(place("other")).unwrap();
        let (mut watch, hints) = begin(project.path());
        watch.cover(["db", "runs/r/db"].map(String::from).into()).unwrap();
        std::fs::write(place("other/x.md"), "x").unwrap();
        std::fs::write(place("runs/r/db/tasks.md"), "x").unwrap();
        assert_eq!(next(&hints), Hint::Files(BTreeSet::from(["runs/r/db/tasks.md".to_string()])));
        std::fs::create_dir(place("db")).unwrap();
        // What is wanted no more is told no more; what is there by now is watched.
        watch.cover(["db"].map(String::from).into()).unwrap();
        std::fs::write(place("runs/r/db/tasks.md"), "y").unwrap();
        std::fs::rename(place("other/x.md"), place("db/x.md")).unwrap();
        assert_eq!(next(&hints), Hint::Files(BTreeSet::from(["db/x.md".to_string()])));
    }

    /// A commit of another process is told once, each time it is asked for.
    #[test]
    fn the_journal_is_told_of_once() {
        let project = tempfile::tempdir().unwrap();
        let journal = project.path().join(store::OWN).join("journal");
        std::fs::create_dir_all(&journal).unwrap();
        let (watch, hints) = begin(project.path());
        for _ in 0..3 {
            watch.expect_commit();
            std::fs::write(journal.join("1.jsonl"), "x").unwrap();
            std::fs::write(journal.join("1.jsonl"), "y").unwrap();
            assert_eq!(next(&hints), Hint::Journal);
            assert!(hints.try_recv().is_err(), "our own commits wake nobody");
        }
        drop(watch);
        assert!(hints.recv().is_err(), "its thread has ended");
    }
}
