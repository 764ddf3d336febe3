//! Which entries of a roadmap are items, which are groups, and which only say something of another (RM-19). Only leaves are
//! items. Must not know where roadmaps are, nor how they are kept.
//!
//! An entry with a box, or one that says its state, is surely meant to be done. Others count where they stand by
//! themselves: below a heading, below a group without a box, beside sure ones. Lists below a sure one that hold none say
//! something of it.

use std::ops::Range;

use syntax::markdown::lists::Node;

use super::face::{Face, is_field, is_lost_field, is_note, is_state};
use super::title;
use super::words::{self, Key};

/// An item or a group that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Where it is in the text.
    pub(crate) span: Range<usize>,
    /// The group it stands in, by its place among those that were found.
    pub(crate) parent: Option<usize>,
    pub(crate) is_group: bool,
    pub(crate) face: Face,
}

/// The items and groups of one roadmap, in order.
pub(crate) fn find(text: &str, nodes: &[Node], body: &Range<usize>) -> Vec<Found> {
    let first = nodes.partition_point(|node| node.start < body.start);
    let last = nodes.partition_point(|node| node.start < body.end);
    let survey = Survey::of(text, nodes, first..last);
    let mut found: Vec<Found> = Vec::new();
    let mut places: Vec<Option<usize>> = vec![None; nodes.len()];
    let own: Vec<usize> = (first..last).filter(|at| survey.is_own[*at - first]).collect();
    for (number, at) in own.iter().enumerate() {
        let node = &nodes[*at];
        let next = own.get(number + 1).map(|next| &nodes[*next]);
        let has_children = next.is_some_and(|next| next.start < node.end && is_within(nodes, own[number + 1], *at));
        let is_heading = node.level().is_some();
        let limit = node.end.min(body.end);
        let end = if has_children { next.map_or(limit, |next| next.start.min(limit)) } else { limit };
        let Some(face) = Face::read(&text[node.start..end]) else { continue };
        let is_group = has_children || (is_heading && face.line(Key::Status).is_none());
        places[*at] = Some(found.len());
        let span = node.start..node.start + face.end;
        found.push(Found { span, parent: parent_in(nodes, *at, &places), is_group, face });
    }
    found
}

/// Whether a node stands in another.
fn is_within(nodes: &[Node], mut node: usize, holder: usize) -> bool {
    while let Some(parent) = nodes[node].parent.filter(|parent| *parent >= holder) {
        if parent == holder {
            return true;
        }
        node = parent;
    }
    false
}

fn parent_in(nodes: &[Node], node: usize, places: &[Option<usize>]) -> Option<usize> {
    let mut holder = nodes[node].parent;
    while let Some(at) = holder {
        if places[at].is_some() {
            return places[at];
        }
        holder = nodes[at].parent;
    }
    None
}

/// What is known of each node of a roadmap.
struct Survey {
    is_own: Vec<bool>,
}

impl Survey {
    fn of(text: &str, nodes: &[Node], range: Range<usize>) -> Self {
        let first = range.start;
        let holder = |at: usize| nodes[at].parent.filter(|parent| range.contains(parent)).map(|parent| parent - first);
        let count = range.len();
        let mut is_field_of = vec![false; count];
        let mut says_state = vec![false; count];
        for at in range.clone() {
            let node = &nodes[at];
            is_field_of[at - first] = is_field(text, node);
            if is_field_of[at - first]
                && let Some(holder) = holder(at)
                && is_state(text, node)
            {
                says_state[holder] = true;
            }
        }
        let numbers: Vec<String> =
            range.clone().map(|at| title::read(text, nodes[at].content.clone(), true).0.number).collect();
        let is_sure: Vec<bool> = range
            .clone()
            .map(|at| {
                let (node, place) = (&nodes[at], at - first);
                let parent = holder(at).filter(|parent| nodes[first + parent].level().is_none());
                let goes_on = parent.is_some_and(|parent| {
                    let rest = numbers[place].strip_prefix(numbers[parent].as_str());
                    !numbers[parent].is_empty() && rest.is_some_and(|rest| rest.starts_with('.'))
                });
                node.check().is_some() || says_state[place] || goes_on
            })
            .collect();
        let (mut holds_sure, mut has_sure_child) = (vec![false; count], vec![false; count]);
        for at in range.clone().rev() {
            let place = at - first;
            if let Some(parent) = holder(at).filter(|_| is_sure[place] || holds_sure[place]) {
                holds_sure[parent] = true;
                has_sure_child[parent] |= nodes[at].level().is_none();
            }
        }
        let mut is_own = vec![false; count];
        let is_in_remarks = |parent: Option<usize>, is_own: &[bool]| {
            parent.is_some_and(|parent| nodes[first + parent].level().is_some() && !is_own[parent])
        };
        for at in range.clone() {
            let (node, place) = (&nodes[at], at - first);
            let parent = holder(at);
            let is_below_entry = parent.is_some_and(|parent| nodes[first + parent].level().is_none());
            is_own[place] = match node.level() {
                Some(_) => holds_sure[place] || is_sure[place] || !words::is_remark(&text[node.content.clone()]),
                // Notes beside the items are none.
                None if !is_sure[place] && !holds_sure[place] && is_in_remarks(parent, &is_own) => false,
                None if is_sure[place] || holds_sure[place] => true,
                None if is_field_of[place] && (parent.is_some() || is_lost_field(text, node)) => false,
                None if is_below_entry && is_note(text, node) => false,
                None => match parent {
                    None => true,
                    Some(parent) => (is_own[parent] && !is_sure[parent]) || has_sure_child[parent],
                },
            };
        }
        Self { is_own }
    }
}
