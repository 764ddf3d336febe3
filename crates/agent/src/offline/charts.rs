//! Which chart suits a table: by what its columns are, not by what they are about.
//!
//! Owns the choice and the points. Periods make a line, named rows sorted bars, parts of a hundred a share bar, two
//! numbers a scatter, many values a histogram. It must not know how a chart is drawn.

use std::collections::BTreeMap;

use super::columns::{self, Column, ColumnKind, lone_period};
use super::dates::Period;
use super::figures::Decimal;
use super::limits;
use super::ordered::is_ordered;
use super::paper::{Cite, Kind, Row, Section};
use super::read::Table;
use super::tables::{self, shown};

/// Fewer rows need no chart that counts them.
const FEW: usize = 5;
/// With fewer points a cloud says nothing.
const CLOUD: usize = 10;

/// How many lines one chart can show.
const LINES: usize = 6;

/// How a section of points is to be drawn; the first word of its note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Line,
    Bars,
    Share,
    Scatter,
    Histogram,
    Small,
}

impl Shape {
    const ALL: [Self; 6] = [Self::Line, Self::Bars, Self::Share, Self::Scatter, Self::Histogram, Self::Small];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Line => "Line chart",
            Self::Bars => "Bar chart",
            Self::Share => "Share bar",
            Self::Scatter => "Scatter chart",
            Self::Histogram => "Histogram",
            Self::Small => "Small multiples",
        }
    }

    /// The shape that a note names.
    pub(crate) fn of(note: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| note.starts_with(shape.name()))
    }
}

/// A table with what its columns are.
struct Sheet<'a> {
    path: &'a str,
    table: &'a Table,
    decimal: Decimal,
    columns: Vec<Column>,
}

/// The charts of a table, at most a few.
pub(crate) fn sections(path: &str, table: &Table, decimal: Decimal) -> Vec<Section> {
    let sheet = Sheet { path, table, decimal, columns: columns::columns(table, decimal) };
    let mut found = if table.rows.len() < 2 { Vec::new() } else { sheet.charts() };
    found.truncate(limits::CHARTS);
    if table.rows.len() >= FEW {
        found.extend((0..sheet.columns.len()).find_map(|column| sheet.counts(column)));
    }
    found
}

