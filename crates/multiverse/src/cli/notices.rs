//! What the store says beside its answers: for a person on stderr, for a program as objects on stdout, at once, because
//! it may be waiting for someone. Knows no command.

use std::io::Write as _;

use serde::Serialize;
use store::{Listener, Notice, ProjectPath};

use super::output::{Form, Loudness, Output, listed};
use super::{live, visible};

/// A notice for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Told {
    /// What kind of notice it is.
    kind: &'static str,
    /// It in words.
    message: String,
    /// The documents it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    /// The record it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
    /// Where something was put.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Notice(&'a Told),
}

/// Who listens to a store. What waits in `output` must have been written: these lines do not go through it.
pub(crate) fn listener(output: &Output) -> Listener {
    let (form, loudness) = (output.form(), output.loudness());
    Box::new(move |notice: &Notice| tell(form, loudness, notice))
}

/// Tells one notice at once.
pub(crate) fn tell(form: Form, loudness: Loudness, notice: &Notice) {
    let told = Told::from(notice);
    // Whoever asked for silence did not ask not to know what became of a file.
    let is_ordinary = matches!(notice, Notice::Edited { .. });
    if form == Form::Json {
        if let Ok(text) = serde_json::to_string(&Line::Notice(&told)) {
            let _ = std::io::stdout().lock().write_all(format!("{}\n", visible::json(&text)).as_bytes());
        }
    } else if loudness > Loudness::Quiet || !is_ordinary {
        let text = visible::text(&told.message);
        if !live::say(&text) {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

impl From<&Notice> for Told {
    fn from(notice: &Notice) -> Self {
        let names = |paths: &[ProjectPath]| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
        let told = |kind, message, paths| Self { kind, message, paths, record: None, kept: None };
        match notice {
            Notice::LockHeld { advice, .. } => {
                told("lock_held", format!("waiting for the project's lock: {advice}"), Vec::new())
            }
            Notice::Waiting { paths } => {
                let paths = names(paths);
                let message = format!("waiting for {}: some program has it open for writing", listed(&paths));
                told("waiting", message, paths)
            }
            Notice::Edited { record, paths } => {
                let paths = names(paths);
                let message = format!("edited by hand, now record {record}: {}", listed(&paths));
                Self { record: Some(*record), ..told("edited", message, paths) }
            }
            Notice::Merged { path, base, record } => {
                let message = format!(
                    "{path}: merged with what was recorded since record {base}; \
                     as it was written: multiverse restore {} --at {record} --as-written",
                    shell_word(path.as_str())
                );
                Self { record: Some(*record), ..told("merged", message, vec![path.to_string()]) }
            }
            Notice::Stale { path, version } => {
                let message =
                    format!("{path} was put back to what it was at record {version}; it is brought up to date again");
                Self { record: Some(*version), ..told("stale", message, vec![path.to_string()]) }
            }
            Notice::NotPlaced { fault } => {
                told("not_placed", format!("not in place yet: {fault}"), vec![fault.path.clone()])
            }
            Notice::PutAside { path, kept } => {
                let message = format!(
                    "after the machine stopped, {path} held bytes that nobody had committed; they are kept in {kept}"
                );
                Self { kept: Some(kept.to_string()), ..told("put_aside", message, vec![path.to_string()]) }
            }
        }
    }
}

/// A name that can be copied into a shell.
pub(crate) fn shell_word(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "._/-+@".contains(character);
    match name.chars().all(is_plain) {
        true => name.into(),
        false => format!("'{}'", name.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_copied_into_a_shell() {
        for (name, expected) in [("a/보고.md", "a/보고.md"), ("a b.md", "'a b.md'"), ("it's $x.md", r"'it'\''s $x.md'")]
        {
            assert_eq!(shell_word(name), expected);
        }
    }

    #[test]
    fn notices_are_told_in_words_and_fields() {
        let path = || ProjectPath::document("p.md").unwrap();
        let check = |notice: &Notice, expected: &str| {
            assert_eq!(serde_json::to_string(&Line::Notice(&Told::from(notice))).unwrap(), expected);
        };
        check(
            &Notice::Merged { path: path(), base: 2, record: 4 },
            r#"{"notice":{"kind":"merged","message":"p.md: merged with what was recorded since record 2; as it was written: multiverse restore p.md --at 4 --as-written","paths":["p.md"],"record":4}}"#,
        );
        check(
            &Notice::Waiting { paths: vec![path()] },
            r#"{"notice":{"kind":"waiting","message":"waiting for p.md: some program has it open for writing","paths":["p.md"]}}"#,
        );
        check(
            &Notice::PutAside { path: path(), kept: ProjectPath::any(".multiverse/found/1").unwrap() },
            r#"{"notice":{"kind":"put_aside","message":"after the machine stopped, p.md held bytes that nobody had committed; they are kept in .multiverse/found/1","paths":["p.md"],"kept":".multiverse/found/1"}}"#,
        );
    }
}
