//! Owns what an attempt of a coding CLI came to. Neither its exit code nor its words are trusted: an error inside an exit
//! code of 0, a stream that was cut off, a refused write and an answer that is none are told apart here. Must not know
//! how the CLI was started. Whether the files are there and whole is looked at by whoever takes them, and here only to
//! tell why they are not.

use std::path::Path;
use std::time::Duration;

use tools::How;

use super::asked::opened;
use super::tongue::Heard;
use crate::backend::Ending;
use crate::check::check_report;
use crate::contract::{Brief, Report, ReportStatus, Usage};
use crate::judge::{Left, judge};
use crate::limits::{MAX_QUOTE, OutputLimits};
use crate::outputs::collect_outputs;
use crate::words::{end_of, quote};

/// Whose attempt it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Who<'a> {
    pub(crate) name: &'a str,
    /// How to come by a key.
    pub(crate) instead: &'a str,
    /// Whether a stream without its last event was cut off.
    pub(crate) has_last_event: bool,
}

/// What an attempt left behind.
#[derive(Debug)]
pub(crate) struct Remains<'a> {
    pub(crate) brief: &'a Brief,
    pub(crate) workdir: &'a Path,
    pub(crate) how: How,
    pub(crate) heard: Heard,
    /// What it wrote into its report file.
    pub(crate) file: Option<Vec<u8>>,
    pub(crate) log: String,
    pub(crate) time: Duration,
    pub(crate) output_bytes: usize,
}

impl<'a> Remains<'a> {
    /// Those of an attempt that said nothing.
    pub(crate) fn new(brief: &'a Brief, workdir: &'a Path, time: Duration, log: String) -> Self {
        let (how, heard) = (How::Exit(0), Heard::default());
        Self { brief, workdir, how, heard, file: None, log, time, output_bytes: usize::MAX }
    }
}

/// Words in which CLIs and providers ask for a login or a key.
const LOGIN: [&str; 13] = [
    "log in",
    "logged in",
    "login",
    "sign in",
    "authenticat",
    "unauthorized",
    "api key",
    "api_key",
    "apikey",
    "401",
    "missing environment variable",
    "no provider configured",
    "auth method",
];

/// Words in which they say that it is too much at the moment.
const RATE: [&str; 5] = ["429", "rate limit", "rate_limit", "too many requests", "usage limit"];

/// How long to rest then; none of them tells.
const REST_SECONDS: u64 = 60;

pub(crate) fn verdict(who: &Who<'_>, remains: Remains<'_>) -> Ending {
    let log = whole_log(&remains);
    let Remains { brief, workdir, how, heard, file, time, output_bytes, .. } = remains;
    let How::Exit(code) = how else {
        return judge(brief, Left { how, output: Vec::new(), log, time, output_bytes });
    };
    if let Some(error) = heard.errors.last() {
        let lower = error.to_lowercase();
        if RATE.iter().any(|word| lower.contains(word)) {
            return Ending::Later { seconds: REST_SECONDS, reason: format!("rate limit of {}: {error}", who.name) };
        }
        return failed(who, &format!("{} could not go on: {error}", who.name), log);
    }
    if code != 0 {
        let said = last_words(&heard, &log);
        return failed(who, &format!("{} ended with exit code {code}{said}", who.name), log);
    }
    if who.has_last_event && !heard.is_over {
        let what = match heard.answer.is_empty() && heard.talk.trim().is_empty() {
            true => "said nothing, although its exit code is 0",
            false => "stopped before its last event, although its exit code is 0",
        };
        return failed(who, &format!("{} {what}{}", who.name, last_words(&heard, &log)), log);
    }
    match report(brief, workdir, &heard, file.as_deref()) {
        Ok(mut report) => {
            if heard.usage != Usage::default() {
                report.usage = Some(heard.usage);
            }
            match unfinished(brief, workdir, &report, &heard) {
                Some(problems) => Ending::Broken { problems, said: heard.answer, log },
                None => Ending::Report { report, log },
            }
        }
        Err(problems) => Ending::Broken { problems, said: heard.answer, log },
    }
}

/// The report: from its file, from what was held to the schema, from the last answer; or, if there is none but every file
/// that was asked for, from the files.
fn report(brief: &Brief, workdir: &Path, heard: &Heard, file: Option<&[u8]>) -> Result<Report, Vec<String>> {
    let structured = heard.structured.as_ref().map(|value| opened(value).to_string().into_bytes());
    let from_answer = || match serde_json::from_str::<serde_json::Value>(heard.answer.trim()) {
        Ok(value) if value.is_object() => check_report(brief, opened(&value).to_string().as_bytes()),
        _ => check_report(brief, heard.answer.as_bytes()),
    };
    let found = match (file, structured) {
        (Some(file), _) => check_report(brief, file),
        (None, Some(value)) => check_report(brief, &value),
        (None, None) => from_answer(),
    };
    found.or_else(|problems| {
        let is_only_files = brief.expects.result.is_null() && !brief.expects.outputs.is_empty();
        let has_no_object = file.is_none() && !heard.answer.contains("\"status\"");
        let summary = quote(heard.answer.trim(), 4 * MAX_QUOTE);
        let report = Report::done(if summary.is_empty() { "the files were written" } else { &summary });
        let is_all_there = || collect_outputs(brief, workdir, &report, &OutputLimits::default()).is_ok();
        if is_only_files && has_no_object && heard.refused.is_empty() && is_all_there() {
            Ok(report)
        } else {
            Err(problems)
        }
    })
}

/// A report that says done although tools were refused and files are missing: why, so that it can be done better.
fn unfinished(brief: &Brief, workdir: &Path, report: &Report, heard: &Heard) -> Option<Vec<String>> {
    if report.status != ReportStatus::Done || heard.refused.is_empty() {
        return None;
    }
    let mut problems = collect_outputs(brief, workdir, report, &OutputLimits::default()).err()?;
    problems.extend(heard.refused.iter().map(|refused| format!("was not allowed: {refused}")));
    Some(problems)
}

fn failed(who: &Who<'_>, error: &str, log: String) -> Ending {
    let lower = error.to_lowercase();
    let hint = match LOGIN.iter().any(|word| lower.contains(word)) {
        true => format!(" (it asks for a login or a key, and gets keys from the environment only: {})", who.instead),
        false => String::new(),
    };
    Ending::Failed { error: format!("{error}{hint}"), log }
}

/// The last that was said, after a colon.
fn last_words(heard: &Heard, log: &str) -> String {
    let said =
        [heard.answer.as_str(), log].map(|text| end_of(text, 4 * MAX_QUOTE)).into_iter().find(|end| !end.is_empty());
    said.map_or_else(String::new, |end| format!(": {end}"))
}

/// Standard error, lines that were no events, and what tools refused or failed to do.
fn whole_log(remains: &Remains<'_>) -> String {
    let heard = &remains.heard;
    let mut parts = vec![remains.log.trim_end().to_string(), heard.talk.trim_end().to_string()];
    parts.extend(heard.refused.iter().map(|refused| format!("was not allowed: {refused}")));
    parts.extend(heard.failed.iter().map(|failed| format!("failed: {failed}")));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}
