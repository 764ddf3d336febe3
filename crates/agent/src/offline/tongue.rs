//! The fixed words of a report in the language of its request.
//!
//! Owns the tables of phrases, one file for each language. Papers are kept in English between tasks, so that every task
//! reads them alike; what a person gets is put into their language as it is written down. It must not touch what a
//! source says: only what this agent itself says is looked up.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::paper::{Kind, Section};
use super::words::Language;

const TABLES: [(Language, &str); 13] = [
    (Language::English, include_str!("tongue/en.txt")),
    (Language::German, include_str!("tongue/de.txt")),
    (Language::French, include_str!("tongue/fr.txt")),
    (Language::Spanish, include_str!("tongue/es.txt")),
    (Language::Italian, include_str!("tongue/it.txt")),
    (Language::Portuguese, include_str!("tongue/pt.txt")),
    (Language::Dutch, include_str!("tongue/nl.txt")),
    (Language::Polish, include_str!("tongue/pl.txt")),
    (Language::Turkish, include_str!("tongue/tr.txt")),
    (Language::Russian, include_str!("tongue/ru.txt")),
    (Language::Japanese, include_str!("tongue/ja.txt")),
    (Language::Korean, include_str!("tongue/ko.txt")),
    (Language::Chinese, include_str!("tongue/zh.txt")),
];

/// Phrases by their names.
type Table = BTreeMap<&'static str, &'static str>;

/// Whether there is a table for a language.
pub(crate) fn is_known(language: Language) -> bool {
    table(language).is_some()
}

/// The language in which something is written for a person who speaks another: that one, or English.
pub(crate) fn or_english(language: Language) -> Language {
    if is_known(language) { language } else { Language::English }
}

/// A phrase by its name.
pub(crate) fn phrase(language: Language, name: &str) -> &'static str {
    let of = |language| table(language).and_then(|table| table.get(name).copied());
    of(language).or_else(|| of(Language::English)).unwrap_or_default()
}

/// Something that this agent says in English, in another language; as it is, if it is no phrase of the tables.
pub(crate) fn say(language: Language, english: &str) -> String {
    if language == Language::English || !is_known(language) {
        return english.to_owned();
    }
    let Some((name, parts)) = understood(english) else { return english.to_owned() };
    let mut made = phrase(language, name).to_owned();
    for (index, part) in parts.iter().enumerate() {
        // What stands in a phrase may be made of phrases itself.
        let inner: Vec<String> = part.split("; ").map(|one| say_short(language, one)).collect();
        made = made.replace(&format!("{{{index}}}"), &inner.join("; "));
    }
    made
}

/// What stands in the places of a phrase, if a text is that phrase in any language.
pub(crate) fn parts<'t>(name: &str, text: &'t str) -> Option<Vec<&'t str>> {
    TABLES.iter().find_map(|(language, _)| fill(phrase(*language, name), text))
}

/// The same for a phrase of two places, the first of which may hold the words between them.
pub(crate) fn two_parts<'t>(name: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
    TABLES.iter().find_map(|(language, _)| {
        let mut pieces = phrase(*language, name).split(['{', '}']).step_by(2);
        let (front, middle, end) = (pieces.next()?, pieces.next()?, pieces.next()?);
        text.strip_prefix(front)?.strip_suffix(end)?.rsplit_once(middle)
    })
}

/// A list of phrases, each by itself.
pub(crate) fn say_list(language: Language, english: &str) -> String {
    english.split("; ").map(|one| say(language, one)).collect::<Vec<_>>().join("; ")
}

/// A part of a phrase: only what the plan of a request says is looked up, never the words of a source.
fn say_short(language: Language, english: &str) -> String {
    match understood(english) {
        Some((name, _)) if name.starts_with("u_") || name.starts_with("c_") => say(language, english),
        Some((name, parts)) if parts.is_empty() && KINDS.iter().any(|(_, one)| *one == name) => say(language, english),
        Some((_, parts)) if parts.is_empty() && LANGUAGES.contains(&english) => say(language, english),
        _ => english
            .split(", ")
            .map(|one| if LANGUAGES.contains(&one) { say(language, one) } else { one.to_owned() })
            .collect::<Vec<_>>()
            .join(", "),
    }
}

