//! What is odd in a project's documents as they lie on the disk, for whoever asks. Opens nothing, holds no lock, changes
//! nothing; what is odd is the dialect's business.

use std::path::Path;

use dialect::roadmap::{Deviation, FOLDER, LOG_ENDING, Log, TASK_ENDING, TaskFile};
use dialect::{Problem, Protocol};
use text::Text;

/// What is odd in one document of a project beyond its form, if it is one of the protocol's: rows that are there twice,
/// words that are no status, a template that was changed; task files and logs. `path` is from the project's root.
pub fn odd_in(root: &Path, path: &str) -> Vec<Problem> {
    let read = |path: &str| std::fs::read(root.join(path)).ok().map(Text::from);
    if let Some(found) = read(path).and_then(|text| in_roadmap(path, text)) {
        return found;
    }
    let has_template = |protocol: &&'static Protocol| root.join(protocol.template.document.path).is_file();
    let protocol = ["multiverse", "lineage"].into_iter().filter_map(Protocol::named).find(has_template);
    protocol.map(|protocol| protocol.odd_in(path, &read)).unwrap_or_default()
}

/// What is odd in a task file or a log; nothing if it is neither.
fn in_roadmap(path: &str, text: Text) -> Option<Vec<Problem>> {
    let is_in_folder = path.strip_prefix(FOLDER).is_some_and(|rest| rest.starts_with('/'));
    let problems = match path {
        path if path.ends_with(TASK_ENDING) => TaskFile::read(path, &text.to_vec()).problems,
        path if path.ends_with(LOG_ENDING) && is_in_folder => Log::read(path, text).problems().to_vec(),
        _ => return None,
    };
    let problem = |one: Deviation| Problem {
        path: path.into(),
        line: one.line,
        column: one.column,
        reason: format!("{}; {}", one.reason, one.mend.replace("; ", ", ")),
    };
    Some(problems.into_iter().map(problem).collect())
}
