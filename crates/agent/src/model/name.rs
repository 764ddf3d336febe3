//! Owns what stands after `model:`: `PROVIDER/NAME[@BASE_URL]`, and what is known of each provider: its wire, its usual
//! address, the variable its key is kept in. Must not know keys, nor talk to anybody.

use crate::words::quote;

/// A model as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    /// Who serves it.
    pub service: Service,
    /// Its name there.
    pub name: String,
    /// Where, if not at the usual place.
    pub base_url: Option<String>,
}

/// Who serves a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    OpenAi,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Ollama,
    LlamaCpp,
    Vllm,
    LmStudio,
    /// Anything that speaks OpenAI's chat wire.
    Compatible,
}

/// The wire that is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
}

struct About {
    service: Service,
    word: &'static str,
    provider: Provider,
    base_url: Option<&'static str>,
    key_variable: &'static str,
}

const fn about(
    service: Service,
    word: &'static str,
    provider: Provider,
    base_url: Option<&'static str>,
    key_variable: &'static str,
) -> About {
    About { service, word, provider, base_url, key_variable }
}

const OPENAI: Option<&str> = Some("https://api.openai.com/v1");
const KEY: &str = "OPENAI_API_KEY";

const SERVICES: [About; 9] = [
    about(Service::OpenAi, "openai", Provider::OpenAiChat, OPENAI, KEY),
    about(Service::OpenAiResponses, "openai-responses", Provider::OpenAiResponses, OPENAI, KEY),
    about(
        Service::Anthropic,
        "anthropic",
        Provider::Anthropic,
        Some("https://api.anthropic.com/v1"),
        "ANTHROPIC_API_KEY",
    ),
    about(
        Service::Gemini,
        "gemini",
        Provider::Gemini,
        Some("https://generativelanguage.googleapis.com/v1beta"),
        "GEMINI_API_KEY",
    ),
    about(Service::Ollama, "ollama", Provider::OpenAiChat, Some("http://127.0.0.1:11434/v1"), KEY),
    about(Service::LlamaCpp, "llamacpp", Provider::OpenAiChat, Some("http://127.0.0.1:8080/v1"), KEY),
    about(Service::Vllm, "vllm", Provider::OpenAiChat, Some("http://127.0.0.1:8000/v1"), KEY),
    about(Service::LmStudio, "lmstudio", Provider::OpenAiChat, Some("http://127.0.0.1:1234/v1"), KEY),
    about(Service::Compatible, "compatible", Provider::OpenAiChat, None, KEY),
];

impl Service {
    /// As it stands after `model:`.
    pub fn word(self) -> &'static str {
        self.about().word
    }

    /// The wire it speaks.
    pub fn provider(self) -> Provider {
        self.about().provider
    }

    /// Where it usually is; nothing if that must be said.
    pub fn base_url(self) -> Option<&'static str> {
        self.about().base_url
    }

    /// The variable in which people keep its key.
    pub fn key_variable(self) -> &'static str {
        self.about().key_variable
    }

    /// The model that is taken where its key is there and nobody named one: not the dearest.
    pub fn usual_model(self) -> Option<ModelName> {
        let name = match self {
            Self::Anthropic => "claude-haiku-4-5",
            Self::OpenAi => "gpt-5-mini",
            Self::Gemini => "gemini-2.5-flash",
            _ => return None,
        };
        Some(ModelName { service: self, name: name.into(), base_url: None })
    }

    /// Whether it cannot be used without a key at its usual place.
    pub fn needs_key(self) -> bool {
        matches!(self, Self::OpenAi | Self::OpenAiResponses | Self::Anthropic | Self::Gemini)
    }

    /// Whether it runs on the user's own machines, where tokens have no price.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Ollama | Self::LlamaCpp | Self::Vllm | Self::LmStudio)
    }

    fn about(self) -> &'static About {
        // Every service has its row: the first is there so that nothing can go wrong.
        SERVICES.iter().find(|about| about.service == self).unwrap_or(&SERVICES[0])
    }
}

