//! Sessions of the protocol `roadmap`, hosted by the engine: the pool machine on one side, its log and task file on the other.
//!
//! - `begin`: a task is run: its session begins, or is joined; `people`: what people say to it, and what they see
//! - `deed`: what is done for a piece of work; `brief`: what agents are told; `outcome`: what their end is to the machine
//! - `place`: the copy in which an executor works; `copy`, `aside`, `worked`: what was given out, kept, and found in it
//! - `repository`, `checks`: how work comes where everybody's is; `shelf`: the log from one step to the next
//! - `desk`: the words of agents to the log; `view`, `why`, `tell`: the session for people; `settings`
//!
//! Must not decide anything: `machine::roadmap` does; nor know how a log is spelled: `dialect::roadmap` does.

mod aside;
mod begin;
mod brief;
mod checks;
mod copy;
mod deed;
mod desk;
mod lease;
mod outcome;
mod people;
mod place;
mod repository;
mod settings;
mod shelf;
mod tell;
mod view;
mod why;
mod worked;

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};

use dialect::roadmap::{Log, Step, TaskFile, compare, task_reading};
use machine::Said;
use machine::roadmap::{
    self as pool, Attempt, Decision, Editor, Effect, Entry, Fact, Ground, Input as Told, Over, Part, Session,
    Told as Saying,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use text::Change;

use crate::body::Given;
use crate::fault::EngineError;
use crate::hosted::{Came, Deed, Driven, Followed, Hosted, Input, Kind, Room, Site, Standing, World};
use crate::notice::Notice;
use crate::settings::Settings;
use crate::step::Output;
use crate::story::Event;
use crate::views::{AttemptView, Driver, RunView, Waiting};
use crate::why::Why;
use aside::About;
use shelf::Shelf;
use worked::Worked;

pub use begin::{Joined, TaskFound};
pub use desk::Desk;
pub use machine::roadmap::{Limits, NewItem, Period, Status, Verdict};
pub use settings::RoadmapSettings;
pub use view::{CountsView, ExecutorView, MemberView, QuestionView, RoadmapGroupView, RoadmapItemView, RoadmapView};

/// The protocol's name.
pub(crate) const PROTOCOL: &str = agent::roadmap::PROTOCOL;

/// The kind of these runs.
pub(crate) const ROADMAP: Roadmaps = Roadmaps;

pub(crate) struct Roadmaps;

/// A session, with what is remembered beside it.
#[derive(Debug, Clone)]
pub(crate) struct Carried {
    session: Session,
    /// The newest entries of the work log, the newest first.
    recent: VecDeque<Entry>,
    shelf: Shelf,
}

/// The same as a checkpoint keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    session: Session,
    #[serde(default)]
    recent: VecDeque<Entry>,
}

impl Kind for Roadmaps {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn begun(&self, id: &str, first: &RawValue) -> Option<Box<dyn Hosted>> {
        let mut session = None;
        pool::apply(&mut session, id, &serde_json::from_str(first.get()).ok()?);
        Some(Box::new(Carried { session: session?, recent: VecDeque::new(), shelf: Shelf::default() }))
    }

    fn restored(&self, kept: &RawValue) -> Option<Box<dyn Hosted>> {
        let Kept { session, recent } = serde_json::from_str(kept.get()).ok()?;
        Some(Box::new(Carried { session, recent, shelf: Shelf::default() }))
    }
}

