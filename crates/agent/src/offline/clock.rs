//! Times of the day in running text: `14:30`, `half past two`, `18 Uhr`, `午後3時`, in the forms of several languages.
//!
//! Owns the scanner. It must not know what happens then. A time is told in minutes since midnight; whether morning or evening is
//! meant is often left unsaid, so times are compared on a clock of twelve hours.

use super::figures::{Figure, next_word, word_before};

/// The unit of a time of the day.
pub(crate) const CLOCK: &str = "(clock)";
/// Minutes of half a day.
pub(crate) const HALF_DAY: f64 = 720.0;

/// All times of the day in a text whose digits were made plain.
pub(crate) fn clocks(chars: &[char]) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match digits(chars, at).or_else(|| spelled(chars, at)) {
            Some((start, end, minutes)) => {
                let minutes = f64::from(minutes);
                found.push(Figure { start, end, low: minutes, high: minutes, unit: CLOCK.to_owned() });
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    found
}

/// How far two times lie apart on a clock of twelve hours, in minutes.
pub(crate) fn apart(one: &Figure, other: &Figure) -> f64 {
    let between = (one.low - other.low).rem_euclid(HALF_DAY);
    between.min(HALF_DAY - between)
}

type Found = Option<(usize, usize, u16)>;

/// At most two digits that nothing touches from the left, and where they end.
fn number(chars: &[char], at: usize, most: u16) -> Option<(u16, usize)> {
    let end = (at..chars.len()).find(|index| !chars[*index].is_ascii_digit()).unwrap_or(chars.len());
    let value: u16 = chars.get(at..end)?.iter().collect::<String>().parse().ok()?;
    (end - at <= 2 && value <= most).then_some((value, end))
}

fn digits(chars: &[char], at: usize) -> Found {
    let before = at.checked_sub(1).map(|index| chars[index]);
    if !chars[at].is_ascii_digit()
        || before
            .is_some_and(|c| c.is_ascii_alphanumeric() && c != 'T' || matches!(c, ':' | '.' | ',' | '/' | '-' | '+'))
            && !is_range(chars, at)
    {
        return None;
    }
    let (hour, end) = number(chars, at, 24)?;
    let two = |from: usize| number(chars, from, 59).filter(|(_, to)| to - from == 2);
    let sign = chars.get(end).copied();
    if let Some('時' | '시') = sign {
        return asian(chars, at, hour, end + 1);
    }
    if sign == Some(':')
        && let Some((minute, minute_end)) = two(end + 1)
    {
        // 14:30:05, 3:12:40 run on.
        let is_longer = chars.get(minute_end) == Some(&':') && before != Some('T');
        return (!is_longer).then(|| half_of_day(chars, at, minute_end, hour, minute));
    }
    // 6 h 40, 15h, à 18 h
    let gap = end + usize::from(chars.get(end) == Some(&' '));
    if chars.get(gap) == Some(&'h') && !chars.get(gap + 1).is_some_and(|c| c.is_alphabetic()) {
        let from = gap + 1 + usize::from(chars.get(gap + 1) == Some(&' '));
        if let Some((minute, minute_end)) = two(from) {
            return Some((at, minute_end, hour * 60 + minute));
        }
        let is_at = matches!(
            word_before(chars, at).as_str(),
            "à" | "vers" | "dès" | "jusqu'à" | "às" | "las" | "avant" | "après"
        );
        return is_at.then_some((at, gap + 1, hour * 60));
    }
    // 17,30 and 10.00 are times behind or before a word that says so.
    let (minute, rest) = match sign {
        Some('.' | ',') => two(end + 1).unwrap_or((0, end)),
        _ => (0, end),
    };
    if chars.get(rest).is_some_and(char::is_ascii_digit) {
        return None;
    }
    let (next, next_end) = next_word(chars, rest);
    let leads = word_before(chars, at);
    let is_leading = matches!(leads.as_str(), "ore" | "alle" | "dalle" | "kl" | "klockan" | "godz" | "saat" | "الساعة");
    let is_spoken = matches!(
        leads.as_str(),
        "od" | "do" | "le" | "von" | "um" | "ab" | "gegen" | "om" | "tot" | "vanaf" | "las" | "às" | "até"
    );
    let is_priced = chars[rest..chars.len().min(rest + 2)].iter().any(|c| super::units::currency_sign(*c).is_some());
    let is_measured = is_priced || super::units::unit(&next).is_some() || chars.get(rest) == Some(&'%');
    let is_round = sign == Some('.') && rest > end && minute.is_multiple_of(5) && !is_measured;
    match next.as_str() {
        _ if is_spoken && is_round => Some((at, rest, hour * 60 + minute)),
        "uhr" | "uur" | "o'clock" | "oclock" => Some((at, next_end, hour * 60 + minute)),
        "am" | "pm" | "a.m" | "p.m" => Some(half_of_day(chars, at, rest, hour, minute)),
        "horas" if minute > 0 || matches!(leads.as_str(), "las" | "às") => Some((at, next_end, hour * 60 + minute)),
        "a" | "p" if chars.get(next_end) == Some(&'.') && chars.get(next_end + 1) == Some(&'m') => {
            Some(half_of_day(chars, at, rest, hour, minute))
        }
        "o" if chars.get(next_end).is_some_and(|c| matches!(c, '\'' | '’')) => Some((at, next_end + 6, hour * 60)),
        _ if is_leading => Some((at, rest, hour * 60 + minute)),
        _ => None,
    }
    .map(|(start, end, minutes)| (start, end.min(chars.len()), minutes))
}

/// Whether digits are the end of a stretch of time: `10:00-15:00`.
fn is_range(chars: &[char], at: usize) -> bool {
    at >= 2 && chars[at - 1] == '-' && (chars[at - 2].is_ascii_digit() || chars[at - 2] == ' ')
}

/// With what says whether the first or the second half of the day is meant.
fn half_of_day(chars: &[char], at: usize, end: usize, hour: u16, minute: u16) -> (usize, usize, u16) {
    let (next, next_end) = next_word(chars, end);
    let rest: String = chars[end..chars.len().min(end + 5)].iter().collect::<String>().to_lowercase();
    let is_dotted = rest.trim_start().starts_with("p.m") || rest.trim_start().starts_with("a.m");
    let is_second = next == "pm" || rest.trim_start().starts_with("p.m");
    let to = if matches!(next.as_str(), "am" | "pm") {
        next_end
    } else if is_dotted {
        (end + 5).min(chars.len())
    } else {
        end
    };
    let hour = if is_second && hour < 12 { hour + 12 } else { hour };
    (at, to, hour * 60 + minute)
}

/// `午後3時30分`, `오후 3시 반`; 三時間 is a stretch of time.
fn asian(chars: &[char], at: usize, hour: u16, from: usize) -> Found {
    if matches!(chars.get(from), Some('間' | '간'))
        || chars.get(from) == Some(&' ') && chars.get(from + 1) == Some(&'간')
    {
        return None;
    }
    let before: String = chars[at.saturating_sub(3)..at].iter().collect();
    let is_second = ["午後", "夜", "夕方", "오후", "저녁", "밤", "下午", "晚上"]
        .iter()
        .any(|word| before.trim_end().ends_with(word));
    let gap = from + usize::from(chars.get(from) == Some(&' '));
    let (minute, end) = match chars.get(gap) {
        Some('半' | '반') => (30, gap + 1),
        Some(c) if c.is_ascii_digit() => match number(chars, gap, 59) {
            Some((minute, end)) if matches!(chars.get(end), Some('分' | '분')) => (minute, end + 1),
            _ => (0, from),
        },
        _ => (0, from),
    };
    let hour = if is_second && hour < 12 { hour + 12 } else { hour };
    Some((at, end, hour * 60 + minute))
}

/// Hours in words: `half past two`, `halb drei`, 七時.
fn spelled(chars: &[char], at: usize) -> Found {
    const SIGNS: &str = "一二三四五六七八九十";
    if let Some(index) = SIGNS.chars().position(|c| c == chars[at])
        && !at.checked_sub(1).is_some_and(|before| SIGNS.contains(chars[before]) || chars[before].is_ascii_digit())
    {
        let first = u16::try_from(index).unwrap_or(0) + 1;
        let more = chars.get(at + 1).and_then(|c| SIGNS.chars().position(|known| known == *c));
        let (hour, end) = match (first, more) {
            (10, Some(more @ 0..=1)) => (11 + u16::try_from(more).unwrap_or(0), at + 2),
            _ => (first, at + 1),
        };
        return if chars.get(end) == Some(&'時') { asian(chars, at, hour, end + 1) } else { None };
    }
    if !chars[at].is_alphabetic() || at > 0 && chars[at - 1].is_alphanumeric() {
        return None;
    }
    let (first, first_end) = next_word(chars, at);
    let hour = |word: &str| {
        super::number_words::small(word)
            .filter(|hour| (1..=12).contains(hour))
            .and_then(|hour| u16::try_from(hour).ok())
    };
    let (second, second_end) = next_word(chars, first_end);
    let (third, third_end) = next_word(chars, second_end);
    let past = |minutes: i16| -> Found {
        let hour = i16::try_from(hour(&third)?).ok()?;
        Some((at, third_end, u16::try_from((hour * 60 + minutes).rem_euclid(720)).ok()?))
    };
    match (first.as_str(), second.as_str()) {
        ("half", "past") => past(30),
        ("quarter", "past") => past(15),
        ("quarter", "to") => past(-15),
        ("halb", _) if hour(&second).is_some() => Some((at, second_end, hour(&second)? * 60 - 30)),
        ("half", _) if hour(&second).is_some() && matches!(word_before(chars, at).as_str(), "om" | "vanaf") => {
            Some((at, second_end, hour(&second)? * 60 - 30))
        }
        ("noon" | "midday" | "mezzogiorno" | "mediodía", _) => Some((at, first_end, 720)),
        _ if matches!(word_before(chars, at).as_str(), "alle" | "dalle" | "ore" | "las" | "às")
            && hour_of_day(&first).is_some() =>
        {
            let (minutes, end) = quarters(chars, first_end);
            Some((at, end, hour_of_day(&first)? * 60 + minutes))
        }
        (_, "uhr" | "uur") => Some((at, second_end, hour(&first)? * 60)),
        (_, "o") => {
            let is_clock = matches!(chars.get(second_end), Some('\'' | '’'));
            is_clock.then_some((at, (second_end + 6).min(chars.len()), hour(&first)? * 60))
        }
        _ => None,
    }
}

fn hour_of_day(word: &str) -> Option<u16> {
    let hour = super::number_words::small(word)?;
    (1..=20).contains(&hour).then_some(u16::try_from(hour).ok()?)
}

/// `e un quarto`, `y media`: what is added to an hour, and where it ends.
fn quarters(chars: &[char], end: usize) -> (u16, usize) {
    const MORE: [(&str, u16); 10] = [
        (" e un quarto", 15),
        (" e mezza", 30),
        (" e mezzo", 30),
        (" e tre quarti", 45),
        (" e trenta", 30),
        (" y cuarto", 15),
        (" y media", 30),
        (" e meia", 30),
        (" e quinze", 15),
        (" y quince", 15),
    ];
    let ahead: String = chars[end..chars.len().min(end + 14)].iter().collect::<String>().to_lowercase();
    let found = MORE.iter().find(|(words, _)| ahead.starts_with(words));
    found.map_or((0, end), |(words, minutes)| (*minutes, end + words.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_day_are_read_in_the_forms_people_write() {
        for (text, expected) in [
            ("Doors at half past two, lunch at 12:30 and tea at 4 pm.", &[150, 750, 960][..]),
            ("Einlass ab 14:00 Uhr, Beginn 15 Uhr, Ende halb sechs", &[840, 900, 330]),
            ("à 6 h 40, puis à 15 h, pendant 24 h", &[400, 900]),
            ("ore 17,30; alle 11; alle diciotto e un quarto; a las ocho y media", &[1050, 660, 1095, 510]),
            ("土曜日は夜七時まで、午後3時30分から、三時間", &[1140, 930]),
            ("오후 3시 반부터", &[930]),
            ("2024-10-19T00:30, 14:30:05, ratio 3:1, 7,30 euros", &[30]),
            ("eight o'clock, from 9-11 am", &[480, 660]),
        ] {
            let chars: Vec<char> = text.chars().collect();
            let found: Vec<i32> = clocks(&chars).iter().map(|one| one.low as i32).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
