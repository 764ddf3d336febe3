//! From what an agent said to what the machine hears: plans are read, files are checked and collected. An agent's word
//! counts only as far as it can be seen to be true.

use std::path::Path;

use agent::{Brief, CollectedOutput, Ending, Report, ReportStatus};
use dialect::{Protocol, proposal_of};
use machine::{FileNote, Metered, Outcome, Target, Work};
use store::ProjectPath;

use crate::step::Output;
use crate::summary::summary_of;

/// The most of an agent's words that are kept with a refused report, in bytes.
const KEPT_BYTES: usize = 16 * 1024;

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub run: String,
    pub fence: u64,
    pub outcome: Outcome,
    pub outputs: Vec<Output>,
    /// What the agent said, in case it is refused.
    pub said: Option<Words>,
    /// What the attempt used.
    pub used: Metered,
}

/// What an agent said, spelled out when somebody wants it.
#[derive(Debug)]
pub(crate) enum Words {
    Text(String),
    Report(Box<Report>),
}

impl Words {
    /// As it is kept with a refused report.
    pub(crate) fn spelled(&self) -> String {
        match self {
            Self::Text(text) => cut(text),
            Self::Report(report) => cut(&serde_json::to_string(report).unwrap_or_default()),
        }
    }
}

/// What became of an attempt; nothing while a person has it.
pub(crate) fn arrive(
    run: &str,
    fence: u64,
    work: &Work,
    brief: &Brief,
    workdir: &Path,
    (ending, meter): (Ending, &agent::Meter),
) -> Option<Arrived> {
    let used = metered(&ending, meter);
    let plain =
        |outcome, said: Words| Arrived { run: run.into(), fence, outcome, outputs: Vec::new(), said: Some(said), used };
    Some(match ending {
        Ending::Waiting => return None,
        Ending::Stopped => {
            let outcome = Outcome::Lost("stopped".into());
            Arrived { run: run.into(), fence, outcome, outputs: Vec::new(), said: None, used }
        }
        Ending::Later { seconds, reason } => {
            let outcome = Outcome::Later { seconds, reason: cut(&reason) };
            Arrived { run: run.into(), fence, outcome, outputs: Vec::new(), said: None, used }
        }
        Ending::Failed { error, log } => plain(Outcome::Failed(with_log(&cut(&error), &log)), Words::Text(log)),
        Ending::Broken { problems, said, log } => {
            let said = format!("{said}\n{log}");
            plain(Outcome::Broken(problems), Words::Text(said.trim().into()))
        }
        Ending::Report { report, log } => {
            let (outcome, outputs) = match report.status {
                ReportStatus::Failed => {
                    let error = report.error.as_deref().unwrap_or("the agent gave no reason");
                    (Outcome::Failed(with_log(&cut(error), &log)), Vec::new())
                }
                ReportStatus::Question => (Outcome::Question(report.question.clone().unwrap_or_default()), Vec::new()),
                ReportStatus::Paused => (Outcome::Paused(report.summary.clone()), Vec::new()),
                ReportStatus::Done => done(work, brief, workdir, &report),
            };
            Arrived { run: run.into(), fence, outcome, outputs, said: Some(Words::Report(Box::new(report))), used }
        }
    })
}

/// What an attempt used: what its backend counted on the way, or its report says, whichever is more.
pub(crate) fn metered(ending: &Ending, meter: &agent::Meter) -> Metered {
    let counted = meter.reading();
    let told = match ending {
        Ending::Report { report, .. } => report.usage.unwrap_or_default(),
        _ => agent::Usage::default(),
    };
    let tokens = |usage: &agent::Usage| usage.input_tokens.saturating_add(usage.output_tokens);
    let costs = [counted.cost_usd, told.cost_usd].into_iter().flatten().filter(|cost| cost.is_finite() && *cost >= 0.0);
    let micro = costs.map(|cost| (cost * 1e6).ceil() as u64).max();
    Metered { tokens: tokens(&counted).max(tokens(&told)), micro_dollars: micro }
}

