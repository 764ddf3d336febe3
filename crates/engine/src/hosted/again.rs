//! A hosted run carried out again from what was kept of it (BY-19): on the ground that the journal has for every step, with
//! what agents, and code that started programs, had to say then, each step is decided again by the rules of today, and facts
//! and documents are held against those that stand there, byte for byte. So is what every agent would be told. What people
//! and other programs did is taken as it was. Changes nothing; knows no machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agent::Replay;
use dialect::Edit;
use machine::{Holder, Metered, Role};
use serde_json::Value;
use serde_json::value::RawValue;
use store::{Fs, ProjectPath, Record};
use text::Text;

use super::outcome::Outcome;
use super::{Deed, Followed, Hosted, Input, Runs, Site, World, kind_of};
use crate::body::Body;
use crate::brief::put_into_words;
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::service::Service;
use crate::settings::Settings;

/// The most differences that are kept.
const MAX_DIFFERENCES: usize = 1000;
/// The most moments of one step that its decision is tried at.
const MAX_MOMENTS: usize = 8;
/// How many steps after its own a brief may have been made: several are committed at once.
const MAX_LATER: usize = 8;
/// The most characters of a fact that a difference shows.
const SHOWN: usize = 120;

/// What came of carrying a run out again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeated {
    /// Steps that were decided again.
    pub decided: usize,
    /// Steps that were taken as they were: words of people, edits by hand, processes that came and went.
    pub given: usize,
    /// Documents that were written again.
    pub documents: BTreeSet<String>,
    /// Briefs of agents that were made again.
    pub briefs: usize,
    /// What is other than it was.
    pub differences: Vec<String>,
}

/// The documents that a record made, as they were afterwards.
type Made = [(ProjectPath, Option<Text>)];

/// What a step may have been.
struct Candidate {
    input: Input,
    me: String,
    used: Metered,
    fence: Option<u64>,
}

/// A run on its way.
struct Again<'a, F: Fs> {
    engine: &'a Engine<F>,
    id: &'a str,
    replay: Arc<Replay>,
    settings: Settings,
    /// The run before the next record, among no others.
    runs: Runs,
    /// All documents before it.
    texts: BTreeMap<String, Text>,
    /// Attempts whose end was met.
    ended: BTreeSet<u64>,
    /// Attempts whose briefs are others so far: what is other, and how often that was looked at.
    unlike: BTreeMap<u64, (Vec<String>, usize)>,
    found: Repeated,
}

impl<F: Fs> Service<F> {
    /// Carries a hosted run out again from what was kept of it; nothing if the journal knows none of this id.
    pub fn repeat(&self, id: &str, replay: Arc<Replay>) -> Result<Option<Repeated>, EngineError> {
        let mut again = Again::of(&self.engine, id, replay);
        let mut problem = None;
        store::versions(
            self.engine.store.fs(),
            |_| true,
            |record, made| {
                if problem.is_none() {
                    problem = again.follow(record, made).err();
                }
            },
        )?;
        match problem {
            Some(reason) => {
                Err(EngineError::refused(reason, "what cannot be read of a run cannot be carried out again"))
            }
            None if again.runs.is_empty() => Ok(None),
            None => {
                again.settle(&BTreeSet::new());
                Ok(Some(again.found))
            }
        }
    }
}

impl<'a, F: Fs> Again<'a, F> {
    fn of(engine: &'a Engine<F>, id: &'a str, replay: Arc<Replay>) -> Self {
        let mut settings = engine.settings.clone();
        let (name, roles) = (format!("replay:{id}"), replay.roles().clone());
        [Role::Planner, Role::Executor].into_iter().for_each(|role| settings.play(role, replay.clone()));
        for role in roles.iter().filter(|role| usual(role).is_none()) {
            settings.casting.play_part(role, &name, replay.clone());
        }
        let (runs, texts, ended, found) = (Runs::new(), BTreeMap::new(), BTreeSet::new(), Repeated::default());
        Self { engine, id, replay, settings, runs, texts, ended, unlike: BTreeMap::new(), found }
    }

