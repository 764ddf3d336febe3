//! The workflow of a profile as one HTML page with a drawing in it: a lane for each phase, its steps from left to right,
//! dotted lines where work is sent back. No script, nothing from elsewhere; a table says the same in words.

use std::fmt::Write as _;

use engine::profiles::{PlannedStep, Profile, StepKind, compile};

use super::super::markup::{escaped, page};
use super::super::{output::counted, visible};
use super::drawing::said;

const WIDTH: usize = 210;
const HEIGHT: usize = 50;
const BETWEEN: usize = 36;
/// Room above each row of boxes, for the lines that go back.
const ABOVE: usize = 34;
const MARGIN: usize = 16;
/// The room for the names of phases.
const NAMES: usize = 150;
/// How many boxes stand side by side.
const ROW: usize = 4;
/// How many columns of text fit into a box, and beside a lane.
const BOX_COLUMNS: usize = 27;
const NAME_COLUMNS: usize = 18;

const STYLE: &str = "\
svg .gate rect{stroke:var(--focus);stroke-width:2.5}
svg .review rect{fill:var(--given)}
svg .lane{stroke:var(--edge);stroke-width:1}
svg .phase{font-weight:600}
svg .back{stroke:var(--bad);stroke-dasharray:4 3}
td,th{overflow-wrap:break-word}
";

/// Where the upper left corner of a box is.
struct Placed<'a> {
    step: &'a PlannedStep,
    x: usize,
    y: usize,
}

pub(super) fn html(profile: &Profile) -> String {
    let plan = compile(profile);
    let mut body = String::new();
    for words in [&profile.friendly_name, &profile.description].iter().filter(|words| !words.is_empty()) {
        let _ = writeln!(body, "<p>{}</p>", escaped(&visible::text(words)));
    }
    let (steps, gates) = (counted(plan.len(), "step"), counted(profile.gates.len(), "gate"));
    let _ = writeln!(
        body,
        "<p>Version {}, {}: {steps}, {gates}. Dotted lines lead to where work is sent back. The table below says the same in words.</p>",
        profile.version,
        profile.mode.word()
    );
    body.push_str(&svg(profile, &plan));
    body.push_str(&table(profile, &plan));
    page(&format!("Workflow {}", profile.name), STYLE, &body)
}

