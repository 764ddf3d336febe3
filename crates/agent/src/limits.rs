//! Owns the named maximum of everything that grows with what agents say or write. Must not know who asks.

use std::time::Duration;

/// Problems that are named of one report; a model cannot use more.
pub const MAX_PROBLEMS: usize = 20;

/// How deep a schema is followed into a value.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// Characters of an agent's text that a problem quotes.
pub const MAX_QUOTE: usize = 120;

/// Characters of the end of an agent's log that an error quotes.
pub const MAX_LOG_QUOTE: usize = 2000;

/// The longest path of a file that goes in or out, in bytes.
pub const MAX_PATH: usize = 1024;

/// Files that one report may name.
pub const MAX_OUTPUTS: usize = 1000;

/// Entries of a workdir that are looked at.
pub const MAX_ENTRIES: usize = 100_000;

/// How deep the folders of a workdir are looked into.
pub const MAX_FOLDERS: usize = 32;

/// The largest script file.
pub const MAX_SCRIPT: usize = 16 << 20;

/// How much a script's text may grow when its places are filled, in bytes.
pub const MAX_FILLED: usize = 1 << 20;

/// How large the files of one attempt may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// Each.
    pub file_bytes: u64,
    /// All together.
    pub total_bytes: u64,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { file_bytes: 64 << 20, total_bytes: 256 << 20 }
    }
}

/// What a command may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// On the clock, where the brief does not say.
    pub time: Duration,
    /// On its standard output; more ends it.
    pub output_bytes: usize,
    /// Of its standard error: the rest is read, and not kept.
    pub log_bytes: usize,
    /// Between the polite signal and the last one.
    pub grace: Duration,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(1800),
            output_bytes: 16 << 20,
            log_bytes: 256 << 10,
            grace: Duration::from_secs(5),
        }
    }
}
