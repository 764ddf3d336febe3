//! A title as a verb, what it quotes, and segments that begin with a preposition. Must not know what verbs mean.

use super::paths::path;

/// Words that begin a segment.
const OPENERS: [&str; 16] = [
    "to", "into", "in", "as", "at", "from", "of", "using", "out", "based", "on", "about", "with", "for", "by", "saying",
];
/// Words that part one file from the next, and say nothing.
const BETWEEN: [&str; 3] = ["and", "&", "or"];
/// Marks that a quotation can stand between.
const QUOTES: [(char, char); 9] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('„', '”'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』'), ('\'', '\'')];

/// A title, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its first word, in lower case.
    pub(super) verb: String,
    pub(super) quotes: Vec<String>,
    /// What stands behind the verb, and behind each word of place or origin.
    pub(super) segments: Vec<Segment>,
    words: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// Empty for the first.
    pub(super) opener: String,
    pub(super) paths: Vec<String>,
    pub(super) words: Vec<String>,
}

impl Sentence {
    pub(super) fn read(title: &str) -> Self {
        let (rest, quotes) = without_quotes(title);
        let mut sentence = Self { quotes, segments: vec![Segment::default()], ..Self::default() };
        for word in rest.split_whitespace() {
            let plain = word.trim_matches(|letter: char| ",;:()!?`".contains(letter)).trim_end_matches('.');
            let lower = plain.to_lowercase();
            if sentence.verb.is_empty() {
                sentence.verb.clone_from(&lower);
                sentence.words.push(lower);
                continue;
            }
            let Some(last) = sentence.segments.last_mut() else { break };
            if let Some(path) = path(word) {
                last.paths.push(path);
            } else if OPENERS.contains(&lower.as_str()) {
                let segment = Segment { opener: lower.clone(), ..Segment::default() };
                sentence.segments.push(segment);
            } else if !BETWEEN.contains(&lower.as_str()) && !plain.is_empty() {
                last.words.push(plain.to_string());
            }
            sentence.words.push(lower);
        }
        sentence
    }

    /// Whether a word stands in it, outside quotations.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether a word in it has this in it.
    pub(super) fn has_like(&self, part: &str) -> bool {
        self.words.iter().any(|own| own.contains(part))
    }

    /// All files that it names, in order, each once.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for path in self.segments.iter().flat_map(|segment| &segment.paths) {
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        paths
    }
}

/// A text without its quotations, and these. An apostrophe within a word opens none.
fn without_quotes(text: &str) -> (String, Vec<String>) {
    let (mut rest, mut quotes) = (String::new(), Vec::new());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let after = at + letter.len_utf8();
        let before = text[..at].chars().next_back();
        let is_open = letter != '\'' || before.is_none_or(|before| before.is_whitespace() || before == '(');
        let close = QUOTES.iter().filter(|(open, _)| *open == letter && is_open).find_map(|(_, close)| {
            let ends = text[after..].match_indices(*close).map(|(end, _)| after + end);
            ends.into_iter().find(|end| {
                let next = text[end + close.len_utf8()..].chars().next();
                *close != '\'' || next.is_none_or(|next| !next.is_alphanumeric())
            })
        });
        match close {
            Some(end) => {
                quotes.push(text[after..end].to_string());
                rest.push(' ');
                at = end + text[end..].chars().next().map_or(1, char::len_utf8);
            }
            None => {
                rest.push(letter);
                at = after;
            }
        }
    }
    (rest, quotes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_of_all_kinds_are_taken_out() {
        let check = |text: &str, expected: &[&str]| assert_eq!(without_quotes(text).1, expected, "{text}");
        check("Write \"a b\" to x", &["a b"]);
        check("Schreibe „a“ und «b»", &["a", "b"]);
        check("the crane's 'own words' here", &["own words"]);
        check("it isn't 'open", &[]);
        check("写「甲」", &["甲"]);
        check("\"\" and \"b\"", &["", "b"]);
    }

    #[test]
    fn segments_begin_with_a_word_of_place_or_origin() {
        let sentence = Sentence::read("Summarise loads of `data/a.md` and data/b.md, in docs/c.md.");
        assert_eq!(sentence.verb, "summarise");
        let told: Vec<String> = sentence
            .segments
            .iter()
            .map(|one| format!("{}|{}|{}", one.opener, one.paths.join(","), one.words.join(" ")))
            .collect();
        assert_eq!(told, ["||loads", "of|data/a.md,data/b.md|", "in|docs/c.md|"]);
        assert_eq!(sentence.paths(), ["data/a.md", "data/b.md", "docs/c.md"]);
    }
}
