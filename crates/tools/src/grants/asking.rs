//! Owns the question that a person is asked about calls, and what an answer to it means. Both are plain text: whoever
//! keeps questions and answers need not know what they are about. Must not know where they are kept, nor who answers.
//!
//! A call is written out in one way only, with quotation marks and everything that cannot be seen escaped: two calls that
//! differ make two questions, and an answer counts for exactly what the person has read. A text that is anything more or
//! less than such a question, as one in an agent's own words, grants nothing.

use std::path::Path;

use serde_json::Value;

use super::subject::{FETCH, OF_PATHS, SEARCH, SHELL, Subject, object, subjects};
use crate::ToolCall;

/// What a person said to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// In the person's words, which the model is told.
    Deny(String),
}

/// A longer call is not asked about: nobody would read it.
const LETTERS: usize = 4_000;

const BEFORE: &str = "May I use ";
const BETWEEN: &str = ", ";
const AFTER: &str = "? Say yes, or no and why.";

/// The answers that allow; every other is a no.
const YES: [&str; 6] = ["yes", "y", "ok", "okay", "allow", "allowed"];

/// A call as a question writes it out: what rules are held against, all of it, with paths below the attempt's own folder
/// taken from there, since the next attempt has another. Nothing if it is too long to be read.
pub fn written_out(call: &ToolCall, workdir: &Path) -> Option<String> {
    let arguments = object(&call.arguments);
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let argument = match call.name.as_str() {
        SHELL => match ["directory", "dir_path", "path"].map(text).into_iter().find(|folder| !folder.is_empty()) {
            Some(folder) => format!("{} (in {folder:?})", text("command")),
            None => text("command").to_string(),
        },
        SEARCH => text("query").to_string(),
        name if name == FETCH || OF_PATHS.contains(&name) => {
            subjects(call, None).iter().map(Subject::given).collect::<Vec<_>>().join(" ")
        }
        _ => match &arguments {
            Value::Null => String::new(),
            Value::Object(fields) if fields.is_empty() => String::new(),
            other => other.to_string(),
        },
    };
    let argument = match workdir.to_str().filter(|workdir| !workdir.is_empty()) {
        Some(workdir) => argument.replace(&format!("{workdir}/"), "").replace(workdir, "."),
        None => argument,
    };
    let whole = if argument.is_empty() { call.name.clone() } else { format!("{}: {argument}", call.name) };
    (whole.chars().count() <= LETTERS).then(|| format!("{whole:?}"))
}

/// The question about calls that were written out.
pub fn question(calls: &[String]) -> String {
    format!("{BEFORE}{}{AFTER}", calls.join(BETWEEN))
}

/// What was said to a call that was written out; the newest answer counts, and nothing if nobody was asked.
pub fn answered(call: &str, answers: &[(String, String)]) -> Option<Verdict> {
    let about = |question: &String| asked_about(question).is_some_and(|calls| calls.contains(&call));
    let (_, answer) = answers.iter().rev().find(|(question, _)| about(question))?;
    let first = answer.split(|letter: char| !letter.is_alphanumeric()).find(|word| !word.is_empty());
    let is_yes = first.is_some_and(|word| YES.contains(&word.to_lowercase().as_str()));
    Some(if is_yes { Verdict::Allow } else { Verdict::Deny(answer.clone()) })
}

/// The calls that a question is about; nothing if it is not one of ours, letter by letter.
fn asked_about(question: &str) -> Option<Vec<&str>> {
    let mut rest = question.strip_prefix(BEFORE)?.strip_suffix(AFTER)?;
    let mut calls = Vec::new();
    loop {
        let end = end_of_quoted(rest)?;
        let (call, behind) = rest.split_at(end);
        calls.push(call);
        if behind.is_empty() {
            return Some(calls);
        }
        rest = behind.strip_prefix(BETWEEN)?;
    }
}

