//! What sources say, file by file, and where they contradict each other.
//!
//! Owns the two papers of the first phase. It must not know plans or the engine.

use std::collections::BTreeSet;

use super::charts;
use super::claims::{Claim, Origin, Said, claims};
use super::contradictions::{self, Compared, Contradiction, contradictions};
use super::dates::{dates, plain_digits};
use super::doubts::{Certainty, Doubt, doubts};
use super::figures::figures;
use super::likeness::Sign;
use super::limits;
use super::mentions::{Mention, mentions};
use super::names::Names;
use super::paper::{Cite, Kind, Paper, Quote, Row, Section, Statement};
use super::phrases;
use super::rank::{Candidate, rank};
use super::read::{Block, Document, Extent, Table, is_record};
use super::sentences::{Sentence, sentences};
use super::sides;
use super::speech;
use super::tables;
use super::words;

/// A file that was given and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) path: String,
    pub(crate) why: String,
}

pub(crate) const FIGURES_HEADER: [&str; 4] = ["figure", "about", "period", "in the words of the source"];
pub(crate) const DATES_HEADER: [&str; 2] = ["date", "in the words of the source"];
pub(crate) const PHRASES_HEADER: [&str; 2] = ["phrase", "times"];

/// The analysis of one or several files.
pub(crate) fn analysis(documents: &[Document], unread: &[Unread], request: &BTreeSet<String>) -> Paper {
    let names: Vec<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    let title = match names.as_slice() {
        [] => "Analysis: nothing to read".to_owned(),
        [one] => format!("Analysis of {one}"),
        many => format!("Analysis of {} files", many.len()),
    };
    let mut sections = sections(documents, request);
    let unread: Vec<Unread> = unread.iter().cloned().chain(documents.iter().filter_map(read_in_part)).collect();
    sections.extend(unread_section(&unread));
    Paper { title, sections }
}

/// The comparison of all sources.
pub(crate) fn comparison(
    documents: &[Document],
    unread: &[Unread],
    sides: &[String],
    request: &BTreeSet<String>,
) -> Paper {
    let all = all_claims(documents);
    let compared = contradictions(&all);
    let weighed = doubts(&mentions(documents, &all), &compared.found);
    let (section, claims) = contradiction_section(&all, &compared, &weighed);
    let count = if documents.len() == 1 { "1 source was" } else { &format!("{} sources were", documents.len()) };
    let note = format!(
        "{claims} of {count} compared: same thing, same measure and unit, same period. {}",
        if section.len() == 0 {
            "No two of them contradict each other."
        } else {
            "Each says why it is believed to be of one thing."
        }
    );
    let mut sections = vec![section.with_note(&note)];
    sections.extend(doubt_section(&weighed));
    sections.extend(sides::sections(sides, documents, &all, request));
    sections.extend(unread_section(unread));
    sections.push(Section::statements(Kind::Sources, documents.iter().map(source).collect()));
    Paper { title: "Comparison of the sources".to_owned(), sections }
}

pub(crate) fn all_claims(documents: &[Document]) -> Vec<Claim> {
    let names = Names::of(documents);
    let all = documents.iter().flat_map(|document| claims(document, &names));
    // Two requests on one day may take their own time: the records of a log never speak against each other.
    all.filter(|claim| !is_record(&claim.quote)).collect()
}

/// What is to be said about figures that only may be of one thing.
pub(crate) const DOUBTS_NOTE: &str = "Figures and dates that may be of one thing and are not the same. The sources may speak of different things: please look.";

fn doubt_section(weighed: &[Doubt]) -> Option<Section> {
    let found: Vec<Statement> =
        weighed.iter().filter(|one| one.certainty == Certainty::Doubtful).map(weighed_statement).collect();
    (!found.is_empty()).then(|| Section::statements(Kind::Doubts, found).with_note(DOUBTS_NOTE))
}

/// What surely contradicts each other first, then what probably does.
fn contradiction_section(all: &[Claim], compared: &Compared, weighed: &[Doubt]) -> (Section, String) {
    let likely = weighed.iter().filter(|one| one.certainty == Certainty::Likely).map(weighed_statement);
    let found = compared.found.iter().map(contradiction).chain(likely).collect();
    let claims = match compared.extent {
        contradictions::Extent::All => format!("{} claims", all.len()),
        contradictions::Extent::Part => format!("Of {} claims, those most alike", all.len()),
    };
    (Section::statements(Kind::Contradictions, found), claims)
}

