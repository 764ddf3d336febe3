//! Files found by words of any script and by fields, ranked. A score is a share of what an entry would have that says all
//! the words and little else. Must not know where entries come from.

use std::collections::HashSet;

use crate::entry::Entry;
use crate::index::Score;
use crate::library::Library;
use crate::place::{Match, best_place};
use crate::shelf::{Postings, Shelf, field};
use crate::terms::{folded, search_terms};

/// How fast further mentions of a word count less, and how much long rows count less.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.4;
/// What a word counts that only begins like one that was asked for.
const BEGINS: f64 = 0.5;
/// The shortest word whose beginning counts, in bytes.
const BEGINNING_BYTES: usize = 3;
/// What has less than this of the words is not found.
const LEAST: Score = Score(80);
/// Fields that are looked up as a whole.
const WHOLE: [&str; 5] = ["type", "run", "phase", "lineage", "task"];
/// Fields of which a part is enough.
const PARTS: [&str; 3] = ["path", "summary", "source"];

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Words of any script.
    pub words: Vec<String>,
    /// Fields that must have a value: `type`, `run`, `phase`, `lineage`, `task`; or have it in them: `path`, `summary`,
    /// `source`.
    pub fields: Vec<(String, String)>,
    /// How many at most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The best, best first.
    pub hits: Vec<Hit>,
    /// How many there are in all, as far as they were counted.
    pub total: usize,
}

/// A row that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The row.
    pub entry: Entry,
    /// The catalog that it stands in.
    pub document: String,
    /// Its line there, from 1.
    pub line: usize,
    /// How well it fits; 1 where only fields were asked for.
    pub score: Score,
    /// Where it fits.
    pub place: Option<Match>,
}

impl Query {
    /// Reads what a person typed: words, and `field:value` where that is a field; both may be in quotes.
    pub fn read(words: &[String], limit: usize) -> Self {
        let mut query = Self { limit, ..Self::default() };
        for word in words {
            match word.split_once(':') {
                Some((name, value)) if !value.is_empty() && Self::is_field(name) => {
                    query.fields.push((name.to_lowercase(), value.trim_matches('"').to_owned()));
                }
                _ => query.words.push(word.clone()),
            }
        }
        query
    }

    /// Whether a name is that of a field.
    pub fn is_field(name: &str) -> bool {
        Self::field_names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The fields that there are.
    pub fn field_names() -> impl Iterator<Item = &'static str> {
        WHOLE.into_iter().chain(PARTS)
    }
}

/// A word that is looked for.
struct Wanted {
    text: String,
    weight: f64,
    begins: bool,
}

impl Library {
    /// The rows that fit best.
    pub fn search(&self, query: &Query) -> Found {
        let wanted = wanted(&query.words);
        if wanted.is_empty() && query.fields.is_empty() {
            return Found::default();
        }
        let shelves: Vec<(&str, usize, &Shelf)> = self.shelves().collect();
        let mut scored: Vec<(Score, usize, usize)> = match wanted.is_empty() {
            true => all_rows(&shelves),
            false => ranked(&shelves, &wanted),
        };
        let fitting = rows_with(&shelves, &query.fields);
        scored.retain(|(_, shelf, row)| fitting.as_ref().is_none_or(|fitting| fitting.contains(&(*shelf, *row))));
        scored.sort_unstable_by(|one, other| other.0.cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
        let parts: Vec<(&str, String)> = parts_of(&query.fields);
        let words: HashSet<&str> = wanted.iter().map(|one| one.text.as_str()).collect();
        let mut found = Found { hits: Vec::new(), total: scored.len() };
        for (score, shelf, row) in scored {
            if found.hits.len() >= query.limit {
                break;
            }
            let (document, first, shelf) = shelves[shelf];
            let entry = shelf.entry(row).filter(|entry| parts.iter().all(|(name, value)| has_part(entry, name, value)));
            match entry {
                Some(entry) => {
                    let place = best_place(&entry, &words);
                    found.hits.push(Hit { entry, document: document.into(), line: first + row, score, place });
                }
                None => found.total -= 1,
            }
        }
        found
    }
}

fn wanted(words: &[String]) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for term in words.iter().flat_map(|word| search_terms(word)) {
        if !wanted.iter().any(|one| one.text == term.text) {
            let is_word = term.run.is_none() && !term.text.ends_with('…');
            let begins = is_word && term.text.len() >= BEGINNING_BYTES;
            wanted.push(Wanted { text: term.text, weight: term.weight, begins });
        }
    }
    wanted
}

