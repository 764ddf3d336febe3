//! Owns what templates can name of a cycle: the fields of its briefs by simple names, bounded, so that a prompt of the
//! fiftieth loop is no longer than one of the second (CY-11). Must not know the templates.

use serde_json::{Map, Value, json};

use super::template::Known;
use super::view::{list, shortened, text};
use crate::contract::Brief;

/// The protocol that has these fields.
const PROTOCOL: &str = "cycle";

/// The most characters of the goal, of the Human's words, of one turn, and of what a check printed.
const GOAL: usize = 24_000;
const SAID: usize = 8_000;
const TURN: usize = 3_000;
const PRINTED: usize = 2_000;
/// The most turns, the newest ones.
const TURNS: usize = 16;

/// The fields, for templates and for docs/prompts.md; `goal` is shared with roadmaps.
pub(super) const KNOWN: [Known; 18] = [
    text("loop_number"),
    text("is_closing"),
    text("outline"),
    text("lines_limit"),
    text("files_limit"),
    text("plan_summary"),
    text("plan_locations"),
    text("plan_change"),
    text("plan_avoid"),
    text("plan_win_state"),
    text("changed_lines"),
    text("changed_files"),
    list("current_state", &["."]),
    list("earlier_loops", &["."]),
    list("turns", &["signature", "agent", "result", "told"]),
    list("human_said", &["."]),
    list("checks", &["name", "end", "output"]),
    list("forbidden", &["."]),
];

/// Adds the fields of a cycle's brief; another has none of them.
pub(super) fn add(view: &mut Map<String, Value>, brief: &Brief) {
    if brief.protocol != PROTOCOL {
        return;
    }
    let context = &brief.context;
    let of = |pointer: &str| context.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let number = |pointer: &str| context.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    let all = |pointer: &str| context.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    let texts = |pointer: &str, most: usize| -> Value {
        all(pointer).iter().filter_map(Value::as_str).map(|one| json!(shortened(one, most))).collect()
    };
    let files: Vec<String> = all("/changed/files").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let turns = all("/turns");
    let newest = &turns[turns.len().saturating_sub(TURNS)..];
    let fields: [(&str, Value); 19] = [
        ("goal", json!(shortened(of("/goal"), GOAL))),
        ("loop_number", json!(number("/loop"))),
        ("is_closing", json!(of("/stage") == "closing")),
        ("outline", json!(shortened(of("/outline"), SAID))),
        ("lines_limit", json!(number("/limits/lines"))),
        ("files_limit", json!(number("/limits/files"))),
        ("plan_summary", json!(shortened(of("/plan/summary"), TURN))),
        ("plan_locations", json!(shortened(of("/plan/locations"), TURN))),
        ("plan_change", json!(shortened(of("/plan/change"), SAID))),
        ("plan_avoid", json!(shortened(of("/plan/avoid"), TURN))),
        ("plan_win_state", json!(shortened(of("/plan/win_state"), TURN))),
        ("changed_lines", json!(number("/changed/lines"))),
        ("changed_files", json!(shortened(&files.join(", "), TURN))),
        ("current_state", texts("/current_state", TURN)),
        ("earlier_loops", texts("/earlier_loops", TURN)),
        ("turns", newest.iter().map(turn).collect()),
        ("human_said", texts("/human_said", SAID)),
        ("checks", all("/checks").iter().map(check).collect()),
        ("forbidden", texts("/forbidden", TURN)),
    ];
    view.extend(fields.into_iter().map(|(name, value)| (name.to_string(), value)));
}

/// A turn in a line: what happened, what the next one must know, and what else its block says.
fn turn(turn: &Value) -> Value {
    let of = |name: &str| turn[name].as_str().unwrap_or_default();
    let more = turn["fields"].as_object().into_iter().flatten();
    let more = more.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let parts = [("", of("summary")), ("Context", of("context"))].into_iter().chain(more);
    let told: Vec<String> = parts
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| if name.is_empty() { value.to_owned() } else { format!("{name}: {value}") })
        .collect();
    let told = shortened(&told.join(" | "), TURN);
    json!({"signature": of("signature"), "agent": of("agent"), "result": of("result"), "told": told})
}

/// A check, with the end of what it printed.
fn check(check: &Value) -> Value {
    let of = |name: &str| check[name].as_str().unwrap_or_default();
    let printed: Vec<char> = of("output").chars().collect();
    let end: String = printed[printed.len().saturating_sub(PRINTED)..].iter().collect();
    json!({"name": of("name"), "end": of("end"), "output": end})
}
