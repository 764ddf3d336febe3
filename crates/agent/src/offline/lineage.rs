//! Plans of the protocol `lineage`: which sub-stages, which tasks, for whatever phases and stages the user's settings have.
//!
//! Owns the meaning that the offline agent gives to a stage: what its name says, or else where it stands. Every reference
//! is a file that the catalog has; what is changed is a file that an earlier run left.

use serde_json::{Value, json};

use super::brief::{Entry, Facts};
use super::limits;
use super::read::Form;
use super::request::{self, Format};
use crate::contract::{Report, ReportOutput};

/// How the name of a task begins that reads what earlier runs left, in lower case.
pub(crate) const TAKE_UP: &str = "take up";

/// What is done in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Read,
    Rank,
    Draft,
    Check,
    /// The first part of refining: ranking again, with what the check found.
    RankAgain,
    Refine,
    /// What a phase leaves that is not the last: everything that was found.
    Evidence,
    Publish,
}

/// The word that the name of a sub-stage has, where a stage has two.
const AGAIN: &str = "again";

impl Step {
    /// What a task of this protocol is; nothing for others.
    pub(crate) fn of_task(facts: &Facts<'_>) -> Option<Self> {
        if !facts.is_lineage() || facts.item("task_name").is_empty() {
            return None;
        }
        let step = Self::of_stage(facts, facts.text(&["stage", "stage_name"]));
        let is_again = facts.text(&["sub_stage", "sub_stage_name"]).ends_with(AGAIN);
        Some(if step == Self::Refine && is_again { Self::RankAgain } else { step })
    }

    /// What a stage of the current phase is, by its name or its place.
    fn of_stage(facts: &Facts<'_>, name: &str) -> Self {
        let stages = facts.texts("stages");
        let last = stages.last().is_none_or(|last| *last == name);
        let publishes = stages.iter().any(|stage| Self::by_name(stage) == Some(Self::Publish));
        let step = match Self::by_name(name) {
            Some(step) if publishes || !last => step,
            None if publishes && stages.first() == Some(&name) => Self::Read,
            None if publishes || !last => Self::Draft,
            // Somewhere it has to be published.
            Some(_) | None => Self::Publish,
        };
        let is_last_phase =
            facts.texts("phases").last().is_none_or(|last| *last == facts.text(&["phase", "phase_name"]));
        if step == Self::Publish && !is_last_phase { Self::Evidence } else { step }
    }

    fn by_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let known = [
            ("analy", Self::Read),
            ("strateg", Self::Rank),
            ("draft", Self::Draft),
            ("validat", Self::Check),
            ("check", Self::Check),
            ("review", Self::Check),
            ("refin", Self::Refine),
            ("output", Self::Publish),
            ("publish", Self::Publish),
        ];
        known.iter().find(|(part, _)| name.contains(part)).map(|(_, step)| *step)
    }
}

pub(crate) fn sub_stages(facts: &Facts<'_>) -> Value {
    let step = Step::of_stage(facts, facts.item("stage_name"));
    let rows: &[[&str; 3]] = match step {
        Step::Read => &[[
            "Read the sources",
            "Every statement needs its place.",
            "Take each source apart into statements, figures and dates.",
        ]],
        Step::Rank => &[[
            "Rank the findings",
            "The most important comes first.",
            "Rank what the readings found, with the evidence.",
        ]],
        Step::Draft => {
            &[["Order the evidence", "A whole shows its gaps.", "Order the findings into sections with their sources."]]
        }
        Step::Check => &[[
            "Compare the sources",
            "What contradicts itself must not be published as a fact.",
            "List the claims of the sources that contradict each other.",
        ]],
        Step::RankAgain | Step::Refine => &[
            [
                "Rank once again",
                "What the check found counts, too.",
                "Rank the readings together with the contradictions.",
            ],
            [
                "Order it anew",
                "The text follows the ranking.",
                "Order the findings into the sections that are published.",
            ],
        ],
        Step::Evidence => &[[
            "Leave the evidence",
            "Later phases and runs build on it.",
            "Publish everything that was found, with its places.",
        ]],
        Step::Publish => &[[
            "Publish the document",
            "It was asked for.",
            "Publish the refined text in the forms that were asked for.",
        ]],
    };
    let rows = rows.iter().map(|[name, reason, purpose]| {
        json!({"sub_stage_name": name, "sub_stage_reason": reason, "sub_stage_purpose": purpose})
    });
    json!({ "sub_stages": rows.collect::<Vec<_>>() })
}

