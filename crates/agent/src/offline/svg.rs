//! Draws a section of points as one SVG that needs nothing else: labelled axes, a title and a description.
//!
//! Owns the drawing. Colours are classes, so that the page decides on light and dark. Every text is escaped by the page's
//! own rule. All lengths are rounded to a tenth, so that the same points make the same bytes.

use super::charts::{Shape, nice};
use super::columns::lone_period;
use super::paper::{Body, Row, Section};
use super::tables::shown;
use super::write_html::escape;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 52.0;
/// How many looks of lines and parts there are.
const LOOKS: usize = 6;

/// The drawing of a chart's section; nothing if it has no points to draw.
pub(crate) fn draw(section: &Section, number: usize) -> Option<String> {
    let shape = Shape::of(&section.note)?;
    let Body::Rows { header, rows } = &section.body else { return None };
    if rows.is_empty() || header.len() < 2 {
        return None;
    }
    let (inside, height) = match shape {
        Shape::Line => lines(&section.theme, header, rows)?,
        Shape::Scatter => scatter(header, rows)?,
        Shape::Bars => bars(rows)?,
        Shape::Share => share(rows)?,
        Shape::Histogram => histogram(header, rows)?,
        Shape::Small => small_multiples(header, rows)?,
    };
    Some(format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"c{number}t c{number}d\">\n\
         <title id=\"c{number}t\">{}</title>\n<desc id=\"c{number}d\">{}</desc>\n{inside}</svg>\n",
        escape(&section.theme),
        escape(&described(section, rows)),
    ))
}

/// What the drawing shows, for those who do not see it.
fn described(section: &Section, rows: &[Row]) -> String {
    let first = rows.first().map(|row| row.cells.join(" ")).unwrap_or_default();
    let last = rows.last().map(|row| row.cells.join(" ")).unwrap_or_default();
    format!("{} {} points, from {first} to {last}. The data stand below the chart.", section.note, rows.len())
}

fn number(row: &Row, column: usize) -> Option<f64> {
    row.cells.get(column)?.parse().ok()
}

/// A scale from values to places.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// The axis of values with whole steps around them, from zero where zero is not far.
    fn around(values: &[f64], from: f64, to: f64) -> Option<(Self, Vec<f64>)> {
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !lowest.is_finite() || !highest.is_finite() {
            return None;
        }
        let low = if lowest > 0.0 && lowest < highest * 0.6 { 0.0 } else { lowest };
        let high = if highest < 0.0 && highest > lowest * 0.6 { 0.0 } else { highest };
        let span = if high > low { high - low } else { low.abs().max(1.0) };
        let step = nice(span / 5.0);
        let first = (low / step).floor() * step;
        let mut ticks = vec![first];
        while ticks.len() < 12 && ticks.last().is_some_and(|last| *last < high - step * 1e-9) {
            ticks.push(first + step * ticks.len() as f64);
        }
        if ticks.len() < 2 {
            ticks.push(first + step);
        }
        let end = *ticks.last()?;
        Some((Self { low: first, high: end, from, to }, ticks))
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// A value on an axis, short.
fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 1e9 {
        format!("{}bn", shown(value / 1e9))
    } else if size >= 1e6 {
        format!("{}M", shown(value / 1e6))
    } else if size >= 1e4 {
        format!("{}k", shown(value / 1e3))
    } else {
        shown(value)
    }
}

fn text(x: f64, y: f64, anchor: &str, class: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>\n", escape(words))
}

fn rule(x1: f64, y1: f64, x2: f64, y2: f64, class: &str) -> String {
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>\n")
}

fn upright(axis: &Axis, ticks: &[f64], name: &str) -> String {
    let mut out = String::new();
    for tick in ticks {
        let y = axis.at(*tick);
        out.push_str(&rule(LEFT, y, WIDTH - RIGHT, y, "grid"));
        out.push_str(&text(LEFT - 8.0, y + 4.0, "end", "ax", &short(*tick)));
    }
    let middle = f64::midpoint(axis.from, axis.to);
    out.push_str(&format!(
        "<text transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\" class=\"name\">{}</text>\n",
        escape(&cut(name, 36))
    ));
    out
}

fn across(name: &str, bottom: f64) -> String {
    text(f64::midpoint(LEFT, WIDTH - RIGHT), bottom + 40.0, "middle", "name", &cut(name, 60))
}

