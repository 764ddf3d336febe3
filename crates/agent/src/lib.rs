//! Agents: a brief goes in, a report comes out, whoever works on it.
//!
//! The contract is in [`contract`]; every backend keeps it, so any executable is an agent. A backend never writes the
//! project: what it makes comes back in its report, or lies in its scratch folder until `collect_outputs` takes it.

pub mod contract;

pub use contract::{
    Access, Answered, Brief, BriefFile, BriefLimits, CONTRACT, Expects, Report, ReportOutput, ReportStatus, Usage,
};
