//! Owns the way of an attempt's files from its workdir to whoever commits them, and what must not be found there.
//! Must not write anything, nor know where the files go.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bytes::Bytes;

use crate::beneath::{Entry, Folder};
use crate::check::path_problem;
use crate::contract::{Access, Brief, Report, ReportStatus};
use crate::limits::{MAX_ENTRIES, MAX_FOLDERS, MAX_PROBLEMS, MAX_QUOTE, OutputLimits};
use crate::words::quote;

/// Folders of a workdir in which nothing may lie that nobody asked for. Elsewhere an agent may keep notes.
const WATCHED: [&str; 8] = ["runs", "db", "assets", "data", "guidelines", "settings", "outputs", ".multiverse"];

/// A file that an attempt made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedOutput {
    /// From the project's folder.
    pub path: String,
    /// What is in it.
    pub content: Bytes,
}

/// Takes the files that a report names, and those its brief asks for, in the brief's order. What is missing, empty, too
/// large, or no ordinary file is a problem; so is a file where agents may not write (MV-32). No link is followed.
///
/// A file that the brief asks for and that lies in the workdir counts although the report forgets to name it. Only a
/// report that says `done` must have them all.
pub fn collect_outputs(
    brief: &Brief,
    workdir: &Path,
    report: &Report,
    limits: &OutputLimits,
) -> Result<Vec<CollectedOutput>, Vec<String>> {
    let root = Folder::open(workdir).map_err(|fault| vec![format!("the workdir cannot be opened: {fault}")])?;
    let mut collecting = Collecting { root, limits: *limits, total: 0, found: Vec::new(), problems: Vec::new() };
    let wanted: HashSet<&str> = brief.expects.outputs.iter().map(String::as_str).collect();
    if report.status == ReportStatus::Done {
        for path in &brief.expects.outputs {
            let claimed = report.outputs.iter().find(|output| output.path == *path);
            // A copy that was given to be changed lies there in any case: only the report says that it was.
            let given = brief.files.iter().any(|file| file.access == Access::Write && file.path == *path);
            match claimed {
                Some(output) => collecting.take(path, output.content.as_deref(), Said::Claimed),
                None if given => collecting.add(format!("{}: is missing in the report's outputs", show(path))),
                None => collecting.take(path, None, Said::Nothing),
            }
        }
    }
    for output in &report.outputs {
        if report.status != ReportStatus::Done || !wanted.contains(output.path.as_str()) {
            collecting.take(&output.path, output.content.as_deref(), Said::Claimed);
        }
    }
    collecting.look_for_strays(brief, report);
    if collecting.problems.is_empty() { Ok(collecting.found) } else { Err(collecting.problems) }
}

/// Whether the report names a file.
#[derive(Clone, Copy)]
enum Said {
    Claimed,
    Nothing,
}

struct Collecting {
    root: Folder,
    limits: OutputLimits,
    total: u64,
    found: Vec<CollectedOutput>,
    problems: Vec<String>,
}

