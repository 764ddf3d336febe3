//! Contradictions: claims about the same thing, in the same unit, for the same period, whose values do not meet.
//!
//! Owns the comparison. It must not know where claims come from. What it finds is said with both places, never judged.

use std::collections::{BTreeMap, BTreeSet};

use super::alike;
use super::around::{compete, is_row_of_other};
use super::claims::{Claim, Said, Subject};
use super::dates::Period;
use super::limits;
use super::qualifiers;
use super::same_time;
use super::units;
use super::vocabulary;
use super::words::Language;

/// Two claims that cannot both be true.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contradiction {
    pub(crate) first: Claim,
    pub(crate) second: Claim,
    /// Further places that say the one or the other.
    pub(crate) also: Vec<Claim>,
}

/// What the comparison came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Compared {
    pub(crate) found: Vec<Contradiction>,
    pub(crate) extent: Extent,
}

/// Whether all claims that share a word were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    #[default]
    All,
    Part,
}

/// All pairs of claims that contradict each other, each pair of values once, in the order of the sources.
pub(crate) fn contradictions(claims: &[Claim]) -> Compared {
    let mut extent = if claims.len() > limits::CLAIMS { Extent::Part } else { Extent::All };
    let claims = &claims[..claims.len().min(limits::CLAIMS)];
    let newest = same_time::newest(claims);
    let mut alike: BTreeMap<(&str, Option<Period>, &str), Vec<usize>> = BTreeMap::new();
    for (index, claim) in claims.iter().enumerate() {
        let unit = match &claim.said {
            Said::Value(figure) => figure.unit.as_str(),
            Said::Date(_) => "(date)",
            Said::Name(_) => "(name)",
        };
        // "In 2024 produjo 162 GWh": what names nothing is of what stands around it.
        let words = if claim.subject.words.is_empty() { &claim.place.words } else { &claim.subject.words };
        for word in words {
            alike.entry((unit, claim.period, word)).or_default().push(index);
            // A table of years tells its own times.
            if claim.period.is_some() && !claim.is_dated_row() && same_time::is_open(claim, newest) {
                alike.entry((unit, None, word)).or_default().push(index);
            }
        }
    }
    // The rarest words first: if there are too many pairs, those that are least likely to be alike are left out.
    let mut lists: Vec<&Vec<usize>> = alike.values().filter(|list| list.len() > 1).collect();
    lists.sort_by_key(|list| list.len());
    let mut left = limits::COMPARISONS;
    let mut pairs = BTreeSet::new();
    for list in lists {
        for (position, first) in list.iter().enumerate() {
            let others = &list[position + 1..];
            if others.len() > left || pairs.len() > limits::CONTRADICTIONS * limits::CONTRADICTIONS {
                extent = Extent::Part;
                break;
            }
            left -= others.len();
            let apart = others.iter().filter(|second| contradict(&claims[*first], &claims[**second], newest));
            pairs.extend(apart.map(|second| (*first, *second)));
        }
    }
    Compared { found: once(claims, &pairs), extent }
}

fn contradict(first: &Claim, second: &Claim, newest: Option<u16>) -> bool {
    let apart = match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => !one.agrees(*other),
        _ => false,
    };
    // Two columns of one row, two figures of one sentence, two sentences in one line that name things differently: whoever
    // wrote them side by side meant two things.
    let is_beside = first.path == second.path && first.lines == second.lines;
    if is_beside && (first.quote == second.quote || first.subject.words != second.subject.words) {
        return false;
    }
    // Two rows of a table, two entries of a diary: one document says such things of several, each time of another. Only
    // where both name one thing in so many words does it contradict itself.
    let is_one_name = !first.subject.names.is_empty() && first.subject.names == second.subject.names;
    if first.path == second.path && (first.is_row != second.is_row || !is_one_name) {
        return false;
    }
    apart && same_time::may_be_one(first, second, newest) && same_thing(first, second)
}

