//! The entries of a work log, in every form that people write them: headings with bullets, bold or plain keys, lists, rows
//! of a table. Must not know the roadmap: which item an objective names is asked.

use std::ops::Range;

use machine::roadmap::Verdict;
use syntax::Document;
use syntax::markdown::fields::{self, Look, Marker, Separator};
use syntax::markdown::lists::{self, Node};

use super::log::LogEntry;
use super::problem::{Deviation, Weight, deviation};
use super::stamp::Stamp;
use super::words::{self, EntryKey, Read, squeezed};
use crate::cycle::shown;

/// Entries and what is odd about them. Spans count from the beginning of the section.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// Newest first.
    pub(crate) entries: Vec<LogEntry>,
    pub(crate) problems: Vec<Deviation>,
}

/// An entry while it is read.
#[derive(Debug, Default)]
struct Draft {
    stamp: Stamp,
    /// The line that it begins with.
    title: String,
    span: Range<usize>,
    fields: Vec<Given>,
    /// Text that has no key.
    loose: Vec<String>,
}

#[derive(Debug)]
struct Given {
    key: EntryKey,
    name: String,
    value: String,
    name_span: Range<usize>,
    value_span: Range<usize>,
    look: Look,
}

/// Reads a section.
pub(crate) fn read(text: &str) -> Entries {
    let nodes = lists::read(text).nodes;
    let tables = table_entries(text);
    // Entries in lists and tables stand by themselves, whatever heading is above them.
    let is_top = |node: &Node| {
        node.parent.is_none_or(|parent| nodes[parent].level().is_some() && nodes[parent].parent.is_none())
    };
    let listed: Vec<(usize, Draft)> = nodes
        .iter()
        .filter(|node| node.level().is_none() && is_top(node))
        .filter_map(|node| Some((node.start, list_entry(text, node)?)))
        .collect();
    let paragraphs = paragraph_heads(text, &nodes);
    let stops: Vec<usize> =
        listed.iter().map(|(start, _)| *start).chain(tables.iter().map(|(start, _)| *start)).collect();
    let stops: Vec<usize> = stops.into_iter().chain(paragraphs.iter().map(|head| head.start)).collect();
    let headings = nodes.iter().filter(|node| node.parent.is_none() && node.level().is_some());
    let headed = headings.map(|heading| {
        let inside = stops.iter().filter(|stop| (heading.head_end..heading.end).contains(stop));
        let end = inside.min().copied().unwrap_or(heading.end);
        (heading.start, headed_entry(text, heading, end))
    });
    let mut drafts: Vec<(usize, Draft)> = headed.collect();
    drafts.extend(paragraphs.into_iter().map(|head| {
        let headings = nodes.iter().filter(|node| node.level().is_some()).map(|node| node.start);
        let end = stops.iter().copied().chain(headings).filter(|stop| *stop > head.start).min().unwrap_or(text.len());
        let stamp = Stamp::read(text[head.clone()].trim());
        let title = text[head.clone()].trim().to_owned();
        let mut draft = Draft { stamp, title, span: head.clone(), ..Draft::default() };
        draft.take_lines(text, head.end..end);
        (head.start, draft)
    }));
    drafts.extend(listed);
    drafts.extend(tables);
    drafts.sort_by_key(|(start, draft)| (*start, draft.span.start));
    let drafts: Vec<Draft> = drafts.into_iter().map(|(_, draft)| draft).collect();
    let mut found = Entries::default();
    for draft in &drafts {
        found.entries.push(draft.entry(&mut found.problems));
    }
    put_in_order(&mut found, &drafts);
    found
}

/// Lines of their own that begin an entry without being headings: `**Log 2** @name (time)`. Only in bold, or word for word
/// as a heading would say it: what a summary says of another entry begins none.
fn paragraph_heads(text: &str, nodes: &[Node]) -> Vec<Range<usize>> {
    let (mut heads, mut at, mut is_code, mut is_apart) = (Vec::new(), 0, false, true);
    for whole in text.split_inclusive('\n') {
        let head = at..at + whole.len();
        at = head.end;
        let line = whole.trim_end();
        is_code ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let begins = !is_code && is_apart && (line.starts_with("**") || line.starts_with("Log "));
        is_apart = line.is_empty();
        let is_field = || {
            let fields = fields::read_line(line, &|_| false);
            fields.iter().any(|field| EntryKey::of(&field.key).is_some())
        };
        let is_entry = || {
            let stamp = Stamp::read(line);
            let says_who = !stamp.executor_name.is_empty() || !stamp.at.is_empty() || line.ends_with("**");
            stamp.is_sure() && stamp.is_named && says_who && (line.starts_with("**") || stamp.is_strict)
        };
        let is_node = || nodes.iter().any(|node| node.start == head.start);
        if begins && is_entry() && !is_field() && !is_node() {
            heads.push(head);
        }
    }
    heads
}

