//! A history as one readable line: who does what, and what goes wrong in which order. A failing test prints the line
//! that runs the same history again.
//!
//! ```text
//! WORK SEED PROCESSES STEPS SAVES: EVENT, EVENT; EVENT; open, EVENT
//! ```
//! Semicolons part rounds; each begins when the one before has ended, by itself or by its accident. The events:
//! - `kill CALL STOP`: whoever makes that changing call of the round is killed; the others go on.
//! - `loss CALL STOP MODE`: the machine loses power at that call.
//! - `fail KIND OPERATION PATH PROCESS SKIP TIMES`: calls fail; `any` narrows nothing.
//! - `clock SECONDS`: the wall clock is set back. `hide`: nobody can tell who has a file open for writing.
//! - `noexchange`: from now on the file system cannot swap two files in one step.
//! - `caches`: when the round is over, memory gets short. `open`: one process opens and closes, nobody works.
//! - `person`: only the person is there.

use std::fmt;
use std::str::FromStr;

use store::FaultKind;

use crate::{Injection, LossMode, Operation, Stop};

/// Who does how much, and what goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What the processes do.
    pub work: Work,
    /// Decides what each one does, and who goes on at each call.
    pub seed: u64,
    /// How many processes commit.
    pub processes: usize,
    /// How many deeds each of them does in a round.
    pub steps: usize,
    /// How many times a person saves a document in a round.
    pub saves: usize,
    /// What happens, one round after the other.
    pub rounds: Vec<Round>,
}

/// What processes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// They append rows to shared tables, and make files of their own.
    Rows,
    /// The same with CRLF at the end of lines.
    Crlf,
    /// The same without a line feed at the end of the document.
    Unended,
    /// They write into the cells of tables of 200 rows.
    Large,
    /// They count up.
    Counter,
    /// They claim rows.
    Claims,
    /// They append rows that rest on a line of another document.
    Gate,
    /// They create, write and delete the same few files.
    Files,
    /// They append rows; the person has each document open in two editors.
    Editors,
    /// They append several rows at a time, each a commit of its own.
    Batches,
    /// They append rows; the person also removes documents, moves them away and back, and puts older ones back.
    Hands,
    /// They append rows, take records back, restore, retire and adopt documents.
    Past,
}

/// A stretch of a history that ends when all processes have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// Who is there.
    pub who: Who,
    /// What goes wrong.
    pub events: Vec<Event>,
}

/// Who is there in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Who {
    /// The processes and the person.
    #[default]
    Everyone,
    /// One process, which opens the project and closes it.
    Opener,
    /// The person alone.
    Person,
}

/// Something that goes wrong. Calls are those that can change something, counted from the beginning of the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// One process is killed at a call; the others go on.
    Kill(u64, Stop),
    /// The machine loses power at a call.
    Loss(u64, Stop, LossMode),
    /// Calls fail.
    Fail(Failing),
    /// The wall clock is set back by seconds.
    ClockBack(u64),
    /// Nobody can tell any more who has a file open for writing.
    HideWriters,
    /// The file system cannot swap two files in one step any more.
    NoExchange,
    /// After the round, what failed syncs gave up is read from the platter again.
    DropCaches,
}

/// Which calls fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failing {
    /// As what.
    pub kind: FaultKind,
    /// Of this kind only.
    pub operation: Option<Operation>,
    /// Below this path only.
    pub below: Option<&'static str>,
    /// Of this process only.
    pub process: Option<usize>,
    /// So many go well first.
    pub skip: u64,
    /// So many fail.
    pub times: u64,
}

impl Work {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Rows,
        Self::Crlf,
        Self::Unended,
        Self::Large,
        Self::Counter,
        Self::Claims,
        Self::Gate,
        Self::Files,
        Self::Editors,
        Self::Batches,
        Self::Hands,
        Self::Past,
    ];
}

impl Failing {
    /// The kinds of failure that a disk has.
    pub const KINDS: [FaultKind; 5] =
        [FaultKind::DiskFull, FaultKind::Device, FaultKind::Denied, FaultKind::NoHandles, FaultKind::ReadOnly];
    /// The operations that fail.
    pub const OPERATIONS: [Operation; 20] = [
        Operation::Open,
        Operation::Create,
        Operation::Read,
        Operation::Write,
        Operation::Truncate,
        Operation::SetPermissions,
        Operation::SetModified,
        Operation::Sync,
        Operation::Stamp,
        Operation::Look,
        Operation::Rename,
        Operation::RenameNew,
        Operation::Exchange,
        Operation::Remove,
        Operation::MakeFolder,
        Operation::List,
        Operation::SyncFolder,
        Operation::TryLock,
        Operation::Unlock,
        Operation::HasWriter,
    ];
    /// The places where calls fail.
    pub const PLACES: [&str; 6] = [
        ".multiverse/journal",
        ".multiverse/placing",
        ".multiverse/checkpoints",
        ".multiverse/blobs",
        ".multiverse/lock",
        "db",
    ];

    pub(super) fn injection(&self) -> Injection {
        let mut injection = Injection::new(self.kind).after(self.skip).times(self.times);
        if let Some(operation) = self.operation {
            injection = injection.on(operation);
        }
        if let Some(below) = self.below {
            injection = injection.below(below);
        }
        match self.process {
            Some(process) => injection.of_process(process),
            None => injection,
        }
    }
}

impl Plan {
    /// A plan in which nothing goes wrong.
    pub fn new(work: Work, seed: u64, processes: usize, steps: usize, saves: usize) -> Self {
        Self { work, seed, processes, steps, saves, rounds: vec![Round::default()] }
    }

