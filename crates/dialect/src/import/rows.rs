//! One table after the other: ids, statuses, lists and paths as the protocol writes them, rows that are broken or there
//! twice. What needs other tables is not done here.

use std::collections::{BTreeMap, HashMap};

use syntax::markdown::paths;

use super::Finding;
use super::ids::{self, Level};
use super::kinds::{LISTS, Table, headers, name_of};
use super::paper::Paper;
use super::protocol::Kind as ProjectKind;
use super::resolve::{Meant, There};
use super::words;
use crate::spelling::{bare, read_state, read_status};

/// Mends what can be told from the table alone and the files that there are.
pub(super) fn mend(paper: &mut Paper, kind: ProjectKind, there: &There<'_>, findings: &mut Vec<Finding>) {
    for row in paper.rows() {
        shape(paper, row, findings);
    }
    if matches!(paper.known.table, Table::SetPhases | Table::SetStages | Table::Procedures) {
        return same_twice(paper, kind, findings);
    }
    key_ids(paper, kind, findings);
    for row in paper.rows() {
        if !paper.known.run.is_empty() && paper.has("run_id") && paper.word(row, "run_id").is_empty() {
            let run = paper.known.run.clone();
            change(paper, row, "run_id", &run, "was empty", findings);
        }
        foreign_ids(paper, kind, row, findings);
        status(paper, row, findings);
        for list in LISTS {
            list_of_paths(paper, list, row, there, findings);
        }
        one_path(paper, "output_path", row, there, findings);
        if paper.known.table == Table::Catalog {
            one_path(paper, "file_path", row, there, findings);
        }
        folder(paper, row, there, findings);
    }
    if paper.known.table != Table::Catalog {
        same_twice(paper, kind, findings);
    }
}

/// Sets a cell and tells of it.
pub(super) fn change(
    paper: &mut Paper,
    row: usize,
    name: &str,
    value: &str,
    why: &str,
    findings: &mut Vec<Finding>,
) -> bool {
    let (line, before) = (paper.line(row), paper.value(row, name));
    let is_set = paper.set(row, name, value);
    if is_set {
        let what = match (before.is_empty(), value.is_empty()) {
            (true, _) => format!("`{value}`"),
            (false, true) => format!("`{before}` taken out"),
            (false, false) => format!("`{before}` → `{value}`"),
        };
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        findings.push(Finding::mended(&paper.path, line, format!("{name}: {what}{why}")));
    }
    is_set
}

/// Cells that are too many or too few.
fn shape(paper: &Paper, row: usize, findings: &mut Vec<Finding>) {
    let (cells, width) = paper.cells(row);
    let line = paper.line(row);
    if cells > width {
        let what =
            format!("the row has {cells} cells, and the header {width}: what is behind the last column is not read");
        let hint = "a `|` within a cell is written `\\|`";
        findings.push(Finding::decide(&paper.path, line, what, hint));
    } else if cells < width {
        let what = format!("the row has {cells} of {width} cells; the rest reads as empty");
        findings.push(Finding::found(&paper.path, line, what));
    }
}

/// Ids that the rows are known by: all of a table, or none where two would become one.
fn key_ids(paper: &mut Paper, kind: ProjectKind, findings: &mut Vec<Finding>) {
    let key = name_of(headers(kind, paper.known.table)[0]);
    let Some(level) = ids::level_of(key) else { return };
    let mut by_id: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for row in paper.rows() {
        let written = paper.word(row, key);
        match ids::canonical(kind, level, &written) {
            Some(id) => by_id.entry(id).or_default().push((row, written)),
            None if written.is_empty() => {
                let hint = "give it one, or remove the row";
                findings.push(Finding::decide(&paper.path, paper.line(row), format!("the row has no {key}"), hint));
            }
            // Any id that can be told from others is read by `multiverse`.
            None if kind == ProjectKind::Multiverse => {}
            None => {
                let what = format!("`{written}` is no id of this level");
                let hint = format!("write it like {}", example(kind, level));
                findings.push(Finding::decide(&paper.path, paper.line(row), what, hint));
            }
        }
    }
    for (id, rows) in by_id {
        let is_one = rows.iter().all(|(_, written)| *written == rows[0].1);
        for (row, written) in rows {
            if !is_one {
                let what = format!("`{written}` would be {id}, and another row, too");
                findings.push(Finding::decide(&paper.path, paper.line(row), what, "give one of them another number"));
            } else if written != id {
                change(paper, row, key, &id, "", findings);
            }
        }
    }
}

fn example(kind: ProjectKind, level: Level) -> String {
    ids::canonical(kind, level, "1").unwrap_or_default()
}

