//! Owns `write_file`, `replace` and `create_directory`. Writes the attempt's folder alone, through the view.

use serde_json::json;

use super::arguments::Arguments;
use super::read::is_text;
use super::view::{FILE_BYTES, shown};
use super::{Function, Functions, number, object, text};
use crate::Tool;

pub(super) const WRITE_FILE: Function = Function {
    name: "write_file",
    description: "Creates a file with this content, or overwrites the whole of an existing one. Folders on the way are \
                  made.",
    parameters: || {
        object(
            &json!({
                "file_path": text("The file, from the project's folder, as the brief names it."),
                "content": text("All of its new content."),
            }),
            &["file_path", "content"],
        )
    },
    call: |functions, arguments, tool, _| write_file(functions, arguments, tool),
};

pub(super) const REPLACE: Function = Function {
    name: "replace",
    description: "Replaces text within a file: one occurrence, or as many as `expected_replacements` says. `old_string` \
                  must be exactly what is there, with enough lines before and after (three or more) to mean one place \
                  only. If it occurs more or less often than expected, nothing is changed.",
    parameters: || {
        object(
            &json!({
                "file_path": text("The file, from the project's folder."),
                "old_string": text("The text to replace, exactly, with its surroundings; empty to create a file that is not there."),
                "new_string": text("What takes its place."),
                "expected_replacements": number("How often `old_string` occurs; left out: once."),
            }),
            &["file_path", "old_string", "new_string"],
        )
    },
    call: |functions, arguments, tool, _| replace(functions, arguments, tool),
};

pub(super) const CREATE_DIRECTORY: Function = Function {
    name: "create_directory",
    description: "Creates a folder, and those on the way to it. One that is there already is left as it is.",
    parameters: || object(&json!({ "path": text("The folder, from the project's folder.") }), &["path"]),
    call: |functions, arguments, tool, _| create_directory(functions, arguments, tool),
};

/// How many places of an ambiguous text an answer names.
const SHOWN_PLACES: usize = 10;

const FILE_NAMES: [&str; 3] = ["file_path", "absolute_path", "path"];

fn write_file(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&FILE_NAMES);
    let content = arguments.text(&["content"]);
    arguments.finish(tool)?;
    let path = functions.view.path(&given)?;
    let before = functions.view.about(&path).is_ok();
    put(functions, &path, &content)?;
    let how = if before { "overwrote" } else { "created" };
    Ok(format!("{how} `{}`: {} bytes, {} lines\n", shown(&path), content.len(), content.lines().count()))
}

fn replace(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&FILE_NAMES);
    let old = arguments.text(&["old_string", "old_text"]);
    let new = arguments.text(&["new_string", "new_text"]);
    let expected = arguments.optional_number(&["expected_replacements"]).unwrap_or(1);
    if expected == 0 {
        arguments.problem("`expected_replacements`: expected 1 or more, found 0");
    }
    arguments.finish(tool)?;
    let path = functions.view.path(&given)?;
    if let Some(why) = functions.view.not_writable(&path) {
        return Err(why);
    }
    if old.is_empty() {
        return create(functions, &path, &new);
    }
    let (bytes, about) = functions.view.read(&path)?;
    if about.bytes > FILE_BYTES || !is_text(&bytes) {
        return Err(format!(
            "`{}` is not text or larger than {FILE_BYTES} bytes, so nothing is replaced in it",
            shown(&path)
        ));
    }
    let content = String::from_utf8(bytes).map_err(|_| {
        format!("`{}` is not all UTF-8, so nothing is replaced in it: write_file writes it anew", shown(&path))
    })?;
    let (old, new) = with_line_ends(&content, &old, &new);
    if old == new {
        return Err("`old_string` and `new_string` are the same: nothing to replace".into());
    }
    let places: Vec<usize> = content.match_indices(&old).map(|(at, _)| at).collect();
    if places.len() as u64 != expected {
        return Err(refusal(&path, &content, &old, &places, expected));
    }
    put(functions, &path, &content.replace(&old, &new))?;
    Ok(format!("replaced {} in `{}`, {}\n", times(places.len()), shown(&path), lines_of(&content, &places)))
}

/// Several places of one file, all or none.
pub(super) fn edit(functions: &Functions, path: &str, edits: &[(String, String)]) -> Result<String, String> {
    if let Some(why) = functions.view.not_writable(path) {
        return Err(why);
    }
    let mut content = text_of(functions, path)?;
    for (old, new) in edits {
        content = edited(path, &content, old, new)?;
    }
    put(functions, path, &content)?;
    let places = if edits.len() == 1 { "1 place".to_string() } else { format!("{} places", edits.len()) };
    Ok(format!("edited {places} of `{}`\n", shown(path)))
}

