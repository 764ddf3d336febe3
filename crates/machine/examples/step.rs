//! What a step costs: reports of done work on one stage with many tasks, in chains and side by side. A figure, no test.
#![allow(clippy::print_stdout, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::time::Instant;

use machine::{
    Fact, FileNote, Input, Limits, MULTIVERSE, Mode, Outcome, Planned, Proposal, Run, Target, Verdict, Work, World,
};

/// What a task reads.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Apart,
    Chain,
    FanIn,
}

struct Place {
    me: &'static str,
    cast: machine::Cast,
    alive: BTreeSet<String>,
    exists: BTreeSet<String>,
    none: BTreeSet<String>,
    people: BTreeSet<machine::Role>,
    template: Vec<Planned>,
    owners: std::collections::BTreeMap<String, String>,
    jobs: usize,
}

fn main() {
    for shape in [Shape::Apart, Shape::Chain, Shape::FanIn] {
        for tasks in [10, 100, 1000, 2000] {
            measure(shape, tasks, 8);
        }
    }
}

fn world<'a>(place: &'a Place, run: Option<&Run>) -> World<'a> {
    World {
        now: "2026-01-01T00:00:00Z",
        me: place.me,
        cast: &place.cast,
        alive: &place.alive,
        exists: &place.exists,
        free: place.jobs.saturating_sub(run.map_or(0, |run| run.attempts.len())),
        people: &place.people,
        tools: &place.none,
        published: &place.none,
        template: &place.template,
        template_below: &[],
        owners: &place.owners,
        procedures: &place.none,
        active: &place.none,
        past: &[],
        budget: machine::Budget::default(),
        used: machine::Metered::default(),
    }
}

fn measure(shape: Shape, tasks: usize, jobs: usize) {
    let template =
        MULTIVERSE.layers.iter().map(|name| Planned { name: (*name).into(), ..Planned::default() }).collect();
    let place = Place {
        owners: std::collections::BTreeMap::new(),
        me: "p1",
        cast: machine::Cast::default(),
        alive: BTreeSet::from(["p1".into()]),
        exists: BTreeSet::from(["assets/a.md".into()]),
        none: BTreeSet::new(),
        people: BTreeSet::new(),
        template,
        jobs,
    };
    let limits = Limits::default();
    let mut run = None;
    let begin = machine::start(&MULTIVERSE, "run-1", "x", Mode::InitialRun, "", &world(&place, None), &limits);
    begin.expect("a start").facts.iter().for_each(|fact| machine::apply(&MULTIVERSE, &mut run, "run-1", fact));
    let (mut decided, mut applied, mut slowest, mut steps) = (0, 0, 0, 0_u32);
    loop {
        let now = run.as_ref().expect("a run");
        let is_working = now.attempts.values().any(|attempt| matches!(&attempt.work, Work::Execute(id) if id != "T04"));
        let input = match now.attempts.values().next() {
            None => Input::Answer { verdict: Verdict::Confirm, by: "x".into() },
            Some(attempt) => Input::Report { fence: attempt.fence, outcome: outcome(now, &attempt.work, shape, tasks) },
        };
        if steps > 0 && !is_working {
            break;
        }
        let start = Instant::now();
        let decision = machine::decide(&MULTIVERSE, Some(now), "run-1", &input, &world(&place, Some(now)), &limits);
        let decision = decision.unwrap_or_else(|refusal| panic!("{refusal}"));
        let middle = Instant::now();
        decision.facts.iter().for_each(|fact| machine::apply(&MULTIVERSE, &mut run, "run-1", fact));
        if is_working {
            let (one, other) = ((middle - start).as_nanos(), middle.elapsed().as_nanos());
            decided += one;
            applied += other;
            slowest = slowest.max(one + other);
            steps += 1;
        }
        assert!(!decision.facts.iter().any(|fact| matches!(fact, Fact::Failed(_))), "{:?}", decision.facts);
    }
    let each = |sum: u128| sum as f64 / f64::from(steps) / 1000.0;
    let slowest = slowest as f64 / 1000.0;
    println!(
        "{shape:?} {tasks} tasks: decide {:.1} µs, apply {:.1} µs, slowest step {slowest:.0} µs",
        each(decided),
        each(applied)
    );
}

fn outcome(run: &Run, work: &Work, shape: Shape, tasks: usize) -> Outcome {
    let path = |number: usize| format!("runs/run-1/workspace/ANALYZING/{number}.md");
    let row = |name: String| Planned { name, purpose: "p".into(), ..Planned::default() };
    match work {
        Work::Plan(Target::Prelude) => Outcome::Plan(Vec::new()),
        Work::Plan(Target::Proposal) => {
            Outcome::Proposal(Proposal { instructions: vec!["x".into()], ..Proposal::default() })
        }
        Work::Plan(Target::Children(id)) if id.starts_with('P') => Outcome::Plan(vec![row("s".into())]),
        Work::Plan(_) => {
            let inputs = |number: usize| match shape {
                Shape::Chain if number > 0 => vec![path(number - 1)],
                Shape::FanIn if number + 1 == tasks => (0..number.min(1000)).map(path).collect(),
                Shape::Apart | Shape::Chain | Shape::FanIn => vec!["assets/a.md".into()],
            };
            let task =
                |number: usize| Planned { inputs: inputs(number), output: path(number), ..row(format!("t{number}")) };
            Outcome::Plan((0..tasks).map(task).collect())
        }
        Work::Execute(id) => {
            let path = run.item(id).map(|item| item.output.clone()).unwrap_or_default();
            Outcome::Done {
                files: vec![FileNote { path, asset_type: String::new(), summary: "s".into(), ..FileNote::default() }],
            }
        }
        Work::SetUp(_) => Outcome::Done { files: Vec::new() },
        Work::Catalog(_) => Outcome::Catalog { files: Vec::new(), gone: Vec::new() },
    }
}
