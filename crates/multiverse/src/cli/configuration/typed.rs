//! The settings as the program uses them. Owns what must hold between several of them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use tools::{Effect, Grants, Rule, ToolCall};

use super::{Entry, Origin, Read};

/// What the project sets; all of it may be left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Configuration {
    /// How many agents work at the same time.
    pub(crate) jobs: Option<u32>,
    /// How long one attempt may take.
    pub(crate) seconds: Option<u64>,
    /// Who plays which role, as it is written; with where, for messages. `default` is every role that is not named.
    pub(crate) agents: BTreeMap<String, Setting>,
    /// Models by the user's names.
    pub(crate) models: BTreeMap<String, ModelSet>,
    pub(crate) budget_tokens: Option<u64>,
    pub(crate) budget_dollars: Option<f64>,
    pub(crate) budget_seconds: Option<u64>,
    /// The least score of a past run that is learned from, in thousandths.
    pub(crate) least: Option<u16>,
    /// How many past runs are learned from.
    pub(crate) most: Option<usize>,
    pub(crate) grants: Vec<Grant>,
    pub(crate) cycle: CycleSet,
    pub(crate) roadmap: RoadmapSet,
    /// Commands of the test battery, by name.
    pub(crate) checks: BTreeMap<String, CheckSet>,
    /// The roles that are given AGENTS.md and skills.
    pub(crate) guided: Option<Vec<Setting>>,
    /// Folders outside the project that programs may read.
    pub(crate) sandbox_read: Vec<String>,
    pub(crate) sandbox_network: Option<bool>,
    pub(crate) memory_mb: Option<u64>,
    pub(crate) processes: Option<u64>,
    pub(crate) web: WebSet,
    /// How people are told that something waits.
    pub(crate) notify_command: Option<String>,
    pub(crate) notify_url: Option<String>,
    /// MCP servers by name.
    pub(crate) mcp: BTreeMap<String, McpSet>,
}

/// A text with its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// Who named something: whoever runs the program, by a flag or a variable, or the project's file, which may be another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namer {
    Person,
    File,
}

impl Setting {
    pub(crate) fn namer(&self) -> Namer {
        // What a variable sets has no place in the file.
        if self.span.is_empty() { Namer::Person } else { Namer::File }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ModelSet {
    pub(crate) model: Option<Setting>,
    pub(crate) key: Option<Setting>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) context_tokens: Option<u64>,
    pub(crate) temperature: Option<f64>,
    pub(crate) input_price: Option<f64>,
    pub(crate) cached_price: Option<f64>,
    pub(crate) output_price: Option<f64>,
}

/// One rule of `[[grants]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) role: Option<String>,
    pub(crate) rule: Setting,
    pub(crate) pattern: Setting,
    pub(crate) matches: Vec<String>,
    pub(crate) misses: Vec<String>,
}

impl Grant {
    /// The rule as the tools know it.
    pub(crate) fn as_rule(&self) -> Rule {
        let effect = match self.rule.text.as_str() {
            "allow" => Effect::Allow,
            "ask" => Effect::Ask,
            _ => Effect::Deny,
        };
        let (pattern, matches, misses) = (self.pattern.text.clone(), self.matches.clone(), self.misses.clone());
        Rule { effect, pattern, matches, misses }
    }
}

/// How cycles go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CycleSet {
    pub(crate) lines: Option<u64>,
    pub(crate) files: Option<u64>,
    pub(crate) loops: Option<u64>,
    pub(crate) seconds: Option<u64>,
    pub(crate) insufficient: Option<u64>,
    pub(crate) answer_seconds: Option<u64>,
    pub(crate) silence: Option<String>,
    pub(crate) outline: bool,
    pub(crate) forbidden: Vec<Setting>,
    pub(crate) pull_request: Option<Setting>,
}

/// How roadmaps go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RoadmapSet {
    pub(crate) name: Option<String>,
    pub(crate) quota: Option<u64>,
}

/// One command of the test battery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CheckSet {
    pub(crate) command: Option<Setting>,
    pub(crate) seconds: Option<u64>,
    pub(crate) required: Option<bool>,
    /// Of the first key that was set, for messages about the whole.
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WebSet {
    pub(crate) search: Option<Setting>,
    pub(crate) key: Option<Setting>,
    pub(crate) base_url: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) allow: Vec<Setting>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct McpSet {
    pub(crate) command: Option<Setting>,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) network: bool,
    pub(crate) url: Option<Setting>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
    pub(crate) roles: Vec<String>,
    /// Of the first key that was set, for messages about the whole.
    pub(crate) span: Range<usize>,
}

