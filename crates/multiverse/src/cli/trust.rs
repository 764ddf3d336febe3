//! Whether what a project's own files name may be used: programs, addresses, keys, servers, opened folders. Owns which
//! settings reach beyond the project, and what its user has said of them; what they are for is their own business.
//!
//! What was said is kept in the user's own folder, never in the project's, which may be another's. It counts for one
//! folder and for exactly those settings: a change of them is asked about again. Where nobody can be asked, whoever set
//! that up is taken to have looked, and one line says what is used; but no key goes to an address that only a file names.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use engine::AskedAgent;
use engine::agent::{self, Kind as AgentKind, ModelName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask;
use super::configuration::{self, Entry, Origin, Read};
use super::failure::{Failure, Kind};
use super::output::{Form, HINT, Output};
use super::toolboxes::{MCP_FILE, servers_in_words};
use super::visible;

/// What is trusted, and nothing else: the digests that `config trust` prints, with commas between them, or `all`.
const VARIABLE: &str = "MULTIVERSE_TRUST";

/// How many agents that were named in a folder are remembered.
const MOST_AGENTS: usize = 100;

/// How much of a setting is shown.
const MOST_SHOWN: usize = 200;

/// Whether the servers of `.mcp.json` are used: models alone have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Servers {
    Used,
    Unused,
}

/// What a file of the project names, and the digest of all that counts of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Named {
    pub(crate) file: &'static str,
    pub(crate) digest: String,
    /// Each with its place.
    pub(crate) lines: Vec<String>,
    /// Whether a key of the user's would go to an address that stands in the file.
    pub(crate) takes_a_key: bool,
}

/// What was said of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Said {
    folder: String,
    /// The digest of what each file names, by the file.
    trusted: BTreeMap<String, String>,
    /// Digests of agents that were named on the command line there.
    agents: Vec<String>,
}

/// What the project's files name that reaches beyond it; nothing for a file that names nothing of the kind.
pub(crate) fn named(read: &Read, project: &Path, servers: Servers) -> Vec<Named> {
    let settings: Vec<&Entry> = read.entries.iter().filter(|entry| reaches(entry, &read.entries)).collect();
    let mut named = Vec::new();
    if !settings.is_empty() {
        // Rules hold together: one that is gone loosens the others.
        let counts = |entry: &&Entry| settings.contains(entry) || entry.path.starts_with("grants.");
        let all: Vec<(&str, &Value)> =
            read.entries.iter().filter(counts).map(|entry| (entry.path.as_str(), &entry.value)).collect();
        let lines = settings.iter().map(|entry| {
            let shown = visible::text(&entry.value.to_string()).chars().take(MOST_SHOWN).collect::<String>();
            format!("{} = {shown}    ({})", visible::text(&entry.path), read.place(&entry.origin))
        });
        let digest = digest(json!(all).to_string().as_bytes());
        let takes_a_key = settings.iter().any(|entry| takes_a_key(entry, &read.entries));
        named.push(Named { file: configuration::FILE, digest, lines: lines.collect(), takes_a_key });
    }
    if servers == Servers::Used
        && let Ok(bytes) = std::fs::read(project.join(MCP_FILE))
    {
        let lines: Vec<String> = servers_in_words(&bytes).iter().map(|name| visible::text(name)).collect();
        if !lines.is_empty() {
            named.push(Named { file: MCP_FILE, digest: digest(&bytes), lines, takes_a_key: false });
        }
    }
    named
}

/// Those of them that nobody has said a yes to.
pub(crate) fn untrusted(named: Vec<Named>, project: &Path) -> Vec<Named> {
    let (said, variable) = (said(project), std::env::var(VARIABLE).unwrap_or_default());
    let is_trusted = |one: &Named| said.trusted.get(one.file) == Some(&one.digest) || is_listed(&variable, &one.digest);
    named.into_iter().filter(|one| !is_trusted(one)).collect()
}

