//! Owns what can go wrong with a call, and what each kind of it means: try again, ask in another way, or give up. Must
//! not know how calls are made.

use std::time::Duration;

use serde_json::Value;

use super::settings::ModelSettings;
use crate::words::quote;

/// Why a call brought no turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallFault {
    /// Somebody asked for it.
    Stopped,
    /// The attempt's own time is over.
    OutOfTime,
    /// It may go well later.
    Busy {
        /// As the provider says, if it does.
        after: Option<Duration>,
        reason: String,
    },
    /// What is asked is too long for the model.
    TooLong(String),
    /// The form of the answer cannot be asked for in this way.
    NoSchema(String),
    /// Tools cannot be offered.
    NoTools(String),
    /// It will never go well.
    Refused(String),
}

/// The most of a provider's words that is shown, in characters.
const WORDS: usize = 400;

/// What a status and the words with it mean.
pub(super) fn of_status(settings: &ModelSettings, status: u16, after: Option<Duration>, body: &str) -> CallFault {
    let words = said(settings, body);
    let at = &settings.base_url;
    let told = if words.is_empty() { String::new() } else { format!(": {words}") };
    let lower = words.to_lowercase();
    let reason = format!("{at} answers HTTP {status}{told}");
    match status {
        401 | 403 => {
            let (service, base_url) = (settings.service, settings.base_url.as_str());
            let is_usual = service.needs_key() && service.base_url() == Some(base_url);
            let key = match settings.key {
                Some(_) => "the key was not accepted".into(),
                None if is_usual => format!("there is no key: set {}", service.key_variable()),
                None => "no key was sent: [models.NAME] key = \"env:NAME\" in multiverse.toml says which".into(),
            };
            CallFault::Refused(format!("{key}; {reason}"))
        }
        402 => CallFault::Refused(format!("the account has no credit; {reason}")),
        404 => CallFault::Refused(format!("look at the model's name `{}` and the address; {reason}", settings.name)),
        429 if lower.contains("insufficient_quota")
            || lower.contains("exceeded your current quota") && after.is_none() =>
        {
            CallFault::Refused(format!("the account has no credit; {reason}"))
        }
        408 | 409 | 425 | 429 => CallFault::Busy { after: after.or_else(|| delay_in(body)), reason },
        400 | 413 | 422 if is_too_long(&lower) || status == 413 => CallFault::TooLong(reason),
        400 | 422 | 500 | 501 if names_schema(&lower) => CallFault::NoSchema(reason),
        400 | 422 | 501 if lower.contains("tool") || lower.contains("function call") => CallFault::NoTools(reason),
        500.. => CallFault::Busy { after: after.or_else(|| delay_in(body)), reason },
        _ => CallFault::Refused(reason),
    }
}

/// A redirect: whoever set the address must say so himself.
pub(super) fn of_redirect(settings: &ModelSettings, to: &str) -> CallFault {
    let to = quote(&settings.scrub(to), 200);
    CallFault::Refused(format!(
        "{} redirects to {to}, which is not followed; if that is the right place, set it as the base URL",
        settings.base_url
    ))
}

