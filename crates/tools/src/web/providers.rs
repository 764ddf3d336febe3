//! The search services: how each is asked, and how its reply is read. What is missing from a reply is empty; what is no
//! reply of the service at all is none. Pure.

use reqwest::Url;
use serde_json::{Value, json};

use super::fetch::{Ask, FetchFault, parse};
use super::search::{Found, Hit};
use crate::Secret;

/// Who searches, as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchProvider {
    /// A model that searches with Google and says where it found what.
    GeminiGrounding {
        base: String,
        model: String,
        key: Secret,
    },
    Brave {
        base: String,
        key: Secret,
    },
    Tavily {
        base: String,
        key: Secret,
    },
    /// A search engine of one's own; a key only where something in front of it asks for one.
    SearXng {
        base: String,
        key: Option<Secret>,
    },
}

/// A provider that cannot be made of what was set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnclearProvider {
    #[error("there is no search service {0:?}; valid: {kinds}", kinds = SearchProvider::KINDS.join(", "))]
    Kind(String),
    #[error("the search service {0} needs a key: set `key` to env:NAME, file:PATH or cmd:COMMAND")]
    NoKey(&'static str),
    #[error("the search service searxng needs an address: set `base_url`, as in http://localhost:8888")]
    NoBase,
    #[error("`base_url` of the search service is wrong: {0}")]
    Base(FetchFault),
}

const GEMINI: &str = "https://generativelanguage.googleapis.com";
const GEMINI_MODEL: &str = "gemini-2.5-flash";
const BRAVE: &str = "https://api.search.brave.com";
const TAVILY: &str = "https://api.tavily.com";