/// One row of a plan before it is written down.
struct Task {
    name: String,
    reason: &'static str,
    purpose: String,
    references: Vec<String>,
    folder: String,
    output: String,
}

pub(crate) fn tasks(facts: &Facts<'_>) -> Value {
    let name = facts.text(&["stage", "stage_name"]);
    let step = match Step::of_stage(facts, name) {
        Step::Refine if facts.item("sub_stage_name").ends_with(AGAIN) => Step::RankAgain,
        step => step,
    };
    let tasks = match step {
        Step::Read => reading(facts),
        Step::Rank => vec![one(
            facts,
            "Rank the findings",
            "What matters is not known yet.",
            "Rank what the readings found, with the evidence for each finding.",
            own(facts, Step::Read),
        )],
        Step::Draft => vec![one(
            facts,
            "Order the evidence",
            "Findings alone are no text.",
            "Order the findings into sections with their sources.",
            own(facts, Step::Rank),
        )],
        Step::Check => vec![one(
            facts,
            "Compare the sources",
            "A draft may rest on sources that contradict each other.",
            "List the claims of the sources that contradict each other.",
            facts.readable_sources(),
        )],
        Step::RankAgain => {
            let references = [own(facts, Step::Read), own(facts, Step::Check)].concat();
            vec![one(
                facts,
                "Rank the findings once again",
                "The check may have found contradictions.",
                "Rank the readings together with the contradictions.",
                references,
            )]
        }
        Step::Refine => vec![one(
            facts,
            "Order the findings anew",
            "The order follows the ranking.",
            "Order the findings into the sections that are published.",
            own(facts, Step::RankAgain),
        )],
        Step::Evidence => vec![evidence(facts)],
        Step::Publish => publishing(facts),
    };
    let guidelines: Vec<String> = facts
        .catalog()
        .into_iter()
        .filter(|entry| entry.asset_type == "GUIDELINE_DOC")
        .map(|entry| entry.file_path)
        .collect();
    let rows = tasks.into_iter().map(|task| {
        json!({
            "task_name": task.name,
            "task_reason": task.reason,
            "task_purpose": task.purpose,
            "related_references": task.references,
            "related_guidelines": guidelines,
            "output_folder": task.folder,
            "output_path": task.output,
        })
    });
    json!({ "tasks": rows.collect::<Vec<_>>() })
}

fn workspace(facts: &Facts<'_>) -> String {
    format!("runs/{}/workspace", facts.run_id())
}

fn one(facts: &Facts<'_>, name: &str, reason: &'static str, purpose: &str, references: Vec<String>) -> Task {
    Task {
        name: name.to_owned(),
        reason,
        purpose: format!("[Add] {purpose}"),
        references: or_anything(facts, references),
        folder: workspace(facts),
        output: String::new(),
    }
}

/// What this run's papers of a step are, in the current phase.
fn own(facts: &Facts<'_>, step: Step) -> Vec<String> {
    let phase = facts.text(&["phase_id"]);
    let of_stage = |stage: Step| match stage {
        Step::RankAgain => Step::Refine,
        other => other,
    };
    let stages = facts.texts("stages").into_iter().zip(1..);
    let fitting = stages.filter(|(name, _)| Step::of_stage(facts, name) == of_stage(step));
    let mut paths = Vec::new();
    for (_, number) in fitting {
        let sub = match step {
            Step::RankAgain => "sub-01_",
            Step::Refine => "sub-02_",
            _ => "",
        };
        let beginning = format!("{}/{phase}_stg-{number}_{sub}", workspace(facts));
        let found = facts.catalog().into_iter().map(|entry| entry.file_path);
        paths.extend(found.filter(|path| path.starts_with(&beginning)));
    }
    paths.sort();
    paths.dedup();
    paths
}

