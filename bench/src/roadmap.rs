//! RM-15 and QL-07 with roadmaps: a step in a log of 10,000 items against one in a short log; and how long a plan takes that 1, 2,
//! 4, 8 or 16 executors share, in one process and in as many.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::engine::agent::{Backend, Ending, Job, Pace, Report};
use ::engine::{Interrupt, Role, Service, Settings};
use serde_json::{Value, json};
use store::{Missing, since_boot};

use crate::engine::Fallible;
use crate::times::{Line, mean, median, micros, ratio};

const TASK: &str = ".jixo/bench.task.md";
const LOG: &str = ".jixo/bench.log.md";
/// How long an agent takes for an item, and how many items each executor has.
const PAUSE: Duration = Duration::from_millis(50);
const EACH: usize = 20;
/// The item that all others wait for: it is done when everybody is there.
const GATE: &str = "0";
/// How a process that takes part in a measurement is told so: the project, and how many executors there are in all.
const CHILD: &str = "BENCH_ROADMAP";

/// An agent that plans once and does each item by waiting.
struct Waiting {
    plan: Value,
    pause: Duration,
    /// How many processes take work, before the first item is done.
    members: usize,
    project: PathBuf,
    /// When each item was begun and ended, on the clock that all processes share.
    worked: Mutex<Vec<(String, Duration, Duration)>>,
}

