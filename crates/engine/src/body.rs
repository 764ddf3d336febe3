//! What a record of the engine says beside its documents: which run, the facts, the keys of the effects, and what the
//! agents were given. docs/formats/facts.md describes it.

use std::collections::BTreeMap;

use machine::Fact;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::Record;

/// The body of a record.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Body {
    /// The run.
    pub run: String,
    /// What became true of it.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// The same of a run that another machine carries, in that machine's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted: Option<HostedFacts>,
    /// What is to be done after the commit, by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// Which files each attempt that begins was given, and why (MV-31).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<u64, Vec<Given>>,
    /// In which words each attempt that begins is asked, for agents that read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<u64, Prompted>,
    /// What the agent of a refused report said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// The same while it is written: the facts are somebody else's.
#[derive(Debug, Serialize)]
pub(crate) struct NewBody<'a> {
    pub run: &'a str,
    pub facts: &'a [Fact],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosted: Option<HostedFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<u64, Vec<Given>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prompts: BTreeMap<u64, Prompted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// What became true of a run that another machine than that of levels carries.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HostedFacts {
    /// The protocol whose facts these are.
    pub protocol: String,
    /// Them, as that protocol spells them.
    pub facts: Vec<Box<RawValue>>,
}

/// A file that an agent was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// From the project's root.
    pub path: String,
    /// Why.
    pub why: String,
}

/// The words in which an agent is asked: a template and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompted {
    /// The template's name.
    pub template: String,
    /// The digest of its text.
    pub digest: String,
}

impl Body {
    /// Reads the body of a record; nothing when it is none of the engine's.
    pub fn of(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// Those of records, if each of them is a step of some run.
    pub(crate) fn all_of(records: &[Record]) -> Option<Vec<Self>> {
        records.iter().map(|record| record.body.as_deref().and_then(Self::of)).collect()
    }
}

impl NewBody<'_> {
    /// As it stands in the record.
    pub(crate) fn to_raw(&self) -> Result<Box<RawValue>, serde_json::Error> {
        serde_json::value::to_raw_value(self)
    }
}
