//! A machine that fails on purpose: a disk that loses what was not synced, processes that stop at any call, a clock
//! that jumps. The store runs on it unchanged. One seed, one history; nothing here is shipped.
//!
//! - `content` and `names`: what is now and what is on the platter; `loss`: what a power loss leaves.
//! - `disk`: both together, with handles and locks, as a kernel has them.
//! - `schedule`: which process goes on; `faults`: what goes wrong and when; `kernel`: one call through all of it.
//! - `machine`, `sim_fs`, `person`: what tests use.

pub mod contract;
pub mod driver;

mod call;
mod clock;
mod content;
mod disk;
mod failure;
mod faults;
mod kernel;
mod loss;
mod machine;
#[cfg(test)]
mod machine_tests;
mod names;
mod person;
mod random;
mod schedule;
mod sim_fs;

pub use call::Operation;
pub use faults::{Injection, Moment, Stop, Victim};
pub use loss::LossMode;
pub use machine::{Machine, Outcome, Program};
pub use names::Special;
pub use person::{Edit, Person};
pub use random::Random;
pub use sim_fs::{SimFile, SimFs};
