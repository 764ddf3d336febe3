//! The Executor's part: which paper a task asks for, made from the files it was given.
//!
//! Owns the step from a task's row to its output. It must not know the engine; files come in as material.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::analysis;
use super::brief::Facts;
use super::evidence::{self, Material};
use super::limits;
use super::lineage;
use super::paper::{Body, Cite, Kind, MARK, Paper, Row, Section, Statement};
use super::past;
use super::plan;
use super::rank::{Candidate, rank};
use super::request::{self, Format};
use super::shorten;
use super::tongue;
use super::wanted::{self, Matter, Wanted};
use super::words::Language;
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

pub(crate) fn execute(facts: &Facts<'_>, material: &Material, wanted: &Wanted) -> Report {
    if let Some(refusal) = beyond_this_agent(facts) {
        return Report::failed(&refusal);
    }
    if let Some(note) = lineage::deletion(facts) {
        return note;
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
    let paper = make(work, facts, &Given { material, wanted, words: &words });
    // What a person gets is in their language; what a later task reads is not.
    let is_for_people = matches!(work, Work::Publish | Work::Charts);
    let language = if is_for_people { tongue::or_english(wanted.tongue()) } else { Language::English };
    let content = write(&paper, format, language);
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
        "the offline agent has no network and cannot search; name a search service in multiverse.toml ([web] search = \"searxng\" and base_url, or another of docs/web.md), or plan without WebSearch"
            .to_owned()
    })
}

fn work(facts: &Facts<'_>, output: &str) -> Work {
    let name = output.rsplit('/').next().unwrap_or(output).to_lowercase();
    let asked = format!("{} {}", facts.item("task_name"), facts.item("task_purpose")).to_lowercase();
    if facts.item("tool_type") == "DataVisualization" {
        return Work::Charts;
    }
    if let Some(step) = lineage::Step::of_task(facts) {
        return match step {
            lineage::Step::Read if asked.starts_with(lineage::TAKE_UP) => Work::Past,
            lineage::Step::Read => Work::Analysis,
            lineage::Step::Rank | lineage::Step::RankAgain | lineage::Step::Evidence => Work::Findings,
            lineage::Step::Draft | lineage::Step::Refine => Work::Outline,
            lineage::Step::Check => Work::Comparison,
            lineage::Step::Publish => Work::Publish,
        };
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

/// What a paper is made from.
struct Given<'a> {
    material: &'a Material,
    wanted: &'a Wanted,
    words: &'a BTreeSet<String>,
}

fn make(work: Work, facts: &Facts<'_>, given: &Given<'_>) -> Paper {
    let Given { material, wanted, words } = *given;
    match work {
        Work::Initial => initial(facts, wanted),
        Work::Analysis => {
            let mut paper = analysis::analysis(&material.documents, &material.unread, words);
            if material.documents.is_empty() {
                let requests = material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Request)).cloned();
                paper.sections.splice(0..0, requests);
                paper.sections.retain(|section| section.len() > 0);
            }
            paper
        }
        Work::Comparison => analysis::comparison(&material.documents, &material.unread, &wanted.sides, words),
        Work::Past => past::paper(material, words, wanted),
        Work::Findings => evidence::findings(material, words),
        Work::Outline => at_a_glance(evidence::outline(material, words, &title(facts, wanted)), facts, wanted),
        Work::Charts => charts(facts, given),
        Work::AssemblyPlan => assembly_plan(facts, &deliverable(facts, given)),
        Work::Publish => deliverable(facts, given),
    }
}

/// The outline that was given, and its path; else one made from what was given.
fn outline(facts: &Facts<'_>, given: &Given<'_>) -> (String, Paper) {
    let there = given.material.papers.iter().find(|(_, paper)| paper.of(Kind::Summary).next().is_some());
    match there {
        Some((path, paper)) => (path.clone(), paper.clone()),
        None => {
            let made = evidence::outline(given.material, given.words, &title(facts, given.wanted));
            (String::new(), at_a_glance(made, facts, given.wanted))
        }
    }
}

/// The outline as it is to be published: in the sections and of the length that were asked for.
fn deliverable(facts: &Facts<'_>, given: &Given<'_>) -> Paper {
    let (path, outline) = outline(facts, given);
    shorten::shorten(outline, given.wanted, &path)
}

