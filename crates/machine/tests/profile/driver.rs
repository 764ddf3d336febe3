//! A team that can be driven input by input. Each step is checked: a replay of the facts ends in the same run, and so
//! does a run that was written down and read.

use std::collections::BTreeSet;

use machine::profile::{
    Artifact, CommitNote, Course, Decision, Fact, Gate, GateRecord, Idea, Input, IntegrationResult, Mode, Move,
    Outcome, Phase, Profile, Review, ReviewVerdict, RoleStep, Run, Seen, Start, StepKind, World, apply, decide, start,
    take_over,
};
use machine::{Budget, Cast, Limits, Metered, Refusal};

pub(crate) const RUN: &str = "run-demo-20260208T144605Z";

pub(crate) struct Team {
    pub(crate) run: Option<Run>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) last: Decision,
    pub(crate) now: String,
    pub(crate) me: String,
    pub(crate) alive: BTreeSet<String>,
    pub(crate) free: usize,
    pub(crate) people: BTreeSet<String>,
    pub(crate) budget: Budget,
    pub(crate) used: Metered,
    pub(crate) limits: Limits,
    commits: u32,
}

pub(crate) fn step(id: &str, role: &str, kind: StepKind, outputs: &[&str]) -> RoleStep {
    RoleStep {
        id: id.into(),
        role: role.into(),
        kind,
        required_outputs: outputs.iter().map(ToString::to_string).collect(),
        review_of: None,
        gate: None,
        notes: None,
    }
}

pub(crate) fn gate_step(id: &str, gate: &str, outputs: &[&str]) -> RoleStep {
    RoleStep { gate: Some(gate.into()), ..step(id, "lead", StepKind::Gate, outputs) }
}

pub(crate) fn review_step(id: &str, role: &str, of: &str, outputs: &[&str]) -> RoleStep {
    RoleStep { review_of: Some(of.into()), ..step(id, role, StepKind::Reviewer, outputs) }
}

fn phase(id: &str, steps: Vec<RoleStep>) -> Phase {
    Phase { id: id.into(), description: String::new(), steps }
}

/// plan: write, review, gate MID; build: code, test; release: gate RELEASE_APPROVAL.
pub(crate) fn profile(mode: Mode) -> Profile {
    let gate = |id: &str, phase: &str| Gate {
        id: id.into(),
        phase: phase.into(),
        owner: "lead".into(),
        required: true,
        description: String::new(),
    };
    Profile {
        name: "demo".into(),
        version: 1,
        description: String::new(),
        friendly_name: "Demo".into(),
        mode,
        strict: true,
        gates: vec![gate("MID", "plan"), gate("RELEASE_APPROVAL", "release")],
        phases: vec![
            phase(
                "plan",
                vec![
                    step("write", "author", StepKind::Owner, &["plan.md"]),
                    review_step("check", "critic", "author", &["review.md"]),
                    gate_step("mid", "MID", &["mid.md"]),
                ],
            ),
            phase(
                "build",
                vec![
                    step("code", "developer", StepKind::Owner, &["code.md"]),
                    step("test", "tester", StepKind::Validator, &["tests.md"]),
                ],
            ),
            phase("release", vec![gate_step("release", "RELEASE_APPROVAL", &["approval.md"])]),
        ],
        max_review_cycles: Some(2),
        handoff: None,
    }
}

pub(crate) fn idea() -> Idea {
    Idea { id: "idea-1".into(), headline: "A parser".into(), owner: String::new(), context: String::new() }
}

impl Team {
    pub(crate) fn new() -> Self {
        Self {
            run: None,
            facts: Vec::new(),
            last: Decision::default(),
            now: "2026-02-08T14:46:05Z".into(),
            me: "p1".into(),
            alive: BTreeSet::from(["p1".to_string()]),
            free: 4,
            people: BTreeSet::new(),
            budget: Budget::default(),
            used: Metered::default(),
            limits: Limits::default(),
            commits: 0,
        }
    }

    pub(crate) fn started(profile: Profile, human: &[&str]) -> Self {
        let mut team = Self::new();
        team.start(profile, human).unwrap();
        team
    }

    pub(crate) fn start(&mut self, profile: Profile, human: &[&str]) -> Result<(), Refusal> {
        let human_gates = human.iter().map(ToString::to_string).collect();
        let begin = Start { profile, definition: "d".into(), idea: idea(), human_gates, seed: 0 };
        let decision = self.in_world(|world, limits| start(RUN, &begin, world, limits))?;
        self.take(decision);
        Ok(())
    }

    pub(crate) fn take_over(&mut self, known: Run, seen: &Seen) {
        let decision = self.in_world(|world, limits| take_over(RUN, known, seen, world, limits));
        self.take(decision);
    }

    fn in_world<T>(&self, act: impl FnOnce(&World<'_>, &Limits) -> T) -> T {
        let record = |record: &GateRecord<'_>| {
            let made = |name: &String| artifact(name, record.reason);
            record.outputs.iter().map(made).collect::<Vec<_>>()
        };
        let world = World {
            now: &self.now,
            me: &self.me,
            cast: &Cast::default(),
            alive: &self.alive,
            free: self.free,
            people: &self.people,
            budget: self.budget,
            used: self.used,
            record: &record,
        };
        act(&world, &self.limits)
    }

