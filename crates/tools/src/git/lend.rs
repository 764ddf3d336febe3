//! A copy of a repository for somebody who is not trusted: with its own objects, references and settings, and no way
//! back into the one it came from. Whatever is done to the copy, the repository is as it was; what of it is good is
//! made a commit of the repository by [`Repository::tree_of`] and [`Repository::commit`].

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::commit::Known;
use super::invoke::Git;
use super::{GitFault, Head, Logged, ObjectId, Repository, Stamp, Status};

/// How many commits of its past a copy has.
const PAST: usize = 100;

/// A copy that was lent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lent {
    place: PathBuf,
    pub branch: String,
    pub commit: ObjectId,
}

/// What was done to a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// Its files as they are now, as a tree of the repository that it came from.
    pub tree: ObjectId,
    /// Where it stands.
    pub head: Head,
    /// Commits that were made on its branch, oldest first.
    pub commits: Vec<Logged>,
    /// Whether the commit that it was lent with is no longer before its head.
    pub is_rewritten: bool,
    /// References beside its branch that were made or moved.
    pub strayed: Vec<String>,
    /// What is not committed in it.
    pub status: Status,
}

impl Lent {
    /// One that was lent before, with what is remembered of it.
    pub fn again(place: &Path, branch: &str, commit: &ObjectId) -> Self {
        Self { place: place.into(), branch: branch.into(), commit: commit.clone() }
    }

    /// The folder to work in.
    pub fn folder(&self) -> PathBuf {
        self.place.join("tree")
    }

    /// What is not part of it, where the borrower does not reach.
    fn excluded(&self) -> PathBuf {
        self.place.join("excluded")
    }

    /// The index as it was made, where the borrower does not reach.
    fn index(&self) -> PathBuf {
        self.place.join("index")
    }
}

impl Repository {
    /// Makes a copy in `place/tree`, on a branch at a commit. `place` is a folder of the caller's; what an earlier copy
    /// left in it goes. Whoever commits in the copy does so under `stamp`'s name unless told otherwise.
    pub fn lend(&self, place: &Path, branch: &str, commit: &ObjectId, stamp: &Stamp) -> Result<Lent, GitFault> {
        self.lend_without(place, (branch, commit), stamp, &[])
    }

