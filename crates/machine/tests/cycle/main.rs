//! What follows in the loop machine: routes, gates, limits, whole cycles, and schedules of chance.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

mod answers;
mod digest;
mod driver;
mod limits;
mod random;
mod routes;
mod walk;
