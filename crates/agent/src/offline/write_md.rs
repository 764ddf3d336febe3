//! A paper as Markdown, and back: what one task writes, a later task reads.
//!
//! Owns the written form. Text from sources is escaped, so that it cannot become markup.

use super::paper::{Body, Cite, Kind, Paper, Quote, Row, Section, Statement};
use super::tongue;
use super::words::Language;

/// A paper for the tasks that come after.
#[cfg(test)]
pub(crate) fn write(paper: &Paper) -> String {
    write_in(paper, Language::English)
}

/// A paper for a person who speaks a language.
pub(crate) fn write_in(paper: &Paper, language: Language) -> String {
    let mut out = format!("# {}\n\n{}\n", escape(&paper.title), tongue::phrase(language, "note"));
    for section in &paper.sections {
        out.push_str(&format!("\n## {}\n", escape(&tongue::title(language, section))));
        if !section.note.is_empty() {
            out.push_str(&format!("\n{}\n", escape(&tongue::note(language, section))));
        }
        if section.len() > 0 {
            out.push('\n');
        }
        match &section.body {
            Body::Statements(statements) => {
                for (index, statement) in statements.iter().enumerate() {
                    write_statement(&mut out, (language, section.kind), index, statement);
                }
            }
            Body::Rows { header, rows } if !rows.is_empty() => match bars(section, header, rows) {
                Some(bars) => {
                    let header: Vec<String> = header.iter().cloned().chain([BAR.to_owned()]).collect();
                    write_rows(&mut out, language, &header, &bars);
                }
                None => {
                    let header: Vec<String> =
                        header.iter().map(|head| tongue::head(language, section.kind, head)).collect();
                    let said = |row: &Row| Row {
                        cells: row.cells.iter().map(|cell| tongue::cell(language, section.kind, cell)).collect(),
                        cites: row.cites.clone(),
                    };
                    write_rows(&mut out, language, &header, &rows.iter().map(said).collect::<Vec<_>>());
                }
            },
            Body::Rows { .. } => {}
        }
    }
    out
}

/// The head of the column that draws a chart of one series with signs; it is not read back.
const BAR: &str = "▇";

fn bars(section: &Section, header: &[String], rows: &[Row]) -> Option<Vec<Row>> {
    const WIDEST: f64 = 24.0;
    if section.kind != Kind::Charts || header.len() != 2 {
        return None;
    }
    let values: Vec<f64> = rows
        .iter()
        .map(|row| row.cells.get(1).and_then(|cell| if cell.is_empty() { Some(0.0) } else { cell.parse().ok() }))
        .collect::<Option<_>>()?;
    let most = values.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || values.iter().any(|value| *value < 0.0) {
        return None;
    }
    let bar = |value: f64| {
        let mut bar = String::new();
        let mut left = (value / most * WIDEST).round();
        while left >= 1.0 {
            bar.push('▇');
            left -= 1.0;
        }
        bar
    };
    let made = rows.iter().zip(values).map(|(row, value)| {
        let cells = row.cells.iter().cloned().chain([bar(value)]).collect();
        Row { cells, cites: row.cites.clone() }
    });
    Some(made.collect())
}

fn write_statement(out: &mut String, (language, kind): (Language, Kind), index: usize, statement: &Statement) {
    let bullet = if kind == Kind::Findings { format!("{}.", index + 1) } else { "-".to_owned() };
    out.push_str(&format!("{bullet} {}", escape(&tongue::statement(language, kind, &statement.text))));
    if !statement.cites.is_empty() {
        out.push_str(&format!(" ({})", cites(&statement.cites)));
    }
    out.push('\n');
    for quote in &statement.quotes {
        out.push_str(&format!("  {QUOTE}{}” ({})\n", escape(&quote.text), cites(std::slice::from_ref(&quote.cite))));
    }
    let why = tongue::why(language, kind, &statement.why);
    if !why.is_empty() {
        out.push_str(&format!("   {WHY}{}\n", escape(&why)));
    }
}

