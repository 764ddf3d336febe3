//! Briefs made while the disk writes what was decided: whoever is to be set to work does not wait for them afterwards.

use machine::{Attempt, Effect, Holder, Work};
use store::Fs;

use crate::brief;
use crate::engine::{Engine, Written};
use crate::foresee::shared;
use crate::service::Service;
use crate::step::State;

impl<F: Fs> Service<F> {
    /// Makes the briefs of those who are to be set to work, while the disk writes what was decided. Nobody is given one
    /// before that is durable.
    pub(crate) fn prepare(&mut self, written: &Written) {
        self.prepared.clear();
        let mut at_hand = Vec::new();
        for taken in written.taken() {
            for effect in &taken.effects {
                let Effect::Start(fence) = effect else { continue };
                // A run whose memory is ahead of the journal is made anew first.
                if self.engine.state.unsure.contains(&taken.run) {
                    continue;
                }
                let attempt = self.engine.run(&taken.run).and_then(|run| run.attempts.get(fence)).cloned();
                let works = |attempt: &Attempt| match (&attempt.work, &attempt.holder) {
                    (Work::SetUp(_) | Work::Catalog(_), _) => false,
                    (work, Holder::Process(name)) => {
                        name == self.engine.me()
                            && self.engine.settings.casting_of(&taken.run).crew.contains_key(&work.role())
                    }
                    _ => false,
                };
                let Some(attempt) = attempt.filter(works) else { continue };
                let State { runs, contexts, .. } = &mut self.engine.state;
                let run = runs.get(&taken.run);
                let context = run.and_then(|run| brief::known_context(contexts, run, &attempt.work));
                match context {
                    Some(context) => at_hand.push((taken.run.as_str(), attempt, context)),
                    None => {
                        let brief = self.brief(&taken.run, &attempt);
                        self.prepared.extend(brief.map(|brief| (taken.run.clone(), *fence, brief)));
                    }
                }
            }
        }
        let Engine { state, settings, hierarchy, .. } = &self.engine;
        // All but the context that was handed on is looked up, so several can do it.
        let briefs = shared(at_hand, |(id, attempt, context)| {
            let brief = brief::build_at_hand(state, hierarchy, settings, state.runs.get(id)?, &attempt, context)?;
            Some((id.to_string(), attempt.fence, brief))
        });
        self.prepared.extend(briefs.into_iter().flatten());
    }

    pub(crate) fn brief(&mut self, run_id: &str, attempt: &Attempt) -> Option<agent::Brief> {
        let engine = &mut self.engine;
        // The brief is made of the run and of documents that are looked up on the way: the runs step out meanwhile.
        let runs = std::mem::take(&mut engine.state.runs);
        let (state, settings) = (&mut engine.state, &engine.settings);
        let build = |run| brief::build(state, &engine.store, engine.hierarchy, settings, run, attempt);
        let brief = runs.get(run_id).map(build);
        engine.state.runs = runs;
        brief
    }
}
