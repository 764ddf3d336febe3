//! What facts change in the documents.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use dialect::{Edit, multiverse};
use machine::{
    Attempt, Fact, Failure, Holder, Kept, Proposal, State, Status, Superseded, Target, Timing, Verdict, Work,
};
use support::{Project, RUN, completed, note, phases, planned, prelude, row, started, task, tool};

const WORKSPACE: &str = "runs/run-20261115-101112-001/workspace/ANALYZING";

fn assigned(fence: u64, item: &str) -> Fact {
    Fact::Assigned(Attempt {
        fence,
        work: Work::Execute(item.into()),
        number: 1,
        holder: Holder::Person,
        since: "now".into(),
        problems: Vec::new(),
        answers: Vec::new(),
        reserved: machine::Used::default(),
    })
}

/// A run whose first stage has these tasks.
fn working(tasks: &[&str]) -> Project {
    let mut project = Project::prepared();
    project.prepare(RUN);
    let stages = vec![row("S01", 1, "first"), row("S02", 2, "second")];
    project.step(RUN, &[planned(Target::Children("P01".into()), stages)]);
    let rows = (1..).zip(tasks).map(|(order, id)| task(id, order)).collect();
    project.step(RUN, &[planned(Target::Children("S01".into()), rows)]);
    project
}

/// MV-04: a run has a PENDING row with the user's own words, whatever they are.
#[test]
fn mv04_a_run_begins_with_the_users_own_words() {
    let nasty = [
        "plain words",
        "a | b | c",
        "two\nlines\r\nand <br> more",
        "  blanks around  ",
        "`code | with pipe` and ``` fences",
        "\\| backslashes \\\\ and \\",
        "# heading\n\n| a |\n|---|\n| table |\n",
        "&amp; &lt; &#124; <!-- comment",
        "한국어 요청 🎉 \u{202e}right to left",
        "tab\tand\u{1b}[31m escape\u{7f}",
        "--- \n...\n",
        "",
    ];
    let mut project = Project::new();
    for (number, request) in nasty.iter().enumerate() {
        project.step(&format!("run-{number}"), &[started(request)]);
    }
    let rows = multiverse::PROTOCOL.runs(&project.documents[multiverse::RUNS]);
    assert_eq!(rows.len(), nasty.len());
    for (row, request) in rows.iter().zip(nasty) {
        assert_eq!((row.user_request.as_str(), row.status), (request, Some(Status::Pending)));
        assert_eq!(row.current, [Vec::<String>::new(), Vec::new(), Vec::new()]);
    }
    // A cell cannot hold a NUL; what stands for it is seen.
    project.step("run-nul", &[started("a\0b")]);
    let rows = multiverse::PROTOCOL.runs(&project.documents[multiverse::RUNS]);
    assert_eq!(rows.last().unwrap().user_request, "a\u{FFFD}b");
    project.check_in_step();
}

/// MV-06: phase 0 is planned like the rest; the run's documents come with their first row.
#[test]
fn mv06_the_first_plan_makes_the_documents() {
    let mut project = Project::new();
    project.step(RUN, &[started("x")]);
    let lowered = project.step(RUN, &[planned(Target::Prelude, prelude())]);
    let [(path, Edit::Create(text))] = &lowered.edits[..] else { panic!("{lowered:?}") };
    assert_eq!(*path, multiverse::tasks(RUN));
    assert!(text.contains("| task_id | run_id | stage_id |"), "{text}");
    assert_eq!(project.keys(&multiverse::tasks(RUN)), ["T00", "T02", "T03", "T04"]);
    assert!(project.rows(&multiverse::tasks(RUN))[0].starts_with(&format!("| T00 | {RUN} | S00 | T00 |")));
    project.step(RUN, &[completed("T00", &[]), planned(Target::Children(String::new()), phases())]);
    assert_eq!(project.keys(&multiverse::phases(RUN)), ["P01", "P02", "P03", "P04"]);
    assert!(project.rows(&multiverse::tasks(RUN))[0].ends_with("| COMPLETED |"));
    project.check_in_step();
}

