//! QL-01 to QL-03 and QL-07 with the whole engine: requests carried through the protocol by agents that do nothing.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::engine::{Interrupt, Mode, Role, Service, Settings, Verdict};
use store::Missing;

use crate::floor;
use crate::noop::{EVERY, Noop, Shape};
use crate::times::{Line, median, micros, ratio, step_lines};

pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

/// A project with runs that begin, are confirmed, and end.
pub(crate) struct Bench {
    pub service: Service,
    agent: Arc<Noop>,
}

impl Bench {
    pub(crate) fn new(folder: &Path, shape: Shape, jobs: usize) -> Fallible<Self> {
        std::fs::create_dir_all(folder)?;
        let agent = Arc::new(Noop::new(shape));
        let mut settings = Settings::new(folder.canonicalize()?);
        settings.jobs = jobs;
        settings.play(Role::Planner, agent.clone());
        settings.play(Role::Executor, agent.clone());
        let service = Service::open(settings, Missing::Create, Arc::new(|_| {}))?;
        Ok(Self { service, agent })
    }

    /// Begins runs and brings them to where their first stage is planned and confirmed.
    fn begin(&mut self, runs: usize) -> Fallible<Vec<String>> {
        let mut begun = Vec::new();
        for _ in 0..runs {
            begun.push(self.service.start("Do nothing, in a report.", Some(Mode::InitialRun))?.run);
        }
        self.service.drive(&begun, &Interrupt::new())?;
        for run in &begun {
            self.service.answer(run, Verdict::Confirm, "the benchmark")?;
        }
        Ok(begun)
    }

    /// What a step takes of a processor.
    fn work(&self) -> Option<Duration> {
        let work = self.agent.work.lock().ok()?;
        let steps = u32::try_from(work.len().checked_sub(1)? * EVERY).ok()?;
        (*work.last()? - *work.first()?).checked_div(steps)
    }

    /// When each run's planner was asked for a proposal.
    pub(crate) fn asked(&self) -> Vec<Instant> {
        self.agent.asked.lock().map(|asked| asked.clone()).unwrap_or_default()
    }

    fn steps(&self) -> Vec<Instant> {
        self.agent.begun.lock().map(|begun| begun.clone()).unwrap_or_default()
    }
}

fn of_a_processor(work: Option<Duration>) -> String {
    work.map(|work| format!(", {} of a processor each", micros(work))).unwrap_or_default()
}

