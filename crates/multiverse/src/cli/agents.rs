//! Who plays which role: what `--agent` and `multiverse.toml` say, made into agents. Owns the roles' names; what an agent
//! does is its own business.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::agent::{self, Backend, Kind as AgentKind};
use engine::cycle::{BatteryCheck, CycleSettings, Limits, Silence};
use engine::roadmap::RoadmapSettings;
use engine::{AskedAgent, Budget, Casting, Role, Settings};

use super::configuration::{self, Namer, Read};
use super::failure::{Failure, Kind};
use super::models;
use super::output::{HINT, Output};
use super::project::Start;
use super::toolboxes::{all_grants, searching, tools_of_programs};
use super::trust::{self, Servers};
use super::{completions, mcp, visible};

/// The roles of the protocol, as they are named on the command line.
pub(crate) const ROLES: [(&str, Role); 3] =
    [("planner", Role::Planner), ("executor", Role::Executor), ("communicator", Role::Communicator)];

/// The tool type of an agent that searches the web.
const WEB_SEARCH: &str = "WebSearch";

/// The roles that somebody must play. Without a communicator, code speaks itself.
const NEEDED: [Role; 2] = [Role::Planner, Role::Executor];

/// How long a check may take where the project does not say.
const CHECK_SECONDS: u64 = 600;

/// Who carries a run on.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Choice {
    /// Who works: offline, a coding CLI (claude, codex, gemini, opencode, goose, aider, qwen, pi, vibe; with :MODEL
    /// if you like), model:PROVIDER/NAME (with @URL if it is not at its usual place), acp:PROGRAM, command:PROGRAM,
    /// script:FILE, person, or auto, whoever is found (the first CLI with a key, a model whose key is set, else offline),
    /// which is what a new run does where nobody is named; for one role with ROLE= before it (planner, executor,
    /// communicator, or a role of a workflow); may be given several times
    #[arg(long = "agent", value_name = "[ROLE=]KIND[:ARG]", add = completions::agents())]
    agents: Vec<String>,

    /// How many agents may work at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(configuration::MOST_JOBS)))]
    jobs: Option<u32>,
}

/// Who was asked for to play a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cast {
    pub(crate) kind: AgentKind,
    /// Relative paths begin here.
    base: PathBuf,
    namer: Namer,
}

/// Who was found, and the variable of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    cast: Cast,
    key: &'static str,
}

impl Found {
    fn words(&self) -> String {
        let name = self.cast.shown();
        format!("{HINT}{name}{HINT:#} works, with the key in {}; it costs what its provider asks for", self.key)
    }
}

impl Choice {
    /// Who is found where nobody was named, for something that begins: what is open goes on with those it began with.
    pub(crate) fn found(&self, project: &Path) -> Result<Option<Found>, Failure> {
        if !self.agents.is_empty() || !Read::of(project)?.set.agents.is_empty() {
            return Ok(None);
        }
        let found = agent::automatic(&agent::Surroundings::of_process());
        Ok(found.map(|(kind, key)| Found { cast: Cast::of(kind), key }))
    }

    /// The settings of the engine for a project. Nothing is begun when anything is wrong with them.
    pub(crate) fn settings(
        &self,
        start: &Start,
        project: &Path,
        found: Option<&Found>,
        output: &mut Output,
    ) -> Result<Settings, Failure> {
        let mut read = Read::of(project)?;
        let mut asked = self.asked(start, project);
        let mut told = self.told(start)?;
        if let Some(found) = found {
            asked.push(AskedAgent { agent: found.cast.shown(), folder: String::new() });
            told.insert(None, found.cast.clone());
        }
        let cast = self.cast(&told, project, &mut read);
        read.refuse_problems(output)?;
        trust::check(&read, project, servers(cast.values().chain(told.values())), output)?;
        trust::remember(&asked, project);
        let mut settings = Settings::new(project.to_path_buf());
        settings.casting = casting(&cast, &told, asked, project, &mut read)?;
        // What the agents found wrong in what they were to be given.
        read.refuse_problems(output)?;
        set_up(&mut settings, &read)?;
        settings.jobs = self.jobs.map_or(settings.jobs, |jobs| jobs as usize);
        if !can_search(&cast, &read) {
            settings.tools.remove(WEB_SEARCH);
        }
        Ok(settings)
    }

