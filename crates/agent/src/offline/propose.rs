//! The proposal: instructions drawn from the request and the user's wishes, and what becomes of earlier ones.
//!
//! Owns the rules by which two instructions conflict. Instructions keep the user's own words and language.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::brief::Facts;
use super::limits;
use super::request::{self, Format, Instruction};

pub(crate) fn propose(facts: &Facts<'_>) -> Value {
    let sources = facts.sources();
    let earlier: Vec<Instruction> = request::instructions(facts.context())
        .into_iter()
        .filter(|one| one.run_id != facts.run_id() || one.run_id.is_empty())
        .filter(|one| !one.instruction_id.is_empty())
        .collect();
    let request = facts.request();
    let wishes = facts.wishes();
    let mut own: Vec<String> = request::goals(&request);
    for wish in wishes.iter().flat_map(|wish| request::goals(wish)) {
        match own.iter().position(|one| conflict(one, &wish, &sources).is_some()) {
            Some(index) => own[index] = wish,
            None => own.push(wish),
        }
    }
    own.truncate(limits::INSTRUCTIONS);
    if own.is_empty() {
        own.push("Report what the files in assets/ say.".to_owned());
    }
    let asked = asked_formats(&request, &wishes, &sources);
    let standing: BTreeSet<Format> = earlier.iter().flat_map(|one| request::formats(&one.content, &sources)).collect();
    let formats: Vec<Format> = match (asked.is_empty(), standing.is_empty()) {
        (false, _) => asked.clone(),
        (true, false) => standing.into_iter().collect(),
        (true, true) => vec![Format::Markdown],
    };
    let is_said = own.iter().any(|one| request::formats(one, &sources) == formats);
    if !is_said {
        own.push(deliver(&formats));
    }
    own.push(use_sources(&sources));
    let language = request::language(&request);
    own.push(format!("Quote the sources in their own language; instructions stay in {}.", language.name()));
    settle(&own, &earlier, &sources, |instructions, superseded, kept| {
        json!({
            "introduction": introduction(facts, &formats, &request),
            "instructions": instructions,
            "superseded": superseded,
            "kept": kept,
            "formats": formats.iter().map(|format| format.ending()).collect::<Vec<_>>(),
        })
    })
}

/// The forms of the last wish that names any, else of the request.
fn asked_formats(request: &str, wishes: &[String], sources: &[String]) -> Vec<Format> {
    wishes
        .iter()
        .rev()
        .map(|wish| request::formats(wish, sources))
        .find(|formats| !formats.is_empty())
        .unwrap_or_else(|| request::formats(request, sources))
}

fn deliver(formats: &[Format]) -> String {
    let names: Vec<String> = formats.iter().map(|format| format!("{} (.{})", format.name(), format.ending())).collect();
    format!("Deliver as {}.", names.join(" and "))
}

fn use_sources(sources: &[String]) -> String {
    const SHOWN: usize = 12;
    let rule = "cite file and line for every statement";
    match sources.len() {
        0 => format!("Use the files in assets/ only; {rule}."),
        count if count <= SHOWN => format!("Use these sources only: {}; {rule}.", sources.join(", ")),
        count => {
            let shown = sources[..SHOWN].join(", ");
            format!("Use these sources only: {shown} and {} more files of assets/; {rule}.", count - SHOWN)
        }
    }
}

fn introduction(facts: &Facts<'_>, formats: &[Format], request: &str) -> String {
    let mut text = "This proposal was made by extraction, without a model: its instructions are the sentences of your request, \
         the forms it names, and the sources that are there. The work will be done in the same way: sentences, figures, dates, \
         tables and contradictions are taken from the sources as they stand; nothing is concluded."
        .to_owned();
    if facts.sources().is_empty() {
        text.push_str(" No source is known yet; with nothing in assets/ there is nothing but the request to report.");
    }
    let beyond = request::beyond(request);
    if !beyond.is_empty() {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        text.push_str(&format!(
            " The request names a form that cannot be written without other tools ({}); it will be {} instead.",
            beyond.join(", "),
            names.join(" and ")
        ));
    }
    text
}

