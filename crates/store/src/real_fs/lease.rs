//! Whether some process has a file open for writing. Only Linux can tell: it grants a read lease on a file just when
//! nobody has it open for writing.

use std::fs::File;

/// Whether the file, open for reading, is open for writing somewhere; `None` when the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn has_writer(file: &File) -> Option<bool> {
    match take(file) {
        Ok(()) => {
            give_back(file);
            Some(false)
        }
        Err(error) => (error.raw_os_error() == Some(libc::EAGAIN)).then_some(true),
    }
}

/// Other systems do not say.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_writer(_file: &File) -> Option<bool> {
    None
}

#[cfg(target_os = "linux")]
fn take(file: &File) -> std::io::Result<()> {
    // linux/fcntl.h
    const F_SETSIG: libc::c_int = 10;
    // Somebody who opens the file for writing while the lease is held makes the kernel send us a signal. By default
    // that is SIGIO, which would end the process; SIGURG is ignored unless asked for.
    control(file, F_SETSIG, libc::SIGURG)?;
    control(file, libc::F_SETLEASE, libc::F_RDLCK)
}

#[cfg(target_os = "linux")]
fn give_back(file: &File) {
    // Should it fail, closing the file ends the lease.
    let _ = control(file, libc::F_SETLEASE, libc::F_UNLCK);
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper for leases exists")]
fn control(file: &File, command: libc::c_int, argument: libc::c_int) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;

    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the commands used here take an integer.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, argument) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::OpenOptions;
    use std::io;
    use std::os::unix::fs::OpenOptionsExt;

    use super::*;

    /// Were the signal not SIGURG, this test's process would not survive.
    #[test]
    fn whoever_writes_while_the_lease_is_held_does_not_end_us() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, "text").unwrap();
        let open_to_write = || OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let file = File::open(&path).unwrap();
        take(&file).unwrap();
        assert_eq!(open_to_write().unwrap_err().kind(), io::ErrorKind::WouldBlock);
        give_back(&file);
        let _writer = open_to_write().unwrap();
        assert_eq!(take(&file).unwrap_err().raw_os_error(), Some(libc::EAGAIN));
        assert_eq!(has_writer(&file), Some(true));
    }
}
