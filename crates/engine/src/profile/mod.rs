//! Runs of the protocol `profile`, hosted by the engine: the machine of profiles on one side, its documents on the other.
//! Must not decide anything: `machine::profile` does; nor know how a document is spelled: `dialect::profile` does.

mod begin;
mod deed;
mod init;
mod notices;
mod outcome;
mod played;
mod realized;
mod tell;
mod view;
mod why;

use std::collections::BTreeSet;

use agent::Brief;
use dialect::profile::{
    Beside, LEDGER, SCHEMAS, STATUS, STATUS_SCHEMA, Schema, TRACE, artifact_path, differing, gate_document, lower,
    read_status, workspace,
};
use machine::Said;
use machine::profile::{self, Artifact, Decision, Fact, GateRecord, Input as Told, PutBack, Run, StepKind};
use serde_json::value::RawValue;
use text::Text;

use crate::body::Given;
use crate::fault::EngineError;
use crate::files::digest_of;
use crate::hosted::{Came, Deed, Driven, Followed, Hosted, Input, Kind, Site, Standing, Workplace, World};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::step::{Output, unknown_run};
use crate::story::Event;
use crate::views::{AttemptView, Driver, RunView, Waiting};
use crate::why::Why;

pub use begin::{IdeaText, ProfileStart, definition_of};

/// The protocol's name.
pub(crate) const PROTOCOL: &str = "profile";

/// The kind of these runs.
pub(crate) const PROFILE: Profiles = Profiles;

pub(crate) struct Profiles;

/// A run of a profile.
#[derive(Debug, Clone)]
pub(crate) struct Carried(pub(crate) Run);

impl Kind for Profiles {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn begun(&self, id: &str, first: &RawValue) -> Option<Box<dyn Hosted>> {
        let mut run = None;
        profile::apply(&mut run, id, &serde_json::from_str(first.get()).ok()?);
        Some(Box::new(Carried(run?)))
    }

    fn restored(&self, kept: &RawValue) -> Option<Box<dyn Hosted>> {
        serde_json::from_str(kept.get()).ok().map(|run| Box::new(Carried(run)) as Box<dyn Hosted>)
    }
}

impl Hosted for Carried {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn take(&self, input: &Input, world: &World<'_>) -> Result<Followed, EngineError> {
        let run = &self.0;
        let (mut told, outputs) = self.told(input, world);
        // A status that people left in a wrong shape is not written to (guard rule 2): until it is mended the run only
        // pauses, and is let go.
        let problem = status_problem(world);
        let is_quiet = match told {
            Told::Pause { .. } | Told::Release => true,
            // A run that is paused hands out nothing: whoever takes it up changes nothing in it.
            Told::Claim | Told::Wake => run.paused.is_some(),
            _ => false,
        };
        if let (Some(problem), false) = (&problem, is_quiet) {
            match (&told, &run.paused) {
                (Told::Edited(_), None) => told = Told::Pause { reason: problem.to_string() },
                (Told::Edited(_), Some(_)) => return Ok(self.unchanged(vec![problem_notice(&run.id, problem)])),
                _ => return Err(problem.clone()),
            }
        }
        let decision = in_world(run, world, |inner| {
            profile::decide(Some(run), &run.id, &told, inner, &world.settings.limits).map_err(EngineError::from)
        })?;
        let put_back = match input {
            Input::Edited if problem.is_none() => put_back(run, &decision, world),
            _ => Vec::new(),
        };
        let is_taken = decision.facts.iter().any(|fact| matches!(fact, Fact::Worked { .. }));
        let is_refused = decision.facts.iter().any(|fact| matches!(fact, Fact::SentBack { .. } | Fact::Failed { .. }));
        let mut followed = follow(&run.id, Some(run), decision, world, problem.is_none())?;
        followed.notices.extend(put_back);
        match input {
            Input::Ended { came, .. } if is_refused => followed.said = came.said(),
            Input::Ended { .. } if is_taken => followed.outputs = outputs,
            Input::Edited => followed.notices.extend(problem.iter().map(|one| problem_notice(&run.id, one))),
            _ => {}
        }
        Ok(followed)
    }