    fn follow(&mut self, record: &Record, made: &Made) -> Result<(), String> {
        let body = record.body.as_deref().and_then(Body::of).filter(|body| body.run == self.id);
        let told = body.and_then(|body| body.hosted);
        let after = told.as_ref().and_then(|told| {
            let kind = kind_of(&told.protocol)?;
            match self.runs.get(self.id) {
                None => {
                    let (first, rest) = told.facts.split_first()?;
                    let mut run = kind.begun(self.id, first)?;
                    run.apply(rest);
                    Some(run)
                }
                Some(before) => {
                    // As a checkpoint has it: what is remembered of documents beside it is read anew.
                    let mut run = kind.restored(&before.kept().ok()?)?;
                    run.apply(&told.facts);
                    Some(run)
                }
            }
        });
        if let (Some(after), Some(told)) = (&after, &told) {
            self.leave_to_people(after.as_ref());
            match self.runs.contains_key(self.id) {
                true => self.decide(record, &told.facts, made, after.as_ref())?,
                false => self.found.given += 1,
            }
        }
        for (path, text) in made {
            match text {
                Some(text) => drop(self.texts.insert(path.to_string(), text.clone())),
                None => drop(self.texts.remove(path.as_str())),
            }
        }
        if let Some(after) = after {
            let before = self.runs.get(self.id).map(|run| held(run.as_ref())).unwrap_or_default();
            let is = held(after.as_ref());
            self.settle(&is);
            for fence in is.difference(&before).copied().chain(self.unlike.keys().copied()).collect::<BTreeSet<_>>() {
                self.tell(after.as_ref(), fence)?;
            }
            self.runs.insert(self.id.into(), after);
        }
        Ok(())
    }

    /// Briefs that stayed others are told, of attempts that are over or were looked at often enough.
    fn settle(&mut self, held: &BTreeSet<u64>) {
        let is_settled = |fence: &u64, tries: usize| !held.contains(fence) || tries > MAX_LATER;
        let settled: Vec<u64> = self
            .unlike
            .iter()
            .filter(|(fence, (_, tries))| is_settled(fence, *tries))
            .map(|(fence, _)| *fence)
            .collect();
        for fence in settled {
            let (differences, _) = self.unlike.remove(&fence).unwrap_or_default();
            self.note(differences);
        }
    }

    /// Parts that people have are theirs.
    fn leave_to_people(&mut self, run: &dyn Hosted) {
        let standing = run.standing();
        let is_persons =
            |fence: u64| standing.holders.iter().any(|(one, held)| *one == fence && **held == Holder::Person);
        for attempt in run.attempts().into_iter().filter(|attempt| is_persons(attempt.fence)) {
            if let Some(role) = usual(&attempt.role) {
                self.settings.leave_to_people(role);
            }
            self.settings.casting.leave_part_to_people(&attempt.role);
        }
    }

