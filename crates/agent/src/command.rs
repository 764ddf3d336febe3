//! Owns the backend that is any executable: the brief on its standard input and as a file, the report on its standard
//! output. Must not start a process itself, and not know what the program is.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::{Bounds, Confinement, Launch, LaunchLimits, Network, Stop};

use crate::backend::{Backend, Ending, Job};
use crate::beneath::Folder;
use crate::forbidden;
use crate::judge::{Left, judge};
use crate::limits::CommandLimits;
use crate::roadmap;
use crate::scratch::{BRIEF_FILE, HOME, TEMPORARY};

/// The project's folders whose files no program may read for lying beside them.
const NOT_A_PROGRAMS_FOLDER: [&str; 8] =
    [".multiverse", "assets", "data", "db", "guidelines", "outputs", "runs", "settings"];

/// Where programs are looked for, where nobody says.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Runs a program for every brief.
#[derive(Debug, Clone)]
pub struct Command {
    shown: String,
    program: OsString,
    arguments: Vec<OsString>,
    /// The program and the files among its arguments: it needs them and what lies beside them.
    own: Vec<PathBuf>,
    /// What it may read besides.
    readable: Vec<PathBuf>,
    limits: CommandLimits,
}

impl Command {
    /// Reads a command line as a shell would split it; there is no shell. A program with a slash, and an argument that
    /// is the path of a file, are taken from `base`, since the program itself starts in its workdir.
    pub fn new(text: &str, base: &Path) -> Result<Self, String> {
        let mut words = split_words(text)?.into_iter();
        let Some(first) = words.next() else {
            return Err("no program is named: command:PROGRAM".into());
        };
        let mut own = Vec::new();
        let program = if first.contains('/') {
            let path = base.join(&first);
            if !path.is_file() {
                return Err(format!("there is no program {}", path.display()));
            }
            own.push(path.clone());
            path.into()
        } else {
            first.into()
        };
        let arguments = words.map(|word| {
            let path = base.join(&word);
            if word.starts_with('-') || !path.is_file() {
                return word.into();
            }
            own.push(path.clone());
            path.into()
        });
        let arguments = arguments.collect();
        let (readable, limits) = (Vec::new(), CommandLimits::default());
        Ok(Self { shown: text.into(), program, arguments, own, readable, limits })
    }

    /// The same with other limits.
    pub fn with_limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, which may read more: files and folders outside the project that its user names.
    pub fn with_readable(mut self, readable: Vec<PathBuf>) -> Self {
        self.readable = readable;
        self
    }

    /// Why it cannot be started at all.
    pub fn missing(&self) -> Option<String> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
        let is_name = !self.program.as_encoded_bytes().contains(&b'/');
        is_name.then(|| tools::find_program(&self.program, &path).err().map(|fault| fault.to_string())).flatten()
    }

    pub(crate) fn program(&self) -> &OsStr {
        &self.program
    }

    /// All that the program gets for one attempt.
    pub(crate) fn launch(&self, job: &Job, time: Duration, say: &dyn Fn(&str)) -> io::Result<Launch> {
        let input = placed_brief(job)?;
        Ok(Launch {
            program: self.program.clone(),
            arguments: self.arguments.clone(),
            environment: environment(job),
            folder: job.workdir.clone(),
            input,
            confinement: self.confinement(job, say),
            network: Network::Open,
            bounds: Bounds::default(),
            limits: LaunchLimits {
                time,
                output_bytes: self.limits.output_bytes,
                log_bytes: self.limits.log_bytes,
                grace: self.limits.grace,
            },
        })
    }

    fn confinement(&self, job: &Job, say: &dyn Fn(&str)) -> Confinement {
        let mut confinement = Confinement::system();
        let project = job.project.canonicalize().unwrap_or_else(|_| job.project.clone());
        for file in &self.own {
            let real = file.canonicalize().unwrap_or_else(|_| file.clone());
            for file in [file, &real] {
                confinement.execute.push(file.clone());
                confinement.execute.extend(own_folder(file, &project));
            }
        }
        open_job(&mut confinement, job, say);
        confinement.read.extend(self.readable.iter().cloned());
        confinement
    }
}

