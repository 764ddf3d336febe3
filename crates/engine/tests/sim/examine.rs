//! What holds at every opening: the journal is whole, documents and facts say the same, files and catalog and statuses
//! appear together (MV-23), a failure is on every level (MV-25), and nothing that was promised is gone.

use std::collections::{BTreeMap, BTreeSet};

use engine::Service;
use machine::{Run, Status};
use sim::{Machine, SimFs};

use crate::journal::Facts;
use crate::log::SharedLog;
use crate::tables::{Files, cell, rows};

/// Looks at a project that was just opened, and takes note of what its journal has.
pub(crate) fn examine(machine: &Machine, service: &Service<SimFs>, log: &SharedLog) {
    let person = machine.person();
    let mut facts = Facts::of(person.fs());
    let mut found = std::mem::take(&mut facts.findings);
    match store::verify(person.fs(), None) {
        Ok(proof) => {
            found.extend(proof.problems.iter().map(|problem| format!("the journal: {problem:?}")));
            found.extend(proof.differing.iter().map(|path| format!("{path} is not what the journal makes it")));
        }
        Err(fault) => found.push(format!("the journal cannot be verified: {fault}")),
    }
    let files = machine.files();
    for run in facts.runs.values() {
        compare_view(service, run, &mut found);
    }
    examine_documents(&files, &facts, &mut found);
    let mut log = log.lock();
    found.extend(log.started.difference(&facts.assigned).map(|lost| format!("{lost:?} was begun and is not durable")));
    let begun = log.begun.iter().filter(|run| !facts.runs.contains_key(*run));
    found.extend(begun.map(|run| format!("{run} was said to have begun, and is gone")));
    for (run, times) in &log.answered {
        if facts.answered.get(run).is_none_or(|taken| taken < times) {
            found.push(format!("an answer to {run} was taken, and is gone"));
        }
    }
    log.findings.extend(found);
    log.known = facts;
}

/// Looks at a project that nobody has open, whose runs are all over.
pub(crate) fn examine_end(machine: &Machine, log: &SharedLog) {
    let person = machine.person();
    let mut facts = Facts::of(person.fs());
    let mut found = std::mem::take(&mut facts.findings);
    for run in facts.runs.values().filter(|run| !matches!(run.status, Status::Completed | Status::Failed)) {
        found.push(format!("{} is {:?} in the end", run.id, run.status));
    }
    match store::verify(person.fs(), None) {
        Ok(proof) if proof.problems.is_empty() && proof.differing.is_empty() => {}
        other => found.push(format!("in the end: {other:?}")),
    }
    examine_documents(&machine.files(), &facts, &mut found);
    log.lock().findings.extend(found);
}

/// The engine's own fold says what the journal says.
fn compare_view(service: &Service<SimFs>, run: &Run, found: &mut Vec<String>) {
    let Some(view) = service.view(&run.id) else {
        found.push(format!("{} is in the journal, and the engine does not know it", run.id));
        return;
    };
    let status = dialect::status_word(run.status);
    if view.status != status {
        found.push(format!("{} is {status} by the journal and {} by the engine", run.id, view.status));
    }
    let theirs: BTreeMap<_, _> = view.items.iter().map(|item| (item.id.as_str(), item.status)).collect();
    let ours = run.items.iter().map(|item| (item.id.as_str(), dialect::state_word(item.state)));
    // Of runs that are over the engine keeps no items.
    if view.mode.is_some() && theirs != ours.collect() {
        found.push(format!("{} has other items by the engine: {theirs:?}", run.id));
    }
    let fences: BTreeSet<u64> = view.attempts.iter().map(|attempt| attempt.fence).collect();
    if view.mode.is_some() && fences != run.attempts.keys().copied().collect() {
        found.push(format!("{} has other attempts by the engine: {fences:?}", run.id));
    }
}

