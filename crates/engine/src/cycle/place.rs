//! The copy in which an agent of a cycle works: of the goal's branch, or of the project's files where there is no
//! repository. The agent may do there what it likes; what an Actor changed is measured afterwards, from the files
//! themselves (CY-04). What others changed goes with the copy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent::{Brief, Ending, ReportStatus};
use bytes::Bytes;
use dialect::cycle::{ASSETS, CONTEXT, asset_name, is_asset_name};
use machine::cycle::{Ground, Measured, Party};
use serde_json::json;
use store::ProjectPath;
use text::Text;
use tools::git::{Lent, NewCommit, ObjectId, Repository};

use super::repository::stamp;
use crate::hosted::{Came, Workplace};
use crate::step::Output;

/// The most files of a copy, the largest one and all together, in bytes.
const MOST_FILES: usize = 20_000;
const LARGEST: u64 = 64 << 20;
const MOST_BYTES: u64 = 1 << 30;
/// Folders that are no work of the project's.
const LEFT_OUT: [&str; 4] = [".multiverse", ".git", "target", "node_modules"];

/// Where one turn is taken.
#[derive(Debug)]
pub(super) struct TurnPlace {
    pub project: PathBuf,
    pub ground: Ground,
    pub party: Party,
    pub branch: String,
    /// The commit that the copy is of.
    pub commit: String,
    /// When the turn began, as facts spell it: the time of a commit that it leads to.
    pub since: String,
    pub signature: String,
    pub lent: Option<Lent>,
}

impl Workplace for TurnPlace {
    fn make(&mut self, within: &Path) -> Result<PathBuf, String> {
        match self.ground {
            Ground::Repository => {
                let repository = Repository::open(&self.project).map_err(|fault| fault.to_string())?;
                let commit = self.object()?;
                let stamp = stamp(self.party, &self.since);
                let lent = repository.lend(within, &self.branch, &commit, &stamp).map_err(|fault| fault.to_string())?;
                let folder = lent.folder();
                self.lent = Some(lent);
                Ok(folder)
            }
            Ground::Files => {
                let folder = within.join("tree");
                let mut copied = Copied::default();
                copied
                    .copy(&self.project, &folder)
                    .map_err(|error| format!("the project cannot be copied: {error}"))?;
                Ok(folder)
            }
        }
    }

    fn came(&mut self, folder: &Path, brief: &Brief, ending: Ending) -> Option<Came> {
        let Ending::Report { report, log } = ending else { return Came::of(brief, folder, ending) };
        if report.status != ReportStatus::Done {
            return Came::of(brief, folder, Ending::Report { report, log });
        }
        let mut report = report;
        report.outputs.clear();
        let tried = agent::tried(folder);
        if !tried.is_empty() {
            let problem = |command: &String| format!("`{command}` was tried, and is forbidden ([cycle] forbidden)");
            let said = serde_json::to_string(&report).unwrap_or_default();
            return Some(Came::Broken { problems: tried.iter().map(problem).collect(), said });
        }
        let is_success = report.result.get("result").and_then(serde_json::Value::as_str) == Some("SUCCESS");
        if self.party != Party::Actor || !is_success {
            return Some(Came::Report { report: Box::new(report), outputs: Vec::new() });
        }
        if let Err(error) = self.clear(folder) {
            return Some(Came::Failed { error, said: String::new() });
        }
        let summary = report.summary.lines().next().unwrap_or_default().to_string();
        let measured = match self.ground {
            Ground::Repository => self.measure(&summary).map(|measured| (measured, Vec::new())),
            Ground::Files => compared(&self.project, folder, &self.since),
        };
        Some(match measured {
            Ok((measured, outputs)) => {
                if let Some(result) = report.result.as_object_mut() {
                    result.insert("measured".into(), json!(measured));
                }
                Came::Report { report: Box::new(report), outputs }
            }
            Err(problem) => {
                let said = serde_json::to_string(&report).unwrap_or_default();
                Came::Broken { problems: vec![problem], said }
            }
        })
    }
}

impl TurnPlace {
    fn object(&self) -> Result<ObjectId, String> {
        ObjectId::read(&self.commit).ok_or_else(|| format!("`{}` is no commit", self.commit))
    }

