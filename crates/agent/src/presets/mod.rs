//! Owns the backend that is a known coding CLI in its non-interactive mode: how it is started for a role, what it hears,
//! and what becomes of what it says. Must not start a process itself. What is particular to one CLI stands in its row of
//! the table; what its events mean, in its tongue.

mod asked;
mod found;
mod place;
mod table;
mod tongue;
mod verdict;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use tools::{Bounds, Launch, LaunchLimits, Network, Stop};

use crate::backend::{Backend, Ending, Job};
use crate::beneath::Folder;
use crate::command::{environment, open_job, placed_brief};
use crate::limits::CommandLimits;
use crate::scratch::{HOME, TEMPORARY};

pub(crate) use asked::{Doing, REPORT_FILE, prompt as asked_prompt};
pub use found::{Found, Usable, automatic, look};
pub use table::Cli;
use table::{Prompt, Schema};
use tongue::Heard;
pub(crate) use verdict::{Remains, Who, verdict};

/// The most that a CLI may print: events are read and not kept, and some repeat all that was said in every one.
const OUTPUT_BYTES: usize = 1 << 30;

/// The largest report file that is read.
const REPORT_BYTES: u64 = 16 << 20;

/// Where prompt and schema lie, for those that take files.
const PROMPT_FILE: &str = "prompt.md";
const SCHEMA_FILE: &str = "report.schema.json";

/// A coding CLI as an agent.
#[derive(Debug)]
pub struct Preset {
    cli: Cli,
    model: Option<String>,
    program: OsString,
    surroundings: Surroundings,
    /// What it may read besides.
    readable: Vec<PathBuf>,
    limits: CommandLimits,
    /// Why it cannot be used, once its version was looked at.
    too_old: OnceLock<Option<String>>,
}

/// Where keys and settings come from.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Variables; of these, only those of the CLI are handed on.
    pub variables: Vec<(OsString, OsString)>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_process() -> Self {
        Self { home: std::env::home_dir(), variables: std::env::vars_os().collect() }
    }

    fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().rfind(|(own, value)| own == name && !value.is_empty());
        found.map(|(_, value)| value.as_os_str())
    }
}

impl Preset {
    /// The CLI of that name on the `PATH`, with a model of its own choice or the one named.
    pub fn new(cli: Cli, model: Option<&str>) -> Self {
        Self {
            cli,
            model: model.map(String::from),
            program: cli.name().into(),
            surroundings: Surroundings::of_process(),
            readable: Vec::new(),
            limits: CommandLimits::default(),
            too_old: OnceLock::new(),
        }
    }

    /// The same with another program in its place.
    pub fn with_program(mut self, program: impl Into<OsString>) -> Self {
        self.program = program.into();
        self
    }

    /// The same, which may read more: files and folders outside the project that its user names.
    pub fn with_readable(mut self, readable: Vec<PathBuf>) -> Self {
        self.readable = readable;
        self
    }

