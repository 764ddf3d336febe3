//! A failed run is never a dead end: a new run takes over everything that was done, its files and its plan, in one
//! commit, and goes on with what had failed.

use std::cell::RefCell;
use std::collections::BTreeMap;

use machine::{Run, State as ItemState, Status};
use store::{Fs, ProjectPath};
use text::Text;

use crate::engine::named_run;
use crate::fault::EngineError;
use crate::files;
use crate::mode::Chosen;
use crate::service::{Begun, Service};
use crate::step::{Order, Output};

/// The largest file that is taken over, in bytes.
const FILE_BYTES: u64 = 1024 * 1024 * 1024;

/// What a new run gets of the one that failed.
#[derive(Debug, Clone)]
pub(crate) struct Legacy {
    /// The run as it failed, its completed items only as far as their files are there.
    pub old: Run,
    /// Its tables, by path.
    pub tables: BTreeMap<String, Text>,
    /// Its files, by path.
    pub files: BTreeMap<String, bytes::Bytes>,
}

impl<F: Fs> Service<F> {
    /// Begins a run that goes on where a failed one ended.
    pub fn retry(&mut self, run: &str) -> Result<Begun, EngineError> {
        self.engine.settle()?;
        let legacy = self.legacy(run)?;
        let mode = legacy.old.mode;
        let id = self.begin(|id| Order::Retry { id, legacy: Box::new(legacy.clone()) })?;
        let reason = format!("it goes on where {run} failed");
        Ok(Begun { run: id, chosen: Chosen { mode, reason } })
    }

    pub(crate) fn legacy(&mut self, run: &str) -> Result<Legacy, EngineError> {
        let protocol = self.engine.protocol();
        let text = self.engine.read(protocol.runs.path).cloned().unwrap_or_default();
        let row = protocol.runs(&text).into_iter().find(|row| row.run_id == run);
        let row = row.ok_or_else(|| crate::step::unknown_run(run))?;
        // One that the journal does not know came with the documents alone: what it left can be taken over, too.
        let is_stranded = row.status != Some(Status::Completed) && self.engine.run(run).is_none();
        if row.status != Some(Status::Failed) && !is_stranded {
            let reason = format!("{run} is {}; only a FAILED run can be retried", row.status_word);
            let hint = format!("`multiverse status {run}` shows what can be done");
            return Err(EngineError::refused(reason, hint));
        }
        let tables = RefCell::new(BTreeMap::new());
        let read = |path: &str| {
            let text = self.content(path).ok().flatten().map(Text::from)?;
            tables.borrow_mut().insert(path.to_string(), text.clone());
            Some(text)
        };
        let lifted = protocol.lift(&read, run);
        if protocol.has_catalogs() {
            read(&protocol.catalog_path(run));
        }
        let tables = tables.into_inner();
        let mut old = named_run(run, self.engine.hierarchy);
        old.request = row.user_request;
        old.status = Status::Failed;
        old.course = machine::Course::Over;
        old.mode = machine::Mode::ContinuousRun;
        old.items = lifted.items;
        let mut files = BTreeMap::new();
        for item in &mut old.items {
            if item.output.is_empty() || item.state != ItemState::Completed {
                continue;
            }
            match self.content(&item.output)? {
                Some(content) => drop(files.insert(item.output.clone(), content.into())),
                // What is not there any more is done again.
                None => item.state = ItemState::Pending,
            }
        }
        reopen_holders(&mut old.items);
        Ok(Legacy { old, tables, files })
    }

    /// A file's content, whether its document is still in memory or not.
    fn content(&self, path: &str) -> Result<Option<Vec<u8>>, EngineError> {
        if let Some(text) = self.engine.read(path) {
            return Ok(Some(text.to_vec()));
        }
        let Ok(path) = ProjectPath::any(path) else { return Ok(None) };
        let fs = self.engine.store.fs();
        // One that is too large is done again rather than taken over in part.
        match fs.look(&path)?.filter(|stamp| stamp.size <= FILE_BYTES) {
            Some(_) => Ok(files::beginning(fs, &path, FILE_BYTES)?),
            None => Ok(None),
        }
    }
}

impl Legacy {
    /// The files as the new run has them.
    pub(crate) fn outputs(&self, id: &str) -> Vec<Output> {
        let outputs = self.files.iter().filter_map(|(path, content)| {
            let path = ProjectPath::document(&moved(path, &self.old.id, id)).ok()?;
            Some(Output { path, content: content.clone() })
        });
        outputs.collect()
    }
}

/// What holds something that is to be done is not done itself.
fn reopen_holders(items: &mut [machine::Item]) {
    let mut open: Vec<String> =
        items.iter().filter(|item| item.state == ItemState::Pending).filter_map(|item| item.parent.clone()).collect();
    while let Some(id) = open.pop() {
        if let Some(holder) = items.iter_mut().find(|item| item.id == id && item.state == ItemState::Completed) {
            holder.state = ItemState::Pending;
            open.extend(holder.parent.clone());
        }
    }
}

/// A path of one run as another has it.
fn moved(path: &str, from: &str, to: &str) -> String {
    for folder in ["runs", "outputs"] {
        if let Some(rest) = path.strip_prefix(&format!("{folder}/{from}/")) {
            return format!("{folder}/{to}/{rest}");
        }
    }
    path.into()
}
