//! Each complaint about a draft, with its row and column.

use machine::{
    Kept, Limits, MULTIVERSE, Outcome, Planned, Proposal, Superseded, Target, Timing, Work, check_plan, check_proposal,
};

use crate::driver::{Universe, at_gate, started};

const HERE: &str = "runs/run-1/workspace/ANALYZING";

fn at(work: &Work) -> Universe {
    let mut universe = at_gate();
    universe.until(Universe::at_work(work));
    universe
}

fn plan_of(id: &str) -> Work {
    Work::Plan(Target::Children(id.into()))
}

fn task(name: &str) -> Planned {
    Planned {
        name: name.into(),
        purpose: "Extract the figures.".into(),
        inputs: vec!["assets/a.md".into()],
        output: format!("workspace/ANALYZING/{name}.md"),
        ..Planned::default()
    }
}

fn with(change: impl FnOnce(&mut Planned)) -> Vec<Planned> {
    let mut row = task("one");
    change(&mut row);
    vec![row]
}

fn two(change: impl FnOnce(&mut Planned, &mut Planned)) -> Vec<Planned> {
    let (mut one, mut other) = (task("one"), task("two"));
    change(&mut one, &mut other);
    vec![one, other]
}

fn complaints(universe: &Universe, target: &Target, rows: &[Planned]) -> Vec<String> {
    match check_plan(&MULTIVERSE, universe.run(), target, rows, &universe.world(), &universe.limits) {
        Ok(_) => Vec::new(),
        Err(complaints) => complaints.iter().map(ToString::to_string).collect(),
    }
}

/// MV-16, MV-18, MV-19: each violation of a task plan is named, row and column.
#[test]
fn what_is_wrong_with_a_task_plan() {
    let mut universe = at(&plan_of("S01"));
    universe.exists.insert(format!("{HERE}/there.md"));
    universe.limits = Limits { inputs: 3, plan_items: 4, cell_bytes: 300, ..Limits::default() };
    let path = |name: &str| format!("{HERE}/{name}.md");
    let cases: Vec<(Vec<Planned>, &str)> = vec![
        (vec![], "row -, column task_id: the plan is empty"),
        (vec![Planned::default(); 5], "row -, column task_id: the plan has 5 rows; at most 4"),
        (with(|row| row.name = " ".into()), "row 1, column task_name: is empty"),
        (with(|row| row.purpose.clear()), "row 1, column task_purpose: is empty"),
        (with(|row| row.purpose = "- read it\n- write it".into()), "row 1, column task_purpose: lists several actions"),
        (with(|row| row.purpose = "Do:\n1. this".into()), "row 1, column task_purpose: lists several"),
        (with(|row| row.purpose = "This.\n\nThat.".into()), "row 1, column task_purpose: lists several"),
        (with(|row| row.purpose = "x".repeat(301)), "row 1, column task_purpose: has 301 bytes"),
        (with(|row| row.inputs.clear()), "row 1, column related_references: is empty"),
        (with(|row| row.inputs = vec!["assets/a.md".into(); 4]), "row 1, column related_references: has 4 files"),
        (
            with(|row| row.inputs = vec!["assets/none.md".into()]),
            "column related_references: there is no file assets/none.md",
        ),
        (with(|row| row.inputs = vec!["../a.md".into()]), "column related_references: \"../a.md\" has `..`"),
        (with(|row| row.inputs = vec!["/etc/passwd".into()]), "\"/etc/passwd\" is absolute"),
        (with(|row| row.inputs = vec![row.output.clone()]), "one.md is its own output"),
        (
            with(|row| row.output.clear()),
            "row 1, column output_path: is empty; name a file below runs/run-1/workspace/ANALYZING/",
        ),
        (
            with(|row| row.output = "workspace/STRATEGIZING/x.md".into()),
            "column output_path: runs/run-1/workspace/STRATEGIZING/x.md is not below",
        ),
        (with(|row| row.output = "outputs/run-1/x.md".into()), "column output_path: outputs/run-1/x.md is not below"),
        (with(|row| row.output = "runs/run-2/workspace/ANALYZING/x.md".into()), "is not below"),
        (with(|row| row.output = "workspace/ANALYZING/../x.md".into()), "has `..`"),
        (with(|row| row.output = "/tmp/x.md".into()), "is absolute"),
        (with(|row| row.output = "workspace\\ANALYZING\\x.md".into()), "has a backslash"),
        (with(|row| row.output = "workspace/ANALYZING/".into()), "is a folder"),
        (with(|row| row.output = format!("workspace/ANALYZING/{}", "x".repeat(256))), "more than 255 bytes"),
        (
            with(|row| row.output = path("there")),
            "there.md exists, and this run did not plan it; take another name, such as runs/run-1/workspace/ANALYZING/there_2.md",
        ),
        (
            with(|row| row.output = path("initial_analysis")),
            "is the output of T04 already; take another name, such as runs/run-1/workspace/ANALYZING/initial_analysis_2.md",
        ),
        (with(|row| row.output = format!("{}/x.md", path("initial_analysis"))), "cannot be a file"),
        (with(|row| row.id = Some("S05".into())), "row S05, column task_id: S05 does not begin as the id of a task"),
        (with(|row| row.id = Some("TT05".into())), "row TT05, column task_id: TT05 does not begin"),
        (with(|row| row.id = Some("T 5".into())), "row T 5, column task_id: \"T 5\" is not an id"),
        (with(|row| row.id = Some("T".repeat(81))), "is not an id"),
        (with(|row| row.id = Some("T04".into())), "row T04, column task_id: T04 is in the run already"),
        (
            with(|row| drop(row.more.insert("stage_id".into(), "S02".into()))),
            "column stage_id: is S02; this plan is for S01",
        ),
    ];
    check_each(&universe, cases);
}