impl Backend for Command {
    fn name(&self) -> String {
        format!("command:{}", self.shown)
    }

    fn work(&self, job: &Job, stop: &Stop, say: &dyn Fn(&str)) -> Ending {
        if stop.is_stopped() {
            return Ending::Stopped;
        }
        let time = match job.brief.limits.seconds {
            0 => self.limits.time,
            seconds => Duration::from_secs(seconds),
        };
        let launch = match self.launch(job, time, say) {
            Ok(launch) => launch,
            Err(fault) => {
                let error = format!("{} cannot be prepared: {fault}", job.workdir.display());
                return Ending::Failed { error, log: String::new() };
            }
        };
        say(&format!("started {}", self.shown));
        match tools::launch(&launch, stop) {
            Err(fault) => Ending::Failed { error: fault.to_string(), log: String::new() },
            Ok(ended) => {
                let mut log = String::from_utf8_lossy(&ended.log).into_owned();
                if ended.log_cut {
                    log.push_str("\n(more was said, and not kept)");
                }
                let left =
                    Left { how: ended.how, output: ended.output, log, time, output_bytes: self.limits.output_bytes };
                judge(&job.brief, left)
            }
        }
    }
}

/// Opens what an attempt may read of the project, and its own folder to write.
pub(crate) fn open_job(confinement: &mut Confinement, job: &Job, say: &dyn Fn(&str)) {
    let project = job.project.canonicalize().unwrap_or_else(|_| job.project.clone());
    for path in &job.readable {
        // A link of the project that leads out of it must not open what it leads to (QL-30).
        match path.canonicalize() {
            Ok(real) if real.starts_with(&project) => confinement.read.push(real),
            Ok(_) => say(&format!("{} leads out of the project and is left out", path.display())),
            Err(_) => {}
        }
    }
    confinement.write.push(job.workdir.clone());
    confinement.execute.extend(roadmap::tools_command(&job.brief).first().map(PathBuf::from));
}

/// Makes the folders of a program's own in the workdir and puts the brief there, as a line; gives that line.
pub(crate) fn placed_brief(job: &Job) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&job.brief)?;
    line.push(b'\n');
    let workdir = Folder::open(&job.workdir)?;
    workdir.made_folder(OsStr::new(HOME))?;
    workdir.made_folder(OsStr::new(TEMPORARY))?;
    forbidden::guard(&job.brief, &job.workdir)?;
    // The one from an earlier try goes; if the agent made a link of it, the link goes.
    let _ = rustix::fs::unlinkat(&workdir, BRIEF_FILE, rustix::fs::AtFlags::empty());
    workdir.new_file(OsStr::new(BRIEF_FILE))?.write_all(&line)?;
    Ok(line)
}

/// Splits a command line at spaces; '…' keeps everything, "…" all but \" and \\, and \ keeps the next character.
pub(crate) fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = (1_usize..).zip(text.chars());
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some((_, end)) if end == character => break,
                        Some((_, '\\')) if character == '"' => match characters.next() {
                            Some((_, kept @ ('"' | '\\'))) => into.push(kept),
                            Some((_, other)) => into.extend(['\\', other]),
                            None => return Err(open_quotation(character, at)),
                        },
                        Some((_, inside)) => into.push(inside),
                        None => return Err(open_quotation(character, at)),
                    }
                }
            }
            '\\' => match characters.next() {
                Some((_, kept)) => word.get_or_insert_default().push(kept),
                None => return Err("the last character is a backslash, which keeps nothing".into()),
            },
            '\0' => return Err(format!("character {at} is NUL")),
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) { Err("no program is named".into()) } else { Ok(words) }
}

fn open_quotation(mark: char, at: usize) -> String {
    format!("the quotation that begins with {mark} at character {at} does not end")
}

