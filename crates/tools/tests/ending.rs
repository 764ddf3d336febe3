//! How programs end, and that nothing of them is left (QL-31, QL-32): real processes, on Linux.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stage::{Stage, assert_exit, has_namespaces, text};
use tools::{How, LaunchFault, Stop, launch};

/// A program that answers no request to end, and so do all that it starts.
const STUBBORN: &str = "trap '' TERM HUP INT; sleep 1000 & sleep 1000 & wait; wait; sleep 1000";

#[test]
fn the_program_gets_its_input_and_its_words_come_back() {
    let stage = Stage::new();
    let mut launched = stage.sh("cat; echo heard >&2; printf '\\000\\377'; echo \"$#$0$1\"");
    launched.arguments.extend(["name".into(), "one two".into()]);
    launched.input = b"a\0b\n".to_vec();
    let ended = stage.ended(&launched);
    assert_exit(&ended, 0);
    assert_eq!(ended.output, b"a\0b\n\0\xff1nameone two\n");
    assert_eq!(ended.log, b"heard\n");
    assert!(!ended.log_cut);
}

#[test]
fn the_environment_is_exactly_what_is_given() {
    let stage = Stage::new();
    let mut launched = stage.program("/usr/bin/env", &[]);
    launched.environment = vec![("ONE".into(), "1".into())];
    assert_eq!(text(&stage.ended(&launched).output), "ONE=1\n");
}

/// QL-31: nothing of the engine or the launcher reaches the program: descriptors, blocked or ignored signals, core files.
#[test]
fn the_program_starts_clean() {
    let stage = Stage::new();
    let script = "import os, signal, resource; \
        print(sorted(os.listdir('/proc/self/fd'))[:3], len(os.listdir('/proc/self/fd'))); \
        print(signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getsignal(signal.SIGTERM) == signal.SIG_DFL); \
        print(resource.getrlimit(resource.RLIMIT_CORE), oct(os.umask(0)), os.getsid(0) == os.getpid())";
    let mut launched = stage.program("/usr/bin/python3", &["-c", script]);
    launched.environment.retain(|(name, _)| name != "HOME");
    let ended = stage.ended(&launched);
    assert_eq!(text(&ended.output), "['0', '1', '2'] 4\nset() True\n(0, 0) 0o77 True\n", "log {:?}", text(&ended.log));
}

/// QL-32: exit codes and signals are told apart.
#[test]
fn exit_codes_and_signals() {
    let stage = Stage::new();
    for (script, how) in [
        ("exit 0", How::Exit(0)),
        ("exit 3", How::Exit(3)),
        ("exit 255", How::Exit(255)),
        ("kill -TERM $$", How::Signal(15)),
        ("kill -KILL $$", How::Signal(9)),
        ("kill -SEGV $$", How::Signal(11)),
        ("exec >&- 2>&-; exit 4", How::Exit(4)),
    ] {
        assert_eq!(stage.ended(&stage.sh(script)).how, how, "{script}");
    }
}

/// QL-31: whatever way a process took to get out of sight, it ends with the program.
#[test]
fn what_the_program_leaves_behind_ends_with_it() {
    let stage = Stage::new();
    for script in [
        "sleep 1000 &",
        "setsid sleep 1000 &",
        "nohup sleep 1000 >/dev/null 2>&1 &",
        "(setsid sh -c 'setsid sleep 1000 & sleep 1000' &) &",
        "sh -c 'sh -c \"trap \\\"\\\" TERM HUP; sleep 1000 & wait\" &' & wait",
        "sleep 1000 & kill -STOP $!",
        "for i in 1 2 3 4 5 6 7 8 9; do setsid setsid sh -c 'sleep 1000 & setsid sleep 1000 & wait' & done",
        // Holds the pipes open.
        "setsid sh -c 'sleep 1000; echo late; echo late >&2' & echo early",
    ] {
        let begun = Instant::now();
        assert_exit(&stage.ended(&stage.sh(script)), 0);
        assert!(begun.elapsed() < Duration::from_secs(500), "{script} was waited for");
    }
    let daemon = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n\
                  os.closerange(0, 99)\ntime.sleep(1000)";
    assert_exit(&stage.ended(&stage.program("/usr/bin/python3", &["-c", daemon])), 0);
}

