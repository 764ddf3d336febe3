//! What an entry of the roadmap says on its first line: its number, its title, and a state that some put beside it. Pure
//! spelling. Must not know lists.

use std::ops::Range;

use machine::roadmap::Status;

use super::face::Said;
use super::words::{self, Read};

/// Number and title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Title {
    /// As written, without what separates it from the title; empty without one.
    pub(crate) number: String,
    pub(crate) number_span: Range<usize>,
    /// As meant: without emphasis that holds all of it.
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
    /// All that is said, the number included: what a group is called by.
    pub(crate) whole: String,
    pub(crate) whole_span: Range<usize>,
    /// What must be done first, where that stands in brackets beside it.
    pub(crate) needs: Vec<String>,
}

/// Words that may stand in front of a number.
const BEFORE_NUMBER: &str = "phase step task item stage milestone part section epic story subtask 阶段 步骤 任务 第 里程碑 단계 작업 항목 \
    schritt aufgabe etappe teil abschnitt étape tâche partie paso tarea etapa fase этап шаг задача";

/// Words that may stand directly behind one.
const BEHIND_NUMBER: &str = "阶段 步 步骤 章 节 단계 번";

/// Words between the last two names of a list.
const AND: [&str; 7] = [" and ", " und ", " y ", " et ", " и ", "和", "及"];

/// Reads what stands in a span of a source. A state beside the title counts only if none is told elsewhere.
pub(crate) fn read(source: &str, span: Range<usize>, is_told: bool) -> (Title, Option<Said>) {
    let mut inner = without_comment(source, span);
    let mut needs = needs(&source[inner.clone()]);
    let mut said = None;
    match is_told {
        // A sign beside it says nothing more.
        true => inner = sign_beside(source, inner.clone()).map_or(inner, |(inner, _)| inner),
        false => {
            if let Some(((left, (status, place)), tail)) = plain_behind_dash(source, inner.clone()) {
                if needs.is_empty() {
                    needs = needs_behind(&source[tail]);
                }
                (inner, said) = (left, Some(Said { read: Read::Loose(status), span: place, is_line: false }));
            } else {
                (inner, said) = state_beside(source, inner);
            }
        }
    }
    inner = unwrapped(source, inner);
    let (number_span, span) = split_number(source, inner.clone());
    let whole = source[inner.clone()].trim_end_matches([':', '：', ' ']);
    let title = Title {
        number: source[number_span.clone()].to_owned(),
        number_span,
        text: source[span.clone()].to_owned(),
        span,
        whole: whole.to_owned(),
        whole_span: inner.start..inner.start + whole.len(),
        needs,
    };
    (title, said)
}

/// The number of a marker such as `1.`, and where in it.
pub(crate) fn number_of_marker(marker: &str) -> Option<(String, usize)> {
    let digits: String = marker.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some((digits, 0))
}

/// The numbers, or else the words, that a list of dependencies names.
pub(crate) fn numbers_in(text: &str) -> Vec<String> {
    let inner = text.trim().trim_matches(['[', ']']);
    let parts = inner.split([',', ';', '、', '，', '；', '&', '+']).flat_map(|part| {
        AND.iter().fold(vec![part], |parts, and| parts.iter().flat_map(|part| part.split(and)).collect())
    });
    let named = parts.filter_map(|part| {
        let part = part.trim().trim_matches(['`', '*', '"', '\'', '#', '[', ']', '(', ')']).trim();
        if matches!(
            words::squeezed(part).as_str(),
            "" | "none" | "no" | "nothing" | "na" | "无" | "없음" | "keine" | "aucune" | "ninguna" | "нет"
        ) {
            return None;
        }
        let (number, _) = split_number(part, 0..part.len());
        let number = &part[number];
        let key = if number.is_empty() { part } else { number };
        Some(key.trim_end_matches('.').to_owned())
    });
    let mut all: Vec<String> = Vec::new();
    named.for_each(|name| {
        if !all.contains(&name) {
            all.push(name);
        }
    });
    all
}

/// The numbers of items that a title names in brackets as what must be done first: `Ship it (Pending, depends on 1.2)`. Words
/// that are no numbers are no items: `(after lunch)`.
fn needs(title: &str) -> Vec<String> {
    let inner = title.strip_suffix([')', '）']).and_then(|rest| Some(&rest[rest.rfind(['(', '（'])?..]));
    match (inner, title.split_once("; ")) {
        (Some(inner), _) => needs_behind(inner.trim_start_matches(['(', '（'])),
        (None, Some((_, tail))) => needs_behind(tail),
        (None, None) => Vec::new(),
    }
}

