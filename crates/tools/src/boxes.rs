//! Owns several boxes as one. Must not know what is in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

/// The most letters of a name, as every provider takes them.
const NAME_LETTERS: usize = 64;

/// How many names an answer lists.
const SHOWN_NAMES: usize = 40;

/// Boxes in order. Of two tools with one name, the first box keeps it; the other goes by `LABEL__NAME`.
pub struct Boxes {
    boxes: Vec<Arc<dyn Toolbox>>,
    tools: Vec<Tool>,
    /// By the name under which it is known here: which box, and its name there.
    places: BTreeMap<String, (usize, String)>,
    notes: Vec<String>,
}

impl Boxes {
    /// Each with a label, which its tools are named by where names clash. What is in the boxes is asked once.
    pub fn new(labelled: Vec<(String, Arc<dyn Toolbox>)>) -> Self {
        let mut joined = Self { boxes: Vec::new(), tools: Vec::new(), places: BTreeMap::new(), notes: Vec::new() };
        for (number, (label, one)) in labelled.into_iter().enumerate() {
            for tool in one.tools() {
                joined.add(number, &label, tool);
            }
            joined.boxes.push(one);
        }
        joined
    }

    /// Which tools go by another name here, and which were left out, in words for a person.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    fn add(&mut self, number: usize, label: &str, mut tool: Tool) {
        let own = tool.name.clone();
        if self.places.contains_key(&own) {
            match self.free_name(label, &own) {
                Some(name) => {
                    self.notes.push(format!("there are two tools `{own}`; that of {label} goes by `{name}`"));
                    tool.name = name;
                }
                None => {
                    self.notes.push(format!("there are two tools `{own}`; that of {label} is left out"));
                    return;
                }
            }
        }
        self.places.insert(tool.name.clone(), (number, own));
        self.tools.push(tool);
    }

    fn free_name(&self, label: &str, own: &str) -> Option<String> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let clean: String = label.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
        let names = (1..10).map(|number| match number {
            1 => format!("{clean}__{own}"),
            number => format!("{clean}{number}__{own}"),
        });
        let cut = |name: String| name.chars().take(NAME_LETTERS).collect::<String>();
        names.map(cut).find(|name| !self.places.contains_key(name))
    }
}

impl Toolbox for Boxes {
    fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    fn problems(&self) -> Vec<String> {
        self.notes.iter().cloned().chain(self.boxes.iter().flat_map(|one| one.problems())).collect()
    }

    fn call(&self, call: &ToolCall, stop: &Stop) -> ToolAnswer {
        let Some((number, own)) = self.places.get(&call.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).take(SHOWN_NAMES).collect();
            let more = if self.tools.len() > SHOWN_NAMES { ", …" } else { "" };
            let asked: String = call.name.chars().filter(|letter| !letter.is_control()).take(NAME_LETTERS).collect();
            return ToolAnswer::wrong(format!("there is no tool `{asked}`; there are: {}{more}", names.join(", ")));
        };
        self.boxes[*number].call(&ToolCall { name: own.clone(), ..call.clone() }, stop)
    }
}

impl std::fmt::Debug for Boxes {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Boxes").field("places", &self.places).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Named(&'static str, Vec<&'static str>);

    impl Toolbox for Named {
        fn tools(&self) -> Vec<Tool> {
            let tool = |name: &&str| Tool { name: (*name).into(), description: String::new(), parameters: json!({}) };
            self.1.iter().map(tool).collect()
        }

        fn call(&self, call: &ToolCall, _: &Stop) -> ToolAnswer {
            ToolAnswer::well(format!("{} {}", self.0, call.name))
        }
    }

    /// MV-28: a tool that is named like ours does not take its place.
    #[test]
    fn the_first_box_keeps_its_names() {
        let long = "x".repeat(64);
        let long: &'static str = long.leak();
        let boxes = Boxes::new(vec![
            ("ours".into(), Arc::new(Named("ours", vec!["read_file", long]))),
            ("a server".into(), Arc::new(Named("theirs", vec!["read_file", "other", "read_file"]))),
            ("third".into(), Arc::new(Named("third", vec![long, "a_server__read_file"]))),
        ]);
        let check = |name: &str, expected: &str| {
            let call = ToolCall { id: "1".into(), name: name.into(), arguments: json!({}) };
            let answer = boxes.call(&call, &Stop::new());
            assert!(answer.text.starts_with(expected), "{name}: {}", answer.text);
        };
        check("read_file", "ours read_file");
        check("a_server__read_file", "theirs read_file");
        check("a_server2__read_file", "theirs read_file");
        check("other", "theirs other");
        check("third__a_server__read_file", "third a_server__read_file");
        check("none", "there is no tool `none`; there are: read_file, ");
        let names: Vec<String> = boxes.tools().into_iter().map(|tool| tool.name).collect();
        assert!(names.iter().all(|name| name.len() <= NAME_LETTERS), "{names:?}");
        assert_eq!(names.len(), 7, "{names:?}");
        assert_eq!(boxes.notes().len(), 4, "{:?}", boxes.notes());
    }
}