fn contradiction(found: &Contradiction) -> Statement {
    let (first, second) = (&found.first, &found.second);
    let quote = |claim: &Claim| Quote {
        text: claim.quote.clone(),
        cite: Cite::lines(&claim.path, claim.lines.0, claim.lines.1),
    };
    Statement {
        quotes: [first, second].into_iter().chain(&found.also).map(quote).collect(),
        why: SURE.to_owned(),
        ..Statement::new(&format!("{}: {} against {}", found.about(), first.written, second.written), Vec::new())
    }
}

/// How sure a contradiction of the strict rule is.
const SURE: &str = "the same thing, the same measure, the same time";

fn weighed_statement(found: &Doubt) -> Statement {
    let quote =
        |one: &Mention| Quote { text: one.quote.clone(), cite: Cite::lines(&one.path, one.lines.0, one.lines.1) };
    let words = format!("both speak of “{}”", found.about);
    let signs = found.signs.iter().map(|sign| match sign {
        Sign::Near => "the values are near each other".to_owned(),
        Sign::Slip => "one looks like the other with a slip of the pen".to_owned(),
        Sign::Year(year) => format!("both are of {year}"),
    });
    let why = [words].into_iter().chain(signs).collect::<Vec<_>>().join("; ");
    let why = match found.certainty {
        Certainty::Likely => format!("probably the same thing: {why}"),
        Certainty::Doubtful => format!("perhaps the same thing: {why}"),
    };
    Statement {
        quotes: [&found.first, &found.second].into_iter().chain(&found.also).map(quote).collect(),
        why,
        ..Statement::new(
            &format!("{}: {} against {}", found.about, found.first.written, found.second.written),
            Vec::new(),
        )
    }
}

fn sections(documents: &[Document], request: &BTreeSet<String>) -> Vec<Section> {
    let names = Names::of(documents);
    let mut key_sentences = Vec::new();
    let mut figure_rows = Vec::new();
    let mut date_rows = Vec::new();
    let mut table_sections = Vec::new();
    for document in documents {
        let all = all_sentences(document);
        key_sentences.extend(key_sentences_of(document, &all, request));
        figure_rows.extend(figures_of(document, &all, &claims(document, &names)));
        date_rows.extend(dates_of(document, &all));
        table_sections.extend(tables_of(document));
    }
    let mut sections = vec![Section::statements(Kind::Sources, documents.iter().map(source).collect())];
    sections.push(Section::statements(Kind::KeySentences, key_sentences));
    for section in [
        Section::rows(Kind::Phrases, &PHRASES_HEADER, phrases::phrases(documents)),
        Section::rows(Kind::Figures, &FIGURES_HEADER, figure_rows),
        Section::rows(Kind::Dates, &DATES_HEADER, date_rows),
    ] {
        if section.len() > 0 {
            sections.push(section);
        }
    }
    sections.extend(table_sections);
    sections
}

/// The tables of a document with their place among them, as far as they are measured.
fn tables_of(document: &Document) -> Vec<Section> {
    let tables: Vec<&Table> = document
        .blocks
        .iter()
        .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
        .take(limits::TABLES)
        .collect();
    let decimal = document.decimal();
    let mut sections = Vec::new();
    for table in tables {
        sections.extend(tables::sections(&document.path, table, table.decimal(decimal)));
        sections.extend(charts::sections(&document.path, table, table.decimal(decimal)));
    }
    sections
}

/// What of a document could not be regarded.
fn read_in_part(document: &Document) -> Option<Unread> {
    let why = if document.lines == 0 {
        "empty: there is nothing in it".to_owned()
    } else if document.extent == Extent::Beginning {
        "long, so that only its beginning was read".to_owned()
    } else {
        let all = all_sentences(document);
        let last = all.last().filter(|_| all.len() >= limits::SENTENCES)?.sentence.last;
        format!("only the first {last} of its lines were taken, it has more")
    };
    Some(Unread { path: document.path.clone(), why })
}

