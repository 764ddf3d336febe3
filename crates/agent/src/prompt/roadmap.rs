//! Owns what templates can name of a roadmap: the fields of its briefs by simple names, bounded. Must not know the templates.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::template::Known;
use super::view::{entries, list, shortened, text};
use crate::contract::Brief;
use crate::roadmap::{Context, Item, WITHIN, Why};

/// The most characters of a goal, of the roadmap and of what somebody left.
const GOAL: usize = 24_000;
const ROADMAP: usize = 32_000;
const SUMMARY: usize = 2_000;

/// The fields, for templates and for docs/prompts.md.
pub(super) const KNOWN: [Known; 29] = [
    text("goal"),
    text("task_name"),
    text("task_file"),
    text("log_file"),
    text("task_cwd"),
    text("executor_identity"),
    text("executor_name"),
    text("steps_quota"),
    text("progress"),
    text("roadmap"),
    text("item_title"),
    text("is_goal"),
    text("is_blocked"),
    text("is_failed"),
    text("is_reply"),
    text("concerned_item"),
    text("concerned_summary"),
    text("asked_question"),
    text("asked_default"),
    text("response"),
    text("partial"),
    text("tools_command"),
    list("task_dirs", &["."]),
    list("active_executors", &["."]),
    list("item_claims", &["."]),
    list("item_depends_on", &["."]),
    list("recent", &["number", "executor", "role", "objective", "result", "summary"]),
    list("asked", &["question", "default", "answer"]),
    list("skills", &["name", "description"]),
];

/// Adds the fields of a roadmap's brief; another has none of them.
pub(super) fn add(view: &mut Map<String, Value>, brief: &Brief) {
    let Some(context) = Context::of(brief) else { return };
    let item = own_item(brief, &context);
    let task = &context.task;
    let texts: [(&str, Value); 13] = [
        ("goal", json!(shortened(&task.goal, GOAL))),
        ("task_name", json!(task.name)),
        ("task_file", json!(task.task_file)),
        ("log_file", json!(task.log_file)),
        ("task_cwd", json!(task.cwd)),
        ("executor_identity", json!(context.executor_identity)),
        ("executor_name", json!(context.executor_name)),
        ("steps_quota", json!(context.quota)),
        ("progress", json!(context.progress)),
        ("roadmap", json!(told(&context))),
        ("item_title", json!(titled(&item))),
        ("partial", json!(shortened(&context.partial, SUMMARY))),
        ("tools_command", json!(context.tools_command.join(" "))),
    ];
    view.extend(texts.into_iter().map(|(name, value)| (name.to_string(), value)));
    view.extend(concern(context.why.as_ref()).into_iter().map(|(name, value)| (name.to_string(), value)));
    let lists: [(&str, Value); 7] = [
        ("task_dirs", json!(task.dirs)),
        ("active_executors", json!(context.active_executors)),
        ("item_claims", json!(item.claims)),
        ("item_depends_on", json!(item.depends_on)),
        ("recent", json!(context.recent)),
        ("asked", json!(context.asked)),
        ("skills", json!(context.skills)),
    ];
    view.extend(lists.into_iter().map(|(name, value)| (name.to_string(), entries(Some(&value), name))));
}

/// The item of a brief: its row, and what the roadmap says of it.
fn own_item(brief: &Brief, context: &Context) -> Item {
    let row: Item = serde_json::from_value(Value::Object(brief.item.clone())).unwrap_or_default();
    let key = brief.item_id().unwrap_or(&row.key);
    match context.items.iter().find(|item| item.key == key && !key.is_empty()) {
        Some(known) if row.claims.is_empty() => known.clone(),
        Some(known) => Item { claims: row.claims, ..known.clone() },
        None => row,
    }
}

/// Why there is something to plan.
fn concern(why: Option<&Why>) -> Vec<(&'static str, Value)> {
    match why {
        None => Vec::new(),
        Some(Why::Goal) => vec![("is_goal", json!(true))],
        Some(Why::Blocked { item, summary }) => vec![
            ("is_blocked", json!(true)),
            ("concerned_item", json!(item)),
            ("concerned_summary", json!(shortened(summary, SUMMARY))),
        ],
        Some(Why::Failed { item, summary }) => vec![
            ("is_failed", json!(true)),
            ("concerned_item", json!(item)),
            ("concerned_summary", json!(shortened(summary, SUMMARY))),
        ],
        Some(Why::Reply { question, response, item, default }) => vec![
            ("is_reply", json!(true)),
            ("concerned_item", json!(item)),
            ("asked_question", json!(shortened(question, SUMMARY))),
            ("asked_default", json!(shortened(default, SUMMARY))),
            ("response", json!(shortened(response, SUMMARY))),
        ],
    }
}

/// The number and the title; an item without a number is known by its key.
fn titled(item: &Item) -> String {
    let number = if item.number.is_empty() { &item.key } else { &item.number };
    format!("{number} {}", item.title).trim().to_string()
}

/// The items, a line each, under the titles of their groups.
fn told(context: &Context) -> String {
    let (mut out, mut group) = (String::new(), "");
    let mut shown = 0;
    for item in &context.items {
        if out.len() > ROADMAP {
            break;
        }
        if item.group != group {
            group = &item.group;
            let _ = writeln!(out, "{}:", shortened(&context.titles(group).join(WITHIN), 240));
        }
        let _ = write!(out, "- {} [{}]", shortened(&titled(item), 240), item.status);
        if !item.depends_on.is_empty() {
            let _ = write!(out, " needs {}", item.depends_on.join(", "));
        }
        if !item.claims.is_empty() {
            let _ = write!(out, " files {}", item.claims.join(", "));
        }
        if !item.result.is_empty() && item.status != "Completed" {
            let _ = write!(out, " ({}: {})", item.result, shortened(&item.summary, 240));
        }
        out.push('\n');
        shown += 1;
    }
    let more = context.items.len() - shown + context.left_out;
    if more > 0 {
        let _ = writeln!(out, "(and {more} more)");
    }
    out
}
