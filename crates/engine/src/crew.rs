//! The agents at work: each slow one on a thread of its own, in a scratch folder of its own. What comes of them goes
//! into one inbox. Knows nothing of runs but their names.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use agent::{Backend, Brief, Ending, Job, Meter, Prompts, Scratch};
use machine::{Metered, Outcome, Work};
use tools::Stop;

use crate::arrive::{Arrived, arrive};
use crate::brief::put_into_words;
use crate::calls::{self, Call};
use crate::hands::{Hands, Tidying};
use crate::hosted::{Came, Code, Ended, Workplace};
use crate::logs;
use crate::notice::Notice;
use crate::readable::readable;
use crate::watch::{Hint, Listening, Told};

/// Where notices go.
pub type Listener = Arc<dyn Fn(Notice) + Send + Sync>;

/// Agents at work.
pub(crate) struct Crew {
    project: PathBuf,
    listener: Listener,
    sender: Sender<Heard>,
    inbox: Receiver<Heard>,
    /// What the system told of files since that was last asked.
    hints: Vec<Hint>,
    running: HashMap<(String, u64), Stop>,
    /// Those whose work was taken from them: they were told to stop, and what they still have to say is heard.
    dismissed: HashMap<(String, u64), Stop>,
    hands: Hands,
    /// Those that are to be set to work.
    enlisted: Vec<Assignment>,
}

/// What comes into the inbox.
enum Heard {
    Arrived(Box<Arrival>),
    Hint(Hint),
}

/// Work for one agent.
pub(crate) struct Assignment {
    pub run: String,
    pub fence: u64,
    pub task: Task,
    pub brief: Brief,
    pub backend: Arc<dyn Backend>,
    /// The words in which it is asked, if it reads them.
    pub prompts: Option<Arc<Prompts>>,
}

/// Whose the work is, for whoever makes something of its end.
pub(crate) enum Task {
    /// Of a run of levels.
    Level(Work),
    /// Of a run that another machine carries; in a place that is made for it, or in its scratch folder.
    Hosted(Option<Box<dyn Workplace>>),
}

/// An attempt that ended.
#[derive(Debug)]
pub(crate) enum Arrival {
    Level(Arrived),
    Hosted(Ended),
}

impl Assignment {
    /// What is said of work that cannot be begun now: the run pauses for this reason.
    pub(crate) fn paused(self, reason: String) -> Arrival {
        let Self { run, fence, task, .. } = self;
        let used = Metered::default();
        match task {
            Task::Level(_) => {
                let outcome = Outcome::Paused(reason);
                Arrival::Level(Arrived { run, fence, outcome, outputs: Vec::new(), said: None, used })
            }
            Task::Hosted(_) => Arrival::Hosted(Ended { run, fence, came: Came::Paused(reason), used }),
        }
    }
}

impl Task {
    fn arrival(&mut self, run: &str, fence: u64, job: &Job, ending: Ending) -> Option<Arrival> {
        let (brief, workdir, ended) = (&job.brief, &job.workdir, (ending, &job.meter));
        match self {
            Self::Level(work) => arrive(run, fence, work, brief, workdir, ended).map(Arrival::Level),
            Self::Hosted(None) => Ended::of(run, fence, brief, workdir, ended).map(Arrival::Hosted),
            Self::Hosted(Some(place)) => {
                Ended::at(run, fence, (brief, workdir), ended, place.as_mut()).map(Arrival::Hosted)
            }
        }
    }

    /// Whether the files of the brief lie in the scratch folder.
    fn is_laid_out(&self) -> bool {
        match self {
            Self::Level(_) | Self::Hosted(None) => true,
            Self::Hosted(Some(place)) => place.is_laid_out(),
        }
    }

    /// The folder to work in: the scratch folder, or one that is made in it.
    fn folder(&mut self, scratch: &Scratch) -> Result<PathBuf, String> {
        match self {
            Self::Level(_) | Self::Hosted(None) => Ok(scratch.workdir()),
            Self::Hosted(Some(place)) => place.make(&scratch.workdir()),
        }
    }

    /// Its folder could not be made.
    fn unmade(&mut self, run: String, fence: u64, error: String) -> Arrival {
        match self {
            Self::Hosted(Some(place)) => {
                let came = place.unmade(error);
                Arrival::Hosted(Ended { run, fence, came, used: Metered::default() })
            }
            _ => self.failed(run, fence, error),
        }
    }

    fn failed(&self, run: String, fence: u64, error: String) -> Arrival {
        match self {
            Self::Level(_) => {
                let (outcome, used) = (Outcome::Failed(error), Metered::default());
                Arrival::Level(Arrived { run, fence, outcome, outputs: Vec::new(), said: None, used })
            }
            Self::Hosted(_) => Arrival::Hosted(Ended::failed(&run, fence, error)),
        }
    }
}

