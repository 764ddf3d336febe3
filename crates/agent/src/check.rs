//! Owns the way from what an agent printed to a report that keeps the contract, or to the exact problems. Must not
//! know how it was printed, nor look at files: [`crate::collect_outputs`] does.

use serde_json::Value;

use crate::contract::{Brief, Report, ReportStatus};
use crate::limits::{MAX_PATH, MAX_PROBLEMS, MAX_QUOTE};
use crate::schema::{Which, schema};
use crate::validate::validate;
use crate::words::quote;

/// Folders that no agent writes to unless its brief asks for that very file (MV-32).
const READ_ONLY: [&str; 6] = ["assets", "data", "db", "guidelines", "settings", ".multiverse"];

/// Folders in which each run has its own.
const PER_RUN: [&str; 2] = ["runs", "outputs"];

/// The report in what an agent printed: all of it, else the last line that is a JSON object, else the last fenced
/// block that is one. Whether the outputs exist is another question: see [`crate::collect_outputs`].
pub fn check_report(brief: &Brief, printed: &[u8]) -> Result<Report, Vec<String>> {
    let value = find_object(printed).map_err(|problem| vec![problem])?;
    let mut problems = validate(&schema(Which::Report), &value);
    if !problems.is_empty() {
        return Err(problems);
    }
    let report: Report = serde_json::from_value(value).map_err(|fault| vec![format!("the report: {fault}")])?;
    match report.status {
        ReportStatus::Done if report.result.is_null() && requires_nothing(&brief.expects.result) => {}
        ReportStatus::Done if !brief.expects.result.is_null() => {
            let found = validate(&brief.expects.result, &report.result);
            problems.extend(found.into_iter().map(|problem| match problem.strip_prefix("the whole") {
                Some(rest) => format!("/result{rest}"),
                None => format!("/result{problem}"),
            }));
        }
        ReportStatus::Question => need(&mut problems, "question", report.question.as_deref(), "what a person must say"),
        ReportStatus::Failed => need(&mut problems, "error", report.error.as_deref(), "what went wrong"),
        ReportStatus::Done | ReportStatus::Paused => {}
    }
    check_paths(brief, &report, &mut problems);
    problems.truncate(MAX_PROBLEMS);
    if problems.is_empty() { Ok(report) } else { Err(problems) }
}

/// What is wrong with a path that an agent, a plan or a brief names, as a path from the project's folder.
pub fn path_problem(path: &str) -> Option<&'static str> {
    let odd_part = |part: &str| matches!(part, "" | "." | "..");
    if path.is_empty() {
        Some("is empty, expected a path from the project's folder")
    } else if path.len() > MAX_PATH {
        Some("is longer than 1024 bytes")
    } else if path.starts_with('/') {
        Some("is absolute, expected a path from the project's folder")
    } else if path.contains('\\') {
        Some("has a backslash, expected / between folders")
    } else if path.chars().any(char::is_control) {
        Some("has a control character")
    } else if path.split('/').any(odd_part) {
        Some("has an empty part, `.` or `..`, expected the shortest way from the project's folder")
    } else {
        None
    }
}

/// Why an agent may not write a path that its brief does not ask for; nothing if it may.
pub(crate) fn not_writable(brief: &Brief, path: &str) -> Option<String> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    if READ_ONLY.contains(&first) {
        return Some(format!("{first}/ is not for agents to write"));
    }
    let own = rest.split('/').next() == Some(brief.run_id.as_str());
    (PER_RUN.contains(&first) && !own).then(|| format!("only {first}/{}/ belongs to this run", brief.run_id))
}

/// Whether a result may be left out: all that could be in it may be.
fn requires_nothing(schema: &Value) -> bool {
    schema["type"] == "object" && schema["required"].as_array().is_none_or(Vec::is_empty)
}

fn need(problems: &mut Vec<String>, field: &str, value: Option<&str>, what: &str) {
    if value.is_none_or(|value| value.trim().is_empty()) {
        problems.push(format!("/{field}: is missing, expected {what}, for the status says so"));
    }
}

fn check_paths(brief: &Brief, report: &Report, problems: &mut Vec<String>) {
    let wanted = &brief.expects.outputs;
    for (number, output) in report.outputs.iter().enumerate() {
        let path = quote(&output.path, MAX_QUOTE);
        let place = format!("/outputs/{number}/path");
        if let Some(problem) = path_problem(&output.path) {
            problems.push(format!("{place}: `{path}` {problem}"));
        } else if report.outputs[..number].iter().any(|before| before.path == output.path) {
            problems.push(format!("{place}: `{path}` is there twice"));
        } else if !wanted.is_empty() && !wanted.contains(&output.path) {
            problems.push(format!("{place}: nobody asked for `{path}`, expected {}", list(wanted)));
        } else if wanted.is_empty()
            && let Some(reason) = not_writable(brief, &output.path)
        {
            problems.push(format!("{place}: `{path}` cannot be taken: {reason}"));
        }
        if problems.len() >= MAX_PROBLEMS {
            return;
        }
    }
}

