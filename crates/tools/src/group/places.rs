//! Where control groups can be made, and what is written into one. Reads what the kernel says of mounts and of this process;
//! makes nothing.
//!
//! In the newer kind of hierarchy a group with processes of its own has no groups with bounds beneath it. So the place is
//! the nearest group above whose children have them, as in the session of a user that systemd keeps: our group stands
//! beside the one that the program was started in. In the older kind it stands beneath.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Bounds;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One hierarchy for all; processes may or may not be bounded there.
    Newer {
        processes: bool,
    },
    OlderMemory,
    OlderProcesses,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) path: PathBuf,
}

/// Whether a bound that cannot be written makes the group worthless; some kernels do not have all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Must,
    May,
}

impl Kind {
    pub(super) fn is_newer(self) -> bool {
        matches!(self, Self::Newer { .. })
    }

    pub(super) fn bounds_memory(self) -> bool {
        matches!(self, Self::Newer { .. } | Self::OlderMemory)
    }

    pub(super) fn bounds_processes(self) -> bool {
        matches!(self, Self::Newer { processes: true } | Self::OlderProcesses)
    }

    pub(super) fn set(self, group: &Path, bounds: &Bounds) -> io::Result<()> {
        let (memory, processes) = (bounds.memory_bytes.to_string(), bounds.processes.to_string());
        let newer = [
            ("memory.max", memory.as_str(), Need::Must),
            // What lies on the disk instead would be beyond the bound.
            ("memory.swap.max", "0", Need::May),
            ("memory.oom.group", "1", Need::May),
            ("pids.max", &processes, Need::Must),
        ];
        let older_memory = [
            ("memory.limit_in_bytes", memory.as_str(), Need::Must),
            ("memory.memsw.limit_in_bytes", &memory, Need::May),
        ];
        let older_processes = [("pids.max", processes.as_str(), Need::Must)];
        let written = match self {
            Self::Newer { processes: true } => &newer[..],
            Self::Newer { processes: false } => &newer[..3],
            Self::OlderMemory => &older_memory,
            Self::OlderProcesses => &older_processes,
        };
        for (file, value, need) in written {
            let done = fs::File::options()
                .write(true)
                .open(group.join(file))
                .and_then(|mut file| io::Write::write_all(&mut file, value.as_bytes()));
            if *need == Need::Must {
                done?;
            }
        }
        Ok(())
    }

    /// The list that counts those whom the kernel ended for memory.
    pub(super) fn tells_killed(self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some("memory.events"),
            Self::OlderMemory => Some("memory.oom_control"),
            Self::OlderProcesses => None,
        }
    }
}

/// All places that could do, the best first.
pub(super) fn found() -> Vec<Place> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    of(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
}

fn of(mounts: &str, own: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mounts: Vec<Mount<'_>> = mounts.lines().filter_map(Mount::read).collect();
    for mount in mounts.iter().filter(|mount| mount.is_newer) {
        let above = mount.place(own, "").into_iter().flat_map(|group| {
            let above: Vec<PathBuf> = group.ancestors().map(PathBuf::from).collect();
            above.into_iter().take_while(|path| path.starts_with(mount.at))
        });
        places.extend(above.filter_map(|path| {
            let given = fs::read_to_string(path.join("cgroup.subtree_control")).unwrap_or_default();
            let gives = |what| given.split_ascii_whitespace().any(|one| one == what);
            gives("memory").then(|| Place { kind: Kind::Newer { processes: gives("pids") }, path })
        }));
    }
    for (what, kind) in [("memory", Kind::OlderMemory), ("pids", Kind::OlderProcesses)] {
        let mut mounts =
            mounts.iter().filter(|mount| !mount.is_newer && mount.options.split(',').any(|one| one == what));
        places.extend(mounts.find_map(|mount| mount.place(own, what)).map(|path| Place { kind, path }));
    }
    places
}

