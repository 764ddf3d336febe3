//! Rows in plan order, and what a step costs.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use dialect::multiverse;
use machine::{Fact, Target, Timing};
use support::{Chance, Project, RUN, completed, note, planned, row, task, tool};

/// One thing that happens in the stage: tools are planned, or something is done.
#[derive(Clone)]
enum Event {
    Tools(&'static str, Timing, &'static [&'static str]),
    Done(&'static str),
}

/// Each task's own events, in their order; those of different tasks happen in any order.
const TASKS: [(&str, &[Event]); 5] = [
    ("T05", &[Event::Done("T05")]),
    (
        "T06",
        &[
            Event::Tools("T06", Timing::Pre, &["TT06_01", "TT06_02"]),
            Event::Done("TT06_01"),
            Event::Done("TT06_02"),
            Event::Tools("T06", Timing::Post, &["TT06_03"]),
            Event::Done("TT06_03"),
            Event::Done("T06"),
        ],
    ),
    ("T07", &[Event::Tools("T07", Timing::Post, &["TT07_01"]), Event::Done("TT07_01"), Event::Done("T07")]),
    ("T08", &[Event::Done("T08")]),
    ("T10", &[Event::Tools("T10", Timing::Pre, &["TT10_01"]), Event::Done("TT10_01"), Event::Done("T10")]),
];

fn project_with_old_rows() -> Project {
    let mut project = Project::prepared();
    let old = project.text(multiverse::CATALOG)
        + "| assets/a.md | run-0 | ORIGINAL_INPUT | T03 | a |\n| runs/run-0/x.md | run-0 | STRATEGY_DOC | T05 | x |\n";
    project.edit(multiverse::CATALOG, old);
    let constituted = Fact::Constituted { item: "T02".into(), ids: Vec::new() };
    project.step(RUN, &[constituted, completed("T02", &[])]);
    let files = vec![note("assets/a.md", "renewed"), note("assets/b.md", "new")];
    project.step(RUN, &[Fact::Catalogued { fence: 0, files, gone: Vec::new() }, completed("T03", &[])]);
    project.step(RUN, &[completed("T04", &[("runs/t04.md", "first analysis")])]);
    project.step(RUN, &[planned(Target::Children("P01".into()), vec![row("S01", 1, "one")])]);
    let rows = (1..).zip(TASKS).map(|(order, (id, _))| task(id, order)).collect();
    project.step(RUN, &[planned(Target::Children("S01".into()), rows)]);
    project
}

fn happen(project: &mut Project, event: &Event) {
    match event {
        Event::Tools(id, timing, tools) => {
            let rows = (1..).zip(*tools).map(|(order, id)| tool(id, order, *timing)).collect();
            project.step(RUN, &[planned(Target::Tools((*id).into(), *timing), rows)]);
        }
        Event::Done(id) => {
            let (one, two) = (format!("runs/w/{id}.md"), format!("runs/w/{id}-more.md"));
            project.step(RUN, &[completed(id, &[(&one, "one"), (&two, "two")])]);
        }
    }
}

/// MV-33: tables and catalog are the same bytes in whatever order the work is done; what is remembered of rows, or
/// forgotten and read again, makes no difference.
#[test]
fn mv33_the_same_bytes_in_any_order_of_completion() {
    let mut one_by_one = project_with_old_rows();
    for (_, events) in TASKS {
        events.iter().for_each(|event| happen(&mut one_by_one, event));
    }
    let order = ["runs/t04.md", "runs/w/T05.md", "runs/w/T05-more.md", "runs/w/TT06_01.md", "runs/w/TT06_01-more.md"];
    let keys = one_by_one.keys(multiverse::CATALOG);
    let own = keys.iter().position(|key| key == order[0]).unwrap();
    assert_eq!(keys[own..own + 5], order);
    assert_eq!(
        keys[..3],
        ["assets/a.md", "runs/run-0/x.md", &multiverse::PROTOCOL.feedback(RUN)],
        "new rows stand at the end"
    );
    assert_eq!(one_by_one.keys(&multiverse::tool_tasks(RUN)), ["TT06_01", "TT06_02", "TT06_03", "TT07_01", "TT10_01"]);
    for seed in 0..60 {
        let mut chance = Chance(seed);
        let mut project = project_with_old_rows();
        let mut left: Vec<&[Event]> = TASKS.iter().map(|(_, events)| *events).collect();
        while !left.is_empty() {
            let chosen = chance.below(left.len());
            let Some((event, rest)) = left[chosen].split_first() else {
                left.remove(chosen);
                continue;
            };
            happen(&mut project, event);
            left[chosen] = rest;
            if chance.below(4) == 0 {
                project.sheets = multiverse::PROTOCOL.sheets();
            }
        }
        assert_eq!(project.documents, one_by_one.documents, "seed {seed}");
        project.check_in_step();
    }
}

/// Many runs at once: the rows of each stand in its plan's order, wherever the rows of others are.
#[test]
fn rows_of_other_runs_between_change_nothing_of_the_order() {
    let runs = ["run-a", "run-b", "run-c"];
    let mut project = Project::new();
    for run in runs {
        project.begin(run);
        project.step(run, &[completed("T02", &[]), completed("T03", &[]), completed("T04", &[])]);
        project.step(run, &[planned(Target::Children("P01".into()), vec![row("S01", 1, "one")])]);
        let rows = (1..30).map(|order| task(&format!("T{}", order + 4), order)).collect();
        project.step(run, &[planned(Target::Children("S01".into()), rows)]);
    }
    let mut left: Vec<(usize, u32)> = (0..3).flat_map(|run| (1..30).map(move |order| (run, order))).collect();
    let mut chance = Chance(7);
    while !left.is_empty() {
        let (run, order) = left.swap_remove(chance.below(left.len()));
        let id = format!("T{}", order + 4);
        project.step(runs[run], &[completed(&id, &[(&format!("runs/{}/{id}.md", runs[run]), "x")])]);
    }
    project.check_in_step();
    let catalog = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
    for run in runs {
        let seen: Vec<String> =
            catalog.iter().filter(|row| row.run_id == run).map(|row| row.source_task_id.clone()).collect();
        let expected: Vec<String> = (1..30).map(|order: u32| format!("T{}", order + 4)).collect();
        assert_eq!(seen, expected);
    }
}

/// How many rows a step of a run looks at, in a project with so many rows and so many tasks.
fn looks(rows: usize, tasks: u32) -> Vec<u64> {
    let mut project = Project::new();
    let old_runs = (0..rows).map(|number| format!("| old-{number} | a request | COMPLETED | | | |\n"));
    let text = project.text(multiverse::RUNS) + &old_runs.collect::<String>();
    project.edit(multiverse::RUNS, text);
    let old_files = (0..rows).map(|number| format!("| old/{number}.md | old-{number} | STRATEGY_DOC | T05 | x |\n"));
    let text = project.text(multiverse::CATALOG) + &old_files.collect::<String>();
    project.edit(multiverse::CATALOG, text);
    project.begin(RUN);
    project.begin("run-other");
    for run in [RUN, "run-other"] {
        project.step(run, &[completed("T02", &[(&format!("{run}/law"), "x")]), completed("T03", &[])]);
        project.step(run, &[completed("T04", &[(&format!("{run}/first"), "x")])]);
        project.step(run, &[planned(Target::Children("P01".into()), vec![row("S01", 1, "one")])]);
        let plan = (0..tasks).map(|number| task(&format!("T{}", number + 5), number + 1)).collect();
        project.step(run, &[planned(Target::Children("S01".into()), plan)]);
        let first = vec![tool("TT05_01", 1, Timing::Pre)];
        project.step(run, &[planned(Target::Tools("T05".into(), Timing::Pre), first), completed("T05", &[])]);
    }
    // The documents that were just made are read once.
    project.check_in_step();
    let mut costs = Vec::new();
    for (number, run) in [(9, RUN), (8, "run-other"), (7, RUN), (6, "run-other"), (6, RUN)] {
        let (id, tool_id) = (format!("T{number}"), format!("TT{number}_01"));
        let before = project.sheets.looked();
        let tools = vec![tool(&tool_id, 1, Timing::Post)];
        project.step(run, &[planned(Target::Tools(id.clone(), Timing::Post), tools)]);
        project.step(run, &[completed(&tool_id, &[(&format!("{run}/{tool_id}.md"), "x")])]);
        project.step(run, &[completed(&id, &[(&format!("{run}/{id}.md"), "x")])]);
        costs.push(project.sheets.looked() - before);
    }
    costs
}

/// MV-34: a step looks at as many rows with 100,000 runs and files, and 2,000 tasks, as with ten.
#[test]
fn mv34_a_step_costs_the_same_in_a_large_project() {
    let small = looks(10, 10);
    assert_eq!(looks(100_000, 10), small, "with 100,000 runs and files");
    assert_eq!(looks(10, 2000), small, "with 2,000 tasks");
    assert!(small.iter().all(|looked| *looked < 120), "{small:?}");
}
