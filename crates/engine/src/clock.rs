//! Moments as people read them: by the clock on their wall. What is recorded is UTC; only what is shown is not.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A moment as documents spell it, by the clock here: `14:05:30`, with the date if that is not today.
pub fn clock(moment: &str) -> String {
    let zone = TimeZone::system();
    in_zone(moment, &Timestamp::now().to_zoned(zone))
}

fn in_zone(moment: &str, now: &Zoned) -> String {
    let Ok(time) = moment.parse::<Timestamp>() else { return moment.into() };
    let time = time.to_zoned(now.time_zone().clone());
    let form = if time.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    time.strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(moment: &str, expected: &str) {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("a moment");
        assert_eq!(in_zone(moment, &now.to_zoned(zone)), expected);
    }

    #[test]
    fn a_moment_is_shown_by_the_clock_here() {
        check("2026-03-01T12:05:30Z", "14:05:30");
        check("2026-03-01T22:05:30Z", "2026-03-02 00:05:30");
        check("soon", "soon");
    }
}
