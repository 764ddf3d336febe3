//! What a change does to files, and how much that is. Must not know why.

use super::{Files, Gap};

/// How much one loop may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Lines added and removed.
    pub lines: usize,
    /// Files touched.
    pub files: usize,
}

/// One file as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// From the project's root.
    pub path: String,
    /// What it says now; nothing if it is new.
    pub before: Option<String>,
    /// What it is to say.
    pub after: String,
    /// Lines added and removed.
    pub lines: usize,
}

/// The edits that lead from some files to others.
fn edits(before: &Files, after: &Files) -> Vec<FileEdit> {
    let changed = after.iter().filter(|(path, text)| before.get(*path) != Some(*text));
    changed
        .map(|(path, text)| {
            let old = before.get(path).cloned();
            let lines = changed_lines(old.as_deref().unwrap_or_default(), text);
            FileEdit { path: path.clone(), before: old, after: text.clone(), lines }
        })
        .collect()
}

/// How many lines are added and removed between two texts, those that both begin and end with left out.
fn changed_lines(old: &str, new: &str) -> usize {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let front = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[..old.len() - back], &new[..new.len() - back]);
    if old.len() == new.len() {
        // Lines that were changed where they stand.
        return old.iter().zip(new).filter(|(one, other)| one != other).count() * 2;
    }
    old.len() + new.len()
}

/// The largest number of gaps, from the first on, whose change fits into the bounds, and that change.
pub(super) fn most_that_fit(
    gaps: &[Gap],
    files: &Files,
    bounds: &Bounds,
    make: &dyn Fn(&[Gap]) -> Files,
) -> (usize, Vec<FileEdit>) {
    let fits = |count: usize| {
        let edits = edits(files, &make(&gaps[..count]));
        let lines: usize = edits.iter().map(|edit| edit.lines).sum();
        (lines <= bounds.lines && edits.len() <= bounds.files).then_some(edits)
    };
    if let Some(edits) = fits(gaps.len()) {
        return (gaps.len(), edits);
    }
    // More gaps never change less: the last number that fits is found by halving.
    let (mut fitting, mut too_many, mut best) = (0, gaps.len(), Vec::new());
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        match fits(middle) {
            Some(edits) => (fitting, best) = (middle, edits),
            None => too_many = middle,
        }
    }
    (fitting, best)
}