/// A heading, and what stands below it up to a place.
fn headed_entry(text: &str, heading: &Node, end: usize) -> Draft {
    let mut draft = Draft {
        stamp: Stamp::of_entry(&text[heading.content.clone()]),
        title: text[heading.content.clone()].to_owned(),
        span: heading.start..heading.head_end,
        ..Draft::default()
    };
    draft.take_lines(text, heading.head_end..end);
    draft
}

/// An entry of a list, with what stands below it.
fn list_entry(text: &str, node: &Node) -> Option<Draft> {
    let title = &text[node.content.clone()];
    let stamp = Stamp::read(title);
    let mut draft = Draft { stamp, title: title.to_owned(), span: node.start..node.head_end, ..Draft::default() };
    draft.take_lines(text, node.head_end..node.end);
    // Below a heading, `- **Result**: …` is a line of that entry.
    let is_line = node.parent.is_some()
        && fields::read_line(text[node.start..node.head_end].trim_end(), &|_| false)
            .iter()
            .any(|field| EntryKey::of(&field.key).is_some());
    let is_entry = draft.stamp.is_sure()
        || (node.parent.is_none() && draft.fields.iter().any(|given| given.key == EntryKey::Result));
    (is_entry && !is_line).then_some(draft)
}

impl Draft {
    /// Takes lines in: keys with their values, and text that goes on with the one above.
    fn take_lines(&mut self, text: &str, range: Range<usize>) {
        let known = |key: &str| EntryKey::of(key).is_some();
        let mut at = range.start;
        let (mut indent, mut is_code, mut headed) = (None, false, None);
        for whole in text[range].split_inclusive('\n') {
            let start = at;
            at += whole.len();
            let line = whole.trim_end();
            let bare = line.trim_start();
            if bare.starts_with("```") || bare.starts_with("~~~") {
                is_code = !is_code;
                self.go_on(line);
                continue;
            }
            if bare.is_empty() || (!is_code && (fields::is_break(line) || is_frame(bare) || bare.starts_with("<!--"))) {
                continue;
            }
            if !is_code && let Some(title) = bare.strip_prefix('#') {
                // A heading for each key, with the value below it.
                let title = title.trim_start_matches('#').trim().trim_matches([':', '：', '*']);
                headed = EntryKey::of(title).map(|key| (key, title.to_owned(), start));
                continue;
            }
            if let Some((key, name, place)) = headed.take() {
                let look = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Colon };
                let from = start + line.len() - bare.len();
                self.fields.push(Given {
                    key,
                    name,
                    value: bare.to_owned(),
                    name_span: place..place,
                    value_span: from..start + line.len(),
                    look,
                });
                continue;
            }
            let read = if is_code { Vec::new() } else { fields::read_line(line, &known) };
            let own: Vec<_> = read.into_iter().filter_map(|field| Some((EntryKey::of(&field.key)?, field))).collect();
            let is_deeper =
                own.first().is_some_and(|(_, field)| indent.is_some_and(|indent| field.look.indent > indent + 1));
            if own.is_empty() || is_deeper || own[0].1.look.marker == Marker::Quote {
                self.go_on(line);
                continue;
            }
            indent = indent.or(Some(own[0].1.look.indent));
            for (key, field) in own {
                let place = |span: &Range<usize>| start + span.start..start + span.end;
                let (name_span, value_span) = (place(&field.key_span), place(&field.value_span));
                self.fields.push(Given {
                    key,
                    name: field.key,
                    value: field.value,
                    name_span,
                    value_span,
                    look: field.look,
                });
            }
        }
    }

    fn go_on(&mut self, line: &str) {
        match self.fields.last_mut() {
            Some(last) => {
                last.value.push('\n');
                last.value.push_str(line.trim());
            }
            None => self.loose.push(line.trim().trim_start_matches(['-', '*', '+']).trim().to_owned()),
        }
    }

    fn given(&self, key: EntryKey) -> Option<&Given> {
        self.fields.iter().find(|given| given.key == key)
    }

    /// A result that no line of its own gives: `Log 3 · @name · ✅ Succeeded — all of it`, `**#4**, result: failed. …`.
    fn result_in_passing(&self) -> Option<Verdict> {
        const BETWEEN: [&str; 8] = [" · ", " | ", ", ", "; ", " — ", " – ", " - ", " ("];
        let lines = std::iter::once(&self.title).chain(self.loose.first());
        let parts = lines.flat_map(|line| {
            BETWEEN
                .iter()
                .fold(vec![line.as_str()], |parts, mark| parts.iter().flat_map(|part| part.split(mark)).collect())
        });
        let mut found = parts.filter_map(|part| {
            let part = part.trim().trim_end_matches([')', '.', ':', '*']).trim_start_matches(['*', '(']).trim();
            match part.split_once([':', '：']) {
                Some((key, value)) => match EntryKey::of(key) {
                    Some(EntryKey::Result) => words::verdict(value.trim()).0.value(),
                    _ => None,
                },
                None => words::plain_verdict(part),
            }
        });
        found.next()
    }

    fn entry(&self, problems: &mut Vec<Deviation>) -> LogEntry {
        let text = |key: EntryKey| self.given(key).map(|given| given.value.trim().to_owned());
        let summary = text(EntryKey::Summary).unwrap_or_else(|| self.loose.join("\n"));
        let objective = text(EntryKey::Objective).unwrap_or_else(|| self.stamp.more.clone());
        let result =
            self.given(EntryKey::Result).map(|given| words::verdict(given.value.lines().next().unwrap_or_default()).0);
        let verdict = result.as_ref().map_or_else(|| self.result_in_passing(), Read::value);
        let said = self.given(EntryKey::Blocker).and_then(|given| words::yes_or_no(&given.value));
        self.tell(result.as_ref(), said, problems);
        LogEntry {
            number: self.stamp.number,
            executor_name: self.stamp.executor_name.clone(),
            at: self.stamp.at.clone(),
            role: text(EntryKey::Role).unwrap_or_default(),
            objective,
            item: None,
            result: verdict,
            is_blocker: verdict == Some(Verdict::Pending) && said != Some(false),
            summary,
            line: 0,
            start: self.span.start,
        }
    }

    fn tell(&self, result: Option<&Read<Verdict>>, said: Option<bool>, problems: &mut Vec<Deviation>) {
        let mut tell = |span: Range<usize>, weight: Weight, reason: String, mend: String| {
            problems.push(deviation(span, weight, reason, mend));
        };
        let top = self.span.start..self.span.start;
        if !self.stamp.is_strict {
            let reason = "the entry begins otherwise".into();
            tell(top.clone(), Weight::Form, reason, "write `### Log 2 @name (time)`".into());
        }
        if self.stamp.number.is_none() {
            tell(top.clone(), Weight::Rule, "the entry has no number".into(), "write `### Log 2 @name (time)`".into());
        }
        let needed = [EntryKey::Role, EntryKey::Objective, EntryKey::Result, EntryKey::Summary];
        let missing: Vec<&str> =
            needed.into_iter().filter(|key| self.given(*key).is_none()).map(EntryKey::name).collect();
        if !missing.is_empty() {
            let mend: Vec<String> = missing.iter().map(|name| format!("`- **{name}**: …`")).collect();
            let reason = format!("the entry has no {}", missing.join(", no "));
            tell(top, Weight::Rule, reason, format!("add {}", mend.join(", ")));
        }
        if let Some(given) = self.fields.iter().find(|given| !given.is_strict()) {
            let reason = format!("`{}` is written otherwise", shown(&given.name));
            tell(given.name_span.clone(), Weight::Form, reason, format!("write `- **{}**: …`", given.key.name()));
        }
        for (place, given) in self.fields.iter().enumerate() {
            if let Some(first) = self.fields[..place].iter().find(|first| first.key == given.key) {
                let weight = if first.value.trim() == given.value.trim() { Weight::Form } else { Weight::Unclear };
                let reason = format!("{} is given twice, and the first one counts", given.key.name());
                tell(given.value_span.clone(), weight, reason, "keep one of them".into());
            }
        }
        if let Some(given) = self.given(EntryKey::Role)
            && !matches!(given.value.trim(), "Planner" | "Executor")
        {
            let (weight, mend) = match words::part(&given.value) {
                Some(part) => (Weight::Form, format!("write `{}`", part.word())),
                None => (Weight::Unclear, "write `Planner` or `Executor`".into()),
            };
            tell(given.value_span.clone(), weight, format!("the role is written as `{}`", shown(&given.value)), mend);
        }
        self.tell_result(result, said, &mut tell);
    }

    fn tell_result(
        &self,
        result: Option<&Read<Verdict>>,
        said: Option<bool>,
        tell: &mut dyn FnMut(Range<usize>, Weight, String, String),
    ) {
        let Some((given, result)) = self.given(EntryKey::Result).zip(result) else { return };
        match result {
            Read::Clean(_) => {}
            Read::Loose(verdict) => {
                let reason = format!("the result is written as `{}`", shown(&given.value));
                tell(given.value_span.clone(), Weight::Form, reason, format!("write `{}`", verdict.word()));
            }
            Read::Unclear(why) => {
                let (reason, mend) = why.rsplit_once("; ").unwrap_or((why, "write one of the valid words"));
                tell(given.value_span.clone(), Weight::Unclear, format!("the result: {reason}"), mend.to_owned());
            }
        }
        match self.given(EntryKey::Blocker) {
            None if result.value() == Some(Verdict::Pending) => {
                let reason = "it is not said whether what is Pending is a blocker; it counts as one".into();
                tell(given.value_span.clone(), Weight::Form, reason, "add `- **Blocker**: yes` or `no`".into());
            }
            Some(blocker) if said.is_none() => {
                let reason = format!("`{}` is neither yes nor no, and counts as yes", shown(&blocker.value));
                tell(blocker.value_span.clone(), Weight::Unclear, reason, "write `yes` or `no`".into());
            }
            _ => {}
        }
    }
}

