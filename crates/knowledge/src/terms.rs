//! A text as terms that can be compared. Words end where Unicode says; scripts that are written without blanks, or whose
//! words carry their grammar with them, become pairs of letters. Case, accents and ways of encoding make no difference.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::plain_words::{ASKING_PARTS, is_asking, is_binding};

/// How much of a text counts, in bytes: what a request is about is said at its beginning.
pub const TEXT_BYTES: usize = 16 * 1024;

/// The longest word that is told apart from others with the same beginning, in letters.
const WORD_LETTERS: usize = 40;
/// How many letters of a longer word stand for all of its forms.
const STEM_LETTERS: usize = 5;

/// What words by which anything may be asked for count.
const ASKING: f64 = 0.02;
/// What a longer word counts, what its stem counts beside it, and what its letters three by three count together: in many
/// languages a word comes back in another form, as part of a longer one, or misspelt.
const STEMMED: f64 = 0.4;
const GRAMS: f64 = 0.2;
/// What begins the text of three letters, so that they are no word.
pub(crate) const GRAM: char = '·';

/// A term of a text, with its place among the terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// What is compared. A stem ends with `…`, so that it is no word.
    pub text: String,
    /// How much it counts, from 0 to 1.
    pub weight: f64,
    /// The run of pairs that it belongs to, if it is one: pairs that follow each other overlap.
    pub run: Option<usize>,
}

/// The terms of a text, in order.
pub fn terms(text: &str) -> Vec<Term> {
    let folded = fold(beginning(text));
    let mut found = cut(&folded, Binding::Skipped, Detail::Letters);
    if found.is_empty() {
        // A text of nothing but small words is still like itself.
        found = cut(&folded, Binding::Counted, Detail::Letters);
    }
    found
}

/// The terms by which a text is looked for: words and their stems, or pairs of letters. Words by which one asks for
/// something count like others: a file may well be a report.
pub(crate) fn search_terms(text: &str) -> Vec<Term> {
    // Names are written with these between their words.
    let parted = beginning(text).replace(['_', '-', '.', '/', '\\', ':'], " ");
    let mut found = cut(&fold(&parted), Binding::Skipped, Detail::Words);
    for term in &mut found {
        term.weight = if term.text.ends_with('…') { STEMMED } else { 1.0 };
    }
    found
}

/// One spelling for what is the same.
pub(crate) fn folded(text: &str) -> String {
    fold(text)
}

/// How finely words are taken apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Words and stems.
    Words,
    /// Their letters three by three, too.
    Letters,
}

/// What becomes of words that hold sentences together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Skipped,
    Counted,
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// One spelling for what is the same: no case, no accents, one way of encoding.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut before = ' ';
    let is_letter = |letter: &char| {
        // Over some Cyrillic letters a mark makes another letter, not an accent.
        let is_accent = matches!(letter, '\u{300}'..='\u{36f}') && !matches!(before, 'и' | 'И' | 'у' | 'У' | 'і' | 'І');
        before = *letter;
        !is_accent
    };
    let bare = text.nfkd().filter(is_letter).nfc();
    let mut folded = String::with_capacity(text.len());
    for letter in bare.flat_map(char::to_lowercase) {
        match letter {
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'ё' => folded.push('е'),
            // The vowel signs of Arabic and Hebrew are left out by most writers, and stretching means nothing.
            '\u{640}' | '\u{64b}'..='\u{652}' | '\u{591}'..='\u{5c7}' => {}
            letter => folded.push(letter),
        }
    }
    folded
}

fn cut(text: &str, binding: Binding, detail: Detail) -> Vec<Term> {
    let mut found = Vec::new();
    let mut pairs: Vec<&str> = Vec::new();
    let (mut end, mut run) = (0, 0);
    for (at, word) in text.unicode_word_indices() {
        for (offset, part, is_paired) in parts(word) {
            let at = at + offset;
            if !is_paired || at != end {
                flush(&mut found, &mut pairs, &mut run);
            }
            match is_paired {
                true => pairs.extend(part.graphemes(true)),
                false => add_word(&mut found, part, binding, detail),
            }
            end = at + part.len();
        }
    }
    flush(&mut found, &mut pairs, &mut run);
    found
}

/// A word in parts that are either all of letters that pair up, or none.
fn parts(word: &str) -> Vec<(usize, &str, bool)> {
    if word.is_ascii() {
        return vec![(0, word, false)];
    }
    let mut parts: Vec<(usize, &str, bool)> = Vec::new();
    for (at, cluster) in word.grapheme_indices(true) {
        let is_paired = cluster.chars().next().is_some_and(pairs_up);
        match parts.last_mut() {
            Some((start, part, same)) if *same == is_paired => *part = &word[*start..at + cluster.len()],
            _ => parts.push((at, cluster, is_paired)),
        }
    }
    parts
}

