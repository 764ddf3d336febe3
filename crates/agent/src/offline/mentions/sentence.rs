//! The figures, days, times and names of a sentence, with the words around them.
//!
//! Owns the reading of one sentence or cell. It must not know where it stands.

use std::collections::BTreeSet;

use super::{Around, HEAD, Mention, Taxed, Token, token, value_key, without};
use crate::offline::claims::Said;
use crate::offline::clock;
use crate::offline::dates::{Dated, Period, bare_days, dates, plain_digits};
use crate::offline::figures::{Figure, figures};
use crate::offline::number_words;
use crate::offline::read::{Document, is_record};
use crate::offline::roles::{self, Held};
use crate::offline::sentences::Sentence;
use crate::offline::speech;
use crate::offline::vocabulary::{self, Part};
use crate::offline::words::{self, Script, Word};

/// How near a word must be to say that a figure is a share or a change, or that a year is when something began.
const BESIDE: usize = 3;
const BEGINNING: usize = 6;

/// The words of an office, the nearest first; those of the name itself say nothing of it.
fn office_tokens(all: &[Word], held: &Held) -> Vec<Token> {
    let mut tokens = vec![Token {
        word: held.office.to_owned(),
        shown: words::bare(&all[held.at].text),
        things: vec![held.office],
        near: 1.0,
        is_name: false,
    }];
    for (index, word) in all.iter().enumerate() {
        let distance = index.abs_diff(held.at);
        let is_of_name = held.start <= word.start && word.end <= held.end;
        // "Safety lead": what stands right before an office says of what.
        let near = if index + 1 == held.at { 0.95 } else { 1.0 / (1.0 + 0.4 * distance as f64) };
        if distance > 0
            && !is_of_name
            && let Some(made) = token(word, near)
            && !tokens.iter().any(|known| known.word == made.word)
        {
            tokens.push(Token { is_name: false, ..made });
        }
    }
    tokens.sort_by(|one, other| other.near.total_cmp(&one.near));
    tokens
}

pub(super) fn of_sentence(document: &Document, sentence: &Sentence, above: &Around, found: &mut Vec<Mention>) {
    if !sentence.is_cell && is_record(&sentence.text) || sentence.text.ends_with(['?', '？', '؟']) {
        return;
    }
    let chars = plain_digits(&sentence.text);
    let dated = dates(&chars);
    let days = bare_days(&chars, &dated);
    let counted = counted(document, &chars, &dated, &days);
    let all = words::words(&chars);
    let (years, has_own_years) = years_of(&sentence.text, &dated, above);
    let times: Vec<Dated> = dated.iter().chain(&days).copied().collect();
    let spots: Vec<(usize, usize)> =
        counted.iter().map(|one| (one.start, one.end)).chain(times.iter().map(|one| (one.start, one.end))).collect();
    let is_outside = |word: &&Word| !spots.iter().any(|(from, to)| *from <= word.start && word.end <= *to);
    let outside: Vec<Word> = all.iter().filter(is_outside).cloned().collect();
    let is_open = speech::is_open(&sentence.text, &outside, document.language);
    let made = |said: Said, (start, end): (usize, usize), years: BTreeSet<u16>| {
        let Words { tokens, is_plan, is_share, is_change } =
            around(&chars, &all, &spots, (start, end), matches!(said, Said::Date(_)));
        let is_start = tokens.iter().take(BEGINNING).any(|token| token.things.contains(&"began"));
        if matches!(said, Said::Date(Period::Year(_))) && !is_start {
            return None;
        }
        Some(Mention {
            path: document.path.clone(),
            lines: (sentence.line, sentence.last),
            quote: sentence.text.clone(),
            written: sentence.text.chars().skip(start).take(end - start).collect(),
            said,
            tokens,
            above: above.tokens.clone(),
            has_own_years,
            years,
            language: document.language,
            is_row: false,
            is_newest: true,
            is_plan,
            taxed: taxed(&sentence.text),
            is_open,
            claim: None,
            glossed: above.glossed.clone(),
            is_share,
            is_change,
            beside: BTreeSet::new(),
            passage: above.passage.clone(),
        })
    };
    let begin = found.len();
    for (said, place, tokens) in named(&chars, &all, &spots) {
        let made = made(said, place, BTreeSet::new());
        found.extend(made.map(|made| Mention { tokens: tokens.unwrap_or_else(|| made.tokens.clone()), ..made }));
    }
    for figure in &counted {
        found.extend(made(Said::Value(figure.clone()), (figure.start, figure.end), years.clone()));
    }
    // A day tells an event; a year alone only where something is said to have begun in it.
    for date in times.iter().filter(|date| matches!(date.period, Period::Day(..) | Period::Year(_))) {
        if !sentence.is_cell && (is_of_entry(&chars, &all, date) || is_of_paper(sentence, &chars, date)) {
            continue;
        }
        found.extend(made(Said::Date(date.period), (date.start, date.end), BTreeSet::new()));
    }
    let said = counted.into_iter().map(Said::Value).chain(times.iter().map(|date| Said::Date(date.period)));
    let values: BTreeSet<String> = said.filter_map(|said| value_key(&said)).collect();
    for mention in &mut found[begin..] {
        mention.beside = without(&values, &mention.said);
    }
}

