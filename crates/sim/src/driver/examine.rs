//! After the accident: the project is opened as anyone would, and what was promised is looked for.

use std::collections::BTreeMap;

use store::{Due, Kind, Missing, Piece, ProjectPath, Store, verify};

use super::{Accident, Ledger};
use crate::{Machine, Outcome, SimFs};

/// A broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding(pub String);

/// Opens the project twice (the second time nothing may be left to do) and reports every promise that is not kept.
pub fn examine(machine: &Machine, ledger: &Ledger, accident: Accident) -> Vec<Finding> {
    let mut findings = Vec::new();
    for _ in 0..2 {
        match machine.run_one(|fs| look_into(fs, ledger, accident)) {
            Outcome::Finished(found) => findings.extend(found),
            Outcome::Killed => findings.push(Finding("the examining process was killed".into())),
            Outcome::Panicked(message) => findings.push(Finding(message)),
        }
    }
    findings
}

fn look_into(fs: SimFs, ledger: &Ledger, accident: Accident) -> Vec<Finding> {
    let reader = fs.clone();
    let mut store = match Store::open(fs, Missing::Create, Box::new(|_| {})) {
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
    let texts: BTreeMap<ProjectPath, String> = store
        .paths()
        .map(|path| (path.clone(), store.read(path).map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned())))
        .map(|(path, text)| (path, text.unwrap_or_default()))
        .collect();
    let removed = match accident {
        Accident::PowerLoss(..) => removed_by_edits(&reader),
        _ => String::new(),
    };
    findings.extend(check_commits(&texts, ledger, &removed));
    if !matches!(accident, Accident::PowerLoss(..)) {
        findings.extend(check_saves(&texts, ledger));
    }
    findings.extend(check_journal(&reader));
    if let Err(fault) = store.close() {
        findings.push(Finding(format!("it cannot be closed: {fault}")));
    }
    findings
}

/// What edits by hand took out. Somebody who saves without a sync while nobody is at work may lose half of a file with
/// the power; what is left of it cannot be told from an edit that was meant, and is taken over as one.
fn removed_by_edits(fs: &SimFs) -> String {
    let mut removed = String::new();
    let read = store::records(fs, |record| {
        let edits = record.docs.iter().filter(|_| record.kind == Kind::Edit).flat_map(|doc| &doc.edits);
        for edit in edits {
            if let Piece::Text(text) = &edit.cut {
                removed += text;
            }
        }
    });
    read.map(|_| removed).unwrap_or_default()
}

/// Every acknowledged commit is there, no other is half there, none is there twice.
fn check_commits(texts: &BTreeMap<ProjectPath, String>, ledger: &Ledger, removed: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let deeds = ledger.deeds();
    for deed in &deeds.begun {
        let counts: Vec<usize> = deed
            .documents
            .iter()
            .map(|path| texts.get(path).map_or(0, |text| text.matches(&deed.token).count()))
            .collect();
        let acknowledged = deeds.acknowledged.contains(&deed.token);
        let whole = counts.iter().all(|count| *count == 1);
        let nothing = counts.iter().all(|count| *count == 0);
        if !(whole || nothing && !acknowledged || removed.contains(&deed.token)) {
            let promise = if acknowledged { "acknowledged" } else { "begun" };
            findings
                .push(Finding(format!("commit {} was {promise} and is in its documents {counts:?} times", deed.token)));
        }
    }
    findings
}

/// No edit is lost, and none is taken twice.
fn check_saves(texts: &BTreeMap<ProjectPath, String>, ledger: &Ledger) -> Vec<Finding> {
    let mut findings = Vec::new();
    for deed in &ledger.deeds().saved {
        for path in &deed.documents {
            let count = texts.get(path).map_or(0, |text| text.matches(&deed.token).count());
            if count != 1 {
                findings.push(Finding(format!("the edit {} is in {path} {count} times", deed.token)));
            }
        }
    }
    findings
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
