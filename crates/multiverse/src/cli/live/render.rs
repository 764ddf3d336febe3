//! The live view as lines: a pure function of what is known, the size of the terminal and the time. Every line fits.

use anstyle::{AnsiColor, Effects, Style};
use unicode_width::UnicodeWidthStr as _;

use super::super::output::{BAD, GOOD, HINT, PLACE};
use super::super::visible;
use super::model::{Item, Level, Model, Moment, RunModel, Standing, State, Working};
use super::rows::{Fold, Open, Row, rows};

const FAINT: Style = Style::new().effects(Effects::DIMMED);
const ASKS: Style = AnsiColor::Yellow.on_default().bold();

/// Lines are no wider than this: what belongs together stays together.
const MOST_COLUMNS: usize = 110;
/// Below this there is no room for who works on something.
const COLUMNS_FOR_WHO: usize = 60;
/// The bar of progress has so many columns, where there is room for one.
const BAR_COLUMNS: usize = 20;
const COLUMNS_FOR_BAR: usize = 70;
/// With fewer lines there is none to spare for looks.
const LINES_FOR_AIR: usize = 16;
/// The frames of what turns while somebody works, in milliseconds each.
const TURN: u64 = 120;

/// The size of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) lines: usize,
}

/// The signs in front of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signs {
    Unicode,
    Ascii,
}

/// Whether the view goes on, or this is what it leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Live,
    Last,
}

/// What does not change while a view is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) signs: Signs,
    /// What Ctrl-C does here.
    pub(crate) leaving: &'static str,
}

/// The view.
pub(crate) fn frame(model: &Model, size: Size, now: Moment, look: Look, kind: Kind) -> Vec<String> {
    let drawing = Drawing { columns: size.columns.saturating_sub(1).clamp(10, MOST_COLUMNS), now, look, kind };
    let lines = size.lines.max(1);
    let mut shown = match model.runs.as_slice() {
        [run] => drawing.one(run, lines),
        runs => drawing.several(runs, lines),
    };
    if kind == Kind::Live {
        let foot = match model.interrupted {
            0 => format!("{FAINT}{}{FAINT:#}", visible::short(look.leaving, drawing.columns)),
            1 => drawing.styled(ASKS, "stopping: the agents are asked to end; Ctrl-C again ends them at once"),
            _ => drawing.styled(ASKS, "stopping: the agents are ended at once"),
        };
        if lines > shown.len() && (model.interrupted > 0 || lines > 8) {
            shown.push(foot);
        }
    }
    shown.truncate(lines);
    shown
}

#[derive(Clone, Copy)]
struct Drawing {
    columns: usize,
    now: Moment,
    look: Look,
    kind: Kind,
}

impl Drawing {
    fn one(&self, run: &RunModel, lines: usize) -> Vec<String> {
        let mut shown = Vec::new();
        if lines >= LINES_FOR_AIR {
            shown.push(String::new());
        }
        shown.push(self.head(run));
        if lines > 6 {
            let request = visible::short(&run.request, self.columns);
            shown.push(format!("{FAINT}{request}{FAINT:#}"));
        }
        let below = self.below(run);
        // One line stays for what Ctrl-C does.
        let room = lines.saturating_sub(shown.len() + below.len() + 1);
        let least = if self.kind == Kind::Last { Fold::DonePhases } else { Fold::Nothing };
        shown.extend(rows(run, room, least).iter().map(|row| self.row(run, row)));
        shown.extend(below);
        shown
    }

    fn several(&self, runs: &[RunModel], lines: usize) -> Vec<String> {
        let mut shown = Vec::new();
        let room = lines.saturating_sub(1);
        let is_over = |run: &&RunModel| matches!(run.standing, Standing::Done | Standing::Failed);
        let count = runs.iter().filter(is_over).count();
        // Those that are over make room for those that are not.
        let first = |run: &&RunModel| self.kind == Kind::Last || runs.len() < room || !is_over(run);
        let mut left = runs.len();
        for run in runs.iter().filter(first) {
            if shown.len() + 1 >= room {
                break;
            }
            shown.push(self.head(run));
            left -= 1;
            let works = run.works.values().take(room.saturating_sub(shown.len() + left + 1));
            shown.extend(works.map(|working| self.row(run, &Row::Work { working, depth: 0 })));
        }
        let more = if left > 0 { format!("; {left} not shown") } else { String::new() };
        shown.push(self.styled(PLACE, &format!("{count} of {} runs over{more}", runs.len())));
        shown
    }

    fn head(&self, run: &RunModel) -> String {
        let (style, word) = match run.standing {
            Standing::Working if run.works.is_empty() && !run.rests.is_empty() => (HINT, "resting"),
            Standing::Working => (HINT, "at work"),
            Standing::Waits => (ASKS, "waits for you"),
            Standing::Paused => (ASKS, "paused"),
            Standing::Done => (GOOD, "done"),
            Standing::Failed => (BAD, "failed"),
            Standing::Rests => (HINT, "stopped"),
        };
        let elapsed = duration(run.ended.unwrap_or(self.now).saturating_sub(run.began));
        let (done, planned) = run.tasks();
        let tasks = if planned > 0 { format!("{done}/{planned} tasks") } else { String::new() };
        let mut right: Vec<(Style, String)> = Vec::new();
        if self.columns >= COLUMNS_FOR_BAR && !matches!(run.standing, Standing::Failed) {
            right.extend(self.bar(run.progress()));
        }
        right.extend([(Style::new(), tasks), (Style::new(), elapsed)]);
        let name = (PLACE, visible::text(&run.run));
        let word = (style, word.to_string());
        let left = if self.columns < COLUMNS_FOR_WHO { [word, name] } else { [name, word] };
        self.line(&left, &right)
    }

