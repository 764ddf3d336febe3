//! Owns the box in front of a box: what its grants do not allow is not tried, and the answer says so. Must not know what
//! is in the box behind.

use std::path::PathBuf;

use super::{Decision, Effect, Grants, Verdict, answered, written_out};
use crate::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

/// A box, and what may be done with it.
pub struct Granted<Inner> {
    grants: Grants,
    inner: Inner,
    project: Option<PathBuf>,
    /// Questions that a person was asked, with the answers, and the attempt's own folder; nothing if there is nobody who
    /// could be asked.
    answers: Option<(Vec<(String, String)>, PathBuf)>,
    /// Where a person changes the grants.
    setting: String,
}

/// The most letters of a subject that an answer repeats.
const SHOWN: usize = 200;

impl<Inner: Toolbox> Granted<Inner> {
    pub fn new(grants: Grants, inner: Inner) -> Self {
        Self { grants, inner, project: None, answers: None, setting: "the grants in multiverse.toml".into() }
    }

    /// Paths are held against the rules as paths from this folder, however they are given.
    pub fn in_project(mut self, project: impl Into<PathBuf>) -> Self {
        self.project = Some(project.into());
        self
    }

    /// What a person answered so far, where a rule says ask. Without anybody to ask, asking is denying.
    pub fn with_answers(mut self, answers: Vec<(String, String)>, workdir: impl Into<PathBuf>) -> Self {
        self.answers = Some((answers, workdir.into()));
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

    fn said(&self, call: &ToolCall) -> Said {
        let Some((answers, workdir)) = &self.answers else { return Said::Nobody };
        let Some(whole) = written_out(call, workdir) else { return Said::TooLong };
        match answered(&whole, answers) {
            Some(Verdict::Allow) => Said::Yes,
            Some(Verdict::Deny(words)) => Said::No(words),
            None => Said::NotYet(whole),
        }
    }
}

/// How it stands with what a person is asked.
enum Said {
    Yes,
    No(String),
    /// The call, written out.
    NotYet(String),
    TooLong,
    Nobody,
}

impl<Inner: Toolbox> Toolbox for Granted<Inner> {
    fn tools(&self) -> Vec<Tool> {
        self.inner.tools().into_iter().filter(|tool| self.grants.offers(&tool.name)).collect()
    }

    fn problems(&self) -> Vec<String> {
        self.inner.problems()
    }

    fn asks(&self, call: &ToolCall) -> Option<String> {
        if self.grants.decide(call, self.project.as_deref()).effect != Effect::Ask {
            return None;
        }
        match self.said(call) {
            Said::NotYet(whole) => Some(whole),
            Said::Yes | Said::No(_) | Said::TooLong | Said::Nobody => None,
        }
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let decision = self.grants.decide(call, self.project.as_deref());
        match decision.effect {
            Effect::Allow => self.inner.call(call, stop),
            Effect::Deny => self.denied(call, &decision, ""),
            Effect::Ask => match self.said(call) {
                Said::Yes => self.inner.call(call, stop),
                Said::No(words) => self.denied(call, &decision, &format!(": a person was asked, and said: {words}")),
                Said::NotYet(_) => self.denied(call, &decision, ": a person must be asked first"),
                Said::TooLong => {
                    self.denied(call, &decision, ": a person would have to be asked, and it is too long to be read")
                }
                Said::Nobody => self.denied(call, &decision, ": a person would have to be asked, and nobody is there"),
            },
        }
    }
}

impl<Inner> std::fmt::Debug for Granted<Inner> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Granted").field("grants", &self.grants).finish_non_exhaustive()
    }
}