fn svg(profile: &Profile, plan: &[PlannedStep]) -> String {
    let mut placed: Vec<Placed<'_>> = Vec::new();
    let mut lanes = String::new();
    let mut y = MARGIN;
    let widest = profile.phases.iter().map(|phase| phase.steps.len().min(ROW)).max().unwrap_or_default();
    let width = MARGIN * 2 + NAMES + widest * (WIDTH + BETWEEN);
    for phase in &profile.phases {
        let steps: Vec<&PlannedStep> = plan.iter().filter(|step| step.phase == phase.id).collect();
        let name = escaped(&visible::short(&phase.id, NAME_COLUMNS));
        let _ =
            writeln!(lanes, "<text class=\"phase\" x=\"{MARGIN}\" y=\"{}\">{name}</text>", y + ABOVE + HEIGHT / 2 + 4);
        for row in steps.chunks(ROW) {
            let place = |(column, step): (usize, &&'_ PlannedStep)| (column, step.index);
            for (column, index) in row.iter().enumerate().map(place) {
                placed.push(Placed {
                    step: &plan[index],
                    x: MARGIN + NAMES + column * (WIDTH + BETWEEN),
                    y: y + ABOVE,
                });
            }
            y += ABOVE + HEIGHT;
        }
        y += MARGIN;
        let _ = writeln!(lanes, "<path class=\"lane\" d=\"M{MARGIN} {y}H{}\"/>", width - MARGIN);
    }
    let height = y + MARGIN;
    let mut drawn = format!(
        "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"drawing of the workflow\">\n\
         <svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"group\" aria-label=\"steps in their order\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8\"/></marker></defs>\n<g aria-hidden=\"true\">\n{lanes}"
    );
    for pair in placed.windows(2) {
        let _ = writeln!(drawn, "<path marker-end=\"url(#tip)\" d=\"{}\"/>", forward(&pair[0], &pair[1]));
    }
    for from in &placed {
        let Some(to) = from.step.producer.and_then(|producer| placed.iter().find(|to| to.step.index == producer))
        else {
            continue;
        };
        let _ = writeln!(drawn, "<path class=\"back\" marker-end=\"url(#tip)\" d=\"{}\"/>", back(from, to));
    }
    drawn.push_str("</g>\n");
    for one in &placed {
        drawn.push_str(&boxed(one));
    }
    drawn.push_str("</svg>\n</div>\n");
    drawn
}

/// The line to the next step: straight on, or around the end of the row.
fn forward(from: &Placed<'_>, to: &Placed<'_>) -> String {
    let (x, y) = (from.x + WIDTH, from.y + HEIGHT / 2);
    let (end, level) = (to.x, to.y + HEIGHT / 2);
    if from.y == to.y {
        return format!("M{x} {y}H{end}");
    }
    let (out, way, into) = (x + BETWEEN / 2, to.y - ABOVE + 6, end - BETWEEN / 2);
    format!("M{x} {y}H{out}V{way}H{into}V{level}H{end}")
}

/// The line back to whoever made it: over the boxes of a row, or along its left end.
fn back(from: &Placed<'_>, to: &Placed<'_>) -> String {
    let (x, y, end) = (from.x + WIDTH / 2, from.y, to.x + WIDTH / 2 + 14);
    if from.y == to.y {
        let high = y - ABOVE / 2;
        return format!("M{x} {y}C{x} {high} {end} {high} {end} {y}");
    }
    let (over, bottom) = (from.y - ABOVE / 2, to.y + HEIGHT);
    format!("M{x} {y}V{over}H{end}V{bottom}")
}

fn boxed(one: &Placed<'_>) -> String {
    let Placed { step, x, y } = one;
    let class = match step.step.kind {
        StepKind::Owner => "owner",
        StepKind::Reviewer | StepKind::Validator => "review",
        StepKind::Gate => "gate",
    };
    let number = step.index + 1;
    let name = escaped(&visible::short(&format!("{number} {}", step.step.id), BOX_COLUMNS));
    let below = escaped(&visible::short(&format!("{}: {}", step.step.role, step.step.kind.word()), BOX_COLUMNS + 3));
    let told =
        escaped(&visible::text(&format!("{number} {}, {}: {}", step.step.id, step.step.role, step.step.kind.word())));
    format!(
        "<a href=\"#step-{number}\" class=\"{class}\" aria-label=\"{told}\"><title>{told}</title>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>\
         <text x=\"{left}\" y=\"{first}\">{name}</text><text class=\"what\" x=\"{left}\" y=\"{second}\">{below}</text></a>\n",
        left = x + 10,
        first = y + 20,
        second = y + 38,
    )
}

fn table(profile: &Profile, plan: &[PlannedStep]) -> String {
    let mut table = String::from(
        "<table>\n<thead><tr><th scope=\"col\">Step</th><th scope=\"col\">Phase</th><th scope=\"col\">Role</th>\
         <th scope=\"col\">What it does</th></tr></thead>\n<tbody>\n",
    );
    for step in plan {
        let number = step.index + 1;
        let cells = [&step.phase, &step.step.role].map(|text| escaped(&visible::text(text)));
        let notes = step.step.notes.as_deref().map(|notes| format!("<br>{}", escaped(&visible::text(notes))));
        let notes = notes.unwrap_or_default();
        let _ = writeln!(
            table,
            "<tr id=\"step-{number}\"><th scope=\"row\">{number} {}</th><td>{}</td><td>{}</td><td>{}{notes}</td></tr>",
            escaped(&visible::text(&step.step.id)),
            cells[0],
            cells[1],
            escaped(&said(profile, step)),
        );
    }
    table.push_str("</tbody>\n</table>\n");
    table
}
