//! Owns the backend that is a workspace's own `adapter/role_adapter.py`: a step of a profile becomes its arguments, the last
//! line of its output that is a JSON object becomes the report (PF-10). An adapter of others works unchanged; one that has
//! `question` in its result asks a person (PF-18), and finds the answer in its brief when it is started again. Must not
//! start a process itself, and not know what a repository is: whoever gives the workdir looks at what was done in it.
//!
//! How it is called: the workdir of the job is a copy of the workspace, with the adapter in it. Role, phase, step, its type
//! and the profile are taken from the brief's item; files go into the folder `artifacts` of the workdir. The brief
//! lies in `brief.json` beside it, for adapters that want to know more.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tools::{Bounds, Confinement, How, Launch, LaunchLimits, Network, Stop};

use crate::backend::{Backend, Ending, Job};
use crate::check::check_report;
use crate::command::{environment, open_job, placed_brief};
use crate::contract::{Brief, Report, ReportStatus};
use crate::judge::{Left, judge};
use crate::limits::CommandLimits;
use crate::words::quote;

/// A workspace's own adapter.
#[derive(Debug, Clone, Default)]
pub struct Adapter {
    limits: CommandLimits,
}

/// Words of a status that say nothing yet: an adapter may print its whole status.
const NOTHING_YET: [&str; 5] = ["not_started", "in_review", "idle", "running", ""];

/// What is taken of an adapter's result.
const TAKEN: [&str; 9] = [
    "review_status",
    "integration_loop_status",
    "integration_failure_target",
    "last_failed_role",
    "remarks",
    "error",
    "message",
    "summary",
    "commit_message",
];

/// How many lines of an output without a result are quoted.
const QUOTED: usize = 120;

impl Adapter {
    /// Where it lies in a workspace.
    pub const PATH: &'static str = "adapter/role_adapter.py";

    /// Where files go, from the workdir.
    pub const ARTIFACTS: &'static str = "artifacts";

    /// One with other limits.
    pub fn with_limits(limits: CommandLimits) -> Self {
        Self { limits }
    }

    /// Whether a workspace has one.
    pub fn is_in(workspace: &Path) -> bool {
        workspace.join(Self::PATH).is_file()
    }

