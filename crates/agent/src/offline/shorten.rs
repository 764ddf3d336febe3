//! A paper cut to what was asked for: its sections, and its length.
//!
//! Owns what stays and how it is told what went. It must not know the request.

use super::limits;
use super::paper::{Body, Kind, Paper, Section, Statement};
use super::wanted::{Length, Wanted};

/// The paper as it is to be published; where the whole stands is told by its path.
pub(crate) fn shorten(mut paper: Paper, wanted: &Wanted, whole: &str) -> Paper {
    if !wanted.parts.is_empty() {
        let always = [Kind::Asked, Kind::Unread, Kind::Sources];
        paper.sections.retain(|section| always.contains(&section.kind) || is_of(section.kind, wanted));
    }
    paper.sections.retain(|section| !wanted.without_parts.contains(&family(section.kind)));
    match wanted.length {
        Some(length) => cut(paper, length, whole),
        None => paper,
    }
}

fn is_of(kind: Kind, wanted: &Wanted) -> bool {
    wanted.parts.contains(&family(kind))
}

/// Groups are tables, too.
fn family(kind: Kind) -> Kind {
    if kind == Kind::Groups { Kind::Tables } else { kind }
}

/// What goes first into a short paper, until it is full.
const ORDER: [Kind; 11] = [
    Kind::Summary,
    Kind::Request,
    Kind::Sides,
    Kind::Past,
    Kind::Contradictions,
    Kind::Doubts,
    Kind::Unread,
    Kind::Figures,
    Kind::Theme,
    Kind::Dates,
    Kind::Tables,
];

/// How much a paper still holds, in characters, words or entries.
struct Room {
    left: usize,
    length: Length,
}

impl Room {
    fn new(length: Length, asked: &[Section]) -> Self {
        let words: usize =
            asked.iter().map(|section| texts(section).iter().map(|text| count_words(text)).sum::<usize>()).sum();
        let left = match length {
            Length::Pages(pages) => limits::PAGE_CHARS.saturating_mul(pages),
            // What is said about the paper itself counts, but leaves room for something to say.
            Length::Words(most) => most.saturating_sub(words + 30).max(most / 3),
            Length::Entries(most) => most,
        };
        Self { left, length }
    }

    /// Takes room for the title of a section, and for what is said about it.
    fn open(&mut self, note: &str) {
        if let Length::Pages(_) = self.length {
            self.left = self.left.saturating_sub(110 + note.chars().count());
        }
    }

    /// Takes room for texts and their citations; nothing fits any more once something did not.
    fn take(&mut self, texts: &[&str], cites: usize) -> bool {
        const CITE: usize = 30;
        let size = match self.length {
            Length::Pages(_) => texts.iter().map(|text| text.chars().count()).sum::<usize>() + CITE * cites.max(1),
            Length::Words(_) => texts.iter().map(|text| count_words(text)).sum::<usize>() + cites,
            Length::Entries(_) => 1,
        };
        let fits = size <= self.left;
        self.left = if fits { self.left - size } else { 0 };
        fits
    }
}

/// Words between spaces; in scripts without spaces every two signs.
fn count_words(text: &str) -> usize {
    let unspaced = text.chars().filter(|c| super::words::unspaced(*c)).count();
    text.split_whitespace().count() + unspaced / 2
}

fn texts(section: &Section) -> Vec<&str> {
    match &section.body {
        Body::Statements(statements) => statements.iter().map(|one| one.text.as_str()).collect(),
        Body::Rows { rows, .. } => rows.iter().flat_map(|row| row.cells.iter().map(String::as_str)).collect(),
    }
}

fn cut(paper: Paper, length: Length, whole: &str) -> Paper {
    let is_asked = |section: &&Section| section.kind == Kind::Asked;
    let asked: Vec<Section> = paper.sections.iter().filter(is_asked).cloned().collect();
    let all: usize = paper.sections.iter().filter(|section| section.kind != Kind::Asked).map(Section::len).sum();
    let mut room = Room::new(length, &asked);
    let mut kept: Vec<Section> = Vec::new();
    for kind in ORDER {
        for section in paper.of(kind) {
            let mut section = section.clone();
            // That something was known before is worth a line, not more.
            if let (Kind::Past, Body::Statements(statements)) = (kind, &mut section.body) {
                statements.truncate(1);
            }
            fit(&mut section, &mut room);
            if section.len() > 0 {
                kept.push(section);
            }
        }
    }
    let shown: usize = kept.iter().map(Section::len).sum();
    let whole = if whole.is_empty() { "the outline of this run" } else { whole };
    let note =
        format!("Cut to the length that was asked for: {shown} of {all} entries are shown; {whole} has all of it.");
    match kept.first_mut() {
        Some(first) => first.note = note,
        None => kept.push(Section::statements(Kind::Summary, Vec::new()).with_note(&note)),
    }
    Paper { title: paper.title, sections: asked.into_iter().chain(kept).collect() }
}

/// Keeps the first entries of a section that still find room, each whole.
fn fit(section: &mut Section, room: &mut Room) {
    room.open(&section.note);
    match &mut section.body {
        Body::Statements(statements) => {
            let size = |one: &Statement, room: &mut Room| {
                // Why it is believed stands on a line of its own.
                let texts: Vec<&str> = [one.text.as_str(), one.why.as_str()]
                    .into_iter()
                    .chain(one.quotes.iter().map(|quote| quote.text.as_str()))
                    .collect();
                room.take(&texts, one.cites.len() + one.quotes.len())
            };
            let count = statements.iter().take_while(|one| size(one, room)).count();
            statements.truncate(count);
        }
        Body::Rows { rows, .. } => {
            let count = rows
                .iter()
                .take_while(|row| room.take(&row.cells.iter().map(String::as_str).collect::<Vec<_>>(), row.cites.len()))
                .count();
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
        let wanted = |length: Option<Length>| Wanted { length, ..Wanted::default() };
        let page = shorten(paper.clone(), &wanted(Some(Length::Pages(1))), "outline.md");
        assert_eq!(page.statements(Kind::Summary).count(), 6);
        assert!((10..100).contains(&page.statements(Kind::Theme).count()));
        assert!(page.of(Kind::Charts).next().is_none());
        assert!(page.sections[0].note.contains("of 307 entries") && page.sections[0].note.contains("outline.md"));
        let without = Wanted { without_parts: [Kind::Charts].into(), ..Wanted::default() };
        assert_eq!(shorten(paper.clone(), &without, "").sections, paper.sections[..2]);
        let only = Wanted { parts: [Kind::Summary].into(), ..Wanted::default() };
        assert_eq!(shorten(paper.clone(), &only, "").sections, paper.sections[1..2]);
        let mut again = paper.clone();
        again.sections.insert(0, Section::statements(Kind::Past, many(9)));
        let page = shorten(again, &wanted(Some(Length::Pages(1))), "outline.md");
        assert_eq!(
            page.statements(Kind::Past).count(),
            1,
            "what a past run wrote is cited in a short paper, too (MV-05)"
        );
        let five = shorten(paper.clone(), &wanted(Some(Length::Entries(5))), "");
        assert_eq!(five.sections.iter().map(Section::len).sum::<usize>(), 5);
        let words = shorten(paper, &wanted(Some(Length::Words(100))), "");
        assert!(words.sections.iter().flat_map(texts).map(count_words).sum::<usize>() <= 100);
    }
}
