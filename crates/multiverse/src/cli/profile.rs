//! `multiverse profile`: workflow profiles, listed, drawn, checked and begun. Hands files to the engine's reader and shows
//! what it says; what a profile may hold is decided there. Runs nothing.

mod drawing;
mod page;
pub(crate) mod shelf;
mod template;

use std::path::{Path, PathBuf};

use engine::workflows::{Complaint, PlannedStep, Profile, compile};
use serde::Serialize;

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{BAD, Form, GOOD, Output, PLACE, counted};
use super::project::Start;
use super::snippet::{self, ProblemView};
use super::{completions, visible};
use shelf::{Shelf, Source, Stored};

/// Look at workflow profiles, and begin new ones
///
/// A profile is a YAML file in agent_runtime/workflow_profiles/: phases, the roles that
/// work, review and check in them, and the gates where a person decides. Without such a
/// folder, the profiles that this program brings along are shown.
///
/// Exit codes: 0 done, 1 a profile is wrong, or cannot be read, 2 usage
///
/// Examples:
///   multiverse profile list
///   multiverse profile show default_fallback_profile
///   multiverse profile new my_team
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The profiles that can be run
    ///
    /// One line each: its name, who does the work (simulation: the engine; realization:
    /// agents in a repository), how many steps and gates it has, and what it is. Files
    /// that are no valid profile are named below; `profile validate` says why.
    ///
    /// With --json, one object a line: {"profile": …}, {"invalid": …}.
    ///
    /// Examples:
    ///   multiverse profile list
    #[command(verbatim_doc_comment)]
    List,

    /// Draw the workflow of a profile
    ///
    /// Its phases and steps in their order, who plays them, what must be there when they
    /// are done, where work is sent back to, and where a person decides. With --json, the
    /// profile and the plan that it becomes as one object: {"profile": …}.
    ///
    /// Examples:
    ///   multiverse profile show default_fallback_profile
    ///   multiverse profile show default_fallback_profile --format mermaid
    ///   multiverse profile show default_fallback_profile --format html > workflow.html
    #[command(verbatim_doc_comment)]
    Show {
        /// The name of a profile, or a file
        #[arg(value_name = "PROFILE", add = completions::profiles())]
        profile: String,
        /// As what: text, mermaid (for Markdown pages and editors), html (a page of its own)
        #[arg(long, value_name = "FORM", default_value = "text", hide_default_value = true)]
        format: Format,
    },

    /// Check profiles whole, before anything starts
    ///
    /// First against the schema (the one in agent_runtime/schemas/, where there is one),
    /// then that every gate, phase and review refers to something that exists. Each
    /// mistake is shown with its place, its line and how to mend it. Without a file, all
    /// profiles of the project are checked. Nothing is changed.
    ///
    /// With --json, one object a line: {"complaint": …}, {"error": …} for a file that
    /// cannot be read, {"summary": …} at the end.
    ///
    /// Examples:
    ///   multiverse profile validate
    ///   multiverse profile validate agent_runtime/workflow_profiles/my_team.yaml
    #[command(verbatim_doc_comment)]
    Validate {
        /// Profiles, or `-` for stdin
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },

    /// Write a profile to begin with
    ///
    /// A small valid profile with a comment at each thing that can be changed, as
    /// agent_runtime/workflow_profiles/NAME.yaml; with --from, a copy of another one under
    /// the new name. Its first line tells editors where the schema is, so that they
    /// complete and check; the schema is put there if it is missing. What is there already
    /// stays as it is.
    ///
    /// Examples:
    ///   multiverse profile new my_team
    ///   multiverse profile new my_release --from default_realization_profile
    #[command(verbatim_doc_comment)]
    New {
        /// Small letters, digits, `_` and `-`
        name: String,
        /// The profile to copy
        #[arg(long, value_name = "PROFILE", add = completions::profiles())]
        from: Option<String>,
    },
}

/// How a workflow is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Mermaid,
    Html,
}

