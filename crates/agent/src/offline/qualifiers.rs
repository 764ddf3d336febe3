//! Small words that change what a figure is of: at the start or at the end, before or after tax, the first or the second.
//!
//! Owns these words and the rule by which two claims with other ones are not about the same. It prefers silence: where
//! only one claim has such a word, they count as different, unless the word usually adds nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{self, Word};

/// What stands at a place of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    Word,
    Figure,
    Date,
}

/// The marks of the words in a range, each as its dimension and what is said in it.
pub(crate) fn marks(words: &[Word], range: &Range<usize>, stands: &dyn Fn(usize) -> Stands) -> BTreeSet<String> {
    let lowers: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let mut found = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        if !range.contains(&word.start) || stands(word.start) != Stands::Word {
            continue;
        }
        // Articles between a preposition and what it belongs to say nothing.
        let next = (index + 1..words.len()).find(|at| !ARTICLES.contains(&lowers[*at].as_str()));
        let follows = next.map_or("", |at| lowers[at].as_str());
        let kind = next.map(|at| stands(words[at].start));
        let before = index.checked_sub(1).map_or("", |at| lowers[at].as_str());
        found.extend(mark(&lowers[index], before, follows, kind));
        found.extend(way(&lowers[index], next.map(|at| &words[at]), kind));
    }
    found
}

/// Whether two sets of marks say that two claims are not about the same.
pub(crate) fn differ(first: &BTreeSet<String>, second: &BTreeSet<String>) -> bool {
    let tells_apart = |mark: &str, others: &BTreeSet<String>| {
        let dimension = mark.split_once(':').map_or(mark, |(dimension, _)| dimension);
        let is_answered = others.iter().any(|other| other.split_once(':').is_some_and(|(own, _)| own == dimension));
        is_answered || !(TOLERATED.contains(&mark) || dimension.starts_with("way "))
    };
    first.difference(second).any(|mark| tells_apart(mark, second))
        || second.difference(first).any(|mark| tells_apart(mark, first))
}

/// Whether two names stand in one order here and in the other there: who owes whom, from where to where.
pub(crate) fn is_turned(first: &[String], second: &[String]) -> bool {
    let places: Vec<usize> = first.iter().filter_map(|name| second.iter().position(|other| other == name)).collect();
    places.windows(2).any(|pair| pair[0] > pair[1])
}

/// Whether the same words stand around the same middle, the first here where the last stands there.
pub(crate) fn is_swapped(first: &[String], second: &[String]) -> bool {
    let lower = |words: &[String]| words.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>();
    match (lower(first).as_slice(), lower(second).as_slice()) {
        ([one, middle @ .., two], [three, between @ .., four]) => {
            !middle.is_empty() && middle == between && one == four && two == three && one != two
        }
        _ => false,
    }
}

/// Numbers that say which one, in scripts without spaces: 第2期, 2차, 3号.
pub(crate) fn numbered(chars: &[char], range: &Range<usize>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for at in range.clone().filter(|at| chars[*at].is_ascii_digit()) {
        let end = (at..chars.len()).find(|index| !chars[*index].is_ascii_digit()).unwrap_or(chars.len());
        if is_numbering(chars, at, end) {
            found.insert(format!("ordinal:{}", chars[at..end].iter().collect::<String>()));
        }
    }
    found
}

/// Whether digits from one place to another only say which one is meant.
pub(crate) fn is_numbering(chars: &[char], at: usize, end: usize) -> bool {
    let before = at.checked_sub(1).map(|index| chars[index]);
    let is_first = before.is_none_or(|c| !c.is_ascii_digit() && !matches!(c, '.' | ','));
    is_first && (matches!(before, Some('第' | '제')) || matches!(chars.get(end), Some('차' | '호' | '号' | '號')))
}

