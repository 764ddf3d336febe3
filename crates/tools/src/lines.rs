//! Owns the way from pieces of a stream to its lines, each bounded. Must not know where the pieces come from, nor what
//! a line means.

/// The most of one line that is given; the rest of it is dropped.
pub const LINE_BYTES: usize = 1 << 20;

/// Gives lines away as they become whole.
pub(crate) struct Lines<'watch> {
    watch: &'watch mut dyn FnMut(&[u8]),
    begun: Vec<u8>,
}

impl<'watch> Lines<'watch> {
    pub(crate) fn new(watch: &'watch mut dyn FnMut(&[u8])) -> Self {
        Self { watch, begun: Vec::new() }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (part, is_whole) = piece.strip_suffix(b"\n").map_or((piece, false), |part| (part, true));
            let room = LINE_BYTES - self.begun.len();
            self.begun.extend_from_slice(&part[..part.len().min(room)]);
            if is_whole {
                (self.watch)(self.begun.strip_suffix(b"\r").unwrap_or(&self.begun));
                self.begun.clear();
            }
        }
    }

    /// No more will come: what has no end of line is a line as well.
    pub(crate) fn end(&mut self) {
        if !self.begun.is_empty() {
            (self.watch)(&self.begun);
            self.begun.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-32: however a stream is cut into pieces, its lines are the same; none is longer than its bound.
    #[test]
    fn lines_are_whole_and_bounded() {
        let check = |pieces: &[&[u8]], expected: &[&[u8]]| {
            let mut seen: Vec<Vec<u8>> = Vec::new();
            let mut watch = |line: &[u8]| seen.push(line.into());
            let mut lines = Lines::new(&mut watch);
            for piece in pieces {
                lines.add(piece);
            }
            lines.end();
            lines.end();
            assert_eq!(seen, expected);
        };
        check(&[], &[]);
        check(&[b"one\ntwo\r\n\nend"], &[b"one", b"two", b"", b"end"]);
        check(&[b"o", b"ne", b"\nt", b"wo\r", b"\n", b"\n", b"end"], &[b"one", b"two", b"", b"end"]);
        let long = vec![b'x'; LINE_BYTES];
        check(&[&long, b"y", b"yy\nnext\n"], &[&long, b"next"]);
    }
}
