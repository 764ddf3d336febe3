//! `multiverse catalog search`: files by words of any script and by fields, the best first, with the place that fits.

use std::path::Path;

use engine::Depth;
use engine::knowledge::{Field, Hit, Match, Query};
use serde::Serialize;

use super::super::carry::Opened;
use super::super::completions;
use super::super::exit::Exit;
use super::super::failure::{Failure, Kind};
use super::super::output::{FRAME, Form, GOOD, HINT, Output};
use super::super::progress::Shown;
use super::super::project::Start;
use super::super::visible;
use super::{FileRow, USUAL_COLUMNS, head, say_problems};

/// How many files are shown where nobody says.
const LIMIT: usize = 20;

/// Search the catalog, the best first
///
/// WORDS may be of any script, also of those that are written without blanks; case,
/// accents and endings make no difference, and the beginning of a word is enough. A
/// word like type:FINAL_REPORT asks for a field: type, run, phase, task and lineage must
/// be so; path, summary and source must have it in them. A score of 1.00 says all words.
///
/// With --json, one object a line: {"hit": {"score", "file", "match"}}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 nothing was found
///
/// Examples:
///   multiverse catalog search sales
///   multiverse catalog search sales type:ORIGINAL_INPUT
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Arguments {
    /// Words, and fields like type:FINAL_REPORT
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Only files of this run
    #[arg(long, value_name = "RUN", add = completions::runs())]
    run: Option<String>,

    /// Only files of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,

    /// Only files of this phase
    #[arg(long, value_name = "PHASE")]
    phase: Option<String>,

    /// No more than so many
    #[arg(long, value_name = "N", default_value_t = LIMIT)]
    limit: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Hit(HitLine<'a>),
}

#[derive(Serialize)]
struct HitLine<'a> {
    score: f64,
    file: FileRow<'a>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    place: Option<PlaceLine<'a>>,
}

/// Where a row fits: some of its text, and the word in it.
#[derive(Serialize)]
struct PlaceLine<'a> {
    field: &'static str,
    text: &'a str,
    word: &'a str,
}

impl Arguments {
    pub(super) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let mut query = Query::read(&self.words, self.limit);
        let opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        // A run that no table lists may still have rows in a catalog.
        let run = self.run.as_ref().map(|name| opened.run(name).unwrap_or_else(|_| name.clone()));
        let options = [("run", run.as_ref()), ("type", self.kind.as_ref()), ("phase", self.phase.as_ref())];
        query.fields.extend(options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.clone()))));
        let shelves = opened.service.shelves(Depth::Catalogs);
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        if query.words.is_empty() && query.fields.is_empty() {
            let fields: Vec<String> = Query::field_names().map(|name| format!("{name}:…")).collect();
            let hint = format!("give words, or a field: {}; `multiverse catalog` lists all", fields.join(", "));
            return Err(Failure::new(Kind::Usage, "nothing to search for").hint(hint));
        }
        say_problems(&shelves, output)?;
        let found = shelves.library.search(&query);
        let columns = output.columns().unwrap_or(USUAL_COLUMNS);
        for hit in &found.hits {
            match output.form() {
                Form::Json => output.json(&Line::Hit(line(hit)))?,
                Form::Text => output.data(&rendered(hit, columns))?,
            }
        }
        match (found.hits.len(), found.total) {
            (0, _) => {
                output.say("nothing in the catalog fits; `multiverse catalog` lists all")?;
                return Ok(Exit::NothingToDo);
            }
            (shown, total) if shown < total => {
                output.say(&format!("the best {shown} of {total}; --limit shows more"))?;
            }
            (1, _) => output.say("1 file")?,
            (shown, _) => output.say(&format!("{shown} files"))?,
        }
        Ok(Exit::Done)
    }
}

fn line(hit: &Hit) -> HitLine<'_> {
    let place = hit.place.as_ref().map(|place| PlaceLine {
        field: field_name(place.field),
        text: &place.text,
        word: place.text.get(place.span.clone()).unwrap_or_default(),
    });
    let file = FileRow::new(&hit.entry, &hit.document, hit.line);
    HitLine { score: f64::from(hit.score.0) / 1000.0, file, place }
}

fn field_name(field: Field) -> &'static str {
    match field {
        Field::Path => "path",
        Field::Summary => "summary",
        Field::Kind => "type",
        Field::Task => "task",
        Field::Lineage => "lineage",
    }
}

fn rendered(hit: &Hit, columns: usize) -> String {
    let mut shown = format!("{HINT}{}{HINT:#} {}", hit.score, head(&hit.entry, columns.saturating_sub(5)));
    match hit.place.as_ref().filter(|place| place.field == Field::Summary) {
        Some(place) => shown.push_str(&format!("     {}\n", marked(place, columns.saturating_sub(5)))),
        None if !hit.entry.summary.trim().is_empty() => {
            let summary = visible::short(&hit.entry.summary, columns.saturating_sub(5));
            shown.push_str(&format!("     {FRAME}{summary}{FRAME:#}\n"));
        }
        None => {}
    }
    shown
}

/// The text around the word, no wider than that, with the word standing out.
fn marked(place: &Match, columns: usize) -> String {
    let part = |range: std::ops::Range<usize>| place.text.get(range).unwrap_or_default();
    let word = visible::short(part(place.span.clone()), columns);
    let used = unicode_width::UnicodeWidthStr::width(word.as_str());
    let before: String = part(0..place.span.start).chars().rev().take(columns.saturating_sub(used) / 2).collect();
    let before: String = before.chars().rev().collect();
    let before = visible::text(&before).replace('\n', " ");
    let room = columns.saturating_sub(used + unicode_width::UnicodeWidthStr::width(before.as_str()) + 1);
    let rest = part(place.span.end..place.text.len());
    let gap = if rest.starts_with(char::is_whitespace) { " " } else { "" };
    format!("{FRAME}{before}{FRAME:#}{GOOD}{word}{GOOD:#}{FRAME}{gap}{}{FRAME:#}", visible::short(rest, room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_stands_out_and_the_line_fits() {
        let shown = |text: &str, word: &str, columns: usize| {
            let at = text.find(word).unwrap();
            let place = Match { field: Field::Summary, text: text.into(), span: at..at + word.len() };
            anstream::adapter::strip_str(&marked(&place, columns)).to_string()
        };
        assert_eq!(shown("Prices of boats by yard", "boats", 60), "Prices of boats by yard");
        for columns in [10, 20, 31] {
            let narrow = shown(&format!("{} boats {}", "x".repeat(80), "조선소의 매출 ".repeat(9)), "boats", columns);
            assert!(unicode_width::UnicodeWidthStr::width(narrow.as_str()) <= columns + 1, "{narrow}");
            assert!(narrow.contains("boats"), "{narrow}");
        }
    }
}
