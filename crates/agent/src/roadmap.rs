//! Owns what a Planner and an Executor of a roadmap are told and what they answer, as data: the fields of a brief's
//! `context` and of a report's `result` (RM-06, RM-08, RM-16). Must not know who works, nor what becomes of an answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::Brief;

/// The protocol's name.
pub const PROTOCOL: &str = "roadmap";
/// The Planner's action: what becomes of the roadmap.
pub const PLAN: &str = "plan_roadmap";
/// The Executor's: one item.
pub const DO: &str = "do_item";
/// How many steps before its last an executor is told that it comes to an end.
pub const LAST_STEPS: u32 = 5;

/// The `context` of a brief. The names with capitals are those that agents written for these files know.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// New for every step: the executor's name and a number that nobody else has.
    #[serde(rename = "Executor_Identity")]
    pub executor_identity: String,
    #[serde(rename = "Executor_Name")]
    pub executor_name: String,
    /// The most steps of the attempt.
    #[serde(rename = "Current_Task_Max_Steps_Quota")]
    pub quota: u32,
    /// Everybody who is at work on the roadmap now, this one too.
    #[serde(rename = "Active_Executor_List")]
    pub active_executors: Vec<String>,
    pub task: Task,
    /// The number of the attempt, by which its words to the engine are known.
    pub fence: u64,
    /// As the log has it: `15%`.
    pub progress: String,
    /// The roadmap's items in order; of a long one those that bear on the work.
    pub items: Vec<Item>,
    /// How many items are not among them.
    pub left_out: usize,
    /// Work-log entries, the newest first.
    pub recent: Vec<Entry>,
    /// For a Planner: why there is something to plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// What was asked about the item, with what is done if nobody answers.
    pub asked: Vec<Asked>,
    /// Where the last attempt on the item came to, if it paused.
    pub partial: String,
    /// What there is to take up, by name.
    pub skills: Vec<SkillName>,
    /// The command of the server that has the tools of the log, for an agent that can start one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tools_command: String,
}

/// The task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    pub name: String,
    /// The project's folder, where the attempt works: paths are from here.
    pub cwd: String,
    /// The only folders that are written to; empty: all of the project.
    pub dirs: Vec<String>,
    pub task_file: String,
    pub log_file: String,
    /// The text of the task file, without its front matter and questions.
    pub goal: String,
}

/// An item of the roadmap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Item {
    /// What it is known by.
    pub key: String,
    pub number: String,
    pub title: String,
    /// The titles of the groups that it is in, the outermost first, parted by ` / `.
    pub group: String,
    /// `Pending`, `Locked`, `Completed`, `Failed`, `Cancelled`.
    pub status: String,
    pub depends_on: Vec<String>,
    /// The files that it changes: no two items that claim one are done at once.
    pub claims: Vec<String>,
    /// The newest result in the work log, and its summary; empty if there is none.
    pub result: String,
    pub summary: String,
}

/// An entry of the work log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    pub number: u64,
    pub executor: String,
    pub role: String,
    pub objective: String,
    pub result: String,
    pub summary: String,
}

/// Why there is something to plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Why {
    /// An item stopped before something that it could not get over.
    Blocked { item: String, summary: String },
    /// An item failed.
    Failed { item: String, summary: String },
    /// A person answered.
    Reply { question: String, response: String, item: String, default: String },
    /// There is no roadmap yet, or the goal is another than it was planned for.
    Goal,
}

/// A question about the item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    pub question: String,
    /// What is done if nobody answers.
    pub default: String,
    /// What a person answered; nothing as long as nobody has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// A skill, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillName {
    pub name: String,
    pub description: String,
}

/// What a Planner wants changed: the `result` of its report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<NewItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cancel: Vec<Cancelled>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<Changed>,
}

/// An item to add.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewItem {
    /// Left out: the next free one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub number: String,
    pub title: String,
    /// The titles of the groups that it goes into, the outermost first, parted by ` / `; they are made if they are not there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The item it comes after; left out: the last of its group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// Items by number, of the roadmap or of this plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
}

/// An item to give up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cancelled {
    pub item: String,
    pub reason: String,
}

/// An item to change; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Changed {
    pub item: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<String>>,
    /// A failed or blocked item is to be tried again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// What an Executor says besides its status and its summary: the `result` of its report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Done {
    /// With the status `paused`: whether something stands in the way. A pause because the steps are used up is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocker: Option<bool>,
    /// With the status `question`: what is done if nobody answers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub default: String,
    /// With the status `question`: what of the roadmap changes for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

