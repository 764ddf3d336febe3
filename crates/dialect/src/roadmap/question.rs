//! Questions in a task file (RM-08): the blocks as the protocol's template has them, in any language, with the answers
//! that people wrote. Blocks are appended, answered and removed by splices. Must not know who asks, or why.

use std::ops::Range;

use syntax::Document;
use syntax::markdown::fields::{self, Separator};
use text::{Change, Text};

use super::language::{Language, Phrases};
use super::problem::{Deviation, Weight, deviation};
use super::words::squeezed;

/// What the heading of a block says, in every language.
const HEADING: &str = "### JIXO: CLARIFICATION REQUEST";

/// The block of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// By what it is known; empty if the block has none.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// The answer, once there is one: text, and no placeholder.
    pub response: Option<String>,
    /// All bytes of the block, from the blank line above it to the line below it.
    pub span: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Where the answer stands, or is to stand.
    answer: Range<usize>,
}

/// A line of the file.
struct Line<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

/// The blocks of a text, from a place on.
pub(crate) fn read(text: &str, from: usize, problems: &mut Vec<Deviation>) -> Vec<Question> {
    let lines = lines(text, from);
    // What stands in a block of code is an example.
    let fences = Document::parse(&text[from..]).fences();
    let codes: Vec<Range<usize>> = fences.into_iter().filter(|fence| fence.closed).map(|fence| fence.span).collect();
    let is_code = |line: &Line<'_>| codes.iter().any(|code| code.contains(&(line.start - from)));
    let headings: Vec<usize> = (0..lines.len()).filter(|at| is_heading(&lines, *at) && !is_code(&lines[*at])).collect();
    let mut questions: Vec<Question> = Vec::new();
    for (number, heading) in headings.iter().enumerate() {
        let limit = headings.get(number + 1).map_or(lines.len(), |next| opener(&lines, *next));
        let question = read_block(text, &lines, *heading, limit, problems);
        let is_taken = |other: &Question| !question.id.is_empty() && other.id == question.id;
        if let Some(first) = questions.iter().find(|other| is_taken(other)) {
            let reason = format!("the question `{}` is there twice, first in line {}", question.id, first.line);
            let start = lines[*heading].start;
            problems.push(deviation(start..start, Weight::Rule, reason, "remove one of the two blocks".into()));
        }
        questions.push(question);
    }
    questions
}

/// The change that adds a block at the end of a text.
pub fn append_question(text: &Text, id: &str, question: &str, language: Language) -> Change {
    let source = text.to_vec();
    let block = block(id, question, language);
    let ending = if source.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let gap = if source.is_empty() || source.ends_with(b"\n") { "" } else { ending };
    let put = format!("{gap}{}", block.replace('\n', ending));
    Change::one(text.len(), Vec::new(), put)
}

/// The change that takes a block out of a text again; nothing if there is none with this id.
pub fn remove_question(text: &Text, id: &str) -> Option<Change> {
    let question = find(text, id)?;
    Some(Change::replace(text, question.span, Vec::new()))
}

/// The change that writes an answer into a block; nothing if there is none with this id.
pub fn write_response(text: &Text, id: &str, answer: &str) -> Option<Change> {
    let question = find(text, id)?;
    let source = text.to_vec();
    let ending = if source.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<String> = answer.lines().map(escaped).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
    let mut put = lines.join(&format!("{ending}  "));
    let before = source.get(..question.answer.start).unwrap_or_default();
    if before.ends_with(b"\n") {
        put = format!("- {put}{}", if question.answer.is_empty() { ending } else { "" });
    } else if before.ends_with(b":") || before.ends_with(b"*") {
        put.insert(0, ' ');
    }
    Some(Change::replace(text, question.answer, put))
}

/// A block as the template has it.
fn block(id: &str, question: &str, language: Language) -> String {
    let Phrases { to_user, explanation, question: asked, response, placeholder } = language.phrases();
    let lines: Vec<String> = question.lines().map(escaped).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
    let question = lines.join("\n  ");
    let id: String = id.chars().filter(|letter| !letter.is_control()).collect();
    format!(
        "\n---\n{HEADING}\n**ID**: {id}\n**{to_user}**: {explanation}\n\n**{asked}**:\n- {question}\n\n**{response}**:\n- <!-- {placeholder} -->\n---\n"
    )
}