    /// Takes away what stood in the copy for the agent's sake, unless the project has such a file itself.
    fn clear(&self, folder: &Path) -> Result<(), String> {
        let repository = match self.ground {
            Ground::Repository => {
                Some((Repository::open(&self.project).map_err(|fault| fault.to_string())?, self.object()?))
            }
            Ground::Files => None,
        };
        for name in agent::OWN_NAMES {
            let is_projects = match &repository {
                Some((repository, commit)) => {
                    repository.file_at(commit, Path::new(name)).map_err(|fault| fault.to_string())?.is_some()
                }
                None => self.project.join(name).exists(),
            };
            let place = folder.join(name);
            let gone = match std::fs::symlink_metadata(&place) {
                _ if is_projects => Ok(()),
                Ok(found) if found.is_dir() => std::fs::remove_dir_all(&place),
                Ok(_) => std::fs::remove_file(&place),
                Err(_) => Ok(()),
            };
            gone.map_err(|error| format!("{name} of the copy cannot be removed: {error}"))?;
        }
        Ok(())
    }

    /// What the Actor changed, as a commit of the repository that nothing leads to yet.
    fn measure(&self, summary: &str) -> Result<Measured, String> {
        let in_words = |fault: tools::git::GitFault| fault.to_string();
        let repository = Repository::open(&self.project).map_err(in_words)?;
        let lent = self.lent.as_ref().ok_or("the copy is gone")?;
        let base = self.object()?;
        let examined = repository.examine(lent).map_err(in_words)?;
        let between = repository.measure(&base, &examined.tree).map_err(in_words)?;
        let files: Vec<String> = between.files.iter().map(|file| file.path.display().to_string()).collect();
        let mut strayed = examined.strayed;
        if examined.is_rewritten {
            strayed.push("the history of the branch".into());
        }
        let wrong = files.iter().filter_map(|file| of_record(file, &self.since)).collect();
        if files.is_empty() {
            return Ok(Measured { commit: self.commit.clone(), strayed, ..Measured::default() });
        }
        let stamp = stamp(self.party, &self.since);
        let message = format!("{}\n\nTurn {} of a cycle.\n", shortened(summary), self.signature);
        let (tree, parents) = (examined.tree, vec![base]);
        let commit = NewCommit { tree, parents, author: &stamp, committer: &stamp, message: &message };
        let commit = repository.commit(&commit).map_err(in_words)?;
        Ok(Measured { lines: between.lines(), files, commit: commit.to_string(), strayed, wrong })
    }
}

/// What is wrong with a change below the record's folder: all but a picture under its right name (CY-14).
fn of_record(file: &str, since: &str) -> Option<String> {
    file.strip_prefix(CONTEXT).filter(|rest| rest.starts_with('/'))?;
    match file.strip_prefix(ASSETS).and_then(|rest| rest.strip_prefix('/')) {
        Some(name) if is_asset_name(name) => None,
        Some(name) if name != "README.md" => {
            let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "png"));
            let right = asset_name(since, stem, extension);
            Some(format!("{file}: pictures of the record are named by when they were made: call it {ASSETS}/{right}"))
        }
        _ => Some(format!("{file} was changed, and the record is the program's own: put it back")),
    }
}

/// The first line of a commit's message.
fn shortened(summary: &str) -> String {
    let short: String = summary.trim().chars().filter(|letter| !letter.is_control()).take(72).collect();
    if short.is_empty() { "a change".into() } else { short }
}

