//! A process that commits to a real project until it is told to stop, or killed: rows into shared documents, files of
//! its own, a placing, a look at edits, a checkpoint now and then. It says each commit's token on stdout when the commit
//! is durable; whoever started it looks for the tokens afterwards. Development only.
//!
//! A token `NAME-STEP-abf.` names the places that it must be in, all or none: the documents `a`, `b`, `c` of
//! [`DOCUMENTS`], and `f` for the file `outputs/NAME/STEP.bin`.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use bytes::Bytes;
use sim::Random;
use store::{Commit, CommitError, Due, Fs, Missing, Notice, ProjectPath, RealFs, Store, What};
use text::{Change, Splice, Text};

const USAGE: &str = "usage: writer PROJECT NAME [--count N] [--seed N] [--while FILE] [--rows] [--hold]";
/// The documents that all writers share, by the letter that stands for each in a token.
const DOCUMENTS: [(char, &str); 3] = [('a', "db/process_runs.md"), ('b', "db/catalog.md"), ('c', "runs/r1/tasks.md")];
/// How often a commit is decided again before something must be wrong.
const TRIES: usize = 1000;

/// What this process is to do.
struct Orders {
    project: PathBuf,
    name: String,
    count: usize,
    seed: u64,
    /// Work begins when this file is there and ends when it is gone.
    gate: Option<PathBuf>,
    work: Work,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Everything a process does with a store.
    All,
    /// Rows and placings alone.
    Rows,
    /// One commit; then the lock is taken and this process stops itself, until somebody lets it go on.
    Hold,
}

