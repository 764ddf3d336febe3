//! `multiverse config`: what is set, by whom; and a file to begin with.

use std::io::Write as _;
use std::path::Path;

use engine::AskedAgent;
use serde::Serialize;
use serde_json::Value;

use super::configuration::{self, FILE, Read};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output};
use super::project::Start;
use super::trust::{self, Named, Servers};
use super::visible;

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
/// A file that names programs, addresses, keys, servers or folders outside the project
/// may be somebody else's: at a terminal you are asked whether you trust it, elsewhere
/// `config trust` says it. It counts for this folder and for what is named now.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse config show --origin
///   multiverse config new
///   multiverse config trust
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
    /// Trust what the project's files name, as they stand
    ///
    /// Shows what multiverse.toml and .mcp.json name that reaches beyond the project, and
    /// remembers, in your own folder, that you trust it. MULTIVERSE_TRUST does the same
    /// for one command: the digests that are shown here, with commas, or `all`.
    ///
    /// With agents, these are trusted instead, in their words: a run that somebody else
    /// began, or the task of a roadmap, may name them.
    ///
    /// Examples:
    ///   multiverse config trust
    ///   multiverse config trust codex
    ///   multiverse config trust --forget
    #[command(verbatim_doc_comment)]
    Trust {
        /// Agents that runs and tasks of this project may name
        #[arg(value_name = "AGENT", conflicts_with = "forget")]
        agents: Vec<String>,

        /// Trust nothing here any more
        #[arg(long)]
        forget: bool,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Setting { path: &'a str, value: &'a Value, origin: &'a str },
    Trusted(&'a Named),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        // Of the project whose runs would be begun here.
        let folder = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
        let folder = folder.as_path();
        match &self.what {
            What::New => new(folder, output),
            What::Trust { forget: true, .. } => forget(folder, output),
            What::Trust { agents, .. } if !agents.is_empty() => trust_agents(agents, &start, folder, output),
            What::Trust { .. } => trust_all(folder, output),
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

fn trust_all(folder: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let read = Read::of(folder)?;
    read.refuse_problems(output)?;
    let named = trust::named(&read, folder, Servers::Used);
    if named.is_empty() {
        output.say("nothing here reaches beyond the project: there is nothing to trust")?;
        return Ok(Exit::Done);
    }
    trust::trust(&named, folder)?;
    for one in &named {
        match output.form() {
            Form::Json => output.json(&Line::Trusted(one))?,
            Form::Text => {
                for line in &one.lines {
                    output.data(&format!("{line}\n"))?;
                }
                output.say(&format!("{} is trusted as it stands: {}", one.file, one.digest))?;
            }
        }
    }
    Ok(Exit::Done)
}

fn trust_agents(agents: &[String], start: &Start, folder: &Path, output: &mut Output) -> Result<Exit, Failure> {
    for agent in agents {
        engine::agent::parse_kind(agent).map_err(|message| Failure::new(Kind::Usage, message))?;
    }
    let from = start.folder().strip_prefix(folder).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let asked: Vec<AskedAgent> =
        agents.iter().map(|agent| AskedAgent { agent: agent.clone(), folder: from.clone() }).collect();
    trust::trust_agents(&asked, folder)?;
    output.say(&format!(
        "trusted here: {}",
        agents.iter().map(|one| visible::text(one)).collect::<Vec<_>>().join(", ")
    ))?;
    Ok(Exit::Done)
}

fn forget(folder: &Path, output: &mut Output) -> Result<Exit, Failure> {
    if !trust::forget(folder)? {
        output.say("nothing was trusted here")?;
        return Ok(Exit::NothingToDo);
    }
    output.say("nothing is trusted here any more")?;
    Ok(Exit::Done)
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
