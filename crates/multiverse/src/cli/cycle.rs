//! `multiverse cycle`: goals and their records. Hands a file to the engine's reader and shows what it says; what a block
//! means is decided there.

mod archive;
mod begin;
mod status;

use std::path::{Path, PathBuf};

use engine::cycle::{Block, Deviation, Meaning, Order, Reading, Route, Weight, read};
use serde::Serialize;

use super::documents;
use super::exit::Exit;
use super::failure::Failure;
use super::output::{BAD, Form, GOOD, HINT, Output, PLACE, counted};
use super::project::Start;
use super::resolve;
use super::snippet::{self, ProblemView};
use super::visible;

pub(crate) use begin::{Goal, write_settings};

/// Look at a goal and its record: plan, act, judge
///
/// `multiverse run --protocol cycle "the goal"` sets a goal: loop by loop a Planner says
/// what is to be reached, an Actor does it on a branch of its own, the engine measures
/// the change and runs the checks of multiverse.toml, and a Judge says how far it is.
/// You are asked where a word of yours is due; `multiverse answer` gives it.
///
/// Records are Markdown: a goal, and a SIGNAL BLOCK for each turn of the Human, the
/// Planner, the Actor and the Judge. `cycle check` reads any such file, in whatever
/// form somebody wrote it.
///
/// Exit codes: 0 nothing is odd, 1 something is, or a file cannot be read, 2 usage
///
/// Examples:
///   multiverse cycle status
///   multiverse cycle check docs/context/current_cycle.md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Where the goal stands, and what is asked of you
    ///
    /// The loop that is under way, the newest turns, the branch, the checks, and the
    /// commands that answer what is asked. With --json, the run as one object.
    ///
    /// Exit codes: 0 done, 1 error, 5 there is no cycle
    ///
    /// Examples:
    ///   multiverse cycle status
    #[command(verbatim_doc_comment)]
    Status,

    /// The goals that are over
    ///
    /// Each record in docs/context/archive/ with how its goal ended: complete, incomplete
    /// (it was stopped) or failed. With --json, one object a line: {"archived": …}.
    ///
    /// Exit codes: 0 done, 1 error, 5 there is none
    #[command(verbatim_doc_comment)]
    Archive,

    /// Name every block of a record, its meaning, and what is odd about it
    ///
    /// Each block is told with its signature, agent, result and confidence, and with where
    /// it leads; below, everything that is not as it should be: the place as
    /// file:line:column, the line itself, and how to mend it. Blocks are read in any form:
    /// bullets, bold keys, one line, tables, newest first. What is not clear is not
    /// guessed: such a block asks the Human. Nothing is changed.
    ///
    /// With --json, one object a line: {"block": …}, {"deviation": …}, {"error": …} for a
    /// file that cannot be read, {"summary": …} at the end.
    ///
    /// Examples:
    ///   multiverse cycle check docs/context/current_cycle.md
    ///   multiverse cycle check --json docs/context/current_cycle.md
    #[command(verbatim_doc_comment)]
    Check {
        /// Records, or `-` for stdin
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

/// The lines of `--json`: the key says what the object is.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Block(BlockView<'a>),
    Deviation(DeviationView<'a>),
    Summary(&'a Summary),
}

#[derive(Serialize)]
struct BlockView<'a> {
    path: &'a str,
    line: usize,
    start: usize,
    end: usize,
    signature: Option<String>,
    agent: Option<&'static str>,
    result: Option<&'static str>,
    confidence: Option<u8>,
    next: Option<&'static str>,
    goes_to: Option<&'static str>,
    meaning: String,
    /// What stands there of the fields that decide, word for word.
    written: Vec<(&'static str, &'a str)>,
    summary: &'a str,
    context: &'a str,
    fields: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize)]
struct DeviationView<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
    weight: &'static str,
    message: &'a str,
    hint: &'a str,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
struct Summary {
    records: usize,
    blocks: usize,
    asking: usize,
    deviations: usize,
    errors: usize,
}

impl Arguments {
    pub(crate) fn run(&self, project: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let files = match &self.what {
            What::Status => return status::show(&Start::of_process(project)?, output),
            What::Archive => return archive::list(&Start::of_process(project)?, output),
            What::Check { files } => files,
        };
        let mut summary = Summary::default();
        for file in files {
            let path = resolve(project, file);
            match documents::read(&path) {
                Ok(bytes) => {
                    let shown =
                        if documents::is_stdin(&path) { "<stdin>".into() } else { path.to_string_lossy().into_owned() };
                    check(&shown, &bytes, &mut summary, output)?;
                }
                Err(failure) => {
                    summary.errors += 1;
                    output.failure(&failure)?;
                }
            }
        }
        if output.form() == Form::Json {
            output.json(&Line::Summary(&summary))?;
        } else if summary.records > 0 {
            let odd = match summary.deviations {
                0 => format!("{GOOD}nothing is odd{GOOD:#}"),
                odd => counted(odd, "deviation"),
            };
            let asking = match summary.asking {
                0 => String::new(),
                asking => format!(", {asking} of them ask the Human"),
            };
            output.say(&format!("{}{asking}; {odd}", counted(summary.blocks, "block")))?;
        }
        Ok(if summary.deviations + summary.errors == 0 { Exit::Done } else { Exit::Error })
    }
}