impl Backend for Waiting {
    fn name(&self) -> String {
        "waiting".into()
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn work(&self, job: &Job, _: &::engine::Stop, _: &dyn Fn(&str)) -> Ending {
        let mut report = Report::done("as asked");
        if job.brief.role == "planner" {
            report.result = self.plan.clone();
            return Ending::Report { report, log: String::new() };
        }
        let key = job.brief.item.get("id").and_then(Value::as_str).unwrap_or_default().to_string();
        let (begun, _) = since_boot();
        if key == GATE {
            while members(&self.project) < self.members {
                std::thread::sleep(Duration::from_millis(5));
            }
        } else if !self.pause.is_zero() {
            std::thread::sleep(self.pause);
        }
        if let Ok(mut worked) = self.worked.lock() {
            worked.push((key, begun, since_boot().0));
        }
        Ending::Report { report, log: String::new() }
    }
}

/// How many processes take work from the newest session.
fn members(project: &Path) -> usize {
    let listener: ::engine::Listener = Arc::new(|_| {});
    let Ok(service) = Service::open_to_look(&Settings::new(project.into()), &listener) else { return 0 };
    let newest = service.roadmaps().pop();
    newest.and_then(|(run, ..)| service.roadmap_status(&run).ok()).map_or(0, |view| view.members.len())
}

fn agent(project: &Path, plan: Value, pause: Duration, members: usize) -> Arc<Waiting> {
    Arc::new(Waiting { plan, pause, members, project: project.into(), worked: Mutex::default() })
}

fn carry_on(project: &Path, agent: &Arc<Waiting>, jobs: usize) -> Fallible<()> {
    let mut settings = Settings::new(project.canonicalize()?);
    settings.jobs = jobs;
    settings.play(Role::Planner, agent.clone());
    settings.play(Role::Executor, agent.clone());
    let mut service = Service::open(settings, Missing::Create, Arc::new(|_| {}))?;
    let joined = service.join_roadmap(TASK)?;
    service.drive(&[joined.run], &Interrupt::new())?;
    service.close()?;
    Ok(())
}

fn project(folder: &Path, log: Option<String>) -> Fallible<PathBuf> {
    std::fs::create_dir_all(folder.join(".jixo"))?;
    std::fs::write(folder.join(TASK), "---\nname: bench\n---\n\nDo nothing, many times.\n")?;
    if let Some(log) = log {
        std::fs::write(folder.join(LOG), log)?;
    }
    Ok(folder.canonicalize()?)
}

/// A log with so many items that are done, and as many entries.
fn log(items: usize) -> String {
    let mut text = "---\ntitle: \"bench\"\nprogress: \"100%\"\n---\n\n## Roadmap\n\n".to_string();
    for number in 1..=items {
        let _ = write!(text, "- [x] {number}. Do nothing for the {number}th time\n  - status: Completed\n");
    }
    text.push_str("\n## Work Log\n\n");
    for number in (1..=items).rev() {
        let _ = write!(
            text,
            "### Log {number} @executor (2026-01-02T03:04:05Z)\n\n- **Role**: Executor\n- **Objective**: {number}. Do nothing for the {number}th time\n- **Result**: Succeeded\n- **Summary**: Nothing was done, as asked.\n\n"
        );
    }
    text
}

fn plan(items: impl Iterator<Item = (String, Vec<String>)>) -> Value {
    let add: Vec<Value> = items
        .map(|(number, depends_on)| json!({"number": number, "title": "Do nothing", "depends_on": depends_on}))
        .collect();
    json!({"add": add})
}

/// How many steps are measured in each log.
const STEPS: usize = 120;

fn steps_in(folder: &Path, items: usize) -> Fallible<Vec<Duration>> {
    let project = project(folder, Some(log(items)))?;
    let new = (0..STEPS).map(|step| (format!("{}", items + step + 1), Vec::new()));
    let agent = agent(&project, plan(new), Duration::ZERO, 0);
    carry_on(&project, &agent, 1)?;
    let worked = agent.worked.lock().map_err(|_| "the agent broke down")?;
    Ok(worked.windows(2).skip(10).map(|pair| pair[1].1.saturating_sub(pair[0].2)).collect())
}

/// RM-15: from one report to the next item's beginning, in a log of 10,000 items and entries and in one of ten, in turn.
pub(crate) fn long_log(folder: &Path) -> Fallible<Vec<Line>> {
    let (mut short, mut long) = (Vec::new(), Vec::new());
    for round in 0..3 {
        short.extend(steps_in(&folder.join(format!("roadmap-short-{round}")), 10)?);
        long.extend(steps_in(&folder.join(format!("roadmap-long-{round}")), 10_000)?);
    }
    let line = |what: &str, of: fn(&[Duration]) -> Duration| Line {
        id: "RM-15",
        what: format!("roadmap: a step in a log of 10,000 items and 10,000 entries, {what}"),
        measured: micros(of(&long)),
        against: format!("in one of 10: {}", micros(of(&short))),
        ratio: ratio(of(&long), of(&short)),
        bar: "≤ 2",
    };
    Ok(vec![line("median", median), line("mean", mean)])
}

/// QL-07: items of 50 ms that all wait for one; executors in one process, and in as many as there are executors.
pub(crate) fn makespan(folder: &Path) -> Fallible<Vec<Line>> {
    let mut lines = Vec::new();
    for executors in [1, 2, 4, 8, 16] {
        let together = in_one(&folder.join(format!("roadmap-jobs-{executors}")), executors)?;
        lines.push(line(executors, "one process", together)?);
        let apart = in_many(&folder.join(format!("roadmap-processes-{executors}")), executors)?;
        lines.push(line(executors, "as many processes", apart)?);
    }
    Ok(lines)
}

fn line(executors: usize, how: &str, taken: Duration) -> Fallible<Line> {
    let bound = PAUSE * u32::try_from(EACH)?;
    let items = executors * EACH;
    Ok(Line {
        id: "QL-07",
        what: format!("roadmap: {items} items of 50 ms, {executors} executors in {how}"),
        measured: format!("{:.0} ms", taken.as_secs_f64() * 1e3),
        against: format!("bound: {:.0} ms", bound.as_secs_f64() * 1e3),
        ratio: ratio(taken, bound),
        bar: "≤ 1.05",
    })
}

fn items(executors: usize) -> Value {
    let rest = (1..=executors * EACH).map(|number| (number.to_string(), vec![GATE.to_string()]));
    plan(std::iter::once((GATE.to_string(), Vec::new())).chain(rest))
}

/// From the end of the first item to that of the last.
fn span(worked: &[(String, Duration, Duration)]) -> Fallible<Duration> {
    let begun = worked.iter().find(|(key, ..)| key == GATE).map(|(_, _, end)| *end).ok_or("nothing was done")?;
    let ended = worked.iter().map(|(_, _, end)| *end).max().unwrap_or_default();
    Ok(ended.saturating_sub(begun))
}

fn in_one(folder: &Path, executors: usize) -> Fallible<Duration> {
    let project = project(folder, None)?;
    let agent = agent(&project, items(executors), PAUSE, 0);
    carry_on(&project, &agent, executors)?;
    span(&agent.worked.lock().map_err(|_| "the agent broke down")?.clone())
}

fn in_many(folder: &Path, executors: usize) -> Fallible<Duration> {
    let project = project(folder, None)?;
    let program = std::env::current_exe()?;
    let start = |number: usize| -> Result<Child, Box<dyn Error>> {
        let mut command = Command::new(&program);
        command.env(CHILD, format!("{executors} {number}")).current_dir(&project);
        Ok(command.spawn()?)
    };
    let mut children = (0..executors).map(start).collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    for child in &mut children {
        if !child.wait()?.success() {
            return Err("a process of the measurement failed".into());
        }
    }
    if begun.elapsed() > Duration::from_secs(600) {
        return Err("it took far too long".into());
    }
    let mut worked = Vec::new();
    for number in 0..executors {
        let text = std::fs::read_to_string(project.join(format!("worked-{number}.json")))?;
        let part: Vec<(String, u64, u64)> = serde_json::from_str(&text)?;
        worked.extend(part.into_iter().map(|(key, begun, ended)| (key, nanoseconds(begun), nanoseconds(ended))));
    }
    span(&worked)
}

fn nanoseconds(count: u64) -> Duration {
    Duration::from_nanos(count)
}

/// What a process does that takes part in a measurement; nothing if this is none.
pub(crate) fn child() -> Option<Fallible<()>> {
    let told = std::env::var(CHILD).ok()?;
    Some(take_part(&told))
}

fn take_part(told: &str) -> Fallible<()> {
    let (executors, number) = told.split_once(' ').ok_or("what is to be measured is not said")?;
    let executors: usize = executors.parse()?;
    let project = std::env::current_dir()?;
    let agent = agent(&project, items(executors), PAUSE, executors);
    carry_on(&project, &agent, 1)?;
    let worked = agent.worked.lock().map_err(|_| "the agent broke down")?;
    let count = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let told: Vec<_> = worked.iter().map(|(key, begun, ended)| (key, count(*begun), count(*ended))).collect();
    std::fs::write(project.join(format!("worked-{number}.json")), serde_json::to_vec(&told)?)?;
    Ok(())
}
