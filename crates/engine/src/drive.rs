//! The loop: orders are taken, agents are set to work, what they say becomes orders again; until nothing can go on
//! without a person.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::Scratch;
use dialect::Protocol;
use machine::{Attempt, Effect, Holder, Input, Metered, Outcome, Role, Said, Work};
use serde_json::json;
use store::{Fs, ProjectPath};

use crate::arrive::Arrived;
use crate::brief;
use crate::crew::{Arrival, Assignment, Task};
use crate::engine::Written;
use crate::fault::EngineError;
use crate::hosted;
use crate::inputs;
use crate::interrupt::Interrupt;
use crate::notice::{Notice, work_in_words};
use crate::service::Service;
use crate::settings::{A_PERSON, THE_ENGINE};
use crate::speak::speak;
use crate::step::{Order, Taken};
use crate::views::Waiting;
use crate::watch::{self, Hint, Watch};

/// How long a Communicator may take before code speaks itself, in seconds.
const SPEAKING: u64 = 300;
/// How often it is looked for edits by hand.
const LOOK: Duration = Duration::from_secs(1);
/// How soon it is looked again at an edit that may not be finished.
const SETTLES: Duration = Duration::from_millis(60);
/// How often it is looked for commits of other processes.
const CATCH_UP: Duration = Duration::from_millis(200);

/// What it is worth looking for.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    commits: bool,
    edits: bool,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drove {
    /// Nothing can go on without a person.
    ToRest,
    /// It was interrupted; `resume` goes on.
    Interrupted,
}

/// What is done beside the agents' work.
pub type Beside<'a, F> = &'a mut dyn FnMut(&mut Service<F>) -> Option<Duration>;

impl<F: Fs> Service<F> {
    /// Takes runs up and carries them on until nothing can go on without a person. Those that another live process
    /// drives are refused, and named.
    pub fn drive(&mut self, runs: &[String], interrupt: &Interrupt) -> Result<Drove, EngineError> {
        self.drive_beside(runs, interrupt, &mut |_| None)
    }

    /// The same, with something that is done beside the agents' work, whenever the loop would wait for them: a person may
    /// be asked meanwhile. It says how soon it wants to be called again, if that is sooner than the loop would.
    pub fn drive_beside(
        &mut self,
        runs: &[String],
        interrupt: &Interrupt,
        beside: Beside<'_, F>,
    ) -> Result<Drove, EngineError> {
        // What people did while nobody drove is looked at before anything is decided on it.
        self.engine.settle()?;
        let edits = self.engine.edits();
        self.take_all(edits)?;
        self.sweep_scratch()?;
        self.claim(runs)?;
        let drove = self.drive_on(interrupt, beside)?;
        self.crew.tidy_up();
        self.messengers.drain(..).for_each(|thread| drop(thread.join()));
        self.engine.store.finish()?;
        self.engine.follow()?;
        Ok(drove)
    }

    /// Takes runs up, all in one go: a thousand are as soon under way as one.
    fn claim(&mut self, runs: &[String]) -> Result<(), EngineError> {
        // Those that came without a journal go on from their documents.
        let is_unknown = |run: &&String| self.engine.run(run).is_none() && !self.engine.is_hosted(run);
        let unknown: Vec<String> = runs.iter().filter(is_unknown).cloned().collect();
        let stranded = if unknown.is_empty() { Vec::new() } else { self.stranded() };
        for run in unknown.iter().filter(|run| stranded.contains(run)) {
            self.adopt_run(run)?;
        }
        let me = self.engine.me();
        let is_mine = |run: &&String| self.engine.run(run).is_some_and(|run| run.driver.as_deref() == Some(me));
        let others = runs.iter().filter(|run| !is_mine(run) && !self.engine.is_settled_hosted(run));
        let orders: Vec<Order> = others.map(|run| Order::to(run, Input::Claim)).collect();
        self.joined.extend(runs.iter().filter(|run| self.engine.is_shared(run)).cloned());
        let mut claimed = Ok(());
        for (_, result) in self.engine.take(orders)? {
            match result {
                Ok(taken) => self.perform(taken),
                Err(error) => claimed = claimed.and(Err(error)),
            }
        }
        claimed
    }

