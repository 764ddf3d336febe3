//! The workflow of a profile as text for a terminal, and as Mermaid. Pure: a profile in, words out. Names come from files
//! and are shown as text.

use std::fmt::Write as _;

use engine::profiles::{PlannedStep, Profile, StepKind, compile};
use unicode_width::UnicodeWidthStr as _;

use super::super::markup::entities;
use super::super::output::{FRAME, HINT, PLACE, counted};
use super::super::visible;

/// The widest that a column of names may be.
const NAME_COLUMNS: usize = 32;
/// How wide a drawing is where no terminal says.
const COLUMNS: usize = 200;

/// The workflow as lines: phases with their steps, numbered from 1.
pub(super) fn text(profile: &Profile, columns: Option<usize>) -> String {
    let plan = compile(profile);
    let mut drawn = String::new();
    let words = [visible::text(&profile.friendly_name), visible::text(&profile.description)];
    let _ = writeln!(drawn, "{PLACE}{}{PLACE:#} version {}, {}", profile.name, profile.version, profile.mode.word());
    for words in words.iter().filter(|words| !words.is_empty()) {
        let _ = writeln!(drawn, "{words}");
    }
    let handed = if profile.enforces_handoff() {
        "nothing may be missing when work is handed on"
    } else {
        "what is missing is handed on as missing"
    };
    let times = counted(profile.review_cycles() as usize, "time");
    let _ = writeln!(drawn, "work is sent back at most {times}; {handed}");
    let width = |name: &dyn Fn(&PlannedStep) -> &str| {
        plan.iter().map(|step| visible::text(name(step)).width()).max().unwrap_or_default().min(NAME_COLUMNS)
    };
    let (ids, roles) = (width(&|step| &step.step.id), width(&|step| &step.step.role));
    for phase in &profile.phases {
        let _ = writeln!(
            drawn,
            "\n{PLACE}{}{PLACE:#}  {HINT}{}{HINT:#}",
            visible::text(&phase.id),
            visible::text(&phase.description)
        );
        let steps: Vec<&PlannedStep> = plan.iter().filter(|step| step.phase == phase.id).collect();
        for (number, step) in steps.iter().enumerate() {
            let branch = if number + 1 == steps.len() { "└─" } else { "├─" };
            let lead =
                format!("{:>3}  {}  {}  ", step.index + 1, padded(&step.step.id, ids), padded(&step.step.role, roles));
            let room = columns.unwrap_or(COLUMNS).saturating_sub(lead.width() + 3).max(20);
            let said = visible::wrapped(&said(profile, step), room);
            let indent = " ".repeat(lead.width());
            for (row, words) in said.iter().enumerate() {
                let (branch, lead) = match (row, number + 1 == steps.len()) {
                    (0, _) => (branch, lead.as_str()),
                    (_, true) => ("  ", indent.as_str()),
                    (_, false) => ("│ ", indent.as_str()),
                };
                let _ = writeln!(drawn, "{FRAME}{branch}{FRAME:#}{lead}{words}");
            }
        }
    }
    drawn
}

/// What a step does, in words.
pub(super) fn said(profile: &Profile, step: &PlannedStep) -> String {
    let outputs = visible::text(&step.step.required_outputs.join(", "));
    let producer = step.producer.map(|producer| producer + 1);
    let gives = |verb: &str| if outputs.is_empty() { String::new() } else { format!("; {verb} {outputs}") };
    match step.step.kind {
        StepKind::Owner if outputs.is_empty() => "works".to_owned(),
        StepKind::Owner => format!("makes {outputs}"),
        StepKind::Reviewer => match producer {
            Some(producer) => format!("reviews {producer}, approves or sends it back{}", gives("writes")),
            None => format!("reviews{}", gives("writes")),
        },
        StepKind::Validator => match producer {
            Some(producer) => format!("checks; what fails goes back to {producer}{}", gives("writes")),
            None => format!("checks{}", gives("writes")),
        },
        StepKind::Gate => {
            let gate = step.step.gate.as_deref().unwrap_or_default();
            let what = profile.gate(gate).map(|gate| visible::text(&gate.description)).unwrap_or_default();
            let what = if what.is_empty() { String::new() } else { format!(" ({})", what.trim_end_matches('.')) };
            format!("decides {}{what}{}", visible::text(gate), gives("leaves"))
        }
    }
}

fn padded(name: &str, columns: usize) -> String {
    let name = visible::short(name, columns.max(1));
    let blanks = columns.saturating_sub(name.width());
    format!("{name}{}", " ".repeat(blanks))
}

/// The workflow for Mermaid: phases as groups, gates as rhombs, dotted lines where work is sent back.
pub(super) fn mermaid(profile: &Profile) -> String {
    let plan = compile(profile);
    let mut drawn = String::from("flowchart TD\n");
    for (number, phase) in profile.phases.iter().enumerate() {
        let _ = writeln!(drawn, "  subgraph p{number}[\"{}\"]", entities(&visible::text(&phase.id)));
        for step in plan.iter().filter(|step| step.phase == phase.id) {
            let label = format!(
                "{}<br/>{}",
                entities(&visible::text(&step.step.id)),
                entities(&visible::text(&step.step.role))
            );
            let (open, close) = match step.step.kind {
                StepKind::Owner => ("[", "]"),
                StepKind::Reviewer => ("([", "])"),
                StepKind::Validator => ("[[", "]]"),
                StepKind::Gate => ("{", "}"),
            };
            let _ = writeln!(drawn, "    s{}{open}\"{label}\"{close}", step.index);
        }
        drawn.push_str("  end\n");
    }
    for pair in plan.windows(2) {
        let _ = writeln!(drawn, "  s{} --> s{}", pair[0].index, pair[1].index);
    }
    for (step, producer) in plan.iter().filter_map(|step| Some((step, step.producer?))) {
        let why = if step.step.kind == StepKind::Validator { "failed" } else { "changes requested" };
        let _ = writeln!(drawn, "  s{} -. {why} .-> s{producer}", step.index);
    }
    drawn
}
