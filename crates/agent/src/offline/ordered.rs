//! Whether names stand in an order of their own: months, weekdays, hours, ranges, numbered weeks.
//!
//! Owns the rule. It must not know tables or charts: it is given names in the order in which they stand.

use super::dates;

/// Whether names go on from one to the next, so that no other order makes sense of them.
pub(crate) fn is_ordered(names: &[&str]) -> bool {
    names.len() > 2 && (are_numbered(names) || follow(names, month) || follow(names, weekday))
}

/// `10–19`, `20–29`; `Week 7`, `Week 8`; `2024-01-01 10:00`: alike but for their numbers, which grow.
fn are_numbered(names: &[&str]) -> bool {
    let numbers = |name: &str| -> Option<Vec<u64>> {
        let parts = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        parts.map(|part| part.parse().ok()).collect()
    };
    let frame = |name: &str| -> String { name.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let Some(all) = names.iter().map(|name| numbers(name)).collect::<Option<Vec<_>>>() else { return false };
    let is_one_frame = names.windows(2).all(|pair| frame(pair[0]) == frame(pair[1]));
    is_one_frame && all.iter().all(|numbers| !numbers.is_empty()) && all.windows(2).all(|pair| pair[0] < pair[1])
}

/// Whether every name has a number, and each is the one after that of the name before it; the last is followed by the first.
fn follow(names: &[&str], number: fn(&str) -> Option<u8>) -> bool {
    let Some(all) = names.iter().map(|name| number(&name.trim().to_lowercase())).collect::<Option<Vec<_>>>() else {
        return false;
    };
    all.windows(2).all(|pair| pair[1] == pair[0] + 1 || (pair[1] == 1 && pair[0] > 6))
}

fn month(lower: &str) -> Option<u8> {
    dates::month(lower.trim_end_matches('.'))
}

fn weekday(lower: &str) -> Option<u8> {
    const DAYS: [&str; 7] = [
        "monday mon montag mo lundi lunes lunedì segunda poniedziałek maandag понедельник الاثنين 월 월요일 月 月曜日 星期一",
        "tuesday tue dienstag di mardi martes martedì terça wtorek dinsdag вторник الثلاثاء 화 화요일 火 火曜日 星期二",
        "wednesday wed mittwoch mi mercredi miércoles mercoledì quarta środa woensdag среда الأربعاء 수 수요일 水 水曜日 星期三",
        "thursday thu donnerstag do jeudi jueves giovedì quinta czwartek donderdag четверг الخميس 목 목요일 木 木曜日 星期四",
        "friday fri freitag fr vendredi viernes venerdì sexta piątek vrijdag пятница الجمعة 금 금요일 金 金曜日 星期五",
        "saturday sat samstag sa samedi sábado sabato sobota zaterdag суббота السبت 토 토요일 土 土曜日 星期六",
        "sunday sun sonntag so dimanche domingo domenica niedziela zondag воскресенье الأحد 일 일요일 日 日曜日 星期日",
    ];
    let index = DAYS.iter().position(|names| names.split(' ').any(|known| known == lower.trim_end_matches('.')))?;
    u8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_go_on_from_one_to_the_next() {
        for (names, expected) in [
            (&["10–19", "20–29", "30–39"][..], true),
            (&["Week 7", "Week 8", "Week 11"], true),
            (&["2024-01-01 10:00", "2024-01-01 10:05", "2024-01-02 09:00"], true),
            (&["Jan", "Feb", "Mar"], true),
            (&["Montag", "Dienstag", "Mittwoch"], true),
            (&["11月", "12月", "13月"], true),
            (&["Oakmere", "Halden", "Brekka"], false),
            (&["Room 3", "Room 1", "Room 2"], false),
            (&["May", "Jan", "Mar"], false),
            (&["A1", "A2"], false),
        ] {
            assert_eq!(is_ordered(names), expected, "{names:?}");
        }
    }
}
