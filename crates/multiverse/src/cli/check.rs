//! `multiverse check`: what is odd in documents. Finds the documents, hands them to their codec and shows the problems.
//! What a problem is, is the codec's business, and the protocol's for documents of a project.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::documents::{self, Format, Named};
use super::exit::Exit;
use super::failure::Failure;
use super::output::{Form, GOOD, Output, counted};
use super::resolve;
use super::snippet::{self, ProblemView};
use super::visible;

/// Look for problems in documents
///
/// Reads Markdown (.md, .markdown), YAML (.yaml, .yml) and JSON (.json) and shows
/// what is odd in them: the place as file:line:column, the line itself, and how to
/// mend it. Columns are counted in characters, from 1. Below a folder every
/// document is checked, but for .git, .multiverse, target and symbolic links. In a
/// project its tables are looked at as the engine does: rows that are there twice,
/// words that are no status, settings that do not fit; so are the task files and logs
/// of roadmaps. Nothing is changed.
///
/// With --json, one object a line: {"problem": …} for each problem, {"error": …}
/// for each file that could not be read, {"summary": …} at the end.
///
/// Exit codes: 0 no problems, 1 problems or unreadable files, 2 usage
///
/// Examples:
///   multiverse check README.md
///   multiverse check docs/ plan.yaml
///   cat notes.txt | multiverse check - --as md
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Documents, folders, or `-` for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// What the named files are, whatever their endings
    #[arg(long = "as", value_name = "FORMAT")]
    format: Option<Format>,
}

/// What was found so far.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
struct Summary {
    documents: usize,
    problems: usize,
    errors: usize,
}

/// The lines of `--json`: the key says what the object is.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Problem {
        path: &'a str,
        line: usize,
        column: usize,
        start: usize,
        end: usize,
        code: &'static str,
        message: &'a str,
        hint: &'a str,
    },
    Summary(&'a Summary),
}

impl Arguments {
    pub(crate) fn run(&self, project: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let find = |file: &PathBuf| documents::find(&resolve(project, file), self.format);
        let found: Vec<_> = self.files.iter().map(find).collect();
        // A command line that is not right is refused before anything is shown.
        let mut failures = found.iter().flat_map(|(_, failures)| failures);
        if let Some(usage) = failures.find(|failure| failure.exit() == Exit::Usage) {
            return Err(usage.clone());
        }
        let mut summary = Summary::default();
        for (documents, failures) in &found {
            for document in documents {
                match documents::read(&document.path) {
                    Ok(bytes) => check_one(document, &bytes, &mut summary, output)?,
                    Err(failure) => summary.add_failure(&failure, output)?,
                }
            }
            for failure in failures {
                summary.add_failure(failure, output)?;
            }
        }
        summary.show(output)?;
        Ok(if summary.problems + summary.errors == 0 { Exit::Done } else { Exit::Error })
    }
}

impl Summary {
    fn add_failure(&mut self, failure: &Failure, output: &mut Output) -> Result<(), Failure> {
        self.errors += 1;
        Ok(output.failure(failure)?)
    }

    fn show(&self, output: &mut Output) -> Result<(), Failure> {
        if output.form() == Form::Json {
            return Ok(output.json(&Line::Summary(self))?);
        }
        let problems = match self.problems {
            0 => format!("{GOOD}no problems{GOOD:#}"),
            problems => counted(problems, "problem"),
        };
        // Where there was nothing to look at, the errors have said it all.
        if self.documents > 0 {
            output.say(&format!("{problems} in {}", counted(self.documents, "document")))?;
        }
        Ok(())
    }
}

fn check_one(document: &Named, bytes: &[u8], summary: &mut Summary, output: &mut Output) -> Result<(), Failure> {
    let path = document.shown_path();
    let mut problems: Vec<Odd> = problems_of(document.format, bytes).into_iter().map(Odd::from).collect();
    problems.extend(by_protocol(&document.path, bytes));
    problems.sort_by_key(|problem| (problem.line, problem.column));
    summary.documents += 1;
    summary.problems += problems.len();
    output.detail(&format!("{}: {}", visible::text(&path), counted(problems.len(), "problem")))?;
    for problem in &problems {
        match output.form() {
            Form::Json => output.json(&Line::Problem {
                path: &path,
                line: problem.line,
                column: problem.column,
                start: problem.span.start,
                end: problem.span.end,
                code: problem.code,
                message: &problem.message,
                hint: &problem.hint,
            })?,
            Form::Text => output.data(&snippet::render(&ProblemView {
                path: &path,
                line: problem.line,
                column: problem.column,
                message: &problem.message,
                hint: Some(problem.hint.as_str()).filter(|hint| !hint.is_empty()),
                document: bytes,
                span: problem.span.clone(),
            }))?,
        }
    }
    Ok(())
}

/// One problem, of form or of meaning.
struct Odd {
    line: usize,
    column: usize,
    span: Range<usize>,
    code: &'static str,
    message: String,
    hint: String,
}

impl From<syntax::Problem> for Odd {
    fn from(problem: syntax::Problem) -> Self {
        let syntax::Problem { code, span, line, column, message, hint } = problem;
        Self { line, column, span, code: code.name(), message, hint }
    }
}

/// What a document of a project says that its protocol does not know.
fn by_protocol(path: &Path, bytes: &[u8]) -> Vec<Odd> {
    let Ok(path) = path.canonicalize() else { return Vec::new() };
    let is_project = |folder: &&Path| folder.join(".multiverse").is_dir() || folder.join(".jixo").is_dir();
    let root = path.ancestors().skip(1).find(is_project);
    let Some((root, inside)) = root.and_then(|root| Some((root, path.strip_prefix(root).ok()?.to_str()?))) else {
        return Vec::new();
    };
    let odd = engine::odd_in(root, inside).into_iter();
    odd.map(|problem| {
        let (message, hint) = problem.reason.rsplit_once("; ").unwrap_or((&problem.reason, ""));
        Odd {
            line: problem.line,
            column: problem.column,
            span: cell_at(bytes, problem.line, problem.column),
            code: "protocol",
            message: message.into(),
            hint: hint.into(),
        }
    })
    .collect()
}

/// The bytes of the cell, or the line, that begins at a place.
fn cell_at(bytes: &[u8], line: usize, column: usize) -> Range<usize> {
    let before: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take(line.saturating_sub(1)).map(<[u8]>::len).sum();
    let rest = bytes.get(before..).unwrap_or_default();
    let shown = String::from_utf8_lossy(rest.split(|byte| *byte == b'\n').next().unwrap_or_default());
    let start: usize = shown.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    let cell = shown.get(start..).unwrap_or_default();
    let length = cell.find(" |").unwrap_or(cell.trim_end().len()).max(1);
    let start = (before + start).min(bytes.len());
    start..(start + length).min(bytes.len())
}

fn problems_of(format: Format, bytes: &[u8]) -> Vec<syntax::Problem> {
    match format {
        Format::Markdown => syntax::Document::parse(bytes).problems(),
        Format::Yaml => syntax::yaml::parse(bytes).problems,
        Format::Json => syntax::json::parse(bytes).problems,
    }
}
