//! Owns what tokens cost: a table of prices that a user can edit, and the sum over an attempt. Must not know where a
//! table lies.

use serde::Deserialize;

use super::message::TurnUsage;
use super::name::{ModelName, Service};
use crate::contract::Usage;

/// The table that comes with the program.
const BUILT_IN: &str = include_str!("prices.json");

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    pub input: f64,
    /// Of the input: read from a cache.
    pub cached: f64,
    /// Of the input: written to a cache.
    pub stored: f64,
    pub output: f64,
}

/// Prices by provider and the beginning of a name; the longest that fits counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriceTable {
    rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Row {
    provider: String,
    name: String,
    input: f64,
    #[serde(default)]
    cached: Option<f64>,
    #[serde(default)]
    stored: Option<f64>,
    output: f64,
}

#[derive(Deserialize)]
struct Document {
    models: Vec<Row>,
}

impl Price {
    /// On a machine of one's own.
    pub const NOTHING: Self = Self { input: 0.0, cached: 0.0, stored: 0.0, output: 0.0 };

    /// What a call cost, in US dollars.
    #[allow(clippy::cast_precision_loss)]
    pub(super) fn cost(&self, usage: &TurnUsage) -> f64 {
        let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.stored);
        let parts = [
            (plain, self.input),
            (usage.cached, self.cached),
            (usage.stored, self.stored),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

impl PriceTable {
    /// The table that comes with the program.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN).unwrap_or_default()
    }

    /// Reads a table; what is wrong is said with its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let document: Document = serde_json::from_str(text).map_err(|fault| format!("no table of prices: {fault}"))?;
        for row in &document.models {
            let prices = [Some(row.input), row.cached, row.stored, Some(row.output)];
            if prices.into_iter().flatten().any(|price| !price.is_finite() || price < 0.0) {
                return Err(format!("{}/{}: a price is 0 or more", row.provider, row.name));
            }
        }
        Ok(Self { rows: document.models })
    }

    /// This table, and another where this one says nothing.
    pub fn or(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self
    }

    /// The price of a model; nothing if it is not known, which is not 0.
    pub fn price(&self, model: &ModelName) -> Option<Price> {
        let word = if model.service == Service::OpenAiResponses { "openai" } else { model.service.word() };
        let fits = |row: &&Row| row.provider == word && model.name.starts_with(&row.name);
        // The first of equals counts: it is the user's.
        let longest = self.rows.iter().filter(fits).fold(None, |best: Option<&Row>, row| match best {
            Some(best) if best.name.len() >= row.name.len() => Some(best),
            _ => Some(row),
        });
        let listed = longest.map(|row| Price {
            input: row.input,
            cached: row.cached.unwrap_or(row.input),
            stored: row.stored.unwrap_or(row.input),
            output: row.output,
        });
        listed.or_else(|| model.service.is_own().then_some(Price::NOTHING))
    }
}

impl TurnUsage {
    /// What one call cost, as a meter counts it.
    pub(super) fn priced(&self, price: Option<&Price>) -> Usage {
        let mut totals = Totals::default();
        totals.add(self, price);
        totals.usage(price)
    }
}

/// What an attempt has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) calls: u32,
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) output: u64,
    pub(super) cost: f64,
}

impl Totals {
    pub(super) fn add(&mut self, usage: &TurnUsage, price: Option<&Price>) {
        self.calls += 1;
        self.input += usage.input;
        self.cached += usage.cached;
        self.output += usage.output;
        self.cost += price.map_or(0.0, |price| price.cost(usage));
    }

    pub(super) fn tokens(&self) -> u64 {
        self.input + self.output
    }

    /// As it stands in a report.
    pub(super) fn usage(&self, price: Option<&Price>) -> Usage {
        Usage {
            input_tokens: self.input,
            output_tokens: self.output,
            cached_tokens: self.cached,
            cost_usd: price.map(|_| self.cost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> ModelName {
        ModelName::parse(text).unwrap()
    }

    #[test]
    fn the_longest_name_that_fits_counts_and_the_users_table_first() {
        let built_in = PriceTable::parse(BUILT_IN).unwrap();
        let input = |table: &PriceTable, text: &str| table.price(&model(text)).map(|price| price.input);
        assert_eq!(input(&built_in, "openai/gpt-5-mini-2025-08-07"), Some(0.25));
        assert_eq!(input(&built_in, "openai-responses/gpt-5"), Some(1.25));
        assert_eq!(input(&built_in, "openai/unheard-of"), None, "unknown, not 0");
        assert_eq!(input(&built_in, "llamacpp/unheard-of"), Some(0.0), "one's own machine");
        let own = r#"{"models": [{"provider": "openai", "name": "gpt-5-mini", "input": 9, "output": 9}]}"#;
        let both = PriceTable::parse(own).unwrap().or(built_in);
        assert_eq!(input(&both, "openai/gpt-5-mini"), Some(9.0));
        assert_eq!(input(&both, "openai/gpt-5"), Some(1.25));
        assert!(PriceTable::parse("{}").is_err());
        assert_eq!(
            PriceTable::parse(&own.replace("\"input\": 9", "\"input\": -1")),
            Err("openai/gpt-5-mini: a price is 0 or more".into())
        );
    }

    /// What is read from a cache costs its own price.
    #[test]
    fn costs_are_summed() {
        let price = Price { input: 2.0, cached: 0.5, stored: 3.0, output: 10.0 };
        let usage = TurnUsage { input: 1_000_000, cached: 400_000, stored: 100_000, output: 200_000 };
        assert!((price.cost(&usage) - (1.0 + 0.2 + 0.3 + 2.0)).abs() < 1e-9);
        let mut totals = Totals::default();
        totals.add(&usage, Some(&price));
        totals.add(&usage, Some(&price));
        let sum = totals.usage(Some(&price));
        assert_eq!((sum.input_tokens, sum.cached_tokens, sum.output_tokens), (2_000_000, 800_000, 400_000));
        assert!((sum.cost_usd.unwrap() - 7.0).abs() < 1e-9);
        assert_eq!(totals.usage(None).cost_usd, None, "an unknown price is no price of 0");
    }
}