fn lines(theme: &str, header: &[String], rows: &[Row]) -> Option<(String, f64)> {
    let series = header.len() - 1;
    let top = if series > 1 { TOP + 22.0 } else { TOP };
    let measure = theme.split_once(" by ").map_or("value", |(measure, _)| measure);
    let bottom = HEIGHT - BOTTOM;
    let values: Vec<f64> = rows.iter().flat_map(|row| (1..=series).filter_map(|column| number(row, column))).collect();
    let (axis, ticks) = Axis::around(&values, bottom, top)?;
    let times: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| lone_period(&row.cells[0]).map_or(index as f64, |period| f64::from(period.ordinal())))
        .collect();
    let (first, last) = (*times.first()?, *times.last()?);
    let wide = if last > first { last - first } else { 1.0 };
    let place = |time: f64| LEFT + 12.0 + (time - first) / wide * (WIDTH - LEFT - RIGHT - 24.0);
    let mut out = upright(&axis, &ticks, if series == 1 { &header[1] } else { measure });
    let labels: Vec<(f64, String)> =
        rows.iter().zip(&times).map(|(row, time)| (place(*time), cut(&row.cells[0], 12))).collect();
    out.push_str(&labels_below(&labels, bottom + 18.0));
    for column in 1..=series {
        let look = (column - 1) % LOOKS;
        let all: Vec<Option<(f64, f64)>> =
            rows.iter().zip(&times).map(|(row, time)| Some((place(*time), axis.at(number(row, column)?)))).collect();
        // A value that is missing breaks the line.
        for part in all.split(Option::is_none).filter(|part| !part.is_empty()) {
            let path: Vec<String> = part.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            out.push_str(&format!("<polyline points=\"{}\" class=\"line l{look}\"/>\n", path.join(" ")));
        }
        let points: Vec<(f64, f64)> = all.into_iter().flatten().collect();
        if rows.len() <= 40 {
            for (x, y) in &points {
                out.push_str(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" class=\"f{look}\"/>\n"));
            }
        }
    }
    if series > 1 {
        out.push_str(&legend(&header[1..]));
    }
    out.push_str(&across(&header[0], bottom));
    Some((out, HEIGHT))
}

/// Labels of points, as many as find room beside each other.
fn labels_below(labels: &[(f64, String)], y: f64) -> String {
    let mut out = String::new();
    let mut free = f64::NEG_INFINITY;
    for (x, words) in labels {
        let half = width_of(words) / 2.0;
        // A label at the edge moves inwards.
        let x = x.clamp(half + 2.0, WIDTH - half - 2.0);
        if x - half >= free {
            out.push_str(&text(x, y, "middle", "ax", words));
            free = x + half + 10.0;
        }
    }
    out
}

/// About how wide a text is drawn.
fn width_of(words: &str) -> f64 {
    words.chars().map(|c| if super::words::unspaced(c) || c > '\u{1100}' { 12.5 } else { 6.9 }).sum()
}

/// A small panel for each group, all to the same scale.
fn small_multiples(header: &[String], rows: &[Row]) -> Option<(String, f64)> {
    const ACROSS: usize = 3;
    const PANEL: (f64, f64) = (232.0, 128.0);
    let groups = &header[1..];
    let values: Vec<f64> =
        rows.iter().flat_map(|row| (1..header.len()).filter_map(|column| number(row, column))).collect();
    let (scale, ticks) = Axis::around(&values, 0.0, 1.0)?;
    let (lowest, highest) = (*ticks.first()?, *ticks.last()?);
    let mut out = String::new();
    for (index, name) in groups.iter().enumerate() {
        let (left, top) = (44.0 + PANEL.0 * (index % ACROSS) as f64, 8.0 + PANEL.1 * (index / ACROSS) as f64);
        let (from, to) = (top + 88.0, top + 18.0);
        let right = left + PANEL.0 - 64.0;
        let axis = Axis { low: scale.low, high: scale.high, from, to };
        out.push_str(&text(left, top + 10.0, "start", "name", &cut(name, 26)));
        for tick in [lowest, highest] {
            out.push_str(&rule(left, axis.at(tick), right, axis.at(tick), "grid"));
            out.push_str(&text(left - 5.0, axis.at(tick) + 4.0, "end", "ax", &short(tick)));
        }
        let step = (right - left) / (rows.len().max(2) - 1) as f64;
        let all: Vec<Option<(f64, f64)>> = rows
            .iter()
            .enumerate()
            .map(|(at, row)| Some((left + step * at as f64, axis.at(number(row, index + 1)?))))
            .collect();
        for part in all.split(Option::is_none).filter(|part| !part.is_empty()) {
            let path: Vec<String> = part.iter().flatten().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            out.push_str(&format!("<polyline points=\"{}\" class=\"line l0\"/>\n", path.join(" ")));
        }
        let ends = [rows.first()?, rows.last()?].map(|row| cut(&row.cells[0], 10));
        out.push_str(&text(left, from + 16.0, "start", "ax", &ends[0]));
        out.push_str(&text(right, from + 16.0, "end", "ax", &ends[1]));
    }
    Some((out, 12.0 + PANEL.1 * groups.len().div_ceil(ACROSS) as f64))
}

