//! Owns what an ACP agent may do when it asks: reads, and for roles that write, changes and commands in its own folder.
//! Must not know who asks, nor enforce anything: the confinement does, whatever is answered here.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, SelectedPermissionOutcome, ToolKind,
};
use serde_json::Value;

use crate::presets::Doing;

/// What an agent asks to be allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// In its own words.
    pub title: String,
    pub kind: WishKind,
    /// The files that it names, as it names them.
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WishKind {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Allow,
    Deny,
}

/// Who answers; a rule, or somebody who asks a person.
pub type Permit = Arc<dyn Fn(&Wish) -> Permission + Send + Sync>;

/// The rule where no other is given.
pub(crate) fn rule(doing: Doing, workdir: &Path) -> Permit {
    let workdir = workdir.to_path_buf();
    Arc::new(move |wish| {
        let is_inside = wish.paths.iter().all(|path| inside(&workdir, path).is_some());
        let is_allowed = match (wish.kind, doing) {
            (WishKind::Read, _) => true,
            (WishKind::Write | WishKind::Execute, Doing::Writes) => is_inside,
            (WishKind::Other, Doing::Writes) => is_inside && !wish.paths.is_empty(),
            (WishKind::Fetch, _) | (_, Doing::Reads) => false,
        };
        if is_allowed { Permission::Allow } else { Permission::Deny }
    })
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
    Wish { title, kind, paths }
}

/// The answer among those that are offered, told by their kinds; the narrowest first.
pub(crate) fn outcome(request: &RequestPermissionRequest, permission: Permission) -> RequestPermissionOutcome {
    let kinds = match permission {
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

    /// QL-30: whatever is asked, only files in the folder are changed, and only by those whose part it is.
    #[test]
    fn wishes_are_granted_by_role_and_place() {
        let check = |doing, kind, paths: &[&str], expected| {
            let paths = paths.iter().map(PathBuf::from).collect();
            let wish = Wish { title: "t".into(), kind, paths };
            assert_eq!(rule(doing, Path::new("/p/w"))(&wish), expected, "{doing:?} {wish:?}");
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
}
