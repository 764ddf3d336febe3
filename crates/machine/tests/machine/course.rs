//! Every arrow of the course, and of an attempt's life.

use machine::{
    AskedAgent, Cast, Course, Effect, Fact, Holder, Input, MULTIVERSE, Outcome, PreludeTask, Role, Said, State, Status,
    Target, Verdict, Work,
};

use crate::driver::{RUN, Universe, at_first_task, at_gate, kinds, started, words};

fn answer(verdict: Verdict) -> Input {
    Input::Answer { verdict, by: "me".into() }
}

/// MV-04, MV-06: a run begins with the plan of its preparation.
#[test]
fn a_run_begins() {
    let mut universe = Universe::new(&MULTIVERSE);
    let decision = universe.start();
    assert_eq!(kinds(&decision.facts), ["Started", "Driven", "Assigned plan prelude"]);
    assert_eq!(decision.effects, [Effect::Start(1)]);
    assert_eq!((universe.run().course, universe.run().status), (Course::Planning, Status::Pending));
    assert_eq!(universe.run().request, "write it");
    assert_eq!(universe.run().definition, "d1");
}

/// MV-06 … MV-14, MV-42: the whole preparation, fact by fact.
#[test]
fn the_preparation_goes_step_by_step() {
    let mut universe = started(&MULTIVERSE);
    let steps: [(&[&str], Course); 3] = [
        (&["Planned", "Assigned set_up T00"], Course::SettingUp),
        (&["Worked T00", "Completed T00", "Planned", "Assigned plan proposal"], Course::Proposing),
        (&["Proposed"], Course::Gate),
    ];
    for (facts, course) in steps {
        assert_eq!(kinds(&universe.next().facts), facts);
        assert_eq!(universe.run().course, course);
    }
    assert_eq!(universe.run().status, Status::AwaitingConfirmation);
    let prelude: Vec<&str> = universe.run().children("S00").iter().map(|item| item.id.as_str()).collect();
    assert_eq!(prelude, MULTIVERSE.prelude.iter().map(PreludeTask::id).collect::<Vec<_>>());
    let phases: Vec<(&str, &str)> =
        universe.run().children("").iter().map(|item| (item.id.as_str(), item.name.as_str())).collect();
    let expected =
        [("P01", "ANALYZING"), ("P02", "STRATEGIZING"), ("P03", "REFINING_CONTENT"), ("P04", "GENERATING_OUTPUT")];
    assert_eq!(phases, expected);
    let steps: [(&[&str], Course); 3] = [
        (&["Answered", "Constituted", "Completed T02", "Assigned catalog T03"], Course::Preparing),
        (&["Catalogued", "Completed T03", "Assigned execute T04"], Course::Preparing),
        (&["Worked T04", "Completed T04", "Assigned plan P01"], Course::Working),
    ];
    for (number, (facts, course)) in steps.into_iter().enumerate() {
        let decision = if number == 0 { universe.confirm() } else { universe.next() };
        assert_eq!(kinds(&decision.facts), facts);
        assert_eq!((universe.run().course, universe.run().status), (course, Status::Pending));
    }
}

/// MV-08, MV-09: the proposal is said to the user, and nothing else happens until the answer.
#[test]
fn the_gate_holds() {
    let mut universe = started(&MULTIVERSE);
    universe.next();
    universe.next();
    let decision = universe.next();
    assert_eq!(decision.effects, [Effect::Say(Said::Proposal)]);
    assert!(universe.must(&Input::Wake).facts.is_empty());
    assert!(universe.run().attempts.is_empty());
}

