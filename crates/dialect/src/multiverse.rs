//! The documents of the protocol `multiverse`: its tables as data, and the ways to and from them. Must not hold rules
//! that other protocols of this kind share: those stand beside it.

use machine::{Planned, Proposal, Run, Target};
use serde_json::{Map, Value};
use text::Text;

use crate::desk::Lowered;
use crate::layout::Need::{Engine, Optional, Required, RequiredInPhases};
use crate::layout::{Column, Field, GlobalDocument, Layout, LevelDocument, Need, Protocol};
use crate::lift::Lifted;
use crate::lower::Step;
use crate::restore::PutBack;
use crate::sheets::Sheets;
use crate::tables::{CatalogRow, InstructionRow, RunRow};
use crate::trouble::Trouble;
use crate::{draft, item_row, learned, lift as lifting, lower as lowering, prose, restore, schema, start, tables};

/// The table of runs.
pub const RUNS: &str = "db/process_runs.md";
/// The catalog of files.
pub const CATALOG: &str = "db/knowledge_base_catalog.md";
/// The instructions of users.
pub const INSTRUCTIONS: &str = "db/user_instructions.md";
/// The phases that every run has.
pub const TEMPLATE: &str = "db/templates/default_phases.md";

const fn column(header: &'static str, field: Field, need: Need) -> Column {
    Column { header, field, need }
}

