//! Where files come from (LN-09, LN-19): which families a file belongs to, what it was made from, which run has it. All of
//! it becomes part of the fact that registers a file; other protocols tell nothing of this kind.

use std::collections::{BTreeMap, BTreeSet};

use machine::{FileNote, Input, Outcome, Work};
use serde::{Deserialize, Serialize};
use store::{Fs, ProjectPath};
use text::Text;

use crate::brief;
use crate::engine::Engine;
use crate::files::beginning;
use crate::step::Order;

/// The largest catalog that is read, in bytes.
const CATALOG_BYTES: u64 = 64 * 1024 * 1024;

/// What is known of a file that lives on in `outputs/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// The run that made this version of it.
    pub run: String,
    pub asset_type: String,
    pub summary: String,
    pub lineage: Vec<String>,
    pub sources: Vec<String>,
}

impl Owner {
    pub(crate) fn of(run: &str, file: &FileNote) -> Self {
        Self {
            run: run.into(),
            asset_type: file.asset_type.clone(),
            summary: file.summary.clone(),
            lineage: file.lineage.clone(),
            sources: file.sources.clone(),
        }
    }
}

/// The family that a file founds: the same in all runs.
pub(crate) fn family_of(path: &str) -> String {
    format!("lin-{}", &blake3::hash(path.as_bytes()).to_hex()[..12])
}

impl<F: Fs> Engine<F> {
    /// Says of each file that work left what it was made from, and adds those that are used for the first time.
    pub(crate) fn add_families(&self, order: &mut Order) {
        if !self.protocol().has_catalogs() {
            return;
        }
        let Order::To { run, input: Input::Report { fence, outcome: Outcome::Done { files } }, .. } = order else {
            return;
        };
        let Some(found) = self.run(run) else { return };
        let Some(Work::Execute(id)) = found.attempts.get(fence).map(|attempt| &attempt.work) else { return };
        let Some(item) = found.item(id) else { return };
        let mut material = Vec::new();
        brief::inputs_of(self.hierarchy, found, item, &mut material);
        let all: BTreeSet<String> = material.into_iter().map(|file| file.path).collect();
        let mut used = BTreeMap::new();
        for file in files.iter_mut() {
            let earlier = self.known(run, &file.path);
            let mut sources: Vec<String> = all.iter().filter(|path| **path != file.path).cloned().collect();
            let mut families: BTreeSet<String> = earlier.iter().flat_map(|owner| owner.lineage.clone()).collect();
            for path in &sources {
                match self.known(run, path).filter(|owner| !owner.lineage.is_empty()) {
                    Some(owner) => families.extend(owner.lineage),
                    None => {
                        let note = self.used(path);
                        families.extend(note.lineage.iter().cloned());
                        used.insert(path.clone(), note);
                    }
                }
            }
            // What was changed from itself alone is still made of what it was made of.
            if sources.is_empty() {
                sources = earlier.map(|owner| owner.sources).unwrap_or_default();
            }
            if families.is_empty() {
                families.insert(family_of(&file.path));
            }
            file.sources = sources;
            file.lineage = families.into_iter().collect();
        }
        files.extend(used.into_values());
    }

    /// A file that no run has made, as the run that uses it registers it.
    fn used(&self, path: &str) -> FileNote {
        let summary = self.state.inputs.get(path).map(|note| note.summary.clone());
        FileNote {
            path: path.into(),
            asset_type: "ORIGINAL_INPUT".into(),
            summary: summary.unwrap_or_else(|| "used as it was found".into()),
            lineage: vec![family_of(path)],
            ..FileNote::default()
        }
    }

    /// The run that has made a file which lives on.
    pub(crate) fn owner_of(&self, path: &str) -> Option<String> {
        let is_shared = self.protocol().has_catalogs() && path.starts_with("outputs/");
        is_shared.then(|| self.known("", path).map(|owner| owner.run)).flatten()
    }

    /// What is known of a file: from this run, from those before, or from their catalogs.
    fn known(&self, run: &str, path: &str) -> Option<Owner> {
        let own = self.state.files.get(run).into_iter().flatten().rev();
        if let Some(note) = own.clone().find(|note| note.path == path && !note.lineage.is_empty()) {
            return Some(Owner::of(run, note));
        }
        if let Some(owner) = self.state.owners.get(path) {
            return Some(owner.clone());
        }
        if let Some((other, _)) = path.strip_prefix("runs/").and_then(|rest| rest.split_once('/')) {
            return self.in_catalog(other, path);
        }
        // A project that came without its journal: the newest catalog that has the file counts.
        let is_lost = path.starts_with("outputs/") && self.state.runs.get(run).is_none_or(|_| true);
        let mut runs: Vec<String> = if is_lost { self.run_ids().into_iter().collect() } else { Vec::new() };
        runs.sort_by_cached_key(|id| std::cmp::Reverse(dialect::countable(id)));
        runs.iter().find_map(|other| self.in_catalog(other, path))
    }

    fn in_catalog(&self, run: &str, path: &str) -> Option<Owner> {
        let catalog = self.content_of(&self.protocol().catalog_path(run))?;
        let row = self.protocol().catalog(&catalog).into_iter().find(|row| row.file_path == path)?;
        Some(Owner {
            run: run.into(),
            asset_type: row.asset_type,
            summary: row.summary,
            lineage: row.lineage,
            sources: row.source_files,
        })
    }

    /// A document, whether it is still in memory or not.
    pub(crate) fn content_of(&self, path: &str) -> Option<Text> {
        let path = ProjectPath::any(path).ok()?;
        match self.store.read(&path) {
            Some(text) => Some(text.clone()),
            None => beginning(self.store.fs(), &path, CATALOG_BYTES).ok()?.map(Text::from),
        }
    }

    /// What a run that begins is made of, where people say so.
    pub(crate) fn phases_for(&self, order: &Order) -> Option<dialect::Phases> {
        let begins = matches!(order, Order::Start { .. } | Order::Retry { .. } | Order::Adopt { .. });
        let is_chosen = self.protocol().definition == dialect::Definition::Users;
        let read = |path: &str| self.read(path).cloned();
        (begins && is_chosen).then(|| self.protocol().phases(&read).ok()).flatten()
    }

    /// The procedures that a task may name (LN-11).
    pub(crate) fn procedure_ids(&self) -> BTreeSet<String> {
        let list = self.content_of(self.protocol().procedures.path);
        list.map(|text| self.protocol().procedure_ids(&text).into_iter().collect()).unwrap_or_default()
    }
}
