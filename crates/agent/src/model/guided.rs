//! Owns what a model is told of the project's own instructions and skills: in the part of the prompt that stays the same from
//! call to call, so that caches keep it, and bounded. Must not know where they are looked for.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::select::read;
use super::tokens::tokens_in;
use crate::backend::Job;
use crate::guidance::{Guide, guide};
use crate::prompt::{Form, Tools};

/// The most that instructions may take, in tokens; a small model is given little to read.
const TOKENS: u64 = 4_000;
const SIMPLE_TOKENS: u64 = 300;
/// The most that the list of skills may take.
const SKILL_TOKENS: u64 = 1_500;

/// What is added to the prompt, and the record of it (MV-31); nothing if there is nothing to tell.
pub(super) fn guided(job: &Job, form: Form, tools: Tools) -> Option<(String, Value)> {
    let (mut instructions, mut skills, mut records) = (String::new(), String::new(), Vec::new());
    let mut left = if form == Form::Simple { SIMPLE_TOKENS } else { TOKENS };
    for file in &job.brief.files {
        let how = match guide(file) {
            None => continue,
            Some(Guide::Instructions) => match read(job, &file.path) {
                Ok(text) if !text.trim().is_empty() && left > 0 => {
                    let (kept, how) = beginning(text.trim(), left);
                    left = left.saturating_sub(tokens_in(kept));
                    let _ = write!(instructions, "\n{}:\n{kept}\n", file.path);
                    how.into()
                }
                Ok(text) if text.trim().is_empty() => "left out: it is empty".into(),
                Ok(_) => "left out: there is no room".into(),
                Err(why) => format!("left out: {why}"),
            },
            Some(Guide::Skill(name, description)) => {
                let line = format!("- {name}: {description} ({})\n", file.path);
                if form == Form::Simple || tools == Tools::None {
                    "left out: there is no tool to read it with".into()
                } else if tokens_in(&skills) + tokens_in(&line) > SKILL_TOKENS {
                    "left out: there is no room".into()
                } else {
                    skills.push_str(&line);
                    "named in the prompt".to_string()
                }
            }
        };
        records.push(json!({"path": file.path, "how": how}));
    }
    if records.is_empty() {
        return None;
    }
    let mut text = String::new();
    if !instructions.is_empty() {
        let _ = write!(
            text,
            "\nThe project's own instructions. Keep to them where they bear on your task:\n{instructions}"
        );
    }
    if !skills.is_empty() {
        let _ = write!(text, "\nSkills of the project. If one is for what you do, read its file first:\n{skills}");
    }
    Some((text, json!({"guidance": records})))
}

/// As many whole lines as there is room for.
fn beginning(text: &str, most: u64) -> (&str, &'static str) {
    if tokens_in(text) <= most {
        return (text, "in full");
    }
    let (mut end, mut used) = (0, 0);
    for line in text.split_inclusive('\n') {
        used += tokens_in(line);
        if used > most {
            break;
        }
        end += line.len();
    }
    (text[..end].trim_end(), "its beginning")
}