/// The same in what explains a state: `after 1 and 2`, behind others.
fn needs_behind(text: &str) -> Vec<String> {
    let mut parts = text.split([',', ';', '，']);
    let named = parts.find_map(|part| {
        let ends = part.char_indices().filter(|(_, letter)| matches!(letter, ' ' | ':' | '：')).map(|(at, _)| at);
        let key = ends.filter(|end| words::Key::of(part[..*end].trim()) == Some(words::Key::DependsOn)).max()?;
        Some(part[key..].trim_start_matches([' ', ':', '：']))
    });
    let is_number = |name: &str| {
        let (number, rest) = split_number(name, 0..name.len());
        !number.is_empty() && rest.is_empty()
    };
    let rest: Vec<&str> = parts.filter(|_| named.is_some()).collect();
    // `and on #7 for the peer address`
    let signed = rest.iter().flat_map(|part| part.split_whitespace()).filter(|word| word.starts_with('#'));
    let all = named.into_iter().chain(rest.iter().copied()).chain(signed).flat_map(numbers_in);
    let mut needed: Vec<String> = Vec::new();
    all.filter(|name| is_number(name)).for_each(|name| {
        if !needed.contains(&name) {
            needed.push(name);
        }
    });
    needed
}

/// Without a comment at the end.
fn without_comment(source: &str, span: Range<usize>) -> Range<usize> {
    let text = &source[span.clone()];
    match text.rfind("<!--").filter(|at| text.trim_end().ends_with("-->") && *at > 0) {
        Some(at) => trimmed(source, span.start..span.start + at),
        None => trimmed(source, span),
    }
}

fn trimmed(source: &str, span: Range<usize>) -> Range<usize> {
    let text = &source[span.clone()];
    let start = span.end - text.trim_start().len();
    if start >= span.end { span.start..span.start } else { start..start + text.trim().len() }
}

/// Without emphasis around all of it, and without what strikes it out.
fn unwrapped(source: &str, mut span: Range<usize>) -> Range<usize> {
    for mark in ["~~", "**", "__", "*", "_"] {
        let text = &source[span.clone()];
        let inner = text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        if inner
            .is_some_and(|inner| !inner.is_empty() && !inner.contains(mark) && !inner.starts_with(char::is_whitespace))
        {
            span = span.start + mark.len()..span.end - mark.len();
        }
    }
    trimmed(source, span)
}

/// A state in brackets in front or at the end, as a sign, or by striking all of it out.
fn state_beside(source: &str, span: Range<usize>) -> (Range<usize>, Option<Said>) {
    let text = &source[span.clone()];
    let said = |status: Status, span: Range<usize>| Some(Said { read: Read::Loose(status), span, is_line: false });
    if let Some((left, (status, place))) = sign_beside(source, span.clone()) {
        return (left, said(status, place));
    }
    if let Some((left, (status, place))) = word_behind_dash(source, span.clone()) {
        return (left, said(status, place));
    }
    for (open, close) in [('(', ')'), ('[', ']'), ('（', '）'), ('【', '】')] {
        if let Some(rest) = text.strip_prefix(open)
            && let Some((inner, after)) = rest.split_once(close)
            && let Some(read) = in_brackets(inner)
            && !after.trim().is_empty()
        {
            let place = span.start + open.len_utf8() + read.1.start..span.start + open.len_utf8() + read.1.end;
            let left = trimmed(source, span.end - after.len()..span.end);
            return (left, Some(Said { read: read.0, span: place, is_line: false }));
        }
        if let Some(rest) = text.strip_suffix(close)
            && let Some(at) = rest.rfind(open)
            && let Some(read) = in_brackets(&rest[at + open.len_utf8()..])
            && at > 0
        {
            let from = span.start + at + open.len_utf8();
            let left = trimmed(source, span.start..span.start + at);
            return (left, Some(Said { read: read.0, span: from + read.1.start..from + read.1.end, is_line: false }));
        }
    }
    if text.len() > 4 && text.starts_with("~~") && text.ends_with("~~") {
        return (span.clone(), said(Status::Cancelled, span.start..span.start));
    }
    if let Some((left, (status, place))) = sentence_at_end(source, span.clone()) {
        return (left, said(status, place));
    }
    // Struck out, and why.
    if let Some((inner, why)) = text.strip_prefix("~~").and_then(|rest| rest.split_once("~~"))
        && words::plain_status(why) == Some(Status::Cancelled)
        && !inner.is_empty()
    {
        let start = span.end - why.trim_start().len();
        return (span.start..span.start + inner.len() + 4, said(Status::Cancelled, start..span.end));
    }
    (span, None)
}

