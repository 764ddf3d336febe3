//! The files that an attempt works on: its own copy of the project, read within bounds and written within the folders of the
//! task (RM-17). Owns all reading and writing here. Must not know what is written, nor why.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::analysis::Unread;
use super::super::evidence::Material;
use super::super::files::{Bounds, material};
use super::super::read::Form;
use super::super::text_goal::Files;
use crate::backend::Job;
use crate::check::path_problem;
use crate::roadmap::{Context, is_within};

/// The most files below a folder that are looked at, and the largest, in bytes.
const MOST_FILES: usize = 10_000;
const LARGEST: u64 = 4 << 20;
/// Folders that are no work of anybody's.
const LEFT_OUT: [&str; 5] = [".multiverse", ".git", ".jixo", "target", "node_modules"];

/// Where an attempt works.
pub(super) struct Ground<'a> {
    workdir: &'a Path,
    run: &'a str,
    dirs: &'a [String],
}

impl<'a> Ground<'a> {
    pub(super) fn new(job: &'a Job, context: &'a Context) -> Self {
        Self { workdir: &job.workdir, run: &job.brief.run_id, dirs: &context.task.dirs }
    }

    /// The folders of the task; empty: all of the project.
    pub(super) fn dirs(&self) -> &[String] {
        self.dirs
    }

    /// The text of a file; nothing if there is none. What is no text, or too large, is an error.
    pub(super) fn text(&self, path: &str) -> Result<Option<String>, String> {
        let place = self.place(path)?;
        match fs::metadata(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("`{path}` cannot be read: {error}")),
            Ok(found) if !found.is_file() => return Err(format!("`{path}` is no file")),
            Ok(found) if found.len() > LARGEST => {
                return Err(format!("`{path}` is larger than {} MiB", LARGEST >> 20));
            }
            Ok(_) => {}
        }
        fs::read_to_string(&place).map(Some).map_err(|error| format!("`{path}` cannot be read: {error}"))
    }

    /// The text of a file that must be there.
    pub(super) fn needed(&self, path: &str) -> Result<String, String> {
        self.text(path)?.ok_or_else(|| format!("`{path}` is not there"))
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.place(path).is_ok_and(|place| place.exists())
    }

    /// Writes a file; whether anything changed by it.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<bool, String> {
        if let Some(reason) = self.not_writable(path) {
            return Err(reason);
        }
        if self.text(path)?.as_deref() == Some(text) {
            return Ok(false);
        }
        let place = self.place(path)?;
        let failed = |error: std::io::Error| format!("`{path}` cannot be written: {error}");
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&place, text).map_err(failed)?;
        Ok(true)
    }

    /// Why a path may not be written; nothing if it may.
    pub(super) fn not_writable(&self, path: &str) -> Option<String> {
        if let Some(problem) = path_problem(path) {
            return Some(format!("`{path}` {problem}"));
        }
        if path.ends_with(".task.md") || path.ends_with(".log.md") {
            return Some(format!("`{path}` is a task or log file, which code alone writes"));
        }
        let first = path.split('/').next().unwrap_or_default();
        if LEFT_OUT.contains(&first) {
            return Some(format!("`{path}` lies in {first}/, which is not written"));
        }
        (!is_within(path, self.dirs))
            .then(|| format!("`{path}` lies outside the folders of the task: {}", self.dirs.join(", ")))
    }

    /// All files below a folder, or the file itself, in order; of the whole project where nothing is named.
    pub(super) fn below(&self, path: &str) -> Result<Vec<String>, String> {
        let path = path.trim_end_matches('/');
        if path.is_empty() || path == "." {
            return Ok(self.listed(self.workdir));
        }
        let place = self.place(path)?;
        match fs::metadata(&place) {
            Ok(found) if found.is_dir() => Ok(self.listed(&place)),
            Ok(_) => Ok(vec![path.to_string()]),
            Err(_) => Err(format!("`{path}` is not there")),
        }
    }

    fn listed(&self, top: &Path) -> Vec<String> {
        let (mut folders, mut files) = (vec![top.to_path_buf()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                    folders.push(path);
                } else if kind.is_file()
                    && files.len() < MOST_FILES
                    && let Some(inside) = path.strip_prefix(self.workdir).ok().and_then(Path::to_str)
                    && !crate::OWN_NAMES.contains(&inside)
                {
                    files.push(inside.to_string());
                }
            }
        }
        files.sort();
        files
    }

    /// The sources that are named, files or folders, in a form that can be read; without names those of the task's folders.
    pub(super) fn sources(&self, named: &[String], but: &str) -> Result<Vec<String>, String> {
        let named: Vec<String> = match (named.is_empty(), self.dirs.is_empty()) {
            (false, _) => named.to_vec(),
            (true, false) => self.dirs.to_vec(),
            (true, true) => vec![String::new()],
        };
        let mut all = Vec::new();
        for one in &named {
            all.extend(self.below(one)?);
        }
        all.retain(|path| path != but && Form::of(path).is_some());
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// Sources, read; nothing if it is to stop.
    pub(super) fn material(&self, paths: &[String], stopped: &dyn Fn() -> bool) -> Option<Material> {
        let bounds = Bounds { run: self.run, project: self.workdir, readable: &[] };
        let mut material = material(&bounds, paths, stopped)?;
        // A paper that this agent wrote for an item is a source like any other.
        for (path, paper) in std::mem::take(&mut material.papers) {
            let why = format!("a paper of this agent: {}", paper.title);
            material.unread.push(Unread { path, why });
        }
        Some(material)
    }

    /// All Markdown files, as goals over texts want them; of others the names alone.
    pub(super) fn texts(&self) -> Files {
        let mut files = Files::new();
        for path in self.listed(self.workdir) {
            let is_text = path.ends_with(".md") || path.ends_with(".markdown");
            let text = if is_text { self.text(&path).ok().flatten() } else { Some(String::new()) };
            files.extend(text.map(|text| (path, text)));
        }
        files
    }

    /// Where a path leads: into the copy, and by no link out of it.
    fn place(&self, path: &str) -> Result<PathBuf, String> {
        if let Some(problem) = path_problem(path.trim_end_matches('/')) {
            return Err(format!("`{path}` {problem}"));
        }
        let place = self.workdir.join(path);
        let top = self.workdir.canonicalize().map_err(|error| format!("the working folder is gone: {error}"))?;
        let there = place.ancestors().find_map(|part| part.canonicalize().ok());
        match there {
            Some(real) if !real.starts_with(&top) => Err(format!("`{path}` leads out of the project")),
            _ => Ok(place),
        }
    }
}
