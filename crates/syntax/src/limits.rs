//! Owns the named maximum of everything that could otherwise grow without end on hostile input (QL-25).
//! Must not know what the limits protect against in detail: each user says so where it applies one.

/// Containers (quotes, list items) that may be open at once in Markdown. Deeper markers are read as text.
pub const MAX_NESTING: usize = 100;

/// Collections that may be nested in YAML and JSON. Deeper ones are a problem, and are not read.
pub const MAX_DEPTH: usize = 128;

/// Problems that one document reports; if there are more, one more problem says so.
pub const MAX_PROBLEMS: usize = 1000;

/// Values (nodes) that are kept of one YAML or JSON document.
pub const MAX_NODES: usize = 1 << 20;

/// Values that aliases of one YAML document repeat, where they are written out.
pub const MAX_EXPANDED: usize = 1 << 14;

/// Edits that a Markdown document remembers for its row indexes; an index that is further behind is built again.
pub const MAX_REMEMBERED_EDITS: usize = 256;
