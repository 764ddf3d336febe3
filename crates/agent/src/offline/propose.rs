//! The proposal: instructions drawn from the request and the user's wishes, and what becomes of earlier ones.
//!
//! Owns what a draft says and which earlier instructions it looks at. Instructions keep the user's own words and
//! language; whether two of them conflict is decided elsewhere.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::brief::Facts;
use super::conflicts::{Conflict, Fate, conflict};
use super::limits;
use super::past::{PastRun, past_runs};
use super::request::{self, Format, Instruction};
use super::wanted::{self, Wanted};
use super::words::Language;

pub(crate) fn propose(facts: &Facts<'_>) -> Value {
    let sources = facts.sources();
    let past = past_runs(facts.context());
    let earlier = earlier(facts, &past);
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
    let asked = own.clone();
    let formats = formats(&own, &asked_formats(&request, &wishes, &sources), &earlier, &sources);
    let is_said = own.iter().any(|one| request::formats(one, &sources) == formats);
    if !is_said {
        own.push(deliver(&formats));
    }
    let language = request::language(&request);
    let wanted = Wanted::of(&asked, &sources, language);
    let read: Vec<String> = sources.iter().filter(|path| wanted.reads(path)).cloned().collect();
    own.push(use_sources(&read));
    own.push(format!("Quote the sources in their own language; instructions stay in {}.", language.name()));
    let settled = settle(&own, &earlier, &sources);
    let mut introduction = introduction(facts, &formats, &request);
    introduction.push_str(&plan_in_words(&wanted, &earlier_scope(&settled, &earlier, &sources)));
    introduction.push_str(&past_in_words(&past));
    introduction.push_str(&standing_in_words(settled.unnamed));
    json!({
        "introduction": introduction,
        "instructions": settled.instructions,
        "superseded": settled.superseded,
        "kept": settled.kept,
        "formats": formats.iter().map(|format| format.ending()).collect::<Vec<_>>(),
    })
}

/// The ACTIVE instructions of other runs: those that are told, and those of past runs that are older than these.
fn earlier(facts: &Facts<'_>, past: &[PastRun]) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    let of_past = past.iter().flat_map(|one| one.instructions.iter().cloned());
    for one in request::instructions(facts.context()).into_iter().chain(of_past) {
        let is_other = one.run_id != facts.run_id() || one.run_id.is_empty();
        if is_other
            && !one.instruction_id.is_empty()
            && found.iter().all(|there| there.instruction_id != one.instruction_id)
        {
            found.push(one);
        }
    }
    found
}

