//! System calls by their numbers, with an error for an answer below zero.

use std::ffi::CString;
use std::io;

/// Zero for those that are not given.
pub(crate) fn call(number: libc::c_long, arguments: &[i64]) -> io::Result<i64> {
    let at = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: whoever calls passes numbers, or addresses that outlive the call.
    let answer = unsafe { libc::syscall(number, at(0), at(1), at(2), at(3), at(4), at(5)) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

pub(crate) fn done(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

pub(crate) fn text(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(io::Error::other)
}

/// The address of something, as an argument.
pub(crate) fn at<T: ?Sized>(value: &T) -> i64 {
    std::ptr::from_ref(value).cast::<u8>() as i64
}

/// What was tried went through without harm: not what an attacker wanted.
pub(crate) fn nothing_gained<T>() -> io::Result<T> {
    Err(io::Error::from_raw_os_error(libc::EPERM))
}
