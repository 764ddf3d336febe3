//! From analyses to findings, from findings to an outline: what the later phases make of the papers before them.
//!
//! Owns ranking and ordering. It must not know files: papers and documents come in, a paper goes out.

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{self, DATES_HEADER, FIGURES_HEADER, PHRASES_HEADER, Unread};
use super::limits;
use super::paper::{Kind, Paper, Row, Section, Statement};
use super::past;
use super::rank::{Candidate, rank};
use super::read::Document;
use super::things::things;
use super::units;
use super::vocabulary::{self, Part};
use super::words;

/// What a task was given, read.
#[derive(Debug, Default)]
pub(crate) struct Material {
    /// Papers of this agent, with their paths.
    pub(crate) papers: Vec<(String, Paper)>,
    /// Sources, and papers of others.
    pub(crate) documents: Vec<Document>,
    pub(crate) unread: Vec<Unread>,
    /// Papers of this agent that are of another run, as they are written.
    pub(crate) past: Vec<(String, String)>,
}

/// All that is known so far, by kind.
#[derive(Default)]
struct Evidence {
    contradictions: Vec<Statement>,
    doubts: Vec<Statement>,
    sentences: Vec<Statement>,
    figures: Vec<Row>,
    dates: Vec<Row>,
    phrases: Vec<Row>,
    /// Statistics, groups and charts, table by table.
    sheets: Vec<Section>,
    unread: Vec<Statement>,
    sources: Vec<Statement>,
    request: Vec<Statement>,
    past: Vec<Section>,
    /// Two things side by side, where that was asked for.
    sides: Vec<Section>,
}

/// The ranked findings, with their evidence.
pub(crate) fn findings(material: &Material, request: &BTreeSet<String>) -> Paper {
    let evidence = gather(material, request);
    let candidates: Vec<Candidate<'_>> = evidence
        .sentences
        .iter()
        .map(|one| Candidate { text: &one.text, source: one.cites.first().map_or("", |cite| &cite.path), position: 0 })
        .collect();
    let ranked = rank(&candidates, request, limits::FINDINGS);
    let found = ranked
        .iter()
        .map(|one| Statement {
            why: format!("weight {}; {}", one.weight, one.why),
            ..evidence.sentences[one.index].clone()
        })
        .collect::<Vec<_>>();
    let mut sections = Vec::new();
    if !evidence.request.is_empty() && found.is_empty() {
        let nothing = "There was nothing to read in assets/; what follows comes from the request alone.";
        sections.push(Section::statements(Kind::Request, evidence.request.clone()).with_note(nothing));
    }
    sections.extend(evidence.sides.iter().cloned());
    sections.push(contradictions(&evidence));
    sections.extend(doubts(&evidence));
    sections.push(if found.is_empty() {
        Section::statements(Kind::Findings, found).with_note("No source had sentences to rank.")
    } else {
        Section::statements(Kind::Findings, found)
    });
    sections.extend(evidence.past.iter().map(|section| past::with_today(section, &evidence.sentences)));
    sections.extend(rest(&evidence));
    Paper { title: "Ranked findings".to_owned(), sections }
}

/// The outline of the deliverable: what stands where.
pub(crate) fn outline(material: &Material, request: &BTreeSet<String>, title: &str) -> Paper {
    let given = material.papers.iter().map(|(_, paper)| paper).find(|paper| paper.of(Kind::Findings).next().is_some());
    let made;
    let findings = match given {
        Some(paper) => paper,
        None => {
            made = findings(material, request);
            &made
        }
    };
    let found: Vec<&Statement> = findings.statements(Kind::Findings).collect();
    let plain = |one: &Statement| Statement { why: String::new(), ..one.clone() };
    let mut sections: Vec<Section> = findings.of(Kind::Request).cloned().collect();
    let (head, rest) = summarised(&found);
    let mut summary = Section::statements(Kind::Summary, head.iter().map(|one| plain(one)).collect());
    if head.is_empty() {
        summary.note = "The sources gave no sentence to report.".to_owned();
    }
    sections.push(summary);
    sections.extend(
        [Kind::Sides, Kind::Side, Kind::Contradictions, Kind::Doubts]
            .into_iter()
            .flat_map(|kind| findings.of(kind).cloned()),
    );
    sections.extend(themes(&rest));
    sections.extend(findings.sections.iter().filter(|section| is_sheet(section)).cloned());
    sections.extend(
        [Kind::Past, Kind::Figures, Kind::Dates, Kind::Phrases, Kind::Unread, Kind::Sources]
            .into_iter()
            .flat_map(|kind| findings.of(kind).cloned()),
    );
    Paper { title: title.to_owned(), sections }
}

