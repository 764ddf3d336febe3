//! The Executor's part: which paper a task asks for, made from the files it was given.
//!
//! Owns the step from a task's row to its output. It must not know the engine; files come in as material.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::analysis;
use super::brief::Facts;
use super::evidence::{self, Material};
use super::limits;
use super::paper::{Cite, Kind, MARK, Paper, Row, Section, Statement};
use super::past;
use super::plan;
use super::rank::{Candidate, rank};
use super::request::{self, Format};
use super::shorten;
use super::{write_flat, write_html, write_md};
use crate::contract::{Report, ReportOutput};

/// What a task asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Initial,
    Analysis,
    Comparison,
    Past,
    Findings,
    Outline,
    AssemblyPlan,
    Publish,
    Charts,
}

pub(crate) fn execute(facts: &Facts<'_>, material: &Material) -> Report {
    if let Some(refusal) = beyond_this_agent(facts) {
        return Report::failed(&refusal);
    }
    let output = facts.output_path();
    if output.is_empty() {
        return answer(facts, material);
    }
    let name = output.rsplit('/').next().unwrap_or(output);
    let ending = name.rsplit_once('.').map_or("md", |(_, ending)| ending);
    let Some(format) = Format::of_ending(ending) else {
        return Report::failed(&format!(
            "{output}: the offline agent cannot write .{ending}; it writes .md, .html, .txt, .csv and .json; plan one of these, or configure another agent"
        ));
    };
    let mut words = request::subject(&facts.request());
    // What a Reviewer missed is looked for: its words count like those of the request.
    words.extend(facts.problems().iter().flat_map(|problem| request::subject(problem)));
    let work = work(facts, output);
    let paper = make(work, facts, material, &words);
    let content = write(&paper, format, facts);
    let summary = summary(work, &paper, material);
    Report {
        result: json!({ "status": "COMPLETED", "output_path": output }),
        outputs: vec![ReportOutput { path: output.to_owned(), content: Some(content) }],
        ..Report::done(&summary)
    }
}

/// What needs a network is refused at once, with the reason.
fn beyond_this_agent(facts: &Facts<'_>) -> Option<String> {
    let tool = facts.item("tool_type");
    (tool == "WebSearch").then(|| {
        "the offline agent has no network and cannot search; configure a search provider, or plan without WebSearch"
            .to_owned()
    })
}

fn work(facts: &Facts<'_>, output: &str) -> Work {
    let name = output.rsplit('/').next().unwrap_or(output).to_lowercase();
    let asked = format!("{} {}", facts.item("task_name"), facts.item("task_purpose")).to_lowercase();
    if facts.item("tool_type") == "DataVisualization" {
        return Work::Charts;
    }
    if name.starts_with("initial_analysis") {
        return Work::Initial;
    }
    if output.starts_with("outputs/") {
        return Work::Publish;
    }
    let phase = ["ANALYZING", "STRATEGIZING", "REFINING_CONTENT", "GENERATING_OUTPUT"]
        .into_iter()
        .find(|phase| output.contains(&format!("/{phase}/")))
        .unwrap_or(facts.phase_name());
    match phase {
        "STRATEGIZING" => Work::Findings,
        "REFINING_CONTENT" => Work::Outline,
        "GENERATING_OUTPUT" if name.contains("assembly") || name.contains("plan") => Work::AssemblyPlan,
        "GENERATING_OUTPUT" => Work::Publish,
        _ if name == past::PAPER => Work::Past,
        _ if name.contains("compar") || name.contains("contradict") => Work::Comparison,
        _ if asked.contains("contradict") || asked.starts_with("compare") => Work::Comparison,
        _ => Work::Analysis,
    }
}

fn make(work: Work, facts: &Facts<'_>, material: &Material, words: &BTreeSet<String>) -> Paper {
    let title = title(facts);
    match work {
        Work::Initial => initial(facts),
        Work::Analysis => {
            let mut paper = analysis::analysis(&material.documents, &material.unread, words);
            if material.documents.is_empty() {
                let requests = material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Request)).cloned();
                paper.sections.splice(0..0, requests);
                paper.sections.retain(|section| section.len() > 0);
            }
            paper
        }
        Work::Comparison => analysis::comparison(&material.documents, &material.unread),
        Work::Past => past::paper(material, words),
        Work::Findings => evidence::findings(material, words),
        Work::Outline => at_a_glance(evidence::outline(material, words, &title), facts),
        Work::Charts => charts(facts, material, words),
        Work::AssemblyPlan => assembly_plan(facts, &deliverable(facts, material, words)),
        Work::Publish => deliverable(facts, material, words),
    }
}

