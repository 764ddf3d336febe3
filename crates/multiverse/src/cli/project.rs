//! Which folder is the project, what its documents are called from a command line, and the store opened on it.
//! Nothing is read before a command asks for it.

use std::path::{Path, PathBuf};

use engine::workflows::PROFILES;
use store::{Missing, ProjectPath, Reach, RealFs, Store};

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output};
use super::{notices, visible};

/// A folder with one of these in it has runs, even if what is the program's own is not there: a fresh clone.
const RUNS: [&str; 3] = ["db/process_runs.md", "agent_runtime/status.json", "jixo.config.json"];
/// The folder of a roadmap's tasks, and how their files end.
const TASKS: &str = ".jixo";
const TASK: &str = ".task.md";
/// The folder below a root that may hold a tree of profiles.
const BELOW: &str = "Version2";

/// Where a command was started, and the folder that it was given.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    is_given: bool,
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
        let folder = given.map_or(working_folder.to_path_buf(), |given| working_folder.join(given));
        Ok(Self { is_given: given.is_some(), folder: real_folder(&folder)? })
    }

    /// The project that a command works in.
    pub(crate) fn project(&self) -> Result<PathBuf, Failure> {
        let nearest = self.folder.ancestors().find(|folder| folder.join(store::OWN).is_dir());
        nearest.map(Path::to_path_buf).ok_or_else(|| {
            let place = visible::path(&self.folder);
            let message = format!("no project here: neither {place} nor a folder above it has {}/", store::OWN);
            Failure::new(Kind::NoProject, message)
                .at(&self.folder)
                .hint("`multiverse init` makes one here, `multiverse adopt FILE…` puts documents under the journal; `-C DIR` names another folder")
        })
    }

    /// The project whose runs a command is about; also one that was cloned without what is the program's own.
    pub(crate) fn project_of_runs(&self) -> Result<PathBuf, Failure> {
        let has_runs = |folder: &Path| RUNS.iter().any(|path| folder.join(path).is_file()) || has_tasks(folder);
        let is_project = |folder: &Path| folder.join(store::OWN).is_dir() || has_runs(folder);
        let nearest = self.folder.ancestors().find_map(|folder| match is_project(folder) {
            true => Some(folder.to_path_buf()),
            false => Some(folder.join(BELOW)).filter(|below| is_project(below) || below.join(PROFILES).is_dir()),
        });
        nearest.map_or_else(|| self.project(), Ok)
    }

    /// The project, or the folder where one begins.
    pub(crate) fn project_or_new(&self) -> PathBuf {
        self.project().unwrap_or_else(|_| self.folder.clone())
    }

    /// Says which project it is when that is not the folder that was given.
    pub(crate) fn say_project(&self, project: &Path, output: &mut Output) -> Result<(), Failure> {
        if self.is_given && self.folder != project {
            output.say(&format!("in the project {}", visible::path(project)))?;
        }
        Ok(())
    }

    /// The folder that paths on the command line begin at.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The place of a path on the command line.
    pub(crate) fn place_of(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    /// A place as it would be written on the command line.
    pub(crate) fn shown<'a>(&self, place: &'a Path) -> &'a Path {
        place.strip_prefix(&self.folder).unwrap_or(place)
    }

    /// A path on the command line as the project names it: from its root, with `/` between the names.
    pub(crate) fn document(&self, project: &Path, path: &Path) -> Result<ProjectPath, Failure> {
        let refused = |reason: &str, hint: &str| {
            let message = format!("{} is refused: {reason}", visible::path(path));
            Failure::new(Kind::Refused, message).at(path).hint(hint)
        };
        let whole = plain_path(&self.place_of(path));
        let inside = whole.strip_prefix(project).map(Path::to_path_buf).ok();
        // The same folder may have been reached through a symbolic link.
        let inside = inside.or_else(|| real_path(&whole)?.strip_prefix(project).map(Path::to_path_buf).ok());
        let inside = inside.ok_or_else(|| {
            let reason = format!("it is not in the project {}", visible::path(project));
            refused(&reason, "give a file below the project's folder")
        })?;
        let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
        let name = names.ok_or_else(|| refused("its name is not UTF-8", "rename it"))?.join("/");
        if name.is_empty() {
            return Err(refused("it is the project's folder", "give a file below it"));
        }
        ProjectPath::document(&name).map_err(|refusal| refused(&refusal.reason, "rename it, or leave it out"))
    }
}

/// Whether a folder has tasks of a roadmap.
fn has_tasks(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder.join(TASKS)).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().ends_with(TASK))
}

/// The folder itself, whatever links lead to it.
pub(crate) fn real_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let refused = |reason: &str| {
        let message = format!("cannot work in {}: {reason}", visible::path(folder));
        let hint = "look at the spelling, and at the folder you are in";
        Failure::new(Kind::Missing, message).at(folder).hint(hint)
    };
    match folder.canonicalize() {
        Ok(real) if real.is_dir() => Ok(real),
        Ok(_) => Err(refused("it is a file, not a folder")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(refused("there is no such folder")),
        Err(error) => Err(Failure::reading(folder, &error)),
    }
}

/// The project's files, for reading.
pub(crate) fn files(project: &Path) -> Result<RealFs, Failure> {
    Ok(RealFs::open(project)?)
}

/// The project's store, for changing.
pub(crate) fn open(project: &Path, missing: Missing, output: &mut Output) -> Result<Store<RealFs>, Failure> {
    let files = local_files(project)?;
    output.finish()?;
    Ok(Store::open(files, missing, notices::listener(output))?)
}

