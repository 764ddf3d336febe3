//! A process that commits: rows with tokens of its own into one or several documents, now and then something larger,
//! a look at edits, a placing, a checkpoint.

use bytes::Bytes;
use store::{Commit, CommitError, Due, Missing, ProjectPath, Store, What};
use text::{Change, Text};

use super::{Deed, Ledger, Plan, shared_documents};
use crate::{Random, SimFs};

/// How often a deed is decided again before something must be wrong.
const TRIES: usize = 200;

#[allow(clippy::panic, reason = "a panic of a simulated process is a finding of the test")]
pub(super) fn write(fs: SimFs, plan: Plan, process: usize, ledger: &Ledger) {
    let mut random = Random::new(plan.seed ^ (process as u64 + 1) << 32);
    let mut store = match Store::open(fs, Missing::Create, Box::new(|_| {})) {
        Ok(store) => store,
        Err(fault) => panic!("process {process} cannot open: {fault}"),
    };
    for step in 0..plan.steps {
        let done = match random.below(12) {
            0..7 => commit_rows(&mut store, &mut random, process, step, ledger),
            7 => commit_file(&mut store, &mut random, process, step, ledger),
            8 => store.look().map(|_| ()).map_err(Into::into),
            9 => store.place(Due::Now).map(|_| ()).map_err(Into::into),
            10 => store.checkpoint(None).map(|_| ()).map_err(Into::into),
            _ => {
                store::Fs::pause(store.fs(), std::time::Duration::from_millis(random.below(80) as u64));
                Ok(())
            }
        };
        if let Err(error) = done {
            panic!("process {process}, step {step}: {error}");
        }
    }
    // Not every process ends as it should.
    if random.below(3) > 0
        && let Err(fault) = store.close()
    {
        panic!("process {process} cannot close: {fault}");
    }
}

fn commit_rows(
    store: &mut Store<SimFs>,
    random: &mut Random,
    process: usize,
    step: usize,
    ledger: &Ledger,
) -> Result<(), CommitError> {
    let token = format!("p{process}-{step}-");
    let mut documents = shared_documents();
    while documents.len() > 1 && random.below(2) == 0 {
        documents.remove(random.below(documents.len()));
    }
    begin(ledger, &token, &documents);
    attempt(store, ledger, &token, |store| {
        let changes = documents.iter().map(|path| (path.clone(), add_row(store.read(path), &token, process)));
        Commit::new(format!("row {token}"), store.head().number, changes.collect())
    })
}

/// A file of its own, sometimes too large or too strange for a record; sometimes taken away again later.
fn commit_file(
    store: &mut Store<SimFs>,
    random: &mut Random,
    process: usize,
    step: usize,
    ledger: &Ledger,
) -> Result<(), CommitError> {
    let token = format!("p{process}-{step}-");
    let Ok(path) = ProjectPath::document(&format!("outputs/p{process}/{step}.bin")) else { return Ok(()) };
    let mut content = token.clone().into_bytes();
    match random.below(3) {
        0 => content.extend(std::iter::repeat_n(b'x', 70_000)),
        1 => content.extend([0xff, 0xfe, 0]),
        _ => {}
    }
    begin(ledger, &token, std::slice::from_ref(&path));
    attempt(store, ledger, &token, |store| {
        Commit::new(
            format!("file {token}"),
            store.head().number,
            vec![(path.clone(), What::Create(Bytes::from(content.clone())))],
        )
    })
}

fn begin(ledger: &Ledger, token: &str, documents: &[ProjectPath]) {
    ledger.deeds().begun.push(Deed { token: token.into(), documents: documents.to_vec() });
}

/// Decides and commits until nobody was faster.
fn attempt(
    store: &mut Store<SimFs>,
    ledger: &Ledger,
    token: &str,
    decide: impl Fn(&Store<SimFs>) -> Commit,
) -> Result<(), CommitError> {
    for _ in 0..TRIES {
        let commit = decide(store);
        match store.commit(commit) {
            Ok(_) => {
                ledger.deeds().acknowledged.push(token.into());
                return Ok(());
            }
            Err(CommitError::Conflict { .. } | CommitError::Exists(_) | CommitError::Unknown(_)) => {
                store.catch_up()?;
                store.look()?;
                store::Fs::pause(store.fs(), std::time::Duration::from_millis(10));
            }
            Err(error) => return Err(error),
        }
    }
    store.commit(decide(store)).map(|_| ())
}

/// A new row at the end; and the process's oldest open row is done.
fn add_row(text: Option<&Text>, token: &str, process: usize) -> What {
    let row = format!("| {token} | PENDING | |\n");
    let Some(text) = text else {
        return What::Create(Bytes::from(format!("| id | status | note |\n| --- | --- | --- |\n{row}")));
    };
    let content = String::from_utf8_lossy(&text.to_vec()).into_owned();
    let mut splices = vec![text::Splice { at: text.len(), cut: Bytes::new(), put: row.into() }];
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        let open = " | PENDING |";
        if line.starts_with(&format!("| p{process}-"))
            && let Some(found) = line.find(open)
        {
            splices.push(text::Splice { at: at + found, cut: open.into(), put: " | DONE |".into() });
            break;
        }
        at += line.len();
    }
    What::Edit(Change::from_splices(splices))
}
