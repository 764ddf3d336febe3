//! QL-25: seeded mutations of the corpus through every codec; no panic, no hang, the same bytes out.
//! `MULTIVERSE_FUZZ=100000 cargo nextest run -p syntax` tries many.

mod support;

use support::{Case, MARKDOWN_PIECES, Sample, corpus, iterations, mutate};
use syntax::fuzz;

const CODECS: [fn(&[u8]); 6] =
    [fuzz::fuzz_markdown, fuzz::fuzz_cell, fuzz::fuzz_fields, fuzz::fuzz_lists, fuzz::fuzz_yaml, fuzz::fuzz_json];

const DATA_PIECES: &[&str] = &[
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ": ",
    "- ",
    "\n",
    "\n  ",
    "\t",
    "#",
    "//",
    "/*",
    "*/",
    "\\",
    "\\u",
    "\\ud800",
    "&a ",
    "*a",
    "|\n",
    ">-\n",
    "!!str ",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "null",
    "-0",
    "1e5",
    "<<: ",
    "? ",
    "\u{FEFF}",
    "가",
    "\0",
    "“",
    "’",
    "\u{A0}",
    "\\x",
    "\\ud83d\\ude80",
];

#[track_caller]
fn check(ending: &str, pieces: &[&str], default: u64, codec: fn(&[u8])) {
    let samples: Vec<Sample> = corpus(ending);
    for sample in &samples {
        let _case = Case(sample.name.clone());
        codec(&sample.bytes);
    }
    for seed in 0..iterations(default) {
        let bytes = mutate(&samples, pieces, seed);
        let _case = Case(format!("seed {seed}"));
        codec(&bytes);
    }
}

#[test]
fn ql25_markdown_survives_anything() {
    check(".md", MARKDOWN_PIECES, 1000, fuzz::fuzz_markdown);
}

#[test]
fn ql25_cells_survive_anything() {
    check(".md", MARKDOWN_PIECES, 1000, fuzz::fuzz_cell);
}

const FIELD_PIECES: &[&str] = &[
    "**",
    "*",
    "_",
    "`",
    ":",
    "：",
    "=",
    "==",
    " | ",
    "|",
    "\\|",
    "\\",
    "- ",
    "* ",
    "1. ",
    "> ",
    "[x] ",
    "\n",
    "\r\n",
    "  ",
    "\t",
    "Agent",
    "Next: ",
    "**Signature**: ",
    "→",
    "✅ ",
    "가",
    "\u{A0}",
    "://",
    "| a | b |\n",
    "```\n",
    "---\n",
    "<!--",
];

#[test]
fn ql25_fields_survive_anything() {
    check(".md", FIELD_PIECES, 1000, fuzz::fuzz_fields);
}

const LIST_PIECES: &[&str] = &[
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "• ",
    "[ ] ",
    "[x] ",
    "[-]",
    "[]",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\n- [ ] a\n",
    "\n  - status: Pending\n",
    "\n    - b",
    "```\n",
    "  ```\n",
    "~~~\n",
    "<!--",
    "-->",
    "<!-- x -->\n",
    "# ",
    "## x\n",
    "---\n",
    "===\n",
    "> ",
    "text",
    "가",
    "\u{A0}",
    "\u{FEFF}",
    "|",
    "\\",
];

/// An entry is read the same whether it is read alone or in its document.
#[test]
fn ql25_lists_survive_anything() {
    check(".md", LIST_PIECES, 3000, fuzz::fuzz_lists);
}

#[test]
fn ql25_yaml_survives_anything() {
    check(".yaml", DATA_PIECES, 2000, fuzz::fuzz_yaml);
}

#[test]
fn ql25_json_survives_anything() {
    check(".json", DATA_PIECES, 2000, fuzz::fuzz_json);
}

#[test]
fn ql25_one_codec_survives_the_documents_of_another() {
    for codec in CODECS {
        for sample in corpus("") {
            let _case = Case(sample.name.clone());
            codec(&sample.bytes);
        }
    }
}

/// Inputs that make a careless reader slow or deep.
#[test]
fn ql25_long_and_deep_inputs_end() {
    let many = 50_000;
    for part in [
        "> ", "- ", "1. ", "`", "``` ", "|", "[", "{\"a\":", "<", "&", "\\", "* ", "\n", "#", "a: ", "- a\n\n", "<!--",
        "~~~\n", "`` ` ",
    ] {
        let bytes = part.repeat(many).into_bytes();
        let _case = Case(format!("{part:?} repeated"));
        for codec in CODECS {
            codec(&bytes);
        }
    }
}
