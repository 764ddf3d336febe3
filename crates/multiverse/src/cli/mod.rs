//! The command line: what can be asked, how it is answered, how it ends. One file per command; the doc comment of its
//! arguments is its help page. Holds no rules of its own and reads nothing before it is needed.

mod adopt;
mod agents;
mod answer;
mod ask;
mod at_once;
mod bare;
mod cancel;
mod carry;
mod catalog;
mod check;
mod completions;
mod config;
mod configuration;
mod confirm;
mod cycle;
mod damage;
mod doctor;
mod documents;
mod exit;
mod explain;
mod failure;
mod gate;
mod history;
mod import;
mod inbox;
mod init;
mod lineage;
mod live;
mod logs;
mod manual;
mod markup;
mod mcp;
mod models;
mod modify;
mod notices;
mod output;
mod pause;
mod profile;
mod progress;
mod project;
mod prose;
mod replay;
mod request;
mod restore;
mod resume;
mod retry;
mod roadmap;
mod run;
mod schema;
mod signals;
mod snippet;
mod status;
mod toolboxes;
mod topics;
mod trust;
mod undo;
mod verify;
mod visible;
mod watch;
mod workflow;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};

use exit::Exit;
use failure::{Failure, Kind};
use output::{Color, Form, Loudness, Output};

/// Long, many-agent work that does not go wrong silently
///
/// A request becomes a run: planned, agreed with you, carried out by agents, and
/// recorded step by step. What it is about lies in assets/, what comes of it in
/// outputs/. Documents in Markdown, YAML and JSON are the interface: read them,
/// edit them, keep them in git. Data goes to stdout, talk to stderr. With --json
/// there is one object a line on stdout, errors included.
///
/// Examples:
///   multiverse "Make a report of what is in assets." --yes    carry out a request
///   multiverse status --all       the runs, and where they stand
///   multiverse inbox              what waits for you
///   multiverse history            what happened; `undo` and `restore` go back
///   multiverse help run           the page of a command
///   multiverse help answers       a topic: agents, answers, files, json, trouble
///
/// Exit codes: 0 done, 1 error, 2 usage, 3 waiting for a person, 4 run failed,
/// 5 nothing to do now
#[derive(Debug, clap::Parser)]
#[command(name = "multiverse", version, verbatim_doc_comment, arg_required_else_help = true, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// What every command understands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// The project's folder, or one in it; paths on the command line are taken from there, too
    #[arg(short = 'C', long = "project", value_name = "DIR", global = true)]
    project: Option<PathBuf>,

    /// Write one JSON object a line
    #[arg(long, global = true)]
    json: bool,

    /// Say nothing but errors, and what became of a file that is not where it was put
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Say every step
    #[arg(short, long, global = true)]
    verbose: bool,

    /// When to use colours; NO_COLOR is honoured
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, global = true)]
    color: Color,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Init(init::Arguments),
    Run(run::Arguments),
    Do(at_once::Arguments),
    Status(status::Arguments),
    Watch(watch::Arguments),
    Explain(explain::Arguments),
    Inbox(inbox::Arguments),
    Gate(gate::Arguments),
    Answer(answer::Arguments),
    Confirm(confirm::Arguments),
    Modify(modify::Arguments),
    Cancel(cancel::Arguments),
    Pause(pause::Arguments),
    Resume(resume::Arguments),
    Retry(retry::Arguments),
    Logs(logs::Arguments),
    Catalog(catalog::Arguments),
    Lineage(lineage::Arguments),
    Import(import::Arguments),
    Adopt(adopt::Arguments),
    History(history::Arguments),
    Undo(undo::Arguments),
    Restore(restore::Arguments),
    Check(check::Arguments),
    Cycle(cycle::Arguments),
    Roadmap(roadmap::Arguments),
    Profile(profile::Arguments),
    Mcp(mcp::Arguments),
    Verify(verify::Arguments),
    Doctor(doctor::Arguments),
    Config(config::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(manual::Arguments),
}

