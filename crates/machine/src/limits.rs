//! Every limit of the machines, by name.

/// What nothing goes beyond. Handed in, so that a project may set them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// How often a draft or a report is sent back with its problems before it counts as a failure.
    pub sent_back: u32,
    /// How often an attempt that was lost (its process died) is made again before it counts as a failure.
    pub lost: u32,
    /// How often a piece of work is put off because its agent may not work yet, before a person is to look at it.
    pub rests: u32,
    /// The longest that it is put off at a time, in seconds.
    pub rest_seconds: u64,
    /// What is set aside for an attempt of a run that has a budget: what it may use at most. Tokens;
    pub attempt_tokens: u64,
    /// millionths of a dollar;
    pub attempt_micro_dollars: u64,
    /// seconds.
    pub attempt_seconds: u64,
    /// How often a failed integration goes to the role that is to mend it before a person decides (PF-12).
    pub integrations: u32,
    /// How often a role may ask people while it works on one step.
    pub questions: u32,
    /// The most items that one plan may have.
    pub plan_items: usize,
    /// The most items that a run may have.
    pub run_items: usize,
    /// The longest text of one cell of a plan, in bytes.
    pub cell_bytes: usize,
    /// The most inputs of one item.
    pub inputs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sent_back: 2,
            lost: 1000,
            rests: 100,
            rest_seconds: 7 * 86_400,
            attempt_tokens: 100_000,
            attempt_micro_dollars: 1_000_000,
            attempt_seconds: 1800,
            integrations: 3,
            questions: 20,
            plan_items: 2000,
            run_items: 20_000,
            cell_bytes: 64 * 1024,
            inputs: 1000,
        }
    }
}
