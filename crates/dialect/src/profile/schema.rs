//! A JSON Schema and what it refuses, with the place of each value in its document. As much of the vocabulary as
//! documents of this kind need; a word that is not known is named, not passed over in silence. Must not know documents.

use regex::Regex;
use syntax::data::{Entry, Kind, Node};
use syntax::json;

/// What is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The offending field: `phases[2].roles[0].gate`.
    pub field: String,
    /// What is wrong, as a fragment.
    pub reason: String,
    /// What to do about it, and the valid options.
    pub hint: String,
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}:{}: {}: {}; {}", self.line, self.column, self.field, self.reason, self.hint)
    }
}

/// The most that is said of one document.
pub(super) const MOST: usize = 100;
/// How deep schemas and documents are followed.
const DEEPEST: usize = 64;

/// Words that say nothing about what is valid, or that are followed elsewhere. What a text is a form of (`format`) is for
/// people and editors, as the standard has it.
const SILENT: [&str; 22] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$defs",
    "$vocabulary",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "markdownDescription",
    "enumDescriptions",
    "defaultSnippets",
    "errorMessage",
    "additionalItems",
];

/// A schema, ready to be used.
#[derive(Debug)]
pub struct Schema {
    root: Node,
}

/// A value that a schema refuses, by its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) at: usize,
    pub(super) field: String,
    pub(super) reason: String,
    pub(super) hint: String,
}

impl Schema {
    /// Reads a schema; else, why it is none.
    pub fn read(text: &str) -> Result<Self, Complaint> {
        let parsed = json::parse(text.as_bytes());
        if let Some(problem) = parsed.problems.first() {
            return Err(Complaint {
                line: problem.line,
                column: problem.column,
                field: "the schema".into(),
                reason: problem.message.clone(),
                hint: problem.hint.clone(),
            });
        }
        match parsed.root {
            Some(root) if matches!(root.kind, Kind::Map(_)) => Ok(Self { root }),
            _ => Err(Complaint {
                line: 1,
                column: 1,
                field: "the schema".into(),
                reason: "it is no JSON object".into(),
                hint: "put the shipped schema back: `multiverse schema profile`".into(),
            }),
        }
    }

    /// Everything that it refuses in a document.
    pub(super) fn check(&self, document: &Node) -> Vec<Finding> {
        let mut check = Check { root: &self.root, found: Vec::new() };
        check.node(&self.root, document, "", 0);
        check.found
    }
}

struct Check<'a> {
    root: &'a Node,
    found: Vec<Finding>,
}