/// Whether two claims are about the same: what one says and the other does not must stand around the other, or be a
/// word that tells nothing apart.
fn same_thing(first: &Claim, second: &Claim) -> bool {
    if !may_be_one_action(&first.subject, &second.subject) {
        return false;
    }
    // "412 were enrolled", "371 withdrew": other deeds, other counts.
    if !may_be_one_deed(first, second) {
        return false;
    }
    if qualifiers::differ(&first.subject.marks, &second.subject.marks)
        || qualifiers::is_turned(&first.subject.order, &second.subject.order)
        || qualifiers::is_swapped(&first.subject.shown, &second.subject.shown)
    {
        return false;
    }
    if is_row_of_other(first, second) || is_row_of_other(second, first) {
        return false;
    }
    let (Some(missing_first), Some(missing_second)) = (missing(first, second), missing(second, first)) else {
        return false;
    };
    // The Elm Street library and the Elm Street school are two.
    // So are the Larkfield Zoo and Larkfield Castle in two languages, if both languages speak of zoos.
    let is_known = first.subject.tongues.contains(&second.language) || second.subject.tongues.contains(&first.language);
    if missing_first.has_kind && missing_second.has_kind && (is_known || !is_other_language(first, second)) {
        return false;
    }
    let (loose_first, loose_second) = (missing_first.is_any, missing_second.is_any);
    let is_around = |here: &Claim, there: &Claim| {
        !here.subject.names.is_empty() && here.subject.names.iter().all(|name| there.place.words.contains(name))
    };
    let is_one_name = shares_name(first, second) || is_around(first, second) || is_around(second, first);
    if loose_first && loose_second && !is_one_name {
        return false;
    }
    // What is shared must say what is measured, not only whose it is.
    let shared: Vec<&String> = first.subject.words.intersection(&second.subject.words).collect();
    let is_dated = matches!(first.said, Said::Date(_));
    let has_unit = matches!(&first.said, Said::Value(figure) if !figure.unit.is_empty());
    // In scripts without spaces a long run of signs is a phrase.
    let is_phrase = |word: &&String| word.chars().count() > 5 && word.chars().all(|c| c >= '\u{4e00}');
    let says_what =
        shared.iter().any(|word| vocabulary::is_measure(word) || is_phrase(word)) || shared.len() > 1 || is_dated;
    let is_noun = |here: &Claim, there: &Claim| {
        here.subject
            .action
            .is_some_and(|action| there.subject.words.iter().any(|word| vocabulary::is_noun_of(word, action)))
    };
    let is_one_deed = first.subject.action.is_some() && first.subject.action == second.subject.action;
    let does_what = is_one_deed || is_noun(first, second) || is_noun(second, first);
    if !(says_what || does_what || has_unit) {
        return false;
    }
    // Between languages only what has a known measure, or a known action, is surely the same.
    let is_told_by_unit = matches!(&first.said, Said::Value(figure) if matches!(figure.unit.as_str(), "m²" | "°C"));
    let is_known = shared.iter().any(|word| vocabulary::is_measure(word)) || does_what || is_dated || is_told_by_unit;
    if (loose_first || loose_second) && is_other_language(first, second) && !is_known {
        return false;
    }
    !compete(first, second, &shared)
}

/// Whether something that both claims say tells them apart: another deed, the end and not the beginning, a plan, another time.
pub(crate) fn are_told_apart(first: &Claim, second: &Claim) -> bool {
    let is_plan = |claim: &Claim| claim.subject.words.contains("(planned)");
    let is_other_time =
        first.period.is_some() && second.period.is_some() && !same_time::may_be_one(first, second, None);
    is_other_time
        || is_plan(first) != is_plan(second)
        || !may_be_one_action(&first.subject, &second.subject)
        || qualifiers::differ(&first.subject.marks, &second.subject.marks)
        || qualifiers::is_turned(&first.subject.order, &second.subject.order)
        || qualifiers::is_swapped(&first.subject.shown, &second.subject.shown)
}

/// Whether two claims name two things of one kind: Plant A and Plant B, the choir and another choir.
pub(crate) fn are_of_others(first: &Claim, second: &Claim) -> bool {
    let own = |one: &Claim, other: &Claim| {
        one.subject.names.iter().any(|name| !other.subject.words.contains(name) && !other.place.words.contains(name))
    };
    !is_other_language(first, second) && own(first, second) && own(second, first)
}

