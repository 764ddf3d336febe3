//! An idea taken through a workflow profile: which profile, which idea, which gates people decide; then the run is carried on
//! like any other. What a profile means is the engine's business.

mod idea;

use std::path::Path;

use engine::workflows::{Invocation, Profile, choose, env_value, human_gates};
use engine::{Budget, ProfileStart};

use super::carry::{Driving, Opened};
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, HINT, Output, PLACE};
use super::profile::shelf::{Shelf, Stored};
use super::project::{BELOW, Start};
use super::snippet::{self, ProblemView};
use super::visible;

/// The largest `.env` that is read, in bytes.
const ENV_BYTES: u64 = 1024 * 1024;

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) invocation: Invocation,
    pub(crate) idea: Option<String>,
    /// The idea itself, if it came in words.
    pub(crate) words: Option<String>,
    pub(crate) seed: u64,
}

/// Begins a run of a workflow, and carries it on.
pub(crate) fn run(
    wanted: &Wanted,
    budget: Budget,
    start: &Start,
    driving: &Driving,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let project = start.project_of_runs().unwrap_or_else(|_| start.project_or_new());
    let env = read_env(&project)?;
    let shelf = Shelf::near(start)?;
    let stored = chosen(&shelf, &wanted.invocation, &env)?;
    let profile = checked(stored, output)?;
    let steps = profile.phases.iter().flat_map(|phase| &phase.steps);
    let roles: Vec<&str> = steps.filter(|step| step.gate.is_none()).map(|step| step.role.as_str()).collect();
    driving.choice.refuse_other_roles(&distinct(roles))?;
    // All is understood before a project is begun for it.
    let idea = idea::find(wanted, &project, &env)?;
    let mut opened = Opened::to_begin_workflow(start, &driving.choice, output)?;
    opened.service.set_budget(budget);
    let idea = idea.written(&project)?;
    let human_gates = human_gates(&env);
    let unknown: Vec<&String> =
        human_gates.iter().filter(|gate| profile.gates.iter().all(|one| one.id != **gate)).collect();
    for gate in unknown {
        output.say(&format!(
            "{HINT}note{HINT:#}: .env names the gate {}, which the profile {} does not have",
            visible::text(gate),
            visible::text(&profile.name)
        ))?;
    }
    let (name, headline) = (profile.name.clone(), idea.headline.clone());
    let definition = engine::definition_of(&stored.bytes);
    let run =
        opened.service.start_profile(ProfileStart { profile, definition, idea, human_gates, seed: wanted.seed })?;
    if output.form() == Form::Text {
        output.say(&format!(
            "{PLACE}{}{PLACE:#} began: {} with the profile {}",
            visible::text(&run),
            visible::short(&headline, 80),
            visible::text(&name)
        ))?;
    }
    opened.carry_on(&[run], driving, output)
}

/// Takes up a run that the status tells of and the journal does not know, if it is the one that is meant: it was begun by
/// another program, or came without its journal.
pub(crate) fn take_up(
    opened: &mut Opened,
    start: &Start,
    name: Option<&str>,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some((run, profile)) = opened.service.stranded_workflow() else { return Ok(()) };
    if name.is_some_and(|name| name != "last" && !run.starts_with(name)) {
        return Ok(());
    }
    let env = read_env(opened.service.project())?;
    let shelf = Shelf::near(start)?;
    let stored = shelf.named(&profile)?;
    let profile = checked(stored, output)?;
    opened.service.take_over_profile(&run, profile, engine::definition_of(&stored.bytes), human_gates(&env))?;
    output.say(&format!(
        "{PLACE}{}{PLACE:#} goes on from its status: the journal did not know it",
        visible::text(&run)
    ))?;
    Ok(())
}

fn distinct(names: Vec<&str>) -> Vec<&str> {
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(*name)).collect()
}

/// The roles of a run that only its workflow knows.
pub(crate) fn roles_of(opened: &Opened, run: &str) -> Vec<String> {
    let details = opened.service.view(run).and_then(|view| view.details).unwrap_or_default();
    let roles = details["roles"].as_array().into_iter().flatten();
    roles.filter_map(|role| role.as_str().map(String::from)).collect()
}

