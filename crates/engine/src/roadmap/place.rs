//! The copy in which an executor works: of the branch that the work goes to, or of the project's files where there is no
//! repository. The executor may do there what it likes; what it changed is seen afterwards from the files themselves, refused
//! where it is not its business (RM-17), and kept where it is not finished (RM-06).

use std::path::{Path, PathBuf};

use agent::{Brief, Ending, Report, ReportStatus};
use bytes::Bytes;
use machine::roadmap::Ground;
use store::ProjectPath;
use text::Text;
use tools::Stop;
use tools::git::{Change, Lent, NewCommit, ObjectId, Repository};

use super::aside::{self, About};
use super::checks::{self, Checks};
use super::copy::{GivenOut, give_out};
use super::repository::{ITEM, in_words, onto, stamp, work_name};
use super::worked::{Worked, strayed};
use crate::hosted::{Came, Workplace};
use crate::step::Output;

/// What stands in a copy for the agent's sake.
const EXCLUDED: [&str; 4] = ["/brief.json", "/report.json", "/.home/", "/.tmp/"];
/// The longest first line of a commit's message.
const SUBJECT: usize = 72;

/// Where one attempt at an item works.
#[derive(Debug)]
pub(super) struct ItemPlace {
    pub project: PathBuf,
    pub ground: Ground,
    pub run: String,
    pub fence: u64,
    pub item: String,
    /// What the item is called.
    pub objective: String,
    /// `<name>-<uuid>`, and the name alone.
    pub executor: String,
    pub name: String,
    /// When the attempt began, as facts spell it: the time of the commit that it leads to.
    pub since: String,
    pub dirs: Vec<String>,
    /// Where the work of the attempt before is kept.
    pub partial: Option<String>,
    /// Documents that are newer than their files.
    pub newer: Vec<(String, Text)>,
    pub checks: Checks,
    pub copy: Copied,
    pub stop: Stop,
}

/// The copy, once it is made.
#[derive(Debug, Default)]
pub(super) enum Copied {
    #[default]
    Nothing,
    Lent {
        repository: Box<Repository>,
        lent: Lent,
        /// Where the branch stood.
        head: ObjectId,
        /// Files in which two sides stand with git's marks between them.
        marked: Vec<PathBuf>,
    },
    Files {
        given: GivenOut,
        /// Files in which two sides stand with marks between them, as git writes them.
        marked: Vec<PathBuf>,
    },
}

/// What an executor left, before it is known what becomes of it.
#[derive(Debug, Default)]
struct Found {
    files: Vec<String>,
    /// Without a repository: the files themselves.
    outputs: Vec<Output>,
    /// With one: their tree.
    tree: Option<ObjectId>,
    /// What it may not do.
    problems: Vec<String>,
}

impl Workplace for ItemPlace {
    fn make(&mut self, within: &Path) -> Result<PathBuf, String> {
        let folder = match self.ground {
            Ground::Repository => self.lend(within)?,
            Ground::Files => {
                let folder = within.join("tree");
                let failed = |error: std::io::Error| format!("the project cannot be copied: {error}");
                let given = give_out(&self.project, &folder, &self.newer).map_err(failed)?;
                let partial = self.partial.as_ref();
                // What cannot be taken up again is done again.
                let marked = partial.and_then(|place| aside::put_back(&self.project, place, &folder, &given).ok());
                self.copy = Copied::Files { given, marked: marked.unwrap_or_default() };
                folder
            }
        };
        self.dirs.iter().for_each(|dir| make_folder(&folder, dir));
        Ok(folder)
    }

    /// A copy has all files already.
    fn is_laid_out(&self) -> bool {
        false
    }

    fn needs_files_in_place(&self) -> bool {
        false
    }

