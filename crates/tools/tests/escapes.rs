//! A hostile program tries to get out (QL-30, QL-31, QL-32, MV-28, MV-32, MV-36): every attempt that `src/bin/hostile`
//! knows, from inside the sandbox; none may come through. docs/security.md lists them with the wall that stops each.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use stage::{Stage, assert_exit, has_namespaces, skip, text};
use tools::{Bound, Bounds, Confinement, How, Launch, Network};

const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile");

/// A project with things worth stealing, and somebody who listens on every kind of socket.
struct Target {
    stage: Stage,
    port: u16,
    abstract_name: String,
    _listening: (TcpListener, UnixListener, UnixListener, UnixDatagram),
}

impl Target {
    fn new() -> Self {
        let stage = Stage::new();
        let project = stage.outside().join("project");
        for (path, content) in [
            ("assets/notes.md", "notes"),
            ("guidelines/style.md", "style"),
            ("guidelines/mcp_list.md", "procedures"),
            ("db/process_runs.md", "secret"),
            ("runs/R1/workspace/plan.md", "plan"),
            ("runs/R2/workspace/other.md", "secret"),
            (".multiverse/journal/1", "secret"),
            (".multiverse/scratch/R2/1/x", "secret"),
        ] {
            fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
            fs::write(project.join(path), content).unwrap();
        }
        fs::create_dir_all(project.join(".multiverse/scratch/R1/1")).unwrap();
        let tcp = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let abstract_name = format!("hostile-{}-{}", std::process::id(), tcp.local_addr().unwrap().port());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let unix = UnixListener::bind(stage.outside().join("socket")).unwrap();
        let datagrams = UnixDatagram::bind(stage.outside().join("datagrams")).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let hidden = UnixListener::bind_addr(&address).unwrap();
        Self { stage, port, abstract_name, _listening: (tcp, unix, hidden, datagrams) }
    }

    fn project(&self) -> PathBuf {
        self.stage.outside().join("project")
    }

    fn workdir(&self) -> PathBuf {
        self.project().join(".multiverse/scratch/R1/1")
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let shown = |path: PathBuf| path.display().to_string();
        vec![
            ("PROJECT", shown(self.project())),
            ("RUN", "R1".into()),
            ("OTHER_RUN", "R2".into()),
            ("ENGINE", std::process::id().to_string()),
            ("PORT", self.port.to_string()),
            ("SOCKET", shown(self.stage.outside().join("socket"))),
            ("DATAGRAMS", shown(self.stage.outside().join("datagrams"))),
            ("ABSTRACT", self.abstract_name.clone()),
        ]
    }

    fn launch(&self, arguments: &[&str], network: Network) -> Launch {
        let mut launched = self.stage.program(HOSTILE, arguments);
        launched.environment.extend(self.variables().into_iter().map(|(name, value)| (name.into(), value.into())));
        launched.folder = self.workdir();
        launched.network = network;
        launched.confinement = Confinement::system();
        let readable = ["assets", "guidelines/style.md", "runs/R1"].map(|path| self.project().join(path));
        launched.confinement.read.extend(readable);
        launched.confinement.write.push(self.workdir());
        launched
    }

    /// What came of each attempt.
    fn tried(&self, network: Network) -> BTreeMap<String, String> {
        let ended = self.stage.ended(&self.launch(&[], network));
        assert_exit(&ended, 0);
        answers(&ended.output)
    }

    /// Everything outside the workdir: content, mode, owner, times.
    fn seen(&self) -> BTreeMap<PathBuf, (Option<String>, u32, u32, i64, u64)> {
        let mut seen = BTreeMap::new();
        let mut waiting = vec![self.project()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let (path, found) = (entry.path(), entry.metadata().unwrap());
                if path == self.workdir() {
                    continue;
                }
                let content = fs::read_to_string(&path).ok();
                seen.insert(path.clone(), (content, found.mode(), found.uid(), found.mtime(), found.nlink()));
                if found.is_dir() {
                    waiting.push(path);
                }
            }
        }
        seen
    }
}

fn answers(output: &[u8]) -> BTreeMap<String, String> {
    let line = |line: &str| line.split_once(' ').map(|(name, answer)| (name.to_string(), answer.to_string()));
    text(output).lines().filter_map(line).collect()
}

fn through(tried: &BTreeMap<String, String>) -> BTreeSet<&str> {
    tried.iter().filter(|(_, answer)| *answer == "through").map(|(name, _)| name.as_str()).collect()
}

