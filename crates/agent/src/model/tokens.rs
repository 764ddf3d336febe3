//! Owns the estimate of how many tokens a text has. Must not know any one model: it is an estimate.

/// Bytes of Latin text that make one token, in tenths.
const BYTES_IN_TENTHS: u64 = 35;

/// About how many tokens a text has: 3.5 bytes one, but every character of Chinese, Japanese and Korean.
pub(crate) fn tokens_in(text: &str) -> u64 {
    let (mut wide, mut bytes) = (0_u64, 0_u64);
    for letter in text.chars() {
        if is_wide(letter) { wide += 1 } else { bytes += letter.len_utf8() as u64 }
    }
    wide + (bytes * 10).div_ceil(BYTES_IN_TENTHS)
}

/// Whether a character is a word or a syllable of its own.
pub(crate) fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated_in_any_script() {
        for (text, expected) in [("", 0), ("a", 1), ("seven letters", 4), ("가나다", 3), ("漢字 and", 4), ("Привет", 4)]
        {
            assert_eq!(tokens_in(text), expected, "{text}");
        }
    }
}
