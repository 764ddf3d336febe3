//! Owns `run_shell_command`: a shell in the attempt's folder, confined, bounded and ended with all that it started
//! (QL-31). Must not start a process but by the launcher.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::json;

use super::arguments::Arguments;
use super::bounded::{self, tokens};
use super::{Function, Functions, number, object, text};
use crate::{Confinement, Ended, How, Launch, LaunchLimits, Network, Stop, Tool, launch};

pub(super) const RUN_SHELL_COMMAND: Function = Function {
    name: "run_shell_command",
    description: "Runs a command with `sh -c` in a restricted environment: it starts in your own folder, where the files \
                  of the brief lie under their paths from the project; it writes there alone, and has no network unless \
                  that was granted. Use relative paths. The answer holds the exit code and what was printed.",
    parameters: || {
        object(
            &json!({
                "command": text("The command line."),
                "description": text("What it is for, in a few words."),
                "directory": text("The folder to start in, from the project's folder."),
                "timeout": number("The most seconds that it may take."),
            }),
            &["command"],
        )
    },
    call: run_shell_command,
};

/// The most that is kept of what a command prints; the answer shows less.
const OUTPUT_BYTES: usize = 4 << 20;
const LOG_BYTES: usize = 256 << 10;

const GRACE: Duration = Duration::from_secs(2);

/// Folders of the attempt that a command knows as its home and as the place for temporary files.
const HOME: &str = ".home";
const TEMPORARY: &str = ".tmp";

const SHELL: &str = "/bin/sh";

fn run_shell_command(
    functions: &Functions,
    mut arguments: Arguments,
    tool: &Tool,
    stop: &Stop,
) -> Result<String, String> {
    let command = arguments.text(&["command"]);
    arguments.optional_text(&["description"]);
    let folder = arguments.optional_text(&["directory", "dir_path", "path"]).unwrap_or_default();
    let seconds = arguments.optional_number(&["timeout", "timeout_seconds"]);
    if command.trim().is_empty() || command.contains('\0') {
        arguments.problem("`command`: expected a command line, found nothing or a zero byte");
    }
    arguments.finish(tool)?;
    let path = functions.view.path(&folder)?;
    let rules = functions.shell;
    let time = seconds.map_or(rules.time, |seconds| Duration::from_secs(seconds.max(1)).min(rules.time));
    let workdir = functions.view.workdir();
    for folder in [HOME, TEMPORARY, path.as_str()] {
        // One that is a link to the project's own is fine to start in: the sandbox looks at what is done there.
        if !workdir.join(folder).is_dir() {
            functions.view.make_folder(folder)?;
        }
    }
    let mut confinement = Confinement::system();
    confinement.read.extend(functions.view.readable_places());
    confinement.write.push(workdir.into());
    let launched = Launch {
        program: SHELL.into(),
        arguments: vec!["-c".into(), command.into()],
        environment: environment(workdir),
        folder: workdir.join(&path),
        input: Vec::new(),
        confinement,
        network: rules.network,
        bounds: rules.bounds,
        limits: LaunchLimits { time, output_bytes: OUTPUT_BYTES, log_bytes: LOG_BYTES, grace: GRACE },
    };
    let ended = launch(&launched, stop).map_err(|fault| format!("the command was not run: {fault}"))?;
    let answer = told(&ended, time, rules.network, functions.answer_tokens);
    if ended.how == How::Exit(0) { Ok(answer) } else { Err(answer) }
}

fn environment(workdir: &std::path::Path) -> Vec<(OsString, OsString)> {
    let ours = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let variables: [(&str, OsString); 5] = [
        ("PATH", ours("PATH", "/usr/local/bin:/usr/bin:/bin")),
        ("LANG", ours("LANG", "C.UTF-8")),
        ("TERM", "dumb".into()),
        ("HOME", workdir.join(HOME).into()),
        ("TMPDIR", workdir.join(TEMPORARY).into()),
    ];
    variables.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

/// How it ended and what it printed, within the size of an answer.
fn told(ended: &Ended, time: Duration, network: Network, most: usize) -> String {
    let how = match ended.how {
        How::Exit(code) => format!("exit code {code}"),
        How::Signal(signal) => format!("ended by signal {signal}"),
        How::TimedOut => format!("ended after {} s, its limit of time", time.as_secs()),
        How::Stopped => "stopped from outside".into(),
        How::Flooded => {
            format!("ended, for it printed more than {OUTPUT_BYTES} bytes: write it to a file, or filter it")
        }
        How::Outgrew(bound) => format!("ended with all that it started, for it outgrew its limit of {}", bound.word()),
    };
    let (output, log) = (String::from_utf8_lossy(&ended.output), String::from_utf8_lossy(&ended.log));
    let (output, log) = (clean(&output), clean(&log));
    let for_log = (most / 2).min(tokens(&log));
    let mut answer = format!("{how}\n");
    let part = |name: &str, text: &str, most: usize| match text.trim_end() {
        "" => String::new(),
        text => format!("--- {name} ---\n{}\n", bounded::ends(text, most)),
    };
    answer.push_str(&part("output", &output, most.saturating_sub(for_log)));
    answer.push_str(&part("errors", &log, for_log.max(1)));
    if ended.log_cut {
        answer.push_str("(more was printed to standard error, and not kept)\n");
    }
    let failed = ended.how != How::Exit(0);
    if failed && network == Network::Closed && looks_like_network(&log) {
        answer.push_str("(commands have no network here)\n");
    }
    answer
}

/// What commands say when they find no network.
fn looks_like_network(log: &str) -> bool {
    let words = ["resolve", "getaddrinfo", "network", "connect", "Operation not permitted", "socket"];
    words.iter().any(|word| log.contains(word))
}

/// Without the letters that move a terminal's cursor or hide text.
fn clean(text: &str) -> String {
    let kept = text.chars().map(|letter| match letter {
        '\n' | '\t' => letter,
        '\r' => '\n',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    });
    kept.collect()
}
