//! Which documents the two protocols have, and which columns their tables: by the seeds, in the order of the seeds.
//! Must not know how a table is read.

use super::protocol::Kind as ProjectKind;

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    Runs,
    Instructions,
    Catalog,
    Phases,
    Stages,
    SubStages,
    Tasks,
    ToolTasks,
    SetPhases,
    SetStages,
    Procedures,
}

/// A document of a known kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) table: Table,
    /// The run it is of; empty if of all.
    pub(super) run: String,
    /// What stands in its name before the kind: the ids of what holds its rows, as they are written.
    pub(super) prefix: String,
}

/// What a document at a path is.
pub(super) fn of(kind: ProjectKind, path: &str) -> Option<Known> {
    let known = |table, run: &str, prefix: &str| Known { table, run: run.to_owned(), prefix: prefix.to_owned() };
    let names: Vec<&str> = path.split('/').collect();
    match names.as_slice() {
        ["db", "process_runs.md"] => Some(known(Table::Runs, "", "")),
        ["db", "user_instructions.md"] => Some(known(Table::Instructions, "", "")),
        ["settings", "set_phases.md"] => Some(known(Table::SetPhases, "", "")),
        ["settings", "set_stages.md"] => Some(known(Table::SetStages, "", "")),
        ["settings" | "guidelines", "mcp_list.md"] => Some(known(Table::Procedures, "", "")),
        _ if crate::is_catalog(path) => {
            let named = names.last()?.strip_suffix("_knowledge_base_catalog.md").unwrap_or_default();
            let folder = if names.first() == Some(&"runs") { names.get(1).copied().unwrap_or_default() } else { "" };
            Some(known(Table::Catalog, if named.is_empty() { folder } else { named }, ""))
        }
        ["runs", run, "db", name] => {
            let stem = name.strip_suffix(".md")?;
            let (table, prefix) = table_of(kind, stem)?;
            Some(known(table, run, prefix))
        }
        _ => None,
    }
}

fn table_of(kind: ProjectKind, stem: &str) -> Option<(Table, &str)> {
    let plain = match (kind, stem) {
        (_, "phases") => Some(Table::Phases),
        (ProjectKind::Multiverse, "major_stages" | "stages") => Some(Table::Stages),
        (ProjectKind::Multiverse, "tasks") => Some(Table::Tasks),
        (ProjectKind::Multiverse, "tool_tasks") => Some(Table::ToolTasks),
        _ => None,
    };
    if let Some(table) = plain {
        return Some((table, ""));
    }
    let endings = [
        ("_tool_tasks", Table::ToolTasks),
        ("_sub_stages", Table::SubStages),
        ("_substages", Table::SubStages),
        ("_tasks", Table::Tasks),
        ("_stages", Table::Stages),
    ];
    endings.into_iter().find_map(|(ending, table)| Some((table, stem.strip_suffix(ending)?)))
}

/// The columns of a table as the seed writes them; the first is its key.
pub(super) fn headers(kind: ProjectKind, table: Table) -> &'static [&'static str] {
    let own = match kind {
        ProjectKind::Multiverse => multiverse(table),
        ProjectKind::Lineage => lineage(table),
    };
    own.or_else(|| of_both(table)).unwrap_or(&[""])
}

/// Those that `multiverse` has otherwise.
fn multiverse(table: Table) -> Option<&'static [&'static str]> {
    Some(match table {
        Table::Runs => &["run_id", "user_request", "status", "current_phase_id", "current_stage_id", "current_task_id"],
        Table::Instructions => &[
            "instruction_id",
            "run_id",
            "instruction_type",
            "content",
            "status (ACTIVE, SUPERSEDED)",
            "superseded_by_id",
            "justification",
        ],
        Table::Catalog => &["file_path", "run_id", "asset_type", "source_task_id", "summary"],
        Table::Phases => &["phase_id", "run_id", "phase_name", "phase_purpose", "status"],
        Table::Stages => &["stage_id", "run_id", "phase_id", "stage_name", "stage_goal", "execution_order", "status"],
        Table::Tasks => &[
            "task_id",
            "run_id",
            "stage_id",
            "task_name",
            "task_purpose",
            "related_references",
            "output_path",
            "pre_tool_purpose",
            "post_tool_purpose",
            "execution_order",
            "status",
        ],
        _ => return None,
    })
}