    fn watch(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    fn unmade(&mut self, reason: String) -> Came {
        Came::Paused(format!("no copy can be made for an executor: {reason}"))
    }

    fn came(&mut self, folder: &Path, brief: &Brief, ending: Ending) -> Option<Came> {
        let report = match ending {
            Ending::Report { report, .. } => report,
            Ending::Stopped => return Some(self.stopped(folder)),
            other => return Came::of(brief, folder, other),
        };
        let said = serde_json::to_string(&report).unwrap_or_default();
        Some(match report.status {
            ReportStatus::Done => self.done(folder, report).unwrap_or_else(|problems| Came::Broken { problems, said }),
            ReportStatus::Paused | ReportStatus::Question => self.unfinished(folder, report),
            ReportStatus::Failed => Came::of(brief, folder, Ending::Report { report, log: String::new() })?,
        })
    }
}

/// Where a planner works: its scratch folder, with what it may read. It changes nothing, and all that it says counts as it is
/// said: with a default where it asks, and as a pause where its steps ran out.
#[derive(Debug)]
pub(super) struct PlanPlace;

impl Workplace for PlanPlace {
    fn make(&mut self, within: &Path) -> Result<PathBuf, String> {
        Ok(within.to_path_buf())
    }

    fn needs_files_in_place(&self) -> bool {
        false
    }

    fn came(&mut self, folder: &Path, brief: &Brief, ending: Ending) -> Option<Came> {
        match ending {
            Ending::Report { report, .. } if report.status != ReportStatus::Failed => {
                Some(Came::Report { report: Box::new(report), outputs: Vec::new() })
            }
            other => Came::of(brief, folder, other),
        }
    }
}

/// A folder of the task is there, even if nothing is in it yet. No link is followed.
fn make_folder(copy: &Path, dir: &str) {
    let mut at = copy.to_path_buf();
    for part in dir.split('/') {
        at.push(part);
        let is_there = std::fs::symlink_metadata(&at).map(|found| found.is_dir());
        if !is_there.unwrap_or_else(|_| std::fs::create_dir(&at).is_ok()) {
            return;
        }
    }
}

impl ItemPlace {
    /// A copy of the branch as it is now, with the work of the attempt before on it.
    fn lend(&mut self, within: &Path) -> Result<PathBuf, String> {
        let repository = Repository::open(&self.project).map_err(in_words)?;
        let branch = onto(&repository, &self.run)?;
        let head = repository.branch_at(&branch).map_err(in_words)?;
        let head = head.ok_or_else(|| format!("the branch {branch} is gone: make it again, then `resume`"))?;
        let (commit, marked) = match self.partial.as_deref().and_then(ObjectId::read) {
            Some(partial) => self.on_top(&repository, &head, &partial)?,
            None => (head.clone(), Vec::new()),
        };
        let stamp = stamp(&self.name, &self.since);
        let lent = repository.lend_without(within, (&branch, &commit), &stamp, &EXCLUDED).map_err(in_words)?;
        let folder = lent.folder();
        self.copy = Copied::Lent { repository: Box::new(repository), lent, head, marked };
        Ok(folder)
    }

    /// Earlier work brought together with what the branch has by now; where they do not agree, both, with marks.
    fn on_top(
        &self,
        repository: &Repository,
        head: &ObjectId,
        partial: &ObjectId,
    ) -> Result<(ObjectId, Vec<PathBuf>), String> {
        let is_there = repository.has(partial).map_err(in_words)?;
        if !is_there || repository.is_ancestor(partial, head).map_err(in_words)? {
            return Ok((head.clone(), Vec::new()));
        }
        if repository.is_ancestor(head, partial).map_err(in_words)? {
            return Ok((partial.clone(), Vec::new()));
        }
        let (tree, clashes) = repository.merge_marked(head, partial).map_err(in_words)?;
        let stamp = stamp(&self.name, &self.since);
        let message = format!("Earlier work on item {}, with what others did since\n", self.item);
        let parents = vec![head.clone(), partial.clone()];
        let new = NewCommit { tree, parents, author: &stamp, committer: &stamp, message: &message };
        let commit = repository.commit(&new).map_err(in_words)?;
        Ok((commit, clashes.into_iter().map(|clash| clash.path).collect()))
    }