impl ModelName {
    /// Reads `PROVIDER/NAME[@BASE_URL]`; what is wrong is said with the valid options.
    pub fn parse(text: &str) -> Result<Self, String> {
        let valid = || SERVICES.iter().map(|about| about.word).collect::<Vec<_>>().join(", ");
        let Some((word, rest)) = text.split_once('/') else {
            return Err(format!(
                "model needs a provider and a name: model:PROVIDER/NAME[@BASE_URL]; valid providers: {}",
                valid()
            ));
        };
        let Some(about) = SERVICES.iter().find(|about| about.word == word.trim()) else {
            return Err(format!("there is no provider `{}`; valid: {}", quote(word, 40), valid()));
        };
        let at = ["@http://", "@https://"].iter().filter_map(|mark| rest.rfind(mark)).max();
        let (name, base_url) = match at {
            Some(at) => (&rest[..at], Some(checked_url(&rest[at + 1..])?)),
            None => (rest, None),
        };
        let name = name.trim();
        if name.is_empty() || name.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return Err(format!("`{}` is no name of a model; for example: {}/NAME", quote(name, 40), about.word));
        }
        if base_url.is_none() && about.base_url.is_none() {
            return Err(format!("{} needs an address: model:{}/NAME@http://HOST:PORT/v1", about.word, about.word));
        }
        Ok(Self { service: about.service, name: name.into(), base_url })
    }

    /// Whether it is at an address of its own that is not this machine.
    pub fn is_elsewhere(&self) -> bool {
        self.base_url.as_deref().is_some_and(|url| !is_loopback(url))
    }

    /// As it stands after `model:`.
    pub fn shown(&self) -> String {
        let word = self.service.word();
        match &self.base_url {
            Some(base_url) => format!("{word}/{}@{base_url}", self.name),
            None => format!("{word}/{}", self.name),
        }
    }
}

pub(super) fn is_loopback(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(String::from)).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An address that can be called and shown: a password in it would be shown as well.
fn checked_url(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let url = reqwest::Url::parse(text).map_err(|fault| format!("`{}` is no address: {fault}", quote(text, 80)))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address holds no user and no password: they would be shown; give the key apart".into());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("`{}` has a ? or a #, expected an address like http://HOST:PORT/v1", quote(text, 80)));
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(Service, &str, Option<&str>), &str>) {
        let expected = match expected {
            Ok((service, name, base_url)) => {
                Ok(ModelName { service, name: name.into(), base_url: base_url.map(String::from) })
            }
            Err(problem) => Err(problem.to_string()),
        };
        assert_eq!(ModelName::parse(text), expected, "{text}");
        if let Ok(name) = ModelName::parse(text) {
            assert_eq!(ModelName::parse(&name.shown()), Ok(name));
        }
    }

    #[test]
    fn a_model_is_named_by_provider_name_and_address() {
        check("openai/gpt-5-mini", Ok((Service::OpenAi, "gpt-5-mini", None)));
        check("ollama/qwen3:8b", Ok((Service::Ollama, "qwen3:8b", None)));
        check("compatible/a/b@c@http://h:1/v1/", Ok((Service::Compatible, "a/b@c", Some("http://h:1/v1"))));
        check(
            "llamacpp/local@http://127.0.0.1:18082/v1",
            Ok((Service::LlamaCpp, "local", Some("http://127.0.0.1:18082/v1"))),
        );
        let valid = "openai, openai-responses, anthropic, gemini, ollama, llamacpp, vllm, lmstudio, compatible";
        check(
            "gpt-5",
            Err(&format!(
                "model needs a provider and a name: model:PROVIDER/NAME[@BASE_URL]; valid providers: {valid}"
            )),
        );
        check("mistral/x", Err(&format!("there is no provider `mistral`; valid: {valid}")));
        check("openai/", Err("`` is no name of a model; for example: openai/NAME"));
        check("compatible/x", Err("compatible needs an address: model:compatible/NAME@http://HOST:PORT/v1"));
    }

    /// QL-35: what is shown holds no secret.
    #[test]
    fn an_address_holds_no_secret() {
        let refused = "an address holds no user and no password: they would be shown; give the key apart";
        check("openai/x@https://me:sesame@h/v1", Err(refused));
        check(
            "openai/x@https://h/v1?key=a",
            Err("`https://h/v1?key=a` has a ? or a #, expected an address like http://HOST:PORT/v1"),
        );
    }
}
