//! The documents of the protocol `profile`: workflow profiles (YAML), `status.json`, the trace, the ledger, and what a
//! gate's decision leaves. Read leniently and whole, with a place and a way out for everything that is wrong; written by
//! touching only what differs. Must not decide anything, and knows no phase, role or gate of any one profile (PF-15).

mod choose;
mod cross;
mod differing;
mod lower;
mod over;
mod paths;
mod read;
mod schema;
mod status;

pub use choose::{Invocation, choose, env_value, human_gates, read_invocation};
pub use differing::{Differing, differing};
pub use lower::{gate_document, lower};
pub use over::{Around, idea_of, taken_over};
pub use paths::{
    ARCHIVE, ARTIFACTS, LEDGER, PROFILES, SCHEMAS, STATUS, TRACE, artifact_folder, artifact_path, run_id, slug,
    workspace,
};
pub use read::{ReadProfile, read_profile};
pub use schema::{Complaint, Schema};
pub use status::{Beside, ReadStatus, idle_document, idle_status, read_status, status};

/// The JSON Schema of profiles, as it is shipped.
pub const PROFILE_SCHEMA: &str = include_str!("files/workflow_profile.schema.json");
/// The JSON Schema of `status.json`, as it is shipped.
pub const STATUS_SCHEMA: &str = include_str!("files/status.schema.json");
/// `tools/README.md`: the entry points.
pub const TOOLS: &str = include_str!("files/tools.md");
/// The profiles that are shipped: name of the file and content.
pub const SHIPPED: [(&str, &str); 2] = [
    ("default_fallback_profile.yaml", include_str!("files/default_fallback_profile.yaml")),
    ("default_realization_profile.yaml", include_str!("files/default_realization_profile.yaml")),
];
