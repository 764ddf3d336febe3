//! Figures in running text: a number with its scale and unit, as the range of values that the words allow.
//!
//! Owns the number scanner. It must not know what a figure is about. A value is kept as a range: `4.2 million` says
//! 4.15 to 4.25 million, `more than 100` has no upper end; two figures disagree only if their ranges do not meet.

use super::bounds::bounds;
use super::dates::Dated;
use super::units;

/// A number as it stands in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Place in characters, with currency sign, scale and unit.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// One name for each unit; empty for a bare number.
    pub(crate) unit: String,
}

/// Which sign stands before the decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimal {
    Point,
    Comma,
}

impl Figure {
    /// The same in a smaller unit.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.low *= factor;
        self.high *= factor;
    }

    /// Whether no value is within both; the small share allows for the arithmetic.
    pub(crate) fn disagrees(&self, other: &Self) -> bool {
        let apart = |below: f64, above: f64| below <= above + above.abs() * 1e-9;
        apart(self.high, other.low) || apart(other.high, self.low)
    }
}

/// All figures of a text whose digits were made plain; dates are none.
pub(crate) fn figures(chars: &[char], dates: &[Dated], decimal: Decimal) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if let Some(date) = dates.iter().find(|date| date.start <= at && at < date.end) {
            at = date.end;
            continue;
        }
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = digits_end(chars, at);
        let figure = if counts(chars, at) { figure(chars, at, decimal) } else { None };
        at = figure.as_ref().map_or(end, |one| one.end.max(end));
        found.extend(figure);
    }
    found
}

/// The figure of a number whose words stand from one place to another.
pub(crate) fn spelled(chars: &[char], start: usize, end: usize, value: f64) -> Option<Figure> {
    let (factor, end) = scales(chars, end, "");
    let (unit, unit_factor, mut end) = after(chars, end)?;
    let half = if value < 100.0 { 0.5 } else { whole_half(&format!("{value:.0}"), value) };
    let (value, half) = (value * factor * unit_factor, half * factor * unit_factor);
    let (low, high) = bounds(chars, start, &mut end, value, half);
    Some(Figure { start, end, low, high, unit })
}

/// Whether digits are a number of their own, not part of a name, a time or a reference.
fn counts(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|index| chars[index]);
    let two_before = at.checked_sub(2).map(|index| chars[index]);
    if before.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '#' | '/' | ':' | '.' | '_')) {
        return false;
    }
    if before == Some('-') && two_before.is_some_and(|c| c.is_alphanumeric() || c == '-') {
        return false;
    }
    let end = digits_end(chars, at);
    if super::qualifiers::is_numbering(chars, at, end) {
        return false;
    }
    let next = chars.get(end).copied();
    let digit_follows = chars.get(end + 1).is_some_and(char::is_ascii_digit);
    if next.is_some_and(|c| matches!(c, ':' | '/')) && digit_follows {
        return false;
    }
    if is_day_of_month(chars, at, end) {
        return false;
    }
    const REFERENCES: &str = " version section chapter figure fig table page no nr article phase step iso din appendix item line release rfc plant site unit room building block reactor zone sector model batch lot route platform gate floor tier kapitel seite abschnitt ";
    let word = word_before(chars, at);
    if word.is_empty() {
        return true;
    }
    // "Plant 7", "Model 3": a short number behind a name is part of the name, unless a sign or scale makes it more.
    let is_short = end - at <= 2 && !next.is_some_and(|c| c == '%' || (matches!(c, '.' | ',') && digit_follows));
    let begin = at.saturating_sub(word.chars().count() + 1);
    let is_name = chars[begin].is_uppercase() && !super::words::is_stop(&word) && !units::is_currency(&word);
    let (follows, follows_end) = next_word(chars, end);
    let follows_start = follows_end - follows.chars().count();
    let is_more = units::scale(&follows).is_some()
        || units::unit(&follows).is_some()
        || super::vocabulary::is_measure(&super::words::stem(&follows))
        || (!follows.is_empty() && chars[follows_start].is_uppercase());
    // "Pellucid 4.2 was released": a number with a point behind a name is its version.
    let is_version =
        is_name && next == Some('.') && digit_follows && is_version(chars, at) && !is_more_behind(chars, at);
    !(REFERENCES.contains(&format!(" {word} ")) || (is_short && is_name && !is_more) || is_version)
}

