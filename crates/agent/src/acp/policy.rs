//! Owns what an ACP agent may do when it asks: what the role's grants say, as for tools of ours; where they say nothing,
//! reads, and for roles that write, changes and commands in its own folder. Must not know who asks, nor enforce anything:
//! the confinement does, whatever is answered here.

use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SelectedPermissionOutcome, ToolKind,
};
use serde_json::{Value, json};
use tools::{Effect, Grants, ToolCall, Verdict, answered, written_out};

use crate::presets::Doing;

/// What an agent asks to be allowed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wish {
    /// In its own words.
    pub(crate) title: String,
    pub(crate) kind: WishKind,
    /// The files that it names, as it names them.
    pub(crate) paths: Vec<PathBuf>,
    /// The command, address or whatever else it is about; empty if it does not say.
    pub(crate) about: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WishKind {
    /// Looks, searches, thinks.
    Read,
    /// Makes, changes, moves or removes files.
    Write,
    /// Runs a command.
    Execute,
    /// Asks something of the network.
    Fetch,
    /// It does not say.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Permission {
    Allow,
    Deny,
    /// A person must be asked first: the wish as a call, written out.
    Ask(String),
}

/// Who answers the wishes of one attempt.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) doing: Doing,
    pub(crate) workdir: PathBuf,
    /// What the role is granted, if anything is said of it.
    pub(crate) grants: Option<Grants>,
    /// What a person was asked, and said.
    pub(crate) answers: Vec<(String, String)>,
    /// Whether a person can be asked now; where nobody can be, asking is denying.
    pub(crate) may_ask: bool,
}

impl Policy {
    pub(crate) fn permission(&self, wish: &Wish) -> Permission {
        let is_inside = wish.paths.iter().all(|path| inside(&self.workdir, path).is_some());
        if !is_inside && wish.kind != WishKind::Read {
            return Permission::Deny;
        }
        let call = call_of(wish);
        let decided = self.grants.as_ref().map(|grants| grants.decide(&call, Some(&self.workdir)));
        match decided.filter(|decision| decision.rule.is_some()).map(|decision| decision.effect) {
            Some(Effect::Allow) => Permission::Allow,
            Some(Effect::Deny) => Permission::Deny,
            Some(Effect::Ask) => match written_out(&call, &self.workdir) {
                None => Permission::Deny,
                Some(whole) => match answered(&whole, &self.answers) {
                    Some(Verdict::Allow) => Permission::Allow,
                    Some(Verdict::Deny(_)) => Permission::Deny,
                    None if self.may_ask => Permission::Ask(whole),
                    None => Permission::Deny,
                },
            },
            None => self.usual(wish),
        }
    }

    /// Where no rule speaks of it.
    fn usual(&self, wish: &Wish) -> Permission {
        let is_allowed = match (wish.kind, self.doing) {
            (WishKind::Read, _) | (WishKind::Write | WishKind::Execute, Doing::Writes) => true,
            (WishKind::Other, Doing::Writes) => !wish.paths.is_empty(),
            (WishKind::Fetch, _) | (_, Doing::Reads) => false,
        };
        if is_allowed { Permission::Allow } else { Permission::Deny }
    }
}

/// A wish as the call of a tool of ours, for the rules that speak of those. One that we have no tool for is `acp_tool`.
fn call_of(wish: &Wish) -> ToolCall {
    let (name, arguments) = match wish.kind {
        WishKind::Read => ("read_file", json!({"paths": wish.paths})),
        WishKind::Write => ("write_file", json!({"paths": wish.paths})),
        WishKind::Execute => ("run_shell_command", json!({"command": wish.about})),
        WishKind::Fetch => ("web_fetch", json!({"prompt": wish.about})),
        WishKind::Other => ("acp_tool", json!({"title": wish.title, "about": wish.about, "paths": wish.paths})),
    };
    ToolCall { id: String::new(), name: name.into(), arguments }
}

/// The way from a folder to a path, which may be relative to it, if it does not lead out by its letters.
pub(crate) fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let below = if path.is_absolute() { path.strip_prefix(folder).ok()? } else { path };
    let plain = below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    plain.then(|| below.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

/// What a request means.
pub(crate) fn wish(request: &RequestPermissionRequest) -> Wish {
    let fields = &request.tool_call.fields;
    let kind = match fields.kind {
        Some(ToolKind::Read | ToolKind::Search | ToolKind::Think) => WishKind::Read,
        Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move) => WishKind::Write,
        Some(ToolKind::Execute) => WishKind::Execute,
        Some(ToolKind::Fetch) => WishKind::Fetch,
        _ => WishKind::Other,
    };
    let mut paths: Vec<PathBuf> = fields.locations.iter().flatten().map(|place| place.path.clone()).collect();
    if let Some(Value::Object(input)) = &fields.raw_input {
        let named = ["file_path", "filePath", "path", "absolute_path", "destination"];
        paths.extend(named.iter().filter_map(|name| Some(PathBuf::from(input.get(*name)?.as_str()?))));
    }
    let title = fields.title.clone().unwrap_or_else(|| request.tool_call.tool_call_id.0.to_string());
    let about = fields.raw_input.as_ref().map(about).filter(|about| !about.is_empty());
    // Those that say nothing else have the command as their title, some in back quotes.
    let about = about.unwrap_or_else(|| title.trim().trim_matches('`').to_string());
    Wish { title, kind, paths, about }
}

