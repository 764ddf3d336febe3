//! The levels of a protocol as data: what differs between protocols of this kind stands here and nowhere else.

use alloc::format;
use alloc::string::String;

/// A protocol whose plans are a tree: the outermost level first, then what it holds; the last level but one is the
/// task, the last the tool task.
#[derive(Debug)]
pub struct Hierarchy {
    /// Its name.
    pub protocol: &'static str,
    /// Outermost first; the last two are task and tool task.
    pub levels: &'static [Level],
    /// Among what ids are unique.
    pub ids: Ids,
    /// Who names the files of tasks.
    pub placing: Placing,
    /// The tasks of the preparation, in order.
    pub prelude: &'static [PreludeTask],
    /// The stage id that the tasks of the preparation bear.
    pub prelude_parent: &'static str,
    /// Who plans the preparation.
    pub prelude_by: PreludeBy,
    /// The names of the outermost items, where these are fixed; each has a folder of its own below `workspace/`.
    pub layers: &'static [&'static str],
    /// What the files that work leaves are called in the catalog; the first rule that fits counts.
    pub assets: &'static [AssetRule],
    /// The level whose names these rules go by.
    pub asset_level: usize,
    /// What the files of tool tasks are called there.
    pub tool_asset: &'static str,
}

/// Among what ids are unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// In the run; items have an order of their own.
    InRun,
    /// Among siblings: an item is known by the ids of all that holds it, joined by `_`, and its own. Siblings are
    /// ordered by their numbers.
    InParent,
}

/// Who names the files of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placing {
    /// The planner, below the folder of the layer.
    ByPath,
    /// The planner names the folder, and code the file by the task's full id and name; a task adds, modifies or deletes.
    ByFolder,
}

/// Who plans the preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreludeBy {
    /// The planner is asked, and it has rows among the tasks; the template follows when the folders are there.
    Planner,
    /// Code, with all that comes from the template, in the run's first step; it has no rows in any document.
    Code,
}

/// What a file of a layer is called in the catalog (`asset_type`).
#[derive(Debug, PartialEq, Eq)]
pub struct AssetRule {
    /// The layer; empty for any.
    pub layer: &'static str,
    /// Which of its files.
    pub kind: AssetKind,
    /// What they are called.
    pub asset_type: &'static str,
}

/// Which files of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetKind {
    /// Those below `outputs/`.
    Published,
    /// Those whose file name has this in it, in lower case.
    Named(&'static str),
    /// The output of the first task of the phase, in plan order, that writes to the workspace.
    First,
    /// All.
    Any,
}

/// One level.
#[derive(Debug, PartialEq, Eq)]
pub struct Level {
    /// What an item of it is called: `phase`.
    pub name: &'static str,
    /// How its ids begin: `P`.
    pub letter: &'static str,
    /// How many digits its ids have at least.
    pub digits: usize,
    /// Where its items come from.
    pub source: Source,
    /// How the protocol spells its columns.
    pub columns: Columns,
}

/// How the protocol spells the columns of a level that have no name of their own.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns {
    /// `task_id`.
    pub id: &'static str,
    /// `task_name`.
    pub name: &'static str,
    /// `task_purpose`, `stage_goal`.
    pub purpose: &'static str,
    /// The item that it belongs to: `stage_id`.
    pub parent: &'static str,
    /// Why it is needed: `task_reason`; empty where a protocol has no such column.
    pub reason: &'static str,
}

/// Where the items of a level come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From the protocol's template.
    Template,
    /// From the planner, asked with this action.
    Planner {
        /// `plan_stages`, `plan_tasks`, `plan_tools`.
        action: &'static str,
    },
}

