//! How git is started: with which settings, in which environment, within which bounds; and what it said.
//!
//! The one place that knows what a repository could have executed. Whoever adds a command looks here first whether it
//! runs something that is not overruled yet; a test has a repository that names a program in every such place.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{GitFault, Repository};

/// `merge-tree --write-tree` came with it.
pub(super) const NEEDED: &str = "2.38";

/// How long git may take, and how much it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitLimits {
    pub time: Duration,
    pub output_bytes: usize,
}

impl Default for GitLimits {
    /// Enough for a repository of some hundred thousand files on a busy machine.
    fn default() -> Self {
        Self { time: Duration::from_secs(300), output_bytes: 64 << 20 }
    }
}

/// The most that is kept of what git says beside its answer.
const LOG_BYTES: usize = 16 << 10;

/// From asking git to end to ending it: it removes its locks in between.
const GRACE: Duration = Duration::from_secs(5);

/// What stands above the repository's own settings. Each line that names nothing keeps something from being run.
const SETTINGS: [(&str, &str); 34] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.splitIndex", "false"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.askPass", "false"),
    ("core.editor", "false"),
    ("core.pager", "cat"),
    ("core.attributesFile", "/dev/null"),
    ("core.excludesFile", "/dev/null"),
    ("core.alternateRefsCommand", "false"),
    // What a repository says about its own history is not taken from a file that nobody checks.
    ("core.commitGraph", "false"),
    ("core.safecrlf", "false"),
    ("core.quotePath", "false"),
    ("core.logAllRefUpdates", "true"),
    // A commit whose name is in the journal must be on the disk.
    ("core.fsync", "all"),
    ("core.fsyncMethod", "fsync"),
    ("core.filesRefLockTimeout", "5000"),
    ("core.packedRefsTimeout", "5000"),
    ("credential.helper", ""),
    ("protocol.allow", "never"),
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "all"),
    ("diff.renames", "false"),
    ("status.renames", "false"),
    ("submodule.recurse", "false"),
    ("merge.default", "text"),
    ("merge.renames", "true"),
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("i18n.commitEncoding", "UTF-8"),
];

/// Settings of the repository that name programs by a name of their own, and what is said instead.
const NAMED: [(&str, &str, &str); 8] = [
    ("filter.", ".clean", ""),
    ("filter.", ".smudge", ""),
    ("filter.", ".process", ""),
    ("filter.", ".required", "false"),
    // A merge that only a driver of the repository could make is a conflict.
    ("merge.", ".driver", "exit 1"),
    ("diff.", ".command", ""),
    ("diff.", ".textconv", ""),
    ("remote.", ".promisor", "false"),
];

/// Of these git itself makes and reads what is not asked for here.
const ENVIRONMENT: [(&str, &str); 16] = [
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
    ("TERM", "dumb"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1"),
];

/// What git finds on its standard input.
pub(super) enum Feed {
    Nothing,
    Bytes(Vec<u8>),
}

/// One command, before it is started.
pub(super) struct Git {
    folder: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    without: Vec<&'static str>,
    settings: Vec<(OsString, OsString)>,
    feed: Feed,
    limits: GitLimits,
}

/// What it said, if it was heard out.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) log: String,
}

impl Repository {
    /// A command in this repository, whatever folder it is started in.
    pub(super) fn git<I: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = I>) -> Git {
        let mut git = Git::new(&self.work_tree, arguments);
        git.limits = self.limits;
        git.settings.clone_from(&self.overruled);
        git.environment.push(("GIT_DIR".into(), self.git_dir.clone().into()));
        git.environment.push(("GIT_WORK_TREE".into(), self.work_tree.clone().into()));
        git
    }
}

