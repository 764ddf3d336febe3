//! What the engine says as it works: plain lines on stderr for a person, objects on stdout for a program, at once. Owns
//! the words; knows no command. All that agents say is made visible first (QL-34).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstream::{AutoStream, ColorChoice};
use engine::{Listener, Notice};
use serde_json::{Map, Value, json};

use super::output::{BAD, FRAME, Form, GOOD, HINT, Loudness, Output, counted};
use super::visible;
use super::{ask, live, notices, prose};

/// Of a name in a line, at most so many columns are shown.
const NAME_COLUMNS: usize = 60;
/// Of what an agent says on the way, at most so many columns are shown.
const LINE_COLUMNS: usize = 160;

/// However narrow or wide the terminal is, a message has so many columns.
const LEAST_COLUMNS: usize = 20;
const MOST_COLUMNS: usize = 100;
/// The section of a proposal that lists the commands.
const HOW_TO_ANSWER: &str = "How to answer";

/// What is shown of the engine's notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// All of them.
    All,
    /// Only what is odd: the command says itself what it did.
    Oddities,
}

/// Where the engine's notices go.
pub(crate) struct Progress {
    form: Form,
    loudness: Loudness,
    color: ColorChoice,
    /// How wide a line may be, if a terminal shows it.
    columns: Option<usize>,
    shown: Shown,
    /// A view shows how runs go.
    has_view: bool,
    /// Several runs are at work, so each line says which it is about.
    is_named: AtomicBool,
    /// What the attempts are about, and the runs whose proposal was shown.
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    works: BTreeMap<(String, u64), String>,
    proposals: BTreeSet<String>,
}

/// A line for people: how loud one must have asked for it, and it, styles included.
type Line = (Loudness, String);

impl Progress {
    /// What waits in `output` must have been written: these lines do not go through it.
    pub(crate) fn new(output: &Output, shown: Shown) -> Arc<Self> {
        Arc::new(Self {
            form: output.form(),
            loudness: output.loudness(),
            color: output.talk_color(),
            columns: output.talk_columns(),
            shown,
            has_view: shown == Shown::All && live::is_possible(output),
            is_named: AtomicBool::new(false),
            heard: Mutex::default(),
        })
    }

    /// Who listens to the engine.
    pub(crate) fn listener(self: &Arc<Self>) -> Listener {
        let this = self.clone();
        Arc::new(move |notice| this.hear(&notice))
    }

    /// From here on each line says which run it is about.
    pub(crate) fn name_runs(&self) {
        self.is_named.store(true, Ordering::Relaxed);
    }

    /// Whether the run's proposal was shown; it counts as shown from here on.
    pub(crate) fn show_proposal_once(&self, run: &str) -> bool {
        self.heard().proposals.insert(run.into())
    }

    /// A message as it is shown.
    pub(crate) fn message(&self, kind: &str, text: &str) -> String {
        message(kind, text, self.columns)
    }

    /// Whether a person is asked here for what agents want to know.
    fn will_ask(&self) -> bool {
        self.form == Form::Text
            && self.shown == Shown::All
            && !self.is_named.load(Ordering::Relaxed)
            && ask::is_possible()
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, notice: &Notice) {
        let is_odd = matches!(notice, Notice::Problem { .. });
        match notice {
            Notice::Store(notice) => return notices::tell(self.form, self.loudness, notice),
            _ if self.shown == Shown::Oddities && !is_odd => return,
            Notice::Assigned { run, fence, what, .. } => {
                drop(self.heard().works.insert((run.clone(), *fence), what.clone()));
            }
            Notice::Message { run, kind: "proposal", .. } => drop(self.heard().proposals.insert(run.clone())),
            // Whoever can be asked is shown the question then.
            Notice::Message { kind: "question", .. } if self.will_ask() => return,
            _ => {}
        }
        // What happens just before the view is shown is to be seen in it.
        let is_in_view = (live::hear(notice) || self.has_view) && !stays_above(notice);
        let work = |run: &str, fence: u64| self.heard().works.get(&(run.to_string(), fence)).cloned();
        let line = line_of(notice, self.columns, &work).filter(|_| !is_in_view);
        match (self.form, line) {
            (Form::Json, line) => tell_program(notice, line),
            (Form::Text, Some((least, text))) if self.loudness >= least => self.tell_person(notice, &text),
            (Form::Text, _) => {}
        }
    }