/// A line that cannot end the block, begin another, or be taken for a placeholder.
fn escaped(line: &str) -> String {
    let line: String = line.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect();
    let line = line.trim().replace("<!--", "\\<!--").replace("-->", "--\\>");
    let is_label = label(&line).is_some();
    match fields::is_break(&line) || line.starts_with('#') || is_label {
        true => format!("\\{line}"),
        false => line,
    }
}

fn find(text: &Text, id: &str) -> Option<Question> {
    let source = text.to_vec();
    let source = fields::readable(&source);
    let from = super::front::Matter::read(&source, &mut Vec::new()).span.end;
    read(&source, from, &mut Vec::new()).into_iter().find(|question| question.id == id)
}

fn lines(text: &str, from: usize) -> Vec<Line<'_>> {
    let mut start = from;
    let all = text[from..].split_inclusive('\n').map(|whole| {
        let line = Line { start, end: start + whole.len(), text: whole.trim_end() };
        start = line.end;
        line
    });
    all.collect()
}

/// Whether a block begins here: its heading, or one in other words with an id below it.
fn is_heading(lines: &[Line<'_>], at: usize) -> bool {
    let bare = lines[at].text.trim_start();
    if !bare.starts_with('#') && !bare.starts_with("**") {
        return false;
    }
    let word = squeezed(bare);
    if !word.starts_with("jixo") {
        return false;
    }
    word.contains("clarification")
        || lines[at + 1..].iter().take(4).any(|line| label(line.text).is_some_and(|label| label.part == Part::Id))
}

/// What a line of a block introduces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Id,
    ToUser,
    Question,
    Response,
    Other,
}

struct Label {
    part: Part,
    value: Range<usize>,
}

/// `**Key**: value`.
fn label(line: &str) -> Option<Label> {
    let field = fields::read_line(line, &|_| false).into_iter().next()?;
    if !field.look.is_bold || field.look.separator != Separator::Colon {
        return None;
    }
    let known = |part: fn(&Phrases) -> &'static str| {
        Language::ALL.iter().any(|language| squeezed(part(&language.phrases())) == squeezed(&field.key))
    };
    let part = match squeezed(&field.key).as_str() {
        "id" | "编号" | "标识" | "识别码" | "식별자" | "번호" | "kennung" | "identifiant" | "идентификатор" => {
            Part::Id
        }
        "answer" | "reply" | "yourresponse" | "youranswer" | "回答" | "答复" | "用户回复" | "응답" | "返信" => {
            Part::Response
        }
        "questions" | "疑问" | "提问" | "문의" => Part::Question,
        _ if known(|phrases| phrases.response) => Part::Response,
        _ if known(|phrases| phrases.question) => Part::Question,
        _ if known(|phrases| phrases.to_user) => Part::ToUser,
        _ => Part::Other,
    };
    Some(Label { part, value: field.value_span })
}

