//! What a role may do with its tools: rules that allow, ask or deny, in order, each of which can carry examples that are
//! checked when it is read. Plain data; whoever reads a configuration makes it. Must not know any role, nor run a tool
//! that is not granted.
//!
//! A rule names a tool and, after a colon, its argument: `run_shell_command: git status*`, `web_fetch:
//! https://docs.example.org/*`, `mcp__files__*`. A `*` stands for any letters. The first rule that matches decides; if a
//! call asks for several things, as a command line of several commands, each is decided on its own and the strictest
//! answer counts.
//!
//! A rule that allows is read strictly: a command with redirections, substitutions or variables is matched only by a rule
//! that writes them out, and one that is not understood by none but `*`. Rules that ask or deny are read widely: the
//! program may stand behind others (`env git push`), or in quotes. Even so, denying names is for accidents; what keeps a
//! hostile agent in is the sandbox.

mod asking;
mod commands;
mod granted;
mod subject;

use std::path::Path;

use self::commands::{Besides, Simple, simple_commands};
use self::subject::{Subject, is_deceptive, of_text, subjects};
use crate::ToolCall;

pub use self::asking::{Verdict, answered, question, written_out};
pub use self::granted::Granted;

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Allow,
    Ask,
    Deny,
}

impl Effect {
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// One rule, with examples of what it matches and what it does not: arguments of its tool, or `TOOL: ARGUMENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub effect: Effect,
    /// `TOOL` or `TOOL: ARGUMENT`; `*` stands for any letters.
    pub pattern: String,
    pub matches: Vec<String>,
    pub misses: Vec<String>,
}

impl Rule {
    pub fn new(effect: Effect, pattern: impl Into<String>) -> Self {
        Self { effect, pattern: pattern.into(), matches: Vec::new(), misses: Vec::new() }
    }

    /// Whether it can be used, by its own examples; `number` is its place among the others, for the message.
    pub fn check(&self, number: usize) -> Result<(), GrantProblem> {
        check(number, self)
    }

    /// As messages show it.
    fn shown(&self) -> String {
        format!("{} `{}`", self.effect.word(), self.pattern)
    }
}

/// Why rules cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantProblem {
    #[error("rule {number}, {rule}: {why}")]
    Pattern { number: usize, rule: String, why: String },

    #[error(
        "rule {number}, {rule}: its example `{example}` should match, but does not: mend the pattern or the example"
    )]
    DoesNotMatch { number: usize, rule: String, example: String },

    #[error(
        "rule {number}, {rule}: its example `{example}` should not match, but does: mend the pattern or the example"
    )]
    Matches { number: usize, rule: String, example: String },
}

/// The rules of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    rules: Vec<Rule>,
    otherwise: Effect,
}

/// What was decided on a call, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub effect: Effect,
    /// What of the call it was decided on.
    pub subject: String,
    /// The rule, with its number; nothing if none matched.
    pub rule: Option<String>,
}

impl Grants {
    /// Checks the rules with their examples. `otherwise` decides where no rule matches.
    pub fn new(rules: Vec<Rule>, otherwise: Effect) -> Result<Self, GrantProblem> {
        for (number, rule) in (1..).zip(&rules) {
            rule.check(number)?;
        }
        Ok(Self { rules, otherwise })
    }

    /// Nothing at all.
    pub fn nothing() -> Self {
        Self { rules: Vec::new(), otherwise: Effect::Deny }
    }

    /// Everything, without a question.
    pub fn everything() -> Self {
        Self { rules: Vec::new(), otherwise: Effect::Allow }
    }

    /// What the rules say to a call. Paths are taken from the project, if it is given.
    pub fn decide(&self, call: &ToolCall, project: Option<&Path>) -> Decision {
        let subjects = subjects(call, project);
        let decided = subjects.iter().map(|subject| self.decide_one(&call.name, subject));
        // The first of the strictest.
        let strictest = decided.reduce(|strictest, next| if next.effect > strictest.effect { next } else { strictest });
        strictest.unwrap_or_else(|| Decision { effect: self.otherwise, subject: String::new(), rule: None })
    }

    /// Whether there is any call of a tool that is not denied.
    pub fn offers(&self, tool: &str) -> bool {
        for rule in &self.rules {
            let (name, argument) = parts(&rule.pattern);
            if wild(name, tool) {
                match (rule.effect, argument.is_none_or(|argument| argument == "*")) {
                    (Effect::Deny, true) => return false,
                    (Effect::Deny, false) => {}
                    _ => return true,
                }
            }
        }
        self.otherwise != Effect::Deny
    }

    fn decide_one(&self, tool: &str, subject: &Subject) -> Decision {
        let matching = (1..).zip(&self.rules).find(|(_, rule)| matches(rule, tool, subject));
        Decision {
            effect: matching.map_or(self.otherwise, |(_, rule)| rule.effect),
            subject: subject.text(),
            rule: matching.map(|(number, rule)| format!("rule {number}, {}", rule.shown())),
        }
    }
}

/// The tool and the argument of a pattern.
fn parts(pattern: &str) -> (&str, Option<&str>) {
    match pattern.split_once(':') {
        Some((tool, argument)) => (tool.trim(), Some(argument.trim())),
        None => (pattern.trim(), None),
    }
}

