//! Whole files: each process's own, sometimes too large or too strange for a record; and a few that all processes
//! create, write and delete.

use bytes::Bytes;
use store::{Commit, CommitError, ProjectPath, Store, What};

use super::{Saw, Scope, attempt, body, text_of};
use crate::SimFs;
use crate::driver::documents;

/// A file of its own.
pub(super) fn make_own(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let Ok(path) = ProjectPath::document(&format!("outputs/p{}/{}.bin", scope.name, scope.step)) else {
        return Ok(());
    };
    let mut content = token.clone().into_bytes();
    match scope.random.below(3) {
        0 => content.extend(std::iter::repeat_n(b'x', 70_000)),
        1 => content.extend([0xff, 0xfe, 0]),
        _ => {}
    }
    scope.ledger.begin(&token, std::slice::from_ref(&path));
    attempt(store, scope, &token, |store| {
        let what = What::Create(Bytes::from(content.clone()));
        let commit = Commit::new(format!("file {token}"), store.head().number, vec![(path.clone(), what)]);
        Some(Commit { body: body(&token, &[]), ..commit })
    })
}

/// A file that others change too: made when there is none, else written anew or taken away.
pub(super) fn change_shared(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let token = scope.token();
    let paths = documents(&["outputs/one.md", "outputs/two.md"]);
    let path = &paths[scope.random.below(paths.len())];
    let deletes = scope.random.below(2) == 0;
    // What one writes another replaces: the journal says whether it was right to.
    scope.ledger.begin(&token, &[]);
    attempt(store, scope, &token, |store| {
        let text = text_of(store, path);
        let what = match &text {
            None => What::Create(Bytes::from(format!("made by {token}\n"))),
            Some(_) if deletes => What::Delete,
            Some(text) => What::Write(Bytes::from(format!("{text}written by {token}\n"))),
        };
        let commit = Commit::new(format!("shared file {token}"), store.head().number, vec![(path.clone(), what)]);
        Some(Commit { body: body(&token, &[Saw::Whole(path, text)]), ..commit })
    })
}
