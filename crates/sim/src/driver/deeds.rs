//! What a process does in one step, by kind of work: it decides on what it sees, commits, and decides again when
//! somebody was faster.

mod batches;
mod claims;
mod counter;
mod files;
mod gate;
mod past;
mod rows;

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use store::{Commit, CommitError, FaultKind, Fs, ProjectPath, Store};

pub(super) use counter::{COUNTER, number_in};

use super::Work;
use super::worker::Scope;
use crate::SimFs;

/// How often a deed is decided again before something must be wrong.
const TRIES: usize = 200;

/// The deed that the work is about.
pub(super) fn main(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    match scope.work {
        Work::Rows | Work::Crlf | Work::Unended | Work::Editors | Work::Hands | Work::Past => {
            rows::append(store, scope)
        }
        Work::Batches => batches::append(store, scope),
        Work::Large => rows::fill_cells(store, scope),
        Work::Counter => counter::increment(store, scope),
        Work::Claims => claims::claim(store, scope),
        Work::Gate => gate::pass(store, scope),
        Work::Files => files::change_shared(store, scope),
    }
}

/// What is done beside it, now and then.
pub(super) fn other(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    match scope.work {
        Work::Gate => gate::turn(store, scope),
        Work::Past => past::turn(store, scope),
        _ => files::make_own(store, scope),
    }
}

/// Decides and commits until nobody was faster, or there is nothing to do any more.
fn attempt(
    store: &mut Store<SimFs>,
    scope: &mut Scope<'_>,
    token: &str,
    mut decide: impl FnMut(&Store<SimFs>) -> Option<Commit>,
) -> Result<(), CommitError> {
    for _ in 0..TRIES {
        let Some(commit) = decide(store) else { return Ok(()) };
        match store.commit(commit) {
            Ok(number) => {
                scope.ledger.acknowledge(token);
                scope.fold(number);
                scope.own.push(number);
                return Ok(());
            }
            // Somebody made the file again.
            Err(CommitError::Exists(path)) if matches!(scope.work, Work::Hands | Work::Past) => {
                adopt(store, scope, &path)?;
            }
            Err(CommitError::Conflict { .. } | CommitError::Exists(_) | CommitError::Unknown(_)) => {
                store.catch_up()?;
                store.look()?;
                store.fs().pause(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
        }
    }
    decide(store).map_or(Ok(()), |commit| store.commit(commit).map(drop))
}

/// Takes a file over that somebody made, unless it is gone or being written.
fn adopt(store: &mut Store<SimFs>, scope: &mut Scope<'_>, path: &ProjectPath) -> Result<(), CommitError> {
    store.catch_up()?;
    store.look()?;
    match store.adopt(std::slice::from_ref(path)) {
        Ok(number) => number.into_iter().for_each(|number| scope.fold(number)),
        Err(CommitError::Fault(fault)) if fault.kind == FaultKind::Missing => {}
        Err(error) => return Err(error),
    }
    store.fs().pause(Duration::from_millis(10));
    Ok(())
}

/// What a record carries: its token, and what its decision saw, to be held against the documents at its place in
/// the journal.
fn body(token: &str, saw: &[Saw<'_>]) -> Option<Box<RawValue>> {
    let saw: Vec<Value> = saw
        .iter()
        .map(|saw| match saw {
            Saw::Whole(path, text) => json!({ "path": path.as_str(), "whole": text }),
            Saw::Line(path, line) => json!({ "path": path.as_str(), "line": line }),
        })
        .collect();
    serde_json::value::to_raw_value(&json!({ "token": token, "saw": saw })).ok()
}

/// What a decision rests on.
enum Saw<'a> {
    /// A document with this content, or none.
    Whole(&'a ProjectPath, Option<String>),
    /// This line in it.
    Line(&'a ProjectPath, &'a str),
}

fn text_of(store: &Store<SimFs>, path: &ProjectPath) -> Option<String> {
    store.read(path).map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned())
}
