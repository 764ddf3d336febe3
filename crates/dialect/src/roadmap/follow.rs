//! Changes that somebody else made to a log, taken over: another process's step, a hand edit, or one of our own that is
//! taken back. Only the lines that changed are read; where more than that may have changed, all is read again. And the keys
//! by which things are known, kept over a reading. Must not know what a change is for.

use std::collections::{HashMap, HashSet, VecDeque};

use machine::roadmap::Session;
use syntax::markdown::fields::readable;
use text::{Change, Splice};

use super::edit::is_same_place;
use super::face::{Face, Head};
use super::front::Matter;
use super::index::{At, Element};
use super::log::{Front, Log};
use super::stamp::Stamp;

/// What following a change took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Only what changed was read.
    InStep,
    /// The whole log was read again.
    ReadAgain,
    /// The change does not fit the text: nothing was done.
    Misfit,
}

impl Log {
    /// Takes over a change that somebody else made to the same text. What operations did before counts as committed.
    pub fn follow(&mut self, change: &Change) -> Followed {
        let Ok(after) = change.apply(&self.text) else { return Followed::Misfit };
        self.draft = None;
        for splice in change.splices().iter().rev() {
            if !self.follow_one(splice) {
                self.text = after;
                self.read_again();
                return Followed::ReadAgain;
            }
        }
        Followed::InStep
    }

    /// Takes over one place; whether that was possible. The text is changed in any case.
    fn follow_one(&mut self, splice: &Splice) -> bool {
        let range = splice.range();
        let found = self.index.at(&range);
        self.text.splice(range.clone(), &splice.put);
        match found {
            // What is never closed may be closed by anything.
            _ if self.is_unclosed => false,
            At::Element(id, start) => self.follow_element(id, start, splice),
            At::Piece(piece, start) if piece == self.front_piece && range.end < start + self.index.length(piece) => {
                self.follow_front(splice)
            }
            At::Piece(piece, start) if Some(piece) == self.log_piece => self.follow_log(piece, start, splice),
            At::Piece(..) | At::End => false,
        }
    }

    fn follow_element(&mut self, id: u32, start: usize, splice: &Splice) -> bool {
        // Which lines below a heading are its own depends on those behind them.
        let element = self.index.element(id).filter(|element| matches!(element.face.head, Head::Entry { .. }));
        let Some(element) = element else { return false };
        let length = element.face.end + splice.put.len() - splice.cut.len();
        self.looked += length as u64;
        let bytes = self.text.slice(start..start + length);
        let source = readable(&bytes);
        let is_ended = source.ends_with('\n') || start + length == self.text.len();
        let read = Face::read(&source).filter(|face| {
            let old = &element.face;
            let is_named = face.title.number == old.title.number
                && (!old.title.number.is_empty() || face.title.text == old.title.text)
                && (!element.is_group || face.title.whole == old.title.whole);
            // A box or a state that is gone may make notes of what stands beside it.
            let is_as_sure = face.is_strong() == old.is_strong();
            face.end == source.len() && is_ended && is_named && is_as_sure && is_same_place(old, face, element.is_group)
        });
        let is_closed = is_closed(&source);
        match read.filter(|_| is_closed) {
            Some(face) => {
                self.index.set_face(id, face);
                true
            }
            None => false,
        }
    }

    fn follow_front(&mut self, splice: &Splice) -> bool {
        let length = self.index.length(self.front_piece);
        let now = length + splice.put.len() - splice.cut.len();
        self.looked += now as u64;
        let bytes = self.text.slice(0..now);
        let matter = Matter::read(&readable(&bytes), &mut Vec::new());
        if matter.span.end != now || matter.form != super::front::Form::Fine {
            return false;
        }
        self.front = Front::of(&matter);
        self.index.change_tail(self.front_piece, now, length);
        true
    }

    /// Whole lines that come and go in the work log, and are no headings of its own level or above.
    fn follow_log(&mut self, piece: u32, start: usize, splice: &Splice) -> bool {
        let is_plain = |bytes: &[u8]| {
            let text = readable(bytes);
            let is_inner = text.lines().all(|line| {
                let marks = line.len() - line.trim_start_matches('#').len();
                let is_heading = marks > 0 && line[marks..].starts_with([' ', '\t']);
                let is_rule = syntax::markdown::fields::is_break(line) || line.trim_start().starts_with("==");
                !is_rule && (!is_heading || marks > usize::from(self.log_level.max(2)))
            });
            is_inner && is_closed(&text) && (text.is_empty() || text.ends_with('\n'))
        };
        let begins_line = splice.at == start || self.text.slice(splice.at - 1..splice.at).ends_with(b"\n");
        // What stands first must be something: a blank line or a comment would belong to what is above.
        let length = self.index.length(piece) + splice.put.len() - splice.cut.len();
        let first = self.text.slice(start..start + length.min(4));
        let is_first_kept = first.first().is_none_or(|byte| !byte.is_ascii_whitespace()) && *first != *b"<!--";
        // A work log without a heading begins with its first entry: what is no entry would stand above it.
        let is_first_kept = is_first_kept && (splice.at > start || self.begins_entry(start, start + length));
        if !begins_line || !is_first_kept || !is_plain(&splice.put) || !is_plain(&splice.cut) {
            return false;
        }
        self.looked += (splice.put.len() + splice.cut.len()) as u64;
        self.index.change_tail(piece, splice.put.len(), splice.cut.len());
        true
    }