/// What is left of a text without a state beside it, and that state with its place.
type Beside = (Range<usize>, (Status, Range<usize>));

/// A sign in front or at the end.
fn sign_beside(source: &str, span: Range<usize>) -> Option<Beside> {
    let text = &source[span.clone()];
    let found = |sign: Option<char>| sign.and_then(|sign| Some((words::sign(sign)?, sign.len_utf8())));
    if let Some((status, length)) = found(text.chars().next()) {
        let rest = text[length..].trim_start_matches('\u{FE0F}');
        let start = span.end - rest.len();
        let left = trimmed(source, start..span.end);
        return (!left.is_empty()).then_some((left, (status, span.start..start)));
    }
    let bare = text.trim_end_matches('\u{FE0F}');
    let (status, length) = found(bare.chars().next_back())?;
    let start = span.start + bare.len() - length;
    let left = trimmed(source, span.start..start);
    (!left.is_empty()).then_some((left, (status, start..span.end)))
}

/// A state behind a dash at the end, in emphasis: `Move it – *Completed*`.
fn word_behind_dash(source: &str, span: Range<usize>) -> Option<Beside> {
    let text = &source[span.clone()];
    let at = ["–", "—", " - "].iter().filter_map(|dash| Some((text.rfind(dash)?, dash.len()))).max()?;
    let rest = &text[at.0 + at.1..];
    let word = rest.trim();
    let bare = word.trim_matches(['*', '_']);
    let status = words::status(bare).0.value().filter(|_| bare.len() < word.len() && !bare.contains(' '))?;
    let start = span.end - rest.trim_start().len() + (word.len() - word.trim_start_matches(['*', '_']).len());
    let left = trimmed(source, span.start..span.start + at.0);
    (!left.is_empty()).then_some((left, (status, start..start + bare.len())))
}

/// A state in a sentence of its own: `Move it. Status: failed.`
fn sentence_at_end(source: &str, span: Range<usize>) -> Option<Beside> {
    let text = &source[span.clone()];
    let at = text.rfind(". ")?;
    let (key, value) = text[at + 2..].split_once([':', '：'])?;
    let word = value.trim().trim_end_matches('.');
    let status = words::status(word).0.value().filter(|_| words::Key::of(key) == Some(words::Key::Status))?;
    let start = span.end - value.trim_start().len();
    let left = trimmed(source, span.start..span.start + at);
    (!left.is_empty()).then_some((left, (status, start..start + word.len())))
}

/// A state behind a dash, and what explains it behind a comma or in brackets: `Move it — pending, after 2`.
fn plain_behind_dash(source: &str, span: Range<usize>) -> Option<(Beside, Range<usize>)> {
    let text = &source[span.clone()];
    let mut dashes: Vec<(usize, usize)> = [" — ", " – ", " - "]
        .iter()
        .flat_map(|dash| text.match_indices(dash).map(|(at, _)| (at, dash.len())))
        .collect();
    dashes.sort_unstable();
    dashes.into_iter().find_map(|(at, width)| {
        let rest = text[at + width..].trim_start_matches([' ', '*', '_']);
        // `status: in progress` is as good.
        let rest = match rest.split_once([':', '=']) {
            Some((key, value)) if words::Key::of(key) == Some(words::Key::Status) => value.trim_start(),
            _ => rest,
        };
        let word =
            rest[..rest.find([',', ';', '(', '（', '，']).unwrap_or(rest.len())].trim_end_matches([' ', '*', '_']);
        let status = words::plain_status(word)?;
        let start = span.end - rest.len();
        let left = trimmed(source, span.start..span.start + at);
        let end = start + word.len();
        (!left.is_empty()).then_some(((left, (status, start..end)), end..span.end))
    })
}