impl Git {
    /// A command that looks for a repository itself.
    pub(super) fn new<I: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = I>) -> Self {
        Self {
            folder: folder.into(),
            arguments: arguments.into_iter().map(|argument| argument.as_ref().into()).collect(),
            environment: Vec::new(),
            without: Vec::new(),
            settings: Vec::new(),
            feed: Feed::Nothing,
            limits: GitLimits::default(),
        }
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same, started in another folder.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = folder.into();
        self
    }

    /// The same, with the usual place of something that is not read otherwise.
    pub(super) fn without(mut self, name: &'static str) -> Self {
        self.without.push(name);
        self
    }

    pub(super) fn setting(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    pub(super) fn feed(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.feed = Feed::Bytes(bytes.into());
        self
    }

    /// Its answer; anything but success is a fault.
    pub(super) fn answer(self) -> Result<Vec<u8>, GitFault> {
        let (command, folder) = (self.shown(), self.folder.clone());
        let said = self.said()?;
        if said.status.success() {
            return Ok(said.output);
        }
        Err(fault_of(&said, command, folder))
    }

    /// Its answer as one line of text.
    pub(super) fn line(self) -> Result<String, GitFault> {
        let (command, folder) = (self.shown(), self.folder.clone());
        let output = self.answer()?;
        match String::from_utf8(output) {
            Ok(text) => Ok(text.strip_suffix('\n').unwrap_or(&text).into()),
            Err(bytes) => {
                Err(GitFault::Odd { command, folder, said: String::from_utf8_lossy(bytes.as_bytes()).into() })
            }
        }
    }

    /// Whether it ended with 0 (yes) or 1 (no); anything else is a fault.
    pub(super) fn yes(self) -> Result<bool, GitFault> {
        let (command, folder) = (self.shown(), self.folder.clone());
        let said = self.said()?;
        match said.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(fault_of(&said, command, folder)),
        }
    }

    /// What it said, however it ended by itself.
    pub(super) fn said(self) -> Result<Said, GitFault> {
        let (command, folder, limits) = (self.shown(), self.folder.clone(), self.limits);
        let child = self.start()?;
        let (child, feed) = child;
        hear(child, feed, limits).map_err(|deaf| match deaf {
            Deaf::Late => GitFault::TimedOut { command, folder, seconds: limits.time.as_secs() },
            Deaf::Flooded => GitFault::Flooded { command, folder, most: limits.output_bytes },
            Deaf::Lost(why) => GitFault::Failed { command, folder, said: why },
        })
    }

    /// The command for messages: its name, without what follows.
    fn shown(&self) -> String {
        let words = self.arguments.iter().map(|word| word.to_string_lossy());
        let mut words = words.skip_while(|word| word.starts_with('-'));
        words.next().map_or_else(String::new, |word| word.into_owned())
    }

    fn start(self) -> Result<(Child, Option<Vec<u8>>), GitFault> {
        let mut command = Command::new("git");
        command.arg("--no-pager").args(&self.arguments).current_dir(&self.folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into()));
        command.envs(ENVIRONMENT.iter().filter(|(name, _)| !self.without.contains(name)).copied());
        let fixed = SETTINGS.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let settings: Vec<(OsString, OsString)> = fixed.chain(self.settings).collect();
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (number, (name, value)) in settings.into_iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), name);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command.envs(self.environment);
        // A signal to the terminal's group is for us to hear: git ends its step first.
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let feed = match self.feed {
            Feed::Nothing => {
                command.stdin(Stdio::null());
                None
            }
            Feed::Bytes(bytes) => {
                command.stdin(Stdio::piped());
                Some(bytes)
            }
        };
        let child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if !self.folder.is_dir() => {
                GitFault::File { path: self.folder.clone(), why: "there is no such folder".into() }
            }
            _ => GitFault::NotInstalled { why: error.to_string(), needed: NEEDED },
        })?;
        Ok((child, feed))
    }
}

/// Every setting of a repository that names a program by a name of its own, overruled.
pub(super) fn overruled(names: &[u8]) -> Vec<(OsString, OsString)> {
    use std::os::unix::ffi::OsStrExt;
    let mut overruled = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let found = NAMED
            .iter()
            .find(|(before, after, _)| name.starts_with(before.as_bytes()) && name.ends_with(after.as_bytes()));
        if let Some((_, _, instead)) = found {
            overruled.push((OsStr::from_bytes(name).into(), OsString::from(instead)));
        }
    }
    overruled.dedup();
    overruled
}

