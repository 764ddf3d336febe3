//! What stands around two claims: whether their titles, headings and tables speak of one thing or of two.
//!
//! Owns this comparison. It must not know what the claims themselves say, but for the words and names that they share.

use std::collections::BTreeSet;

use super::claims::{Claim, Said};
use super::contradictions::shares_name;
use super::vocabulary;

/// Whether the places in which two claims stand speak of different things.
pub(crate) fn compete(first: &Claim, second: &Claim, shared: &[&String]) -> bool {
    let differ = |one: &BTreeSet<&String>, other: &BTreeSet<&String>| {
        one.iter().any(|word| !known(second, word)) && other.iter().any(|word| !known(first, word))
    };
    let names = |claim: &'_ Claim| -> BTreeSet<String> {
        claim.place.names.difference(&claim.subject.words).cloned().collect()
    };
    let (first_names, second_names) = (names(first), names(second));
    if differ(&first_names.iter().collect(), &second_names.iter().collect()) {
        return true;
    }
    if first.path != second.path && is_one_subject(first, second, shared) {
        return false;
    }
    let entity = shared.iter().filter(|word| !vocabulary::is_common(word) && !word.starts_with('(')).count();
    // Where there are no capitals, a word that is neither a measure nor a kind of thing is as good as a name.
    let has_no_capitals = |word: &str| {
        let is_sign =
            |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        word.chars().all(|c| matches!(c, '\u{0590}'..='\u{06ff}' | '\u{0900}'..='\u{097f}'))
            || word.chars().count() > 2 && word.chars().all(is_sign)
    };
    let is_own = |word: &&&String| has_no_capitals(word) && !vocabulary::is_common(word) && !vocabulary::is_kind(word);
    let is_named =
        shared.iter().any(|word| first.subject.names.contains(*word) || second.subject.names.contains(*word))
            || shared.iter().any(|word| is_own(&word))
            || first.subject.names.iter().any(|name| second.place.words.contains(name))
            || second.subject.names.iter().any(|name| first.place.words.contains(name));
    // "The staff is 40" in two documents that have nothing in common: nothing says that it is one staff.
    if entity == 0
        && !is_named
        && first.path != second.path
        && first.place.words.intersection(&second.place.words).next().is_none()
        && !is_named_in(first, second)
        && !is_named_in(second, first)
    {
        return true;
    }
    // Two papers of one house: what they name alike need not stand under the same item of an agenda.
    let around =
        first.place.words.intersection(&second.place.words).filter(|word| !vocabulary::is_common(word)).count();
    let is_own_thing =
        |word: &&&String| !vocabulary::is_common(word) && !vocabulary::is_kind(word) && !word.starts_with('(');
    let is_one_house = around >= 2 && shared.iter().any(|word| is_own_thing(&word));
    // Within one document headings tell things apart; between documents only those that say more of the same thing.
    let is_strict = first.path == second.path || !(is_named || entity >= 2 || is_one_house);
    let told = |claim: &Claim| -> BTreeSet<String> {
        let of_headings =
            claim.place.headings.iter().filter(|words| is_strict || shared.iter().any(|word| words.contains(*word)));
        let rest: BTreeSet<String> = of_headings.flatten().cloned().collect();
        let all = if is_strict { claim.place.words.union(&rest).cloned().collect() } else { rest };
        all.difference(&claim.subject.words).cloned().collect()
    };
    let (here, there) = (told(first), told(second));
    differ(&here.iter().collect(), &there.iter().collect())
}

/// Whether a claim, or what stands around it, has a word. A text without a name in its title is about what it names.
fn known(claim: &Claim, word: &String) -> bool {
    claim.subject.words.contains(word)
        || claim.place.words.contains(word)
        || claim.place.names.is_empty() && claim.place.document.contains(word)
}

/// Whether claims of two documents are about one thing, whatever the titles say besides: both name it, one does and the
/// other can only mean it, or a table names nobody.
fn is_one_subject(first: &Claim, second: &Claim, shared: &[&String]) -> bool {
    let is_about = |here: &Claim, there: &Claim| there.place.names.is_empty() && is_named_in(here, there);
    let is_meant = |here: &Claim, there: &Claim| {
        let names = &here.subject.names;
        !names.is_empty()
            && names.iter().all(|name| there.place.words.contains(name))
            && there.place.names.iter().all(|name| known(here, name))
    };
    let has_unit = matches!(&first.said, Said::Value(figure) if !figure.unit.is_empty());
    let says_what = shared.len() > 1 || has_unit && shared.iter().any(|word| vocabulary::is_measure(word));
    let is_of_all = |claim: &Claim| claim.is_dated_row() && claim.subject.names.is_empty() && says_what;
    // Neither names anything, and all that the title of one names stands in that of the other.
    let is_bare = first.subject.names.is_empty() && second.subject.names.is_empty();
    let is_below = |here: &Claim, there: &Claim| {
        !here.place.names.is_empty() && here.place.names.iter().all(|name| there.place.names.contains(name))
    };
    let is_thing = shared.iter().any(|word| !vocabulary::is_common(word) && !vocabulary::is_kind(word));
    let is_below_one = is_bare && is_thing && (is_below(first, second) || is_below(second, first));
    shares_name(first, second)
        || is_below_one
        || [(first, second), (second, first)].iter().any(|(one, other)| is_about(one, other) || is_meant(one, other))
        || is_of_all(first)
        || is_of_all(second)
}

/// Whether all that the title of one claim's text names is named somewhere in the text of the other.
fn is_named_in(first: &Claim, second: &Claim) -> bool {
    !first.place.names.is_empty() && first.place.names.iter().all(|name| second.place.document.contains(name))
}

/// Whether a row is of one kind of thing and what the other claim leaves unsaid is another: a station, the line.
pub(crate) fn is_row_of_other(row: &Claim, claim: &Claim) -> bool {
    let kinds = |words: &BTreeSet<String>| -> BTreeSet<String> {
        words.iter().filter(|word| vocabulary::is_kind(word)).cloned().collect()
    };
    let of_headings = kinds(&claim.place.headings.iter().flatten().cloned().collect());
    let of_claim = if of_headings.is_empty() { kinds(&claim.place.words) } else { of_headings };
    let of_row = kinds(&row.place.words);
    let is_implied = claim.subject.names.is_empty() && !of_row.is_empty() && !of_claim.is_empty();
    row.is_row && !row.subject.names.is_empty() && is_implied && of_row.is_disjoint(&of_claim)
}
