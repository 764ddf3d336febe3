//! Text without markup: paragraphs between empty lines.

use super::{Block, Piece};

/// The lines of a log are records: each says what it says by itself, and none goes on in the next.
pub(super) fn records(text: &str) -> Vec<Block> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| Block::Prose(vec![Piece { line: index + 1, text: line.trim().to_owned() }])).collect()
}

/// Whether most lines begin with a day or a time, or have a level, as those of a log do.
pub(super) fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(200).collect();
    lines.len() >= 3 && lines.iter().filter(|line| is_record(line)).count() * 10 >= lines.len() * 7
}

const LEVELS: [&str; 10] =
    ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "NOTICE", "CRITICAL", "[info]"];

/// Whether a line is one of a log.
pub(crate) fn is_record(line: &str) -> bool {
    let first = line.trim_start_matches(['[', '(', '<']).split([' ', ']', ')', '>', ',']).next().unwrap_or_default();
    let signs = first.matches([':', '-', '/', '.']).count();
    let is_time = first.starts_with(|c: char| c.is_ascii_digit())
        && signs >= 2
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | '/' | '.' | 'T' | 'Z' | '+'));
    let has_level = line.split_whitespace().take(4).any(|word| LEVELS.contains(&word.trim_matches(['[', ']', ':'])));
    (is_time && !first.ends_with('.')) || has_level
}

/// What somebody says in a chat, without when and who: `[12/03/2025, 09:14] Anna: …`.
pub(crate) fn message(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['\u{200e}', '\u{feff}', ' ']);
    let inner = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (time, rest) = match inner {
        Some((time, rest)) => (time, rest),
        None => line.split_once(" - ")?,
    };
    let digits = time.chars().filter(char::is_ascii_digit).count();
    let is_time =
        digits >= 3 && time.contains(':') && time.chars().all(|c| !c.is_alphabetic() || "apmAPMTZ".contains(c));
    let (name, words) = rest.trim_start().split_once(": ")?;
    let is_name = (1..=40).contains(&name.chars().count())
        && name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '\'' | '-' | '~'))
        && name.split_whitespace().count() <= 4
        && !LEVELS.contains(&name.trim());
    (is_time && is_name).then_some(words.trim())
}

/// The lines of a chat, each a paragraph; what only says that a picture was there is left out.
fn chat(text: &str) -> Option<Vec<Block>> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| (index + 1, line))
        .collect();
    let said = lines.iter().filter(|(_, line)| message(line).is_some()).count();
    if said < 3 || said * 10 < lines.len() * 6 {
        return None;
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (line, text) in lines {
        match (message(text), blocks.last_mut()) {
            (Some(words), _) if words.starts_with('<') && words.ends_with('>') => {}
            (Some(words), _) => blocks.push(Block::Prose(vec![Piece { line, text: words.to_owned() }])),
            (None, Some(Block::Prose(pieces))) => pieces.push(Piece { line, text: text.trim().to_owned() }),
            (None, _) => {}
        }
    }
    Some(blocks)
}

/// Whether a line is one of the head of a letter that was sent: `From: …`, `Betreff: …`.
fn is_mail_head(line: &str) -> bool {
    const HEADS: [&str; 30] = [
        "From:",
        "To:",
        "Cc:",
        "Bcc:",
        "Subject:",
        "Sent:",
        "Date:",
        "Datum:",
        "Fecha:",
        "Data:",
        "Дата:",
        "差出人:",
        "件名:",
        "제목:",
        "Reply-To:",
        "Message-ID:",
        "Von:",
        "An:",
        "Betreff:",
        "Gesendet:",
        "De:",
        "À:",
        "Objet:",
        "Para:",
        "Asunto:",
        "Da:",
        "Oggetto:",
        "От:",
        "Кому:",
        "Тема:",
    ];
    HEADS.iter().any(|head| line.starts_with(head))
}

pub(super) fn blocks(text: &str) -> Vec<Block> {
    if let Some(messages) = chat(text) {
        return messages;
    }
    if is_log(text) {
        return records(text);
    }
    let mut blocks = Vec::new();
    let mut paragraph: Vec<Piece> = Vec::new();
    let is_mail = text.lines().take(12).filter(|line| is_mail_head(line)).count() >= 2;
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().copied().enumerate() {
        // Below two hyphens stands who sent it from what.
        if is_mail && line.trim_end() == "--" {
            break;
        }
        let line = if is_mail { line.trim_start_matches(['>', ' ']) } else { line };
        if is_mail && is_mail_head(line) {
            continue;
        }
        let trimmed = line.trim();
        let next = lines.get(index + 1).map_or("", |next| next.trim());
        if let Some(title) = title(trimmed, next, index == 0 || lines[index - 1].trim().is_empty()) {
            if !paragraph.is_empty() {
                blocks.push(Block::Prose(std::mem::take(&mut paragraph)));
            }
            let level = if index == 0 || is_capitals(title) { 1 } else { 2 };
            blocks.push(Block::Heading { line: index + 1, level, text: title.to_owned() });
            continue;
        }
        let item = list_item(trimmed);
        if (trimmed.is_empty() || item.is_some()) && !paragraph.is_empty() {
            blocks.push(Block::Prose(std::mem::take(&mut paragraph)));
        }
        let text = item.unwrap_or(trimmed);
        if !text.is_empty() {
            paragraph.push(Piece { line: index + 1, text: text.to_owned() });
        }
    }
    if !paragraph.is_empty() {
        blocks.push(Block::Prose(paragraph));
    }
    blocks
}

