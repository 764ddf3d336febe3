//! What this machine cannot enforce, in words. Looks, and confines nothing.

use std::process::{Command, Stdio};

use crate::launch::binary;
use crate::sandbox::{Sandbox, probe};
use crate::wire::{LAUNCH, LOOK, NO_COUNT, NO_GROUP, NO_MOUNTS, NO_NETWORK, NO_PROCESSES};

/// What a program could do here although it should not be able to, each as part of a sentence; nothing where every wall
/// stands. Starts a launcher to find out, since namespaces are tried and not asked for.
pub fn gaps() -> Vec<String> {
    let mut gaps = Vec::new();
    match probe() {
        Sandbox::Enforced { .. } => {}
        Sandbox::Partly { what, .. } => gaps.push(what.to_string()),
        Sandbox::None { why } => return vec![format!("anything, so programs are refused: {why}")],
    }
    if let Err(why) = calls_can_be_filtered() {
        gaps.push(format!("any system call, so commands without a network are refused: {why}"));
    }
    let missing = look();
    let known = [
        (
            NO_MOUNTS,
            "changing mode, owner, times and attributes of files outside that the user owns, and connecting to sockets that are files",
        ),
        (NO_PROCESSES, "making processes faster than they are counted and ended"),
        (
            NO_COUNT,
            "having more processes than allowed from one look of the launcher to the next, which is 10 ms later",
        ),
        (
            NO_GROUP,
            "taking more memory than allowed by many processes together, from one look of the launcher to the next: no control group can be made here (in a session of systemd, `systemd-run --user --scope multiverse …` makes it possible)",
        ),
        (NO_NETWORK, "nothing by itself, but only one wall closes the network instead of two"),
    ];
    gaps.extend(known.iter().filter(|(bit, _)| missing & bit != 0).map(|(_, what)| (*what).to_string()));
    gaps
}

/// What the launcher finds missing; all of it if it cannot be asked.
fn look() -> u8 {
    let all = NO_MOUNTS | NO_PROCESSES | NO_NETWORK | NO_COUNT | NO_GROUP;
    let Ok(binary) = binary() else { return all };
    let mut command = Command::new(binary);
    command.args([LAUNCH, LOOK]).env_clear().current_dir("/");
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.ok().and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok()).unwrap_or(all)
}

#[cfg(target_os = "linux")]
fn calls_can_be_filtered() -> Result<(), String> {
    crate::calls::Calls::new(crate::Network::Closed).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn calls_can_be_filtered() -> Result<(), String> {
    Err("this system has no such filter".into())
}