/// A workflow that was changed since its run began is noticed: the run keeps the one that it began with (QL-27).
pub(crate) fn tell_changed(opened: &Opened, run: &str, start: &Start, output: &mut Output) -> Result<(), Failure> {
    let view = opened.service.view(run).filter(|view| view.protocol == Some("profile"));
    let (Some(details), Ok(shelf)) = (view.and_then(|view| view.details), Shelf::near(start)) else { return Ok(()) };
    let word = |key: &str| details[key].as_str().unwrap_or_default().to_owned();
    let (name, definition) = (word("profile"), word("definition"));
    let is_of_it = |stored: &&Stored| {
        let is_named = stored.read.profile.as_ref().is_some_and(|profile| profile.name == name);
        is_named || Path::new(&stored.path).file_stem().is_some_and(|stem| *stem == *name)
    };
    let files: Vec<&Stored> = shelf.stored.iter().filter(is_of_it).collect();
    let is_same = files.iter().any(|stored| engine::definition_of(&stored.bytes) == definition);
    if !files.is_empty() && !is_same && !definition.is_empty() {
        output.say(&format!(
            "{HINT}note{HINT:#}: the profile {} was changed since this run began; it goes on with the one it began with",
            visible::text(&name)
        ))?;
    }
    Ok(())
}

/// The profile that is meant (guard rule 1).
fn chosen<'s>(shelf: &'s Shelf, invocation: &Invocation, env: &str) -> Result<&'s Stored, Failure> {
    if let Invocation::Named(name) = invocation {
        return shelf.named(name);
    }
    let profiles: Vec<Profile> = shelf.valid().map(|(_, profile)| profile.clone()).collect();
    let preferred = variable("ORCHESTRATOR_PROFILE", env);
    let profile = choose(invocation, preferred.as_deref(), &profiles).map_err(|refusal| {
        let hint = refusal.hint.replace(":\n  ", ": ").replace("\n  ", "; ");
        Failure::new(Kind::Refused, refusal.reason).hint(hint)
    })?;
    shelf.named(&profile.name)
}

/// The profile, if nothing is wrong with it; else all that is.
fn checked(stored: &Stored, output: &mut Output) -> Result<Profile, Failure> {
    if let Some(profile) = &stored.read.profile {
        return Ok(profile.clone());
    }
    if output.form() == Form::Text {
        for one in &stored.read.complaints {
            let span = snippet::word_at(&stored.bytes, one.line, one.column);
            let (message, hint) = (format!("{}: {}", one.field, one.reason), Some(one.hint.as_str()));
            let (path, line, column, document) = (stored.path.as_str(), one.line, one.column, stored.bytes.as_slice());
            let message = message.as_str();
            output.warn(&snippet::render(&ProblemView { path, line, column, message, hint, document, span }))?;
        }
    }
    let first = stored.read.complaints.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("{} is no valid profile: {}", visible::text(&stored.path), visible::text(&first));
    Err(Failure::new(Kind::Document, message)
        .hint(format!("mend it; `multiverse profile validate {}` checks it whole", visible::text(&stored.path))))
}

/// A variable of the environment, else of `.env`.
fn variable(name: &str, env: &str) -> Option<String> {
    let own = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    own.or_else(|| env_value(env, name).map(str::to_owned))
}

/// `.env`, as far as it is there: beside the tree, else in the folder that the tree stands in.
fn read_env(project: &Path) -> Result<String, Failure> {
    let above = project.parent().filter(|_| project.ends_with(BELOW) && !project.join(".env").exists());
    let place = above.unwrap_or(project).join(".env");
    match std::fs::metadata(&place) {
        Ok(found) if found.is_file() && found.len() <= ENV_BYTES => match std::fs::read(&place) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()),
            Err(error) => Err(Failure::reading(Path::new(".env"), &error)),
        },
        Ok(_) => Err(Failure::new(Kind::NotADocument, "cannot use .env: it is no file of at most 1 MiB")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(Failure::reading(Path::new(".env"), &error)),
    }
}