/// Whether digits are the day of a month without a year: `22 June`, `June 22`, 6月22日.
fn is_day_of_month(chars: &[char], at: usize, end: usize) -> bool {
    if end - at > 2 {
        return false;
    }
    let before = at.checked_sub(1).map(|index| chars[index]);
    let behind = chars.get(end).copied();
    if matches!(behind, Some('月' | '월')) || matches!((before, behind), (Some('月'), Some('日'))) {
        return true;
    }
    let dotted = end + usize::from(behind == Some('.'));
    let (follows, _) = next_word(chars, dotted);
    let leads = word_before(chars, at);
    // "may" and "mar" are other words, too.
    let is_month = |word: &str| word.chars().count() > 2 && word != "mar" && super::dates::month(word).is_some();
    is_month(&follows) || (is_month(&leads) && leads != "may" && !units::is_size(&follows))
}

/// Digits and points, at most two of each between them: `4.2`, `10.0.1`.
fn is_version(chars: &[char], at: usize) -> bool {
    let written = &chars[at..version_end(chars, at)];
    let parts: Vec<&[char]> = written.split(|c| *c == '.').collect();
    (2..=4).contains(&parts.len()) && parts.iter().all(|part| (1..=2).contains(&part.len()))
}

fn version_end(chars: &[char], at: usize) -> usize {
    let end = (at..chars.len())
        .find(|index| !(chars[*index].is_ascii_digit() || chars[*index] == '.'))
        .unwrap_or(chars.len());
    if end > at && chars[end - 1] == '.' { end - 1 } else { end }
}

/// Whether a scale, a unit or a sign behind a version makes it a quantity after all.
fn is_more_behind(chars: &[char], at: usize) -> bool {
    let end = version_end(chars, at);
    let (follows, _) = next_word(chars, end);
    let sign = chars.get(end + usize::from(chars.get(end) == Some(&' '))).copied();
    units::scale(&follows).is_some()
        || units::unit(&follows).is_some()
        || super::vocabulary::is_measure(&super::words::stem(&follows))
        || sign.is_some_and(|c| c == '%' || units::currency_sign(c).is_some())
}

fn digits_end(chars: &[char], at: usize) -> usize {
    (at..chars.len()).find(|index| !chars[*index].is_ascii_digit()).unwrap_or(chars.len())
}

pub(super) fn figure(chars: &[char], at: usize, decimal: Decimal) -> Option<Figure> {
    let (mut value, mut half, mut end) = number(chars, at, decimal)?;
    let (mut start, prefix) = before(chars, at);
    let mut upper = None;
    if let Some((to, to_half, to_end)) =
        range_to(chars, end, decimal).or_else(|| range_in_words(chars, start, end, decimal))
    {
        upper = Some((to, to_half));
        end = to_end;
    }
    let (factor, scaled_end) = scales(chars, end, &prefix);
    end = scaled_end;
    value *= factor;
    half *= factor;
    let mut upper = upper.map(|(to, to_half)| (to * factor, to_half * factor));
    while let Some((more, more_half, more_end)) = compound(chars, end, factor, decimal) {
        value += more;
        half = more_half;
        end = more_end;
    }
    let (suffix, unit_factor, unit_end) = after(chars, end)?;
    end = unit_end;
    value *= unit_factor;
    half *= unit_factor;
    upper = upper.map(|(to, to_half)| (to * unit_factor, to_half * unit_factor));
    // "$59 per month" is what "59 dollars per month" is.
    let is_rated = !prefix.is_empty() && suffix.is_empty();
    let (prefix, end_of_rate) = if is_rated {
        let (name, times, rate_end) = per(chars, end, &prefix, 1.0);
        value *= times;
        half *= times;
        upper = upper.map(|(to, to_half)| (to * times, to_half * times));
        (name, rate_end)
    } else {
        (prefix, end)
    };
    end = end_of_rate;
    let unit = if prefix.is_empty() { suffix } else { prefix };
    if start > 0 && chars[start - 1] == '-' && start.checked_sub(2).is_none_or(|index| chars[index] == ' ') {
        start -= 1;
        value = -value;
    }
    let (low, high) = match upper {
        Some((to, to_half)) if to > value => (value - half, to + to_half),
        _ => bounds(chars, start, &mut end, value, half),
    };
    Some(Figure { start, end, low, high, unit })
}

