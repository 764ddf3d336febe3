//! Agents: a brief goes in, a report comes out, whoever works on it.
//!
//! The contract is in [`contract`]; every backend keeps it, so any executable is an agent. A backend never writes the
//! project: what it makes comes back in its report, or lies in its [`Scratch`] until [`collect_outputs`] takes it.
//! Must not know the engine, nor what becomes of a report.

mod acp;
mod adapter;
mod apart;
pub mod backend;
mod beneath;
mod check;
mod command;
pub mod contract;
mod forbidden;
#[doc(hidden)]
pub mod fuzz;
mod guidance;
mod judge;
mod kind;
pub mod limits;
pub mod model;
pub mod offline;
mod outputs;
mod person;
mod presets;
pub mod prompt;
pub mod replay;
pub mod roadmap;
mod schema;
mod scratch;
mod script;
mod searching;
mod served;
pub mod simulation;
mod validate;
mod words;

pub use acp::Acp;
pub use adapter::Adapter;
pub use backend::{Backend, Ending, Job, Meter, Pace};
pub use check::{check_report, path_problem};
pub use command::Command;
pub use contract::{
    Access, Answered, Brief, BriefFile, BriefLimits, CONTRACT, Expects, Report, ReportOutput, ReportStatus, Usage,
};
pub use forbidden::{forbidden, tried};
pub use guidance::{Guidance, Skill, skill_folder};
pub use kind::{Assigned, Kind, parse_kind};
pub use limits::{CommandLimits, OutputLimits};
pub use model::{Model, ModelName, ModelSettings};
pub use offline::Offline;
pub use outputs::{CollectedOutput, collect_outputs};
pub use person::Person;
pub use presets::{Cli, Found, Preset, Surroundings, Usable, automatic, look};
pub use prompt::Prompts;
pub use replay::{Differences, Replay};
pub use schema::{Which, schema};
pub use scratch::{OWN_NAMES, Scratch, ScratchFault};
pub use script::{Format, Script};
pub use searching::Searching;
pub use served::{OwnTools, Served};
pub use validate::validate;