/// Ids of what a row belongs to, or stands at.
fn foreign_ids(paper: &mut Paper, kind: ProjectKind, row: usize, findings: &mut Vec<Finding>) {
    let key = name_of(headers(kind, paper.known.table)[0]);
    for name in headers(kind, paper.known.table).iter().map(|header| name_of(header)).filter(|name| *name != key) {
        let written = paper.word(row, name);
        let mended = match (name, kind) {
            _ if written.is_empty() || written.contains(',') => None,
            ("source_task_id", ProjectKind::Lineage) => {
                ids::full(&written).filter(|full| full.matches('_').count() >= 3)
            }
            ("source_task_id", ProjectKind::Multiverse) => {
                let level = if written.to_uppercase().starts_with("TT") { Level::ToolTask } else { Level::Task };
                ids::canonical(kind, level, &written)
            }
            _ => ids::level_of(name).and_then(|level| ids::canonical(kind, level, &written)),
        };
        if let Some(id) = mended.filter(|id| *id != written) {
            change(paper, row, name, &id, "", findings);
        }
    }
}

fn status(paper: &mut Paper, row: usize, findings: &mut Vec<Finding>) {
    let is_run = paper.known.table == Table::Runs;
    if matches!(paper.known.table, Table::Instructions | Table::Catalog) || !paper.has("status") {
        return;
    }
    let written = paper.value(row, "status");
    let is_read = match is_run {
        true => read_status(&written).is_some(),
        false => read_state(&written).is_some(),
    };
    if is_read {
        return;
    }
    match words::status(&written).filter(|word| is_run || *word != "AWAITING_CONFIRMATION") {
        Some(word) => drop(change(paper, row, "status", word, "", findings)),
        None => {
            let what = match bare(&written) {
                "" => "the row has no status".to_owned(),
                word => format!("`{word}` is no status"),
            };
            let hint = "use PENDING, COMPLETED or FAILED";
            findings.push(Finding::decide(&paper.path, paper.line(row), what, hint));
        }
    }
}

/// A list in any form becomes an array, its paths as they are meant.
fn list_of_paths(paper: &mut Paper, name: &str, row: usize, there: &There<'_>, findings: &mut Vec<Finding>) {
    let written = paper.value(row, name);
    if matches!(written.trim(), "" | "-" | "–" | "—" | "N/A" | "n/a" | "None" | "none" | "없음") {
        if !matches!(written.trim(), "") {
            change(paper, row, name, "", "nothing", findings);
        }
        return;
    }
    let run = paper.run_of(row);
    let mut meant = Vec::new();
    for entry in paths::read_paths(&written) {
        let path = match there.meant(&run, &entry.path) {
            Meant::Other(path) => path,
            Meant::Itself | Meant::Pattern | Meant::Nothing(_) => entry.path,
        };
        if !meant.contains(&path) {
            meant.push(path);
        }
    }
    let array = paths::write_paths(&meant);
    let is_array =
        written.trim().starts_with('[') && syntax::json::parse(written.trim().as_bytes()).problems.is_empty();
    if !is_array || !paths::read_paths(&written).iter().map(|entry| &entry.path).eq(&meant) {
        change(paper, row, name, &array, "", findings);
    }
}

fn one_path(paper: &mut Paper, name: &str, row: usize, there: &There<'_>, findings: &mut Vec<Finding>) {
    let written = paper.value(row, name);
    let run = paper.run_of(row);
    if written.trim().is_empty() {
        return;
    }
    if let Meant::Other(path) = there.meant(&run, &written)
        && path != bare(&written)
    {
        change(paper, row, name, &path, "", findings);
    }
}

/// A folder that is called by another name.
fn folder(paper: &mut Paper, row: usize, there: &There<'_>, findings: &mut Vec<Finding>) {
    let written = paper.word(row, "output_folder");
    let plain = written.trim_start_matches("./").trim_end_matches('/');
    let run = paper.run_of(row);
    let meant = match plain.strip_prefix("output/") {
        Some(rest) if !there.is_folder(plain) => Some(format!("outputs/{rest}")),
        None if plain == "workspace" && !run.is_empty() => Some(format!("runs/{run}/workspace")),
        _ => None,
    };
    if let Some(path) = meant {
        change(paper, row, "output_folder", &path, "", findings);
    }
}

/// Rows of one key: the same again goes, another one is told of.
fn same_twice(paper: &mut Paper, kind: ProjectKind, findings: &mut Vec<Finding>) {
    let key = name_of(headers(kind, paper.known.table)[0]);
    let mut seen: HashMap<String, usize> = HashMap::new();
    for row in paper.rows() {
        let id = paper.word(row, key);
        if id.is_empty() {
            continue;
        }
        let Some(first) = seen.get(&id).copied() else {
            seen.insert(id, row);
            continue;
        };
        let (line, above) = (paper.line(row), paper.line(first));
        if paper.whole(first) == paper.whole(row) {
            findings.push(Finding::mended(
                &paper.path,
                line,
                format!("`{id}` is there twice with the same words: this row goes"),
            ));
            paper.drop_row(row);
        } else {
            let what = format!("`{id}` is there twice with other words, first in line {above}, which counts");
            findings.push(Finding::decide(&paper.path, line, what, "keep one of them, or give this one another id"));
        }
    }
}
