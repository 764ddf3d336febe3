//! Owns what an attempt sees of the project: its own folder laid over what it may read (QL-30, MV-32, MV-36). Paths are
//! those of the project, wherever the file lies. Must not know what a run, a role or a tool is.
//!
//! A file that the attempt wrote hides the project's; a link in the attempt's folder is followed as far as it stays
//! there, else the project's own file of that path is meant. Of the project nothing is seen but the readable paths and
//! the folders on the way to them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::beneath::{About, Folder, Kind, about_open};

/// The project's folders that no attempt changes: whatever is written for them is not taken (MV-32).
const READ_ONLY: [&str; 6] = [".multiverse", "assets", "data", "db", "guidelines", "settings"];

/// The engine's own; an attempt's folder lies in it and is reached as such.
const ENGINE: &str = ".multiverse";

/// The most names of one folder, parts of a path, and bytes of a path.
const FOLDER_NAMES: usize = 10_000;
const PATH_PARTS: usize = 64;
const PATH_BYTES: usize = 1024;

/// The most bytes of a file that are looked at.
pub(crate) const FILE_BYTES: u64 = 32 << 20;

#[derive(Debug)]
pub(crate) struct View {
    /// As given and as it really is.
    projects: [PathBuf; 2],
    workdirs: [PathBuf; 2],
    project: Folder,
    workdir: Folder,
    /// Paths from the project.
    readable: Vec<String>,
    writable: Writable,
}

/// What of the attempt's own folder may be written, by the paths of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Writable {
    /// All but the folders of the engine and of people.
    #[default]
    Usual,
    /// What lies in these folders, or anywhere if none is named; never a file whose name ends like one of those (RM-17).
    Within { folders: Vec<String>, but: Vec<String> },
}

/// One name of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// From the project; empty for the project itself.
    pub(crate) path: String,
    pub(crate) about: About,
}

/// A file that was opened, with what is known of it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) about: About,
}

impl View {
    pub(crate) fn new(project: &Path, workdir: &Path, readable: &[PathBuf]) -> io::Result<Self> {
        let named = |path: &Path| -> io::Result<[PathBuf; 2]> {
            let real = path.canonicalize()?;
            Ok([std::path::absolute(path)?, real])
        };
        let with = |path: &Path, fault: io::Error| io::Error::new(fault.kind(), format!("{}: {fault}", path.display()));
        let projects = named(project).map_err(|fault| with(project, fault))?;
        let workdirs = named(workdir).map_err(|fault| with(workdir, fault))?;
        let from_project = |path: &PathBuf| {
            let inside = projects.iter().find_map(|project| path.strip_prefix(project).ok());
            let inside = if path.is_relative() { Some(path.as_path()) } else { inside };
            inside.and_then(Path::to_str).and_then(|inside| normal(inside).ok())
        };
        let mut readable: Vec<String> = readable.iter().filter_map(from_project).collect();
        readable.sort();
        readable.dedup();
        let project = Folder::open(&projects[1]).map_err(|fault| with(project, fault))?;
        let workdir = Folder::open(&workdirs[1]).map_err(|fault| with(workdir, fault))?;
        Ok(Self { projects, workdirs, project, workdir, readable, writable: Writable::Usual })
    }

    /// The same with other rules of writing.
    pub(crate) fn with_writable(mut self, writable: Writable) -> Self {
        self.writable = writable;
        self
    }

    /// The path from the project that is meant: relative, or absolute and inside.
    pub(crate) fn path(&self, given: &str) -> Result<String, String> {
        let shown = shown(given);
        let Some(_) = given.strip_prefix('/') else {
            return normal(given).map_err(|why| format!("`{shown}` {why}"));
        };
        // The attempt's folder lies in the project, so it is asked first.
        let mut bases = self.workdirs.iter().chain(&self.projects);
        let inside = bases.find_map(|base| Path::new(given).strip_prefix(base).ok());
        match inside.and_then(Path::to_str) {
            Some(inside) => normal(inside).map_err(|why| format!("`{shown}` {why}")),
            None => Err(format!(
                "`{shown}` lies outside the project: give a path from the project's folder, as `assets/notes.md`"
            )),
        }
    }