const QUOTE: &str = "- “";

const WHY: &str = "Why: ";

fn write_rows(out: &mut String, language: Language, header: &[String], rows: &[Row]) {
    let line = |cells: &[String], last: &str| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} | {last} |\n", cells.join(" | "))
    };
    out.push_str(&line(header, tongue::phrase(language, "source")));
    out.push_str(&format!("|{}\n", "---|".repeat(header.len() + 1)));
    for row in rows {
        out.push_str(&line(&row.cells, &cites(&row.cites)));
    }
}

fn cites(cites: &[Cite]) -> String {
    // A code span cannot hold its own mark, nor a cell its border.
    let shown = |cite: &Cite| format!("`{}`", cite.shown().replace('`', "%60").replace('|', "%7C"));
    cites.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Text that reads as itself in Markdown, on one line.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().enumerate().peekable();
    while let Some((index, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '#' | '-' | '+' | '=' if index == 0 => {
                out.push('\\');
                out.push(c);
            }
            // An ampersand is itself unless it begins an entity.
            '&' if next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#') => out.push_str("\\&"),
            '.' | ')'
                if next.is_none_or(char::is_whitespace)
                    && index > 0
                    && index <= 9
                    && out.chars().all(|before| before.is_ascii_digit()) =>
            {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

/// Reads a paper that this agent wrote; nothing if it is somebody else's.
pub(crate) fn read(text: &str) -> Option<Paper> {
    if !text.lines().take(6).any(tongue::is_note) {
        return None;
    }
    let mut paper = Paper { title: String::new(), sections: Vec::new() };
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            paper.title = unescape(title);
        } else if let Some(title) = line.strip_prefix("## ") {
            paper.sections.push(section(&unescape(title)));
        } else if let Some(section) = paper.sections.last_mut() {
            read_line(section, line);
        }
    }
    without_bars(&mut paper);
    Some(paper)
}

/// Takes what only draws out of the heads, once all rows are read.
fn without_bars(paper: &mut Paper) {
    for section in &mut paper.sections {
        if let Body::Rows { header, .. } = &mut section.body
            && header.last().is_some_and(|head| head == BAR)
        {
            header.pop();
        }
    }
}

/// An unknown title is that of a theme: a person may have renamed it.
fn section(title: &str) -> Section {
    let (name, theme) = title.split_once(": ").unwrap_or((title, ""));
    let known = tongue::kind_of(name);
    let mut section = Section::statements(known.unwrap_or(Kind::Theme), Vec::new());
    section.theme = match known {
        Some(_) => theme.to_owned(),
        None if title == "Further findings" => title.to_lowercase(),
        None => title.to_owned(),
    };
    section
}

fn read_line(section: &mut Section, line: &str) {
    let trimmed = line.trim();
    if trimmed.starts_with('|') {
        return read_row(section, trimmed);
    }
    if line.starts_with("  ")
        && let Some(quoted) = trimmed.strip_prefix(QUOTE)
        && let Body::Statements(statements) = &mut section.body
        && let Some(last) = statements.last_mut()
    {
        let (text, mut cites) = split_cites(quoted);
        if let Some(cite) = cites.pop() {
            let text = unescape(text.strip_suffix('”').unwrap_or(text));
            last.quotes.push(Quote { text, cite });
        }
        return;
    }
    let Body::Statements(statements) = &mut section.body else { return };
    if let Some(statement) = statement_of(line) {
        statements.push(statement);
    } else if let (Some(why), Some(last)) = (trimmed.strip_prefix(WHY), statements.last_mut()) {
        last.why = unescape(why);
    } else if !trimmed.is_empty() && statements.is_empty() {
        section.note = unescape(trimmed);
    }
}

/// The statement that a line of a paper holds.
pub(crate) fn statement_of(line: &str) -> Option<Statement> {
    let trimmed = line.trim();
    let numbered = trimmed.split_once(". ").filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit()));
    let (text, cites) = split_cites(trimmed.strip_prefix("- ").or(numbered.map(|(_, rest)| rest))?);
    Some(Statement::new(&unescape(text), cites))
}

