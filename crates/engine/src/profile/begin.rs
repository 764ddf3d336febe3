//! How a run of a profile begins: the profile was checked whole, the idea was chosen, and whatever status was there before is
//! archived in the same commit.

use std::collections::BTreeSet;

use dialect::profile::{LEDGER, SCHEMAS, STATUS, TRACE, artifact_path, run_id};
use machine::profile::{self, Idea, Profile, Run, Start};
use store::{Fs, ProjectPath};

use super::{PROTOCOL, follow, in_world, status_problem};
use crate::fault::EngineError;
use crate::hosted::{Beginning, Followed, World};
use crate::service::Service;
use crate::step::Order;

/// The most runs that begin in one second.
const RUNS_A_SECOND: u32 = 100;

/// What a run of a profile begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileStart {
    /// The workflow, checked.
    pub profile: Profile,
    /// The digest of its file.
    pub definition: String,
    /// What it is about.
    pub idea: IdeaText,
    /// Gates in the middle that people decide.
    pub human_gates: BTreeSet<String>,
    /// What varies a simulation.
    pub seed: u64,
}

/// What a run is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdeaText {
    /// `idea-7`.
    pub id: String,
    /// In a line.
    pub headline: String,
    /// Whose it is.
    pub owner: String,
    /// The file that says more, from the project's root.
    pub path: String,
}

impl Beginning for Start {
    fn begin(&self, id: &str, world: &World<'_>) -> Result<Followed, EngineError> {
        let mut open = world.runs.iter().filter(|(_, run)| run.protocol() == PROTOCOL && !run.standing().is_over);
        if let Some((other, _)) = open.next() {
            let hint = format!("`multiverse resume {other}` goes on with it, `multiverse cancel {other}` ends it");
            return Err(EngineError::refused(format!("the run {other} is not over, and there is one status"), hint));
        }
        if (world.read)(STATUS).is_some()
            && let Some(EngineError::Document { path, line, column, reason, .. }) = status_problem(world)
        {
            let hint = "mend it; or `multiverse init --protocol profile` archives it and starts clean".into();
            return Err(EngineError::Document { path, line, column, reason, hint });
        }
        let empty = named_run(id, self)?;
        let decision = in_world(&empty, world, |inner| {
            profile::start(id, self, inner, &world.settings.limits).map_err(EngineError::from)
        })?;
        follow(id, None, decision, world, true)
    }
}

/// The run as its first fact makes it.
fn named_run(id: &str, start: &Start) -> Result<Run, EngineError> {
    let Start { profile, definition, idea, human_gates, seed } = start.clone();
    let started = profile::Fact::Started { profile, definition, idea, human_gates, seed, at: String::new() };
    let mut run = None;
    profile::apply(&mut run, id, &started);
    run.ok_or_else(|| crate::step::unknown_run(id))
}

impl<F: Fs> Service<F> {
    /// Begins a run of a profile. It is not driven yet beyond its first commit: [`Service::drive`] does that.
    pub fn start_profile(&mut self, start: ProfileStart) -> Result<String, EngineError> {
        self.engine.settle()?;
        let ProfileStart { profile, definition, idea, human_gates, seed } = start;
        let IdeaText { id, headline, owner, path } = idea;
        let idea = Idea { id, headline, owner, context: path };
        let known = [TRACE, LEDGER].map(|name| artifact_path(&idea.headline, &idea.id, name));
        let schema = format!("{SCHEMAS}/status.schema.json");
        self.adopt_if_there(known.iter().map(String::as_str).chain([STATUS, schema.as_str()]))?;
        let stem = run_id(&profile.name, &self.engine.now());
        for number in 1..=RUNS_A_SECOND {
            let id = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            if self.engine.is_hosted(&id) {
                continue;
            }
            let (profile, definition, idea) = (profile.clone(), definition.clone(), idea.clone());
            let beginning = Box::new(Start { profile, definition, idea, human_gates: human_gates.clone(), seed });
            self.send_order(Order::Begin { id: id.clone(), beginning })?;
            return Ok(id);
        }
        Err(EngineError::refused("too many runs began in this second", "try again"))
    }

    /// Takes files that are there under the journal, so that a step can change them.
    pub(crate) fn adopt_if_there<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), EngineError> {
        let mut there = Vec::new();
        for path in paths.filter_map(|path| ProjectPath::document(path).ok()) {
            if self.engine.store.read(&path).is_none() && self.engine.store.fs().look(&path)?.is_some() {
                there.push(path);
            }
        }
        if !there.is_empty() && self.engine.store.adopt(&there)?.is_some() {
            self.engine.follow()?;
        }
        Ok(())
    }
}
