//! What the user is told: proposal, failure, completion, from the package that code made.

use serde_json::{Value, json};

use super::brief::Facts;

pub(crate) fn communicate(facts: &Facts<'_>) -> Value {
    let package = &facts.context()["package"];
    let message = match facts.text(&["kind"]) {
        "completion" => completion(facts.run_id(), package),
        "failure" => failure(facts.run_id(), package),
        "proposal" => proposal(facts.run_id(), package),
        _ => lines(package).join("\n"),
    };
    json!({ "message": message })
}

fn completion(run_id: &str, package: &Value) -> String {
    let place =
        package.get("output_location").and_then(Value::as_str).map_or(format!("outputs/{run_id}/"), str::to_owned);
    let mut message = format!(
        "[Job Completed] Your requested job (Run: {run_id}) has been successfully completed.\nThe final outputs are in {place}"
    );
    let files = ["outputs", "files"].iter().find_map(|name| package.get(name)?.as_array()).map(Vec::as_slice);
    for file in files.unwrap_or_default() {
        if let Some(path) = file.as_str().or_else(|| file.get("path")?.as_str()) {
            message.push_str(&format!("\n- {path}"));
        }
    }
    message
}

fn failure(run_id: &str, package: &Value) -> String {
    let mut message = format!("[Job Failed] Run {run_id} has stopped.");
    for line in lines(package) {
        message.push('\n');
        message.push_str(&line);
    }
    message
}

fn proposal(run_id: &str, package: &Value) -> String {
    let mut message = format!("Run {run_id} proposes how to work, and waits for your answer.");
    for line in lines(package) {
        message.push('\n');
        message.push_str(&line);
    }
    message
        .push_str("\nAnswer CONFIRM to begin, MODIFY with your wishes, CANCEL, or NEW_REQUEST with another request.");
    message
}

/// The fields of a package, one a line; lists are numbered.
fn lines(package: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match package {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Null => {}
                    Value::String(text) if text.is_empty() => {}
                    Value::Array(items) if items.is_empty() => {}
                    Value::Array(items) => {
                        found.push(format!("{}:", name.replace('_', " ")));
                        found.extend(
                            items.iter().enumerate().map(|(index, item)| format!("{}. {}", index + 1, shown(item))),
                        );
                    }
                    other => found.push(format!("{}: {}", name.replace('_', " "), shown(other))),
                }
            }
        }
        Value::Null => {}
        other => found.push(shown(other)),
    }
    found
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{}: {}", name.replace('_', " "), shown(value)))
            .collect::<Vec<_>>()
            .join("; "),
        other => other.to_string(),
    }
}
