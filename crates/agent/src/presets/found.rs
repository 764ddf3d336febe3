//! Owns whether a coding CLI is here and can be used: the program, its version, a key. Starts nothing but `--version`,
//! confined; never a turn, which would cost something. Must not know who asks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::{Bounds, How, Launch, LaunchLimits, Network, Stop};

use super::table::Cli;
use super::{Surroundings, place};
use crate::kind::Kind;
use crate::model::Service;
use crate::words::{end_of, quote};

/// `--version` of a program that is on a slow disk, on a busy machine.
const VERSION_LIMITS: LaunchLimits = LaunchLimits {
    time: Duration::from_secs(30),
    output_bytes: 64 << 10,
    log_bytes: 64 << 10,
    grace: Duration::from_secs(1),
};

/// What was seen of a CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub cli: Cli,
    pub program: PathBuf,
    /// As it says itself, or why it does not.
    pub version: Result<String, String>,
    pub usable: Usable,
}

/// Whether a CLI can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Usable {
    /// It runs, is new enough, and a key was seen in this variable.
    Key(&'static str),
    /// It runs and is new enough; there is no key, but settings of the user's that may name a provider without one.
    Settings(PathBuf),
    /// Something is missing, and how to mend it.
    No { why: String, hint: String },
}

/// Looks for a CLI on the `PATH`; nothing if it is not there.
pub fn look(cli: Cli, surroundings: &Surroundings) -> Option<Found> {
    let path = surroundings.variable("PATH").unwrap_or_default();
    let program = tools::find_program(OsStr::new(cli.name()), path).ok()?;
    let version = version(program.as_os_str(), path, &Stop::new());
    let usable = match &version {
        Err(why) => {
            Usable::No { why: format!("it does not run: {why}"), hint: format!("install it again: {}", cli.install()) }
        }
        Ok(version) => match old(cli, version) {
            Some(why) => Usable::No { why, hint: format!("update it: {}", cli.install()) },
            None => key(cli, surroundings),
        },
    };
    Some(Found { cli, program, version, usable })
}

/// Who works where nobody was named, and the variable of the key: the first CLI that can be used for sure (it runs, is new
/// enough, and has a key), else a model whose key is in the environment.
pub fn automatic(surroundings: &Surroundings) -> Option<(Kind, &'static str)> {
    let with_key = Cli::ALL.into_iter().filter(|cli| matches!(key(*cli, surroundings), Usable::Key(_)));
    let cli = with_key.filter_map(|cli| look(cli, surroundings)).find_map(|found| match found.usable {
        Usable::Key(key) => Some((Kind::Cli(found.cli, None), key)),
        _ => None,
    });
    cli.or_else(|| {
        SERVICES_WITH_KEYS.into_iter().find_map(|service| {
            let variable = service.key_variable();
            let is_set = surroundings.variable(variable).is_some_and(|text| !text.is_empty());
            Some((Kind::Model(service.usual_model().filter(|_| is_set)?), variable))
        })
    })
}

/// Providers of models that a key alone is enough for.
const SERVICES_WITH_KEYS: [Service; 3] = [Service::Anthropic, Service::OpenAi, Service::Gemini];

/// Why a CLI is too old to be used, if it is. One that does not tell its version is tried.
pub(super) fn too_old(cli: Cli, program: &OsStr, path: &OsStr, stop: &Stop) -> Option<String> {
    let version = version(program, path, stop).ok()?;
    old(cli, &version).map(|why| format!("{}: {why}; update it: {}", cli.name(), cli.install()))
}

fn old(cli: Cli, version: &str) -> Option<String> {
    let least = cli.manner().least;
    let [major, minor, patch] = least;
    (numbers(version)? < least).then(|| format!("version {version} is too old, {major}.{minor}.{patch} is needed"))
}

fn key(cli: Cli, surroundings: &Surroundings) -> Usable {
    let manner = cli.manner();
    if let Some(key) = manner.keys.iter().find(|name| surroundings.variable(name).is_some()) {
        return Usable::Key(key);
    }
    let below_home = |names: &[&'static str]| {
        let home = surroundings.home.as_ref()?;
        names.iter().map(|name| home.join(name)).find(|path| path.is_file())
    };
    let hint = manner.instead.to_string();
    match (below_home(manner.settings), below_home(manner.login)) {
        (Some(settings), _) => Usable::Settings(settings),
        (None, Some(login)) => {
            let why = format!("the login in {} is not handed to confined agents", login.display());
            Usable::No { why, hint }
        }
        (None, None) => Usable::No { why: "there is no key for it in the environment".into(), hint },
    }
}

