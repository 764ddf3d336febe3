//! What a planner hands in, with the protocol's column names: plans and proposals. Wrong types are problems with the
//! place in the object (a JSON pointer); keys that are not known are ignored. Must not judge what a plan says.

use machine::{Hierarchy, Kept, Planned, Proposal, Superseded, Target};
use serde_json::{Map, Value};
use syntax::markdown::paths;

use crate::layout::{Column, Field, LevelDocument, Need, Protocol};
use crate::lift::own_path;
use crate::sheet::writable;
use crate::spelling::read_timing;

/// The document that a plan's rows are for; nothing for a proposal.
pub(crate) fn document_of(protocol: &'static Protocol, target: &Target) -> Option<&'static LevelDocument> {
    let last = protocol.levels.len().checked_sub(1)?;
    let level = match target {
        Target::Proposal => return None,
        Target::Prelude => last.checked_sub(1)?,
        Target::Tools(..) => last,
        Target::Children(id) => protocol.hierarchy.level_of_id(id)? + 1,
    };
    protocol.levels.get(level)
}

pub(crate) fn draft_of(
    protocol: &'static Protocol,
    target: &Target,
    run_id: &str,
    result: &Value,
) -> Result<Vec<Planned>, Vec<String>> {
    let Some(document) = document_of(protocol, target) else {
        return Err(vec!["no plan is asked for here".to_owned()]);
    };
    let mut reader = Reader::default();
    let rows = reader.list(result, document.plural);
    let mut plan = Vec::with_capacity(rows.len());
    for (pointer, row) in &rows {
        let Some(row) = reader.object(pointer, row) else { continue };
        let mut planned = Planned::default();
        for column in document.layout.columns {
            reader.cell(pointer, row, column, &Asked { hierarchy: protocol.hierarchy, target, run_id }, &mut planned);
        }
        if let (Target::Tools(_, timing), None) = (target, planned.timing) {
            planned.timing = Some(*timing);
        }
        plan.push(planned);
    }
    // The rows of the preparation are fixed: what is left out is filled in.
    if plan.is_empty() && reader.problems.is_empty() && *target != Target::Prelude {
        reader.problems.push(format!("/{}: the plan is empty; it needs at least one row", document.plural));
    }
    reader.or_problems(plan)
}

pub(crate) fn proposal_of(result: &Value) -> Result<Proposal, Vec<String>> {
    let mut reader = Reader::default();
    let nothing = Map::new();
    let parts = match result {
        Value::Object(parts) => parts,
        _ => &nothing,
    };
    let instructions = reader.list(result, "instructions");
    let introduction = reader.text("", parts, "introduction", Presence::Optional);
    let mut proposal = Proposal { introduction, ..Proposal::default() };
    for (pointer, instruction) in &instructions {
        match instruction {
            Value::String(text) => {
                proposal.instructions.push(writable(text).into_owned());
                proposal.reasons.push(String::new());
            }
            Value::Object(row) => {
                let name = if row.contains_key("content_purpose") { "content_purpose" } else { "content" };
                proposal.instructions.push(reader.text(pointer, row, name, Presence::Required));
                proposal.reasons.push(reader.text(pointer, row, "content_reason", Presence::Optional));
            }
            other => reader
                .problem(pointer, &format!("a string or an object with `content` is expected, not {}", kind(other))),
        }
    }
    if proposal.reasons.iter().all(String::is_empty) {
        proposal.reasons.clear();
    }
    if instructions.is_empty() && reader.problems.is_empty() {
        reader.problem("/instructions", "at least one instruction is expected");
    }
    for (pointer, row) in reader.optional_list(parts, "superseded") {
        let Some(row) = reader.object(&pointer, &row).cloned() else { continue };
        let by = reader.number(&pointer, &row, "by").and_then(|by| usize::try_from(by).ok());
        if by.is_none_or(|by| by == 0 || by > instructions.len()) {
            let most = instructions.len();
            reader.problem(
                &format!("{pointer}/by"),
                &format!("the number of a proposed instruction is expected, 1 to {most}"),
            );
        }
        proposal.superseded.push(Superseded {
            instruction_id: reader.text(&pointer, &row, "instruction_id", Presence::Required),
            by: by.unwrap_or_default(),
            justification: reader.text(&pointer, &row, "justification", Presence::Required),
        });
    }
    for (pointer, row) in reader.optional_list(parts, "kept") {
        let Some(row) = reader.object(&pointer, &row).cloned() else { continue };
        proposal.kept.push(Kept {
            instruction_id: reader.text(&pointer, &row, "instruction_id", Presence::Required),
            justification: reader.text(&pointer, &row, "justification", Presence::Optional),
        });
    }
    for (pointer, format) in reader.optional_list(parts, "formats") {
        match format {
            Value::String(format) => proposal.formats.push(format.trim_start_matches('.').to_lowercase()),
            other => reader.problem(&pointer, &format!("a file extension is expected, not {}", kind(&other))),
        }
    }
    reader.or_problems(proposal)
}

/// What a plan was asked for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    hierarchy: &'a Hierarchy,
    target: &'a Target,
    run_id: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Optional,
    Required,
}

