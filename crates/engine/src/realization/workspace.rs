//! The workspace of an idea: checked before a step, lent for it, its work taken as a commit, and settled afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use tools::git::{
    Brought, Change, Examined, GitFault, Lent, Logged, Moved, NewCommit, ObjectId, Repository, Stamp, Status,
};

use super::halt::Halt;
use super::message::{message_for, message_problem};
use super::plan::{Next, Relation, next};

/// Where artifacts lie in the workspace's repository: what a reviewer leaves is its commit, too.
const ARTIFACTS: &str = "artifacts";

/// What an agent's own tools put into its workdir.
const EXCLUDED: [&str; 5] = ["/brief.json", "/.home/", "/.tmp/", "__pycache__/", "*.pyc"];

/// How many paths or commits a message names.
const NAMED: usize = 5;

/// The largest artifact that is taken over, and the most of them.
const ARTIFACT_BYTES: u64 = 64 << 20;
const MOST_ARTIFACTS: usize = 1000;

/// Who makes a workspace.
const MAKER: &str = "orchestrator";

/// The repository of an idea.
#[derive(Debug)]
pub struct Workspace {
    repository: Repository,
    branch: String,
    /// As people know it: from the project's folder.
    shown: String,
}

/// A step whose work is to be taken.
#[derive(Debug, Clone, Copy)]
pub struct StepDone<'a> {
    pub step: &'a str,
    /// `owner`, `reviewer`, `validator`.
    pub kind: &'a str,
    pub role: &'a str,
    /// The other roles of the profile: whose names a commit must not carry.
    pub others: &'a [String],
    /// What the role says that it did, in a line, or the whole message of its commit.
    pub summary: &'a str,
    /// The artifacts that the step must leave, by name.
    pub outputs: &'a [String],
    /// When, in seconds since 1970, as the journal has it: the same values give the same commit.
    pub at: i64,
}

/// Work that became a commit object. No branch leads to it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub commit: ObjectId,
    pub message: String,
    pub lines: u64,
    pub files: Vec<PathBuf>,
    /// Every file of the artifact folder that the step made or changed, by name, with its bytes.
    pub artifacts: Vec<(String, Vec<u8>)>,
}

/// What became of the branch and the working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Nothing was to be done.
    Already,
    /// Both follow the run's last commit.
    Done,
    /// The branch does; the files were left as a person has them, for this reason.
    BranchOnly(String),
}

impl Workspace {
    /// Makes the workspace once, with a first commit of what is in its folder, or opens it. `folder` is from the project's.
    pub fn open(project: &Path, folder: &str, at: i64) -> Result<Self, Halt> {
        let stamp = stamp(MAKER, at);
        let path = project.join(folder);
        check_place(project, folder)?;
        let (repository, _) = Repository::init(&path, "main", &stamp, &format!("chore({MAKER}): the workspace"))?;
        let (branch, _) = repository.branch()?;
        Ok(Self { repository, branch, shown: folder.to_owned() })
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        self.repository.work_tree()
    }

    /// The branch that it is on.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Before a step: the branch is where the journal says, the tree is clean. Gives the commit to work from.
    pub fn ready(&self, known: &[String]) -> Result<ObjectId, Halt> {
        self.settle(known)?;
        let status = self.repository.status()?;
        if !status.is_clean() {
            // The files could not follow the branch: that is not a person's change.
            let lock = self.repository.git_dir().join("index.lock");
            return Err(if lock.exists() { GitFault::Locked { path: lock }.into() } else { self.dirty(&status) });
        }
        Ok(self.repository.branch()?.1)
    }

