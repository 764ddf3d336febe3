//! Which folder is the project: the one that was given, or the nearest parent with the program's own folder.
//! Looks at names alone and opens nothing.

use std::path::{Path, PathBuf};

use super::failure::{Failure, Kind};
use super::visible;

/// The project that a command works in.
pub(crate) fn find(given: Option<&Path>, working_folder: &Path) -> Result<PathBuf, Failure> {
    let begin = given.unwrap_or(working_folder);
    if given.is_some() && !begin.is_dir() {
        return Err(Failure::new(
            Kind::Missing,
            format!("cannot work in {}: there is no such folder", visible::path(begin)),
        )
        .at(begin)
        .hint("look at the spelling, and at the folder you are in"));
    }
    // A folder that was given is the project itself: one project inside another can be named so.
    let mut candidates = begin.ancestors().take(if given.is_some() { 1 } else { usize::MAX });
    candidates.find(|folder| folder.join(store::OWN).is_dir()).map(Path::to_path_buf).ok_or_else(|| {
        let place = visible::path(begin);
        let message = match given {
            Some(_) => format!("{place} is no project: it has no {}/", store::OWN),
            None => format!("no project here: neither {place} nor a folder above it has {}/", store::OWN),
        };
        Failure::new(Kind::NoProject, message)
            .at(begin)
            .hint("`multiverse adopt FILE…` puts documents under the journal; `-C DIR` names another folder")
    })
}

/// The project, or where one would begin.
pub(crate) fn find_or_begin(given: Option<&Path>, working_folder: &Path) -> Result<PathBuf, Failure> {
    match find(given, working_folder) {
        Err(failure) if failure.kind() == Kind::NoProject => Ok(given.unwrap_or(working_folder).to_path_buf()),
        other => other,
    }
}

/// A path on the command line as the project names it: from its root, with `/` between the names.
pub(crate) fn document_path(
    project: &Path,
    given: Option<&Path>,
    working_folder: &Path,
    path: &Path,
) -> Result<String, Failure> {
    let refused = |reason: String| {
        Failure::new(Kind::Refused, format!("{} is refused: {reason}", visible::path(path)))
            .at(path)
            .hint("give a file below the project's folder")
    };
    let whole = given.unwrap_or(working_folder).join(path);
    let inside = plain_path(&whole)
        .strip_prefix(plain_path(project))
        .map_err(|_| refused(format!("it is not in the project {}", visible::path(project))))?
        .to_path_buf();
    let names: Option<Vec<&str>> = inside.iter().map(|name| name.to_str()).collect();
    let name = names.ok_or_else(|| refused("its name is not UTF-8".into()))?.join("/");
    store::ProjectPath::document(&name).map_err(|refusal| refused(refusal.reason))?;
    Ok(name)
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
            let given = given.map(|given| place.path().join(given));
            let found = find(given.as_deref(), &place.path().join(working_folder));
            assert_eq!(found.ok(), expected.map(|folder| place.path().join(folder)), "{given:?} {working_folder}");
        };
        check(None, "a", Some("a"));
        check(None, "a/b/c", Some("a"));
        check(None, "a/b/inner", Some("a/b/inner"));
        check(None, "outside", None);
        check(Some("a"), "outside", Some("a"));
        check(Some("a/b"), "outside", None);
        check(Some("gone"), "a", None);
    }

    #[test]
    fn documents_are_named_from_the_root() {
        let place = place();
        let root = place.path();
        let check = |given: Option<&str>, working_folder: &str, path: &str, expected: Option<&str>| {
            let given = given.map(|given| root.join(given));
            let working_folder = root.join(working_folder);
            let name = document_path(&root.join("a"), given.as_deref(), &working_folder, Path::new(path));
            assert_eq!(name.ok().as_deref(), expected, "{given:?} {working_folder:?} {path}");
        };
        check(None, "a", "x.md", Some("x.md"));
        check(None, "a/b", "x.md", Some("b/x.md"));
        check(None, "a/b", "./../c/x.md", Some("c/x.md"));
        check(Some("a"), "outside", "b/x.md", Some("b/x.md"));
        check(None, "a/b", root.join("a/x.md").to_str().unwrap(), Some("x.md"));
        check(None, "a", "../outside/x.md", None);
        check(None, "a", "/etc/passwd", None);
        check(None, "a", ".multiverse/journal/1", None);
        check(None, "a", ".", None);
    }
}