    /// Decides a step again.
    fn decide(
        &mut self,
        record: &Record,
        facts: &[Box<RawValue>],
        made: &Made,
        after: &dyn Hosted,
    ) -> Result<(), String> {
        let Some(before) = self.runs.get(self.id) else { return Ok(()) };
        let then: Vec<Value> = facts.iter().map(|fact| value(fact)).collect();
        let candidates = self.candidates(before.as_ref(), after, record, &then, made)?;
        let moments = moments(&then, &record.at);
        let mut nearest: Option<(u64, Vec<String>)> = None;
        let mut same = None;
        'all: for candidate in &candidates {
            for now in &moments {
                let Ok(followed) = self.take(before.as_ref(), after, candidate, now) else { continue };
                let differences = differences(&followed, &then, made, &self.texts);
                if differences.is_empty() {
                    same = Some(candidate.fence);
                    break 'all;
                }
                if let Some(fence) = candidate.fence
                    && nearest.as_ref().is_none_or(|(_, known)| differences.len() < known.len())
                {
                    nearest = Some((fence, differences));
                }
            }
        }
        match (same, nearest) {
            (Some(fence), _) => {
                self.found.decided += 1;
                self.ended.extend(fence);
                self.found.documents.extend(made.iter().map(|(path, _)| path.to_string()));
            }
            (None, Some((fence, differences))) => {
                self.found.decided += 1;
                self.ended.insert(fence);
                let told = differences.into_iter().map(|one| format!("record {}: {one}", record.number));
                self.note(told.collect());
            }
            (None, None) => self.found.given += 1,
        }
        Ok(())
    }

    /// What a step may have been: the end of an attempt that it speaks of, or that whoever carries the run on looked what
    /// follows, came or went.
    fn candidates(
        &self,
        before: &dyn Hosted,
        after: &dyn Hosted,
        record: &Record,
        then: &[Value],
        made: &Made,
    ) -> Result<Vec<Candidate>, String> {
        let (was, is) = (before.standing(), after.standing());
        let content = |path: &ProjectPath| {
            let made = made.iter().find(|(one, _)| one == path).and_then(|(_, text)| text.clone());
            made.or_else(|| self.texts.get(path.as_str()).cloned())
        };
        let mut found = Vec::new();
        for (fence, holder) in &was.holders {
            let is_over = is.holders.iter().all(|(one, _)| one != fence) || then.iter().any(|fact| names(fact, *fence));
            if !is_over || self.ended.contains(fence) {
                continue;
            }
            let kept = Outcome::read(&self.settings.project, self.id, *fence)?;
            let Some(kept) = kept.filter(|kept| !kept.is_lost() && kept.after < record.number) else { continue };
            let me = match holder {
                Holder::Process(name) => name.clone(),
                Holder::Person => was.drivers().next().unwrap_or_default().into(),
            };
            let input = Input::Ended { fence: *fence, came: kept.came(&content) };
            found.push(Candidate { input, me, used: kept.used(), fence: Some(*fence) });
        }
        let drivers: BTreeSet<&str> = was.drivers().chain(is.drivers()).collect();
        for me in drivers {
            for input in [Input::Wake, Input::Claim, Input::Release] {
                found.push(Candidate { input, me: me.into(), used: Metered::default(), fence: None });
            }
        }
        Ok(found)
    }

    fn take(
        &self,
        before: &dyn Hosted,
        after: &dyn Hosted,
        candidate: &Candidate,
        now: &str,
    ) -> Result<Followed, EngineError> {
        let read = |path: &str| self.texts.get(path).cloned();
        let mut alive = before.standing().members();
        alive.insert(candidate.me.clone());
        let world = World {
            now,
            me: &candidate.me,
            alive: &alive,
            stopped: &BTreeSet::new(),
            // As many hands as were taken.
            free: begun(before, after),
            used: candidate.used,
            settings: &self.settings,
            runs: &self.runs,
            read: &read,
        };
        before.take(&candidate.input, &world)
    }

    /// What an agent that begins would be told today.
    fn tell(&mut self, run: &dyn Hosted, fence: u64) -> Result<(), String> {
        // What is a document today, and was none then, was not there.
        let read = |path: &str| match self.texts.get(path) {
            Some(text) => Some(text.clone()),
            None if self.engine.read(path).is_some() => None,
            None => self.engine.content_of(path),
        };
        let newer = Vec::<(String, Text)>::new;
        let site = Site { settings: &self.settings, read: &read, newer: &newer };
        let Some(Deed::Brief(mut brief, _) | Deed::At(mut brief, _, _)) = run.deed(fence, &site) else {
            return Ok(());
        };
        put_into_words(&mut brief, &self.settings.prompts());
        let content = |path: &str| self.texts.get(path).map(Text::to_vec);
        let told = self.replay.held_against(fence, *brief, &self.settings.project, &content)?;
        let Some(differences) = told else { return Ok(()) };
        let known = self.unlike.remove(&fence);
        self.found.briefs += usize::from(known.is_none());
        if !differences.is_empty() {
            let tries = known.as_ref().map_or(0, |(_, tries)| tries + 1);
            // What is nearest to what was recorded is what was other.
            let nearest = known.map(|(known, _)| known).filter(|known| known.len() <= differences.len());
            self.unlike.insert(fence, (nearest.unwrap_or(differences), tries));
        }
        Ok(())
    }

    fn note(&mut self, differences: Vec<String>) {
        let room = MAX_DIFFERENCES.saturating_sub(self.found.differences.len());
        self.found.differences.extend(differences.into_iter().take(room));
    }
}

