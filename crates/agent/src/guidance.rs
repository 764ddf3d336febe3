//! Owns what a project keeps for agents in general: `AGENTS.md` files, and skills, which are folders with a `SKILL.md`, or
//! files in `.jixo/skills` (RM-14). They are found by their places, and offered as files of a brief. Must not know who is given them, nor follow them.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{DirEntry, File};
use std::io::Read;
use std::path::Path;

use crate::contract::{Access, BriefFile};
use crate::words::quote;

/// The file with instructions for agents; one in a folder is for what lies below it.
const INSTRUCTIONS_FILE: &str = "AGENTS.md";
/// The file that makes a folder a skill.
const SKILL_FILE: &str = "SKILL.md";
/// Where skills are looked for, each a folder in one of these. The first of a name counts.
const SKILL_FOLDERS: [&str; 6] =
    [OWN_SKILLS, "skills", ".agents/skills", ".claude/skills", ".codex/skills", ".github/skills"];
/// Where a skill may be a file of its own.
const OWN_SKILLS: &str = ".jixo/skills";
/// Folders in which nobody keeps instructions.
const PASSED_OVER: [&str; 7] = ["node_modules", "target", "vendor", "runs", "outputs", "db", "dist"];

/// The most of each that is offered, and how far it is looked.
const MOST_INSTRUCTIONS: usize = 50;
const MOST_SKILLS: usize = 100;
const MOST_FOLDERS: usize = 5_000;
/// The most of a `SKILL.md` that is read for what it says of itself.
const HEAD_BYTES: u64 = 64 << 10;
/// The most of a skill that is handed out, in bytes.
const SKILL_BYTES: u64 = 256 << 10;
/// The longest description that is told, in letters.
const DESCRIPTION: usize = 1_024;

/// Why a brief names an `AGENTS.md`.
const FOR_AGENTS: &str = "instructions for agents";
/// Why it names a skill: this, its name, a colon and what it is for.
const SKILL: &str = "skill ";

/// What was found in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guidance {
    /// The folders that have an `AGENTS.md`, from the project's root, which is empty; the outer before the inner.
    pub folders: Vec<String>,
    pub skills: Vec<Skill>,
    /// What could not be used, and why.
    pub problems: Vec<String>,
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file, from the project's root.
    pub path: String,
}

impl Guidance {
    /// Looks for it. Links are followed to ordinary files in the project only.
    pub fn find(project: &Path) -> Self {
        let mut found = Self::default();
        let Ok(root) = project.canonicalize() else { return found };
        found.find_instructions(&root);
        let mut skills = BTreeMap::new();
        for folder in SKILL_FOLDERS {
            for entry in entries(&root.join(folder)) {
                let Some(name) = entry.file_name().to_str().map(String::from) else { continue };
                let path = match name.strip_suffix(".md") {
                    Some(_) if folder == OWN_SKILLS => format!("{folder}/{name}"),
                    _ => format!("{folder}/{name}/{SKILL_FILE}"),
                };
                if skills.len() < MOST_SKILLS && is_file_of(&root, &path) {
                    match skill(&root, &path, &name) {
                        Ok(skill) => drop(skills.entry(skill.name.clone()).or_insert(skill)),
                        Err(problem) => found.problems.push(problem),
                    }
                }
            }
        }
        found.skills = skills.into_values().collect();
        found
    }

