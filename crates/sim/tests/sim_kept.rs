//! Histories that once failed, in `tests/seeds/*.txt`, one line each, run for ever.

use std::path::Path;

use sim::driver::{Plan, check};

#[test]
fn kept_histories_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds");
    let mut lines = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let content = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in content.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            check(&line.parse::<Plan>().unwrap());
            lines += 1;
        }
    }
    assert!(lines >= 10, "only {lines} kept histories were found");
}
