//! Dates and periods in running text: years, quarters, months, days, in the forms of several languages.
//!
//! Owns the scanner. It must not know sentences or sources, and it reads no clock: a date is only what is written.

use std::fmt;

/// A stretch of time that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Period {
    Year(u16),
    Half(u16, u8),
    Quarter(u16, u8),
    Month(u16, u8),
    Day(u16, u8, u8),
    Years(u16, u16),
}

impl Period {
    /// The year it lies in, or ends in.
    pub(crate) fn year(self) -> u16 {
        match self {
            Self::Year(year)
            | Self::Half(year, _)
            | Self::Quarter(year, _)
            | Self::Month(year, _)
            | Self::Day(year, _, _)
            | Self::Years(_, year) => year,
        }
    }

    /// Whether two dates can both be true of one event: the finer one lies within the coarser one.
    pub(crate) fn agrees(self, other: Self) -> bool {
        let (from, to) = self.days();
        let (other_from, other_to) = other.days();
        (from <= other_from && other_to <= to) || (other_from <= from && to <= other_to)
    }

    /// The middle of it as a number that grows with time.
    pub(crate) fn ordinal(self) -> u32 {
        let (from, to) = self.days();
        from.midpoint(to)
    }

    /// First and last day, on a calendar in which every month has 31 days; good enough to compare.
    fn days(self) -> (u32, u32) {
        let day = |year: u16, month: u8, day: u8| (u32::from(year) * 12 + u32::from(month) - 1) * 31 + u32::from(day);
        match self {
            Self::Year(year) => (day(year, 1, 1), day(year, 12, 31)),
            Self::Half(year, half) => (day(year, half * 6 - 5, 1), day(year, half * 6, 31)),
            Self::Quarter(year, quarter) => (day(year, quarter * 3 - 2, 1), day(year, quarter * 3, 31)),
            Self::Month(year, month) => (day(year, month, 1), day(year, month, 31)),
            Self::Day(year, month, of_month) => (day(year, month, of_month), day(year, month, of_month)),
            Self::Years(from, to) => (day(from, 1, 1), day(to, 12, 31)),
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Year(year) => write!(out, "{year}"),
            Self::Half(year, half) => write!(out, "{year} H{half}"),
            Self::Quarter(year, quarter) => write!(out, "{year} Q{quarter}"),
            Self::Month(year, month) => write!(out, "{year}-{month:02}"),
            Self::Day(year, month, day) => write!(out, "{year}-{month:02}-{day:02}"),
            Self::Years(from, to) => write!(out, "{from}–{to}"),
        }
    }
}

/// A date with its place, counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) period: Period,
}

