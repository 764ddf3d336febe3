//! Catalogs of either protocol, read as people and agents write them: which documents are catalogs, their rows by what
//! the columns stand for, and paths as they are meant. Must not change them, and does not know whether files exist.

use std::ops::Range;

use syntax::{Document, Table, TableId, Wanted};
use text::Text;

use crate::spelling::bare;

/// Folders that lie directly below a project's root.
const TOP: [&str; 8] = ["runs", "outputs", "data", "assets", "guidelines", "settings", "db", "output"];
/// What a row of a retried run says of where its file came from.
const TAKEN_OVER: &str = "(taken over from ";

/// A row of a catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogEntry {
    /// The file, from the project's root.
    pub path: String,
    /// The run; from the document's name where the row does not say.
    pub run: String,
    /// `ORIGINAL_INPUT`, `ANALYSIS_REPORT`, …
    pub kind: String,
    /// The phase it was made in, as far as task or path tell.
    pub phase: String,
    /// The task it came from.
    pub task: String,
    /// The family it belongs to.
    pub lineage: String,
    /// The files it was made from.
    pub sources: Vec<String>,
    /// What is in it.
    pub summary: String,
}

/// A catalog that was parsed.
#[derive(Debug)]
pub struct CatalogSheet {
    document: Document,
    table: TableId,
    run: String,
    columns: Columns,
}

/// The columns of a catalog, as far as it has them.
#[derive(Debug, Default)]
struct Columns {
    path: Option<usize>,
    run: Option<usize>,
    kind: Option<usize>,
    task: Option<usize>,
    lineage: Option<usize>,
    sources: Option<usize>,
    summary: Option<usize>,
}

/// Whether a path is that of a catalog: in `db/`, or in the folder of a run.
pub fn is_catalog(path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    let (folders, name) = names.split_at(names.len().saturating_sub(1));
    let is_placed = matches!(folders, ["db"] | ["runs", _] | ["runs", _, "db"]);
    is_placed && name.first().is_some_and(|name| name.to_lowercase().ends_with("base_catalog.md"))
}

impl CatalogSheet {
    /// Reads a document; nothing if it has no table of files.
    pub fn read(path: &str, text: &Text) -> Option<Self> {
        let document = Document::parse(text.clone());
        let table = document.find_table(&Wanted { columns: &["file_path"], heading: None })?;
        let columns = Columns::of(&table);
        let table = table.id();
        Some(Self { table, columns, run: run_of(path), document })
    }

    /// Where its rows stand, in bytes.
    pub fn spans(&self) -> Vec<Range<usize>> {
        self.rows().map(|table| table.rows().map(|row| row.span()).collect()).unwrap_or_default()
    }

    /// The line of the first row, from 1.
    pub fn first_line(&self) -> usize {
        self.rows().map_or(1, |table| table.line() + 2)
    }

    /// What decides how its rows are read.
    pub fn header(&self) -> String {
        let names =
            |table: Table<'_>| table.columns().iter().map(|column| column.header.clone()).collect::<Vec<_>>().join("|");
        format!("{}\n{}", self.run, self.rows().map(names).unwrap_or_default())
    }

    /// A row; nothing if it names no file.
    pub fn entry(&self, number: usize) -> Option<CatalogEntry> {
        let row = self.rows()?.row(number)?;
        let text = |column: Option<usize>| column.map(|column| row.value(column)).unwrap_or_default();
        let word = |column: Option<usize>| bare(&text(column)).to_owned();
        let written = word(self.columns.path);
        if written.is_empty() || written.chars().all(|letter| matches!(letter, '-' | ':' | '–' | '—')) {
            return None;
        }
        let run = Some(word(self.columns.run)).filter(|run| !run.is_empty()).unwrap_or_else(|| self.run.clone());
        let summary = text(self.columns.summary);
        let taken_over = summary.rsplit_once(TAKEN_OVER).and_then(|(_, rest)| rest.strip_suffix(')'));
        let listed = syntax::markdown::paths::read_paths(&text(self.columns.sources));
        let mut sources: Vec<String> = Vec::new();
        for source in listed.iter().map(|entry| entry.path.as_str()).chain(taken_over) {
            let path = meant_path(&run, source);
            if !path.is_empty() && !matches!(path.as_str(), "-" | "–" | "—") && !sources.contains(&path) {
                sources.push(path);
            }
        }
        let (path, task) = (meant_path(&run, &written), word(self.columns.task));
        let phase = phase_of(&task, &path);
        let (kind, lineage) = (word(self.columns.kind), word(self.columns.lineage));
        Some(CatalogEntry { path, run, kind, phase, task, lineage, sources, summary })
    }