impl Configuration {
    /// What the entries set. They have their forms already.
    pub(crate) fn of(entries: &[Entry]) -> Self {
        let mut set = Self::default();
        for entry in entries {
            let mut steps = entry.path.splitn(2, '.');
            let (first, rest) = (steps.next().unwrap_or_default(), steps.next().unwrap_or_default());
            match first {
                "jobs" => set.jobs = whole(entry).and_then(|jobs| jobs.try_into().ok()),
                "seconds" => set.seconds = whole(entry),
                "agents" => drop(set.agents.insert(rest.into(), setting(entry))),
                "models" => set.model(rest, entry),
                "budget" | "learning" | "sandbox" => set.single(first, rest, entry),
                "grants" => set.grant(rest, entry),
                "cycle" => set.cycle.take(rest, entry),
                "roadmap" if rest == "name" => set.roadmap.name = Some(setting(entry).text),
                "roadmap" => set.roadmap.quota = whole(entry),
                "checks" => set.check(rest, entry),
                "guidance" => {
                    let each = texts(&entry.value).into_iter().map(|text| Setting { text, span: span_of(entry) });
                    set.guided = Some(each.collect());
                }
                "notify" if rest == "command" => set.notify_command = Some(setting(entry).text),
                "notify" => set.notify_url = Some(setting(entry).text),
                "web" => set.web(rest, entry),
                "mcp" => set.mcp(rest, entry),
                _ => {}
            }
        }
        set
    }

    fn single(&mut self, table: &str, name: &str, entry: &Entry) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        match (table, name) {
            ("budget", "tokens") => self.budget_tokens = whole(entry),
            ("budget", "dollars") => self.budget_dollars = entry.value.as_f64(),
            ("budget", _) => self.budget_seconds = whole(entry),
            ("learning", "least") => {
                self.least = entry.value.as_f64().map(|number| (number * 1000.0).round() as u16);
            }
            ("learning", _) => self.most = whole(entry).and_then(|most| most.try_into().ok()),
            (_, "read") => self.sandbox_read = texts(&entry.value),
            (_, "network") => self.sandbox_network = entry.value.as_bool(),
            (_, "memory_mb") => self.memory_mb = whole(entry),
            _ => self.processes = whole(entry),
        }
    }

    fn model(&mut self, path: &str, entry: &Entry) {
        let Some((name, key)) = path.rsplit_once('.') else { return };
        let model = self.models.entry(name.into()).or_default();
        match key {
            "model" => model.model = Some(setting(entry)),
            "key" => model.key = Some(setting(entry)),
            "max_output_tokens" => model.max_output_tokens = whole(entry),
            "context_tokens" => model.context_tokens = whole(entry),
            "temperature" => model.temperature = entry.value.as_f64(),
            "input_price" => model.input_price = entry.value.as_f64(),
            "cached_price" => model.cached_price = entry.value.as_f64(),
            _ => model.output_price = entry.value.as_f64(),
        }
    }

    fn grant(&mut self, path: &str, entry: &Entry) {
        let Some((at, key)) = path.split_once('.') else { return };
        let at: usize = at.parse().unwrap_or(0);
        if self.grants.len() <= at {
            self.grants.resize(at + 1, Grant::default());
        }
        let grant = &mut self.grants[at];
        match key {
            "role" => grant.role = Some(setting(entry).text),
            "rule" => grant.rule = setting(entry),
            "pattern" => grant.pattern = setting(entry),
            "matches" => grant.matches = texts(&entry.value),
            _ => grant.misses = texts(&entry.value),
        }
    }

    fn check(&mut self, path: &str, entry: &Entry) {
        let Some((name, key)) = path.rsplit_once('.') else { return };
        let check =
            self.checks.entry(name.into()).or_insert_with(|| CheckSet { span: span_of(entry), ..CheckSet::default() });
        match key {
            "command" => check.command = Some(setting(entry)),
            "seconds" => check.seconds = whole(entry),
            _ => check.required = entry.value.as_bool(),
        }
    }

    fn web(&mut self, key: &str, entry: &Entry) {
        match key {
            "search" => self.web.search = Some(setting(entry)),
            "key" => self.web.key = Some(setting(entry)),
            "base_url" => self.web.base_url = Some(setting(entry).text),
            "model" => self.web.model = Some(setting(entry).text),
            _ => {
                let each = texts(&entry.value).into_iter().map(|text| Setting { text, span: span_of(entry) });
                self.web.allow = each.collect();
            }
        }
    }

    fn mcp(&mut self, path: &str, entry: &Entry) {
        let Some((name, key)) = path.rsplit_once('.') else { return };
        let server =
            self.mcp.entry(name.into()).or_insert_with(|| McpSet { span: span_of(entry), ..McpSet::default() });
        match key {
            "command" => server.command = Some(setting(entry)),
            "args" => server.args = texts(&entry.value),
            "env" => server.env = map(&entry.value),
            "network" => server.network = entry.value.as_bool().unwrap_or(false),
            "url" => server.url = Some(setting(entry)),
            "headers" => server.headers = map(&entry.value),
            "allow" => server.allow = texts(&entry.value),
            "deny" => server.deny = texts(&entry.value),
            _ => server.roles = texts(&entry.value),
        }
    }
}

