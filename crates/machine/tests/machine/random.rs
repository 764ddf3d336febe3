//! Chance, with a seed: whatever comes in whatever order, nothing panics, and a replay ends in the same run.

use machine::{
    Attempt, Budget, Cast, Course, Fact, Failure, FileNote, Hierarchy, Holder, Input, Item, LINEAGE, MULTIVERSE,
    Measure, Metered, Mode, Outcome, Planned, Proposal, Question, Rest, State, Status, Target, Timing, Used, Verdict,
    Work,
};

use crate::driver::{RUN, Universe, words};

/// A small generator: the same seed, the same numbers.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % most.max(1)
    }

    fn one_in(&mut self, most: usize) -> bool {
        self.below(most) == 0
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// QL-20: random schedules with lost, broken, paused, asked and crashed attempts, over jobs and hierarchies. Every step
/// is checked by the universe: the replay, the loaded run, what is started. The run ends completed, or failed for a reason.
#[test]
fn random_schedules_end_and_replay() {
    for seed in 0..60 {
        let mut chance = Chance::new(seed);
        let hierarchy: &'static Hierarchy = if seed % 3 == 0 { &LINEAGE } else { &MULTIVERSE };
        let mut universe = Universe::new(hierarchy);
        (universe.jobs, universe.tasks) = (1 + chance.below(6), 1 + chance.below(6));
        universe.limits.sent_back = 30;
        // BY-08: every other run has a budget, which is raised whenever it is used up.
        universe.limits.attempt_tokens = 100;
        universe.budget.tokens = (seed % 2 == 0).then_some(500);
        let mut beyond = 0;
        universe.start();
        let may_fail = seed % 4 == 0;
        let mut steps = 0;
        while universe.run().course != Course::Over {
            steps += 1;
            assert!(steps < 20_000, "seed {seed} does not end");
            if let Some(input) = disturbance(&mut chance, &mut universe) {
                let _ = universe.give(&input);
                continue;
            }
            let run = universe.run();
            if let Some(bound) = run.budget.tokens {
                let reserved: u64 = run.attempts.values().map(|attempt| attempt.reserved.tokens).sum();
                assert!(run.used.tokens + reserved <= bound + beyond, "seed {seed}: {:?} {:?}", run.used, run.budget);
            }
            universe.used = Metered { tokens: chance.below(120) as u64, micro_dollars: None };
            if universe.run().exhausted.is_some() {
                let more = format!("{} tokens", universe.run().used.tokens + 500);
                universe.must(&Input::Tell { fence: Some(0), answer: more, by: "me".into() });
                beyond = 0;
            } else if universe.run().paused.is_some() {
                universe.must(&Input::Resume);
            } else if universe.run().course == Course::Gate {
                let modify = Verdict::Modify("shorter".into());
                let verdict = if chance.one_in(3) { modify } else { Verdict::Confirm };
                universe.must(&Input::Answer { verdict, by: "me".into() });
            } else if universe.run().driver.is_none() {
                universe.must(&Input::Claim);
            } else if let (Some(fence), true) = (universe.run().questions.keys().next().copied(), chance.one_in(2)) {
                universe.must(&Input::Tell { fence: Some(fence), answer: "yes".into(), by: "me".into() });
            } else if universe.run().attempts.is_empty() {
                universe.must(&Input::Wake);
            } else {
                let attempts = universe.attempts();
                let attempt = chance.pick(&attempts).clone();
                let outcome = outcome(&mut chance, &universe, &attempt.work, may_fail);
                beyond += universe.used.tokens.saturating_sub(attempt.reserved.tokens);
                universe.report(attempt.fence, outcome);
            }
        }
        let (status, failure) = (universe.run().status, universe.run().failure.clone());
        assert!(status == Status::Completed || may_fail, "seed {seed}: {failure:?}");
        let items = &universe.run().items;
        if items.is_empty() {
            // The very first planning failed: nothing is there that could be done or not.
            let doing = failure.map(|failure| (failure.items, failure.doing));
            assert_eq!(doing, Some((Vec::new(), "phase:0".into())), "seed {seed}");
            continue;
        }
        let done = items.iter().all(|item| item.state == State::Completed);
        assert_eq!(done, status == Status::Completed, "seed {seed}");
    }
}

fn disturbance(chance: &mut Chance, universe: &mut Universe) -> Option<Input> {
    // Time goes on, mostly; now and then somebody sets the clock back.
    let past = "2025-12-31T23:00:00Z".to_string();
    universe.now = if chance.one_in(200) { past } else { machine::later(&universe.now, chance.below(20) as u64) };
    match chance.below(40) {
        0 => Some(Input::Pause { reason: "x".into() }),
        1 => Some(Input::Release),
        // The process dies, and another takes the run.
        2 => {
            universe.me = format!("p{}", chance.below(1000) + 2);
            universe.alive = words(&[&universe.me]);
            Some(Input::Claim)
        }
        3 => Some(Input::Wake),
        4 => Some(Input::Report { fence: 1, outcome: Outcome::Lost("late".into()) }),
        5 => Some(Input::Edited { items: universe.run().items.clone() }),
        _ => None,
    }
}

fn outcome(chance: &mut Chance, universe: &Universe, work: &Work, may_fail: bool) -> Outcome {
    match chance.below(30) {
        0 => Outcome::Lost("killed".into()),
        1 => Outcome::Broken(vec!["bad".into()]),
        2 => Outcome::Question("which?".into()),
        3 => Outcome::Paused("no tokens".into()),
        5 => Outcome::Later { seconds: chance.below(100) as u64, reason: "too fast".into() },
        4 if may_fail => Outcome::Failed("no".into()),
        _ => universe.outcome(work),
    }
}

const IDS: [&str; 18] = [
    "",
    "T00",
    "T02",
    "T04",
    "T05",
    "T06",
    "P01",
    "P04",
    "S00",
    "S01",
    "TT05_01",
    "ü",
    "ph-1",
    "ph-1_stg-1",
    "tsk-01",
    "ph-1_stg-1_sub-01",
    "ph-1_stg-1_sub-01_tsk-01",
    "archive",
];
const PATHS: [&str; 7] = [
    "",
    "assets/a.md",
    "workspace/ANALYZING/x.md",
    "../x",
    "outputs/run-1/x.pdf",
    "runs/run-1/workspace/ANALYZING/x.md",
    "/",
];

fn id(chance: &mut Chance) -> String {
    (*chance.pick(&IDS)).into()
}

fn row(chance: &mut Chance) -> Planned {
    Planned {
        id: chance.one_in(2).then(|| id(chance)),
        name: id(chance),
        purpose: id(chance),
        order: chance.one_in(2).then(|| u32::try_from(chance.below(4)).expect("small")),
        inputs: (0..chance.below(3)).map(|_| (*chance.pick(&PATHS)).into()).collect(),
        output: (*chance.pick(&PATHS)).into(),
        pre: id(chance),
        post: id(chance),
        tool: if chance.one_in(2) { "WebSearch".into() } else { id(chance) },
        timing: chance.one_in(2).then_some(Timing::Post),
        folder: (*chance.pick(&["workspace", "outputs/ph-1_Draft", "x"])).into(),
        procedure: (*chance.pick(&["", "survey", "x"])).into(),
        guidelines: (0..chance.below(2)).map(|_| (*chance.pick(&PATHS)).into()).collect(),
        ..Planned::default()
    }
}

fn item(chance: &mut Chance) -> Item {
    Item {
        id: id(chance),
        level: chance.below(7),
        parent: chance.one_in(2).then(|| id(chance)),
        order: u32::try_from(chance.below(4)).expect("small"),
        name: id(chance),
        inputs: (0..chance.below(3)).map(|_| (*chance.pick(&PATHS)).into()).collect(),
        output: (*chance.pick(&PATHS)).into(),
        guidelines: (0..chance.below(2)).map(|_| (*chance.pick(&PATHS)).into()).collect(),
        folder: (*chance.pick(&PATHS)).into(),
        action: chance.one_in(2).then_some(machine::Action::Modify),
        by_tools: chance.one_in(3),
        pre: chance.one_in(2),
        post: chance.one_in(2),
        timing: chance.one_in(2).then_some(Timing::Pre),
        state: *chance.pick(&[State::Pending, State::Completed, State::Failed]),
        core_done: chance.one_in(2),
        planned: if chance.one_in(2) { vec!["children".into()] } else { Vec::new() },
    }
}

fn target(chance: &mut Chance) -> Target {
    match chance.below(4) {
        0 => Target::Prelude,
        1 => Target::Proposal,
        2 => Target::Children(id(chance)),
        _ => Target::Tools(id(chance), *chance.pick(&[Timing::Pre, Timing::Post])),
    }
}

fn work(chance: &mut Chance) -> Work {
    match chance.below(4) {
        0 => Work::Plan(target(chance)),
        1 => Work::Execute(id(chance)),
        2 => Work::SetUp(id(chance)),
        _ => Work::Catalog(id(chance)),
    }
}

fn files(chance: &mut Chance) -> Vec<FileNote> {
    let file = |path: &str| FileNote { path: path.into(), asset_type: "X".into(), ..FileNote::default() };
    (0..chance.below(3)).map(|_| file(PATHS[chance.below(PATHS.len())])).collect()
}

fn verdict(chance: &mut Chance) -> Verdict {
    match chance.below(4) {
        0 => Verdict::Confirm,
        1 => Verdict::Modify(id(chance)),
        2 => Verdict::NewRequest(id(chance)),
        _ => Verdict::Cancel,
    }
}

fn proposal(chance: &mut Chance) -> Proposal {
    Proposal { instructions: (0..chance.below(3)).map(|_| id(chance)).collect(), ..Proposal::default() }
}

fn any_outcome(chance: &mut Chance) -> Outcome {
    match chance.below(10) {
        9 => Outcome::Later { seconds: u64::MAX >> chance.below(64), reason: id(chance) },
        0 | 1 => Outcome::Plan((0..chance.below(5)).map(|_| row(chance)).collect()),
        2 => Outcome::Proposal(proposal(chance)),
        3 => Outcome::Done { files: files(chance) },
        4 => Outcome::Catalog { files: files(chance), gone: Vec::new() },
        5 => Outcome::Question(id(chance)),
        6 => Outcome::Paused(id(chance)),
        7 => Outcome::Broken(Vec::new()),
        _ => Outcome::Lost(id(chance)),
    }
}

fn any_input(chance: &mut Chance, fence: u64) -> Input {
    let fence = chance.below(usize::try_from(fence).expect("small") + 2) as u64;
    match chance.below(14) {
        0 => Input::Wake,
        1 => Input::Claim,
        2 => Input::Release,
        3..=7 => Input::Report { fence, outcome: any_outcome(chance) },
        8 => Input::Answer { verdict: verdict(chance), by: String::new() },
        9 => Input::Tell { fence: chance.one_in(2).then_some(fence), answer: id(chance), by: String::new() },
        10 => Input::Pause { reason: String::new() },
        11 => Input::Resume,
        12 if chance.one_in(20) => Input::Cancel { by: String::new() },
        _ => Input::Edited { items: (0..chance.below(6)).map(|_| item(chance)).collect() },
    }
}

fn any_fact(chance: &mut Chance) -> Fact {
    let fence = chance.below(6) as u64;
    match chance.below(29) {
        26 => Fact::Budgeted { budget: Budget { tokens: Some(fence * 100), ..Budget::default() }, by: None },
        27 => Fact::Spent { fence, used: Used { tokens: u64::MAX >> fence, ..Used::default() } },
        28 => Fact::Exhausted { measure: *chance.pick(&Measure::ALL) },
        24 => Fact::Rested {
            fence,
            rest: Rest { work: work(chance), since: String::new(), until: id(chance), reason: String::new() },
        },
        25 => Fact::Woke { fence },
        0 => Fact::Driven { by: chance.one_in(3).then(|| "p1".into()), cast: Cast::default() },
        1 | 2 => Fact::Assigned(Attempt {
            fence,
            work: work(chance),
            number: 1,
            holder: if chance.one_in(2) { Holder::Person } else { Holder::Process("p9".into()) },
            since: String::new(),
            problems: Vec::new(),
            answers: Vec::new(),
            reserved: Used { tokens: chance.below(50) as u64, ..Used::default() },
        }),
        3 => Fact::SentBack { fence, problems: Vec::new() },
        4 => Fact::Lost { fence, reason: String::new() },
        5..=8 => {
            Fact::Planned { fence, target: target(chance), rows: (0..chance.below(4)).map(|_| row(chance)).collect() }
        }
        9 => Fact::Proposed { fence, proposal: proposal(chance) },
        10 => Fact::Answered { verdict: verdict(chance), by: String::new(), at: String::new() },
        11 => Fact::Constituted { item: id(chance), ids: Vec::new() },
        12 => Fact::Catalogued { fence, files: files(chance), gone: Vec::new() },
        13 => Fact::Worked { fence, item: id(chance), files: files(chance) },
        14 => Fact::Completed { item: id(chance), files: files(chance) },
        15 => Fact::Asked { fence, question: Question { work: work(chance), text: String::new() } },
        16 => Fact::Told { fence, answer: String::new(), by: String::new() },
        17 => Fact::Paused { reason: String::new() },
        18 => Fact::Resumed,
        19 if chance.one_in(9) => {
            Fact::Failed(Failure { items: vec![id(chance)], doing: String::new(), error: String::new() })
        }
        20 if chance.one_in(9) => Fact::Finished,
        21 => Fact::Edited { item: item(chance) },
        22 => Fact::Removed { item: id(chance) },
        _ => {
            let items = (0..chance.below(6)).map(|_| item(chance)).collect();
            Fact::TakenOver { from: id(chance), items, worked: Default::default(), formats: Vec::new() }
        }
    }
}

/// Any input in any state that facts can make: no panic, no loop without end, and a decision that can be applied.
#[test]
fn nothing_panics() {
    for seed in 0..1500 {
        let mut chance = Chance::new(seed + 7);
        let hierarchy: &'static Hierarchy = if seed % 2 == 0 { &MULTIVERSE } else { &LINEAGE };
        let mut universe = Universe::new(hierarchy);
        universe.jobs = chance.below(4);
        // Facts before the beginning are ignored.
        machine::apply(hierarchy, &mut universe.run, RUN, &any_fact(&mut chance));
        assert_eq!(universe.run, None);
        if chance.one_in(2) {
            universe.start();
        } else {
            let (request, mode, definition) = ("x".to_string(), Mode::InitialRun, String::new());
            let started =
                Fact::Started { protocol: "x".into(), request, mode, retry_of: None, definition, at: String::new() };
            machine::apply(hierarchy, &mut universe.run, RUN, &started);
        }
        for _ in 0..60 {
            if chance.one_in(2) {
                machine::apply(hierarchy, &mut universe.run, RUN, &any_fact(&mut chance));
            } else {
                let input = any_input(&mut chance, universe.run().fence.min(50));
                if let Ok(decision) = universe.try_decide(&input) {
                    decision.facts.iter().for_each(|fact| machine::apply(hierarchy, &mut universe.run, RUN, fact));
                }
                drop(input.named_paths(hierarchy, RUN, universe.run.as_ref()));
            }
            let _ = universe.run().current(hierarchy);
            let _ = universe.run().in_plan_order(hierarchy);
            let _ = machine::retry(hierarchy, "run-2", universe.run(), &universe.world(), &universe.limits);
            let _ = IDS.iter().filter_map(|id| universe.run().layer_of(id)).count();
        }
    }
}