impl Given {
    /// `- **Key**: value`.
    fn is_strict(&self) -> bool {
        self.look.marker == Marker::Bullet
            && self.look.is_bold
            && self.look.separator == Separator::Colon
            && self.name == self.key.name()
    }
}

/// The frame of a table.
fn is_frame(line: &str) -> bool {
    line.starts_with('|') && line.chars().all(|mark| matches!(mark, '|' | '-' | ':' | ' '))
}

/// Rows of tables with a column for each key, and where each table begins.
fn table_entries(text: &str) -> Vec<(usize, Draft)> {
    let document = Document::parse(text);
    let mut drafts = Vec::new();
    for table in document.tables() {
        let headings: Vec<String> = table.columns().iter().map(|column| column.name.clone()).collect();
        let keys: Vec<Option<EntryKey>> = headings.iter().map(|title| EntryKey::of(title)).collect();
        if keys.iter().flatten().count() < 2 {
            continue;
        }
        let column =
            |names: &str| headings.iter().position(|title| names.split(' ').any(|name| name == squeezed(title)));
        let number = column("log no nr number entry id 编号 序号 번호")
            .or_else(|| headings.iter().position(|title| title.trim() == "#"));
        let name = column("executor name who by runner agent 执行者 실행자 ausführer");
        let time = column("time date when at 时间 日期 시간 zeit datum");
        for row in table.rows().filter(|row| !row.is_empty()) {
            let value = |at: Option<usize>| at.map(|at| row.value(at)).unwrap_or_default();
            let digits: String = value(number).chars().filter(char::is_ascii_digit).collect();
            let stamp = Stamp {
                number: digits.parse().ok(),
                executor_name: value(name).trim().trim_matches(['@', '`']).to_owned(),
                at: value(time).trim().to_owned(),
                ..Stamp::default()
            };
            let span = row.cell(0).map_or(0..0, |cell| cell.span.clone());
            let mut draft = Draft { stamp, span, ..Draft::default() };
            for (at, key) in keys.iter().enumerate().filter_map(|(at, key)| Some((at, (*key)?))) {
                let span = row.cell(at).map_or(0..0, |cell| cell.span.clone());
                let look = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Cell };
                let name = key.name().to_owned();
                draft.fields.push(Given {
                    key,
                    name,
                    value: row.value(at),
                    name_span: span.clone(),
                    value_span: span,
                    look,
                });
            }
            drafts.push((table.span().start, draft));
        }
    }
    drafts
}

