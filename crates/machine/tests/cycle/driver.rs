//! A cycle in memory: it goes on by decisions, and is replayed from its facts after each of them.

use std::collections::BTreeSet;

use machine::cycle::{
    Asks, Attempt, Check, CheckEnd, Cycle, Decision, Deed, Effect, Fact, Findings, Goal, Ground, Input, Limits,
    Measured, Outcome, Place, Plan, Said, Standing, Turn, Upfront, Verdict, Word, Work, World, apply, decide, start,
};
use machine::{Cast, Refusal};

pub(crate) const RUN: &str = "run-20261117-031500-001";

pub(crate) struct Universe {
    pub(crate) cycle: Option<Cycle>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) limits: Limits,
    pub(crate) me: String,
    pub(crate) alive: BTreeSet<String>,
    pub(crate) now: String,
    pub(crate) ground: Ground,
    pub(crate) upfront: Upfront,
    cast: Cast,
}

impl Universe {
    pub(crate) fn new() -> Self {
        Self {
            cycle: None,
            facts: Vec::new(),
            effects: Vec::new(),
            limits: Limits { required: vec!["tests".into()], ..Limits::default() },
            me: "p1".into(),
            alive: BTreeSet::from(["p1".to_string()]),
            now: "2026-11-17T03:15:00Z".into(),
            ground: Ground::Repository,
            upfront: Upfront::NotAsked,
            cast: Cast::default(),
        }
    }

    /// A cycle whose first loop is to be planned.
    pub(crate) fn started() -> Self {
        let mut universe = Self::new();
        universe.start();
        universe
    }

    pub(crate) fn start(&mut self) {
        let goal = Goal {
            cycle_id: "2026-11-17-001".into(),
            number: 1,
            text: "the glossary covers all terms".into(),
            current_state: vec!["there is none".into()],
            context_docs: vec!["docs/a.md".into()],
            ground: self.ground,
            upfront: self.upfront,
            definition: String::new(),
        };
        let people = BTreeSet::new();
        let decision = start(RUN, &goal, &self.world(&people), &self.limits).expect("a goal");
        self.take(decision);
    }

    fn world<'w>(&'w self, people: &'w BTreeSet<machine::cycle::Party>) -> World<'w> {
        World { now: &self.now, me: &self.me, cast: &self.cast, alive: &self.alive, people }
    }

    pub(crate) fn cycle(&self) -> &Cycle {
        self.cycle.as_ref().expect("a cycle")
    }

    pub(crate) fn try_decide(&self, input: &Input) -> Result<Decision, Refusal> {
        let people = BTreeSet::new();
        decide(self.cycle.as_ref(), RUN, input, &self.world(&people), &self.limits)
    }

    pub(crate) fn must(&mut self, input: &Input) {
        let decision = self.try_decide(input).unwrap_or_else(|refusal| panic!("{input:?} is refused: {refusal}"));
        self.take(decision);
    }

    pub(crate) fn take(&mut self, decision: Decision) {
        for fact in &decision.facts {
            apply(&mut self.cycle, RUN, fact);
        }
        self.facts.extend(decision.facts);
        self.effects.extend(decision.effects);
    }

    /// The same from its facts alone, as the journal keeps them.
    pub(crate) fn replayed(&self) -> Option<Cycle> {
        let mut cycle = None;
        for fact in &self.facts {
            let kept = serde_json::to_string(fact).expect("a fact can be written");
            let fact: Fact = serde_json::from_str(&kept).expect("and read");
            apply(&mut cycle, RUN, &fact);
        }
        cycle
    }

    pub(crate) fn attempt(&self) -> Attempt {
        self.cycle().attempt.clone().unwrap_or_else(|| panic!("somebody is at work: {:?}", self.cycle().place))
    }

    pub(crate) fn report(&mut self, outcome: Outcome) {
        let fence = self.attempt().fence;
        self.must(&Input::Report { fence, outcome });
    }

