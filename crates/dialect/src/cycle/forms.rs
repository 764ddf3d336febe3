//! Lines that hold fields in ways of their own: one after another between other marks than pipes, rows of a table whose
//! head names the keys, JSON. Must not know what fields mean beyond their names, nor blocks.

use std::ops::Range;

use syntax::markdown::fields::{self, Field, Look, Marker, Separator};

use super::lines::{Key, Kind, Line, is_known, is_table_frame};

/// How many of a block's own keys make a line, or the head of a table, a whole block.
pub(super) const WHOLE: usize = 3;

/// The fields of a line, in whatever form.
pub(super) fn read_fields(line: &str) -> Vec<Field> {
    if let Some(fields) = json(line) {
        return fields;
    }
    let fields = fields::read_line(line, &is_known);
    match fields.first() {
        Some(first) if Key::of(&first.key) == Some(Key::Agent) => {
            let split: Vec<Field> = fields.iter().flat_map(|field| strung(line, field)).collect();
            let is_whole = split.len() > fields.len() && own_keys(&split) >= WHOLE;
            if is_whole { split } else { fields }
        }
        Some(first) if is_known(&first.key) => fields,
        _ => tagged(line).or_else(|| dashed(line)).map_or(fields, |field| vec![field]),
    }
}

/// How many fields are a block's own.
pub(super) fn own_keys(fields: &[Field]) -> usize {
    fields.iter().filter(|field| Key::of(&field.key).is_some()).count()
}

/// `<agent>Judge</agent>`.
fn tagged(line: &str) -> Option<Field> {
    let start = line.len() - line.trim_start().len();
    let (name, rest) = line.trim().strip_prefix('<')?.split_once('>')?;
    let value = rest.strip_suffix(&format!("</{name}>"))?;
    let from = start + name.len() + 2;
    let value_span = trimmed(line, from..from + value.len());
    let look = Look { indent: start, marker: Marker::None, is_bold: false, separator: Separator::Colon };
    let value = line[value_span.clone()].to_owned();
    is_known(name).then(|| Field {
        key: name.to_owned(),
        value,
        key_span: start + 1..start + 1 + name.len(),
        value_span,
        look,
    })
}

/// `- Agent → Judge`, `**Agent** – Judge`: a dash or an arrow where a colon belongs. Only behind a bullet or a bold key:
/// a sentence may have a dash, too.
fn dashed(line: &str) -> Option<Field> {
    const MARKS: [&str; 6] = ["→", "->", "=>", "–", "—", "-"];
    let rest = line.trim_start();
    let indent = line.len() - rest.len();
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|bullet| rest.strip_prefix(bullet));
    let inner = bullet.unwrap_or(rest).trim_start();
    let from = line.len() - inner.len();
    let marks = MARKS.iter().filter_map(|mark| inner.find(&format!(" {mark} ")).map(|at| (at, mark.len() + 2)));
    let (at, width) = marks.min()?;
    let raw = &inner[..at];
    let key = raw.trim_matches(['*', '_', '`', ' ']);
    let is_bold = raw.starts_with("**") || raw.starts_with("__");
    if !is_known(key) || (bullet.is_none() && !is_bold) {
        return None;
    }
    let start = from + raw.find(key).unwrap_or_default();
    let value_span = trimmed(line, from + at + width..line.len());
    let marker = if bullet.is_some() { Marker::Bullet } else { Marker::None };
    Some(Field {
        key: key.to_owned(),
        value: line[value_span.clone()].to_owned(),
        key_span: start..start + key.len(),
        value_span,
        look: Look { indent, marker, is_bold, separator: Separator::Colon },
    })
}

/// `Agent: x · Result: y; Next: z`: the fields that hide in the value of one.
fn strung(line: &str, field: &Field) -> Vec<Field> {
    let mut found = vec![field.clone()];
    let (value, offset) = (&line[field.value_span.clone()], field.value_span.start);
    for (at, width) in marks(value) {
        let from = at + width;
        let rest = &value[from..];
        let Some(end) = rest.find([':', '=']) else { break };
        let bare = |mark: char| mark.is_whitespace() || matches!(mark, '*' | '_' | '`');
        let key = rest[..end].trim_matches(bare);
        // Behind a mark that sentences have, too, only a block's own keys begin another field.
        let is_plain = value[at..].starts_with([',', '/', '–', '—']);
        let is_key = if is_plain { Key::of(key).is_some() } else { is_known(key) };
        if !is_key || key.contains(['·', '•', ';', ',', '/']) {
            continue;
        }
        let start = offset + from + rest[..end].len() - rest[..end].trim_start_matches(bare).len();
        let separator = if rest[end..].starts_with('=') { Separator::Equals } else { Separator::Colon };
        // `**Key:** value`: the marks close behind the colon.
        let behind = &rest[end + 1..];
        let closing = if rest[..end].trim_end().ends_with(['*', '_']) { 0 } else { emphasis(behind) };
        let value_span = trimmed(line, offset + from + end + 1 + closing..offset + value.len());
        if let Some(last) = found.last_mut() {
            shorten(line, last, offset + at);
        }
        found.push(Field {
            key: key.to_owned(),
            value: line[value_span.clone()].to_owned(),
            key_span: start..start + key.len(),
            value_span,
            look: Look { marker: Marker::Pipe, separator, ..field.look },
        });
    }
    found
}

