//! `multiverse run --protocol cycle`: a goal is set, and carried through its loops.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use engine::cycle::{CycleStart, check_ground, uncommitted};

use super::super::carry::{Driving, Opened};
use super::super::configuration::{FILE, Read};
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::live;
use super::super::output::{Form, Output, PLACE};
use super::super::project::Start;
use super::super::visible;

/// Who takes part beside the Planner.
const ROLES: [&str; 2] = ["actor", "judge"];

/// How many files are named that agents do not see.
const UNSEEN: usize = 5;

/// What a project of cycles begins with, where it has no settings yet; gives the file if it was made (CY-17).
pub(crate) fn write_settings(project: &Path, output: &mut Output) -> Result<Option<String>, Failure> {
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(project.join(FILE));
    let readable = || std::fs::Permissions::from_mode(0o644);
    match made.and_then(|mut file| file.set_permissions(readable()).and_then(|()| file.write_all(SETTINGS.as_bytes())))
    {
        Ok(()) => Ok(Some(FILE.into())),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            if !Read::of(project)?.entries.iter().any(|entry| entry.path.starts_with("cycle.")) {
                output.say(&format!("{FILE} is there already: [cycle] and [checks.NAME] can be set in it"))?;
            }
            Ok(None)
        }
        Err(error) => Err(Failure::reading(Path::new(FILE), &error)),
    }
}

/// The settings that a new project is given.
const SETTINGS: &str = include_str!("settings.toml");

/// What a goal comes with.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Goal {
    /// Under which rules, where the project's own are not meant: cycle (a goal, planned, acted on and judged in loops) or
    /// roadmap (the tasks in .jixo/ that fit the words given, each with executors that take one item at a time)
    #[arg(long, value_name = "NAME", value_parser = ["cycle", "roadmap"])]
    protocol: Option<String>,

    /// With --protocol cycle: a document that the agents are to know; may be given several times
    #[arg(long, value_name = "FILE", requires = "protocol")]
    context: Vec<PathBuf>,

    /// With --protocol cycle: something that is so today; may be given several times
    #[arg(long, value_name = "TEXT", requires = "protocol")]
    state: Vec<String>,

    /// With --protocol cycle: show a plan of the whole first
    #[arg(long, requires = "protocol")]
    outline: bool,
}

impl Goal {
    /// Whether a cycle is asked for.
    pub(crate) fn is_wanted(&self) -> bool {
        self.protocol.as_deref() == Some("cycle")
    }

    /// Whether roadmaps are asked for. What belongs to a cycle does not belong to them.
    pub(crate) fn is_roadmap(&self) -> Result<bool, Failure> {
        let is_roadmap = self.protocol.as_deref() == Some("roadmap");
        let has_more = !self.context.is_empty() || !self.state.is_empty() || self.outline;
        if is_roadmap && has_more {
            return Err(Failure::new(Kind::Usage, "--context, --state and --outline belong to --protocol cycle")
                .hint("what a roadmap is about stands in its task file"));
        }
        Ok(is_roadmap)
    }

    /// Sets the goal, and carries it on.
    pub(crate) fn carry(
        &self,
        goal: String,
        driving: &Driving,
        start: &Start,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let project = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
        let mut context_docs = Vec::with_capacity(self.context.len());
        for path in &self.context {
            let place = start.place_of(path);
            std::fs::metadata(&place).map_err(|error| Failure::reading(path, &error))?;
            context_docs.push(start.document(&project, path)?.to_string());
        }
        check_ground(&project)?;
        let mut opened = Opened::to_begin_with(start, &driving.choice, &ROLES, &|_| {}, output)?;
        let wants_outline = self.outline || Read::of(&project)?.set.cycle.outline;
        let goal = CycleStart { goal, current_state: self.state.clone(), context_docs, wants_outline };
        let run = opened.service.start_cycle(goal)?;
        let unseen = uncommitted(&project);
        if !unseen.is_empty() {
            let shown: Vec<String> = unseen.iter().take(UNSEEN).map(|path| visible::text(path)).collect();
            let more = if unseen.len() > UNSEEN { ", …" } else { "" };
            output.warn(&format!(
                "your working tree has changes that are in no commit ({}{more}): agents do not see them",
                shown.join(", ")
            ))?;
        }
        if output.form() == Form::Text && !live::is_possible(output) {
            output.say(&format!("{PLACE}{}{PLACE:#} began", visible::text(&run)))?;
        }
        opened.carry_on(&[run], driving, output)
    }
}
