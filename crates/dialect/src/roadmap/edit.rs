//! Operations on a log: each is some splices of the bytes that it changes, read back before they count, and costs the same
//! however long the log is (RM-07, RM-15). Must not decide what is changed.

use std::ops::Range;

use machine::roadmap::{Entry, Status};
use syntax::markdown::fields::{Marker, readable};
use syntax::markdown::lists::Tick;
use text::{Change, Splice};

use super::face::{Face, Head, Line};
use super::front::{self, Matter};
use super::log::{Draft, Front, FrontChange, Log};
use super::words::Key;
use super::write::{self, Style};
use crate::trouble::Trouble;

/// What replaces some bytes of an element.
type Put = (Range<usize>, String);

impl Log {
    /// Sets an item's state, its box and its executor: a line of its own while it is Locked, none otherwise.
    pub fn set_item(&mut self, key: &str, status: Status, executor: &str) -> Result<(), Trouble> {
        let (id, source) = self.element_source(key)?;
        let Some(face) = self.index.element(id).map(|element| element.face.clone()) else { return Ok(()) };
        let style = self.style_below(&face, &source);
        let mut puts: Vec<Put> = Vec::new();
        let mut added = String::new();
        let status_line = face.line(Key::Status);
        let beside = status_line.is_some_and(|line| {
            face.line(Key::Executor).is_none() && !face.executor().is_empty() && !line.value.is_empty()
        });
        match &face.status {
            _ if face.state() == Some(status) && !beside => {}
            // An executor beside the state goes with it, and gets a line of its own.
            Some(_) if beside => {
                puts.extend(status_line.map(|line| (line.value_span.clone(), spaced(&source, line, status.word()))));
            }
            Some(said) if !said.span.is_empty() => puts.push((said.span.clone(), status.word().to_owned())),
            Some(_) if status_line.is_some() => {
                puts.extend(status_line.map(|line| (line.value_span.clone(), spaced(&source, line, status.word()))));
            }
            _ => added.push_str(&style.line(Key::Status, status.word())),
        }
        puts.extend(tick(&face, status));
        let wanted = if status == Status::Locked { executor } else { "" };
        match face.line(Key::Executor) {
            _ if beside && wanted.is_empty() => {}
            // Whoever is named beside a state that stays may stay, too: it says who did it.
            Some(_) if wanted.is_empty() && face.state() == Some(status) => {}
            Some(line) if wanted.is_empty() => puts.extend(self.without(&face, line, &source)),
            Some(_) if face.executor() == wanted => {}
            Some(line) => puts.push((line.value_span.clone(), spaced(&source, line, wanted))),
            None if wanted.is_empty() => {}
            None => match status_line {
                Some(line) => puts.push(self.line_behind(line, Key::Executor, wanted, &source, &style)),
                None => added.push_str(&style.line(Key::Executor, wanted)),
            },
        }
        if !added.is_empty() {
            puts.push(behind(&source, face.text_end, &added, style.ending));
        }
        let wanted = wanted.to_owned();
        self.edit_element(id, &source, puts, &|face| {
            face.state() == Some(status) && (wanted.is_empty() || face.executor() == wanted)
        })
    }

    /// Ticks a group's box, or not. A group without a box has none to tick.
    pub fn tick_group(&mut self, key: &str, is_ticked: bool) -> Result<(), Trouble> {
        let id = self.found(key)?;
        let Some(element) = self.index.element(id) else { return Ok(()) };
        let Some(check) = element.face.check.clone().filter(|_| element.face.is_ticked() != Some(is_ticked)) else {
            return Ok(());
        };
        let (_, source) = self.element_source(key)?;
        let mark = if is_ticked { "x" } else { " " };
        self.edit_element(id, &source, vec![(check.span, mark.into())], &|face| face.is_ticked() == Some(is_ticked))
    }

