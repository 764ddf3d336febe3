//! What a project of the protocol `profile` needs (PF-17). What is there stays as it is, but for the status: an old one is
//! archived whole, and a new one begins clean.

use dialect::profile::{ARCHIVE, ARTIFACTS, PROFILE_SCHEMA, PROFILES, SCHEMAS, SHIPPED, STATUS, STATUS_SCHEMA, TOOLS};
use dialect::profile::{idle_document, read_status, slug};
use store::{Commit, Fs, ProjectPath, What};

use super::PROTOCOL;
use crate::fault::EngineError;
use crate::service::Service;

/// The profile that a status names before any run.
const DEFAULT: &str = "default_fallback_profile";
/// Folders that are made although nothing is in them yet.
const FOLDERS: [&str; 3] = [ARTIFACTS, PROFILES, "ideas"];

impl<F: Fs> Service<F> {
    /// Makes what is not there; gives the documents that were made. A status that tells of something is archived first; while
    /// a run is open that is refused.
    pub fn init_profile(&mut self) -> Result<Vec<String>, EngineError> {
        self.engine.settle()?;
        for folder in FOLDERS {
            let path = ProjectPath::any(folder).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            self.engine.store.fs().make_folder(&path)?;
        }
        let idle = idle_document(DEFAULT);
        let shipped = SHIPPED.iter().map(|(name, text)| (format!("{PROFILES}/{name}"), (*text).to_string()));
        let mut wanted: Vec<(String, String)> = vec![
            (format!("{SCHEMAS}/workflow_profile.schema.json"), PROFILE_SCHEMA.into()),
            (format!("{SCHEMAS}/status.schema.json"), STATUS_SCHEMA.into()),
            ("tools/README.md".into(), TOOLS.into()),
            (STATUS.into(), idle.clone()),
        ];
        // Whoever has profiles of his own is not given others.
        if !self.has_profiles()? {
            wanted.extend(shipped);
        }
        self.adopt_if_there(wanted.iter().map(|(path, _)| path.as_str()))?;
        let mut changes = self.archived(&idle)?;
        let mut made: Vec<String> = changes.iter().map(|(path, _)| path.to_string()).collect();
        for (path, content) in wanted {
            let path = ProjectPath::document(&path).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
            if self.engine.store.read(&path).is_none() {
                made.push(path.to_string());
                changes.push((path, What::Create(content.into())));
            }
        }
        if !changes.is_empty() {
            let base = self.engine.store.head().number;
            self.engine.store.commit(Commit::new("project made", base, changes))?;
            self.engine.settle_head()?;
        }
        Ok(made)
    }

    fn has_profiles(&self) -> Result<bool, EngineError> {
        let folder = ProjectPath::any(PROFILES).map_err(|refusal| EngineError::refused(refusal.to_string(), ""))?;
        let names = self.engine.store.fs().list(&folder)?.unwrap_or_default();
        Ok(names.iter().any(|name| name.ends_with(".yaml") || name.ends_with(".yml")))
    }

    /// What archives the status that is there, if it tells of anything.
    fn archived(&self, idle: &str) -> Result<Vec<(ProjectPath, What)>, EngineError> {
        let refused = |refusal: store::PathRefusal| EngineError::refused(refusal.to_string(), "");
        let status = ProjectPath::document(STATUS).map_err(refused)?;
        let Some(old) = self.engine.store.read(&status).map(text::Text::to_vec) else { return Ok(Vec::new()) };
        let idle_here = dialect::profile::Schema::read(STATUS_SCHEMA).ok().map(|schema| read_status(&old, &schema));
        let is_idle = idle_here.as_ref().is_some_and(|read| read.complaints.is_empty() && read.run_id.is_none());
        if old == idle.as_bytes() || is_idle {
            return Ok(Vec::new());
        }
        let mut hosted = self.engine.state.hosted.iter();
        if let Some((run, _)) = hosted.find(|(_, run)| run.protocol() == PROTOCOL && !run.standing().is_over) {
            let hint = format!("`multiverse resume {run}` goes on with it, `multiverse cancel {run}` ends it");
            return Err(EngineError::refused(format!("the run {run} is not over: its status stays"), hint));
        }
        let of = idle_here.and_then(|read| read.run_id).map(|run| slug(&run)).filter(|run| !run.is_empty());
        let name = format!("{}_until_{}", of.unwrap_or_else(|| "unknown".into()), slug(&self.engine.now()));
        let path = ProjectPath::document(&format!("{ARCHIVE}/{name}/status.json")).map_err(refused)?;
        let kept = match self.engine.store.read(&path) {
            Some(_) => What::Write(old.into()),
            None => What::Create(old.into()),
        };
        Ok(vec![(path, kept), (status, What::Write(idle.as_bytes().to_vec().into()))])
    }
}
