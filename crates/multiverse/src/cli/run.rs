//! `multiverse run`: a request, carried out. Shows how it goes and what it left.

use std::path::Path;

use engine::agent::Differences;
use engine::workflows::{Invocation, read_invocation};
use engine::{Begun, Budget, Chosen, Measure, Mode as RunMode};
use serde::Serialize;

use super::at_once;
use super::carry::{Driving, Opened};
use super::cycle::Goal;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::live;
use super::output::{Form, HINT, Output, PLACE};
use super::project::Start;
use super::request::Words;
use super::roadmap::Session;
use super::status::mode_word;
use super::workflow::{self, Wanted};
use super::{completions, replay, signals, visible};

/// Carry out a request
///
/// A request becomes a run: the planner proposes what shall hold, you confirm it, and
/// four phases turn assets/ into files in outputs/RUN/. Everything that happens is
/// recorded as it happens: whatever stops the program, `multiverse resume` goes on.
/// Without a terminal nobody is asked: the run waits, and the commands that answer it
/// are printed. A request of one short sentence that names no deliverable and no file
/// is done at once, without a run; --mode decides otherwise. `multiverse "…"` alone is
/// the same as `multiverse run "…"`.
///
/// With --profile, or with `/orchestrator @NAME` as the request, an idea goes through a
/// workflow profile: roles work and review, gates wait for you. `/orchestrator` alone
/// takes ORCHESTRATOR_PROFILE, else the first profile that is a realization. The idea is
/// that of --idea, of ORCHESTRATOR_IDEA, of ideas/context.json, or the only one there is.
///
/// With --protocol roadmap the words are filters: the tasks of .jixo/ that fit one of them
/// are run, each until its log says 100%: `harbour` by its name, `har*` by its beginning,
/// `.jixo/docs/` by its folder. Without a filter all are. A session that is open is joined:
/// start as many processes as you like, or several executors in one with --jobs.
///
/// What runs leave is listed on stdout. With --json, one object a line: {"mode": …},
/// {"notice": …} for what happens, at the end {"run", "status", "waits", "outputs",
/// "head"}; with --dry-run {"proposal": …}, for what is done at once {"answer": …},
/// with --replay {"replayed": {"run", "differences", …}}.
///
/// Exit codes: 0 done, 1 error or interrupted, 2 usage, 3 it waits for you,
/// 4 the run failed, or no item of a roadmap can be done, 5 nothing to do now
///
/// Examples:
///   multiverse run --protocol roadmap --jobs 4
///   multiverse run "Make a report of the sales in assets." --yes
///   multiverse run -f README.md --mode structured --dry-run
///   multiverse "Make a report of what is in assets." --agent offline --yes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(flatten)]
    words: Words,

    /// How it is carried out, whatever the rule says
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,

    /// Show what would be proposed, and begin nothing
    #[arg(long)]
    dry_run: bool,

    /// What the run may use: tokens (200k), money ($5) or time of its agents (90m); may be
    /// given for each
    #[arg(long, value_name = "AMOUNT")]
    budget: Vec<String>,

    /// Carry out the request of this earlier run again, from the recordings of its agents:
    /// nobody is asked
    #[arg(long, value_name = "RUN", conflicts_with_all = ["mode", "dry_run", "budget"], add = completions::runs())]
    replay: Option<String>,

    /// With --replay: stop where an agent would be told something else than then
    #[arg(long, requires = "replay")]
    replay_strict: bool,

    /// Take an idea through this workflow profile
    #[arg(long, value_name = "NAME", conflicts_with_all = ["mode", "dry_run", "replay"], add = completions::profiles())]
    profile: Option<String>,

    /// With a profile: which idea, by the name of its file in ideas/
    #[arg(long, value_name = "ID", conflicts_with_all = ["mode", "dry_run", "replay"])]
    idea: Option<String>,

    /// With a profile that is a simulation: what varies it
    #[arg(long, value_name = "N", conflicts_with_all = ["mode", "dry_run", "replay"])]
    seed: Option<u64>,

    #[command(flatten)]
    goal: Goal,

    #[command(flatten)]
    session: Session,

    #[command(flatten)]
    driving: Driving,
}

