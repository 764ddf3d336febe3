//! Which files are older than what they were made of, and why. What a source was when it was used is asked from outside,
//! pair by pair; this follows it through the graph. Where nobody knows, that is said, and nothing is guessed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::lineage::{Direction, Lineage, NodeId};
use crate::natural::natural;

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
    ///
    /// A source that a person changed outdates all that follows, over all versions. One that a later run made again outdates
    /// what was made of it before, unless it was made of that; versions that were themselves made again since are past.
    pub fn standings(&self, judge: &mut dyn FnMut(NodeId, NodeId) -> Judged) -> Standings {
        let (mut hard, mut soft) = (Standings::new(), Standings::new());
        for id in self.ids() {
            let (mut by_hand, mut by_run) = (Standing::default(), Standing::default());
            for source in self.other_sources(id) {
                match judge(id, source) {
                    Judged::Same => {}
                    Judged::Changed(how) if self.is_newest(source) => by_hand.causes.push(Cause::Changed(source, how)),
                    Judged::Changed(_) if !self.is_outdated_by_run(id, source) => {}
                    Judged::Changed(how) => by_run.causes.push(Cause::Changed(source, how)),
                    Judged::Gone => by_hand.causes.push(Cause::Gone(source)),
                    Judged::Unknown(why) => by_hand.unknown.push((source, why)),
                }
            }
            hard.insert(id, by_hand);
            soft.insert(id, by_run);
        }
        self.follow(&mut hard, Through::AllVersions);
        self.follow(&mut soft, Through::OneVersion);
        let mut standings = Standings::new();
        for id in self.ids().filter(|id| self.is_newest(*id) && !self.next(*id, Direction::Up).is_empty()) {
            let mut standing = hard.remove(&id).unwrap_or_default();
            let soft = soft.remove(&id).unwrap_or_default();
            if self.is_of_use(id) {
                let is_told = |cause: &Cause| standing.causes.iter().any(|told| told.source() == cause.source());
                let more: Vec<Cause> = soft.causes.into_iter().filter(|cause| !is_told(cause)).collect();
                standing.causes.extend(more);
            }
            standings.insert(id, standing);
        }
        standings
    }

    /// What follows from stale files is stale, too.
    fn follow(&self, standings: &mut Standings, through: Through) {
        let stale = standings.iter().filter(|(_, standing)| standing.is_stale()).map(|(id, _)| *id);
        let mut open: VecDeque<NodeId> = stale.collect();
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        let mut until = self.made_again_by(standings, through);
        while let Some(id) = open.pop_front() {
            if !done.insert(id) {
                continue;
            }
            let causes = standings.get(&id).map(|standing| standing.causes.clone()).unwrap_or_default();
            for product in self.next(id, Direction::Down).iter().filter(|product| **product != id) {
                let is_version = self.node(*product).entry.path == self.node(id).entry.path;
                let Some(standing) = standings.get_mut(product) else { continue };
                // What was made with a source made again, or after that, is not outdated by it.
                let outdated = until.get(&id).is_none_or(|run| natural(&self.node(*product).entry.run, run).is_lt());
                if through == Through::OneVersion && !outdated {
                    continue;
                }
                if let Some(run) = until.get(&id).cloned() {
                    let known = until.entry(*product).or_default();
                    if natural(&run, known).is_gt() {
                        *known = run;
                    }
                }
                // A version that rests on the one before is stale by what that was made of.
                let new = match (is_version, through) {
                    (true, Through::OneVersion) => Vec::new(),
                    (true, Through::AllVersions) => causes.clone(),
                    (false, _) => vec![Cause::Through(id)],
                };
                for cause in new {
                    if !standing.causes.iter().any(|told| told.source() == cause.source()) {
                        standing.causes.push(cause);
                    }
                }
                if standing.is_stale() {
                    open.push_back(*product);
                }
            }
        }
    }

    /// The last run that made a source of each stale file again.
    fn made_again_by(&self, standings: &Standings, through: Through) -> BTreeMap<NodeId, String> {
        let mut runs = BTreeMap::new();
        for (id, standing) in standings.iter().filter(|_| through == Through::OneVersion) {
            let newest = standing.causes.iter().filter_map(|cause| self.newest(&self.node(cause.source()).entry.path));
            let last =
                newest.map(|newest| self.node(newest).entry.run.as_str()).max_by(|one, other| natural(one, other));
            runs.extend(last.map(|run| (*id, run.to_owned())));
        }
        runs
    }

    /// What a file was made of, its own earlier version left out: that is meant to be another.
    fn other_sources(&self, id: NodeId) -> Vec<NodeId> {
        let path = &self.node(id).entry.path;
        let sources = self.next(id, Direction::Up).iter().copied();
        sources.filter(|source| self.node(*source).entry.path != *path).collect()
    }

    /// Whether a later run made a source again, and not of the file itself. What a run changes after it read it, it knows.
    fn is_outdated_by_run(&self, file: NodeId, source: NodeId) -> bool {
        let newest = self.newest(&self.node(source).entry.path);
        newest.is_some_and(|newest| {
            let is_later = natural(&self.node(newest).entry.run, &self.node(file).entry.run).is_gt();
            is_later && !self.leads_to(file, newest)
        })
    }

    /// Whether a file counts by itself, or a result of its run that counts rests on it: working papers of results that were
    /// made again since are past.
    fn is_of_use(&self, id: NodeId) -> bool {
        let run = &self.node(id).entry.run;
        let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            let path = &self.node(id).entry.path;
            if self.is_newest(id) && !path.starts_with("runs/") {
                return true;
            }
            let next = self.next(id, Direction::Down).iter().copied();
            open.extend(next.filter(|next| self.node(*next).entry.run == *run && seen.insert(*next)));
        }
        false
    }
}

/// How far what outdates a file goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Through {
    /// To later versions of the same path, too.
    AllVersions,
    /// Not beyond the version itself.
    OneVersion,
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

    /// LN-12: a later run makes a source again: what was made of it before is stale, what came with it or after is not.
    #[test]
    fn a_source_that_a_later_run_made_again_outdates_what_came_before() {
        let rows: &[(&str, &str, &[&str])] = &[
            ("run-001", "outputs/spec", &["data/a"]),
            ("run-002", "runs/run-002/w", &["outputs/spec"]),
            ("run-002", "outputs/guide", &["runs/run-002/w"]),
            ("run-003", "outputs/spec", &["data/b"]),
            ("run-003", "outputs/plan", &["outputs/guide"]),
        ];
        let told = told(&lineage(rows), &["outputs/spec"], &[]);
        assert_eq!(told, "outputs/guide <runs/run-002/w; runs/run-002/w !outputs/spec");
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
