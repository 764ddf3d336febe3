//! What a project or a command line may set; and who plays which role.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use agent::{Backend, Guidance, Prompts};
use machine::{AskedAgent, Budget, Cast, Limits, Role};

use crate::cycle::CycleSettings;
use crate::learning::Learning;
use crate::notify::Notify;
use crate::roadmap::RoadmapSettings;

/// How the engine works.
#[derive(Clone)]
pub struct Settings {
    /// The project's folder.
    pub project: PathBuf,
    /// The protocol that was asked for; nothing: the one that the documents are of.
    pub protocol: Option<String>,
    /// How many agents work at the same time.
    pub jobs: usize,
    /// The machine's limits.
    pub limits: Limits,
    /// How long one attempt may take, in seconds.
    pub seconds: u64,
    /// What a run that begins may use (BY-08).
    pub budget: Budget,
    /// Which past runs a run learns from.
    pub learning: Learning,
    /// Who plays which role.
    pub casting: Casting,
    /// The same for runs that have their own.
    castings: BTreeMap<String, Casting>,
    /// Tool types that can be planned.
    pub tools: BTreeSet<String>,
    /// The words in which agents are asked; nothing: our own.
    pub prompts: Option<Arc<Prompts>>,
    /// What the project keeps for agents in general, and the roles that are given it.
    pub guidance: Arc<Guidance>,
    pub guided: BTreeSet<Role>,
    /// The recorded run that is carried out again: the instructions that it replaced count as it found them.
    pub repeats: Option<String>,
    /// How cycles go.
    pub cycle: CycleSettings,
    /// How roadmaps go.
    pub roadmap: RoadmapSettings,
    /// How people are told that something waits for them.
    pub notify: Notify,
}

/// Who plays which role.
#[derive(Clone, Default)]
pub struct Casting {
    /// Agents, by role.
    pub crew: BTreeMap<Role, Arc<dyn Backend>>,
    /// Roles that people play.
    pub people: BTreeSet<Role>,
    /// Agents of roles that only a protocol knows by their names.
    parts: BTreeMap<String, Arc<dyn Backend>>,
    /// Such roles that people play.
    people_of_parts: BTreeSet<String>,
    /// Whether whoever executes was chosen, and not for want of anybody else.
    is_chosen: bool,
    /// Tool types that can be planned with them; nothing: those of the settings.
    tools: Option<BTreeSet<String>>,
    /// What is kept of this with a run.
    cast: Cast,
}

/// The functions of the protocol's appendix that a tool task may name.
pub const FUNCTIONS: [&str; 11] = [
    "list_directory",
    "read_file",
    "read_many_files",
    "write_file",
    "glob",
    "search_file_content",
    "replace",
    "create_directory",
    "run_shell_command",
    "google_web_search",
    "web_fetch",
];

/// The specialised agents that a tool task may name.
pub const SPECIALISTS: [&str; 2] = ["WebSearch", "DataVisualization"];

impl Settings {
    /// A project with nobody in it yet.
    pub fn new(project: PathBuf) -> Self {
        Self {
            project,
            protocol: None,
            jobs: 4,
            limits: Limits::default(),
            seconds: 1800,
            budget: Budget::default(),
            learning: Learning::default(),
            casting: Casting::default(),
            castings: BTreeMap::new(),
            tools: FUNCTIONS.iter().chain(&SPECIALISTS).map(|name| (*name).to_string()).collect(),
            prompts: None,
            guidance: Arc::default(),
            guided: BTreeSet::from([Role::Planner, Role::Executor]),
            repeats: None,
            cycle: CycleSettings::default(),
            roadmap: RoadmapSettings::default(),
            notify: Notify::default(),
        }
    }

    /// The words in which agents are asked.
    pub fn prompts(&self) -> Arc<Prompts> {
        self.prompts.clone().unwrap_or_else(Prompts::built_in)
    }

    /// Gives a role to an agent.
    pub fn play(&mut self, role: Role, backend: Arc<dyn Backend>) {
        self.casting.play(role, backend);
    }

