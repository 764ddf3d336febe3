//! What a hostile program can and cannot do to what lies outside its scratch (QL-30, MV-32, MV-36): real processes, on a
//! kernel with Landlock.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use stage::{Stage, assert_exit, has_namespaces, text};
use tools::{Sandbox, probe};

/// Tries each case (a name and what to do, in Python) and prints the names of those that got through.
const TRY_ALL: &str = r#"
import os, sys, json, ctypes, signal, socket, subprocess, mmap
OUT = os.environ["OUTSIDE"]
ENGINE = int(os.environ["ENGINE"])
FILE, FOLDER = OUT + "/file", OUT + "/folder"
def read(path): return open(path, "rb").read(1)
def write(path, flags=0): os.close(os.open(path, os.O_WRONLY | flags, 0o600))
for name, what in json.load(sys.stdin):
    try:
        exec(what)
        print(name)
    except (OSError, subprocess.SubprocessError) as error:
        print(name, type(error).__name__, error, file=sys.stderr)
"#;

/// Runs the cases and gives the names of those that got through.
fn tried(stage: &Stage, cases: &[(&str, &str)]) -> Vec<String> {
    let mut launched = stage.program("/usr/bin/python3", &["-c", TRY_ALL]);
    launched.environment.push(("ENGINE".into(), std::process::id().to_string().into()));
    launched.input = serde_json::to_vec(cases).unwrap();
    let ended = stage.ended(&launched);
    assert_exit(&ended, 0);
    text(&ended.output).lines().map(String::from).collect()
}

#[track_caller]
fn assert_refused(stage: &Stage, cases: &[(&str, &str)]) {
    assert_eq!(tried(stage, cases), Vec::<String>::new(), "got through");
    assert_eq!(fs::read_to_string(stage.outside().join("file")).unwrap(), "untouched");
    let mut names: Vec<_> = fs::read_dir(stage.outside()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["file", "folder"], "in the folder outside");
}

#[track_caller]
fn assert_allowed(stage: &Stage, cases: &[(&str, &str)]) {
    let names: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
    assert_eq!(tried(stage, cases), names);
}

/// QL-30: whatever the way, nothing outside the scratch is written, made, moved or removed.
#[test]
fn writing_outside_is_refused() {
    assert_refused(
        &Stage::new(),
        &[
            ("open", "write(FILE)"),
            ("append", "write(FILE, os.O_APPEND)"),
            ("create", "write(OUT + '/new', os.O_CREAT)"),
            ("create in folder", "write(FOLDER + '/new', os.O_CREAT)"),
            ("create in root", "write('/new', os.O_CREAT)"),
            ("create in tmp", "write('/tmp/new-by-a-test', os.O_CREAT)"),
            ("truncate", "os.truncate(FILE, 0)"),
            ("open to truncate", "os.close(os.open(FILE, os.O_RDONLY | os.O_TRUNC))"),
            ("dot dot", "write('../outside/file')"),
            ("symlink", "os.symlink(FILE, 'link'); write('link')"),
            ("symlink to folder", "os.symlink(OUT, 'links'); write('links/new', os.O_CREAT)"),
            ("hard link", "os.link(FILE, 'hard'); write('hard')"),
            ("hard link outwards", "write('own', os.O_CREAT); os.link('own', OUT + '/new')"),
            ("proc root", "write('/proc/self/root' + FILE)"),
            ("proc cwd", "write('/proc/self/cwd/../outside/file')"),
            ("rename away", "os.rename(FILE, OUT + '/moved')"),
            ("rename into scratch", "os.rename(FILE, 'moved')"),
            ("rename outwards", "write('mine', os.O_CREAT); os.rename('mine', OUT + '/moved')"),
            ("rename over", "write('mine', os.O_CREAT); os.rename('mine', FILE)"),
            ("rename folder", "os.rename(FOLDER, 'folder')"),
            ("rename the scratch", "os.rename(os.getcwd(), OUT + '/scratch')"),
            ("unlink", "os.unlink(FILE)"),
            ("rmdir", "os.rmdir(FOLDER)"),
            ("mkdir", "os.mkdir(OUT + '/new')"),
            ("symlink outside", "os.symlink('x', OUT + '/new')"),
            ("mkfifo", "os.mkfifo(OUT + '/new')"),
            ("socket", "socket.socket(socket.AF_UNIX).bind(OUT + '/new')"),
            ("through a child", "subprocess.check_call(['sh', '-c', 'echo x > ' + FILE])"),
            ("through an own descriptor", "f = os.open('.', os.O_RDONLY); os.unlink('../outside/file', dir_fd=f)"),
            ("chroot", "os.chroot('/'); write(FILE)"),
            (
                "bind mount",
                "os.mkdir('mnt'); r = ctypes.CDLL(None, use_errno=True).mount(OUT.encode(), b'mnt', None, 4096, None); \
             (_ for _ in ()).throw(OSError(ctypes.get_errno())) if r else write('mnt/file')",
            ),
            ("device node", "os.mknod('disk', 0o60600, os.makedev(254, 0))"),
        ],
    );
}

