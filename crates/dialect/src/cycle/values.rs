//! What the words in a block mean: agents, results, confidence, signatures, in the forms that people write. What is not
//! clear is not guessed: it is told with the nearest valid value. Must not know blocks.

use machine::cycle::{Lap, Party, Signature, Standing, Word};

/// What became of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read<T> {
    /// As it should be written.
    Clean(T),
    /// Clear, but written otherwise: how it should be.
    Loose(T, String),
    /// Not clear, and why.
    Unclear(String),
}

impl<T: Copy> Read<T> {
    pub(super) fn value(&self) -> Option<T> {
        match self {
            Self::Clean(value) | Self::Loose(value, _) => Some(*value),
            Self::Unclear(_) => None,
        }
    }
}

/// Who is meant.
pub(super) fn party(raw: &str) -> Read<Party> {
    let names: Vec<&str> = Party::ALL.iter().map(|party| party.name()).collect();
    let found = one_of(raw, &names, |text| text.to_lowercase());
    match found {
        Read::Clean(at) => Read::Clean(Party::ALL[at]),
        Read::Loose(at, why) => Read::Loose(Party::ALL[at], why),
        Read::Unclear(why) => match older(&plain(raw)) {
            Some(now) => Read::Unclear(format!("{why}; an older form had that agent, and now {now}")),
            None => Read::Unclear(why),
        },
    }
}

/// Which result is meant.
pub(super) fn word(raw: &str) -> Read<Word> {
    let names: Vec<&str> = Word::ALL.iter().map(|word| word.name()).collect();
    match one_of(raw, &names, |text| text.to_uppercase().replace([' ', '-'], "_")) {
        Read::Clean(at) => Read::Clean(Word::ALL[at]),
        Read::Loose(at, why) => Read::Loose(Word::ALL[at], why),
        Read::Unclear(why) => match older_word(&plain(raw)) {
            // The nearest in letters may be the opposite in meaning.
            Some(now) => Read::Unclear(format!("`{}` is not one of the valid words; {now}", shown(raw))),
            None => Read::Unclear(why),
        },
    }
}

/// What is said now where others said something else.
fn older_word(text: &str) -> Option<&'static str> {
    let text = text.to_uppercase().replace([' ', '-'], "_");
    let word: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    Some(match word.as_str() {
        "SUFFICIENT" => "the nearest is `PASS`, with `Superordinate Goal Status: SUFFICIENT`",
        "PASSED" | "APPROVE" | "ACCEPTED" => "the nearest is `PASS` of a Judge, `APPROVED` of the Human",
        "REJECTED" | "REJECT" | "NOT_SUFFICIENT" | "NEEDS_WORK" | "REVISE" => {
            "the nearest is `INSUFFICIENT` of a Judge, `REVISION_REQUESTED` of the Human"
        }
        "PLAN_UPDATED" | "PLAN_REVISED" | "FINAL_PLAN_CREATED" | "PLAN_ALIGNED" | "PLAN_READY" | "PLANNED"
        | "READY" => "the nearest is `PLAN_CREATED`",
        "QUESTION" | "QUESTIONS" | "CLARIFICATION" | "NEEDS_INFO" => "the nearest is `CLARIFICATION_NEEDED`",
        "BLOCKED" | "FAILED" | "FAILURE" | "ERROR" => "the nearest is `FAIL`",
        "COMPLETE" | "COMPLETED" | "DONE" | "PR_MERGED" | "MERGED" | "GOAL_CYCLE_COMPLETE" => {
            "the nearest is `SUCCESS`"
        }
        word if word.starts_with("LOOP_") || word.ends_with("_COMPLETE") => "the nearest is `SUCCESS`",
        _ => return None,
    })
}

