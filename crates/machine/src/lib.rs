//! The state machines: what follows from what. `decide` looks and changes nothing; `apply` changes and decides
//! nothing; a replay uses `apply` alone. No I/O, no clock, no chance, no file formats: time, names of paths that exist
//! and limits are handed in.
#![no_std]

extern crate alloc;

mod fact;
mod hierarchy;
mod input;
mod item;
mod limits;
mod run;

pub use fact::{Fact, FileNote};
pub use hierarchy::{Hierarchy, Level, MULTIVERSE, PreludeTask, Source};
pub use input::{Complaint, Decision, Effect, Input, Kept, Outcome, Proposal, Refusal, Said, Superseded, Verdict, World};
pub use item::{Item, Planned, State, Target, Timing};
pub use limits::Limits;
pub use run::{Attempt, Course, Failure, Holder, Mode, Question, Role, Run, Status, Tries, Work};
