//! Which lines of a file can hold a block, and what each is: a title, an end, a field. Must not know what fields mean
//! beyond their names.

use std::ops::Range;

use machine::cycle::words::field;
use syntax::Document;
use syntax::markdown::fields::{self, Field, Look, Marker, Separator};

use super::forms::{WHOLE, own_keys, read_definitions, read_fields, read_tables};

/// The fields that every block has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Agent,
    Result,
    Summary,
    Confidence,
    Next,
    Context,
    Signature,
}

impl Key {
    pub(super) const ALL: [Self; 7] =
        [Self::Agent, Self::Result, Self::Summary, Self::Confidence, Self::Next, Self::Context, Self::Signature];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "Agent",
            Self::Result => "Result",
            Self::Summary => "Loop Summary",
            Self::Confidence => "Confidence",
            Self::Next => "Next",
            Self::Context => "Context",
            Self::Signature => "Signature",
        }
    }

    /// The field that a key means, in whatever spelling.
    pub(super) fn of(key: &str) -> Option<Self> {
        match squeezed(key).as_str() {
            "agent" | "agentname" => Some(Self::Agent),
            "result" | "outcome" => Some(Self::Result),
            "loopsummary" | "summary" | "stepsummary" | "goalsummary" => Some(Self::Summary),
            "confidence" | "confidencelevel" | "confidencescore" => Some(Self::Confidence),
            "next" | "nextagent" => Some(Self::Next),
            "context"
            | "contextforplanner"
            | "contextforactor"
            | "contextforjudge"
            | "contextforhuman"
            | "contextfornextagent" => Some(Self::Context),
            "signature" => Some(Self::Signature),
            _ => None,
        }
    }

    /// The field that a key stands for where the block has none of that name.
    pub(super) fn instead(key: &str) -> Option<Self> {
        matches!(squeezed(key).as_str(), "status" | "verdict" | "decision").then_some(Self::Result)
    }
}

/// The further fields that the protocol names.
const NAMED: [&str; 16] = [
    field::LOCATIONS,
    field::CHANGE,
    field::AVOID,
    field::WIN_STATE,
    field::WHERE,
    field::WHAT,
    field::WHY,
    field::TESTING,
    field::SUPERORDINATE,
    field::SUBORDINATE,
    field::DISCREPANCY,
    field::SOURCE,
    field::FEEDBACK,
    field::RECOMMENDED,
    field::NEXT_STEPS,
    field::CHECKS,
];

/// A further field's own spelling, if the protocol names it.
pub(super) fn named(key: &str) -> Option<&'static str> {
    let wanted = squeezed(key);
    NAMED.into_iter().find(|name| squeezed(name) == wanted)
}

/// Whether a key may begin another field behind a pipe.
pub(super) fn is_known(key: &str) -> bool {
    Key::of(key).is_some() || named(key).is_some()
}

fn squeezed(key: &str) -> String {
    key.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// One line of the file.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Where it begins in the file.
    pub(super) start: usize,
    /// Without its line ending.
    pub(super) text: &'a str,
    /// What it is.
    pub(super) kind: Kind,
    /// Whether it stands in a fenced block.
    pub(super) is_fenced: bool,
}

impl Line<'_> {
    /// Its bytes in the file, without the line ending.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// What a line is on its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing on it.
    Blank,
    /// `### SIGNAL BLOCK`, in any form; fields may follow on the same line. One that `needs_fields` is a title only if
    /// a field comes next: a heading about such blocks is none.
    Title { is_strict: bool, needs_fields: bool, fields: Vec<Field> },
    /// `END SIGNAL BLOCK`.
    TitleEnd,
    /// A heading: its level and title, and the field that it may be within a block.
    Heading { level: usize, title: String, field: Option<Box<Field>> },
    /// `---`.
    Break,
    /// The marks of a fenced block.
    Fence,
    /// Part of a comment, or the frame of a table: no text.
    Comment,
    /// A title or a field in a quotation: not a part of the record.
    Quoted,
    /// A title in a comparison of files: neither.
    Compared,
    /// Keys and values.
    Fields(Vec<Field>),
    /// Anything else.
    Prose,
}

