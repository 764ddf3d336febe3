//! A run that the journal does not know although its documents are there, unfinished: the project came without
//! `.multiverse/`, as a clone does. It goes on under its own id with what the documents say; what they cannot say is lost,
//! and that is told.

use machine::{Hierarchy, Mode, PreludeTask, Run, State, Status};
use store::{Fs, ProjectPath};

use crate::fault::EngineError;
use crate::notice::Notice;
use crate::service::Service;
use crate::step::Order;

/// The most items that are named in a notice.
const NAMED: usize = 10;

impl<F: Fs> Service<F> {
    /// Runs whose row says that they are not over, and of which the journal knows nothing.
    pub fn stranded(&self) -> Vec<String> {
        let Some(text) = self.engine.read(self.engine.protocol().runs.path) else { return Vec::new() };
        let open = self.engine.protocol().runs(text).into_iter().filter(|row| {
            let is_open = matches!(row.status, Some(Status::Pending | Status::AwaitingConfirmation));
            is_open && self.engine.run(&row.run_id).is_none()
        });
        open.map(|row| row.run_id).collect()
    }

    /// Takes up a run of which only the documents are left.
    pub(crate) fn adopt_run(&mut self, run: &str) -> Result<(), EngineError> {
        let definition = self.check_definition()?;
        let mut legacy = self.legacy(run)?;
        self.adopt_documents(run, &legacy.old)?;
        let protocol = self.engine.protocol();
        let others = self.engine.read(protocol.runs.path).map_or(0, |text| protocol.runs(text).len());
        legacy.old.mode = if others > 1 { Mode::ContinuousRun } else { Mode::InitialRun };
        legacy.old.definition = definition;
        for folder in protocol.run_folders(run) {
            let path = ProjectPath::any(&folder).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            self.engine.store.fs().make_folder(&path)?;
        }
        let reason = lost(protocol.hierarchy, &legacy.old);
        self.send_order(Order::Adopt { id: run.into(), legacy: Box::new(legacy) })?;
        let path = Some(protocol.runs.path.to_string());
        (self.engine.listener)(Notice::Problem { run: Some(run.into()), path, reason });
        Ok(())
    }

    /// Takes the run's files that are there under the journal.
    fn adopt_documents(&mut self, run: &str, old: &Run) -> Result<(), EngineError> {
        let outputs = old.items.iter().map(|item| item.output.clone()).filter(|output| !output.is_empty());
        let protocol = self.engine.protocol();
        let catalog = Some(protocol.catalog_path(run)).filter(|_| protocol.has_catalogs());
        let own = protocol.run_documents(run, &old.items).into_iter().chain([protocol.feedback(run)]);
        let own = own.chain(outputs).chain(catalog);
        let mut there = Vec::new();
        for path in own.filter_map(|path| ProjectPath::document(&path).ok()) {
            if self.engine.store.fs().look(&path)?.is_some() {
                there.push(path);
            }
        }
        there.sort();
        there.dedup();
        if self.engine.store.adopt(&there)?.is_some() {
            self.engine.settle_head()?;
        }
        Ok(())
    }
}

/// What the documents could not say, in a sentence.
fn lost(hierarchy: &Hierarchy, old: &Run) -> String {
    let done = old.items.iter().filter(|item| item.state == State::Completed).count();
    let mut said = format!(
        "the journal did not know this run: it goes on with what its documents say; {done} of its {} items are done and stay so; what was being worked on begins again",
        old.items.len()
    );
    let is_agreed = old.items.iter().any(|item| {
        let is_law = matches!(hierarchy.prelude_task(&item.id), Some(PreludeTask::Constitute(_)));
        is_law && item.state == State::Completed
    });
    match is_agreed {
        true => said.push_str("; which formats were agreed on is not known any more"),
        false => said.push_str("; its proposal is drafted anew"),
    }
    let again: Vec<&str> = old
        .items
        .iter()
        .filter(|item| item.state == State::Pending && !item.output.is_empty())
        .map(|item| item.id.as_str())
        .collect();
    if !again.is_empty() {
        let more = if again.len() > NAMED { ", …" } else { "" };
        let named = again.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        said.push_str(&format!("; to be done: {named}{more}"));
    }
    said
}