    fn apply(&mut self, facts: &[Box<RawValue>]) {
        let mut run = Some(self.0.clone());
        for fact in facts.iter().filter_map(|fact| serde_json::from_str::<Fact>(fact.get()).ok()) {
            profile::apply(&mut run, &self.0.id, &fact);
        }
        self.0 = run.unwrap_or_else(|| self.0.clone());
    }

    fn kept(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&self.0)
    }

    fn standing(&self) -> Standing<'_> {
        let run = &self.0;
        Standing {
            driven: Driven::By(run.driver.as_deref()),
            is_paused: run.paused.is_some(),
            is_over: run.is_over(),
            began_at: &run.started_at,
            holders: run.attempts.iter().map(|(fence, attempt)| (*fence, &attempt.holder)).collect(),
            rest: run.rest.as_ref().map(|rest| (rest.since.as_str(), rest.until.as_str())),
        }
    }

    fn deed(&self, fence: u64, site: &Site<'_>) -> Option<Deed> {
        deed::deed(&self.0, self.0.attempts.get(&fence)?, site)
    }

    fn settle(&self, settings: &Settings) -> Option<String> {
        realized::settle(&self.0, &settings.project)
    }

    fn brief(&self, fence: u64, site: &Site<'_>) -> Option<Brief> {
        let attempt = self.0.attempts.get(&fence)?;
        let step = self.0.plan.get(attempt.step)?;
        Some(match realized::is_realized(&self.0, step) {
            true => realized::brief_of(&self.0, attempt, step, site),
            false => deed::brief(&self.0, attempt, step, site),
        })
    }

    fn place(&self, fence: u64, site: &Site<'_>) -> Option<Box<dyn Workplace>> {
        let attempt = self.0.attempts.get(&fence)?;
        let step = self.0.plan.get(attempt.step).filter(|step| realized::is_realized(&self.0, step))?;
        Some(realized::place_of(&self.0, attempt, step, site))
    }

    fn given(&self, fence: u64, _settings: &Settings) -> Vec<Given> {
        let Some(attempt) = self.0.attempts.get(&fence) else { return Vec::new() };
        let files = deed::files(&self.0, attempt).into_iter();
        files.map(|file| Given { path: file.path, why: file.why }).collect()
    }

    fn documents(&self) -> Vec<String> {
        let artifacts = self.0.artifacts.values().map(|artifact| artifact.path.clone());
        std::iter::once(STATUS.into()).chain(artifacts).collect()
    }

    fn writes(&self) -> Vec<String> {
        written_by(&self.0.profile, &self.0.idea)
    }

    fn folders(&self) -> Vec<String> {
        vec!["agent_runtime".into()]
    }

    fn message(&self, said: Said) -> (&'static str, String) {
        view::message(&self.0, said)
    }

    fn view(&self, driver: Driver) -> RunView {
        view::view(&self.0, driver)
    }

    fn attempts(&self) -> Vec<AttemptView> {
        view::attempts(&self.0)
    }

    fn waits(&self) -> Vec<Waiting> {
        view::waits(&self.0)
    }

    fn why(&self, item: Option<&str>, driver: Driver) -> Result<Why, EngineError> {
        why::why(&self.0, item, driver)
    }

    fn tell(&self, fact: &RawValue, event: &mut Event) {
        if let Ok(fact) = serde_json::from_str(fact.get()) {
            tell::tell(&self.0, &fact, event);
        }
    }
}

impl Carried {
    /// What an input is to the machine, and the files that come with it.
    fn told(&self, input: &Input, world: &World<'_>) -> (Told, Vec<Output>) {
        let told = match input {
            Input::Wake => Told::Wake,
            Input::Claim => Told::Claim,
            Input::Release => Told::Release,
            Input::Ended { fence, came } => {
                let outcome = outcome::outcome(&self.0, *fence, came);
                let outputs = match came {
                    Came::Report { outputs, .. } => outputs.clone(),
                    _ => Vec::new(),
                };
                return (Told::Report { fence: *fence, outcome }, outputs);
            }
            Input::Answer { question, answer, by } => {
                Told::Answer { question: question.clone(), answer: answer.clone(), by: by.clone() }
            }
            Input::Gate { gate, reply, reason, by } => {
                Told::Gate { gate: gate.clone(), reply: reply.clone(), reason: reason.clone(), by: by.clone() }
            }
            Input::Reopen { gate, reason, by } => {
                Told::Reopen { gate: gate.clone(), reason: reason.clone(), by: by.clone() }
            }
            Input::Delivered { question } => Told::Delivered { question: question.clone() },
            Input::Pause { reason } => Told::Pause { reason: reason.clone() },
            Input::Resume => Told::Resume,
            Input::Cancel { by } => Told::Cancel { by: by.clone() },
            Input::Edited => {
                let text = (world.read)(STATUS).unwrap_or_default();
                let mut seen = read_status(&text.to_vec(), &status_schema(world)).seen;
                let found = |artifact: &Artifact| (artifact.name.clone(), digest_at(world, &artifact.path));
                seen.artifacts = self.0.artifacts.values().map(found).collect();
                Told::Edited(seen)
            }
        };
        (told, Vec::new())
    }