/// The forms to deliver: those asked for, with those of earlier instructions that stay in spite of them; else those
/// that stand; else Markdown.
fn formats(own: &[String], asked: &[Format], earlier: &[Instruction], sources: &[String]) -> Vec<Format> {
    let is_kept = |old: &&Instruction| {
        own.iter().filter_map(|new| conflict(&old.content, new, sources)).any(|found| found.fate == Fate::Kept)
    };
    let of = |old: &Instruction| request::formats(&old.content, sources);
    let mut formats: BTreeSet<Format> = asked.iter().copied().collect();
    match formats.is_empty() {
        true => formats.extend(earlier.iter().flat_map(of)),
        false => formats.extend(earlier.iter().filter(is_kept).flat_map(of)),
    }
    if formats.is_empty() {
        formats.insert(Format::Markdown);
    }
    formats.into_iter().collect()
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

/// What was understood of the request, and what cannot be done with it, in words.
fn plan_in_words(wanted: &Wanted, before: &[String]) -> String {
    let mut text = match wanted.understood().as_slice() {
        [] => " What I understood: the subject of the request, with no limit and no wish as to length or language."
            .to_owned(),
        understood => format!(" What I understood: {}.", understood.join("; ")),
    };
    if wanted.is_scoped() {
        text.push_str(" What is limited or left out is obeyed sentence by sentence and row by row in every phase.");
    }
    if !before.is_empty() {
        text.push_str(&format!(" Still in force from earlier runs: {}.", before.join("; ")));
    }
    let beyond = wanted.beyond();
    if !beyond.is_empty() {
        text.push_str(&format!(" What I cannot do without a model: {}.", beyond.join("; ")));
    }
    if !wanted.unread.is_empty() {
        let list: Vec<String> = wanted.unread.iter().map(|one| format!("“{one}”")).collect();
        text.push_str(&format!(
            " No rule of mine reads {}; the words only weigh in the order of what is found.",
            list.join(" ")
        ));
    }
    text
}

/// What earlier instructions that stay still limit or leave out.
fn earlier_scope(settled: &Settled, earlier: &[Instruction], sources: &[String]) -> Vec<String> {
    let is_gone =
        |one: &Instruction| settled.superseded.iter().any(|row| row["instruction_id"] == one.instruction_id.as_str());
    let texts: Vec<String> = earlier.iter().filter(|one| !is_gone(one)).map(|one| one.content.clone()).collect();
    let mut scope = Wanted::default();
    for text in texts.iter().filter(|text| !wanted::is_own_rule(text)) {
        let one = Wanted::of(std::slice::from_ref(text), sources, Language::English);
        scope.only.extend(one.only);
        scope.without.extend(one.without);
        scope.without_parts.extend(one.without_parts);
    }
    scope.language = None;
    scope.understood()
}

/// The past runs that this one can learn from, in words.
fn past_in_words(past: &[PastRun]) -> String {
    if past.is_empty() {
        return String::new();
    }
    let told: Vec<String> = past
        .iter()
        .map(|one| {
            let what = match (one.best_file(), one.status.as_str()) {
                (_, "FAILED") if one.failure.is_empty() => "it failed".to_owned(),
                (_, "FAILED") => format!("it failed: {}", one.failure),
                (Some(path), _) => format!("{path} will be read again and cited"),
                (None, _) => "it left nothing that can be read again".to_owned(),
            };
            // Cut, not rounded, as the list of past runs in the proposal has it.
            let score = (one.score * 100.0 + 1e-6).floor() / 100.0;
            format!("{} (score {score:.2}; {what})", one.run_id)
        })
        .collect();
    let runs = if past.len() == 1 { "1 past run is" } else { &format!("{} past runs are", past.len()) };
    format!(" {runs} like this one: {}.", told.join("; "))
}

fn standing_in_words(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " 1 more earlier instruction stands: nothing in the new request speaks against it.".to_owned(),
        count => format!(" {count} more earlier instructions stand: nothing in the new request speaks against them."),
    }
}

/// What is new, and what becomes of what was before.
struct Settled {
    instructions: Vec<String>,
    superseded: Vec<Value>,
    kept: Vec<Value>,
    /// How many stay that are not named.
    unnamed: usize,
}

/// Decides what becomes of each earlier instruction, and drops new ones that already stand word for word.
fn settle(own: &[String], earlier: &[Instruction], sources: &[String]) -> Settled {
    let stands = |text: &String| earlier.iter().any(|one| plain(&one.content) == plain(text));
    let mut instructions: Vec<String> = own.iter().filter(|one| !stands(one)).cloned().collect();
    if instructions.is_empty() {
        // A constitution must say something of its own, even if it says the same again.
        instructions.extend(own.first().cloned());
    }
    let (mut superseded, mut kept, mut standing) = (Vec::new(), Vec::new(), Vec::new());
    let row = |one: &Instruction, why: String| json!({"instruction_id": one.instruction_id, "justification": why});
    for one in earlier {
        let found = instructions.iter().enumerate().find_map(|(index, new)| {
            let same = Conflict { reason: "said again by this request".to_owned(), fate: Fate::Superseded };
            let is_same = plain(new) == plain(&one.content);
            let found = if is_same { Some(same) } else { conflict(&one.content, new, sources) };
            found.map(|found| (index, found))
        });
        match found {
            Some((index, Conflict { reason, fate: Fate::Superseded })) => {
                let mut row = row(one, format!("the newer request decides: {reason}"));
                row["by"] = json!(index + 1);
                superseded.push(row);
            }
            Some((index, Conflict { reason, fate: Fate::Kept })) => {
                kept.push(row(one, format!("in conflict with number {}: {reason}", index + 1)));
            }
            None => standing.push(row(one, "nothing in the new request speaks against it".to_owned())),
        }
    }
    // The newest of those that nobody questions are named, the others counted.
    let unnamed = standing.len().saturating_sub(limits::STANDING);
    kept.extend(standing.split_off(unnamed));
    Settled { instructions, superseded, kept, unnamed }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_lowercase()
}