    /// The same. What `excluded` names, in git's way of ignoring, is nobody's work in the copy: the borrower's own tools put
    /// it there.
    pub fn lend_without(
        &self,
        place: &Path,
        (branch, commit): (&str, &ObjectId),
        stamp: &Stamp,
        excluded: &[&str],
    ) -> Result<Lent, GitFault> {
        if let Some(why) = super::branch_problem(branch) {
            return Err(GitFault::BadName { name: branch.into(), why });
        }
        let lent = Lent::again(place, branch, commit);
        let folder = lent.folder();
        let at = |path: &Path, error: std::io::Error| GitFault::File { path: path.into(), why: error.to_string() };
        for old in [&folder, &lent.index()] {
            let gone = if old.is_dir() { fs::remove_dir_all(old) } else { fs::remove_file(old) };
            gone.or_else(
                |error| if error.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(at(old, error)) },
            )?;
        }
        fs::create_dir_all(&folder).map_err(|error| at(&folder, error))?;
        let format = if commit.as_str().len() == 64 { "--object-format=sha256" } else { "--object-format=sha1" };
        Git::new(&folder, ["init", "-q", "--template=", format, "-b", branch, "."]).answer()?;
        fs::create_dir_all(folder.join(".git/info")).map_err(|error| at(&folder, error))?;
        for path in [lent.excluded(), folder.join(".git/info/exclude")] {
            let lines = excluded.iter().map(|line| format!("{line}\n")).collect::<String>();
            fs::write(&path, lines).map_err(|error| at(&path, error))?;
        }
        self.pack_into(&folder.join(".git"), commit)?;
        let copy = Self::open(&folder)?;
        copy.git(["config", "user.name", &stamp.name]).answer()?;
        copy.git(["config", "user.email", &stamp.email]).answer()?;
        copy.move_branch(branch, None, Some(commit), "lent")?;
        copy.git(["read-tree", "--reset", "-u", commit.as_str()]).answer()?;
        copy_with_time(&copy.git_dir.join("index"), &lent.index())?;
        Ok(lent)
    }

    /// The objects of a commit and its nearer past, as a pack of another repository.
    fn pack_into(&self, git_dir: &Path, commit: &ObjectId) -> Result<(), GitFault> {
        let count = format!("--max-count={PAST}");
        let history = self.git(["rev-list", "--parents", "--topo-order", &count, commit.as_str(), "--"]).line()?;
        let lines: Vec<Vec<&str>> = history.lines().map(|line| line.split(' ').collect()).collect();
        let known: BTreeSet<&str> = lines.iter().filter_map(|line| line.first().copied()).collect();
        let cut: Vec<&str> = lines
            .iter()
            .filter(|line| line.iter().skip(1).any(|parent| !known.contains(parent)))
            .filter_map(|line| line.first().copied())
            .collect();
        let shallow = cut.iter().map(|id| format!("{id}\n")).collect::<String>();
        if !cut.is_empty() {
            let path = git_dir.join("shallow");
            fs::write(&path, &shallow).map_err(|error| GitFault::File { path, why: error.to_string() })?;
        }
        let feed = cut.iter().map(|id| format!("--shallow {id}\n")).collect::<String>() + &format!("{commit}\n");
        let folder = git_dir.join("objects/pack");
        fs::create_dir_all(&folder).map_err(|error| GitFault::File { path: folder.clone(), why: error.to_string() })?;
        let base = folder.join("pack");
        let mut arguments: Vec<std::ffi::OsString> =
            ["pack-objects", "-q", "--revs", "--delta-base-offset", "--threads=1"].map(Into::into).into();
        if !cut.is_empty() {
            arguments.push("--shallow".into());
        }
        arguments.push(base.into());
        self.git(arguments).feed(feed).answer()?;
        Ok(())
    }

    /// Looks at a copy after somebody had it. Its files become a tree of this repository; nothing else is taken over.
    pub fn examine(&self, lent: &Lent) -> Result<Examined, GitFault> {
        let folder = lent.folder();
        let gone = |why: String| GitFault::Damaged { folder: folder.clone(), why };
        let copy = Self::open(&folder).map_err(|fault| gone(format!("the copy is no repository any more: {fault}")))?;
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        if copy.work_tree != real || copy.git_dir != real.join(".git") || copy.is_linked() {
            return Err(gone("the copy is no repository of its own any more".into()));
        }
        let head = copy.head()?;
        let own = format!("refs/heads/{}", lent.branch);
        let mut strayed: Vec<String> = copy.references("refs/")?.into_keys().filter(|name| *name != own).collect();
        let at = match &head {
            Head::Branch { branch, commit } => {
                if *branch != lent.branch {
                    strayed.push(format!("HEAD (now on {branch})"));
                }
                Some(commit)
            }
            Head::Detached { commit } => {
                strayed.push("HEAD (now on no branch)".into());
                Some(commit)
            }
            Head::Unborn { .. } => None,
        };
        strayed.sort();
        strayed.dedup();
        let (is_rewritten, commits) = match at {
            None => (true, Vec::new()),
            Some(at) if !copy.is_ancestor(&lent.commit, at)? => (true, Vec::new()),
            Some(at) => (false, copy.log(Some(&lent.commit), at)?),
        };
        let status = copy.status()?;
        let known = Known { index: lent.index(), excluded: lent.excluded() };
        let tree = self.tree_of(&folder, Some(&lent.commit), Some(&known))?;
        Ok(Examined { tree, head, commits, is_rewritten, strayed, status })
    }
}

/// Copies an index. When it was written decides which of its entries git trusts.
pub(super) fn copy_with_time(from: &Path, to: &Path) -> Result<(), GitFault> {
    let copy = || -> std::io::Result<()> {
        fs::copy(from, to)?;
        let time = fs::metadata(from)?.modified()?;
        File::options().write(true).open(to)?.set_modified(time)
    };
    copy().map_err(|error| GitFault::File { path: from.into(), why: error.to_string() })
}