/// The project's files, for changing.
pub(crate) fn local_files(project: &Path) -> Result<RealFs, Failure> {
    let files = files(project)?;
    let file_system = files.file_system()?;
    if file_system.reach == Reach::Network {
        let message = format!("{} lies on a network file system ({})", visible::path(project), file_system.name);
        return Err(Failure::new(Kind::Refused, message)
            .at(project)
            .hint("its locks cannot be trusted: use a local disk"));
    }
    Ok(files)
}

/// How a command left the project.
#[derive(Debug)]
pub(crate) struct Left {
    /// The digest of the last record.
    pub(crate) head: String,
    /// Why the documents of what was recorded are not in their places.
    pub(crate) trouble: Option<Failure>,
}

impl Left {
    /// Says how the project was left.
    pub(crate) fn show(&self, output: &mut Output) -> Result<(), Failure> {
        if let Some(trouble) = &self.trouble {
            output.failure(trouble)?;
        }
        if output.form() == Form::Text && !self.head.is_empty() {
            output.say(&format!("head {}", self.head))?;
        }
        Ok(())
    }

    /// How the command ends that recorded this, or had nothing to record.
    pub(crate) fn exit(&self, record: Option<u64>) -> Exit {
        match (&self.trouble, record) {
            (Some(failure), _) => failure.exit(),
            (None, Some(_)) => Exit::Done,
            (None, None) => Exit::NothingToDo,
        }
    }
}

/// Puts everything into its place and leaves the project. What was recorded stays so when that does not succeed.
pub(crate) fn close(store: Store<RealFs>, record: Option<u64>) -> Result<Left, Failure> {
    let head = store.head().sum.to_string();
    match (store.close(), record) {
        (Ok(head), _) => Ok(Left { head: head.sum.to_string(), trouble: None }),
        (Err(fault), Some(record)) => Ok(Left { head, trouble: Some(Failure::not_placed(record, fault)) }),
        (Err(fault), None) => Err(fault.into()),
    }
}

/// Takes away what an opening made, if nothing was ever recorded in it and nobody else has it open. What cannot be taken
/// away is in nobody's way.
pub(crate) fn forget_unused(project: &Path) {
    let own = project.join(store::OWN);
    let Ok(lock) = std::fs::File::open(own.join("lock")) else { return };
    // Whoever opens the project meanwhile waits for the lock, and then finds that it is no longer in its place.
    if lock.try_lock().is_err() {
        return;
    }
    let is_empty = |name: &str| std::fs::read_dir(own.join(name)).is_ok_and(|mut entries| entries.next().is_none());
    let has_records = files(project).and_then(|files| {
        let mut count = 0;
        store::records(&files, |_| count += 1)?;
        Ok(count > 0)
    });
    let gone = project.join(format!("{}.{}", store::OWN, std::process::id()));
    if is_empty("executors") && has_records.is_ok_and(|has| !has) && std::fs::rename(&own, &gone).is_ok() {
        let _ = std::fs::remove_dir_all(gone);
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

/// The path with the links in its folders followed, as far as these exist. A link in its own place stays one.
fn real_path(path: &Path) -> Option<PathBuf> {
    let above = path.ancestors().skip(1);
    let (folder, real) = above.filter_map(|folder| Some((folder, folder.canonicalize().ok()?))).next()?;
    Some(real.join(path.strip_prefix(folder).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for folder in ["a/.multiverse", "a/b/c", "a/b/inner/.multiverse", "outside"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        for (target, link) in [("../a", "outside/to_a"), ("../a/b", "outside/to_b")] {
            std::os::unix::fs::symlink(target, place.path().join(link)).unwrap();
        }
        place
    }

    #[test]
    fn the_project_is_the_nearest_parent_or_what_was_given() {
        let place = place();
        let check = |given: Option<&str>, working_folder: &str, expected: Option<&str>| {
            let start = Start::new(given.map(Path::new), &place.path().join(working_folder));
            let found = start.and_then(|start| start.project());
            let expected = expected.map(|folder| place.path().join(folder).canonicalize().unwrap());
            assert_eq!(found.ok(), expected, "{given:?} {working_folder}");
        };
        check(None, "a", Some("a"));
        check(None, "a/b/c", Some("a"));
        check(None, "a/b/inner", Some("a/b/inner"));
        check(None, "outside", None);
        check(Some("../a"), "outside", Some("a"));
        check(Some("../a/b"), "outside", Some("a"));
        check(Some("../a/b/inner"), "outside", Some("a/b/inner"));
        check(Some("../outside/to_b"), "a", Some("a"));
        check(Some("../outside"), "a", None);
        check(Some("gone"), "a", None);
    }

    #[test]
    fn documents_are_named_from_the_root() {
        let place = place();
        let root = place.path().canonicalize().unwrap();
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
        check(None, "outside", "to_a/b/x.md", Some("b/x.md"));
        check(None, "outside", "to_a/gone/x.md", Some("gone/x.md"));
        check(Some("../outside/to_a"), "a", "b/x.md", Some("b/x.md"));
        check(Some("../outside/to_a"), "a", root.join("a/x.md").to_str().unwrap(), Some("x.md"));
        check(None, "a/b", root.join("outside/to_a/x.md").to_str().unwrap(), Some("x.md"));
        check(None, "a", "../outside/x.md", None);
        check(None, "a", "/etc/passwd", None);
        check(None, "a", ".multiverse/journal/1", None);
        check(None, "a", ".", None);
    }
}
