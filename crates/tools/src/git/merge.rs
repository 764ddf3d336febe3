//! Two commits into one tree, among objects alone: no file, no index, no head is touched, and a merge that conflicts
//! leaves nothing behind.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::{GitFault, ObjectId, Repository};

/// What a merge came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// The tree that holds both.
    Tree(ObjectId),
    /// It cannot be made without a person.
    Clashes(Vec<Clash>),
}

/// A file on which two sides do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub path: PathBuf,
    /// What the first side has there; nothing if it removed it or never had it.
    pub ours: Option<ObjectId>,
    /// What the second side has there.
    pub theirs: Option<ObjectId>,
    /// In git's words.
    pub why: String,
}

impl Repository {
    /// The commit that both come from; nothing if they have nothing in common.
    pub fn base_of(&self, ours: &ObjectId, theirs: &ObjectId) -> Result<Option<ObjectId>, GitFault> {
        let said = self.git(["merge-base", ours.as_str(), theirs.as_str()]).said()?;
        Ok(ObjectId::read(String::from_utf8_lossy(&said.output).lines().next().unwrap_or_default()))
    }

    /// Merges two commits into a tree.
    pub fn merge(&self, ours: &ObjectId, theirs: &ObjectId) -> Result<Merged, GitFault> {
        let (tree, clashes) = self.merge_marked(ours, theirs)?;
        Ok(if clashes.is_empty() { Merged::Tree(tree) } else { Merged::Clashes(clashes) })
    }

    /// The same; where the two do not agree the tree has both, with git's marks between them.
    pub fn merge_marked(&self, ours: &ObjectId, theirs: &ObjectId) -> Result<(ObjectId, Vec<Clash>), GitFault> {
        let arguments = ["merge-tree", "--write-tree", "-z", "--messages", ours.as_str(), theirs.as_str()];
        let said = self.git(arguments).said()?;
        let mut parts = said.output.split(|byte| *byte == 0);
        let tree = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        match said.status.code() {
            Some(0) => return Ok((self.written(tree)?, Vec::new())),
            Some(1) if ObjectId::read(&tree).is_some() => {}
            _ => return Err(super::invoke::fault_of(&said, "merge-tree".into(), self.work_tree.clone())),
        }
        let mut clashes: BTreeMap<Vec<u8>, Clash> = BTreeMap::new();
        // `MODE ID STAGE\tPATH` for each side of each file, then an empty part, then messages.
        for entry in parts.by_ref().take_while(|entry| !entry.is_empty()) {
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let (about, path) = (String::from_utf8_lossy(&entry[..tab]).into_owned(), entry[tab + 1..].to_vec());
            let clash = clashes.entry(path.clone()).or_insert_with(|| Clash {
                path: PathBuf::from(OsString::from_vec(path)),
                ours: None,
                theirs: None,
                why: String::new(),
            });
            let words: Vec<&str> = about.split(' ').collect();
            match words.as_slice() {
                [_, id, "2"] => clash.ours = ObjectId::read(id),
                [_, id, "3"] => clash.theirs = ObjectId::read(id),
                _ => {}
            }
        }
        // `COUNT`, that many paths, the kind, the message.
        let rest: Vec<&[u8]> = parts.collect();
        let mut at = 0;
        while let Some(count) = rest.get(at).and_then(|part| String::from_utf8_lossy(part).parse::<usize>().ok()) {
            let (paths, message) = (rest.get(at + 1..at + 1 + count), rest.get(at + 2 + count));
            let (Some(paths), Some(message)) = (paths, message) else { break };
            for path in paths {
                if let Some(clash) = clashes.get_mut(*path)
                    && String::from_utf8_lossy(rest[at + 1 + count]).starts_with("CONFLICT")
                {
                    clash.why = String::from_utf8_lossy(message).trim().into();
                }
            }
            at += 3 + count;
        }
        let mut clashes: Vec<Clash> = clashes.into_values().collect();
        if clashes.is_empty() {
            let why = "git does not say where".into();
            clashes.push(Clash { path: PathBuf::new(), ours: None, theirs: None, why });
        }
        Ok((self.written(tree)?, clashes))
    }
}
