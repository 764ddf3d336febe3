//! The program `multiverse`. Owns nothing but the way into [`cli`].

mod allocator;
mod cli;

use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    // Agents are started by this program started again, which then is nothing else.
    if let Some(code) = tools::be_launcher_if_asked() {
        return code;
    }
    let arguments: Vec<OsString> = std::env::args_os().collect();
    cli::run(&arguments).into()
}