    /// After the journal knows of commits: the branch moves to the last of them, and the working tree follows if it is
    /// clean. Done before, it does nothing. What others did to the branch is a [`Halt`], and stays.
    pub fn settle(&self, known: &[String]) -> Result<Settled, Halt> {
        let (_, head) = self.repository.branch()?;
        let Some(last) = known.last() else { return Ok(Settled::Already) };
        let gone = || Halt::Gone { workspace: self.shown.clone(), expected: last.clone() };
        let last = ObjectId::read(last).ok_or_else(gone)?;
        let parent = match self.repository.has(&last)? {
            true => self.repository.logged(&last)?.parents.into_iter().next(),
            false => None,
        };
        let (expected, found) = (last.short().to_owned(), head.short().to_owned());
        let workspace = self.shown.clone();
        let todo = next(Some(self.relation(&last, parent.as_ref(), &head)?));
        if matches!(todo, Next::Foreign | Next::Rewritten) {
            let branches = self.repository.references("refs/heads/")?;
            let at_it = branches.iter().find(|(_, commit)| **commit == last || Some(*commit) == parent.as_ref());
            if let Some((name, _)) = at_it {
                let expected = name.trim_start_matches("refs/heads/").to_owned();
                return Err(Halt::OtherBranch { workspace, expected, found: self.branch.clone() });
            }
        }
        match todo {
            // The working tree may have been left behind by a crash between the branch and the files.
            Next::Nothing | Next::Move => self.follow(parent.as_ref(), &last, &head),
            Next::Foreign => {
                let commits = self.repository.log(Some(&last), &head)?;
                Err(Halt::Foreign { workspace, expected, found, count: commits.len(), commits: named(&commits) })
            }
            Next::Rewritten => Err(Halt::Rewritten { workspace, expected, found }),
            Next::Gone => Err(gone()),
        }
    }

    fn relation(&self, last: &ObjectId, parent: Option<&ObjectId>, head: &ObjectId) -> Result<Relation, Halt> {
        Ok(if last == head {
            Relation::Same
        } else if !self.repository.has(last)? {
            Relation::Unknown
        } else if parent == Some(head) {
            Relation::Before
        } else if self.repository.is_ancestor(last, head)? {
            Relation::Ahead
        } else {
            Relation::Apart
        })
    }

    fn follow(&self, parent: Option<&ObjectId>, last: &ObjectId, head: &ObjectId) -> Result<Settled, Halt> {
        let Some(parent) = parent else { return Ok(Settled::Already) };
        let (moved, trees) = self.repository.advance(&self.branch, parent, last, "a step of the run")?;
        if let Moved::Elsewhere(found) = moved {
            let found = found.map_or_else(|| "nothing".to_owned(), |found| found.short().to_owned());
            let expected = last.short().to_owned();
            return Err(Halt::Rewritten { workspace: self.shown.clone(), expected, found });
        }
        let left = trees.into_iter().find_map(|(_, brought)| match brought {
            Brought::Left(why) => Some(why),
            Brought::Done | Brought::Already => None,
        });
        Ok(match left {
            // At the commit already, what differs is a person's later work: it is told where it matters.
            Some(_) if head == last => Settled::Already,
            Some(why) => Settled::BranchOnly(why),
            None if head == last => Settled::Already,
            None => Settled::Done,
        })
    }

    /// A copy for a step, in a scratch place of the attempt's own: whatever is done to it reaches nothing else. `shown` are
    /// artifacts that no commit holds, by name: they lie there to be read, and are nobody's change.
    pub fn lend(&self, place: &Path, from: &ObjectId, role: &str, shown: &[(String, Vec<u8>)]) -> Result<Lent, Halt> {
        let patterns: Vec<String> = shown.iter().map(|(name, _)| ignored(name)).collect();
        let excluded: Vec<&str> = EXCLUDED.into_iter().chain(patterns.iter().map(String::as_str)).collect();
        let lent = self.repository.lend_without(place, (&self.branch, from), &stamp(role, 0), &excluded)?;
        let artifacts = lent.folder().join(ARTIFACTS);
        let made = |path: &Path| {
            fs::create_dir_all(path).map_err(|error| GitFault::File { path: path.into(), why: error.to_string() })
        };
        made(&artifacts)?;
        for (name, content) in shown {
            let path = artifacts.join(name);
            path.parent().map_or(Ok(()), made)?;
            fs::write(&path, content).map_err(|error| GitFault::File { path, why: error.to_string() })?;
        }
        Ok(lent)
    }