/// The ways to carry out a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    /// At once, without a run
    Simple,
    /// As the first run of the project
    Initial,
    /// As a run that learns from the earlier ones
    Continuous,
    /// As a run: initial if it is the first one
    Structured,
}

/// What would be proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Proposal {
    mode: RunMode,
    reason: String,
    proposal: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Mode { mode: RunMode, reason: &'a str },
    Proposal(&'a Proposal),
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        if let Some(run) = &self.replay {
            let mode = if self.replay_strict { Differences::Refuse } else { Differences::Tell };
            return replay::again(run, mode, &self.driving, &start, output);
        }
        let budget = self.budget()?;
        if self.goal.is_roadmap()? {
            self.refuse_for_roadmaps()?;
            let filters = self.words.filters()?;
            return match self.dry_run {
                true => self.session.rehearse(filters, &self.driving, &start, output),
                false => self.session.carry(filters, &self.driving, &start, output),
            };
        }
        if let Some(wanted) = self.workflow(&start)? {
            return workflow::run(&wanted, budget, &start, &self.driving, output);
        }
        // All is understood before a project is begun for it.
        let request = self.words.request(&start)?;
        if self.goal.is_wanted() {
            if self.dry_run {
                return Err(Failure::new(Kind::Usage, "a goal in loops has no proposal that --dry-run could show")
                    .hint("leave out --dry-run; with --outline you approve a plan before anything is changed"));
            }
            return self.goal.carry(request, &self.driving, &start, output);
        }
        if self.dry_run && self.mode == Some(Mode::Simple) {
            return Err(Failure::new(Kind::Usage, "a simple task has no proposal that --dry-run could show")
                .hint("leave out --dry-run, or --mode simple"));
        }
        let mut opened = Opened::to_begin(&start, &self.driving.choice, output)?;
        say_what_lies_beside(opened.service.project(), output)?;
        if self.dry_run {
            return rehearse(opened, &request, output);
        }
        let chosen = opened.service.mode_of(&request);
        let is_simple = match self.mode {
            Some(mode) => mode == Mode::Simple,
            None => chosen.mode == RunMode::SimpleTask,
        };
        if is_simple {
            if self.mode.is_none() {
                let reason = format!("{}; --mode structured makes a run of it", chosen.reason);
                say_mode(&Chosen { reason, ..chosen }, output)?;
            }
            return at_once::answer(opened, &request, output);
        }
        let mode = match self.mode {
            Some(Mode::Initial) => Some(RunMode::InitialRun),
            Some(Mode::Continuous) => Some(RunMode::ContinuousRun),
            _ => None,
        };
        opened.service.set_budget(budget);
        let begun = opened.service.start(&request, mode)?;
        say_begun(&begun, output)?;
        opened.carry_on(&[begun.run], &self.driving, output)
    }
}

/// Whoever has documents and nothing in `assets/` is told where they belong: nothing else is read.
fn say_what_lies_beside(project: &Path, output: &mut Output) -> Result<(), Failure> {
    const READ: [&str; 9] = ["md", "txt", "csv", "tsv", "json", "jsonl", "html", "htm", "rst"];
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect()
    };
    let is_document = |name: &&String| {
        Path::new(name.as_str())
            .extension()
            .is_some_and(|ending| READ.iter().any(|known| ending.eq_ignore_ascii_case(known)))
    };
    if output.form() == Form::Json || !names(&project.join("assets")).is_empty() {
        return Ok(());
    }
    let beside = names(project);
    let mut endings: Vec<String> = beside
        .iter()
        .filter(is_document)
        .filter_map(|name| name.rsplit_once('.'))
        .map(|(_, ending)| format!("*.{ending}"))
        .collect();
    let count = endings.len();
    endings.sort();
    endings.dedup();
    if count > 0 {
        output.say(&format!(
            "{HINT}hint{HINT:#}: agents read what is in assets/, and nothing is there; for the {count} documents that lie beside it: \
             `mkdir -p assets && cp {} assets/`",
            endings.join(" ")
        ))?;
    }
    Ok(())
}

