//! How a person ends the loop. Knows nothing of what is ended.

use std::sync::atomic::{AtomicU8, Ordering};

/// How a person ends the loop: once asks, twice ends the agents at once. Shared with a signal handler.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicU8);

impl Interrupt {
    /// Nobody has asked yet.
    pub const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Asks once more.
    pub fn ask(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    /// How often it was asked.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::SeqCst)
    }
}