/// What Landlock does not know and only a view of the mounts closes: docs/security.md says so.
const BY_MOUNTS: [&str; 6] =
    ["attribute-outside", "chmod-by-descriptor", "chmod-outside", "chown-outside", "flags-outside", "times-outside"];

/// QL-30, QL-31, MV-32, MV-36: no attempt comes through, and nothing outside has changed.
#[test]
fn nothing_comes_through() {
    let target = Target::new();
    let before = target.seen();
    let tried = target.tried(Network::Closed);
    assert!(tried.len() >= 40, "{} attempts", tried.len());
    let mut open = through(&tried);
    if !has_namespaces() {
        open.retain(|name| !BY_MOUNTS.contains(name));
    } else {
        assert_eq!(target.seen(), before);
    }
    assert_eq!(open, BTreeSet::new(), "came through; all: {tried:#?}");
}

/// QL-30: with the network open, the rest stays closed: other kinds of sockets, services of the machine, files, processes.
#[test]
fn an_open_network_opens_nothing_else() {
    let network = [
        "names",
        "netlink",
        "ping-socket",
        "tcp",
        "tcp-fast-open",
        "tcp-listen",
        "tcp-version-6",
        "udp",
        "unix-raw-datagram",
    ];
    let target = Target::new();
    let tried = target.tried(Network::Open);
    let mut open = through(&tried);
    open.retain(|name| !network.contains(name));
    if !has_namespaces() {
        let by_sockets = ["unix-datagram", "unix-datagram-of-a-pair", "unix-socket", "unix-socket-by-link"];
        open.retain(|name| !BY_MOUNTS.contains(name) && !by_sockets.contains(name));
    }
    assert_eq!(open, BTreeSet::new(), "came through; all: {tried:#?}");
    assert!(through(&tried).contains("tcp") && through(&tried).contains("udp"), "{tried:#?}");
}

/// QL-30: the same for a user without powers, who owns all that is attacked. Whoever runs this without being root is one.
#[test]
fn nothing_comes_through_for_an_ordinary_user() {
    const NOBODY: u32 = 65534;
    let target = Target::new();
    if !rustix::process::getuid().is_root() {
        return;
    }
    let mut waiting = vec![target.stage.outside(), target.stage.scratch()];
    while let Some(path) = waiting.pop() {
        std::os::unix::fs::lchown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        waiting.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    let top = target.stage.outside().parent().unwrap().to_path_buf();
    fs::set_permissions(&top, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let before = target.seen();
    let user = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups", env!("CARGO_BIN_EXE_confined"), "--closed"]);
    command.arg(target.workdir()).arg("env");
    fs::copy(HOSTILE, target.workdir().join("hostile")).unwrap();
    command.args(target.variables().iter().map(|(name, value)| format!("{name}={value}"))).arg("./hostile");
    let done = command.env("HOME", &top).current_dir("/").output().unwrap();
    let tried = answers(&done.stdout);
    assert!(tried.len() >= 40, "{} attempts; {}", tried.len(), text(&done.stderr));
    assert_eq!(through(&tried), BTreeSet::new(), "came through; all: {tried:#?}");
    assert_eq!(target.seen(), before);
}

/// QL-30, QL-31: on a machine that lets its users have no namespaces the other walls stand alone, and what they leave open
/// is what docs/security.md says: never a file's content, a connection, or a process that stays.
#[test]
fn without_namespaces_the_other_walls_stand() {
    let target = Target::new();
    let contents = || target.seen().into_iter().map(|(path, seen)| (path, seen.0)).collect::<BTreeMap<_, _>>();
    let before = contents();
    fs::copy(HOSTILE, target.workdir().join("hostile")).unwrap();
    let run = |arguments: &[&str], program: &[&str]| {
        let mut command = Command::new(HOSTILE);
        command.arg("without-namespaces").arg(env!("CARGO_BIN_EXE_confined")).args(arguments).arg(target.workdir());
        command.arg("env").args(target.variables().iter().map(|(name, value)| format!("{name}={value}"))).args(program);
        command.output().unwrap()
    };
    let done = run(&["--closed"], &["./hostile"]);
    let tried = answers(&done.stdout);
    assert!(tried.len() >= 40, "{} attempts; {}", tried.len(), text(&done.stderr));
    let mut open = through(&tried);
    open.retain(|name| !BY_MOUNTS.contains(name));
    assert_eq!(open, BTreeSet::new(), "came through; all: {tried:#?}");
    assert!(through(&tried).contains("chmod-outside"), "the machine has namespaces after all: {tried:#?}");
    assert_eq!(contents(), before);
    for (flood, end) in
        [("processes", "Outgrew(Processes)"), ("memory-of-many", "Outgrew(Memory)"), ("files", "Outgrew(Disk)")]
    {
        let done = run(&["--small", "--closed"], &["./hostile", "flood", flood]);
        assert_eq!(text(&done.stderr).lines().last(), Some(format!("ended: {end}").as_str()), "{flood}");
    }
}

/// The attempts are real: outside the sandbox they do come through.
#[test]
fn without_the_sandbox_they_come_through() {
    let target = Target::new();
    for name in [
        "read-by-dot-dot",
        "read-by-absolute-path",
        "read-journal",
        "read-other-run",
        "list-runs",
        "write-assets",
        "write-journal",
        "write-other-run",
        "create-in-assets",
        "symlink-read",
        "symlink-write",
        "symlink-race",
        "hard-link-in",
        "through-proc-root",
        "through-path-descriptor",
        "rename-out",
        "mkdir-outside",
        "fifo-outside",
        "chmod-outside",
        "times-outside",
        "tcp",
        "tcp-listen",
        "udp",
        "netlink",
        "unix-socket",
        "unix-socket-by-link",
        "unix-datagram",
        "unix-datagram-of-a-pair",
        "abstract-socket",
        "environment-of-engine",
        "descriptors-of-engine",
        "list-processes",
        "trace-self",
        "kill-engine",
        "kill-by-descriptor",
        "outlive-the-launcher",
        "inherited-secrets",
        "personality",
        "memory-without-owner",
    ] {
        let mut command = Command::new(HOSTILE);
        command.arg(name).envs(target.variables()).current_dir(target.workdir());
        let tried = answers(&command.output().unwrap().stdout);
        assert_eq!(tried.get(name).map(String::as_str), Some("through"), "{name}");
    }
}

/// docs/security.md lists exactly the attempts that there are.
#[test]
fn the_list_in_the_documentation_is_whole() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let document = fs::read_to_string(document).unwrap();
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name);
    let listed: BTreeSet<String> = rows.map(String::from).collect();
    let target = Target::new();
    let tried: BTreeSet<String> = target.tried(Network::Closed).into_keys().collect();
    assert_eq!(listed, tried);
}

