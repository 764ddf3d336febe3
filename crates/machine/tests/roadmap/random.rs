//! Schedules of chance: several openings that die and stop at any time, agents that do anything, people who edit, answer
//! and command. After every step: one holder for an item, each item completed once, an equal state from facts alone and
//! from a checkpoint. Seeds are named.

use std::collections::{BTreeMap, BTreeSet};

use machine::roadmap::{
    Beginning, CancelItem, Ended, Fact, Ground, Input, NewItem, Outcome, Over, PlanChanges, ReadItem, ReadQuestion,
    Reading, Session, Status, TaskReading, Work, apply, move_between,
};

use crate::driver::{GOAL, RUN, Universe, add, beginning, change, read};

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }
}

/// A roadmap of chance: some depend on some before, some claim files.
fn roadmap(chance: &mut Chance) -> Vec<ReadItem> {
    let count = 1 + chance.below(14);
    let item = |number: usize, chance: &mut Chance| {
        let on = |chance: &mut Chance| (1 + chance.below(number.max(1))).to_string();
        let depends_on = match chance.below(4) {
            0 if number > 1 => vec![on(chance)].into_iter().filter(|on| *on != number.to_string()).collect(),
            _ => vec![],
        };
        let claims = match chance.below(4) {
            0 => vec![format!("src/{}", chance.below(3))],
            1 if chance.one_in(3) => vec!["src".to_string()],
            _ => vec![],
        };
        ReadItem { depends_on, claims, ..read(&number.to_string()) }
    };
    (1..=count).map(|number| item(number, chance)).collect()
}

fn changes(chance: &mut Chance, session: &Session) -> PlanChanges {
    let keys: Vec<String> = session.pool.items().map(|item| item.key.clone()).collect();
    let any = |chance: &mut Chance| keys.get(chance.below(keys.len() + 1)).cloned().unwrap_or_else(|| "99".into());
    let mut changes = PlanChanges::default();
    for _ in 0..chance.below(3) {
        let depends_on = if chance.one_in(2) { vec![any(chance)] } else { vec![] };
        let after = chance.one_in(2).then(|| any(chance));
        changes.add.push(NewItem { depends_on, after, ..add("", &[]) });
    }
    if chance.one_in(2) {
        let instead = if chance.one_in(2) { vec![any(chance)] } else { vec![] };
        changes.cancel.push(CancelItem { item: any(chance), reason: String::new(), instead });
    }
    if chance.one_in(2) {
        changes.change.push(change(&any(chance)));
    }
    changes
}

fn outcome(chance: &mut Chance, session: &Session, work: &Work) -> Outcome {
    let summary = String::from("so it went");
    match (chance.below(20), work) {
        (0, _) => return Outcome::Lost("killed".into()),
        (1, _) => return Outcome::Broken(vec!["bad".into()]),
        (2, _) => return Outcome::Later { seconds: 30, reason: "quota".into() },
        (3, _) if chance.one_in(6) => return Outcome::Paused("tired".into()),
        _ => {}
    }
    match work {
        Work::Plan(_) if chance.one_in(10) => Outcome::Failed { summary },
        Work::Plan(_) => {
            let changes = match session.pool.is_empty() {
                true => PlanChanges { add: vec![add("1", &[]), add("2", &["1"])], ..PlanChanges::default() },
                false => changes(chance, session),
            };
            Outcome::Planned { changes, summary }
        }
        Work::Do(_) => match chance.below(14) {
            0 => Outcome::Failed { summary },
            1 => Outcome::Pending { summary, is_blocker: true, partial: None },
            2 => Outcome::Pending { summary, is_blocker: false, partial: Some("kept".into()) },
            3 => {
                let default = changes(chance, session);
                Outcome::Asked { question: "which?".into(), default, summary, partial: None }
            }
            4 if chance.one_in(3) => {
                Outcome::Clashed { files: vec!["src/0".into()], with: String::new(), kept: "aside".into(), summary }
            }
            _ => Outcome::Done { summary, commit: Some("c".into()), files: vec![] },
        },
        Work::Integrate(_) => match chance.below(10) {
            0 => Outcome::Failed { summary },
            1 => {
                Outcome::Conflicted { with: "m".into(), item: None, files: vec!["src/1".into()], kept: "refs/c".into() }
            }
            _ => Outcome::Integrated { commit: "m".into(), checks: vec![] },
        },
    }
}