    /// What was done, ready to count.
    fn done(&self, folder: &Path, mut report: Report) -> Result<Came, Vec<String>> {
        let mut found = self.look(folder, &report).map_err(|problem| vec![problem])?;
        found.problems.extend(self.still_marked(folder));
        if !found.problems.is_empty() {
            return Err(found.problems);
        }
        let worked = self.worked(&found, &report.summary).map_err(|problem| vec![problem])?;
        // With a repository the checks run on what is integrated.
        if self.ground == Ground::Files && !self.checks.is_empty() {
            let ran = self.checks.run(folder, &self.stop, &|_| {});
            if let Some(error) = checks::complaint(&ran) {
                return Ok(Came::Failed { error, said: String::new() });
            }
        }
        report.outputs.clear();
        worked.put(&mut report);
        Ok(Came::Report { report: Box::new(report), outputs: found.outputs })
    }

    /// A pause or a question: what there is so far is kept for the next attempt, if it may be.
    fn unfinished(&self, folder: &Path, mut report: Report) -> Came {
        let found =
            self.look(folder, &report).ok().filter(|found| found.problems.is_empty() && !found.files.is_empty());
        let partial = found.and_then(|found| self.keep(&found, "it is not finished", &report.summary));
        report.outputs.clear();
        let (item, executor) = (self.item.clone(), self.executor.clone());
        Worked { item, executor, partial, ..Worked::default() }.put(&mut report);
        Came::Report { report: Box::new(report), outputs: Vec::new() }
    }

    /// It was told to stop: what there is so far is kept. If nobody hears of it any more, it lies there for a person.
    fn stopped(&self, folder: &Path) -> Came {
        let mut report = Report::done("it was stopped before it was done; what there is so far is kept");
        report.status = ReportStatus::Paused;
        match self.unfinished(folder, report) {
            Came::Report { report, outputs } if Worked::of(&report).partial.is_some() => {
                let mut report = report;
                if let Some(result) = report.result.as_object_mut() {
                    result.insert("blocker".into(), false.into());
                }
                Came::Report { report, outputs }
            }
            _ => Came::Lost("stopped".into()),
        }
    }

    /// What the executor changed, and what of it is not its business.
    fn look(&self, folder: &Path, report: &Report) -> Result<Found, String> {
        let handed = handed_over(report)?;
        let mut found = match &self.copy {
            Copied::Nothing => return Err("the copy is gone".into()),
            Copied::Lent { repository, lent, head, .. } => look_at_lent(repository, lent, head, handed)?,
            Copied::Files { given, .. } => look_at_files(given, folder, handed)?,
        };
        found.problems.extend(strayed(found.files.iter().map(String::as_str), &self.dirs));
        Ok(found)
    }

