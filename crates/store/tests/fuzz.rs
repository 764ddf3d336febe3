//! QL-25: every codec of the store takes any bytes without a panic. A seeded loop of mutations; few by default, many
//! by hand: `MULTIVERSE_FUZZ=1000000 cargo nextest run -p store --test fuzz`.

use store::fuzz::{fuzz_merge, fuzz_path, fuzz_record};

const LINES: &[&str] = &[
    r#"{"n":1,"prev":"00000000000000000000000000000000","at":"2026-11-15T12:00:00Z","durable":0,"kind":"commit","cause":"a","docs":[{"path":"db/a.md","was":"absent","edits":[{"at":0,"put":"| a |\n"}]}],"body":{"facts":[1]}}"#,
    r#"{"n":18446744073709551615,"prev":"ffffffffffffffffffffffffffffffff","at":"","durable":7,"kind":"edit","docs":[{"path":"x","now":"absent","base":3,"clashes":2,"file":{"blob":"00","size":9},"edits":[{"at":9,"cut":"é"}]}],"retire":["y"],"found":[{"path":"a","kept":"b"}]}"#,
    "pid 12 segment 3\n",
    "runs/r1/db/tasks.md",
    "| T1 | PENDING | |\n| T2 | DONE | x |\n| T1 | DONE | |\n| T3 | PENDING | |\n",
];

fn check(codec: fn(&[u8])) {
    let count = std::env::var("MULTIVERSE_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(3000u64);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % below.max(1)
    };
    for _ in 0..count {
        let mut bytes = LINES[random(LINES.len())].as_bytes().to_vec();
        for _ in 0..random(6) {
            let at = random(bytes.len() + 1).min(bytes.len());
            match random(4) {
                0 => bytes.insert(at, u8::try_from(random(256)).unwrap_or_default()),
                1 => bytes.truncate(at.max(1)),
                2 => bytes.extend_from_slice(LINES[random(LINES.len())].as_bytes()),
                _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (at % 8)),
            }
        }
        codec(&bytes);
    }
}

/// QL-25
#[test]
fn any_bytes_may_stand_in_the_journal() {
    check(fuzz_record);
}

/// QL-25
#[test]
fn any_bytes_may_be_a_path() {
    check(fuzz_path);
}

/// QL-25
#[test]
fn any_bytes_may_be_merged() {
    check(fuzz_merge);
}
