//! The project's documents as anyone reads them: tables of cells by column. A reader of its own, so that what the
//! program writes is not judged by what the program reads.

use std::collections::BTreeMap;

/// Everything in the project's folder, by path.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A row, by column.
pub(crate) type Row = BTreeMap<String, String>;

/// The rows of the first table of a document; none when there is no such document.
pub(crate) fn rows(files: &Files, path: &str) -> Vec<Row> {
    let text = files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    let mut lines = text.lines().filter(|line| line.starts_with('|')).map(cells);
    let Some(header) = lines.next() else { return Vec::new() };
    let named = |cells: Vec<String>| header.iter().cloned().zip(cells).collect();
    lines.skip(1).map(named).collect()
}

fn cells(line: &str) -> Vec<String> {
    line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
}

/// A cell; empty when there is none.
pub(crate) fn cell<'a>(row: &'a Row, column: &str) -> &'a str {
    row.get(column).map_or("", String::as_str)
}

/// The documents of a project with the ids of runs by the order in which they began. Rows of several runs that share a
/// table stand in the order of their runs: which of two runs was faster leaves no other trace.
pub(crate) fn left(files: &Files) -> BTreeMap<String, String> {
    let runs: Vec<String> = rows(files, "db/process_runs.md").iter().map(|row| cell(row, "run_id").into()).collect();
    let named = |text: &str| {
        runs.iter()
            .enumerate()
            .fold(text.to_string(), |text, (number, run)| text.replace(run, &format!("RUN-{number}")))
    };
    let shown = files.iter().filter(|(path, _)| ["db/", "runs/", "outputs/"].iter().any(|top| path.starts_with(top)));
    let named = shown.map(|(path, content)| (named(path), named(&String::from_utf8_lossy(content))));
    named.map(|(path, text)| (path.clone(), if path.starts_with("db/") { by_run(&text) } else { text })).collect()
}

/// What several runs share, such as the inputs, carries the name of the one that was first, or last, to tell of it.
fn by_run(text: &str) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let is_row = line.starts_with('|');
        let is_shared = ["| assets/", "| db/"].iter().any(|top| line.starts_with(top));
        let run = line.find("RUN-").filter(|_| is_row && !is_shared);
        let run =
            run.map_or_else(String::new, |at| line[at..].chars().take_while(|one| !" /|,".contains(*one)).collect());
        let shown = match is_shared {
            true => line.replace(|letter: char| letter.is_ascii_digit(), "#"),
            false => line.to_string(),
        };
        // Shared rows stand among those of the run that told of them.
        lines.push((if is_shared { shown.clone() } else { run }, shown));
    }
    lines.sort_by(|one, other| one.0.cmp(&other.0));
    lines.into_iter().map(|(_, line)| line).collect()
}
