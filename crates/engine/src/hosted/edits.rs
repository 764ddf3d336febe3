//! Documents of hosted runs that people edited: which runs it concerns, and that they are asked what to make of it. Knows no
//! document.

use store::Fs;

use super::Input;
use crate::engine::Engine;
use crate::step::Order;

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

    /// The order that follows from an edit, if the run is hosted.
    pub(crate) fn hosted_edit(&self, id: &str) -> Option<Order> {
        let is_open = self.state.hosted.get(id).is_some_and(|run| !run.standing().is_over);
        is_open.then(|| Order::Hosted { run: id.into(), input: Input::Edited, used: machine::Metered::default() })
    }
}
