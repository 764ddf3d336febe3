//! Owns the check of a value against a JSON Schema, as much of one as briefs use: `type`, `properties`, `required`,
//! `additionalProperties`, `items`, `enum`, `const`, lengths and bounds. Other keywords say nothing. Must not know
//! what the value is for.

use serde_json::{Map, Value};

use crate::limits::{MAX_PROBLEMS, MAX_QUOTE, MAX_SCHEMA_DEPTH};
use crate::words::quote;

/// What is wrong with a value, each with the JSON pointer to its place; nothing if it keeps to the schema. Of more than
/// [`MAX_PROBLEMS`] the first are named.
pub fn validate(schema: &Value, value: &Value) -> Vec<String> {
    let mut walk = Walk { problems: Vec::new(), place: String::new() };
    walk.value(schema, value, 0);
    walk.problems
}

struct Walk {
    problems: Vec<String>,
    place: String,
}

impl Walk {
    fn value(&mut self, schema: &Value, value: &Value, depth: usize) {
        if self.is_full() {
            return;
        }
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.add(&format!("found {}, expected nothing", show(value)));
            }
            return;
        };
        if depth > MAX_SCHEMA_DEPTH {
            self.add(&format!("is nested deeper than {MAX_SCHEMA_DEPTH} levels"));
            return;
        }
        if !self.has_type(schema, value) {
            return;
        }
        self.choices(schema, value);
        match value {
            Value::String(text) => {
                let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
                self.length(schema, length, ["minLength", "maxLength"], "characters");
            }
            Value::Number(_) => self.bounds(schema, value),
            Value::Array(items) => self.items(schema, items, depth),
            Value::Object(fields) => self.fields(schema, fields, depth),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn has_type(&mut self, schema: &Map<String, Value>, value: &Value) -> bool {
        let allowed: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => return true,
        };
        let is_it = |name: &&str| match (*name, value) {
            ("integer", Value::Number(number)) => {
                !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            (name, value) => name == type_name(value),
        };
        if allowed.iter().any(is_it) {
            return true;
        }
        self.add(&format!("found {}, expected {}", show(value), allowed.join(" or ")));
        false
    }

    fn choices(&mut self, schema: &Map<String, Value>, value: &Value) {
        if let Some(Value::Array(choices)) = schema.get("enum")
            && !choices.iter().any(|choice| same(choice, value))
        {
            let names: Vec<String> = choices.iter().map(show_plain).collect();
            self.add(&format!("found {}, expected one of {}", show(value), names.join(", ")));
        }
        if let Some(only) = schema.get("const")
            && !same(only, value)
        {
            self.add(&format!("found {}, expected {}", show(value), show_plain(only)));
        }
    }

    fn bounds(&mut self, schema: &Map<String, Value>, value: &Value) {
        let Some(number) = value.as_f64() else { return };
        if let Some(minimum) = schema.get("minimum")
            && minimum.as_f64().is_some_and(|minimum| number < minimum)
        {
            self.add(&format!("found {value}, expected {minimum} or more"));
        }
        if let Some(maximum) = schema.get("maximum")
            && maximum.as_f64().is_some_and(|maximum| number > maximum)
        {
            self.add(&format!("found {value}, expected {maximum} or less"));
        }
    }

    fn length(&mut self, schema: &Map<String, Value>, length: u64, [least, most]: [&str; 2], what: &str) {
        if let Some(least) = schema.get(least).and_then(Value::as_u64)
            && length < least
        {
            self.add(&format!("has {length} {what}, expected {least} or more"));
        }
        if let Some(most) = schema.get(most).and_then(Value::as_u64)
            && length > most
        {
            self.add(&format!("has {length} {what}, expected {most} or less"));
        }
    }

    fn items(&mut self, schema: &Map<String, Value>, items: &[Value], depth: usize) {
        let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
        self.length(schema, length, ["minItems", "maxItems"], "entries");
        let Some(of_each) = schema.get("items") else { return };
        for (number, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.within(&number.to_string(), |walk| walk.value(of_each, item, depth + 1));
        }
    }

    fn fields(&mut self, schema: &Map<String, Value>, fields: &Map<String, Value>, depth: usize) {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                let expected = properties.get(name).map(expectation).unwrap_or_default();
                self.within(name, |walk| walk.add(&format!("is missing{expected}")));
            }
        }
        for (name, value) in fields {
            if self.is_full() {
                return;
            }
            match (properties.get(name), schema.get("additionalProperties")) {
                (Some(of_this), _) => self.within(name, |walk| walk.value(of_this, value, depth + 1)),
                (None, Some(Value::Bool(false))) => {
                    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                    let message = format!("is not known here, expected only {}", known.join(", "));
                    self.within(name, |walk| walk.add(&message));
                }
                (None, Some(of_others)) => self.within(name, |walk| walk.value(of_others, value, depth + 1)),
                (None, None) => {}
            }
        }
    }

    fn within(&mut self, name: &str, look: impl FnOnce(&mut Self)) {
        let length = self.place.len();
        self.place.push('/');
        self.place.push_str(&name.replace('~', "~0").replace('/', "~1"));
        look(self);
        self.place.truncate(length);
    }

    fn add(&mut self, message: &str) {
        if !self.is_full() {
            let place = if self.place.is_empty() { "the whole" } else { &self.place };
            self.problems.push(format!("{}: {message}", quote(place, 4 * MAX_QUOTE)));
        }
    }

    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }
}

