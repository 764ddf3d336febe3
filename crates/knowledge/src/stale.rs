//! Which files are older than what they were made of, and why. What a source was when it was used is asked from outside,
//! pair by pair; this follows it through the graph. Where nobody knows, that is said, and nothing is guessed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::lineage::{Direction, Lineage, NodeId};

/// What became of a source since a file was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// It is as it was.
    Same,
    /// It is another, and how that is known.
    Changed(String),
    /// It is not there any more.
    Gone,
    /// Nobody recorded what it was, and what is lacking.
    Unknown(String),
}

/// Why a file is stale.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A source changed, and how that is known.
    Changed(NodeId, String),
    /// A source is gone.
    Gone(NodeId),
    /// A source is itself stale.
    Through(NodeId),
}

/// How a file stands to what it was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Why it is stale; nothing if it is not.
    pub causes: Vec<Cause>,
    /// Sources of which it is not known, and why.
    pub unknown: Vec<(NodeId, String)>,
}

/// How the files of a graph stand, those without sources left out.
pub type Standings = BTreeMap<NodeId, Standing>;

impl Standing {
    /// Whether a source is other than it was.
    pub fn is_stale(&self) -> bool {
        !self.causes.is_empty()
    }
}

impl Lineage {
    /// How files stand to their sources; only the newest version of each path, since older ones are past. `judge` says what
    /// became of a source since a file was made of it.
    pub fn standings(&self, judge: &mut dyn FnMut(NodeId, NodeId) -> Judged) -> Standings {
        let mut standings = Standings::new();
        for id in self.ids().filter(|id| self.is_newest(*id)) {
            let mut standing = Standing::default();
            for (version, source) in self.sources_in_place(id) {
                match judge(version, source) {
                    Judged::Same => {}
                    Judged::Changed(how) => standing.causes.push(Cause::Changed(source, how)),
                    Judged::Gone => standing.causes.push(Cause::Gone(source)),
                    Judged::Unknown(why) => standing.unknown.push((source, why)),
                }
            }
            if !self.next(id, Direction::Up).is_empty() {
                standings.insert(id, standing);
            }
        }
        let stale = standings.iter().filter(|(_, standing)| standing.is_stale()).map(|(id, _)| *id);
        let mut open: VecDeque<NodeId> = stale.collect();
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        while let Some(id) = open.pop_front() {
            if !done.insert(id) {
                continue;
            }
            for product in self.next(id, Direction::Down) {
                let Some(standing) = standings.get_mut(product) else { continue };
                let is_told = standing.causes.iter().any(|cause| cause.source() == id);
                if *product != id && !is_told {
                    standing.causes.push(Cause::Through(id));
                    open.push_back(*product);
                }
            }
        }
        standings
    }

    /// The sources of a file with the version that was made of each. One that was changed in place still rests on what its
    /// earlier versions were made of; what a later one was made of again counts there.
    fn sources_in_place(&self, id: NodeId) -> Vec<(NodeId, NodeId)> {
        let path = &self.node(id).entry.path;
        let (mut found, mut seen, mut versions) = (Vec::new(), BTreeSet::new(), vec![id]);
        let mut next = 0;
        while let Some(version) = versions.get(next).copied() {
            next += 1;
            for source in self.next(version, Direction::Up).iter().copied() {
                let source_path = self.node(source).entry.path.as_str();
                if source_path != path && seen.insert(source_path) {
                    found.push((version, source));
                } else if source_path == path && !versions.contains(&source) {
                    versions.push(source);
                }
            }
        }
        found
    }
}

impl Cause {
    /// The source that it is about.
    pub fn source(&self) -> NodeId {
        match self {
            Self::Changed(source, _) | Self::Gone(source) | Self::Through(source) => *source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, LineageBuilder};

    fn lineage(rows: &[(&str, &str, &[&str])]) -> Lineage {
        let mut builder = LineageBuilder::default();
        for (line, (run, path, sources)) in rows.iter().enumerate() {
            let sources = sources.iter().map(|source| (*source).into()).collect();
            builder.add("c.md", line, Entry { run: (*run).into(), path: (*path).into(), sources, ..Entry::default() });
        }
        builder.build()
    }

    fn told(lineage: &Lineage, changed: &[&str], unknown: &[&str]) -> String {
        let standings = lineage.standings(&mut |_, source| match lineage.node(source).entry.path.as_str() {
            path if changed.contains(&path) => Judged::Changed("record 9".into()),
            path if unknown.contains(&path) => Judged::Unknown("nobody knows".into()),
            path if path.starts_with("gone") => Judged::Gone,
            _ => Judged::Same,
        });
        let name = |id: &NodeId| lineage.node(*id).entry.path.as_str();
        let told = standings.iter().filter(|(_, standing)| **standing != Standing::default()).map(|(id, standing)| {
            let causes = standing.causes.iter().map(|cause| match cause {
                Cause::Changed(source, _) => format!("!{}", name(source)),
                Cause::Gone(source) => format!("-{}", name(source)),
                Cause::Through(source) => format!("<{}", name(source)),
            });
            let unknown = standing.unknown.iter().map(|(source, _)| format!("?{}", name(source)));
            format!("{} {}", name(id), causes.chain(unknown).collect::<Vec<_>>().join(" "))
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// LN-10: what changed is told with what follows from it, and what is not known as that.
    #[test]
    fn a_changed_source_makes_all_that_follows_stale() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("r1", "data/a", &[]),
            ("r1", "data/b", &[]),
            ("r1", "x", &["data/a"]),
            ("r1", "y", &["data/b"]),
            ("r2", "z", &["x", "y"]),
            ("r2", "w", &["gone", "data/b"]),
        ];
        let lineage = lineage(rows);
        assert_eq!(told(&lineage, &["data/a"], &[]), "w -gone; x !data/a; z <x");
        assert_eq!(told(&lineage, &[], &["data/b"]), "w -gone ?data/b; y ?data/b");
        assert_eq!(told(&lineage, &["x", "data/a"], &[]), "w -gone; x !data/a; z !x");
    }

    #[test]
    fn a_ring_ends_and_a_file_changed_in_place_is_not_stale_by_itself() {
        let ring = lineage(&[("r1", "a", &["b", "s"]), ("r1", "b", &["a"]), ("", "s", &[])]);
        assert_eq!(told(&ring, &["s"], &[]), "a !s <b; b <a");
        let again = lineage(&[("r1", "a", &["s"]), ("r2", "a", &["a", "t"]), ("", "s", &[]), ("", "t", &[])]);
        assert_eq!(told(&again, &["a"], &[]), "");
        assert_eq!(told(&again, &["t"], &[]), "a !t");
        assert_eq!(told(&again, &["s"], &[]), "a !s", "what it was made of at first still counts");
    }
}
