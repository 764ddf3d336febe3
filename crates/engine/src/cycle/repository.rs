//! What code does with the repository of a cycle: the goal's branch, what stands before each loop, the merge, the end of the
//! branch. Each is safe to do again: what was done before is found done. Must not decide when.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use machine::cycle::{Cycle, Party};
use serde_json::{Value, json};
use tools::git::{Brought, GitFault, Merged, Moved, NewCommit, ObjectId, Repository, Stamp};

use crate::fault::EngineError;

/// How many names of a branch are tried.
const NAMES: u32 = 1000;

/// Whether a project is the working tree of a repository.
pub(super) fn is_ground(project: &Path) -> Result<bool, EngineError> {
    match Repository::open(project) {
        Ok(repository) => {
            let here = project.canonicalize().unwrap_or_else(|_| project.into());
            if repository.work_tree() == here {
                return Ok(true);
            }
            let top = repository.work_tree().display();
            let reason =
                format!("{} is a folder of the repository {top}, and a branch is of the whole", here.display());
            Err(EngineError::refused(reason, format!("work at its top: `-C {top}`")))
        }
        Err(GitFault::NotARepository { .. } | GitFault::NotInstalled { .. }) => Ok(false),
        Err(fault) => Err(EngineError::refused(fault.to_string(), "mend that first; nothing was begun")),
    }
}

/// Whether a cycle can stand on a folder: on a whole repository, or on none. Makes nothing.
pub fn check_ground(project: &Path) -> Result<(), EngineError> {
    is_ground(project).map(drop)
}

/// Who a party is to git, and when.
pub(super) fn stamp(party: Party, at: &str) -> Stamp {
    let seconds = at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second).unwrap_or_default();
    let email = format!("{}@multiverse.invalid", party.name().to_lowercase());
    Stamp { name: party.name().into(), email, seconds }
}

/// The goal's branch is there, and what it stands at is kept.
pub(super) fn checkpoint(project: &Path, cycle: &Cycle) -> Result<Value, String> {
    let repository = Repository::open(project).map_err(in_words)?;
    if !cycle.branch.is_empty() {
        let at = repository.branch_at(&cycle.branch).map_err(in_words)?;
        let commit = at.ok_or_else(|| format!("the branch {} is gone: make it again, then `resume`", cycle.branch))?;
        let commit = if cycle.back.is_empty() { commit } else { go_back(&repository, cycle, commit)? };
        keep(&repository, cycle, &commit)?;
        return Ok(json!({"branch": cycle.branch, "base": cycle.base, "commit": commit.as_str()}));
    }
    let (base, commit) = repository.branch().map_err(in_words)?;
    let stem = format!("cycle/{}-{}", cycle.goal_number, first_words(&dialect::cycle::slug(&cycle.goal)));
    for number in 1..=NAMES {
        let branch = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
        // One that stands where we would put it is ours from before, or as good.
        match repository.move_branch(&branch, None, Some(&commit), "a goal begins").map_err(in_words)? {
            Moved::Done | Moved::Already => {
                keep(&repository, cycle, &commit)?;
                return Ok(json!({"branch": branch, "base": base, "commit": commit.as_str()}));
            }
            Moved::Elsewhere(_) => {}
        }
    }
    Err(format!("{NAMES} branches are called {stem}: delete some"))
}

/// The first words of a slug, as many as a branch's name has room for.
fn first_words(slug: &str) -> String {
    const MOST: usize = 40;
    let cut: String = slug.chars().take(MOST).collect();
    match cut.rsplit_once('-') {
        Some((words, _)) if slug.chars().nth(MOST).is_some_and(|next| next != '-') => words.to_owned(),
        _ => cut.trim_end_matches('-').to_owned(),
    }
}

/// The branch back to where the Human wants it; what it held until now is kept.
#[allow(clippy::needless_pass_by_value, reason = "it ends here")]
fn go_back(repository: &Repository, cycle: &Cycle, at: ObjectId) -> Result<ObjectId, String> {
    let to = ObjectId::read(&cycle.back).ok_or_else(|| format!("`{}` is no commit", cycle.back))?;
    if at == to {
        return Ok(to);
    }
    let name = format!("{}/left-before-loop-{}", cycle.id, cycle.loop_number);
    repository.keep(&name, &at).map_err(in_words)?;
    match repository.advance(&cycle.branch, &at, &to, "back to an earlier loop").map_err(in_words)?.0 {
        Moved::Done | Moved::Already => Ok(to),
        Moved::Elsewhere(_) => Err(format!("{} is being moved by somebody else: `resume` tries again", cycle.branch)),
    }
}

