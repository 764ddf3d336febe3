//! Documents that people edited: what is read from them, what is put back, and what cannot be written.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use dialect::{OwnRow, PutBack, Trouble, multiverse};
use machine::{Fact, Item, State, Target, Timing};
use support::{Chance, Project, RUN, completed, note, planned, row, task, tool};
use text::{Change, Text};

/// A run with something on every level.
fn project() -> Project {
    let mut project = Project::prepared();
    project.step(RUN, &[completed("T02", &[]), completed("T03", &[]), completed("T04", &[])]);
    project.step(RUN, &[planned(Target::Children("P01".into()), vec![row("S01", 1, "one"), row("S02", 2, "two | 2")])]);
    let mut five = task("T05", 1);
    five.pre = "look something up".into();
    five.inputs = vec!["assets/a, b.md".into(), "assets/[c].md".into()];
    project.step(RUN, &[planned(Target::Children("S01".into()), vec![five, task("T06", 2)])]);
    project.step(RUN, &[planned(Target::Tools("T05".into(), Timing::Pre), vec![tool("TT05_01", 1, Timing::Pre)])]);
    project.step(RUN, &[completed("TT05_01", &[(&format!("runs/{RUN}/x.md"), "x")])]);
    project
}

fn lift(project: &Project) -> dialect::Lifted {
    multiverse::PROTOCOL.lift(&|path| project.documents.get(path).cloned(), RUN)
}

fn item<'a>(lifted: &'a dialect::Lifted, id: &str) -> &'a Item {
    lifted.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("no {id}"))
}

/// What was written is read back as it was, in the same order.
#[test]
fn what_is_lowered_is_lifted() {
    let project = project();
    let lifted = lift(&project);
    assert_eq!((&lifted.problems[..], &lifted.unclear[..]), (&[][..], &[][..]));
    let run = project.run(RUN);
    assert_eq!(lifted.items.len(), run.items.len());
    for known in &run.items {
        let planned =
            if known.id == "S02" || known.id == "T06" { Vec::new() } else { item(&lifted, &known.id).planned.clone() };
        assert_eq!(*item(&lifted, &known.id), Item { planned, ..known.clone() });
    }
    assert_eq!(item(&lifted, "T05").planned, ["pre"]);
    assert_eq!(item(&lifted, "P01").planned, ["children"]);
    assert_eq!(lifted.items[0].id, "T00", "the preparation first");
}

/// Read leniently: any case, emphasis, lists in any form, missing order.
#[test]
fn people_write_as_they_like() {
    let mut project = project();
    let path = multiverse::tasks(RUN);
    let header = "| **task_id** | stage_id | task_name | related_references | output_path | status (PENDING, COMPLETED) |\n|---|---|---|---|---|---|\n";
    let rows = "| | | | | | |\n\
        | `T05` | S01 | five | a.md, b.md | workspace/ANALYZING/5.md | **completed** |\n\
        | **T06** | `S01` | six | a.md<br>`b.md` | ./outputs/6.md | Failed |\n\
        | T07 | S01 | seven | assets/*.pdf |  | |\n";
    project.edit(&path, format!("{header}{rows}"));
    let lifted = lift(&project);
    assert_eq!(lifted.problems, []);
    let five = item(&lifted, "T05");
    assert_eq!((five.state, &five.inputs[..]), (State::Completed, &["a.md".to_owned(), "b.md".to_owned()][..]));
    assert_eq!(five.output, format!("runs/{RUN}/workspace/ANALYZING/5.md"));
    let six = item(&lifted, "T06");
    assert_eq!((six.state, &six.inputs[..], six.output.as_str()), (State::Failed, &five.inputs[..], "outputs/6.md"));
    let seven = item(&lifted, "T07");
    assert_eq!((seven.state, seven.inputs[0].as_str()), (State::Pending, "assets/*.pdf"));
    assert!(five.order < six.order && six.order < seven.order, "rows in their order");
}

