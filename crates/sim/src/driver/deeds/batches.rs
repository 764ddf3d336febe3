//! Several rows at a time, each a commit of its own, in one write: they count together when they are synced, and after
//! a fault none of them does.

use bytes::Bytes;
use store::{Batch, Commit, CommitError, ProjectPath, Store, What};

use super::rows::add_row;
use super::{Scope, body};
use crate::SimFs;
use crate::driver::{Work, shared_documents};

/// Some rows with tokens of their own; now and then among them a commit that cannot be.
pub(super) fn append(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let documents = shared_documents();
    let rows: Vec<(String, Vec<ProjectPath>)> = (0..1 + scope.random.below(4))
        .map(|row| {
            let first = scope.random.below(documents.len());
            let last = first + scope.random.below(documents.len() - first);
            (format!("{}{row}-", scope.token()), documents[first..=last].to_vec())
        })
        .collect();
    rows.iter().for_each(|(token, documents)| scope.ledger.begin(token, documents));
    let odd = scope.random.one_in(3).then(|| scope.random.below(rows.len()));
    let name = scope.name;
    let written = store.batch(|batch| {
        let add = |(place, (token, documents)): (usize, &(String, Vec<ProjectPath>))| {
            let added = add(batch, token, documents, name);
            if odd == Some(place) && added.is_ok() {
                refuse(batch, &documents[0]);
            }
            added
        };
        rows.iter().enumerate().map(add).collect::<Vec<_>>()
    });
    let results = match written {
        Ok(results) => results,
        Err(fault) => {
            // A store that goes on after it knows that nothing of it is there.
            if store.catch_up().is_ok() {
                scope.ledger.refuse(rows.into_iter().map(|(token, _)| token));
            }
            return Err(fault.into());
        }
    };
    let mut refused = Ok(());
    let mut added = Vec::new();
    for ((token, _), result) in rows.into_iter().zip(results) {
        match result {
            Ok(number) => {
                scope.fold(number);
                added.push(token);
            }
            Err(error) => {
                scope.ledger.refuse([token]);
                refused = Err(error);
            }
        }
    }
    store.sync()?;
    added.iter().for_each(|token| scope.ledger.acknowledge(token));
    refused
}

fn add(batch: &mut Batch<'_, SimFs>, token: &str, documents: &[ProjectPath], name: usize) -> Result<u64, CommitError> {
    let text = |path| batch.read(path).map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned());
    let changes =
        documents.iter().map(|path| (path.clone(), add_row(text(path), token, name, Work::Batches))).collect();
    let commit = Commit::new(format!("row {token}"), batch.number(), changes);
    batch.append(&Commit { body: body(token, &[]), ..commit })
}

/// A document that is there cannot be made, also when it was made a moment ago in the same batch.
#[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
fn refuse(batch: &mut Batch<'_, SimFs>, path: &ProjectPath) {
    let changes = vec![(path.clone(), What::Create(Bytes::from("never\n")))];
    match batch.append(&Commit::new("never", batch.number(), changes)) {
        Err(CommitError::Exists(_) | CommitError::Fault(_)) => {}
        other => panic!("{path} was made twice in one batch: {other:?}"),
    }
}