/// A role that all protocols know.
fn usual(role: &str) -> Option<Role> {
    match role {
        "planner" => Some(Role::Planner),
        "executor" => Some(Role::Executor),
        _ => None,
    }
}

/// The attempts that are under way.
fn held(run: &dyn Hosted) -> BTreeSet<u64> {
    run.standing().holders.iter().map(|(fence, _)| *fence).collect()
}

/// How many attempts a step began that a process has.
fn begun(before: &dyn Hosted, after: &dyn Hosted) -> usize {
    let was = held(before);
    let is_new = |(fence, holder): &&(u64, &Holder)| !was.contains(fence) && matches!(holder, Holder::Process(_));
    after.standing().holders.iter().filter(is_new).count()
}

fn value(fact: &RawValue) -> Value {
    serde_json::from_str(fact.get()).unwrap_or_default()
}

/// Whether a fact is about an attempt.
fn names(fact: &Value, fence: u64) -> bool {
    match fact {
        Value::Object(fields) => {
            fields.get("fence").is_some_and(|one| *one == fence) || fields.values().any(|one| names(one, fence))
        }
        Value::Array(items) => items.iter().any(|one| names(one, fence)),
        _ => false,
    }
}

/// The moments at which a step may have been decided: those that its facts name, then that of its record, whose second may
/// have begun in between.
fn moments(facts: &[Value], at: &str) -> Vec<String> {
    let mut found = Vec::new();
    facts.iter().for_each(|fact| add_moments(fact, &mut found));
    if let Ok(written) = at.parse::<jiff::Timestamp>() {
        for second in [written.as_second(), written.as_second() - 1] {
            found.extend(jiff::Timestamp::from_second(second).ok().map(|moment| format!("{moment:.0}")));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|moment| seen.insert(moment.clone()));
    found.truncate(MAX_MOMENTS);
    found
}

fn add_moments(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() == 20 && text.ends_with('Z') && text.parse::<jiff::Timestamp>().is_ok() => {
            found.push(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|one| add_moments(one, found)),
        Value::Object(fields) => fields.values().for_each(|one| add_moments(one, found)),
        _ => {}
    }
}

/// Where what follows today is other than what followed then.
fn differences(followed: &Followed, then: &[Value], made: &Made, texts: &BTreeMap<String, Text>) -> Vec<String> {
    let now: Vec<Value> = followed.facts.iter().map(|fact| value(fact)).collect();
    let mut found = Vec::new();
    for number in 0..then.len().max(now.len()) {
        if then.get(number) != now.get(number) {
            let shown = |fact: Option<&Value>| fact.map_or("nothing".into(), |fact| cut(&fact.to_string()));
            found.push(format!(
                "fact {}: {}, recorded {}",
                number + 1,
                shown(now.get(number)),
                shown(then.get(number))
            ));
        }
    }
    let mut written: BTreeMap<&str, Text> = BTreeMap::new();
    for (path, edit) in &followed.edits {
        let text = match edit {
            Edit::Change(revision) => revision.after.clone(),
            Edit::Create(content) | Edit::Write(content) => Text::from(content.as_str()),
        };
        written.insert(path, text);
    }
    for output in &followed.outputs {
        written.insert(output.path.as_str(), Text::from(output.content.clone()));
    }
    for (path, then) in made {
        if *then != written.remove(path.as_str()) {
            found.push(format!("document {path}: its content is another"));
        }
    }
    // What is written as it stands is no change.
    written.retain(|path, text| texts.get(*path) != Some(&*text));
    found.extend(written.keys().map(|path| format!("document {path}: it was not written then")));
    found
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}
