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
use super::tongue;
use super::wanted::{self, Wanted};
use super::words::Language;

pub(crate) fn propose(facts: &Facts<'_>) -> Value {
    let sources = facts.sources();
    let past = past_runs(facts.context());
    let earlier = earlier(facts, &past);
    let request = facts.request();
    let wishes = facts.wishes();
    let language = request::language(&request);
    let mut own: Vec<String> = request::goals(&request);
    for wish in wishes.iter().flat_map(|wish| request::goals(wish)) {
        match own.iter().position(|one| conflict(one, &wish, &sources).is_some()) {
            Some(index) => own[index] = wish,
            None => own.push(wish),
        }
    }
    // What is said twice binds once.
    let mut said = BTreeSet::new();
    own.retain(|one| said.insert(plain(one)));
    own.truncate(limits::INSTRUCTIONS);
    if own.is_empty() {
        own.push(tongue::say(language, "Report what the files in assets/ say."));
    }
    let asked = own.clone();
    let formats = formats(&own, &asked_formats(&request, &wishes, &sources), &earlier, &sources);
    let is_said = own.iter().any(|one| request::formats(one, &sources) == formats);
    if !is_said {
        own.push(tongue::say(language, &deliver(&formats)));
    }
    let wanted = Wanted::of(&asked, &sources, language);
    let read: Vec<String> = sources.iter().filter(|path| wanted.reads(path)).cloned().collect();
    own.push(tongue::say(language, &use_sources(&read)));
    let quote = format!("Quote the sources in their own language; instructions stay in {}.", language.name());
    own.push(tongue::say(language, &quote));
    let settled = settle(&own, &earlier, &sources, language);
    let mut told = plan_in_words(&wanted, &earlier_scope(&settled, &earlier, &sources));
    told.extend(past_in_words(&past));
    if settled.unnamed > 0 {
        told.push(format!(
            "More earlier instructions stand, because nothing in the new request speaks against them: {}.",
            settled.unnamed
        ));
    }
    told.extend(how(facts, &formats, &request));
    let told: Vec<String> = told.iter().map(|one| tongue::say(language, one)).collect();
    json!({
        "introduction": told.join("\n"),
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

/// The forms to deliver: those asked for, with those of earlier instructions that stay (MV-37); else those that stand; else
/// Markdown.
fn formats(own: &[String], asked: &[Format], earlier: &[Instruction], sources: &[String]) -> Vec<Format> {
    let is_kept = |old: &&Instruction| {
        !own.iter().filter_map(|new| conflict(&old.content, new, sources)).any(|found| found.fate == Fate::Superseded)
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
    format!("Deliver as {}.", names.join(", "))
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

/// How the work will be done, and what of the request that leaves undone.
fn how(facts: &Facts<'_>, formats: &[Format], request: &str) -> Vec<String> {
    let mut told = Vec::new();
    if facts.sources().is_empty() {
        told.push(
            "No source is known yet: with nothing in assets/ there is nothing but the request to report.".to_owned(),
        );
    }
    let beyond = request::beyond(request);
    if !beyond.is_empty() {
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        told.push(format!(
            "The request names a form that cannot be written without other tools ({}); it will be {} instead.",
            beyond.join(", "),
            names.join(" and ")
        ));
    }
    told.push(
        "By extraction, without a model: sentences, figures, dates, tables and contradictions are quoted from the sources as \
         they stand; nothing is concluded."
            .to_owned(),
    );
    told
}

/// What was understood of the request, and what cannot be done with it, a line each: first what needs a person's eye.
fn plan_in_words(wanted: &Wanted, before: &[String]) -> Vec<String> {
    let mut told = Vec::new();
    let beyond = wanted.beyond();
    if !beyond.is_empty() {
        told.push(format!("Not possible without a model: {}.", beyond.join("; ")));
    }
    if !wanted.unread.is_empty() {
        let mut list: Vec<String> = Vec::new();
        for one in wanted.unread.iter().map(|one| format!("“{one}”")) {
            if !list.contains(&one) {
                list.push(one);
            }
        }
        let more = list.len().saturating_sub(limits::UNREAD);
        list.truncate(limits::UNREAD);
        let rest = if more > 0 { format!(" … + {more}") } else { String::new() };
        told.push(format!(
            "No rule reads these sentences; their words only weigh in the order: {}{rest}",
            list.join(" ")
        ));
    }
    told.push(match wanted.understood().as_slice() {
        [] => "Understood: the subject of the request, with no limit and no wish as to length or language.".to_owned(),
        understood => format!("Understood: {}.", understood.join("; ")),
    });
    if wanted.is_scoped() {
        told.push(
            "What is limited or left out is obeyed sentence by sentence and row by row in every phase.".to_owned(),
        );
    }
    if !before.is_empty() {
        told.push(format!("Still in force from earlier runs: {}.", before.join("; ")));
    }
    told
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
fn past_in_words(past: &[PastRun]) -> Option<String> {
    let told: Vec<String> = past
        .iter()
        .map(|one| {
            // Cut, not rounded, as the list of past runs in the proposal has it.
            let score = (one.score * 100.0 + 1e-6).floor() / 100.0;
            let run = format!("{} (score {score:.2})", one.run_id);
            match (one.best_file(), one.status.as_str()) {
                (_, "FAILED") if one.failure.is_empty() => format!("{run} failed"),
                (_, "FAILED") => format!("{run} failed: {}", one.failure),
                (Some(path), _) => format!("{run}: {path} will be read again and cited"),
                (None, _) => format!("{run} left nothing that can be read again"),
            }
        })
        .collect();
    (!told.is_empty()).then(|| format!("Past runs like this one: {}.", told.join("; ")))
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
fn settle(own: &[String], earlier: &[Instruction], sources: &[String], language: Language) -> Settled {
    let stands = |text: &String| earlier.iter().any(|one| plain(&one.content) == plain(text));
    let mut instructions: Vec<String> = own.iter().filter(|one| !stands(one)).cloned().collect();
    if instructions.is_empty() {
        // A constitution must say something of its own, even if it says the same again.
        instructions.extend(own.first().cloned());
    }
    let (mut superseded, mut kept, mut standing) = (Vec::new(), Vec::new(), Vec::new());
    let row = |one: &Instruction, why: &str| json!({"instruction_id": one.instruction_id, "justification": tongue::say(language, why)});
    // The rules that this agent adds itself stand unless something speaks against them: they are counted, not named.
    let mut unnamed = 0;
    for one in earlier {
        let found = instructions.iter().enumerate().find_map(|(index, new)| {
            let same = Conflict { reason: "said again by this request".to_owned(), fate: Fate::Superseded };
            let is_same = plain(new) == plain(&one.content);
            let found = if is_same { Some(same) } else { conflict(&one.content, new, sources) };
            found.map(|found| (index, found))
        });
        match found {
            Some((index, Conflict { reason, fate: Fate::Superseded })) => {
                let mut row = row(one, &format!("the newer request decides: {reason}"));
                row["by"] = json!(index + 1);
                superseded.push(row);
            }
            Some((index, Conflict { reason, fate: Fate::Kept })) => {
                kept.push(row(one, &format!("in conflict with number {}: {reason}", index + 1)));
            }
            None if wanted::is_own_rule(&one.content) => unnamed += 1,
            None => standing.push(row(one, "nothing in the new request speaks against it")),
        }
    }
    // The newest of those that nobody questions are named, the others counted.
    let older = standing.len().saturating_sub(limits::STANDING);
    kept.extend(standing.split_off(older));
    unnamed += older;
    Settled { instructions, superseded, kept, unnamed }
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_lowercase()
}
