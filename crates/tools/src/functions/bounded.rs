//! Owns how much of a result a model is shown (BY-17): lines up to a number of tokens, and a last line that says what
//! was left out and how to see it. Must not know what the lines are about.

/// The most tokens of one answer.
pub(crate) const ANSWER_TOKENS: usize = 8_000;

/// The most letters of one line; longer ones come from files that are not made for reading.
pub(crate) const LINE_LETTERS: usize = 2_000;

/// About how many tokens a text takes: four letters of English are one, a letter of most other scripts is one.
pub(crate) fn tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii.div_ceil(4) + text.chars().filter(|letter| !letter.is_ascii()).count()
}

/// Lines for as long as there is room.
#[derive(Debug)]
pub(crate) struct Page {
    text: String,
    left: usize,
}

impl Page {
    pub(crate) fn new(tokens: usize) -> Self {
        Self { text: String::new(), left: tokens }
    }

    /// Adds a line, its end included, unless it does not fit any more. The first always does.
    pub(crate) fn add(&mut self, line: &str) -> bool {
        let needed = tokens(line) + 1;
        if needed > self.left && !self.text.is_empty() {
            self.left = 0;
            return false;
        }
        self.left = self.left.saturating_sub(needed);
        self.text.push_str(line);
        self.text.push('\n');
        true
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Ends it with what must be known of it, whatever room there is.
    pub(crate) fn end(mut self, note: &str) -> String {
        if !note.is_empty() {
            self.text.push_str(note);
            self.text.push('\n');
        }
        self.text
    }
}

/// A line, cut if it is too long, and what it was.
pub(crate) fn line(text: &str) -> String {
    match text.char_indices().nth(LINE_LETTERS) {
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{}… ({rest} more letters in this line)", &text[..end])
        }
        None => text.into(),
    }
}

/// The beginning and the end of a text, when there is no room for all of it; the middle is left out and said.
pub(crate) fn ends(text: &str, most: usize) -> String {
    if tokens(text) <= most {
        return text.into();
    }
    let lines: Vec<String> = text.lines().map(line).collect();
    let half = most / 2;
    let fitting = |lines: &mut dyn Iterator<Item = &String>| {
        let mut left = half;
        lines
            .take_while(|line| {
                let needed = tokens(line) + 1;
                let fits = needed <= left;
                left = left.saturating_sub(needed);
                fits
            })
            .count()
    };
    let head = fitting(&mut lines.iter());
    let tail = fitting(&mut lines[head..].iter().rev());
    let middle = lines.len() - head - tail;
    let mut shown: Vec<String> = lines[..head].to_vec();
    shown.push(format!("… ({middle} lines in the middle are left out)"));
    shown.extend_from_slice(&lines[lines.len() - tail..]);
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BY-17: whatever comes, a page keeps its size, and its last line says what is missing.
    #[test]
    fn pages_are_bounded() {
        let mut page = Page::new(10);
        assert!(page.add("four letters"));
        assert!(page.add("and more"));
        assert!(!page.add("this does not fit any more"));
        assert!(!page.add("x"), "once full, it stays full");
        assert_eq!(page.end("(1 line left out)"), "four letters\nand more\n(1 line left out)\n");
        let mut page = Page::new(1);
        assert!(page.add("the first line always fits"));
        assert!(tokens("äöü") >= 3 && tokens("abcd") == 1 && tokens("") == 0);
    }

    #[test]
    fn long_lines_and_long_texts_are_cut_and_say_so() {
        let long = "x".repeat(LINE_LETTERS + 7);
        assert!(line(&long).ends_with("… (7 more letters in this line)"));
        let text: Vec<String> = (0..1000).map(|number| format!("line {number}")).collect();
        let shown = ends(&text.join("\n"), 100);
        assert!(shown.starts_with("line 0\n") && shown.ends_with("line 999"), "{shown}");
        assert!(shown.contains("lines in the middle are left out"), "{shown}");
        assert!(tokens(&shown) < 130, "{}", tokens(&shown));
        assert_eq!(ends("short", 100), "short");
    }
}
