//! A step of a realization (PF-10): whoever plays the role works in a copy of the workspace's repository; what was done there
//! comes back as one commit by the role, and its artifacts as files of the project. The branch of the workspace follows
//! the journal, not the agent. What a repository is asked and what stops a step: [`crate::realization`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Adapter, Backend, Brief, BriefFile, Ending, Job, Pace, Report, ReportOutput};
use dialect::profile::{artifact_path, workspace};
use machine::profile::{Attempt, CommitNote, Mode, PlannedStep, Run, StepKind};
use serde_json::{Value, json};
use store::ProjectPath;
use tools::Stop;

use super::deed::brief;
use super::played::played;
use crate::hosted::{Came, Deed, Site, Workplace};
use crate::realization::{Halt, Lent, Settled, StepDone, Taken, Workspace};
use crate::step::Output;

/// Where the commit of a step stands in what its place reports. Whatever an agent puts there itself is overwritten.
const COMMIT: &str = "commit";

/// Who does what for an attempt, in the workspace of its idea.
pub(super) fn deed(run: &Run, attempt: &Attempt, step: &PlannedStep, site: &Site<'_>) -> Deed {
    let project = &site.settings.project;
    let casting = site.settings.casting_of(&run.id);
    let has_adapter = Adapter::is_in(&project.join(workspace(&run.idea.id)));
    let chosen = casting.player(&step.step.role).filter(|_| casting.is_chosen(&step.step.role));
    let backend: Arc<dyn Backend> = match chosen {
        Some(backend) => backend,
        None if has_adapter => Arc::new(Adapter::default()),
        None => {
            // How often it was done, not how often it was begun: what a killed process began leaves no trace in the end.
            let done = run.commits.iter().filter(|commit| commit.step_id == step.step.id).count();
            let attempt =
                Attempt { number: u32::try_from(done).unwrap_or(u32::MAX).saturating_add(1), ..attempt.clone() };
            Arc::new(Prepared(prepared(run, played(run, &attempt, step, site))))
        }
    };
    let brief = brief_of(run, attempt, step, site);
    Deed::At(Box::new(brief), backend, place_of(run, attempt, step, site))
}

/// The brief of an attempt, for whoever works in the copy.
pub(super) fn brief_of(run: &Run, attempt: &Attempt, step: &PlannedStep, site: &Site<'_>) -> Brief {
    let mut brief = brief(run, attempt, step, site);
    let here = |name: &str| format!("{}/{name}", Adapter::ARTIFACTS);
    brief.expects.outputs = step.step.required_outputs.iter().map(|name| here(name)).collect();
    // The copy has everything that steps before left: in its commits, or beside them where a gate left it.
    let of_the_copy = |file: BriefFile| {
        let artifact = run.artifacts.values().find(|artifact| artifact.path == file.path)?;
        Some(BriefFile { path: here(&artifact.name), ..file })
    };
    brief.files = std::mem::take(&mut brief.files).into_iter().filter_map(of_the_copy).collect();
    if let Some(context) = brief.context.as_object_mut() {
        context.insert("artifacts_dir".into(), json!(Adapter::ARTIFACTS));
        context.insert("commit_message".into(), json!(format!("<type>({}): <what>", step.step.role)));
    }
    brief
}

/// The copy in which it is done.
pub(super) fn place_of(run: &Run, attempt: &Attempt, step: &PlannedStep, site: &Site<'_>) -> Box<dyn Workplace> {
    Box::new(StepPlace {
        shown: shown(run, step, site),
        project: site.settings.project.clone(),
        run: run.clone(),
        step: step.clone(),
        since: attempt.since.clone(),
        lent: None,
        is_halted: false,
    })
}

/// The records of gates before a step, with their bytes. A name that another step leaves, too, is in the commits.
fn shown(run: &Run, step: &PlannedStep, site: &Site<'_>) -> Vec<(String, Vec<u8>)> {
    let is_committed = |name: &String| {
        let others = run.plan.iter().filter(|other| other.step.kind != StepKind::Gate);
        others.flat_map(|other| &other.step.required_outputs).any(|other| other == name)
    };
    let gates = run.plan.iter().take(step.index).filter(|other| other.step.kind == StepKind::Gate);
    let names = gates.flat_map(|gate| &gate.step.required_outputs).filter(|name| !is_committed(name));
    let content = |name: &String| Some((name.clone(), (site.read)(&run.artifacts.get(name)?.path)?.to_vec()));
    names.filter_map(content).collect()
}

