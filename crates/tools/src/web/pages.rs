//! Long texts in pages, and the texts that were fetched lately, so that the next page of one is the page after the last
//! and not one of a newer text. Must not know how texts are fetched.

use std::collections::VecDeque;
use std::sync::Arc;

use super::content::Document;

/// The most that is kept for further pages.
const MOST_KEPT: usize = 24;
const MOST_KEPT_BYTES: usize = 16 << 20;

/// A document and where it was found in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) url: String,
    pub(crate) document: Document,
}

/// The last documents, by the URL that was asked for; the oldest goes first.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    read: VecDeque<(String, Arc<Read>)>,
}

impl Kept {
    pub(crate) fn find(&self, asked: &str) -> Option<Arc<Read>> {
        self.read.iter().find(|(url, _)| url == asked).map(|(_, read)| Arc::clone(read))
    }

    pub(crate) fn keep(&mut self, asked: &str, read: &Arc<Read>) {
        self.read.retain(|(url, _)| url != asked);
        self.read.push_back((asked.into(), Arc::clone(read)));
        while self.read.len() > MOST_KEPT || (self.bytes() > MOST_KEPT_BYTES && self.read.len() > 1) {
            self.read.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        self.read.iter().map(|(_, read)| read.document.text.len()).sum()
    }
}

/// The page with a number from one on, and how many there are. Pages end at the end of a line where one is near.
pub(crate) fn page(text: &str, number: usize, bytes: usize) -> (&str, usize) {
    let bytes = bytes.max(4);
    let (mut from, mut count, mut found) = (0, 0, "");
    while from < text.len() {
        let mut end = (from + bytes).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        if end < text.len()
            && let Some(line) = text[from..end].rfind('\n').filter(|line| *line >= (end - from) / 2)
        {
            end = from + line + 1;
        }
        count += 1;
        if count == number {
            found = &text[from..end];
        }
        from = end;
    }
    (found, count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BY-17: every byte of a text is on exactly one page, and no page is longer than it may be.
    #[test]
    fn pages_hold_the_whole_text() {
        for text in [
            "",
            "a",
            "line one\nline two\nline three\n",
            "ééééééééééé",
            "no line end in this text at all",
            "\n\n\n\n\n",
        ] {
            for bytes in 1..20 {
                let (_, count) = page(text, 1, bytes);
                let pages: Vec<&str> = (1..=count).map(|number| page(text, number, bytes).0).collect();
                assert_eq!(pages.concat(), text, "{text:?} in {bytes}");
                assert!(pages.iter().all(|page| page.len() <= bytes.max(4)), "{pages:?}");
            }
        }
        assert_eq!(page("line one\nline two\n", 2, 12), ("line two\n", 2));
        assert_eq!(page("abc", 9, 12), ("", 1));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut kept = Kept::default();
        let read = |text: String| {
            Arc::new(Read { url: "http://a/".into(), document: Document { title: None, text, cut: false } })
        };
        for number in 0..=MOST_KEPT {
            kept.keep(&number.to_string(), &read("x".into()));
        }
        assert!(kept.find("0").is_none() && kept.find("1").is_some());
        kept.keep("large", &read("x".repeat(MOST_KEPT_BYTES + 1)));
        assert!(kept.find("1").is_none() && kept.find("large").is_some());
    }
}
