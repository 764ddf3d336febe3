//! Runs of the protocol `cycle`, hosted by the engine: the loop machine on one side, its record on the other.
//!
//! - `begin`: a goal is set; `settings`: limits and the test battery
//! - `deed`: what is done for a piece of work; `brief`: what agents are told; `outcome`: what their end is to the machine
//! - `place`: the copy in which an agent works, and what it changed there; `repository`: what code does with branches;
//!   `offer`: a pull request, where the project says how
//! - `battery`: the checks that are run for the Judge; `view`, `why`, `tell`: the cycle for people
//!
//! Must not decide anything: `machine::cycle` does; nor know how a record is spelled: `dialect::cycle` does.

mod battery;
mod begin;
mod brief;
mod deed;
mod offer;
mod outcome;
mod place;
mod repository;
mod settings;
mod tell;
mod view;
mod why;

use std::collections::BTreeSet;

use dialect::cycle::{CONTEXT, CURRENT, Step, compare, lower, restated};
use machine::Said;
use machine::cycle::{self, Cycle, Decision, Fact, Input as Told, Place, Told as Saying, read_answer};
use serde_json::value::RawValue;
use text::Text;

use crate::body::Given;
use crate::fault::EngineError;
use crate::hosted::{Deed, Driven, Followed, Hosted, Input, Kind, Site, Standing, World};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::step::{Output, unknown_run};
use crate::story::Event;
use crate::views::{AttemptView, Driver, RunView, Waiting};
use crate::why::Why;

pub use begin::CycleStart;
pub use dialect::cycle::{
    ARCHIVE, ASSETS, ArchiveName, Block, Deviation, Header, Meaning, Order, Reading, Weight, is_asset_name, read,
    read_archive_name,
};
pub use machine::cycle::{Ending, Limits, Party, Route, Signature, Silence, Upfront, Word};
pub use repository::{check_ground, uncommitted};
pub use settings::{BatteryCheck, CycleSettings};

/// The protocol's name.
pub(crate) const PROTOCOL: &str = "cycle";

/// The kind of these runs.
pub(crate) const CYCLE: Cycles = Cycles;

pub(crate) struct Cycles;

/// A cycle.
#[derive(Debug, Clone)]
pub(crate) struct Carried(pub(crate) Cycle);

impl Kind for Cycles {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn begun(&self, id: &str, first: &RawValue) -> Option<Box<dyn Hosted>> {
        let mut cycle = None;
        cycle::apply(&mut cycle, id, &serde_json::from_str(first.get()).ok()?);
        Some(Box::new(Carried(cycle?)))
    }

    fn restored(&self, kept: &RawValue) -> Option<Box<dyn Hosted>> {
        serde_json::from_str(kept.get()).ok().map(|cycle| Box::new(Carried(cycle)) as Box<dyn Hosted>)
    }
}

impl Hosted for Carried {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn take(&self, input: &Input, world: &World<'_>) -> Result<Followed, EngineError> {
        let cycle = &self.0;
        let (told, outputs) = match self.told(input)? {
            Heard::Told(told, outputs) => (told, outputs),
            Heard::Nothing => return Ok(self.unchanged(Vec::new())),
            Heard::Edited => return self.edited(world),
        };
        let decision = in_world(cycle, world, |inner, limits| {
            cycle::decide(Some(cycle), &cycle.id, &told, inner, limits).map_err(EngineError::from)
        })?;
        let is_taken = decision.facts.iter().any(|fact| matches!(fact, Fact::Changed { .. }));
        let is_refused = |fact: &Fact| matches!(fact, Fact::SentBack { .. } | Fact::Faltered { .. });
        let is_refused = decision.facts.iter().any(is_refused);
        let mut followed = follow(&cycle.id, Some(cycle), &decision, world, &|_| false)?;
        match input {
            Input::Ended { came, .. } if is_refused => followed.said = came.said(),
            Input::Ended { .. } if is_taken => followed.outputs = outputs,
            _ => {}
        }
        Ok(followed)
    }

    fn apply(&mut self, facts: &[Box<RawValue>]) {
        let mut cycle = Some(self.0.clone());
        for fact in facts.iter().filter_map(|fact| serde_json::from_str::<Fact>(fact.get()).ok()) {
            cycle::apply(&mut cycle, &self.0.id, &fact);
        }
        self.0 = cycle.unwrap_or_else(|| self.0.clone());
    }

    fn kept(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(&self.0)
    }