/// All dates of a text whose digits were made plain, see `plain_digits`.
pub(crate) fn dates(chars: &[char]) -> Vec<Dated> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let is_start = at == 0 || !chars[at - 1].is_ascii_alphanumeric();
        let date = if !is_start {
            None
        } else if chars[at].is_ascii_digit() {
            from_number(chars, at)
        } else if chars[at].is_alphabetic() {
            from_word(chars, at)
        } else {
            None
        };
        match date {
            Some((end, period)) => {
                found.push(Dated { start: at, end, period });
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The year of a day that is written without one.
pub(crate) const NO_YEAR: u16 = 0;

/// Days that are written without a year, where no full date stands: `14 June`, `5. Juli`, `3月15日`.
pub(crate) fn bare_days(chars: &[char], known: &[Dated]) -> Vec<Dated> {
    let mut found: Vec<Dated> = Vec::new();
    for at in 0..chars.len() {
        let is_start =
            at == 0 || !chars[at - 1].is_alphanumeric() || (chars[at - 1] > '\u{2e00}' && chars[at].is_ascii_digit());
        let is_taken = known.iter().chain(&found).any(|date| date.start <= at && at < date.end);
        if !is_start || is_taken {
            continue;
        }
        if let Some((end, month, day)) = bare_day(chars, at) {
            found.push(Dated { start: at, end, period: Period::Day(NO_YEAR, month, day) });
        }
    }
    found
}

/// Behind the sign of an ordinal: `1º giugno`, `1er mai`, `1ª`.
fn ordinal_end(chars: &[char], end: usize) -> usize {
    end + usize::from(matches!(chars.get(end), Some('º' | '°' | 'ª')))
}

fn bare_day(chars: &[char], at: usize) -> Option<(usize, u8, u8)> {
    if chars[at].is_ascii_digit() {
        let (first, end) = small(chars, at, 31)?;
        if matches!(chars.get(end), Some('월' | '月')) {
            let (day, day_end) = small(chars, skip(chars, end + 1, " "), 31)?;
            return (first <= 12 && matches!(chars.get(day_end), Some('일' | '日'))).then_some((
                day_end + 1,
                first,
                day,
            ));
        }
        let at = skip(chars, after_link(chars, ordinal_end(chars, end)), ". ");
        let (name, name_end) = word(chars, at);
        let (name, name_end) = match name.as_str() {
            "st" | "nd" | "rd" | "th" => {
                let (next, next_end) = word(chars, skip(chars, name_end, " "));
                if next == "of" { word(chars, skip(chars, next_end, " ")) } else { (next, next_end) }
            }
            _ => (name, name_end),
        };
        // "5 mar" is short for anything.
        let month =
            month(&name).filter(|_| name.chars().count() > 3 || name == "may" || name == "mai" || name == "май")?;
        return Some((name_end, month, first));
    }
    let (name, end) = word(chars, at);
    // "quince de septiembre", "el dos de mayo"
    if let Some(day) = super::number_words::small(&name) {
        let from = after_link(chars, end);
        let (of, of_end) = word(chars, skip(chars, from, " "));
        // "due June" is no second of June.
        let month = month(&of).filter(|_| from > end)?;
        return Some((of_end, month, u8::try_from(day).ok()?));
    }
    let month = month(&name).filter(|_| name.chars().count() > 3 || name == "may")?;
    let (day, day_end) = small(chars, skip(chars, end, " "), 31)?;
    let is_more = chars.get(day_end).is_some_and(|c| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | ':') && chars.get(day_end + 1).is_some_and(char::is_ascii_digit)
    });
    (chars.get(end) == Some(&' ') && !is_more).then_some((day_end, month, day))
}

/// Digits of every script as ASCII digits, and wide signs as narrow ones; the length stays the same.
pub(crate) fn plain_digits(text: &str) -> Vec<char> {
    let plain = text
        .chars()
        .map(|c| match c {
            '\u{0660}'..='\u{0669}' => digit(c, 0x660),
            '\u{06f0}'..='\u{06f9}' => digit(c, 0x6f0),
            '\u{0966}'..='\u{096f}' => digit(c, 0x966),
            '\u{ff10}'..='\u{ff19}' => digit(c, 0xff10),
            '\u{066b}' | '．' => '.',
            '\u{066c}' | '，' => ',',
            '％' | '\u{066a}' => '%',
            '−' | '－' => '-',
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}' => ' ',
            c => c,
        })
        .collect();
    with_groups(plain, text)
}

/// A narrow or unbreakable space between groups of digits only groups them.
fn with_groups(mut chars: Vec<char>, text: &str) -> Vec<char> {
    for (index, c) in text.chars().enumerate() {
        let is_gap = matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}');
        let digits =
            |range: std::ops::Range<usize>| chars.get(range).is_some_and(|part| part.iter().all(char::is_ascii_digit));
        if is_gap
            && index > 0
            && digits(index - 1..index)
            && digits(index + 1..index + 4)
            && !digits(index + 4..index + 5)
            && !digits(index.saturating_sub(4)..index)
        {
            chars[index] = '’';
        }
    }
    chars
}

fn digit(c: char, zero: u32) -> char {
    char::from_digit((c as u32).saturating_sub(zero), 10).unwrap_or(c)
}

type Found = Option<(usize, Period)>;

fn from_number(chars: &[char], at: usize) -> Found {
    let (first, end) = number(chars, at)?;
    match end - at {
        4 => from_year(chars, at, u16::try_from(first).ok()?, end),
        1 | 2 => from_day(chars, u8::try_from(first).ok()?, end),
        _ => None,
    }
}