    fn drive_on(&mut self, interrupt: &Interrupt, beside: Beside<'_, F>) -> Result<Drove, EngineError> {
        let (mut looked, mut caught_up) = (Instant::now(), Instant::now());
        let (mut unsettled, mut hinted) = (false, false);
        loop {
            if interrupt.asked() > 0 {
                return self.end_agents(interrupt);
            }
            self.look_after_members();
            let orders: Vec<Order> = std::mem::take(&mut self.queue).into();
            // Whoever writes has taken in what others wrote.
            caught_up = if orders.is_empty() { caught_up } else { Instant::now() };
            self.take_all(orders)?;
            self.start_enlisted();
            self.feed_hungry();
            let wake = self.wake_rested().into_iter().chain(self.wake_hosted()).min();
            let arrived = self.crew.arrived(Duration::ZERO);
            self.enqueue(arrived);
            if !self.queue.is_empty() {
                self.engine.store.place_in_passing()?;
                continue;
            }
            let is_idle = self.crew.is_idle();
            if is_idle {
                // What other processes did meanwhile may let something go on.
                if !self.waits_for_others() || self.engine.store.has_news() {
                    self.catch_up()?;
                }
                self.react();
                match (self.queue.is_empty(), wake) {
                    (false, _) => continue,
                    (true, None) if !self.waits_for_others() => return self.leave_shared().map(|()| Drove::ToRest),
                    // It goes on by itself, later, or when others have done their part.
                    (true, _) => {}
                }
            }
            let soon = if is_idle && !self.waits_for_others() { None } else { beside(self) };
            let due = self.engine.store.place_meanwhile()?;
            let patience =
                soon.unwrap_or(CATCH_UP).min(CATCH_UP).min(due.unwrap_or(CATCH_UP)).min(wake.unwrap_or(CATCH_UP));
            let patience = if unsettled { patience.min(SETTLES) } else { patience };
            let told = self.wait(is_idle, patience.max(Duration::from_millis(1)));
            if told.commits || caught_up.elapsed() >= CATCH_UP {
                caught_up = Instant::now();
                self.catch_up()?;
            }
            let again = if unsettled { SETTLES } else { LOOK };
            let again = if (hinted || told.edits) && !unsettled { self.heeds_hints_after() } else { again };
            hinted |= told.edits;
            if looked.elapsed() >= again {
                (looked, hinted) = (Instant::now(), false);
                unsettled = self.look()?;
            }
            self.react();
        }
    }

    /// Waits for agents, or for news of files; says what it is worth looking for.
    fn wait(&mut self, is_idle: bool, patience: Duration) -> Told {
        if !std::mem::replace(&mut self.watched, true) && self.engine.settings.project.is_dir() {
            // Where nobody tells, it is looked now and then.
            self.watch = Watch::begin(&self.engine.settings.project, self.crew.to_hint()).ok();
            self.cover();
        }
        let mut told = Told::default();
        match &self.watch {
            None if is_idle => self.engine.store.fs().pause(patience),
            watch => {
                let wants_news = watch.is_some() && self.wants_news();
                watch.iter().filter(|_| wants_news).for_each(Watch::expect_commit);
                // What was committed just before nobody tells of.
                let patience = if wants_news && self.engine.store.has_news() { Duration::ZERO } else { patience };
                told.commits = patience.is_zero();
                let arrived = self.crew.arrived(patience);
                self.enqueue(arrived);
            }
        }
        for hint in self.crew.hints() {
            match hint {
                Hint::Journal => told.commits = true,
                Hint::Everything => told = Told { commits: true, edits: true },
                // What this process placed itself is as it was last seen.
                Hint::Files(files) => {
                    let mut paths = files.iter().filter_map(|file| ProjectPath::any(file).ok());
                    told.edits |= paths.any(|path| self.engine.store.looks_edited(&path));
                }
            }
        }
        told
    }