/// How sure somebody is, from 0 to 10.
pub(super) fn confidence(raw: &str) -> Read<u8> {
    if let Ok(number @ 0..=10) = raw.trim().parse::<u8>() {
        return Read::Clean(number);
    }
    let text = plain(raw);
    let unclear = |why: &str| Read::Unclear(format!("`{}` {why}; write a whole number from 0 to 10", shown(raw)));
    let text = text.trim_start_matches(['~', '≈']).trim();
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (number, rest) = text.split_at(digits);
    let Ok(number) = number.parse::<u64>() else {
        let is_below = text.starts_with('-') && text[1..].starts_with(|digit: char| digit.is_ascii_digit());
        return unclear(if is_below { "is below 0" } else { "is no number" });
    };
    let (tenths, rest) = match rest.strip_prefix('.') {
        Some(after) => {
            let end = after.len() - after.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
            (end > 0, &after[end..])
        }
        None => (false, rest),
    };
    if rest.starts_with(char::is_alphanumeric) {
        return unclear("is no number");
    }
    let rest = rest.trim();
    let whole = ["/10", "/ 10", "out of 10", "of 10"].iter().find_map(|whole| rest.strip_prefix(whole));
    let rest = whole.filter(|rest| !rest.starts_with(|digit: char| digit.is_ascii_digit())).map_or(rest, str::trim);
    if rest.starts_with('%') {
        return unclear("is a percentage");
    }
    let is_mark = |mark: char| !mark.is_alphanumeric() && !matches!(mark, '(' | '[');
    let mut words = rest.trim_start_matches(is_mark).split_whitespace();
    let between =
        |word: &str| matches!(word.to_lowercase().as_str(), "or" | "to" | "maybe" | "perhaps" | "and" | "out" | "of");
    let number_next =
        words.find(|word| !between(word)).is_some_and(|word| word.starts_with(|one: char| one.is_ascii_digit()));
    if rest.starts_with('/') || number_next {
        return unclear("is more than one number");
    }
    match u8::try_from(number) {
        Ok(number @ 0..=10) if !(tenths && number == 10) => {
            let what = if tenths { "a part is cut off: " } else { "" };
            Read::Loose(number, format!("{what}write `{number}`"))
        }
        _ => unclear("is above 10"),
    }
}

