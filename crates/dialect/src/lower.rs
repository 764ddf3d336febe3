//! What a step's facts change in the documents. Each fact is a few rows and cells; whatever is not named stays as it
//! is. Must not decide anything: what the facts and the state after them say is written.

use machine::{Fact, Failure, FileNote, Hierarchy, Item, Planned, PreludeTask, Proposal, Run, Status, Target, Verdict};
use syntax::markdown::paths;
use text::Text;

use crate::desk::{Desk, Lowered};
use crate::layout::Field;
use crate::plan_order::{position, position_of_input};
use crate::sheets::Sheets;
use crate::spelling::{state_word, status_word};
use crate::take_over::take_over;
use crate::trouble::Trouble;
use crate::{item_row, learned, prose};

/// What stands between the families of a file that has several (LN-09).
pub(crate) const FAMILIES: &str = " + ";

/// One step of one run.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    /// How the run was before it; nothing when it began with it.
    pub before: Option<&'a Before>,
    /// The run after it.
    pub after: &'a Run,
    /// What became true.
    pub facts: &'a [Fact],
}

/// What the documents need to know of a run before a step. Made before the facts are applied, so that no run need be
/// copied for it.
#[derive(Debug, Clone)]
pub struct Before {
    standing: Standing,
    proposal: Option<Proposal>,
}

impl Before {
    /// Of a run that these facts are about to change.
    pub fn of(run: &Run, hierarchy: &Hierarchy, facts: &[Fact]) -> Self {
        let constitutes = facts.iter().any(|fact| matches!(fact, Fact::Constituted { .. }));
        let proposal = run.proposal.as_ref().filter(|_| constitutes).cloned();
        Self { standing: Standing::of(hierarchy, run), proposal }
    }
}

/// Where a run stands, as its row in the table of runs shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) status: Status,
    /// The items that are current, level by level, the outermost first.
    pub(crate) current: Vec<Vec<String>>,
}

impl Standing {
    pub(crate) fn of(hierarchy: &Hierarchy, run: &Run) -> Self {
        let now = run.current(hierarchy);
        let short = |id: &&str| hierarchy.short_id(id).to_owned();
        let mut current: Vec<Vec<String>> = now.holders.iter().map(|id| vec![short(id)]).collect();
        current.resize(hierarchy.task_level(), Vec::new());
        current.push(now.tasks.iter().map(short).collect());
        Self { status: run.status, current }
    }

    pub(crate) fn cell(&self, level: usize) -> String {
        self.current.get(level).map(|ids| ids.join(", ")).unwrap_or_default()
    }
}

/// What a step changes in the documents. The sheets stay as they are: once it is committed, tell them with
/// [`Sheets::accept`]. `read` gives the text of a document that no sheet is held of.
pub fn lower(sheets: &mut Sheets, read: &dyn Fn(&str) -> Option<Text>, step: &Step<'_>) -> Result<Lowered, Trouble> {
    let mut desk = Desk::new(sheets, read);
    let outcome = step.facts.iter().try_for_each(|fact| write_fact(&mut desk, step, fact));
    let outcome = outcome.and_then(|()| write_run_row(&mut desk, step));
    desk.close(outcome)
}

fn write_fact(desk: &mut Desk<'_>, step: &Step<'_>, fact: &Fact) -> Result<(), Trouble> {
    let run = step.after;
    match fact {
        Fact::Started { .. } => start_run(desk, step),
        Fact::Planned { target, rows, .. } => {
            for row in rows {
                plan(desk, run, row)?;
            }
            if *target == Target::Prelude && !run.learned.is_empty() {
                learned::write(desk, run);
            }
            Ok(())
        }
        // A run has no folder before its first plan.
        Fact::Learned { .. } if run.items.is_empty() => Ok(()),
        Fact::Learned { .. } => {
            learned::write(desk, run);
            Ok(())
        }
        Fact::TakenOver { from, items, .. } => take_over(desk, run, from, items),
        Fact::Completed { item, files } => {
            set_state(desk, run, item)?;
            files.iter().try_for_each(|file| register(desk, run, item, file))
        }
        Fact::Proposed { proposal, .. } => {
            let text = prose::feedback(run, proposal, &mut |id| earlier(desk, id));
            desk.write(desk.protocol().feedback(&run.id), text);
            Ok(())
        }
        Fact::Constituted { item, ids } => constitute(desk, step, item, ids),
        Fact::Catalogued { files, gone, .. } => catalog(desk, run, files, gone),
        Fact::Failed(failure) => fail(desk, run, failure),
        // The documents say it already; what was remembered of the order of rows may not hold any more.
        Fact::Edited { .. } | Fact::Removed { .. } => {
            desk.sheets().forget_places(&run.id);
            Ok(())
        }
        // A task whose core work is done and whose tools are to come has no word of its own.
        Fact::Worked { .. }
        | Fact::Driven { .. }
        | Fact::Assigned(_)
        | Fact::SentBack { .. }
        | Fact::Lost { .. }
        | Fact::Rested { .. }
        | Fact::Woke { .. }
        | Fact::Budgeted { .. }
        | Fact::Spent { .. }
        | Fact::Exhausted { .. }
        | Fact::Answered { .. }
        | Fact::Asked { .. }
        | Fact::Told { .. }
        | Fact::Paused { .. }
        | Fact::Resumed
        | Fact::Finished => Ok(()),
    }
}