    /// After a step: what was done to the copy, as one commit object by the role. A copy that was committed to must hold
    /// one commit of this role; one that was not is committed here. Nothing changed is a [`Halt`].
    pub fn take(&self, lent: &Lent, done: &StepDone<'_>) -> Result<Taken, Halt> {
        let seen = self.repository.examine(lent)?;
        let own = self.checked(lent, &seen, done)?;
        let tree = self.with_outputs(lent, &seen.tree, done.outputs)?;
        if tree == self.repository.tree_at(&lent.commit)? {
            return Err(Halt::Nothing { step: done.step.into(), role: done.role.into() });
        }
        let message = match own {
            Some(commit) => commit.message.clone(),
            None if message_problem(done.summary, done.role).is_none() => done.summary.to_owned(),
            None => message_for(done.kind, done.role, done.summary, done.step),
        };
        let stamp = stamp(done.role, done.at);
        let new = NewCommit {
            tree,
            parents: vec![lent.commit.clone()],
            author: &stamp,
            committer: &stamp,
            message: &message,
        };
        let commit = self.repository.commit(&new)?;
        let measure = self.repository.measure(&lent.commit, &commit)?;
        let files: Vec<PathBuf> = measure.files.iter().map(|file| file.path.clone()).collect();
        let artifacts = artifacts(&lent.folder(), &files)?;
        Ok(Taken { commit, message, lines: measure.lines(), files, artifacts })
    }

    /// What a step must leave is part of its commit, even where the repository ignores the folder of artifacts.
    fn with_outputs(&self, lent: &Lent, tree: &ObjectId, outputs: &[String]) -> Result<ObjectId, Halt> {
        let mut changes = Vec::new();
        for path in outputs.iter().map(|name| Path::new(ARTIFACTS).join(name)) {
            let file = lent.folder().join(&path);
            let is_file = fs::symlink_metadata(&file).is_ok_and(|about| about.is_file());
            if is_file && self.repository.file_at(tree, &path)?.is_none() {
                let content = fs::read(&file).map_err(|error| GitFault::File { path: file, why: error.to_string() })?;
                changes.push(Change::Put { path, content });
            }
        }
        match changes.is_empty() {
            true => Ok(tree.clone()),
            false => Ok(self.repository.tree_with(Some(tree), &changes)?),
        }
    }

    /// The one commit that the role made itself, if it did; anything that a step may not do is a [`Halt`].
    fn checked<'seen>(
        &self,
        lent: &Lent,
        seen: &'seen Examined,
        done: &StepDone<'_>,
    ) -> Result<Option<&'seen Logged>, Halt> {
        let misdeed = |what: String, way_out: &str| {
            Err(Halt::Misdeed { step: done.step.into(), role: done.role.into(), what, way_out: way_out.into() })
        };
        if seen.is_rewritten {
            let what = format!("a history in which {} is not any more", lent.commit.short());
            return misdeed(what, "a step adds to the history and rewrites nothing");
        }
        if !seen.strayed.is_empty() {
            let what = format!("references of its own ({})", seen.strayed.join(", "));
            return misdeed(what, "a step commits to the branch it is given, and moves nothing else");
        }
        let commit = match seen.commits.as_slice() {
            [] => return Ok(None),
            [commit] => commit,
            more => {
                let what = format!("{} commits ({})", more.len(), named(more));
                return misdeed(what, "a step is one commit");
            }
        };
        if let Some(problem) = message_problem(&commit.message, done.role) {
            return misdeed(format!("a commit, but {problem}"), "a commit is of the role whose step it is");
        }
        for (name, email) in [(&commit.author, &commit.author_email), (&commit.committer, &commit.committer_email)] {
            let is_of = |role: &&String| **role != done.role && is_identity(role, name, email);
            if let Some(other) = done.others.iter().find(is_of) {
                let what = format!("a commit by {name} <{email}>, who is `{other}`");
                return misdeed(what, "a commit is of the role whose step it is");
            }
        }
        let dirty: Vec<&Path> = seen.status.paths().filter(|path| !path.starts_with(ARTIFACTS)).collect();
        if !dirty.is_empty() {
            let what = format!("a tree with changes that its commit does not hold ({})", listed(&dirty));
            return misdeed(what, "commit all of it, or nothing: then it is committed for the role");
        }
        Ok(Some(commit))
    }

    fn dirty(&self, status: &Status) -> Halt {
        let paths: Vec<&Path> = status.paths().collect();
        let paths = match status.under_way {
            Some(what) if paths.is_empty() => format!("a {what} is under way"),
            Some(what) => format!("a {what} is under way: {}", listed(&paths)),
            None => listed(&paths),
        };
        Halt::Dirty { workspace: self.shown.clone(), paths }
    }
}

