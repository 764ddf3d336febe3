//! Checks of a battery, good and bad: what comes back is evidence, however they end (CY-05, QL-31).
#![cfg(test)]

mod stage;

use std::fs;

use stage::{Stage, has_namespaces};
use tools::battery::{Check, Ran, RanEnd, Surroundings, run};
use tools::{Network, Stop};

fn check(name: &str, command: &str) -> Check {
    Check { name: name.into(), command: command.into(), seconds: 60 }
}

fn ran(stage: &Stage, command: &str) -> Ran {
    let mut all = run(&[check("tests", command)], &stage.scratch(), &Surroundings::default(), &Stop::new(), &|_| {});
    stage.assert_nothing_left();
    all.remove(0)
}

#[test]
fn codes_and_the_end_of_the_output_are_kept() {
    let stage = Stage::new();
    let good = ran(&stage, "echo one; echo two >&2; echo three");
    assert_eq!((good.end, good.tail.as_str()), (RanEnd::Exit(0), "one\ntwo\nthree"));
    let bad = ran(&stage, "echo expected 3, found 4; exit 3");
    assert_eq!((bad.end, bad.tail.as_str()), (RanEnd::Exit(3), "expected 3, found 4"));
    assert_eq!(ran(&stage, "kill -9 $$").end, RanEnd::Exit(137));
    assert_eq!(ran(&stage, "printf 'a\\033[2Jb\\377'").tail, "a\u{fffd}[2Jb\u{fffd}");
}

#[test]
fn what_did_not_run_says_why() {
    let stage = Stage::new();
    let is_not_run = |command: &str, part: &str| {
        let ran = ran(&stage, command);
        assert!(matches!(&ran.end, RanEnd::NotRun(why) if why.contains(part)), "{command}: {ran:?}");
    };
    is_not_run("no-such-program --check", "is not there");
    is_not_run("./file", "is not there");
    fs::write(stage.scratch().join("file"), "").unwrap();
    is_not_run("./file", "cannot be started");
    is_not_run("  ", "its command is empty");
    let stop = Stop::new();
    stop.stop();
    let all =
        run(&[check("a", "true"), check("b", "true")], &stage.scratch(), &Surroundings::default(), &stop, &|_| {});
    assert!(all.iter().all(|ran| matches!(ran.end, RanEnd::NotRun(_))), "{all:?}");
}

#[test]
fn a_check_that_hangs_is_ended_with_all_that_it_started() {
    let stage = Stage::new();
    let hangs = Check { seconds: 1, ..check("tests", "echo begun; sleep 1000 & sleep 1000") };
    let all =
        run(&[hangs, check("linter", "echo fine")], &stage.scratch(), &Surroundings::default(), &Stop::new(), &|_| {});
    stage.assert_nothing_left();
    assert_eq!((&all[0].end, all[0].tail.as_str()), (&RanEnd::TimedOut, "begun"));
    assert_eq!((&all[1].end, all[1].tail.as_str()), (&RanEnd::Exit(0), "fine"), "the others run all the same");
}

/// A gigabyte is read and dropped but for its end; one line of it is as good as many.
#[test]
fn a_check_may_print_a_gigabyte() {
    let stage = Stage::new();
    let many = ran(&stage, "yes | head -c 1000000000; echo; echo last; exit 1");
    assert_eq!(many.end, RanEnd::Exit(1));
    assert!(
        many.tail.len() < 20_000 && many.tail.starts_with('…') && many.tail.ends_with("last"),
        "{}",
        many.tail.len()
    );
    let one = ran(&stage, "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last");
    assert!(one.end == RanEnd::Exit(0) && one.tail.len() < 20_000 && one.tail.ends_with("last"));
}

#[test]
fn a_check_writes_its_folder_alone_and_has_no_network() {
    let stage = Stage::new();
    let outside = stage.outside().join("file");
    let writes = ran(&stage, &format!("echo made > made; echo x > '{}'", outside.display()));
    assert!(matches!(writes.end, RanEnd::Exit(code) if code != 0), "{writes:?}");
    assert!(stage.scratch().join("made").exists());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "untouched");
    if has_namespaces() {
        let script = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", 9), 2)'";
        let reaches = ran(&stage, script);
        assert!(matches!(reaches.end, RanEnd::Exit(1)), "{reaches:?}");
    }
    assert_eq!(Surroundings::default().network, Network::Closed);
}
