//! `multiverse run --replay`: the request of an earlier run carried out again from the recordings of its agents. Says what
//! was told to agents otherwise than then.

use std::sync::Arc;

use engine::agent::{Differences, Replay};
use engine::{Role, Settings};

use super::agents::ROLES;
use super::carry::{Driving, Opened, missing_of};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Output, counted};
use super::progress::Shown;
use super::project::Start;
use super::run::say_begun;
use super::{models, signals, visible};

/// The most differences that are shown.
const SHOWN: usize = 20;

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
    let replay = Replay::open(&engine::calls::folder(&project, &run), &run, mode).map_err(|message| {
        Failure::new(Kind::Missing, message).hint("only runs whose agents were recorded can be replayed")
    })?;
    let prompts = models::prompts(&project)?;
    let replay = Arc::new(replay.with_prompts(prompts.clone()));
    let mut settings = Settings::new(project.clone());
    settings.prompts = Some(prompts);
    settings.guidance = Arc::new(engine::agent::Guidance::find(&project));
    settings.guided =
        ROLES.into_iter().filter(|(name, _)| replay.guided().contains(*name)).map(|(_, role)| role).collect();
    settings.tools = replay.tools().unwrap_or(settings.tools);
    [Role::Planner, Role::Executor].into_iter().for_each(|role| settings.play(role, replay.clone()));
    let mut opened = Opened::with(settings, missing_of, output, Shown::All)?;
    let view = opened.full_view(&run).ok_or_else(|| {
        Failure::new(Kind::Missing, format!("nothing is known of {}", visible::text(&run)))
            .hint("`multiverse status --all` lists the runs")
    })?;
    // A machine of its own would have to be begun on the ground of then: repositories, documents, other people's words.
    if let Some(protocol) = view.protocol {
        let message = format!("{} is a run of {protocol}, which cannot be replayed", visible::text(&run));
        let hint = "what its agents were asked and said is in .multiverse/calls/; `multiverse logs RUN` tells it";
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    let said = opened.service.said_to(&run)?;
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
    let differences = replay.differences();
    for difference in differences.iter().take(SHOWN) {
        output.say(&format!("other than recorded: {}", visible::text(difference)))?;
    }
    match differences.len() {
        0 => output.say(&format!("agents would have been told the same as in {}", visible::text(&run)))?,
        count if count > SHOWN => output.say(&format!("and {} more", counted(count - SHOWN, "difference")))?,
        _ => {}
    }
    Ok(exit)
}
