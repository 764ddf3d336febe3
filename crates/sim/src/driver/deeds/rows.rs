//! Rows in tables that all processes share: appended, set to done, cells filled; in several kinds of documents.

use bytes::Bytes;
use store::{Commit, CommitError, Store, What};
use text::{Change, Splice};

use super::{Scope, attempt, body, text_of};
use crate::SimFs;
use crate::driver::{Work, shared_documents};

/// How many rows a large table has.
const ROWS: usize = 200;

/// A row with the step's token into one or several documents.
pub(super) fn append(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let (name, work) = (scope.name, scope.work);
    change_tables(store, scope, |text, token| add_row(text, token, name, work))
}

/// The step's token into a cell of one or several large tables.
pub(super) fn fill_cells(store: &mut Store<SimFs>, scope: &mut Scope<'_>) -> Result<(), CommitError> {
    let row = scope.random.below(ROWS);
    change_tables(store, scope, |text, token| fill_cell(text, token, row))
}

fn change_tables(
    store: &mut Store<SimFs>,
    scope: &mut Scope<'_>,
    change: impl Fn(Option<String>, &str) -> What,
) -> Result<(), CommitError> {
    let token = scope.token();
    let mut documents = shared_documents();
    while documents.len() > 1 && scope.random.below(2) == 0 {
        documents.remove(scope.random.below(documents.len()));
    }
    scope.ledger.begin(&token, &documents);
    attempt(store, scope, &token, |store| {
        let changes = documents.iter().map(|path| (path.clone(), change(text_of(store, path), &token)));
        let commit = Commit::new(format!("row {token}"), store.head().number, changes.collect());
        Some(Commit { body: body(&token, &[]), ..commit })
    })
}

/// A new row at the end; and the process's oldest open row is done.
pub(super) fn add_row(text: Option<String>, token: &str, name: usize, work: Work) -> What {
    let end = if work == Work::Crlf { "\r\n" } else { "\n" };
    let row = format!("| {token} | PENDING | |");
    let (before, after) = if work == Work::Unended { (end, "") } else { ("", end) };
    let Some(content) = text else {
        let head = format!("| id | status | note |{end}| --- | --- | --- |");
        return What::Create(Bytes::from(match work {
            Work::Unended => format!("{head}{before}{row}"),
            _ => format!("{head}{end}{row}{after}"),
        }));
    };
    let row = format!("{before}{row}{after}");
    let mut splices = vec![Splice { at: content.len(), cut: Bytes::new(), put: row.into() }];
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        let open = " | PENDING |";
        if line.starts_with(&format!("| p{name}-"))
            && let Some(found) = line.find(open)
        {
            splices.push(Splice { at: at + found, cut: open.into(), put: " | DONE |".into() });
            break;
        }
        at += line.len();
    }
    What::Edit(Change::from_splices(splices))
}

/// The token into the last cell of a row.
fn fill_cell(text: Option<String>, token: &str, row: usize) -> What {
    let Some(content) = text else {
        let rows: String =
            (0..ROWS).map(|one| format!("| R{one} | PENDING | {} |\n", if one == row { token } else { "" })).collect();
        return What::Create(Bytes::from(format!("| id | status | note |\n| --- | --- | --- |\n{rows}")));
    };
    let start = content.find(&format!("| R{row} |")).unwrap_or_default();
    let length = content[start..].find('\n').unwrap_or(content.len() - start);
    let at = start + content[start..start + length].trim_end_matches([' ', '|']).len();
    // An empty cell keeps its own bar.
    let at = at.max(start + content[start..start + length].find("PENDING |").map_or(0, |bar| bar + "PENDING |".len()));
    What::Edit(Change::one(at, "", format!(" {token}")))
}
