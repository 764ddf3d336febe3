//! One server's life: it is started, greeted, asked, started again once if it dies, and ended. Owns saying why it cannot be
//! used. Must not know how its tools are shown.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation, JsonObject,
    PaginatedRequestParams, ProtocolVersion, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use tokio::net::unix::pipe;

use super::http::Bounded;
use super::lines::{Lines, Seen};
use super::{McpServer, McpTransport, Shared, answer};
use crate::background::NotDone;
use crate::web::{Fetcher, Reachable, checked_url};
use crate::{Conversation, Ended, How, Launch, LaunchFault, LaunchLimits, Secret, Stop, ToolAnswer, converse};

type Running = RunningService<RoleClient, ClientConfig>;

pub(crate) struct Server {
    pub(crate) plan: McpServer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Live>,
    /// How often it was started; also tells one life from the next.
    starts: usize,
    /// Why it will not be started again.
    gone: Option<String>,
}

struct Live {
    running: Running,
    talk: Option<Conversation>,
    seen: Arc<Mutex<Seen>>,
}

/// What a server offers.
pub(crate) struct Offered {
    pub(crate) tools: Vec<Tool>,
    /// Whether there are more than were read.
    pub(crate) more: bool,
}

/// Once at first, and once again.
const MOST_STARTS: usize = 2;

/// The most of a list that is read.
const MOST_PAGES: usize = 200;
const MOST_TOOLS: usize = 10_000;

/// From the end of its input to being told, and from being told to being ended.
const GRACE: Duration = Duration::from_millis(500);
const LOG_BYTES: usize = 64 << 10;
const SHOWN_OF_A_LOG: usize = 400;
const SHOWN_OF_AN_ERROR: usize = 500;

/// Why a greeting failed.
enum Unmet {
    /// It answered, and does not want to be greeted like this.
    Refused(String),
    Failed(String),
}

impl Server {
    pub(crate) fn new(plan: McpServer) -> Self {
        Self { plan, state: Mutex::default() }
    }

    /// Starts it and reads the list of its tools.
    pub(crate) fn start(&self, shared: &Shared, stop: &Stop) -> Result<Offered, String> {
        let mut state = self.state();
        state.starts += 1;
        match self.connect(shared, stop, Wanted::List) {
            Ok((live, offered)) => {
                state.live = Some(live);
                Ok(offered)
            }
            Err(why) => {
                state.gone = Some(why.clone());
                Err(why)
            }
        }
    }

    pub(crate) fn call(&self, shared: &Shared, tool: &str, arguments: JsonObject, stop: &Stop) -> ToolAnswer {
        let name = &self.plan.name;
        let (peer, life) = match self.peer(shared, stop) {
            Ok(found) => found,
            Err(why) => return ToolAnswer::wrong(format!("the MCP server {name:?} cannot be used: {why}")),
        };
        let limits = shared.settings.limits;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let asked = peer.clone();
        let outcome = shared.background.carry(stop, limits.call, async move { asked.call_tool_once(params).await });
        let wrong =
            |why: &str| ToolAnswer::wrong(format!("the tool {tool:?} of the MCP server {name:?} failed: {why}"));
        let error = match outcome {
            Ok(Ok(CallToolResponse::Complete(result))) => {
                let answer = answer::of(&result, limits.answer_tokens);
                return ToolAnswer { text: self.without_keys(&answer.text), went: answer.went };
            }
            Ok(Ok(CallToolResponse::InputRequired(_))) => {
                return wrong("it asks for input, and nobody is here to give it");
            }
            Ok(Ok(_)) => return wrong("it answers later, and nobody waits for that here"),
            Ok(Err(error)) => error,
            Err(not_done) => return wrong(&not_done.to_string()),
        };
        let is_lost = matches!(error, ServiceError::TransportClosed) || peer.is_transport_closed();
        let is_broken = matches!(error, ServiceError::TransportSend(_))
            && matches!(self.plan.transport, McpTransport::Stdio { .. });
        if is_lost || is_broken {
            return wrong(&self.died(shared, life, stop));
        }
        match error {
            ServiceError::McpError(error) => wrong(&self.tidied(&error.message)),
            other => wrong(&self.tidied(&reasons(&other))),
        }
    }