fn examine_documents(files: &Files, facts: &Facts, found: &mut Vec<String>) {
    let table = rows(files, "db/process_runs.md");
    let listed: BTreeSet<&str> = table.iter().map(|row| cell(row, "run_id")).collect();
    let known: BTreeSet<&str> = facts.runs.keys().map(String::as_str).collect();
    if listed != known {
        found.push(format!("the table has the runs {listed:?}, the journal {known:?}"));
    }
    for row in &table {
        let (id, status) = (cell(row, "run_id"), cell(row, "status"));
        let Some(run) = facts.runs.get(id) else { continue };
        if status != dialect::status_word(run.status) {
            found.push(format!("{id} is {status:?} in the table and {:?} by the journal", run.status));
        }
        examine_run(files, run, found);
    }
    examine_catalog(files, facts, found);
}

/// MV-23, MV-25, MV-35 in one run's documents.
fn examine_run(files: &Files, run: &Run, found: &mut Vec<String>) {
    let id = &run.id;
    let catalog = rows(files, "db/knowledge_base_catalog.md");
    let mut failed = BTreeSet::new();
    let mut states: BTreeMap<String, String> = BTreeMap::new();
    for (document, column) in
        [("phases", "phase_id"), ("major_stages", "stage_id"), ("tasks", "task_id"), ("tool_tasks", "tool_task_id")]
    {
        for row in rows(files, &format!("runs/{id}/db/{document}.md")) {
            let (item, status, output) = (cell(&row, column), cell(&row, "status"), cell(&row, "output_path"));
            states.insert(item.into(), status.into());
            match status {
                "PENDING" => {}
                "FAILED" => drop(failed.insert(item.to_string())),
                "COMPLETED" if output.is_empty() => {}
                "COMPLETED" => {
                    if files.get(output).is_none_or(Vec::is_empty) {
                        found.push(format!("{id} {item} is COMPLETED without its file {output}"));
                    }
                    let listed = catalog.iter().filter(|row| cell(row, "file_path") == output);
                    let count = listed.filter(|row| cell(row, "source_task_id") == item).count();
                    if count != 1 {
                        found.push(format!("{id} {item} is COMPLETED and stands {count} times in the catalog"));
                    }
                }
                other => found.push(format!("{id} {item} has the status {other:?}, which is none")),
            }
        }
    }
    let ours: BTreeMap<String, String> =
        run.items.iter().map(|item| (item.id.clone(), dialect::state_word(item.state).to_string())).collect();
    if ours != states {
        found.push(format!("{id}: the tables say {states:?}, the journal {ours:?}"));
    }
    let expected = run.failure.as_ref().map(|failure| failure.items.iter().cloned().collect()).unwrap_or_default();
    if failed != expected {
        found.push(format!("{id}: {failed:?} are FAILED, and should be {expected:?}"));
    }
    let reported = files.contains_key(&format!("runs/{id}/failure_report.md"));
    if reported != (run.status == Status::Failed) {
        found.push(format!("{id} is {:?}, with a failure report: {reported}", run.status));
    }
    for path in files.keys().filter(|path| is_work_of(path, id)) {
        let owner = run.items.iter().find(|item| item.output == **path);
        if !owner.is_some_and(|item| item.core_done || item.state == machine::State::Completed) {
            found.push(format!("{path} is there though nothing that leaves it is done: {owner:?}"));
        }
    }
}

fn is_work_of(path: &str, run: &str) -> bool {
    path.starts_with(&format!("runs/{run}/workspace/")) || path.starts_with(&format!("outputs/{run}/"))
}

/// Whatever a task left is in the catalog when the task is done, and not before.
fn examine_catalog(files: &Files, facts: &Facts, found: &mut Vec<String>) {
    for row in rows(files, "db/knowledge_base_catalog.md") {
        let (path, run, task) = (cell(&row, "file_path"), cell(&row, "run_id"), cell(&row, "source_task_id"));
        if !files.contains_key(path) {
            found.push(format!("{path} stands in the catalog and is not there"));
        }
        let item = facts.runs.get(run).and_then(|run| run.item(task));
        if !item.is_some_and(|item| item.state == machine::State::Completed) {
            found.push(format!("{path} stands in the catalog though {run} {task} is not done"));
        }
    }
}
