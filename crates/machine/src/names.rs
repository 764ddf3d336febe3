//! How things are called: works, targets, roles, states, and the paths of a run. Nothing is decided here.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use crate::hierarchy::{Hierarchy, Source};
use crate::input::{Complaint, Input, Outcome, Refusal};
use crate::item::{Target, Timing};
use crate::plan::files_of_plan;
use crate::run::{Course, Role, Run, Status, Work};

impl Work {
    /// What its tries are kept under: one for each piece of work.
    pub fn key(&self) -> String {
        match self {
            Self::Plan(Target::Prelude) => "plan prelude".into(),
            Self::Plan(Target::Proposal) => "plan proposal".into(),
            Self::Plan(Target::Children(id)) => ["plan ", id].concat(),
            Self::Plan(Target::Tools(id, timing)) => format!("plan {} {id}", timing.word()),
            Self::Execute(id) => ["execute ", id].concat(),
            Self::SetUp(id) => ["set_up ", id].concat(),
            Self::Catalog(id) => ["catalog ", id].concat(),
        }
    }

    /// The part that whoever does it plays.
    pub fn role(&self) -> Role {
        match self {
            Self::Plan(_) => Role::Planner,
            Self::Execute(_) | Self::SetUp(_) | Self::Catalog(_) => Role::Executor,
        }
    }

    /// The word for it in a brief: `plan_stages`, `propose`, `execute`.
    pub fn action(&self, hierarchy: &Hierarchy, run: &Run) -> &'static str {
        let plans = |level: usize| match hierarchy.levels.get(level).map(|level| level.source) {
            Some(Source::Planner { action }) => action,
            Some(Source::Template) | None => "plan",
        };
        match self {
            Self::Plan(Target::Prelude) => plans(hierarchy.task_level()),
            Self::Plan(Target::Proposal) => "propose",
            Self::Plan(Target::Children(id)) => plans(run.item(id).map_or(0, |item| item.level + 1)),
            Self::Plan(Target::Tools(..)) => plans(hierarchy.tool_level()),
            Self::Execute(_) => "execute",
            Self::SetUp(_) => "set_up",
            Self::Catalog(_) => "catalog",
        }
    }
}

impl Target {
    /// As briefs and reports spell it (`plan_target`).
    pub fn spelled(&self, hierarchy: &Hierarchy, run: &Run) -> String {
        self.spelled_with(hierarchy, |id| run.item(id).map(|item| item.level))
    }

    pub(crate) fn spelled_with(&self, hierarchy: &Hierarchy, level_of: impl Fn(&str) -> Option<usize>) -> String {
        match self {
            Self::Prelude => "phase:0".into(),
            Self::Proposal => "proposal".into(),
            Self::Children(id) if id.is_empty() => "run".into(),
            Self::Children(id) => {
                let level = level_of(id).and_then(|level| hierarchy.levels.get(level));
                format!("{}:{id}", level.map_or("item".into(), |level| level.name.replace([' ', '-'], "_")))
            }
            Self::Tools(id, Timing::Pre) => format!("pre_tool:{id}"),
            Self::Tools(id, Timing::Post) => format!("post_tool:{id}"),
        }
    }
}

impl Input {
    /// Every path of which the engine must say whether it exists, as the machine of this run will ask for it.
    pub fn named_paths(&self, hierarchy: &Hierarchy, run_id: &str, run: Option<&Run>) -> BTreeSet<String> {
        match self {
            Self::Report { fence, outcome } => {
                let mut paths = outcome.named_paths(run_id);
                let work = run.and_then(|run| Some((run, &run.attempts.get(fence)?.work)));
                if let (Some((run, Work::Plan(target))), Outcome::Plan(rows)) = (work, outcome) {
                    paths.extend(files_of_plan(hierarchy, run, target, rows));
                }
                paths
            }
            Self::Edited { items } => {
                let paths =
                    items.iter().flat_map(|item| item.inputs.iter().chain(&item.guidelines).chain([&item.output]));
                as_asked(paths, run_id)
            }
            Self::Wake
            | Self::Claim
            | Self::Release
            | Self::Answer { .. }
            | Self::Tell { .. }
            | Self::Pause { .. }
            | Self::Resume
            | Self::Cancel { .. } => BTreeSet::new(),
        }
    }
}

impl Outcome {
    /// Every path of which the engine must say whether it exists, as the machine of this run will ask for it.
    pub fn named_paths(&self, run_id: &str) -> BTreeSet<String> {
        match self {
            Self::Plan(rows) => {
                let paths = rows.iter().flat_map(|row| row.inputs.iter().chain(&row.guidelines).chain([&row.output]));
                as_asked(paths, run_id)
            }
            Self::Proposal(_)
            | Self::Done { .. }
            | Self::Catalog { .. }
            | Self::Question(_)
            | Self::Paused(_)
            | Self::Later { .. }
            | Self::Broken(_)
            | Self::Failed(_)
            | Self::Lost(_) => BTreeSet::new(),
        }
    }
}