/// Paths in a message.
pub(crate) fn list(paths: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> = paths.iter().take(SHOWN).map(|path| format!("`{}`", quote(path, MAX_QUOTE))).collect();
    if paths.len() > SHOWN {
        names.push(format!("{} more", paths.len() - SHOWN));
    }
    names.join(", ")
}

/// The JSON object in what was printed.
fn find_object(printed: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(printed).map_err(|fault| {
        format!("the report is not UTF-8 at byte {}, expected one JSON object", fault.valid_up_to())
    })?;
    // Lines are counted from the first that was printed, so the whole is read before it is trimmed.
    let whole = text.trim_start_matches('\u{feff}');
    let text = whole.trim();
    if text.is_empty() {
        return Err("there is no report: nothing was printed, expected one JSON object on standard output".into());
    }
    let fault = match serde_json::from_str::<Value>(whole) {
        Ok(value @ Value::Object(_)) => return Ok(value),
        Ok(other) => {
            let what = quote(&other.to_string(), MAX_QUOTE);
            return Err(format!("the report is {what}, expected one JSON object"));
        }
        Err(fault) => fault,
    };
    let with_status = |value: &Value| value.get("status").is_some();
    let found = last_line(text, with_status)
        .or_else(|| last_block(text))
        .or_else(|| last_fence(text))
        .or_else(|| last_line(text, |_| true));
    if let Some(value) = found {
        return Ok(value);
    }
    let begins = quote(text, MAX_QUOTE);
    if text.starts_with('{') {
        return Err(format!("the report is not JSON: {fault}; it begins with `{begins}`"));
    }
    Err(format!("there is no JSON object in what was printed; it begins with `{begins}`"))
}

/// The last line that is such an object. An empty one is how code ends as well; it is no report. An indented one is
/// part of something larger.
fn last_line(text: &str, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
    let lines = text.lines().rev().map(str::trim_end).filter(|line| line.starts_with('{') && line.ends_with('}'));
    let mut objects = lines.filter(|line| line.len() > 2).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    objects.find(is_it)
}

/// An object written over several lines at the end, after a banner.
fn last_block(text: &str) -> Option<Value> {
    let start = if text.starts_with("{\n") { 0 } else { text.rfind("\n{\n").or_else(|| text.rfind("\n{\r\n"))? + 1 };
    serde_json::from_str::<Value>(&text[start..]).ok().filter(Value::is_object)
}

