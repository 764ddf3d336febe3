//! Which folder is the project, what its documents are called from a command line, and the store opened on it.
//! Nothing is read before a command asks for it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use store::{Missing, Notice, ProjectPath, Reach, RealFs, Store};

use super::failure::{Failure, Kind};
use super::output::{Loudness, Output};
use super::visible;

/// Where a command was started, and the folder that it was given.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    given: Option<PathBuf>,
    /// Paths on the command line begin here.
    folder: PathBuf,
}

impl Start {
    /// The start of this process.
    pub(crate) fn of_process(given: Option<&Path>) -> Result<Self, Failure> {
        let here = std::env::current_dir().map_err(|error| Failure::reading(Path::new("."), &error))?;
        Self::new(given, &here)
    }

    fn new(given: Option<&Path>, working_folder: &Path) -> Result<Self, Failure> {
        let folder = given.map_or(working_folder.to_path_buf(), |given| plain_path(&working_folder.join(given)));
        if !folder.is_dir() {
            let message = format!("cannot work in {}: there is no such folder", visible::path(&folder));
            let failure = Failure::new(Kind::Missing, message).at(&folder);
            return Err(failure.hint("look at the spelling, and at the folder you are in"));
        }
        Ok(Self { given: given.map(Path::to_path_buf), folder })
    }

    /// The project that a command works in.
    pub(crate) fn project(&self) -> Result<PathBuf, Failure> {
        // A folder that was given is the project itself: one project inside another can be named so.
        let mut candidates = self.folder.ancestors().take(if self.given.is_some() { 1 } else { usize::MAX });
        candidates.find(|folder| folder.join(store::OWN).is_dir()).map(Path::to_path_buf).ok_or_else(|| {
            let place = visible::path(&self.folder);
            let message = match self.given {
                Some(_) => format!("{place} is no project: it has no {}/", store::OWN),
                None => format!("no project here: neither {place} nor a folder above it has {}/", store::OWN),
            };
            Failure::new(Kind::NoProject, message)
                .at(&self.folder)
                .hint("`multiverse adopt FILE…` puts documents under the journal; `-C DIR` names another folder")
        })
    }

    /// The project, or the folder where one begins.
    pub(crate) fn project_or_new(&self) -> PathBuf {
        self.project().unwrap_or_else(|_| self.folder.clone())
    }

    /// The place of a path on the command line.
    pub(crate) fn place_of(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    /// A path on the command line as the project names it: from its root, with `/` between the names.
    pub(crate) fn document(&self, project: &Path, path: &Path) -> Result<ProjectPath, Failure> {
        let refused = |reason: String| {
            Failure::new(Kind::Refused, format!("{} is refused: {reason}", visible::path(path)))
                .at(path)
                .hint("give a file below the project's folder")
        };
        let whole = plain_path(&self.place_of(path));
        let outside = || refused(format!("it is not in the project {}", visible::path(project)));
        let inside = whole.strip_prefix(project).map_err(|_| outside())?;
        let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
        let name = names.ok_or_else(|| refused("its name is not UTF-8".into()))?.join("/");
        ProjectPath::document(&name).map_err(|refusal| refused(refusal.reason))
    }
}

/// The project's files, for reading.
pub(crate) fn files(project: &Path) -> Result<RealFs, Failure> {
    Ok(RealFs::open(project)?)
}

/// The project's store, for changing. What it has to say goes to stderr at once: it may be waiting for someone.
pub(crate) fn open(project: &Path, missing: Missing, output: &Output) -> Result<Store<RealFs>, Failure> {
    let files = files(project)?;
    let file_system = files.file_system()?;
    if file_system.reach == Reach::Network {
        let message = format!("{} lies on a network file system ({})", visible::path(project), file_system.name);
        return Err(Failure::new(Kind::Refused, message)
            .at(project)
            .hint("its locks cannot be trusted: use a local disk"));
    }
    let loudness = output.loudness();
    let listener = move |notice: &Notice| {
        if loudness > Loudness::Quiet || matches!(notice, Notice::LockHeld { .. }) {
            let _ = writeln!(std::io::stderr(), "{}", visible::text(&in_words(notice)));
        }
    };
    Ok(Store::open(files, missing, Box::new(listener))?)
}

fn in_words(notice: &Notice) -> String {
    match notice {
        Notice::LockHeld { advice, .. } => format!("waiting for the project's lock: {advice}"),
        Notice::Edited { record, paths } => {
            let names: Vec<String> = paths.iter().map(ProjectPath::to_string).collect();
            format!("edited by hand, now record {record}: {}", names.join(", "))
        }
        Notice::Stale { path, version } => {
            format!("{path} was put back to what it was at record {version}; it is brought up to date again")
        }
        Notice::PutAside { path, kept } => {
            format!("after the machine stopped, {path} held bytes that nobody had committed; they are kept in {kept}")
        }
    }
}

/// The path without `.` and `..`, by spelling alone. What a symbolic link would make of it is the store's business.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for name in path.components() {
        match name {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for folder in ["a/.multiverse", "a/b/c", "a/b/inner/.multiverse", "outside"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        place
    }

    #[test]
    fn the_project_is_the_nearest_parent_or_what_was_given() {
        let place = place();
        let check = |given: Option<&str>, working_folder: &str, expected: Option<&str>| {
            let start = Start::new(given.map(Path::new), &place.path().join(working_folder));
            let found = start.and_then(|start| start.project());
            assert_eq!(found.ok(), expected.map(|folder| place.path().join(folder)), "{given:?} {working_folder}");
        };
        check(None, "a", Some("a"));
        check(None, "a/b/c", Some("a"));
        check(None, "a/b/inner", Some("a/b/inner"));
        check(None, "outside", None);
        check(Some("../a"), "outside", Some("a"));
        check(Some("../a/b"), "outside", None);
        check(Some("gone"), "a", None);
    }

    #[test]
    fn documents_are_named_from_the_root() {
        let place = place();
        let root = place.path();
        let check = |given: Option<&str>, working_folder: &str, path: &str, expected: Option<&str>| {
            let start = Start::new(given.map(Path::new), &root.join(working_folder)).unwrap();
            let name = start.document(&root.join("a"), Path::new(path)).map(|name| name.to_string());
            assert_eq!(name.ok().as_deref(), expected, "{given:?} {working_folder:?} {path}");
        };
        check(None, "a", "x.md", Some("x.md"));
        check(None, "a/b", "x.md", Some("b/x.md"));
        check(None, "a/b", "./../c/x.md", Some("c/x.md"));
        check(Some("../a"), "outside", "b/x.md", Some("b/x.md"));
        check(None, "a/b", root.join("a/x.md").to_str().unwrap(), Some("x.md"));
        check(None, "a", "../outside/x.md", None);
        check(None, "a", "/etc/passwd", None);
        check(None, "a", ".multiverse/journal/1", None);
        check(None, "a", ".", None);
    }
}
