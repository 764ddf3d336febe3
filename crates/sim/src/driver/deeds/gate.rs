//! Rows whose decision rests on a line of another document: none may come after the line has changed unseen.

use std::ops::Range;

use bytes::Bytes;
use store::{Commit, CommitError, Need, ProjectPath, Store, What};
use text::Change;

use super::{Saw, Scope, attempt, body, text_of};
use crate::SimFs;
use crate::driver::documents;

/// Appends a row that is right only while the gate is as it was seen.
pub(super) fn pass(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let [gate, rows] = places();
    let whole = scope.random.below(2) == 0;
    scope.ledger.begin(&token, std::slice::from_ref(&rows));
    attempt(store, scope, &token, |store| {
        let row = format!("| {token} |\n");
        let add = match store.read(&rows) {
            Some(text) => What::Edit(Change::one(text.len(), "", row)),
            None => What::Create(Bytes::from(row)),
        };
        let mut changes = vec![(rows.clone(), add)];
        let Some(text) = text_of(store, &gate) else {
            changes.push((gate.clone(), What::Create(Bytes::from("about the gate\ngate: 0\n"))));
            let commit = Commit::new(format!("gate {token}"), store.head().number, changes);
            return Some(Commit { body: body(&token, &[Saw::Whole(&gate, None)]), ..commit });
        };
        let (span, line) = line_of(&text)?;
        let (need, saw) = match whole {
            true => (Need::Whole(gate.clone()), Saw::Whole(&gate, Some(text.clone()))),
            false => (Need::Span(gate.clone(), span), Saw::Line(&gate, line)),
        };
        let commit = Commit::new(format!("pass {token}"), store.head().number, changes);
        Some(Commit { needs: vec![need], body: body(&token, &[saw]), ..commit })
    })
}

/// Changes the gate, or something beside it.
pub(super) fn turn(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let [gate, _] = places();
    let beside = scope.random.below(3) == 0;
    scope.ledger.begin(&token, &[]);
    attempt(store, scope, &token, |store| {
        let text = text_of(store, &gate)?;
        let (span, line) = line_of(&text)?;
        let change = match beside {
            true => Change::one(0, "", format!("beside {token}\n")),
            false => Change::one(span.start, line.to_owned(), format!("gate: {token}\n")),
        };
        let changes = vec![(gate.clone(), What::Edit(change))];
        let commit = Commit::new(format!("turn {token}"), store.head().number, changes);
        let saw = if beside { vec![] } else { vec![Saw::Line(&gate, line)] };
        Some(Commit { body: body(&token, &saw), ..commit })
    })
}

fn places() -> [ProjectPath; 2] {
    ["db/gate.md", "db/passed.md"].map(|path| documents(&[path]).remove(0))
}

fn line_of(text: &str) -> Option<(Range<usize>, &str)> {
    let start = text.find("gate: ")?;
    let end = start + text[start..].find('\n')? + 1;
    Some((start..end, &text[start..end]))
}
