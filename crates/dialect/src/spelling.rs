//! How every status is spelled, and how people spell it. Must not know which moves are allowed.

use machine::{State, Status, Timing};
use syntax::markdown::cells;

/// The word for an item's state.
pub fn state_word(state: State) -> &'static str {
    match state {
        State::Pending => "PENDING",
        State::Completed => "COMPLETED",
        State::Failed => "FAILED",
    }
}

/// The word for a run's status.
pub fn status_word(status: Status) -> &'static str {
    match status {
        Status::Pending => "PENDING",
        Status::AwaitingConfirmation => "AWAITING_CONFIRMATION",
        Status::Completed => "COMPLETED",
        Status::Failed => "FAILED",
    }
}

/// The state that a cell stands for, in any case and with emphasis; an empty one has not begun.
pub fn read_state(value: &str) -> Option<State> {
    match plain(value).as_str() {
        "" | "PENDING" => Some(State::Pending),
        "COMPLETED" => Some(State::Completed),
        "FAILED" => Some(State::Failed),
        _ => None,
    }
}

/// The status of a run that a cell stands for, in any case and with emphasis.
pub fn read_status(value: &str) -> Option<Status> {
    match plain(value).as_str() {
        "PENDING" => Some(Status::Pending),
        "AWAITING_CONFIRMATION" => Some(Status::AwaitingConfirmation),
        "COMPLETED" => Some(Status::Completed),
        "FAILED" => Some(Status::Failed),
        _ => None,
    }
}

pub(crate) fn timing_word(timing: Timing) -> &'static str {
    match timing {
        Timing::Pre => "PRE",
        Timing::Post => "POST",
    }
}

pub(crate) fn read_timing(value: &str) -> Option<Timing> {
    match plain(value).as_str() {
        "PRE" => Some(Timing::Pre),
        "POST" => Some(Timing::Post),
        _ => None,
    }
}

/// Whether an instruction's status cell says that it holds.
pub(crate) fn is_active(value: &str) -> bool {
    plain(value) == "ACTIVE"
}

/// Whether an instruction's status cell says whether it holds.
pub(crate) fn is_known_hold(value: &str) -> bool {
    matches!(plain(value).as_str(), "ACTIVE" | "SUPERSEDED")
}

/// Ids in a cell: `T05, T06`.
pub(crate) fn read_ids(value: &str) -> Vec<String> {
    value.split([',', '\n', ' ']).map(bare).filter(|id| !matches!(*id, "" | "-" | "–")).map(str::to_owned).collect()
}

/// An id or a path as it is meant: without the emphasis or backticks that people put around it.
pub(crate) fn bare(value: &str) -> &str {
    // Nearly all are, and that is seen at a glance: a step asks for dozens.
    if let [first, .., last] = value.as_bytes()
        && first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
    {
        return value;
    }
    let mut value = value.trim();
    for mark in ["**", "*", "`"] {
        let inner = value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        value = inner.filter(|inner| !inner.trim().is_empty()).unwrap_or(value).trim();
    }
    value
}

fn plain(value: &str) -> String {
    cells::status_word(value).replace([' ', '-'], "_").to_uppercase()
}
