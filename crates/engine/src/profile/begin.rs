//! How a run of a profile begins: the profile was checked whole, the idea was chosen, and whatever status was there before is
//! archived in the same commit.

use std::collections::BTreeSet;

use dialect::Edit;
use dialect::profile::{
    Around, Complaint, SCHEMAS, STATUS, STATUS_SCHEMA, Schema, artifact_path, idea_of, read_status, run_id, taken_over,
};
use machine::profile::{self, Idea, Profile, Run, Start};
use store::Fs;

use super::{PROTOCOL, digest_at, follow, in_world, put_back, status_problem, status_schema, written_by};
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

/// The digest of a profile's file: which definition a run keeps (QL-27).
pub fn definition_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_string()
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
        fitting(follow(id, None, decision, world, true)?, world)
    }
}

/// The first status of a run, held against the schema that the project has: one of its own may refuse what is written here.
fn fitting(followed: Followed, world: &World<'_>) -> Result<Followed, EngineError> {
    let written = followed.edits.iter().find_map(|(path, edit)| match edit {
        Edit::Write(content) if path == STATUS => Some(content),
        _ => None,
    });
    let complaint = written
        .and_then(|content| read_status(content.as_bytes(), &status_schema(world)).complaints.into_iter().next());
    match complaint {
        None => Ok(followed),
        Some(Complaint { field, reason, .. }) => {
            let path = format!("{SCHEMAS}/status.schema.json");
            let reason = format!("it refuses the status of a run: {field}: {reason}");
            let hint = "mend it; `multiverse schema status` prints the one that is shipped".into();
            Err(EngineError::Document { path, line: 1, column: 1, reason, hint })
        }
    }
}

/// A run of which only the status is left.
#[derive(Debug)]
struct TakeOver {
    profile: Profile,
    definition: String,
    human_gates: BTreeSet<String>,
    /// The file of its idea, if there is one.
    context: String,
}

impl Beginning for TakeOver {
    fn begin(&self, id: &str, world: &World<'_>) -> Result<Followed, EngineError> {
        if let Some(problem) = status_problem(world) {
            return Err(problem);
        }
        let bytes = (world.read)(STATUS).unwrap_or_default().to_vec();
        let digest = |path: &str| Some(digest_at(world, path)).filter(|digest| !digest.is_empty());
        let around = Around {
            profile: &self.profile,
            definition: &self.definition,
            human_gates: &self.human_gates,
            context: &self.context,
            now: world.now,
            digest: &digest,
        };
        let (known, seen) = taken_over(&bytes, &around).map_err(|complaints| {
            let Some(Complaint { line, column, field, reason, hint }) = complaints.into_iter().next() else {
                return EngineError::refused(format!("{STATUS} tells of no run"), "");
            };
            let (path, reason) = (STATUS.into(), format!("{field}: {reason}"));
            EngineError::Document { path, line, column, reason, hint }
        })?;
        let decision = in_world(&known, world, |inner| {
            Ok(profile::take_over(id, known.clone(), &seen, inner, &world.settings.limits))
        })?;
        let put_back = put_back(&known, &decision, world);
        let mut followed = follow(id, None, decision, world, true)?;
        followed.notices.extend(put_back);
        Ok(followed)
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
        let written = written_by(&profile, &idea);
        self.adopt_if_there(written.iter().map(String::as_str))?;
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

    /// The run that the status tells of, if it is not over and the journal does not know it: its id, and the name of its
    /// profile. It was begun by another program, or came without its journal, as a clone does.
    pub fn stranded_workflow(&self) -> Option<(String, String)> {
        let bytes = self.engine.content_of(STATUS)?.to_vec();
        let read = read_status(&bytes, &Schema::read(STATUS_SCHEMA).ok()?);
        let run = read.run_id.filter(|run| !self.engine.is_hosted(run) && read.complaints.is_empty())?;
        // What the journal knows and nobody remembers is over long since.
        let is_known = self.hosted_story(&run).ok().flatten().is_some();
        (!is_known && !read.is_over).then_some((run, read.profile))
    }

    /// Takes up a run of which only the status is left, with the profile that it names.
    pub fn take_over_profile(
        &mut self,
        run: &str,
        profile: Profile,
        definition: String,
        human_gates: BTreeSet<String>,
    ) -> Result<(), EngineError> {
        self.engine.settle()?;
        self.adopt_if_there([STATUS].into_iter())?;
        let bytes = self.engine.content_of(STATUS).unwrap_or_default().to_vec();
        let idea = idea_of(&bytes);
        let outputs = profile.phases.iter().flat_map(|phase| &phase.steps).flat_map(|step| &step.required_outputs);
        let outputs = outputs.map(|name| artifact_path(&idea.headline, &idea.id, name));
        let there: Vec<String> = written_by(&profile, &idea).into_iter().chain(outputs).collect();
        self.adopt_if_there(there.iter().map(String::as_str))?;
        // What stands there may be a text of any kind: a file that is there is taken, else that of the idea's name.
        let files = [idea.context.clone(), format!("ideas/{}.md", idea.id)].into_iter();
        let context = files.into_iter().find(|path| self.engine.content_of(path).is_some()).unwrap_or_default();
        let beginning = Box::new(TakeOver { profile, definition, human_gates, context });
        self.send_order(Order::Begin { id: run.into(), beginning })
    }
}