    /// Gives an item or a group another title.
    pub fn rename(&mut self, key: &str, title: &str) -> Result<(), Trouble> {
        let (id, source) = self.element_source(key)?;
        let Some(element) = self.index.element(id) else { return Ok(()) };
        let (read, is_group) = (&element.face.title, element.is_group);
        let title = write::title_text(title);
        let (span, old) = if is_group { (&read.whole_span, &read.whole) } else { (&read.span, &read.text) };
        if *old == title {
            return Ok(());
        }
        let puts = vec![(span.clone(), title.clone())];
        let number = read.number.clone();
        self.edit_element(id, &source, puts, &|face| {
            let now = if is_group { &face.title.whole } else { &face.title.text };
            super::words::squeezed(now) == super::words::squeezed(&title) && (is_group || face.title.number == number)
        })
    }

    /// Gives items other keys, all at once, and other numbers where these differ.
    pub fn renumber(&mut self, items: &[(String, String, String)]) -> Result<(), Trouble> {
        let mut renames = Vec::new();
        for (old, new, number) in items {
            let Some(id) = self.index.find(old) else { continue };
            let (_, source) = self.element_source(old)?;
            let Some(element) = self.index.element(id) else { continue };
            let read = element.face.title.clone();
            let number = number.trim().trim_end_matches('.').to_owned();
            if read.number != number && !number.is_empty() {
                let put = match read.number_span.is_empty() {
                    true => (read.span.start..read.span.start, format!("{number}. ")),
                    false => (read.number_span.clone(), number.clone()),
                };
                self.edit_element(id, &source, vec![put], &|face| face.title.number == number)?;
            }
            renames.push((id, new.clone()));
        }
        self.index.rename(&renames);
        Ok(())
    }

    /// Says what must be completed before an item.
    pub fn set_depends_on(&mut self, key: &str, depends_on: &[String]) -> Result<(), Trouble> {
        let is_there = |face: &Face| face.line(Key::DependsOn).is_some() != depends_on.is_empty();
        self.set_list(
            key,
            Key::DependsOn,
            &write::depends_text(depends_on),
            &|face| face.depends_on() == depends_on,
            &is_there,
        )
    }

    /// Says which files an item will change.
    pub fn set_claims(&mut self, key: &str, claims: &[String]) -> Result<(), Trouble> {
        let is_there = |face: &Face| face.line(Key::Claims).is_some() != claims.is_empty();
        self.set_list(key, Key::Claims, &write::claims_text(claims), &|face| face.claims() == claims, &is_there)
    }

    fn set_list(
        &mut self,
        key: &str,
        line: Key,
        value: &str,
        is_wanted: &dyn Fn(&Face) -> bool,
        is_there: &dyn Fn(&Face) -> bool,
    ) -> Result<(), Trouble> {
        let (id, source) = self.element_source(key)?;
        let Some(face) = self.index.element(id).map(|element| element.face.clone()) else { return Ok(()) };
        if is_wanted(&face) {
            return Ok(());
        }
        let style = self.style_below(&face, &source);
        let put = match face.line(line) {
            Some(old) if value.is_empty() => self.without(&face, old, &source),
            Some(old) => {
                // What stood below it said the same in another form.
                let end = if old.below.is_empty() { old.value_span.end } else { trimmed_end(&source, old.span.end) };
                Some((old.value_span.start..end.max(old.value_span.end), spaced(&source, old, value)))
            }
            None if value.is_empty() => None,
            None => {
                let last =
                    face.lines.iter().filter(|line| line.look.marker == Marker::Bullet).map(|line| line.span.end).max();
                Some(behind(&source, last.unwrap_or(face.text_end), &style.line(line, value), style.ending))
            }
        };
        self.edit_element(id, &source, put.into_iter().collect(), is_there)
    }

