//! The turns of a cycle that code can take: Planner, Actor and Judge of a goal over text files. Reads the files of the
//! workdir, which is a copy of what the goal is about, and writes there alone. What a goal is and how it is reached is
//! [`text_goal`]'s; a goal that no rule reads is said to be none.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::text_goal::{self, Bounds, Files, Goal, Planned};
use crate::backend::Job;
use crate::contract::{Brief, Report};

/// The most files that are read, and the largest one, in bytes.
const MOST_FILES: usize = 10_000;
const LARGEST: u64 = 4 << 20;
/// Between the subjects of a plan, in one field.
const BETWEEN: &str = "; ";
/// What an Actor may change where the brief does not say.
const LINES: u64 = 150;
const FILES: u64 = 2;

/// The turn that a brief asks for; nothing if it is none of a cycle's.
pub(super) fn turn(job: &Job) -> Option<Report> {
    let brief = &job.brief;
    let act: fn(&Goal, &Files, &Job) -> Report = match brief.action.as_str() {
        "outline" => outline,
        "plan_loop" => plan,
        "plan_closing" => plan_closing,
        "act" if is_closing(brief) => act_closing,
        "act" => act,
        "judge" => judge,
        _ => return None,
    };
    let text = brief.context.get("goal").and_then(Value::as_str).unwrap_or_default();
    let Some(goal) = Goal::read(text) else {
        let error = "without a model only goals over text files can be reached: a glossary that covers all terms, links that resolve, headings in sentence case, numbered, without punctuation or without a skipped level; name one of them, or another agent with --agent";
        return Some(Report::failed(error));
    };
    let mut files = Files::new();
    match read_below(&job.workdir, &job.workdir, &mut files) {
        Ok(()) => Some(act(&goal, &files, job)),
        Err(error) => Some(Report::failed(&format!("the files cannot be read: {error}"))),
    }
}

fn is_closing(brief: &Brief) -> bool {
    brief.context.get("stage").and_then(Value::as_str) == Some("closing")
}

fn bounds(brief: &Brief) -> Bounds {
    let most = |name: &str, usual: u64| {
        let given = brief.context.get("limits").and_then(|limits| limits.get(name)).and_then(Value::as_u64);
        usize::try_from(given.unwrap_or(usual)).unwrap_or(usize::MAX)
    };
    Bounds { lines: most("lines", LINES), files: most("files", FILES) }
}

fn said(summary: String, confidence: f64, result: Value) -> Report {
    Report { result, confidence: Some(confidence), ..Report::done(&summary) }
}

fn outline(goal: &Goal, files: &Files, _: &Job) -> Report {
    let measure = text_goal::find(goal, files);
    let change = format!(
        "{}: {} of {} are not so yet; each loop closes as many as it may change, in the order of files and lines",
        goal.in_words(),
        measure.gaps.len(),
        measure.subjects
    );
    let result = json!({"result": "PLAN_CREATED", "change": change, "context": "counted by rule, without a model"});
    said(format!("{} gaps in all", measure.gaps.len()), 9.0, result)
}

fn plan(goal: &Goal, files: &Files, job: &Job) -> Report {
    match text_goal::plan(goal, files, &bounds(&job.brief)) {
        Planned::Plan { summary, locations, change, avoid, win_state, subjects } => {
            let result = json!({
                "result": "PLAN_CREATED",
                "locations": locations,
                "change": change,
                "avoid": avoid,
                "win_state": win_state,
                "subjects": subjects.join(BETWEEN),
                "context": "found by rule, without a model",
            });
            said(summary, 9.0, result)
        }
        Planned::Ask(question) | Planned::Met(question) => {
            let result = json!({"result": "CLARIFICATION_NEEDED", "question": question});
            said("there is nothing that a rule could change".into(), 5.0, result)
        }
    }
}

fn plan_closing(goal: &Goal, files: &Files, _: &Job) -> Report {
    let measure = text_goal::find(goal, files);
    let change =
        format!("nothing: {} of {} are as they should be", measure.subjects - measure.gaps.len(), measure.subjects);
    said("look at all of it once more".into(), 9.0, json!({"result": "PLAN_CREATED", "change": change}))
}

fn act(goal: &Goal, files: &Files, job: &Job) -> Report {
    let change = text_goal::mend(goal, files, &bounds(&job.brief));
    if change.edits.is_empty() {
        let why = format!("no rule can change anything: {} gaps are left", change.stuck.len() + change.left.len());
        return said(why, 9.0, json!({"result": "FAIL"}));
    }
    for edit in &change.edits {
        if let Err(error) = write(&job.workdir.join(&edit.path), &edit.after) {
            return said(format!("{} cannot be written: {error}", edit.path), 9.0, json!({"result": "FAIL"}));
        }
    }
    let deed = text_goal::deed(goal, &change);
    let result = json!({
        "result": "SUCCESS",
        "where_to_look": deed.where_to_look,
        "what_changed": deed.what_changed,
        "why": deed.why,
        "testing_notes": deed.testing_notes,
    });
    said(deed.summary, 9.0, result)
}