/// What a field should be, for the message that it is missing.
fn expectation(schema: &Value) -> String {
    match (schema.get("enum"), schema.get("type")) {
        (Some(Value::Array(choices)), _) => {
            let names: Vec<String> = choices.iter().map(show_plain).collect();
            format!(", expected one of {}", names.join(", "))
        }
        (_, Some(Value::String(name))) => format!(", expected {name}"),
        (_, Some(Value::Array(names))) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            format!(", expected {}", names.join(" or "))
        }
        _ => String::new(),
    }
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A value in a message: its type, and its beginning where that helps.
fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(fields) => format!("an object of {}", fields.len()),
        scalar => format!("the {} {}", type_name(scalar), show_plain(scalar)),
    }
}

fn show_plain(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", quote(text, MAX_QUOTE)),
        other => quote(&other.to_string(), MAX_QUOTE),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: &Value, value: &Value, expected: &[&str]) {
        assert_eq!(validate(schema, value), expected, "{schema} {value}");
    }

    /// Every keyword, kept and broken.
    #[test]
    fn problems_name_place_find_and_expectation() {
        let list = json!({"type": "object", "required": ["tasks"], "properties": {"tasks": {
            "type": "array", "minItems": 1, "maxItems": 2, "items": {
                "type": "object", "required": ["id", "kind"], "additionalProperties": false,
                "properties": {"id": {"type": "string", "minLength": 2, "maxLength": 4}, "kind": {"enum": ["a", "b", 3]},
                    "order": {"type": ["integer", "null"], "minimum": 1, "maximum": 9}, "of/it~": {"const": true}}}}}});
        let good = json!({"tasks": [{"id": "T1", "kind": "a", "order": 2.0}, {"id": "가나", "kind": 3.0, "order": null}],
            "more": 1});
        check(&list, &good, &[]);
        check(&list, &json!([]), &["the whole: found an array of 0, expected object"]);
        check(&list, &json!({}), &["/tasks: is missing, expected array"]);
        check(&list, &json!({"tasks": []}), &["/tasks: has 0 entries, expected 1 or more"]);
        check(&list, &json!({"tasks": null}), &["/tasks: found null, expected array"]);
        let bad = json!({"tasks": [{"id": 5, "order": 1.5, "of/it~": 1}, {"id": "x", "kind": "c", "order": 0, "z": 1},
            {"id": "abcde", "kind": "a", "order": 10}]});
        check(
            &list,
            &bad,
            &[
                "/tasks: has 3 entries, expected 2 or less",
                "/tasks/0/kind: is missing, expected one of `a`, `b`, 3",
                "/tasks/0/id: found the number 5, expected string",
                "/tasks/0/order: found the number 1.5, expected integer or null",
                "/tasks/0/of~1it~0: found the number 1, expected true",
                "/tasks/1/id: has 1 characters, expected 2 or more",
                "/tasks/1/kind: found the string `c`, expected one of `a`, `b`, 3",
                "/tasks/1/order: found 0, expected 1 or more",
                "/tasks/1/z: is not known here, expected only id, kind, order, of/it~",
                "/tasks/2/id: has 5 characters, expected 4 or less",
                "/tasks/2/order: found 10, expected 9 or less",
            ],
        );
    }

    /// A schema that says nothing, or nonsense, allows everything.
    #[test]
    fn unknown_schemas_allow_everything() {
        for schema in [json!(null), json!(true), json!({}), json!({"type": 3, "items": 1, "properties": [], "enum": 1})]
        {
            check(&schema, &json!({"a": [1, "x"]}), &[]);
        }
        check(&json!(false), &json!(1), &["the whole: found the number 1, expected nothing"]);
        check(
            &json!({"additionalProperties": {"type": "string"}}),
            &json!({"a": 1}),
            &["/a: found the number 1, expected string"],
        );
    }

    /// QL-25: neither width nor depth is without end.
    #[test]
    fn problems_and_depth_are_bounded() {
        let wide = Value::Array(vec![json!(1); 5000]);
        assert_eq!(validate(&json!({"items": {"type": "string"}}), &wide).len(), MAX_PROBLEMS);
        let (mut schema, mut value) = (json!({"type": "string"}), json!(1));
        for _ in 0..100 {
            schema = json!({"items": schema});
            value = json!([value]);
        }
        let problems = validate(&schema, &value);
        assert!(problems.len() == 1 && problems[0].ends_with("nested deeper than 64 levels"), "{problems:?}");
    }
}
