//! Owns the forms of a JSON Schema that providers bind their answers to, and the way back from an answer in such a form.
//! Must not know what a schema is for.

use serde_json::{Map, Value, json};

use crate::limits::MAX_SCHEMA_DEPTH;

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Every field is required and no other allowed: what may be left out may be null instead.
    OpenAi,
    /// No other fields are allowed; bounds are not known.
    Anthropic,
    /// As it is, without what describes the schema itself.
    Gemini,
}

/// Keywords of bounds that not every provider takes.
const BOUNDS: [&str; 6] = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"];

/// Keywords that say nothing about a value.
const ABOUT: [&str; 5] = ["$schema", "$id", "examples", "title", "default"];

/// A schema in the form of a provider, and whether it is one that can be kept to strictly.
pub(super) fn bound(schema: &Value, dialect: Dialect) -> (Value, bool) {
    let mut is_strict = true;
    let bound = of(schema, dialect, 0, &mut is_strict);
    (bound, is_strict)
}

fn of(schema: &Value, dialect: Dialect, depth: usize, is_strict: &mut bool) -> Value {
    let Value::Object(fields) = schema else {
        *is_strict = false;
        return schema.clone();
    };
    if depth > MAX_SCHEMA_DEPTH {
        *is_strict = false;
        return json!({});
    }
    let mut bound = Map::new();
    for (name, value) in fields {
        let dropped = ABOUT.contains(&name.as_str())
            || (dialect != Dialect::Gemini && BOUNDS.contains(&name.as_str()))
            || name == "properties"
            || name == "required"
            || name == "additionalProperties";
        match name.as_str() {
            _ if dropped => {}
            "items" => drop(bound.insert(name.clone(), of(value, dialect, depth + 1, is_strict))),
            "anyOf" | "oneOf" => {
                let choices = value.as_array().into_iter().flatten();
                let choices: Vec<Value> = choices.map(|one| of(one, dialect, depth + 1, is_strict)).collect();
                bound.insert("anyOf".into(), Value::Array(choices));
            }
            _ => drop(bound.insert(name.clone(), value.clone())),
        }
    }
    if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
        let required = names(fields.get("required"));
        let all_required = dialect == Dialect::OpenAi;
        let own = properties.iter().map(|(name, property)| {
            let property = of(property, dialect, depth + 1, is_strict);
            let is_optional = !required.contains(&name.as_str());
            (name.clone(), if is_optional && all_required { or_null(property) } else { property })
        });
        bound.insert("properties".into(), Value::Object(own.collect()));
        let required: Vec<&str> = match all_required {
            true => properties.keys().map(String::as_str).collect(),
            false => required,
        };
        bound.insert("required".into(), json!(required));
        if dialect != Dialect::Gemini {
            bound.insert("additionalProperties".into(), json!(false));
        }
    } else if fields.get("type") == Some(&json!("object")) || fields.is_empty() {
        // Anything may stand here: no provider can bind that.
        *is_strict = false;
    }
    Value::Object(bound)
}

fn or_null(schema: Value) -> Value {
    let has_null = match &schema["type"] {
        Value::String(name) => name == "null",
        Value::Array(names) => names.contains(&json!("null")),
        _ => false,
    };
    if has_null {
        return schema;
    }
    match (&schema["type"], schema.get("enum")) {
        (Value::String(name), None) => {
            let types = json!([name, "null"]);
            let mut schema = schema;
            schema["type"] = types;
            schema
        }
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

fn names(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Takes out the nulls that stand for fields which were left out: the schema itself does not know them.
pub(super) fn without_nulls(schema: &Value, value: &mut Value, depth: usize) {
    if depth > MAX_SCHEMA_DEPTH {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| without_nulls(&schema["items"], item, depth + 1)),
        Value::Object(fields) => {
            let required = names(schema.get("required"));
            fields.retain(|name, value| {
                let own = &schema["properties"][name];
                let takes_null = match &own["type"] {
                    Value::String(kind) => kind == "null",
                    Value::Array(kinds) => kinds.contains(&json!("null")),
                    _ => own.is_null(),
                };
                !value.is_null() || takes_null || required.contains(&name.as_str())
            });
            for (name, value) in fields {
                without_nulls(&schema["properties"][name], value, depth + 1);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Value {
        json!({"$schema": "x", "type": "object", "required": ["rows"], "properties": {"rows": {"type": "array",
            "minItems": 1, "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "minLength": 1}, "order": {"type": "integer"}, "when": {"enum": ["PRE", "POST"]}}}}}})
    }

    /// Optional fields may be null for a provider that knows none; what comes back fits the schema again.
    #[test]
    fn optional_fields_become_null_and_vanish_again() {
        let (bound, is_strict) = bound(&plan(), Dialect::OpenAi);
        assert!(is_strict);
        let row = json!({"type": "object", "additionalProperties": false, "required": ["name", "order", "when"],
            "properties": {"name": {"type": "string"}, "order": {"type": ["integer", "null"]},
                "when": {"anyOf": [{"enum": ["PRE", "POST"]}, {"type": "null"}]}}});
        assert_eq!(bound["properties"]["rows"]["items"], row);
        let mut answer = json!({"rows": [{"name": "a", "order": null, "when": null}, {"name": null, "order": 2}]});
        without_nulls(&plan(), &mut answer, 0);
        assert_eq!(answer, json!({"rows": [{"name": "a"}, {"name": null, "order": 2}]}));
    }

    #[test]
    fn each_provider_has_its_form() {
        let (anthropic, _) = bound(&plan(), Dialect::Anthropic);
        assert_eq!(anthropic["properties"]["rows"]["items"]["required"], json!(["name"]));
        assert_eq!(anthropic["additionalProperties"], json!(false));
        assert!(!anthropic.to_string().contains("minItems"));
        let (gemini, _) = bound(&plan(), Dialect::Gemini);
        assert!(gemini.to_string().contains("minItems") && !gemini.to_string().contains("$schema"));
        let (_, is_strict) = bound(&json!({"type": "object"}), Dialect::OpenAi);
        assert!(!is_strict, "an object of anything cannot be bound");
    }
}
