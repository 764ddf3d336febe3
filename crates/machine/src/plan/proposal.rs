//! Whether a draft of a proposal may be shown to the user.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::input::{Complaint, Proposal, World};
use crate::limits::Limits;

/// Checks a proposal: instructions there are, and what it replaces or keeps is there.
pub fn check_proposal(proposal: &Proposal, world: &World<'_>, limits: &Limits) -> Result<(), Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut complain = |row: String, column: &'static str, reason: String| {
        complaints.push(Complaint { row, column, reason });
    };
    let count = proposal.instructions.len();
    if count == 0 {
        complain("-".into(), "instructions", "there are none; at least one is needed".into());
    }
    if count > limits.plan_items {
        let reason = format!("there are {count}; at most {} are allowed", limits.plan_items);
        complain("-".into(), "instructions", reason);
    }
    for (place, instruction) in proposal.instructions.iter().enumerate() {
        let row = (place + 1).to_string();
        if instruction.trim().is_empty() {
            complain(row, "instructions", "is empty; say what shall hold".into());
        } else if instruction.len() > limits.cell_bytes {
            let reason = format!("has {} bytes; at most {} are allowed", instruction.len(), limits.cell_bytes);
            complain(row, "instructions", reason);
        }
    }
    let valid = world.active.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let unknown = |id: &str| {
        let what = if id.is_empty() { "is empty".into() } else { format!("{id} is not an ACTIVE instruction") };
        if valid.is_empty() { format!("{what}; there are none") } else { format!("{what}; valid: {valid}") }
    };
    let mut named = BTreeSet::new();
    for superseded in &proposal.superseded {
        let id = superseded.instruction_id.as_str();
        if !world.active.contains(id) {
            complain(id.into(), "superseded", unknown(id));
        } else if !named.insert(id) {
            complain(id.into(), "superseded", format!("{id} is named twice"));
        }
        if superseded.by == 0 || superseded.by > count {
            let reason = format!("by {} is none of the proposed instructions, which are 1 to {count}", superseded.by);
            complain(id.into(), "superseded", reason);
        }
    }
    for kept in &proposal.kept {
        let id = kept.instruction_id.as_str();
        if !world.active.contains(id) {
            complain(id.into(), "kept", unknown(id));
        } else if !named.insert(id) {
            complain(id.into(), "kept", format!("{id} is named twice, or superseded as well"));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}
