//! Owns where two JSON values differ, and how that is told. Must not know what they are.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::words::quote;

/// Characters of a value that a difference shows.
const SHOWN: usize = 60;
/// Characters before the place where two texts part.
const BEFORE: usize = 15;

/// Where two values differ, as deep as they have the same shape: a place, what was, what is.
pub(crate) fn differences(place: &str, then: &Value, now: &Value, tell: &mut dyn FnMut(&str, String, String)) {
    let below = |name: &str| if place.is_empty() { name.to_string() } else { format!("{place}.{name}") };
    match (then, now) {
        (Value::Object(one), Value::Object(other)) => {
            let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            for name in names {
                let of = |fields: &serde_json::Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                differences(&below(name), &of(one), &of(other), tell);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (number, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&below(&number.to_string()), one, other, tell);
            }
        }
        (Value::String(one), Value::String(other)) if one != other => {
            let (one, other) = apart(one, other);
            tell(place, one, other);
        }
        (one, other) if one != other => tell(place, shown(one), shown(other)),
        _ => {}
    }
}

fn shown(value: &Value) -> String {
    quote(&value.to_string(), SHOWN)
}

/// Two texts from shortly before the place where they part.
fn apart(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    // A text that is shown whole is shown from its beginning.
    let is_long = one.chars().count().max(other.chars().count()) > SHOWN;
    let from = if is_long { same.saturating_sub(BEFORE) } else { 0 };
    let shown = |text: &str| {
        let rest: String = text.chars().skip(from).take(SHOWN + 1).collect();
        let quoted = quote(&Value::String(rest).to_string(), SHOWN);
        if from > 0 { format!("…{quoted}") } else { quoted }
    };
    (shown(one), shown(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(then: &Value, now: &Value, expected: &[&str]) {
        let mut found = Vec::new();
        differences("", then, now, &mut |place, then, now| found.push(format!("{place}: {now}, recorded {then}")));
        assert_eq!(found, expected);
    }

    /// BY-19: a difference is told where it is, however long the text around it.
    #[test]
    fn a_difference_is_told_where_it_is() {
        check(&json!({"a": [1, "x"]}), &json!({"a": [1, "x"]}), &[]);
        check(
            &json!({"a": [1, "x"]}),
            &json!({"a": [2, "y"], "b": null}),
            &["a.0: 2, recorded 1", "a.1: \"y\", recorded \"x\""],
        );
        check(&json!({"a": [1]}), &json!({"a": []}), &["a: [], recorded [1]"]);
        let long = format!("{}one{}", "가".repeat(300), "z".repeat(300));
        let z = "z".repeat(41);
        let before = "가".repeat(15);
        let expected = format!("t: …\"{before}two{z}…, recorded …\"{before}one{z}…");
        check(&json!({"t": long}), &json!({"t": long.replace("one", "two")}), &[&expected]);
    }
}