/// Newest first, by their numbers. Those without one stay where they are.
fn put_in_order(found: &mut Entries, drafts: &[Draft]) {
    let numbers: Vec<u64> = found.entries.iter().filter_map(|entry| entry.number).collect();
    if let Some(at) = numbers.windows(2).position(|pair| pair[0] < pair[1]) {
        let later =
            found.entries.iter().filter(|entry| entry.number.is_some()).nth(at + 1).map_or(0, |entry| entry.start);
        let reason = "the work log is not written newest first; it is read by its numbers".into();
        found.problems.push(deviation(later..later, Weight::Form, reason, "put new entries at the top".into()));
    }
    let mut seen: std::collections::BTreeMap<u64, usize> = std::collections::BTreeMap::new();
    for draft in drafts {
        let Some(number) = draft.stamp.number else { continue };
        let count = seen.entry(number).or_default();
        *count += 1;
        if *count > 1 {
            let span = draft.span.start..draft.span.start;
            let reason = format!("there is another entry with the number {number}");
            found.problems.push(deviation(span, Weight::Rule, reason, "give each entry a number of its own".into()));
        }
    }
    let is_rising = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count() * 2 > numbers.len();
    if is_rising {
        found.entries.reverse();
    }
    // Those without a number stay beside the one above them.
    let mut last = u64::MAX;
    let mut keyed: Vec<(u64, LogEntry)> = std::mem::take(&mut found.entries)
        .into_iter()
        .map(|entry| {
            last = entry.number.unwrap_or(last);
            (last, entry)
        })
        .collect();
    keyed.sort_by_key(|one| std::cmp::Reverse(one.0));
    found.entries = keyed.into_iter().map(|(_, entry)| entry).collect();
}
