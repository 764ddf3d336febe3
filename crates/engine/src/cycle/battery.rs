//! The test battery (CY-05): named commands, run by the engine on a copy of what the Actor left, confined and bounded, their
//! exit codes and the end of their output kept as evidence. What did not run is said not to have run. Must not judge.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use machine::cycle::{Check, CheckEnd};
use tools::{Bounds, Confinement, Ended, How, Launch, LaunchLimits, Network, Stop, launch};

use super::settings::BatteryCheck;

/// The most that a command may print, and what is kept of its end, in bytes.
const OUTPUT_BYTES: usize = 16 << 20;
const TAIL_BYTES: usize = 2000;
const GRACE: Duration = Duration::from_secs(2);

/// Runs commands, one after the other, in a folder. All of it is theirs; `read` names what else they may look at.
pub(super) fn run(
    checks: &[BatteryCheck],
    folder: &Path,
    read: &[PathBuf],
    stop: &Stop,
    say: &dyn Fn(&str),
) -> Vec<Check> {
    let mut ran = Vec::with_capacity(checks.len());
    for check in checks {
        if stop.is_stopped() {
            break;
        }
        say(&format!("check {}: {}", check.name, check.command));
        ran.push(run_one(check, folder, read, stop));
    }
    ran
}

fn run_one(check: &BatteryCheck, folder: &Path, read: &[PathBuf], stop: &Stop) -> Check {
    let home = folder.parent().unwrap_or(folder).join("home");
    let ended = std::fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display())).and_then(|()| {
        let mut confinement = Confinement::system();
        confinement.read.extend(read.iter().cloned());
        confinement.write.extend([folder.to_path_buf(), home.clone()]);
        let launched = Launch {
            program: "/bin/sh".into(),
            // What is printed to either stream belongs together.
            arguments: vec!["-c".into(), format!("exec 2>&1\n{}", check.command).into()],
            environment: environment(&home),
            folder: folder.into(),
            input: Vec::new(),
            confinement,
            network: Network::Closed,
            bounds: Bounds::default(),
            limits: LaunchLimits {
                time: Duration::from_secs(check.seconds.max(1)),
                output_bytes: OUTPUT_BYTES,
                log_bytes: TAIL_BYTES,
                grace: GRACE,
            },
        };
        launch(&launched, stop).map_err(|fault| fault.to_string())
    });
    let name = check.name.clone();
    match ended {
        Ok(ended) => Check { name, end: end_of(&ended), tail: tail_of(&ended.output) },
        Err(reason) => Check { name, end: CheckEnd::NotRun(reason), tail: String::new() },
    }
}

fn end_of(ended: &Ended) -> CheckEnd {
    match ended.how {
        // A shell says so of a program that it does not find, or may not start.
        How::Exit(code @ (126 | 127)) => CheckEnd::NotRun(format!("the command cannot be run (exit code {code})")),
        How::Exit(code) => CheckEnd::Exit(code),
        How::TimedOut => CheckEnd::TimedOut,
        How::Signal(signal) => CheckEnd::NotRun(format!("it was ended by signal {signal}")),
        How::Stopped => CheckEnd::NotRun("it was stopped".into()),
        How::Flooded => CheckEnd::NotRun(format!("it was ended, for it printed more than {OUTPUT_BYTES} bytes")),
        How::Outgrew(bound) => CheckEnd::NotRun(format!("it was ended, for it outgrew its limit of {}", bound.word())),
    }
}

fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let ours = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let variables: [(&str, OsString); 5] = [
        ("PATH", ours("PATH", "/usr/local/bin:/usr/bin:/bin")),
        ("LANG", ours("LANG", "C.UTF-8")),
        ("TERM", "dumb".into()),
        ("HOME", home.into()),
        ("TMPDIR", home.into()),
    ];
    variables.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// The end of what was printed, without what moves a cursor.
fn tail_of(output: &[u8]) -> String {
    let end = &output[output.len().saturating_sub(TAIL_BYTES)..];
    let text = String::from_utf8_lossy(end);
    let clean = text.trim_start_matches('\u{fffd}').chars().map(|letter| match letter {
        '\n' | '\t' => letter,
        '\r' => '\n',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    clean.collect::<String>().trim().to_string()
}
