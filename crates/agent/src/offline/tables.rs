//! What the columns of a table add up to: lowest, highest, middle, mean, sum; for the whole table and by group.
//!
//! Owns the arithmetic. It must not know what a table is about. Texts are counted, never interpreted.

use std::collections::BTreeMap;

use super::cells;
use super::charts::is_total;
use super::columns::{self, Column, ColumnKind, is_missing, lone_period};
use super::dates::Period;
use super::figures::{Decimal, Figure};
use super::limits;
use super::paper::{Cite, Kind, Row, Section};
use super::read::{Cell, Table};

pub(crate) const HEADER: [&str; 8] = ["column", "values", "missing", "lowest", "highest", "median", "mean", "sum"];
const GROUPS_HEADER: [&str; 6] = ["group", "values", "lowest", "highest", "mean", "sum"];

/// The statistics of a table, and of its groups; of a table of one row, that row.
pub(crate) fn sections(path: &str, table: &Table, decimal: Decimal) -> Vec<Section> {
    if table.rows.len() < 2 {
        return only_row(path, table).into_iter().collect();
    }
    let mut whole = Section::rows(Kind::Tables, &HEADER, statistics(path, table, decimal));
    whole.theme = place(path, table);
    let columns = columns::columns(table, decimal);
    let mut sections = vec![whole.with_note(&format!("{} rows, {} columns.", table.rows.len(), table.header.len()))];
    sections.extend(groups(path, table, &columns, decimal));
    sections
}

/// One row has no statistics: its values are shown as they stand.
fn only_row(path: &str, table: &Table) -> Option<Section> {
    let cells = table.rows.first()?;
    let rows: Vec<Row> = (0..table.header.len())
        .filter(|index| !is_missing(&cells[*index].text))
        .map(|index| Row {
            cells: vec![head(table, index), cells[index].text.clone()],
            cites: vec![Cite::new(path, cells[index].line)],
        })
        .collect();
    let mut section = Section::rows(Kind::Tables, &["name", "value"], rows);
    section.theme = place(path, table);
    (section.len() > 0).then(|| section.with_note("1 row, as it stands."))
}

/// Where a table is: the name of its file, and its line if it is not the whole file.
pub(crate) fn place(path: &str, table: &Table) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if table.line <= 1 { name.to_owned() } else { format!("{name}, line {}", table.line) }
}

/// The lines of a table, from its head to its last row.
pub(crate) fn cite(path: &str, table: &Table) -> Cite {
    let last = table.rows.last().and_then(|row| row.iter().map(|cell| cell.line).max()).unwrap_or(table.line);
    Cite::lines(path, table.line, last)
}

/// One row for each column of numbers; for other columns, how many different values there are.
pub(crate) fn statistics(path: &str, table: &Table, decimal: Decimal) -> Vec<Row> {
    let columns = columns::columns(table, decimal);
    let measured = columns.iter().enumerate().take(limits::COLUMNS);
    measured.filter_map(|(index, made)| column(path, table, (index, made), decimal)).collect()
}

