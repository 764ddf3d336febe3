//! Work that is not finished, or came too late, kept for the next attempt and for people: a commit under a name of ours where
//! there is a repository, else the files themselves below `.multiverse/aside/RUN/FENCE/`, with what they were made from.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use machine::roadmap::Fact;
use store::{Kind, RealFs, Record};

use super::copy::{GivenOut, digest};
use crate::body::Body;
use crate::step::Output;

/// Where it lies, from the project's root.
const FOLDER: &str = ".multiverse/aside";
/// What it says of itself.
const ABOUT: &str = "about.json";
const FILES: &str = "files";

/// What is said of work that is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct About {
    pub run: String,
    pub item: String,
    pub executor: String,
    pub why: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The commit, where there is a repository; a reference of ours keeps it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The digest of each file as it was given out; nothing for one that was not there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, Option<String>>,
}

/// The folder of one attempt's work, from the project's root.
pub(super) fn folder(run: &str, fence: u64) -> String {
    format!("{FOLDER}/{run}/{fence}")
}

/// Keeps files, with what they were made from; gives where. Whoever is ended in the middle leaves nothing under that name.
pub(super) fn keep(project: &Path, fence: u64, about: &About, outputs: &[Output]) -> io::Result<String> {
    let place = folder(&about.run, fence);
    let (folder, making) = (project.join(&place), project.join(format!("{place}.part")));
    for old in [&making, &folder] {
        match std::fs::remove_dir_all(old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    for output in outputs {
        let file = making.join(FILES).join(output.path.as_str());
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&file, &output.content)?;
    }
    std::fs::create_dir_all(&making)?;
    let said = serde_json::to_vec_pretty(about).map_err(io::Error::other)?;
    std::fs::write(making.join(ABOUT), said)?;
    std::fs::rename(&making, &folder)?;
    Ok(place)
}

/// Puts work that was kept into a new copy. Where the project's file is another by now than the one that it was made from, both
/// stand there, with marks between them as git writes them; gives those. What is no text is left as the project has it.
pub(super) fn put_back(project: &Path, place: &str, copy: &Path, given: &GivenOut) -> io::Result<Vec<PathBuf>> {
    let kept = project.join(place);
    let about: About = serde_json::from_slice(&std::fs::read(kept.join(ABOUT))?).map_err(io::Error::other)?;
    let mut marked = Vec::new();
    for (path, before) in &about.before {
        let file = kept.join(FILES).join(path);
        let Ok(content) = std::fs::read(&file) else { continue };
        let to: PathBuf = copy.join(path);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let is_same = given.0.get(path) == before.as_ref();
        let both = |theirs: &[u8]| {
            let ours = std::fs::read(&to).unwrap_or_default();
            Some(marked_up(std::str::from_utf8(&ours).ok()?, std::str::from_utf8(theirs).ok()?, place))
        };
        match both(&content).filter(|_| !is_same) {
            Some(both) => {
                std::fs::write(&to, both)?;
                marked.push(PathBuf::from(path));
            }
            None if is_same => std::fs::write(&to, content)?,
            None => {}
        }
    }
    Ok(marked)
}

/// Two texts as one, with marks around the lines on which they do not agree.
fn marked_up(ours: &str, theirs: &str, name: &str) -> String {
    let (one, other): (Vec<&str>, Vec<&str>) = (ours.lines().collect(), theirs.lines().collect());
    let first = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let rest = one[first..].iter().rev().zip(other[first..].iter().rev());
    let last = rest.take_while(|(one, other)| one == other).count();
    let side =
        |lines: &[&str]| lines[first..lines.len() - last].iter().map(|line| format!("{line}\n")).collect::<String>();
    let whole = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    format!(
        "{}<<<<<<< as it is now\n{}=======\n{}>>>>>>> {name}\n{}",
        whole(&one[..first]),
        side(&one),
        side(&other),
        whole(&one[one.len() - last..])
    )
}

/// The digests of files as they were given out, for those that are kept.
pub(super) fn before_of(given: &GivenOut, outputs: &[Output]) -> BTreeMap<String, Option<String>> {
    let one = |output: &Output| (output.path.to_string(), given.0.get(output.path.as_str()).cloned());
    outputs.iter().map(one).collect()
}

/// Those of the files that are another by now than when they were given out (whole-file clash detection). One that holds already
/// what was to be written is none.
pub(super) fn clashes(
    before: &BTreeMap<String, Option<String>>,
    outputs: &[Output],
    now: &dyn Fn(&str) -> Option<text::Text>,
) -> Vec<String> {
    let clashes = outputs.iter().filter(|output| {
        let found = now(output.path.as_str()).map(|text| digest(&text.to_vec()));
        let given = before.get(output.path.as_str()).cloned().flatten();
        found != given && found.as_deref() != Some(digest(&output.content).as_str())
    });
    clashes.map(|output| output.path.to_string()).collect()
}

/// Who changed one of these files last, in words, as the journal tells it: the other side of a clash. It is read whole, which a
/// clash is rare enough for.
pub(super) fn who_changed(project: &Path, files: &[String]) -> Option<String> {
    let mut last: Option<Record> = None;
    let changed = |record: &Record| record.docs.iter().any(|one| files.iter().any(|file| file == one.path.as_str()));
    store::records(&RealFs::open_to_look(project).ok()?, |record| {
        if changed(&record) && record.kind != Kind::Adopt {
            last = Some(record);
        }
    })
    .ok()?;
    let record = last?;
    let who = match record.kind {
        Kind::Commit => item_of(&record)?,
        _ => "an edit by hand".into(),
    };
    Some(format!("{who} (record {})", record.number))
}

/// The item whose work a record took.
fn item_of(record: &Record) -> Option<String> {
    let body: Body = serde_json::from_str(record.body.as_ref()?.get()).ok()?;
    let facts = body.hosted?.facts;
    facts.iter().find_map(|fact| match serde_json::from_str(fact.get()) {
        Ok(Fact::Logged(entry)) => entry.item,
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use store::ProjectPath;
    use text::Text;

    use super::super::copy::give_out;
    use super::*;

    fn output(path: &str, content: &str) -> Output {
        Output { path: ProjectPath::document(path).unwrap(), content: Bytes::from(content.to_string()) }
    }

    /// RM-06, RM-11: the work of a pause is in the next copy; where somebody changed the same file, both sides are.
    #[test]
    fn rm06_unfinished_work_is_taken_up_again() {
        let (project, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |path: &str, text: &str| std::fs::write(project.path().join(path), text).unwrap();
        write("a.md", "a");
        write("b.md", "b");
        let given = give_out(project.path(), &scratch.path().join("one"), &[]).unwrap();
        let outputs = [output("a.md", "half of a"), output("b.md", "half of b"), output("c/d.md", "new")];
        let about = About { run: "run-x".into(), before: before_of(&given, &outputs), ..About::default() };
        for _ in 0..2 {
            assert_eq!(keep(project.path(), 7, &about, &outputs).unwrap(), ".multiverse/aside/run-x/7");
        }
        write("b.md", "another's");
        let copy = scratch.path().join("two");
        let given = give_out(project.path(), &copy, &[]).unwrap();
        let marked = put_back(project.path(), ".multiverse/aside/run-x/7", &copy, &given).unwrap();
        assert_eq!(marked, [PathBuf::from("b.md")]);
        let read = |path: &str| std::fs::read_to_string(copy.join(path)).unwrap();
        assert_eq!(
            (read("a.md"), read("b.md"), read("c/d.md")),
            (
                "half of a".into(),
                "<<<<<<< as it is now\nanother's\n=======\nhalf of b\n>>>>>>> .multiverse/aside/run-x/7\n".into(),
                "new".into()
            )
        );
    }

    #[test]
    fn only_what_differs_stands_between_marks() {
        let both = marked_up("a\nb\nc\nd\n", "a\nx\ny\nd\n", "other");
        assert_eq!(both, "a\n<<<<<<< as it is now\nb\nc\n=======\nx\ny\n>>>>>>> other\nd\n");
        assert_eq!(marked_up("", "x", "o"), "<<<<<<< as it is now\n=======\nx\n>>>>>>> o\n");
        assert_eq!(marked_up("a\na\n", "a\n", "o"), "a\n<<<<<<< as it is now\na\n=======\n>>>>>>> o\n");
    }

    /// RM-11: a file that somebody changed meanwhile is a clash; one that holds the same already is none.
    #[test]
    fn rm11_clashes_are_of_whole_files() {
        let before =
            BTreeMap::from([("a".into(), Some(digest(b"a"))), ("b".into(), Some(digest(b"b"))), ("c".into(), None)]);
        let outputs = [output("a", "A"), output("b", "B"), output("c", "C")];
        let check = |now: &[(&str, &str)], expected: &[&str]| {
            let read = |path: &str| {
                now.iter().find(|(other, _)| *other == path).map(|(_, text)| Text::from((*text).to_string()))
            };
            assert_eq!(clashes(&before, &outputs, &read), expected);
        };
        check(&[("a", "a"), ("b", "b")], &[]);
        check(&[("a", "other"), ("b", "B")], &["a"]);
        check(&[("b", "b"), ("c", "there")], &["a", "c"]);
    }
}
