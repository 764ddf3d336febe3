//! CY-11: what an agent is told stays small, however long the cycle goes on.

use machine::cycle::{Outcome, Stage, Standing, Word, Work};

use crate::driver::{Universe, judged};

/// All that a brief tells of the record, in bytes.
fn told(universe: &Universe) -> usize {
    let (digest, turns) = universe.cycle().told();
    let turns: usize = turns.iter().map(|turn| serde_json::to_string(turn).expect("a turn").len()).sum();
    digest.iter().map(String::len).sum::<usize>() + turns
}

fn loops(universe: &mut Universe, until: u32) {
    while universe.cycle().loop_number < until {
        universe.limits.insufficient = 1000;
        universe.limits.loops = 1000;
        let long = "a rather long summary of what happened in this loop, with reasons and more reasons ".repeat(4);
        let outcome = match judged(Word::Insufficient, Standing::Progressing) {
            Outcome::Judged { mut said, word, standing, findings } => {
                said.summary = format!("{long}{}", universe.cycle().loop_number);
                said.response = long.repeat(50);
                Outcome::Judged { said, word, standing, findings }
            }
            other => other,
        };
        universe.until(Work::Judge(Stage::Loop)).report(outcome);
    }
    universe.until(Work::Plan(Stage::Loop));
}

/// CY-11: the context of loop 50 against that of loop 2, and of loop 400 against that of loop 50.
#[test]
fn cy11_loop_50_is_told_what_loop_2_is_and_a_few_lines() {
    let mut universe = Universe::new();
    universe.limits.loops = 1000;
    universe.start();
    loops(&mut universe, 2);
    let second = told(&universe);
    loops(&mut universe, 20);
    let twentieth = told(&universe);
    loops(&mut universe, 50);
    let fiftieth = told(&universe);
    let lines = 5 * 130;
    assert!(fiftieth < second + lines, "{second} bytes in loop 2, {fiftieth} in loop 50");
    assert!(fiftieth < twentieth + 64, "{twentieth} bytes in loop 20, {fiftieth} in loop 50");
    loops(&mut universe, 400);
    assert!(told(&universe) < fiftieth + 64, "flat from there on");
    let state = serde_json::to_string(universe.cycle()).expect("a state").len();
    assert!(state < 32 * 1024, "{state} bytes of state");
    let (digest, turns) = universe.cycle().told();
    assert_eq!(digest[0], "394 earlier loops: 0 PASS, 394 INSUFFICIENT, 0 FAIL");
    assert!(digest[1].starts_with("loop 395: INSUFFICIENT: planned; a rather long"), "{}", digest[1]);
    assert!(digest[4].starts_with("loop 398: "), "{}", digest[4]);
    assert_eq!(digest.len(), 5);
    let laps: Vec<_> = turns.iter().map(|turn| turn.signature.to_string()).collect();
    assert_eq!(laps, ["1:399:1", "1:399:2", "1:399:3"], "the last loop in full");
    assert!(turns.iter().all(|turn| turn.response.is_empty()), "responses stay in the record");
}

/// A digest cuts between characters, and keeps to one line.
#[test]
fn cy11_lines_are_cut_between_characters() {
    let mut universe = Universe::new();
    universe.limits.insufficient = 1000;
    universe.start();
    for _ in 0..5 {
        let outcome = match judged(Word::Insufficient, Standing::Progressing) {
            Outcome::Judged { mut said, word, standing, findings } => {
                said.summary = "가나다라🚀".repeat(40) + "\nsecond line";
                Outcome::Judged { said, word, standing, findings }
            }
            other => other,
        };
        universe.until(Work::Judge(Stage::Loop)).report(outcome);
    }
    let (digest, _) = universe.cycle().told();
    assert!(!digest.is_empty());
    for line in digest {
        assert!(line.len() < 200 && !line.contains('\n'), "{line}");
    }
}
