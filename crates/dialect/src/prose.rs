//! The documents that are prose: what is proposed to the user, and how a run failed. Must not know tables beyond the
//! purpose of what failed.

use machine::{Failure, Proposal, Run};

use crate::desk::Desk;
use crate::layout::Field;
use crate::learned;
use crate::trouble::Trouble;

/// Where the report of a failure stands.
pub(crate) fn failure_path(run_id: &str) -> String {
    format!("runs/{run_id}/failure_report.md")
}

/// What the catalog says of the agreed instructions.
pub(crate) fn constitution_summary(new: usize, superseded: usize) -> String {
    let instructions = if new == 1 { "instruction" } else { "instructions" };
    match superseded {
        0 => format!("what was agreed with the user: {new} {instructions}"),
        superseded => {
            format!("what was agreed with the user: {new} {instructions}, {superseded} earlier ones replaced")
        }
    }
}

/// The proposal as the user reads it. `content` gives what an earlier instruction says.
pub(crate) fn feedback(run: &Run, proposal: &Proposal, content: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut text = format!("# Proposal for {}\n\n## Your request\n\n{}\n", run.id, quoted(&run.request));
    if !run.wishes.is_empty() {
        text.push_str("## What you said to earlier drafts\n\n");
        run.wishes.iter().for_each(|wish| text.push_str(&format!("{}\n", quoted(wish))));
    }
    if !proposal.introduction.trim().is_empty() {
        text.push_str(&format!("## Introduction\n\n{}\n", quoted(&proposal.introduction)));
    }
    text.push_str("## Proposed instructions\n\n");
    for (number, instruction) in (1..).zip(&proposal.instructions) {
        text.push_str(&entry(&format!("{number}. "), instruction));
    }
    if proposal.instructions.is_empty() {
        text.push_str("None.\n");
    }
    let mut named = |id: &str| match content(id).map(|content| content.split_whitespace().collect::<Vec<_>>().join(" "))
    {
        Some(content) if !content.is_empty() => format!("`{id}` “{content}”"),
        _ => format!("`{id}`"),
    };
    if !proposal.superseded.is_empty() || !proposal.kept.is_empty() {
        text.push_str("\n## Earlier instructions and what becomes of them\n\n");
    }
    for old in &proposal.superseded {
        let what = format!("{} is superseded by number {}: {}", named(&old.instruction_id), old.by, old.justification);
        text.push_str(&entry("- ", &what));
    }
    for kept in &proposal.kept {
        text.push_str(&entry("- ", &format!("{} is kept: {}", named(&kept.instruction_id), kept.justification)));
    }
    text.push_str(&learned::section(run));
    if !proposal.formats.is_empty() {
        text.push_str(&format!("\n## Formats\n\n{}\n", proposal.formats.join(", ")));
    }
    let id = &run.id;
    text.push_str(&format!(
        "\n## How to answer\n\n\
         - `multiverse confirm {id}`: it shall be so\n\
         - `multiverse modify {id} \"…\"`: otherwise, in your own words; a new draft follows\n\
         - `multiverse cancel {id}`: the run ends\n\
         - `multiverse answer {id} new-request \"…\"`: something else altogether; a new draft follows\n"
    ));
    text
}

/// The report of a failure: where, what it was for, and the original words.
pub(crate) fn failure(desk: &mut Desk<'_>, run: &Run, failure: &Failure) -> Result<String, Trouble> {
    let mut text = format!("# Failure of {}\n\n- run: `{}`\n", run.id, run.id);
    let mut purpose = None;
    let mut failed = failure.items.clone();
    if failed.is_empty() {
        failed.push(failure.doing.clone());
    }
    for id in failed.iter().rev() {
        let Some(item) = run.item(id) else { continue };
        let protocol = desk.protocol();
        let level = protocol.hierarchy.levels.get(item.level).map_or("item", |level| level.name);
        text.push_str(&entry("- ", &format!("{level}: `{id}` {}", item.name)));
        let Some(path) = protocol.document_of(&run.id, item) else { continue };
        let sheet = desk.sheet(&path)?;
        if let Some(row) = sheet.find(protocol.hierarchy.short_id(id)) {
            purpose = Some(sheet.value(row, Field::Purpose));
        }
    }
    text.push_str(&entry("- ", &format!("what was being done: {}", failure.doing)));
    if let Some(purpose) = purpose.filter(|purpose| !purpose.is_empty()) {
        text.push_str(&format!("\n## What it was for\n\n{}", quoted(&purpose)));
    }
    text.push_str(&format!("\n## The original error\n\n{}", fenced(&failure.error)));
    Ok(text)
}

/// The original error that a failure report tells; empty if it tells none.
pub(crate) fn error_in(report: &str) -> String {
    let after = report.split_once("\n## The original error\n").map_or("", |(_, after)| after).trim_start();
    let fence: String = after.chars().take_while(|character| *character == '`').collect();
    let Some((_, body)) = after.split_once('\n').filter(|_| !fence.is_empty()) else { return String::new() };
    body.lines().take_while(|line| *line != fence).collect::<Vec<_>>().join("\n")
}

/// Text as a quotation, line by line.
fn quoted(text: &str) -> String {
    lines(text).fold(String::new(), |all, line| match line {
        "" => all + ">\n",
        line => all + "> " + line + "\n",
    })
}

/// Text as one entry of a list: further lines are indented, so that they stay part of it.
pub(crate) fn entry(mark: &str, text: &str) -> String {
    let indent = " ".repeat(mark.len());
    let mut all = String::new();
    for (number, line) in lines(text).enumerate() {
        match (number, line) {
            (0, line) => all.push_str(&format!("{mark}{line}\n")),
            (_, "") => all.push('\n'),
            (_, line) => all.push_str(&format!("{indent}{line}\n")),
        }
    }
    all
}

/// Text in a fence that it cannot leave: longer than any row of backticks in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let ending = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}text\n{text}{ending}{fence}\n")
}

/// The lines of a text, whatever ends them; at least one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end_matches(['\n', '\r']).split('\n').flat_map(|line| line.trim_end_matches('\r').split('\r'))
}