    /// The same, where something goes wrong in the latest round.
    #[must_use]
    pub fn with(mut self, event: Event) -> Self {
        if let Some(round) = self.rounds.last_mut() {
            round.events.push(event);
        }
        self
    }

    /// The same, and then another round.
    #[must_use]
    pub fn then(mut self, who: Who) -> Self {
        self.rounds.push(Round { who, events: Vec::new() });
        self
    }

    /// All events of all rounds.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.rounds.iter().flat_map(|round| &round.events)
    }
}

impl Round {
    /// How many calls are made to fail; nothing when none is.
    pub(super) fn failures(&self) -> Option<u64> {
        let times = self.events.iter().filter_map(|event| match event {
            Event::Fail(failing) => Some(failing.times),
            _ => None,
        });
        times.reduce(|one, other| one + other)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work, seed, processes, steps, saves, rounds } = self;
        let rounds: Vec<String> = rounds.iter().map(ToString::to_string).collect();
        let work = format!("{work:?}").to_lowercase();
        write!(out, "{work} {seed} {processes} {steps} {saves}: {}", rounds.join("; "))
    }
}

impl fmt::Display for Round {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.who {
            Who::Everyone => None,
            Who::Opener => Some("open".to_owned()),
            Who::Person => Some("person".to_owned()),
        };
        let all: Vec<String> = who.into_iter().chain(self.events.iter().map(ToString::to_string)).collect();
        out.write_str(&all.join(", "))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(call, stop) => write!(out, "kill {call} {stop:?}"),
            Self::Loss(call, stop, mode) => write!(out, "loss {call} {stop:?} {mode:?}"),
            Self::Fail(Failing { kind, operation, below, process, skip, times }) => {
                let operation = operation.map_or("any".into(), |operation| format!("{operation:?}"));
                let process = process.map_or("any".into(), |process| process.to_string());
                write!(out, "fail {kind:?} {operation} {} {process} {skip} {times}", below.unwrap_or("any"))
            }
            Self::ClockBack(seconds) => write!(out, "clock {seconds}"),
            Self::HideWriters => out.write_str("hide"),
            Self::NoExchange => out.write_str("noexchange"),
            Self::DropCaches => out.write_str("caches"),
        }
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let (head, tail) = line.split_once(':').ok_or("there is no colon after the numbers")?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let &[work, seed, processes, steps, saves] = words.as_slice() else {
            return Err(format!("work and four numbers are expected, not {head:?}"));
        };
        let name = |work: &&Work| format!("{work:?}").to_lowercase();
        Ok(Self {
            work: *Work::ALL.iter().find(|one| name(one) == work).ok_or(format!("there is no work {work:?}"))?,
            seed: number(seed)?,
            processes: number(processes)?,
            steps: number(steps)?,
            saves: number(saves)?,
            rounds: tail.split(';').map(str::parse).collect::<Result<_, _>>()?,
        })
    }
}

impl FromStr for Round {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut round = Self::default();
        for event in text.split(',').map(str::trim).filter(|event| !event.is_empty()) {
            match event {
                "open" => round.who = Who::Opener,
                "person" => round.who = Who::Person,
                event => round.events.push(event.parse()?),
            }
        }
        Ok(round)
    }
}

impl FromStr for Event {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["kill", call, stop] => Ok(Self::Kill(number(call)?, named(&Stop::ALL, stop)?)),
            ["loss", call, stop, mode] => {
                Ok(Self::Loss(number(call)?, named(&Stop::ALL, stop)?, named(&LossMode::ALL, mode)?))
            }
            ["fail", kind, operation, below, process, skip, times] => Ok(Self::Fail(Failing {
                kind: named(&Failing::KINDS, kind)?,
                operation: unless_any(operation, |word| named(&Failing::OPERATIONS, word))?,
                below: unless_any(below, |word| {
                    Failing::PLACES.into_iter().find(|place| *place == word).ok_or(format!("no place {word:?}"))
                })?,
                process: unless_any(process, number)?,
                skip: number(skip)?,
                times: number(times)?,
            })),
            ["clock", seconds] => Ok(Self::ClockBack(number(seconds)?)),
            ["hide"] => Ok(Self::HideWriters),
            ["noexchange"] => Ok(Self::NoExchange),
            ["caches"] => Ok(Self::DropCaches),
            _ => Err(format!("{text:?} is no event")),
        }
    }
}

fn number<T: FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word:?} is no number"))
}

fn named<T: Copy + fmt::Debug>(all: &[T], word: &str) -> Result<T, String> {
    all.iter().find(|one| format!("{one:?}") == word).copied().ok_or(format!("{word:?} is none of {all:?}"))
}

fn unless_any<T>(word: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if word == "any" { Ok(None) } else { read(word).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_back_from_its_line() {
        for line in [
            "rows 15 3 8 4: ",
            "crlf 1000 3 7 3: kill 87 After, clock 3600; open, loss 3 Torn Mixed; hide",
            "counter 7 2 5 0: fail Device Sync .multiverse/journal 1 3 2, caches; ",
            "files 7 2 5 0: fail DiskFull any any any 30 5, kill 40 Before",
            "hands 7 2 5 4: noexchange; open; person; open, kill 3 After",
        ] {
            assert_eq!(line.parse::<Plan>().map(|plan| plan.to_string()), Ok(line.to_owned()));
        }
        for line in ["", "rows 1 2 3", "rows 1 2 3 4: jump", "walk 1 2 3 4: ", "rows 1 2 3 4: kill x After"] {
            assert!(line.parse::<Plan>().is_err(), "{line:?} was read");
        }
    }
}
