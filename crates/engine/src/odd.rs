//! What is odd in a project's documents as they lie on the disk, for whoever asks. Opens nothing, holds no lock, changes
//! nothing; what is odd is the dialect's business.

use std::path::Path;

use dialect::{Problem, Protocol};
use text::Text;

/// What is odd in one document of a project beyond its form, if it is one of the protocol's: rows that are there twice,
/// words that are no status, a template that was changed. `path` is from the project's root.
pub fn odd_in(root: &Path, path: &str) -> Vec<Problem> {
    let read = |path: &str| std::fs::read(root.join(path)).ok().map(Text::from);
    let has_template = |protocol: &&'static Protocol| root.join(protocol.template.document.path).is_file();
    let protocol = ["multiverse", "lineage"].into_iter().filter_map(Protocol::named).find(has_template);
    protocol.map(|protocol| protocol.odd_in(path, &read)).unwrap_or_default()
}
