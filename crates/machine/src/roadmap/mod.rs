//! The pool machine: one roadmap, and any number of executors in any number of processes that take items from it.
//!
//! - `words`: states, results, parts, works; `item`, `changes`: what a roadmap consists of, and what a plan wants changed
//! - `state`: a session as decisions see it; `pool`: its items, with what follows from them; `claims`: files in use
//! - `tree`, `label`: a map whose versions share what they have in common, and places in an order
//! - `fact`, `input`: what became true, what came from outside; `limits`
//! - `decide`: the table of inputs; `triage`: Protocol 0, and how work is handed out; `report`: how attempts end; `people`:
//!   what people say; `reading`: a log that somebody edited; `check`: whether a plan can be taken; `moves`: the diagram
//! - `apply`: what a fact changes; `waits`: what an item waits for; `keys`: by what items are known
//!
//! Beside the other machines: see ADR 29. Shares attempts with fences, openings, refusals and moments with them. Must not
//! know how a log is written, what git is, or how it is known that a process lives.

mod apply;
mod changes;
mod check;
mod claims;
#[cfg(test)]
mod cost;
mod decide;
mod fact;
mod input;
mod item;
mod keys;
mod label;
mod limits;
mod moves;
mod people;
mod pool;
mod reading;
mod report;
mod state;
mod tree;
mod triage;
mod waits;
mod words;

pub use apply::apply;
pub use changes::{CancelItem, ChangeItem, NewGroup, NewItem, PlanChanges};
pub use check::problems_of;
pub use decide::{decide, start};
pub use fact::{Ended, Entry, Exit, Fact, Noted};
pub use input::{
    Beginning, Decision, Editor, Effect, Input, Outcome, ReadEntry, ReadItem, ReadQuestion, Reading, TaskReading, Told,
    World,
};
pub use item::{Group, Item, Last, Rest, Spot, Tries};
pub use keys::{bare_number, key_of};
pub use limits::Limits;
pub use moves::{Move, move_between, moved};
pub use pool::{Counts, Pool};
pub use state::{Attempt, Check, Integration, Member, Outdated, Question, Session};
pub use tree::{Iter, Tree};
pub use waits::Wait;
pub use words::{Ground, Over, Part, Period, Status, Verdict, Why, Work};
