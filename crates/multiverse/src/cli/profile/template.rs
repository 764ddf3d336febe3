//! A profile to begin with: a small one with comments, or a copy of another under a new name. Never writes over a file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use engine::workflows::{PROFILE_SCHEMA, PROFILES, SCHEMAS, STATUS_SCHEMA};
use syntax::data::Value;
use syntax::data_edit::{Edit, Format, Part, edit};
use syntax::yaml;
use text::Text;

use super::super::failure::{Failure, Kind};
use super::super::project::Start;
use super::shelf::{Shelf, Source};

/// What editors look for in the first line, to complete and check.
const FIRST_LINE: &str = "# yaml-language-server: $schema=../schemas/workflow_profile.schema.json\n";
const TEMPLATE: &str = include_str!("template.yaml");

/// Writes a profile; gives the files that were made, as a command line would name them.
pub(super) fn write(start: &Start, shelf: &Shelf, name: &str, from: Option<&str>) -> Result<Vec<String>, Failure> {
    let is_fit = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-".contains(letter);
    if name.is_empty() || !name.chars().all(is_fit) {
        let message = format!("`{name}` is no name of a profile");
        return Err(Failure::new(Kind::Usage, message).hint("use small letters, digits, `_` and `-`, such as my_team"));
    }
    if let Some((stored, _)) = shelf.valid().find(|(_, profile)| profile.name == name)
        && shelf.source != Source::Shipped
    {
        let message = format!("there is a profile `{name}` already, in {}", stored.path);
        return Err(Failure::new(Kind::Refused, message).hint("change that one, or choose another name"));
    }
    let text = match from {
        None => TEMPLATE.replace("NAME", name),
        Some(from) => renamed(&shelf.named(from)?.bytes, name)?,
    };
    let root = match &shelf.source {
        Source::Tree(root) => root.clone(),
        Source::Shipped => start.project_or_new(),
    };
    let mut made = Vec::new();
    // The schemas come first: an editor that opens the profile finds them.
    let schemas = [("workflow_profile.schema.json", PROFILE_SCHEMA), ("status.schema.json", STATUS_SCHEMA)];
    for (file, schema) in schemas {
        let path = root.join(SCHEMAS).join(file);
        if !path.exists() {
            create(&path, schema)?;
            made.push(start.shown(&path).to_string_lossy().into_owned());
        }
    }
    let path = root.join(PROFILES).join(format!("{name}.yaml"));
    create(&path, &text)?;
    made.push(start.shown(&path).to_string_lossy().into_owned());
    Ok(made)
}

/// A file that is not there yet.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            let message = format!("{} is there already", super::super::visible::path(path));
            Failure::new(Kind::Refused, message).at(path).hint("choose another name, or change that file")
        }
        _ => Failure::writing(path, &error),
    })
}

/// The same profile under another name: only what says how it is called changes, and the first line is for editors.
fn renamed(bytes: &[u8], name: &str) -> Result<String, Failure> {
    let mut copy = Text::from(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).to_vec());
    let root = yaml::parse(&copy.to_vec()).root;
    let has = |key: &str| root.as_ref().is_some_and(|root| root.value(key).is_some());
    for (key, value) in [("name", name.to_owned()), ("invocation", format!("/orchestrator @{name}"))] {
        if has(key) {
            let changed = edit(Format::Yaml, &copy.to_vec(), &[Part::Key(key)], Edit::Set(&Value::text(value)));
            let changed = changed.map_err(|refusal| refusal.to_string());
            copy = changed
                .and_then(|change| change.apply(&copy).map_err(|_| "it was changed meanwhile".to_owned()))
                .map_err(|reason| {
                    let message = format!("the profile cannot be copied under another name: `{key}`: {reason}");
                    Failure::new(Kind::Document, message).hint("copy the file, and change `name` in it")
                })?;
        }
    }
    let copy = copy.to_vec();
    let copy = String::from_utf8_lossy(&copy);
    let first = if copy.starts_with("# yaml-language-server:") { "" } else { FIRST_LINE };
    Ok(format!("{first}{copy}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workflows::{SHIPPED, Schema, read_profile};

    /// PF-01: what `profile new` writes is valid, with nothing left to fill in.
    #[test]
    fn what_is_written_is_a_profile() {
        let schema = Schema::read(PROFILE_SCHEMA).unwrap();
        let odd = "\u{feff}{\"name\": 'x', version: 1, description: d, friendly_name: f, execution_mode: simulation, strict_mode: true,\r\n\
                   gates: [], phases: [{id: a, description: d, roles: [{id: s, role: name, step_type: owner, required_outputs: []}]}]}\r\n";
        let copied = SHIPPED.iter().map(|(_, text)| *text).chain([odd]);
        let copies = copied.map(|text| renamed(text.as_bytes(), "my_team").unwrap());
        for text in copies.chain([TEMPLATE.replace("NAME", "my_team")]) {
            let read = read_profile(text.as_bytes(), &schema);
            assert_eq!(read.complaints, [], "{text}");
            assert_eq!(read.profile.unwrap().name, "my_team");
            assert!(text.starts_with(FIRST_LINE), "{text}");
        }
    }
}