impl Hosted for Carried {
    fn protocol(&self) -> &'static str {
        PROTOCOL
    }

    fn take(&self, input: &Input, world: &World<'_>) -> Result<Followed, EngineError> {
        let (told, outputs, notices) = self.told(input, world)?;
        let mut followed = self.decide(&told, world)?;
        followed.notices.extend(notices);
        if let Input::Ended { fence, came } = input {
            let is_refused = !outputs.is_empty() && followed.is_late;
            let is_taken = !is_refused && !followed.facts.is_empty();
            followed.outputs = if is_taken { outputs } else { Vec::new() };
            followed.said = came.said().filter(|_| self.was_refused(*fence, &followed));
        }
        Ok(followed)
    }

    fn take_own(&self, word: &dyn Any, world: &World<'_>) -> Result<Followed, EngineError> {
        match word.downcast_ref::<Told>() {
            Some(told) => self.decide(std::slice::from_ref(told), world),
            None => match word.downcast_ref::<desk::Word>() {
                Some(word) => word.follow(self, world),
                None => Err(EngineError::refused("a roadmap takes no such word", "")),
            },
        }
    }

    fn apply(&mut self, facts: &[Box<RawValue>]) {
        let facts: Vec<Fact> = facts.iter().filter_map(|fact| serde_json::from_str(fact.get()).ok()).collect();
        let mut session = Some(self.session.clone());
        facts.iter().for_each(|fact| pool::apply(&mut session, &self.session.id, fact));
        if let Some(session) = session {
            self.session = session;
        }
        self.remember(&facts);
    }

    fn follow_document(&self, path: &str, change: &Change) {
        if path == self.session.log_file {
            self.shelf.follow(change);
        }
    }

    fn kept(&self) -> Result<Box<RawValue>, serde_json::Error> {
        let kept = Kept { session: self.session.clone(), recent: self.recent.clone() };
        serde_json::value::to_raw_value(&kept)
    }

    fn standing(&self) -> Standing<'_> {
        let session = &self.session;
        Standing {
            driven: Driven::Together(session.members.iter().map(|(opening, _)| opening.as_str()).collect()),
            is_paused: session.paused.is_some(),
            is_over: session.over.is_some(),
            began_at: &session.since,
            holders: session.attempts.iter().map(|(fence, attempt)| (*fence, &attempt.holder)).collect(),
            rest: session.rest(),
        }
    }

    fn has_work(&self, me: &str, room: Room, settings: &Settings) -> bool {
        match room {
            Room::Some => self.session.has_work(me, &settings.roadmap.limits),
            // Code integrates without a hand.
            Room::None => self.session.paused.is_none() && self.session.next_integration().is_some(),
        }
    }

    /// Code that integrates takes no hand.
    fn busy(&self, me: &str) -> usize {
        let attempts = self.session.attempts.iter().map(|(_, attempt)| attempt);
        attempts.filter(|attempt| takes_a_hand(attempt, me)).count()
    }

    fn before(&self, fence: u64, came: &mut Came, site: &Site<'_>) {
        self.keep_clashes(fence, came, site);
    }

    fn keep_aside(&self, fence: u64, came: &Came, settings: &Settings) -> Option<String> {
        let Came::Report { report, outputs } = came else { return None };
        let worked = Worked::of(report);
        // What was not finished is kept already: as files, or as a commit that is told of here.
        let commit = match (worked.commit, worked.partial) {
            (None, Some(place)) if self.session.ground == Ground::Files => {
                return Some(format!("a report came too late; its files are kept in {place}"));
            }
            (commit, partial) => commit.or(partial),
        };
        if commit.is_none() && outputs.is_empty() {
            return None;
        }
        let about = About {
            run: self.session.id.clone(),
            item: worked.item,
            executor: worked.executor,
            why: "its report came too late: the item was another's by then".into(),
            summary: report.summary.clone(),
            commit: commit.clone().unwrap_or_default(),
            before: worked.before,
        };
        Some(match aside::keep(&settings.project, fence, &about, outputs) {
            Ok(place) => match commit {
                Some(commit) => format!("a report came too late; its work is the commit {commit}, told of in {place}"),
                None => format!("a report came too late; its files are kept in {place}"),
            },
            Err(error) => format!("a report came too late, and its files cannot be kept: {error}"),
        })
    }

    fn deed(&self, fence: u64, site: &Site<'_>) -> Option<Deed> {
        let attempt = self.session.attempts.get(&fence)?;
        Some(deed::deed(&self.session, attempt, &self.recent, site))
    }

    fn brief(&self, fence: u64, site: &Site<'_>) -> Option<agent::Brief> {
        let attempt = self.session.attempts.get(&fence)?;
        attempt.work.part()?;
        Some(brief::brief(&self.session, attempt, &self.recent, site))
    }

    fn given(&self, _fence: u64, _settings: &Settings) -> Vec<Given> {
        vec![Given { path: self.session.task_file.clone(), why: "the task".into() }]
    }

    fn again(&self) -> String {
        let Session { name, task_file, log_file, .. } = &self.session;
        format!(
            "write into {task_file} (below **Response**, if it is an answer) or {log_file}, and `multiverse run --protocol roadmap {name}` takes it up"
        )
    }

    fn documents(&self) -> Vec<String> {
        vec![self.session.task_file.clone(), self.session.log_file.clone()]
    }

    fn folders(&self) -> Vec<String> {
        let folder = |path: &String| path.rsplit_once('/').map(|(folder, _)| folder.to_string());
        let folders: BTreeSet<String> = self.documents().iter().filter_map(folder).collect();
        folders.into_iter().collect()
    }

    fn message(&self, said: Said) -> (&'static str, String) {
        view::message(&self.session, said)
    }

    fn view(&self, driver: Driver) -> RunView {
        view::view(&self.session, driver)
    }

    fn attempts(&self) -> Vec<AttemptView> {
        view::attempts(&self.session)
    }

    fn waits(&self) -> Vec<Waiting> {
        view::waits(&self.session)
    }

    fn why(&self, item: Option<&str>, driver: Driver) -> Result<Why, EngineError> {
        why::why(&self.session, item, driver)
    }

    fn tell(&self, fact: &RawValue, event: &mut Event) {
        if let Ok(fact) = serde_json::from_str(fact.get()) {
            tell::tell(&self.session, &fact, event);
        }
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// Whether an attempt takes one of the hands of an opening.
fn takes_a_hand(attempt: &Attempt, me: &str) -> bool {
    attempt.work.part().is_some() && matches!(&attempt.holder, machine::Holder::Process(name) if name == me)
}

/// How many hands a decision that is not committed yet has given work.
fn handed_out(decision: &Decision) -> usize {
    let attempts =
        decision.facts.iter().filter(|fact| matches!(fact, Fact::Assigned(one) if one.work.part().is_some()));
    attempts.count()
}

/// What an input is to the machine, the files that come with it, and what people should know.
type Heard = (Vec<Told>, Vec<Output>, Vec<Notice>);

impl Carried {
    fn told(&self, input: &Input, world: &World<'_>) -> Result<Heard, EngineError> {
        let told = match input {
            Input::Wake => Told::Wake,
            Input::Claim => Told::Join { name: world.settings.roadmap.executor.clone() },
            Input::Release => Told::Leave,
            Input::Ended { fence, came } => return self.ended(*fence, came, world),
            Input::Answer { question, answer, by } => {
                Told::Answer { question: question.clone(), answer: answer.clone(), by: by.clone() }
            }
            Input::Gate { .. } | Input::Reopen { .. } => {
                let hint = format!("`multiverse explain {}` says what can be done", self.session.id);
                return Err(EngineError::refused("a roadmap has no gates", hint));
            }
            Input::Delivered { .. } => return Ok((Vec::new(), Vec::new(), Vec::new())),
            Input::Pause { reason } => Told::Pause { reason: reason.clone() },
            Input::Resume => match self.gone(world).filter(|_| self.session.over.is_none()) {
                Some(reason) => {
                    let (reason, hint) = reason.split_once(": ").unwrap_or((&reason, ""));
                    return Err(EngineError::refused(reason, hint));
                }
                None => Told::Resume,
            },
            Input::Cancel { by } => Told::Cancel { by: by.clone() },
            Input::Edited => return Ok(self.edited(world)),
        };
        Ok((vec![told], Vec::new(), Vec::new()))
    }

    fn ended(&self, fence: u64, came: &Came, world: &World<'_>) -> Result<Heard, EngineError> {
        let (outcome, outputs) = outcome::outcome(&self.session, fence, came);
        // Somebody may have changed a file since it was looked at: then it is looked at again, and the work kept first.
        if let (Came::Report { report, .. }, false) = (came, outputs.is_empty()) {
            let before = Worked::of(report).before;
            if self.session.attempts.contains(&fence) && !aside::clashes(&before, &outputs, world.read).is_empty() {
                return Err(EngineError::Again);
            }
        }
        let mut notices = Vec::new();
        if let Came::Done(value) = came
            && let Some(why) = value.get("left").and_then(serde_json::Value::as_str)
        {
            let reason = format!("the branch has the work; the files were left as you have them: {why}");
            notices.push(Notice::Problem { run: Some(self.session.id.clone()), path: None, reason });
        }
        Ok((vec![Told::Report { fence, outcome }], outputs, notices))
    }

    /// What people did to the documents: the task file first, because it says what the log is for.
    fn edited(&self, world: &World<'_>) -> Heard {
        let session = &self.session;
        let (task, log) = ((world.read)(&session.task_file), (world.read)(&session.log_file));
        if let Some(reason) = self.gone(world) {
            // The pause tells it.
            let told = if session.paused.is_some() { Vec::new() } else { vec![Told::Pause { reason }] };
            return (told, Vec::new(), Vec::new());
        }
        let mut notices = Vec::new();
        let mut told = Vec::new();
        if let Some(text) = task {
            let task = TaskFile::read(&session.task_file, &text.to_vec());
            notices.extend(tell::oddities(&session.id, &session.task_file, &task.problems));
            told.push(Told::TaskEdited(read_task(&task)));
        }
        if let Some(text) = log {
            let mut log = Log::read(&session.log_file, text);
            notices.extend(tell::oddities(&session.id, &session.log_file, log.problems()));
            told.push(Told::Edited { reading: compare(&mut log, session), by: Editor::Person });
        }
        (told, Vec::new(), notices)
    }

    /// A document without which nobody can go on is not there: which, and how it comes back.
    fn gone(&self, world: &World<'_>) -> Option<String> {
        let path = self.documents().into_iter().find(|path| (world.read)(path).is_none())?;
        let id = &self.session.id;
        Some(format!("{path} is gone: `multiverse restore {path}` brings it back, then `multiverse resume {id}`"))
    }

    /// What follows from inputs, one after another, in one commit.
    fn decide(&self, told: &[Told], world: &World<'_>) -> Result<Followed, EngineError> {
        let mut decision = Decision { session: self.session.clone(), facts: Vec::new(), effects: Vec::new() };
        for input in told {
            // Whoever reports has that hand free again.
            let ends = match input {
                Told::Report { fence, .. } => decision.session.attempts.get(fence),
                _ => None,
            };
            let free = world.free + ends.filter(|attempt| takes_a_hand(attempt, world.me)).map_or(0, |_| 1);
            let free = free.saturating_sub(handed_out(&decision));
            let next = in_world(&self.session.id, world, free, |inner, limits| {
                pool::decide(Some(&decision.session), &self.session.id, input, inner, limits)
            })?;
            decision.facts.extend(next.facts);
            decision.effects.extend(next.effects);
            decision.session = next.session;
        }
        follow(Some(self), self.shelf.clone(), decision, world)
    }

    /// Whether a report was sent back or did not succeed: then what was said is kept with the record.
    fn was_refused(&self, fence: u64, followed: &Followed) -> bool {
        let name = format!("\"fence\":{fence}");
        let is_it = |fact: &str| {
            fact.contains(&name)
                && (fact.contains("sent_back") || fact.contains("faltered") || fact.contains("refused"))
        };
        followed.facts.iter().any(|fact| is_it(fact.get()))
    }

    fn remember(&mut self, facts: &[Fact]) {
        for fact in facts {
            if let Fact::Logged(entry) = fact {
                self.recent.push_front(entry.clone());
            }
        }
        self.recent.truncate(brief::RECENT);
    }

    /// Without a repository: files that are another by now than when they were given out. The work is kept before that is
    /// recorded, so that it is not lost with this process.
    fn keep_clashes(&self, fence: u64, came: &mut Came, site: &Site<'_>) {
        let Some(attempt) = self.session.attempts.get(&fence) else { return };
        let Came::Report { report, outputs } = came else { return };
        let mut worked = Worked::of(report);
        if self.session.ground != Ground::Files || outputs.is_empty() {
            return;
        }
        let clashed = aside::clashes(&worked.before, outputs, site.read);
        if clashed.is_empty() {
            return;
        }
        let about = About {
            run: self.session.id.clone(),
            item: attempt.work.item().unwrap_or_default().into(),
            executor: attempt.executor.clone(),
            why: format!("others changed the same files meanwhile: {}", clashed.join(", ")),
            summary: report.summary.clone(),
            commit: String::new(),
            before: worked.before.clone(),
        };
        if let Ok(kept) = aside::keep(&site.settings.project, fence, &about, outputs) {
            worked.with = aside::who_changed(&site.settings.project, &clashed).unwrap_or_default();
            (worked.clashed, worked.kept) = (clashed, kept);
            worked.put(report);
        }
    }
}

/// What follows from a decision: the session with its facts, and what they change in documents.
fn follow(
    before: Option<&Carried>,
    shelf: Shelf,
    decision: Decision,
    world: &World<'_>,
) -> Result<Followed, EngineError> {
    let Decision { session, facts, effects } = decision;
    let edits = match facts.is_empty() {
        true => Vec::new(),
        false => shelf.edits(&Step { after: &session, facts: &facts, now: world.now }, world.read)?,
    };
    let known = before.map_or(&session, |before| &before.session);
    let mut notices: Vec<Notice> = facts.iter().filter_map(|fact| tell::notice_of(known, &session, fact)).collect();
    let is_late = effects.iter().any(|effect| matches!(effect, Effect::KeepAside(_)));
    let mut due = Vec::new();
    for effect in effects {
        match effect {
            Effect::Start(fence) => due.push(machine::Effect::Start(fence)),
            Effect::Stop(fence) => due.push(machine::Effect::Stop(fence)),
            // It is kept by whoever has it.
            Effect::KeepAside(_) => {}
            Effect::Tell(Saying::Question(_)) => due.push(machine::Effect::Say(Said::Question)),
            Effect::Tell(Saying::Problem(reason)) => {
                let path = Some(session.log_file.clone());
                notices.push(Notice::Problem { run: Some(session.id.clone()), path, reason });
            }
            // The fact itself is told.
            Effect::Tell(Saying::Paused) => {}
            Effect::Tell(Saying::Over) => due.push(machine::Effect::Say(match session.over {
                Some(Over::Done) | None => Said::Completion,
                Some(_) => Said::Failure,
            })),
        }
    }
    let cause = tell::cause(known, &facts);
    let is_resumed = facts.contains(&Fact::Resumed);
    let raw = facts.iter().map(serde_json::value::to_raw_value).collect::<Result<_, _>>();
    let raw = raw.map_err(|error| EngineError::refused(error.to_string(), ""))?;
    let recent = before.map(|before| before.recent.clone()).unwrap_or_default();
    let mut run = Carried { session, recent, shelf };
    run.remember(&facts);
    Ok(Followed {
        run: Box::new(run),
        facts: raw,
        effects: due,
        edits,
        outputs: Vec::new(),
        notices,
        cause,
        said: None,
        is_resumed,
        is_late,
    })
}

/// The world as the machine sees it.
fn in_world<T>(
    id: &str,
    world: &World<'_>,
    free: usize,
    decide: impl FnOnce(&pool::World<'_>, &Limits) -> Result<T, machine::Refusal>,
) -> Result<T, EngineError> {
    let casting = world.settings.casting_of(id);
    let role = |part: &Part| match part {
        Part::Planner => machine::Role::Planner,
        Part::Executor => machine::Role::Executor,
    };
    let parts = [Part::Planner, Part::Executor].into_iter();
    let people: BTreeSet<Part> = parts.filter(|part| casting.people.contains(&role(part))).collect();
    let inner = pool::World {
        now: world.now,
        me: world.me,
        cast: casting.cast(),
        alive: world.alive,
        stopped: world.stopped,
        free,
        people: &people,
        uuid,
    };
    decide(&inner, &world.settings.roadmap.limits).map_err(EngineError::from)
}

/// A task file as the machine reads it.
fn read_task(task: &TaskFile) -> pool::TaskReading {
    task_reading(task, blake3::hash(task.goal_source().as_bytes()).to_hex()[..32].to_string())
}

/// A UUID of our own making (version 8) for one step of one opening: the same each time it is asked for.
fn uuid(opening: &str, fence: u64) -> String {
    let digest = blake3::hash(format!("{opening}/{fence}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest.as_bytes()[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