const LANGUAGES: [&str; 14] = [
    "English",
    "German",
    "French",
    "Spanish",
    "Italian",
    "Portuguese",
    "Dutch",
    "Polish",
    "Turkish",
    "Russian",
    "Japanese",
    "Korean",
    "Chinese",
    "Arabic",
];

/// The title of a section.
pub(crate) fn title(language: Language, section: &Section) -> String {
    let name = phrase(language, kind_name(section.kind));
    match (section.kind, section.theme.as_str()) {
        (_, "") => name.to_owned(),
        (Kind::Charts | Kind::Groups | Kind::Tables, theme) => format!("{name}: {}", say_theme(language, theme)),
        (Kind::Theme, "further findings") => {
            let mut chars = phrase(language, "further").chars();
            chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
        }
        (_, theme) => format!("{name}: {theme}"),
    }
}

/// What a chart or a table is of; the place of a table within its file is a phrase inside a phrase.
fn say_theme(language: Language, theme: &str) -> String {
    let Some((front, place)) = theme.strip_suffix(')').and_then(|theme| theme.rsplit_once(" (")) else {
        return say(language, theme);
    };
    say(language, &format!("{front} ({})", say(language, place)))
}

/// What is said about a section.
pub(crate) fn note(language: Language, section: &Section) -> String {
    say(language, &section.note)
}

/// A statement: quoted words stay as they are.
pub(crate) fn statement(language: Language, kind: Kind, text: &str) -> String {
    match kind {
        Kind::Contradictions | Kind::Doubts | Kind::Asked => say(language, text),
        Kind::Sources | Kind::Unread => say_list(language, text),
        _ => text.to_owned(),
    }
}

/// Why something was chosen. The reasons of contradictions exist in English only; elsewhere the quotes speak for themselves.
pub(crate) fn why(language: Language, kind: Kind, text: &str) -> String {
    let is_english_only = matches!(kind, Kind::Contradictions | Kind::Doubts);
    if is_english_only && or_english(language) != Language::English { String::new() } else { text.to_owned() }
}

/// The head of a column; those of charts are the words of a source, and what was done with them.
pub(crate) fn head(language: Language, kind: Kind, head: &str) -> String {
    if matches!(kind, Kind::Charts) && !matches!(head, "rows" | "row") {
        return say_short(language, head);
    }
    let en = table(Language::English);
    let found = en.and_then(|table| table.iter().find(|(name, text)| name.starts_with("h_") && **text == head));
    found.map_or_else(|| head.to_owned(), |(name, _)| phrase(language, name).to_owned())
}

/// A cell of a table that this agent made.
pub(crate) fn cell(language: Language, kind: Kind, text: &str) -> String {
    match kind {
        Kind::Tables if text.ends_with(" different)") => say(language, text),
        _ => text.to_owned(),
    }
}

/// The kind of section that a title names, in any language.
pub(crate) fn kind_of(title: &str) -> Option<Kind> {
    KINDS
        .iter()
        .find(|(_, name)| TABLES.iter().any(|(language, _)| phrase(*language, name) == title))
        .map(|(kind, _)| *kind)
}

/// Whether a line is the note that stands at the top of every paper, in any language.
pub(crate) fn is_note(line: &str) -> bool {
    TABLES.iter().any(|(language, _)| {
        let note = phrase(*language, "note");
        let beginning = note.split([':', '：']).next().unwrap_or(note);
        line.trim_start().starts_with(beginning.trim_end())
    })
}

fn kind_name(kind: Kind) -> &'static str {
    KINDS.iter().find(|(one, _)| *one == kind).map_or("theme", |(_, name)| name)
}

