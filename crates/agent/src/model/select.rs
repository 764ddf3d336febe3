//! Owns which of a brief's files a model reads, and how much of each (MV-31): by relevance, up to a limit of tokens, large
//! ones in excerpts with the numbers of their lines. Must not know models, nor open what the brief does not name.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use serde_json::{Value, json};

use super::tokens::{is_wide, tokens_in};
use crate::backend::Job;
use crate::check::path_problem;
use crate::contract::BriefFile;
use crate::guidance::guide;

/// The most of one file that is read.
const FILE_BYTES: u64 = 4 << 20;
/// The most files that are looked at.
const FILES: usize = 500;
/// About how many tokens a piece of a file has that is chosen or left as a whole.
const PIECE_TOKENS: u64 = 120;
/// An excerpt with less room than this says nothing.
const LEAST_TOKENS: u64 = 60;
/// What a heading around a file takes.
const HEADING_TOKENS: u64 = 24;
/// Reasons whose files the prompt tells already.
const TOLD: [&str; 2] = ["ACTIVE instructions", "catalog"];

/// What a model is given to read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selection {
    /// The files as they stand in the message; empty if there are none.
    pub(super) text: String,
    /// What was given in full, in part and not at all.
    pub(super) record: Value,
}

struct File<'a> {
    of: &'a BriefFile,
    text: String,
    tokens: u64,
    score: f64,
}

/// How a file is shown.
enum Shown {
    Whole,
    /// These lines, from 0, end excluded.
    Part(Vec<(usize, usize)>),
    Not(&'static str),
}

/// Chooses among the files of a brief. `wanted` is what the work is about.
pub(super) fn select(job: &Job, wanted: &str, limit: u64) -> Selection {
    let mut records = Vec::new();
    let mut files: Vec<File<'_>> = Vec::new();
    for of in job.brief.files.iter().take(FILES) {
        let left_out = |how: &str| json!({"path": of.path, "why": of.why, "how": how});
        if TOLD.contains(&of.why.as_str()) || guide(of).is_some() {
            records.push(left_out("told in the prompt"));
            continue;
        }
        match read(job, &of.path) {
            Ok(text) => files.push(File { of, tokens: tokens_in(&text), text, score: 0.0 }),
            Err(why) => records.push(left_out(&format!("left out: {why}"))),
        }
    }
    let texts: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
    let scores = scores(wanted, &texts);
    for (file, score) in files.iter_mut().zip(scores) {
        // What a task is to work on goes before what it is to keep to, and that before the rest.
        let first = if file.of.why.starts_with("input") || file.of.why.starts_with("output") { 2.0 } else { 0.0 };
        file.score = first + score;
    }
    files.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.of.path.cmp(&other.of.path)));
    let mut out = String::new();
    let mut left = limit;
    let count = files.len();
    for (place, file) in files.iter().enumerate() {
        let share = left / (count - place) as u64;
        let shown = choose(file, wanted, share, left);
        let (text, how) = show(file, &shown);
        let tokens = tokens_in(&text);
        left = left.saturating_sub(tokens);
        out.push_str(&text);
        let score = (file.score * 1000.0).round() / 1000.0;
        let lines = match &shown {
            Shown::Part(parts) => {
                let parts: Vec<String> = parts.iter().map(|(from, to)| format!("{}-{to}", from + 1)).collect();
                json!(parts.join(", "))
            }
            Shown::Whole | Shown::Not(_) => Value::Null,
        };
        let mut record =
            json!({"path": file.of.path, "why": file.of.why, "how": how, "tokens": tokens, "score": score});
        if !lines.is_null() {
            record["lines"] = lines;
        }
        records.push(record);
    }
    if job.brief.files.len() > FILES {
        records.push(json!({"how": format!("left out: {} files more", job.brief.files.len() - FILES)}));
    }
    Selection { text: out, record: json!({"context": {"limit_tokens": limit, "files": records}}) }
}

