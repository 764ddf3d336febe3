//! The tools that a model gets: the functions, the web and MCP servers, behind what its role is granted. Owns how settings
//! become boxes; what a tool does is its own business.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::agent::model::Toolboxes;
use engine::agent::roadmap::Context;
use engine::agent::{Guidance, Job, OwnTools};
use tools::mcp::{Mcp, McpServer, McpSettings, McpTransport, ToolFilter, read_mcp_file};
use tools::web::{Allowed, SearchProvider, Web, WebSettings};
use tools::{
    Boxes, Desk, Effect, Functions, GrantProblem, Granted, Grants, LogTools, Network, Rule, Secret, ShellRules, Stop,
    Toolbox, Writable,
};

use super::agents::ROLES;
use super::configuration::{FILE, Grant, Read, Setting, denying, reveal};
use super::failure::Failure;

/// Where other programs keep their MCP servers, too.
pub(crate) const MCP_FILE: &str = ".mcp.json";

/// What a role that does not make files may not do, where the project grants nothing else.
const CHANGING: [&str; 4] = ["write_file", "replace", "create_directory", "run_shell_command"];

/// What is the same for every attempt.
struct Supply {
    shell: ShellRules,
    web: WebSettings,
    servers: Vec<McpServer>,
    grants: BTreeMap<String, Grants>,
}

/// Makes the tools of a project's models. What is wrong with the settings is added to their problems.
pub(crate) fn toolboxes(read: &mut Read, project: &Path) -> Result<Toolboxes, Failure> {
    let supply = Arc::new(Supply {
        shell: shell(read),
        web: web(read, project),
        servers: servers(read, project)?,
        grants: all_grants(read),
    });
    Ok(Arc::new(move |job: &Job| supply.open(job)))
}

/// The same for an agent that is no model and has the web searched.
pub(crate) fn searching(read: &mut Read, project: &Path) -> Toolboxes {
    let (web, grants) = (web(read, project), all_grants(read));
    Arc::new(move |job: &Job| {
        let grants = grants.get(job.brief.standing()).cloned().unwrap_or_else(Grants::nothing);
        Ok(guarded(job, grants, Web::new(web.clone())))
    })
}

/// A box behind what a role is granted, and what people said of it.
fn guarded(job: &Job, grants: Grants, inner: impl Toolbox + 'static) -> Box<dyn Toolbox> {
    let answers = job.brief.answers.iter().map(|one| (one.question.clone(), one.answer.clone())).collect();
    let guarded = Granted::new(grants, inner).in_project(job.project.clone()).set_in(format!("[[grants]] in {FILE}"));
    match job.brief.may_ask() {
        true => Box::new(guarded.with_answers(answers, job.workdir.clone())),
        false => Box::new(guarded),
    }
}

impl Supply {
    /// The tools of one attempt.
    fn open(&self, job: &Job) -> Result<Box<dyn Toolbox>, String> {
        let (role, standing) = (job.brief.role.as_str(), job.brief.standing());
        let desk = Desk {
            project: job.project.clone(),
            workdir: job.workdir.clone(),
            readable: job.readable.clone(),
            writable: writable(job),
            shell: self.shell,
        };
        let functions = Functions::new(desk).map_err(|error| format!("the tools cannot be laid out: {error}"))?;
        let functions = Arc::new(functions);
        let mut boxes: Vec<(String, Arc<dyn Toolbox>)> =
            vec![("files".into(), functions.clone()), ("web".into(), Arc::new(Web::new(self.web.clone())))];
        if let Some(log) = log_tools(job, functions) {
            boxes.push(("log".into(), log?));
        }
        let servers: Vec<McpServer> =
            self.servers.iter().filter(|server| server.is_for(role) || server.is_for(standing)).cloned().collect();
        if !servers.is_empty() {
            let settings = McpSettings::new(job.workdir.clone(), environment(&job.workdir));
            let mcp = Mcp::start(&servers, settings, &Stop::new()).map_err(|error| format!("MCP: {error}"))?;
            boxes.push(("mcp".into(), Arc::new(mcp)));
        }
        let grants = self.grants.get(standing).cloned().unwrap_or_else(Grants::nothing);
        let forbidden = engine::agent::forbidden(&job.brief);
        match forbidden.is_empty() {
            true => Ok(guarded(job, grants, Boxes::new(boxes))),
            false => {
                let within = Granted::new(denying(&forbidden), Boxes::new(boxes)).in_project(job.project.clone());
                Ok(guarded(job, grants, within.set_in(format!("[cycle] forbidden in {FILE}"))))
            }
        }
    }
}

