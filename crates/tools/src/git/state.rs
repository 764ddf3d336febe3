//! What is: where the head stands, what differs from it, which references there are, what came before what. Changes
//! nothing, and takes no lock.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::{GitFault, ObjectId, Repository};

/// Where a working tree stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// On a branch.
    Branch { branch: String, commit: ObjectId },
    /// On a branch that has no commit yet.
    Unborn { branch: String },
    /// On no branch.
    Detached { commit: ObjectId },
}

/// What of a working tree is not in its head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Changed, added or removed, in the index or in the working tree.
    pub changed: Vec<PathBuf>,
    /// Those of the changed files that are changed in the index.
    pub staged: Vec<PathBuf>,
    /// Not known to git and not ignored; a folder stands for all in it.
    pub untracked: Vec<PathBuf>,
    /// Left open by a merge.
    pub unmerged: Vec<PathBuf>,
    /// What is in the middle, by its name in git: `merge`, `rebase`, ….
    pub under_way: Option<&'static str>,
}

impl Status {
    /// Whether there is nothing that a person or a program could miss.
    pub fn is_clean(&self) -> bool {
        self.changed.is_empty() && self.untracked.is_empty() && self.unmerged.is_empty() && self.under_way.is_none()
    }

    /// All paths, for a message.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.unmerged.iter().chain(&self.changed).chain(&self.untracked).map(PathBuf::as_path)
    }
}

/// One commit of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub commit: ObjectId,
    pub tree: ObjectId,
    pub parents: Vec<ObjectId>,
    pub author: String,
    pub author_email: String,
    pub committer: String,
    pub committer_email: String,
    /// Seconds since 1970.
    pub committed: i64,
    pub message: String,
}

/// The most commits of a history that are read at once.
pub(super) const LOGGED: usize = 10_000;

const UNDER_WAY: [(&str, &str); 6] = [
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("BISECT_LOG", "bisect"),
];

impl Repository {
    /// Where the working tree stands.
    pub fn head(&self) -> Result<Head, GitFault> {
        let said = self.git(["symbolic-ref", "-q", "HEAD"]).said()?;
        let name = String::from_utf8_lossy(&said.output);
        let branch = said.status.success().then(|| name.trim_end().trim_start_matches("refs/heads/").to_owned());
        match (branch, self.commit_at("HEAD")?) {
            (Some(branch), Some(commit)) => Ok(Head::Branch { branch, commit }),
            (Some(branch), None) => Ok(Head::Unborn { branch }),
            (None, Some(commit)) => Ok(Head::Detached { commit }),
            (None, None) => {
                Err(GitFault::Damaged { folder: self.work_tree.clone(), why: "its head leads nowhere".into() })
            }
        }
    }

    /// The branch that the working tree is on, and its commit; anything else is a fault.
    pub fn branch(&self) -> Result<(String, ObjectId), GitFault> {
        let folder = self.work_tree.clone();
        match self.head()? {
            Head::Branch { branch, commit } => Ok((branch, commit)),
            Head::Unborn { branch } => Err(GitFault::Unborn { folder, branch }),
            Head::Detached { commit } => Err(GitFault::Detached { folder, commit: commit.short().into() }),
        }
    }

    /// What a branch stands at; nothing if there is none of that name.
    pub fn branch_at(&self, branch: &str) -> Result<Option<ObjectId>, GitFault> {
        if let Some(why) = super::branch_problem(branch) {
            return Err(GitFault::BadName { name: branch.into(), why });
        }
        self.commit_at(&format!("refs/heads/{branch}"))
    }

    /// The commit that a reference or an id means.
    pub(super) fn commit_at(&self, name: &str) -> Result<Option<ObjectId>, GitFault> {
        let name = format!("{name}^{{commit}}");
        let said = self.git(["rev-parse", "--verify", "-q", "--end-of-options", &name]).said()?;
        // `--end-of-options` is echoed by some versions.
        let text = String::from_utf8_lossy(&said.output).replace("--end-of-options\n", "");
        Ok(said.status.success().then(|| ObjectId::read(text.trim_end())).flatten())
    }

    /// Whether there is such a commit.
    pub fn has(&self, commit: &ObjectId) -> Result<bool, GitFault> {
        Ok(self.commit_at(commit.as_str())?.is_some())
    }