/// A log as a careless person would leave it.
fn scribbled(chance: &mut Chance, universe: &Universe) -> Reading {
    let mut reading = universe.reading();
    for _ in 0..=chance.below(3) {
        let at = chance.below(reading.items.len());
        match chance.below(8) {
            0 if !reading.items.is_empty() => drop(reading.items.remove(at)),
            1 => {
                let free = (1_u32..).map(|number| number.to_string());
                let key = free.into_iter().find(|key| reading.items.iter().all(|item| item.key != *key)).unwrap();
                let depends_on = if chance.one_in(2) { vec![chance.below(20).to_string()] } else { vec![] };
                reading.items.insert(at, ReadItem { depends_on, title: format!("by hand {key}"), ..read(&key) });
            }
            2 if !reading.items.is_empty() => reading.items[at].title = "other words".into(),
            3 if !reading.items.is_empty() => {
                reading.items[at].status = Some(Status::ALL[chance.below(5)]);
            }
            4 if !reading.items.is_empty() => {
                let item = reading.items.remove(at);
                let to = chance.below(reading.items.len() + 1);
                reading.items.insert(to, item);
            }
            5 if !reading.items.is_empty() => {
                reading.items[at].claims =
                    if chance.one_in(2) { vec![] } else { vec![format!("src/{}", chance.below(3))] };
            }
            6 if reading.items.len() > 1 => {
                let other = chance.below(reading.items.len());
                let (one, two) = (reading.items[at].key.clone(), reading.items[other].key.clone());
                (reading.items[at].key, reading.items[at].number) = (two.clone(), two);
                (reading.items[other].key, reading.items[other].number) = (one.clone(), one);
            }
            _ => {
                let group = machine::roadmap::Group { key: "g".into(), title: "G".into(), parent: None };
                if reading.groups.is_empty() {
                    reading.groups.push(group);
                }
                if let Some(item) = reading.items.get_mut(at) {
                    item.group = chance.one_in(2).then(|| reading.groups[0].key.clone());
                }
            }
        }
    }
    reading
}

fn input(chance: &mut Chance, universe: &Universe) -> Input {
    let session = universe.session();
    match chance.below(40) {
        0 => Input::Wake,
        1 => Input::Leave,
        2 if chance.one_in(8) => Input::Pause { reason: "x".into() },
        3 => Input::Edited { reading: scribbled(chance, universe), by: machine::roadmap::Editor::Person },
        4 => {
            let by = machine::roadmap::Editor::Agent { fence: chance.below(60) as u64, noted: None };
            Input::Edited { reading: scribbled(chance, universe), by }
        }
        5 if chance.one_in(3) => {
            let task = universe.task();
            let goal = if chance.one_in(3) { format!("goal-{}", chance.below(3)) } else { task.goal };
            let answer = |read: ReadQuestion| ReadQuestion { answer: Some("yes".into()), ..read };
            let questions = task.questions.into_iter().map(answer).collect();
            Input::TaskEdited(TaskReading { goal, questions })
        }
        6 => Input::Add { item: add("", &[]), by: "me".into() },
        7 => Input::CancelItem { item: chance.below(12).to_string(), reason: String::new(), by: "me".into() },
        8 => {
            let (item, after) = (chance.below(12).to_string(), chance.one_in(2).then(|| chance.below(12).to_string()));
            Input::Move { item, after, group: None, by: "me".into() }
        }
        9 => Input::ExitAsked { fence: chance.below(60) as u64, reason: "x".into() },
        10 => Input::Report { fence: chance.below(60) as u64, outcome: Outcome::Lost("x".into()) },
        11 => Input::Answer { question: None, answer: "yes".into(), by: "me".into() },
        13 | 14 if !session.outdated.is_empty() => {
            let late: Vec<u64> = session.outdated.iter().map(|(fence, _)| *fence).collect();
            Input::Report { fence: late[chance.below(late.len())], outcome: crate::driver::done() }
        }
        12 if chance.one_in(40) => Input::Cancel { by: "me".into() },
        _ if session.paused.is_some() => Input::Resume,
        _ if !session.members.contains(&universe.me) => Input::Join { name: format!("runner-{}", universe.me) },
        _ => {
            let all: Vec<(u64, Work)> =
                session.attempts.iter().map(|(fence, one)| (*fence, one.work.clone())).collect();
            match all.get(chance.below(all.len())) {
                Some((fence, work)) => Input::Report { fence: *fence, outcome: outcome(chance, session, work) },
                None => Input::Wake,
            }
        }
    }
}