/// Where another field may begin: a mark between two, `<br>`, or a bold key. Where each is, and how wide.
fn marks(value: &str) -> Vec<(usize, usize)> {
    let of = |(at, mark): (usize, char)| {
        let rest = &value[at..];
        match mark {
            // The end of `<br/>`.
            '/' if rest.starts_with("/>") => None,
            '·' | '•' | ';' | ',' | '/' | '–' | '—' | '\t' => Some((at, mark.len_utf8())),
            '<' if rest.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br")) => Some((at, rest.find('>')? + 1)),
            ' ' if rest.starts_with(" **") || rest.starts_with(" __") => Some((at, 1)),
            _ => None,
        }
    };
    value.char_indices().filter_map(of).collect()
}

/// How many bytes of emphasis a text begins with.
fn emphasis(text: &str) -> usize {
    text.len() - text.trim_start_matches(['*', '_']).len()
}

fn shorten(line: &str, field: &mut Field, end: usize) {
    field.value_span = trimmed(line, field.value_span.start..end.max(field.value_span.start));
    field.value = line[field.value_span.clone()].to_owned();
}

fn trimmed(line: &str, span: Range<usize>) -> Range<usize> {
    let text = &line[span.clone()];
    let start = span.end - text.trim_start().len();
    start..(start + text.trim().len()).max(start)
}

/// `"agent": "Judge",` and `{"agent": "Judge", "result": "PASS"}`.
fn json(line: &str) -> Option<Vec<Field>> {
    let indent = line.len() - line.trim_start().len();
    let rest = line.trim_start();
    let is_object = rest.starts_with('{');
    let mut at = indent + usize::from(is_object);
    let mut found: Vec<Field> = Vec::new();
    while let Some((key, value, end)) = pair(line, at) {
        let separator = Separator::Colon;
        let marker = if found.is_empty() { Marker::None } else { Marker::Pipe };
        let look = Look { indent: 0, marker, is_bold: false, separator };
        let (name, text) = (line[key.clone()].to_owned(), line[value.clone()].replace("\\\"", "\""));
        found.push(Field { key: name, value: text, key_span: key, value_span: value, look });
        at = end;
    }
    let is_enough = if is_object { own_keys(&found) >= WHOLE } else { !found.is_empty() };
    is_enough.then_some(found)
}

/// A name and its value from some byte on: where they are, and where it goes on behind them.
fn pair(line: &str, at: usize) -> Option<(Range<usize>, Range<usize>, usize)> {
    let rest = line.get(at..)?;
    let start = at + rest.len() - rest.trim_start_matches([' ', '\t', ',']).len();
    let key = string(line, start)?;
    let behind = line[key.end + 1..].trim_start().strip_prefix(':')?.trim_start();
    let start = line.len() - behind.len();
    if let Some(value) = string(line, start) {
        return Some((key, value.clone(), value.end + 1));
    }
    let end = match behind.starts_with(['[', '{']) {
        true => line.trim_end().trim_end_matches(',').len().max(start),
        false => start + behind.find([',', '}']).unwrap_or(behind.len()),
    };
    Some((key, trimmed(line, start..end), end))
}

