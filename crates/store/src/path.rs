//! Paths inside a project. A value of [`ProjectPath`] cannot lead out of the project by its spelling; that no
//! symbolic link on the way leads out is the `Fs` implementation's duty.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits;

/// The engine's own folder. Documents cannot live in it.
pub const OWN: &str = ".multiverse";

/// A path relative to the project's root, with `/` between its names: never absolute, never `..`, no empty names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ProjectPath(Arc<str>);

/// Why a path is not one that the store will touch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("path {path:?} is refused: {reason}")]
pub struct PathRefusal {
    /// The path as it was given.
    pub path: String,
    /// The reason, with what would be valid.
    pub reason: String,
}

impl ProjectPath {
    /// A path of a document: anywhere in the project but in `.multiverse/` and `.git/`.
    pub fn document(path: &str) -> Result<Self, PathRefusal> {
        let this = Self::any(path)?;
        this.require_document().map(|()| this)
    }

    /// Whether a document can have this path.
    pub(crate) fn require_document(&self) -> Result<(), PathRefusal> {
        let first = names(&self.0).next().unwrap_or_default();
        if first.first() == Some(&b'.') && [OWN, ".git"].iter().any(|own| first.eq_ignore_ascii_case(own.as_bytes())) {
            let first = String::from_utf8_lossy(first);
            return Err(refusal(self.as_str(), format!("{first}/ is not a place for documents")));
        }
        match names(&self.0).find(|name| is_device_name(name)).map(String::from_utf8_lossy) {
            Some(device) => Err(refusal(self.as_str(), format!("{device:?} is the name of a device on some systems"))),
            None => Ok(()),
        }
    }

    /// Whether it lies in the engine's own folder.
    pub(crate) fn is_own(&self) -> bool {
        self.0.strip_prefix(OWN).is_some_and(|rest| rest.starts_with('/'))
    }

    /// A path below the engine's own folder. The caller writes the name, so it is not checked again.
    pub(crate) fn own(name: &str) -> Self {
        Self(if name.is_empty() { OWN.into() } else { [OWN, "/", name].concat().into() })
    }

    /// Any path that stays in the project, the engine's own folder included.
    pub fn any(path: &str) -> Result<Self, PathRefusal> {
        if path.is_empty() {
            return Err(refusal(path, "it is empty"));
        }
        if path.starts_with('/') {
            return Err(refusal(path, "it is absolute; give it relative to the project's root"));
        }
        if path.len() > limits::PATH_BYTES {
            return Err(refusal(path, format!("it is longer than {} bytes", limits::PATH_BYTES)));
        }
        // Every step checks several paths: nearly all are plain, and that is seen at a glance.
        let is_plain = path.bytes().all(|byte| matches!(byte, b' '..=b'~')) && path.len() <= limits::NAME_BYTES;
        let is_odd = |name: &[u8]| matches!(name, b"" | b"." | b"..");
        if !is_plain || names(path).any(is_odd) {
            for name in path.split('/') {
                if let Some(reason) = name_problem(name) {
                    return Err(refusal(path, reason));
                }
            }
        }
        Ok(Self(path.into()))
    }

    /// The whole path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its names, outermost first.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last name.
    pub fn name(&self) -> &str {
        self.names().next_back().unwrap_or_default()
    }

    /// The folder it lies in; nothing for a path directly below the root.
    pub fn parent(&self) -> Option<Self> {
        folder_of(&self.0).map(|folder| Self(folder.into()))
    }
}

/// The folder that a path lies in; nothing for one directly below the root.
pub(crate) fn folder_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// The names in a path, as bytes.
fn names(path: &str) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|byte| *byte == b'/')
}

fn name_problem(name: &str) -> Option<String> {
    match name {
        "" => Some("it has an empty name between two slashes".into()),
        "." | ".." => Some(format!("{name:?} is not a name; write the path without it")),
        _ if name.len() > limits::NAME_BYTES => {
            Some(format!("a name in it has {} bytes; {} is the most", name.len(), limits::NAME_BYTES))
        }
        _ => name
            .chars()
            .find(|character| character.is_control())
            .map(|character| format!("it holds the control character {}", character.escape_unicode())),
    }
}

fn is_device_name(name: &[u8]) -> bool {
    if !matches!(name.first().map(u8::to_ascii_uppercase), Some(b'C' | b'P' | b'A' | b'N' | b'L')) {
        return false;
    }
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let stem = String::from_utf8_lossy(stem);
    let stem = stem.trim_end().as_bytes();
    let is_one_of =
        |devices: &[&str], stem: &[u8]| devices.iter().any(|device| stem.eq_ignore_ascii_case(device.as_bytes()));
    match stem {
        [_, _, _] => is_one_of(&["CON", "PRN", "AUX", "NUL"], stem),
        [_, _, _, b'1'..=b'9'] => is_one_of(&["COM", "LPT"], &stem[..3]),
        _ => false,
    }
}

fn refusal(path: &str, reason: impl Into<String>) -> PathRefusal {
    PathRefusal { path: path.into(), reason: reason.into() }
}

impl fmt::Debug for ProjectPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, out)
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What is kept by path is found by its text, too.
impl Borrow<str> for ProjectPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProjectPath {
    type Error = PathRefusal;
    fn try_from(path: String) -> Result<Self, PathRefusal> {
        Self::any(&path)
    }
}

impl Serialize for ProjectPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_leads_out_of_the_project() {
        for bad in [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a//b",
            "a/",
            "./a",
            "a/./b",
            "a\0b",
            "a\nb",
            "a/\u{1b}[2J",
            ".multiverse/journal/x",
            ".Multiverse/x",
            ".git/config",
            ".GIT/hooks/x",
            "NUL",
            "db/con.md",
            "x/LPT1.txt",
        ] {
            assert!(ProjectPath::document(bad).is_err(), "{bad:?} was taken");
        }
        assert!(ProjectPath::document(&"x".repeat(256)).is_err());
        assert!(ProjectPath::document(&"x/".repeat(3000)).is_err());
    }

    #[test]
    fn ordinary_and_foreign_names_are_taken() {
        for good in
            ["db/process_runs.md", "보고서/요약 1.md", "a/😀.md", "..a", "a..b", "console.md", "com10", ".gitignore"]
        {
            assert_eq!(ProjectPath::document(good).map(|path| path.to_string()), Ok(good.to_string()));
        }
    }
}