/// What must hold of every state.
fn check_state(universe: &Universe, seed: u64) {
    let session = universe.session();
    session.pool.audit().unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
    let mut holders = BTreeMap::new();
    for (fence, attempt) in &session.attempts {
        assert!(*fence <= session.fence, "seed {seed}");
        if let Some(item) = attempt.work.item() {
            assert_eq!(holders.insert(item.to_string(), *fence), None, "seed {seed}: {item} has two holders");
            let item = session.pool.item(item).unwrap_or_else(|| panic!("seed {seed}: {item} is held and not there"));
            assert_eq!((item.status, item.holder), (Status::Locked, Some(*fence)), "seed {seed}: {}", item.key);
        }
    }
    for item in session.pool.items() {
        let is_held = item.holder.is_some() || item.queued.is_some();
        assert_eq!(item.status == Status::Locked, is_held, "seed {seed}: {item:?}");
        assert_eq!(item.status == Status::Locked, !item.executor.is_empty(), "seed {seed}: {item:?}");
    }
    let planners = session.attempts.iter().filter(|(_, one)| matches!(one.work, Work::Plan(_))).count();
    let integrators = session.attempts.iter().filter(|(_, one)| matches!(one.work, Work::Integrate(_))).count();
    assert!(planners <= 1 && integrators <= 1, "seed {seed}: {:?}", universe.works());
    assert!(session.over.is_none() || session.attempts.is_empty(), "seed {seed}");
    if session.over == Some(Over::Done) {
        assert!(session.pool.counts().is_complete() && session.progress() == 100, "seed {seed}");
    }
    let counts = session.pool.counts();
    assert_eq!(counts.all(), session.pool.len(), "seed {seed}");
}

/// Nothing that could be taken lies idle while this opening has a hand free (QL-07), and what it is told of that is true.
fn check_idle(universe: &Universe, seed: u64) {
    let session = universe.session();
    let Some(member) = session.members.get(&universe.me) else { return };
    let mine = session.attempts.iter().filter(|(_, one)| one.opening == universe.me && one.work.part().is_some());
    if mine.count() < universe.hands && !member.is_leaving && session.paused.is_none() {
        assert_eq!(session.next_work(&universe.limits), None, "seed {seed}: {}", universe.statuses());
        assert!(!session.has_work(&universe.me, &universe.limits), "seed {seed}: {}", universe.statuses());
    }
}

