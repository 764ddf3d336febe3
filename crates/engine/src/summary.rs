//! A line on a file, from its beginning alone: what a person would say who glanced at it.

/// The longest summary, in characters.
const CHARACTERS: usize = 160;

/// What is in a file whose first bytes these are.
pub(crate) fn summary_of(path: &str, head: &[u8], size: u64) -> String {
    if size == 0 {
        return "empty".into();
    }
    let Some(text) = as_text(head) else {
        return format!("binary file, {}", bytes(size));
    };
    let ending = path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let found = match ending.as_str() {
        "csv" | "tsv" => table(&text, if ending == "tsv" { '\t' } else { ',' }),
        "html" | "htm" => between(&text, "<title>", "</title>").or_else(|| first_line(&text)),
        _ => heading(&text).or_else(|| first_line(&text)),
    };
    shortened(&found.unwrap_or_else(|| format!("text, {}", bytes(size))))
}

/// Text, if the bytes are; a character cut off at the end does not count against it.
fn as_text(head: &[u8]) -> Option<String> {
    if head.contains(&0) {
        return None;
    }
    match std::str::from_utf8(head) {
        Ok(text) => Some(text.into()),
        Err(error) if error.error_len().is_none() => {
            Some(String::from_utf8_lossy(&head[..error.valid_up_to()]).into_owned())
        }
        Err(_) => None,
    }
}

fn heading(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with('#'))?;
    let title = line.trim_matches(|letter: char| letter == '#' || letter.is_whitespace());
    (!title.is_empty()).then(|| title.into())
}

fn first_line(text: &str) -> Option<String> {
    let plain = |line: &&str| line.chars().any(char::is_alphanumeric);
    text.lines().map(str::trim).find(plain).map(str::to_string)
}

fn table(text: &str, separator: char) -> Option<String> {
    let header = first_line(text)?;
    let rows = text.lines().filter(|line| !line.trim().is_empty()).count().saturating_sub(1);
    let columns: Vec<&str> = header.split(separator).map(str::trim).collect();
    Some(format!("table of {rows} or more rows: {}", columns.join(", ")))
}

fn between(text: &str, from: &str, to: &str) -> Option<String> {
    let start = text.find(from)? + from.len();
    let found = text[start..].split(to).next()?.trim();
    (!found.is_empty()).then(|| found.into())
}

fn shortened(text: &str) -> String {
    let visible: String =
        text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(CHARACTERS + 1).collect();
    let visible = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match visible.chars().count() > CHARACTERS {
        true => visible.chars().take(CHARACTERS - 1).chain(['…']).collect(),
        false => visible,
    }
}

/// A size as people say it.
pub(crate) fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{size} bytes"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MV-12
    #[test]
    fn a_file_is_summed_up_by_its_beginning() {
        let check = |path: &str, head: &[u8], size: u64, expected: &str| {
            assert_eq!(summary_of(path, head, size), expected, "{path}");
        };
        check("a.md", b"\n# The year in sales #\n\ntext", 30, "The year in sales");
        check("a.txt", b"---\n\n  first words here\nmore", 30, "first words here");
        check("a.csv", b"month,units\nJan,3\nFeb,4\n", 30, "table of 2 or more rows: month, units");
        check("a.html", b"<html><title>Sales</title>", 30, "Sales");
        check("a.bin", b"\x00\x01", 1_200_000_000, "binary file, 1.2 GB");
        check("a.txt", b"\xff\xfe", 2, "binary file, 2 bytes");
        check("a.txt", b"", 0, "empty");
        check("a.txt", "é".repeat(300).as_bytes(), 600, &format!("{}…", "é".repeat(159)));
        check("a.txt", &"가".as_bytes()[..2], 2, "text, 2 bytes");
    }
}
