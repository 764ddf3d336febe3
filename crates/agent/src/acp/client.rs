//! Owns one talk with an ACP agent: initialize, a session, one prompt, and answers to what the agent asks meanwhile. Must
//! not know how the agent was started, nor judge what it says.

use std::io::{PipeReader, PipeWriter};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ContentBlock, FileSystemCapabilities, Implementation, InitializeRequest,
    McpServer, McpServerStdio, NewSessionRequest, PromptRequest, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionRequest, RequestPermissionResponse, SessionNotification, SessionUpdate, StopReason, TextContent,
    ToolCallStatus, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{Agent, ByteStreams, Client, Error};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
use tools::Stop;

use super::bounded::Bounded;
use super::files::Files;
use super::policy::{self, Permission, Policy};
use crate::contract::Usage;
use crate::limits::{MAX_PROBLEMS, MAX_QUOTE};
use crate::words::quote;

/// Lines for people that wait to be shown; more are dropped.
const NOTICES: usize = 1024;

/// The most of an agent's answer that is kept.
const ANSWER_BYTES: usize = 8 << 20;

/// All that one talk needs.
pub(crate) struct Talk {
    pub(crate) writer: PipeWriter,
    pub(crate) reader: PipeReader,
    pub(crate) prompt: String,
    pub(crate) workdir: PathBuf,
    pub(crate) files: Files,
    pub(crate) policy: Policy,
    /// The command of a server with tools for it; empty if there is none.
    pub(crate) tools: Vec<String>,
    /// Becomes readable when somebody wants it to stop; how urgent that is, is asked of the stop.
    pub(crate) bell: UnixStream,
    pub(crate) stop: Stop,
    /// How long the agent may take to stop.
    pub(crate) grace: Duration,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Talked {
    pub(crate) heard: Told,
    pub(crate) end: Option<End>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    /// The turn is over, for this reason.
    Turn(StopReason),
    /// We asked it to stop; it did, or did not in time.
    Cancelled,
}

/// What the agent told meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) answer: String,
    pub(crate) failed: Vec<String>,
    pub(crate) refused: Vec<String>,
    /// What a person must be asked first, each call written out.
    pub(crate) asked: Vec<String>,
    /// What it said to have used: at the end of its turn, or else the most that its context held.
    pub(crate) usage: Usage,
    titles: Vec<(String, String)>,
}

/// The part that handlers and the talk share.
#[derive(Clone)]
struct Shared {
    told: Arc<Mutex<Told>>,
    notices: mpsc::Sender<String>,
    /// A person must be asked: the turn is to end.
    ends: Arc<tokio::sync::Notify>,
}

/// Talks until the turn is over, the agent is gone, or the bell rings. What was heard is given in any case.
pub(crate) async fn talk(talk: Talk, say: &dyn Fn(&str)) -> (Talked, Result<(), String>) {
    let (notices, mut heard) = mpsc::channel(NOTICES);
    let shared = Shared { told: Arc::default(), notices, ends: Arc::default() };
    let told = shared.told.clone();
    let mut talked = Talked::default();
    let went = connect(talk, shared, &mut heard, say, &mut talked.end).await;
    while let Ok(line) = heard.try_recv() {
        say(&line);
    }
    talked.heard = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
    (talked, went)
}

