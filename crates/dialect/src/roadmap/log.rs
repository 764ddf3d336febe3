//! A log, `.jixo/<name>.log.md`: front matter, roadmap, work log. Read whole once, and then kept in step: an operation is
//! some splices of the text, found through an index of pieces, and costs the same in a log of any length (RM-15). Must not
//! decide anything.

use std::collections::HashMap;
use std::ops::Range;

use machine::roadmap::{Status, Verdict, key_of};
use syntax::markdown::fields::readable;
use syntax::markdown::lists::{self, Node};
use text::{Change, Text};

use super::face::{Face, Head};
use super::front::Matter;
use super::index::{Element, Index, Stretch};
use super::problem::{self, Deviation, Weight, deviation};
use super::sections::{self, Part, Sections};
use super::title::Title;
use super::{entries, objective, outline, tell, write};
use crate::sheet::Revision;
use crate::trouble::Trouble;

/// A log, and what it says.
#[derive(Debug, Clone)]
pub struct Log {
    pub(crate) path: String,
    pub(crate) text: Text,
    pub(crate) index: Index,
    pub(crate) front: Front,
    /// The piece of the front matter, the one behind it, and that of the work log from its first entry on.
    pub(crate) front_piece: u32,
    pub(crate) log_piece: Option<u32>,
    /// The level of the work log's heading, and the one that new entries have.
    pub(crate) log_level: u8,
    pub(crate) entry_level: u8,
    /// Whether work log and roadmaps stay what they are when entries come and go in them.
    pub(crate) is_log_firm: bool,
    pub(crate) is_roadmap_firm: bool,
    /// Where the roadmap begins, behind its heading.
    pub(crate) roadmap_piece: Option<u32>,
    /// The first heading that is a group: what stands in no group stands above it.
    pub(crate) first_heading: Option<u32>,
    pub(crate) problems: Vec<Deviation>,
    /// Whether a fence or a comment begins somewhere and is never closed.
    pub(crate) is_unclosed: bool,
    pub(crate) draft: Option<Draft>,
    /// There is no such file yet.
    pub(crate) is_new: bool,
    /// How many bytes operations looked at: what a step costs is shown by counting.
    pub(crate) looked: u64,
}

/// What was done since the log was as the project has it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) before: Text,
    pub(crate) changes: Vec<Change>,
}

/// What the front matter of a log says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Front {
    /// What the log is about.
    pub title: String,
    /// How far it is, from 0 to 100, as it says.
    pub progress: Option<u8>,
    /// When it was made.
    pub create_time: String,
    /// When it was last changed.
    pub update_time: String,
    /// The digest of the goal that the roadmap was planned for; empty without one.
    pub goal: String,
    /// The period that its states are of; empty without one.
    pub period: String,
}

/// An item of the roadmap as it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogItem {
    /// Its number, made unique; without a number, something made of its title.
    pub key: String,
    /// Its number as written; empty without one.
    pub number: String,
    /// What is to be done.
    pub title: String,
    /// The group it stands in, by key.
    pub group: Option<String>,
    /// Its state; nothing where that cannot be told.
    pub status: Option<Status>,
    /// What its box says of it; nothing without one.
    pub is_ticked: Option<bool>,
    /// Who holds it; empty when nobody does.
    pub executor: String,
    /// What must be completed first, by key.
    pub depends_on: Vec<String>,
    /// What it will change.
    pub claims: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
}

/// A group of the roadmap as it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogGroup {
    /// By what it is known, among items and groups.
    pub key: String,
    /// What it says.
    pub title: String,
    /// The group it stands in, by key.
    pub parent: Option<String>,
    /// What its box says; nothing without one.
    pub is_ticked: Option<bool>,
    /// Its line, from 1.
    pub line: usize,
}

/// An entry of the work log as it reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogEntry {
    /// Its number.
    pub number: Option<u64>,
    /// Who worked.
    pub executor_name: String,
    /// When the step began, as it is written.
    pub at: String,
    /// The part that was played, as it is written.
    pub role: String,
    /// What was to be reached.
    pub objective: String,
    /// The item that the objective names, by key.
    pub item: Option<String>,
    /// What came of it.
    pub result: Option<Verdict>,
    /// Whether a Pending result is something in the way; it is without the line.
    pub is_blocker: bool,
    /// In words.
    pub summary: String,
    /// Its line, from 1.
    pub line: usize,
    /// Where it begins in its section.
    pub(crate) start: usize,
}

/// What the front matter is to say; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontChange {
    /// How far it is, from 0 to 100.
    pub progress: Option<u8>,
    /// When it was changed.
    pub update_time: Option<String>,
    /// The digest of the goal that the roadmap was planned for.
    pub goal: Option<String>,
    /// The period that its states are of.
    pub period: Option<String>,
}

