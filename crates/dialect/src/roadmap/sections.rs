//! Where the roadmap and the work log of a log are: by the words of their headings, and else by what stands below them
//! (RM-02). Must not know what an entry says beyond its shape.

use std::ops::Range;

use syntax::markdown::lists::Node;

use super::face::is_state;
use super::stamp;
use super::words::SectionName;

/// Where things are. Spans are bytes of the text whose nodes were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sections {
    /// The roadmaps, in order: mostly one.
    pub(crate) roadmaps: Vec<Part>,
    /// The work log.
    pub(crate) log: Option<Part>,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its heading among the nodes; nothing if it has none.
    pub(crate) heading: Option<usize>,
    /// What stands below the heading.
    pub(crate) body: Range<usize>,
    /// Whether it was found by a word of its heading, and not by what it holds.
    pub(crate) is_named: bool,
    /// Whether it stays what it is when entries come and go in it.
    pub(crate) is_firm: bool,
}

/// Finds the sections of a text, which begins behind its front matter.
pub(crate) fn find(text: &str, nodes: &[Node]) -> Sections {
    let headings: Vec<usize> = (0..nodes.len()).filter(|at| nodes[*at].level().is_some()).collect();
    let name = |at: usize| SectionName::of(&text[nodes[at].content.clone()]);
    let is_inside = |at: usize, part: &Part| part.body.contains(&nodes[at].start);
    let part = |at: usize, is_named: bool| Part {
        heading: Some(at),
        body: nodes[at].head_end..nodes[at].end,
        is_named,
        is_firm: is_named,
    };
    // A title over all of it is no section: `# Log`, with a roadmap and a work log below.
    let is_title = |at: usize| {
        let mut inside = headings.iter().filter(|other| **other > at && nodes[**other].start < nodes[at].end);
        inside.any(|other| name(*other).is_some())
    };
    let mut found = Sections::default();
    for at in &headings {
        let is_taken = found.roadmaps.iter().chain(&found.log).any(|part| is_inside(*at, part));
        match name(*at).filter(|_| !is_taken) {
            Some(SectionName::WorkLog) if found.log.is_none() && !is_title(*at) => found.log = Some(part(*at, true)),
            Some(SectionName::Roadmap) => found.roadmaps.push(part(*at, true)),
            _ => {}
        }
    }
    if found.log.is_none() {
        found.log = log_by_shape(text, nodes, &headings, &found.roadmaps, &part);
    }
    if found.roadmaps.is_empty() {
        found.roadmaps.extend(roadmap_by_shape(text, nodes, found.log.as_ref(), &part));
    }
    if found.log.is_none() {
        found.log = log_by_place(nodes, &headings, &found.roadmaps, &part);
    }
    // A roadmap ends where entries of the work log begin, whatever their level.
    for roadmap in &mut found.roadmaps {
        let inside = headings.iter().filter(|at| roadmap.body.contains(&nodes[**at].start));
        let stops = inside.filter(|at| is_entry(text, nodes, **at)).map(|at| nodes[*at].start);
        let log = found.log.as_ref().map(|log| log.heading.map_or(log.body.start, |at| nodes[at].start));
        let stops = stops.chain(log.filter(|start| roadmap.body.contains(start)));
        roadmap.body.end = stops.min().unwrap_or(roadmap.body.end);
    }
    found
}

/// Whether a heading begins an entry of a work log, wherever it stands.
fn is_entry(text: &str, nodes: &[Node], at: usize) -> bool {
    stamp::Stamp::read(&text[nodes[at].content.clone()]).is_sure()
}

