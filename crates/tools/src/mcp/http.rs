//! Streamable HTTP over a client that reaches one host and nothing else. Owns the bounds of what it says; it is not
//! followed elsewhere, since what goes along may be a key. The protocol itself is the makers'.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
const BOTH: &str = "text/event-stream, application/json";

/// Of a reply that is an error.
const SHOWN_OF_AN_ERROR: usize = 300;

#[derive(Debug, Clone)]
pub(crate) struct Bounded {
    pub(crate) client: Client,
    /// The most that one reply may hold.
    pub(crate) most: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("{}", .0.to_string().split(" for url").next().unwrap_or_default())]
    Connection(#[from] reqwest::Error),
    #[error("it says more than {0} bytes at once")]
    TooMuch(usize),
}

type Outcome<T> = Result<T, StreamableHttpError<Trouble>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl Bounded {
    async fn body(&self, mut response: Response) -> Outcome<Vec<u8>> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(trouble)? {
            if body.len() + chunk.len() > self.most {
                return Err(StreamableHttpError::Client(Trouble::TooMuch(self.most)));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn events(&self, response: Response) -> Events {
        let (most, mut total) = (self.most, 0);
        let bytes = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(Trouble::from)?;
            total += chunk.len();
            if total > most { Err(Trouble::TooMuch(most)) } else { Ok(chunk) }
        });
        SseStream::from_bytes_stream(bytes).boxed()
    }
}

fn trouble(error: reqwest::Error) -> StreamableHttpError<Trouble> {
    StreamableHttpError::Client(error.into())
}

fn unexpected<T>(what: String) -> Outcome<T> {
    Err(StreamableHttpError::UnexpectedServerResponse(what.into()))
}

async fn sent(
    request: RequestBuilder,
    session: Option<&str>,
    token: Option<String>,
    headers: Headers,
) -> Outcome<Response> {
    let mut request = headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let response = request.send().await.map_err(trouble)?;
    if response.status() == StatusCode::UNAUTHORIZED {
        let asked = response.headers().get(WWW_AUTHENTICATE).and_then(|asked| asked.to_str().ok()).unwrap_or_default();
        return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(asked.to_owned())));
    }
    Ok(response)
}

fn is_of(response: &Response, kind: &str) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|found| found.as_bytes().starts_with(kind.as_bytes()))
}

impl StreamableHttpClient for Bounded {
    type Error = Trouble;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Outcome<StreamableHttpPostResponse> {
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = serde_json::to_vec(&message)?;
        let request = self.client.post(uri.as_ref()).header(ACCEPT, BOTH).header(CONTENT_TYPE, JSON).body(body);
        let response = sent(request, session_id.as_deref(), auth_header, custom_headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = response.headers().get(SESSION).and_then(|session| session.to_str().ok()).map(str::to_owned);
        if status.is_success() && is_of(&response, EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let is_json = is_of(&response, JSON);
        let body = self.body(response).await?;
        let message = is_json.then(|| serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok()).flatten();
        match message {
            Some(message) if status.is_success() || matches!(message, JsonRpcMessage::Error(_)) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            // What is no answer is enough for what asks for none.
            _ if status.is_success() && !is_request => Ok(StreamableHttpPostResponse::Accepted),
            _ if status.is_redirection() => {
                unexpected(format!("status {status}: it sends us to another address; configure that one"))
            }
            _ => {
                let said: String = String::from_utf8_lossy(&body).chars().take(SHOWN_OF_AN_ERROR).collect();
                unexpected(format!("status {status}: {said}"))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Outcome<()> {
        // A server that keeps its sessions to itself says so, and need not be listened to.
        sent(self.client.delete(uri.as_ref()), Some(&session_id), auth_header, custom_headers).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Outcome<Events> {
        let mut request = self.client.get(uri.as_ref()).header(ACCEPT, BOTH);
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let response = sent(request, session_id.as_deref(), auth_header, custom_headers).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => unexpected(format!("status {status}")),
            _ if is_of(&response, EVENTS) => Ok(self.events(response)),
            _ => Err(StreamableHttpError::UnexpectedContentType(None)),
        }
    }
}