/// The folder of a program, unless that would open what is not the program's: the project, or its documents.
fn own_folder(file: &Path, project: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    let inside = folder.strip_prefix(project).ok().and_then(|inside| inside.iter().next());
    let documents = inside.is_some_and(|first| NOT_A_PROGRAMS_FOLDER.iter().any(|name| first == OsStr::new(name)));
    (!project.starts_with(folder) && !documents).then(|| folder.into())
}

/// All that the program knows of its surroundings; secrets of whoever started us are not among it (QL-35).
pub(crate) fn environment(job: &Job) -> Vec<(OsString, OsString)> {
    let ours = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let workdir = &job.workdir;
    let mut path = ours("PATH", USUAL_PATH);
    if let Some(mut guards) = forbidden::guarding(workdir).map(OsString::from) {
        guards.push(":");
        guards.push(path);
        path = guards;
    }
    let variables: [(&str, OsString); 8] = [
        ("PATH", path),
        ("LANG", ours("LANG", "C.UTF-8")),
        ("TERM", "dumb".into()),
        ("TMPDIR", workdir.join(TEMPORARY).into()),
        ("HOME", workdir.join(HOME).into()),
        ("MULTIVERSE_BRIEF", workdir.join(BRIEF_FILE).into()),
        ("MULTIVERSE_PROJECT", job.project.clone().into()),
        ("MULTIVERSE_RUN", job.brief.run_id.clone().into()),
    ];
    let tools = roadmap::tools_command(&job.brief);
    let tools = (!tools.is_empty()).then(|| ("MULTIVERSE_TOOLS", OsString::from(tools.join(" "))));
    variables.into_iter().chain(tools).map(|(name, value)| (name.into(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does_without_one() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split_words(text).unwrap(), expected, "{text}");
        check("a", &["a"]);
        check("  a  b\tc\n", &["a", "b", "c"]);
        check("a 'b c' \"d \\\" \\e\" f\\ g h''", &["a", "b c", "d \" \\e", "f g", "h"]);
        check("a $HOME `x` ; | > *", &["a", "$HOME", "`x`", ";", "|", ">", "*"]);
        check("a ''", &["a", ""]);
        for (text, problem) in [
            ("", "no program is named"),
            ("'' a", "no program is named"),
            ("a 'b", "the quotation that begins with ' at character 3 does not end"),
            ("\"b\\", "the quotation that begins with \" at character 1 does not end"),
            ("a\\", "the last character is a backslash, which keeps nothing"),
            ("a\0", "character 2 is NUL"),
        ] {
            assert_eq!(split_words(text), Err(problem.to_string()), "{text:?}");
        }
    }

    /// MV-36: a program that lies in the project does not open the project.
    #[test]
    fn a_programs_folder_is_never_the_project() {
        let check = |file: &str, expected: Option<&str>| {
            assert_eq!(own_folder(Path::new(file), Path::new("/p/q")), expected.map(PathBuf::from), "{file}");
        };
        check("/opt/x/agent", Some("/opt/x"));
        check("/p/q/agents/a.py", Some("/p/q/agents"));
        check("/p/q/agent", None);
        check("/p/agent", None);
        check("/agent", None);
        check("/p/q/runs/r/agent", None);
        check("/p/q/assets/agent", None);
    }

    /// QL-35: a secret of ours is not handed on.
    #[test]
    fn the_environment_is_these_variables_and_no_other() {
        let brief = crate::contract::Brief::new("r1", "multiverse", "executor", "execute");
        let job = Job {
            brief,
            project: "/p".into(),
            workdir: "/p/w".into(),
            readable: Vec::new(),
            meter: crate::Meter::default(),
        };
        let names: Vec<OsString> = environment(&job).into_iter().map(|(name, _)| name).collect();
        let expected = ["PATH", "LANG", "TERM", "TMPDIR", "HOME", "MULTIVERSE_BRIEF", "MULTIVERSE_PROJECT"];
        assert_eq!(names[..7], expected.map(OsString::from));
        assert_eq!(names[7..], ["MULTIVERSE_RUN"].map(OsString::from));
    }
}
