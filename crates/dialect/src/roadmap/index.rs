//! Where the items and groups of a log are: pieces of about 64 entries, each with lengths only, so that an edit changes the
//! lengths of one piece and moves nothing else (RM-15). Must not know text: it is told how long things are.

use std::collections::HashMap;
use std::sync::Arc;

use super::face::Face;

/// How many entries a piece begins with, and how many it has at most.
const PIECE: usize = 64;
const MOST: usize = 2 * PIECE;

/// An item or a group of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) key: Arc<str>,
    /// As it is spoken of: in nested numbered lists, with the numbers of those that it stands in.
    pub(crate) number: String,
    pub(crate) parent: Option<u32>,
    pub(crate) is_group: bool,
    /// Bytes between what stands before it and its own.
    pub(crate) gap: usize,
    pub(crate) face: Face,
    /// Those that stand directly in it: how many, and the last of them.
    pub(crate) children: usize,
    pub(crate) last_child: Option<u32>,
}

#[derive(Debug, Clone, Default)]
struct Piece {
    /// Their ids, in order.
    elements: Vec<u32>,
    /// Bytes behind the last of them.
    tail: usize,
    bytes: usize,
}

/// A stretch of the log before it is cut into pieces.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    /// What stands in it, with the bytes before each.
    pub(crate) elements: Vec<u32>,
    /// Bytes behind the last.
    pub(crate) tail: usize,
}

/// The pieces of a log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// By id; those that are gone are empty.
    elements: Vec<Option<Element>>,
    /// The piece of each element.
    homes: Vec<u32>,
    /// By id.
    pieces: Vec<Piece>,
    /// The ids of the pieces, in order, and the place of each.
    order: Vec<u32>,
    places: Vec<u32>,
    sums: Sums,
    keys: HashMap<Arc<str>, u32, foldhash::fast::RandomState>,
    /// The last element that stands in no group.
    last: Option<u32>,
    /// How much was looked at: entries of pieces, and sums.
    looked: u64,
}

impl Index {
    /// Takes elements in, one after another, by their numbers; gives each key.
    pub(crate) fn push(&mut self, element: Element) -> u32 {
        let id = self.elements.len() as u32;
        self.keys.insert(Arc::clone(&element.key), id);
        match element.parent {
            None => self.last = Some(id),
            Some(parent) => {
                if let Some(holder) = self.element_mut(parent) {
                    holder.children += 1;
                    holder.last_child = Some(id);
                }
            }
        }
        self.elements.push(Some(element));
        self.homes.push(u32::MAX);
        id
    }

    /// The last element that stands directly in a group, or in none.
    pub(crate) fn last_in(&self, group: Option<u32>) -> Option<u32> {
        match group {
            None => self.last,
            Some(group) => self.element(group)?.last_child,
        }
    }

    fn set_last(&mut self, group: Option<u32>, last: Option<u32>) {
        match group {
            None => self.last = last,
            Some(group) => self.element_mut(group).into_iter().for_each(|group| group.last_child = last),
        }
    }

    /// Cuts a stretch into pieces behind those that are there; gives the first of them.
    pub(crate) fn push_stretch(&mut self, stretch: Stretch) -> u32 {
        let first = self.pieces.len() as u32;
        let Stretch { elements, tail } = stretch;
        let mut chunks: Vec<Vec<u32>> = elements.chunks(PIECE).map(<[u32]>::to_vec).collect();
        if chunks.is_empty() {
            chunks.push(Vec::new());
        }
        let last = chunks.len() - 1;
        for (number, elements) in chunks.into_iter().enumerate() {
            let id = self.pieces.len() as u32;
            let tail = if number == last { tail } else { 0 };
            let own: usize = elements.iter().map(|id| self.extent(*id)).sum();
            elements.iter().for_each(|element| self.homes[*element as usize] = id);
            self.pieces.push(Piece { elements, tail, bytes: own + tail });
            self.order.push(id);
        }
        self.renumber();
        first
    }

    fn extent(&self, id: u32) -> usize {
        self.element(id).map_or(0, |element| element.gap + element.face.end)
    }