/// Marks that may be missing on the other side: a year's figure is often that of its end.
const TOLERATED: [&str; 4] = ["edge:end", "edge:late", "with:with", "side:for"];
const ARTICLES: [&str; 20] = [
    "the", "a", "an", "der", "die", "das", "dem", "den", "le", "la", "les", "l", "el", "los", "las", "il", "its",
    "their", "his", "her",
];

fn mark(lower: &str, before: &str, follows: &str, kind: Option<Stands>) -> Option<String> {
    let is_dated = kind == Some(Stands::Date);
    let is_counted = kind == Some(Stands::Figure);
    if let Some(number) = ordinal(lower) {
        let is_time = ["time", "times", "mal", "fois", "vez", "raz", "kez", "opened", "founded", "built", "published"]
            .contains(&follows);
        return (!is_time).then(|| format!("ordinal:{number}"));
    }
    if let Some(mark) = relative(lower, before, follows) {
        return Some(mark);
    }
    let made = match lower {
        "before" | "vor" | "avant" | "antes" | "prima" | "перед" | "przed" if !is_counted => "order:before",
        "after" | "nach" | "après" | "después" | "dopo" | "после" | "po" if !is_counted && follows != "angaben" => {
            "order:after"
        }
        "until" | "till" | "bis" | "jusqu" | "jusqu'en" | "hasta" | "fino" | "до" if is_dated => "time:until",
        "from" | "since" | "ab" | "seit" | "depuis" | "desde" | "dal" | "с" | "od" if is_dated => "time:from",
        "beginning" | "start" | "outset" | "opening" if follows == "of" || is_dated => "edge:start",
        "anfang" | "début" | "principios" | "inicios" | "inicio" | "başında" | "początku" => "edge:start",
        "end" | "close" if follows == "of" || is_dated => "edge:end",
        "ende" | "fin" | "finales" | "sonunda" | "koniec" | "końcu" | "year-end" => "edge:end",
        "early" => "edge:early",
        "late" if follows != "fees" => "edge:late",
        "mid" | "mitte" | "mediados" => "edge:mid",
        "without" | "sans" | "sin" | "без" | "bez" | "ohne" => "with:without",
        "with" | "avec" | "mit" if !is_counted && kind.is_some() => "with:with",
        "against" if !is_counted && !is_dated => "side:against",
        "for" if !is_counted && !is_dated => "side:for",
        // So many metres above the sea is a height.
        "above" | "below" | "under" | "beneath" | "inside" | "outside" | "behind" | "beyond"
            if !is_counted && !is_dated && follows != "sea" =>
        {
            return Some(format!("place:{lower}"));
        }
        _ => return None,
    };
    Some(made.to_owned())
}

/// `from Lund`, `to Lund`, `by Lund`: which way it goes with a word.
fn way(lower: &str, next: Option<&Word>, kind: Option<Stands>) -> Option<String> {
    let is_way = matches!(lower, "from" | "to" | "into" | "by") && kind == Some(Stands::Word);
    let key = next.filter(|_| is_way).and_then(words::key)?;
    Some(format!("way {key}:{}", if lower == "into" { "to" } else { lower }))
}

