//! Owns the folder of one attempt, `.multiverse/scratch/RUN/FENCE/`: what lies in it at the beginning, and that nothing
//! is left in the end. Must not know what is done in it.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::beneath::Folder;
use crate::check::path_problem;
use crate::contract::{Access, Brief, BriefFile};
use crate::limits::OutputLimits;
use crate::words::quote;

/// Names in a workdir that are the program's own.
pub(crate) const BRIEF_FILE: &str = "brief.json";
/// What stands in a workdir for the agent's sake, and is no work of its own.
pub const OWN_NAMES: [&str; 4] = [BRIEF_FILE, "report.json", HOME, TEMPORARY];
pub(crate) const HOME: &str = ".home";
pub(crate) const TEMPORARY: &str = ".tmp";

/// How often a folder that is swept away while it is made is made again.
const MAX_TRIES: usize = 100;

/// The folder of one attempt. It stays until [`Scratch::remove`].
#[derive(Debug)]
pub struct Scratch {
    project: PathBuf,
    run_id: String,
    fence: u64,
}

/// A scratch folder could not be made or removed.
#[derive(Debug)]
pub struct ScratchFault {
    /// Where.
    pub path: PathBuf,
    /// What went wrong.
    pub reason: String,
}

impl std::fmt::Display for ScratchFault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "scratch folder {}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for ScratchFault {}

impl Scratch {
    /// Makes the folder anew, with the brief's files where its paths say: links to those that may be read, copies of
    /// those that may be changed; and with the folders of the expected outputs. `project` is absolute.
    ///
    /// A file that cannot be placed, because it is not there or something else has its place, is left out: the agent
    /// finds it missing, as anybody would.
    pub fn make(project: &Path, fence: u64, brief: &Brief) -> Result<Self, ScratchFault> {
        let scratch = Self::of(project, fence, &brief.run_id)?;
        scratch.place(brief).map_err(|reason| scratch.fault(&reason))?;
        Ok(scratch)
    }

    /// Makes the folder anew, with nothing in it: for work in a place of its own, which is made inside.
    pub fn make_empty(project: &Path, fence: u64, run_id: &str) -> Result<Self, ScratchFault> {
        let scratch = Self::of(project, fence, run_id)?;
        scratch.top().and_then(|top| scratch.begin(&top)).map_err(|reason| scratch.fault(&reason))?;
        Ok(scratch)
    }

    fn of(project: &Path, fence: u64, run_id: &str) -> Result<Self, ScratchFault> {
        let scratch = Self { project: project.into(), run_id: run_id.into(), fence };
        if path_problem(run_id).is_some() || run_id.contains('/') {
            let reason = format!("`{}` is no name of a run", quote(run_id, 80));
            return Err(ScratchFault { path: scratch.workdir(), reason });
        }
        Ok(scratch)
    }

    fn fault(&self, reason: &io::Error) -> ScratchFault {
        ScratchFault { path: self.workdir(), reason: reason.to_string() }
    }

    /// The folder to work in.
    pub fn workdir(&self) -> PathBuf {
        self.project.join(".multiverse/scratch").join(&self.run_id).join(self.fence.to_string())
    }

    /// Removes the folder and all in it; links are removed, never followed.
    pub fn remove(&self) -> Result<(), ScratchFault> {
        self.clear().map_err(|reason| ScratchFault { path: self.workdir(), reason: reason.to_string() })
    }

    /// Removes what attempts left behind that nobody works on any more. `is_alive` is asked for each run and fence.
    pub fn sweep(project: &Path, is_alive: &dyn Fn(&str, u64) -> bool) -> Result<usize, ScratchFault> {
        let path = project.join(".multiverse/scratch");
        let mut removed = 0;
        let mut look = || -> io::Result<()> {
            let top = match open_scratch(project) {
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
                top => top?,
            };
            for run in top.names()? {
                // What is gone in the meantime, somebody else has swept.
                let Ok(folder) = top.folder(&run) else { continue };
                let Ok(fences) = folder.names() else { continue };
                for fence in fences {
                    let number = fence.to_str().and_then(|fence| fence.parse().ok());
                    let alive = number.zip(run.to_str()).is_some_and(|(number, run)| is_alive(run, number));
                    if !alive && folder.folder(&fence).is_ok() {
                        folder.remove_folder(&fence)?;
                        removed += 1;
                    }
                }
                // Only an empty folder goes: an attempt may begin in it at this moment.
                let _ = rustix::fs::unlinkat(&top, &*run, rustix::fs::AtFlags::REMOVEDIR);
            }
            Ok(())
        };
        look().map_err(|reason| ScratchFault { path, reason: reason.to_string() })?;
        Ok(removed)
    }