/// The last fenced block that is an object.
fn last_fence(text: &str) -> Option<Value> {
    let mut found = None;
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let trimmed = line.trim();
        match start {
            None if trimmed == "```json" || trimmed == "```" => start = Some(end),
            Some(from) if trimmed == "```" => {
                found = serde_json::from_str::<Value>(&text[from..at]).ok().filter(Value::is_object).or(found);
                start = None;
            }
            _ => {}
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn brief() -> Brief {
        let mut brief = Brief::new("run-1", "multiverse", "executor", "execute");
        brief.expects.result =
            json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}).into();
        brief.expects.outputs = vec!["runs/run-1/workspace/A/x.md".into()];
        brief
    }

    fn good() -> Value {
        json!({"status": "done", "result": {"n": 1}, "outputs": [{"path": "runs/run-1/workspace/A/x.md"}]})
    }

    fn check(brief: &Brief, printed: &str, expected: &[&str]) {
        let problems = check_report(brief, printed.as_bytes()).err().unwrap_or_default();
        assert_eq!(problems, expected, "{printed}");
    }

    /// QL-32: the report is found among banners, logs and fences, as agents print it.
    #[test]
    fn the_report_is_found_in_what_was_printed() {
        let (line, block) = (good().to_string(), serde_json::to_string_pretty(&good()).unwrap());
        for printed in [
            line.clone(),
            format!("\u{feff}\n  {line}\n\n"),
            block.clone(),
            format!("starting …\n{{\"level\": \"info\"}}\n{line}"),
            format!("{{\"status\": \"failed\", \"error\": \"first try\"}}\n{line}\n{{\"level\": \"info\"}}\nbye\n"),
            format!("banner {{}}\n{block}\n"),
            format!("Here it is:\n```json\n{block}\n```\nAnything else?\n"),
            format!("so\n```json\n{{\n \"rows\": [\n  {{\"status\": \"PENDING\"}}\n ],{}\n```\nbye", &line[1..]),
            format!("```\n{{\"an\": \"example\"}}\n```\nand\n```json\n{line}\n```"),
        ] {
            check(&brief(), &printed, &[]);
        }
    }

    /// QL-32: garbage is named for what it is.
    #[test]
    fn garbage_is_named() {
        let one = "expected one JSON object";
        check(&brief(), " \n", &[&format!("there is no report: nothing was printed, {one} on standard output")]);
        check(&brief(), "[1]", &[&format!("the report is [1], {one}")]);
        check(
            &brief(),
            "all done!\n\u{1b}[2J",
            &["there is no JSON object in what was printed; it begins with `all done!\\n\\u{1b}[2J`"],
        );
        check(
            &brief(),
            "{\"status\": \"do",
            &[
                "the report is not JSON: EOF while parsing a string at line 1 column 14; it begins with `{\"status\": \"do`",
            ],
        );
        check(
            &brief(),
            "{\n \"status\": done}",
            &["the report is not JSON: expected value at line 2 column 12; it begins with `{\\n \"status\": done}`"],
        );
        let problems = check_report(&brief(), b"{\"status\": \"\xff\"}").unwrap_err();
        assert_eq!(problems, [format!("the report is not UTF-8 at byte 12, {one}")]);
    }

    /// MV-21, QL-32: fields are named by pointer, with what was found and what is expected.
    #[test]
    fn broken_reports_give_exact_problems() {
        let statuses = "expected one of `done`, `failed`, `paused`, `question`";
        check(&brief(), "{}", &[&format!("/status: is missing, {statuses}")]);
        let both = "{\"status\": \"COMPLETED\", \"outputs\": \"x.md\", \"confidence\": 11}";
        check(
            &brief(),
            both,
            &[
                &format!("/status: found the string `COMPLETED`, {statuses}"),
                "/outputs: found the string `x.md`, expected array or null",
                "/confidence: found 11, expected 10 or less",
            ],
        );
        check(&brief(), "{\"status\": \"done\"}", &["/result: found null, expected object"]);
        check(
            &brief(),
            "{\"status\": \"done\", \"result\": {\"n\": \"1\"}}",
            &["/result/n: found the string `1`, expected integer"],
        );
        check(
            &brief(),
            "{\"status\": \"question\"}",
            &["/question: is missing, expected what a person must say, for the status says so"],
        );
        check(
            &brief(),
            "{\"status\": \"failed\", \"error\": \" \"}",
            &["/error: is missing, expected what went wrong, for the status says so"],
        );
        check(&brief(), "{\"status\": \"failed\", \"error\": \"no data\", \"result\": 3}", &[]);
    }

    /// MV-32, QL-30: no path leads out, and none but those asked for.
    #[test]
    fn paths_stay_where_they_were_asked_for() {
        let of = |path: &str| json!({"status": "done", "result": {"n": 1}, "outputs": [{"path": path}]}).to_string();
        let free = Brief { expects: crate::contract::Expects::default(), ..brief() };
        let place = "/outputs/0/path:";
        for (path, problem) in [
            ("/etc/passwd", "is absolute, expected a path from the project's folder"),
            ("a/../../b", "has an empty part, `.` or `..`, expected the shortest way from the project's folder"),
            ("a//b", "has an empty part, `.` or `..`, expected the shortest way from the project's folder"),
            ("a\\b", "has a backslash, expected / between folders"),
            ("", "is empty, expected a path from the project's folder"),
        ] {
            check(&free, &of(path), &[&format!("{place} `{path}` {problem}")]);
        }
        check(&free, &of("a\0b"), &["/outputs/0/path: `a\\0b` has a control character"]);
        check(
            &brief(),
            &of("notes.md"),
            &["/outputs/0/path: nobody asked for `notes.md`, expected `runs/run-1/workspace/A/x.md`"],
        );
        check(&free, &of("notes.md"), &[]);
        check(&free, &of("runs/run-1/x.md"), &[]);
        check(
            &free,
            &of("runs/run-2/x.md"),
            &["/outputs/0/path: `runs/run-2/x.md` cannot be taken: only runs/run-1/ belongs to this run"],
        );
        for folder in READ_ONLY {
            let problem = format!("{place} `{folder}/x` cannot be taken: {folder}/ is not for agents to write");
            check(&free, &of(&format!("{folder}/x")), &[&problem]);
        }
        let twice = json!({"status": "paused", "outputs": [{"path": "a"}, {"path": "a"}]}).to_string();
        check(&free, &twice, &["/outputs/1/path: `a` is there twice"]);
    }
}
