//! Folders and tables that are called by another name than the protocol's: where their files would go.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::paper::Paper;
use super::protocol::Kind as ProjectKind;
use super::{ids, kinds};

/// Names that are read for a folder's own.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("output", "outputs"),
    ("guidelins", "guidelines"),
    ("guideline", "guidelines"),
    ("asset", "assets"),
    ("setting", "settings"),
    ("run", "runs"),
    ("datas", "data"),
];

/// Where files would go whose folder is called by another name.
pub(super) fn moves(paths: &[String], kind: ProjectKind, findings: &mut Vec<Finding>) -> BTreeMap<String, String> {
    let there: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let mut moves = BTreeMap::new();
    for (other, own) in OTHER_NAMES {
        let is_of_other_protocol = (kind == ProjectKind::Lineage && own == "assets")
            || (kind == ProjectKind::Multiverse && matches!(own, "settings" | "data"));
        if is_of_other_protocol {
            continue;
        }
        let mut moved = 0;
        for path in paths.iter().filter(|path| path.starts_with(&format!("{other}/"))) {
            let place = format!("{own}{}", &path[other.len()..]);
            if there.contains(place.as_str()) || moves.values().any(|other: &String| *other == place) {
                let what = format!("{place} is there, too: the folder is called {other}/ and {own}/");
                findings.push(Finding::decide(path, 0, what, "keep one of the two, and remove the other"));
            } else {
                moved += 1;
                moves.insert(path.clone(), place);
            }
        }
        if moved > 0 {
            let files = if moved == 1 { "1 file".to_owned() } else { format!("{moved} files") };
            findings.push(Finding::mended(
                &format!("{other}/"),
                0,
                format!("{files} moved to {own}/, as the protocol calls it"),
            ));
        }
    }
    for path in paths {
        let is_free = !moves.contains_key(path);
        let Some(place) = usual_place(kind, path).filter(|place| is_free && !there.contains(place.as_str())) else {
            continue;
        };
        if !moves.values().any(|other| *other == place) {
            findings.push(Finding::mended(path, 0, format!("moved to {place}, where the protocol has it")));
            moves.insert(path.clone(), place);
        }
    }
    for path in paths.iter().filter(|path| path.ends_with("guidelins_base_catalog.md")) {
        findings.push(Finding::found(path, 0, "the seed's own spelling; it is read, and kept"));
    }
    moves
}

/// Where a table belongs that stands in the run's own folder, or whose name is in other case.
fn usual_place(kind: ProjectKind, path: &str) -> Option<String> {
    if kinds::of(kind, path).is_some() {
        return None;
    }
    let (folder, name) = path.rsplit_once('/')?;
    let name = name.to_lowercase();
    let is_run = folder.strip_prefix("runs/").is_some_and(|run| !run.contains('/'));
    let beside = format!("{}/{name}", folder.to_lowercase());
    let places = [format!("{folder}/{name}"), if is_run { format!("{folder}/db/{name}") } else { beside }];
    places.into_iter().find(|place| kinds::of(kind, place).is_some())
}

/// Tables whose names have ids in them that are written otherwise.
pub(super) fn rename_tables(
    papers: &[Paper],
    kind: ProjectKind,
    paths: &[String],
    moves: &mut BTreeMap<String, String>,
    findings: &mut Vec<Finding>,
) {
    if kind != ProjectKind::Lineage {
        return;
    }
    let taken: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    for paper in papers.iter().filter(|paper| !paper.known.prefix.is_empty()) {
        let Some(full) = ids::full(&paper.known.prefix) else {
            let what = format!("`{}` in its name says no phase, stage or sub-stage", paper.known.prefix);
            let hint = "name it like ph-1_stg-1_sub-01_tasks.md";
            findings.push(Finding::decide(&paper.path, 0, what, hint));
            continue;
        };
        let place = paper.place.replacen(&format!("/{}_", paper.known.prefix), &format!("/{full}_"), 1);
        let place = place.replace("_substages.md", "_sub_stages.md");
        if place == paper.place {
            continue;
        }
        if taken.contains(place.as_str()) || moves.values().any(|other| *other == place) {
            let what = format!("{place} is there, too, and would be the same table");
            findings.push(Finding::decide(&paper.path, 0, what, "bring the two together by hand"));
        } else if kinds::of(kind, &place).is_some() {
            findings.push(Finding::mended(&paper.path, 0, format!("renamed to {place}")));
            moves.insert(paper.path.clone(), place);
        }
    }
}