/// The line of the break that belongs to a block whose heading is here; the heading itself without one.
fn opener(lines: &[Line<'_>], heading: usize) -> usize {
    let above = (0..heading.min(lines.len())).rev().find(|at| !lines[*at].text.is_empty());
    above.filter(|at| fields::is_break(lines[*at].text)).unwrap_or(heading)
}

fn read_block(text: &str, lines: &[Line<'_>], heading: usize, limit: usize, problems: &mut Vec<Deviation>) -> Question {
    let labels: Vec<(usize, Label)> =
        (heading + 1..limit).filter_map(|at| label(lines[at].text).map(|label| (at, label))).collect();
    let first = |part: Part| labels.iter().position(|(_, label)| label.part == part);
    let own: Vec<usize> = (0..labels.len()).filter(|at| labels[*at].1.part != Part::Id).collect();
    // In a language that is not known the order says which is which: to the user, the question, the response.
    let asked = first(Part::Question).or_else(|| own.get(own.len().min(3).checked_sub(2)?).copied());
    let behind = asked.and_then(|asked| own.iter().copied().find(|at| *at > asked));
    let answered = first(Part::Response).or(behind);
    let (last, is_ended) = end_of(lines, answered.map_or(heading, |at| labels[at].0) + 1, limit);
    let value = |at: Option<usize>, until: usize| {
        let Some((line, label)) = at.and_then(|at| labels.get(at)) else { return 0..0 };
        body(text, lines, *line, label, until)
    };
    let until = answered.filter(|at| Some(*at) > asked).map_or(last, |at| labels[at].0);
    let (question, answer) = (value(asked, until), value(answered, last));
    let id = first(Part::Id)
        .map(|at| (labels[at].0, &labels[at].1))
        .map(|(line, label)| lines[line].text[label.value.clone()].trim().trim_matches('`').to_owned());
    let start = lines[heading].start;
    let mut tell = |span: Range<usize>, weight: Weight, reason: &str, mend: &str| {
        problems.push(deviation(span, weight, reason.into(), mend.into()));
    };
    if id.as_ref().is_none_or(String::is_empty) {
        tell(start..start, Weight::Unclear, "the question has no id", "write `**ID**: …` below its heading");
    }
    if answered.is_none() {
        tell(
            start..start,
            Weight::Unclear,
            "the question has no place for an answer",
            "write `**Response**:` below it",
        );
    }
    if !is_ended {
        tell(start..start, Weight::Form, "the block has no end", "write `---` below it");
    }
    let (response, is_placeholder) = without_comments(&text[answer.clone()]);
    if is_placeholder && !response.is_empty() {
        let reason = "an answer stands beside the placeholder, and does not count yet";
        tell(answer.clone(), Weight::Unclear, reason, "remove the comment `<!-- … -->`");
    }
    let top = opener(lines, heading);
    let above = top.checked_sub(1).filter(|above| lines[*above].text.is_empty()).unwrap_or(top);
    let end = match is_ended && fields::is_break(lines[last].text) && last < limit {
        true => lines[last].end,
        false => lines.get(last).map_or(text.len(), |line| line.start),
    };
    Question {
        id: id.unwrap_or_default(),
        question: meant(&text[question]),
        response: Some(response).filter(|response| !is_placeholder && !response.is_empty() && answered.is_some()),
        span: lines[above].start..end,
        line: text[..start].matches('\n').count() + 1,
        answer,
    }
}

/// The line that ends a block, and whether it is one of its own.
fn end_of(lines: &[Line<'_>], from: usize, limit: usize) -> (usize, bool) {
    let found = (from..limit).find(|at| fields::is_break(lines[*at].text));
    match found {
        Some(at) => (at, true),
        // The break above the next block ends this one, too.
        None if limit < lines.len() && fields::is_break(lines[limit].text) => (limit, true),
        None => (limit, false),
    }
}

/// What stands behind a label, up to a line: without blank lines around it and the bullet in front.
fn body(text: &str, lines: &[Line<'_>], line: usize, label: &Label, until: usize) -> Range<usize> {
    let inline = lines[line].start + label.value.start..lines[line].start + label.value.end;
    let below: Vec<&Line<'_>> = lines[line + 1..until.max(line + 1)].iter().collect();
    let first = below.iter().find(|line| !line.text.is_empty());
    let last = below.iter().rev().find(|line| !line.text.is_empty());
    let (Some(first), Some(last)) = (first, last) else {
        return if inline.is_empty() { lines[line].end..lines[line].end } else { inline };
    };
    let end = last.start + last.text.len();
    if !inline.is_empty() {
        return inline.start..end;
    }
    let bare = first.text.trim_start();
    let bullet = bare.strip_prefix(['-', '*', '+']).filter(|rest| rest.is_empty() || rest.starts_with(' '));
    let content = bullet.map_or(bare, str::trim_start);
    let start = first.start + first.text.len() - content.len();
    if text[start..end.max(start)].is_empty() { start..start } else { start..end }
}

/// Text without comments, and whether there was one.
fn without_comments(text: &str) -> (String, bool) {
    let (mut rest, mut kept, mut found) = (text, String::new(), false);
    while let Some(start) = rest.find("<!--").filter(|start| !rest[..*start].ends_with('\\')) {
        found = true;
        kept.push_str(&rest[..start]);
        rest = rest[start..].find("-->").map_or("", |end| &rest[start + end + 3..]);
    }
    kept.push_str(rest);
    (meant(&kept), found)
}

/// Text as it is meant: line by line without the indent of the list, and without escapes of ours.
fn meant(text: &str) -> String {
    let unescaped = |line: &str| {
        let line = line.trim_end();
        let line = line.strip_prefix("  ").unwrap_or(line);
        let line = line.strip_prefix('\\').unwrap_or(line);
        line.replace("\\<!--", "<!--").replace("--\\>", "-->")
    };
    let lines: Vec<String> = text.lines().map(unescaped).collect();
    let text = lines.join("\n");
    let text = text.trim();
    if matches!(text, "-" | "*" | "+") { String::new() } else { text.to_owned() }
}