/// A state between brackets: alone, or with its key.
fn in_brackets(inner: &str) -> Option<(Read<Status>, Range<usize>)> {
    let (value, start) = match inner.find([':', '：', '=']) {
        Some(at) if words::Key::of(&inner[..at]) == Some(words::Key::Status) => {
            let width = inner[at..].chars().next().map_or(1, char::len_utf8);
            let rest = &inner[at + width..];
            (rest.trim_start(), inner.len() - rest.trim_start().len())
        }
        Some(_) => return None,
        None => (inner.trim_start(), inner.len() - inner.trim_start().len()),
    };
    let (read, length) = words::status(value);
    // Without a key, words around it make it a remark.
    let is_all = start > 0 && inner.contains([':', '：', '=']) || length == value.trim_end().len();
    read.value().filter(|_| is_all).map(|_| (read, start..start + length))
}

/// The number that a text begins with, and the rest.
fn split_number(source: &str, span: Range<usize>) -> (Range<usize>, Range<usize>) {
    let none = (span.start..span.start, span.clone());
    let text = &source[span.clone()];
    let opened = text.trim_start_matches(['*', '_', '`', '[', '(', '#', '（']);
    let word: &str = {
        let end = opened.find(|letter: char| !letter.is_alphabetic()).unwrap_or(opened.len());
        &opened[..end]
    };
    let is_before = words::is_one_of(&word.to_lowercase(), BEFORE_NUMBER);
    let behind = match is_before {
        true => opened[word.len()..].trim_start_matches([' ', '-', '#', '_']),
        // A letter or two in front, as in `T1` or `M2.3`.
        false if word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase()) => opened,
        false if word.is_empty() => opened,
        false => return none,
    };
    let start = span.end - behind.len();
    let length = number_length(behind);
    if length == 0 {
        return none;
    }
    let after = &behind[length..];
    let after = BEHIND_NUMBER.split_whitespace().find_map(|word| after.strip_prefix(word)).unwrap_or(after);
    let closed = after.trim_start_matches(['*', '_', '`', ']', ')', '）']);
    let separated = closed.trim_start_matches(['.', ')', ':', '：', '、', '．', '-', '–', '—']);
    let separated = separated.trim_start_matches(['*', '_', '`', ']']);
    let is_apart = separated.is_empty() || separated.starts_with([' ', '\t']) || closed.starts_with(['、', '：', '．']);
    // `3.5x faster` and `2024-01-01` begin with no number of an item.
    if !is_apart {
        return none;
    }
    let title = separated.trim_start();
    // `1.2. - x`: a dash behind the blank separates, too.
    let title =
        title.strip_prefix(['-', '–', '—', ':']).filter(|rest| rest.starts_with(' ')).map_or(title, str::trim_start);
    (start..start + length, span.end - title.len()..span.end)
}

