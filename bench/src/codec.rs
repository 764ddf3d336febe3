//! QL-08: how fast a table is read, and what the change of one cell costs in a large one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use syntax::{Document, TableId};

use crate::times::{Line, median, ratio};

pub(crate) fn parse_and_edit() -> Vec<Line> {
    let small = table(100);
    let large = table(100_000);
    let parse = median(
        &(0..9).map(|_| time(|| drop(black_box(Document::parse(black_box(large.as_str())))))).collect::<Vec<_>>(),
    );
    let copy = median(&(0..9).map(|_| time(|| drop(black_box(black_box(&large).clone())))).collect::<Vec<_>>());
    let speed = large.len() as f64 / 1e6 / parse.as_secs_f64();
    let (few, many) = (edit(&small, 100), edit(&large, 100_000));
    let nanos = |time: Duration| format!("{} ns", time.as_nanos());
    vec![
        Line {
            id: "QL-08",
            what: format!("a table of 100,000 rows ({:.0} MB) is parsed", large.len() as f64 / 1e6),
            measured: format!("{speed:.0} MB/s"),
            against: format!("copying it: {:.0} MB/s", large.len() as f64 / 1e6 / copy.as_secs_f64()),
            ratio: speed / 100.0,
            bar: "≥ 1.0 (100 MB/s)",
        },
        Line {
            id: "QL-08",
            what: "one cell set in 100,000 rows".into(),
            measured: nanos(many),
            against: format!("in 100 rows: {}", nanos(few)),
            ratio: ratio(many, few),
            bar: "nothing of the rest is copied",
        },
    ]
}

fn edit(text: &str, rows: usize) -> Duration {
    let mut document = Document::parse(text);
    let Some(table) = document.tables().next().map(|table| table.id()) else { return Duration::ZERO };
    let set = |document: &mut Document, table: TableId, round: usize| {
        time(|| {
            let _ = document.set_cell(
                table,
                (round * 7919) % rows,
                2,
                if round.is_multiple_of(2) { "DONE" } else { "PENDING" },
            );
        })
    };
    median(&(0..2001).map(|round| set(&mut document, table, round)).collect::<Vec<_>>())
}

fn table(rows: usize) -> String {
    let head = "| run_id (PK) | user_request | status | note |\n| :--- | :--- | :--- | :--- |\n";
    let row =
        |number: usize| format!("| run-{number:08} | a report from documents | PENDING | some words about it |\n");
    head.to_string() + &(0..rows).map(row).collect::<String>()
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
