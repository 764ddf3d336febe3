//! Reads a TOML text against the table of keys: what is set, where, and what is wrong, with the place. Never fails.

use std::ops::Range;

use serde_json::{Map, Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Form, KEYS, Key, names};

/// A setting that was found: its path (`agents.planner`, `models.small.key`, `grants.0.tool`), and what it is set to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) value: Value,
    pub(crate) span: Range<usize>,
}

/// Something wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
    /// Whether the line may be shown: one with a secret in it may not (QL-35).
    pub(crate) shown: bool,
}

/// What a text sets.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) found: Vec<Found>,
    pub(crate) wrong: Vec<Wrong>,
}

/// Reads a whole file.
pub(crate) fn walk(text: &str) -> Walk {
    let mut walk = Walk::default();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        walk.wrong(error.span().unwrap_or_default(), error.message().into(), "this is no TOML".into());
    }
    // What stands around a mistake may be read as something else than was meant.
    if walk.wrong.is_empty() {
        walk.table(table.get_ref(), KEYS, "");
    }
    walk
}

impl Walk {
    fn wrong(&mut self, span: Range<usize>, message: String, hint: String) {
        self.wrong.push(Wrong { span, message, hint, shown: true });
    }

    fn table(&mut self, table: &DeTable<'_>, keys: &[Key], above: &str) {
        for (name, value) in table {
            match keys.iter().find(|key| key.name == name.get_ref()) {
                Some(key) => self.key(key, value, above),
                None => {
                    let below = if above.is_empty() { String::new() } else { format!(" below [{above}]") };
                    let message = format!("there is no key `{}`{below}", name.get_ref());
                    self.wrong(name.span(), message, format!("valid keys: {}", names(keys)));
                }
            }
        }
    }

    fn key(&mut self, key: &Key, value: &Spanned<DeValue<'_>>, above: &str) {
        let path = if above.is_empty() { key.name.to_string() } else { format!("{above}.{}", key.name) };
        match (key.form, value.get_ref()) {
            (Form::Table(keys), DeValue::Table(table)) => self.table(table, keys, &path),
            (Form::Table(keys), _) => {
                let first = keys.first().map_or(String::new(), |key| format!("{} = {}", key.name, key.example));
                let hint = format!("for example: [{path}], and below it: {first}");
                self.wrong(value.span(), format!("{} must be a table", key.name), hint);
            }
            (Form::Named(keys), DeValue::Table(tables)) => {
                for (name, value) in tables {
                    self.named(keys, &format!("{path}.{}", name.get_ref()), value);
                }
            }
            (Form::Rows(keys), DeValue::Array(rows)) => {
                for (at, value) in rows.iter().enumerate() {
                    self.named(keys, &format!("{path}.{at}"), value);
                }
            }
            (Form::Named(_), _) => {
                let hint = format!("for example: [{path}.NAME]");
                self.wrong(value.span(), format!("{} must hold tables", key.name), hint);
            }
            (Form::Rows(_), _) => {
                self.wrong(
                    value.span(),
                    format!("{} must be a list of tables", key.name),
                    format!("for example: [[{path}]]"),
                );
            }
            (form, found) => match plain(form, found) {
                Some(value_read) => self.found.push(Found { path, value: value_read, span: value.span() }),
                None => {
                    let message = format!("{} must be {}", key.name, in_words(form));
                    let hint = format!("for example: {} = {}", key.name, key.example);
                    let shown = !matches!(form, Form::Secret);
                    self.wrong.push(Wrong { span: value.span(), message, hint, shown });
                }
            },
        }
    }

    fn named(&mut self, keys: &[Key], path: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, keys, path),
            _ => self.wrong(value.span(), format!("{path} must be a table"), format!("valid keys: {}", names(keys))),
        }
    }
}

/// What a value is, if it has the form.
fn plain(form: Form, value: &DeValue<'_>) -> Option<Value> {
    match form {
        Form::Whole { .. } => in_bounds(form, &json!(whole(value)?)),
        Form::Number { .. } => in_bounds(form, &json!(real(value)?)),
        Form::Flag => match value {
            DeValue::Boolean(flag) => Some(json!(flag)),
            _ => None,
        },
        Form::Text | Form::Word(_) | Form::Secret => in_bounds(form, &json!(value.as_str()?)),
        Form::Texts => {
            let texts = value.as_array()?.iter().map(|entry| entry.get_ref().as_str());
            Some(json!(texts.collect::<Option<Vec<&str>>>()?))
        }
        Form::Map => {
            let DeValue::Table(table) = value else { return None };
            let pairs = table.iter().map(|(name, value)| {
                Some((name.get_ref().to_string(), Value::String(value.get_ref().as_str()?.to_string())))
            });
            Some(Value::Object(pairs.collect::<Option<Map<_, _>>>()?))
        }
        Form::Table(_) | Form::Named(_) | Form::Rows(_) => None,
    }
}

/// A value of the right kind, if it is also within what the form allows.
pub(crate) fn in_bounds(form: Form, value: &Value) -> Option<Value> {
    let fits = match form {
        Form::Whole { least, most } => value.as_u64().is_some_and(|number| (least..=most).contains(&number)),
        Form::Number { least, most } => value.as_f64().is_some_and(|number| (least..=most).contains(&number)),
        Form::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Form::Secret => value.as_str().is_some_and(is_reference),
        Form::Text => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        _ => true,
    };
    fits.then(|| value.clone())
}

/// Whether a text says where a secret is, rather than being one.
fn is_reference(text: &str) -> bool {
    let mut parts = text.splitn(2, ':');
    let kind = parts.next().unwrap_or_default();
    matches!(kind, "env" | "file" | "cmd") && parts.next().is_some_and(|rest| !rest.trim().is_empty())
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    let DeValue::Integer(number) = value else { return None };
    u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
}

fn real(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(number) => {
            number.as_str().replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
        }
        #[allow(clippy::cast_precision_loss)]
        DeValue::Integer(_) => whole(value).map(|number| number as f64),
        _ => None,
    }
}

/// What a form is, in words: `jobs must be …`.
pub(crate) fn in_words(form: Form) -> String {
    match form {
        Form::Whole { least, most } => format!("a whole number from {least} to {most}"),
        Form::Number { least, most } => format!("a number from {least} to {most}"),
        Form::Flag => "true or false".into(),
        Form::Text => "a text".into(),
        Form::Word(words) => format!("one of {}", words.join(", ")),
        Form::Texts => "a list of texts".into(),
        Form::Map => "a table of texts".into(),
        Form::Secret => "where the secret is, never the secret itself: env:NAME, file:PATH or cmd:COMMAND".into(),
        Form::Table(_) | Form::Named(_) => "a table".into(),
        Form::Rows(_) => "a list of tables".into(),
    }
}