/// The outline that was given, and its path; else one made from what was given.
fn outline(material: &Material, words: &BTreeSet<String>, title: &str) -> (String, Paper) {
    let given = material.papers.iter().find(|(_, paper)| paper.of(Kind::Summary).next().is_some());
    match given {
        Some((path, paper)) => (path.clone(), paper.clone()),
        None => (String::new(), evidence::outline(material, words, title)),
    }
}

/// The outline as it is to be published: without charts, or on one page, where that was asked for.
fn deliverable(facts: &Facts<'_>, material: &Material, words: &BTreeSet<String>) -> Paper {
    let (path, outline) = outline(material, words, &title(facts));
    let mut asked = facts.request();
    for one in request::instructions(facts.context()).iter().filter(|one| one.run_id == facts.run_id()) {
        asked.push('\n');
        asked.push_str(&one.content);
    }
    shorten::shorten(outline, request::cut(&asked), &path)
}

/// Says under the summary what was asked and what was read.
fn at_a_glance(mut outline: Paper, facts: &Facts<'_>) -> Paper {
    let request = facts.request();
    let count = |kind: Kind| outline.of(kind).map(Section::len).sum::<usize>();
    let some = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let read = count(Kind::Sources);
    let sheets = outline.of(Kind::Tables).count();
    let mut note = format!(
        "Asked for: “{}” {} read; shown below: {}, {}, {}, {}.",
        request.split_whitespace().collect::<Vec<_>>().join(" "),
        some(read, "source was", "sources were"),
        some(count(Kind::Contradictions), "contradiction", "contradictions"),
        some(count(Kind::Figures), "figure", "figures"),
        some(count(Kind::Dates), "date", "dates"),
        some(sheets, "table with its statistics", "tables with their statistics"),
    );
    let beyond = request::beyond(&request);
    if !beyond.is_empty() {
        let formats = request::formats_to_publish(facts.context(), &request, &facts.sources());
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        let (beyond, names) = (beyond.join(", "), names.join(" and "));
        note.push_str(&format!(
            " A form that was asked for ({beyond}) cannot be written without other tools; this is {names} instead."
        ));
    }
    if let Some(summary) =
        outline.sections.iter_mut().find(|section| section.kind == Kind::Summary && section.note.is_empty())
    {
        summary.note = note;
    }
    outline
}

/// MV-29: the charts of what a task made, or of the sources it was given.
fn charts(facts: &Facts<'_>, material: &Material, words: &BTreeSet<String>) -> Paper {
    let mut found: Vec<Section> =
        material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Charts)).cloned().collect();
    let made = analysis::analysis(&material.documents, &material.unread, words);
    let own: Vec<Section> = made.of(Kind::Charts).filter(|section| !found.contains(section)).cloned().collect();
    found.extend(own);
    let mut paper = Paper { title: format!("Charts: {}", title(facts)), sections: found };
    if paper.sections.is_empty() {
        let tables = material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Tables)).cloned();
        paper.sections.extend(tables);
        let nothing = "Nothing that was given has a table with numbers that could be drawn.";
        paper.sections.push(Section::statements(Kind::Charts, Vec::new()).with_note(nothing));
    }
    paper
}

/// The first sentence of the request, or what there is instead of one.
fn title(facts: &Facts<'_>) -> String {
    const LONGEST: usize = 120;
    let request = facts.request();
    let first = request::goals(&request).into_iter().next().unwrap_or_else(|| "What the sources say".to_owned());
    let topic = request::topic(&first);
    let first = topic.as_deref().unwrap_or(&first).trim_end_matches(['.', '。', '।', '۔']);
    let first = request::without_language(first);
    if first.chars().count() <= LONGEST {
        return first.to_owned();
    }
    first.chars().take(LONGEST).chain(['…']).collect()
}

/// The initial analysis: what was agreed, and what there is to read.
fn initial(facts: &Facts<'_>) -> Paper {
    let plain = |text: &str, path: &str, line: usize| Statement::new(text, vec![Cite::new(path, line)]);
    let mut agreed: Vec<Statement> = request::instructions(facts.context())
        .iter()
        .map(|one| {
            let id = if one.instruction_id.is_empty() { "db/user_instructions.md" } else { &one.instruction_id };
            plain(&one.content, id, 0)
        })
        .collect();
    if agreed.is_empty() {
        agreed = request::goals(&facts.request()).iter().map(|goal| plain(goal, "db/process_runs.md", 0)).collect();
    }
    let catalog = facts.catalog();
    let sources: Vec<Statement> = facts
        .sources()
        .iter()
        .map(|path| {
            let summary =
                catalog.iter().find(|entry| entry.file_path == *path).map_or("", |entry| entry.summary.as_str());
            let text = if summary.is_empty() { "a source, not yet read" } else { summary };
            plain(text, path, 1)
        })
        .collect();
    let parts = Section::statements(Kind::Files, sources);
    let parts = if parts.len() > 0 { parts } else { parts.with_note("This task was told of no file in assets/.") };
    Paper { title: "Initial analysis".to_owned(), sections: vec![Section::statements(Kind::Request, agreed), parts] }
}