/// QL-30, MV-36: whatever the way, nothing outside what was allowed is read or listed.
#[test]
fn reading_outside_is_refused() {
    let stage = Stage::new();
    fs::write(stage.scratch().join("before"), "").unwrap();
    assert_refused(
        &stage,
        &[
            ("open", "read(FILE)"),
            ("list", "os.listdir(OUT)"),
            ("list parent", "os.listdir('..')"),
            ("list tmp", "os.listdir('/tmp')"),
            ("list root", "os.listdir('/')"),
            ("list home", "os.listdir(os.path.expanduser('~'))"),
            ("shadow", "read('/etc/shadow')"),
            ("passwd", "read('/etc/passwd')"),
            ("symlink", "os.symlink(FILE, 'link'); read('link')"),
            ("hard link", "os.link(FILE, 'hard'); read('hard')"),
            ("proc root", "read('/proc/self/root' + FILE)"),
            ("proc fd", "d = os.open('..', os.O_PATH); read('/proc/self/fd/%d/outside/file' % d)"),
            (
                "processes of others",
                "if not [p for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]: raise OSError('none')",
            ),
            ("environment of the engine", "read('/proc/%d/environ' % ENGINE)"),
            ("arguments of the engine", "read('/proc/%d/cmdline' % ENGINE)"),
            ("memory of the engine", "read('/proc/%d/maps' % ENGINE)"),
            ("descriptors of the engine", "os.listdir('/proc/%d/fd' % ENGINE)"),
            ("root of the engine", "read('/proc/%d/root%s' % (ENGINE, FILE))"),
            ("environment of the launcher", "read('/proc/%d/environ' % os.getppid())"),
            ("kernel memory", "read('/dev/mem')"),
            ("disk", "read('/dev/vda')"),
            ("through a child", "subprocess.check_call(['cat', FILE])"),
            (
                "trace the engine",
                "r = ctypes.CDLL(None, use_errno=True).ptrace(16, ENGINE, 0, 0); \
             (_ for _ in ()).throw(OSError(ctypes.get_errno())) if r else None",
            ),
        ],
    );
}

/// QL-31: no process outside hears a signal: it is not in the namespace, or Landlock (since version 6) forbids it.
#[test]
fn signals_to_others_are_refused() {
    let cases = [
        ("engine", "os.kill(ENGINE, 0)"),
        ("launcher", "os.kill(os.getppid(), 0)"),
        ("launcher, stop", "os.kill(os.getppid(), signal.SIGCONT)"),
    ];
    let stage = Stage::new();
    match probe() {
        Sandbox::Enforced { .. } => assert_refused(&stage, &cases),
        Sandbox::Partly { .. } if has_namespaces() => assert_refused(&stage, &cases[..1]),
        Sandbox::Partly { .. } => assert_allowed(&stage, &cases),
        Sandbox::None { why } => panic!("nothing here can be tested: {why}"),
    }
}

/// QL-30: in a namespace of its own a program's children read about themselves and one another, as many do when they begin;
/// without one, their numbers could be anybody's, and only the first process reads about itself.
#[test]
fn children_read_about_themselves() {
    let stage = Stage::new();
    let itself = ("itself", "read('/proc/self/maps'); read('/proc/self/environ')");
    let child = "subprocess.check_call(['cat', '/proc/self/maps', '/proc/self/status'], stdout=subprocess.DEVNULL)";
    let kernel = "for f in ('kallsyms', 'interrupts', 'kcore', 'keys'):\n  if os.path.exists('/proc/' + f): assert read('/proc/' + f) == b''";
    match has_namespaces() {
        true => assert_allowed(&stage, &[itself, ("a child", child), ("what is covered is empty", kernel)]),
        false => assert_allowed(&stage, &[itself]),
    }
}

/// What a program is for still works: its scratch, its interpreter, the system's programs, what it was given to read.
#[test]
fn what_is_allowed_works() {
    let stage = Stage::new();
    assert_allowed(
        &stage,
        &[
            ("write", "open('file', 'w').write('x')"),
            ("read", "assert read('file') == b'x'"),
            ("folders", "os.makedirs('a/b'); os.rename('file', 'a/b/file'); os.link('a/b/file', 'again')"),
            ("links", "os.symlink('a/b/file', 'soft'); read('soft')"),
            ("truncate", "os.truncate('again', 0)"),
            ("mode and times", "os.chmod('again', 0o700); os.utime('again', (1, 1))"),
            ("remove", "os.unlink('again'); os.unlink('a/b/file'); os.removedirs('a/b')"),
            (
                "own script",
                "open('s', 'w').write('#!/bin/sh\\nexit 0\\n'); os.chmod('s', 0o700); subprocess.check_call('./s')",
            ),
            ("programs", "subprocess.check_call(['ls', '.'], stdout=subprocess.DEVNULL)"),
            ("devices", "write('/dev/null', os.O_TRUNC); read('/dev/urandom'); read('/dev/zero')"),
            ("own process", "read('/proc/self/status'); read('/proc/self/maps')"),
            ("machine", "read('/proc/meminfo'); read('/proc/cpuinfo'); os.cpu_count()"),
            ("certificates and names", "read('/etc/hosts'); read('/etc/nsswitch.conf')"),
            (
                "sockets of its own",
                "s = socket.socket(socket.AF_UNIX); s.bind('sock'); s.listen(); socket.socket(socket.AF_UNIX).connect('sock')",
            ),
            (
                "pipes by name",
                "subprocess.check_call(['bash', '-c', 'cat <(echo x) > /dev/null; echo y > /dev/stderr'])",
            ),
            ("signals to its own", "p = subprocess.Popen(['sleep', '9']); p.kill(); p.wait()"),
        ],
    );
}

