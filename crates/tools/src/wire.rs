//! What engine and launcher say to each other, over one socket: the policy and the program's input end in, single
//! letters while it runs, one report out. Knows neither processes nor rules.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use serde::{Deserialize, Serialize};

use crate::{Bound, Bounds, Network};

/// The first argument that makes our binary the launcher.
pub(crate) const LAUNCH: &str = "__launch";

/// The second argument, if it is only to look what the system lets its users have; its exit code says what not.
pub(crate) const LOOK: &str = "look";
pub(crate) const NO_NETWORK: u8 = 1;
pub(crate) const NO_PROCESSES: u8 = 2;
pub(crate) const NO_MOUNTS: u8 = 4;
pub(crate) const NO_COUNT: u8 = 8;
pub(crate) const NO_GROUP: u8 = 16;

/// Letters from the engine while the program runs.
pub(crate) const ASK: u8 = b's';
pub(crate) const END_NOW: u8 = b'k';

/// The most bytes of a policy; arguments and environment of a program are less by the kernel's own bound.
const POLICY_BYTES: usize = 64 << 20;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Policy {
    pub(crate) program: Name,
    pub(crate) called: Name,
    pub(crate) arguments: Vec<Name>,
    pub(crate) environment: Vec<(Name, Name)>,
    pub(crate) folder: Name,
    pub(crate) read: Vec<Name>,
    pub(crate) execute: Vec<Name>,
    pub(crate) write: Vec<Name>,
    pub(crate) milliseconds: u64,
    pub(crate) grace_milliseconds: u64,
    pub(crate) network: Network,
    pub(crate) bounds: Bounds,
    pub(crate) confined: Confined,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Confined {
    Always,
    /// The user accepted that a kernel without the means confines nothing.
    IfPossible,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Exit code or signal is that of the program itself; neither if it had to be given up.
    Ended {
        by: By,
        exit: Option<i32>,
        signal: Option<i32>,
        left: usize,
    },
    CannotConfine(String),
    NotExecutable(String),
    CannotSpawn(String),
}

/// Who or what ended the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum By {
    Itself,
    Time,
    Request,
    Bound(Bound),
}

/// A name of the system, which need not be Unicode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl Name {
    pub(crate) fn of(name: impl AsRef<OsStr>) -> Self {
        let bytes = name.as_ref().as_bytes();
        std::str::from_utf8(bytes).map_or_else(|_| Self::Bytes(bytes.into()), |text| Self::Text(text.into()))
    }

    pub(crate) fn all(paths: &[PathBuf]) -> Vec<Self> {
        paths.iter().map(Self::of).collect()
    }

    pub(crate) fn os(&self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.os().into()
    }
}

/// Sends the policy, and the end of a pipe that becomes the program's standard input.
pub(crate) fn send_policy(control: &UnixStream, policy: &Policy, input: BorrowedFd<'_>) -> io::Result<()> {
    let json = serde_json::to_vec(policy)?;
    let length = u32::try_from(json.len()).ok().filter(|length| *length as usize <= POLICY_BYTES);
    let length = length.ok_or_else(|| io::Error::other("arguments and environment are too long"))?;
    let descriptors = [input];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let head = length.to_le_bytes();
    let sent = rustix::net::sendmsg(control, &[IoSlice::new(&head)], &mut ancillary, SendFlags::empty())?;
    let mut control = control;
    control.write_all(&head[sent..])?;
    control.write_all(&json)
}

pub(crate) fn receive_policy(control: &UnixStream) -> io::Result<(Policy, OwnedFd)> {
    let mut head = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = if cfg!(target_os = "linux") { close_on_exec() } else { RecvFlags::empty() };
    let received =
        rustix::net::recvmsg(control.as_fd(), &mut [IoSliceMut::new(&mut head)], &mut ancillary, flags)?.bytes;
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let input = descriptors.flatten().next().ok_or_else(|| io::Error::other("no descriptor came with the policy"))?;
    let mut control = control;
    control.read_exact(&mut head[received..])?;
    let length = u32::from_le_bytes(head) as usize;
    if length > POLICY_BYTES {
        return Err(io::Error::other("the policy is too long"));
    }
    let mut json = vec![0; length];
    control.read_exact(&mut json)?;
    Ok((serde_json::from_slice(&json)?, input))
}

#[cfg(target_os = "linux")]
fn close_on_exec() -> RecvFlags {
    RecvFlags::CMSG_CLOEXEC
}

/// Elsewhere the launcher marks all descriptors before it starts the program.
#[cfg(not(target_os = "linux"))]
fn close_on_exec() -> RecvFlags {
    RecvFlags::empty()
}

pub(crate) fn send_report(control: &UnixStream, report: &Report) -> io::Result<()> {
    let json = serde_json::to_vec(report)?;
    let mut control = control;
    control.write_all(&json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_unicode_survive() {
        for bytes in [&b"plain"[..], b"", b"\xff\xfe", "\u{e9}\n\"".as_bytes()] {
            let name = Name::of(OsStr::from_bytes(bytes));
            let json = serde_json::to_vec(&name).unwrap();
            let back: Name = serde_json::from_slice(&json).unwrap();
            assert_eq!(back.os().as_bytes(), bytes);
        }
    }
}
