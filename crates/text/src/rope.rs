//! A persistent text: a balanced tree of slices of shared buffers. A splice makes a new path from the root to the
//! touched leaves and shares everything else, so old versions stay readable at no cost.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

/// Leaves are at most this long: short enough to scan for a line break, long enough to keep the tree flat.
const LEAF: usize = 1024;
/// The most children of an inner node.
const FAN: usize = 16;

/// Any bytes, counted in bytes and lines. Cloning is cheap; so is keeping every earlier version.
#[derive(Clone, Default)]
pub struct Text {
    root: Node,
}

#[derive(Clone)]
enum Node {
    Leaf { bytes: Bytes, feeds: usize },
    Inner(Arc<Inner>),
}

struct Inner {
    length: usize,
    feeds: usize,
    height: usize,
    children: Vec<Node>,
}

impl Text {
    /// The empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.root.length()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both are one and the same in memory. If not they may still have the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Node::Inner(one), Node::Inner(two)) => Arc::ptr_eq(one, two),
            (Node::Leaf { bytes: one, .. }, Node::Leaf { bytes: two, .. }) => {
                one.len() == two.len() && (one.is_empty() || one.as_ptr() == two.as_ptr())
            }
            _ => false,
        }
    }

    /// How many lines there are: one for each line feed, and one more for bytes after the last.
    pub fn line_count(&self) -> usize {
        let feeds = self.root.feeds();
        let unfinished = self.len() > self.root.after_feed(feeds);
        feeds + usize::from(unfinished)
    }

    /// Where a line lies, its line break included. A line past the end is empty and lies at the end.
    pub fn line(&self, line: usize) -> Range<usize> {
        self.root.after_feed(line)..self.root.after_feed(line + 1)
    }

    /// Where a line begins, and its bytes, its line break included; found in one go where it lies in one piece.
    pub fn line_bytes(&self, line: usize) -> (usize, Cow<'_, [u8]>) {
        match self.root.line_in_leaf(line) {
            Some((start, bytes)) => (start, Cow::Borrowed(bytes)),
            None => {
                let range = self.line(line);
                (range.start, self.slice(range))
            }
        }
    }

    /// The line, from 0, that holds the byte at `offset`.
    pub fn line_at(&self, offset: usize) -> usize {
        self.root.feeds_before(offset.min(self.len()))
    }

    /// The bytes of a range; borrowed when they lie in one piece. What lies past the end is left out.
    pub fn slice(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        self.root.slice(start, end)
    }

    /// Replaces a range by `put`; copies at most two leaves.
    pub fn splice(&mut self, range: Range<usize>, put: &[u8]) {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self.root.within_leaf(start, end, put) {
            Some((root, None)) => return self.root = root,
            Some((one, Some(other))) => return self.root = Node::inner(vec![one, other]),
            None => {}
        }
        let left = self.root.part(0, start);
        let right = self.root.part(end, self.len());
        let middle = Self::from(put.to_vec()).root;
        self.root = concat(concat(left, middle), right);
    }

    /// Its bytes in order, in pieces.
    pub fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        let mut stack = vec![&self.root];
        std::iter::from_fn(move || {
            while let Some(node) = stack.pop() {
                match node {
                    Node::Leaf { bytes, .. } => return Some(bytes.as_ref()),
                    Node::Inner(inner) => stack.extend(inner.children.iter().rev()),
                }
            }
            None
        })
        .filter(|chunk: &&[u8]| !chunk.is_empty())
    }

    /// All bytes in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len());
        for chunk in self.chunks() {
            all.extend_from_slice(chunk);
        }
        all
    }
}

impl Node {
    fn leaf(bytes: Bytes) -> Self {
        let feeds = memchr::memchr_iter(b'\n', &bytes).count();
        Self::Leaf { bytes, feeds }
    }

    fn inner(children: Vec<Node>) -> Self {
        Self::Inner(Arc::new(Inner {
            length: children.iter().map(Node::length).sum(),
            feeds: children.iter().map(Node::feeds).sum(),
            height: 1 + children.first().map_or(0, Node::height),
            children,
        }))
    }

    /// One node of the given children, or a level more when they are too many for one.
    fn joined(mut children: Vec<Node>) -> Self {
        if children.len() > FAN {
            let right = children.split_off(children.len() / 2);
            return Self::inner(vec![Self::joined(children), Self::joined(right)]);
        }
        match children.len() {
            1 => children.remove(0),
            _ => Self::inner(children),
        }
    }