fn column(path: &str, table: &Table, (index, made): (usize, &Column), decimal: Decimal) -> Option<Row> {
    let cells: Vec<(usize, &Cell)> = table
        .rows
        .iter()
        .enumerate()
        .map(|(row, cells)| (row, &cells[index]))
        .filter(|(_, cell)| !is_missing(&cell.text))
        // A row that sums up the others would be counted twice.
        .filter(|(row, _)| !table.rows[*row].iter().any(|cell| is_total(&cell.text)))
        .collect();
    if cells.is_empty() {
        return None;
    }
    let name = head(table, index);
    let totals = table.rows.iter().filter(|row| row.iter().any(|cell| is_total(&cell.text))).count();
    let cites = vec![cite(path, table)];
    let is_time = cells.iter().all(|(_, cell)| lone_period(&cell.text).is_some());
    let mut values: Vec<(f64, usize)> = cells
        .iter()
        .filter_map(|(row, _)| value(table, *row, index, decimal, made).map(|value| (value, *row)))
        .collect();
    let blank = String::new;
    if is_time || made.kind != ColumnKind::Number || values.len() * 10 < cells.len() * 8 {
        let mut texts: Vec<&str> = cells.iter().map(|(_, cell)| cell.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        // Days that are written in several ways have an order all the same.
        texts.sort_by_key(|text| lone_period(text).filter(|_| is_time));
        let count = format!("{} ({} different)", cells.len(), texts.len());
        let missing = (table.rows.len() - totals - cells.len()).to_string();
        let (first, last) = if is_time { (texts[0], texts[texts.len() - 1]) } else { ("", "") };
        return Some(Row {
            cells: vec![name, count, missing, first.to_owned(), last.to_owned(), blank(), blank(), blank()],
            cites,
        });
    }
    values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let count = values.len();
    let median =
        if count % 2 == 1 { values[count / 2].0 } else { f64::midpoint(values[count / 2 - 1].0, values[count / 2].0) };
    let sum: f64 = values.iter().map(|(value, _)| value).sum();
    let signed = |value: f64| with_signs(value, made);
    let named = |(value, row): (f64, usize)| {
        let label = label(table, row, decimal);
        if label.is_empty() { signed(value) } else { format!("{} ({label})", signed(value)) }
    };
    Some(Row {
        cells: vec![
            name,
            count.to_string(),
            (table.rows.len() - totals - count).to_string(),
            named(values[0]),
            named(values[count - 1]),
            signed(median),
            signed(sum / count as f64),
            if adds_up(made, table, index) { signed(sum) } else { blank() },
        ],
        cites,
    })
}

/// What a column is called.
pub(crate) fn head(table: &Table, index: usize) -> String {
    if table.header[index].is_empty() { format!("column {}", index + 1) } else { table.header[index].clone() }
}

/// Whether the sum of a column says anything: shares, prices, rates, marks and temperatures do not add up.
pub(crate) fn adds_up(column: &Column, table: &Table, index: usize) -> bool {
    const NEVER: &str = " % percent percentage pct prozent pourcentage porcentaje percentuale процент rate ratio share index score avg average mean median latency price temperature age grade rank rating stars level \
        satisfaction zufriedenheit satisfacción satisfaction puntaje puntuación calificación nota bewertung avis voto ocena оценка \
        salinity salinité salzgehalt salinidad nitrate nitrates nitrat concentration konzentration chlorine ph mg psu ppm ppb mittlere mittlerer moyen ortalama średnia średni \
        verweildauer stay wait waiting wartezeit attente espera auslastung occupancy utilization voltage spannung tensión tension volt current \
        built baujahr founded opened since year jahr année año coordinate coordinates breitengrad längengrad \
        wind vent viento temp pressure druck humidity humedad humidité feuchte latitude longitude lat lon height width depth girth diameter altitude altitud elevation höhe breite tiefe hauteur largeur altura ancho margin yield density speed preis quote anteil durchschnitt temperatur alter note taux part prix \
        moyenne âge température precio tasa promedio edad temperatura цена доля температура возраст نسبة معدل متوسط سعر عمر درجة אחוז מחיר ממוצע גיל ";
    // Compounds, and scripts that write words together.
    const ENDINGS: &str = "rate quote anteil preis temperatur alter durchschnitt bewertung prozent feuchte 염분 농도 위도 경도 가격 비율 비중 평균 온도 습도 전압 만족도 평점 점수 나이 연령 률 율 塩分 濃度 緯度 経度 価格 単価 率 平均 評価 満足度 点数 年齢 温度 湿度 電圧 盐度 浓度 纬度 经度 比例 比率 价格 单价 评分 年龄 湿度 电压";
    let head = table.header[index].to_lowercase();
    let is_never = |word: &str| {
        NEVER.contains(&format!(" {word} "))
            || ENDINGS.split(' ').any(|ending| word.ends_with(ending) && word != "rate")
    };
    let has_word =
        head.split(|c: char| !(c.is_alphanumeric() || c == '%')).any(|word| !word.is_empty() && is_never(word));
    let is_rate = column.unit.contains('/') || matches!(column.unit.as_str(), "%" | "°C" | "°F" | "percentage points");
    let is_percent = table.rows.iter().any(|row| row[index].text.contains(['%', '٪', '％']));
    let is_there_again = is_stock(column) && has_course(table);
    !has_word && !is_rate && !is_percent && !is_there_again
}

/// Whether a column counts what is there at a time: it is there again the next year.
fn is_stock(column: &Column) -> bool {
    const STOCKS: [&str; 14] = [
        "population",
        "employee",
        "member",
        "student",
        "bed",
        "room",
        "area",
        "capacity",
        "debt",
        "household",
        "store",
        "site",
        "subscriber",
        "crew",
    ];
    STOCKS.iter().any(|stock| column.words.contains(*stock))
}

/// Whether the rows of a table follow each other in time.
fn has_course(table: &Table) -> bool {
    let is_time = |index: usize| {
        let periods: Vec<_> = table.rows.iter().filter_map(|row| lone_period(&row[index].text)).collect();
        periods.len() == table.rows.len() && periods.iter().any(|period| *period != periods[0])
    };
    (0..table.header.len()).any(is_time)
}

/// Whether a column of periods is the course of something. The years in which things were built are none, nor are days on
/// which each thing was looked at: each has its own.
pub(crate) fn is_course(table: &Table, by: usize, labels: &[usize]) -> bool {
    let is_own_name =
        |label: &usize| !columns::is_coded(table, *label) && members(table, *label).len() == table.rows.len();
    let has_own_names = table.rows.len() >= 3 && labels.iter().any(is_own_name);
    !columns::is_origin(&table.header[by]) && (!has_own_names || is_regular(table, by))
}

/// Whether each row is of the period after that of the row before it.
fn is_regular(table: &Table, by: usize) -> bool {
    let number = |period: Period| match period {
        Period::Year(year) => Some(i64::from(year)),
        Period::Month(year, month) => Some(i64::from(year) * 12 + i64::from(month)),
        Period::Years(from, to) if to > from => Some(i64::from(from) / i64::from(to - from + 1)),
        _ => None,
    };
    let periods: Vec<Option<Period>> = table.rows.iter().map(|row| lone_period(&row[by].text)).collect();
    // Rows of one year are of that year, whatever they name.
    let is_one = periods.iter().all(|period| period.is_some() && *period == periods[0]);
    is_one
        || periods.windows(2).all(|pair| match (pair[0], pair[1]) {
            (Some(one), Some(next)) => number(one).zip(number(next)).is_some_and(|(one, next)| next - one == 1),
            _ => false,
        })
}

/// Each column of numbers by each column that divides the rows into a few groups.
fn groups(path: &str, table: &Table, columns: &[Column], decimal: Decimal) -> Vec<Section> {
    let mut sections = Vec::new();
    let of = |kind: ColumnKind| (0..columns.len()).filter(move |index| columns[*index].kind == kind);
    for by in of(ColumnKind::Label) {
        let names = members(table, by);
        let is_division = (2..=limits::GROUPS).contains(&names.len()) && names.len() * 2 <= table.rows.len();
        // Remarks that a few rows have divide nothing.
        let covered: usize = names.values().map(Vec::len).sum();
        if !is_division || covered * 10 < table.rows.len() * 6 {
            continue;
        }
        for index in of(ColumnKind::Number).take(limits::CHARTS) {
            let rows = group_rows(path, table, (by, index), &names, decimal, &columns[index]);
            // Values of one group alone are those of the column.
            if rows.len() < 2 {
                continue;
            }
            let mut section = Section::rows(Kind::Groups, &GROUPS_HEADER, rows);
            section.theme = format!("{} by {} ({})", head(table, index), head(table, by), place(path, table));
            sections.push(section);
        }
    }
    sections.truncate(limits::CHARTS * 2);
    sections
}

/// The rows of each group, by its name.
pub(crate) fn members(table: &Table, by: usize) -> BTreeMap<&str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, row) in table.rows.iter().enumerate().filter(|(_, row)| !is_missing(&row[by].text)) {
        found.entry(row[by].text.as_str()).or_default().push(index);
    }
    found
}

