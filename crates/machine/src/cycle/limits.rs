//! Every limit of a cycle, by name. Handed in, so that a project may set them (CY-12).

use alloc::string::String;
use alloc::vec::Vec;

/// What nothing goes beyond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most lines that an Actor may add and remove in a loop.
    pub lines: u64,
    /// The most files that it may touch.
    pub files: usize,
    /// How many INSUFFICIENT in a row pause the cycle.
    pub insufficient: u32,
    /// How many loops there are before the Human is asked.
    pub loops: u32,
    /// How long a cycle goes on before the Human is asked, in seconds; nothing for as long as it takes.
    pub seconds: Option<u64>,
    /// How often a report is sent back with its problems before it counts as a failure.
    pub sent_back: u32,
    /// How often an attempt that was lost is made again before it counts as a failure.
    pub lost: u32,
    /// How often a Planner or Judge may fail in a row before the cycle does.
    pub failed: u32,
    /// The longest that work is put off at a time, in seconds.
    pub rest_seconds: u64,
    /// How often it is, before a person is to look at it.
    pub rests: u32,
    /// How long a question waits for the Human, in seconds; nothing for ever.
    pub answer_seconds: Option<u64>,
    /// What happens then. Nothing is ever approved by silence.
    pub silence: Silence,
    /// The checks that must be good before a Judge may pass a loop, by name.
    pub required: Vec<String>,
    /// Whether a pull request is asked for before the merge waits for approval.
    pub offers: bool,
    /// The longest field of a turn, in bytes.
    pub field_bytes: usize,
    /// The longest response of a turn, in bytes.
    pub response_bytes: usize,
}

/// What happens when the Human does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The question stays, and the cycle is paused.
    Pause,
    /// The cycle ends, incomplete.
    Stop,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lines: 150,
            files: 2,
            insufficient: 5,
            loops: 50,
            seconds: None,
            sent_back: 2,
            lost: 1000,
            failed: 2,
            rest_seconds: 7 * 86_400,
            rests: 100,
            answer_seconds: None,
            silence: Silence::Pause,
            required: Vec::new(),
            offers: false,
            field_bytes: 4 * 1024,
            response_bytes: 64 * 1024,
        }
    }
}