/// What must hold of the facts of one step, seen with the session before it.
fn check_facts(before: &Session, facts: &[Fact], alive: &BTreeSet<String>, seed: u64) {
    let mut session = Some(before.clone());
    for fact in facts {
        let now = session.as_ref().unwrap();
        match fact {
            Fact::Moved { item, from, to } => {
                assert!(move_between(*from, *to).is_some(), "seed {seed}: {from} to {to}");
                assert_eq!(now.pool.item(item).map(|item| item.status), Some(*from), "seed {seed}: {item}");
            }
            Fact::Assigned(attempt) => {
                assert!(attempt.fence > now.fence, "seed {seed}: fences rise");
                assert!(alive.contains(&attempt.opening), "seed {seed}: the dead take nothing");
                if let Work::Do(item) = &attempt.work {
                    let item = now.pool.item(item).unwrap();
                    let is_free = item
                        .depends_on
                        .iter()
                        .all(|on| now.pool.item(on).is_some_and(|on| on.status == Status::Completed));
                    assert!(item.status == Status::Pending && is_free, "seed {seed}: {item:?}");
                    assert_eq!(now.pool.clash_of(&item.key), None, "seed {seed}: BY-10");
                }
            }
            Fact::Logged(entry) => {
                assert_eq!(entry.number, now.log_number + 1, "seed {seed}: entries are numbered in a row");
                assert!(!entry.summary.is_empty() && !entry.objective.is_empty(), "seed {seed}: RM-18");
            }
            _ => {}
        }
        apply(&mut session, RUN, fact);
    }
}

fn completed(facts: &[Fact]) -> usize {
    facts.iter().filter(|fact| matches!(fact, Fact::Moved { to: Status::Completed, .. })).count()
}

/// Whatever happens: no panic, what must hold holds, and a replay ends in the same state.
#[test]
fn schedules_of_chance() {
    let (mut ends, mut taken_over, mut refused) = (BTreeMap::new(), 0, 0);
    for seed in 0..80_u64 {
        let mut chance = Chance(seed * 7919 + 1);
        let mut universe = Universe::new();
        universe.hands = 1 + chance.below(3);
        let ground = if chance.one_in(2) { Ground::Repository } else { Ground::Files };
        let (items, planned) = if chance.one_in(4) { (vec![], "") } else { (roadmap(&mut chance), GOAL) };
        universe.start(&Beginning { ground, planned: planned.into(), ..beginning(items) });
        for step in 0..200 {
            if chance.one_in(3) {
                universe.me = format!("p{}", 1 + chance.below(4));
                universe.alive.insert(universe.me.clone());
                universe.stopped.remove(&universe.me);
            }
            if chance.one_in(5) {
                let other = format!("p{}", 1 + chance.below(4));
                if other != universe.me {
                    let set = if chance.one_in(2) { &mut universe.alive } else { &mut universe.stopped };
                    if !set.remove(&other) {
                        set.insert(other);
                    }
                }
            }
            if chance.one_in(4) {
                universe.now = machine::later(&universe.now, 20);
            }
            let input = input(&mut chance, &universe);
            if let Ok(decision) = universe.try_decide(&input) {
                let again = universe.try_decide(&input).expect("the same again");
                assert_eq!(decision, again, "seed {seed}: the same state and input give the same answer");
                check_facts(universe.session(), &decision.facts, &universe.alive, seed);
                universe.take(decision);
                check_idle(&universe, seed);
            }
            check_state(&universe, seed);
            if step % 50 == 0 {
                assert_eq!(universe.replayed().as_ref(), universe.session.as_ref(), "seed {seed}");
            }
            if step % 10 == 0 {
                let restored = universe.restored();
                assert_eq!(restored, *universe.session(), "seed {seed}");
                // From here on it goes on from the checkpoint: nothing depends on how it was kept in memory.
                universe.session = Some(restored);
            }
            if universe.session().over.is_some() {
                break;
            }
        }
        assert_eq!(universe.replayed().as_ref(), universe.session.as_ref(), "seed {seed}");
        *ends.entry(format!("{:?}", universe.session().over)).or_insert(0) += 1;
        let took = |fact: &&Fact| matches!(fact, Fact::Ended { how: Ended::TakenOver(_), .. });
        taken_over += universe.facts.iter().filter(took).count();
        refused += universe.facts.iter().filter(|fact| matches!(fact, Fact::Refused { .. })).count();
    }
    assert!(taken_over > 130 && refused > 30, "{taken_over} taken over, {refused} refused: chance is too kind");
    assert!(ends.get("Some(Done)").is_some_and(|count| *count > 12), "{ends:?}: chance is too harsh");
    assert!(ends.contains_key("Some(Deadlock)"), "{ends:?}");
}