pub(crate) fn source(document: &Document) -> Statement {
    let tables = document.blocks.iter().filter(|block| matches!(block, Block::Table(_))).count();
    let extent = match document.extent {
        Extent::Whole => "read whole",
        Extent::Beginning => "long, so that only its beginning was read",
    };
    let sentences = all_sentences(document).len();
    let more = if sentences >= limits::SENTENCES { "at least " } else { "" };
    use words::Language::{Arabic, Chinese, Devanagari, Japanese, Korean, Russian, Unknown};
    let language = match document.language {
        Unknown => String::new(),
        // Heads of columns tell a script, hardly a language.
        language
            if sentences == 0 && !matches!(language, Arabic | Chinese | Devanagari | Japanese | Korean | Russian) =>
        {
            String::new()
        }
        language => format!("; {}", language.name()),
    };
    let text = format!(
        "{}{language}; lines: {}; sentences: {more}{sentences}; tables: {tables}; {extent}",
        document.form.name(),
        document.lines,
    );
    let text = match document.encoding {
        Some(name) => format!("{text}; read as {name}: it is not UTF-8"),
        None => text,
    };
    // A file without a line has none to name.
    Statement::new(&text, vec![Cite::new(&document.path, document.lines.min(1))])
}

pub(crate) fn unread_section(unread: &[Unread]) -> Option<Section> {
    let statements =
        unread.iter().map(|one| Statement::new(&one.why, vec![Cite::new(&one.path, 0)])).collect::<Vec<_>>();
    (!statements.is_empty()).then(|| Section::statements(Kind::Unread, statements))
}

/// A sentence, and whether it begins its paragraph.
pub(crate) struct Placed {
    pub(crate) sentence: Sentence,
    pub(crate) is_first: bool,
}

pub(crate) fn all_sentences(document: &Document) -> Vec<Placed> {
    let mut all = Vec::new();
    for block in &document.blocks {
        if let Block::Prose(pieces) = block {
            let placed = sentences(pieces).into_iter().enumerate();
            all.extend(placed.map(|(index, sentence)| Placed { sentence, is_first: index == 0 }));
        }
        if all.len() >= limits::SENTENCES {
            all.truncate(limits::SENTENCES);
            break;
        }
    }
    all
}

/// A sentence as it can stand alone: one that only goes on has the one before it in front.
pub(crate) fn statement(document: &Document, all: &[Placed], index: usize) -> Statement {
    let one = &all[index].sentence;
    match index.checked_sub(1).filter(|_| !all[index].is_first && speech::goes_on(&one.text)) {
        Some(before) => {
            let lead = &all[before].sentence;
            let cite = Cite::lines(&document.path, lead.line, one.last);
            Statement::new(&format!("{} {}", lead.text, one.text), vec![cite])
        }
        None => Statement::new(&one.text, vec![Cite::lines(&document.path, one.line, one.last)]),
    }
}

/// Whether a sentence says something: greetings, signatures and lone words do not.
pub(crate) fn says_something(text: &str) -> bool {
    if is_frame(text) {
        return false;
    }
    let content = words::content(text).len();
    let is_unspaced = text.chars().filter(|c| words::unspaced(*c)).count() * 2 > text.chars().count();
    let has_figure = plain_digits(text).iter().any(char::is_ascii_digit);
    let ends = text.trim_end_matches(['"', '”', '’', ')', '»', '」']);
    let is_whole = ends.ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟', '۔', ';', ':']);
    if text.ends_with([',', '，', '،']) {
        return false;
    }
    (is_whole && (content >= 2 || is_unspaced)) || (has_figure && content >= 2) || content >= 6
}

/// Whether a sentence belongs to the page, the letter or the site, and not to what is said there.
fn is_frame(text: &str) -> bool {
    const FRAMES: [&str; 46] = [
        "all rights reserved",
        "alle rechte vorbehalten",
        "tous droits réservés",
        "todos los derechos reservados",
        "tutti i diritti riservati",
        "todos os direitos reservados",
        "alle rechten voorbehouden",
        "wszelkie prawa zastrzeżone",
        "tüm hakları saklıdır",
        "все права защищены",
        "無断転載",
        "版权所有",
        "unsubscribe",
        "se désinscrire",
        "abbestellen",
        "newsletter abmelden",
        "darse de baja",
        "annulla iscrizione",
        "cookie",
        "privacy policy",
        "datenschutzerklärung",
        "politique de confidentialité",
        "powered by",
        "subscribe to our",
        "follow us on",
        "view in browser",
        "view this email",
        "voir dans le navigateur",
        "im browser ansehen",
        "ver en el navegador",
        "retrieved from",
        "this page was last edited",
        "last modified on",
        "click here",
        "read more",
        "weiterlesen",
        "lire la suite",
        "sent from my",
        "envoyé de mon",
        "gesendet von meinem",
        "enviado desde mi",
        "terms of service",
        "terms of use",
        "log in or",
        "share this",
        "skip to content",
    ];
    let lower = text.to_lowercase();
    let is_short = text.chars().count() <= 160;
    let is_signed = lower.starts_with('©') || lower.starts_with("copyright") || lower.starts_with("(c) ");
    let is_wiki = text.starts_with("{{")
        || text.starts_with("[[")
        || lower.starts_with("[edit]")
        || lower.starts_with("category:");
    is_short && (is_signed || is_wiki || FRAMES.iter().any(|frame| lower.contains(frame)))
}