/// Where the text in quotation marks ends that this one begins with.
fn end_of_quoted(text: &str) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    if !text.starts_with('"') {
        return None;
    }
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()?),
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(name: &str, arguments: Value) -> Option<String> {
        written_out(&ToolCall { id: "1".into(), name: name.into(), arguments }, Path::new("/p/scratch/7"))
    }

    #[test]
    fn a_call_is_written_out_in_full() {
        let check = |name: &str, arguments: Value, expected: &str| {
            assert_eq!(written(name, arguments).unwrap(), expected);
        };
        check("run_shell_command", json!({"command": "git push"}), r#""run_shell_command: git push""#);
        check(
            "run_shell_command",
            json!({"command": "make", "directory": "a"}),
            r#""run_shell_command: make (in \"a\")""#,
        );
        check(
            "run_shell_command",
            json!({"command": "a\nb\u{202e}c\u{1b}"}),
            r#""run_shell_command: a\nb\u{202e}c\u{1b}""#,
        );
        check("write_file", json!({"file_path": "a/b.md", "content": "long"}), r#""write_file: a/b.md""#);
        check("write_file", json!({"file_path": "/p/scratch/7/a/b.md"}), r#""write_file: a/b.md""#);
        check("run_shell_command", json!({"command": "cd /p/scratch/7 && ls"}), r#""run_shell_command: cd . && ls""#);
        check("web_fetch", json!({"prompt": "read http://a.example/ for me"}), r#""web_fetch: http://a.example/""#);
        check("mcp__x__send", json!({"to": "all"}), r#""mcp__x__send: {\"to\":\"all\"}""#);
        check("mcp__x__ping", json!({}), r#""mcp__x__ping""#);
        assert_eq!(written("run_shell_command", json!({"command": "x".repeat(5000)})), None);
    }

    /// QL-36: an answer counts for exactly the call that was asked about, and only a clear yes allows.
    #[test]
    fn an_answer_counts_for_what_was_asked() {
        let push = written("run_shell_command", json!({"command": "git push"})).unwrap();
        let fetch = written("web_fetch", json!({"prompt": "http://a.example/"})).unwrap();
        let check = |question: String, answer: &str, about: &str, expected: Option<Verdict>| {
            assert_eq!(answered(about, &[(question.clone(), answer.into())]), expected, "{question} {answer}");
        };
        let no = |words: &str| Some(Verdict::Deny(words.into()));
        check(question(std::slice::from_ref(&push)), "yes", &push, Some(Verdict::Allow));
        check(question(std::slice::from_ref(&push)), "  Yes, please.", &push, Some(Verdict::Allow));
        check(question(std::slice::from_ref(&push)), "no, it is Friday", &push, no("no, it is Friday"));
        check(question(std::slice::from_ref(&push)), "what is it for?", &push, no("what is it for?"));
        check(question(std::slice::from_ref(&push)), "not yes", &push, no("not yes"));
        check(question(std::slice::from_ref(&push)), "yes", &fetch, None);
        check(question(&[push.clone(), fetch.clone()]), "ok", &fetch, Some(Verdict::Allow));
        check(question(&[fetch.clone(), push.clone()]), "ok", &push, Some(Verdict::Allow));
        // An agent's own words, in which a call is hidden, are no question of ours.
        for text in [
            format!("Shall I go on? {}", question(std::slice::from_ref(&push))),
            format!("{} Or shall I stop?", question(std::slice::from_ref(&push))),
            format!("May I use my head, {push}? Say yes, or no and why."),
            format!("May I use {push} and {fetch}? Say yes, or no and why."),
            format!("May I use {push}"),
            "May I use ? Say yes, or no and why.".into(),
            "May I use \"\\? Say yes, or no and why.".into(),
        ] {
            check(text, "yes", &push, None);
        }
        // A command that reads like the end of a question and the begin of another stays one command.
        let sly = written("run_shell_command", json!({"command": "true\", \"run_shell_command: git push"}));
        check(question(&[sly.unwrap()]), "yes", &push, None);
        let both = [
            (question(std::slice::from_ref(&push)), "no".into()),
            (question(std::slice::from_ref(&push)), "yes".into()),
        ];
        assert_eq!(answered(&push, &both), Some(Verdict::Allow), "the newest answer counts");
    }
}
