//! Bytes from a terminal as keys. Knows nothing of what they are for.

/// A key that was pressed, or what was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Letter(char),
    Pasted(String),
    Enter,
    /// Enter with Alt: another line.
    NewLine,
    Backspace,
    /// Ctrl-W: the last word goes.
    EraseWord,
    /// Ctrl-U: all goes.
    EraseAll,
    Escape,
    /// Ctrl-D.
    EndOfInput,
}

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// The most that is kept of what is not understood yet.
const MOST_BYTES: usize = 1024 * 1024;

/// Makes keys of bytes, whatever pieces they come in.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// The keys that are whole with these bytes.
    pub(crate) fn of(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.bytes.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, length)) = next(&self.bytes) {
            keys.extend(key);
            self.bytes.drain(..length);
        }
        if self.bytes.len() > MOST_BYTES {
            self.bytes.clear();
        }
        keys
    }
}

/// The first key, if it means anything, and its length; nothing if more bytes must come.
fn next(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let first = *bytes.first()?;
    Some(match first {
        b'\r' | b'\n' => (Some(Key::Enter), 1),
        0x7f | 0x08 => (Some(Key::Backspace), 1),
        0x17 => (Some(Key::EraseWord), 1),
        0x15 => (Some(Key::EraseAll), 1),
        0x04 => (Some(Key::EndOfInput), 1),
        0x1b => return escaped(bytes),
        0x00..0x20 => (None, 1),
        _ => return letter(bytes),
    })
}

fn letter(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let length = match bytes[0] {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 1,
    };
    let head = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(head) {
        Ok(text) => Some((text.chars().next().map(Key::Letter), text.len().max(1))),
        Err(error) if error.error_len().is_none() => None,
        Err(_) => Some((None, 1)),
    }
}

/// Keys that send several bytes mean nothing here, but they must not be taken for letters.
fn escaped(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    if bytes.starts_with(PASTE_BEGINS) {
        let inside = &bytes[PASTE_BEGINS.len()..];
        let end = inside.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS)?;
        let text = String::from_utf8_lossy(&inside[..end]).into_owned();
        return Some((Some(Key::Pasted(text)), PASTE_BEGINS.len() + end + PASTE_ENDS.len()));
    }
    match bytes.get(1) {
        None | Some(0x1b) => Some((Some(Key::Escape), 1)),
        Some(b'[') => {
            let end = bytes[2..].iter().position(|byte| (0x40..0x7f).contains(byte))?;
            Some((None, end + 3))
        }
        Some(b'\r' | b'\n') => Some((Some(Key::NewLine), 2)),
        Some(b'O') => bytes.get(2).map(|_| (None, 3)),
        Some(_) => Some((None, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_keys_in_whatever_pieces_they_come() {
        let letters = |text: &str| text.chars().map(Key::Letter).collect::<Vec<_>>();
        for (bytes, expected) in [
            (&b"y"[..], letters("y")),
            ("한é😀".as_bytes(), letters("한é😀")),
            (b"a\x7f\x15\x17\r\x04", {
                let mut keys = letters("a");
                keys.extend([Key::Backspace, Key::EraseAll, Key::EraseWord, Key::Enter, Key::EndOfInput]);
                keys
            }),
            (b"\x1b[A\x1b[1;5C\x1bOPx\x01", letters("x")),
            (b"\x1b[200~two\nlines\x1b[201~!", vec![Key::Pasted("two\nlines".into()), Key::Letter('!')]),
            (b"\x1b\r\x1b\n", vec![Key::NewLine, Key::NewLine]),
            (b"\xff\xfea", letters("a")),
        ] {
            assert_eq!(Keys::default().of(bytes), expected, "{bytes:?}");
            // A single escape is a key of its own, so sequences are not torn behind it.
            if !bytes.contains(&0x1b) {
                let mut keys = Keys::default();
                let pieces: Vec<Key> = bytes.iter().flat_map(|byte| keys.of(&[*byte])).collect();
                assert_eq!(pieces, expected, "{bytes:?} byte by byte");
            }
        }
        assert_eq!(Keys::default().of(b"\x1b"), [Key::Escape]);
    }
}
