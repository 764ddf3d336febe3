//! Owns what an answer comes to: a report that keeps the contract and whose files are there, or the exact problems. Must
//! not know how it was asked for.

use std::path::Path;

use serde_json::{Value, json};

use super::extract::{Found, found_in, unfenced, without_thoughts};
use super::mend::report_of;
use crate::check::check_report;
use crate::contract::{Brief, Report, ReportOutput, ReportStatus};
use crate::limits::{MAX_QUOTE, OutputLimits};
use crate::outputs::collect_outputs;
use crate::prompt::Form;
use crate::words::quote;

/// A text that is shorter says nothing, whatever the file.
const LEAST_TEXT: usize = 20;
/// The most of a text that becomes a summary, in characters.
const SUMMARY: usize = 240;

/// What came of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    pub(super) report: Result<Report, Vec<String>>,
    /// What had to be mended.
    pub(super) notes: Vec<String>,
}

/// Whether a plain text may stand for the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    Taken,
    /// JSON was asked for: it is asked for again first.
    NotYet,
}

/// What an answer comes to.
pub(super) fn judge(brief: &Brief, workdir: &Path, text: &str, form: Form, plain: Plain) -> Judged {
    let text = without_thoughts(text);
    let mut notes = Vec::new();
    let wants_text = form == Form::Simple && !brief.expects.result.is_object();
    let found = match found_in(text) {
        // A text that has some JSON in it is still a text, where a text is asked for.
        Found::Whole(value) if wants_text && value.get("status").is_none() && value.get("outputs").is_none() => {
            Found::Nothing
        }
        Found::Within(value) | Found::Mended(value)
            if wants_text && (value.get("status").is_none() || value.get("outputs").is_none()) =>
        {
            Found::Nothing
        }
        found => found,
    };
    let value = match found {
        Found::Whole(value) => Some(value),
        Found::Within(value) => {
            notes.push("the answer had other text around its JSON".to_string());
            Some(value)
        }
        Found::Mended(value) => {
            notes.push("the answer's JSON was not closed, or had a comma too many; it was mended".to_string());
            Some(value)
        }
        Found::Nothing => None,
    };
    let report = match value {
        Some(value) => {
            let (value, mended) = report_of(brief, value);
            notes.extend(mended);
            checked(brief, workdir, &value)
        }
        None => of_text(brief, workdir, (text, form), plain, &mut notes),
    };
    Judged { report, notes }
}

/// What a report in our form comes to.
pub(super) fn checked(brief: &Brief, workdir: &Path, value: &Value) -> Result<Report, Vec<String>> {
    let report = check_report(brief, value.to_string().as_bytes())?;
    let untold = untold(brief, &report);
    if !untold.is_empty() {
        return Err(untold);
    }
    if report.status == ReportStatus::Done {
        collect_outputs(brief, workdir, &report, &OutputLimits::default())?;
    }
    Ok(report)
}

/// What a message to the user leaves out that the package says (MV-41): the instructions that are proposed, the job and the
/// place of its results. Whoever leaves them out is not the one to speak.
fn untold(brief: &Brief, report: &Report) -> Vec<String> {
    let of = |pointer: &str| brief.context.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if brief.role != "communicator" || report.status != ReportStatus::Done {
        return Vec::new();
    }
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = plain(report.result["message"].as_str().unwrap_or_default());
    let wanted: Vec<String> = match of("/kind") {
        "proposal" => of("/package/text").lines().filter_map(numbered).map(plain).collect(),
        "completion" => vec![format!("outputs/{}", brief.run_id)],
        "failure" => vec![brief.run_id.clone()],
        _ => Vec::new(),
    };
    let missing = wanted.iter().filter(|wanted| !message.contains(wanted.as_str()));
    missing
        .map(|wanted| {
            format!("/result/message: leaves out `{}`, which must stand in it word for word", quote(wanted, MAX_QUOTE))
        })
        .collect()
}

/// The text of a line that begins with a number.
fn numbered(line: &str) -> Option<&str> {
    let (number, text) = line.split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(text.trim())
}