/// What begins with four digits.
fn from_year(chars: &[char], at: usize, year: u16, end: usize) -> Found {
    if !(1500..=2199).contains(&year) {
        return None;
    }
    if let Some(sign) = chars.get(end).copied().filter(|c| matches!(c, '-' | '/' | '.'))
        && let Some((month, month_end)) = small(chars, end + 1, 12)
    {
        if chars.get(month_end) == Some(&sign)
            && let Some((day, day_end)) = small(chars, month_end + 1, 31)
        {
            return Some((day_end, Period::Day(year, month, day)));
        }
        if sign == '-' && month_end == end + 3 {
            return Some((month_end, Period::Month(year, month)));
        }
    }
    if matches!(chars.get(end), Some('년' | '年')) {
        return Some(east_asian(chars, year, end + 1));
    }
    let gap = skip(chars, end, " -/");
    if let Some((quarter, quarter_end)) = prefixed(chars, gap, 'Q', 4) {
        return Some((quarter_end, Period::Quarter(year, quarter)));
    }
    if let Some((half, half_end)) = prefixed(chars, gap, 'H', 2) {
        return Some((half_end, Period::Half(year, half)));
    }
    if matches!(chars.get(end), Some('-' | '–' | '/'))
        && let Some((to, to_end)) = number(chars, end + 1)
    {
        let to = if to_end - end == 3 { u32::from(year) / 100 * 100 + to } else { to };
        if let Ok(to) = u16::try_from(to)
            && to > year
            && to <= year.saturating_add(200)
            && matches!(to_end - end, 3 | 5)
        {
            return Some((to_end, Period::Years(year, to)));
        }
    }
    is_year(chars, at, end).then_some((end, Period::Year(year)))
}

fn east_asian(chars: &[char], year: u16, after: usize) -> (usize, Period) {
    let at = skip(chars, after, " 第제");
    let Some((number, end)) = small(chars, at, 12) else { return (after, Period::Year(year)) };
    let rest: String = chars[end..chars.len().min(end + 3)].iter().collect();
    for name in ["분기", "四半期", "季度"] {
        if rest.starts_with(name) && number <= 4 {
            return (end + name.chars().count(), Period::Quarter(year, number));
        }
    }
    if !matches!(chars.get(end), Some('월' | '月')) {
        return (after, Period::Year(year));
    }
    let day_at = skip(chars, end + 1, " ");
    match small(chars, day_at, 31) {
        Some((day, day_end)) if matches!(chars.get(day_end), Some('일' | '日')) => {
            (day_end + 1, Period::Day(year, number, day))
        }
        _ => (end + 1, Period::Month(year, number)),
    }
}

/// What begins with one or two digits: `5 April 2023`, `5.4.2023`.
fn from_day(chars: &[char], first: u8, end: usize) -> Found {
    if let Some(sign) = chars.get(end).copied().filter(|c| matches!(c, '.' | '/' | '-'))
        && let Some((second, second_end)) = small(chars, end + 1, 31)
        && chars.get(second_end) == Some(&sign)
        && let Some((year, year_end)) = year(chars, second_end + 1)
    {
        let period = match (sign, first, second) {
            ('.', 1..=31, 1..=12) => Period::Day(year, second, first),
            (_, 13..=31, 1..=12) => Period::Day(year, second, first),
            (_, 1..=12, 13..=31) => Period::Day(year, first, second),
            // 4/5/2023 is read one way here and the other way there: only the year is sure.
            _ => Period::Year(year),
        };
        return Some((year_end, period));
    }
    let end = after_link(chars, ordinal_end(chars, end));
    let (name, name_end) = word(chars, skip(chars, end, ". thndrs"));
    let at = if month(&name).is_some() { name_end } else { 0 };
    let (name, at) = if at > 0 { (name, at) } else { word(chars, skip(chars, end, ". ")) };
    let month = month(&name)?;
    let (year, year_end) = year(chars, skip(chars, after_link(chars, at), " .,"))?;
    (1..=31).contains(&first).then_some((year_end, Period::Day(year, month, first)))
}

/// `昭和51年`, `令和6年5月22日`, `平成元年`.
fn from_era(chars: &[char], at: usize) -> Found {
    const ERAS: [(&str, u16); 5] = [("明治", 1867), ("大正", 1911), ("昭和", 1925), ("平成", 1988), ("令和", 2018)];
    let name: String = chars.get(at..at + 2)?.iter().collect();
    let (_, before) = ERAS.iter().find(|(era, _)| *era == name)?;
    let from = skip(chars, at + 2, " ");
    let (number, end) = match chars.get(from) {
        Some('元') => (1, from + 1),
        _ => small(chars, from, 64)?,
    };
    let behind: String = chars[end..chars.len().min(end + 2)].iter().collect();
    // 令和5年度 is a year of accounts.
    (behind.starts_with('年')).then(|| east_asian(chars, before + u16::from(number), end + 1))
}

