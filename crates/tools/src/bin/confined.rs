//! `confined [--small] [--closed] FOLDER PROGRAM [ARGUMENT…]`: runs a program confined, with FOLDER as the only one that it
//! may write; with `--small` in narrow bounds, with `--closed` without a network.
//! For trying out a confinement by hand, and for the tests, which need a launcher and an engine that they can kill.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use tools::{Bounds, Confinement, How, Launch, LaunchLimits, Network, Stop, be_launcher_if_asked, launch};

const LIMITS: LaunchLimits = LaunchLimits {
    time: Duration::from_secs(3600),
    output_bytes: 64 << 20,
    log_bytes: 1 << 20,
    grace: Duration::from_secs(5),
};

/// Bounds that are soon outgrown.
const SMALL: Bounds = Bounds { memory_bytes: 256 << 20, processes: 64, file_bytes: 8 << 20, disk_bytes: 64 << 20 };

fn main() -> ExitCode {
    if let Some(code) = be_launcher_if_asked() {
        return code;
    }
    let mut arguments = std::env::args_os().skip(1).peekable();
    let bounds = match arguments.next_if(|first| first == "--small") {
        Some(_) => SMALL,
        None => Bounds::default(),
    };
    let network = match arguments.next_if(|first| first == "--closed") {
        Some(_) => Network::Closed,
        None => Network::Open,
    };
    let (Some(folder), Some(program)) = (arguments.next(), arguments.next()) else {
        return said("usage: confined [--small] [--closed] FOLDER PROGRAM [ARGUMENT...]", 2);
    };
    let mut confinement = Confinement::system();
    confinement.write.push(folder.clone().into());
    let launched = Launch {
        program,
        arguments: arguments.collect(),
        environment: std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "HOME").collect(),
        folder: folder.into(),
        input: Vec::new(),
        confinement,
        network,
        bounds,
        limits: LIMITS,
    };
    match launch(&launched, &Stop::new()) {
        Err(fault) => said(&fault.to_string(), 1),
        Ok(ended) => {
            let written = std::io::stdout().write_all(&ended.output);
            let logged = std::io::stderr().write_all(&ended.log);
            match ended.how {
                How::Exit(code) if written.and(logged).is_ok() => ExitCode::from(u8::try_from(code).unwrap_or(1)),
                how => said(&format!("ended: {how:?}"), 1),
            }
        }
    }
}

fn said(what: &str, code: u8) -> ExitCode {
    // If nobody listens, the exit code still says it.
    let _ = writeln!(std::io::stderr(), "{what}");
    ExitCode::from(code)
}