/// Digits with their separators: value, half of the last place written, end.
fn number(chars: &[char], at: usize, decimal: Decimal) -> Option<(f64, f64, usize)> {
    let mut end = at;
    while end < chars.len() {
        let next_is_digit = chars.get(end + 1).is_some_and(char::is_ascii_digit);
        let group_of_three = chars.get(end + 4).is_none_or(|c| !c.is_ascii_digit())
            && end + 3 < chars.len()
            && chars[end + 1..end + 4].iter().all(char::is_ascii_digit);
        match chars[end] {
            '0'..='9' => {}
            '.' | ',' if next_is_digit => {}
            '\'' | '’' if group_of_three => {}
            ' ' if group_of_three && decimal == Decimal::Comma && is_group(chars, at, end) => {}
            _ => break,
        }
        end += 1;
    }
    let written: Vec<char> = chars[at..end].iter().copied().filter(|c| !matches!(c, '\'' | '’' | ' ')).collect();
    let separator = decimal_separator(&written, decimal);
    let plain: String = written
        .iter()
        .enumerate()
        .filter(|(index, c)| c.is_ascii_digit() || Some(*index) == separator)
        .map(|(_, c)| if c.is_ascii_digit() { *c } else { '.' })
        .collect();
    if plain.len() > 24 || plain.matches('.').count() > 1 {
        return None;
    }
    let value: f64 = plain.parse().ok()?;
    let places = plain.split_once('.').map_or(0, |(_, after)| after.len());
    let half = if places > 0 { 0.5 / power(10.0, places) } else { whole_half(&plain, value) };
    Some((value, half, end))
}

/// Whether the digits before a gap are a first group of at most three, or a further one of exactly three.
fn is_group(chars: &[char], at: usize, gap: usize) -> bool {
    let start = (at..gap).rev().find(|index| !chars[*index].is_ascii_digit()).map_or(at, |index| index + 1);
    let is_first = start == at;
    let length = gap - start;
    if is_first { (1..=3).contains(&length) } else { length == 3 && chars[start - 1] == ' ' }
}

/// Whole numbers may be rounded to their zeros, but by no more than half a percent.
fn whole_half(digits: &str, value: f64) -> f64 {
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    if zeros < 2 || value == 0.0 { 0.5 } else { (0.5 * power(10.0, zeros)).min(value * 0.005).max(0.5) }
}

fn power(base: f64, times: usize) -> f64 {
    (0..times).fold(1.0, |product, _| product * base)
}

/// Which of the separators stands before the decimals.
fn decimal_separator(written: &[char], decimal: Decimal) -> Option<usize> {
    let places: Vec<usize> = (0..written.len()).filter(|index| !written[*index].is_ascii_digit()).collect();
    let last = *places.last()?;
    let same = places.iter().filter(|index| written[**index] == written[last]).count();
    if places.len() > same {
        return Some(last);
    }
    if same > 1 {
        return None;
    }
    let behind = written.len() - last - 1;
    let could_be_thousands = behind == 3 && (1..=3).contains(&last) && written[0] != '0';
    let is_decimal_sign = (written[last] == ',') == (decimal == Decimal::Comma);
    (is_decimal_sign || !could_be_thousands).then_some(last)
}

/// `3–5 million`: the upper end.
fn range_to(chars: &[char], end: usize, decimal: Decimal) -> Option<(f64, f64, usize)> {
    let mut at = end;
    if chars.get(at) == Some(&' ') && matches!(chars.get(at + 1), Some('–' | '~')) {
        at += 1;
    }
    if !matches!(chars.get(at), Some('–' | '-' | '~' | '〜')) {
        return None;
    }
    let at = at + 1 + usize::from(chars.get(at + 1) == Some(&' '));
    chars.get(at).filter(|c| c.is_ascii_digit())?;
    number(chars, at, decimal)
}