impl Arguments {
    /// The workflow that is asked for, if one is.
    fn workflow(&self, start: &Start) -> Result<Option<Wanted>, Failure> {
        let text = self.words.given();
        let invocation = match (&self.profile, text.as_deref().and_then(read_invocation)) {
            (Some(name), _) => Some(Invocation::Named(name.clone())),
            (None, invocation) => invocation,
        };
        let Some(invocation) = invocation else {
            if text.as_deref().is_some_and(|text| text.trim_start().starts_with("/orchestrator")) {
                let message = "that is no way to start a workflow: `/orchestrator` or `/orchestrator @NAME`, and nothing behind it";
                return Err(Failure::new(Kind::Usage, message)
                    .hint("`multiverse profile list` shows the names; an idea in words: `multiverse run --profile NAME \"…\"`"));
            }
            return match self.idea.is_some() || self.seed.is_some() {
                true => Err(Failure::new(Kind::Usage, "--idea and --seed belong to a workflow profile")
                    .hint("name one with --profile NAME")),
                false => Ok(None),
            };
        };
        let words = match (&self.profile, text) {
            (Some(_), Some(text)) if read_invocation(&text).is_none() => Some(self.words.request(start)?),
            _ => None,
        };
        Ok(Some(Wanted { invocation, idea: self.idea.clone(), words, seed: self.seed.unwrap_or_default() }))
    }

    /// What has no meaning for a roadmap is said before anything begins.
    fn refuse_for_roadmaps(&self) -> Result<(), Failure> {
        let hint = match (&self.mode, self.budget.as_slice()) {
            (Some(_), _) => "leave out --mode: the tasks of .jixo/ are run",
            (None, [_, ..]) => "leave out --budget: `quota` in the task file bounds the steps of each executor",
            (None, []) => return Ok(()),
        };
        Err(Failure::new(Kind::Usage, "--mode and --budget have no meaning for a roadmap").hint(hint))
    }

    /// What the run may use, as it was said.
    fn budget(&self) -> Result<Budget, Failure> {
        self.budget.iter().try_fold(Budget::default(), |budget, text| match Measure::Tokens.read(text) {
            Some((measure, bound)) if bound > 0 => Ok(budget.with(measure, bound)),
            _ => Err(Failure::new(Kind::Usage, format!("--budget {}: is no amount", visible::text(text)))
                .hint("for example: 200000 or 200k tokens, $5, 90m")),
        })
    }
}

/// Which run began, and how. A program hears of the run from the engine itself.
pub(crate) fn say_begun(begun: &Begun, output: &mut Output) -> Result<(), Failure> {
    // The view shows the run itself.
    if output.form() == Form::Text && !live::is_possible(output) {
        output.say(&format!("{PLACE}{}{PLACE:#} began", visible::text(&begun.run)))?;
    }
    say_mode(&begun.chosen, output)
}

/// The mode is said with its reason (MV-02).
fn say_mode(chosen: &Chosen, output: &mut Output) -> Result<(), Failure> {
    match output.form() {
        Form::Json => {
            output.json(&Line::Mode { mode: chosen.mode, reason: &chosen.reason })?;
            // What the engine says next does not come this way.
            output.finish()?;
        }
        Form::Text => {
            let mode = mode_word(chosen.mode);
            output.say(&format!("{HINT}{mode}{HINT:#}: {}", visible::text(&chosen.reason)))?;
        }
    }
    Ok(())
}

fn rehearse(mut opened: Opened, request: &str, output: &mut Output) -> Result<Exit, Failure> {
    signals::listen(output)?;
    let asked = opened.service.rehearse(request, signals::interrupt());
    let left = opened.close_without_trace();
    let rehearsal = asked?;
    match output.form() {
        Form::Json => {
            let (mode, reason) = (rehearsal.chosen.mode, rehearsal.chosen.reason);
            output.json(&Line::Proposal(&Proposal { mode, reason, proposal: rehearsal.proposal }))?;
        }
        Form::Text => {
            say_mode(&rehearsal.chosen, output)?;
            output.data(&format!("{}\n", visible::lines(rehearsal.proposal.trim())))?;
            output.say("nothing was begun: without --dry-run this would wait for your answer")?;
        }
    }
    Ok(if left.trouble.is_some() { Exit::Error } else { Exit::Done })
}
