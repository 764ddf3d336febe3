//! Owns the words in which agents are asked: a template for every role and action, those of the project before our own
//! (MV-39, MV-41). Must not know who is asked, nor read any file: whoever loads templates brings their texts.
//!
//! A template has two parts, parted by a line `---`: what is the same for every item of its kind, and the item. The first
//! goes to a model as its system text, so that providers find it in their caches.

mod cycle;
mod profile;
mod roadmap;
mod template;
mod view;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::contract::Brief;
use crate::words::quote;
use template::{Template, parse};

/// The line between the two parts.
const PARTING: &str = "---";

/// The name of the template for what no other is for.
const ANY: &str = "any";

/// Our own templates, by name.
const BUILT_IN: [(&str, &str); 25] = [
    ("planner.plan_prelude", include_str!("templates/planner.plan_prelude.md")),
    ("planner.propose", include_str!("templates/planner.propose.md")),
    ("planner.plan_stages", include_str!("templates/planner.plan_stages.md")),
    ("planner.plan_tasks", include_str!("templates/planner.plan_tasks.md")),
    ("planner.plan_pre_tools", include_str!("templates/planner.plan_pre_tools.md")),
    ("planner.plan_post_tools", include_str!("templates/planner.plan_post_tools.md")),
    ("executor.execute", include_str!("templates/executor.execute.md")),
    ("executor.simple", include_str!("templates/executor.simple.md")),
    ("executor.tool", include_str!("templates/executor.tool.md")),
    ("executor.web_search", include_str!("templates/executor.web_search.md")),
    ("executor.data_visualization", include_str!("templates/executor.data_visualization.md")),
    ("communicator.proposal", include_str!("templates/communicator.proposal.md")),
    ("communicator.failure", include_str!("templates/communicator.failure.md")),
    ("communicator.completion", include_str!("templates/communicator.completion.md")),
    ("planner.plan_roadmap", include_str!("templates/planner.plan_roadmap.md")),
    ("executor.do_item", include_str!("templates/executor.do_item.md")),
    ("planner.outline", include_str!("templates/planner.outline.md")),
    ("planner.plan_loop", include_str!("templates/planner.plan_loop.md")),
    ("planner.plan_closing", include_str!("templates/planner.plan_closing.md")),
    ("actor.act", include_str!("templates/actor.act.md")),
    ("judge.judge", include_str!("templates/judge.judge.md")),
    ("role.produce", include_str!("templates/role.produce.md")),
    ("role.review", include_str!("templates/role.review.md")),
    ("role.validate", include_str!("templates/role.validate.md")),
    (ANY, include_str!("templates/any.md")),
];

/// What an agent is asked, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The part that stays the same.
    pub system: String,
    /// The part about the item.
    pub user: String,
    /// The template's name.
    pub template: String,
    /// The template's digest: the version of the words.
    pub digest: String,
}

impl Rendered {
    /// Both parts as one text.
    pub fn text(&self) -> String {
        match self.system.is_empty() {
            true => self.user.clone(),
            false => format!("{}\n\n{}", self.system, self.user),
        }
    }
}

/// How much of the contract an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A whole report.
    Report,
    /// The plan alone, or the text of the one file.
    Simple,
}

/// Whether an agent has tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tools {
    Offered,
    None,
}

/// The templates of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    templates: BTreeMap<String, Loaded>,
    /// Of all of them.
    digest: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Loaded {
    system: Template,
    user: Template,
    digest: String,
}

