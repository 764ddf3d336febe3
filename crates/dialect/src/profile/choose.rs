//! Which profile is meant, and which gates people decide: what users type and what `.env` says. Must not read files.

use std::collections::BTreeSet;

use machine::Refusal;
use machine::profile::{Mode, Profile};

use super::schema::nearest;

/// What a line that starts a workflow asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// `/orchestrator @name`: that profile, in its own mode.
    Named(String),
    /// `/orchestrator`: a realization.
    Bare,
}

/// The name that chooses a realization profile for the bare trigger.
const TRIGGER: &str = "/orchestrator";
const GATES: &str = "ORCHESTRATOR_MIDFLOW_HUMAN_GATES";

/// Reads what a user typed; nothing if it starts no workflow.
pub fn read_invocation(text: &str) -> Option<Invocation> {
    let rest = text.trim().strip_prefix(TRIGGER)?;
    let rest = match rest.trim() {
        "" => return Some(Invocation::Bare),
        trimmed if trimmed.len() < rest.len() => trimmed,
        _ => return None,
    };
    let name = rest.strip_prefix('@')?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then(|| Invocation::Named(name.to_owned()))
}

/// The profile that is meant (guard rule 1): a name must be there; without one, the preferred one, else the first
/// realization profile, else the default.
pub fn choose<'a>(
    invocation: &Invocation,
    preferred: Option<&str>,
    profiles: &'a [Profile],
) -> Result<&'a Profile, Refusal> {
    let find = |name: &str| profiles.iter().find(|profile| profile.name == name);
    let unknown = |name: &str| {
        let names: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
        let mut hint = match nearest(name, &names) {
            Some(near) => format!("did you mean `{near}`? "),
            None => String::new(),
        };
        hint.push_str("valid profiles:");
        for profile in profiles {
            let friendly = if profile.friendly_name.is_empty() { &profile.description } else { &profile.friendly_name };
            hint.push_str(&format!("\n  {} ({}): {friendly}", profile.name, profile.mode.word()));
        }
        if profiles.is_empty() {
            hint.push_str(" none; `multiverse init --protocol profile` brings two");
        }
        Refusal { reason: format!("there is no profile `{name}`"), hint }
    };
    match (invocation, preferred.filter(|name| !name.trim().is_empty())) {
        (Invocation::Named(name), _) => find(name).ok_or_else(|| unknown(name)),
        (Invocation::Bare, Some(name)) => find(name.trim()).ok_or_else(|| unknown(name.trim())),
        (Invocation::Bare, None) => profiles
            .iter()
            .find(|profile| profile.mode == Mode::Realization)
            .or_else(|| find("default_fallback_profile"))
            .or_else(|| profiles.first())
            .ok_or_else(|| unknown("default_fallback_profile")),
    }
}

/// A variable in the text of a `.env` file; nothing if it is not there, or empty. The last line that sets it counts; what is
/// between quotes is taken as it is, else a `#` at the beginning or after a blank begins a comment.
pub fn env_value<'a>(env: &'a str, variable: &str) -> Option<&'a str> {
    let of_line = |line: &'a str| {
        let line = line.trim();
        let line = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(line);
        let (name, value) = line.split_once('=')?;
        (name.trim() == variable).then(|| value.trim())
    };
    let value = env.lines().filter_map(of_line).next_back()?;
    let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote));
    let value = match quoted {
        Some((within, _)) => within,
        None => {
            let is_comment = |(at, _): &(usize, &str)| *at == 0 || value[..*at].ends_with([' ', '\t']);
            value.match_indices('#').find(is_comment).map_or(value, |(at, _)| &value[..at])
        }
    };
    Some(value.trim()).filter(|value| !value.is_empty())
}

/// The gates in the middle that people decide, from the text of a `.env` file (PF-06): a comma list; `NONE`, `NO`,
/// `FALSE`, `0` or nothing stands for none.
pub fn human_gates(env: &str) -> BTreeSet<String> {
    let value = env_value(env, GATES).unwrap_or_default();
    let none = ["NONE", "NO", "FALSE", "0"];
    if none.iter().any(|word| value.trim().eq_ignore_ascii_case(word)) {
        return BTreeSet::new();
    }
    value.split(',').map(str::trim).filter(|gate| !gate.is_empty()).map(str::to_owned).collect()
}
