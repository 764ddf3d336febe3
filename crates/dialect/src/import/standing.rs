//! Tables against each other and against the files: work that was done and is still called PENDING, outputs that are not
//! named, parents that are over, inputs that are not there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use syntax::markdown::paths;

use super::Finding;
use super::ids;
use super::kinds::{LISTS, Table};
use super::paper::Paper;
use super::protocol::Kind as ProjectKind;
use super::resolve::{Meant, There};
use super::rows::change;
use crate::spelling::{bare, read_state};
use machine::State;

/// The stage of the tasks that prepare a run: they leave no files of their own.
const PREPARATION: &str = "S00";

pub(super) fn mend(papers: &mut [Paper], kind: ProjectKind, there: &There<'_>, findings: &mut Vec<Finding>) {
    let registered = Registered::of(papers, kind);
    for paper in papers.iter_mut().filter(|paper| matches!(paper.known.table, Table::Tasks | Table::ToolTasks)) {
        for row in paper.rows() {
            task(paper, row, kind, &registered, there, findings);
        }
    }
    inputs(papers, there, findings);
    parents(papers, kind, findings);
    runs(papers, there, findings);
}

/// What catalogs say was made.
struct Registered {
    paths: BTreeSet<String>,
    /// By run and task.
    by_task: HashMap<(String, String), Vec<String>>,
}

impl Registered {
    fn of(papers: &[Paper], kind: ProjectKind) -> Self {
        let mut this = Self { paths: BTreeSet::new(), by_task: HashMap::new() };
        for paper in papers.iter().filter(|paper| paper.known.table == Table::Catalog) {
            for row in paper.rows() {
                let (path, task) = (paper.word(row, "file_path"), paper.word(row, "source_task_id"));
                let is_tool = kind == ProjectKind::Multiverse && paper.word(row, "asset_type") == "TOOL_OUTPUT";
                if !path.is_empty() && !task.is_empty() && !is_tool {
                    let of_task = this.by_task.entry((paper.run_of(row), task)).or_default();
                    if !of_task.contains(&path) {
                        of_task.push(path.clone());
                    }
                }
                this.paths.insert(path);
            }
        }
        this
    }
}

fn task(
    paper: &mut Paper,
    row: usize,
    kind: ProjectKind,
    registered: &Registered,
    there: &There<'_>,
    findings: &mut Vec<Finding>,
) {
    let Some(state) = read_state(&paper.value(row, "status")) else { return };
    if !paper.has("output_path") || paper.word(row, "stage_id") == PREPARATION || state == State::Failed {
        return;
    }
    let line = paper.line(row);
    let (run, id) = (paper.run_of(row), full_id(paper, row, kind));
    let mut output = paper.word(row, "output_path");
    if output.is_empty() {
        let candidates = candidates(&run, &id, kind, registered, there);
        match (candidates.as_slice(), state) {
            ([only], _) => {
                change(paper, row, "output_path", only, "the file that bears the task's id", findings);
                output = only.clone();
            }
            ([], State::Completed) => {
                let hint = "name its file in output_path, or set it to PENDING and have it done again";
                findings.push(Finding::decide(
                    &paper.path,
                    line,
                    "COMPLETED, and no output can be told to be its",
                    hint,
                ));
            }
            ([], _) => {}
            (some, _) => {
                let hint = format!("one of {}", some.join(", "));
                findings.push(Finding::decide(&paper.path, line, "several files may be its output", hint));
            }
        }
    }
    let is_there = there.is_file(&output) && there.has_content(&output);
    match (state, is_there) {
        (State::Pending, true) if registered.paths.contains(&output) => {
            change(paper, row, "status", "COMPLETED", "its file is there, and catalogued", findings);
        }
        (State::Pending, true) => {
            let what = format!("PENDING, but {output} is there; no catalog lists it");
            let hint = "set it to COMPLETED and list the file if it is whole, or remove the file";
            findings.push(Finding::decide(&paper.path, line, what, hint));
        }
        (State::Completed, false) if !output.is_empty() => {
            let what = format!("COMPLETED, but {output} is not there, or empty");
            let hint = "bring the file back, or set it to PENDING and have it done again";
            findings.push(Finding::decide(&paper.path, line, what, hint));
        }
        _ => {}
    }
}