/// `between 40 and 50`, `40 to 50`: the upper end. What rises from one to the other is no range.
fn range_in_words(chars: &[char], start: usize, end: usize, decimal: Decimal) -> Option<(f64, f64, usize)> {
    let before = word_before(chars, start);
    let (link, link_end) = next_word(chars, end);
    let is_between = matches!(before.as_str(), "between" | "zwischen" | "entre" | "между")
        && matches!(link.as_str(), "and" | "und" | "et" | "y" | "и");
    let is_from_to =
        !matches!(before.as_str(), "from" | "von" | "de" | "с" | "от") && matches!(link.as_str(), "to" | "bis");
    if !is_between && !is_from_to {
        return None;
    }
    let at = link_end + usize::from(chars.get(link_end) == Some(&' '));
    chars.get(at).filter(|c| c.is_ascii_digit())?;
    number(chars, at, decimal)
}

/// The scale behind a number, in a word or attached to it.
fn scales(chars: &[char], end: usize, prefix: &str) -> (f64, usize) {
    let mut factor = 1.0;
    let mut at = end;
    while let Some(c) = chars.get(at) {
        let next_is_letter = chars.get(at + 1).is_some_and(char::is_ascii_alphabetic);
        // 千瓦 is a unit, not a thousand of another.
        let begins_unit =
            !c.is_ascii() && chars.get(at + 1).is_some_and(|next| units::unit(&format!("{c}{next}")).is_some());
        if begins_unit {
            break;
        }
        match units::attached_scale(*c) {
            Some(more) if !(c.is_ascii() && next_is_letter) => {
                factor *= more;
                at += 1;
            }
            _ if *c == 'm' && !prefix.is_empty() && !next_is_letter => return (1e6, at + 1),
            _ => break,
        }
    }
    if at > end {
        return (factor, at);
    }
    // "2 mil millones", "3 Mio."
    for _ in 0..2 {
        let (word, word_end) = next_word(chars, at);
        let Some(more) = units::scale(&word) else { break };
        let is_short = matches!(word.as_str(), "mio" | "mrd" | "tsd" | "mln" | "mn" | "bn" | "тыс" | "млн" | "млрд");
        factor *= more;
        at = word_end + usize::from(is_short && chars.get(word_end) == Some(&'.'));
    }
    (factor, at)
}

/// `3억 5천만`: what is added by the next, smaller scale.
fn compound(chars: &[char], end: usize, factor: f64, decimal: Decimal) -> Option<(f64, f64, usize)> {
    if factor < 1e4 || end.checked_sub(1).is_none_or(|index| chars[index].is_ascii()) {
        return None;
    }
    let at = end + usize::from(chars.get(end) == Some(&' '));
    chars.get(at).filter(|c| c.is_ascii_digit())?;
    let (value, half, number_end) = number(chars, at, decimal)?;
    let (smaller, scaled_end) = scales(chars, number_end, "");
    (smaller > 1.0 && smaller < factor && scaled_end > number_end).then_some((
        value * smaller,
        half * smaller,
        scaled_end,
    ))
}

/// The currency in front of a number, and where it begins.
fn before(chars: &[char], at: usize) -> (usize, String) {
    let end = if at > 0 && chars[at - 1] == ' ' { at - 1 } else { at };
    let Some(last) = end.checked_sub(1).map(|index| chars[index]) else { return (at, String::new()) };
    if let Some(name) = units::currency_sign(last).filter(|_| !last.is_alphabetic()) {
        let start = if end >= 3 && chars[end - 3..end - 1] == ['U', 'S'] { end - 3 } else { end - 1 };
        return (start, name.to_owned());
    }
    // "%87,3", as Turkish writes it.
    if end == at && last == '%' && end.checked_sub(2).is_none_or(|index| !chars[index].is_ascii_digit()) {
        return (end - 1, "%".to_owned());
    }
    let word = word_before(chars, at);
    let length = word.chars().count();
    if length == 3 && units::is_currency(&word) && end >= length && chars[end - length].is_uppercase() {
        let name = units::unit(&word).map_or(String::new(), |(name, _)| name.to_owned());
        return (end - length, name);
    }
    (at, String::new())
}

