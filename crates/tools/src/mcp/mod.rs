//! Servers of the Model Context Protocol as a box of tools. Owns starting and ending them, what of theirs is shown to a
//! model and how, and what becomes of one that is silent, floods or dies. Servers are plain data; where they are configured
//! is not known here. The makers' crate is used in this module only.
//!
//! A server that is a program runs confined like any other, and ends with its box. One that is reached by HTTP is reached at
//! the host that its URL names and nowhere else. The other way round, `serve` and `relay` offer a box of ours to others.

mod answer;
mod file;
mod http;
mod lines;
mod names;
mod relay;
mod schema;
mod serve;
mod server;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use file::{McpFile, McpProblem, read_mcp_file};
pub use relay::{Relay, carry};
pub use serve::{About, serve};

use crate::background::Background;
use crate::web::{FetchLimits, Names, SystemNames};
use crate::{Bounds, Confinement, Network, Secret, Stop, Tool, ToolAnswer, ToolCall, Toolbox};
use server::Server;

/// A server as somebody configured it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// As its tools are called: `mcp__NAME__tool`.
    pub name: String,
    pub transport: McpTransport,
    pub tools: ToolFilter,
    /// Who may use it; everybody if nobody is named.
    pub roles: Vec<String>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that is talked with.
    Stdio {
        command: String,
        args: Vec<String>,
        /// Beside what every server gets; the values may be secrets.
        env: Vec<(String, Secret)>,
        network: Network,
        /// What it may read and write beyond what every server may.
        read: Vec<PathBuf>,
        write: Vec<PathBuf>,
    },
    /// Streamable HTTP. The URL is the grant for its host.
    Http { url: String, headers: Vec<(String, Secret)> },
}

/// Which tools of a server are shown, by its own names for them; `*` stands for anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// All of them if nothing is named.
    pub allow: Vec<String>,
    pub deny: Vec<String>,
}

/// What all servers of a box are given, and how far they may go.
#[derive(Clone)]
pub struct McpSettings {
    /// Where programs start, and what they may write.
    pub folder: PathBuf,
    pub confinement: Confinement,
    /// What every program finds in its environment; nothing else is inherited.
    pub environment: Vec<(OsString, OsString)>,
    pub bounds: Bounds,
    pub limits: McpLimits,
    pub names: Arc<dyn Names>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpLimits {
    /// From its start to the list of its tools.
    pub initialize: Duration,
    pub call: Duration,
    /// How long a program may live.
    pub life: Duration,
    /// The most tools that are shown, of one server and of all.
    pub tools_of_a_server: usize,
    pub tools: usize,
    pub answer_tokens: usize,
    /// The most that a server may say at once.
    pub message_bytes: usize,
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_secs(30),
            call: Duration::from_secs(120),
            life: Duration::from_secs(24 * 3600),
            tools_of_a_server: 64,
            tools: 128,
            answer_tokens: 8_000,
            message_bytes: 16 << 20,
        }
    }
}

/// The box. Its servers run as long as it lives.
pub struct Mcp {
    // Dropped in this order: the servers need the background to end.
    servers: Vec<Server>,
    shared: Shared,
    shown: Vec<Shown>,
    problems: Vec<String>,
}

/// What the servers of a box share.
pub(crate) struct Shared {
    pub(crate) background: Background,
    pub(crate) settings: McpSettings,
}

/// A tool and where it belongs.
struct Shown {
    tool: Tool,
    server: usize,
    /// As the server calls it.
    own_name: String,
}

/// The most names that an answer to a wrong one lists.
const MOST_LISTED: usize = 60;

impl McpServer {
    /// Whether a role may use it.
    pub fn is_for(&self, role: &str) -> bool {
        self.roles.is_empty() || self.roles.iter().any(|own| own == role)
    }
}

impl ToolFilter {
    pub(crate) fn shows(&self, name: &str) -> bool {
        let is_among = |patterns: &[String]| patterns.iter().any(|pattern| names::matches(pattern, name));
        (self.allow.is_empty() || is_among(&self.allow)) && !is_among(&self.deny)
    }
}

impl McpSettings {
    /// Programs that write this folder and nothing else, with what any program needs.
    pub fn new(folder: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        let confinement = Confinement::system();
        let bounds = Bounds::default();
        Self { folder, confinement, environment, bounds, limits: McpLimits::default(), names: Arc::new(SystemNames) }
    }

    pub(crate) fn fetch_limits(&self) -> FetchLimits {
        FetchLimits { bytes: self.limits.message_bytes, time: self.limits.call, ..FetchLimits::default() }
    }
}

