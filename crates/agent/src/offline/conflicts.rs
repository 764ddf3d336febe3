//! Whether two instructions can both stand, and which one gives way.
//!
//! Owns the rules: about the same, and of contrary wishes as to form, language, length, what is left out, numbers or
//! sources. Meaning is not understood: what no rule sees is no conflict.

use std::collections::BTreeSet;

use super::number_words;
use super::request::{self, Format};
use super::restrict;
use super::wanted::{Matter, Wanted};
use super::wanted_form::length;
use super::words::{self, Language};

/// Why two instructions cannot both stand as they are, and what becomes of the earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) reason: String,
    pub(crate) fate: Fate,
}

/// What becomes of the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Superseded,
    Kept,
}

/// The conflict of an earlier instruction with a new one, if there is one.
pub(crate) fn conflict(old: &str, new: &str, sources: &[String]) -> Option<Conflict> {
    let (reason, both_can_be_had) = contrary(old, new, sources)?;
    let (fate, reason) = if holds_once(new) {
        (Fate::Kept, format!("{reason}; the new request speaks of this time only"))
    } else if both_can_be_had && holds_always(old) && !holds_always(new) {
        (Fate::Kept, format!("{reason}; it is to hold always, and both can be had"))
    } else {
        (Fate::Superseded, reason)
    };
    Some(Conflict { reason, fate })
}

/// Why they are contrary, and whether both could be done nevertheless.
fn contrary(old: &str, new: &str, sources: &[String]) -> Option<(String, bool)> {
    let (was, is) = (request::listed_sources(old), request::listed_sources(new));
    if was.is_some() || is.is_some() {
        let is_other = was.is_some() && is.is_some() && was != is;
        return is_other.then(|| ("other sources".to_owned(), false));
    }
    if let Some(reason) = left_out(old, new).or_else(|| other_scope(old, new, sources)) {
        return Some((reason, false));
    }
    let nearness = nearness(old, new);
    if nearness == Nearness::Apart {
        return None;
    }
    let (old_forms, new_forms) = (request::formats(old, sources), request::formats(new, sources));
    if is_other(&old_forms, &new_forms) {
        let names = |formats: &[Format]| formats.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
        return Some((format!("other forms ({} before, {} now)", names(&old_forms), names(&new_forms)), true));
    }
    let (old_tongues, new_tongues) = (languages(old), languages(new));
    if is_other(&old_tongues, &new_tongues) {
        let list = |tongues: &[&str]| tongues.join(", ");
        return Some((format!("another language ({} before, {} now)", list(&old_tongues), list(&new_tongues)), false));
    }
    if let (Some(was), Some(is)) = (length(&old.to_lowercase()), length(&new.to_lowercase()))
        && was != is
        && lengths(old).is_empty()
    {
        return Some(("another length".to_owned(), false));
    }
    for (old_count, unit) in lengths(old) {
        if let Some((new_count, _)) =
            lengths(new).into_iter().find(|(count, other)| *other == unit && *count != old_count)
        {
            return Some((format!("another length ({old_count} {unit}s before, {new_count} now)"), false));
        }
    }
    let (old_numbers, new_numbers) = (numbers(old), numbers(new));
    if nearness == Nearness::SameSubject && is_other(&old_numbers, &new_numbers) {
        let list = |numbers: &[String]| numbers.join(", ");
        let (old_numbers, new_numbers) = (list(&old_numbers), list(&new_numbers));
        return Some((format!("other numbers ({old_numbers} before, {new_numbers} now)"), false));
    }
    None
}

fn is_other<T: PartialEq>(old: &[T], new: &[T]) -> bool {
    !old.is_empty() && !new.is_empty() && old != new
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nearness {
    SameSubject,
    /// They have a word in common that is half of what one is about.
    Related,
    /// One has no subject: it speaks of how anything is to be delivered.
    General,
    Apart,
}

fn nearness(old: &str, new: &str) -> Nearness {
    let subject = |text: &str| -> BTreeSet<String> {
        request::subject(text)
            .into_iter()
            .filter(|word| language_of(word).is_none() && unit_of(word).is_none() && !is_frame(word))
            .filter(|word| number_words::small(word).is_none())
            .collect()
    };
    let (old, new) = (subject(old), subject(new));
    let shared = old.intersection(&new).count();
    let smaller = old.len().min(new.len());
    if smaller == 0 || old.len() == 1 && new.len() == 1 && shared == 1 {
        return Nearness::General;
    }
    match shared {
        0 => Nearness::Apart,
        shared if shared * 2 < smaller => Nearness::Apart,
        shared if shared < 2.min(smaller) => Nearness::Related,
        _ => Nearness::SameSubject,
    }
}

/// Words that say how firmly something is meant, not what.
fn is_frame(word: &str) -> bool {
    const FRAME: &str = "always every each never please time once only instead immer stets jedes diesmal nur toujours \
        seulement siempre solo vez keep long short at most least";
    FRAME.split_whitespace().any(|one| one == word)
}

fn holds_always(text: &str) -> bool {
    const WORDS: &str = "always every never immer stets jedes toujours jamais siempre nunca всегда никогда";
    const PARTS: [&str; 7] = ["항상", "언제나", "必ず", "常に", "总是", "始终", "हमेशा"];
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.split_whitespace().any(|one| one == word))
        || PARTS.iter().any(|part| lower.contains(part))
}

