//! RM-15: what a step costs does not depend on how many items there are. Counted in nodes of trees that are looked at, which
//! is all that there is to look at; never in time.

extern crate std;

use std::collections::BTreeSet;
use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use super::tree::count;
use super::{
    Beginning, CancelItem, ChangeItem, Decision, Fact, Ground, Group, Input, Limits, NewItem, Outcome, PlanChanges,
    Question, ReadItem, Reading, Session, Status, TaskReading, World, decide, start,
};
use crate::run::Cast;

/// How a roadmap of so many items looks.
type Shape = fn(usize) -> ReadItem;

const SHAPES: [(&str, Shape); 6] = [
    ("plain", |_| ReadItem::default()),
    ("a chain", |number| ReadItem {
        depends_on: if number > 1 { vec![(number - 1).to_string()] } else { vec![] },
        ..ReadItem::default()
    }),
    ("all claim one file", |_| ReadItem { claims: vec!["src/lib.rs".into()], ..ReadItem::default() }),
    ("each claims a file of its own", |number| ReadItem {
        claims: vec![format!("src/{number}")],
        ..ReadItem::default()
    }),
    ("nine of ten are done", |number| ReadItem {
        status: (number % 10 != 0).then_some(Status::Completed),
        ..ReadItem::default()
    }),
    ("in groups", |number| ReadItem { group: Some(format!("g{}", number % 10)), ..ReadItem::default() }),
];

struct Openings {
    cast: Cast,
    alive: BTreeSet<String>,
    stopped: BTreeSet<String>,
    limits: Limits,
}

impl Openings {
    fn world<'w>(&'w self, me: &'w str, free: usize) -> World<'w> {
        World {
            now: "2026-11-17T03:15:00Z",
            me,
            cast: &self.cast,
            alive: &self.alive,
            stopped: &self.stopped,
            free,
            people: const { &BTreeSet::new() },
            uuid: |opening, fence| format!("{opening}-{fence}"),
        }
    }

    fn begin(&self, shape: Shape, items: usize) -> Session {
        let named = |number: usize| ReadItem {
            key: number.to_string(),
            number: number.to_string(),
            title: format!("do {number}"),
            ..shape(number)
        };
        let group = |number: usize| Group { key: format!("g{number}"), title: format!("G {number}"), parent: None };
        let beginning = Beginning {
            name: "demo".into(),
            task_file: "a.task.md".into(),
            log_file: "a.log.md".into(),
            dirs: vec![],
            ground: Ground::Repository,
            quota: 50,
            period: None,
            period_key: String::new(),
            task: TaskReading { goal: "g".into(), questions: vec![] },
            log: Reading {
                groups: (0..10).map(group).collect(),
                items: (1..=items).map(named).collect(),
                ..Reading::default()
            },
            planned: "g".into(),
            asked: vec![],
            definition: String::new(),
            executor: "one".into(),
        };
        start("run", &beginning, &self.world("p1", 0), &self.limits).expect("it begins").session
    }
}

