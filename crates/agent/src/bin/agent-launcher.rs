//! The launcher that this crate's tests start processes through: their own binary does not begin with it. Owns nothing.

use std::process::ExitCode;

fn main() -> ExitCode {
    tools::be_launcher_if_asked().unwrap_or(ExitCode::FAILURE)
}