    /// Files in which two sides stood and nobody chose.
    fn still_marked(&self, folder: &Path) -> Vec<String> {
        let (Copied::Lent { marked, .. } | Copied::Files { marked, .. }) = &self.copy else { return Vec::new() };
        let has_marks = |path: &&PathBuf| {
            let content = std::fs::read(folder.join(path)).unwrap_or_default();
            content.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"<<<<<<< "))
        };
        let told = |path: &PathBuf| format!("{}: the marks of a conflict are still in it: choose", path.display());
        marked.iter().filter(has_marks).map(told).collect()
    }

    fn worked(&self, found: &Found, summary: &str) -> Result<Worked, String> {
        let before = match &self.copy {
            Copied::Files { given, .. } => aside::before_of(given, &found.outputs),
            _ => Default::default(),
        };
        let commit = self.commit(found, summary)?.map(|commit| commit.as_str().to_string());
        let (item, executor) = (self.item.clone(), self.executor.clone());
        Ok(Worked { item, executor, commit, files: found.files.clone(), before, ..Worked::default() })
    }

    /// The work as a commit that no branch leads to, kept under a name of ours; nothing where nothing changed.
    fn commit(&self, found: &Found, summary: &str) -> Result<Option<ObjectId>, String> {
        let (Copied::Lent { repository, lent, .. }, Some(tree)) = (&self.copy, &found.tree) else { return Ok(None) };
        if found.files.is_empty() {
            return Ok(None);
        }
        let stamp = stamp(&self.name, &self.since);
        let subject: String = self.objective.chars().filter(|letter| !letter.is_control()).take(SUBJECT).collect();
        let message = format!("{subject}\n\n{}\n\n{ITEM}{}\nExecutor: {}\n", summary.trim(), self.item, self.executor);
        let (tree, parents) = (tree.clone(), vec![lent.commit.clone()]);
        let new = NewCommit { tree, parents, author: &stamp, committer: &stamp, message: &message };
        let commit = repository.commit(&new).map_err(in_words)?;
        repository.keep(&work_name(&self.run, self.fence), &commit).map_err(in_words)?;
        Ok(Some(commit))
    }

    /// Keeps unfinished work; gives where. What cannot be kept is done again.
    fn keep(&self, found: &Found, why: &str, summary: &str) -> Option<String> {
        match &self.copy {
            Copied::Nothing => None,
            Copied::Lent { .. } => self.commit(found, summary).ok().flatten().map(|commit| commit.as_str().to_string()),
            Copied::Files { given, .. } => {
                let about = About {
                    run: self.run.clone(),
                    item: self.item.clone(),
                    executor: self.executor.clone(),
                    why: why.into(),
                    summary: summary.into(),
                    commit: String::new(),
                    before: aside::before_of(given, &found.outputs),
                };
                aside::keep(&self.project, self.fence, &about, &found.outputs).ok()
            }
        }
    }
}

/// Files whose content stands in the report itself. They are never written into the copy: a link there could lead anywhere.
fn handed_over(report: &Report) -> Result<Vec<Output>, String> {
    let with_content = report.outputs.iter().filter_map(|output| Some((&output.path, output.content.as_ref()?)));
    let one = |(path, content): (&String, &String)| {
        let path = ProjectPath::document(path).map_err(|refusal| refusal.to_string())?;
        Ok(Output { path, content: Bytes::from(content.clone()) })
    };
    with_content.map(one).collect()
}

fn look_at_lent(repository: &Repository, lent: &Lent, head: &ObjectId, handed: Vec<Output>) -> Result<Found, String> {
    let mut tree = repository.examine(lent).map_err(in_words)?.tree;
    if !handed.is_empty() {
        let put = |output: Output| Change::Put { path: output.path.as_str().into(), content: output.content.to_vec() };
        let changes: Vec<Change> = handed.into_iter().map(put).collect();
        tree = repository.tree_with(Some(&tree), &changes).map_err(in_words)?;
    }
    let between = repository.measure(head, &tree).map_err(in_words)?;
    let files = between.files.iter().map(|file| file.path.display().to_string()).collect();
    Ok(Found { files, tree: Some(tree), ..Found::default() })
}

fn look_at_files(given: &GivenOut, folder: &Path, handed: Vec<Output>) -> Result<Found, String> {
    let differs = given.compare(folder)?;
    let mut outputs = differs.outputs;
    for one in handed {
        outputs.retain(|other| other.path != one.path);
        outputs.push(one);
    }
    outputs.sort_by(|one, other| one.path.cmp(&other.path));
    let gone =
        |path: &String| format!("{path}: was removed; without a repository nothing is ever removed: put it back");
    let problems = differs.gone.iter().map(gone).collect();
    let files = outputs.iter().map(|output| output.path.to_string()).collect();
    Ok(Found { files, outputs, problems, ..Found::default() })
}
