//! What of the project an agent may read, by what its brief names. Must not know what is done with it.

use std::path::{Path, PathBuf};

use dialect::Protocol;

/// What of the project an agent of a run may read (MV-36): the inputs, its own run, and what its brief names.
pub(crate) fn readable(project: &Path, run: &str, brief: &agent::Brief) -> Vec<PathBuf> {
    let own = [format!("runs/{run}"), format!("outputs/{run}")];
    let mut paths: Vec<PathBuf> = own.iter().map(|path| project.join(path)).filter(|path| path.exists()).collect();
    paths.extend(readable_inputs(project, brief));
    paths
}

/// The same without a run.
pub(crate) fn readable_inputs(project: &Path, brief: &agent::Brief) -> Vec<PathBuf> {
    let named = brief.files.iter().map(|file| project.join(agent::skill_folder(file).unwrap_or(&file.path)));
    let protocol = Protocol::named(&brief.protocol).unwrap_or(&dialect::multiverse::PROTOCOL);
    let inputs = protocol.inputs.iter().filter(|input| input.asset_type == "ORIGINAL_INPUT");
    let mut paths: Vec<PathBuf> = inputs.map(|input| project.join(input.folder)).chain(named).collect();
    paths.retain(|path| path.exists());
    paths
}