    /// Who plays in a run that keeps who was asked for, where that is not who plays anyway; and who of those that were
    /// kept plays on. What is asked for now comes first.
    pub(crate) fn recalled(
        &self,
        kept: &[AskedAgent],
        start: &Start,
        project: &Path,
        output: &mut Output,
    ) -> Result<Option<(Casting, Vec<AskedAgent>)>, Failure> {
        let now = self.told(start)?;
        let (mut told, mut stays) = (BTreeMap::new(), Vec::new());
        for one in kept {
            // Words that another version wrote and this one does not know are left alone.
            let Ok((role, cast)) = parsed(&one.agent, &project.join(&one.folder)) else { continue };
            if !now.contains_key(&role) && !now.contains_key(&None) {
                stays.push(one.clone());
                told.insert(role, cast);
            }
        }
        if stays.is_empty() {
            return Ok(None);
        }
        told.extend(now);
        trust::check_kept(&stays, project, output)?;
        let mut read = Read::of(project)?;
        let cast = self.cast(&told, project, &mut read);
        trust::check(&read, project, servers(cast.values().chain(told.values())), output)?;
        let asked = stays.iter().cloned().chain(self.asked(start, project)).collect();
        let mut casting = casting(&cast, &told, asked, project, &mut read)?;
        let mut tools = Settings::new(project.to_path_buf()).tools;
        if !can_search(&cast, &read) {
            tools.remove(WEB_SEARCH);
        }
        casting.offer(tools);
        if let Some(words) = read.problems_in_words() {
            return Err(Failure::new(Kind::Configuration, words).at(Path::new(configuration::FILE)));
        }
        Ok(Some((casting, stays)))
    }

    /// Who was asked for, as it is kept with a run.
    fn asked(&self, start: &Start, project: &Path) -> Vec<AskedAgent> {
        let Ok(folder) = start.folder().strip_prefix(project) else { return Vec::new() };
        let folder = folder.to_string_lossy().into_owned();
        let kept = self.agents.iter().filter(|agent| !engine::may_hold_a_secret(agent));
        kept.map(|agent| AskedAgent { agent: agent.clone(), folder: folder.clone() }).collect()
    }

    /// Says who works if nobody was asked for, and what cannot be kept.
    pub(crate) fn say_who(&self, project: &Path, found: Option<&Found>, output: &mut Output) -> Result<(), Failure> {
        for agent in self.agents.iter().filter(|agent| engine::may_hold_a_secret(agent)) {
            let program = agent.split_whitespace().next().unwrap_or_default();
            output.say(&format!(
                "{HINT}note{HINT:#}: {} … may hold a secret, so it is not kept with the run: say --agent again to resume",
                visible::text(program)
            ))?;
        }
        let set = Read::of(project)?.set.agents;
        if self.agents.is_empty() && set.is_empty() {
            let other = format!("another is named by --agent or {}", configuration::FILE);
            output.say(&match found {
                Some(found) => format!("no agent is configured: {}; {other}, for example offline", found.words()),
                None => format!(
                    "no agent is configured: {HINT}offline{HINT:#} works, which counts, extracts and charts without a \
                     model; {other}"
                ),
            })?;
        }
        let is_auto = |text: &str| agent::parse_kind(text).is_ok_and(|assigned| assigned.kind == AgentKind::Auto);
        if self.agents.iter().any(|text| is_auto(text)) || set.values().any(|setting| is_auto(&setting.text)) {
            let found = agent::automatic(&agent::Surroundings::of_process());
            let found = found.map(|(kind, key)| Found { cast: Cast::of(kind), key });
            let nobody = || "neither a coding CLI that runs nor a model has a key here, so offline works".to_string();
            output.say(&format!("auto: {}", found.as_ref().map_or_else(nobody, Found::words)))?;
        }
        Ok(())
    }

    /// What the command line says.
    fn told(&self, start: &Start) -> Result<Told, Failure> {
        let refused = |message: String| Failure::new(Kind::Usage, format!("--agent {message}"));
        self.agents.iter().map(|text| parsed(text, start.folder()).map_err(refused)).collect()
    }

    /// Refuses roles that nobody plays there: those that every run has, and these, are played.
    pub(crate) fn refuse_other_roles(&self, played: &[&str]) -> Result<(), Failure> {
        let mut named = self.agents.iter().filter_map(|text| agent::parse_kind(text).ok()?.role);
        match named.find(|name| role_of(name).is_none() && !played.contains(&name.as_str())) {
            Some(name) => Err(Failure::new(Kind::Usage, format!("--agent {}", no_role(&visible::text(&name), played)))),
            None => Ok(()),
        }
    }

