//! What people say to a session, and what they see of it (`roadmap status|add|move|cancel`).

use machine::roadmap::{Input as Told, NewItem, Session};
use store::{Fs, Liveness};

use super::begin::session_of;
use super::view::{RoadmapView, whole};
use crate::fault::EngineError;
use crate::service::Service;
use crate::step::{Order, unknown_run};

impl<F: Fs> Service<F> {
    /// Who works on what, since when, what is blocked and by what.
    pub fn roadmap_status(&self, run: &str) -> Result<RoadmapView, EngineError> {
        let session = self.session(run)?;
        let seen = |opening: &str| self.engine.store.liveness(opening).unwrap_or(Liveness::Gone);
        Ok(whole(session, self.hosted_driver(run), &seen))
    }

    /// The sessions that are known, the newest last: run, task file, and whether it is open.
    pub fn roadmaps(&self) -> Vec<(String, String, bool)> {
        let sessions = self.engine.state.hosted.values().filter_map(|run| session_of(run.as_ref()));
        let mut sessions: Vec<&Session> = sessions.collect();
        sessions.sort_by(|one, other| (&one.since, &one.id).cmp(&(&other.since, &other.id)));
        sessions.iter().map(|one| (one.id.clone(), one.task_file.clone(), one.over.is_none())).collect()
    }

    /// A person adds an item; gives its key.
    pub fn roadmap_add(&mut self, run: &str, item: NewItem, by: &str) -> Result<String, EngineError> {
        let before: Vec<String> = self.session(run)?.pool.items().map(|item| item.key.clone()).collect();
        self.tell_roadmap(run, Told::Add { item, by: by.into() })?;
        let added = self.session(run)?.pool.items().find(|item| !before.contains(&item.key));
        Ok(added.map(|item| item.key.clone()).unwrap_or_default())
    }

    /// A person moves an item behind another, or to the first place; or into another group.
    pub fn roadmap_move(
        &mut self,
        run: &str,
        item: &str,
        after: Option<&str>,
        group: Option<&str>,
        by: &str,
    ) -> Result<(), EngineError> {
        let (after, group) = (after.map(String::from), group.map(String::from));
        self.tell_roadmap(run, Told::Move { item: item.into(), after, group, by: by.into() })
    }

    /// A person takes an item out.
    pub fn roadmap_cancel(&mut self, run: &str, item: &str, reason: &str, by: &str) -> Result<(), EngineError> {
        self.tell_roadmap(run, Told::CancelItem { item: item.into(), reason: reason.into(), by: by.into() })
    }

    fn tell_roadmap(&mut self, run: &str, told: Told) -> Result<(), EngineError> {
        self.engine.settle()?;
        // What people edited meanwhile counts before what they say now.
        let edits = self.engine.edits();
        for (_, result) in self.engine.take(edits)? {
            self.perform(result?);
        }
        self.refuse_if_over(run)?;
        self.session(run)?;
        self.send_order(Order::Own { run: run.into(), word: Box::new(told) })
    }

    pub(super) fn session(&self, run: &str) -> Result<&Session, EngineError> {
        let known = self.engine.state.hosted.get(run).ok_or_else(|| unknown_run(run))?;
        session_of(known.as_ref()).ok_or_else(|| {
            EngineError::refused(
                format!("{run} is no roadmap but a run of {}", known.protocol()),
                "`multiverse status` shows it",
            )
        })
    }
}
