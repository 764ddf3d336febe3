//! Owns one search: asking the configured service, and what it found in one form whatever the service. The services' own
//! forms are in `providers`.

use serde_json::Value;

use super::fetch::{FetchFault, Fetched};
use super::html;
use super::{Reachable, Web};
use crate::Stop;
use crate::background::NotDone;

pub(crate) const USUAL_HITS: usize = 10;
pub(crate) const MOST_HITS: usize = 20;

const LONGEST_TITLE: usize = 200;
const LONGEST_SNIPPET: usize = 600;
const LONGEST_ANSWER: usize = 8_000;
const LONGEST_URL: usize = 2_048;
const SHOWN_OF_AN_ERROR: usize = 300;

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What the service itself says to the question, with `[1]` where it names its first hit; many say nothing.
    pub answer: Option<String>,
    /// The best first.
    pub hits: Vec<Hit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

/// Why a search found nothing out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchFault {
    #[error(
        "no search service is configured: set `search` under [web] in multiverse.toml to one of {}, and `key` to \
         its key (env:NAME, file:PATH or cmd:COMMAND) or, for searxng, `base_url` to its address",
        super::SearchProvider::KINDS.join(", ")
    )]
    NotConfigured,
    #[error("the search service {service} cannot be asked: {why}")]
    NotReached { service: &'static str, why: FetchFault },
    #[error(
        "the search service {service} refuses its key (status {status}): look at `key` under [web] in multiverse.toml"
    )]
    KeyRefused { service: &'static str, status: u16 },
    #[error("the search service {service} answers with status {status}: {said}")]
    Answered { service: &'static str, status: u16, said: String },
    #[error("the search service {service} answers with something that is no result: {said}")]
    NotUnderstood { service: &'static str, said: String },
    #[error("{0}")]
    NotDone(String),
}

impl Web {
    /// Searches with the configured service.
    pub fn search(&self, query: &str, count: usize, stop: &Stop) -> Result<Found, SearchFault> {
        let provider = self.settings.search.clone().ok_or(SearchFault::NotConfigured)?;
        let service = provider.service();
        let not_reached = |why| SearchFault::NotReached { service, why };
        let ask = provider.ask(query, count.clamp(1, MOST_HITS)).map_err(not_reached)?;
        let mut fetcher = self.fetcher();
        // What a person configured is a grant for that host, and for no other.
        fetcher.allowed = Reachable::only(
            ask.url.host_str().unwrap_or_default(),
            ask.url.port_or_known_default().unwrap_or_default(),
        );
        let background = self.background().map_err(SearchFault::NotDone)?;
        let work = async move { fetcher.ask(ask).await };
        let fetched = background.carry(stop, self.settings.limits.time, work);
        let fetched = fetched.map_err(|not_done: NotDone| SearchFault::NotDone(not_done.to_string()))?;
        let fetched = fetched.map_err(not_reached)?;
        let said = |most| {
            let text = String::from_utf8_lossy(&fetched.bytes);
            shortened(&provider.hide_key_in(&text), most)
        };
        match fetched.status {
            200..300 => {}
            status @ (401 | 403) => return Err(SearchFault::KeyRefused { service, status }),
            status => return Err(SearchFault::Answered { service, status, said: said(SHOWN_OF_AN_ERROR) }),
        }
        let found = parsed(&fetched).and_then(|value| provider.read(&value));
        let found = found.ok_or_else(|| SearchFault::NotUnderstood { service, said: said(SHOWN_OF_AN_ERROR) })?;
        Ok(found.tidied(count))
    }
}

fn parsed(fetched: &Fetched) -> Option<Value> {
    serde_json::from_slice(&fetched.bytes).ok()
}

impl Found {
    /// Bounded, in one line each, and only what can be fetched.
    fn tidied(mut self, count: usize) -> Self {
        for hit in &mut self.hits {
            hit.title = shortened(&html::to_markdown(&hit.title, None).text, LONGEST_TITLE);
            hit.snippet = shortened(&html::to_markdown(&hit.snippet, None).text, LONGEST_SNIPPET);
            if hit.title.is_empty() {
                hit.title.clone_from(&hit.url);
            }
        }
        let is_web = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        self.hits.retain(|hit| is_web(&hit.url) && hit.url.len() <= LONGEST_URL);
        self.hits.truncate(count);
        let is_wanted = |character: &char| !character.is_control() || *character == '\n';
        let answer =
            self.answer.map(|answer| answer.chars().filter(is_wanted).take(LONGEST_ANSWER).collect::<String>());
        self.answer = answer.filter(|answer| !answer.trim().is_empty());
        self
    }

    /// For a model: the summary, if there is one, and the sources.
    pub(crate) fn to_markdown(&self, query: &str) -> String {
        let mut text = format!("Results for {query:?}:\n");
        if let Some(answer) = &self.answer {
            text.push_str(&format!("\n{}\n", answer.trim()));
        }
        if self.hits.is_empty() {
            text.push_str("\nNothing was found.\n");
        } else {
            text.push_str("\nSources:\n");
        }
        for (index, hit) in self.hits.iter().enumerate() {
            text.push_str(&format!("[{}] {} ({})\n", index + 1, hit.title, hit.url));
            if !hit.snippet.is_empty() {
                text.push_str(&format!("    {}\n", hit.snippet));
            }
        }
        text
    }
}

/// In one line, without anything that a terminal would obey.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = line.chars().filter(|character| !character.is_control());
    let mut short: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
