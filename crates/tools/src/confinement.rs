//! What a program may read, execute and write, and the list that any program needs. Decides nothing about enforcement.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders with all that is below them; the rest of the file system is closed. What does not exist when the
/// program starts is not opened, except that a writable path that is missing is a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    /// May be read and listed. `/proc/self` means the program's own, not that of its children.
    pub read: Vec<PathBuf>,
    /// May be read, listed and executed.
    pub execute: Vec<PathBuf>,
    /// May be read, executed, made, changed and removed; device files cannot be made.
    pub write: Vec<PathBuf>,
}

const PROGRAMS: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/snap",
    "/home/linuxbrew/.linuxbrew",
];

/// Settings without secrets. Who uses the machine (`passwd`, `group`, `shadow`) and private keys are not among them.
const SETTINGS: [&str; 44] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/openssl.cnf",
    "/etc/crypto-policies",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/nsswitch.conf",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/mime.types",
    "/etc/magic",
    "/etc/os-release",
    "/etc/debian_version",
    "/etc/locale.conf",
    "/etc/locale.alias",
    "/etc/default/locale",
    "/etc/inputrc",
    "/etc/bash.bashrc",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/terminfo",
    "/etc/fonts",
    "/etc/python3",
    "/etc/perl",
    "/etc/java",
    "/etc/R",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
    "/sys/fs/cgroup",
];

/// What the kernel says about itself, and about the program alone; other processes' folders are not among it.
const KERNEL: [&str; 14] = [
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/loadavg",
    "/proc/uptime",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/ostype",
    "/proc/sys/kernel/cap_last_cap",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/kernel/ngroups_max",
    "/proc/sys/vm/overcommit_memory",
];

/// Not `/dev/tty`: whoever writes to a terminal can speak in the person's name.
const READ_DEVICES: [&str; 2] = ["/dev/random", "/dev/urandom"];
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// What of an install prefix inside the home folder holds programs. The rest, as in `~/.cargo` and `~/.local`, may hold
/// secrets, so there the prefix is not opened as a whole.
const PARTS_OF_A_PREFIX: [&str; 16] = [
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "include",
    "shims",
    "versions",
    "version",
    "plugins",
    "pyenv.d",
    "rbenv.d",
    "pyvenv.cfg",
    "node_modules",
    "Frameworks",
];

/// The most folders of programs that are looked into for links to other folders of programs, and entries in each.
const PROGRAM_FOLDERS: usize = 256;
const FOLDER_ENTRIES: usize = 8192;

impl Confinement {
    /// What any program needs, on this machine and with this process's `PATH`: system folders, settings without
    /// secrets, the folders on `PATH` with what is installed beside them, and harmless devices. Nothing of a project.
    pub fn system() -> Self {
        Self::for_path(&std::env::var_os("PATH").unwrap_or_default(), std::env::home_dir().as_deref())
    }

    fn for_path(path: &OsStr, home: Option<&Path>) -> Self {
        let all = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut execute: BTreeSet<PathBuf> = all(&PROGRAMS).into_iter().collect();
        execute.extend(installed(path, home));
        let read = [all(&SETTINGS), all(&KERNEL), all(&READ_DEVICES)].concat();
        Self { read, execute: execute.into_iter().collect(), write: all(&DEVICES) }
    }
}

/// The folders on `PATH`, what is installed beside them, and the same for what links in them lead to.
fn installed(path: &OsStr, home: Option<&Path>) -> BTreeSet<PathBuf> {
    let mut opened = BTreeSet::new();
    let mut waiting: Vec<PathBuf> = std::env::split_paths(path).filter(|entry| entry.is_absolute()).collect();
    let mut seen = BTreeSet::new();
    while let Some(folder) = waiting.pop() {
        let Ok(folder) = folder.canonicalize() else { continue };
        if seen.len() >= PROGRAM_FOLDERS || holds_home(&folder, home) || !seen.insert(folder.clone()) {
            continue;
        }
        opened.extend(parts_beside(&folder, home));
        // The many links in the system's own folders lead to the system.
        let targets = if is_of_the_system(&folder) { Vec::new() } else { links_in(&folder) };
        for target in targets {
            if !opened.iter().any(|part| target.starts_with(part)) && !is_of_the_system(&target) {
                waiting.extend(target.parent().filter(|parent| names_programs(parent)).map(PathBuf::from));
                opened.insert(target);
            }
        }
        opened.insert(folder);
    }
    opened
}