fn all_rows(shelves: &[(&str, usize, &Shelf)]) -> Vec<(Score, usize, usize)> {
    let each = |(shelf, (_, _, rows)): (usize, &(&str, usize, &Shelf))| {
        (0..rows.row_count()).map(move |row| (Score::SAME, shelf, row)).collect::<Vec<_>>()
    };
    shelves.iter().enumerate().flat_map(each).collect()
}

fn ranked(shelves: &[(&str, usize, &Shelf)], wanted: &[Wanted]) -> Vec<(Score, usize, usize)> {
    let rows: usize = shelves.iter().map(|(.., shelf)| shelf.row_count()).sum();
    let mut sums: Vec<Vec<f32>> = shelves.iter().map(|(.., shelf)| vec![0.0; shelf.row_count()]).collect();
    let mut same = 0.0;
    for one in wanted {
        let places: Vec<Postings<'_>> = shelves.iter().map(|(.., shelf)| shelf.with(&one.text)).collect();
        let begun: Vec<Vec<Postings<'_>>> = match one.begins {
            true => shelves.iter().map(|(.., shelf)| shelf.beginning(&one.text).collect()).collect(),
            false => Vec::new(),
        };
        let have: usize = places.iter().chain(begun.iter().flatten()).map(Postings::count).sum();
        let rarity = (1.0 + (rows as f64 + 1.0) / (have as f64 + 1.0)).ln() * one.weight;
        same += rarity;
        for (shelf, (.., whole)) in shelves.iter().enumerate() {
            let begun = begun.get(shelf).into_iter().flatten().map(|places| (*places, BEGINS));
            for (places, counts) in std::iter::once((places[shelf], 1.0)).chain(begun) {
                for (row, weight) in places {
                    let damped = SATURATION * (1.0 - LENGTH + LENGTH * whole.length(row) / USUAL_LENGTH);
                    let share = weight / (weight + damped) * (1.0 + SATURATION * (1.0 - LENGTH));
                    sums[shelf][row] += (rarity * counts * share.min(1.0)) as f32;
                }
            }
        }
    }
    let mut scored = Vec::new();
    for (shelf, sums) in sums.iter().enumerate() {
        for (row, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
            let score = Score::of(f64::from(*sum) / same);
            if score >= LEAST {
                scored.push((score, shelf, row));
            }
        }
    }
    scored
}

/// How much a row usually says. A fixed figure, so that a score does not change because other rows came.
const USUAL_LENGTH: f64 = 30.0;

/// The rows that have all of the fields that are looked up as a whole; nothing where none is asked for.
fn rows_with(shelves: &[(&str, usize, &Shelf)], fields: &[(String, String)]) -> Option<HashSet<(usize, usize)>> {
    let mut rows: Option<HashSet<(usize, usize)>> = None;
    for (name, value) in fields.iter().filter(|(name, _)| WHOLE.contains(&name.as_str())) {
        let text = field(name, value);
        let with =
            shelves.iter().enumerate().flat_map(|(shelf, (.., rows))| rows.with(&text).map(move |at| (shelf, at.0)));
        let with: HashSet<(usize, usize)> = with.collect();
        rows = Some(match rows {
            Some(rows) => rows.intersection(&with).copied().collect(),
            None => with,
        });
    }
    rows
}

fn parts_of(fields: &[(String, String)]) -> Vec<(&str, String)> {
    let parts = fields.iter().filter(|(name, _)| PARTS.contains(&name.as_str()));
    parts.map(|(name, value)| (name.as_str(), folded(value))).collect()
}