/// Those that are not paths at all are left out: they are refused whether or not something is there.
fn as_asked<'p>(paths: impl Iterator<Item = &'p String>, run_id: &str) -> BTreeSet<String> {
    paths.filter_map(|path| normal_path(path, run_id).ok()).collect()
}

/// A path as it is compared: from the project's root, `workspace/…` alone being the run's own. Else, why not.
pub(crate) fn normal_path(path: &str, run_id: &str) -> Result<String, &'static str> {
    let path = path.trim();
    if path.is_empty() {
        return Err("is empty");
    }
    if path.contains('\\') {
        return Err("has a backslash; write / between folders");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Err("is absolute; write it from the project's root");
    }
    if path.chars().any(char::is_control) {
        return Err("has a control character");
    }
    if path.ends_with('/') || path.ends_with("/.") || path == "." {
        return Err("is a folder; name a file");
    }
    let mut normal = String::with_capacity(path.len());
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            return Err("has `..`; write it from the project's root");
        }
        if part.len() > NAME_BYTES {
            return Err("has a name of more than 255 bytes");
        }
        if normal.is_empty() && part == "workspace" {
            normal = format!("runs/{run_id}");
        }
        if !normal.is_empty() {
            normal.push('/');
        }
        normal.push_str(part);
    }
    Ok(normal)
}

/// The longest name that file systems have.
const NAME_BYTES: usize = 255;

/// Where a run publishes.
pub(crate) fn outputs_of(run_id: &str) -> String {
    ["outputs/", run_id, "/"].concat()
}

/// Where a run works.
pub(crate) fn workspace_of(run_id: &str) -> String {
    format!("runs/{run_id}/workspace/")
}

/// The layer in whose folder of the workspace a file is.
pub(crate) fn layer_in_path(path: &str) -> &str {
    let below = path.split_once("/workspace/").map_or("", |(_, below)| below);
    below.split_once('/').map_or("", |(layer, _)| layer)
}

/// A path of one run as a path of another; others stay.
pub(crate) fn in_run(path: &str, old: &str, new: &str) -> String {
    for folder in ["runs", "outputs"] {
        if let Some(rest) = path.strip_prefix(&format!("{folder}/{old}/")) {
            return format!("{folder}/{new}/{rest}");
        }
    }
    path.to_string()
}

/// What follows the last dot of a file's name.
pub(crate) fn extension_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Where a run stands, in words.
pub(crate) fn state_of(run: &Run) -> String {
    let status = match run.status {
        Status::Pending => "PENDING",
        Status::AwaitingConfirmation => "AWAITING_CONFIRMATION",
        Status::Completed => "COMPLETED",
        Status::Failed => "FAILED",
    };
    let doing = match run.course {
        Course::Planning => ", its preparation is being planned",
        Course::SettingUp => ", its folders are being made",
        Course::Proposing => ", its proposal is being drafted",
        Course::Gate => ", its proposal waits for an answer",
        Course::Preparing => ", it is being prepared",
        Course::Working => ", it is being worked on",
        Course::Over => "",
    };
    if run.paused.is_none() && run.exhausted.is_some() {
        return format!("{status}{doing}, and its budget is used up");
    }
    match (&run.paused, run.rests.values().next()) {
        (Some(reason), _) => format!("{status}{doing}, and paused ({reason})"),
        (None, Some(rest)) => format!("{status}{doing}, and rests until {} ({})", rest.until, rest.reason),
        (None, None) => format!("{status}{doing}"),
    }
}

/// What can be done with a run as it stands.
pub(crate) fn valid_commands(run: &Run) -> String {
    match (run.status, run.course) {
        (Status::Failed, _) => return "`retry` starts a new run that takes over all that was done".into(),
        (Status::Completed, _) => return "nothing changes a completed run; `run` starts another".into(),
        (Status::Pending | Status::AwaitingConfirmation, _) => {}
    }
    let gate = if run.course == Course::Gate { "`confirm`, `modify`, " } else { "" };
    let tell = if run.questions.is_empty() && run.exhausted.is_none() { "" } else { "`answer`, " };
    let pause = if run.paused.is_some() { "`resume`" } else { "`pause`" };
    format!("valid now: {gate}{tell}{pause}, `cancel`")
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "row {}, column {}: {}", self.row, self.column, self.reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.reason, self.hint)
    }
}

impl core::error::Error for Refusal {}
