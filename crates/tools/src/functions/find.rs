//! Owns `list_directory`, `glob` and `search_file_content`: what there is, and what is in it. Must not open anything but
//! through the view.

use regex::RegexBuilder;
use serde_json::json;

use super::arguments::Arguments;
use super::beneath::Kind;
use super::bounded::{self, Page};
use super::pattern::{Case, Pattern};
use super::read;
use super::view::{Entry, shown};
use super::{Function, Functions, number, object, text, texts, yes};
use crate::Tool;

pub(super) const LIST_DIRECTORY: Function = Function {
    name: "list_directory",
    description: "Shows the files and folders in a folder: folders first, with a slash, then files with their size.",
    parameters: || {
        object(
            &json!({
                "path": text("The folder, as `assets`; `.` is the project's folder."),
                "ignore": texts("Glob patterns of names to leave out."),
                "hidden": yes("Whether to show names that begin with a dot."),
                "offset": number("The first entry to give, counted from 0."),
            }),
            &["path"],
        )
    },
    call: |functions, arguments, tool, _| list_directory(functions, arguments, tool),
};

pub(super) const GLOB: Function = Function {
    name: "glob",
    description: "Finds files by a glob pattern, as `**/*.md` or `runs/*/workspace/*.csv`, and returns their absolute \
                  paths, sorted by modification time, newest first.",
    parameters: || {
        object(
            &json!({
                "pattern": text("The pattern; without a slash it matches names in any folder."),
                "path": text("The folder to look in; left out: all that is open."),
                "case_sensitive": yes("Whether upper and lower case differ; they do not unless asked for."),
                "offset": number("The first path to give, counted from 0."),
            }),
            &["pattern"],
        )
    },
    call: |functions, arguments, tool, _| glob(functions, arguments, tool),
};

pub(super) const SEARCH_FILE_CONTENT: Function = Function {
    name: "search_file_content",
    description: "Searches for a regular expression in the files of a folder and gives the lines that match, as \
                  `path:line: text`.",
    parameters: || {
        object(
            &json!({
                "pattern": text("The regular expression, as `fn \\w+\\(`; put (?i) before it to ignore case."),
                "path": text("The folder or file to look in; left out: all that is open."),
                "include": text("A glob pattern of the files to look at, as `*.md`."),
                "offset": number("The first match to give, counted from 0."),
            }),
            &["pattern"],
        )
    },
    call: |functions, arguments, tool, _| search_file_content(functions, arguments, tool),
};

/// The most entries that one search looks at, and the depth to which it goes.
const WALKED: usize = 50_000;
const DEPTH: usize = 32;

/// Files larger than this are not searched, and after so many bytes a search ends.
const SEARCHED_FILE: u64 = 4 << 20;
const SEARCHED_BYTES: u64 = 256 << 20;

/// The most that a compiled expression may take.
const COMPILED_BYTES: usize = 8 << 20;

/// The most matches that are counted.
const MATCHES: usize = 20_000;

fn list_directory(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&["path", "dir_path", "directory"]);
    let ignore = arguments.texts(&["ignore"]);
    let hidden = arguments.optional_yes(&["hidden"]).unwrap_or(false);
    let offset = usize_of(arguments.optional_number(&["offset"]));
    arguments.finish(tool)?;
    let ignore = ignore.iter().map(|one| Pattern::new(one, Case::Matters)).collect::<Result<Vec<_>, String>>()?;
    let path = functions.view.path(&given)?;
    let (mut entries, unshown) = functions.view.entries(&path)?;
    entries.retain(|entry| !ignore.iter().any(|pattern| pattern.matches(name(entry))));
    let all = entries.len();
    entries.retain(|entry| hidden || !name(entry).starts_with('.'));
    let left_out = all - entries.len();
    entries.sort_by_key(|entry| (entry.about.kind != Kind::Folder, entry.path.clone()));
    let mut page = Page::new(functions.answer_tokens);
    let lines = entries.iter().skip(offset).map(|entry| match entry.about.kind {
        Kind::Folder => format!("{}/", name(entry)),
        Kind::File => format!("{} ({} bytes)", name(entry), entry.about.bytes),
        Kind::Link => format!("{} (a link that leads out)", name(entry)),
        Kind::Other => format!("{} (a pipe, a socket or a device)", name(entry)),
    });
    let given = lines.take_while(|line| page.add(line)).count();
    let mut notes = Vec::new();
    if page.is_empty() {
        notes.push(format!("`{}` is empty", shown(&path)));
    }
    if offset + given < entries.len() {
        notes.push(format!("{given} of {} entries; go on with offset {}", entries.len(), offset + given));
    }
    if left_out > 0 {
        notes.push(format!("{left_out} names that begin with a dot are left out; `hidden` shows them"));
    }
    if unshown > 0 {
        notes.push(format!("{unshown} names are no text or too many, and cannot be shown"));
    }
    let notes: Vec<String> = notes.iter().map(|note| format!("({note})")).collect();
    Ok(page.end(&notes.join("\n")))
}

