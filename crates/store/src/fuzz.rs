//! Owns one function per codec that takes any bytes and fails only by panicking (QL-25). The seeded mutation loop of
//! the tests and fuzzing engines call the same functions. Must not be used by anything else.

use text::{Text, diff};

use crate::lock;
use crate::path::ProjectPath;
use crate::record::Record;

/// Reads a line of the journal; one that is a record is written and read again.
pub fn fuzz_record(bytes: &[u8]) {
    // A sum that fits is a needle in a haystack, so the fields are tried without it, too.
    if let Ok((record, _)) = Record::from_line(bytes) {
        write_and_read(&record);
    }
    if let Ok(record) = serde_json::from_slice::<Record>(bytes) {
        write_and_read(&record);
    }
    lock::parse(bytes);
}

/// Reads a path: one that is taken stays inside the project.
pub fn fuzz_path(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(path) = ProjectPath::document(&text) {
        assert_eq!(path.as_str(), text);
        assert!(path.names().all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0')));
    }
}

/// Compares and merges two texts, cut from the bytes at their middle.
pub fn fuzz_merge(bytes: &[u8]) {
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let (base, edited) = (Text::from(one), Text::from(other));
    let change = diff(&base, &edited);
    assert_eq!(change.apply(&base), Ok(edited.clone()), "a difference leads from one to the other");
    assert_eq!(change.inverse().apply(&edited), Ok(base.clone()), "and back");
    let reversed: Vec<u8> = one.iter().rev().copied().collect();
    let theirs = diff(&base, &reversed.as_slice().into());
    if let Ok(after) = theirs.apply(&base) {
        assert!(change.rebase_winning(&theirs).0.apply(&after).is_ok(), "a rebased change fits");
    }
}

#[allow(clippy::expect_used, reason = "fails only by panicking")]
fn write_and_read(record: &Record) {
    let (line, sum) = record.to_line().expect("what was read can be written");
    let (again, same) = Record::from_line(&line).expect("what was written can be read");
    assert_eq!((again.number, again.docs, same), (record.number, record.docs.clone(), sum));
}