impl Log {
    /// Reads a log. This never fails; what is odd is in [`Log::problems`].
    pub fn read(path: &str, text: impl Into<Text>) -> Self {
        let text = text.into();
        let bytes = text.to_vec();
        let source = readable(&bytes);
        let mut problems = Vec::new();
        tell_encoding(&bytes, &source, &mut problems);
        let matter = Matter::read(&source, &mut problems);
        let body = matter.span.end;
        let lists = lists::read(&source[body..]);
        let sections = sections::find(&source[body..], &lists.nodes);
        let mut log = Self {
            path: path.to_owned(),
            text,
            index: Index::default(),
            front: Front::of(&matter),
            front_piece: 0,
            log_piece: None,
            log_level: 0,
            entry_level: 3,
            is_log_firm: sections.log.as_ref().is_some_and(|log| log.is_firm),
            is_roadmap_firm: sections.roadmaps.iter().all(|roadmap| roadmap.is_firm),
            roadmap_piece: None,
            first_heading: None,
            problems: Vec::new(),
            is_unclosed: lists.unclosed.is_some(),
            draft: None,
            is_new: false,
            looked: 0,
        };
        log.take_pieces(&source, body, &lists.nodes, &sections);
        tell::tell(&log, &source, &matter, &lists, &sections, &mut problems);
        log.problems = problem::place(&source, problems);
        log
    }

