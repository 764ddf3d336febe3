//! What people say to a hosted run: at its gates, and to its questions. Knows no machine.

use machine::Metered;
use store::Fs;

use super::Input;
use crate::fault::EngineError;
use crate::service::Service;
use crate::step::Order;

impl<F: Fs> Service<F> {
    /// A person's reply at a gate, as typed; without one, at the gate that waits.
    pub fn reply_at_gate(
        &mut self,
        run: &str,
        gate: Option<&str>,
        reply: &str,
        reason: &str,
        by: &str,
    ) -> Result<(), EngineError> {
        let (gate, reply, reason, by) = (gate.map(String::from), reply.into(), reason.into(), by.into());
        self.tell_hosted(run, Input::Gate { gate, reply, reason, by })
    }

    /// A gate that was rejected shall be asked again.
    pub fn reopen_gate(&mut self, run: &str, gate: &str, reason: &str, by: &str) -> Result<(), EngineError> {
        self.tell_hosted(run, Input::Reopen { gate: gate.into(), reason: reason.into(), by: by.into() })
    }

    /// A person's answer to a question; without its id, to the only one there is.
    pub fn answer_question(
        &mut self,
        run: &str,
        question: Option<&str>,
        answer: &str,
        by: &str,
    ) -> Result<(), EngineError> {
        let question = question.map(String::from);
        self.tell_hosted(run, Input::Answer { question, answer: answer.into(), by: by.into() })
    }

    /// A question was shown to somebody.
    pub fn deliver(&mut self, run: &str, question: &str) -> Result<(), EngineError> {
        self.tell_hosted(run, Input::Delivered { question: question.into() })
    }

    /// Whether a run is carried by another machine than that of levels.
    pub fn is_hosted(&self, run: &str) -> bool {
        self.engine.is_hosted(run)
    }

    fn tell_hosted(&mut self, run: &str, input: Input) -> Result<(), EngineError> {
        self.engine.settle()?;
        self.take_edits()?;
        self.refuse_if_over(run)?;
        self.send_order(Order::Hosted { run: run.into(), input, used: Metered::default() })
    }

    /// What people edited meanwhile counts before what they say now.
    pub(crate) fn take_edits(&mut self) -> Result<(), EngineError> {
        let edits = self.engine.edits();
        for (_, result) in self.engine.take(edits)? {
            self.perform(result?);
        }
        Ok(())
    }

    /// Takes files that are there under the journal, so that a step can change them.
    pub(crate) fn adopt_if_there<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), EngineError> {
        self.engine.adopt_if_there(paths)
    }
}