/// Whether verbs that no list knows let two claims be about one thing: what was honoured is not what there is.
fn may_be_one_deed(first: &Claim, second: &Claim) -> bool {
    let is_sized = matches!(&first.said, Said::Value(figure) if !figure.unit.is_empty() && !units::is_currency(&figure.unit.to_lowercase()));
    let is_dated = matches!(first.said, Said::Date(_));
    match (first.subject.verbs.is_empty(), second.subject.verbs.is_empty()) {
        (false, false) => !first.subject.verbs.is_disjoint(&second.subject.verbs),
        (true, true) => true,
        (false, true) => is_sized || is_dated || (second.subject.action.is_none() && !second.subject.has_possession),
        (true, false) => is_sized || is_dated || (first.subject.action.is_none() && !first.subject.has_possession),
    }
}

/// Whether unit and action say what is measured, so that no word needs to.
fn is_measured_alike(first: &Claim, second: &Claim) -> bool {
    let has_unit = matches!(&first.said, Said::Value(figure) if !figure.unit.is_empty());
    has_unit && first.subject.action.is_some() && first.subject.action == second.subject.action
}

pub(crate) fn shares_name(first: &Claim, second: &Claim) -> bool {
    first.subject.names.intersection(&second.subject.names).next().is_some()
}

/// A column that only names the boats may count those that were built, but hardly those that were repaired.
fn may_be_one_action(first: &Subject, second: &Subject) -> bool {
    const APART: [&str; 19] = [
        "visit", "repair", "dismiss", "hire", "buy", "order", "export", "import", "close", "lose", "donate", "recycle",
        "rent", "borrow", "train", "add", "remove", "replace", "complete",
    ];
    let is_told_by_noun =
        |action: &str, other: &Subject| other.words.iter().any(|word| vocabulary::is_noun_of(word, action));
    match (first.action, second.action) {
        (Some(one), Some(other)) => one == other,
        (Some(one), None) => !APART.contains(&one) || is_told_by_noun(one, second),
        (None, Some(one)) => !APART.contains(&one) || is_told_by_noun(one, first),
        (None, None) => true,
    }
}

/// What one claim says and the other does not, though it does not tell them apart.
#[derive(Clone, Copy, Default)]
struct Missing {
    is_any: bool,
    /// Whether a word for the kind of thing is among it.
    has_kind: bool,
}

/// What the first says and the second does not; nothing if it tells them apart.
fn missing(first: &Claim, second: &Claim) -> Option<Missing> {
    let mut found = Missing::default();
    let is_named_around = |here: &Claim, there: &Claim| {
        here.subject.names.is_empty()
            && !there.subject.names.is_empty()
            && there.subject.names.iter().all(|name| here.place.words.contains(name))
    };
    // Neither names it, and both stand below the same name.
    let is_below_one = first.subject.names.is_empty()
        && second.subject.names.is_empty()
        && first
            .place
            .names
            .iter()
            .chain(&second.place.names)
            .any(|name| first.place.words.contains(name) && second.place.words.contains(name));
    let is_one_name = shares_name(first, second)
        || is_below_one
        || is_named_around(second, first)
        || (first.subject.names.is_empty()
            && !second.subject.names.is_empty()
            && second.subject.names.iter().all(|name| first.place.words.contains(name)));
    for word in first.subject.words.difference(&second.subject.words) {
        if second.place.words.contains(word) || is_written_otherwise(word, first, second) {
            continue;
        }
        // In another language other words stand beside the name: the yard, die Werft, le chantier.
        let is_other_word = is_other_language(first, second)
            && is_one_name
            && !word.starts_with('(')
            && !first.subject.names.contains(word)
            && (!vocabulary::is_measure(word) || is_measured_alike(first, second))
            && !vocabulary::is_stretch(word);
        // A table that names nobody is about what the others are about.
        let is_of_all = second.is_row && second.subject.names.is_empty() && first.subject.names.is_empty();
        // The station of Oakmere is not the line of that name.
        let is_row_of =
            second.is_row && second.place.words.iter().any(|head| head != word && vocabulary::is_kind(head));
        let is_kind = (is_one_name || is_of_all)
            && !is_row_of
            && vocabulary::is_kind(word)
            && !is_other_kind(word, first, second);
        let is_noun = second.subject.action.is_some_and(|action| vocabulary::is_noun_of(word, action));
        // A figure in square metres is of an area, whether it is said or not.
        let is_told_by_unit = word == "area" && matches!(&second.said, Said::Value(figure) if figure.unit == "m²");
        // A capacity of 980 seats is 980 seats.
        let is_told_by_seats = word == "capacity" && second.subject.words.contains("seat");
        let is_told_by_unit = is_told_by_unit || is_told_by_seats || is_priced(word, second);
        if !first.subject.loose.contains(word) && !is_other_word && !is_kind && !is_noun && !is_told_by_unit {
            return None;
        }
        found.has_kind |= is_kind;
        found.is_any = true;
    }
    Some(found)
}