    fn length(&self) -> usize {
        match self {
            Self::Leaf { bytes, .. } => bytes.len(),
            Self::Inner(inner) => inner.length,
        }
    }

    fn feeds(&self) -> usize {
        match self {
            Self::Leaf { feeds, .. } => *feeds,
            Self::Inner(inner) => inner.feeds,
        }
    }

    fn height(&self) -> usize {
        match self {
            Self::Leaf { .. } => 0,
            Self::Inner(inner) => inner.height,
        }
    }

    /// The offset just behind the `count`-th line feed; the end when there are fewer.
    fn after_feed(&self, mut count: usize) -> usize {
        if count == 0 {
            return 0;
        }
        let mut node = self;
        let mut offset = 0;
        loop {
            match node {
                Self::Leaf { bytes, .. } => {
                    let found = memchr::memchr_iter(b'\n', bytes).nth(count - 1);
                    return offset + found.map_or(bytes.len(), |at| at + 1);
                }
                Self::Inner(inner) => {
                    let Some(next) = inner.children.iter().find(|child| {
                        let here = child.feeds() >= count;
                        if !here {
                            count -= child.feeds();
                            offset += child.length();
                        }
                        here
                    }) else {
                        return offset;
                    };
                    node = next;
                }
            }
        }
    }

    /// A line whose line feed, and that of the line before, are in one leaf: where it begins, and its bytes.
    fn line_in_leaf(&self, mut line: usize) -> Option<(usize, &[u8])> {
        let mut node = self;
        let mut offset = 0;
        loop {
            match node {
                Self::Leaf { bytes, .. } => {
                    let mut feeds = memchr::memchr_iter(b'\n', bytes);
                    let start = match line {
                        // What a leaf begins with may have begun in the one before, unless that is none.
                        0 if offset > 0 => return None,
                        0 => 0,
                        line => feeds.nth(line - 1)? + 1,
                    };
                    let end = feeds.next()? + 1;
                    return Some((offset + start, &bytes[start..end]));
                }
                Self::Inner(inner) => {
                    node = inner.children.iter().find(|child| {
                        // The line must end in it: one that only begins there lies in two.
                        let here = child.feeds() > line;
                        if !here {
                            line -= child.feeds();
                            offset += child.length();
                        }
                        here
                    })?;
                }
            }
        }
    }

    fn feeds_before(&self, mut offset: usize) -> usize {
        let mut node = self;
        let mut feeds = 0;
        loop {
            match node {
                Self::Leaf { bytes, .. } => return feeds + memchr::memchr_iter(b'\n', &bytes[..offset]).count(),
                Self::Inner(inner) => {
                    let Some(next) = inner.children.iter().find(|child| {
                        let here = offset < child.length();
                        if !here {
                            offset -= child.length();
                            feeds += child.feeds();
                        }
                        here
                    }) else {
                        return feeds;
                    };
                    node = next;
                }
            }
        }
    }

    fn slice(&self, mut start: usize, mut end: usize) -> Cow<'_, [u8]> {
        let mut node = self;
        'down: loop {
            match node {
                Self::Leaf { bytes, .. } => return Cow::Borrowed(&bytes[start..end]),
                Self::Inner(inner) => {
                    let mut before = 0;
                    for child in &inner.children {
                        let after = before + child.length();
                        if before <= start && end <= after {
                            (start, end, node) = (start - before, end - before, child);
                            continue 'down;
                        }
                        before = after;
                    }
                    let mut all = Vec::with_capacity(end - start);
                    node.collect(start, end, &mut all);
                    return Cow::Owned(all);
                }
            }
        }
    }

    fn collect(&self, start: usize, end: usize, all: &mut Vec<u8>) {
        match self {
            Self::Leaf { bytes, .. } => all.extend_from_slice(&bytes[start..end]),
            Self::Inner(inner) => {
                for (child, from, to) in inner.within(start, end) {
                    child.collect(from, to, all);
                }
            }
        }
    }

    /// The node of a range; shares every leaf with this one.
    fn part(&self, start: usize, end: usize) -> Node {
        match self {
            _ if start >= end => Node::default(),
            _ if start == 0 && end == self.length() => self.clone(),
            Self::Leaf { bytes, .. } => Self::leaf(bytes.slice(start..end)),
            Self::Inner(inner) => inner.part(start, end),
        }
    }

    /// The most common splice: it touches one leaf, which stays one or becomes two. Only the way down to it is made
    /// anew. Gives a second node of the same height where there is no room for all in one.
    fn within_leaf(&self, start: usize, end: usize, put: &[u8]) -> Option<(Node, Option<Node>)> {
        match self {
            Self::Leaf { bytes, .. } => {
                let length = bytes.len() - (end - start) + put.len();
                if length == 0 || length > 2 * LEAF {
                    return None;
                }
                let all = Bytes::from([&bytes[..start], put, &bytes[end..]].concat());
                if length <= LEAF {
                    return Some((Self::leaf(all), None));
                }
                Some((Self::leaf(all.slice(..length / 2)), Some(Self::leaf(all.slice(length / 2..)))))
            }
            Self::Inner(inner) => {
                let mut before = 0;
                let at = inner.children.iter().position(|child| {
                    let inside = before <= start && end <= before + child.length();
                    if !inside {
                        before += child.length();
                    }
                    inside
                })?;
                let (child, beside) = inner.children[at].within_leaf(start - before, end - before, put)?;
                let mut children = Vec::with_capacity(inner.children.len() + 1);
                children.extend_from_slice(&inner.children[..at]);
                children.push(child);
                children.extend(beside);
                children.extend_from_slice(&inner.children[at + 1..]);
                let right = (children.len() > FAN).then(|| children.split_off(children.len() / 2));
                Some((Self::inner(children), right.map(Self::inner)))
            }
        }
    }
}