fn group_rows(
    path: &str,
    table: &Table,
    (by, index): (usize, usize),
    names: &BTreeMap<&str, Vec<usize>>,
    decimal: Decimal,
    column: &Column,
) -> Vec<Row> {
    let adds_up = adds_up(column, table, index);
    let signed = |value: f64| with_signs(value, column);
    let mut rows = Vec::new();
    for (name, members) in names {
        let values: Vec<f64> = members.iter().filter_map(|row| value(table, *row, index, decimal, column)).collect();
        if values.is_empty() {
            continue;
        }
        let sum: f64 = values.iter().sum();
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let cells = vec![
            (*name).to_owned(),
            values.len().to_string(),
            signed(lowest),
            signed(highest),
            signed(sum / values.len() as f64),
            if adds_up { signed(sum) } else { String::new() },
        ];
        let lines = members.iter().map(|row| table.rows[*row][by].line);
        rows.push(Row { cells, cites: cite_lines(path, lines) });
    }
    rows
}

/// Places for all lines that something comes from: those that follow each other as one, and one for all if they are many.
pub(crate) fn cite_lines(path: &str, lines: impl Iterator<Item = usize>) -> Vec<Cite> {
    const MOST: usize = 6;
    let mut sorted: Vec<usize> = lines.collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut found: Vec<Cite> = Vec::new();
    for line in sorted {
        match found.last_mut() {
            Some(last) if last.last + 1 == line => last.last = line,
            _ => found.push(Cite::new(path, line)),
        }
    }
    match (found.first(), found.last()) {
        (Some(first), Some(last)) if found.len() > MOST => vec![Cite::lines(path, first.line, last.last)],
        _ => found,
    }
}

