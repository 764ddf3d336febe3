//! The part of a family tree that is shown, and what is said of each file. Must not know how it is shown.

use std::collections::BTreeSet;

use engine::Ancestry;
use engine::knowledge::{Cause, Direction, NodeId};

use super::super::visible;

/// Which way from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
    Both,
}

/// The files that are shown.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    pub(super) ancestry: &'a Ancestry,
    /// The file that was asked for.
    pub(super) file: Option<&'a str>,
    pub(super) way: Way,
    pub(super) nodes: BTreeSet<NodeId>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(ancestry: &'a Ancestry, file: Option<&'a str>, way: Way) -> Self {
        let lineage = &ancestry.lineage;
        let Some(path) = file else {
            return Self { ancestry, file, way, nodes: lineage.ids().collect() };
        };
        let versions = lineage.versions(path);
        let mut nodes: BTreeSet<NodeId> = versions.iter().copied().collect();
        if way != Way::Down {
            nodes.extend(lineage.reach(versions, Direction::Up));
        }
        if way != Way::Up {
            nodes.extend(lineage.reach(versions, Direction::Down));
        }
        Self { ancestry, file, way, nodes }
    }

    pub(super) fn keep_affected(&mut self) {
        self.nodes = self.file.map(|path| self.ancestry.lineage.affected(path)).unwrap_or_default();
    }

    pub(super) fn keep_stale(&mut self) {
        let standings = &self.ancestry.standings;
        self.nodes.retain(|id| standings.get(id).is_some_and(|standing| standing.is_stale()));
    }

    /// Source and product, where both are shown.
    pub(super) fn edges(&self) -> Vec<(NodeId, NodeId)> {
        let lineage = &self.ancestry.lineage;
        let of = |id: &NodeId| lineage.next(*id, Direction::Up).iter().map(|source| (*source, *id)).collect::<Vec<_>>();
        self.nodes.iter().flat_map(of).filter(|(source, _)| self.nodes.contains(source)).collect()
    }

    /// Rings that touch what is shown.
    pub(super) fn rings(&self) -> Vec<Vec<NodeId>> {
        let rings = self.ancestry.lineage.rings();
        rings.into_iter().filter(|ring| ring.iter().any(|id| self.nodes.contains(id))).collect()
    }

    /// Files that nobody can say of whether they are stale, with the source and the reason.
    pub(super) fn unknown(&self) -> Vec<(NodeId, NodeId, &str)> {
        let all = self.ancestry.standings.iter();
        let of_shown = all.filter(|(id, _)| self.file.is_none() || self.nodes.contains(id));
        of_shown
            .flat_map(|(id, standing)| standing.unknown.iter().map(|(source, why)| (*id, *source, why.as_str())))
            .collect()
    }

    pub(super) fn name(&self, id: NodeId) -> String {
        visible::text(&self.ancestry.lineage.node(id).entry.path)
    }

    /// The kind, and the run where it is of one.
    pub(super) fn what(&self, id: NodeId) -> String {
        let entry = &self.ancestry.lineage.node(id).entry;
        let is_old = !self.ancestry.lineage.is_newest(id);
        // What a path says of its run need not be said again.
        let is_said = self.ancestry.lineage.next(id, Direction::Up).is_empty() || entry.path.contains(&entry.run);
        let run = if is_said { "" } else { entry.run.as_str() };
        let pieces = [visible::text(&entry.kind), visible::text(run)];
        let mut words: Vec<String> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        if is_old {
            words.push("an earlier version".into());
        }
        words.join(" ")
    }

    pub(super) fn is_stale(&self, id: NodeId) -> bool {
        self.ancestry.standings.get(&id).is_some_and(|standing| standing.is_stale())
    }

    /// What is to be said of a file beside its name, worst first.
    pub(super) fn remarks(&self, id: NodeId) -> Vec<String> {
        let mut remarks = Vec::new();
        let node = self.ancestry.lineage.node(id);
        if let Some(reason) = self.ancestry.gone.get(&id) {
            remarks.push(visible::text(reason));
        }
        let standing = self.ancestry.standings.get(&id);
        let causes = standing.map(|standing| standing.causes.as_slice()).unwrap_or_default();
        let (through, own): (Vec<&Cause>, Vec<&Cause>) =
            causes.iter().partition(|cause| matches!(cause, Cause::Through(_)));
        remarks.extend(own.into_iter().map(|cause| format!("stale: {}", self.in_words(cause))));
        if !through.is_empty() {
            remarks.push("stale with what it was made of".into());
        }
        if let Some(record) = self.ancestry.edited.get(&id) {
            remarks.push(format!("changed by hand (record {record})"));
        }
        if node.rows.is_empty() {
            remarks.push("no catalog lists it".into());
        }
        remarks
    }

    /// Why a file is stale, source by source.
    pub(super) fn causes(&self, id: NodeId) -> Vec<String> {
        let causes = self.ancestry.standings.get(&id).map(|standing| standing.causes.as_slice()).unwrap_or_default();
        causes.iter().map(|cause| self.in_words(cause)).collect()
    }

    fn in_words(&self, cause: &Cause) -> String {
        let name = self.name(cause.source());
        match cause {
            Cause::Changed(_, how) => format!("{name} was {}", visible::text(how)),
            Cause::Gone(_) => format!("{name} is gone"),
            Cause::Through(_) => format!("{name} is stale itself"),
        }
    }
}