/// MV-10: each answer, and what follows.
#[test]
fn each_verdict_has_its_way() {
    for (verdict, facts, course, status) in [
        (
            Verdict::Confirm,
            "Answered Constituted Completed T02 Assigned catalog T03",
            Course::Preparing,
            Status::Pending,
        ),
        (Verdict::Modify("shorter".into()), "Answered Assigned plan proposal", Course::Proposing, Status::Pending),
        (Verdict::NewRequest("a song".into()), "Answered Assigned plan proposal", Course::Proposing, Status::Pending),
        (Verdict::Cancel, "Answered Failed", Course::Over, Status::Failed),
    ] {
        let mut universe = at_gate();
        let decision = universe.must(&answer(verdict.clone()));
        assert_eq!(kinds(&decision.facts).join(" "), facts, "{verdict:?}");
        assert_eq!((universe.run().course, universe.run().status), (course, status), "{verdict:?}");
    }
}

/// MV-10: MODIFY any number of times; the words are kept; NEW_REQUEST forgets them.
#[test]
fn drafts_go_round_as_often_as_the_user_wishes() {
    let mut universe = at_gate();
    for number in 1..=5 {
        universe.must(&answer(Verdict::Modify(format!("wish {number}"))));
        assert_eq!(universe.run().wishes.len(), number);
        universe.next();
        assert_eq!(universe.run().course, Course::Gate);
    }
    universe.must(&answer(Verdict::NewRequest("a song".into())));
    assert_eq!((universe.run().request.as_str(), universe.run().wishes.len()), ("a song", 0));
    assert_eq!(universe.run().proposal, None);
    universe.next();
    universe.confirm();
    assert_eq!(universe.run().course, Course::Preparing);
}

/// MV-10: CANCEL ends the run with its cause.
#[test]
fn cancelled_by_the_user() {
    for input in [answer(Verdict::Cancel), Input::Cancel { by: "me".into() }] {
        let mut universe = at_gate();
        let decision = universe.must(&input);
        assert_eq!(
            universe.run().failure.as_ref().map(|failure| failure.error.as_str()),
            Some("cancelled by the user")
        );
        assert_eq!(decision.effects, [Effect::Say(Said::Failure)]);
    }
    let mut universe = at_first_task();
    let fence = universe.only().fence;
    let decision = universe.must(&Input::Cancel { by: "me".into() });
    assert_eq!(kinds(&decision.facts), ["Lost", "Failed"]);
    assert_eq!(decision.effects, [Effect::Stop(fence), Effect::Say(Said::Failure)]);
    assert!(universe.run().items.iter().all(|item| item.state != State::Failed), "what had not run stays PENDING");
}

/// MV-11: the instructions have ids of the run.
#[test]
fn what_was_agreed_becomes_law() {
    let mut universe = at_gate();
    let decision = universe.confirm();
    let Some(Fact::Constituted { item, ids }) = decision.facts.get(1) else { panic!("{:?}", decision.facts) };
    assert_eq!((item.as_str(), ids.as_slice()), ("T02", [format!("I-{RUN}-01"), format!("I-{RUN}-02")].as_slice()));
}

/// MV-20, MV-21, MV-22, MV-23, MV-35: the tools before, the core, the tools after; the files come with the status.
#[test]
fn a_task_with_tools_goes_in_order() {
    let mut universe = at_gate();
    universe.tasks = 1;
    universe.until(Universe::at_work(&Work::Plan(Target::Children("S01".into()))));
    let attempt = universe.only();
    let Outcome::Plan(mut rows) = universe.outcome(&attempt.work) else { panic!("a plan") };
    (rows[0].pre, rows[0].post) = ("before".into(), "after".into());
    universe.report(attempt.fence, Outcome::Plan(rows));
    for facts in [
        "Planned Assigned execute TT05_01",
        "Worked TT05_01 Completed TT05_01 Assigned execute TT05_02",
        "Worked TT05_02 Completed TT05_02 Assigned execute T05",
        "Worked T05 Assigned plan post T05",
        "Planned Assigned execute TT05_03",
        "Worked TT05_03 Completed TT05_03 Assigned execute TT05_04",
        "Worked TT05_04 Completed TT05_04 Completed T05 Completed S01 Assigned plan S02",
    ] {
        let decision = universe.next();
        assert_eq!(kinds(&decision.facts).join(" "), facts);
        for fact in &decision.facts {
            match fact {
                Fact::Completed { item, files } if item.starts_with("TT") => {
                    assert_eq!(files[0].asset_type, "TOOL_OUTPUT");
                }
                Fact::Completed { item, files } if item == "T05" => assert_eq!(files[0].asset_type, "ANALYSIS_REPORT"),
                _ => {}
            }
        }
    }
    assert!(universe.run().worked.is_empty());
}

