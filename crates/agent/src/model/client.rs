//! Owns one conversation's way to a server: requests go out, replies come in, bounded in time and size, and cut off at
//! once when somebody says stop. Must not know what is talked about.

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;
use tools::Stop;

use super::fault::{CallFault, of_redirect, of_status};
use super::message::{Finish, Request, Turn};
use super::patience::retry_after;
use super::settings::ModelSettings;
use super::sse::{Event, Events};
use super::tape::Tape;
use super::wire::{Assembly, Heard, StreamFault, Wire, json_from, wire};
use crate::words::quote;

/// The most of an error's body that is read.
const ERROR_BYTES: usize = 64 << 10;
/// How many redirects to the same place are followed.
const REDIRECTS: usize = 3;
/// How long a server may take to say what it serves.
const ABOUT: Duration = Duration::from_secs(5);
/// How often it is looked whether a server has loaded its model, and how long after one another.
const LOADING_LOOKS: usize = 120;
const LOADING_PAUSE: Duration = Duration::from_millis(500);

/// One request and what came of it, byte for byte, for whoever records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// Without its query; no key is in it.
    pub url: String,
    pub request: Vec<u8>,
    /// 0 if there was no answer.
    pub status: u16,
    pub reply: Vec<u8>,
}

/// What a server says of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Served {
    pub(super) context_tokens: Option<u64>,
    pub(super) billions: Option<f64>,
}

pub(super) struct Client<'a> {
    settings: &'a ModelSettings,
    wire: &'static dyn Wire,
    http: reqwest::Client,
    runtime: tokio::runtime::Runtime,
    stop: &'a Stop,
    deadline: Instant,
    /// Who answers instead of the server.
    tape: Option<&'a Tape>,
}

