//! Owns the agent that has web searches done: a tool task of the type WebSearch becomes a report of what was found, with its
//! sources (MV-29), by the tool `web_research` and without a model. All else is done by the agent behind it. Must not know any
//! search service, nor what is granted: that is the toolbox's business.

use std::sync::Arc;

use serde_json::json;
use tools::{Stop, ToolCall, Went};

use crate::backend::{Backend, Ending, Job, Pace};
use crate::contract::{Brief, Report, ReportOutput};
use crate::model::Toolboxes;

const TOOL: &str = "web_research";
/// The longest question that search services take, in letters.
const LETTERS: usize = 300;
/// How a report begins, after what every answer of the tool begins with.
const HEADING: &str = "# Web search";

/// An agent with a search service.
pub struct Searching {
    inner: Arc<dyn Backend>,
    toolboxes: Toolboxes,
}

impl Searching {
    pub fn new(inner: Arc<dyn Backend>, toolboxes: Toolboxes) -> Self {
        Self { inner, toolboxes }
    }

    fn search(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Report {
        let Some(path) = job.brief.expects.outputs.first() else {
            return Report::failed("a web search was asked for without a file to write");
        };
        let toolbox = match (self.toolboxes)(job) {
            Ok(toolbox) => toolbox,
            Err(problem) => return Report::failed(&format!("cannot search: {problem}")),
        };
        let query = query(&job.brief);
        let call = ToolCall { id: "call-1".into(), name: TOOL.into(), arguments: json!({"query": query}) };
        if let Some(asked) = toolbox.asks(&call) {
            return Report::question(&tools::question(&[asked]));
        }
        say(&format!("searches the web: {query}"));
        let answer = toolbox.call(&call, stop);
        if answer.went != Went::Well {
            return Report::failed(&answer.text);
        }
        let content = answer.text.find(HEADING).map_or(answer.text.as_str(), |at| &answer.text[at..]);
        let outputs = vec![ReportOutput { path: path.clone(), content: Some(content.to_string()) }];
        Report { outputs, ..Report::done(&format!("what the web says to: {query} (without a model)")) }
    }
}

impl std::fmt::Debug for Searching {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Searching").field("inner", &self.inner.name()).finish_non_exhaustive()
    }
}

impl Backend for Searching {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn pace(&self) -> Pace {
        // Searching takes its time, whoever is behind.
        Pace::Slow
    }

    fn is_guided(&self) -> bool {
        self.inner.is_guided()
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        let tool = job.brief.item.get("tool_type").and_then(|tool| tool.as_str());
        if tool != Some("WebSearch") || job.brief.action != "execute" {
            return self.inner.work(job, stop, say);
        }
        let report = self.search(job, stop, say);
        match stop.is_stopped() {
            true => Ending::Stopped,
            false => Ending::Report { report, log: String::new() },
        }
    }
}

/// What is searched for: what the tool task is for, or the request.
fn query(brief: &Brief) -> String {
    let field = |name: &str| brief.item.get(name).and_then(|text| text.as_str()).map(str::trim).unwrap_or_default();
    let asked = ["tool_task_purpose", "tool_task_name"].map(field).into_iter().find(|text| !text.is_empty());
    let request = brief.context["request"].as_str().unwrap_or_default();
    let words: Vec<&str> = asked.unwrap_or(request).split_whitespace().collect();
    let mut query = String::new();
    for word in words {
        if query.chars().count() + word.chars().count() >= LETTERS {
            break;
        }
        if !query.is_empty() {
            query.push(' ');
        }
        query.push_str(word);
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_as_long_as_services_take_it() {
        let mut brief = Brief::new("run-1", "multiverse", "executor", "execute");
        brief.context = json!({"request": "Make a report."});
        assert_eq!(query(&brief), "Make a report.");
        brief.item.insert("tool_task_purpose".into(), json!("  When did\n Landlock come? "));
        assert_eq!(query(&brief), "When did Landlock come?");
        brief.item.insert("tool_task_purpose".into(), json!("word ".repeat(200)));
        assert!(query(&brief).len() <= LETTERS);
    }
}