    fn find_instructions(&mut self, root: &Path) {
        let mut waiting = VecDeque::from([String::new()]);
        let mut looked = 0;
        while let Some(folder) = waiting.pop_front() {
            looked += 1;
            if looked > MOST_FOLDERS || self.folders.len() >= MOST_INSTRUCTIONS {
                self.problems
                    .push(format!("not every folder was looked at for {INSTRUCTIONS_FILE}: there are too many"));
                return;
            }
            if is_file_of(root, &below(&folder, INSTRUCTIONS_FILE)) {
                self.folders.push(folder.clone());
            }
            for entry in entries(&root.join(&folder)) {
                let name = entry.file_name().to_str().map(String::from).unwrap_or_default();
                let is_looked_at = !name.is_empty() && !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str());
                if is_looked_at && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push_back(below(&folder, &name));
                }
            }
        }
    }

    /// The whole of a skill, by its name; or why it cannot be had, with the names that there are.
    pub fn skill(&self, project: &Path, name: &str) -> Result<String, String> {
        let wanted = name.trim().trim_end_matches(".md").trim_end_matches(".skill");
        let Some(skill) = self.skills.iter().find(|skill| skill.name.eq_ignore_ascii_case(wanted)) else {
            let names: Vec<&str> = self.skills.iter().map(|skill| skill.name.as_str()).collect();
            let there =
                if names.is_empty() { "there are none".into() } else { format!("there are: {}", names.join(", ")) };
            return Err(format!("there is no skill `{}`; {there}", quote(name, 80)));
        };
        let unread = |why: String| format!("the skill `{}` cannot be read: {why}", skill.name);
        let root = project.canonicalize().map_err(|error| unread(error.to_string()))?;
        if !is_file_of(&root, &skill.path) {
            return Err(unread(format!("{} is gone, or leads out of the project", skill.path)));
        }
        let mut bytes = Vec::new();
        let file = File::open(root.join(&skill.path)).map_err(|error| unread(error.to_string()))?;
        file.take(SKILL_BYTES).read_to_end(&mut bytes).map_err(|error| unread(error.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.skills.is_empty()
    }

    /// What of it is for a brief with these files: the root's instructions, those of folders that it has files of, and all
    /// skills.
    pub fn for_files(&self, files: &[BriefFile]) -> Vec<BriefFile> {
        let bears = |folder: &&String| folder.is_empty() || files.iter().any(|file| is_below(folder, &file.path));
        let readable = |path: String, why: String| BriefFile { path, why, access: Access::Read };
        let instructions = self.folders.iter().filter(bears);
        let instructions = instructions.map(|folder| readable(below(folder, INSTRUCTIONS_FILE), FOR_AGENTS.into()));
        let skills = self.skills.iter().map(|skill| {
            let why = format!("{SKILL}{}: {}", skill.name, skill.description);
            readable(skill.path.clone(), why)
        });
        instructions.chain(skills).collect()
    }
}

/// What a file of a brief is, if it is guidance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guide<'a> {
    Instructions,
    /// Its name, and what it is for.
    Skill(&'a str, &'a str),
}

/// Whether a file of a brief is guidance, and which.
pub(crate) fn guide(file: &BriefFile) -> Option<Guide<'_>> {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    match name {
        INSTRUCTIONS_FILE if file.why == FOR_AGENTS => Some(Guide::Instructions),
        name if name == SKILL_FILE || file.path.starts_with(OWN_SKILLS) && name.ends_with(".md") => {
            let (name, description) = file.why.strip_prefix(SKILL)?.split_once(": ")?;
            Some(Guide::Skill(name, description))
        }
        _ => None,
    }
}