/// A task of the preparation.
#[derive(Debug, PartialEq, Eq)]
pub enum PreludeTask {
    /// Folders are made: T00. The proposal and the gate follow it.
    SetUp(&'static str),
    /// What was agreed becomes law: T02.
    Constitute(&'static str),
    /// Inputs are catalogued: T03.
    Catalog(&'static str),
    /// An agent writes the first analysis: T04, with its output below the run's workspace.
    Analyse(&'static str, &'static str),
}

/// The protocol `multiverse`.
pub static MULTIVERSE: Hierarchy = Hierarchy {
    protocol: "multiverse",
    ids: Ids::InRun,
    placing: Placing::ByPath,
    levels: &[
        Level {
            name: "phase",
            letter: "P",
            digits: 2,
            source: Source::Template,
            columns: Columns {
                id: "phase_id",
                name: "phase_name",
                purpose: "phase_purpose",
                parent: "run_id",
                reason: "",
            },
        },
        Level {
            name: "stage",
            letter: "S",
            digits: 2,
            source: Source::Planner { action: "plan_stages" },
            columns: Columns {
                id: "stage_id",
                name: "stage_name",
                purpose: "stage_goal",
                parent: "phase_id",
                reason: "",
            },
        },
        Level {
            name: "task",
            letter: "T",
            digits: 2,
            source: Source::Planner { action: "plan_tasks" },
            columns: Columns {
                id: "task_id",
                name: "task_name",
                purpose: "task_purpose",
                parent: "stage_id",
                reason: "",
            },
        },
        Level {
            name: "tool task",
            letter: "TT",
            digits: 2,
            source: Source::Planner { action: "plan_tools" },
            columns: Columns {
                id: "tool_task_id",
                name: "tool_task_name",
                purpose: "tool_task_purpose",
                parent: "parent_task_id",
                reason: "",
            },
        },
    ],
    prelude: &[
        PreludeTask::SetUp("T00"),
        PreludeTask::Constitute("T02"),
        PreludeTask::Catalog("T03"),
        PreludeTask::Analyse("T04", "ANALYZING/initial_analysis.md"),
    ],
    prelude_parent: "S00",
    prelude_by: PreludeBy::Planner,
    layers: &["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"],
    assets: &[
        AssetRule { layer: "ANALYZING", kind: AssetKind::Any, asset_type: "ANALYSIS_REPORT" },
        AssetRule { layer: "STRATEGIZING", kind: AssetKind::Any, asset_type: "STRATEGY_DOC" },
        AssetRule { layer: "REFINING_CONTENT", kind: AssetKind::Any, asset_type: "REFINED_CONTENT" },
        AssetRule { layer: "GENERATING_OUTPUT", kind: AssetKind::Published, asset_type: "FINAL_OUTPUT" },
        AssetRule { layer: "GENERATING_OUTPUT", kind: AssetKind::Named("assembly"), asset_type: "ASSEMBLY_PLAN" },
        AssetRule { layer: "GENERATING_OUTPUT", kind: AssetKind::Named("plan"), asset_type: "ASSEMBLY_PLAN" },
        AssetRule { layer: "GENERATING_OUTPUT", kind: AssetKind::First, asset_type: "ASSEMBLY_PLAN" },
        AssetRule { layer: "GENERATING_OUTPUT", kind: AssetKind::Any, asset_type: "OUTPUT_PART" },
    ],
    asset_level: 0,
    tool_asset: "TOOL_OUTPUT",
};

/// The protocol `lineage`.
pub static LINEAGE: Hierarchy = Hierarchy {
    protocol: "lineage",
    ids: Ids::InParent,
    placing: Placing::ByFolder,
    levels: &[
        Level {
            name: "phase",
            letter: "ph-",
            digits: 1,
            source: Source::Template,
            columns: Columns {
                id: "phase_id",
                name: "phase_name",
                purpose: "phase_purpose",
                parent: "run_id",
                reason: "phase_reason",
            },
        },
        Level {
            name: "stage",
            letter: "stg-",
            digits: 1,
            source: Source::Template,
            columns: Columns {
                id: "stage_id",
                name: "stage_name",
                purpose: "stage_purpose",
                parent: "phase_id",
                reason: "stage_reason",
            },
        },
        Level {
            name: "sub-stage",
            letter: "sub-",
            digits: 2,
            source: Source::Planner { action: "plan_sub_stages" },
            columns: Columns {
                id: "sub_stage_id",
                name: "sub_stage_name",
                purpose: "sub_stage_purpose",
                parent: "stage_id",
                reason: "sub_stage_reason",
            },
        },
        Level {
            name: "task",
            letter: "tsk-",
            digits: 2,
            source: Source::Planner { action: "plan_tasks" },
            columns: Columns {
                id: "task_id",
                name: "task_name",
                purpose: "task_purpose",
                parent: "sub_stage_id",
                reason: "task_reason",
            },
        },
        Level {
            name: "tool task",
            letter: "tool-",
            digits: 2,
            source: Source::Planner { action: "plan_tools" },
            columns: Columns {
                id: "tool_task_id",
                name: "tool_task_name",
                purpose: "tool_task_purpose",
                parent: "parent_task_id",
                reason: "",
            },
        },
    ],
    prelude: &[PreludeTask::SetUp("set-up"), PreludeTask::Catalog("archive"), PreludeTask::Constitute("constitution")],
    prelude_parent: "preparation",
    prelude_by: PreludeBy::Code,
    layers: &[],
    assets: &[
        AssetRule { layer: "", kind: AssetKind::Published, asset_type: "FINAL_REPORT" },
        AssetRule { layer: "ANALYZING", kind: AssetKind::Any, asset_type: "ANALYSIS_DATA" },
        AssetRule { layer: "STRATEGIZING", kind: AssetKind::Any, asset_type: "STRATEGY_DATA" },
        AssetRule { layer: "DRAFTING", kind: AssetKind::Any, asset_type: "DRAFT_CONTENT" },
        AssetRule { layer: "VALIDATING", kind: AssetKind::Any, asset_type: "VALIDATION_DATA" },
        AssetRule { layer: "REFINING", kind: AssetKind::Any, asset_type: "REFINED_CONTENT" },
        AssetRule { layer: "", kind: AssetKind::Any, asset_type: "WORKING_DATA" },
    ],
    asset_level: 1,
    tool_asset: "TOOL_OUTPUT",
};

impl Hierarchy {
    /// The level of tasks.
    pub fn task_level(&self) -> usize {
        self.levels.len().saturating_sub(2)
    }

    /// The level of tool tasks.
    pub fn tool_level(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// An id as the documents show it: among its siblings.
    pub fn short_id<'i>(&self, id: &'i str) -> &'i str {
        match self.ids {
            Ids::InRun => id,
            Ids::InParent => id.rsplit(JOINT).next().unwrap_or(id),
        }
    }

    /// An id as the state knows it, from the one that the documents show and what it stands below.
    pub fn full_id(&self, parent: Option<&str>, short: &str) -> String {
        match (self.ids, parent) {
            (Ids::InParent, Some(parent)) if !parent.is_empty() => format!("{parent}{JOINT}{short}"),
            _ => short.into(),
        }
    }

    /// The number that orders an item among its siblings, where that is what does.
    pub fn order_of_id(&self, level: usize, id: &str) -> Option<u32> {
        let level = self.levels.get(level).filter(|_| self.ids == Ids::InParent)?;
        level.number_of(self.short_id(id)).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The file of a task that names none itself: by its full id and its name (LN-08).
    pub fn file_of(&self, folder: &str, id: &str, name: &str) -> String {
        format!("{}/{id}_{}.md", folder.trim_end_matches('/'), file_name(name))
    }

    /// The task of the preparation that has this id.
    pub fn prelude_task(&self, id: &str) -> Option<&'static PreludeTask> {
        self.prelude.iter().find(|task| task.id() == id)
    }

    /// The level of an id: what its letters, or how many ids stand in it, say. The longest letter counts.
    pub fn level_of_id(&self, id: &str) -> Option<usize> {
        if self.ids == Ids::InParent {
            let place = id.split(JOINT).count() - 1;
            return self.levels.get(place).filter(|level| level.number_of(self.short_id(id)).is_some()).map(|_| place);
        }
        let fitting = self.levels.iter().enumerate().filter(|(_, level)| id.starts_with(level.letter));
        fitting.max_by_key(|(_, level)| level.letter.len()).map(|(place, _)| place)
    }

    /// Whether a layer is the one that publishes.
    pub(crate) fn is_last_layer(&self, layer: &str) -> bool {
        self.layers.last().is_some_and(|last| *last == layer)
    }
}

impl Level {
    /// The number of an id of this level, as siblings know it.
    pub(crate) fn number_of(&self, short: &str) -> Option<u64> {
        let digits = short.strip_prefix(self.letter)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    /// The id of a number.
    pub(crate) fn id_of(&self, number: u64) -> String {
        format!("{}{number:0width$}", self.letter, width = self.digits)
    }
}

/// What stands between the ids of a full one.
const JOINT: char = '_';

/// The longest name that becomes part of a file's, in bytes.
const NAME_BYTES: usize = 80;

/// A name as part of a file's: letters and digits of any script are kept, everything else becomes `_`.
pub fn file_name(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.trim().chars() {
        let letter = if letter.is_alphanumeric() { letter } else { '_' };
        if plain.len() + letter.len_utf8() > NAME_BYTES {
            break;
        }
        plain.push(letter);
    }
    plain
}

impl PreludeTask {
    /// Its id.
    pub fn id(&self) -> &'static str {
        match self {
            Self::SetUp(id) | Self::Constitute(id) | Self::Catalog(id) | Self::Analyse(id, _) => id,
        }
    }

    /// What it is called when the planner says nothing.
    pub(crate) fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::SetUp(_) => ("Environment Setup", "Make the folders of the run."),
            Self::Constitute(_) => {
                ("Final Constitution Amendment", "Write down what was agreed as ACTIVE instructions.")
            }
            Self::Catalog(_) => ("Initial Knowledge Catalog Construction", "Register every input file in the catalog."),
            Self::Analyse(..) => {
                ("Initial Analysis and Assetization", "Write the initial analysis from the confirmed constitution.")
            }
        }
    }
}
