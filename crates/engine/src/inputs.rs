//! What lies in the folders of inputs (MV-12, LN-05): which files there are, which are new or changed, and a line on each.
//! What is said of a file rests on its beginning; its digest on all of it. Follows no link, and trips over nothing.

use std::collections::BTreeMap;

use dialect::{InputFolder, Protocol};
use machine::FileNote;
use store::{FaultKind, Fs, ProjectPath};

use crate::files;
use crate::summary::summary_of;

/// How much of a file is read for its summary.
const HEAD_BYTES: u64 = 64 * 1024;
/// The largest file of which a digest is noted, so that it is known later what work was made of.
const HASHED_BYTES: u64 = 256 * 1024 * 1024;
/// The most files that are catalogued.
const FILES: usize = 50_000;
/// How deep folders are followed.
const DEPTH: usize = 32;

/// What a look at the inputs found.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// Files that are new or changed, by path.
    pub files: Vec<FileNote>,
    /// Files that are gone.
    pub gone: Vec<String>,
    /// What could not be catalogued, and why.
    pub problems: Vec<String>,
}

/// Looks at all inputs; `known` is what the catalog has of them already.
pub(crate) fn scan<F: Fs>(fs: &F, protocol: &Protocol, known: &BTreeMap<String, FileNote>) -> Scanned {
    let mut scanned = Scanned::default();
    let mut seen = BTreeMap::new();
    for InputFolder { folder, asset_type, .. } in protocol.inputs {
        if let Ok(folder) = ProjectPath::any(folder) {
            walk(fs, &folder, asset_type, DEPTH, &mut seen, &mut scanned.problems);
        }
    }
    // What the engine itself proposed is nobody's input.
    seen.retain(|path, _| !protocol.is_feedback(path));
    scanned.gone = known.keys().filter(|path| !seen.contains_key(*path)).cloned().collect();
    for (path, (asset_type, stamp)) in seen {
        let looks = format!("{}-{}", stamp.size, stamp.modified);
        // Notes of older journals have no digest of the content behind how the file looked.
        let rest = known.get(&path).and_then(|note| note.digest.strip_prefix(&looks));
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')) {
            continue;
        }
        let digest = match files::digest(fs, &path, HASHED_BYTES) {
            Some(digest) => format!("{looks}-{digest}"),
            None => looks,
        };
        let summary = match head_of(fs, &path) {
            Ok(head) => summary_of(&path, &head, stamp.size),
            Err(reason) => {
                scanned.problems.push(format!("{path} cannot be read: {reason}"));
                format!("not readable: {reason}")
            }
        };
        scanned.files.push(FileNote { path, asset_type: asset_type.into(), summary, digest, ..FileNote::default() });
    }
    scanned
}

/// The names of all inputs, without reading any.
pub(crate) fn names<F: Fs>(fs: &F, protocol: &Protocol) -> Vec<(String, &'static str)> {
    let (mut seen, mut problems) = (BTreeMap::new(), Vec::new());
    for InputFolder { folder, asset_type, .. } in protocol.inputs {
        if let Ok(folder) = ProjectPath::any(folder) {
            walk(fs, &folder, asset_type, DEPTH, &mut seen, &mut problems);
        }
    }
    seen.retain(|path, _| !protocol.is_feedback(path));
    seen.into_iter().map(|(path, (asset_type, _))| (path, asset_type)).collect()
}

type Seen = BTreeMap<String, (&'static str, store::Stamp)>;

fn walk<F: Fs>(
    fs: &F,
    folder: &ProjectPath,
    asset_type: &'static str,
    depth: usize,
    seen: &mut Seen,
    problems: &mut Vec<String>,
) {
    if depth == 0 {
        problems.push(format!("{folder}: folders deeper than {DEPTH} are left out"));
        return;
    }
    let names = match fs.list(folder) {
        Ok(names) => names.unwrap_or_default(),
        Err(fault) => {
            problems.push(format!("{folder} is left out: {}", fault.reason));
            return;
        }
    };
    for name in names {
        if seen.len() >= FILES {
            problems.push(format!("{folder}: more than {FILES} files; the rest is left out"));
            return;
        }
        let place = format!("{folder}/{name}");
        let path = match ProjectPath::any(&place) {
            Ok(path) => path,
            Err(refusal) => {
                problems.push(format!("{place} is left out: {}", refusal.reason));
                continue;
            }
        };
        match fs.look(&path) {
            Ok(Some(stamp)) => {
                seen.insert(place, (asset_type, stamp));
            }
            Ok(None) if name.contains('\u{FFFD}') => {
                problems.push(format!("{place} is left out: its name is not UTF-8; rename it"));
            }
            Ok(None) => {}
            Err(fault) if fault.kind == FaultKind::NotAFile => match fs.list(&path) {
                Ok(Some(_)) => walk(fs, &path, asset_type, depth - 1, seen, problems),
                Err(fault) if fault.kind != FaultKind::NotAFile => {
                    problems.push(format!("{place} is left out: {}", fault.reason));
                }
                _ => problems.push(format!("{place} is left out: it is a link, or no regular file")),
            },
            Err(fault) => problems.push(format!("{place} is left out: {}", fault.reason)),
        }
    }
}

fn head_of<F: Fs>(fs: &F, path: &str) -> Result<Vec<u8>, String> {
    let path = ProjectPath::any(path).map_err(|refusal| refusal.reason)?;
    let head = files::beginning(fs, &path, HEAD_BYTES).map_err(|fault| fault.reason)?;
    head.ok_or_else(|| "it is gone".into())
}