    /// Finds the places of all pieces anew: only when one was added.
    fn renumber(&mut self) {
        self.places = vec![0; self.pieces.len()];
        for (place, id) in self.order.iter().enumerate() {
            self.places[*id as usize] = place as u32;
        }
        self.sums = Sums::of(self.order.iter().map(|id| self.pieces[*id as usize].bytes));
    }

    pub(crate) fn element(&self, id: u32) -> Option<&Element> {
        self.elements.get(id as usize)?.as_ref()
    }

    fn element_mut(&mut self, id: u32) -> Option<&mut Element> {
        self.elements.get_mut(id as usize)?.as_mut()
    }

    /// The element of a key.
    pub(crate) fn find(&self, key: &str) -> Option<u32> {
        self.keys.get(key).copied()
    }

    /// Whether a key is in use.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Gives elements other keys, all at once.
    pub(crate) fn rename(&mut self, renames: &[(u32, String)]) {
        for (id, _) in renames {
            if let Some(key) = self.element(*id).map(|element| Arc::clone(&element.key))
                && self.keys.get(&key) == Some(id)
            {
                self.keys.remove(&key);
            }
        }
        for (id, key) in renames {
            let key: Arc<str> = key.as_str().into();
            if let Some(element) = self.element_mut(*id) {
                element.key = Arc::clone(&key);
                self.keys.insert(key, *id);
            }
        }
    }