/// All lines of a file.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let fences = Document::parse(text).fences();
    let mut fences = fences.iter().peekable();
    let mut lines = Vec::new();
    let (mut start, mut comment_end, mut may_close) = (0, 0, true);
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let bare = if start == 0 { line.trim_start_matches('\u{FEFF}') } else { line };
        while fences.next_if(|fence| fence.span.end <= start).is_some() {}
        let fence = fences.peek().filter(|fence| fence.span.start <= start + (line.len() - bare.len()));
        let is_mark =
            fence.is_some_and(|fence| start < fence.content.start || (fence.closed && start >= fence.content.end));
        let opens = fence.is_none() && opens_comment(bare);
        if opens && may_close && start >= comment_end {
            // A comment that is never closed hides nothing, and neither does any after it.
            match text[start..].find("-->") {
                Some(length) => comment_end = start + length,
                None => may_close = false,
            }
        }
        let is_compared = fence.is_some_and(|fence| is_comparison(&fence.info));
        let kind = match start < comment_end {
            _ if is_mark => Kind::Fence,
            true => Kind::Comment,
            false if is_compared => match kind_of(bare.trim_start_matches(['+', '-'])) {
                Kind::Title { needs_fields: false, .. } => Kind::Compared,
                _ => Kind::Prose,
            },
            false => kind_of(bare),
        };
        let skipped = line.len() - bare.len();
        lines.push(Line { number, start: start + skipped, text: bare, kind, is_fenced: fence.is_some() });
        start += whole.len();
    }
    read_tables(&mut lines);
    read_definitions(&mut lines);
    settle_titles(&mut lines);
    lines
}

/// Whether what a fence holds is a comparison of files: what is in it was changed, not said.
fn is_comparison(info: &str) -> bool {
    let word = info.split_whitespace().next().unwrap_or_default();
    ["diff", "patch", "udiff"].iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Titles that are none, because no field follows them.
fn settle_titles(lines: &mut [Line<'_>]) {
    let mut is_field_next = false;
    for line in lines.iter_mut().rev() {
        match &line.kind {
            Kind::Blank | Kind::Fence | Kind::Comment | Kind::Break => {}
            Kind::Fields(fields) => is_field_next = own_keys(fields) > 0,
            Kind::Title { needs_fields: true, .. } if !is_field_next => {
                line.kind = heading(line.text).unwrap_or(Kind::Prose);
            }
            _ => is_field_next = false,
        }
    }
}

/// Whether a line begins a comment.
fn opens_comment(line: &str) -> bool {
    let rest = line.trim_start_matches(' ');
    line.len() - rest.len() < 4 && rest.starts_with("<!--")
}

fn kind_of(line: &str) -> Kind {
    if line.trim().is_empty() {
        return Kind::Blank;
    }
    if let Some(title) = title(line) {
        return title;
    }
    if let Some(heading) = heading(line) {
        return heading;
    }
    let bare = line.trim_start();
    if fields::is_break(line) || (bare.len() >= 3 && bare.trim_end().bytes().all(|byte| byte == b'=')) {
        return Kind::Break;
    }
    if is_table_frame(line) {
        return Kind::Comment;
    }
    let mut fields = read_fields(line);
    if let Some(field) = fields.first().filter(|field| field.look.marker == Marker::Quote) {
        return if Key::of(&field.key) == Some(Key::Agent) { Kind::Quoted } else { Kind::Prose };
    }
    mend_signature(line, &mut fields);
    if fields.is_empty() { Kind::Prose } else { Kind::Fields(fields) }
}

/// `## Title`, and what field `#### Next: Judge` or `# Signature` would be.
fn heading(line: &str) -> Option<Kind> {
    let bare = line.trim_start();
    let level = bare.len() - bare.trim_start_matches('#').len();
    if !(1..=6).contains(&level) || !bare[level..].starts_with([' ', '\t']) {
        return None;
    }
    let title = bare[level..].trim().trim_end_matches('#').trim();
    let offset = line.len() - bare.len() + level;
    let offset = offset + line[offset..].len() - line[offset..].trim_start().len();
    let mut field = read_fields(&line[offset..]).into_iter().next().filter(|field| Key::of(&field.key).is_some());
    // `#### Agent`, with the value below it.
    if is_known(title) {
        let look = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Colon };
        let (key_span, value_span) = (0..title.len(), title.len()..title.len());
        field = Some(Field { key: title.to_owned(), value: String::new(), key_span, value_span, look });
    }
    let shifted = |span: &Range<usize>| span.start + offset..span.end + offset;
    let field = field.map(|field| {
        let (key_span, value_span) = (shifted(&field.key_span), shifted(&field.value_span));
        Box::new(Field { key_span, value_span, ..field })
    });
    Some(Kind::Heading { level, title: title.to_owned(), field })
}

/// The lines of a table that say nothing: `| Field | Value |`, `|---|---|`.
pub(super) fn is_table_frame(line: &str) -> bool {
    let cells: Vec<String> = line.trim().trim_matches('|').split('|').map(squeezed).collect();
    let is_row = line.trim_start().starts_with('|');
    is_row && (cells == ["field", "value"] || cells == ["key", "value"] || cells.iter().all(String::is_empty))
}

/// `Signature 1:2:3`, without a colon of its own.
fn mend_signature(line: &str, fields: &mut Vec<Field>) {
    let [field] = fields.as_slice() else { return };
    let Some((first, number)) = field.key.split_once(' ') else { return };
    if !first.eq_ignore_ascii_case("signature") || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return;
    }
    let Some(at) = line[field.key_span.clone()].rfind(number) else { return };
    let start = field.key_span.start + at;
    let mut mended = field.clone();
    mended.value_span = start..field.value_span.end;
    mended.value = line[mended.value_span.clone()].to_owned();
    mended.key_span.end = field.key_span.start + first.len();
    mended.key = first.to_owned();
    *fields = vec![mended];
}