fn assembly_plan(facts: &Facts<'_>, outline: &Paper) -> Paper {
    let source = facts.files().into_iter().find(|path| path.contains("/REFINING_CONTENT/"));
    let cites: Vec<Cite> = source.iter().map(|path| Cite::new(path, 1)).collect();
    let row = |cells: Vec<String>| Row { cells, cites: cites.clone() };
    let parts = outline
        .sections
        .iter()
        .enumerate()
        .map(|(index, section)| row(vec![(index + 1).to_string(), section.title(), section.len().to_string()]))
        .collect();
    let formats = request::formats_to_publish(facts.context(), &facts.request(), &facts.sources());
    let files = formats
        .iter()
        .map(|format| {
            row(vec![
                plan::published(facts.run_id(), *format),
                format.name().to_owned(),
                "all parts, in order".to_owned(),
            ])
        })
        .collect();
    Paper {
        title: format!("Assembly plan: {}", outline.title),
        sections: vec![
            Section::rows(Kind::Parts, &["part", "section", "entries"], parts),
            Section::rows(Kind::Files, &["file", "form", "parts"], files),
        ],
    }
}

fn write(paper: &Paper, format: Format, facts: &Facts<'_>) -> String {
    match format {
        Format::Markdown => write_md::write(paper),
        Format::Html => write_html::write(paper, request::language(&facts.request())),
        Format::Text => write_flat::text(paper),
        Format::Csv => write_flat::csv(paper),
        Format::Json => write_flat::json(paper),
    }
}

fn summary(work: Work, paper: &Paper, material: &Material) -> String {
    let count = |kind: Kind| paper.of(kind).map(Section::len).sum::<usize>();
    let what = match work {
        Work::Initial => format!("initial analysis of {} instructions", count(Kind::Request)),
        Work::Analysis => format!(
            "{}: {} key sentences, {} figures, {} dates",
            paper.title,
            count(Kind::KeySentences),
            count(Kind::Figures),
            count(Kind::Dates)
        ),
        Work::Comparison => {
            format!("{} contradictions in {} sources", count(Kind::Contradictions), material.documents.len())
        }
        Work::Past => format!("{} statements taken up from past runs", count(Kind::Past)),
        Work::Findings => format!("{} findings ranked", count(Kind::Findings)),
        Work::Outline => format!("outline of {} sections", paper.sections.len()),
        Work::AssemblyPlan => format!("assembly plan of {} parts", count(Kind::Parts)),
        Work::Publish => format!("deliverable of {} sections", paper.sections.len()),
        Work::Charts => format!("{} charts", paper.sections.iter().filter(|section| section.len() > 0).count()),
    };
    format!("{what} (by extraction, without a model)")
}

/// A simple task is answered with the sentences that fit it best, or with why it cannot be.
fn answer(facts: &Facts<'_>, material: &Material) -> Report {
    let words = request::subject(&facts.request());
    let mut found: Vec<Statement> = Vec::new();
    for document in &material.documents {
        let all = analysis::all_sentences(document);
        let kept = (0..all.len()).filter(|index| analysis::says_something(&all[*index].sentence.text));
        found.extend(kept.map(|index| analysis::statement(document, &all, index)));
    }
    let fitting: Vec<&Statement> = found
        .iter()
        .filter(|one| words.is_empty() || request::subject(&one.text).intersection(&words).next().is_some())
        .collect();
    let candidates: Vec<Candidate<'_>> = fitting
        .iter()
        .map(|one| Candidate { text: &one.text, source: one.cites.first().map_or("", |cite| &cite.path), position: 0 })
        .collect();
    let ranked = rank(&candidates, &words, limits::ANSWER);
    let text = if ranked.is_empty() {
        format!(
            "This was asked of the offline agent, which has no model and no network. It can only quote what stands in assets/, \
             and {}. Configure another agent to have it done.",
            if material.documents.is_empty() {
                "there is nothing to read there"
            } else {
                "nothing there fits the words of the request"
            }
        )
    } else {
        let mut text = format!("{MARK}: what the sources say that fits the request.\n");
        for one in &ranked {
            let statement = fitting[one.index];
            let cites: Vec<String> = statement.cites.iter().map(Cite::shown).collect();
            text.push_str(&format!("- {} ({})\n", statement.text, cites.join(", ")));
        }
        text
    };
    let text = text.trim_end().to_owned();
    let summary = format!("answered with {} sentences (by extraction, without a model)", ranked.len());
    Report { result: json!({ "answer": Value::String(text) }), ..Report::done(&summary) }
}
