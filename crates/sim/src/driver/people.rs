//! A person who edits the documents while processes work on them: reads one, thinks, saves it with a line of their
//! own, in one of the ways that editors save; or has it open in two editors at once.

mod hands;

use std::collections::BTreeSet;
use std::time::Duration;

use store::{Fault, Fs, ProjectPath};

use super::deeds::COUNTER;
use super::{Deed, Event, Ledger, Plan, Who, Work, documents, shared_documents};
use crate::{Person, Random, SimFs};

/// How often somebody looks whether an edit was taken over, before it is left at that.
const PATIENCE: usize = 300;

struct Editing<'a> {
    person: Person,
    random: Random,
    plan: &'a Plan,
    round: usize,
    ledger: &'a Ledger,
    /// The documents that were put back to something older in this round.
    put_back: BTreeSet<ProjectPath>,
}

#[allow(clippy::panic, reason = "a panic of a simulated person is a finding of the test")]
pub(super) fn edit(fs: SimFs, plan: &Plan, round: usize, ledger: &Ledger) {
    let random = Random::new(plan.seed ^ 0xed17 ^ (round as u64) << 16);
    let mut editing = Editing { person: Person::new(fs), random, plan, round, ledger, put_back: BTreeSet::new() };
    let done = match plan.work {
        Work::Editors => editing.with_two_editors(),
        Work::Hands => editing.with_both_hands(),
        Work::Past => (0..plan.saves).try_for_each(|save| editing.edit_or_make(save)),
        _ => (0..plan.saves).try_for_each(|save| editing.edit_once(save)),
    };
    ledger.deeds().people_done = round + 1;
    if let Err(fault) = done {
        panic!("the person cannot save: {fault}");
    }
}

impl Editing<'_> {
    fn token(&self, save: usize) -> String {
        match self.round {
            0 => format!("me-{save}-"),
            round => format!("me{round}-{save}-"),
        }
    }

    fn with_both_hands(&mut self) -> Result<(), Fault> {
        let absent = self.absent()?;
        (0..self.plan.saves).try_for_each(|save| self.handle_once(save))?;
        match self.plan.rounds[self.round].who {
            Who::Person => self.note_what_is_meant(&absent),
            Who::Everyone | Who::Opener => Ok(()),
        }
    }

    /// An edit, or a file that is not under the journal.
    fn edit_or_make(&mut self, save: usize) -> Result<(), Fault> {
        let token = self.token(save);
        let Ok(path) = ProjectPath::document(&format!("notes/{token}.md")) else { return Ok(()) };
        if self.random.one_in(2) {
            return self.edit_once(save);
        }
        self.think();
        self.person.save_in_place(&path, format!("| {token} | NOTE | |\n").as_bytes(), 64)?;
        self.ledger.deeds().notes.push(Deed { token, documents: vec![path] });
        Ok(())
    }

    fn edit_once(&mut self, save: usize) -> Result<(), Fault> {
        let documents = edited_documents(self.plan.work);
        let path = &documents[self.random.below(documents.len())];
        self.think();
        let Some(content) = self.person.read(path)? else { return Ok(()) };
        let token = self.token(save);
        let edited = self.with_line(&content, &token);
        self.think();
        self.save(path, &edited)?;
        self.ledger.save(&token, path);
        Ok(())
    }

    /// Two buffers of one document, read at different times and saved in turn. Neither ever sees what the other saved.
    fn with_two_editors(&mut self) -> Result<(), Fault> {
        let documents = shared_documents();
        let path = &documents[self.random.below(documents.len())];
        let Some(one) = self.open(path)? else { return Ok(()) };
        self.think();
        let Some(other) = self.open(path)? else { return Ok(()) };
        let mut buffers = [one, other];
        for save in 0..self.plan.saves {
            let token = self.token(save);
            let buffer = self.random.below(2);
            buffers[buffer] = self.with_line(&buffers[buffer], &token);
            self.save(path, &buffers[buffer].clone())?;
            self.ledger.save(&token, path);
            if !self.is_taken(&token) {
                break;
            }
        }
        Ok(())
    }

    /// Waits for the document to be there.
    fn open(&self, path: &ProjectPath) -> Result<Option<Vec<u8>>, Fault> {
        for _ in 0..PATIENCE {
            match self.person.read(path)? {
                None => self.person.fs().pause(Duration::from_millis(20)),
                content => return Ok(content),
            }
        }
        Ok(None)
    }

    /// Waits until some process has taken an edit over: one that is overwritten before anybody looked is gone.
    fn is_taken(&self, token: &str) -> bool {
        (0..PATIENCE).any(|_| {
            self.person.fs().pause(Duration::from_millis(40));
            self.ledger.deeds().taken.contains(token)
        })
    }

    fn can_rename(&self) -> bool {
        !self.plan.events().any(|event| *event == Event::NoExchange)
    }

    fn save(&mut self, path: &ProjectPath, edited: &[u8]) -> Result<(), Fault> {
        match self.random.below(3) {
            // Where files cannot be swapped, what is renamed into place at the wrong moment is lost.
            0 if self.can_rename() => self.person.save_by_rename(path, edited),
            0 | 1 => self.person.save_in_place(path, edited, 64),
            _ => self.save_slowly(path, edited),
        }
    }

    /// The document with a row of the person's own: at the end, or below the table's head.
    fn with_line(&mut self, content: &[u8], token: &str) -> Vec<u8> {
        let text = String::from_utf8_lossy(content).into_owned();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(Into::into).collect();
        let end = if self.plan.work == Work::Crlf { "\r\n" } else { "\n" };
        let at = if self.random.below(2) == 0 { lines.len() } else { lines.len().min(2) };
        let row = match at == lines.len() && !text.is_empty() && !text.ends_with('\n') {
            true => format!("{end}| {token} | NOTE | |"),
            false => format!("| {token} | NOTE | |{end}"),
        };
        lines.insert(at, row);
        lines.concat().into_bytes()
    }

    /// Half a save, a pause, the other half.
    fn save_slowly(&mut self, path: &ProjectPath, content: &[u8]) -> Result<(), Fault> {
        let edit = self.person.edit(path)?;
        edit.truncate(0)?;
        let (one, other) = content.split_at(content.len() / 2);
        edit.write(0, one)?;
        self.person.fs().pause(thought(&mut self.random));
        edit.write(one.len() as u64, other)
    }

    fn think(&mut self) {
        self.person.fs().pause(thought(&mut self.random));
    }
}

fn thought(random: &mut Random) -> Duration {
    Duration::from_millis([0, 1, 30, 120][random.below(4)])
}

fn edited_documents(work: Work) -> Vec<ProjectPath> {
    match work {
        Work::Rows
        | Work::Crlf
        | Work::Unended
        | Work::Large
        | Work::Editors
        | Work::Batches
        | Work::Hands
        | Work::Past => shared_documents(),
        Work::Counter => documents(&[COUNTER]),
        Work::Claims => documents(&["db/leases.md"]),
        Work::Gate => documents(&["db/gate.md", "db/passed.md"]),
        // A file that somebody makes again after its removal is not the store's until it is adopted: nobody does.
        Work::Files => documents(&["outputs/three.md"]),
    }
}