impl<'a> Client<'a> {
    pub(super) fn new(settings: &'a ModelSettings, stop: &'a Stop, deadline: Instant) -> Result<Self, String> {
        let cannot =
            |fault: &dyn std::error::Error| format!("cannot talk to {}: {}", settings.base_url, root_of(fault));
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|fault| cannot(&fault))?;
        let mut http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.timeouts.connect)
            .user_agent(concat!("multiverse/", env!("CARGO_PKG_VERSION")));
        if super::name::is_loopback(&settings.base_url) {
            // What is meant for this machine must not leave it through somebody's proxy.
            http = http.no_proxy();
        }
        let http = http.build().map_err(|fault| cannot(&fault))?;
        Ok(Self { settings, wire: wire(settings.provider), http, runtime, stop, deadline, tape: None })
    }

    /// The same, answered by a tape.
    pub(super) fn playing(mut self, tape: Option<&'a Tape>) -> Self {
        self.tape = tape;
        self
    }

    pub(super) fn wire(&self) -> &'static dyn Wire {
        self.wire
    }

    /// One call. `heard` is told of every piece that arrives, in bytes.
    pub(super) fn call(&self, request: &Request, heard: &dyn Fn(usize)) -> (Result<Turn, CallFault>, Exchange) {
        let url = self.wire.url(self.settings, request);
        let body = self.wire.body(self.settings, request);
        let shown = url.split('?').next().unwrap_or_default().to_string();
        let mut exchange = Exchange { url: shown, request: body.to_string().into_bytes(), ..Exchange::default() };
        let called = match self.tape {
            Some(tape) => self.played(tape, &body, &mut exchange),
            None => self.unless_stopped(self.exchange(&url, &mut exchange, heard)),
        };
        let turn = called.and_then(|reply| {
            let odd = |what: String| CallFault::Busy { after: None, reason: self.odd(&what) };
            // Whoever repeats our key to us does not get it into a file.
            let mut turn = self.wire.read(&self.settings.scrub_value(reply)).map_err(odd)?;
            // Some servers say that all is well when they have cut.
            if turn.finish == Finish::Done && turn.usage.output >= u64::from(request.max_output_tokens) {
                turn.finish = Finish::Length;
            }
            Ok(turn)
        });
        (turn, exchange)
    }

    /// What was answered to the same request, as if it came now.
    fn played(&self, tape: &Tape, body: &Value, exchange: &mut Exchange) -> Result<Value, CallFault> {
        let Some(then) = tape.reply(body) else {
            return Err(CallFault::Refused("no more replies were recorded".into()));
        };
        (exchange.status, exchange.reply) = (then.status, then.reply);
        let text = String::from_utf8_lossy(&exchange.reply);
        if exchange.status == 0 {
            return Err(CallFault::Busy { after: None, reason: format!("cannot reach {}", self.settings.base_url) });
        }
        if !(200..300).contains(&exchange.status) {
            return Err(of_status(self.settings, exchange.status, None, &text));
        }
        if text.trim_start().starts_with('{') {
            return self.whole(&exchange.reply);
        }
        let mut assembly = self.wire.assembly();
        match self.assembled(&mut *assembly, &Events::default().take(&exchange.reply), &|_| {})? {
            Some(reply) => Ok(reply),
            None => assembly.reply().ok_or_else(|| self.cut()),
        }
    }

    /// Waits, unless somebody says stop or the time is over.
    pub(super) fn rest(&self, wait: Duration) -> Result<(), CallFault> {
        self.unless_stopped(async {
            tokio::time::sleep(wait).await;
            Ok(())
        })
    }

    /// What a llama.cpp server says of its model; it is waited for while it loads. Servers that say nothing are no fault; of
    /// one that could not be asked nothing is known yet.
    pub(super) fn served(&self) -> Option<Served> {
        for _ in 0..LOADING_LOOKS {
            let asked = async {
                let url = format!("{}/models", self.settings.base_url);
                Ok(self.with_headers(self.http.get(url)).timeout(ABOUT).send().await.ok())
            };
            let answer = self.unless_stopped(asked).ok()??;
            match answer.status().as_u16() {
                503 => self.rest(LOADING_PAUSE).ok()?,
                _ => return Some(self.told(answer)),
            }
        }
        None
    }

    fn told(&self, answer: reqwest::Response) -> Served {
        let read = async {
            let bytes = bounded(answer, ERROR_BYTES).await.ok()?;
            let list: Value = serde_json::from_slice(&bytes).ok()?;
            let models = list["data"].as_array()?;
            let named = models.iter().find(|model| model["id"] == self.settings.name.as_str());
            let meta = &named.or_else(|| models.first().filter(|_| models.len() == 1))?["meta"];
            let billions = meta["n_params"].as_f64().map(|count| count / 1e9);
            Some(Served { context_tokens: meta["n_ctx"].as_u64(), billions })
        };
        self.unless_stopped(async { Ok(read.await.unwrap_or_default()) }).unwrap_or_default()
    }

    fn unless_stopped<T>(&self, work: impl Future<Output = Result<T, CallFault>>) -> Result<T, CallFault> {
        let (bell, woken) = UnixStream::pair().map_err(|fault| CallFault::Refused(fault.to_string()))?;
        let _waiting = self.stop.wake(bell);
        if self.stop.is_stopped() {
            return Err(CallFault::Stopped);
        }
        let deadline = self.deadline;
        self.runtime.block_on(async {
            let woken = woken
                .set_nonblocking(true)
                .and_then(|()| tokio::net::UnixStream::from_std(woken))
                .map_err(|fault| CallFault::Refused(fault.to_string()))?;
            tokio::select! {
                biased;
                _ = woken.readable() => Err(CallFault::Stopped),
                () = tokio::time::sleep_until(deadline.into()) => Err(CallFault::OutOfTime),
                done = work => done,
            }
        })
    }

    fn with_headers(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let headers = self.wire.headers(self.settings);
        headers.into_iter().fold(request, |request, (name, value)| {
            match reqwest::header::HeaderValue::from_str(&value) {
                Ok(mut value) => {
                    // A value that is marked so is not shown by anybody below us either.
                    value.set_sensitive(true);
                    request.header(name, value)
                }
                // A key with a line break in it cannot be sent; the provider says that there is none.
                Err(_) => request,
            }
        })
    }

    async fn exchange(&self, url: &str, exchange: &mut Exchange, heard: &dyn Fn(usize)) -> Result<Value, CallFault> {
        let response = self.send(url, &exchange.request).await?;
        exchange.status = response.status().as_u16();
        if !response.status().is_success() {
            let after = waiting_in(response.headers());
            let body = bounded(response, ERROR_BYTES).await.unwrap_or_default();
            let fault = of_status(self.settings, exchange.status, after, &String::from_utf8_lossy(&body));
            exchange.reply = body;
            return Err(fault);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") {
            self.read_stream(response, &mut exchange.reply, heard).await
        } else {
            self.read_whole(response, &mut exchange.reply, heard).await
        }
    }

    /// Sends a request; redirects are followed to the same place only.
    async fn send(&self, url: &str, body: &[u8]) -> Result<reqwest::Response, CallFault> {
        let refused = |fault: &dyn std::error::Error| {
            let reason = format!("cannot reach {}: {}", self.settings.base_url, root_of(fault));
            CallFault::Busy { after: None, reason: self.settings.scrub(&reason) }
        };
        let mut url = reqwest::Url::parse(url)
            .map_err(|fault| CallFault::Refused(format!("{} is no address: {fault}", self.settings.base_url)))?;
        for _ in 0..=REDIRECTS {
            let request = self.http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.to_vec());
            let sent = tokio::time::timeout(self.settings.timeouts.first, self.with_headers(request).send()).await;
            let response = match sent {
                Err(_) => return Err(self.silent(self.settings.timeouts.first)),
                Ok(Err(fault)) => return Err(refused(&fault)),
                Ok(Ok(response)) => response,
            };
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
            let to = url.join(location).map_err(|_| of_redirect(self.settings, location))?;
            let keeps_method = matches!(response.status().as_u16(), 307 | 308);
            if to.origin() != url.origin() || !keeps_method {
                return Err(of_redirect(self.settings, to.as_str()));
            }
            url = to;
        }
        Err(CallFault::Refused(format!("{} redirects in a circle", self.settings.base_url)))
    }

    async fn read_stream(
        &self,
        mut response: reqwest::Response,
        kept: &mut Vec<u8>,
        heard: &dyn Fn(usize),
    ) -> Result<Value, CallFault> {
        let mut events = Events::default();
        let mut assembly = self.wire.assembly();
        let mut patience = self.settings.timeouts.first;
        while let Some(piece) = self.piece(&mut response, patience, kept).await? {
            patience = self.settings.timeouts.idle;
            if let Some(reply) = self.assembled(&mut *assembly, &events.take(&piece), heard)? {
                return Ok(reply);
            }
        }
        assembly.reply().ok_or_else(|| self.cut())
    }

    /// Takes events into a reply; gives it when they say that nothing more comes.
    fn assembled(
        &self,
        assembly: &mut dyn Assembly,
        events: &[Event],
        heard: &dyn Fn(usize),
    ) -> Result<Option<Value>, CallFault> {
        for event in events {
            match assembly.take(event) {
                Ok(Heard::Bytes(bytes)) => heard(bytes),
                Ok(Heard::End) => return assembly.reply().map(Some).ok_or_else(|| self.cut()),
                Err(StreamFault::Odd(what)) => {
                    return Err(CallFault::Busy { after: None, reason: self.odd(&what) });
                }
                Err(StreamFault::Provider(status, body)) => {
                    return Err(of_status(self.settings, status, None, &body));
                }
            }
        }
        Ok(None)
    }

    async fn read_whole(
        &self,
        mut response: reqwest::Response,
        kept: &mut Vec<u8>,
        heard: &dyn Fn(usize),
    ) -> Result<Value, CallFault> {
        while let Some(piece) = self.piece(&mut response, self.settings.timeouts.first, kept).await? {
            heard(piece.len());
        }
        self.whole(kept)
    }

    fn whole(&self, kept: &[u8]) -> Result<Value, CallFault> {
        let reply: Value = json_from(kept).map_err(|fault| {
            let begins = quote(&self.settings.scrub(&String::from_utf8_lossy(kept)), 120);
            CallFault::Busy {
                after: None,
                reason: self.odd(&format!("the reply is not JSON ({fault}); it begins with `{begins}`")),
            }
        })?;
        // Some say that all is well, and what went wrong in the words.
        match reply.get("error").filter(|error| !error.is_null()) {
            None => Ok(reply),
            Some(error) => {
                let status = error["code"].as_u64().or_else(|| error["status"].as_u64());
                let status = status.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
                Err(of_status(self.settings, status.unwrap_or(500), None, &String::from_utf8_lossy(kept)))
            }
        }
    }

    /// The next bytes, which are kept as well.
    async fn piece(
        &self,
        response: &mut reqwest::Response,
        patience: Duration,
        kept: &mut Vec<u8>,
    ) -> Result<Option<Vec<u8>>, CallFault> {
        let piece = match tokio::time::timeout(patience, response.chunk()).await {
            Err(_) => return Err(self.silent(patience)),
            Ok(Err(fault)) => {
                let reason = format!("the reply of {} was cut: {}", self.settings.base_url, root_of(&fault));
                return Err(CallFault::Busy { after: None, reason: self.settings.scrub(&reason) });
            }
            Ok(Ok(None)) => return Ok(None),
            Ok(Ok(Some(piece))) => piece,
        };
        let most = self.settings.max_reply_bytes;
        if kept.len() + piece.len() > most {
            return Err(CallFault::Refused(format!(
                "the reply of {} is longer than {most} bytes, its limit",
                self.settings.base_url
            )));
        }
        kept.extend_from_slice(&piece);
        Ok(Some(piece.to_vec()))
    }

    fn cut(&self) -> CallFault {
        let reason = format!("the reply of {} was cut in the middle of its stream", self.settings.base_url);
        CallFault::Busy { after: None, reason }
    }

    fn silent(&self, patience: Duration) -> CallFault {
        let reason = format!("{} was silent for {} s", self.settings.base_url, patience.as_secs());
        CallFault::Busy { after: None, reason }
    }

    fn odd(&self, what: &str) -> String {
        format!("{} answers what cannot be read: {what}", self.settings.base_url)
    }
}

/// The body of an answer up to a limit.
async fn bounded(mut response: reqwest::Response, most: usize) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        body.extend_from_slice(&piece);
        if body.len() >= most {
            body.truncate(most);
            break;
        }
    }
    Ok(body)
}

/// How long the headers say to wait.
fn waiting_in(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.trim().parse::<u64>().ok()) {
        return Some(Duration::from_millis(milliseconds));
    }
    retry_after(text(RETRY_AFTER.as_str())?, SystemTime::now())
}

/// The first cause of a fault: what is above it names the address once more, and little else.
fn root_of(fault: &dyn std::error::Error) -> String {
    let mut root = fault;
    while let Some(source) = root.source() {
        root = source;
    }
    quote(&root.to_string(), 300)
}
