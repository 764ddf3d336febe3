//! What code does with the repository of a session: which branch the work goes to, and how it comes there, one piece at a time.
//! Each step is safe to do again: what was done before is found done (RM-11). Must not decide when.

use std::path::{Path, PathBuf};
use std::time::Duration;

use machine::roadmap::{Check, Integration};
use serde_json::{Value, json};
use tools::Stop;
use tools::git::{Brought, GitFault, Head, Moved, NewCommit, ObjectId, Repository, Stamp};

use super::checks::{self, Checks};
use crate::fault::EngineError;

/// How often it is tried again because somebody else moved the branch, or has the index.
const TRIES: usize = 30;
/// Between two such tries.
const PAUSE: Duration = Duration::from_millis(100);
/// How far back it is looked for the commit that a working tree was left at, and for who changed a file.
const LOOKED_BACK: usize = 50;
/// The line of a commit's message that says which item it is of.
pub(super) const ITEM: &str = "Item: ";

/// Whether the work of a project goes through a repository: it is the working tree of one that has a commit.
pub(super) fn is_ground(project: &Path) -> Result<bool, EngineError> {
    let refused = |fault: &GitFault| EngineError::refused(fault.to_string(), "mend that first; nothing was begun");
    let repository = match Repository::open(project) {
        Ok(repository) => repository,
        Err(GitFault::NotARepository { .. } | GitFault::NotInstalled { .. }) => return Ok(false),
        Err(fault) => return Err(refused(&fault)),
    };
    // In a folder of a larger one a branch would be of the whole.
    if repository.work_tree() != project.canonicalize().unwrap_or_else(|_| project.into()) {
        return Ok(false);
    }
    match repository.head().map_err(|fault| refused(&fault))? {
        Head::Branch { .. } => Ok(true),
        Head::Unborn { .. } => Ok(false),
        Head::Detached { commit } => {
            let reason = format!("the repository is at {} and on no branch", commit.short());
            Err(EngineError::refused(reason, "switch to the branch that the work is to go to: `git switch BRANCH`"))
        }
    }
}

/// Who an executor is to git, and when.
pub(super) fn stamp(name: &str, at: &str) -> Stamp {
    let seconds = at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second).unwrap_or_default();
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let mailbox: String = name.chars().map(letter).take(60).collect();
    Stamp { name: name.into(), email: format!("{mailbox}@multiverse.invalid"), seconds }
}

/// The branch that the work of a session goes to: the one that was there when its first work began, whatever is switched to
/// later.
pub(super) fn onto(repository: &Repository, run: &str) -> Result<String, String> {
    let prefix = format!("refs/multiverse/{run}/onto/");
    let known = repository.references(&prefix).map_err(in_words)?;
    if let Some(branch) = known.keys().find_map(|name| name.strip_prefix(&prefix)) {
        return Ok(branch.to_string());
    }
    let (branch, commit) = repository.branch().map_err(in_words)?;
    repository.keep(&format!("{run}/onto/{branch}"), &commit).map_err(in_words)?;
    Ok(branch)
}

/// The name under which an attempt's commit is kept from being cleaned away.
pub(super) fn work_name(run: &str, fence: u64) -> String {
    format!("{run}/work/{fence}")
}

/// Work that is to be brought where everybody's is.
pub(super) struct Integrating {
    pub project: PathBuf,
    pub run: String,
    pub what: Integration,
    /// What the item is called.
    pub objective: String,
    /// The program's own files, which change all the time.
    pub beside: Vec<PathBuf>,
    pub checks: Checks,
    /// A folder of this attempt's own.
    pub within: PathBuf,
}

impl Integrating {
    /// Does it. What comes is read by [`super::outcome`].
    pub(super) fn run(&self, stop: &Stop, say: &dyn Fn(&str)) -> Result<Value, String> {
        let repository = Repository::open(&self.project).map_err(in_words)?;
        let branch = onto(&repository, &self.run)?;
        let theirs = ObjectId::read(&self.what.commit).filter(|theirs| repository.has(theirs).unwrap_or_default());
        let theirs = theirs.ok_or_else(|| format!("the commit {} is not in the repository", self.what.commit))?;
        for _ in 0..TRIES {
            let gone = || format!("the branch {branch} is gone: make it again, then `resume`");
            let ours = repository.branch_at(&branch).map_err(in_words)?.ok_or_else(gone)?;
            if repository.is_ancestor(&theirs, &ours).map_err(in_words)? {
                // Whoever was ended in the middle may have moved the branch, and left the working tree behind.
                let left = self.follow(&repository, &branch, &ours);
                return Ok(self.integrated(&repository, &ours, &[], left.as_deref()));
            }
            let new = match self.joined(&repository, &ours, &theirs)? {
                Ok(new) => new,
                Err(files) => return self.conflicted(&repository, &ours, &theirs, files),
            };
            let checks = self.check(&repository, &branch, &new, stop, say)?;
            if stop.is_stopped() {
                return Err("stopped".into());
            }
            if let Some(bad) = checks::complaint(&checks) {
                return Err(format!("{bad}\nthe work is kept as the commit {}", theirs.as_str()));
            }
            let moved = repository.advance_beside(&branch, (&ours, &new), &self.reason(), &self.beside);
            match moved.map_err(in_words)? {
                (Moved::Elsewhere(_), _) => std::thread::sleep(PAUSE),
                (_, trees) => {
                    let is_left = trees.iter().any(|(_, brought)| matches!(brought, Brought::Left(_)));
                    let left = if is_left { self.follow(&repository, &branch, &new) } else { None };
                    return Ok(self.integrated(&repository, &new, &checks, left.as_deref()));
                }
            }
        }
        Err(format!("{branch} is moved by others all the time: `multiverse resume` tries again"))
    }

