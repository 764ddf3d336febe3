//! A universe in memory: a run, the world around it, and agents that always do the same.

use std::collections::{BTreeMap, BTreeSet};

use machine::{
    Attempt, Budget, Cast, Course, Decision, Effect, Fact, FileNote, Hierarchy, Holder, Input, Limits, Metered, Mode,
    Outcome, PastRun, Placing, Planned, Proposal, Refusal, Role, Run, State, Status, Target, Timing, Verdict, Work,
    World,
};

pub(crate) const RUN: &str = "run-1";

#[derive(Debug, Clone)]
pub(crate) struct Universe {
    pub(crate) hierarchy: &'static Hierarchy,
    pub(crate) run: Option<Run>,
    /// The same run, made by `apply` from its facts alone.
    pub(crate) replayed: Option<Run>,
    pub(crate) me: String,
    pub(crate) cast: Cast,
    pub(crate) alive: BTreeSet<String>,
    pub(crate) exists: BTreeSet<String>,
    pub(crate) jobs: usize,
    pub(crate) people: BTreeSet<Role>,
    pub(crate) tools: BTreeSet<String>,
    pub(crate) published: BTreeSet<String>,
    pub(crate) template: Vec<Planned>,
    pub(crate) template_below: Vec<Planned>,
    pub(crate) owners: BTreeMap<String, String>,
    pub(crate) procedures: BTreeSet<String>,
    pub(crate) active: BTreeSet<String>,
    pub(crate) past: Vec<PastRun>,
    pub(crate) limits: Limits,
    /// All facts so far.
    pub(crate) facts: Vec<Fact>,
    /// How many tasks a plan has.
    pub(crate) tasks: usize,
    pub(crate) formats: Vec<String>,
    pub(crate) now: String,
    pub(crate) budget: Budget,
    /// What the next attempt that ends used.
    pub(crate) used: Metered,
}

pub(crate) fn words(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(ToString::to_string).collect()
}

impl Universe {
    pub(crate) fn new(hierarchy: &'static Hierarchy) -> Self {
        let names: &[&str] = if hierarchy.layers.is_empty() { &["Draft", "Book"] } else { hierarchy.layers };
        let row = |name: &&str| Planned { name: name.to_string(), purpose: "why".into(), ..Planned::default() };
        Self {
            hierarchy,
            run: None,
            replayed: None,
            me: "p1".into(),
            cast: Cast::default(),
            alive: words(&["p1"]),
            exists: words(&["assets/a.md"]),
            jobs: 1,
            people: BTreeSet::new(),
            tools: words(&["WebSearch", "DataVisualization"]),
            published: BTreeSet::new(),
            template: names.iter().map(row).collect(),
            template_below: ["ANALYZING", "DRAFTING"].iter().map(row).collect(),
            owners: BTreeMap::new(),
            procedures: words(&["survey"]),
            active: words(&["I-old-01"]),
            past: Vec::new(),
            limits: Limits::default(),
            facts: Vec::new(),
            tasks: 3,
            formats: Vec::new(),
            now: "2026-01-01T00:00:00Z".into(),
            budget: Budget::default(),
            used: Metered::default(),
        }
    }

    pub(crate) fn run(&self) -> &Run {
        self.run.as_ref().expect("there is a run")
    }

