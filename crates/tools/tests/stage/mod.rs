//! What the tests share: a scratch folder, programs to start in it, and a look at what is left of them.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tempfile::TempDir;
use tools::{
    Bounds, Confinement, Ended, How, Launch, LaunchFault, LaunchLimits, Network, Stop, launch, launch_through,
};

/// Long enough for a busy machine; no test waits for it unless it fails.
const PATIENCE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        launch_through(env!("CARGO_BIN_EXE_confined"));
        let folder = tempfile::tempdir().unwrap();
        for name in ["scratch", "outside", "outside/folder"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("outside/file"), "untouched").unwrap();
        Self { folder }
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("scratch")
    }

    /// A folder beside the scratch, with a file `file` and a folder `folder`, that no launch may touch.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("outside")
    }

    pub(crate) fn program(&self, program: &str, arguments: &[&str]) -> Launch {
        let mut confinement = Confinement::system();
        confinement.write.push(self.scratch());
        Launch {
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            environment: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap()),
                ("HOME".into(), std::env::var_os("HOME").unwrap_or_default()),
                ("OUTSIDE".into(), self.outside().into()),
                (self.mark().into(), "1".into()),
            ],
            folder: self.scratch(),
            input: Vec::new(),
            confinement,
            network: Network::Open,
            bounds: Bounds::default(),
            limits: LaunchLimits {
                time: Duration::from_secs(60),
                output_bytes: 1 << 20,
                log_bytes: 1 << 16,
                grace: Duration::from_secs(60),
            },
        }
    }

    pub(crate) fn sh(&self, script: &str) -> Launch {
        self.program("sh", &["-c", script])
    }

    pub(crate) fn python(&self, script: &str) -> Launch {
        self.program("python3", &["-c", script])
    }

    /// Runs it, and sees to it that nothing of it is left.
    #[track_caller]
    pub(crate) fn ended(&self, launched: &Launch) -> Ended {
        let ended = launch(launched, &Stop::new()).unwrap();
        self.assert_nothing_left();
        ended
    }

    #[track_caller]
    pub(crate) fn fault(&self, launched: &Launch) -> LaunchFault {
        launch(launched, &Stop::new()).unwrap_err()
    }

    /// Every process that a test starts inherits a variable of this name, if it does not shed it.
    fn mark(&self) -> String {
        let name = self.folder.path().file_name().unwrap().to_string_lossy().replace('.', "");
        format!("MARK_{name}")
    }

    fn left(&self) -> Vec<PathBuf> {
        let mark = self.mark();
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let marked = processes.filter(|process| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|window| window == mark.as_bytes())
        });
        marked.collect()
    }

    /// The process that the engine started for a program that runs now.
    pub(crate) fn launcher(&self) -> String {
        let parent = |process: &Path| {
            let line = fs::read_to_string(process.join("stat")).unwrap();
            Path::new("/proc").join(line.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap())
        };
        let is_launcher = |process: &PathBuf| fs::read_to_string(process.join("cmdline")).unwrap().contains("__launch");
        let ancestors = std::iter::successors(self.left().first().cloned(), |process| Some(parent(process)));
        let launchers = ancestors.skip(1).take_while(is_launcher);
        launchers.last().unwrap().file_name().unwrap().to_string_lossy().into_owned()
    }

    #[track_caller]
    pub(crate) fn assert_nothing_left(&self) {
        assert_eq!(self.left(), Vec::<PathBuf>::new(), "processes that outlived their launch");
    }

    /// A named pipe in the scratch. Whoever opens it for writing is heard of, and so is the end of the last of them.
    pub(crate) fn pipe(&self) -> Pipe {
        let path = self.scratch().join("pipe");
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let open = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path).unwrap();
        Pipe { open }
    }
}

pub(crate) struct Pipe {
    open: File,
}

impl Pipe {
    /// Waits for one line.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let mut byte = [0];
        while !line.ends_with('\n') {
            self.wait();
            if matches!(self.open.read(&mut byte), Ok(1)) {
                line.push(byte[0].into());
            }
        }
        line.trim_end().into()
    }

    /// Waits until nobody holds the other end. Somebody must have written before.
    pub(crate) fn closed(&mut self) {
        let mut bytes = [0; 64];
        loop {
            self.wait();
            if matches!(self.open.read(&mut bytes), Ok(0)) {
                return;
            }
        }
    }

    fn wait(&self) {
        let ready = poll(&mut [PollFd::new(&self.open, PollFlags::IN)], Some(&PATIENCE)).unwrap();
        assert_ne!(ready, 0, "nothing was heard from the processes");
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
pub(crate) fn assert_exit(ended: &Ended, code: i32) {
    assert_eq!(ended.how, How::Exit(code), "output {:?}, log {:?}", text(&ended.output), text(&ended.log));
}

/// Whether the system lets its users have namespaces.
pub(crate) fn has_namespaces() -> bool {
    let tried =
        Command::new("unshare").args(["-rpfm", "--mount-proc", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    tried.unwrap().status.success()
}

/// Says that a test is skipped, also where `./test` lists it: a runner shows nothing of what passes.
pub(crate) fn skip(why: &str) {
    eprintln!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("skipped.txt");
    if let Ok(mut list) = File::options().create(true).append(true).open(list) {
        let _ = writeln!(list, "{why}");
    }
}