/// QL-31: processes that only fork and end, each in a session of its own, and those that multiply.
#[test]
fn those_that_fork_all_the_time_lose() {
    let stage = Stage::new();
    let chain =
        "import os\nif os.fork(): os._exit(0)\nfor _ in range(9000):\n    os.setsid()\n    if os.fork(): os._exit(0)";
    let chain_in_group = "import os\nif os.fork(): os._exit(0)\nfor _ in range(9000):\n    if os.fork(): os._exit(0)";
    // Sixteen chains. Each stops by itself after a while: a test that fails should not take the machine with it.
    let multiplying = "import os, time\nif os.fork(): time.sleep(0.05); os._exit(0)\nfor _ in range(4): os.fork()\n\
                       for _ in range(5000):\n    if os.fork(): os._exit(0)\n    os.setsid()";
    let scripts = [chain, chain_in_group, multiplying];
    let sure = if has_namespaces() { &scripts[..] } else { &scripts[..2] };
    for script in sure {
        let mut launched = stage.program("/usr/bin/python3", &["-c", script]);
        launched.limits.time = Duration::from_millis(100);
        let ended = stage.ended(&launched);
        assert!(matches!(ended.how, How::Exit(0) | How::TimedOut), "{ended:?}");
    }
}

/// QL-32: a program that hangs is ended when its time is over, asked first.
#[test]
fn time_out() {
    let stage = Stage::new();
    let mut launched = stage.sh("trap 'echo bye; exit 7' TERM; echo begun; sleep 1000 & wait");
    launched.limits.time = Duration::from_millis(300);
    let ended = stage.ended(&launched);
    assert_eq!((ended.how, text(&ended.output)), (How::TimedOut, "begun\nbye\n".into()));
}

/// QL-32: one that ignores SIGTERM is ended after its grace.
#[test]
fn time_out_of_one_that_does_not_listen() {
    let stage = Stage::new();
    let mut launched = stage.sh(STUBBORN);
    launched.limits.time = Duration::from_millis(50);
    launched.limits.grace = Duration::from_millis(50);
    assert_eq!(stage.ended(&launched).how, How::TimedOut);
}

#[test]
fn stopping_asks_and_ending_does_not() {
    let stage = Stage::new();
    let polite = "exec 9>pipe; trap 'echo bye; exit 7' TERM; echo ready >&9; sleep 1000 & wait";
    let deaf = format!("exec 9>pipe; trap '' TERM; echo ready >&9; {STUBBORN}");
    let check = |script: &str, grace: u64, stop_it: fn(&Stop), said: &str| {
        let _ = std::fs::remove_file(stage.scratch().join("pipe"));
        let mut pipe = stage.pipe();
        let mut launched = stage.sh(script);
        launched.limits.grace = Duration::from_millis(grace);
        let stop = Stop::new();
        let ended = std::thread::scope(|scope| {
            let running = scope.spawn(|| launch(&launched, &stop));
            assert_eq!(pipe.line(), "ready");
            assert!(!stop.is_stopped());
            stop_it(&stop);
            running.join().unwrap().unwrap()
        });
        stage.assert_nothing_left();
        assert_eq!((ended.how, text(&ended.output)), (How::Stopped, said.into()));
    };
    check(polite, 60_000, Stop::stop, "bye\n");
    check(&deaf, 50, Stop::stop, "");
    check(&deaf, 600_000, Stop::end_now, "");
    let twice = |stop: &Stop| {
        stop.stop();
        stop.clone().end_now();
    };
    check(&deaf, 600_000, twice, "");
}

#[test]
fn what_is_stopped_before_it_begins_does_not_begin() {
    let stage = Stage::new();
    let stop = Stop::new();
    stop.stop();
    assert!(stop.clone().is_stopped());
    let ended = launch(&stage.sh("echo begun > begun"), &stop).unwrap();
    assert_eq!(ended.how, How::Stopped);
    assert!(!stage.scratch().join("begun").exists());
}

/// QL-32: a flood of output ends the program; what fitted is kept. Exactly as much as allowed is no flood.
#[test]
fn floods_of_output() {
    let stage = Stage::new();
    let mut launched = stage.sh("yes & yes");
    launched.limits.output_bytes = 100_000;
    let ended = stage.ended(&launched);
    assert_eq!((ended.how, ended.output), (How::Flooded, b"y\n".repeat(50_000)));
    let mut launched = stage.sh("head -c 300000 /dev/zero; exit 5");
    launched.limits.output_bytes = 300_000;
    let ended = stage.ended(&launched);
    assert_eq!((ended.how, ended.output.len()), (How::Exit(5), 300_000));
    launched.limits.output_bytes = 299_999;
    assert_eq!(stage.ended(&launched).how, How::Flooded);
    launched.limits.output_bytes = 0;
    assert_eq!(stage.ended(&launched).how, How::Flooded);
}

/// QL-32: a flood of the log is read and dropped, and says so; the program goes on.
#[test]
fn floods_of_the_log() {
    let stage = Stage::new();
    let mut launched = stage.sh("yes | head -c 20000000 >&2; echo done");
    launched.limits.log_bytes = 1000;
    let ended = stage.ended(&launched);
    assert_exit(&ended, 0);
    assert_eq!((ended.log, ended.log_cut, text(&ended.output)), (b"y\n".repeat(500), true, "done\n".into()));
}

