//! The documents of a protocol as data: paths, headers, and what each column stands for. Must not know how documents
//! are read or written.

use machine::Hierarchy;

/// The documents of one protocol.
#[derive(Debug)]
pub struct Protocol {
    /// Its levels and its preparation.
    pub hierarchy: &'static Hierarchy,
    /// The table of runs.
    pub runs: GlobalDocument,
    /// The catalog of files.
    pub catalog: GlobalDocument,
    /// The instructions of users.
    pub instructions: GlobalDocument,
    /// The items of the outermost level, which every run begins with.
    pub template: GlobalDocument,
    /// The rows of the template: id, name, purpose.
    pub template_rows: &'static [[&'static str; 3]],
    /// One document for each level of the hierarchy, in `runs/{run_id}/db/`.
    pub levels: &'static [LevelDocument],
}

/// A document that all runs share.
#[derive(Debug)]
pub struct GlobalDocument {
    /// From the project's root.
    pub path: &'static str,
    /// What it looks like.
    pub layout: Layout,
}

/// The document of one level of a run.
#[derive(Debug)]
pub struct LevelDocument {
    /// `tasks.md`.
    pub file: &'static str,
    /// What a planner calls its rows: `tasks`.
    pub plural: &'static str,
    /// What it looks like.
    pub layout: Layout,
}

/// What a document looks like: a title, a line that says what it is for, a table.
#[derive(Debug)]
pub struct Layout {
    /// The title of the document.
    pub title: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// The columns of its table; rows are known by the first.
    pub columns: &'static [Column],
}

/// One column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// As it is written, with its annotation: `timing (PRE/POST)`.
    pub header: &'static str,
    /// What it stands for.
    pub field: Field,
    /// Who fills it in.
    pub need: Need,
}

/// What a column stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Field {
    /// What the row is known by.
    Id,
    /// The run it belongs to.
    Run,
    /// The item it belongs to.
    Parent,
    /// What it is called.
    Name,
    /// What it is for.
    Purpose,
    /// Files it reads.
    Inputs,
    /// The file it leaves.
    Output,
    /// What tools are to do before.
    PreTool,
    /// What tools are to do after.
    PostTool,
    /// When a tool task is due.
    Timing,
    /// Which tool.
    Tool,
    /// Its place among its siblings.
    Order,
    /// Where it stands.
    Status,
    /// A column that only this protocol has, by its name.
    More(&'static str),
    /// The user's words.
    Request,
    /// What runs now on a level, counted from the outermost.
    Current(usize),
    /// `INITIAL` or `MODIFICATION`.
    InstructionType,
    /// What an instruction says.
    Content,
    /// The instruction that replaced it.
    SupersededBy,
    /// Why it was replaced.
    Justification,
    /// `ORIGINAL_INPUT`, `ANALYSIS_REPORT`, …
    AssetType,
    /// The task that a file came from.
    Source,
    /// What is in a file.
    Summary,
}

/// Who fills a column in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The engine alone: a planner's word for it is ignored.
    Engine,
    /// The planner may.
    Optional,
    /// The planner must.
    Required,
    /// The planner must, but not for the tasks of the preparation, which are code's own.
    RequiredInPhases,
}

impl Column {
    /// Its name: the first word of the header.
    pub fn name(&self) -> &'static str {
        self.header.split(' ').next().unwrap_or(self.header)
    }
}

impl Layout {
    /// The name of the column that rows are known by.
    pub fn key(&self) -> &'static str {
        self.columns.first().map_or("", Column::name)
    }

    /// The place of a field among the columns.
    pub fn place_of(&self, field: Field) -> Option<usize> {
        self.columns.iter().position(|column| column.field == field)
    }

    /// Whether tables of older projects may do without a column: the seed's table of tool tasks had neither inputs nor
    /// outputs.
    pub(crate) fn lacks_in_old_tables(&self, field: Field) -> bool {
        self.place_of(Field::Tool).is_some() && matches!(field, Field::Inputs | Field::Output)
    }

    /// A new document without rows.
    pub fn new_document(&self) -> String {
        let headers: Vec<&str> = self.columns.iter().map(|column| column.header).collect();
        let (title, purpose) = (self.title, self.purpose);
        let dashes = " :--- |".repeat(headers.len());
        format!("# {title}\n\n{purpose}\n\n| {} |\n|{dashes}\n", headers.join(" | "))
    }
}

impl Protocol {
    /// The document of a level of a run.
    pub fn level_path(&self, run_id: &str, level: usize) -> Option<String> {
        self.levels.get(level).map(|document| format!("runs/{run_id}/db/{}", document.file))
    }

    /// The run's documents, outermost level first.
    pub fn run_documents(&self, run_id: &str) -> Vec<String> {
        (0..self.levels.len()).filter_map(|level| self.level_path(run_id, level)).collect()
    }

    /// The level, and the run, that a path is the document of.
    pub fn level_of_path<'a>(&self, path: &'a str) -> Option<(usize, &'a str)> {
        let (run_id, rest) = path.strip_prefix("runs/")?.split_once('/')?;
        let file = rest.strip_prefix("db/")?;
        let level = self.levels.iter().position(|document| document.file == file)?;
        Some((level, run_id))
    }

    /// What the document at a path looks like.
    pub fn layout_of(&'static self, path: &str) -> Option<&'static Layout> {
        let global = [&self.runs, &self.catalog, &self.instructions, &self.template];
        if let Some(document) = global.into_iter().find(|document| document.path == path) {
            return Some(&document.layout);
        }
        let (level, _) = self.level_of_path(path)?;
        self.levels.get(level).map(|document| &document.layout)
    }
}
