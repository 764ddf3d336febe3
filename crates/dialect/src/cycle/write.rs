//! The one form in which records are written. What agents say cannot leave its place: lines that would be read as a part
//! of the record are escaped, fences and comments are closed. Must not decide what is written.

use machine::cycle::{Cycle, Lap, Party, Turn};
use syntax::{Code, Document};

use super::lines;

/// The head of a file (CY-01).
pub fn header_text(cycle: &Cycle) -> String {
    let list = |entries: &[String]| match entries {
        [] => "- none\n".to_owned(),
        entries => entries.iter().map(|entry| item(&one_line(entry))).collect(),
    };
    format!(
        "# Cycle: {}\n\n## Goal\n\n{}\n\n## Current State\n\n{}\n## Context Docs\n\n{}\n---\n",
        one_line(&cycle.cycle_id),
        free_text(&cycle.goal),
        list(&cycle.current_state),
        list(&cycle.context_docs)
    )
}

/// A turn (CY-15): its response, its block, and a line below. `before` is the turn before it, if there is one: the first
/// of a loop has the loop's heading above it.
pub fn turn_text(turn: &Turn, before: Option<&Turn>) -> String {
    let mut text = String::new();
    if before.is_none_or(|before| before.signature.lap != turn.signature.lap) {
        text.push_str(&match turn.signature.lap {
            Lap::Loop(number) => format!("## Iteration {number}\n\n"),
            Lap::Final => "## Iteration FINAL\n\n".to_owned(),
        });
    }
    let response = free_text(&turn.response);
    let response = if response.is_empty() { free_text(&turn.summary) } else { response };
    text.push_str(&format!("### {} Output\n\n{response}\n\n", turn.party));
    if turn.party != Party::Human {
        text.push_str(&format!("**Context Summary**: {}\n\n", filled(&turn.context)));
    }
    text.push_str(&block_text(turn));
    text.push_str("\n---\n");
    text
}

/// How a cycle ended that a critical error ended (CY-08).
pub(super) fn failure_text(trouble: &str) -> String {
    let trouble = free_text(trouble);
    let trouble = if trouble.is_empty() { "nobody said why".to_owned() } else { trouble };
    format!("## Ended\n\nA critical error ended the cycle:\n\n{trouble}\n\n---\n")
}

/// The SIGNAL BLOCK of a turn (CY-02): the seed's fields, in its order.
pub fn block_text(turn: &Turn) -> String {
    // A Human is sure; and at the end the Human is next, with another goal.
    let confidence = turn.confidence.unwrap_or(10);
    let next = turn.next.unwrap_or(Party::Human);
    let mut text = format!(
        "### SIGNAL BLOCK\n\n- Agent: {}\n- Result: {}\n- Loop Summary: {}\n- Confidence: {confidence}\n- Next: {next}\n- Context: {}\n",
        turn.party,
        turn.word,
        filled(&turn.summary),
        filled(&turn.context),
    );
    for (name, value) in &turn.fields {
        if let Some(name) = field_name(name) {
            text.push_str(&format!("- {name}: {}\n", filled(value)));
        }
    }
    text.push_str(&format!("\n**Signature**: {}\n", turn.signature));
    text
}

/// The name of a further field as it can stand in a block; nothing if it is one of the block's own, or no name.
fn field_name(name: &str) -> Option<String> {
    let name = one_line(name);
    let line = format!("- {name}: x");
    let read = syntax::markdown::fields::read_line(&line, &|_| false);
    let is_read = matches!(read.as_slice(), [field] if field.key == name && field.value == "x");
    (is_read && lines::Key::of(&name).is_none()).then_some(name)
}

fn filled(value: &str) -> String {
    let line = one_line(value);
    if line.is_empty() { "none".to_owned() } else { line }
}

/// Text on one line, as it can be the value of a field: line breaks become `; `, pipes are escaped.
pub(crate) fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("; ");
    let line: String = line.chars().filter(|letter| !letter.is_control()).collect();
    line.replace("\\|", "|").trim_end_matches('\\').trim().replace('|', "\\|")
}

/// Free text that stays in its place: it holds no block, ends none, and hides nothing below it.
fn free_text(text: &str) -> String {
    const MOST: usize = 64;
    let text = text.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
    let escaped: Vec<String> = text.trim_matches('\n').split('\n').map(|line| escape(line.trim_end())).collect();
    let mut text = escaped.join("\n");
    for _ in 0..MOST {
        let document = Document::parse(text.as_str());
        let problem =
            document.problems().into_iter().find(|one| matches!(one.code, Code::FenceUnclosed | Code::HtmlUnclosed));
        match problem {
            None => return text,
            Some(problem) if problem.code == Code::FenceUnclosed => {
                let opening = text.get(problem.span.start..).unwrap_or_default().trim_start();
                let mark = opening.chars().next().filter(|mark| matches!(mark, '`' | '~')).unwrap_or('`');
                let count = opening.chars().take_while(|letter| *letter == mark).count().max(3);
                text.push_str(&format!("\n{}", String::from(mark).repeat(count)));
            }
            Some(problem) => {
                let lines = (1..).zip(text.split('\n')).map(|(number, line)| match number == problem.line {
                    true => format!("\\{}", line.trim_start()),
                    false => line.to_owned(),
                });
                text = lines.collect::<Vec<_>>().join("\n");
            }
        }
    }
    // What cannot be closed is quoted.
    text.split('\n').map(|line| format!("> {line}\n")).collect::<String>().trim_end().to_owned()
}

/// An entry of a list.
fn item(text: &str) -> String {
    let line = format!("- {text}\n");
    if lines::disturbs(line.trim_end()) { format!("- \\{text}\n") } else { line }
}

fn escape(line: &str) -> String {
    match lines::disturbs(line) {
        true => {
            let indent = line.len() - line.trim_start().len();
            format!("{}\\{}", &line[..indent], &line[indent..])
        }
        false => line.to_owned(),
    }
}
