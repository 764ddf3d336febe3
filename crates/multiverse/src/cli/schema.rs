//! `multiverse schema`: the two objects of the agent contract and the settings, as JSON Schema.

use std::path::Path;

use engine::agent;

use super::configuration;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};

/// Show what agents are given, and what they give back
///
/// Any executable is an agent: it reads one JSON object, the brief, from stdin, and
/// writes one, the report, to stdout. This prints the JSON Schema of either, with an
/// example in it; or the one of multiverse.toml, for editors.
///
/// With --json, the same in one line.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse schema brief
///   multiverse schema report
///   multiverse schema config
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
}

impl Arguments {
    pub(crate) fn run(&self, _given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let schema = match self.which {
            Which::Brief => agent::schema(agent::Which::Brief),
            Which::Report => agent::schema(agent::Which::Report),
            Which::Config => configuration::schema(),
        };
        match output.form() {
            Form::Json => output.json(&schema)?,
            Form::Text => output.data(&format!("{schema:#}\n"))?,
        }
        Ok(Exit::Done)
    }
}