impl Context {
    /// The context of a brief, read leniently; nothing if it is none of a roadmap's.
    pub fn of(brief: &Brief) -> Option<Self> {
        (brief.protocol == PROTOCOL).then(|| serde_json::from_value(brief.context.clone()).unwrap_or_default())
    }
}

/// The steps that an attempt may take, if running out of them is a pause and no failure.
pub(crate) fn quota(brief: &Brief) -> Option<u32> {
    let quota = brief.context.get("Current_Task_Max_Steps_Quota").filter(|_| brief.protocol == PROTOCOL)?;
    quota.as_u64().and_then(|quota| u32::try_from(quota).ok()).filter(|quota| *quota > 0)
}

/// Whether a path is within the folders of a task.
pub fn is_within(path: &str, dirs: &[String]) -> bool {
    let is_below = |dir: &String| {
        let dir = dir.trim_start_matches("./").trim_end_matches('/');
        matches!(dir, "" | ".") || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    dirs.is_empty() || dirs.iter().any(is_below)
}

/// The schema of a Planner's result.
pub fn plan_schema() -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    let item = object(
        json!({"number": text(), "title": {"type": "string", "minLength": 1}, "group": text(), "after": text(),
            "depends_on": list(text()), "claims": list(text())}),
        &["title"],
    );
    let cancelled = object(json!({"item": text(), "reason": text()}), &["item", "reason"]);
    let changed = object(
        json!({"item": text(), "title": text(), "depends_on": list(text()), "claims": list(text()), "again": {"type": "boolean"}}),
        &["item"],
    );
    object(json!({"add": list(item), "cancel": list(cancelled), "change": list(changed)}), &[])
}

/// The schema of an Executor's result.
pub fn done_schema() -> Value {
    json!({"type": "object", "properties": {"blocker": {"type": "boolean"}, "default": {"type": "string"}, "plan": plan_schema()}})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RM-16: what a brief gives stands under the names that agents know.
    #[test]
    fn rm16_a_brief_gives_its_surroundings_by_name() {
        let task = Task { name: "t".into(), cwd: "/p".into(), dirs: vec!["docs".into()], ..Task::default() };
        let context = Context { executor_identity: "ann-1".into(), quota: 7, task, ..Context::default() };
        let value = serde_json::to_value(&context).unwrap();
        for pointer in ["/Executor_Identity", "/Executor_Name", "/Current_Task_Max_Steps_Quota", "/Active_Executor_List"] {
            assert!(value.pointer(pointer).is_some(), "{pointer}");
        }
        for pointer in ["/task/cwd", "/task/dirs", "/task/task_file", "/task/log_file"] {
            assert!(value.pointer(pointer).is_some(), "{pointer}");
        }
        let mut brief = Brief::new("r", PROTOCOL, "executor", DO);
        brief.context = value;
        assert_eq!((Context::of(&brief), quota(&brief)), (Some(context), Some(7)));
        brief.protocol = "cycle".into();
        assert_eq!((Context::of(&brief), quota(&brief)), (None, None));
    }

    #[test]
    fn what_is_written_keeps_its_schema() {
        let item = NewItem { title: "Write".into(), depends_on: vec!["1.1".into()], ..NewItem::default() };
        let plan = Plan {
            add: vec![item],
            cancel: vec![Cancelled { item: "1.2".into(), reason: "gone".into() }],
            change: vec![Changed { item: "1.3".into(), again: true, ..Changed::default() }],
        };
        let problems = crate::validate(&plan_schema(), &serde_json::to_value(&plan).unwrap());
        assert_eq!(problems, Vec::<String>::new());
        let done = Done { blocker: Some(false), default: "x".into(), plan: Some(plan) };
        assert_eq!(crate::validate(&done_schema(), &serde_json::to_value(&done).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn folders_of_a_task_bound_what_is_written() {
        let dirs = |dirs: &[&str]| dirs.iter().map(|dir| (*dir).to_string()).collect::<Vec<_>>();
        for (path, given, expected) in [
            ("docs/a.md", &["docs"][..], true),
            ("docs/a.md", &["./docs/"], true),
            ("docsx/a.md", &["docs"], false),
            ("a.md", &["docs", "src"], false),
            ("a.md", &[], true),
            ("a.md", &["."], true),
        ] {
            assert_eq!(is_within(path, &dirs(given)), expected, "{path} in {given:?}");
        }
    }
}