    fn tell_person(&self, notice: &Notice, text: &str) {
        let run = match run_of(notice) {
            Some(run) if self.is_named.load(Ordering::Relaxed) => format!("{FRAME}{}{FRAME:#}  ", visible::text(run)),
            _ => String::new(),
        };
        let text = format!("{run}{text}");
        if !live::say(&text) {
            let mut stream = AutoStream::new(std::io::stderr(), self.color);
            // One call for a line: others may be writing, too.
            let _ = stream.write_all(format!("{text}\n").as_bytes());
        }
    }
}

/// One object: what kind of notice it is, it in words, and its fields.
fn tell_program(notice: &Notice, line: Option<Line>) {
    let Ok(Value::Object(fields)) = serde_json::to_value(notice) else { return };
    let mut told = Map::new();
    told.insert("kind".into(), fields.get("notice").cloned().unwrap_or_default());
    if let Some((_, text)) = line {
        told.insert("message".into(), json!(anstream::adapter::strip_str(&text).to_string()));
    }
    // A message has a kind of its own.
    let named = |(name, value): (String, Value)| (if name == "kind" { "about".into() } else { name }, value);
    told.extend(fields.into_iter().filter(|(name, _)| name != "notice").map(named));
    let text = json!({"notice": told}).to_string();
    let _ = std::io::stdout().lock().write_all(format!("{}\n", visible::json(&text)).as_bytes());
}

/// What a notice is to a person; nothing where something else says it.
fn line_of(notice: &Notice, columns: Option<usize>, work_of: &dyn Fn(&str, u64) -> Option<String>) -> Option<Line> {
    use Loudness::{Normal, Quiet, Verbose};
    let name = |text: &str| visible::short(text, NAME_COLUMNS);
    Some(match notice {
        Notice::Assigned { what, attempt, agent, .. } => {
            // Who answers at once is heard of soon enough.
            let is_slow = agent.starts_with("command:") || agent == "a person";
            let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            (if is_slow { Normal } else { Verbose }, format!("{} … {}{again}", name(what), name(agent)))
        }
        Notice::Progress { run, fence, line } => {
            let work = work_of(run, *fence).unwrap_or_default();
            let id = work.split(' ').next().unwrap_or_default();
            (Verbose, format!("  {} {}", visible::text(id), visible::short(line, LINE_COLUMNS)))
        }
        Notice::SentBack { what, problems, .. } => {
            let mut text = format!("{} {HINT}sent back{HINT:#}", name(what));
            for problem in problems {
                text.push_str(&format!("\n  {}", visible::short(problem, LINE_COLUMNS)));
            }
            (Normal, text)
        }
        Notice::Lost { what, reason, .. } => (
            if is_wanted(reason) { Verbose } else { Normal },
            format!("{} {HINT}lost{HINT:#}: {}", name(what), name(reason)),
        ),
        Notice::Resting { what, until, reason, .. } => {
            let until = engine::clock(until);
            let text =
                format!("{} {HINT}resting{HINT:#} until {until}: {}", name(what), visible::short(reason, LINE_COLUMNS));
            (Normal, text)
        }
        Notice::Woke { .. } => (Verbose, "goes on after its rest".into()),
        Notice::Planned { target, items, .. } => (Normal, planned(target, *items)),
        Notice::Completed { item, level, name, files, .. } => (Normal, completed(item, level, name, files.len())),
        Notice::Catalogued { files, gone, .. } => {
            (Normal, format!("inputs catalogued: {files} new or changed, {gone} gone"))
        }
        Notice::Answered { verdict, by, .. } => (Normal, format!("answered {verdict} ({})", name(by))),
        Notice::Paused { reason, .. } => {
            (Normal, format!("{HINT}paused{HINT:#}: {}", visible::short(reason, LINE_COLUMNS)))
        }
        Notice::Resumed { .. } => (Normal, "goes on".into()),
        Notice::Moved { step, outcome, message, .. } => {
            (Normal, format!("{} {HINT}{outcome}{HINT:#}: {}", name(step), visible::short(message, LINE_COLUMNS)))
        }
        Notice::Message { kind, text, .. } => (Normal, message(kind, text, columns)),
        Notice::Problem { path, reason, .. } => {
            let place = path.as_ref().map_or_else(String::new, |path| format!("{}: ", visible::text(path)));
            // Without a number the command goes back to what the program wrote last, which is what is meant here.
            let reason = reason.replace(" --at N`", "`");
            (Quiet, format!("{HINT}note{HINT:#}: {place}{}", visible::text(&reason)))
        }
        Notice::Failed { doing, error, .. } => {
            let first = error.lines().next().unwrap_or_default();
            let place = if doing.is_empty() { String::new() } else { format!(" at {}", name(doing)) };
            (Verbose, format!("{BAD}failed{BAD:#}{place}: {}", visible::short(first, LINE_COLUMNS)))
        }
        // The command itself says how a run began and how it ended; messages say what is asked.
        Notice::Started { .. }
        | Notice::Began { .. }
        | Notice::Finished { .. }
        | Notice::Proposed { .. }
        | Notice::Worked { .. }
        | Notice::Asked { .. }
        | Notice::Told { .. }
        | Notice::Store(_) => return None,
    })
}

