//! Owns the front matter of a document: its values, and setting one key without touching the others.
//! Must not know YAML itself beyond how one scalar is written; `yaml` reads.

use std::ops::Range;

use text::Change;

use super::blocks::{BYTE_ORDER_MARK, Kind};
use super::{Document, Refusal};
use crate::data::{self, Entry, Node};
use crate::problem::{Code, Findings};
use crate::yaml;
use crate::yaml::scalar::{is_plain, is_special, quoted};

/// The front matter of a document.
#[derive(Debug)]
pub struct FrontMatter {
    /// All its bytes, with the lines that open and close it.
    pub span: Range<usize>,
    /// The YAML between them.
    pub content: Range<usize>,
    /// What it says, with spans in the document.
    pub root: Option<Node>,
    findings: Findings,
}

/// A value to be written into front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar<'a> {
    /// Text: quoted where it would be read as something else.
    Text(&'a str),
    /// A number, `true`, `false` or `null`: written as it is.
    Literal(&'a str),
}

impl FrontMatter {
    /// The value of a key as text; nothing if there is no such key or it holds a list or a mapping.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.root.as_ref()?.value(key)?.as_text()
    }

    pub(super) fn into_findings(self) -> Findings {
        self.findings
    }

    fn entries(&self) -> &[Entry] {
        match self.root.as_ref().map(|root| &root.kind) {
            Some(data::Kind::Map(entries)) => entries,
            _ => &[],
        }
    }
}

impl Document {
    /// The front matter, if the document begins with one.
    pub fn front_matter(&self) -> Option<FrontMatter> {
        let block = self.tree.blocks.first().filter(|block| block.kind == Kind::FrontMatter)?;
        let span = self.span(&block.lines);
        let start = self.text.line(0).end;
        let content = start..self.text.line(block.lines.end - 1).start.max(start);
        let bytes = self.text.slice(content.clone());
        let (nodes, found) = yaml::read(&bytes);
        let mut root = nodes.into_iter().next();
        if let Some(root) = &mut root {
            root.move_by(start);
        }
        let mut findings = Findings::default();
        findings.take_over(found, start);
        Some(FrontMatter { span, content, root, findings })
    }

    /// Sets a key of the front matter, and adds key or front matter where there is none.
    pub fn set_front_matter(&mut self, key: &str, value: Scalar<'_>) -> Result<Change, Refusal> {
        self.check_editable()?;
        let plain_key = write_key(key)?;
        check_literal(value)?;
        let change = match self.front_matter() {
            None => self.add_front_matter(&plain_key, value)?,
            Some(matter) => self.change_front_matter(&matter, key, &plain_key, value)?,
        };
        let parsed = self.changed(&change);
        self.check_front_matter(&parsed, key, value)?;
        self.commit(parsed);
        Ok(change)
    }