/// What is odd is a problem with a place, and the rest is read.
#[test]
fn odd_cells_are_problems_with_a_place() {
    for (path, from, to, problem, unclear) in [
        (multiverse::tasks(RUN), "| 1 | PENDING |", "| 1 | DONE |", "`DONE` is no status", true),
        (multiverse::tasks(RUN), "| 2 | PENDING |", "| second | PENDING |", "`second` is no place in an order", false),
        (multiverse::tasks(RUN), "| T06 |", "| T05 |", "`T05` is there twice", false),
        (multiverse::tasks(RUN), "| T06 |", "|  |", "the row has no task_id", false),
        (multiverse::tasks(RUN), &format!("| T06 | {RUN} |"), "| T06 | run-x |", "names the run `run-x`", false),
        (multiverse::stages(RUN), "| P01 |", "| P09 |", "nothing in this run has the id `P09`", false),
        (multiverse::tool_tasks(RUN), "| PRE |", "| LATER |", "`LATER` is no timing", false),
        (multiverse::stages(RUN), "| stage_id |", "| id |", "there is no table with the column `stage_id`", false),
    ] {
        let mut project = project();
        let text = project.text(&path);
        let line = text.lines().position(|line| line.contains(from)).unwrap() + 1;
        project.replace(&path, from, to);
        let lifted = lift(&project);
        let found = lifted.problems.iter().find(|found| found.reason.contains(problem));
        let found = found.unwrap_or_else(|| panic!("{problem}: {:?}", lifted.problems));
        assert_eq!(found.path, path);
        assert!(found.line == line || problem.contains("no table"), "{found}");
        assert_eq!(!lifted.unclear.is_empty(), unclear, "{problem}");
    }
    let mut project = project();
    project.replace(&multiverse::tasks(RUN), "| 1 | PENDING |", "| 1 | DONE |");
    let lifted = lift(&project);
    let text = project.text(&multiverse::tasks(RUN));
    let line = text.lines().nth(lifted.problems[0].line - 1).unwrap();
    assert_eq!(&line[lifted.problems[0].column - 1..][..4], "DONE", "the column is that of the cell");
}

fn trouble(project: &mut Project, facts: &[Fact]) -> Trouble {
    let documents = project.documents.clone();
    let trouble = project.try_step(RUN, facts).expect_err("trouble");
    assert_eq!(project.documents, documents, "nothing is changed");
    assert!(!trouble.reason.is_empty() && !trouble.hint.is_empty());
    // What was held is as the documents are.
    for (path, text) in &documents {
        if let Ok(sheet) = project.sheets.sheet(path, text) {
            assert_eq!(sheet.document().text(), text, "{path}");
        }
    }
    trouble
}

/// A document that cannot take a step is named, with the place and a way out, and nothing changes anywhere.
#[test]
fn documents_that_cannot_be_written_stop_the_step() {
    let tasks = multiverse::tasks(RUN);
    let done = completed("T05", &[("out.md", "x")]);
    let check = |edit: &dyn Fn(&mut Project), path: &str, reason: &str| {
        let mut project = project();
        edit(&mut project);
        let trouble = trouble(&mut project, std::slice::from_ref(&done));
        assert_eq!(trouble.path, path, "{trouble}");
        assert!(trouble.reason.contains(reason), "{trouble}");
    };
    check(&|project| project.replace(&tasks, "| T05 |", "| T5 |"), &tasks, "the row `T05` is not in the table");
    check(&|project| project.replace(&tasks, "task_id", "id"), &tasks, "no table with the column `task_id`");
    check(
        &|project| project.edit(&tasks, &b"| task_id | status |\n|---|---|\n| T05 | \xFF |\n"[..]),
        &tasks,
        "not UTF-8",
    );
    check(
        &|project| {
            project.documents.remove(&tasks);
            project.sheets.forget(&tasks);
        },
        &tasks,
        "missing",
    );
    check(&|project| project.edit(multiverse::CATALOG, "gone\n"), multiverse::CATALOG, "no table");
    let mut other = project();
    other.replace(multiverse::RUNS, RUN, "run-x");
    let failure = machine::Failure { items: Vec::new(), doing: "T05".into(), error: "x".into() };
    assert_eq!(trouble(&mut other, &[Fact::Failed(failure)]).path, multiverse::RUNS);
}

