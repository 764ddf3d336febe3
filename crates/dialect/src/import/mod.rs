//! Projects that others made, by either protocol, with the sloppiness of real ones: what is there, what can be mended
//! without a doubt, and what a person must decide. A pure function of the files: nothing is read or written here, and what
//! is not mended keeps every byte.

mod catalog_rows;
mod finding;
mod folders;
mod ids;
mod kinds;
mod paper;
mod protocol;
mod resolve;
mod rows;
mod standing;
mod words;

use std::collections::BTreeMap;

use text::Text;

pub use finding::{Finding, Weight};
use paper::Paper;
pub use protocol::Kind as ProjectKind;

/// The files of a project as they are handed in.
pub trait Files {
    /// All of them, from the project's root, in order.
    fn paths(&self) -> Vec<String>;
    /// The content of a document.
    fn read(&self, path: &str) -> Option<Text>;
    /// Whether a file has something in it.
    fn has_content(&self, path: &str) -> bool;
}

/// What an examination found.
#[derive(Debug)]
pub struct Examined {
    /// Whose project it is; nothing if it is of neither protocol.
    pub kind: Option<ProjectKind>,
    /// All that is to be told, file by file.
    pub findings: Vec<Finding>,
    /// The documents of the protocol that there are, as they are called now.
    pub tables: Vec<String>,
    /// Documents as they would be, by the path that they have then.
    pub documents: BTreeMap<String, Text>,
    /// Files that would be somewhere else, from where to where.
    pub moves: BTreeMap<String, String>,
}

/// Examines a project.
pub fn examine(files: &dyn Files) -> Examined {
    let paths = files.paths();
    let mut findings = Vec::new();
    let Some(kind) = protocol::recognise(files, &paths, &mut findings) else {
        let (tables, documents, moves) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        return Examined { kind: None, findings, tables, documents, moves };
    };
    let mut moves = folders::moves(&paths, kind, &mut findings);
    let there = resolve::There::new(&paths, &moves, files);
    let mut papers: Vec<Paper> = Vec::new();
    for path in &paths {
        let place = moves.get(path).unwrap_or(path);
        let Some(found) = kinds::of(kind, place) else { continue };
        if let Some(text) = files.read(path) {
            papers.extend(Paper::read(path, place, found, kind, &text, &mut findings));
        }
    }
    for paper in &mut papers {
        rows::mend(paper, kind, &there, &mut findings);
    }
    folders::rename_tables(&papers, kind, &paths, &mut moves, &mut findings);
    standing::mend(&mut papers, kind, &there, &mut findings);
    catalog_rows::mend(&mut papers, kind, &there, &mut findings);
    let tables = papers.iter().map(|paper| paper.path.clone()).collect();
    let mut documents = BTreeMap::new();
    for mut paper in papers {
        paper.drop_rows();
        if paper.is_changed() {
            let place = moves.get(&paper.path).unwrap_or(&paper.path).clone();
            documents.insert(place, paper.document.text().clone());
        }
    }
    finding::sort(&mut findings);
    Examined { kind: Some(kind), findings, tables, documents, moves }
}

#[cfg(test)]
mod tests;