/// Reads the command line, does what it asks, and says how that ended.
pub(crate) fn run(arguments: &[OsString]) -> Exit {
    if completions::answer_if_asked(Arguments::command) {
        return Exit::Done;
    }
    if let [_, only] = arguments
        && (only == "--version" || only == "-V")
    {
        return show_version();
    }
    if let Some(page) = topics::asked_for(arguments) {
        let mut output = Output::of_process(Form::Text, Loudness::Normal, Color::Auto);
        let shown = output.data(&format!("{page}\n")).and_then(|()| output.finish());
        return if shown.is_ok() { Exit::Done } else { Exit::Error };
    }
    match parse(arguments) {
        Ok(parsed) => parsed.run(),
        Err(error) => {
            if let Some(request) = bare::request(&Arguments::command(), arguments, &error) {
                return run(&request);
            }
            // What is wrong is told with the arguments in it, and those may come from the names of files.
            let visible: Vec<OsString> = arguments.iter().map(|one| visible::path(Path::new(one)).into()).collect();
            explain(&bare::with_tip(parse(&visible).err().unwrap_or(error), arguments), arguments)
        }
    }
}

fn parse(arguments: &[OsString]) -> Result<Arguments, clap::Error> {
    let matches = command(arguments).try_get_matches_from(arguments)?;
    Arguments::from_arg_matches(&matches)
}

fn command(arguments: &[OsString]) -> clap::Command {
    Arguments::command().color(color_asked_for(arguments).for_help())
}

impl Arguments {
    fn run(self) -> Exit {
        let mut output = self.global.output();
        let given = self.global.project.as_deref();
        let done = given.map_or(Ok(()), |folder| project::real_folder(folder).map(drop));
        let done = done.and_then(|()| match &self.command {
            Command::Init(arguments) => arguments.run(given, &mut output),
            Command::Run(arguments) => arguments.run(given, &mut output),
            Command::Do(arguments) => arguments.run(given, &mut output),
            Command::Status(arguments) => arguments.run(given, &mut output),
            Command::Watch(arguments) => arguments.run(given, &mut output),
            Command::Explain(arguments) => arguments.run(given, &mut output),
            Command::Inbox(arguments) => arguments.run(given, &mut output),
            Command::Gate(arguments) => arguments.run(given, &mut output),
            Command::Answer(arguments) => arguments.run(given, &mut output),
            Command::Confirm(arguments) => arguments.run(given, &mut output),
            Command::Modify(arguments) => arguments.run(given, &mut output),
            Command::Cancel(arguments) => arguments.run(given, &mut output),
            Command::Pause(arguments) => arguments.run(given, &mut output),
            Command::Resume(arguments) => arguments.run(given, &mut output),
            Command::Retry(arguments) => arguments.run(given, &mut output),
            Command::Logs(arguments) => arguments.run(given, &mut output),
            Command::Catalog(arguments) => arguments.run(given, &mut output),
            Command::Lineage(arguments) => arguments.run(given, &mut output),
            Command::Import(arguments) => arguments.run(given, &mut output),
            Command::Adopt(arguments) => arguments.run(given, &mut output),
            Command::History(arguments) => arguments.run(given, &mut output),
            Command::Undo(arguments) => arguments.run(given, &mut output),
            Command::Restore(arguments) => arguments.run(given, &mut output),
            Command::Check(arguments) => arguments.run(given, &mut output),
            Command::Cycle(arguments) => arguments.run(given, &mut output),
            Command::Roadmap(arguments) => arguments.run(given, &mut output),
            Command::Profile(arguments) => arguments.run(given, &mut output),
            Command::Mcp(arguments) => arguments.run(given, &mut output),
            Command::Verify(arguments) => arguments.run(given, &mut output),
            Command::Doctor(arguments) => arguments.run(given, &mut output),
            Command::Config(arguments) => arguments.run(given, &mut output),
            Command::Schema(arguments) => arguments.run(given, &mut output),
            Command::Completions(arguments) => arguments.run(given, &mut output),
            Command::Man(arguments) => arguments.run(given, &mut output),
        });
        let finished = done.and_then(|exit| output.finish().map(|()| exit).map_err(Failure::from));
        finished.unwrap_or_else(|failure| {
            let project = project::Start::of_process(given).and_then(|start| start.project_of_runs());
            let failure = match project {
                Ok(project) => failure.with_number(&project),
                Err(_) => failure,
            };
            output.last_failure(&failure);
            failure.exit()
        })
    }
}

