//! `multiverse lineage`: where files came from, what was made of them, and which are older than their sources. Shows what
//! the engine says, as a tree, as data or as a drawing.

mod drawing;
mod graph;
mod page;
mod report;
mod selection;
mod tree;

use std::path::{Path, PathBuf};

use engine::{Depth, Scope};

use super::carry::Opened;
use super::catalog::{names, not_listed, say_problems};
use super::completions;
use super::exit::Exit;
use super::failure::{Failure, Kind};
use super::output::{Form, Output, counted};
use super::progress::Shown;
use super::project::Start;
use selection::{Selection, Way};

/// Show where files came from, and what is stale
///
/// What FILE was made of, back to your own material, and what was made of it, across
/// runs; without FILE all files. A file that several runs changed stands there once for
/// each, and rests on what it was before. A file is stale when something it was made of
/// is other than it was then: the journal knows what that was. Where nobody recorded
/// it, it says so. --affected lists what would have to be made again if FILE changed.
///
/// --format html is one file with a drawing, to be opened anywhere; dot and mermaid are
/// for other programs.
///
/// With --json, one object: {"lineage": {"files", "edges", "rings"}}; with --stale and
/// --affected, one object a line: {"stale": …}, {"affected": …}.
///
/// Exit codes: 0 done, 1 error or FILE is in no catalog, 2 usage, 5 there is none
///
/// Examples:
///   multiverse lineage assets/sales.csv
///   multiverse lineage assets/sales.csv --affected
///   multiverse lineage --stale || test $? = 5
///   multiverse lineage --format html > lineage.html
///   multiverse lineage assets/sales.csv --down --format mermaid
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The file, from here or from the project's root
    #[arg(value_name = "FILE", add = completions::catalogued())]
    file: Option<PathBuf>,

    /// Only what it was made of
    #[arg(long, conflicts_with = "down", requires = "file")]
    up: bool,

    /// Only what was made of it
    #[arg(long, requires = "file")]
    down: bool,

    /// Only files that are older than what they were made of, and why
    #[arg(long)]
    stale: bool,

    /// Only files that would have to be made again if FILE changed
    #[arg(long, requires = "file", conflicts_with_all = ["up", "down", "stale"])]
    affected: bool,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// A tree, or a list
    Text,
    /// One object, or one a line
    Json,
    /// For Graphviz
    Dot,
    /// For Markdown that draws
    Mermaid,
    /// One file with a drawing
    Html,
}

impl Arguments {
    pub(crate) fn run(&self, given: Option<&Path>, output: &mut Output) -> Result<Exit, Failure> {
        let start = Start::of_process(given)?;
        let opened = Opened::to_look(&start, output, Shown::Oddities)?;
        let shelves = opened.service.shelves(Depth::Plans);
        let file = self.file.as_ref().map(|file| -> Result<String, Failure> {
            let names = names(&start, opened.service.project(), file);
            let listed = |name: &&String| {
                let is_it = |path: &str| path == name.as_str();
                shelves
                    .library
                    .entries()
                    .any(|(.., entry)| is_it(&entry.path) || entry.sources.iter().any(|path| is_it(path)))
                    || shelves.library.links().any(|link| link.inputs.iter().any(|path| is_it(path)))
            };
            names.iter().find(listed).cloned().ok_or_else(|| not_listed(file, &shelves.library))
        });
        let file = file.transpose()?;
        let scope = file.as_deref().map_or(Scope::All, Scope::File);
        let ancestry = opened.service.ancestry(&shelves, scope)?;
        if let Some(trouble) = opened.close().trouble {
            return Err(trouble);
        }
        say_problems(&shelves, output)?;
        let way = match (self.up, self.down) {
            (true, _) => Way::Up,
            (_, true) => Way::Down,
            _ => Way::Both,
        };
        let mut selection = Selection::new(&ancestry, file.as_deref(), way);
        if self.affected {
            selection.keep_affected();
        }
        if self.stale {
            selection.keep_stale();
        }
        if selection.nodes.is_empty() {
            return self.say_none(&selection, output);
        }
        self.show(&selection, output)
    }

    fn show(&self, selection: &Selection<'_>, output: &mut Output) -> Result<Exit, Failure> {
        let is_list = self.stale || self.affected;
        let format =
            if output.form() == Form::Json && self.format == Format::Text { Format::Json } else { self.format };
        if output.form() == Form::Json && format != Format::Json {
            let hint = "leave --json out, or give --format json";
            return Err(Failure::new(Kind::Usage, "--json and this --format exclude each other").hint(hint));
        }
        match format {
            Format::Json if is_list => report::lines(selection, self.affected, output)?,
            Format::Json => output.json(&report::whole(selection))?,
            Format::Dot => output.data(&graph::dot(selection))?,
            Format::Mermaid => output.data(&graph::mermaid(selection))?,
            Format::Html => output.data(&page::html(selection))?,
            Format::Text if is_list => output.data(&report::list(selection, self.affected, output.columns()))?,
            Format::Text => output.data(&tree::rendered(selection, output.columns()))?,
        }
        if format == Format::Text {
            say_the_rest(selection, is_list, output)?;
        }
        Ok(Exit::Done)
    }

    fn say_none(&self, selection: &Selection<'_>, output: &mut Output) -> Result<Exit, Failure> {
        let what = match (self.affected, self.stale) {
            (true, _) => "nothing was made of it",
            (_, true) => "nothing is known to be stale",
            _ => "no catalog lists a file; a run lists what it is given, and what it makes",
        };
        output.say(what)?;
        if self.stale {
            say_unknown(selection, output)?;
        }
        Ok(Exit::NothingToDo)
    }
}

/// What a person should know beside what was shown.
fn say_the_rest(selection: &Selection<'_>, is_list: bool, output: &mut Output) -> Result<(), Failure> {
    for ring in selection.rings() {
        let mut names: Vec<String> = ring.iter().map(|id| selection.name(*id)).collect();
        names.extend(names.first().cloned());
        output.warn(&format!("made of itself, which only a hand can have written: {}", names.join(" ← ")))?;
    }
    say_unknown(selection, output)?;
    if is_list {
        output.say(&counted(selection.nodes.len(), "file"))?;
    }
    Ok(())
}

fn say_unknown(selection: &Selection<'_>, output: &mut Output) -> Result<(), Failure> {
    let unknown = selection.unknown();
    if let Some((id, source, why)) = unknown.first() {
        let (name, source) = (selection.name(*id), selection.name(*source));
        let more = if unknown.len() > 1 { format!(", and {} more", unknown.len() - 1) } else { String::new() };
        output.say(&format!("not known whether stale: {name}, made of {source}: {why}{more}"))?;
        for (id, source, why) in unknown.iter().skip(1) {
            let (name, source) = (selection.name(*id), selection.name(*source));
            output.detail(&format!("not known whether stale: {name}, made of {source}: {why}"))?;
        }
    }
    Ok(())
}