    /// All elements, in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.order.iter().flat_map(|piece| self.pieces[*piece as usize].elements.iter().copied())
    }

    /// All elements with where each begins, in one pass.
    pub(crate) fn placed(&self) -> Vec<(u32, usize)> {
        let mut all = Vec::with_capacity(self.elements.len());
        let mut at = 0;
        for piece in self.order.iter().map(|piece| &self.pieces[*piece as usize]) {
            for id in &piece.elements {
                let extent = self.extent(*id);
                let own = self.element(*id).map_or(0, |element| element.face.end);
                all.push((*id, at + extent - own));
                at += extent;
            }
            at += piece.tail;
        }
        all
    }

    /// Where an element begins.
    pub(crate) fn offset(&mut self, id: u32) -> usize {
        let home = self.homes[id as usize];
        let mut at = self.start(home);
        let piece = &self.pieces[home as usize];
        for (seen, other) in piece.elements.iter().enumerate() {
            if *other == id {
                self.looked += seen as u64 + 1;
                return at + self.element(id).map_or(0, |element| element.gap);
            }
            at += self.extent(*other);
        }
        at
    }

    /// Where a piece begins.
    pub(crate) fn start(&mut self, piece: u32) -> usize {
        let (sum, steps) = self.sums.before(self.places[piece as usize] as usize);
        self.looked += steps;
        sum
    }

    /// The same, for whoever only looks.
    pub(crate) fn start_of(&self, piece: u32) -> usize {
        self.sums.before(self.places[piece as usize] as usize).0
    }

    /// How long a piece is.
    pub(crate) fn length(&self, piece: u32) -> usize {
        self.pieces[piece as usize].bytes
    }

    /// The piece before another in the order.
    pub(crate) fn piece_before(&self, piece: u32) -> Option<u32> {
        self.order.get((self.places[piece as usize] as usize).checked_sub(1)?).copied()
    }

    /// What stands at a range: an element that holds all of it, or the piece where it is between elements.
    pub(crate) fn at(&mut self, range: &std::ops::Range<usize>) -> At {
        let (place, start, steps) = self.sums.find(range.start);
        self.looked += steps;
        let Some(piece) = self.order.get(place).copied() else { return At::End };
        let mut at = start;
        for (seen, id) in self.pieces[piece as usize].elements.iter().enumerate() {
            let Some(element) = self.element(*id) else { continue };
            let own = at + element.gap..at + element.gap + element.face.end;
            // What is put at the end of an element stands behind it.
            if own.start <= range.start && range.end <= own.end && range.start < own.end {
                self.looked += seen as u64 + 1;
                return At::Element(*id, own.start);
            }
            at = own.end;
        }
        At::Piece(piece, start)
    }

    /// An element shows something else: another length, perhaps.
    pub(crate) fn set_face(&mut self, id: u32, face: Face) {
        let Some(element) = self.element_mut(id) else { return };
        let (before, after) = (element.face.end, face.end);
        element.face = face;
        self.change(self.homes[id as usize], after, before);
    }

    /// Bytes come and go at the end of a piece.
    pub(crate) fn change_tail(&mut self, piece: u32, put: usize, cut: usize) {
        let tail = &mut self.pieces[piece as usize].tail;
        *tail = (*tail + put).saturating_sub(cut);
        self.change(piece, put, cut);
    }

    fn change(&mut self, piece: u32, put: usize, cut: usize) {
        let bytes = &mut self.pieces[piece as usize].bytes;
        *bytes = (*bytes + put).saturating_sub(cut);
        let place = self.places[piece as usize] as usize;
        self.looked += self.sums.change(place, put, cut);
    }

    /// Puts a new element behind another, or before it; `tail` bytes are new behind it.
    pub(crate) fn insert(&mut self, beside: Beside, mut element: Element, tail: usize) -> u32 {
        let gap = element.gap;
        let parent = element.parent;
        let (other, is_after) = match beside {
            Beside::After(other) => (other, true),
            Beside::Before(other) => (other, false),
        };
        let home = self.homes[other as usize];
        let place = self.pieces[home as usize].elements.iter().position(|id| *id == other).unwrap_or_default();
        self.looked += place as u64 + 1;
        let place = place + usize::from(is_after);
        if !is_after && let Some(next) = self.element_mut(other) {
            // What stood before the other one stands before the new one.
            element.gap += std::mem::replace(&mut next.gap, tail);
        } else {
            match self.pieces[home as usize].elements.get(place).copied() {
                Some(next) => self.element_mut(next).into_iter().for_each(|next| next.gap += tail),
                None => self.pieces[home as usize].tail += tail,
            }
        }
        let length = element.face.end;
        let sibling = self.last_in(parent);
        let id = self.elements.len() as u32;
        self.keys.insert(Arc::clone(&element.key), id);
        self.elements.push(Some(element));
        self.homes.push(home);
        self.pieces[home as usize].elements.insert(place, id);
        self.change(home, gap + length + tail, 0);
        // Those behind it stay the last.
        if sibling.is_none_or(|sibling| is_after && self.top_in(other, parent) == Some(sibling)) {
            self.set_last(parent, Some(id));
        }
        if let Some(holder) = parent.and_then(|parent| self.element_mut(parent)) {
            holder.children += 1;
        }
        self.split(home);
        id
    }

    /// The element directly in a group, or in none, that an element is or stands in.
    pub(crate) fn top_in(&self, element: u32, group: Option<u32>) -> Option<u32> {
        let mut at = element;
        loop {
            let parent = self.element(at)?.parent;
            if parent == group {
                return Some(at);
            }
            at = parent?;
        }
    }

    /// Takes an element out; what stood before it stays.
    pub(crate) fn remove(&mut self, id: u32) -> Option<Element> {
        let before = self.before(id);
        let home = self.homes[id as usize];
        let element = self.elements.get_mut(id as usize)?.take()?;
        let elements = &mut self.pieces[home as usize].elements;
        let place = elements.iter().position(|other| *other == id)?;
        elements.remove(place);
        match self.pieces[home as usize].elements.get(place).copied() {
            Some(next) => self.element_mut(next).into_iter().for_each(|next| next.gap += element.gap),
            None => self.pieces[home as usize].tail += element.gap,
        }
        self.change(home, 0, element.face.end);
        if self.keys.get(&element.key) == Some(&id) {
            self.keys.remove(&element.key);
        }
        if self.last_in(element.parent) == Some(id) {
            let last = before.filter(|before| Some(*before) != element.parent);
            self.set_last(element.parent, last.and_then(|last| self.top_in(last, element.parent)));
        }
        if let Some(holder) = element.parent.and_then(|parent| self.element_mut(parent)) {
            holder.children = holder.children.saturating_sub(1);
        }
        Some(element)
    }

    /// The element before another in the order.
    pub(crate) fn before(&mut self, id: u32) -> Option<u32> {
        let home = self.homes[id as usize];
        let elements = &self.pieces[home as usize].elements;
        let place = elements.iter().position(|other| *other == id)?;
        self.looked += place as u64 + 1;
        if let Some(before) = place.checked_sub(1) {
            return self.pieces[home as usize].elements.get(before).copied();
        }
        let earlier = self.order[..self.places[home as usize] as usize].iter().rev();
        earlier.into_iter().find_map(|piece| self.pieces[*piece as usize].elements.last().copied())
    }

    /// The element behind another in the same stretch.
    pub(crate) fn next(&mut self, id: u32) -> Option<u32> {
        let home = self.homes[id as usize];
        let piece = &self.pieces[home as usize];
        let place = piece.elements.iter().position(|other| *other == id)?;
        self.looked += place as u64 + 1;
        // Stretches are cut into pieces between elements: the next one may be the first of the next piece.
        piece.elements.get(place + 1).copied().or_else(|| {
            let next = self.order.get(self.places[home as usize] as usize + 1).filter(|_| piece.tail == 0)?;
            self.pieces[*next as usize].elements.first().copied()
        })
    }

    /// How many bytes stand between an element and what comes next.
    pub(crate) fn gap_behind(&mut self, id: u32) -> usize {
        let tail = self.pieces[self.homes[id as usize] as usize].tail;
        let next = self.next(id);
        next.and_then(|next| self.element(next)).map_or(tail, |next| next.gap)
    }

    /// The last element that stands in another, at any depth; itself if none does.
    pub(crate) fn tail_of(&self, id: u32) -> u32 {
        let mut at = id;
        while let Some(last) = self.element(at).and_then(|element| element.last_child) {
            at = last;
        }
        at
    }

    pub(crate) fn looked(&self) -> u64 {
        self.looked
    }

    /// A piece with too many elements becomes two.
    fn split(&mut self, piece: u32) {
        let elements = &mut self.pieces[piece as usize].elements;
        if elements.len() <= MOST {
            return;
        }
        let moved = elements.split_off(PIECE);
        let tail = std::mem::take(&mut self.pieces[piece as usize].tail);
        let id = self.pieces.len() as u32;
        let own: usize = moved.iter().map(|id| self.extent(*id)).sum();
        moved.iter().for_each(|element| self.homes[*element as usize] = id);
        self.pieces[piece as usize].bytes -= own + tail;
        self.pieces.push(Piece { elements: moved, tail, bytes: own + tail });
        let place = self.places[piece as usize] as usize;
        self.order.insert(place + 1, id);
        self.renumber();
    }
}

