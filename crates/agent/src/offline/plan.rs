//! Plans of the four phases: which stages, which tasks, from which files to which file.
//!
//! Owns the file names of the offline agent's papers. Every reference is a file that the catalog has, or the output of
//! an earlier task of the same plan.

use serde_json::{Value, json};

use super::brief::Facts;
use super::limits;
use super::paper::Kind;
use super::past;
use super::read::Form;
use super::request::{self, Format};

pub(crate) fn stages(facts: &Facts<'_>) -> Value {
    let rows: &[(&str, &str)] = match facts.phase_name() {
        "STRATEGIZING" => &[(
            "Rank the findings",
            "Makes findings.md, the findings ranked with their evidence, which the outline is built from.",
        )],
        "REFINING_CONTENT" => &[(
            "Order the evidence",
            "Makes outline.md, the findings ordered into sections with their sources, which the deliverables are assembled from.",
        )],
        "GENERATING_OUTPUT" => &[(
            "Assemble and publish",
            "Makes assembly_plan.md and from it the deliverables in outputs/, one for each form that was asked for, which the user gets.",
        )],
        _ => &[
            (
                "Read the sources",
                "Makes one analysis of each source (analysis_*.md) with key sentences, figures, dates and tables, used to rank the findings.",
            ),
            (
                "Compare the sources",
                "Makes comparison.md, the contradictions between the sources with both places, used to rank the findings.",
            ),
        ],
    };
    let stages: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(index, (name, goal))| json!({"stage_name": name, "stage_goal": goal, "execution_order": index + 1}))
        .collect();
    json!({ "stages": stages })
}

/// One row of a plan before it is written down.
struct Task {
    name: String,
    purpose: String,
    references: Vec<String>,
    output: String,
    /// What a tool is to make of the output.
    after: String,
}

pub(crate) fn tasks(facts: &Facts<'_>) -> Value {
    let tasks = match facts.phase_name() {
        "STRATEGIZING" => vec![finding_task(facts)],
        "REFINING_CONTENT" => vec![outline_task(facts)],
        "GENERATING_OUTPUT" => publishing_tasks(facts),
        _ => analyzing_tasks(facts),
    };
    let rows: Vec<Value> = tasks
        .into_iter()
        .map(|task| mended(task, facts.problems()))
        .enumerate()
        .map(|(index, task)| {
            json!({
                "task_name": task.name,
                "task_purpose": task.purpose,
                "related_references": task.references,
                "output_path": task.output,
                "pre_tool_purpose": if index == 0 { before(facts) } else { String::new() },
                "post_tool_purpose": task.after,
                "execution_order": index + 1,
            })
        })
        .collect();
    json!({ "tasks": rows })
}

/// A row without what was refused before: an input that a problem names goes, an output that one names is called otherwise.
fn mended(mut task: Task, problems: &[String]) -> Task {
    let about = |column: &str, path: &str| {
        problems
            .iter()
            .any(|problem| problem.contains(column) && problem.split([' ', '`', '"', ',']).any(|word| word == path))
    };
    let kept: Vec<String> = task.references.iter().filter(|path| !about("related_references", path)).cloned().collect();
    if !kept.is_empty() {
        task.references = kept;
    }
    if about("output_path", &task.output) {
        let (stem, ending) = task.output.rsplit_once('.').unwrap_or((task.output.as_str(), "md"));
        task.output = format!("{stem}_again.{ending}");
    }
    task
}

fn workspace(facts: &Facts<'_>, phase: &str, name: &str) -> String {
    format!("runs/{}/workspace/{phase}/{name}", facts.run_id())
}

