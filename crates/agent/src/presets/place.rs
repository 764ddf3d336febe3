//! Owns the place that a coding CLI finds: a home with copies of its settings, and what of the system it may open. Must
//! not know what is asked of it. Copies nothing that holds a login.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tools::Confinement;

use super::table::{Manner, NETWORK};
use super::{HOME, Surroundings, TEMPORARY};

/// The largest file of settings that is copied.
const SETTINGS_BYTES: u64 = 1 << 20;

/// Fills the attempt's home: copies of the user's settings, else those of our own. The folder is new: what lies there
/// was left by an earlier try of the same attempt.
pub(super) fn home(manner: &Manner, surroundings: &Surroundings, workdir: &Path) -> io::Result<()> {
    let home = workdir.join(HOME);
    for name in manner.settings {
        let Some(source) = surroundings.home.as_ref().map(|user| user.join(name)) else { continue };
        let is_small = fs::metadata(&source).is_ok_and(|found| found.is_file() && found.len() <= SETTINGS_BYTES);
        if is_small {
            write(&home.join(name), &fs::read(&source)?)?;
        }
    }
    for (name, content) in manner.made {
        if !home.join(name).exists() {
            write(&home.join(name), content.as_bytes())?;
        }
    }
    Ok(())
}

/// The CLI's own variables: fixed ones, and of the user's those in its row, no other (QL-35).
pub(super) fn variables(manner: &Manner, surroundings: &Surroundings) -> Vec<(OsString, OsString)> {
    let fixed = manner.fixed.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let set = |name: &str| surroundings.variable(name).map(OsString::from);
    let names = manner.keys.iter().chain(manner.passed).chain(&NETWORK);
    let own = names.filter_map(|name| Some((OsString::from(name), set(name)?)));
    let renamed = manner.renamed.iter().filter(|(_, name)| set(name).is_none());
    let renamed = renamed.filter_map(|(known, name)| Some((OsString::from(name), set(known)?)));
    fixed.chain(own).chain(renamed).collect()
}

/// A file for the CLI to read, beside its temporary ones.
pub(super) fn file(workdir: &Path, name: &str, content: &[u8]) -> io::Result<PathBuf> {
    let path = workdir.join(TEMPORARY).join(name);
    write(&path, content)?;
    Ok(path)
}

/// Writes a file anew. Between two tries nobody but us is in the folder; a link left there is removed, not followed.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(content)
}

/// What any program needs, and what the CLI is made of: the folder of its packages, however it is reached.
pub(super) fn confinement(program: &OsStr, path: &OsStr) -> Confinement {
    let mut confinement = Confinement::system();
    let Ok(found) = tools::find_program(program, path) else { return confinement };
    let real = found.canonicalize().unwrap_or_else(|_| found.clone());
    for file in [&found, &real] {
        confinement.execute.extend(packages(file));
    }
    confinement.execute.extend([found, real]);
    confinement
}

/// The outermost `node_modules` that a program lies in; or its folder, and for Python's environments what belongs to it.
fn packages(program: &Path) -> Vec<PathBuf> {
    let modules = program.ancestors().filter(|folder| folder.file_name() == Some(OsStr::new("node_modules")));
    if let Some(outermost) = modules.last() {
        return vec![outermost.into()];
    }
    let Some(folder) = program.parent() else { return Vec::new() };
    let mut opened = vec![folder.to_path_buf()];
    if let Some(prefix) = folder.parent().filter(|prefix| prefix.join("pyvenv.cfg").is_file()) {
        opened.push(prefix.into());
        let python = folder.join("python").canonicalize();
        opened.extend(python.ok().and_then(|python| python.parent()?.parent().map(PathBuf::from)));
    }
    opened.retain(|folder| folder.parent().is_some());
    opened
}
