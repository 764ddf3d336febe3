//! After the accidents: the project is opened as anyone would, and what was promised is looked for.

use std::collections::BTreeMap;

use store::{
    CommitError, Due, Fault, Fs, HistoryError, Missing, Notice, ProjectPath, Record, Store, document_at, records,
    verify,
};

use super::deeds::{COUNTER, number_in};
use super::history::History;
use super::worker::numbers_of;
use super::{Event, Ledger, Plan, Work, shared_documents};
use crate::{Machine, Outcome, SimFs};

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding(pub String);

/// What the plan leaves of the promises.
#[derive(Debug, Clone, Copy)]
struct Promises {
    /// Somebody who saves without a sync may lose half of a file with the power, and one who saves slowly may be seen
    /// halfway where nobody can tell. What is left of such a file cannot be told from an edit that was meant, and is
    /// taken over as one; what it takes out stays in the history. An edit that was not taken over may go with the power,
    /// or with a file that nobody knew to be written still.
    edits_are_whole: bool,
    /// Half a line that was taken over is another line than the whole one that comes later: both stand.
    rows_stand_once: bool,
    /// People and processes take out what was committed, each time with a record.
    commits_stay: bool,
}

impl Promises {
    fn of(plan: &Plan) -> Self {
        let lost = plan.events().any(|event| matches!(event, Event::Loss(..)));
        let hidden = plan.events().any(|event| matches!(event, Event::HideWriters));
        let commits_stay = !matches!(plan.work, Work::Hands | Work::Past);
        Self { edits_are_whole: !lost && !hidden, rows_stand_once: !hidden, commits_stay }
    }
}

/// Opens the project twice (the second time nothing may be left to do) and reports every promise that is not kept.
pub(super) fn examine(machine: &Machine, ledger: &Ledger, plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    for _ in 0..2 {
        match machine.run_one(|fs| look_into(fs, ledger, plan)) {
            Outcome::Finished(found) => findings.extend(found),
            Outcome::Killed => findings.push(Finding("the examining process was killed".into())),
            Outcome::Panicked(message) => findings.push(Finding(message)),
        }
    }
    findings
}

fn look_into(fs: SimFs, ledger: &Ledger, plan: &Plan) -> Vec<Finding> {
    let reader = fs.clone();
    let mut store = match Store::open(fs, Missing::Create, ledger.listener()) {
        Ok(store) => store,
        Err(fault) => return vec![Finding(format!("it cannot be opened: {fault}"))],
    };
    let finished = store.finish().and_then(|()| store.place(Due::All));
    let mut findings = Vec::new();
    match finished {
        Err(fault) => findings.push(Finding(format!("it cannot be finished: {fault}"))),
        Ok(Some(_)) => findings.push(Finding("a document cannot be placed".into())),
        Ok(None) => {}
    }
    match check_meant(&store, ledger) {
        Ok(found) => findings.extend(found),
        Err(fault) => findings.push(Finding(format!("its records cannot be read: {fault}"))),
    }
    let adopted = adopt_shared(&mut store).unwrap_or_else(|error| {
        findings.push(Finding(format!("what was made again cannot be adopted: {error}")));
        None
    });
    let mut texts: BTreeMap<ProjectPath, String> = store
        .paths()
        .map(|path| (path.clone(), store.read(path).map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned())))
        .map(|(path, text)| (path, text.unwrap_or_default()))
        .collect();
    findings.extend(add_retired(&mut texts, &store, ledger));
    let history = match History::read(&reader) {
        Ok(history) => history,
        Err(fault) => return vec![Finding(format!("its history cannot be read: {fault}"))],
    };
    let promises = Promises::of(plan);
    let touched = if promises.edits_are_whole { "" } else { &history.touched_by_edits };
    findings.extend(check_commits(&texts, ledger, touched, &history, promises));
    if promises.edits_are_whole {
        findings.extend(check_saves(&texts, ledger, &history, promises));
    }
    findings.extend(history.check_bodies(ledger));
    if touched.is_empty() {
        findings.extend(history.misled.iter().cloned());
        findings.extend(check_counter(&texts, history.increments));
    }
    findings.extend(check_news(&mut store, adopted));
    findings.extend(check_journal(&reader));
    if let Err(fault) = store.close() {
        findings.push(Finding(format!("it cannot be closed: {fault}")));
    }
    findings
}

/// What a person did alone, after the journal was closed, is in the documents; or, of what was put back, it is told
/// what became of it.
pub(super) fn check_meant(store: &Store<SimFs>, ledger: &Ledger) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    let (meant, told) = {
        let mut deeds = ledger.deeds();
        (std::mem::take(&mut deeds.meant), std::mem::take(&mut deeds.told))
    };
    let mut merged = BTreeMap::new();
    if !meant.is_empty() {
        let take = |record: Record| merged.extend(record.docs.into_iter().map(|doc| (doc.path, doc.file.is_some())));
        records(store.fs(), take)?;
    }
    for (path, meant) in meant {
        let is_told = |notice: &Notice| matches!(notice, Notice::Stale { path: stale, .. } if *stale == path);
        let excused = meant.put_back && (merged.get(&path) == Some(&true) || told.iter().any(is_told));
        let content = store.read(&path).map(text::Text::to_vec);
        if content != meant.content && !excused {
            let [there, meant] =
                [content, meant.content].map(|bytes| bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
            findings.push(Finding(format!("a person alone left {meant:?} in {path}, and there is {there:?}")));
        }
    }
    Ok(findings)
}