fn start_run(desk: &mut Desk<'_>, step: &Step<'_>) -> Result<(), Trouble> {
    let runs = &desk.protocol().runs;
    let stands = Standing::of(desk.protocol().hierarchy, step.after);
    let values = runs.layout.columns.iter().map(|column| (column.field, run_cell(column.field, step.after, &stands)));
    let values: Vec<(Field, String)> = values.collect();
    let sheet = desk.sheet(runs.path)?;
    match sheet.find(&step.after.id) {
        Some(row) => values.iter().skip(1).try_for_each(|(field, value)| sheet.set(row, *field, value)),
        None => sheet.insert(sheet.row_count(), &values),
    }
}

fn run_cell(field: Field, run: &Run, stands: &Standing) -> String {
    match field {
        Field::Id => run.id.clone(),
        Field::Request => run.request.clone(),
        Field::Created => run.started.clone(),
        Field::Status => status_word(stands.status).to_owned(),
        Field::Current(level) => stands.cell(level),
        _ => String::new(),
    }
}

/// The cells of the run's row that are other than before.
fn write_run_row(desk: &mut Desk<'_>, step: &Step<'_>) -> Result<(), Trouble> {
    let Some(before) = step.before else { return Ok(()) };
    let (runs, hierarchy) = (&desk.protocol().runs, desk.protocol().hierarchy);
    let (stood, stands) = (&before.standing, Standing::of(hierarchy, step.after));
    let asked_anew = |fact: &Fact| matches!(fact, Fact::Answered { verdict: Verdict::NewRequest(_), .. });
    let is_other = |field: &Field| match field {
        Field::Request => step.facts.iter().any(asked_anew),
        Field::Status => stood.status != stands.status,
        Field::Current(level) => stood.current.get(*level) != stands.current.get(*level),
        _ => false,
    };
    let cell = |field: Field| run_cell(field, step.after, &stands);
    let others: Vec<Field> = runs.layout.columns.iter().map(|column| column.field).filter(is_other).collect();
    if others.is_empty() {
        return Ok(());
    }
    let sheet = desk.sheet(runs.path)?;
    let row = sheet.find(&step.after.id).ok_or_else(|| vanished(runs.path, sheet.line(None), &step.after.id))?;
    others.into_iter().try_for_each(|field| sheet.set(row, field, &cell(field)))
}

/// What an earlier instruction says.
fn earlier(desk: &mut Desk<'_>, id: &str) -> Option<String> {
    let sheet = desk.look(desk.protocol().instructions.path).ok()??;
    let row = sheet.find(id)?;
    Some(sheet.value(row, Field::Content))
}

/// The row of a planned item, in the document of its level.
fn plan(desk: &mut Desk<'_>, run: &Run, row: &Planned) -> Result<(), Trouble> {
    let Some(item) = row.id.as_deref().and_then(|id| run.item(id)) else { return Ok(()) };
    put_item(desk, run, item, row)
}