    /// As the seeds have it: absolute.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.projects[0].join(path).display().to_string()
    }

    pub(crate) fn workdir(&self) -> &Path {
        &self.workdirs[1]
    }

    /// What is readable and really lies in the project, for a program that is confined to it.
    pub(crate) fn readable_places(&self) -> Vec<PathBuf> {
        let places = self.readable.iter().filter_map(|path| self.projects[1].join(path).canonicalize().ok());
        places.filter(|place| place.starts_with(&self.projects[1])).collect()
    }

    /// Opens an ordinary file to read. What is wrong names the path.
    pub(crate) fn open(&self, path: &str) -> Result<Opened, String> {
        let closed = || self.closed(path);
        let file = match self.workdir.file(path) {
            Ok(file) => file,
            // A socket of its own: it is there, but nothing to open.
            Err(fault) if fault.raw_os_error() == Some(libc::ENXIO) => return Err(explain(path, &fault)),
            Err(_) => self.open_in_project(path).ok_or_else(closed)?.map_err(|fault| explain(path, &fault))?,
        };
        let about = about_open(&file).map_err(|fault| explain(path, &fault))?;
        match about.kind {
            Kind::File => Ok(Opened { file, about }),
            Kind::Folder => Err(format!("`{}` is a folder: list_directory shows what is in it", shown(path))),
            _ => Err(format!("`{}` is a pipe, a socket or a device, which is not read", shown(path))),
        }
    }

    /// The whole of an ordinary file, up to [`FILE_BYTES`], and whether that is all.
    pub(crate) fn read(&self, path: &str) -> Result<(Vec<u8>, About), String> {
        let Opened { file, about } = self.open(path)?;
        let mut content = Vec::new();
        file.take(FILE_BYTES).read_to_end(&mut content).map_err(|fault| explain(path, &fault))?;
        Ok((content, about))
    }

    /// What is at a path.
    pub(crate) fn about(&self, path: &str) -> Result<About, String> {
        if let Ok(about) = self.workdir.about_path(path) {
            return Ok(about);
        }
        let within = self.readable.iter().any(|root| within(path, root));
        if within && path.split('/').next() != Some(ENGINE) {
            let found = self.in_root(path, |folder, rest| folder.about_path(rest));
            return found.ok_or_else(|| self.closed(path))?.map_err(|fault| explain(path, &fault));
        }
        match self.readable.iter().any(|root| within_folder(root, path)) {
            true => Ok(About { kind: Kind::Folder, bytes: 0, changed: 0 }),
            false => Err(self.closed(path)),
        }
    }

    /// What is in a folder, in the order of names, and how many names there are that cannot be shown.
    pub(crate) fn entries(&self, path: &str) -> Result<(Vec<Entry>, usize), String> {
        if self.about(path)?.kind != Kind::Folder {
            return Err(format!("`{}` is a file: read_file reads it", shown(path)));
        }
        let mut found: BTreeMap<String, About> = BTreeMap::new();
        let mut unshown = 0;
        let mut add = |folder: &Folder, whole: &dyn Fn(&str) -> io::Result<About>| {
            let (names, others) = folder.names(FOLDER_NAMES).unwrap_or_default();
            unshown += others;
            for name in names {
                if let Ok(about) = whole(&name)
                    && !found.contains_key(&name)
                {
                    found.insert(name, about);
                }
            }
        };
        if let Ok(folder) = self.workdir.folder(path) {
            add(&folder, &|name| match folder.about(name)? {
                // One that stays is what it leads to; else the project's own is meant, if there is one.
                About { kind: Kind::Link, .. } => self.workdir.about_path(&joined(path, name)),
                about => Ok(about),
            });
        }
        if let Some(Ok(folder)) = self.in_root(path, Folder::folder) {
            add(&folder, &|name| {
                if path.is_empty() && name == ENGINE {
                    return Err(io::ErrorKind::NotFound.into());
                }
                self.in_root(&joined(path, name), |folder, rest| folder.about_path(rest))
                    .unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
            });
        }
        for root in self.readable.iter().filter(|root| within_folder(root, path)) {
            let rest = root[path.len()..].trim_start_matches('/');
            let name = rest.split('/').next().unwrap_or_default();
            if let Ok(about) = self.about(&joined(path, name)) {
                found.entry(name.into()).or_insert(about);
            }
        }
        let entries = found.into_iter().map(|(name, about)| Entry { path: joined(path, &name), about }).collect();
        Ok((entries, unshown))
    }

    /// Why nothing can be written at a path; nothing if it can.
    pub(crate) fn not_writable(&self, path: &str) -> Option<String> {
        let first = path.split('/').next().unwrap_or_default();
        if path.is_empty() {
            return Some("the project's folder itself cannot be written: name a file in it".into());
        }
        let Writable::Within { folders, but } = &self.writable else {
            return READ_ONLY.contains(&first).then(|| {
                format!(
                    "`{}` cannot be written: {first}/ is read-only; write to a path that the brief expects",
                    shown(path)
                )
            });
        };
        if [ENGINE, ".git"].contains(&first) {
            return Some(format!("`{}` cannot be written: {first}/ belongs to a program", shown(path)));
        }
        if let Some(ending) = but.iter().find(|ending| path.ends_with(ending.as_str())) {
            return Some(format!("`{}` cannot be written: files that end in {ending} are kept by code", shown(path)));
        }
        let is_within = |folder: &String| within(path, folder.trim_start_matches("./").trim_matches(['/', '.']));
        (!folders.is_empty() && !folders.iter().any(is_within)).then(|| {
            format!(
                "`{}` cannot be written: it lies outside the folders of the task: {}",
                shown(path),
                folders.join(", ")
            )
        })
    }

    /// Puts a file into the attempt's folder.
    pub(crate) fn write(&self, path: &str, content: &[u8]) -> Result<(), String> {
        if let Some(why) = self.not_writable(path) {
            return Err(why);
        }
        let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
        let put = self.workdir.made(parents).and_then(|folder| folder.put(name, content));
        put.map_err(|fault| match fault.raw_os_error() {
            Some(libc::EISDIR) => format!("`{}` is a folder: name a file in it", shown(path)),
            Some(libc::ENOTDIR) => format!("`{}`: a part of the path is a file, not a folder", shown(path)),
            _ => explain(path, &fault),
        })
    }

    /// Makes a folder, and those on the way to it.
    pub(crate) fn make_folder(&self, path: &str) -> Result<(), String> {
        if let Some(why) = self.not_writable(path) {
            return Err(why);
        }
        let made = self.workdir.made(path);
        made.map(drop).map_err(|fault| match fault.raw_os_error() {
            Some(libc::ENOTDIR) => format!("`{}`: a part of the path is a file, not a folder", shown(path)),
            _ => explain(path, &fault),
        })
    }

    fn open_in_project(&self, path: &str) -> Option<io::Result<File>> {
        self.in_root(path, Folder::file)
    }

    /// Opens something by the readable path that it belongs to, so that no link leads from one to another; nothing if
    /// it belongs to none.
    fn in_root<T>(&self, path: &str, open: impl Fn(&Folder, &str) -> io::Result<T>) -> Option<io::Result<T>> {
        if path.split('/').next() == Some(ENGINE) {
            return None;
        }
        let mut answer = None;
        // The longest first: it knows best.
        for root in self.readable.iter().rev().filter(|root| within(path, root)) {
            let rest = path[root.len()..].trim_start_matches('/');
            let opened = match (rest.is_empty(), root.is_empty()) {
                (_, true) | (true, _) => open(&self.project, path),
                (false, false) => self.project.folder(root).and_then(|folder| open(&folder, rest)),
            };
            match opened {
                Ok(opened) => return Some(Ok(opened)),
                Err(fault) => answer = answer.or(Some(Err(fault))),
            }
        }
        answer
    }

    fn closed(&self, path: &str) -> String {
        let first: Vec<&str> = self.readable.iter().map(String::as_str).take(SHOWN_ROOTS).collect();
        let more = self.readable.len().saturating_sub(SHOWN_ROOTS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more (list_directory shows them)") };
        format!(
            "`{}` is not there or not open to you; open are what you wrote yourself, and: {}{more}",
            shown(path),
            if first.is_empty() { "nothing else".into() } else { first.join(", ") }
        )
    }
}