/// What a program says to `--version`.
fn version(program: &OsStr, path: &OsStr, stop: &Stop) -> Result<String, String> {
    let folder = Folder::make().map_err(|error| format!("no folder can be made for it: {error}"))?;
    let mut confinement = place::confinement(program, path);
    confinement.write.push(folder.0.clone());
    let home = folder.0.clone().into_os_string();
    let launch = Launch {
        program: program.into(),
        arguments: vec!["--version".into()],
        environment: vec![
            ("PATH".into(), path.into()),
            ("HOME".into(), home.clone()),
            ("TMPDIR".into(), home),
            ("TERM".into(), "dumb".into()),
        ],
        folder: folder.0.clone(),
        input: Vec::new(),
        confinement,
        network: Network::Closed,
        bounds: Bounds::default(),
        limits: VERSION_LIMITS,
    };
    let ended = tools::launch(&launch, stop).map_err(|fault| fault.to_string())?;
    // Some say it on standard error.
    let said = format!("{}\n{}", String::from_utf8_lossy(&ended.output), String::from_utf8_lossy(&ended.log));
    let line = said.lines().map(str::trim).find(|line| numbers(line).is_some());
    match (ended.how, line) {
        (How::Exit(0), Some(line)) => Ok(quote(word_with_numbers(line), 40)),
        (How::Exit(0), None) => Err("it does not tell its version".into()),
        (how, _) => Err(format!("{how:?} {}", end_of(&String::from_utf8_lossy(&ended.log), 200)).trim_end().into()),
    }
}

fn word_with_numbers(line: &str) -> &str {
    line.split_whitespace().find(|word| numbers(word).is_some()).unwrap_or(line)
}

/// The first three numbers with points between them.
fn numbers(text: &str) -> Option<[u32; 3]> {
    text.split(|letter: char| !(letter.is_ascii_digit() || letter == '.')).find_map(|word| {
        let mut parts = word.split('.').map(|part| part.parse::<u32>().ok());
        Some([parts.next()??, parts.next()??, parts.next()??])
    })
}

/// A folder of our own that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn make() -> std::io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("multiverse-look-{}-{next}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path.canonicalize().unwrap_or(path)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key in the environment is enough, what it is used for has a price that is known, and no key is nobody.
    #[test]
    fn who_works_where_nobody_was_named() {
        let with = |names: &[&str]| Surroundings {
            home: None,
            variables: names.iter().map(|name| ((*name).into(), "k".into())).collect(),
        };
        assert_eq!(automatic(&with(&[])), None);
        assert_eq!(automatic(&with(&["MISTRAL_API_KEY"])), None);
        for (names, expected) in [
            (&["OPENAI_API_KEY"][..], "openai/gpt-5-mini"),
            (&["GEMINI_API_KEY"], "gemini/gemini-2.5-flash"),
            (&["GEMINI_API_KEY", "ANTHROPIC_API_KEY"], "anthropic/claude-haiku-4-5"),
        ] {
            let Some((Kind::Model(name), variable)) = automatic(&with(names)) else { panic!("{names:?}: nobody") };
            assert_eq!((name.shown().as_str(), names.contains(&variable)), (expected, true));
            assert!(crate::model::PriceTable::built_in().price(&name).is_some(), "{expected}");
        }
    }

    #[test]
    fn versions_are_found_in_what_a_cli_says() {
        for (said, expected) in [
            ("2.1.197 (Claude Code)", Some([2, 1, 197])),
            ("codex-cli 0.166.0", Some([0, 166, 0])),
            (" 1.52.0", Some([1, 52, 0])),
            ("v0.86.2.dev3+g1", Some([0, 86, 2])),
            ("aider 1.2", None),
            ("", None),
        ] {
            assert_eq!(numbers(said), expected, "{said}");
        }
        assert_eq!(word_with_numbers("codex-cli 0.166.0 x"), "0.166.0");
        assert_eq!(old(Cli::Codex, "0.99.9").unwrap(), "version 0.99.9 is too old, 0.100.0 is needed");
        assert_eq!(old(Cli::Codex, "0.100.0"), None);
    }
}