/// RM-10 as it is asked for: nobody but the openings' deaths disturbs, and each item is completed exactly once, none is lost,
/// and the end is that of an undisturbed run.
#[test]
fn every_item_exactly_once() {
    for seed in 0..200_u64 {
        let mut chance = Chance(seed * 104_729 + 7);
        let items = roadmap(&mut chance);
        let count = items.len();
        let mut universe = Universe::new();
        let ground = if chance.one_in(2) { Ground::Repository } else { Ground::Files };
        universe.start(&Beginning { ground, ..beginning(items) });
        let mut late: Vec<u64> = Vec::new();
        for _ in 0..5000 {
            if universe.session().over.is_some() {
                break;
            }
            let opening = format!("p{}", 1 + chance.below(5));
            if opening != universe.me && chance.one_in(4) {
                // Killed: its reports never come. Or stopped: they come late.
                let is_stopped = chance.one_in(2);
                let old = std::mem::replace(&mut universe.me, opening.clone());
                universe.alive.insert(opening.clone());
                universe.stopped.remove(&opening);
                if is_stopped {
                    late.extend(
                        universe
                            .session()
                            .attempts
                            .iter()
                            .filter(|(_, one)| one.opening == old)
                            .map(|(fence, _)| *fence),
                    );
                    universe.stopped.insert(old);
                } else {
                    universe.alive.remove(&old);
                    universe.stopped.remove(&old);
                }
            }
            universe.join(&universe.me.clone());
            if let Some(fence) = late.pop().filter(|_| chance.one_in(2))
                && let Ok(decision) = universe.try_decide(&Input::Report { fence, outcome: crate::driver::done() })
            {
                universe.take(decision);
            }
            let mine: Vec<(u64, Work)> = universe
                .session()
                .attempts
                .iter()
                .filter(|(_, one)| one.opening == universe.me)
                .map(|(fence, one)| (*fence, one.work.clone()))
                .collect();
            if let Some((fence, work)) = mine.get(chance.below(mine.len())) {
                let outcome = match work {
                    Work::Integrate(_) => Outcome::Integrated { commit: "m".into(), checks: vec![] },
                    _ => crate::driver::committed("c"),
                };
                universe.must(&Input::Report { fence: *fence, outcome });
            }
            check_state(&universe, seed);
        }
        assert_eq!(universe.session().over, Some(Over::Done), "seed {seed}: {}", universe.statuses());
        assert_eq!(completed(&universe.facts), count, "seed {seed}: each exactly once");
        assert_eq!(universe.session().pool.counts().completed, count, "seed {seed}: none is lost");
        let succeeded = universe.entries().len();
        assert_eq!(succeeded, count, "seed {seed}: one entry for each");
    }
}

/// Facts in any order: `apply` ignores what makes no sense and never panics.
#[test]
fn facts_in_any_order() {
    let mut facts = Vec::new();
    for seed in 0..20 {
        let mut chance = Chance(seed + 5);
        let mut universe = Universe::new();
        universe.hands = 2;
        let items = roadmap(&mut chance);
        universe.start(&Beginning { ground: Ground::Repository, ..beginning(items) });
        for _ in 0..150 {
            universe.me = format!("p{}", 1 + chance.below(3));
            let input = input(&mut chance, &universe);
            if let Ok(decision) = universe.try_decide(&input) {
                universe.take(decision);
            }
        }
        facts.extend(universe.facts);
    }
    for seed in 0..200 {
        let mut chance = Chance(seed);
        let mut session = None;
        for _ in 0..200 {
            let fact = &facts[chance.below(facts.len())];
            apply(&mut session, RUN, fact);
            if let Some(session) = &session {
                session.pool.audit().unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
                let _ = (session.progress(), session.waiting(&machine::roadmap::Limits::default()).len());
            }
        }
    }
}
