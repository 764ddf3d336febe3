//! What is asked for besides the subject: what it is limited to, what is left out, how long, in which language, and what
//! cannot be done by extraction.
//!
//! Owns the reading of requests and agreed instructions into one small plan that every phase obeys, and the words in
//! which that plan is told. It must not know documents. What no rule reads is told as not read, never dropped.

use std::collections::BTreeSet;

use super::paper::Kind;
use super::request::{self, Instruction};
use super::tongue;
use super::wanted_form::{asked_language, length, sides};
use super::wanted_scope::{
    Scope, Way, banned_parts, has_phrase, is_part_word, listed, matters, parts_in, phrases, plain_lower, scopes,
    stretch, words_of,
};
use super::words::Language;

/// Something that a report can be limited to, or that can be left out of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Matter {
    /// A file, by its path or its name.
    File(String),
    Language(LanguageName),
    /// Years, first and last.
    Years(u16, u16),
    /// Words as they were written, and in the form in which they are compared.
    Words(String, BTreeSet<String>),
}

/// A language in an order, so that plans have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LanguageName(pub(crate) Language);

impl PartialOrd for LanguageName {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LanguageName {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.code().cmp(other.0.code())
    }
}

impl Matter {
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.clone(),
            Self::Language(name) => name.0.name().to_owned(),
            Self::Years(from, to) if from == to => from.to_string(),
            Self::Years(from, u16::MAX) => format!("{from} and later"),
            Self::Years(0, to) => format!("{to} and earlier"),
            Self::Years(from, to) => format!("{from} to {to}"),
            Self::Words(shown, _) => format!("“{shown}”"),
        }
    }
}

/// How long the deliverable may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Pages(usize),
    Words(usize),
    /// Sentences, points or lines: entries of any kind.
    Entries(usize),
}

/// The plan that is drawn from a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) only: BTreeSet<Matter>,
    pub(crate) without: BTreeSet<Matter>,
    pub(crate) parts: BTreeSet<Kind>,
    pub(crate) without_parts: BTreeSet<Kind>,
    pub(crate) length: Option<Length>,
    /// The language that was asked for, else that of the request.
    pub(crate) language: Option<LanguageName>,
    pub(crate) is_language_asked: bool,
    /// What is set side by side.
    pub(crate) sides: Vec<String>,
    /// What extraction cannot do, in words.
    pub(crate) cannot: BTreeSet<&'static str>,
    /// Sentences in which nothing but words for the ranking was read.
    pub(crate) unread: Vec<String>,
}

/// The sentences that bind a run: its own agreed instructions, else its request; and what still stands from earlier runs.
pub(crate) fn binding(request: &str, instructions: &[Instruction], run_id: &str) -> Vec<String> {
    let own: Vec<&Instruction> = instructions.iter().filter(|one| one.run_id == run_id).collect();
    let mut texts: Vec<String> =
        if own.is_empty() { request::goals(request) } else { own.iter().map(|one| one.content.clone()).collect() };
    texts.extend(instructions.iter().filter(|one| one.run_id != run_id).map(|one| one.content.clone()));
    texts.retain(|text| !is_own_rule(text));
    texts
}

/// Sentences that the offline agent itself adds to what was asked, in any of its languages.
pub(crate) fn is_own_rule(text: &str) -> bool {
    ["i_deliver", "i_sources", "i_more", "i_assets", "i_quote"].iter().any(|name| tongue::parts(name, text).is_some())
}

impl Wanted {
    /// Reads sentences; `spoken` is the language in which they are written as a whole.
    pub(crate) fn of(texts: &[String], sources: &[String], spoken: Language) -> Self {
        // A text that is in no known language is answered in English.
        let spoken = if spoken == Language::Unknown { Language::English } else { spoken };
        let mut wanted = Self { language: Some(LanguageName(spoken)), ..Self::default() };
        for text in texts {
            let before = wanted.clone();
            wanted.take(text, sources);
            let is_read = wanted != before || !request::formats(text, sources).is_empty();
            let is_subject = request::topic(text).is_some() || texts.first() == Some(text);
            if !is_read && !is_subject {
                wanted.unread.push(text.trim().to_owned());
            }
        }
        // What is asked for is not left out, and a part that alone is wanted needs no ban on others.
        let only = wanted.only.clone();
        wanted.without.retain(|one| !only.contains(one));
        wanted
    }

