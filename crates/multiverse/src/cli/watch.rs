//! `multiverse watch`: a run as it goes, whoever carries it on. Looks at the journal and changes nothing.

mod difference;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use engine::RunView;

use super::carry::{Opened, Told};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::live::{Live, model};
use super::output::{Form, Output};
use super::progress::Shown;
use super::project::Start;
use super::{completions, signals, visible};

/// How often it is looked whether anything happened.
const LOOK: Duration = Duration::from_millis(150);
/// How often it is looked whether the process that carries the run on lives.
const LOOK_FOR_DRIVER: Duration = Duration::from_secs(2);
/// What the foot of the view says.
const LEAVING: &str = "Ctrl-C stops watching; the run goes on";

/// Watch a run as it goes
///
/// Shows a run that another process carries on: its phases, stages and tasks, who is at
/// work on what and since when. It ends when the run does, when it waits for you, or
/// when nobody carries it on; Ctrl-C ends the watching and leaves the run alone. Without
/// RUN it is the only run that is open, else the last one.
///
/// With --json, one object a line: the run first, {"notice": …} for what happens, and the
/// run again at the end.
///
/// Exit codes: 0 done, or watching was ended, 1 error or nobody carries it on, 2 usage,
/// 3 it waits for you, 4 the run failed
///
/// Examples:
///   multiverse watch
///   multiverse watch last --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run: any unique beginning of its id, or `last`
    #[arg(value_name = "RUN", add = completions::runs())]
    run: Option<String>,
}

/// Why the watching ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The run is over, waits, or nobody carries it on.
    Rests,
    /// Somebody has seen enough.
    Left,
}

impl Arguments {
    /// The watching of a run, or of the one that is open.
    pub(crate) fn of(run: Option<String>) -> Self {
        Self { run }
    }

    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let mut opened = Opened::to_look(&Start::of_process(given)?, output, Shown::All)?;
        let run = self.meant(&opened)?;
        signals::listen(output)?;
        let view = opened.full_view(&run).ok_or_else(|| {
            Failure::new(Kind::Missing, format!("nothing is known of {}", visible::text(&run)))
                .hint("`multiverse status --all` lists the runs")
        })?;
        if output.form() == Form::Json {
            output.json(&view)?;
            output.finish()?;
        }
        let live = Live::begin(output, std::slice::from_ref(&view), LEAVING);
        if let (Some(live), Some(began)) = (&live, model::moment_in_id(&run)) {
            live.began(&run, began);
        }
        let watched = signals::while_idle(|| follow(&mut opened, view, live.as_ref(), output));
        let told = if live.is_some() { Told::InView } else { Told::Not };
        drop(live);
        let elsewhere = if watched? == End::Left { vec![run.clone()] } else { Vec::new() };
        opened.finish(&[run], &elsewhere, told, output)
    }

    fn meant(&self, opened: &Opened) -> Result<String, Failure> {
        let open = opened.service.open_runs();
        match (&self.run, open.as_slice()) {
            (Some(name), _) => opened.run(name),
            (None, [one]) => Ok(one.run.clone()),
            (None, _) => opened.run("last"),
        }
    }
}

fn follow(opened: &mut Opened, first: RunView, live: Option<&Live>, output: &mut Output) -> Result<End, Failure> {
    let journal = opened.service.project().join(store::OWN).join("journal");
    let (mut before, mut stamp, mut looked) = (first, stamp_of(&journal), Instant::now());
    let mut is_driven = opened.service.is_driven(&before.run)?;
    while !is_at_rest(&before) && is_driven {
        if signals::interrupt().asked() > 0 {
            return Ok(End::Left);
        }
        std::thread::sleep(LOOK);
        let newest = stamp_of(&journal);
        let is_news = newest != stamp;
        if !is_news && looked.elapsed() < LOOK_FOR_DRIVER {
            continue;
        }
        // Nothing is locked while nothing happens.
        (stamp, looked) = (newest, Instant::now());
        opened.service.refresh()?;
        if let Some(view) = opened.full_view(&before.run) {
            let listener = opened.progress.listener();
            difference::notices(&before, &view).into_iter().for_each(|notice| listener(notice));
            if let Some(live) = live {
                live.seed(&view);
            }
            before = view;
        }
        is_driven = opened.service.is_driven(&before.run)?;
    }
    output.finish()?;
    Ok(End::Rests)
}

/// Whether a run goes on by itself no more.
fn is_at_rest(view: &RunView) -> bool {
    let is_over = matches!(view.status, "COMPLETED" | "FAILED");
    let is_at_work = view.attempts.iter().any(|attempt| attempt.holder != "a person") || !view.resting.is_empty();
    is_over || (!view.waits.is_empty() && !is_at_work)
}

/// The newest files of the journal, as far as one can see without reading them.
fn stamp_of(journal: &Path) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
    let entries = std::fs::read_dir(journal).into_iter().flatten().flatten();
    let stamps = entries.filter_map(|entry| {
        let found = entry.metadata().ok()?;
        Some((entry.path(), found.len(), found.modified().ok()))
    });
    let mut stamps: Vec<_> = stamps.collect();
    stamps.sort();
    stamps
}
