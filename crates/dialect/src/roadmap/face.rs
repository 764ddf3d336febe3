//! One entry of the roadmap as its own lines show it: number, title, box, and the lines below that say something of it.
//! Read alone, whatever stands around it, with spans that count from its first byte. Must not know other entries.

use std::ops::Range;

use machine::roadmap::Status;
use syntax::markdown::fields::{self, Look, Marker, Separator};
use syntax::markdown::lists::{self, Check, Kind, Node, Tick};

use super::title::{self, Title};
use super::words::{self, Key, Read};

/// An entry, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Face {
    /// What it begins with.
    pub(crate) head: Head,
    /// Its box.
    pub(crate) check: Option<Check>,
    /// Number and title.
    pub(crate) title: Title,
    /// Lines that say something of it, in order.
    pub(crate) lines: Vec<Line>,
    /// Its state, wherever that is said.
    pub(crate) status: Option<Said>,
    /// Whether entries that are surely meant to be done stand in it.
    pub(crate) has_inner: bool,
    /// Whether other entries stand in it that say nothing of it by a key.
    pub(crate) has_plain: bool,
    /// Behind its first line.
    pub(crate) head_end: usize,
    /// Behind the paragraph that its first line begins.
    pub(crate) text_end: usize,
    /// Behind its last byte.
    pub(crate) end: usize,
}

/// What an entry begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// A heading of this level.
    Heading(u8),
    /// A marker behind some columns of blanks.
    Entry { indent: usize, marker: Range<usize> },
}

/// A line that says something of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) key: Key,
    /// The key as it is written.
    pub(crate) name: String,
    pub(crate) name_span: Range<usize>,
    pub(crate) value: String,
    pub(crate) value_span: Range<usize>,
    /// All of the line, and what stands below it, with its line ending.
    pub(crate) span: Range<usize>,
    pub(crate) look: Look,
    /// Entries below it, as `dependsOn` may have them.
    pub(crate) below: Vec<String>,
}

/// How the state of an entry is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// What is meant.
    pub(crate) read: Read<Status>,
    /// Where.
    pub(crate) span: Range<usize>,
    /// On a line of its own, or beside the title.
    pub(crate) is_line: bool,
}

impl Face {
    /// Reads the lines of an entry; nothing if they do not begin with one.
    pub(crate) fn read(source: &str) -> Option<Self> {
        let nodes = lists::read(source).nodes;
        let first = nodes.first().filter(|node| node.start == 0)?;
        let head = match &first.kind {
            Kind::Heading { level } => Head::Heading(*level),
            Kind::Entry { indent, marker, .. } => Head::Entry { indent: *indent, marker: marker.clone() },
        };
        // What each line below says is read once.
        let fields: Vec<Vec<Line>> = nodes.iter().map(|node| fields_at(source, node)).collect();
        let lines = field_lines(source, &nodes, &fields);
        let end = match head {
            Head::Heading(_) => lines.last().map_or(first.head_end, |line| line.span.end.max(first.head_end)),
            Head::Entry { .. } => first.end,
        };
        let said = lines.iter().find(|line| line.key == Key::Status).map(|line| {
            let (read, length) = words::status(&line.value);
            let width = match read {
                // What is not understood is replaced whole.
                Read::Unclear(_) => line.value_span.len(),
                _ => length.min(line.value_span.len()),
            };
            Said { read, span: line.value_span.start..line.value_span.start + width, is_line: true }
        });
        let is_told = said.is_some();
        let (title, beside) = title::read(source, first.content.clone(), is_told);
        let marker_number = match (&head, title.number.is_empty()) {
            (Head::Entry { marker, .. }, true) => title::number_of_marker(&source[marker.clone()]),
            _ => None,
        };
        let title = match marker_number {
            Some((number, at)) => {
                let start = first_marker(&head) + at;
                Title { number_span: start..start + number.len(), number, ..title }
            }
            None => title,
        };
        let number = title.number.clone();
        Some(Self {
            head,
            check: first.check().cloned(),
            title,
            lines,
            status: said.or(beside),
            has_inner: has_inner(source, &nodes, &number, &fields),
            has_plain: nodes
                .iter()
                .zip(&fields)
                .skip(1)
                .any(|(node, fields)| node.parent == Some(0) && !are_fields(fields) && !is_note(source, node)),
            head_end: first.head_end,
            text_end: first.text_end,
            end,
        })
    }

    /// The first line that says something.
    pub(crate) fn line(&self, key: Key) -> Option<&Line> {
        self.lines.iter().find(|line| line.key == key)
    }

