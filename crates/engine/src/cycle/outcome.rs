//! From how an attempt ended to what the loop machine hears. Words are read strictly: what is none of those that were asked
//! for goes back with the valid ones.

use machine::cycle::words::field;
use machine::cycle::{Check, Cycle, Deed, Findings, Measured, Outcome, Plan, Said, Standing, Word, Work};
use serde_json::Value;

use super::brief::SUBJECTS;
use crate::hosted::Came;
use crate::step::Output;

/// The least sure that somebody is who asks instead of answering: it leads to the Human.
const ASKING: u8 = 3;

/// What an attempt's end is to the machine, and the files that come with it.
pub(super) fn outcome(cycle: &Cycle, fence: u64, came: &Came) -> (Outcome, Vec<Output>) {
    let work = cycle.attempt.as_ref().filter(|attempt| attempt.fence == fence).map(|attempt| attempt.work);
    let Some(work) = work else { return (Outcome::Lost("it is outdated".into()), Vec::new()) };
    let outcome = match came {
        Came::Question(question) => asked(work, question),
        Came::Paused(reason) => Outcome::Paused(reason.clone()),
        Came::Later { seconds, reason } => Outcome::Later { seconds: *seconds, reason: reason.clone() },
        Came::Broken { problems, .. } => Outcome::Broken(problems.clone()),
        Came::Failed { error, .. } => Outcome::Failed(error.clone()),
        Came::Lost(reason) => Outcome::Lost(reason.clone()),
        Came::Done(value) => coded(work, value),
        Came::Report { report, outputs } => {
            let said = said(&report.summary, report.confidence, &report.result);
            let read = said.and_then(|said| reported(work, said, &report.result));
            return (read.unwrap_or_else(Outcome::Broken), outputs.clone());
        }
    };
    (outcome, Vec::new())
}

/// Somebody asks instead of answering.
fn asked(work: Work, question: &str) -> Outcome {
    let said = |confidence| Said {
        summary: question.lines().next().unwrap_or("it has a question").into(),
        confidence,
        response: question.into(),
        ..Said::default()
    };
    match work {
        Work::Outline | Work::Plan(_) => Outcome::Clarify { said: said(5), question: question.into() },
        Work::Act(_) => Outcome::Blocked { said: said(ASKING) },
        _ => Outcome::Failed(format!("it asks: {question}")),
    }
}

fn said(summary: &str, confidence: Option<f64>, result: &Value) -> Result<Said, Vec<String>> {
    let beside = result.get("confidence").and_then(Value::as_f64);
    let Some(confidence) = confidence.or(beside).filter(|sure| (0.0..=10.0).contains(sure)) else {
        return Err(vec!["confidence: say how sure you are, as a number from 0 to 10".into()]);
    };
    let text = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    Ok(Said {
        summary: summary.trim().lines().next().unwrap_or_default().into(),
        confidence: confidence.floor() as u8,
        context: text("context"),
        response: text("response"),
        more: Vec::new(),
    })
}

/// What an agent's report says, by its fields.
struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn text(&self, name: &str) -> String {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_string()
    }

    fn list(&self, name: &str) -> Vec<String> {
        let entries = self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        entries.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn unknown(&self, valid: &str) -> Vec<String> {
        vec![format!("result: `{}` is none of {valid}", self.text("result"))]
    }
}

fn reported(work: Work, said: Said, result: &Value) -> Result<Outcome, Vec<String>> {
    let result = Fields(result);
    match work {
        Work::Outline | Work::Plan(_) => planned(said, &result),
        Work::Act(_) => acted(said, &result),
        Work::Judge(_) => judged(said, &result),
        Work::Checkpoint | Work::Check(_) | Work::Offer | Work::Merge | Work::Delete | Work::Archive(_) => {
            Err(vec!["this is no agent's work".into()])
        }
    }
}

