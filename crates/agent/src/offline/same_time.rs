//! Whether two claims are of one time, though not both say when.
//!
//! Owns the rule: what lasts may be said with a date here and without one there, what happens in a year may not.

use super::claims::{Claim, Origin, Said};
use super::dates::Period;

/// Things that are there, and still are some months later.
const LASTING: [&str; 26] = [
    "population",
    "employee",
    "member",
    "student",
    "bed",
    "room",
    "area",
    "capacity",
    "household",
    "store",
    "site",
    "subscriber",
    "crew",
    "length",
    "height",
    "width",
    "depth",
    "distance",
    "temperature",
    "seat",
    "book",
    "teacher",
    "class",
    "lane",
    "turbine",
    "speed",
];
/// Things that happen: so many in a time.
const PASSING: [&str; 27] = [
    "visitor",
    "revenue",
    "profit",
    "passenger",
    "production",
    "harvest",
    "emission",
    "consumption",
    "export",
    "import",
    "accident",
    "birth",
    "death",
    "rainfall",
    "donation",
    "order",
    "delivery",
    "ticket",
    "case",
    "complaint",
    "investment",
    "budget",
    "electricity",
    "download",
    "goal",
    "point",
    "vote",
];

/// The last year that any claim is of.
pub(crate) fn newest(claims: &[Claim]) -> Option<u16> {
    let is_so = |claim: &&Claim| !claim.subject.words.contains("(planned)");
    claims.iter().filter(is_so).filter_map(|claim| claim.period).map(Period::year).max()
}

/// Whether two claims may be of one time.
pub(crate) fn may_be_one(first: &Claim, second: &Claim, newest: Option<u16>) -> bool {
    let do_last = lasts(first) && lasts(second);
    match (first.period, second.period) {
        // What is paid once is paid, whenever the papers were written that tell of it.
        (Some(one), Some(other)) => {
            let is_around = first.origin == Origin::Around && second.origin == Origin::Around;
            // The month of a newsletter is when it was written, the year of a report what it is of.
            let is_written =
                matches!((one, other), (Period::Year(_), Period::Month(..)) | (Period::Month(..), Period::Year(_)));
            let is_paid = is_around && is_written && is_paid_once(first) && is_paid_once(second);
            one == other || is_paid || do_last && is_end_of(one, other)
        }
        (None, None) => true,
        (Some(period), None) => is_told_of_now(first, period, newest, do_last),
        (None, Some(period)) => is_told_of_now(second, period, newest, do_last),
    }
}

/// Whether a claim may be compared with one that has another period, or none.
pub(crate) fn is_open(claim: &Claim, newest: Option<u16>) -> bool {
    match claim.period {
        None => true,
        Some(period) => is_told_of_now(claim, period, newest, lasts(claim)),
    }
}

/// Whether what is said of a time may be meant where no time is said: the year of a report's title tells nothing apart
/// that lasts, and the last year that anybody speaks of is as good as now.
fn is_told_of_now(claim: &Claim, period: Period, newest: Option<u16>, do_last: bool) -> bool {
    let is_date = matches!(claim.said, Said::Date(_));
    let is_now = claim.origin == Origin::Around || newest.is_some_and(|newest| period.year() + 1 >= newest);
    is_date || is_paid_once(claim) || do_last && is_now
}

/// The last day of a year has the figure of that year.
fn is_end_of(one: Period, other: Period) -> bool {
    let is_last = |day: Period, year: Period| match (day, year) {
        (Period::Day(of, 12, 31) | Period::Month(of, 12), Period::Year(year)) => of == year,
        _ => false,
    };
    is_last(one, other) || is_last(other, one)
}

/// Whether a claim is of something that is still so when the next report is written.
fn lasts(claim: &Claim) -> bool {
    let subject = &claim.subject;
    let any = |list: &[&str]| list.iter().any(|word| subject.words.contains(*word));
    let is_attribute = subject.action == Some("install") && subject.words.contains("capacity");
    let is_state = (matches!(subject.action, None | Some("employ")) || is_attribute) && subject.verbs.is_empty();
    let is_money = matches!(&claim.said, Said::Value(figure) if super::units::is_currency(&figure.unit.to_lowercase()));
    let is_area = matches!(&claim.said, Said::Value(figure) if figure.unit == "m²");
    let is_said = is_area || subject.has_possession || subject.action == Some("employ") || any(&LASTING);
    is_state && is_said && !is_money && !any(&PASSING)
}

/// What something cost is paid once: a year that only the title of one source says does not tell it apart.
fn is_paid_once(claim: &Claim) -> bool {
    let is_cost = claim.subject.action == Some("spend") || claim.subject.words.contains("cost");
    let entity = claim.subject.words.iter().filter(|word| *word != "cost").count();
    // Who takes part in a trial is counted once, whenever that was.
    let is_enrolment = claim.subject.action == Some("enrol");
    let is_told = entity > 1 || entity == 1 && !claim.place.names.is_empty();
    (is_enrolment || claim.origin == Origin::Around && is_cost) && is_told
}