/// The folder of the skill that a file of a brief is, if it is one: all that lies in it belongs to the skill.
pub fn skill_folder(file: &BriefFile) -> Option<&str> {
    let is_folder = file.path.ends_with(SKILL_FILE);
    (is_folder && matches!(guide(file), Some(Guide::Skill(..))))
        .then(|| file.path.rsplit_once('/').map(|(folder, _)| folder))
        .flatten()
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

fn is_below(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// What a folder holds, by name; nothing if it is none.
fn entries(folder: &Path) -> Vec<DirEntry> {
    let mut entries: Vec<DirEntry> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(DirEntry::file_name);
    entries
}

fn is_file_of(root: &Path, path: &str) -> bool {
    let real = root.join(path).canonicalize();
    real.is_ok_and(|real| real.starts_with(root) && real.is_file())
}

/// What a `SKILL.md` says of itself in its front matter.
fn skill(root: &Path, path: &str, folder: &str) -> Result<Skill, String> {
    let mut bytes = Vec::new();
    let read = File::open(root.join(path)).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| format!("{path} cannot be read: {error}"))?;
    let document = syntax::markdown::Document::parse(bytes);
    let front = document.front_matter();
    let value = |key: &str| {
        let text = front.as_ref().and_then(|front| front.value(key)).unwrap_or_default();
        quote(&text.split_whitespace().collect::<Vec<_>>().join(" "), DESCRIPTION)
    };
    let (name, mut description) = (value("name"), value("description"));
    let is_own = path.starts_with(OWN_SKILLS);
    if description.is_empty() && is_own {
        description = first_line(&document);
    }
    if description.is_empty() {
        return Err(format!("{path} is left out: its front matter has no `description`"));
    }
    let stem = if is_own { folder.trim_end_matches(".md").trim_end_matches(".skill") } else { folder };
    let name = if name.is_empty() { stem.to_string() } else { name };
    if name.contains(':') {
        return Err(format!("{path} is left out: its name has a colon in it"));
    }
    Ok(Skill { name, description, path: path.into() })
}

/// What the first line behind the front matter says, without the mark of a heading.
fn first_line(document: &syntax::markdown::Document) -> String {
    let text = String::from_utf8_lossy(&document.to_bytes()).into_owned();
    let body = match text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---")) {
        Some((_, body)) => body,
        None => text.as_str(),
    };
    let line = body.lines().map(|line| line.trim().trim_start_matches('#').trim()).find(|line| !line.is_empty());
    quote(line.unwrap_or_default(), DESCRIPTION)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let place = folder.path().join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, text).unwrap();
        }
        folder
    }

    fn file(path: &str) -> BriefFile {
        BriefFile { path: path.into(), why: "input".into(), access: Access::Read }
    }

    /// MV-31: what is offered is chosen by what the work is about.
    #[test]
    fn instructions_and_skills_are_found_and_chosen() {
        let folder = project(&[
            ("AGENTS.md", "Be brief."),
            ("assets/AGENTS.md", "Sums in euros."),
            ("assets/deep/er/AGENTS.md", "x"),
            ("node_modules/x/AGENTS.md", "not this"),
            ("runs/run-1/AGENTS.md", "nor this"),
            (".git/AGENTS.md", "nor that"),
            ("skills/sums/SKILL.md", "---\nname: sums\ndescription: >\n  Adds up\n  columns.\n---\n# Sums\n"),
            (".claude/skills/sums/SKILL.md", "---\nname: sums\ndescription: another\n---\n"),
            (".claude/skills/plain/SKILL.md", "---\ndescription: \"Plain: words\"\n---\n"),
            ("skills/bare/SKILL.md", "# Nothing said\n"),
            ("skills/readme.md", "x"),
        ]);
        let found = Guidance::find(folder.path());
        assert_eq!(found.folders, ["", "assets", "assets/deep/er"]);
        let told: Vec<String> =
            found.skills.iter().map(|one| format!("{} | {} | {}", one.name, one.description, one.path)).collect();
        assert_eq!(
            told,
            ["plain | Plain: words | .claude/skills/plain/SKILL.md", "sums | Adds up columns. | skills/sums/SKILL.md"]
        );
        assert_eq!(found.problems, ["skills/bare/SKILL.md is left out: its front matter has no `description`"]);
        let paths =
            |files: &[BriefFile]| -> Vec<String> { found.for_files(files).into_iter().map(|file| file.path).collect() };
        let skills = [".claude/skills/plain/SKILL.md", "skills/sums/SKILL.md"];
        assert_eq!(paths(&[]), [&["AGENTS.md"], &skills[..]].concat());
        assert_eq!(paths(&[file("assets/a.csv")]), [&["AGENTS.md", "assets/AGENTS.md"], &skills[..]].concat());
        assert_eq!(paths(&[file("assetsx/a.csv")]), [&["AGENTS.md"], &skills[..]].concat());
        let offered = found.for_files(&[]);
        assert_eq!(guide(&offered[0]), Some(Guide::Instructions));
        assert_eq!(guide(&offered[1]), Some(Guide::Skill("plain", "Plain: words")));
        assert_eq!(skill_folder(&offered[2]), Some("skills/sums"));
        assert_eq!(guide(&file("skills/sums/SKILL.md")), None, "one that is an input is an input");
    }

    /// RM-14: skills of a roadmap are files by name, handed out whole; what is none is named with those that there are.
    #[test]
    fn rm14_skills_are_handed_out_by_name() {
        let folder = project(&[
            (".jixo/skills/knots.md", "# How to tie knots\n\nOver, under.\n"),
            (".jixo/skills/sails.skill.md", "---\nname: sails\ndescription: Mend sails\n---\nSew.\n"),
            (".jixo/skills/ropes/SKILL.md", "---\ndescription: Splice ropes\n---\nSplice.\n"),
            ("skills/knots/SKILL.md", "---\nname: knots\ndescription: other knots\n---\n"),
        ]);
        let found = Guidance::find(folder.path());
        let told: Vec<String> = found.skills.iter().map(|one| format!("{}: {}", one.name, one.description)).collect();
        assert_eq!(told, ["knots: How to tie knots", "ropes: Splice ropes", "sails: Mend sails"]);
        assert_eq!(found.skill(folder.path(), "knots").unwrap(), "# How to tie knots\n\nOver, under.\n");
        assert!(found.skill(folder.path(), "Sails.skill.md").unwrap().ends_with("Sew.\n"));
        let missing = found.skill(folder.path(), "../secret").unwrap_err();
        assert_eq!(missing, "there is no skill `../secret`; there are: knots, ropes, sails");
        let offered = found.for_files(&[]);
        assert_eq!(guide(&offered[0]), Some(Guide::Skill("knots", "How to tie knots")));
        assert_eq!(skill_folder(&offered[0]), None);
    }

    /// QL-30: a link leads to files of the project only.
    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let outside = project(&[("secret", "x")]);
        let folder = project(&[("notes/real.md", "y")]);
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("AGENTS.md")).unwrap();
        assert!(Guidance::find(folder.path()).is_empty());
        fs::remove_file(folder.path().join("AGENTS.md")).unwrap();
        std::os::unix::fs::symlink("notes/real.md", folder.path().join("AGENTS.md")).unwrap();
        assert_eq!(Guidance::find(folder.path()).folders, [""]);
    }
}
