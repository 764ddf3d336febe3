//! Owns the files that an ACP agent reads and writes through us: those in its folder, and those it may read. We are not
//! confined and the agent may change links while we look, so what was opened is judged, never a path. Must not know the
//! protocol.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::policy::inside;
use crate::backend::Job;
use crate::beneath::Folder;
use crate::presets::Doing;

/// The largest file that is read or written so.
const FILE_BYTES: u64 = 16 << 20;

/// The files of one attempt.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    workdir: PathBuf,
    /// The same folders and files by their real paths.
    readable: Vec<PathBuf>,
    doing: Doing,
}

impl Files {
    pub(crate) fn of(job: &Job, doing: Doing) -> Self {
        let project = job.project.canonicalize().unwrap_or_else(|_| job.project.clone());
        let real = job.readable.iter().filter_map(|path| path.canonicalize().ok());
        let mut readable: Vec<PathBuf> = real.filter(|path| path.starts_with(&project)).collect();
        readable.extend(job.workdir.canonicalize());
        Self { workdir: job.workdir.clone(), readable, doing }
    }

    /// A text, or the part of it that begins at a line and has so many. One in the folder that does not exist is empty: some agents
    /// ask for a file before they make it, and cannot take a no.
    pub(crate) fn read(&self, path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String, String> {
        let shown = path.display();
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(self.workdir.join(path));
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound && inside(&self.workdir, path).is_some() => {
                return Ok(String::new());
            }
            opened => opened.map_err(|error| format!("{shown} cannot be read: {error}"))?,
        };
        let real = real_path(&file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
        if !self.readable.iter().any(|folder| real.starts_with(folder)) {
            return Err(format!("{shown} is neither in the working folder nor among the files of the brief"));
        }
        if !file.metadata().is_ok_and(|found| found.is_file() && found.len() <= FILE_BYTES) {
            return Err(format!("{shown} is no file, or larger than {FILE_BYTES} bytes"));
        }
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text).map_err(|error| format!("{shown} is no text: {error}"))?;
        let first = line.unwrap_or(1).saturating_sub(1) as usize;
        let most = limit.map_or(usize::MAX, |limit| limit as usize);
        if first == 0 && most == usize::MAX {
            return Ok(text);
        }
        Ok(text.split_inclusive('\n').skip(first).take(most).collect())
    }

    /// Puts a file in the place of whatever is there. No link is followed.
    pub(crate) fn write(&self, path: &Path, content: &str) -> Result<(), String> {
        let shown = path.display();
        if self.doing == Doing::Reads {
            return Err(format!("{shown} is not written: this role only reads"));
        }
        let below = inside(&self.workdir, path).filter(|below| below.file_name().is_some());
        let Some(below) = below else { return Err(format!("{shown} is not in the working folder")) };
        if content.len() as u64 > FILE_BYTES {
            return Err(format!("{shown} would be larger than {FILE_BYTES} bytes"));
        }
        self.place(&below, content).map_err(|error| format!("{shown} cannot be written: {error}"))
    }

    fn place(&self, below: &Path, content: &str) -> io::Result<()> {
        let parents = below.parent().unwrap_or(Path::new("")).iter();
        let mut folder = Folder::open(&self.workdir)?;
        for part in parents {
            folder = folder.made_folder(part)?;
        }
        let name = below.file_name().unwrap_or(OsStr::new(""));
        match rustix::fs::unlinkat(folder.as_fd(), name, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        folder.new_file(name)?.write_all(content.as_bytes())
    }
}

/// Where a file that is open lies.
fn real_path(file: &File) -> io::Result<PathBuf> {
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::fs::read_link(own)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::contract::Brief;

    /// QL-30: neither `..`, nor absolute paths, nor links lead out; a missing file in the folder is empty.
    #[test]
    fn files_are_served_from_the_folder_and_what_may_be_read() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let (project, workdir) = (root.join("p"), root.join("p/w"));
        for folder in ["p/w/in", "p/assets", "p/other"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [("p/assets/a", "1\n2\n3\n"), ("p/other/b", "secret"), ("secret", "secret")] {
            std::fs::write(root.join(file), text).unwrap();
        }
        symlink(project.join("assets/a"), workdir.join("a")).unwrap();
        symlink(root.join("secret"), workdir.join("out")).unwrap();
        symlink(&root, workdir.join("up")).unwrap();
        symlink("/dev/zero", workdir.join("zero")).unwrap();
        let brief = Brief::new("r", "multiverse", "executor", "execute");
        let readable = vec![project.join("assets/a")];
        let job = Job { brief, project, workdir: workdir.clone(), readable, meter: Default::default() };
        let files = Files::of(&job, Doing::Writes);
        let read = |path: &str| files.read(Path::new(path), None, None);
        assert_eq!(read("a").unwrap(), "1\n2\n3\n");
        assert_eq!(read(&workdir.join("a").display().to_string()).unwrap(), "1\n2\n3\n");
        assert_eq!(files.read(Path::new("a"), Some(2), Some(1)).unwrap(), "2\n");
        assert_eq!(read("in/new").unwrap(), "");
        for path in ["out", "up/secret", "../other/b", "/etc/hostname", "in", "zero", "../none"] {
            assert!(read(path).is_err(), "{path}");
        }
        let write = |path: &str| files.write(Path::new(path), "x");
        assert_eq!(write("in/deep/new"), Ok(()));
        assert_eq!(read("in/deep/new").unwrap(), "x");
        assert_eq!(write("out"), Ok(()), "the link goes, not what it leads to");
        for path in ["up/new", "../new", "/tmp/new-by-a-test", "", "in"] {
            assert!(write(path).is_err(), "{path}");
        }
        assert_eq!(std::fs::read_to_string(root.join("secret")).unwrap(), "secret");
        assert!(!root.join("new").exists());
        let reader = Files::of(&job, Doing::Reads);
        assert!(reader.write(Path::new("in/x"), "x").unwrap_err().contains("only reads"));
    }
}
