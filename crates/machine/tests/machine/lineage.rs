//! The protocol `lineage` on the same machine: ids, the preparation, folders, actions, procedures.

use machine::{
    Course, Effect, Fact, Input, LINEAGE, Outcome, Planned, State, Status, Target, Timing, Work, check_plan, file_name,
};

use crate::driver::{Universe, kinds, started, words};

const SUB: &str = "ph-1_stg-1_sub-01";
const WORKSPACE: &str = "runs/run-1/workspace";

fn at_first_plan_of_tasks() -> Universe {
    let mut universe = started(&LINEAGE);
    universe.until(Universe::at_work(&Work::Plan(Target::Children(SUB.into()))));
    universe
}

fn task(name: &str) -> Planned {
    Planned {
        name: name.into(),
        purpose: "[Add] Extract the figures.".into(),
        inputs: vec!["assets/a.md".into()],
        folder: "workspace".into(),
        more: [("task_reason".to_string(), "nobody knows them".to_string())].into(),
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

fn checked(universe: &Universe, target: &Target, rows: &[Planned]) -> Result<Vec<Planned>, Vec<String>> {
    check_plan(&LINEAGE, universe.run(), target, rows, &universe.world(), &universe.limits)
        .map_err(|complaints| complaints.iter().map(ToString::to_string).collect())
}

/// LN-03, LN-05: a run begins with its whole skeleton; the Archivist works before anything is proposed; nobody is asked
/// for the preparation.
#[test]
fn the_course_of_a_run() {
    let mut universe = Universe::new(&LINEAGE);
    let first = universe.start();
    let expected =
        ["Started", "Driven", "Planned", "Planned", "Planned", "Planned", "Assigned set_up set-up"].map(String::from);
    assert_eq!(kinds(&first.facts), expected);
    let ids: Vec<&str> = universe.run().items.iter().map(|item| item.id.as_str()).collect();
    let expected =
        ["set-up", "archive", "constitution", "ph-1", "ph-2", "ph-1_stg-1", "ph-1_stg-2", "ph-2_stg-1", "ph-2_stg-2"];
    assert_eq!(ids, expected);
    assert_eq!(universe.run().current(&LINEAGE), machine::Current::default(), "nothing is begun");
    universe.next();
    assert_eq!(universe.only().work, Work::Catalog("archive".into()));
    universe.next();
    assert_eq!((universe.only().work, universe.run().course), (Work::Plan(Target::Proposal), Course::Proposing));
    universe.next();
    assert_eq!(universe.run().status, Status::AwaitingConfirmation);
    universe.must(&Input::Cancel { by: "me".into() });
    assert_eq!(universe.run().current(&LINEAGE), machine::Current::default(), "nothing was begun");
}

/// LN-03: numbers grow past their width, are ordered by value, and begin anew below each parent.
#[test]
fn ids_and_their_order() {
    let mut universe = Universe::new(&LINEAGE);
    universe.template = (1..=11).map(|number| Planned { name: format!("P{number}"), ..Planned::default() }).collect();
    universe.template_below.truncate(1);
    (universe.tasks, universe.jobs) = (101, 1);
    universe.start();
    universe.until(Universe::at_work(&Work::Plan(Target::Children("ph-2_stg-1_sub-01".into()))));
    let phases: Vec<&str> = universe.run().children("").iter().map(|item| item.id.as_str()).collect();
    assert_eq!((phases[1], phases[9], phases[10]), ("ph-2", "ph-10", "ph-11"));
    let tasks: Vec<&str> = universe.run().children(SUB).iter().map(|item| LINEAGE.short_id(&item.id)).collect();
    assert_eq!(
        (tasks[0], tasks[8], tasks[9], tasks[99], tasks[100]),
        ("tsk-01", "tsk-09", "tsk-10", "tsk-100", "tsk-101")
    );
    assert_eq!(LINEAGE.level_of_id("ph-10_stg-2_sub-07_tsk-100_tool-01"), Some(4));
    for id in ["ph-1_sub-01", "ph-", "stg-1", "ph-1_stg-1_sub-01_tsk-1x", ""] {
        assert_eq!(LINEAGE.level_of_id(id), None, "{id}");
    }
    // Given ids count, short or whole, whatever their width; the rest is numbered on.
    let target = Target::Children(SUB.into());
    let mut other = at_first_plan_of_tasks();
    other.tasks = 1;
    let rows = [
        Planned { id: Some("tsk-7".into()), ..task("seven") },
        task("next"),
        Planned { id: Some(format!("{SUB}_tsk-02")), ..task("two") },
    ];
    let plan = checked(&other, &target, &rows).expect("the plan is right");
    let ids: Vec<(&str, u32)> =
        plan.iter().map(|row| (LINEAGE.short_id(row.id.as_deref().unwrap()), row.order.unwrap())).collect();
    assert_eq!(ids, [("tsk-07", 7), ("tsk-08", 8), ("tsk-02", 2)]);
}

const THERE: &str = "outputs/ph-1_Draft/there.md";

/// Rows that are wrong by themselves, and what is said of them.
fn wrong_rows() -> Vec<(Vec<Planned>, &'static str)> {
    vec![
        (vec![], "row -, column task_id: the plan is empty"),
        (with(|row| row.name = " ".into()), "row 1, column task_name: is empty"),
        (with(|row| row.more.clear()), "row 1, column task_reason: is empty"),
        (with(|row| row.purpose = "[Add] ".into()), "row 1, column task_purpose: is empty"),
        (with(|row| row.purpose = "[Add] - a\n- b".into()), "row 1, column task_purpose: lists several actions"),
        (with(|row| row.inputs.clear()), "row 1, column related_references: is empty"),
        (
            with(|row| row.inputs = vec!["data/no.md".into()]),
            "row 1, column related_references: there is no file data/no.md",
        ),
        (
            with(|row| row.guidelines = vec!["guidelines/no.md".into()]),
            "row 1, column related_guidelines: there is no file",
        ),
        (with(|row| row.guidelines = vec!["../x".into()]), "row 1, column related_guidelines: \"../x\" has `..`"),
        (with(|row| row.folder.clear()), "row 1, column output_folder: is empty; name outputs/ph-1_Draft/"),
        (
            with(|row| row.folder = "outputs/ph-2_Book".into()),
            "row 1, column output_folder: outputs/ph-2_Book is not allowed",
        ),
        (with(|row| row.folder = "outputs".into()), "row 1, column output_folder: outputs is not allowed"),
        (with(|row| row.folder = "data".into()), "row 1, column output_folder: data is not allowed"),
        (with(|row| row.folder = "/tmp".into()), "row 1, column output_folder: \"/tmp\" is absolute"),
        (
            with(|row| row.output = "outputs/x.md".into()),
            "row 1, column output_path: outputs/x.md is not below runs/run-1/workspace/",
        ),
        (
            with(|row| row.procedure = "dance".into()),
            "row 1, column mcp_id: dance is not in settings/mcp_list.md; valid: survey",
        ),
        (
            with(|row| drop(row.more.insert("pre_tool_reason".into(), "unknown".into()))),
            "row 1, column pre_tool_purpose: is empty, while pre_tool_reason is not",
        ),
        (with(|row| row.id = Some("T1".into())), "row T1, column task_id: T1 is not the id of a task, such as tsk-01"),
    ]
}

/// Changes of files that are wrong.
fn wrong_changes() -> Vec<(Vec<Planned>, &'static str)> {
    let there = THERE;
    let modify = |row: &mut Planned| {
        row.purpose = "[Modify] Change it.".into();
        row.output = there.into();
        row.folder = "outputs/ph-1_Draft/".into();
    };
    vec![
        (
            with(|row| {
                modify(row);
                row.purpose = "[Add] Change it.".into();
            }),
            "row 1, column output_path: outputs/ph-1_Draft/there.md exists already, made by run-0; [Modify]",
        ),
        (
            with(|row| {
                modify(row);
                row.purpose = "Change it.".into();
            }),
            "row 1, column output_path: outputs/ph-1_Draft/there.md exists already, made by run-0; [Modify]",
        ),
        (
            with(|row| {
                modify(row);
                row.output.clear();
            }),
            "row 1, column output_path: is empty; [Modify] needs the file",
        ),
        (
            with(|row| {
                modify(row);
                row.purpose = "[Delete] It.".into();
                row.output = "outputs/no.md".into();
            }),
            "row 1, column output_path: there is no file outputs/no.md; [Add] makes one",
        ),
        (
            with(|row| {
                modify(row);
                row.output = "data/x.md".into();
            }),
            "row 1, column output_path: data/x.md is neither below outputs/ nor",
        ),
        (
            two(|one, other| {
                modify(one);
                modify(other);
            }),
            "row 2, column output_path: outputs/ph-1_Draft/there.md is that of 1 too",
        ),
        (
            two(|one, other| {
                one.inputs = vec![there.into()];
                modify(other);
            }),
            "row 2, column output_path: outputs/ph-1_Draft/there.md is read by 1, which may be at it just then",
        ),
    ]
}

/// LN-11, LN-16, LN-17, LN-18: each violation of a task plan is named, row and column.
#[test]
fn what_is_wrong_with_a_task_plan() {
    let mut universe = at_first_plan_of_tasks();
    universe.exists.extend(words(&[THERE, "guidelines/style.md", "data/x.md"]));
    universe.owners.insert(THERE.into(), "run-0".into());
    let cases = wrong_rows().into_iter().chain(wrong_changes());
    let target = Target::Children(SUB.into());
    for (rows, expected) in cases {
        let complaints = checked(&universe, &target, &rows).expect_err(expected);
        assert!(complaints.iter().any(|complaint| complaint.starts_with(expected)), "{expected}: {complaints:?}");
    }
}

/// LN-08, LN-12: files are named by their task; what is in brackets is written whoever left it out; a preset path stays.
#[test]
fn what_is_right_with_a_task_plan() {
    let mut universe = at_first_plan_of_tasks();
    let there = "outputs/ph-1_Draft/there.md";
    universe.exists.extend(words(&[there, "guidelines/style.md"]));
    let rows = [
        Planned {
            purpose: "Count them.".into(),
            guidelines: vec!["./guidelines/style.md".into()],
            ..task("요약 / a|b")
        },
        Planned {
            purpose: "[modify]  Change it.".into(),
            output: there.into(),
            inputs: vec![there.into(), "assets/a.md".into()],
            folder: "outputs/ph-1_Draft".into(),
            ..task("two")
        },
        Planned {
            output: "outputs/ph-1_Draft/new.html".into(),
            folder: "outputs/ph-1_Draft/".into(),
            inputs: vec![there.into()],
            ..task("three")
        },
    ];
    let target = Target::Children(SUB.into());
    let plan = checked(&universe, &target, &rows).expect("the plan is right");
    assert_eq!(plan[0].output, format!("{WORKSPACE}/{SUB}_tsk-01_요약___a_b.md"));
    assert_eq!(
        (plan[0].purpose.as_str(), plan[0].guidelines.as_slice()),
        ("[Add] Count them.", &["guidelines/style.md".to_string()][..])
    );
    assert_eq!((plan[1].purpose.as_str(), plan[1].output.as_str()), ("[Modify] Change it.", there));
    assert_eq!(plan[2].output, "outputs/ph-1_Draft/new.html");
    // What exists at the path that code gives is looked for, too.
    let fence = universe.only().fence;
    let named = Input::Report { fence, outcome: Outcome::Plan(vec![task("one")]) }.named_paths(
        &LINEAGE,
        "run-1",
        universe.run.as_ref(),
    );
    assert!(named.contains(&format!("{WORKSPACE}/{SUB}_tsk-01_one.md")), "{named:?}");
}

/// LN-15: any name becomes part of a file's name, of at most 80 bytes and whole characters.
#[test]
fn names_of_files() {
    for (name, expected) in [
        ("Plan the pier", "Plan_the_pier".to_string()),
        ("항구 계획", "항구_계획".into()),
        ("a/b\\c:d\u{0}\n<br>", "a_b_c_d___br_".into()),
        ("../../etc", "______etc".into()),
        ("🚢 ship", "__ship".into()),
        (&"가".repeat(100), "가".repeat(26)),
        (&"x".repeat(300), "x".repeat(80)),
        ("", String::new()),
    ] {
        assert_eq!(file_name(name), expected, "{name:?}");
        assert!(file_name(name).len() <= 80);
    }
}

/// LN-11: the steps of a procedure are tool tasks; the last one leaves the file of the task, and nothing else is done.
#[test]
fn a_task_that_is_all_tools() {
    let mut universe = at_first_plan_of_tasks();
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Plan(with(|row| row.procedure = "survey".into())));
    let task = format!("{SUB}_tsk-01");
    assert_eq!(universe.only().work, Work::Plan(Target::Tools(task.clone(), Timing::Pre)));
    let tool = |name: &str| Planned {
        name: name.into(),
        purpose: "help".into(),
        tool: "WebSearch".into(),
        ..Planned::default()
    };
    let target = Target::Tools(task.clone(), Timing::Pre);
    let wrong = [tool("ask"), Planned { output: "workspace/other.md".into(), ..tool("write") }];
    let complaints = checked(&universe, &target, &wrong).expect_err("the last one leaves another file");
    assert!(
        complaints[0].starts_with("row 2, column output_path: is workspace/other.md; the last tool task leaves"),
        "{complaints:?}"
    );
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Plan(vec![tool("ask"), tool("write")]));
    let outputs: Vec<String> = universe.run().children(&task).iter().map(|item| item.output.clone()).collect();
    let whole = format!("{WORKSPACE}/{task}_one.md");
    assert_eq!(outputs, [format!("{WORKSPACE}/{task}_tool-01_ask.md"), whole]);
    universe.next();
    let last = universe.next();
    let expected = [
        format!("Worked {task}_tool-02"),
        format!("Completed {task}_tool-02"),
        format!("Worked {task}"),
        format!("Completed {task}"),
    ];
    assert_eq!(kinds(&last.facts)[..4], expected);
    assert!(!last.effects.contains(&Effect::Start(0)));
    assert_eq!(universe.run().item(&task).map(|item| item.state), Some(State::Completed));
}