/// The branch of the workspace, and its files where nobody changed them, follow what the journal knows. Safe to repeat.
/// Gives what a person should know.
pub(super) fn settle(run: &Run, project: &Path) -> Option<String> {
    if run.profile.mode != Mode::Realization || run.commits.is_empty() {
        return None;
    }
    match opened(run, project).and_then(|workspace| workspace.settle(&known(run))) {
        Ok(Settled::Already | Settled::Done) => None,
        Ok(Settled::BranchOnly(why)) => {
            let folder = workspace(&run.idea.id);
            Some(format!("{folder}: the branch has the run's last commit, and the files were left alone: {why}"))
        }
        Err(halt) => Some(halt.to_string()),
    }
}

/// The commit that a place reports with a step's work.
pub(super) fn commit_of(run: &Run, step: &PlannedStep, result: &Value) -> Option<CommitNote> {
    let commit = result.get(COMMIT).filter(|_| run.profile.mode == Mode::Realization)?;
    let text = |name: &str| commit.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (step_id, role) = (step.step.id.clone(), step.step.role.clone());
    Some(CommitNote { step_id, role, sha: text("sha"), message: text("message"), at: text("at") })
}

fn opened(run: &Run, project: &Path) -> Result<Workspace, Halt> {
    Workspace::open(project, &workspace(&run.idea.id), seconds(&run.started_at))
}

fn known(run: &Run) -> Vec<String> {
    run.commits.iter().map(|commit| commit.sha.clone()).collect()
}

fn seconds(at: &str) -> i64 {
    at.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second).unwrap_or_default()
}

/// The copy in which one step is done.
struct StepPlace {
    /// What gates left: no commit holds it, and whoever comes later may read it.
    shown: Vec<(String, Vec<u8>)>,
    project: PathBuf,
    run: Run,
    step: PlannedStep,
    /// When the attempt began: the time of its commit.
    since: String,
    lent: Option<Lent>,
    /// Whether a person must do something before the step can begin.
    is_halted: bool,
}

impl Workplace for StepPlace {
    fn make(&mut self, within: &Path) -> Result<PathBuf, String> {
        let made = opened(&self.run, &self.project).and_then(|workspace| {
            let from = workspace.ready(&known(&self.run))?;
            workspace.lend(within, &from, &self.step.step.role, &self.shown)
        });
        match made {
            Ok(lent) => Ok(self.lent.insert(lent).folder()),
            Err(halt) => {
                self.is_halted = !halt.is_the_steps_own();
                Err(halt.to_string())
            }
        }
    }

    fn unmade(&mut self, reason: String) -> Came {
        if self.is_halted { Came::Paused(reason) } else { Came::Failed { error: reason, said: String::new() } }
    }

    fn came(&mut self, folder: &Path, brief: &Brief, ending: Ending) -> Option<Came> {
        let (mut report, outputs) = match Came::of(brief, folder, ending)? {
            Came::Report { report, outputs } => (report, outputs),
            other => return Some(other),
        };
        let taken = self.taken(folder, &report, outputs);
        Some(match taken {
            Ok((commit, outputs)) => {
                if !report.result.is_object() {
                    report.result = json!({});
                }
                if let Some(result) = report.result.as_object_mut() {
                    result.insert(COMMIT.into(), commit);
                }
                report.outputs.clear();
                Came::Report { report, outputs }
            }
            Err(halt) if halt.is_the_steps_own() => {
                let said = serde_json::to_string(&report).unwrap_or_default();
                Came::Broken { problems: vec![halt.to_string()], said }
            }
            Err(halt) => Came::Failed { error: halt.to_string(), said: String::new() },
        })
    }
}

