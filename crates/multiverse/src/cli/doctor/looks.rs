//! What the doctor looks at in a project: the place, the lock, the journal, the documents, what was left behind. Changes
//! nothing but two files of its own, which it removes again. Says what was seen and what to do; shows nothing.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::path::Path;

use store::{Fault, FaultKind, Fs as _, Mode, OWN, ProcessState, ProjectPath, Reach, RealFs, Verification};

use super::super::damage::Damage;
use super::super::failure::Failure;
use super::super::output::counted;
use super::super::visible;
use super::{Finding, State};

/// With less free space than this, a commit may fail halfway to its place.
const LEAST_FREE_BYTES: u64 = 16 * 1024 * 1024;

pub(super) fn file_system(files: &RealFs) -> Result<Finding, Failure> {
    let file_system = files.file_system()?;
    Ok(match file_system.reach {
        Reach::Local => Finding::new("file system", State::Well, file_system.name),
        Reach::Network => {
            Finding::new("file system", State::Bad, format!("{} reaches over a network", file_system.name))
                .hint("its locks cannot be trusted: move the project to a local disk")
        }
    })
}

pub(super) fn free_space(folder: &Path) -> Finding {
    match rustix::fs::statvfs(folder) {
        Ok(space) => free_space_of(space.f_bavail.saturating_mul(space.f_frsize)),
        Err(error) => Finding::new("free space", State::Note, std::io::Error::from(error).to_string().to_lowercase()),
    }
}

fn free_space_of(bytes: u64) -> Finding {
    let message = format!("{} MiB", bytes / (1024 * 1024));
    match bytes < LEAST_FREE_BYTES {
        true => {
            Finding::new("free space", State::Bad, message).hint("free some space: nothing can be recorded without")
        }
        false => Finding::new("free space", State::Well, message),
    }
}

/// Whether two files can change places in one step, which is how an edit made at that very moment is not lost.
pub(super) fn exchange(files: &RealFs) -> Finding {
    match try_exchange(files) {
        Ok(()) => Finding::new("exchange of files", State::Well, "works"),
        Err(fault) if fault.kind == FaultKind::Unsupported => {
            Finding::new("exchange of files", State::Note, "this file system cannot exchange two files in one step")
                .hint("an edit saved in the very moment of a placing may be lost; use ext4, xfs, btrfs or tmpfs")
        }
        Err(fault) => of_fault("exchange of files", fault),
    }
}

/// Whether the system tells of edits and commits as they happen; else they are noticed a little later.
pub(super) fn watching(project: &Path) -> Finding {
    match engine::watching_problem(project) {
        None => Finding::new("news of files", State::Well, "edits and commits are told as they happen"),
        Some(reason) => Finding::new("news of files", State::Note, reason)
            .hint("edits are still noticed within two seconds, commits of other processes within a fraction of one"),
    }
}

fn try_exchange(files: &RealFs) -> Result<(), Fault> {
    let name = |end: &str| own(&format!("doctor-{}-{end}", files.process()));
    let (one, other) = (name("one")?, name("other")?);
    let tried = files
        .open(&one, Mode::Create)
        .and_then(|_| files.open(&other, Mode::Create))
        .and_then(|_| files.exchange(&one, &other));
    // What was made is removed whatever came of it; that it may not be there is no fault.
    let _ = files.remove(&one);
    let _ = files.remove(&other);
    tried
}

/// Who holds the lock, if somebody does.
pub(super) fn lock(project: &Path, files: &RealFs) -> Finding {
    let path = project.join(OWN).join("lock");
    let unreadable = |error: &std::io::Error| {
        let failure = Failure::reading(&path, error);
        Finding::new("lock", State::Bad, failure.message()).hint(failure.hint_text().unwrap_or("make it readable"))
    };
    let held = match File::open(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return unreadable(&error),
        // It is given back at once, when the file is closed.
        Ok(file) => match file.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(error)) => return unreadable(&error),
        },
    };
    let content = if held { std::fs::read_to_string(&path).unwrap_or_default() } else { return free_lock() };
    let mut words = content.split_whitespace().skip_while(|word| *word != "pid").skip(1);
    match words.next().and_then(|word| word.parse().ok()) {
        Some(process) => held_lock(process, files.process_state(process)),
        None => {
            Finding::new("lock", State::Note, "a process holds it").hint("if that does not end, find it with `fuser`")
        }
    }
}

fn free_lock() -> Finding {
    Finding::new("lock", State::Well, "free")
}

fn held_lock(process: u32, state: ProcessState) -> Finding {
    match state {
        ProcessState::Stopped => {
            Finding::new("lock", State::Bad, format!("process {process} holds it and is stopped: all others wait"))
                .hint(&format!("let it go on with `kill -CONT {process}`, or end it with `kill -KILL {process}`"))
        }
        ProcessState::Gone => Finding::new("lock", State::Note, "a process that is not seen from here holds it")
            .hint("that is so for moments; if it stays so, look for it in the containers that share this folder"),
        _ => Finding::new("lock", State::Note, format!("process {process} holds it"))
            .hint(&format!("that is so for moments; if it stays so, end it with `kill {process}`")),
    }
}

