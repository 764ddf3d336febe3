//! Goals over text files that code can reach and judge without a model: a glossary that covers all terms, links that
//! resolve, headings that follow a pattern. One rule for each finds what is missing, one makes the change as edits of
//! files, and judging is finding again. Nothing is invented: what no rule can mend stays, and is told.
//!
//! - `goal`: which goal a sentence asks for; `texts`: files as lines; `edits`: what is changed, and how much that is
//! - `glossary`, `links`, `headings`: one kind of goal each
//! - `turns`: what a Planner, an Actor and a Judge say of it
//!
//! Must not read or write a file (texts are handed in by path), nor know loops, briefs or the engine.

mod edits;
mod glossary;
mod goal;
mod headings;
mod links;
mod texts;
mod turns;

use std::collections::BTreeMap;

pub use edits::{Bounds, FileEdit};
pub use goal::{Goal, Pattern};
pub(in crate::offline) use texts::{Line, heading, lines};
pub use turns::{Deed, Findings, Planned, deed, findings, plan};

/// Files by path from the project's root.
pub type Files = BTreeMap<String, String>;

/// Something that lies between the files and the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The file it is in.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is missing or wrong, as a fragment.
    pub reason: String,
    /// What the gap is known by: the term, the link, the heading.
    pub subject: String,
    /// What would mend it; nothing if no rule knows.
    pub mend: Option<String>,
}

/// What a loop changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The files, each as it is to be.
    pub edits: Vec<FileEdit>,
    /// The gaps that are mended by it.
    pub mended: Vec<Gap>,
    /// Those that have to wait for another loop.
    pub left: Vec<Gap>,
    /// Those that no rule can mend.
    pub stuck: Vec<Gap>,
}

/// How far a goal is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// What was looked at: terms, links or headings.
    pub subjects: usize,
    /// What is still missing.
    pub gaps: Vec<Gap>,
}

impl Measure {
    /// Whether the goal is met.
    pub fn is_met(&self) -> bool {
        self.gaps.is_empty()
    }
}

/// What lies between the files and the goal, in the order of files and lines.
pub fn find(goal: &Goal, files: &Files) -> Measure {
    match goal {
        Goal::Glossary { glossary, sources } => glossary::find(glossary, sources, files),
        Goal::Links { sources } => links::find(sources, files),
        Goal::Headings { sources, pattern } => headings::find(sources, *pattern, files),
    }
}

/// The change of one loop: as many gaps as fit into the bounds, the first ones first.
pub fn mend(goal: &Goal, files: &Files, bounds: &Bounds) -> Change {
    let gaps = find(goal, files).gaps;
    let (able, stuck): (Vec<Gap>, Vec<Gap>) = gaps.into_iter().partition(|gap| gap.mend.is_some());
    let make = |gaps: &[Gap]| -> Files {
        match goal {
            Goal::Glossary { glossary, .. } => glossary::mend(glossary, files, gaps),
            Goal::Links { .. } => links::mend(files, gaps),
            Goal::Headings { .. } => headings::mend(files, gaps),
        }
    };
    let (count, edits) = edits::most_that_fit(&able, files, bounds, &make);
    let mut mended = able;
    let left = mended.split_off(count);
    Change { edits, mended, left, stuck }
}

/// Whether the goal is met, by looking again.
pub fn judge(goal: &Goal, files: &Files) -> Measure {
    find(goal, files)
}

#[cfg(test)]
mod tests;
