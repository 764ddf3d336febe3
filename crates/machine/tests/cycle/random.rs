//! Schedules of chance: agents that do anything, processes that die, people who say anything at any time. Seeds are named.

use std::collections::BTreeSet;

use machine::cycle::{
    Check, CheckEnd, Deed, Fact, Findings, Ground, Input, Lap, Measured, Outcome, Party, Place, Plan, Said, Signature,
    Standing, Turn, Upfront, Verdict, Word, Work, apply, valid_words,
};

use crate::driver::{RUN, Universe, plan};

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

fn said(chance: &mut Chance) -> Said {
    let confidence = u8::try_from(if chance.one_in(6) { chance.below(13) } else { 5 + chance.below(6) }).unwrap();
    let summary = if chance.one_in(40) { String::new() } else { "something happened".into() };
    Said { summary, confidence, ..Said::default() }
}

fn measured(chance: &mut Chance, commit: String) -> Measured {
    let files = ["a.md", "b.md", "docs/generated/x", "c.md"];
    let count = if chance.one_in(8) { chance.below(5) } else { 1 };
    Measured {
        lines: if chance.one_in(8) { 900 } else { 20 },
        files: files.iter().take(count).map(|file| (*file).to_string()).collect(),
        commit,
        strayed: if chance.one_in(12) { vec!["refs/heads/main".into()] } else { vec![] },
        wrong: if chance.one_in(20) { vec!["a name is wrong".into()] } else { vec![] },
    }
}

/// What fits the work, more often than not.
fn fitting(chance: &mut Chance, universe: &Universe, work: Work) -> Outcome {
    let commit = format!("c{}", universe.cycle().loop_number);
    match work {
        Work::Outline | Work::Plan(_) if chance.one_in(8) => {
            Outcome::Clarify { said: said(chance), question: "what?".into() }
        }
        Work::Outline | Work::Plan(_) => Outcome::Planned { said: said(chance), plan: plan() },
        Work::Act(_) if chance.one_in(5) => Outcome::Blocked { said: said(chance) },
        Work::Act(_) => {
            Outcome::Succeeded { said: said(chance), deed: Deed::default(), measured: measured(chance, commit) }
        }
        Work::Check(_) => {
            let end = match chance.below(6) {
                0 => CheckEnd::Exit(1),
                1 => CheckEnd::TimedOut,
                _ => CheckEnd::Exit(0),
            };
            Outcome::Checked { commit, checks: vec![Check { name: "tests".into(), end, tail: String::new() }] }
        }
        Work::Judge(_) => {
            let word = if chance.one_in(2) { Word::Pass } else { Word::Insufficient };
            let standing = if chance.one_in(2) { Standing::Sufficient } else { Standing::Progressing };
            let findings = Findings {
                subordinate: "x".into(),
                discrepancy: "x".into(),
                main_source: "x".into(),
                recommended: "x".into(),
                next_steps: String::new(),
            };
            Outcome::Judged { said: said(chance), word, standing, findings }
        }
        Work::Merge if chance.one_in(4) => Outcome::Conflicted { files: vec!["a.md".into()] },
        _ => universe.outcome(Standing::Progressing),
    }
}

fn outcome(chance: &mut Chance, universe: &Universe, work: Work) -> Outcome {
    match chance.below(24) {
        0 => Outcome::Lost("gone".into()),
        1 => Outcome::Failed("no".into()),
        2 => Outcome::Broken(vec!["bad".into()]),
        3 => Outcome::Later { seconds: 30, reason: "quota".into() },
        4 if chance.one_in(4) => Outcome::Paused("tired".into()),
        5 => Outcome::Planned { said: said(chance), plan: Plan::default() },
        _ => fitting(chance, universe, work),
    }
}

fn input(chance: &mut Chance, universe: &Universe) -> Input {
    if chance.one_in(12) {
        return match chance.below(7) {
            0 => Input::Claim,
            1 => Input::Release,
            2 => Input::Pause { reason: "x".into() },
            3 if chance.one_in(6) => Input::Cancel { by: "me".into() },
            4 => Input::Report { fence: chance.below(30) as u64, outcome: Outcome::Lost("x".into()) },
            5 => Input::Resume,
            _ => Input::Wake,
        };
    }
    match (&universe.cycle().attempt, universe.cycle().gate()) {
        (Some(attempt), _) => Input::Report { fence: attempt.fence, outcome: outcome(chance, universe, attempt.work) },
        (None, Some(gate)) => {
            let valid = valid_words(gate.asks);
            let word = match chance.below(6) {
                0 => Word::ALL[chance.below(Word::ALL.len())],
                1 => valid[chance.below(valid.len())],
                _ => valid[0],
            };
            let words = if chance.one_in(5) { "" } else { "some words" };
            Input::Answer { verdict: Verdict { word, words: words.into() }, by: "me".into(), shown: None }
        }
        (None, None) if universe.cycle().paused.is_some() => Input::Resume,
        (None, None) => Input::Claim,
    }
}

