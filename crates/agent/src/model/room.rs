//! Owns how much a model is given to read, and in which form it is asked: by its settings, its name, or what its server says of
//! it. Must not know what it reads.

use serde_json::Value;
use tools::Tool;

use super::Model;
use super::client::{Client, Served};
use super::name::Service;
use super::settings::{Style, billions_in_name};
use super::tokens::tokens_in;
use crate::prompt::{Form, Rendered};

/// Models of fewer parameters, in billions, are asked in the simple form.
const SMALL: f64 = 4.0;

/// In which form a model is asked: as its settings say, or by its size.
pub(super) fn form_of(model: &Model, client: &Client<'_>) -> Form {
    let settings = &model.settings;
    match settings.style {
        Style::Full => Form::Report,
        Style::Simple => Form::Simple,
        Style::Auto => {
            let named = billions_in_name(&settings.name);
            let billions = named.or_else(|| served(model, client).billions);
            if billions.is_some_and(|billions| billions < SMALL) { Form::Simple } else { Form::Report }
        }
    }
}

fn served(model: &Model, client: &Client<'_>) -> Served {
    if model.settings.service != Service::LlamaCpp {
        return Served::default();
    }
    // Who could not be asked is asked again by the next attempt.
    match model.served.get().copied().or_else(|| client.served()) {
        Some(served) => *model.served.get_or_init(|| served),
        None => Served::default(),
    }
}

/// How many tokens are left for files.
pub(super) fn room(
    model: &Model,
    form: Form,
    max_output_tokens: u32,
    schema: Option<&Value>,
    rendered: &Rendered,
    offered: &[Tool],
) -> u64 {
    let settings = &model.settings;
    let known = model.served.get().and_then(|served| served.context_tokens);
    let context = match (settings.context_tokens, known) {
        (0, Some(known)) => known,
        (0, None) if settings.service.needs_key() => 128_000,
        (0, None) => 8192,
        (set, _) => set,
    };
    let tools: u64 =
        offered.iter().map(|tool| tokens_in(&tool.description) + tokens_in(&tool.parameters.to_string())).sum();
    let schema = schema.map_or(0, |schema| tokens_in(&schema.to_string()));
    let used = tokens_in(&rendered.system) + tokens_in(&rendered.user) + tools + schema + u64::from(max_output_tokens);
    let left = context.saturating_sub(used).saturating_sub(context / 10);
    let most = match (settings.files_tokens, form) {
        // A small model on a small machine reads for minutes what it then does not understand.
        (0, Form::Simple) => 1500,
        (0, Form::Report) => left,
        (set, _) => set,
    };
    left.min(most)
}