/// MV-18, MV-19: what rows of a task plan are to each other.
#[test]
fn what_is_wrong_between_tasks() {
    let cases: Vec<(Vec<Planned>, &str)> = vec![
        (
            two(|one, other| (one.id, other.id) = (Some("T07".into()), Some("T07".into()))),
            "row T07, column task_id: T07 is in the plan twice",
        ),
        (
            two(|one, other| (one.order, other.order) = (Some(1), Some(1))),
            "row 2, column execution_order: 1 is that of 1",
        ),
        (two(|one, _| one.order = Some(1)), "row 2, column execution_order: is empty"),
        (
            two(|one, other| other.output = one.output.clone()),
            "row 2, column output_path: runs/run-1/workspace/ANALYZING/one.md is that of 1 too; each has its own: take runs/run-1/workspace/ANALYZING/one_2.md",
        ),
        (two(|one, other| other.output = format!("{}/x.md", one.output)), "cannot both be files"),
        (
            two(|one, other| one.inputs = vec![other.output.clone()]),
            "row 1, column related_references: runs/run-1/workspace/ANALYZING/two.md is the output of T06, which comes later",
        ),
        (
            two(|one, other| (one.inputs, other.inputs) = (vec![other.output.clone()], vec![one.output.clone()])),
            "row 1, column related_references: these need each other in a cycle: T05 → T06 → T05",
        ),
    ];
    check_each(&at(&plan_of("S01")), cases);
}

fn check_each(universe: &Universe, cases: Vec<(Vec<Planned>, &str)>) {
    for (rows, expected) in cases {
        let found = complaints(universe, &Target::Children("S01".into()), &rows);
        assert_eq!(found.len(), 1, "{expected}: {found:?}");
        assert!(found[0].contains(expected), "{expected}: {found:?}");
    }
}

/// MV-18: all violations are named at once.
#[test]
fn all_violations_are_named() {
    let universe = at(&plan_of("S01"));
    let rows = [Planned::default(), Planned { id: Some("T09".into()), output: "x".into(), ..task("b") }];
    let found = complaints(&universe, &Target::Children("S01".into()), &rows);
    let places: Vec<&str> = found.iter().map(|complaint| complaint.split(':').next().unwrap_or_default()).collect();
    let expected = [
        "row 1, column task_name",
        "row 1, column task_purpose",
        "row 1, column output_path",
        "row T09, column output_path",
        "row 1, column related_references",
    ];
    assert_eq!(places, expected);
}

