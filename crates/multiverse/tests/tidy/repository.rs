//! The repository as the rules see it: every text file once, by its path from the root. Knows no rule.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::links::Lookup;

/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 4] = ["target", ".git", ".multiverse", "node_modules"];

/// Folders whose files are ugly on purpose.
const CORPUS: &str = "/tests/corpus/";

pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) struct Repository {
    files: Vec<TextFile>,
    /// Every file and folder.
    paths: BTreeSet<String>,
}

impl Repository {
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut repository = Self { files: Vec::new(), paths: BTreeSet::new() };
        let mut folders = vec![(root, String::new())];
        while let Some((folder, name)) = folders.pop() {
            repository.read_folder(&folder, &name, &mut folders);
        }
        repository.files.sort_by(|one, other| one.path.cmp(&other.path));
        assert!(repository.paths.contains("Cargo.toml"), "the root of the workspace was not found");
        repository
    }

    fn read_folder(&mut self, folder: &Path, name: &str, folders: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let own = entry.file_name().to_string_lossy().into_owned();
            let path = if name.is_empty() { own.clone() } else { format!("{name}/{own}") };
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && !SKIPPED.contains(&own.as_str()) {
                folders.push((entry.path(), path.clone()));
                self.paths.insert(path);
            } else if kind.is_file() {
                if [".rs", ".md", ".toml"].iter().any(|ending| own.ends_with(ending)) && !path.contains(CORPUS) {
                    let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                    self.files.push(TextFile { path: path.clone(), text });
                }
                self.paths.insert(path);
            }
        }
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter()
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &TextFile> {
        self.texts().filter(|file| file.path.ends_with(".rs"))
    }

    pub(crate) fn markdown(&self) -> impl Iterator<Item = &TextFile> {
        self.texts().filter(|file| file.path.ends_with(".md"))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    /// The manifest of every crate, the workspace's own left out.
    pub(crate) fn manifests(&self) -> Vec<&TextFile> {
        self.texts().filter(|file| file.path.ends_with("/Cargo.toml")).collect()
    }

    pub(crate) fn architecture(&self) -> String {
        let file = self.texts().find(|file| file.path == "ARCHITECTURE.md");
        file.map(|file| file.text.clone()).unwrap_or_default()
    }

    /// What a link to a path leads to.
    pub(crate) fn lookup(&self, path: &str) -> Lookup {
        if let Some(file) = self.texts().find(|file| file.path == path && path.ends_with(".md")) {
            return Lookup::Document(file.text.clone());
        }
        if path.is_empty() || self.paths.contains(path) { Lookup::Other } else { Lookup::Missing }
    }
}

/// Whether a file is a module of a crate, and not a test or an example.
pub(crate) fn is_module(path: &str) -> bool {
    let mut names = path.split('/');
    matches!(
        (names.next(), names.next(), names.next()),
        (Some("crates"), Some(_), Some("src")) | (Some("bench"), Some("src"), _)
    )
}

#[test]
fn modules_are_the_files_below_src() {
    for (path, expected) in [
        ("crates/text/src/lib.rs", true),
        ("crates/multiverse/src/cli/check.rs", true),
        ("bench/src/main.rs", true),
        ("crates/text/tests/lib.rs", false),
        ("crates/text/build.rs", false),
        ("src/lib.rs", false),
    ] {
        assert_eq!(is_module(path), expected, "{path}");
    }
}