fn check(path: &str, bytes: &[u8], summary: &mut Summary, output: &mut Output) -> Result<(), Failure> {
    let reading = read(bytes);
    summary.records += 1;
    summary.blocks += reading.blocks.len();
    summary.asking += reading.blocks.iter().filter(|block| matches!(block.meaning, Meaning::Asks(_))).count();
    match output.form() {
        Form::Json => {
            for block in &reading.blocks {
                output.json(&Line::Block(view_of(path, block)))?;
            }
        }
        Form::Text => output.data(&told(path, &reading))?,
    }
    for one in reading.all_deviations() {
        summary.deviations += 1;
        show(path, bytes, one, output)?;
    }
    Ok(())
}

fn show(path: &str, bytes: &[u8], one: &Deviation, output: &mut Output) -> Result<(), Failure> {
    match output.form() {
        Form::Json => output.json(&Line::Deviation(DeviationView {
            path,
            line: one.line,
            column: one.column,
            start: one.span.start,
            end: one.span.end,
            weight: match one.weight {
                Weight::Form => "form",
                Weight::Rule => "rule",
                Weight::Unclear => "unclear",
            },
            message: &one.reason,
            hint: &one.mend,
        }))?,
        Form::Text => output.data(&snippet::render(&ProblemView {
            path,
            line: one.line,
            column: one.column,
            message: &one.reason,
            hint: Some(one.mend.as_str()).filter(|hint| !hint.is_empty()),
            document: bytes,
            span: one.span.clone(),
        }))?,
    }
    Ok(())
}

/// The blocks of a record, a line each.
fn told(path: &str, reading: &Reading) -> String {
    let header = &reading.header;
    let id = header.cycle_id.as_deref().unwrap_or("without an id");
    let order = match reading.order {
        Order::OldestFirst => "",
        Order::NewestFirst => ", written newest first",
    };
    let goal = header.goal.lines().next().unwrap_or("no goal is given");
    let mut text = format!(
        "{PLACE}{}{PLACE:#}: cycle {}{order}: {}\n",
        visible::text(path),
        visible::text(id),
        visible::text(goal)
    );
    for block in &reading.blocks {
        let name = |name: Option<String>| name.unwrap_or_else(|| "?".into());
        let confidence = block.confidence.map_or_else(String::new, |sure| format!(" ({sure})"));
        let style = if matches!(block.meaning, Meaning::Asks(_)) { BAD } else { HINT };
        text.push_str(&format!(
            "  {:>5}  {:<10} {:<8} {}{confidence}  {style}{}{style:#}\n",
            block.line,
            name(block.signature.map(|signature| signature.to_string())),
            name(block.agent.map(|agent| agent.to_string())),
            block.result.map_or_else(|| unread(block, "Result"), |result| result.to_string()),
            visible::text(&meaning(block)),
        ));
    }
    let row = reading.insufficient_in_a_row();
    if row > 1 {
        text.push_str(&format!("  INSUFFICIENT {row} times in a row\n"));
    }
    text
}

/// What stands where a word could not be read.
fn unread(block: &Block, key: &str) -> String {
    const MOST: usize = 24;
    let written = block.written.iter().find(|(name, _)| *name == key).map(|(_, value)| value.trim());
    match written.filter(|value| !value.is_empty()) {
        Some(value) => format!("?{}", visible::text(&value.chars().take(MOST).collect::<String>())),
        None => "?".into(),
    }
}

fn meaning(block: &Block) -> String {
    match &block.meaning {
        Meaning::Goes(Route::To(party)) => format!("goes to the {party}"),
        Meaning::Goes(Route::Human(reason)) => format!("goes to the Human: {reason}"),
        Meaning::Goes(Route::End) => "ends the cycle".into(),
        Meaning::Asks(reason) => format!("asks the Human: {reason}"),
    }
}

fn view_of<'a>(path: &'a str, block: &'a Block) -> BlockView<'a> {
    BlockView {
        path,
        line: block.line,
        start: block.span.start,
        end: block.span.end,
        signature: block.signature.map(|signature| signature.to_string()),
        agent: block.agent.map(|agent| agent.name()),
        result: block.result.map(|result| result.name()),
        confidence: block.confidence,
        next: block.next.map(|next| next.name()),
        goes_to: match &block.meaning {
            Meaning::Goes(route) => route.party().map(|party| party.name()),
            Meaning::Asks(_) => Some("Human"),
        },
        meaning: meaning(block),
        written: block.written.iter().map(|(key, value)| (*key, value.as_str())).collect(),
        summary: &block.summary,
        context: &block.context,
        fields: block.fields.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect(),
    }
}
