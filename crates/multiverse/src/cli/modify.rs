//! `multiverse modify`: what shall be otherwise in a proposal. Carries the run on to the next draft.

use std::path::{Path, PathBuf};

use engine::Verdict;

use super::carry::Afterwards;
use super::completions;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::Output;
use super::project::Start;
use super::request::{read_text, user};

/// Have a proposal changed
///
/// The planner drafts again with your words, and the run waits for your answer to the
/// new draft. There may be any number of rounds.
///
/// Exit codes: 0 done, 1 error or it does not wait for an answer, 2 usage, 3 it waits
/// for you again, 4 the run failed
///
/// Examples:
///   multiverse modify last "Only the second quarter, please." --no-run
///   multiverse modify last "Only the second quarter, please." --yes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The run
    #[arg(value_name = "RUN", add = completions::runs())]
    run: String,

    /// What shall be otherwise, in your own words
    #[arg(value_name = "WORDS", required_unless_present = "from", conflicts_with = "from")]
    words: Vec<String>,

    /// Read it from a file; `-` is stdin
    #[arg(short = 'f', long, value_name = "FILE")]
    from: Option<PathBuf>,

    #[command(flatten)]
    afterwards: Afterwards,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let words = match &self.from {
            Some(path) => read_text(&start, path)?,
            None => self.words.join(" "),
        };
        if words.trim().is_empty() {
            return Err(Failure::new(Kind::Usage, "nothing is said that shall be otherwise")
                .hint("for example: multiverse modify RUN \"only the second quarter\""));
        }
        let (mut opened, run) = self.afterwards.open_run(&start, &self.run, output)?;
        opened.service.answer(&run, Verdict::Modify(words), &user())?;
        self.afterwards.follow(opened, run, output)
    }
}