impl Inner {
    /// The node of a range: whole children as they are, and parts of the first and the last.
    fn part(&self, start: usize, end: usize) -> Node {
        let touched: Vec<_> = self.within(start, end).collect();
        let whole = |(child, from, to): &(&Node, usize, usize)| *from == 0 && *to == child.length();
        let first = touched.iter().position(whole).unwrap_or(touched.len());
        let last = touched.iter().rposition(whole).map_or(first, |last| last + 1);
        let pieces = |pieces: &[(&Node, usize, usize)]| {
            pieces.iter().fold(Node::default(), |all, (child, from, to)| concat(all, child.part(*from, *to)))
        };
        let middle: Vec<Node> = touched[first..last].iter().map(|(child, ..)| (*child).clone()).collect();
        let middle = if middle.is_empty() { Node::default() } else { Node::joined(middle) };
        concat(concat(pieces(&touched[..first]), middle), pieces(&touched[last..]))
    }

    /// The children that a range touches, each with its own part of it.
    fn within(&self, start: usize, end: usize) -> impl Iterator<Item = (&Node, usize, usize)> {
        let mut before = 0;
        self.children.iter().filter_map(move |child| {
            let first = before;
            before += child.length();
            let (from, to) = (start.max(first), end.min(before));
            (from < to).then(|| (child, from - first, to - first))
        })
    }
}

/// Both nodes in a row, balanced again. Neighbouring leaves that fit into one are made one, so that a text edited
/// for days does not fall to crumbs.
fn concat(left: Node, right: Node) -> Node {
    if left.length() == 0 {
        return right;
    }
    if right.length() == 0 {
        return left;
    }
    match (&left, &right) {
        (Node::Leaf { bytes: one, .. }, Node::Leaf { bytes: other, .. }) => {
            if one.len() + other.len() > LEAF {
                return Node::inner(vec![left, right]);
            }
            Node::leaf([one.as_ref(), other.as_ref()].concat().into())
        }
        (Node::Inner(one), Node::Inner(other)) if one.height == other.height => {
            let meeting = one.children.last().cloned().zip(other.children.first().cloned());
            let Some((end, start)) = meeting else { return left };
            let mut children = one.children[..one.children.len() - 1].to_vec();
            push_level(&mut children, concat(end, start), one.height);
            children.extend_from_slice(&other.children[1..]);
            Node::joined(children)
        }
        (Node::Inner(one), _) if one.height > right.height() => {
            let Some((last, first)) = one.children.split_last() else { return right };
            let mut children = first.to_vec();
            push_level(&mut children, concat(last.clone(), right), one.height);
            Node::joined(children)
        }
        (_, Node::Inner(other)) => {
            let Some((first, rest)) = other.children.split_first() else { return left };
            let mut children = Vec::with_capacity(FAN + 1);
            push_level(&mut children, concat(left, first.clone()), other.height);
            children.extend_from_slice(rest);
            Node::joined(children)
        }
        // An inner node is higher than a leaf, so one of the arms above was taken.
        (Node::Inner(_), Node::Leaf { .. }) => Node::inner(vec![left, right]),
    }
}