    fn add_front_matter(&self, key: &str, value: Scalar<'_>) -> Result<Change, Refusal> {
        if let Some(open) = self.tree.blocks.iter().find(|block| block.kind == Kind::OpenFrontMatter) {
            return Err(Refusal::OpenBlock { line: open.lines.start + 1 });
        }
        let ending = String::from_utf8_lossy(self.line_ending(0)).into_owned();
        let start = match self.text.len() >= 3 && *self.text.slice(0..3) == *BYTE_ORDER_MARK {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        let begins_with_text =
            self.text.line_count() > 0 && !self.content(0).1.iter().all(|byte| super::line::is_blank_byte(*byte));
        let gap = if begins_with_text { ending.as_str() } else { "" };
        let written = write_value(value, Quotes::AsNeeded);
        let put = format!("---{ending}{key}: {written}{ending}---{ending}{gap}");
        Ok(Change::one(start, Vec::new(), put))
    }

    fn change_front_matter(
        &self,
        matter: &FrontMatter,
        key: &str,
        plain_key: &str,
        value: Scalar<'_>,
    ) -> Result<Change, Refusal> {
        let refuse = |reason: &str| Err(Refusal::FrontMatter { reason: reason.to_owned() });
        if let Some(message) = matter.findings.first_of(&[Code::YamlSyntax, Code::YamlUnknownAlias, Code::TooLarge]) {
            return refuse(message);
        }
        match matter.root.as_ref().map(|root| &root.kind) {
            None | Some(data::Kind::Null | data::Kind::Map(_)) => {}
            Some(_) => return refuse("it is not a list of keys and values"),
        }
        let mut holders = matter.entries().iter().filter(|entry| entry.key == key);
        let (found, again) = (holders.next(), holders.next());
        if again.is_some() {
            return refuse(&format!("the key `{key}` occurs twice"));
        }
        match found {
            Some(entry) => self.replace_value(entry, key, value),
            None => self.add_key(matter, plain_key, value),
        }
    }

    fn replace_value(&self, entry: &Entry, key: &str, value: Scalar<'_>) -> Result<Change, Refusal> {
        let span = entry.value.span.clone();
        let old = self.text.slice(span.clone());
        let line = self.text.line_at(entry.key_span.start) + 1;
        if entry.value.as_text().is_none() || old.contains(&b'\n') {
            return Err(Refusal::NestedKey { key: key.to_owned(), line });
        }
        if !old.is_empty() {
            let quotes = match old.first() {
                Some(b'"') => Quotes::Double,
                Some(b'\'') => Quotes::Single,
                _ => Quotes::AsNeeded,
            };
            return Ok(Change::replace(&self.text, span, write_value(value, quotes)));
        }
        // A key without a value: the value goes directly behind the colon.
        let rest = self.text.slice(entry.key_span.end..self.text.line(line - 1).end);
        let Some(colon) = rest.iter().position(|byte| *byte == b':') else {
            return Err(Refusal::NestedKey { key: key.to_owned(), line });
        };
        let at = entry.key_span.end + colon + 1;
        Ok(Change::one(at, Vec::new(), format!(" {}", write_value(value, Quotes::AsNeeded))))
    }

    fn add_key(&self, matter: &FrontMatter, key: &str, value: Scalar<'_>) -> Result<Change, Refusal> {
        let source = self.text.slice(matter.content.clone());
        if source.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{') {
            return Err(Refusal::FrontMatter { reason: "it is written in braces".to_owned() });
        }
        let indent = matter.entries().first().map_or(Vec::new(), |entry| {
            let start = self.text.line(self.text.line_at(entry.key_span.start)).start;
            self.text.slice(start..entry.key_span.start).to_vec()
        });
        let indent = String::from_utf8_lossy(&indent).into_owned();
        let ending = String::from_utf8_lossy(self.line_ending(0)).into_owned();
        let put = format!("{indent}{key}: {}{ending}", write_value(value, Quotes::AsNeeded));
        Ok(Change::one(matter.content.end, Vec::new(), put))
    }

    /// Reads back what an edit would give: the key has its value, and no other key has changed.
    fn check_front_matter(&self, parsed: &Document, key: &str, value: Scalar<'_>) -> Result<(), Refusal> {
        let refuse = |reason: &'static str| Err(Refusal::NotWritable { text: key.to_owned(), reason });
        let Some(after) = parsed.front_matter() else { return refuse("the front matter would not be read as one") };
        let (Scalar::Text(wanted) | Scalar::Literal(wanted)) = value;
        let read = after.root.as_ref().and_then(|root| root.value(key));
        let same_value = match (value, read.map(|node| &node.kind)) {
            (Scalar::Text(_), Some(data::Kind::Text(text))) => text == wanted,
            (Scalar::Literal(_), Some(data::Kind::Null)) => matches!(wanted, "null" | "~"),
            (Scalar::Literal(_), Some(_)) => read.and_then(Node::as_text) == Some(wanted),
            _ => false,
        };
        if !same_value {
            return refuse("it would not be read back the same");
        }
        let before = self.front_matter();
        let others = |matter: &FrontMatter| {
            let others = matter.entries().iter().filter(|entry| entry.key != key);
            others.map(|entry| (entry.key.clone(), entry.value.without_spans())).collect::<Vec<_>>()
        };
        match before.as_ref().map(others).unwrap_or_default() == others(&after) {
            true => Ok(()),
            false => refuse("another key would be read differently"),
        }
    }
}

fn write_key(key: &str) -> Result<String, Refusal> {
    let refuse = |reason| Err(Refusal::NotWritable { text: key.to_owned(), reason });
    if key.is_empty() {
        return refuse("a key needs at least one character");
    }
    if key.contains(char::is_control) {
        return refuse("a key has no control characters");
    }
    Ok(match is_plain(key) {
        true => key.to_owned(),
        false => quoted(key),
    })
}

fn check_literal(value: Scalar<'_>) -> Result<(), Refusal> {
    match value {
        Scalar::Literal(text) if matches!(yaml::plain_kind(text), data::Kind::Text(_)) || text.is_empty() => {
            Err(Refusal::NotWritable { text: text.to_owned(), reason: "it is not a number, true, false or null" })
        }
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    AsNeeded,
    Single,
    Double,
}

fn write_value(value: Scalar<'_>, quotes: Quotes) -> String {
    match value {
        Scalar::Literal(text) => text.to_owned(),
        Scalar::Text(text) if quotes == Quotes::Single && !text.contains(is_special) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Scalar::Text(text) if quotes == Quotes::AsNeeded && is_plain(text) => text.to_owned(),
        Scalar::Text(text) => quoted(text),
    }
}