    /// A log that is not there yet (RM-17).
    pub fn create(path: &str, title: &str, now: &str) -> Self {
        Self { is_new: true, ..Self::read(path, write::initial_log(title, now)) }
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text as it is now, operations included.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// What the front matter says.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// What was odd when it was read.
    pub fn problems(&self) -> &[Deviation] {
        &self.problems
    }

    /// How much operations looked at so far: bytes of text, and steps through the index.
    pub fn looked(&self) -> u64 {
        self.looked + self.index.looked()
    }

    /// Whether there is such an item or group.
    pub fn has(&self, key: &str) -> bool {
        self.index.has(key)
    }

    /// All items, in order.
    pub fn items(&self) -> Vec<LogItem> {
        let all = self.index.placed().into_iter();
        let items = all.filter_map(|(id, at)| self.item_of(id, self.text.line_at(at) + 1));
        items.collect()
    }

    /// One item.
    pub fn item(&mut self, key: &str) -> Option<LogItem> {
        let id = self.index.find(key)?;
        let at = self.index.offset(id);
        self.item_of(id, self.text.line_at(at) + 1)
    }

    fn item_of(&self, id: u32, line: usize) -> Option<LogItem> {
        let element = self.index.element(id).filter(|element| !element.is_group)?;
        let face = &element.face;
        Some(LogItem {
            key: element.key.to_string(),
            number: element.number.clone(),
            title: face.title.text.clone(),
            group: self.key_of(element.parent),
            status: face.state(),
            is_ticked: face.is_ticked(),
            executor: face.executor(),
            depends_on: self.known(face.depends_on()),
            claims: face.claims(),
            line,
        })
    }

    /// Names of items as keys: some name them by their titles.
    pub(crate) fn known(&self, names: Vec<String>) -> Vec<String> {
        let by_title = |name: &String| Some(key_of("", name, |_| false)).filter(|key| self.index.has(key));
        let key = |name: String| if self.index.has(&name) { name } else { by_title(&name).unwrap_or(name) };
        names.into_iter().map(key).collect()
    }

    /// All groups, in order; each after the one it stands in.
    pub fn groups(&self) -> Vec<LogGroup> {
        let all = self.index.placed().into_iter();
        let groups = all.filter_map(|(id, at)| {
            let element = self.index.element(id).filter(|element| element.is_group)?;
            Some(LogGroup {
                key: element.key.to_string(),
                title: element.face.title.whole.clone(),
                parent: self.key_of(element.parent),
                is_ticked: element.face.is_ticked(),
                line: self.text.line_at(at) + 1,
            })
        });
        groups.collect()
    }

    /// The key of an element.
    pub(crate) fn key_of(&self, id: Option<u32>) -> Option<String> {
        self.index.element(id?).map(|element| element.key.to_string())
    }

    /// All entries of the work log, newest first, each with the item that it is about. Reads the whole work log.
    pub fn entries(&self) -> Vec<LogEntry> {
        let Some(piece) = self.log_piece else { return Vec::new() };
        let start = self.index.start_of(piece);
        let bytes = self.text.slice(start..start + self.index.length(piece));
        let items = objective::Items::of(self);
        let mut entries = entries::read(&readable(&bytes)).entries;
        for entry in &mut entries {
            entry.line = self.text.line_at(start + entry.start) + 1;
            entry.item = items.named_by(&entry.objective);
        }
        entries
    }

    /// What the operations since the last [`Log::accept`] changed; nothing if nothing did.
    pub fn revision(&self) -> Option<Revision> {
        let draft = self.draft.as_ref()?;
        let change = Change::in_a_row(draft.changes.clone());
        if change.is_empty() {
            return None;
        }
        Some(Revision { change, before: draft.before.clone(), after: self.text.clone() })
    }

    /// The operations are committed.
    pub fn accept(&mut self) {
        self.draft = None;
        self.is_new = false;
    }

    /// The operations have not happened.
    pub fn take_back(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        for change in draft.changes.iter().rev() {
            self.follow(&change.inverse());
        }
        self.draft = None;
    }

    /// Cuts the text into pieces and takes in what stands in them.
    fn take_pieces(&mut self, source: &str, body: usize, nodes: &[Node], sections: &Sections) {
        let (text, mut taken) = (&source[body..], Keys::default());
        // Roadmaps and the work log, in the order of the text.
        let mut parts: Vec<(Range<usize>, Option<usize>)> = Vec::new();
        for (number, roadmap) in sections.roadmaps.iter().enumerate() {
            parts.push((roadmap.body.clone(), Some(number)));
        }
        if let Some(log) = &sections.log {
            let first = || nodes.iter().find(|node| node.start >= log.body.start).and_then(Node::level);
            (self.log_level, self.entry_level) = match log.heading.and_then(|at| nodes[at].level()) {
                Some(level) => (level, (level + 1).clamp(3, 6)),
                None => first().map_or((2, 3), |level| (level - 1, level)),
            };
            parts.push((first_entry(text, log)..log.body.end, None));
        }
        parts.sort_by_key(|(range, roadmap)| (range.start, roadmap.is_none()));
        self.front_piece = self.index.push_stretch(Stretch { elements: Vec::new(), tail: body });
        let mut at = 0;
        for (range, roadmap) in parts {
            let start = range.start.max(at);
            self.index.push_stretch(Stretch { elements: Vec::new(), tail: start - at });
            let end = range.end.max(start);
            match roadmap {
                None => {
                    let piece = self.index.push_stretch(Stretch { elements: Vec::new(), tail: end - start });
                    self.log_piece = Some(piece);
                }
                Some(_) => {
                    let stretch = self.take_roadmap(text, nodes, start..end, &mut taken);
                    let piece = self.index.push_stretch(stretch);
                    self.roadmap_piece = self.roadmap_piece.or(Some(piece));
                }
            }
            at = end;
        }
        self.index.push_stretch(Stretch { elements: Vec::new(), tail: text.len() - at });
    }

    fn take_roadmap(&mut self, text: &str, nodes: &[Node], body: Range<usize>, taken: &mut Keys) -> Stretch {
        let mut at = body.start;
        let found = outline::find(text, nodes, &body);
        let mut ids: Vec<u32> = Vec::with_capacity(found.len());
        for one in found {
            let title = &one.face.title;
            let parent = one.parent.and_then(|parent| ids.get(parent).copied());
            let number = self.number_of(&one.face, parent);
            let key = match one.is_group {
                true => taken.next(group_number(title), &title.whole),
                false => taken.next(&number, &title.text),
            };
            let is_heading = matches!(one.face.head, Head::Heading(_));
            let element = Element {
                key: key.into(),
                number,
                parent,
                is_group: one.is_group,
                gap: one.span.start - at,
                face: one.face,
                children: 0,
                last_child: None,
            };
            at = one.span.end;
            let id = self.index.push(element);
            if is_heading {
                self.first_heading = self.first_heading.or(Some(id));
            }
            ids.push(id);
        }
        Stretch { elements: ids, tail: body.end - at }
    }

    /// The number of an entry. Numbered lists begin anew in each other: there `1.` in `2.` is 2.1.
    fn number_of(&self, face: &Face, parent: Option<u32>) -> String {
        let own = &face.title.number;
        let holder = parent.and_then(|parent| self.index.element(parent));
        match holder.filter(|holder| face.is_numbered_by_marker() && holder.face.is_numbered_by_marker()) {
            Some(holder) => format!("{}.{own}", holder.number),
            None => own.clone(),
        }
    }

    /// In what this log, as it was kept in step, differs from another with the same text that was just read. For tests: keys
    /// may differ, as they are kept where numbers come and go.
    #[doc(hidden)]
    pub fn difference(&self, fresh: &Self) -> Option<String> {
        if self.text != fresh.text {
            return Some("the texts differ".to_owned());
        }
        let places = |log: &Self| {
            let piece = |piece: Option<u32>| piece.map(|piece| (log.index.start_of(piece), log.index.length(piece)));
            (
                log.index.length(log.front_piece),
                piece(log.log_piece),
                piece(log.roadmap_piece).map(|(start, _)| start),
                log.front.clone(),
                log.log_level,
            )
        };
        let (own, other) = (places(self), places(fresh));
        if own != other {
            return Some(format!("{own:?}\nfresh {other:?}"));
        }
        let rows = |log: &Self| {
            let placed = log.index.placed();
            let names: HashMap<u32, usize> = placed.iter().enumerate().map(|(number, (id, _))| (*id, number)).collect();
            let mut rows = Vec::new();
            for (id, at) in placed {
                let Some(element) = log.index.element(id) else { continue };
                let name = |id: Option<u32>| id.and_then(|id| names.get(&id).copied());
                let counts = (element.children, name(element.last_child), name(element.parent), element.is_group);
                rows.push((at, counts, element.face.clone()));
            }
            (
                rows,
                log.index.last_in(None).and_then(|id| names.get(&id).copied()),
                log.first_heading.and_then(|id| names.get(&id).copied()),
            )
        };
        let (own, other) = (rows(self), rows(fresh));
        if own.0.len() != other.0.len() {
            return Some(format!("{} elements\nfresh {}: {:#?}", own.0.len(), other.0.len(), other.0));
        }
        let differs = own.0.iter().zip(&other.0).find(|(own, other)| own != other);
        if let Some((own, other)) = differs {
            return Some(format!("{own:#?}\nfresh {other:#?}"));
        }
        ((own.1, own.2) != (other.1, other.2)).then(|| format!("{:?}\nfresh {:?}", (own.1, own.2), (other.1, other.2)))
    }

    pub(crate) fn trouble(&self, at: usize, reason: String, hint: &str) -> Trouble {
        Trouble { path: self.path.clone(), line: self.text.line_at(at) + 1, reason, hint: hint.to_owned() }
    }
}

impl Front {
    pub(crate) fn of(matter: &Matter) -> Self {
        let text =
            |keys: &[&str]| matter.find(keys).map(|entry| entry.value.text().trim().to_owned()).unwrap_or_default();
        Self {
            title: text(&["title"]),
            progress: front_progress(&text(&["progress"])),
            create_time: text(&["createtime", "created", "createdat"]),
            update_time: text(&["updatetime", "updated", "updatedat"]),
            goal: text(&["goaldigest"]),
            period: text(&["period"]),
        }
    }
}

/// How far something is: `15%`, `15 %`, `0.15`, `15` or `3/20`, at most 100.
pub(crate) fn front_progress(raw: &str) -> Option<u8> {
    let text = raw.trim();
    if let Some((done, all)) = text.split_once('/') {
        let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
        return (done >= 0.0 && all > 0.0).then(|| (done * 100.0 / all).min(100.0) as u8);
    }
    let (number, is_percent) = match text.strip_suffix(['%', '％']) {
        Some(number) => (number.trim(), true),
        None => (text, false),
    };
    let value: f64 = number.replace(',', ".").parse().ok()?;
    let value = if !is_percent && number.contains('.') && value <= 1.0 { value * 100.0 } else { value };
    // Not a number, or less than nothing, is none.
    (value >= 0.0).then(|| value.min(100.0) as u8)
}

/// The number of a group: only one that it begins with. `Phase 1` is known by its words.
fn group_number(title: &Title) -> &str {
    if title.number_span.start == title.whole_span.start { &title.number } else { "" }
}

/// Keys while a log is read: the second of one number gets `~2`.
#[derive(Default)]
pub(crate) struct Keys {
    counts: HashMap<String, u32>,
    taken: std::collections::HashSet<String>,
}

impl Keys {
    pub(crate) fn next(&mut self, number: &str, title: &str) -> String {
        let base = key_of(number, title, |_| false);
        let mut key = base.clone();
        while self.taken.contains(&key) {
            let count = self.counts.entry(base.clone()).or_insert(1);
            *count += 1;
            key = format!("{base}~{count}");
        }
        self.taken.insert(key.clone());
        key
    }
}

/// Where the first entry of a work log stands, or is to stand: behind the heading, blank lines and comments.
fn first_entry(text: &str, log: &Part) -> usize {
    let mut at = log.body.start;
    let mut is_comment = false;
    for whole in text[log.body.clone()].split_inclusive('\n') {
        let line = whole.trim();
        is_comment |= line.starts_with("<!--");
        if !is_comment && !line.is_empty() {
            return at;
        }
        is_comment &= !line.contains("-->");
        at += whole.len();
    }
    log.body.end
}

/// Says that a file is not UTF-8, or has bytes that hide what it says.
pub(crate) fn tell_encoding(bytes: &[u8], text: &str, problems: &mut Vec<Deviation>) {
    if std::str::from_utf8(bytes).is_err() {
        let at = text.find('\u{1A}').unwrap_or(0);
        let reason = "the file is not UTF-8".into();
        problems.push(deviation(at..at + 1, Weight::Form, reason, "save it as UTF-8".into()));
    }
}