impl Arrival {
    fn key(&self) -> (String, u64) {
        match self {
            Self::Level(Arrived { run, fence, .. }) | Self::Hosted(Ended { run, fence, .. }) => (run.clone(), *fence),
        }
    }

    /// Whether nothing of it is worth keeping when the process ends.
    pub(crate) fn is_wasted(&self) -> bool {
        match self {
            Self::Level(arrived) => matches!(arrived.outcome, Outcome::Lost(_) | Outcome::Failed(_)),
            Self::Hosted(ended) => ended.came.is_wasted(),
        }
    }
}

impl Crew {
    pub(crate) fn new(project: PathBuf, listener: Listener) -> Self {
        let (sender, inbox) = channel();
        let (running, dismissed, enlisted, hints) = (HashMap::new(), HashMap::new(), Vec::new(), Vec::new());
        Self { project, listener, sender, inbox, hints, running, dismissed, hands: Hands::new(), enlisted }
    }

    /// Where hints go: they wake whoever waits for agents.
    pub(crate) fn to_hint(&self) -> Told {
        let sender = self.sender.clone();
        Box::new(move |hint| match sender.send(Heard::Hint(hint)) {
            Ok(()) => Listening::Yes,
            Err(_) => Listening::No,
        })
    }

    /// What the system told of files since this was last asked.
    pub(crate) fn hints(&mut self) -> Vec<Hint> {
        std::mem::take(&mut self.hints)
    }

    /// Lets an agent work that is instant: it is done when this returns. The brief is given back.
    pub(crate) fn work_at_once(&self, assignment: Assignment) -> (Option<Arrival>, Brief) {
        let Assignment { run, fence, mut task, brief, backend, .. } = assignment;
        let job = Job {
            brief,
            project: self.project.clone(),
            workdir: PathBuf::new(),
            readable: Vec::new(),
            meter: Meter::default(),
        };
        let ending = backend.work(&job, &Stop::new(), &|_| {});
        if backend.is_recorded() {
            let (project, workdir, agent, meter) = (&job.project, &job.workdir, backend.name(), &job.meter);
            calls::keep(&Call { project, workdir, fence, agent, brief: &job.brief, ending: &ending, meter });
        }
        (task.arrival(&run, fence, &job, ending), job.brief)
    }

    /// Notes an agent that is to be set to work when its files are there.
    pub(crate) fn enlist(&mut self, assignment: Assignment) {
        self.enlisted.push(assignment);
    }

    /// Those that were noted; they are to be started.
    pub(crate) fn enlisted(&mut self) -> Vec<Assignment> {
        std::mem::take(&mut self.enlisted)
    }

    /// Sets an agent to work. If that fails it has ended.
    pub(crate) fn start(&mut self, assignment: Assignment) -> Option<Arrival> {
        let stop = Stop::new();
        let told = stop.clone();
        let (sender, listener, project) = (self.sender.clone(), self.listener.clone(), self.project.clone());
        let tidier = self.hands.tidier();
        let (run, fence) = (assignment.run.clone(), assignment.fence);
        let unstarted = match &assignment.task {
            Task::Level(work) => Task::Level(work.clone()),
            Task::Hosted(_) => Task::Hosted(None),
        };
        let given = self.hands.give(Box::new(move || {
            let (run, fence) = (assignment.run.clone(), assignment.fence);
            // The folder is made here, where nobody else waits for it.
            let scratch = match assignment.task.is_laid_out() {
                true => Scratch::make(&project, fence, &assignment.brief),
                false => Scratch::make_empty(&project, fence, &assignment.run),
            };
            match scratch {
                Ok(scratch) => work_on(assignment, scratch, project, &told, &listener, (&sender, tidier)),
                Err(error) => {
                    let error = format!("cannot make a scratch folder: {error}");
                    let arrived = assignment.task.failed(run, fence, error);
                    let _ = sender.send(Heard::Arrived(Box::new(arrived)));
                }
            }
        }));
        match given {
            Ok(()) => {
                self.running.insert((run, fence), stop);
                None
            }
            Err(error) => Some(unstarted.failed(run, fence, format!("cannot start a thread for the agent: {error}"))),
        }
    }

