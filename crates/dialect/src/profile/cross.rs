//! What in a profile refers to what: phases, gates, steps that are reviewed, names of files. Works on the document as it
//! stands, so that each complaint has its place, and so that a profile that breaks the schema is still looked through.

use std::collections::{HashMap, HashSet};

use syntax::data::{Kind, Node};

use super::paths::{LEDGER, TRACE};
use super::schema::{Finding, nearest};

/// A step as it stands in the document.
struct Step<'a> {
    field: String,
    node: &'a Node,
    id: &'a str,
    role: &'a str,
    kind: &'a str,
}

/// Everything that refers to nothing, or is there twice.
pub(super) fn check(root: &Node) -> Vec<Finding> {
    let mut found = Vec::new();
    let phases: Vec<(&Node, &str)> = items(root, "phases").filter_map(|node| Some((node, word(node, "id")?))).collect();
    let gates: Vec<(&Node, &str)> = items(root, "gates").filter_map(|node| Some((node, word(node, "id")?))).collect();
    let steps = steps(root);
    twice(&mut found, "phases", &phases);
    twice(&mut found, "gates", &gates);
    check_step_ids(&mut found, &steps);
    let phase_names: Vec<&str> = phases.iter().map(|(_, id)| *id).collect();
    for (number, (gate, id)) in gates.iter().enumerate() {
        if let Some(phase) = word(gate, "phase").filter(|phase| !phase_names.contains(phase)) {
            let field = format!("gates[{number}].phase");
            unknown(&mut found, value(gate, "phase"), field, "phase", phase, &phase_names);
        }
        let is_used = steps.iter().any(|step| word(step.node, "gate") == Some(id));
        if !is_used && matches!(gate.value("required").map(|node| &node.kind), Some(Kind::Bool(true))) {
            let reason = format!("gate {id} is required, and no step comes to it");
            let hint = format!("add a step with step_type: gate and gate: {id}, or write required: false");
            found.push(Finding {
                at: value(gate, "id").span.start,
                field: format!("gates[{number}].id"),
                reason,
                hint,
            });
        }
    }
    let gate_names: Vec<&str> = gates.iter().map(|(_, id)| *id).collect();
    for (number, step) in steps.iter().enumerate() {
        check_step(&mut found, &steps, number, step, &gate_names);
    }
    found
}

fn check_step(found: &mut Vec<Finding>, steps: &[Step<'_>], number: usize, step: &Step<'_>, gates: &[&str]) {
    if let Some(gate) = word(step.node, "gate") {
        let field = format!("{}.gate", step.field);
        if !gates.contains(&gate) {
            unknown(found, value(step.node, "gate"), field, "gate", gate, gates);
        } else if step.kind != "gate" {
            let reason = format!("a step of type {} names a gate", step.kind);
            let hint = "write step_type: gate, or remove `gate`".into();
            found.push(Finding { at: value(step.node, "gate").span.start, field, reason, hint });
        }
    }
    if let Some(name) = word(step.node, "review_of") {
        let is_it = |other: &Step<'_>| other.kind != "gate" && (other.id == name || other.role == name);
        let at = value(step.node, "review_of").span.start;
        let field = format!("{}.review_of", step.field);
        if !steps[..number].iter().any(is_it) {
            let before: Vec<&str> =
                distinct(steps[..number].iter().filter(|other| other.kind != "gate").map(|other| other.role));
            let (reason, hint) = match steps[number..].iter().any(is_it) {
                true => (
                    format!("`{name}` comes later, or is this step itself"),
                    "a review looks at work that was done before",
                ),
                false => (format!("`{name}` is no role and no step of this profile"), "name who produced the work"),
            };
            let valid = if before.is_empty() {
                "nobody works before it".into()
            } else {
                format!("valid: {}", before.join(", "))
            };
            found.push(Finding { at, field, reason, hint: format!("{hint}; {valid}") });
        }
    }
    for (place, output) in items(step.node, "required_outputs").enumerate() {
        let Some(name) = output.as_text() else { continue };
        if let Some((reason, hint)) = odd_name(name) {
            let field = format!("{}.required_outputs[{place}]", step.field);
            found.push(Finding {
                at: output.span.start,
                field,
                reason: format!("`{name}` {reason}"),
                hint: hint.into(),
            });
        }
    }
}

/// Why a name cannot be that of a file in the artifact folder.
fn odd_name(name: &str) -> Option<(&'static str, &'static str)> {
    const LONGEST: usize = 200;
    let hint = "write the name of a file in the artifact folder, such as 01_requirements.md";
    if name.is_empty() {
        return None;
    }
    if name == TRACE || name == LEDGER {
        return Some(("is written by the engine itself", "choose another name"));
    }
    let is_odd_part = |part: &str| part.is_empty() || part == "." || part == ".." || part.len() > LONGEST;
    if name.contains('\\')
        || name.chars().any(char::is_control)
        || name.trim() != name
        || name.split('/').any(is_odd_part)
    {
        return Some(("is no name of a file within the artifact folder", hint));
    }
    None
}

fn steps(root: &Node) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for (phase, node) in items(root, "phases").enumerate() {
        for (number, step) in items(node, "roles").enumerate() {
            steps.push(Step {
                field: format!("phases[{phase}].roles[{number}]"),
                node: step,
                id: word(step, "id").unwrap_or_default(),
                role: word(step, "role").unwrap_or_default(),
                kind: word(step, "step_type").unwrap_or_default(),
            });
        }
    }
    steps
}

fn check_step_ids(found: &mut Vec<Finding>, steps: &[Step<'_>]) {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for step in steps.iter().filter(|step| !step.id.is_empty()) {
        if let Some(first) = seen.insert(step.id, &step.field) {
            let reason = format!("the step id `{}` is there already, at {first}", step.id);
            let field = format!("{}.id", step.field);
            let hint = "give every step of the profile an id of its own".into();
            found.push(Finding { at: value(step.node, "id").span.start, field, reason, hint });
        }
    }
}

fn twice(found: &mut Vec<Finding>, what: &str, named: &[(&Node, &str)]) {
    let mut seen = HashSet::new();
    for (number, (node, id)) in named.iter().enumerate() {
        if !seen.insert(*id) {
            let reason = format!("the id `{id}` is there already");
            let (field, hint) = (format!("{what}[{number}].id"), "give each an id of its own".into());
            found.push(Finding { at: value(node, "id").span.start, field, reason, hint });
        }
    }
}

fn unknown(found: &mut Vec<Finding>, at: &Node, field: String, what: &str, name: &str, valid: &[&str]) {
    let valid = &distinct(valid.iter().copied());
    let valid_list =
        if valid.is_empty() { "none is defined".to_owned() } else { format!("valid: {}", valid.join(", ")) };
    let hint = match nearest(name, valid) {
        Some(near) => format!("did you mean `{near}`? {valid_list}"),
        None => format!("define it, or name another; {valid_list}"),
    };
    found.push(Finding { at: at.span.start, field, reason: format!("there is no {what} `{name}`"), hint });
}

fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    words.filter(|word| seen.insert(*word)).collect()
}

fn items<'a>(node: &'a Node, key: &str) -> impl Iterator<Item = &'a Node> + use<'a> {
    let items: &[Node] = match node.value(key).map(|node| &node.kind) {
        Some(Kind::List(items)) => items,
        _ => &[],
    };
    items.iter()
}

fn word<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match node.value(key).map(|node| &node.kind) {
        Some(Kind::Text(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// The value of a key that is there; the mapping itself for one that is not.
fn value<'a>(node: &'a Node, key: &str) -> &'a Node {
    node.value(key).unwrap_or(node)
}
