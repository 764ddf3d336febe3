//! What a fact changes. It decides nothing, refuses nothing and never panics: what makes no sense is ignored, so that a
//! replay of any journal ends in a state.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use super::digest::{Digest, RECENT_LOOPS};
use super::fact::Fact;
use super::input::Stated;
use super::state::{CHECKPOINTS, Cycle, Place, Tries, Upfront, Work};
use super::turn::Turn;
use super::words::{Lap, Party, Word, field};
use crate::run::Cast;

/// The most turns that are kept in full, whatever the limits say.
const RECENT_TURNS: usize = 64;

/// The most that is kept of what went wrong, in bytes.
const TROUBLE_BYTES: usize = 4096;

/// Takes a fact into a cycle. Nothing but `Started` makes one, and nothing changes one that is over.
pub fn apply(cycle: &mut Option<Cycle>, run_id: &str, fact: &Fact) {
    match (cycle.as_mut(), fact) {
        (None, Fact::Started { .. }) => *cycle = begin(run_id, fact),
        (None, _) | (Some(_), Fact::Started { .. }) => {}
        (Some(cycle), _) if matches!(cycle.place, Place::Over(_)) => {}
        (Some(cycle), fact) => take(cycle, fact),
    }
}

/// The table of facts; the cycle is not over.
// tidy: transition table
pub(super) fn take(cycle: &mut Cycle, fact: &Fact) {
    if let Some(fence) = fact.ended()
        && cycle.attempt.as_ref().is_some_and(|attempt| attempt.fence == fence)
    {
        cycle.attempt = None;
    }
    match fact {
        Fact::Started { .. } => {}
        Fact::Driven { by, cast } => {
            cycle.driver.clone_from(by);
            if by.is_some() {
                cycle.cast.clone_from(cast);
            }
        }
        Fact::Assigned(attempt) => {
            cycle.fence = cycle.fence.max(attempt.fence);
            cycle.tries.attempts = cycle.tries.attempts.saturating_add(1);
            cycle.attempt = Some(attempt.clone());
        }
        Fact::SentBack { problems, .. } => {
            cycle.trouble = bounded(&problems.join("\n"));
            cycle.tries.sent_back = cycle.tries.sent_back.saturating_add(1);
            cycle.tries.problems.clone_from(problems);
        }
        Fact::Lost { .. } => cycle.tries.lost = cycle.tries.lost.saturating_add(1),
        Fact::Faltered { error, .. } => {
            cycle.trouble = bounded(error);
            cycle.tries.failed = cycle.tries.failed.saturating_add(1);
        }
        Fact::Rested { rest, .. } => {
            cycle.tries.rests = cycle.tries.rests.saturating_add(1);
            cycle.rest = Some(rest.clone());
        }
        Fact::Woke => cycle.rest = None,
        Fact::Checkpointed { branch, base, commit, .. } => {
            cycle.branch.clone_from(branch);
            // Where it goes back to is where it came from, whatever somebody works on meanwhile.
            if cycle.base.is_empty() {
                cycle.base.clone_from(base);
            }
            cycle.back.clear();
            cycle.checkpoints.push_back((cycle.loop_number, commit.clone()));
            while cycle.checkpoints.len() > CHECKPOINTS {
                cycle.checkpoints.pop_front();
            }
        }
        Fact::Changed { measured } => {
            cycle.measured = Some(measured.clone());
            cycle.checks = None;
        }
        Fact::Checked { commit, checks, .. } => cycle.checks = Some((commit.clone(), checks.clone())),
        Fact::Turned { turn, avoid, .. } => turned(cycle, turn, avoid),
        Fact::Looped { number } => {
            cycle.loop_number = *number;
            forget(cycle);
        }
        Fact::Moved { to } => {
            if matches!(to, Place::Gate(_)) {
                cycle.gates = cycle.gates.saturating_add(1);
            }
            cycle.place = to.clone();
            cycle.tries = Tries::default();
            cycle.rest = None;
        }
        Fact::Agreed => {
            cycle.upfront = Upfront::Agreed;
            let plan = cycle.recent.iter().rev().find(|turn| turn.word == Word::PlanCreated);
            cycle.outline = plan.and_then(|plan| plan.field(field::CHANGE)).unwrap_or_default().into();
        }
        // The head of the record stays as it was written.
        Fact::GoalChanged { goal } => {
            let before = core::mem::replace(&mut cycle.goal, goal.clone());
            cycle.headed.get_or_insert(before);
        }
        Fact::Restated(stated) => {
            let Stated { goal, current_state, context_docs } = stated.clone();
            (cycle.goal, cycle.current_state, cycle.context_docs) = (goal, current_state, context_docs);
            cycle.headed = None;
        }
        Fact::Allowed { loops, seconds } => (cycle.loops_allowed, cycle.seconds_allowed) = (*loops, *seconds),
        Fact::Offered { number, .. } => cycle.pull_request = *number,
        // What was changed and checked is not what stands there any more.
        Fact::WentBack { commit, .. } => {
            cycle.back.clone_from(commit);
            (cycle.measured, cycle.checks) = (None, None);
        }
        Fact::Merged { .. } | Fact::Conflicted { .. } => {}
        Fact::Deleted { .. } => cycle.branch.clear(),
        Fact::Archived { path, .. } => cycle.archive.clone_from(path),
        Fact::Paused { reason } => cycle.paused = Some(reason.clone()),
        Fact::Resumed => {
            cycle.paused = None;
            // Whoever goes on has mended what stood in the way.
            cycle.tries = Tries { attempts: cycle.tries.attempts, ..Tries::default() };
        }
    }
}