    /// Has code work on an attempt, on a thread of its own. If that cannot be begun it has ended.
    pub(crate) fn start_code(&mut self, run: &str, fence: u64, code: Code) -> Option<Ended> {
        let stop = Stop::new();
        let (told, sender, listener, name) =
            (stop.clone(), self.sender.clone(), self.listener.clone(), run.to_string());
        let given = self.hands.give(Box::new(move || {
            let say = |line: &str| listener(Notice::Progress { run: name.clone(), fence, line: line.into() });
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| code(&told, &say)));
            let came = worked.unwrap_or_else(|_| Came::Failed {
                error: "the work broke down; this is a fault of ours".into(),
                said: String::new(),
            });
            let ended = Ended { run: name.clone(), fence, came, used: Metered::default() };
            // Nobody listens any more when the process is about to end.
            let _ = sender.send(Heard::Arrived(Box::new(Arrival::Hosted(ended))));
        }));
        match given {
            Ok(()) => {
                self.running.insert((run.to_string(), fence), stop);
                None
            }
            Err(error) => Some(Ended::failed(run, fence, format!("cannot start a thread: {error}"))),
        }
    }

    /// Ends an agent; what it says afterwards is not heard.
    pub(crate) fn stop(&mut self, run: &str, fence: u64) {
        self.enlisted.retain(|one| one.fence != fence || one.run != run);
        if let Some(stop) = self.running.remove(&(run.to_string(), fence)) {
            stop.stop();
        }
    }

    /// Ends an agent whose work is another's by now. What it has done until then is heard: somebody may want to see it.
    pub(crate) fn dismiss(&mut self, run: &str, fence: u64) {
        let key = (run.to_string(), fence);
        if let Some(stop) = self.running.get(&key).cloned() {
            self.dismissed.insert(key, stop);
        }
        self.stop(run, fence);
    }

    /// Asks all agents to end.
    pub(crate) fn stop_all(&self) {
        self.running.values().for_each(Stop::stop);
    }

    /// Ends all agents at once.
    pub(crate) fn end_all_now(&self) {
        self.running.values().chain(self.dismissed.values()).for_each(Stop::end_now);
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty() && self.dismissed.is_empty()
    }

    /// The attempts that are at work here.
    pub(crate) fn all(&self) -> Vec<(String, u64)> {
        self.running.keys().cloned().collect()
    }

    /// What arrived; waits for the first at most so long.
    pub(crate) fn arrived(&mut self, patience: Duration) -> Vec<Arrival> {
        let first = match patience.is_zero() {
            true => self.inbox.try_recv().ok(),
            false => self.inbox.recv_timeout(patience).ok(),
        };
        let mut all: Vec<Arrival> = Vec::new();
        for heard in first.into_iter().chain(self.inbox.try_iter()) {
            match heard {
                Heard::Arrived(arrived) => all.push(*arrived),
                Heard::Hint(hint) => self.hints.push(hint),
            }
        }
        let mut is_heard = |one: &Arrival| {
            let key = one.key();
            self.running.remove(&key).is_some() || self.dismissed.remove(&key).is_some() && !one.is_wasted()
        };
        all.into_iter().filter(|one| is_heard(one)).collect()
    }

    /// Waits until the logs of those that were heard are kept and their folders removed.
    pub(crate) fn tidy_up(&mut self) {
        self.hands.tidy_up();
    }
}

fn work_on(
    assignment: Assignment,
    scratch: Scratch,
    project: PathBuf,
    stop: &Stop,
    listener: &Listener,
    (sender, tidier): (&Sender<Heard>, Option<Sender<Tidying>>),
) {
    let Assignment { run, fence, mut task, mut brief, backend, prompts } = assignment;
    let workdir = match task.folder(&scratch) {
        Ok(folder) => folder,
        Err(error) => {
            let _ = sender.send(Heard::Arrived(Box::new(task.unmade(run, fence, error))));
            let _ = scratch.remove();
            return;
        }
    };
    brief.workdir = workdir.display().to_string();
    if let Task::Hosted(Some(place)) = &mut task {
        place.watch(stop);
    }
    if let Some(prompts) = prompts {
        put_into_words(&mut brief, &prompts);
    }
    let readable = readable(&project, &run, &brief);
    let job = Job { brief, project, workdir, readable, meter: Meter::default() };
    let say = |line: &str| listener(Notice::Progress { run: run.clone(), fence, line: line.into() });
    let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| backend.work(&job, stop, &say)));
    let ending = worked.unwrap_or_else(|_| Ending::Failed {
        error: format!("the agent {} broke down; this is a fault of ours", backend.name()),
        log: String::new(),
    });
    // What is taken can be replayed: it is recorded first.
    if backend.is_recorded() {
        let (project, workdir, agent, meter) = (&job.project, &job.workdir, backend.name(), &job.meter);
        calls::keep(&Call { project, workdir, fence, agent, brief: &job.brief, ending: &ending, meter });
    }
    let said = ending.clone();
    let arrived = task.arrival(&run, fence, &job, ending);
    // The log is for people: nobody waits for it. Sent before what was said, so that whoever hears that knows it to be
    // on its way.
    let tidy = Tidying::Later(Box::new(move || {
        logs::keep(&job.project, fence, &job.brief, &said);
        // What cannot be removed now is swept up by the next opening.
        let _ = scratch.remove();
    }));
    let left = match &tidier {
        Some(tidier) => tidier.send(tidy).err().map(|unsent| unsent.0),
        None => Some(tidy),
    };
    if let Some(arrived) = arrived {
        // Nobody listens any more when the process is about to end.
        let _ = sender.send(Heard::Arrived(Box::new(arrived)));
    }
    left.into_iter().for_each(Tidying::carry_out);
}