/// An item that is done, as deep as it stands.
fn completed(item: &str, level: &str, name: &str, files: usize) -> String {
    let name = if name.is_empty() { String::new() } else { format!(" {}", visible::short(name, NAME_COLUMNS)) };
    let left = match files {
        0 => String::new(),
        count => format!(" ({})", counted(count, "file")),
    };
    let indent = match level {
        "phase" => "",
        "stage" => "  ",
        "task" => "    ",
        "step" => "  ",
        _ => "      ",
    };
    format!("{indent}{}{name} … {GOOD}done{GOOD:#}{left}", visible::text(item))
}

/// What the user is told, in a frame of its own.
fn message(kind: &str, text: &str, columns: Option<usize>) -> String {
    let style = match kind {
        "failure" => BAD,
        "completion" => GOOD,
        _ => FRAME,
    };
    let text = &match kind {
        "proposal" => prose::shortened(text, &most_lines, &whole_proposal(text)),
        _ => text.to_string(),
    };
    // Where no terminal shows it, it is left as it was written.
    let Some(columns) = columns else {
        let lines: Vec<String> = text.trim().lines().map(visible::text).collect();
        return prose::barred(&lines, style);
    };
    let room = columns.saturating_sub(3).clamp(LEAST_COLUMNS, MOST_COLUMNS);
    // Whoever is asked for a key needs no commands.
    let text = match kind {
        "proposal" if ask::is_possible() => prose::compact(&prose::without_section(text, HOW_TO_ANSWER)),
        "proposal" => prose::compact(text),
        _ => text.into(),
    };
    prose::barred(&prose::shown(&text, room), style)
}

/// How many lines of a section of a proposal are shown: whoever asked knows the request.
fn most_lines(heading: &str) -> usize {
    match heading {
        "Your request" => 4,
        "Introduction" => 16,
        _ => 40,
    }
}

/// Where the whole of a proposal stands, by its title.
fn whole_proposal(text: &str) -> String {
    let run = text.trim_start().lines().next().and_then(|title| title.strip_prefix("# Proposal for ")).unwrap_or("…");
    format!("runs/{}/feedback_for_user.md", run.trim())
}

/// Whether a notice is worth a line of its own beside the view.
fn stays_above(notice: &Notice) -> bool {
    match notice {
        Notice::Lost { reason, .. } => !is_wanted(reason),
        Notice::SentBack { .. }
        | Notice::Resting { .. }
        | Notice::Answered { .. }
        | Notice::Moved { .. }
        | Notice::Message { .. }
        | Notice::Problem { .. }
        | Notice::Store(_) => true,
        _ => false,
    }
}

/// Whether an attempt was lost because somebody wanted it to end; then that is said in other words.
fn is_wanted(reason: &str) -> bool {
    ["the process let go", "the run was cancelled", "the run failed"].contains(&reason)
}

