//! What the operating system says about itself: which boot this is, and what its processes do.

use crate::fs::ProcessState;

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
    fn this_boot_has_a_name() {
        assert_ne!(boot_id(), "");
        assert_eq!(boot_id(), boot_id());
    }
}