/// A text without JSON: the words to a file that tools have written, or the file itself.
fn of_text(
    brief: &Brief,
    workdir: &Path,
    (text, form): (&str, Form),
    plain: Plain,
    notes: &mut Vec<String>,
) -> Result<Report, Vec<String>> {
    if text.is_empty() {
        return Err(vec!["the answer is empty".into()]);
    }
    let words = quote(&text.split_whitespace().collect::<Vec<_>>().join(" "), SUMMARY);
    if !brief.expects.outputs.is_empty() {
        let written = checked(brief, workdir, &json!({"status": "done", "summary": words}));
        if written.is_ok() {
            notes.push("the answer was text; the files are there, so it is taken as the summary".into());
            return written;
        }
    }
    let no_json = || {
        vec![format!(
            "there is no JSON in the answer, expected the report; it begins with `{}`",
            quote(text, MAX_QUOTE)
        )]
    };
    if plain == Plain::NotYet || brief.expects.result.is_object() {
        return Err(no_json());
    }
    let text = unfenced(text);
    if is_broken_off(text, form) {
        return Err(vec![format!("the report breaks off, it ends with `{}`", last_words(text))]);
    }
    if text.chars().count() < LEAST_TEXT && !brief.expects.outputs.is_empty() {
        return Err(vec![format!("the answer has {} characters, which is no file", text.chars().count())]);
    }
    let content = match text.ends_with('\n') {
        true => text.to_string(),
        false => format!("{text}\n"),
    };
    let report = match &brief.expects.outputs[..] {
        [] => Report { result: json!({"answer": text}), ..Report::done(&words) },
        [path] => {
            if let Some(problem) = unfit(path, text) {
                return Err(vec![problem]);
            }
            notes.push(format!("the answer was plain text; it is taken as the content of {path}"));
            let outputs = vec![ReportOutput { path: path.clone(), content: Some(content) }];
            Report { outputs, ..Report::done(&first_words(text)) }
        }
        _ => return Err(no_json()),
    };
    let value = serde_json::to_value(&report).unwrap_or_default();
    checked(brief, workdir, &value)
}

/// Whether a text is a report that was not written to its end, and so no file.
fn is_broken_off(text: &str, form: Form) -> bool {
    let has_field = || ["\"status\"", "\"summary\"", "\"outputs\""].iter().any(|field| text.contains(field));
    text.starts_with('{') && serde_json::from_str::<Value>(text).is_err() && (form == Form::Report || has_field())
}

/// The end of a text, as far as it is quoted.
fn last_words(text: &str) -> &str {
    let start = text.char_indices().rev().nth(MAX_QUOTE / 2).map_or(0, |(start, _)| start);
    &text[start..]
}

/// Why a text cannot be a file of this kind.
fn unfit(path: &str, text: &str) -> Option<String> {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "json" => {
            serde_json::from_str::<Value>(text).err().map(|fault| format!("{path}: the answer is not JSON: {fault}"))
        }
        "html" | "htm" | "svg" if !text.contains('<') => Some(format!("{path}: the answer has no tags, expected HTML")),
        _ => None,
    }
}

