//! Models behind their wires: replies that were recorded from a real server, replies by the books of the providers, and
//! everything that can be wrong with either. No network but loopback, no waiting.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test ends where it fails"
)]

mod bad_input;
mod recorded;
mod scene;
mod server;
mod taped;
mod tools_at_work;
mod wires;