impl StepPlace {
    /// What was done in the copy, as a commit that no branch leads to yet; and the artifacts, as files of the project.
    fn taken(&self, folder: &Path, report: &Report, outputs: Vec<Output>) -> Result<(Value, Vec<Output>), Halt> {
        let lent = self.lent.as_ref().ok_or_else(|| file_fault(folder, "the copy is gone"))?;
        for Output { path, content } in &outputs {
            // What stands in the report and not in the folder belongs to the work as well.
            let file = folder.join(path.as_str());
            let is_there = std::fs::read(&file).is_ok_and(|found| found == **content);
            if !is_there {
                let written = file.parent().map_or(Ok(()), std::fs::create_dir_all);
                let written = written.and_then(|()| std::fs::write(&file, content));
                written.map_err(|error| file_fault(&file, &error.to_string()))?;
            }
        }
        let role = &self.step.step.role;
        let roles = self.run.plan.iter().map(|step| &step.step.role);
        let others: Vec<String> = roles.filter(|other| *other != role).cloned().collect();
        let own_words = report.result.get("commit_message").and_then(Value::as_str).map(str::trim);
        let own_words = own_words.filter(|words| !words.is_empty()).unwrap_or(&report.summary);
        let done = StepDone {
            step: &self.step.step.id,
            kind: self.step.step.kind.word(),
            role,
            others: &others,
            summary: own_words.lines().next().unwrap_or_default(),
            outputs: &self.step.step.required_outputs,
            at: seconds(&self.since),
        };
        let taken = opened(&self.run, &self.project)?.take(lent, &done)?;
        self.check_written(&taken)?;
        let commit = json!({"sha": taken.commit.as_str(), "message": taken.message, "at": self.since});
        let prefix = format!("{}/", Adapter::ARTIFACTS);
        let named = outputs.into_iter().filter_map(|output| {
            let name = output.path.as_str().strip_prefix(&prefix)?.to_owned();
            Some((name, output.content))
        });
        let mut all: Vec<(String, bytes::Bytes)> = named.collect();
        for (name, content) in taken.artifacts {
            if !all.iter().any(|(other, _)| *other == name) {
                all.push((name, content.into()));
            }
        }
        let mut files = Vec::with_capacity(all.len());
        for (name, content) in all {
            let path = artifact_path(&self.run.idea.headline, &self.run.idea.id, &name);
            let path =
                ProjectPath::document(&path).map_err(|refusal| file_fault(Path::new(&name), &refusal.to_string()))?;
            files.push(Output { path, content });
        }
        Ok((commit, files))
    }
}

impl StepPlace {
    /// A required output is written in this run: what an earlier one left in the repository is none.
    fn check_written(&self, taken: &Taken) -> Result<(), Halt> {
        let is_new = |name: &&String| taken.artifacts.iter().any(|(other, _)| other == *name);
        let required = self.step.step.required_outputs.iter();
        let stale: Vec<String> =
            required.filter(|name| !is_new(name) && !self.run.has_output(name)).map(|name| name.to_owned()).collect();
        if stale.is_empty() {
            return Ok(());
        }
        Err(Halt::Misdeed {
            step: self.step.step.id.clone(),
            role: self.step.step.role.clone(),
            what: format!("{} as it was before this run", stale.join(", ")),
            way_out: "a required output is written anew in each run".into(),
        })
    }
}

fn file_fault(path: &Path, why: &str) -> Halt {
    tools::git::GitFault::File { path: path.into(), why: why.into() }.into()
}

/// Nobody was chosen and there is no adapter: what the engine plays, brought as an agent would bring it.
struct Prepared(Ending);

fn prepared(run: &Run, came: Came) -> Ending {
    match came {
        Came::Report { mut report, outputs } => {
            let folder = artifact_path(&run.idea.headline, &run.idea.id, "");
            let here = |path: &str| path.strip_prefix(&folder).map(|name| format!("{}/{name}", Adapter::ARTIFACTS));
            let output = |output: &Output| ReportOutput {
                path: here(output.path.as_str()).unwrap_or_default(),
                content: Some(String::from_utf8_lossy(&output.content).into_owned()),
            };
            report.outputs = outputs.iter().map(output).collect();
            let names: Vec<&str> = outputs.iter().filter_map(|one| one.path.as_str().strip_prefix(&folder)).collect();
            if !names.is_empty() {
                report.summary = format!("{}, played by the engine", names.join(", "));
            }
            Ending::Report { report: *report, log: String::new() }
        }
        Came::Broken { problems, said } => Ending::Broken { problems, said, log: String::new() },
        Came::Failed { error, said } => Ending::Failed { error, log: said },
        _ => Ending::Failed { error: "nobody plays this".into(), log: String::new() },
    }
}

impl Backend for Prepared {
    fn name(&self) -> String {
        "the engine".into()
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn is_guided(&self) -> bool {
        false
    }

    fn work(&self, _job: &Job, _stop: &Stop, _say: &dyn Fn(&str)) -> Ending {
        self.0.clone()
    }
}

/// Whether a step is done in the workspace.
pub(super) fn is_realized(run: &Run, step: &PlannedStep) -> bool {
    run.profile.mode == Mode::Realization && step.step.kind != StepKind::Gate
}
