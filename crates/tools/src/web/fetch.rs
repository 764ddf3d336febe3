//! Owns going out for one URL: what may be asked for, where its name leads, and the connection to exactly the address
//! that was checked (QL-33). A name is looked up once for each hop and never again by the connection, so nobody can change
//! his answer between the check and the use. Proxies of the environment are not used: they would do the looking up.
//! Must not know what the bytes mean, nor who asked.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, Url, dns, redirect};
use serde_json::Value;

use super::address;
use super::allowed::Allowed;
use crate::{Secret, Went};

/// Who knows the addresses of a name. There is one for the system, and those of the tests.
pub trait Names: Send + Sync + 'static {
    /// May wait as long as it likes; whoever asks does not.
    fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The names as this system knows them: its DNS servers and its file of hosts.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl Names for SystemNames {
    fn look_up(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok((host, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}

/// How much of the web is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Of a body, after it is decompressed; the rest is left out, and said so.
    pub bytes: usize,
    /// Of all headers of a reply.
    pub header_bytes: usize,
    /// How often a reply may send us elsewhere.
    pub redirects: usize,
    /// For one URL, with all that it leads to.
    pub time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { bytes: 5 << 20, header_bytes: 64 << 10, redirects: 5, time: Duration::from_secs(30) }
    }
}

/// Why a URL brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFault {
    #[error("{url:?} is no URL: {why}; write it whole, like https://host/path")]
    NotAUrl { url: String, why: String },
    #[error("{url} is not fetched, since {scheme} is not fetched here; valid: http, https")]
    Scheme { url: String, scheme: String },
    #[error("{url} is not fetched, since it carries a name or a password before its host: leave them out")]
    Credentials { url: String },
    #[error("{url} is not fetched: port {port} is open only with a grant for {host}:{port}; without one: 80, 443")]
    Port { url: String, host: String, port: u16 },
    #[error("{url} is not fetched: {host} is {address}, which is {what}; a grant for {host} would open it")]
    Closed { url: String, host: String, address: IpAddr, what: &'static str },
    #[error("{url} cannot be fetched: {host} has no address ({why}); look at the spelling, or at the network")]
    NoAddress { url: String, host: String, why: String },
    #[error("{url} cannot be fetched: it was sent on more than {most} times, the last time to {last}")]
    Redirects { url: String, most: usize, last: String },
    #[error("{url} cannot be fetched: it answers {status} and does not say where to go")]
    Nowhere { url: String, status: u16 },
    #[error("{url} cannot be fetched: its reply has more than {most} bytes of headers")]
    Headers { url: String, most: usize },
    #[error("{url} cannot be fetched: {why}")]
    Connection { url: String, why: String },
}

impl FetchFault {
    /// Whether it was refused or tried.
    pub fn went(&self) -> Went {
        match self {
            Self::Scheme { .. } | Self::Credentials { .. } | Self::Port { .. } | Self::Closed { .. } => Went::Denied,
            _ => Went::Wrong,
        }
    }
}

/// What a URL brought.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// Where it was found in the end.
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more than is kept.
    pub(crate) cut: bool,
}

/// One question to a service whose address a person configured.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(&'static str, Secret)>,
    /// Sent as JSON, by POST; without it, it is a GET.
    pub(crate) body: Option<Value>,
}

#[derive(Clone)]
pub(crate) struct Fetcher {
    pub(crate) names: Arc<dyn Names>,
    pub(crate) allowed: Allowed,
    pub(crate) limits: FetchLimits,
}

const LONGEST_URL: usize = 8 << 10;
const USUAL_PORTS: [u16; 2] = [80, 443];
const CONNECT_BOUND: Duration = Duration::from_secs(10);
const MOST_HEADERS: usize = 100;
const SHOWN_URL: usize = 300;
const WANTED: &str = "text/html, text/markdown;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1";
const CALLED: &str = concat!("multiverse/", env!("CARGO_PKG_VERSION"));