/// The row of an item, in the document of its level and where the plan has it.
pub(crate) fn put_item(desk: &mut Desk<'_>, run: &Run, item: &Item, row: &Planned) -> Result<(), Trouble> {
    let protocol = desk.protocol();
    let Some((path, level)) = protocol.document_of(&run.id, item).zip(protocol.levels.get(item.level)) else {
        return Ok(());
    };
    let values = item_row::cells(protocol.hierarchy, &level.layout, &run.id, item, row);
    let sheet = desk.sheet_or_new(&path)?;
    let short = protocol.hierarchy.short_id(&item.id);
    if let Some(row) = sheet.find(short) {
        return values.iter().skip(1).try_for_each(|(field, value)| sheet.set(row, *field, value));
    }
    let position = position(run, &item.id);
    desk.insert_in_plan_order(&path, run, position, short, &values)
}

/// The status of an item as the state says.
fn set_state(desk: &mut Desk<'_>, run: &Run, id: &str) -> Result<(), Trouble> {
    let Some(item) = run.item(id) else { return Ok(()) };
    let Some(path) = desk.protocol().document_of(&run.id, item) else { return Ok(()) };
    let id = desk.protocol().hierarchy.short_id(id);
    let sheet = desk.sheet(&path)?;
    let row = sheet.find(id).ok_or_else(|| vanished(&path, sheet.line(None), id))?;
    sheet.set(row, Field::Status, state_word(item.state))
}

/// The catalog's row of a file: renewed if there is one, else put in where the item stands in the plan.
pub(crate) fn register(desk: &mut Desk<'_>, run: &Run, item: &str, file: &FileNote) -> Result<(), Trouble> {
    let catalog = &desk.protocol().catalog_path(&run.id);
    // What a run used, and did not make, came from no task; it stands before all else, by its path.
    let is_used = desk.protocol().has_catalogs() && file.asset_type == "ORIGINAL_INPUT";
    let item = if is_used { "" } else { item };
    let (lineage, sources) = (file.lineage.join(FAMILIES), paths::write_paths(&file.sources));
    let values: [(Field, &str); 7] = [
        (Field::Id, &file.path),
        (Field::Lineage, &lineage),
        (Field::Run, &run.id),
        (Field::AssetType, &file.asset_type),
        (Field::Source, item),
        (Field::SourceFiles, &sources),
        (Field::Summary, &file.summary),
    ];
    let position = if is_used { Some(position_of_input(&file.path)) } else { position(run, item) };
    let sheet = match desk.protocol().has_catalogs() {
        true => desk.sheet_or_new(catalog)?,
        false => desk.sheet(catalog)?,
    };
    let Some(row) = sheet.find(&file.path) else {
        return desk.insert_in_plan_order(catalog, run, position, &file.path, &values);
    };
    if is_used {
        return Ok(());
    }
    let moves = sheet.value(row, Field::Run) != run.id || sheet.value(row, Field::Source) != item;
    values.iter().skip(1).try_for_each(|(field, value)| sheet.set(row, *field, value))?;
    if let Some(position) = position.filter(|_| moves) {
        desk.note(catalog, run, position, &file.path, row);
    }
    Ok(())
}

fn catalog(desk: &mut Desk<'_>, run: &Run, files: &[FileNote], gone: &[String]) -> Result<(), Trouble> {
    if desk.protocol().has_catalogs() {
        return catalog_inputs(desk, files, gone);
    }
    let path = desk.protocol().catalog.path;
    let tasks = desk.protocol().hierarchy.prelude.iter();
    let task = tasks.filter_map(|task| if let PreludeTask::Catalog(id) = task { Some(*id) } else { None }).next();
    for file in gone {
        let sheet = desk.sheet(path)?;
        if let Some(row) = sheet.find(file) {
            sheet.remove(row)?;
        }
    }
    files.iter().try_for_each(|file| register(desk, run, task.unwrap_or_default(), file))
}

