//! A reference from one commit to another: only from where it was known to stand, and told apart whether it was moved
//! before, or by somebody else. Safe to repeat.

use super::{GitFault, ObjectId, Repository};

/// What came of moving a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// It stood where it was known to, and stands where it shall.
    Done,
    /// It stood there already: somebody did this before, perhaps we.
    Already,
    /// It stands somewhere else; nothing was changed.
    Elsewhere(Option<ObjectId>),
}

impl Repository {
    /// Moves a branch from `old` to `new`; nothing stands for a branch that is not there.
    pub fn move_branch(
        &self,
        branch: &str,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        why: &str,
    ) -> Result<Moved, GitFault> {
        if let Some(why) = super::branch_problem(branch) {
            return Err(GitFault::BadName { name: branch.into(), why });
        }
        if new.is_none() && self.worktrees()?.iter().any(|tree| tree.branch.as_deref() == Some(branch)) {
            let why = "a working tree is on it: switch that to another branch first".into();
            return Err(GitFault::BadName { name: branch.into(), why });
        }
        self.move_reference(&format!("refs/heads/{branch}"), old, new, why)
    }

    /// Keeps a commit from being cleaned away, under a name of our own that branches and tags do not show.
    pub fn keep(&self, name: &str, commit: &ObjectId) -> Result<(), GitFault> {
        let reference = self.own_reference(name)?;
        let old = self.commit_at(&reference)?;
        if old.as_ref() != Some(commit) {
            self.move_reference(&reference, old.as_ref(), Some(commit), "kept")?;
        }
        Ok(())
    }

    /// What was kept under a name.
    pub fn kept(&self, name: &str) -> Result<Option<ObjectId>, GitFault> {
        self.commit_at(&self.own_reference(name)?)
    }

    /// Lets go of it.
    pub fn let_go(&self, name: &str) -> Result<(), GitFault> {
        let reference = self.own_reference(name)?;
        if let Some(old) = self.commit_at(&reference)? {
            self.move_reference(&reference, Some(&old), None, "let go")?;
        }
        Ok(())
    }

    fn own_reference(&self, name: &str) -> Result<String, GitFault> {
        match super::branch_problem(name) {
            Some(why) => Err(GitFault::BadName { name: name.into(), why }),
            None => Ok(format!("refs/multiverse/{name}")),
        }
    }

    fn move_reference(
        &self,
        reference: &str,
        old: Option<&ObjectId>,
        new: Option<&ObjectId>,
        why: &str,
    ) -> Result<Moved, GitFault> {
        let now = self.commit_at(reference)?;
        if now.as_ref() == new {
            return Ok(Moved::Already);
        }
        if now.as_ref() != old {
            return Ok(Moved::Elsewhere(now));
        }
        let zero = old.or(new).map(ObjectId::nothing).unwrap_or_default();
        let old_text = old.map_or(zero.as_str(), ObjectId::as_str);
        let git = match new {
            Some(new) => self.git(["update-ref", "--no-deref", "-m", why, reference, new.as_str(), old_text]),
            None => self.git(["update-ref", "--no-deref", "-m", why, "-d", reference, old_text]),
        };
        let stamp = [("NAME", "multiverse"), ("EMAIL", "multiverse@localhost")];
        let git = stamp.iter().fold(git, |git, (what, value)| git.with(&format!("GIT_COMMITTER_{what}"), *value));
        match git.answer() {
            Ok(_) => Ok(Moved::Done),
            // Somebody was faster: what is there now tells who.
            Err(fault) => match self.commit_at(reference)? {
                now if now.as_ref() == new => Ok(Moved::Already),
                now if now.as_ref() != old => Ok(Moved::Elsewhere(now)),
                _ => Err(fault),
            },
        }
    }
}