/// Says at the top what was asked, what was understood of it, what cannot be done, and what was read.
fn at_a_glance(mut outline: Paper, facts: &Facts<'_>, wanted: &Wanted) -> Paper {
    let request = facts.request();
    // Files that are told as left out, beside those that somebody named.
    let named: BTreeSet<String> =
        outline.statements(Kind::Unread).flat_map(|one| &one.cites).map(|one| one.path.clone()).collect();
    let left =
        wanted.without.iter().filter_map(|one| if let Matter::File(path) = one { Some(path.clone()) } else { None });
    let left: Vec<Statement> = left
        .filter(|path| !named.iter().any(|known| wanted::is_file(known, path)))
        .map(|path| Statement::new("left out, as was asked", vec![Cite::new(&path, 0)]))
        .collect();
    if !left.is_empty() {
        add_unread(&mut outline, left);
    }
    let count = |kind: Kind| outline.of(kind).map(Section::len).sum::<usize>();
    let read: BTreeSet<&String> =
        outline.statements(Kind::Sources).flat_map(|one| &one.cites).map(|one| &one.path).collect();
    let unread: BTreeSet<&String> = outline
        .statements(Kind::Unread)
        .flat_map(|one| &one.cites)
        .map(|one| &one.path)
        .filter(|path| !read.contains(path))
        .collect();
    let mut told = vec![format!("Asked for: “{}”", request.split_whitespace().collect::<Vec<_>>().join(" "))];
    let understood = wanted.understood();
    if !understood.is_empty() {
        told.push(format!("Understood: {}.", understood.join("; ")));
    }
    let beyond = wanted.beyond();
    if !beyond.is_empty() {
        told.push(format!("Not possible without a model: {}.", beyond.join("; ")));
    }
    if !wanted.unread.is_empty() {
        let list = wanted.unread.iter().map(|one| format!("“{one}”")).collect::<Vec<_>>().join(" ");
        told.push(format!("No rule reads these sentences; their words only weigh in the order: {list}"));
    }
    let forms = request::beyond(&request);
    if !forms.is_empty() {
        let formats = request::formats_to_publish(facts.context(), &request, &facts.sources());
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        told.push(format!(
            "A form that was asked for ({}) cannot be written without other tools; this is {} instead.",
            forms.join(", "),
            names.join(" and ")
        ));
    }
    told.push(format!(
        "Read: {} of {} files. Found: contradictions {}, to be checked {}, figures {}, dates {}, tables {}; not covered: {}.",
        read.len(),
        read.len() + unread.len(),
        count(Kind::Contradictions),
        count(Kind::Doubts),
        count(Kind::Figures),
        count(Kind::Dates),
        outline.of(Kind::Tables).count(),
        count(Kind::Unread),
    ));
    let told = told.iter().map(|text| Statement::new(text, Vec::new())).collect();
    outline.sections.insert(0, Section::statements(Kind::Asked, told));
    outline
}

/// Adds what was not covered to the section that tells it, or before the sources if there is none yet.
fn add_unread(outline: &mut Paper, mut left: Vec<Statement>) {
    for section in outline.sections.iter_mut().filter(|section| section.kind == Kind::Unread) {
        if let Body::Statements(statements) = &mut section.body {
            statements.append(&mut left);
            return;
        }
    }
    let at =
        outline.sections.iter().position(|section| section.kind == Kind::Sources).unwrap_or(outline.sections.len());
    outline.sections.insert(at, Section::statements(Kind::Unread, left));
}

/// MV-29: the charts of what a task made, or of the sources it was given.
fn charts(facts: &Facts<'_>, given: &Given<'_>) -> Paper {
    let Given { material, wanted, words } = *given;
    let mut found: Vec<Section> =
        material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Charts)).cloned().collect();
    let made = analysis::analysis(&material.documents, &material.unread, words);
    let own: Vec<Section> = made.of(Kind::Charts).filter(|section| !found.contains(section)).cloned().collect();
    found.extend(own);
    let mut paper = Paper { title: title(facts, wanted), sections: found };
    if paper.sections.is_empty() {
        let tables = material.papers.iter().flat_map(|(_, paper)| paper.of(Kind::Tables)).cloned();
        paper.sections.extend(tables);
        let nothing = "Nothing that was given has a table with numbers that could be drawn.";
        paper.sections.push(Section::statements(Kind::Charts, Vec::new()).with_note(nothing));
    }
    paper
}

/// The first sentence of the request, or what there is instead of one.
fn title(facts: &Facts<'_>, wanted: &Wanted) -> String {
    const LONGEST: usize = 120;
    let request = facts.request();
    if let [one, other] = wanted.sides.as_slice() {
        return format!("{one} – {other}");
    }
    let texts = wanted::binding(&request, &request::instructions(facts.context()), facts.run_id());
    let first = texts.into_iter().next().unwrap_or_else(|| "What the sources say".to_owned());
    let topic = request::topic(&first);
    let first = topic.as_deref().unwrap_or(&first).trim_end_matches(['.', '。', '।', '۔']);
    let first = request::without_form(request::without_language(first));
    if first.chars().count() <= LONGEST {
        return first.to_owned();
    }
    first.chars().take(LONGEST).chain(['…']).collect()
}

/// The initial analysis: what was agreed, and what there is to read.
fn initial(facts: &Facts<'_>, wanted: &Wanted) -> Paper {
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
        .filter(|path| wanted.reads(path))
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

fn write(paper: &Paper, format: Format, language: Language) -> String {
    match format {
        Format::Markdown => write_md::write_in(paper, language),
        Format::Html => write_html::write(paper, language),
        Format::Text => write_flat::text(paper, language),
        Format::Csv => write_flat::csv(paper, language),
        Format::Json => write_flat::json(paper, language),
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
            "This was asked of the offline agent, which has no model and no network. It can only quote what stands in {}, \
             and {}. Configure another agent to have it done.",
            if facts.is_lineage() { "data/" } else { "assets/" },
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
