//! Past runs: what the Planner is told of them, and what their papers say that fits the request now.
//!
//! Owns the choice of the file that is read again, and the citing of its lines. What a past run found is quoted as what
//! that run wrote, at its place; it is never mixed with what the sources say today.

use std::collections::BTreeSet;

use serde_json::Value;

use super::analysis;
use super::evidence::Material;
use super::limits;
use super::paper::{Body, Cite, Kind, Paper, Section, Statement};
use super::rank::{Candidate, rank};
use super::read::Form;
use super::request::{self, Instruction};
use super::restrict;
use super::wanted::Wanted;
use super::write_md;

/// The name of the paper that takes up past runs.
pub(crate) const PAPER: &str = "past_runs.md";

/// A past run, as the brief tells of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PastRun {
    pub(crate) run_id: String,
    pub(crate) score: f64,
    pub(crate) status: String,
    /// The first line of what went wrong, if it failed.
    pub(crate) failure: String,
    /// Those of its instructions that are ACTIVE.
    pub(crate) instructions: Vec<Instruction>,
    /// Its files that the catalog lists, with their types.
    files: Vec<(String, String)>,
}

/// The past runs in a brief's context, best first.
pub(crate) fn past_runs(context: &Value) -> Vec<PastRun> {
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    list(context, "past_runs")
        .iter()
        .filter(|row| row.get("run_id").is_some_and(Value::is_string))
        .map(|row| PastRun {
            run_id: text(row, "run_id"),
            score: row.get("score").and_then(Value::as_f64).unwrap_or_default(),
            status: text(row, "status"),
            failure: row.get("failure_report").map(|report| failure_in(&text(report, "text"))).unwrap_or_default(),
            instructions: request::instructions(row).into_iter().filter(|one| !one.content.is_empty()).collect(),
            files: list(row, "catalog")
                .iter()
                .map(|file| (text(file, "file_path"), text(file, "asset_type")))
                .collect(),
        })
        .collect()
}

/// The first line of the original error in a failure report.
fn failure_in(report: &str) -> String {
    let after = report.split_once("## The original error").map_or("", |(_, after)| after);
    let first = after.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("```"));
    first.unwrap_or_default().trim_end_matches('.').to_owned()
}

impl PastRun {
    /// The file of a completed run that says the most: its deliverable in a form that can be read, else its findings.
    pub(crate) fn best_file(&self) -> Option<&str> {
        if self.status != "COMPLETED" {
            return None;
        }
        let worth = |(path, asset_type): &&(String, String)| {
            let is_readable = Form::of(path).is_some();
            let is_about_itself = ["USER_INSTRUCTIONS", "ASSEMBLY_PLAN"].contains(&asset_type.as_str());
            let place = if path.starts_with("outputs/") { 2 } else { 0 } + u8::from(path.ends_with(".md"));
            (is_readable && !is_about_itself && !path.ends_with("/initial_analysis.md")).then_some(place)
        };
        // The first of equals: what was made last stands first.
        let best = self.files.iter().rev().filter(|file| worth(file).is_some()).max_by_key(worth);
        best.map(|(path, _)| path.as_str())
    }
}

/// The files of past runs that are worth reading again.
pub(crate) fn files(context: &Value) -> Vec<String> {
    let runs = past_runs(context);
    runs.iter().filter_map(|run| run.best_file().map(str::to_owned)).take(limits::PAST_RUNS).collect()
}

/// What the papers of past runs say that fits the request, each with its line there.
pub(crate) fn paper(material: &Material, request: &BTreeSet<String>, wanted: &Wanted) -> Paper {
    let mut sections = Vec::new();
    let mut sources = Vec::new();
    for (path, text) in &material.past {
        let mut all = statements(path, text);
        all.retain(|one| restrict::keeps(&one.text, wanted));
        sections.push(section(path, &all, request));
        sources.push(Statement::new("what a past run wrote", vec![Cite::new(path, 1)]));
    }
    for document in &material.documents {
        let all = analysis::all_sentences(document).into_iter().map(|one| {
            let cite = Cite::lines(&document.path, one.sentence.line, one.sentence.last);
            Statement::new(&one.sentence.text, vec![cite])
        });
        let all: Vec<Statement> = all.filter(|one| restrict::keeps(&one.text, wanted)).collect();
        sections.push(section(&document.path, &all, request));
        sources.push(analysis::source(document));
    }
    sections.extend(analysis::unread_section(&material.unread));
    sections.push(Section::statements(Kind::Sources, sources));
    Paper { title: "What past runs found".to_owned(), sections }
}

fn section(path: &str, all: &[Statement], request: &BTreeSet<String>) -> Section {
    let candidates: Vec<Candidate<'_>> =
        all.iter().map(|one| Candidate { text: &one.text, source: path, position: 0 }).collect();
    let ranked = rank(&candidates, request, limits::PAST_STATEMENTS);
    let chosen: Vec<Statement> = ranked.iter().map(|one| all[one.index].clone()).collect();
    let mut section = Section::statements(Kind::Past, chosen);
    path.clone_into(&mut section.theme);
    match section.len() {
        0 => section.with_note("It has no sentence that could be taken up."),
        _ => section
            .with_note("Quoted from what that run wrote; where a source of this run says the same, it is cited, too."),
    }
}