/// How many readable paths a message names.
const SHOWN_ROOTS: usize = 12;

/// A path as a message shows it.
pub(crate) fn shown(path: &str) -> String {
    const MOST: usize = 200;
    let clean: String =
        path.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).take(MOST).collect();
    if clean.is_empty() { ".".into() } else { clean }
}

pub(crate) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

/// The shortest form of a path from the project; `..` may go back, but not out.
fn normal(path: &str) -> Result<String, &'static str> {
    if path.len() > PATH_BYTES {
        return Err("is longer than 1024 bytes");
    }
    if path.contains('\0') {
        return Err("holds a zero byte");
    }
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            Component::ParentDir => {
                parts.pop().ok_or("leads out of the project: give a path from the project's folder")?;
            }
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
        }
    }
    if parts.len() > PATH_PARTS { Err("has more than 64 parts") } else { Ok(parts.join("/")) }
}

/// Whether a path is a readable one or lies in it.
fn within(path: &str, root: &str) -> bool {
    root.is_empty() || path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a readable path lies somewhere in a folder.
fn within_folder(root: &str, folder: &str) -> bool {
    root != folder && within(root, folder)
}

fn explain(path: &str, fault: &io::Error) -> String {
    let shown = shown(path);
    match fault.raw_os_error() {
        Some(libc::ENOENT) => format!("`{shown}` does not exist: list_directory or glob show what does"),
        Some(libc::ENOTDIR) => format!("`{shown}`: a part of the path is a file, not a folder"),
        Some(libc::EXDEV | libc::ELOOP) => format!("`{shown}` is a link that leads out of what is open to you"),
        Some(libc::ENXIO) => format!("`{shown}` is a pipe, a socket or a device, which is not read"),
        _ => format!("`{shown}`: {fault}"),
    }
}
