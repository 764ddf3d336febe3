//! Owns `read_file` and `read_many_files`. Must not open anything but through the view.

use serde_json::json;

use super::arguments::Arguments;
use super::bounded::{self, Page};
use super::find::Found;
use super::pattern::{Case, Pattern, is_pattern};
use super::view::{FILE_BYTES, shown};
use super::{Function, Functions, number, object, text, texts};
use crate::Tool;

pub(super) const READ_FILE: Function = Function {
    name: "read_file",
    description: "Reads the content of a text file. Paths are from the project's folder. A long file is given in parts: \
                  the answer says with which offset to read on.",
    parameters: || {
        object(
            &json!({
                "file_path": text("The file, as `assets/notes.md`."),
                "offset": number("The first line to give, counted from 0."),
                "limit": number("The most lines to give; 0 for all."),
            }),
            &["file_path"],
        )
    },
    call: |functions, arguments, tool, _| read_file(functions, arguments, tool),
};

pub(super) const READ_MANY_FILES: Function = Function {
    name: "read_many_files",
    description: "Reads the content of several text files, named by paths or glob patterns. Files that are not text are \
                  left out, and so is what goes beyond the size of an answer; both are said.",
    parameters: || {
        object(
            &json!({
                "paths": texts("Files or glob patterns, as [\"assets/notes.md\", \"runs/**/*.md\"]."),
                "exclude": texts("Glob patterns of files to leave out."),
            }),
            &["paths"],
        )
    },
    call: |functions, arguments, tool, _| read_many_files(functions, arguments, tool),
};

/// How much of a file's beginning tells whether it is text.
const SNIFFED: usize = 8 << 10;

/// The most files that are read at once.
const MANY_FILES: usize = 500;

const FILE_NAMES: [&str; 3] = ["file_path", "absolute_path", "path"];

fn read_file(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&FILE_NAMES);
    let offset = arguments.optional_number(&["offset"]).unwrap_or(0);
    // Whoever fills in every field writes 0 where there is no limit.
    let limit = arguments.optional_number(&["limit"]).filter(|limit| *limit > 0);
    arguments.finish(tool)?;
    let path = functions.view.path(&given)?;
    let content = content(functions, &path)?;
    let lines: Vec<&str> = content.lines().collect();
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    if lines.is_empty() {
        return Ok(format!("`{}` is empty\n", shown(&path)));
    }
    if offset >= lines.len() {
        return Err(format!("`{}` has {} lines, so the last offset is {}", shown(&path), lines.len(), lines.len() - 1));
    }
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut page = Page::new(functions.answer_tokens);
    let given = lines[offset..].iter().take(most).take_while(|line| page.add(&bounded::line(line))).count();
    let end = offset + given;
    let note = if offset == 0 && end == lines.len() {
        String::new()
    } else if end == lines.len() {
        format!("({} of {} lines, from offset {offset}: the end of the file)", given, lines.len())
    } else {
        format!("({given} of {} lines, from offset {offset}; read on with offset {end})", lines.len())
    };
    Ok(page.end(&note))
}

fn read_many_files(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let mut given = arguments.texts(&["paths", "file_paths", "files"]);
    given.extend(arguments.texts(&["include"]));
    let exclude = arguments.texts(&["exclude"]);
    if given.is_empty() {
        arguments.problem("`paths` is missing");
    }
    arguments.finish(tool)?;
    let exclude =
        exclude.iter().map(|pattern| Pattern::new(pattern, Case::Matters)).collect::<Result<Vec<_>, String>>()?;
    let (paths, mut notes) = named(functions, &given)?;
    let mut page = Page::new(functions.answer_tokens);
    let (mut read, mut unread) = (0, Vec::new());
    let wanted = paths.iter().filter(|path| !exclude.iter().any(|pattern| pattern.matches(path)));
    for (number, path) in wanted.enumerate() {
        if page.left() == 0 || number >= MANY_FILES {
            unread.push(path.as_str());
            continue;
        }
        match content(functions, path) {
            Err(problem) => notes.push(problem),
            Ok(content) => {
                read += 1;
                page.add(&format!("--- {path} ---"));
                let lines = content.lines().count();
                let shown = content.lines().take_while(|line| page.add(&bounded::line(line))).count();
                if shown < lines {
                    notes.push(format!(
                        "of `{path}` {shown} of {lines} lines are shown: read_file with offset {shown} reads on"
                    ));
                }
            }
        }
    }
    if read == 0 && notes.is_empty() {
        notes.push("no file matches: glob shows what there is".into());
    }
    if !unread.is_empty() {
        let first: Vec<&str> = unread.iter().copied().take(SHOWN_UNREAD).collect();
        notes.push(format!(
            "{} files did not fit and were not read: {}{}",
            unread.len(),
            first.join(", "),
            if unread.len() > SHOWN_UNREAD { ", …" } else { "" }
        ));
    }
    if read == 0 {
        return Err(notes.join("\n"));
    }
    let notes: Vec<String> = notes.iter().take(SHOWN_NOTES).map(|note| format!("({note})")).collect();
    Ok(page.end(&notes.join("\n")))
}

/// How many unread files and how many other notes an answer names.
const SHOWN_UNREAD: usize = 20;
const SHOWN_NOTES: usize = 20;

/// The files that are meant, each once, in the order in which they are named; and what is to be said.
fn named(functions: &Functions, given: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut paths, mut notes): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for one in given {
        let path = functions.view.path(one)?;
        let is_folder = functions.view.about(&path).is_ok_and(|about| about.kind == super::beneath::Kind::Folder);
        let pattern = if is_folder {
            Pattern::new(&if path.is_empty() { "**/*".into() } else { format!("{path}/**") }, Case::Matters)?
        } else if is_pattern(&path) && functions.view.about(&path).is_err() {
            Pattern::new(&path, Case::Matters)?
        } else {
            paths.push(path);
            continue;
        };
        let Found { entries, note } = Found::look(functions, "", &pattern)?;
        notes.extend(note);
        paths.extend(entries.into_iter().map(|entry| entry.path));
    }
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    Ok((paths, notes))
}

/// The text of a file. What is no text is a problem that says what it is.
pub(super) fn content(functions: &Functions, path: &str) -> Result<String, String> {
    let (bytes, about) = functions.view.read(path)?;
    if !is_text(&bytes) {
        return Err(format!("`{}` is not text ({} bytes), so it is not shown", shown(path), about.bytes));
    }
    let mut content = String::from_utf8_lossy(&bytes).into_owned();
    if about.bytes > FILE_BYTES {
        content.push_str(&format!("\n(the first {FILE_BYTES} of {} bytes; the rest is not looked at)", about.bytes));
    }
    Ok(content)
}

/// Text holds no zero byte, and few that are no UTF-8.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let sniffed = &bytes[..bytes.len().min(SNIFFED)];
    let odd = String::from_utf8_lossy(sniffed).chars().filter(|letter| *letter == '\u{fffd}').count();
    !sniffed.contains(&0) && odd * 10 <= sniffed.len()
}
