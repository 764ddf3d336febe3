//! What an entry says it comes after: `(after 1.2)`, `needs 1.1 and 1.3`, `depends on "Weigh it"`. Owns the words for it in
//! several languages. Must not know which entries there are: whoever does says what a word stands for.

/// Words that a dependency begins with, longest first where one is the beginning of another.
const OPENERS: [&str; 23] = [
    "depends on",
    "depending on",
    "dependson",
    "depends:",
    "requires",
    "needs",
    "once",
    "after",
    "hängt ab von",
    "setzt voraus",
    "benötigt",
    "braucht",
    "nach",
    "dépend de",
    "nécessite",
    "après",
    "depende de",
    "requiere",
    "después de",
    "依赖于",
    "依赖",
    "依存",
    "需要",
];
/// Words that may stand before what is meant.
const KINDS: [&str; 14] = [
    "step", "steps", "item", "items", "task", "tasks", "number", "nr.", "no.", "schritt", "punkt", "étape", "paso", "#",
];
/// Words that part one from the next.
const BETWEEN: [&str; 9] = [" and ", " & ", " und ", " et ", " y ", " e ", "和", "、", "，"];
/// Words that may end it: `once 1.2 is done`.
const CLOSERS: [&str; 12] = [
    " is done",
    " are done",
    " is finished",
    " are finished",
    " is complete",
    " are complete",
    " have been done",
    " has been done",
    " is ready",
    " fertig ist",
    " sind fertig",
    "之后",
];
/// Words that say that one entry of a list comes after the other.
const ORDERED: [&str; 13] = [
    "in this order",
    "in order",
    "in that order",
    "one after another",
    "one after the other",
    "one by one",
    "sequentially",
    "step by step",
    "der reihe nach",
    "in dieser reihenfolge",
    "dans l'ordre",
    "en orden",
    "按顺序",
];

/// A title without its dependencies, and what these name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Referring {
    pub(super) title: String,
    pub(super) named: Vec<String>,
}

/// Takes dependencies off a title, if `is_meant` knows every one of a clause, or it is a number.
pub(super) fn referring(title: &str, is_meant: &dyn Fn(&str) -> bool) -> Referring {
    let mut found = Referring { title: title.trim().to_string(), named: Vec::new() };
    // In brackets, anywhere.
    while let Some((open, inner, close)) = brackets(&found.title) {
        let Some(named) = clause(&found.title[inner..close], is_meant) else { break };
        found.named.extend(named);
        let closing = found.title[close..].chars().next().map_or(1, char::len_utf8);
        let (before, after) = (found.title[..open].trim_end(), found.title[close + closing..].to_string());
        found.title = format!("{before}{after}").trim().to_string();
    }
    // At the end, behind a comma, a dash or nothing.
    let lower = found.title.to_lowercase();
    if lower.len() == found.title.len() {
        let starts = OPENERS.iter().flat_map(|opener| lower.match_indices(opener).map(|(at, _)| at));
        let mut starts: Vec<usize> = starts.filter(|at| is_word_start(&lower, *at)).collect();
        starts.sort_unstable();
        if let Some((at, named)) = starts.into_iter().find_map(|at| Some((at, clause(&found.title[at..], is_meant)?))) {
            found.named.extend(named);
            let marks = |letter: char| letter.is_whitespace() || ",;:–—-(".contains(letter);
            found.title = found.title[..at].trim_end_matches(marks).to_string();
        }
    }
    found
}

/// The entries that a clause names, which says nothing else; nothing if it is none.
pub(super) fn clause(text: &str, is_meant: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    let text = text.trim().trim_end_matches(['.', ')', '）']).trim();
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let opener = OPENERS.iter().find(|opener| lower.starts_with(*opener))?;
    let rest = text[opener.len()..].trim_start_matches([':', ' ', '\t']);
    let named = names(rest);
    let is_all = !named.is_empty() && named.iter().all(|name| is_number(name) || is_meant(name));
    is_all.then_some(named)
}