    fn unchanged(&self, notices: Vec<Notice>) -> Followed {
        Followed { notices, ..followed(self.0.clone(), Vec::new()) }
    }
}

/// A step in which nothing becomes true yet.
fn followed(run: Run, facts: Vec<Box<RawValue>>) -> Followed {
    Followed {
        run: Box::new(Carried(run)),
        facts,
        effects: Vec::new(),
        edits: Vec::new(),
        outputs: Vec::new(),
        notices: Vec::new(),
        cause: String::new(),
        said: None,
        is_resumed: false,
        is_late: false,
    }
}

/// What follows from a decision: the run with its facts, and what they change in documents.
fn follow(
    id: &str,
    before: Option<&Run>,
    decision: Decision,
    world: &World<'_>,
    writes: bool,
) -> Result<Followed, EngineError> {
    let mut after = before.cloned();
    decision.facts.iter().for_each(|fact| profile::apply(&mut after, id, fact));
    let run = after.ok_or_else(|| unknown_run(id))?;
    let before = before.unwrap_or(&run);
    let edits = match writes {
        true => lower(&run, &decision.facts, &beside(&run, world.settings), world.read)?,
        false => Vec::new(),
    };
    let facts = decision.facts.iter().map(serde_json::value::to_raw_value).collect::<Result<_, _>>();
    let facts = facts.map_err(|error| EngineError::refused(error.to_string(), ""))?;
    let notices = decision.facts.iter().filter_map(|fact| notices::notice_of(before, &run, fact)).collect();
    let cause = tell::cause(before, &decision.facts);
    let is_resumed = decision.facts.contains(&Fact::Resumed);
    Ok(Followed { effects: decision.effects, edits, notices, cause, is_resumed, ..followed(run, facts) })
}

/// What somebody wrote into the status and the run does not take: where it stands, and why it is put back (QL-23).
fn put_back(run: &Run, decision: &Decision, world: &World<'_>) -> Vec<Notice> {
    let bytes = (world.read)(STATUS).unwrap_or_default().to_vec();
    let differing = differing(&bytes, run, &beside(run, world.settings));
    let line = |field: &str| {
        let top = field.split(['.', ' ', '[']).next().unwrap_or(field);
        differing.iter().find(|one| one.field == top).map_or(1, |one| one.line)
    };
    let notice = |field: &str, reason: &str| Notice::Problem {
        run: Some(run.id.clone()),
        path: Some(format!("{STATUS}:{}", line(field))),
        reason: format!("an edit by hand was put back: {field}: {reason}"),
    };
    let refused = decision.refused.iter().map(|PutBack { field, reason }| notice(field, reason));
    let mut told: Vec<Notice> = refused.collect();
    // What is taken changes what follows from it, and that is no edit that was put back.
    let is_taken = decision.facts.iter().any(|fact| !matches!(fact, Fact::Found { .. }));
    let is_told = |field: &str| decision.refused.iter().any(|one| one.field.starts_with(field));
    let others = differing.iter().filter(|one| !is_taken && !is_told(&one.field));
    told.extend(others.map(|one| notice(&one.field, "it follows from what the run did, and is not written by hand")));
    told
}

/// The digest of a file that is there and not empty; else nothing.
fn digest_at(world: &World<'_>, path: &str) -> String {
    (world.read)(path).filter(|text| !text.is_empty()).map(|text| digest_of(&text)).unwrap_or_default()
}