/// The id of a task as catalogs and files have it.
fn full_id(paper: &Paper, row: usize, kind: ProjectKind) -> String {
    let key = if paper.known.table == Table::ToolTasks { "tool_task_id" } else { "task_id" };
    let id = paper.word(row, key);
    match (kind, ids::full(&paper.known.prefix)) {
        (ProjectKind::Lineage, Some(prefix)) => format!("{prefix}_{id}"),
        _ => id,
    }
}

/// Files that bear a task's id: catalogued as its own, or called by it.
fn candidates(run: &str, id: &str, kind: ProjectKind, registered: &Registered, there: &There<'_>) -> Vec<String> {
    let own = registered.by_task.get(&(run.to_owned(), id.to_owned())).cloned().unwrap_or_default();
    let own: Vec<String> = own.into_iter().filter(|path| there.is_file(path)).collect();
    if !own.is_empty() || kind == ProjectKind::Multiverse {
        return own;
    }
    let folder = format!("runs/{run}/");
    let is_named = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.strip_prefix(id).is_some_and(|rest| rest.starts_with(['_', '.']))
    };
    there
        .paths()
        .filter(|path| path.starts_with(&folder) && path.contains("/workspace/"))
        .filter(is_named)
        .map(str::to_owned)
        .collect()
}

/// Inputs that are neither there nor planned.
fn inputs(papers: &[Paper], there: &There<'_>, findings: &mut Vec<Finding>) {
    let mut planned: BTreeSet<String> = BTreeSet::new();
    for paper in papers {
        planned.extend(paper.rows().into_iter().map(|row| paper.word(row, "output_path")));
    }
    for paper in papers.iter().filter(|paper| paper.known.table != Table::Procedures) {
        for row in paper.rows() {
            for list in LISTS {
                for entry in paths::read_paths(&paper.value(row, list)) {
                    let Meant::Nothing(same_name) = there.meant(&paper.run_of(row), &entry.path) else { continue };
                    if planned.contains(&entry.path) || entry.is_glob {
                        continue;
                    }
                    let hint = match same_name.as_slice() {
                        [] => "bring the file back, or take it out of the list".to_owned(),
                        some => format!("is {} meant?", some.join(", or ")),
                    };
                    let what = format!("{list} names {}, which is not there", entry.path);
                    findings.push(Finding::decide(&paper.path, paper.line(row), what, hint));
                }
            }
        }
    }
}