/// What differs between a project without a repository and a copy of it, as files of the project.
fn compared(project: &Path, folder: &Path, since: &str) -> Result<(Measured, Vec<Output>), String> {
    let failed = |error: std::io::Error| format!("the copy cannot be looked at: {error}");
    let (mut before, mut after) = (Copied::default(), Copied::default());
    before.list(project).map_err(failed)?;
    after.list(folder).map_err(failed)?;
    if let Some(gone) = before.files.keys().find(|path| !after.files.contains_key(*path)) {
        return Err(format!("{gone} was removed: without a repository nothing is ever removed; put it back"));
    }
    let (mut measured, mut outputs) = (Measured::default(), Vec::new());
    let mut digest = blake3::Hasher::new();
    for (path, place) in &after.files {
        let new = std::fs::read(place).map_err(failed)?;
        let old = before.files.get(path).map(std::fs::read).transpose().map_err(failed)?;
        if old.as_ref() == Some(&new) {
            continue;
        }
        let place = ProjectPath::document(path).map_err(|refusal| refusal.to_string())?;
        measured.wrong.extend(of_record(path, since));
        measured.lines = measured.lines.saturating_add(changed_lines(old.unwrap_or_default(), &new));
        measured.files.push(path.clone());
        digest.update(path.as_bytes()).update(blake3::hash(&new).as_bytes());
        outputs.push(Output { path: place, content: Bytes::from(new) });
    }
    measured.commit = digest.finalize().to_hex()[..40].to_string();
    Ok((measured, outputs))
}

fn changed_lines(old: Vec<u8>, new: &[u8]) -> u64 {
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').count() as u64;
    let change = text::diff(&Text::from(old), &Text::from(new.to_vec()));
    change.splices().iter().map(|splice| lines(&splice.cut) + lines(&splice.put)).sum()
}

/// Files below a folder, by path from there.
#[derive(Default)]
struct Copied {
    files: BTreeMap<String, PathBuf>,
    bytes: u64,
}

impl Copied {
    /// Copies the files of a project.
    fn copy(&mut self, project: &Path, to: &Path) -> std::io::Result<()> {
        self.list(project)?;
        std::fs::create_dir_all(to)?;
        for (path, from) in &self.files {
            let place = to.join(path);
            if let Some(folder) = place.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::copy(from, place)?;
        }
        Ok(())
    }

    /// Lists them. Links are left out: they could lead anywhere.
    fn list(&mut self, top: &Path) -> std::io::Result<()> {
        let mut folders = vec![top.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
                if kind.is_dir() && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                    folders.push(path);
                } else if kind.is_file() {
                    let size = entry.metadata()?.len();
                    self.bytes = self.bytes.saturating_add(size);
                    if size > LARGEST || self.bytes > MOST_BYTES || self.files.len() >= MOST_FILES {
                        let what = format!("{} is too much: work in a repository (`git init`) instead", path.display());
                        return Err(std::io::Error::other(what));
                    }
                    let inside = path.strip_prefix(top).unwrap_or(&path);
                    let Some(inside) = inside.to_str() else { continue };
                    self.files.insert(inside.to_string(), path);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CY-04: what was changed is counted from the files; nothing is removed without a repository.
    #[test]
    fn cy04_changes_are_measured() {
        let (project, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |place: &Path, text: &str| std::fs::write(place, text).unwrap();
        write(&project.path().join("a.md"), "one\ntwo\nthree\n");
        let folder = copy.path().join("tree");
        Copied::default().copy(project.path(), &folder).unwrap();
        let compared = |project: &Path, folder: &Path| compared(project, folder, "2026-01-31T14:05:30Z");
        assert_eq!(compared(project.path(), &folder).unwrap().0.lines, 0);
        write(&folder.join("a.md"), "one\n2\nthree\nfour\n");
        write(&folder.join("b.md"), "new\n");
        let (measured, outputs) = compared(project.path(), &folder).unwrap();
        assert_eq!((measured.lines, measured.files.len(), outputs.len()), (4, 2, 2));
        // CY-14: pictures, under their right names alone.
        for (file, said) in [
            ("docs/context/assets/2026-01-31_14-05-30_login.png", None),
            ("docs/context/assets/Log in.PNG", Some("call it docs/context/assets/2026-01-31_14-05-30_log-in.png")),
            ("docs/context/current_cycle.md", Some("the record is the program's own")),
            ("docs/context/assets/README.md", Some("the record is the program's own")),
            ("docs/contexts.md", None),
        ] {
            let problem = of_record(file, "2026-01-31T14:05:30Z");
            assert_eq!(problem.is_some(), said.is_some(), "{file}: {problem:?}");
            assert!(problem.unwrap_or_default().contains(said.unwrap_or_default()), "{file}");
        }
        std::fs::remove_file(folder.join("a.md")).unwrap();
        assert!(compared(project.path(), &folder).unwrap_err().contains("a.md was removed"));
    }
}