    /// Has the folders watched in which people edit what this process carries on.
    pub(crate) fn cover(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let me = self.engine.me();
        let mine = self.engine.runs().filter(|run| run.driver.as_deref() == Some(me));
        let folders = mine.flat_map(|run| self.engine.protocol().run_folders(&run.id));
        let folders = self.engine.hosted_folders().chain(folders);
        let folders: BTreeSet<String> = folders.take(watch::FOLDERS).chain(["db".into()]).collect();
        // What cannot be watched is looked at now and then; `doctor` says so.
        let _ = watch.cover(folders);
    }

    /// Removes what attempts of dead processes left behind, once.
    fn sweep_scratch(&mut self) -> Result<(), EngineError> {
        if std::mem::replace(&mut self.swept, true) || !self.engine.settings.project.is_dir() {
            return Ok(());
        }
        let alive = self.engine.store.openings()?;
        let runs = &self.engine.state.runs;
        let holder = |run: &str, fence: u64| match runs.get(run) {
            Some(run) => run.attempts.get(&fence).map(|attempt| attempt.holder.clone()),
            None => self.engine.hosted_holder(run, fence),
        };
        let holds = |run: &str, fence: u64| match holder(run, fence) {
            Some(holder) => matches!(&holder, Holder::Process(name) if alive.contains(name)),
            // Something that is no run, or one that many carry on: another process may be at it just now.
            None => (!run.starts_with("run-") || self.engine.is_shared(run)) && alive.len() > 1,
        };
        // What cannot be removed is in nobody's way.
        let _ = Scratch::sweep(&self.engine.settings.project, &holds);
        Ok(())
    }

    fn enqueue(&mut self, arrived: Vec<Arrival>) {
        self.queue.extend(arrived.into_iter().map(order_of));
    }

    fn take_all(&mut self, orders: Vec<Order>) -> Result<(), EngineError> {
        let written = self.engine.write(orders)?;
        let head = self.engine.store.head();
        self.prepare(&written);
        let steps = self.engine.make_durable(written)?;
        // What others did since may be in a brief as well.
        if self.engine.store.head() != head {
            self.prepared.clear();
            self.deeds.clear();
        }
        for (order, result) in steps {
            match result {
                Ok(taken) => {
                    self.keep_late(&order, &taken);
                    self.perform(taken);
                }
                Err(error) => self.not_taken(order, &error)?,
            }
        }
        Ok(())
    }

    /// Makes the briefs of those who are to be set to work, while the disk writes what was decided. Nobody is given one
    /// before that is durable.
    fn prepare(&mut self, written: &Written) {
        self.prepared.clear();
        self.deeds.clear();
        for taken in written.taken() {
            for effect in &taken.effects {
                let Effect::Start(fence) = effect else { continue };
                self.prepare_hosted(&taken.run, *fence);
                // A run whose memory is ahead of the journal is made anew first.
                if self.engine.state.unsure.contains(&taken.run) {
                    continue;
                }
                let attempt = self.engine.run(&taken.run).and_then(|run| run.attempts.get(fence));
                let works = |attempt: &Attempt| match (&attempt.work, &attempt.holder) {
                    (Work::SetUp(_) | Work::Catalog(_), _) => false,
                    (work, Holder::Process(name)) => {
                        name == self.engine.me()
                            && self.engine.settings.casting_of(&taken.run).crew.contains_key(&work.role())
                    }
                    _ => false,
                };
                if !attempt.is_some_and(works) {
                    continue;
                }
                let brief = self.brief(&taken.run, *fence);
                self.prepared.extend(brief.map(|brief| (taken.run.clone(), *fence, brief)));
            }
        }
    }