/// Decides what becomes of each earlier instruction, and drops new ones that already stand word for word.
fn settle(
    own: &[String],
    earlier: &[Instruction],
    sources: &[String],
    make: impl FnOnce(Vec<String>, Vec<Value>, Vec<Value>) -> Value,
) -> Value {
    let stands = |text: &String| earlier.iter().any(|one| plain(&one.content) == plain(text));
    let mut instructions: Vec<String> = own.iter().filter(|one| !stands(one)).cloned().collect();
    if instructions.is_empty() {
        // A constitution must say something of its own, even if it says the same again.
        instructions.extend(own.first().cloned());
    }
    let mut superseded = Vec::new();
    let mut kept = Vec::new();
    for one in earlier {
        let found = instructions.iter().enumerate().find_map(|(index, new)| {
            let same = plain(new) == plain(&one.content);
            let reason =
                if same { Some("said again by this request".to_owned()) } else { conflict(&one.content, new, sources) };
            reason.map(|reason| (index, reason))
        });
        match found {
            Some((index, reason)) => superseded.push(json!({
                "instruction_id": one.instruction_id,
                "by": index + 1,
                "justification": format!("the newer request decides: {reason}"),
            })),
            None => kept.push(json!({
                "instruction_id": one.instruction_id,
                "justification": "nothing in the new request speaks against it",
            })),
        }
    }
    make(instructions, superseded, kept)
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_lowercase()
}

/// Why two instructions cannot both stand: about the same, with other forms, numbers or sources.
fn conflict(old: &str, new: &str, sources: &[String]) -> Option<String> {
    const SOURCES: &str = "Use these sources only:";
    if old.starts_with(SOURCES) && new.starts_with(SOURCES) && old != new {
        return Some("other sources".to_owned());
    }
    let (old_subject, new_subject) = (request::subject(old), request::subject(new));
    let shared: Vec<&String> = old_subject.intersection(&new_subject).collect();
    let smaller = old_subject.len().min(new_subject.len());
    let both_only_forms = old_subject.len() <= 1 && new_subject.len() <= 1 && shared.len() == smaller;
    if !both_only_forms && (shared.len() * 2 < smaller || shared.is_empty() || shared.len() < 2.min(smaller)) {
        return None;
    }
    let names = |formats: &[Format]| formats.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
    let (old_forms, new_forms) = (request::formats(old, sources), request::formats(new, sources));
    if !old_forms.is_empty() && !new_forms.is_empty() && old_forms != new_forms {
        return Some(format!("other forms ({} before, {} now)", names(&old_forms), names(&new_forms)));
    }
    let (old_numbers, new_numbers) = (numbers(old), numbers(new));
    if !both_only_forms && !old_numbers.is_empty() && !new_numbers.is_empty() && old_numbers != new_numbers {
        let list = |numbers: &BTreeSet<String>| numbers.iter().cloned().collect::<Vec<_>>().join(", ");
        return Some(format!("other numbers ({} before, {} now)", list(&old_numbers), list(&new_numbers)));
    }
    None
}

fn numbers(text: &str) -> BTreeSet<String> {
    super::dates::plain_digits(text)
        .split(|c| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_conflict_when_the_subject_is_one_and_the_demand_another() {
        for (old, new, expected) in [
            ("Deliver as Markdown (.md).", "Deliver as HTML (.html).", Some("other forms (Markdown before, HTML now)")),
            ("Compare the sales of 2022", "Compare the sales of 2023", Some("other numbers (2022 before, 2023 now)")),
            ("Compare the sales of 2022", "List the staff of 2023", None),
            ("Compare the sales of 2022", "Compare the sales of 2022", None),
            ("Summary in 3 pages", "Summary in 5 pages", None),
            ("Sales summary with 3 tables", "Sales summary with 5 tables", Some("other numbers (3 before, 5 now)")),
        ] {
            assert_eq!(conflict(old, new, &[]).as_deref(), expected, "{old} / {new}");
        }
    }
}
