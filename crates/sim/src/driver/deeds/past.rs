//! Going back, and what is no longer looked at: records are taken back, documents restored, retired, changed after
//! that, and adopted.

use bytes::Bytes;
use store::{Commit, CommitError, FaultKind, HistoryError, ProjectPath, Store, What};
use text::Change;

use super::{Scope, attempt, body};
use crate::SimFs;
use crate::driver::shared_documents;

/// Some deed of these.
pub(super) fn turn(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    match scope.random.below(7) {
        0 | 1 => undo(store, scope),
        2 => restore(store, scope),
        3 => make(store, scope),
        4 => retire(store, scope),
        5 => change_retired(store, scope),
        _ => adopt(store, scope),
    }
}

fn undo(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    match scope.random.pick(&scope.own).copied() {
        Some(number) => went_back(store.undo(number), scope),
        None => Ok(()),
    }
}

fn restore(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let documents = shared_documents();
    let path = &documents[scope.random.below(documents.len())];
    let number = 1 + scope.random.number() % store.head().number.max(1);
    went_back(store.restore(path, number), scope)
}

/// There are reasons why one cannot go back; any other is a finding.
#[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
fn went_back(done: Result<u64, HistoryError>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    match done {
        Ok(number) => scope.fold(number),
        Err(HistoryError::Fault(fault)) => return Err(fault.into()),
        Err(HistoryError::Commit(CommitError::Fault(fault))) => return Err(fault.into()),
        // Somebody was faster.
        Err(HistoryError::Commit(CommitError::Conflict { .. } | CommitError::Exists(_) | CommitError::Unknown(_))) => {}
        Err(HistoryError::Commit(error)) => panic!("process {}, step {}: {error}", scope.name, scope.step),
        Err(_) => {}
    }
    Ok(())
}

fn make(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Ok(path) = ProjectPath::document(&format!("outputs/p{}/{}.md", scope.name, scope.step)) else { return Ok(()) };
    scope.ledger.begin(&token, std::slice::from_ref(&path));
    scope.ledger.deeds().own_files.push(path.clone());
    attempt(store, scope, &token, |store| {
        let what = What::Create(Bytes::from(format!("{token}\n")));
        let commit = Commit::new(format!("file {token}"), store.head().number, vec![(path.clone(), what)]);
        Some(Commit { body: body(&token, &[]), ..commit })
    })
}

fn retire(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Some(path) = some_file(scope) else { return Ok(()) };
    scope.ledger.begin(&token, &[]);
    attempt(store, scope, &token, |store| {
        let commit = Commit::new(format!("retire {token}"), store.head().number, Vec::new());
        store.read(&path).map(|_| Commit { body: body(&token, &[]), retire: vec![path.clone()], ..commit })
    })
}

/// A process that still has a retired document in memory may change it.
fn change_retired(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Some(path) = some_file(scope) else { return Ok(()) };
    scope.ledger.begin(&token, std::slice::from_ref(&path));
    attempt(store, scope, &token, |store| {
        let end = store.read(&path)?.len();
        let what = What::Edit(Change::one(end, "", format!("{token}\n")));
        let commit = Commit::new(format!("change {token}"), store.head().number, vec![(path.clone(), what)]);
        Some(Commit { body: body(&token, &[]), ..commit })
    })
}

/// A file that the person made: from then on it is promised.
fn adopt(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let note = scope.random.pick(&scope.ledger.deeds().notes).cloned();
    let Some(note) = note else { return Ok(()) };
    match store.adopt(&note.documents) {
        Ok(None) => {}
        Ok(Some(number)) => {
            scope.fold(number);
            note.documents.iter().for_each(|document| scope.ledger.save(&note.token, document));
        }
        Err(CommitError::Fault(fault)) if fault.kind == FaultKind::Missing => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn some_file(scope: &mut Scope<'_>) -> Option<ProjectPath> {
    scope.random.pick(&scope.ledger.deeds().own_files).cloned()
}
