//! The tools by which an agent of a roadmap speaks of its log (RM-09): they lock it, edit it, ask, end, and take up skills.
//! Owns their names and arguments, as agents written for them know these. Must not know who keeps the log, nor how.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::functions::Arguments;
use crate::{Functions, Stop, Tool, ToolAnswer, ToolCall, Toolbox};

/// The most edits of one call.
const MOST_EDITS: usize = 200;

/// Whoever keeps the log of an attempt. Every answer is in words for the agent.
pub trait LogKeeper: Send + Sync {
    /// The paths of task file and log, from the project's folder.
    fn files(&self) -> (String, String);

    /// Locks the log for this agent, waiting until it is free; gives its newest content.
    fn lock(&self, stop: &Stop) -> Result<String, String>;

    fn unlock(&self) -> Result<String, String>;

    /// Puts texts into the log in the place of others: only while it is locked by this agent, and only if the log is valid
    /// afterwards.
    fn edit(&self, edits: &[(String, String)]) -> Result<String, String>;

    /// Adds a text to the end of the task file: a question for the user.
    fn append(&self, text: &str) -> Result<String, String>;

    /// Ends the session, if it may.
    fn exit(&self, reason: &str) -> Result<String, String>;

    /// The whole of a skill.
    fn skill(&self, name: &str) -> Result<String, String>;
}

/// The tools of one attempt.
pub struct LogTools {
    keeper: Arc<dyn LogKeeper>,
    /// For all other files; without it there are no others.
    files: Option<Arc<Functions>>,
}

impl LogTools {
    pub fn new(keeper: Arc<dyn LogKeeper>) -> Self {
        Self { keeper, files: None }
    }

    /// The same, which edits other files, too: in the attempt's own folder.
    pub fn with_files(mut self, files: Arc<Functions>) -> Self {
        self.files = Some(files);
        self
    }

    /// What is offered, whoever keeps the log.
    pub fn offered() -> Vec<Tool> {
        tools()
    }

    fn edit_file(&self, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
        let path = arguments.text(&PATH);
        let many = arguments.objects(&["edits", "changes"]);
        let single = (arguments.optional_text(&OLD), arguments.optional_text(&NEW));
        let is_rehearsal = arguments.optional_yes(&["dryRun", "dry_run"]).unwrap_or(false);
        let mut edits = Vec::new();
        for (number, mut one) in (1..).zip(many) {
            match (one.optional_text(&OLD), one.optional_text(&NEW)) {
                (Some(old), Some(new)) => edits.push((old, new)),
                _ => arguments.problem(format!("edit {number}: expected oldText and newText")),
            }
        }
        match single {
            (Some(old), Some(new)) => edits.push((old, new)),
            (None, None) => {}
            _ => arguments.problem("expected oldText and newText, both"),
        }
        if edits.is_empty() || edits.len() > MOST_EDITS {
            arguments.problem(format!("`edits`: expected 1 to {MOST_EDITS} of them"));
        }
        arguments.finish(tool)?;
        if is_rehearsal {
            return Err("nothing is tried out here: call it without dryRun; what is not valid changes nothing".into());
        }
        match self.meant(&path)? {
            Meant::Log => self.keeper.edit(&edits),
            Meant::Task => {
                Err(format!("{path} is the task file: only append_to_file adds to it, a question for the user"))
            }
            Meant::Other(path, files) => files.edit(&path, &edits),
        }
    }

    fn append_to_file(&self, mut arguments: Arguments, tool: &Tool) -> Result<String, String> {
        let path = arguments.text(&PATH);
        let content = arguments.text(&["content", "text"]);
        arguments.finish(tool)?;
        match self.meant(&path)? {
            Meant::Log => {
                Err(format!("{path} is the log: edit_file changes it while you hold its lock (jixo_log_lock)"))
            }
            Meant::Task => self.keeper.append(&content),
            Meant::Other(path, files) => files.append(&path, &content),
        }
    }

    /// Which file a path means. Agents name files from the project's folder, or as absolute paths.
    fn meant(&self, given: &str) -> Result<Meant<'_>, String> {
        let (task, log) = self.keeper.files();
        let is = |own: &str| {
            let given = given.trim().trim_start_matches("./");
            given == own || given.starts_with('/') && given.ends_with(&format!("/{own}"))
        };
        if is(&log) {
            return Ok(Meant::Log);
        }
        if is(&task) {
            return Ok(Meant::Task);
        }
        match &self.files {
            Some(files) => Ok(Meant::Other(files.path(given)?, files)),
            None => Err(format!(
                "only {log} and {task} can be changed from here; other files are changed in your working folder"
            )),
        }
    }
}