fn glob(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&["pattern"]);
    let folder = arguments.optional_text(&["path", "dir_path"]).unwrap_or_default();
    let case = match arguments.optional_yes(&["case_sensitive"]) {
        Some(true) => Case::Matters,
        _ => Case::Ignored,
    };
    let offset = usize_of(arguments.optional_number(&["offset"]));
    arguments.finish(tool)?;
    let folder = functions.view.path(&folder)?;
    // An absolute pattern is one from the project.
    let given = if given.starts_with('/') { functions.view.path(&given)? } else { given };
    let pattern = Pattern::new(&given, case)?;
    let Found { mut entries, note } = Found::look(functions, &folder, &pattern)?;
    entries.sort_by(|one, other| other.about.changed.cmp(&one.about.changed).then_with(|| one.path.cmp(&other.path)));
    let mut page = Page::new(functions.answer_tokens);
    let lines = entries.iter().skip(offset).map(|entry| functions.view.absolute(&entry.path));
    let shown = lines.take_while(|line| page.add(line)).count();
    let mut notes: Vec<String> = note.into_iter().collect();
    if page.is_empty() {
        notes.push(format!("no file matches `{}`", super::view::shown(&given)));
    }
    if offset + shown < entries.len() {
        notes.push(format!("{shown} of {} files, newest first; go on with offset {}", entries.len(), offset + shown));
    }
    let notes: Vec<String> = notes.iter().map(|note| format!("({note})")).collect();
    Ok(page.end(&notes.join("\n")))
}

fn search_file_content(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&["pattern"]);
    let folder = arguments.optional_text(&["path", "dir_path"]).unwrap_or_default();
    let include = arguments.optional_text(&["include"]);
    let offset = usize_of(arguments.optional_number(&["offset"]));
    arguments.finish(tool)?;
    let expression = RegexBuilder::new(&given).size_limit(COMPILED_BYTES).build();
    let expression =
        expression.map_err(|fault| format!("`{}` is no valid regular expression: {fault}", shown(&given)))?;
    let path = functions.view.path(&folder)?;
    let include = Pattern::new(include.as_deref().unwrap_or("**/*"), Case::Matters)?;
    let about = functions.view.about(&path)?;
    let Found { entries, note } = match about.kind {
        Kind::Folder => Found::look(functions, &path, &include)?,
        _ => Found { entries: vec![Entry { path, about }], note: None },
    };
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut page = Page::new(functions.answer_tokens);
    let (mut matches, mut shown, mut skipped, mut looked) = (0, 0, 0, 0_u64);
    'files: for entry in &entries {
        looked += entry.about.bytes;
        if looked > SEARCHED_BYTES {
            notes.push(format!("after {SEARCHED_BYTES} bytes the search ended; give `path` or `include` to narrow it"));
            break;
        }
        let Some(content) = searchable(functions, entry) else {
            skipped += 1;
            continue;
        };
        for (number, line) in (1..).zip(content.lines()).filter(|(_, line)| expression.is_match(line)) {
            matches += 1;
            if matches > offset && page.add(&format!("{}:{number}: {}", entry.path, bounded::line(line.trim_end()))) {
                shown += 1;
            }
            if matches >= MATCHES {
                notes.push(format!("after {MATCHES} matches the search ended"));
                break 'files;
            }
        }
    }
    if matches == 0 {
        notes.push(format!("no line matches `{}` in {} files", super::view::shown(&given), entries.len()));
    } else if offset + shown < matches {
        notes.push(format!("{shown} of {matches} matches; go on with offset {}", offset + shown));
    }
    if skipped > 0 {
        notes.push(format!("{skipped} files are not text or larger than {SEARCHED_FILE} bytes, and were not searched"));
    }
    let notes: Vec<String> = notes.iter().map(|note| format!("({note})")).collect();
    Ok(page.end(&notes.join("\n")))
}

fn searchable(functions: &Functions, entry: &Entry) -> Option<String> {
    if entry.about.bytes > SEARCHED_FILE {
        return None;
    }
    read::content(functions, &entry.path).ok()
}

/// Files that were found, and what is to be said about the search.
pub(super) struct Found {
    pub(super) entries: Vec<Entry>,
    pub(super) note: Option<String>,
}

impl Found {
    /// The files below a folder whose path from there matches, in the order of their paths.
    pub(super) fn look(functions: &Functions, folder: &str, pattern: &Pattern) -> Result<Self, String> {
        let mut entries = Vec::new();
        let mut waiting = vec![(folder.to_string(), 0)];
        let mut walked = 0;
        let mut note = None;
        let mut problem = None;
        while let Some((path, depth)) = waiting.pop() {
            let found = match functions.view.entries(&path) {
                Ok((found, _)) => found,
                Err(why) => {
                    problem = problem.or((path == folder).then_some(why));
                    continue;
                }
            };
            let mut folders = Vec::new();
            for entry in found {
                walked += 1;
                if name(&entry).starts_with('.') && !pattern.names_hidden() {
                    continue;
                }
                let inside = entry.path[folder.len()..].trim_start_matches('/');
                match entry.about.kind {
                    Kind::Folder if depth < DEPTH => folders.push((entry.path, depth + 1)),
                    Kind::File if pattern.matches(inside) => entries.push(entry),
                    _ => {}
                }
            }
            waiting.extend(folders.into_iter().rev());
            if walked > WALKED {
                note = Some(format!("after {WALKED} entries the search ended; give `path` to narrow it"));
                break;
            }
        }
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        problem.map_or(Ok(Self { entries, note }), Err)
    }
}

fn name(entry: &Entry) -> &str {
    entry.path.rsplit('/').next().unwrap_or_default()
}

fn usize_of(number: Option<u64>) -> usize {
    usize::try_from(number.unwrap_or(0)).unwrap_or(usize::MAX)
}
