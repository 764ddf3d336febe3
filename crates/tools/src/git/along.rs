//! The working tree after its branch was moved. What a person changed in it is never touched: then only the branch has
//! moved, and that is told. Safe to repeat, also after git was ended in the middle.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::commit::OwnIndex;
use super::{GitFault, Moved, ObjectId, Repository};

/// What became of a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brought {
    /// It was as the old commit says, and is as the new one says.
    Done,
    /// It was so already.
    Already,
    /// It was left as it is, for this reason.
    Left(String),
}

/// How many paths a message names.
const NAMED: usize = 5;

impl Repository {
    /// Moves a branch, and takes every working tree along that is on it and has no change of its own.
    pub fn advance(
        &self,
        branch: &str,
        old: &ObjectId,
        new: &ObjectId,
        why: &str,
    ) -> Result<(Moved, Vec<(PathBuf, Brought)>), GitFault> {
        self.advance_beside(branch, (old, new), why, &[])
    }

    /// The same, where these files of the working trees, from their tops, are somebody's who changes them all the time: they
    /// are neither looked at nor touched. No commit between the two may change them.
    pub fn advance_beside(
        &self,
        branch: &str,
        (old, new): (&ObjectId, &ObjectId),
        why: &str,
        beside: &[PathBuf],
    ) -> Result<(Moved, Vec<(PathBuf, Brought)>), GitFault> {
        let moved = self.move_branch(branch, Some(old), Some(new), why)?;
        let mut trees = Vec::new();
        if !matches!(moved, Moved::Elsewhere(_)) {
            let on_it = |tree: &super::Worktree| tree.branch.as_deref() == Some(branch) && !tree.is_gone;
            for tree in self.worktrees()?.into_iter().filter(on_it) {
                let brought = Self::open(&tree.folder).and_then(|one| one.bring_along_beside(old, new, beside));
                // The branch has moved: whatever is wrong with a working tree is no reason to say otherwise.
                trees.push((tree.folder, brought.unwrap_or_else(|fault| Brought::Left(fault.to_string()))));
            }
        }
        Ok((moved, trees))
    }

    /// Makes files and index of this working tree those of `new`, if they are those of `old`.
    pub fn bring_along(&self, old: &ObjectId, new: &ObjectId) -> Result<Brought, GitFault> {
        self.bring_along_beside(old, new, &[])
    }

    /// The same beside files that are neither looked at nor touched.
    pub fn bring_along_beside(&self, old: &ObjectId, new: &ObjectId, beside: &[PathBuf]) -> Result<Brought, GitFault> {
        let index_is = |commit: &ObjectId| {
            self.git(["diff-index", "--cached", "--quiet", "--ignore-submodules=all", commit.as_str(), "--"]).yes()
        };
        let mut changed = self.changed_files(None)?;
        changed.retain(|path| !beside.contains(path));
        if changed.is_empty() && index_is(new)? {
            return Ok(Brought::Already);
        }
        if !index_is(old)? {
            return Ok(Brought::Left("its index has changes of its own: commit them, or `git reset`".into()));
        }
        let mut why = None;
        if changed.is_empty() {
            let arguments = ["read-tree", "-m", "-u", "--no-recurse-submodules", old.as_str(), new.as_str()];
            match self.git(arguments).answer() {
                Ok(_) => return Ok(Brought::Done),
                // A file that the new commit brings is there already: perhaps we were ended in the middle.
                Err(GitFault::Failed { said, .. }) => why = Some(said),
                Err(fault) => return Err(fault),
            }
        }
        let mut foreign = self.foreign(&changed, old, new)?;
        foreign.retain(|path| !beside.contains(path));
        if !foreign.is_empty() {
            let named: Vec<String> = foreign.iter().take(NAMED).map(|path| path.display().to_string()).collect();
            let more = foreign.len().saturating_sub(NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let files = named.join(", ");
            return Ok(Brought::Left(format!("it has changes of its own ({files}{more}): commit or stash them")));
        }
        if !beside.is_empty() {
            return self.write_rest(old, new, &changed, beside).map(|()| Brought::Done);
        }
        match self.git(["read-tree", "--reset", "-u", "--no-recurse-submodules", new.as_str()]).answer() {
            Ok(_) => Ok(Brought::Done),
            Err(GitFault::Failed { said, .. }) => Ok(Brought::Left(why.unwrap_or(said))),
            Err(fault) => Err(fault),
        }
    }

    /// Ends what git was ended in the middle of: each file is as one of the two commits has it, those beside excepted.
    fn write_rest(
        &self,
        old: &ObjectId,
        new: &ObjectId,
        changed: &[PathBuf],
        beside: &[PathBuf],
    ) -> Result<(), GitFault> {
        let arguments =
            ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=D", old.as_str(), new.as_str()];
        let gone: Vec<PathBuf> = paths(&self.git(arguments).answer()?).collect();
        self.git(["read-tree", new.as_str()]).answer()?;
        let mut behind = self.changed_files(None)?;
        behind.retain(|path| !beside.contains(path));
        let mut feed = Vec::new();
        for path in behind {
            feed.extend(path.into_os_string().into_vec());
            feed.push(0);
        }
        self.git(["checkout-index", "-f", "-z", "--stdin"]).feed(feed).answer()?;
        for path in gone.iter().filter(|path| !changed.contains(path) && !beside.contains(path)) {
            let place = self.work_tree.join(path);
            match fs::remove_file(&place) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(GitFault::File { path: place, why: error.to_string() });
                }
                _ => {}
            }
        }
        // Which files are as the index says was not looked at when it was made.
        let _ = self.git(["update-index", "-q", "--refresh"]).answer();
        Ok(())
    }

    /// Those of the changed files that are neither as the old commit has them nor as the new one has: somebody's own.
    fn foreign(&self, changed: &[PathBuf], old: &ObjectId, new: &ObjectId) -> Result<Vec<PathBuf>, GitFault> {
        let index = OwnIndex::new(self)?;
        self.git(["read-tree", new.as_str()]).with("GIT_INDEX_FILE", index.path()).answer()?;
        let not_new = self.changed_files(Some(&index))?;
        let not_old: BTreeSet<&PathBuf> = changed.iter().collect();
        let arguments =
            ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", old.as_str(), new.as_str()];
        let added: BTreeSet<PathBuf> = paths(&self.git(arguments).answer()?).collect();
        let is_foreign = |path: &PathBuf| {
            let is_in_the_way = || fs::symlink_metadata(self.work_tree.join(path)).is_ok();
            not_old.contains(path) || (added.contains(path) && is_in_the_way())
        };
        Ok(not_new.into_iter().filter(is_foreign).collect())
    }

    /// The files that are not as an index has them; without one, as the repository's own has them.
    fn changed_files(&self, index: Option<&OwnIndex>) -> Result<Vec<PathBuf>, GitFault> {
        let arguments =
            ["diff", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
        let mut git = self.git(arguments);
        if let Some(index) = index {
            git = git.with("GIT_INDEX_FILE", index.path());
        }
        Ok(paths(&git.answer()?).collect())
    }
}

fn paths(answer: &[u8]) -> impl Iterator<Item = PathBuf> {
    let parts = answer.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    parts.map(|part| PathBuf::from(OsString::from_vec(part.to_vec())))
}
