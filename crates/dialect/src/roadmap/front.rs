//! The front matter of a task file or a log, whatever became of it: closed or not, valid YAML or not, or none at all.
//! Reading gives keys and values; setting a key gives splices, and mends what was never closed. Must not know which keys
//! there are.

use std::ops::Range;

use syntax::data::{self, Node};
use syntax::markdown::fields;
use syntax::{Code, Document, Scalar};
use text::{Change, Text};

use super::Deviation;
use super::problem::{Weight, deviation};

/// The most lines that front matter may have before it counts as never closed.
const MOST_LINES: usize = 200;

/// Front matter, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matter {
    /// Its bytes, markers included; empty if there is none.
    pub(crate) span: Range<usize>,
    pub(crate) form: Form,
    pub(crate) entries: Vec<Entry>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Missing,
    Fine,
    /// Closed, but no YAML.
    Broken,
    /// Opened and never closed.
    Unclosed,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: Value,
    /// The value's bytes, or the key's if it has none.
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    List(Vec<String>),
}

impl Value {
    /// As one text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => items.join(", "),
        }
    }
}

impl Matter {
    /// Reads what a text begins with; `text` may end anywhere behind it.
    pub(crate) fn read(text: &str, problems: &mut Vec<Deviation>) -> Self {
        let Some((span, is_closed)) = region(text) else {
            let start = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
            return Self { span: start..start, form: Form::Missing, entries: Vec::new() };
        };
        let source = &text[..span.end];
        if !is_closed {
            let reason = "the front matter is opened and never closed".into();
            problems.push(deviation(span.start..span.start + 3, Weight::Form, reason, "close it with `---`".into()));
            let entries = by_lines(source, span.start);
            return Self { span, form: Form::Unclosed, entries };
        }
        match by_yaml(source) {
            Ok(entries) => Self { span, form: Form::Fine, entries },
            Err((at, message)) => {
                let at = at.min(span.end);
                let reason = format!("the front matter is not read as YAML: {message}");
                let mend = "write `key: value`, one a line, and quote what has signs in it".into();
                problems.push(deviation(at..at, Weight::Form, reason, mend));
                let entries = by_lines(source, span.start);
                Self { span, form: Form::Broken, entries }
            }
        }
    }

    /// The first of these keys that is there; case and blanks do not count.
    pub(crate) fn find(&self, keys: &[&str]) -> Option<&Entry> {
        keys.iter().find_map(|key| self.entries.iter().find(|entry| is_key_of(entry, key)))
    }
}

fn is_key_of(entry: &Entry, key: &str) -> bool {
    let is_plain = entry.key.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' '));
    is_plain && super::words::squeezed(&entry.key) == super::words::squeezed(key)
}

/// The change that gives keys their values in the front matter that a text begins with. The text ends with the line behind
/// the front matter.
pub(crate) fn set(head: &Text, values: &[(&str, String)]) -> Change {
    let bytes = head.to_vec();
    let source = fields::readable(&bytes).into_owned();
    let matter = Matter::read(&source, &mut Vec::new());
    let mut document = Document::parse(head.clone());
    let mut changes: Vec<Change> = Vec::new();
    if matches!(matter.form, Form::Fine | Form::Missing) {
        for (key, value) in values {
            let known = matter.find(&[key]);
            if known.is_some_and(|entry| entry.value == Value::Text(value.clone())) {
                continue;
            }
            let name = known.map_or(*key, |entry| entry.key.as_str());
            match document.set_front_matter(name, Scalar::Text(value)) {
                Ok(change) => changes.push(change),
                Err(_) => return set_by_lines(head, &source, &matter, values),
            }
        }
        return Change::in_a_row(changes);
    }
    set_by_lines(head, &source, &matter, values)
}

/// The same where YAML is of no help: the lines are what counts.
fn set_by_lines(head: &Text, source: &str, matter: &Matter, values: &[(&str, String)]) -> Change {
    let ending = if source.contains("\r\n") { "\r\n" } else { "\n" };
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    let mut added = String::new();
    for (key, value) in values {
        let quoted = format!("\"{}\"", value.replace(['"', '\\', '\n', '\r'], " "));
        let known = matter.find(&[key]);
        match known {
            Some(entry) if matches!(entry.value, Value::Text(_)) => {
                let is_apart = source[..entry.span.start].ends_with([' ', '\t']);
                if entry.value.text() != *value {
                    splices.push((entry.span.clone(), if is_apart { quoted } else { format!(" {quoted}") }));
                }
            }
            _ => added.push_str(&format!("{key}: {quoted}{ending}")),
        }
    }
    let (at, before, after) = match matter.form {
        Form::Missing => (matter.span.start, format!("---{ending}"), format!("---{ending}{ending}")),
        Form::Unclosed => {
            let is_ended = source[..matter.span.end].ends_with('\n');
            (matter.span.end, if is_ended { String::new() } else { ending.to_owned() }, format!("---{ending}"))
        }
        Form::Fine | Form::Broken => (last_line(source, matter.span.end), String::new(), String::new()),
    };
    let put = format!("{before}{added}{after}");
    if !put.is_empty() {
        splices.push((at..at, put));
    }
    splices.sort_by_key(|(range, _)| range.start);
    let splices = splices.into_iter().map(|(range, put)| text::Splice {
        at: range.start,
        cut: head.slice(range).into_owned().into(),
        put: put.into_bytes().into(),
    });
    Change::from_splices(splices.collect())
}

