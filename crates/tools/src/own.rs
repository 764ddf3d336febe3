//! Commands of the user's own, from the user's own settings: they run with the user's own rights, as they would in the
//! user's shell, and nothing that an agent says ever becomes one.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Runs a shell command to its end and gives what it printed. Its standard error goes nowhere: it may hold a secret.
pub fn own_command(command: &str, folder: &Path) -> io::Result<(ExitStatus, Vec<u8>)> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    let ended = shell.output()?;
    Ok((ended.status, ended.stdout))
}