fn holds_once(text: &str) -> bool {
    const PHRASES: [&str; 14] = [
        "this time",
        "just once",
        "only once",
        "for once",
        "diesmal",
        "dieses mal",
        "nur einmal",
        "cette fois",
        "esta vez",
        "на этот раз",
        "이번만",
        "이번에만",
        "今回",
        "这次",
    ];
    let lower = text.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// What one limits itself to and the other does not keep to.
fn other_scope(old: &str, new: &str, sources: &[String]) -> Option<String> {
    let of = |text: &str| Wanted::of(&[text.to_owned()], sources, Language::English);
    let (was, is) = (of(old), of(new));
    let shown = |matters: &[&Matter]| matters.iter().map(|one| one.shown()).collect::<Vec<_>>().join(", ");
    let alike = |one: &Matter, other: &Matter| std::mem::discriminant(one) == std::mem::discriminant(other);
    let before: Vec<&Matter> = was.only.iter().filter(|one| is.only.iter().any(|other| alike(one, other))).collect();
    let now: Vec<&Matter> = is.only.iter().filter(|one| was.only.iter().any(|other| alike(one, other))).collect();
    if !before.is_empty() && before != now {
        return Some(format!("another scope (only {} before, only {} now)", shown(&before), shown(&now)));
    }
    let banned: Vec<&Matter> = was.without.iter().filter(|one| is.only.contains(one)).collect();
    if !banned.is_empty() {
        return Some(format!("left out before, asked for now ({})", shown(&banned)));
    }
    let dropped: Vec<&Matter> = was.only.iter().filter(|one| is.without.contains(one)).collect();
    if !dropped.is_empty() {
        return Some(format!("asked for before, left out now ({})", shown(&dropped)));
    }
    // A request about Osaka does not keep to what was to be about Kyoto alone.
    let topic = request::topic(new)?;
    let limits: Vec<&Matter> = was.only.iter().filter(|one| matches!(one, Matter::Words(..))).collect();
    let keeps = |one: &&Matter| matches!(one, Matter::Words(_, words) if restrict::says(&topic, words));
    let is_other = !limits.is_empty() && is.only.is_empty() && !limits.iter().any(keeps);
    is_other.then(|| format!("was limited to {}, the new request is about “{topic}”", shown(&limits)))
}

/// What one of two asks for and the other leaves out.
fn left_out(old: &str, new: &str) -> Option<String> {
    let (old_out, new_out) = (excluded(old), excluded(new));
    let wanted = |text: &str, out: &BTreeSet<String>| -> BTreeSet<String> {
        request::subject(text).difference(out).filter(|word| !is_frame(word)).cloned().collect()
    };
    let (old_in, new_in) = (wanted(old, &old_out), wanted(new, &new_out));
    let shared = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.intersection(other).cloned().collect::<Vec<_>>().join(", ")
    };
    let (was_out, was_in) = (shared(&old_out, &new_in), shared(&old_in, &new_out));
    if !was_out.is_empty() {
        Some(format!("left out before, asked for now ({was_out})"))
    } else if !was_in.is_empty() {
        Some(format!("asked for before, left out now ({was_in})"))
    } else {
        None
    }
}