/// What cannot be a workspace is said before anything is made of it.
fn check_place(project: &Path, folder: &str) -> Result<(), Halt> {
    let odd = |path: &Path, why: &str| Err(Halt::Git(GitFault::File { path: path.into(), why: why.into() }));
    let mut path = PathBuf::new();
    for name in Path::new(folder) {
        path.push(name);
        match fs::symlink_metadata(project.join(&path)) {
            Ok(about) if about.is_symlink() => {
                return odd(
                    &path,
                    "it is a link, and a workspace lies in the project: put a folder there, then resume",
                );
            }
            Ok(about) if !about.is_dir() => {
                return odd(&path, "it is a file, and the workspace is a folder: move it away, then resume");
            }
            Ok(_) => {}
            Err(_) => return Ok(()),
        }
    }
    let within = project.join(folder);
    let is_bare = ["objects", "refs"].iter().all(|name| within.join(name).is_dir()) && within.join("HEAD").is_file();
    match is_bare && !within.join(".git").exists() {
        true => Err(GitFault::Bare { folder: folder.into() }.into()),
        false => Ok(()),
    }
}

/// A name of an artifact as a line that has git ignore it.
fn ignored(name: &str) -> String {
    let mut line = format!("/{ARTIFACTS}/");
    for letter in name.chars() {
        if "\\*?[]!# ".contains(letter) {
            line.push('\\');
        }
        line.push(letter);
    }
    line
}

/// The identity of a role: the same for everybody, so that commits can be told apart.
fn stamp(role: &str, seconds: i64) -> Stamp {
    Stamp { name: role.into(), email: format!("{}@multiverse.invalid", mailbox(role)), seconds }
}

fn mailbox(role: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    role.to_lowercase().chars().map(letter).collect()
}

/// Whether a name or an address is that of a role.
fn is_identity(role: &str, name: &str, email: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace([' ', '-', '.'], "_");
    let user = email.split('@').next().unwrap_or_default();
    plain(name) == plain(role) || plain(user) == plain(role)
}

fn listed(paths: &[&Path]) -> String {
    let shown: Vec<String> = paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = paths.len().saturating_sub(NAMED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

fn named(commits: &[Logged]) -> String {
    let one = |commit: &Logged| {
        format!("{} by {}: {}", commit.commit.short(), commit.author, commit.message.lines().next().unwrap_or_default())
    };
    let shown: Vec<String> = commits.iter().take(NAMED).map(one).collect();
    let more = commits.len().saturating_sub(NAMED);
    if more == 0 { shown.join("; ") } else { format!("{} and {more} more", shown.join("; ")) }
}

/// The files of the artifact folder among those that changed, with their bytes. Links lead nowhere.
fn artifacts(folder: &Path, changed: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Halt> {
    let mut artifacts = Vec::new();
    for path in changed {
        let Some(name) = path.strip_prefix(ARTIFACTS).ok().and_then(Path::to_str) else { continue };
        let file = folder.join(path);
        let Ok(about) = fs::symlink_metadata(&file) else { continue };
        let is_small = about.len() <= ARTIFACT_BYTES && artifacts.len() < MOST_ARTIFACTS;
        if !about.is_file() || !is_small {
            let why = "an artifact is a plain file of no more than 64 MiB".to_owned();
            return Err(GitFault::File { path: path.clone(), why }.into());
        }
        let content = fs::read(&file).map_err(|error| GitFault::File { path: file, why: error.to_string() })?;
        artifacts.push((name.to_owned(), content));
    }
    Ok(artifacts)
}
