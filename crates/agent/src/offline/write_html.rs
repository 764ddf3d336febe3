//! A paper as one HTML file that needs nothing else: styles inside, no script, light and dark.
//!
//! Owns the page. Every character from a source is escaped.

use super::paper::{Body, Cite, Kind, Paper, Quote, Row, Section, Statement};
use super::style::STYLE;
use super::svg;
use super::tongue;
use super::words::Language;

pub(crate) fn write(paper: &Paper, language: Language) -> String {
    let title = escape(&paper.title);
    let (code, direction) = code(language);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{code}\" dir=\"{direction}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"note\">{}</p>\n",
        escape(tongue::phrase(language, "note"))
    );
    // What was asked stands above the way to the sections.
    let asked = paper.sections.iter().take_while(|section| section.kind == Kind::Asked).count();
    for (index, section) in paper.sections.iter().enumerate() {
        if index == asked && paper.sections.len() > 3 {
            out.push_str(&contents(paper, language));
        }
        write_section(&mut out, index + 1, section, language);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

/// The way to the sections; tables and charts, which may be many, have one way together.
fn contents(paper: &Paper, language: Language) -> String {
    let mut out = format!("<nav aria-label=\"{}\">\n<ul>\n", escape(tongue::phrase(language, "nav")));
    let mut last = None;
    for (index, section) in paper.sections.iter().enumerate() {
        let group = matches!(section.kind, Kind::Charts | Kind::Tables | Kind::Groups);
        if section.kind == Kind::Asked || (last == Some(true) && group) {
            continue;
        }
        last = Some(group);
        let (name, count) = match group {
            true => (tongue::phrase(language, "sheets").to_owned(), 0),
            false => (tongue::title(language, section), section.len()),
        };
        let count = if count > 0 { format!(" ({count})") } else { String::new() };
        out.push_str(&format!("<li><a href=\"#s{}\">{}{count}</a></li>\n", index + 1, escape(&name)));
    }
    out.push_str("</ul>\n</nav>\n");
    out
}

fn code(language: Language) -> (&'static str, &'static str) {
    (language.code(), if language == Language::Arabic { "rtl" } else { "ltr" })
}

fn write_section(out: &mut String, number: usize, section: &Section, language: Language) {
    let title = escape(&tongue::title(language, section));
    if section.kind == Kind::Asked {
        return write_asked(out, &title, section, language);
    }
    out.push_str(&format!("<section aria-labelledby=\"s{number}\">\n<h2 id=\"s{number}\" dir=\"auto\">{title}</h2>\n"));
    if !section.note.is_empty() {
        out.push_str(&format!("<p class=\"about\" dir=\"auto\">{}</p>\n", escape(&tongue::note(language, section))));
    }
    match &section.body {
        Body::Statements(statements) if !statements.is_empty() => {
            write_statements(out, section.kind, statements, language);
        }
        Body::Rows { header, rows } if !rows.is_empty() => match svg::draw(&spoken(section, language), number) {
            Some(drawing) if section.kind == Kind::Charts => {
                out.push_str(&format!(
                    "<figure>\n{drawing}</figure>\n<details>\n<summary>{}</summary>\n",
                    escape(tongue::phrase(language, "data"))
                ));
                write_rows(out, section.kind, language, header, rows);
                out.push_str("</details>\n");
            }
            _ => write_rows(out, section.kind, language, header, rows),
        },
        _ => {}
    }
    out.push_str("</section>\n");
}

/// A chart with what stands at its axes in the language of the page.
fn spoken(section: &Section, language: Language) -> Section {
    let mut spoken = section.clone();
    if let (Kind::Charts, Body::Rows { header, .. }) = (section.kind, &mut spoken.body) {
        header.iter_mut().for_each(|head| *head = tongue::head(language, Kind::Charts, head));
    }
    spoken
}

/// What was asked, and what was understood of it, small above everything else.
fn write_asked(out: &mut String, title: &str, section: &Section, language: Language) {
    let Body::Statements(statements) = &section.body else { return };
    out.push_str(&format!("<section class=\"asked\" aria-label=\"{title}\">\n"));
    for one in statements {
        let text = escape(&tongue::statement(language, section.kind, &one.text));
        out.push_str(&format!("<p dir=\"auto\">{text}</p>\n"));
    }
    out.push_str("</section>\n");
}

fn write_statements(out: &mut String, kind: Kind, statements: &[Statement], language: Language) {
    let (open, close) = match kind {
        Kind::Findings => ("<ol>", "</ol>"),
        Kind::Contradictions => ("<ul class=\"against\">", "</ul>"),
        Kind::Doubts => ("<ul class=\"against perhaps\">", "</ul>"),
        _ => ("<ul>", "</ul>"),
    };
    out.push_str(&format!("{open}\n"));
    statements.iter().for_each(|statement| out.push_str(&item(kind, statement, language)));
    out.push_str(&format!("{close}\n"));
}

fn item(kind: Kind, statement: &Statement, language: Language) -> String {
    let why = tongue::why(language, kind, &statement.why);
    let why = if why.is_empty() {
        String::new()
    } else {
        format!(" <span class=\"why\">{}: {}</span>", escape(tongue::phrase(language, "why")), escape(&why))
    };
    let words = escape(&tongue::statement(language, kind, &statement.text));
    if statement.quotes.is_empty() {
        return format!("<li dir=\"auto\">{words} {}{why}</li>\n", cites(&statement.cites));
    }
    let side = |quote: &Quote| {
        let cite = cites(std::slice::from_ref(&quote.cite));
        format!("<blockquote dir=\"auto\">“{}” {cite}</blockquote>\n", escape(&quote.text))
    };
    let sides: String = statement.quotes.iter().map(side).collect();
    format!("<li><strong dir=\"auto\">{words}</strong>\n<div class=\"sides\">\n{sides}</div>{why}</li>\n")
}

fn write_rows(out: &mut String, kind: Kind, language: Language, header: &[String], rows: &[Row]) {
    // What is the same for all rows is said once, below them.
    let shared = rows
        .first()
        .map(|row| &row.cites)
        .filter(|cites| rows.len() > 1 && rows.iter().all(|row| row.cites == **cites));
    out.push_str("<div class=\"wide\">\n<table>\n<thead><tr>");
    let heads = header.iter().map(|head| tongue::head(language, kind, head));
    let source = tongue::phrase(language, "source").to_owned();
    for head in heads.chain(shared.is_none().then_some(source.clone())) {
        out.push_str(&format!("<th scope=\"col\" dir=\"auto\">{}</th>", escape(&head)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in &row.cells {
            let cell = &tongue::cell(language, kind, cell);
            let class = class_of(cell);
            out.push_str(&format!("<td{class} dir=\"auto\">{}</td>", escape(cell)));
        }
        let own = if shared.is_none() { format!("<td>{}</td>", cites(&row.cites)) } else { String::new() };
        out.push_str(&format!("{own}</tr>\n"));
    }
    out.push_str("</tbody>\n</table>\n</div>\n");
    if let Some(shared) = shared {
        out.push_str(&format!("<p class=\"from\">{}: {}</p>\n", escape(&source), cites(shared)));
    }
}

/// A number stands to the right; a figure with its unit and a short word are not broken.
fn class_of(cell: &str) -> &'static str {
    const SHORT: usize = 24;
    if cell.parse::<f64>().is_ok() {
        " class=\"n\""
    } else if cell.chars().count() <= SHORT {
        " class=\"s\""
    } else {
        ""
    }
}

fn cites(cites: &[Cite]) -> String {
    cites.iter().map(|cite| format!("<cite>{}</cite>", escape(&cite.shown()))).collect::<Vec<_>>().join(" ")
}

/// Text that reads as itself in HTML.
pub(crate) fn escape(text: &str) -> String {
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
        let statement = Statement::new("<script>alert(\"1\")</script> & more", vec![Cite::new("assets/<a>.md", 3)]);
        let page = write(
            &Paper {
                title: "</title><b>".to_owned(),
                sections: vec![Section::statements(Kind::Summary, vec![statement])],
            },
            Language::English,
        );
        assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("<cite>assets/&lt;a&gt;.md:3</cite>"), "{page}");
        assert!(page.contains("dir=\"ltr\"") && page.contains("Made by extraction, without a model"), "{page}");
    }
}
