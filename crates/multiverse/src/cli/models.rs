//! What a model is given by the project and its user: a key, a price, the words of its prompts. Knows where they lie; what a
//! model does with them is its own business.

use std::path::Path;
use std::sync::Arc;

use engine::agent::model::{Price, PriceTable};
use engine::agent::{Model, ModelName, ModelSettings, Prompts};
use tools::Secret;

use super::configuration::{FILE, Namer, Read};
use super::failure::{Failure, Kind};
use super::toolboxes::{secret, toolboxes};

/// The folder of a project's own prompts, and the file of its own prices.
const PROMPTS: &str = "prompts";
const PRICES: &str = "prices.json";

/// A model as an agent: its key from the environment, its price and its words from the project.
pub(crate) fn model(name: &ModelName, namer: Namer, project: &Path, read: &mut Read) -> Result<Model, Failure> {
    let mut settings = ModelSettings::of(name);
    let variable = name.service.key_variable();
    settings.key = usual_key(name, namer);
    if settings.key.is_none() && name.service.needs_key() && name.base_url.is_none() {
        let message = format!("model:{} needs a key, and {variable} is not set", name.shown());
        let hint = format!("set {variable}, or say in {FILE} where the key is: [models.NAME] key = \"file:PATH\"");
        return Err(Failure::new(Kind::Missing, message).hint(hint));
    }
    settings.price = prices(project)?.price(name);
    made(settings, project, read)
}

/// The key in the provider's own variable, for the provider's own address. An address that a project's file names may be
/// anybody's, and servers that need no key get none: for those, the file must say which key is meant (QL-35).
fn usual_key(name: &ModelName, namer: Namer) -> Option<Secret> {
    let is_meant = name.service.needs_key() && (name.base_url.is_none() || namer == Namer::Person);
    let text = is_meant.then(|| std::env::var(name.service.key_variable()).ok()).flatten()?;
    Secret::of_text(&text)
}

/// A model that the project's settings describe: `[models.NAME]`.
pub(crate) fn named(own: &str, project: &Path, read: &mut Read) -> Result<Model, Failure> {
    let Some(set) = read.set.models.get(own).cloned() else {
        let known: Vec<&str> = read.set.models.keys().map(String::as_str).collect();
        let hint = match known.is_empty() {
            true => format!("describe it in {FILE}: [models.{own}], or name one: model:PROVIDER/NAME"),
            false => format!("valid: {}; or model:PROVIDER/NAME", known.join(", ")),
        };
        return Err(Failure::new(Kind::Missing, format!("{FILE} has no [models.{own}]")).hint(hint));
    };
    let Some(written) = &set.model else {
        return Err(Failure::new(Kind::Configuration, format!("[models.{own}] names no model")));
    };
    let name = ModelName::parse(&written.text).map_err(|problem| {
        Failure::new(Kind::Configuration, format!("[models.{own}] model: {problem}")).at(Path::new(FILE))
    })?;
    let mut settings = ModelSettings::of(&name);
    settings.key = match &set.key {
        Some(_) => secret(read, set.key.as_ref(), project),
        None => usual_key(&name, written.namer()),
    };
    settings.max_output_tokens = set.max_output_tokens.map_or(0, |most| most.try_into().unwrap_or(u32::MAX));
    settings.context_tokens = set.context_tokens.unwrap_or(0);
    settings.temperature = set.temperature;
    settings.price = match (set.input_price, set.output_price) {
        (Some(input), Some(output)) => {
            Some(Price { input, output, cached: set.cached_price.unwrap_or(input), stored: input })
        }
        _ => prices(project)?.price(&name),
    };
    made(settings, project, read)
}

/// The model itself, whose exchanges with its provider are recorded.
fn made(settings: ModelSettings, project: &Path, read: &mut Read) -> Result<Model, Failure> {
    let model = Model::new(settings, prompts(project)?, toolboxes(read, project)?);
    Ok(model.with_recorder(Arc::new(engine::calls::keep_line)))
}

/// The words in which agents are asked: ours, and the project's own in their place.
pub(crate) fn prompts(project: &Path) -> Result<Arc<Prompts>, Failure> {
    let Ok(entries) = std::fs::read_dir(project.join(PROMPTS)) else { return Ok(Prompts::built_in()) };
    let mut own = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            let place = entry.path();
            let text = std::fs::read_to_string(&place).map_err(|error| Failure::reading(&place, &error))?;
            own.push((name, text));
        }
    }
    own.sort();
    Prompts::load(&own).map(Arc::new).map_err(|problems| {
        Failure::new(Kind::NotADocument, format!("cannot use the project's prompts: {}", problems.join("; ")))
            .hint("docs/prompts.md describes them")
    })
}

/// What models cost: the project's own table before ours.
fn prices(project: &Path) -> Result<PriceTable, Failure> {
    let place = project.join(PRICES);
    match std::fs::read_to_string(&place) {
        Ok(text) => PriceTable::parse(&text).map(|own| own.or(PriceTable::built_in())).map_err(|problem| {
            Failure::new(Kind::NotADocument, problem).at(&place).hint("docs/models.md describes the table")
        }),
        Err(_) => Ok(PriceTable::built_in()),
    }
}
