//! Opens the files that a brief names, and no others.
//!
//! Owns the only I/O of the offline agent. A path that leads out of the project, or is no plain file, is not opened; it
//! is reported as not read, with the reason.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::analysis::Unread;
use super::evidence::Material;
use super::limits;
use super::read::{Extent, Form, document};
use super::write_md;

/// What may be opened.
pub(crate) struct Bounds<'a> {
    /// The run whose papers are its own.
    pub(crate) run: &'a str,
    pub(crate) project: &'a Path,
    /// Folders and files that may be read; empty if all of the project may.
    pub(crate) readable: &'a [PathBuf],
}

/// Reads files one after the other, until `stopped` says that it is enough.
pub(crate) fn material(bounds: &Bounds<'_>, paths: &[String], stopped: &dyn Fn() -> bool) -> Option<Material> {
    let mut material = Material::default();
    for (index, path) in paths.iter().enumerate() {
        if stopped() {
            return None;
        }
        let unread = |why: String| Unread { path: path.clone(), why };
        if index >= limits::FILES {
            material.unread.push(unread(format!("left out: a task reads at most {} files", limits::FILES)));
            continue;
        }
        let read = bytes(bounds, path).and_then(|(bytes, extent)| {
            let is_own = ["runs/", "outputs/"].iter().any(|folder| path.starts_with(folder));
            let paper = if is_own { std::str::from_utf8(&bytes).ok().and_then(write_md::read) } else { None };
            let is_of_this_run = path.split('/').nth(1) == Some(bounds.run);
            match paper {
                Some(_) if !is_of_this_run => {
                    material.past.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
                    Ok(None)
                }
                Some(paper) => {
                    material.papers.push((path.clone(), paper));
                    Ok(None)
                }
                // A page of this run draws what a paper of it says: it is no source.
                None if is_own && is_of_this_run && is_page(path, &bytes) => Ok(None),
                None => document(path, &bytes, extent).map(Some),
            }
        });
        match read {
            Ok(document) => material.documents.extend(document),
            Err(why) => material.unread.push(unread(why)),
        }
    }
    Some(material)
}

/// Whether a file is a page that this agent wrote.
fn is_page(path: &str, bytes: &[u8]) -> bool {
    Form::of(path) == Some(Form::Html)
        && String::from_utf8_lossy(bytes)
            .lines()
            .any(|line| super::tongue::is_note(line.trim_start_matches("<p class=\"note\">")))
}

fn bytes(bounds: &Bounds<'_>, path: &str) -> Result<(Vec<u8>, Extent), String> {
    let relative = Path::new(path);
    let is_inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_inside || path.is_empty() {
        return Err("not a path within the project".to_owned());
    }
    let fault = |error: std::io::Error| format!("cannot be read: {}", plain(&error));
    let project = bounds.project.canonicalize().map_err(fault)?;
    let real = project.join(relative).canonicalize().map_err(fault)?;
    let may_be_read = bounds.readable.is_empty()
        || bounds.readable.iter().any(|one| real.starts_with(one.canonicalize().as_deref().unwrap_or(one)));
    if !real.starts_with(&project) || !may_be_read {
        return Err("leads to a place that may not be read".to_owned());
    }
    if !real.metadata().map_err(fault)?.is_file() {
        return Err("not a plain file".to_owned());
    }
    let mut bytes = Vec::new();
    let most = limits::FILE_BYTES as u64 + 1;
    File::open(&real).map_err(fault)?.take(most).read_to_end(&mut bytes).map_err(fault)?;
    if bytes.len() <= limits::FILE_BYTES {
        return Ok((bytes, Extent::Whole));
    }
    // A line that is cut in two would say something that the source does not.
    let end =
        bytes[..limits::FILE_BYTES].iter().rposition(|byte| *byte == b'\n').map_or(limits::FILE_BYTES, |at| at + 1);
    bytes.truncate(end);
    Ok((bytes, Extent::Beginning))
}

/// The kind of an error in words that do not depend on the machine.
fn plain(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file",
        std::io::ErrorKind::PermissionDenied => "permission denied",
        _ => "the system refused",
    }
}
