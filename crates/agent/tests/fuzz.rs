//! QL-25: seeded mutations of briefs, reports and scripts; no panic, no hang.
//! `MULTIVERSE_FUZZ=100000 cargo nextest run -p agent` tries many.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test ends where it fails, and says with what")]

use agent::{Which, fuzz, schema};

const PIECES: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "- ",
    "\n",
    "\n  ",
    "```json\n",
    "```\n",
    "null",
    "-1",
    "1e400",
    "0.5",
    "18446744073709551616",
    "{}",
    "[]",
    "\\u0000",
    "\\ud800",
    "../",
    "/",
    "\\",
    "\u{feff}",
    "가",
    "\0",
    "*a",
    "&a ",
    "{run_id}",
    "{output}",
    "{item.task_id}",
    "\"status\": \"done\"",
    "\"outputs\": ",
    "\"path\": \"db/x\"",
    "\"delay_ms\": 1,",
    "true",
    "'",
    "=",
    "command:",
];

/// Where a failing case came from, for whoever has to mend it.
struct Case(u64, Vec<u8>);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}: {:?}", self.0, String::from_utf8_lossy(&self.1));
        }
    }
}

/// A small generator of numbers: the same seed, the same mutations.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap() % sides.max(1)
    }
}

fn mutate(bytes: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(12)).min(bytes.len());
        match dice.roll(6) {
            0 => drop(bytes.drain(at..end)),
            1 | 2 => drop(bytes.splice(at..end, PIECES[dice.roll(PIECES.len())].bytes())),
            3 => drop(bytes.splice(at..at, PIECES[dice.roll(PIECES.len())].bytes())),
            4 => {
                let from = dice.roll(bytes.len() + 1);
                let part = bytes[from..(from + dice.roll(40)).min(bytes.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            _ => bytes.truncate(at),
        }
    }
}

fn check(samples: &[String], look: fn(&[u8])) {
    let rounds = std::env::var("MULTIVERSE_FUZZ").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3000);
    for sample in samples {
        look(sample.as_bytes());
    }
    for seed in 0..rounds {
        let mut dice = Dice(seed);
        let mut case = Case(seed, samples[dice.roll(samples.len())].clone().into_bytes());
        mutate(&mut case.1, &mut dice);
        look(&case.1);
    }
}

#[test]
fn mutated_briefs() {
    let schema = schema(Which::Brief);
    check(&[schema["examples"][0].to_string(), schema.to_string()], fuzz::fuzz_brief);
}

#[test]
fn mutated_reports() {
    let example = schema(Which::Report)["examples"][0].clone();
    let pretty = serde_json::to_string_pretty(&example).unwrap();
    let fenced = format!("so:\n```json\n{pretty}\n```\nbye\n");
    let lines = format!("hello\n{{\"level\": 1}}\n{example}\n{{}}\n");
    check(&[example.to_string(), pretty, fenced, lines], fuzz::fuzz_report);
}

#[test]
fn mutated_scripts() {
    let json = "[{\"action\": \"execute\", \"item\": \"T1\", \"attempt\": 1, \"report\": {\"status\": \"done\", \"outputs\": \
                [{\"path\": \"{output}\", \"content\": \"{run_id}\"}]}}, {\"raw\": \"{\", \"log\": \"x\", \"exit\": 1}]";
    let lines = "{\"role\": \"planner\", \"plan_target\": \"stage:S1\", \"crash\": true}\n{\"item\": {\"task_id\": \"T1\"}, \"exit\": 0}\n";
    let yaml = "- action: execute\n  item: T1\n  report:\n    status: done\n    summary: \"{run_id} {item.task_id}\"\n- exit: 3\n";
    check(&[json.into(), lines.into(), yaml.into()], fuzz::fuzz_script);
}

#[test]
fn mutated_kinds() {
    check(&["executor=command:./a 'b c' \"d\\\"\" e\\ f".into(), "script:a.json".into()], fuzz::fuzz_kind);
}

/// QL-25: what nests deep or goes on for long is read in bounded time and stack.
#[test]
fn deep_and_long_inputs() {
    for opening in ["[", "{\"a\":", "- ", "- - ", "```json\n{", "{\n", "{\"status\":1}\n", "{ ", "{output}"] {
        let bytes = opening.repeat(200_000);
        for look in [fuzz::fuzz_brief, fuzz::fuzz_report, fuzz::fuzz_script, fuzz::fuzz_kind] {
            look(bytes.as_bytes());
        }
    }
}