/// The content words that a text leaves out.
fn excluded(text: &str) -> BTreeSet<String> {
    const BEFORE: [&str; 23] = [
        "do not include",
        "don't include",
        "do not mention",
        "don't mention",
        "never mention",
        "never name",
        "without",
        "excluding",
        "exclude",
        "leave out",
        "leaving out",
        "omit",
        "ohne",
        "keine",
        "kein",
        "lasse weg",
        "sans",
        "exclure",
        "sin",
        "excluir",
        "без",
        "不包括",
        "不要",
    ];
    const BEHIND: [&str; 9] = ["제외", "빼고", "없이", "を除", "は除", "を含め", "なしで", "抜きで", "weglassen"];
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for clause in lower.split([',', '.', ';', ':', '!', '?', '\n', '。', '、', '，', '；']) {
        for mark in BEFORE {
            for (at, _) in clause.match_indices(mark) {
                let is_whole = !mark.is_ascii() && !mark.starts_with("без")
                    || !clause[..at].ends_with(char::is_alphanumeric)
                        && !clause[at + mark.len()..].starts_with(char::is_alphanumeric);
                if is_whole {
                    let rest = &clause[at + mark.len()..];
                    let end =
                        [" but ", " aber ", " mais ", " pero ", " но "].iter().filter_map(|word| rest.find(word)).min();
                    found.extend(request::subject(&rest[..end.unwrap_or(rest.len())]));
                }
            }
        }
        for mark in BEHIND {
            for (at, _) in clause.match_indices(mark) {
                // Right before it stands what is meant.
                found.extend(words::content(&clause[..at]).pop());
            }
        }
    }
    found.retain(|word| !is_frame(word));
    found
}

/// The languages that a text asks for.
fn languages(text: &str) -> Vec<&'static str> {
    let lower = text.to_lowercase();
    let mut found: BTreeSet<&'static str> = lower.split(|c: char| !c.is_alphabetic()).filter_map(language_of).collect();
    found.extend(
        LANGUAGES.iter().filter(|(name, _)| !name.is_ascii() && lower.contains(name)).map(|(_, tongue)| *tongue),
    );
    found.into_iter().collect()
}

fn language_of(word: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(name, _)| *name == word).map(|(_, tongue)| *tongue)
}

const LANGUAGES: &[(&str, &str)] = &[
    ("english", "English"),
    ("englisch", "English"),
    ("anglais", "English"),
    ("영어", "English"),
    ("英語", "English"),
    ("英语", "English"),
    ("german", "German"),
    ("deutsch", "German"),
    ("allemand", "German"),
    ("독일어", "German"),
    ("french", "French"),
    ("französisch", "French"),
    ("français", "French"),
    ("spanish", "Spanish"),
    ("spanisch", "Spanish"),
    ("español", "Spanish"),
    ("italian", "Italian"),
    ("italiano", "Italian"),
    ("portuguese", "Portuguese"),
    ("russian", "Russian"),
    ("по-русски", "Russian"),
    ("korean", "Korean"),
    ("koreanisch", "Korean"),
    ("한국어", "Korean"),
    ("japanese", "Japanese"),
    ("日本語", "Japanese"),
    ("일본어", "Japanese"),
    ("chinese", "Chinese"),
    ("中文", "Chinese"),
    ("arabic", "Arabic"),
    ("العربية", "Arabic"),
    ("hindi", "Hindi"),
    ("हिन्दी", "Hindi"),
];

/// How long a text asks something to be: numbers with what they count.
fn lengths(text: &str) -> Vec<(String, &'static str)> {
    let plain: String = super::dates::plain_digits(&text.to_lowercase()).into_iter().collect();
    let mut found = Vec::new();
    let mut number: Option<String> = None;
    for word in plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let digits = word.chars().take_while(char::is_ascii_digit).count();
        let (count, rest) = word.split_at(digits);
        if !count.is_empty() {
            number = Some(count.to_owned());
        }
        let unit = if rest.is_empty() { None } else { unit_of(rest) };
        if let (Some(unit), Some(count)) = (unit, number.as_ref()) {
            found.push((count.clone(), unit));
        }
        if count.is_empty() {
            number = None;
        }
    }
    found
}

fn unit_of(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &str); 6] = [
        ("page pages seite seiten pagina paginas página páginas 쪽 페이지 ページ 页 頁", "page"),
        ("word words wort worte wörter mot mots palabra palabras 단어 語 字", "word"),
        ("sentence sentences satz sätze sätzen phrase phrases 문장 文", "sentence"),
        ("line lines zeile zeilen ligne lignes línea líneas 줄 行", "line"),
        ("paragraph paragraphs absatz absätze absätzen paragraphe paragraphes párrafo párrafos 단락 段落", "paragraph"),
        ("slide slides folie folien diapositive diapositives 슬라이드 スライド", "slide"),
    ];
    let is_of = |list: &str| list.split_whitespace().any(|one| one == word || !one.is_ascii() && word.starts_with(one));
    UNITS.iter().find(|(list, _)| is_of(list)).map(|(_, unit)| *unit)
}

