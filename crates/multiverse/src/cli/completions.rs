//! `multiverse completions`: what a shell needs to complete command lines, and the run ids it is offered. Knows no store:
//! a completion must not wait, lock or repair anything.

use std::path::Path;

use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;

/// What a shell sets when it asks this program for completions.
const VARIABLE: &str = "MULTIVERSE_COMPLETE";
/// So many of the newest runs are offered.
const MOST_RUNS: usize = 50;

/// Print what a shell needs to complete command lines
///
/// The shell then completes commands, options and the ids of runs. Put the line of your
/// shell into its start-up file:
///
///   bash   source <(multiverse completions bash)          in ~/.bashrc
///   zsh    source <(multiverse completions zsh)           in ~/.zshrc
///   fish   multiverse completions fish | source           in ~/.config/fish/config.fish
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
        output.data(&String::from_utf8_lossy(&script))?;
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

/// The newest runs of the project here, read from their table as it is.
fn newest_runs() -> Vec<CompletionCandidate> {
    let project = Start::of_process(None).and_then(|start| start.project_of_runs());
    let text = project.ok().and_then(|project| std::fs::read_to_string(project.join("db/process_runs.md")).ok());
    let ids = candidates(&text.unwrap_or_default());
    std::iter::once("last".to_string()).chain(ids).map(CompletionCandidate::new).collect()
}

fn candidates(table: &str) -> Vec<String> {
    let cells = table.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let ids = cells.map(str::trim).filter(|cell| is_id(cell)).map(String::from);
    let ids: Vec<String> = ids.skip(1).collect();
    ids.into_iter().rev().take(MOST_RUNS).collect()
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
    }
}