    fn rows(&self) -> Option<Table<'_>> {
        self.document.table(self.table).ok()
    }
}

impl Columns {
    fn of(table: &Table<'_>) -> Self {
        let first = |names: &[&str]| names.iter().find_map(|name| table.column(name));
        Self {
            path: first(&["file_path"]),
            run: first(&["run_id"]),
            kind: first(&["data_type", "asset_type"]),
            task: first(&["source_task_id"]),
            lineage: first(&["lineage_id"]),
            sources: first(&["source_files"]),
            summary: first(&["summary"]),
        }
    }
}

/// A path as it is meant, from the project's root, by its spelling alone.
pub fn meant_path(run: &str, written: &str) -> String {
    path_readings(run, written).into_iter().next().unwrap_or_default()
}

/// All that a path may mean, the most likely first: from the root, from the run's folder, from where it climbed out, cut
/// from a path of another machine.
pub fn path_readings(run: &str, written: &str) -> Vec<String> {
    let plain = bare(written).replace('\\', "/");
    let plain = plain.trim_start_matches("./");
    let is_absolute = plain.starts_with('/') || plain.get(1..3) == Some(":/");
    let names: Vec<&str> = plain.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    let climbs = names.iter().take_while(|name| **name == "..").count();
    let rest = &names[climbs..];
    let mut readings: Vec<String> = Vec::new();
    let joined = |names: &[&str]| names.join("/");
    if is_absolute {
        // From the innermost folder outwards: a project may lie in a folder that is called `data`, too.
        let tops = (0..names.len()).filter(|place| TOP.contains(&names[*place]));
        readings.extend(tops.map(|place| joined(&names[place..])));
        readings.push(plain.to_owned());
        return readings;
    }
    let first = rest.first().copied().unwrap_or_default();
    if climbs > 0 && !TOP.contains(&first) {
        readings.push(format!("runs/{}", joined(rest)));
    }
    if climbs == 0 && first == "workspace" && !run.is_empty() {
        readings.push(format!("runs/{run}/{}", joined(rest)));
    }
    readings.push(joined(&without_climbing(rest)));
    if !run.is_empty() && !TOP.contains(&first) {
        readings.push(format!("runs/{run}/{}", joined(rest)));
        readings.push(format!("runs/{run}/workspace/{}", joined(rest)));
    }
    let mut seen = Vec::new();
    readings.retain(|reading| {
        !seen.contains(reading) && {
            seen.push(reading.clone());
            true
        }
    });
    readings
}

