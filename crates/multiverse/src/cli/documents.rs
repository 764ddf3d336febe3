//! The documents that a command line names: files, folders and stdin. Owns which endings are documents, and reading.
//! Knows nothing of what stands in them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Kind};
use super::visible;

/// A larger file is no document.
const DOCUMENT_BYTES: u64 = store::limits::DOCUMENT_BYTES;

/// Folders that hold no documents of the user.
const SKIPPED_FOLDERS: [&str; 3] = [".git", ".multiverse", "target"];

/// The formats of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    #[value(name = "md", alias = "markdown")]
    Markdown,
    #[value(name = "yaml", alias = "yml")]
    Yaml,
    Json,
}

/// Every ending that is known, with its format.
const ENDINGS: [(&str, Format); 5] = [
    ("md", Format::Markdown),
    ("markdown", Format::Markdown),
    ("yaml", Format::Yaml),
    ("yml", Format::Yaml),
    ("json", Format::Json),
];

impl Format {
    /// The format that a file's ending says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let own = path.extension()?.to_str()?;
        ENDINGS.into_iter().find(|(ending, _)| own.eq_ignore_ascii_case(ending)).map(|(_, format)| format)
    }
}

/// A document to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    /// `-` is stdin.
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
}

impl Named {
    /// The path for people and programs.
    pub(crate) fn shown_path(&self) -> String {
        if is_stdin(&self.path) { "<stdin>".into() } else { self.path.to_string_lossy().into_owned() }
    }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a name on the command line stands for: the file itself, or every document below a folder, by name.
/// A folder is listed as far as it can be read; what could not be is among the failures.
pub(crate) fn find(name: &Path, given: Option<Format>) -> (Vec<Named>, Vec<Failure>) {
    if is_stdin(name) {
        return one(given.map(|format| Named { path: name.into(), format }).ok_or_else(|| {
            Failure::new(Kind::Usage, "stdin has no ending that says what it is")
                .hint("add `--as md`, `--as yaml` or `--as json`")
        }));
    }
    match fs::metadata(name) {
        Err(error) => one(Err(Failure::reading(name, &error))),
        Ok(metadata) if metadata.is_dir() => find_below(name),
        Ok(_) => one(given
            .or_else(|| Format::of(name))
            .map_or_else(|| Err(unknown_ending(name)), |format| Ok(Named { path: name.into(), format }))),
    }
}

/// The bytes of a document.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        io::stdin().lock().take(DOCUMENT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        // Opening a pipe would wait for its writer, so the kind is asked first.
        let metadata = fs::metadata(path).map_err(|error| Failure::reading(path, &error))?;
        if !metadata.is_file() {
            return Err(not_a_document(path, "it is a pipe or device, not a file", "give a file, or `-` for stdin"));
        }
        File::open(path).and_then(|file| file.take(DOCUMENT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::reading(path, &error))?;
    if bytes.len() as u64 > DOCUMENT_BYTES {
        return Err(not_a_document(path, "it is larger than 1 GiB", "split it"));
    }
    if bytes.contains(&0) && std::str::from_utf8(&bytes).is_err() {
        return Err(not_a_document(path, "it is binary, or text in UTF-16", "save it as UTF-8"));
    }
    Ok(bytes)
}

fn one(result: Result<Named, Failure>) -> (Vec<Named>, Vec<Failure>) {
    match result {
        Ok(named) => (vec![named], Vec::new()),
        Err(failure) => (Vec::new(), vec![failure]),
    }
}

fn find_below(folder: &Path) -> (Vec<Named>, Vec<Failure>) {
    let (mut documents, mut failures) = (Vec::new(), Vec::new());
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if let Err(error) = list(&folder, &mut folders, &mut documents) {
            failures.push(Failure::reading(&folder, &error));
        }
    }
    if documents.is_empty() && failures.is_empty() {
        let message = format!("{} holds no documents", visible::path(folder));
        failures
            .push(Failure::new(Kind::NotADocument, message).at(folder).hint(format!("documents are {}", endings())));
    }
    documents.sort_by(|one, other| one.path.cmp(&other.path));
    (documents, failures)
}

/// Symbolic links are left out: a folder that leads back to itself would never end.
fn list(folder: &Path, folders: &mut Vec<PathBuf>, documents: &mut Vec<Named>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            let is_skipped = SKIPPED_FOLDERS.iter().any(|skipped| entry.file_name() == *skipped);
            if !is_skipped {
                folders.push(path);
            }
        } else if kind.is_file()
            && let Some(format) = Format::of(&path)
        {
            documents.push(Named { path, format });
        }
    }
    Ok(())
}

fn unknown_ending(path: &Path) -> Failure {
    let ending = path.extension().map(|ending| format!(".{}", visible::path(Path::new(ending))));
    let reason = match ending {
        Some(ending) => format!("{ending} is not the ending of a document"),
        None => "its name has no ending".into(),
    };
    not_a_document(
        path,
        &reason,
        &format!("documents are {}; or say what it is with `--as md`, `yaml` or `json`", endings()),
    )
}

fn not_a_document(path: &Path, reason: &str, hint: &str) -> Failure {
    let message = format!("cannot check {}: {reason}", visible::path(path));
    Failure::new(Kind::NotADocument, message).at(path).hint(hint)
}

fn endings() -> String {
    let all: Vec<String> = ENDINGS.iter().map(|(ending, _)| format!(".{ending}")).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        for (path, expected) in [
            ("a.md", Some(Format::Markdown)),
            ("b/a.markdown", Some(Format::Markdown)),
            ("A.MD", Some(Format::Markdown)),
            ("a.yaml", Some(Format::Yaml)),
            ("a.yml", Some(Format::Yaml)),
            ("a.json", Some(Format::Json)),
            ("a.jsonl", None),
            ("a", None),
            (".md", None),
            ("md", None),
        ] {
            assert_eq!(Format::of(Path::new(path)), expected, "{path}");
        }
    }
}
