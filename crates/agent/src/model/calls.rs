//! Owns the calls of one turn: checked, made at the same time up to a bound, answered whatever happens; and that the same
//! call is not made for ever. Must not know any one tool, nor how calls travel.

use std::collections::HashMap;

use serde_json::Value;
use tools::{Stop, Tool, ToolAnswer, ToolCall, Toolbox};

use super::message::Call;
use crate::validate::validate;
use crate::words::quote;

/// How often the same call may bring the same answer until it counts as repeated.
const REPEATED_AFTER: u32 = 2;
/// And until the model is told.
const TOLD_AFTER: u32 = 3;
/// And until its work is ended.
const ENDED_AFTER: u32 = 6;
/// The longest answer that is handed on, in bytes. Boxes bound their answers; this is for those that do not.
const ANSWER_BYTES: usize = 256 << 10;
/// The most calls of one turn that are made.
const CALLS: usize = 64;

/// The calls of an attempt.
pub(super) struct Calls<'a> {
    toolbox: &'a dyn Toolbox,
    tools: Vec<Tool>,
    parallel: usize,
    /// How often a call brought an answer.
    seen: HashMap<(String, String, String), u32>,
    made: u32,
}

/// What came of the calls of a turn.
pub(super) struct Made {
    pub(super) answers: Vec<ToolAnswer>,
    /// Those that a tool has answered, with what it said.
    pub(super) made: Vec<(ToolCall, ToolAnswer)>,
    /// The call that is made for ever.
    pub(super) endless: Option<String>,
    /// Whether one of them was made before, and answered the same.
    pub(super) repeated: bool,
}

impl<'a> Calls<'a> {
    pub(super) fn new(toolbox: &'a dyn Toolbox, parallel: usize) -> Self {
        Self { toolbox, tools: toolbox.tools(), parallel: parallel.max(1), seen: HashMap::new(), made: 0 }
    }

    pub(super) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Makes the calls of one turn, in groups that run at the same time; answers come in the order of the calls.
    pub(super) fn make(&mut self, calls: &[Call], stop: &Stop) -> Made {
        let numbered: Vec<(u32, &Call)> = (self.made + 1..).zip(calls).collect();
        self.made += u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let (mut answers, mut made) = (Vec::with_capacity(calls.len()), Vec::new());
        let most = numbered.len().min(CALLS);
        for group in numbered[..most].chunks(self.parallel) {
            for (call, answer) in self.make_group(group, stop) {
                made.extend(call.map(|call| (call, answer.clone())));
                answers.push(answer);
            }
        }
        let too_many =
            || ToolAnswer::wrong(format!("more than {CALLS} calls in one turn are not made: make fewer at a time"));
        answers.resize_with(calls.len(), too_many);
        let (mut endless, mut repeated) = (None, false);
        for (call, answer) in calls.iter().zip(&mut answers) {
            let times = self.times(call, answer);
            repeated |= times >= REPEATED_AFTER;
            if times >= ENDED_AFTER {
                endless = Some(format!("{} {}", call.name, shown(call, 120)));
            } else if times >= TOLD_AFTER {
                answer.text = format!(
                    "You have made this same call {times} times and it always answers the same. Do something else, or give your report.\n{}",
                    answer.text
                );
            }
        }
        Made { answers, made, endless, repeated }
    }

    fn times(&mut self, call: &Call, answer: &ToolAnswer) -> u32 {
        let arguments = call.arguments.as_ref().map_or_else(String::clone, Value::to_string);
        let key = (call.name.clone(), arguments, quote(&answer.text, 2000));
        let times = self.seen.entry(key).or_insert(0);
        *times += 1;
        *times
    }

    fn make_group(&self, group: &[(u32, &Call)], stop: &Stop) -> Vec<(Option<ToolCall>, ToolAnswer)> {
        if let [(number, call)] = group {
            return vec![self.make_one(*number, call, stop)];
        }
        std::thread::scope(|scope| {
            let running: Vec<_> =
                group.iter().map(|(number, call)| scope.spawn(|| self.make_one(*number, call, stop))).collect();
            let broken = |_| (None, ToolAnswer::wrong("the tool broke down; this is a fault of ours"));
            running.into_iter().map(|thread| thread.join().unwrap_or_else(broken)).collect()
        })
    }