impl Mcp {
    /// Starts the servers, all at once, and lists their tools. A server that cannot be used does not keep the others from
    /// it; it is named among the [`problems`](Self::problems).
    pub fn start(servers: &[McpServer], settings: McpSettings, stop: &Stop) -> io::Result<Self> {
        let shared = Shared { background: Background::start("mcp")?, settings };
        let servers: Vec<Server> = servers.iter().cloned().map(Server::new).collect();
        let offered: Vec<_> = std::thread::scope(|scope| {
            let shared = &shared;
            let all: Vec<_> = servers.iter().map(|server| scope.spawn(move || server.start(shared, stop))).collect();
            let lost = |_| Err("the thread that started it is gone".into());
            all.into_iter().map(|thread| thread.join().unwrap_or_else(lost)).collect()
        });
        let mut mcp = Self { servers, shared, shown: Vec::new(), problems: Vec::new() };
        let mut taken = BTreeSet::new();
        for (index, offered) in offered.into_iter().enumerate() {
            match offered {
                Ok(offered) => mcp.show(index, offered, &mut taken),
                Err(why) => {
                    let name = &mcp.servers[index].plan.name;
                    mcp.problems.push(format!("the MCP server {name:?} cannot be used: {why}"));
                }
            }
        }
        Ok(mcp)
    }

    /// What could not be used or was left out, each in one line.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn show(&mut self, index: usize, mut offered: server::Offered, taken: &mut BTreeSet<String>) {
        let plan = &self.servers[index].plan;
        let limits = self.shared.settings.limits;
        offered.tools.retain(|tool| plan.tools.shows(&tool.name));
        offered.tools.sort_by(|one, other| one.name.cmp(&other.name));
        offered.tools.dedup_by(|one, other| one.name == other.name);
        let room = limits.tools_of_a_server.min(limits.tools.saturating_sub(self.shown.len()));
        let left_out = offered.tools.len().saturating_sub(room);
        if left_out > 0 || offered.more {
            let or_more = if offered.more { " or more" } else { "" };
            self.problems.push(format!(
                "the MCP server {:?} offers {}{or_more} tools, of which {} are shown: name those that are needed under `tools`",
                plan.name,
                offered.tools.len(),
                offered.tools.len().min(room),
            ));
        }
        offered.tools.truncate(room);
        for tool in offered.tools {
            let name = names::namespaced(&plan.name, &tool.name, taken);
            taken.insert(name.clone());
            let description =
                schema::description(tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default());
            let parameters = schema::cleaned(&tool.input_schema);
            let own_name = tool.name.into_owned();
            self.shown.push(Shown { tool: Tool { name, description, parameters }, server: index, own_name });
        }
    }
}

impl Toolbox for Mcp {
    fn tools(&self) -> Vec<Tool> {
        self.shown.iter().map(|shown| shown.tool.clone()).collect()
    }

    fn problems(&self) -> Vec<String> {
        self.problems.clone()
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let Some(shown) = self.shown.iter().find(|shown| shown.tool.name == call.name) else {
            let names: Vec<&str> = self.shown.iter().take(MOST_LISTED).map(|shown| shown.tool.name.as_str()).collect();
            let more = if self.shown.len() > MOST_LISTED { ", …" } else { "" };
            let listed = if names.is_empty() { "none".into() } else { names.join(", ") };
            return ToolAnswer::wrong(format!("there is no tool {:?} here; valid: {listed}{more}", call.name));
        };
        let arguments = match &call.arguments {
            serde_json::Value::Object(arguments) => arguments.clone(),
            serde_json::Value::Null => serde_json::Map::new(),
            _ => {
                return ToolAnswer::wrong(format!(
                    "{}: the arguments are no object: write {{\"name\": value}}",
                    call.name
                ));
            }
        };
        self.servers[shown.server].call(&self.shared, &shown.own_name, arguments, stop)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        std::thread::scope(|scope| {
            for server in &self.servers {
                scope.spawn(|| server.end());
            }
        });
    }
}

impl fmt::Debug for McpSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment may hold secrets.
        let mut shown = out.debug_struct("McpSettings");
        shown.field("folder", &self.folder).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl fmt::Debug for Mcp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plans: Vec<&McpServer> = self.servers.iter().map(|server| &server.plan).collect();
        out.debug_struct("Mcp").field("servers", &plans).field("problems", &self.problems).finish_non_exhaustive()
    }
}
