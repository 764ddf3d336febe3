//! The web for models, as a box of tools: `web_fetch`, `google_web_search` and `web_research` (MV-28, MV-29). Public
//! hosts only, unless a grant opens others (QL-33); every answer is bounded (BY-17). What comes from the web is material,
//! and is called so in each answer. Must not talk to models: whoever asked reads the pages himself.

mod address;
mod allowed;
mod arguments;
mod content;
mod fetch;
mod html;
mod pages;
mod passages;
mod prompt;
mod providers;
mod research;
mod search;
mod toolbox;

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) use allowed::Allowed as Reachable;
pub use allowed::{Allowed, UnclearGrant};
pub use fetch::{FetchFault, FetchLimits, Names, SystemNames};
pub(crate) use fetch::{Fetcher, parse as checked_url};
pub use prompt::urls_in;
pub use providers::{SearchProvider, UnclearProvider};
pub use research::{Report, Source, research};
pub use search::{Found, Hit, SearchFault};

use crate::background::Background;
use pages::Kept;

/// What a box for the web is given.
#[derive(Clone)]
pub struct WebSettings {
    /// What may be reached beyond public hosts at their usual ports.
    pub allowed: Allowed,
    /// Who searches; without one, searching is answered with what to set.
    pub search: Option<SearchProvider>,
    pub limits: FetchLimits,
    pub names: Arc<dyn Names>,
    /// The time as reports quote it.
    pub clock: Arc<dyn Fn() -> String + Send + Sync>,
    /// The most that one answer takes of a model's context.
    pub answer_tokens: usize,
}

impl WebSettings {
    /// Public hosts, the names of this system, nobody to search.
    pub fn new(clock: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self {
            allowed: Allowed::nothing(),
            search: None,
            limits: FetchLimits::default(),
            names: Arc::new(SystemNames),
            clock: Arc::new(clock),
            answer_tokens: 8_000,
        }
    }
}

/// For [`crate::fuzz`]: a page whose size is bounded whatever it says, and in which nothing live is left.
pub(crate) fn fuzz_page(page: &str) {
    let written = html::to_markdown(page, None);
    assert!(written.text.len() <= page.len() * 64 + 64, "{} bytes from {}", written.text.len(), page.len());
    assert_eq!(html::to_markdown(page, None), written, "the same page, the same text");
    let (first, count) = pages::page(&written.text, 1, 100);
    assert!(count >= 1 && first.len() <= 100);
    let _ = passages::best(&written.text, "what a page says", 3);
}

/// The box. Its thread starts with the first call and ends with it.
pub struct Web {
    settings: WebSettings,
    background: OnceLock<io::Result<Background>>,
    kept: Mutex<Kept>,
}

impl Web {
    pub fn new(settings: WebSettings) -> Self {
        Self { settings, background: OnceLock::new(), kept: Mutex::default() }
    }

    fn fetcher(&self) -> Fetcher {
        let WebSettings { names, allowed, limits, .. } = &self.settings;
        Fetcher { names: Arc::clone(names), allowed: allowed.clone(), limits: *limits }
    }

    fn background(&self) -> Result<&Background, String> {
        let started = self.background.get_or_init(|| Background::start("web"));
        started.as_ref().map_err(|error| format!("the thread for the web cannot be started: {error}"))
    }
}

impl fmt::Debug for WebSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowed, search, limits, answer_tokens, .. } = self;
        let mut shown = out.debug_struct("WebSettings");
        shown.field("allowed", allowed).field("search", search).field("limits", limits);
        shown.field("answer_tokens", answer_tokens).finish_non_exhaustive()
    }
}

impl fmt::Debug for Web {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Web").field("settings", &self.settings).finish_non_exhaustive()
    }
}