/// The first line that says something, without the marks of a heading.
pub(super) fn first_words(text: &str) -> String {
    let mut lines = text.lines().map(|line| line.trim_start_matches(['#', '-', '*', '>', ' ']).trim());
    quote(lines.find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default(), SUMMARY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Brief {
        let mut brief = Brief::new("r", "multiverse", "executor", "execute");
        brief.expects.outputs = vec![path.into()];
        brief
    }

    fn check(brief: &Brief, text: &str, form: Form, plain: Plain, expected: Result<&str, &str>) {
        let folder = tempfile::tempdir().unwrap();
        let judged = judge(brief, folder.path(), text, form, plain);
        let found = judged.report.map(|report| match report.outputs.first() {
            Some(output) => output.content.clone().unwrap_or_default(),
            None => report.result.to_string(),
        });
        assert_eq!(found, expected.map(String::from).map_err(|problem| vec![problem.to_string()]), "{text}");
    }

    /// A small model hands in a file by writing it.
    #[test]
    fn plain_text_is_the_file_where_one_is_asked_for() {
        let brief = file("runs/r/a.md");
        let text = "# Wheat\n\nThe price rose {\"a\": 1}.";
        check(&brief, text, Form::Simple, Plain::Taken, Ok(&format!("{text}\n")));
        check(&brief, &format!("```markdown\n{text}\n```"), Form::Simple, Plain::Taken, Ok(&format!("{text}\n")));
        let report = r#"{"status": "done", "outputs": [{"path": "runs/r/a.md", "content": "x"}]}"#;
        check(&brief, report, Form::Simple, Plain::Taken, Ok("x"));
        check(&brief, "ok", Form::Simple, Plain::Taken, Err("the answer has 2 characters, which is no file"));
        check(&brief, "<think>a", Form::Simple, Plain::Taken, Err("the answer is empty"));
        check(
            &brief,
            "I am done.",
            Form::Report,
            Plain::NotYet,
            Err("there is no JSON in the answer, expected the report; it begins with `I am done.`"),
        );
        check(
            &file("runs/r/a.html"),
            "A chart would be nice here.",
            Form::Simple,
            Plain::Taken,
            Err("runs/r/a.html: the answer has no tags, expected HTML"),
        );
    }

    /// QL-32: half a report is no file, however often it comes.
    #[test]
    fn a_report_that_breaks_off_is_no_file() {
        let brief = file("runs/r/a.md");
        let half = r#"{"status": "done", "summary": "written", "outputs": [{"path"#;
        let ending = r#"the report breaks off, it ends with `"#;
        for (text, form, is_taken) in [
            (half, Form::Report, false),
            (half, Form::Simple, false),
            (r#"{"sta: and so on, word for word"#, Form::Report, false),
            ("{{ a template }} is what it is about", Form::Simple, true),
        ] {
            let folder = tempfile::tempdir().unwrap();
            match judge(&brief, folder.path(), text, form, Plain::Taken).report {
                Ok(report) => assert!(is_taken, "{text}: {report:?}"),
                Err(problems) => assert!(!is_taken && problems[0].starts_with(ending), "{text}: {problems:?}"),
            }
        }
    }

    /// MV-41: whoever speaks to the user leaves nothing out; otherwise code speaks.
    #[test]
    fn a_spokesman_tells_all_that_is_in_the_package() {
        let mut brief = Brief::new("run-1", "multiverse", "communicator", "communicate");
        brief.expects.result =
            json!({"type": "object", "required": ["message"], "properties": {"message": {"type": "string"}}}).into();
        brief.context =
            json!({"kind": "proposal", "package": {"text": "# Proposal\n\n1. Be short.\n2. Use  the files.\n"}});
        let folder = tempfile::tempdir().unwrap();
        let told = |brief: &Brief, message: &str| {
            judge(brief, folder.path(), &json!({"message": message}).to_string(), Form::Simple, Plain::Taken)
                .report
                .map(drop)
        };
        assert_eq!(told(&brief, "So:\n1. Be short.\n2. Use the files.\nCONFIRM?"), Ok(()));
        let problem = "/result/message: leaves out `Use the files.`, which must stand in it word for word";
        assert_eq!(told(&brief, "Be short. Thank you."), Err(vec![problem.to_string()]));
        brief.context["kind"] = json!("completion");
        assert!(told(&brief, "[Job Completed] in outputs/run-1/").is_ok() && told(&brief, "[Job Completed]").is_err());
    }

    /// MV-21: words alone are no file; a file that a tool has written needs only words.
    #[test]
    fn a_file_that_is_there_needs_only_words() {
        let folder = tempfile::tempdir().unwrap();
        let brief = file("runs/r/a.md");
        std::fs::create_dir_all(folder.path().join("runs/r")).unwrap();
        let done = || judge(&brief, folder.path(), "All is written.", Form::Report, Plain::NotYet).report;
        assert!(done().is_err());
        std::fs::write(folder.path().join("runs/r/a.md"), "").unwrap();
        assert!(done().is_err(), "an empty file is none");
        std::fs::write(folder.path().join("runs/r/a.md"), "x").unwrap();
        assert_eq!(done().unwrap().summary, "All is written.");
        let lie = judge(
            &brief,
            folder.path(),
            r#"{"status": "done", "outputs": [{"path": "runs/r/b.md"}]}"#,
            Form::Report,
            Plain::NotYet,
        );
        assert!(lie.report.is_ok(), "what nobody asked for is left out: {lie:?}");
    }
}