fn without_climbing<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut kept: Vec<&str> = Vec::new();
    for name in names {
        match *name {
            ".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    kept
}

/// The run that a catalog is of, by its name or its folder.
fn run_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let named = name.strip_suffix("_knowledge_base_catalog.md").unwrap_or_default();
    let folder = path.strip_prefix("runs/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if named.is_empty() { folder.to_owned() } else { named.to_owned() }
}

/// The phase that a task or a place belongs to.
fn phase_of(task: &str, path: &str) -> String {
    let is_phase =
        |part: &str| part.strip_prefix("ph-").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let of_task = task.split('_').next().filter(|part| is_phase(part));
    let names: Vec<&str> = path.split('/').collect();
    let of_path = match names.as_slice() {
        ["runs", _, "workspace", layer, _, ..] => Some(*layer),
        ["runs", _, "workspace", file] | ["outputs", file, ..] => file.split('_').next().filter(|part| is_phase(part)),
        _ => None,
    };
    of_task.or(of_path).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(path: &str, text: &str) -> Vec<CatalogEntry> {
        let sheet = CatalogSheet::read(path, &Text::from(text.as_bytes().to_vec())).unwrap();
        (0..sheet.spans().len()).filter_map(|row| sheet.entry(row)).collect()
    }

    /// LN-09: the columns of the protocol `lineage`, with their annotations or without.
    #[test]
    fn a_catalog_of_lineage_is_read() {
        let text = "| file_path (PK) | lineage_id | data_type | source_task_id | source_files | run_id | summary |\n\
                    |---|---|---|---|---|---|---|\n\
                    | `outputs/ph-1_Spec/a.md` | L1 + L2 | FINAL_REPORT | ph-1_stg-2_sub-01_tsk-01 | [\"data/가.md\", \"../run-001/workspace/x.md\"] | run-002 | 요약 \\| b |\n\
                    | | | | | | | |\n\
                    | workspace/y.md | L1 | X | | data/a.md, data/b.md | | |\n";
        let found = entries("db/run-002_knowledge_base_catalog.md", text);
        let [one, other] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(
            (one.path.as_str(), one.phase.as_str(), one.summary.as_str()),
            ("outputs/ph-1_Spec/a.md", "ph-1", "요약 | b")
        );
        assert_eq!(one.sources, ["data/가.md", "runs/run-001/workspace/x.md"]);
        assert_eq!((other.path.as_str(), other.run.as_str()), ("runs/run-002/workspace/y.md", "run-002"));
        assert_eq!(other.sources, ["data/a.md", "data/b.md"]);
    }

    /// The catalog of `multiverse` has no column for sources, but a file that was taken over names where it came from.
    #[test]
    fn a_catalog_of_multiverse_is_read() {
        let text = "| file_path | run_id | asset_type | source_task_id | summary |\n|---|---|---|---|---|\n\
                    | runs/r2/workspace/ANALYZING/a.md | r2 | ANALYSIS_REPORT | T05 | An analysis (taken over from runs/r1/workspace/ANALYZING/a.md) |\n";
        let found = entries("db/knowledge_base_catalog.md", text);
        assert_eq!((found[0].phase.as_str(), found[0].kind.as_str()), ("ANALYZING", "ANALYSIS_REPORT"));
        assert_eq!(found[0].sources, ["runs/r1/workspace/ANALYZING/a.md"]);
    }

    #[test]
    fn catalogs_are_known_by_their_place_and_name() {
        for (path, expected) in [
            ("db/knowledge_base_catalog.md", true),
            ("db/run-001_knowledge_base_catalog.md", true),
            ("db/data_base_catalog.md", true),
            ("db/guidelins_base_catalog.md", true),
            ("runs/run-001/run-001_knowledge_base_catalog.md", true),
            ("runs/run-001/db/knowledge_base_catalog.md", true),
            ("runs/run-001/workspace/knowledge_base_catalog.md", false),
            ("db/process_runs.md", false),
            ("knowledge_base_catalog.md", false),
        ] {
            assert_eq!(is_catalog(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_are_read_as_they_are_meant() {
        for (written, expected) in [
            ("data/a.md", "data/a.md"),
            ("./data/a.md", "data/a.md"),
            ("data\\a.md", "data/a.md"),
            ("workspace/a.md", "runs/r2/workspace/a.md"),
            ("../run-001/workspace/a.md", "runs/run-001/workspace/a.md"),
            ("../../data/a.md", "data/a.md"),
            ("../../runs/run-001/a.md", "runs/run-001/a.md"),
            ("runs/r1/../r2/a.md", "runs/r2/a.md"),
            ("/home/ada/project/outputs/a.md", "outputs/a.md"),
            ("C:\\project\\data\\a.md", "data/a.md"),
            ("", ""),
        ] {
            assert_eq!(meant_path("r2", written), expected, "{written}");
        }
    }
}
