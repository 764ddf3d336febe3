//! Owns what stands after `--agent`: `[ROLE=]KIND[:ARG]`. Must not know what the kinds do, nor which roles there are.

use std::path::PathBuf;

use crate::model::ModelName;
use crate::presets::Cli;
use crate::words::quote;

/// The kinds, as a message lists them.
const KINDS: &str = "offline, auto, script:FILE, command:PROGRAM, acp:PROGRAM, model:PROVIDER/NAME[@BASE_URL] or \
    model:NAME, person, and claude, codex, gemini, opencode, goose, aider, qwen, pi, vibe, each with or without :MODEL; \
    each may follow ROLE=";

/// One `--agent`: who plays a role, or every role that is not named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The role; nothing stands for all others.
    pub role: Option<String>,
    /// The backend.
    pub kind: Kind,
}

/// A backend as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Without a model: what is in the files.
    Offline,
    /// Replays a file of reports.
    Script(PathBuf),
    /// Any executable, with its arguments.
    Command(String),
    /// A coding CLI in its non-interactive mode, with a model if one is named.
    Cli(Cli, Option<String>),
    /// Any agent that speaks the Agent Client Protocol, with its arguments.
    Acp(String),
    /// Whoever is found: a coding CLI that can be used, a model whose key is set, else offline.
    Auto,
    /// A model behind an HTTP wire.
    Model(ModelName),
    /// A model that the project's settings describe under this name.
    NamedModel(String),
    /// A person's inbox.
    Person,
}

/// Reads `[ROLE=]KIND[:ARG]`; what is wrong is said with the valid options.
pub fn parse_kind(text: &str) -> Result<Assigned, String> {
    let shown = quote(text, 80);
    let (before, argument) = match text.split_once(':') {
        Some((before, argument)) => (before, Some(argument)),
        None => (text, None),
    };
    let (role, name) = match before.split_once('=') {
        Some((role, name)) => (Some(role.trim()), name.trim()),
        None => (None, before.trim()),
    };
    let is_name = |role: &str| {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        !role.is_empty() && role.bytes().all(word)
    };
    if let Some(role) = role
        && !is_name(role)
    {
        return Err(format!("`{shown}`: `{}` is no name of a role; valid: letters, digits, _ and -", quote(role, 40)));
    }
    let kind = match (name, argument.map(str::trim)) {
        ("offline", None) => Kind::Offline,
        ("person", None) => Kind::Person,
        ("auto", None) => Kind::Auto,
        ("script", Some(file)) if !file.is_empty() => Kind::Script(PathBuf::from(file)),
        ("command", Some(program)) if !program.is_empty() => {
            crate::command::split_words(program).map_err(|problem| format!("`{shown}`: {problem}"))?;
            Kind::Command(program.into())
        }
        ("acp", Some(program)) if !program.is_empty() => {
            crate::command::split_words(program).map_err(|problem| format!("`{shown}`: {problem}"))?;
            Kind::Acp(program.into())
        }
        ("acp", _) => return Err(format!("`{shown}`: acp needs a program: acp:PROGRAM ARGS")),
        (name, model) if let Some(cli) = Cli::named(name) => match model {
            Some("") => return Err(format!("`{shown}`: no model stands after the colon: {name} or {name}:MODEL")),
            model => Kind::Cli(cli, model.map(String::from)),
        },
        ("model", Some(name)) if is_name(name) => Kind::NamedModel(name.into()),
        ("model", Some(model)) if !model.is_empty() => {
            Kind::Model(ModelName::parse(model).map_err(|problem| format!("`{shown}`: {problem}"))?)
        }
        ("model", _) => return Err(format!("`{shown}`: model needs a name: model:PROVIDER/NAME[@BASE_URL]")),
        ("offline" | "person" | "auto", Some(_)) => {
            return Err(format!("`{shown}`: {name} takes nothing after a colon"));
        }
        ("script", _) => return Err(format!("`{shown}`: script needs a file of reports: script:FILE")),
        ("command", _) => return Err(format!("`{shown}`: command needs a program: command:PROGRAM")),
        ("", _) => return Err(format!("`{shown}`: no kind of agent is named; valid: {KINDS}")),
        (other, _) => {
            return Err(format!("`{shown}`: there is no kind of agent `{}`; valid: {KINDS}", quote(other, 40)));
        }
    };
    Ok(Assigned { role: role.map(String::from), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(Option<&str>, Kind), &str>) {
        let expected = match expected {
            Ok((role, kind)) => Ok(Assigned { role: role.map(String::from), kind }),
            Err(message) => Err(message.to_string()),
        };
        assert_eq!(parse_kind(text), expected, "{text}");
    }

    #[test]
    fn kinds_are_read_with_role_and_argument() {
        let command = |text: &str| Kind::Command(text.into());
        check("offline", Ok((None, Kind::Offline)));
        check("planner=person", Ok((Some("planner"), Kind::Person)));
        check("script:a=b:c.json", Ok((None, Kind::Script("a=b:c.json".into()))));
        check("executor=command:./a --x=1 'b c'", Ok((Some("executor"), command("./a --x=1 'b c'"))));
        check("command:a=b", Ok((None, command("a=b"))));
        check("codex", Ok((None, Kind::Cli(Cli::Codex, None))));
        let named = Some("anthropic/claude:x=1".to_string());
        check("executor=opencode:anthropic/claude:x=1", Ok((Some("executor"), Kind::Cli(Cli::Opencode, named))));
        check(
            "acp:goose acp --with-builtin developer",
            Ok((None, Kind::Acp("goose acp --with-builtin developer".into()))),
        );
        check("auto", Ok((None, Kind::Auto)));
        let model = ModelName::parse("ollama/qwen3:8b@http://h=1:2/v1").unwrap();
        check("planner=model:ollama/qwen3:8b@http://h=1:2/v1", Ok((Some("planner"), Kind::Model(model))));
        check("model:small", Ok((None, Kind::NamedModel("small".into()))));
    }

    #[test]
    fn errors_name_the_valid_options() {
        let valid = format!("valid: {KINDS}");
        check("of", Err(&format!("`of`: there is no kind of agent `of`; {valid}")));
        check("", Err(&format!("``: no kind of agent is named; {valid}")));
        check("model", Err("`model`: model needs a name: model:PROVIDER/NAME[@BASE_URL]"));
        check("codex:", Err("`codex:`: no model stands after the colon: codex or codex:MODEL"));
        check("acp:", Err("`acp:`: acp needs a program: acp:PROGRAM ARGS"));
        check("script:", Err("`script:`: script needs a file of reports: script:FILE"));
        check("command", Err("`command`: command needs a program: command:PROGRAM"));
        check("offline:x", Err("`offline:x`: offline takes nothing after a colon"));
        check("=offline", Err("`=offline`: `` is no name of a role; valid: letters, digits, _ and -"));
        check("command:'a", Err("`command:'a`: the quotation that begins with ' at character 1 does not end"));
    }
}
