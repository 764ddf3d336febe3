//! Owns what the lines of a CLI mean: text, uses of tools, refusals, errors, usage, and whether its last event came. Must
//! not know what is asked of a CLI, nor judge it. Never fails: a line that is no event is kept as talk.

use serde_json::Value;

use crate::contract::Usage;
use crate::limits::{MAX_PROBLEMS, MAX_QUOTE};
use crate::words::quote;

/// The most of an answer, and of lines that are no events, that is kept.
const ANSWER_BYTES: usize = 8 << 20;
const TALK_BYTES: usize = 64 << 10;

/// The forms in which CLIs tell what they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Goose,
    Pi,
    /// One entry of its journal a line, without a last event.
    Vibe,
    /// Text for people.
    Plain,
}

/// All that was heard of one attempt.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The last that the agent said.
    pub(crate) answer: String,
    /// The same as an object, from those that are held to a schema.
    pub(crate) structured: Option<Value>,
    pub(crate) usage: Usage,
    /// Uses of tools that were not allowed.
    pub(crate) refused: Vec<String>,
    /// Uses of tools that failed.
    pub(crate) failed: Vec<String>,
    /// What ended the work: the provider, a login, a limit.
    pub(crate) errors: Vec<String>,
    /// Whether the event came that ends every stream.
    pub(crate) is_over: bool,
    /// Lines that are no events.
    pub(crate) talk: String,
    /// The message that the answer belongs to.
    message: String,
}

impl Tongue {
    /// Whether a stream without its last event was cut off.
    pub(crate) fn has_last_event(self) -> bool {
        !matches!(self, Self::Vibe | Self::Plain)
    }
}

impl Heard {
    /// Takes one line; gives what people should see of it.
    pub(crate) fn line(&mut self, tongue: Tongue, line: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(line);
        if tongue == Tongue::Plain {
            return self.plain(&text);
        }
        let Some(event) = serde_json::from_str::<Value>(text.trim()).ok().filter(Value::is_object) else {
            keep(&mut self.talk, &text, TALK_BYTES);
            return None;
        };
        match tongue {
            Tongue::Claude => self.claude(&event),
            Tongue::Codex => self.codex(&event),
            Tongue::Gemini => self.gemini(&event),
            Tongue::Opencode => self.opencode(&event),
            Tongue::Goose => self.goose(&event),
            Tongue::Pi => self.pi(&event),
            Tongue::Vibe => self.vibe(&event),
            Tongue::Plain => None,
        }
    }

    fn claude(&mut self, event: &Value) -> Option<String> {
        match word(event, "/type") {
            "assistant" => {
                let mut shown = None;
                for part in list(event, "/message/content") {
                    shown = match word(part, "/type") {
                        "text" => self.say("", word(part, "/text")),
                        "tool_use" => Some(used(word(part, "/name"), &part["input"])),
                        _ => shown,
                    };
                }
                shown
            }
            "user" => {
                for part in list(event, "/message/content") {
                    if part["is_error"] == true {
                        self.failed(&text_of(&part["content"]));
                    }
                }
                None
            }
            "system" if word(event, "/subtype") == "api_retry" => {
                let status = event["error_status"].as_u64().map_or(String::new(), |status| format!(" {status}"));
                Some(format!("the provider answered with an error{status}: it tries again"))
            }
            "result" => {
                self.is_over = true;
                for denial in list(event, "/permission_denials") {
                    refuse(&mut self.refused, &used(word(denial, "/tool_name"), &denial["tool_input"]));
                }
                let said = word(event, "/result");
                if event["is_error"] == true || word(event, "/subtype").starts_with("error") {
                    let why = if said.is_empty() { word(event, "/subtype") } else { said };
                    self.error(why);
                } else if !said.is_empty() {
                    self.answer = bounded(said);
                }
                self.structured = Some(event["structured_output"].clone()).filter(Value::is_object);
                let usage = &event["usage"];
                let cached = count(usage, "/cache_read_input_tokens");
                self.usage = Usage {
                    input_tokens: count(usage, "/input_tokens") + cached + count(usage, "/cache_creation_input_tokens"),
                    output_tokens: count(usage, "/output_tokens"),
                    cached_tokens: cached,
                    cost_usd: event["total_cost_usd"].as_f64(),
                };
                None
            }
            _ => None,
        }
    }

