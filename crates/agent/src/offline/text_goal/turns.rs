//! What a Planner, an Actor and a Judge say of such a goal, each from the files alone: the plan of a loop, the deed, the
//! findings. Every figure is counted, none is assumed. Must not know how a report is written.

use super::{Bounds, Change, Files, Gap, Goal, Measure, find, mend};

/// The most gaps that are named in a text; the others are counted.
const NAMED: usize = 8;

/// What a Planner says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Planned {
    /// What the next loop is to reach.
    Plan {
        /// One line of it.
        summary: String,
        /// Files to work at, each with its line.
        locations: Vec<String>,
        /// What to do.
        change: String,
        /// What to leave alone.
        avoid: String,
        /// By what it is known that the loop reached it.
        win_state: String,
        /// The gaps that the loop is to close, by subject.
        subjects: Vec<String>,
    },
    /// Nothing that a rule could mend is left, and the goal is not met: what to ask the Human.
    Ask(String),
    /// Nothing is left to do.
    Met(String),
}

/// What an Actor tells the Judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// One line of it.
    pub summary: String,
    /// Files, each with how many lines.
    pub where_to_look: String,
    /// What changed.
    pub what_changed: String,
    /// And why.
    pub why: String,
    /// What to look at again.
    pub testing_notes: String,
}

/// What a Judge found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// Whether what the loop was to reach is reached.
    pub passes: bool,
    /// Whether the whole goal is met.
    pub is_met: bool,
    /// One line of it.
    pub summary: String,
    /// How far the loop's own goal is.
    pub subordinate: String,
    /// What lies between the goal and what is.
    pub discrepancy: String,
    /// Where that comes from.
    pub main_source: String,
    /// What to do about it.
    pub recommended: String,
}

/// The plan of the next loop.
pub fn plan(goal: &Goal, files: &Files, bounds: &Bounds) -> Planned {
    let Change { edits, mended, left, stuck } = mend(goal, files, bounds);
    if mended.is_empty() {
        return match left.is_empty() && stuck.is_empty() {
            true => Planned::Met(format!("{}: nothing is missing", goal.in_words())),
            false if left.is_empty() => Planned::Ask(format!("no rule can mend these: {}", named(&stuck))),
            false => Planned::Ask(format!("these take more than one loop may change: {}", named(&left))),
        };
    }
    let paths: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
    Planned::Plan {
        summary: format!("{} of {} gaps to close", mended.len(), mended.len() + left.len() + stuck.len()),
        locations: mended.iter().map(|gap| format!("{}:{}", gap.path, gap.line)).collect(),
        change: named(&mended),
        avoid: format!("every file but {}", paths.join(", ")),
        win_state: format!("none of these is missing any more: {}", subjects(&mended).join(", ")),
        subjects: subjects(&mended),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What an Actor says of its change.
pub fn deed(goal: &Goal, change: &Change) -> Deed {
    let places: Vec<String> = change.edits.iter().map(|edit| format!("{} ({} lines)", edit.path, edit.lines)).collect();
    Deed {
        summary: format!("{} closed in {}", counted(change.mended.len(), "gap"), counted(change.edits.len(), "file")),
        where_to_look: places.join(", "),
        what_changed: named(&change.mended),
        why: format!("the goal: {}", goal.in_words()),
        testing_notes: match change.stuck.is_empty() {
            true => "the same rule that found the gaps finds them closed".to_owned(),
            false => format!("not mended, because no rule knows how: {}", named(&change.stuck)),
        },
    }
}

/// What a Judge finds, by looking at all files again. `subjects` are those that the plan named.
pub fn findings(goal: &Goal, files: &Files, subjects: &[String]) -> Findings {
    let Measure { subjects: looked_at, gaps } = find(goal, files);
    let open: Vec<Gap> = gaps.iter().filter(|gap| subjects.contains(&gap.subject)).cloned().collect();
    let stuck = gaps.iter().filter(|gap| gap.mend.is_none()).count();
    let (passes, is_met) = (open.is_empty(), gaps.is_empty());
    let of_plan = subjects.len();
    Findings {
        passes,
        is_met,
        summary: format!("{} of {looked_at} are as they should be", looked_at.saturating_sub(gaps.len())),
        subordinate: match passes {
            true => format!("all {of_plan} that the plan named are closed"),
            false => format!("{} of {of_plan} that the plan named are still open: {}", open.len(), named(&open)),
        },
        discrepancy: if is_met { String::new() } else { named(&gaps) },
        main_source: match (is_met, stuck) {
            (true, _) => String::new(),
            (false, 0) => "there is more to do than one loop may change".to_owned(),
            (false, stuck) => format!("for {stuck} of them no rule knows what is meant"),
        },
        recommended: match (is_met, gaps.len() - stuck) {
            (true, _) => String::new(),
            (false, 0) => "ask the Human what is meant".to_owned(),
            (false, able) => format!("close the {able} that a rule can mend"),
        },
    }
}

fn subjects(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(|gap| gap.subject.clone()).collect()
}

/// The first gaps by place and reason, and how many more there are.
fn named(gaps: &[Gap]) -> String {
    let first = gaps.iter().take(NAMED).map(|gap| format!("{}:{}: {}", gap.path, gap.line, gap.reason));
    let more = gaps.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("and {more} more"));
    first.chain(rest).collect::<Vec<_>>().join("; ")
}
