//! Bytes as text: UTF-8, UTF-16, and the single-byte encodings of old Western and Russian files.
//!
//! Owns the guess, which is made only where it is nearly sure. What is not is no text here: a wrong letter in a quote
//! would be a wrong quote.

/// The text of bytes, and how they were read if that is not UTF-8; the error says why they are none.
pub(super) fn decode(bytes: &[u8]) -> Result<(String, Option<&'static str>), String> {
    let not_text = || "not text: it has bytes that no text has".to_owned();
    if let [0xff, 0xfe, rest @ ..] = bytes {
        return utf16(rest, u16::from_le_bytes).ok_or_else(not_text);
    }
    if let [0xfe, 0xff, rest @ ..] = bytes {
        return utf16(rest, u16::from_be_bytes).ok_or_else(not_text);
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    if bytes.contains(&0) {
        return unmarked(bytes).ok_or_else(not_text);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text.to_owned(), None)),
        // A character cut off at the end is dropped.
        Err(error) if error.error_len().is_none() => {
            let text = std::str::from_utf8(&bytes[..error.valid_up_to()]).map_err(|_| not_text())?;
            Ok((text.to_owned(), None))
        }
        Err(_) => single_byte(bytes),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<(String, Option<&'static str>)> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    // A character cut off at the end of what was read is dropped.
    let whole = match units.last() {
        Some(0xd800..=0xdbff) => &units[..units.len() - 1],
        _ => &units[..],
    };
    String::from_utf16(whole).ok().map(|text| (text, Some("UTF-16")))
}

/// UTF-16 without its mark: in most texts every second byte of the blanks and line ends is zero, on one side only.
fn unmarked(bytes: &[u8]) -> Option<(String, Option<&'static str>)> {
    let zeros = |side: usize| bytes.iter().skip(side).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let half = bytes.len() / 2;
    let made = match (even, odd) {
        (0, odd) if odd * 10 >= half => utf16(bytes, u16::from_le_bytes),
        (even, 0) if even * 10 >= half => utf16(bytes, u16::from_be_bytes),
        _ => None,
    }?;
    made.0.chars().all(|c| !c.is_control() || c.is_whitespace()).then_some(made)
}

/// Windows-1252 for texts with few letters beyond ASCII, Windows-1251 for those whose words are made of them.
fn single_byte(bytes: &[u8]) -> Result<(String, Option<&'static str>), String> {
    let odd: Vec<u8> = bytes.iter().copied().filter(|byte| *byte >= 0x80).collect();
    let runs = bytes.split(|byte| *byte < 0x80).filter(|run| !run.is_empty()).count().max(1);
    let controls = bytes.iter().filter(|byte| **byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c)).count();
    let letters =
        odd.iter().filter(|byte| matches!(byte, 0xc0..=0xff | 0xa8 | 0xb8 | 0xab | 0xbb | 0x97 | 0xb9)).count();
    if controls > 0 {
        return Err("not text: it has bytes that no text has".to_owned());
    }
    if odd.len() >= runs * 3 && letters * 100 >= odd.len() * 97 && odd.len() * 3 > bytes.len() {
        return Ok((bytes.iter().map(|byte| cyrillic(*byte)).collect(), Some("Windows-1251")));
    }
    let is_western = odd.len() * 6 < bytes.len()
        && odd.len() < runs * 2
        && !odd.iter().any(|byte| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d));
    if is_western {
        return Ok((bytes.iter().map(|byte| western(*byte)).collect(), Some("Windows-1252")));
    }
    Err("not UTF-8, and in no encoding that is known for sure: save it as UTF-8".to_owned())
}

fn western(byte: u8) -> char {
    const SIGNS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => SIGNS[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

fn cyrillic(byte: u8) -> char {
    match byte {
        0xc0..=0xff => char::from_u32(0x410 + u32::from(byte - 0xc0)).unwrap_or(' '),
        0xa8 => 'Ё',
        0xb8 => 'ё',
        0xb9 => '№',
        0x97 => '—',
        0x96 => '–',
        0xab => '«',
        0xbb => '»',
        0x85 => '…',
        0xa0 => '\u{a0}',
        0x80..=0xbf => '·',
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<(&str, Option<&str>), &str>) {
        let found = decode(bytes);
        let found = found
            .as_ref()
            .map(|(text, how)| (text.as_str(), *how))
            .map_err(|why| why.split([':', ',']).next().unwrap());
        assert_eq!(found, expected, "{bytes:?}");
    }

    #[test]
    fn texts_are_read_in_the_encodings_of_their_time() {
        check("Grüße".as_bytes(), Ok(("Grüße", None)));
        check(
            b"Die Gr\xf6\xdfe der Fl\xe4che betr\xe4gt 40 m\xb2.",
            Ok(("Die Größe der Fläche beträgt 40 m².", Some("Windows-1252"))),
        );
        check(b"The price is \x80 40 \x96 or so.", Ok(("The price is € 40 – or so.", Some("Windows-1252"))));
        let little: Vec<u8> = "café 4".encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&little, Ok(("café 4", Some("UTF-16"))));
        let marked: Vec<u8> =
            [0xfe, 0xff].into_iter().chain("日本語".encode_utf16().flat_map(u16::to_be_bytes)).collect();
        check(&marked, Ok(("日本語", Some("UTF-16"))));
        check(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0", Ok(("Привет, мир", Some("Windows-1251"))));
    }

    #[test]
    fn what_is_not_surely_text_is_none() {
        check(b"\x93\xfa\x96{\x8c\xea\x82\xcc\x83e\x83L\x83X\x83g", Err("not UTF-8"));
        check(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Err("not text"));
        check(b"\x02\x01\xff\xfe text", Err("not text"));
    }
}
