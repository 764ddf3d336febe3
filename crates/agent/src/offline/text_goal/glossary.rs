//! A glossary that covers all terms. A term is what a source marks in bold; its entry is the sentence that says what it
//! is, with the place it was found at. Must not make up a meaning.

use std::collections::BTreeMap;

use super::goal::is_source;
use super::texts::{bold, heading, lines, sentence_at};
use super::{Files, Gap, Measure};

/// A term, and where it was found first.
struct Found {
    path: String,
    line: usize,
    spelled: String,
    /// The sentence that says what it is, if there is one.
    meaning: Option<String>,
}

pub(super) fn find(glossary: &str, sources: &[String], files: &Files) -> Measure {
    let entries: Vec<String> = files.get(glossary).map(|text| entries(text)).unwrap_or_default();
    let mut terms: BTreeMap<String, Found> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| *path != glossary && is_source(path, sources)) {
        for line in lines(text).iter().filter(|line| heading(line.text).is_none()) {
            for term in bold(line.text) {
                let meaning = meaning(line.text, term);
                let found = terms.entry(key(term)).or_insert_with(|| Found {
                    path: path.clone(),
                    line: line.number,
                    spelled: term.to_owned(),
                    meaning: None,
                });
                // A later line may say what an earlier one only uses.
                if found.meaning.is_none() && meaning.is_some() {
                    (found.meaning, found.path, found.line) = (meaning, path.clone(), line.number);
                }
            }
        }
    }
    let subjects = terms.len();
    let missing = terms.into_iter().filter(|(key, _)| !entries.contains(key));
    let gaps = missing.map(|(_, found)| Gap {
        reason: match found.meaning {
            Some(_) => format!("`{}` has no entry in {glossary}", found.spelled),
            None => format!("`{}` has no entry in {glossary}, and no sentence says what it is", found.spelled),
        },
        mend: found.meaning.map(|meaning| format!("{meaning} ({}:{})", found.path, found.line)),
        path: found.path,
        line: found.line,
        subject: found.spelled,
    });
    let mut gaps: Vec<Gap> = gaps.collect();
    gaps.sort_by(|one, other| (&one.path, one.line, &one.subject).cmp(&(&other.path, other.line, &other.subject)));
    Measure { subjects, gaps }
}

/// Adds entries: rows of the glossary's table if it has one, else a list, in the order of the alphabet where it is in it.
pub(super) fn mend(glossary: &str, files: &Files, gaps: &[Gap]) -> Files {
    let mut files = files.clone();
    if gaps.is_empty() {
        return files;
    }
    let mut text = files.get(glossary).cloned().unwrap_or_else(|| "# Glossary\n\n".to_owned());
    if !text.ends_with('\n') && !text.is_empty() {
        text.push('\n');
    }
    for gap in gaps {
        text = with_entry(&text, &gap.subject, gap.mend.as_deref().unwrap_or_default());
    }
    files.insert(glossary.to_owned(), text);
    files
}

/// Terms are the same in any case, and in one or many.
fn key(term: &str) -> String {
    let lower = term.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let joined = words.join(" ");
    match joined.strip_suffix('s') {
        Some(one) if one.len() > 2 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
        _ => joined,
    }
}

/// The terms that a glossary has: first cells of rows, headings, entries of lists, terms in bold at the start of a line.
fn entries(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines(text) {
        let bare = line.text.trim();
        let term = if let Some(cells) = bare.strip_prefix('|') {
            cells.split('|').next().unwrap_or_default()
        } else if let Some((_, title, _)) = heading(line.text) {
            title
        } else {
            let item = bare.trim_start_matches(['-', '*', '+']).trim_start();
            let item =
                item.split_once("**").filter(|(front, _)| front.trim().is_empty()).map_or(item, |(_, after)| after);
            let end = ["**", ":", " – ", " — ", " - "].iter().filter_map(|mark| item.find(mark)).min();
            end.map_or("", |end| &item[..end])
        };
        let plain = term.trim().trim_matches(['*', '`', '_']);
        // One row of a glossary may have several words for one thing.
        found.extend(plain.split(',').map(str::trim).filter(|term| !term.is_empty()).map(key));
    }
    found
}

/// The sentence that says what a term is: `**Term** is …`, `**Term**: …`, `**Term** means …`.
fn meaning(line: &str, term: &str) -> Option<String> {
    let marked = format!("**{term}**");
    let at = line.find(&marked)?;
    let after = line[at + marked.len()..].trim_start();
    let verbs = ["is ", "are ", "means ", "stands for ", "was ", "names ", "describes "];
    let is_said = verbs.iter().any(|verb| after.starts_with(verb));
    let said = match after.strip_prefix([':', '–', '—']) {
        Some(rest) => sentence_at(rest.trim(), 0).to_owned(),
        None if is_said => {
            let sentence = sentence_at(line, at);
            let behind = sentence.split_once(&marked).map_or(sentence, |(_, behind)| behind.trim());
            let behind = verbs.iter().find_map(|verb| behind.strip_prefix(verb)).unwrap_or(behind);
            behind.to_owned()
        }
        None => return None,
    };
    let said = said.trim().trim_end_matches('.').replace("**", "").replace('|', "\\|");
    (said.split_whitespace().count() >= 2).then_some(said)
}

fn with_entry(text: &str, term: &str, meaning: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |line: &&str| line.trim_start().starts_with('|');
    let delimiter = lines.iter().position(|line| {
        is_row(line) && line.contains('-') && line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '))
    });
    let is_item = |line: &&str| line.trim_start().starts_with("- **");
    let (entry, first) = match delimiter {
        Some(at) => {
            let columns = lines[at].trim().trim_matches('|').split('|').count();
            let more = " |".repeat(columns.saturating_sub(2));
            (format!("| {term} | {meaning} |{more}"), at + 1)
        }
        None => (format!("- **{term}**: {meaning}"), lines.iter().position(is_item).unwrap_or(lines.len())),
    };
    let of_kind = |line: &&str| if delimiter.is_some() { is_row(line) } else { is_item(line) };
    let own: Vec<&str> = lines[first.min(lines.len())..].iter().take_while(|line| of_kind(line)).copied().collect();
    let term_of = |line: &str| {
        key(line.trim_start_matches(['|', '-', ' ', '*']).split(['|', '*']).next().unwrap_or_default().trim())
    };
    let terms: Vec<String> = own.iter().map(|line| term_of(line)).collect();
    let is_sorted = terms.windows(2).all(|pair| pair[0] <= pair[1]);
    let within = match is_sorted {
        true => terms.iter().position(|other| *other > key(term)).unwrap_or(own.len()),
        false => own.len(),
    };
    let at = (first + within).min(lines.len());
    let mut all: Vec<&str> = lines[..at].to_vec();
    all.push(&entry);
    all.extend(&lines[at..]);
    all.join("\n") + "\n"
}
