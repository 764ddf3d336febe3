//! An agent that answers at once, by its brief alone, and minds what it is asked: never twice for what was accepted.

use engine::Stop;
use engine::agent::{Backend, Brief, Ending, Job, Pace, Report, ReportOutput, ReportStatus, Usage};
use serde_json::{Value, json};

use crate::log::SharedLog;

/// What the request of a run that asks a question has in it.
pub(crate) const CURIOUS: &str = "colourful";
/// What the request of a run with two stages, tools and a bad first plan has in it.
pub(crate) const ELABORATE: &str = "elaborate";

/// What the request of a run that minds what it uses has in it, and what each report then says was used.
const THRIFTY: &str = "thrifty";
const TOKENS_EACH: u64 = 400;

/// The agent.
#[derive(Debug)]
pub(crate) struct Puppet {
    pub log: SharedLog,
}

impl Backend for Puppet {
    fn name(&self) -> String {
        "puppet".into()
    }

    fn pace(&self) -> Pace {
        Pace::Instant
    }

    fn is_recorded(&self) -> bool {
        // Its disk is a simulated one.
        false
    }

    fn work(&self, job: &Job, _: &Stop, _: &dyn Fn(&str)) -> Ending {
        let brief = &job.brief;
        self.mind(brief);
        if let Some(ending) = self.not_now(brief) {
            return ending;
        }
        let mut report = match brief.role.as_str() {
            "planner" => Report { result: plan(brief), ..Report::done("as told") },
            _ => self.carry_out(brief),
        };
        if asks(brief, THRIFTY) {
            let (input_tokens, output_tokens) = (TOKENS_EACH - 100, 100);
            report.usage = Some(Usage { input_tokens, output_tokens, cached_tokens: 0, cost_usd: None });
        }
        Ending::Report { report, log: String::new() }
    }
}

impl Puppet {
    /// Work that was accepted is not asked for again; a question that was asked comes with its answer, a report that
    /// was sent back with its problems.
    fn mind(&self, brief: &Brief) {
        let mut log = self.log.lock();
        log.briefs += 1;
        let name = brief.plan_target.clone().or(brief.item_id().map(String::from)).unwrap_or_default();
        let work = (brief.run_id.clone(), name);
        let times = |map: &std::collections::BTreeMap<(String, String), usize>| map.get(&work).copied().unwrap_or(0);
        // What the user wished for since makes it another draft.
        let wishes = brief.context["wishes"].as_array().map_or(0, Vec::len);
        let same = |run: &machine::Run| run.wishes.len() == wishes && brief.context["request"] == run.request.as_str();
        let drafts = match log.known.runs.get(&brief.run_id).is_some_and(same) {
            true => log.known.drafts.get(&brief.run_id).copied().unwrap_or_default(),
            false => usize::MAX,
        };
        let (accepted, asked) = (times(&log.known.accepted), times(&log.known.asked));
        let mut found = Vec::new();
        if accepted > if work.1 == "proposal" { drafts } else { 0 } {
            found.push(format!("{work:?} is asked for again though its report was durable"));
        }
        if brief.answers.len() < asked {
            found.push(format!("{work:?} is asked for again without the answer to its question"));
        }
        if times(&log.known.sent_back) > 0 && brief.problems.is_empty() {
            found.push(format!("{work:?} is asked for again without the problems of its last report"));
        }
        log.findings.extend(found);
    }

    /// BY-09: one task of a curious run comes too early the first time.
    fn not_now(&self, brief: &Brief) -> Option<Ending> {
        let path = brief.expects.outputs.first().filter(|path| path.ends_with("STRATEGIZING/second.md"))?;
        let is_first = asks(brief, CURIOUS) && self.log.lock().put_off.insert((brief.run_id.clone(), path.clone()));
        is_first.then(|| Ending::Later { seconds: 5, reason: "the ink has to dry".into() })
    }