/// `phase:P01` is spelled for programs.
fn planned(target: &str, items: usize) -> String {
    let (kind, id) = target.split_once(':').unwrap_or((target, ""));
    let id = visible::text(id);
    match (kind, id.as_str()) {
        ("run", _) => format!("{} planned", counted(items, "phase")),
        ("phase", "0") => format!("preparation planned ({})", counted(items, "task")),
        ("phase", _) => format!("{id} planned ({})", counted(items, "stage")),
        // A stage of `lineage` holds sub-stages, which its id tells.
        ("stage", _) if target.contains("_stg-") => format!("  {id} planned ({})", counted(items, "sub-stage")),
        ("stage", _) => format!("  {id} planned ({})", counted(items, "task")),
        ("sub_stage", _) => format!("    {id} planned ({})", counted(items, "task")),
        ("pre_tool", _) => format!("    {id} planned ({} before it)", counted(items, "tool task")),
        ("post_tool", _) => format!("    {id} planned ({} after it)", counted(items, "tool task")),
        _ => format!("{} planned ({})", visible::text(target), counted(items, "item")),
    }
}

pub(crate) fn run_of(notice: &Notice) -> Option<&str> {
    match notice {
        Notice::Started { run, .. }
        | Notice::Began { run, .. }
        | Notice::Moved { run, .. }
        | Notice::Assigned { run, .. }
        | Notice::Progress { run, .. }
        | Notice::SentBack { run, .. }
        | Notice::Lost { run, .. }
        | Notice::Resting { run, .. }
        | Notice::Woke { run, .. }
        | Notice::Planned { run, .. }
        | Notice::Proposed { run, .. }
        | Notice::Worked { run, .. }
        | Notice::Asked { run, .. }
        | Notice::Told { run, .. }
        | Notice::Completed { run, .. }
        | Notice::Catalogued { run, .. }
        | Notice::Answered { run, .. }
        | Notice::Paused { run, .. }
        | Notice::Resumed { run }
        | Notice::Failed { run, .. }
        | Notice::Finished { run }
        | Notice::Message { run, .. } => Some(run),
        Notice::Problem { run, .. } => run.as_deref(),
        Notice::Store(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(notice: &Notice) -> Option<String> {
        let work = |_: &str, _: u64| Some("T05 read the sales".to_string());
        line_of(notice, Some(40), &work).map(|(_, text)| anstream::adapter::strip_str(&text).to_string())
    }

    /// QL-34: nothing that an agent says reaches the terminal raw.
    #[test]
    fn notices_are_short_lines() {
        let run = || "run-1".to_string();
        let check = |notice: Notice, expected: &str| assert_eq!(shown(&notice).as_deref(), Some(expected));
        let completed = |level, item: &str, files: &[&str]| Notice::Completed {
            run: run(),
            item: item.into(),
            level,
            name: "read\u{1b}[2J the\nsales".into(),
            files: files.iter().map(|file| (*file).into()).collect(),
        };
        check(completed("task", "T05", &["a", "b"]), "    T05 read␛[2J the sales … done (2 files)");
        check(completed("phase", "P01", &[]), "P01 read␛[2J the sales … done");
        check(Notice::Progress { run: run(), fence: 3, line: "half \u{9b}way".into() }, "  T05 half \\u{9b}way");
        let problems = vec!["row 1: output_path: is missing".into()];
        check(
            Notice::SentBack { run: run(), fence: 3, what: "stage plan of P01".into(), problems },
            "stage plan of P01 sent back\n  row 1: output_path: is missing",
        );
        let planned =
            |target: &str| Notice::Planned { run: run(), fence: 0, target: target.into(), items: 1, rows: Vec::new() };
        check(planned("phase:0"), "preparation planned (1 task)");
        check(planned("phase:P01"), "P01 planned (1 stage)");
        check(planned("stage:ph-1_stg-2"), "  ph-1_stg-2 planned (1 sub-stage)");
        check(planned("sub_stage:ph-1_stg-2_sub-01"), "    ph-1_stg-2_sub-01 planned (1 task)");
        check(planned("pre_tool:T05"), "    T05 planned (1 tool task before it)");
        check(
            Notice::Message { run: run(), kind: "failure", text: "# Failed\n\n\u{1b}]0;x\u{7}\n".into() },
            "│ Failed\n│\n│ ␛]0;x␇",
        );
    }
}