    pub fn with_surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = surroundings;
        self
    }

    pub fn with_limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    fn launch(&self, job: &Job, time: Duration, say: &dyn Fn(&str)) -> io::Result<Launch> {
        placed_brief(job)?;
        let manner = self.cli.manner();
        place::home(manner, &self.surroundings, &job.workdir)?;
        let (arguments, input) = self.arguments(job)?;
        let mut confinement = place::confinement(&self.program, &self.path());
        open_job(&mut confinement, job, say);
        confinement.read.extend(self.readable.iter().cloned());
        let mut variables = environment(job);
        variables.extend(place::variables(manner, &self.surroundings));
        Ok(Launch {
            program: self.program.clone(),
            arguments,
            environment: variables,
            folder: job.workdir.clone(),
            input,
            confinement,
            network: Network::Open,
            bounds: Bounds::default(),
            limits: LaunchLimits {
                time,
                output_bytes: OUTPUT_BYTES,
                log_bytes: self.limits.log_bytes,
                grace: self.limits.grace,
            },
        })
    }

    fn arguments(&self, job: &Job) -> io::Result<(Vec<OsString>, Vec<u8>)> {
        let manner = self.cli.manner();
        let role = match Doing::of(&job.brief) {
            Doing::Reads => manner.reading,
            Doing::Writes => manner.writing,
        };
        let mut arguments: Vec<OsString> = manner.always.iter().chain(role).map(OsString::from).collect();
        if let Some(model) = self.model.as_ref().filter(|_| !manner.model.is_empty()) {
            arguments.extend([OsString::from(manner.model), model.into()]);
        }
        match (manner.schema, asked::schema(&job.brief)) {
            (Schema::Text(flag), _) => {
                arguments.extend([flag.into(), asked::open_schema(&job.brief).to_string().into()]);
            }
            (Schema::File(flag), Some(schema)) => {
                let path = place::file(&job.workdir, SCHEMA_FILE, schema.to_string().as_bytes())?;
                arguments.extend([flag.into(), path.into()]);
            }
            _ => {}
        }
        let prompt = asked::prompt(&job.brief);
        match manner.prompt {
            Prompt::Input(last) => {
                arguments.extend(last.iter().map(OsString::from));
                Ok((arguments, prompt.into_bytes()))
            }
            Prompt::File { flag, reads } => {
                let path = place::file(&job.workdir, PROMPT_FILE, prompt.as_bytes())?;
                arguments.extend([flag.into(), path.into()]);
                let is_file = |path: &&String| job.workdir.join(path).is_file();
                let files = job.brief.files.iter().map(|file| &file.path).filter(is_file);
                arguments.extend(files.flat_map(|path| [OsString::from(reads), path.into()]));
                if Doing::of(&job.brief) == Doing::Writes {
                    arguments.extend(job.brief.expects.outputs.iter().map(OsString::from));
                }
                Ok((arguments, Vec::new()))
            }
        }
    }

    fn path(&self) -> OsString {
        std::env::var_os("PATH").unwrap_or_default()
    }

    /// Takes the values of keys out of what a CLI said (QL-35).
    fn without_keys(&self, text: String) -> String {
        let keys = self.cli.manner().keys.iter();
        keys.filter_map(|name| Some((name, self.surroundings.variable(name)?.to_str()?)))
            .filter(|(_, value)| value.len() >= 6)
            .fold(text, |text, (name, value)| text.replace(value, &format!("[{name}]")))
    }

    fn run(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Result<Ending, String> {
        let time = match job.brief.limits.seconds {
            0 => self.limits.time,
            seconds => Duration::from_secs(seconds),
        };
        let unprepared = |fault: io::Error| format!("{} cannot be prepared: {fault}", job.workdir.display());
        let launch = self.launch(job, time, say).map_err(unprepared)?;
        say(&format!("started {}", self.name()));
        let manner = self.cli.manner();
        let mut heard = Heard::default();
        let ended = tools::launch_watched(&launch, stop, &mut |line| {
            if let Some(shown) = heard.line(manner.tongue, line) {
                say(&self.without_keys(shown));
            }
        });
        let ended = ended.map_err(|fault| match fault {
            tools::LaunchFault::ProgramNotFound { .. } => format!("{fault} ({})", manner.install),
            other => other.to_string(),
        })?;
        heard.answer = self.without_keys(heard.answer);
        heard.talk = self.without_keys(heard.talk);
        for list in [&mut heard.errors, &mut heard.failed, &mut heard.refused] {
            *list = std::mem::take(list).into_iter().map(|text| self.without_keys(text)).collect();
        }
        let mut log = self.without_keys(String::from_utf8_lossy(&ended.log).into_owned());
        if ended.log_cut {
            log.push_str("\n(more was said, and not kept)");
        }
        job.meter.add(&heard.usage);
        let file = report_file(&job.workdir);
        let (brief, workdir) = (&job.brief, job.workdir.as_path());
        let output_bytes = OUTPUT_BYTES;
        let who = Who { name: manner.name, instead: manner.instead, has_last_event: manner.tongue.has_last_event() };
        Ok(verdict(&who, Remains { brief, workdir, how: ended.how, heard, file, log, time, output_bytes }))
    }
}

impl Backend for Preset {
    fn name(&self) -> String {
        match &self.model {
            Some(model) => format!("{}:{model}", self.cli.name()),
            None => self.cli.name().into(),
        }
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        let failed = |error: String| Ending::Failed { error, log: String::new() };
        let too_old = self.too_old.get_or_init(|| found::too_old(self.cli, &self.program, &self.path(), stop));
        if let Some(problem) = too_old {
            return failed(problem.clone());
        }
        self.run(job, stop, say).unwrap_or_else(failed)
    }
}

/// Gives a launch of a known CLI in another mode of its own what it needs: keys, settings, its packages.
pub(crate) fn for_cli(cli: Cli, surroundings: &Surroundings, job: &Job, launch: &mut Launch) -> io::Result<()> {
    let manner = cli.manner();
    place::home(manner, surroundings, &job.workdir)?;
    launch.environment.extend(place::variables(manner, surroundings));
    let path = launch.environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let own = place::confinement(&launch.program, &path.unwrap_or_default());
    launch.confinement.execute.extend(own.execute);
    Ok(())
}

/// What lies in the report file, if it is an ordinary one.
pub(crate) fn report_file(workdir: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let file = Folder::open(workdir).ok()?.file(OsStr::new(REPORT_FILE)).ok()?;
    let mut content = Vec::new();
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.take(REPORT_BYTES).read_to_end(&mut content).ok()?;
    Some(content).filter(|content| !content.trim_ascii().is_empty())
}