    fn take(&mut self, text: &str, sources: &[String]) {
        let lower = plain_lower(text);
        for found in scopes(&lower) {
            self.scope(&found, sources);
        }
        self.without_parts.extend(banned_parts(&lower));
        if let Some(language) = asked_language(&lower) {
            self.language = Some(LanguageName(language));
            self.is_language_asked = true;
        }
        if let Some(length) = length(&lower) {
            self.length = Some(length);
        }
        let sides = sides(text);
        if !sides.is_empty() {
            self.sides = sides;
        }
        if let Some(years) = stretch(&lower) {
            self.only.insert(years);
        }
        for (kind, told) in BEYOND {
            if phrases(kind).iter().any(|phrase| has_phrase(&lower, phrase)) {
                self.cannot.insert(told);
            }
        }
    }

    fn scope(&mut self, found: &Scope, sources: &[String]) {
        let parts = parts_in(&found.object);
        let is_part_alone = !parts.is_empty() && words_of(&found.object).iter().all(|word| is_part_word(word));
        if is_part_alone {
            match found.way {
                Way::Only => self.parts.extend(parts),
                Way::Without => self.without_parts.extend(parts),
            }
            return;
        }
        for object in listed(&found.object) {
            let matters = matters(&object, sources, found.way);
            match found.way {
                Way::Only => self.only.extend(matters),
                Way::Without => self.without.extend(matters),
            }
        }
    }

    /// Whether anything is limited or left out.
    pub(crate) fn is_scoped(&self) -> bool {
        !self.only.is_empty() || !self.without.is_empty()
    }

    /// Whether a file is to be read at all.
    pub(crate) fn reads(&self, path: &str) -> bool {
        let names = |matter: &Matter| matches!(matter, Matter::File(name) if is_file(path, name));
        let files: Vec<&Matter> = self.only.iter().filter(|one| matches!(one, Matter::File(_))).collect();
        !self.without.iter().any(names) && (files.is_empty() || files.into_iter().any(names))
    }

    /// The language of titles and fixed phrases.
    pub(crate) fn tongue(&self) -> Language {
        self.language.map_or(Language::English, |name| name.0)
    }

    /// The plan in words, one line for each thing that was understood.
    pub(crate) fn understood(&self) -> Vec<String> {
        let list = |matters: &BTreeSet<Matter>| matters.iter().map(Matter::shown).collect::<Vec<_>>().join(", ");
        let kinds = |kinds: &BTreeSet<Kind>| kinds.iter().map(|kind| kind.title()).collect::<Vec<_>>().join(", ");
        let mut told = Vec::new();
        if !self.only.is_empty() {
            told.push(format!("only {}", list(&self.only)));
        }
        if !self.without.is_empty() {
            told.push(format!("without {}", list(&self.without)));
        }
        if !self.parts.is_empty() {
            told.push(format!("only these sections: {}", kinds(&self.parts)));
        }
        if !self.without_parts.is_empty() {
            told.push(format!("without these sections: {}", kinds(&self.without_parts)));
        }
        match self.length {
            Some(Length::Pages(1)) => told.push("at most one page".to_owned()),
            Some(Length::Pages(pages)) => told.push(format!("at most {pages} pages")),
            Some(Length::Words(count)) => told.push(format!("at most {count} words")),
            Some(Length::Entries(count)) => told.push(format!("at most {count} entries")),
            None => {}
        }
        if let [one, other] = self.sides.as_slice() {
            told.push(format!("“{one}” and “{other}” side by side"));
        }
        if self.is_language_asked || self.tongue() != Language::English {
            told.push(format!("titles and fixed phrases in {}", self.tongue().name()));
        }
        told
    }

    /// What cannot be done by extraction, in words.
    pub(crate) fn beyond(&self) -> Vec<String> {
        let mut told: Vec<String> = self.cannot.iter().map(|one| (*one).to_owned()).collect();
        if self.is_language_asked {
            told.push("translation: what is quoted stays in the language of its source".to_owned());
        }
        if !tongue::is_known(self.tongue()) {
            let name = self.tongue().name();
            told.push(format!("titles in {name}: there is no table of phrases for it, so they stand in English"));
        }
        told.dedup();
        told
    }
}

const BEYOND: [(&str, &str); 7] = [
    ("translate", "translation: what is quoted stays in the language of its source"),
    ("recommend", "recommendations: the sources are quoted, nothing is advised"),
    ("judge", "explanations and judgements: the sources are quoted, nothing is concluded"),
    ("forecast", "forecasts: only what the sources themselves say of the future"),
    ("style", "another style or an audience: the words are those of the sources"),
    ("outside", "anything from outside assets/: nothing is searched or fetched"),
    ("picture", "pictures, sound or film: charts are the only drawings"),
];