/// How a block is signed.
pub(super) fn signature(raw: &str) -> Read<Signature> {
    let text = plain(raw);
    let unclear = |why: &str| {
        Read::Unclear(format!("`{}` {why}; write `goal:loop:step` in numbers, such as 1:2:3, or 1:FINAL:4", shown(raw)))
    };
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    let mut separators = Vec::new();
    while pieces.len() < 3 {
        let end = rest.find(|mark: char| !mark.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        let is_piece = !piece.is_empty()
            && (piece.bytes().all(|byte| byte.is_ascii_digit())
                || (pieces.len() == 1 && piece.eq_ignore_ascii_case("final")));
        if !is_piece {
            break;
        }
        pieces.push(piece);
        rest = after;
        if pieces.len() < 3 {
            let Some(separator) = rest.chars().next().filter(|mark| matches!(mark, ':' | '.' | '-' | '/')) else {
                break;
            };
            separators.push(separator);
            rest = &rest[separator.len_utf8()..];
        }
    }
    if pieces.len() < 3 {
        let numbers: Vec<&str> =
            text.split(|mark: char| !mark.is_ascii_digit()).filter(|number| !number.is_empty()).collect();
        let elsewhere = named_parts(&text).or_else(|| lone_signature(&text));
        return match (elsewhere, numbers.as_slice()) {
            (Some([goal, lap, step]), _) => match signed(&goal, &lap, &step) {
                Some(signature) => Read::Loose(signature, format!("write `{signature}`")),
                None => unclear("has numbers that are too large"),
            },
            _ if text.to_lowercase().contains("step") && text.contains('=') => {
                unclear("signs by project and step, as an older form did")
            }
            (None, []) => unclear("has no numbers"),
            (None, [_, _, _]) => unclear("is not clear"),
            (None, numbers) => unclear(&format!("has {} numbers where three belong", numbers.len())),
        };
    }
    let Some(signature) = signed(pieces[0], pieces[1], pieces[2]) else {
        return unclear("has numbers that are too large");
    };
    if rest.starts_with([':', '.']) && rest[1..].starts_with(|digit: char| digit.is_ascii_digit()) {
        return unclear("has more than three numbers");
    }
    if raw.trim() == signature.to_string() {
        return Read::Clean(signature);
    }
    if lone_signature(rest).is_some() {
        return unclear("is more than one signature");
    }
    let what = if rest.trim().is_empty() { "" } else { "words do not belong here: " };
    Read::Loose(signature, format!("{what}write `{signature}`"))
}

/// `Goal 1, Loop 2, Step 3`, `G1:L2:S3`: each number behind its name.
fn named_parts(text: &str) -> Option<[String; 3]> {
    let names = [["goal", "g"], ["loop", "l"], ["step", "s"]];
    let mut rest = text.to_lowercase();
    let mut parts = Vec::new();
    for name in names {
        rest = rest.trim_start_matches(|mark: char| !mark.is_alphanumeric()).to_owned();
        let behind = name.iter().find_map(|name| rest.strip_prefix(name))?;
        let behind = behind.trim_start_matches([' ', ':', '=', '#', '-']);
        let end = behind.len() - behind.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let end = if end == 0 && behind.starts_with("final") { "final".len() } else { end };
        parts.push(behind.get(..end).filter(|part| !part.is_empty())?.to_owned());
        rest = behind[end..].to_owned();
    }
    (!rest.starts_with(char::is_alphanumeric)).then(|| parts.try_into().ok()).flatten()
}

/// The one `1:2:3` among other words, if there is but one.
fn lone_signature(text: &str) -> Option<[String; 3]> {
    let tight = text.replace(" :", ":").replace(": ", ":");
    let words =
        tight.split(|mark: char| mark.is_whitespace() || matches!(mark, '(' | ')' | '[' | ']' | '#' | ',' | ';' | '|'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let read = |word: &str| {
        let parts: Vec<&str> = word.trim_matches(['.', ':', '`', '*']).split([':', '.']).collect();
        match parts.as_slice() {
            [goal, lap, step]
                if is_number(goal) && is_number(step) && (is_number(lap) || lap.eq_ignore_ascii_case("final")) =>
            {
                Some([(*goal).to_owned(), (*lap).to_owned(), (*step).to_owned()])
            }
            _ => None,
        }
    };
    let mut found = words.filter_map(read);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn signed(goal: &str, lap: &str, step: &str) -> Option<Signature> {
    let lap = if lap.eq_ignore_ascii_case("final") { Lap::Final } else { Lap::Loop(lap.parse().ok()?) };
    Some(Signature { goal: goal.parse().ok()?, lap, step: step.parse().ok()? })
}

/// How far the whole goal is; nothing if that cannot be told from the words.
pub(super) fn standing(raw: &str) -> Option<Standing> {
    let text = plain(raw).to_uppercase().replace(['-', '_'], " ");
    let begins = |words: &[&str]| {
        words.iter().any(|word| {
            text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
        })
    };
    // What is not so is asked first: `NOT MET`, `INSUFFICIENT`.
    if begins(&["PROGRESSING", "IN PROGRESS", "INSUFFICIENT", "NOT", "PARTIAL", "PARTIALLY", "INCOMPLETE", "UNMET"]) {
        return Some(Standing::Progressing);
    }
    begins(&["SUFFICIENT", "MET", "COMPLETE", "COMPLETED", "ACHIEVED", "REACHED", "FULLY MET"])
        .then_some(Standing::Sufficient)
}

/// The one of some names that a text begins with, if it is plain that no other is meant.
fn one_of(raw: &str, names: &[&str], spelled: fn(&str) -> String) -> Read<usize> {
    if let Some(at) = names.iter().position(|name| *name == raw.trim()) {
        return Read::Clean(at);
    }
    if let Some(ticked) = ticked(raw) {
        let found: Vec<usize> =
            ticked.iter().filter_map(|one| names.iter().position(|name| spelled(name) == spelled(one))).collect();
        return match (found.as_slice(), ticked.len()) {
            ([at], 1) => Read::Loose(*at, format!("write `{}`", names[*at])),
            (_, count) => Read::Unclear(format!("{count} boxes are ticked; write one of: {}", names.join(", "))),
        };
    }
    let text = plain(raw);
    let text = text.strip_prefix("the ").or_else(|| text.strip_prefix("The ")).unwrap_or(&text).to_owned();
    let valid = || format!("valid: {}", names.join(", "));
    if text.is_empty() {
        return Read::Unclear(format!("there is no value; {}", valid()));
    }
    if text.starts_with('[') && text.contains('|') {
        return Read::Unclear(format!("the template's choice was not made; {}", valid()));
    }
    let matches = |text: &str| names.iter().position(|name| spelled(name) == spelled(text.trim()));
    // Who asks is not sure.
    if text.contains('?') {
        return Read::Unclear(format!("`{}` is a question; {}", shown(raw), valid()));
    }
    let close = |at: usize| Read::Loose(at, format!("write `{}`", names[at]));
    let bare = text.trim_matches(|mark: char| !mark.is_alphanumeric());
    if let Some(at) = matches(bare) {
        return close(at);
    }
    // A name and an explanation that brings no other into play: `Actor (loop 2)`, `PASS - all well`.
    let end = text.find(['(', ',', ';', '—', '–', '.', ':', '→', '>', '[']).or_else(|| text.find(" -"));
    if let Some(at) = end.and_then(|end| matches(text[..end].trim_matches(|mark: char| !mark.is_alphanumeric()))) {
        let rest = text[end.unwrap_or_default()..].to_lowercase();
        let words: Vec<&str> = rest.split(|mark: char| !(mark.is_alphanumeric() || mark == '_')).collect();
        let is_open = words.iter().any(|word| {
            matches!(*word, "or" | "and" | "either" | "if" | "unless" | "maybe")
                || names.iter().enumerate().any(|(other, name)| other != at && name.to_lowercase() == **word)
        });
        if !is_open {
            return close(at);
        }
    }
    let named: Vec<&str> = names
        .iter()
        .filter(|name| {
            let wanted = name.to_lowercase();
            text.to_lowercase().split(|mark: char| !(mark.is_alphanumeric() || mark == '_')).any(|word| word == wanted)
        })
        .copied()
        .collect();
    let hint = match named.as_slice() {
        [] => match nearest(&text, names) {
            Some(near) => format!("the nearest is `{near}`"),
            None => valid(),
        },
        [one] => format!("if it means `{one}`, write that alone"),
        several => format!("it names {}: write one of them", several.join(" and ")),
    };
    Read::Unclear(format!("`{}` is not one of the valid words; {hint}", shown(raw)))
}

/// The ticked ones of `[ ] Human [x] Planner [ ] Actor`; nothing if there are no boxes.
fn ticked(raw: &str) -> Option<Vec<&str>> {
    let mut boxes = raw.split('[').skip(1).filter_map(|part| part.split_once(']')).peekable();
    boxes.peek().filter(|_| raw.trim_start().starts_with('['))?;
    let is_box = |mark: &str| matches!(mark.trim(), "" | "x" | "X" | "✓" | "✔");
    let all: Vec<(&str, &str)> = boxes.collect();
    if all.iter().any(|(mark, _)| !is_box(mark)) {
        return None;
    }
    let ticked = all.into_iter().filter(|(mark, _)| !mark.trim().is_empty());
    Some(ticked.map(|(_, name)| name.trim_matches(|mark: char| !mark.is_alphanumeric())).collect())
}

/// The name that takes the fewest changes, if they are few.
pub(crate) fn nearest<'n>(text: &str, names: &[&'n str]) -> Option<&'n str> {
    let text: Vec<char> = text.to_lowercase().chars().take(40).collect();
    let far = |name: &&str| distance(&text, &name.to_lowercase().chars().collect::<Vec<_>>());
    let near = names.iter().min_by_key(|name| far(name))?;
    (far(near) * 2 <= near.chars().count()).then_some(*near)
}

/// How many letters must be changed, added or left out to make one text of another.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (at, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != wanted);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Who does now what an agent of the older form did.
fn older(text: &str) -> Option<&'static str> {
    match text.to_lowercase().as_str() {
        "verifier" | "comparator" | "diagnoser" => Some("the Judge does its work"),
        "orchestrator" => Some("the engine does its work"),
        "user" | "me" => Some("the Human is named so"),
        _ => None,
    }
}

