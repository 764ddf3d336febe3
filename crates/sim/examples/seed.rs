//! Runs one line of `tests/seeds/` by hand and shows what is left on the disk: `seed 'rows 15 3 8 4: kill 7 After'`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use sim::driver::{Plan, show};

fn main() {
    let line = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    println!("{}", show(&line.parse::<Plan>().unwrap()));
}