/// The years of a sentence, and whether it says them itself.
fn years_of(text: &str, dated: &[Dated], above: &Around) -> (BTreeSet<u16>, bool) {
    let own: BTreeSet<u16> = dated.iter().map(|date| date.period.year()).collect();
    match (own.is_empty(), above.written) {
        (true, Some(year)) if is_of_last_year(text) => (BTreeSet::from([year - 1]), false),
        (true, _) => (above.years.clone(), false),
        (false, _) => (own, true),
    }
}

/// A name, where it stands, and what it is of, if a word for an office says so.
type Named = (Said, (usize, usize), Option<Vec<Token>>);

/// Who is named: whoever holds an office, and others, who may hold one that no list knows; what stands around decides.
fn named(chars: &[char], all: &[Word], spots: &[(usize, usize)]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for one in roles::held(chars, all) {
        let tokens = office_tokens(all, &one);
        found.push((Said::Name(one.name.into_iter().collect()), (one.start, one.end), Some(tokens)));
    }
    for (start, end, name) in roles::people(chars, all) {
        let is_value = spots.iter().any(|(from, to)| *from < end && start < *to);
        let is_held = found.iter().any(|(_, (from, to), _)| *from < end && start < *to);
        if !is_held && !is_value {
            found.push((Said::Name(name.into_iter().collect()), (start, end), None));
        }
    }
    found
}

/// The figures of a sentence in digits and in words, in their order; what is part of a date is none.
pub(super) fn counted(document: &Document, chars: &[char], dated: &[Dated], days: &[Dated]) -> Vec<Figure> {
    let mut counted = clock::clocks(chars);
    counted.extend(phones(chars));
    let is_free = |one: &Figure, known: &[Figure]| !known.iter().any(|two| two.start < one.end && one.start < two.end);
    let written: Vec<Figure> = figures(chars, dated, document.decimal());
    let written: Vec<Figure> = written.into_iter().filter(|one| is_free(one, &counted)).collect();
    counted.extend(written);
    let spelled = number_words::figures(chars, dated, document.language, number_words::Reading::Generous);
    let is_new = |one: &Figure, known: &[Figure]| !known.iter().any(|two| two.start < one.end && one.start < two.end);
    let spelled: Vec<Figure> = spelled.into_iter().filter(|one| is_new(one, &counted)).collect();
    counted.extend(spelled);
    counted.sort_by_key(|figure| figure.start);
    let mut counted = joined(chars, counted);
    counted.retain(|one| !days.iter().any(|day| day.start < one.end && one.start < day.end));
    counted.sort_by_key(|figure| figure.start);
    counted
}

/// `two hours ten minutes`, `dix-huit hectares et soixante ares`: two figures of one kind side by side are one.
fn joined(chars: &[char], counted: Vec<Figure>) -> Vec<Figure> {
    const LINKS: [&str; 9] = [" ", " et ", " and ", " und ", " e ", " y ", " en ", " i ", ""];
    let mut found: Vec<Figure> = Vec::new();
    for figure in counted {
        if let Some(last) = found.last_mut()
            && !figure.unit.is_empty()
            && figure.unit == last.unit
            && matches!(figure.unit.as_str(), "m²" | "m" | "s" | "month" | "kg" | "l")
            && figure.high * 4.0 < last.low
            && last.end <= figure.start
            && LINKS.contains(&chars[last.end..figure.start].iter().collect::<String>().as_str())
        {
            let (sum, half) =
                (f64::midpoint(last.low, last.high) + f64::midpoint(figure.low, figure.high), figure.high - figure.low);
            (last.low, last.high, last.end) = (sum - half / 2.0, sum + half / 2.0, figure.end);
            continue;
        }
        found.push(figure);
    }
    found
}