/// Adds a node to the children of a node of `height`: as one child, or, when it grew to that height, as its children.
fn push_level(children: &mut Vec<Node>, node: Node, height: usize) {
    match node {
        Node::Inner(inner) if inner.height == height => children.extend_from_slice(&inner.children),
        node => children.push(raised(node, height - 1)),
    }
}

/// A node that lost levels gets them back, so that all children of a node have one height.
fn raised(mut node: Node, height: usize) -> Node {
    while node.height() < height {
        node = Node::inner(vec![node]);
    }
    node
}

impl Default for Node {
    fn default() -> Self {
        Self::Leaf { bytes: Bytes::new(), feeds: 0 }
    }
}

impl From<Bytes> for Text {
    fn from(bytes: Bytes) -> Self {
        let mut level: Vec<Node> = (0..bytes.len())
            .step_by(LEAF)
            .map(|at| Node::leaf(bytes.slice(at..(at + LEAF).min(bytes.len()))))
            .collect();
        while level.len() > 1 {
            level = level.chunks(FAN).map(|children| Node::inner(children.to_vec())).collect();
        }
        Self { root: level.pop().unwrap_or_default() }
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let (mut left, mut right) = (self.chunks(), other.chunks());
        let (mut one, mut two): (&[u8], &[u8]) = (&[], &[]);
        loop {
            if one.is_empty() {
                one = left.next().unwrap_or_default();
            }
            if two.is_empty() {
                two = right.next().unwrap_or_default();
            }
            let shared = one.len().min(two.len());
            // The same slice of the same buffer need not be compared: most of two versions is that.
            if shared == 0 || (one.as_ptr() != two.as_ptr() && one[..shared] != two[..shared]) {
                return shared == 0;
            }
            (one, two) = (&one[shared..], &two[shared..]);
        }
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.slice(0..120);
        write!(out, "Text({} bytes, {:?})", self.len(), String::from_utf8_lossy(&shown))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_same(text: &Text, model: &[u8]) {
        assert_eq!(text.to_vec(), model);
        assert_eq!(text.len(), model.len());
        let mut lines: Vec<&[u8]> = model.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(text.line_count(), lines.len());
        lines.push(b"");
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(text.slice(text.line(number)).as_ref(), *line, "line {number}");
            let (start, bytes) = text.line_bytes(number);
            assert_eq!((start, bytes.as_ref()), (text.line(number).start, *line), "line {number} in one go");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_text_behaves_as_a_vector_of_bytes(
            start in proptest::collection::vec(any::<u8>(), 0..20_000),
            edits in proptest::collection::vec((any::<usize>(), 0usize..5000, proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..5000)), 0..8),
        ) {
            let mut model = start.clone();
            let mut text = Text::from(start);
            for (at, cut, put) in edits {
                let at = at % (model.len() + 1);
                let end = (at + cut).min(model.len());
                let before = text.clone();
                let kept = model.clone();
                text.splice(at..end, &put);
                model.splice(at..end, put);
                prop_assert_eq!(before.to_vec(), kept);
                prop_assert_eq!(text.line_at(at), model[..at].iter().filter(|byte| **byte == b'\n').count());
                prop_assert_eq!(&text, &Text::from(model.clone()));
            }
            check_same(&text, &model);
        }
    }

    /// QL-08: one cell of a large table changes without a copy of the rest.
    #[test]
    fn a_splice_shares_all_but_the_touched_leaves() {
        let big = "| run-20261115-000000-000 | a request | PENDING |\n".repeat(100_000);
        let before = Text::from(big);
        let mut after = before.clone();
        after.splice(2_000_000..2_000_007, b"COMPLETED");
        let old: std::collections::HashSet<*const u8> = before.chunks().map(<[u8]>::as_ptr).collect();
        let copied: usize = after.chunks().filter(|chunk| !old.contains(&chunk.as_ptr())).map(<[u8]>::len).sum();
        assert!(copied <= 2 * LEAF, "{copied} bytes are not shared");
    }

    #[test]
    fn a_text_edited_a_hundred_thousand_times_stays_flat() {
        let mut text = Text::from("line of some length\n".repeat(5_000));
        for round in 0..100_000usize {
            let at = (round * 7919) % text.len();
            text.splice(at..at + 3, b"abc");
        }
        assert!(text.root.height() <= 5, "height {}", text.root.height());
        assert!(text.chunks().count() <= 100_000 / 500, "{} leaves", text.chunks().count());
    }
}
