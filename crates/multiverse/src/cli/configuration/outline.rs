//! The table of keys as others read it: a JSON Schema for editors, and a file in which everything is explained and
//! commented out.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::keys::{Form, KEYS, Key};

/// The JSON Schema (2020-12) of `multiverse.toml`.
pub(crate) fn schema() -> Value {
    let mut schema = object(KEYS);
    schema.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".into(), json!("multiverse.toml"));
    Value::Object(schema)
}

fn object(keys: &[Key]) -> Map<String, Value> {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_string(), property(key))).collect();
    let mut object = Map::new();
    object.insert("type".into(), json!("object"));
    object.insert("additionalProperties".into(), json!(false));
    object.insert("properties".into(), Value::Object(properties));
    object
}

fn property(key: &Key) -> Value {
    let mut property = match key.form {
        Form::Whole { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Form::Number { least, most } => json!({"type": "number", "minimum": least, "maximum": most}),
        Form::Flag => json!({"type": "boolean"}),
        Form::Text => json!({"type": "string", "minLength": 1}),
        Form::Word(words) => json!({"enum": words}),
        Form::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Form::Map => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Form::Secret => json!({"type": "string", "pattern": "^(env|file|cmd):."}),
        Form::Table(keys) => Value::Object(object(keys)),
        Form::Named(keys) => json!({"type": "object", "additionalProperties": object(keys)}),
        Form::Rows(keys) => json!({"type": "array", "items": object(keys)}),
    };
    if let Some(property) = property.as_object_mut() {
        property.insert("description".into(), json!(key.about));
    }
    property
}

/// A file that sets nothing yet and explains everything.
pub(crate) fn commented() -> String {
    let mut out = String::from(
        "# What this project sets. Everything may be left out; `multiverse config show` tells what holds, and why.\n\
         # `multiverse schema config` prints the JSON Schema for editors.\n\n",
    );
    for key in KEYS {
        let keys = match key.form {
            Form::Table(keys) | Form::Named(keys) | Form::Rows(keys) => keys,
            _ => {
                let _ = writeln!(out, "# {}\n# {} = {}\n", key.about, key.name, key.example);
                continue;
            }
        };
        let head = match key.form {
            Form::Named(_) => format!("[{}.NAME]", key.name),
            Form::Rows(_) => format!("[[{}]]", key.name),
            _ => format!("[{}]", key.name),
        };
        let _ = writeln!(out, "# {}\n# {head}", key.about);
        for key in keys {
            let _ = writeln!(out, "# {} = {}    # {}", key.name, key.example, key.about);
        }
        out.push('\n');
    }
    out
}