    /// What a person must be asked before the calls of a turn are made, each written out. None of them is made before
    /// that: the work begins anew then, and would make the others twice.
    pub(super) fn asked(&self, calls: &[Call]) -> Vec<(ToolCall, String)> {
        let checked = calls.iter().take(CALLS).filter_map(|call| self.checked(0, call).ok());
        let mut asked: Vec<(ToolCall, String)> = Vec::new();
        for (call, written) in checked.filter_map(|call| self.toolbox.asks(&call).map(|written| (call, written))) {
            if !asked.iter().any(|(_, other)| *other == written) {
                asked.push((call, written));
            }
        }
        asked
    }

    fn make_one(&self, number: u32, call: &Call, stop: &Stop) -> (Option<ToolCall>, ToolAnswer) {
        let call = match self.checked(number, call) {
            Ok(call) => call,
            Err(answer) => return (None, answer),
        };
        let mut answer = self.toolbox.call(&call, stop);
        if answer.text.len() > ANSWER_BYTES {
            let mut end = ANSWER_BYTES;
            while !answer.text.is_char_boundary(end) {
                end -= 1;
            }
            answer.text.truncate(end);
            answer.text.push_str("\n(the rest is left out)");
        }
        (Some(call), answer)
    }

    /// A call as the toolbox takes it; or what is wrong with it.
    fn checked(&self, number: u32, call: &Call) -> Result<ToolCall, ToolAnswer> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let name = quote(&call.name, 80);
            return Err(ToolAnswer::wrong(format!("there is no tool `{name}`; there are: {}", names.join(", "))));
        };
        let arguments = match &call.arguments {
            Ok(arguments) => arguments.clone(),
            Err(problem) => {
                return Err(ToolAnswer::wrong(format!("{problem}; expected an object by the tool's schema")));
            }
        };
        let problems = validate(&tool.parameters, &arguments);
        if !problems.is_empty() {
            let problems = problems.join("; ");
            return Err(ToolAnswer::wrong(format!("the arguments of {} are wrong: {problems}", tool.name)));
        }
        Ok(ToolCall { id: format!("call-{number}"), name: tool.name.clone(), arguments })
    }
}

/// A call as a line of progress shows it: its first text, which mostly is a path.
pub(super) fn shown(call: &Call, most: usize) -> String {
    match &call.arguments {
        Ok(Value::Object(fields)) => {
            let first = fields.values().find_map(Value::as_str).map(|text| quote(text, most));
            first.unwrap_or_default()
        }
        Ok(other) => quote(&other.to_string(), most),
        Err(_) => "with arguments that cannot be read".into(),
    }
}

/// The call that a model wrote as text, because it has no other way.
pub(super) fn call_in_text(value: &Value, tools: &[Tool]) -> Option<Call> {
    let value = value.get(0).unwrap_or(value);
    let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = ["name", "tool", "tool_name"].iter().find_map(|field| function.get(*field)?.as_str())?;
    let arguments = ["arguments", "parameters", "args", "input"].iter().find_map(|field| function.get(*field))?;
    tools.iter().any(|tool| tool.name == name).then(|| {
        let arguments = arguments.as_str().map_or_else(|| arguments.to_string(), String::from);
        Call::of_text("", name, &arguments)
    })
}

/// The same of a text that is nothing else: then it is a call also if there is no such tool, and no text for a file.
pub(super) fn call_alone(value: &Value, tools: &[Tool]) -> Option<Call> {
    call_in_text(value, tools).or_else(|| {
        let fields = value.as_object().filter(|fields| fields.len() == 2)?;
        let (name, arguments) = (fields.get("name")?.as_str()?, fields.get("arguments")?.as_object()?);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        let arguments = Ok(Value::Object(arguments.clone()));
        name.chars().all(is_name).then(|| Call { id: String::new(), name: name.into(), arguments })
    })
}

/// What a call would write into the one file that is asked for, whatever folder it says: a small model loses the way, not
/// the name. One that was told so and names another file all the same, of the same kind, follows what others planned: it knows
/// no better, and what it would write is what it has to say.
pub(super) fn content_of<'c>(call: &'c Call, outputs: &[String], repairs: u32) -> Option<&'c str> {
    let (Ok(arguments), [output]) = (&call.arguments, outputs) else { return None };
    let content = arguments.get("content")?.as_str()?;
    let texts = arguments.as_object()?.iter().filter(|(key, _)| *key != "content");
    let paths: Vec<&str> = texts.filter_map(|(_, text)| text.as_str()).collect();
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let kind = |path: &str| name(path).rsplit_once('.').map(|(_, kind)| kind.to_string());
    let is_meant = |path: &&str| name(path) == name(output) || repairs > 0 && kind(path) == kind(output);
    paths.iter().any(is_meant).then_some(content)
}
