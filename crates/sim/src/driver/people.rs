//! A person who edits the documents while processes work on them: reads one, thinks, saves it with a line of their
//! own, in one of the ways that editors save.

use std::time::Duration;

use store::{Fault, Fs, ProjectPath};

use super::{Deed, Ledger, Plan, shared_documents};
use crate::{Person, Random, SimFs};

#[allow(clippy::panic, reason = "a panic of a simulated person is a finding of the test")]
pub(super) fn edit(fs: SimFs, plan: Plan, ledger: &Ledger) {
    let mut random = Random::new(plan.seed ^ 0xed17);
    let person = Person::new(fs);
    for save in 0..plan.saves {
        if let Err(fault) = edit_once(&person, &mut random, save, ledger) {
            panic!("the person cannot save: {fault}");
        }
    }
}

fn edit_once(person: &Person, random: &mut Random, save: usize, ledger: &Ledger) -> Result<(), Fault> {
    let documents = shared_documents();
    let path = &documents[random.below(documents.len())];
    think(person, random);
    let Some(content) = person.read(path)? else { return Ok(()) };
    let token = format!("me-{save}-");
    let edited = with_line(&content, random, &token);
    think(person, random);
    match random.below(3) {
        0 => person.save_by_rename(path, &edited)?,
        1 => person.save_in_place(path, &edited, 64)?,
        _ => save_slowly(person, random, path, &edited)?,
    }
    ledger.deeds().saved.push(Deed { token, documents: vec![path.clone()] });
    Ok(())
}

/// The document with a row of the person's own: at the end, or below the table's head; and a note in another row.
fn with_line(content: &[u8], random: &mut Random, token: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(content).into_owned();
    let mut lines: Vec<String> = text.split_inclusive('\n').map(Into::into).collect();
    let row = format!("| {token} | NOTE | |\n");
    let at = if random.below(2) == 0 { lines.len() } else { lines.len().min(2) };
    lines.insert(at, row);
    lines.concat().into_bytes()
}

/// Half a save, a pause, the other half.
fn save_slowly(person: &Person, random: &mut Random, path: &ProjectPath, content: &[u8]) -> Result<(), Fault> {
    let edit = person.edit(path)?;
    edit.truncate(0)?;
    let (one, other) = content.split_at(content.len() / 2);
    edit.write(0, one)?;
    think(person, random);
    edit.write(one.len() as u64, other)
}

fn think(person: &Person, random: &mut Random) {
    person.fs().pause(Duration::from_millis([0, 1, 30, 120][random.below(4)]));
}
