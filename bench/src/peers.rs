//! QL-10: what others do on the same workload, on the same disk, in the same run. The script `bench/peers/run` fetches and
//! runs them and prints a line of JSON for each measurement; here ours are measured beside them, and the table is made.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::project::Output;
use crate::times::{Line, median, micros};
use crate::{engine, floor, step};

type Fallible<T> = Result<T, Box<dyn Error>>;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/run");
/// How often ours are measured; the middle one counts, while of a peer's rounds the best does.
const ROUNDS: usize = 3;
/// The steps of 100 runs at once.
const STEPS: u32 = 100 * 20;

/// Ours, in this run.
struct Ours {
    /// A step of one run in the whole engine.
    one: Duration,
    /// The steps of 100 runs at once, in the whole engine.
    many: Duration,
    /// The same in the store alone.
    store: Duration,
    /// An append with fdatasync.
    sync: Duration,
}

/// What the script says in one line.
#[derive(Debug, PartialEq)]
enum Said {
    /// So many microseconds a step, one run alone, where the disk synced in so many.
    One { peer: String, step: f64, sync: f64 },
    /// So many steps a second, 100 runs at once, where the disk synced in so many microseconds.
    Many { peer: String, rate: f64, sync: f64 },
    /// A peer that is not to be had here, and why.
    Skipped { peer: String, why: String },
}

/// Measures the peers and ours.
pub(crate) fn all(folder: &Path) -> Fallible<Vec<Line>> {
    let ours = ours(folder)?;
    // What the peers are doing is told while they do it.
    let script = Command::new(SCRIPT).arg(folder.join("peers")).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = script.map_err(|error| format!("{SCRIPT}: {error}; it needs python3"))?;
    if !output.status.success() {
        return Err(format!("{SCRIPT} ended with {}", output.status).into());
    }
    let mut lines = our_lines(&ours);
    for line in String::from_utf8(output.stdout)?.lines() {
        lines.push(peer_line(parse(line)?, &ours));
    }
    Ok(lines)
}

fn ours(folder: &Path) -> Fallible<Ours> {
    let (mut one, mut many, mut store, mut sync) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let folder = folder.join(format!("ours-{round}"));
        std::fs::create_dir_all(&folder)?;
        sync.extend(floor::synced_appends(&folder, 200, 200)?);
        one.push(median(&engine::steps_of_one(&folder)?.0));
        // Its window ends when the last tasks begin, a peer's when they are done: a round of 20 is added.
        many.push(engine::many(&folder)?.working * 20 / 19);
        store.push(step::many(&folder, Output::None, 20)?.committed);
        sync.extend(floor::synced_appends(&folder, 200, 200)?);
    }
    Ok(Ours { one: median(&one), many: median(&many), store: median(&store), sync: median(&sync) })
}

fn our_lines(ours: &Ours) -> Vec<Line> {
    let sync = ours.sync.as_secs_f64() * 1e6;
    let step = ours.one.as_secs_f64() * 1e6;
    let line = |what: &str, measured: String, ratio: f64| Line {
        id: "QL-10",
        what: what.into(),
        measured,
        against: format!("the disk's fdatasync: {}", micros(ours.sync)),
        ratio,
        bar: "",
    };
    let many = |what: &str, time: Duration| line(what, rate_told(rate(time)), per_sync(rate(time), sync));
    vec![
        line("ours: step of one run, whole engine, a new file each; in syncs", micros(ours.one), step / sync),
        many(
            "ours: 100 runs at once × 20 steps, whole engine, a new file each; steps in the time of a sync",
            ours.many,
        ),
        many("ours: the same in the store alone, 3 tables", ours.store),
    ]
}

/// One of theirs against ours: the ratio says how many times better ours is.
fn peer_line(said: Said, ours: &Ours) -> Line {
    let (what, measured, against, ratio, bar) = match said {
        Said::One { peer, step, sync } => {
            let ours = ours.one.as_secs_f64() * 1e6;
            let measured = format!("{step:.0} µs, {:.1} of its syncs of {sync:.0} µs", step / sync);
            (format!("{peer}: step of one run"), measured, format!("ours: {ours:.0} µs"), step / ours, "")
        }
        Said::Many { peer, rate: theirs, sync } => {
            let measured = format!("{}, {:.2} in a sync of {sync:.0} µs", rate_told(theirs), per_sync(theirs, sync));
            let (engine, store) = (rate(ours.many), rate(ours.store));
            let against = format!("ours: {}; store alone: {:.1} ×", rate_told(engine), store / theirs);
            (format!("{peer}: 100 runs at once × 20 steps"), measured, against, engine / theirs, "≥ 10 for the fastest")
        }
        Said::Skipped { peer, why } => (peer, "not measured".into(), why, f64::NAN, ""),
    };
    Line { id: "QL-10", what, measured, against, ratio, bar }
}

