//! `multiverse init`: what a project needs. Shows what was made.

use std::path::Path;

use engine::Settings;
use serde::Serialize;
use store::Missing;

use super::carry::Opened;
use super::cycle;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::progress::Shown;
use super::project::Start;
use super::visible;

/// Make a project here
///
/// Makes what a project needs and does not have: db/ with the tables of runs,
/// instructions and files, assets/ for your material, guidelines/ for rules that
/// always hold, runs/ and outputs/. What is there already stays as it is, so doing it
/// twice changes nothing. `multiverse run` does the same by itself. With --protocol
/// profile: agent_runtime/ with the status, the profiles and their schemas, ideas/ and
/// tools/; a status of an earlier run is archived. With --protocol cycle: docs/context/
/// for the record, its archive and its pictures, and multiverse.toml with the limits. With
/// --protocol roadmap: a first task in .jixo/, to be edited, and jixo.config.json.
///
/// With --json, one object: {"made": …}.
///
/// Exit codes: 0 done, also when there was nothing to do, 1 error, 2 usage
///
/// Examples:
///   multiverse init
///   multiverse init --protocol lineage
///   multiverse init --protocol profile
///   multiverse init --protocol cycle
///   multiverse init --protocol roadmap
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Which rules and documents the project has: multiverse (each run by itself), or lineage (runs that build on one
    /// another, with your own phases and stages in settings/), profile (roles, reviews and gates of a workflow, in
    /// agent_runtime/), cycle (one goal at a time, in loops, with its record in docs/context/), or roadmap (tasks in .jixo/,
    /// each with a roadmap of items and many executors)
    #[arg(long, value_name = "NAME", value_parser = ["multiverse", "lineage", "profile", "cycle", "roadmap"])]
    protocol: Option<String>,
}

/// Protocols whose documents are made by a way of their own.
const HOSTED: [&str; 3] = ["profile", "cycle", "roadmap"];
/// The name and the goal of a first task: a list that can be done as it stands, to be replaced.
const FIRST_TASK: &str = "first";
const FIRST_GOAL: &str = "# What is to be reached

Say it as a list: each entry becomes an item of the roadmap, headings become groups, and `(after 1.1)` says what must be done first.
This one can be done as it stands.

## Phase 1: A beginning
- Write \"Hello\" to hello.md
- Check that hello.md contains \"Hello\" (after 1.1)
";

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Made {
    project: String,
    /// The documents that were not there before.
    documents: Vec<String>,
    /// The digest of the last record.
    head: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Made(&'a Made),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let project = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
        start.say_project(&project, output)?;
        let shown = visible::path(&project);
        let mut settings = Settings::new(project.clone());
        let asked = self.protocol.as_deref();
        settings.protocol = self.protocol.clone().filter(|name| !HOSTED.contains(&name.as_str()));
        let mut opened = Opened::with(settings, |_| Missing::Create, output, Shown::Oddities)?;
        let inputs = opened.service.input_folder();
        let documents = match asked {
            Some("profile") => opened.service.init_profile()?,
            Some("cycle") => opened.service.init_cycle()?,
            Some("roadmap") => opened.service.init_roadmap(FIRST_TASK, FIRST_GOAL)?,
            _ => opened.service.init()?,
        };
        let left = opened.close();
        let documents = match asked {
            Some("cycle") => documents.into_iter().chain(cycle::write_settings(&project, output)?).collect(),
            _ => documents,
        };
        match output.form() {
            Form::Json => {
                let project = project.to_string_lossy().into_owned();
                output.json(&Line::Made(&Made { project, documents, head: left.head.clone() }))?;
            }
            Form::Text if documents.is_empty() => output.say(&format!("nothing was to do: {shown} is a project"))?,
            Form::Text => {
                for path in &documents {
                    output.say(&format!("made {}", visible::text(path)))?;
                }
                let next = match asked {
                    Some("profile") => {
                        "write ideas/NAME.md, then `multiverse run --profile default_fallback_profile`".into()
                    }
                    Some("roadmap") => {
                        format!(
                            "say in .jixo/{FIRST_TASK}.task.md what is to be done, then `multiverse run --protocol roadmap`"
                        )
                    }
                    Some("cycle") => "set a goal with `multiverse run --protocol cycle \"the goal\"`".into(),
                    _ => format!("put material into {inputs}/, then `multiverse run \"what you want\"`"),
                };
                output.say(&format!("{shown} is a project: {next}"))?;
            }
        }
        left.show(output)?;
        Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
    }
}