fn put_back(project: &mut Project, before: &std::collections::BTreeMap<String, Text>, items: &[&str]) {
    let documents = project.documents.clone();
    let run = project.runs[RUN].clone();
    let put_back = PutBack { run: &run, items, own_row: OwnRow::PutBack, before: &|path| before.get(path).cloned() };
    let read = |path: &str| documents.get(path).cloned();
    let lowered = dialect::restore_cells(&mut project.sheets, &read, &put_back).unwrap();
    project.take(&lowered);
    project.check_in_step();
}

/// Engine columns read as the state says again; what is a person's own, or reads the same, stays.
#[test]
fn what_may_not_be_changed_by_hand_is_put_back() {
    let tasks = multiverse::tasks(RUN);
    for (from, to, stays) in [
        ("| 1 | PENDING |", "| 1 | COMPLETED |", false),
        ("| 1 | PENDING |", "| 1 | **pending** |", true),
        ("| T05 | run-", "| T05 | other-", false),
        ("| S01 | task T05 |", "| S02 | task T05 |", false),
        ("| task T05 |", "| another name |", false),
        ("what task T05 is for", "another purpose", true),
        ("look something up", "", false),
        ("[\"assets/a, b.md\", \"assets/[c].md\"]", "x.md", false),
        ("T05.md", "other.md", false),
    ] {
        let mut project = project();
        let before = project.documents.clone();
        project.replace(&tasks, from, to);
        let edited = project.text(&tasks);
        put_back(&mut project, &before, &["T05"]);
        let expected = if stays { edited } else { String::from_utf8(before[&tasks].to_vec()).unwrap() };
        assert_eq!(project.text(&tasks), expected, "{to}");
    }
}

#[test]
fn rows_are_put_back_and_taken_out() {
    let mut project = project();
    let before = project.documents.clone();
    let tasks = multiverse::tasks(RUN);
    let row = project.rows(&tasks).into_iter().find(|row| row.starts_with("| T05 |")).unwrap();
    project.replace(&tasks, &format!("{row}\n"), "");
    let added = project.text(&tasks) + "| T99 | | S01 | mine | | | | | | 9 | PENDING |\n";
    project.edit(&tasks, added);
    project.replace(multiverse::RUNS, "| PENDING |", "| COMPLETED |");
    put_back(&mut project, &before, &["T05", "T99"]);
    assert_eq!(project.documents, before, "the purpose too, which only the documents know");
}

/// A change that others made is followed; one that touches more than rows is read again.
#[test]
fn changes_of_others_are_followed() {
    let mut chance = Chance(11);
    let mut project = project();
    project.check_in_step();
    let lines = ["| T05 | x |\n", "| runs/new.md | r | A | T05 | s |\n", "text\n", "\n", "# heading\n", "| | | |\n"];
    for round in 0..600 {
        let paths: Vec<String> = project.documents.keys().cloned().collect();
        let path = &paths[chance.below(paths.len())];
        let text = project.documents[path].clone();
        let line = text.line(chance.below(text.line_count()));
        let put = if chance.below(2) == 0 { lines[chance.below(lines.len())] } else { "" };
        let cut = if chance.below(2) == 0 && chance.below(3) == 0 { line.clone() } else { line.start..line.start };
        let change = Change::replace(&text, cut, put.to_owned());
        let after = change.apply(&text).unwrap();
        if dialect::multiverse::PROTOCOL.layout_of(path).is_some() {
            project.sheets.follow(path, &change);
            let mut fresh = multiverse::PROTOCOL.sheets();
            match (project.sheets.sheet(path, &after), fresh.sheet(path, &after)) {
                (Ok(held), Ok(read)) => {
                    assert_eq!((held.row_count(), held.document().text()), (read.row_count(), &after), "round {round}");
                    for key in ["T05", "T06", "P01", "S01", "runs/new.md", "TT05_01", RUN] {
                        assert_eq!(held.find(key), read.find(key), "round {round}, {path}, {key}");
                    }
                }
                (held, read) => assert_eq!(held.is_ok(), read.is_ok(), "round {round}"),
            }
            // Do not wander off too far.
            project.sheets.follow(path, &change.inverse());
        }
    }
}

