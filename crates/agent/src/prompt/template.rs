//! Owns the language of templates: `{{field}}`, `{{#each list}}…{{/each}}`, `{{#if field}}…{{else}}…{{/if}}`. What is
//! filled in is never read as a template. Must not know what the fields are: whoever loads a template says which there are.

use serde_json::Value;

use crate::words::quote;

/// How deep blocks may lie in each other.
const MAX_DEPTH: usize = 8;

/// A field that templates may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) name: &'static str,
    /// For a list: the fields of its entries, `.` for an entry that is a text. Nothing: a text or a flag.
    pub(super) entries: Option<&'static [&'static str]>,
}

/// A template that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Text(String),
    Field(String),
    Each(String, Vec<Node>),
    If(String, Vec<Node>, Vec<Node>),
}

/// Reads a template; what is wrong is said with its line.
pub(super) fn parse(text: &str, known: &[Known]) -> Result<Template, String> {
    let mut parser = Parser { whole: text, rest: text, line: 1, known };
    let (nodes, end) = parser.nodes(None, 0)?;
    match end {
        None => Ok(Template { nodes }),
        Some((tag, line)) => Err(format!("line {line}: `{{{{{tag}}}}}` closes nothing")),
    }
}

impl Template {
    /// The text with the fields filled in from an object.
    pub(super) fn fill(&self, view: &Value) -> String {
        let mut out = String::new();
        fill(&self.nodes, view, None, &mut out);
        out
    }
}

struct Parser<'t> {
    whole: &'t str,
    rest: &'t str,
    line: usize,
    known: &'t [Known],
}

/// A tag that ends a block, and its line.
type End<'t> = Option<(&'t str, usize)>;

impl<'t> Parser<'t> {
    /// Nodes up to a tag that is none of them. `list` is the list whose entries are shown here.
    fn nodes(&mut self, list: Option<&Known>, depth: usize) -> Result<(Vec<Node>, End<'t>), String> {
        let mut nodes = Vec::new();
        if depth > MAX_DEPTH {
            return Err(format!("line {}: blocks lie in each other more than {MAX_DEPTH} deep", self.line));
        }
        while !self.rest.is_empty() {
            let Some(at) = self.rest.find("{{") else {
                nodes.push(Node::Text(std::mem::take(&mut self.rest).into()));
                break;
            };
            let (before, rest) = self.rest.split_at(at);
            self.line += before.matches('\n').count();
            let line = self.line;
            let Some(end) = rest.find("}}") else {
                return Err(format!("line {line}: `{{{{` is not closed"));
            };
            let tag = rest[2..end].trim();
            let is_block = tag.starts_with(['#', '/']) || tag == "else";
            let after = &rest[end + 2..];
            let up_to_tag = &self.whole[..self.whole.len() - rest.len()];
            let alone = is_block && is_alone(up_to_tag, after);
            let before = if alone { before.trim_end_matches([' ', '\t']) } else { before };
            if !before.is_empty() {
                nodes.push(Node::Text(before.into()));
            }
            self.rest = after;
            if alone {
                let skip = after.find('\n').map_or(after.len(), |at| at + 1);
                self.rest = &after[skip..];
                self.line += 1;
            }
            match tag.split_once(' ').map(|(word, name)| (word, name.trim())) {
                Some(("#each", name)) => {
                    let list = self.list(name, line)?;
                    let inner = self.block(Some(&list), "/each", line, depth)?.0;
                    nodes.push(Node::Each(name.into(), inner));
                }
                Some(("#if", name)) => {
                    self.check(name, list, line)?;
                    let (then, otherwise) = self.block(list, "/if", line, depth)?;
                    nodes.push(Node::If(name.into(), then, otherwise));
                }
                _ if is_block => return Ok((nodes, Some((tag, line)))),
                _ => {
                    self.check(tag, list, line)?;
                    nodes.push(Node::Field(tag.into()));
                }
            }
        }
        Ok((nodes, None))
    }

    fn block(
        &mut self,
        list: Option<&Known>,
        close: &str,
        line: usize,
        depth: usize,
    ) -> Result<(Vec<Node>, Vec<Node>), String> {
        let (then, mut end) = self.nodes(list, depth + 1)?;
        let mut otherwise = Vec::new();
        if close == "/if" && end.is_some_and(|(tag, _)| tag == "else") {
            (otherwise, end) = self.nodes(list, depth + 1)?;
        }
        match end {
            Some((tag, _)) if tag == close => Ok((then, otherwise)),
            Some((tag, at)) => Err(format!(
                "line {at}: `{{{{{}}}}}` where `{{{{{close}}}}}` is expected, for the block of line {line}",
                quote(tag, 40)
            )),
            None => Err(format!("line {line}: the block is not closed by `{{{{{close}}}}}`")),
        }
    }

