//! What a run learns from: past runs that are like it, chosen outside and handed in. They are a fact of the run from its
//! beginning, so that a replay, a resumption and an agent's second attempt see the same.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::apply::Board;
use crate::decide::Step;
use crate::fact::Fact;
use crate::run::{Mode, Status};

/// A run that is over and is like this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastRun {
    /// Its id.
    pub run_id: String,
    /// How alike its request is, in thousandths.
    pub score: u16,
    /// How it ended.
    pub status: Status,
    /// The words that both requests have, those that say most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// The beginning of its request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// The beginning of the original error, if it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// What it left that is most worth reading, the deliverables first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl Step<'_> {
    /// Takes the past runs that fit the request now; a first run has none to learn from (MV-05).
    pub(crate) fn learn(&mut self, known: &[PastRun]) {
        if self.view.head().mode == Mode::ContinuousRun && known != self.world.past {
            self.fact(Fact::Learned { past: self.world.past.to_vec() });
        }
    }
}
