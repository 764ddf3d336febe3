//! What a project may set for its cycles: limits, and the test battery (CY-05, CY-12).

use machine::cycle::Limits;

/// How cycles are carried out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CycleSettings {
    /// The machine's limits; the required checks are those of the battery.
    pub limits: Limits,
    /// The commands that are run for the Judge, in their order.
    pub battery: Vec<BatteryCheck>,
    /// Commands that agents may not run: `git push`, `rm -rf*`.
    pub forbidden: Vec<String>,
    /// The line that a shell runs to ask for a pull request; none is asked for without it.
    pub pull_request: Option<String>,
    /// Folders beside the system's own that these may look at: where toolchains are.
    pub read: Vec<std::path::PathBuf>,
}

/// One command of the battery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatteryCheck {
    /// Its name: `tests`, `linter`, `security`.
    pub name: String,
    /// The line that a shell runs, in a copy of the project.
    pub command: String,
    /// How long it may take.
    pub seconds: u64,
    /// Whether no loop passes without it.
    pub required: bool,
}

impl CycleSettings {
    /// The limits, with the checks that are required.
    pub(crate) fn machine_limits(&self) -> Limits {
        let required = self.battery.iter().filter(|check| check.required).map(|check| check.name.clone());
        let required = self.limits.required.iter().cloned().chain(required).collect();
        Limits { required, offers: self.pull_request.is_some(), ..self.limits.clone() }
    }

    /// A digest of what a cycle begins with (QL-27).
    pub(crate) fn digest(&self) -> String {
        blake3::hash(format!("{self:?}").as_bytes()).to_hex()[..32].to_string()
    }
}
