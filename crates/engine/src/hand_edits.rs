//! What people did to the documents of a run: which runs it concerns, what is a wish, what is put back, and when a run
//! cannot go on before a person has mended something.

use std::collections::{BTreeMap, BTreeSet};

use dialect::is_without_row;
use machine::{Input, Run};
use store::{Fs, ProjectPath};
use text::Text;

use crate::engine::Engine;
use crate::notice::Notice;
use crate::step::{Edited, Order};
use crate::views::status_word;

impl<F: Fs> Engine<F> {
    /// A document of a run that was edited is compared with the run's state; the table of runs with all of them. What is
    /// agreed with the user binds as it reads now.
    pub(crate) fn note_edit(&mut self, path: &str, before: u64) {
        self.note_hosted_edit(path, before);
        if path == self.protocol().instructions.path {
            self.state.instructions.clear();
            self.tell_unknown_instructions();
        } else if path == self.protocol().runs.path {
            self.runs_edited = true;
            for run in self.state.runs.keys() {
                self.edited.entry(run.clone()).or_insert(before);
            }
        } else if let Some(run) = path.strip_prefix("runs/").and_then(|rest| rest.split('/').next())
            && self.state.runs.contains_key(run)
        {
            self.edited.entry(run.into()).or_insert(before);
        }
    }

    /// An instruction whose status nobody knows does not hold; whoever wrote it may think that it does.
    fn tell_unknown_instructions(&self) {
        let Some(text) = self.read(self.protocol().instructions.path) else { return };
        let is_known = |word: &str| ["ACTIVE", "SUPERSEDED"].iter().any(|known| known.eq_ignore_ascii_case(word));
        for row in self.protocol().instructions(text).iter().filter(|row| !row.active && !is_known(&row.status_word)) {
            let (id, word) = (&row.instruction_id, &row.status_word);
            let reason =
                format!("the status {word:?} of {id} is unknown, so it does not hold: write ACTIVE or SUPERSEDED");
            let path = Some(format!("{}:{}", self.protocol().instructions.path, row.line));
            (self.listener)(Notice::Problem { run: None, path, reason });
        }
    }

    /// Orders that follow from edits by hand.
    pub(crate) fn edits(&mut self) -> Vec<Order> {
        let edited = std::mem::take(&mut self.edited);
        if std::mem::take(&mut self.runs_edited) {
            self.tell_changed_statuses();
        }
        edited.into_iter().filter_map(|(id, number)| self.edit(&id, number)).collect()
    }

    fn edit(&mut self, id: &str, number: u64) -> Option<Order> {
        if self.is_hosted(id) {
            return self.hosted_edit(id);
        }
        let run = self.state.runs.get(id)?;
        let read = |path: &str| self.store.read(&ProjectPath::any(path).ok()?).cloned();
        let tell = |path: String, reason: String| {
            (self.listener)(Notice::Problem { run: Some(id.into()), path: Some(path), reason });
        };
        for path in tables_of(self.state.protocol, run) {
            let trouble = match read(&path) {
                Some(text) => self.state.sheets.sheet(&path, &text).err().map(|trouble| (trouble.line, trouble.reason)),
                None => Some((0, "the document is gone, and the run cannot go on without it".into())),
            };
            if let Some((line, reason)) = trouble {
                let hint =
                    format!("`multiverse restore {path} --at {number}` brings it back, then `multiverse resume {id}`");
                tell(format!("{path}:{}", line.max(1)), format!("{reason}; {hint}"));
                return match run.paused {
                    Some(_) => None,
                    None => Some(Order::to(id, Input::Pause { reason: format!("{path}: {reason}; {hint}") })),
                };
            }
        }
        let mut lifted = self.state.protocol.lift(&read, id);
        // What has no row cannot have been edited.
        lifted.items.retain(|item| !is_without_row(self.hierarchy, item));
        lifted.items.extend(run.items.iter().filter(|item| is_without_row(self.hierarchy, item)).cloned());
        // A status that nobody can read is no wish: it is put back.
        for item in lifted.items.iter_mut().filter(|item| lifted.unclear.contains(&item.id)) {
            item.state = run.item(&item.id).map_or(item.state, |known| known.state);
        }
        for problem in &lifted.problems {
            tell(format!("{}:{}", problem.path, problem.line), problem.reason.clone());
        }
        let rows = lifted.items.iter().chain(&run.items).map(|item| item.id.clone()).collect();
        let edited = Some(Edited { rows, before: self.tables_at(id, number) });
        let input = Input::Edited { items: lifted.items };
        Some(Order::To {
            run: id.into(),
            input,
            outputs: Vec::new(),
            said: None,
            used: machine::Metered::default(),
            edited,
        })
    }

    fn tables_at(&self, id: &str, number: u64) -> BTreeMap<String, Text> {
        let items = self.state.runs.get(id).map_or(&[][..], |run| &run.items);
        let then = self.protocol().run_documents(id, items).into_iter().filter_map(|path| {
            let place = ProjectPath::any(&path).ok()?;
            Some((path, store::document_at(self.store.fs(), &place, number).ok()??))
        });
        then.collect()
    }

    /// A status in the table of runs is no wish: there are commands for that. It is put back, and that is said.
    fn tell_changed_statuses(&self) {
        let Some(text) = self.read(self.protocol().runs.path) else { return };
        for row in self.protocol().runs(text) {
            let Some(run) = self.state.runs.get(&row.run_id) else { continue };
            if row.status != Some(run.status) {
                let (id, word) = (&row.run_id, &row.status_word);
                let reason = format!(
                    "the status of {id} was changed by hand to {word:?}; it is put back to {}: `multiverse cancel {id}`, `pause` and `resume` change it",
                    status_word(run.status)
                );
                let path = Some(format!("{}:{}", self.protocol().runs.path, row.line));
                (self.listener)(Notice::Problem { run: Some(id.clone()), path, reason });
            }
        }
    }
}

/// The tables that hold the items of a run.
fn tables_of(protocol: &dialect::Protocol, run: &Run) -> Vec<String> {
    let held: BTreeSet<String> = run.items.iter().filter_map(|item| protocol.document_of(&run.id, item)).collect();
    protocol.run_documents(&run.id, &run.items).into_iter().filter(|path| held.contains(path)).collect()
}
