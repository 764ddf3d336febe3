//! What the operating system says about itself: which boot this is, how long it lasts, and what its processes do.

use std::time::Duration;

use crate::fs::ProcessState;

/// The clock that all processes share and that only goes forward. It stands still while the machine sleeps, so that nobody is
/// taken for silent when it wakes.
pub(super) fn since_boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let (seconds, rest) = (u64::try_from(time.tv_sec).unwrap_or_default(), u32::try_from(time.tv_nsec));
    Duration::new(seconds, rest.unwrap_or_default())
}

/// Where numbers of processes mean the same: the boot, and the name space of processes.
pub(super) fn host() -> String {
    let space = std::fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    let digits: String = space.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    let boot: String = boot_id().chars().filter(|letter| !letter.is_whitespace() && *letter != '/').collect();
    format!("{boot}/{digits}")
}

/// Differs for each boot of a machine.
#[cfg(target_os = "linux")]
pub(super) fn boot_id() -> String {
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let id = text("/proc/sys/kernel/random/boot_id");
    if !id.is_empty() {
        return id;
    }
    // The second of the boot, for systems that hide the id.
    let stat = text("/proc/stat");
    stat.lines().find(|line| line.starts_with("btime ")).map_or("unknown".into(), |line| line.replace(' ', "-"))
}

/// Differs for each boot of a machine.
#[cfg(not(target_os = "linux"))]
pub(super) fn boot_id() -> String {
    let asked = std::process::Command::new("/usr/sbin/sysctl").args(["-n", "kern.bootsessionuuid"]).output();
    let id = asked.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if id.is_empty() { "unknown".to_owned() } else { id }
}

/// What a process of this machine is doing.
#[cfg(target_os = "linux")]
pub(super) fn process_state(process: u32) -> ProcessState {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => state_in(&stat),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => ProcessState::Gone,
        Err(_) => ProcessState::Unknown,
    }
}

/// When a process began, in ticks since the boot.
#[cfg(target_os = "linux")]
pub(super) fn process_start(process: u32) -> Option<u64> {
    start_in(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn process_start(_process: u32) -> Option<u64> {
    None
}

/// The twenty-second word of such a line; the name is the second, and what follows it is counted from the third.
#[cfg(target_os = "linux")]
fn start_in(stat: &str) -> Option<u64> {
    stat.rsplit_once(") ")?.1.split(' ').nth(22 - 3)?.parse().ok()
}

/// A line of `/proc/<process>/stat`: `7 (name) T …`, where the name may hold anything, brackets too.
#[cfg(target_os = "linux")]
fn state_in(stat: &str) -> ProcessState {
    let letter = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    match letter {
        Some('T' | 't') => ProcessState::Stopped,
        Some('Z' | 'X' | 'x') => ProcessState::Gone,
        Some(_) => ProcessState::Running,
        None => ProcessState::Unknown,
    }
}

/// What a process of this machine is doing; whether it was stopped is not known here.
#[cfg(not(target_os = "linux"))]
pub(super) fn process_state(process: u32) -> ProcessState {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return ProcessState::Unknown };
    match test_kill_process(process) {
        Ok(()) | Err(Errno::PERM) => ProcessState::Running,
        Err(Errno::SRCH) => ProcessState::Gone,
        Err(_) => ProcessState::Unknown,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_state_follows_the_name() {
        for (stat, expected) in [
            ("7 (cat) R 1 7", ProcessState::Running),
            ("7 (a) T b) S 1 7", ProcessState::Running),
            ("7 (cat) T 1 7", ProcessState::Stopped),
            ("7 (cat) t 1 7", ProcessState::Stopped),
            ("7 (cat) Z 1 7", ProcessState::Gone),
            ("", ProcessState::Unknown),
        ] {
            assert_eq!(state_in(stat), expected, "{stat}");
        }
    }

    #[test]
    fn this_process_began_at_some_time() {
        let line = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        assert_eq!(start_in(line), Some(4711));
        assert_eq!(start_in("7 (cat)"), None);
        let me = std::process::id();
        assert!(process_start(me).is_some_and(|start| start > 0 && Some(start) == process_start(me)));
        assert!(since_boot() > Duration::ZERO);
        assert!(!host().contains(char::is_whitespace));
    }

    #[test]
    fn this_boot_has_a_name() {
        assert_ne!(boot_id(), "");
        assert_eq!(boot_id(), boot_id());
    }
}
