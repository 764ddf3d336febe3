//! How a cycle begins: one goal at a time, numbered by those in the archive; a record that is in the archive gives way.

use dialect::cycle::{ARCHIVE, CURRENT, cycle_id, folders, initial_documents, read_archive_name};
use machine::cycle::{self, Fact, Goal, Ground, Upfront};
use store::{Commit, Fs, ProjectPath, What};
use text::Text;

use super::{PROTOCOL, follow, in_world, repository};
use crate::fault::EngineError;
use crate::hosted::{Beginning, Followed, Hosted, World};
use crate::service::Service;
use crate::step::Order;

/// What a cycle begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CycleStart {
    /// What is to be reached.
    pub goal: String,
    /// What is so, line by line.
    pub current_state: Vec<String>,
    /// Documents to know, from the project's root.
    pub context_docs: Vec<String>,
    /// Whether a plan of the whole comes first.
    pub wants_outline: bool,
}

/// The same with what is known of the archive.
#[derive(Debug)]
struct Begins {
    goal: Goal,
    /// The records that are in the archive, by path.
    archived: Vec<String>,
}

impl Beginning for Begins {
    fn begin(&self, id: &str, world: &World<'_>) -> Result<Followed, EngineError> {
        let is_open = |(_, run): &(&String, &Box<dyn Hosted>)| run.protocol() == PROTOCOL && !run.standing().is_over;
        if let Some((other, _)) = world.runs.iter().find(is_open) {
            let hint = format!("`multiverse resume {other}` goes on with it, `multiverse cancel {other}` ends it");
            return Err(EngineError::refused(format!("the goal of {other} is not over: one goal at a time"), hint));
        }
        let empty = named_cycle(id, &self.goal)?;
        let decision = in_world(&empty, world, |inner, limits| {
            cycle::start(id, &self.goal, inner, limits).map_err(EngineError::from)
        })?;
        let is_kept =
            |text: &Text| self.archived.iter().any(|path| (world.read)(path).is_some_and(|kept| kept == *text));
        follow(id, None, decision, world, &is_kept)
    }
}

fn named_cycle(id: &str, goal: &Goal) -> Result<cycle::Cycle, EngineError> {
    let started = Fact::Started {
        cycle_id: goal.cycle_id.clone(),
        goal_number: goal.number,
        goal: goal.text.clone(),
        current_state: Vec::new(),
        context_docs: Vec::new(),
        ground: goal.ground,
        upfront: goal.upfront,
        loops: 1,
        seconds: None,
        at: String::new(),
        definition: String::new(),
    };
    let mut cycle = None;
    cycle::apply(&mut cycle, id, &started);
    cycle.ok_or_else(|| crate::step::unknown_run(id))
}

impl<F: Fs> Service<F> {
    /// Makes what a project of cycles needs and does not have (CY-17); gives the documents that were made.
    pub fn init_cycle(&mut self) -> Result<Vec<String>, EngineError> {
        let refused = |refusal: store::PathRefusal| EngineError::refused(refusal.to_string(), "");
        for folder in folders() {
            self.engine.store.fs().make_folder(&ProjectPath::any(folder).map_err(refused)?)?;
        }
        self.adopt_if_there(initial_documents().iter().map(|(path, _)| *path))?;
        let (mut made, mut changes) = (Vec::new(), Vec::new());
        for (path, content) in initial_documents() {
            let path = ProjectPath::document(path).map_err(refused)?;
            if self.engine.store.read(&path).is_none() {
                made.push(path.to_string());
                changes.push((path, What::Create(content.into())));
            }
        }
        if !changes.is_empty() {
            let base = self.engine.store.head().number;
            self.engine.store.commit(Commit::new("project of cycles made", base, changes))?;
            self.engine.settle_head()?;
        }
        Ok(made)
    }

    /// Begins a cycle. It is not driven yet beyond its first commit: [`Service::drive`] does that.
    pub fn start_cycle(&mut self, start: CycleStart) -> Result<String, EngineError> {
        self.engine.settle()?;
        self.init_cycle()?;
        let archived = self.archived_records()?;
        self.adopt_if_there(archived.iter().map(String::as_str).chain([CURRENT]))?;
        let ground = match repository::is_ground(&self.engine.settings.project)? {
            true => Ground::Repository,
            false => Ground::Files,
        };
        let number = u32::try_from(archived.len()).unwrap_or(u32::MAX).saturating_add(1);
        let day = self.engine.now().chars().take(10).collect::<String>();
        let taken = |id: &str| self.engine.state.hosted.contains_key(&run_id(id)) || self.knew_cycle(id, &archived);
        let cycle_id = cycle_id(&day, &taken);
        let goal = Goal {
            cycle_id: cycle_id.clone(),
            number,
            text: start.goal,
            current_state: start.current_state,
            context_docs: start.context_docs,
            ground,
            upfront: if start.wants_outline { Upfront::Asked } else { Upfront::NotAsked },
            definition: self.engine.settings.cycle.digest(),
        };
        let id = run_id(&cycle_id);
        self.send_order(Order::Begin { id: id.clone(), beginning: Box::new(Begins { goal, archived }) })?;
        Ok(id)
    }

    /// The records in the archive, by path from the project's root.
    fn archived_records(&self) -> Result<Vec<String>, EngineError> {
        let folder = ProjectPath::any(ARCHIVE).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
        let names = self.engine.store.fs().list(&folder)?;
        let mut paths: Vec<String> = names
            .into_iter()
            .flatten()
            .filter(|name| read_archive_name(name).is_some())
            .map(|name| format!("{ARCHIVE}/{name}"))
            .collect();
        paths.sort();
        Ok(paths)
    }

    /// Whether a cycle of this id is in the archive, or in the record that is there.
    fn knew_cycle(&self, id: &str, archived: &[String]) -> bool {
        let heading = format!("# Cycle: {id}");
        let begins = |path: &str| {
            let text = self.engine.content_of(path).map(|text| text.to_vec()).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().any(|line| line.trim() == heading)
        };
        begins(CURRENT) || archived.iter().any(|path| begins(path))
    }
}

/// The run of a cycle.
fn run_id(cycle_id: &str) -> String {
    format!("run-{cycle_id}")
}