    fn list(&self, name: &str, line: usize) -> Result<Known, String> {
        let found = self.known.iter().find(|known| known.name == name && known.entries.is_some());
        found.copied().ok_or_else(|| {
            let lists = self.known.iter().filter(|known| known.entries.is_some()).map(|known| known.name);
            format!(
                "line {line}: there is no list `{}`; valid: {}",
                quote(name, 40),
                lists.collect::<Vec<_>>().join(", ")
            )
        })
    }

    fn check(&self, name: &str, list: Option<&Known>, line: usize) -> Result<(), String> {
        let own = list.and_then(|list| list.entries).unwrap_or_default();
        if own.contains(&name) || self.known.iter().any(|known| known.name == name) {
            return Ok(());
        }
        let valid: Vec<&str> = own.iter().copied().chain(self.known.iter().map(|known| known.name)).collect();
        Err(format!("line {line}: there is no field `{}`; valid: {}", quote(name, 40), valid.join(", ")))
    }
}

/// Whether a tag has its line for itself: then the line goes with it.
fn is_alone(before: &str, after: &str) -> bool {
    let head = before.rsplit('\n').next().unwrap_or(before);
    let tail = after.split('\n').next().unwrap_or(after);
    head.trim().is_empty() && tail.trim().is_empty()
}

fn fill(nodes: &[Node], view: &Value, entry: Option<&Value>, out: &mut String) {
    let value = |name: &str| -> Option<&Value> {
        let own = entry.and_then(|entry| if name == "." { Some(entry) } else { entry.get(name) });
        own.or_else(|| view.get(name))
    };
    for node in nodes {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Field(name) => match value(name) {
                Some(Value::String(text)) => out.push_str(text),
                Some(Value::Null) | None => {}
                Some(other) => out.push_str(&other.to_string()),
            },
            Node::Each(name, inner) => {
                for entry in value(name).and_then(Value::as_array).into_iter().flatten() {
                    fill(inner, view, Some(entry), out);
                }
            }
            Node::If(name, then, otherwise) => {
                let is_there = value(name).is_some_and(|value| match value {
                    Value::Null => false,
                    Value::Bool(flag) => *flag,
                    Value::String(text) => !text.trim().is_empty(),
                    Value::Array(entries) => !entries.is_empty(),
                    Value::Object(fields) => !fields.is_empty(),
                    Value::Number(number) => number.as_f64() != Some(0.0),
                });
                fill(if is_there { then } else { otherwise }, view, entry, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KNOWN: [Known; 4] = [
        Known { name: "name", entries: None },
        Known { name: "flag", entries: None },
        Known { name: "rows", entries: Some(&["path", "note"]) },
        Known { name: "words", entries: Some(&["."]) },
    ];

    fn check(template: &str, expected: Result<&str, &str>) {
        let view = json!({"name": "{{flag}} <n>", "flag": true, "words": ["a", "b"],
            "rows": [{"path": "p", "note": ""}, {"path": "q", "note": "x"}]});
        let filled = parse(template, &KNOWN).map(|template| template.fill(&view));
        assert_eq!(filled, expected.map(String::from).map_err(String::from), "{template}");
    }

    #[test]
    fn fields_lists_and_choices_are_filled_in() {
        check("a {{name}} b", Ok("a {{flag}} <n> b"));
        check("{{#each words}}-{{.}}{{/each}}", Ok("-a-b"));
        check(
            "x\n{{#each rows}}\n- {{path}}{{#if note}}: {{note}} of {{name}}{{/if}}\n{{/each}}\ny",
            Ok("x\n- p\n- q: x of {{flag}} <n>\ny"),
        );
        check("{{#if flag}}\nyes\n{{else}}\nno\n{{/if}}\nend", Ok("yes\nend"));
        check("{\"a\": {\"b\": 1}}", Ok("{\"a\": {\"b\": 1}}"));
    }

    /// An unknown placeholder is found when the template is loaded, with its line.
    #[test]
    fn mistakes_are_named_with_their_line() {
        check("a\n{{nome}}", Err("line 2: there is no field `nome`; valid: name, flag, rows, words"));
        check("\n\n{{#each name}}{{/each}}", Err("line 3: there is no list `name`; valid: rows, words"));
        check(
            "{{#each rows}}\n{{nome}}\n{{/each}}",
            Err("line 2: there is no field `nome`; valid: path, note, name, flag, rows, words"),
        );
        check("{{#if flag}}", Err("line 1: the block is not closed by `{{/if}}`"));
        check(
            "{{#if flag}}\n{{/each}}",
            Err("line 2: `{{/each}}` where `{{/if}}` is expected, for the block of line 1"),
        );
        check("{{/if}}", Err("line 1: `{{/if}}` closes nothing"));
        check("a {{", Err("line 1: `{{` is not closed"));
        check(&"{{#if flag}}".repeat(20), Err("line 1: blocks lie in each other more than 8 deep"));
    }
}