impl Collecting {
    fn take(&mut self, path: &str, content: Option<&str>, said: Said) {
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let shown = show(path);
        if let Some(problem) = path_problem(path) {
            return self.add(format!("{shown}: {problem}"));
        }
        let content = match content {
            Some(content) => Ok(content.as_bytes().to_vec()),
            None => self.read(path),
        };
        match content {
            Err(problem) => match (problem, said) {
                (Unreadable::Missing, Said::Claimed) => {
                    self.add(format!("{shown}: the report names it, but it was not written into the workdir"));
                }
                (Unreadable::Missing, Said::Nothing) => {
                    self.add(format!("{shown}: is asked for, but is neither in the report nor in the workdir"));
                }
                (Unreadable::Odd(what), _) => self.add(format!("{shown}: {what}")),
            },
            Ok(content) if content.is_empty() => self.add(format!("{shown}: is empty")),
            Ok(content) => {
                let size = content.len() as u64;
                self.total += size;
                if size > self.limits.file_bytes {
                    self.add(too_large(&shown, self.limits.file_bytes));
                } else if self.total > self.limits.total_bytes {
                    let limit = self.limits.total_bytes;
                    self.add(format!("{shown}: with it, the outputs are larger than {limit} bytes together"));
                } else {
                    self.found.push(CollectedOutput { path: path.into(), content: content.into() });
                }
            }
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, Unreadable> {
        let (parents, name) = path.rsplit_once('/').map_or((None, path), |(parents, name)| (Some(parents), name));
        let mut folder = None;
        for part in parents.into_iter().flat_map(|parents| parents.split('/')) {
            let next = {
                let here = folder.as_ref().unwrap_or(&self.root);
                here.folder(OsStr::new(part)).map_err(|fault| unreadable(here, part, &fault))?
            };
            folder = Some(next);
        }
        let here = folder.as_ref().unwrap_or(&self.root);
        let file = here.file(OsStr::new(name)).map_err(|fault| unreadable(here, name, &fault))?;
        let odd = |what: &str| Unreadable::Odd(what.into());
        let about = file.metadata().map_err(|fault| Unreadable::Odd(format!("cannot be read: {fault}")))?;
        if !about.is_file() {
            return Err(odd("is no ordinary file"));
        }
        if about.nlink() > 1 {
            return Err(odd("has another name (a hard link): write a file of its own"));
        }
        // One byte more than allowed is enough to know; the file cannot grow without end meanwhile.
        let most = self.limits.file_bytes.min(self.limits.total_bytes.saturating_sub(self.total));
        let mut content = Vec::new();
        file.take(most.saturating_add(1))
            .read_to_end(&mut content)
            .map_err(|fault| Unreadable::Odd(format!("cannot be read: {fault}")))?;
        Ok(content)
    }

    /// Files in folders that are not the agent's. The brief's own links lie there, and what was asked for.
    fn look_for_strays(&mut self, brief: &Brief, report: &Report) {
        // Whoever works in a copy may change all of it: what comes of it is measured there, not looked for here.
        if matches!(brief.protocol.as_str(), "cycle" | "roadmap") {
            return;
        }
        let given = brief.files.iter().filter(|file| file.access == Access::Write).map(|file| &file.path);
        let claimed = report.outputs.iter().map(|output| &output.path);
        let may: HashSet<&str> = brief.expects.outputs.iter().chain(claimed).chain(given).map(String::as_str).collect();
        let links: HashSet<&str> = brief.files.iter().map(|file| file.path.as_str()).collect();
        let mut left = MAX_ENTRIES;
        let mut strays = Vec::new();
        for watched in WATCHED {
            match self.root.folder(OsStr::new(watched)) {
                Ok(folder) => walk(&folder, watched, 1, &mut left, &mut |path, entry| {
                    let known = may.contains(path) || (entry == Entry::Link && links.contains(path));
                    if !known && strays.len() < MAX_PROBLEMS {
                        strays.push(path.to_string());
                    }
                }),
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
                Err(_) if links.contains(watched) || may.contains(watched) => {}
                Err(_) => strays.push(watched.into()),
            }
        }
        for path in strays {
            self.add(format!("wrote {} which it may not: write only what the brief asks for", show(&path)));
        }
        if left == 0 {
            self.add(format!("left more than {MAX_ENTRIES} files in its workdir"));
        }
    }

    fn add(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }
}

enum Unreadable {
    Missing,
    Odd(String),
}

fn unreadable(folder: &Folder, name: &str, fault: &io::Error) -> Unreadable {
    match folder.entry(OsStr::new(name)) {
        Ok(Entry::Link) => Unreadable::Odd(format!("`{}` is a symbolic link, which is not followed", show_part(name))),
        Ok(Entry::Other) => Unreadable::Odd("is no ordinary file".into()),
        Ok(Entry::File) => Unreadable::Odd(format!("`{}` cannot be opened as asked for: {fault}", show_part(name))),
        Ok(Entry::Folder) => Unreadable::Odd(format!("`{}` cannot be opened: {fault}", show_part(name))),
        Err(_) if fault.kind() == io::ErrorKind::NotFound => Unreadable::Missing,
        Err(_) => Unreadable::Odd(format!("cannot be opened: {fault}")),
    }
}

/// Everything below a folder that is none itself. What lies too deep is shown as it is.
fn walk(folder: &Folder, path: &str, depth: usize, left: &mut usize, found: &mut dyn FnMut(&str, Entry)) {
    for (name, entry) in folder.entries().unwrap_or_default() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let below = format!("{path}/{}", name.to_string_lossy());
        match entry {
            Entry::Folder if depth < MAX_FOLDERS => match folder.folder(&name) {
                Ok(folder) => walk(&folder, &below, depth + 1, left, found),
                Err(_) => found(&below, Entry::Other),
            },
            entry => found(&below, entry),
        }
    }
}

fn too_large(shown: &str, limit: u64) -> String {
    format!("{shown}: is larger than {limit} bytes")
}

fn show(path: &str) -> String {
    quote(path, 2 * MAX_QUOTE)
}

fn show_part(name: &str) -> String {
    quote(name, MAX_QUOTE)
}
