//! Rows that belong to whoever puts its name there first, as leases do.

use bytes::Bytes;
use store::{Commit, CommitError, Store, What};
use text::Change;

use super::{Saw, Scope, attempt, body, text_of};
use crate::SimFs;
use crate::driver::documents;

/// How many rows there are to claim.
const ROWS: usize = 5;

/// Claims some row that is free, or gives up on it when another was faster.
pub(super) fn claim(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Some(path) = documents(&["db/leases.md"]).pop() else { return Ok(()) };
    let row = scope.random.below(ROWS);
    scope.ledger.begin(&token, std::slice::from_ref(&path));
    attempt(store, scope, &token, |store| {
        let free = free(row);
        let Some(text) = text_of(store, &path) else {
            let rows: String = (0..ROWS).map(|one| self::free(one) + "\n").collect();
            let claimed = rows.replacen(&free, &taken(row, &token), 1);
            let changes = vec![(path.clone(), What::Create(Bytes::from(claimed)))];
            let commit = Commit::new(format!("claim {token}"), store.head().number, changes);
            return Some(Commit { body: body(&token, &[Saw::Whole(&path, None)]), ..commit });
        };
        let at = text.find(&free)? + free.find("PENDING")?;
        let change = Change::one(at, "PENDING", token.clone());
        let commit =
            Commit::new(format!("claim {token}"), store.head().number, vec![(path.clone(), What::Edit(change))]);
        Some(Commit { body: body(&token, &[Saw::Line(&path, &free)]), ..commit })
    })
}

fn free(row: usize) -> String {
    format!("| R{row} | PENDING |")
}

fn taken(row: usize, token: &str) -> String {
    format!("| R{row} | {token} |")
}