    pub(crate) fn give(&mut self, input: &Input) -> Result<(), Refusal> {
        let before = self.run.clone();
        let decision = self.in_world(|world, limits| decide(self.run.as_ref(), RUN, input, world, limits));
        assert_eq!(self.run, before, "a decision changes nothing");
        self.take(decision?);
        Ok(())
    }

    #[track_caller]
    pub(crate) fn must(&mut self, input: &Input) {
        self.give(input).unwrap_or_else(|refusal| panic!("{input:?} is refused: {refusal}"));
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, input: &Input, words: &[&str]) {
        let (before, count) = (self.run.clone(), self.facts.len());
        let refusal = self.give(input).expect_err("it should be refused").to_string();
        for word in words {
            assert!(refusal.contains(word), "{word:?} is not in {refusal:?}");
        }
        assert_eq!((&self.run, self.facts.len()), (&before, count), "a refusal changes nothing");
    }

    fn take(&mut self, decision: Decision) {
        for fact in &decision.facts {
            apply(&mut self.run, RUN, fact);
        }
        self.facts.extend(decision.facts.clone());
        self.last = decision;
        let mut replayed = None;
        for fact in &self.facts {
            let written = serde_json::to_string(fact).unwrap();
            apply(&mut replayed, RUN, &serde_json::from_str(&written).unwrap());
        }
        assert_eq!(replayed, self.run, "a replay ends in the same run");
        let written = serde_json::to_string(self.run()).unwrap();
        assert_eq!(serde_json::from_str::<Run>(&written).unwrap(), *self.run(), "a run that was kept is the same");
        self.check_invariants();
    }

    fn check_invariants(&self) {
        let run = self.run();
        assert!(run.attempts.len() <= 1, "one step at a time");
        assert!(run.current <= run.plan.len());
        if run.course == Course::Done {
            assert_eq!(run.missing(), [], "done only when nothing is missing");
        }
        if run.is_over() {
            assert!(run.attempts.is_empty() && run.driver.is_none() && !run.is_blocked());
        }
    }

    #[track_caller]
    pub(crate) fn run(&self) -> &Run {
        self.run.as_ref().expect("a run")
    }

    /// The id of the step that is on.
    pub(crate) fn on(&self) -> &str {
        self.run().step().map_or("", |step| step.step.id.as_str())
    }

    pub(crate) fn fence(&self) -> u64 {
        *self.run().attempts.keys().next().expect("somebody is at work")
    }

    pub(crate) fn report(&mut self, outcome: Outcome) {
        let fence = self.fence();
        self.must(&Input::Report { fence, outcome });
    }

    /// Good work of the step that is on.
    pub(crate) fn good(&mut self) -> Outcome {
        let step = self.run().step().expect("a step").clone();
        self.commits += 1;
        let commit = CommitNote {
            step_id: step.step.id.clone(),
            role: step.step.role.clone(),
            sha: format!("c{}", self.commits),
            message: format!("feat({}): work", step.step.role),
            at: self.now.clone(),
        };
        Outcome::Done {
            outputs: step.step.required_outputs.iter().map(|name| artifact(name, "x")).collect(),
            review: (step.step.kind == StepKind::Reviewer).then(approved),
            integration: (step.step.kind == StepKind::Validator).then_some(IntegrationResult::Passed),
            commit: (self.run().profile.mode == Mode::Realization).then_some(commit),
            question: None,
        }
    }

    pub(crate) fn do_well(&mut self) {
        let outcome = self.good();
        self.report(outcome);
    }

    pub(crate) fn ask_for_changes(&mut self, words: &str) {
        let mut outcome = self.good();
        if let Outcome::Done { review, .. } = &mut outcome {
            let (verdict, remarks) = (ReviewVerdict::ChangesRequested, vec![words.into()]);
            *review = Some(Review { verdict, remarks });
        }
        self.report(outcome);
    }

    pub(crate) fn fail_integration(&mut self, target: &str) {
        let mut outcome = self.good();
        if let Outcome::Done { integration, .. } = &mut outcome {
            *integration = Some(IntegrationResult::Failed { target: target.into(), error: "it broke".into() });
        }
        self.report(outcome);
    }

    pub(crate) fn until(&mut self, id: &str) {
        while self.on() != id {
            self.do_well();
        }
    }

    pub(crate) fn gate(&mut self, reply: &str) -> Result<(), Refusal> {
        self.give(&gate(None, reply))
    }

    pub(crate) fn answer(&mut self, answer: &str) -> Result<(), Refusal> {
        self.give(&Input::Answer { question: None, answer: answer.into(), by: "ann".into() })
    }

    pub(crate) fn moves(&self) -> Vec<&Move> {
        self.facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Moved(moved) => Some(moved),
                _ => None,
            })
            .collect()
    }
}

pub(crate) fn gate(id: Option<&str>, reply: &str) -> Input {
    Input::Gate { gate: id.map(Into::into), reply: reply.into(), reason: String::new(), by: "ann".into() }
}

pub(crate) fn artifact(name: &str, content: &str) -> Artifact {
    Artifact {
        name: name.into(),
        path: format!("agent_runtime/artifacts/a_parser/{name}"),
        digest: format!("digest of {content}"),
        owner: String::new(),
        at: String::new(),
    }
}

pub(crate) fn approved() -> Review {
    Review { verdict: ReviewVerdict::Approved, remarks: Vec::new() }
}
