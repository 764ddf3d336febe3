//! What a person changes by hand in the documents: what is taken over, and what is put back.

use machine::{Fact, Input, Item, MULTIVERSE, Outcome, State, Target, Work};

use crate::driver::{Universe, at_first_task, at_gate, kinds};

/// T05 is being done; T06 reads its output and waits; T07 waits for room.
fn universe() -> Universe {
    let mut universe = at_first_task();
    universe.exists.insert("assets/b.md".into());
    universe
}

fn edited(universe: &Universe, change: impl FnOnce(&mut Vec<Item>)) -> Input {
    let mut items = universe.run().items.clone();
    change(&mut items);
    Input::Edited { items }
}

fn of<'i>(items: &'i mut [Item], id: &str) -> &'i mut Item {
    items.iter_mut().find(|item| item.id == id).expect("the item is there")
}

fn new_task(id: &str) -> Item {
    let mut item = universe().run().item("T07").expect("T07").clone();
    (item.id, item.order, item.output) = (id.into(), 9, format!("runs/run-1/workspace/ANALYZING/{id}.md"));
    item
}

/// What is pending and not begun follows its document.
#[test]
fn what_may_change() {
    type Change = fn(&mut Item);
    let changes: [(&str, &str, Change); 8] = [
        ("T07", "a name", |item| item.name = "Better".into()),
        ("T07", "its inputs", |item| item.inputs = vec!["assets/b.md".into()]),
        ("T07", "its output", |item| item.output = "workspace/ANALYZING/new.md".into()),
        ("T07", "its order", |item| item.order = 7),
        ("T06", "its tools before", |item| item.pre = false),
        ("T07", "its tools after", |item| item.post = false),
        ("S02", "the name of a stage", |item| item.name = "Better".into()),
        ("S02", "the order of a stage", |item| item.order = 5),
    ];
    for (id, what, change) in changes {
        let mut universe = universe();
        let input = edited(&universe, |items| change(of(items, id)));
        let decision = universe.must(&input);
        assert_eq!(
            (kinds(&decision.facts).join(" ").as_str(), decision.refused.as_slice()),
            ("Edited", [].as_slice()),
            "{what}"
        );
        let again = edited(&universe, |_| {});
        assert_eq!(universe.must(&again).facts, [], "{what}: now it is so");
    }
}

/// Everything else is put back, and the reason is given.
#[test]
fn what_is_put_back() {
    type Change = fn(&mut Vec<Item>);
    let changes: Vec<(&str, Change)> = vec![
        ("row T05, column task_name: was changed, but it has begun", |items| of(items, "T05").name = "x".into()),
        ("row T04, column related_references: was changed, but it is COMPLETED", |items| {
            of(items, "T04").inputs = vec!["assets/b.md".into()];
        }),
        ("row P02, column phase_name: was changed, but the protocol has it so", |items| {
            of(items, "P02").name = "x".into();
        }),
        ("row S01, column stage_name: was changed, but it has begun", |items| of(items, "S01").name = "x".into()),
        ("row T07, column stage_id: was changed, but an item cannot be moved", |items| {
            of(items, "T07").parent = Some("S02".into());
        }),
        ("row T07, column task_name: is empty", |items| of(items, "T07").name = " ".into()),
        ("row T07, column related_references: is empty", |items| of(items, "T07").inputs.clear()),
        ("row T07, column related_references: there is no file assets/none.md", |items| {
            of(items, "T07").inputs = vec!["assets/none.md".into()];
        }),
        ("row T07, column related_references: \"../x\" has `..`", |items| {
            of(items, "T07").inputs = vec!["../x".into()];
        }),
        ("row T07, column output_path: outputs/run-1/x.md is not below", |items| {
            of(items, "T07").output = "outputs/run-1/x.md".into();
        }),
        ("row T07, column output_path: runs/run-1/workspace/ANALYZING/S01_1.md is the output of T05", |items| {
            of(items, "T07").output = "workspace/ANALYZING/S01_1.md".into();
        }),
        ("row T06, column related_references: there is no file runs/run-1/workspace/ANALYZING/S01_1.md", |items| {
            of(items, "T06").order = 0;
        }),
        ("row T04, column status: was changed, but by hand, only a PENDING task", |items| {
            of(items, "T04").state = State::Pending;
        }),
        ("row T07, column status: was changed, but by hand, only", |items| of(items, "T07").state = State::Failed),
        ("row T07, column status: was changed, but its output file is not there", |items| {
            of(items, "T07").state = State::Completed;
        }),
        ("row T05, column status: was changed, but somebody is at it", |items| {
            of(items, "T05").state = State::Completed;
        }),
        ("row S02, column status: was changed, but only a task", |items| of(items, "S02").state = State::Completed),
        ("row T05, column task_id: the row was taken out, but it has begun", |items| {
            items.retain(|item| item.id != "T05");
        }),
        ("row P03, column phase_id: the row was taken out, but the protocol needs it", |items| {
            items.retain(|item| item.id != "P03");
        }),
        ("row T07, column task_id: is there twice", |items| items.push(of(&mut items.clone(), "T07").clone())),
        ("row T06, column stage_id: a row can only be added", |items| {
            items.push(Item { id: "T50".into(), parent: Some("S02".into()), ..new_task("T50") });
        }),
        ("row X1, column task_id: X1 does not begin", |items| items.push(new_task("X1"))),
        ("row T50, column output_path: runs/run-1/workspace/ANALYZING/S01_3.md is the output of T07", |items| {
            items.push(Item { output: "workspace/ANALYZING/S01_3.md".into(), ..new_task("T50") });
        }),
    ];
    for (expected, change) in changes {
        let expected = expected.replace("row T06, column stage_id", "row T50, column stage_id");
        let mut universe = universe();
        let before = universe.run().clone();
        let input = edited(&universe, change);
        let decision = universe.must(&input);
        let refused: Vec<String> = decision.refused.iter().map(ToString::to_string).collect();
        assert!(refused.len() == 1 && refused[0].contains(&expected), "{expected}: {refused:?}");
        assert_eq!((decision.facts, universe.run()), (Vec::new(), &before), "{expected}");
    }
}