/// Behind the `de` of `12 de mayo de 2025`, if there is one.
fn after_link(chars: &[char], end: usize) -> usize {
    match word(chars, skip(chars, end, " ")) {
        (link, link_end) if matches!(link.as_str(), "de" | "del" | "er") => link_end,
        _ => end,
    }
}

/// What begins with a word: `April 2023`, `April 5, 2023`, `Q1 2023`, `FY2023`, `first quarter of 2023`.
fn from_word(chars: &[char], at: usize) -> Found {
    for (letter, most) in [('Q', 4), ('H', 2)] {
        if let Some((number, end)) = prefixed(chars, at, letter, most)
            && let Some((year, year_end)) = year(chars, skip(chars, end, " /-'"))
        {
            let period = if letter == 'Q' { Period::Quarter(year, number) } else { Period::Half(year, number) };
            return Some((year_end, period));
        }
    }
    if chars[at..].starts_with(&['F', 'Y'])
        && let Some((year, end)) = year(chars, skip(chars, at + 2, " "))
    {
        return Some((end, Period::Year(year)));
    }
    if let Some(found) = from_era(chars, at) {
        return Some(found);
    }
    let (name, end) = word(chars, at);
    if let Some(number) = ordinal(&name) {
        return from_ordinal(chars, number, end);
    }
    let month = month(&name)?;
    let after = skip(chars, after_link(chars, end), " .,");
    if let Some((year, year_end)) = year(chars, after) {
        return Some((year_end, Period::Month(year, month)));
    }
    let (day, day_end) = small(chars, after, 31)?;
    let (year, year_end) = year(chars, skip(chars, day_end, " ,thndrs"))?;
    Some((year_end, Period::Day(year, month, day)))
}

fn from_ordinal(chars: &[char], number: u8, end: usize) -> Found {
    let (kind, kind_end) = word(chars, skip(chars, end, " -"));
    let mut at = skip(chars, kind_end, " ");
    let (of, of_end) = word(chars, at);
    if matches!(of.as_str(), "of" | "in" | "de" | "del" | "des" | "du" | "von" | "im") {
        at = skip(chars, of_end, " ");
    }
    let (year, year_end) = year(chars, at)?;
    match kind.as_str() {
        "quarter" | "quartal" | "trimestre" | "квартал" | "квартале" | "квартала" => {
            Some((year_end, Period::Quarter(year, number)))
        }
        "half" | "halbjahr" | "semestre" | "полугодие" | "полугодии" if number <= 2 => {
            Some((year_end, Period::Half(year, number)))
        }
        _ => None,
    }
}

/// Four digits are a year unless something says that they count or measure.
fn is_year(chars: &[char], at: usize, end: usize) -> bool {
    const BEFORE: &str = "$€£¥₩.,#";
    let touches = at.checked_sub(1).map(|index| chars[index]);
    if touches.is_some_and(|c| BEFORE.contains(c) || (c == '-' && at > 1 && chars[at - 2].is_alphanumeric())) {
        return false;
    }
    // "/pay/1543" is a place, "5億2000万円" an amount.
    let is_in_path = touches.is_some_and(|c| matches!(c, '/' | '=' | '_'))
        && at.checked_sub(2).is_none_or(|index| !chars[index].is_ascii_digit());
    let is_scaled = touches.is_some_and(|c| !c.is_ascii() && super::units::attached_scale(c).is_some());
    if is_in_path || is_scaled || chars.get(end).is_some_and(|c| counts_east_asian(*c)) {
        return false;
    }
    let next = chars.get(end).copied();
    let after_next = chars.get(end + 1).copied();
    if next.is_some_and(|c| c == '%' || c.is_alphabetic() && c.is_ascii())
        || (next.is_some_and(|c| matches!(c, '.' | ',' | ':')) && after_next.is_some_and(|c| c.is_ascii_digit()))
    {
        return false;
    }
    let before = word_before(chars, at);
    if super::units::is_currency(&before) {
        return false;
    }
    let (after, _) = word(chars, skip(chars, end, " "));
    let number: u32 = chars[at..end].iter().collect::<String>().parse().unwrap_or(0);
    // "2025 sales rose": a count of things is rarely just such a number.
    if (1990..=2049).contains(&number)
        && !number.is_multiple_of(100)
        && super::vocabulary::is_measure(&super::words::stem(&after))
    {
        return true;
    }
    if super::units::scale(&after).is_some() || super::units::unit(&after).is_some() {
        return false;
    }
    const TIME: &str =
        " in since of year until till from by during for fiscal seit im jahr bis en desde depuis and to vs ";
    let in_time = TIME.contains(&format!(" {before} ")) && !before.is_empty();
    in_time
        || !(COUNTED.contains(&after.as_str())
            || (after.len() > 3
                && after.ends_with('s')
                && !["ss", "us", "is"].iter().any(|ending| after.ends_with(ending))
                && after != "was"))
}

