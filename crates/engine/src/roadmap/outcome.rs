//! From how an attempt ended to what the pool machine hears. What an agent says counts as far as it has the form that was asked
//! for; what it changed, as far as somebody saw it.

use agent::roadmap::{Changed, Done, Group, NewItem as Asked, Plan};
use agent::{Report, ReportStatus};
use machine::roadmap::{CancelItem, ChangeItem, Check, Ground, NewGroup, NewItem, Outcome, PlanChanges, Session, Work};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::worked::Worked;
use crate::hosted::Came;
use crate::step::Output;

/// What an attempt's end is to the machine, and the files that come with it.
pub(super) fn outcome(session: &Session, fence: u64, came: &Came) -> (Outcome, Vec<Output>) {
    let outcome = match came {
        Came::Question(question) => Outcome::Asked {
            question: question.clone(),
            default: PlanChanges::default(),
            summary: String::new(),
            partial: None,
        },
        Came::Paused(reason) => Outcome::Paused(reason.clone()),
        Came::Later { seconds, reason } => Outcome::Later { seconds: *seconds, reason: reason.clone() },
        Came::Broken { problems, .. } => Outcome::Broken(problems.clone()),
        Came::Failed { error, .. } => Outcome::Failed { summary: error.clone() },
        Came::Lost(reason) => Outcome::Lost(reason.clone()),
        Came::Done(value) => coded(value),
        Came::Report { report, outputs } => {
            // A late report is of work that is nobody's any more.
            let work = session.attempts.get(&fence).map(|attempt| &attempt.work);
            let is_plan = matches!(work, Some(Work::Plan(_)));
            let read = if is_plan { planned(session, report) } else { worked(session, report) };
            let outcome = read.unwrap_or_else(|problem| Outcome::Broken(vec![problem]));
            let is_taken = matches!(outcome, Outcome::Done { .. }) && session.ground == Ground::Files;
            return (outcome, if is_taken { outputs.clone() } else { Vec::new() });
        }
    };
    (outcome, Vec::new())
}

/// What a planner says.
fn planned(session: &Session, report: &Report) -> Result<Outcome, String> {
    let summary = report.summary.trim().to_string();
    Ok(match report.status {
        ReportStatus::Done => Outcome::Planned { changes: changes(session, result(report)?), summary },
        ReportStatus::Question => {
            let question = asked(report)?;
            let done: Done = result(report)?;
            let default = changes(session, done.plan.unwrap_or_default());
            Outcome::Asked { question, default, summary: default_in_words(&done.default, summary), partial: None }
        }
        ReportStatus::Paused => Outcome::Pending { summary, is_blocker: false, partial: None },
        ReportStatus::Failed => Outcome::Failed { summary: error_of(report) },
    })
}

/// What an executor says.
fn worked(session: &Session, report: &Report) -> Result<Outcome, String> {
    let (summary, worked) = (report.summary.trim().to_string(), Worked::of(report));
    Ok(match report.status {
        ReportStatus::Done if !worked.clashed.is_empty() => {
            Outcome::Clashed { files: worked.clashed, with: worked.with, kept: worked.kept, summary }
        }
        ReportStatus::Done => Outcome::Done { summary, commit: worked.commit, files: worked.files },
        ReportStatus::Paused => {
            let done: Done = result(report)?;
            // Without a word it is a blocker, as the log has it.
            Outcome::Pending { summary, is_blocker: done.blocker.unwrap_or(true), partial: worked.partial }
        }
        ReportStatus::Question => {
            let question = asked(report)?;
            let done: Done = result(report)?;
            let default = changes(session, done.plan.unwrap_or_default());
            let summary = default_in_words(&done.default, summary);
            Outcome::Asked { question, default, summary, partial: worked.partial }
        }
        ReportStatus::Failed => Outcome::Failed { summary: error_of(report) },
    })
}

fn default_in_words(default: &str, summary: String) -> String {
    if default.trim().is_empty() { summary } else { default.trim().to_string() }
}

fn asked(report: &Report) -> Result<String, String> {
    let question = report.question.as_deref().map(str::trim).filter(|question| !question.is_empty());
    question.map(String::from).ok_or_else(|| "question: say what is asked".into())
}

fn error_of(report: &Report) -> String {
    let error = report.error.as_deref().filter(|error| !error.trim().is_empty());
    error.map_or_else(|| report.summary.trim().to_string(), |error| error.trim().to_string())
}

fn result<T: DeserializeOwned + Default>(report: &Report) -> Result<T, String> {
    match &report.result {
        Value::Null => Ok(T::default()),
        value => serde_json::from_value(value.clone()).map_err(|error| format!("result: {error}")),
    }
}

/// A plan in the machine's words; groups that are named by their titles are found, or made.
pub(super) fn changes(session: &Session, plan: Plan) -> PlanChanges {
    let there: Vec<Group> = match plan.add.iter().any(|item| !item.group.is_empty()) {
        true => {
            let groups = session.pool.groups();
            groups
                .map(|group| Group { key: group.key.clone(), title: group.title.clone(), parent: group.parent.clone() })
                .collect()
        }
        false => Vec::new(),
    };
    let plan = plan.settled(&there);
    let group = |group: Group| NewGroup { key: group.key, title: group.title, parent: group.parent };
    let cancel =
        |one: agent::roadmap::Cancelled| CancelItem { item: one.item, reason: one.reason, instead: one.instead };
    let change =
        |one: Changed| ChangeItem { item: one.item, title: one.title, depends_on: one.depends_on, claims: one.claims };
    PlanChanges {
        groups: plan.groups.into_iter().map(group).collect(),
        add: plan.add.into_iter().map(new_item).collect(),
        cancel: plan.cancel.into_iter().map(cancel).collect(),
        change: plan.change.into_iter().map(change).collect(),
    }
}

fn new_item(item: Asked) -> NewItem {
    let given = |text: String| Some(text.trim().to_string()).filter(|text| !text.is_empty());
    NewItem {
        number: given(item.number),
        title: item.title,
        group: given(item.group),
        after: given(item.after),
        depends_on: item.depends_on,
        claims: item.claims,
    }
}

/// What code says of an integration.
fn coded(value: &Value) -> Outcome {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    if let Some(integrated) = value.get("integrated") {
        let checks: Vec<Check> =
            integrated.get("checks").and_then(|checks| serde_json::from_value(checks.clone()).ok()).unwrap_or_default();
        return Outcome::Integrated { commit: text(integrated, "commit"), checks };
    }
    if let Some(conflicted) = value.get("conflicted") {
        let files = conflicted.get("files").and_then(|files| serde_json::from_value(files.clone()).ok());
        let item = conflicted.get("item").and_then(Value::as_str).map(String::from);
        return Outcome::Conflicted {
            with: text(conflicted, "with"),
            item,
            files: files.unwrap_or_default(),
            kept: text(conflicted, "kept"),
        };
    }
    Outcome::Failed { summary: "code answered where an agent was asked".into() }
}
