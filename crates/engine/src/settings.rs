//! What a project or a command line may set; and who plays which role.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use agent::Backend;
use machine::{Limits, Role};

use crate::learning::Learning;

/// How the engine works.
#[derive(Clone)]
pub struct Settings {
    /// The project's folder.
    pub project: PathBuf,
    /// How many agents work at the same time.
    pub jobs: usize,
    /// The machine's limits.
    pub limits: Limits,
    /// How long one attempt may take, in seconds.
    pub seconds: u64,
    /// Which past runs a run learns from.
    pub learning: Learning,
    /// Who plays which role.
    pub crew: BTreeMap<Role, Arc<dyn Backend>>,
    /// Roles that people play.
    pub people: BTreeSet<Role>,
    /// Tool types that can be planned.
    pub tools: BTreeSet<String>,
}

/// The functions of the protocol's appendix that a tool task may name.
pub const FUNCTIONS: [&str; 11] = [
    "list_directory",
    "read_file",
    "read_many_files",
    "write_file",
    "glob",
    "search_file_content",
    "replace",
    "create_directory",
    "run_shell_command",
    "google_web_search",
    "web_fetch",
];

/// The specialised agents that a tool task may name.
pub const SPECIALISTS: [&str; 2] = ["WebSearch", "DataVisualization"];

impl Settings {
    /// A project with nobody in it yet.
    pub fn new(project: PathBuf) -> Self {
        Self {
            project,
            jobs: 4,
            limits: Limits::default(),
            seconds: 1800,
            learning: Learning::default(),
            crew: BTreeMap::new(),
            people: BTreeSet::new(),
            tools: FUNCTIONS.iter().chain(&SPECIALISTS).map(|name| (*name).to_string()).collect(),
        }
    }

    /// Gives a role to an agent.
    pub fn play(&mut self, role: Role, backend: Arc<dyn Backend>) {
        self.people.remove(&role);
        self.crew.insert(role, backend);
    }

    /// Gives a role to people.
    pub fn leave_to_people(&mut self, role: Role) {
        self.crew.remove(&role);
        self.people.insert(role);
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let crew: BTreeMap<_, _> = self.crew.iter().map(|(role, backend)| (role, backend.name())).collect();
        out.debug_struct("Settings").field("jobs", &self.jobs).field("crew", &crew).finish_non_exhaustive()
    }
}