    fn bar(&self, progress: f64) -> Vec<(Style, String)> {
        let (full, empty) = match self.look.signs {
            Signs::Unicode => ("━", "─"),
            Signs::Ascii => ("#", "."),
        };
        let filled = ((progress * BAR_COLUMNS as f64).round() as usize).min(BAR_COLUMNS);
        vec![(GOOD, format!("{}{GOOD:#}{FAINT}{}", full.repeat(filled), empty.repeat(BAR_COLUMNS - filled)))]
    }

    /// What stands below the tree: why it stopped, and what it waits for.
    fn below(&self, run: &RunModel) -> Vec<String> {
        let mut shown = Vec::new();
        if let (Some(in_all), Kind::Last) = (run.in_all(self.now), self.kind) {
            let here = duration(run.ended.unwrap_or(self.now).saturating_sub(run.began));
            let words = format!("{} since the run began, {here} of it in this process", duration(in_all));
            shown.push(self.styled(FAINT, &words));
        }
        if let Some(reason) = &run.reason {
            let style = if run.standing == Standing::Failed { BAD } else { ASKS };
            shown.push(self.styled(style, &visible::text(reason)));
        }
        if self.kind == Kind::Live {
            let rests = run.rests.values().take(3);
            shown.extend(rests.map(|rest| self.line(&[(HINT, self.resting()), (FAINT, visible::text(rest))], &[])));
            for waiting in run.waits.iter().filter(|waiting| waiting.kind != "paused").take(3) {
                let first = waiting.text.lines().next().unwrap_or_default();
                shown.push(self.line(&[(ASKS, "?".into()), (Style::new(), visible::text(first))], &[]));
            }
            if run.waits.iter().any(|waiting| waiting.kind == "question") && !run.works.is_empty() {
                shown.push(self.styled(FAINT, "  to be answered from any terminal: multiverse inbox"));
            }
        }
        shown
    }

    fn row(&self, run: &RunModel, row: &Row<'_>) -> String {
        match row {
            Row::Item { item, depth, open } => self.item(run, item, *depth, *open),
            Row::Work { working, depth } => {
                let left = [(HINT, self.turning()), (Style::new(), visible::text(&working.what))];
                self.indented(*depth, &left, &self.who(working))
            }
            Row::Line { text, depth } => self.indented(*depth, &[(FAINT, visible::text(text))], &[]),
            Row::Done { count, depth } => {
                self.indented(*depth, &[(GOOD, self.sign(State::Done)), (FAINT, format!("{count} done"))], &[])
            }
            Row::ToCome { count, depth } => {
                let words = match depth {
                    0 if !run.is_planned_whole() => format!("{count} phases to come"),
                    _ => format!("{count} more to come"),
                };
                self.indented(*depth, &[(FAINT, self.sign(State::Pending)), (FAINT, words)], &[])
            }
            Row::More { count } => self.indented(0, &[(FAINT, format!("and {count} more at work"))], &[]),
        }
    }

    fn item(&self, run: &RunModel, item: &Item, depth: usize, open: Open) -> String {
        let working = run.works.values().find(|working| working.item.as_deref() == Some(item.id.as_str()));
        let working = working.filter(|_| item.level != Level::Group);
        let is_begun = item.began.is_some() && self.kind == Kind::Live;
        let (style, sign) = match (item.state, working) {
            (State::Done, _) => (GOOD, self.sign(State::Done)),
            (State::Failed, _) => (BAD, self.sign(State::Failed)),
            (State::Pending, _) if asks(run, item) && self.kind == Kind::Live => (ASKS, "?".into()),
            (State::Pending, Some(_)) => (HINT, self.turning()),
            (State::Pending, None) if is_begun && item.level == Level::Group => (HINT, self.pointing()),
            (State::Pending, None) => (FAINT, self.sign(State::Pending)),
        };
        let name_style = match (item.state, item.level) {
            (State::Pending, _) if working.is_none() && !is_begun => FAINT,
            (_, Level::Group) if depth == 0 => PLACE,
            _ => Style::new(),
        };
        let id = if item.has_number { format!("{} ", visible::text(&item.id)) } else { String::new() };
        let left = [(style, sign), (name_style, format!("{id}{}", visible::text(&item.name)))];
        let right = match working {
            Some(working) => self.who(working),
            None => {
                let (done, planned) = run.tasks_below(&item.id);
                let counts = item.level == Level::Group && planned > 0 && (open == Open::Folded || depth == 0);
                let count = if counts { format!("{done}/{planned}") } else { String::new() };
                vec![(FAINT, count), (FAINT, format!("{:>6}", item.took.map(duration).unwrap_or_default()))]
            }
        };
        self.indented(depth, &left, &right)
    }