/// Where an attempt of a roadmap may write: the folders of its task, and no task or log file (RM-17).
fn writable(job: &Job) -> Writable {
    match Context::of(&job.brief) {
        Some(context) => within(context.task.dirs),
        // A cycle's copy is all its own: what may not change there is measured afterwards.
        None if job.brief.protocol == "cycle" => Writable::Within { folders: Vec::new(), but: Vec::new() },
        None => Writable::Usual,
    }
}

fn within(folders: Vec<String>) -> Writable {
    Writable::Within { folders, but: vec![".task.md".into(), ".log.md".into()] }
}

/// The tools of the log, for an attempt of a roadmap (RM-09); nothing for another.
fn log_tools(job: &Job, files: Arc<Functions>) -> Option<Result<Arc<dyn Toolbox>, String>> {
    let context = Context::of(&job.brief)?;
    let guidance = Arc::new(Guidance::find(&job.project));
    let desk = engine::roadmap::Desk::open(&job.project, &job.brief.run_id, context.fence, guidance);
    Some(match desk {
        Ok(desk) => Ok(Arc::new(LogTools::new(Arc::new(desk)).with_files(files))),
        Err(error) => Err(format!("the tools of the log cannot be laid out: {error}")),
    })
}

/// The same for an agent that is a program: it reaches them through a socket.
pub(crate) fn tools_of_programs() -> OwnTools {
    Arc::new(|job: &Job| {
        let context = Context::of(&job.brief)?;
        let files = match files_of(&job.project, &job.workdir, context.task.dirs) {
            Ok(files) => Arc::new(files),
            Err(error) => return Some(Err(format!("the tools of the log cannot be laid out: {error}"))),
        };
        log_tools(job, files)
    })
}

/// The files of a working folder, for the tools of the log.
pub(crate) fn files_of(project: &Path, workdir: &Path, folders: Vec<String>) -> std::io::Result<Functions> {
    let (project, workdir) = (project.to_path_buf(), workdir.to_path_buf());
    let (readable, writable, shell) = (Vec::new(), within(folders), ShellRules::default());
    Functions::new(Desk { project, workdir, readable, writable, shell })
}

/// All that a server knows of its surroundings (QL-35).
fn environment(workdir: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let home: OsString = workdir.into();
    vec![
        ("PATH".into(), path),
        ("HOME".into(), home.clone()),
        ("TMPDIR".into(), home),
        ("LANG".into(), "C.UTF-8".into()),
    ]
}

fn shell(read: &Read) -> ShellRules {
    let mut rules = ShellRules::default();
    if read.set.sandbox_network == Some(true) {
        rules.network = Network::Open;
    }
    rules.bounds.memory_bytes = read.set.memory_mb.map_or(rules.bounds.memory_bytes, |mb| mb << 20);
    rules.bounds.processes =
        read.set.processes.map_or(rules.bounds.processes, |most| most.try_into().unwrap_or(u32::MAX));
    rules
}

