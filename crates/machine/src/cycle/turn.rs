//! One entry of a cycle's record, and the evidence beside it. Nothing is decided here.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::words::{Party, Signature, Standing, Word};

/// One turn: what its SIGNAL BLOCK says, and the words above it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// How it is signed.
    pub signature: Signature,
    /// Whose it is.
    pub party: Party,
    /// What it ends with.
    pub word: Word,
    /// One line of what happened.
    pub summary: String,
    /// How sure it is, from 0 to 10; nothing for a Human.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Who is next; nobody when the cycle is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Party>,
    /// What the next one must know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// Further fields, each with its name, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<(String, String)>,
    /// How far the whole goal is, where the Judge says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// The whole response; a Human's own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub response: String,
    /// When.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
}

impl Turn {
    /// The value of a further field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What an Actor changed, as measured by whoever ran it, not as told by the Actor (CY-04).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Lines added and removed.
    pub lines: u64,
    /// The files that differ, from the project's root.
    pub files: Vec<String>,
    /// The commit that holds it, or a digest where there is no repository.
    pub commit: String,
    /// References beside the cycle's own branch that the Actor moved or made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strayed: Vec<String>,
    /// What else is wrong with the change, each as a problem in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<String>,
}

/// One command of the test battery, run for the Judge (CY-05).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Its name in the configuration.
    pub name: String,
    /// How it ended.
    pub end: CheckEnd,
    /// The end of its output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckEnd {
    /// By itself, with this code: 0 is good.
    Exit(i32),
    /// It ran over its time.
    TimedOut,
    /// It did not run, and why.
    NotRun(String),
}

impl fmt::Display for CheckEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(out, "exit code {code}"),
            Self::TimedOut => out.write_str("ran over its time"),
            Self::NotRun(reason) => write!(out, "did not run: {reason}"),
        }
    }
}

impl CheckEnd {
    /// Whether all is well.
    pub fn is_good(&self) -> bool {
        *self == Self::Exit(0)
    }
}