/// What there is to go by when nothing else is: this run's papers of the phase, then the sources, then anything.
fn or_anything(facts: &Facts<'_>, paths: Vec<String>) -> Vec<String> {
    let refused = |path: &String| facts.problems().iter().any(|problem| problem.contains(path.as_str()));
    let mut paths: Vec<String> = paths.into_iter().filter(|path| !refused(path)).collect();
    if paths.is_empty() {
        let beginning = format!("{}/{}_", workspace(facts), facts.text(&["phase_id"]));
        paths = facts
            .catalog()
            .into_iter()
            .map(|entry| entry.file_path)
            .filter(|path| path.starts_with(&beginning))
            .collect();
    }
    if paths.is_empty() {
        paths = facts.readable_sources();
    }
    if paths.is_empty() {
        paths = facts.catalog().into_iter().map(|entry| entry.file_path).filter(|path| !refused(path)).collect();
    }
    if paths.is_empty() {
        paths.push("db/user_instructions.md".to_owned());
    }
    paths.truncate(limits::FILES);
    paths
}

/// What earlier runs left that can be read, and was not deleted.
fn earlier(facts: &Facts<'_>) -> Vec<Entry> {
    let is_earlier = |entry: &Entry| {
        let is_other = !entry.run_id.is_empty() && entry.run_id != facts.run_id();
        is_other && entry.asset_type != "DELETION_NOTE" && Form::of(&entry.file_path).is_some()
    };
    facts.catalog().into_iter().filter(|entry| entry.file_path.starts_with("outputs/") && is_earlier(entry)).collect()
}

fn reading(facts: &Facts<'_>) -> Vec<Task> {
    let sources = facts.readable_sources();
    let share = sources.len().div_ceil(limits::READING_TASKS).max(1);
    let mut tasks: Vec<Task> = sources
        .chunks(share)
        .map(|paths| {
            let first = paths.first().map(String::as_str).unwrap_or_default();
            let name = match paths.len() {
                1 => format!("Read {first}"),
                count => format!("Read {count} files from {first} on"),
            };
            one(
                facts,
                &name,
                "What it says is not taken apart yet.",
                "Extract key sentences, figures, dates and tables with their lines.",
                paths.to_vec(),
            )
        })
        .collect();
    let references: Vec<String> =
        earlier(facts).into_iter().map(|entry| entry.file_path).take(limits::PAST_RUNS.max(8)).collect();
    if !references.is_empty() {
        tasks.push(one(
            facts,
            "Take up what earlier runs left",
            "The project lives on.",
            "Quote what earlier runs wrote that fits the request, with the lines.",
            references,
        ));
    }
    if tasks.is_empty() {
        tasks.push(one(
            facts,
            "Read the request",
            "There is nothing else to read.",
            "Note that there is no source besides the request.",
            Vec::new(),
        ));
    }
    tasks
}

/// Where the phase leaves its outputs.
fn folder(facts: &Facts<'_>) -> String {
    facts.texts("output_folders").first().map_or_else(String::new, |folder| folder.trim_end_matches('/').to_owned())
}

fn evidence(facts: &Facts<'_>) -> Task {
    let references = [own(facts, Step::Read), own(facts, Step::Check)].concat();
    let task = one(
        facts,
        "Evidence base",
        "Later phases and runs build on it.",
        "Publish everything that was found, with its places.",
        references,
    );
    change_or_add(facts, task, Format::Markdown)
}

fn publishing(facts: &Facts<'_>) -> Vec<Task> {
    if let Some(entry) = earlier(facts).into_iter().find(|entry| is_to_go(facts, &entry.file_path)) {
        let path = entry.file_path;
        let mut task = one(facts, &format!("Delete {path}"), "The request says so.", "", vec![path.clone()]);
        task.purpose = format!("[Delete] Leave a note in the place of {path}.");
        task.output = path;
        return vec![task];
    }
    let mut references = own(facts, Step::Refine);
    if references.is_empty() {
        references = own(facts, Step::Draft);
    }
    let formats = request::formats_to_publish(facts.context(), &facts.request(), &facts.sources());
    let publish = |format: &Format| {
        let purpose = format!("Write the refined text as one {} file.", format.name());
        let task = one(facts, &title(facts), "It was asked for.", &purpose, references.clone());
        change_or_add(facts, task, *format)
    };
    formats.iter().map(publish).collect()
}