/// The unit behind a number; nothing at all if the number is an ordinal or part of a name.
fn after(chars: &[char], end: usize) -> Option<(String, f64, usize)> {
    let none = Some((String::new(), 1.0, end));
    let Some(next) = chars.get(end).copied() else { return none };
    let (word, word_end) = next_word(chars, end);
    let touches = next.is_ascii_alphabetic();
    if touches && matches!(word.as_str(), "st" | "nd" | "rd" | "th") {
        return None;
    }
    let at = end + usize::from(next == ' ');
    if let Some(sign) = chars.get(at).copied() {
        if sign == '%' {
            return Some(("%".to_owned(), 1.0, at + 1));
        }
        if let Some(name) = units::currency_sign(sign) {
            return Some((name.to_owned(), 1.0, at + 1));
        }
    }
    if matches!(word.as_str(), "percentage" | "prozentpunkte" | "prozentpunkten") {
        return Some(("percentage points".to_owned(), 1.0, word_end));
    }
    let (second, second_end) = next_word(chars, word_end);
    let is_percent = matches!(
        (word.as_str(), second.as_str()),
        ("per", "cent") | ("pour", "cent") | ("por", "ciento") | ("por", "cento") | ("per", "cento") | ("في", "المئة")
    );
    if is_percent {
        return Some(("%".to_owned(), 1.0, second_end));
    }
    if let Some((name, factor)) = units::raised(&word, &second) {
        return Some(per(chars, second_end, name, factor));
    }
    if let Some((name, factor)) = units::raised(&second, &word) {
        return Some(per(chars, second_end, name, factor));
    }
    // "4 millions d'euros", "4 millones de euros"
    if let Some((name, factor, at)) = linked_unit(chars, end) {
        return Some(per(chars, at, name, factor));
    }
    // Units of scripts without spaces may be followed by a particle: the longest beginning counts.
    // In scripts with spaces a beginning is no unit: the m of 15 Mayıs is no metre.
    let is_spaced = word.chars().next().is_some_and(|c| c < '\u{0600}');
    let longest = if is_spaced { word.chars().count() } else { 6.min(word.chars().count()) };
    let shortest = if is_spaced { longest } else { 1 };
    for length in (shortest..=longest).rev().filter(|length| *length > 0) {
        let part: String = word.chars().take(length).collect();
        if let Some((name, factor)) = units::unit(&part) {
            let unit_end = word_end - (word.chars().count() - length);
            return Some(per(chars, unit_end, name, factor));
        }
    }
    if touches {
        return None;
    }
    none
}

/// The unit behind `de` or `d'`, what it multiplies by, and where it ends.
fn linked_unit(chars: &[char], end: usize) -> Option<(&'static str, f64, usize)> {
    let rest: String = chars[end..chars.len().min(end + 4)].iter().collect::<String>().to_lowercase();
    let skipped = [" d'", " d’", " de "].iter().find(|link| rest.starts_with(**link))?.chars().count();
    let (word, word_end) = next_word(chars, end + skipped);
    let (second, second_end) = next_word(chars, word_end);
    if let Some((name, factor)) = units::raised(&second, &word) {
        return Some((name, factor, second_end));
    }
    let (name, factor) = units::unit(&word)?;
    (units::is_currency(&word) || units::is_size(&word)).then_some((name, factor, word_end))
}

/// `km/h`, `EUR per tonne`: a unit of its own.
fn per(chars: &[char], end: usize, name: &str, factor: f64) -> (String, f64, usize) {
    let at = if chars.get(end) == Some(&'/') {
        end + 1
    } else {
        let (word, word_end) = next_word(chars, end);
        if !matches!(word.as_str(), "per" | "pro" | "par" | "por" | "je") {
            return (name.to_owned(), factor, end);
        }
        word_end
    };
    let (by, by_end) = next_word(chars, at);
    if by.is_empty() {
        return (name.to_owned(), factor, end);
    }
    // "0,19 € pro m²" is what "19 Cent je Quadratmeter" is.
    match units::unit(&by) {
        Some((of, times)) => (format!("{name}/{of}"), factor / times, by_end),
        None => (format!("{name}/{}", super::words::stem(&by)), factor, by_end),
    }
}

/// The word in front of a place, in lower case; empty if something else stands there.
pub(crate) fn word_before(chars: &[char], at: usize) -> String {
    let end = if at > 0 && chars[at - 1] == ' ' { at - 1 } else { at };
    let end = if end > 0 && chars[end - 1] == '.' && end < at { end - 1 } else { end };
    let start = (0..end).rev().find(|index| !chars[*index].is_alphabetic()).map_or(0, |index| index + 1);
    chars[start..end].iter().collect::<String>().to_lowercase()
}