/// The sentences that say the most, in the order of the file.
fn key_sentences_of(document: &Document, all: &[Placed], request: &BTreeSet<String>) -> Vec<Statement> {
    let says = |text: &str| says_something(text) && !is_record(text) && !text.ends_with(['?', '？', '؟']);
    let kept: Vec<usize> = (0..all.len()).filter(|index| says(&all[*index].sentence.text)).collect();
    let candidates: Vec<Candidate<'_>> = kept
        .iter()
        .map(|index| Candidate { text: &all[*index].sentence.text, source: &document.path, position: *index })
        .collect();
    let mut chosen: Vec<usize> =
        rank(&candidates, request, limits::KEY_SENTENCES).iter().map(|one| kept[one.index]).collect();
    chosen.sort_unstable();
    let mut found: Vec<Statement> = Vec::new();
    for index in chosen {
        let made = statement(document, all, index);
        // A sentence that is the beginning of the next statement need not stand twice.
        if found.last().is_some_and(|last| made.text.starts_with(&last.text)) {
            found.pop();
        }
        found.push(made);
    }
    found
}

fn figures_of(document: &Document, all: &[Placed], claims: &[Claim]) -> Vec<Row> {
    let decimal = document.decimal();
    let mut rows = Vec::new();
    // The numbers of a record are named in front of them: no sentence says what they measure.
    let said = |one: &&Sentence| !is_record(&one.text) && !is_frame(&one.text);
    for sentence in all.iter().map(|one| &one.sentence).filter(said) {
        let chars = plain_digits(&sentence.text);
        // "2 Tourism", "3.1 History": the lines of a table of contents.
        let is_entry = sentence.text.split_whitespace().count() <= 3
            && sentence.text.starts_with(|c: char| c.is_ascii_digit())
            && sentence.text.chars().nth(2).is_some_and(char::is_uppercase);
        for figure in figures(&chars, &dates(&chars), decimal).into_iter().filter(|_| !is_entry) {
            let written: String = sentence.text.chars().skip(figure.start).take(figure.end - figure.start).collect();
            let line = sentence.line_at(figure.start);
            let claim = claims.iter().find(|claim| {
                claim.line == line
                    && claim.written == written
                    && claim.quote == sentence.text
                    && matches!(claim.said, Said::Value(_))
            });
            let about = claim.map(|claim| claim.subject.shown.join(" ")).unwrap_or_default();
            // A period that only the title says is not printed as if the sentence said it.
            let own = claim.filter(|claim| claim.origin == Origin::Own).and_then(|claim| claim.period);
            let period = own.map(|period| period.to_string()).unwrap_or_default();
            let cells = vec![written, about, period, sentence.text.clone()];
            rows.push(Row { cells, cites: vec![Cite::new(&document.path, line)] });
        }
        if rows.len() >= limits::FIGURES {
            rows.truncate(limits::FIGURES);
            break;
        }
    }
    rows
}

fn dates_of(document: &Document, all: &[Placed]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let said = |one: &&Sentence| !is_record(&one.text) && !is_frame(&one.text);
    for sentence in all.iter().map(|one| &one.sentence).filter(said) {
        for date in dates(&plain_digits(&sentence.text)) {
            let cells = vec![date.period.to_string(), sentence.text.clone()];
            let row = Row { cells, cites: vec![Cite::new(&document.path, sentence.line_at(date.start))] };
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        if rows.len() >= limits::DATES {
            rows.truncate(limits::DATES);
            break;
        }
    }
    rows
}