/// The names in a list of them: `1.1, 1.2 and "Weigh it"`.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut text = format!(" {} ", text.trim().trim_matches(['[', ']']));
    for closer in CLOSERS {
        if let Some(kept) = text.trim_end().strip_suffix(closer.trim_end()) {
            text = format!("{kept} ");
        }
    }
    for between in BETWEEN {
        text = text.replace(between, ",");
    }
    let bare = |name: &str| {
        let mut name = name.trim();
        loop {
            let lower = name.to_lowercase();
            let kind = KINDS.iter().find(|kind| {
                lower.strip_prefix(*kind).is_some_and(|rest| **kind == "#" || rest.starts_with(char::is_whitespace))
            });
            match kind {
                Some(kind) if lower.len() == name.len() => name = name[kind.len()..].trim_start(),
                _ => break,
            }
        }
        name.trim_matches(['"', '\'', '`', '“', '”', '„', '«', '»', '「', '」', ' ']).trim_end_matches('.').to_string()
    };
    text.split([',', ';']).map(bare).filter(|name| !name.is_empty()).collect()
}

/// Whether words before a list say that its entries follow each other.
pub(super) fn is_ordered(text: &str) -> bool {
    let lower = text.to_lowercase();
    ORDERED.iter().any(|words| lower.contains(words))
}

/// Digits and dots.
pub(super) fn is_number(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
}

/// The last pair of brackets: where it opens, where what is in it begins, where it closes.
fn brackets(text: &str) -> Option<(usize, usize, usize)> {
    let open = text.rfind(['(', '（'])?;
    let close = text[open..].find([')', '）']).map(|at| open + at)?;
    let inner = open + text[open..].chars().next().map_or(1, char::len_utf8);
    Some((open, inner, close))
}

fn is_word_start(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|letter| !letter.is_alphanumeric() || letter > '\u{2e80}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, expected: &str, named: &[&str]) {
        let is_meant = |name: &str| ["Weigh it", "Phase 1"].contains(&name);
        let found = referring(title, &is_meant);
        assert_eq!(
            (found.title.as_str(), found.named.as_slice()),
            (expected, &named.iter().map(|one| (*one).to_string()).collect::<Vec<_>>()[..]),
            "{title}"
        );
    }

    #[test]
    fn dependencies_are_taken_off_titles() {
        check("Grind it (after 1.1)", "Grind it", &["1.1"]);
        check("Grind it (needs 1.1, 1.2 and 1.3)", "Grind it", &["1.1", "1.2", "1.3"]);
        check("Grind it, after 1.1 and \"Weigh it\"", "Grind it", &["1.1", "Weigh it"]);
        check("Grind it depends on step 2", "Grind it", &["2"]);
        check("Grind it once 1.1 is done", "Grind it", &["1.1"]);
        check("Grind it – needs Phase 1.", "Grind it", &["Phase 1"]);
        check("Mahlen (nach 1.1)", "Mahlen", &["1.1"]);
        check("研磨（依赖 1.1 和 1.2）", "研磨", &["1.1", "1.2"]);
        check("Look after the mill", "Look after the mill", &[]);
        check("Write what the mill needs to docs/a.md", "Write what the mill needs to docs/a.md", &[]);
        check("Go there (after lunch) at 5", "Go there (after lunch) at 5", &[]);
        check("A (after 1.1) b (after 1.2)", "A b", &["1.2", "1.1"]);
    }

    #[test]
    fn lists_of_names_are_read() {
        assert_eq!(names("[1.1, #2]"), ["1.1", "2"]);
        assert_eq!(names("item 1.1; `x y`"), ["1.1", "x y"]);
        assert!(names(" ").is_empty());
        assert!(is_ordered("Do these in order:") && !is_ordered("Do these:"));
    }
}