    /// What its box says of it.
    pub(crate) fn is_ticked(&self) -> Option<bool> {
        Some(matches!(self.check.as_ref()?.tick, Tick::Done))
    }

    /// Its state: what it says, or else what its box says.
    pub(crate) fn state(&self) -> Option<Status> {
        match (&self.status, self.check.as_ref().map(|check| check.tick)) {
            (Some(said), tick) => said.read.value().or(match tick {
                Some(Tick::Done) => Some(Status::Completed),
                _ => None,
            }),
            (None, Some(Tick::Done)) => Some(Status::Completed),
            (None, Some(Tick::Other('-'))) => Some(Status::Cancelled),
            (None, _) if self.is_held() => Some(Status::Locked),
            (None, _) => Some(Status::Pending),
        }
    }

    /// Whether somebody is said to have locked it, where nothing says its state.
    fn is_held(&self) -> bool {
        let by = self.line(Key::Executor).filter(|line| words::squeezed(&line.name) == "lockedby");
        by.is_some() && !self.executor().is_empty()
    }

    /// Who holds it.
    pub(crate) fn executor(&self) -> String {
        let own = self.line(Key::Executor).map(|line| bare(&line.value));
        let is_locked = self.status.as_ref().and_then(|said| said.read.value()) == Some(Status::Locked);
        let beside = || self.line(Key::Status).filter(|_| is_locked).and_then(|line| beside_status(&line.value));
        let is_nobody =
            |name: &String| matches!(name.to_lowercase().as_str(), "none" | "null" | "nobody" | "-" | "n/a" | "无");
        own.or_else(beside).filter(|name| !is_nobody(name)).unwrap_or_default()
    }

    /// What must be completed first.
    pub(crate) fn depends_on(&self) -> Vec<String> {
        let Some(line) = self.line(Key::DependsOn) else { return self.title.needs.clone() };
        let all = std::iter::once(line.value.as_str()).chain(line.below.iter().map(String::as_str));
        all.flat_map(title::numbers_in).collect()
    }

    /// What it will change.
    pub(crate) fn claims(&self) -> Vec<String> {
        let Some(line) = self.line(Key::Claims) else { return Vec::new() };
        let all = std::iter::once(line.value.as_str()).chain(line.below.iter().map(String::as_str));
        let paths = all.flat_map(syntax::markdown::paths::read_paths);
        paths.map(|entry| entry.path).filter(|path| !matches!(path.as_str(), "none" | "-" | "[]")).collect()
    }

    /// Whether its number is that of a numbered list.
    pub(crate) fn is_numbered_by_marker(&self) -> bool {
        match &self.head {
            Head::Heading(_) => false,
            Head::Entry { marker, .. } => {
                !self.title.number.is_empty() && marker.contains(&self.title.number_span.start)
            }
        }
    }

    /// Whether it is surely meant as an entry that can be done: it has a box, or says its state.
    pub(crate) fn is_strong(&self) -> bool {
        self.check.is_some() || self.line(Key::Status).is_some()
    }
}

fn first_marker(head: &Head) -> usize {
    match head {
        Head::Heading(_) => 0,
        Head::Entry { marker, .. } => marker.start,
    }
}

/// Whether a line below an entry says something of it.
pub(crate) fn is_field(source: &str, node: &Node) -> bool {
    are_fields(&fields_at(source, node))
}

/// What a line says by known keys; nothing where it is a heading, or has a box.
fn fields_at(source: &str, node: &Node) -> Vec<Line> {
    match node.check().is_none() && node.level().is_none() {
        true => read_fields(source, node),
        false => Vec::new(),
    }
}

fn are_fields(lines: &[Line]) -> bool {
    lines.iter().any(|line| line.key == Key::Status || is_short(line))
}

fn are_state(lines: &[Line]) -> bool {
    are_fields(lines) && lines.iter().any(|line| line.key == Key::Status)
}

/// Whether a line below an entry gives a value to a key that is not known: `- owner: x`, `- **Note**: y`.
pub(crate) fn is_note(source: &str, node: &Node) -> bool {
    if node.check().is_some() || node.level().is_some() {
        return false;
    }
    let found = fields::read_line(head_line(source, node), &|_| false).into_iter().next();
    found.is_some_and(|field| {
        let is_word = !field.key.contains(' ') && field.key.starts_with(|letter: char| letter.is_ascii_lowercase());
        field.look.is_bold || is_word
    })
}

/// A key is one of the known ones, and not the beginning of a title that happens to be the same word.
fn is_short(line: &Line) -> bool {
    let is_lower = line.name.starts_with(|letter: char| !letter.is_uppercase());
    is_lower || line.look.is_bold || matches!(line.key, Key::Executor | Key::DependsOn)
}

