//! Whose project it is: by the documents and folders that only one protocol has.

use text::Text;

use super::{Files, Finding};

/// Which protocol a project is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `multiverse`
    Multiverse,
    /// `lineage`
    Lineage,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Multiverse => "multiverse",
            Self::Lineage => "lineage",
        }
    }
}

/// Looks for what only one of them has.
pub(super) fn recognise(files: &dyn Files, paths: &[String], findings: &mut Vec<Finding>) -> Option<Kind> {
    let (mut multiverse, mut lineage) = (Vec::new(), Vec::new());
    for path in paths {
        match signs(path) {
            Some(Kind::Multiverse) => multiverse.push(path.as_str()),
            Some(Kind::Lineage) => lineage.push(path.as_str()),
            None => {}
        }
    }
    let runs = files.read("db/process_runs.md").as_ref().and_then(by_table_of_runs);
    match runs {
        Some(Kind::Multiverse) => multiverse.push("db/process_runs.md"),
        Some(Kind::Lineage) => lineage.push("db/process_runs.md"),
        None => {}
    }
    let kind = match (multiverse.len(), lineage.len()) {
        (0, 0) => {
            let what = "neither protocol is recognised: there is no table of runs, no catalog and no plan of either";
            let hint = "give the project's own folder, the one with db/ and runs/ in it";
            findings.push(Finding::decide(".", 0, what, hint));
            return None;
        }
        (one, other) if one > other => Kind::Multiverse,
        (one, other) if one < other => Kind::Lineage,
        _ => runs.unwrap_or(Kind::Lineage),
    };
    let (own, foreign) = match kind {
        Kind::Multiverse => (&multiverse, &lineage),
        Kind::Lineage => (&lineage, &multiverse),
    };
    let seen = own.iter().take(2).copied().collect::<Vec<_>>().join(" and ");
    findings.push(Finding::found(".", 0, format!("a project of the protocol {}, by {seen}", kind.name())));
    // The table of runs has its name in both, and may only lack columns.
    if let Some(path) = foreign.iter().find(|path| **path != "db/process_runs.md") {
        let what = format!("this belongs to the other protocol; the project is read as {}", kind.name());
        findings.push(Finding::decide(path, 0, what, "remove it, or import the folder that it is of"));
    }
    Some(kind)
}

fn signs(path: &str) -> Option<Kind> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_in = |folder: &str| path.starts_with(folder);
    let is_plan = is_in("runs/") && (path.contains("/db/") || path.matches('/').count() == 2);
    match name {
        "knowledge_base_catalog.md" | "default_phases.md" if is_in("db/") => Some(Kind::Multiverse),
        "major_stages.md" | "tasks.md" | "tool_tasks.md" if is_plan => Some(Kind::Multiverse),
        "set_phases.md" | "set_stages.md" => Some(Kind::Lineage),
        "data_base_catalog.md" | "guidelins_base_catalog.md" | "guidelines_base_catalog.md" => Some(Kind::Lineage),
        _ if name.ends_with("_knowledge_base_catalog.md") => Some(Kind::Lineage),
        _ if is_plan && (name.ends_with("_tasks.md") || name.ends_with("_stages.md")) => Some(Kind::Lineage),
        _ => None,
    }
}

fn by_table_of_runs(text: &Text) -> Option<Kind> {
    let document = syntax::Document::parse(text.clone());
    let table = document.tables().next()?;
    let has = |name: &str| table.column(name).is_some();
    match (has("creation_timestamp") || has("current_sub_stage_id"), has("run_id")) {
        (true, _) => Some(Kind::Lineage),
        (false, true) => Some(Kind::Multiverse),
        _ => None,
    }
}
