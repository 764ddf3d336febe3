//! The allocator of the program, and of the benchmark that measures it. Knows nothing of what the memory is for.

use std::alloc::{GlobalAlloc, Layout};

use libmimalloc_sys as mi;

/// Any allocation of mimalloc's is aligned for this (`MI_MAX_ALIGN_SIZE` is no less). Nearly all ask for no more, and need
/// not go the long way of those that do, which may take more memory than it was asked for.
const ALWAYS: usize = align_of::<usize>();

/// A step makes many small things and lets go of them: a fifth of its time went into the system's allocator.
#[derive(Debug)]
pub(crate) struct Allocator;

#[allow(unsafe_code, reason = "an allocator has no safe interface")]
// SAFETY: every call goes to mimalloc as it came; where the alignment is left out, mimalloc gives no less than `ALWAYS`.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.align() <= ALWAYS {
            true => unsafe { mi::mi_malloc(layout.size()).cast() },
            false => unsafe { mi::mi_malloc_aligned(layout.size(), layout.align()).cast() },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match layout.align() <= ALWAYS {
            true => unsafe { mi::mi_zalloc(layout.size()).cast() },
            false => unsafe { mi::mi_zalloc_aligned(layout.size(), layout.align()).cast() },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, at: *mut u8, _: Layout) {
        unsafe { mi::mi_free(at.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match layout.align() <= ALWAYS {
            true => unsafe { mi::mi_realloc(at.cast(), size).cast() },
            false => unsafe { mi::mi_realloc_aligned(at.cast(), size, layout.align()).cast() },
        }
    }
}
