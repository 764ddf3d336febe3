//! Which way a request goes (MV-02), by a rule that anyone can follow and that is told with its reason.

use machine::Mode;

/// The longest request that can be a simple task, in characters.
pub const SIMPLE_CHARACTERS: usize = 200;

/// Words that name something to be delivered.
const DELIVERABLES: &[&str] = &[
    "report",
    "presentation",
    "slides",
    "document",
    "deliverable",
    "dashboard",
    "website",
    "web page",
    "brochure",
    "proposal",
    "paper",
    "article",
    "guide",
    "manual",
    "handbook",
    "plan",
    "roadmap",
    "strategy",
    "analysis",
    "summary file",
    "spreadsheet",
    "deck",
    "newsletter",
    "whitepaper",
    "white paper",
    "study",
    "brief",
    "chart",
    "보고서",
    "문서",
    "발표",
    "기획서",
    "분석",
    "報告",
    "レポート",
    "資料",
    "bericht",
    "präsentation",
    "rapport",
    "présentation",
    "informe",
    "presentación",
    "summary",
    "overview",
    "comparison",
    "specification",
    "one page",
    "one-page",
    "single page",
    "one-pager",
    "zusammenfassung",
    "résumé",
    "resumen",
    "요약본",
];

/// Forms of files. One that is `a` CSV or `as` CSV is asked for; `the` CSV is there already.
const FORMS: &[&str] = &[
    "markdown",
    "html",
    "csv",
    "json",
    "pdf",
    "docx",
    "pptx",
    "powerpoint",
    "xlsx",
    "excel",
    "epub",
    "plain text",
    "webpage",
    "webseite",
    "마크다운",
    "웹페이지",
    "マークダウン",
    "网页",
];

/// Words in front of a form that say that it is there already.
const THERE: &[&str] = &[
    "the", "this", "that", "these", "those", "each", "every", "of", "from", "my", "our", "no", "not", "without", "der",
    "die", "das", "den", "dem", "diese", "dieser", "le", "la", "les", "ce", "cette", "el", "los", "las",
];

/// Words with which a question begins that wants an answer, no file.
const QUESTIONS: &[&str] = &[
    "what", "which", "who", "whose", "where", "when", "why", "how", "is", "are", "was", "were", "does", "do", "did",
    "has", "have", "was", "wer", "wie", "wo", "warum", "welche", "welcher", "welches",
];

/// Endings of file names that a request asks to be written.
const FILES: &[&str] =
    &[".md", ".html", ".htm", ".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".json", ".txt", ".yaml", ".svg", ".tex"];

/// A mode and why it is that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// The mode.
    pub mode: Mode,
    /// The reason, in words for people.
    pub reason: String,
}

/// How a bare request is carried out.
pub fn choose(request: &str, earlier_runs: Earlier) -> Chosen {
    let structured = |reason: String| match earlier_runs {
        Earlier::None => Chosen { mode: Mode::InitialRun, reason: format!("{reason}; no earlier run") },
        Earlier::Some => Chosen { mode: Mode::ContinuousRun, reason: format!("{reason}; there are earlier runs") },
    };
    let request = request.trim();
    let length = request.chars().count();
    if length > SIMPLE_CHARACTERS {
        return structured(format!("the request has {length} characters, more than {SIMPLE_CHARACTERS}"));
    }
    if sentences(request) > 1 {
        return structured("the request has more than one sentence".into());
    }
    let lower = request.to_lowercase();
    if let Some(file) = lower.split_whitespace().find(|word| names_file(word)) {
        return structured(format!("it names a file to write, {file:?}"));
    }
    if let Some(word) = DELIVERABLES.iter().find(|word| contains_word(&lower, word)) {
        return structured(format!("it names a deliverable, {word:?}"));
    }
    if let Some(form) = FORMS.iter().find(|form| asks_for(&lower, form)) {
        return structured(format!("it names a form to write, {form:?}"));
    }
    Chosen {
        mode: Mode::SimpleTask,
        reason: "one short sentence that names no deliverable, no form and no file".into(),
    }
}