fn main() -> ExitCode {
    match orders().and_then(|orders| carry_out(&orders)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "writer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn orders() -> Result<Orders, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let project = arguments.next().ok_or(USAGE)?.into();
    let name = arguments.next().ok_or(USAGE)?;
    let mut orders = Orders { project, name, count: usize::MAX, seed: 0, gate: None, work: Work::All };
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--count" => orders.count = arguments.next().ok_or(USAGE)?.parse()?,
            "--seed" => orders.seed = arguments.next().ok_or(USAGE)?.parse()?,
            "--while" => orders.gate = Some(arguments.next().ok_or(USAGE)?.into()),
            "--rows" => orders.work = Work::Rows,
            "--hold" => orders.work = Work::Hold,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(orders)
}

fn carry_out(orders: &Orders) -> Result<(), Box<dyn Error>> {
    let fs = RealFs::open(&orders.project)?;
    let mut store = Store::open(fs, Missing::Create, Box::new(tell))?;
    say("ready")?;
    if let Some(gate) = &orders.gate {
        while !gate.exists() {
            store.fs().pause(Duration::from_millis(1));
        }
    }
    let mut random = Random::new(orders.seed);
    let mut step = 0;
    while step < orders.count && orders.gate.as_ref().is_none_or(|gate| gate.exists()) {
        let token = match orders.work {
            Work::All => deed(&mut store, &mut random, &orders.name, step)?,
            Work::Rows | Work::Hold => Some(rows_and_placing(&mut store, &mut random, &orders.name, step)?),
        };
        if let Some(token) = token {
            say(&token)?;
        }
        if orders.work == Work::Hold {
            hold(&orders.project)?;
            break;
        }
        step += 1;
    }
    store.close()?;
    Ok(())
}

/// One thing out of all that processes do; gives the token of a commit.
fn deed(
    store: &mut Store<RealFs>,
    random: &mut Random,
    name: &str,
    step: usize,
) -> Result<Option<String>, Box<dyn Error>> {
    match random.below(40) {
        0..30 => return Ok(Some(commit(store, random, name, step, 4)?)),
        30..34 => drop(store.look()?),
        34..37 => drop(store.place_meanwhile()?),
        37 => drop(store.place(Due::All)?),
        38 => drop(store.checkpoint(|_| None)?),
        _ => store.fs().pause(Duration::from_millis(random.below(8) as u64)),
    }
    Ok(None)
}

fn rows_and_placing(
    store: &mut Store<RealFs>,
    random: &mut Random,
    name: &str,
    step: usize,
) -> Result<String, Box<dyn Error>> {
    let token = commit(store, random, name, step, usize::MAX)?;
    store.place(Due::Now)?;
    Ok(token)
}

/// Commits a row in some of the documents and, once in `files` times, a file of its own in the same commit.
fn commit(
    store: &mut Store<RealFs>,
    random: &mut Random,
    name: &str,
    step: usize,
    files: usize,
) -> Result<String, CommitError> {
    let mut places: Vec<(char, &str)> = DOCUMENTS.to_vec();
    while places.len() > 1 && random.one_in(2) {
        places.remove(random.below(places.len()));
    }
    let file = random.one_in(files);
    let letters: String = places.iter().map(|(letter, _)| *letter).chain(file.then_some('f')).collect();
    let token = format!("{name}-{step}-{letters}.");
    for _ in 0..TRIES {
        let mut changes = Vec::new();
        for (_, path) in &places {
            let path = ProjectPath::document(path)?;
            let what = add_row(store.read(&path), &token);
            changes.push((path, what));
        }
        if file {
            let path = ProjectPath::document(&format!("outputs/{name}/{step}.bin"))?;
            changes.push((path, What::Create(content_of(&token, step))));
        }
        match store.commit(Commit::new(format!("row {token}"), store.head().number, changes)) {
            Ok(_) => return Ok(token),
            Err(CommitError::Conflict { .. } | CommitError::Exists(_) | CommitError::Unknown(_)) => {
                // Somebody was faster, or a document is about to come or go.
                store.catch_up()?;
                store.look()?;
                store.fs().pause(Duration::from_millis(random.below(4) as u64));
            }
            Err(error) => return Err(error),
        }
    }
    let path = ProjectPath::document(DOCUMENTS[0].1)?;
    Err(CommitError::Conflict { path, record: store.head().number })
}

/// Files of three kinds: short, too long for a record, no text.
fn content_of(token: &str, step: usize) -> Bytes {
    let mut content = token.as_bytes().to_vec();
    match step % 3 {
        0 => content.extend(std::iter::repeat_n(b'x', 70_000)),
        1 => content.extend([0xff, 0xfe, 0]),
        _ => {}
    }
    content.into()
}

/// A new row at the end. Every fourth also marks the last row that is there, which others may want to do too.
fn add_row(text: Option<&Text>, token: &str) -> What {
    let row = format!("| {token} | PENDING | |\n");
    let Some(text) = text else {
        return What::Create(Bytes::from(format!("| id | status | note |\n| --- | --- | --- |\n{row}")));
    };
    let mut splices = vec![Splice { at: text.len(), cut: Bytes::new(), put: row.into() }];
    let last = text.slice(text.line(text.line_count().saturating_sub(1))).into_owned();
    let open = b"| PENDING | |\n";
    if token.len().is_multiple_of(4) && last.ends_with(open) {
        let at = text.len() - open.len();
        splices = vec![Splice {
            at,
            cut: Bytes::from_static(open),
            put: format!("| DONE | |\n| {token} | PENDING | |\n").into(),
        }];
    }
    What::Edit(Change::from_splices(splices))
}

/// Takes the project's lock, as if in the middle of a commit, and stops.
fn hold(project: &Path) -> Result<(), Box<dyn Error>> {
    let lock = File::open(project.join(".multiverse/lock"))?;
    lock.lock()?;
    say("holding")?;
    let stopped = Command::new("kill").args(["-STOP", &std::process::id().to_string()]).status()?;
    if !stopped.success() {
        return Err("this process cannot stop itself".into());
    }
    lock.unlock()?;
    Ok(())
}

fn tell(notice: &Notice) {
    if let Notice::LockHeld { process, advice } = notice {
        let _ = say(&format!("held by {process}: {advice}"));
    }
}

/// One line in one write, so that a kill leaves all of it or nothing.
fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}
