//! A paper as one HTML file that needs nothing else: styles inside, no script, light and dark.
//!
//! Owns the page. Every character from a source is escaped.

use super::paper::{Body, Cite, Kind, NOTE, Paper, Row, Section, Statement};
use super::words::Language;

pub(crate) fn write(paper: &Paper, language: Language) -> String {
    let title = escape(&paper.title);
    let (code, direction) = code(language);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{code}\" dir=\"{direction}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"note\">{}</p>\n",
        escape(NOTE)
    );
    for (index, section) in paper.sections.iter().enumerate() {
        write_section(&mut out, index + 1, section);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

const STYLE: &str = "
:root { color-scheme: light dark; --text: #1c1c1e; --quiet: #5b5b66; --line: #d5d5dc; --ground: #ffffff; --shade: #f4f4f7; }
@media (prefers-color-scheme: dark) {
  :root { --text: #ececf1; --quiet: #a8a8b3; --line: #3a3a44; --ground: #17171b; --shade: #212127; }
}
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
.note { background: var(--shade); border-inline-start: 4px solid var(--quiet); padding: .75rem 1rem; }
.about, .why, cite { color: var(--quiet); }
.why { display: block; font-size: .9rem; }
cite { font: .85rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
li { margin: .4rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { border: 1px solid var(--line); padding: .35rem .55rem; text-align: start; vertical-align: top; }
th { background: var(--shade); }
";

fn code(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::English => ("en", "ltr"),
        Language::German => ("de", "ltr"),
        Language::French => ("fr", "ltr"),
        Language::Spanish => ("es", "ltr"),
        Language::Italian => ("it", "ltr"),
        Language::Portuguese => ("pt", "ltr"),
        Language::Russian => ("ru", "ltr"),
        Language::Korean => ("ko", "ltr"),
        Language::Japanese => ("ja", "ltr"),
        Language::Chinese => ("zh", "ltr"),
        Language::Arabic => ("ar", "rtl"),
        Language::Devanagari => ("hi", "ltr"),
        Language::Unknown => ("und", "ltr"),
    }
}

fn write_section(out: &mut String, number: usize, section: &Section) {
    let title = escape(&section.title());
    out.push_str(&format!("<section aria-labelledby=\"s{number}\">\n<h2 id=\"s{number}\">{title}</h2>\n"));
    if !section.note.is_empty() {
        out.push_str(&format!("<p class=\"about\">{}</p>\n", escape(&section.note)));
    }
    match &section.body {
        Body::Statements(statements) if !statements.is_empty() => {
            let list = if section.kind == Kind::Findings { "ol" } else { "ul" };
            out.push_str(&format!("<{list}>\n"));
            statements.iter().for_each(|statement| out.push_str(&item(statement)));
            out.push_str(&format!("</{list}>\n"));
        }
        Body::Rows { header, rows } if !rows.is_empty() => write_rows(out, header, rows),
        _ => {}
    }
    out.push_str("</section>\n");
}

fn item(statement: &Statement) -> String {
    let why = if statement.why.is_empty() {
        String::new()
    } else {
        format!(" <span class=\"why\">Why: {}</span>", escape(&statement.why))
    };
    format!("<li><span dir=\"auto\">{}</span> {}{why}</li>\n", escape(&statement.text), cites(&statement.cites))
}

fn write_rows(out: &mut String, header: &[String], rows: &[Row]) {
    out.push_str("<div class=\"wide\">\n<table>\n<thead><tr>");
    for head in header.iter().map(String::as_str).chain(["source"]) {
        out.push_str(&format!("<th scope=\"col\">{}</th>", escape(head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in &row.cells {
            out.push_str(&format!("<td dir=\"auto\">{}</td>", escape(cell)));
        }
        out.push_str(&format!("<td>{}</td></tr>\n", cites(&row.cites)));
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
}

fn cites(cites: &[Cite]) -> String {
    cites.iter().map(|cite| format!("<cite>{}</cite>", escape(&cite.shown()))).collect::<Vec<_>>().join(" ")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sources_say_cannot_become_markup() {
        let statement = Statement {
            text: "<script>alert(\"1\")</script> & more".to_owned(),
            why: String::new(),
            cites: vec![Cite::new("assets/<a>.md", 3)],
        };
        let page = write(
            &Paper {
                title: "</title><b>".to_owned(),
                sections: vec![Section::statements(Kind::Summary, vec![statement])],
            },
            Language::Arabic,
        );
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("<cite>assets/&lt;a&gt;.md:3</cite>"), "{page}");
        assert!(page.contains("dir=\"rtl\"") && page.contains("Made by extraction, without a model"), "{page}");
    }
}
