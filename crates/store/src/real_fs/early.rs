//! Writing that begins before anybody waits for it: while the disk is at it, the processor does something else. Only
//! Linux can be asked for that; elsewhere the sync does all of it.

use std::fs::File;

/// Asks the system to begin to write a part of a file. It promises nothing, and what fails is told by the sync.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "no safe wrapper for it exists")]
pub(super) fn begin_to_write(file: &File, offset: u64, length: u64) {
    use std::os::fd::AsRawFd;

    let (Ok(offset), Ok(length)) = (i64::try_from(offset), i64::try_from(length)) else { return };
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the call takes numbers only.
    let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, libc::SYNC_FILE_RANGE_WRITE) };
}

/// Other systems cannot be asked.
#[cfg(not(target_os = "linux"))]
pub(super) fn begin_to_write(_file: &File, _offset: u64, _length: u64) {}