/// Whether the project has had runs before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// It has not.
    None,
    /// It has.
    Some,
}

fn names_file(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '.' && letter != '/');
    let word = word.trim_end_matches('.');
    FILES.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending))
}

/// Whether a form is asked for, not asked about.
fn asks_for(lower: &str, form: &str) -> bool {
    let first = lower.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    if lower.ends_with('?') && QUESTIONS.contains(&first) {
        return false;
    }
    lower.match_indices(form).any(|(at, _)| {
        let before = lower[..at].split_whitespace().next_back().unwrap_or_default();
        contains_word(&lower[at..], form)
            && !lower[..at].ends_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_'))
            && !THERE.contains(&before)
    })
}

/// Whether a word stands there by itself; in scripts without blanks, whether it stands there at all.
fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, found)| {
        if !word.is_ascii() {
            return true;
        }
        let before = text[..at].chars().next_back();
        let mut after = text[at + found.len()..].chars();
        let next = after.next();
        let ends = match next {
            Some('s') => !after.next().is_some_and(char::is_alphanumeric),
            other => !other.is_some_and(char::is_alphanumeric),
        };
        ends && !before.is_some_and(char::is_alphanumeric)
    })
}

/// How many sentences a text has: an end mark counts when something follows it.
fn sentences(text: &str) -> usize {
    let mut count = 1;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = match letter {
            '\n' => true,
            '.' | '!' | '?' => letters.peek().is_none_or(|next| next.is_whitespace()),
            '。' | '！' | '？' | '।' | '؟' => true,
            _ => false,
        };
        if ends && letters.clone().any(|rest| rest.is_alphanumeric()) {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MV-02
    #[test]
    fn the_mode_follows_from_the_request_and_is_told_with_its_reason() {
        let check = |request: &str, earlier, mode, reason: &str| {
            let chosen = choose(request, earlier);
            assert_eq!(chosen.mode, mode, "{request}: {}", chosen.reason);
            assert!(chosen.reason.contains(reason), "{request}: {}", chosen.reason);
        };
        check("list the files in assets", Earlier::None, Mode::SimpleTask, "one short sentence");
        check("what is 2 + 2?", Earlier::Some, Mode::SimpleTask, "one short sentence");
        check("Make a report of the sales.", Earlier::None, Mode::InitialRun, "deliverable, \"report\"");
        check("Make reports of the sales.", Earlier::Some, Mode::ContinuousRun, "deliverable");
        check("write the totals into totals.md", Earlier::None, Mode::InitialRun, "file to write");
        check("Read it. Then count.", Earlier::None, Mode::InitialRun, "more than one sentence");
        check(&"a ".repeat(150), Earlier::Some, Mode::ContinuousRun, "characters");
        check("매출 보고서를 만들어 주세요", Earlier::None, Mode::InitialRun, "보고서");
        check("tell me who reported it", Earlier::None, Mode::SimpleTask, "one short");
        check("what does v1.2 mean", Earlier::None, Mode::SimpleTask, "one short");
    }

    /// MV-02, MV-03: who names a form or a length wants a file.
    #[test]
    fn a_form_that_is_asked_for_makes_a_run() {
        for (request, mode) in [
            ("Write only a CSV of the orders", Mode::InitialRun),
            ("Give me only an HTML page about the hospitals.", Mode::InitialRun),
            ("a one page summary of the water supply", Mode::InitialRun),
            ("Compare K-14 and K-17 as Markdown", Mode::InitialRun),
            ("JSON only", Mode::InitialRun),
            ("Can you give me a CSV?", Mode::InitialRun),
            ("Die Zahlen als CSV", Mode::InitialRun),
            ("How many rows does a CSV in assets have?", Mode::SimpleTask),
            ("count the rows of the CSV", Mode::SimpleTask),
            ("what does the HTML say?", Mode::SimpleTask),
        ] {
            assert_eq!(choose(request, Earlier::None).mode, mode, "{request}");
        }
    }
}