/// The word behind a place, after at most one space or hyphen, in lower case, and where it ends.
pub(crate) fn next_word(chars: &[char], at: usize) -> (String, usize) {
    let start = at + usize::from(matches!(chars.get(at), Some(' ' | '-')));
    let end = (start..chars.len())
        .find(|index| {
            !(chars[*index].is_alphabetic() || matches!(chars[*index], '²' | '³' | '°' | '℃' | '㎡' | '㎢' | '㎥'))
        })
        .unwrap_or(chars.len());
    (chars[start.min(end)..end].iter().collect::<String>().to_lowercase(), end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::dates::{dates, plain_digits};

    fn found(text: &str, decimal: Decimal) -> Vec<(f64, String)> {
        let chars = plain_digits(text);
        figures(&chars, &dates(&chars), decimal)
            .into_iter()
            .map(|one| {
                let middle = if one.low.is_infinite() {
                    one.high
                } else if one.high.is_infinite() {
                    one.low
                } else {
                    (one.low + one.high) / 2.0
                };
                ((middle * 1e6).round() / 1e6, one.unit)
            })
            .collect()
    }

    fn check(text: &str, expected: &[(f64, &str)]) {
        let expected: Vec<(f64, String)> = expected.iter().map(|(value, unit)| (*value, (*unit).to_owned())).collect();
        assert_eq!(found(text, Decimal::Point), expected, "{text}");
    }

    #[test]
    fn figures_with_scale_and_unit() {
        check("EUR 4.2 million, €4.2m, 4.2 million euros", &[(4.2e6, "EUR"), (4.2e6, "EUR"), (4.2e6, "EUR")]);
        check(
            "$3bn and US$ 1,250 and 12.5% and 12 percent",
            &[(3e9, "USD"), (1250.0, "USD"), (12.5, "%"), (12.0, "%")],
        );
        check("120 employees and 5k users, -3 degrees", &[(120.0, ""), (5e3, ""), (-3.0, "")]);
        check("2023년 매출은 42억 원, 3억 5천만 원", &[(4.2e9, "KRW"), (3.5e8, "KRW")]);
        check("売上高は42億円、従業員は1,200人", &[(4.2e9, "JPY"), (1200.0, "")]);
        check("收入为３.５亿元，增长１２％", &[(3.5e8, "CNY"), (12.0, "%")]);
        check("4 t, 4000 kg, 90 km/h, 5 EUR per tonne", &[(4e3, "kg"), (4e3, "kg"), (25.0, "m/s"), (0.005, "EUR/kg")]);
        check("1,94 milyar TL, %87,3 oldu, 302,4 mln zł", &[(1.94e9, "TRY"), (87.3, "%"), (302.4e6, "PLN")]);
        check(
            "14.3 millions de mètres cubes en 2023, 5.2 bar, 2.50 dollars",
            &[(14.3e9, "l"), (5.2, "bar"), (2.5, "USD")],
        );
        check("15 Mayıs, 22 June, June 22, 6月22日, 40 машин", &[(40.0, "")]);
        check("more than 100 sites, up to 3 days, 3–5 million", &[(100.0, ""), (259_200.0, "s"), (4e6, "")]);
    }

    #[test]
    fn numbers_that_measure_nothing() {
        check("Section 3, version 2.1, COVID-19, A4, 10:30, 3/4, 21st, #7, in 2023", &[]);
        check("할라 3호, 심해5호, 第2期, 2차 사업", &[]);
    }

    #[test]
    fn decimals_of_languages_with_a_comma() {
        assert_eq!(
            found("4,2 Mio. EUR und 1.250 Stück und 1 250", Decimal::Comma),
            vec![(4.2e6, "EUR".to_owned()), (1250.0, String::new()), (1250.0, String::new()),]
        );
    }

    #[test]
    fn rounding_and_bounds_do_not_disagree() {
        for (a, b, expected) in [
            ("4.2 million", "4,213,000", false),
            ("4.2 million", "4.3 million", true),
            ("about 120", "118", false),
            ("120", "121", true),
            ("more than 100", "120", false),
            ("more than 100", "90", true),
            ("3–5", "4", false),
            ("12%", "12.4%", false),
        ] {
            let one = |text: &str| {
                let chars = plain_digits(text);
                figures(&chars, &[], Decimal::Point).remove(0)
            };
            assert_eq!(one(a).disagrees(&one(b)), expected, "{a} / {b}");
        }
    }
}
