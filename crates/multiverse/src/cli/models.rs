//! What a model is given by the project and its user: a key, a price, the words of its prompts. Knows where they lie; what a
//! model does with them is its own business.

use std::path::Path;
use std::sync::Arc;

use engine::agent::model::{PriceTable, Secret};
use engine::agent::{Model, ModelName, ModelSettings, Prompts};

use super::failure::{Failure, Kind};

/// The folder of a project's own prompts, and the file of its own prices.
const PROMPTS: &str = "prompts";
const PRICES: &str = "prices.json";

/// A model as an agent: its key from the environment, its price and its words from the project.
pub(crate) fn model(name: &ModelName, project: &Path) -> Result<Model, Failure> {
    let mut settings = ModelSettings::of(name);
    let variable = name.service.key_variable();
    settings.key = std::env::var(variable).ok().and_then(|text| Secret::new(&text));
    if settings.key.is_none() && name.service.needs_key() && name.base_url.is_none() {
        let message = format!("model:{} needs a key, and {variable} is not set", name.shown());
        return Err(Failure::new(Kind::Missing, message).hint(format!("set {variable}, or use another agent")));
    }
    settings.price = prices(project)?.price(name);
    // Tools come with the grants that a project gives; until then a model works with what it is given.
    Ok(Model::new(settings, prompts(project)?, Model::no_tools()))
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
