//! Owns how a script is written: JSON, JSON lines or YAML to entries, or to exact problems. Must not answer briefs.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use syntax::data::{Kind, Node};
use tools::How;

use crate::contract::Brief;
use crate::limits::MAX_PROBLEMS;
use crate::validate::validate;

/// The longest an entry may wait, in milliseconds.
const MAX_DELAY_MS: u64 = 3_600_000;

/// The longest an entry may put its work off, in seconds.
const MAX_LATER: u64 = 7 * 86_400;

/// How a script is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A list, or one object a line.
    Json,
    /// A list.
    Yaml,
}

impl Format {
    /// By the ending of its name.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }
}

/// One answer, and what it answers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    role: Option<String>,
    action: Option<String>,
    plan_target: Option<String>,
    item: Option<Item>,
    pub(super) attempt: Option<u32>,
    pub(super) delay: Duration,
    pub(super) says: Says,
    pub(super) how: How,
    pub(super) log: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Id(String),
    Fields(Map<String, Value>),
}

/// What an entry prints.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Says {
    Nothing,
    Raw(String),
    Report(Value),
    /// Not now.
    Later {
        seconds: u64,
        reason: String,
    },
}

impl Entry {
    pub(super) fn fits(&self, brief: &Brief) -> bool {
        let same =
            |wanted: &Option<String>, found: Option<&str>| wanted.as_deref().is_none_or(|wanted| found == Some(wanted));
        same(&self.role, Some(&brief.role))
            && same(&self.action, Some(&brief.action))
            && same(&self.plan_target, brief.plan_target.as_deref())
            && self.attempt.is_none_or(|attempt| attempt == brief.attempt)
            && match &self.item {
                None => true,
                Some(Item::Id(id)) => brief.item_id() == Some(id),
                Some(Item::Fields(fields)) => fields.iter().all(|(name, value)| brief.item.get(name) == Some(value)),
            }
    }

    /// How much an entry asks for.
    pub(super) fn particularity(&self) -> usize {
        let texts = [&self.role, &self.action, &self.plan_target].into_iter().filter(|text| text.is_some()).count();
        let item = match &self.item {
            None => 0,
            Some(Item::Id(_)) => 1,
            Some(Item::Fields(fields)) => fields.len(),
        };
        texts + item + usize::from(self.attempt.is_some())
    }
}

/// The entries of a script in their order.
pub(super) fn entries(format: Format, bytes: &[u8]) -> Result<Vec<Entry>, Vec<String>> {
    let values = match format {
        Format::Json => json_values(bytes)?,
        Format::Yaml => yaml_values(bytes)?,
    };
    if values.is_empty() {
        return Err(vec!["there are no entries: expected a list of them".into()]);
    }
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for (number, value) in (1..).zip(values) {
        match entry(&value) {
            Ok(entry) => entries.push(entry),
            Err(found) => problems.extend(found.into_iter().map(|problem| format!("entry {number}: {problem}"))),
        }
        if problems.len() >= MAX_PROBLEMS {
            break;
        }
    }
    if problems.is_empty() { Ok(entries) } else { Err(problems) }
}

fn json_values(bytes: &[u8]) -> Result<Vec<Value>, Vec<String>> {
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        return Ok(match value {
            Value::Array(values) => values,
            other => vec![other],
        });
    }
    if bytes.trim_ascii_start().starts_with(b"[") {
        let fault = serde_json::from_slice::<Value>(bytes).err();
        return Err(vec![format!("not JSON: {}", fault.map_or_else(String::new, |fault| fault.to_string()))]);
    }
    let mut values = Vec::new();
    for (number, line) in (1_usize..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => values.push(value),
            Err(fault) => {
                let (what, column) = (fault.to_string(), fault.column());
                let what = what.split(" at line ").next().unwrap_or_default();
                return Err(vec![format!("line {number} column {column}: not JSON: {what}")]);
            }
        }
    }
    Ok(values)
}