/// The kind of the section below a title.
pub(crate) fn kind_of(title: &str) -> Kind {
    section(&unescape(title)).kind
}

fn read_row(section: &mut Section, line: &str) {
    let mut cells = split_cells(line);
    let last = cells.pop().unwrap_or_default();
    if let Body::Statements(statements) = &section.body
        && statements.is_empty()
    {
        section.body = Body::Rows { header: cells, rows: Vec::new() };
        return;
    }
    let is_rule = cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':')));
    if let Body::Rows { rows, header } = &mut section.body
        && !is_rule
    {
        if header.last().is_some_and(|head| head == BAR) {
            cells.pop();
        }
        rows.push(Row { cells, cites: code_spans(&last) });
    }
}

fn split_cells(line: &str) -> Vec<String> {
    let inner = line.trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for c in inner.chars() {
        if c == '|' && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    cells.iter().map(|cell| unescape(cell.trim())).collect()
}

/// The statement, and what the brackets at its end cite.
fn split_cites(item: &str) -> (&str, Vec<Cite>) {
    let found = item.strip_suffix("`)").and_then(|inner| inner.rfind(" (`").map(|at| (at, inner.len())));
    match found {
        Some((at, end)) => (&item[..at], code_spans(&item[at + 2..=end])),
        None => (item, Vec::new()),
    }
}

fn code_spans(text: &str) -> Vec<Cite> {
    text.split('`').skip(1).step_by(2).map(|span| Cite::parse(&span.replace("%60", "`").replace("%7C", "|"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let statement = |text: &str, why: &str| Statement {
            why: why.to_owned(),
            ..Statement::new(text, vec![Cite::new("assets/a b|`.md", 12), Cite::lines("assets/c.md", 3, 5)])
        };
        let quoted = Statement {
            quotes: vec![
                Quote { text: "it’s “40” | *so*".to_owned(), cite: Cite::new("assets/a.md", 3) },
                Quote { text: "- 44".to_owned(), cite: Cite::new("assets/b.md", 4) },
            ],
            ..Statement::new("north yard: 40 against 44", Vec::new())
        };
        let row = |label: &str, value: &str| Row {
            cells: vec![label.to_owned(), value.to_owned()],
            cites: vec![Cite::new("assets/s.csv", 2)],
        };
        let mut chart =
            Section::rows(Kind::Charts, &["month", "boats"], vec![row("2025-01", "3"), row("2025-02", "12")]);
        chart.theme = "boats by month".to_owned();
        let mut theme = Section::statements(Kind::Theme, vec![statement("1. <b>x</b> | *y* & (z)", "")]);
        theme.theme = "revenue_x: 2".to_owned();
        let paper = Paper {
            title: "A # title\\".to_owned(),
            sections: vec![
                Section::statements(Kind::Findings, vec![statement("- plain", "first"), statement("+", "")]),
                theme,
                Section::statements(Kind::Contradictions, vec![quoted]).with_note("Both cannot be true."),
                chart.with_note("Line chart."),
                Section::statements(Kind::Contradictions, Vec::new()).with_note("None was found."),
                Section::rows(
                    Kind::Figures,
                    &["figure", "words"],
                    vec![Row {
                        cells: vec!["-4|2".to_owned(), "a \\ b".to_owned()],
                        cites: vec![Cite::new("assets/a.md", 1)],
                    }],
                ),
            ],
        };
        let written = write(&paper);
        assert_eq!(read(&written), Some(paper), "{written}");
    }

    #[test]
    fn a_paper_of_somebody_else_is_none() {
        assert_eq!(read("# Report\n\n- a\n"), None);
    }
}
