//! Owns the backend that is any agent which speaks the Agent Client Protocol over its pipes (version 1). Must not start a
//! process itself, and trusts neither the agent's answers nor its last word: its files and its report are looked at.

mod bounded;
mod client;
mod files;
mod policy;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent_client_protocol::v1::schema::StopReason;
use tools::{Grants, How, Launch, Stop};

use crate::backend::{Backend, Ending, Job};
use crate::command::Command;
use crate::contract::Report;
use crate::limits::CommandLimits;
use crate::presets::{Cli, Doing, Remains, Surroundings, Who, asked_prompt, for_cli, report_file, verdict};
use crate::roadmap;
use client::{End, Talk, Talked};
use files::Files;
use policy::Policy;

/// An ACP agent.
pub struct Acp {
    shown: String,
    command: Command,
    /// The known CLI that the program belongs to: it gets that one's keys and settings.
    cli: Option<Cli>,
    surroundings: Surroundings,
    /// By role.
    grants: BTreeMap<String, Grants>,
    limits: CommandLimits,
}

impl std::fmt::Debug for Acp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Acp").field("shown", &self.shown).field("cli", &self.cli).finish_non_exhaustive()
    }
}

impl Acp {
    /// Reads a command line as [`Command::new`] does.
    pub fn new(text: &str, base: &Path) -> Result<Self, String> {
        let command = Command::new(text, base)?;
        let name = Path::new(command.program()).file_name().and_then(OsStr::to_str).unwrap_or_default();
        // `claude-agent-acp`, `codex-acp`, `gemini`: the first word says whose it is.
        let cli = name.split(['-', '.', '_']).next().and_then(Cli::named);
        let surroundings = Surroundings::of_process();
        let (grants, limits) = (BTreeMap::new(), CommandLimits::default());
        Ok(Self { shown: text.into(), command, cli, surroundings, grants, limits })
    }

    pub fn with_surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = surroundings;
        self
    }

    pub fn with_limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, which may read more: files and folders outside the project that its user names.
    pub fn with_readable(mut self, readable: Vec<PathBuf>) -> Self {
        self.command = self.command.with_readable(readable);
        self
    }

    /// Why it cannot be started at all.
    pub fn missing(&self) -> Option<String> {
        self.command.missing()
    }

    /// What roles are granted, by name: it decides what the agent asks to be allowed, and whether a person is asked. What
    /// the confinement forbids stays forbidden.
    pub fn with_grants(mut self, grants: BTreeMap<String, Grants>) -> Self {
        self.grants = grants;
        self
    }

    fn launch(&self, job: &Job, time: Duration, say: &dyn Fn(&str)) -> io::Result<Launch> {
        let mut launch = self.command.launch(job, time, say)?;
        launch.limits.grace = self.limits.grace;
        launch.limits.log_bytes = self.limits.log_bytes;
        if let Some(cli) = self.cli {
            for_cli(cli, &self.surroundings, job, &mut launch)?;
        }
        Ok(launch)
    }

    fn talk(&self, job: &Job, time: Duration, stop: &Stop, say: &dyn Fn(&str)) -> Result<Ending, String> {
        let unprepared = |error: io::Error| format!("{} cannot be prepared: {error}", job.workdir.display());
        let launch = self.launch(job, time, say).map_err(unprepared)?;
        let (bell, rope) = UnixStream::pair().map_err(unprepared)?;
        rope.set_nonblocking(true).map_err(unprepared)?;
        let _waiting = stop.wake(rope);
        if stop.is_stopped() {
            return Ok(Ending::Stopped);
        }
        // The stop is ours to pass on: the agent is asked to cancel before its process is.
        let mut conversation = tools::converse(&launch, &Stop::new()).map_err(|fault| fault.to_string())?;
        let (Some(writer), Some(reader)) = (conversation.take_writer(), conversation.take_reader()) else {
            return Err("its pipes are gone".into());
        };
        say(&format!("started {}", self.name()));
        let doing = Doing::of(&job.brief);
        let talk = Talk {
            writer,
            reader,
            prompt: asked_prompt(&job.brief),
            workdir: job.workdir.clone(),
            files: Files::of(job, doing),
            policy: Policy {
                doing,
                workdir: job.workdir.clone(),
                grants: self.grants.get(job.brief.standing()).cloned(),
                answers: job.brief.answered(),
                may_ask: job.brief.may_ask(),
            },
            tools: roadmap::tools_command(&job.brief),
            bell,
            stop: stop.clone(),
            grace: self.limits.grace,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(unprepared)?;
        let (talked, went) = runtime.block_on(client::talk(talk, say));
        // With it go our ends of the pipes: the agent finds its input at an end.
        drop(runtime);
        let ended = match talked.end {
            Some(End::Turn(_)) => conversation.end(),
            _ => conversation.end_now(),
        };
        let ended = ended.map_err(|fault| fault.to_string())?;
        let log = String::from_utf8_lossy(&ended.log).into_owned();
        if !talked.heard.asked.is_empty() && !stop.is_stopped() {
            return Ok(Ending::Report { report: Report::question(&tools::question(&talked.heard.asked)), log });
        }
        Ok(self.ending(job, time, talked, went, ended.how, log))
    }

    fn ending(
        &self,
        job: &Job,
        time: Duration,
        talked: Talked,
        went: Result<(), String>,
        how: How,
        log: String,
    ) -> Ending {
        let name = self.shown.split_whitespace().next().unwrap_or("the agent");
        let Talked { heard: told, end } = talked;
        if end == Some(End::Cancelled) {
            return Ending::Stopped;
        }
        let mut remains = Remains::new(&job.brief, &job.workdir, time, log);
        remains.heard.answer = told.answer;
        remains.heard.failed = told.failed;
        remains.heard.refused = told.refused;
        remains.heard.usage = told.usage;
        remains.heard.is_over = true;
        remains.file = report_file(&job.workdir);
        // How a process ends after its turn says nothing of the turn: some must be killed.
        remains.how = How::Exit(0);
        match (end, went) {
            (Some(End::Turn(StopReason::EndTurn)), _) => {}
            (Some(End::Turn(reason)), _) => remains.heard.errors.push(format!("the turn ended with {reason:?}")),
            (_, Err(error)) if !matches!(how, How::Stopped) => {
                remains.how = if matches!(how, How::Exit(0)) { How::Exit(1) } else { how };
                remains.log = format!("{}\n{error}", remains.log.trim_end());
            }
            (_, Err(error)) => remains.heard.errors.push(error),
            (_, Ok(())) => remains.heard.errors.push("the talk ended before the turn did".into()),
        }
        let instead = self.cli.map_or("give it its key by a variable that it knows", Cli::instead);
        verdict(&Who { name, instead, has_last_event: true }, remains)
    }
}

impl Backend for Acp {
    fn name(&self) -> String {
        format!("acp:{}", self.shown)
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        let time = match job.brief.limits.seconds {
            0 => self.limits.time,
            seconds => Duration::from_secs(seconds),
        };
        let failed = |error: String| Ending::Failed { error, log: String::new() };
        self.talk(job, time, stop, say).unwrap_or_else(failed)
    }
}
