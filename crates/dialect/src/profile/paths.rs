//! Where things of a profile's run are, and what they are called. Must not know what is in them.

/// Profiles, from the project's root.
pub const PROFILES: &str = "agent_runtime/workflow_profiles";
/// Schemas.
pub const SCHEMAS: &str = "agent_runtime/schemas";
/// The single source of truth for people and other programs.
pub const STATUS: &str = "agent_runtime/status.json";
/// Folders of runs' artifacts.
pub const ARTIFACTS: &str = "agent_runtime/artifacts";
/// Where a status is kept that another run takes the place of.
pub const ARCHIVE: &str = "agent_runtime/archive";
/// The trace of transitions, in the artifact folder.
pub const TRACE: &str = "03_transition_trace.csv";
/// The ledger of commits, in the artifact folder.
pub const LEDGER: &str = "10_commit_ledger.md";

/// The longest name of a folder, in bytes: some file systems have no more than 255.
const LONGEST: usize = 120;

/// A headline as the name of a folder: lower case, runs of other than `[a-z0-9]` as `_`, trimmed.
pub fn slug(headline: &str) -> String {
    let mut slug = String::new();
    for letter in headline.chars().flat_map(char::to_lowercase) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            _ if slug.is_empty() || slug.ends_with('_') => {}
            _ => slug.push('_'),
        }
        if slug.len() >= LONGEST {
            break;
        }
    }
    slug.trim_end_matches('_').to_owned()
}

/// The folder of an idea's artifacts (PF-11): by its headline, else by its id. One that has no letter of `[a-z0-9]` in
/// either is told from others of that kind by a number.
pub fn artifact_folder(headline: &str, id: &str) -> String {
    let name = [slug(headline), slug(id)].into_iter().find(|slug| !slug.is_empty());
    let number = || {
        let bytes = headline.bytes().chain([0]).chain(id.bytes());
        bytes.fold(0x811C_9DC5_u32, |number, byte| (number ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    };
    format!("{ARTIFACTS}/{}", name.unwrap_or_else(|| format!("idea_{:08x}", number())))
}

/// A file of it.
pub fn artifact_path(headline: &str, id: &str, name: &str) -> String {
    format!("{}/{name}", artifact_folder(headline, id))
}

/// `run-<profile>-20260208T144605Z`, from a moment as facts spell it.
pub fn run_id(profile: &str, now: &str) -> String {
    let stamp: String = now.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    format!("run-{profile}-{stamp}")
}

/// The repository of an idea's realization, from the tree's root. Only what is a name of a folder becomes one.
pub fn workspace(idea_id: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let name: String = idea_id.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let name = name.trim_start_matches('.');
    format!("implementations/{}", if name.is_empty() { "idea" } else { name })
}