    /// Adds an entry to the work log, above all others (RM-07).
    pub fn add_entry(&mut self, entry: &Entry) -> Result<(), Trouble> {
        let level = self.entry_level;
        let ending = self.ending();
        let text = write::entry_text(entry, level).replace('\n', ending);
        let Some(piece) = self.log_piece else {
            let gap = self.gap_before(self.text.len(), ending);
            let put = format!("{gap}## Work Log{ending}{ending}{text}");
            let end = self.text.len();
            self.splice(Change::one(end, Vec::new(), put));
            self.read_again();
            return Ok(());
        };
        let at = self.index.start(piece);
        let gap = self.gap_before(at, ending);
        let below = if at < self.text.len() { ending } else { "" };
        // What is no heading may become a line of the new entry.
        let is_apart = at == self.text.len() || self.text.slice(at..at + 1).starts_with(b"#");
        let put = format!("{gap}{text}{below}");
        if let Some(before) = self.index.piece_before(piece) {
            self.index.change_tail(before, gap.len(), 0);
        }
        self.index.change_tail(piece, put.len() - gap.len(), 0);
        self.splice(Change::one(at, Vec::new(), put));
        if !self.is_log_firm || !is_apart {
            self.read_again();
        }
        self.settle();
        Ok(())
    }

    /// Sets keys of the front matter.
    pub fn set_front(&mut self, change: &FrontChange) -> Result<(), Trouble> {
        let values: Vec<(&str, String)> = [
            ("progress", change.progress.map(|progress| format!("{progress}%"))),
            ("updateTime", change.update_time.clone()),
            ("goalDigest", change.goal.clone()),
            ("period", change.period.clone()),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect();
        if values.is_empty() {
            return Ok(());
        }
        // One line more, to see whether a blank line is needed.
        let length = self.index.length(self.front_piece);
        let line = self.text.line(self.text.line_at(length)).end;
        let head = text::Text::from(self.text.slice(0..line.max(length)).into_owned());
        self.looked += head.len() as u64;
        let change = front::set(&head, &values);
        let Ok(after) = change.apply(&head) else {
            return Err(self.trouble(0, "the front matter cannot be changed".into(), "mend it by hand"));
        };
        let bytes = after.to_vec();
        let matter = Matter::read(&readable(&bytes), &mut Vec::new());
        let grown = after.len() as isize - head.len() as isize;
        let own = matter.span.end as isize - length as isize;
        self.index.change_tail(self.front_piece, matter.span.end, length);
        let (put, cut) = if grown >= own { ((grown - own) as usize, 0) } else { (0, (own - grown) as usize) };
        self.index.change_tail(self.front_piece + 1, put, cut);
        self.front = Front::of(&matter);
        self.splice(change);
        // Where nothing has a heading, what is put behind new front matter may belong to the roadmap.
        if (put, cut) != (0, 0) && !self.is_roadmap_firm {
            self.read_again();
        }
        Ok(())
    }

    /// What is needed between what stands before a place and a new block.
    pub(crate) fn gap_before(&self, at: usize, ending: &'static str) -> String {
        let before = self.text.slice(at.saturating_sub(4)..at);
        if at == 0 {
            return String::new();
        }
        let line = before.strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
        match line {
            None => format!("{ending}{ending}"),
            Some(line) if line.is_empty() || line.ends_with(b"\n") => String::new(),
            Some(_) => ending.to_owned(),
        }
    }

    /// The line ending of the log: that of its first line.
    pub(crate) fn ending(&self) -> &'static str {
        let first = self.text.slice(self.text.line(0));
        if first.ends_with(b"\r\n") { "\r\n" } else { "\n" }
    }

    pub(crate) fn found(&self, key: &str) -> Result<u32, Trouble> {
        self.index.find(key).ok_or_else(|| Trouble {
            path: self.path.clone(),
            line: 0,
            reason: format!("the item `{key}` is not in the log any more"),
            hint: format!("put it back: `multiverse history {}` shows which record took it out, `multiverse undo N` brings it back", self.path),
        })
    }

    /// An element and its own bytes.
    pub(crate) fn element_source(&mut self, key: &str) -> Result<(u32, String), Trouble> {
        let id = self.found(key)?;
        Ok((id, self.source_of(id)))
    }

    pub(crate) fn source_of(&mut self, id: u32) -> String {
        let at = self.index.offset(id);
        let length = self.index.element(id).map_or(0, |element| element.face.end);
        self.looked += length as u64;
        readable(&self.text.slice(at..at + length)).into_owned()
    }