/// The heaviest findings, not all from one source, and the others.
fn summarised<'a>(found: &[&'a Statement]) -> (Vec<&'a Statement>, Vec<&'a Statement>) {
    let source = |one: &Statement| one.cites.first().map(|cite| cite.path.clone()).unwrap_or_default();
    let sources: BTreeSet<String> = found.iter().map(|one| source(one)).collect();
    let most = limits::SUMMARY.div_ceil(sources.len().max(1)).max(2);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let (mut head, mut rest) = (Vec::new(), Vec::new());
    for one in found {
        let count = taken.entry(source(one)).or_default();
        if head.len() < limits::SUMMARY && *count < most {
            *count += 1;
            head.push(*one);
        } else {
            rest.push(*one);
        }
    }
    (head, rest)
}

fn is_sheet(section: &Section) -> bool {
    matches!(section.kind, Kind::Tables | Kind::Groups | Kind::Charts)
}

/// Groups findings by the words that most of them share.
fn themes(found: &[&Statement]) -> Vec<Section> {
    let bags: Vec<BTreeMap<String, String>> = found.iter().map(|one| theme_words(&one.text)).collect();
    let mut left: Vec<usize> = (0..found.len()).collect();
    let mut sections = Vec::new();
    while sections.len() < limits::THEMES {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in left.iter().flat_map(|index| bags[*index].keys()) {
            *counts.entry(word).or_default() += 1;
        }
        // A word that two sentences happen to have is a theme only if it is a name, or names a thing.
        let is_telling = |word: &str| {
            let mut written = bags.iter().filter_map(|bag| bag.get(word));
            !things(word).is_empty() || written.all(|written| !written.chars().all(char::is_lowercase))
        };
        let mut best: Option<(&str, usize)> = None;
        for (word, count) in counts {
            if (count > 2 || count > 1 && is_telling(word)) && best.is_none_or(|(_, most)| count > most) {
                best = Some((word, count));
            }
        }
        let Some((word, _)) = best else { break };
        let word = word.to_owned();
        let (taken, rest): (Vec<usize>, Vec<usize>) = left.iter().partition(|index| bags[**index].contains_key(&word));
        let written = taken.first().and_then(|index| bags[*index].get(&word)).cloned().unwrap_or(word);
        sections.push(theme(&written, found, &taken));
        left = rest;
    }
    if !left.is_empty() {
        sections.push(theme("further findings", found, &left));
    }
    sections
}

/// The words of a sentence that can be a theme, by the form in which they are compared, as they are written.
fn theme_words(text: &str) -> BTreeMap<String, String> {
    let chars: Vec<char> = text.chars().collect();
    words::words(&chars)
        .into_iter()
        .filter_map(|word| {
            let key = words::key(&word)?;
            let lower = word.text.to_lowercase();
            let is_theme = matches!(vocabulary::part(&key, &lower), Part::Subject(_))
                && !vocabulary::is_generic(&key)
                && !vocabulary::is_stretch(&lower)
                && units::unit(&lower).is_none()
                && word.text.chars().all(|c| !c.is_ascii_digit());
            let shown = if word.script == words::Script::Hangul { key.clone() } else { words::bare(&word.text) };
            is_theme.then_some((key, shown))
        })
        .collect()
}

fn theme(name: &str, found: &[&Statement], taken: &[usize]) -> Section {
    let statements = taken.iter().map(|index| Statement { why: String::new(), ..found[*index].clone() }).collect();
    let mut section = Section::statements(Kind::Theme, statements);
    section.theme = name.to_owned();
    section
}

fn contradictions(evidence: &Evidence) -> Section {
    let section = Section::statements(Kind::Contradictions, evidence.contradictions.clone());
    match (section.len(), evidence.doubts.len()) {
        (0, 0) => section.with_note("No two sources were found to contradict each other."),
        (0, _) => section.with_note("No two sources surely contradict each other; what may not agree stands below."),
        _ => section,
    }
}

fn doubts(evidence: &Evidence) -> Option<Section> {
    let section = Section::statements(Kind::Doubts, evidence.doubts.clone());
    (section.len() > 0).then(|| section.with_note(analysis::DOUBTS_NOTE))
}

