//! What was changed in a record after the fact: the turns as they were taken against the blocks as the file has them.
//! Must not know what follows from it.

use machine::cycle::{Cycle, Stated, Turn};

use super::block::Block;
use super::header::Header;
use super::read::{Reading, read};
use super::write::{header_text, one_line};

/// What an empty list of the head has instead of entries.
const NONE: &str = "none";

/// A block that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tampering {
    /// The line of the block; of the one before it, if it is gone.
    pub line: usize,
    /// The turn's signature.
    pub signature: String,
    /// What was changed, as a fragment.
    pub reason: String,
}

/// What the head of a file says now, if that is something else than what was written there.
pub fn restated(cycle: &Cycle, reading: &Reading) -> Option<Stated> {
    let written = Cycle { goal: cycle.headed.clone().unwrap_or_else(|| cycle.goal.clone()), ..cycle.clone() };
    let (written, found) = (read(header_text(&written).as_bytes()).header, &reading.header);
    let parts = |header: &Header| (header.goal.clone(), header.current_state.clone(), header.context_docs.clone());
    if parts(&written) == parts(found) {
        return None;
    }
    let listed = |entries: &[String]| entries.iter().filter(|entry| *entry != NONE).cloned().collect();
    // A goal that was not touched stays as it was said, in all its lines.
    let goal = if written.goal == found.goal { cycle.goal.clone() } else { found.goal.clone() };
    Some(Stated { goal, current_state: listed(&found.current_state), context_docs: listed(&found.context_docs) })
}

/// What differs between the turns that were taken, in order, and a reading of their file.
pub fn compare(turns: &[Turn], reading: &Reading) -> Vec<Tampering> {
    let mut found = Vec::new();
    let mut left: Vec<&Block> = reading.blocks.iter().collect();
    let mut line = 1;
    for turn in turns {
        let signature = turn.signature.to_string();
        let Some(at) = left.iter().position(|block| block.signature == Some(turn.signature)) else {
            found.push(Tampering { line, signature, reason: "the block is gone".into() });
            continue;
        };
        let block = left.remove(at);
        line = block.line;
        let differences = differences(turn, block).into_iter();
        found.extend(differences.map(|reason| Tampering { line, signature: signature.clone(), reason }));
    }
    for block in left {
        let signature = block.signature.map_or_else(|| "none".to_owned(), |signature| signature.to_string());
        found.push(Tampering { line: block.line, signature, reason: "the block was added by hand".into() });
    }
    found
}

fn differences(turn: &Turn, block: &Block) -> Vec<String> {
    let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    let was = |text: &str| or_none(&one_line(text).replace("\\|", "|"));
    let name = |name: Option<&str>| or_none(name.unwrap_or_default());
    let mut pairs = vec![
        ("Agent".to_owned(), turn.party.name().to_owned(), name(block.agent.map(|party| party.name()))),
        ("Result".to_owned(), turn.word.name().to_owned(), name(block.result.map(|word| word.name()))),
        ("Loop Summary".to_owned(), was(&turn.summary), or_none(&block.summary)),
        ("Context".to_owned(), was(&turn.context), or_none(&block.context)),
    ];
    if let Some(confidence) = turn.confidence {
        let is = block.confidence.map(|confidence| confidence.to_string());
        pairs.push(("Confidence".to_owned(), confidence.to_string(), name(is.as_deref())));
    }
    if let Some(next) = turn.next {
        pairs.push(("Next".to_owned(), next.name().to_owned(), name(block.next.map(|party| party.name()))));
    }
    for (key, value) in &turn.fields {
        let is = block.fields.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str());
        pairs.push((key.clone(), was(value), name(is)));
    }
    let changed = pairs.into_iter().filter(|(_, was, is)| was != is);
    changed.map(|(key, was, is)| format!("{key} was `{was}`, and is `{is}`")).collect()
}
