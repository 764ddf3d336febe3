//! What a step's facts change in the documents of a profile's run: the status where it differs, one more row of the
//! trace and of the ledger, the file of a gate's decision. Must not decide anything.

use machine::profile::{CommitNote, ENGINE, Fact, GateStatus, Mode, Move, MoveOutcome, Run};
use syntax::data::{Kind, Value};
use syntax::data_edit::{DataRefusal, revise_json, write_json};
use syntax::{Document, json};
use text::{Change, Text};

use super::paths::{ARCHIVE, LEDGER, STATUS, TRACE, artifact_path, slug};
use super::status::{Beside, status};
use crate::desk::Edit;
use crate::sheet::Revision;
use crate::trouble::Trouble;

const TRACE_HEADER: &str =
    "timestamp,profile,from_step_index,from_phase,from_role,to_step_index,to_phase,to_role,outcome,message";
const LEDGER_HEADER: &str = "# Commit ledger\n\nOne commit for each step, by the role that did it.\n\n\
                             | Timestamp | Role | Step | Commit | Message |\n|---|---|---|---|---|\n";

/// The documents that a step changes, by path; `run` is the run after it, `read` gives a document as it is.
pub fn lower(
    run: &Run,
    facts: &[Fact],
    beside: &Beside,
    read: &dyn Fn(&str) -> Option<Text>,
) -> Result<Vec<(String, Edit)>, Trouble> {
    let mut edits = Vec::new();
    let in_folder = |name: &str| artifact_path(&run.idea.headline, &run.idea.id, name);
    let begins = facts.iter().any(|fact| matches!(fact, Fact::Started { .. }));
    write_status(&mut edits, run, facts, beside, read)?;
    let rows: String = facts.iter().filter_map(|fact| Some(trace_row(run, moved(fact)?))).collect();
    if !rows.is_empty() || begins {
        let path = in_folder(TRACE);
        let old = read(&path).filter(|_| !begins);
        edits.extend(appended(path, old, &format!("{TRACE_HEADER}\n"), &rows));
    }
    let commits: Vec<&CommitNote> = facts.iter().filter_map(committed).collect();
    if !commits.is_empty() || (begins && read(&in_folder(LEDGER)).is_some()) {
        let path = in_folder(LEDGER);
        let old = read(&path).filter(|_| !begins);
        edits.extend(ledger(path, old, &commits)?);
    }
    for fact in facts {
        if let Fact::GateDecided { gate, status, by, reason, outputs, at } = fact {
            let content = gate_document(run.profile.mode, gate, *status, by, reason, at);
            edits.extend(outputs.iter().map(|output| (output.path.clone(), Edit::Write(content.clone()))));
        }
    }
    Ok(edits)
}

/// What a gate's decision leaves: the decision, who, when, why. What the engine itself approves in a simulation is not
/// dated by the clock: the same input leaves the same bytes (PF-09); the status and the trace have the time.
pub fn gate_document(mode: Mode, gate: &str, status: GateStatus, by: &str, reason: &str, at: &str) -> String {
    let at = match mode {
        Mode::Simulation if by == ENGINE => "as soon as everything before it was done",
        _ => at,
    };
    let decision = match status {
        GateStatus::Pending => "pending",
        GateStatus::Approved => "approved",
        GateStatus::Rejected => "rejected",
    };
    let reason = reason.trim().replace("\r\n", "\n").replace('\n', "\n> ");
    format!("# Gate {gate}\n\n- Decision: {decision}\n- By: {by}\n- At: {at}\n\n> {reason}\n")
}

/// A run that begins archives whatever status was there, whole, and starts clean.
fn write_status(
    edits: &mut Vec<(String, Edit)>,
    run: &Run,
    facts: &[Fact],
    beside: &Beside,
    read: &dyn Fn(&str) -> Option<Text>,
) -> Result<(), Trouble> {
    let begins = facts.iter().any(|fact| matches!(fact, Fact::Started { .. }));
    let wanted = status(run, beside);
    let old = read(STATUS);
    let Some(before) = old.filter(|_| !begins) else {
        if let Some(old) = read(STATUS) {
            let bytes = old.to_vec();
            let root = json::parse(&bytes).root;
            let of = root.as_ref().and_then(|root| root.value("active_run_id")).and_then(|id| id.as_text());
            let of = of.map(slug).filter(|id| !id.is_empty()).unwrap_or_else(|| "unknown".into());
            let path = format!("{ARCHIVE}/{of}_until_{}/status.json", slug(&run.id));
            edits.push((path, Edit::Write(String::from_utf8_lossy(&bytes).into_owned())));
        }
        edits.push((STATUS.into(), Edit::Write(write_json(&wanted))));
        return Ok(());
    };
    let bytes = before.to_vec();
    // Where nothing became so, an edit by hand is looked at: what it may not say is put back, and told.
    let wanted = if facts.is_empty() { without_foreign_counts(wanted, &bytes) } else { wanted };
    let change = revise_json(&bytes, &wanted).map_err(|refusal| {
        let line = match &refusal {
            DataRefusal::Broken { line, .. } | DataRefusal::Twice { line, .. } => *line,
            _ => 0,
        };
        let hint = "mend it, or put the last good one back with `multiverse restore`".into();
        Trouble { path: STATUS.into(), line, reason: refusal.to_string(), hint }
    })?;
    if !change.is_empty() {
        edits.push((STATUS.into(), revised(before, change)));
    }
    Ok(())
}