/// The unit of a telephone number.
pub(crate) const PHONE: &str = "(phone)";

/// Telephone numbers behind a word that says so.
fn phones(chars: &[char]) -> Vec<Figure> {
    const MARKS: [&str; 18] = [
        "phone",
        "tel",
        "tel.",
        "telefon",
        "téléphone",
        "tél",
        "teléfono",
        "telefono",
        "telefone",
        "fax",
        "mobil",
        "mobile",
        "hotline",
        "call",
        "rufnummer",
        "電話",
        "전화",
        "电话",
    ];
    let mut found: Vec<Figure> = Vec::new();
    for word in words::words(chars) {
        let lower = word.text.to_lowercase();
        if !MARKS.iter().any(|mark| lower == *mark || !mark.is_ascii() && lower.ends_with(mark)) {
            continue;
        }
        let is_part = |c: &char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '/' | '(' | ')' | '+' | '.');
        let is_gap = |c: &char| matches!(c, ' ' | ':' | '.' | '：' | '番' | '号');
        let Some(start) = (word.end..chars.len()).find(|at| !is_gap(&chars[*at])) else { continue };
        let mut end = (start..chars.len()).find(|at| !is_part(&chars[*at])).unwrap_or(chars.len());
        while end > start && !chars[end - 1].is_ascii_digit() {
            end -= 1;
        }
        let digits: String = chars[start..end].iter().filter(|c| c.is_ascii_digit()).collect();
        if let (6..=15, Ok(value)) = (digits.len(), digits.parse::<f64>()) {
            found.push(Figure { start, end, low: value, high: value, unit: PHONE.to_owned() });
        }
    }
    found
}

/// What a sentence or a row says of the tax; nothing where it speaks of both.
pub(super) fn taxed(text: &str) -> Option<Taxed> {
    const NET: [&str; 19] = [
        "iva excluido",
        "iva excluida",
        "iva no incluido",
        "senza iva ",
        "zzgl",
        "excl. btw",
        "bez vat",
        "before vat",
        "excluding vat",
        "excl. vat",
        "ex vat",
        "netto",
        "hors taxe",
        " ht",
        "sin iva",
        "iva esclusa",
        "senza iva",
        "sem iva",
        "税抜",
    ];
    const GROSS: [&str; 20] = [
        "消費税を含",
        "税込み",
        "inkl. mwst",
        "incl. btw",
        "z vat",
        "tva comprise",
        "including vat",
        "incl. vat",
        "inc vat",
        "with vat",
        "brutto",
        "ttc",
        "toutes taxes",
        "iva incluido",
        "con iva",
        "iva inclusa",
        "iva compresa",
        "com iva",
        "税込",
        "부가세 포함",
    ];
    let lower = text.to_lowercase();
    let has = |marks: &[&str]| marks.iter().any(|mark| lower.contains(mark));
    match (has(&NET), has(&GROSS)) {
        (true, false) => Some(Taxed::Net),
        (false, true) => Some(Taxed::Gross),
        _ => None,
    }
}

/// Whether a sentence speaks of the year before the one it was written in.
fn is_of_last_year(text: &str) -> bool {
    const LAST: [&str; 16] = [
        "last year",
        "letztes jahr",
        "letzten jahr",
        "vergangenen jahr",
        "vorjahr",
        "l'an dernier",
        "l’an dernier",
        "l'année dernière",
        "año pasado",
        "anno scorso",
        "ano passado",
        "прошлом году",
        "العام الماضي",
        "지난해",
        "昨年",
        "去年",
    ];
    let lower = text.to_lowercase();
    LAST.iter().any(|words| lower.contains(words)) || lower.contains("작년")
}

/// Whether a date at the beginning of a source says when it was written, or of which meeting it is.
fn is_of_paper(sentence: &Sentence, chars: &[char], date: &Dated) -> bool {
    let line = sentence.line_at(date.start);
    let is_labelled = chars[..date.start].iter().any(|c| matches!(c, ':' | '：'));
    line == 1 || line <= HEAD && (!is_ended(chars) || is_labelled)
}

fn is_ended(chars: &[char]) -> bool {
    chars.iter().rev().find(|c| !c.is_whitespace()).is_some_and(|c| matches!(c, '.' | '!' | '。' | '।' | '۔' | ';'))
}

