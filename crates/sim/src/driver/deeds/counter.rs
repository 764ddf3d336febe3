//! A number that all processes count up: whoever decided on a number that somebody else has counted up since must
//! decide again.

use bytes::Bytes;
use store::{Commit, CommitError, Need, Store, What};
use text::Change;

use super::{Saw, Scope, attempt, body, text_of};
use crate::SimFs;
use crate::driver::documents;

/// Where the number stands.
pub(in crate::driver) const COUNTER: &str = "db/count.md";

/// The number in a counter's text.
pub(in crate::driver) fn number_in(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("count: ")).and_then(|number| number.trim().parse().ok())
}

/// Counts up once.
pub(super) fn increment(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Some(path) = documents(&[COUNTER]).pop() else { return Ok(()) };
    let way = scope.random.below(3);
    scope.ledger.begin(&token, &[]);
    attempt(store, scope, &token, |store| {
        let text = text_of(store, &path);
        let mut needs = Vec::new();
        let old = match text.as_deref() {
            // After half an edit the number may be gone: then there is nothing to count up.
            Some(text) => Some((text, number_in(text)?)),
            None => None,
        };
        let what = match (old, way) {
            (None, _) => What::Create(Bytes::from("count: 1\n")),
            (Some((text, number)), 0) => {
                let next = text.replacen(&line(number), &line(number + 1), 1);
                What::Write(Bytes::from(next))
            }
            (Some((text, number)), way) => {
                if way == 1 {
                    needs.push(Need::Whole(path.clone()));
                }
                let at = text.find(&line(number)).unwrap_or_default();
                What::Edit(Change::one(at, line(number), line(number + 1)))
            }
        };
        // Without a need, others may write elsewhere in the document: only the line must be as it was.
        let seen = old.map(|(_, number)| line(number)).unwrap_or_default();
        let saw = if way < 2 || text.is_none() { Saw::Whole(&path, text.clone()) } else { Saw::Line(&path, &seen) };
        let commit = Commit::new(format!("count {token}"), store.head().number, vec![(path.clone(), what)]);
        Some(Commit { needs, body: body(&token, &[saw]), ..commit })
    })
}

fn line(number: u64) -> String {
    format!("count: {number}\n")
}