fn rest(evidence: &Evidence) -> Vec<Section> {
    let mut dates = evidence.dates.clone();
    dates.sort_by(|one, other| one.cells.first().cmp(&other.cells.first()).then(one.cites.cmp(&other.cites)));
    let bounded = |rows: &[Row]| rows[..rows.len().min(limits::CARRIED)].to_vec();
    let all = [
        Section::rows(Kind::Figures, &FIGURES_HEADER, bounded(&evidence.figures)),
        Section::rows(Kind::Dates, &DATES_HEADER, bounded(&dates)),
        Section::rows(
            Kind::Phrases,
            &PHRASES_HEADER,
            evidence.phrases[..evidence.phrases.len().min(limits::PHRASES)].to_vec(),
        ),
        Section::statements(Kind::Unread, evidence.unread.clone()),
        Section::statements(Kind::Sources, evidence.sources.clone()),
    ];
    let before = [evidence.figures.len(), evidence.dates.len()];
    let sheets = evidence.sheets.iter().take(limits::SHEETS).cloned();
    let counted = all.into_iter().enumerate().filter(|(_, section)| section.len() > 0).map(|(index, section)| {
        match before.get(index) {
            Some(count) if *count > section.len() => {
                let note = format!("{} of {count} are shown; the analyses of this run have the others.", section.len());
                section.with_note(&note)
            }
            _ => section,
        }
    });
    sheets.chain(counted).collect()
}

fn gather(material: &Material, request: &BTreeSet<String>) -> Evidence {
    let mut evidence = Evidence::default();
    for (_, paper) in &material.papers {
        take(&mut evidence, paper);
    }
    let covered: BTreeSet<String> =
        evidence.sources.iter().flat_map(|one| &one.cites).map(|cite| cite.path.clone()).collect();
    let (sources, notes): (Vec<Document>, Vec<Document>) = material
        .documents
        .iter()
        .filter(|one| !covered.contains(&one.path))
        .cloned()
        .partition(|one| !is_initial(&one.path));
    if !sources.is_empty() || !material.unread.is_empty() {
        take(&mut evidence, &analysis::analysis(&sources, &material.unread, request));
    }
    if evidence.contradictions.is_empty() && !sources.is_empty() {
        let compared = analysis::comparison(&sources, &[], &[], request);
        evidence.contradictions.extend(compared.statements(Kind::Contradictions).cloned());
        evidence.doubts.extend(compared.statements(Kind::Doubts).cloned());
    }
    // What another agent wrote as the initial analysis speaks for the request when nothing else does.
    let request_paper = analysis::analysis(&notes, &[], request);
    evidence.request.extend(request_paper.statements(Kind::KeySentences).cloned());
    evidence
}

/// A phrase that several sources have stands once, with the place of its first mention and all its times.
fn merge_phrase(phrases: &mut Vec<Row>, row: &Row) {
    let words = |row: &Row| row.cells.first().map(|phrase| words::content(phrase)).unwrap_or_default();
    let times = |row: &Row| row.cells.get(1).and_then(|times| times.parse::<usize>().ok()).unwrap_or(0);
    match phrases.iter_mut().find(|known| words(known) == words(row)) {
        Some(known) if known.cites != row.cites => {
            let all = times(known) + times(row);
            if let Some(cell) = known.cells.get_mut(1) {
                *cell = all.to_string();
            }
        }
        Some(_) => {}
        None => phrases.push(row.clone()),
    }
    phrases.sort_by(|one, other| times(other).cmp(&times(one)).then(one.cells.cmp(&other.cells)));
}

fn is_initial(path: &str) -> bool {
    path.ends_with("/initial_analysis.md")
}

fn take(evidence: &mut Evidence, paper: &Paper) {
    let add = |list: &mut Vec<Statement>, kind: Kind| {
        for one in paper.statements(kind) {
            if !list.contains(one) {
                list.push(one.clone());
            }
        }
    };
    add(&mut evidence.contradictions, Kind::Contradictions);
    add(&mut evidence.doubts, Kind::Doubts);
    for kind in [Kind::Summary, Kind::KeySentences, Kind::Findings, Kind::Theme] {
        add(&mut evidence.sentences, kind);
    }
    add(&mut evidence.unread, Kind::Unread);
    add(&mut evidence.request, Kind::Request);
    add(&mut evidence.sources, Kind::Sources);
    evidence.past.extend(paper.of(Kind::Past).cloned());
    evidence.sides.extend(paper.sections.iter().filter(|one| matches!(one.kind, Kind::Sides | Kind::Side)).cloned());
    for (list, kind) in [(&mut evidence.figures, Kind::Figures), (&mut evidence.dates, Kind::Dates)] {
        for row in paper.rows(kind) {
            if !list.contains(row) {
                list.push(row.clone());
            }
        }
    }
    for row in paper.rows(Kind::Phrases) {
        merge_phrase(&mut evidence.phrases, row);
    }
    for section in paper.sections.iter().filter(|section| is_sheet(section)) {
        if !evidence.sheets.contains(section) {
            evidence.sheets.push(section.clone());
        }
    }
}