/// Whether a date only heads what follows, or says when a paper was written: nothing but a weekday before it and a dash
/// behind, or a line that is no sentence and has little else.
fn is_of_entry(chars: &[char], all: &[Word], date: &Dated) -> bool {
    let before = all.iter().filter(|word| word.end <= date.start).count();
    let behind = chars[date.end..].iter().find(|c| !c.is_whitespace() && **c != '*' && **c != ')');
    let is_head = before <= 1 && behind.is_none_or(|c| matches!(c, '–' | '—' | '-' | ':' | '：'));
    let is_ended = is_ended(chars);
    let is_last = date.end == chars.len();
    let rest = all.iter().filter(|word| word.end <= date.start || word.start >= date.end).count();
    is_head || (is_last && !is_ended && rest <= 5)
}

/// The words around a figure, and what they say of it.
struct Words {
    tokens: Vec<Token>,
    is_plan: bool,
    is_share: bool,
    is_change: bool,
}

/// The words that may say what a figure is of, with their nearness, and whether it is only planned, a share, or how much
/// something changed.
fn around(
    chars: &[char],
    all: &[Word],
    spots: &[(usize, usize)],
    (start, end): (usize, usize),
    is_date: bool,
) -> Words {
    let is_value = |word: &&Word| spots.iter().any(|(from, to)| word.start < *to && *from < word.end);
    let between = |from: usize, to: usize| spots.iter().filter(|(one, two)| *one >= from && *two <= to).count();
    let ahead: Vec<&Word> = all.iter().filter(|word| word.end <= start).rev().filter(|word| !is_value(word)).collect();
    // In 四十一万二千冊 the figure and what it counts are one run of signs.
    let rest = all.iter().find(|word| word.start < end && end < word.end && word.script == Script::Han).map(|word| {
        Word { start: end, end: word.end, text: chars[end..word.end].iter().collect(), script: word.script }
    });
    let behind = rest.iter().chain(all.iter().filter(|word| word.start >= end));
    let behind: Vec<&Word> = behind.filter(|word| word.start >= end && !is_part_of(word, spots, end)).collect();
    let (mut is_plan, mut is_share, mut is_change) = (false, false, false);
    let mut tokens: Vec<Token> = Vec::new();
    for (words, is_behind) in [(behind, true), (ahead, false)] {
        let mut distance = 0.0;
        for (index, word) in words.into_iter().enumerate() {
            let lower = word.text.to_lowercase();
            let key = words::key(word);
            let part = vocabulary::part(key.as_deref().unwrap_or(&lower), &lower);
            let is_beside = index < if is_behind { BESIDE - 1 } else { BESIDE };
            // What stands behind a comma is said of something else.
            let gap = if is_behind { end..word.start } else { word.end..start };
            let is_cut =
                chars.get(gap).is_some_and(|gap| gap.iter().any(|c| matches!(c, ',' | ';' | '(' | '、' | '،')));
            let crossed = if is_behind { between(end, word.start) } else { between(word.end, start) };
            match part {
                Part::Share | Part::Change(_)
                    if is_beside && !is_cut && crossed == 0 && !is_date && !is_each(&lower) =>
                {
                    is_share |= matches!(part, Part::Share);
                    is_change |= matches!(part, Part::Change(_));
                }
                Part::Plan => is_plan |= crossed == 0,
                _ => {}
            }
            // What stands beyond another figure is more likely of that one.
            let far = distance + crossed as f64 * if is_behind { 4.0 } else { 1.5 };
            if let Some(made) = token(word, 1.0 / (1.0 + 0.25 * far)) {
                if !tokens.iter().any(|known| known.word == made.word) {
                    tokens.push(made);
                }
                distance += 1.0;
            }
        }
    }
    tokens.sort_by(|one, other| other.near.total_cmp(&one.near));
    Words { tokens, is_plan, is_share, is_change }
}

/// Whether a word is part of a figure that begins behind a place.
fn is_part_of(word: &Word, spots: &[(usize, usize)], from: usize) -> bool {
    spots.iter().any(|(start, end)| *start >= from && word.start < *end && *start < word.end)
}

/// Words that say what a price is for, where the others say that a figure is a share.
fn is_each(lower: &str) -> bool {
    matches!(lower, "per" | "pro" | "par" | "por" | "je" | "each" | "apiece" | "cada" | "chaque" | "every")
}