    /// Changes bytes of an element. What would be read otherwise than it is meant is not written.
    fn edit_element(
        &mut self,
        id: u32,
        source: &str,
        mut puts: Vec<Put>,
        is_wanted: &dyn Fn(&Face) -> bool,
    ) -> Result<(), Trouble> {
        puts.retain(|(range, put)| source.get(range.clone()) != Some(put));
        if puts.is_empty() {
            return Ok(());
        }
        puts.sort_by_key(|(range, _)| (range.start, range.end));
        let at = self.index.offset(id);
        let (mut after, mut from) = (String::with_capacity(source.len() + 64), 0);
        for (range, put) in &puts {
            after.push_str(source.get(from..range.start.max(from)).unwrap_or_default());
            after.push_str(put);
            from = range.end.max(from);
        }
        after.push_str(source.get(from..).unwrap_or_default());
        self.looked += after.len() as u64;
        let old = self.index.element(id).map(|element| (element.face.clone(), element.is_group));
        let read = Face::read(&after).filter(|face| {
            face.end == after.len()
                && is_wanted(face)
                && old.as_ref().is_some_and(|(old, is_group)| is_same_place(old, face, *is_group))
        });
        let Some(face) = read else {
            let reason = "what is to be written here would be read otherwise".to_owned();
            return Err(self.trouble(
                at,
                reason,
                "mend the lines of this item by hand: `- status: …` below `- [ ] 1.2. …`",
            ));
        };
        let splices = puts.into_iter().map(|(range, put)| Splice {
            at: at + range.start,
            cut: self.text.slice(at + range.start..at + range.end).into_owned().into(),
            put: put.into_bytes().into(),
        });
        let change = Change::from_splices(splices.collect());
        // Which lines below a heading are its own depends on those behind them.
        let is_open = matches!(face.head, Head::Heading(_));
        self.index.set_face(id, face);
        self.splice(change);
        match is_open {
            true => self.read_again(),
            false => self.settle(),
        }
        Ok(())
    }

    /// What is never closed may be closed, or not, by anything that is written: then all is read again.
    pub(crate) fn settle(&mut self) {
        if self.is_unclosed {
            self.read_again();
        }
    }

    /// Changes the text. The index is told by whoever knows what it means.
    pub(crate) fn splice(&mut self, change: Change) {
        if change.is_empty() {
            return;
        }
        let draft = self.draft.get_or_insert_with(|| Draft { before: self.text.clone(), changes: Vec::new() });
        for splice in change.splices().iter().rev() {
            self.text.splice(splice.range(), &splice.put);
        }
        draft.changes.push(change);
    }

    /// Reads the whole log again: what was changed is more than lines of one item.
    pub(crate) fn read_again(&mut self) {
        let mut fresh = Self::read(&self.path, self.text.clone());
        fresh.carry_keys(self);
        fresh.draft = self.draft.take();
        fresh.is_new = self.is_new;
        fresh.looked = self.looked() + self.text.len() as u64;
        *self = fresh;
    }

    /// How lines below an element are written.
    fn style_below(&self, face: &Face, source: &str) -> Style {
        let ending = if source[..face.head_end].ends_with("\r\n")
            || (!source[..face.head_end].ends_with('\n') && self.ending() == "\r\n")
        {
            "\r\n"
        } else {
            "\n"
        };
        let own = match &face.head {
            Head::Heading(_) => "",
            Head::Entry { marker, .. } => &source[..marker.start],
        };
        let like = face.lines.iter().find(|line| line.look.marker == Marker::Bullet && is_alone(face, line));
        if let Some(line) = like {
            let text = &source[line.span.start..line.name_span.start];
            let indent = &text[..text.len() - text.trim_start().len()];
            let bullet =
                text.trim_start().chars().next().filter(|bullet| matches!(bullet, '-' | '*' | '+')).unwrap_or('-');
            let (indent, step) = match indent.strip_prefix(own) {
                Some(step) => (own.to_owned(), step.to_owned()),
                None => (String::new(), indent.to_owned()),
            };
            return Style { indent, bullet, step, ending };
        }
        let bullet = match &face.head {
            Head::Entry { marker, .. } => {
                source[marker.clone()].chars().next().filter(|bullet| matches!(bullet, '-' | '*' | '+'))
            }
            Head::Heading(_) => None,
        };
        let step = match &face.head {
            Head::Heading(_) => "",
            Head::Entry { .. } if own.ends_with('\t') => "\t",
            Head::Entry { marker, .. } if marker.len() > 1 => "   ",
            Head::Entry { .. } => "  ",
        };
        Style { indent: own.to_owned(), bullet: bullet.unwrap_or('-'), step: step.to_owned(), ending }
    }