/// QL-32: input that is not read, or not to its end, holds nobody up.
#[test]
fn input_that_is_not_read() {
    let stage = Stage::new();
    for (script, output) in [
        ("exit 0", ""),
        ("exec <&-; sleep 0.1; echo done", "done\n"),
        ("head -c 3", "xxx"),
        ("sleep 1000 & echo done", "done\n"),
        ("wc -c", "10000000\n"),
    ] {
        let mut launched = stage.sh(script);
        launched.input = vec![b'x'; 10_000_000];
        let ended = stage.ended(&launched);
        assert_exit(&ended, 0);
        assert_eq!(text(&ended.output), output, "{script}");
    }
    assert_eq!(text(&stage.ended(&stage.sh("cat; echo end")).output), "end\n", "no input is an end of file");
}

/// QL-31: if the engine is killed, everything that it started ends, at once and without its help.
#[test]
fn the_tree_does_not_outlive_the_engine() {
    let stage = Stage::new();
    let mut pipe = stage.pipe();
    let script = format!("exec 9>pipe; trap '' TERM HUP; setsid sleep 1000 & echo ready >&9; {STUBBORN}");
    let mut engine = Command::new(env!("CARGO_BIN_EXE_confined"))
        .arg(stage.scratch())
        .args(["sh", "-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(pipe.line(), "ready");
    engine.kill().unwrap();
    engine.wait().unwrap();
    let killed = Instant::now();
    pipe.closed();
    // Far more than it takes; far less than anything else in the script.
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
}

/// A signal to the launcher, as when the machine shuts down, ends the program politely.
#[test]
fn the_launcher_passes_on_a_request_to_end() {
    let stage = Stage::new();
    let mut pipe = stage.pipe();
    let launched = stage.sh("exec 9>pipe; trap 'echo bye; exit 7' TERM; echo ready >&9; sleep 1000 & wait");
    let ended = std::thread::scope(|scope| {
        let running = scope.spawn(|| stage.ended(&launched));
        assert_eq!(pipe.line(), "ready");
        let launcher = stage.launcher();
        assert!(Command::new("kill").args(["-TERM", &launcher]).status().unwrap().success());
        running.join().unwrap()
    });
    assert_eq!((ended.how, text(&ended.output)), (How::Stopped, "bye\n".into()));
}

/// QL-31: a launcher that is killed takes the program with it, and its silence is a fault.
#[test]
fn the_program_does_not_outlive_the_launcher() {
    let stage = Stage::new();
    let mut pipe = stage.pipe();
    // Its descendants are told by the namespace alone.
    let more = if has_namespaces() { "setsid sleep 1000 & setsid setsid sleep 1000 &" } else { "" };
    let launched = stage.sh(&format!("exec 9>pipe; trap '' TERM HUP; {more} echo ready >&9; exec sleep 1000"));
    let fault = std::thread::scope(|scope| {
        let running = scope.spawn(|| stage.fault(&launched));
        assert_eq!(pipe.line(), "ready");
        let launcher = stage.launcher();
        assert!(Command::new("kill").args(["-KILL", &launcher]).status().unwrap().success());
        running.join().unwrap()
    });
    pipe.closed();
    assert!(matches!(fault, LaunchFault::LauncherLost { .. }), "{fault}");
}

/// QL-32: what cannot be started says what, why and how to mend it.
#[test]
fn faults_name_the_program_and_the_way_out() {
    let stage = Stage::new();
    let file = |name: &str, text: &str| {
        use std::os::unix::fs::PermissionsExt;
        let path = stage.scratch().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    file("no-interpreter", "#!/no/such/interpreter\n");
    let closed = stage.outside().join("interpreter");
    std::fs::copy("/bin/sh", &closed).unwrap();
    file("closed-interpreter", &format!("#!{}\n", closed.display()));
    for (program, part) in [
        ("no-such-program", "there is no program \"no-such-program\" on PATH: install it"),
        ("./no-such-program", "there is no program \"./no-such-program\""),
        ("../outside", "outside cannot be executed: it is a folder"),
        ("./no-interpreter", "no-interpreter cannot be executed: its interpreter"),
        ("./closed-interpreter", "closed-interpreter cannot be executed: the confinement"),
    ] {
        let fault = stage.fault(&stage.program(program, &[]));
        assert!(fault.to_string().contains(part), "{program}: {fault}");
    }
    let mut launched = stage.sh("exit 0");
    launched.folder = stage.scratch().join("none");
    assert!(matches!(stage.fault(&launched), LaunchFault::CannotSpawn { path, .. } if path == launched.folder));
    let mut launched = stage.sh("exit 0");
    launched.confinement.write.push(stage.scratch().join("none"));
    let fault = stage.fault(&launched);
    assert!(matches!(fault, LaunchFault::CannotConfine { .. }), "{fault}");
    assert!(fault.to_string().contains("none"), "{fault}");
    stage.assert_nothing_left();
}