/// A hierarchy, as it is mounted.
struct Mount<'a> {
    is_newer: bool,
    /// The group that is seen as the first.
    root: &'a str,
    at: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (place, what) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, at) = (place.next()?, place.next()?);
        let mut what = what.split(' ');
        let is_newer = match what.next()? {
            "cgroup2" => true,
            "cgroup" => false,
            _ => return None,
        };
        Some(Self { is_newer, root, at, options: what.nth(1)? })
    }

    /// Where the group is that this process has in this hierarchy.
    fn place(&self, own: &str, controller: &str) -> Option<PathBuf> {
        let group = own.lines().find_map(|line| {
            let (_, rest) = line.split_once(':')?;
            let (controllers, group) = rest.split_once(':')?;
            controllers.split(',').any(|one| one == controller).then_some(group)
        })?;
        let beneath = Path::new(group).strip_prefix(self.root).ok()?;
        // In a namespace of groups, one that is outside of it is written with dots.
        let is_inside = beneath.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        is_inside.then(|| Path::new(self.at).join(beneath)).filter(|path| path.is_dir())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(groups: &[(&str, &str)]) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        for (group, given) in groups {
            let path = place.path().join(group);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("cgroup.subtree_control"), given).unwrap();
        }
        place
    }

    /// QL-31: in the session of a user the group stands beside the one of the terminal; the slice above is the next best.
    #[test]
    fn ql31_the_nearest_group_whose_children_are_bounded() {
        let place =
            hierarchy(&[("", "cpu memory pids"), ("user", "memory pids"), ("user/app", "memory"), ("user/app/t", "")]);
        let at = place.path().display();
        let mounts = format!("26 1 0:5 / /proc rw - proc proc rw\n27 1 0:6 / {at} rw,nosuid - cgroup2 cgroup2 rw\n");
        let expected = [("user/app", false), ("user", true), ("", true)];
        let expected = expected.map(|(path, processes)| (Kind::Newer { processes }, place.path().join(path)));
        let found: Vec<_> = of(&mounts, "0::/user/app/t\n").into_iter().map(|place| (place.kind, place.path)).collect();
        assert_eq!(
            found.iter().map(|(kind, path)| (*kind, path.components().collect())).collect::<Vec<_>>(),
            expected.iter().map(|(kind, path)| (*kind, path.components().collect::<PathBuf>())).collect::<Vec<_>>()
        );
    }

    /// QL-31: the older kind has a hierarchy for each bound; a container sees a part of it.
    #[test]
    fn ql31_a_hierarchy_for_each_bound() {
        let place = hierarchy(&[("memory/work", ""), ("pids", ""), ("unified", "hugetlb")]);
        let at = place.path().display();
        let mounts = format!(
            "1 1 0:1 /box {at}/memory rw - cgroup cgroup rw,memory\n2 1 0:2 / {at}/pids rw - cgroup cgroup rw,pids\n\
             3 1 0:3 / {at}/unified rw - cgroup2 cgroup2 rw\n"
        );
        let own = "8:pids:/\n4:memory:/box/work\n0::/\n";
        let path = |name: &str| place.path().join(name);
        let expected = vec![
            Place { kind: Kind::OlderMemory, path: path("memory/work") },
            Place { kind: Kind::OlderProcesses, path: path("pids") },
        ];
        let found = of(&mounts, own);
        assert_eq!(found, expected);
        assert_eq!(
            of(&mounts, "4:memory:/elsewhere\n0::/../x\n"),
            Vec::new(),
            "what is not seen from here is no place"
        );
    }

    /// QL-31: a bound that the kernel must hold and cannot be written is a fault; nothing is made in its stead.
    #[test]
    fn ql31_what_is_written_into_a_group() {
        let place = tempfile::tempdir().unwrap();
        let bounds = Bounds { memory_bytes: 4096, processes: 7, ..Bounds::default() };
        let kind = Kind::Newer { processes: true };
        assert!(kind.set(place.path(), &bounds).is_err());
        for file in ["memory.max", "memory.swap.max", "pids.max"] {
            fs::write(place.path().join(file), "").unwrap();
        }
        kind.set(place.path(), &bounds).unwrap();
        let read = |file: &str| fs::read_to_string(place.path().join(file)).unwrap();
        assert_eq!(
            (read("memory.max"), read("memory.swap.max"), read("pids.max")),
            ("4096".into(), "0".into(), "7".into())
        );
        assert!(!place.path().join("memory.oom.group").exists());
    }
}