/// MV-15, MV-17, MV-38: the row of the run follows what is being done, tool tasks too.
#[test]
fn mv38_current_columns_follow() {
    let mut project = working(&["T05", "T06"]);
    let current = |project: &Project| {
        multiverse::PROTOCOL
            .runs(&project.documents[multiverse::RUNS])
            .into_iter()
            .find(|row| row.run_id == RUN)
            .unwrap()
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(current(&project).current, [ids(&["P01"]), ids(&["S01"]), ids(&[])]);
    let lowered = project.step(RUN, &[assigned(1, "T05"), assigned(2, "T06")]);
    assert_eq!(lowered.edits.len(), 1, "one cell of one document");
    assert_eq!(current(&project).current[2], ids(&["T05", "T06"]));
    let tools = vec![tool("TT05_01", 1, Timing::Post)];
    let worked = Fact::Worked { fence: 1, item: "T05".into(), files: Vec::new() };
    project.step(RUN, &[worked, planned(Target::Tools("T05".into(), Timing::Post), tools)]);
    project.step(RUN, &[assigned(3, "TT05_01")]);
    assert_eq!(current(&project).current[2], ids(&["T05", "TT05_01", "T06"]));
    // A step that changes nothing that is written changes no document.
    assert!(project.step(RUN, &[Fact::Paused { reason: "rest".into() }]).edits.is_empty());
}

/// MV-23: status and catalog rows come together; each file has one row, renewed in place.
#[test]
fn mv23_a_completed_task_and_its_files_are_one_step() {
    let mut project = working(&["T05", "T06"]);
    let file = format!("{WORKSPACE}/T05.md");
    let lowered = project.step(RUN, &[completed("T05", &[(&file, "a | summary")])]);
    let paths: Vec<&str> = lowered.edits.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, [multiverse::CATALOG, &multiverse::tasks(RUN)]);
    assert_eq!(
        project.rows(multiverse::CATALOG),
        [format!("| {file} | {RUN} | ANALYSIS_REPORT | T05 | a \\| summary |")]
    );
    project.step(RUN, &[completed("T06", &[(&file, "renewed"), ("runs/x.md", "new")])]);
    let catalog = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
    let seen: Vec<(&str, &str, &str)> =
        catalog.iter().map(|row| (row.file_path.as_str(), row.source_task_id.as_str(), row.summary.as_str())).collect();
    assert_eq!(seen, [(file.as_str(), "T06", "renewed"), ("runs/x.md", "T06", "new")]);
    // A name that a cell cannot hold as it is has one row all the same.
    for _ in 0..2 {
        project.step(RUN, &[completed("T06", &[(" odd\0name `x` ", "odd")])]);
    }
    assert_eq!(project.rows(multiverse::CATALOG).len(), 3);
    // Core work alone has no word of its own in the tables.
    let worked = Fact::Worked { fence: 0, item: "T06".into(), files: vec![note("y.md", "y")] };
    assert!(project.step(RUN, &[worked]).edits.is_empty());
    project.check_in_step();
}

/// MV-24: what is done is COMPLETED, and no longer current.
#[test]
fn mv24_stage_and_phase_end() {
    let mut project = working(&["T05"]);
    project.step(RUN, &[assigned(1, "T05")]);
    project.step(RUN, &[completed("T05", &[]), completed("S01", &[])]);
    assert!(project.rows(&multiverse::stages(RUN))[0].ends_with("| COMPLETED |"));
    assert!(project.rows(&multiverse::stages(RUN))[1].ends_with("| PENDING |"));
    project.step(RUN, &[completed("S02", &[]), completed("P01", &[])]);
    assert!(project.rows(&multiverse::phases(RUN))[0].ends_with("| COMPLETED |"));
    for phase in ["P02", "P03", "P04"] {
        project.step(RUN, &[completed(phase, &[])]);
    }
    project.step(RUN, &[Fact::Finished]);
    assert_eq!(project.rows(multiverse::RUNS), [format!("| {RUN} | write a report | COMPLETED |  |  |  |")]);
}