/// Those that `lineage` has otherwise.
fn lineage(table: Table) -> Option<&'static [&'static str]> {
    Some(match table {
        Table::Runs => &[
            "run_id (PK)",
            "creation_timestamp",
            "user_request",
            "status",
            "current_phase_id",
            "current_stage_id",
            "current_sub_stage_id",
            "current_task_id",
        ],
        Table::Instructions => &[
            "instruction_id",
            "run_id",
            "instruction_type",
            "content_reason",
            "content_purpose",
            "status",
            "superseded_by_id",
            "justification",
        ],
        Table::Catalog => {
            &["file_path (PK)", "lineage_id", "data_type", "source_task_id", "source_files", "run_id", "summary"]
        }
        Table::Phases => &["phase_id", "run_id", "phase_name", "phase_reason", "phase_purpose", "status"],
        Table::Stages => &["stage_id", "run_id", "phase_id", "stage_name", "stage_reason", "stage_purpose", "status"],
        Table::Tasks => &[
            "task_id (PK)",
            "run_id (FK)",
            "sub_stage_id (FK)",
            "task_name",
            "task_reason",
            "task_purpose",
            "mcp_id (FK, Optional)",
            "related_references (FK)",
            "related_guidelines (FK, Optional)",
            "output_folder",
            "output_path",
            "pre_tool_reason (Optional)",
            "pre_tool_purpose (Optional)",
            "status",
        ],
        _ => return None,
    })
}

/// Those that are the same, or that only one of them has.
fn of_both(table: Table) -> Option<&'static [&'static str]> {
    Some(match table {
        Table::SubStages => {
            &["sub_stage_id", "run_id", "stage_id", "sub_stage_name", "sub_stage_reason", "sub_stage_purpose", "status"]
        }
        Table::ToolTasks => &[
            "tool_task_id",
            "run_id",
            "parent_task_id",
            "timing (PRE/POST)",
            "tool_type",
            "tool_task_name",
            "tool_task_purpose",
            "execution_order",
            "status",
            "related_references",
            "output_path",
        ],
        Table::SetPhases => &["phase_name", "phase_purpose", "output", "output_location_rule"],
        Table::SetStages => &["stage_name", "stage_reason", "stage_purpose", "analogy"],
        Table::Procedures => &["mcp_id (PK)", "mcp_name", "description", "steps", "expected_input", "expected_output"],
        _ => return None,
    })
}

/// The first word of a header.
pub(super) fn name_of(header: &str) -> &str {
    header.split(' ').next().unwrap_or(header)
}

/// Whether a table may do without a column: there is another place that says it, or it may be empty in every row.
pub(super) fn may_lack(table: Table, name: &str) -> bool {
    match table {
        Table::Catalog => name != "file_path",
        Table::ToolTasks => matches!(name, "related_references" | "output_path" | "execution_order"),
        Table::Runs => !matches!(name, "run_id" | "user_request" | "status"),
        Table::SetPhases => matches!(name, "output" | "output_location_rule"),
        Table::SetStages => name == "analogy",
        Table::Procedures => !matches!(name, "mcp_id" | "steps"),
        _ => matches!(name, "run_id" | "justification" | "superseded_by_id"),
    }
}

/// Whether a column that is missing can be put in with nothing in it, and nothing is claimed by that.
pub(super) fn may_be_empty(name: &str) -> bool {
    name.ends_with("_reason")
        || matches!(
            name,
            "mcp_id"
                | "related_guidelines"
                | "output_path"
                | "pre_tool_purpose"
                | "post_tool_purpose"
                | "execution_order"
        )
}

/// Columns that hold lists of paths.
pub(super) const LISTS: [&str; 3] = ["related_references", "related_guidelines", "source_files"];
