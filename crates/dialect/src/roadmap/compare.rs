//! A log and a task file as the machine reads them: whole, by key, with the newest entry of each item. Must not judge what
//! differs.

use std::collections::HashMap;

use machine::roadmap::{Group, Last, ReadEntry, ReadItem, ReadQuestion, Reading, Session, Status, TaskReading};

use super::log::Log;
use super::task::TaskFile;

/// A log as it reads.
pub fn reading(log: &Log) -> Reading {
    let entries = log.entries();
    let mut newest: HashMap<&str, Last> = HashMap::new();
    for entry in &entries {
        if let (Some(item), Some(verdict)) = (&entry.item, entry.result) {
            newest.entry(item).or_insert_with(|| Last {
                verdict,
                is_blocker: entry.is_blocker,
                summary: entry.summary.clone(),
                log: entry.number.unwrap_or_default(),
            });
        }
    }
    let items = log.items().into_iter().map(|item| ReadItem {
        last: newest.get(item.key.as_str()).cloned(),
        key: item.key,
        number: item.number,
        title: item.title,
        group: item.group,
        depends_on: item.depends_on,
        claims: item.claims,
        status: item.status,
        executor: item.executor,
    });
    let groups =
        log.groups().into_iter().map(|group| Group { key: group.key, title: group.title, parent: group.parent });
    let told = entries.iter().filter_map(|entry| {
        Some(ReadEntry { number: entry.number?, result: entry.result?, is_blocker: entry.is_blocker })
    });
    Reading {
        groups: groups.collect(),
        items: items.collect(),
        log_number: entries.iter().filter_map(|entry| entry.number).max().unwrap_or_default(),
        entries: told.collect(),
    }
}

/// A log as it reads, held against what a session knows: known by the session's keys. A box that was ticked by hand beside
/// a state that nobody touched says what is meant (RM-12).
pub fn compare(log: &mut Log, session: &Session) -> Reading {
    log.align(session);
    let mut read = reading(log);
    let boxes: HashMap<String, bool> =
        log.items().into_iter().filter_map(|item| Some((item.key, item.is_ticked?))).collect();
    for item in &mut read.items {
        let Some(known) = session.pool.item(&item.key) else { continue };
        let Some(is_ticked) = boxes.get(&item.key).copied() else { continue };
        let is_done = known.status == Status::Completed;
        if item.status == Some(known.status) && is_ticked != is_done && known.status != Status::Cancelled {
            item.status = Some(if is_ticked { Status::Completed } else { Status::Pending });
        }
    }
    read
}

/// A task file as it reads; `digest` is that of [`TaskFile::goal_source`].
pub fn task_reading(task: &TaskFile, digest: String) -> TaskReading {
    let questions = task.questions.iter().filter(|question| !question.id.is_empty()).map(|question| ReadQuestion {
        id: question.id.clone(),
        question: question.question.clone(),
        answer: question.response.clone(),
    });
    TaskReading { goal: digest, questions: questions.collect() }
}