impl CycleSet {
    fn take(&mut self, key: &str, entry: &Entry) {
        match key {
            "lines" => self.lines = whole(entry),
            "files" => self.files = whole(entry),
            "loops" => self.loops = whole(entry),
            "seconds" => self.seconds = whole(entry),
            "insufficient" => self.insufficient = whole(entry),
            "answer_seconds" => self.answer_seconds = whole(entry),
            "silence" => self.silence = Some(setting(entry).text),
            "forbidden" => {
                let each = texts(&entry.value).into_iter().map(|text| Setting { text, span: span_of(entry) });
                self.forbidden = each.collect();
            }
            "pull_request" => self.pull_request = Some(setting(entry)),
            _ => self.outline = entry.value.as_bool().unwrap_or_default(),
        }
    }
}

/// What must hold between several settings.
pub(crate) fn check(read: &mut Read) {
    let set = read.set.clone();
    for (name, model) in &set.models {
        if model.model.is_none() {
            let span = model.key.as_ref().map_or(0..0, |key| key.span.clone());
            let message = format!("[models.{name}] names no model");
            read.problem(span, message, "add: model = \"PROVIDER/NAME\"");
        }
    }
    for (name, check) in set.checks.iter().filter(|(_, check)| check.command.is_none()) {
        read.problem(check.span.clone(), format!("[checks.{name}] has no command"), "add: command = \"make test\"");
    }
    check_forbidden(read, &set);
    for (at, grant) in set.grants.iter().enumerate() {
        for (name, setting) in [("rule", &grant.rule), ("pattern", &grant.pattern)] {
            if setting.text.is_empty() {
                let other = if name == "rule" { &grant.pattern } else { &grant.rule };
                let message = format!("rule {} of [[grants]] has no `{name}`", at + 1);
                read.problem(other.span.clone(), message, "every rule needs `rule` and `pattern`");
            }
        }
        let is_whole = !grant.rule.text.is_empty() && !grant.pattern.text.is_empty();
        if let (true, Err(problem)) = (is_whole, grant.as_rule().check(at + 1)) {
            read.problem(grant.pattern.span.clone(), problem.to_string(), "docs/security.md describes the rules");
        }
    }
    for role in set.guided.iter().flatten().filter(|role| !super::keys::ROLES.contains(&role.text.as_str())) {
        let message = format!("`{}` is no role", role.text);
        read.problem(role.span.clone(), message, format!("valid: {}", super::keys::ROLES.join(", ")));
    }
    for (name, server) in &set.mcp {
        let message = match (&server.command, &server.url) {
            (Some(_), Some(_)) => "has both a command and a url",
            (None, None) => "has neither a command nor a url",
            _ => continue,
        };
        read.problem(server.span.clone(), format!("[mcp.{name}] {message}"), "keep one of the two");
    }
}

/// The tool with which a model runs commands.
const SHELL: &str = "run_shell_command";

/// Everything but these commands, whatever follows them. What cannot be read as a rule is told where it is set.
pub(crate) fn denying(forbidden: &[String]) -> Grants {
    let rules = forbidden.iter().flat_map(|command| {
        let command = command.trim();
        [format!("{SHELL}: {command}"), format!("{SHELL}: {command} *")].map(|pattern| Rule::new(Effect::Deny, pattern))
    });
    let rules: Vec<Rule> = rules.filter(|rule| rule.check(0).is_ok()).collect();
    Grants::new(rules, Effect::Allow).unwrap_or_else(|_| Grants::nothing())
}

/// What is forbidden is a command, and no check of the battery (CY-12).
fn check_forbidden(read: &mut Read, set: &Configuration) {
    for one in set.cycle.forbidden.iter().filter(|one| one.text.trim().is_empty() || one.text.contains('\n')) {
        read.problem(one.span.clone(), "forbidden must name commands", "for example: forbidden = [\"git push\"]");
    }
    let forbidden: Vec<String> = set.cycle.forbidden.iter().map(|one| one.text.clone()).collect();
    for (name, check) in &set.checks {
        let Some(command) = &check.command else { continue };
        let call =
            ToolCall { id: String::new(), name: SHELL.into(), arguments: serde_json::json!({"command": command.text}) };
        let decided = denying(&forbidden).decide(&call, None);
        if decided.effect == Effect::Deny {
            let message = format!("[checks.{name}] runs what [cycle] forbids: `{}`", decided.subject);
            read.problem(command.span.clone(), message, "change the check, or what is forbidden");
        }
    }
}

fn whole(entry: &Entry) -> Option<u64> {
    entry.value.as_u64()
}

fn setting(entry: &Entry) -> Setting {
    Setting { text: entry.value.as_str().unwrap_or_default().into(), span: span_of(entry) }
}

fn span_of(entry: &Entry) -> Range<usize> {
    match &entry.origin {
        Origin::File(span) => span.clone(),
        Origin::Variable(_) => 0..0,
    }
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|entry| entry.as_str().map(String::from)).collect()
}

fn map(value: &Value) -> BTreeMap<String, String> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string()))).collect()
}
