//! The program `multiverse`. Owns nothing but the way into [`cli`].

mod cli;

use std::ffi::OsString;
use std::process::ExitCode;

/// A step makes many small things and lets go of them: a fifth of its time went into the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Agents are started by this program started again, which then is nothing else.
    if let Some(code) = tools::be_launcher_if_asked() {
        return code;
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    cli::run(&arguments).into()
}