/// The command or address in what a tool was given.
fn about(input: &Value) -> String {
    let found = ["command", "cmd", "url", "prompt", "query"].iter().find_map(|name| input.get(*name));
    match found {
        Some(Value::String(text)) => text.clone(),
        // A program and its arguments: with a shell, the last of them is the command.
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [_, flag, line] if flag.starts_with('-') && flag.ends_with('c') => (*line).to_string(),
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

/// The answer among those that are offered, told by their kinds; the narrowest first.
pub(crate) fn outcome(request: &RequestPermissionRequest, permission: &Permission) -> RequestPermissionOutcome {
    let kinds = match permission {
        // The turn is cancelled until a person has answered.
        Permission::Ask(_) => return RequestPermissionOutcome::Cancelled,
        Permission::Allow => [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways],
        Permission::Deny => [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways],
    };
    let option = kinds.iter().find_map(|kind| request.options.iter().find(|option| option.kind == *kind));
    match option {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone())),
        None => RequestPermissionOutcome::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(kind: WishKind, paths: &[&str], about: &str) -> Wish {
        Wish { title: "t".into(), kind, paths: paths.iter().map(PathBuf::from).collect(), about: about.into() }
    }

    fn policy(doing: Doing, grants: Option<Grants>, answers: Vec<(String, String)>) -> Policy {
        Policy { doing, workdir: "/p/w".into(), grants, answers, may_ask: true }
    }

    /// QL-30: whatever is asked, only files in the folder are changed, and only by those whose part it is.
    #[test]
    fn wishes_are_granted_by_role_and_place() {
        let check = |doing, kind, paths: &[&str], expected| {
            let wish = wish(kind, paths, "");
            assert_eq!(policy(doing, None, Vec::new()).permission(&wish), expected, "{doing:?} {wish:?}");
        };
        use Permission::{Allow, Deny};
        check(Doing::Writes, WishKind::Write, &["/p/w/a/b", "c"], Allow);
        check(Doing::Writes, WishKind::Write, &["/p/w/../x"], Deny);
        check(Doing::Writes, WishKind::Write, &["/etc/passwd", "/p/w/a"], Deny);
        check(Doing::Writes, WishKind::Write, &["../x"], Deny);
        check(Doing::Writes, WishKind::Execute, &[], Allow);
        check(Doing::Writes, WishKind::Other, &[], Deny);
        check(Doing::Writes, WishKind::Other, &["a"], Allow);
        check(Doing::Writes, WishKind::Fetch, &[], Deny);
        check(Doing::Reads, WishKind::Write, &["/p/w/a"], Deny);
        check(Doing::Reads, WishKind::Execute, &[], Deny);
        check(Doing::Reads, WishKind::Read, &["/p/assets/a"], Allow);
    }

    /// QL-36: the role's grants speak first; a person's answer counts for what was asked, and no rule opens the outside.
    #[test]
    fn grants_speak_first_and_people_are_asked() {
        let rules = [
            (Effect::Ask, "run_shell_command: git *"),
            (Effect::Deny, "run_shell_command: rm *"),
            (Effect::Allow, "web_fetch: https://docs.example.org/*"),
            (Effect::Ask, "write_file: secret*"),
            (Effect::Allow, "write_file"),
        ];
        let rules = rules.map(|(effect, pattern)| tools::Rule::new(effect, pattern));
        let grants = Grants::new(rules.into(), Effect::Allow).unwrap();
        let push = "\"run_shell_command: git push\"".to_string();
        let check = |answers: Vec<(String, String)>, wish: Wish, expected| {
            assert_eq!(policy(Doing::Writes, Some(grants.clone()), answers).permission(&wish), expected, "{wish:?}");
        };
        use Permission::{Allow, Ask, Deny};
        check(Vec::new(), wish(WishKind::Execute, &[], "git push"), Ask(push.clone()));
        let asked = |answer: &str| vec![(tools::question(std::slice::from_ref(&push)), answer.into())];
        check(asked("yes"), wish(WishKind::Execute, &[], "git push"), Allow);
        check(asked("no"), wish(WishKind::Execute, &[], "git push"), Deny);
        check(asked("yes"), wish(WishKind::Execute, &[], "git pull"), Ask("\"run_shell_command: git pull\"".into()));
        check(Vec::new(), wish(WishKind::Execute, &[], "rm x"), Deny);
        check(Vec::new(), wish(WishKind::Execute, &[], "make"), Allow);
        check(Vec::new(), wish(WishKind::Fetch, &[], "https://docs.example.org/a"), Allow);
        check(Vec::new(), wish(WishKind::Fetch, &[], "https://other.example/a"), Deny);
        check(Vec::new(), wish(WishKind::Write, &["/p/w/secret"], ""), Ask("\"write_file: secret\"".into()));
        check(Vec::new(), wish(WishKind::Write, &["/p/x"], ""), Deny);
    }

    #[test]
    fn what_a_wish_is_about_is_found() {
        for (input, expected) in [
            (json!({"command": "git push"}), "git push"),
            (json!({"command": ["bash", "-lc", "git push"]}), "git push"),
            (json!({"command": ["git", "push"]}), "git push"),
            (json!({"url": "https://a.example/"}), "https://a.example/"),
            (json!({"file_path": "x"}), ""),
            (json!("git"), ""),
        ] {
            assert_eq!(about(&input), expected, "{input}");
        }
    }
}