impl Sheet<'_> {
    /// The number in a cell.
    fn value(&self, row: usize, number: usize) -> Option<f64> {
        tables::value(self.table, row, number, self.decimal, &self.columns[number])
    }

    /// What a column of numbers is called, with the sign of its cells.
    fn head(&self, number: usize) -> String {
        tables::head_with_sign(self.table, number, &self.columns[number])
    }

    fn lines_of<'r>(&self, rows: impl Iterator<Item = &'r usize>, column: usize) -> Vec<Cite> {
        tables::cite_lines(self.path, rows.map(|row| self.table.rows[*row][column].line))
    }

    fn of(&self, kind: ColumnKind) -> Vec<usize> {
        (0..self.columns.len()).filter(|index| self.columns[*index].kind == kind).collect()
    }

    fn charts(&self) -> Vec<Section> {
        let numbers = self.of(ColumnKind::Number);
        let labels = self.labels();
        let dated: Vec<usize> =
            numbers.iter().copied().filter(|index| lone_period(&self.table.header[*index]).is_some()).collect();
        if dated.len() >= 3 && !labels.is_empty() {
            return self.wide(&dated, labels[0]).into_iter().collect();
        }
        let is_course = |by: &&usize| tables::is_course(self.table, **by, &labels);
        if let Some(by) = self.of(ColumnKind::Period).iter().find(is_course) {
            let lines = self.lines(*by, &labels, &numbers);
            if !lines.is_empty() {
                return lines;
            }
        }
        let is_many = self.table.rows.len() > 40;
        let mut found = Vec::new();
        if let ([x, y, ..], true) = (numbers.as_slice(), is_many) {
            found.extend(self.scatter(*x, *y));
        }
        for by in &labels {
            let members = tables::members(self.table, *by);
            let is_unique = members.len() == self.table.rows.len() && members.len() <= 40;
            let is_grouped =
                (2..=limits::GROUPS).contains(&members.len()) && members.len() * 2 <= self.table.rows.len();
            if is_unique || is_grouped {
                found.extend(numbers.iter().filter_map(|index| self.bars(*by, *index, &members)));
                if !found.is_empty() && !is_many {
                    return found;
                }
                break;
            }
        }
        if let ([x, y, ..], false) = (numbers.as_slice(), is_many) {
            found.extend(self.scatter(*x, *y));
        }
        if found.is_empty() && !labels.is_empty() && self.table.rows.len() <= 20 {
            return numbers.iter().filter_map(|index| self.row_bars(*index)).collect();
        }
        found.extend(numbers.iter().filter_map(|index| self.histogram(*index)));
        found
    }

    /// The columns that name rows: names before what is only a number with letters.
    fn labels(&self) -> Vec<usize> {
        let mut found = self.of(ColumnKind::Label);
        found.sort_by_key(|label| columns::is_coded(self.table, *label));
        found
    }

    /// How many rows have which code: numbers that name something are counted.
    fn counts(&self, column: usize) -> Option<Section> {
        let members = tables::members(self.table, column);
        let is_division = (2..=limits::GROUPS).contains(&members.len()) && members.len() * 2 <= self.table.rows.len();
        let is_code = members.keys().all(|name| name.chars().count() <= 12 && name.chars().any(|c| c.is_ascii_digit()));
        if self.columns[column].kind != ColumnKind::Note || !is_division || !is_code {
            return None;
        }
        let head = tables::head(self.table, column);
        let mut counted: Vec<(&str, &Vec<usize>)> = members.iter().map(|(name, rows)| (*name, rows)).collect();
        counted.sort_by(|one, other| other.1.len().cmp(&one.1.len()).then(one.0.cmp(other.0)));
        let rows = counted.iter().map(|(name, rows)| Row {
            cells: vec![(*name).to_owned(), rows.len().to_string()],
            cites: self.lines_of(rows.iter(), column),
        });
        let header = [head.clone(), "rows".to_owned()];
        let more = format!(": how many rows have which {head}");
        Some(self.section(Shape::Bars, &format!("distribution of {head}"), &more, &header, rows.collect()))
    }

    fn section(&self, shape: Shape, theme: &str, more: &str, header: &[String], rows: Vec<Row>) -> Section {
        let heads: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut section = Section::rows(Kind::Charts, &heads, rows);
        section.theme = format!("{theme} ({})", tables::place(self.path, self.table));
        section.with_note(&format!("{}{more}.", shape.name()))
    }

    /// Periods across: one line for each column, or for each group.
    fn lines(&self, by: usize, labels: &[usize], numbers: &[usize]) -> Vec<Section> {
        let mut periods: BTreeMap<Period, Vec<usize>> = BTreeMap::new();
        for (index, row) in self.table.rows.iter().enumerate() {
            if let Some(period) = columns::period_in(self.table, by, &row[by].text) {
                periods.entry(period).or_default().push(index);
            }
        }
        // Days and whole years in one column have no common measure of time.
        let is_mixed = periods
            .keys()
            .zip(periods.keys().skip(1))
            .any(|(one, next)| std::mem::discriminant(one) != std::mem::discriminant(next));
        if is_mixed || periods.len() < 3 || periods.len() > limits::POINTS {
            return Vec::new();
        }
        let time = tables::head(self.table, by);
        if periods.values().all(|rows| rows.len() == 1) {
            return numbers.iter().filter_map(|number| self.line(&time, *number, &periods)).collect();
        }
        let Some(group) = labels.iter().copied().find(|label| self.tells_apart(*label, &periods)) else {
            return numbers.iter().filter_map(|number| self.sum_line(&time, *number, &periods)).collect();
        };
        numbers.iter().filter_map(|number| self.grouped_line(&time, *number, group, &periods)).collect()
    }

    fn line(&self, time: &str, number: usize, periods: &BTreeMap<Period, Vec<usize>>) -> Option<Section> {
        let points: Vec<Row> = periods
            .iter()
            .filter_map(|(period, rows)| {
                let row = *rows.first()?;
                // A value that is missing stays a gap.
                let value = self.value(row, number).map(shown).unwrap_or_default();
                Some(self.point(vec![period.to_string(), value], row, number))
            })
            .collect();
        let present = points.iter().filter(|point| !point.cells[1].is_empty()).count();
        let head = self.head(number);
        let header = [time.to_owned(), head.clone()];
        (present >= 3).then(|| {
            self.section(
                Shape::Line,
                &format!("{head} by {time}"),
                &format!(": {time} across, {head} up"),
                &header,
                points,
            )
        })
    }

    /// Several rows for each period that nothing tells apart: their sum, where it says something.
    fn sum_line(&self, time: &str, number: usize, periods: &BTreeMap<Period, Vec<usize>>) -> Option<Section> {
        if !tables::adds_up(&self.columns[number], self.table, number) {
            return None;
        }
        let points: Vec<Row> = periods
            .iter()
            .map(|(period, rows)| {
                let values: Vec<f64> = rows.iter().filter_map(|row| self.value(*row, number)).collect();
                let sum = if values.is_empty() { String::new() } else { shown(values.iter().sum()) };
                Row { cells: vec![period.to_string(), sum], cites: self.lines_of(rows.iter(), number) }
            })
            .collect();
        let head = format!("sum of {}", self.head(number));
        let header = [time.to_owned(), head.clone()];
        let (theme, more) = (format!("{head} by {time}"), format!(": {time} across, {head} up"));
        (points.len() >= 3).then(|| self.section(Shape::Line, &theme, &more, &header, points))
    }

    fn grouped_line(
        &self,
        time: &str,
        number: usize,
        group: usize,
        periods: &BTreeMap<Period, Vec<usize>>,
    ) -> Option<Section> {
        let names: Vec<&str> = tables::members(self.table, group).into_keys().filter(|name| !is_total(name)).collect();
        let points: Vec<Row> = periods
            .iter()
            .map(|(period, rows)| {
                let mut cells = vec![period.to_string()];
                let of = |name: &str| rows.iter().find(|row| self.table.rows[**row][group].text == name);
                cells.extend(
                    names
                        .iter()
                        .map(|name| of(name).and_then(|row| self.value(*row, number)).map(shown).unwrap_or_default()),
                );
                Row { cells, cites: self.lines_of(rows.iter(), number) }
            })
            .collect();
        let head = self.head(number);
        let by = tables::head(self.table, group);
        let header: Vec<String> =
            std::iter::once(time.to_owned()).chain(names.iter().map(|name| (*name).to_owned())).collect();
        // Lines of many groups cross each other: each gets a panel of its own.
        let (shape, each) = if names.len() > LINES { (Shape::Small, "panel") } else { (Shape::Line, "line") };
        let more = format!(": {time} across, {head} up, one {each} for each {by}");
        Some(self.section(shape, &format!("{head} by {time} and {by}"), &more, &header, points))
    }

    /// Whether a label divides the rows of each period, into few enough groups for one chart.
    fn tells_apart(&self, label: usize, periods: &BTreeMap<Period, Vec<usize>>) -> bool {
        let names = tables::members(self.table, label).len();
        // A line needs more than one point.
        (2..=limits::GROUPS).contains(&names)
            && names * 2 <= self.table.rows.len()
            && periods.values().all(|rows| {
                let mut names: Vec<&str> = rows.iter().map(|row| self.table.rows[*row][label].text.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                names.len() == rows.len()
            })
    }

    /// A column for each period: one line for each row.
    fn wide(&self, dated: &[usize], label: usize) -> Option<Section> {
        let rows: Vec<usize> =
            (0..self.table.rows.len()).filter(|row| !is_total(&self.table.rows[*row][label].text)).take(6).collect();
        let mut columns: Vec<(Period, usize)> =
            dated.iter().filter_map(|index| Some((lone_period(&self.table.header[*index])?, *index))).collect();
        columns.sort_unstable();
        let points: Vec<Row> = columns
            .iter()
            .map(|(period, index)| {
                let mut cells = vec![period.to_string()];
                cells.extend(rows.iter().map(|row| self.value(*row, *index).map(shown).unwrap_or_default()));
                Row { cells, cites: self.lines_of(rows.iter(), *index) }
            })
            .collect();
        let by = tables::head(self.table, label);
        let names = rows.iter().map(|row| self.table.rows[*row][label].text.clone());
        let header: Vec<String> = std::iter::once("period".to_owned()).chain(names).collect();
        let theme = format!("{by} by period");
        (header.len() > 1).then(|| {
            self.section(Shape::Line, &theme, &format!(": periods across, one line for each {by}"), &header, points)
        })
    }

    /// Named rows, the longest bar first; groups have their sum, or their mean where a sum says nothing.
    fn bars(&self, by: usize, number: usize, members: &BTreeMap<&str, Vec<usize>>) -> Option<Section> {
        const MOST: usize = 20;
        let adds_up = tables::adds_up(&self.columns[number], self.table, number);
        let mut points: Vec<(f64, usize, &str)> = Vec::new();
        let cites = |name: &str| self.lines_of(members.get(name).into_iter().flatten(), number);
        for (name, rows) in members.iter().filter(|(name, _)| !is_total(name)) {
            let values: Vec<f64> = rows.iter().filter_map(|row| self.value(*row, number)).collect();
            if let Some(first) = rows.first().filter(|_| !values.is_empty()) {
                let sum: f64 = values.iter().sum();
                points.push((if adds_up { sum } else { sum / values.len() as f64 }, *first, name));
            }
        }
        if points.len() < 2 {
            return None;
        }
        points.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        if points.iter().all(|(_, _, name)| quarter(name).is_some()) {
            points.sort_by_key(|(_, row, name)| (quarter(name), *row));
        }
        let mut in_rows = points.clone();
        in_rows.sort_by_key(|(_, row, _)| *row);
        if points.len() <= MOST && is_ordered(&in_rows.iter().map(|(_, _, name)| *name).collect::<Vec<_>>()) {
            points = in_rows;
        }
        let total: f64 = points.iter().map(|(value, _, _)| value).sum();
        let says_share = self.columns[number].words.contains("share");
        let is_percent = says_share
            || self.columns[number].unit == "%"
            || self.table.rows.iter().any(|row| row[number].text.contains('%'));
        let is_whole =
            is_percent && (99.0..=101.0).contains(&total) && points.iter().all(|(value, _, _)| *value >= 0.0);
        let shape = if is_whole && points.len() <= 8 { Shape::Share } else { Shape::Bars };
        let head = self.head(number);
        let label = tables::head(self.table, by);
        let is_grouped = members.values().any(|rows| rows.len() > 1);
        let what = match (is_grouped, adds_up) {
            (true, true) => format!("sum of {head}"),
            (true, false) => format!("mean of {head}"),
            _ => head.clone(),
        };
        let more =
            if points.len() > MOST { format!(", the {MOST} longest of {}", points.len()) } else { String::new() };
        let rows = points
            .iter()
            .take(MOST)
            .map(|(value, _, name)| Row { cells: vec![(*name).to_owned(), shown(*value)], cites: cites(name) });
        let header = [label.clone(), what.clone()];
        Some(self.section(
            shape,
            &format!("{what} by {label}"),
            &format!(": {what} of each {label}{more}"),
            &header,
            rows.collect(),
        ))
    }

    /// A bar for each row, called by all its labels and periods, where no single column tells the rows apart.
    fn row_bars(&self, number: usize) -> Option<Section> {
        let naming: Vec<usize> = (0..self.columns.len())
            .filter(|index| matches!(self.columns[*index].kind, ColumnKind::Label | ColumnKind::Period))
            .collect();
        let name = |row: usize| {
            let cells =
                naming.iter().map(|index| self.table.rows[row][*index].text.as_str()).filter(|text| !text.is_empty());
            cells.collect::<Vec<_>>().join(", ")
        };
        let mut points: Vec<(f64, usize)> = (0..self.table.rows.len())
            .filter(|row| !is_total(&name(*row)))
            .filter_map(|row| Some((self.value(row, number)?, row)))
            .collect();
        points.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let rows: Vec<Row> =
            points.iter().map(|(value, row)| self.point(vec![name(*row), shown(*value)], *row, number)).collect();
        let head = self.head(number);
        let header = ["row".to_owned(), head.clone()];
        (rows.len() >= 2).then(|| {
            self.section(Shape::Bars, &format!("{head} by row"), &format!(": {head} of each row"), &header, rows)
        })
    }

    fn scatter(&self, x: usize, y: usize) -> Option<Section> {
        let points: Vec<Row> = (0..self.table.rows.len())
            .filter_map(|row| {
                let (x, y_value) = (self.value(row, x)?, self.value(row, y)?);
                Some(self.point(vec![shown(x), shown(y_value)], row, y))
            })
            .take(limits::POINTS)
            .collect();
        let (x, y) = (self.head(x), self.head(y));
        (points.len() >= CLOUD).then(|| {
            let header = [x.clone(), y.clone()];
            self.section(Shape::Scatter, &format!("{y} against {x}"), &format!(": {x} across, {y} up"), &header, points)
        })
    }

    fn histogram(&self, number: usize) -> Option<Section> {
        let mut values: Vec<f64> = (0..self.table.rows.len()).filter_map(|row| self.value(row, number)).collect();
        values.sort_by(f64::total_cmp);
        let (first, last) = (*values.first()?, *values.last()?);
        if values.len() < 12 || first >= last {
            return None;
        }
        let step = nice((last - first) / 8.0);
        let mut low = (first / step).floor() * step;
        let mut rows = Vec::new();
        while low <= last && rows.len() < 20 {
            let high = low + step;
            let count = values.iter().filter(|value| low <= **value && **value < high).count();
            let cells = vec![format!("{} to {}", shown(low), shown(high)), count.to_string()];
            rows.push(Row { cells, cites: vec![tables::cite(self.path, self.table)] });
            low = high;
        }
        let head = self.head(number);
        let header = [head.clone(), "rows".to_owned()];
        let more = format!(": how many rows have which {head}, the upper end not included");
        Some(self.section(Shape::Histogram, &format!("distribution of {head}"), &more, &header, rows))
    }

    fn point(&self, cells: Vec<String>, row: usize, column: usize) -> Row {
        Row { cells, cites: vec![Cite::new(self.path, self.table.rows[row][column].line)] }
    }
}

