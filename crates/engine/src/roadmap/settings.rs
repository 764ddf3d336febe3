//! What a project may set for its roadmaps, and what a command line says of the executors of this process.

use std::path::PathBuf;

use machine::roadmap::Limits;

use crate::cycle::BatteryCheck;

/// How roadmaps are carried on here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoadmapSettings {
    /// `Executor_Name`: the name of this process's executors.
    pub executor: String,
    /// Whether this process waits for others when there is nothing for it (`--no-wait` does not).
    pub waits: bool,
    /// How many steps an executor has for an item whose task says nothing of it.
    pub quota: u32,
    /// The commands that are run on what was done before it counts, in their order.
    pub checks: Vec<BatteryCheck>,
    /// Folders beside the system's own that these may look at: where toolchains are.
    pub read: Vec<PathBuf>,
    /// The machine's limits.
    pub limits: Limits,
}

/// The steps of an executor where nobody says otherwise.
const QUOTA: u32 = 100;

impl Default for RoadmapSettings {
    fn default() -> Self {
        let (checks, read, limits) = (Vec::new(), Vec::new(), Limits::default());
        Self { executor: "executor".into(), waits: true, quota: QUOTA, checks, read, limits }
    }
}

impl RoadmapSettings {
    /// A digest of what a session begins with (QL-27).
    pub(crate) fn digest(&self) -> String {
        let Self { quota, checks, limits, .. } = self;
        blake3::hash(format!("{quota} {checks:?} {limits:?}").as_bytes()).to_hex()[..32].to_string()
    }
}