fn yaml_values(bytes: &[u8]) -> Result<Vec<Value>, Vec<String>> {
    let parsed = syntax::yaml::parse(bytes);
    if !parsed.problems.is_empty() {
        let shown = parsed.problems.iter().take(MAX_PROBLEMS);
        return Err(shown
            .map(|found| format!("line {} column {}: {}", found.line, found.column, found.message))
            .collect());
    }
    match parsed.root {
        None => Ok(Vec::new()),
        Some(Node { kind: Kind::List(items), .. }) => items.iter().map(plain).collect(),
        Some(node) => Ok(vec![plain(&node)?]),
    }
}

/// A YAML value as JSON. How deep it goes is bounded by the reader.
fn plain(node: &Node) -> Result<Value, Vec<String>> {
    Ok(match &node.kind {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(*value),
        // What YAML calls a number and JSON does not, as 0x10, stays the text that it is.
        Kind::Number(text) => match serde_json::from_str::<Value>(text) {
            Ok(number @ Value::Number(_)) => number,
            _ => Value::String(text.clone()),
        },
        Kind::Text(text) => Value::String(text.clone()),
        Kind::List(items) => Value::Array(items.iter().map(plain).collect::<Result<_, _>>()?),
        Kind::Map(entries) => {
            let fields = entries.iter().map(|entry| Ok((entry.key.clone(), plain(&entry.value)?)));
            Value::Object(fields.collect::<Result<_, Vec<String>>>()?)
        }
        Kind::Alias => {
            return Err(vec![format!("byte {}: an alias, which is not expanded: write it out", node.span.start)]);
        }
    })
}

fn entry(value: &Value) -> Result<Entry, Vec<String>> {
    let problems = validate(&entry_schema(), value);
    if !problems.is_empty() {
        return Err(problems);
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(String::from);
    let number = |name: &str| value.get(name).and_then(Value::as_f64).map(|number| number as u64);
    let says = match (value.get("report"), text("raw"), value.get("later")) {
        (Some(_), Some(_), _) => return Err(vec!["has `report` and `raw`, expected one of them".into()]),
        (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            return Err(vec!["has `later` and something else to say, expected one of them".into()]);
        }
        (Some(report), None, None) => Says::Report(report.clone()),
        (None, Some(raw), None) => Says::Raw(raw),
        (None, None, Some(later)) => Says::Later {
            seconds: later.get("seconds").and_then(Value::as_u64).unwrap_or_default(),
            reason: later.get("reason").and_then(Value::as_str).unwrap_or_default().into(),
        },
        (None, None, None) => Says::Nothing,
    };
    let crash = value.get("crash") == Some(&Value::Bool(true));
    let exit = number("exit").and_then(|code| i32::try_from(code).ok());
    if says == Says::Nothing && exit.is_none() && !crash {
        return Err(vec!["says nothing, expected `report`, `raw`, `later`, `exit` or `crash`".into()]);
    }
    Ok(Entry {
        role: text("role"),
        action: text("action"),
        plan_target: text("plan_target"),
        item: match value.get("item") {
            Some(Value::String(id)) => Some(Item::Id(id.clone())),
            Some(Value::Object(fields)) => Some(Item::Fields(fields.clone())),
            _ => None,
        },
        attempt: number("attempt").and_then(|attempt| u32::try_from(attempt).ok()),
        delay: Duration::from_millis(number("delay_ms").unwrap_or_default()),
        says,
        how: if crash { How::Signal(9) } else { How::Exit(exit.unwrap_or_default()) },
        log: text("log").unwrap_or_default(),
    })
}

fn entry_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "role": text, "action": text, "plan_target": text,
            "item": {"type": ["string", "object"]},
            "attempt": {"type": "integer", "minimum": 1, "maximum": u32::MAX},
            "delay_ms": {"type": "integer", "minimum": 0, "maximum": MAX_DELAY_MS},
            "report": {"type": "object"},
            "raw": text,
            "later": {
                "type": "object",
                "additionalProperties": false,
                "required": ["seconds"],
                "properties": {"seconds": {"type": "integer", "minimum": 1, "maximum": MAX_LATER}, "reason": text}
            },
            "exit": {"type": "integer", "minimum": 0, "maximum": 255},
            "crash": {"type": "boolean"},
            "log": text
        }
    })
}
