//! What a planner wants changed. It counts whole or not at all.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// Changes of a roadmap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanChanges {
    /// New groups; items may name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<NewGroup>,
    /// New items, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<NewItem>,
    /// Items that are not wanted any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancel: Vec<CancelItem>,
    /// Items that are different from here on. One that failed or is blocked is Pending again by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub change: Vec<ChangeItem>,
}

/// A new group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewGroup {
    /// By what it is to be known.
    pub key: String,
    /// What it says.
    pub title: String,
    /// The group it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// A new item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewItem {
    /// Its number; without one it is numbered on from its neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// What is to be done.
    pub title: String,
    /// The group it stands in: one that is there, or a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The item it comes after; without one it is the last of its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What must be completed first: items that are there, or new ones by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Files and folders that it will change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
}

/// An item that is not wanted any more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelItem {
    /// Which.
    pub item: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// What those that depend on it depend on instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
}

/// An item that is different from here on; what is not said stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeItem {
    /// Which.
    pub item: String,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What must be completed first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<Vec<String>>,
    /// Files and folders that it will change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<String>>,
}

impl PlanChanges {
    /// Whether nothing is to change.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.add.is_empty() && self.cancel.is_empty() && self.change.is_empty()
    }
}