fn begin(run_id: &str, fact: &Fact) -> Option<Cycle> {
    let Fact::Started {
        cycle_id,
        goal_number,
        goal,
        current_state,
        context_docs,
        ground,
        upfront,
        loops,
        seconds,
        at,
        definition,
    } = fact
    else {
        return None;
    };
    Some(Cycle {
        id: run_id.into(),
        cycle_id: cycle_id.clone(),
        goal_number: *goal_number,
        goal: goal.clone(),
        headed: None,
        current_state: current_state.clone(),
        context_docs: context_docs.clone(),
        ground: *ground,
        upfront: *upfront,
        since: at.clone(),
        definition: definition.clone(),
        place: Place::Due(Work::Checkpoint),
        loop_number: 0,
        loops_allowed: *loops,
        seconds_allowed: *seconds,
        insufficient: 0,
        driver: None,
        cast: Cast::default(),
        paused: None,
        attempt: None,
        fence: 0,
        gates: 0,
        tries: Tries::default(),
        rest: None,
        words: Vec::new(),
        recent: VecDeque::new(),
        digest: Digest::default(),
        outline: String::new(),
        avoid: Vec::new(),
        branch: String::new(),
        base: String::new(),
        checkpoints: VecDeque::new(),
        back: String::new(),
        measured: None,
        checks: None,
        pull_request: None,
        trouble: String::new(),
        archive: String::new(),
    })
}

fn turned(cycle: &mut Cycle, turn: &Turn, avoid: &[String]) {
    match (turn.party, turn.word) {
        (Party::Human, word) => {
            cycle.insufficient = 0;
            if word != Word::Init && !turn.response.is_empty() {
                cycle.words.push(turn.response.clone());
            }
        }
        (Party::Planner, _) => {
            cycle.words.clear();
            cycle.avoid = avoid.to_vec();
        }
        (Party::Judge, Word::Insufficient) => cycle.insufficient = cycle.insufficient.saturating_add(1),
        (Party::Judge, _) => cycle.insufficient = 0,
        (Party::Actor, _) => {}
    }
    cycle.trouble.clear();
    // The long words stand in the journal and in the record; a brief has the fields.
    let response = if turn.party == Party::Human { turn.response.clone() } else { String::new() };
    cycle.recent.push_back(Turn { response, ..turn.clone() });
    while cycle.recent.len() > RECENT_TURNS {
        cycle.recent.pop_front();
    }
}

/// Words of so many bytes at most, cut between characters.
fn bounded(text: &str) -> String {
    let end = (0..=TROUBLE_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default().into()
}

/// Loops that are no longer among the newest go into the digest.
fn forget(cycle: &mut Cycle) {
    let newest = cycle.loop_number;
    let is_old = |recent: &VecDeque<Turn>| match recent.front()?.signature.lap {
        lap @ Lap::Loop(number) => (number.saturating_add(RECENT_LOOPS) < newest).then_some(lap),
        // Closing steps that led back to loops are as old as the loop behind them.
        lap @ Lap::Final => recent.iter().any(|turn| turn.signature.lap != lap).then_some(lap),
    };
    while let Some(lap) = is_old(&cycle.recent) {
        let count = cycle.recent.iter().take_while(|turn| turn.signature.lap == lap).count();
        let turns: Vec<Turn> = cycle.recent.drain(..count).collect();
        cycle.digest.take(&turns.iter().collect::<Vec<_>>());
    }
}
