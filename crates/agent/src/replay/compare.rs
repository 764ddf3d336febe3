//! Owns what of a brief, or of the files it names, is other than recorded. What the recorded run itself left in the project,
//! or one that came after it, is no difference, and neither is what happened to be finished when the brief was made. Must not
//! know what becomes of a difference.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Recording, brief_name, digests, rename};
use crate::apart::differences;
use crate::backend::Job;
use crate::contract::Brief;
use crate::prompt::{Form, Prompts, Tools};

/// Why a planner of a roadmap is given a folder.
const GROUND: &str = "part of the task's ground";

/// What is known of the recorded run and of the words of today.
pub(super) struct Comparison<'a> {
    /// Its id.
    pub(super) run: &'a str,
    /// That of the run that is held against it.
    pub(super) now: &'a str,
    /// Every file that was catalogued or made in it.
    pub(super) known: &'a BTreeSet<String>,
    pub(super) prompts: &'a Prompts,
    /// Whether the time of an attempt is what others had left.
    pub(super) is_timed: bool,
}

impl Comparison<'_> {
    pub(super) fn of(&self, recording: &Recording, job: &Job) -> Vec<String> {
        let mut found = self.of_briefs(recording, &job.brief);
        found.extend(self.of_files(recording, &digests(&job.brief, &job.project)));
        found
    }

    /// What of a brief is another.
    pub(super) fn of_briefs(&self, recording: &Recording, brief: &Brief) -> Vec<String> {
        let what = brief_name(brief);
        let mut found = Vec::new();
        let (mut then, mut now) = (value(&recording.brief), value(brief));
        self.forget_later_runs(&brief.run_id, &mut now);
        self.level_catalogs(&brief.run_id, &mut then, &mut now);
        level_scores(&mut then, &mut now);
        forget_new_summaries(&then, &mut now);
        forget_new_ground(&then, &mut now);
        if self.is_timed {
            now["limits"]["seconds"] = then["limits"]["seconds"].clone();
        }
        self.word(&recording.brief, &mut then);
        self.word(brief, &mut now);
        if recording.brief.prompt.is_empty() {
            // Whoever answered at once read no words; whoever replays has them made.
            now["prompt"] = then["prompt"].clone();
        }
        rename(&mut then, self.run, &brief.run_id);
        // A project that was copied or moved works as before.
        if let (Some(was), Some(is)) = (root(&then), root(&now))
            && was != is
        {
            rename(&mut then, &was, &is);
        }
        // Attempts that were lost, with their process for one, were not recorded, and are not made again.
        if brief.attempt < recording.brief.attempt {
            now["attempt"] = then["attempt"].clone();
        }
        differences("", &then, &now, &mut |place, then, now| {
            found.push(format!("{what}: brief {place}: {now}, recorded {then}"));
        });
        found
    }

    /// Which of the files that it names are others; those that are not known are left out.
    pub(super) fn of_files(&self, recording: &Recording, digests: &BTreeMap<String, String>) -> Vec<String> {
        let what = brief_name(&recording.brief);
        let is_another = |path: &String, then: &String| digests.get(path).is_some_and(|now| now != then);
        let named = recording.files.iter().map(|(path, then)| (path.replace(self.run, self.now), then));
        let others = named.filter(|(path, then)| is_another(path, then));
        others.map(|(path, _)| format!("{what}: file {path}: its content is another")).collect()
    }

    /// Whether a run was not there when the recorded one began. Ids are made of the time.
    fn is_later(&self, run: &str, own: &str) -> bool {
        run != own && run >= self.run
    }

    /// What runs left that were not there then.
    fn forget_later_runs(&self, own: &str, now: &mut Value) {
        for list in ["instructions", "catalog", "past_runs"] {
            if let Some(rows) = now.pointer_mut(&format!("/context/{list}")).and_then(Value::as_array_mut) {
                rows.retain(|row| !row["run_id"].as_str().is_some_and(|run| self.is_later(run, own)));
            }
        }
        if let Some(context) = now.pointer_mut("/context").and_then(Value::as_object_mut)
            && context.get("past_runs").and_then(Value::as_array).is_some_and(Vec::is_empty)
        {
            context.remove("past_runs");
        }
        if let Some(files) = now.pointer_mut("/files").and_then(Value::as_array_mut) {
            let of_later = |path: &str| match path.split('/').collect::<Vec<_>>()[..] {
                ["runs" | "outputs", run, ..] => self.is_later(run, own),
                _ => false,
            };
            files.retain(|file| !file["path"].as_str().is_some_and(of_later));
        }
    }

    /// The catalog of a brief is what was there when it was made. A row that only one of both has is no difference if the
    /// recorded run knew the file at some time, and that row is of an input that it catalogued later, or of its own work.
    fn level_catalogs(&self, own: &str, then: &mut Value, now: &mut Value) {
        let paths = |value: &Value| -> BTreeSet<String> {
            let rows = value.pointer("/context/catalog").and_then(Value::as_array).into_iter().flatten();
            rows.filter_map(|row| Some(row["file_path"].as_str()?.to_string())).collect()
        };
        let (before, after) = (paths(then), paths(now));
        let of_then = |path: &str| path.replace(own, self.run);
        let of_now = |path: &str| path.replace(self.run, own);
        if let Some(rows) = now.pointer_mut("/context/catalog").and_then(Value::as_array_mut) {
            rows.retain(|row| {
                let path = of_then(row["file_path"].as_str().unwrap_or_default());
                before.contains(&path) || !self.known.contains(&path)
            });
        }
        if let Some(rows) = then.pointer_mut("/context/catalog").and_then(Value::as_array_mut) {
            rows.retain(|row| {
                let path = of_now(row["file_path"].as_str().unwrap_or_default());
                after.contains(&path) || row["run_id"] == ""
            });
        }
        // Those who worked side by side were done in another order.
        for value in [then, now] {
            if let Some(rows) = value.pointer_mut("/context/catalog").and_then(Value::as_array_mut) {
                rows.sort_by_cached_key(|row| of_then(row["file_path"].as_str().unwrap_or_default()));
            }
        }
    }

    /// The prompt follows from the rest of a brief: what is no difference there is none in its words. A prompt that is not
    /// in the words of today stays as it is.
    fn word(&self, brief: &Brief, cleaned: &mut Value) {
        let words = |brief: &Brief| self.prompts.render(brief, Form::Report, Tools::None).text();
        if brief.prompt.is_empty() || words(brief) != brief.prompt {
            return;
        }
        if let Ok(brief) = serde_json::from_value::<Brief>(cleaned.clone()) {
            cleaned["prompt"] = Value::String(words(&brief));
        }
    }
}

