//! The lock that agents hold on a log among themselves: one file, changed under a lock of the system, with the time at which it
//! ends by itself. Times are those of the clock that never goes back. Must not know what is in the log.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The claim of one attempt.
#[derive(Debug)]
pub(super) struct Lease {
    path: PathBuf,
    fence: u64,
    held: Duration,
}

/// Who has it, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    boot: String,
    fence: u64,
    until: Duration,
}

impl Lease {
    pub(super) fn new(project: &Path, run: &str, fence: u64, held: Duration) -> Self {
        let path = project.join(store::OWN).join("log-locks").join(run);
        Self { path, fence, held }
    }

    /// Takes it, or takes it once more; says whether that was possible. Of an attempt that is over it is free.
    pub(super) fn take(&self, is_over: &dyn Fn(u64) -> bool) -> Result<bool, String> {
        self.changing(|claim, now, boot| {
            let is_free = claim.is_none_or(|claim| {
                claim.fence == self.fence || claim.boot != boot || claim.until <= now || is_over(claim.fence)
            });
            let mine = Claim { boot: boot.into(), fence: self.fence, until: now + self.held };
            (is_free, is_free.then_some(Some(mine)))
        })
    }

    /// Whether this attempt has it now.
    pub(super) fn is_held(&self) -> Result<bool, String> {
        self.changing(|claim, now, boot| (self.is_mine(claim, now, boot), None))
    }

    /// Gives it up; says whether this attempt had it.
    pub(super) fn give_up(&self) -> Result<bool, String> {
        self.changing(|claim, now, boot| {
            let is_mine = self.is_mine(claim, now, boot);
            (is_mine, is_mine.then_some(None))
        })
    }

    fn is_mine(&self, claim: Option<&Claim>, now: Duration, boot: &str) -> bool {
        claim.is_some_and(|claim| claim.fence == self.fence && claim.boot == boot && claim.until > now)
    }

    fn changing<T>(
        &self,
        work: impl FnOnce(Option<&Claim>, Duration, &str) -> (T, Option<Option<Claim>>),
    ) -> Result<T, String> {
        let failed = |error: std::io::Error| format!("the lock of the log cannot be used: {error}");
        let mut file = self.open().map_err(failed)?;
        file.lock().map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let (now, boot) = store::since_boot();
        let (value, change) = work(Claim::read(&text).as_ref(), now, &boot);
        if let Some(claim) = change {
            let line = claim.map(|claim| claim.to_line()).unwrap_or_default();
            file.seek(SeekFrom::Start(0)).and_then(|_| file.set_len(0)).map_err(failed)?;
            file.write_all(line.as_bytes()).map_err(failed)?;
        }
        Ok(value)
    }

    fn open(&self) -> std::io::Result<File> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)
    }
}

impl Claim {
    fn to_line(&self) -> String {
        format!("fence {} until {} boot {}\n", self.fence, self.until.as_millis(), self.boot)
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mut value = |name: &str| words.next().filter(|word| *word == name).and_then(|_| words.next());
        let fence = value("fence")?.parse().ok()?;
        let until = Duration::from_millis(value("until")?.parse().ok()?);
        Some(Self { fence, until, boot: value("boot")?.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RM-09: one agent at a time, until it gives the log up or its time is over.
    #[test]
    fn rm09_one_agent_holds_the_log_at_a_time() {
        let project = tempfile::tempdir().unwrap();
        let lease = |fence: u64, held: Duration| Lease::new(project.path(), "run-x", fence, held);
        let long = Duration::from_secs(3600);
        let (one, other) = (lease(1, long), lease(2, long));
        let take = |lease: &Lease| lease.take(&|_| false);
        assert_eq!((one.is_held(), take(&one), take(&one), one.is_held()), (Ok(false), Ok(true), Ok(true), Ok(true)));
        assert_eq!((take(&other), other.is_held(), other.give_up()), (Ok(false), Ok(false), Ok(false)));
        assert_eq!((one.give_up(), one.is_held(), take(&other)), (Ok(true), Ok(false), Ok(true)));
        // One whose time is over has it no more, whatever it thinks.
        assert_eq!(take(&lease(2, Duration::ZERO)), Ok(true));
        assert_eq!(
            (other.is_held(), take(&one), other.give_up(), one.is_held()),
            (Ok(false), Ok(true), Ok(false), Ok(true))
        );
        // Nor has one whose attempt is over.
        assert_eq!((other.take(&|fence| fence == 1), one.is_held()), (Ok(true), Ok(false)));
        std::fs::write(project.path().join(".multiverse/log-locks/run-x"), "nonsense").unwrap();
        assert_eq!(take(&one), Ok(true));
    }
}
