//! What lies between two commits or trees, counted by git from the objects themselves: nobody's word is taken for it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::{GitFault, ObjectId, Repository};

/// What lies between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measure {
    pub files: Vec<MeasuredFile>,
}

/// One file that differs. A file that was renamed is two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredFile {
    pub path: PathBuf,
    /// Lines; nothing for what has none (binary files, and repositories in the repository).
    pub added: Option<u64>,
    pub removed: Option<u64>,
}

impl Measure {
    /// Lines added and removed. A file without lines counts as one: something was changed.
    pub fn lines(&self) -> u64 {
        let of = |file: &MeasuredFile| match (file.added, file.removed) {
            (Some(added), Some(removed)) => added.saturating_add(removed),
            _ => 1,
        };
        self.files.iter().map(of).fold(0, u64::saturating_add)
    }
}

impl Repository {
    /// What lies between two commits or trees.
    pub fn measure(&self, old: &ObjectId, new: &ObjectId) -> Result<Measure, GitFault> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--numstat",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=none",
            old.as_str(),
            new.as_str(),
        ];
        let answer = self.git(arguments).answer()?;
        let mut measure = Measure::default();
        for entry in answer.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let mut parts = entry.splitn(3, |byte| *byte == b'\t');
            let mut count = || Some(String::from_utf8_lossy(parts.next()?).parse::<u64>().ok());
            let (Some(added), Some(removed)) = (count(), count()) else { continue };
            let Some(path) = parts.next() else { continue };
            measure.files.push(MeasuredFile { path: PathBuf::from(OsString::from_vec(path.to_vec())), added, removed });
        }
        Ok(measure)
    }

    /// The difference as a patch, up to so many bytes, for people and agents to read.
    pub fn patch(&self, old: &ObjectId, new: &ObjectId, most: usize) -> Result<String, GitFault> {
        let arguments = [
            "diff-tree",
            "-r",
            "-p",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=none",
            old.as_str(),
            new.as_str(),
        ];
        let mut text = String::from_utf8_lossy(&self.git(arguments).answer()?).into_owned();
        if text.len() > most {
            let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let left = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("\n({left} more bytes of the difference are not shown)\n"));
        }
        Ok(text)
    }
}
