//! Owns how the arguments of a call are read: leniently, and with every problem named at once, together with the form
//! that is valid. Must not know any one function.

use serde_json::{Map, Value};

use crate::Tool;

/// The most letters of a wrong value that a message repeats.
const SHOWN: usize = 80;

/// The arguments of one call, taken one by one; what is left in the end is unknown.
pub(crate) struct Arguments {
    given: Map<String, Value>,
    problems: Vec<String>,
}

impl Arguments {
    /// Some models give the object as text, and nothing where there is nothing to give.
    pub(crate) fn new(given: &Value) -> Self {
        let parsed = given.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        match parsed.as_ref().unwrap_or(given) {
            Value::Object(given) => Self { given: given.clone(), problems: Vec::new() },
            Value::Null => Self { given: Map::new(), problems: Vec::new() },
            other => Self { given: Map::new(), problems: vec![format!("expected an object, found {}", shown(other))] },
        }
    }

    /// A text that must be there. The first name is ours; the others are what models know it by.
    pub(crate) fn text(&mut self, names: &[&str]) -> String {
        match self.optional_text(names) {
            Some(text) => text,
            None => {
                let name = names[0];
                if !self.problems.iter().any(|problem| problem.starts_with(&format!("`{name}`"))) {
                    self.problems.push(format!("`{name}` is missing"));
                }
                String::new()
            }
        }
    }

    pub(crate) fn optional_text(&mut self, names: &[&str]) -> Option<String> {
        match self.take(names)? {
            Value::String(text) => Some(text),
            other => self.wrong(names[0], "a text", &other),
        }
    }

    pub(crate) fn optional_number(&mut self, names: &[&str]) -> Option<u64> {
        let value = self.take(names)?;
        let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as u64);
        let number = match &value {
            Value::Number(number) => number.as_u64().or_else(|| number.as_f64().and_then(whole)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.or_else(|| self.wrong(names[0], "a whole number, 0 or more", &value))
    }

    pub(crate) fn optional_yes(&mut self, names: &[&str]) -> Option<bool> {
        match self.take(names)? {
            Value::Bool(yes) => Some(yes),
            Value::String(text) if text == "true" => Some(true),
            Value::String(text) if text == "false" => Some(false),
            other => self.wrong(names[0], "true or false", &other),
        }
    }

    /// A list of texts; a text alone is a list of one.
    pub(crate) fn texts(&mut self, names: &[&str]) -> Vec<String> {
        let Some(value) = self.take(names) else { return Vec::new() };
        let texts = match &value {
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(values) => values.iter().map(|value| value.as_str().map(String::from)).collect(),
            _ => None,
        };
        texts.or_else(|| self.wrong(names[0], "a list of texts", &value)).unwrap_or_default()
    }

    /// A list of objects, each to be read on its own; an object alone is a list of one.
    pub(crate) fn objects(&mut self, names: &[&str]) -> Vec<Self> {
        let Some(value) = self.take(names) else { return Vec::new() };
        let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        match parsed.as_ref().unwrap_or(&value) {
            Value::Array(values) if values.iter().all(Value::is_object) => values.iter().map(Self::new).collect(),
            one @ Value::Object(_) => vec![Self::new(one)],
            _ => self.wrong(names[0], "a list of objects", &value).unwrap_or_default(),
        }
    }

    /// Something that is wrong with a value of the right kind.
    pub(crate) fn problem(&mut self, what: impl Into<String>) {
        self.problems.push(what.into());
    }

    /// Nothing if all was well; else all that was wrong, and what is valid.
    pub(crate) fn finish(mut self, tool: &Tool) -> Result<(), String> {
        self.problems.extend(self.given.keys().map(|name| format!("`{}` is no argument of it", cut(name))));
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(format!("wrong arguments for {}: {}; valid: {}", tool.name, self.problems.join("; "), form(tool)))
    }

    fn take(&mut self, names: &[&str]) -> Option<Value> {
        let found: Vec<Value> = names.iter().filter_map(|name| self.given.remove(*name)).collect();
        found.into_iter().find(|value| !value.is_null())
    }

    fn wrong<T>(&mut self, name: &str, expected: &str, found: &Value) -> Option<T> {
        self.problems.push(format!("`{name}`: expected {expected}, found {}", shown(found)));
        None
    }
}

/// The arguments in one line, as a model would write them; those in brackets may be left out.
fn form(tool: &Tool) -> String {
    let properties = tool.parameters["properties"].as_object();
    let required: Vec<&str> =
        tool.parameters["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let one = |(name, property): (&String, &Value)| {
        let kind = property["type"].as_str().unwrap_or("any");
        let shown = format!("\"{name}\": {kind}");
        if required.contains(&name.as_str()) { shown } else { format!("[{shown}]") }
    };
    let all: Vec<String> = properties.into_iter().flatten().map(one).collect();
    format!("{{{}}}", all.join(", "))
}

fn shown(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(given: &Value, expected: Result<(), &str>) {
        let tool = Tool {
            name: "probe".into(),
            description: String::new(),
            parameters: json!({
                "type": "object",
                "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
                "required": ["name"],
            }),
        };
        let mut arguments = Arguments::new(given);
        arguments.text(&["name", "title"]);
        arguments.optional_number(&["count"]);
        arguments.optional_yes(&["loud"]);
        arguments.texts(&["parts"]);
        let found = arguments.finish(&tool);
        match expected {
            Ok(()) => assert_eq!(found, Ok(()), "{given}"),
            Err(part) => {
                let problem = found.unwrap_err();
                assert!(problem.contains(part), "{given}: {problem}");
                assert!(problem.ends_with("valid: {\"name\": string, [\"count\": integer]}"), "{problem}");
            }
        }
    }

    /// MV-28: what models send in their haste is understood; what cannot be is named with the valid form.
    #[test]
    fn arguments_are_read_leniently_and_problems_named() {
        check(&json!({"name": "x"}), Ok(()));
        check(&json!({"title": "x", "count": "3", "loud": "true", "parts": "one"}), Ok(()));
        check(&json!("{\"name\": \"x\"}"), Ok(()));
        check(&json!({"name": "x", "count": null, "parts": ["a", "b"]}), Ok(()));
        check(&json!({"name": "x", "count": 3.0}), Ok(()));
        check(&json!({}), Err("`name` is missing; valid: {"));
        check(&json!(null), Err("`name` is missing"));
        check(&json!([1]), Err("expected an object, found [1]"));
        check(&json!("prose"), Err("expected an object, found \"prose\""));
        check(&json!({"name": 7}), Err("`name`: expected a text, found 7"));
        check(&json!({"name": "x", "count": -1}), Err("`count`: expected a whole number, 0 or more, found -1"));
        check(&json!({"name": "x", "count": 1.5}), Err("found 1.5"));
        check(&json!({"name": "x", "loud": 1}), Err("`loud`: expected true or false"));
        check(&json!({"name": "x", "parts": [1]}), Err("`parts`: expected a list of texts"));
        check(&json!({"name": "x", "nam": "y"}), Err("`nam` is no argument of it"));
        check(&json!({"name": ["y".repeat(500)]}), Err("…"));
    }
}