fn web(read: &mut Read, project: &Path) -> WebSettings {
    let mut settings = WebSettings::new(|| jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let set = read.set.web.clone();
    match Allowed::parse(set.allow.iter().map(|host| host.text.as_str())) {
        Ok(allowed) => settings.allowed = allowed,
        Err(unclear) => {
            let span = set.allow.first().map_or(0..0, |host| host.span.clone());
            read.problem(span, unclear.to_string(), "for example: allow = [\"localhost:8080\"]");
        }
    }
    if let Some(kind) = &set.search {
        let key = secret(read, set.key.as_ref(), project);
        match SearchProvider::new(&kind.text, set.base_url.as_deref(), set.model.as_deref(), key) {
            Ok(provider) => settings.search = Some(provider),
            Err(unclear) => read.problem(kind.span.clone(), unclear.to_string(), "docs/web.md describes the providers"),
        }
    }
    settings
}

/// What a reference leads to; what is wrong with it is a problem of the file.
pub(crate) fn secret(read: &mut Read, key: Option<&Setting>, project: &Path) -> Option<Secret> {
    let key = key?;
    match reveal(&key.text, project) {
        Ok(text) => Some(Secret::new(text)),
        Err(reason) => {
            read.problem(key.span.clone(), reason, "env:NAME, file:PATH or cmd:COMMAND say where a secret is");
            None
        }
    }
}

fn servers(read: &mut Read, project: &Path) -> Result<Vec<McpServer>, Failure> {
    let mut servers = of_file(&project.join(MCP_FILE))?;
    let mut wrong = Vec::new();
    for (name, set) in &read.set.mcp {
        let mut filled = |texts: &BTreeMap<String, String>| {
            let each = texts.iter().map(|(key, text)| match filled_in(text) {
                Ok(text) => (key.clone(), Secret::new(text)),
                Err(reason) => {
                    wrong.push((set.span.clone(), format!("[mcp.{name}] {key}: {reason}")));
                    (key.clone(), Secret::new(String::new()))
                }
            });
            each.collect::<Vec<_>>()
        };
        let transport = match (&set.command, &set.url) {
            (Some(command), _) => McpTransport::Stdio {
                command: command.text.clone(),
                args: set.args.clone(),
                env: filled(&set.env),
                network: if set.network { Network::Open } else { Network::Closed },
                read: read.set.sandbox_read.iter().map(PathBuf::from).collect(),
                write: Vec::new(),
            },
            (None, Some(url)) => McpTransport::Http { url: url.text.clone(), headers: filled(&set.headers) },
            (None, None) => continue,
        };
        let tools = ToolFilter { allow: set.allow.clone(), deny: set.deny.clone() };
        servers.retain(|server| server.name != *name);
        servers.push(McpServer { name: name.clone(), transport, tools, roles: set.roles.clone() });
    }
    for (span, message) in wrong {
        read.problem(span, message, "set the variable, or take it out");
    }
    Ok(servers)
}

/// The servers of such a file, each with what it starts or talks with.
pub(crate) fn servers_in_words(bytes: &[u8]) -> Vec<String> {
    let file = read_mcp_file(bytes, &|name| std::env::var(name).ok());
    let words = file.servers.iter().map(|server| match &server.transport {
        McpTransport::Stdio { command, args, .. } => format!("{} = {command} {}", server.name, args.join(" ")),
        McpTransport::Http { url, .. } => format!("{} = {url}", server.name),
    });
    words.map(|words| words.trim_end().to_string()).collect()
}

fn of_file(place: &Path) -> Result<Vec<McpServer>, Failure> {
    let bytes = match std::fs::read(place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::reading(Path::new(MCP_FILE), &error)),
        Ok(bytes) => bytes,
    };
    let file = read_mcp_file(&bytes, &|name| std::env::var(name).ok());
    match file.problems.first() {
        None => Ok(file.servers),
        Some(first) => {
            let message = format!("{MCP_FILE}:{}:{}: {}", first.line, first.column, first.what);
            Err(Failure::new(super::failure::Kind::Configuration, message).at(Path::new(MCP_FILE)).hint("docs/mcp.md"))
        }
    }
}

/// A text with `$NAME` and `${NAME}` replaced by variables of the environment.
fn filled_in(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, behind) = match braced {
            Some(found) => found,
            None => {
                let end = after.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
                after.split_at(end.unwrap_or(after.len()))
            }
        };
        if name.is_empty() {
            out.push('$');
        } else {
            out += &std::env::var(name).map_err(|_| format!("the variable {name} is not set"))?;
        }
        rest = behind;
    }
    Ok(out + rest)
}

/// What the roles may do, by their names. Rules were checked when the file was read; where one is wrong all the same,
/// nothing is allowed.
pub(crate) fn all_grants(read: &Read) -> BTreeMap<String, Grants> {
    let of = |role: &str| grants(read, role).unwrap_or_else(|_| Grants::nothing());
    ROLES.map(|(role, _)| (role.to_string(), of(role))).into()
}

/// The project's rules for a role, then what is usual for it.
fn grants(read: &Read, role: &str) -> Result<Grants, GrantProblem> {
    let own = read.set.grants.iter().filter(|grant| grant.role.as_deref().is_none_or(|name| name == role));
    let mut rules: Vec<Rule> = own.map(Grant::as_rule).collect();
    if role != "executor" {
        rules.extend(CHANGING.map(|tool| Rule::new(Effect::Deny, tool)));
    }
    Grants::new(rules, Effect::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_and_missing_ones_are_named() {
        let path = std::env::var("PATH").unwrap();
        assert_eq!(filled_in("a $PATH b ${PATH}c $ d").unwrap(), format!("a {path} b {path}c $ d"));
        assert_eq!(filled_in("x$NO_SUCH_THING/y").unwrap_err(), "the variable NO_SUCH_THING is not set");
        assert_eq!(filled_in("plain").unwrap(), "plain");
    }
}
