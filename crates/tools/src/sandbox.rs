//! What the kernel enforces, and making it enforce a confinement on the calling process (QL-30). Owns the rules in the
//! kernel's words; knows nothing of how programs are started or ended.

use std::sync::atomic::{AtomicBool, Ordering};

/// What this kernel can do to confine a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// Files, signals, tracing and abstract sockets.
    Enforced { abi: u32 },
    /// Files and tracing; `what` says what is open.
    Partly { abi: u32, what: &'static str },
    /// Nothing that could be relied on; [`launch`](crate::launch) refuses.
    None { why: &'static str },
}

/// The first versions of Landlock that stop truncation (without it the contents of any file could be destroyed),
/// commands to devices, and signals.
const TRUNCATION: u32 = 3;
const DEVICE_COMMANDS: u32 = 5;
const SIGNALS: u32 = 6;

static NO_CONFINEMENT_ACCEPTED: AtomicBool = AtomicBool::new(false);

/// From here on this process starts programs also where [`probe`] says [`Sandbox::None`], without any confinement.
/// For a person to decide, in so many words; where the kernel can confine, it still does.
pub fn accept_no_confinement() {
    NO_CONFINEMENT_ACCEPTED.store(true, Ordering::SeqCst);
}

pub(crate) fn no_confinement_is_accepted() -> bool {
    NO_CONFINEMENT_ACCEPTED.load(Ordering::SeqCst)
}

/// What this kernel can do.
pub fn probe() -> Sandbox {
    match version() {
        Ok(abi) => judge(abi),
        Err(why) => Sandbox::None { why },
    }
}

fn judge(abi: u32) -> Sandbox {
    match abi {
        ..TRUNCATION => Sandbox::None { why: "Landlock of this kernel cannot stop truncation: Linux 6.2 or later can" },
        TRUNCATION..DEVICE_COMMANDS => Sandbox::Partly {
            abi,
            what: "commands to open devices and signals to any process of the user (Linux 6.12 or later stops both)",
        },
        DEVICE_COMMANDS..SIGNALS => {
            Sandbox::Partly { abi, what: "signals to any process of the user (Linux 6.12 or later stops them)" }
        }
        SIGNALS.. => Sandbox::Enforced { abi },
    }
}

#[cfg(not(target_os = "linux"))]
fn version() -> Result<u32, &'static str> {
    Err("this system has no confinement that is supported here: use Linux 6.2 or later")
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "a system call that neither libc nor the crate landlock offers as a function")]
fn version() -> Result<u32, &'static str> {
    const ASK_FOR_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the kernel reads no memory of ours and makes nothing.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, ASK_FOR_VERSION)
    };
    let switched_off = std::io::Error::last_os_error().raw_os_error() == Some(libc::EOPNOTSUPP);
    match u32::try_from(answer) {
        Ok(abi) => Ok(abi),
        Err(_) if switched_off => Err("Landlock is switched off: add it to `lsm=` on the kernel's command line"),
        Err(_) => Err("this kernel has no Landlock: Linux 6.2 or later has"),
    }
}

#[cfg(target_os = "linux")]
pub(crate) use rules::Rules;

#[cfg(target_os = "linux")]
mod rules {
    use std::fs;
    use std::os::fd::AsFd;
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
    };

    use crate::cage::Proc;
    use crate::wire::Policy;

    /// All that is handled; a kernel that knows less enforces less, down to what [`super::probe`] accepts.
    const NEWEST: ABI = ABI::V9;

    /// The link that names whoever looks at it, so it is opened by the program's process and not before.
    const OWN_PROCESS: &str = "/proc/self";
    /// What is opened instead where it shows nothing but the program's own processes.
    const OWN_PROCESSES: &str = "/proc";

    pub(crate) struct Rules {
        made: RulesetCreated,
        own_process: BitFlags<AccessFs>,
        opened: Proc,
    }

    impl Rules {
        pub(crate) fn new(policy: &Policy, opened: Proc) -> Result<Self, String> {
            let made = Ruleset::default()
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::from_all(NEWEST))
                .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
                .and_then(Ruleset::create);
            let made = made.map_err(|error| format!("the kernel refused the rules: {error}"))?;
            let mut rules = Self { made, own_process: BitFlags::EMPTY, opened };
            let read = AccessFs::ReadFile | AccessFs::ReadDir;
            let write = AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
            let program = [&policy.program];
            let lists: [(Vec<PathBuf>, _, _); 4] = [
                (policy.read.iter().map(crate::wire::Name::path).collect(), read, Missing::Skipped),
                (
                    policy.execute.iter().map(crate::wire::Name::path).collect(),
                    read | AccessFs::Execute,
                    Missing::Skipped,
                ),
                (program.map(crate::wire::Name::path).into(), read | AccessFs::Execute, Missing::Refused),
                (policy.write.iter().map(crate::wire::Name::path).collect(), write, Missing::Refused),
            ];
            for (paths, access, missing) in lists {
                for path in paths {
                    rules = rules.open(&path, access, missing)?;
                }
            }
            Ok(rules)
        }

        fn open(mut self, path: &Path, access: BitFlags<AccessFs>, missing: Missing) -> Result<Self, String> {
            if path == Path::new(OWN_PROCESS) {
                self.own_process |= access;
                return Ok(self);
            }
            let file = match PathFd::new(path) {
                Ok(file) => file,
                Err(_) if missing == Missing::Skipped => return Ok(self),
                Err(error) => return Err(format!("{error}; make {} first, or leave it out", path.display())),
            };
            let is_folder = fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
            let access = if is_folder { access } else { access & AccessFs::from_file(NEWEST) };
            let added = self.made.add_rule(PathBeneath::new(file, access));
            self.made = added.map_err(|error| format!("the kernel refused a rule for {}: {error}", path.display()))?;
            Ok(self)
        }

        /// From here on the calling process and all that it starts are confined, and can never leave.
        pub(crate) fn enter(self) -> Result<(), ()> {
            let mut made = self.made;
            let own = match self.opened {
                Proc::First => OWN_PROCESS,
                Proc::Own => OWN_PROCESSES,
            };
            if !self.own_process.is_empty()
                && let Ok(folder) = PathFd::new(own)
            {
                made = made.add_rule(PathBeneath::new(folder.as_fd(), self.own_process)).map_err(drop)?;
            }
            let status = made.restrict_self().map_err(drop)?;
            if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs { Err(()) } else { Ok(()) }
        }
    }

    /// What becomes of a path that does not exist.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Missing {
        Skipped,
        Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QL-30: what cannot protect the contents of files does not count as confinement.
    #[test]
    fn kernels_are_judged_by_what_they_leave_open() {
        let cases = [(0, "none"), (1, "none"), (2, "none"), (3, "partly"), (5, "partly"), (6, "full"), (99, "full")];
        for (abi, expected) in cases {
            let judged = match judge(abi) {
                Sandbox::Enforced { .. } => "full",
                Sandbox::Partly { .. } => "partly",
                Sandbox::None { .. } => "none",
            };
            assert_eq!(judged, expected, "version {abi}");
        }
    }
}
