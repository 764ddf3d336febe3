//! One stream for every interface: what happens, as it happens. The terminal, JSON lines and later the web page show
//! the same notices; none of them knows more than this says.

use std::borrow::Cow;

use machine::{Fact, Hierarchy, Run, Target, Work};
use serde::Serialize;

/// Something that happened, or is to be shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
pub enum Notice {
    /// A run began.
    Started { run: String, mode: machine::Mode },
    /// A run that another machine carries began.
    Began { run: String, protocol: &'static str, what: String },
    /// A workflow went back, is blocked, or waits for a person at a step.
    Moved { run: String, step: String, outcome: &'static str, message: String },
    /// An agent began.
    Assigned {
        run: String,
        fence: u64,
        role: Cow<'static, str>,
        what: String,
        item: Option<String>,
        attempt: u32,
        agent: String,
    },
    /// An agent says how far it is.
    Progress { run: String, fence: u64, line: String },
    /// A report or plan was sent back.
    SentBack { run: String, fence: u64, what: String, problems: Vec<String> },
    /// An attempt ended without a report.
    Lost { run: String, fence: u64, what: String, reason: String },
    /// An attempt is put off, because its agent may not work yet; it goes on by itself.
    Resting { run: String, fence: u64, what: String, item: Option<String>, until: String, reason: String },
    /// What was put off goes on.
    Woke { run: String, fence: u64 },
    /// A plan was accepted: so many items, and their ids and names.
    Planned { run: String, fence: u64, target: String, items: usize, rows: Vec<(String, String)> },
    /// A proposal is drafted and waits for an answer; what it says comes as a message.
    Proposed { run: String, fence: u64 },
    /// The core work of an item is done; its tool tasks may still be to come.
    Worked { run: String, fence: u64, item: String },
    /// An agent asks a person; the question itself comes as a message.
    Asked { run: String, fence: u64, what: String, question: String },
    /// A person answered an agent's question.
    Told { run: String, fence: u64, by: String },
    /// An item is done.
    Completed { run: String, item: String, level: &'static str, name: String, files: Vec<String> },
    /// Inputs were catalogued.
    Catalogued { run: String, fence: u64, files: usize, gone: usize },
    /// A person answered the proposal.
    Answered { run: String, verdict: String, by: String },
    /// The run hands out no more work.
    Paused { run: String, reason: String },
    /// It goes on.
    Resumed { run: String },
    /// The run failed, and with it these items.
    Failed { run: String, items: Vec<String>, doing: String, error: String },
    /// The run is done.
    Finished { run: String },
    /// The Communicator's words to the user.
    Message { run: String, kind: &'static str, text: String },
    /// Something odd that a person should know of.
    Problem { run: Option<String>, path: Option<String>, reason: String },
    /// What the store has to say.
    #[serde(skip)]
    Store(store::Notice),
}

/// What a piece of work is, in words: `stage plan of P01`, `T05`.
pub(crate) fn work_in_words(hierarchy: &Hierarchy, run: &Run, work: &Work) -> String {
    match work {
        Work::Plan(target) => target_in_words(hierarchy, run, target),
        Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id) => match run.item(id) {
            Some(item) if !item.name.is_empty() => [id, " ", &item.name].concat(),
            _ => id.clone(),
        },
    }
}

fn target_in_words(hierarchy: &Hierarchy, run: &Run, target: &Target) -> String {
    match target {
        Target::Prelude => "plan of the preparation".into(),
        Target::Proposal => "proposal".into(),
        Target::Children(id) => {
            let level = run.item(id).map_or(0, |item| item.level + 1);
            format!("{} plan of {id}", hierarchy.levels.get(level).map_or("", |level| level.name))
        }
        Target::Tools(id, timing) => {
            let when = if *timing == machine::Timing::Pre { "before" } else { "after" };
            format!("plan of the tools {when} {id}")
        }
    }
}

/// The item that a piece of work is about.
pub(crate) fn item_of_work(work: &Work) -> Option<&str> {
    match work {
        Work::Execute(id) | Work::SetUp(id) | Work::Catalog(id) => Some(id),
        Work::Plan(Target::Children(id) | Target::Tools(id, _)) => Some(id),
        Work::Plan(_) => None,
    }
}

/// What a fact is to people; nothing for those that only the engine cares for.
pub(crate) fn notice_of(
    hierarchy: &Hierarchy,
    run: &Run,
    fact: &Fact,
    work_of: &dyn Fn(u64) -> Option<Work>,
) -> Option<Notice> {
    let id = run.id.clone();
    let what = |fence: u64| work_of(fence).map_or_else(String::new, |work| work_in_words(hierarchy, run, &work));
    Some(match fact {
        Fact::Started { mode, .. } => Notice::Started { run: id, mode: *mode },
        Fact::SentBack { fence, problems } => {
            Notice::SentBack { run: id, fence: *fence, what: what(*fence), problems: problems.clone() }
        }
        Fact::Lost { fence, reason } => {
            Notice::Lost { run: id, fence: *fence, what: what(*fence), reason: reason.clone() }
        }
        Fact::Rested { fence, rest } => Notice::Resting {
            run: id,
            fence: *fence,
            what: work_in_words(hierarchy, run, &rest.work),
            item: item_of_work(&rest.work).map(String::from),
            until: rest.until.clone(),
            reason: rest.reason.clone(),
        },
        Fact::Woke { fence } => Notice::Woke { run: id, fence: *fence },
        Fact::Planned { target, rows, fence } => Notice::Planned {
            run: id,
            fence: *fence,
            target: target.spelled(hierarchy, run),
            items: rows.len(),
            rows: rows.iter().map(|row| (row.id.clone().unwrap_or_default(), row.name.clone())).collect(),
        },
        Fact::Proposed { fence, .. } => Notice::Proposed { run: id, fence: *fence },
        Fact::Worked { fence, item, .. } => Notice::Worked { run: id, fence: *fence, item: item.clone() },
        Fact::Asked { fence, question } => {
            let what = work_in_words(hierarchy, run, &question.work);
            Notice::Asked { run: id, fence: *fence, what, question: question.text.clone() }
        }
        Fact::Told { fence, by, .. } => Notice::Told { run: id, fence: *fence, by: by.clone() },
        Fact::Completed { item, files } => {
            completed(hierarchy, run, item, files.iter().map(|file| file.path.clone()).collect())
        }
        Fact::Catalogued { files, gone, fence } => {
            Notice::Catalogued { run: id, fence: *fence, files: files.len(), gone: gone.len() }
        }
        Fact::Answered { verdict, by, .. } => {
            Notice::Answered { run: id, verdict: verdict_word(verdict).into(), by: by.clone() }
        }
        Fact::Exhausted { .. } => {
            Notice::Paused { run: id, reason: run.budget_question().unwrap_or_else(|| "its budget is used up".into()) }
        }
        Fact::Budgeted { by: Some(_), .. } => Notice::Resumed { run: id },
        Fact::Paused { reason } => Notice::Paused { run: id, reason: reason.clone() },
        Fact::Resumed => Notice::Resumed { run: id },
        Fact::Failed(failure) => Notice::Failed {
            run: id,
            items: failure.items.clone(),
            doing: failure.doing.clone(),
            error: failure.error.clone(),
        },
        Fact::Finished => Notice::Finished { run: id },
        _ => return None,
    })
}

fn completed(hierarchy: &Hierarchy, run: &Run, item: &str, files: Vec<String>) -> Notice {
    let found = run.item(item);
    let level = found.and_then(|item| hierarchy.levels.get(item.level)).map_or("task", |level| level.name);
    let name = found.map_or_else(String::new, |item| item.name.clone());
    Notice::Completed { run: run.id.clone(), item: item.into(), level, name, files }
}

/// The word for a verdict.
pub(crate) fn verdict_word(verdict: &machine::Verdict) -> &'static str {
    match verdict {
        machine::Verdict::Confirm => "CONFIRM",
        machine::Verdict::Modify(_) => "MODIFY",
        machine::Verdict::Cancel => "CANCEL",
        machine::Verdict::NewRequest(_) => "NEW_REQUEST",
    }
}