/// Names that agents know the arguments by.
const PATH: [&str; 4] = ["path", "filepath", "file_path", "absolute_path"];
const OLD: [&str; 4] = ["oldText", "old_string", "old_text", "old"];
const NEW: [&str; 4] = ["newText", "new_string", "new_text", "new"];

enum Meant<'a> {
    Log,
    Task,
    Other(String, &'a Functions),
}

/// The tools, as a model is told of them.
fn tools() -> Vec<Tool> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    let edit = object(
        json!({"oldText": text("What is there, exactly, with enough around it to mean one place."), "newText": text("What takes its place.")}),
        &["oldText", "newText"],
    );
    let all: [(&str, &str, Value); 6] = [
        (
            "jixo_log_lock",
            "Locks the log for you, waiting until it is free, and gives its newest content. Hold it for one edit only: it is \
             taken from you when you are too slow.",
            object(json!({}), &[]),
        ),
        ("jixo_log_unlock", "Unlocks the log. Call it right after your edit.", object(json!({}), &[])),
        (
            "edit_file",
            "Puts texts into a file in the place of others; all edits or none. The log can be edited only while you hold its \
             lock, and only into a valid log: what is not valid is refused with the reason.",
            object(
                json!({"path": text("The file, from the project's folder."), "edits": {"type": "array", "items": edit}}),
                &["path", "edits"],
            ),
        ),
        (
            "append_to_file",
            "Adds a text to the end of a file. To the task file only a clarification request can be added.",
            object(
                json!({"filepath": text("The file, from the project's folder."), "content": text("What is added.")}),
                &["filepath", "content"],
            ),
        ),
        (
            "jixo_task_exit",
            "Ends the session, and only if all items are completed, if there is no item to work on beside others, or if a \
             periodic task is done for its period. Not needed to end your own step.",
            object(json!({"reason": text("Which of these is the case.")}), &["reason"]),
        ),
        (
            "get_jixo_skill",
            "Gives the whole of a skill by its name.",
            object(json!({"name": text("Its name.")}), &["name"]),
        ),
    ];
    let tool = |(name, description, parameters): (&str, &str, Value)| Tool {
        name: name.into(),
        description: description.into(),
        parameters,
    };
    all.into_iter().map(tool).collect()
}

impl Toolbox for LogTools {
    fn tools(&self) -> Vec<Tool> {
        tools()
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let all = tools();
        let Some(tool) = all.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<&str> = all.iter().map(|tool| tool.name.as_str()).collect();
            let asked: String = call.name.chars().filter(|letter| !letter.is_control()).take(64).collect();
            return ToolAnswer::wrong(format!("there is no tool `{asked}`; there are: {}", names.join(", ")));
        };
        let mut arguments = Arguments::new(&call.arguments);
        let answered = match tool.name.as_str() {
            "jixo_log_lock" => arguments.finish(tool).and_then(|()| self.keeper.lock(stop)),
            "jixo_log_unlock" => arguments.finish(tool).and_then(|()| self.keeper.unlock()),
            "edit_file" => self.edit_file(arguments, tool),
            "append_to_file" => self.append_to_file(arguments, tool),
            "jixo_task_exit" => {
                let reason = arguments.text(&["reason"]);
                // Some say with which code, which is not theirs to say.
                arguments.optional_number(&["code"]);
                arguments.finish(tool).and_then(|()| self.keeper.exit(&reason))
            }
            _ => {
                let name = arguments.text(&["name", "skill"]);
                arguments.finish(tool).and_then(|()| self.keeper.skill(&name))
            }
        };
        answered.map_or_else(ToolAnswer::wrong, ToolAnswer::well)
    }
}

impl std::fmt::Debug for LogTools {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LogTools").field("files", &self.keeper.files()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Desk, ShellRules, Went, Writable};

    /// A log in memory, with the rules of a lock.
    #[derive(Default)]
    struct Paper {
        log: Mutex<(bool, String)>,
        asked: Mutex<Vec<String>>,
    }

    impl LogKeeper for Paper {
        fn files(&self) -> (String, String) {
            (".jixo/t.task.md".into(), ".jixo/t.log.md".into())
        }

        fn lock(&self, _: &Stop) -> Result<String, String> {
            let mut log = self.log.lock().unwrap();
            log.0 = true;
            Ok(log.1.clone())
        }

        fn unlock(&self) -> Result<String, String> {
            self.log.lock().unwrap().0 = false;
            Ok("unlocked".into())
        }