/// The number of a quarter or month that is a bar's name: these have an order of their own.
fn quarter(name: &str) -> Option<u32> {
    let lower = name.trim().to_lowercase();
    let number =
        |text: &str| text.trim().trim_end_matches('.').parse::<u32>().ok().filter(|number| (1..=4).contains(number));
    let of_quarter = lower.strip_prefix('q').and_then(number);
    let behind = ["quartal", "trimestre", "분기", "çeyrek", "kwartał"];
    let of_month = || super::dates::month(lower.trim_end_matches('.')).map(u32::from);
    of_quarter.or_else(|| behind.iter().find_map(|word| lower.strip_suffix(word).and_then(number))).or_else(of_month)
}

/// A row that sums up the others is no part of a chart of them.
pub(crate) fn is_total(label: &str) -> bool {
    const TOTALS: &str = " total totals sum overall all gesamt summe insgesamt totale suma todos ensemble итого всего المجموع الإجمالي 합계 총계 계 合計 総計 合计 总计 ";
    TOTALS.contains(&format!(" {} ", label.trim().to_lowercase()))
}

/// The next step of 1, 2 or 5 times a power of ten.
pub(crate) fn nice(raw: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 <= raw && power < 1e15 {
        power *= 10.0;
    }
    while power > raw && power > 1e-9 {
        power /= 10.0;
    }
    for times in [1.0, 2.0, 5.0] {
        if power * times >= raw {
            return power * times;
        }
    }
    power * 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::read::{Block, Extent, document};

    fn check(csv: &str, expected: &[(&str, Shape)]) {
        let document = document("a.csv", csv.as_bytes(), Extent::Whole).unwrap();
        let Some(Block::Table(table)) = document.blocks.first() else { panic!() };
        let found: Vec<(String, Option<Shape>)> = sections("a.csv", table, table.decimal(Decimal::Point))
            .into_iter()
            .map(|section| (section.theme.clone(), Shape::of(&section.note)))
            .collect();
        let expected: Vec<(String, Option<Shape>)> =
            expected.iter().map(|(theme, shape)| (format!("{theme} (a.csv)"), Some(*shape))).collect();
        assert_eq!(found, expected, "{csv}");
    }

    #[test]
    fn the_shape_of_the_data_chooses_the_chart() {
        check("month,boats\n2025-01,3\n2025-02,4\n2025-03,9\n", &[("boats by month", Shape::Line)]);
        check(
            "year,yard,boats\n2023,N,3\n2023,S,4\n2024,N,5\n2024,S,6\n2025,N,7\n2025,S,8\n",
            &[("boats by year and yard", Shape::Line)],
        );
        check("yard,boats\nN,3\nS,4\nTotal,7\n", &[("boats by yard", Shape::Bars)]);
        check("fuel,share\nwind,50%\nsun,30%\nwater,20%\n", &[("share (%) by fuel", Shape::Share)]);
        check("yard;2023;2024;2025\nN;3;4;5\nS;4;5;6\n", &[("yard by period", Shape::Line)]);
        check("shop,amount\nA,1\nA,2\nB,3\nB,4\n", &[("sum of amount by shop", Shape::Bars)]);
        let numbers: String = (0..20).map(|n| format!("{n},{}\n", n * n)).collect();
        check(
            &format!("height,weight\n{numbers}"),
            &[
                ("weight against height", Shape::Scatter),
                ("distribution of height", Shape::Histogram),
                ("distribution of weight", Shape::Histogram),
            ],
        );
        check("name,note\nA,x\nB,y\n", &[]);
        check(
            "date,till,amount\n2025-01-01,a,3\n2025-01-01,a,4\n2025-01-02,b,5\n2025-01-02,b,1\n2025-01-03,a,2\n2025-01-03,a,2\n",
            &[("sum of amount by date", Shape::Line)],
        );
        let many: String = (0..3).flat_map(|y| (0..8).map(move |g| format!("{},g{g},{}\n", 2020 + y, y * g))).collect();
        check(&format!("year,group,boats\n{many}"), &[("boats by year and group", Shape::Small)]);
        check("place,lat,lon\nA,52.5,13.4\nB,48.1,11.6\nC,50.9,6.9\n", &[]);
        // Codes are counted, never added up; the days on which things were looked at are no course of time.
        check(
            "device,place,volts,상태코드,looked_at\nTM-1,A,3.9,200,2025-02-03\nTM-2,B,3.7,200,2025-02-03\nTM-3,C,3.1,503,2025-01-28\nTM-4,D,3.8,200,2025-02-05\nTM-5,E,3.2,404,2024-12-19\nTM-6,F,3.4,200,2025-02-04\n",
            &[("volts by place", Shape::Bars), ("distribution of 상태코드", Shape::Bars)],
        );
        check(
            "Datum;Artikelnr;Lieferant;Betrag\n03.01.2024;88120;Nord;10\n2024-01-19;88121;Süd;20\n15.02.2024;88145;Nord;30\n",
            &[("Betrag by Datum", Shape::Line)],
        );
        check("الشهر,الزوار\n2024-01,6100\n2024-02,6900\n2024-03,8800\n", &[("الزوار by الشهر", Shape::Line)]);
        check("año,destino,t\n2023,A,3\n2023,B,4\n2024,A,5\n2024,B,6\n", &[("sum of t by destino", Shape::Bars)]);
        check("name,phone,order_id\nA,+49 30 123456,1001\nB,+49 40 987654,1002\n", &[]);
        check("Monat;Umsatz\n01.2023;3\n02.2023;4\n03.2023;9\n", &[("Umsatz by Monat", Shape::Line)]);
        check("dam,built,capacity\nA,1931,10\nB,1956,7\nC,1972,12\n", &[("capacity by dam", Shape::Bars)]);
    }

    #[test]
    fn quarters_stand_in_their_order() {
        let document = document("a.csv", b"quarter_,stays\nQ4,9\nQ1,5\nQ3,7\nQ2,8\n", Extent::Whole).unwrap();
        let Some(Block::Table(table)) = document.blocks.first() else { panic!() };
        let made = sections("a.csv", table, Decimal::Point);
        let crate::offline::paper::Body::Rows { rows, .. } = &made[0].body else { panic!() };
        let names: Vec<&str> = rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(names, ["Q1", "Q2", "Q3", "Q4"]);
    }

    #[test]
    fn steps_are_nice() {
        for (raw, expected) in [(0.3, 0.5), (1.0, 1.0), (3.0, 5.0), (70.0, 100.0), (120_000.0, 200_000.0)] {
            assert!((nice(raw) - expected).abs() < 1e-9, "{raw}: {}", nice(raw));
        }
    }
}
