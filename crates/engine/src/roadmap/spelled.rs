//! What stands in until the documents of roadmaps can be written: nothing is.

use dialect::roadmap::{Log, TaskFile};
use dialect::{Edit, Trouble};
use machine::roadmap::{Fact, Noted, ReadQuestion, Reading, Session, TaskReading};
use text::Text;

pub(super) struct Step<'a> {
    pub after: &'a Session,
    pub facts: &'a [Fact],
    pub now: &'a str,
}

pub(super) fn lower(
    _log: &mut Log,
    _read: &dyn Fn(&str) -> Option<Text>,
    step: &Step<'_>,
) -> Result<Vec<(String, Edit)>, Trouble> {
    let _ = (step.after, step.facts, step.now);
    Ok(Vec::new())
}

pub(super) fn reading(_log: &Log) -> Reading {
    Reading::default()
}

pub(super) fn noted(_was: &Log, _is: &Log, _item: &str) -> Option<Noted> {
    None
}

pub(super) fn initial_log(title: &str, now: &str) -> String {
    format!("---\ntitle: \"{title}\"\nprogress: \"0%\"\ncreateTime: {now}\n---\n\n## Roadmap\n\n## Work Log\n")
}

pub(super) fn task_reading(task: &TaskFile) -> TaskReading {
    let goal = blake3::hash(task.goal_source().as_bytes()).to_hex()[..32].to_string();
    let question = |one: &dialect::roadmap::Question| ReadQuestion {
        id: one.id.clone(),
        question: one.question.clone(),
        answer: one.response.clone(),
    };
    TaskReading { goal, questions: task.questions.iter().map(question).collect() }
}
