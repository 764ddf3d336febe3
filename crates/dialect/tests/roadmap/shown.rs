//! Readings as people would check them, and what holds for every one of them.

use dialect::roadmap::{Config, Deviation, Log, TaskFile, Weight};

pub(crate) fn log(log: &Log) -> String {
    let front = log.front();
    let progress = front.progress.map_or("none".to_owned(), |progress| format!("{progress}%"));
    let mut text = format!(
        "title `{}`, progress {progress}, created {}, updated {}\n",
        front.title, front.create_time, front.update_time
    );
    let in_group = |group: &Option<String>| group.as_ref().map_or(String::new(), |group| format!(" in {group}"));
    let ticked = |ticked: Option<bool>| match ticked {
        None => "no box",
        Some(true) => "ticked",
        Some(false) => "open",
    };
    for group in log.groups() {
        text.push_str(&format!(
            "group {}{}, line {}, {}: {}\n",
            group.key,
            in_group(&group.parent),
            group.line,
            ticked(group.is_ticked),
            group.title
        ));
    }
    for item in log.items() {
        let status = item.status.map_or("?", |status| status.word());
        text.push_str(&format!(
            "item {}{}, line {}, {status}, {}: {}",
            item.key,
            in_group(&item.group),
            item.line,
            ticked(item.is_ticked),
            item.title
        ));
        if !item.executor.is_empty() {
            text.push_str(&format!("; held by {}", item.executor));
        }
        if !item.depends_on.is_empty() {
            text.push_str(&format!("; after {}", item.depends_on.join(" and ")));
        }
        if !item.claims.is_empty() {
            text.push_str(&format!("; claims {}", item.claims.join(" and ")));
        }
        text.push('\n');
    }
    for entry in log.entries() {
        let result = entry.result.map_or("?", |result| result.word());
        let blocker = if entry.is_blocker { ", a blocker" } else { "" };
        let number = entry.number.map_or("?".to_owned(), |number| number.to_string());
        let item = entry.item.map_or("no item".to_owned(), |item| format!("item {item}"));
        text.push_str(&format!(
            "entry {number}, line {}, @{} ({}), {}, {item}, {result}{blocker}: {} / {}\n",
            entry.line,
            entry.executor_name,
            entry.at,
            entry.role,
            one_line(&entry.objective),
            one_line(&entry.summary)
        ));
    }
    text.push('\n');
    finish(text, log.problems())
}

pub(crate) fn task(task: &TaskFile) -> String {
    let period = task.period.map_or("none", |period| period.word());
    let mut text = format!(
        "task {}, log {}\ndirs {:?}, agents {:?}, model {:?}, period {period}, quota {:?}, {:?}\ngoal: {}\n",
        task.name,
        task.log_path(),
        task.dirs,
        task.agents,
        task.model,
        task.quota,
        task.language,
        one_line(&task.goal)
    );
    for question in &task.questions {
        let response = question
            .response
            .as_deref()
            .map_or("no answer".to_owned(), |answer| format!("answered: {}", one_line(answer)));
        text.push_str(&format!(
            "question `{}`, line {}: {}; {response}\n",
            question.id,
            question.line,
            one_line(&question.question)
        ));
    }
    text.push('\n');
    finish(text, &task.problems)
}

pub(crate) fn config(config: &Config) -> String {
    let mut text = String::new();
    config.sources.iter().for_each(|source| text.push_str(&format!("{source:?}\n")));
    text.push('\n');
    finish(text, &config.problems)
}

fn one_line(text: &str) -> String {
    text.replace('\n', " / ")
}

fn finish(mut text: String, problems: &[Deviation]) -> String {
    for one in problems {
        let mark = match one.weight {
            Weight::Form => "form",
            Weight::Rule => "rule",
            Weight::Unclear => "unclear",
        };
        text.push_str(&format!("{}:{}: {mark}: {}; {}\n", one.line, one.column, one.reason, one.mend));
    }
    text.replace('\u{1A}', "<?>").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// What holds for the deviations of every document.
pub(crate) fn check(problems: &[Deviation], bytes: &[u8]) {
    for one in problems {
        assert!(one.span.start <= one.span.end && one.span.end <= bytes.len(), "{one:?}");
        assert!(one.line >= 1 && one.column >= 1 && !one.reason.is_empty() && !one.mend.is_empty(), "{one:?}");
        assert!(one.line <= bytes.iter().filter(|byte| **byte == b'\n').count() + 1, "{one:?}");
    }
}