/// What holds only what is done is done itself; what is called done and holds what is not is told of.
fn parents(papers: &mut [Paper], kind: ProjectKind, findings: &mut Vec<Finding>) {
    let levels = [Table::Tasks, Table::SubStages, Table::Stages, Table::Phases];
    for pair in levels.windows(2) {
        let (below, above) = match (kind, pair) {
            (ProjectKind::Multiverse, [Table::Tasks, _]) => (Table::Tasks, Table::Stages),
            (ProjectKind::Multiverse, [Table::SubStages, _]) => continue,
            (_, [below, above]) => (*below, *above),
            _ => continue,
        };
        let children = children(papers, kind, below);
        for paper in papers.iter_mut().filter(|paper| paper.known.table == above) {
            let key = if above == Table::Phases {
                "phase_id"
            } else if above == Table::Stages {
                "stage_id"
            } else {
                "sub_stage_id"
            };
            for row in paper.rows() {
                let id = holder(kind, &paper.known.prefix, &paper.word(row, key));
                let Some((states, open)) = children.get(&(paper.known.run.clone(), id)) else { continue };
                let line = paper.line(row);
                match read_state(&paper.value(row, "status")) {
                    Some(State::Pending) if states.iter().all(|state| *state == State::Completed) => {
                        change(paper, row, "status", "COMPLETED", "all below it is", findings);
                    }
                    Some(State::Completed) if states.contains(&State::Pending) => {
                        let what = format!("COMPLETED, but {open} below it is PENDING");
                        let hint = "set this to PENDING to have the rest done, or the other to COMPLETED";
                        findings.push(Finding::decide(&paper.path, line, what, hint));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// By run and the id of what holds them: the states of rows, and one that is open.
type Children = BTreeMap<(String, String), (Vec<State>, String)>;

fn children(papers: &[Paper], kind: ProjectKind, table: Table) -> Children {
    let mut children = Children::new();
    for paper in papers.iter().filter(|paper| paper.known.table == table) {
        for row in paper.rows() {
            let Some(state) = read_state(&paper.value(row, "status")) else { continue };
            let (key, parent) = match table {
                Table::Tasks => ("task_id", "stage_id"),
                Table::SubStages => ("sub_stage_id", "stage_id"),
                _ => ("stage_id", "phase_id"),
            };
            let holder = match kind {
                ProjectKind::Lineage => ids::full(&paper.known.prefix).unwrap_or_default(),
                ProjectKind::Multiverse => paper.word(row, parent),
            };
            let (states, open) = children.entry((paper.known.run.clone(), holder)).or_default();
            if state == State::Pending && open.is_empty() {
                *open = paper.word(row, key);
            }
            states.push(state);
        }
    }
    children
}

fn holder(kind: ProjectKind, prefix: &str, id: &str) -> String {
    match (kind, ids::full(prefix)) {
        (ProjectKind::Lineage, Some(prefix)) => format!("{prefix}_{id}"),
        _ => id.to_owned(),
    }
}

/// The table of runs against their folders and phases.
fn runs(papers: &mut [Paper], there: &There<'_>, findings: &mut Vec<Finding>) {
    let mut phases: BTreeMap<String, Vec<State>> = BTreeMap::new();
    for paper in papers.iter().filter(|paper| paper.known.table == Table::Phases) {
        let states = paper.rows().into_iter().filter_map(|row| read_state(&paper.value(row, "status")));
        phases.entry(paper.known.run.clone()).or_default().extend(states);
    }
    let folders =
        there.paths().filter_map(|path| path.strip_prefix("runs/")?.split_once('/').map(|(run, _)| run.to_owned()));
    let mut unlisted: BTreeSet<String> = folders.collect();
    let Some(paper) = papers.iter_mut().find(|paper| paper.known.table == Table::Runs) else {
        let hint = "`multiverse init` makes the tables that are missing";
        return findings.push(Finding::decide("db/process_runs.md", 0, "there is no table of runs", hint));
    };
    for row in paper.rows() {
        let run = paper.word(row, "run_id");
        if run.is_empty() {
            continue;
        }
        unlisted.remove(&run);
        let line = paper.line(row);
        if !there.is_folder(&format!("runs/{run}")) {
            let hint = "bring its folder back, or leave it as history";
            findings.push(Finding::decide(&paper.path, line, format!("runs/{run}/ is not there"), hint));
        }
        let states = phases.get(&run).map(Vec::as_slice).unwrap_or_default();
        let written = paper.value(row, "status");
        match bare(&written).to_uppercase().as_str() {
            "PENDING" if !states.is_empty() && states.iter().all(|state| *state == State::Completed) => {
                change(paper, row, "status", "COMPLETED", "all its phases are", findings);
                for name in ["current_phase_id", "current_stage_id", "current_sub_stage_id", "current_task_id"] {
                    if !paper.word(row, name).is_empty() {
                        change(paper, row, name, "", "the run is over", findings);
                    }
                }
            }
            "COMPLETED" if states.contains(&State::Pending) => {
                let what = format!("{run} is COMPLETED, but a phase of it is PENDING");
                let hint = "set the run to PENDING to have the rest done, or the phase to COMPLETED";
                findings.push(Finding::decide(&paper.path, line, what, hint));
            }
            _ => {}
        }
    }
    for run in unlisted {
        let hint = "add a row for it, or remove the folder";
        findings.push(Finding::decide(&format!("runs/{run}/"), 0, "the table of runs does not have it", hint));
    }
}