/// Where a new element goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    After(u32),
    Before(u32),
}

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// An element, which begins there.
    Element(u32, usize),
    /// A piece, which begins there: between its elements.
    Piece(u32, usize),
    End,
}

/// Sums of lengths that are found and changed in steps that double.
#[derive(Debug, Clone, Default)]
struct Sums {
    tree: Vec<usize>,
}

impl Sums {
    fn of(lengths: impl Iterator<Item = usize>) -> Self {
        let mut tree: Vec<usize> = std::iter::once(0).chain(lengths).collect();
        for at in 1..tree.len() {
            let above = at + lowest_bit(at);
            if above < tree.len() {
                tree[above] += tree[at];
            }
        }
        Self { tree }
    }

    /// The sum of all before a place, and how many sums were looked at.
    fn before(&self, place: usize) -> (usize, u64) {
        let (mut at, mut sum, mut steps) = (place, 0, 0);
        while at > 0 {
            sum += self.tree[at];
            at -= lowest_bit(at);
            steps += 1;
        }
        (sum, steps)
    }

    fn change(&mut self, place: usize, put: usize, cut: usize) -> u64 {
        let (mut at, mut steps) = (place + 1, 0);
        while at < self.tree.len() {
            self.tree[at] = (self.tree[at] + put).saturating_sub(cut);
            at += lowest_bit(at);
            steps += 1;
        }
        steps
    }

    /// The place that holds an offset, where it begins, and how many sums were looked at.
    fn find(&self, offset: usize) -> (usize, usize, u64) {
        let (mut place, mut sum, mut steps) = (0, 0, 0);
        let mut width = self.tree.len().next_power_of_two();
        while width > 0 {
            let next = place + width;
            if next < self.tree.len() && sum + self.tree[next] <= offset {
                place = next;
                sum += self.tree[next];
            }
            width /= 2;
            steps += 1;
        }
        (place, sum, steps)
    }
}

fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}