impl Check<'_> {
    fn add(&mut self, at: usize, field: &str, reason: impl Into<String>, hint: impl Into<String>) {
        if self.found.len() < MOST {
            let field = if field.is_empty() { "the document" } else { field };
            self.found.push(Finding { at, field: field.into(), reason: reason.into(), hint: hint.into() });
        }
    }

    /// Whether a value is valid, without a word about it.
    fn is_valid(&self, schema: &Node, value: &Node, depth: usize) -> bool {
        let mut check = Check { root: self.root, found: Vec::new() };
        check.node(schema, value, "", depth + 1);
        check.found.is_empty()
    }

    fn node(&mut self, schema: &Node, value: &Node, field: &str, depth: usize) {
        if depth > DEEPEST {
            self.add(value.span.start, field, "nested too deep", "nest less");
            return;
        }
        let words: &[Entry] = match &schema.kind {
            Kind::Map(words) => words,
            Kind::Bool(false) => {
                self.add(value.span.start, field, "nothing is allowed here", "remove it");
                return;
            }
            _ => return,
        };
        if value.kind == Kind::Alias {
            let hint = "write the value out: what an alias repeats is not looked up";
            self.add(value.span.start, field, "this is an alias", hint);
            return;
        }
        // Of a value of another type there is nothing else to say.
        if let Some(types) = schema.value("type")
            && !self.check_type(types, value, field)
        {
            return;
        }
        for word in words {
            self.word(&word.key, &word.value, schema, value, field, depth);
        }
    }

    fn word(&mut self, word: &str, rule: &Node, schema: &Node, value: &Node, field: &str, depth: usize) {
        let at = value.span.start;
        match word {
            "enum" | "const" => {
                let options: Vec<&Node> = match (&rule.kind, word) {
                    (Kind::List(options), "enum") => options.iter().collect(),
                    _ => vec![rule],
                };
                if !options.iter().any(|option| option.to_value() == value.to_value()) {
                    let valid: Vec<&str> = options.iter().filter_map(|option| option.as_text()).collect();
                    let reason = format!("{} is not among the valid values", shown(value));
                    self.add(at, field, reason, format!("valid: {}", valid.join(", ")));
                }
            }
            "pattern" => self.pattern(rule, value, field),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => self.bound(word, rule, value, field),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                self.size(word, rule, value, field);
            }
            "uniqueItems" => self.unique(rule, value, field),
            "required" => self.required(rule, value, field),
            "dependentRequired" => self.dependent(rule, value, field),
            "propertyNames" => self.names(rule, value, field, depth),
            "properties" | "patternProperties" | "additionalProperties" if is_first(word, schema) => {
                self.properties(schema, value, field, depth);
            }
            "items" => {
                if let Kind::List(items) = &value.kind {
                    for (number, item) in items.iter().enumerate() {
                        self.node(rule, item, &format!("{field}[{number}]"), depth + 1);
                    }
                }
            }
            "allOf" => each(rule).for_each(|part| self.node(part, value, field, depth + 1)),
            "anyOf" | "oneOf" => {
                let fitting = each(rule).filter(|part| self.is_valid(part, value, depth)).count();
                if fitting == 0 || (word == "oneOf" && fitting > 1) {
                    let reason = format!("it fits {fitting} of the forms that the schema allows");
                    self.add(at, field, reason, "write it in exactly one of them");
                }
            }
            "not" => {
                if self.is_valid(rule, value, depth) {
                    self.add(at, field, "it is what the schema excludes", "write something else");
                }
            }
            "if" => {
                let branch = if self.is_valid(rule, value, depth) { "then" } else { "else" };
                if let Some(branch) = schema.value(branch) {
                    self.node(branch, value, field, depth + 1);
                }
            }
            "$ref" => {
                let target = rule.as_text().and_then(|text| text.strip_prefix('#'));
                match target.and_then(|pointer| self.root.pointer(pointer)) {
                    Some(target) => self.node(target, value, field, depth + 1),
                    None => self.add(at, field, "the schema refers to something that is not in it", "mend the schema"),
                }
            }
            "type" | "then" | "else" | "properties" | "patternProperties" | "additionalProperties" => {}
            _ if SILENT.contains(&word) || word.starts_with("x-") => {}
            _ => self.add(
                at,
                field,
                format!("the schema has the word `{word}`, which is not understood"),
                "mend the schema",
            ),
        }
    }

    fn check_type(&mut self, types: &Node, value: &Node, field: &str) -> bool {
        let wanted: Vec<&str> = match &types.kind {
            Kind::List(types) => types.iter().filter_map(Node::as_text).collect(),
            _ => types.as_text().into_iter().collect(),
        };
        if wanted.iter().any(|name| is_type(name, value)) {
            return true;
        }
        let there = match &value.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "true or false",
            Kind::Number(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Alias => "an alias",
        };
        let hint = match (wanted.as_slice(), &value.kind) {
            (["boolean"], _) => "write true or false".to_owned(),
            (["string"], Kind::Number(_) | Kind::Bool(_)) => "put it between quotes".to_owned(),
            (["integer"], _) => "write a whole number, without quotes".to_owned(),
            (["array"], _) => "write a list: one `- item` to a line, or `[a, b]`".to_owned(),
            _ => format!("it must be: {}", wanted.join(" or ")),
        };
        self.add(value.span.start, field, format!("{there} stands where {} is expected", wanted.join(" or ")), hint);
        false
    }

    fn pattern(&mut self, rule: &Node, value: &Node, field: &str) {
        let (Some(pattern), Kind::Text(text)) = (rule.as_text(), &value.kind) else { return };
        match Regex::new(pattern) {
            Ok(regex) if regex.is_match(text) => {}
            Ok(_) => {
                let reason = format!("{} does not match {pattern}", shown(value));
                self.add(value.span.start, field, reason, "use only the characters that it allows");
            }
            Err(_) => {
                let reason = format!("the schema's pattern {pattern} is not understood");
                self.add(value.span.start, field, reason, "mend the schema");
            }
        }
    }

    fn bound(&mut self, word: &str, rule: &Node, value: &Node, field: &str) {
        let (Kind::Number(bound), Kind::Number(number)) = (&rule.kind, &value.kind) else { return };
        let (Ok(limit), Some(number)) = (bound.parse::<f64>(), number_of(number)) else { return };
        let (is_wrong, than, hint) = match word {
            "minimum" => (number < limit, "less than", format!("write {bound} or more")),
            "maximum" => (number > limit, "more than", format!("write {bound} or less")),
            "exclusiveMinimum" => (number <= limit, "no more than", format!("write more than {bound}")),
            _ => (number >= limit, "no less than", format!("write less than {bound}")),
        };
        if is_wrong {
            self.add(value.span.start, field, format!("{} is {than} {bound}", shown(value)), hint);
        }
    }

    fn unique(&mut self, rule: &Node, value: &Node, field: &str) {
        let (Kind::Bool(true), Kind::List(items)) = (&rule.kind, &value.kind) else { return };
        for (number, item) in items.iter().enumerate() {
            if items[..number].iter().any(|other| other.to_value() == item.to_value()) {
                let place = format!("{field}[{number}]");
                self.add(item.span.start, &place, format!("{} is there already", shown(item)), "write it once");
            }
        }
    }

    fn dependent(&mut self, rule: &Node, value: &Node, field: &str) {
        let (Kind::Map(rules), Kind::Map(entries)) = (&rule.kind, &value.kind) else { return };
        for rule in rules.iter().filter(|rule| entries.iter().any(|entry| entry.key == rule.key)) {
            self.required(&rule.value, value, field);
        }
    }

    fn names(&mut self, rule: &Node, value: &Node, field: &str, depth: usize) {
        let Kind::Map(entries) = &value.kind else { return };
        for entry in entries {
            let name = Node { span: entry.key_span.clone(), kind: Kind::Text(entry.key.clone()) };
            self.node(rule, &name, &joined(field, &entry.key), depth + 1);
        }
    }

    fn size(&mut self, word: &str, rule: &Node, value: &Node, field: &str) {
        let Some(bound) = rule.as_text().and_then(|text| text.parse::<usize>().ok()) else { return };
        let (size, what) = match (word, &value.kind) {
            ("minLength" | "maxLength", Kind::Text(text)) => (text.chars().count(), "characters"),
            ("minItems" | "maxItems", Kind::List(items)) => (items.len(), "items"),
            ("minProperties" | "maxProperties", Kind::Map(entries)) => (entries.len(), "fields"),
            _ => return,
        };
        if word.starts_with("min") && size < bound {
            let reason = format!("it has {size} {what}, and at least {bound} are needed");
            self.add(value.span.start, field, reason, "fill it in");
        }
        if word.starts_with("max") && size > bound {
            let reason = format!("it has {size} {what}, and {bound} at most are allowed");
            self.add(value.span.start, field, reason, "shorten it");
        }
    }

    fn required(&mut self, rule: &Node, value: &Node, field: &str) {
        let Kind::Map(entries) = &value.kind else { return };
        for name in each(rule).filter_map(Node::as_text) {
            if !entries.iter().any(|entry| entry.key == name) {
                let place = joined(field, name);
                self.add(value.span.start, &place, format!("`{name}` is missing"), format!("add `{name}` here"));
            }
        }
    }

    fn properties(&mut self, schema: &Node, value: &Node, field: &str, depth: usize) {
        let Kind::Map(entries) = &value.kind else { return };
        let known: &[Entry] = match schema.value("properties").map(|node| &node.kind) {
            Some(Kind::Map(known)) => known,
            _ => &[],
        };
        let other = schema.value("additionalProperties");
        let patterns: Vec<(Regex, &Node)> = match schema.value("patternProperties").map(|node| &node.kind) {
            Some(Kind::Map(rules)) => {
                rules.iter().filter_map(|rule| Some((Regex::new(&rule.key).ok()?, &rule.value))).collect()
            }
            _ => Vec::new(),
        };
        for entry in entries {
            let place = joined(field, &entry.key);
            let of_name: Vec<&Node> =
                patterns.iter().filter(|(name, _)| name.is_match(&entry.key)).map(|(_, rule)| *rule).collect();
            of_name.iter().for_each(|rule| self.node(rule, &entry.value, &place, depth + 1));
            let other = other.filter(|_| of_name.is_empty());
            match (known.iter().find(|rule| rule.key == entry.key), other) {
                (Some(rule), _) => self.node(&rule.value, &entry.value, &place, depth + 1),
                (None, Some(Node { kind: Kind::Bool(false), .. })) => {
                    let names: Vec<&str> = known.iter().map(|rule| rule.key.as_str()).collect();
                    let hint = match nearest(&entry.key, &names) {
                        _ if entry.key == "<<" => {
                            "write the fields out: what a merge key brings is not looked up".into()
                        }
                        Some(near) => format!("did you mean `{near}`? valid: {}", names.join(", ")),
                        None => format!("remove it; valid: {}", names.join(", ")),
                    };
                    self.add(entry.key_span.start, &place, format!("the field `{}` is not known", entry.key), hint);
                }
                (None, Some(rule)) => self.node(rule, &entry.value, &place, depth + 1),
                (None, None) => {}
            }
        }
    }
}

