//! What is done for a piece of work of a session: agents plan and do items, code integrates.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use machine::Role;
use machine::roadmap::{Attempt, Entry, Ground, Session, Work};
use tools::Stop;

use super::brief::brief;
use super::checks::Checks;
use super::place::{Copied, ItemPlace, PlanPlace};
use super::repository::Integrating;
use crate::hosted::{Came, Deed, Site};

/// The folder of an attempt's own.
pub(super) fn folder(project: &Path, run: &str, fence: u64) -> PathBuf {
    project.join(".multiverse/scratch").join(run).join(fence.to_string())
}

/// What is to be done for an attempt. `recent` are entries of the work log, the newest first.
pub(super) fn deed(session: &Session, attempt: &Attempt, recent: &VecDeque<Entry>, site: &Site<'_>) -> Deed {
    if let Work::Integrate(item) = &attempt.work {
        return integrate(session, attempt, item, site);
    }
    let casting = site.settings.casting_of(&session.id);
    let (usual, part) = match attempt.work {
        Work::Plan(_) => (Role::Planner, "planner"),
        _ => (Role::Executor, "executor"),
    };
    let Some(backend) = casting.crew.get(&usual).cloned() else {
        // Nobody can go on before somebody is there to play the part.
        return Deed::AtOnce(Came::Paused(format!("nobody plays the {part}: name an agent with --agent")));
    };
    let brief = Box::new(brief(session, attempt, recent, site));
    match &attempt.work {
        Work::Do(item) => Deed::At(brief, backend, Box::new(place(session, attempt, item, site))),
        Work::Plan(_) | Work::Integrate(_) => Deed::At(brief, backend, Box::new(PlanPlace)),
    }
}

fn place(session: &Session, attempt: &Attempt, item: &str, site: &Site<'_>) -> ItemPlace {
    let known = session.pool.item(item);
    let is_own = |path: &String| *path == session.task_file || *path == session.log_file;
    let newer = match session.ground {
        Ground::Files => (site.newer)().into_iter().filter(|(path, _)| !is_own(path)).collect(),
        Ground::Repository => Vec::new(),
    };
    ItemPlace {
        project: site.settings.project.clone(),
        ground: session.ground,
        run: session.id.clone(),
        fence: attempt.fence,
        item: item.into(),
        objective: known.map_or_else(|| item.to_string(), machine::roadmap::Item::objective),
        executor: attempt.executor.clone(),
        name: attempt.name.clone(),
        since: attempt.since.clone(),
        dirs: session.dirs.clone(),
        partial: known.and_then(|item| item.partial.clone()),
        newer,
        checks: Checks::of(&site.settings.roadmap),
        copy: Copied::default(),
        stop: Stop::new(),
    }
}

fn integrate(session: &Session, attempt: &Attempt, item: &str, site: &Site<'_>) -> Deed {
    let waiting = session.integrations.iter().map(|(_, one)| one).find(|one| one.item == item);
    let Some(what) = waiting.cloned() else {
        let error = format!("nothing of item {item} is to be integrated");
        return Deed::AtOnce(Came::Failed { error, said: String::new() });
    };
    let project = site.settings.project.clone();
    let integrating = Integrating {
        within: folder(&project, &session.id, attempt.fence),
        project,
        run: session.id.clone(),
        what,
        objective: session.pool.item(item).map_or_else(|| item.to_string(), machine::roadmap::Item::objective),
        beside: vec![PathBuf::from(&session.log_file), PathBuf::from(&session.task_file)],
        checks: Checks::of(&site.settings.roadmap),
    };
    Deed::Apart(Box::new(move |stop, say| match integrating.run(stop, say) {
        Ok(value) => Came::Done(value),
        Err(_) if stop.is_stopped() => Came::Lost("stopped".into()),
        Err(error) => Came::Failed { error, said: String::new() },
    }))
}
