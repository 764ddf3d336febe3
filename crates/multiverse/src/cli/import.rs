//! `multiverse import`: a project that others made, by either protocol: what is there, what can be mended, what a person
//! must decide. Shows what the engine says.

use std::path::{Path, PathBuf};

use engine::import::{self, Finding, Imported, Weight};
use serde::Serialize;

use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{BAD, Form, GOOD, HINT, Output, PLACE, counted};
use super::project::{self, Start};
use super::visible;

/// Take over a project that others made
///
/// Looks at a project of either protocol as it was left by people and agents: tables
/// left PENDING although the files are there, ids and folders of other names, lists with
/// commas, paths that climb, rows that are broken or doubled. Says what was found, what
/// can be mended without a doubt, and what you must decide, each with file and line.
/// Nothing is changed without --write; then all of it is one record, which `multiverse
/// undo` takes back. With --into the original stays as it is, and a copy is mended.
///
/// With --json, one object a line: {"finding": …}, and at the end {"imported": …}.
///
/// Exit codes: 0 done, 1 error or it is no project, 2 usage
///
/// Examples:
///   multiverse import old-project
///   multiverse import old-project --into taken-over
///   multiverse import old-project --write
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The project's folder, the one with db/ and runs/ in it
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Mend what can be mended, where it is
    #[arg(long)]
    write: bool,

    /// Copy it there, and mend the copy
    #[arg(long, value_name = "DIR2", conflicts_with = "write")]
    into: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Finding(FindingLine<'a>),
    Imported(Summary<'a>),
}

#[derive(Serialize)]
struct FindingLine<'a> {
    /// `found`, `mended` or `decide`.
    weight: &'static str,
    path: &'a str,
    line: usize,
    what: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    hint: &'a str,
}

#[derive(Serialize)]
struct Summary<'a> {
    protocol: Option<&'static str>,
    found: usize,
    mended: usize,
    decide: usize,
    /// Whether what is mended was written.
    written: bool,
    /// The record that has it.
    record: Option<u64>,
    head: &'a str,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let folder = project::real_folder(&start.place_of(&self.folder))?;
        project::local_files(&folder)?;
        let imported = match (&self.into, self.write) {
            (Some(into), _) => self.copied(&folder, &start.place_of(into), output)?,
            (None, true) => {
                let looked = import::look(&folder)?;
                // A folder that is no project does not become one by that.
                if looked.examined.kind.is_some() { import::write(&folder)? } else { looked }
            }
            (None, false) => import::look(&folder)?,
        };
        self.show(&imported, output)
    }

    fn copied(&self, folder: &Path, into: &Path, output: &mut Output) -> Result<Imported, Failure> {
        let looked = import::look(folder)?;
        if looked.examined.kind.is_none() {
            return Ok(looked);
        }
        if into.starts_with(folder) || folder.starts_with(into) {
            let message = format!("{} and {} lie in each other", visible::path(folder), visible::path(into));
            return Err(Failure::new(Kind::Refused, message).hint("give a folder beside the project"));
        }
        let count = import::copy(folder, into)?;
        output.say(&format!("{} copied to {}", counted(count, "file"), visible::path(into)))?;
        Ok(import::write(into)?)
    }

    fn show(&self, imported: &Imported, output: &mut Output) -> Result<Exit, Failure> {
        let examined = &imported.examined;
        let is_written = self.write || self.into.is_some();
        let count = |weight: Weight| examined.findings.iter().filter(|one| one.weight == weight).count();
        let (found, mended, decide) = (count(Weight::Found), count(Weight::Mended), count(Weight::Decide));
        if output.form() == Form::Json {
            for finding in &examined.findings {
                output.json(&Line::Finding(line(finding)))?;
            }
            let (protocol, record) = (examined.kind.map(|kind| kind.name()), imported.record);
            let (written, head) = (record.is_some(), imported.head.as_str());
            output.json(&Line::Imported(Summary { protocol, found, mended, decide, written, record, head }))?;
            return Ok(if examined.kind.is_some() { Exit::Done } else { Exit::Error });
        }
        for (weight, title) in [
            (Weight::Found, "found"),
            (Weight::Mended, if is_written { "mended" } else { "would be mended" }),
            (Weight::Decide, "for you to decide"),
        ] {
            let mut of_weight = examined.findings.iter().filter(|one| one.weight == weight).peekable();
            if of_weight.peek().is_some() {
                output.data(&format!("{HINT}{title}{HINT:#}\n"))?;
            }
            for finding in of_weight {
                output.data(&rendered(finding))?;
            }
        }
        if examined.kind.is_none() {
            return Ok(Exit::Error);
        }
        output.say(&format!(
            "{found} found, {mended} {}, {decide} to decide",
            if is_written { "mended" } else { "to mend" }
        ))?;
        match imported.record {
            Some(record) => output.say(&format!("`multiverse undo {record}` takes back what was mended"))?,
            None if is_written => output.say("there was nothing to mend")?,
            None if mended > 0 => output.say("nothing was changed; --write mends it here, --into DIR in a copy")?,
            None => {}
        }
        Ok(Exit::Done)
    }
}

fn line(finding: &Finding) -> FindingLine<'_> {
    let weight = match finding.weight {
        Weight::Found => "found",
        Weight::Mended => "mended",
        Weight::Decide => "decide",
    };
    FindingLine { weight, path: &finding.path, line: finding.line, what: &finding.what, hint: &finding.hint }
}

fn rendered(finding: &Finding) -> String {
    let place = match finding.line {
        0 => visible::text(&finding.path),
        line => format!("{}:{line}", visible::text(&finding.path)),
    };
    let style = match finding.weight {
        Weight::Found => PLACE,
        Weight::Mended => GOOD,
        Weight::Decide => BAD,
    };
    let mut shown = format!("  {style}{place}{style:#}: {}\n", visible::text(&finding.what));
    if !finding.hint.is_empty() {
        shown.push_str(&format!("    {}\n", visible::text(&finding.hint)));
    }
    shown
}