    fn carry_out(&self, brief: &Brief) -> Report {
        let path = brief.expects.outputs.first().cloned().unwrap_or_default();
        if self.log.lock().failing.as_ref() == Some(&brief.run_id) && path.ends_with("STRATEGIZING/last.md") {
            return Report::failed("the printer is on fire");
        }
        if asks(brief, CURIOUS) && path.ends_with("ANALYZING/first.md") && brief.answers.is_empty() {
            return Report {
                status: ReportStatus::Question,
                question: Some("blue or red?".into()),
                ..Report::done("")
            };
        }
        let told = brief.answers.first().map_or_else(String::new, |one| format!("It is {}.\n", one.answer));
        let content = format!("# The work of {}\n\n{told}", brief.item_id().unwrap_or("?"));
        let outputs = brief.expects.outputs.iter();
        let outputs = outputs.map(|path| ReportOutput { path: path.clone(), content: Some(content.clone()) });
        Report { outputs: outputs.collect(), ..Report::done("as told") }
    }
}

fn asks(brief: &Brief, word: &str) -> bool {
    brief.context["request"].as_str().is_some_and(|request| request.contains(word))
}

fn plan(brief: &Brief) -> Value {
    let target = brief.plan_target.as_deref().unwrap_or_default();
    let layer = brief.context["phase"]["phase_name"].as_str().unwrap_or("?");
    match brief.action.as_str() {
        "propose" => {
            let wishes = brief.context["wishes"].as_array().map_or(0, Vec::len);
            json!({"instructions": [format!("tell it in Markdown, draft {wishes}")], "formats": ["md"]})
        }
        "plan_stages" => {
            let stage = |name: &str| json!({"stage_name": name, "stage_goal": "notes for what follows"});
            match asks(brief, ELABORATE) && layer == "?" || target == "phase:P01" && asks(brief, ELABORATE) {
                true => json!({"stages": [stage("gather"), stage("compare")]}),
                false => json!({"stages": [stage("only")]}),
            }
        }
        "plan_tasks" if target == "phase:0" => json!({"tasks": []}),
        "plan_tasks" => json!({"tasks": tasks(brief, layer, target)}),
        _ => tool(brief, target),
    }
}

/// Two tasks side by side where there is room for it, and one that builds on them.
fn tasks(brief: &Brief, layer: &str, target: &str) -> Vec<Value> {
    let folder = format!("runs/{}/workspace/{layer}", brief.run_id);
    let input = format!("runs/{}/workspace/ANALYZING/initial_analysis.md", brief.run_id);
    let row = |output: String, inputs: Vec<String>| json!({"task_name": output.clone(), "task_purpose": "Write a note.", "related_references": inputs, "output_path": output});
    if target == "stage:S02" && asks(brief, ELABORATE) {
        return vec![row(format!("{folder}/comparison.md"), vec![format!("{folder}/first.md")])];
    }
    match layer {
        "ANALYZING" | "STRATEGIZING" => {
            let (first, second) = (format!("{folder}/first.md"), format!("{folder}/second.md"));
            let mut rows = vec![
                row(first.clone(), vec![input.clone()]),
                row(second.clone(), vec![input]),
                row(format!("{folder}/last.md"), vec![first, second]),
            ];
            if layer == "ANALYZING" && asks(brief, ELABORATE) {
                rows[1]["pre_tool_purpose"] = json!("look around");
                rows[1]["post_tool_purpose"] = json!("draw it");
                // The first draft is sent back.
                if brief.problems.is_empty() {
                    rows[0]["task_purpose"] = json!("");
                }
            }
            rows
        }
        "GENERATING_OUTPUT" => vec![row(format!("outputs/{}/report.md", brief.run_id), vec![input])],
        _ => vec![row(format!("{folder}/only.md"), vec![input])],
    }
}

fn tool(brief: &Brief, target: &str) -> Value {
    let (timing, task) = target.split_once(':').unwrap_or(("?", "?"));
    let path = format!("runs/{}/workspace/ANALYZING/{timing}-{task}.md", brief.run_id);
    json!({"tool_tasks": [{"tool_type": "read_file", "tool_task_name": timing, "tool_task_purpose": "Look.", "output_path": path}]})
}
