//! `multiverse status`: the runs that are open, or one run with all that is planned in it. Shows what the engine says.

mod derived;
mod standing;
mod table;
mod tree;

use std::collections::BTreeMap;
use std::path::Path;

use engine::{Mode, RunView};

use super::carry::Opened;
use super::completions;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, Output};
use super::progress::Shown;
use super::project::Start;
use super::watch;
use standing::Driver;

/// Show runs, or one run
///
/// The runs that are open: where each stands, how far it is, what it waits for. With
/// RUN, one run, open or over: its phases, stages and tasks with their states, who is at
/// work on what, and what it waits for.
///
/// With --json, one object a line: {"run", "status", …}.
///
/// Exit codes: 0 done, 1 error, 2 usage, 5 there is no run to show; with --watch those of
/// `multiverse watch`
///
/// Examples:
///   multiverse status --all
///   multiverse status last
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run: any unique beginning of its id, or `last`
    #[arg(value_name = "RUN", conflicts_with = "all", add = completions::runs())]
    run: Option<String>,

    /// Also the runs that are over
    #[arg(long)]
    all: bool,

    /// Show it as it goes, as `multiverse watch` does: who is at work on what, until it ends or waits for you
    #[arg(long, conflicts_with = "all")]
    watch: bool,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        if self.watch {
            return watch::Arguments::of(self.run.clone()).run(given, output);
        }
        let mut opened = Opened::to_look(&Start::of_process(given)?, output, Shown::Oddities)?;
        let views = match (&self.run, self.all) {
            (Some(name), _) => vec![one(&opened, name)?],
            (None, true) => with_counts(&opened, opened.service.all_runs()),
            (None, false) => opened.service.open_runs(),
        };
        let views = with_drivers(&mut opened, views)?;
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        match output.form() {
            Form::Json => {
                for (view, _) in &views {
                    output.json(view)?;
                }
            }
            Form::Text if self.run.is_some() => {
                let columns = output.columns();
                for (view, driver) in &views {
                    output.data(&tree::rendered(view, *driver, columns))?;
                }
            }
            Form::Text if !views.is_empty() => {
                let columns = output.columns();
                output.data(&table::rendered(&views, columns))?;
            }
            Form::Text => {}
        }
        if views.is_empty() {
            let others = if self.all { "" } else { " is open; --all shows those that are over" };
            output.say(&format!("no run{others}; `multiverse run \"…\"` starts one"))?;
            return Ok(Exit::NothingToDo);
        }
        Ok(Exit::Done)
    }
}

/// Of so many runs that are over, the newest, it is looked up how many tasks they had.
const COUNTED: usize = 20;

/// The runs, the newest of those that are over with how many tasks they had: the table of runs does not say it.
fn with_counts(opened: &Opened, mut views: Vec<RunView>) -> Vec<RunView> {
    let mut over: Vec<&mut RunView> =
        views.iter_mut().filter(|view| matches!(view.status, "COMPLETED" | "FAILED") && view.planned == 0).collect();
    over.sort_by(|one, other| other.run.cmp(&one.run));
    for view in over.into_iter().take(COUNTED) {
        if let Some(full) = opened.full_view(&view.run) {
            (view.done, view.planned) = (full.done, full.planned);
        }
    }
    views
}

/// The runs, each with whether somebody carries it on. Each process is looked for once.
fn with_drivers(opened: &mut Opened, views: Vec<RunView>) -> Result<Vec<(RunView, Driver)>, Failure> {
    let mut known: BTreeMap<String, Driver> = BTreeMap::new();
    let mut found = Vec::with_capacity(views.len());
    for view in views {
        let driver = match view.driver.as_ref().map(|name| (name, known.get(name))) {
            None => Driver::Gone,
            Some((_, Some(driver))) => *driver,
            Some((name, None)) => {
                let is_driven = opened.service.is_driven(&view.run)?;
                let driver = if is_driven { Driver::Alive } else { Driver::Gone };
                known.insert(name.clone(), driver);
                driver
            }
        };
        found.push((view, driver));
    }
    Ok(found)
}

/// A run with all that is known of it; of one that is over, what the journal tells.
fn one(opened: &Opened, name: &str) -> Result<RunView, Failure> {
    let run = opened.run(name)?;
    opened.full_view(&run).ok_or_else(|| {
        Failure::new(super::failure::Kind::Missing, format!("nothing is known of {run}"))
            .hint("`multiverse status --all` lists the runs")
    })
}

/// A mode as the protocol spells it.
pub(crate) fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::SimpleTask => "SIMPLE_TASK",
        Mode::InitialRun => "INITIAL_RUN",
        Mode::ContinuousRun => "CONTINUOUS_RUN",
    }
}