/// QL-31, QL-32: who grows without end is ended as a whole, named, and nothing is left; as root too.
#[test]
fn floods_are_bounded() {
    let bounds = Bounds { memory_bytes: 256 << 20, processes: 64, file_bytes: 8 << 20, disk_bytes: 64 << 20 };
    let target = Target::new();
    for (name, ends) in [
        ("processes", &[How::Outgrew(Bound::Processes)][..]),
        ("threads", &[How::Outgrew(Bound::Processes)]),
        // The kernel refuses more to one process, or the launcher sees it first.
        ("memory", &[How::Exit(77), How::Outgrew(Bound::Memory)]),
        ("memory-of-many", &[How::Outgrew(Bound::Memory)]),
        ("file", &[How::Signal(libc::SIGXFSZ)]),
        ("files", &[How::Outgrew(Bound::Disk)]),
        ("files-without-name", &[How::Outgrew(Bound::Disk)]),
        ("sessions", &[How::Exit(0)]),
    ] {
        let mut launched = target.launch(&["flood", name], Network::Closed);
        launched.bounds = bounds;
        launched.limits.grace = Duration::from_secs(1);
        let ended = target.stage.ended(&launched);
        assert!(ends.contains(&ended.how), "{name}: {:?}, log {:?}", ended.how, text(&ended.log));
        fs::remove_dir_all(target.workdir()).unwrap();
        fs::create_dir(target.workdir()).unwrap();
    }
}

/// QL-31: within its bounds a program is not disturbed.
#[test]
fn bounds_that_are_kept_do_not_hurt() {
    let target = Target::new();
    let script = "import threading, subprocess, time\n\
                  x = bytearray(100 << 20)\n\
                  open('f', 'wb').write(x[:4 << 20])\n\
                  [subprocess.run(['true']) for _ in range(100)]\n\
                  t = [threading.Thread(target=time.sleep, args=(0.3,)) for _ in range(20)]\n\
                  [one.start() for one in t]; [one.join() for one in t]\n\
                  print('done')";
    let mut launched = target.stage.program("/usr/bin/python3", &["-c", script]);
    launched.network = Network::Closed;
    launched.bounds = Bounds { memory_bytes: 512 << 20, processes: 32, file_bytes: 8 << 20, disk_bytes: 64 << 20 };
    let ended = target.stage.ended(&launched);
    assert_exit(&ended, 0);
    assert_eq!(text(&ended.output), "done\n");
}