/// MV-25, MV-26, MV-38: FAILED all the way up in one step, with a report; what had not run stays PENDING.
#[test]
fn mv25_a_failure_is_one_step_with_a_report() {
    let mut project = working(&["T05", "T06"]);
    let error = "it broke:\n````\nnot the end\n``````\n# not a heading";
    let failure =
        Failure { items: ["T05", "S01", "P01"].map(str::to_owned).to_vec(), doing: "T05".into(), error: error.into() };
    let lowered = project.step(RUN, &[Fact::Failed(failure)]);
    assert_eq!(lowered.edits.len(), 5);
    let failed = |path: &str| -> Vec<String> {
        let rows = project.rows(path).into_iter().filter(|row| row.ends_with("| FAILED |"));
        rows.map(|row| row.split('|').nth(1).unwrap().trim().to_owned()).collect()
    };
    assert_eq!(failed(&multiverse::tasks(RUN)), ["T05"]);
    assert_eq!(failed(&multiverse::stages(RUN)), ["S01"]);
    assert_eq!(failed(&multiverse::phases(RUN)), ["P01"]);
    assert_eq!(project.rows(multiverse::RUNS), [format!("| {RUN} | write a report | FAILED | P01 | S01 | T05 |")]);
    let report = project.text(&dialect::Protocol::failure_report(RUN));
    for part in [RUN, "phase: `P01`", "stage: `S01`", "task: `T05`", "> what task T05 is for", error] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    let parsed = syntax::Document::parse(report.as_str());
    assert_eq!(parsed.problems(), []);
    let titles: Vec<String> = parsed.headings().into_iter().map(|heading| heading.title).collect();
    assert_eq!(titles, [format!("Failure of {RUN}"), "What it was for".into(), "The original error".into()]);
}

/// MV-26: a failure before anything is planned, or a cancelled run, has a report too.
#[test]
fn mv26_a_failure_without_items_is_told_too() {
    let mut project = Project::new();
    project.step(RUN, &[started("x")]);
    let failure = Failure { items: Vec::new(), doing: "phase:0".into(), error: "cancelled by the user".into() };
    project.step(RUN, &[Fact::Failed(failure)]);
    let report = project.text(&dialect::Protocol::failure_report(RUN));
    assert!(report.contains("phase:0") && report.contains("cancelled by the user"), "{report}");
}

fn proposal() -> Proposal {
    Proposal {
        reasons: Vec::new(),
        introduction: "We would do it so.".into(),
        instructions: vec!["Be brief.".into(), "Use tables | always\nand well.".into()],
        superseded: vec![Superseded {
            instruction_id: "I-old-01".into(),
            by: 1,
            justification: "brevity was asked for".into(),
        }],
        kept: vec![Kept { instruction_id: "I-old-02".into(), justification: "still true".into() }],
        formats: vec!["pdf".into(), "html".into()],
    }
}

