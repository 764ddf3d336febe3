//! Which file system a folder lies on, and whether it can be relied on. Network file systems cannot: their locks hold
//! on one machine only, if at all.

use std::fs::File;
use std::io;

/// A file system: its name, and whether its locks and syncs can be relied on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// As `mount` shows it: `ext4`, `nfs4`, `fuse.sshfs`.
    pub name: String,
    /// Where its disk is.
    pub reach: Reach,
}

/// Where a file system's disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// In this machine, or in its memory.
    Local,
    /// In another one: locks do not hold, and renames may be seen late.
    Network,
}

/// Names of file systems that reach over a network, as `mount` shows them.
const NETWORK: &[&str] = &[
    "9p",
    "acfs",
    "afs",
    "afp",
    "afpfs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "drvfs",
    "gfs2",
    "glusterfs",
    "gpfs",
    "lustre",
    "mfs",
    "ncpfs",
    "nfs",
    "nfs4",
    "nfsd",
    "ocfs2",
    "orangefs",
    "panfs",
    "prl_fs",
    "pvfs2",
    "shfs",
    "smb2",
    "smb3",
    "smbfs",
    "vboxsf",
    "vmhgfs",
    "webdav",
];
/// Programs behind FUSE that reach over a network.
const NETWORK_PROGRAMS: &[&str] = &[
    "blobfuse",
    "blobfuse2",
    "ceph-fuse",
    "curlftpfs",
    "davfs",
    "davfs2",
    "gcsfuse",
    "geesefs",
    "glusterfs",
    "goofys",
    "google-drive-ocamlfuse",
    "gvfsd-fuse",
    "juicefs",
    "mount-s3",
    "moosefs",
    "onedriver",
    "rclone",
    "s3fs",
    "seaweedfs",
    "smbnetfs",
    "sshfs",
    "vmhgfs-fuse",
    "weed",
];

impl FileSystem {
    /// The one that an open folder lies on.
    pub(super) fn of(folder: &File) -> io::Result<Self> {
        let name = name_of(folder)?;
        let reach = reach_of(&name);
        Ok(Self { name, reach })
    }
}

fn reach_of(name: &str) -> Reach {
    let is_network = match name.strip_prefix("fuse.") {
        Some(program) => NETWORK_PROGRAMS.contains(&program),
        None => NETWORK.contains(&name),
    };
    if is_network { Reach::Network } else { Reach::Local }
}

/// The kernel names each mount in `/proc/self/mountinfo`; the number from `statfs` is the fallback.
#[cfg(target_os = "linux")]
fn name_of(folder: &File) -> io::Result<String> {
    use std::os::unix::fs::MetadataExt;

    let device = folder.metadata()?.dev();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounted = mounted_name(&mounts, rustix::fs::major(device), rustix::fs::minor(device));
    match mounted {
        Some(name) => Ok(name.to_owned()),
        None => {
            let number = rustix::fs::fstatfs(folder)?.f_type;
            Ok(name_of_number(u32::try_from(number & 0xFFFF_FFFF).unwrap_or_default()))
        }
    }
}

/// The type field of the mount with these device numbers. A line is
/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`, with any number of fields before the dash.
#[cfg(target_os = "linux")]
fn mounted_name(mounts: &str, major: u32, minor: u32) -> Option<&str> {
    let device = format!("{major}:{minor}");
    mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(&device))
        .and_then(|line| line.split_once(" - "))
        .and_then(|(_, rest)| rest.split(' ').next())
}

/// The numbers of statfs(2), for mounts that are not listed under their device, such as subvolumes.
#[cfg(target_os = "linux")]
fn name_of_number(number: u32) -> String {
    let name = match number {
        0x6969 => "nfs",
        0x517B => "smbfs",
        0xFE53_4D42 => "smb2",
        0xFF53_4D42 => "cifs",
        0x0102_1997 => "9p",
        0x00C3_6400 => "ceph",
        0x5346_414F => "afs",
        0x7375_7245 => "coda",
        0x564C => "ncpfs",
        0x0BD0_0BD0 => "lustre",
        0x0116_1970 => "gfs2",
        0x7461_636F => "ocfs2",
        0x4750_4653 => "gpfs",
        0x2003_0528 => "orangefs",
        0x1983_0326 => "beegfs",
        0x786F_4256 => "vboxsf",
        0x6573_5546 => "fuse",
        0xEF53 => "ext4",
        0x9123_683E => "btrfs",
        0x5846_5342 => "xfs",
        0xF2F5_2010 => "f2fs",
        0x2FC1_2FC1 => "zfs",
        0xCA45_1A4E => "bcachefs",
        0x0102_1994 => "tmpfs",
        0x794C_7630 => "overlay",
        _ => return format!("of type {number:#x}"),
    };
    name.to_owned()
}

#[cfg(target_os = "macos")]
fn name_of(folder: &File) -> io::Result<String> {
    let name = rustix::fs::fstatfs(folder)?.f_fstypename;
    Ok(name.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte as u8)).collect())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn name_of(_folder: &File) -> io::Result<String> {
    Ok("unknown".to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_name() {
        for (name, expected) in [
            ("ext4", Reach::Local),
            ("btrfs", Reach::Local),
            ("tmpfs", Reach::Local),
            ("overlay", Reach::Local),
            ("fuseblk", Reach::Local),
            ("fuse.gocryptfs", Reach::Local),
            ("nfs4", Reach::Network),
            ("cifs", Reach::Network),
            ("9p", Reach::Network),
            ("fuse.sshfs", Reach::Network),
            ("fuse.rclone", Reach::Network),
        ] {
            assert_eq!(reach_of(name), expected, "{name}");
        }
    }

    #[test]
    fn every_number_of_a_network_file_system_has_a_network_name() {
        for number in [0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x0102_1997, 0x00C3_6400, 0x0BD0_0BD0, 0x786F_4256] {
            assert_eq!(reach_of(&name_of_number(number)), Reach::Network, "{number:#x}");
        }
        assert_eq!(name_of_number(0x1234_5678), "of type 0x12345678");
    }

    #[test]
    fn a_mount_is_found_by_its_device() {
        let mounts = "22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n\
                      28 1 259:2 / / rw,relatime shared:1 master:2 - ext4 /dev/x rw\n\
                      90 28 0:52 / /home/me/far rw - fuse.sshfs me@far:/ rw\n";
        assert_eq!(mounted_name(mounts, 259, 2), Some("ext4"));
        assert_eq!(mounted_name(mounts, 0, 52), Some("fuse.sshfs"));
        assert_eq!(mounted_name(mounts, 0, 5), None);
        assert_eq!(mounted_name("damaged\n", 0, 5), None);
    }
}