/// Ids and order that are left out are filled in; the run's own workspace may be named briefly (MV-19: an earlier output).
#[test]
fn what_is_left_out_is_filled_in() {
    let universe = at(&plan_of("S01"));
    let rows = [
        task("one"),
        Planned { id: Some("T05".into()), inputs: vec!["./workspace/ANALYZING/one.md".into()], ..task("two") },
        Planned { inputs: vec!["workspace/ANALYZING/initial_analysis.md".into(); 2], ..task("three") },
    ];
    let world = universe.world();
    let rows =
        check_plan(&MULTIVERSE, universe.run(), &Target::Children("S01".into()), &rows, &world, &universe.limits);
    let rows = rows.expect("a good plan");
    let ids: Vec<_> = rows.iter().map(|row| (row.id.as_deref().unwrap_or_default(), row.order)).collect();
    assert_eq!(ids, [("T06", Some(1)), ("T05", Some(2)), ("T07", Some(3))]);
    assert_eq!(rows[1].inputs, [rows[0].output.clone()]);
    assert_eq!(rows[0].output, format!("{HERE}/one.md"));
    assert_eq!(rows[2].inputs, [format!("{HERE}/initial_analysis.md")]);
}

/// MV-18: in the last phase a task may publish; a wrapped sentence is one action.
#[test]
fn the_last_phase_may_publish() {
    let universe = at(&plan_of("S07"));
    assert_eq!(universe.run().layer_of("S07"), Some("GENERATING_OUTPUT"));
    for output in ["outputs/run-1/book.md", "workspace/GENERATING_OUTPUT/part.md"] {
        let row = Planned { output: output.into(), purpose: "Put all parts\ninto one.".into(), ..task("x") };
        assert_eq!(complaints(&universe, &Target::Children("S07".into()), &[row]), [""; 0]);
    }
    let row = Planned { output: "outputs/run-2/book.md".into(), ..task("x") };
    assert!(complaints(&universe, &Target::Children("S07".into()), &[row])[0].contains("or outputs/run-1/"));
}

