//! Times and how they are told.

use std::fmt;
use std::time::Duration;

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Line {
    pub id: &'static str,
    pub what: String,
    pub measured: String,
    pub against: String,
    pub ratio: f64,
    pub bar: &'static str,
}

impl fmt::Display for Line {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, what, measured, against, ratio, bar } = self;
        write!(out, "| {id} | {what} | {measured} | {against} | ")?;
        match ratio.is_finite() {
            true => write!(out, "{ratio:.2} | {bar} |"),
            false => write!(out, "– | {bar} |"),
        }
    }
}

/// The middle one.
pub(crate) fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Their sum, divided.
pub(crate) fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>() / u32::try_from(times.len().max(1)).unwrap_or(1)
}

/// How long this thread has been at work on a processor, where the system tells: it does not count who else is busy.
pub(crate) fn at_work() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(told.split_whitespace().next()?.parse().ok()?))
}

/// As people read it.
pub(crate) fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub(crate) fn micros(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

/// How many times longer one takes than the other.
pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(1e-12)
}

/// QL-01: how long steps took, beside appends to the same disk.
pub(crate) fn step_lines(what: String, steps: &[Duration], more: &str, appends: &[Duration]) -> Vec<Line> {
    let (step, append) = (median(steps), median(appends));
    vec![
        Line {
            id: "QL-01",
            what,
            measured: format!("{}{more}", micros(step)),
            against: format!("append of 200 bytes with fdatasync: {}", micros(append)),
            ratio: ratio(step, append),
            bar: "≤ 1.5",
        },
        Line {
            id: "QL-01",
            what: "the same, mean, placing included".into(),
            measured: micros(mean(steps)),
            against: micros(mean(appends)),
            ratio: ratio(mean(steps), mean(appends)),
            bar: "",
        },
    ]
}
