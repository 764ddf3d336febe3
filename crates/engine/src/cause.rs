//! Why a record of a run of levels is there, in words for people. Knows facts, and nothing of how they came about.

use machine::{Fact, Target};

/// What was planned, in words for people.
fn target_of(target: &Target, rows: usize) -> String {
    let items = if rows == 1 { "1 item".into() } else { format!("{rows} items") };
    match target {
        Target::Prelude => "the preparation".into(),
        Target::Proposal => "a proposal".into(),
        Target::Children(id) if id.is_empty() => items,
        Target::Children(id) => format!("{items} of {id}"),
        Target::Tools(id, _) => format!("{items} of {id} for tools"),
    }
}

/// Why a record is there, in words for people.
pub(crate) fn cause(run: &str, facts: &[Fact]) -> String {
    let said = facts.iter().find_map(|fact| match fact {
        Fact::Started { .. } => Some("began".to_string()),
        Fact::Finished => Some("is done".into()),
        Fact::Failed(failure) => Some(format!("failed: {}", failure.doing)),
        Fact::Worked { item, .. } => Some(format!("{item} is done")),
        Fact::Planned { target, rows, .. } => Some(format!("{} planned", target_of(target, rows.len()))),
        Fact::Proposed { .. } => Some("proposal".into()),
        Fact::Answered { verdict, .. } => Some(format!("answered: {}", crate::notice::verdict_word(verdict))),
        Fact::Catalogued { .. } => Some("inputs catalogued".into()),
        Fact::SentBack { .. } => Some("report sent back".into()),
        Fact::Asked { .. } => Some("question".into()),
        Fact::Told { .. } => Some("question answered".into()),
        Fact::Paused { .. } => Some("paused".into()),
        Fact::Resumed => Some("resumed".into()),
        Fact::Lost { .. } => Some("attempt lost".into()),
        Fact::Rested { rest, .. } => Some(format!("rests until {}", rest.until)),
        Fact::Woke { .. } => Some("goes on after a rest".into()),
        Fact::Exhausted { .. } => Some("its budget is used up".into()),
        Fact::Budgeted { by: Some(_), .. } => Some("its budget is raised".into()),
        Fact::Edited { .. } | Fact::Removed { .. } => Some("edit taken over".into()),
        _ => None,
    });
    let said = said.or_else(|| {
        facts.iter().find_map(|fact| match fact {
            Fact::Completed { item, .. } => Some(format!("{item} is done")),
            Fact::Driven { .. } => Some("taken up".into()),
            _ => None,
        })
    });
    format!("{run}: {}", said.unwrap_or_else(|| "put back what was edited".into()))
}
