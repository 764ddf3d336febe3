//! Hosted runs for whoever looks: at a glance, why they are where they are, and what happened. Nothing here can change
//! anything. Knows no machine.

use std::collections::BTreeSet;

use store::Fs;

use super::{Standing, kind_of};
use crate::body::Body;
use crate::fault::EngineError;
use crate::service::Service;
use crate::story::{Event, Story};
use crate::views::{Driver, RunView};
use crate::why::Why;

impl<F: Fs> Service<F> {
    pub(crate) fn hosted_view(&self, run: &str) -> Option<RunView> {
        let found = self.engine.state.hosted.get(run)?;
        Some(found.view(self.driver_of(&found.standing())))
    }

    /// Hosted runs, the oldest first: those that are not over, or all that are remembered.
    pub(crate) fn hosted_views(&self, only_open: bool) -> Vec<RunView> {
        let state = &self.engine.state;
        let known = state.begun.iter().filter_map(|id| state.hosted.get(id));
        let known = known.filter(|run| !only_open || !run.standing().is_over);
        known.map(|run| run.view(self.driver_of(&run.standing()))).collect()
    }

    pub(crate) fn hosted_why(&self, run: &str, item: Option<&str>) -> Option<Result<Why, EngineError>> {
        let found = self.engine.state.hosted.get(run)?;
        Some(found.why(item, self.driver_of(&found.standing())))
    }

    pub(crate) fn hosted_driver(&self, run: &str) -> Driver {
        let standing = self.engine.state.hosted.get(run).map(|run| run.standing());
        standing.map_or(Driver::Gone, |standing| self.driver_of(&standing))
    }

    fn driver_of(&self, standing: &Standing<'_>) -> Driver {
        match standing.drivers().any(|name| self.engine.store.is_alive(name)) {
            true => Driver::Alive,
            false => Driver::Gone,
        }
    }

    /// What happened in a hosted run; nothing if the journal knows none of this id.
    pub(crate) fn hosted_story(&self, id: &str) -> Result<Option<Story>, EngineError> {
        let mut run = None;
        let mut events = Vec::new();
        let mut protocols = BTreeSet::new();
        store::records(self.engine.store.fs(), |record| {
            let body = record.body.as_deref().and_then(Body::of).filter(|body| body.run == id);
            let Some(Body { hosted: Some(told), given, mut said, .. }) = body else { return };
            let Some(kind) = kind_of(&told.protocol) else { return };
            protocols.insert(told.protocol.clone());
            let first = events.len();
            for fact in &told.facts {
                let mut event = Event { record: record.number, at: record.at.clone(), ..Event::default() };
                match &mut run {
                    None => {
                        run = kind.begun(id, fact);
                        run.iter().for_each(|run| run.tell(fact, &mut event));
                    }
                    Some(run) => {
                        run.tell(fact, &mut event);
                        run.apply(std::slice::from_ref(fact));
                    }
                }
                events.push(event);
            }
            for event in &mut events[first..] {
                let fence = event.fence.unwrap_or_default();
                event.given = given.get(&fence).cloned().unwrap_or_default();
                if event.said.is_some() {
                    event.said = said.take();
                }
            }
        })?;
        if protocols.is_empty() {
            return Ok(None);
        }
        let view = run.map(|run| run.view(self.driver_of(&run.standing())));
        // Facts that only the engine cares for have no words.
        events.retain(|event| !event.text.is_empty());
        Ok(Some(Story { view, events }))
    }

    pub(crate) fn is_over(&self, run: &str) -> EngineError {
        let status = self.hosted_view(run).map_or("over", |view| view.status);
        let again = self.engine.state.hosted.get(run).map_or_else(String::new, |run| run.again());
        let hint = format!("`multiverse logs {run}` shows what happened; {again}");
        EngineError::refused(format!("{run} is {status} and cannot be changed again"), hint)
    }
}