impl Global {
    fn output(&self) -> Output {
        let form = if self.json { Form::Json } else { Form::Text };
        let loudness = match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, true) => Loudness::Verbose,
            (false, false) => Loudness::Normal,
        };
        Output::of_process(form, loudness, self.color)
    }
}

/// A path on the command line, as seen from the folder that was given.
fn resolve(project: Option<&Path>, path: &Path) -> PathBuf {
    match project {
        Some(folder) if path.as_os_str() != "-" => folder.join(path),
        _ => path.into(),
    }
}

/// Shows a help page that was asked for, or what is wrong with the command line.
fn explain(error: &clap::Error, arguments: &[OsString]) -> Exit {
    let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if is_asked_for {
        return show_page(error);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Who gives no command gets the page with the examples.
        let _ = write!(std::io::stderr(), "{}", command(arguments).render_long_help());
    } else if before_double_dash(arguments).any(|argument| argument == "--json") {
        let mut output = Output::of_process(Form::Json, Loudness::Normal, Color::Never);
        output.last_failure(&usage_failure(&error.render().to_string()));
    } else {
        let _ = error.print();
    }
    Exit::Usage
}

/// Programs ask for it often, and wait: all that can be asked is not laid out for that (QL-04).
fn show_version() -> Exit {
    let mut stdout = std::io::stdout();
    written(writeln!(stdout, "multiverse {}", env!("CARGO_PKG_VERSION")).and_then(|()| stdout.flush()))
}

/// A page that was asked for is data: if it cannot be written, that is an error.
fn show_page(page: &clap::Error) -> Exit {
    written(page.print().and_then(|()| std::io::stdout().flush()))
}

fn written(result: std::io::Result<()>) -> Exit {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let failure = Failure::from(error);
            Output::of_process(Form::Text, Loudness::Normal, Color::Auto).last_failure(&failure);
            failure.exit()
        }
        _ => Exit::Done,
    }
}

/// What clap says, as a failure: its first paragraph is what is wrong, a tip is the hint.
fn usage_failure(text: &str) -> Failure {
    let message = text.split("\n\n").next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message).split_whitespace().collect::<Vec<_>>().join(" ");
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    Failure::new(Kind::Usage, message).hint(tip.unwrap_or("`multiverse --help` shows what can be asked"))
}

/// The colours asked for, found before anything else is understood: an error in the command line has colours, too.
fn color_asked_for(arguments: &[OsString]) -> Color {
    let values =
        before_double_dash(arguments).zip(arguments.iter().skip(2).map(OsString::as_os_str).chain([OsStr::new("")]));
    let asked = values.filter_map(|(argument, next)| match argument.to_str()? {
        "--color" => next.to_str(),
        argument => argument.strip_prefix("--color="),
    });
    let known = asked.filter_map(|value| <Color as clap::ValueEnum>::from_str(value, false).ok());
    known.last().unwrap_or(Color::Auto)
}

/// The arguments that can be options, the program's name left out.
fn before_double_dash(arguments: &[OsString]) -> impl Iterator<Item = &OsStr> {
    arguments.iter().skip(1).map(OsString::as_os_str).take_while(|argument| *argument != "--")
}