/// Whether a sign that touches the number says that it counts: 1500万, 1650개, 1800名. Years have 年 or 년 there.
fn counts_east_asian(c: char) -> bool {
    let is_year = matches!(c, '年' | '년' | '财' | '学' | '會' | '会' | '회' | '학' | '에' | '의' | '은' | '부' | '과');
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}') && !is_year
}

const COUNTED: [&str; 6] = ["people", "mitarbeiter", "einwohner", "personen", "staff", "children"];

fn word_before(chars: &[char], at: usize) -> String {
    let end = (0..at).rev().find(|index| chars[*index] != ' ').map_or(0, |index| index + 1);
    let start = (0..end).rev().find(|index| !chars[*index].is_alphabetic()).map_or(0, |index| index + 1);
    chars[start..end].iter().collect::<String>().to_lowercase()
}

fn skip(chars: &[char], from: usize, signs: &str) -> usize {
    (from..chars.len()).find(|index| !signs.contains(chars[*index])).unwrap_or(chars.len())
}

fn number(chars: &[char], at: usize) -> Option<(u32, usize)> {
    let end = (at..chars.len()).find(|index| !chars[*index].is_ascii_digit()).unwrap_or(chars.len());
    if end == at || end - at > 9 {
        return None;
    }
    chars[at..end].iter().collect::<String>().parse().ok().map(|value| (value, end))
}

fn small(chars: &[char], at: usize, most: u8) -> Option<(u8, usize)> {
    let (value, end) = number(chars, at)?;
    let value = u8::try_from(value).ok()?;
    ((1..=most).contains(&value) && end - at <= 2).then_some((value, end))
}

fn year(chars: &[char], at: usize) -> Option<(u16, usize)> {
    let (value, end) = number(chars, at)?;
    let value = u16::try_from(value).ok()?;
    (end - at == 4 && (1500..=2199).contains(&value)).then_some((value, end))
}

fn prefixed(chars: &[char], at: usize, letter: char, most: u8) -> Option<(u8, usize)> {
    (chars.get(at) == Some(&letter)).then(|| small(chars, at + 1, most)).flatten()
}

fn word(chars: &[char], at: usize) -> (String, usize) {
    let end = (at..chars.len()).find(|index| !chars[*index].is_alphabetic()).unwrap_or(chars.len());
    (chars[at.min(end)..end].iter().collect::<String>().to_lowercase(), end)
}

fn ordinal(word: &str) -> Option<u8> {
    match word {
        "first" | "erstes" | "erste" | "ersten" | "premier" | "primer" | "первый" | "первом" | "первое" => {
            Some(1)
        }
        "second" | "zweites" | "zweite" | "zweiten" | "deuxième" | "segundo" | "второй" | "втором" => {
            Some(2)
        }
        "third" | "drittes" | "dritte" | "dritten" | "troisième" | "tercer" | "третий" | "третьем" => {
            Some(3)
        }
        "fourth" | "viertes" | "vierte" | "vierten" | "quatrième" | "cuarto" | "четвертый" | "четвёртом" => {
            Some(4)
        }
        _ => None,
    }
}

