//! The journal read from its first record, as `history` does: every body once, and every decision made on what was so
//! at its place.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;
use store::{Fault, Kind, Piece, ProjectPath, Record};
use text::{Change, Splice, Text};

use super::{Finding, Ledger};
use crate::SimFs;

/// What the records say.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The token of every body, with how often it is there.
    bodies: BTreeMap<String, usize>,
    /// Decisions that rest on something that was not so.
    pub misled: Vec<Finding>,
    /// What edits by hand took out and brought in: half a save may do either with what others committed.
    pub touched_by_edits: String,
    /// Documents before and after each record that is no commit; nothing where that is not in the records.
    turned: Vec<(String, Option<String>, Option<String>)>,
    /// How often the counter was counted up.
    pub increments: u64,
    /// The documents so far; nothing for those whose content is not in the records.
    texts: BTreeMap<String, Option<Text>>,
}

impl History {
    /// Reads all records.
    pub(super) fn read(fs: &SimFs) -> Result<Self, Fault> {
        let mut history = Self::default();
        store::records(fs, |record| history.take(&record))?;
        Ok(history)
    }

    /// Every acknowledged body is there once, every other at most once.
    pub(super) fn check_bodies(&self, ledger: &Ledger) -> Vec<Finding> {
        let deeds = ledger.deeds();
        let mut findings = Vec::new();
        for deed in &deeds.begun {
            let count = self.bodies.get(&deed.token).copied().unwrap_or_default();
            if count > 1
                || count == 0 && deeds.acknowledged.contains(&deed.token)
                || count > 0 && deeds.refused.contains(&deed.token)
            {
                findings.push(Finding(format!("the body of {} is in the journal {count} times", deed.token)));
            }
        }
        findings
    }

    /// Whether something was taken out of a document by a record that is no commit.
    pub(super) fn took_out(&self, path: &ProjectPath, token: &str) -> bool {
        let has = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(token));
        let of_it = self.turned.iter().filter(|(turned, ..)| turned == path.as_str());
        of_it.clone().any(|(_, before, after)| (has(before) || before.is_none()) && !has(after))
    }

    fn take(&mut self, record: &Record) {
        if let Some(body) = record.body.as_ref().and_then(|body| serde_json::from_str::<Value>(body.get()).ok()) {
            let token = body["token"].as_str().unwrap_or_default();
            *self.bodies.entry(token.into()).or_default() += 1;
            self.increments += u64::from(record.cause.starts_with("count "));
            for saw in body["saw"].as_array().into_iter().flatten() {
                self.hold_against(record.number, token, saw);
            }
        }
        for doc in &record.docs {
            let before = self.texts.get(doc.path.as_str()).cloned().flatten();
            let splices: Option<Vec<Splice>> = doc
                .edits
                .iter()
                .map(|edit| Some(Splice { at: edit.at, cut: plain(&edit.cut)?, put: plain(&edit.put)? }))
                .collect();
            let known = before.clone();
            let after = splices.and_then(|all| Change::from_splices(all).apply(&before.unwrap_or_default()).ok());
            if record.kind != Kind::Commit && doc.was.is_present() {
                let text = |text: &Text| String::from_utf8_lossy(&text.to_vec()).into_owned();
                let now = after.as_ref().filter(|_| doc.now.is_present()).map(text);
                self.turned.push((doc.path.to_string(), known.as_ref().map(text), now));
            }
            self.texts.insert(doc.path.to_string(), after.filter(|_| doc.now.is_present()));
            if record.kind == Kind::Edit {
                let pieces = doc.edits.iter().flat_map(|edit| [&edit.cut, &edit.put]);
                self.touched_by_edits.extend(pieces.filter_map(|piece| match piece {
                    Piece::Text(text) => Some(text.as_str()),
                    Piece::Blob { .. } => None,
                }));
            }
        }
    }

    fn hold_against(&mut self, number: u64, token: &str, saw: &Value) {
        let path = saw["path"].as_str().unwrap_or_default();
        let text = self.texts.get(path).cloned().flatten();
        let text = text.map(|text| String::from_utf8_lossy(&text.to_vec()).into_owned());
        let so = match saw["line"].as_str() {
            Some(line) => text.as_deref().is_some_and(|text| text.contains(line)),
            None => text.as_deref() == saw["whole"].as_str(),
        };
        if !so {
            self.misled.push(Finding(format!("record {number}, {token}: it saw {saw}, and there was {text:?}")));
        }
    }
}

fn plain(piece: &Piece) -> Option<Bytes> {
    match piece {
        Piece::Text(text) => Some(Bytes::copy_from_slice(text.as_bytes())),
        Piece::Blob { .. } => None,
    }
}
