//! What is left of old loops: a line for each of the newer ones, a count for the rest (CY-11). However long a cycle
//! grows, its digest does not.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::turn::Turn;
use super::words::{Lap, Party, Word};

/// The loops before the one under way whose turns are kept in mind: for views, and to see what was edited in the record.
/// Agents are told the last of them in full.
pub(super) const RECENT_LOOPS: u32 = 2;
/// The older loops that have a line of their own: with the last one they are as many as, INSUFFICIENT in a row, pause a cycle.
const LINES: usize = 4;
/// The longest text of such a line, in bytes: all of them are a small part of one loop in full.
const LINE_BYTES: usize = 100;

/// The old loops of a cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// How many loops are only counted.
    #[serde(default)]
    pub counted: u32,
    /// Of those, how many passed,
    #[serde(default)]
    pub passed: u32,
    /// were insufficient,
    #[serde(default)]
    pub insufficient: u32,
    /// or failed.
    #[serde(default)]
    pub failed: u32,
    /// The lines of the newer ones, the oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub lines: VecDeque<LoopLine>,
}

/// One loop in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopLine {
    /// Its number.
    pub number: u32,
    /// How it ended.
    pub word: Word,
    /// What was tried, and what came of it.
    pub text: String,
}

impl Digest {
    /// Takes in a loop that is over, by its turns. The oldest line gives way when there are too many.
    pub fn take(&mut self, turns: &[&Turn]) {
        let Some(last) = turns.last() else { return };
        // The beginning is told with the goal.
        let Lap::Loop(number @ 1..) = last.signature.lap else { return };
        // What the Human said last is in the Planner's context anyway; a loop is known by what its agents did.
        let end = turns.iter().rev().find(|turn| turn.party != Party::Human).unwrap_or(last);
        let plan = turns.iter().find(|turn| turn.word == Word::PlanCreated).map(|turn| turn.summary.as_str());
        let text = match plan.filter(|plan| *plan != end.summary) {
            Some(plan) => format!("{}; {}", half(plan), half(&end.summary)),
            None => cut(&end.summary, LINE_BYTES).into(),
        };
        self.lines.push_back(LoopLine { number, word: end.word, text: cut(&text, LINE_BYTES).into() });
        while self.lines.len() > LINES {
            let Some(line) = self.lines.pop_front() else { return };
            self.counted = self.counted.saturating_add(1);
            let count = match line.word {
                Word::Pass => &mut self.passed,
                Word::Insufficient => &mut self.insufficient,
                Word::Fail => &mut self.failed,
                _ => continue,
            };
            *count = count.saturating_add(1);
        }
    }

    /// As agents are told it: one line for all that is only counted, one for each of the others.
    pub fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        if self.counted > 0 {
            told.push(format!(
                "{} earlier loops: {} PASS, {} INSUFFICIENT, {} FAIL",
                self.counted, self.passed, self.insufficient, self.failed
            ));
        }
        told.extend(self.lines.iter().map(|line| format!("loop {}: {}: {}", line.number, line.word, line.text)));
        told
    }
}

/// Text of at most so many bytes, on one line, cut between characters.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    let text = text.trim().split(['\n', '\r']).next().unwrap_or_default();
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

fn half(text: &str) -> String {
    cut(text, LINE_BYTES / 2 - 1).to_string()
}
