//! A tool's schema and description as a model is shown them: without what no model reads, without references, bounded.
//! Pure.

use serde_json::{Map, Value, json};

const LONGEST_DESCRIPTION: usize = 1_000;
const LONGEST_SCHEMA: usize = 16 << 10;
/// Deeper parts may be anything.
const DEEPEST: usize = 24;
/// The most parts of a schema, references followed: some are endless.
const MOST_PARTS: usize = 5_000;

const LEFT_OUT: [&str; 7] = ["$schema", "$id", "$comment", "$anchor", "definitions", "$defs", "examples"];

pub(crate) fn description(text: &str) -> String {
    let is_wanted = |character: &char| !character.is_control() || *character == '\n';
    let mut characters = text.trim().chars().filter(is_wanted);
    let mut description: String = characters.by_ref().take(LONGEST_DESCRIPTION).collect();
    if characters.next().is_some() {
        description.push('…');
    }
    description
}

/// Always an object with properties, whatever the server says.
pub(crate) fn cleaned(schema: &Map<String, Value>) -> Value {
    let root = Value::Object(schema.clone());
    let mut parts = MOST_PARTS;
    let mut clean = part(&root, &root, 0, &mut parts);
    make_object(&mut clean);
    if parts > 0 && clean.to_string().len() <= LONGEST_SCHEMA {
        return clean;
    }
    // Too large to be shown: what the arguments are called, and which are needed.
    let named = clean["properties"].as_object().map(|properties| {
        let kind = |value: &Value| {
            value.get("type").filter(|kind| kind.is_string()).map_or(json!({}), |kind| json!({"type": kind}))
        };
        properties.iter().take(100).map(|(name, value)| (name.clone(), kind(value))).collect::<Map<_, _>>()
    });
    let short = json!({"type": "object", "properties": named.unwrap_or_default(), "required": clean["required"]});
    let short =
        if short["required"].is_array() { short } else { json!({"type": "object", "properties": short["properties"]}) };
    if short.to_string().len() <= LONGEST_SCHEMA { short } else { json!({"type": "object", "properties": {}}) }
}

fn make_object(schema: &mut Value) {
    let Value::Object(members) = schema else {
        *schema = json!({"type": "object", "properties": {}});
        return;
    };
    members.insert("type".into(), "object".into());
    if !members.get("properties").is_some_and(Value::is_object) {
        members.insert("properties".into(), json!({}));
    }
}

/// A part of a schema with its references replaced by what they refer to.
fn part(schema: &Value, root: &Value, depth: usize, parts: &mut usize) -> Value {
    *parts = parts.saturating_sub(1);
    if *parts == 0 || depth > DEEPEST {
        return json!({});
    }
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(place)) = members.get("$ref") {
                let meant = place.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
                return meant.map_or(json!({}), |meant| part(meant, root, depth + 1, parts));
            }
            let is_root = depth == 0;
            let kept = members.iter().filter(|(name, _)| {
                // A property may be called anything; only words of a schema are left out.
                !(LEFT_OUT.contains(&name.as_str()) && (is_root || !name.chars().all(char::is_alphabetic))
                    || name.starts_with("x-"))
            });
            kept.map(|(name, value)| (name.clone(), part(value, root, depth + 1, parts))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| part(item, root, depth + 1, parts)).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: &Value, expected: &Value) {
        let Value::Object(schema) = schema else { panic!("a schema is an object") };
        assert_eq!(cleaned(schema), *expected);
    }

    #[test]
    fn schemas_are_whole_and_plain() {
        check(&json!({}), &json!({"type": "object", "properties": {}}));
        check(
            &json!({"$schema": "x", "type": "object", "properties": {"a": {"type": "string", "x-y": 1}}, "required": ["a"]}),
            &json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        );
        check(
            &json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"enum": ["x"]}}}),
            &json!({"type": "object", "properties": {"a": {"enum": ["x"]}}}),
        );
        check(
            &json!({"type": "object", "properties": {"examples": {"$ref": "http://elsewhere/"}}}),
            &json!({"type": "object", "properties": {"examples": {}}}),
        );
        check(&json!({"type": "string", "properties": 5}), &json!({"type": "object", "properties": {}}));
    }

    /// BY-17: a schema that refers to itself, or is larger than a model should read, is bounded.
    #[test]
    fn schemas_are_bounded_by_17() {
        let endless =
            json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "c": {"$ref": "#"}}});
        let Value::Object(endless) = endless else { panic!() };
        let clean = cleaned(&endless);
        assert!(clean.to_string().len() <= LONGEST_SCHEMA && clean["properties"]["a"].is_object(), "{clean}");
        let loops = json!({"$ref": "#/a", "a": {"$ref": "#/a"}});
        check(&loops, &json!({"type": "object", "properties": {}}));
        let long =
            json!({"properties": {"a": {"type": "string", "description": "x".repeat(20_000)}}, "required": ["a"]});
        check(&long, &json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}));
        let many: Map<String, Value> = (0..9_000).map(|number| (format!("{number:0>200}"), json!({}))).collect();
        let Value::Object(many) = json!({ "properties": many }) else { panic!() };
        assert!(cleaned(&many).to_string().len() <= LONGEST_SCHEMA);
        assert_eq!(description(&format!(" a\u{1b}[1m\n{} ", "é".repeat(2_000))).chars().count(), 1_001);
    }
}