/// What a run writes itself, beside what agents bring: the status, the trace, the ledger, and the records of gates.
fn written_by(profile: &profile::Profile, idea: &profile::Idea) -> Vec<String> {
    let gates = profile.phases.iter().flat_map(|phase| &phase.steps).filter(|step| step.kind == StepKind::Gate);
    let records = gates.flat_map(|step| step.required_outputs.iter().map(String::as_str));
    let names = [TRACE, LEDGER].into_iter().chain(records);
    let paths = names.map(|name| artifact_path(&idea.headline, &idea.id, name));
    paths.chain([STATUS.into(), format!("{SCHEMAS}/status.schema.json")]).collect()
}

/// The world as the machine sees it.
fn in_world<T>(
    run: &Run,
    world: &World<'_>,
    decide: impl FnOnce(&profile::World<'_>) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let casting = world.settings.casting_of(&run.id);
    let roles = run.plan.iter().map(|step| &step.step.role);
    let people: BTreeSet<String> = roles.filter(|role| casting.is_left_to_people(role)).cloned().collect();
    let record = |record: &GateRecord<'_>| recorded(run, record);
    let inner = profile::World {
        now: world.now,
        me: world.me,
        cast: casting.cast(),
        alive: world.alive,
        free: world.free,
        people: &people,
        budget: world.settings.budget,
        used: world.used,
        record: &record,
    };
    decide(&inner)
}

/// The files that a gate's decision leaves.
fn recorded(run: &Run, record: &GateRecord<'_>) -> Vec<Artifact> {
    let mode = run.profile.mode;
    let content = gate_document(mode, record.gate, record.status, record.by, record.reason, record.at);
    let digest = digest_of(&Text::from(content));
    let artifact = |name: &String| Artifact {
        name: name.clone(),
        path: artifact_path(&run.idea.headline, &run.idea.id, name),
        digest: digest.clone(),
        owner: record.by.into(),
        at: record.at.into(),
    };
    record.outputs.iter().map(artifact).collect()
}

/// What stands in the status beside what the run says.
fn beside(run: &Run, settings: &Settings) -> Beside {
    let is_realized = run.profile.mode == profile::Mode::Realization;
    Beside {
        charter_version: settings.prompts().digest_of_all().into(),
        workspace_dir: is_realized.then(|| workspace(&run.idea.id)),
        workspace_git_initialized: is_realized && !run.commits.is_empty(),
    }
}

/// The schema of the status: the one that the project has, else the shipped one.
fn status_schema(world: &World<'_>) -> Schema {
    let own = (world.read)(&format!("{SCHEMAS}/status.schema.json"));
    let own = own.and_then(|text| Schema::read(&String::from_utf8_lossy(&text.to_vec())).ok());
    #[expect(clippy::expect_used, reason = "it is shipped with the program, and a test reads it")]
    own.unwrap_or_else(|| Schema::read(STATUS_SCHEMA).expect("the shipped schema is one"))
}

/// What is wrong with the shape of the status, if anything is.
fn status_problem(world: &World<'_>) -> Option<EngineError> {
    let hint = "mend it, or `multiverse restore agent_runtime/status.json --at N` puts an earlier one back; then `multiverse resume`";
    let Some(text) = (world.read)(STATUS) else {
        let reason = "it is gone, and the run cannot go on without it".into();
        let hint = "`multiverse restore agent_runtime/status.json --at N` puts it back; then `multiverse resume`";
        return Some(EngineError::Document { path: STATUS.into(), line: 1, column: 1, reason, hint: hint.into() });
    };
    let complaint = read_status(&text.to_vec(), &status_schema(world)).complaints.into_iter().next()?;
    Some(EngineError::Document {
        path: STATUS.into(),
        line: complaint.line,
        column: complaint.column,
        reason: format!("{}: {}; {}", complaint.field, complaint.reason, complaint.hint),
        hint: hint.into(),
    })
}

fn problem_notice(run: &str, problem: &EngineError) -> Notice {
    let reason = match problem {
        EngineError::Document { hint, .. } => format!("{problem}; {hint}"),
        other => other.to_string(),
    };
    Notice::Problem { run: Some(run.into()), path: None, reason }
}
