//! Circles among rows that need each other.

use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Closed,
}

/// At least one circle of every group of rows that need each other; each as the rows in the order of need. The work
/// grows with the number of edges, and nothing recurses.
pub(crate) fn cycles(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut marks = vec![Mark::New; edges.len()];
    let mut found = Vec::new();
    for start in 0..edges.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        // Each entry is a row, and how many of its needs were followed.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((row, followed)) = path.last_mut() {
            let row = *row;
            let Some(&next) = edges[row].get(*followed) else {
                marks[row] = Mark::Closed;
                path.pop();
                continue;
            };
            *followed += 1;
            match marks.get(next) {
                Some(Mark::New) => {
                    marks[next] = Mark::Open;
                    path.push((next, 0));
                }
                Some(Mark::Open) => {
                    let from = path.iter().position(|(row, _)| *row == next).unwrap_or(0);
                    found.push(path[from..].iter().map(|(row, _)| *row).collect());
                }
                Some(Mark::Closed) | None => {}
            }
        }
    }
    found
}
