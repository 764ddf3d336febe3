//! The only spawner of processes: starts a program confined, bounds it, and ends its whole tree (QL-30, QL-31, QL-32).
//!
//! Owns the launcher: our own binary started again as `__launch`, a process of one thread between the engine and the
//! program. It takes in whatever the program leaves behind (it is their subreaper), and when the program ends, is
//! stopped, runs out of time, or the engine dies, it ends everything that descends from it before it answers. Must not
//! know what an agent, a brief or a run is: programs, paths, bytes and limits only.
//!
//! Where the system lets its users have namespaces, all this happens in one of its own, which the kernel ends in one
//! stroke. Elsewhere the launcher ends process by process until none is left; one that multiplies in ever new sessions
//! on a busy machine can then outrun it, which is a fault ([`LaunchFault::NotEnded`]).
//!
//! What is enforced (docs/security.md has the whole list, with the attempts that were made on it):
//!
//! - **Files**, with Landlock (Linux 6.2 and later; [`probe`] says what this kernel does): they are opened, listed,
//!   executed, created, linked, renamed, truncated and removed only where the [`Confinement`] says so. The kernel looks
//!   at the file itself, so `..`, links made during the run and `/proc/self/root` lead nowhere. Without it nothing runs.
//! - **System calls** that reach into other processes, mounts, namespaces and the kernel are refused, and with
//!   [`Network::Closed`] all that connects to anybody; calls of another architecture end the program.
//! - **Namespaces**, where the system lets its users have them: all but the writable folders is mounted read-only,
//!   sockets of others are hidden, processes end in one stroke, a closed network is an empty one.
//! - **Bounds** of memory, processes and disk hold for the whole tree (see [`Bounds`]); time, output and files for each.
//!   The kernel holds it to the number of processes and, where a control group can be made, to its memory.
//! - No new privileges, of root's powers only those over its files, no core files, no descriptor of the engine, no
//!   variable that was not given, no controlling terminal, files made are private to the user.
//!
//! [`gaps`] says what of it a machine cannot do. **Names and attributes** can be asked for by `stat` and `readlink`
//! everywhere: that a file exists, its size.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

mod background;
pub mod battery;
mod bounds;
mod boxes;
mod cage;
#[cfg(target_os = "linux")]
mod calls;
mod confinement;
mod converse;
mod fault;
mod find;
mod functions;
pub mod fuzz;
mod gaps;
pub mod git;
mod grants;
#[cfg(target_os = "linux")]
mod group;
mod growth;
mod launch;
mod launcher;
mod lines;
mod log_tools;
pub mod mcp;
#[cfg(target_os = "linux")]
mod namespaces;
mod own;
mod post;
mod sandbox;
mod secret;
mod stop;
mod toolbox;
mod tree;
pub mod web;
mod wire;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use bounds::{Bound, Bounds, Network};
pub use boxes::Boxes;
pub use confinement::Confinement;
pub use converse::{Conversation, converse};
pub use fault::LaunchFault;
pub use find::find_program;
pub use functions::{Desk, Functions, ShellRules, Writable};
pub use gaps::gaps;
pub use grants::{Decision, Effect, GrantProblem, Granted, Grants, Rule, Verdict, answered, question, written_out};
pub use launch::{launch, launch_heard, launch_through, launch_watched};
pub use launcher::be_launcher_if_asked;
pub use lines::LINE_BYTES;
pub use log_tools::{LogKeeper, LogTools};
pub use own::own_command;
pub use post::post_json;
pub use sandbox::{Sandbox, accept_no_confinement, probe};
pub use secret::Secret;
pub use stop::{Stop, Waiting};
pub use toolbox::{Tool, ToolAnswer, ToolCall, Toolbox, Went};

/// A program to start, and all that it gets.
#[derive(Debug, Clone)]
pub struct Launch {
    /// A path, taken from `folder` if it is relative; or a name, looked for on the `PATH` of `environment`.
    /// The program's own file may be read and executed without being named in `confinement`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// Exactly this; nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// Where the program starts.
    pub folder: PathBuf,
    /// What the program finds on its standard input; it need not read it.
    pub input: Vec<u8>,
    pub confinement: Confinement,
    pub network: Network,
    pub bounds: Bounds,
    pub limits: LaunchLimits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchLimits {
    pub time: Duration,
    /// The most that standard output may hold; more ends the program.
    pub output_bytes: usize,
    /// The most of standard error that is kept; the rest is read and dropped.
    pub log_bytes: usize,
    /// From asking the program to end (SIGTERM) to ending it (SIGKILL).
    pub grace: Duration,
}

/// What was left when the program and all that it started were gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub how: How,
    /// Standard output, up to its limit.
    pub output: Vec<u8>,
    /// Standard error, up to its limit.
    pub log: Vec<u8>,
    /// Whether there was more on standard error than is kept.
    pub log_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Exit(i32),
    /// Ended by a signal that did not come from here.
    Signal(i32),
    TimedOut,
    /// Somebody asked for it through [`Stop`].
    Stopped,
    /// More output than allowed.
    Flooded,
    /// The tree grew beyond one of its [`Bounds`].
    Outgrew(Bound),
}