    /// The folder of all of them.
    fn top(&self) -> io::Result<Folder> {
        match open_scratch(&self.project) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                Folder::open(&self.project)?.made_path([".multiverse", "scratch"].into_iter())
            }
            top => top,
        }
    }

    fn place(&self, brief: &Brief) -> io::Result<()> {
        let mut made = Made { workdir: self.begin(&self.top()?)?, way: Vec::new() };
        for output in brief.expects.outputs.iter().filter(|output| path_problem(output).is_none()) {
            if let Some((parents, _)) = output.rsplit_once('/') {
                made.folder(parents)?;
            }
        }
        let mut files: Vec<&BriefFile> = brief.files.iter().filter(|file| path_problem(&file.path).is_none()).collect();
        // A folder goes before what lies in it: then one link serves for both.
        files.sort_by_key(|file| file.path.len());
        for file in files {
            let (parents, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            if parents.is_empty() && [BRIEF_FILE, HOME, TEMPORARY].contains(&name) {
                continue;
            }
            let Ok(folder) = made.folder(parents) else { continue };
            let source = self.project.join(&file.path);
            match file.access {
                Access::Read => match folder.link(OsStr::new(name), &source) {
                    Err(fault) if fault.kind() != io::ErrorKind::AlreadyExists => return Err(fault),
                    _ => {}
                },
                Access::Write => self.copy(&file.path, folder, name)?,
            }
        }
        Ok(())
    }

    /// The empty folder. A sweep may take the run's own folder, empty as it is, before ours is in it: then again.
    fn begin(&self, top: &Folder) -> io::Result<Folder> {
        let fence = self.fence.to_string();
        let try_once = || {
            let name = OsStr::new(&self.run_id);
            let run = top.folder(name).or_else(|_| top.made_folder(name))?;
            run.remove_folder(OsStr::new(&fence))?;
            run.made_folder(OsStr::new(&fence))
        };
        for _ in 1..MAX_TRIES {
            match try_once() {
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
                begun => return begun,
            }
        }
        try_once()
    }

    /// A copy of an ordinary file of the project. No link is followed: it could lead out of the project.
    fn copy(&self, path: &str, folder: &Folder, name: &str) -> io::Result<()> {
        let mut from = Folder::open(&self.project)?;
        let (parents, last) = path.rsplit_once('/').unwrap_or(("", path));
        for part in parents.split('/').filter(|part| !part.is_empty()) {
            match from.folder(OsStr::new(part)) {
                Ok(next) => from = next,
                Err(_) => return Ok(()),
            }
        }
        let Ok(source) = from.file(OsStr::new(last)) else { return Ok(()) };
        let about = source.metadata()?;
        let most = OutputLimits::default().file_bytes;
        if !about.is_file() {
            return Ok(());
        }
        if about.size() > most {
            return Err(io::Error::other(format!("{path} is larger than {most} bytes, too large to be changed")));
        }
        match folder.new_file(OsStr::new(name)) {
            Ok(mut copy) => io::copy(&mut source.take(most), &mut copy).map(|_| ()),
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn clear(&self) -> io::Result<()> {
        let top = match open_scratch(&self.project) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
            top => top?,
        };
        let run = match top.folder(OsStr::new(&self.run_id)) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(()),
            run => run?,
        };
        // The run's own folder stays for the sweep: another attempt of the run may be making its own in it just now.
        run.remove_folder(OsStr::new(&self.fence.to_string()))
    }
}

/// The folders of a workdir that lie on the way to the last one that was asked for: the next one often lies on it, too.
struct Made {
    workdir: Folder,
    way: Vec<(String, Folder)>,
}

impl Made {
    /// A way of more parts is not kept: handles are few.
    const KEPT: usize = 16;

    /// The folder at a path of the workdir, made part by part.
    fn folder(&mut self, path: &str) -> io::Result<&Folder> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let same = self.way.iter().zip(&parts).take_while(|((known, _), part)| known == *part).count();
        self.way.truncate(same);
        if parts.len() > Self::KEPT {
            // It stands for the whole way, and is on none to another.
            self.way = vec![(String::new(), self.workdir.made_path(parts.into_iter())?)];
            return Ok(&self.way[0].1);
        }
        for part in &parts[same..] {
            let above = self.way.last().map_or(&self.workdir, |(_, folder)| folder);
            let folder = above.made_folder(OsStr::new(part))?;
            self.way.push(((*part).to_string(), folder));
        }
        Ok(self.way.last().map_or(&self.workdir, |(_, folder)| folder))
    }
}

fn open_scratch(project: &Path) -> io::Result<Folder> {
    Folder::open(project)?.folder(OsStr::new(".multiverse"))?.folder(OsStr::new("scratch"))
}
