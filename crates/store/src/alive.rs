//! Which openings of the project are alive: each holds a lock on a file of its own below `executors/` for as long as it
//! lives. Process numbers would not do: they are used again, and differ between containers.

use std::collections::BTreeSet;

use crate::fault::{Fault, FaultKind};
use crate::files;
use crate::fs::{Fs, Mode};
use crate::limits;
use crate::path::ProjectPath;
use crate::store::Store;

/// This opening, as others see it.
pub(crate) struct Alive<F: Fs> {
    /// Its name, unlike that of any other: process and moment.
    pub name: String,
    /// Held open: the lock goes with it.
    _file: F::File,
}

fn folder() -> ProjectPath {
    ProjectPath::own("executors")
}

fn path(name: &str) -> ProjectPath {
    ProjectPath::own(&format!("executors/{name}"))
}

impl<F: Fs> Alive<F> {
    /// Says that this opening lives, under the project's lock.
    pub(crate) fn announce(fs: &F) -> Result<Self, Fault> {
        fs.make_folder(&folder())?;
        let moment = fs.now().wall;
        for attempt in 0.. {
            let name = format!("{}.{:x}", fs.process(), moment + attempt);
            match fs.open(&path(&name), Mode::CreateNew) {
                Err(fault) if fault.kind == FaultKind::Exists => {}
                Err(fault) => return Err(fault),
                Ok(file) => {
                    // Somebody who only looks may be trying it at this moment.
                    while !fs.try_lock(&file)? {
                        fs.pause(limits::LOCK_PAUSE);
                    }
                    return Ok(Self { name, _file: file });
                }
            }
        }
        Err(Fault::new("fill", &folder(), FaultKind::Other, "it is full"))
    }

    /// Says that it does not live any more.
    pub(crate) fn leave(&self, fs: &F) -> Result<(), Fault> {
        files::discard(fs, &path(&self.name))
    }
}

/// Whether an opening lives; under the project's lock, since one that is just being opened takes its lock there.
pub(crate) fn lives<F: Fs>(fs: &F, name: &str) -> Result<bool, Fault> {
    if name.is_empty() {
        return Ok(false);
    }
    let file = match fs.open(&path(name), Mode::Write) {
        Err(fault) if fault.kind == FaultKind::Missing => return Ok(false),
        other => other?,
    };
    let free = fs.try_lock(&file)?;
    if free {
        fs.unlock(&file)?;
    }
    Ok(!free)
}

/// Removes the files of openings that ended without a word.
pub(crate) fn clear<F: Fs>(fs: &F) -> Result<(), Fault> {
    for name in fs.list(&folder())?.unwrap_or_default() {
        if !lives(fs, &name)? {
            files::discard(fs, &path(&name))?;
        }
    }
    Ok(())
}

impl<F: Fs> Store<F> {
    /// The name of this opening, unlike that of any other: whoever holds something names itself by it.
    pub fn opening(&self) -> &str {
        &self.alive.name
    }

    /// Whether an opening lives, as far as that is seen without the project's lock: for those who only look.
    pub fn is_alive(&self, opening: &str) -> bool {
        opening == self.alive.name || lives(&self.fs, opening).unwrap_or(false)
    }

    /// The openings of this project that live, this one included.
    pub fn openings(&mut self) -> Result<BTreeSet<String>, Fault> {
        self.locked(|store| {
            let mut living = BTreeSet::from([store.alive.name.clone()]);
            for name in store.fs.list(&folder())?.unwrap_or_default() {
                if name != store.alive.name && lives(&store.fs, &name)? {
                    living.insert(name);
                }
            }
            Ok(living)
        })
    }
}