/// MV-40: stages.
#[test]
fn what_is_wrong_with_a_stage_plan() {
    let universe = at(&plan_of("P01"));
    let row = Planned { name: "Find".into(), purpose: "The figures, for the strategy".into(), ..Planned::default() };
    let change = |change: &dyn Fn(&mut Planned)| {
        let mut row = row.clone();
        change(&mut row);
        vec![row]
    };
    for (rows, expected) in [
        (vec![], "row -, column stage_id: the plan is empty; at least one stage"),
        (change(&|row| row.name.clear()), "row 1, column stage_name: is empty"),
        (change(&|row| row.purpose.clear()), "row 1, column stage_goal: is empty"),
        (
            change(&|row| drop(row.more.insert("phase_id".into(), "P02".into()))),
            "row 1, column phase_id: is P02; this plan is for P01",
        ),
        (change(&|row| row.id = Some("S00".into())), "row S00, column stage_id: S00 is in the run already"),
    ] {
        let found = complaints(&universe, &Target::Children("P01".into()), &rows);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
    assert_eq!(complaints(&universe, &Target::Children("P01".into()), &[row]), [""; 0]);
    assert!(
        complaints(&universe, &Target::Children("P09".into()), &[])[0].contains("P09 is nothing that holds others")
    );
    assert!(complaints(&universe, &Target::Tools("P01".into(), Timing::Pre), &[])[0].contains("P01 is not a task"));
}

/// MV-20, MV-40: tool tasks.
#[test]
fn what_is_wrong_with_a_tool_plan() {
    let target = Target::Tools("T06".into(), Timing::Pre);
    let universe = at(&Work::Plan(target.clone()));
    let tool = || Planned { tool: "WebSearch".into(), inputs: Vec::new(), ..task("found") };
    let change = |change: &dyn Fn(&mut Planned)| {
        let mut row = tool();
        change(&mut row);
        vec![row]
    };
    let own = universe.run().item("T06").expect("T06").output.clone();
    for (rows, expected) in [
        (change(&|row| row.tool.clear()), "row 1, column tool_type: is empty; valid: DataVisualization, WebSearch"),
        (
            change(&|row| row.tool = "Drill".into()),
            "row 1, column tool_type: Drill is not known; valid: DataVisualization",
        ),
        (change(&|row| row.timing = Some(Timing::Post)), "row 1, column timing: is not PRE"),
        (change(&|row| row.purpose.clear()), "row 1, column tool_task_purpose: is empty"),
        (change(&|row| row.output.clear()), "row 1, column output_path: is empty"),
        (
            change(&|row| row.output = "outputs/run-1/x.md".into()),
            "row 1, column output_path: outputs/run-1/x.md is not below",
        ),
        (change(&|row| row.inputs = vec![own.clone()]), "is what T06 itself makes"),
        (change(&|row| row.id = Some("T99".into())), "row T99, column tool_task_id: T99 does not begin"),
        (
            change(&|row| drop(row.more.insert("parent_task_id".into(), "T05".into()))),
            "row 1, column parent_task_id: is T05",
        ),
    ] {
        let found = complaints(&universe, &target, &rows);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
    let rows = check_plan(&MULTIVERSE, universe.run(), &target, &[tool()], &universe.world(), &universe.limits);
    let rows = rows.expect("a good plan");
    assert_eq!((rows[0].id.as_deref(), rows[0].timing), (Some("TT06_01"), Some(Timing::Pre)));
}

/// MV-06: the rows of the preparation are fixed; the planner's words for them are taken.
#[test]
fn the_plan_of_the_preparation() {
    let universe = started(&MULTIVERSE);
    let row = |id: &str| Planned { id: Some(id.into()), name: "Mine".into(), ..Planned::default() };
    for (rows, expected) in [
        (vec![row("T01")], "row T01, column task_id: T01 is not of the preparation; its tasks are T00, T02, T03, T04"),
        (vec![Planned::default()], "row 1, column task_id: is empty; its tasks are T00"),
        (vec![row("T00"), row("T00")], "row T00, column task_id: T00 is in the plan twice"),
    ] {
        assert_eq!(complaints(&universe, &Target::Prelude, &rows).len(), 1);
        assert!(complaints(&universe, &Target::Prelude, &rows)[0].contains(expected));
    }
    let rows =
        check_plan(&MULTIVERSE, universe.run(), &Target::Prelude, &[row("T02")], &universe.world(), &universe.limits);
    let rows = rows.expect("the rest is filled in");
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (row.id.as_deref().unwrap_or_default(), row.name.as_str(), row.output.as_str()))
        .collect();
    assert_eq!(rows[1], ("T02", "Mine", ""));
    assert_eq!(
        rows[3],
        ("T04", "Initial Analysis and Assetization", "runs/run-1/workspace/ANALYZING/initial_analysis.md")
    );
    assert_eq!(rows.len(), 4);
}

/// MV-08, MV-11: a proposal says something, and replaces only what is there.
#[test]
fn what_is_wrong_with_a_proposal() {
    let universe = Universe::new(&MULTIVERSE);
    let good = Proposal { instructions: vec!["be brief".into()], ..Proposal::default() };
    let superseded = |id: &str, by| Superseded { instruction_id: id.into(), by, justification: "new".into() };
    let kept = |id: &str| Kept { instruction_id: id.into(), justification: "both hold".into() };
    for (proposal, expected) in [
        (Proposal::default(), Some("row -, column instructions: there are none")),
        (
            Proposal { instructions: vec!["a".into(), " ".into()], ..good.clone() },
            Some("row 2, column instructions: is empty"),
        ),
        (
            Proposal { superseded: vec![superseded("I-x", 1)], ..good.clone() },
            Some("I-x is not an ACTIVE instruction; valid: I-old-01"),
        ),
        (
            Proposal { superseded: vec![superseded("I-old-01", 2)], ..good.clone() },
            Some("by 2 is none of the proposed"),
        ),
        (
            Proposal { superseded: vec![superseded("I-old-01", 0)], ..good.clone() },
            Some("by 0 is none of the proposed"),
        ),
        (Proposal { kept: vec![kept("I-y")], ..good.clone() }, Some("row I-y, column kept")),
        (Proposal { superseded: vec![superseded("I-old-01", 1)], ..good.clone() }, None),
        (good, None),
    ] {
        let found = check_proposal(&proposal, &universe.world(), &universe.limits);
        let found: Vec<String> = found.err().unwrap_or_default().iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), usize::from(expected.is_some()), "{found:?}");
        assert!(
            found.iter().all(|complaint| complaint.contains(expected.unwrap_or_default())),
            "{expected:?}: {found:?}"
        );
    }
}

/// MV-16: the planner gets the complaints with the same work.
#[test]
fn complaints_go_back_to_the_planner() {
    let mut universe = at(&plan_of("P01"));
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Plan(Vec::new()));
    let again = universe.only();
    assert_eq!(again.work, plan_of("P01"));
    assert_eq!(again.problems, ["row -, column stage_id: the plan is empty; at least one stage is needed"]);
}