/// A document that was retired is in the journal, and no longer in memory.
fn add_retired(texts: &mut BTreeMap<ProjectPath, String>, store: &Store<SimFs>, ledger: &Ledger) -> Vec<Finding> {
    let mut findings = Vec::new();
    let own_files = ledger.deeds().own_files.clone();
    for path in own_files.into_iter().filter(|path| store.read(path).is_none()) {
        match document_at(store.fs(), &path, store.head().number) {
            Ok(Some(text)) => drop(texts.insert(path, String::from_utf8_lossy(&text.to_vec()).into_owned())),
            Ok(None) | Err(HistoryError::NoDocument { .. }) => {}
            Err(error) => findings.push(Finding(format!("{path} cannot be read from the journal: {error}"))),
        }
    }
    findings
}

/// A file that was made again after its removal is not the store's until somebody says so.
pub(super) fn adopt_shared(store: &mut Store<SimFs>) -> Result<Option<u64>, CommitError> {
    let mut made = Vec::new();
    for path in shared_documents() {
        if store.read(&path).is_none() && store.fs().look(&path)?.is_some() {
            made.push(path);
        }
    }
    store.adopt(&made)
}

/// Every acknowledged commit is there, no other is half there, none is there twice.
fn check_commits(
    texts: &BTreeMap<ProjectPath, String>,
    ledger: &Ledger,
    touched: &str,
    history: &History,
    promises: Promises,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let deeds = ledger.deeds();
    for deed in &deeds.begun {
        let count = |path| texts.get(path).map_or(0, |text| text.matches(&deed.token).count());
        let counts: Vec<usize> = deed.documents.iter().map(count).collect();
        let acknowledged = deeds.acknowledged.contains(&deed.token);
        let whole = deed.documents.iter().zip(&counts).all(|(path, count)| match count {
            0 => !promises.commits_stay && history.took_out(path, &deed.token),
            1 => true,
            _ => !promises.rows_stand_once,
        });
        let nothing = counts.iter().all(|count| *count == 0);
        if deeds.refused.contains(&deed.token) && !nothing {
            findings
                .push(Finding(format!("commit {} was refused and is in its documents {counts:?} times", deed.token)));
        }
        if !(whole || nothing && !acknowledged || touched.contains(&deed.token)) {
            let promise = if acknowledged { "acknowledged" } else { "begun" };
            findings
                .push(Finding(format!("commit {} was {promise} and is in its documents {counts:?} times", deed.token)));
        }
    }
    findings
}

/// No edit is lost, and none is taken twice, whatever the person did to it since.
fn check_saves(
    texts: &BTreeMap<ProjectPath, String>,
    ledger: &Ledger,
    history: &History,
    promises: Promises,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let deeds = ledger.deeds();
    let kept = deeds.saved.iter().map(|deed| (deed, true));
    for (deed, stays) in kept.chain(deeds.given_up.iter().map(|deed| (deed, false))) {
        for path in &deed.documents {
            let count = texts.get(path).map_or(0, |text| text.matches(&deed.token).count());
            let may_be_gone = !stays || !promises.commits_stay && history.took_out(path, &deed.token);
            if count > 1 || count == 0 && !may_be_gone {
                findings.push(Finding(format!("the edit {} is in {path} {count} times", deed.token)));
            }
        }
    }
    findings
}

/// The number is what was counted: no step of it was lost or taken twice.
fn check_counter(texts: &BTreeMap<ProjectPath, String>, increments: u64) -> Option<Finding> {
    let text = texts.iter().find(|(path, _)| path.as_str() == COUNTER).map(|(_, text)| text.as_str());
    let number = text.map_or(Some(0), number_in);
    (number != Some(increments)).then(|| Finding(format!("{increments} were counted, and the counter says {number:?}")))
}

/// What was folded at the checkpoint and what is news since then are all records, each once.
fn check_news(store: &mut Store<SimFs>, adopted: Option<u64>) -> Option<Finding> {
    let folded = numbers_of(store);
    let news: Vec<u64> = match store.take_news() {
        Ok(news) => news.iter().map(|record| record.number).collect(),
        Err(fault) => return Some(Finding(format!("its news cannot be taken: {fault}"))),
    };
    let head = store.head().number;
    let complete = folded.iter().chain(&news).chain(&adopted).copied().eq(1..=head);
    (!complete).then(|| Finding(format!("of {head} records {folded:?} were folded and {news:?} are news")))
}

fn check_journal(fs: &SimFs) -> Vec<Finding> {
    match verify(fs, None) {
        Err(fault) => vec![Finding(format!("it cannot be verified: {fault}"))],
        Ok(found) => {
            let problems =
                found.problems.iter().map(|problem| Finding(format!("{}: {}", problem.path, problem.message)));
            let differing = found.differing.iter().map(|path| Finding(format!("{path} differs from the journal")));
            problems.chain(differing).collect()
        }
    }
}
