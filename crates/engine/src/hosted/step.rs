//! One step of a hosted run: what follows from an order is committed whole, and what must be done afterwards is given back.
//! Knows no machine.

use std::collections::BTreeMap;

use machine::{Effect, Metered};
use serde_json::value::RawValue;
use store::{Batch, Commit, Fs, ProjectPath};

use super::outcome::Outcome;
use super::{Came, Followed, Input, Runs, World, kind_of};
use crate::body::{HostedFacts, NewBody};
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::settings::Settings;
use crate::step::{Order, Ready, State, Taken, change_of, key, read, unknown_run, whole};

/// The most runs that are over and still known by heart; of older ones the journal tells.
const ENDED: usize = 20;

impl State {
    /// Decides and commits an order to a run that is hosted.
    pub(crate) fn hosted_step<F: Fs>(
        &mut self,
        batch: &mut Batch<'_, F>,
        ready: &Ready,
        settings: &Settings,
    ) -> Result<Taken, EngineError> {
        let id = ready.order.run();
        if let Some(protocol) = &self.unknown {
            let reason = format!("the journal has runs of the protocol {protocol:?}, which this program does not know");
            return Err(EngineError::refused(reason, "use the newer version of this program"));
        }
        let mut followed = {
            let read = |path: &str| read(batch, path);
            let (alive, stopped) = self.around(id, ready);
            let world = World {
                now: &ready.now,
                me: &self.me,
                alive: &alive,
                stopped: &stopped,
                free: settings.jobs.saturating_sub(self.busy),
                used: match &ready.order {
                    Order::Hosted { used, .. } => *used,
                    _ => Metered::default(),
                },
                settings,
                runs: &self.hosted,
                read: &read,
            };
            follow(&self.hosted, &ready.order, &world)?
        };
        let mut taken = Taken::of(id);
        (taken.is_resumed, taken.is_late) = (followed.is_resumed, followed.is_late);
        taken.effects = std::mem::take(&mut followed.effects);
        taken.notices = std::mem::take(&mut followed.notices);
        if followed.facts.is_empty() && followed.edits.is_empty() {
            return Ok(taken);
        }
        taken.record = Some(append(batch, id, &followed, &taken.effects, settings)?);
        let (was, is) = (self.hosted_busy(id), followed.run.busy(&self.me));
        self.busy = (self.busy + is).saturating_sub(was);
        match self.busy >= settings.jobs && !followed.run.standing().is_over {
            true => drop(self.hungry.insert(id.into())),
            false => drop(self.hungry.remove(id)),
        }
        self.host(id, followed.run);
        self.forget_old();
        Ok(taken)
    }

    /// Whether an order is for a run that another machine carries.
    pub(crate) fn is_for_hosted(&self, order: &Order) -> bool {
        match order {
            Order::Begin { .. } | Order::Hosted { .. } | Order::Own { .. } => true,
            Order::To { run, .. } => !self.hosted.is_empty() && self.hosted.contains_key(run),
            Order::Start { .. } | Order::Retry { .. } | Order::Adopt { .. } => false,
        }
    }

    /// Takes facts of a hosted run into memory; decides nothing.
    pub(crate) fn apply_hosted(&mut self, id: &str, told: &HostedFacts) {
        let Some(kind) = kind_of(&told.protocol) else {
            self.unknown = Some(told.protocol.clone());
            return;
        };
        match (self.hosted.get_mut(id), told.facts.split_first()) {
            (Some(run), _) => run.apply(&told.facts),
            (None, Some((first, rest))) => {
                if let Some(mut run) = kind.begun(id, first) {
                    run.apply(rest);
                    self.host(id, run);
                    self.forget_old();
                }
            }
            (None, None) => {}
        }
    }

    /// How many agents this process has at work for a hosted run.
    pub(crate) fn hosted_busy(&self, id: &str) -> usize {
        self.hosted.get(id).map_or(0, |run| run.busy(&self.me))
    }

    /// Keeps a run; a new one is the newest.
    fn host(&mut self, id: &str, run: Box<dyn super::Hosted>) {
        if self.hosted.insert(id.into(), run).is_none() {
            self.begun.push(id.into());
        }
    }

    /// Of runs that are over only the newest are remembered.
    fn forget_old(&mut self) {
        let is_over = |id: &&String| self.hosted.get(*id).is_none_or(|run| run.standing().is_over);
        let over: Vec<String> = self.begun.iter().filter(is_over).cloned().collect();
        for id in over.iter().take(over.len().saturating_sub(ENDED)) {
            self.hosted.remove(id);
            self.begun.retain(|other| other != id);
        }
    }
}

/// The hosted runs as a checkpoint keeps them: each with its protocol.
pub(crate) fn kept(runs: &Runs) -> BTreeMap<String, (String, Box<RawValue>)> {
    let kept = runs.iter().filter_map(|(id, run)| Some((id.clone(), (run.protocol().to_string(), run.kept().ok()?))));
    kept.collect()
}