fn legend(names: &[String]) -> String {
    let room = (WIDTH - LEFT - RIGHT) / names.len() as f64;
    let mut out = String::new();
    for (index, name) in names.iter().enumerate() {
        let x = LEFT + room * index as f64;
        let look = index % LOOKS;
        out.push_str(&rule(x, 10.0, x + 22.0, 10.0, &format!("line l{look}")));
        out.push_str(&text(x + 28.0, 14.0, "start", "ax", &cut(name, ((room - 34.0) / 7.0).max(3.0) as usize)));
    }
    out
}

fn scatter(header: &[String], rows: &[Row]) -> Option<(String, f64)> {
    let bottom = HEIGHT - BOTTOM;
    let points: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((number(row, 0)?, number(row, 1)?))).collect();
    let xs: Vec<f64> = points.iter().map(|(x, _)| *x).collect();
    let ys: Vec<f64> = points.iter().map(|(_, y)| *y).collect();
    let (x_axis, x_ticks) = Axis::around(&xs, LEFT + 6.0, WIDTH - RIGHT - 6.0)?;
    let (y_axis, y_ticks) = Axis::around(&ys, bottom, TOP)?;
    let mut out = upright(&y_axis, &y_ticks, &header[1]);
    for tick in &x_ticks {
        out.push_str(&text(x_axis.at(*tick), bottom + 18.0, "middle", "ax", &short(*tick)));
    }
    for (x, y) in &points {
        out.push_str(&format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" class=\"dot f0\"/>\n",
            x_axis.at(*x),
            y_axis.at(*y)
        ));
    }
    out.push_str(&across(&header[0], bottom));
    Some((out, HEIGHT))
}

/// Bars lie, so that their names can be read.
fn bars(rows: &[Row]) -> Option<(String, f64)> {
    const STEP: f64 = 28.0;
    const NAMES: f64 = 190.0;
    let values: Vec<f64> = rows.iter().map(|row| number(row, 1)).collect::<Option<_>>()?;
    let low = values.iter().copied().fold(0.0, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    if high <= low {
        return None;
    }
    let axis = Axis { low, high, from: NAMES, to: WIDTH - 84.0 };
    let mut out = String::new();
    for (index, (row, value)) in rows.iter().zip(&values).enumerate() {
        let y = 8.0 + STEP * index as f64;
        let (from, to) = (axis.at(value.min(0.0)), axis.at(value.max(0.0)));
        out.push_str(&text(NAMES - 10.0, y + 15.0, "end", "ax", &cut(&row.cells[0], 26)));
        let width = (to - from).max(0.5);
        out.push_str(&format!(
            "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"20\" rx=\"2\" class=\"f0\"/>\n"
        ));
        out.push_str(&text(to + 6.0, y + 15.0, "start", "ax", &row.cells[1]));
    }
    let bottom = 8.0 + STEP * rows.len() as f64;
    out.push_str(&rule(axis.at(0.0), 4.0, axis.at(0.0), bottom, "base"));
    Some((out, bottom + 6.0))
}

fn share(rows: &[Row]) -> Option<(String, f64)> {
    let values: Vec<f64> = rows.iter().map(|row| number(row, 1)).collect::<Option<_>>()?;
    let total: f64 = values.iter().sum();
    if total <= 0.0 {
        return None;
    }
    let mut out = String::new();
    let mut x = 10.0;
    for (index, value) in values.iter().enumerate() {
        let width = value / total * (WIDTH - 20.0);
        let look = index % LOOKS;
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"10\" width=\"{width:.1}\" height=\"44\" class=\"part f{look}\"/>\n"
        ));
        x += width;
    }
    for (index, row) in rows.iter().enumerate() {
        let (column, line) = (index % 3, index / 3);
        let (x, y) = (10.0 + 236.0 * column as f64, 82.0 + 24.0 * line as f64);
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"13\" height=\"13\" class=\"f{}\"/>\n",
            y - 11.0,
            index % LOOKS
        ));
        let words = format!("{} {} %", cut(&row.cells[0], 22), row.cells[1]);
        out.push_str(&text(x + 20.0, y, "start", "ax", &words));
    }
    Some((out, 92.0 + 24.0 * (rows.len().div_ceil(3) - 1) as f64))
}

