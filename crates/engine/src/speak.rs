//! Lets a communicator word a message to the user (MV-41), and records what it was given and said. Decides nothing: whoever
//! gets no words says it in code's own.

use std::path::PathBuf;

use agent::{Backend, Brief, Ending, Job, Meter, Scratch};

use crate::calls::{self, Call};

/// What a communicator says; nothing if it does not.
pub(crate) fn speak(backend: &dyn Backend, mut brief: Brief, project: PathBuf) -> Option<String> {
    let scratch = Scratch::make(&project, 0, &brief).ok()?;
    brief.workdir = scratch.workdir().display().to_string();
    let job = Job { brief, project, workdir: scratch.workdir(), readable: Vec::new(), meter: Meter::default() };
    let ending = backend.work(&job, &tools::Stop::new(), &|_| {});
    if backend.is_recorded() {
        let (project, workdir, agent, meter) = (&job.project, &job.workdir, backend.name(), &job.meter);
        calls::keep_message(&Call { project, workdir, fence: 0, agent, brief: &job.brief, ending: &ending, meter });
    }
    let _ = scratch.remove();
    match ending {
        Ending::Report { report, .. } => report.result.get("message")?.as_str().map(str::to_string),
        _ => None,
    }
}