/// How many bytes of a text are a number: figures with dots between them, perhaps behind a letter or two.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let mut at = letters + usize::from(letters > 0 && bytes.get(letters) == Some(&b'-'));
    let mut end = 0;
    loop {
        let digits = bytes[at..].iter().take(7).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 6 {
            break;
        }
        at += digits;
        end = at;
        // `2a.`
        if bytes.get(at).is_some_and(u8::is_ascii_lowercase) && matches!(bytes.get(at + 1), Some(b'.' | b')' | b':')) {
            at += 1;
            end = at;
        }
        if bytes.get(at) != Some(&b'.') || end > 64 {
            break;
        }
        at += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, number: &str, title: &str) {
        let (read, _) = read(text, 0..text.len(), true);
        assert_eq!((read.number.as_str(), read.text.as_str()), (number, title), "{text:?}");
        assert_eq!(&text[read.span.clone()], read.text, "{text:?}");
        assert_eq!(&text[read.number_span.clone()], read.number, "{text:?}");
    }

    #[test]
    fn numbers_are_told_from_titles() {
        for (text, number, title) in [
            ("1.1. Identify shared code", "1.1", "Identify shared code"),
            ("1 Ensure Node.js", "1", "Ensure Node.js"),
            ("1.2 Move", "1.2", "Move"),
            ("12) Move", "12", "Move"),
            ("1: Move", "1", "Move"),
            ("1.3 - Move", "1.3", "Move"),
            ("**1.1.** Move", "1.1", "Move"),
            ("**1.1 Move it**", "1.1", "Move it"),
            ("[1.1] Move", "1.1", "Move"),
            ("`2.1`: Move", "2.1", "Move"),
            ("#12 Move", "12", "Move"),
            ("Task 3: Move", "3", "Move"),
            ("Phase 1 — Move", "1", "Move"),
            ("T1.2 Move", "T1.2", "Move"),
            ("M2: Move", "M2", "Move"),
            ("1、移动代码", "1", "移动代码"),
            ("第1阶段：核心", "1", "核心"),
            ("任务 2：核心", "2", "核心"),
            ("1단계: 핵심", "1", "핵심"),
            ("2a. Move", "2a", "Move"),
            ("Move 1.2", "", "Move 1.2"),
            ("2024-06-01 release", "", "2024-06-01 release"),
            ("3.5x faster", "", "3.5x faster"),
            ("Python 3: port", "", "Python 3: port"),
            ("AB", "", "AB"),
            ("", "", ""),
            ("**Bold** and more", "", "**Bold** and more"),
            ("**Bold**", "", "Bold"),
            ("**1.1 Move it** ✅", "1.1", "Move it"),
            ("Move <!-- why -->", "", "Move"),
        ] {
            check(text, number, title);
        }
    }

    #[test]
    fn states_beside_titles() {
        for (text, title, status) in [
            ("✅ 1.1 Move", "Move", Some(Status::Completed)),
            ("1.1 Move ✔️", "Move", Some(Status::Completed)),
            ("[DONE] 1.1 Move", "Move", Some(Status::Completed)),
            ("1.1 Move (in progress)", "Move", Some(Status::Locked)),
            ("1.1 Move (status: Failed)", "Move", Some(Status::Failed)),
            ("1.1 Move [Pending]", "Move", Some(Status::Pending)),
            ("1.1 移动（已完成）", "移动", Some(Status::Completed)),
            ("~~1.1 Move~~", "Move", Some(Status::Cancelled)),
            ("**1.1 Move** – *Completed*", "Move", Some(Status::Completed)),
            ("**1.1 Move** ✅", "Move", Some(Status::Completed)),
            ("1.1 Move – the open door", "Move – the open door", None),
            ("✅", "✅", None),
            ("1.1 Move (see the open issues)", "Move (see the open issues)", None),
            ("1.1 Move (done by hand)", "Move (done by hand)", None),
            ("1.1 Move", "Move", None),
            ("Move it — done", "Move it", Some(Status::Completed)),
            ("Move it - in progress (mara), after 1", "Move it", Some(Status::Locked)),
            ("Move it — *status: in progress, executor: x*", "Move it", Some(Status::Locked)),
            ("Move the door - open", "Move the door - open", None),
            ("Mend the build — broken", "Mend the build — broken", None),
            ("2.5 Move it. Status: failed.", "Move it", Some(Status::Failed)),
            ("~~#17 Move~~ not planned", "Move", Some(Status::Cancelled)),
            ("~~Move~~ Carry it", "~~Move~~ Carry it", None),
        ] {
            let (read, said) = read(text, 0..text.len(), false);
            assert_eq!((read.text.as_str(), said.and_then(|said| said.read.value())), (title, status), "{text:?}");
        }
    }

    #[test]
    fn dependencies() {
        for (text, expected) in [
            ("1.1, 1.2", vec!["1.1", "1.2"]),
            ("[1.1, 1.2.]", vec!["1.1", "1.2"]),
            ("Task 1.1 and #2", vec!["1.1", "2"]),
            ("`1.1`; 1.1 Identify shared code", vec!["1.1"]),
            ("none", vec![]),
            ("", vec![]),
            ("the parser", vec!["the parser"]),
            ("2.2 y 2.3", vec!["2.2", "2.3"]),
            ("1.1和1.2", vec!["1.1", "1.2"]),
        ] {
            assert_eq!(numbers_in(text), expected, "{text:?}");
        }
        for (title, expected) in [
            ("Ship (Pending, depends on Task 3)", vec!["3"]),
            ("Ship (depends on: 1.1, 1.2)", vec!["1.1", "1.2"]),
            ("Ship (after 2.1 and 2.2)", vec!["2.1", "2.2"]),
            ("Ship (after lunch)", vec![]),
            ("Ship (depends on #4, and on #7 for the address)", vec!["4", "7"]),
            ("Ship; blocked by #12", vec!["12"]),
            ("Ship; then rest", vec![]),
            ("Ship (3 boxes)", vec![]),
            ("Ship", vec![]),
        ] {
            assert_eq!(needs(title), expected, "{title:?}");
        }
    }
}
