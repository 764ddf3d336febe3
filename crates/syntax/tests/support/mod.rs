//! Owns what the tests share: the corpus of ugly documents and seeded mutations of it.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test that cannot go on says why")]

use std::path::Path;

/// A document of the corpus.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All documents of the corpus whose name ends so, in the order of their names.
pub(crate) fn corpus(ending: &str) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut samples: Vec<Sample> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .map(|path| Sample {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            bytes: std::fs::read(&path).unwrap(),
        })
        .collect();
    samples.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!samples.is_empty(), "no {ending} in {}", folder.display());
    samples
}

/// How many mutations each loop tries: few by default, many by hand with `MULTIVERSE_FUZZ=100000`.
pub(crate) fn iterations(default: u64) -> u64 {
    std::env::var("MULTIVERSE_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(default)
}

/// Names a case if it fails, so that it can be tried again alone.
pub(crate) struct Case(pub(crate) String);

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed: {}", self.0);
        }
    }
}

/// Numbers that look random and are the same for one seed (splitmix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % sides.max(1) as u64) as usize
    }
}

/// One mutation of a sample of the corpus: bytes and pieces inserted, removed, repeated, moved, joined.
pub(crate) fn mutate(samples: &[Sample], pieces: &[&str], seed: u64) -> Vec<u8> {
    const LARGEST: usize = 4096;
    let mut dice = Dice::new(seed);
    let mut bytes = samples[dice.roll(samples.len())].bytes.clone();
    bytes.truncate(LARGEST);
    for _ in 0..1 + dice.roll(6) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(12)).min(bytes.len());
        match dice.roll(7) {
            0 => drop(bytes.splice(at..end, [])),
            1 | 2 => drop(bytes.splice(at..at, pieces[dice.roll(pieces.len())].bytes())),
            3 => drop(bytes.splice(at..end, pieces[dice.roll(pieces.len())].bytes())),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = dice.roll(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            5 => {
                let other = &samples[dice.roll(samples.len())].bytes;
                let from = dice.roll(other.len() + 1);
                let to = (from + dice.roll(200)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let (one, other) = (dice.roll(lines.len()), dice.roll(lines.len()));
                let mut lines = lines;
                if !lines.is_empty() {
                    lines.swap(one, other);
                }
                bytes = lines.concat();
            }
        }
    }
    bytes
}

/// Pieces that matter to Markdown.
pub(crate) const MARKDOWN_PIECES: &[&str] = &[
    "|",
    "||",
    "\\|",
    "\\",
    "`",
    "```",
    "~~~",
    "\n",
    "\r\n",
    "\n\n",
    "---",
    "---\n",
    "|---|---|\n",
    "| a | b |\n",
    "-",
    "- ",
    "1. ",
    "> ",
    "#",
    "# ",
    "    ",
    "  ",
    "\t",
    "<!--",
    "-->",
    "<div>",
    "</div>\n",
    "<br>",
    "&#124;",
    "***\n",
    "===\n",
    ":",
    "가",
    "\u{FEFF}",
    "x",
    "* ",
    "+ ",
    "10) ",
    "<pre>",
    "<b>\n",
    "_",
    "| 1 | 2 |",
    "</pre>\n",
    "—",
    "+",
    "|===|===|\n",
    "\u{A0}",
    "\n    | 1 | 2 |",
];