impl Fetcher {
    /// Fetches what is at a URL, going where it is sent. Each place is checked like the first.
    pub(crate) async fn fetch(&self, url: &str) -> Result<Fetched, FetchFault> {
        let mut at = parse(url)?;
        for _ in 0..=self.limits.redirects {
            let client = self.client_for(&at).await?;
            let request = client.get(at.clone()).header(ACCEPT, WANTED);
            let response = self.sent(&at, request).await?;
            let status = response.status().as_u16();
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return self.taken(response, at).await;
            }
            let place = response.headers().get(LOCATION).and_then(|place| std::str::from_utf8(place.as_bytes()).ok());
            let place = place.ok_or_else(|| FetchFault::Nowhere { url: shown(&at), status })?;
            let next = at.join(place).map_err(|error| not_a_url(place, &error.to_string()))?;
            at = checked_form(next)?;
        }
        let (most, last) = (self.limits.redirects, shown(&at));
        Err(FetchFault::Redirects { url: shown_text(url), most, last })
    }

    /// Asks a service. It is not followed elsewhere: what goes along may be a key.
    pub(crate) async fn ask(&self, ask: Ask) -> Result<Fetched, FetchFault> {
        let url = checked_form(ask.url)?;
        let client = self.client_for(&url).await?;
        let method = if ask.body.is_some() { Method::POST } else { Method::GET };
        let mut request = client.request(method, url.clone()).header(ACCEPT, "application/json");
        for (name, secret) in &ask.headers {
            let value = HeaderValue::from_str(secret.reveal());
            let mut value =
                value.map_err(|_| failed(&url, "its key has characters that no header can carry".into()))?;
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(name), value);
        }
        if let Some(body) = &ask.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let response = self.sent(&url, request).await?;
        self.taken(response, url).await
    }

    /// A client that can reach one host at the addresses that were checked, and nothing else.
    pub(crate) async fn client_for(&self, url: &Url) -> Result<Client, FetchFault> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let addresses = self.checked(url, &host).await?;
        let builder = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .referer(false)
            .user_agent(CALLED)
            .dns_resolver(NoOtherName)
            .resolve_to_addrs(&host, &addresses)
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT_BOUND)
            .http1_max_headers(MOST_HEADERS)
            .http2_max_header_list_size(u32::try_from(self.limits.header_bytes).unwrap_or(u32::MAX));
        builder.build().map_err(|error| failed(url, reasons(&error)))
    }

    /// The addresses of a host, each of them open.
    async fn checked(&self, url: &Url, host: &str) -> Result<Vec<SocketAddr>, FetchFault> {
        let port = url.port_or_known_default().unwrap_or_default();
        let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let addresses = match literal {
            Some(address) => vec![address],
            None => self.look_up(url, host).await?,
        };
        let by_name = self.allowed.opens_name(host, port);
        for address in &addresses {
            if by_name || self.allowed.opens_address(*address, port) {
                continue;
            }
            let (url, host) = (shown(url), host.to_owned());
            if let Some(what) = address::closed(*address) {
                return Err(FetchFault::Closed { url, host, address: *address, what });
            }
            if !USUAL_PORTS.contains(&port) {
                return Err(FetchFault::Port { url, host, port });
            }
        }
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    async fn look_up(&self, url: &Url, host: &str) -> Result<Vec<IpAddr>, FetchFault> {
        let no_address = |why: String| FetchFault::NoAddress { url: shown(url), host: host.into(), why };
        let (names, name) = (Arc::clone(&self.names), host.to_owned());
        let found = tokio::task::spawn_blocking(move || names.look_up(&name)).await;
        let found = found.map_err(|error| no_address(error.to_string()))?;
        match found.map_err(|error| no_address(error.to_string()))? {
            none if none.is_empty() => Err(no_address("it is known and has none".into())),
            addresses => Ok(addresses),
        }
    }

    async fn sent(&self, url: &Url, request: reqwest::RequestBuilder) -> Result<Response, FetchFault> {
        let response = request.send().await.map_err(|error| failed(url, reasons(&error)))?;
        let most = self.limits.header_bytes;
        let size = |headers: &HeaderMap| {
            headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>()
        };
        if size(response.headers()) > most { Err(FetchFault::Headers { url: shown(url), most }) } else { Ok(response) }
    }

    async fn taken(&self, mut response: Response, url: Url) -> Result<Fetched, FetchFault> {
        let status = response.status().as_u16();
        let content_type =
            response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let (mut bytes, mut cut) = (Vec::new(), false);
        while !cut && let Some(chunk) = response.chunk().await.map_err(|error| failed(&url, reasons(&error)))? {
            let room = self.limits.bytes - bytes.len();
            cut = chunk.len() > room;
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        Ok(Fetched { url, status, content_type: content_type.unwrap_or_default(), bytes, cut })
    }
}

/// A URL in a form that may be asked for; where it leads is not looked at.
pub(crate) fn parse(url: &str) -> Result<Url, FetchFault> {
    if url.len() > LONGEST_URL {
        return Err(not_a_url(url, "it is too long"));
    }
    checked_form(Url::parse(url).map_err(|error| not_a_url(url, &error.to_string()))?)
}

fn checked_form(mut url: Url) -> Result<Url, FetchFault> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchFault::Scheme { url: shown(&url), scheme: shown_text(url.scheme()) });
    }
    if !url.username().is_empty() || url.password().is_some() {
        // What is before the host may be a secret, so it is not repeated.
        let place = format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default());
        return Err(FetchFault::Credentials { url: place });
    }
    if url.host_str().unwrap_or_default().is_empty() {
        return Err(not_a_url(url.as_str(), "it has no host"));
    }
    if url.as_str().len() > LONGEST_URL {
        return Err(not_a_url(url.as_str(), "it is too long"));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Everything that led to an error, without the URL: that is said once, in front.
fn reasons(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = next {
        parts.push(error.to_string());
        next = error.source();
    }
    match parts.last() {
        // The innermost says it best; the others say that something was tried.
        Some(last) => last.clone(),
        None => "the connection failed".into(),
    }
}

fn failed(url: &Url, why: String) -> FetchFault {
    FetchFault::Connection { url: shown(url), why }
}

fn not_a_url(url: &str, why: &str) -> FetchFault {
    FetchFault::NotAUrl { url: shown_text(url), why: why.into() }
}

fn shown(url: &Url) -> String {
    shown_text(url.as_str())
}

fn shown_text(url: &str) -> String {
    if url.chars().count() <= SHOWN_URL { url.into() } else { url.chars().take(SHOWN_URL).chain(['…']).collect() }
}

/// All names but the one that was checked.
struct NoOtherName;

impl dns::Resolve for NoOtherName {
    fn resolve(&self, name: dns::Name) -> dns::Resolving {
        let why = format!("{} was not checked", name.as_str());
        Box::pin(std::future::ready(Err(why.into())))
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Fetcher")
            .field("allowed", &self.allowed)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
