//! What follows from a workflow's run and is kept nowhere (PF-08), and what there is to show for it (PF-19), in lines.

use serde_json::Value;

use super::super::output::{BAD, GOOD, HINT};
use super::super::visible;

/// The most entries of a list that are shown.
const SHOWN: usize = 30;

pub(super) fn lines(details: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let text = |key: &str| details[key].as_str().map(visible::text);
    if let (Some(profile), Some(mode)) = (text("profile"), text("execution_mode")) {
        lines.push(format!("profile {profile} ({mode}), artifacts in {}", text("artifacts").unwrap_or_default()));
    }
    for reason in texts(&details["blocking_reasons"]) {
        lines.push(format!("{HINT}blocked{HINT:#}: {reason}"));
    }
    for (key, word) in [("missing_outputs", "output of this step"), ("missing_in_short", "until it is done")] {
        let missing = texts(&details[key]);
        for one in missing.iter().take(SHOWN) {
            lines.push(format!("missing ({word}): {one}"));
        }
        if missing.len() > SHOWN {
            lines.push(format!("… and {} more", missing.len() - SHOWN));
        }
    }
    let evidence = &details["evidence"];
    for output in list(&evidence["outputs"]).iter().take(SHOWN) {
        let digest: String = field(output, "digest").chars().take(12).collect();
        lines.push(format!("{GOOD}evidence{GOOD:#}: {} {digest}", field(output, "path")));
    }
    for gate in list(&evidence["gates"]) {
        let by = field(gate, "by");
        let by = if by.is_empty() { format!("{} decides", field(gate, "decides")) } else { format!("by {by}") };
        lines.push(format!("gate {}: {} ({by})", field(gate, "gate"), field(gate, "status")));
    }
    for commit in list(&evidence["commits"]) {
        let sha: String = field(commit, "commit_sha").chars().take(12).collect();
        lines.push(format!("{GOOD}evidence{GOOD:#}: commit {sha} {}", field(commit, "message")));
    }
    for failure in list(&details["critical_failures"]) {
        let settled = field(failure, "settled");
        let settled = if settled.is_empty() { format!("{BAD}open{BAD:#}") } else { settled };
        lines.push(format!("failure at {}: {} ({settled})", field(failure, "step_id"), field(failure, "error")));
    }
    lines
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> Vec<String> {
    list(value).iter().filter_map(Value::as_str).map(visible::text).collect()
}

fn field(value: &Value, key: &str) -> String {
    value[key].as_str().map(visible::text).unwrap_or_default()
}
