//! The JSON Schema of what a planner hands in, from the same columns that it is read by. Must not read results.

use machine::Target;
use serde_json::{Map, Value, json};

use crate::draft::{document_of, is_required};
use crate::layout::{Column, Field, Need, Protocol};

/// The schema of a result for this target.
pub(crate) fn result_schema(protocol: &'static Protocol, target: &Target) -> Value {
    let Some(document) = document_of(protocol, target) else { return proposal() };
    let columns = document.layout.columns.iter().filter(|column| column.need != Need::Engine);
    let required: Vec<&str> =
        columns.clone().filter(|column| is_asked(column.need, target)).map(Column::name).collect();
    let properties: Map<String, Value> =
        columns.map(|column| (column.name().to_owned(), cell(column, is_asked(column.need, target)))).collect();
    let rows = json!({ "type": "object", "properties": properties, "required": required });
    // The rows of the preparation are fixed: what is left out is filled in.
    let least = if *target == Target::Prelude { 0 } else { 1 };
    object(&[(document.plural, json!({ "type": "array", "minItems": least, "items": rows }))], &[document.plural])
}

/// Whether an agent is told that it must be there, whoever says so when it is not.
fn is_asked(need: Need, target: &Target) -> bool {
    need == Need::Checked || is_required(need, target)
}

fn cell(column: &Column, required: bool) -> Value {
    match column.field {
        Field::Order => json!({ "type": "integer" }),
        Field::Timing => json!({ "type": "string", "enum": ["PRE", "POST"] }),
        Field::Inputs | Field::Guidelines => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        _ if required => text(),
        _ => json!({ "type": "string" }),
    }
}

fn proposal() -> Value {
    let superseded = [("instruction_id", text()), ("by", json!({ "type": "integer" })), ("justification", text())];
    let kept = [("instruction_id", text()), ("justification", json!({ "type": "string" }))];
    let list = |items: Value| json!({ "type": "array", "items": items });
    object(
        &[
            ("introduction", json!({ "type": "string" })),
            ("instructions", json!({ "type": "array", "minItems": 1, "items": text() })),
            ("superseded", list(object(&superseded, &["instruction_id", "by", "justification"]))),
            ("kept", list(object(&kept, &["instruction_id"]))),
            ("formats", list(text())),
        ],
        &["instructions"],
    )
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        properties.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}