/// Whether a path is the file that a name names.
pub(crate) fn is_file(path: &str, name: &str) -> bool {
    let (path, name) = (path.to_lowercase(), name.to_lowercase());
    path == name || path.ends_with(&format!("/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let sources = ["assets/sales.csv", "assets/report.md", "assets/visit.ko.md"].map(str::to_owned);
        let wanted = Wanted::of(&request::goals(text), &sources, Language::English);
        assert_eq!(wanted.understood().join("; "), expected, "{text}");
    }

    #[test]
    fn limits_and_bans_are_read_in_several_languages() {
        check("Write a report only about Kyoto.", "only “kyoto”");
        check("Write about Kyoto only, as HTML.", "only “kyoto”");
        check("Report on the yards; leave out sales.csv.", "without assets/sales.csv");
        check("Use only sales.csv and report.md.", "only assets/report.md, assets/sales.csv");
        check("Report on the yards. Do not quote Japanese.", "without Japanese");
        check("Report on the yards, but only 2024.", "only 2024");
        check("Report on the yards since 2023 without charts.", "only 2023 and later; without these sections: Chart");
        check("Report from 2021 to 2023 without prices", "only 2021 to 2023; without “prices”");
        check("List only the contradictions.", "only these sections: Contradictions");
        check("Bericht nur über Halden, ohne Diagramme.", "only “halden”; without these sections: Chart");
        check("Un rapport uniquement sur Lyon et Nice.", "only “lyon”, “nice”");
        check("Un informe solo sobre Sevilla, sin precios.", "only “sevilla”; without “precios”");
        check("Отчёт только о Киото.", "only “киото”");
        check("京都のみの報告書を書いてください。", "only “京都”");
        check("교토만 정리해 주세요. sales.csv는 제외.", "only “교토”; without assets/sales.csv");
        check("只关于京都的报告，不要引用日语。", "only “京都”; without Japanese");
        check("Write a report with no charts.", "without these sections: Chart");
        check("매출 보고서를 간단하게 만들어 주세요. 하지만 빨리.", "");
        check("できるだけ早く書いてください。", "");
        check("不仅关于京都。", "");
        check("Not only Kyoto matters.", "");
        check("Only as HTML please.", "");
    }

    #[test]
    fn length_and_language_are_read() {
        check("A report of at most one page.", "at most one page");
        check("Höchstens zwei Seiten.", "at most 2 pages");
        check("Summarise in 200 words.", "at most 200 words");
        check("In five sentences.", "at most 5 entries");
        check("Give me three bullet points.", "at most 3 entries");
        check("Write a short report.", "at most one page");
        check("Write the report in German.", "titles and fixed phrases in German");
        check("Bericht auf Deutsch, bitte.", "titles and fixed phrases in German");
        check("日本語で書いてください。", "titles and fixed phrases in Japanese");
        check("The page of the newspaper.", "");
        check("Report on page 3 of the letter.", "");
    }

    #[test]
    fn things_are_set_side_by_side() {
        check("Compare Halden and Brekka.", "“Halden” and “Brekka” side by side");
        check("Compare the Halden yard with the Brekka yard, as HTML.", "“Halden yard” and “Brekka yard” side by side");
        check("Vergleiche Halden und Brekka.", "“Halden” and “Brekka” side by side");
        check("Halden vs Brekka", "“Halden” and “Brekka” side by side");
        check("京都と大阪を比較してください。", "“京都” and “大阪” side by side");
        check("Compare.", "");
        check("Compare the sources.", "");
    }

    #[test]
    fn what_needs_a_model_is_told() {
        for (text, expected) in [
            ("Explain why sales fell and recommend next steps.", "explanations|recommendations"),
            ("Translate the letter into German.", "translation"),
            ("Schreibe eine Bewertung für Kinder.", "another style|explanations"),
            ("Report the figures.", ""),
        ] {
            let wanted = Wanted::of(&request::goals(text), &[], Language::English);
            let told: Vec<String> = wanted.beyond();
            let told: Vec<&str> = told.iter().map(|one| one.split([':', ' ']).next().unwrap()).collect();
            let expected: Vec<&str> =
                expected.split('|').filter(|one| !one.is_empty()).map(|one| one.split(' ').next().unwrap()).collect();
            assert_eq!(told, expected, "{text}");
        }
        let wanted = Wanted::of(&request::goals("Report the figures. Mind the gap always."), &[], Language::English);
        assert_eq!(wanted.unread, ["Mind the gap always."]);
    }
}
