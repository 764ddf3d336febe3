//! What a column of a table is: numbers with a unit, periods, labels, or notes; by its head and by its cells.
//!
//! Owns the reading of columns. It must not know what is made of them.

use std::collections::BTreeSet;

use super::cells;
use super::dates::{Period, dates, plain_digits};
use super::figures::Decimal;
use super::read::Table;
use super::units;
use super::vocabulary::{self, Part};
use super::words;

/// What the head of a column says: a measure with unit and scale, or the period, or a name.
pub(crate) struct Column {
    pub(crate) words: BTreeSet<String>,
    /// The words as they are written.
    pub(crate) shown: Vec<String>,
    pub(crate) unit: String,
    pub(crate) factor: f64,
    pub(crate) period: Option<Period>,
    pub(crate) is_plan: bool,
    pub(crate) action: Option<&'static str>,
    pub(crate) kind: ColumnKind,
    /// The signs that its cells have before and behind their numbers, where all have the same.
    pub(crate) signs: (String, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Number,
    Period,
    Label,
    Note,
}

pub(crate) fn columns(table: &Table, decimal: Decimal) -> Vec<Column> {
    (0..table.header.len()).map(|index| column(table, index, decimal)).collect()
}

fn column(table: &Table, index: usize, decimal: Decimal) -> Column {
    let head = table.header[index].replace('_', " ");
    let chars = plain_digits(&head);
    let found = dates(&chars);
    let mut column = Column {
        words: BTreeSet::new(),
        shown: Vec::new(),
        unit: String::new(),
        factor: 1.0,
        period: found.first().map(|date| date.period),
        is_plan: false,
        action: None,
        kind: kind(table, index, decimal),
        signs: signs(table, index),
    };
    for word in
        head.split(|c: char| c.is_whitespace() || "()[],/（）［］／・、".contains(c)).filter(|word| !word.is_empty())
    {
        let lower = word.to_lowercase();
        if let Some((unit, factor)) = scaled_unit(&lower) {
            unit.clone_into(&mut column.unit);
            column.factor *= factor;
        } else if let Some(factor) = units::scale(&lower) {
            column.factor *= factor;
        } else if let Some((unit, factor)) = units::unit(&lower).filter(|_| !is_period_head(&lower)) {
            unit.clone_into(&mut column.unit);
            column.factor *= factor;
        } else {
            take_words(word, &mut column);
        }
    }
    if column.unit.is_empty() && column.factor == 1.0 {
        take_stated_unit(&table.title, &mut column);
    }
    // A head in a script without spaces is shown as it is written: 日帰り客数.
    let plain = head.split(['(', '（', '[']).next().unwrap_or_default().trim();
    if !column.shown.is_empty() && plain.chars().any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'))
    {
        column.shown = vec![plain.to_owned()];
    }
    column
}

/// `(단위: 천원)`, `(unit: m)`: what the title says of all numbers below it.
fn take_stated_unit(title: &str, column: &mut Column) {
    const MARKS: [&str; 8] = ["unit:", "einheit:", "unité :", "unidad:", "단위:", "단위 :", "単位：", "单位："];
    let lower = title.to_lowercase();
    let Some((_, stated)) = MARKS.iter().find_map(|mark| lower.split_once(mark)) else { return };
    let stated = stated.split([')', '）', ']', ',', ';']).next().unwrap_or_default().trim();
    // A share is one, whatever the others are measured in.
    if column.signs.1.trim() == "%" || column.kind != ColumnKind::Number {
        return;
    }
    if let Some((unit, factor)) = scaled_unit(stated).or_else(|| units::unit(stated)) {
        unit.clone_into(&mut column.unit);
        column.factor *= factor;
    }
}

/// `千円`, `백만원`: a unit with a scale before it, written together.
fn scaled_unit(lower: &str) -> Option<(&'static str, f64)> {
    let mut factor = 1.0;
    let mut rest = lower;
    while let Some(more) = rest.chars().next().filter(|c| !c.is_ascii()).and_then(units::attached_scale) {
        factor *= more;
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    let sign = rest.chars().next().filter(|_| rest.chars().count() == 1).and_then(units::currency_sign);
    let (unit, own) = sign.map(|name| (name, 1.0)).or_else(|| units::unit(rest))?;
    (factor > 1.0).then_some((unit, factor * own))
}

/// What stands before and behind the numbers of a column, if it is the same in all cells: `€` and nothing, nothing and ` %`.
fn signs(table: &Table, index: usize) -> (String, String) {
    let of = |text: &str| {
        let first = text.find(|c: char| c.is_ascii_digit())?;
        let last = text.rfind(|c: char| c.is_ascii_digit())?;
        let before = text[..first].trim_start_matches(['-', '+', '−', '(']).trim_end_matches(['-', '−', '.', ',']);
        let behind = text[last + 1..].trim_end_matches(')');
        Some((before.to_owned(), behind.to_owned()))
    };
    let mut found: Option<(String, String)> = None;
    for row in table.rows.iter().filter(|row| !is_missing(&row[index].text)) {
        let one = of(row[index].text.trim());
        match (&found, one) {
            (_, None) => return (String::new(), String::new()),
            (None, one) => found = one,
            // `US$ 98` and `US$98` have one sign.
            (Some(known), Some(one)) if known.0.trim() != one.0.trim() || known.1.trim() != one.1.trim() => {
                return (String::new(), String::new());
            }
            _ => {}
        }
    }
    found.filter(|(before, behind)| before.chars().count() <= 4 && behind.chars().count() <= 12).unwrap_or_default()
}

fn take_words(text: &str, column: &mut Column) {
    for word in words::words(&plain_digits(text)) {
        let key = words::key(&word).unwrap_or_default();
        let lower = word.text.to_lowercase();
        match vocabulary::part(&key, &lower) {
            Part::Plan => column.is_plan = true,
            Part::Subject(subject) if !key.is_empty() => {
                column.words.insert(subject);
                column.shown.push(word.text.clone());
            }
            Part::Action(action) => {
                column.action = Some(action);
                column.shown.push(word.text.clone());
            }
            Part::Change(_) | Part::Share | Part::Event(_) if !words::is_stop(&lower) => {
                column.words.insert(lower);
                column.shown.push(word.text.clone());
            }
            _ => {}
        }
    }
}

fn kind(table: &Table, index: usize, decimal: Decimal) -> ColumnKind {
    let texts: Vec<&str> = table
        .rows
        .iter()
        .map(|row| row[index].text.trim())
        .filter(|text| !text.is_empty() && !is_missing(text))
        .collect();
    let most = |count: usize| count * 10 >= texts.len() * 8 && count > 0;
    let is_period = most(texts.iter().filter(|text| lone_period(text).is_some()).count());
    let head = table.header[index].to_lowercase();
    let all_numbers = most(texts.iter().filter(|text| cells::cell(text, decimal).is_some()).count());
    if is_period
        && (is_period_head(&head) || !all_numbers || texts.iter().all(|text| text.len() == 4 || is_surely_time(text)))
    {
        return ColumnKind::Period;
    }
    // Metres, megawatts and years in one column are no series of numbers.
    let units: BTreeSet<String> =
        texts.iter().filter_map(|text| cells::cell(text, decimal)).map(|figure| figure.unit).collect();
    if all_numbers && units.iter().filter(|unit| !unit.is_empty()).count() > 1 {
        return ColumnKind::Note;
    }
    if all_numbers {
        return if is_number_of_row(&head, &texts) { ColumnKind::Note } else { ColumnKind::Number };
    }
    let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
    if !texts.is_empty() && characters <= texts.len() * 40 { ColumnKind::Label } else { ColumnKind::Note }
}

/// Whether the texts of a column are numbers of something: `TM-7001`.
pub(crate) fn is_coded(table: &Table, index: usize) -> bool {
    let mut cells = table.rows.iter().map(|row| row[index].text.trim()).filter(|text| !is_missing(text));
    // OAK, HLT: short words in capitals are codes, too.
    let is_short = |text: &str| text.len() <= 5 && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    table.rows.len() > 1
        && cells.all(|text| {
            text.is_ascii()
                && !text.contains(' ')
                && (text.chars().any(|c| c.is_ascii_digit()) || text.len() > 1 && is_short(text))
        })
}

/// Words that stand in a cell for a value that is not there.
pub(crate) fn is_missing(text: &str) -> bool {
    matches!(
        text.trim().to_lowercase().as_str(),
        "" | "-"
            | "–"
            | "—"
            | "n/a"
            | "na"
            | "n.a."
            | "null"
            | "none"
            | "nan"
            | "?"
            | "k.a."
            | "k. a."
            | "s/d"
            | "n/d"
            | "нд"
            | "н/д"
            | "없음"
            | "…"
            | "..."
            | "unknown"
    )
}

/// Numbers that name a row, a place on the map, a post code, a state or a telephone number measure nothing.
fn is_number_of_row(head: &str, texts: &[&str]) -> bool {
    const NAMES: &str = " zone zona id ids uid uuid guid # nr no rank row line index code codes zip zipcode postcode postal plz phone phones tel telefon telephone fax mobile \
        isbn issn ean upc sku key lfd iban bic konto account vat vin imei serial ref reference matricule version firmware \
        status state estado zustand stato stan durum état статус состояние حالة \
        lat latitude lon lng long longitude coordinate coordinates coord gps breitengrad längengrad breite_grad latitud longitud latitudine longitudine szerokość_geogr enlem boylam широта долгота \
        номер код телефон индекс numéro téléphone teléfono telefono código codigo codice kod numer رقم رمز هاتف ";
    // Compounds, and scripts that write words together: Artikelnr, Statuscode, 대여소번호, 会社コード.
    const ENDINGS: &str = "nr nummer nummern code codes kennzahl schlüssel kennung 번호 코드 전화 우편번호 상태 위도 경도 펌웨어 버전 番号 コード 電話 郵便番号 状態 緯度 経度 バージョン 编号 编码 代码 电话 邮编 状态 纬度 经度 版本";
    // Signs that stand for the word: N°, Nº, №.
    let head = head.trim().to_lowercase().replace("n°", "#").replace("nº", "#").replace('№', "#");
    let words: Vec<&str> =
        head.split(|c: char| !(c.is_alphanumeric() || c == '#')).filter(|word| !word.is_empty()).collect();
    let is_name =
        |word: &&str| NAMES.contains(&format!(" {word} ")) || ENDINGS.split(' ').any(|ending| word.ends_with(ending));
    // "number of boats" counts, "order no" names.
    let is_named = match words.as_slice() {
        [] => false,
        [only] => {
            // Alone they name; a price per article is a price.
            let alone =
                ["number", "nummer", "número", "numero", "artikel", "article", "articolo", "artículo", "artigo"];
            is_name(only) || alone.contains(only)
        }
        [first, .., last] => {
            is_name(last)
                || (is_name(first)
                    && !matches!(
                        *first,
                        "#" | "long"
                            | "no"
                            | "key"
                            | "line"
                            | "index"
                            | "row"
                            | "account"
                            | "version"
                            | "state"
                            | "status"
                    ))
        }
    };
    let has_leading_zero = texts.iter().any(|text| {
        let digits: Vec<char> = text.chars().collect();
        digits.len() > 1 && digits[0] == '0' && digits[1].is_ascii_digit()
    });
    let is_phone = |text: &&str| text.starts_with('+') && text.chars().filter(char::is_ascii_digit).count() >= 8;
    // Whatever the column is called, only states of web servers are such numbers.
    const STATES: [&str; 19] = [
        "200", "201", "202", "204", "206", "301", "302", "303", "304", "307", "308", "400", "401", "403", "404", "429",
        "500", "502", "503",
    ];
    let different: BTreeSet<&&str> = texts.iter().collect();
    let is_state = texts.len() > 2 && different.len() > 1 && texts.iter().all(|text| STATES.contains(text));
    has_leading_zero || is_named || is_state || (!texts.is_empty() && texts.iter().all(is_phone))
}

fn is_period_head(lower: &str) -> bool {
    [
        "year",
        "date",
        "period",
        "quarter",
        "month",
        "day",
        "jahr",
        "datum",
        "monat",
        "quartal",
        "année",
        "mois",
        "date",
        "año",
        "mes",
        "fecha",
        "год",
        "дата",
        "месяц",
        "عام",
        "سنة",
        "السنة",
        "العام",
        "الشهر",
        "شهر",
        "التاريخ",
        "שנה",
        "חודש",
        "תאריך",
        "연도",
        "날짜",
        "년도",
        "월",
        "年",
        "年度",
        "月",
        "日付",
        "日期",
        "年份",
        "月份",
    ]
    .contains(&lower.trim())
}

/// Whether a year says when something came to be.
pub(crate) fn is_origin(head: &str) -> bool {
    const ORIGINS: &str = " service built build opened founded established construction since commissioned born found discovered installed acquired start started baujahr gebaut eröffnet gegründet seit construit construite ouvert fondé construido fundado inicio apertura costruito fondato construído założony zbudowany gebouwd opgericht yapım постройки основан ";
    // In scripts that write words together it is a part of the head.
    const PARTS: [&str; 17] = [
        "建造", "建成", "竣工", "準工", "開業", "創業", "設立", "成立", "開設", "건조", "준공", "설립", "설치", "개업",
        "개장", "창업", "점검",
    ];
    let head = head.to_lowercase();
    head.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && ORIGINS.contains(&format!(" {word} ")))
        || PARTS.iter().any(|part| head.contains(part))
}

/// The period of a cell: `05/04/2024` is what the other cells of its column say, if one of them can be read in one way only.
pub(crate) fn period_in(table: &Table, index: usize, text: &str) -> Option<Period> {
    let parts = |text: &str| -> Option<[u16; 3]> {
        let mut parts = text.trim().split('/').map(|part| part.parse::<u16>().ok());
        match (parts.next()?, parts.next()?, parts.next()?, parts.next()) {
            (Some(one), Some(two), Some(year), None) if year > 1000 => Some([one, two, year]),
            _ => None,
        }
    };
    let found = lone_period(text)?;
    let (Period::Year(_), Some([one, two, year])) = (found, parts(text)) else { return Some(found) };
    let all = || table.rows.iter().filter_map(|row| parts(&row.get(index)?.text));
    let (is_day_first, is_month_first) = (all().any(|[one, ..]| one > 12), all().any(|[_, two, _]| two > 12));
    let (day, month) = match (is_day_first, is_month_first) {
        (true, false) => (one, two),
        (false, true) => (two, one),
        _ => return Some(found),
    };
    Some(Period::Day(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?))
}

/// `1950s`, `1950er`, `1950年代`: ten years.
fn decade(text: &str) -> Option<Period> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let around: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let is_said = matches!(
        around.trim().to_lowercase().as_str(),
        "s" | "'s" | "er" | "er jahre" | "années" | "les années" | "años" | "anni" | "anos" | "-е" | "年代" | "년대"
    );
    let year: u16 = digits.parse().ok().filter(|_| digits.len() == 4 && digits.ends_with('0'))?;
    (is_said && (1500..=2190).contains(&year)).then_some(Period::Years(year, year + 9))
}