    fn standing(&self) -> Standing<'_> {
        let cycle = &self.0;
        Standing {
            driven: Driven::By(cycle.driver.as_deref()),
            is_paused: cycle.paused.is_some(),
            is_over: cycle.ending().is_some(),
            began_at: &cycle.since,
            holders: cycle.attempt.iter().map(|attempt| (attempt.fence, &attempt.holder)).collect(),
            rest: cycle.rest.as_ref().map(|rest| (rest.since.as_str(), rest.until.as_str())),
        }
    }

    fn is_overdue(&self, now: &str, settings: &Settings) -> bool {
        let (gate, most) = (self.0.gate(), settings.cycle.limits.answer_seconds);
        gate.zip(most).is_some_and(|(gate, most)| machine::seconds_between(&gate.since, now) >= most)
    }

    fn deed(&self, fence: u64, site: &Site<'_>) -> Option<Deed> {
        let attempt = self.0.attempt.as_ref().filter(|attempt| attempt.fence == fence)?;
        Some(deed::deed(&self.0, attempt, site))
    }

    fn brief(&self, fence: u64, site: &Site<'_>) -> Option<agent::Brief> {
        let attempt = self.0.attempt.as_ref().filter(|attempt| attempt.fence == fence)?;
        Some(brief::brief(&self.0, attempt, attempt.work.party()?, site.settings))
    }

    fn given(&self, _fence: u64, _settings: &Settings) -> Vec<Given> {
        let given = |path: &String| Given { path: path.clone(), why: "a context document of the goal".into() };
        self.0.context_docs.iter().map(given).collect()
    }

    fn documents(&self) -> Vec<String> {
        vec![CURRENT.into()]
    }

    fn folders(&self) -> Vec<String> {
        vec![CONTEXT.into()]
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

/// What an input is to a cycle.
enum Heard {
    /// This, to the machine; and files that come with it.
    Told(Box<Told>, Vec<Output>),
    /// The record was edited by hand.
    Edited,
    /// Nothing that it cares for.
    Nothing,
}

impl Carried {
    fn told(&self, input: &Input) -> Result<Heard, EngineError> {
        let told = match input {
            Input::Wake => Told::Wake,
            Input::Claim => Told::Claim,
            Input::Release => Told::Release,
            Input::Ended { fence, came } => {
                let (outcome, outputs) = outcome::outcome(&self.0, *fence, came);
                return Ok(Heard::Told(Box::new(Told::Report { fence: *fence, outcome }), outputs));
            }
            Input::Answer { question, answer, by } => {
                let Some(gate) = self.0.gate() else {
                    let reason = format!("cycle {} does not wait for an answer", self.0.id);
                    return Err(EngineError::refused(reason, format!("`multiverse explain {}` says more", self.0.id)));
                };
                let shown = question.as_deref().map(gate_number).transpose()?;
                Told::Answer { verdict: read_answer(gate.asks, answer)?, by: by.clone(), shown }
            }
            Input::Gate { .. } | Input::Reopen { .. } => {
                let hint = format!("`multiverse answer {} WORD` answers what it asks", self.0.id);
                return Err(EngineError::refused("a cycle has no such gate", hint));
            }
            Input::Delivered { .. } => return Ok(Heard::Nothing),
            Input::Pause { reason } => Told::Pause { reason: reason.clone() },
            Input::Resume => Told::Resume,
            Input::Cancel { by } => Told::Cancel { by: by.clone() },
            Input::Edited => return Ok(Heard::Edited),
        };
        Ok(Heard::Told(Box::new(told), Vec::new()))
    }

    /// The record was edited by hand: its head is the Human's to change (QL-23), its blocks are what happened.
    fn edited(&self, world: &World<'_>) -> Result<Followed, EngineError> {
        let cycle = &self.0;
        let mut notices = tampered(cycle, world);
        let reading = (world.read)(CURRENT).map(|text| read(&text.to_vec()));
        let Some(stated) = reading.as_ref().and_then(|reading| restated(cycle, reading)) else {
            return Ok(self.unchanged(notices));
        };
        let mut tell = |reason: String| {
            notices.push(Notice::Problem { run: Some(cycle.id.clone()), path: Some(CURRENT.into()), reason });
        };
        let outside = stated.context_docs.iter().find(|path| store::ProjectPath::document(path).is_err());
        if let Some(path) = outside {
            tell(format!("its head is not taken over: `{path}` is no file of the project; name one, from its root"));
            return Ok(self.unchanged(notices));
        }
        let decided = in_world(cycle, world, |inner, limits| {
            let told = Told::Restate(stated);
            cycle::decide(Some(cycle), &cycle.id, &told, inner, limits).map_err(EngineError::from)
        });
        match decided {
            Ok(decision) => {
                tell("its head was edited; agents are told it so from the next turn on".into());
                let followed = follow(&cycle.id, Some(cycle), &decision, world, &|_| false)?;
                Ok(Followed { notices: [notices, followed.notices].concat(), ..followed })
            }
            Err(error) => {
                tell(format!("its head is not taken over: {error}"));
                Ok(self.unchanged(notices))
            }
        }
    }

    fn unchanged(&self, notices: Vec<Notice>) -> Followed {
        Followed { notices, ..followed(self.0.clone(), Vec::new()) }
    }
}

/// The name by which a gate is known to whoever answers it.
pub(crate) fn gate_name(number: u64) -> String {
    format!("Q-{number}")
}

fn gate_number(name: &str) -> Result<u64, EngineError> {
    let number = name.trim_start_matches(['Q', 'q', '-']).parse();
    number.map_err(|_| EngineError::refused(format!("there is no question {name:?}"), "`multiverse inbox` names it"))
}

/// A step in which nothing becomes true yet.
fn followed(cycle: Cycle, facts: Vec<Box<RawValue>>) -> Followed {
    Followed {
        run: Box::new(Carried(cycle)),
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

/// What follows from a decision: the cycle with its facts, and what they add to the record.
fn follow(
    id: &str,
    before: Option<&Cycle>,
    decision: &Decision,
    world: &World<'_>,
    is_kept: &dyn Fn(&Text) -> bool,
) -> Result<Followed, EngineError> {
    let mut after = before.cloned();
    decision.facts.iter().for_each(|fact| cycle::apply(&mut after, id, fact));
    let cycle = after.ok_or_else(|| unknown_run(id))?;
    let last = before.and_then(|before| before.recent.back());
    let edits = lower(world.read, is_kept, &Step { before: last, after: &cycle, facts: &decision.facts })?;
    let facts = decision.facts.iter().map(serde_json::value::to_raw_value).collect::<Result<_, _>>();
    let facts = facts.map_err(|error| EngineError::refused(error.to_string(), ""))?;
    let known = before.unwrap_or(&cycle);
    let notices = decision.facts.iter().filter_map(|fact| tell::notice_of(known, &cycle, fact)).collect();
    let effects = decision.effects.iter().filter_map(|effect| effect_of(effect, &cycle)).collect();
    let cause = tell::cause(known, &decision.facts);
    let is_resumed = decision.facts.contains(&Fact::Resumed);
    Ok(Followed { effects, edits, notices, cause, is_resumed, ..followed(cycle, facts) })
}

fn effect_of(effect: &cycle::Effect, cycle: &Cycle) -> Option<machine::Effect> {
    Some(match effect {
        cycle::Effect::Start(fence) => machine::Effect::Start(*fence),
        cycle::Effect::Stop(fence) => machine::Effect::Stop(*fence),
        cycle::Effect::Tell(Saying::Gate) => machine::Effect::Say(Said::Question),
        cycle::Effect::Tell(Saying::Over) => machine::Effect::Say(match cycle.place {
            Place::Over(Ending::Complete) => Said::Completion,
            _ => Said::Failure,
        }),
        // The fact itself is told.
        cycle::Effect::Tell(Saying::Paused) => return None,
    })
}

/// The world as the machine sees it.
fn in_world<T>(
    cycle: &Cycle,
    world: &World<'_>,
    decide: impl FnOnce(&cycle::World<'_>, &Limits) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    let casting = world.settings.casting_of(&cycle.id);
    let agents = [Party::Planner, Party::Actor, Party::Judge];
    let people: BTreeSet<Party> =
        agents.into_iter().filter(|party| casting.is_left_to_people(brief::role(*party))).collect();
    let inner =
        cycle::World { now: world.now, me: world.me, cast: casting.cast(), alive: world.alive, people: &people };
    decide(&inner, &world.settings.cycle.machine_limits())
}

/// What of the record was changed after the fact. It stays as it was written; what was decided stands, too.
fn tampered(cycle: &Cycle, world: &World<'_>) -> Vec<Notice> {
    let Some(text) = (world.read)(CURRENT) else {
        let reason =
            "the record is gone: `multiverse restore docs/context/current_cycle.md --at N` brings it back".into();
        return vec![Notice::Problem { run: Some(cycle.id.clone()), path: Some(CURRENT.into()), reason }];
    };
    let turns: Vec<_> = cycle.recent.iter().cloned().collect();
    let mut reading = read(&text.to_vec());
    // Of older turns only a digest is kept: their blocks are not looked at.
    let oldest = turns.first().map(|turn| turn.signature);
    reading.blocks.retain(|block| block.signature.is_none_or(|signature| Some(signature) >= oldest));
    let found = compare(&turns, &reading);
    let told = found.into_iter().map(|one| Notice::Problem {
        run: Some(cycle.id.clone()),
        path: Some(format!("{CURRENT}:{}", one.line)),
        reason: format!("{}: {}; what was decided on it stands", one.signature, one.reason),
    });
    told.collect()
}
