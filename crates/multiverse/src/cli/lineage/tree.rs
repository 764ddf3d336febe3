//! A family tree in a terminal: what a file was made of and what was made of it, each with lines that lead to it.

use std::fmt::Write as _;

use engine::knowledge::{Direction, NodeId, Step};
use unicode_width::UnicodeWidthStr as _;

use super::super::output::{BAD, FRAME, HINT, PLACE};
use super::super::visible;
use super::selection::{Selection, Way};

/// The room for a line where no terminal breaks it, and the least that is used.
const USUAL_COLUMNS: usize = 120;
const LEAST_COLUMNS: usize = 30;

pub(super) fn rendered(selection: &Selection<'_>, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(USUAL_COLUMNS).max(LEAST_COLUMNS);
    let lineage = &selection.ancestry.lineage;
    let mut shown = String::new();
    let Some(file) = selection.file else {
        // All of it: from what was given to what came of it; and what stands in a ring, which begins nowhere.
        let is_first = |id: &NodeId| lineage.next(*id, Direction::Up).is_empty();
        let mut met = std::collections::BTreeSet::new();
        let rings = lineage.rings();
        let firsts = selection.nodes.iter().copied().filter(is_first).chain(rings.iter().map(|ring| ring[0]));
        for first in firsts {
            let steps = lineage.walk(first, Direction::Down);
            push(selection, &steps, columns, &mut met, &mut shown);
        }
        return shown;
    };
    let Some(newest) = lineage.newest(file) else { return shown };
    if selection.way != Way::Down {
        title(selection, newest, "made of", Direction::Up, &mut shown);
        push(selection, &lineage.walk(newest, Direction::Up), columns, &mut Default::default(), &mut shown);
    }
    if selection.way != Way::Up {
        title(selection, newest, "used for", Direction::Down, &mut shown);
        // What was made of any version was made of the file.
        let oldest = lineage.versions(file).first().copied().unwrap_or(newest);
        push(selection, &lineage.walk(oldest, Direction::Down), columns, &mut Default::default(), &mut shown);
    }
    shown
}

fn title(selection: &Selection<'_>, id: NodeId, words: &str, direction: Direction, shown: &mut String) {
    let lineage = &selection.ancestry.lineage;
    let is_empty =
        lineage.versions(&lineage.node(id).entry.path).iter().all(|id| lineage.next(*id, direction).is_empty());
    let words = match (is_empty, direction) {
        (false, _) => words,
        (true, Direction::Up) => "made of nothing else",
        (true, Direction::Down) => "not used yet",
    };
    let _ = writeln!(shown, "{HINT}{words}{HINT:#}");
}

/// The steps of a way as lines of a tree.
fn push(
    selection: &Selection<'_>,
    steps: &[Step],
    columns: usize,
    met: &mut std::collections::BTreeSet<NodeId>,
    shown: &mut String,
) {
    // At each depth: whether more follows there below what stands now.
    let mut follows: Vec<bool> = Vec::new();
    let more = more_follows(steps);
    let mut hidden_below: Option<usize> = None;
    for (at, step) in steps.iter().enumerate() {
        if hidden_below.is_some_and(|depth| step.depth > depth) {
            continue;
        }
        // What another tree has shown is not shown again with all that follows.
        let is_again = step.again || (step.depth > 0 && met.contains(&step.node) && leads_on(steps, at));
        hidden_below = is_again.then_some(step.depth);
        met.insert(step.node);
        follows.truncate(step.depth);
        follows.push(more[at]);
        line(selection, step, is_again, &follows, columns, shown);
    }
}

/// Of each step whether another one follows at its depth, below the same one: found from the end, in one go.
fn more_follows(steps: &[Step]) -> Vec<bool> {
    let mut more = vec![false; steps.len()];
    let mut met: Vec<bool> = Vec::new();
    for (at, step) in steps.iter().enumerate().rev() {
        met.resize(step.depth + 1, false);
        more[at] = std::mem::replace(&mut met[step.depth], true);
    }
    more
}

fn leads_on(steps: &[Step], at: usize) -> bool {
    steps.get(at + 1).is_some_and(|next| next.depth > steps[at].depth)
}

fn line(selection: &Selection<'_>, step: &Step, is_again: bool, follows: &[bool], columns: usize, shown: &mut String) {
    let (lead, below) = guides(step.depth, follows, columns);
    let room = columns.saturating_sub(lead.width()).max(12);
    let name = path_in(&selection.name(step.node), room);
    let what = selection.what(step.node);
    let mark = match (step.round, is_again) {
        (true, _) => "leads back here: a ring",
        (_, true) => "shown above",
        _ => "",
    };
    let beside: Vec<&str> = [what.as_str(), mark].into_iter().filter(|piece| !piece.is_empty()).collect();
    let beside = beside.join(", ");
    let _ = write!(shown, "{FRAME}{lead}{FRAME:#}{PLACE}{name}{PLACE:#}");
    if beside.is_empty() {
        shown.push('\n');
    } else if name.width() + beside.width() + 2 <= room {
        let _ = writeln!(shown, "  {HINT}{beside}{HINT:#}");
    } else {
        let beside = visible::short(&beside, room.saturating_sub(2));
        let _ = writeln!(shown, "\n{FRAME}{below}{FRAME:#}  {HINT}{beside}{HINT:#}");
    }
    for remark in selection.remarks(step.node) {
        for piece in visible::wrapped(&remark, room.saturating_sub(2).max(10)) {
            let _ = writeln!(shown, "{FRAME}{below}{FRAME:#}  {BAD}{piece}{BAD:#}");
        }
    }
}

/// The lines that lead to a file, and those that go on below it. Where they would take half of the room, a number says how
/// deep it is.
fn guides(depth: usize, follows: &[bool], columns: usize) -> (String, String) {
    if depth * 3 > columns / 2 {
        let lead = format!("[{depth}] ");
        return (lead.clone(), " ".repeat(lead.len()));
    }
    let above: String = (1..depth).map(|at| if follows.get(at) == Some(&true) { "│  " } else { "   " }).collect();
    match (depth, follows.get(depth) == Some(&true)) {
        (0, _) => (String::new(), String::new()),
        (_, true) => (format!("{above}├─ "), format!("{above}│  ")),
        (_, false) => (format!("{above}└─ "), format!("{above}   ")),
    }
}

/// A path that fits: its end says most.
fn path_in(path: &str, room: usize) -> String {
    if path.width() <= room {
        return path.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for letter in path.chars().rev() {
        used += unicode_width::UnicodeWidthChar::width(letter).unwrap_or(0);
        if used > room {
            break;
        }
        kept.push(letter);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}