    /// Who plays which role: who was told first, then the file, then offline.
    fn cast(&self, told: &Told, project: &Path, read: &mut Read) -> BTreeMap<Role, Cast> {
        let set = set_in(project, read);
        let everyone = told.get(&None).cloned();
        let offline = Cast { kind: AgentKind::Offline, base: project.to_path_buf(), namer: Namer::Person };
        let asked =
            |role: Role| told.get(&ROLES.into_iter().find(|(_, own)| *own == role).map(|(name, _)| name.into()));
        let player = |role: Role| {
            let named = asked(role).or(everyone.as_ref()).or_else(|| set.get(&Some(role)));
            named.or_else(|| set.get(&None)).unwrap_or(&offline).clone()
        };
        let mut cast: BTreeMap<Role, Cast> = NEEDED.into_iter().map(|role| (role, player(role))).collect();
        if let Some(speaker) = asked(Role::Communicator).or_else(|| set.get(&Some(Role::Communicator))) {
            cast.insert(Role::Communicator, speaker.clone());
        }
        cast
    }
}

/// Who was told to play: by the name of a role, or for all that are not named.
type Told = BTreeMap<Option<String>, Cast>;

/// The words behind `--agent`: for which role, and who.
fn parsed(text: &str, base: &Path) -> Result<(Option<String>, Cast), String> {
    let assigned = agent::parse_kind(text)?;
    let cast = Cast { kind: settled(assigned.kind), base: base.to_path_buf(), namer: Namer::Person };
    Ok((assigned.role, cast))
}

/// Who `auto` is, on this machine and now.
fn settled(kind: AgentKind) -> AgentKind {
    match kind {
        AgentKind::Auto => {
            agent::automatic(&agent::Surroundings::of_process()).map_or(AgentKind::Offline, |(kind, _)| kind)
        }
        other => other,
    }
}

/// Whether anybody of them uses the project's servers.
fn servers<'a>(mut cast: impl Iterator<Item = &'a Cast>) -> Servers {
    match cast.any(|one| matches!(one.kind, AgentKind::Model(_) | AgentKind::NamedModel(_))) {
        true => Servers::Used,
        false => Servers::Unused,
    }
}

/// The agents themselves.
fn casting(
    cast: &BTreeMap<Role, Cast>,
    told: &Told,
    asked: Vec<AskedAgent>,
    project: &Path,
    read: &mut Read,
) -> Result<Casting, Failure> {
    let (mut casting, mut made) = (Casting::default(), Vec::<(Cast, Arc<dyn Backend>)>::new());
    let mut backend_of = |cast: &Cast, read: &mut Read| -> Result<Arc<dyn Backend>, Failure> {
        let known = made.iter().find(|(other, _)| other == cast).map(|(_, backend)| backend.clone());
        let backend = match known {
            Some(backend) => backend,
            None => cast.backend(project, read)?,
        };
        made.push((cast.clone(), backend.clone()));
        Ok(backend)
    };
    for (role, cast) in cast {
        match cast.kind {
            AgentKind::Person => casting.leave_to_people(*role),
            _ => casting.play_as(*role, &cast.shown(), backend_of(cast, read)?),
        }
    }
    // Roles that only a protocol knows, or a workflow.
    let is_part = |name: &str| role_of(name).is_none();
    for (name, cast) in
        told.iter().filter_map(|(name, cast)| Some((name.as_deref().filter(|name| is_part(name))?, cast)))
    {
        match cast.kind {
            AgentKind::Person => casting.leave_part_to_people(name),
            _ => casting.play_part(name, &cast.shown(), backend_of(cast, read)?),
        }
    }
    // Whoever is told for one such role is not told for the others.
    let is_for_all = told.keys().any(|name| name.as_deref().is_none_or(|name| !is_part(name)));
    if is_for_all || !read.set.agents.is_empty() {
        casting.choose();
    }
    casting.keep(asked);
    Ok(casting)
}

/// Whether whoever executes can search the web.
fn can_search(cast: &BTreeMap<Role, Cast>, read: &Read) -> bool {
    cast.get(&Role::Executor).is_some_and(|cast| match cast.kind {
        AgentKind::Offline | AgentKind::Model(_) | AgentKind::NamedModel(_) => read.set.web.search.is_some(),
        // Others may have a search of their own.
        _ => true,
    })
}

/// The roles that are given AGENTS.md and skills.
pub(crate) fn guided(read: &Read) -> BTreeSet<Role> {
    match &read.set.guided {
        None => BTreeSet::from([Role::Planner, Role::Executor]),
        Some(names) => names.iter().filter_map(|name| role_of(&name.text)).collect(),
    }
}