/// What must hold of every record.
fn check(universe: &Universe, seed: u64) {
    let turns = universe.turns();
    let mut seen = BTreeSet::new();
    let mut left_closing = 0;
    for (number, turn) in turns.iter().enumerate() {
        assert_eq!(turn.signature.party(), Some(turn.party), "seed {seed}: {} by {}", turn.signature, turn.party);
        assert_eq!(turn.word.party(), turn.party, "seed {seed}");
        let before = number.checked_sub(1).map(|before| turns[before]);
        let is_left = |before: &Turn| before.signature.lap > turn.signature.lap;
        // A Human's word lets the closing steps begin anew.
        let begins_anew = |before: &Turn| {
            before.party == Party::Human && before.signature.lap == Lap::Final && turn.signature.step == 1
        };
        left_closing += u32::from(before.is_some_and(|before| is_left(before) || begins_anew(before)));
        let is_human_again = turn.party == Party::Human && turn.signature.step == Signature::HUMAN_STEP;
        // Every turn is signed once, but for closing steps that are walked again.
        assert!(seen.insert((left_closing, turn.signature)) || is_human_again, "seed {seed}: {} twice", turn.signature);
        if let Some(before) = before {
            assert!(
                turn.party == Party::Human || before.next == Some(turn.party) || before.next == Some(Party::Human),
                "seed {seed}: {} {} after {} which names {:?}",
                turn.signature,
                turn.party,
                before.signature,
                before.next
            );
            if before.word == Word::Success && before.signature.step == 2 {
                assert!(matches!(turn.party, Party::Judge | Party::Human), "seed {seed}: the Judge is skipped");
            }
        }
        if turn.party != Party::Human && turn.confidence.is_some_and(|confidence| confidence < 5) {
            assert_eq!(turn.next, Some(Party::Human), "seed {seed}: {} is not sure", turn.signature);
        }
    }
    let (mut fence, mut approved, mut checks) = (0, BTreeSet::new(), None);
    for fact in &universe.facts {
        match fact {
            Fact::Assigned(attempt) => {
                assert!(attempt.fence > fence, "seed {seed}: fences rise");
                fence = attempt.fence;
            }
            Fact::Checked { checks: ran, .. } => checks = Some(ran.iter().all(|check| check.end.is_good())),
            Fact::Changed { measured } => {
                checks = None;
                assert!(
                    measured.lines <= 150 && measured.files.len() <= 2 && measured.strayed.is_empty(),
                    "seed {seed}"
                );
            }
            Fact::Turned { turn, .. } => {
                assert!(turn.word != Word::Pass || checks == Some(true), "seed {seed}: PASS without checks");
                approved.insert(turn.word);
            }
            Fact::Merged { .. } => assert!(approved.contains(&Word::MergeApproved), "seed {seed}: merged unasked"),
            Fact::Deleted { .. } => assert!(approved.contains(&Word::DeleteApproved), "seed {seed}: deleted unasked"),
            _ => {}
        }
    }
}

/// Whatever happens: no panic, records that make sense, and a replay that ends in the same state.
#[test]
fn schedules_of_chance() {
    let (mut ended, mut merged) = (0, 0);
    for seed in 0..400 {
        let mut chance = Chance(seed * 7919 + 1);
        let mut universe = Universe::new();
        universe.ground = if chance.one_in(4) { Ground::Files } else { Ground::Repository };
        universe.upfront = if chance.one_in(3) { Upfront::Asked } else { Upfront::NotAsked };
        universe.limits.loops = 12;
        universe.start();
        for step in 0..300 {
            if chance.one_in(20) {
                universe.me = format!("p{}", 1 + chance.below(3));
                universe.alive = BTreeSet::from([universe.me.clone()]);
            }
            if chance.one_in(10) {
                universe.now = machine::later(&universe.now, 40);
            }
            let input = input(&mut chance, &universe);
            if let Ok(decision) = universe.try_decide(&input) {
                let again = universe.try_decide(&input).expect("the same again");
                assert_eq!(decision, again, "seed {seed}: the same state and input give the same answer");
                universe.take(decision);
            }
            if step % 60 == 0 {
                assert_eq!(universe.replayed(), universe.cycle, "seed {seed}");
            }
            if universe.cycle().ending().is_some() {
                break;
            }
        }
        ended += u32::from(matches!(universe.cycle().place, Place::Over(_)));
        merged += u32::from(universe.facts.iter().any(|fact| matches!(fact, Fact::Merged { .. })));
        check(&universe, seed);
        assert_eq!(universe.replayed(), universe.cycle, "seed {seed}");
    }
    assert!(ended > 100 && merged > 20, "{ended} of 400 ended, {merged} merged: chance is not too harsh");
}

/// Facts in any order: `apply` ignores what makes no sense and never panics.
#[test]
fn facts_in_any_order() {
    let mut universe = Universe::started();
    let mut chance = Chance(5);
    for _ in 0..400 {
        let input = input(&mut chance, &universe);
        if let Ok(decision) = universe.try_decide(&input) {
            universe.take(decision);
        }
    }
    for seed in 0..200 {
        let mut chance = Chance(seed);
        let mut cycle = None;
        for _ in 0..200 {
            let fact = &universe.facts[chance.below(universe.facts.len())];
            apply(&mut cycle, RUN, fact);
            if let Some(cycle) = &cycle {
                let _ = (cycle.told(), cycle.gate(), cycle.is_closing());
            }
        }
    }
}
