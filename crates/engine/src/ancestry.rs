//! Where files came from and which of them are older than what they were made of. What a source was when it was used is
//! looked up in the journal; where that does not say, nothing is claimed. Changes nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use knowledge::{Direction, Judged, Lineage, LineageBuilder, NodeId, Standings};
use machine::{Fact, FileNote};
use store::{Fs, Kind, ProjectPath, Record};

use crate::body::Body;
use crate::fault::EngineError;
use crate::files::{digest, digest_of};
use crate::service::Service;
use crate::shelves::Shelves;

/// The files of a project as a family tree, and how they stand.
#[derive(Debug)]
pub struct Ancestry {
    /// The tree.
    pub lineage: Lineage,
    /// How files stand to what they were made of, as far as was asked.
    pub standings: Standings,
    /// Files that a catalog lists, or that others were made of, and that are not there; with the reason.
    pub gone: BTreeMap<NodeId, String>,
    /// Files that a person changed after they were made, and the record that says so.
    pub edited: BTreeMap<NodeId, u64>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// All files.
    All,
    /// One file, what it came from and what was made of it.
    File(&'a str),
}

impl<F: Fs> Service<F> {
    /// The family tree of the files that catalogs list.
    pub fn ancestry(&self, shelves: &Shelves, scope: Scope<'_>) -> Result<Ancestry, EngineError> {
        let mut builder = LineageBuilder::default();
        shelves.library.entries().for_each(|(document, line, entry)| builder.add(document, line, entry));
        shelves.library.links().for_each(|link| builder.link(link));
        let lineage = builder.build();
        let looked_at: BTreeSet<NodeId> = match scope {
            Scope::All => lineage.ids().collect(),
            Scope::File(path) => {
                let versions = lineage.versions(path);
                let mut near: Vec<NodeId> = versions.to_vec();
                near.extend(lineage.reach(versions, Direction::Down));
                lineage.reach(&near, Direction::Up).into_iter().chain(near).collect()
            }
        };
        let sources = looked_at.iter().flat_map(|id| lineage.next(*id, Direction::Up)).chain(&looked_at);
        let paths: BTreeSet<&str> = sources.map(|id| lineage.node(*id).entry.path.as_str()).collect();
        let chronicle = self.chronicle(&paths)?;
        let now = Present { service: self, digests: RefCell::default() };
        let standings = lineage.standings(&mut |output, source| match looked_at.contains(&output) {
            true => chronicle.judge(&lineage, output, source, &now),
            false => Judged::Same,
        });
        let (mut gone, mut edited) = (BTreeMap::new(), BTreeMap::new());
        for id in looked_at {
            let node = lineage.node(id);
            if let Err(reason) = now.is_there(&node.entry.path) {
                gone.insert(id, reason);
            } else if let Some(record) = chronicle.edited_since(&node.entry.path).filter(|_| lineage.is_newest(id)) {
                edited.insert(id, record);
            }
        }
        Ok(Ancestry { lineage, standings, gone, edited })
    }

    /// What the journal tells of some files.
    fn chronicle(&self, paths: &BTreeSet<&str>) -> Result<Chronicle, EngineError> {
        let mut chronicle = Chronicle::default();
        let is_wanted = |path: &ProjectPath| paths.contains(path.as_str());
        store::versions(self.engine.store.fs(), is_wanted, |record, made| {
            chronicle.note_facts(record);
            for (path, text) in made {
                let digest = text.as_ref().map(digest_of);
                let run = chronicle.run_of(record);
                let version = Version { record: record.number, kind: record.kind, run, digest };
                chronicle.versions.entry(path.as_str().to_owned()).or_default().push(version);
            }
        })?;
        Ok(chronicle)
    }
}

/// What the journal tells: when files were made, and what they were at any time.
#[derive(Debug, Default)]
struct Chronicle {
    /// By run and attempt: the record at which its agent was given its files.
    assigned: HashMap<(String, u64), u64>,
    /// By path and run: the record at which it was settled what a file is made of, and the one that has it.
    made: HashMap<(String, String), (u64, u64)>,
    /// The files that runs made.
    made_paths: HashSet<String>,
    versions: HashMap<String, Vec<Version>>,
    /// By path: what was noted of files that are no documents, each with its record.
    notes: HashMap<String, Vec<(u64, String)>>,
    /// The run of the last record with facts.
    last: (u64, String),
}

#[derive(Debug)]
struct Version {
    record: u64,
    kind: Kind,
    run: String,
    /// Nothing when it was removed.
    digest: Option<String>,
}

impl Chronicle {
    fn note_facts(&mut self, record: &Record) {
        let Some(body) = record.body.as_deref().and_then(Body::of) else { return };
        self.last = (record.number, body.run.clone());
        for fact in &body.facts {
            match fact {
                Fact::Assigned(attempt) => {
                    self.assigned.insert((body.run.clone(), attempt.fence), record.number);
                }
                Fact::Catalogued { files, .. } => files.iter().for_each(|file| self.note_file(record.number, file)),
                Fact::Worked { fence, files, .. } => {
                    let given = self.assigned.get(&(body.run.clone(), *fence)).copied().unwrap_or(record.number);
                    files.iter().for_each(|file| self.note_made(&body.run, file, given, record.number));
                }
                Fact::Completed { files, .. } => {
                    for file in files {
                        let key = (file.path.clone(), body.run.clone());
                        if !self.made.contains_key(&key) {
                            self.note_made(&body.run, file, record.number, record.number);
                        }
                        self.note_file(record.number, file);
                    }
                }
                Fact::TakenOver { items, .. } => {
                    for item in items.iter().filter(|item| !item.output.is_empty()) {
                        let key = (item.output.clone(), body.run.clone());
                        self.made.insert(key, (record.number, record.number));
                    }
                }
                _ => {}
            }
        }
    }