/// QL-30, QL-31: seen from the kernel's side, a denied command connects to nobody and opens nothing outside for writing.
#[test]
fn the_kernel_bears_witness() {
    if !is_traced() {
        return;
    }
    let target = Target::new();
    let log = target.stage.outside().join("trace");
    let script = format!(
        "cat {0}/db/process_runs.md; echo x > {0}/assets/notes.md; echo x >> {0}/.multiverse/journal/1; echo x > mine; \
         rm -rf {0}/assets; cp mine /tmp/from-a-test; mkdir {0}/new; \
         exec 3<>/dev/tcp/127.0.0.1/{1}; python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {1}))'; \
         python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{2}\")'",
        target.project().display(),
        target.port,
        target.stage.outside().join("socket").display()
    );
    let calls = "trace=execve,socket,connect,sendto,open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,truncate";
    let traced = Command::new("strace")
        .args(["-f", "-s", "4096", "-e", calls, "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_confined"))
        .arg("--closed")
        .arg(target.workdir())
        .args(["bash", "-c", &script])
        .output()
        .unwrap();
    assert!(target.workdir().join("mine").exists(), "{}", text(&traced.stderr));
    let trace = fs::read_to_string(&log).unwrap();
    let by_program = lines_of_the_program(&trace);
    assert!(by_program.iter().any(|line| line.contains("assets/notes.md")), "the attempts are in the trace");
    assert!(by_program.iter().any(|line| line.contains("socket(AF_INET")), "{by_program:#?}");
    assert!(by_program.iter().any(|line| line.contains("connect(")), "{by_program:#?}");
    let own = target.workdir().display().to_string();
    for line in
        by_program.iter().filter(|line| !line.contains(" = -1 ") && line.contains(" = ") && !line.contains("execve("))
    {
        assert!(!line.contains("connect(") && !line.contains("sendto("), "reached somebody: {line}");
        let changes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "creat(", "mkdir", "unlink", "rename", "truncate("];
        let harmless = [own.as_str(), "\"mine\"", "/dev/null", "/dev/tty"];
        let is_change = changes.iter().any(|change| line.contains(change));
        assert!(!is_change || harmless.iter().any(|place| line.contains(place)), "changed something outside: {line}");
    }
    assert_eq!(fs::read_to_string(target.project().join("assets/notes.md")).unwrap(), "notes");
}

/// The calls of the program and all that it started; those of the launcher are by processes seen before it.
fn lines_of_the_program(trace: &str) -> Vec<String> {
    let calls = whole_calls(trace);
    let is_start = |call: &&(String, String)| call.1.starts_with("execve(") && call.1.contains("\"-c\", \"cat ");
    let begin = calls.iter().position(|call| is_start(&call) && !call.1.contains("--closed")).unwrap();
    let program = calls[begin].0.clone();
    let before: BTreeSet<&String> =
        calls[..begin].iter().map(|(process, _)| process).filter(|one| **one != program).collect();
    let of_program = calls[begin..].iter().filter(|(process, _)| !before.contains(process));
    of_program.map(|(_, call)| call.clone()).collect()
}

/// Each call with its process. One that is printed in two parts, since others came between, is put together.
fn whole_calls(trace: &str) -> Vec<(String, String)> {
    let mut begun: BTreeMap<&str, &str> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in trace.lines() {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(start) = call.strip_suffix("<unfinished ...>") {
            begun.insert(process, start);
        } else if let Some((_, rest)) = call.strip_prefix("<... ").and_then(|call| call.split_once("resumed>")) {
            let start = begun.remove(process).unwrap_or_default();
            calls.push((process.to_string(), format!("{start}{rest}")));
        } else {
            calls.push((process.to_string(), call.to_string()));
        }
    }
    calls
}

/// Whether strace is there, or can be had.
fn is_traced() -> bool {
    let works =
        || Command::new("strace").args(["-o", "/dev/null", "true"]).output().is_ok_and(|done| done.status.success());
    if works() {
        return true;
    }
    let _ = Command::new("apt-get").args(["install", "-y", "-q", "strace"]).output();
    let works = works();
    if !works {
        skip("what the kernel saw of the escapes: strace is not installed, and cannot be");
    }
    works
}
