//! Which file a program's name means. Looks, and starts nothing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::LaunchFault;

/// The file that a program's name means, as a launch would find it with this `PATH`; nothing is started.
pub fn find_program(program: &OsStr, path: &OsStr) -> Result<PathBuf, LaunchFault> {
    self::program(program, Some(path), Path::new("/"))
}

/// A name with a slash is a path from the folder; one without is looked for on `PATH`, the first that can be executed.
pub(crate) fn program(program: &OsStr, path: Option<&OsStr>, folder: &Path) -> Result<PathBuf, LaunchFault> {
    let name = Path::new(program);
    let not_found = |searched: String| LaunchFault::ProgramNotFound { program: name.into(), searched };
    if program.is_empty() {
        return Err(not_found("since its name is empty".into()));
    }
    if name.components().count() > 1 || name.is_absolute() || program.as_encoded_bytes().contains(&b'/') {
        let file = folder.join(name);
        return match file.metadata() {
            Ok(_) => executable(&file).map(|()| file),
            Err(error) => Err(not_found(format!("({}: {error})", file.display()))),
        };
    }
    let path = path.unwrap_or_default();
    let mut refused = None;
    for entry in std::env::split_paths(path).filter(|entry| !entry.as_os_str().is_empty()) {
        let file = folder.join(entry).join(name);
        if !file.exists() {
            continue;
        }
        match executable(&file) {
            Ok(()) => return Ok(file),
            Err(fault) => refused = refused.or(Some(fault)),
        }
    }
    let searched = if path.is_empty() { "(no PATH was given to look for it)" } else { "on PATH" };
    Err(refused.unwrap_or_else(|| not_found(searched.into())))
}

fn executable(file: &Path) -> Result<(), LaunchFault> {
    let why = if file.is_dir() {
        "it is a folder: give the program inside it"
    } else if !file.is_file() {
        "it is not a file: give a program"
    } else if access(file, Access::EXEC_OK).is_err() {
        "it is not marked as executable: chmod +x, or start it with its interpreter"
    } else {
        return Ok(());
    };
    Err(LaunchFault::NotExecutable { path: file.into(), why: why.into() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn names_are_looked_up_and_paths_taken_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for (name, mode) in [("one/tool", 0o644), ("two/tool", 0o755), ("one/plain", 0o644)] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = std::env::join_paths([folder.path().join("one"), "two".into()]).unwrap();
        let check = |name: &str, expected: Result<&str, &str>| {
            let found = program(name.as_ref(), Some(&path), folder.path());
            match (found, expected) {
                (Ok(file), Ok(end)) => assert_eq!(file, folder.path().join(end), "{name}"),
                (Err(fault), Err(part)) => assert!(fault.to_string().contains(part), "{name}: {fault}"),
                (found, expected) => panic!("{name}: {found:?}, not {expected:?}"),
            }
        };
        check("tool", Ok("two/tool"));
        check("two/tool", Ok("two/tool"));
        check("./two/tool", Ok("./two/tool"));
        check("plain", Err("not marked as executable"));
        check("one/plain", Err("not marked as executable"));
        check("none", Err("there is no program \"none\" on PATH"));
        check("two/none", Err("there is no program"));
        check("./two", Err("it is a folder"));
        check("", Err("its name is empty"));
        let none = program("tool".as_ref(), None, folder.path()).unwrap_err();
        assert!(none.to_string().contains("no PATH was given"), "{none}");
    }
}
