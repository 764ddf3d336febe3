//! The documents of the protocol `multiverse`: its tables as data. Must not hold rules that other
//! protocols of this kind share: those stand beside it.

use crate::layout::Need::{Engine, Optional, Required, RequiredInPhases};
use crate::layout::{
    Column, Definition, Field, GlobalDocument, InputFolder, Layout, LevelDocument, Need, OneFor, Procedures, Protocol,
    RunIds, SettingsDocument,
};

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
    template: SettingsDocument {
        document: GlobalDocument {
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
        rows: &[
            &[
                "P01",
                "ANALYZING",
                "Find out what there is: take the inputs apart into checked facts that later work can build on.",
            ],
            &[
                "P02",
                "STRATEGIZING",
                "Decide how to reach the goal: draw a strategy from the facts, with the reasons for it.",
            ],
            &[
                "P03",
                "REFINING_CONTENT",
                "Bring facts and strategy together into content that goes deeper than either.",
            ],
            &[
                "P04",
                "GENERATING_OUTPUT",
                "Plan how the parts fit together, make the parts, and publish the results in the formats that were asked for.",
            ],
        ],
    },
    template_below: None,
    run_ids: RunIds::Dated,
    definition: Definition::Fixed,
    inputs: &[
        InputFolder { folder: "assets", asset_type: "ORIGINAL_INPUT", catalog: None, also: "" },
        InputFolder { folder: "guidelines", asset_type: "GUIDELINE_DOC", catalog: None, also: "" },
    ],
    procedures: Procedures { path: "guidelines/mcp_list.md", layout: None },
    feedback: "runs/{run_id}/feedback_for_user.md",
    folders: &["db", "db/templates", "runs", "outputs", "assets", "guidelines"],
    run_folders: &["outputs/{run_id}"],
    levels: &[
        LevelDocument {
            file: "phases.md",
            plural: "phases",
            one_for: OneFor::Run,
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
            one_for: OneFor::Run,
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
            one_for: OneFor::Run,
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
            one_for: OneFor::Run,
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