    fn brief(&mut self, run_id: &str, fence: u64) -> Option<agent::Brief> {
        let engine = &mut self.engine;
        // The brief is made of the run and of documents that are looked up on the way: the runs step out meanwhile.
        let runs = std::mem::take(&mut engine.state.runs);
        let (state, settings) = (&mut engine.state, &engine.settings);
        let attempt = runs.get(run_id).and_then(|run| Some((run, run.attempts.get(&fence)?)));
        let build = |(run, attempt)| brief::build(state, &engine.store, engine.hierarchy, settings, run, attempt);
        let brief = attempt.map(build);
        engine.state.runs = runs;
        brief
    }

    /// An order that was not taken: outdated reports are dropped; what a broken document cannot hold waits, with the
    /// run paused, until a person has mended it.
    fn not_taken(&mut self, order: Order, error: &EngineError) -> Result<(), EngineError> {
        let run = order.run().to_string();
        match error {
            EngineError::Again => self.queue.push_back(order),
            EngineError::Document { path, line, reason, hint, .. } => {
                let place = Some(format!("{path}:{line}"));
                let told = format!("{reason}; {hint}");
                (self.engine.listener)(Notice::Problem { run: Some(run.clone()), path: place, reason: told });
                self.held.entry(run.clone()).or_default().push(order);
                let reason = format!("{path}:{line}: {reason}");
                let pause = Order::to(&run, Input::Pause { reason });
                for (_, result) in self.engine.take(vec![pause])? {
                    if let Ok(taken) = result {
                        self.perform(taken);
                    }
                }
            }
            other => {
                let reason = format!("not taken: {other}");
                (self.engine.listener)(Notice::Problem { run: Some(run), path: None, reason });
            }
        }
        Ok(())
    }

    /// Does what a commit said must be done.
    pub(crate) fn perform(&mut self, taken: Taken) {
        self.settle_hosted(&taken.run);
        if taken.is_resumed
            && let Some(held) = self.held.remove(&taken.run)
        {
            self.queue.extend(held);
        }
        for effect in taken.effects {
            match effect {
                Effect::Start(fence) => self.start_attempt(&taken.run, fence),
                Effect::Stop(fence) => self.end_attempt(&taken.run, fence),
                Effect::Say(said) => self.present(&taken.run, said),
            }
        }
    }

    fn start_attempt(&mut self, run_id: &str, fence: u64) {
        let Some(run) = self.engine.state.runs.get(run_id) else { return self.start_hosted(run_id, fence) };
        let Some(attempt) = run.attempts.get(&fence) else { return };
        let role = attempt.work.role();
        let is_mine = matches!(&attempt.holder, Holder::Process(name) if name == self.engine.me());
        let casting = self.engine.settings.casting_of(run_id);
        let backend = casting.crew.get(&role).cloned();
        let agent = match (&attempt.work, &backend) {
            (Work::SetUp(_) | Work::Catalog(_), _) => THE_ENGINE.to_string(),
            (_, Some(_)) if is_mine => casting.cast().names.get(&role).cloned().unwrap_or_default(),
            _ => A_PERSON.into(),
        };
        let what = work_in_words(self.engine.hierarchy, run, &attempt.work);
        let item = crate::notice::item_of_work(&attempt.work).map(String::from);
        let (run_name, number, work) = (run_id.to_string(), attempt.number, attempt.work.clone());
        let role = brief::role_word(role).into();
        let assigned = Notice::Assigned { run: run_name, fence, role, what, item, attempt: number, agent };
        (self.engine.listener)(assigned);
        if !is_mine {
            return;
        }
        let outcome = match (&work, backend) {
            (Work::SetUp(_), _) => self.set_up(run_id),
            (Work::Catalog(_), _) => self.catalog(run_id),
            (work, None) => Outcome::Failed(format!("nobody plays the {}", brief::role_word(work.role()))),
            (_, Some(backend)) => {
                let arrived = self.assign(run_id, fence, work, backend);
                self.queue.extend(arrived.map(order_of));
                return;
            }
        };
        self.queue.push_back(order_of(Arrival::Level(Arrived {
            run: run_id.into(),
            fence,
            outcome,
            outputs: Vec::new(),
            said: None,
            used: Metered::default(),
        })));
    }

