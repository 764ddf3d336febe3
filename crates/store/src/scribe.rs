//! The lines of a batch's records, spelled and chained while the caller decides what comes next: by somebody else where
//! the world has others, else by whoever asks for them. The lines are the same either way. Knows no files.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::fault::{Fault, FaultKind};
use crate::fs::Fs;
use crate::record::{Record, Sum};

/// A line of the journal, and its sum.
pub(crate) type Line = (Vec<u8>, Sum);

/// So many records are spelled together: to wake somebody takes about as long as to spell one.
const TOGETHER: usize = 8;

/// Spells the records of one batch after another.
#[derive(Debug, Default)]
pub(crate) struct Scribe {
    /// Whether somebody was asked to help.
    has_asked: bool,
    other: Option<Other>,
    /// Records of this batch that nobody was given yet.
    waiting: Vec<Record>,
    /// How many pieces of this batch somebody else has.
    given: usize,
}

/// Somebody else who spells.
#[derive(Debug)]
struct Other {
    to: Sender<Piece>,
    from: Receiver<Result<Vec<Line>, String>>,
}

/// Records in a row. The first piece of a batch says what they come after.
struct Piece {
    after: Option<Sum>,
    records: Vec<Record>,
}

impl Scribe {
    /// Takes a record of a batch that comes after `head`. Its own `prev` says nothing yet.
    pub(crate) fn take<F: Fs>(&mut self, fs: &F, head: Sum, record: Record) {
        self.waiting.push(record);
        if self.waiting.len() < TOGETHER {
            return;
        }
        if !std::mem::replace(&mut self.has_asked, true) {
            self.other = call(fs);
        }
        let Some(other) = &self.other else { return };
        let after = (self.given == 0).then_some(head);
        match other.to.send(Piece { after, records: std::mem::take(&mut self.waiting) }) {
            Ok(()) => self.given += 1,
            Err(unsent) => self.waiting = unsent.0.records,
        }
    }

    /// All lines of the batch that comes after `head`.
    pub(crate) fn finish(&mut self, head: Sum) -> Result<Vec<Line>, Fault> {
        let fault = |reason: String| Fault::new("write", &crate::segment::folder(), FaultKind::Other, reason);
        let (mut lines, mut after) = (Vec::new(), head);
        let rest = std::mem::take(&mut self.waiting);
        while self.given > 0 {
            let broken = || fault("a thread of ours broke down".into());
            let spelled = self.other.as_ref().and_then(|other| other.from.recv().ok());
            let Some(spelled) = spelled else {
                (self.given, self.other) = (0, None);
                return Err(broken());
            };
            self.given -= 1;
            match spelled {
                Ok(piece) => lines.extend(piece),
                Err(reason) => {
                    self.abandon();
                    return Err(fault(reason));
                }
            }
        }
        after = lines.last().map_or(after, |(_, sum)| *sum);
        lines.extend(spell(after, rest).map_err(fault)?);
        Ok(lines)
    }

    /// The batch is not written: nobody wants its lines.
    pub(crate) fn abandon(&mut self) {
        self.waiting.clear();
        for _ in 0..std::mem::take(&mut self.given) {
            if self.other.as_ref().is_none_or(|other| other.from.recv().is_err()) {
                self.other = None;
            }
        }
    }
}

/// Finds somebody who spells until nobody gives them anything any more.
fn call<F: Fs>(fs: &F) -> Option<Other> {
    let (to, pieces) = channel::<Piece>();
    let (sender, from) = channel();
    let errand = move |_: &F| {
        let mut last = Sum::default();
        for Piece { after, records } in pieces {
            let spelled = spell(after.unwrap_or(last), records);
            if let Ok(lines) = &spelled {
                last = lines.last().map_or(last, |(_, sum)| *sum);
            }
            if sender.send(spelled).is_err() {
                return;
            }
        }
    };
    fs.apart(Box::new(errand)).ok().map(|()| Other { to, from })
}

fn spell(mut after: Sum, records: Vec<Record>) -> Result<Vec<Line>, String> {
    let lines = records.into_iter().map(|mut record| {
        record.prev = after;
        let line = record.to_line().map_err(|error| error.to_string())?;
        after = line.1;
        Ok(line)
    });
    lines.collect()
}
