//! `multiverse verify`: the proof that nothing was altered. Shows what the store found.

use std::fmt::Write as _;

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::output::{BAD, Form, GOOD, Output};
use super::visible;

/// Prove that the journal was not altered
///
/// Reads every record of the journal and checks its number, its checksum and its
/// chain to the record before; then the documents against the journal. Changes
/// nothing and takes no lock.
/// A journal that was cut off at its end looks whole by itself: keep the head that
/// is printed here somewhere else, and give it with --head the next time.
///
/// With --json, one object a line: {"damage": …} for each finding, {"verified": …}
/// at the end.
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
    pub(crate) head: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Verified {
    pub(crate) records: u64,
    pub(crate) segments: usize,
    pub(crate) documents: usize,
    /// The digest of the last record.
    pub(crate) head: String,
    #[serde(skip)]
    pub(crate) damage: Vec<Damage>,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Damage {
    /// The file, from the project's root, and the line where there is one.
    pub(crate) place: String,
    pub(crate) message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Damage(&'a Damage),
    Verified(&'a Verified),
}

/// Shows what was found, and says how that ends.
pub(crate) fn show(verified: &Verified, output: &mut Output) -> Result<Exit, Failure> {
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
        let (place, message) = (visible::text(&damage.place), visible::text(&damage.message));
        let _ = writeln!(shown, "{BAD}{place}{BAD:#}: {message}");
    }
    let verdict = match verified.damage.len() {
        0 => format!("{GOOD}nothing was altered{GOOD:#}"),
        1 => format!("{BAD}1 thing was altered{BAD:#}"),
        count => format!("{BAD}{count} things were altered{BAD:#}"),
    };
    let _ = writeln!(
        shown,
        "{verdict}: {} records in {} segments, {} documents",
        verified.records, verified.segments, verified.documents
    );
    let _ = writeln!(shown, "head {}", visible::text(&verified.head));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(damage: &[(&str, &str)]) -> String {
        let damage =
            damage.iter().map(|(place, message)| Damage { place: (*place).into(), message: (*message).into() });
        let verified =
            Verified { records: 12, segments: 2, documents: 3, head: "ab12".into(), damage: damage.collect() };
        anstream::adapter::strip_str(&rendered(&verified)).to_string()
    }

    /// QL-26: says which record was changed.
    #[test]
    fn damage_is_shown_with_its_place() {
        insta::assert_snapshot!(shown(&[]), @r"
        nothing was altered: 12 records in 2 segments, 3 documents
        head ab12
        ");
        insta::assert_snapshot!(shown(&[("journal/1:7", "record 7: the checksum does not match\u{1b}")]), @r"
        journal/1:7: record 7: the checksum does not match␛
        1 thing was altered: 12 records in 2 segments, 3 documents
        head ab12
        ");
    }
}
