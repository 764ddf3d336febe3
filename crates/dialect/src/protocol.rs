//! A protocol's documents as everybody else asks for them: where each lies, and the ways to and from them. Holds no
//! rules of its own; what differs between protocols is in their tables.

use machine::{Hierarchy, Item, Planned, PreludeBy, Proposal, Run, Target};
use serde_json::{Map, Value};
use text::Text;

use crate::desk::Lowered;
use crate::layout::{Definition, GlobalDocument, Layout, OneFor, Protocol};
use crate::lift::Lifted;
use crate::restore::PutBack;
use crate::settings::Phases;
use crate::sheets::Sheets;
use crate::tables::{CatalogRow, InstructionRow, RunRow};
use crate::trouble::{Problem, Trouble};
use crate::{draft, item_row, learned, lift, prose, restore, schema, settings, start, tables};

/// What stands for the run in a path.
const RUN: &str = "{run_id}";

impl Protocol {
    /// The protocol of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        [&crate::multiverse::PROTOCOL, &crate::lineage::PROTOCOL].into_iter().find(|one| one.hierarchy.protocol == name)
    }

    /// No documents yet.
    pub fn sheets(&'static self) -> Sheets {
        Sheets::new(self)
    }

    /// The documents of a new project, each with its path.
    pub fn initial_documents(&'static self) -> Vec<(&'static str, String)> {
        start::documents(self)
    }

    /// Another spelling of a document's path, under which it may be there.
    pub fn also(&self, path: &str) -> Option<&'static str> {
        let inputs = self.inputs.iter().filter(|input| !input.also.is_empty());
        let mut fitting = inputs.filter(|input| input.catalog.as_ref().is_some_and(|catalog| catalog.path == path));
        fitting.next().map(|input| input.also)
    }

    /// The folders of a run, in the order in which they can be made.
    pub fn run_folders(&self, run_id: &str) -> Vec<String> {
        let workspace = format!("runs/{run_id}/workspace");
        let mut folders = vec![format!("runs/{run_id}"), format!("runs/{run_id}/db"), workspace.clone()];
        folders.extend(self.hierarchy.layers.iter().map(|layer| format!("{workspace}/{layer}")));
        folders.extend(self.run_folders.iter().map(|folder| folder.replace(RUN, run_id)));
        folders
    }

    /// The catalog that a run's files stand in.
    pub fn catalog_path(&self, run_id: &str) -> String {
        match self.has_catalogs() {
            true => self.catalog.path.replace(RUN, run_id),
            false => self.catalog.path.to_owned(),
        }
    }

    /// Whether each run has a catalog of its own.
    pub fn has_catalogs(&self) -> bool {
        // Asked many times in every step: nothing but a run's place has a brace in it, and that is seen at a glance.
        self.catalog.path.contains('{')
    }

    /// The run whose catalog a path is; empty for that of all runs.
    pub fn run_of_catalog<'p>(&self, path: &'p str) -> Option<&'p str> {
        if !self.has_catalogs() {
            return (path == self.catalog.path).then_some("");
        }
        let (before, after) = self.catalog.path.split_once(RUN)?;
        let run = path.strip_prefix(before)?.strip_suffix(after)?;
        (!run.is_empty() && !run.contains('/')).then_some(run)
    }

    /// The document that an item's row stands in; nothing for what has no row.
    pub fn document_of(&self, run_id: &str, item: &Item) -> Option<String> {
        self.document_below(run_id, item.level, item.parent.as_deref())
    }

    /// The same for an id, whether or not there is such an item.
    pub(crate) fn documents_of_id(&self, run_id: &str, id: &str) -> Vec<String> {
        let holders = self.levels.iter().enumerate();
        let paths = holders.filter_map(|(level, document)| match document.one_for {
            OneFor::Run => self.document_below(run_id, level, None),
            OneFor::Parent => {
                let (parent, _) = id.rsplit_once('_').filter(|_| self.hierarchy.level_of_id(id) == Some(level))?;
                self.document_below(run_id, level, Some(parent))
            }
        });
        paths.collect()
    }

    pub(crate) fn document_below(&self, run_id: &str, level: usize, parent: Option<&str>) -> Option<String> {
        let document = self.levels.get(level)?;
        let is_prelude = parent == Some(self.hierarchy.prelude_parent);
        if is_prelude && self.hierarchy.prelude_by == PreludeBy::Code {
            return None;
        }
        match document.one_for {
            OneFor::Run => Some(["runs/", run_id, "/db/", document.file].concat()),
            OneFor::Parent => Some(["runs/", run_id, "/db/", parent?, "_", document.file].concat()),
        }
    }

    /// The tables that a run's items stand in, outermost level first.
    pub fn run_documents(&self, run_id: &str, items: &[Item]) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for (level, document) in self.levels.iter().enumerate() {
            match document.one_for {
                OneFor::Run => paths.extend(self.document_below(run_id, level, None)),
                OneFor::Parent => {
                    let below = items.iter().filter(|item| item.level == level);
                    let mut found: Vec<String> = below.filter_map(|item| self.document_of(run_id, item)).collect();
                    found.dedup();
                    paths.extend(found);
                }
            }
        }
        let mut seen = std::collections::HashSet::new();
        paths.retain(|path| seen.insert(path.clone()));
        paths
    }

    /// The level, the run and the item above, that a path is the document of.
    pub(crate) fn level_of_path<'a>(&self, path: &'a str) -> Option<(usize, &'a str, Option<&'a str>)> {
        let (run_id, rest) = path.strip_prefix("runs/")?.split_once('/')?;
        let file = rest.strip_prefix("db/")?;
        let fits = |level: usize| match self.levels.get(level)?.one_for {
            OneFor::Run => (file == self.levels[level].file).then_some(None),
            OneFor::Parent => {
                let parent = file.strip_suffix(self.levels[level].file)?.strip_suffix('_')?;
                (self.hierarchy.level_of_id(parent)? + 1 == level).then_some(Some(parent))
            }
        };
        (0..self.levels.len()).find_map(|level| Some((level, run_id, fits(level)?)))
    }

    /// What the document at a path looks like.
    pub fn layout_of(&'static self, path: &str) -> Option<&'static Layout> {
        if self.run_of_catalog(path).is_some() {
            return Some(&self.catalog.layout);
        }
        if let Some(input) = self.inputs.iter().find(|input| !input.also.is_empty() && input.also == path) {
            return input.catalog.as_ref().map(|catalog| &catalog.layout);
        }
        if self.procedures.path == path {
            return self.procedures.layout.as_ref();
        }
        if let Some(document) = self.global().into_iter().find(|document| document.path == path) {
            return Some(&document.layout);
        }
        let (level, ..) = self.level_of_path(path)?;
        self.levels.get(level).map(|document| &document.layout)
    }

    /// The documents that all runs share, beside the catalog.
    pub(crate) fn global(&'static self) -> Vec<&'static GlobalDocument> {
        let mut all = vec![&self.template.document];
        all.extend(self.template_below.iter().map(|below| &below.document));
        all.extend([&self.runs, &self.instructions]);
        all.extend(self.inputs.iter().filter_map(|input| input.catalog.as_ref()));
        all
    }

    /// What runs are made of, as the template and the settings say; or what is wrong with them, each with its place.
    pub fn phases(&'static self, read: &dyn Fn(&str) -> Option<Text>) -> Result<Phases, Vec<Problem>> {
        match self.definition {
            Definition::Users => settings::read(self, read),
            Definition::Fixed => {
                let path = self.template.document.path;
                let text = read(path).unwrap_or_default();
                let problem = |difference: String| Problem {
                    path: path.to_owned(),
                    line: 1,
                    column: 1,
                    reason: format!("the workflow's template was changed; its phases are fixed\n{difference}"),
                };
                let phases = start::check_template(self, &text).map_err(|difference| vec![problem(difference)])?;
                Ok(Phases { phases, stages: Vec::new() })
            }
        }
    }

    /// The phases of a template that stays as it is; if it was changed, how: line by line.
    pub fn check_template(&self, text: &Text) -> Result<Vec<Planned>, String> {
        start::check_template(self, text)
    }

    /// The procedures that tasks may name: the ids of the list.
    pub fn procedure_ids(&self, text: &Text) -> Vec<String> {
        settings::procedure_ids(self, text)
    }

    /// Where the proposal to the user stands.
    pub fn feedback(&self, run_id: &str) -> String {
        self.feedback.replace(RUN, run_id)
    }

    /// Whether a path is that of some run's proposal.
    pub fn is_feedback(&self, path: &str) -> bool {
        let parts = self.feedback.split_once(RUN);
        parts.is_some_and(|(before, after)| {
            let run = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            run.is_some_and(|run| run.starts_with("run-") && !run.contains('/'))
        })
    }

    /// The proposal as the user reads it; `content` gives what an earlier instruction says.
    pub fn feedback_text(run: &Run, proposal: &Proposal, content: &mut dyn FnMut(&str) -> Option<String>) -> String {
        prose::feedback(run, proposal, content)
    }

    /// Where it is said what a run learns from.
    pub fn learning_context(run_id: &str) -> String {
        learned::path(run_id)
    }

    /// A score as people read it.
    pub fn score_text(score: u16) -> String {
        learned::written(score)
    }

    /// Where it is said how a run failed.
    pub fn failure_report(run_id: &str) -> String {
        prose::failure_path(run_id)
    }

    /// The original error that a failure report tells; empty if it tells none.
    pub fn error_in(report: &str) -> String {
        prose::error_in(report)
    }

    /// The items of a run as its documents have them.
    pub fn lift(&'static self, read: &dyn Fn(&str) -> Option<Text>, run_id: &str) -> Lifted {
        lift::lift(self, read, run_id)
    }

    /// The rows of the table of runs.
    pub fn runs(&self, text: &Text) -> Vec<RunRow> {
        tables::runs(self, text)
    }

    /// The instructions that hold.
    pub fn active_instructions(&self, text: &Text) -> Vec<InstructionRow> {
        self.instructions(text).into_iter().filter(|row| row.active).collect()
    }

    /// All instructions, with those that were replaced.
    pub fn instructions(&self, text: &Text) -> Vec<InstructionRow> {
        tables::instructions(self, text)
    }

    /// The rows of a catalog.
    pub fn catalog(&self, text: &Text) -> Vec<CatalogRow> {
        tables::catalog(self, text)
    }

    /// The plan in an agent's result, or what is wrong with its form, each with its place.
    pub fn draft_of(&'static self, target: &Target, run_id: &str, result: &Value) -> Result<Vec<Planned>, Vec<String>> {
        draft::draft_of(self, target, run_id, result)
    }

    /// The JSON Schema of a result for this target.
    pub fn result_schema(&'static self, target: &Target) -> Value {
        schema::result_schema(self, target)
    }
}

/// The proposal in an agent's result, or what is wrong with its form, each with its place.
pub fn proposal_of(result: &Value) -> Result<Proposal, Vec<String>> {
    draft::proposal_of(result)
}

/// Makes the engine columns of some items, and of the run's own row, read as the state says again.
pub fn restore_cells(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    put_back: &PutBack<'_>,
) -> Result<Lowered, Trouble> {
    restore::restore(sheets, read, put_back)
}

/// The row of an item as an object with the protocol's column names; nothing if it has none.
pub fn item_object(
    sheets: &mut Sheets,
    read: &dyn Fn(&str) -> Option<Text>,
    run: &Run,
    id: &str,
) -> Result<Option<Map<String, Value>>, Trouble> {
    item_row::object(sheets, read, run, id)
}

/// The same for several who look at once, if the document that has it is held as it stands; else ask [`item_object`].
pub fn item_object_at_hand(sheets: &Sheets, run: &Run, id: &str) -> Option<Map<String, Value>> {
    item_row::object_at_hand(sheets, run, id)
}

/// An id spelled so that ids compare as people count: `run-9` before `run-10`.
pub fn countable(id: &str) -> Vec<u8> {
    crate::plan_order::countable(id)
}

/// The items of a preparation that has no rows: what the state says of them counts.
pub fn is_without_row(hierarchy: &Hierarchy, item: &Item) -> bool {
    hierarchy.prelude_by == PreludeBy::Code && item.parent.as_deref() == Some(hierarchy.prelude_parent)
}