    fn assign(&mut self, run_id: &str, fence: u64, work: Work, backend: Arc<dyn agent::Backend>) -> Option<Arrival> {
        let known = self.prepared.iter().position(|(run, prepared, _)| *prepared == fence && run == run_id);
        let brief = match known.and_then(|at| self.prepared.remove(at)) {
            Some((_, _, brief)) => brief,
            None => self.brief(run_id, fence)?,
        };
        let told = brief::stage_of(self.engine.run(run_id)?, &work).cloned();
        let is_slow = backend.pace() == agent::Pace::Slow;
        let prompts = is_slow.then(|| self.engine.settings.prompts());
        let assignment = Assignment { run: run_id.into(), fence, task: Task::Level(work), brief, backend, prompts };
        if is_slow {
            self.crew.enlist(assignment);
            return None;
        }
        let (arrived, brief) = self.crew.work_at_once(assignment);
        self.engine.state.contexts.extend(told.map(|parent| (run_id.to_string(), (parent, brief.context))));
        arrived
    }

    /// Sets slow agents to work, all at once: what they are given must be there for them to read.
    fn start_enlisted(&mut self) {
        let enlisted = self.crew.enlisted();
        if enlisted.is_empty() {
            return;
        }
        let files = enlisted.iter().flat_map(|one| &one.brief.files);
        let named: Vec<ProjectPath> = files.filter_map(|file| ProjectPath::any(&file.path).ok()).collect();
        let placed = self.engine.store.place_these(&named).map_err(|fault| fault.to_string());
        for assignment in enlisted {
            let arrived = match &placed {
                Ok(()) => self.crew.start(assignment),
                Err(fault) => Some(assignment.paused(fault.clone())),
            };
            self.queue.extend(arrived.map(order_of));
        }
    }

    /// T00: the run's folders (MV-07).
    fn set_up(&self, run: &str) -> Outcome {
        for folder in self.engine.protocol().run_folders(run) {
            let made = ProjectPath::any(&folder)
                .map_err(|refusal| refusal.to_string())
                .and_then(|path| self.engine.store.fs().make_folder(&path).map_err(|fault| fault.to_string()));
            if let Err(error) = made {
                return Outcome::Failed(format!("cannot make {folder}: {error}"));
            }
        }
        Outcome::Done { files: Vec::new() }
    }

    /// T03: what lies in `assets/` and `guidelines/` (MV-12).
    fn catalog(&self, run: &str) -> Outcome {
        let engine = &self.engine;
        let scanned = inputs::scan(engine.store.fs(), engine.protocol(), &engine.state.inputs);
        for reason in scanned.problems {
            (self.engine.listener)(Notice::Problem { run: Some(run.into()), path: None, reason });
        }
        Outcome::Catalog { files: scanned.files, gone: scanned.gone }
    }

    /// Runs that waited for room get their turn when there is some.
    fn feed_hungry(&mut self) {
        let room = self.engine.settings.jobs.saturating_sub(self.engine.state.busy);
        if room == 0 {
            return;
        }
        let hungry: Vec<String> = self.engine.state.hungry.iter().take(room).cloned().collect();
        for run in hungry {
            self.engine.state.hungry.remove(&run);
            self.queue.push_back(Order::to(&run, Input::Wake));
        }
    }

    /// What was put off goes on when its time has come (BY-09); gives how long it is until the next.
    fn wake_rested(&mut self) -> Option<Duration> {
        if self.engine.state.resting.is_empty() {
            return None;
        }
        let (now, me) = (self.engine.now(), self.engine.me());
        let runs = self.engine.state.resting.iter().filter_map(|id| self.engine.run(id));
        let mine = runs.filter(|run| run.driver.as_deref() == Some(me) && run.paused.is_none());
        let (mut due, mut next) = (Vec::new(), None::<u64>);
        for run in mine {
            if run.rests.values().any(|rest| rest.is_over(&now)) {
                due.push(Order::to(&run.id, Input::Wake));
            }
            let waits = run.rests.values().map(|rest| machine::seconds_between(&now, &rest.until));
            next = waits.chain(next).min();
        }
        self.queue.extend(due);
        next.map(Duration::from_secs)
    }