/// LN-12: within a run, a later task changes what an earlier one made; whoever reads it waits for the change.
#[test]
fn a_file_is_changed_within_a_run() {
    let mut universe = at_first_plan_of_tasks();
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Plan(vec![task("one")]));
    let path = format!("{WORKSPACE}/{SUB}_tsk-01_one.md");
    universe.until(Universe::at_work(&Work::Plan(Target::Children("ph-1_stg-1_sub-02".into()))));
    universe.jobs = 8;
    let rows = two(|one, other| {
        (one.purpose, one.output) = ("[Modify] Mend it.".into(), path.clone());
        other.inputs = vec![path.clone()];
    });
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Plan(rows));
    assert_eq!(universe.only().work, Work::Execute("ph-1_stg-1_sub-02_tsk-01".into()), "the reader waits");
    universe.next();
    assert_eq!(universe.only().work, Work::Execute("ph-1_stg-1_sub-02_tsk-02".into()));
}

/// LN-09: what files are called in the catalog, by stage and kind.
#[test]
fn what_files_are_called_in_the_catalog() {
    let mut universe = started(&LINEAGE);
    universe.until(crate::driver::is_over);
    assert_eq!(universe.run().failure, None);
    let typed: Vec<(String, String)> = universe
        .facts
        .iter()
        .flat_map(|fact| match fact {
            Fact::Completed { item, files } => {
                files.iter().map(|file| (item.clone(), file.asset_type.clone())).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let of = |id: &str| typed.iter().find(|(item, _)| item == id).map(|(_, kind)| kind.as_str());
    assert_eq!(of(&format!("{SUB}_tsk-01")), Some("ANALYSIS_DATA"));
    assert_eq!(of(&format!("{SUB}_tsk-03")), Some("FINAL_REPORT"));
    assert_eq!(of(&format!("{SUB}_tsk-02_tool-01")), Some("TOOL_OUTPUT"));
    assert_eq!(of("ph-2_stg-2_sub-01_tsk-01"), Some("DRAFT_CONTENT"));
}
