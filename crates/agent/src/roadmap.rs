//! Owns what a Planner and an Executor of a roadmap are told and what they answer, as data: the fields of a brief's
//! `context` and of a report's `result` (RM-06, RM-08, RM-16). Must not know who works, nor what becomes of an answer.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::Brief;

/// The protocol's name.
pub const PROTOCOL: &str = "roadmap";
/// The Planner's action: what becomes of the roadmap.
pub const PLAN: &str = "plan_roadmap";
/// The Executor's: one item.
pub const DO: &str = "do_item";
/// The field of a context that holds the command of the server with the tools of the log.
pub(crate) const TOOLS_COMMAND: &str = "tools_command";
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
    /// The groups that items lie in, each after the one that it lies in.
    pub groups: Vec<Group>,
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
    /// The command of the server that has the tools of the log, for an agent that can start one: program and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools_command: Vec<String>,
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
    /// The group that it lies in, by key; empty if it lies in none.
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

/// A group of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Group {
    pub key: String,
    pub title: String,
    /// The group that it lies in, by key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
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
    /// Groups to make; items may name them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
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
    /// The group that it goes into: by key, or by its title, and those around it before it, parted by ` / `.
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
    /// What those that depend on it depend on instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
}

/// An item to change; what is left out stays. One that failed or is blocked is tried again for being named here.
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

impl Plan {
    /// The same with every group named by its key: one that is named by its title is found, or made.
    pub fn settled(mut self, there: &[Group]) -> Self {
        for at in 0..self.add.len() {
            let named = self.add[at].group.trim().to_string();
            let is_key = |group: &Group| group.key == named;
            if named.is_empty() || there.iter().any(is_key) || self.groups.iter().any(is_key) {
                continue;
            }
            let mut parent: Option<String> = None;
            for title in named.split(WITHIN).map(str::trim).filter(|title| !title.is_empty()) {
                let is_meant =
                    |group: &&Group| same(&group.title, title) && (group.parent == parent || parent.is_none());
                let found = there.iter().chain(&self.groups).find(is_meant).map(|group| group.key.clone());
                parent = Some(found.unwrap_or_else(|| {
                    let is_taken = |key: &str| there.iter().chain(&self.groups).any(|group| group.key == key);
                    let keys =
                        (1..).map(|count| if count == 1 { title.to_string() } else { format!("{title}~{count}") });
                    let key = keys.into_iter().find(|key| !is_taken(key)).unwrap_or_default();
                    self.groups.push(Group { key: key.clone(), title: title.into(), parent: parent.clone() });
                    key
                }));
            }
            self.add[at].group = parent.unwrap_or_default();
        }
        self
    }
}

/// Whether two titles of groups are the same to a reader.
fn same(one: &str, other: &str) -> bool {
    let plain = |title: &str| title.replace("**", "").trim().trim_end_matches(':').to_lowercase();
    plain(one) == plain(other)
}

/// Between the titles of groups that lie in each other.
pub const WITHIN: &str = " / ";

impl Context {
    /// The titles of a group and of those around it, the outermost first.
    pub fn titles(&self, group: &str) -> Vec<&str> {
        let (mut titles, mut key) = (Vec::new(), group);
        while let Some(group) =
            self.groups.iter().find(|one| one.key == key).filter(|_| titles.len() <= self.groups.len())
        {
            titles.insert(0, group.title.as_str());
            key = group.parent.as_deref().unwrap_or_default();
        }
        titles
    }

    /// The context of a brief, read leniently; nothing if it is none of a roadmap's.
    pub fn of(brief: &Brief) -> Option<Self> {
        (brief.protocol == PROTOCOL).then(|| Self::deserialize(&brief.context).unwrap_or_default())
    }
}

/// The steps that an attempt may take, if running out of them is a pause and no failure.
pub(crate) fn quota(brief: &Brief) -> Option<u32> {
    let quota = brief.context.get("Current_Task_Max_Steps_Quota").filter(|_| brief.protocol == PROTOCOL)?;
    quota.as_u64().and_then(|quota| u32::try_from(quota).ok()).filter(|quota| *quota > 0)
}

