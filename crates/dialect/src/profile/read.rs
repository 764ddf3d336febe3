//! Reading a workflow profile: the YAML, the schema, and what refers to what, all of it before anything starts. Gives
//! the profile, or everything that is wrong with it with its place. Must not decide what a profile does.

use machine::profile::{Gate, Mode, Phase, Profile, RoleStep, StepKind};
use syntax::data::{Kind, Node};
use syntax::{Code, yaml};

use super::cross;
use super::schema::{Complaint, Finding, MOST, Schema, number_of};

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadProfile {
    /// The profile, if nothing is wrong with it.
    pub profile: Option<Profile>,
    /// What is wrong, in the order of the document.
    pub complaints: Vec<Complaint>,
}

/// Reads a profile and checks it whole, against this schema.
pub fn read_profile(bytes: &[u8], schema: &Schema) -> ReadProfile {
    let parsed = yaml::parse_expanded(bytes);
    let mut complaints: Vec<Complaint> = parsed
        .problems
        .iter()
        .map(|problem| Complaint {
            line: problem.line,
            column: problem.column,
            field: if problem.code == Code::YamlDuplicateKey { "a key".into() } else { "the document".into() },
            reason: problem.message.clone(),
            hint: problem.hint.clone(),
        })
        .collect();
    let is_readable = parsed.problems.iter().all(|problem| problem.code == Code::YamlDuplicateKey);
    let Some(root) = parsed.root.filter(|_| is_readable) else {
        if complaints.is_empty() {
            let (field, reason) = ("the document".into(), "it is empty".into());
            let hint = "`multiverse profile new NAME` writes one to begin with".into();
            complaints.push(Complaint { line: 1, column: 1, field, reason, hint });
        }
        return ReadProfile { profile: None, complaints };
    };
    let mut found = schema.check(&root);
    if let Some(second) = parsed.more.first() {
        let (reason, hint) = ("a second document begins here".into(), "write one profile in a file".into());
        found.push(Finding { at: second.span.start, field: "the document".into(), reason, hint });
    }
    // What refers to what is looked at as far as it can be read, so that one look shows all.
    let profile = profile_of(&root);
    found.extend(cross::check(&root));
    complaints.extend(placed(bytes, found));
    complaints.sort_by_key(|complaint| (complaint.line, complaint.column));
    complaints.truncate(MOST);
    ReadProfile { profile: profile.filter(|_| complaints.is_empty()), complaints }
}

/// Gives findings their lines and columns.
pub(super) fn placed(bytes: &[u8], found: Vec<Finding>) -> Vec<Complaint> {
    let place = |finding: Finding| {
        let (line, column) = syntax::line_and_column(bytes, finding.at);
        Complaint { line, column, field: finding.field, reason: finding.reason, hint: finding.hint }
    };
    found.into_iter().map(place).collect()
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.value(key).and_then(Node::as_text).map(str::to_owned)
}

fn list<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    match node.value(key).map(|node| &node.kind) {
        Some(Kind::List(items)) => items,
        _ => &[],
    }
}

fn flag(node: &Node, key: &str) -> Option<bool> {
    match node.value(key).map(|node| &node.kind) {
        Some(Kind::Bool(is_true)) => Some(*is_true),
        _ => None,
    }
}

fn count(node: &Node, key: &str) -> Option<u32> {
    let number = node.value(key).and_then(Node::as_text).and_then(number_of)?;
    Some(number as u32)
}

fn profile_of(root: &Node) -> Option<Profile> {
    let mode = match text(root, "execution_mode")?.as_str() {
        "simulation" => Mode::Simulation,
        "realization" => Mode::Realization,
        _ => return None,
    };
    let defaults = root.value("defaults");
    Some(Profile {
        name: text(root, "name")?,
        version: count(root, "version")?,
        description: text(root, "description").unwrap_or_default(),
        friendly_name: text(root, "friendly_name").unwrap_or_default(),
        mode,
        strict: flag(root, "strict_mode").unwrap_or_default(),
        gates: list(root, "gates").iter().map(gate_of).collect::<Option<_>>()?,
        phases: list(root, "phases").iter().map(phase_of).collect::<Option<_>>()?,
        max_review_cycles: defaults.and_then(|node| count(node, "max_review_cycles")),
        handoff: defaults.and_then(|node| flag(node, "require_handoff_packet")),
    })
}

fn gate_of(node: &Node) -> Option<Gate> {
    Some(Gate {
        id: text(node, "id")?,
        phase: text(node, "phase")?,
        owner: text(node, "owner")?,
        required: flag(node, "required")?,
        description: text(node, "description").unwrap_or_default(),
    })
}

fn phase_of(node: &Node) -> Option<Phase> {
    Some(Phase {
        id: text(node, "id")?,
        description: text(node, "description").unwrap_or_default(),
        steps: list(node, "roles").iter().map(step_of).collect::<Option<_>>()?,
    })
}

fn step_of(node: &Node) -> Option<RoleStep> {
    let kinds = [StepKind::Owner, StepKind::Reviewer, StepKind::Gate, StepKind::Validator];
    let word = text(node, "step_type")?;
    let outputs = list(node, "required_outputs").iter().map(|output| output.as_text().map(str::to_owned));
    Some(RoleStep {
        id: text(node, "id")?,
        role: text(node, "role")?,
        kind: kinds.into_iter().find(|kind| kind.word() == word)?,
        required_outputs: outputs.collect::<Option<_>>()?,
        review_of: text(node, "review_of"),
        gate: text(node, "gate"),
        notes: text(node, "notes"),
    })
}
