//! Owns the places in a script that stand for something of the brief: `{run_id}`, `{item}`, `{item.stage_id}`,
//! `{output}`, … Must not touch any other brace: reports are full of them.

use serde_json::Value;

use crate::contract::Brief;
use crate::limits::MAX_FILLED;

/// The longest name between braces.
const MAX_NAME: usize = 64;

/// Fills every text of a value.
pub(super) fn value(value: &Value, brief: &Brief) -> Value {
    match value {
        Value::String(found) => Value::String(text(found, brief)),
        Value::Array(items) => items.iter().map(|item| self::value(item, brief)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (text(name, brief), self::value(field, brief))).collect()
        }
        other => other.clone(),
    }
}

/// Fills one text. What was filled in is not looked at again; a text that grows too large is left as it is from there.
pub(super) fn text(text: &str, brief: &Brief) -> String {
    let most = text.len().saturating_add(MAX_FILLED);
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        // Names are ASCII, so the end is looked for among bytes: a cut within a character cannot happen.
        let end = rest.bytes().take(MAX_NAME + 2).position(|byte| byte == b'}');
        let found = end.and_then(|end| Some((of(&rest[1..end], brief)?, end + 1)));
        match found {
            Some((value, length)) if filled.len() + value.len() <= most => {
                filled.push_str(&value);
                rest = &rest[length..];
            }
            _ => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// What a name stands for; nothing if it is none.
fn of(name: &str, brief: &Brief) -> Option<String> {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match name {
        "run_id" => Some(brief.run_id.clone()),
        "role" => Some(brief.role.clone()),
        "action" => Some(brief.action.clone()),
        "attempt" => Some(brief.attempt.to_string()),
        "plan_target" => brief.plan_target.clone(),
        "item" => brief.item_id().map(String::from),
        "output" => brief.expects.outputs.first().cloned(),
        _ => {
            if let Some(field) = name.strip_prefix("item.") {
                return brief.item.get(field).map(plain);
            }
            let number: usize = name.strip_prefix("output.")?.parse().ok()?;
            brief.expects.outputs.get(number).cloned()
        }
    }
}