impl SearchProvider {
    /// What a configuration may name.
    pub const KINDS: [&'static str; 4] = ["gemini", "brave", "tavily", "searxng"];

    /// From plain settings; what is left out is what the service itself uses.
    pub fn new(
        kind: &str,
        base: Option<&str>,
        model: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Self, UnclearProvider> {
        if let Some(base) = base {
            parse(base).map_err(UnclearProvider::Base)?;
        }
        let needed =
            |service| key.clone().filter(|key| !key.reveal().trim().is_empty()).ok_or(UnclearProvider::NoKey(service));
        let base_or = |usual: &str| base.unwrap_or(usual).to_owned();
        match kind {
            "gemini" | "google" => {
                let model = model.unwrap_or(GEMINI_MODEL).to_owned();
                Ok(Self::GeminiGrounding { base: base_or(GEMINI), model, key: needed("gemini")? })
            }
            "brave" => Ok(Self::Brave { base: base_or(BRAVE), key: needed("brave")? }),
            "tavily" => Ok(Self::Tavily { base: base_or(TAVILY), key: needed("tavily")? }),
            "searxng" => Ok(Self::SearXng { base: base.ok_or(UnclearProvider::NoBase)?.into(), key }),
            other => Err(UnclearProvider::Kind(other.into())),
        }
    }

    pub(crate) fn service(&self) -> &'static str {
        match self {
            Self::GeminiGrounding { .. } => "gemini",
            Self::Brave { .. } => "brave",
            Self::Tavily { .. } => "tavily",
            Self::SearXng { .. } => "searxng",
        }
    }

    fn key(&self) -> Option<&Secret> {
        match self {
            Self::GeminiGrounding { key, .. } | Self::Brave { key, .. } | Self::Tavily { key, .. } => Some(key),
            Self::SearXng { key, .. } => key.as_ref(),
        }
    }

    pub(crate) fn hide_key_in(&self, text: &str) -> String {
        self.key().map_or_else(|| text.to_owned(), |key| key.hide_in(text))
    }

    pub(crate) fn ask(&self, query: &str, count: usize) -> Result<Ask, FetchFault> {
        match self {
            Self::GeminiGrounding { base, model, key } => {
                let model: String =
                    model.chars().filter(|letter| letter.is_ascii_alphanumeric() || "-._".contains(*letter)).collect();
                let body = json!({
                    "contents": [{"role": "user", "parts": [{"text": query}]}],
                    "tools": [{"google_search": {}}],
                });
                let url = below(base, &format!("v1beta/models/{model}:generateContent"))?;
                Ok(Ask { url, headers: vec![("x-goog-api-key", key.clone())], body: Some(body) })
            }
            Self::Brave { base, key } => {
                let mut url = below(base, "res/v1/web/search")?;
                url.query_pairs_mut().append_pair("q", query).append_pair("count", &count.to_string());
                Ok(Ask { url, headers: vec![("x-subscription-token", key.clone())], body: None })
            }
            Self::Tavily { base, key } => {
                let body = json!({"query": query, "max_results": count, "include_answer": true});
                Ok(Ask { url: below(base, "search")?, headers: vec![("authorization", bearer(key))], body: Some(body) })
            }
            Self::SearXng { base, key } => {
                let mut url = below(base, "search")?;
                url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
                let headers = key.iter().map(|key| ("authorization", bearer(key))).collect();
                Ok(Ask { url, headers, body: None })
            }
        }
    }

    pub(crate) fn read(&self, reply: &Value) -> Option<Found> {
        match self {
            Self::GeminiGrounding { .. } => read_gemini(reply),
            Self::Brave { .. } => {
                // A search without results has no `web` in it.
                reply.get("type").or(reply.get("web"))?;
                Some(Found { answer: None, hits: hits(&reply["web"]["results"], "description") })
            }
            Self::Tavily { .. } => {
                reply.get("results")?;
                Some(Found { answer: text(&reply["answer"]), hits: hits(&reply["results"], "content") })
            }
            Self::SearXng { .. } => {
                reply.get("results")?;
                let first = &reply["answers"][0];
                let answer = text(first).or_else(|| text(&first["answer"]));
                Some(Found { answer, hits: hits(&reply["results"], "content") })
            }
        }
    }
}

fn bearer(key: &Secret) -> Secret {
    Secret::new(format!("Bearer {}", key.reveal()))
}

/// A path below the base, whether that ends in a slash or not.
fn below(base: &str, path: &str) -> Result<Url, FetchFault> {
    parse(&format!("{}/{path}", base.trim_end_matches('/')))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn hits(results: &Value, snippet: &str) -> Vec<Hit> {
    let hit = |result: &Value| {
        let part = |name: &str| text(&result[name]).unwrap_or_default();
        Hit { title: part("title"), url: part("url"), snippet: part(snippet) }
    };
    results.as_array().map(|results| results.iter().map(hit).collect()).unwrap_or_default()
}

fn read_gemini(reply: &Value) -> Option<Found> {
    let candidate = reply.get("candidates")?.get(0)?;
    let parts = candidate["content"]["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    // Its thoughts are no answer.
    let said = parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
    let mut answer: String = said.collect();
    let grounding = &candidate["groundingMetadata"];
    let supports = grounding["groundingSupports"].as_array().map(Vec::as_slice).unwrap_or_default();
    let chunks = grounding["groundingChunks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let hits = chunks.iter().enumerate().map(|(index, chunk)| {
        let part = |name: &str| text(&chunk["web"][name]).unwrap_or_default();
        let of_this = |support: &&Value| cited(support).any(|cited| cited == index);
        let snippet = supports.iter().find(of_this).and_then(|support| text(&support["segment"]["text"]));
        Hit { title: part("title"), url: part("uri"), snippet: snippet.unwrap_or_default() }
    });
    let hits = hits.collect();
    let mut marks: Vec<(usize, String)> = supports.iter().filter_map(|support| mark(support, chunks.len())).collect();
    // From the end, so that the places before stay where they are.
    marks.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, mark) in marks {
        if answer.is_char_boundary(at) {
            answer.insert_str(at, &mark);
        }
    }
    Some(Found { answer: Some(answer), hits })
}

fn cited(support: &Value) -> impl Iterator<Item = usize> {
    let indices = support["groundingChunkIndices"].as_array().map(Vec::as_slice).unwrap_or_default();
    indices.iter().filter_map(Value::as_u64).filter_map(|index| usize::try_from(index).ok())
}

/// Where a statement of the answer ends, and the numbers of its sources.
fn mark(support: &Value, sources: usize) -> Option<(usize, String)> {
    let at = usize::try_from(support["segment"]["endIndex"].as_u64()?).ok()?;
    let numbers: String =
        cited(support).filter(|index| *index < sources).map(|index| format!("[{}]", index + 1)).collect();
    Some((at, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the service says, and titles, URLs and snippets.
    type Expected<'text> = (Option<&'text str>, &'text [[&'text str; 3]]);