    pub(crate) fn world(&self) -> World<'_> {
        let is_mine = |attempt: &&Attempt| attempt.holder == Holder::Process(self.me.clone());
        let busy = |run: &Run| run.attempts.values().filter(is_mine).count();
        World {
            now: &self.now,
            me: &self.me,
            cast: &self.cast,
            alive: &self.alive,
            exists: &self.exists,
            free: self.jobs.saturating_sub(self.run.as_ref().map_or(0, busy)),
            people: &self.people,
            tools: &self.tools,
            published: &self.published,
            template: &self.template,
            template_below: &self.template_below,
            owners: &self.owners,
            procedures: &self.procedures,
            active: &self.active,
            past: &self.past,
            budget: self.budget,
            used: self.used,
        }
    }

    pub(crate) fn start(&mut self) -> Decision {
        let start =
            machine::start(self.hierarchy, RUN, "write it", Mode::InitialRun, "d1", &self.world(), &self.limits);
        let decision = start.expect("a run starts");
        self.take(&decision);
        decision
    }

    pub(crate) fn try_decide(&self, input: &Input) -> Result<Decision, Refusal> {
        machine::decide(self.hierarchy, self.run.as_ref(), RUN, input, &self.world(), &self.limits)
    }

    /// Decides and applies, and checks what must hold of every step.
    pub(crate) fn give(&mut self, input: &Input) -> Result<Decision, Refusal> {
        let decision = self.try_decide(input);
        assert_eq!(decision, self.try_decide(input), "the same state and input give the same decision");
        // A run that comes from a checkpoint has no index yet, and decides the same.
        let stored = serde_json::to_string(self.run()).expect("a run can be stored");
        let loaded: Run = serde_json::from_str(&stored).expect("a run can be loaded");
        let again = machine::decide(self.hierarchy, Some(&loaded), RUN, input, &self.world(), &self.limits);
        assert_eq!(decision, again, "a loaded run decides the same on {input:?}");
        let decision = decision?;
        self.take(&decision);
        Ok(decision)
    }

    pub(crate) fn must(&mut self, input: &Input) -> Decision {
        self.give(input).unwrap_or_else(|refusal| panic!("{input:?} is refused: {refusal}"))
    }

    pub(crate) fn take(&mut self, decision: &Decision) {
        for fact in &decision.facts {
            machine::apply(self.hierarchy, &mut self.run, RUN, fact);
            let stored = serde_json::to_string(fact).expect("a fact can be stored");
            let loaded = serde_json::from_str(&stored).expect("a fact can be loaded");
            assert_eq!(*fact, loaded);
            machine::apply(self.hierarchy, &mut self.replayed, RUN, &loaded);
            if let Fact::Worked { files, .. } = fact {
                self.exists.extend(files.iter().map(|file| file.path.clone()));
            }
        }
        self.facts.extend(decision.facts.iter().cloned());
        assert_eq!(self.run, self.replayed, "a replay ends in the same run");
        for effect in &decision.effects {
            if let Effect::Start(fence) = effect {
                assert!(self.run().attempts.contains_key(fence), "what is started is assigned");
            }
        }
    }

    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        self.run().attempts.values().cloned().collect()
    }

    /// The only attempt there is.
    pub(crate) fn only(&self) -> Attempt {
        let attempts = self.attempts();
        assert_eq!(attempts.len(), 1, "one attempt: {attempts:?}");
        attempts[0].clone()
    }

    pub(crate) fn report(&mut self, fence: u64, outcome: Outcome) -> Decision {
        self.must(&Input::Report { fence, outcome })
    }

    /// Lets the only attempt end as agents do.
    pub(crate) fn next(&mut self) -> Decision {
        let attempt = self.only();
        let outcome = self.outcome(&attempt.work);
        self.report(attempt.fence, outcome)
    }

    pub(crate) fn confirm(&mut self) -> Decision {
        self.must(&Input::Answer { verdict: Verdict::Confirm, by: "me".into() })
    }

    /// Goes on, one attempt after the other, until something is so.
    pub(crate) fn until(&mut self, is_so: impl Fn(&Self) -> bool) {
        for _ in 0..10_000 {
            if is_so(self) {
                return;
            }
            match self.run().course {
                Course::Gate => drop(self.confirm()),
                Course::Over => panic!("the run is over: {:?}", self.run().failure),
                _ => {
                    let first = self.attempts().first().cloned().expect("somebody is at work");
                    let outcome = self.outcome(&first.work);
                    self.report(first.fence, outcome);
                }
            }
        }
        panic!("it does not come to that");
    }

    pub(crate) fn at_work(work: &Work) -> impl Fn(&Self) -> bool + '_ {
        move |universe| universe.run().attempts.values().any(|attempt| attempt.work == *work)
    }

    /// What a good agent answers.
    pub(crate) fn outcome(&self, work: &Work) -> Outcome {
        match work {
            Work::Plan(Target::Prelude) => Outcome::Plan(Vec::new()),
            Work::Plan(Target::Proposal) => Outcome::Proposal(Proposal {
                instructions: vec!["be brief".into(), "be right".into()],
                formats: self.formats.clone(),
                ..Proposal::default()
            }),
            Work::Plan(Target::Children(parent)) => Outcome::Plan(self.plan(parent)),
            Work::Plan(Target::Tools(task, timing)) => Outcome::Plan(self.tool_plan(task, *timing)),
            Work::Execute(id) => {
                let output = self.run().item(id).expect("the item is there").output.clone();
                let asset_type = String::new();
                Outcome::Done {
                    files: vec![FileNote { path: output, asset_type, summary: "s".into(), ..FileNote::default() }],
                }
            }
            Work::SetUp(_) => Outcome::Done { files: Vec::new() },
            Work::Catalog(_) => Outcome::Catalog { files: Vec::new(), gone: Vec::new() },
        }
    }

    fn plan(&self, parent: &str) -> Vec<Planned> {
        let level = self.run().item(parent).map_or(0, |item| item.level + 1);
        let reason = self.hierarchy.levels[level].columns.reason;
        let more = || if reason.is_empty() { BTreeMap::new() } else { BTreeMap::from([(reason.into(), "so".into())]) };
        let row = |name: String| Planned { name, purpose: "make one thing".into(), more: more(), ..Planned::default() };
        if level < self.hierarchy.task_level() {
            return (1..=2).map(|number| row(format!("{parent} part {number}"))).collect();
        }
        let layer = self.run().layer_of(parent).unwrap_or("");
        let is_last = self.hierarchy.layers.last() == Some(&layer);
        let output = |number: usize| match number {
            1 if is_last => format!("outputs/{RUN}/{parent}.md"),
            _ => format!("workspace/{layer}/{parent}_{number}.md"),
        };
        if self.hierarchy.placing == Placing::ByFolder {
            return (1..=self.tasks).map(|number| self.placed_task(parent, number, &row)).collect();
        }
        let task = |number: usize| Planned {
            // The second reads what the first makes; the others could all begin at once.
            inputs: vec![if number == 2 { output(1) } else { "assets/a.md".into() }],
            output: output(number),
            pre: if number == 2 { "look it up".into() } else { String::new() },
            post: if number.is_multiple_of(3) { "draw it".into() } else { String::new() },
            ..row(format!("{parent} task {number}"))
        };
        (1..=self.tasks).map(task).collect()
    }

    /// The same where folders are planned: the file has its name from the plan.
    fn placed_task(&self, parent: &str, number: usize, row: &dyn Fn(String) -> Planned) -> Planned {
        let first = format!("runs/{RUN}/workspace/{parent}_tsk-01_task_1.md");
        Planned {
            inputs: vec![if number == 2 { first } else { "assets/a.md".into() }],
            folder: if number == 3 {
                self.run().outermost_of(parent).expect("a phase").folder.clone()
            } else {
                "workspace/".into()
            },
            pre: if number == 2 { "look it up".into() } else { String::new() },
            post: if number.is_multiple_of(3) { "draw it".into() } else { String::new() },
            ..row(format!("task {number}"))
        }
    }

    fn tool_plan(&self, task: &str, timing: Timing) -> Vec<Planned> {
        if self.hierarchy.placing == Placing::ByFolder {
            let name = |number: usize| format!("{timing:?} {number}");
            let tool = |number: usize| Planned {
                name: name(number),
                purpose: "help".into(),
                tool: "WebSearch".into(),
                ..Planned::default()
            };
            return (1..=2).map(tool).collect();
        }
        let layer = self.run().layer_of(task).unwrap_or("");
        let tool = |number: usize| Planned {
            name: format!("tool {number}"),
            purpose: "help".into(),
            tool: "WebSearch".into(),
            output: format!("workspace/{layer}/{task}_{timing:?}_{number}.md"),
            ..Planned::default()
        };
        (1..=2).map(tool).collect()
    }
}

