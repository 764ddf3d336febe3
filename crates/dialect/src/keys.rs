//! The keys of a table's rows, in order: which row has a key, with rows coming and going anywhere. All costs about the
//! same for ten rows and for a hundred thousand. Must not know what a key means.

use std::collections::HashMap;
use std::sync::Arc;

/// A piece grows up to this many keys and is then cut in two.
const PIECE: usize = 128;

/// Keys by row, and rows by key. Of several rows with one key the first one counts; rows without a key are not found.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    pieces: Vec<Piece>,
    /// Where each piece stands among the pieces, by its name.
    standing: Vec<usize>,
    /// The name of the piece that has the first row with a key.
    home: HashMap<Arc<str>, usize, foldhash::fast::RandomState>,
    length: usize,
    /// Whether any key was ever there twice: then removing one has to look for the other.
    has_twins: bool,
}

#[derive(Debug)]
struct Piece {
    name: usize,
    keys: Vec<Arc<str>>,
}

impl Keys {
    pub(crate) fn new(keys: impl Iterator<Item = String>) -> Self {
        let mut all = Self::default();
        let mut keys = keys.map(Arc::<str>::from).peekable();
        while keys.peek().is_some() {
            let name = all.pieces.len();
            let piece: Vec<Arc<str>> = keys.by_ref().take(PIECE / 2).collect();
            for key in &piece {
                all.settle(Arc::clone(key), name);
            }
            all.length += piece.len();
            all.standing.push(name);
            all.pieces.push(Piece { name, keys: piece });
        }
        all
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The first row with this key.
    pub(crate) fn find(&self, key: &str) -> Option<usize> {
        let (kept, home) = self.home.get_key_value(key)?;
        let piece = self.standing[*home];
        // Keys are long and begin alike; the one that is kept is the very one in the piece, unless there are twins.
        let is_it = |known: &Arc<str>| if self.has_twins { **known == *key } else { Arc::ptr_eq(known, kept) };
        let within = self.pieces[piece].keys.iter().position(is_it)?;
        Some(self.pieces[..piece].iter().map(|piece| piece.keys.len()).sum::<usize>() + within)
    }

    /// Puts a key in, which then has the number `row`.
    pub(crate) fn insert(&mut self, row: usize, key: Arc<str>) {
        if self.pieces.is_empty() {
            self.standing = vec![0];
            self.pieces.push(Piece { name: 0, keys: Vec::new() });
        }
        let (piece, within) = self.locate(row);
        let name = self.pieces[piece].name;
        self.pieces[piece].keys.insert(within, Arc::clone(&key));
        self.length += 1;
        if self.home.contains_key(&key) {
            self.has_twins = true;
            self.home.remove(&key);
            self.find_home(&key);
        } else {
            self.settle(key, name);
        }
        if self.pieces[piece].keys.len() > PIECE {
            self.cut(piece);
        }
    }

    /// Takes the key of a row out.
    pub(crate) fn remove(&mut self, row: usize) -> Option<Arc<str>> {
        if row >= self.length {
            return None;
        }
        let (piece, within) = self.locate(row);
        let key = self.pieces[piece].keys.remove(within);
        self.length -= 1;
        self.home.remove(&key);
        if self.has_twins {
            self.find_home(&key);
        }
        Some(key)
    }

    /// The piece and the place in it of a row, or of the end.
    fn locate(&self, row: usize) -> (usize, usize) {
        let mut before = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            if row < before + piece.keys.len() {
                return (number, row - before);
            }
            before += piece.keys.len();
        }
        let last = self.pieces.len().saturating_sub(1);
        (last, self.pieces.get(last).map_or(0, |piece| piece.keys.len()))
    }

    fn settle(&mut self, key: Arc<str>, name: usize) {
        if key.is_empty() {
            return;
        }
        let before = self.home.len();
        self.home.entry(key).or_insert(name);
        self.has_twins |= self.home.len() == before;
    }

    fn find_home(&mut self, key: &Arc<str>) {
        if let Some(piece) = self.pieces.iter().find(|piece| piece.keys.contains(key)) {
            let name = piece.name;
            self.settle(Arc::clone(key), name);
        }
    }

    fn cut(&mut self, piece: usize) {
        let name = self.standing.len();
        let behind = self.pieces[piece].keys.split_off(PIECE / 2);
        let old = self.pieces[piece].name;
        for key in &behind {
            let stays = self.has_twins && self.pieces[piece].keys.contains(key);
            if !stays && self.home.get(key) == Some(&old) {
                self.home.insert(Arc::clone(key), name);
            }
        }
        self.pieces.insert(piece + 1, Piece { name, keys: behind });
        self.standing.push(piece + 1);
        for (place, piece) in self.pieces.iter().enumerate().skip(piece + 1) {
            self.standing[piece.name] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as a plain list, whatever comes and goes, with keys that occur twice and rows without one.
    #[test]
    fn keys_behave_as_a_list() {
        for (seed, names) in [(1u64, 7u64), (2, 400), (3, 100_000)] {
            let mut model: Vec<String> = (0..300).map(|number| format!("k{number}")).collect();
            let mut keys = Keys::new(model.iter().cloned());
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state >> 33
            };
            for round in 0..3000 {
                let key = match next() % names {
                    0 => String::new(),
                    name => format!("k{name}"),
                };
                if next() % 3 == 0 && !model.is_empty() {
                    let row = usize::try_from(next()).unwrap() % model.len();
                    assert_eq!(keys.remove(row).as_deref(), Some(model.remove(row).as_str()));
                } else {
                    let row = usize::try_from(next()).unwrap() % (model.len() + 1);
                    keys.insert(row, key.as_str().into());
                    model.insert(row, key.clone());
                }
                let expected = model.iter().position(|known| *known == key).filter(|_| !key.is_empty());
                assert_eq!(keys.find(&key), expected, "seed {seed}, round {round}, {key}");
                assert_eq!(keys.len(), model.len());
            }
            for key in &model {
                let expected = model.iter().position(|known| known == key).filter(|_| !key.is_empty());
                assert_eq!(keys.find(key), expected, "seed {seed}, {key}");
            }
        }
    }
}
