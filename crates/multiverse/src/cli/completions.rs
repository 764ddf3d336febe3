//! `multiverse completions`: what a shell needs to complete command lines, and the run ids it is offered. Knows no store:
//! a completion must not wait, lock or repair anything.

use std::path::{Path, PathBuf};

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use engine::agent::Cli;
use serde::Serialize;

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output};
use super::project::Start;

/// What a shell sets when it asks this program for completions.
const VARIABLE: &str = "MULTIVERSE_COMPLETE";
/// So many of the newest runs are offered.
const MOST_RUNS: usize = 50;
/// So many items are offered.
const MOST_ITEMS: usize = 500;

/// Print what a shell needs to complete command lines
///
/// The shell then completes commands, options, the ids of runs and items, and who can
/// work. Put the line of your shell into its start-up file:
///
///   bash   source <(multiverse completions bash)          in ~/.bashrc
///   zsh    source <(multiverse completions zsh)           in ~/.zshrc
///   fish   multiverse completions fish | source           in ~/.config/fish/config.fish
///
/// With --json, one object: {"script": {"shell", "text"}}.
///
/// Exit codes: 0 done, 1 error, 2 usage
///
/// Examples:
///   multiverse completions bash
///   multiverse completions fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// What a shell needs.
#[derive(Debug, Serialize)]
struct Script<'a> {
    shell: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Script(&'a Script<'a>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Arguments {
    pub(crate) fn run(&self, _given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let name = match self.shell {
            Shell::Bash => "bash",
            Shell::Elvish => "elvish",
            Shell::Fish => "fish",
            Shell::Powershell => "powershell",
            Shell::Zsh => "zsh",
        };
        let shells = Shells::builtins();
        let shell = shells.completer(name).ok_or_else(|| Failure::new(Kind::Fault, format!("{name} is not known")))?;
        let mut script = Vec::new();
        shell.write_registration(VARIABLE, "multiverse", "multiverse", "multiverse", &mut script)?;
        let text = String::from_utf8_lossy(&script);
        match output.form() {
            Form::Json => output.json(&Line::Script(&Script { shell: name, text: &text }))?,
            Form::Text => output.data(&text)?,
        }
        Ok(Exit::Done)
    }
}

/// Answers a shell that asks for completions; says whether one did.
pub(crate) fn answer_if_asked(command: impl Fn() -> clap::Command) -> bool {
    if std::env::var_os(VARIABLE).is_none() {
        return false;
    }
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(command).var(VARIABLE).bin("multiverse");
    // What cannot be completed is not completed: a shell shows no errors there.
    asked.try_complete(std::env::args_os(), here.as_deref()).unwrap_or(true)
}

/// Completes the ids of runs.
pub(crate) fn runs() -> ArgValueCandidates {
    ArgValueCandidates::new(newest_runs)
}

/// Completes the ids of items; those of the newest run, because a shell does not say which one is meant.
pub(crate) fn items() -> ArgValueCandidates {
    ArgValueCandidates::new(newest_items)
}

/// Completes the ids of runs, and of items of the newest.
pub(crate) fn runs_and_items() -> ArgValueCandidates {
    ArgValueCandidates::new(|| newest_runs().into_iter().chain(newest_items()).collect())
}

/// Completes files that catalogs list.
pub(crate) fn catalogued() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let project = Start::of_process(None).and_then(|start| start.project_of_runs()).ok();
        let Some(project) = project else { return Vec::new() };
        let tables = std::fs::read_dir(project.join("db")).into_iter().flatten().flatten().map(|entry| entry.path());
        let tables = tables.filter(|path| path.to_string_lossy().ends_with("base_catalog.md"));
        let mut files: Vec<String> = Vec::new();
        for table in tables.filter_map(|path| std::fs::read_to_string(path).ok()) {
            let cells = table.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next()).skip(2);
            files.extend(cells.map(|cell| cell.trim().trim_matches('`').to_owned()).filter(|cell| !cell.is_empty()));
        }
        files.sort();
        files.dedup();
        files.truncate(MOST_ITEMS);
        files.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Completes the names of workflow profiles.
pub(crate) fn profiles() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let start = Start::of_process(None).ok();
        let named = start.map(|start| super::profile::names(&start)).unwrap_or_default();
        named.into_iter().map(|(name, help)| CompletionCandidate::new(name).help(Some(help.into()))).collect()
    })
}

/// Completes who can work.
pub(crate) fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let mut kinds = vec![
            ("offline", "no model, no network"),
            ("auto", "the first coding CLI that has a key"),
            ("person", "waits in the inbox"),
            ("acp:", "an agent of the Agent Client Protocol"),
            ("command:", "any program"),
            ("script:", "answers from a file"),
        ];
        kinds.extend(Cli::ALL.map(|cli| (cli.name(), "a coding CLI")));
        let roles = ["", "planner=", "executor=", "communicator="];
        let named = roles.iter().flat_map(|role| {
            let named = |(kind, help): &(&str, &'static str)| {
                CompletionCandidate::new(format!("{role}{kind}")).help(Some((*help).into()))
            };
            kinds.iter().map(named).collect::<Vec<_>>()
        });
        named.collect()
    })
}

/// The newest runs of the project here, read from their table as it is.
fn newest_runs() -> Vec<CompletionCandidate> {
    std::iter::once("last".to_string()).chain(run_ids().1).map(CompletionCandidate::new).collect()
}

/// The items of the newest run, read from its tables as they are.
fn newest_items() -> Vec<CompletionCandidate> {
    let (project, runs) = run_ids();
    let (Some(project), Some(run)) = (project, runs.first()) else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(project.join("runs").join(run).join("db"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    let tables = files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut items: Vec<String> = Vec::new();
    for table in tables.filter_map(|path| std::fs::read_to_string(path).ok()) {
        items.extend(first_cells(&table).into_iter().filter(|id| is_item(id)));
    }
    items.sort();
    items.dedup();
    items.truncate(MOST_ITEMS);
    items.into_iter().map(CompletionCandidate::new).collect()
}

/// The project here, and the ids of its newest runs.
fn run_ids() -> (Option<PathBuf>, Vec<String>) {
    let project = Start::of_process(None).and_then(|start| start.project_of_runs()).ok();
    let table = project.as_ref().and_then(|project| std::fs::read_to_string(project.join("db/process_runs.md")).ok());
    let ids = candidates(&table.unwrap_or_default());
    (project, ids)
}

fn candidates(table: &str) -> Vec<String> {
    first_cells(table).into_iter().rev().take(MOST_RUNS).collect()
}

/// The ids in the first column of a table.
fn first_cells(table: &str) -> Vec<String> {
    let cells = table.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let ids = cells.map(str::trim).filter(|cell| is_id(cell)).map(String::from);
    ids.skip(1).collect()
}

/// A letter or two and a number: `P01`, `TT12`.
fn is_item(id: &str) -> bool {
    let number = id.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    number.len() < id.len() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// Whether a cell can be an id; the line below a table's head cannot.
fn is_id(cell: &str) -> bool {
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    cell.chars().any(|letter| letter.is_ascii_alphanumeric()) && cell.chars().all(is_fit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_runs_come_first() {
        let table = "# Runs\n\n| run_id | status |\n|---|---|\n| run-1 | COMPLETED |\n| run_2 | FAILED |\n|  | x |\n";
        assert_eq!(candidates(table), ["run_2", "run-1"]);
        assert!(candidates("").is_empty());
        for (id, expected) in [("P01", true), ("TT12", true), ("task_id", false), ("T", false), ("12", false)] {
            assert_eq!(is_item(id), expected, "{id}");
        }
    }
}
