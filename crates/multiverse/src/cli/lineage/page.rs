//! A family tree as one HTML page with a drawing in it: no script, nothing from elsewhere, for light and dark, for eyes,
//! keyboards and readers. All that comes from files is text (QL-34).

use std::fmt::Write as _;

use engine::knowledge::NodeId;
use unicode_width::UnicodeWidthChar as _;

use super::super::markup::{escaped, page};
use super::drawing::{Drawing, HEIGHT, WIDTH, drawn};
use super::selection::Selection;

/// How many columns of text fit into a box.
const BOX_COLUMNS: usize = 29;
/// Up to so many boxes have their lines stand out when they are pointed at.
const LIT: usize = 1000;
/// How far the ends of a line bend.
const BEND: usize = 45;

/// What pages of lineage have beside what all pages have.
const STYLE: &str = "\
svg .given rect{fill:var(--given)}
svg .bad rect{stroke:var(--bad);stroke-dasharray:5 3}
svg .bad .what{fill:var(--bad)}
svg .asked rect{stroke:var(--focus);stroke-width:3}
svg a:focus{outline:none}
svg a:focus rect,svg a:hover rect{stroke:var(--focus);stroke-width:3}
tr:target{background:var(--box)}
.remark{color:var(--bad)}
";

pub(super) fn html(selection: &Selection<'_>) -> String {
    let edges = selection.edges();
    let drawing = drawn(&selection.nodes, &edges);
    let title = match selection.file {
        Some(_) => format!("Lineage of {}", selection.file.map(super::super::visible::text).unwrap_or_default()),
        None => "Lineage".to_owned(),
    };
    let stale = selection.nodes.iter().filter(|id| selection.is_stale(**id)).count();
    let said = format!(
        "<p>{} files, {} steps from one to another, {stale} stale. Lines lead from what a file was made of to the file. \
         The table below says the same in words.</p>\n",
        selection.nodes.len(),
        edges.len(),
    );
    let body = format!("{said}{}{}", svg(selection, &edges, &drawing), table(selection, &edges));
    page(&title, &format!("{STYLE}{}", lit(selection)), &body)
}

/// Which lines stand out when a box is pointed at or has the focus.
fn lit(selection: &Selection<'_>) -> String {
    let few = selection.nodes.iter().take_while(|_| selection.nodes.len() <= LIT);
    let rule = |id: &NodeId| {
        format!("svg:has(#box-{id}:is(:hover,:focus)) .of-{id}{{stroke:var(--focus);stroke-width:2.6}}\n")
    };
    few.map(rule).collect()
}

fn svg(selection: &Selection<'_>, edges: &[(NodeId, NodeId)], drawing: &Drawing) -> String {
    let Drawing { width, height, .. } = drawing;
    let mut drawn = format!(
        "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"drawing of the lineage\">\n\
         <svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\"files and what they were made of\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8\"/></marker></defs>\n<g aria-hidden=\"true\">\n"
    );
    for (source, product) in edges {
        let (Some(from), Some(to)) = (drawing.boxes.get(source), drawing.boxes.get(product)) else { continue };
        let (x, y) = (from.0 + WIDTH, from.1 + HEIGHT / 2);
        let (end, level) = (to.0, to.1 + HEIGHT / 2);
        let _ = writeln!(
            drawn,
            "<path class=\"of-{source} of-{product}\" marker-end=\"url(#tip)\" d=\"M{x} {y}C{} {y} {} {level} {end} {level}\"/>",
            x + BEND,
            end.saturating_sub(BEND)
        );
    }
    drawn.push_str("</g>\n");
    for (id, (x, y)) in &drawing.boxes {
        let (name, what) = (selection.name(*id), selection.what(*id));
        let remarks = selection.remarks(*id);
        let mut classes = Vec::new();
        let entry = &selection.ancestry.lineage.node(*id).entry;
        if entry.kind.contains("INPUT") || entry.kind.contains("GUIDELINE") || entry.run.is_empty() {
            classes.push("given");
        }
        if !remarks.is_empty() {
            classes.push("bad");
        }
        if selection.file == Some(selection.ancestry.lineage.node(*id).entry.path.as_str()) {
            classes.push("asked");
        }
        let told = [name.as_str(), what.as_str()].into_iter().chain(remarks.iter().map(String::as_str));
        let told: Vec<String> = told.filter(|piece| !piece.is_empty()).map(escaped).collect();
        let (told, below) = (told.join(", "), remarks.first().unwrap_or(&what));
        let _ = writeln!(
            drawn,
            "<a href=\"#file-{id}\" id=\"box-{id}\" class=\"{}\" aria-label=\"{told}\"><title>{told}</title>\
             <rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\
             <text x=\"{left}\" y=\"{first}\">{}</text><text class=\"what\" x=\"{left}\" y=\"{second}\">{}</text></a>",
            classes.join(" "),
            escaped(&end_of(&name)),
            escaped(&beginning_of(below)),
            left = x + 10,
            first = y + 19,
            second = y + 36,
        );
    }
    drawn.push_str("</svg>\n</div>\n");
    drawn
}

fn table(selection: &Selection<'_>, edges: &[(NodeId, NodeId)]) -> String {
    let mut table = String::from(
        "<table>\n<thead><tr><th scope=\"col\">File</th><th scope=\"col\">What</th><th scope=\"col\">Made of</th>\
         <th scope=\"col\">Summary</th></tr></thead>\n<tbody>\n",
    );
    for id in &selection.nodes {
        let sources: Vec<String> = edges
            .iter()
            .filter(|(_, product)| product == id)
            .map(|(source, _)| format!("<a href=\"#file-{source}\">{}</a>", escaped(&selection.name(*source))))
            .collect();
        let remarks = selection.remarks(*id).iter().map(|remark| escaped(remark)).collect::<Vec<_>>().join("<br>");
        let summary = super::super::visible::text(&selection.ancestry.lineage.node(*id).entry.summary);
        let _ = writeln!(
            table,
            "<tr id=\"file-{id}\"><th scope=\"row\">{}</th><td>{}<div class=\"remark\">{remarks}</div></td><td>{}</td><td>{}</td></tr>",
            escaped(&selection.name(*id)),
            escaped(&selection.what(*id)),
            sources.join("<br>"),
            escaped(&summary),
        );
    }
    table.push_str("</tbody>\n</table>\n");
    table
}

fn beginning_of(text: &str) -> String {
    super::super::visible::short(text, BOX_COLUMNS)
}

/// The end of a path, as far as it fits into a box: that is where files differ.
fn end_of(path: &str) -> String {
    let mut kept: Vec<char> = Vec::new();
    let mut used = 0;
    for letter in path.chars().rev() {
        used += letter.width().unwrap_or(0);
        if used > BOX_COLUMNS - 1 {
            return std::iter::once('…').chain(kept.into_iter().rev()).collect();
        }
        kept.push(letter);
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_path_is_shown() {
        assert_eq!(end_of("data/short.md"), "data/short.md");
        assert!(end_of(&format!("data/{}/보고서.md", "x".repeat(300))).ends_with("/보고서.md"));
        assert!(end_of(&"가".repeat(100)).chars().count() <= BOX_COLUMNS / 2 + 1);
    }
}