fn act_closing(_: &Goal, _: &Files, _: &Job) -> Report {
    said("nothing was left to change".into(), 9.0, json!({"result": "SUCCESS", "what_changed": "nothing"}))
}

fn judge(goal: &Goal, files: &Files, job: &Job) -> Report {
    let named = job.brief.context.pointer("/plan/subjects").and_then(Value::as_str).unwrap_or_default();
    let subjects: Vec<String> = named.split(BETWEEN).filter(|one| !one.is_empty()).map(str::to_owned).collect();
    let found = text_goal::findings(goal, files, &subjects);
    let failed: Vec<&str> = job.brief.context.get("checks").and_then(Value::as_array).map_or_else(Vec::new, |checks| {
        let bad = checks.iter().filter(|check| check.get("good") == Some(&json!(false)));
        bad.filter_map(|check| check.get("name").and_then(Value::as_str)).collect()
    });
    let passes = found.passes && failed.is_empty();
    let discrepancy = match failed.is_empty() {
        true => found.discrepancy,
        false => format!("these checks are not good: {}; {}", failed.join(", "), found.discrepancy),
    };
    let result = json!({
        "result": if passes { "PASS" } else { "INSUFFICIENT" },
        "superordinate": if found.is_met && failed.is_empty() { "SUFFICIENT" } else { "PROGRESSING" },
        "subordinate": found.subordinate,
        "discrepancy": discrepancy,
        "main_source": found.main_source,
        "recommended": found.recommended,
    });
    said(found.summary, 9.0, result)
}

/// The texts below a folder, by path from its top. Links are not followed, and what belongs to tools is left out.
fn read_below(top: &Path, folder: &Path, files: &mut Files) -> std::io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind, name) = (entry.path(), entry.file_type()?, entry.file_name());
        let name = name.to_string_lossy();
        if kind.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
            read_below(top, &path, files)?;
        }
        let is_text = kind.is_file() && (name.ends_with(".md") || name.ends_with(".markdown"));
        if is_text && files.len() < MOST_FILES && entry.metadata()?.len() <= LARGEST {
            let relative = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
            // The record of the cycle speaks of the goal; it is not what the goal is about.
            if let (Ok(text), false) = (fs::read_to_string(&path), relative.starts_with("docs/context/")) {
                files.insert(relative, text);
            }
        } else if kind.is_file() && files.len() < MOST_FILES {
            // Links lead to files of any kind.
            let relative = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
            files.insert(relative, String::new());
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend as _, Ending, Meter};

    fn work(folder: &Path, action: &str, context: Value) -> Report {
        let mut brief = Brief::new("run-1", "cycle", "planner", action);
        brief.context = context;
        let job = Job {
            brief,
            project: folder.into(),
            workdir: folder.into(),
            readable: Vec::new(),
            meter: Meter::default(),
        };
        match super::super::Offline.work(&job, &tools::Stop::new(), &|_| {}) {
            Ending::Report { report, .. } => report,
            other => panic!("{other:?}"),
        }
    }

    /// CY-05: what is said of files is true of them: a plan, a change within its bounds, and a measure of both.
    #[test]
    fn a_loop_over_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("a.md", "# A\n\nA **keel** is the lowest timber. A **mast** is the upright one.\n");
        write("GLOSSARY.md", "# Glossary\n");
        let goal = "The glossary covers all terms.";
        let context = json!({"goal": goal, "limits": {"lines": 1, "files": 1}});
        let plan = work(folder.path(), "plan_loop", context.clone());
        assert_eq!((&plan.result["result"], &plan.result["subjects"]), (&json!("PLAN_CREATED"), &json!("keel")));
        let context = |more: Value| json!({"goal": goal, "limits": {"lines": 1, "files": 1}, "plan": more});
        let before = work(folder.path(), "judge", context(plan.result.clone()));
        assert_eq!(before.result["result"], "INSUFFICIENT", "nothing was done yet");
        assert_eq!(work(folder.path(), "act", context(json!({}))).result["result"], "SUCCESS");
        let after = work(folder.path(), "judge", context(plan.result.clone()));
        assert_eq!(after.result["result"], "PASS");
        assert_eq!(after.result["superordinate"], "PROGRESSING", "the mast is missing");
        let checks = json!({"goal": goal, "plan": plan.result, "checks": [{"name": "tests", "good": false}]});
        assert_eq!(work(folder.path(), "judge", checks).result["result"], "INSUFFICIENT");
        let none = work(folder.path(), "plan_loop", json!({"goal": "Make it nice."}));
        assert!(none.error.unwrap().contains("without a model"));
    }
}