pub(crate) fn started(hierarchy: &'static Hierarchy) -> Universe {
    let mut universe = Universe::new(hierarchy);
    universe.start();
    universe
}

/// A run whose proposal waits for an answer.
pub(crate) fn at_gate() -> Universe {
    let mut universe = started(&machine::MULTIVERSE);
    universe.until(|universe| universe.run().course == Course::Gate);
    universe
}

/// A run whose first task of the first stage is being done.
pub(crate) fn at_first_task() -> Universe {
    let mut universe = at_gate();
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    universe
}

pub(crate) fn kinds(facts: &[Fact]) -> Vec<String> {
    let kind = |fact: &Fact| match fact {
        Fact::Completed { item, .. } => format!("Completed {item}"),
        Fact::Worked { item, .. } => format!("Worked {item}"),
        Fact::Assigned(attempt) => format!("Assigned {}", attempt.work.key()),
        other => format!("{other:?}").split([' ', '(', '{']).next().unwrap_or_default().to_string(),
    };
    facts.iter().map(kind).collect()
}

pub(crate) fn is_over(universe: &Universe) -> bool {
    matches!(universe.run().status, Status::Completed | Status::Failed)
}

pub(crate) fn states(universe: &Universe) -> Vec<(String, State)> {
    universe.run().in_plan_order(universe.hierarchy).iter().map(|item| (item.id.clone(), item.state)).collect()
}
