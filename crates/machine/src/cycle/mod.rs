//! The loop machine: one goal at a time, planned, acted on and judged until it is met (`cycle`).
//!
//! - `words`: who there is, what they say, how turns are signed; `route`: who is next
//! - `state`: a cycle as decisions see it; `turn`: one entry of its record; `digest`: what is left of old loops
//! - `fact`, `input`: what became true, what came from outside; `limits`
//! - `decide`: the table of inputs; `report`: how attempts end; `acted`: what an Actor did against what it may do;
//!   `answer`: what a person may say; `advance`: what goes on by itself
//! - `apply`: what a fact changes
//!
//! Beside the hierarchy machine, not on top of it: see ADR 22. Both share attempts with fences, drivers, refusals and
//! moments. Must not know how blocks are written, what git is, or how a check is run.

mod acted;
mod advance;
mod answer;
mod apply;
mod decide;
mod digest;
mod fact;
mod input;
mod limits;
mod report;
mod route;
mod state;
mod turn;
pub mod words;

pub use answer::{back_to, options, read_answer, valid_words};
pub use apply::apply;
pub use decide::{NOBODY_ANSWERED, decide, start};
pub use digest::{Digest, LoopLine};
pub use fact::Fact;
pub use input::{Decision, Deed, Effect, Findings, Goal, Input, Outcome, Plan, Said, Stated, Told, Verdict, World};
pub use limits::{Limits, Silence};
pub use route::{LEAST_CONFIDENCE, Reason, Route, Routed, Unroutable, route};
pub use state::{Asks, Attempt, Cycle, Ending, Gate, Ground, Place, Rest, Stage, Upfront, Work};
pub use turn::{Check, CheckEnd, Measured, Turn};
pub use words::{Lap, Party, Signature, Standing, Word};