/// The provider's words in the body of an error, as they may be shown.
fn said(settings: &ModelSettings, body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    // Gemini's older addresses answer with a list of one.
    let value = value.get(0).cloned().unwrap_or(value);
    let places = ["/error/message", "/message", "/detail", "/error"];
    let words = places.iter().find_map(|place| value.pointer(place)?.as_str().map(String::from));
    let code = ["/error/code", "/error/type"].iter().find_map(|place| value.pointer(place)?.as_str().map(String::from));
    let words = match (words, code) {
        (Some(words), Some(code)) => format!("{words} ({code})"),
        (Some(words), None) => words,
        (None, _) => body.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    quote(&settings.scrub(words.trim()), WORDS)
}

fn is_too_long(words: &str) -> bool {
    let about = ["context", "prompt", "input", "token"].iter().any(|word| words.contains(word));
    let long = ["too long", "exceed", "maximum context", "context_length", "too large", "too many tokens"];
    about && long.iter().any(|word| words.contains(word))
}

fn names_schema(words: &str) -> bool {
    let names = [
        "response_format",
        "json_schema",
        "output_config",
        "output_format",
        "responsejsonschema",
        "response_json_schema",
        "response mime type",
        "text.format",
        "schema",
        "grammar",
    ];
    names.iter().any(|name| words.contains(name))
}

/// Gemini says in its details how long to wait: `"retryDelay": "34s"`.
fn delay_in(body: &str) -> Option<Duration> {
    let value: Value = serde_json::from_str(body).ok()?;
    let details = value.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::super::name::ModelName;
    use tools::Secret;

    use super::*;

    fn check(status: u16, body: &str, expected: &CallFault) {
        let mut settings = ModelSettings::of(&ModelName::parse("openai/m@http://h/v1").unwrap());
        settings.key = Secret::of_text("sk-sesame");
        assert_eq!(&of_status(&settings, status, None, body), expected, "{status} {body}");
    }

    /// QL-35, BY-09: each answer has its meaning, and the key is in none of them.
    #[test]
    fn statuses_have_their_meaning() {
        check(
            401,
            r#"{"error": {"message": "Incorrect API key provided: sk-sesame.", "code": "invalid_api_key"}}"#,
            &CallFault::Refused(
                "the key was not accepted; http://h/v1 answers HTTP 401: Incorrect API key provided: [hidden]. (invalid_api_key)"
                    .into(),
            ),
        );
        for (name, expected) in [
            ("openai/m", "there is no key: set OPENAI_API_KEY; https://api.openai.com/v1 answers HTTP 401: no"),
            (
                "compatible/m@http://h/v1",
                "no key was sent: [models.NAME] key = \"env:NAME\" in multiverse.toml says which; http://h/v1 answers HTTP 401: no",
            ),
        ] {
            let settings = ModelSettings::of(&ModelName::parse(name).unwrap());
            assert_eq!(of_status(&settings, 401, None, "no"), CallFault::Refused(expected.into()));
        }
        let busy = |seconds: Option<u64>, reason: &str| CallFault::Busy {
            after: seconds.map(Duration::from_secs),
            reason: reason.into(),
        };
        check(503, "<h1>no</h1>", &busy(None, "http://h/v1 answers HTTP 503: <h1>no</h1>"));
        check(
            429,
            r#"{"error": {"message": "slow down", "details": [{"retryDelay": "34s"}]}}"#,
            &busy(Some(34), "http://h/v1 answers HTTP 429: slow down"),
        );
        check(
            429,
            r#"{"error": {"message": "no credit", "code": "insufficient_quota"}}"#,
            &CallFault::Refused(
                "the account has no credit; http://h/v1 answers HTTP 429: no credit (insufficient_quota)".into(),
            ),
        );
        check(
            400,
            r#"{"error":{"code":400,"message":"request (20030 tokens) exceeds the available context size (16384 tokens), try increasing it","type":"exceed_context_size_error"}}"#,
            &CallFault::TooLong("http://h/v1 answers HTTP 400: request (20030 tokens) exceeds the available context size (16384 tokens), try increasing it (exceed_context_size_error)".into()),
        );
        check(
            400,
            r#"{"error": "response_format is not known"}"#,
            &CallFault::NoSchema("http://h/v1 answers HTTP 400: response_format is not known".into()),
        );
        check(
            400,
            r#"{"error": "m does not support tools"}"#,
            &CallFault::NoTools("http://h/v1 answers HTTP 400: m does not support tools".into()),
        );
        check(
            404,
            "",
            &CallFault::Refused("look at the model's name `m` and the address; http://h/v1 answers HTTP 404".into()),
        );
    }
}