/// What one run may use.
/// The settings of the engine for a project in which nobody is asked for anything.
pub(crate) fn without_agents(project: &Path, output: &mut Output) -> Result<Settings, Failure> {
    let read = Read::of(project)?;
    read.refuse_problems(output)?;
    let mut settings = Settings::new(project.to_path_buf());
    set_up(&mut settings, &read)?;
    Ok(settings)
}

/// What is set of how the engine works, whoever the agents are.
fn set_up(settings: &mut Settings, read: &Read) -> Result<(), Failure> {
    settings.prompts = Some(models::prompts(&settings.project)?);
    settings.jobs = read.set.jobs.map_or(settings.jobs, |jobs| jobs as usize);
    settings.seconds = read.set.seconds.unwrap_or(settings.seconds);
    settings.learning.least = read.set.least.unwrap_or(settings.learning.least);
    settings.learning.most = read.set.most.unwrap_or(settings.learning.most);
    settings.budget = budget(read);
    settings.cycle = cycle_settings(read);
    settings.roadmap = roadmap_settings(read);
    settings.guidance = Arc::new(agent::Guidance::find(&settings.project));
    settings.guided = guided(read);
    settings.notify.command.clone_from(&read.set.notify_command);
    settings.notify.url.clone_from(&read.set.notify_url);
    Ok(())
}

fn budget(read: &Read) -> Budget {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a budget is neither negative nor huge")]
    let micro_dollars = read.set.budget_dollars.map(|dollars| (dollars * 1e6).round() as u64);
    Budget { tokens: read.set.budget_tokens, micro_dollars, seconds: read.set.budget_seconds }
}

/// Who the project's file names; what is wrong with it is added to its problems.
pub(crate) fn set_in(project: &Path, read: &mut Read) -> BTreeMap<Option<Role>, Cast> {
    let mut set = BTreeMap::new();
    for (name, setting) in read.set.agents.clone() {
        let role = role_of(&name);
        match agent::parse_kind(&setting.text) {
            Ok(assigned) if assigned.role.is_some() => {
                read.problem(
                    setting.span,
                    "the role stands before the =, not in the text",
                    "for example: planner = \"offline\"",
                );
            }
            Ok(assigned) => {
                let (base, namer) = (project.to_path_buf(), setting.namer());
                set.insert(role, Cast { kind: settled(assigned.kind), base, namer });
            }
            Err(message) => {
                let (message, hint) = message.split_once("; valid: ").unwrap_or((&message, ""));
                let hint = if hint.is_empty() { String::new() } else { format!("valid: {hint}") };
                read.problem(setting.span, message, hint);
            }
        }
    }
    set
}

impl Cast {
    /// Whom a person named, in no folder of its own.
    fn of(kind: AgentKind) -> Self {
        Self { kind, base: PathBuf::new(), namer: Namer::Person }
    }

    /// The agent itself.
    pub(crate) fn backend(&self, project: &Path, read: &mut Read) -> Result<Arc<dyn Backend>, Failure> {
        Ok(match &self.kind {
            AgentKind::Offline if read.set.web.search.is_some() => {
                let searching = searching(read, project);
                Arc::new(agent::Searching::new(Arc::new(agent::offline::Offline), searching))
            }
            AgentKind::Offline => Arc::new(agent::offline::Offline),
            AgentKind::Script(file) => Arc::new(self.script(file)?),
            AgentKind::Command(text) => {
                let command = agent::Command::new(text, &self.base).map_err(|reason| self.unusable(&reason))?;
                if let Some(reason) = command.missing() {
                    return Err(self.unusable(&reason));
                }
                with_tools(Arc::new(command.with_readable(readable(read))))
            }
            AgentKind::Model(name) => Arc::new(models::model(name, self.namer, project, read)?),
            AgentKind::NamedModel(name) => Arc::new(models::named(name, project, read)?),
            AgentKind::Cli(cli, model) => {
                with_tools(Arc::new(self.preset(*cli, model.as_deref())?.with_readable(readable(read))))
            }
            AgentKind::Acp(text) => {
                let acp = agent::Acp::new(text, &self.base).map_err(|reason| self.unusable(&reason))?;
                if let Some(reason) = acp.missing() {
                    return Err(self.unusable(&reason));
                }
                with_tools(Arc::new(acp.with_grants(all_grants(read)).with_readable(readable(read))))
            }
            AgentKind::Auto => Arc::new(agent::offline::Offline),
            AgentKind::Person => Arc::new(agent::Person),
        })
    }

    fn unusable(&self, reason: &str) -> Failure {
        Failure::new(Kind::Missing, format!("cannot use {}: {reason}", self.shown()))
            .hint("look at the spelling, and at the folder you are in")
    }