    fn codex(&mut self, event: &Value) -> Option<String> {
        let item = &event["item"];
        match (word(event, "/type"), word(item, "/type")) {
            ("item.completed", "agent_message") => self.say("", word(item, "/text")),
            ("item.started", "command_execution") => Some(used("runs", &item["command"])),
            ("item.completed", "command_execution") => {
                if item["exit_code"].as_i64().is_some_and(|code| code != 0) || word(item, "/status") == "failed" {
                    self.failed(&format!("{}: {}", word(item, "/command"), word(item, "/aggregated_output")));
                }
                None
            }
            ("item.completed", "file_change") => {
                if word(item, "/status") == "failed" {
                    self.failed("a change of files");
                }
                Some(used("changes", &item["changes"][0]["path"]))
            }
            ("item.completed", "mcp_tool_call" | "web_search") => Some(used(word(item, "/type"), item)),
            // A warning: what ends the turn comes as `turn.failed`.
            ("item.completed", "error") => self.talks(word(item, "/message")),
            ("error", _) => self.talks(word(event, "/message")),
            ("turn.failed", _) => {
                self.is_over = true;
                self.error(word(event, "/error/message"));
                None
            }
            ("turn.completed", _) => {
                self.is_over = true;
                self.usage.input_tokens += count(event, "/usage/input_tokens");
                self.usage.output_tokens += count(event, "/usage/output_tokens");
                self.usage.cached_tokens += count(event, "/usage/cached_input_tokens");
                None
            }
            _ => None,
        }
    }

    fn gemini(&mut self, event: &Value) -> Option<String> {
        match word(event, "/type") {
            "message" if word(event, "/role") == "assistant" => {
                let shown = self.say("answer", word(event, "/content"));
                (event["delta"] != true).then_some(shown).flatten()
            }
            "tool_use" => {
                self.message.clear();
                Some(used(word(event, "/tool_name"), &event["parameters"]))
            }
            "tool_result" => {
                if word(event, "/status") == "error" {
                    self.failed(first(event, &["/error/message", "/output"]));
                }
                None
            }
            "error" => self.talks(word(event, "/message")),
            "result" => {
                self.is_over = true;
                if word(event, "/status") == "error" {
                    self.error(word(event, "/error/message"));
                }
                self.usage.input_tokens = count(event, "/stats/input_tokens");
                self.usage.output_tokens = count(event, "/stats/output_tokens");
                self.usage.cached_tokens = count(event, "/stats/cached");
                None
            }
            _ => None,
        }
    }

    fn opencode(&mut self, event: &Value) -> Option<String> {
        let part = &event["part"];
        match word(event, "/type") {
            "text" => self.say(word(part, "/messageID"), word(part, "/text")),
            "tool_use" => {
                if word(part, "/state/status") == "error" {
                    self.failed(first(part, &["/state/error", "/tool"]));
                }
                Some(used(word(part, "/tool"), &part["state"]["input"]))
            }
            "step_finish" => {
                self.is_over = word(part, "/reason") != "tool-calls";
                self.usage.input_tokens += count(part, "/tokens/input") + count(part, "/tokens/cache/read");
                self.usage.output_tokens += count(part, "/tokens/output");
                self.usage.cached_tokens += count(part, "/tokens/cache/read");
                self.cost(part["cost"].as_f64());
                None
            }
            "error" => {
                self.error(first(event, &["/error/data/message", "/error/message", "/error/name"]));
                None
            }
            _ => None,
        }
    }

    fn goose(&mut self, event: &Value) -> Option<String> {
        match word(event, "/type") {
            "message" => {
                let mut shown = None;
                for part in list(event, "/message/content") {
                    match word(part, "/type") {
                        "text" if word(event, "/message/role") == "assistant" => {
                            self.say(word(event, "/message/id"), word(part, "/text"));
                        }
                        "toolRequest" => {
                            let call = &part["toolCall"]["value"];
                            shown = Some(used(word(call, "/name"), &call["arguments"]));
                        }
                        "toolResponse" => {
                            let result = &part["toolResult"];
                            if word(result, "/status") == "error" || result["value"]["isError"] == true {
                                let said = text_of(&result["value"]["content"]);
                                self.failed(if said.is_empty() { word(result, "/error") } else { &said });
                            }
                        }
                        _ => {}
                    }
                }
                shown
            }
            "error" => {
                self.error(word(event, "/error"));
                None
            }
            "complete" => {
                self.is_over = true;
                self.usage.input_tokens = count(event, "/input_tokens");
                self.usage.output_tokens = count(event, "/output_tokens");
                self.usage.cached_tokens = count(event, "/cache_read_input_tokens");
                // It says so in its answer alone, and ends with exit code 0.
                if self.answer.starts_with("Ran into this error") {
                    let answer = std::mem::take(&mut self.answer);
                    self.error(&answer);
                }
                None
            }
            _ => None,
        }
    }

    fn pi(&mut self, event: &Value) -> Option<String> {
        match word(event, "/type") {
            "message_end" if word(event, "/message/role") == "assistant" => {
                let message = &event["message"];
                self.usage.input_tokens += count(message, "/usage/input") + count(message, "/usage/cacheRead");
                self.usage.output_tokens += count(message, "/usage/output");
                self.usage.cached_tokens += count(message, "/usage/cacheRead");
                self.cost(message.pointer("/usage/cost/total").and_then(Value::as_f64));
                self.errors.clear();
                if matches!(word(message, "/stopReason"), "error" | "aborted") {
                    self.error(first(message, &["/errorMessage", "/stopReason"]));
                }
                self.say("", &text_of(&message["content"]))
            }
            "tool_execution_start" => Some(used(word(event, "/toolName"), &event["args"])),
            "tool_execution_end" => {
                if event["isError"] == true {
                    self.failed(&text_of(&event["result"]["content"]));
                }
                None
            }
            "auto_retry_start" => Some(format!("it tries again: {}", quote(word(event, "/errorMessage"), MAX_QUOTE))),
            "agent_end" => {
                self.is_over = true;
                None
            }
            _ => None,
        }
    }

