//! Runs one plan of the simulation by hand and shows what is left on the disk: `seed SEED PROCESSES STEPS SAVES
//! [kill|loss CALL STOP [MODE]]`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use sim::driver::{Accident, Plan, show};
use sim::{LossMode, Moment, Stop};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words[at].parse::<usize>().unwrap();
    let plan = Plan { seed: number(0) as u64, processes: number(1), steps: number(2), saves: number(3) };
    let moment = || Moment::Change(number(5) as u64);
    let accident = match words.get(4).map(String::as_str) {
        Some("kill") => Accident::Kill(moment(), Stop::ALL[number(6)]),
        Some("loss") => Accident::PowerLoss(moment(), Stop::ALL[number(6)], LossMode::ALL[number(7)]),
        _ => Accident::None,
    };
    println!("{}", show(plan, accident));
}