/// Whether a letter is of a script without blanks between words, or of Hangul, whose words end in particles.
fn pairs_up(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1100}'..='\u{11ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3100}'..='\u{318f}' | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a000}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn add_word(found: &mut Vec<Term>, word: &str, binding: Binding, detail: Detail) {
    let word: String = word.trim_end_matches("'s").trim_end_matches("’s").chars().take(WORD_LETTERS).collect();
    if binding == Binding::Skipped && (is_binding(&word) || word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase())
    {
        return;
    }
    let word = singular(word);
    let mut weight = if is_asking(&word) { ASKING } else { 1.0 };
    let is_number = word.starts_with(char::is_numeric);
    if !is_number && weight == 1.0 && word.chars().count() >= STEM_LETTERS {
        weight = STEMMED;
        let stem = word.chars().take(STEM_LETTERS).chain(['…']).collect();
        found.push(Term { text: stem, weight, run: None });
        if detail == Detail::Letters {
            grams(found, &word);
        }
    }
    found.push(Term { text: word, weight, run: None });
}

/// The letters of a word three by three.
fn grams(found: &mut Vec<Term>, word: &str) {
    let letters: Vec<char> = word.chars().collect();
    let count = letters.len().saturating_sub(2).max(1);
    for three in letters.windows(3) {
        let text = std::iter::once(GRAM).chain(three.iter().copied()).collect();
        found.push(Term { text, weight: GRAMS / count as f64, run: None });
    }
}

/// A word of the Latin script without the ending that most often makes it many.
fn singular(mut word: String) -> String {
    let is_long = word.len() > 3 && word.is_ascii();
    if is_long && word.ends_with("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if is_long && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")
    {
        word.truncate(word.len() - 1);
    }
    word
}

/// Turns letters that follow each other into pairs; a single one stands alone.
fn flush(found: &mut Vec<Term>, letters: &mut Vec<&str>, run: &mut usize) {
    if letters.is_empty() {
        return;
    }
    let all = letters.concat();
    let asks = asking_letters(&all, letters);
    if let [only] = letters.as_slice() {
        found.push(Term { text: (*only).to_owned(), weight: 1.0, run: Some(*run) });
    }
    for (at, pair) in letters.windows(2).enumerate() {
        let weight = if asks[at] || asks[at + 1] { ASKING } else { 1.0 };
        found.push(Term { text: pair.concat(), weight, run: Some(*run) });
    }
    letters.clear();
    *run += 1;
}

/// Which letters belong to words by which one asks for something.
fn asking_letters(all: &str, letters: &[&str]) -> Vec<bool> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for part in ASKING_PARTS {
        spans.extend(all.match_indices(part).map(|(at, _)| (at, at + part.len())));
    }
    let mut at = 0;
    letters
        .iter()
        .map(|letter| {
            let (start, end) = (at, at + letter.len());
            at = end;
            spans.iter().any(|(first, last)| *first <= start && end <= *last)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found: Vec<String> =
            terms(text).into_iter().map(|term| term.text).filter(|term| !term.starts_with(GRAM)).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    /// MV-05
    #[test]
    fn any_script_becomes_terms() {
        check("The yards' prices, per ton!", "yard price… price ton");
        check("Straße der Werften", "stras… strasse werft… werften");
        check("Análisis de las ventas en España", "analisis venta… venta espan… espana");
        check("Отчёт о продажах за 2023", "отчет прода… продажах 2023");
        check("매출을 비교", "매출 출을 비교");
        check("売上の推移", "売上 上の の推 推移");
        check("ราคาเรือ", "รา าค คา าเ เรื รือ");
        check("مبيعات السُفن", "مبيعا… مبيعات السفن… السفن");
        check("हिन्दी में बिक्री", "हिन्द… हिन्दी बिक्र… बिक्री");
        check("AI보고서", "ai 보고 고서");
        check("ＡＢＣ　社", "abc 社");
        check("", "");
        check("🙂 — !!", "");
    }

    #[test]
    fn the_same_in_another_encoding_is_the_same() {
        let same = |one: &str, other: &str| assert_eq!(terms(one), terms(other), "{one} / {other}");
        same("Präsentation", "PRA\u{308}SENTATION");
        same("보고서", &"보고서".nfd().collect::<String>());
        same("ΟΔΟΣ", "οδος");
        same("reports", "report's");
    }

    #[test]
    fn what_only_asks_counts_less_and_what_only_binds_does_not_count() {
        let weight = |text: &str, term: &str| terms(text).iter().find(|one| one.text == term).map(|one| one.weight);
        assert_eq!(weight("a report of yards", "report"), Some(ASKING));
        assert_eq!(weight("a report of yards", "yard"), Some(1.0));
        assert_eq!(weight("a report of yards", "of"), None);
        assert_eq!(weight("매출 보고서", "보고"), Some(ASKING));
        assert_eq!(weight("to be or not to be", "be"), Some(1.0));
    }

    /// QL-25: no text breaks it, whatever letters stand beside each other.
    #[test]
    fn every_letter_of_unicode_can_stand_in_a_request() {
        for start in (0..0x0011_0000_u32).step_by(29) {
            let text: String = (0..40).filter_map(|step| char::from_u32(start + step * (start % 7 + 1))).collect();
            let found = terms(&text);
            assert!(found.iter().all(|term| !term.text.is_empty() && term.weight > 0.0), "{text:?}");
        }
    }

    #[test]
    fn a_very_long_text_counts_with_its_beginning() {
        let long = "é".repeat(TEXT_BYTES);
        assert!(terms(&long).iter().all(|term| term.text.len() <= 4 * WORD_LETTERS));
        assert!(terms(&format!("{}yard", "a ".repeat(TEXT_BYTES))).iter().all(|term| term.text != "yard"));
    }
}