fn check(number: usize, rule: &Rule) -> Result<(), GrantProblem> {
    let (tool, argument) = parts(&rule.pattern);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '*' | '.');
    let why = if tool.is_empty() || !tool.chars().all(is_name) {
        Some("expected `TOOL` or `TOOL: ARGUMENT`, the tool of letters, digits, `_`, `-`, `.` and `*`")
    } else if argument == Some("") {
        Some("there is nothing after the colon: leave it out, or name the argument")
    } else {
        None
    };
    if let Some(why) = why {
        return Err(GrantProblem::Pattern { number, rule: rule.shown(), why: why.into() });
    }
    for (examples, expected) in [(&rule.matches, true), (&rule.misses, false)] {
        for example in examples {
            if matches_example(rule, example) != expected {
                let (rule, example) = (rule.shown(), example.clone());
                return Err(match expected {
                    true => GrantProblem::DoesNotMatch { number, rule, example },
                    false => GrantProblem::Matches { number, rule, example },
                });
            }
        }
    }
    Ok(())
}

/// An example matches as a call would: a rule that allows must match all of it, another any part.
fn matches_example(rule: &Rule, example: &str) -> bool {
    let (pattern, argument) = parts(&rule.pattern);
    let named = example.split_once(':').map(|(tool, argument)| (tool.trim(), argument.trim()));
    let (tool, text) = match named {
        Some((tool, text)) if wild(pattern, tool) => (tool, text),
        _ if argument.is_none() => (example.trim(), ""),
        _ => (pattern, example),
    };
    let subjects = of_text(tool, text, None);
    match rule.effect {
        Effect::Allow => subjects.iter().all(|subject| matches(rule, tool, subject)),
        _ => subjects.iter().any(|subject| matches(rule, tool, subject)),
    }
}

fn matches(rule: &Rule, tool: &str, subject: &Subject) -> bool {
    let (name, argument) = parts(&rule.pattern);
    if !wild(name, tool) {
        return false;
    }
    match argument {
        None | Some("*") => true,
        Some(pattern) if rule.effect == Effect::Allow => matches_strictly(pattern, subject),
        Some(pattern) => matches_widely(pattern, subject),
    }
}

fn matches_strictly(pattern: &str, subject: &Subject) -> bool {
    match subject {
        Subject::Command(simple) => {
            simple.besides.iter().all(|what| names(pattern, *what, simple)) && wild(pattern, &simple.text())
        }
        Subject::Path { meant, .. } => wild(pattern, meant),
        Subject::Address(address) => !is_deceptive(address) && wild(pattern, address),
        Subject::Text(text) => wild(pattern, text),
    }
}

/// Whether a pattern writes out what a command holds besides words.
fn names(pattern: &str, what: Besides, simple: &Simple) -> bool {
    match what {
        // Exactly those, each a word of its own: `sort < *` does not let `sort < x > y` write.
        Besides::Redirection => {
            pattern.split_whitespace().filter(|word| word.starts_with(['>', '<'])).eq(&simple.redirections)
        }
        Besides::Substitution => pattern.contains("$(") || pattern.contains('`'),
        Besides::Variable => pattern.contains('$'),
        Besides::Unclear => false,
    }
}

fn matches_widely(pattern: &str, subject: &Subject) -> bool {
    match subject {
        Subject::Command(simple) => matches_somewhere(pattern, simple, 0),
        Subject::Path { meant, given } => {
            let folder = pattern.strip_suffix("/*").is_some_and(|folder| wild(folder, meant));
            folder || wild(pattern, meant) || wild(pattern, given)
        }
        Subject::Address(text) | Subject::Text(text) => wild(&pattern.to_ascii_lowercase(), &text.to_ascii_lowercase()),
    }
}

/// How deep commands that are arguments of others (`sh -c '…'`) are looked into.
const DEPTH: usize = 4;

/// From any word on, since the program may stand behind others; by its name, whatever folder it is called from; and in
/// words that are command lines themselves.
fn matches_somewhere(pattern: &str, simple: &Simple, depth: usize) -> bool {
    let from_any_word = (0..simple.words.len()).any(|first| {
        let words = &simple.words[first..];
        let name = words[0].rsplit('/').next().unwrap_or_default();
        let called = [&[name.to_string()], &words[1..]].concat().join(" ");
        wild(pattern, &words.join(" ")) || wild(pattern, &called)
    });
    let inside = |word: &String| {
        depth < DEPTH
            && word.contains([' ', ';', '|', '&'])
            && simple_commands(word).iter().any(|simple| matches_somewhere(pattern, simple, depth + 1))
    };
    from_any_word || simple.words.iter().any(inside)
}

/// Whether a text is what a pattern says, `*` standing for any letters.
fn wild(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut place) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while place < text.len() {
        match pattern.get(at) {
            Some('*') => {
                back = Some((at, place));
                at += 1;
            }
            Some(letter) if *letter == text[place] => {
                at += 1;
                place += 1;
            }
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    at = star + 1;
                    place = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests;