/// What the Archivist found, each folder in a catalog of its own, by path (LN-05).
fn catalog_inputs(desk: &mut Desk<'_>, files: &[FileNote], gone: &[String]) -> Result<(), Trouble> {
    for input in desk.protocol().inputs {
        let Some(catalog) = &input.catalog else { continue };
        let path = match !input.also.is_empty() && desk.look(input.also)?.is_some() {
            true => input.also,
            false => catalog.path,
        };
        let is_own = |file: &str| file.strip_prefix(input.folder).is_some_and(|rest| rest.starts_with('/'));
        let sheet = desk.sheet_or_new(path)?;
        for file in gone.iter().filter(|file| is_own(file)) {
            if let Some(row) = sheet.find(file) {
                sheet.remove(row)?;
            }
        }
        for file in files.iter().filter(|file| is_own(&file.path)) {
            match sheet.find(&file.path) {
                Some(row) => sheet.set(row, Field::Summary, &file.summary)?,
                None => {
                    // By path, as far as the rows before are: people may have put in their own.
                    let before = (0..sheet.row_count()).find(|row| sheet.value(*row, Field::Id) > file.path);
                    let row = before.unwrap_or_else(|| sheet.row_count());
                    let values = [(Field::Id, file.path.clone()), (Field::Summary, file.summary.clone())];
                    sheet.insert(row, &values)?;
                }
            }
        }
    }
    Ok(())
}

/// The agreed instructions become law, and those they replace cease to be.
fn constitute(desk: &mut Desk<'_>, step: &Step<'_>, item: &str, ids: &[String]) -> Result<(), Trouble> {
    let run = step.after;
    let newest = step.facts.iter().rev().find_map(|fact| match fact {
        Fact::Proposed { proposal, .. } => Some(proposal),
        _ => None,
    });
    let agreed = newest.or(step.before.and_then(|before| before.proposal.as_ref())).or(run.proposal.as_ref());
    let nothing = Proposal::default();
    let proposal = agreed.unwrap_or(&nothing);
    let path = desk.protocol().instructions.path;
    let kind = if run.wishes.is_empty() { "INITIAL" } else { "MODIFICATION" };
    let sheet = desk.sheet(path)?;
    let asked = format!("agreed with the user for the request of {}", run.id);
    let reasons = proposal.reasons.iter().map(String::as_str).chain(std::iter::repeat(""));
    for ((id, content), reason) in ids.iter().zip(&proposal.instructions).zip(reasons) {
        let reason = if reason.trim().is_empty() { &asked } else { reason };
        let values = [
            (Field::Id, id.clone()),
            (Field::Run, run.id.clone()),
            (Field::InstructionType, kind.to_owned()),
            (Field::ContentReason, reason.to_owned()),
            (Field::Content, content.clone()),
            (Field::Status, "ACTIVE".to_owned()),
        ];
        match sheet.find(id) {
            Some(row) => values.iter().skip(1).try_for_each(|(field, value)| sheet.set(row, *field, value))?,
            None => sheet.insert(sheet.row_count(), &values)?,
        }
    }
    for old in &proposal.superseded {
        let id = &old.instruction_id;
        let row = sheet.find(id).ok_or_else(|| vanished(path, sheet.line(None), id))?;
        // What another replaced meanwhile keeps saying so; and so it is when a recorded run is carried out again.
        if sheet.value(row, Field::Status).trim_matches(['*', '_', '`']).eq_ignore_ascii_case("SUPERSEDED") {
            continue;
        }
        let by = old.by.checked_sub(1).and_then(|number| ids.get(number)).map(String::as_str);
        sheet.set(row, Field::Status, "SUPERSEDED")?;
        sheet.set(row, Field::SupersededBy, by.unwrap_or_default())?;
        sheet.set(row, Field::Justification, &old.justification)?;
    }
    // It came from no task of the plan, so a catalog of what tasks made does not list it.
    if desk.protocol().has_catalogs() {
        return Ok(());
    }
    let file = FileNote {
        path: desk.protocol().feedback(&run.id),
        asset_type: "USER_INSTRUCTIONS".to_owned(),
        summary: prose::constitution_summary(ids.len(), proposal.superseded.len()),
        ..FileNote::default()
    };
    register(desk, run, item, &file)
}

fn fail(desk: &mut Desk<'_>, run: &Run, failure: &Failure) -> Result<(), Trouble> {
    for item in &failure.items {
        set_state(desk, run, item)?;
    }
    let report = prose::failure(desk, run, failure)?;
    desk.write(prose::failure_path(&run.id), report);
    Ok(())
}

pub(crate) fn vanished(path: &str, line: usize, id: &str) -> Trouble {
    Trouble {
        path: path.to_owned(),
        line,
        reason: format!("the row `{id}` is not in the table any more"),
        hint: format!(
            "put it back: `multiverse history {path}` shows which record took it out, `multiverse undo N` brings it back"
        ),
    }
}
