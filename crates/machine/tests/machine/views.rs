//! What others ask of a run, and how things are spelled.

use machine::{FileNote, Input, LINEAGE, MULTIVERSE, Outcome, Planned, Role, Target, Timing, Work};

use crate::driver::{Universe, at_first_task, at_gate, started, words};

/// MV-15, MV-17, MV-24, MV-38: the current columns follow.
#[test]
fn where_a_run_stands() {
    let mut universe = started(&MULTIVERSE);
    let place = |universe: &Universe| {
        let current = universe.run().current(&MULTIVERSE);
        format!("{} {} [{}]", current.phase.unwrap_or("-"), current.stage.unwrap_or("-"), current.tasks.join(", "))
    };
    let mut seen = vec![place(&universe)];
    while universe.run().item("P02").is_none_or(|_| place(&universe) != "P02 - []") {
        drop(if universe.run().attempts.is_empty() { universe.confirm() } else { universe.next() });
        let place = place(&universe);
        if seen.last() != Some(&place) {
            seen.push(place);
        }
    }
    let expected = [
        "- - []",
        "- - [T00]",
        "- - []",
        "- - [T03]",
        "- - [T04]",
        "P01 - []",
        "P01 S01 []",
        "P01 S01 [T05]",
        "P01 S01 [T06]",
        "P01 S01 [T06, TT06_01]",
        "P01 S01 [T06, TT06_02]",
        "P01 S01 [T06]",
        "P01 S01 [T07]",
        "P01 S01 [T07, TT07_01]",
        "P01 S01 [T07, TT07_02]",
        "P01 S02 []",
        "P01 S02 [T08]",
        "P01 S02 [T09]",
        "P01 S02 [T09, TT09_01]",
        "P01 S02 [T09, TT09_02]",
        "P01 S02 [T09]",
        "P01 S02 [T10]",
        "P01 S02 [T10, TT10_01]",
        "P01 S02 [T10, TT10_02]",
        "P02 - []",
    ];
    assert_eq!(seen, expected);
}

/// MV-38: running tasks are listed in plan order.
#[test]
fn running_tasks_in_plan_order() {
    let mut universe = at_gate();
    (universe.jobs, universe.tasks) = (8, 7);
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T05", "T07", "T08", "T09", "T10", "T11"]);
    let fence = universe.attempts()[0].fence;
    universe.report(fence, Outcome::Lost("x".into()));
    assert_eq!(
        universe.run().current(&MULTIVERSE).tasks,
        ["T05", "T07", "T08", "T09", "T10", "T11"],
        "whatever began first"
    );
}

/// MV-42: each target as a brief spells it, with the action and the role.
#[test]
fn how_targets_are_spelled() {
    let universe = at_first_task();
    for (target, spelled, action) in [
        (Target::Prelude, "phase:0", "plan_tasks"),
        (Target::Proposal, "proposal", "propose"),
        (Target::Children("P01".into()), "phase:P01", "plan_stages"),
        (Target::Children("S01".into()), "stage:S01", "plan_tasks"),
        (Target::Tools("T05".into(), Timing::Pre), "pre_tool:T05", "plan_tools"),
        (Target::Tools("T05".into(), Timing::Post), "post_tool:T05", "plan_tools"),
    ] {
        assert_eq!(target.spelled(&MULTIVERSE, universe.run()), spelled);
        let work = Work::Plan(target);
        assert_eq!((work.action(&MULTIVERSE, universe.run()), work.role()), (action, Role::Planner));
    }
    let work = Work::Execute("T05".into());
    assert_eq!((work.action(&MULTIVERSE, universe.run()), work.role()), ("execute", Role::Executor));
    let mut five = started(&LINEAGE);
    five.until(Universe::at_work(&Work::Plan(Target::Children("ph-1_stg-1".into()))));
    assert_eq!(five.only().work.action(&LINEAGE, five.run()), "plan_sub_stages");
}

/// The engine is told which paths to look for, as the machine will ask for them.
#[test]
fn the_paths_that_an_input_names() {
    let row = Planned {
        inputs: vec!["assets/a.md".into(), "../x".into()],
        output: "workspace/L/b.md".into(),
        ..Planned::default()
    };
    let outcome = Outcome::Plan(vec![row]);
    let expected = words(&["assets/a.md", "runs/run-1/workspace/L/b.md"]);
    assert_eq!(outcome.named_paths("run-1"), expected);
    let named = |input: &Input| input.named_paths(&MULTIVERSE, "run-1", None);
    assert_eq!(named(&Input::Report { fence: 1, outcome }), expected);
    assert_eq!(named(&Input::Wake), words(&[]));
}

/// MV-43: what files are called in the catalog, by layer and kind; what the report says counts for nothing.
#[test]
fn what_files_are_called_in_the_catalog() {
    let mut universe = at_gate();
    universe.tasks = 4;
    universe.until(crate::driver::is_over);
    let mut found = Vec::new();
    for fact in &universe.facts {
        if let machine::Fact::Completed { item, files } = fact {
            found.extend(
                files.iter().map(|FileNote { path, asset_type, .. }| (item.clone(), path.clone(), asset_type.clone())),
            );
        }
    }
    let of = |part: &str| found.iter().find(|(_, path, _)| path.ends_with(part)).map(|(.., asset)| asset.as_str());
    for (part, asset) in [
        ("initial_analysis.md", "ANALYSIS_REPORT"),
        ("ANALYZING/S01_1.md", "ANALYSIS_REPORT"),
        ("STRATEGIZING/S03_1.md", "STRATEGY_DOC"),
        ("REFINING_CONTENT/S05_1.md", "REFINED_CONTENT"),
        ("outputs/run-1/S07.md", "FINAL_OUTPUT"),
        ("GENERATING_OUTPUT/S07_2.md", "ASSEMBLY_PLAN"),
        ("GENERATING_OUTPUT/S07_3.md", "OUTPUT_PART"),
        ("GENERATING_OUTPUT/S08_2.md", "OUTPUT_PART"),
    ] {
        assert_eq!(of(part), Some(asset), "{part}");
    }
    assert!(found.iter().all(|(item, _, asset)| item.starts_with("TT") == (asset == "TOOL_OUTPUT")));
}