    pub(crate) fn answer(&mut self, word: Word, words: &str) {
        let shown = self.cycle().gate().map(|gate| gate.number);
        let verdict = Verdict { word, words: words.into() };
        self.must(&Input::Answer { verdict, by: "me".into(), shown });
    }

    /// What whoever is at work reports when all goes well; the Judge says that the goal is met when `standing` says so.
    pub(crate) fn outcome(&self, standing: Standing) -> Outcome {
        let attempt = self.attempt();
        let commit = format!("c{}", self.cycle().loop_number);
        match attempt.work {
            Work::Checkpoint => Outcome::Checkpointed {
                branch: "cycle/1".into(),
                base: "main".into(),
                commit: format!("before-{commit}"),
            },
            Work::Outline | Work::Plan(_) => Outcome::Planned { said: said("planned"), plan: plan() },
            Work::Act(_) => {
                Outcome::Succeeded { said: said("done"), deed: Deed::default(), measured: measured(&commit) }
            }
            Work::Check(_) => Outcome::Checked { commit, checks: vec![check("tests", CheckEnd::Exit(0))] },
            Work::Judge(_) => judged(Word::Pass, standing),
            Work::Offer => Outcome::Offered { number: Some(42), said: "https://example.org/pull/42".into() },
            Work::Merge => Outcome::Merged { commit: "m1".into(), note: String::new() },
            Work::Delete => Outcome::Deleted,
            Work::Archive(_) => Outcome::Archived { path: "docs/context/archive/x.md".into() },
        }
    }

    /// Goes on until this is due, with good reports and a goal that is not met yet.
    pub(crate) fn until(&mut self, work: Work) -> &mut Self {
        for _ in 0..50 {
            if self.cycle().place == Place::Due(work) {
                return self;
            }
            self.report(self.outcome(Standing::Progressing));
        }
        panic!("{work:?} is never due: {:?}", self.cycle().place);
    }

    pub(crate) fn turns(&self) -> Vec<&Turn> {
        let turns = self.facts.iter().filter_map(|fact| match fact {
            Fact::Turned { turn, .. } => Some(turn),
            _ => None,
        });
        turns.collect()
    }

    pub(crate) fn last_turn(&self) -> Turn {
        (*self.turns().last().expect("a turn")).clone()
    }

    pub(crate) fn signatures(&self) -> Vec<String> {
        self.turns().iter().map(|turn| format!("{} {} {}", turn.signature, turn.party, turn.word)).collect()
    }

    pub(crate) fn asks(&self) -> Option<Asks> {
        self.cycle().gate().map(|gate| gate.asks)
    }
}

pub(crate) fn said(summary: &str) -> Said {
    Said { summary: summary.into(), confidence: 8, ..Said::default() }
}

pub(crate) fn unsure(summary: &str, confidence: u8) -> Said {
    Said { confidence, ..said(summary) }
}

pub(crate) fn plan() -> Plan {
    Plan {
        locations: vec!["docs/glossary.md".into()],
        change: "add what is missing".into(),
        avoid: "the generated part".into(),
        avoid_paths: vec!["docs/generated".into()],
        win_state: "no term is missing".into(),
    }
}

pub(crate) fn measured(commit: &str) -> Measured {
    Measured { lines: 10, files: vec!["docs/glossary.md".into()], commit: commit.into(), ..Measured::default() }
}

pub(crate) fn check(name: &str, end: CheckEnd) -> Check {
    Check { name: name.into(), end, tail: String::new() }
}

pub(crate) fn judged(word: Word, standing: Standing) -> Outcome {
    let findings = Findings {
        subordinate: "as planned".into(),
        discrepancy: "two terms are missing".into(),
        main_source: "nobody wrote them".into(),
        recommended: "write them".into(),
        next_steps: String::new(),
    };
    Outcome::Judged { said: said("judged"), word, standing, findings }
}
