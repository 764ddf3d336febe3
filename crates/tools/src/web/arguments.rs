//! What a model wrote behind a tool's name, read as what the tool needs. What is wrong is said as an answer.

use serde_json::Value;

use crate::{ToolAnswer, ToolCall};

/// More than this is no question.
const LONGEST_TEXT: usize = 20_000;

pub(crate) fn text(call: &ToolCall, name: &str) -> Result<String, ToolAnswer> {
    match call.arguments.get(name) {
        Some(Value::String(text)) if text.trim().is_empty() => Err(wrong(call, name, "is empty: write what is wanted")),
        Some(Value::String(text)) if text.len() > LONGEST_TEXT => {
            Err(wrong(call, name, "is longer than 20,000 bytes: shorten it"))
        }
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong(call, name, "is not a string")),
        None => Err(wrong(call, name, "is missing: give it as a string")),
    }
}

/// A number from one on; what is larger than the most is the most.
pub(crate) fn count(call: &ToolCall, name: &str, default: usize, most: usize) -> Result<usize, ToolAnswer> {
    let number = match call.arguments.get(name) {
        None | Some(Value::Null) => return Ok(default),
        // Some models write numbers as strings, and some as 2.0.
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(value) => {
            value.as_u64().or_else(|| value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as u64))
        }
    };
    match number.and_then(|number| usize::try_from(number).ok()) {
        Some(number) if number > 0 => Ok(number.min(most)),
        _ => Err(wrong(call, name, &format!("is no whole number from 1 to {most}"))),
    }
}

fn wrong(call: &ToolCall, name: &str, why: &str) -> ToolAnswer {
    ToolAnswer::wrong(format!("{}: the argument `{name}` {why}", call.name))
}