fn keep(repository: &Repository, cycle: &Cycle, commit: &ObjectId) -> Result<(), String> {
    repository.keep(&format!("{}/loop-{}", cycle.id, cycle.loop_number), commit).map_err(in_words)
}

/// The branch is at what the Actor left.
pub(super) fn advance(project: &Path, cycle: &Cycle, commit: &str) -> Result<(), String> {
    let repository = Repository::open(project).map_err(in_words)?;
    let new = ObjectId::read(commit).ok_or_else(|| format!("`{commit}` is no commit"))?;
    let branch = &cycle.branch;
    let at = repository.branch_at(branch).map_err(in_words)?;
    let old = at.ok_or_else(|| format!("the branch {branch} is gone: make it again, then `resume`"))?;
    if !repository.is_ancestor(&old, &new).map_err(in_words)? {
        let short = old.short();
        return Err(format!("{branch} was moved to {short} by somebody else meanwhile: move it back, then `resume`"));
    }
    // The same for a working tree that is on the goal's branch.
    let before = cycle.checkpoints.back().and_then(|(_, commit)| ObjectId::read(commit));
    let old = before.filter(|_| old == new).unwrap_or(old);
    match repository.advance(branch, &old, &new, "a turn of the Actor").map_err(in_words)?.0 {
        Moved::Done | Moved::Already => Ok(()),
        Moved::Elsewhere(_) => Err(format!("{branch} is being moved by somebody else: `resume` tries again")),
    }
}

/// The branch into the one that it came from.
pub(super) fn merge(project: &Path, cycle: &Cycle, since: &str) -> Result<Value, String> {
    let repository = Repository::open(project).map_err(in_words)?;
    let at = |branch: &str| -> Result<ObjectId, String> {
        let found = repository.branch_at(branch).map_err(in_words)?;
        found.ok_or_else(|| format!("the branch {branch} is gone: make it again, then `resume`"))
    };
    let (ours, theirs) = (at(&cycle.base)?, at(&cycle.branch)?);
    if repository.is_ancestor(&theirs, &ours).map_err(in_words)? {
        // Whoever was ended in the middle may have moved the branch, and left the working tree behind.
        let merge = repository.logged(&ours).map_err(in_words)?;
        let mut note = String::new();
        if let (Some(before), true) = (merge.parents.first(), merge.parents.contains(&theirs)) {
            let around = Around::look(&repository, &cycle.base, before, &ours)?;
            let advanced = repository.advance_beside(&cycle.base, (before, &ours), "a goal is merged", &around.beside);
            note = left_behind(&advanced.map_err(in_words)?.1);
        }
        return Ok(json!({"commit": ours.as_str(), "note": note}));
    }
    let tree = match repository.merge(&ours, &theirs).map_err(in_words)? {
        Merged::Tree(tree) => tree,
        Merged::Clashes(clashes) => {
            let files: Vec<String> = clashes.iter().map(|clash| clash.path.display().to_string()).collect();
            return Ok(json!({"conflicts": files}));
        }
    };
    // Before anything is moved: whoever works there must not find the merge undone in their next commit.
    let around = Around::look(&repository, &cycle.base, &ours, &tree)?;
    if let Some(hindrance) = around.hindrance {
        return Err(format!("{hindrance}; then `resume` merges"));
    }
    let stamp = stamp(Party::Actor, since);
    let message = format!("Merge {} into {}\n", cycle.branch, cycle.base);
    let parents = vec![ours.clone(), theirs];
    let new = NewCommit { tree, parents, author: &stamp, committer: &stamp, message: &message };
    let commit = repository.commit(&new).map_err(in_words)?;
    let advanced = repository.advance_beside(&cycle.base, (&ours, &commit), "a goal is merged", &around.beside);
    match advanced.map_err(in_words)? {
        (Moved::Done | Moved::Already, trees) => Ok(json!({"commit": commit.as_str(), "note": left_behind(&trees)})),
        (Moved::Elsewhere(_), _) => Err(format!("{} was moved meanwhile: `resume` merges again", cycle.base)),
    }
}

