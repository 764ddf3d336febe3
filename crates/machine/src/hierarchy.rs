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
        Level { name: "phase", letter: "P", digits: 2, source: Source::Template },
        Level { name: "stage", letter: "S", digits: 2, source: Source::Planner { action: "plan_stages" } },
        Level { name: "task", letter: "T", digits: 2, source: Source::Planner { action: "plan_tasks" } },
        Level { name: "tool task", letter: "TT", digits: 2, source: Source::Planner { action: "plan_tools" } },
    ],
    prelude: &[
        PreludeTask::SetUp("T00"),
        PreludeTask::Constitute("T02"),
        PreludeTask::Catalog("T03"),
        PreludeTask::Analyse("T04", "ANALYZING/initial_analysis.md"),
    ],
    prelude_parent: "S00",
    layers: &["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"],
};
