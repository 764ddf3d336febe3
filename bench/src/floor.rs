//! What the disk itself takes: the least that any durable step could cost.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// An append of `size` bytes with an fdatasync each.
pub(crate) fn synced_appends(folder: &Path, size: usize, count: usize) -> io::Result<Vec<Duration>> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("floor"))?;
    let bytes = vec![b'x'; size];
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        file.write_all(&bytes)?;
        file.sync_data()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// Appends of `size` bytes, one write each, with one fdatasync for every `group` of them: the time of all.
pub(crate) fn grouped_appends(folder: &Path, size: usize, group: usize, count: usize) -> io::Result<Duration> {
    let mut file = OpenOptions::new().create(true).append(true).open(folder.join("grouped"))?;
    let bytes = vec![b'x'; size];
    let start = Instant::now();
    for number in 1..=count {
        file.write_all(&bytes)?;
        if number % group == 0 {
            file.sync_data()?;
        }
    }
    Ok(start.elapsed())
}
