//! `multiverse help TOPIC`: what no single command is about, in a few lines each. Shows text, knows no project.

use std::ffi::OsString;

/// A name and its page.
type Topic = (&'static str, &'static str);

/// The topics, in the order in which they are listed.
const TOPICS: [Topic; 5] = [
    (
        "agents",
        "Who does the work

Every run has roles: the planner proposes and plans, the executor does the tasks, the
communicator words messages. Who plays them is said by --agent [ROLE=]KIND[:ARG], or for
good in multiverse.toml, below [agents]. With nothing said, `offline` works: it extracts,
counts, cites and charts what is in your files, without a model and without a network.

  multiverse run \"…\" --agent offline
  multiverse run \"…\" --agent command:./my-agent          any program, for all roles
  multiverse run \"…\" --agent executor=person             you do the tasks yourself

A run keeps the agents that it began with: `resume`, `confirm`, `answer` and `retry` use
them again, unless others are named. `multiverse schema brief` shows what a program is
given, `multiverse schema report` what it gives back; docs/agents.md has a whole one.",
    ),
    (
        "answers",
        "What waits for you, and how to answer

A run stops for three things: its proposal, a question of an agent, and work that is
yours. On a terminal you are asked there. Elsewhere, or later:

  multiverse inbox                     what waits, each with its command
  multiverse confirm last              yes, it shall be so
  multiverse modify last \"only 2024\"   otherwise: another draft follows
  multiverse answer last \"the first\"   to an agent's question
  multiverse answer last --file FILE   hands in work that is yours
  multiverse cancel last               no, the run ends for good

Nothing is carried out before the proposal is confirmed; --yes confirms it beforehand.
A program that asks without a terminal ends with exit code 3, and the run waits.",
    ),
    (
        "files",
        "What lies where

  assets/         your material: whatever a run is to read
  guidelines/     rules that hold for every run
  outputs/RUN/    what a run was asked for
  runs/RUN/       its plan, its tables, what it made on the way
  db/             the tables of all runs, instructions and files
  multiverse.toml who works, and how many at the same time
  .multiverse/    the program's own: the journal of everything that happened

All but the last are ordinary files: read them, edit them, keep them in git. An edit is
taken over by the next command that changes something; `multiverse history`, `undo` and
`restore` go back.",
    ),
    (
        "json",
        "For programs

With --json every command writes one object a line to stdout, named by what it is:
{\"run\", \"status\", …}, {\"notice\": …}, {\"problem\": …}, {\"record\": …}. Errors have that
form, too: {\"error\": {\"kind\", \"message\", \"hint\", \"path\"}}; `multiverse explain KIND`
says what one means. Each command's page lists its objects.

Exit codes: 0 done, 1 error, 2 usage, 3 waiting for a person, 4 run failed,
5 nothing to do now",
    ),
    (
        "trouble",
        "When something is not as it should be

  multiverse explain last      why a run is where it is, and what can be done
  multiverse explain last T05  the same for one task
  multiverse logs last T05     what its agent was given, and what it said
  multiverse resume            goes on, whatever stopped it; nothing is done twice
  multiverse retry last        goes on where a failed run ended, in a new one
  multiverse doctor            looks at disk, lock, journal, documents and agents
  multiverse verify            proves that nothing was altered

Every error has a code; `multiverse explain CODE` shows its page.",
    ),
];

/// The page that a command line asks for, if it asks for one.
pub(super) fn asked_for(arguments: &[OsString]) -> Option<&'static str> {
    let [_, help, name] = arguments else { return None };
    let found = TOPICS.iter().find(|(own, _)| name == own)?;
    (help == "help").then_some(found.1)
}

/// The names, for those who ask for one that is none.
pub(super) fn names() -> String {
    TOPICS.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_fit_a_terminal_and_are_found() {
        for (name, page) in TOPICS {
            assert!(page.lines().all(|line| line.chars().count() <= 90), "{name}");
            let asked: Vec<OsString> = ["multiverse", "help", name].map(OsString::from).into();
            assert_eq!(asked_for(&asked), Some(page));
        }
        assert_eq!(asked_for(&["multiverse", "help", "run"].map(OsString::from)), None);
    }
}