    /// Who is at work, and since when.
    fn who(&self, working: &Working) -> Vec<(Style, String)> {
        let role = visible::short(&working.role, self.columns / 4);
        let time = duration(self.now.saturating_sub(working.since));
        let again = if working.attempt > 1 { format!("attempt {}", working.attempt) } else { String::new() };
        if self.columns < COLUMNS_FOR_WHO {
            return vec![(HINT, format!("{time:>6}"))];
        }
        let agent = visible::short(&short_agent(&working.agent), self.columns / 4);
        let who = if agent == "the engine" { agent } else { format!("{role}: {agent}") };
        vec![(ASKS, again), (FAINT, who), (HINT, format!("{time:>6}"))]
    }

    fn sign(&self, state: State) -> String {
        match (state, self.look.signs) {
            (State::Done, Signs::Unicode) => "✓",
            (State::Failed, Signs::Unicode) => "✗",
            (State::Pending, Signs::Unicode) => "·",
            (State::Done, Signs::Ascii) => "+",
            (State::Failed, Signs::Ascii) => "x",
            (State::Pending, Signs::Ascii) => ".",
        }
        .into()
    }

    fn resting(&self) -> String {
        match self.look.signs {
            Signs::Unicode => "◦".into(),
            Signs::Ascii => "z".into(),
        }
    }

    fn pointing(&self) -> String {
        match self.look.signs {
            Signs::Unicode => "▸".into(),
            Signs::Ascii => ">".into(),
        }
    }

    fn turning(&self) -> String {
        // What is left behind does not move.
        if self.kind == Kind::Last {
            return self.pointing();
        }
        let frames: &[&str] = match self.look.signs {
            Signs::Unicode => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
            Signs::Ascii => &["|", "/", "-", "\\"],
        };
        frames[(self.now / TURN) as usize % frames.len()].into()
    }

    fn styled(&self, style: Style, text: &str) -> String {
        self.line(&[(style, text.into())], &[])
    }

    fn indented(&self, depth: usize, left: &[(Style, String)], right: &[(Style, String)]) -> String {
        let step = if self.columns < COLUMNS_FOR_WHO { 1 } else { 2 };
        let indent = " ".repeat((depth * step).min(self.columns / 3));
        let narrower = Self { columns: self.columns - indent.len(), ..*self };
        format!("{indent}{}", narrower.line(left, right))
    }

    /// Pieces on the left, the last cut to what room there is, and pieces on the right.
    fn line(&self, left: &[(Style, String)], right: &[(Style, String)]) -> String {
        let width = |text: &str| anstream::adapter::strip_str(text).to_string().width();
        let right: Vec<&(Style, String)> = right.iter().filter(|(_, text)| !text.is_empty()).collect();
        let mut used: usize = right.iter().map(|(_, text)| width(text) + 2).sum();
        let mut right = right;
        // However narrow it is, what it is about comes before the rest.
        while used > self.columns * 3 / 5 && right.len() > 1 {
            used -= width(&right.remove(0).1) + 2;
        }
        let mut room = self.columns.saturating_sub(used);
        let mut shown = String::new();
        for (index, (style, text)) in left.iter().enumerate() {
            let gap = usize::from(index > 0);
            if gap == 1 && room < 3 {
                break;
            }
            let text = visible::short(text, room.saturating_sub(gap).max(1));
            shown.push_str(&format!("{:gap$}{style}{text}{style:#}", ""));
            room = room.saturating_sub(text.width() + gap);
        }
        if right.is_empty() {
            return shown;
        }
        // What has no time yet leaves its place empty.
        let is_empty = |text: &str| text.trim().is_empty();
        if right.last().is_some_and(|(_, text)| is_empty(text)) {
            right.pop();
        }
        if right.iter().all(|(_, text)| is_empty(text)) {
            return shown;
        }
        shown.push_str(&" ".repeat(room));
        right.iter().for_each(|(style, text)| shown.push_str(&format!("  {style}{text}{style:#}")));
        shown.trim_end().to_string()
    }
}

/// Whether a person is to answer something about an item.
fn asks(run: &RunModel, item: &Item) -> bool {
    let is_about = |text: &str| text.strip_prefix(item.id.as_str()).is_some_and(|rest| rest.starts_with([' ', ':']));
    !item.id.is_empty() && run.waits.iter().any(|waiting| waiting.fence.is_some() && is_about(&waiting.text))
}

/// An agent as one knows it at a glance: of a command, the names of its files without their folders.
fn short_agent(agent: &str) -> String {
    let Some(command) = agent.strip_prefix("command:") else { return agent.into() };
    let name = |word: &str| word.trim_end_matches('/').rsplit('/').next().unwrap_or(word).to_string();
    command.split_whitespace().map(name).collect::<Vec<_>>().join(" ")
}

/// A time as people read it: `0.4s`, `12s`, `3:05`, `1:02:03`.
pub(crate) fn duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{}.{}s", seconds, milliseconds % 1000 / 100),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}