const KINDS: [(Kind, &str); 21] = [
    (Kind::Asked, "asked"),
    (Kind::Request, "request"),
    (Kind::Summary, "summary"),
    (Kind::Contradictions, "contradictions"),
    (Kind::Doubts, "doubts"),
    (Kind::Findings, "findings"),
    (Kind::KeySentences, "key_sentences"),
    (Kind::Theme, "theme"),
    (Kind::Sides, "sides"),
    (Kind::Side, "side"),
    (Kind::Past, "past"),
    (Kind::Figures, "figures"),
    (Kind::Dates, "dates"),
    (Kind::Phrases, "phrases"),
    (Kind::Charts, "charts"),
    (Kind::Tables, "tables"),
    (Kind::Groups, "groups"),
    (Kind::Parts, "parts"),
    (Kind::Files, "files"),
    (Kind::Unread, "unread"),
    (Kind::Sources, "sources"),
];

fn table(language: Language) -> Option<&'static Table> {
    static ALL: OnceLock<Vec<(Language, Table)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let read = |text: &'static str| text.lines().filter_map(|line| line.split_once(' ')).collect();
        TABLES.iter().map(|(language, text)| (*language, read(text))).collect()
    });
    all.iter().find(|(one, _)| *one == language).map(|(_, table)| table)
}

/// Which phrase an English text is, and what stands in its places.
fn understood(english: &str) -> Option<(&'static str, Vec<&str>)> {
    let en = table(Language::English)?;
    let mut best: Option<(usize, &'static str, Vec<&str>)> = None;
    for (name, template) in en {
        if let Some(parts) = fill(template, english) {
            let fixed = template.len() - parts.len() * 3;
            if best.as_ref().is_none_or(|(most, _, _)| fixed > *most) {
                best = Some((fixed, name, parts));
            }
        }
    }
    best.map(|(_, name, parts)| (name, parts))
}

/// What stands in the places of a template, if a text is made from it.
fn fill<'t>(template: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut pieces = template.split(['{', '}']).step_by(2);
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let fixed: Vec<&str> = pieces.collect();
    let mut parts = Vec::new();
    for (index, piece) in fixed.iter().enumerate() {
        // The last piece ends the text; one before it ends where it is met last, so that a source's own words may hold it.
        let at = match (index + 1 == fixed.len(), piece.is_empty()) {
            (true, true) => rest.len(),
            (true, false) => {
                rest.len().checked_sub(piece.len()).filter(|at| rest.is_char_boundary(*at) && rest.ends_with(piece))?
            }
            (false, _) => rest.find(piece)?,
        };
        parts.push(&rest[..at]);
        rest = &rest[at + piece.len()..];
    }
    (rest.is_empty() && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_phrase_with_the_same_places() {
        let places = |text: &str| (0..9).filter(|index| text.contains(&format!("{{{index}}}"))).collect::<Vec<_>>();
        let en = table(Language::English).unwrap();
        for (language, _) in TABLES {
            let own = table(language).unwrap();
            assert!(own.keys().eq(en.keys()), "{language:?}");
            for (name, text) in en {
                assert_eq!(places(text), places(own[name]), "{language:?} {name}");
            }
            for (kind, _) in KINDS {
                assert_eq!(
                    Some(kind),
                    kind_of(phrase(language, kind_name(kind))),
                    "{language:?}: two titles are alike"
                );
            }
        }
        for kind in Kind::ALL {
            assert_eq!(kind.title(), phrase(Language::English, kind_name(kind)));
        }
    }

    #[test]
    fn what_is_said_is_found_again_and_said_otherwise() {
        let german = |english: &str| say(Language::German, english);
        assert_eq!(german("Summary"), "Zusammenfassung");
        assert_eq!(german("staff Halden, 2025: 120 against 135"), "staff Halden, 2025: 120 gegen 135");
        assert_eq!(german("boats by month (sales.csv)"), "boats nach month (sales.csv)");
        assert_eq!(
            german("Understood: only “kyoto”, German; at most one page."),
            "Verstanden: nur “kyoto”, Deutsch; höchstens eine Seite."
        );
        assert_eq!(german("what a source says"), "what a source says");
        assert_eq!(
            say_list(Language::French, "Markdown; German; lines: 12; read whole"),
            "Markdown; allemand; lignes : 12; lu en entier"
        );
        assert_eq!(say(Language::Arabic, "Summary"), "Summary");
        assert!(
            is_note("추출로 작성, 언어 모델 없음: …")
                && is_note("Made by extraction, without a model: x")
                && !is_note("Made by hand")
        );
    }
}
