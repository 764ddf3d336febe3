//! The levels of a protocol as data: what differs between protocols of this kind stands here and nowhere else.

/// A protocol whose plans are a tree: the outermost level first, then what it holds; the last level but one is the
/// task, the last the tool task.
#[derive(Debug)]
pub struct Hierarchy {
    /// Its name.
    pub protocol: &'static str,
    /// Outermost first; the last two are task and tool task.
    pub levels: &'static [Level],
    /// The tasks of the preparation, in order.
    pub prelude: &'static [PreludeTask],
    /// The stage id that the tasks of the preparation bear.
    pub prelude_parent: &'static str,
    /// The names of the outermost items, where these are fixed; each has a folder of its own below `workspace/`.
    pub layers: &'static [&'static str],
    /// What the files that work leaves are called in the catalog; the first rule that fits counts.
    pub assets: &'static [AssetRule],
    /// What the files of tool tasks are called there.
    pub tool_asset: &'static str,
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
    levels: &[
        Level {
            name: "phase",
            letter: "P",
            digits: 2,
            source: Source::Template,
            columns: Columns { id: "phase_id", name: "phase_name", purpose: "phase_purpose", parent: "run_id" },
        },
        Level {
            name: "stage",
            letter: "S",
            digits: 2,
            source: Source::Planner { action: "plan_stages" },
            columns: Columns { id: "stage_id", name: "stage_name", purpose: "stage_goal", parent: "phase_id" },
        },
        Level {
            name: "task",
            letter: "T",
            digits: 2,
            source: Source::Planner { action: "plan_tasks" },
            columns: Columns { id: "task_id", name: "task_name", purpose: "task_purpose", parent: "stage_id" },
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

    /// The task of the preparation that has this id.
    pub fn prelude_task(&self, id: &str) -> Option<&'static PreludeTask> {
        self.prelude.iter().find(|task| task.id() == id)
    }

    /// What is the first level of its kind whose letter an id begins with; the longest letter counts.
    pub(crate) fn level_of_id(&self, id: &str) -> Option<usize> {
        let fitting = self.levels.iter().enumerate().filter(|(_, level)| id.starts_with(level.letter));
        fitting.max_by_key(|(_, level)| level.letter.len()).map(|(place, _)| place)
    }

    /// Whether a layer is the one that publishes.
    pub(crate) fn is_last_layer(&self, layer: &str) -> bool {
        self.layers.last().is_some_and(|last| *last == layer)
    }
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
