//! What is wrong with a journal, as `verify`, `history` and `doctor` show it. Knows no command.

use serde::Serialize;

use super::output::BAD;
use super::visible;

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Damage {
    /// The file, from the project's root, and the line where there is one.
    pub(crate) place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<u64>,
    pub(crate) message: String,
}

impl Damage {
    /// It in one line, styles included.
    pub(crate) fn rendered(&self) -> String {
        format!("{BAD}{}{BAD:#}: {}", visible::text(&self.place), visible::text(&self.what()))
    }

    /// What is wrong, with the record that it concerns.
    pub(crate) fn what(&self) -> String {
        match self.record {
            Some(number) if !self.message.contains(&format!("record {number}")) => {
                format!("{} (record {number})", self.message)
            }
            _ => self.message.clone(),
        }
    }
}

impl From<store::Problem> for Damage {
    fn from(problem: store::Problem) -> Self {
        let place = match problem.line {
            0 => problem.path.to_string(),
            line => format!("{}:{line}", problem.path),
        };
        // There is no record 0: such a problem is one of the journal as a whole.
        Self { place, record: problem.record.filter(|number| *number > 0), message: problem.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-26: the record is named, and named once.
    #[test]
    fn damage_names_its_place_and_its_record() {
        let check = |record: Option<u64>, message: &str, expected: &str| {
            let damage = Damage { place: "journal/1:7".into(), record, message: message.into() };
            assert_eq!(anstream::adapter::strip_str(&damage.rendered()).to_string(), expected);
        };
        check(None, "it is cut\u{1b}", "journal/1:7: it is cut␛");
        check(Some(3), "it is cut", "journal/1:7: it is cut (record 3)");
        check(Some(3), "record 3 is cut", "journal/1:7: record 3 is cut");
    }
}
