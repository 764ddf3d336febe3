//! The documents of a protocol as data: paths, headers, and what each column stands for. Must not know how documents
//! are read or written; where they lie is in `protocol`.

use machine::Hierarchy;

/// The documents of one protocol.
#[derive(Debug)]
pub struct Protocol {
    /// Its levels and its preparation.
    pub hierarchy: &'static Hierarchy,
    /// The table of runs.
    pub runs: GlobalDocument,
    /// The catalog of files: one for all runs, or with `{run_id}` in its path one for each.
    pub catalog: GlobalDocument,
    /// The instructions of users.
    pub instructions: GlobalDocument,
    /// The items of the outermost level, which every run begins with.
    pub template: SettingsDocument,
    /// Those of the level below, where people choose them, too.
    pub template_below: Option<SettingsDocument>,
    /// Who says what stands in them.
    pub definition: Definition,
    /// How runs are called.
    pub run_ids: RunIds,
    /// The folders of what people put in, and where each is catalogued.
    pub inputs: &'static [InputFolder],
    /// The list of procedures, which the Planner alone may see.
    pub procedures: Procedures,
    /// Where the proposal to the user stands, with `{run_id}` for the run.
    pub feedback: &'static str,
    /// The folders of a new project, in the order in which they can be made.
    pub folders: &'static [&'static str],
    /// The folders of a run beside those of its layers, with `{run_id}`.
    pub run_folders: &'static [&'static str],
    /// One for each level of the hierarchy, in `runs/{run_id}/db/`.
    pub levels: &'static [LevelDocument],
}

/// Who says what a run is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// The protocol: the template stays as it is.
    Fixed,
    /// People, in their settings.
    Users,
}

/// How runs are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIds {
    /// By the second in which they begin, and a number: `run-20260131-140530-001`.
    Dated,
    /// By a number that grows: `run-001`.
    Numbered,
}

/// A document that says what runs are made of.
#[derive(Debug)]
pub struct SettingsDocument {
    /// It.
    pub document: GlobalDocument,
    /// The rows it begins with.
    pub rows: &'static [&'static [&'static str]],
}

/// A folder of what people put in.
#[derive(Debug)]
pub struct InputFolder {
    /// `assets`.
    pub folder: &'static str,
    /// What its files are called in the catalog.
    pub asset_type: &'static str,
    /// Its own catalog; nothing where the files stand in that of all.
    pub catalog: Option<GlobalDocument>,
    /// Another spelling of that catalog's path: if it is there, it is kept.
    pub also: &'static str,
}

/// The list of procedures.
#[derive(Debug)]
pub struct Procedures {
    /// Where it stands.
    pub path: &'static str,
    /// What it looks like, where it is a table of the protocol's own.
    pub layout: Option<Layout>,
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
    /// How many there are.
    pub one_for: OneFor,
    /// What it looks like.
    pub layout: Layout,
}

/// How many documents of a level a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneFor {
    /// One, for all items of the level.
    Run,
    /// One for each item that holds some; its id goes before the name.
    Parent,
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
    /// Why it is there.
    ContentReason,
    /// When a run began.
    Created,
    /// Rules that a task goes by: files.
    Guidelines,
    /// Where a task leaves its file.
    Folder,
    /// The procedure that a task is done by.
    Procedure,
    /// The families that a file belongs to.
    Lineage,
    /// The files that a file was made from.
    SourceFiles,
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
    /// The planner must, and the machine says where it did not, with row and column.
    Checked,
    /// The planner must, but not for the tasks of the preparation, which are code's own.
    RequiredInPhases,
}

impl Column {
    /// Its name: the first word of the header.
    pub fn name(&self) -> &'static str {
        let end = self.header.bytes().position(|byte| byte == b' ');
        end.map_or(self.header, |end| &self.header[..end])
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
