//! `multiverse verify`: the proof that nothing was altered. Shows what the store found.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use store::{Sum, Verification};

use super::damage::Damage;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{BAD, Form, GOOD, HINT, Output, counted};
use super::project::{self, Start};
use super::visible;

/// Prove that the journal was not altered
///
/// Reads every record of the journal and checks its number, its checksum and its
/// chain to the record before, then the documents against the journal. A document
/// that was edited by hand and not taken over yet is named, and is no damage.
/// Changes nothing and takes no lock.
///
/// A journal that was cut off at its end looks whole by itself: keep the head that
/// is printed here somewhere else, and give it with --head the next time.
///
/// With --json, one object a line: {"damage": …} for each finding, {"verified": …}
/// at the end, with the documents that differ.
///
/// Exit codes: 0 nothing was altered, 1 something was, 2 usage
///
/// Examples:
///   multiverse verify
///   multiverse verify --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// A head printed before; the journal must still contain it
    #[arg(long, value_name = "DIGEST")]
    head: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Verified {
    records: usize,
    documents: usize,
    /// The digest of the last record.
    head: String,
    /// Documents whose files are not what the journal makes of them.
    differing: Vec<String>,
    #[serde(skip)]
    damage: Vec<Damage>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Damage(&'a Damage),
    Verified(&'a Verified),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let expected = self.head.as_deref().map(parse_head).transpose()?;
        let files = project::files(&Start::of_process(given)?.project()?)?;
        show(&store::verify(&files, expected)?.into(), output)
    }
}

fn parse_head(digest: &str) -> Result<Sum, Failure> {
    digest.parse().map_err(|_| {
        Failure::new(Kind::Usage, format!("{digest:?} is no digest: a digest has 32 hexadecimal digits"))
            .hint("`multiverse verify` prints the head of a journal")
    })
}

impl From<Verification> for Verified {
    fn from(found: Verification) -> Self {
        Self {
            records: usize::try_from(found.records).unwrap_or(usize::MAX),
            documents: found.documents,
            head: found.head.sum.to_string(),
            differing: found.differing.iter().map(ToString::to_string).collect(),
            damage: found.problems.into_iter().map(Damage::from).collect(),
        }
    }
}

/// Shows what was found, and says how that ends.
fn show(verified: &Verified, output: &mut Output) -> Result<Exit, Failure> {
    if output.form() == Form::Json {
        for damage in &verified.damage {
            output.json(&Line::Damage(damage))?;
        }
        output.json(&Line::Verified(verified))?;
    } else {
        output.data(&rendered(verified))?;
    }
    Ok(if verified.damage.is_empty() { Exit::Done } else { Exit::Error })
}

fn rendered(verified: &Verified) -> String {
    let mut shown = String::new();
    for damage in &verified.damage {
        let _ = writeln!(shown, "{}", damage.rendered());
    }
    for path in &verified.differing {
        let path = visible::text(path);
        let _ = writeln!(shown, "{HINT}{path}{HINT:#}: differs from the journal: edited, and not taken over yet");
    }
    let verdict = match verified.damage.len() {
        0 => format!("{GOOD}nothing was altered{GOOD:#}"),
        1 => format!("{BAD}1 thing was altered{BAD:#}"),
        count => format!("{BAD}{count} things were altered{BAD:#}"),
    };
    let (records, documents) = (counted(verified.records, "record"), counted(verified.documents, "document"));
    let _ = writeln!(shown, "{verdict}: {records}, {documents}");
    let _ = writeln!(shown, "head {}", visible::text(&verified.head));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(damage: &[(&str, &str)], differing: &[&str]) -> String {
        let damage = damage.iter().map(|(place, message)| Damage {
            place: (*place).into(),
            record: None,
            message: (*message).into(),
        });
        let differing = differing.iter().map(|path| (*path).into()).collect();
        let verified = Verified { records: 12, documents: 1, head: "ab12".into(), differing, damage: damage.collect() };
        anstream::adapter::strip_str(&rendered(&verified)).to_string()
    }

    /// QL-26: says which record was changed.
    #[test]
    fn damage_is_shown_with_its_place() {
        insta::assert_snapshot!(shown(&[], &["a\u{1b}.md"]), @"
        a␛.md: differs from the journal: edited, and not taken over yet
        nothing was altered: 12 records, 1 document
        head ab12
        ");
        insta::assert_snapshot!(shown(&[("journal/1:7", "its content does not match its checksum\u{1b}")], &[]), @"
        journal/1:7: its content does not match its checksum␛
        1 thing was altered: 12 records, 1 document
        head ab12
        ");
    }
}