/// MV-18: an invalid plan, or a broken report, is sent back twice at most; then it is a failure with the problems.
#[test]
fn sent_back_twice_then_a_failure() {
    for outcome in [Outcome::Broken(vec!["no status".into()]), Outcome::Done { files: Vec::new() }] {
        let mut universe = at_first_task();
        for number in 2..=3 {
            let fence = universe.only().fence;
            let decision = universe.report(fence, outcome.clone());
            assert_eq!(kinds(&decision.facts), ["SentBack", "Assigned execute T05"]);
            let attempt = universe.only();
            assert_eq!((attempt.number, attempt.fence, attempt.problems.len()), (number, fence + 1, 1));
        }
        let fence = universe.only().fence;
        let decision = universe.report(fence, outcome.clone());
        assert_eq!(kinds(&decision.facts), ["SentBack", "Failed"]);
        let failure = universe.run().failure.clone().expect("a failure");
        assert_eq!(failure.items, ["T05", "S01", "P01"]);
        assert!(failure.error.contains(if matches!(outcome, Outcome::Done { .. }) {
            "output_path"
        } else {
            "no status"
        }));
    }
}

/// Outcomes of the wrong kind are sent back, whatever the work.
#[test]
fn the_wrong_kind_of_outcome_is_sent_back() {
    let mut universe = started(&MULTIVERSE);
    let done = Outcome::Done { files: Vec::new() };
    let plan = Outcome::Plan(Vec::new());
    let catalog = Outcome::Catalog { files: Vec::new(), gone: Vec::new() };
    for (work, wrong) in [
        (Work::Plan(Target::Prelude), done.clone()),
        (Work::SetUp("T00".into()), plan.clone()),
        (Work::Plan(Target::Proposal), plan.clone()),
        (Work::Catalog("T03".into()), done),
        (Work::Execute("T04".into()), plan),
        (Work::Plan(Target::Children("P01".into())), catalog),
    ] {
        universe.until(Universe::at_work(&work));
        let fence = universe.only().fence;
        let decision = universe.report(fence, wrong);
        assert_eq!(kinds(&decision.facts)[0], "SentBack", "{work:?}");
        assert_eq!(universe.only().work, work);
    }
}

/// Lost work is handed out again, until it was lost too often.
#[test]
fn lost_work_is_handed_out_again() {
    let mut universe = at_first_task();
    universe.limits.lost = 2;
    for _ in 0..2 {
        let fence = universe.only().fence;
        let decision = universe.report(fence, Outcome::Lost("killed".into()));
        assert_eq!(kinds(&decision.facts), ["Lost", "Assigned execute T05"]);
    }
    let fence = universe.only().fence;
    assert_eq!(kinds(&universe.report(fence, Outcome::Lost("killed".into())).facts), ["Lost", "Failed"]);
}