/// Whether a line is the title of a block, in any form.
fn title(line: &str) -> Option<Kind> {
    const WORDS: [&str; 4] = ["SIGNAL BLOCK", "SIGNAL_BLOCK", "SIGNAL-BLOCK", "SIGNALBLOCK"];
    let is_decoration = |mark: char| {
        matches!(mark, '#' | '*' | '_' | '=' | '-' | '~' | '[' | '<' | '`' | '+')
            || !(mark.is_ascii() || mark.is_alphanumeric())
    };
    let quoted = line.trim_start().starts_with('>');
    let bare = line.trim_start_matches(|mark: char| mark.is_whitespace() || mark == '>');
    let is_heading = bare.starts_with('#');
    let start = line.len() - bare.trim_start_matches(|mark: char| mark.is_whitespace() || is_decoration(mark)).len();
    let upper = line[start..].to_ascii_uppercase();
    for end in ["END ", "/"] {
        if upper.strip_prefix(end).is_some_and(|rest| WORDS.iter().any(|words| rest.starts_with(words))) {
            return Some(Kind::TitleEnd);
        }
    }
    let begin = ["BEGIN ", "START "].iter().find(|word| upper.starts_with(**word)).map_or(0, |word| word.len());
    let (found, is_first) = match WORDS.iter().find(|words| upper[begin..].starts_with(**words)) {
        Some(words) => (start + begin + words.len(), true),
        // `### Planner SIGNAL BLOCK`: in a heading it may stand at the end.
        None if is_heading => {
            let end = upper.trim_end();
            WORDS.iter().find(|words| end.ends_with(**words))?;
            (start + end.len(), false)
        }
        // `[SIGNAL] agent=x | result=y`
        None if upper[begin..].starts_with("SIGNAL") => (start + begin + "SIGNAL".len(), true),
        None => return None,
    };
    let is_named = !upper[begin..found - start].eq("SIGNAL");
    let rest = &line[found..];
    // `SIGNAL BLOCKS` is about them.
    if rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let plain =
        rest.trim_matches(|mark: char| mark.is_whitespace() || is_decoration(mark) || matches!(mark, ':' | ']' | '>'));
    let is_bare = plain.is_empty() || (plain.starts_with('(') && plain.ends_with(')'));
    // `SIGNAL BLOCK — loop 3 is done`
    let is_named_loop = rest.trim_start().starts_with(['—', '–', '-', ':', '(', '[', '|']);
    // `SIGNAL BLOCK: Agent = x | Result = y`
    let marks = rest.len() - rest.trim_start_matches(|mark: char| !mark.is_alphanumeric()).len();
    // Emphasis that belongs to the first key stands directly before it.
    let before = rest[..marks].char_indices().rfind(|(_, mark)| mark.is_whitespace());
    let offset = found + before.map_or(marks, |(at, mark)| at + mark.len_utf8());
    let mut behind = if is_bare { Vec::new() } else { read_fields(&line[offset..]) };
    for field in &mut behind {
        field.key_span = field.key_span.start + offset..field.key_span.end + offset;
        field.value_span = field.value_span.start + offset..field.value_span.end + offset;
    }
    let least = if is_named { 1 } else { WHOLE };
    if behind.first().is_none_or(|field| Key::of(&field.key).is_none()) || own_keys(&behind) < least {
        behind.clear();
    }
    let is_title = is_bare || is_heading || is_named_loop;
    if behind.is_empty() && !(is_title && is_named) {
        return None;
    }
    if quoted {
        return Some(Kind::Quoted);
    }
    let needs_fields = behind.is_empty() && !(is_bare && is_first || is_heading && is_first && is_named_loop);
    Some(Kind::Title { is_strict: line == "### SIGNAL BLOCK", needs_fields, fields: behind })
}

/// Whether a line of free text would be read as a part of the record, or would end a block.
pub(super) fn disturbs(line: &str) -> bool {
    if opens_comment(line) && !line.contains("-->") {
        return true;
    }
    match kind_of(line) {
        Kind::Title { .. } | Kind::TitleEnd | Kind::Heading { .. } | Kind::Break | Kind::Quoted => true,
        Kind::Fields(fields) => fields.iter().any(|field| Key::of(&field.key) == Some(Key::Agent)),
        // The head of a table makes blocks of its rows.
        Kind::Prose => fields::cells(line)
            .is_some_and(|cells| cells.iter().any(|cell| Key::of(&line[cell.clone()]) == Some(Key::Agent))),
        Kind::Blank | Kind::Fence | Kind::Comment | Kind::Compared => false,
    }
}