/// Goes on if the project's files may be used as they stand.
pub(crate) fn check(read: &Read, project: &Path, servers: Servers, output: &mut Output) -> Result<(), Failure> {
    let open = untrusted(named(read, project, servers), project);
    if open.is_empty() {
        return Ok(());
    }
    let files = open.iter().map(|one| one.file).collect::<Vec<_>>().join(" and ");
    let lines = open.iter().flat_map(|one| &one.lines);
    let decides = who_decides(open.iter().any(|one| one.takes_a_key), output);
    if decides == Decides::Whoever {
        let names: Vec<&str> = lines.map(|line| first_word(line)).collect();
        return Ok(output.say(&format!(
            "{files} of this project is used as it stands: {}; `multiverse config trust` says that it is yours",
            names.join(", ")
        ))?);
    }
    if output.form() == Form::Text {
        output.warn(&format!("{files} of this project reaches beyond it:"))?;
        for line in lines {
            output.warn(&format!("  {line}"))?;
        }
    }
    let question = format!("Do you trust it? It is asked once, until that changes {HINT}[y/N]{HINT:#} ");
    match decides == Decides::Person && ask::yes(&question, output)? {
        true => trust(&open, project),
        false => Err(refusal(&files, &open)),
    }
}

/// Who says whether something is used that nobody has said a yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decides {
    /// Somebody at a terminal.
    Person,
    /// Nobody is there, and whoever set that up is taken to have looked.
    Whoever,
    /// Nobody is there, and it is too much to be taken for granted, or what is trusted was said.
    Nobody,
}

fn who_decides(takes_a_key: bool, output: &Output) -> Decides {
    if output.form() == Form::Text && ask::is_possible() {
        Decides::Person
    } else if takes_a_key || std::env::var_os(VARIABLE).is_some() {
        Decides::Nobody
    } else {
        Decides::Whoever
    }
}

/// Says yes to what is named.
pub(crate) fn trust(named: &[Named], project: &Path) -> Result<(), Failure> {
    let mut said = said(project);
    said.trusted.extend(named.iter().map(|one| (one.file.to_string(), one.digest.clone())));
    keep(&said, project)
}

/// Takes everything back that was said of a folder.
pub(crate) fn forget(project: &Path) -> Result<bool, Failure> {
    let Some(place) = place_of(project) else { return Ok(false) };
    match std::fs::remove_file(&place) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Failure::writing(&place, &error)),
    }
}

/// Remembers who was named on the command line: a run keeps them, and `resume` uses them again. Where that cannot be
/// written, they are asked about then.
pub(crate) fn remember(asked: &[AskedAgent], project: &Path) {
    if std::env::var_os(VARIABLE).is_none_or(|text| text != "all") {
        let _ = trust_agents(asked, project);
    }
}

/// Says yes to agents.
pub(crate) fn trust_agents(asked: &[AskedAgent], project: &Path) -> Result<(), Failure> {
    let mut said = said(project);
    let new: Vec<String> = asked.iter().filter(|one| is_far(&one.agent)).map(digest_of).collect();
    let new: Vec<String> = new.into_iter().filter(|one| !said.agents.contains(one)).collect();
    if new.is_empty() {
        return Ok(());
    }
    said.agents = new.into_iter().chain(said.agents).take(MOST_AGENTS).collect();
    keep(&said, project)
}

/// Goes on if the agents that a run keeps or a task names were named by this user: a project that came with its runs and
/// tasks may name anybody.
pub(crate) fn check_kept(kept: &[AskedAgent], project: &Path, output: &mut Output) -> Result<(), Failure> {
    let (said, variable) = (said(project), std::env::var(VARIABLE).unwrap_or_default());
    let is_known = |one: &&AskedAgent| {
        let digest = digest_of(one);
        said.agents.contains(&digest) || is_listed(&variable, &digest)
    };
    let open: Vec<AskedAgent> = kept.iter().filter(|one| is_far(&one.agent) && !is_known(one)).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let words = open.iter().map(|one| visible::text(&one.agent)).collect::<Vec<_>>().join(", ");
    let message = format!("the run or its task names agents that you have not named here: {words}");
    match who_decides(open.iter().any(|one| gets_a_key(&one.agent)), output) {
        Decides::Whoever => return Ok(output.say(&message)?),
        Decides::Person if ask::yes(&format!("{message}. Use them? {HINT}[y/N]{HINT:#} "), output)? => {
            remember(&open, project);
            return Ok(());
        }
        Decides::Person | Decides::Nobody => {}
    }
    let hint = "say with --agent who shall work; or `multiverse config trust AGENT`, in the words above";
    Err(Failure::new(Kind::Untrusted, message).hint(hint))
}