        fn edit(&self, edits: &[(String, String)]) -> Result<String, String> {
            let mut log = self.log.lock().unwrap();
            if !log.0 {
                return Err("the log is not locked".into());
            }
            for (old, new) in edits {
                log.1 = log.1.replace(old, new);
            }
            Ok("edited".into())
        }

        fn append(&self, text: &str) -> Result<String, String> {
            self.asked.lock().unwrap().push(text.into());
            Ok("asked".into())
        }

        fn exit(&self, reason: &str) -> Result<String, String> {
            Err(format!("not now: {reason}"))
        }

        fn skill(&self, name: &str) -> Result<String, String> {
            Ok(format!("skill {name}"))
        }
    }

    /// RM-09, RM-17: the log only while it is locked, the task file only at its end, other files within their folders.
    #[test]
    fn rm09_each_file_is_changed_as_it_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let (project, workdir) = (folder.path().join("p"), folder.path().join("p/w"));
        std::fs::create_dir_all(workdir.join("docs")).unwrap();
        std::fs::write(workdir.join("docs/a.md"), "one two two\n").unwrap();
        let writable =
            Writable::Within { folders: vec!["docs".into()], but: vec![".task.md".into(), ".log.md".into()] };
        let desk =
            Desk { project, workdir: workdir.clone(), readable: Vec::new(), writable, shell: ShellRules::default() };
        let paper = Arc::new(Paper::default());
        paper.log.lock().unwrap().1 = "status: Pending".into();
        let tools = LogTools::new(paper.clone()).with_files(Arc::new(Functions::new(desk).unwrap()));
        let check = |name: &str, arguments: Value, went: Went, says: &str| {
            let call = ToolCall { id: "1".into(), name: name.into(), arguments };
            let answer = tools.call(&call, &Stop::new());
            assert!(answer.went == went && answer.text.contains(says), "{call:?}: {answer:?}");
        };
        let edit =
            |path: &str, old: &str, new: &str| json!({"path": path, "edits": [{"oldText": old, "newText": new}]});
        check("edit_file", edit(".jixo/t.log.md", "Pending", "Locked"), Went::Wrong, "not locked");
        check("jixo_log_lock", json!({}), Went::Well, "status: Pending");
        check("edit_file", edit("/any/where/.jixo/t.log.md", "Pending", "Locked"), Went::Well, "edited");
        check("jixo_log_unlock", Value::Null, Went::Well, "unlocked");
        assert_eq!(paper.log.lock().unwrap().1, "status: Locked");
        check("edit_file", edit(".jixo/t.task.md", "a", "b"), Went::Wrong, "only append_to_file");
        check("append_to_file", json!({"filepath": "./.jixo/t.task.md", "content": "Q?"}), Went::Well, "asked");
        check(
            "append_to_file",
            json!({"filepath": ".jixo/t.log.md", "content": "x"}),
            Went::Wrong,
            "edit_file changes it",
        );
        check("edit_file", edit("docs/a.md", "one", "1"), Went::Well, "edited 1 place of `docs/a.md`");
        check("edit_file", edit("docs/a.md", "two", "2"), Went::Wrong, "2 times");
        check("append_to_file", json!({"filepath": "docs/b.md", "content": "b"}), Went::Well, "appended 1 bytes");
        check(
            "append_to_file",
            json!({"filepath": "src/b.md", "content": "b"}),
            Went::Wrong,
            "outside the folders of the task: docs",
        );
        check("append_to_file", json!({"filepath": "docs/x.task.md", "content": "b"}), Went::Wrong, "kept by code");
        check(
            "append_to_file",
            json!({"filepath": ".multiverse/x", "content": "b"}),
            Went::Wrong,
            "belongs to a program",
        );
        assert_eq!(std::fs::read_to_string(workdir.join("docs/a.md")).unwrap(), "1 two two\n");
        check(
            "edit_file",
            json!({"filepath": "docs/a.md", "old_string": "1", "new_string": "one"}),
            Went::Well,
            "edited",
        );
        check(
            "edit_file",
            json!({"path": "docs/a.md", "edits": [{"oldText": "x"}]}),
            Went::Wrong,
            "edit 1: expected oldText",
        );
        check("jixo_task_exit", json!({"code": 0, "reason": "bored"}), Went::Wrong, "not now: bored");
        check("get_jixo_skill", json!({"name": "knots"}), Went::Well, "skill knots");
        check("get_jixo_skill", json!({}), Went::Wrong, "`name` is missing");
        check("jixo_dance", json!({}), Went::Wrong, "there is no tool `jixo_dance`; there are: jixo_log_lock, ");
    }
}
