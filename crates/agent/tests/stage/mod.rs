//! What the tests share: a project, an attempt in it, and programs that play agents.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use agent::{
    Access, Backend, Brief, BriefFile, CollectedOutput, Command, CommandLimits, Ending, Job, Meter, OutputLimits,
    Report, Scratch, collect_outputs,
};
use tempfile::TempDir;
use tools::Stop;

/// The one output that attempts are asked for.
pub const OUTPUT: &str = "runs/run-1/workspace/ANALYSIS/x.md";

/// A report that says so.
pub const DONE: &str = r#"{"status": "done", "outputs": [{"path": "runs/run-1/workspace/ANALYSIS/x.md"}]}"#;

pub struct Stage {
    _folder: TempDir,
    pub project: PathBuf,
    pub outside: PathBuf,
    pub brief: Brief,
    pub scratch: Option<Scratch>,
    pub limits: CommandLimits,
}

impl Stage {
    /// A project with an asset, a table and another run; a secret beside it; a brief that may read the asset.
    pub fn new() -> Self {
        tools::launch_through(env!("CARGO_BIN_EXE_agent-launcher"));
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (project, outside) = (root.join("project"), root.join("outside"));
        for (path, content) in [
            ("project/assets/a.csv", "a,b\n1,2\n"),
            ("project/db/table.md", "| a |\n|---|\n"),
            ("project/runs/run-2/workspace/other.md", "another run's\n"),
            ("project/runs/run-1/notes.md", "notes\n"),
            ("outside/secret", "secret\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let mut brief = Brief::new("run-1", "multiverse", "executor", "execute");
        brief.files = vec![file("assets/a.csv", Access::Read)];
        brief.expects.outputs = vec![OUTPUT.into()];
        brief.limits.seconds = 60;
        let limits = CommandLimits {
            time: Duration::from_secs(60),
            output_bytes: 1 << 20,
            log_bytes: 1 << 16,
            grace: Duration::from_millis(200),
        };
        Self { _folder: folder, project, outside, brief, scratch: None, limits }
    }

    /// A program of the user's, outside the project.
    pub fn program(&self, text: &str) -> PathBuf {
        let path = self.outside.join("bin/agent");
        write_program(&path, text);
        path
    }

    /// The attempt as the engine would begin it.
    pub fn job(&mut self) -> Job {
        let scratch = Scratch::make(&self.project, 7, &self.brief).unwrap();
        let workdir = scratch.workdir();
        self.brief.workdir = workdir.display().to_string();
        self.scratch = Some(scratch);
        let readable = self.brief.files.iter().map(|file| self.project.join(&file.path)).collect();
        Job { brief: self.brief.clone(), project: self.project.clone(), workdir, readable, meter: Meter::default() }
    }

    pub fn command(&self, text: &str) -> Command {
        Command::new(text, &self.outside).unwrap().with_limits(self.limits)
    }

    /// Lets a shell script play the agent.
    pub fn sh(&mut self, script: &str) -> Ending {
        let program = self.program(&format!("#!/bin/sh\n{script}\n"));
        let job = self.job();
        self.work(&self.command(&program.display().to_string()), &job)
    }

    pub fn work(&self, command: &dyn Backend, job: &Job) -> Ending {
        self.work_and_listen(command, job).0
    }

    pub fn work_and_listen(&self, command: &dyn Backend, job: &Job) -> (Ending, Vec<String>) {
        let said = Mutex::new(Vec::new());
        let ending = command.work(job, &Stop::new(), &|line| said.lock().unwrap().push(line.to_string()));
        (ending, said.into_inner().unwrap())
    }

    pub fn workdir(&self) -> PathBuf {
        self.scratch.as_ref().unwrap().workdir()
    }

    pub fn collect(&self, report: &Report) -> Result<Vec<CollectedOutput>, Vec<String>> {
        collect_outputs(&self.brief, &self.workdir(), report, &OutputLimits::default())
    }

    /// That nothing of the project and nothing outside changed, the scratch aside.
    #[track_caller]
    pub fn assert_untouched(&self) {
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(read(self.project.join("assets/a.csv")), "a,b\n1,2\n");
        assert_eq!(read(self.project.join("db/table.md")), "| a |\n|---|\n");
        assert_eq!(read(self.project.join("runs/run-2/workspace/other.md")), "another run's\n");
        assert_eq!(read(self.project.join("runs/run-1/notes.md")), "notes\n");
        assert_eq!(read(self.outside.join("secret")), "secret\n");
        assert!(!self.project.join(OUTPUT).exists());
    }
}

pub fn file(path: &str, access: Access) -> BriefFile {
    BriefFile { path: path.into(), why: "a test".into(), access }
}

pub fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
pub fn report(ending: Ending) -> Report {
    match ending {
        Ending::Report { report, .. } => report,
        other => panic!("no report: {other:?}"),
    }
}

#[track_caller]
pub fn error(ending: Ending) -> String {
    match ending {
        Ending::Failed { error, .. } => error,
        other => panic!("not failed: {other:?}"),
    }
}

#[track_caller]
pub fn problems(ending: Ending) -> Vec<String> {
    match ending {
        Ending::Broken { problems, .. } => problems,
        other => panic!("not broken: {other:?}"),
    }
}