/// Where the last line before a place begins.
fn last_line(source: &str, end: usize) -> usize {
    let body = source[..end].trim_end_matches(['\n', '\r']);
    body.rfind('\n').map_or(0, |at| at + 1)
}

/// The lines of front matter, and whether it is closed; nothing if there is none.
fn region(text: &str) -> Option<(Range<usize>, bool)> {
    let bare = text.trim_start_matches('\u{FEFF}');
    let start = text.len() - bare.len();
    let mut at = start;
    let (mut begun, mut last_key) = (None, None);
    for (number, whole) in bare.split_inclusive('\n').take(MOST_LINES).enumerate() {
        let line = whole.trim_end();
        let next = at + whole.len();
        match begun {
            None if line.is_empty() => {}
            None if line == "---" => begun = Some(at),
            None => return None,
            Some(first) if matches!(line, "---" | "...") => {
                // Two breaks with nothing that is a key between them are breaks.
                return (last_key.is_some() || number == 1).then_some((first..next, true));
            }
            Some(first) => {
                let is_body =
                    line.starts_with("## ") || line.starts_with("# ") && last_key.is_none() || is_list_of_work(line);
                if is_body {
                    return last_key.map(|end| (first..end, false));
                }
                if is_key(line) || (last_key.is_some() && line.starts_with([' ', '\t', '-'])) {
                    last_key = Some(next);
                } else if last_key.is_none() && !line.is_empty() && !line.starts_with('#') {
                    return None;
                }
            }
        }
        at = next;
    }
    let first = begun?;
    last_key.map(|end| (first..end, false))
}

fn is_list_of_work(line: &str) -> bool {
    let rest = line.trim_start();
    rest.starts_with("- [") || rest.starts_with("* [")
}

fn is_key(line: &str) -> bool {
    let name: usize = line
        .chars()
        .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '"' | '\''))
        .map(char::len_utf8)
        .sum();
    name > 0 && line[name..].trim_start().starts_with([':', '：', '='])
}

fn by_yaml(source: &str) -> Result<Vec<Entry>, (usize, String)> {
    let document = Document::parse(source);
    let codes = [Code::YamlSyntax, Code::YamlUnknownAlias, Code::TooLarge, Code::YamlDuplicateKey];
    if let Some(problem) = document.problems().into_iter().find(|problem| codes.contains(&problem.code)) {
        return Err((problem.span.start, problem.message));
    }
    let Some(matter) = document.front_matter() else { return Err((0, "it does not begin the file".into())) };
    let Some(root) = matter.root else { return Ok(Vec::new()) };
    let data::Kind::Map(entries) = &root.kind else {
        return match root.kind {
            data::Kind::Null => Ok(Vec::new()),
            _ => Err((root.span.start, "it is not a list of keys and values".into())),
        };
    };
    let read = entries.iter().map(|entry| Entry {
        key: entry.key.clone(),
        value: value_of(&entry.value),
        span: if entry.value.span.is_empty() { entry.key_span.clone() } else { entry.value.span.clone() },
    });
    Ok(read.collect())
}

fn value_of(node: &Node) -> Value {
    match &node.kind {
        data::Kind::List(items) => {
            Value::List(items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect())
        }
        data::Kind::Null => Value::Text(String::new()),
        _ => Value::Text(node.as_text().unwrap_or_default().to_owned()),
    }
}

/// Keys and values line by line, as far as they can be made out.
fn by_lines(source: &str, start: usize) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = start;
    for whole in source[start..].split_inclusive('\n') {
        let line = whole.trim_end();
        let place = at;
        at += whole.len();
        if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| !entries.is_empty()) {
            let last = entries.len() - 1;
            match &mut entries[last].value {
                Value::List(items) => items.push(unquoted(item)),
                value @ Value::Text(_) if value.text().is_empty() => *value = Value::List(vec![unquoted(item)]),
                Value::Text(_) => {}
            }
            continue;
        }
        if !is_key(line) {
            continue;
        }
        let Some(separator) = line.find([':', '：', '=']) else { continue };
        let width = line[separator..].chars().next().map_or(1, char::len_utf8);
        let raw = &line[separator + width..];
        let value = raw.trim();
        let from = place + separator + width + (raw.len() - raw.trim_start().len());
        let inline = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let value_read = match inline {
            Some(items) => Value::List(items.split(',').map(unquoted).filter(|item| !item.is_empty()).collect()),
            None => Value::Text(unquoted(value)),
        };
        entries.push(Entry { key: unquoted(&line[..separator]), value: value_read, span: from..from + value.len() });
    }
    entries
}

fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '\'', '`']).trim().to_owned()
}