fn rate(time: Duration) -> f64 {
    f64::from(STEPS) / time.as_secs_f64().max(1e-12)
}

fn rate_told(rate: f64) -> String {
    format!("{rate:.0} steps/s")
}

/// How many steps are done while the disk would sync once.
fn per_sync(rate: f64, sync: f64) -> f64 {
    rate * sync / 1e6
}

fn parse(line: &str) -> Fallible<Said> {
    let wrong = |what: &str| format!("{SCRIPT} wrote a line {what}: {line}");
    let value: Value = serde_json::from_str(line).map_err(|error| wrong(&format!("that is no JSON ({error})")))?;
    let text = |key: &str| value[key].as_str().map(str::to_string).ok_or_else(|| wrong(&format!("without `{key}`")));
    let figure = |key: &str| {
        value[key].as_f64().filter(|figure| *figure > 0.0).ok_or_else(|| wrong(&format!("without a figure `{key}`")))
    };
    if value.get("skipped").is_some() {
        return Ok(Said::Skipped { peer: text("peer")?, why: text("skipped")? });
    }
    let peer = format!("{}, {}", text("peer")?, text("how")?);
    match text("part")?.as_str() {
        "one" => Ok(Said::One { peer, step: figure("best")?, sync: figure("fdatasync_us")? }),
        "many" => Ok(Said::Many { peer, rate: figure("best")?, sync: figure("fdatasync_us")? }),
        _ => Err(wrong("whose `part` is neither `one` nor `many`").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read() {
        let one =
            r#"{"peer": "A 1", "how": "as it ships", "part": "one", "best": 250, "unit": "µs", "fdatasync_us": 100.5}"#;
        let many = r#"{"peer": "A 1", "how": "tuned", "part": "many", "best": 4000.5, "fdatasync_us": 100}"#;
        let skipped = r#"{"peer": "a", "skipped": "npm is not installed"}"#;
        let cases = [
            (one, Said::One { peer: "A 1, as it ships".into(), step: 250.0, sync: 100.5 }),
            (many, Said::Many { peer: "A 1, tuned".into(), rate: 4000.5, sync: 100.0 }),
            (skipped, Said::Skipped { peer: "a".into(), why: "npm is not installed".into() }),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line).unwrap(), expected);
        }
    }

    #[test]
    fn a_line_that_is_not_understood_says_what_is_wrong_with_it() {
        let cases = [
            ("fetching", "that is no JSON"),
            (r#"{"peer": "A", "part": "one"}"#, "without `how`"),
            (r#"{"peer": "A", "how": "", "part": "one", "best": 0}"#, "without a figure `best`"),
            (r#"{"peer": "A", "how": "", "part": "two"}"#, "neither `one` nor `many`"),
        ];
        for (line, expected) in cases {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(expected) && error.ends_with(line), "{error}");
        }
    }

    /// QL-10: the ratio is how many times faster ours is, whichever way the figures point.
    #[test]
    fn a_ratio_above_one_speaks_for_ours() {
        let ours = Ours {
            one: Duration::from_micros(200),
            many: Duration::from_millis(100),
            store: Duration::from_millis(50),
            sync: Duration::from_micros(100),
        };
        let one = peer_line(Said::One { peer: "A".into(), step: 1000.0, sync: 100.0 }, &ours);
        let many = peer_line(Said::Many { peer: "A".into(), rate: 2000.0, sync: 100.0 }, &ours);
        assert_eq!((one.ratio.round(), many.ratio.round()), (5.0, 10.0));
        assert_eq!(many.measured, "2000 steps/s, 0.20 in a sync of 100 µs");
        assert_eq!(many.against, "ours: 20000 steps/s; store alone: 20.0 ×");
    }
}