/// Reads values and collects what is wrong with them.
#[derive(Debug, Default)]
struct Reader {
    problems: Vec<String>,
}

impl Reader {
    fn or_problems<T>(self, value: T) -> Result<T, Vec<String>> {
        if self.problems.is_empty() { Ok(value) } else { Err(self.problems) }
    }

    fn problem(&mut self, pointer: &str, reason: &str) {
        let pointer = if pointer.is_empty() { "/" } else { pointer };
        self.problems.push(format!("{pointer}: {reason}"));
    }

    /// The rows of a result: below their name, or the result itself.
    fn list(&mut self, result: &Value, name: &str) -> Vec<(String, Value)> {
        let (pointer, rows) = match result {
            Value::Array(rows) => (String::new(), rows),
            Value::Object(parts) => match parts.get(name) {
                Some(Value::Array(rows)) => (format!("/{name}"), rows),
                Some(other) => {
                    self.problem(&format!("/{name}"), &format!("an array is expected, not {}", kind(other)));
                    return Vec::new();
                }
                None => {
                    self.problem("", &format!("`{name}` is missing; it is an array"));
                    return Vec::new();
                }
            },
            other => {
                self.problem("", &format!("an object with `{name}` is expected, not {}", kind(other)));
                return Vec::new();
            }
        };
        (0..).zip(rows).map(|(number, row): (usize, _)| (format!("{pointer}/{number}"), row.clone())).collect()
    }

    fn optional_list(&mut self, parts: &Map<String, Value>, name: &str) -> Vec<(String, Value)> {
        match parts.get(name) {
            None | Some(Value::Null) => Vec::new(),
            Some(_) => self.list(&Value::Object(parts.clone()), name),
        }
    }