/// `/`, the home folder and what is above it are never opened, whatever `PATH` says.
fn holds_home(folder: &Path, home: Option<&Path>) -> bool {
    let home = home.and_then(|home| home.canonicalize().ok());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

fn names_programs(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == "bin" || name == "sbin" || name == "shims")
}

fn is_of_the_system(path: &Path) -> bool {
    PROGRAMS.iter().any(|folder| path.starts_with(folder))
}

/// What belongs to the programs of a folder such as `PREFIX/bin`.
fn parts_beside(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let Some(prefix) = folder.parent().filter(|prefix| names_programs(folder) && !holds_home(prefix, home)) else {
        return Vec::new();
    };
    let home = home.and_then(|home| home.canonicalize().ok());
    if home.is_some_and(|home| prefix.starts_with(home)) {
        PARTS_OF_A_PREFIX.iter().map(|part| prefix.join(part)).filter(|part| part.exists()).collect()
    } else {
        vec![prefix.into()]
    }
}

/// Where the links in a folder lead, as far as it exists.
fn links_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(FOLDER_ENTRIES);
    let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
    links.filter_map(|link| link.path().canonicalize().ok()).filter(|target| target.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// QL-30, QL-35: programs in the home folder can be run, the secrets that lie beside them stay closed.
    #[test]
    fn prefixes_on_path_are_opened_without_the_home_folder() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let home = root.join("home");
        for folder in [
            "home/bin",
            "home/.cargo/bin",
            "home/.pyenv/shims",
            "home/.pyenv/versions/3/bin",
            "home/.local/bin",
            "home/.local/share/keyrings",
            "home/.local/share/app/bin",
            "home/.local/share/app/lib",
            "elsewhere/tool/bin",
            "scripts",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(home.join(".cargo/credentials.toml"), "").unwrap();
        fs::write(home.join(".local/share/app/bin/app"), "").unwrap();
        symlink("../share/app/bin/app", home.join(".local/bin/app")).unwrap();
        let path = ["home/bin", "home/.cargo/bin", "home/.pyenv/shims", "home/.local/bin", "elsewhere/tool/bin"];
        let path = path.iter().map(|entry| root.join(entry)).chain([root.join("scripts"), home.clone(), root.clone()]);
        let path = std::env::join_paths(path.chain(["relative".into(), "/".into()])).unwrap();
        let confinement = Confinement::for_path(&path, Some(&home));
        let own: Vec<_> = confinement.execute.iter().filter_map(|path| path.strip_prefix(&root).ok()).collect();
        let expected = [
            "elsewhere/tool",
            "elsewhere/tool/bin",
            "home/.cargo/bin",
            "home/.local/bin",
            "home/.local/share/app/bin",
            "home/.local/share/app/bin/app",
            "home/.local/share/app/lib",
            "home/.pyenv/shims",
            "home/.pyenv/versions",
            "home/bin",
            "scripts",
        ];
        assert_eq!(own, expected.map(Path::new));
        assert!(!confinement.execute.iter().any(|path| path.parent().is_none()), "/ is never opened");
    }

    #[test]
    fn no_list_opens_who_uses_the_machine() {
        let system = Confinement::system();
        let opened = [system.read, system.execute, system.write].concat();
        for secret in ["/etc/passwd", "/etc/shadow", "/etc/ssl/private/key", "/proc/1/environ", "/dev/tty", "/tmp"] {
            let opens = opened.iter().find(|path| Path::new(secret).starts_with(path));
            assert_eq!(opens, None, "{secret}");
        }
    }
}
