//! Files as lines of Markdown: which of them are text, and the links, headings and marked terms in them. Must not know
//! goals.

/// One line that is text: not code, not front matter, not a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::offline) struct Line<'a> {
    /// From 1.
    pub(in crate::offline) number: usize,
    pub(in crate::offline) text: &'a str,
}

/// The lines of a text that are neither code nor front matter nor comment.
pub(in crate::offline) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let (mut fence, mut in_comment): (Option<(char, usize)>, bool) = (None, false);
    let mut in_front = text.lines().next().is_some_and(|line| line.trim_end() == "---")
        && text.lines().skip(1).any(|line| matches!(line.trim_end(), "---" | "..."));
    for (number, line) in (1..).zip(text.lines()) {
        if in_front {
            in_front = number == 1 || !matches!(line.trim_end(), "---" | "...");
            continue;
        }
        let rest = line.trim_start();
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let count = mark.map_or(0, |mark| rest.chars().take_while(|letter| *letter == mark).count());
        match (fence, mark) {
            (None, Some(mark)) if count >= 3 => {
                fence = Some((mark, count));
                continue;
            }
            (Some((open, length)), Some(mark))
                if mark == open && count >= length && rest.trim_end().chars().count() == count =>
            {
                fence = None;
                continue;
            }
            (Some(_), _) => continue,
            (None, _) => {}
        }
        let was_comment = in_comment;
        if let Some(at) = line.rfind("<!--") {
            in_comment = !line[at..].contains("-->");
        } else if in_comment && line.contains("-->") {
            in_comment = false;
        }
        if !was_comment && !rest.starts_with("<!--") {
            lines.push(Line { number, text: line });
        }
    }
    lines
}

/// A heading of the form `## Title`: its level, its title, and where that begins in the line.
pub(in crate::offline) fn heading(line: &str) -> Option<(usize, &str, usize)> {
    let rest = line.trim_start();
    let level = rest.chars().take_while(|letter| *letter == '#').count();
    let after = rest.get(level..).filter(|after| (1..=6).contains(&level) && after.starts_with([' ', '\t']))?;
    let title = after.trim().trim_end_matches('#').trim_end();
    let start = line.len() - after.trim_start().len();
    (!title.is_empty()).then_some((level, title, start))
}

/// What the link to a heading is called, as GitHub makes it: lower case, blanks as `-`, other marks left out.
pub(super) fn anchor(title: &str) -> String {
    let plain = title.replace(['`', '*'], "");
    let letters = plain.trim().chars().flat_map(char::to_lowercase);
    letters
        .filter_map(|letter| match letter {
            ' ' | '\t' => Some('-'),
            '-' | '_' => Some(letter),
            letter if letter.is_alphanumeric() => Some(letter),
            _ => None,
        })
        .collect()
}

/// A link `[text](target)`: the target, and its bytes in the line.
pub(super) fn links(line: &str) -> Vec<(&str, std::ops::Range<usize>)> {
    let mut links = Vec::new();
    let mut at = 0;
    let code = code_spans(line);
    while let Some(open) = line[at..].find("](").map(|found| at + found + 2) {
        let Some(length) = line[open..].find(')') else { break };
        let whole = &line[open..open + length];
        // `[a](b "title")`
        let target = whole.split_whitespace().next().unwrap_or_default();
        let target = target.trim_start_matches('<').trim_end_matches('>');
        let is_code = code.iter().any(|span| span.contains(&open));
        if let (Some(inner), false) = (whole.find(target).filter(|_| !target.is_empty()), is_code) {
            links.push((target, open + inner..open + inner + target.len()));
        }
        at = open + length;
    }
    links
}

/// Where a line has code between backticks.
fn code_spans(line: &str) -> Vec<std::ops::Range<usize>> {
    let marks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).collect();
    marks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

/// Terms that a line marks as such: `**term**`.
pub(super) fn bold(line: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("**") {
        let Some((term, behind)) = after.split_once("**") else { break };
        let plain = term.trim();
        let is_term = !plain.is_empty()
            && plain.len() == term.len()
            && !plain.ends_with(':')
            && plain.chars().any(char::is_alphabetic)
            && plain.split_whitespace().count() <= 4;
        if is_term {
            terms.push(plain);
        }
        rest = behind;
    }
    terms
}

/// The sentence of a line that holds a place.
pub(super) fn sentence_at(line: &str, at: usize) -> &str {
    let ends = line
        .match_indices(['.', '!', '?'])
        .filter(|(end, mark)| line[end + mark.len()..].starts_with(' ') || line[end + mark.len()..].is_empty());
    let ends: Vec<usize> = ends.map(|(end, mark)| end + mark.len()).collect();
    let start = ends.iter().rev().find(|end| **end <= at).copied().unwrap_or(0);
    let end = ends.iter().find(|end| **end > at).copied().unwrap_or(line.len());
    let sentence = line[start..end].trim();
    sentence.trim_start_matches(['-', '*', '>', '+']).trim_start_matches(char::is_whitespace)
}