fn revised(before: Text, change: Change) -> Edit {
    let after = change.apply(&before).unwrap_or_else(|_| before.clone());
    Edit::Change(Revision { change, before, after })
}

/// Counts of phases that were never sent back are what they are: none. Somebody else wrote them there.
fn without_foreign_counts(mut wanted: Value, bytes: &[u8]) -> Value {
    let root = json::parse(bytes).root;
    let written = root.as_ref().and_then(|root| root.value("review_cycles")).map(|node| &node.kind);
    let Value::Map(keys) = &mut wanted else { return wanted };
    let counts = keys.iter_mut().find(|(key, _)| key == "review_cycles").map(|(_, value)| value);
    if let (Some(Kind::Map(entries)), Some(Value::Map(counts))) = (written, counts) {
        for entry in entries {
            if !counts.iter().any(|(phase, _)| *phase == entry.key) {
                counts.push((entry.key.clone(), Value::Number("0".into())));
            }
        }
    }
    wanted
}

fn moved(fact: &Fact) -> Option<&Move> {
    match fact {
        Fact::Moved(moved) => Some(moved),
        _ => None,
    }
}

fn committed(fact: &Fact) -> Option<&CommitNote> {
    match fact {
        Fact::Worked { commit, .. } => commit.as_ref(),
        _ => None,
    }
}

fn trace_row(run: &Run, moved: &Move) -> String {
    let outcome = match moved.outcome {
        MoveOutcome::Advanced => "advanced",
        MoveOutcome::Rerouted => "rerouted",
        MoveOutcome::Blocked => "blocked",
        MoveOutcome::Waiting => "waiting",
    };
    let step = |index: usize| {
        let step = run.plan.get(index);
        let part = |text: Option<&str>| text.unwrap_or_default().to_owned();
        [index.to_string(), part(step.map(|step| step.phase.as_str())), part(step.map(|step| step.step.role.as_str()))]
    };
    let [from, from_phase, from_role] = step(moved.from);
    let [to, to_phase, to_role] = step(moved.to);
    let cells = [
        moved.at.as_str(),
        &run.profile.name,
        &from,
        &from_phase,
        &from_role,
        &to,
        &to_phase,
        &to_role,
        outcome,
        &moved.message,
    ];
    let cells: Vec<String> = cells.iter().map(|cell| csv(cell)).collect();
    format!("{}\n", cells.join(","))
}

/// A cell of a table of values between commas. A row is one line, so that any tool can follow the file.
fn csv(cell: &str) -> String {
    let cell = cell.replace("\r\n", " ").replace(['\n', '\r'], " ");
    match cell.contains([',', '"']) || cell.starts_with(['=', '+', '-', '@']) || cell.trim() != cell {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}

/// More at the end of a document, or a new one.
fn appended(path: String, old: Option<Text>, head: &str, rows: &str) -> Option<(String, Edit)> {
    let Some(before) = old else { return Some((path, Edit::Write(format!("{head}{rows}")))) };
    if rows.is_empty() {
        return None;
    }
    let bytes = before.to_vec();
    let gap = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
    let change = Change::one(bytes.len(), Vec::new(), format!("{gap}{rows}"));
    Some((path, revised(before, change)))
}

fn ledger(path: String, old: Option<Text>, commits: &[&CommitNote]) -> Result<Option<(String, Edit)>, Trouble> {
    let trouble = |reason: String| Trouble {
        path: path.clone(),
        line: 0,
        reason,
        hint: format!("put a table with the columns Timestamp, Role, Step, Commit, Message into {LEDGER}"),
    };
    let before = old.unwrap_or_default();
    let is_new = before.is_empty();
    let mut document = Document::parse(if is_new { LEDGER_HEADER.as_bytes().to_vec() } else { before.to_vec() });
    let table = document.tables().next().map(|table| table.id());
    let Some(table) = table else { return Err(trouble("there is no table".into())) };
    for commit in commits {
        let row = [&commit.at, &commit.role, &commit.step_id, &commit.sha, &commit.message];
        document.append_row(table, &row).map_err(|refusal| trouble(refusal.to_string()))?;
    }
    let after = document.to_bytes();
    if is_new {
        return Ok(Some((path, Edit::Write(String::from_utf8_lossy(&after).into_owned()))));
    }
    let change = text::diff(&before, &Text::from(after.to_vec()));
    Ok((!change.is_empty()).then(|| (path, revised(before, change))))
}
