//! Catalogs against the files that there are: rows of files that are gone, files that no row lists, rows that are there
//! twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Finding;
use super::kinds::Table;
use super::paper::Paper;
use super::protocol::Kind as ProjectKind;
use super::resolve::{Meant, There};

/// Up to so many files of one folder are told of one by one.
const ONE_BY_ONE: usize = 5;

pub(super) fn mend(papers: &mut [Paper], kind: ProjectKind, there: &There<'_>, findings: &mut Vec<Finding>) {
    let mut listed: BTreeSet<String> = BTreeSet::new();
    for paper in papers.iter_mut().filter(|paper| paper.known.table == Table::Catalog) {
        twice(paper, kind, findings);
        for row in paper.rows() {
            let path = paper.word(row, "file_path");
            if path.is_empty() {
                let hint = "name the file, or remove the row";
                findings.push(Finding::decide(&paper.path, paper.line(row), "the row names no file", hint));
                continue;
            }
            if let Meant::Nothing(same_name) = there.meant(&paper.run_of(row), &path) {
                let hint = match same_name.as_slice() {
                    [] => "bring the file back, or remove the row".to_owned(),
                    some => format!("did it move to {}?", some.join(", or ")),
                };
                findings.push(Finding::decide(
                    &paper.path,
                    paper.line(row),
                    format!("{path} is listed, and is not there"),
                    hint,
                ));
            }
            listed.insert(path);
        }
    }
    not_listed(&listed, there, findings);
}

/// A file that was written again in a run has its row renewed; the one before goes.
fn twice(paper: &mut Paper, kind: ProjectKind, findings: &mut Vec<Finding>) {
    let mut last: HashMap<(String, String), usize> = HashMap::new();
    for row in paper.rows() {
        let run = if kind == ProjectKind::Lineage { paper.run_of(row) } else { String::new() };
        let path = paper.word(row, "file_path");
        if path.is_empty() {
            continue;
        }
        let Some(before) = last.insert((path.clone(), run), row) else { continue };
        let (line, above) = (paper.line(row), paper.line(before));
        if paper.whole(before) == paper.whole(row) {
            findings.push(Finding::mended(
                &paper.path,
                above,
                format!("{path} is listed again in line {line} with the same words: this row goes"),
            ));
            paper.drop_row(before);
        } else if kind == ProjectKind::Lineage {
            findings.push(Finding::mended(
                &paper.path,
                above,
                format!("{path} is listed again in line {line}, which counts: this row goes"),
            ));
            paper.drop_row(before);
        } else {
            let what = format!("{path} is listed in line {above} already, with other words");
            findings.push(Finding::decide(&paper.path, line, what, "one row a file: keep the one that is right"));
        }
    }
}

/// Results that no catalog knows of: later runs cannot use them.
fn not_listed(listed: &BTreeSet<String>, there: &There<'_>, findings: &mut Vec<Finding>) {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in there.paths() {
        let is_result = path.starts_with("outputs/") || (path.starts_with("runs/") && path.contains("/workspace/"));
        if is_result && !listed.contains(path) && !path.rsplit('/').next().is_some_and(|name| name.starts_with('.')) {
            folders.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default().push(path);
        }
    }
    let hint = "a later run can only use what is catalogued: add a row, or leave it";
    for (folder, paths) in folders {
        if paths.len() > ONE_BY_ONE {
            let what = format!("no catalog lists {} files of this folder", paths.len());
            findings.push(Finding::decide(&format!("{folder}/"), 0, what, hint));
        } else {
            let each = paths.iter().map(|path| Finding::decide(there.original(path), 0, "no catalog lists it", hint));
            findings.extend(each);
        }
    }
}
