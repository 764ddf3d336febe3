//! What the agents of a session are told: who they are, the task, the item with what it rests on, the newest entries of the
//! log; a bounded part of the roadmap, however long it is (RM-16). And what a report must say.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use agent::roadmap::{self as told, Context, DO, Entry, PLAN, SkillName, Task, done_schema, plan_schema};
use agent::{Access, Brief, BriefFile, BriefLimits, Expects};
use dialect::roadmap::TaskFile;
use machine::roadmap::{self as pool, Attempt, Item, Pool, Question, Session, Status, Why, Work};
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use crate::hosted::Site;

/// The most items that a planner is told of, and that stand around an executor's item.
const PLANNED: usize = 200;
const AROUND: usize = 20;
/// How many entries of the work log are told.
pub(super) const RECENT: usize = 5;
/// The longest summary that is told of an item that is not the agent's own, in letters.
const SUMMARY: usize = 400;
/// The most names at the top of a project that a planner is given.
const TOP: usize = 200;
/// What a planner does not need to see.
const LEFT_OUT: [&str; 4] = [".multiverse", ".git", "target", "node_modules"];

/// The name that settings and agents know a part by; nothing where code works.
pub(super) fn role(work: &Work) -> Option<&'static str> {
    match work {
        Work::Plan(_) => Some("planner"),
        Work::Do(_) => Some("executor"),
        Work::Integrate(_) => None,
    }
}

/// The brief of an attempt. `recent` are entries of the work log, the newest first.
pub(super) fn brief(session: &Session, attempt: &Attempt, recent: &VecDeque<pool::Entry>, site: &Site<'_>) -> Brief {
    let (role, action) = match &attempt.work {
        Work::Plan(_) => ("planner", PLAN),
        Work::Do(_) | Work::Integrate(_) => ("executor", DO),
    };
    let mut brief = Brief::new(&session.id, PROTOCOL, role, action);
    brief.attempt = attempt.number;
    brief.problems.clone_from(&attempt.problems);
    brief.limits = BriefLimits { steps: session.quota, tokens: 0, seconds: site.settings.seconds };
    brief.item = item_object(session, &attempt.work);
    brief.files = files(session, &attempt.work, &site.settings.project);
    brief.context = serde_json::to_value(context(session, attempt, recent, site)).unwrap_or_default();
    let result = if action == PLAN { plan_schema() } else { done_schema() };
    brief.expects = Expects { result, outputs: Vec::new() };
    brief
}

fn item_object(session: &Session, work: &Work) -> Map<String, Value> {
    let item = work.item().or(match work {
        Work::Plan(why) => why.item(),
        _ => None,
    });
    match item.and_then(|key| session.pool.item(key)) {
        Some(item) => Map::from_iter([
            ("id".to_string(), json!(item.key)),
            ("number".to_string(), json!(item.number)),
            ("title".to_string(), json!(item.title)),
        ]),
        None => Map::new(),
    }
}

/// What an agent is given to read. An executor has a copy of everything; a planner looks at the folders of the task.
fn files(session: &Session, work: &Work, project: &Path) -> Vec<BriefFile> {
    let file = |path: String, why: &str| BriefFile { path, why: why.into(), access: Access::Read };
    let mut files = vec![file(session.task_file.clone(), "the task")];
    if !matches!(work, Work::Plan(_)) {
        return files;
    }
    let folders = match session.dirs.is_empty() {
        false => session.dirs.clone(),
        true => {
            let entries = std::fs::read_dir(project).into_iter().flatten().filter_map(Result::ok);
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            let mut names: Vec<String> = names.filter(|name| !LEFT_OUT.contains(&name.as_str())).collect();
            names.sort();
            names.truncate(TOP);
            names
        }
    };
    let own = session.task_file.split('/').next().unwrap_or_default();
    let folders = folders.into_iter().filter(|folder| folder != own && *folder != session.task_file);
    files.extend(folders.map(|folder| file(folder, "part of the task's ground")));
    files
}

fn context(session: &Session, attempt: &Attempt, recent: &VecDeque<pool::Entry>, site: &Site<'_>) -> Context {
    let task = (site.read)(&session.task_file).map(|text| text.to_vec()).unwrap_or_default();
    let goal = TaskFile::read(&session.task_file, &task).goal;
    let (items, left_out) = items(session, &attempt.work);
    let groups = groups(session, &items);
    let own = attempt.work.item().and_then(|key| session.pool.item(key));
    let folder = super::deed::folder(&site.settings.project, &session.id, attempt.fence);
    let cwd = if own.is_some() { folder.join("tree") } else { site.settings.project.clone() };
    Context {
        executor_identity: attempt.executor.clone(),
        executor_name: attempt.name.clone(),
        quota: session.quota,
        active_executors: session.active_executors().into_iter().map(String::from).collect(),
        task: Task {
            name: session.name.clone(),
            cwd: cwd.display().to_string(),
            dirs: session.dirs.clone(),
            task_file: session.task_file.clone(),
            log_file: session.log_file.clone(),
            goal,
        },
        fence: attempt.fence,
        progress: format!("{}%", session.progress()),
        items,
        left_out,
        groups,
        recent: recent.iter().take(RECENT).map(entry).collect(),
        why: why(session, &attempt.work),
        asked: own.map(|item| asked(session, &item.key)).unwrap_or_default(),
        partial: own.and_then(partial).unwrap_or_default(),
        skills: skills(site),
        tools_command: Vec::new(),
    }
}

