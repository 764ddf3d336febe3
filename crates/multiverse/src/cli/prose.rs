//! Markdown as a person reads it on a terminal: headings stand out, lines are broken at words, code has a colour. Only
//! the look: nothing is left out, and what is not understood is shown as it is.

use anstyle::Style;

use super::output::{HINT, PLACE};
use super::visible;

const QUOTED: Style = Style::new().effects(anstyle::Effects::ITALIC);

/// The lines of a text, no wider than so many columns.
pub(crate) fn shown(text: &str, columns: usize) -> Vec<String> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.trim().lines() {
        let line = visible::text(line);
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if fenced || is_fence {
            lines.extend(visible::wrapped(&line, columns));
            continue;
        }
        let title = line.trim_start_matches('#');
        let is_heading = title.len() < line.len() && title.starts_with(' ');
        let quoted = line.strip_prefix('>').map(str::trim_start);
        let text = if is_heading { title.trim() } else { quoted.unwrap_or(&line) };
        let broken = visible::wrapped(text, columns).into_iter();
        lines.extend(broken.map(|line| match (is_heading, quoted) {
            (true, _) => format!("{PLACE}{line}{PLACE:#}"),
            (false, Some(_)) => format!("{QUOTED}{line}{QUOTED:#}"),
            (false, None) => with_code(&line),
        }));
    }
    lines
}

/// A text without one of its sections, heading included.
pub(crate) fn without_section(text: &str, heading: &str) -> String {
    let mut is_left_out = false;
    let mut kept = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') {
            is_left_out = line.trim_start_matches('#').trim().eq_ignore_ascii_case(heading);
        }
        if !is_left_out {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// What stands between backticks has a colour, where both are in the line.
fn with_code(line: &str) -> String {
    let pieces: Vec<&str> = line.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return line.into();
    }
    let styled = pieces.iter().enumerate().map(|(index, piece)| match index % 2 {
        1 => format!("`{HINT}{piece}{HINT:#}`"),
        _ => (*piece).to_string(),
    });
    styled.collect()
}

/// Lines in a frame of their own.
pub(crate) fn barred(lines: &[String], style: Style) -> String {
    let barred = lines.iter().map(|line| format!("{style}│{style:#} {line}").trim_end().to_string());
    barred.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-34: what agents write is shown, never acted on.
    #[test]
    fn a_text_is_broken_at_words_and_its_headings_stand_out() {
        let text =
            "# The plan\n\n1. Make a report of what is there, with `cargo`.\n2. \u{1b}[2J\n```\n# no heading\n```\n";
        let lines = shown(text, 24);
        assert_eq!(lines[0], format!("{PLACE}The plan{PLACE:#}"));
        let plain = anstream::adapter::strip_str(&lines.join("\n")).to_string();
        insta::assert_snapshot!(plain, @"
        The plan

        1. Make a report of what
           is there, with
           `cargo`.
        2. ␛[2J
        ```
        # no heading
        ```
        ");
    }

    #[test]
    fn a_section_can_be_left_out() {
        let text = "# A\n\n1. one\n\n## How to answer\n\n- x\n\n## More\n\ny";
        assert_eq!(without_section(text, "how to answer"), "# A\n\n1. one\n\n## More\n\ny");
    }
}
