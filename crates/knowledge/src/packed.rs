//! Numbers and texts as bytes, and back again without trust: whatever the bytes are, reading ends and does not panic.

/// Bytes being written.
#[derive(Debug, Default)]
pub(crate) struct Packer(pub(crate) Vec<u8>);

impl Packer {
    /// A number of any size, small ones short.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number of four bytes, for tables that are looked up by place.
    pub(crate) fn fixed(&mut self, number: usize) {
        self.0.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }
}

/// Bytes being read. Nothing is what comes of bytes that do not make sense.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unpacker<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.size()?;
        let end = self.at.checked_add(length)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let end = self.at.checked_add(N)?;
        let array = self.bytes.get(self.at..end)?.try_into().ok()?;
        self.at = end;
        Some(array)
    }
}

/// The number of four bytes at a place.
pub(crate) fn fixed_at(bytes: &[u8], at: usize) -> Option<usize> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(four)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_what_is_cut_is_nothing() {
        let mut packer = Packer::default();
        for number in [0, 1, 127, 128, 300, u64::MAX] {
            packer.number(number);
        }
        packer.text("가😀");
        packer.fixed(70_000);
        let bytes = packer.0;
        let mut reader = Unpacker::new(&bytes, 0);
        let numbers: Vec<_> = (0..6).map(|_| reader.number()).collect();
        assert_eq!(numbers, [0, 1, 127, 128, 300, u64::MAX].map(Some));
        assert_eq!((reader.text(), fixed_at(&bytes, reader.at)), (Some("가😀"), Some(70_000)));
        for end in 0..bytes.len() {
            let mut reader = Unpacker::new(&bytes[..end], 0);
            let _ = (0..6).map(|_| reader.number()).collect::<Vec<_>>();
            assert!(reader.text().is_none() || fixed_at(&bytes[..end], reader.at).is_none());
        }
        assert_eq!(Unpacker::new(&[0xff; 20], 0).number(), None);
    }
}