/// The section that holds the first entry of a work log; without one, from that entry on.
fn log_by_shape(
    text: &str,
    nodes: &[Node],
    headings: &[usize],
    roadmaps: &[Part],
    part: &dyn Fn(usize, bool) -> Part,
) -> Option<Part> {
    let first = headings.iter().copied().find(|at| is_entry(text, nodes, *at));
    if let Some(first) = first {
        let holder = nodes[first].parent.filter(|holder| {
            let is_title = nodes[*holder].level() == Some(1);
            let is_roadmap = roadmaps.iter().any(|roadmap| roadmap.heading == Some(*holder));
            !is_title && !is_roadmap && !holds_work(text, nodes, &nodes[*holder], first)
        });
        return Some(match holder {
            Some(holder) => Part { is_firm: true, ..part(holder, false) },
            None => {
                let start = nodes[first].start;
                let end = headings
                    .iter()
                    .filter(|at| nodes[**at].start > start && nodes[**at].level() < nodes[first].level());
                let end = end.map(|at| nodes[*at].start).min().unwrap_or(text.len());
                Part { heading: None, body: start..end, is_named: false, is_firm: true }
            }
        });
    }
    // Entries as a list: who, when, how often.
    let entry = nodes.iter().find(|node| {
        node.level().is_none()
            && node.check().is_none()
            && node.parent.is_none_or(|parent| nodes[parent].level().is_some())
            && stamp::Stamp::read(&text[node.content.clone()]).is_sure()
    })?;
    match entry.parent {
        Some(holder) if roadmaps.iter().all(|roadmap| roadmap.heading != Some(holder)) => Some(part(holder, false)),
        Some(_) => None,
        None => Some(Part { heading: None, body: entry.start..text.len(), is_named: false, is_firm: false }),
    }
}

/// Whether something to be done stands in a section, before a node.
fn holds_work(text: &str, nodes: &[Node], section: &Node, before: usize) -> bool {
    let inside = nodes[..before].iter().filter(|node| node.start >= section.head_end && node.start < section.end);
    inside.into_iter().any(|node| node.check().is_some() || is_state(text, node))
}

/// The section of the first entry that has a box or says its state: the outermost one that does not hold the work log.
fn roadmap_by_shape(
    text: &str,
    nodes: &[Node],
    log: Option<&Part>,
    part: &dyn Fn(usize, bool) -> Part,
) -> Option<Part> {
    let is_in_log = |node: &Node| log.is_some_and(|log| log.body.contains(&node.start));
    let first = nodes
        .iter()
        .find(|node| node.level().is_none() && !is_in_log(node) && (node.check().is_some() || is_state(text, node)))?;
    let mut holder = first.parent;
    while let Some(at) = holder.filter(|at| nodes[*at].level().is_none()) {
        holder = nodes[at].parent;
    }
    let log_start = log.map(|log| log.heading.map_or(log.body.start, |at| nodes[at].start));
    let holds_log = |at: usize| log_start.is_some_and(|start| start >= nodes[at].head_end && start < nodes[at].end);
    while let Some(at) = holder {
        let outer = nodes[at].parent.filter(|outer| nodes[*outer].level() > Some(1) && !holds_log(*outer));
        match outer {
            Some(outer) => holder = Some(outer),
            None => break,
        }
    }
    Some(match holder {
        Some(at) => part(at, false),
        None => {
            let heading = nodes.iter().find(|node| node.level().is_some()).map(|node| node.start);
            let end = heading.or(log_start).unwrap_or(text.len());
            Part { heading: None, body: 0..end, is_named: false, is_firm: false }
        }
    })
}

/// The section of the same level behind the roadmap, if nothing to be done stands in it.
fn log_by_place(
    nodes: &[Node],
    headings: &[usize],
    roadmaps: &[Part],
    part: &dyn Fn(usize, bool) -> Part,
) -> Option<Part> {
    let roadmap = roadmaps.last()?.heading?;
    let level = nodes[roadmap].level();
    let next = headings.iter().copied().find(|at| *at > roadmap && nodes[*at].level() <= level)?;
    let inside = nodes[next + 1..].iter().take_while(|node| node.start < nodes[next].end);
    let is_free = nodes[next].level() == level && inside.into_iter().all(|node| node.check().is_none());
    is_free.then(|| part(next, false))
}
