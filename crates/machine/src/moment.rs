//! Moments as facts spell them: UTC, to the second, `2026-01-31T14:05:30Z`. Two of them compare as texts do. Arithmetic
//! only: what time it is comes from outside.

use alloc::format;
use alloc::string::{String, ToString};

const DAY: i64 = 86_400;
/// The last second that can be spelled.
const LAST: i64 = 253_402_300_799;

/// The moment so many seconds later; what is no moment stays as it is.
pub fn later(moment: &str, seconds: u64) -> String {
    match seconds_of(moment) {
        Some(start) => spelled(start.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX)).min(LAST)),
        None => moment.to_string(),
    }
}

/// How many seconds lie between two moments; none if the clock went back, or one of them is no moment.
pub fn seconds_between(earlier: &str, later: &str) -> u64 {
    let between = seconds_of(later).zip(seconds_of(earlier)).map_or(0, |(later, earlier)| later - earlier);
    u64::try_from(between).unwrap_or(0)
}

/// Seconds since 1970.
fn seconds_of(moment: &str) -> Option<i64> {
    let bytes = moment.as_bytes();
    let fits = bytes.len() == 20
        && bytes.iter().zip(b"0000-00-00T00:00:00Z").all(|(found, wanted)| match wanted {
            b'0' => found.is_ascii_digit(),
            _ => found == wanted,
        });
    let number = |from: usize, to: usize| moment.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4).filter(|_| fits)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_real = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    is_real.then(|| days_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second)
}

fn spelled(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Days since 1970 of a date. Years begin in March here, so that a leap day is the last of its year.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}

fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    // 400 years are 146,097 days, whatever years they are.
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted + 2) / 5 + 1)
}