fn numbers(text: &str) -> Vec<String> {
    let found: BTreeSet<String> = super::dates::plain_digits(text)
        .split(|c| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.iter().collect())
        .collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MV-08
    #[test]
    fn instructions_conflict_when_the_subject_is_one_and_the_demand_another() {
        for (old, new, expected) in [
            ("Deliver as Markdown (.md).", "Deliver as HTML (.html).", Some("other forms (Markdown before, HTML now)")),
            ("Compare the sales of 2022", "Compare the sales of 2023", Some("other numbers (2022 before, 2023 now)")),
            ("Compare the sales of 2022", "List the staff of 2023", None),
            ("Compare the sales of 2022", "Compare the sales of 2022", None),
            ("Summary in 3 pages", "Summary in 5 pages", Some("another length (3 pages before, 5 now)")),
            ("매출을 3쪽으로 요약", "매출을 5쪽으로 요약", Some("another length (3 pages before, 5 now)")),
            ("Höchstens 200 Wörter.", "Höchstens 500 Wörter.", Some("another length (200 words before, 500 now)")),
            ("Sales summary with 3 tables", "Sales summary with 5 tables", Some("other numbers (3 before, 5 now)")),
            ("Write in English.", "Write in German.", Some("another language (English before, German now)")),
            ("Write in English.", "Schreibe auf Deutsch.", Some("another language (English before, German now)")),
            (
                "Do not include prices.",
                "Report the prices of the yards.",
                Some("left out before, asked for now (price)"),
            ),
            (
                "Report on yards and prices.",
                "Report on yards without prices.",
                Some("asked for before, left out now (price)"),
            ),
            (
                "Bericht ohne Preise.",
                "Bericht über Preise der Werften.",
                Some("left out before, asked for now (preise)"),
            ),
            ("가격을 제외", "가격을 비교", Some("left out before, asked for now (가격)")),
            ("Be polite.", "Report the prices.", None),
            (
                "Deliver as Markdown.",
                "Report the prices of boats as HTML.",
                Some("other forms (Markdown before, HTML now)"),
            ),
            (
                "Report what is said of yards as Markdown.",
                "Report the prices at yards as HTML.",
                Some("other forms (Markdown before, HTML now)"),
            ),
            ("Report the staff of harbours as Markdown.", "Report the prices of boats as HTML.", None),
            (
                "Report only about Kyoto.",
                "Report only about Osaka.",
                Some("another scope (only “kyoto” before, only “osaka” now)"),
            ),
            (
                "Report only about Kyoto.",
                "Write a report about the temples of Nara.",
                Some("was limited to “kyoto”, the new request is about “The temples of Nara”"),
            ),
            ("Report only about Kyoto.", "Write a report about the temples of Kyoto.", None),
            ("Leave out sales.csv.", "Use only sales.csv.", Some("left out before, asked for now (sale)")),
            ("At most one page.", "At most two pages.", Some("another length")),
        ] {
            let found = conflict(old, new, &[]);
            assert_eq!(found.as_ref().map(|one| one.reason.as_str()), expected, "{old} / {new}");
            assert!(found.is_none_or(|one| one.fate == Fate::Superseded), "{old} / {new}");
        }
    }

    /// MV-08: lists of sources are compared, in whatever language the rule is written.
    #[test]
    fn other_sources_are_a_conflict() {
        let of = |path: &str| format!("Use these sources only: {path}; cite file and line for every statement.");
        let german =
            |path: &str| format!("Verwende nur diese Quellen: {path}; nenne zu jeder Aussage Datei und Zeile.");
        let reason = |old: &str, new: &str| conflict(old, new, &[]).map(|found| found.reason);
        assert_eq!(reason(&of("assets/a.md"), &german("assets/b.md")).as_deref(), Some("other sources"));
        assert_eq!(reason(&of("assets/a.md"), &german("assets/a.md")), None);
        assert_eq!(reason(&of("assets/a.md"), "Report the prices of 2023"), None);
    }

    /// MV-08: what is to hold always, and what is asked for once only, leave the earlier one in force.
    #[test]
    fn some_conflicts_leave_the_earlier_one_standing() {
        for (old, new, fate) in [
            ("Always deliver as Markdown.", "Deliver as HTML.", Fate::Kept),
            ("Always deliver as Markdown.", "Always deliver as HTML.", Fate::Superseded),
            ("Deliver as Markdown.", "This time deliver as HTML.", Fate::Kept),
            ("Write in English.", "Diesmal auf Deutsch schreiben.", Fate::Kept),
            ("Never mention prices.", "Report the prices.", Fate::Superseded),
        ] {
            let found = conflict(old, new, &[]);
            assert_eq!(found.as_ref().map(|one| one.fate), Some(fate), "{old} / {new}: {found:?}");
        }
    }
}
