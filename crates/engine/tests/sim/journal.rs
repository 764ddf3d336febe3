//! The journal's facts, folded apart from the engine: which runs there are, what was asked and what was accepted.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Body, Fact};
use machine::{MULTIVERSE, Run, Verdict, Work};
use sim::SimFs;
use store::Kind;

/// What the records say.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Every run, those that are over, too.
    pub runs: BTreeMap<String, Run>,
    /// Attempts that were handed out, by run and fence.
    pub assigned: BTreeSet<(String, u64)>,
    /// How often a piece of work was accepted, by run and what briefs call it.
    pub accepted: BTreeMap<(String, String), usize>,
    /// How often agents asked about it.
    pub asked: BTreeMap<(String, String), usize>,
    /// How often it was sent back.
    pub sent_back: BTreeMap<(String, String), usize>,
    /// Verdicts and answers, by run.
    pub answered: BTreeMap<String, usize>,
    /// How often another draft of the proposal was wished for, by run.
    pub drafts: BTreeMap<String, usize>,
    /// What should not be in a journal.
    pub findings: Vec<String>,
}

impl Facts {
    /// All that the journal has.
    pub(crate) fn of(fs: &SimFs) -> Self {
        let mut facts = Self::default();
        let walked = store::records(fs, |record| {
            if matches!(record.kind, Kind::Edit) {
                let docs: Vec<_> = record.docs.iter().map(|entry| entry.path.to_string()).collect();
                facts.findings.push(format!("record {}: nobody edited {docs:?}", record.number));
            }
            if let Some(body) = record.body.as_deref().and_then(Body::of) {
                body.facts.iter().for_each(|fact| facts.take(&body.run, fact));
            }
        });
        if let Err(fault) = walked {
            facts.findings.push(format!("the journal cannot be read: {fault}"));
        }
        facts
    }

    fn take(&mut self, id: &str, fact: &Fact) {
        let mut run = self.runs.remove(id);
        let work = fact.ended().and_then(|fence| {
            let run = run.as_ref()?;
            Some((id.to_string(), work_name(run, &run.attempts.get(&fence)?.work)))
        });
        match fact {
            Fact::Assigned(attempt) => {
                self.assigned.insert((id.into(), attempt.fence));
                let asked =
                    (id.to_string(), run.as_ref().map_or_else(String::new, |run| work_name(run, &attempt.work)));
                let is_held = |rest: &machine::Rest| rest.work.role() == attempt.work.role();
                let is_own = matches!(attempt.work, Work::SetUp(_) | Work::Catalog(_));
                if !is_own && run.as_ref().is_some_and(|run| run.rests.values().any(is_held)) {
                    self.findings.push(format!("{asked:?} is handed out though its agent rests"));
                }
                let wishes = self.drafts.get(id).copied().unwrap_or_default();
                let accepted = self.accepted.get(&asked).copied().unwrap_or_default();
                let allowed = if asked.1 == "proposal" { wishes } else { 0 };
                if accepted > allowed {
                    self.findings.push(format!("{asked:?} is handed out though it was accepted {accepted} times"));
                }
            }
            Fact::Planned { .. } | Fact::Proposed { .. } | Fact::Worked { .. } | Fact::Catalogued { .. } => {
                work.into_iter().for_each(|work| *self.accepted.entry(work).or_default() += 1);
            }
            Fact::Woke { fence } if run.as_ref().is_none_or(|run| !run.rests.contains_key(fence)) => {
                self.findings.push(format!("attempt {fence} of {id} wakes and did not rest"));
            }
            Fact::Asked { .. } => work.into_iter().for_each(|work| *self.asked.entry(work).or_default() += 1),
            Fact::SentBack { .. } => work.into_iter().for_each(|work| *self.sent_back.entry(work).or_default() += 1),
            Fact::Answered { verdict: Verdict::Confirm | Verdict::Modify(_) | Verdict::NewRequest(_), .. }
            | Fact::Told { .. }
            | Fact::Budgeted { by: Some(_), .. } => {
                *self.answered.entry(id.into()).or_default() += 1;
            }
            _ => {}
        }
        if let Fact::Answered { verdict: Verdict::Modify(_) | Verdict::NewRequest(_), .. } = fact {
            *self.drafts.entry(id.into()).or_default() += 1;
        }
        machine::apply(&MULTIVERSE, &mut run, id, fact);
        self.runs.extend(run.map(|run| (id.to_string(), run)));
    }
}

/// What briefs call a piece of work.
fn work_name(run: &Run, work: &Work) -> String {
    match work {
        Work::Plan(target) => target.spelled(&MULTIVERSE, run),
        Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id) => id.clone(),
    }
}