fn done(work: &Work, brief: &Brief, workdir: &Path, report: &Report) -> (Outcome, Vec<Output>) {
    match work {
        Work::Plan(Target::Proposal) => match proposal_of(&report.result) {
            Ok(proposal) => (Outcome::Proposal(proposal), Vec::new()),
            Err(problems) => (Outcome::Broken(problems), Vec::new()),
        },
        Work::Plan(target) => match draft_of(target, brief, report) {
            Ok(rows) => (Outcome::Plan(rows), Vec::new()),
            Err(problems) => (Outcome::Broken(problems), Vec::new()),
        },
        Work::Execute(_) | Work::SetUp(_) | Work::Catalog(_) => files(brief, workdir, report),
    }
}

fn draft_of(target: &Target, brief: &Brief, report: &Report) -> Result<Vec<machine::Planned>, Vec<String>> {
    match Protocol::named(&brief.protocol) {
        Some(protocol) => protocol.draft_of(target, &brief.run_id, &report.result),
        None => Err(vec![format!("there is no protocol {}", brief.protocol)]),
    }
}

/// The files that were asked for, as they came with the report or lie in the workdir.
pub(crate) fn collected(brief: &Brief, workdir: &Path, report: &Report) -> Result<Vec<Output>, Vec<String>> {
    let collected = match workdir.as_os_str().is_empty() {
        true => handed_over(brief, report)?,
        false => agent::collect_outputs(brief, workdir, report, &agent::OutputLimits::default())?,
    };
    let (mut outputs, mut problems) = (Vec::new(), Vec::new());
    for file in collected {
        match ProjectPath::document(&file.path) {
            Ok(path) => outputs.push(Output { path, content: file.content }),
            Err(refusal) => problems.push(refusal.to_string()),
        }
    }
    if problems.is_empty() { Ok(outputs) } else { Err(problems) }
}

fn files(brief: &Brief, workdir: &Path, report: &Report) -> (Outcome, Vec<Output>) {
    let outputs = match collected(brief, workdir, report) {
        Ok(outputs) => outputs,
        Err(problems) => return (Outcome::Broken(problems), Vec::new()),
    };
    let mut notes = Vec::with_capacity(outputs.len());
    for Output { path, content } in &outputs {
        let path = path.to_string();
        let summary = match report.summary.trim() {
            "" => summary_of(&path, content, content.len() as u64),
            summary => one_line(summary),
        };
        notes.push(FileNote { path, summary, ..FileNote::default() });
    }
    (Outcome::Done { files: notes }, outputs)
}

/// The files of an agent that has no folder: all of them stand in its report.
fn handed_over(brief: &Brief, report: &Report) -> Result<Vec<CollectedOutput>, Vec<String>> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for path in &brief.expects.outputs {
        let claimed = report.outputs.iter().find(|output| output.path == *path);
        match claimed.and_then(|output| output.content.as_ref()) {
            None => problems.push(format!("{path}: is missing in the report's outputs")),
            Some(content) if content.trim().is_empty() => problems.push(format!("{path}: is empty")),
            Some(content) => {
                found.push(CollectedOutput { path: path.clone(), content: content.clone().into_bytes().into() });
            }
        }
    }
    let foreign = report.outputs.iter().filter(|output| !brief.expects.outputs.contains(&output.path));
    problems.extend(foreign.map(|output| format!("{}: nobody asked for it", output.path)));
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// The error with the end of what the agent said about it.
pub(crate) fn with_log(error: &str, log: &str) -> String {
    let log = log.trim();
    if log.is_empty() || error.contains(log) {
        return error.into();
    }
    let mut start = log.len().saturating_sub(4000);
    while !log.is_char_boundary(start) {
        start += 1;
    }
    format!("{error}\n{}", &log[start..])
}

fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|letter| !letter.is_control()).take(400).collect()
}

pub(crate) fn cut(text: &str) -> String {
    let mut end = text.len().min(KEPT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].into()
}
