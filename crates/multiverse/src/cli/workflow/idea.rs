//! Which idea a workflow is about (PF-16): words, a name, what a context file says, or the only idea there is.

use std::path::{Path, PathBuf};

use engine::IdeaText;
use serde::Deserialize;

use super::super::failure::{Failure, Kind};
use super::super::request::bytes_of;
use super::super::visible;
use super::{Wanted, variable};

/// The folder of ideas.
const IDEAS: &str = "ideas";
/// The file that says which idea is active.
const CONTEXT: &str = "ideas/context.json";
/// The most ideas that a message names.
const NAMED: usize = 20;
/// The longest headline, in characters.
const HEADLINE: usize = 120;

/// The idea that was found; if it came in words, it is still to be written.
#[derive(Debug)]
pub(super) struct Found {
    idea: IdeaText,
    content: Option<String>,
}

/// What a context file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Context {
    #[serde(alias = "id", alias = "idea_id", alias = "idea")]
    active_idea_id: String,
    #[serde(alias = "headline")]
    active_idea_headline: String,
    owner: String,
}

/// The idea that is meant.
pub(super) fn find(wanted: &Wanted, project: &Path, env: &str) -> Result<Found, Failure> {
    if let Some(words) = &wanted.words {
        return Ok(in_words(words, wanted.idea.as_deref()));
    }
    let context = read_context(project)?;
    let named = wanted.idea.clone().or_else(|| variable("ORCHESTRATOR_IDEA", env));
    let named = named.or_else(|| Some(context.active_idea_id.clone()).filter(|id| !id.is_empty()));
    let known = known(project);
    let id = match (named, known.as_slice()) {
        (Some(name), _) => name.strip_suffix(".md").unwrap_or(&name).to_string(),
        (None, [only]) => only.clone(),
        (None, []) => {
            return Err(Failure::new(Kind::Missing, "there is no idea to work on").hint(
                "write ideas/NAME.md: what is wanted, and how one would see that it is there; or say it: \
                 `multiverse run --profile NAME \"what is wanted\"`",
            ));
        }
        (None, several) => {
            let message = format!("there are {} ideas, and nothing says which is meant", several.len());
            let hint = format!("--idea ID, or {CONTEXT} with {{\"active_idea_id\": …}}; {}", listed(several));
            return Err(Failure::new(Kind::Refused, message).hint(hint));
        }
    };
    let path = format!("{IDEAS}/{id}.md");
    if id.contains(['/', '\\']) || id.starts_with('.') || !project.join(&path).is_file() {
        let message = format!("there is no idea {:?}", visible::short(&id, 60));
        let hint = if known.is_empty() { format!("write {IDEAS}/ID.md") } else { listed(&known) };
        return Err(Failure::new(Kind::Missing, message).hint(hint));
    }
    let text = String::from_utf8_lossy(&bytes_of(Path::new(&path), &project.join(&path))?).into_owned();
    if text.trim().is_empty() {
        return Err(Failure::new(Kind::NotADocument, format!("{path} is empty")).hint("say in it what is wanted"));
    }
    let is_of_context = context.active_idea_id == id;
    let headline = Some(context.active_idea_headline).filter(|headline| is_of_context && !headline.trim().is_empty());
    let headline = headline.or_else(|| headline_of(&text)).unwrap_or_else(|| id.clone());
    let owner = Some(context.owner).filter(|owner| is_of_context && !owner.is_empty());
    let owner = owner.or_else(|| owner_of(&text)).unwrap_or_default();
    Ok(Found { idea: IdeaText { id, headline: short(&headline), owner, path }, content: None })
}

impl Found {
    /// The idea, with its file in its place.
    pub(super) fn written(self, project: &Path) -> Result<IdeaText, Failure> {
        let Some(content) = self.content else { return Ok(self.idea) };
        let place = project.join(&self.idea.path);
        let made = std::fs::create_dir_all(project.join(IDEAS)).and_then(|()| {
            // An idea of the same name is somebody's: it is not written over.
            std::fs::OpenOptions::new().write(true).create_new(true).open(&place)
        });
        let written = made.and_then(|mut file| std::io::Write::write_all(&mut file, content.as_bytes()));
        match written {
            Ok(()) => Ok(self.idea),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => match std::fs::read(&place) {
                Ok(there) if there == content.as_bytes() => Ok(self.idea),
                _ => {
                    let message = format!("{} is there already, and says something else", self.idea.path);
                    Err(Failure::new(Kind::Refused, message).hint("name the idea otherwise: --idea ID"))
                }
            },
            Err(error) => Err(Failure::reading(Path::new(&self.idea.path), &error)),
        }
    }
}

/// An idea that came in words: its file is named by its headline.
fn in_words(words: &str, id: Option<&str>) -> Found {
    let headline = short(&headline_of(words).unwrap_or_default());
    let id = id.map_or_else(|| engine::workflows::slug(&headline), String::from);
    let id = if id.is_empty() { "idea".into() } else { id };
    let content = match words.trim_start().starts_with('#') {
        true => format!("{}\n", words.trim()),
        false => format!("# {headline}\n\n{}\n", words.trim()),
    };
    let path = format!("{IDEAS}/{id}.md");
    Found { idea: IdeaText { id, headline, owner: String::new(), path }, content: Some(content) }
}

fn read_context(project: &Path) -> Result<Context, Failure> {
    let place = project.join(CONTEXT);
    if !place.is_file() {
        return Ok(Context::default());
    }
    let bytes = bytes_of(Path::new(CONTEXT), &place)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = format!("{CONTEXT}:{}:{}: {error}", error.line(), error.column());
        Failure::new(Kind::Document, message)
            .hint("for example: {\"active_idea_id\": \"idea-7\", \"active_idea_headline\": \"…\", \"owner\": \"…\"}")
    })
}

/// The ideas there are, by name.
fn known(project: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(project.join(IDEAS)).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    let markdown = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let names = markdown.filter_map(|path| path.file_stem()?.to_str().map(String::from));
    let mut names: Vec<String> = names.filter(|name| !name.eq_ignore_ascii_case("readme")).collect();
    names.sort();
    names
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > NAMED { ", …" } else { "" };
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| visible::text(name)).collect();
    format!("the ideas are: {}{more}", shown.join(", "))
}

/// The first heading, else the first line.
fn headline_of(text: &str) -> Option<String> {
    let lines = || text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let heading = lines().find(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    heading.or_else(|| lines().find(|line| !line.contains(": "))).or_else(|| lines().next()).map(String::from)
}

/// A line `owner: NAME`, as front matter has it.
fn owner_of(text: &str) -> Option<String> {
    let owner = text.lines().take(40).find_map(|line| {
        let (key, value) = line.trim().trim_start_matches(['-', '*', ' ']).split_once(':')?;
        key.trim_matches('*').trim().eq_ignore_ascii_case("owner").then(|| value.trim_matches(['*', ' ']).to_string())
    });
    owner.filter(|owner| !owner.is_empty())
}

fn short(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(HEADLINE).collect()
}