/// MV-25, MV-38: a failure fails all that it belongs to at once; the others are stopped, the rest stays PENDING.
#[test]
fn fail_fast() {
    let mut universe = at_gate();
    (universe.jobs, universe.tasks) = (8, 4);
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    let attempts = universe.attempts();
    assert_eq!(attempts.len(), 3, "T06 waits for T05");
    let decision = universe.report(attempts[0].fence, Outcome::Failed("disk full".into()));
    assert_eq!(kinds(&decision.facts), ["Lost", "Lost", "Failed"]);
    let stops: Vec<Effect> = attempts[1..].iter().map(|attempt| Effect::Stop(attempt.fence)).collect();
    assert_eq!(decision.effects[..2], stops);
    assert_eq!(decision.effects[2], Effect::Say(Said::Failure));
    let run = universe.run();
    for (id, state) in [("T05", State::Failed), ("S01", State::Failed), ("P01", State::Failed)] {
        assert_eq!(run.item(id).map(|item| item.state), Some(state), "{id}");
    }
    for id in ["T06", "T07", "S02", "P02"] {
        assert_eq!(run.item(id).map(|item| item.state), Some(State::Pending), "{id}");
    }
    let failure = run.failure.clone().expect("a failure");
    assert_eq!((failure.doing.as_str(), failure.error.as_str()), ("T05", "disk full"));
    let current = run.current(&MULTIVERSE);
    assert_eq!((current.phase, current.stage, current.tasks), (Some("P01"), Some("S01"), vec!["T05"]));
}

/// MV-25: where a failure of each kind of work is.
#[test]
fn the_place_of_each_failure() {
    let tools = Work::Plan(Target::Tools("T06".into(), machine::Timing::Pre));
    let cases: [(Work, &[&str], &str); 7] = [
        (Work::Plan(Target::Prelude), &[], "phase:0"),
        (Work::Plan(Target::Proposal), &[], "proposal"),
        (Work::Execute("T04".into()), &["T04"], "T04"),
        (Work::Plan(Target::Children("P01".into())), &["P01"], "phase:P01"),
        (Work::Plan(Target::Children("S01".into())), &["S01", "P01"], "stage:S01"),
        (tools, &["T06", "S01", "P01"], "pre_tool:T06"),
        (Work::Execute("TT06_01".into()), &["TT06_01", "T06", "S01", "P01"], "TT06_01"),
    ];
    for (work, items, doing) in cases {
        let mut universe = started(&MULTIVERSE);
        universe.until(Universe::at_work(&work));
        let fence = universe.only().fence;
        universe.report(fence, Outcome::Failed("no".into()));
        let failure = universe.run().failure.clone().expect("a failure");
        assert_eq!(
            (failure.items.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), failure.doing.as_str()),
            (items, doing)
        );
    }
}

/// A question waits for a person; the answer goes with the work when it is handed out again.
#[test]
fn a_question_and_its_answer() {
    let mut universe = at_gate();
    universe.tasks = 1;
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    let fence = universe.only().fence;
    let decision = universe.report(fence, Outcome::Question("which?".into()));
    assert_eq!(
        (kinds(&decision.facts).join(" ").as_str(), decision.effects.as_slice()),
        ("Asked", [Effect::Say(Said::Question)].as_slice())
    );
    assert!(universe.must(&Input::Wake).facts.is_empty(), "nobody begins it meanwhile");
    assert_eq!(universe.run().current(&MULTIVERSE).tasks, ["T05"]);
    let decision = universe.must(&Input::Tell { fence: None, answer: "both".into(), by: "me".into() });
    assert_eq!(kinds(&decision.facts), ["Told", "Assigned execute T05"]);
    assert_eq!(universe.only().answers, [("which?".to_string(), "both".to_string())]);
    let fence = universe.only().fence;
    universe.report(fence, Outcome::Broken(vec!["x".into()]));
    assert_eq!(universe.only().answers.len(), 1, "and stays with it");
    universe.next();
    assert!(!universe.run().tries.contains_key("execute T05"), "what is done is forgotten");
}

/// An agent may ask for a pause; the run is paused, and its work is handed out again afterwards.
#[test]
fn pause_and_resume() {
    let mut universe = at_first_task();
    let fence = universe.only().fence;
    let decision = universe.report(fence, Outcome::Paused("no more tokens".into()));
    assert_eq!(kinds(&decision.facts), ["Lost", "Paused"]);
    assert!(universe.must(&Input::Wake).facts.is_empty());
    assert_eq!(kinds(&universe.must(&Input::Resume).facts), ["Resumed", "Assigned execute T05"]);
    assert_eq!(kinds(&universe.must(&Input::Pause { reason: "lunch".into() }).facts), ["Paused"]);
    assert_eq!(kinds(&universe.next().facts), ["Worked T05", "Completed T05"], "reports are still taken");
    assert_eq!(kinds(&universe.must(&Input::Resume).facts), ["Resumed", "Assigned plan pre T06"]);
}