fn follow(runs: &Runs, order: &Order, world: &World<'_>) -> Result<Followed, EngineError> {
    match order {
        Order::Begin { id, .. } if runs.contains_key(id) => {
            Err(EngineError::refused(format!("there is a run {id} already"), "try again in a second"))
        }
        Order::Begin { id, beginning } => beginning.begin(id, world),
        Order::Own { run, word } => runs.get(run).ok_or_else(|| unknown_run(run))?.take_own(word.as_ref(), world),
        Order::Hosted { run, input, .. } => runs.get(run).ok_or_else(|| unknown_run(run))?.take(input, world),
        Order::To { run, input, .. } => {
            let known = runs.get(run).ok_or_else(|| unknown_run(run))?;
            let Some(input) = Input::of(input) else {
                let reason = format!("a run of the protocol {} takes no such answer", known.protocol());
                return Err(EngineError::refused(reason, format!("`multiverse explain {run}` says what can be done")));
            };
            known.take(&input, world)
        }
        Order::Start { id, .. } | Order::Retry { id, .. } | Order::Adopt { id, .. } => Err(unknown_run(id)),
    }
}

fn append<F: Fs>(
    batch: &mut Batch<'_, F>,
    id: &str,
    followed: &Followed,
    effects: &[Effect],
    settings: &Settings,
) -> Result<u64, EngineError> {
    let mut changes = Vec::with_capacity(followed.edits.len() + followed.outputs.len());
    for (path, edit) in &followed.edits {
        changes.push(change_of(batch, path, edit)?);
    }
    for output in &followed.outputs {
        changes.push((output.path.clone(), whole(batch, &output.path, output.content.clone())));
    }
    let begun = effects.iter().filter_map(|effect| match effect {
        Effect::Start(fence) => Some((*fence, followed.run.given(*fence, settings))),
        Effect::Stop(_) | Effect::Say(_) => None,
    });
    let protocol = followed.run.protocol();
    let body = NewBody {
        run: id,
        facts: &[],
        hosted: Some(HostedFacts { protocol: protocol.into(), facts: followed.facts.clone() }),
        effects: effects.iter().filter_map(|effect| key(id, effect)).collect(),
        given: begun.filter(|(_, given)| !given.is_empty()).collect(),
        prompts: BTreeMap::new(),
        said: followed.said.clone(),
    };
    let raw = body.to_raw().map_err(|error| EngineError::refused(error.to_string(), ""))?;
    let cause = format!("{id}: {}", followed.cause);
    let commit = Commit::new(cause, batch.head().number, changes).with_body(raw);
    Ok(batch.append(&commit)?)
}

impl State {
    /// Takes in the hosted runs of a checkpoint, and in which order they began. One that an older program wrote does not
    /// say it: then it is that of their times.
    #[allow(clippy::needless_pass_by_value, reason = "it ends here")]
    pub(crate) fn restore_hosted(&mut self, kept: BTreeMap<String, (String, Box<RawValue>)>, begun: Vec<String>) {
        for (id, (protocol, raw)) in kept {
            match kind_of(&protocol).and_then(|kind| kind.restored(&raw)) {
                Some(run) => drop(self.hosted.insert(id, run)),
                None => self.unknown = Some(protocol),
            }
        }
        let mut ids: Vec<String> = self.hosted.keys().cloned().collect();
        ids.sort_by_key(|id| {
            let place = begun.iter().position(|other| other == id);
            (place, self.hosted.get(id).map(|run| run.standing().began_at.to_string()))
        });
        self.begun = ids;
    }
}

impl<F: Fs> Engine<F> {
    /// What an order to a hosted run needs to know of the world: files that cannot be placed are the agent's mistake, told
    /// before anything is decided on them. Those that were there without this journal are taken under it.
    pub(crate) fn ready_hosted(&mut self, ready: &mut Ready) -> Result<(), EngineError> {
        if let Some(run) = self.state.hosted.get(ready.order.run()).filter(|run| !run.standing().is_over) {
            let writes = run.writes();
            self.adopt_if_there(writes.iter().map(String::as_str))?;
        }
        let Order::Hosted { run, input: Input::Ended { fence, came }, used } = &mut ready.order else { return Ok(()) };
        let Came::Report { outputs, .. } = came else {
            Outcome::of(came, *used, self.store.head().number).keep(&self.settings.project, run, *fence);
            return Ok(());
        };
        self.adopt_if_there(outputs.iter().map(|output| output.path.as_str()))?;
        let problems = self.unplaceable(outputs)?;
        if !problems.is_empty() {
            let said = came.said().unwrap_or_default();
            *came = Came::Broken { problems, said };
        }
        if let Some(known) = self.state.hosted.get(run.as_str()) {
            self.at_site(|site| known.before(*fence, came, site));
        }
        Outcome::of(came, *used, self.store.head().number).keep(&self.settings.project, run, *fence);
        Ok(())
    }

    /// Takes files that are there under the journal, so that a step can change them.
    pub(crate) fn adopt_if_there<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), EngineError> {
        let mut there = Vec::new();
        for path in paths.filter_map(|path| ProjectPath::document(path).ok()) {
            let is_new = self.store.read(&path).is_none() && !there.contains(&path);
            if is_new && matches!(self.store.fs().look(&path), Ok(Some(_))) {
                there.push(path);
            }
        }
        if !there.is_empty() && self.store.adopt(&there)?.is_some() {
            self.follow()?;
        }
        Ok(())
    }
}