/// The statements of a paper with their lines; only those about its sources.
fn statements(path: &str, text: &str) -> Vec<Statement> {
    let mut kind = None;
    let mut found: Vec<Statement> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            kind = Some(write_md::kind_of(title));
        } else if matches!(kind, Some(Kind::Summary | Kind::Findings | Kind::KeySentences | Kind::Theme))
            && let Some(statement) = write_md::statement_of(line)
            && found.iter().all(|one| one.text != statement.text)
        {
            found.push(Statement { cites: vec![Cite::new(path, number + 1)], why: String::new(), ..statement });
        }
    }
    found
}

/// What a past run found beside what this one found: first what was not found again, then some of what was, with both
/// places.
pub(crate) fn with_today(section: &Section, today: &[Statement]) -> Section {
    let Body::Statements(statements) = &section.body else { return section.clone() };
    let (mut gone, mut again) = (Vec::new(), Vec::new());
    for one in statements {
        match today.iter().find(|now| now.text == one.text).and_then(|now| now.cites.first()) {
            Some(cite) => {
                let mut one = one.clone();
                one.cites.push(cite.clone());
                again.push(one);
            }
            None => gone.push(one.clone()),
        }
    }
    if gone.is_empty() && again.is_empty() {
        return section.clone();
    }
    let note = format!(
        "Quoted from what that run wrote. Statements there: {}; not among what was taken from the sources this time: {}; \
         found again and cited with both places: {}.",
        statements.len(),
        gone.len(),
        again.len()
    );
    again.truncate(limits::PAST_AGAIN);
    let body = Body::Statements(gone.into_iter().chain(again).collect());
    Section { body, ..section.clone() }.with_note(&note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(status: &str, files: &[(&str, &str)]) -> PastRun {
        let rows: Vec<Value> =
            files.iter().map(|(path, kind)| json!({"file_path": path, "asset_type": kind})).collect();
        let row = json!({"run_id": "run-a", "score": 0.5, "status": status, "catalog": rows,
            "failure_report": {"text": "# Failure\n\n## The original error\n\n```text\nno paper.\nmore\n```\n"}});
        past_runs(&json!({ "past_runs": [row] })).remove(0)
    }

    #[test]
    fn the_file_that_says_the_most_is_read_again() {
        let constitution = ("runs/run-a/feedback_for_user.md", "USER_INSTRUCTIONS");
        let plan = ("runs/run-a/workspace/GENERATING_OUTPUT/assembly_plan.md", "ASSEMBLY_PLAN");
        let findings = ("runs/run-a/workspace/STRATEGIZING/findings.md", "STRATEGY_DOC");
        let page = ("outputs/run-a/report.html", "FINAL_OUTPUT");
        let report = ("outputs/run-a/report.md", "FINAL_OUTPUT");
        let picture = ("outputs/run-a/report.pdf", "FINAL_OUTPUT");
        for (files, expected) in [
            (vec![picture, page, report, plan, findings, constitution], Some(report.0)),
            (vec![picture, page, findings], Some(page.0)),
            (vec![picture, plan, findings, constitution], Some(findings.0)),
            (vec![picture, plan, constitution], None),
        ] {
            assert_eq!(run("COMPLETED", &files).best_file(), expected, "{files:?}");
            assert_eq!(run("FAILED", &files).best_file(), None, "what failed is not built on");
        }
        assert_eq!(run("FAILED", &[]).failure, "no paper");
        assert_eq!(past_runs(&json!({"past_runs": [{}, 3, {"run_id": "x"}]})).len(), 1);
    }

    #[test]
    fn statements_of_a_past_paper_are_cited_with_their_lines() {
        let text = "# T\n\nMade by extraction, without a model\n\n## Summary\n\n- Boats \\* sell. (`assets/a.md:3`)\n\n\
            ## Theme: price\n\n1. Prices rose.\n- Boats \\* sell.\n\n## Sources\n\n- a file (`assets/a.md:1`)\n";
        let found: Vec<String> = statements("outputs/run-a/report.md", text)
            .iter()
            .map(|one| format!("{} {}", one.text, one.cites[0].shown()))
            .collect();
        assert_eq!(found, ["Boats * sell. outputs/run-a/report.md:7", "Prices rose. outputs/run-a/report.md:11"]);
    }

    #[test]
    fn what_is_not_said_any_more_comes_first() {
        let said = |text: &str, path: &str| Statement::new(text, vec![Cite::new(path, 1)]);
        let section = Section::statements(Kind::Past, vec![said("a", "old"), said("b", "old")]);
        let shown = with_today(&section, &[said("a", "new")]);
        let Body::Statements(statements) = &shown.body else { panic!("they stay statements") };
        let cites: Vec<String> = statements.iter().map(|one| format!("{} {}", one.text, one.cites.len())).collect();
        assert_eq!(cites, ["b 1", "a 2"]);
        assert!(
            shown.note.contains("Statements there: 2; not among what was taken from the sources this time: 1"),
            "{}",
            shown.note
        );
    }
}