    fn vibe(&mut self, event: &Value) -> Option<String> {
        match (word(event, "/type"), word(event, "/role")) {
            ("message", "assistant") => self.say("", &text_of(&event["content"])),
            ("effect", _) => {
                if !matches!(word(event, "/state/status"), "completed" | "running" | "pending" | "") {
                    self.failed(first(event, &["/state/error", "/state/outputText", "/title"]));
                }
                Some(used(word(event, "/title"), &event["detail"]["input"]))
            }
            _ => None,
        }
    }

    fn plain(&mut self, text: &str) -> Option<String> {
        keep(&mut self.answer, text, ANSWER_BYTES);
        let tokens = text.strip_prefix("Tokens: ");
        if let Some((sent, rest)) = tokens.and_then(|rest| rest.split_once(" sent, ")) {
            self.usage.input_tokens += thousands(sent);
            self.usage.output_tokens += rest.split(' ').next().map_or(0, thousands);
            // Whoever counts tokens was answered: errors before were got over.
            self.errors.clear();
        } else if text.starts_with("litellm.") && text.contains("Error") {
            self.error(text);
        }
        None
    }

    /// Text of the agent. What belongs to the same message is added, another message takes its place.
    fn say(&mut self, message: &str, text: &str) -> Option<String> {
        if text.trim().is_empty() {
            return None;
        }
        if message.is_empty() || self.message != message {
            self.answer.clear();
            self.message = message.into();
        }
        let room = ANSWER_BYTES.saturating_sub(self.answer.len());
        self.answer.push_str(&text[..text.floor_char_boundary(room.min(text.len()))]);
        Some(quote(text.trim(), MAX_QUOTE))
    }

    /// A price of 0 is that of a model nobody has a price for.
    fn cost(&mut self, more: Option<f64>) {
        if let Some(more) = more.filter(|more| *more > 0.0) {
            self.usage.cost_usd = Some(self.usage.cost_usd.unwrap_or_default() + more);
        }
    }

    /// Something to know that ends nothing.
    fn talks(&mut self, text: &str) -> Option<String> {
        keep(&mut self.talk, text, TALK_BYTES);
        None
    }

    fn error(&mut self, text: &str) {
        let text = if text.is_empty() { "an error without a word" } else { text };
        refuse(&mut self.errors, &quote(text, 4 * MAX_QUOTE));
    }

    /// A tool that failed; one that was not allowed is told apart by its words, as there is nothing else.
    fn failed(&mut self, text: &str) {
        let lower = text.to_lowercase();
        let is_refusal = ["permission", "denied", "rejected", "not allowed", "read-only"];
        let list =
            if is_refusal.iter().any(|word| lower.contains(word)) { &mut self.refused } else { &mut self.failed };
        refuse(list, &quote(text, 2 * MAX_QUOTE));
    }
}

/// A tool in use, on a line.
fn used(tool: &str, with: &Value) -> String {
    let named = ["file_path", "filePath", "path", "absolute_path", "command", "pattern", "query", "url"];
    let with = match with {
        Value::Object(fields) => named.iter().find_map(|name| fields.get(*name)?.as_str()).unwrap_or_default(),
        other => other.as_str().unwrap_or_default(),
    };
    quote(format!("{tool} {with}").trim_end(), MAX_QUOTE)
}

fn refuse(list: &mut Vec<String>, what: &str) {
    if list.len() < MAX_PROBLEMS && !list.iter().any(|one| one == what) {
        list.push(what.into());
    }
}

fn bounded(text: &str) -> String {
    text[..text.floor_char_boundary(ANSWER_BYTES.min(text.len()))].into()
}

fn keep(into: &mut String, line: &str, most: usize) {
    if into.len() + line.len() < most {
        into.push_str(line);
        into.push('\n');
    }
}

fn word<'e>(event: &'e Value, pointer: &str) -> &'e str {
    event.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The first of several places at which there is a text.
fn first<'e>(event: &'e Value, pointers: &[&str]) -> &'e str {
    pointers.iter().map(|pointer| word(event, pointer)).find(|text| !text.is_empty()).unwrap_or_default()
}

fn list<'e>(event: &'e Value, pointer: &str) -> &'e [Value] {
    event.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn count(event: &Value, pointer: &str) -> u64 {
    event.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// A text, or the texts of its parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| word(part, "/text")).collect::<Vec<_>>().concat(),
        _ => String::new(),
    }
}

/// `622` or `1.2k`.
fn thousands(text: &str) -> u64 {
    let (digits, times) = text.strip_suffix('k').map_or((text, 1.0), |digits| (digits, 1000.0));
    digits.replace(',', "").parse::<f64>().map_or(0, |number| (number * times).round() as u64)
}