fn planned(mut said: Said, result: &Fields<'_>) -> Result<Outcome, Vec<String>> {
    match result.text("result").as_str() {
        "PLAN_CREATED" => {
            let subjects = result.text("subjects");
            if !subjects.is_empty() {
                said.more.push((SUBJECTS.into(), subjects));
            }
            let plan = Plan {
                locations: result.list("locations"),
                change: result.text("change"),
                avoid: result.text("avoid"),
                avoid_paths: result.list("avoid_paths"),
                win_state: result.text("win_state"),
            };
            Ok(Outcome::Planned { said, plan })
        }
        "CLARIFICATION_NEEDED" => {
            let question = Some(result.text("question")).filter(|question| !question.is_empty());
            let question = question.ok_or_else(|| vec!["question: say what the Human is to answer".to_string()])?;
            // What is asked is what the Human reads first.
            said.summary = question.lines().next().unwrap_or_default().into();
            Ok(Outcome::Clarify { said, question })
        }
        _ => Err(result.unknown("PLAN_CREATED, CLARIFICATION_NEEDED")),
    }
}

fn acted(said: Said, result: &Fields<'_>) -> Result<Outcome, Vec<String>> {
    match result.text("result").as_str() {
        "SUCCESS" => {
            let deed = Deed {
                where_to_look: result.text("where_to_look"),
                what_changed: result.text("what_changed"),
                why: result.text("why"),
                testing_notes: result.text("testing_notes"),
            };
            // Put there by whoever looked at the copy, over whatever the agent wrote.
            let measured: Option<Measured> =
                result.0.get("measured").and_then(|value| serde_json::from_value(value.clone()).ok());
            let measured = measured.ok_or_else(|| vec!["nobody measured what was changed".to_string()])?;
            Ok(Outcome::Succeeded { said, deed, measured })
        }
        "FAIL" => Ok(Outcome::Blocked { said }),
        _ => Err(result.unknown("SUCCESS, FAIL")),
    }
}

fn judged(said: Said, result: &Fields<'_>) -> Result<Outcome, Vec<String>> {
    let word = match result.text("result").as_str() {
        "PASS" => Word::Pass,
        "INSUFFICIENT" => Word::Insufficient,
        _ => return Err(result.unknown("PASS, INSUFFICIENT")),
    };
    let standing = match result.text("superordinate").as_str() {
        "SUFFICIENT" => Standing::Sufficient,
        "PROGRESSING" => Standing::Progressing,
        other => {
            let what = field::SUPERORDINATE;
            return Err(vec![format!("superordinate: `{other}` is none of SUFFICIENT, PROGRESSING ({what})")]);
        }
    };
    let findings = Findings {
        subordinate: result.text("subordinate"),
        discrepancy: result.text("discrepancy"),
        main_source: result.text("main_source"),
        recommended: result.text("recommended"),
        next_steps: result.text("next_steps"),
    };
    Ok(Outcome::Judged { said, word, standing, findings })
}

/// What code says of its work.
fn coded(work: Work, value: &Value) -> Outcome {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    let files = || -> Option<Vec<String>> { serde_json::from_value(value.get("conflicts")?.clone()).ok() };
    match work {
        Work::Checkpoint => {
            Outcome::Checkpointed { branch: text("branch"), base: text("base"), commit: text("commit") }
        }
        Work::Check(_) => {
            let checks: Vec<Check> =
                value.get("checks").and_then(|checks| serde_json::from_value(checks.clone()).ok()).unwrap_or_default();
            Outcome::Checked { commit: text("commit"), checks }
        }
        Work::Offer => Outcome::Offered { number: value.get("number").and_then(Value::as_u64), said: text("said") },
        Work::Merge => match files() {
            Some(files) => Outcome::Conflicted { files },
            None => Outcome::Merged { commit: text("commit"), note: text("note") },
        },
        Work::Delete => Outcome::Deleted,
        Work::Archive(_) => Outcome::Archived { path: text("path") },
        Work::Outline | Work::Plan(_) | Work::Act(_) | Work::Judge(_) => {
            Outcome::Failed("code answered where an agent was asked".into())
        }
    }
}
