//! `hostile`: a program that tries everything it can think of to get out of its sandbox, and says what came of it: one
//! line for each attempt, `NAME through` or `NAME stopped REASON`. With a name, that attempt alone; with `flood NAME`,
//! one that is to be ended for its size; with `without-namespaces PROGRAM…`, a machine that lets its users have none, for
//! the sandbox itself to be tried on. For the tests, and for trying a machine by hand.
//!
//! What is outside it learns from its environment: PROJECT (a project that it may read in part), RUN and OTHER_RUN,
//! ENGINE (a process), PORT (a listener on loopback), SOCKET, DATAGRAMS and ABSTRACT (listeners on UNIX sockets).
#![allow(unsafe_code, reason = "an attack has no safe interface")]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod floods;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod processes;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{self, Write};

    use super::{files, floods, network, processes};

    /// Gets through, or says why not.
    pub(super) type Attempt = (&'static str, fn(&World) -> io::Result<()>);

    /// What there is to attack.
    pub(super) struct World {
        pub(super) project: String,
        pub(super) run: String,
        pub(super) other_run: String,
        pub(super) engine: i32,
        pub(super) port: u16,
        pub(super) socket: String,
        pub(super) datagrams: String,
        pub(super) abstract_name: String,
    }

    impl World {
        pub(super) fn path(&self, inside: &str) -> String {
            format!("{}/{inside}", self.project)
        }
    }

    pub(super) fn main() {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let world = World {
            project: variable("PROJECT"),
            run: variable("RUN"),
            other_run: variable("OTHER_RUN"),
            engine: variable("ENGINE").parse().unwrap_or(1),
            port: variable("PORT").parse().unwrap_or(9),
            socket: variable("SOCKET"),
            datagrams: variable("DATAGRAMS"),
            abstract_name: variable("ABSTRACT"),
        };
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if let [flood, name] = &arguments[..]
            && flood == "flood"
        {
            floods::flood(name);
        }
        if let [without, program, rest @ ..] = &arguments[..]
            && without == "without-namespaces"
        {
            processes::without_namespaces(program, rest);
        }
        let all = [files::ATTEMPTS, files::MORE, network::ATTEMPTS, processes::ATTEMPTS].concat();
        for (name, attempt) in all {
            if arguments.first().is_none_or(|only| only == name) {
                let line = format!("{name} {}\n", tried(attempt, &world));
                // If nobody listens, there is nobody to tell.
                let _ = io::stdout().write_all(line.as_bytes());
            }
        }
    }

    /// In a process of its own: some attempts end whoever makes them.
    fn tried(attempt: fn(&World) -> io::Result<()>, world: &World) -> String {
        const OTHER_REASON: i32 = 250;
        const ATTEMPT_SECONDS: u32 = 20;
        // SAFETY: this process has one thread.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: whoever waits for ever is ended by the kernel.
            unsafe { libc::alarm(ATTEMPT_SECONDS) };
            let code = match attempt(world) {
                Ok(()) => 0,
                Err(error) => {
                    error.raw_os_error().filter(|code| (1..OTHER_REASON).contains(code)).unwrap_or(OTHER_REASON)
                }
            };
            // SAFETY: ends the copy.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: the status is ours.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
            (true, 0) => "through".into(),
            (true, OTHER_REASON) => "stopped without a number".into(),
            (true, code) => format!("stopped {}", io::Error::from_raw_os_error(code)),
            _ => format!("stopped by signal {}", libc::WTERMSIG(status)),
        }
    }
}