fn histogram(header: &[String], rows: &[Row]) -> Option<(String, f64)> {
    let bottom = HEIGHT - BOTTOM;
    let values: Vec<f64> = rows.iter().map(|row| number(row, 1)).collect::<Option<_>>()?;
    let most = values.iter().copied().fold(0.0, f64::max);
    let (axis, ticks) = Axis::around(&[0.0, most], bottom, TOP)?;
    let mut out = upright(&axis, &ticks, &header[1]);
    let room = (WIDTH - LEFT - RIGHT) / rows.len() as f64;
    let mut labels = Vec::new();
    for (index, (row, value)) in rows.iter().zip(&values).enumerate() {
        let x = LEFT + room * index as f64;
        let y = axis.at(*value);
        out.push_str(&format!(
            "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"f0\"/>\n",
            x + 1.0,
            (room - 2.0).max(1.0),
            (bottom - y).max(0.0)
        ));
        labels.push((x, row.cells[0].split(' ').next().unwrap_or_default().parse().map(short).unwrap_or_default()));
    }
    out.push_str(&labels_below(&labels, bottom + 18.0));
    out.push_str(&across(&header[0], bottom));
    Some((out, HEIGHT))
}

/// A text of at most so many characters.
fn cut(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_owned();
    }
    words.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::paper::{Cite, Kind};

    fn section(shape: Shape, header: &[&str], rows: &[&[&str]]) -> Section {
        let rows = rows
            .iter()
            .map(|cells| Row {
                cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
                cites: vec![Cite::new("a", 1)],
            })
            .collect();
        let mut section = Section::rows(Kind::Charts, header, rows);
        section.theme = "a <b>".to_owned();
        section.with_note(shape.name())
    }

    #[test]
    fn mv29_each_shape_is_drawn_with_its_axes_and_words_for_those_who_do_not_see_it() {
        for (section, marks) in [
            (section(Shape::Line, &["year", "boats"], &[&["2023", "3"], &["2024", "4"], &["2025", "-2"]]), "<polyline"),
            (
                section(Shape::Line, &["year", "N", "S"], &[&["2023", "3", ""], &["2024", "4", "5"]]),
                "class=\"line l1\"",
            ),
            (section(Shape::Bars, &["yard", "boats"], &[&["N", "3"], &["S", "-4"]]), "class=\"base\""),
            (section(Shape::Share, &["fuel", "share"], &[&["wind", "60"], &["sun", "40"]]), "class=\"part f1\""),
            (section(Shape::Scatter, &["x", "y"], &[&["1", "3"], &["2", "4"]]), "class=\"dot f0\""),
            (
                section(
                    Shape::Small,
                    &["year", "N", "S"],
                    &[&["2023", "3", ""], &["2024", "4", "5"], &["2025", "1", "2"]],
                ),
                "class=\"name\">S</text>",
            ),
            (section(Shape::Histogram, &["x", "rows"], &[&["0 to 5", "3"], &["5 to 10", "4"]]), "<rect"),
        ] {
            let drawn = draw(&section, 1).unwrap();
            assert!(drawn.contains(marks), "{drawn}");
            assert!(
                drawn.contains("<title id=\"c1t\">a &lt;b&gt;</title>") && drawn.contains("<desc id=\"c1d\">"),
                "{drawn}"
            );
            assert!(!drawn.contains("NaN") && !drawn.contains("inf") && !drawn.contains("script"), "{drawn}");
        }
    }

    #[test]
    fn labels_that_would_touch_are_left_out() {
        let labels: Vec<(f64, String)> =
            [80.0, 84.0, 180.0, 181.0, 640.0].map(|x| (x, "2025-01-14".to_owned())).to_vec();
        assert_eq!(labels_below(&labels, 10.0).matches("<text").count(), 3);
    }

    #[test]
    fn points_that_are_all_alike_or_missing_do_no_harm() {
        for section in [
            section(Shape::Line, &["year", "boats"], &[&["2023", "3"], &["2023", "3"]]),
            section(Shape::Scatter, &["x", "y"], &[&["", ""]]),
            section(Shape::Bars, &["yard", "boats"], &[&["N", "0"]]),
        ] {
            if let Some(drawn) = draw(&section, 1) {
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
            }
        }
    }
}
