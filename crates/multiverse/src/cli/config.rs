//! `multiverse config`: what is set, by whom; and a file to begin with.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::configuration::{self, FILE, Read};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output};
use super::project::Start;

/// Show what is set, and where it comes from
///
/// Settings stand in multiverse.toml, in the project's folder. A variable of the
/// environment goes before the file (MULTIVERSE_JOBS, MULTIVERSE_AGENTS_EXECUTOR,
/// MULTIVERSE_BUDGET_TOKENS), an option of the command line before both.
///
/// `config new` writes a file in which everything is explained and commented out;
/// `multiverse schema config` prints the JSON Schema of it, for editors.
///
/// Keys are never written into the file, only where they are: env:NAME, file:PATH
/// (readable by you alone) or cmd:COMMAND.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse config show --origin
///   multiverse config new
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// What is set
    ///
    /// Examples:
    ///   multiverse config show
    ///   multiverse config show budget --origin
    #[command(verbatim_doc_comment)]
    Show {
        /// Only settings whose path begins so: agents, budget.tokens
        #[arg(value_name = "PATH")]
        below: Option<String>,

        /// Say where each comes from
        #[arg(long)]
        origin: bool,
    },
    /// Write a file in which everything is explained
    ///
    /// Examples:
    ///   multiverse config new
    #[command(verbatim_doc_comment)]
    New,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Setting { path: &'a str, value: &'a Value, origin: &'a str },
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let folder = start.project_or_new();
        let folder = folder.as_path();
        match &self.what {
            What::New => new(folder, output),
            What::Show { below, origin } => show(folder, below.as_deref(), *origin, output),
        }
    }
}

fn new(folder: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let place = folder.join(FILE);
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&place);
    let written = made.and_then(|mut file| file.write_all(configuration::commented().as_bytes()));
    match written {
        Ok(()) => {
            output.say(&format!("wrote {FILE}: everything in it is explained, and nothing is set yet"))?;
            Ok(Exit::Done)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let failure = Failure::new(Kind::Configuration, format!("there is a {FILE} already")).at(Path::new(FILE));
            Err(failure.hint("`multiverse config show --origin` tells what it sets"))
        }
        Err(error) => Err(Failure::reading(Path::new(FILE), &error)),
    }
}

fn show(folder: &Path, below: Option<&str>, origin: bool, output: &mut Output) -> Result<Exit, Failure> {
    let read = Read::of(folder)?;
    let fits = |path: &str| below.is_none_or(|below| path == below || path.starts_with(&format!("{below}.")));
    let mut rows: Vec<(String, Value, String)> = Vec::new();
    for (path, key) in configuration::plain_keys() {
        let is_set = read.entries.iter().any(|entry| entry.path == path);
        if !is_set {
            rows.push((path, Value::Null, format!("not set; for example: {}", key.example)));
        }
    }
    rows.extend(read.entries.iter().map(|entry| {
        let place = read.place(&entry.origin);
        (entry.path.clone(), entry.value.clone(), place)
    }));
    rows.retain(|(path, _, _)| fits(path));
    rows.sort_by(|one, other| one.0.cmp(&other.0));
    if rows.is_empty() {
        let message = format!("there is no setting `{}`", below.unwrap_or_default());
        return Err(Failure::new(Kind::Usage, message).hint("`multiverse config show` lists all"));
    }
    let width = rows.iter().map(|(path, _, _)| path.chars().count()).max().unwrap_or(0);
    for (path, value, place) in &rows {
        match output.form() {
            Form::Json => output.json(&Line::Setting { path, value, origin: place })?,
            Form::Text => {
                let value = if value.is_null() { "–".to_string() } else { value.to_string() };
                let end = if origin { format!("    ({place})") } else { String::new() };
                output.data(&format!("{path:width$}  {value}{end}\n"))?;
            }
        }
    }
    read.refuse_problems(output)?;
    Ok(Exit::Done)
}
