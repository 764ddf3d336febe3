//! The state machines: what follows from what. `decide` looks and changes nothing; `apply` changes and decides
//! nothing; a replay uses `apply` alone. No I/O, no clock, no chance, no file formats: time, names of paths that exist
//! and limits are handed in.
#![no_std]

extern crate alloc;

mod advance;
mod apply;
mod assets;
mod budget;
mod current;
pub mod cycle;
mod decide;
mod edit;
mod fact;
mod hierarchy;
mod index;
mod input;
mod item;
mod learning;
mod limits;
mod moment;
mod names;
mod plan;
pub mod profile;
mod report;
pub mod roadmap;
mod run;
mod view;

pub use advance::folder_of;
pub use apply::{apply, apply_to};
pub use budget::{Budget, Measure, Metered, Used};
pub use current::Current;
pub use decide::{adopt, decide, retry, start};
pub use fact::{Fact, FileNote};
pub use hierarchy::{
    AssetKind, AssetRule, Columns, Hierarchy, Ids, LINEAGE, Level, MULTIVERSE, Placing, PreludeBy, PreludeTask, Source,
    file_name,
};
pub use index::Index;
pub use input::{
    Complaint, Decision, Effect, Input, Kept, Outcome, Proposal, Refusal, Said, Superseded, Verdict, World,
};
pub use item::{Action, Item, Planned, State, Target, Timing};
pub use learning::PastRun;
pub use limits::Limits;
pub use moment::{later, seconds_between};
pub use plan::{check_plan, check_proposal, prelude_rows};
pub use run::{
    AskedAgent, Attempt, Cast, Course, Failure, Holder, Mode, Question, Rest, Role, Run, Status, Tries, Work,
};
