//! CY-02, CY-13: files of others: what every block says, what is odd about it and how to mend it, in forty ugly files. The
//! readings stand beside the files; `MULTIVERSE_BLESS=1` writes them anew, to be looked at line by line.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]

use std::path::{Path, PathBuf};

use dialect::cycle::{Meaning, Order, Reading, Weight, read};
use machine::cycle::Route;

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cycle");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    files.sort();
    files
}

/// A reading as people would check it.
fn shown(reading: &Reading) -> String {
    let order = match reading.order {
        Order::OldestFirst => "oldest first",
        Order::NewestFirst => "newest first",
    };
    let header = &reading.header;
    let id = header.cycle_id.as_deref().unwrap_or("none");
    let mut text = format!(
        "cycle {id}, {order}, {} blocks, {} INSUFFICIENT in a row\ngoal: {}\nstate: {}\ndocs: {}\n",
        reading.blocks.len(),
        reading.insufficient_in_a_row(),
        header.goal,
        header.current_state.join(" / "),
        header.context_docs.join(" / "),
    );
    let name = |name: Option<String>| name.unwrap_or_else(|| "?".into());
    for block in &reading.blocks {
        let meaning = match &block.meaning {
            Meaning::Goes(Route::To(party)) => format!("goes to the {party}"),
            Meaning::Goes(Route::Human(reason)) => format!("goes to the Human: {reason}"),
            Meaning::Goes(Route::End) => "ends".into(),
            Meaning::Asks(reason) => format!("asks the Human: {reason}"),
        };
        text.push_str(&format!(
            "\n{} {} {} {} next {}, line {}, {:?}: {meaning}\n",
            name(block.signature.map(|one| one.to_string())),
            name(block.agent.map(|one| one.to_string())),
            name(block.result.map(|one| one.to_string())),
            name(block.confidence.map(|one| one.to_string())),
            name(block.next.map(|one| one.to_string())),
            block.line,
            block.form,
        ));
        let cut = |text: &str| text.replace('\n', " / ").chars().take(100).collect::<String>();
        text.push_str(&format!("  summary: {}\n  context: {}\n", cut(&block.summary), cut(&block.context)));
        block.fields.iter().for_each(|(key, value)| text.push_str(&format!("  {key}: {}\n", cut(value))));
    }
    text.push('\n');
    for one in reading.all_deviations() {
        let mark = match one.weight {
            Weight::Form => "form",
            Weight::Rule => "rule",
            Weight::Unclear => "unclear",
        };
        text.push_str(&format!("{}:{}: {mark}: {}; {}\n", one.line, one.column, one.reason, one.mend));
    }
    text.replace('\u{1A}', "<?>").lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// CY-13: every file is read as its reading says, every span lies in the file, and every deviation says how to mend it.
#[test]
fn cy13_ugly_files_are_read() {
    let files = corpus();
    assert!(files.len() >= 30, "{} files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let reading = read(&bytes);
        check(&reading, &bytes);
        let (expected, found) = (path.with_extension("reading"), shown(&reading));
        if std::env::var_os("MULTIVERSE_BLESS").is_some() {
            std::fs::write(&expected, &found).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(reading: &Reading, bytes: &[u8]) {
    for block in &reading.blocks {
        assert!(block.span.start <= block.span.end && block.span.end <= bytes.len(), "{block:?}");
        assert!(block.line >= 1);
    }
    for one in reading.all_deviations() {
        assert!(one.span.start <= one.span.end && one.span.end <= bytes.len(), "{one:?}");
        assert!(one.line >= 1 && one.column >= 1 && !one.reason.is_empty(), "{one:?}");
        assert!(!one.mend.is_empty(), "{one:?} says how to mend it");
    }
    let mut spans: Vec<_> = reading.blocks.iter().map(|block| block.span.clone()).collect();
    spans.sort_by_key(|span| span.start);
    assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "blocks do not overlap");
}

/// A strict record has nothing odd in it.
#[test]
fn cy02_the_strict_form_has_no_deviation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cycle/01_strict_whole_cycle.md");
    let reading = read(&std::fs::read(folder).unwrap());
    assert_eq!(reading.all_deviations(), Vec::<&dialect::cycle::Deviation>::new());
    assert_eq!(reading.blocks.len(), 15);
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// CY-13, QL-25: mutations of all files: never a crash, every span in the file. Seeds are named.
#[test]
fn cy13_mutations_never_crash() {
    const PIECES: [&[u8]; 24] = [
        b"### SIGNAL BLOCK\n",
        b"- Agent: Judge\n",
        b"| Next = Human ",
        b"**Signature**: 1:2:3\n",
        b"---\n",
        b"```\n",
        b"<!--",
        b"-->",
        b"\n",
        b"\r\n",
        b"\xFF",
        b"\xE2\x82",
        b"~~",
        b":",
        b"|",
        b"> ",
        b"Signature 1:1:",
        b"\xEF\xBB\xBF",
        b"  ",
        b"\t",
        b"=",
        b"END SIGNAL BLOCK",
        b"[",
        b"4.4.",
    ];
    let files: Vec<Vec<u8>> = corpus().iter().map(|path| std::fs::read(path).unwrap()).collect();
    let count = std::env::var("MULTIVERSE_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    for seed in 0..count {
        let mut chance = Chance(seed * 31 + 7);
        let mut bytes = files[chance.below(files.len())].clone();
        for _ in 0..1 + chance.below(8) {
            let at = chance.below(bytes.len() + 1);
            let end = (at + chance.below(30)).min(bytes.len());
            match chance.below(4) {
                0 => drop(bytes.splice(at..end, [])),
                1 => drop(bytes.splice(at..at, PIECES[chance.below(PIECES.len())].iter().copied())),
                2 => drop(bytes.splice(at..end, PIECES[chance.below(PIECES.len())].iter().copied())),
                _ => {
                    let other = &files[chance.below(files.len())];
                    let from = chance.below(other.len() + 1);
                    let to = (from + chance.below(200)).min(other.len());
                    bytes.splice(at..at, other[from..to].iter().copied());
                }
            }
        }
        let before = bytes.clone();
        let reading = std::panic::catch_unwind(|| read(&bytes)).unwrap_or_else(|_| panic!("seed {seed} crashes"));
        check(&reading, &bytes);
        assert_eq!(bytes, before, "seed {seed}: no byte is lost");
    }
}

/// Files that make a careless reader slow.
#[test]
fn cy13_long_files_end() {
    for part in [
        "### SIGNAL BLOCK\n",
        "- Agent: Judge\n",
        "<!--\n",
        "Agent: x\n\n",
        "|",
        "`",
        "> ",
        "~~",
        "- Next: ~~a\n",
        "```\n",
        "1:",
    ] {
        let bytes = part.repeat(20_000).into_bytes();
        let reading = read(&bytes);
        assert!(reading.blocks.len() <= 20_000, "{part:?}");
    }
}