/// MV-08: the proposal as the user reads it: instructions, conflicts and what becomes of them, how to answer.
#[test]
fn mv08_the_proposal_is_written_and_rewritten() {
    let mut project = Project::prepared();
    project.step(RUN, &[Fact::Proposed { fence: 1, proposal: proposal() }]);
    let text = project.text(&multiverse::PROTOCOL.feedback(RUN));
    for part in [
        "> write a report",
        "1. Be brief.",
        "2. Use tables | always\n   and well.",
        "`I-old-01` is superseded by number 1: brevity was asked for",
        "`I-old-02` is kept: still true",
        "pdf, html",
        "confirm",
        "modify",
        "cancel",
        "new-request",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(project.text(multiverse::RUNS).contains("AWAITING_CONFIRMATION"));
    let again = Proposal { instructions: vec!["Be long.".into()], ..Proposal::default() };
    let answered = Fact::Answered { verdict: Verdict::Modify("longer".into()), by: "me".into(), at: "now".into() };
    project.step(RUN, &[answered]);
    project.step(RUN, &[Fact::Proposed { fence: 2, proposal: again }]);
    let text = project.text(&multiverse::PROTOCOL.feedback(RUN));
    assert!(text.contains("1. Be long.") && text.contains("> longer") && !text.contains("Be brief"), "{text}");
}

/// MV-10: a new request replaces the words in the table of runs.
#[test]
fn mv10_a_new_request_is_written() {
    let mut project = Project::prepared();
    project.step(RUN, &[Fact::Proposed { fence: 1, proposal: proposal() }]);
    let verdict = Verdict::NewRequest("something | else".into());
    project.step(RUN, &[Fact::Answered { verdict, by: "me".into(), at: "now".into() }]);
    let runs = multiverse::PROTOCOL.runs(&project.documents[multiverse::RUNS]);
    assert_eq!((runs[0].user_request.as_str(), runs[0].status), ("something | else", Some(Status::Pending)));
}

/// MV-11, MV-43: what was agreed is ACTIVE, what it replaces SUPERSEDED; the constitution is in the catalog.
#[test]
fn mv11_what_was_agreed_becomes_law() {
    let mut project = Project::prepared();
    let text = project.text(multiverse::INSTRUCTIONS)
        + "| I-old-01 | run-0 | INITIAL | old | **active** | | |\n| I-old-02 | run-0 | INITIAL | older | ACTIVE | | |\n";
    project.edit(multiverse::INSTRUCTIONS, text);
    project.step(RUN, &[Fact::Proposed { fence: 1, proposal: proposal() }]);
    let confirmed = Fact::Answered { verdict: Verdict::Confirm, by: "me".into(), at: "now".into() };
    let ids = vec![format!("I-{RUN}-01"), format!("I-{RUN}-02")];
    project.step(RUN, &[confirmed, Fact::Constituted { item: "T02".into(), ids: ids.clone() }, completed("T02", &[])]);
    let all = multiverse::PROTOCOL.instructions(&project.documents[multiverse::INSTRUCTIONS]);
    let old = &all[0];
    assert!(!old.active);
    assert_eq!((&old.superseded_by_id, old.justification.as_str()), (&ids[0], "brevity was asked for"));
    let active = multiverse::PROTOCOL.active_instructions(&project.documents[multiverse::INSTRUCTIONS]);
    let seen: Vec<(&str, &str)> =
        active.iter().map(|row| (row.instruction_id.as_str(), row.content.as_str())).collect();
    let expected =
        [("I-old-02", "older"), (ids[0].as_str(), "Be brief."), (ids[1].as_str(), "Use tables | always\nand well.")];
    assert_eq!(seen, expected);
    assert_eq!(active[1].instruction_type, "INITIAL");
    let catalog = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
    let found = catalog.iter().find(|row| row.file_path == multiverse::PROTOCOL.feedback(RUN)).unwrap();
    assert_eq!((found.asset_type.as_str(), found.source_task_id.as_str()), ("USER_INSTRUCTIONS", "T02"));
}

/// MV-12: inputs are catalogued once, renewed when they change, and leave when they are gone.
#[test]
fn mv12_inputs_have_one_row_each() {
    let mut project = Project::prepared();
    let catalogued = |project: &mut Project, run: &str, files: &[&str], gone: &[&str]| {
        let files = files.iter().map(|path| note(path, &format!("seen by {run}"))).collect();
        let gone = gone.iter().map(|path| (*path).to_owned()).collect();
        project.step(run, &[Fact::Catalogued { fence: 0, files, gone }]);
    };
    catalogued(&mut project, RUN, &["assets/a.md", "assets/b.md", "guidelines/c.md"], &[]);
    assert_eq!(project.keys(multiverse::CATALOG), ["assets/a.md", "assets/b.md", "guidelines/c.md"]);
    project.begin("run-2");
    catalogued(&mut project, "run-2", &["assets/b.md", "assets/d.md"], &["assets/a.md", "assets/unknown.md"]);
    let catalog = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
    let seen: Vec<(&str, &str, &str)> =
        catalog.iter().map(|row| (row.file_path.as_str(), row.run_id.as_str(), row.source_task_id.as_str())).collect();
    let expected = [("assets/b.md", "run-2", "T03"), ("assets/d.md", "run-2", "T03"), ("guidelines/c.md", RUN, "T03")];
    assert_eq!(seen, expected);
    project.check_in_step();
}

/// A failed run's successor has its rows, with their purposes, and its files in the catalog.
#[test]
fn a_retry_takes_rows_and_files_over() {
    let mut project = working(&["T05", "T06"]);
    project.step(RUN, &[completed("T05", &[(&format!("{WORKSPACE}/T05.md"), "five")])]);
    let old = project.run(RUN).clone();
    let mut items = old.items.clone();
    for item in &mut items {
        item.output = item.output.replace(RUN, "run-2");
    }
    let taken = Fact::TakenOver { from: RUN.into(), items, worked: Default::default(), formats: Vec::new() };
    project.step("run-2", &[started("write a report"), taken]);
    for path in [multiverse::phases, multiverse::stages, multiverse::tasks] {
        let expected: Vec<String> = project.rows(&path(RUN)).iter().map(|row| row.replace(RUN, "run-2")).collect();
        assert_eq!(project.rows(&path("run-2")), expected);
    }
    let catalog = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
    let row = catalog.iter().find(|row| row.run_id == "run-2").unwrap();
    assert_eq!((row.source_task_id.as_str(), row.asset_type.as_str()), ("T05", "ANALYSIS_REPORT"));
    assert_eq!(row.summary, format!("five (taken over from {WORKSPACE}/T05.md)"));
    assert_eq!(project.run("run-2").item("T05").unwrap().state, State::Completed);
}

/// A table of tool tasks without the two columns that the seed forgot is still written.
#[test]
fn a_seed_table_without_the_two_columns_is_written() {
    let mut project = working(&["T05"]);
    let header = "| tool_task_id | run_id | parent_task_id | timing (PRE/POST) | tool_type | tool_task_name | tool_task_purpose | execution_order | status |";
    project.edit(&multiverse::tool_tasks(RUN), format!("{header}\n| {} |\n", [":---"; 9].join(" | ")));
    project.step(RUN, &[planned(Target::Tools("T05".into(), Timing::Pre), vec![tool("TT05_01", 1, Timing::Pre)])]);
    let expected =
        format!("| TT05_01 | {RUN} | T05 | PRE | WebSearch | tool TT05_01 | what tool TT05_01 is for | 1 | PENDING |");
    assert_eq!(project.rows(&multiverse::tool_tasks(RUN)), [expected]);
}

/// Padding, comments, further columns and line endings of people stay as they are.
#[test]
fn what_people_wrote_stays() {
    let mut project = working(&["T05"]);
    let path = multiverse::tasks(RUN);
    let text =
        project.text(&path).replace("| task_id |", "| note | **task_id** |").replace("| :--- |\n", "| :--- | :---|\n");
    let text = text.replace("\n| T", "\n|  mine   | T").replace('\n', "\r\n") + "\r\nA remark.\r\n";
    project.edit(&path, text.clone());
    project.step(RUN, &[completed("T05", &[])]);
    assert_eq!(project.text(&path), text.replace("| 1 | PENDING |\r\n\r\nA", "| 1 | COMPLETED |\r\n\r\nA"));
}