    /// Ends it, with all that it started.
    pub(crate) fn end(&self) {
        if let Some(live) = self.state().live.take() {
            let Live { running, talk, .. } = live;
            // It sees the end of its input.
            drop(running);
            if let Some(talk) = talk {
                let _ = talk.end();
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody to ask, and in which life. One that died meanwhile is started again.
    fn peer(&self, shared: &Shared, stop: &Stop) -> Result<(Peer<RoleClient>, usize), String> {
        let mut state = self.state();
        if state.live.as_ref().is_some_and(|live| live.running.is_closed() || live.running.peer().is_transport_closed())
        {
            let why = state.live.take().map(|live| self.buried(live)).unwrap_or_default();
            self.start_again(&mut state, shared, stop, &why)?;
        }
        match (&state.live, &state.gone) {
            (Some(live), _) => Ok((live.running.peer().clone(), state.starts)),
            (None, Some(why)) => Err(why.clone()),
            (None, None) => Err("it was ended".into()),
        }
    }

    /// What is said when it died during a call; another call may have found that out already.
    fn died(&self, shared: &Shared, life: usize, stop: &Stop) -> String {
        let mut state = self.state();
        if state.starts != life || state.live.is_none() {
            return "it died during the call".into();
        }
        let why = state.live.take().map(|live| self.buried(live)).unwrap_or_default();
        let died = format!("it died during the call ({why})");
        match self.start_again(&mut state, shared, stop, &why) {
            Ok(()) => format!("{died}; it was started again: repeat the call if it may be done twice"),
            Err(gone) => format!("{died}; {gone}"),
        }
    }

    fn start_again(&self, state: &mut State, shared: &Shared, stop: &Stop, why: &str) -> Result<(), String> {
        let gone = if state.starts >= MOST_STARTS {
            format!("it died twice and is not started again ({why})")
        } else {
            state.starts += 1;
            match self.connect(shared, stop, Wanted::Greeting) {
                Ok((live, _)) => {
                    state.live = Some(live);
                    return Ok(());
                }
                Err(again) => format!("it died ({why}) and could not be started again: {again}"),
            }
        };
        state.gone = Some(gone.clone());
        Err(gone)
    }

    /// Starts and greets it, as it wants to be greeted: the newest revision of the protocol knows no greeting.
    fn connect(&self, shared: &Shared, stop: &Stop, wanted: Wanted) -> Result<(Live, Offered), String> {
        let newest = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
        match self.connect_as(shared, stop, wanted, ClientLifecycleMode::Initialize) {
            Err(Unmet::Refused(first)) => match self.connect_as(shared, stop, wanted, newest) {
                Ok(met) => Ok(met),
                Err(_) => Err(first),
            },
            Err(Unmet::Failed(why)) => Err(why),
            Ok(met) => Ok(met),
        }
    }

    fn connect_as(
        &self,
        shared: &Shared,
        stop: &Stop,
        wanted: Wanted,
        mode: ClientLifecycleMode,
    ) -> Result<(Live, Offered), Unmet> {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let limits = shared.settings.limits;
        let (outcome, talk) = match &self.plan.transport {
            McpTransport::Stdio { .. } => {
                let mut talk = self.talk(shared, stop).map_err(|fault| Unmet::Failed(fault.to_string()))?;
                let pipes = talk.take_reader().zip(talk.take_writer());
                let seen = Arc::clone(&seen);
                let work = async move {
                    let (read, write) = pipes.ok_or_else(|| Unmet::Failed("it has no pipes".into()))?;
                    let broken = |error: io::Error| Unmet::Failed(format!("its pipes cannot be used: {error}"));
                    let read = pipe::Receiver::from_owned_fd(read.into()).map_err(broken)?;
                    let write = pipe::Sender::from_owned_fd(write.into()).map_err(broken)?;
                    greeted(Lines::new(read, write, limits.message_bytes, seen), mode, wanted).await
                };
                (shared.background.carry(stop, limits.initialize, work), Some(talk))
            }
            McpTransport::Http { url, headers } => {
                let work = by_http(shared, url, headers).map_err(Unmet::Failed)?;
                let work = async move { greeted(work.await.map_err(Unmet::Failed)?, mode, wanted).await };
                (shared.background.carry(stop, limits.initialize, work), None)
            }
        };
        let is_late = matches!(outcome, Err(NotDone::TimedOut(_)));
        let failed =
            |not_done: NotDone| Unmet::Failed(if is_late { "it does not answer".into() } else { not_done.to_string() });
        match outcome.map_err(failed).and_then(|met| met) {
            Ok((running, offered)) => Ok((Live { running, talk, seen }, offered)),
            Err(unmet) => {
                let left = self.left(talk, &seen);
                let whole = |why: String| self.tidied(&format!("{why}{left}"));
                Err(match unmet {
                    Unmet::Refused(why) => Unmet::Refused(whole(why)),
                    Unmet::Failed(why) if is_late => {
                        Unmet::Failed(whole(format!("{why} within {} seconds", limits.initialize.as_secs())))
                    }
                    Unmet::Failed(why) => Unmet::Failed(whole(why)),
                })
            }
        }
    }

    fn talk(&self, shared: &Shared, stop: &Stop) -> Result<Conversation, LaunchFault> {
        let McpTransport::Stdio { command, args, env, network, read, write } = &self.plan.transport else {
            let why = "it is no program".into();
            return Err(LaunchFault::CannotSpawn { path: PathBuf::from(&self.plan.name), why });
        };
        let settings = &shared.settings;
        let mut confinement = settings.confinement.clone();
        confinement.read.extend(read.iter().cloned());
        confinement.write.extend(write.iter().cloned());
        confinement.write.push(settings.folder.clone());
        let mut environment = settings.environment.clone();
        environment.retain(|(name, _)| !env.iter().any(|(own, _)| name == own.as_str()));
        environment.extend(env.iter().map(|(name, value)| (name.into(), value.reveal().into())));
        let launch = Launch {
            program: command.into(),
            arguments: args.iter().map(Into::into).collect(),
            environment,
            folder: settings.folder.clone(),
            input: Vec::new(),
            confinement,
            network: *network,
            bounds: settings.bounds,
            limits: LaunchLimits { time: settings.limits.life, output_bytes: 0, log_bytes: LOG_BYTES, grace: GRACE },
        };
        converse(&launch, stop)
    }

    fn buried(&self, live: Live) -> String {
        let Live { running, talk, seen } = live;
        drop(running);
        let left = self.left(talk, &seen);
        self.tidied(left.trim_start_matches("; ").trim_start_matches(", "))
    }

    /// How it ended and what it left, each part after a semicolon. Ends it if it has not ended.
    fn left(&self, talk: Option<Conversation>, seen: &Mutex<Seen>) -> String {
        let mut left = String::new();
        if let Some(told) = seen.lock().unwrap_or_else(PoisonError::into_inner).told() {
            left.push_str(&format!("; {told}"));
        }
        match talk.map(Conversation::end_now) {
            Some(Ok(ended)) => left.push_str(&ending(&ended)),
            Some(Err(fault)) => left.push_str(&format!("; {fault}")),
            None => {}
        }
        left
    }

    /// An answer without the keys that the server was given: a model and a recording would keep them (QL-35). Other settings
    /// of it, a folder for example, are what it speaks of.
    fn without_keys(&self, text: &str) -> String {
        let given = match &self.plan.transport {
            McpTransport::Stdio { env, .. } => env,
            McpTransport::Http { headers, .. } => headers,
        };
        let is_key = |name: &str| {
            let name = name.to_ascii_lowercase();
            ["key", "token", "secret", "password", "credential", "authorization"].iter().any(|word| name.contains(word))
        };
        let keys =
            given.iter().filter(|(name, _)| is_key(name)).flat_map(|(_, value)| value.reveal().split_whitespace());
        let keys = keys.filter(|word| !word.eq_ignore_ascii_case("bearer") && !word.eq_ignore_ascii_case("basic"));
        keys.fold(text.to_owned(), |text, word| Secret::new(word).hide_in(&text))
    }

    /// In one line, without its secrets: what a server logs or answers may repeat them.
    fn tidied(&self, text: &str) -> String {
        let (secrets, url): (Vec<&Secret>, Option<&String>) = match &self.plan.transport {
            McpTransport::Stdio { env, .. } => (env.iter().map(|(_, value)| value).collect(), None),
            McpTransport::Http { url, headers } => (headers.iter().map(|(_, value)| value).collect(), Some(url)),
        };
        let text = secrets.iter().fold(text.to_owned(), |text, secret| {
            let words = secret.reveal().split_whitespace().map(Secret::new);
            words.fold(secret.hide_in(&text), |text, word| word.hide_in(&text))
        });
        let text = url.map_or(text.clone(), |url| text.replace(url.as_str(), "its URL"));
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut characters = line.chars().filter(|character| !character.is_control());
        let mut short: String = characters.by_ref().take(SHOWN_OF_AN_ERROR * 2).collect();
        if characters.next().is_some() {
            short.push('…');
        }
        short
    }
}

/// What a greeting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    List,
    Greeting,
}

async fn greeted<T, E, A>(transport: T, mode: ClientLifecycleMode, wanted: Wanted) -> Result<(Running, Offered), Unmet>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let us =
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("multiverse", env!("CARGO_PKG_VERSION")));
    let running = us.serve_with_lifecycle(transport, mode).await.map_err(unmet)?;
    let has_tools = running.peer().peer_info().is_some_and(|info| info.capabilities.tools.is_some());
    let offered = match wanted {
        Wanted::List if has_tools => listed(running.peer()).await.map_err(Unmet::Failed)?,
        _ => Offered { tools: Vec::new(), more: false },
    };
    Ok((running, offered))
}