/// The working trees on a branch that is about to move from one commit to another tree.
struct Around {
    /// Why it should not: a person's changes where the merge would write.
    hindrance: Option<String>,
    /// Files with changes of a person's that the merge leaves alone, and that are left alone.
    beside: Vec<PathBuf>,
}

impl Around {
    fn look(repository: &Repository, branch: &str, old: &ObjectId, new: &ObjectId) -> Result<Self, String> {
        let between = repository.measure(old, new).map_err(in_words)?;
        let written: BTreeSet<&PathBuf> = between.files.iter().map(|file| &file.path).collect();
        let mut around = Self { hindrance: None, beside: Vec::new() };
        let trees = repository.worktrees().map_err(in_words)?;
        for tree in trees.into_iter().filter(|tree| tree.branch.as_deref() == Some(branch) && !tree.is_gone) {
            let status = Repository::open(&tree.folder).and_then(|here| here.status()).map_err(in_words)?;
            let is_new = |path: &Path| repository.file_at(old, path).is_ok_and(|file| file.is_none());
            let in_the_way = |path: &Path| is_new(path) && tree.folder.join(path).symlink_metadata().is_ok();
            let own = status.changed.iter().chain(&status.unmerged);
            let mut clashing: Vec<&PathBuf> = own.clone().filter(|path| written.contains(path)).collect();
            clashing.extend(written.iter().filter(|path| in_the_way(path)).copied());
            let (folder, names) = (tree.folder.display(), |paths: &[&PathBuf]| named(paths));
            let hindrance = match status.under_way {
                Some(what) => Some(format!("a {what} is under way in {folder}: end it")),
                None if !status.staged.is_empty() => {
                    let staged: Vec<&PathBuf> = status.staged.iter().collect();
                    Some(format!("{folder} has staged changes ({}): commit them, or `git reset`", names(&staged)))
                }
                None if !clashing.is_empty() => Some(format!(
                    "{folder} has changes of its own where the merge would write ({}): commit or stash them",
                    names(&clashing)
                )),
                None => None,
            };
            around.hindrance = around.hindrance.or(hindrance);
            around.beside.extend(own.filter(|path| !written.contains(path)).cloned());
        }
        Ok(around)
    }
}

/// What is to be said of working trees that could not follow.
fn left_behind(trees: &[(PathBuf, Brought)]) -> String {
    let left = trees.iter().filter_map(|(folder, brought)| match brought {
        Brought::Left(why) => Some(format!("{} did not follow: {why}", folder.display())),
        Brought::Done | Brought::Already => None,
    });
    left.collect::<Vec<_>>().join("; ")
}

/// Paths for a message, not too many.
fn named(paths: &[&PathBuf]) -> String {
    const MOST: usize = 5;
    let mut names: Vec<String> = paths.iter().take(MOST).map(|path| path.display().to_string()).collect();
    if paths.len() > MOST {
        names.push(format!("and {} more", paths.len() - MOST));
    }
    names.join(", ")
}

/// What of a project's working tree is in no commit, and so not seen by agents; nothing where there is no repository.
pub fn uncommitted(project: &Path) -> Vec<String> {
    let status = Repository::open(project).and_then(|repository| repository.status()).unwrap_or_default();
    let is_own = |path: &Path| path.starts_with(dialect::cycle::CONTEXT);
    let paths = status.paths().filter(|path| !is_own(path));
    paths.map(|path| path.display().to_string()).collect()
}

/// The branch is deleted: what it held is merged, and the Human said so.
pub(super) fn delete(project: &Path, cycle: &Cycle) -> Result<Value, String> {
    let repository = Repository::open(project).map_err(in_words)?;
    let Some(at) = repository.branch_at(&cycle.branch).map_err(in_words)? else { return Ok(json!({})) };
    let base = repository.branch_at(&cycle.base).map_err(in_words)?;
    let is_merged = base.map(|base| repository.is_ancestor(&at, &base)).transpose().map_err(in_words)?;
    if is_merged != Some(true) {
        return Err(format!("{} has commits that are not in {}: merge them first", cycle.branch, cycle.base));
    }
    match repository.move_branch(&cycle.branch, Some(&at), None, "the goal is met").map_err(in_words)? {
        Moved::Done | Moved::Already => Ok(json!({})),
        Moved::Elsewhere(_) => Err(format!("{} was moved meanwhile: `resume` looks again", cycle.branch)),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn in_words(fault: GitFault) -> String {
    fault.to_string()
}