/// A task whose file is there may be called done by hand; what waits for it goes on.
#[test]
fn done_by_hand() {
    let mut universe = universe();
    let output = universe.run().item("T07").expect("T07").output.clone();
    universe.exists.insert(output.clone());
    let input = edited(&universe, |items| of(items, "T07").state = State::Completed);
    let decision = universe.must(&input);
    let [Fact::Completed { item, files }] = decision.facts.as_slice() else { panic!("{:?}", decision.facts) };
    assert_eq!(
        (item.as_str(), files[0].path.as_str(), files[0].asset_type.as_str()),
        ("T07", output.as_str(), "ANALYSIS_REPORT")
    );
    universe.until(Universe::at_work(&Work::Plan(Target::Children("S02".into()))));
    assert!(universe.run().item("TT07_01").is_none());
}

/// Rows may be added to and taken out of a stage that is planned and not done.
#[test]
fn rows_come_and_go() {
    let mut universe = universe();
    universe.jobs = 2;
    let input = edited(&universe, |items| {
        items.retain(|item| item.id != "T07");
        items.push(new_task("T50"));
    });
    let decision = universe.must(&input);
    assert_eq!(kinds(&decision.facts), ["Removed", "Edited", "Assigned execute T50"]);
    assert_eq!(decision.refused, []);
    assert!(universe.run().item("T07").is_none());
    universe.until(|universe| universe.run().item("S01").is_some_and(|item| item.state == State::Completed));
    let refused = edited(&universe, |items| items.push(new_task("T51")));
    assert_eq!(universe.must(&refused).refused.len(), 1, "the stage is done");
}

/// What others read cannot be taken out; with its readers it can.
#[test]
fn what_others_read_stays() {
    let mut universe = at_gate();
    universe.until(Universe::at_work(&Work::Plan(Target::Children("S01".into()))));
    universe.must(&Input::Pause { reason: "to edit".into() });
    universe.next();
    let input = edited(&universe, |items| items.retain(|item| item.id != "T05"));
    assert!(universe.must(&input).refused[0].to_string().contains("others read"));
    let input = edited(&universe, |items| items.retain(|item| item.id != "T05" && item.id != "T06"));
    assert_eq!(kinds(&universe.must(&input).facts), ["Removed", "Removed"]);
    assert_eq!(kinds(&universe.must(&Input::Resume).facts), ["Resumed", "Assigned execute T07"]);
}

/// A run that is over is not changed by hand.
#[test]
fn nothing_changes_after_the_end() {
    let mut universe = universe();
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Failed("no".into()));
    let input = edited(&universe, |items| of(items, "T07").name = "x".into());
    let decision = universe.must(&input);
    assert_eq!((decision.facts.len(), decision.refused.len()), (0, 1));
    assert!(decision.refused[0].reason.contains("the run is over"));
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T05"]);
}