/// Its documents.
pub static PROTOCOL: Protocol = Protocol {
    hierarchy: &machine::MULTIVERSE,
    runs: GlobalDocument {
        path: RUNS,
        layout: Layout {
            title: "Runs",
            purpose: "Every run of this project, its status, and what is being worked on now.",
            columns: &[
                column("run_id", Field::Id, Engine),
                column("user_request", Field::Request, Engine),
                column("status", Field::Status, Engine),
                column("current_phase_id", Field::Current(0), Engine),
                column("current_stage_id", Field::Current(1), Engine),
                column("current_task_id", Field::Current(2), Engine),
            ],
        },
    },
    catalog: GlobalDocument {
        path: CATALOG,
        layout: Layout {
            title: "Knowledge base",
            purpose: "Every file that runs were given or have made: what is in it, and where it came from.",
            columns: &[
                column("file_path", Field::Id, Engine),
                column("run_id", Field::Run, Engine),
                column("asset_type", Field::AssetType, Engine),
                column("source_task_id", Field::Source, Engine),
                column("summary", Field::Summary, Engine),
            ],
        },
    },
    instructions: GlobalDocument {
        path: INSTRUCTIONS,
        layout: Layout {
            title: "User instructions",
            purpose: "What was agreed with the user, what still holds, and what replaced the rest.",
            columns: &[
                column("instruction_id", Field::Id, Engine),
                column("run_id", Field::Run, Engine),
                column("instruction_type", Field::InstructionType, Engine),
                column("content", Field::Content, Engine),
                column("status (ACTIVE, SUPERSEDED)", Field::Status, Engine),
                column("superseded_by_id", Field::SupersededBy, Engine),
                column("justification", Field::Justification, Engine),
            ],
        },
    },
    template: GlobalDocument {
        path: TEMPLATE,
        layout: Layout {
            title: "Phases of every run",
            purpose: "The phases that a run goes through, in this order. They are part of the protocol and stay as they are.",
            columns: &[
                column("phase_id", Field::Id, Engine),
                column("phase_name", Field::Name, Engine),
                column("phase_purpose", Field::Purpose, Engine),
            ],
        },
    },
    template_rows: &[
        [
            "P01",
            "ANALYZING",
            "Find out what there is: take the inputs apart into checked facts that later work can build on.",
        ],
        [
            "P02",
            "STRATEGIZING",
            "Decide how to reach the goal: draw a strategy from the facts, with the reasons for it.",
        ],
        ["P03", "REFINING_CONTENT", "Bring facts and strategy together into content that goes deeper than either."],
        [
            "P04",
            "GENERATING_OUTPUT",
            "Plan how the parts fit together, make the parts, and publish the results in the formats that were asked for.",
        ],
    ],
    levels: &[
        LevelDocument {
            file: "phases.md",
            plural: "phases",
            layout: Layout {
                title: "Phases",
                purpose: "The phases of this run and how far each is.",
                columns: &[
                    column("phase_id", Field::Id, Optional),
                    column("run_id", Field::Run, Engine),
                    column("phase_name", Field::Name, Required),
                    column("phase_purpose", Field::Purpose, Required),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "major_stages.md",
            plural: "stages",
            layout: Layout {
                title: "Stages",
                purpose: "The stages of each phase: what each is to achieve, in which order.",
                columns: &[
                    column("stage_id", Field::Id, Optional),
                    column("run_id", Field::Run, Engine),
                    column("phase_id", Field::Parent, Optional),
                    column("stage_name", Field::Name, Required),
                    column("stage_goal", Field::Purpose, Required),
                    column("execution_order", Field::Order, Optional),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "tasks.md",
            plural: "tasks",
            layout: Layout {
                title: "Tasks",
                purpose: "The tasks of each stage: what each reads, does and leaves.",
                columns: &[
                    column("task_id", Field::Id, Optional),
                    column("run_id", Field::Run, Engine),
                    column("stage_id", Field::Parent, Optional),
                    column("task_name", Field::Name, Required),
                    column("task_purpose", Field::Purpose, Required),
                    column("related_references", Field::Inputs, RequiredInPhases),
                    column("output_path", Field::Output, RequiredInPhases),
                    column("pre_tool_purpose", Field::PreTool, Optional),
                    column("post_tool_purpose", Field::PostTool, Optional),
                    column("execution_order", Field::Order, Optional),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "tool_tasks.md",
            plural: "tool_tasks",
            layout: Layout {
                title: "Tool tasks",
                purpose: "What tools do before and after the core work of tasks.",
                columns: &[
                    column("tool_task_id", Field::Id, Optional),
                    column("run_id", Field::Run, Engine),
                    column("parent_task_id", Field::Parent, Optional),
                    column("timing (PRE/POST)", Field::Timing, Optional),
                    column("tool_type", Field::Tool, Required),
                    column("tool_task_name", Field::Name, Required),
                    column("tool_task_purpose", Field::Purpose, Required),
                    column("execution_order", Field::Order, Optional),
                    column("status", Field::Status, Engine),
                    column("related_references", Field::Inputs, Optional),
                    column("output_path", Field::Output, Required),
                ],
            },
        },
    ],
};

/// No documents yet.
pub fn sheets() -> Sheets {
    Sheets::new(&PROTOCOL)
}

/// The documents of a new project, each with its path.
pub fn initial_documents() -> Vec<(&'static str, String)> {
    start::documents(&PROTOCOL)
}

/// The folders of a new project, in the order in which they can be made.
pub fn folders() -> [&'static str; 6] {
    ["db", "db/templates", "runs", "outputs", "assets", "guidelines"]
}

/// The folders of a run, in the order in which they can be made.
pub fn run_folders(run_id: &str) -> Vec<String> {
    let workspace = format!("runs/{run_id}/workspace");
    let mut folders = vec![format!("runs/{run_id}"), format!("runs/{run_id}/db"), workspace.clone()];
    folders.extend(PROTOCOL.hierarchy.layers.iter().map(|layer| format!("{workspace}/{layer}")));
    folders.push(format!("outputs/{run_id}"));
    folders
}

/// The phases of the template; if it was changed, how: line by line.
pub fn check_template(text: &Text) -> Result<Vec<Planned>, String> {
    start::check_template(&PROTOCOL, text)
}

/// `runs/{run_id}/db/phases.md`.
pub fn phases(run_id: &str) -> String {
    format!("runs/{run_id}/db/phases.md")
}

/// `runs/{run_id}/db/major_stages.md`.
pub fn stages(run_id: &str) -> String {
    format!("runs/{run_id}/db/major_stages.md")
}

/// `runs/{run_id}/db/tasks.md`.
pub fn tasks(run_id: &str) -> String {
    format!("runs/{run_id}/db/tasks.md")
}

/// `runs/{run_id}/db/tool_tasks.md`.
pub fn tool_tasks(run_id: &str) -> String {
    format!("runs/{run_id}/db/tool_tasks.md")
}

/// Where the proposal to the user stands.
pub fn feedback(run_id: &str) -> String {
    prose::feedback_path(run_id)
}

/// The proposal as the user reads it; `content` gives what an earlier instruction says.
pub fn feedback_text(run: &Run, proposal: &Proposal, content: &mut dyn FnMut(&str) -> Option<String>) -> String {
    prose::feedback(run, proposal, content)
}

/// Where it is said what a run learns from.
pub fn learning_context(run_id: &str) -> String {
    learned::path(run_id)
}

/// A score as people read it.
pub fn score_text(score: u16) -> String {
    learned::written(score)
}

/// Where it is said how a run failed.
pub fn failure_report(run_id: &str) -> String {
    prose::failure_path(run_id)
}

/// The original error that a failure report tells; empty if it tells none.
pub fn error_in(report: &str) -> String {
    prose::error_in(report)
}

/// The tables of a run, the outermost level first.
pub fn run_documents(run_id: &str) -> Vec<String> {
    PROTOCOL.run_documents(run_id)
}

/// What a step changes in the documents. The sheets stay as they are: once it is committed, tell them with
/// [`Sheets::accept`]. `read` gives the text of a document that no sheet is held of.
pub fn lower(sheets: &mut Sheets, read: &dyn Fn(&str) -> Option<Text>, step: &Step<'_>) -> Result<Lowered, Trouble> {
    lowering::lower(sheets, read, step)
}

/// Makes the engine columns of some items, and of the run's own row, read as the state says again.
pub fn restore_cells(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    put_back: &PutBack<'_>,
) -> Result<Lowered, Trouble> {
    restore::restore(sheets, read, put_back)
}

/// The items of a run as its documents have them.
pub fn lift(read: &dyn Fn(&str) -> Option<Text>, run_id: &str) -> Lifted {
    lifting::lift(&PROTOCOL, read, run_id)
}

/// The row of one run in the table of runs.
pub fn lift_run_row(read: &dyn Fn(&str) -> Option<Text>, run_id: &str) -> Option<RunRow> {
    runs(&read(RUNS)?).into_iter().find(|row| row.run_id == run_id)
}

/// The rows of the table of runs.
pub fn runs(text: &Text) -> Vec<RunRow> {
    tables::runs(&PROTOCOL, text)
}

/// The instructions that hold.
pub fn active_instructions(text: &Text) -> Vec<InstructionRow> {
    instructions(text).into_iter().filter(|row| row.active).collect()
}

/// All instructions, with those that were replaced.
pub fn instructions(text: &Text) -> Vec<InstructionRow> {
    tables::instructions(&PROTOCOL, text)
}

/// The rows of the catalog.
pub fn catalog(text: &Text) -> Vec<CatalogRow> {
    tables::catalog(&PROTOCOL, text)
}

/// A path as it is meant, from the project's root: `workspace/…` alone is the run's own.
pub fn own_path(run_id: &str, path: &str) -> String {
    lifting::own_path(run_id, path)
}

/// The plan in an agent's result, or what is wrong with its form, each with its place.
pub fn draft_of(target: &Target, run_id: &str, result: &Value) -> Result<Vec<Planned>, Vec<String>> {
    draft::draft_of(&PROTOCOL, target, run_id, result)
}

/// The proposal in an agent's result, or what is wrong with its form, each with its place.
pub fn proposal_of(result: &Value) -> Result<Proposal, Vec<String>> {
    draft::proposal_of(result)
}

/// The JSON Schema of a result for this target.
pub fn result_schema(target: &Target) -> Value {
    schema::result_schema(&PROTOCOL, target)
}

/// The row of an item as an object with the protocol's column names; nothing if it has none.
pub fn item_object(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    run: &Run,
    id: &str,
) -> Result<Option<Map<String, Value>>, Trouble> {
    item_row::object(sheets, read, run, id)
}
