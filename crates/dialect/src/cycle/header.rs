//! The head of a cycle's file: its id, the goal, what is so, and the documents to know. Must not know blocks.

use super::block::{Deviation, Weight};
use super::lines::{Kind, Line};
use super::names;
use super::read::deviation;
use super::values::shown;

/// What stands above the first block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// `YYYY-MM-DD-NNN`.
    pub cycle_id: Option<String>,
    /// What is to be reached.
    pub goal: String,
    /// What is so, line by line.
    pub current_state: Vec<String>,
    /// Documents to know.
    pub context_docs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Goal,
    State,
    Docs,
}

/// Reads the head. In a file that is written newest first it may stand anywhere; the first of each part counts.
pub(super) fn read_header(lines: &[Line<'_>], first_block: Option<usize>, deviations: &mut Vec<Deviation>) -> Header {
    let mut header = Header::default();
    let (mut part, mut seen) = (None, Vec::new());
    for line in lines {
        match &line.kind {
            Kind::Heading { title, level, .. } => {
                let key: String =
                    title.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
                part = match key.as_str() {
                    "goal" | "superordinategoal" | "objective" => Some(Part::Goal),
                    key if key.starts_with("cycle") && key.ends_with("goal") => Some(Part::Goal),
                    key if key.starts_with("goaldefinition") => Some(Part::Goal),
                    "currentstate" => Some(Part::State),
                    "contextdocs" | "contextdocuments" => Some(Part::Docs),
                    _ => None,
                };
                part = part.filter(|part| !seen.contains(part));
                seen.extend(part);
                if header.cycle_id.is_none() && *level == 1 && is_id_heading(title) {
                    header.cycle_id = Some(read_id(title, line, deviations));
                }
            }
            Kind::Break | Kind::Title { .. } | Kind::Fence => part = None,
            Kind::Blank | Kind::Comment | Kind::Compared => {}
            Kind::TitleEnd | Kind::Quoted | Kind::Fields(_) | Kind::Prose => {
                let text = line.text.trim();
                let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text).trim();
                match part {
                    Some(Part::Goal) => {
                        if !header.goal.is_empty() {
                            header.goal.push('\n');
                        }
                        header.goal.push_str(text);
                    }
                    Some(Part::State) => header.current_state.push(bullet.to_owned()),
                    Some(Part::Docs) => header.context_docs.push(bullet.trim_matches('`').to_owned()),
                    None => {}
                }
            }
        }
    }
    let place = first_block.unwrap_or(1);
    if header.cycle_id.is_none() {
        let mend = "begin the file with `# Cycle: 2026-01-31-001`".into();
        deviations.push(deviation(1, 0..0, Weight::Form, "the file does not say which cycle it is".into(), mend));
    }
    for (part, name) in [(Part::Goal, "Goal"), (Part::State, "Current State"), (Part::Docs, "Context Docs")] {
        if !seen.contains(&part) {
            let weight = if part == Part::Goal { Weight::Rule } else { Weight::Form };
            let reason = format!("there is no section `{name}`");
            deviations.push(deviation(1, 0..0, weight, reason, format!("write `## {name}` above line {place}")));
        }
    }
    header
}

/// `# Cycle: …`, and not `# Cycles of last year`.
fn is_id_heading(title: &str) -> bool {
    let title = title.to_lowercase();
    title.strip_prefix("cycle").is_some_and(|rest| rest.trim_start().starts_with(':') || rest.trim().is_empty())
}

fn read_id(title: &str, line: &Line<'_>, deviations: &mut Vec<Deviation>) -> String {
    let id = title.split_once(':').map_or("", |(_, id)| id).trim().trim_matches(['{', '}', '`', '*', '[', ']']).trim();
    if !names::is_cycle_id(id) {
        let reason = format!("`{}` is no id of a cycle", shown(id));
        deviations.push(deviation(
            line.number,
            line.span(),
            Weight::Form,
            reason,
            "write `# Cycle: YYYY-MM-DD-NNN`".into(),
        ));
    }
    id.to_owned()
}