    fn reason(&self) -> String {
        format!("item {} is done", self.what.item)
    }

    /// The commit that has both sides; else the files on which they do not agree.
    fn joined(
        &self,
        repository: &Repository,
        ours: &ObjectId,
        theirs: &ObjectId,
    ) -> Result<Result<ObjectId, Vec<String>>, String> {
        if repository.is_ancestor(ours, theirs).map_err(in_words)? {
            return Ok(Ok(theirs.clone()));
        }
        let (tree, clashes) = repository.merge_marked(ours, theirs).map_err(in_words)?;
        if !clashes.is_empty() {
            return Ok(Err(clashes.iter().map(|clash| clash.path.display().to_string()).collect()));
        }
        let stamp = stamp(&self.what.name, &self.what.since);
        let message = format!("Merge item {}\n\n{}\n", self.what.item, self.objective);
        let parents = vec![ours.clone(), theirs.clone()];
        let new = NewCommit { tree, parents, author: &stamp, committer: &stamp, message: &message };
        repository.commit(&new).map(Ok).map_err(in_words)
    }

    /// The checks that the settings name, on a copy of what is to be integrated.
    fn check(
        &self,
        repository: &Repository,
        branch: &str,
        new: &ObjectId,
        stop: &Stop,
        say: &dyn Fn(&str),
    ) -> Result<Vec<Check>, String> {
        if self.checks.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error: std::io::Error| format!("{}: {error}", self.within.display());
        std::fs::create_dir_all(&self.within).map_err(failed)?;
        let stamp = stamp(&self.what.name, &self.what.since);
        let lent = repository.lend(&self.within, branch, new, &stamp).map_err(in_words)?;
        let ran = self.checks.run(&lent.folder(), stop, say);
        // What cannot be removed now is swept up by the next opening.
        let _ = std::fs::remove_dir_all(&self.within);
        Ok(ran)
    }

    fn integrated(&self, repository: &Repository, commit: &ObjectId, checks: &[Check], left: Option<&str>) -> Value {
        // It is in the history now. What cannot be let go stays, and is in nobody's way.
        let _ = repository.let_go(&work_name(&self.run, self.what.fence));
        json!({"integrated": {"commit": commit.as_str(), "checks": checks}, "left": left})
    }

    #[allow(clippy::needless_pass_by_value, reason = "it ends here")]
    fn conflicted(
        &self,
        repository: &Repository,
        ours: &ObjectId,
        theirs: &ObjectId,
        files: Vec<String>,
    ) -> Result<Value, String> {
        repository.keep(&work_name(&self.run, self.what.fence), theirs).map_err(in_words)?;
        let item = files.first().and_then(|file| self.who_changed(repository, ours, theirs, file));
        Ok(json!({"conflicted": {"with": ours.as_str(), "item": item, "files": files, "kept": theirs.as_str()}}))
    }

    /// The item whose commit changed a file on the other side.
    fn who_changed(&self, repository: &Repository, ours: &ObjectId, theirs: &ObjectId, file: &str) -> Option<String> {
        let base = repository.base_of(ours, theirs).ok()??;
        let log = repository.log(Some(&base), ours).ok()?;
        log.iter().rev().take(LOOKED_BACK).find_map(|commit| {
            let item = commit.message.lines().find_map(|line| line.strip_prefix(ITEM))?;
            let between = repository.measure(commit.parents.first()?, &commit.commit).ok()?;
            between.files.iter().any(|changed| changed.path.as_os_str() == file).then(|| item.trim().to_string())
        })
    }

    /// Takes working trees along to where the branch stands, from wherever they were left; gives why one could not be.
    fn follow(&self, repository: &Repository, branch: &str, new: &ObjectId) -> Option<String> {
        let mut left = None;
        for _ in 0..TRIES {
            left = self.follow_once(repository, branch, new).unwrap_or_else(|fault| Some(fault.to_string()));
            // Another process, or a person, is at it for a moment.
            if !left.as_ref().is_some_and(|why| why.contains("index.lock")) {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        left
    }

    fn follow_once(&self, repository: &Repository, branch: &str, new: &ObjectId) -> Result<Option<String>, GitFault> {
        let mut why = None;
        for tree in repository.worktrees()? {
            if tree.is_gone || tree.branch.as_deref() != Some(branch) {
                continue;
            }
            let open = Repository::open(&tree.folder)?;
            let mut at = Some(new.clone());
            let mut first = None;
            for _ in 0..LOOKED_BACK {
                let Some(old) = at.take() else { break };
                match open.bring_along_beside(&old, new, &self.beside)? {
                    Brought::Done | Brought::Already => {
                        first = None;
                        break;
                    }
                    Brought::Left(reason) if reason.contains("index has changes") => {
                        first.get_or_insert(reason);
                        at = repository.logged(&old)?.parents.into_iter().next();
                    }
                    Brought::Left(reason) => {
                        first = Some(reason);
                        break;
                    }
                }
            }
            why = why.or(first);
        }
        Ok(why)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
pub(super) fn in_words(fault: GitFault) -> String {
    fault.to_string()
}