fn between(moments: &[Instant]) -> Vec<Duration> {
    moments.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// One run, 200 tasks one after the other, each committed before the next is begun: what each took, and took of a
/// processor.
pub(crate) fn steps_of_one(folder: &Path) -> Fallible<(Vec<Duration>, Option<Duration>)> {
    let shape = Shape { tasks: 200, chains: 1, pause: None };
    let mut bench = Bench::new(&folder.join("engine-one"), shape, 1)?;
    let runs = bench.begin(1)?;
    bench.service.drive(&runs, &Interrupt::new())?;
    Ok((between(&bench.steps()), bench.work()))
}

/// QL-01: the same, beside appends to the same disk.
pub(crate) fn one_run(folder: &Path) -> Fallible<Vec<Line>> {
    let before = floor::synced_appends(folder, 200, 100)?;
    let (steps, work) = steps_of_one(folder)?;
    let after = floor::synced_appends(folder, 200, 100)?;
    let appends: Vec<Duration> = before.into_iter().chain(after).collect();
    let what = format!("whole engine: step of a run, a new file each, median of {}", steps.len());
    Ok(step_lines(what, &steps, &of_a_processor(work), &appends))
}

const RUNS: usize = 100;
const TASKS: usize = 20;

/// What the tasks of many runs took.
pub(crate) struct Many {
    /// From the beginning of the first to the beginning of the last.
    pub working: Duration,
    /// From the confirmation of the runs to their end.
    all: Duration,
    /// What each took of a processor.
    work: Option<Duration>,
}

/// 100 runs at once, 20 tasks each.
pub(crate) fn many(folder: &Path) -> Fallible<Many> {
    at_once(&folder.join("engine-many"), TASKS)
}

fn at_once(folder: &Path, tasks: usize) -> Fallible<Many> {
    let shape = Shape { tasks, chains: 1, pause: None };
    let mut bench = Bench::new(folder, shape, RUNS)?;
    let runs = bench.begin(RUNS)?;
    let start = Instant::now();
    bench.service.drive(&runs, &Interrupt::new())?;
    let all = start.elapsed();
    let steps = bench.steps();
    let (first, last) = (steps.iter().min(), steps.iter().max());
    let working = last.zip(first).map(|(last, first)| *last - *first).unwrap_or_default();
    Ok(Many { working, all, work: bench.work() })
}

/// QL-02: the same, beside the same number of records appended.
pub(crate) fn many_runs(folder: &Path) -> Fallible<Vec<Line>> {
    let Many { working, all, work } = many(folder)?;
    let same_bytes = floor::grouped_appends(folder, 1000, RUNS, RUNS * TASKS)?;
    let per_second = |time: Duration| (RUNS * TASKS) as f64 / time.as_secs_f64();
    Ok(vec![
        Line {
            id: "QL-02",
            what: format!("whole engine: {RUNS} runs at once × {TASKS} tasks, a new file each"),
            measured: format!("{:.0} steps/s{}", per_second(working), of_a_processor(work)),
            against: format!("1,000 bytes a record, one fdatasync per {RUNS}: {:.0}/s", per_second(same_bytes)),
            ratio: per_second(working) / per_second(same_bytes),
            bar: "≥ 10 × the fastest peer (about 28,000/s); aim 0.5",
        },
        Line {
            id: "QL-02",
            what: "the same runs from confirmation to the end, all documents in place (tasks only counted)".into(),
            measured: format!("{:.0} steps/s", per_second(all)),
            against: String::new(),
            ratio: per_second(all) / per_second(same_bytes),
            bar: "",
        },
    ])
}

/// QL-02: the same for a load that lasts, so that the beginning counts for little: for whoever looks where time goes.
pub(crate) fn lasting(folder: &Path) -> Fallible<Vec<Line>> {
    const LASTING: usize = 200;
    let Many { working, work, .. } = at_once(&folder.join("engine-lasting"), LASTING)?;
    let per_second = (RUNS * LASTING) as f64 / working.as_secs_f64();
    Ok(vec![Line {
        id: "QL-02",
        what: format!("whole engine: {RUNS} runs at once × {LASTING} tasks, a new file each"),
        measured: format!("{per_second:.0} steps/s{}", of_a_processor(work)),
        against: String::new(),
        ratio: 0.0,
        bar: "",
    }])
}

/// QL-03: a run's 2,000th task against its 10th.
pub(crate) fn long_run(folder: &Path) -> Fallible<Vec<Line>> {
    let shape = Shape { tasks: 2000, chains: 1, pause: None };
    let mut bench = Bench::new(&folder.join("engine-long"), shape, 1)?;
    let runs = bench.begin(1)?;
    bench.service.drive(&runs, &Interrupt::new())?;
    let steps = between(&bench.steps());
    let (early, late) = (median(&steps[10..210]), median(&steps[1790..1990]));
    Ok(vec![Line {
        id: "QL-03",
        what: "whole engine: a run's tasks 1,800 to 2,000, median".into(),
        measured: micros(late),
        against: format!("its tasks 10 to 210: {}", micros(early)),
        ratio: ratio(late, early),
        bar: "≤ 1.2",
    }])
}

/// QL-07: with k workers, agents of 50 ms, eight chains.
pub(crate) fn makespan(folder: &Path) -> Fallible<Vec<Line>> {
    const JOBS: usize = 8;
    let pause = Duration::from_millis(50);
    let mut lines = Vec::new();
    for (tasks, chains) in [(80, 80), (80, 4), (84, 12)] {
        let shape = Shape { tasks, chains, pause: Some(pause) };
        let mut bench = Bench::new(&folder.join(format!("engine-makespan-{chains}")), shape, JOBS)?;
        let runs = bench.begin(1)?;
        bench.service.drive(&runs, &Interrupt::new())?;
        let steps = bench.steps();
        let (first, last) = (steps.iter().min(), steps.iter().max());
        let taken = last.zip(first).map(|(last, first)| *last - *first).unwrap_or_default() + pause;
        let critical = tasks.div_ceil(chains);
        let bound = pause * u32::try_from(critical.max(tasks.div_ceil(JOBS)))?;
        lines.push(Line {
            id: "QL-07",
            what: format!("{tasks} tasks of 50 ms in {chains} chains, {JOBS} at once"),
            measured: format!("{:.0} ms", taken.as_secs_f64() * 1e3),
            against: format!("bound: {:.0} ms", bound.as_secs_f64() * 1e3),
            ratio: ratio(taken, bound),
            bar: "≤ 1.05",
        });
    }
    Ok(lines)
}