/// The number in a cell, if there is one; as it is written where all cells have the same unit, otherwise in one unit.
pub(crate) fn value(table: &Table, row: usize, index: usize, decimal: Decimal, column: &Column) -> Option<f64> {
    let text = table.rows[row][index].text.trim();
    let (before, behind) = &column.signs;
    if before.is_empty() && behind.is_empty() {
        return cells::cell(text, decimal).map(|figure| middle(&figure));
    }
    let is_negative = text.starts_with(['-', '−', '(']);
    let bare = text.trim_start_matches(['-', '+', '−', '(']).strip_prefix(before.trim())?;
    let bare = bare.trim_end_matches(')').strip_suffix(behind.trim())?.trim().trim_start_matches(['-', '−']);
    let value = cells::cell(bare, decimal).map(|figure| middle(&figure))?;
    Some(if is_negative { -value } else { value })
}

/// A number with the signs that the cells of its column have.
fn with_signs(value: f64, column: &Column) -> String {
    let (before, behind) = &column.signs;
    let (minus, size) = if value < 0.0 { ("-", -value) } else { ("", value) };
    format!("{minus}{before}{}{behind}", shown(size))
}

/// What a column is called, with the sign of its cells if the head does not say it.
pub(crate) fn head_with_sign(table: &Table, index: usize, column: &Column) -> String {
    let head = head(table, index);
    let sign = format!("{}{}", column.signs.0.trim(), column.signs.1.trim());
    if sign.is_empty() || head.contains(&sign) { head } else { format!("{head} ({sign})") }
}

fn middle(figure: &Figure) -> f64 {
    if figure.low.is_infinite() {
        figure.high
    } else if figure.high.is_infinite() {
        figure.low
    } else {
        f64::midpoint(figure.low, figure.high)
    }
}

/// What a row is called: its first texts and periods.
fn label(table: &Table, row: usize, decimal: Decimal) -> String {
    table.rows[row]
        .iter()
        .map(|cell| cell.text.as_str())
        .filter(|text| !is_missing(text) && text.chars().count() <= 40)
        .filter(|text| lone_period(text).is_some() || cells::cell(text, decimal).is_none())
        .filter(|text| lone_period(text).is_some() || text.chars().any(char::is_alphabetic))
        .take(2)
        .collect::<Vec<_>>()
        .join(", ")
}