/// A string in quotes that begins at a byte: what is between them.
fn string(line: &str, at: usize) -> Option<Range<usize>> {
    let inner = line.get(at..)?.strip_prefix('"')?;
    let mut is_escaped = false;
    for (offset, letter) in inner.char_indices() {
        match letter {
            '"' if !is_escaped => return Some(at + 1..at + 1 + offset),
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    None
}

/// Rows of tables whose head names the keys: each row holds the fields of a block.
pub(super) fn read_tables(lines: &mut [Line<'_>]) {
    let mut head: Option<Vec<String>> = None;
    for line in lines {
        let text = line.text;
        let Some(cells) = fields::cells(text).filter(|cells| cells.len() >= WHOLE) else {
            head = None;
            continue;
        };
        if line.kind == Kind::Quoted || is_table_frame(text) {
            continue;
        }
        let names: Vec<Option<Key>> = cells.iter().map(|cell| Key::of(&text[cell.clone()])).collect();
        if names.contains(&Some(Key::Agent)) && names.iter().flatten().count() >= WHOLE {
            head = Some(cells.iter().map(|cell| text[cell.clone()].trim_matches(['*', '_', '`']).to_owned()).collect());
            line.kind = Kind::Comment;
        } else if let Some(head) = head.as_ref().filter(|head| head.len() == cells.len()) {
            line.kind = Kind::Fields(row(text, head, &cells));
        }
    }
}

/// `Agent` alone on a line, and `: Judge` below it: a list of definitions.
pub(super) fn read_definitions(lines: &mut [Line<'_>]) {
    for at in 1..lines.len() {
        let (text, key) = (lines[at].text, lines[at - 1].text.trim());
        let Some(value) = text.trim_start().strip_prefix(": ") else { continue };
        if lines[at - 1].kind != Kind::Prose || Key::of(key).is_none() {
            continue;
        }
        let look = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Colon };
        let value_span = trimmed(text, text.len() - value.len()..text.len());
        let value = text[value_span.clone()].to_owned();
        let field = Field { key: key.to_owned(), value, key_span: 0..0, value_span, look };
        lines[at].kind = Kind::Fields(vec![field]);
        lines[at - 1].kind = Kind::Comment;
    }
}

fn row(text: &str, head: &[String], cells: &[Range<usize>]) -> Vec<Field> {
    let look = Look { indent: 0, marker: Marker::None, is_bold: false, separator: Separator::Cell };
    let field = |(key, cell): (&String, &Range<usize>)| Field {
        key: key.clone(),
        value: text[cell.clone()].replace("\\|", "|"),
        key_span: cell.start..cell.start,
        value_span: cell.clone(),
        look,
    };
    let mut fields: Vec<Field> = head.iter().zip(cells).map(field).collect();
    // A block is known by its agent, wherever the table has it.
    fields.sort_by_key(|field| Key::of(&field.key) != Some(Key::Agent));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, &str)]) {
        let fields = read_fields(line);
        let read: Vec<(&str, &str)> = fields.iter().map(|field| (field.key.as_str(), field.value.as_str())).collect();
        assert_eq!(read, expected, "{line:?}");
        for field in &fields {
            assert!(line.get(field.key_span.clone()).is_some() && line.get(field.value_span.clone()).is_some());
        }
    }

    /// CY-02: one line between other marks, and JSON.
    #[test]
    fn cy02_lines_with_many_fields() {
        let all = &[("Agent", "Judge"), ("Result", "PASS"), ("Next", "Human")];
        for line in [
            "Agent: Judge · Result: PASS · Next: Human",
            "Agent: Judge; Result: PASS; Next: Human",
            "- Agent: Judge, Result: PASS, Next: Human",
            "Agent: Judge — Result: PASS — Next: Human",
            "Agent=Judge / Result=PASS / Next=Human",
            "| Agent: Judge | Result: PASS | Next: Human |",
        ] {
            check(line, all);
        }
        let json = &[("agent", "Judge"), ("result", "PASS"), ("confidence", "8"), ("next", "the \"Human\"")];
        check(r#"{"agent": "Judge", "result": "PASS", "confidence": 8, "next": "the \"Human\""}"#, json);
        check(r#"  "confidence": 8,"#, &[("confidence", "8")]);
        check(r#""files": ["a", "b"],"#, &[("files", r#"["a", "b"]"#)]);
        // A value that speaks of others is one value.
        check("- Context: do this; Next: that", &[("Context", "do this; Next: that")]);
        check("- Agent: Judge, who says Next: Human", &[("Agent", "Judge, who says Next: Human")]);
        for line in [
            "**Agent:** Judge<br>**Result:** PASS<br/>**Next:** Human",
            "**Agent:** Judge **Result:** PASS **Next:** Human",
            "**Agent**: Judge __Result__: PASS **Next**: Human",
        ] {
            check(line, all);
        }
        for line in [
            "<agent>Judge</agent>",
            "  <Agent> Judge </Agent>",
            "- Agent → Judge",
            "**Agent** – Judge",
            "* Agent - Judge",
        ] {
            let fields = read_fields(line);
            assert!(
                matches!(fields.as_slice(), [one] if Key::of(&one.key) == Some(Key::Agent) && one.value == "Judge"),
                "{line}"
            );
        }
        // Sentences with a dash, and tags of others.
        for line in ["Next – we look at it", "- the Next - and last", "<b>Agent</b>", "- Agent-based work", "<agent>"]
        {
            check(line, &[]);
        }
        for odd in
            ["{", "}", "{}", "\"", "\"a", "\"a\"", "\"a\":", "{\"agent\": \"x\"}", "\"\\\"", "{\"a\": {\"b\": 1}"]
        {
            let _ = read_fields(odd);
        }
    }
}
