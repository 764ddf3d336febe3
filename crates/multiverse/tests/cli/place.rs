//! A folder and an environment of a test's own, and the program run in them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) struct Place {
    folder: TempDir,
}

/// What a run of the program gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    /// A folder with these files in it.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        for (path, content) in files {
            let path = place.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with arguments, in this folder, with nothing in its environment but who the user is, and that what
    /// stands in the folder is the user's own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_multiverse"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("USER", "ada").env("MULTIVERSE_TRUST", "all");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let path = self.path(".input");
        File::create(&path).unwrap().write_all(input).unwrap();
        let output = self.command(arguments).stdin(File::open(&path).unwrap()).output().unwrap();
        fs::remove_file(path).unwrap();
        Ran::of(output)
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// All of it in one text, for snapshots. Digests hold the time of a record and are never twice the same.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("exit code {}\n", self.code);
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                shown.push_str(&format!("--- {name}\n"));
                shown.extend(text.split_inclusive('\n').map(|line| match line.strip_prefix("head ") {
                    Some(digest) if digest.trim_end().len() == 32 => "head DIGEST\n",
                    _ => line,
                }));
            }
        }
        shown
    }

    /// The objects on stdout, one a line.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
            .collect()
    }
}