    /// What differs from the head. Submodules are not looked into: their settings are not overruled.
    pub fn status(&self) -> Result<Status, GitFault> {
        let arguments =
            ["status", "--porcelain=v2", "-z", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames"];
        let answer = self.git(arguments).answer()?;
        let mut status = Status::default();
        for entry in answer.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            let (list, fields) = match entry[0] {
                b'1' => (&mut status.changed, 8),
                b'u' => (&mut status.unmerged, 10),
                b'?' => (&mut status.untracked, 1),
                _ => continue,
            };
            let path = entry.splitn(fields + 1, |byte| *byte == b' ').nth(fields);
            let path = path.map(|path| PathBuf::from(OsString::from_vec(path.to_vec())));
            list.extend(path.clone());
            // `1 XY …`: X is the index's.
            if entry[0] == b'1' && entry.get(2) != Some(&b'.') {
                status.staged.extend(path);
            }
        }
        status.under_way = UNDER_WAY.iter().find(|(name, _)| self.git_dir.join(name).exists()).map(|(_, what)| *what);
        Ok(status)
    }

    /// All references below a prefix (`refs/heads/`), and what they stand at.
    pub fn references(&self, prefix: &str) -> Result<BTreeMap<String, ObjectId>, GitFault> {
        let answer = self.git(["for-each-ref", "--format=%(objectname) %(refname)", prefix]).answer()?;
        let lines = answer.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
        let pairs = lines.filter_map(|line| {
            let (id, name) = line.split_once(' ')?;
            Some((name.to_owned(), ObjectId::read(id)?))
        });
        Ok(pairs.collect())
    }

    /// Whether one commit is the other or came before it.
    pub fn is_ancestor(&self, old: &ObjectId, new: &ObjectId) -> Result<bool, GitFault> {
        self.git(["merge-base", "--is-ancestor", old.as_str(), new.as_str()]).yes()
    }

    /// The commits that lead from one to the other, oldest first. If the old one is not before the new one, that is
    /// said by nothing here: see [`Repository::is_ancestor`].
    pub fn log(&self, old: Option<&ObjectId>, new: &ObjectId) -> Result<Vec<Logged>, GitFault> {
        const FORMAT: &str = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%cn%x00%ce%x00%ct%x00%B%x00";
        let count = format!("--max-count={LOGGED}");
        let mut arguments = vec![
            "log",
            "-z",
            "--no-show-signature",
            "--no-patch",
            "--no-notes",
            "--no-mailmap",
            "--no-decorate",
            "--topo-order",
            "--reverse",
        ];
        arguments.extend([count.as_str(), FORMAT, new.as_str()]);
        let not = old.map(|old| format!("^{old}"));
        arguments.extend(not.as_deref());
        arguments.push("--");
        let answer = self.git(arguments).answer()?;
        let text = String::from_utf8_lossy(&answer);
        let fields: Vec<&str> = text.split('\0').collect();
        let mut log = Vec::new();
        // Ten fields: nine with their ends, and one that `-z` adds.
        for part in fields.chunks(10).filter(|part| part.len() >= 9) {
            let odd = || GitFault::Odd { command: "log".into(), folder: self.work_tree.clone(), said: part.join(" ") };
            let id = |text: &str| ObjectId::read(text).ok_or_else(odd);
            log.push(Logged {
                commit: id(part[0])?,
                tree: id(part[1])?,
                parents: part[2].split_whitespace().map(id).collect::<Result<_, _>>()?,
                author: part[3].into(),
                author_email: part[4].into(),
                committer: part[5].into(),
                committer_email: part[6].into(),
                committed: part[7].parse().map_err(|_| odd())?,
                message: part[8].trim_end().into(),
            });
        }
        Ok(log)
    }

    /// One commit.
    pub fn logged(&self, commit: &ObjectId) -> Result<Logged, GitFault> {
        let none = || GitFault::NoSuch { folder: self.work_tree.clone(), what: format!("commit {commit}") };
        if !self.has(commit)? {
            return Err(none());
        }
        let parents = self.git(["rev-parse", "--end-of-options", &format!("{commit}^@")]).line().unwrap_or_default();
        let parent = parents.lines().find_map(ObjectId::read);
        let log = self.log(parent.as_ref(), commit)?;
        log.into_iter().find(|logged| logged.commit == *commit).ok_or_else(none)
    }

    /// What a file held in a commit; nothing if it was not there, or was no file.
    pub fn file_at(&self, commit: &ObjectId, path: &Path) -> Result<Option<Vec<u8>>, GitFault> {
        let mut name = OsString::from(format!("{commit}:"));
        name.push(path);
        let mut feed = name.into_vec();
        if feed.contains(&b'\n') {
            return Err(GitFault::BadName { name: path.display().to_string(), why: "the path has a line end".into() });
        }
        feed.push(b'\n');
        let answer = self.git(["cat-file", "--batch"]).feed(feed).answer()?;
        let Some(end) = answer.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let about = String::from_utf8_lossy(&answer[..end]).into_owned();
        let mut words = about.split(' ').skip(1);
        match (words.next(), words.next().and_then(|size| size.parse::<usize>().ok())) {
            (Some("blob"), Some(size)) => Ok(answer.get(end + 1..end + 1 + size).map(<[u8]>::to_vec)),
            _ => Ok(None),
        }
    }
}
