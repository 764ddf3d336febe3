//! What the loop does for hosted runs: their attempts are started, taken up, woken and let go like all others, by the same
//! crew. Knows no machine.

use std::sync::Arc;
use std::time::Duration;

use agent::{Backend, Brief, Pace};
use machine::{Holder, Input as Common, Said};
use store::Fs;

use super::{Came, Deed, Ended, Input, Room, Site, Workplace};
use crate::crew::{Assignment, Task};
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::notice::Notice;
use crate::service::Service;
use crate::step::Order;

impl<F: Fs> Engine<F> {
    /// Whether a run is hosted.
    pub(crate) fn is_hosted(&self, id: &str) -> bool {
        self.state.hosted.contains_key(id)
    }

    /// Hosted runs that this process drives.
    pub(super) fn own_hosted(&self) -> impl Iterator<Item = &String> {
        let me = self.me();
        self.state.hosted.iter().filter(move |(_, run)| run.standing().is_driven_by(me)).map(|(id, _)| id)
    }

    /// Hosted runs that this process drives are let go.
    pub(crate) fn release_hosted(&self) -> Vec<Order> {
        self.own_hosted().map(|id| Order::to(id, Common::Release)).collect()
    }

    /// Hosted runs that this process drives are to look what can go on; those that many drive only if there is something.
    pub(crate) fn wake_own_hosted(&self) -> Vec<Order> {
        let me = self.me();
        let room = if self.state.busy < self.settings.jobs { Room::Some } else { Room::None };
        let is_worth_it = |id: &&String| {
            let run = self.state.hosted.get(*id);
            run.is_some_and(|run| !run.standing().is_shared() || run.has_work(me, room, &self.settings))
        };
        self.own_hosted().filter(is_worth_it).map(|id| Order::to(id, Common::Wake)).collect()
    }

    /// Whether a hosted run need not be taken up: this process drives it, or an edit by hand just ended it.
    pub(crate) fn is_settled_hosted(&self, id: &str) -> bool {
        let run = self.state.hosted.get(id).map(|run| run.standing());
        run.is_some_and(|run| run.is_over || run.is_driven_by(self.me()))
    }

    /// Attempts of hosted runs that are under way.
    pub(crate) fn hosted_attempts(&self) -> impl Iterator<Item = (String, u64)> {
        self.state.hosted.iter().flat_map(|(id, run)| {
            let fences: Vec<u64> = run.standing().holders.iter().map(|(fence, _)| *fence).collect();
            fences.into_iter().map(|fence| (id.clone(), fence))
        })
    }

    /// What hosted runs may look at outside a decision.
    pub(crate) fn at_site<T>(&self, work: impl FnOnce(&Site<'_>) -> T) -> T {
        let read = |path: &str| self.content_of(path);
        let newer = || self.store.behind().map(|(path, text)| (path.to_string(), text.clone())).collect();
        work(&Site { settings: &self.settings, read: &read, newer: &newer })
    }

    /// Who holds an attempt of a hosted run.
    pub(crate) fn hosted_holder(&self, id: &str, fence: u64) -> Option<Holder> {
        let standing = self.state.hosted.get(id)?.standing();
        standing.holders.iter().find(|(number, _)| *number == fence).map(|(_, holder)| (*holder).clone())
    }

    /// The folders in which people edit documents of hosted runs that this process drives.
    pub(crate) fn hosted_folders(&self) -> impl Iterator<Item = String> {
        self.own_hosted().filter_map(|id| self.state.hosted.get(id)).flat_map(|run| run.folders())
    }
}

impl<F: Fs> Service<F> {
    /// Has an attempt of a hosted run done, if it is this process's.
    pub(crate) fn start_hosted(&mut self, run_id: &str, fence: u64) {
        let Some(run) = self.engine.state.hosted.get(run_id) else { return };
        let Some(view) = run.attempts().into_iter().find(|view| view.fence == fence) else { return };
        (self.engine.listener)(Notice::Assigned {
            run: run_id.into(),
            fence,
            role: view.role,
            what: view.what,
            item: view.item,
            attempt: view.attempt,
            agent: view.agent,
        });
        let known = self.deeds.iter().position(|(run, number, _)| *number == fence && run == run_id);
        let deed = match known.map(|at| self.deeds.swap_remove(at)) {
            Some((_, _, deed)) => Some(deed),
            None => self.deed_of(run_id, fence).filter(|_| self.has_hosted(run_id, fence)),
        };
        let Some(deed) = deed else { return };
        let ended = |came| Ended { run: run_id.into(), fence, came, used: machine::Metered::default() };
        // Whoever copies the project, or runs something in it, finds what was committed so far.
        let needs_files = match &deed {
            Deed::Code(_) => true,
            Deed::At(_, _, place) => place.needs_files_in_place(),
            Deed::Brief(..) | Deed::Apart(_) | Deed::AtOnce(_) => false,
        };
        if needs_files && let Err(fault) = self.engine.store.finish() {
            return self.queue.push_back(order_of(ended(Came::Paused(fault.to_string()))));
        }
        match deed {
            Deed::AtOnce(came) => self.queue.push_back(order_of(ended(came))),
            Deed::Code(code) | Deed::Apart(code) => {
                if let Some(failed) = self.crew.start_code(run_id, fence, code) {
                    self.queue.push_back(order_of(failed));
                }
            }
            // What is made for an agent takes time: it is made on the agent's own thread.
            Deed::At(brief, backend, place) => self.set_to_work(run_id, fence, *brief, backend, Some(place)),
            Deed::Brief(brief, backend) => self.set_to_work(run_id, fence, *brief, backend, None),
        }
    }

