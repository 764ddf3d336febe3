//! Which repository a folder belongs to, and making one. Looks at what git says and at the files themselves: what a
//! repository claims about where it is, is not believed.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::invoke::{Git, NAMED_PATTERN, NEEDED, overruled};
use super::{GitFault, GitLimits, Moved, NewCommit, ObjectId, Repository, Stamp};

impl Repository {
    /// The repository whose working tree holds this folder.
    pub fn open(folder: &Path) -> Result<Self, GitFault> {
        needed_version()?;
        let no_folder = |error: std::io::Error| GitFault::File { path: folder.into(), why: error.to_string() };
        let folder = folder.canonicalize().map_err(no_folder)?;
        match Self::found(&folder, None) {
            // The user may have said that this folder of another's is fine.
            Err(GitFault::NotOurs { .. }) if let Some(trusted) = trusted(&folder) => {
                Self::found(&folder, Some(&trusted))
            }
            found => found,
        }
    }

    /// Makes a repository of a folder that is in none of its own, with a first commit of what is in it. Done before, it
    /// is opened, and its first commit is made if that was not.
    pub fn init(folder: &Path, branch: &str, stamp: &Stamp, message: &str) -> Result<(Self, ObjectId), GitFault> {
        needed_version()?;
        if let Some(why) = super::branch_problem(branch) {
            return Err(GitFault::BadName { name: branch.into(), why });
        }
        fs::create_dir_all(folder).map_err(|error| GitFault::File { path: folder.into(), why: error.to_string() })?;
        if fs::symlink_metadata(folder.join(".git")).is_err() {
            let arguments: [OsString; 6] =
                ["init".into(), "-q".into(), "--template=".into(), "-b".into(), branch.into(), ".".into()];
            Git::new(folder, arguments).answer()?;
        }
        let repository = Self::open(folder)?;
        if repository.work_tree != folder.canonicalize().unwrap_or_else(|_| folder.into()) {
            return Err(GitFault::Elsewhere { git_dir: repository.git_dir, work_tree: repository.work_tree });
        }
        let branch = match repository.head()? {
            super::Head::Unborn { branch } => branch,
            super::Head::Branch { commit, .. } | super::Head::Detached { commit } => return Ok((repository, commit)),
        };
        let tree = repository.tree_of(folder, None, None)?;
        let commit =
            repository.commit(&NewCommit { tree, parents: vec![], author: stamp, committer: stamp, message })?;
        let first = match repository.move_branch(&branch, None, Some(&commit), "first commit")? {
            Moved::Done | Moved::Already => commit,
            Moved::Elsewhere(Some(other)) => other,
            Moved::Elsewhere(None) => return Err(GitFault::Unborn { folder: folder.into(), branch }),
        };
        repository.git(["read-tree", first.as_str()]).answer()?;
        Ok((repository, first))
    }

    fn found(folder: &Path, trusted: Option<&Path>) -> Result<Self, GitFault> {
        let ask = |question: &[&str]| {
            let mut git = Git::new(folder, [&["rev-parse", "--path-format=absolute"], question].concat());
            if let Some(trusted) = trusted {
                git = git.setting("safe.directory", trusted);
            }
            git
        };
        let path = |question: &str| -> Result<PathBuf, GitFault> {
            let mut answer = ask(&[question]).answer()?;
            answer.pop_if(|byte| *byte == b'\n');
            Ok(PathBuf::from(OsString::from_vec(answer)))
        };
        match ask(&["--is-bare-repository", "--is-inside-work-tree"]).line() {
            Ok(answer) if answer.starts_with("true") => return Err(GitFault::Bare { folder: folder.into() }),
            Ok(answer) if answer == "false\ntrue" => {}
            Ok(_) => {
                let (git_dir, work_tree) = (path("--git-dir")?, folder.into());
                let inside = folder.starts_with(&git_dir);
                return Err(if inside {
                    GitFault::Bare { folder: folder.into() }
                } else {
                    GitFault::Elsewhere { git_dir, work_tree }
                });
            }
            Err(GitFault::Failed { said, .. }) => return Err(GitFault::Damaged { folder: folder.into(), why: said }),
            Err(fault) => return Err(fault),
        }
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let (git_dir, common_dir) = (real(path("--git-dir")?), real(path("--git-common-dir")?));
        let work_tree = real(path("--show-toplevel")?);
        if !folder.starts_with(&work_tree) || !is_of(&git_dir, &work_tree) {
            return Err(GitFault::Elsewhere { git_dir, work_tree });
        }
        let mut repository =
            Self { git_dir, common_dir, work_tree, overruled: Vec::new(), limits: GitLimits::default() };
        let named = repository.git(["config", "--null", "--name-only", "--get-regexp", NAMED_PATTERN]).said()?;
        repository.overruled = overruled(&named.output);
        Ok(repository)
    }
}