/// Whether something below an entry has a box, says its state, or goes on with its number.
fn has_inner(source: &str, nodes: &[Node], number: &str, fields: &[Vec<Line>]) -> bool {
    nodes.iter().enumerate().skip(1).any(|(at, node)| {
        let says_state = node.parent.is_some_and(|parent| parent > 0) && are_state(&fields[at]);
        let goes_on = || {
            let own = title::read(source, node.content.clone(), true).0.number;
            !number.is_empty() && own.strip_prefix(number).is_some_and(|rest| rest.starts_with('.'))
        };
        node.check().is_some() || says_state || (node.parent == Some(0) && at > 0 && goes_on())
    })
}

/// Whether a line gives a state.
pub(crate) fn is_state(source: &str, node: &Node) -> bool {
    are_state(&fields_at(source, node))
}

/// The same, or a line that says who holds something or what it needs, spelled as a key: where it stands below nothing, it
/// says that of what something else has cut it off from, and is nothing to be done.
pub(crate) fn is_lost_field(source: &str, node: &Node) -> bool {
    let is_key = |line: &Line| {
        matches!(line.key, Key::Executor | Key::DependsOn)
            && line.name.starts_with(|letter: char| letter.is_lowercase())
    };
    let lines = fields_at(source, node);
    are_state(&lines) || (are_fields(&lines) && lines.iter().any(is_key))
}

fn head_line<'s>(source: &'s str, node: &Node) -> &'s str {
    source[node.start..node.head_end].trim_end_matches(['\n', '\r'])
}

/// Lines that say something of the first node: entries directly below it, and lines of its own paragraph.
fn field_lines(source: &str, nodes: &[Node], fields: &[Vec<Line>]) -> Vec<Line> {
    let Some(first) = nodes.first() else { return Vec::new() };
    let mut lines: Vec<Line> = Vec::new();
    let mut at = first.head_end;
    for whole in source[first.head_end..first.text_end].split_inclusive('\n') {
        let span = at..at + whole.len();
        at = span.end;
        let text = whole.trim_end_matches(['\n', '\r']);
        lines.extend(
            fields_of(text, span.start)
                .filter(|line| line.look.marker != Marker::Quote)
                .map(|line| Line { span: span.clone(), ..line }),
        );
    }
    for (number, node) in nodes.iter().enumerate().skip(1).filter(|(_, node)| node.parent == Some(0)) {
        if !are_fields(&fields[number]) {
            continue;
        }
        let below: Vec<String> = nodes[number + 1..]
            .iter()
            .take_while(|inner| inner.start < node.end)
            .map(|inner| source[inner.content.clone()].to_owned())
            .collect();
        lines.extend(fields[number].iter().map(|line| Line { below: below.clone(), ..line.clone() }));
    }
    lines
}

fn read_fields(source: &str, node: &Node) -> Vec<Line> {
    let span = node.start..node.end;
    fields_of(head_line(source, node), node.start).map(|line| Line { span: span.clone(), ..line }).collect()
}

/// The known fields on a line that begins at a place.
fn fields_of(text: &str, start: usize) -> impl Iterator<Item = Line> {
    let fields = fields::read_line(text, &|key| Key::of(key).is_some());
    fields.into_iter().filter(|field| field.look.separator != Separator::Cell).filter_map(move |field| {
        let place = |span: &Range<usize>| start + span.start..start + span.end;
        Some(Line {
            key: Key::of(&field.key)?,
            name_span: place(&field.key_span),
            value_span: place(&field.value_span),
            name: field.key,
            value: field.value,
            span: 0..0,
            look: field.look,
            below: Vec::new(),
        })
    })
}

/// A value without marks around it.
fn bare(value: &str) -> String {
    value.trim().trim_matches(['`', '*', '"', '\'', '<', '>']).trim_start_matches('@').trim().to_owned()
}

/// The executor that is named beside a state: `Locked by x`, `Locked (executor: x)`.
fn beside_status(value: &str) -> Option<String> {
    let lower = value.to_lowercase();
    let place = ["executor", "runner", " by ", "执行者", "실행자", "@"]
        .iter()
        .find_map(|word| lower.find(word).map(|at| at + word.len()))?;
    let rest = value.get(place..)?.trim_start_matches([':', '：', '=', ' ', '`']);
    let end = rest
        .find(|letter: char| letter.is_whitespace() || matches!(letter, ')' | '）' | ',' | ';' | '`'))
        .unwrap_or(rest.len());
    Some(bare(&rest[..end])).filter(|name| !name.is_empty())
}