fn refusal(files: &str, open: &[Named]) -> Failure {
    let names: Vec<&str> = open.iter().flat_map(|one| &one.lines).map(|line| first_word(line)).collect();
    let message =
        format!("{files} reaches beyond the project, and you have not said that you trust it: {}", names.join(", "));
    Failure::new(Kind::Untrusted, message)
        .at(Path::new(open.first().map_or(configuration::FILE, |one| one.file)))
        .hint("`multiverse config trust` shows it and trusts it as it stands")
}

fn first_word(line: &str) -> &str {
    line.split_once(' ').map_or(line, |(first, _)| first)
}

/// Whether a setting starts something, talks with somebody, opens something or uses a key.
fn reaches(entry: &Entry, all: &[Entry]) -> bool {
    if !matches!(entry.origin, Origin::File(_)) {
        return false;
    }
    let (first, rest) = entry.path.split_once('.').unwrap_or((&entry.path, ""));
    let last = rest.rsplit('.').next().unwrap_or_default();
    match (first, last) {
        ("agents", _) => entry.value.as_str().is_some_and(is_far),
        ("models", "model" | "key") | ("checks", "command") | ("cycle", "pull_request") => true,
        ("sandbox", "read" | "network") | ("notify" | "mcp", _) => true,
        ("web", name) => name != "model",
        ("grants", _) => {
            let row = rest.split('.').next().unwrap_or_default();
            let rule = all.iter().find(|other| other.path == format!("grants.{row}.rule"));
            rule.is_some_and(|rule| rule.value == "allow")
        }
        _ => false,
    }
}

/// Whether a setting is a key for a model at an address that stands in the file, too, and is not this machine's.
fn takes_a_key(entry: &Entry, all: &[Entry]) -> bool {
    let Some(table) = entry.path.strip_suffix(".key").filter(|table| table.starts_with("models.")) else {
        return false;
    };
    let model = all.iter().find(|other| other.path == format!("{table}.model")).and_then(|other| other.value.as_str());
    model.is_some_and(|words| ModelName::parse(words).is_ok_and(|name| name.is_elsewhere()))
}

/// Whether an agent is a model that is sent the key of its provider, at an address of its own.
fn gets_a_key(words: &str) -> bool {
    agent::parse_kind(words).is_ok_and(|assigned| match assigned.kind {
        AgentKind::Model(name) => name.base_url.is_some() && name.service.needs_key(),
        _ => false,
    })
}

/// Whether an agent is more than what is in this program and its project. Words that are not understood are told elsewhere.
fn is_far(words: &str) -> bool {
    let near = |kind: &AgentKind| matches!(kind, AgentKind::Offline | AgentKind::Person | AgentKind::Script(_));
    agent::parse_kind(words).is_ok_and(|assigned| !near(&assigned.kind))
}

fn is_listed(variable: &str, digest: &str) -> bool {
    variable.split(',').map(str::trim).any(|word| word == "all" || word == digest)
}

fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn digest_of(one: &AskedAgent) -> String {
    digest(json!([one.agent, one.folder]).to_string().as_bytes())
}

/// What was said of a folder; nothing where it cannot be read.
fn said(project: &Path) -> Said {
    let text = place_of(project).and_then(|place| std::fs::read_to_string(place).ok());
    let said: Option<Said> = text.and_then(|text| serde_json::from_str(&text).ok());
    said.filter(|said| said.folder == shown(project)).unwrap_or_default()
}

fn keep(said: &Said, project: &Path) -> Result<(), Failure> {
    let Some(place) = place_of(project) else {
        let message = "there is no folder to keep it in: neither XDG_STATE_HOME nor HOME is set";
        return Err(Failure::new(Kind::Missing, message).hint(format!("set one of them, or {VARIABLE} to the digest")));
    };
    let said = Said { folder: shown(project), ..said.clone() };
    write(&place, json!(said).to_string().as_bytes()).map_err(|error| Failure::writing(&place, &error))
}

/// The whole file at once, for its user alone.
fn write(place: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = place.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let beside = place.with_extension(std::process::id().to_string());
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    std::fs::rename(beside, place)
}

fn shown(project: &Path) -> String {
    project.to_string_lossy().into_owned()
}

fn place_of(project: &Path) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))?;
    let name = digest(project.as_os_str().as_bytes());
    Some(state.join("multiverse/trusted").join(format!("{name}.json")))
}