/// The title that a line is: short, without a full stop, in capitals or numbered before a text, or alone at the top.
fn title<'a>(line: &'a str, next: &str, is_first: bool) -> Option<&'a str> {
    // Who writes Markdown in a text file means it.
    if let Some(marked) = line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")).filter(|_| is_first) {
        return Some(marked.trim());
    }
    let count = line.split_whitespace().count();
    let is_whole = line.ends_with(['.', '!', '?', ':', ';', ',', '。', '！', '？', '|', ')']);
    let has_letters = line.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    if !is_first || is_whole || !has_letters || count > 10 || line.chars().count() > 80 {
        return None;
    }
    let begins = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
    let numbered = list_item(line).filter(|_| line.starts_with(|c: char| c.is_ascii_digit()));
    let is_before_text = begins(next) && list_item(next).is_none() && next.split_whitespace().count() > 3;
    match numbered {
        Some(words) if is_before_text && words.split_whitespace().count() <= 6 => Some(words),
        Some(_) => None,
        None if is_capitals(line) && count <= 8 => Some(line),
        None if next.is_empty()
            && list_item(line).is_none()
            && (2..=8).contains(&(count + usize::from(is_without_case(line))))
            && is_capitalised(line) =>
        {
            Some(line)
        }
        None => None,
    }
}

fn is_capitals(line: &str) -> bool {
    line.chars().any(char::is_uppercase) && !line.chars().any(char::is_lowercase)
}

fn is_without_case(line: &str) -> bool {
    line.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase())
}

/// Whether a line begins like a title and is no greeting.
fn is_capitalised(line: &str) -> bool {
    const GREETINGS: [&str; 14] = [
        "dear",
        "hello",
        "hi",
        "kind",
        "best",
        "yours",
        "liebe",
        "sehr",
        "mit",
        "cher",
        "chère",
        "estimado",
        "cordialement",
        "thanks",
    ];
    let first = line.split_whitespace().next().unwrap_or_default().to_lowercase();
    // Letters that have no case can begin a title.
    line.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase()) && !GREETINGS.contains(&first.as_str())
}

/// What a line of a list says, without its bullet or number.
pub(super) fn list_item(line: &str) -> Option<&str> {
    for bullet in ["- ", "* ", "+ ", "• "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return Some(rest.trim_start());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let rest = &line[digits..];
        return rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).map(str::trim_start);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_in_plain_text_are_headings() {
        let found =
            blocks("TOWN COUNCIL\n\n3. Library\nThe library lent 61,200 books in 2024.\n\n1. Buy milk\n2. Go home\n");
        let shown: Vec<String> = found
            .iter()
            .map(|block| match block {
                Block::Heading { line, level, text } => format!("{line} {level} {text}"),
                Block::Prose(pieces) => pieces[0].text.clone(),
                Block::Table(_) => String::new(),
            })
            .collect();
        assert_eq!(
            shown,
            ["1 1 TOWN COUNCIL", "3 2 Library", "The library lent 61,200 books in 2024.", "Buy milk", "Go home"]
        );
    }

    #[test]
    fn chats_and_letters_are_read_without_their_frames() {
        let found = blocks(
            "[12/03/2025, 09:14] Anna: The hall has 40 beds.\n[12/03/2025, 09:15] Ivan P.: Good.\n[12/03/2025, 09:16] Anna: <Media omitted>\n",
        );
        assert_eq!(found[0], Block::Prose(vec![Piece { line: 1, text: "The hall has 40 beds.".into() }]));
        assert_eq!(found.len(), 2);
        let mail =
            blocks("From: a@b.example\nSubject: numbers\n\n> How many?\n\nWe have 40.\n\n-- \nSent from my boat\n");
        assert_eq!(mail.len(), 2);
        assert_eq!(mail[1], Block::Prose(vec![Piece { line: 6, text: "We have 40.".into() }]));
        assert!(message("2023-11-28 10:00:01 INFO: req=1").is_none());
    }

    #[test]
    fn each_line_of_a_log_is_a_record_of_its_own() {
        let found = blocks(
            "2023-11-28 10:00:01 INFO req=1 ms=334\n2023-11-28 10:00:02 INFO req=2 ms=12\n2023-11-28 10:00:09 WARN slow\n",
        );
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[1],
            Block::Prose(vec![Piece { line: 2, text: "2023-11-28 10:00:02 INFO req=2 ms=12".into() }])
        );
        assert_eq!(blocks("The shop opened\nin 2023 and\nclosed in May.").len(), 1);
    }
}