/// Whether of the words that speak of fields this is the one that is followed: they are looked at together.
fn is_first(word: &str, schema: &Node) -> bool {
    let words = ["properties", "patternProperties", "additionalProperties"];
    words.into_iter().find(|one| schema.value(one).is_some()) == Some(word)
}

fn each(rule: &Node) -> impl Iterator<Item = &Node> {
    let items: &[Node] = match &rule.kind {
        Kind::List(items) => items,
        _ => &[],
    };
    items.iter()
}

fn joined(field: &str, name: &str) -> String {
    if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
}

fn is_type(name: &str, value: &Node) -> bool {
    match (name, &value.kind) {
        ("null", Kind::Null)
        | ("boolean", Kind::Bool(_))
        | ("string", Kind::Text(_))
        | ("array", Kind::List(_))
        | ("object", Kind::Map(_))
        | ("number", Kind::Number(_)) => true,
        ("integer", Kind::Number(text)) => number_of(text).is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

/// A number as JSON or YAML writes it.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let radix = |digits: &str, radix: u32| i64::from_str_radix(digits, radix).ok().map(|number| number as f64);
    match (unsigned.strip_prefix("0x"), unsigned.strip_prefix("0o")) {
        (Some(digits), _) => radix(digits, 16),
        (_, Some(digits)) => radix(digits, 8),
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

fn shown(value: &Node) -> String {
    const LONGEST: usize = 60;
    let text = value.as_text().unwrap_or("this");
    match text.chars().count() > LONGEST {
        true => format!("`{}…`", text.chars().take(LONGEST).collect::<String>()),
        false => format!("`{text}`"),
    }
}

/// The name that a typing mistake was meant to be.
pub(super) fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let length = word.chars().count();
    // What shares nothing with a name was not meant to be it.
    let far = (length / 3).clamp(1, 3).min(length.saturating_sub(1));
    names.iter().map(|name| (distance(word, name), *name)).filter(|(away, _)| *away <= far).min().map(|(_, name)| name)
}

fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (number, letter) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = number + 1;
        for (place, there) in other.iter().enumerate() {
            let changed = corner + usize::from(letter != *there);
            corner = row[place + 1];
            row[place + 1] = changed.min(corner + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}