/// The lines of `--json`: the key says what the object is.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Profile(Listed<'a>),
    Invalid(Invalid<'a>),
    Complaint(ComplaintView<'a>),
    Summary(Summary),
    Made(Made),
}

#[derive(Serialize)]
struct Listed<'a> {
    path: &'a str,
    name: &'a str,
    version: u32,
    execution_mode: &'static str,
    friendly_name: &'a str,
    description: &'a str,
    strict_mode: bool,
    max_review_cycles: u32,
    require_handoff_packet: bool,
    gates: &'a [engine::workflows::Gate],
    steps: Vec<PlannedStep>,
}

#[derive(Serialize)]
struct Invalid<'a> {
    path: &'a str,
    complaints: usize,
}

#[derive(Serialize)]
struct ComplaintView<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    field: &'a str,
    message: &'a str,
    hint: &'a str,
}

#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Summary {
    profiles: usize,
    invalid: usize,
    complaints: usize,
    errors: usize,
}

#[derive(Serialize)]
struct Made {
    documents: Vec<String>,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        match &self.what {
            What::List => list(&Shelf::near(&start)?, output),
            What::Show { profile, format } => show(&start, profile, *format, output),
            What::Validate { files } => validate(&start, files, output),
            What::New { name, from } => {
                let documents = template::write(&start, &Shelf::near(&start)?, name, from.as_deref())?;
                match output.form() {
                    Form::Json => output.json(&Line::Made(Made { documents }))?,
                    Form::Text => {
                        for path in &documents {
                            output.say(&format!("made {}", visible::text(path)))?;
                        }
                        let check = "change it, and see whether it holds with";
                        output
                            .say(&format!("{check} `multiverse profile validate`, `multiverse profile show {name}`"))?;
                    }
                }
                Ok(Exit::Done)
            }
        }
    }
}

fn list(shelf: &Shelf, output: &mut Output) -> Result<Exit, Failure> {
    let valid: Vec<(&Stored, &Profile)> = shelf.valid().collect();
    let invalid: Vec<&Stored> = shelf.stored.iter().filter(|stored| stored.read.profile.is_none()).collect();
    if output.form() == Form::Json {
        for (stored, profile) in &valid {
            output.json(&Line::Profile(listed(&stored.path, profile)))?;
        }
        for stored in &invalid {
            let complaints = stored.read.complaints.len();
            output.json(&Line::Invalid(Invalid { path: &stored.path, complaints }))?;
        }
        return Ok(if invalid.is_empty() { Exit::Done } else { Exit::Error });
    }
    let width = valid.iter().map(|(_, profile)| profile.name.len()).max().unwrap_or_default();
    for (_, profile) in &valid {
        let steps = compile(profile).len();
        let words = if profile.friendly_name.is_empty() { &profile.description } else { &profile.friendly_name };
        let counts = format!("{}, {}", counted(steps, "step"), counted(profile.gates.len(), "gate"));
        let line = format!("{:<width$}  {:<11}  {counts:<18}", profile.name, profile.mode.word());
        let room = output.columns().map_or(usize::MAX, |columns| columns.saturating_sub(line.len() + 2));
        let words = visible::short(words, room.min(200));
        output.data(format!("{PLACE}{}{PLACE:#}{}  {words}", profile.name, &line[profile.name.len()..]).trim_end())?;
        output.data("\n")?;
    }
    for stored in &invalid {
        let complaints = counted(stored.read.complaints.len(), "mistake");
        let path = visible::text(&stored.path);
        output.warn(&format!("{path} is no valid profile: {complaints}; `multiverse profile validate {path}`"))?;
    }
    let doubled = shelf.doubled();
    for (name, files) in &doubled {
        output.warn(&told_twice(name, files))?;
    }
    if shelf.source == Source::Shipped {
        output.say("these are the profiles that come along; `multiverse init --protocol profile` puts them here")?;
    }
    Ok(if invalid.is_empty() && doubled.is_empty() { Exit::Done } else { Exit::Error })
}

/// Two files of one name: neither can be run by it.
fn told_twice(name: &str, files: &[String]) -> String {
    let files: Vec<String> = files.iter().map(|file| visible::text(file)).collect();
    format!("several profiles are called `{}`: {}; give each a name of its own", visible::text(name), files.join(", "))
}

