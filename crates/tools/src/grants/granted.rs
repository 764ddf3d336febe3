//! Owns the box in front of a box: what its grants do not allow is not tried, and the answer says so. Must not know what
//! is in the box behind.

use std::path::PathBuf;

use super::{Decision, Effect, Grants};
use crate::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

/// What a person, or whoever speaks for one, says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// With the reason, which the model is told.
    Deny(String),
}

type Ask = Box<dyn Fn(&ToolCall) -> Verdict + Send + Sync>;

/// A box, and what may be done with it.
pub struct Granted<Inner> {
    grants: Grants,
    inner: Inner,
    project: Option<PathBuf>,
    ask: Option<Ask>,
    /// Where a person changes the grants.
    setting: String,
}

/// The most letters of a subject that an answer repeats.
const SHOWN: usize = 200;

impl<Inner: Toolbox> Granted<Inner> {
    pub fn new(grants: Grants, inner: Inner) -> Self {
        Self { grants, inner, project: None, ask: None, setting: "the grants in multiverse.toml".into() }
    }

    /// Paths are held against the rules as paths from this folder, however they are given.
    pub fn in_project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// Who is asked where a rule says so. Without anybody to ask, asking is denying.
    pub fn asking(mut self, ask: impl Fn(&ToolCall) -> Verdict + Send + Sync + 'static) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// The setting that an answer names for whoever wants to change the grants.
    pub fn set_in(mut self, setting: impl Into<String>) -> Self {
        self.setting = setting.into();
        self
    }

    fn denied(&self, call: &ToolCall, decision: &Decision, why: &str) -> ToolAnswer {
        let subject: String = decision.subject.chars().filter(|letter| !letter.is_control()).take(SHOWN).collect();
        let what = if subject.is_empty() { format!("`{}`", call.name) } else { format!("`{}: {subject}`", call.name) };
        let rule = decision.rule.as_deref().unwrap_or("no rule allows it");
        ToolAnswer::denied(format!(
            "{what} is not granted ({rule}){why}; nothing was done; a person can change that: {}",
            self.setting
        ))
    }
}

impl<Inner: Toolbox> Toolbox for Granted<Inner> {
    fn tools(&self) -> Vec<Tool> {
        self.inner.tools().into_iter().filter(|tool| self.grants.offers(&tool.name)).collect()
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let decision = self.grants.decide(call, self.project.as_deref());
        match (decision.effect, &self.ask) {
            (Effect::Allow, _) => self.inner.call(call, stop),
            (Effect::Deny, _) => self.denied(call, &decision, ""),
            (Effect::Ask, None) => {
                self.denied(call, &decision, ": a person would have to be asked, and nobody is there")
            }
            (Effect::Ask, Some(ask)) => match ask(call) {
                Verdict::Allow => self.inner.call(call, stop),
                Verdict::Deny(reason) => self.denied(call, &decision, &format!(": {reason}")),
            },
        }
    }
}

impl<Inner> std::fmt::Debug for Granted<Inner> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Granted").field("grants", &self.grants).finish_non_exhaustive()
    }
}
