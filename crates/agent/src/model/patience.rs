//! Owns how long is waited before a call is made again: what the provider says, else longer each time, spread by chance
//! that is the same for the same attempt. Must not wait itself.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::settings::Retries;

/// The wait before the next try, `tried` of which there were already.
pub(super) fn wait_before(retries: &Retries, tried: u32, seed: u64, after: Option<Duration>) -> Duration {
    let doubled = retries.first_wait.saturating_mul(1_u32.checked_shl(tried.saturating_sub(1)).unwrap_or(u32::MAX));
    let most = doubled.min(retries.longest_wait);
    // Between a half and the whole, so that many who were turned away together do not come back together.
    let spread = most / 2 + (most / 2).mul_f64(fraction(seed, tried));
    after.map_or(spread, |after| after.max(spread.min(retries.first_wait)))
}

/// A number in 0..1 from a seed: the same for the same.
#[allow(clippy::cast_precision_loss)]
fn fraction(seed: u64, tried: u32) -> f64 {
    let mixed = mix(seed ^ u64::from(tried).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A seed from words.
pub(super) fn seed_of(words: &[&str]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What `Retry-After` says: seconds, or a date (`Wed, 21 Oct 2026 07:28:00 GMT`).
pub(super) fn retry_after(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let then = date(text)?;
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(Duration::from_secs(then).saturating_sub(now))
}

/// Seconds since 1970 of a date as HTTP writes it.
fn date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split_whitespace().collect::<Vec<_>>()[..] else { return None };
    let month = u64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()? + 1;
    let (day, year): (u64, u64) = (day.parse().ok()?, year.parse().ok()?);
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=31).contains(&day) || !(1970..=9999).contains(&year) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970, with years that begin in March.
    let (shifted, place) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * place + 2) / 5 + day;
    let days = days.checked_sub(719_469)?;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

/// The time of day of a moment, as a line of progress shows it.
pub(super) fn time_of_day(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() % 86_400;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BY-09: the provider's word counts; without it the wait doubles, and is the same for the same attempt.
    #[test]
    fn waits_grow_and_are_the_same_for_the_same() {
        let retries = Retries { most: 5, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(8) };
        let seed = seed_of(&["run-1", "7"]);
        for tried in 1..40 {
            let wait = wait_before(&retries, tried, seed, None);
            assert_eq!(wait, wait_before(&retries, tried, seed, None));
            let most = Duration::from_secs(1 << tried.min(4).saturating_sub(1));
            assert!(wait >= most / 2 && wait <= most, "{tried}: {wait:?}");
        }
        let spread: std::collections::BTreeSet<_> =
            (0..20).map(|fence| wait_before(&retries, 3, seed_of(&["run-1", &fence.to_string()]), None)).collect();
        assert_eq!(spread.len(), 20, "attempts do not come back together");
        let told = Duration::from_secs(300);
        assert_eq!(wait_before(&retries, 1, seed, Some(told)), told);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(retry_after(text, now), expected.map(Duration::from_secs), "{text}");
        };
        check("0", Some(0));
        check(" 120 ", Some(120));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:51:37 GMT", Some(120));
        check("Fri, 31 Dec 1993 23:59:59 GMT", Some(0));
        check("-1", None);
        check("soon", None);
        check("Sun, 99 Nov 1994 08:49:37 GMT", None);
        assert_eq!(date("Thu, 29 Feb 2024 00:00:00 GMT"), Some(1_709_164_800));
        assert_eq!(date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(time_of_day(now), "08:49:37 UTC");
    }
}
