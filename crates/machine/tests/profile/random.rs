//! Chance, with a seed: whatever comes in whatever order, nothing panics, a replay ends in the same run, and a run ends
//! done with all its evidence.

use machine::profile::{Course, Fact, Input, Mode, Outcome, Seen, apply};

use crate::driver::{RUN, Team, gate, profile};

struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % most.max(1)
    }
}

fn disturb(chance: &mut Chance, team: &mut Team) {
    team.now = machine::later(&team.now, chance.below(20) as u64);
    let input = match chance.below(30) {
        0 => Input::Pause { reason: "x".into() },
        1 => Input::Release,
        2 => {
            team.me = format!("p{}", chance.below(1000) + 2);
            team.alive = [team.me.clone()].into();
            Input::Claim
        }
        3 => Input::Wake,
        4 => Input::Report { fence: 1, outcome: Outcome::Lost("late".into()) },
        5 => Input::Edited(Seen { step_index: Some(chance.below(9)), ..Seen::default() }),
        6 => gate(None, "maybe"),
        7 => Input::Reopen { gate: "MID".into(), reason: "x".into(), by: "ann".into() },
        _ => return,
    };
    let _ = team.give(&input);
}

fn work(chance: &mut Chance, team: &mut Team) {
    let is_review = team.on() == "check";
    match chance.below(12) {
        0 => team.report(Outcome::Lost("killed".into())),
        1 => team.report(Outcome::Broken(vec!["bad".into()])),
        2 if chance.below(2) == 0 => team.report(Outcome::Question("which?".into())),
        2 => {
            let mut outcome = team.good();
            if let Outcome::Done { question, .. } = &mut outcome {
                *question = Some(format!("colour {}?", chance.below(9)));
            }
            team.report(outcome);
        }
        3 => team.report(Outcome::Later { seconds: 3, reason: "x".into() }),
        4 => team.report(Outcome::Failed("no".into())),
        5 | 6 if is_review => team.ask_for_changes("again"),
        5 | 6 if team.on() == "test" => team.fail_integration(["author", "developer", "nobody"][chance.below(3)]),
        _ => team.do_well(),
    }
}

/// QL-20: random schedules end, done, with nothing missing.
#[test]
fn random_schedules_end_and_replay() {
    for seed in 1..60_u64 {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mode = if seed % 2 == 0 { Mode::Simulation } else { Mode::Realization };
        let mut team = Team::started(profile(mode), if seed % 3 == 0 { &["MID"] } else { &[] });
        let mut steps = 0;
        while !team.run().is_over() {
            steps += 1;
            assert!(steps < 3000, "seed {seed} does not end: {:?}", team.run());
            disturb(&mut chance, &mut team);
            let run = team.run();
            if run.is_over() {
                break;
            }
            let open = run.questions.iter().find(|question| question.is_open()).map(|question| question.id.clone());
            match (&run.course, open) {
                (Course::Gate(_), _) => team.gate(["yes", "no"][chance.below(2)]).unwrap(),
                (Course::Rejected(_), _) => team.gate("1").unwrap(),
                (Course::Undecided(id), _) => {
                    let question = Some(id.clone());
                    let answer = ["more", "accept", "reject", "more 3"][chance.below(4)].to_string();
                    let _ = team.give(&Input::Answer { question, answer, by: "ann".into() });
                }
                (Course::Working, _) if run.paused.is_some() => team.must(&Input::Resume),
                (Course::Working, _) if run.driver.is_none() => team.must(&Input::Claim),
                (Course::Working, _) if !run.attempts.is_empty() => work(&mut chance, &mut team),
                (Course::Working, Some(question)) => {
                    team.must(&Input::Answer { question: Some(question), answer: "yes".into(), by: "ann".into() });
                }
                (Course::Working, None) => {
                    team.now = machine::later(&team.now, 10);
                    team.must(&Input::Wake);
                }
                (Course::Done | Course::Cancelled, _) => {}
            }
        }
        assert_eq!(team.run().course, Course::Done, "seed {seed}");
    }
}

/// A journal whose facts were dropped, doubled or put in another order still folds without a panic.
#[test]
fn any_facts_fold() {
    let mut team = Team::started(profile(Mode::Realization), &["MID"]);
    team.until("check");
    team.ask_for_changes("x");
    team.until("mid");
    team.gate("no").unwrap();
    team.gate("yes").unwrap();
    team.report(Outcome::Failed("x".into()));
    team.answer("more").unwrap();
    team.until("test");
    team.fail_integration("author");
    let facts: Vec<Fact> = team.facts.clone();
    for seed in 1..400_u64 {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut run = None;
        apply(&mut run, RUN, &facts[0]);
        for _ in 0..60 {
            apply(&mut run, RUN, &facts[chance.below(facts.len())]);
        }
        let run = run.unwrap();
        let _ = (run.blocking(), run.missing(), run.phase_status(), run.realization_status(), run.missing_outputs());
    }
}
