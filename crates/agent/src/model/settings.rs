//! Owns what a model backend must be told, as plain data. Must not know where it comes from: neither files nor the
//! environment.

use std::time::Duration;

use serde_json::Value;
use tools::Secret;

use super::name::{ModelName, Provider, Service};
use super::price::Price;

/// All that a model backend is told.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    pub service: Service,
    pub provider: Provider,
    /// The model's name at the provider.
    pub name: String,
    /// Without a slash at its end.
    pub base_url: String,
    pub key: Option<Secret>,
    /// The most that one reply may have; 0: by the size of the model.
    pub max_output_tokens: u32,
    /// The most that a request and its reply may have; 0: what the server says, or a usual size.
    pub context_tokens: u64,
    /// The most of them that files may take; 0: what is left.
    pub files_tokens: u64,
    /// Nothing: the provider's own.
    pub temperature: Option<f64>,
    pub style: Style,
    pub stream: Stream,
    /// How many tool calls of one turn run at the same time.
    pub parallel_calls: usize,
    pub timeouts: Timeouts,
    pub retries: Retries,
    /// Nothing: unknown, and then so is the cost.
    pub price: Option<Price>,
    /// The longest reply that is read.
    pub max_reply_bytes: usize,
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// By its size, as far as name or server tell it.
    Auto,
    /// The whole contract: a report as JSON, with all that a report can say.
    Full,
    /// As little as will do: the plan alone, or the text of the one file that is asked for.
    Simple,
}

/// Whether replies are read while they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Live,
    Whole,
}

/// How long is waited for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For the first byte of a reply: a small machine reads a long prompt for minutes.
    pub first: Duration,
    /// Between two pieces of a reply.
    pub idle: Duration,
    /// For the whole attempt, where the brief does not say.
    pub whole: Duration,
}

/// How often and how long a call is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// After the first time.
    pub most: u32,
    pub first_wait: Duration,
    /// A longer wait than this is not waited for: the attempt ends, to be taken up later.
    pub longest_wait: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first: Duration::from_secs(600),
            idle: Duration::from_secs(180),
            whole: Duration::from_secs(1800),
        }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self { most: 4, first_wait: Duration::from_secs(1), longest_wait: Duration::from_secs(60) }
    }
}

impl ModelSettings {
    /// The usual settings of a model; key and price are for the caller to add.
    pub fn of(name: &ModelName) -> Self {
        let base_url = name.base_url.clone().unwrap_or_else(|| name.service.base_url().unwrap_or_default().into());
        let price = name.service.is_own().then_some(Price::NOTHING);
        Self {
            service: name.service,
            provider: name.service.provider(),
            name: name.name.clone(),
            base_url,
            key: None,
            max_output_tokens: 0,
            context_tokens: 0,
            files_tokens: 0,
            temperature: None,
            style: Style::Auto,
            stream: Stream::Live,
            parallel_calls: 4,
            timeouts: Timeouts::default(),
            retries: Retries::default(),
            price,
            max_reply_bytes: 8 << 20,
        }
    }

    /// A text of the provider as it may be shown.
    pub(super) fn scrub(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.into(), |key| key.hide_in(text))
    }

    /// The same for every text in a value.
    pub(super) fn scrub_value(&self, mut value: Value) -> Value {
        match &mut value {
            Value::String(text) => *text = self.scrub(text),
            Value::Array(values) => values.iter_mut().for_each(|value| *value = self.scrub_value(value.take())),
            Value::Object(fields) => fields.values_mut().for_each(|value| *value = self.scrub_value(value.take())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        value
    }
}

/// How many billions of parameters a model's name says it has: `qwen2.5-coder:1.5b`, `SmolLM2-135M`.
pub(super) fn billions_in_name(name: &str) -> Option<f64> {
    let lower = name.to_lowercase();
    let parts = lower.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '.'));
    parts
        .filter_map(|part| {
            let (number, unit) = part.split_at(part.len().checked_sub(1)?);
            let number: f64 = number.parse().ok().filter(|number| *number > 0.0)?;
            match unit {
                "b" => Some(number),
                "m" => Some(number / 1000.0),
                _ => None,
            }
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-35: a key is in no text that can be printed.
    #[test]
    fn a_key_is_shown_to_nobody() {
        let mut settings = ModelSettings::of(&ModelName::parse("openai/x").unwrap());
        settings.key = Secret::of_text(" sk-sesame\n");
        assert!(!format!("{settings:?}").contains("sesame"));
        assert_eq!(settings.scrub("Incorrect API key provided: sk-sesame."), "Incorrect API key provided: [hidden].");
    }

    #[test]
    fn a_name_may_tell_the_size() {
        for (name, expected) in [
            ("qwen2.5-coder:1.5b", Some(1.5)),
            ("SmolLM2-135M-Instruct", Some(0.135)),
            ("llama-3.1-70b", Some(70.0)),
            ("gpt-5-mini", None),
            ("local", None),
            ("", None),
        ] {
            assert_eq!(billions_in_name(name), expected, "{name}");
        }
    }
}
