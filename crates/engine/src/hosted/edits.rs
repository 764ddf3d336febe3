//! Documents of hosted runs that people edited: which runs it concerns, and that they are asked what to make of it. Knows no
//! document.

use std::collections::BTreeSet;

use bytes::Bytes;
use machine::Hierarchy;
use store::{Fs, Piece, Record};
use text::{Change, Splice};

use super::Input;
use crate::body::Body;
use crate::engine::Engine;
use crate::fault::EngineError;
use crate::step::{Order, Ready, State};

impl State {
    /// Takes in a step that somebody else committed; decides nothing.
    pub(crate) fn follow_step(&mut self, hierarchy: &Hierarchy, record: &Record, body: &Body) {
        self.follow_documents(record);
        self.apply_body(hierarchy, body);
        self.forget_if_over(&body.run);
    }

    /// Lets go of what is remembered of documents that somebody else changed, and lets hosted runs know how. What is too long
    /// to stand in a record they read themselves.
    pub(crate) fn follow_documents(&mut self, record: &Record) {
        record.docs.iter().for_each(|entry| self.forget_document(entry.path.as_str()));
        let open = || self.hosted.values().filter(|run| !run.standing().is_over);
        if open().next().is_none() {
            return;
        }
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => Some(Bytes::from(text.clone())),
            Piece::Blob { .. } => None,
        };
        for entry in &record.docs {
            let splices = entry
                .edits
                .iter()
                .map(|edit| Some(Splice { at: edit.at, cut: bytes(&edit.cut)?, put: bytes(&edit.put)? }));
            if let Some(change) = splices.collect::<Option<Vec<_>>>().map(Change::from_splices) {
                open().for_each(|run| run.follow_document(entry.path.as_str(), &change));
            }
        }
    }
}

impl<F: Fs> Engine<F> {
    /// Notes which hosted runs an edited document concerns.
    pub(crate) fn note_hosted_edit(&mut self, path: &str, before: u64) {
        let open = self.state.hosted.iter().filter(|(_, run)| !run.standing().is_over);
        let concerned = open.filter(|(_, run)| run.documents().iter().any(|document| document == path));
        let concerned: Vec<String> = concerned.map(|(id, _)| id.clone()).collect();
        for id in concerned {
            self.edited.entry(id).or_insert(before);
        }
    }

    /// What people wrote into documents of a hosted run is looked at before anything else is decided about the run: each
    /// step writes its documents, and would write over what nobody has read yet.
    pub(crate) fn edits_first(&mut self, ready: &mut Vec<Ready>) -> Result<(), EngineError> {
        if self.edited.is_empty() || self.state.hosted.is_empty() {
            return Ok(());
        }
        let is_edited = |id: &&str| self.edited.contains_key(*id) && self.is_hosted(id);
        let concerned: BTreeSet<String> =
            ready.iter().map(|one| one.order.run()).filter(is_edited).map(String::from).collect();
        for id in concerned {
            self.edited.remove(&id);
            let Some(order) = self.hosted_edit(&id) else { continue };
            let place = ready.iter().position(|one| one.order.run() == id).unwrap_or_default();
            let order = self.ready(order)?;
            ready.insert(place, order);
        }
        Ok(())
    }

    /// The order that follows from an edit, if the run is hosted.
    pub(crate) fn hosted_edit(&self, id: &str) -> Option<Order> {
        let is_open = self.state.hosted.get(id).is_some_and(|run| !run.standing().is_over);
        is_open.then(|| Order::Hosted { run: id.into(), input: Input::Edited, used: machine::Metered::default() })
    }
}