    /// Whether the heading of an entry stands at a place of the work log, or nothing more.
    fn begins_entry(&self, at: usize, end: usize) -> bool {
        let line = self.text.line(self.text.line_at(at));
        let bytes = self.text.slice(at..line.end.min(end));
        let text = readable(&bytes);
        let title = text.trim_end().trim_start_matches('#');
        at == end || (title.len() < text.trim_end().len() && Stamp::read(title.trim()).is_sure())
    }

    /// Gives items and groups the keys by which a session knows them: those of the same number and title.
    pub fn align(&mut self, session: &Session) {
        let mut known: Known = HashMap::new();
        let mut is_other = false;
        for item in session.pool.items() {
            let found = self.index.find(&item.key).and_then(|id| self.index.element(id));
            let title = super::write::title_text(&item.title);
            is_other |= found.is_none_or(|element| element.is_group || element.face.title.text != title);
            known.entry(name_of(false, &item.number, &title)).or_default().push_back(item.key.clone());
        }
        for group in session.pool.groups() {
            let title = super::write::title_text(&group.title);
            is_other |= self
                .index
                .find(&group.key)
                .and_then(|id| self.index.element(id))
                .is_none_or(|element| !element.is_group);
            known.entry(name_of(true, "", &title)).or_default().push_back(group.key.clone());
        }
        if is_other {
            self.take_keys(known, &|element| {
                let title = &element.face.title;
                let text = if element.is_group { &title.whole } else { &title.text };
                name_of(element.is_group, &element.number, text)
            });
        }
    }

    /// The same for what a log was known by before it was read again.
    pub(crate) fn carry_keys(&mut self, old: &Log) {
        let mut known: Known = HashMap::new();
        for element in old.index.ids().filter_map(|id| old.index.element(id)) {
            known.entry(element.face.title.whole.clone()).or_default().push_back(element.key.to_string());
        }
        // An item that something was put into is a group now, and has the same words.
        self.take_keys(known, &|element| element.face.title.whole.clone());
    }

    fn take_keys(&mut self, mut known: Known, name: &dyn Fn(&Element) -> String) {
        let ids: Vec<u32> = self.index.ids().collect();
        let mut wanted: Vec<(u32, String)> = Vec::new();
        for id in &ids {
            let Some(element) = self.index.element(*id) else { continue };
            if let Some(key) = known.get_mut(&name(element)).and_then(VecDeque::pop_front) {
                wanted.push((*id, key));
            }
        }
        let claimed: HashSet<&str> = wanted.iter().map(|(_, key)| key.as_str()).collect();
        let matched: HashSet<u32> = wanted.iter().map(|(id, _)| *id).collect();
        let mut others: Vec<(u32, String)> = Vec::new();
        let mut given: HashSet<String> = HashSet::new();
        for id in ids.iter().filter(|id| !matched.contains(id)) {
            let Some(element) = self.index.element(*id).filter(|element| claimed.contains(&*element.key)) else {
                continue;
            };
            let base = element.key.split('~').next().unwrap_or_default();
            let mut free = (2_u32..).map(|count| format!("{base}~{count}"));
            let key = free.find(|key| !claimed.contains(key.as_str()) && !self.index.has(key) && !given.contains(key));
            if let Some(key) = key {
                given.insert(key.clone());
                others.push((*id, key));
            }
        }
        wanted.extend(others);
        wanted.retain(|(id, key)| self.index.element(*id).is_some_and(|element| *element.key != **key));
        self.index.rename(&wanted);
    }
}

/// Keys by what they name.
type Known = HashMap<String, VecDeque<String>>;

/// A group, or an item, by its number and its title.
fn name_of(is_group: bool, number: &str, title: &str) -> String {
    match is_group {
        true => format!("group {title}"),
        false => format!("item {} {title}", number.trim_end_matches('.')),
    }
}

/// Whether everything that is begun in a text ends in it.
fn is_closed(text: &str) -> bool {
    syntax::markdown::lists::read(text).unclosed.is_none()
}
