//! Owns a value that must not be seen: a key, a token, a variable of somebody's environment (QL-35). It can be compared,
//! copied and handed to a wire, never printed. Must not know where it came from.

use std::fmt;

/// A value that no message, log or record shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// What stands in a text where a secret stood.
const HIDDEN: &str = "[hidden]";

/// Shorter ones are not looked for in texts: they would be found everywhere.
const SHORTEST_SOUGHT: usize = 4;

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The secret in a text, without the white space around it; nothing if there is none.
    pub fn of_text(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self::new(text))
    }

    /// The value itself, for the wire that needs it and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// A text that came from outside, without this value in it: some services repeat the key that they refuse.
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_SOUGHT { text.to_owned() } else { text.replace(&self.0, HIDDEN) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-35: neither printing nor an echo of it from outside shows a key.
    #[test]
    fn a_secret_is_not_printed_and_not_left_in_a_text() {
        let key = Secret::new("sk-12345");
        assert_eq!(format!("{key:?} {:?}", Some(&key)), "[hidden] Some([hidden])");
        assert_eq!(key.hide_in("key sk-12345 is wrong: sk-12345"), "key [hidden] is wrong: [hidden]");
        assert_eq!(Secret::new("").hide_in("abc"), "abc");
        assert_eq!(key.reveal(), "sk-12345");
        assert_eq!(Secret::of_text(" sk-12345\n"), Some(key));
        assert_eq!(Secret::of_text(" \n"), None);
    }
}