/// MV-09: another process drives the run when the first is gone, and makes again what that one had begun.
#[test]
fn a_run_changes_hands() {
    let mut universe = at_first_task();
    let fence = universe.only().fence;
    universe.me = "p2".into();
    universe.alive = words(&["p1", "p2"]);
    let refusal = universe.give(&Input::Claim).expect_err("p1 is alive");
    assert!(refusal.reason.contains("p1") && refusal.hint.contains("p1"), "{refusal}");
    universe.alive = words(&["p2"]);
    assert!(universe.must(&Input::Wake).facts.is_empty(), "only who drives the run says that something is lost");
    let decision = universe.must(&Input::Claim);
    assert_eq!(kinds(&decision.facts), ["Driven", "Lost", "Assigned execute T05"]);
    assert_eq!(universe.only().holder, Holder::Process("p2".into()));
    universe.give(&Input::Report { fence, outcome: Outcome::Lost("x".into()) }).expect_err("the old fence is outdated");
    assert!(universe.must(&Input::Claim).facts.is_empty(), "again changes nothing");
}

/// A process lets go: what it had begun is free for the next.
#[test]
fn letting_go() {
    let mut universe = at_first_task();
    let fence = universe.only().fence;
    let decision = universe.must(&Input::Release);
    assert_eq!(kinds(&decision.facts), ["Lost", "Driven"]);
    assert_eq!(decision.effects, [Effect::Stop(fence)]);
    assert!(universe.must(&Input::Wake).facts.is_empty());
    assert_eq!(kinds(&universe.must(&Input::Claim).facts), ["Driven", "Assigned execute T05"]);
}

/// Who works is kept with the run: by whoever takes it up, and after that one let go.
#[test]
fn who_works_is_kept() {
    let cast = |name: &str, asked: &[&str]| Cast {
        names: [(Role::Executor, name.into())].into(),
        asked: asked.iter().map(|agent| AskedAgent { agent: (*agent).into(), folder: String::new() }).collect(),
        ..Cast::default()
    };
    let mut universe = at_first_task();
    universe.must(&Input::Release);
    universe.cast = cast("one", &["script:a"]);
    universe.must(&Input::Claim);
    assert_eq!(universe.run().cast, cast("one", &["script:a"]));
    universe.must(&Input::Release);
    assert_eq!(universe.run().cast, cast("one", &["script:a"]), "whoever let go is remembered");
    universe.cast = cast("two", &[]);
    universe.must(&Input::Claim);
    assert_eq!(universe.run().cast, cast("two", &["script:a"]), "who asks for nobody takes over who was asked for");
}

/// MV-09: an answer from a process that does not drive the run is its own facts only.
#[test]
fn inputs_from_elsewhere_assign_nothing() {
    let mut universe = at_gate();
    universe.me = "p2".into();
    universe.alive = words(&["p1", "p2"]);
    assert_eq!(kinds(&universe.confirm().facts), ["Answered"]);
    universe.me = "p1".into();
    assert_eq!(kinds(&universe.must(&Input::Wake).facts), ["Constituted", "Completed T02", "Assigned catalog T03"]);
}

/// A person has the work of a role that people play; the engine's own work stays its own.
#[test]
fn people_hold_attempts() {
    let mut universe = Universe::new(&MULTIVERSE);
    universe.people.insert(Role::Planner);
    universe.jobs = 0;
    universe.start();
    assert_eq!(universe.only().holder, Holder::Person, "and need no room");
    universe.jobs = 1;
    universe.next();
    assert_eq!(universe.only().holder, Holder::Process("p1".into()), "the folders are the engine's work");
    universe.next();
    let fence = universe.only().fence;
    (universe.me, universe.alive) = ("p2".into(), words(&["p2"]));
    universe.must(&Input::Claim);
    assert_eq!(universe.only().fence, fence, "a person outlives every process");
}

