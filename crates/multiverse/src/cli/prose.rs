//! Markdown as a person reads it on a terminal: headings stand out, lines are broken at words, code has a colour. Only
//! the look: what is left out is said, and what is not understood is shown as it is.

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

/// A text of which each section has at most so many lines, each of a bearable length; `most` is asked by the heading.
/// `whole` says where all of it stands.
pub(crate) fn shortened(text: &str, most: &dyn Fn(&str) -> usize, whole: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let (mut left, mut cut) = (usize::MAX, 0);
    let told = |cut: usize| format!("… {} more; all of it is in {whole}", super::output::counted(cut, "line"));
    for line in text.lines() {
        if line.starts_with('#') {
            if cut > 0 {
                kept.extend([told(std::mem::take(&mut cut)), String::new()]);
            }
            left = most(line.trim_start_matches('#').trim());
            kept.push(line.into());
            continue;
        }
        // A line may be longer than a screen.
        let lines = line.chars().count() / LINE + 1;
        match left {
            0 => cut += if line.is_empty() { 0 } else { lines },
            some if lines > some => {
                kept.push(line.chars().take(some * LINE).chain(['…']).collect());
                cut += lines - some;
                left = 0;
            }
            some => {
                kept.push(line.into());
                left = some - if line.is_empty() { 0 } else { lines };
            }
        }
    }
    if cut > 0 {
        kept.push(told(cut));
    }
    kept.join("\n")
}

/// So many characters of a line count as a line of a screen.
const LINE: usize = 100;

/// A text without the empty lines behind its headings.
pub(crate) fn compact(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_behind_heading = |at: usize| at > 0 && lines[at].is_empty() && lines[at - 1].starts_with("## ");
    let kept = (0..lines.len()).filter(|at| !is_behind_heading(*at)).map(|at| lines[at]);
    kept.collect::<Vec<_>>().join("\n")
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
    fn long_sections_are_cut_and_the_whole_is_named() {
        let text = format!("# A\n\n## Your request\n\n> one\n> two\n> three\n\n## More\n\ny\n{}", "z".repeat(950));
        let most = |heading: &str| if heading == "Your request" { 2 } else { 5 };
        let found = compact(&shortened(&text, &most, "runs/r/f.md"));
        let expected = format!(
            "# A\n\n## Your request\n> one\n> two\n… 1 line more; all of it is in runs/r/f.md\n\n## More\ny\n{}…\n… 6 lines more; all of it is in runs/r/f.md",
            "z".repeat(400)
        );
        assert_eq!(found, expected);
        assert_eq!(shortened("# A\n\nb\n", &most, "x"), "# A\n\nb");
    }

    #[test]
    fn a_section_can_be_left_out() {
        let text = "# A\n\n1. one\n\n## How to answer\n\n- x\n\n## More\n\ny";
        assert_eq!(without_section(text, "how to answer"), "# A\n\n1. one\n\n## More\n\ny");
    }
}