    fn launch(&self, job: &Job, time: Duration, say: &dyn Fn(&str)) -> std::io::Result<Launch> {
        placed_brief(job)?;
        std::fs::create_dir_all(job.workdir.join(Self::ARTIFACTS))?;
        let mut confinement = Confinement::system();
        open_job(&mut confinement, job, say);
        let mut environment = environment(job);
        // What python keeps beside a program would be a change of the workspace.
        environment.push(("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
        Ok(Launch {
            program: "python3".into(),
            arguments: arguments(&job.brief, &job.workdir),
            environment,
            folder: job.workdir.clone(),
            input: Vec::new(),
            confinement,
            network: Network::Open,
            bounds: Bounds::default(),
            limits: LaunchLimits {
                time,
                output_bytes: self.limits.output_bytes,
                log_bytes: self.limits.log_bytes,
                grace: self.limits.grace,
            },
        })
    }
}

impl Backend for Adapter {
    fn name(&self) -> String {
        format!("adapter:{}", Self::PATH)
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        let failed = |error: String| Ending::Failed { error, log: String::new() };
        if !Self::is_in(&job.workdir) {
            let place: PathBuf = job.workdir.join(Self::PATH);
            return failed(format!("there is no adapter {}: commit one to the workspace", place.display()));
        }
        let time = match job.brief.limits.seconds {
            0 => self.limits.time,
            seconds => Duration::from_secs(seconds),
        };
        let launch = match self.launch(job, time, say) {
            Ok(launch) => launch,
            Err(fault) => return failed(format!("{} cannot be prepared: {fault}", job.workdir.display())),
        };
        say(&format!("started {} run-step", Self::PATH));
        match tools::launch(&launch, stop) {
            Err(fault) => failed(fault.to_string()),
            Ok(ended) => {
                let log = String::from_utf8_lossy(&ended.log).into_owned();
                ending(&job.brief, ended.how, &ended.output, log, time, self.limits.output_bytes)
            }
        }
    }
}

/// `run-step --role …`, in the order that the contract has.
fn arguments(brief: &Brief, workdir: &Path) -> Vec<OsString> {
    let of = |name: &str| brief.item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut arguments: Vec<OsString> = vec![workdir.join(Adapter::PATH).into(), "run-step".into()];
    for (option, value) in [
        ("--role", brief.role.clone()),
        ("--phase", of("phase")),
        ("--step-id", of("step_id")),
        ("--step-type", of("step_type")),
        ("--profile", of("profile")),
    ] {
        arguments.extend([option.into(), value.into()]);
    }
    arguments.extend(["--artifacts-dir".into(), workdir.join(Adapter::ARTIFACTS).into()]);
    arguments
}

/// What an adapter's end means: its exit code first, then the last line that is an object.
fn ending(brief: &Brief, how: How, output: &[u8], log: String, time: Duration, output_bytes: usize) -> Ending {
    let text = String::from_utf8_lossy(output).into_owned();
    if how != How::Exit(0) {
        // An adapter says most of what went wrong on its output.
        let log = if log.trim().is_empty() { text } else { log };
        return judge(brief, Left { how, output: Vec::new(), log, time, output_bytes });
    }
    let Some(said) = last_object(&text) else {
        let shown = text.trim().lines().next_back().map_or_else(
            || "nothing was printed".to_owned(),
            |line| format!("the last line is `{}`", quote(line, QUOTED)),
        );
        let problem =
            format!("no line of the adapter's output is a JSON object ({shown}): print the result on one line");
        return Ending::Broken { problems: vec![problem], said: text, log };
    };
    let question = said.get("question").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let is_required = said.get("required") != Some(&Value::Bool(false));
    if let (Some(question), true) = (question, is_required) {
        return Ending::Report { report: Report::question(question), log };
    }
    let report = json!({
        "status": "done",
        "summary": said.get("summary").and_then(Value::as_str).unwrap_or_default(),
        "question": question,
        "result": result(&said),
        "outputs": brief.expects.outputs.iter().map(|path| json!({"path": path})).collect::<Vec<_>>(),
    });
    match check_report(brief, report.to_string().as_bytes()) {
        Ok(report) if report.status == ReportStatus::Done => Ending::Report { report, log },
        Ok(_) => Ending::Broken { problems: vec!["the adapter's result cannot be read".into()], said: text, log },
        Err(problems) => Ending::Broken { problems, said: text, log },
    }
}

/// The last line that is a JSON object.
fn last_object(text: &str) -> Option<Map<String, Value>> {
    let lines = text.lines().rev().map(str::trim).filter(|line| line.starts_with('{'));
    lines.filter_map(|line| serde_json::from_str(line).ok()).next()
}

/// What of an object is a result: known fields that say something.
fn result(said: &Map<String, Value>) -> Value {
    let says = |value: &Value| match value {
        Value::Null => false,
        Value::String(word) => !NOTHING_YET.contains(&word.as_str()),
        _ => true,
    };
    let taken = TAKEN.iter().filter_map(|name| Some(((*name).to_owned(), said.get(*name)?.clone())));
    Value::Object(taken.filter(|(_, value)| says(value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(kind: &str) -> Brief {
        let mut brief = Brief::new("r", "profile", "qa", "review");
        for (name, value) in [("phase", "verification"), ("step_id", "s1"), ("step_type", kind), ("profile", "p")] {
            brief.item.insert(name.into(), value.into());
        }
        if kind == "reviewer" {
            brief.expects.result = json!({
                "type": "object",
                "properties": {"review_status": {"enum": ["approved", "changes_requested"]}},
                "required": ["review_status"],
            })
            .into();
        }
        brief
    }

    /// PF-10: the arguments of the contract, in its order.
    #[test]
    fn a_step_becomes_arguments() {
        let found = arguments(&brief("reviewer"), Path::new("/w"));
        let expected = "/w/adapter/role_adapter.py run-step --role qa --phase verification --step-id s1 --step-type reviewer \
                        --profile p --artifacts-dir /w/artifacts";
        assert_eq!(found, expected.split(' ').map(OsString::from).collect::<Vec<_>>());
    }

    /// PF-10: the exit code first, then the last line that is an object; every bad adapter has its words.
    #[test]
    fn the_last_line_that_is_an_object_is_the_result() {
        let check = |kind: &str, how: How, printed: &str, expected: &str| {
            let ended = ending(&brief(kind), how, printed.as_bytes(), String::new(), Duration::from_secs(3), 100);
            let found = match ended {
                Ending::Report { report, .. } => match report.question {
                    Some(question) if report.status == ReportStatus::Done => {
                        format!("asks {question} beside {}", report.result)
                    }
                    Some(question) => format!("asks {question}"),
                    None => format!("result {}", report.result),
                },
                Ending::Broken { problems, .. } => format!("broken {}", problems.join("; ")),
                Ending::Failed { error, .. } => format!("failed {error}"),
                other => format!("{other:?}"),
            };
            assert!(found.starts_with(expected), "{printed:?}: {found}");
        };
        let done = How::Exit(0);
        check(
            "reviewer",
            done,
            "working\n{\"review_status\": \"approved\"}\n",
            "result {\"review_status\":\"approved\"}",
        );
        // Twice: the last one counts. What follows it and is no object does not.
        let twice = "{\"review_status\": \"approved\"}\n{\"review_status\": \"changes_requested\"}\nbye\n[1]\n";
        check("reviewer", done, twice, "result {\"review_status\":\"changes_requested\"}");
        let whole =
            "{\"review_status\":\"approved\",\"integration_loop_status\":\"idle\",\"last_failed_role\":null,\"x\":1}";
        check("reviewer", done, whole, "result {\"review_status\":\"approved\"}");
        check("owner", done, "{}", "result {}");
        check("owner", done, "{\"question\": \"which year?\"}", "asks which year?");
        // One that is not required is asked beside the work.
        check("owner", done, "{\"question\": \"which year?\", \"required\": false}", "asks which year? beside {}");
        check("owner", done, "", "broken no line of the adapter's output is a JSON object (nothing was printed)");
        check(
            "owner",
            done,
            "all good\n",
            "broken no line of the adapter's output is a JSON object (the last line is `all good`)",
        );
        check("owner", done, "{\n  \"review_status\": \"approved\"\n}\n", "broken no line");
        check("reviewer", done, "{\"review_status\": \"yes please\"}", "broken ");
        check("reviewer", done, "{}", "broken ");
        check(
            "owner",
            How::Exit(1),
            "no compiler\n",
            "failed the agent ended with exit code 1 and no report: no compiler",
        );
        // A result does not help where the exit code says otherwise.
        check("owner", How::Exit(2), "{\"review_status\": \"approved\"}", "failed the agent ended with exit code 2");
        check("owner", How::Signal(9), "", "failed the agent was ended by signal 9");
        check("owner", How::TimedOut, "", "failed the agent did not end within 3 s");
        check("owner", How::Flooded, "", "failed the agent printed more than 100 bytes");
        check("owner", How::Stopped, "", "Stopped");
    }
}