/// Whether a word that one claim has stands in the other in another form, or in another script.
fn is_written_otherwise(word: &str, first: &Claim, second: &Claim) -> bool {
    let (own, other) = (&first.subject, &second.subject);
    let is_name = own.names.contains(word) || vocabulary::is_measure(word) || word.starts_with('(');
    let is_form = !is_name && alike::is_said_otherwise(word, &own.words, &other.words);
    let is_joined = alike::is_said_otherwise(word, &own.words, &other.words) && !word.is_ascii();
    // One name in two scripts: the other claim has it in one of them.
    let is_gloss =
        |here: &Subject, there: &Subject| here.glossed.contains(word) && !here.glossed.is_disjoint(&there.words);
    is_form || is_joined || is_gloss(own, other) || is_of_other_script(word, first, second)
}

/// A name in a script that the other claim is not written in says nothing, if the other has as many of its own.
fn is_of_other_script(word: &str, first: &Claim, second: &Claim) -> bool {
    let only = |here: &Claim, there: &Claim| -> Vec<String> {
        let own = here.subject.names.difference(&there.subject.words);
        own.filter(|name| !here.subject.glossed.contains(*name)).cloned().collect()
    };
    let (here, there) = (only(first, second), only(second, first));
    is_other_language(first, second)
        && shares_name(first, second)
        && here.len() == there.len()
        && here.iter().any(|name| name == word)
        && there.iter().all(|name| alike::is_of_other_script(word, name))
}

/// Whether the heading that names what a claim is about says another kind of thing: the Marlow pool is not the library.
fn is_other_kind(word: &str, other: &Claim, claim: &Claim) -> bool {
    let is_own = |one: &String| one != word && !claim.subject.words.contains(one) && !claim.subject.names.contains(one);
    let is_other = |words: &BTreeSet<String>| {
        let names_it = other.subject.names.iter().any(|name| words.contains(name));
        names_it && !words.contains(word) && words.iter().filter(|one| is_own(one)).count() > 1
    };
    claim.subject.names.is_empty() && claim.place.headings.iter().any(is_other)
}

/// Whether two claims are surely in two languages: of a table with few words nobody can tell.
fn is_other_language(first: &Claim, second: &Claim) -> bool {
    let both = [first.language, second.language];
    // Signs alone do not tell Chinese from Japanese.
    let is_by_signs = both.contains(&Language::Chinese) && both.contains(&Language::Japanese);
    first.language != second.language && !both.contains(&Language::Unknown) && !is_by_signs
}

/// Whether a word only says that an amount of money is what something costs, and the other claim says nothing else of it.
fn is_priced(word: &str, other: &Claim) -> bool {
    let is_money = matches!(&other.said, Said::Value(figure) if units::is_currency(&figure.unit.to_lowercase()));
    const AMOUNTS: &str = "revenue profit budget investment wage donation debt loan grant fine rent tax export import margin membership_fee";
    let is_amount = |word: &String| AMOUNTS.split(' ').any(|known| known == word);
    let is_bare = other.subject.action.is_none() && !other.subject.words.iter().any(is_amount);
    matches!(word, "cost" | "price") && is_money && is_bare
}

/// One contradiction for each subject and pair of values; who says the same again is named with it.
fn once(claims: &[Claim], pairs: &BTreeSet<(usize, usize)>) -> Vec<Contradiction> {
    let mut found: Vec<Contradiction> = Vec::new();
    for (first, second) in pairs {
        let (first, second) = (&claims[*first], &claims[*second]);
        match found.iter().position(|one| is_again(one, first, second)) {
            Some(index) => {
                let one = &mut found[index];
                for claim in [first, second] {
                    let is_known = same_place(claim, &one.first) || same_place(claim, &one.second);
                    if !is_known
                        && !one.also.iter().any(|known| same_place(claim, known))
                        && one.also.len() < limits::ALSO
                    {
                        one.also.push(claim.clone());
                    }
                }
            }
            None if found.len() == limits::CONTRADICTIONS => break,
            None => found.push(Contradiction { first: first.clone(), second: second.clone(), also: Vec::new() }),
        }
    }
    found
}