    /// Makes ready what is to be done for an attempt of a hosted run, if it is this process's, while the disk writes that it
    /// begins. Nothing of it is begun.
    pub(crate) fn prepare_hosted(&mut self, run_id: &str, fence: u64) {
        if self.has_hosted(run_id, fence) {
            let deed = self.deed_of(run_id, fence);
            self.deeds.extend(deed.map(|deed| (run_id.to_string(), fence, deed)));
        }
    }

    /// Whether an attempt of a hosted run is this process's.
    fn has_hosted(&self, run_id: &str, fence: u64) -> bool {
        matches!(self.engine.hosted_holder(run_id, fence), Some(Holder::Process(name)) if name == self.engine.me())
    }

    /// What a commit leaves to be done outside the journal, where no attempt does it first.
    pub(crate) fn settle_hosted(&self, run_id: &str) {
        let Some(run) = self.engine.state.hosted.get(run_id).filter(|run| run.standing().holders.is_empty()) else {
            return;
        };
        if let Some(reason) = run.settle(&self.engine.settings) {
            (self.engine.listener)(Notice::Problem { run: Some(run_id.into()), path: None, reason });
        }
    }

    fn set_to_work(
        &mut self,
        run_id: &str,
        fence: u64,
        brief: Brief,
        backend: Arc<dyn Backend>,
        place: Option<Box<dyn Workplace>>,
    ) {
        let is_slow = backend.pace() == Pace::Slow || place.is_some();
        let prompts = is_slow.then(|| self.engine.settings.prompts());
        let (run, task) = (run_id.to_string(), Task::Hosted(place));
        let assignment = Assignment { run, fence, task, brief, backend, prompts };
        match is_slow {
            true => self.crew.enlist(assignment),
            false => {
                let (arrival, _) = self.crew.work_at_once(assignment);
                self.queue.extend(arrival.map(crate::drive::order_of));
            }
        }
    }

    /// What is to be done for an attempt of a hosted run.
    pub(crate) fn deed_of(&self, run_id: &str, fence: u64) -> Option<Deed> {
        self.engine.at_site(|site| self.engine.state.hosted.get(run_id)?.deed(fence, site))
    }

    /// What was put off in hosted runs goes on when its time has come; gives how long it is until the next.
    pub(crate) fn wake_hosted(&mut self) -> Option<Duration> {
        if self.engine.state.hosted.is_empty() {
            return None;
        }
        let (now, me) = (self.engine.now(), self.engine.me());
        let (mut due, mut next) = (Vec::new(), None::<u64>);
        for (id, run) in &self.engine.state.hosted {
            let standing = run.standing();
            let Some((since, until)) = standing.rest.filter(|_| standing.is_driven_by(me) && !standing.is_paused)
            else {
                continue;
            };
            // A clock that was set back ends it, too.
            if now.as_str() < since || now.as_str() >= until {
                due.push(Order::to(id, Common::Wake));
            }
            next = next.into_iter().chain([machine::seconds_between(&now, until)]).min();
        }
        self.queue.extend(due);
        next.map(Duration::from_secs)
    }

    /// Whoever was given a time to answer may not have it for ever: runs of this process whose time is up look what
    /// follows. Gives whether there were any.
    pub fn mind_time(&mut self) -> Result<bool, EngineError> {
        let (now, settings) = (self.engine.now(), &self.engine.settings);
        let is_overdue = |id: &&String| {
            let run = self.engine.state.hosted.get(*id);
            run.is_some_and(|run| !run.standing().is_paused && run.is_overdue(&now, settings))
        };
        let overdue: Vec<String> = self.engine.own_hosted().filter(is_overdue).cloned().collect();
        for id in &overdue {
            self.send_order(Order::to(id, Common::Wake))?;
        }
        Ok(!overdue.is_empty())
    }

    /// What there is to say of a hosted run.
    pub(crate) fn hosted_message(&self, run: &str, said: Said) -> Option<(&'static str, String)> {
        self.engine.state.hosted.get(run).map(|run| run.message(said))
    }
}

/// What an end is to the run.
pub(crate) fn order_of(ended: Ended) -> Order {
    let Ended { run, fence, came, used } = ended;
    Order::Hosted { run, input: Input::Ended { fence, came }, used }
}

impl Ended {
    /// An attempt that could not even be started.
    pub(crate) fn failed(run: &str, fence: u64, error: String) -> Self {
        let came = Came::Failed { error, said: String::new() };
        Self { run: run.into(), fence, came, used: machine::Metered::default() }
    }
}