/// The text of a file, through its link in the workdir; it must lie in the project (QL-30).
pub(super) fn read(job: &Job, path: &str) -> Result<String, String> {
    if let Some(problem) = path_problem(path) {
        return Err(problem.into());
    }
    let real = job.workdir.join(path).canonicalize().map_err(|fault| fault.to_string())?;
    let inside = |folder: &Path| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if !inside(&job.project) && !inside(&job.workdir) {
        return Err("it leads out of the project".into());
    }
    let about = real.metadata().map_err(|fault| fault.to_string())?;
    if !about.is_file() {
        return Err("it is no ordinary file".into());
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&real).map_err(|fault| fault.to_string())?;
    opened.take(FILE_BYTES).read_to_end(&mut bytes).map_err(|fault| fault.to_string())?;
    if bytes.contains(&0) {
        return Err("it is not text".into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // A file that is longer than what is read may be cut in the middle of a character.
        Err(fault) if fault.utf8_error().error_len().is_none() => {
            Ok(String::from_utf8_lossy(fault.as_bytes()).into_owned())
        }
        Err(_) => Err("it is not UTF-8".into()),
    }
}

fn choose(file: &File<'_>, wanted: &str, share: u64, left: u64) -> Shown {
    if file.text.trim().is_empty() {
        return Shown::Not("it is empty");
    }
    if file.tokens + HEADING_TOKENS <= share {
        return Shown::Whole;
    }
    // A file that is a little larger than its share takes from the others rather than being torn.
    if file.tokens + HEADING_TOKENS <= left && file.tokens <= share + share / 4 {
        return Shown::Whole;
    }
    let Some(room) = share.checked_sub(HEADING_TOKENS).filter(|room| *room >= LEAST_TOKENS) else {
        return Shown::Not("no room is left");
    };
    let parts = excerpt(&file.text, wanted, room);
    if parts.is_empty() { Shown::Not("no room is left") } else { Shown::Part(parts) }
}

/// The lines that say most about what is wanted; the beginning is always among them.
fn excerpt(text: &str, wanted: &str, room: u64) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut pieces: Vec<(usize, usize, u64)> = Vec::new();
    let (mut from, mut tokens) = (0, 0);
    for (number, line) in lines.iter().enumerate() {
        // The number before the line takes room as well.
        tokens += tokens_in(line) + 3;
        if tokens >= PIECE_TOKENS || number + 1 == lines.len() {
            pieces.push((from, number + 1, tokens));
            (from, tokens) = (number + 1, 0);
        }
    }
    let texts: Vec<String> = pieces.iter().map(|(from, to, _)| lines[*from..*to].join("\n")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let scores = scores(wanted, &texts);
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|one, other| {
        let key = |place: usize| if place == 0 { f64::MAX } else { scores[place] };
        key(*other).total_cmp(&key(*one)).then(one.cmp(other))
    });
    let mut left = room;
    let mut chosen: Vec<(usize, usize)> = Vec::new();
    for place in order {
        let (from, to, tokens) = pieces[place];
        if tokens <= left {
            left -= tokens;
            chosen.push((from, to));
        }
    }
    chosen.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (from, to) in chosen {
        match joined.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn show(file: &File<'_>, shown: &Shown) -> (String, String) {
    let path = &file.of.path;
    let why = &file.of.why;
    match shown {
        Shown::Not(reason) => (String::new(), format!("left out: {reason}")),
        Shown::Whole => {
            let text = file.text.trim_end();
            (format!("\n=== {path} ({why}) ===\n{text}\n=== end of {path} ===\n"), "whole".into())
        }
        Shown::Part(parts) => {
            let lines: Vec<&str> = file.text.lines().collect();
            let count = lines.len();
            let mut out = format!("\n=== {path} ({why}; parts of its {count} lines) ===\n");
            for (number, (from, to)) in parts.iter().enumerate() {
                if number > 0 || *from > 0 {
                    out.push_str("…\n");
                }
                for (at, line) in lines.iter().enumerate().take(*to).skip(*from) {
                    out.push_str(&format!("{}: {line}\n", at + 1));
                }
            }
            if parts.last().is_some_and(|(_, to)| *to < count) {
                out.push_str("…\n");
            }
            out.push_str(&format!("=== end of {path} ===\n"));
            (out, "part".into())
        }
    }
}

/// How much each text says about what is wanted: BM25, from 0 to 1 among these texts.
#[allow(clippy::cast_precision_loss)]
fn scores(wanted: &str, texts: &[&str]) -> Vec<f64> {
    const SATURATION: f64 = 1.2;
    const LENGTH: f64 = 0.75;
    let mut words: Vec<String> = words_of(wanted);
    words.sort();
    words.dedup();
    let counted: Vec<(HashMap<String, f64>, f64)> = texts.iter().map(|text| count(text)).collect();
    let mean = counted.iter().map(|(_, length)| length).sum::<f64>() / counted.len().max(1) as f64;
    let mut scores = vec![0.0; texts.len()];
    for word in &words {
        let having = counted.iter().filter(|(counts, _)| counts.contains_key(word)).count() as f64;
        let rarity = (1.0 + (texts.len() as f64 - having + 0.5) / (having + 0.5)).ln();
        for ((counts, length), score) in counted.iter().zip(&mut scores) {
            let often = counts.get(word).copied().unwrap_or(0.0);
            let long = 1.0 - LENGTH + LENGTH * length / mean.max(1.0);
            *score += rarity * often * (SATURATION + 1.0) / (often + SATURATION * long);
        }
    }
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best > 0.0 { scores.iter().map(|score| score / best).collect() } else { scores }
}

#[allow(clippy::cast_precision_loss)]
fn count(text: &str) -> (HashMap<String, f64>, f64) {
    let words = words_of(text);
    let length = words.len() as f64;
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    (counts, length)
}

/// The words of a text in any script: runs of letters and digits; where words are not parted, every two characters.
fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for letter in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        if is_wide(letter) && letter.is_alphanumeric() {
            words.extend(before.map(|before| format!("{before}{letter}")));
            before = Some(letter);
        } else {
            before = None;
        }
        if letter.is_alphanumeric() && !is_wide(letter) {
            word.push(letter);
        } else if !word.is_empty() {
            // One letter says nothing.
            if word.chars().nth(1).is_some() { words.push(std::mem::take(&mut word)) } else { word.clear() }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Access, Brief};

    fn job(folder: &Path, files: &[(&str, &str, &str)]) -> Job {
        let mut brief = Brief::new("r", "multiverse", "executor", "execute");
        for (path, why, text) in files {
            let place = folder.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
            brief.files.push(BriefFile { path: (*path).into(), why: (*why).into(), access: Access::Read });
        }
        Job {
            brief,
            project: folder.into(),
            workdir: folder.into(),
            readable: Vec::new(),
            meter: crate::backend::Meter::default(),
        }
    }

    fn how(selection: &Selection, path: &str) -> String {
        let files = selection.record["context"]["files"].as_array().unwrap();
        files.iter().find(|file| file["path"] == path).unwrap()["how"].as_str().unwrap().into()
    }

    /// MV-31: inputs first, by relevance, in full as far as there is room; what was left out is on record.
    #[test]
    fn files_are_chosen_by_relevance_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let prices = "The price of wheat rose in May.\n";
        let long: String = (1..400).map(|n| format!("line {n} speaks of the weather at sea\n")).collect();
        let long = long.replace("line 300 speaks of the weather at sea", "line 300: the price of wheat fell to 7");
        let job = job(
            folder.path(),
            &[
                ("guidelines/style.md", "guideline", "Write short sentences.\n"),
                ("assets/weather.md", "input", &long),
                ("assets/wheat.md", "input", prices),
                ("db/user_instructions.md", "ACTIVE instructions", "| a |\n"),
                ("assets/picture.png", "input", "\u{0}\u{1}"),
            ],
        );
        let all = select(&job, "the price of wheat", 100_000);
        assert_eq!(how(&all, "assets/weather.md"), "whole");
        let some = select(&job, "the price of wheat", 600);
        assert_eq!(how(&some, "assets/wheat.md"), "whole");
        assert_eq!(how(&some, "assets/weather.md"), "part");
        assert_eq!(how(&some, "db/user_instructions.md"), "told in the prompt");
        assert_eq!(how(&some, "assets/picture.png"), "left out: it is not text");
        assert!(some.text.contains("300: line 300: the price of wheat fell to 7"), "{}", some.text);
        assert!(some.text.contains("1: line 1 speaks"), "the beginning is there");
        assert!(some.text.find("assets/wheat.md").unwrap() < some.text.find("assets/weather.md").unwrap());
        assert!(tokens_in(&some.text) <= 600);
        let none = select(&job, "the price of wheat", 30);
        assert_eq!(none.text, "");
        assert_eq!(how(&none, "assets/weather.md"), "left out: no room is left");
    }

    /// Scripts without blanks are compared, too.
    #[test]
    fn words_are_found_in_any_script() {
        let scores = scores("小麦の価格", &["今日は雨です", "小麦の価格は上がった", "ordinary text"]);
        assert!(scores[1] > scores[0] && scores[1] > scores[2], "{scores:?}");
        assert_eq!(words_of("Ein Öl-Preis, 가격표 5!"), ["ein", "öl", "preis", "가격", "격표"]);
    }

    /// QL-30: a link that leads out of the project is not read.
    #[test]
    fn no_link_leads_out() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("secret"), "sesame").unwrap();
        let job = job(folder.path(), &[("a.md", "input", "open")]);
        std::fs::remove_file(folder.path().join("a.md")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("a.md")).unwrap();
        let selection = select(&job, "open", 1000);
        assert_eq!(how(&selection, "a.md"), "left out: it leads out of the project");
    }
}
