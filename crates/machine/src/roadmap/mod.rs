//! The pool machine: one roadmap, and any number of executors in any number of processes that take items from it.
//!
//! - `words`: states, results, parts, works; `item`, `changes`: what a roadmap consists of, and what a plan wants changed
//! - `state`: a session as decisions see it; `pool`: its items, with what follows from them; `claims`: files in use
//! - `tree`, `label`: a map whose versions share what they have in common, and places in an order
//! - `fact`, `input`: what became true, what came from outside; `limits`
//!
//! Beside the other machines: see ADR 29. Shares attempts with fences, openings, refusals and moments with them. Must not
//! know how a log is written, what git is, or how it is known that a process lives.

mod changes;
mod claims;
mod fact;
mod input;
mod item;
mod label;
mod limits;
mod pool;
mod state;
mod tree;
mod words;

pub use changes::{CancelItem, ChangeItem, NewGroup, NewItem, PlanChanges};
pub use fact::{Ended, Entry, Exit, Fact, Noted};
pub use input::{
    Beginning, Decision, Editor, Effect, Input, Outcome, ReadItem, ReadQuestion, Reading, TaskReading, Told, World,
};
pub use item::{Group, Item, Last, Rest, Spot, Tries};
pub use limits::Limits;
pub use pool::{Counts, Pool};
pub use state::{Attempt, Check, Integration, Member, Outdated, Question, Session};
pub use tree::{Iter, Tree};
pub use words::{Ground, Over, Part, Period, Status, Verdict, Why, Work};