/// `last year`, `this year`: a time that only the day of writing makes a date.
fn relative(lower: &str, before: &str, follows: &str) -> Option<String> {
    const STRETCHES: &str = " year month week season quarter summer winter spring autumn term decade jahr jahres monat monats woche saison quartal année an mois semaine año mes semana anno mese году месяце roku miesiącu yıl ";
    let is_stretch = |word: &str| !word.is_empty() && STRETCHES.contains(&format!(" {word} "));
    let time = match lower {
        "last" | "previous" | "past" | "letztes" | "letzten" | "letzte" | "vergangenes" | "vergangenen" | "voriges"
        | "vorigen" | "прошлом" | "ubiegłym" | "zeszłym" | "geçen"
            if is_stretch(follows) =>
        {
            "last"
        }
        "this" | "current" | "dieses" | "diesem" | "dieser" | "cette" | "ce" | "este" | "esta" | "questo" | "этом"
        | "tym" | "bu"
            if is_stretch(follows) =>
        {
            "this"
        }
        "next" | "coming" | "following" | "nächstes" | "nächsten" | "kommendes" | "próximo" | "следующем"
            if is_stretch(follows) =>
        {
            "next"
        }
        "dernier" | "dernière" | "passé" | "passée" | "pasado" | "pasada" | "scorso" | "passado"
            if is_stretch(before.rsplit(['\'', '’']).next().unwrap_or(before)) =>
        {
            "last"
        }
        "yesterday" | "gestern" | "hier" | "ayer" | "вчера" | "dün" | "wczoraj" => "yesterday",
        "tomorrow" | "morgen" | "demain" | "mañana" | "завтра" | "yarın" | "jutro" => "tomorrow",
        _ => {
            const WHOLE: [(&str, &str); 10] = [
                ("작년", "last"),
                ("지난해", "last"),
                ("올해", "this"),
                ("금년", "this"),
                ("내년", "next"),
                ("昨年", "last"),
                ("去年", "last"),
                ("今年", "this"),
                ("来年", "next"),
                ("明年", "next"),
            ];
            WHOLE.iter().find(|(word, _)| lower.starts_with(word))?.1
        }
    };
    Some(format!("when:{time}"))
}

fn ordinal(lower: &str) -> Option<usize> {
    const ORDINALS: [&str; 10] = [
        "first erste ersten erster erstes premier première primer primera primero primo prima первый первая первое первом первой pierwszy pierwsza pierwsze pierwszym birinci ilk 첫",
        "second zweite zweiten zweiter zweites deuxième seconde segundo segunda secondo seconda второй вторая второе втором drugi druga drugie drugim ikinci 두번째",
        "third dritte dritten dritter drittes troisième tercer tercera tercero terzo terza третий третья третье третьем trzeci trzecia trzecie trzecim üçüncü 세번째",
        "fourth vierte vierten vierter viertes quatrième cuarto cuarta четвертый четвёртый czwarty czwarta dördüncü",
        "fifth fünfte fünften fünfter fünftes cinquième quinto quinta пятый piąty piąta beşinci",
        "sixth sechste sechsten sixième sexto sexta шестой szósty altıncı",
        "seventh siebte siebten septième séptimo séptima седьмой siódmy yedinci",
        "eighth achte achten huitième octavo octava восьмой ósmy sekizinci",
        "ninth neunte neunten neuvième noveno novena девятый dziewiąty dokuzuncu",
        "tenth zehnte zehnten dixième décimo décima десятый dziesiąty onuncu",
    ];
    ORDINALS.iter().position(|list| list.split(' ').any(|known| known == lower)).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> BTreeSet<String> {
        let chars: Vec<char> = text.chars().collect();
        let words = words::words(&chars);
        let stands = |at: usize| if chars[at].is_ascii_digit() { Stands::Figure } else { Stands::Word };
        marks(&words, &(0..chars.len()), &stands)
    }

    #[test]
    fn contrary_small_words_tell_claims_apart() {
        for (first, second) in [
            ("at the start of the year", "at the end of the year"),
            ("30 before tax", "36 after tax"),
            ("30 with discount", "36 without discount"),
            ("the first phase", "the second phase"),
            ("the first phase", "the phase"),
            ("cows last year", "cows this year"),
            ("the way from Lund", "the way to Lund"),
            ("40 voted for it", "30 voted against it"),
        ] {
            assert!(differ(&of(first), &of(second)), "{first} / {second}");
        }
    }

    #[test]
    fn what_adds_nothing_may_be_missing() {
        for (first, second) in [
            ("at the end of the year", "in the year"),
            ("a town with walls", "a walled town"),
            ("for the first time", "at last"),
            ("rose after 15", "rose"),
        ] {
            assert!(!differ(&of(first), &of(second)), "{first} / {second}");
        }
    }
}
