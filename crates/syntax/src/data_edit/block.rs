//! Owns edits of YAML that is structured by indentation. Must not judge them: several ways may be proposed, and the one
//! that is read back as it should be is taken.

use std::ops::Range;

use text::Splice;

use super::flow::Flow;
use super::place::{Place, starts_flow};
use super::style::{Quotes, Style, line_start};
use super::{Edit, Format, splice};
use crate::data::{Entry, Kind, Node, Parsed, Value};

/// The splices that may make an edit, the best first.
pub(super) fn splices(source: &str, parsed: &Parsed, place: &Place<'_>, edit: Edit<'_>) -> Vec<Splice> {
    let style = Style::of(Format::Yaml, source, parsed.root.as_ref());
    let block = Block { source, style: &style };
    match (place, edit) {
        (Place::Nowhere { key }, Edit::Set(value)) => {
            let text = key.map_or_else(|| style.block(value, ""), |key| style.block_entry(key, value, ""));
            vec![block.line_at(source.len(), "", &text)]
        }
        (Place::Root(node), Edit::Set(value)) => block.set(node, None, value),
        (Place::List(list), Edit::Append(value) | Edit::Insert(value)) => block.append(list, value),
        (Place::Entry { entries, number: Some(number), .. }, Edit::Set(value)) => {
            let entry = &entries[*number];
            block.set(&entry.value, block.behind_colon(entry), value)
        }
        (Place::Entry { entries, number: None, key, .. }, Edit::Set(value)) => block.add(entries, key, value),
        (Place::Entry { map, entries, number: Some(number), .. }, Edit::Remove) => {
            if entries.len() == 1 {
                return block.set(map, None, &Value::Map(Vec::new()));
            }
            let next = entries.get(number + 1).map(|next| next.key_span.start);
            let entry = &entries[*number];
            block.remove(entry.key_span.start..block.end_of_entry(entry), next)
        }
        (Place::Item { items, number, .. }, Edit::Set(value)) => {
            let item = &items[*number];
            block.set(item, block.dash_of(item).map(|dash| dash + 1), value)
        }
        (Place::Item { items, number, .. }, Edit::Insert(value)) => block.put_before(&items[*number], value),
        (Place::Item { list, items, number }, Edit::Remove) => {
            if items.len() == 1 {
                return block.set(list, None, &Value::List(Vec::new()));
            }
            let Some(dash) = block.dash_of(&items[*number]) else { return Vec::new() };
            let next = items.get(number + 1).and_then(|next| block.dash_of(next));
            block.remove(dash..block.end_of(&items[*number]).max(dash + 1), next)
        }
        _ => Vec::new(),
    }
}

struct Block<'a> {
    source: &'a str,
    style: &'a Style,
}

