//! The documents of the protocol `lineage`: its tables as data. Must not hold rules: those that it shares with other
//! protocols stand beside it, and those that it does not are in the machine's table.

use crate::layout::Need::{Checked, Engine, Optional, Required};
use crate::layout::{
    Column, Definition, Field, GlobalDocument, InputFolder, Layout, LevelDocument, Need, OneFor, Procedures, Protocol,
    RunIds, SettingsDocument,
};

/// The user's phases.
pub const PHASES: &str = "settings/set_phases.md";
/// The user's stages.
pub const STAGES: &str = "settings/set_stages.md";

const fn column(header: &'static str, field: Field, need: Need) -> Column {
    Column { header, field, need }
}

/// Its documents.
pub static PROTOCOL: Protocol = Protocol {
    hierarchy: &machine::LINEAGE,
    runs: GlobalDocument {
        path: "db/process_runs.md",
        layout: Layout {
            title: "Runs",
            purpose: "Every run of this project, its status, and what is being worked on now.",
            columns: &[
                column("run_id (PK)", Field::Id, Engine),
                column("creation_timestamp", Field::Created, Engine),
                column("user_request", Field::Request, Engine),
                column("status", Field::Status, Engine),
                column("current_phase_id", Field::Current(0), Engine),
                column("current_stage_id", Field::Current(1), Engine),
                column("current_sub_stage_id", Field::Current(2), Engine),
                column("current_task_id", Field::Current(3), Engine),
            ],
        },
    },
    catalog: GlobalDocument {
        path: "db/{run_id}_knowledge_base_catalog.md",
        layout: Layout {
            title: "Knowledge base of the run",
            purpose: "Every file that this run used first or made: its family, what it was made from, and what is in it.",
            columns: &[
                column("file_path (PK)", Field::Id, Engine),
                column("lineage_id", Field::Lineage, Engine),
                column("data_type", Field::AssetType, Engine),
                column("source_task_id", Field::Source, Engine),
                column("source_files", Field::SourceFiles, Engine),
                column("run_id", Field::Run, Engine),
                column("summary", Field::Summary, Engine),
            ],
        },
    },
    instructions: GlobalDocument {
        path: "db/user_instructions.md",
        layout: Layout {
            title: "User instructions",
            purpose: "What was agreed with the user, what still holds, and what replaced the rest.",
            columns: &[
                column("instruction_id (PK)", Field::Id, Engine),
                column("run_id (FK)", Field::Run, Engine),
                column("instruction_type", Field::InstructionType, Engine),
                column("content_reason", Field::ContentReason, Engine),
                column("content_purpose", Field::Content, Engine),
                column("status", Field::Status, Engine),
                column("superseded_by_id", Field::SupersededBy, Engine),
                column("justification", Field::Justification, Engine),
            ],
        },
    },
    template: SettingsDocument {
        document: GlobalDocument {
            path: PHASES,
            layout: Layout {
                title: "Phases",
                purpose: "The phases that a run goes through, in this order. Yours to change between runs: names are unique, \
                          `output_location_rule` names a folder below `outputs/` (`{phase_id}` and `{phase_name}` stand for the phase's own).",
                columns: &[
                    column("phase_name", Field::Name, Required),
                    column("phase_purpose", Field::Purpose, Required),
                    column("output", Field::More("output"), Optional),
                    column("output_location_rule", Field::Folder, Optional),
                ],
            },
        },
        rows: &[
            &[
                "Groundwork",
                "Find out what the material says: take it apart into checked statements with their places, and say where it contradicts itself.",
                "An evidence base: what is known, from where, and what is open.",
                "outputs/{phase_id}_{phase_name}/",
            ],
            &[
                "Document",
                "Write the document that was asked for, from the evidence base and the material.",
                "The finished document, in the forms that were asked for.",
                "outputs/{phase_id}_{phase_name}/",
            ],
        ],
    },
    template_below: Some(SettingsDocument {
        document: GlobalDocument {
            path: STAGES,
            layout: Layout {
                title: "Stages",
                purpose: "The stages of every phase, in this order. Yours to change between runs. A further column `phase_name` \
                          would keep a stage to the phases that it names.",
                columns: &[
                    column("stage_name", Field::Name, Required),
                    column("stage_reason", Field::More("stage_reason"), Required),
                    column("stage_purpose", Field::Purpose, Required),
                    column("analogy", Field::More("analogy"), Optional),
                ],
            },
        },
        rows: &[
            &[
                "ANALYZING",
                "Nothing can be built on material that nobody has taken apart.",
                "Take the sources apart into statements that can be checked.",
                "A surveyor walks the ground before anyone draws.",
            ],
            &[
                "STRATEGIZING",
                "What matters most must be decided before it is written.",
                "Rank what was found, and decide how to reach the phase's purpose.",
                "An architect chooses the plan that the ground allows.",
            ],
            &[
                "DRAFTING",
                "A whole that can be read shows what is missing.",
                "Order what was chosen into a draft with its sources.",
                "The frame goes up, and its gaps are seen.",
            ],
            &[
                "VALIDATING",
                "A draft that nobody checked against its sources is an opinion.",
                "Check the draft against the sources, and name what does not hold.",
                "An inspector measures the frame against the plan.",
            ],
            &[
                "REFINING",
                "What was found in checking has to reach the text.",
                "Bring the draft and the findings of the check together.",
                "Joints are planed until they close.",
            ],
            &[
                "GENERATING_OUTPUT",
                "Only what is published can be used.",
                "Publish what the phase is to leave, where its rule says.",
                "The house is handed over, with its keys.",
            ],
        ],
    }),
    run_ids: RunIds::Numbered,
    definition: Definition::Users,
    inputs: &[
        InputFolder {
            folder: "data",
            asset_type: "ORIGINAL_INPUT",
            catalog: Some(GlobalDocument {
                path: "db/data_base_catalog.md",
                layout: Layout {
                    title: "Data",
                    purpose: "Every file of `data/`, and what is in it.",
                    columns: &INPUT_COLUMNS,
                },
            }),
            also: "",
        },
        InputFolder {
            folder: "guidelines",
            asset_type: "GUIDELINE_DOC",
            catalog: Some(GlobalDocument {
                path: "db/guidelines_base_catalog.md",
                layout: Layout {
                    title: "Guidelines",
                    purpose: "Every file of `guidelines/`, and what is in it.",
                    columns: &INPUT_COLUMNS,
                },
            }),
            also: "db/guidelins_base_catalog.md",
        },
    ],
    procedures: Procedures {
        path: "settings/mcp_list.md",
        layout: Some(Layout {
            title: "Procedures",
            purpose: "Procedures of several steps that a task can be done by (`mcp_id`). The Planner turns their steps into tool tasks.",
            columns: &[
                column("mcp_id (PK)", Field::Id, Engine),
                column("mcp_name", Field::Name, Engine),
                column("description", Field::More("description"), Engine),
                column("steps", Field::More("steps"), Engine),
                column("expected_input", Field::More("expected_input"), Engine),
                column("expected_output", Field::More("expected_output"), Engine),
            ],
        }),
    },
    feedback: "data/{run_id}_feedback_for_user.md",
    folders: &["db", "runs", "outputs", "data", "guidelines", "settings"],
    run_folders: &[],
    levels: &[
        LevelDocument {
            file: "phases.md",
            plural: "phases",
            one_for: OneFor::Run,
            layout: Layout {
                title: "Phases",
                purpose: "The phases of this run and how far each is.",
                columns: &[
                    column("phase_id (PK)", Field::Id, Optional),
                    column("run_id (FK)", Field::Run, Engine),
                    column("phase_name", Field::Name, Checked),
                    column("phase_reason", Field::More("phase_reason"), Checked),
                    column("phase_purpose", Field::Purpose, Checked),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "stages.md",
            plural: "stages",
            one_for: OneFor::Parent,
            layout: Layout {
                title: "Stages",
                purpose: "The stages of this phase and how far each is.",
                columns: &[
                    column("stage_id (PK)", Field::Id, Optional),
                    column("run_id (FK)", Field::Run, Engine),
                    column("phase_id (FK)", Field::Parent, Optional),
                    column("stage_name", Field::Name, Checked),
                    column("stage_reason", Field::More("stage_reason"), Checked),
                    column("stage_purpose", Field::Purpose, Checked),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "sub_stages.md",
            plural: "sub_stages",
            one_for: OneFor::Parent,
            layout: Layout {
                title: "Sub-stages",
                purpose: "The sub-stages of this stage: what each is for, and how far it is.",
                columns: &[
                    column("sub_stage_id (PK)", Field::Id, Optional),
                    column("run_id (FK)", Field::Run, Engine),
                    column("stage_id (FK)", Field::Parent, Optional),
                    column("sub_stage_name", Field::Name, Checked),
                    column("sub_stage_reason", Field::More("sub_stage_reason"), Checked),
                    column("sub_stage_purpose", Field::Purpose, Checked),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "tasks.md",
            plural: "tasks",
            one_for: OneFor::Parent,
            layout: Layout {
                title: "Tasks",
                purpose: "The tasks of this sub-stage: what each reads, does and leaves.",
                columns: &[
                    column("task_id (PK)", Field::Id, Optional),
                    column("run_id (FK)", Field::Run, Engine),
                    column("sub_stage_id (FK)", Field::Parent, Optional),
                    column("task_name", Field::Name, Checked),
                    column("task_reason", Field::More("task_reason"), Checked),
                    column("task_purpose", Field::Purpose, Checked),
                    column("mcp_id (FK, Optional)", Field::Procedure, Optional),
                    column("related_references (FK)", Field::Inputs, Checked),
                    column("related_guidelines (FK, Optional)", Field::Guidelines, Optional),
                    column("output_folder", Field::Folder, Checked),
                    column("output_path", Field::Output, Optional),
                    column("pre_tool_reason (Optional)", Field::More("pre_tool_reason"), Optional),
                    column("pre_tool_purpose (Optional)", Field::PreTool, Optional),
                    column("status", Field::Status, Engine),
                ],
            },
        },
        LevelDocument {
            file: "tool_tasks.md",
            plural: "tool_tasks",
            one_for: OneFor::Parent,
            layout: Layout {
                title: "Tool tasks",
                purpose: "What tools do for this task, in this order.",
                columns: &[
                    column("tool_task_id (PK)", Field::Id, Optional),
                    column("run_id (FK)", Field::Run, Engine),
                    column("parent_task_id (FK)", Field::Parent, Optional),
                    column("timing", Field::Timing, Optional),
                    column("tool_type", Field::Tool, Checked),
                    column("tool_task_name", Field::Name, Checked),
                    column("tool_task_purpose", Field::Purpose, Checked),
                    column("related_references", Field::Inputs, Optional),
                    column("output_path", Field::Output, Optional),
                    column("status", Field::Status, Engine),
                ],
            },
        },
    ],
};

/// The columns of what is known of inputs.
static INPUT_COLUMNS: [Column; 2] = [column("file_path", Field::Id, Engine), column("summary", Field::Summary, Engine)];