    fn object<'v>(&mut self, pointer: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        if !value.is_object() {
            self.problem(pointer, &format!("an object is expected, not {}", kind(value)));
        }
        value.as_object()
    }

    fn text(&mut self, pointer: &str, row: &Map<String, Value>, name: &str, presence: Presence) -> String {
        match row.get(name) {
            Some(Value::String(text)) if presence == Presence::Required && text.trim().is_empty() => {
                self.problem(&format!("{pointer}/{name}"), "it is empty");
                String::new()
            }
            Some(Value::String(text)) => writable(text).into_owned(),
            None | Some(Value::Null) => {
                if presence == Presence::Required {
                    self.problem(pointer, &format!("`{name}` is missing; it is a string"));
                }
                String::new()
            }
            Some(other) => {
                self.problem(&format!("{pointer}/{name}"), &format!("a string is expected, not {}", kind(other)));
                String::new()
            }
        }
    }

    fn number(&mut self, pointer: &str, row: &Map<String, Value>, name: &str) -> Option<u32> {
        match row.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                if number.is_none() {
                    let reason = format!("a whole number from 0 to {} is expected, not {}", u32::MAX, kind(value));
                    self.problem(&format!("{pointer}/{name}"), &reason);
                }
                number
            }
        }
    }

    /// A list of paths: an array of strings, or one string with several.
    fn paths(&mut self, pointer: &str, row: &Map<String, Value>, name: &str, presence: Presence) -> Vec<String> {
        match row.get(name) {
            None | Some(Value::Null) => {
                if presence == Presence::Required {
                    self.problem(pointer, &format!("`{name}` is missing; it is an array of paths"));
                }
                Vec::new()
            }
            Some(Value::String(text)) => paths::read_paths(text).into_iter().map(|entry| entry.path).collect(),
            Some(Value::Array(entries)) => {
                let mut all = Vec::with_capacity(entries.len());
                for (number, entry) in entries.iter().enumerate() {
                    match entry {
                        Value::String(path) => all.push(writable(path).into_owned()),
                        other => {
                            let reason = format!("a path is expected, not {}", kind(other));
                            self.problem(&format!("{pointer}/{name}/{number}"), &reason);
                        }
                    }
                }
                all
            }
            Some(other) => {
                let reason = format!("an array of paths is expected, not {}", kind(other));
                self.problem(&format!("{pointer}/{name}"), &reason);
                Vec::new()
            }
        }
    }

    /// One column of a row.
    fn cell(
        &mut self,
        pointer: &str,
        row: &Map<String, Value>,
        column: &Column,
        asked: &Asked<'_>,
        planned: &mut Planned,
    ) {
        let Asked { hierarchy, target, run_id } = *asked;
        let name = column.name();
        let presence = if is_required(column.need, target) { Presence::Required } else { Presence::Optional };
        if column.need == Need::Engine {
            return;
        }
        match column.field {
            Field::Order => planned.order = self.number(pointer, row, name),
            Field::Inputs => {
                let inputs = self.paths(pointer, row, name, presence);
                planned.inputs = inputs.iter().map(|path| own_path(run_id, path)).collect();
            }
            Field::Guidelines => {
                let guidelines = self.paths(pointer, row, name, presence);
                planned.guidelines = guidelines.iter().map(|path| own_path(run_id, path)).collect();
            }
            Field::Timing => {
                let written = self.text(pointer, row, name, presence);
                planned.timing = read_timing(&written);
                if planned.timing.is_none() && !written.trim().is_empty() {
                    self.problem(&format!("{pointer}/{name}"), "PRE or POST is expected");
                }
            }
            Field::Parent => {
                let parent = self.text(pointer, row, name, presence);
                if let (false, Some(expected)) = (parent.trim().is_empty(), parent_of(target))
                    && parent.trim() != expected
                    && parent.trim() != hierarchy.short_id(expected)
                {
                    let reason = format!("`{expected}` is what is planned for, not `{}`", parent.trim());
                    self.problem(&format!("{pointer}/{name}"), &reason);
                }
            }
            field => {
                let text = self.text(pointer, row, name, presence);
                match field {
                    Field::Id => planned.id = Some(text.trim().to_owned()).filter(|id| !id.is_empty()),
                    Field::Name => planned.name = text,
                    Field::Purpose => planned.purpose = text,
                    Field::Output => planned.output = own_path(run_id, &text),
                    Field::Folder => planned.folder = own_path(run_id, &text),
                    Field::Procedure => planned.procedure = text.trim().to_owned(),
                    Field::PreTool => planned.pre = text,
                    Field::PostTool => planned.post = text,
                    Field::Tool => planned.tool = text.trim().to_owned(),
                    _ if text.is_empty() => {}
                    _ => {
                        planned.more.insert(name.to_owned(), text);
                    }
                }
            }
        }
    }
}

/// Whether a plan for this target must fill a column in.
pub(crate) fn is_required(need: Need, target: &Target) -> bool {
    match need {
        Need::Engine | Need::Optional | Need::Checked => false,
        Need::Required => true,
        Need::RequiredInPhases => *target != Target::Prelude,
    }
}

fn parent_of(target: &Target) -> Option<&str> {
    match target {
        Target::Children(id) | Target::Tools(id, _) => Some(id),
        Target::Prelude | Target::Proposal => None,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_u64() || number.is_i64() => "this number",
        Value::Number(_) => "a fraction",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