fn unmet(error: ClientInitializeError) -> Unmet {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            Unmet::Refused(format!("it refuses the greeting: {}", error.message))
        }
        ClientInitializeError::ConnectionClosed(_) => Unmet::Failed("it ended before it answered".into()),
        other if hung_up(&other) => Unmet::Failed("it ended before it answered".into()),
        other => Unmet::Failed(format!("the greeting failed: {}", reasons(&other))),
    }
}

/// Whether the other end was gone when something was sent: it may end before, or after we began to speak.
fn hung_up(error: &ClientInitializeError) -> bool {
    let ClientInitializeError::TransportError { error, .. } = error else { return false };
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(&*error.error);
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        next = error.source();
    }
    false
}

async fn listed(peer: &Peer<RoleClient>) -> Result<Offered, String> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let page = peer.list_tools(Some(params)).await;
        let page = page.map_err(|error| format!("it does not list its tools: {}", reasons(&error)))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() >= MOST_TOOLS {
            break;
        }
    }
    Ok(Offered { tools, more: cursor.is_some() })
}

type ByHttp = StreamableHttpClientTransport<Bounded>;

/// A way to the host that the URL names, at the address that it has now.
fn by_http(
    shared: &Shared,
    url: &str,
    headers: &[(String, Secret)],
) -> Result<impl Future<Output = Result<ByHttp, String>> + Send + 'static, String> {
    let at = checked_url(url).map_err(|fault| fault.to_string())?;
    let allowed = Reachable::only(at.host_str().unwrap_or_default(), at.port_or_known_default().unwrap_or_default());
    let settings = &shared.settings;
    let fetcher = Fetcher { names: Arc::clone(&settings.names), allowed, limits: settings.fetch_limits() };
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let wrong = |what: &str| format!("the header {name:?} has {what} that no header can have");
        let value = HeaderValue::from_str(value.reveal()).map_err(|_| wrong("a value"))?;
        custom.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("a name"))?, value);
    }
    let most = settings.limits.message_bytes;
    let uri = url.to_owned();
    Ok(async move {
        let client = fetcher.client_for(&at).await.map_err(|fault| fault.to_string())?;
        let config = StreamableHttpClientTransportConfig::with_uri(uri).custom_headers(custom).max_sse_event_size(most);
        Ok(StreamableHttpClientTransport::with_client(Bounded { client, most }, config))
    })
}

fn ending(ended: &Ended) -> String {
    let how = match ended.how {
        How::Exit(code) => format!("; it ended with status {code}"),
        How::Signal(signal) => format!("; it was ended by signal {signal}"),
        How::TimedOut => "; its time was over".into(),
        How::Outgrew(bound) => format!("; it used more {} than it may", bound.word()),
        // By us, now.
        How::Stopped | How::Flooded => String::new(),
    };
    let log = String::from_utf8_lossy(&ended.log);
    let log = log.trim();
    let from = log.char_indices().rev().nth(SHOWN_OF_A_LOG).map_or(0, |(at, _)| at);
    let logged = if log.is_empty() { String::new() } else { format!("; it logged: {}", &log[from..]) };
    format!("{how}{logged}")
}

/// An error with all that led to it.
fn reasons(error: &dyn std::error::Error) -> String {
    let mut reasons = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let part = source.to_string();
        if !reasons.contains(&part) {
            reasons.push_str(&format!(": {part}"));
        }
        next = source.source();
    }
    reasons
}