/// The journal, and the documents that it makes.
pub(super) fn journal(files: &RealFs) -> Vec<Finding> {
    let verified = match store::verify(files, None) {
        // A document that cannot be read, which is named below, must not hide what is wrong with the journal.
        Err(fault) if !fault.path.starts_with(OWN) => store::records(files, |_| {})
            .map(|walked| Verification { problems: walked.problems, ..Verification::default() }),
        other => other,
    };
    let found = match verified {
        Ok(found) => found,
        Err(fault) => return vec![of_fault("journal", fault)],
    };
    let mut findings: Vec<Finding> = found.problems.into_iter().map(|problem| damaged(&problem.into())).collect();
    let is_whole = findings.is_empty();
    if is_whole {
        findings.push(Finding::new("journal", State::Well, "as it was written"));
    }
    let (odd, odd_paths) = match odd_documents(files) {
        Ok(odd) => odd,
        Err(fault) => (vec![of_fault("documents", fault)], BTreeSet::new()),
    };
    let edited: Vec<&ProjectPath> = found.differing.iter().filter(|path| !odd_paths.contains(*path)).collect();
    // Documents are not held against a journal that is damaged: nothing can be said of them.
    if is_whole && odd.is_empty() && edited.is_empty() {
        findings.push(Finding::new("documents", State::Well, "as the journal says"));
    }
    findings.extend(odd);
    findings.extend(edited.into_iter().map(|path| {
        Finding::new("documents", State::Note, format!("{path} differs from the journal"))
            .hint("it was edited or removed by hand; the next command that changes something records that")
    }));
    findings
}

fn damaged(damage: &Damage) -> Finding {
    Finding::new("journal", State::Bad, format!("{}: {}", damage.place, damage.what())).hint(
        "bring `.multiverse` back from a copy, or move it away and adopt the documents anew; until then \
         `multiverse history` shows what can be read",
    )
}

/// Documents in whose place is no file that can be read.
fn odd_documents(files: &RealFs) -> Result<(Vec<Finding>, BTreeSet<ProjectPath>), Fault> {
    let mut documents = BTreeSet::new();
    store::records(files, |record| {
        for entry in record.docs {
            match entry.now.is_present() {
                true => documents.insert(entry.path),
                false => documents.remove(&entry.path),
            };
        }
        for path in &record.retire {
            documents.remove(path);
        }
    })?;
    let mut findings = Vec::new();
    documents.retain(|path| {
        let odd = odd_document(files, path);
        let is_odd = odd.is_some();
        findings.extend(odd);
        is_odd
    });
    Ok((findings, documents))
}

fn odd_document(files: &RealFs, path: &ProjectPath) -> Option<Finding> {
    let fault = match files.open(path, Mode::Read) {
        Ok(_) => return None,
        Err(fault) if fault.kind == FaultKind::Missing => return None,
        Err(fault) => fault,
    };
    if fault.kind != FaultKind::NotAFile {
        return Some(of_fault("documents", fault));
    }
    let standing = files.root().join(path.as_str()).symlink_metadata().map(|metadata| metadata.file_type());
    let what = match standing {
        Ok(kind) if kind.is_dir() => "a folder stands in the place of",
        Ok(kind) if kind.is_symlink() => "a symbolic link stands in the place of",
        _ => "something that is no file stands in the place, or in the way, of",
    };
    let hint = format!("move it away; the next command that changes something puts {path} there again");
    Some(Finding::new("documents", State::Bad, format!("{what} {path}")).hint(&hint))
}

/// What a process that ended, or is at work, has not cleared up.
pub(super) fn leftovers(files: &RealFs) -> Finding {
    let parts = listing(files, "blobs").map(|names| names.iter().filter(|name| name.ends_with(".part")).count());
    let placing = listing(files, "placing").map(|names| names.len());
    match parts.and_then(|parts| placing.map(|placing| parts + placing)) {
        Ok(0) => Finding::new("left half done", State::Well, "nothing"),
        Ok(count) => {
            let message = format!("{} in {OWN}/blobs/ and {OWN}/placing/", counted(count, "file"));
            Finding::new("left half done", State::Note, message)
                .hint("a program is at work, or was ended; the next command that changes something sees to them")
        }
        Err(fault) => of_fault("left half done", fault),
    }
}

/// What recoveries put aside, waiting for a person to look at it.
pub(super) fn found(files: &RealFs) -> Finding {
    match listing(files, "found") {
        Ok(names) if names.is_empty() => Finding::new("found after crashes", State::Well, "nothing"),
        Ok(names) => {
            let message = format!("{} in {OWN}/found/", counted(names.len(), "file"));
            Finding::new("found after crashes", State::Note, message)
                .hint("bytes that nobody had committed: take from them what you need, then remove them")
        }
        Err(fault) => of_fault("found after crashes", fault),
    }
}

fn listing(files: &RealFs, folder: &str) -> Result<Vec<String>, Fault> {
    Ok(files.list(&own(folder)?)?.unwrap_or_default())
}

/// A path in the engine's own folder.
fn own(name: &str) -> Result<ProjectPath, Fault> {
    ProjectPath::any(&format!("{OWN}/{name}")).map_err(|refusal| Fault {
        doing: "name",
        path: refusal.path,
        kind: FaultKind::Other,
        reason: refusal.reason,
    })
}

fn of_fault(subject: &'static str, fault: Fault) -> Finding {
    let failure = Failure::from(fault);
    let finding = Finding::new(subject, State::Bad, visible::text(failure.message()));
    Finding { hint: failure.hint_text().map(String::from), ..finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_and_a_stopped_process_are_bad() {
        let check = |finding: Finding, state: State, message: &str| {
            assert_eq!((finding.state, finding.message.as_str()), (state, message));
            assert_eq!(finding.hint.is_some(), state != State::Well);
        };
        check(free_space_of(LEAST_FREE_BYTES), State::Well, "16 MiB");
        check(free_space_of(LEAST_FREE_BYTES - 1), State::Bad, "15 MiB");
        check(held_lock(7, ProcessState::Running), State::Note, "process 7 holds it");
        check(held_lock(7, ProcessState::Stopped), State::Bad, "process 7 holds it and is stopped: all others wait");
    }
}