    fn provider(kind: &str) -> SearchProvider {
        SearchProvider::new(kind, Some("http://host:1/base/"), None, Some(Secret::new("key-1"))).unwrap()
    }

    #[test]
    fn each_service_is_asked_its_own_way() {
        let check = |kind: &str, url: &str, header: &str| {
            let ask = provider(kind).ask("a b&c", 5).unwrap();
            assert_eq!(ask.url.as_str(), url);
            let headers: Vec<String> =
                ask.headers.iter().map(|(name, key)| format!("{name}: {}", key.reveal())).collect();
            assert_eq!(headers, [header]);
            assert!(!format!("{ask:?} {:?}", provider(kind)).contains("key-1"), "QL-35: the key is printed");
        };
        let gemini = "http://host:1/base/v1beta/models/gemini-2.5-flash:generateContent";
        check("gemini", gemini, "x-goog-api-key: key-1");
        check("brave", "http://host:1/base/res/v1/web/search?q=a+b%26c&count=5", "x-subscription-token: key-1");
        check("tavily", "http://host:1/base/search", "authorization: Bearer key-1");
        check("searxng", "http://host:1/base/search?q=a+b%26c&format=json", "authorization: Bearer key-1");
    }

    #[test]
    fn settings_that_make_no_provider_are_named() {
        let check = |kind: &str, base: Option<&str>, key: Option<&str>, part: &str| {
            let error = SearchProvider::new(kind, base, None, key.map(Secret::new)).unwrap_err().to_string();
            assert!(error.contains(part), "{kind}: {error}");
        };
        check("bing", None, None, "valid: gemini, brave, tavily, searxng");
        check("brave", None, None, "brave needs a key");
        check("tavily", None, Some(" "), "tavily needs a key");
        check("searxng", None, None, "set `base_url`");
        check("searxng", Some("localhost:80"), None, "valid: http, https");
        check("searxng", Some("http://me:pw@host/"), None, "leave them out");
        assert!(SearchProvider::new("gemini", None, None, Some(Secret::new("k"))).is_ok());
    }

    #[test]
    fn replies_are_read_in_one_form() {
        let check = |kind: &str, reply: Value, expected: Option<Expected<'_>>| {
            let found = provider(kind).read(&reply);
            let expected = expected.map(|(answer, hits)| Found {
                answer: answer.map(str::to_owned),
                hits: hits
                    .iter()
                    .map(|[title, url, snippet]| Hit {
                        title: (*title).into(),
                        url: (*url).into(),
                        snippet: (*snippet).into(),
                    })
                    .collect(),
            });
            assert_eq!(found, expected, "{kind}: {reply}");
        };
        let result = |name: &str| json!([{"title": "T", "url": "http://u", name: "s"}, {"url": 5}]);
        check(
            "brave",
            json!({"web": {"results": result("description")}}),
            Some((None, &[["T", "http://u", "s"], ["", "", ""]])),
        );
        check("brave", json!({"type": "search"}), Some((None, &[])));
        check("brave", json!({"error": "no"}), None);
        check(
            "tavily",
            json!({"answer": "A", "results": result("content")}),
            Some((Some("A"), &[["T", "http://u", "s"], ["", "", ""]])),
        );
        check("searxng", json!({"answers": [{"answer": "B"}], "results": []}), Some((Some("B"), &[])));
        check("searxng", json!([1, 2]), None);
        let gemini = json!({"candidates": [{
        "content": {"parts": [{"text": "thinking", "thought": true}, {"text": "Crème is "}, {"text": "fine. So."}]},
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "http://u", "title": "T"}}, {"web": {}}],
            "groundingSupports": [
                {"segment": {"endIndex": 15, "text": "Crème is fine."}, "groundingChunkIndices": [0, 7]},
                {"segment": {"endIndex": 3}, "groundingChunkIndices": [1]},
                {"segment": {"endIndex": 4000}, "groundingChunkIndices": [0]},
                {"segment": {}}],
        }}]});
        let answer = "Crème is fine.[1] So.";
        check("gemini", gemini, Some((Some(answer), &[["T", "http://u", "Crème is fine."], ["", "", ""]])));
        check("gemini", json!({"candidates": []}), None);
        check("gemini", json!({"candidates": [{}]}), Some((Some(""), &[])));
    }
}
