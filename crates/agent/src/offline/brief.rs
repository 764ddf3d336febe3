//! What a brief says, read leniently: the engine may leave out anything that is not known yet.
//!
//! Owns the names of the context's fields. It must not know what is done with them.

use serde_json::Value;

use super::read::Form;
use super::request;
use super::wanted::{self, Wanted};
use crate::contract::Brief;

/// A brief, with questions that the offline agent has for it.
pub(crate) struct Facts<'a> {
    brief: &'a Brief,
}

/// A row of the catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) file_path: String,
    pub(crate) run_id: String,
    pub(crate) asset_type: String,
    pub(crate) summary: String,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(brief: &'a Brief) -> Self {
        Self { brief }
    }

    pub(crate) fn context(&self) -> &Value {
        &self.brief.context
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.brief.run_id
    }

    pub(crate) fn request(&self) -> String {
        request::text(&self.brief.context, &self.brief.prompt)
    }

    /// What is asked for besides the subject: by what was agreed, else by the request.
    pub(crate) fn wanted(&self) -> Wanted {
        let request = self.request();
        let texts = wanted::binding(&request, &request::instructions(&self.brief.context), self.run_id());
        Wanted::of(&texts, &self.sources(), request::language(&request))
    }

    /// Whether the project lives on over runs.
    pub(crate) fn is_lineage(&self) -> bool {
        self.brief.protocol == "lineage"
    }

    /// A list of texts in the context.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        let list = self.brief.context.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).collect()
    }

    /// What was wrong with the attempt before this one.
    pub(crate) fn problems(&self) -> &[String] {
        &self.brief.problems
    }

    /// A field of the item's row.
    pub(crate) fn item(&self, name: &str) -> &str {
        self.brief.item.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A text in the context, by the names that lead to it.
    pub(crate) fn text(&self, names: &[&str]) -> &str {
        let mut value = &self.brief.context;
        for name in names {
            value = &value[*name];
        }
        value.as_str().unwrap_or_default()
    }

    pub(crate) fn phase_name(&self) -> &str {
        let of_item = self.item("phase_name");
        if of_item.is_empty() { self.text(&["phase", "phase_name"]) } else { of_item }
    }

    /// The stage's name and goal, in lower case.
    pub(crate) fn stage_words(&self) -> String {
        let mut words = String::new();
        for name in ["stage_name", "stage_goal"] {
            words.push_str(self.item(name));
            words.push(' ');
            words.push_str(self.text(&["stage", name]));
            words.push(' ');
        }
        words.to_lowercase()
    }

    /// What the user said about earlier drafts; a wish may be a text or an object that holds one.
    pub(crate) fn wishes(&self) -> Vec<String> {
        let list = self.brief.context.get("wishes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter()
            .filter_map(|wish| {
                let inner = ["content", "words", "text", "message"].iter().find_map(|name| wish.get(name)?.as_str());
                wish.as_str().or(inner).map(str::to_owned)
            })
            .collect()
    }

    pub(crate) fn catalog(&self) -> Vec<Entry> {
        let rows = self.brief.context.get("catalog").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        rows.iter()
            .map(|row| {
                let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                Entry {
                    file_path: field("file_path"),
                    run_id: field("run_id"),
                    asset_type: field("asset_type"),
                    summary: field("summary"),
                }
            })
            .filter(|entry| !entry.file_path.is_empty())
            .collect()
    }

    /// The files of people that are known, in order, each once.
    pub(crate) fn sources(&self) -> Vec<String> {
        let catalog = self.catalog();
        // Who has the catalog knows what is there; what was agreed earlier may name files that are gone.
        let named = if catalog.is_empty() { request::named_sources(&self.brief.context) } else { Vec::new() };
        let mut paths: Vec<String> = catalog
            .into_iter()
            .filter(|entry| entry.asset_type == "ORIGINAL_INPUT" || is_input(&entry.file_path))
            .map(|entry| entry.file_path)
            .chain(self.brief.files.iter().map(|file| file.path.clone()).filter(|path| is_input(path)))
            .chain(named)
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// The sources that have a form that can be read and that are wanted.
    pub(crate) fn readable_sources(&self) -> Vec<String> {
        let wanted = self.wanted();
        self.sources().into_iter().filter(|path| Form::of(path).is_some() && wanted.reads(path)).collect()
    }

    /// Where the output goes: what is expected, else what the item's row says.
    pub(crate) fn output_path(&self) -> &str {
        self.brief.expects.outputs.first().map_or_else(|| self.item("output_path"), String::as_str)
    }

    /// The files to work with: those that are given, without rules and tables; else what the catalog has of the inputs.
    pub(crate) fn files(&self) -> Vec<String> {
        let is_material = |path: &String| {
            !["guidelines/", "db/", "runs/"].iter().any(|folder| path.starts_with(folder))
                || path.contains("/workspace/")
        };
        let mut paths: Vec<String> =
            self.brief.files.iter().map(|file| file.path.clone()).filter(is_material).collect();
        if paths.is_empty() {
            let catalog = self.catalog();
            let listed = |path: &String| catalog.iter().any(|entry| entry.file_path == *path);
            paths = references(&self.brief.item).into_iter().filter(listed).filter(is_material).collect();
        }
        if paths.is_empty() && self.brief.item.is_empty() {
            paths = self.sources();
        }
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Whether a path is one of what people put in.
fn is_input(path: &str) -> bool {
    path.starts_with("assets/") || path.starts_with("data/")
}

/// The references of a row: a list, or a text that holds one.
fn references(item: &serde_json::Map<String, Value>) -> Vec<String> {
    match item.get("related_references") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => serde_json::from_str(text)
            .unwrap_or_else(|_| text.split([',', '\n']).map(|path| path.trim().to_owned()).collect()),
        _ => Vec::new(),
    }
}