/// A task that changes what an earlier run left, where the request asks for a change and there is such a file; else one
/// that adds its own.
fn change_or_add(facts: &Facts<'_>, mut task: Task, format: Format) -> Task {
    let folder = folder(facts);
    let ending = format!(".{}", format.ending());
    let inside = format!("{folder}/");
    let subject = request::subject(&facts.request());
    let weight = |entry: &Entry| {
        let text = format!("{} {}", entry.file_path, entry.summary);
        let named = usize::from(facts.request().contains(&entry.file_path)) * 1000;
        named + request::subject(&text).intersection(&subject).count()
    };
    let there = earlier(facts)
        .into_iter()
        .filter(|entry| entry.file_path.starts_with(&inside) && entry.file_path.ends_with(&ending));
    let best = there.rev().max_by_key(weight);
    let is_evidence = task.name == "Evidence base";
    match best.filter(|_| is_evidence || asks_for_change(facts)) {
        Some(entry) => {
            task.purpose = task.purpose.replacen("[Add]", "[Modify]", 1);
            task.output = entry.file_path;
        }
        None if ending == ".md" => {
            // A name that is taken is told apart by the run.
            if facts.problems().iter().any(|problem| problem.contains("exists already")) {
                task.name = format!("{} {}", task.name, facts.run_id());
            }
        }
        None => {
            let stem: String =
                task.name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).take(40).collect();
            task.output = format!("{folder}/{}_{stem}{ending}", facts.run_id());
        }
    }
    task.folder = folder;
    task
}

/// Words that ask for a change of what is there.
const CHANGE: [&str; 14] = [
    "change",
    "update",
    "revise",
    "modify",
    "amend",
    "correct",
    "replace",
    "rework",
    "수정",
    "변경",
    "갱신",
    "ändere",
    "aktualisiere",
    "modifie",
];
/// Words that ask for something to go.
const GO: [&str; 5] = ["delete", "remove", "삭제", "lösche", "supprime"];

/// Whether the request begins with such a word; in scripts that put it at the end of a sentence, whether it has one.
fn asks_for_change(facts: &Facts<'_>) -> bool {
    let request = facts.request().to_lowercase();
    let first = request.split_whitespace().next().unwrap_or_default();
    CHANGE.iter().any(|word| {
        if word.is_ascii() || word.starts_with('ä') { first.starts_with(word) } else { request.contains(word) }
    })
}

fn is_to_go(facts: &Facts<'_>, path: &str) -> bool {
    let request = facts.request();
    request.contains(path) && GO.iter().any(|word| request.to_lowercase().contains(word))
}

/// What the document is called: the beginning of the request.
fn title(facts: &Facts<'_>) -> String {
    const WORDS: usize = 8;
    let request = facts.request();
    let sentence = request
        .split(['.', '!', '?', '。', '\n', ',', ';', ':'])
        .find(|part| !part.trim().is_empty())
        .unwrap_or("Document");
    sentence.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" ")
}

/// The note that a Delete leaves; nothing for other tasks.
pub(crate) fn deletion(facts: &Facts<'_>) -> Option<Report> {
    let purpose = facts.item("task_purpose").strip_prefix("[Delete]")?.trim();
    let (output, run) = (facts.output_path().to_owned(), facts.run_id());
    let (reason, request) = (facts.item("task_reason"), facts.request());
    let request = request.split_whitespace().collect::<Vec<_>>().join(" ");
    let content = format!(
        "# Deleted\n\n`{output}` was deleted by {run}.\n\n- why: {reason}\n- what was to be done: {purpose}\n- what was asked: {request}\n\nEarlier versions are in the journal: `multiverse history {output}`.\n"
    );
    Some(Report {
        result: json!({ "status": "COMPLETED", "output_path": output }),
        outputs: vec![ReportOutput { path: output.clone(), content: Some(content) }],
        ..Report::done(&format!("{output} was deleted, and why"))
    })
}
