//! What the doctor looks at outside the project's journal: how programs are confined, and who is to work. Starts
//! nothing but programs that tell their version, and a launcher that tells what it cannot have.

use std::path::Path;

use engine::agent::{self, Cli, Found, Surroundings, Usable};
use tools::Sandbox;

use super::super::agents::{Cast, ROLES, guided, set_in};
use super::super::configuration::{FILE, Read};
use super::super::trust::{self, Servers};
use super::{Finding, State};

/// How programs are confined, and what they could do here all the same.
pub(super) fn confinement(sandbox: &Sandbox, gaps: &[String]) -> Finding {
    const SUBJECT: &str = "confinement of programs";
    match (sandbox, gaps) {
        (Sandbox::None { why }, _) => Finding::new(SUBJECT, State::Note, format!("none: {why}"))
            .hint("agents that are programs (coding CLIs, acp:PROGRAM, command:PROGRAM) are refused; offline, script and person work"),
        (Sandbox::Enforced { abi } | Sandbox::Partly { abi, .. }, []) => {
            Finding::new(SUBJECT, State::Well, format!("Landlock, version {abi}"))
        }
        (Sandbox::Enforced { abi } | Sandbox::Partly { abi, .. }, gaps) => {
            Finding::new(SUBJECT, State::Note, format!("Landlock, version {abi}; not stopped: {}", gaps.join("; ")))
                .hint("docs/security.md tells what holds where; a newer kernel confines more")
        }
    }
}

/// Which coding CLIs are here, and whether they can be used. Each is started with `--version`, confined; none is asked
/// to work, which would cost something.
pub(super) fn coding_clis(here: &Surroundings) -> Vec<Finding> {
    const SUBJECT: &str = "coding CLIs";
    // Each takes up to a second to tell its version.
    let looked: Vec<Option<Found>> = std::thread::scope(|scope| {
        let looking: Vec<_> = Cli::ALL.map(|cli| scope.spawn(move || agent::look(cli, here))).into();
        looking.into_iter().map(|one| one.join().ok().flatten()).collect()
    });
    let found: Vec<Finding> = looked
        .into_iter()
        .flatten()
        .map(|found| {
            let name = found.cli.name();
            let shown = found.version.map_or_else(|_| name.into(), |version| format!("{name} {version}"));
            match found.usable {
                Usable::Key(key) => Finding::new(SUBJECT, State::Well, format!("{shown}, with a key in {key}")),
                Usable::Settings(file) => {
                    let message = format!("{shown}, no key is seen, but settings in {}", file.display());
                    Finding::new(SUBJECT, State::Note, message).hint(&format!(
                        "it works if they name a provider that needs none; else {}",
                        found.cli.instead()
                    ))
                }
                Usable::No { why, hint } => {
                    Finding::new(SUBJECT, State::Note, format!("{shown} cannot be used: {why}")).hint(&hint)
                }
            }
        })
        .collect();
    if found.is_empty() {
        let names: Vec<&str> = Cli::ALL.into_iter().map(Cli::name).collect();
        return vec![Finding::new(SUBJECT, State::Well, format!("none of {} is on the PATH", names.join(", ")))];
    }
    found
}

/// What the project keeps for agents in general, and who is given it.
pub(super) fn guidance(project: &Path) -> Option<Finding> {
    const SUBJECT: &str = "guidance for agents";
    let found = agent::Guidance::find(project);
    let files = found.for_files(&[]).len() + found.folders.iter().filter(|folder| !folder.is_empty()).count();
    if files == 0 && found.problems.is_empty() {
        return None;
    }
    let folders = found.folders.iter().map(|folder| match folder.as_str() {
        "" => "AGENTS.md".to_string(),
        folder => format!("{folder}/AGENTS.md"),
    });
    let skills = found.skills.iter().map(|skill| format!("skill {} ({})", skill.name, skill.path));
    let roles = Read::of(project).map(|read| guided(&read)).unwrap_or_default();
    let names: Vec<&str> = ROLES.iter().filter(|(_, role)| roles.contains(role)).map(|(name, _)| *name).collect();
    let given = if names.is_empty() { "nobody".into() } else { names.join(" and ") };
    let message = format!("{}; given to {given}", folders.chain(skills).collect::<Vec<_>>().join(", "));
    Some(match found.problems.is_empty() {
        true => Finding::new(SUBJECT, State::Well, message),
        false => Finding::new(SUBJECT, State::Note, format!("{message}; {}", found.problems.join("; "))),
    })
}

/// What the project's file says, and whether those it names are there.
pub(super) fn configured(project: &Path) -> Vec<Finding> {
    let mut read = match Read::of(project) {
        Ok(read) => read,
        Err(failure) => {
            let finding = Finding::new("configuration", State::Bad, failure.message());
            return vec![Finding { hint: failure.hint_text().map(String::from), ..finding }];
        }
    };
    let set = set_in(project, &mut read);
    if let Some(problems) = read.problems_in_words() {
        return vec![Finding::new("configuration", State::Bad, problems).hint("mend it in multiverse.toml")];
    }
    // Whoever is asked whether an agent can be used may have to fetch a key.
    let open = trust::untrusted(trust::named(&read, project, Servers::Used), project);
    if !open.is_empty() {
        let files: Vec<&str> = open.iter().map(|one| one.file).collect();
        let message = format!("{} is not trusted yet, and what it names was not looked at", files.join(" and "));
        return vec![
            Finding::new("configuration", State::Note, message)
                .hint("`multiverse config trust` shows it and trusts it"),
        ];
    }
    if set.is_empty() {
        let message = format!("none is named in {FILE}: offline works, without a model");
        return vec![Finding::new("agents", State::Well, message)];
    }
    let named = |role: &Option<engine::Role>| {
        let name = ROLES.iter().find(|(_, other)| Some(*other) == *role).map(|(name, _)| *name);
        name.unwrap_or("default")
    };
    set.iter().map(|(role, cast)| found(named(role), cast, project, &mut read)).collect()
}

fn found(role: &str, cast: &Cast, project: &Path, read: &mut Read) -> Finding {
    let shown = format!("{role} = {}", cast.shown());
    match cast.backend(project, read) {
        Err(failure) => {
            let finding = Finding::new("agents", State::Bad, format!("{shown}: {}", failure.message()));
            Finding { hint: failure.hint_text().map(String::from), ..finding }
        }
        Ok(_) => Finding::new("agents", State::Well, shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-31: what the kernel does not hold a program to is said, also where files are confined well.
    #[test]
    fn ql31_what_is_not_enforced_is_said() {
        let sandbox = Sandbox::Enforced { abi: 7 };
        assert!(confinement(&sandbox, &[]).state == State::Well);
        let found = confinement(&sandbox, &["this".into(), "that".into()]);
        assert!(found.state == State::Note && found.message.ends_with("not stopped: this; that"));
    }
}