    /// Gives a role to people.
    pub fn leave_to_people(&mut self, role: Role) {
        self.casting.leave_to_people(role);
    }

    /// Who plays which role in a run.
    pub(crate) fn casting_of(&self, run: &str) -> &Casting {
        self.castings.get(run).unwrap_or(&self.casting)
    }

    /// Tool types that can be planned in a run.
    pub(crate) fn tools_of(&self, run: &str) -> &BTreeSet<String> {
        self.casting_of(run).tools.as_ref().unwrap_or(&self.tools)
    }

    /// Has a run played by others than the rest.
    pub(crate) fn cast_run(&mut self, run: &str, casting: Casting) {
        self.castings.insert(run.into(), casting);
    }

    /// Has a run played by those who play in another.
    pub(crate) fn cast_alike(&mut self, run: &str, other: &str) {
        if let Some(casting) = self.castings.get(run).cloned() {
            self.cast_run(other, casting);
        }
    }
}

impl Casting {
    /// Gives a role to an agent.
    pub fn play(&mut self, role: Role, backend: Arc<dyn Backend>) {
        let name = backend.name();
        self.play_as(role, &name, backend);
    }

    /// The same under a name that people know: it is shown, and kept with the runs.
    pub fn play_as(&mut self, role: Role, name: &str, backend: Arc<dyn Backend>) {
        self.people.remove(&role);
        self.cast.names.insert(role, discreet(name));
        self.crew.insert(role, backend);
    }

    /// Gives a role to people.
    pub fn leave_to_people(&mut self, role: Role) {
        self.crew.remove(&role);
        self.cast.names.insert(role, A_PERSON.into());
        self.people.insert(role);
    }

    /// Which of them were asked for by name: whoever takes the run up again finds them there.
    pub fn keep(&mut self, asked: Vec<AskedAgent>) {
        self.cast.asked = asked;
    }

    /// Gives a role that only a protocol knows by its name to an agent.
    pub fn play_part(&mut self, role: &str, name: &str, backend: Arc<dyn Backend>) {
        self.people_of_parts.remove(role);
        self.cast.parts.insert(role.into(), discreet(name));
        self.parts.insert(role.into(), backend);
    }

    /// Gives such a role to people.
    pub fn leave_part_to_people(&mut self, role: &str) {
        self.parts.remove(role);
        self.cast.parts.insert(role.into(), A_PERSON.into());
        self.people_of_parts.insert(role.into());
    }

    /// Says which tool types can be planned with them.
    pub fn offer(&mut self, tools: BTreeSet<String>) {
        self.tools = Some(tools);
    }

    /// Says that whoever executes was chosen by somebody, and not for want of anybody else.
    pub fn choose(&mut self) {
        self.is_chosen = true;
    }

    /// Whoever was given a role that only a protocol knows by its name.
    pub(crate) fn part(&self, role: &str) -> Option<Arc<dyn Backend>> {
        self.parts.get(role).cloned()
    }

    /// Who plays a role that only a protocol knows by its name: whoever was given it, else whoever executes.
    pub(crate) fn player(&self, role: &str) -> Option<Arc<dyn Backend>> {
        self.parts.get(role).or_else(|| self.crew.get(&Role::Executor)).cloned()
    }

    /// Whether somebody was chosen for such a role.
    pub(crate) fn is_chosen(&self, role: &str) -> bool {
        self.is_chosen || self.parts.contains_key(role)
    }

    /// Whether such a role is people's.
    pub(crate) fn is_left_to_people(&self, role: &str) -> bool {
        let is_executors = self.is_chosen && !self.parts.contains_key(role) && self.people.contains(&Role::Executor);
        self.people_of_parts.contains(role) || is_executors
    }

    pub(crate) fn cast(&self) -> &Cast {
        &self.cast
    }
}

impl std::fmt::Debug for Casting {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Casting").field("cast", &self.cast).finish_non_exhaustive()
    }
}

/// How a person is named where an agent could be.
pub(crate) const A_PERSON: &str = "a person";
/// And the program itself.
pub(crate) const THE_ENGINE: &str = "the engine";