/// QL-25: documents edited into nonsense give trouble or problems, never a panic, and what is written still fits.
#[test]
fn nonsense_is_trouble_or_a_problem_never_a_panic() {
    let pieces: [&[u8]; 12] =
        [b"|", b"\n", b"\r\n", b"\\", b"`", b"\xFF", b"---", b"| T05 |", b"# x\n", b"<!--", b"PENDING", b"\0"];
    let (mut troubles, mut steps, mut problems) = (0, 0, 0);
    for seed in 0..400 {
        let mut chance = Chance(seed);
        let mut project = project();
        let paths: Vec<String> = project.documents.keys().cloned().collect();
        for _ in 0..1 + chance.below(6) {
            let path = &paths[chance.below(paths.len())];
            let mut bytes = project.documents[path].to_vec();
            let at = chance.below(bytes.len() + 1);
            let end = (at + chance.below(30)).min(bytes.len());
            bytes.splice(at..end, pieces[chance.below(pieces.len())].iter().copied());
            project.edit(path, bytes);
        }
        problems += lift(&project).problems.len();
        let _ = multiverse::PROTOCOL.runs(&project.documents[multiverse::RUNS]);
        let _ = multiverse::PROTOCOL.catalog(&project.documents[multiverse::CATALOG]);
        let _ = multiverse::PROTOCOL.instructions(&project.documents[multiverse::INSTRUCTIONS]);
        let _ = multiverse::PROTOCOL.check_template(&project.documents[multiverse::TEMPLATE]);
        let failure = machine::Failure {
            items: vec!["T06".into(), "S01".into(), "P01".into()],
            doing: "T06".into(),
            error: "x".into(),
        };
        let files = vec![note("assets/a.md", "a"), note("assets/b.md", "b")];
        for facts in [
            vec![Fact::Catalogued { fence: 0, files, gone: vec![format!("runs/{RUN}/x.md")] }],
            vec![completed("T05", &[("out.md", "x")])],
            vec![planned(Target::Children("S02".into()), vec![task("T07", 1)])],
            vec![Fact::Failed(failure)],
        ] {
            // A commit fits the bytes it was made for: `take` applies it.
            match project.try_step(RUN, &facts) {
                Ok(_) => steps += 1,
                Err(_) => troubles += 1,
            }
        }
    }
    assert!(troubles > 50 && steps > 50 && problems > 50, "{troubles} troubles, {steps} steps, {problems} problems");
}

/// MV-35: whoever looks at a document is told what the engine would tell, with its place and the way out.
#[test]
fn what_is_odd_is_told_to_whoever_looks() {
    let odd = |path: &str, from: &str, to: &str| {
        let mut project = project();
        let text = String::from_utf8(project.documents[path].to_vec()).unwrap();
        assert!(text.contains(from), "{text}");
        project.edit(path, text.replacen(from, to, 1));
        let told = multiverse::PROTOCOL.odd_in(path, &|path| project.documents.get(path).cloned());
        told.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let (tasks, runs) = (multiverse::tasks(RUN), multiverse::RUNS);
    let twice = format!("| {RUN} | again | PENDING | | | |\n| {RUN} |");
    let cases = [
        (
            tasks.as_str(),
            "| T06 |",
            "| T05 |",
            "`T05` is there twice in a run, and the first one counts; remove this row",
        ),
        (tasks.as_str(), "| task_id ", "| number ", "there is no table with the column `task_id`; put its header back"),
        (runs, &format!("| {RUN} |"), &twice, "is there twice, first in line 7, and the first one counts; remove"),
        (runs, &format!("| {RUN} |"), "| |", "the row has no run_id; give it one"),
        (runs, "PENDING |", "at work |", "`at work` is no status; use PENDING, AWAITING_CONFIRMATION, COMPLETED or"),
        (multiverse::TEMPLATE, "ANALYZING", "GUESSING", "the workflow's template was changed; its phases are fixed"),
        ("notes.md", "", "", ""),
    ];
    for (path, from, to, expected) in cases {
        if path == "notes.md" {
            assert_eq!(multiverse::PROTOCOL.odd_in(path, &|_| Some("| a |".into())), []);
            continue;
        }
        let told = odd(path, from, to);
        assert!(told.contains(expected) && told.starts_with(path), "{told}");
        assert_eq!(odd(path, from, from), "", "{path} as it was");
    }
}