/// The interpreter that PATH names, which may be a script that looks for the real one.
#[test]
fn interpreters_on_path_run() {
    let stage = Stage::new();
    let ended = stage.ended(&stage.python("import ssl, json, sqlite3; print('here')"));
    assert_exit(&ended, 0);
    assert_eq!(text(&ended.output), "here\n");
}

/// QL-30: files and folders to read are opened as given, and no further.
#[test]
fn reading_is_opened_path_by_path() {
    let stage = Stage::new();
    fs::write(stage.outside().join("folder/inner"), "inner").unwrap();
    fs::write(stage.outside().join("folder/tool"), "#!/bin/sh\necho tool\n").unwrap();
    fs::set_permissions(stage.outside().join("folder/tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = |change: &dyn Fn(&mut tools::Confinement), script: &str| {
        let mut launched = stage.sh(script);
        change(&mut launched.confinement);
        text(&stage.ended(&launched).output)
    };
    let read_folder = |confinement: &mut tools::Confinement| confinement.read.push(stage.outside().join("folder"));
    let script = "cat $OUTSIDE/folder/inner; cat $OUTSIDE/file; $OUTSIDE/folder/tool; echo x > $OUTSIDE/folder/inner";
    assert_eq!(run(&read_folder, script), "inner");
    let execute = |confinement: &mut tools::Confinement| confinement.execute.push(stage.outside().join("folder"));
    assert_eq!(run(&execute, script), "innertool\n");
    let read_file = |confinement: &mut tools::Confinement| confinement.read.push("../outside/file".into());
    assert_eq!(run(&read_file, script), "untouched", "a relative path is taken from the folder");
    let gone = |confinement: &mut tools::Confinement| confinement.read.push("/no/such/thing".into());
    assert_eq!(run(&gone, script), "", "what is not there opens nothing");
}

/// The program's own file may be executed wherever it is; its folder stays closed.
#[test]
fn the_program_itself_need_not_be_allowed() {
    let stage = Stage::new();
    let tool = stage.outside().join("folder/tool");
    fs::write(&tool, "#!/bin/sh\necho tool; cat $OUTSIDE/file; ls $OUTSIDE/folder; echo x > $0\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let ended = stage.ended(&stage.program("../outside/folder/tool", &[]));
    assert_eq!(text(&ended.output), "tool\n");
    assert!(fs::read_to_string(&tool).unwrap().starts_with("#!"), "and is not changed");
}

/// QL-30, MV-32: Landlock does not know mode, owner, times and extended attributes; a read-only view of the mounts does,
/// where the system lets its users have one. Where not, this holds what the crate's documentation says: they change.
#[test]
fn attributes_of_files_outside() {
    let stage = Stage::new();
    let file = stage.outside().join("file");
    let seen = || fs::metadata(&file).map(|found| (found.mode(), found.mtime(), found.uid())).unwrap();
    let before = seen();
    let cases = [
        ("mode", "os.chmod(FILE, 0o777)"),
        ("mode of folder", "os.chmod(FOLDER, 0o700)"),
        ("mode through a descriptor", "f = os.open(FILE, os.O_PATH); os.chmod('/proc/self/fd/%d' % f, 0o777)"),
        ("times", "os.utime(FILE, (1, 1))"),
        ("attribute", "os.setxattr(FILE, 'user.x', b'1')"),
        ("owner", "os.chown(FILE, os.getuid(), os.getgid())"),
    ];
    if has_namespaces() {
        assert_refused(&stage, &cases);
        assert_eq!(seen(), before);
    } else {
        assert!(tried(&stage, &cases).contains(&"mode".into()));
    }
}

/// QL-30: of root's powers those over files are left, of other users' none.
#[test]
fn powers_are_dropped() {
    const OVER_FILES: u64 = 0b1_1011;
    let stage = Stage::new();
    let ended = stage.ended(&stage.program("grep", &["CapEff", "/proc/self/status"]));
    let line = text(&ended.output);
    let powers = line.split_whitespace().nth(1).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    assert_eq!(powers.unwrap() & !OVER_FILES, 0, "{line}");
}
