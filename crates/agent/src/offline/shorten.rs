//! A paper cut to what was asked for: without charts, or on one page.
//!
//! Owns what stays and how it is told what went. It must not know the request.

use super::limits;
use super::paper::{Body, Kind, Paper, Section, Statement};
use super::request::Cut;

/// The paper as it is to be published; where the whole stands is told by its path.
pub(crate) fn shorten(mut paper: Paper, cut: Cut, whole: &str) -> Paper {
    if cut.is_without_charts {
        paper.sections.retain(|section| section.kind != Kind::Charts);
    }
    if cut.is_one_page { one_page(paper, whole) } else { paper }
}

/// What goes first onto one page, until it is full.
const ORDER: [Kind; 6] = [Kind::Summary, Kind::Request, Kind::Contradictions, Kind::Unread, Kind::Figures, Kind::Theme];

fn one_page(paper: Paper, whole: &str) -> Paper {
    let all: usize = paper.sections.iter().map(Section::len).sum();
    let mut left = limits::PAGE_CHARS;
    let mut kept: Vec<Section> = Vec::new();
    for kind in ORDER {
        for section in paper.of(kind) {
            let mut section = section.clone();
            fit(&mut section, &mut left);
            if section.len() > 0 {
                kept.push(section);
            }
        }
    }
    let sources: Vec<String> =
        paper.statements(Kind::Sources).flat_map(Statement::places).map(|cite| cite.path.clone()).collect();
    let shown: usize = kept.iter().map(Section::len).sum();
    let rest = if whole.is_empty() { String::new() } else { format!(" {whole} has all of it.") };
    let note =
        format!("One page was asked for: {shown} of {all} entries are shown, from {} sources.{rest}", sources.len());
    match kept.iter_mut().find(|section| section.kind == Kind::Summary) {
        Some(summary) => summary.note = note,
        None => kept.insert(0, Section::statements(Kind::Summary, Vec::new()).with_note(&note)),
    }
    Paper { title: paper.title, sections: kept }
}

/// Keeps the first entries of a section that still find room, each whole.
fn fit(section: &mut Section, left: &mut usize) {
    const HEADING: usize = 80;
    const CITE: usize = 30;
    let mut room = |size: usize| {
        let fits = size + CITE <= *left;
        *left = if fits { *left - size - CITE } else { 0 };
        fits
    };
    if !room(HEADING) {
        section.body = Body::Statements(Vec::new());
        return;
    }
    match &mut section.body {
        Body::Statements(statements) => {
            let size = |one: &Statement| {
                one.text.chars().count()
                    + one.quotes.iter().map(|quote| quote.text.chars().count() + CITE).sum::<usize>()
            };
            let count = statements.iter().take_while(|one| room(size(one))).count();
            statements.truncate(count);
        }
        Body::Rows { rows, .. } => {
            let count =
                rows.iter().take_while(|row| room(row.cells.iter().map(|cell| cell.chars().count()).sum())).count();
            rows.truncate(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::paper::{Cite, Row};

    #[test]
    fn one_page_keeps_whole_entries_and_says_what_went() {
        let many = |count: usize| {
            (0..count)
                .map(|n| Statement::new(&format!("Sentence {n} says so."), vec![Cite::new("a.md", n + 1)]))
                .collect()
        };
        let row = Row { cells: vec!["a".into(), "1".into()], cites: vec![Cite::new("a.md", 1)] };
        let paper = Paper {
            title: "T".into(),
            sections: vec![
                Section::statements(Kind::Theme, many(300)),
                Section::statements(Kind::Summary, many(6)),
                Section::rows(Kind::Charts, &["a", "b"], vec![row]),
            ],
        };
        let page = shorten(paper.clone(), Cut { is_one_page: true, is_without_charts: false }, "outline.md");
        assert_eq!(page.statements(Kind::Summary).count(), 6);
        assert!((10..100).contains(&page.statements(Kind::Theme).count()));
        assert!(page.of(Kind::Charts).next().is_none());
        assert!(page.sections[0].note.contains("of 307 entries") && page.sections[0].note.contains("outline.md"));
        let plain = shorten(paper.clone(), Cut { is_one_page: false, is_without_charts: true }, "");
        assert_eq!(plain.sections, paper.sections[..2]);
    }
}