/// Words behind which a secret may follow.
const TELLTALES: [&str; 8] = ["key", "token", "secret", "passw", "bearer", "auth", "credential", "sk-"];

/// Whether the words of an agent may hold a secret: they are then not written down (QL-35).
pub fn may_hold_a_secret(agent: &str) -> bool {
    // Arguments of a program, or what an address asks for.
    let begins = |letter: char| letter.is_whitespace() || letter == '?';
    let arguments = agent.split_once(begins).map(|(_, arguments)| arguments.to_lowercase());
    let has_telltale = arguments.is_some_and(|arguments| TELLTALES.iter().any(|word| arguments.contains(word)));
    // A password may stand in an address: `https://name:password@host`.
    let has_password = agent.split("://").skip(1).any(|address| {
        address.split('/').next().and_then(|host| host.split_once('@')).is_some_and(|(user, _)| user.contains(':'))
    });
    let words = agent.split(begins).skip(1).flat_map(|word| word.split(['=', '&']));
    has_telltale || has_password || words.into_iter().any(is_random)
}

/// Whether a word looks as if it were drawn by lot, as keys are: long, in large and small letters and digits, and no path;
/// or longer, and going from letters to digits and back again and again.
fn is_random(word: &str) -> bool {
    const LEAST: usize = 20;
    let is_changing = |part: &str| {
        let digits: Vec<bool> = part.chars().map(|letter| letter.is_ascii_digit()).collect();
        digits.len() >= LEAST && digits.windows(2).filter(|pair| pair[0] != pair[1]).count() >= 6
    };
    if word.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_changing) {
        return true;
    }
    let is_of_keys = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '_' | '-');
    let has = |kind: fn(&char) -> bool| word.chars().any(|letter| kind(&letter));
    word.len() >= LEAST
        && word.chars().all(is_of_keys)
        && !word.starts_with(['/', '-'])
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_digit)
}

/// An agent's name without what may be a secret.
fn discreet(name: &str) -> String {
    match may_hold_a_secret(name) {
        true => format!("{} …", name.split([' ', '@']).next().unwrap_or_default()),
        false => name.into(),
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let crew: BTreeMap<_, _> = self.casting.crew.iter().map(|(role, backend)| (role, backend.name())).collect();
        out.debug_struct("Settings").field("jobs", &self.jobs).field("crew", &crew).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-35
    #[test]
    fn what_may_be_a_secret_is_not_written_down() {
        for (name, kept) in [
            ("offline", "offline"),
            ("command:./my-agent --careful", "command:./my-agent --careful"),
            ("command:./keyboard.py", "command:./keyboard.py"),
            ("command:./my-agent --api-key abc", "command:./my-agent …"),
            ("command:./my-agent sk-abc", "command:./my-agent …"),
            ("command:./my-agent --with dGhpcyBpcyBhIHNlY3JldCBrZXkx", "command:./my-agent …"),
            ("command:./my-agent --with=dGhpcyBpcyBhIHNlY3JldCBrZXkx==", "command:./my-agent …"),
            ("command:./my-agent 9f86d081884c7d659a2feaa0c55ad015", "command:./my-agent …"),
            ("command:./my-agent --run run-20261118-003927-001", "command:./my-agent --run run-20261118-003927-001"),
            ("model:compatible/m@https://host/v1?api_key=abc", "model:compatible/m …"),
            ("model:compatible/m@https://host/v1?x=dGhpcyBpcyBhIHNlY3JldCBrZXkx", "model:compatible/m …"),
            (
                "command:./my-agent --in /home/Ada/notes2026/of-the-year",
                "command:./my-agent --in /home/Ada/notes2026/of-the-year",
            ),
            (
                "command:./my-agent --model qwen2.5-Coder-1.5B-Instruct",
                "command:./my-agent --model qwen2.5-Coder-1.5B-Instruct",
            ),
            ("model:openai/gpt@https://host/v1", "model:openai/gpt@https://host/v1"),
            ("model:openai/gpt@https://me:secret@host/v1", "model:openai/gpt …"),
        ] {
            assert_eq!(discreet(name), kept, "{name}");
        }
    }
}
