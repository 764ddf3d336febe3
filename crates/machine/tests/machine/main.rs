//! The machine as a specification: each table of cases stands for the requirements that it names.
#![allow(clippy::expect_used, clippy::panic, reason = "what serves the tests may fail as they do")]

mod budgets;
mod course;
mod driver;
mod edits;
mod learning;
mod lineage;
mod plans;
mod random;
mod refusals;
mod rests;
mod views;
mod walk;