/// A number with at most two decimals, or four digits for small ones.
pub(crate) fn shown(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.1 { format!("{value:.4}") } else { format!("{value:.2}") };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::read::{Block, Extent, document};

    fn table(csv: &str) -> Table {
        let document = document("a.csv", csv.as_bytes(), Extent::Whole).unwrap();
        let Some(Block::Table(table)) = document.blocks.first() else { panic!() };
        table.clone()
    }

    #[test]
    fn columns_are_measured() {
        let table = table("city,year,sales\nA,2022,10\nB,2022,\"1,020.5\"\nC,2023,30\nD,2023,n/a\nE,2023,5\n");
        let rows: Vec<String> =
            statistics("a.csv", &table, Decimal::Point).iter().map(|row| row.cells.join("|")).collect();
        assert_eq!(
            rows,
            [
                "city|5 (5 different)|0|||||",
                "year|5 (2 different)|0|2022|2023|||",
                "sales|4|1|5 (E, 2023)|1020.5 (B, 2022)|20|266.38|1065.5",
            ]
        );
    }

    #[test]
    fn groups_are_measured_and_shares_are_not_added_up() {
        let table = table("yard;kind;boats;share %\nN;a;3;10,5\nN;b;5;20,5\nS;a;4;30\nS;b;2;39\n");
        let all = sections("a.csv", &table, table.decimal(Decimal::Point));
        let groups: Vec<(&str, Vec<String>)> = all[1..]
            .iter()
            .map(|section| match &section.body {
                crate::offline::paper::Body::Rows { rows, .. } => {
                    (section.theme.as_str(), rows.iter().map(|row| row.cells.join("|")).collect())
                }
                crate::offline::paper::Body::Statements(_) => panic!(),
            })
            .collect();
        assert_eq!(groups[0], ("boats by yard (a.csv)", vec!["N|2|3|5|4|8".to_owned(), "S|2|2|4|3|6".to_owned()]));
        assert_eq!(groups[1].1, ["N|2|10.5|20.5|15.5|", "S|2|30|39|34.5|"]);
        let cited = |section: &Section| match &section.body {
            crate::offline::paper::Body::Rows { rows, .. } => rows[0].cites[0].shown(),
            crate::offline::paper::Body::Statements(_) => String::new(),
        };
        assert_eq!(cited(&all[1]), "a.csv:2-3", "a sum cites all rows it is of");
    }

    #[test]
    fn signs_stay_and_numbers_that_name_are_not_measured() {
        let table =
            table("shop;price;share;id;lat;phone\nA;€1.200,50;40 %;7;52,5;030 1234\nB;€ 900,00;60 %;8;13,4;040 99\n");
        let row = |index: usize| statistics("a.csv", &table, table.decimal(Decimal::Point))[index].cells.join("|");
        assert_eq!(row(2), "share|2|0|40 % (A)|60 % (B)|50 %|50 %|");
        for (index, name) in [(3, "id"), (4, "lat"), (5, "phone")] {
            assert_eq!(row(index), format!("{name}|2 (2 different)|0|||||"));
        }
        let euros = super::tests::table("shop;price\nA;€1.200,50\nB;€900,00\n");
        let cells = &statistics("a.csv", &euros, euros.decimal(Decimal::Point))[1].cells;
        assert_eq!(cells[3..6].join("|"), "€900 (B)|€1200.5 (A)|€1050.25");
        let far = super::tests::table("road,length\nA,4 km\nB,6 km\n");
        assert_eq!(statistics("a.csv", &far, Decimal::Point)[1].cells[7], "10 km");
    }

    #[test]
    fn what_cannot_be_added_up_has_no_sum_and_one_row_is_shown_as_it_stands() {
        let table_of = table;
        for head in [
            "nitrates mg/l",
            "salinity",
            "mean stay (days)",
            "latitude",
            "share %",
            "pH",
            "infektionsrate_prozent",
            "Auslastung",
            "만족도(1-5)",
            "評価",
            "가동률",
            "puntaje",
            "전압",
        ] {
            let table = table_of(&format!("place;{head}\nA;7,1\nB;7,3\nC;8,2\n"));
            let rows = statistics("a.csv", &table, table.decimal(Decimal::Point));
            assert_eq!(rows[1].cells[7], "", "{head}");
        }
        for head in [
            "Artikelnr",
            "artikel",
            "N°",
            "№",
            "Statuscode",
            "대여소번호",
            "会社コード",
            "estado",
            "firmware",
            "condition_code",
        ] {
            let table = table_of(&format!("place;{head}\nA;101\nB;102\nC;101\n"));
            let rows = statistics("a.csv", &table, table.decimal(Decimal::Point));
            assert_eq!(rows[1].cells[3..].join(""), "", "{head} names and measures nothing");
        }
        let versions = table_of("place;release\nA;2.4.1\nB;2.3.9\nC;2.4.1\n");
        assert_eq!(statistics("a.csv", &versions, Decimal::Point)[1].cells[1], "3 (2 different)");
        let days = table_of("day;sum\n03.01.2024;1\n2024-01-19;2\n2. Februar 2024;3\n");
        let cells = &statistics("a.csv", &days, Decimal::Point)[0].cells;
        assert_eq!(
            cells[3..5].join(" – "),
            "03.01.2024 – 2. Februar 2024",
            "days have an order however they are written"
        );
        let dollars = table_of("to;value\nA;US$1,520\nB;US$ 480\n");
        assert_eq!(statistics("a.csv", &dollars, Decimal::Point)[1].cells[7], "US$2000");
        let one = sections("a.csv", &table_of("profit,visitors\n27960,43950\n"), Decimal::Point);
        let crate::offline::paper::Body::Rows { rows, .. } = &one[0].body else { panic!() };
        assert_eq!(rows[0].cells, ["profit", "27960"]);
        assert_eq!(rows[1].cites[0], Cite::new("a.csv", 2));
    }
}
