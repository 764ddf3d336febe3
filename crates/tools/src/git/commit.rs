//! A commit as an object: its tree from a folder or from single files, in an index of its own. Neither the repository's
//! index nor its head nor any file of the working tree is touched, so it may be made again and is the same again.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::{GitFault, ObjectId, Repository};

/// Who did something in a repository, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub name: String,
    pub email: String,
    /// Seconds since 1970. Always written in UTC.
    pub seconds: i64,
}

/// A commit to be made.
#[derive(Debug, Clone)]
pub struct NewCommit<'a> {
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
    pub author: &'a Stamp,
    pub committer: &'a Stamp,
    pub message: &'a str,
}

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It holds this. Whether it may be executed stays; a new one may not.
    Put { path: PathBuf, content: Vec<u8> },
    /// It goes.
    Remove { path: PathBuf },
}

/// What is known of a folder before its files are looked at.
#[derive(Debug, Clone)]
pub struct Known {
    /// An index of the folder: files that it knows unchanged are not read again.
    pub index: PathBuf,
    /// A list of what is ignored there.
    pub excluded: PathBuf,
}

/// A file that is an index for one use, with the locks that git makes beside it.
pub(super) struct OwnIndex {
    path: PathBuf,
}

impl OwnIndex {
    /// A place in the repository for an index: on the same disk, and where nobody else looks.
    pub(super) fn new(repository: &Repository) -> Result<Self, GitFault> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = repository.git_dir.join("multiverse");
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("index-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| GitFault::File { path: folder, why: error.to_string() })?;
        let own = Self { path };
        own.clear();
        Ok(own)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn clear(&self) {
        let mut lock = self.path.clone().into_os_string();
        lock.push(".lock");
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(lock);
    }
}

impl Drop for OwnIndex {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Repository {
    /// The tree of a folder's files as they are, without what is ignored. `base` is what they were made from.
    pub fn tree_of(&self, folder: &Path, base: Option<&ObjectId>, known: Option<&Known>) -> Result<ObjectId, GitFault> {
        let index = OwnIndex::new(self)?;
        let in_index = |arguments: &[&str]| {
            let git = self.git(arguments).with("GIT_INDEX_FILE", index.path()).with("GIT_WORK_TREE", folder);
            let git = git.setting("core.bare", "false").setting("advice.addEmbeddedRepo", "false");
            match known {
                Some(known) => git.setting("core.excludesFile", &known.excluded),
                None => git,
            }
        };
        match (known, base) {
            (Some(known), _) => super::lend::copy_with_time(&known.index, index.path())?,
            (None, Some(base)) => drop(in_index(&["read-tree", base.as_str()]).answer()?),
            (None, None) => {}
        }
        in_index(&["add", "--all", "--", "."]).in_folder(folder).answer()?;
        let tree = self.written(in_index(&["write-tree"]).line()?)?;
        self.refuse_odd(folder, base, &tree)?;
        Ok(tree)
    }

    /// The tree of a commit with some files changed.
    pub fn tree_with(&self, base: Option<&ObjectId>, changes: &[Change]) -> Result<ObjectId, GitFault> {
        let index = OwnIndex::new(self)?;
        let in_index = |arguments: &[&str]| self.git(arguments).with("GIT_INDEX_FILE", index.path());
        if let Some(base) = base {
            in_index(&["read-tree", base.as_str()]).answer()?;
        }
        let modes = self.executables(base, changes)?;
        let mut feed = Vec::new();
        for (change, is_executable) in changes.iter().zip(modes) {
            let (path, line) = match change {
                Change::Remove { path } => (path, "0 0000000000000000000000000000000000000000\t".to_owned()),
                Change::Put { path, content } => {
                    let blob = self.git(["hash-object", "-w", "-t", "blob", "--no-filters", "--stdin"]);
                    let blob = self.written(blob.feed(content.clone()).line()?)?;
                    let mode = if is_executable { "100755" } else { "100644" };
                    (path, format!("{mode} {blob}\t"))
                }
            };
            feed.extend(line.as_bytes());
            feed.extend(path.as_os_str().as_bytes());
            feed.push(0);
        }
        in_index(&["update-index", "-z", "--add", "--replace", "--index-info"]).feed(feed).answer()?;
        self.written(in_index(&["write-tree"]).line()?)
    }

    /// Which of the files that are changed may be executed in the base.
    fn executables(&self, base: Option<&ObjectId>, changes: &[Change]) -> Result<Vec<bool>, GitFault> {
        let path_of = |change: &Change| match change {
            Change::Put { path, .. } | Change::Remove { path } => path.clone(),
        };
        let paths: Vec<PathBuf> = changes.iter().map(path_of).collect();
        let Some(base) = base.filter(|_| !paths.is_empty()) else { return Ok(vec![false; paths.len()]) };
        let mut arguments: Vec<OsString> = vec!["ls-tree".into(), "-z".into(), base.as_str().into(), "--".into()];
        arguments.extend(paths.iter().map(|path| path.clone().into_os_string()));
        let answer = self.git(arguments).answer()?;
        let entries: Vec<&[u8]> = answer.split(|byte| *byte == 0).collect();
        let is_executable = |path: &PathBuf| {
            let name = path.as_os_str().as_bytes();
            entries.iter().any(|entry| {
                entry.starts_with(b"100755 ")
                    && entry.iter().position(|byte| *byte == b'\t').is_some_and(|tab| entry[tab + 1..] == *name)
            })
        };
        Ok(paths.iter().map(is_executable).collect())
    }