/// The number of a month by its name, in lower case.
pub(crate) fn month(name: &str) -> Option<u8> {
    const NAMES: [&str; 12] = [
        "january jan januar janvier enero gennaio janeiro январь января январе يناير styczeń stycznia styczniu ocak",
        "february feb februar février febrero febbraio fevereiro февраль февраля феврале فبراير luty lutego lutym şubat",
        "march mar märz mars marzo março март марта марте مارس marzec marca marcu mart",
        "april apr avril abril aprile апрель апреля апреле أبريل kwiecień kwietnia kwietniu nisan",
        "may mai mayo maggio maio май мая мае مايو maj maja maju mayıs",
        "june jun juni juin junio giugno junho июнь июня июне يونيو czerwiec czerwca czerwcu haziran",
        "july jul juli juillet julio luglio julho июль июля июле يوليو lipiec lipca lipcu temmuz",
        "august aug août agosto август августа августе أغسطس sierpień sierpnia sierpniu ağustos",
        "september sep sept septembre septiembre settembre setembro сентябрь сентября сентябре سبتمبر wrzesień września wrześniu eylül",
        "october oct oktober okt octobre octubre ottobre outubro октябрь октября октябре أكتوبر październik października październiku ekim",
        "november nov novembre noviembre novembro ноябрь ноября ноябре نوفمبر listopad listopada listopadzie kasım",
        "december dec dezember dez décembre diciembre dicembre dezembro декабрь декабря декабре ديسمبر grudzień grudnia grudniu aralık",
    ];
    let index = NAMES.iter().position(|names| names.split(' ').any(|known| known == name))?;
    u8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = dates(&plain_digits(text)).iter().map(|one| one.period.to_string()).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn dates_in_the_forms_people_write() {
        check("on 2023-04-05 and 2023-06", &["2023-04-05", "2023-06"]);
        check("5 April 2023, April 5, 2023, the 5th April 2023", &["2023-04-05", "2023-04-05", "2023-04-05"]);
        check("Am 5. April 2023 und am 5.4.2023", &["2023-04-05", "2023-04-05"]);
        check("April 2023, Q1 2023, 2023 Q2, first quarter of 2023", &["2023-04", "2023 Q1", "2023 Q2", "2023 Q1"]);
        check("2023년 4월 5일, 2023년 1분기, 2023년", &["2023-04-05", "2023 Q1", "2023"]);
        check("2023年4月5日、2023年第1四半期に", &["2023-04-05", "2023 Q1"]);
        check("in 2023, FY2022, 2019–2021, 2019-21", &["2023", "2022", "2019–2021", "2019–2021"]);
        check("15 Mayıs 2023, 3 Şubat 2024, 20 lutego 2024 r.", &["2023-05-15", "2024-02-03", "2024-02-20"]);
        check("according to the 2020 census", &["2020"]);
        check("٢٠٢٣ و २०२३", &["2023", "2023"]);
        check("4/5/2023 or 13/5/2023", &["2023", "2023-05-13"]);
    }

    #[test]
    fn days_without_a_year() {
        let check = |text: &str, expected: &[(u8, u8)]| {
            let chars = plain_digits(text);
            let found: Vec<(u8, u8)> = bare_days(&chars, &dates(&chars))
                .iter()
                .filter_map(
                    |one| if let Period::Day(NO_YEAR, month, day) = one.period { Some((month, day)) } else { None },
                )
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        check("Saturday 14 June, the 3rd of May, August 9", &[(6, 14), (5, 3), (8, 9)]);
        check("am 5. Juli und am 9. Mai", &[(7, 5), (5, 9)]);
        check("le 4 avril, el 12 de octubre, ١٢ أكتوبر", &[(4, 4), (10, 12), (10, 12)]);
        check("축제는 5월 17일에, 蔵開きは3月15日に", &[(5, 17), (3, 15)]);
        check("14 June 2024, 2023年4月5日, may 3.5, 7 marches", &[]);
    }

    #[test]
    fn numbers_that_are_no_dates() {
        check("2000 employees, EUR 2023, 2023 million, $1999, 2023.5, A-2023, 2000%", &[]);
        check("1500万元 5億2000万円 path=/pay/1543 1650개를 1800名", &[]);
        check("中方承担的经费为2023年1500万元", &["2023"]);
        check("H2O and Q4 and May I", &[]);
    }

    #[test]
    fn a_finer_date_agrees_with_the_coarser_one_it_lies_in() {
        assert!(Period::Day(2023, 4, 5).agrees(Period::Year(2023)));
        assert!(Period::Quarter(2023, 2).agrees(Period::Month(2023, 4)));
        assert!(!Period::Quarter(2023, 1).agrees(Period::Month(2023, 4)));
        assert!(!Period::Year(1998).agrees(Period::Year(1999)));
    }
}