    /// As it is written after `--agent`.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            AgentKind::Offline => "offline".into(),
            AgentKind::Script(file) => format!("script:{}", file.display()),
            AgentKind::Command(text) => format!("command:{text}"),
            AgentKind::Model(name) => format!("model:{}", name.shown()),
            AgentKind::NamedModel(name) => format!("model:{name}"),
            AgentKind::Cli(cli, None) => cli.name().into(),
            AgentKind::Cli(cli, Some(model)) => format!("{}:{model}", cli.name()),
            AgentKind::Acp(text) => format!("acp:{text}"),
            AgentKind::Auto => "auto".into(),
            AgentKind::Person => "person".into(),
        }
    }

    /// A coding CLI; one that is not there is told before anything begins.
    fn preset(&self, cli: agent::Cli, model: Option<&str>) -> Result<agent::Preset, Failure> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        match tools::find_program(cli.name().as_ref(), &path) {
            Ok(_) => Ok(agent::Preset::new(cli, model)),
            Err(fault) => Err(Failure::new(Kind::Missing, format!("cannot use {}: {fault}", self.shown()))
                .hint(format!("install it: {}", cli.install()))),
        }
    }

    fn script(&self, file: &Path) -> Result<agent::Script, Failure> {
        let place = self.base.join(file);
        if let Err(error) = std::fs::metadata(&place) {
            return Err(Failure::reading(file, &error));
        }
        agent::Script::open(&place).map_err(|problems| {
            let message = format!("cannot use the script: {}", problems.join("; "));
            Failure::new(Kind::NotADocument, message).at(file).hint("docs/formats/script.md describes the file")
        })
    }
}

/// An agent that is a program, with the tools of a roadmap's log beside it where it works on one (RM-09).
fn with_tools(program: Arc<dyn Backend>) -> Arc<dyn Backend> {
    match std::env::current_exe() {
        Ok(own) => Arc::new(agent::Served::new(program, tools_of_programs(), own, &["mcp", "--socket"], mcp::about())),
        Err(_) => program,
    }
}

/// What programs may read outside the project.
fn readable(read: &Read) -> Vec<PathBuf> {
    read.set.sandbox_read.iter().map(PathBuf::from).collect()
}

fn role_of(name: &str) -> Option<Role> {
    ROLES.into_iter().find(|(own, _)| *own == name).map(|(_, role)| role)
}

fn no_role(name: &str, played: &[&str]) -> String {
    let valid: Vec<&str> = ROLES.iter().map(|(name, _)| *name).chain(played.iter().copied()).collect();
    format!("`{name}` is no role; valid: {}", valid.join(", "))
}

/// How roadmaps go, as the project says: the same checks as of cycles, before work counts.
fn roadmap_settings(read: &Read) -> RoadmapSettings {
    let (set, usual) = (&read.set.roadmap, RoadmapSettings::default());
    RoadmapSettings {
        executor: set.name.clone().unwrap_or(usual.executor),
        quota: set.quota.and_then(|quota| quota.try_into().ok()).unwrap_or(usual.quota),
        waits: true,
        checks: cycle_settings(read).battery,
        read: readable(read),
        limits: usual.limits,
    }
}

/// How cycles go, as the project says.
fn cycle_settings(read: &Read) -> CycleSettings {
    let (set, usual) = (&read.set.cycle, Limits::default());
    let limits = Limits {
        lines: set.lines.unwrap_or(usual.lines),
        files: set.files.and_then(|files| files.try_into().ok()).unwrap_or(usual.files),
        loops: set.loops.and_then(|loops| loops.try_into().ok()).unwrap_or(usual.loops),
        insufficient: set.insufficient.and_then(|times| times.try_into().ok()).unwrap_or(usual.insufficient),
        seconds: set.seconds,
        answer_seconds: set.answer_seconds,
        silence: if set.silence.as_deref() == Some("stop") { Silence::Stop } else { Silence::Pause },
        ..usual
    };
    let check = |(name, check): (&String, &configuration::CheckSet)| BatteryCheck {
        name: name.clone(),
        command: check.command.as_ref().map(|command| command.text.clone()).unwrap_or_default(),
        seconds: check.seconds.unwrap_or(CHECK_SECONDS),
        required: check.required.unwrap_or(true),
    };
    CycleSettings {
        limits,
        battery: read.set.checks.iter().map(check).collect(),
        forbidden: set.forbidden.iter().map(|one| one.text.clone()).collect(),
        pull_request: set.pull_request.as_ref().map(|one| one.text.clone()),
        read: readable(read),
    }
}
