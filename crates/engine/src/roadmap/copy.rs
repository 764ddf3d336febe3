//! A copy of a project without a repository, for one executor: what was given out, and what differs afterwards. Follows no link
//! and is bounded. Must not know what the work is about.

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use store::ProjectPath;
use text::Text;

use crate::step::Output;

/// The most files of a copy, the largest one and all together, in bytes.
const MOST_FILES: usize = 20_000;
const LARGEST: u64 = 64 << 20;
const MOST_BYTES: u64 = 1 << 30;
/// A longer log is not copied: no executor is to read it whole, and it would be copied for each.
const LONG_LOG: u64 = 256 * 1024;
/// Folders that are no work of the project's.
const LEFT_OUT: [&str; 4] = [".multiverse", ".git", "target", "node_modules"];

/// What was given out: each file with the digest of its content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GivenOut(pub BTreeMap<String, String>);

/// What differs in a copy from what was given out.
#[derive(Debug, Clone, Default)]
pub(super) struct Differs {
    pub outputs: Vec<Output>,
    /// Files that are gone.
    pub gone: Vec<String>,
}

/// The digest of a content.
pub(super) fn digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..32].to_string()
}

/// Copies a project. Documents that are newer than their files are given as they are.
pub(super) fn give_out(project: &Path, to: &Path, newer: &[(String, Text)]) -> io::Result<GivenOut> {
    std::fs::create_dir_all(to)?;
    let mut given = GivenOut::default();
    // Every executor waits for its copy: a folder is made once, and nothing is asked twice.
    let mut made = to.to_path_buf();
    let mut place = |path: &str, content: &[u8], permissions: Option<Permissions>| -> io::Result<()> {
        let file = to.join(path);
        if let Some(folder) = file.parent().filter(|folder| *folder != made) {
            std::fs::create_dir_all(folder)?;
            made = folder.to_path_buf();
        }
        let mut copy = File::create(&file)?;
        copy.write_all(content)?;
        // Whether it may be executed belongs to it.
        permissions.map_or(Ok(()), |permissions| copy.set_permissions(permissions))?;
        given.0.insert(path.to_string(), digest(content));
        Ok(())
    };
    for (path, Listed { file, permissions }) in listed(project)? {
        if newer.iter().any(|(other, _)| *other == path) {
            continue;
        }
        let content = match std::fs::read(&file) {
            // Somebody removed it just now.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            content => content?,
        };
        place(&path, &content, permissions)?;
    }
    for (path, text) in newer {
        place(path, &text.to_vec(), None)?;
    }
    Ok(given)
}

impl GivenOut {
    /// What differs in a copy. Files at its top that stand there for the agent's sake are no work.
    #[allow(clippy::field_reassign_with_default, reason = "most of it stays as it is")]
    pub(super) fn compare(&self, folder: &Path) -> Result<Differs, String> {
        let failed = |error: io::Error| format!("the copy cannot be looked at: {error}");
        let found = listed(folder).map_err(failed)?;
        let is_own = |path: &str| {
            let first = path.split('/').next().unwrap_or_default();
            agent::OWN_NAMES.contains(&first)
        };
        let mut differs = Differs::default();
        differs.gone = self.0.keys().filter(|path| !found.contains_key(*path) && !is_own(path)).cloned().collect();
        for (path, Listed { file, .. }) in found.iter().filter(|(path, _)| !is_own(path)) {
            let content = std::fs::read(file).map_err(failed)?;
            if self.0.get(path).is_some_and(|given| *given == digest(&content)) {
                continue;
            }
            let path = ProjectPath::document(path).map_err(|refusal| refusal.to_string())?;
            differs.outputs.push(Output { path, content: Bytes::from(content) });
        }
        Ok(differs)
    }
}

/// A file that was found; its permissions are unknown where it was removed just then.
struct Listed {
    file: PathBuf,
    permissions: Option<Permissions>,
}

/// The files below a folder, by path from there. Links are left out: they could lead anywhere.
fn listed(top: &Path) -> io::Result<BTreeMap<String, Listed>> {
    let (mut files, mut bytes) = (BTreeMap::new(), 0_u64);
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder != top => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
            if kind.is_dir() && !LEFT_OUT.iter().any(|left_out| name == *left_out) {
                folders.push(path);
            } else if kind.is_file() {
                // It may be gone by now.
                let about = entry.metadata().ok();
                let size = about.as_ref().map_or(0, std::fs::Metadata::len);
                if size > LONG_LOG && name.to_string_lossy().ends_with(".log.md") {
                    continue;
                }
                bytes = bytes.saturating_add(size);
                if size > LARGEST || bytes > MOST_BYTES || files.len() >= MOST_FILES {
                    let what = format!("{} is too much: work in a repository (`git init`) instead", path.display());
                    return Err(io::Error::other(what));
                }
                let inside = path.strip_prefix(top).unwrap_or(&path);
                let Some(inside) = inside.to_str() else { continue };
                let permissions = about.map(|about| about.permissions());
                files.insert(inside.to_string(), Listed { file: path, permissions });
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RM-11: what an executor did is seen from the files; what was there for its sake is no work.
    #[test]
    fn rm11_a_copy_is_compared_with_what_was_given_out() {
        let (project, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |place: &Path, path: &str, text: &str| {
            let file = place.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        for (path, text) in [("a.md", "a"), ("docs/b.md", "old"), ("c.md", "c"), (".multiverse/x", "x"), ("d.md", "d")]
        {
            write(project.path(), path, text);
        }
        let copy = scratch.path().join("tree");
        let newer = [("docs/b.md".to_string(), Text::from("new".to_string()))];
        let given = give_out(project.path(), &copy, &newer).unwrap();
        assert_eq!(given.0.keys().collect::<Vec<_>>(), ["a.md", "c.md", "d.md", "docs/b.md"]);
        assert_eq!(std::fs::read_to_string(copy.join("docs/b.md")).unwrap(), "new");
        for (path, text) in [("a.md", "A"), ("e/f.md", "f"), ("brief.json", "{}"), (".home/x", "x"), ("d.md", "d")] {
            write(&copy, path, text);
        }
        std::fs::remove_file(copy.join("c.md")).unwrap();
        let differs = given.compare(&copy).unwrap();
        let paths: Vec<&str> = differs.outputs.iter().map(|output| output.path.as_str()).collect();
        assert_eq!((paths, differs.gone), (vec!["a.md", "e/f.md"], vec!["c.md".to_string()]));
    }
}
