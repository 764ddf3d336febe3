//! What sources say of a subject, sentence by sentence, each with its file and line. Must not write files.

use super::super::analysis;
use super::super::evidence::Material;
use super::super::limits;
use super::super::paper::{Cite, MARK, Statement};
use super::super::rank::{Candidate, rank};
use super::super::request;

/// What becomes of sentences that have no word of the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// Where none has one, there is nothing to say.
    Nothing,
    /// The sources were named for it: what they say the most of is said.
    TheBest,
}

/// The sentences that fit best; an error if there are none.
pub(super) fn statements(material: &Material, about: &str, otherwise: Otherwise) -> Result<Vec<Statement>, String> {
    let words = request::subject(about);
    let mut found: Vec<Statement> = Vec::new();
    for document in &material.documents {
        let all = analysis::all_sentences(document);
        let kept = (0..all.len()).filter(|index| analysis::says_something(&all[*index].sentence.text));
        found.extend(kept.map(|index| analysis::statement(document, &all, index)));
    }
    // The first line of an earlier extract speaks of itself.
    found.retain(|one| !one.text.starts_with(MARK));
    let fits = |one: &&Statement| words.is_empty() || request::subject(&one.text).intersection(&words).next().is_some();
    let mut fitting: Vec<&Statement> = found.iter().filter(fits).collect();
    if fitting.is_empty() && otherwise == Otherwise::TheBest {
        fitting = found.iter().collect();
    }
    let candidates: Vec<Candidate<'_>> = fitting
        .iter()
        .map(|one| Candidate { text: &one.text, source: one.cites.first().map_or("", |cite| &cite.path), position: 0 })
        .collect();
    let mut ranked = rank(&candidates, &words, limits::ANSWER);
    if ranked.is_empty() {
        return Err(match (found.is_empty(), material.documents.len()) {
            (true, 0) => "none of the files could be read".to_string(),
            (true, _) => "the files have no sentence that says something".to_string(),
            (false, _) => format!("nothing in the files speaks of `{about}`"),
        });
    }
    // In the order in which they stand, which is how they are read.
    ranked.sort_by_key(|one| one.index);
    Ok(ranked.iter().map(|one| fitting[one.index].clone()).collect())
}

/// Statements as a list, each with its sources.
pub(super) fn written(statements: &[Statement]) -> String {
    let mut text = format!("{MARK}.\n\n");
    for one in statements {
        let cites: Vec<String> = one.cites.iter().map(Cite::shown).collect();
        text.push_str(&format!("- {} ({})\n", one.text, cites.join(", ")));
    }
    text
}

/// A title for a file: what it is about, else its name.
pub(super) fn title(about: &str, file: &str) -> String {
    let about = about.trim().trim_start_matches("the ").trim_start_matches("a ");
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['-', '_'], " ");
    let title = if about.is_empty() { stem.as_str() } else { about };
    let mut letters = title.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Notes".into(),
    }
}