/// MV-27, MV-37: without a file in outputs, or without an agreed format, the last phase fails; with them the run ends.
#[test]
fn the_last_phase_must_publish() {
    for (is_published, formats, error) in [
        (false, vec![], Some("left no file in outputs/run-1/")),
        (true, vec!["pdf".to_string()], Some("left no .pdf in outputs/run-1/")),
        (true, vec![".MD".to_string()], None),
        (true, vec![], None),
    ] {
        let mut universe = at_gate();
        universe.formats = formats;
        universe.must(&answer(Verdict::Modify("formats".into())));
        universe.until(Universe::at_work(&Work::Plan(Target::Children("P04".into()))));
        while universe.run().course != Course::Over {
            let attempt = universe.only();
            let mut outcome = universe.outcome(&attempt.work);
            if let (Outcome::Plan(rows), false) = (&mut outcome, is_published) {
                for (number, row) in rows.iter_mut().enumerate().filter(|(_, row)| !row.output.is_empty()) {
                    row.inputs = vec!["assets/a.md".into()];
                    let first = row.name.split(' ').next().unwrap_or_default();
                    row.output = format!("workspace/GENERATING_OUTPUT/{first}_{number}_{}.md", attempt.fence);
                }
            }
            universe.report(attempt.fence, outcome);
        }
        let failure = universe.run().failure.clone();
        match error {
            Some(error) => {
                let failure = failure.expect("a failure");
                assert!(failure.error.contains(error), "{failure:?}");
                assert_eq!(failure.items, ["P04"]);
            }
            None => assert_eq!((failure, universe.run().status), (None, Status::Completed)),
        }
    }
}

/// A new run takes over what the failed one did, with its own paths, and goes on where that failed.
#[test]
fn retry_goes_on_where_it_failed() {
    let mut old = at_first_task();
    old.next();
    old.until(Universe::at_work(&Work::Execute("T06".into())));
    let fence = old.only().fence;
    old.report(fence, Outcome::Failed("no".into()));
    let decision = machine::retry(&MULTIVERSE, "run-2", old.run(), &old.world(), &old.limits).expect("a failed run");
    assert_eq!(kinds(&decision.facts), ["Started", "Driven", "TakenOver", "Assigned set_up T00"]);
    let mut run = None;
    decision.facts.iter().for_each(|fact| machine::apply(&MULTIVERSE, &mut run, "run-2", fact));
    old.jobs = 0;
    let set_up = Input::Report { fence: 1, outcome: Outcome::Done { files: Vec::new() } };
    let decision = machine::decide(&MULTIVERSE, run.as_ref(), "run-2", &set_up, &old.world(), &old.limits);
    let decision = decision.expect("a report");
    assert_eq!(kinds(&decision.facts), ["Worked T00", "Completed T00", "Assigned execute T06"]);
    let run = run.expect("a run");
    assert_eq!(run.retry_of.as_deref(), Some(RUN));
    let (done, next) = (run.item("T05").expect("T05"), run.item("T06").expect("T06"));
    assert_eq!(done.state, State::Completed);
    assert_eq!(done.output, "runs/run-2/workspace/ANALYZING/S01_1.md");
    assert_eq!(next.inputs, std::slice::from_ref(&done.output));
    assert_eq!((next.state, run.item("S01").map(|item| item.state)), (State::Pending, Some(State::Pending)));
    let complaint = machine::retry(&MULTIVERSE, "run-3", &run, &old.world(), &old.limits).expect_err("it is under way");
    assert!(complaint.reason.contains("FAILED"), "{complaint}");
}
