//! Who is next: the routing table of the protocol. It sees what a block says and nothing else, so that a record of
//! anybody's can be read with it. What it cannot route it does not guess.

use alloc::format;
use alloc::string::String;
use core::fmt;

use super::words::{Lap, Party, Signature, Standing, Word};

/// Below this a turn goes to the Human, whatever else it says.
pub const LEAST_CONFIDENCE: u8 = 5;

/// What of a block decides who is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Routed {
    /// Who speaks.
    pub party: Party,
    /// What it says.
    pub word: Word,
    /// How sure it is; nothing for a Human.
    pub confidence: Option<u8>,
    /// How far the whole goal is, where the Judge says so.
    pub standing: Option<Standing>,
    /// Where it stands.
    pub signature: Signature,
    /// Whom the block names. It counts for a Human, whom nobody stands above, and for a plan that wants approval.
    pub wish: Option<Party>,
}

/// Where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To an agent.
    To(Party),
    /// To the Human, and why.
    Human(Reason),
    /// Nowhere: the cycle is over.
    End,
}

impl Route {
    /// Who is next; nobody at the end.
    pub fn party(self) -> Option<Party> {
        match self {
            Self::To(party) => Some(party),
            Self::Human(_) => Some(Party::Human),
            Self::End => None,
        }
    }
}

/// Why the Human is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The agent is not sure enough.
    Unsure(u8),
    /// INSUFFICIENT so many times in a row. No block says so alone: it is counted.
    Streak(u32),
    /// The plan of the whole wants approval.
    Plan,
    /// The Planner has a question.
    Clarification,
    /// The goal is met.
    Sufficient,
    /// The closing steps did not end well.
    Closing,
    /// The merge wants approval.
    Merge,
    /// Deleting the branch wants approval.
    Delete,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsure(confidence) => write!(out, "confidence {confidence} is below {LEAST_CONFIDENCE}"),
            Self::Streak(count) => write!(out, "INSUFFICIENT {count} times in a row"),
            Self::Plan => out.write_str("the plan waits for approval"),
            Self::Clarification => out.write_str("the Planner has a question"),
            Self::Sufficient => out.write_str("the goal is met"),
            Self::Closing => out.write_str("the closing steps did not succeed"),
            Self::Merge => out.write_str("the merge waits for approval"),
            Self::Delete => out.write_str("deleting the branch waits for approval"),
        }
    }
}

/// Why a block cannot be routed: the Human is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unroutable {
    /// As a fragment.
    pub reason: String,
}

/// Who is next after a turn.
pub fn route(turn: &Routed) -> Result<Route, Unroutable> {
    use Word::*;
    let Routed { party, word, confidence, standing, signature, wish } = *turn;
    if word.party() != party {
        let reason = format!("{word} is said by the {}, not by the {party}", word.party());
        return Err(Unroutable { reason });
    }
    if party != Party::Human {
        match confidence {
            Some(0..LEAST_CONFIDENCE) => return Ok(Route::Human(Reason::Unsure(confidence.unwrap_or_default()))),
            Some(LEAST_CONFIDENCE..=10) => {}
            Some(other) => return Err(Unroutable { reason: format!("confidence {other} is not from 0 to 10") }),
            None => return Err(Unroutable { reason: format!("the {party} does not say how sure it is") }),
        }
    }
    let is_closing = signature.lap == Lap::Final;
    Ok(match (word, standing) {
        (Init, _) => Route::To(Party::Planner),
        // A Human may send a turn on to whom it was meant for; else the Planner takes the words in.
        (Approved | RevisionRequested | Answered, _) => match wish {
            Some(wish) if wish != Party::Human => Route::To(wish),
            _ => Route::To(Party::Planner),
        },
        (MergeApproved | DeleteApproved, _) => Route::To(Party::Actor),
        (Stopped, _) => Route::End,
        (ClarificationNeeded, _) => Route::Human(Reason::Clarification),
        // A plan of the whole, at the beginning or made again, names the Human.
        (PlanCreated, _) if signature.lap == Lap::Loop(0) || wish == Some(Party::Human) => Route::Human(Reason::Plan),
        (PlanCreated, _) => Route::To(Party::Actor),
        (Success, _) if is_closing && signature.step == 5 => Route::Human(Reason::Delete),
        (Success, _) if is_closing && signature.step == Signature::LAST_STEP => Route::End,
        (Success, _) => Route::To(Party::Judge),
        (Fail | Insufficient, _) if is_closing => Route::Human(Reason::Closing),
        (Fail | Insufficient, _) => Route::To(Party::Planner),
        (Pass, _) if is_closing => Route::Human(Reason::Merge),
        (Pass, Some(Standing::Sufficient)) => Route::Human(Reason::Sufficient),
        (Pass, Some(Standing::Progressing)) => Route::To(Party::Planner),
        (Pass, None) => {
            let reason = "PASS without the status of the superordinate goal leads nowhere";
            return Err(Unroutable { reason: reason.into() });
        }
    })
}
