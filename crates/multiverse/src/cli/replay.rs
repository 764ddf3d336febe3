//! `multiverse run --replay`: the request of an earlier run carried out again from the recordings of its agents. Says what
//! was told to agents otherwise than then.

use std::sync::Arc;

use engine::Role;
use engine::agent::{Differences, Replay};
use serde::Serialize;

use super::agents::ROLES;
use super::carry::{Driving, Opened, missing_of};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output, counted};
use super::progress::Shown;
use super::project::Start;
use super::run::say_begun;
use super::{agents, signals, visible};

/// What is said of runs of which nothing was kept.
const UNRECORDED: &str = "only runs whose agents were recorded can be replayed";

/// The most differences that are shown.
const SHOWN: usize = 20;

/// What a program is told.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Replayed(&'a Replayed<'a>),
}

#[derive(Serialize)]
struct Replayed<'a> {
    /// The recorded run.
    run: &'a str,
    #[serde(flatten)]
    steps: Option<Steps<'a>>,
    differences: &'a [String],
}

/// What was done of a run whose steps were decided again.
#[derive(Serialize)]
struct Steps<'a> {
    decided: usize,
    given: usize,
    briefs: usize,
    documents: Vec<&'a str>,
}

/// Carries the request of a recorded run out again.
pub(crate) fn again(
    name: &str,
    mode: Differences,
    driving: &Driving,
    start: &Start,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = start.project_of_runs()?;
    start.say_project(&project, output)?;
    let run = engine::calls::find(&project, name)?;
    let replay = Replay::of_steps(&engine::calls::folder(&project, &run), &run, mode)
        .map_err(|message| Failure::new(Kind::Missing, message).hint(UNRECORDED))?;
    let mut settings = agents::without_agents(&project, output)?;
    let replay = Arc::new(replay.with_prompts(settings.prompts()));
    // Nobody waits for anything.
    settings.notify = engine::Notify::default();
    settings.repeats = Some(run.clone());
    settings.guided =
        ROLES.into_iter().filter(|(name, _)| replay.guided().contains(*name)).map(|(_, role)| role).collect();
    settings.tools = replay.tools().unwrap_or(settings.tools);
    [Role::Planner, Role::Executor].into_iter().for_each(|role| settings.play(role, replay.clone()));
    let mut opened = Opened::with(settings, missing_of, output, Shown::All)?;
    let view = opened.full_view(&run).ok_or_else(|| {
        Failure::new(Kind::Missing, format!("nothing is known of {}", visible::text(&run)))
            .hint("`multiverse status --all` lists the runs")
    })?;
    // A machine of its own cannot begin again: repositories, documents, the words of others are not what they were.
    if view.protocol.is_some() {
        return step_by_step(opened, &run, &replay, mode, output);
    }
    if replay.roles().is_empty() {
        let message = format!("no agent call of {} was recorded", visible::text(&run));
        return Err(Failure::new(Kind::Missing, message).hint(UNRECORDED));
    }
    let said = opened.service.said_to(&run)?;
    let mut budget = opened.service.budget_of(&run)?;
    if budget.seconds.take().is_some() {
        replay.leave_time_aside();
    }
    opened.service.set_budget(budget);
    signals::listen(output)?;
    let begun = opened.service.start(&view.request, view.mode)?;
    say_begun(&begun, output)?;
    output.say(&format!("no agent is asked: {} is replayed", visible::text(&run)))?;
    let runs = [begun.run];
    for input in said {
        opened.service.drive(&runs, signals::interrupt())?;
        // Where it does not come to the same question, nothing is answered.
        if opened.service.send(&runs[0], input).is_err() {
            break;
        }
    }
    let exit = opened.carry_on(&runs, driving, output)?;
    say_differences(&Replayed { run: &run, steps: None, differences: &replay.differences() }, output)?;
    Ok(exit)
}

/// A run of a machine of its own: each of its steps once more, where it stood. No run begins, and nothing is changed.
fn step_by_step(
    opened: Opened,
    run: &str,
    replay: &Arc<Replay>,
    mode: Differences,
    output: &mut Output,
) -> Result<Exit, Failure> {
    output.say(&format!("no agent is asked: the steps of {} are decided again", visible::text(run)))?;
    let found = opened.service.repeat(run, replay.clone())?.unwrap_or_default();
    let (decided, given) = (counted(found.decided, "step"), counted(found.given, "other"));
    let (documents, briefs) = (counted(found.documents.len(), "document"), counted(found.briefs, "brief"));
    output.say(&format!("{decided} decided again, {given} taken as they were; {documents} written, {briefs} made"))?;
    let steps = Steps {
        decided: found.decided,
        given: found.given,
        briefs: found.briefs,
        documents: found.documents.iter().map(String::as_str).collect(),
    };
    say_differences(&Replayed { run, steps: Some(steps), differences: &found.differences }, output)?;
    if let Some(trouble) = opened.close().trouble {
        return Err(trouble);
    }
    match (mode, found.differences.is_empty()) {
        (Differences::Refuse, false) => Ok(Exit::Failed),
        _ => Ok(Exit::Done),
    }
}

fn say_differences(replayed: &Replayed<'_>, output: &mut Output) -> Result<(), Failure> {
    let Replayed { run, differences, .. } = replayed;
    if output.form() == Form::Json {
        return Ok(output.json(&Line::Replayed(replayed))?);
    }
    for difference in differences.iter().take(SHOWN) {
        output.say(&format!("other than recorded: {}", visible::text(difference)))?;
    }
    match differences.len() {
        0 => output.say(&format!("agents would have been told the same as in {}", visible::text(run)))?,
        count if count > SHOWN => output.say(&format!("and {} more", counted(count - SHOWN, "difference")))?,
        _ => {}
    }
    Ok(())
}