impl Prompts {
    /// Our own, and those of the project in their place: file names (`planner.plan_tasks.md`) with their texts. What is
    /// wrong is said with file and line.
    pub fn load(own: &[(String, String)]) -> Result<Self, Vec<String>> {
        let mut templates = BTreeMap::new();
        let mut problems = Vec::new();
        let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        let built_in = BUILT_IN.iter().map(|(name, text)| ((*name).to_string(), *text));
        let own = own.iter().map(|(file, text)| (file.strip_suffix(".md").unwrap_or(file).to_string(), text.as_str()));
        for (name, text) in built_in.chain(own) {
            let place = format!("prompts/{}.md", quote(&name, 80));
            if !names.contains(&name.as_str()) {
                problems.push(format!("{place}: there is no such prompt; valid: {}", names.join(", ")));
                continue;
            }
            match load(text) {
                Ok(loaded) => drop(templates.insert(name, loaded)),
                Err(problem) => problems.push(format!("{place}: {problem}")),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let all: Vec<String> =
            templates.iter().map(|(name, loaded): (&String, &Loaded)| format!("{name} {}\n", loaded.digest)).collect();
        Ok(Self { templates, digest: digest_of(&all.concat()) })
    }

    /// Our own alone, read once.
    pub fn built_in() -> Arc<Self> {
        // A test keeps them in order; without them a brief is still told in the few words of its fields.
        static BUILT_IN: LazyLock<Arc<Prompts>> = LazyLock::new(|| {
            Arc::new(
                Prompts::load(&[]).unwrap_or_else(|_| Prompts { templates: BTreeMap::new(), digest: String::new() }),
            )
        });
        BUILT_IN.clone()
    }

    /// The digest of the template for a brief: the version of its words, for the journal.
    pub fn digest(&self, brief: &Brief) -> (&str, &str) {
        let (name, loaded) = self.template(brief);
        (name, loaded.map_or("", |loaded| &loaded.digest))
    }

    /// The same by the parts of a brief that choose a template, for who has no brief yet.
    pub fn digest_for(&self, role: &str, action: &str, plan_target: Option<&str>) -> (&str, &str) {
        let name = chosen(role, action, plan_target, "", "", "");
        let (name, loaded) = self.named(&name);
        (name, loaded.map_or("", |loaded| &loaded.digest))
    }

    /// The digest of all templates together.
    pub fn digest_of_all(&self) -> &str {
        &self.digest
    }

    /// A brief in words.
    pub fn render(&self, brief: &Brief, form: Form, tools: Tools) -> Rendered {
        let view = view::view(brief, form, tools);
        let (name, loaded) = self.template(brief);
        let (system, user, digest) = match loaded {
            Some(loaded) => (loaded.system.fill(&view), loaded.user.fill(&view), loaded.digest.clone()),
            None => (String::new(), view.to_string(), String::new()),
        };
        Rendered { system: tidy(&system), user: tidy(&user), template: name.into(), digest }
    }

    fn template(&self, brief: &Brief) -> (&str, Option<&Loaded>) {
        let of = |pointer: &str| brief.context.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let tool_type = brief.item.get("tool_type").and_then(Value::as_str).unwrap_or_default();
        let target = brief.plan_target.as_deref();
        let name = profile::template_for(brief)
            .unwrap_or_else(|| chosen(&brief.role, &brief.action, target, tool_type, of("/mode"), of("/kind")));
        self.named(&name)
    }

    fn named(&self, name: &str) -> (&str, Option<&Loaded>) {
        let found = self.templates.get_key_value(name).or_else(|| self.templates.get_key_value(ANY));
        found.map_or((ANY, None), |(name, loaded)| (name.as_str(), Some(loaded)))
    }
}

/// The name of the template for what is to be done.
fn chosen(role: &str, action: &str, plan_target: Option<&str>, tool_type: &str, mode: &str, kind: &str) -> String {
    let target = plan_target.unwrap_or_default();
    let particular = match (role, action) {
        ("planner", "plan_tasks") if target == "phase:0" => "plan_prelude",
        ("planner", "plan_tools") if target.starts_with("pre_tool:") => "plan_pre_tools",
        ("planner", "plan_tools") => "plan_post_tools",
        ("executor", "execute") if mode == "SIMPLE_TASK" => "simple",
        ("executor", "execute") => match tool_type {
            "" => "execute",
            "WebSearch" => "web_search",
            "DataVisualization" => "data_visualization",
            _ => "tool",
        },
        ("communicator", "communicate") if kind.is_empty() => "completion",
        ("communicator", "communicate") => kind,
        (_, action) => action,
    };
    format!("{role}.{particular}")
}

fn load(text: &str) -> Result<Loaded, String> {
    let mut at = 0;
    let mut parted = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == PARTING {
            parted = Some((at, at + line.len(), number + 1));
            break;
        }
        at += line.len();
    }
    let digest = digest_of(text);
    let Some((end, begin, lines)) = parted else {
        let system = parse("", &view::known())?;
        return Ok(Loaded { system, user: parse(text, &view::known())?, digest });
    };
    let system = parse(&text[..end], &view::known())?;
    // Lines are counted from the beginning of the file.
    let user = parse(&text[begin..], &view::known()).map_err(|problem| moved(&problem, lines))?;
    Ok(Loaded { system, user, digest })
}

/// Long enough that no two texts of a project share one.
fn digest_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].into()
}

fn moved(problem: &str, by: usize) -> String {
    let number = problem.strip_prefix("line ").and_then(|rest| rest.split_once(':'));
    match number.and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest))) {
        Some((number, rest)) => format!("line {}:{rest}", number + by),
        None => problem.into(),
    }
}

/// At most one empty line in a row, none at the ends.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut empty = 0;
    for line in text.trim().lines() {
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim_end().into()
}

#[cfg(test)]
mod tests;