fn listed<'a>(path: &'a str, profile: &'a Profile) -> Listed<'a> {
    Listed {
        path,
        name: &profile.name,
        version: profile.version,
        execution_mode: profile.mode.word(),
        friendly_name: &profile.friendly_name,
        description: &profile.description,
        strict_mode: profile.strict,
        max_review_cycles: profile.review_cycles(),
        require_handoff_packet: profile.enforces_handoff(),
        gates: &profile.gates,
        steps: compile(profile),
    }
}

fn show(start: &Start, name: &str, format: Format, output: &mut Output) -> Result<Exit, Failure> {
    let shelf = Shelf::near(start)?;
    let stored = match is_file(name) {
        true => shelf.file(start, Path::new(name))?,
        false => shelf.named(name)?.clone(),
    };
    let Some(profile) = &stored.read.profile else {
        let mut summary = Summary::default();
        tell(&stored, &mut summary, output)?;
        return Ok(Exit::Error);
    };
    match (output.form(), format) {
        (Form::Json, Format::Text) => output.json(&Line::Profile(listed(&stored.path, profile)))?,
        (Form::Json, _) => {
            let message = "--json and this --format exclude each other";
            return Err(Failure::new(Kind::Usage, message).hint("leave one of them out"));
        }
        (Form::Text, Format::Text) => output.data(&drawing::text(profile, output.columns()))?,
        (Form::Text, Format::Mermaid) => output.data(&drawing::mermaid(profile))?,
        (Form::Text, Format::Html) => output.data(&page::html(profile))?,
    }
    Ok(Exit::Done)
}

/// Names of profiles hold neither.
fn is_file(name: &str) -> bool {
    name.contains(['.', '/']) || name == "-"
}

fn validate(start: &Start, files: &[PathBuf], output: &mut Output) -> Result<Exit, Failure> {
    let shelf = Shelf::near(start)?;
    let mut summary = Summary::default();
    if files.is_empty() {
        for stored in &shelf.stored {
            tell(stored, &mut summary, output)?;
        }
        for (name, files) in shelf.doubled() {
            summary.errors += 1;
            output.failure(&Failure::new(Kind::Document, told_twice(&name, &files)))?;
        }
    }
    for file in files {
        match shelf.file(start, file) {
            Ok(stored) => tell(&stored, &mut summary, output)?,
            Err(failure) => {
                summary.errors += 1;
                output.failure(&failure)?;
            }
        }
    }
    match output.form() {
        Form::Json => output.json(&Line::Summary(summary))?,
        Form::Text if summary.profiles > 0 => {
            let wrong = match summary.complaints {
                0 => format!("{GOOD}nothing is wrong{GOOD:#}"),
                wrong => format!("{BAD}{}{BAD:#}", counted(wrong, "mistake")),
            };
            output.say(&format!("{}: {wrong}", counted(summary.profiles, "profile")))?;
        }
        Form::Text => {}
    }
    Ok(if summary.invalid + summary.errors == 0 { Exit::Done } else { Exit::Error })
}

/// Says what is wrong with a profile.
fn tell(stored: &Stored, summary: &mut Summary, output: &mut Output) -> Result<(), Failure> {
    summary.profiles += 1;
    summary.invalid += usize::from(stored.read.profile.is_none());
    summary.complaints += stored.read.complaints.len();
    for Complaint { line, column, field, reason, hint } in &stored.read.complaints {
        let (line, column) = (*line, *column);
        match output.form() {
            Form::Json => {
                let path = &stored.path;
                output.json(&Line::Complaint(ComplaintView { path, line, column, field, message: reason, hint }))?;
            }
            Form::Text => output.data(&snippet::render(&ProblemView {
                path: &stored.path,
                line,
                column,
                message: &format!("{field}: {reason}"),
                hint: Some(hint.as_str()).filter(|hint| !hint.is_empty()),
                document: &stored.bytes,
                span: snippet::word_at(&stored.bytes, line, column),
            }))?,
        }
    }
    Ok(())
}

/// The names of the profiles that are near, and what they are, for shells.
pub(crate) fn names(start: &Start) -> Vec<(String, String)> {
    let named = |shelf: Shelf| {
        shelf.valid().map(|(_, profile)| (profile.name.clone(), profile.friendly_name.clone())).collect()
    };
    Shelf::near(start).map(named).unwrap_or_default()
}
