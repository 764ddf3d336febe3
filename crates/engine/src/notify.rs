//! People who are not there are told that something waits for them: by a command, by a web address, as the project says. That
//! it cannot be told is a problem of its own, and stops nothing.

use std::path::Path;
use std::time::Duration;

use machine::Said;
use serde_json::json;
use store::Fs;
use tools::{Bounds, Confinement, How, Launch, LaunchLimits, Network, Stop};

use crate::notice::Notice;
use crate::service::Service;

/// How long it may take to tell somebody.
const WITHIN: Duration = Duration::from_secs(30);
/// The most that a command may say about it, in bytes.
const SAID_BYTES: usize = 64 * 1024;

/// How people are told that something waits for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notify {
    /// A line for a shell: what waits stands on its standard input, as a JSON object.
    pub command: Option<String>,
    /// An address that is sent the same object.
    pub url: Option<String>,
}

impl<F: Fs> Service<F> {
    /// Tells what a run waits for, if it waits for a person.
    pub(crate) fn notify(&mut self, run: &str, said: Said) {
        let notify = self.engine.settings.notify.clone();
        let is_wanted = notify.command.is_some() || notify.url.is_some();
        if !is_wanted || !matches!(said, Said::Question | Said::Proposal) {
            return;
        }
        // Whoever is told may look at once: what was recorded is in its place by then, or the commands say why not.
        let _ = self.engine.store.finish();
        let waits: Vec<_> = self.waiting().into_iter().filter(|waiting| waiting.run == run).collect();
        let body = json!({"run": run, "waits": waits}).to_string().into_bytes();
        let (project, listener, run) =
            (self.engine.settings.project.clone(), self.engine.listener.clone(), run.to_string());
        self.messengers.push(std::thread::spawn(move || {
            let commanded = notify.command.map(|line| command(&line, &project, &run, body.clone()));
            let sent = notify.url.map(|url| tools::post_json(&url, body, WITHIN, &Stop::new()));
            for (way, told) in [("command", commanded), ("url", sent)] {
                if let Some(Err(error)) = told {
                    let reason = format!("nobody could be told by notify.{way}: {error}");
                    listener(Notice::Problem { run: Some(run.clone()), path: None, reason });
                }
            }
        }));
    }
}

fn command(line: &str, project: &Path, run: &str, input: Vec<u8>) -> Result<(), String> {
    let ours = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let mut confinement = Confinement::system();
    confinement.write.push(project.into());
    let launch = Launch {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), line.into()],
        environment: vec![
            ("PATH".into(), ours("PATH", "/usr/local/bin:/usr/bin:/bin")),
            ("HOME".into(), ours("HOME", "/")),
            ("LANG".into(), ours("LANG", "C.UTF-8")),
            ("MULTIVERSE_PROJECT".into(), project.into()),
            ("MULTIVERSE_RUN".into(), run.into()),
        ],
        folder: project.into(),
        input,
        confinement,
        network: Network::Open,
        bounds: Bounds::default(),
        limits: LaunchLimits {
            time: WITHIN,
            output_bytes: SAID_BYTES,
            log_bytes: SAID_BYTES,
            grace: Duration::from_secs(1),
        },
    };
    let ended = tools::launch(&launch, &Stop::new()).map_err(|fault| fault.to_string())?;
    match ended.how {
        How::Exit(0) => Ok(()),
        how => {
            let said = String::from_utf8_lossy(&ended.log);
            let end = said.trim().lines().next_back().map(|line| format!(": {line}")).unwrap_or_default();
            Err(format!("`{line}` {}{end}", in_words(how)))
        }
    }
}

fn in_words(how: How) -> String {
    match how {
        How::Exit(code) => format!("ended with exit code {code}"),
        How::Signal(signal) => format!("was ended by signal {signal}"),
        How::TimedOut => format!("did not end within {} s", WITHIN.as_secs()),
        How::Stopped => "was stopped".into(),
        How::Flooded => format!("printed more than {SAID_BYTES} bytes"),
        How::Outgrew(_) => "grew beyond what a command may use".into(),
    }
}