    fn note_made(&mut self, run: &str, file: &FileNote, given: u64, record: u64) {
        self.made.insert((file.path.clone(), run.to_owned()), (given, record));
        self.made_paths.insert(file.path.clone());
        self.note_file(record, file);
    }

    fn note_file(&mut self, record: u64, file: &FileNote) {
        if !file.digest.is_empty() {
            self.notes.entry(file.path.clone()).or_default().push((record, file.digest.clone()));
        }
    }

    fn run_of(&self, record: &Record) -> String {
        if self.last.0 == record.number { self.last.1.clone() } else { String::new() }
    }

    /// The record of a person's last change of a file, if no run has made it since.
    fn edited_since(&self, path: &str) -> Option<u64> {
        let last = self.versions.get(path)?.last()?;
        (last.kind == Kind::Edit && self.made_paths.contains(path)).then_some(last.record)
    }

    fn judge<F: Fs>(&self, lineage: &Lineage, output: NodeId, source: NodeId, now: &Present<'_, F>) -> Judged {
        let (made, of) = (&lineage.node(output).entry, &lineage.node(source).entry);
        if let Err(reason) = now.is_there(&of.path) {
            return if lineage.node(source).rows.is_empty() && !now.could_be(&of.path) {
                Judged::Unknown(format!("{} is no path of this project: {reason}", of.path))
            } else {
                Judged::Gone
            };
        }
        let Some((given, _)) = self.made.get(&(made.path.clone(), made.run.clone())) else {
            return Judged::Unknown("the journal does not tell when it was made".into());
        };
        let versions = self.versions.get(&of.path).map(Vec::as_slice).unwrap_or_default();
        if let Some(then) = versions.iter().rev().find(|version| version.record <= *given) {
            return self.judge_version(then, versions, &of.path, now);
        }
        let notes = self.notes.get(&of.path).map(Vec::as_slice).unwrap_or_default();
        match notes.iter().rev().find(|(record, _)| record <= given) {
            Some((record, note)) => now.judge_note(&of.path, *record, note),
            None => Judged::Unknown("nobody recorded what it was then".into()),
        }
    }

    fn judge_version<F: Fs>(&self, then: &Version, all: &[Version], path: &str, now: &Present<'_, F>) -> Judged {
        let is = now.digest(path);
        if is.is_none() {
            return Judged::Unknown("it cannot be read".into());
        }
        if is == then.digest {
            return Judged::Same;
        }
        let later = all.iter().rev().find(|version| version.record > then.record && version.digest == is);
        Judged::Changed(match later {
            Some(Version { kind: Kind::Edit, record, .. }) => format!("changed by hand (record {record})"),
            Some(Version { run, record, .. }) if !run.is_empty() => format!("made again by {run} (record {record})"),
            Some(Version { record, .. }) => format!("changed (record {record})"),
            None => format!("changed since record {}, not recorded yet", then.record),
        })
    }
}

/// The files as they are now, each looked at once.
struct Present<'a, F: Fs> {
    service: &'a Service<F>,
    digests: RefCell<HashMap<String, Option<String>>>,
}

impl<F: Fs> Present<'_, F> {
    /// Whether there is such a file; else why not.
    fn is_there(&self, path: &str) -> Result<(), String> {
        let store = &self.service.engine.store;
        let path = ProjectPath::any(path).map_err(|refusal| refusal.reason)?;
        match store.fs().look(&path) {
            Ok(Some(_)) => Ok(()),
            Ok(None) if store.read(&path).is_some() => Ok(()),
            Ok(None) => Err("there is no such file".into()),
            Err(fault) => Err(fault.reason),
        }
    }

    /// Whether a file of the project can be called so.
    fn could_be(&self, path: &str) -> bool {
        ProjectPath::any(path).is_ok()
    }

    fn digest(&self, path: &str) -> Option<String> {
        if let Some(known) = self.digests.borrow().get(path) {
            return known.clone();
        }
        let store = &self.service.engine.store;
        let of_file = digest(store.fs(), path, u64::MAX);
        let found = of_file.or_else(|| store.read(&ProjectPath::any(path).ok()?).map(digest_of));
        self.digests.borrow_mut().insert(path.to_owned(), found.clone());
        found
    }

    /// A note has the size, the time and, in newer journals, the digest of the content.
    fn judge_note(&self, path: &str, record: u64, note: &str) -> Judged {
        let parts: Vec<&str> = note.split('-').collect();
        let changed = || Judged::Changed(format!("changed since it was catalogued (record {record})"));
        if let [_, _, content] = parts.as_slice() {
            return if self.digest(path).as_deref() == Some(*content) { Judged::Same } else { changed() };
        }
        let stamp = ProjectPath::any(path).ok().and_then(|path| self.service.engine.store.fs().look(&path).ok()?);
        match (parts.as_slice(), stamp) {
            ([size, time], Some(stamp)) if *size == stamp.size.to_string() => match *time == stamp.modified.to_string()
            {
                true => Judged::Same,
                false => Judged::Unknown("only its size and time were recorded, and the time differs".into()),
            },
            ([_, _], _) => changed(),
            // Some other digest of the content.
            _ if self.digest(path).as_deref() == Some(note) => Judged::Same,
            _ => changed(),
        }
    }
}
