//! What is odd in a log: in its front matter, its sections, its items and its entries, each with its place, the reason and
//! the way out. Must not change how anything is read.

use std::collections::HashMap;
use std::ops::Range;

use machine::roadmap::Status;
use syntax::markdown::fields::{Marker, Separator};
use syntax::markdown::lists::{Lists, Tick};

use super::entries;
use super::face::{Face, Head, Line};
use super::front::{Form, Matter};
use super::log::{Log, front_progress};
use super::objective::Items;
use super::problem::{Deviation, MOST, Weight, deviation};
use super::sections::{Part, Sections};
use super::words::{self, Key, Read, SectionName};
use crate::cycle::shown;

pub(crate) fn tell(
    log: &Log,
    source: &str,
    matter: &Matter,
    lists: &Lists,
    sections: &Sections,
    problems: &mut Vec<Deviation>,
) {
    let body = matter.span.end;
    let mut teller = Teller { log, source, problems };
    teller.sections(lists, sections, body);
    let counts = teller.items();
    teller.front(matter, counts);
    teller.entries();
    if let Some(at) = lists.unclosed {
        let at = body + at;
        let reason = "a fence or a comment begins here and is never closed; it hides nothing".to_owned();
        teller.tell(at..at, Weight::Form, reason, "close it, or take it away");
    }
}

struct Teller<'a> {
    log: &'a Log,
    source: &'a str,
    problems: &'a mut Vec<Deviation>,
}

/// Effective items, and those of them that are completed.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    effective: usize,
    completed: usize,
}

impl Counts {
    fn add(&mut self, status: Option<Status>) {
        self.effective += usize::from(status != Some(Status::Cancelled));
        self.completed += usize::from(status == Some(Status::Completed));
    }
}

