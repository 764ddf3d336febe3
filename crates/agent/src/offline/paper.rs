//! The one shape of everything the offline agent writes: sections of statements and rows, each with its sources.
//!
//! Owns the shape and what must be said at the top. It must not know how a paper is written down.

/// The beginning of the note, by which a paper of this agent is known again.
pub(crate) const MARK: &str = "Made by extraction, without a model";

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cite {
    pub(crate) path: String,
    /// 0 for a source that has no lines.
    pub(crate) line: usize,
    /// The last line of what is cited.
    pub(crate) last: usize,
}

impl Cite {
    pub(crate) fn new(path: &str, line: usize) -> Self {
        Self::lines(path, line, line)
    }

    pub(crate) fn lines(path: &str, line: usize, last: usize) -> Self {
        Self { path: path.to_owned(), line, last: last.max(line) }
    }

    /// `assets/sales.md:12`, or `assets/sales.md:12-14` for what takes up several lines.
    pub(crate) fn shown(&self) -> String {
        match self.line {
            0 => self.path.clone(),
            line if line == self.last => format!("{}:{line}", self.path),
            line => format!("{}:{line}-{}", self.path, self.last),
        }
    }

    pub(crate) fn parse(text: &str) -> Self {
        let lines = text.rsplit_once(':').and_then(|(path, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Some((path, first.parse().ok()?, last.parse().ok()?))
        });
        match lines {
            Some((path, line, last)) => Self::lines(path, line, last),
            None => Self::new(text, 0),
        }
    }
}

/// Something a source says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) text: String,
    /// Why it was chosen, if that is to be shown.
    pub(crate) why: String,
    pub(crate) cites: Vec<Cite>,
    /// What it rests on, word for word, where it is more than one place.
    pub(crate) quotes: Vec<Quote>,
}

/// The words of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub(crate) text: String,
    pub(crate) cite: Cite,
}

impl Statement {
    pub(crate) fn new(text: &str, cites: Vec<Cite>) -> Self {
        Self { text: text.to_owned(), cites, ..Self::default() }
    }

    /// All places that it names.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Cite> {
        self.cites.iter().chain(self.quotes.iter().map(|quote| &quote.cite))
    }
}

/// A row of a table, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) cells: Vec<String>,
    pub(crate) cites: Vec<Cite>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Statements(Vec<Statement>),
    Rows { header: Vec<String>, rows: Vec<Row> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) kind: Kind,
    /// The theme, for a section that has one; otherwise the kind's own title stands.
    pub(crate) theme: String,
    /// What is to be said about the section itself.
    pub(crate) note: String,
    pub(crate) body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paper {
    pub(crate) title: String,
    pub(crate) sections: Vec<Section>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Asked,
    Request,
    Summary,
    Contradictions,
    Doubts,
    Findings,
    KeySentences,
    Theme,
    Sides,
    Side,
    Past,
    Figures,
    Dates,
    Phrases,
    Charts,
    Tables,
    Groups,
    Parts,
    Files,
    Unread,
    Sources,
}

impl Kind {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 21] = [
        Self::Asked,
        Self::Request,
        Self::Summary,
        Self::Contradictions,
        Self::Doubts,
        Self::Findings,
        Self::KeySentences,
        Self::Theme,
        Self::Sides,
        Self::Side,
        Self::Past,
        Self::Figures,
        Self::Dates,
        Self::Phrases,
        Self::Charts,
        Self::Tables,
        Self::Groups,
        Self::Parts,
        Self::Files,
        Self::Unread,
        Self::Sources,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Asked => "What was asked",
            Self::Request => "Request",
            Self::Summary => "Summary",
            Self::Contradictions => "Contradictions",
            Self::Doubts => "To be checked",
            Self::Findings => "Findings",
            Self::KeySentences => "Key sentences",
            Self::Theme => "Theme",
            Self::Sides => "Side by side",
            Self::Side => "About",
            Self::Past => "From past runs",
            Self::Figures => "Figures",
            Self::Dates => "Dates",
            Self::Phrases => "Key phrases",
            Self::Charts => "Chart",
            Self::Tables => "Table",
            Self::Groups => "Groups",
            Self::Parts => "Parts",
            Self::Files => "Files",
            Self::Unread => "Not covered",
            Self::Sources => "Sources",
        }
    }
}

impl Section {
    pub(crate) fn statements(kind: Kind, statements: Vec<Statement>) -> Self {
        Self { kind, theme: String::new(), note: String::new(), body: Body::Statements(statements) }
    }

    pub(crate) fn rows(kind: Kind, header: &[&str], rows: Vec<Row>) -> Self {
        let header = header.iter().map(|head| (*head).to_owned()).collect();
        Self { kind, theme: String::new(), note: String::new(), body: Body::Rows { header, rows } }
    }

    pub(crate) fn with_note(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    pub(crate) fn len(&self) -> usize {
        match &self.body {
            Body::Statements(statements) => statements.len(),
            Body::Rows { rows, .. } => rows.len(),
        }
    }

    pub(crate) fn title(&self) -> String {
        if self.theme.is_empty() {
            self.kind.title().to_owned()
        } else {
            format!("{}: {}", self.kind.title(), self.theme)
        }
    }
}

impl Paper {
    /// Statements of all sections of a kind.
    pub(crate) fn statements(&self, kind: Kind) -> impl Iterator<Item = &Statement> {
        self.of(kind).flat_map(|section| match &section.body {
            Body::Statements(statements) => statements.as_slice(),
            Body::Rows { .. } => &[],
        })
    }

    /// Rows of all sections of a kind.
    pub(crate) fn rows(&self, kind: Kind) -> impl Iterator<Item = &Row> {
        self.of(kind).flat_map(|section| match &section.body {
            Body::Rows { rows, .. } => rows.as_slice(),
            Body::Statements(_) => &[],
        })
    }

    pub(crate) fn of(&self, kind: Kind) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| section.kind == kind)
    }
}
