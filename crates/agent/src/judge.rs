//! Owns what the end of a process means for its attempt: the exit code alone is not trusted, nor is the report. Must
//! not know how the process was started.

use std::time::Duration;

use tools::How;

use crate::backend::Ending;
use crate::check::check_report;
use crate::contract::{Brief, ReportStatus};
use crate::limits::MAX_LOG_QUOTE;
use crate::words::end_of;

/// What a process left, and what it was allowed.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) how: How,
    pub(crate) output: Vec<u8>,
    pub(crate) log: String,
    pub(crate) time: Duration,
    pub(crate) output_bytes: usize,
}

/// The ending of an attempt whose process is gone.
pub(crate) fn judge(brief: &Brief, left: Left) -> Ending {
    let Left { how, output, log, time, output_bytes } = left;
    let failed = |what: String, log: String| Ending::Failed { error: with_end(&what, &log), log };
    let code = match how {
        How::Exit(code) => code,
        How::Stopped => return Ending::Stopped,
        How::Signal(signal) => return failed(format!("the agent was ended by signal {signal}"), log),
        How::TimedOut => return failed(format!("the agent did not end within {}, its limit", shown(time)), log),
        How::Outgrew(bound) => return failed(format!("the agent outgrew its limit of {}", bound.word()), log),
        How::Flooded => {
            return failed(format!("the agent printed more than {output_bytes} bytes, its limit"), log);
        }
    };
    match check_report(brief, &output) {
        Ok(report) if code == 0 || report.status != ReportStatus::Done => Ending::Report { report, log },
        Ok(_) => failed(format!("the agent ended with exit code {code} although its report says done"), log),
        Err(problems) if code == 0 => {
            Ending::Broken { problems, said: String::from_utf8_lossy(&output).into_owned(), log }
        }
        Err(_) if output.trim_ascii().is_empty() => {
            failed(format!("the agent ended with exit code {code} and no report"), log)
        }
        Err(problems) => {
            let first = problems.first().map_or("", String::as_str);
            failed(format!("the agent ended with exit code {code} and no valid report ({first})"), log)
        }
    }
}

/// What went wrong, and the agent's own last words on it.
fn with_end(what: &str, log: &str) -> String {
    match end_of(log, MAX_LOG_QUOTE) {
        end if end.is_empty() => what.into(),
        end => format!("{what}: {end}"),
    }
}

fn shown(time: Duration) -> String {
    if time.subsec_millis() == 0 { format!("{} s", time.as_secs()) } else { format!("{} ms", time.as_millis()) }
}

#[cfg(test)]
mod tests {
    use tools::Bound;

    use super::*;

    fn check(how: How, printed: &str, log: &str, expected: &str) {
        let brief = Brief::new("r", "multiverse", "executor", "execute");
        let left =
            Left { how, output: printed.into(), log: log.into(), time: Duration::from_secs(3), output_bytes: 100 };
        let found = match judge(&brief, left) {
            Ending::Report { report, .. } => format!("report {}", report.status.word()),
            Ending::Broken { problems, .. } => format!("broken {}", problems.join("; ")),
            Ending::Failed { error, .. } => format!("failed {error}"),
            Ending::Later { .. } => "later".into(),
            Ending::Waiting => "waiting".into(),
            Ending::Stopped => "stopped".into(),
        };
        assert_eq!(found, expected, "{how:?} {printed} {log}");
    }

    /// QL-32: every way to end has its meaning and its words.
    #[test]
    fn every_end_is_named() {
        let (done, failed) = ("{\"status\": \"done\"}", "{\"status\": \"failed\", \"error\": \"no data\"}");
        check(How::Exit(0), done, "", "report done");
        check(How::Exit(0), failed, "", "report failed");
        check(How::Exit(1), failed, "", "report failed");
        check(
            How::Exit(1),
            done,
            "no disk\n",
            "failed the agent ended with exit code 1 although its report says done: no disk",
        );
        check(How::Exit(3), "", "a\nb\n", "failed the agent ended with exit code 3 and no report: a\nb");
        check(
            How::Exit(3),
            "{",
            "",
            "failed the agent ended with exit code 3 and no valid report (the report is not JSON: EOF while parsing an \
             object at line 1 column 1; it begins with `{`)",
        );
        check(
            How::Exit(0),
            "",
            "",
            "broken there is no report: nothing was printed, expected one JSON object on standard output",
        );
        check(How::Signal(9), done, "", "failed the agent was ended by signal 9");
        check(How::TimedOut, done, "", "failed the agent did not end within 3 s, its limit");
        check(How::Flooded, done, "", "failed the agent printed more than 100 bytes, its limit");
        check(How::Outgrew(Bound::Memory), done, "", "failed the agent outgrew its limit of memory");
        check(How::Stopped, done, "", "stopped");
    }
}