/// The period of a cell that names nothing but it.
pub(crate) fn lone_period(text: &str) -> Option<Period> {
    if let Some(period) = numbered_month(text.trim()).or_else(|| decade(text.trim())) {
        return Some(period);
    }
    let chars = plain_digits(text.trim());
    match dates(&chars).as_slice() {
        [one] if one.start == 0 && one.end == chars.len() => Some(one.period),
        _ => None,
    }
}

/// Whether a text that names a period could hardly be a number: `01.2023`, `2024-01`, `2024-01-19`.
fn is_surely_time(text: &str) -> bool {
    let digits = plain_digits(text);
    let year = digits.iter().take_while(|c| c.is_ascii_digit()).count();
    let is_spelled = year == 4 && matches!(digits.get(4), Some('-' | '/' | '.')) && digits.len() >= 7;
    numbered_month(text).is_some() || is_spelled && lone_period(text).is_some()
}

/// `01.2023` and `01/2023`, which alone could be a number: a month of two digits and a year of four.
fn numbered_month(text: &str) -> Option<Period> {
    let (month, year) = text.split_once(['.', '/'])?;
    let is_written = month.len() == 2 && year.len() == 4 && text.chars().filter(char::is_ascii_digit).count() == 6;
    let (month, year) = (month.parse().ok()?, year.parse().ok()?);
    (is_written && (1..=12).contains(&month) && (1000..=2999).contains(&year)).then_some(Period::Month(year, month))
}