    /// Ends the agents; their work is done again when somebody resumes.
    fn end_agents(&mut self, interrupt: &Interrupt) -> Result<Drove, EngineError> {
        drop(self.crew.enlisted());
        self.crew.stop_all();
        while !self.crew.is_idle() {
            if interrupt.asked() > 1 {
                self.crew.end_all_now();
            }
            let arrived = self.crew.arrived(CATCH_UP);
            // What was finished just then is not thrown away.
            let finished = arrived.into_iter().filter(|one| !one.is_wasted());
            self.enqueue(finished.collect());
        }
        let me = self.engine.me().to_string();
        let orders: Vec<Order> = std::mem::take(&mut self.queue).into();
        for (_, result) in self.engine.take(orders)? {
            drop(result);
        }
        let mine = self.engine.runs().filter(|run| run.driver.as_deref() == Some(me.as_str()));
        let release = |run: &machine::Run| Order::to(&run.id, Input::Release);
        let orders: Vec<Order> = mine.map(release).chain(self.engine.release_hosted()).collect();
        for (_, result) in self.engine.take(orders)? {
            drop(result);
        }
        Ok(Drove::Interrupted)
    }

    /// Tells the user, through the Communicator if there is one; else, or if that fails, in code's own words (MV-41).
    fn present(&mut self, run: &str, said: Said) {
        self.notify(run, said);
        let (kind, text) = self.package(run, said);
        let listener = self.engine.listener.clone();
        let run = run.to_string();
        let casting = self.engine.settings.casting_of(&run);
        let Some(backend) = casting.crew.get(&Role::Communicator).cloned() else {
            listener(Notice::Message { run, kind, text });
            return;
        };
        let project = self.engine.settings.project.clone();
        let mut brief = agent::Brief::new(&run, self.engine.hierarchy.protocol, "communicator", "communicate");
        brief.context = json!({"kind": kind, "package": {"run_id": run, "text": text, "output_location": self.output_location(&run)}});
        brief.limits.seconds = self.engine.settings.seconds.min(SPEAKING);
        brief.expects.result = json!({"type": "object", "properties": {"message": {"type": "string", "minLength": 1}}, "required": ["message"]}).into();
        brief::put_into_words(&mut brief, &self.engine.settings.prompts());
        self.messengers.push(std::thread::spawn(move || {
            let spoken = speak(&*backend, brief, project);
            listener(Notice::Message { run, kind, text: spoken.unwrap_or(text) });
        }));
    }

    /// What there is to say, made by code with the protocol's fields.
    fn package(&self, run: &str, said: Said) -> (&'static str, String) {
        if let Some(message) = self.hosted_message(run, said) {
            return message;
        }
        let read = |path: String| self.document(&path).unwrap_or_default();
        match said {
            Said::Proposal => ("proposal", read(self.engine.protocol().feedback(run))),
            Said::Failure => ("failure", read(Protocol::failure_report(run))),
            Said::Completion => (
                "completion",
                format!(
                    "[Job Completed] Your requested job (Run: {run}) has been successfully completed.\n\n- You can find the final results at the following path:\n  {}\n",
                    self.output_location(run)
                ),
            ),
            Said::Question => {
                let is_asked = |one: &Waiting| one.run == run && matches!(one.kind, "question" | "budget");
                let waiting = self.waiting().into_iter().filter(is_asked);
                let lines: Vec<String> = waiting.map(|one| one.text).collect();
                ("question", lines.join("\n"))
            }
        }
    }
}

pub(crate) fn order_of(arrival: Arrival) -> Order {
    let arrived = match arrival {
        Arrival::Level(arrived) => arrived,
        Arrival::Hosted(ended) => return hosted::order_of(ended),
    };
    let Arrived { run, fence, outcome, outputs, said, used } = arrived;
    Order::To { run, input: Input::Report { fence, outcome }, outputs, said, used, edited: None }
}