    /// A new line behind another, written like it.
    fn line_behind(&self, line: &Line, key: Key, value: &str, source: &str, style: &Style) -> Put {
        let text = match line.look.marker {
            Marker::None => {
                let before = &source[line.span.start..line.name_span.start];
                let indent = &before[..before.len() - before.trim_start().len()];
                format!("{indent}{}: {}{}", key.name(), write::plain_line(value), style.ending)
            }
            _ => style.line(key, value),
        };
        behind(source, line.span.end, &text, style.ending)
    }

    /// What takes a line away; one field of several goes with what separates it.
    fn without(&self, face: &Face, line: &Line, source: &str) -> Option<Put> {
        if is_alone(face, line) {
            // The last line of a file without a line ending takes the one before it along.
            let start = match source[..line.span.end].ends_with('\n') {
                true => line.span.start,
                false => source[..line.span.start].trim_end_matches(['\n', '\r']).len(),
            };
            return Some((start..line.span.end, String::new()));
        }
        let before =
            face.lines.iter().filter(|other| other.span == line.span && other.value_span.end <= line.name_span.start);
        match before.map(|other| other.value_span.end).max() {
            Some(start) => Some((start..line.value_span.end, String::new())),
            None => {
                let next = face
                    .lines
                    .iter()
                    .filter(|other| other.span == line.span && other.name_span.start > line.value_span.end);
                next.map(|other| other.name_span.start).min().map(|end| (line.name_span.start..end, String::new()))
            }
        }
    }
}

/// Whether a line holds one field only.
fn is_alone(face: &Face, line: &Line) -> bool {
    face.lines.iter().filter(|other| other.span == line.span).count() == 1
}

/// Whether an element stands where it stood: indented the same, as sure to be one, with the same sort of head.
pub(crate) fn is_same_place(old: &Face, new: &Face, is_group: bool) -> bool {
    let head = match (&old.head, &new.head) {
        (Head::Heading(old), Head::Heading(new)) => old == new,
        (Head::Entry { indent: old, .. }, Head::Entry { indent: new, .. }) => old == new,
        _ => false,
    };
    // What stands in a group, or in an entry without box and state, is an entry of its own.
    let is_open = new.has_inner || (new.has_plain && (is_group || !new.is_strong()));
    head && new.is_strong() >= old.is_strong() && !is_open
}

/// The box that shows a state.
fn tick(face: &Face, status: Status) -> Option<Put> {
    let check = face.check.as_ref()?;
    let is_done = status == Status::Completed;
    match check.tick {
        Tick::Done if is_done => None,
        Tick::Open if !is_done => None,
        Tick::Other('-') if status == Status::Cancelled => None,
        _ => Some((check.span.clone(), if is_done { "x".into() } else { " ".into() })),
    }
}

/// A value as it stands behind its key: with a blank if there is none.
fn spaced(source: &str, line: &Line, value: &str) -> String {
    let value = write::plain_line(value);
    let is_apart = source[..line.value_span.start].ends_with([' ', '\t']);
    if is_apart { value } else { format!(" {value}") }
}

/// Lines behind a place, where the line before may lack its ending.
fn behind(source: &str, at: usize, lines: &str, ending: &str) -> Put {
    if source[..at].ends_with('\n') {
        return (at..at, lines.to_owned());
    }
    (at..at, format!("{ending}{}", lines.strip_suffix(ending).unwrap_or(lines)))
}

fn trimmed_end(source: &str, end: usize) -> usize {
    source[..end].trim_end_matches(['\n', '\r']).len()
}
