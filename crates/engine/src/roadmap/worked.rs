//! What somebody who looked at an executor's copy found there: which files changed, as what, and what may not be. It travels
//! in the report, over whatever the agent wrote there itself.

use std::collections::BTreeMap;

use agent::Report;
use agent::roadmap::is_within;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Where it stands in a report's result.
const NAME: &str = "worked";
/// How many files a message names.
const NAMED: usize = 20;

/// What an executor left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Worked {
    /// The item, and who worked on it: whoever keeps the work aside later says so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub executor: String,
    /// The commit, as an object, with a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The files that differ from what was given out.
    #[serde(default)]
    pub files: Vec<String>,
    /// Without a repository: the digest of each of them as it was given out; nothing for one that was not there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, Option<String>>,
    /// Where it is kept, if it is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// Without a repository: the files that are another by now, and where the work is kept because of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clashed: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kept: String,
    /// Who changed them meanwhile, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub with: String,
}

impl Worked {
    /// Puts it into a report.
    pub(super) fn put(&self, report: &mut Report) {
        if !report.result.is_object() {
            report.result = Value::Object(Map::new());
        }
        if let Some(result) = report.result.as_object_mut() {
            result.insert(NAME.into(), json!(self));
        }
    }

    /// What stands in a report; nothing of an agent that was given no copy.
    pub(super) fn of(report: &Report) -> Self {
        let found = report.result.get(NAME).and_then(|value| serde_json::from_value(value.clone()).ok());
        found.unwrap_or_default()
    }
}

/// What of the changed files an executor may not change (RM-17): task and log files are the engine's, and what lies outside
/// the task's folders is not its business.
pub(super) fn strayed<'f>(files: impl IntoIterator<Item = &'f str>, dirs: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut more = 0;
    for path in files {
        let lower = path.to_lowercase();
        let problem = if lower.ends_with(".task.md") || lower.ends_with(".log.md") {
            format!(
                "{path}: task and log files are the engine's own: put it back, and say in the report what is to change"
            )
        } else if is_within(path, dirs) {
            continue;
        } else {
            format!("{path}: is outside the folders of the task ({}): put it back", dirs.join(", "))
        };
        if problems.len() < NAMED {
            problems.push(problem);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        problems.push(format!("and {more} more files that are not the executor's to change"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RM-17: what an executor may not change is refused with the list.
    #[test]
    fn rm17_strayed_files_are_listed() {
        let dirs = vec!["docs".to_string(), "src/".into()];
        let files = ["docs/a.md", "src/b.rs", "other.md", ".jixo/new.task.md", "docs/x.LOG.md", "docs2/a"];
        let problems = strayed(files, &dirs);
        let named: Vec<&str> = problems.iter().filter_map(|problem| problem.split(':').next()).collect();
        assert_eq!(named, ["other.md", ".jixo/new.task.md", "docs/x.LOG.md", "docs2/a"]);
        assert!(problems[0].contains("(docs, src/)"), "{problems:?}");
        assert_eq!(strayed(["a", "b/c"], &[]), Vec::<String>::new());
        assert_eq!(strayed(["x.log.md"; 50], &[]).len(), NAMED + 1);
    }

    #[test]
    fn an_agent_cannot_say_itself_what_it_changed() {
        let mut report = Report::done("x");
        report.result = json!({"worked": {"commit": "abc"}, "blocker": true});
        Worked { files: vec!["a".into()], ..Worked::default() }.put(&mut report);
        assert_eq!(Worked::of(&report), Worked { files: vec!["a".into()], ..Worked::default() });
        assert_eq!(report.result["blocker"], true);
        report.result = Value::Null;
        Worked::default().put(&mut report);
        assert_eq!(Worked::of(&report), Worked::default());
    }
}