/// Text without emphasis, code marks, quotes, and what was struck out.
fn plain(raw: &str) -> String {
    let mut text = raw.trim().to_owned();
    while let Some(start) = text.find("~~") {
        let Some(length) = text[start + 2..].find("~~") else { break };
        text.replace_range(start..start + length + 4, "");
    }
    let text =
        text.trim().trim_matches(|mark: char| matches!(mark, '*' | '`' | '"' | '\'' | '“' | '”' | '‘' | '’' | '_'));
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|inner| !inner.contains('|'));
    let inner = inner.or_else(|| text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')));
    let text = inner.unwrap_or(text).trim().replace("**", "").replace('`', "");
    text.chars().map(narrow).collect()
}

/// Wide digits and letters, as some keyboards give them.
fn narrow(letter: char) -> char {
    match u32::from(letter) {
        wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(letter),
        _ => letter,
    }
}

/// A value as a message shows it: bounded, on one line.
pub(crate) fn shown(raw: &str) -> String {
    const MOST: usize = 40;
    let line: String = raw.trim().chars().map(|letter| if letter.is_control() { '·' } else { letter }).collect();
    match line.chars().count() > MOST {
        true => line.chars().take(MOST).chain(['…']).collect(),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_read_or_told() {
        for (raw, expected) in [
            ("Judge", Some(Party::Judge)),
            (" judge ", Some(Party::Judge)),
            ("**Planner**", Some(Party::Planner)),
            ("[Actor]", Some(Party::Actor)),
            ("Actor (loop 2)", Some(Party::Actor)),
            ("Human — to approve", Some(Party::Human)),
            ("🤖 Actor", Some(Party::Actor)),
            ("~~Actor~~ Judge", Some(Party::Judge)),
            ("Judge or Loop 4", None),
            ("Judge (or Planner)", None),
            ("Actor, then Judge", None),
            ("Judge/Planner", None),
            ("Juge", None),
            ("Verifier", None),
            ("", None),
            ("[Human | Planner | Actor | Judge]", None),
            ("[ ] Human [x] Planner [ ] Actor", Some(Party::Planner)),
            ("[x] Human [x] Planner", None),
            ("[ ] Human [ ] Planner", None),
        ] {
            assert_eq!(party(raw).value(), expected, "{raw:?}: {:?}", party(raw));
        }
        for (raw, said) in [
            ("Juge", "the nearest is `Judge`"),
            ("Judge or Loop 4", "if it means `Judge`, write that alone"),
            ("Judge/Planner", "it names Planner and Judge"),
            ("Verifier", "the Judge does its work"),
            ("xyzzy", "valid: Human, Planner"),
            ("[Human | Planner]", "the template's choice was not made"),
        ] {
            assert!(matches!(party(raw), Read::Unclear(why) if why.contains(said)), "{raw:?}: {:?}", party(raw));
        }
    }

    #[test]
    fn results_are_read_or_told() {
        for (raw, expected) in [
            ("PLAN_CREATED", Some(Word::PlanCreated)),
            ("plan created", Some(Word::PlanCreated)),
            ("`PASS`", Some(Word::Pass)),
            ("PASS ✅", Some(Word::Pass)),
            ("INSUFFICIENT (two terms)", Some(Word::Insufficient)),
            ("PASSED", None),
            ("PASS/FAIL", None),
            ("PASS but INSUFFICIENT", None),
            ("done", None),
        ] {
            assert_eq!(word(raw).value(), expected, "{raw:?}: {:?}", word(raw));
        }
        assert!(matches!(word("PASSED"), Read::Unclear(why) if why.contains("the nearest is `PASS`")));
    }

    #[test]
    fn confidence_is_read_or_told() {
        for (raw, expected) in [
            ("8", Some(8)),
            ("0", Some(0)),
            ("10", Some(10)),
            ("8/10", Some(8)),
            ("8 / 10", Some(8)),
            ("**7**", Some(7)),
            ("9 (very sure)", Some(9)),
            ("~6", Some(6)),
            ("4.9", Some(4)),
            ("high", None),
            ("11", None),
            ("-1", None),
            ("85%", None),
            ("7-8", None),
            ("10.5", None),
            ("", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(confidence(raw).value(), expected, "{raw:?}: {:?}", confidence(raw));
        }
    }

    #[test]
    fn signatures_are_read_or_told() {
        for (raw, expected) in [
            ("1:2:3", Some("1:2:3")),
            ("4.4.2", Some("4:4:2")),
            ("1:FINAL:4", Some("1:FINAL:4")),
            ("1:final:4", Some("1:FINAL:4")),
            ("1:2:3 (Judge)", Some("1:2:3")),
            ("`1:2:3`", Some("1:2:3")),
            ("[1:2:3]", Some("1:2:3")),
            ("1-2-3", Some("1:2:3")),
            ("Goal 1, Loop 2, Step 3", Some("1:2:3")),
            ("1:2:3 — approved by Anna on 12.3.", Some("1:2:3")),
            ("1:2", None),
            ("1:2:3:4", None),
            ("one:two:three", None),
            ("99999999999:1:1", None),
            ("{goal n}:{loop n}:{step n}", None),
            ("", None),
        ] {
            let read = signature(raw);
            assert_eq!(read.value().map(|signature| signature.to_string()).as_deref(), expected, "{raw:?}: {read:?}");
            assert_eq!(matches!(read, Read::Clean(_)), expected == Some(raw), "{raw:?}");
        }
    }

    #[test]
    fn standings() {
        for (raw, expected) in [
            ("SUFFICIENT", Some(Standing::Sufficient)),
            ("**Sufficient** - all there", Some(Standing::Sufficient)),
            ("Met", Some(Standing::Sufficient)),
            ("PROGRESSING (3 of 5)", Some(Standing::Progressing)),
            ("INSUFFICIENT", Some(Standing::Progressing)),
            ("not met", Some(Standing::Progressing)),
            ("in-progress", Some(Standing::Progressing)),
            ("60%", None),
            ("", None),
        ] {
            assert_eq!(standing(raw), expected, "{raw:?}");
        }
    }
}