async fn connect(
    talk: Talk,
    shared: Shared,
    heard: &mut mpsc::Receiver<String>,
    say: &dyn Fn(&str),
    end: &mut Option<End>,
) -> Result<(), String> {
    let Talk { writer, reader, prompt, workdir, files, policy, tools, bell, stop, grace } = talk;
    let broken = |error: std::io::Error| format!("its pipes cannot be used: {error}");
    let writer = pipe::Sender::from_owned_fd(writer.into()).map_err(broken)?;
    let reader = pipe::Receiver::from_owned_fd(reader.into()).map_err(broken)?;
    bell.set_nonblocking(true).map_err(broken)?;
    let bell = tokio::net::UnixStream::from_std(bell).map_err(broken)?;
    let transport = ByteStreams::new(writer.compat_write(), Bounded::new(reader.compat()));
    let (ends, told) = (shared.ends.clone(), shared.told.clone());
    let (updates, permissions) = (shared.clone(), shared);
    let (reads, writes) = (files.clone(), files);
    let connection = Client
        .v1()
        .name("multiverse")
        .on_receive_notification(
            async move |notification: SessionNotification, _: ConnectionTo<Agent>| {
                updates.update(notification.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _: ConnectionTo<Agent>| {
                let wish = policy::wish(&request);
                let permission = policy.permission(&wish);
                permissions.permitted(&wish.title, &permission);
                responder.respond(RequestPermissionResponse::new(policy::outcome(&request, &permission)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _: ConnectionTo<Agent>| match reads.read(
                &request.path,
                request.line,
                request.limit,
            ) {
                Ok(text) => responder.respond(ReadTextFileResponse::new(text)),
                Err(why) => responder.respond_with_error(Error::invalid_params().data(why)),
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _: ConnectionTo<Agent>| match writes
                .write(&request.path, &request.content)
            {
                Ok(()) => responder.respond(WriteTextFileResponse::new()),
                Err(why) => responder.respond_with_error(Error::invalid_params().data(why)),
            },
            agent_client_protocol::on_receive_request!(),
        );
    let went = connection.connect_with(transport, async |connection: ConnectionTo<Agent>| {
        let mut session = Session { connection, heard, say, bell, ends, told, stop, grace, id: None };
        *end = Some(session.run(workdir, prompt, &tools).await?);
        Ok(())
    });
    went.await.map_err(|error| said(&error))
}

/// An error of the protocol in words.
fn said(error: &Error) -> String {
    let data = error.data.as_ref().map(|data| match data.as_str() {
        Some(text) => format!(": {text}"),
        None => format!(": {data}"),
    });
    quote(&format!("{}{} ({})", error.message, data.unwrap_or_default(), i32::from(error.code)), 4 * MAX_QUOTE)
}

struct Session<'talk> {
    connection: ConnectionTo<Agent>,
    heard: &'talk mut mpsc::Receiver<String>,
    say: &'talk dyn Fn(&str),
    bell: tokio::net::UnixStream,
    ends: Arc<tokio::sync::Notify>,
    told: Arc<Mutex<Told>>,
    stop: Stop,
    grace: Duration,
    id: Option<agent_client_protocol::v1::schema::SessionId>,
}

impl Session<'_> {
    async fn run(&mut self, workdir: PathBuf, prompt: String, tools: &[String]) -> Result<End, Error> {
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new().fs(files).terminal(false))
            .client_info(Implementation::new("multiverse", env!("CARGO_PKG_VERSION")));
        let hello = self.connection.send_request(hello).block_task();
        // A peer that speaks another version is refused by the connection.
        if self.unless_stopped(hello).await?.is_none() {
            return Ok(End::Cancelled);
        }
        let server = tools.split_first().map(|(program, arguments)| {
            McpServer::Stdio(McpServerStdio::new("multiverse", program.as_str()).args(arguments.to_vec()))
        });
        let wanted = NewSessionRequest::new(workdir).mcp_servers(server.into_iter().collect());
        let session = self.connection.send_request(wanted).block_task();
        let Some(session) = self.unless_stopped(session).await? else { return Ok(End::Cancelled) };
        self.id = Some(session.session_id.clone());
        let content = vec![ContentBlock::Text(TextContent::new(prompt))];
        let turn = self.connection.send_request(PromptRequest::new(session.session_id, content)).block_task();
        let Some(turn) = self.unless_stopped(turn).await? else { return Ok(End::Cancelled) };
        if let Some(used) = turn.usage {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let made = used.output_tokens.saturating_add(used.thought_tokens.unwrap_or_default());
            // Some do not count what came from a cache among what went in; the total has it.
            told.usage.input_tokens = used.total_tokens.saturating_sub(made).max(used.input_tokens);
            told.usage.output_tokens = made;
            told.usage.cached_tokens = used.cached_read_tokens.unwrap_or_default();
        }
        Ok(End::Turn(turn.stop_reason))
    }

    /// Waits for an answer and shows what is heard meanwhile; nothing if it was stopped, or a person must be asked. Then the agent is asked to
    /// cancel, and has its grace to answer.
    async fn unless_stopped<T>(&mut self, answer: impl Future<Output = Result<T, Error>>) -> Result<Option<T>, Error> {
        tokio::pin!(answer);
        loop {
            tokio::select! {
                answered = &mut answer => return answered.map(Some),
                Some(line) = self.heard.recv() => (self.say)(&line),
                _ = self.bell.readable() => break,
                () = self.ends.notified() => break,
            }
        }
        if let Some(id) = &self.id {
            // If it is gone already, there is nobody to tell.
            let _ = self.connection.send_notification(CancelNotification::new(id.clone()));
            let mut rung = [0; 64];
            while matches!(self.bell.try_read(&mut rung), Ok(count) if count > 0) {}
            if !self.stop.is_urgent() {
                tokio::select! {
                    _ = tokio::time::timeout(self.grace, &mut answer) => {}
                    _ = self.bell.readable() => {}
                }
            }
        }
        Ok(None)
    }
}

impl Shared {
    fn update(&self, update: SessionUpdate) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                if let ContentBlock::Text(text) = chunk.content {
                    let room = ANSWER_BYTES.saturating_sub(told.answer.len()).min(text.text.len());
                    told.answer.push_str(&text.text[..text.text.floor_char_boundary(room)]);
                }
            }
            SessionUpdate::ToolCall(call) => {
                // What comes after the last use of a tool is the answer.
                told.answer.clear();
                let title = quote(&call.title, MAX_QUOTE);
                if call.status == ToolCallStatus::Failed {
                    note(&mut told.failed, &title);
                }
                told.titles.truncate(MAX_PROBLEMS * 10);
                told.titles.insert(0, (call.tool_call_id.0.to_string(), title.clone()));
                let _ = self.notices.try_send(title);
            }
            SessionUpdate::ToolCallUpdate(update) if update.fields.status == Some(ToolCallStatus::Failed) => {
                let id = update.tool_call_id.0.to_string();
                let known = told.titles.iter().find(|(own, _)| *own == id).map(|(_, title)| title.clone());
                note(&mut told.failed, &known.unwrap_or(id));
            }
            SessionUpdate::UsageUpdate(update) => {
                told.usage.input_tokens = told.usage.input_tokens.max(update.used);
                let dollars = update.cost.filter(|cost| cost.currency == "USD" && cost.amount.is_finite());
                told.usage.cost_usd = dollars.map(|cost| cost.amount).or(told.usage.cost_usd);
            }
            _ => {}
        }
    }

    fn permitted(&self, title: &str, permission: &Permission) {
        let title = quote(title, MAX_QUOTE);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        match permission {
            Permission::Allow => {}
            Permission::Deny => {
                note(&mut told.refused, &title);
                let _ = self.notices.try_send(format!("was not allowed: {title}"));
            }
            Permission::Ask(call) => {
                note(&mut told.asked, call);
                self.ends.notify_one();
            }
        }
    }
}

fn note(list: &mut Vec<String>, what: &str) {
    if list.len() < MAX_PROBLEMS && !list.iter().any(|one| one == what) {
        list.push(what.into());
    }
}