/// Whether a pair says what a contradiction says already: one of its places, and a value that agrees with the other's.
fn is_again(known: &Contradiction, first: &Claim, second: &Claim) -> bool {
    let agree = |one: &Claim, other: &Claim| match (&one.said, &other.said) {
        (Said::Value(one), Said::Value(other)) => one.unit == other.unit && !one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => one.agrees(*other),
        _ => false,
    };
    let places = [&known.first, &known.second];
    let is_one_of = |claim: &Claim| {
        places
            .iter()
            .chain(&known.also.iter().collect::<Vec<_>>())
            .any(|one| same_place(claim, one) && one.said == claim.said)
    };
    let is_like = |claim: &Claim| places.iter().any(|one| agree(claim, one));
    let is_one_time = [first.period, second.period].contains(&known.first.period)
        || [first.period, second.period].contains(&known.second.period);
    is_one_time && (is_one_of(first) && is_like(second) || is_one_of(second) && is_like(first))
}

fn same_place(one: &Claim, other: &Claim) -> bool {
    one.path == other.path && one.line == other.line
}

impl Contradiction {
    /// What it is about, in the words of the sources: the one that says more, and the period.
    pub(crate) fn about(&self) -> String {
        let shown = |claim: &Claim| {
            let mut words: Vec<String> = Vec::new();
            let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
            for word in &claim.subject.shown {
                let is_known = words.iter().any(|known| known.eq_ignore_ascii_case(word));
                match words.last_mut() {
                    // The numbers of a version belong together.
                    Some(last) if is_number(word) && is_number(last) => last.push_str(&format!(".{word}")),
                    _ if is_known => {}
                    _ => words.push(word.clone()),
                }
            }
            words
        };
        let (first, second) = (shown(&self.first), shown(&self.second));
        let is_row = |claim: &Claim| {
            claim.subject.action.is_none() && claim.lines.0 == claim.lines.1 && claim.quote.contains(": ")
        };
        let words =
            if is_row(&self.first) || (!is_row(&self.second) && second.len() > first.len()) { second } else { first };
        let about = words.join(" ");
        match self.first.period.filter(|period| self.second.period == Some(*period)) {
            Some(period) => format!("{about}, {period}"),
            None => about,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::claims::claims;
    use crate::offline::names::Names;
    use crate::offline::read::{Extent, document};

    /// Each source is a path and a text; the contradictions are given as the lines of both places.
    fn check(sources: &[(&str, &str)], expected: &[(&str, &str)]) {
        let documents: Vec<_> =
            sources.iter().map(|(path, text)| document(path, text.as_bytes(), Extent::Whole).unwrap()).collect();
        let names = Names::of(&documents);
        let all: Vec<Claim> = documents.iter().flat_map(|document| claims(document, &names)).collect();
        let place = |claim: &Claim| format!("{}:{}", claim.path, claim.line);
        let found: Vec<(String, String)> =
            contradictions(&all).found.iter().map(|one| (place(&one.first), place(&one.second))).collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect();
        assert_eq!(found, expected, "{sources:?}\n{all:#?}");
    }

    #[test]
    fn the_same_measure_with_another_value_is_found() {
        let one_and_two: &[(&str, &str)] = &[("a.md:1", "b.md:1")];
        for (first, second) in [
            (
                "Acme's revenue in 2023 was EUR 4.2 million.",
                "In 2023, Acme GmbH reported revenues of 4.5 million euros.",
            ),
            ("Acme had 120 employees in 2023.", "The headcount of Acme reached 135 in 2023."),
            ("The population of Arden is 52,000.", "Arden has a population of 61,000."),
            ("Revenue at Acme rose 5% to EUR 4.2 million in 2023.", "Acme made revenue of EUR 4.9 million in 2023."),
            ("Acme was founded in 1998.", "Acme was established on 3 March 1999."),
            ("2023년 아크메의 매출은 42억 원이었다.", "아크메의 매출은 2023년 45억 원을 기록했다."),
            ("2023年のアクメの売上高は42億円だった。", "アクメの2023年の売上高は45億円である。"),
            (
                "Der Umsatz der Acme GmbH lag 2023 bei 4,2 Mio. EUR.",
                "Acme erzielte 2023 einen Umsatz von 4,5 Mio. Euro.",
            ),
            (
                "Acme's profit was $3 million and its revenue $10 million in 2023.",
                "Acme had revenue of $12 million in 2023.",
            ),
            ("The head of sales said that Acme had 120 employees in 2023.", "Acme had 135 staff in 2023."),
            ("Acme had more than 500 customers in 2023.", "Acme had 430 clients in 2023."),
        ] {
            check(&[("a.md", first), ("b.md", second)], one_and_two);
        }
    }

    #[test]
    fn what_only_looks_like_a_contradiction_is_not_reported() {
        let base = "Acme's revenue in 2023 was EUR 4.2 million.";
        for other in [
            "Acme's revenue in 2022 was EUR 3.9 million.",
            "Acme's revenue in 2023 was USD 4.5 million.",
            "Globex's revenue in 2023 was EUR 7.1 million.",
            "Acme's profit in 2023 was EUR 0.4 million.",
            "Acme's planned revenue for 2023 was EUR 5.0 million.",
            "Acme's revenue in 2023 grew by EUR 0.3 million.",
            "Acme's revenue in the first quarter of 2023 was EUR 1.1 million.",
            "Acme's revenue in 2023 was EUR 4,213,000.",
            "Acme's revenue in 2023 was about EUR 4.3 million.",
            "Acme's revenue in 2023 was more than EUR 4 million.",
            "Acme's online revenue in 2023 was EUR 1.2 million.",
            "Acme's revenue in Germany in 2023 was EUR 2.2 million.",
            "Acme's revenue in 2023 was not EUR 5 million.",
            "Was Acme's revenue in 2023 EUR 5 million?",
            "Acme's revenue in 2023 was between EUR 4–5 million.",
            "Acme's revenue rose from EUR 3.9 million in 2023.",
        ] {
            check(&[("a.md", base), ("b.md", other)], &[]);
        }
    }

    #[test]
    fn names_of_one_letter_and_numbered_names_are_told_apart() {
        for (first, second) in [
            ("Plant A has a capacity of 40 MW.", "Plant B has a capacity of 50 MW."),
            ("Plant 1 produced 40 t in 2023.", "Plant 2 produced 50 t in 2023."),
            ("The site C12 had 40 employees in 2023.", "The site C13 had 50 employees in 2023."),
            ("Line 3 made 400 pumps in 2023.", "Line 4 made 500 pumps in 2023."),
        ] {
            check(&[("a.md", first), ("b.md", second)], &[]);
        }
        check(
            &[("a.md", "Plant B has a capacity of 40 MW."), ("b.md", "Plant B has a capacity of 50 MW.")],
            &[("a.md:1", "b.md:1")],
        );
        check(&[("a.csv", "plant,year,output\nC1,2023,4\nC2,2023,5\nC1,2023,6\n")], &[("a.csv:2", "a.csv:4")]);
        check(&[("a.csv", "plant,year,output\nA,2023,4\nB,2023,5\n")], &[]);
    }

    #[test]
    fn tables_headings_and_records_are_compared_with_prose() {
        let prose = ("a.md", "# Acme\n\n## 2023\n\nRevenue was EUR 4.2 million.\n");
        check(
            &[prose, ("b.csv", "company,year,revenue_eur\nAcme,2022,3900000\nAcme,2023,4500000\nGlobex,2023,1\n")],
            &[("a.md:5", "b.csv:3")],
        );
        check(
            &[
                prose,
                (
                    "c.md",
                    "| company | Revenue 2022 (EUR million) | Revenue 2023 (EUR million) |\n|---|---|---|\n| Acme | 3.9 | 4.6 |\n",
                ),
            ],
            &[("a.md:5", "c.md:3")],
        );
        check(
            &[prose, ("d.json", "[\n {\"company\": \"Acme\", \"year\": 2023, \"revenue\": \"4.7 million EUR\"}\n]")],
            &[("a.md:5", "d.json:2")],
        );
        check(&[prose, ("e.html", "<h1>Globex</h1><h2>2023</h2><p>Revenue was EUR 9 million.</p>")], &[]);
    }
}