/// A text with one place of it changed; refused if the old words mean no place, or several.
pub(crate) fn edited(path: &str, content: &str, old: &str, new: &str) -> Result<String, String> {
    let (old, new) = with_line_ends(content, old, new);
    let places: Vec<usize> = content.match_indices(old.as_str()).map(|(at, _)| at).collect();
    match (places.as_slice(), old.is_empty()) {
        ([_], false) => Ok(content.replacen(old.as_str(), &new, 1)),
        (_, true) => Err(format!("the old text for `{}` is empty: say which place is meant", shown(path))),
        _ => Err(refusal(path, content, &old, &places, 1)),
    }
}

pub(super) fn append(functions: &Functions, path: &str, content: &str) -> Result<String, String> {
    if let Some(why) = functions.view.not_writable(path) {
        return Err(why);
    }
    let before = if functions.view.about(path).is_ok() { text_of(functions, path)? } else { String::new() };
    put(functions, path, &format!("{before}{content}"))?;
    Ok(format!("appended {} bytes to `{}`\n", content.len(), shown(path)))
}

fn text_of(functions: &Functions, path: &str) -> Result<String, String> {
    let (bytes, about) = functions.view.read(path)?;
    if about.bytes > FILE_BYTES || !is_text(&bytes) {
        return Err(format!("`{}` is not text or larger than {FILE_BYTES} bytes, and stays as it is", shown(path)));
    }
    String::from_utf8(bytes).map_err(|_| format!("`{}` is not all UTF-8, and stays as it is", shown(path)))
}

fn create(functions: &Functions, path: &str, content: &str) -> Result<String, String> {
    if functions.view.about(path).is_ok() {
        return Err(format!(
            "`{}` is there already, so `old_string` must not be empty: write_file overwrites the whole file",
            shown(path)
        ));
    }
    put(functions, path, content)?;
    Ok(format!("created `{}`\n", shown(path)))
}

fn create_directory(functions: &Functions, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
    let given = arguments.text(&["path", "dir_path", "directory"]);
    arguments.finish(tool)?;
    let path = functions.view.path(&given)?;
    functions.view.make_folder(&path)?;
    Ok(format!("created `{}/`\n", shown(&path)))
}

fn put(functions: &Functions, path: &str, content: &str) -> Result<(), String> {
    let most = functions.shell.bounds.file_bytes.min(FILE_BYTES);
    if content.len() as u64 > most {
        return Err(format!("{} bytes are more than {most}, the most for one file: write it in parts", content.len()));
    }
    functions.view.write(path, content.as_bytes())
}

/// In a file whose lines end in CR LF, the texts of a model, whose lines never do, are meant so too.
fn with_line_ends(content: &str, old: &str, new: &str) -> (String, String) {
    let is_windows = content.contains("\r\n") && !content.contains(old) && !old.contains('\r');
    let changed = |text: &str| if is_windows { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text.into() };
    (changed(old), changed(new))
}

fn refusal(path: &str, content: &str, old: &str, places: &[usize], expected: u64) -> String {
    let path = shown(path);
    if places.is_empty() {
        let first = old.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let near = (1..).zip(content.lines()).find(|(_, line)| !first.is_empty() && line.contains(first));
        let hint = match near {
            Some((number, _)) => {
                format!(
                    "its first line is there in line {number}, but not what follows or its spaces: read_file shows it"
                )
            }
            None => "read_file shows what is there".into(),
        };
        return format!("`old_string` does not occur in `{path}`, so nothing was changed; {hint}");
    }
    format!(
        "`old_string` occurs {} in `{path}`, expected {}, so nothing was changed ({}); give more lines before and after \
         it to mean one place, or set `expected_replacements` to {}",
        times(places.len()),
        times(usize::try_from(expected).unwrap_or(usize::MAX)),
        lines_of(content, places),
        places.len()
    )
}

fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        count => format!("{count} times"),
    }
}

fn lines_of(content: &str, places: &[usize]) -> String {
    let number = |at: &usize| (content[..*at].matches('\n').count() + 1).to_string();
    let numbers: Vec<String> = places.iter().take(SHOWN_PLACES).map(number).collect();
    let more = if places.len() > SHOWN_PLACES { ", …" } else { "" };
    let word = if places.len() == 1 { "line" } else { "lines" };
    format!("{word} {}{more}", numbers.join(", "))
}
