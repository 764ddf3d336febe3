//! What a session may take. Every loop, retry and list has a name here.

/// The limits of one decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How often one item is planned around, those it came from included.
    pub replanned: u32,
    /// How often one item may ask.
    pub asked: u32,
    /// How often one item may run out of steps; the next time is a blocker.
    pub pauses: u32,
    /// How often reports on one piece of work are sent back; the next one is a failure.
    pub sent_back: u32,
    /// How often attempts at one piece of work are lost; the next time a person is to look.
    pub lost: u32,
    /// How often planning may fail in a row; the next time a person is to look.
    pub failed: u32,
    /// The longest rest, in seconds.
    pub rest_seconds: u64,
    /// How often one piece of work may be put off.
    pub rests: u32,
    /// The most items of a roadmap.
    pub items: usize,
    /// The most items and groups that one plan may add.
    pub added: usize,
    /// The most dependencies of one item, and the most files that it claims.
    pub named: usize,
    /// How deep groups may stand in each other.
    pub depth: usize,
    /// The longest title, in bytes.
    pub title_bytes: usize,
    /// The longest summary or question, in bytes: more is cut.
    pub summary_bytes: usize,
    /// How many items a selection looks at, those with the same claims counting once.
    pub looked_at: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            replanned: 3,
            asked: 2,
            pauses: 20,
            sent_back: 2,
            lost: 1000,
            failed: 2,
            rest_seconds: 7 * 86_400,
            rests: 100,
            items: 100_000,
            added: 500,
            named: 100,
            depth: 16,
            title_bytes: 2048,
            summary_bytes: 32 * 1024,
            looked_at: 128,
        }
    }
}