/// The command of the server that has the tools of the log, as the brief of a program has it; empty if there is none.
pub(crate) fn tools_command(brief: &Brief) -> Vec<String> {
    let words = brief.context.get(TOOLS_COMMAND).filter(|_| brief.protocol == PROTOCOL).and_then(Value::as_array);
    words.into_iter().flatten().filter_map(Value::as_str).map(String::from).collect()
}

/// How an attempt can end, in the words of a report: whoever has a number of steps may pause.
pub(crate) fn statuses(brief: &Brief) -> Vec<&'static str> {
    let pause = quota(brief).map(|_| "paused");
    ["done", "failed", "question"].into_iter().chain(pause).collect()
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
pub fn plan_schema() -> Arc<Value> {
    static SCHEMA: LazyLock<Arc<Value>> = LazyLock::new(|| Arc::new(planned()));
    SCHEMA.clone()
}

fn planned() -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    let item = object(
        json!({"number": text(), "title": {"type": "string", "minLength": 1}, "group": text(), "after": text(),
            "depends_on": list(text()), "claims": list(text())}),
        &["title"],
    );
    let cancelled = object(json!({"item": text(), "reason": text(), "instead": list(text())}), &["item", "reason"]);
    let changed =
        object(json!({"item": text(), "title": text(), "depends_on": list(text()), "claims": list(text())}), &["item"]);
    let group = object(json!({"key": text(), "title": text(), "parent": text()}), &["key", "title"]);
    object(json!({"groups": list(group), "add": list(item), "cancel": list(cancelled), "change": list(changed)}), &[])
}

/// The schema of an Executor's result.
pub fn done_schema() -> Arc<Value> {
    static SCHEMA: LazyLock<Arc<Value>> = LazyLock::new(|| {
        let (blocker, default) = (json!({"type": "boolean"}), json!({"type": "string"}));
        let properties = json!({"blocker": blocker, "default": default, "plan": planned()});
        Arc::new(json!({"type": "object", "properties": properties}))
    });
    SCHEMA.clone()
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
        for pointer in
            ["/Executor_Identity", "/Executor_Name", "/Current_Task_Max_Steps_Quota", "/Active_Executor_List"]
        {
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
            groups: vec![Group { key: "g".into(), title: "G".into(), parent: None }],
            add: vec![item],
            cancel: vec![Cancelled { item: "1.2".into(), reason: "gone".into(), instead: vec!["1.4".into()] }],
            change: vec![Changed { item: "1.3".into(), ..Changed::default() }],
        };
        let problems = crate::validate(&plan_schema(), &serde_json::to_value(&plan).unwrap());
        assert_eq!(problems, Vec::<String>::new());
        let done = Done { blocker: Some(false), default: "x".into(), plan: Some(plan) };
        assert_eq!(crate::validate(&done_schema(), &serde_json::to_value(&done).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn groups_that_are_named_by_their_titles_are_found_or_made() {
        let group = |key: &str, title: &str, parent: Option<&str>| Group {
            key: key.into(),
            title: title.into(),
            parent: parent.map(String::from),
        };
        let there = [group("g1", "**Phase 1: Ground**", None), group("g2", "Mill", Some("g1"))];
        let item = |group: &str| NewItem { title: "t".into(), group: group.into(), ..NewItem::default() };
        let named = ["", "g1", "phase 1: ground", "Phase 1: Ground / Mill", "Phase 2 / Mill", "Phase 2"];
        let plan = Plan { add: named.map(item).into(), ..Plan::default() }.settled(&there);
        let keys: Vec<&str> = plan.add.iter().map(|item| item.group.as_str()).collect();
        assert_eq!(keys, ["", "g1", "g1", "g2", "Mill", "Phase 2"]);
        assert_eq!(plan.groups, [group("Phase 2", "Phase 2", None), group("Mill", "Mill", Some("Phase 2"))]);
        assert_eq!(plan.clone().settled(&there), plan, "what is settled stays");
        let context = Context { groups: there.into(), ..Context::default() };
        assert_eq!(context.titles("g2"), ["**Phase 1: Ground**", "Mill"]);
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