fn skills(site: &Site<'_>) -> Vec<SkillName> {
    let known = site.settings.guidance.skills.iter();
    known.map(|skill| SkillName { name: skill.name.clone(), description: skill.description.clone() }).collect()
}

/// What the next attempt is told of the work that is there already.
fn partial(item: &Item) -> Option<String> {
    item.partial.as_ref()?;
    let summary = item.last.as_ref().map(|last| last.summary.clone()).unwrap_or_default();
    Some(format!("the work of the last attempt is in the files already; it said: {summary}"))
}

fn asked(session: &Session, item: &str) -> Vec<told::Asked> {
    let one = |question: &Question| told::Asked {
        question: question.question.clone(),
        default: question.default.clone(),
        answer: question.answer.clone(),
    };
    session.question_of(item).map(one).into_iter().collect()
}

fn why(session: &Session, work: &Work) -> Option<told::Why> {
    let Work::Plan(why) = work else { return None };
    let summary = |key: &str| {
        let last = session.pool.item(key).and_then(|item| item.last.as_ref());
        last.map(|last| last.summary.clone()).unwrap_or_default()
    };
    Some(match why {
        Why::Blocked(item) => told::Why::Blocked { item: item.clone(), summary: summary(item) },
        Why::Failed(item) => told::Why::Failed { item: item.clone(), summary: summary(item) },
        Why::Reply(id) => {
            let question = session.questions.get(id);
            let text = |part: fn(&Question) -> String| question.map(part).unwrap_or_default();
            told::Why::Reply {
                question: text(|one| one.question.clone()),
                response: text(|one| one.answer.clone().unwrap_or_default()),
                item: text(|one| one.item.clone().unwrap_or_default()),
                default: text(|one| one.default.clone()),
            }
        }
        Why::Misaligned => told::Why::Goal,
    })
}

/// The items that bear on a piece of work, and how many others there are. Of a short roadmap a planner is told all.
fn items(session: &Session, work: &Work) -> (Vec<told::Item>, usize) {
    let pool = &session.pool;
    let chosen: Vec<&str> = match work {
        Work::Plan(_) if pool.len() <= PLANNED => pool.items().map(|item| item.key.as_str()).collect(),
        Work::Plan(why) => {
            let open = pool.items().filter(|item| !matches!(item.status, Status::Completed | Status::Cancelled));
            let near = why.item().map(|key| around(session, key, PLANNED / 4)).unwrap_or_default();
            near.into_iter().chain(open.map(|item| item.key.as_str()).take(PLANNED / 2)).collect()
        }
        Work::Do(key) | Work::Integrate(key) => {
            let needed = pool.item(key).map(|item| item.depends_on.as_slice()).unwrap_or_default();
            needed.iter().map(String::as_str).chain(around(session, key, AROUND / 2)).collect()
        }
    };
    let mut told = BTreeSet::new();
    let found = chosen.into_iter().filter(|key| told.insert(*key)).filter_map(|key| pool.item(key));
    let found: Vec<told::Item> = found.map(|item| of_item(item, work.item())).collect();
    let left_out = pool.len().saturating_sub(found.len());
    (found, left_out)
}

/// An item and its neighbours of the same group.
fn around<'s>(session: &'s Session, key: &str, reach: usize) -> Vec<&'s str> {
    let pool = &session.pool;
    let Some(item) = pool.item(key) else { return Vec::new() };
    let walk = |step: fn(&'s Pool, &str) -> Option<&'s Item>| {
        let next = move |at: &&'s Item| step(pool, &at.key).filter(|next| next.group == item.group);
        std::iter::successors(Some(item), next).skip(1).take(reach).map(|item| item.key.as_str())
    };
    let mut found: Vec<&str> = walk(Pool::before).collect();
    found.reverse();
    found.push(item.key.as_str());
    found.extend(walk(Pool::after));
    found
}

fn of_item(item: &Item, own: Option<&str>) -> told::Item {
    let last = item.last.as_ref();
    let summary = last.map(|last| last.summary.as_str()).unwrap_or_default();
    let is_own = own == Some(item.key.as_str());
    told::Item {
        key: item.key.clone(),
        number: item.number.clone(),
        title: item.title.clone(),
        group: item.group.clone().unwrap_or_default(),
        status: item.status.word().into(),
        depends_on: item.depends_on.clone(),
        claims: item.claims.clone(),
        result: last.map(|last| last.verdict.word().to_string()).unwrap_or_default(),
        summary: if is_own { summary.into() } else { summary.chars().take(SUMMARY).collect() },
    }
}

/// The groups that items lie in, each after the one that it lies in.
fn groups(session: &Session, items: &[told::Item]) -> Vec<told::Group> {
    let mut groups: Vec<told::Group> = Vec::new();
    for item in items.iter().filter(|item| !item.group.is_empty()) {
        let mut above: Vec<_> = session.pool.ancestors(Some(item.group.as_str())).collect();
        above.reverse();
        for group in above {
            if groups.iter().all(|known| known.key != group.key) {
                let (key, title, parent) = (group.key.clone(), group.title.clone(), group.parent.clone());
                groups.push(told::Group { key, title, parent });
            }
        }
    }
    groups
}

fn entry(entry: &pool::Entry) -> Entry {
    Entry {
        number: entry.number,
        executor: entry.executor_name.clone(),
        role: entry.role.word().into(),
        objective: entry.objective.clone(),
        result: entry.result.word().into(),
        summary: entry.summary.chars().take(SUMMARY).collect(),
    }
}
