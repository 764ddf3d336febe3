//! A project as the protocols have it: a table of runs, a catalog, a table of tasks for each run; and the step that
//! every run repeats: a task is done, its output is there, the catalog has it, the run's row says what is next.

use std::error::Error;
use std::path::Path;

use serde_json::value::RawValue;
use store::{Commit, Missing, ProjectPath, RealFs, Store, What};
use syntax::{Document, RowIndex, TableId};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Whether a step leaves a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// It changes tables only, as with an agent that does nothing.
    None,
    /// It leaves a short file.
    File,
}

pub(crate) struct Project {
    pub store: Store<RealFs>,
    tables: Tables,
}

/// What the steps are decided on.
struct Tables {
    runs: Table,
    catalog: Table,
    tasks: Vec<Table>,
    output: Output,
}

/// A document with one table, and where its rows are.
struct Table {
    path: ProjectPath,
    document: Document,
    table: TableId,
    index: RowIndex,
    /// The column that steps set.
    column: usize,
}

impl Project {
    /// Makes a project of `finished` runs that are done, `open` that are not, and `tasks` tasks in each of these.
    pub(crate) fn new(folder: &Path, finished: usize, open: usize, tasks: usize, output: Output) -> Fallible<Self> {
        std::fs::create_dir_all(folder.join("db"))?;
        let mut runs = String::from(
            "| run_id | user_request | status | current_phase_id | current_stage_id | current_task_id |\n| :--- | :--- | :--- | :--- | :--- | :--- |\n",
        );
        let mut catalog = String::from(
            "| file_path | run_id | asset_type | source_task_id | summary |\n| :--- | :--- | :--- | :--- | :--- |\n",
        );
        for number in 0..finished {
            runs += &format!("| done-{number:07} | a report from a pile of documents | COMPLETED | | | |\n");
            catalog +=
                &format!("| outputs/done-{number:07}/report.md | done-{number:07} | REPORT | T09 | what was found |\n");
        }
        for number in 0..open {
            runs +=
                &format!("| open-{number:07} | a report from a pile of documents | PENDING | P01 | S01 | T0000 |\n");
        }
        let mut written =
            vec![("db/process_runs.md".to_string(), runs), ("db/knowledge_base_catalog.md".to_string(), catalog)];
        for run in 0..open {
            let mut rows = String::from(
                "| task_id | run_id | task_name | output_path | status |\n| :--- | :--- | :--- | :--- | :--- |\n",
            );
            for task in 0..tasks {
                rows +=
                    &format!("| T{task:04} | open-{run:07} | read and note | workspace/T{task:04}.md | PENDING |\n");
            }
            written.push((format!("runs/open-{run:07}/db/tasks.md"), rows));
        }
        let mut paths = Vec::new();
        for (path, content) in written {
            let place = folder.join(&path);
            std::fs::create_dir_all(place.parent().ok_or("a path without a folder")?)?;
            std::fs::write(place, content)?;
            paths.push(ProjectPath::document(&path)?);
        }
        let mut store = Store::open(RealFs::open(folder)?, Missing::Create, Box::new(|_| {}))?;
        store.adopt(&paths)?;
        store.checkpoint(|_| None)?;
        let (tables, tasks) = paths.split_at(2);
        let runs = Table::open(&store, &tables[0], "current_task_id")?;
        let catalog = Table::open(&store, &tables[1], "summary")?;
        let tasks = tasks.iter().map(|path| Table::open(&store, path, "status")).collect::<Fallible<Vec<_>>>()?;
        Ok(Self { store, tables: Tables { runs, catalog, tasks, output } })
    }

    /// The next step of a run, durable.
    pub(crate) fn step(&mut self, run: usize, task: usize) -> Fallible<()> {
        let commit = self.tables.next_step(run, task, self.store.head().number)?;
        self.store.commit(commit)?;
        Ok(())
    }

    /// The next step of every run, in one batch.
    pub(crate) fn round(&mut self, runs: usize, task: usize) -> Fallible<()> {
        let tables = &mut self.tables;
        self.store.batch(|batch| -> Fallible<()> {
            for run in 0..runs {
                let commit = tables.next_step(run, task, batch.number())?;
                batch.append(&commit)?;
            }
            Ok(())
        })?
    }
}

impl Tables {
    /// Decides the next step of a run: what it changes in four documents.
    fn next_step(&mut self, run: usize, task: usize, base: u64) -> Fallible<Commit> {
        let (run_id, task_id) = (format!("open-{run:07}"), format!("T{task:04}"));
        let next = format!("T{:04}", task + 1);
        let output = ProjectPath::document(&format!("runs/{run_id}/workspace/{task_id}.md"))?;
        let note = format!("# {task_id}\n\nWhat was read, in a line or two, with where it stands.\n");
        let catalog_row = [output.as_str(), &run_id, "ANALYSIS_REPORT", &task_id, "what was read"];
        let mut changes = vec![
            self.tasks[run].set(&task_id, "COMPLETED")?,
            self.runs.set(&run_id, &next)?,
            self.catalog.append(&catalog_row)?,
        ];
        if self.output == Output::File {
            changes.push((output, What::Create(note.into())));
        }
        let body = RawValue::from_string(format!(
            "{{\"facts\":[{{\"task_completed\":\"{task_id}\"}}],\"effects\":[{{\"key\":\"{run_id}/{next}\",\"assign\":\"executor\"}}]}}"
        ))?;
        Ok(Commit::new(format!("{task_id} of {run_id} is done"), base, changes).with_body(body))
    }
}

impl Table {
    fn open(store: &Store<RealFs>, path: &ProjectPath, column: &str) -> Fallible<Self> {
        let document = Document::parse(store.read(path).ok_or("no such document")?.clone());
        let table = document.tables().next().ok_or("no table")?;
        let (table, column) = (table.id(), table.column(column).ok_or("no such column")?);
        let index = RowIndex::new(&document, table, 0);
        Ok(Self { path: path.clone(), document, table, index, column })
    }

    fn set(&mut self, key: &str, value: &str) -> Fallible<(ProjectPath, What)> {
        let row = self.index.find(&self.document, key).ok_or("no such row")?;
        let column = self.column;
        self.made(|document, table| document.set_cell(table, row, column, value))
    }

    fn append(&mut self, values: &[&str]) -> Fallible<(ProjectPath, What)> {
        self.made(|document, table| document.append_row(table, values))
    }

    /// A change as the engine hands it over: with the text that it made of the one before.
    fn made(
        &mut self,
        change: impl FnOnce(&mut Document, TableId) -> Result<text::Change, syntax::Refusal>,
    ) -> Fallible<(ProjectPath, What)> {
        let before = self.document.text().clone();
        let change = change(&mut self.document, self.table)?;
        Ok((self.path.clone(), What::Made { change, before, after: self.document.text().clone() }))
    }
}