/// The files of this run's workspace that the catalog has, those of one phase, or of all if it is empty.
///
/// A page that draws what another paper says holds nothing new.
fn own_files(facts: &Facts<'_>, phase: &str) -> Vec<String> {
    let folder = format!("runs/{}/workspace/{phase}", facts.run_id());
    let mut paths: Vec<String> = facts
        .catalog()
        .into_iter()
        .map(|entry| entry.file_path)
        .filter(|path| path.starts_with(&folder) && !path.ends_with("_datavisualization.html"))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// What there is to go by when nothing else is: this run's papers, then anything the catalog has.
fn anything(facts: &Facts<'_>) -> Vec<String> {
    let own = own_files(facts, "");
    if !own.is_empty() {
        return own;
    }
    let catalog = facts.catalog();
    let mut paths: Vec<String> = catalog.iter().map(|entry| entry.file_path.clone()).collect();
    paths.sort();
    paths.truncate(limits::FILES);
    paths
}

fn analyzing_tasks(facts: &Facts<'_>) -> Vec<Task> {
    let words = facts.stage_words();
    let compares = words.contains("compare") || words.contains("comparison") || words.contains("contradiction");
    let reads = words.contains("read") || words.contains("each source");
    let mut tasks = if compares && !reads { Vec::new() } else { reading_tasks(facts) };
    if reads || !compares {
        tasks.extend(past_task(facts));
    }
    if compares || !reads {
        let wanted = facts.wanted();
        let mut references = facts.sources();
        references.retain(|path| wanted.reads(path));
        references.truncate(limits::FILES);
        if references.is_empty() {
            references = anything(facts);
        }
        tasks.push(Task {
            name: "Compare the sources".to_owned(),
            purpose: "Lists claims of the sources that contradict each other.".to_owned(),
            references,
            output: workspace(facts, "ANALYZING", "comparison.md"),
            after: String::new(),
        });
    }
    tasks
}

fn reading_tasks(facts: &Facts<'_>) -> Vec<Task> {
    let sources = facts.readable_sources();
    if sources.is_empty() {
        return vec![Task {
            name: "Read the request".to_owned(),
            purpose: "Notes that there is no source to read besides the request.".to_owned(),
            references: anything(facts),
            output: workspace(facts, "ANALYZING", "analysis_01_request.md"),
            after: String::new(),
        }];
    }
    let share = sources.len().div_ceil(limits::READING_TASKS);
    sources
        .chunks(share)
        .enumerate()
        .map(|(index, paths)| {
            let first = paths.first().map(String::as_str).unwrap_or_default();
            let name = match paths.len() {
                1 => format!("Read {first}"),
                count => format!("Read {count} files from {first} on"),
            };
            Task {
                name,
                purpose: "Extracts key sentences, figures, dates and table statistics with their lines.".to_owned(),
                after: after_reading(facts, paths),
                references: paths.to_vec(),
                output: workspace(facts, "ANALYZING", &format!("analysis_{:02}_{}.md", index + 1, slug(first))),
            }
        })
        .collect()
}

/// What past runs wrote, taken up by one task; nothing if there is none worth reading again.
fn past_task(facts: &Facts<'_>) -> Option<Task> {
    let references = past::files(facts.context());
    let name = match references.as_slice() {
        [] => return None,
        [one] => format!("Take up {one}"),
        many => format!("Take up what {} past runs wrote", many.len()),
    };
    Some(Task {
        name,
        purpose: "Quotes what past runs wrote that fits the request, with the lines.".to_owned(),
        references,
        output: workspace(facts, "ANALYZING", past::PAPER),
        after: String::new(),
    })
}

/// A file of rows and columns is drawn, where there is the tool for it (MV-29).
fn after_reading(facts: &Facts<'_>, paths: &[String]) -> String {
    let has_table = paths.iter().any(|path| Form::of(path) == Some(Form::Csv));
    let is_drawn = !facts.wanted().without_parts.contains(&Kind::Charts);
    if has_table && is_drawn && knows(facts, "DataVisualization") {
        "Draws the tables of the source as charts that suit their data.".to_owned()
    } else {
        String::new()
    }
}

/// What is to be looked up on the web before the sources are read, where the request asks for that and it can be had (MV-29).
fn before(facts: &Facts<'_>) -> String {
    const ASKED: [&str; 8] = [
        "search the web",
        "web search",
        "search online",
        "look up online",
        "on the web",
        "search the internet",
        "on the internet",
        "im internet",
    ];
    const ENDS: [&str; 5] = [" and make ", " and write ", " and create ", " and tell ", ". "];
    let request = facts.request().to_lowercase();
    let is_first = facts.phase_name() == "ANALYZING" && facts.stage_words().contains("read");
    let asked = ASKED.iter().find_map(|words| Some(request.find(words)? + words.len()));
    let Some(at) = asked.filter(|_| is_first && knows(facts, "WebSearch")) else { return String::new() };
    let rest = request[at..].trim_start();
    let about = ["for ", "about ", "on ", "nach "].iter().find_map(|word| rest.strip_prefix(word));
    match about {
        Some(about) => {
            let end = ENDS.iter().filter_map(|end| about.find(end)).min().unwrap_or(about.len());
            about[..end].trim_end_matches(['.', '!', ' ']).to_owned()
        }
        None => facts.request(),
    }
}

fn knows(facts: &Facts<'_>, tool: &str) -> bool {
    let known = facts.context().get("tool_types").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    known.iter().any(|one| one.as_str() == Some(tool))
}

/// A file's name as part of another: letters and digits only.
fn slug(path: &str) -> String {
    const LONGEST: usize = 40;
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let plain: String = stem
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .take(LONGEST)
        .collect::<String>()
        .to_lowercase();
    let plain = plain.trim_matches('_').to_owned();
    if plain.is_empty() { "source".to_owned() } else { plain }
}

fn or_anything(facts: &Facts<'_>, paths: Vec<String>) -> Vec<String> {
    if paths.is_empty() { anything(facts) } else { paths }
}

fn finding_task(facts: &Facts<'_>) -> Task {
    Task {
        name: "Rank the findings".to_owned(),
        purpose: "Ranks what the analyses found, with the evidence for each finding.".to_owned(),
        references: or_anything(facts, own_files(facts, "ANALYZING")),
        output: workspace(facts, "STRATEGIZING", "findings.md"),
        after: String::new(),
    }
}

fn outline_task(facts: &Facts<'_>) -> Task {
    Task {
        name: "Order the evidence into an outline".to_owned(),
        purpose: "Orders the findings into sections with their sources.".to_owned(),
        references: or_anything(facts, own_files(facts, "STRATEGIZING")),
        output: workspace(facts, "REFINING_CONTENT", "outline.md"),
        after: String::new(),
    }
}

fn publishing_tasks(facts: &Facts<'_>) -> Vec<Task> {
    let outline = or_anything(facts, own_files(facts, "REFINING_CONTENT"));
    let plan = workspace(facts, "GENERATING_OUTPUT", "assembly_plan.md");
    let mut tasks = vec![Task {
        name: "Plan the assembly".to_owned(),
        purpose: "Lists the parts of the deliverables and the files they go to.".to_owned(),
        references: outline.clone(),
        output: plan.clone(),
        after: String::new(),
    }];
    for format in request::formats_to_publish(facts.context(), &facts.request(), &facts.sources()) {
        let mut references = vec![plan.clone()];
        references.extend(outline.iter().cloned());
        tasks.push(Task {
            name: format!("Publish as {}", format.name()),
            purpose: format!("Writes the outline as one {} file.", format.name()),
            references,
            output: published(facts.run_id(), format),
            after: String::new(),
        });
    }
    tasks
}

/// Where a deliverable goes.
pub(crate) fn published(run_id: &str, format: Format) -> String {
    format!("outputs/{run_id}/report.{}", format.ending())
}

/// One tool task for what the task's row asks of a tool; nothing if no tool of this kind is there.
pub(crate) fn tools(facts: &Facts<'_>, target: &str) -> Option<Value> {
    let (timing, field, wanted) = if target.starts_with("pre_tool:") {
        ("PRE", "pre_tool_purpose", "WebSearch")
    } else {
        ("POST", "post_tool_purpose", "DataVisualization")
    };
    if !knows(facts, wanted) {
        return None;
    }
    let task = target.split_once(':').map_or("", |(_, task)| task);
    let output = facts.item("output_path");
    let folder = output.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = if folder.starts_with("runs/") { folder.to_owned() } else { workspace(facts, facts.phase_name(), "") };
    let ending = if timing == "PRE" { "md" } else { "html" };
    let references: Vec<&str> = if timing == "PRE" { Vec::new() } else { vec![output] };
    Some(json!({ "tool_tasks": [{
        "parent_task_id": task,
        "timing": timing,
        "tool_type": wanted,
        "tool_task_name": format!("{wanted} for {task}"),
        "tool_task_purpose": facts.item(field),
        "related_references": references,
        "output_path": format!("{}/{task}_{}.{ending}", folder.trim_end_matches('/'), wanted.to_lowercase()),
        "execution_order": 1,
    }] }))
}