impl Teller<'_> {
    fn tell(&mut self, span: Range<usize>, weight: Weight, reason: String, mend: &str) {
        // One more than are told, so that it is told that there are more.
        if self.problems.len() <= MOST {
            self.problems.push(deviation(span, weight, reason, mend.to_owned()));
        }
    }

    fn front(&mut self, matter: &Matter, counts: Counts) {
        let start = matter.span.start;
        if matter.form == Form::Missing {
            let reason = "there is no front matter".to_owned();
            self.tell(start..start, Weight::Form, reason, "begin with `---`, `title: …`, `progress: \"0%\"`, `---`");
            return;
        }
        if matter.find(&["title"]).is_none() {
            self.tell(start..start, Weight::Form, "the front matter has no title".into(), "add `title: …`");
        }
        let Some(entry) = matter.find(&["progress"]) else {
            self.tell(start..start, Weight::Form, "the front matter has no progress".into(), "add `progress: \"0%\"`");
            return;
        };
        let (raw, span) = (entry.value.text(), entry.span.clone());
        let Some(said) = front_progress(&raw) else {
            let reason = format!("`{}` is no progress", shown(&raw));
            self.tell(span, Weight::Form, reason, "write it in percent, such as \"15%\"; it is computed anew");
            return;
        };
        let digits: String = raw.chars().take_while(|letter| letter.is_ascii_digit()).collect();
        if digits.parse::<u64>().is_ok_and(|number| number > 100) || digits.len() > 19 {
            let reason = format!("`{}` is more than everything", shown(&raw));
            self.tell(span, Weight::Form, reason, "it is computed from the roadmap; leave it alone");
            return;
        }
        let computed = match counts.effective {
            0 => return,
            effective => u8::try_from(counts.completed * 100 / effective).unwrap_or(100),
        };
        if said != computed {
            let reason = format!("progress says {said}%, and the roadmap {computed}%");
            self.tell(span, Weight::Form, reason, "it is computed from the roadmap; leave it alone");
        }
    }

    fn sections(&mut self, lists: &Lists, sections: &Sections, body: usize) {
        let find = |part: &Part| part.heading.map(|at| &lists.nodes[at]);
        let all = sections.roadmaps.iter().map(|part| (part, SectionName::Roadmap));
        let all = all.chain(sections.log.iter().map(|part| (part, SectionName::WorkLog)));
        for (part, name) in all.collect::<Vec<_>>() {
            let title = name.title();
            match find(part) {
                Some(node) => {
                    let span = body + node.content.start..body + node.content.end;
                    let words = self.source[span.clone()].to_owned();
                    if words != title {
                        let how = if part.is_named { "is read as" } else { "is taken, by what it holds, for" };
                        let reason = format!("the heading `{}` {how} {title}", shown(&words));
                        self.tell(span, Weight::Form, reason, &format!("write `## {title}`"));
                    }
                }
                None => {
                    let at = body + part.body.start;
                    let reason = format!("there is no heading {title}; it is taken to begin here");
                    self.tell(at..at, Weight::Form, reason, &format!("write `## {title}` above"));
                }
            }
        }
        for part in &sections.roadmaps {
            let text = &self.source[body + part.body.start..body + part.body.end];
            let document = syntax::Document::parse(text);
            let is_plan = |table: &syntax::Table<'_>| {
                table.columns().iter().any(|column| Key::of(&column.name) == Some(Key::Status))
            };
            let at = document.tables().find(is_plan).map(|table| body + part.body.start + table.span().start);
            if let Some(at) = at {
                let reason = "items of a roadmap stand in a list; the rows of this table are not read".to_owned();
                self.tell(
                    at..at,
                    Weight::Rule,
                    reason,
                    "write `- [ ] 1.2. …` with `- status: …` below it for each row",
                );
            }
        }
        if let Some(node) = sections.roadmaps.get(1).and_then(find) {
            let at = body + node.start;
            let reason = "there is another roadmap; the items of both count, and new ones go to the first".to_owned();
            self.tell(at..at, Weight::Rule, reason, "make one of the two");
        }
        let end = self.source.len();
        if sections.roadmaps.is_empty() {
            self.tell(
                body..body,
                Weight::Rule,
                "there is no roadmap".into(),
                "write `## Roadmap` and the items below it",
            );
        }
        if sections.log.is_none() {
            self.tell(end..end, Weight::Form, "there is no work log".into(), "write `## Work Log` at the end");
        }
    }

    /// What is odd about items and groups; gives how many items there are.
    fn items(&mut self) -> Counts {
        let log = self.log;
        let mut all = Counts::default();
        let mut groups: HashMap<u32, Counts> = HashMap::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let placed = log.index.placed();
        let lines = Starts::of(self.source);
        for (id, at) in &placed {
            let Some(element) = log.index.element(*id) else { continue };
            if element.is_group {
                groups.entry(*id).or_default();
                continue;
            }
            let face = &element.face;
            all.add(face.state());
            let mut holder = element.parent;
            while let Some(group) = holder {
                groups.entry(group).or_default().add(face.state());
                holder = log.index.element(group).and_then(|group| group.parent);
            }
            let number = element.number.as_str();
            if !number.is_empty() {
                if let Some(first) = numbers.get(number) {
                    let span = at + face.title.number_span.start..at + face.title.number_span.end;
                    let reason = format!(
                        "the number {number} is there twice, first in line {}; this one is known as `{}`",
                        lines.line(*first),
                        element.key
                    );
                    self.tell(span, Weight::Rule, reason, "give each item a number of its own");
                }
                numbers.entry(number).or_insert(*at);
            }
            self.item(*at, &element.key, face);
            self.depends(*at, &element.key, face);
        }
        for (id, at) in &placed {
            if let (Some(element), Some(counts)) =
                (log.index.element(*id).filter(|element| element.is_group), groups.get(id))
            {
                self.group(*at, &element.face, *counts);
            }
        }
        all
    }

    fn item(&mut self, at: usize, key: &str, face: &Face) {
        let span = |span: &Range<usize>| at + span.start..at + span.end;
        let title = span(&face.title.whole_span);
        if face.title.number.is_empty() {
            let reason = format!("the item has no number, and is known as `{}`", shown(key));
            self.tell(title.clone(), Weight::Form, reason, "write one in front, such as `1.2.`");
        }
        if face.title.text.is_empty() {
            self.tell(
                title.clone(),
                Weight::Unclear,
                "the item does not say what is to be done".into(),
                "write it behind the box",
            );
        }
        match (&face.check, &face.head) {
            (None, Head::Heading(_)) => {
                self.tell(title.clone(), Weight::Form, "the item is a heading".into(), "write `- [ ] 1.2. …`");
            }
            (None, Head::Entry { .. }) => {
                self.tell(title.clone(), Weight::Form, "the item has no box".into(), "write `- [ ] …`");
            }
            (Some(check), _) => {
                if let Tick::Other(sign) = check.tick {
                    self.tell(
                        span(&check.span),
                        Weight::Form,
                        format!("`[{sign}]` is no box that is known"),
                        "write `[ ]` or `[x]`",
                    );
                }
            }
        }
        self.status(at, face);
        self.field_lines(at, face);
    }

    fn status(&mut self, at: usize, face: &Face) {
        let span = |span: &Range<usize>| at + span.start..at + span.end;
        let title = span(&face.title.whole_span);
        let state = face.state();
        match &face.status {
            None => {
                let word = state.unwrap_or(Status::Pending).word();
                let reason = format!("the item does not say its state, and counts as {word}");
                self.tell(title.clone(), Weight::Form, reason, &format!("add `- status: {word}` below it"));
            }
            Some(said) => match &said.read {
                Read::Clean(_) if said.is_line => {}
                Read::Clean(status) | Read::Loose(status) => {
                    let raw = &self.source[span(&said.span)];
                    let line = face.line(Key::Status).filter(|_| said.is_line && raw == status.word());
                    let reason = match (line, raw.is_empty()) {
                        (Some(line), _) => format!("more than the state stands here: `{}`", shown(&line.value)),
                        (None, true) => "the item is struck out".to_owned(),
                        (None, false) if said.is_line => format!("the state is written as `{}`", shown(raw)),
                        (None, false) => format!("the state stands beside the title, as `{}`", shown(raw)),
                    };
                    self.tell(span(&said.span), Weight::Form, reason, &format!("write `- status: {}`", status.word()));
                }
                Read::Unclear(why) => {
                    let (reason, mend) = why.rsplit_once("; ").unwrap_or((why, "write one of the valid words"));
                    let (reason, mend) = (format!("the state: {reason}"), mend.to_owned());
                    self.tell(span(&said.span), Weight::Unclear, reason, &mend);
                }
            },
        }
        if let (Some(is_ticked), Some(status), Some(check), Some(_)) =
            (face.is_ticked(), state, &face.check, &face.status)
            && is_ticked != (status == Status::Completed)
        {
            let (shows, mark) = if is_ticked { ("done", " ") } else { ("open", "x") };
            let reason = format!("the box says {shows}, and the state {}; the state counts", status.word());
            self.tell(span(&check.span), Weight::Rule, reason, &format!("write `[{mark}]`, or the other state"));
        }
        let executor = face.executor();
        let line = face.line(Key::Executor).map(|line| span(&line.value_span));
        match (state, executor.is_empty()) {
            (Some(Status::Locked), true) => {
                let place = line.unwrap_or(title);
                self.tell(
                    place,
                    Weight::Rule,
                    "the item is Locked, and by nobody".into(),
                    "add `- executor: …`, or make it Pending",
                );
            }
            (Some(Status::Locked), false) => {}
            (_, false) => {
                let reason = format!("the item is not Locked, and names the executor `{}`", shown(&executor));
                self.tell(line.unwrap_or(title), Weight::Form, reason, "take the line away");
            }
            (_, true) => {}
        }
    }

    fn field_lines(&mut self, at: usize, face: &Face) {
        let mut seen: Vec<&Line> = Vec::new();
        for line in &face.lines {
            let name = at + line.name_span.start..at + line.name_span.end;
            let value = at + line.value_span.start..at + line.value_span.end;
            let is_strict = line.name == line.key.name()
                && line.look.marker == Marker::Bullet
                && !line.look.is_bold
                && line.look.separator == Separator::Colon;
            if !is_strict {
                let mend = format!("write `- {}: …`", line.key.name());
                self.tell(name, Weight::Form, format!("`{}` is written otherwise", shown(&line.name)), &mend);
            }
            if let Some(first) = seen.iter().find(|first| first.key == line.key) {
                let weight = if first.value == line.value { Weight::Form } else { Weight::Unclear };
                let reason = format!("{} is given twice, and the first one counts", line.key.name());
                self.tell(value, weight, reason, "keep one of them");
            }
            seen.push(line);
        }
    }

    fn depends(&mut self, at: usize, key: &str, face: &Face) {
        let Some(line) = face.line(Key::DependsOn) else { return };
        let span = at + line.value_span.start..at + line.value_span.end;
        for on in self.log.known(face.depends_on()) {
            let found = self.log.index.find(&on).and_then(|id| self.log.index.element(id));
            let reason = match found {
                None => format!("it depends on `{}`, which is not there", shown(&on)),
                Some(_) if on == key => "it depends on itself".to_owned(),
                Some(other) if other.is_group => format!("it depends on `{}`, which is a group", shown(&on)),
                Some(other) if other.face.state() == Some(Status::Cancelled) => {
                    format!("it depends on `{}`, which is Cancelled", shown(&on))
                }
                Some(_) => continue,
            };
            self.tell(span.clone(), Weight::Rule, reason, "name items by their numbers, or take it out");
        }
    }

    fn group(&mut self, at: usize, face: &Face, counts: Counts) {
        let span = |span: &Range<usize>| at + span.start..at + span.end;
        if let Some(line) = face.line(Key::Status) {
            let reason = "a group has no state of its own: it follows from its items".to_owned();
            self.tell(span(&line.value_span), Weight::Form, reason, "take the line away");
        }
        let is_done = counts.effective > 0 && counts.effective == counts.completed;
        if let (Some(check), Some(is_ticked)) = (&face.check, face.is_ticked())
            && is_ticked != is_done
        {
            let (shows, are) = if is_ticked {
                ("ticked", "not all of its items are completed")
            } else {
                ("open", "all of its items are completed")
            };
            let reason = format!("the box of the group is {shows}, and {are}");
            self.tell(span(&check.span), Weight::Form, reason, "it is ticked by code; leave it alone");
        }
    }

    fn entries(&mut self) {
        let Some(piece) = self.log.log_piece else { return };
        let start = self.log.index.start_of(piece);
        let Some(text) = self.source.get(start..start + self.log.index.length(piece)) else { return };
        let found = entries::read(text);
        for one in found.problems {
            let span = start + one.span.start..start + one.span.end;
            self.tell(span, one.weight, one.reason, &one.mend);
        }
        let items = Items::of(self.log);
        for entry in &found.entries {
            let is_planner = words::part(&entry.role) == Some(machine::roadmap::Part::Planner);
            if !is_planner && !entry.objective.is_empty() && items.named_by(&entry.objective).is_none() {
                let at = start + entry.start;
                let reason = format!("the objective `{}` names no item", shown(&entry.objective));
                self.tell(at..at, Weight::Form, reason, "begin it with the number of an item");
            }
        }
    }
}

/// Where lines begin.
struct Starts(Vec<usize>);

impl Starts {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }
}
