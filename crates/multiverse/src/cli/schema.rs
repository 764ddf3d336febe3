//! `multiverse schema`: the two objects of the agent contract, the settings and the documents of profiles, as JSON Schema.

use std::path::Path;

use engine::agent;
use engine::workflows::{PROFILE_SCHEMA, STATUS_SCHEMA};

use super::configuration;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output};

/// Show what agents are given, and what they give back
///
/// Any executable is an agent: it reads one JSON object, the brief, from stdin, and
/// writes one, the report, to stdout. This prints the JSON Schema of either, with an
/// example in it; or the one of multiverse.toml, of workflow profiles or of their
/// status.json, for editors and other programs.
///
/// With --json, the same in one line.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse schema brief
///   multiverse schema report
///   multiverse schema config
///   multiverse schema profile
///   multiverse schema status
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Which
    #[arg(value_name = "OBJECT")]
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// What goes in
    Brief,
    /// What comes out
    Report,
    /// What can be set in multiverse.toml
    Config,
    /// A workflow profile
    Profile,
    /// The status.json of a workflow
    Status,
}

impl Arguments {
    pub(crate) fn run(&self, _given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let schema = match self.which {
            Which::Brief => agent::schema(agent::Which::Brief),
            Which::Report => agent::schema(agent::Which::Report),
            Which::Config => configuration::schema(),
            Which::Profile => return shipped(PROFILE_SCHEMA, output),
            Which::Status => return shipped(STATUS_SCHEMA, output),
        };
        match output.form() {
            Form::Json => output.json(&schema)?,
            Form::Text => output.data(&format!("{schema:#}\n"))?,
        }
        Ok(Exit::Done)
    }
}

/// A schema that is shipped as a file: the very bytes that `init` puts into a project.
fn shipped(text: &str, output: &mut Output) -> Result<Exit, Failure> {
    match output.form() {
        Form::Json => {
            let broken = |error| Failure::new(Kind::Fault, format!("the shipped schema cannot be read: {error}"));
            output.json(&serde_json::from_str::<serde_json::Value>(text).map_err(broken)?)?;
        }
        Form::Text => output.data(text)?,
    }
    Ok(Exit::Done)
}
