//! What a project of this protocol begins with (CY-17). Must not know what is there already.

/// The folder of the record.
pub const CONTEXT: &str = "docs/context";
/// The record of the cycle that is under way.
pub const CURRENT: &str = "docs/context/current_cycle.md";
/// Records of cycles that are over.
pub const ARCHIVE: &str = "docs/context/archive";
/// Pictures that belong to a record.
pub const ASSETS: &str = "docs/context/assets";

/// The folders of a new project, in the order in which they can be made.
pub fn folders() -> [&'static str; 4] {
    ["docs", CONTEXT, ARCHIVE, ASSETS]
}

/// The documents of a new project, each with its path.
pub fn initial_documents() -> [(&'static str, &'static str); 2] {
    [("docs/context/README.md", CONTEXT_README), ("docs/context/assets/README.md", ASSETS_README)]
}

const CONTEXT_README: &str = "\
# The record of this project's goals

One goal at a time: the Human sets it, the Planner says what one loop is to reach, the Actor works, the Judge measures
the distance and sends it back or on, until the goal is met.

- `current_cycle.md` is the record of the goal that is under way: oldest first, each turn with its SIGNAL BLOCK. It is
  written by the program; read it, and correct the goal or its context by hand.
- `archive/` has the records of goals that are over: `YYYYMMDD_HHMMSS_what-it-was.md`, or the number of the pull request
  in front; `_incomplete` and `_failed` say how others ended.
- `assets/` has pictures that records speak of.

`multiverse cycle check FILE` reads any such file and says what is odd in it.
";

const ASSETS_README: &str = "\
# Pictures that records speak of

Named by when they were made and what they show: `YYYY-MM-DD_HH-MM-SS_description.ext`, the description in lower case with
`-` between its words. Records name them by their path from the project's root.
";