/// Whether a working tree says itself that its repository is there.
fn is_of(git_dir: &Path, work_tree: &Path) -> bool {
    let entry = work_tree.join(".git");
    if entry.is_dir() {
        return entry.canonicalize().is_ok_and(|entry| entry == git_dir);
    }
    let text = fs::read(&entry).unwrap_or_default();
    let text = text.strip_prefix(b"gitdir: ").unwrap_or_default();
    let path = OsString::from_vec(text.strip_suffix(b"\n").unwrap_or(text).to_vec());
    work_tree.join(path).canonicalize().is_ok_and(|path| path == git_dir)
}

/// Whether the user's own settings trust a folder of another user: the folder that they name.
fn trusted(folder: &Path) -> Option<PathBuf> {
    let home = std::env::var_os("HOME")?;
    let git = Git::new(folder, ["config", "--global", "--null", "--get-all", "safe.directory"]);
    let mut git = git.with("HOME", home).with("GIT_CEILING_DIRECTORIES", folder);
    git = git.without("GIT_CONFIG_GLOBAL");
    if let Some(folder) = std::env::var_os("XDG_CONFIG_HOME") {
        git = git.with("XDG_CONFIG_HOME", folder);
    }
    trusts(&git.answer().ok()?, folder)
}

/// Of the values of the user's setting, the one that trusts a folder.
fn trusts(values: &[u8], folder: &Path) -> Option<PathBuf> {
    let mut trusted = None;
    for value in values.split_inclusive(|byte| *byte == 0) {
        let value = value.strip_suffix(&[0]).unwrap_or(value);
        let value = PathBuf::from(OsString::from_vec(value.to_vec()));
        if value.as_os_str().is_empty() {
            // An empty value takes back all before it.
            trusted = None;
            continue;
        }
        let is_all = value.as_os_str() == "*";
        let parent = value.strip_prefix("/").ok().filter(|_| value.ends_with("*")).and_then(|_| value.parent());
        let is_named = value.is_absolute() && folder.starts_with(&value);
        if is_all || is_named || parent.is_some_and(|parent| folder.starts_with(parent)) {
            trusted = Some(value);
        }
    }
    trusted
}

/// Whether git is there and new enough; asked once.
fn needed_version() -> Result<(), GitFault> {
    static VERSION: OnceLock<Result<String, GitFault>> = OnceLock::new();
    let found = VERSION.get_or_init(|| Git::new(Path::new("/"), ["version"]).line()).clone()?;
    let numbers = |text: &str| -> Vec<u32> { text.split('.').map_while(|number| number.parse().ok()).collect() };
    let version = found.split_whitespace().nth(2).unwrap_or_default();
    if numbers(version) < numbers(NEEDED) {
        return Err(GitFault::TooOld { found, needed: NEEDED });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_others_are_trusted_by_the_users_own_word_alone() {
        let check = |values: &[&str], expected: Option<&str>| {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes().chain([0])).collect();
            assert_eq!(trusts(&bytes, Path::new("/srv/code/one")), expected.map(PathBuf::from), "{values:?}");
        };
        check(&[], None);
        check(&["/srv/code/one"], Some("/srv/code/one"));
        check(&["/srv/code/on"], None);
        check(&["/srv/code/*"], Some("/srv/code/*"));
        check(&["/srv/other/*"], None);
        check(&["*"], Some("*"));
        check(&["*", ""], None);
        check(&["*", "", "/srv/code/one"], Some("/srv/code/one"));
        check(&["code/one"], None);
    }
}