/// The question for those settings.
pub(super) const NAMED_PATTERN: &str = r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|diff\..*\.(command|textconv)|remote\..*\.promisor)$";

enum Deaf {
    Late,
    Flooded,
    Lost(String),
}

enum News {
    /// A pipe is at its end.
    End,
    /// There is more than fits.
    Flood,
}

/// Feeds it, and hears it out within the limits.
fn hear(mut child: Child, feed: Option<Vec<u8>>, limits: GitLimits) -> Result<Said, Deaf> {
    let until = Instant::now() + limits.time;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (tell, news) = mpsc::channel();
    let tell_too = tell.clone();
    std::thread::scope(|scope| {
        if let (Some(mut stdin), Some(feed)) = (stdin, feed) {
            // Git need not read all of it: what it thinks of that, it says itself.
            scope.spawn(move || drop(stdin.write_all(&feed)));
        }
        let output = scope.spawn(move || keep(stdout, limits.output_bytes, Beyond::Tell, &tell));
        let log = scope.spawn(move || keep(stderr, LOG_BYTES, Beyond::Drop, &tell_too));
        let heard = wait(&news, until);
        if heard.is_err() {
            end(&mut child, &news);
        }
        let status = child.wait();
        let output = output.join().unwrap_or_default();
        let log = log.join().unwrap_or_default();
        heard?;
        let status = status.map_err(|error| Deaf::Lost(error.to_string()))?;
        Ok(Said { status, output, log: String::from_utf8_lossy(&log).trim().to_owned() })
    })
}

/// Until both pipes are at their end.
fn wait(news: &mpsc::Receiver<News>, until: Instant) -> Result<(), Deaf> {
    let mut ends = 0;
    while ends < 2 {
        match news.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(News::End) => ends += 1,
            Ok(News::Flood) => return Err(Deaf::Flooded),
            Err(RecvTimeoutError::Timeout) => return Err(Deaf::Late),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
    Ok(())
}

/// Asks it to end, with all that it started, and then ends it.
fn end(child: &mut Child, news: &mpsc::Receiver<News>) {
    let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    let _ = kill_process_group(group, Signal::TERM);
    if wait(news, Instant::now() + GRACE).is_err() || !matches!(child.try_wait(), Ok(Some(_))) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Tell,
    Drop,
}

/// Reads a pipe to its end, and keeps the first bytes of it.
fn keep(pipe: Option<impl Read>, most: usize, beyond: Beyond, tell: &mpsc::Sender<News>) -> Vec<u8> {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        let mut chunk = vec![0; 64 << 10];
        loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => {
                    let room = most - kept.len();
                    kept.extend_from_slice(&chunk[..count.min(room)]);
                    if count > room && beyond == Beyond::Tell {
                        let _ = tell.send(News::Flood);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    }
    let _ = tell.send(News::End);
    kept
}

/// What an end without success means.
pub(super) fn fault_of(said: &Said, command: String, folder: PathBuf) -> GitFault {
    let log = said.log.as_str();
    if let Some(path) = lock_of(log) {
        return GitFault::Locked { path };
    }
    if log.contains("dubious ownership") {
        return GitFault::NotOurs { folder };
    }
    if log.contains("not a git repository") {
        return GitFault::NotARepository { folder };
    }
    if log.contains("bad config") || log.contains("object file") || log.contains("repository format") {
        return GitFault::Damaged { folder, why: log.into() };
    }
    let how = match (said.status.code(), said.status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".into(),
    };
    let said = if log.is_empty() { how } else { format!("{log} ({how})") };
    GitFault::Failed { command, folder, said }
}

/// The lock that git says is there.
fn lock_of(log: &str) -> Option<PathBuf> {
    let begin = log.find("Unable to create '")? + "Unable to create '".len();
    let rest = &log[begin..];
    let end = rest.find(".lock': File exists")? + ".lock".len();
    Some(rest[..end].into())
}