fn has_part(entry: &Entry, name: &str, value: &str) -> bool {
    let has = |text: &str| folded(text).contains(value);
    match name {
        "path" => has(&entry.path),
        "summary" => has(&entry.summary),
        _ => entry.sources.iter().any(|source| has(source)),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::library::{Note, Rows};

    fn entry(path: &str, kind: &str, run: &str, summary: &str) -> Entry {
        let [path, kind, run, summary] = [path, kind, run, summary].map(str::to_owned);
        Entry { path, kind, run, summary, phase: "ph-1".into(), ..Entry::default() }
    }

    fn library(entries: &[Entry]) -> Library {
        let text: String = entries.iter().map(|entry| format!("{}\n", entry.path)).collect();
        let mut at = 0;
        let spans: Vec<Range<usize>> = text
            .lines()
            .map(|line| {
                at += line.len() + 1;
                at - line.len() - 1..at - 1
            })
            .collect();
        let rows = Rows { context: b"", text: text.as_bytes(), spans: &spans, first_line: 3 };
        let mut library = Library::default();
        library.renew("c.md", Note::default(), rows, &mut |row| entries.get(row).cloned());
        library
    }

    fn sample() -> Library {
        library(&[
            entry("data/prices_2024.csv", "ORIGINAL_INPUT", "run-001", "Prices of boats by yard"),
            entry(
                "runs/run-001/workspace/analysis.md",
                "ANALYSIS_DATA",
                "run-001",
                "What the yards say of prices in Gdańsk",
            ),
            entry("data/매출.csv", "ORIGINAL_INPUT", "run-002", "조선소의 분기별 매출을 비교한 표"),
            entry("data/売上.csv", "ORIGINAL_INPUT", "run-002", "造船所の売上の推移を四半期ごとに比較する"),
            entry("outputs/ph-1_Spec/report.md", "FINAL_REPORT", "run-002", "The report for the harbour board"),
            entry("outputs/ph-1_Spec/shipyards.md", "FINAL_REPORT", "run-010", "Shipyards and their debts"),
        ])
    }

    #[track_caller]
    fn check(words: &str, expected: &[&str]) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let found = sample().search(&Query::read(&words, 10));
        let paths: Vec<&str> = found.hits.iter().map(|hit| hit.entry.path.as_str()).collect();
        assert_eq!(paths, expected, "{words:?}: {found:?}");
    }

    /// LN-15: words of any script, where no blanks stand between them, too.
    #[test]
    fn files_are_found_by_words_of_any_script() {
        check("gdansk", &["runs/run-001/workspace/analysis.md"]);
        check("BOATS", &["data/prices_2024.csv"]);
        check("매출", &["data/매출.csv"]);
        check("분기별매출", &["data/매출.csv"]);
        check("売上", &["data/売上.csv"]);
        check("四半期", &["data/売上.csv"]);
        check("report", &["outputs/ph-1_Spec/report.md", "outputs/ph-1_Spec/shipyards.md"]);
        check("ship", &["outputs/ph-1_Spec/shipyards.md"]);
        check("nothing-of-the-kind", &[]);
        check("", &[]);
        check("🙂", &[]);
    }

    #[test]
    fn fields_narrow_what_is_found() {
        check("type:original_input", &["data/prices_2024.csv", "data/매출.csv", "data/売上.csv"]);
        check("type:ORIGINAL_INPUT run:run-001", &["data/prices_2024.csv"]);
        check("prices type:ANALYSIS_DATA", &["runs/run-001/workspace/analysis.md"]);
        check("path:매출", &["data/매출.csv"]);
        check("run:run-01", &[]);
        check("run:run-010", &["outputs/ph-1_Spec/shipyards.md"]);
        check("phase:ph-1 summary:debts", &["outputs/ph-1_Spec/shipyards.md"]);
        check("unknown:debts", &["outputs/ph-1_Spec/shipyards.md"]);
    }

    #[test]
    fn what_says_more_of_the_words_comes_first_and_says_where() {
        let found = sample().search(&Query::read(&["prices".into(), "gdansk".into()], 10));
        let first = &found.hits[0];
        assert_eq!(first.entry.path, "runs/run-001/workspace/analysis.md");
        assert_eq!((first.line, first.document.as_str()), (4, "c.md"));
        assert!(first.score > found.hits[1].score, "{found:?}");
        let place = first.place.as_ref().unwrap();
        assert_eq!(place.text.get(place.span.clone()), Some("prices"));
    }

    #[test]
    fn no_more_than_the_limit_and_all_are_counted() {
        let many: Vec<Entry> = (0..3000).map(|number| entry(&format!("f{number}.md"), "X", "r", "boats")).collect();
        let found = library(&many).search(&Query { words: vec!["boats".into()], fields: Vec::new(), limit: 7 });
        assert_eq!((found.hits.len(), found.total), (7, 3000));
    }
}