/// Everything that happens in a step of a session, one after another: what each looked at.
fn walk(shape: Shape, items: usize) -> Vec<(&'static str, u64)> {
    let mut openings = Openings {
        cast: Cast::default(),
        alive: ["p1", "p2"].map(String::from).into(),
        stopped: BTreeSet::new(),
        limits: Limits::default(),
    };
    let mut session = openings.begin(shape, items);
    let mut seen = Vec::new();
    let report = |session: &Session, outcome: Outcome| {
        let fence = session.attempts.last().map(|(fence, _)| *fence).expect("somebody works");
        Input::Report { fence, outcome }
    };
    let said = || String::from("so it went");
    let planned = |changes: PlanChanges| Outcome::Planned { changes, summary: said() };
    let mut step =
        |name: &'static str, openings: &Openings, session: &mut Session, me: &str, free: usize, input: Input| {
            let before = count::so_far();
            let decision: Decision = decide(Some(session), "run", &input, &openings.world(me, free), &openings.limits)
                .unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
            seen.push((name, count::so_far() - before));
            *session = decision.session;
        };
    step("taken", &openings, &mut session, "p1", 1, Input::Wake);
    step("nothing to do", &openings, &mut session, "p1", 0, Input::Wake);
    let pause = Outcome::Pending { summary: said(), is_blocker: false, partial: None };
    let input = report(&session, pause);
    step("paused, and taken again", &openings, &mut session, "p1", 1, input);
    openings.stopped.insert("p1".into());
    step("taken over", &openings, &mut session, "p2", 1, Input::Join { name: "two".into() });
    openings.stopped.clear();
    let input = report(&session, Outcome::Failed { summary: said() });
    step("failed", &openings, &mut session, "p2", 1, input);
    let add = NewItem { title: "new".into(), ..NewItem::default() };
    let failed = session.pool.troubled().map(|item| item.key.clone()).expect("one failed");
    let other = session.pool.last().filter(|item| item.key != failed).map(|item| item.key.clone());
    let claims = Some(vec!["docs".into()]);
    let other = other.map(|item| ChangeItem { item, claims, ..ChangeItem::default() });
    let change = [ChangeItem { item: failed, ..ChangeItem::default() }].into_iter().chain(other).collect();
    let changes = PlanChanges { add: vec![add.clone()], change, ..PlanChanges::default() };
    let input = report(&session, planned(changes));
    step("planned around, and taken", &openings, &mut session, "p2", 1, input);
    let default = PlanChanges { add: vec![add.clone()], ..PlanChanges::default() };
    let asked = Outcome::Asked { question: "which?".into(), default, summary: said(), partial: None };
    let input = report(&session, asked);
    step("asked", &openings, &mut session, "p2", 1, input);
    let done = Outcome::Done { summary: said(), commit: Some("c".into()), files: vec![] };
    let input = report(&session, done);
    step("done", &openings, &mut session, "p2", 1, input);
    let integrate = session.attempts.iter().find(|(_, one)| one.work.part().is_none()).map(|(fence, _)| *fence);
    let integrated = Outcome::Integrated { commit: "m".into(), checks: vec![] };
    let input = Input::Report { fence: integrate.expect("it is integrated"), outcome: integrated };
    step("completed", &openings, &mut session, "p2", 0, input);
    step("added by a person", &openings, &mut session, "p2", 0, Input::Add { item: add, by: "me".into() });
    let last = session.pool.last().map(|item| item.key.clone()).expect("an item");
    let input = Input::Move { item: last.clone(), after: Some("1".into()), group: None, by: "me".into() };
    step("moved by a person", &openings, &mut session, "p2", 0, input);
    let input = Input::CancelItem { item: last, reason: String::new(), by: "me".into() };
    step("cancelled by a person", &openings, &mut session, "p2", 0, input);
    let task = TaskReading { goal: "g2".into(), questions: vec![] };
    step("another goal", &openings, &mut session, "p2", 0, Input::TaskEdited(task));
    let input = report(&session, Outcome::Lost(said()));
    step("lost, and planned", &openings, &mut session, "p2", 1, input);
    session.pool.audit().unwrap();
    seen
}

/// Ten thousand items against ten: no step looks at more than the ways in the trees are longer, and none at all items.
#[test]
fn a_step_looks_at_few_items() {
    const MANY: usize = 10_000;
    for (shape, of) in SHAPES {
        for ((name, few), (_, many)) in walk(of, 10).into_iter().zip(walk(of, MANY)) {
            // The logarithm of 10,000 is four times that of ten.
            assert!(many <= 5 * few + 20, "{shape}, {name}: {few} nodes among 10 items, {many} among {MANY}");
            assert!(many < 1500, "{shape}, {name}: {many} nodes");
        }
    }
}

/// What is cancelled with something instead looks at what depended on it; a copy of a session looks at nothing.
#[test]
fn what_a_plan_touches() {
    let openings = Openings {
        cast: Cast::default(),
        alive: ["p1"].map(String::from).into(),
        stopped: BTreeSet::new(),
        limits: Limits::default(),
    };
    let session = openings.begin(SHAPES[1].1, 10_000);
    let before = count::so_far();
    let copy = session.clone();
    assert_eq!(count::so_far(), before);
    let cancel = CancelItem { item: "9990".into(), reason: String::new(), instead: vec!["9989".into()] };
    let changes = PlanChanges { cancel: vec![cancel], ..PlanChanges::default() };
    assert_eq!(super::problems_of(&copy, &changes, None, &openings.limits), Vec::<String>::new());
    assert!(count::so_far() - before < 2000, "{} nodes", count::so_far() - before);
}

/// Questions that nobody answers are not looked at, however many there are.
#[test]
fn open_questions_cost_nothing() {
    let openings = Openings {
        cast: Cast::default(),
        alive: ["p1"].map(String::from).into(),
        stopped: BTreeSet::new(),
        limits: Limits::default(),
    };
    let mut session = Some(openings.begin(SHAPES[0].1, 5000));
    for number in 1..=5000 {
        let question = Question {
            id: format!("q-{number}"),
            item: Some(number.to_string()),
            question: "which?".into(),
            default: String::new(),
            since: String::new(),
            answer: None,
            by: String::new(),
            reply: None,
        };
        super::apply(&mut session, "run", &Fact::Asked(question));
    }
    let session = session.expect("it is there");
    assert_eq!(session.questions.len(), 5000);
    let before = count::so_far();
    let decision =
        decide(Some(&session), "run", &Input::Wake, &openings.world("p1", 1), &openings.limits).expect("taken");
    let told = decision.session.question_of("1").map(|question| question.id.as_str());
    assert_eq!((decision.session.attempts.len(), told), (1, Some("q-1")));
    assert!(count::so_far() - before < 300, "{} nodes", count::so_far() - before);
}