fn value(brief: &Brief) -> Value {
    let mut value = serde_json::to_value(brief).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("workdir");
    }
    value
}

/// How alike a past run is depends on all that are known, and those that came later are known now.
fn level_scores(then: &mut Value, now: &mut Value) {
    let scores = |value: &Value| -> BTreeMap<String, (Value, Value)> {
        let rows = value.pointer("/context/past_runs").and_then(Value::as_array).into_iter().flatten();
        let scored = |row: &Value| {
            Some((row["run_id"].as_str()?.to_string(), (row["score"].clone(), row["shared_words"].clone())))
        };
        rows.filter_map(scored).collect()
    };
    let before = scores(then);
    for row in now.pointer_mut("/context/past_runs").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some((score, shared)) = row["run_id"].as_str().and_then(|run| before.get(run)) {
            (row["score"], row["shared_words"]) = (score.clone(), shared.clone());
        }
    }
    for value in [then, now] {
        for file in value.pointer_mut("/files").and_then(Value::as_array_mut).into_iter().flatten() {
            let why = file["why"].as_str().and_then(|why| why.split_once(" (score ")).map(|(why, _)| why.to_string());
            if let Some(why) = why {
                file["why"] = Value::String(why);
            }
        }
    }
}

/// Inputs that had no summary when they were recorded have one by now: the recorded run itself made it.
fn forget_new_summaries(then: &Value, now: &mut Value) {
    let rows = |value: &Value| value.pointer("/context/catalog").and_then(Value::as_array).cloned().unwrap_or_default();
    let bare = |row: &&Value| row["summary"] == "" && row["run_id"] == "";
    let paths: BTreeSet<String> =
        rows(then).iter().filter(bare).filter_map(|row| Some(row["file_path"].as_str()?.to_string())).collect();
    for row in now.pointer_mut("/context/catalog").and_then(Value::as_array_mut).into_iter().flatten() {
        if row["file_path"].as_str().is_some_and(|path| paths.contains(path)) {
            row["summary"] = Value::String(String::new());
            row["source_task_id"] = Value::String(String::new());
        }
    }
}

/// What stands at the top of a project today and did not then: the recorded run may have made it itself.
fn forget_new_ground(then: &Value, now: &mut Value) {
    let files = then["files"].as_array().cloned().unwrap_or_default();
    let is_new = |file: &Value| file["why"] == GROUND && !files.contains(file);
    if let Some(files) = now.pointer_mut("/files").and_then(Value::as_array_mut) {
        files.retain(|file| !is_new(file));
    }
}

/// The project's folder, as agents that are told theirs are told it.
fn root(brief: &Value) -> Option<String> {
    let folder = brief.pointer("/context/task/cwd")?.as_str()?;
    let root = folder.split("/.multiverse/scratch/").next()?;
    (root.len() > 1).then(|| root.to_string())
}
