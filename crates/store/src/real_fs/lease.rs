//! Whether some process has a file open for writing. Only Linux can tell: it grants a read lease on a file just when
//! nobody has it open for writing.

use std::fs::File;

/// Whether the file, open for reading, is open for writing somewhere; `None` when the system does not say.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper for leases exists")]
pub(super) fn has_writer(file: &File) -> Option<bool> {
    use std::os::fd::AsRawFd;

    // linux/fcntl.h
    const F_SETSIG: libc::c_int = 10;

    let file = file.as_raw_fd();
    // Somebody who opens the file for writing while the lease is held makes the kernel send us a signal. By default
    // that is SIGIO, which would end the process; SIGURG is ignored unless asked for.
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and these commands take an integer.
    if unsafe { libc::fcntl(file, F_SETSIG, libc::SIGURG) } != 0 {
        return None;
    }
    // SAFETY: as above.
    if unsafe { libc::fcntl(file, libc::F_SETLEASE, libc::F_RDLCK) } != 0 {
        let refused = std::io::Error::last_os_error().raw_os_error();
        return (refused == Some(libc::EAGAIN)).then_some(true);
    }
    // SAFETY: as above. Should it fail, closing the file ends the lease.
    unsafe { libc::fcntl(file, libc::F_SETLEASE, libc::F_UNLCK) };
    Some(false)
}

/// Other systems do not say.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_writer(_file: &File) -> Option<bool> {
    None
}