    /// What would be in a tree otherwise than its files are: repositories in it, and files that only a filter can store.
    fn refuse_odd(&self, folder: &Path, base: Option<&ObjectId>, tree: &ObjectId) -> Result<(), GitFault> {
        let mut feed = Vec::new();
        for (mode, path) in self.differing(base, tree)? {
            if mode == "160000" {
                return Err(GitFault::Nested { path });
            }
            feed.extend(path.into_os_string().into_vec());
            feed.push(0);
        }
        if feed.is_empty() {
            return Ok(());
        }
        let answer = self
            .git(["check-attr", "-z", "--stdin", "filter"])
            .with("GIT_WORK_TREE", folder)
            .in_folder(folder)
            .feed(feed)
            .answer()?;
        let fields: Vec<&[u8]> = answer.split(|byte| *byte == 0).collect();
        for part in fields.chunks_exact(3) {
            if !matches!(part[2], b"unspecified" | b"unset" | b"set" | b"") {
                let path = PathBuf::from(OsString::from_vec(part[0].to_vec()));
                return Err(GitFault::Filtered { path, filter: String::from_utf8_lossy(part[2]).into() });
            }
        }
        Ok(())
    }

    /// The files that are new or other in a tree, with their modes.
    fn differing(&self, base: Option<&ObjectId>, tree: &ObjectId) -> Result<Vec<(String, PathBuf)>, GitFault> {
        let mut found = Vec::new();
        let Some(base) = base else {
            let answer = self.git(["ls-tree", "-r", "-z", tree.as_str()]).answer()?;
            for entry in answer.split(|byte| *byte == 0) {
                let mut parts = entry.splitn(2, |byte| *byte == b'\t');
                if let (Some(about), Some(path)) = (parts.next(), parts.next()) {
                    let mode = String::from_utf8_lossy(about).split(' ').next().unwrap_or_default().to_owned();
                    found.push((mode, PathBuf::from(OsString::from_vec(path.to_vec()))));
                }
            }
            return Ok(found);
        };
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--ignore-submodules=none",
            base.as_str(),
            tree.as_str(),
        ];
        let answer = self.git(arguments).answer()?;
        let mut parts = answer.split(|byte| *byte == 0);
        while let (Some(about), Some(path)) = (parts.next(), parts.next()) {
            let about = String::from_utf8_lossy(about);
            let mode = about.split(' ').nth(1).unwrap_or_default().to_owned();
            if mode != "000000" {
                found.push((mode, PathBuf::from(OsString::from_vec(path.to_vec()))));
            }
        }
        Ok(found)
    }

    /// Makes the object of a commit. The same values give the same object.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<ObjectId, GitFault> {
        let mut arguments = vec!["commit-tree", new.tree.as_str()];
        for parent in &new.parents {
            arguments.extend(["-p", parent.as_str()]);
        }
        arguments.extend(["-F", "-"]);
        let mut git = self.git(arguments);
        for (who, stamp) in [("AUTHOR", new.author), ("COMMITTER", new.committer)] {
            git = git.with(&format!("GIT_{who}_NAME"), plain(&stamp.name, "unknown"));
            git = git.with(&format!("GIT_{who}_EMAIL"), plain(&stamp.email, "unknown@invalid"));
            git = git.with(&format!("GIT_{who}_DATE"), format!("@{} +0000", stamp.seconds.max(0)));
        }
        let mut message = new.message.replace('\0', " ");
        if !message.ends_with('\n') {
            message.push('\n');
        }
        self.written(git.feed(message).line()?)
    }

    /// The tree of a commit.
    pub fn tree_at(&self, commit: &ObjectId) -> Result<ObjectId, GitFault> {
        let name = format!("{commit}^{{tree}}");
        self.written(self.git(["rev-parse", "--verify", "-q", &name]).line()?)
    }

    pub(super) fn written(&self, answer: String) -> Result<ObjectId, GitFault> {
        let folder = self.work_tree.clone();
        ObjectId::read(&answer).ok_or(GitFault::Odd { command: "an id".into(), folder, said: answer })
    }
}

/// A name as a line of a commit holds it.
fn plain(text: &str, otherwise: &str) -> String {
    let kept: String = text.chars().filter(|letter| !letter.is_control() && !"<>".contains(*letter)).collect();
    let kept = kept.trim().trim_matches([',', ';', ':', '"', '\'']).trim();
    if kept.is_empty() { otherwise.into() } else { kept.into() }
}