impl Block<'_> {
    /// Another value in the place of one; `behind` is where a value begins that is not there yet.
    fn set(&self, node: &Node, behind: Option<usize>, value: &Value) -> Vec<Splice> {
        let source = self.source;
        let span = node.span.start..self.end_of(node).max(node.span.start);
        let is_collection = matches!(value, Value::List(items) if !items.is_empty())
            || matches!(value, Value::Map(entries) if !entries.is_empty());
        let is_block = matches!(node.kind, Kind::List(_) | Kind::Map(_)) && !starts_flow(source, node);
        let old = source.get(node.span.clone()).unwrap_or_default();
        let mut ways = Vec::new();
        if is_block {
            let indent = blanks(&source[line_start(source, span.start)..span.start]);
            if is_collection {
                ways.push(splice(source, span, self.style.block(value, &indent)));
                return ways;
            }
            let written = self.style.scalar(value, Quotes::Plain);
            // On the line of its key, unless a comment stands there.
            if let Some(behind) = behind.filter(|behind| !source[*behind..span.start].contains(['#', '&', '!'])) {
                ways.push(splice(source, behind..span.end, format!(" {written}")));
            }
            ways.push(splice(source, span, written));
            return ways;
        }
        let flow = self.style.flow(value, "");
        let quotes = match old.as_bytes().first() {
            Some(b'"') => Quotes::Double,
            Some(b'\'') => Quotes::Single,
            _ => Quotes::Plain,
        };
        let written = if is_collection { flow } else { self.style.scalar(value, quotes) };
        if old.trim().is_empty() {
            ways.extend(behind.map(|behind| splice(source, behind..behind, format!(" {written}"))));
            return ways;
        }
        ways.push(Flow { source, style: self.style }.replace(node, value));
        if !is_collection {
            ways.insert(0, splice(source, node.span.clone(), written.clone()));
        }
        // A text of several lines: its sign may stand before its span, and its last line ending within.
        if let Some(behind) = behind {
            let end = span.end - old.len() + old.trim_end().len();
            ways.push(splice(source, behind..end.max(behind), format!(" {written}")));
        }
        ways
    }

    /// One more entry below the last.
    fn add(&self, entries: &[Entry], key: &str, value: &Value) -> Vec<Splice> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Vec::new() };
        let start = line_start(self.source, first.key_span.start);
        let indent = blanks(&self.source[start..first.key_span.start]);
        let text = self.style.block_entry(key, value, &indent);
        vec![self.line_at(self.below(self.end_of_entry(last)), &indent, &text)]
    }

    /// One more item below the last.
    fn append(&self, list: &Node, value: &Value) -> Vec<Splice> {
        let Kind::List(items) = &list.kind else { return Vec::new() };
        let Some((last, dash)) = items.last().and_then(|last| Some((last, self.dash_of(items.first()?)?))) else {
            return Vec::new();
        };
        let indent = blanks(&self.source[line_start(self.source, dash)..dash]);
        let text = format!("- {}", self.style.block(value, &format!("{indent}  ")));
        let end = self.end_of(last).max(self.dash_of(last).map_or(0, |dash| dash + 1));
        vec![self.line_at(self.below(end), &indent, &text)]
    }

    fn put_before(&self, item: &Node, value: &Value) -> Vec<Splice> {
        let Some(dash) = self.dash_of(item) else { return Vec::new() };
        let indent = blanks(&self.source[line_start(self.source, dash)..dash]);
        let text = self.style.block(value, &format!("{indent}  "));
        vec![splice(self.source, dash..dash, format!("- {text}{}{indent}", self.style.newline))]
    }

    /// Takes whole lines out; of something that shares its line with what it belongs to, all up to the next.
    fn remove(&self, part: Range<usize>, next: Option<usize>) -> Vec<Splice> {
        let source = self.source;
        let start = line_start(source, part.start);
        if !source[start..part.start].trim().is_empty() {
            return next.map(|next| splice(source, part.start..next, "")).into_iter().collect();
        }
        let end = self.below(part.end);
        if source[..end].ends_with('\n') || start == 0 {
            return vec![splice(source, start..end, "")];
        }
        // At the end of a document without a final line ending the one above goes, so that there is still none.
        let above = source[..start].trim_end_matches(['\n', '\r']).len();
        vec![splice(source, above..end, "")]
    }

    /// A line of its own at a place where a line begins, or at the end of the document.
    fn line_at(&self, at: usize, indent: &str, text: &str) -> Splice {
        let newline = self.style.newline;
        let before = &self.source[..at];
        match before.is_empty() || before.ends_with('\n') || before == "\u{FEFF}" {
            true => splice(self.source, at..at, format!("{indent}{text}{newline}")),
            false => splice(self.source, at..at, format!("{newline}{indent}{text}")),
        }
    }

    /// Where the line below begins. A text of several lines may end there already.
    fn below(&self, end: usize) -> usize {
        if self.source[..end].ends_with('\n') {
            return end;
        }
        self.source[end..].find('\n').map_or(self.source.len(), |feed| end + feed + 1)
    }

    /// Where a value ends. One that is not there has no place of its own.
    fn end_of(&self, node: &Node) -> usize {
        match &node.kind {
            Kind::Map(entries) if !starts_flow(self.source, node) => {
                entries.last().map_or(node.span.end, |last| self.end_of_entry(last))
            }
            Kind::List(items) if !starts_flow(self.source, node) => items
                .last()
                .map_or(node.span.end, |last| self.end_of(last).max(self.dash_of(last).map_or(0, |dash| dash + 1))),
            _ => node.span.end,
        }
    }

    fn end_of_entry(&self, entry: &Entry) -> usize {
        match entry.value.span.is_empty() {
            true => self.behind_colon(entry).unwrap_or(entry.key_span.end),
            false => self.end_of(&entry.value),
        }
    }

    fn behind_colon(&self, entry: &Entry) -> Option<usize> {
        let rest = &self.source[entry.key_span.end..];
        rest.trim_start_matches([' ', '\t', '"', '\'']).starts_with(':').then_some(())?;
        rest.find(':').map(|colon| entry.key_span.end + colon + 1)
    }

    /// The dash of an item: the last one before it that only blanks, anchors and tags stand behind.
    fn dash_of(&self, item: &Node) -> Option<usize> {
        let at = item.span.start.min(self.source.len());
        let before = &self.source[..at];
        let dash = before.rfind('-')?;
        let between = &before[dash + 1..];
        let is_sign = |word: &str| word.starts_with(['&', '!', '#']);
        let words_fit = between.lines().all(|line| line.trim().is_empty() || is_sign(line.trim()));
        (words_fit && between.starts_with([' ', '\n', '\r', '\t']) || between.is_empty()).then_some(dash)
    }
}

/// As many blanks as a text has characters: what stands there may be a dash.
fn blanks(text: &str) -> String {
    " ".repeat(text.chars().count())
}
