//! Tests of the simulated machine as a whole: QL-20 rests on what is shown here.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use store::{Fault, FaultKind, Fs, Mode, ProcessState, ProjectPath};

use crate::{
    Injection, LossMode, Machine, Moment, Operation, Outcome, Person, Program, Random, SimFs, Special, Stop, Victim,
};

fn path(text: &str) -> ProjectPath {
    ProjectPath::any(text).unwrap()
}

/// A file whose name and content are durable.
fn durable(fs: &SimFs, name: &str, bytes: &[u8]) {
    let file = fs.open(&path(name), Mode::Create).unwrap();
    fs.write_at(&file, 0, bytes).unwrap();
    fs.sync(&file).unwrap();
    fs.sync_folder(path(name).parent().as_ref()).unwrap();
}

fn text(machine: &Machine, name: &str) -> Option<String> {
    machine.files().get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// All different contents of a file after power losses with 200 seeds; "-" where it is gone.
fn outcomes(machine: &Machine, mode: LossMode, name: &str) -> BTreeSet<String> {
    let after = |seed| {
        let fork = machine.fork(seed);
        fork.power_loss(mode);
        text(&fork, name).unwrap_or_else(|| "-".into())
    };
    (0..200).map(after).collect()
}

fn set<const N: usize>(texts: [&str; N]) -> BTreeSet<String> {
    texts.map(String::from).into()
}

#[test]
fn what_was_synced_survives_and_the_rest_as_the_mode_says() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    durable(&fs, "a", b"old");
    let file = fs.open(&path("a"), Mode::Write).unwrap();
    fs.write_at(&file, 0, b"new").unwrap();
    for (mode, expected) in [
        (LossMode::Strict, set(["old"])),
        (LossMode::Kind, set(["new"])),
        (LossMode::Mixed, set(["old", "new"])),
        (LossMode::Torn, set(["old", "new"])),
    ] {
        assert_eq!(outcomes(&machine, mode, "a"), expected, "{mode:?}");
    }
}

#[test]
fn a_synced_file_without_a_synced_name_may_vanish() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    let file = fs.open(&path("a"), Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, b"text").unwrap();
    fs.sync(&file).unwrap();
    assert_eq!(outcomes(&machine, LossMode::Mixed, "a"), set(["-", "text"]));
    fs.sync_folder(None).unwrap();
    assert_eq!(outcomes(&machine, LossMode::Strict, "a"), set(["text"]));
}

#[test]
fn a_rename_without_a_sync_may_show_zeros() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    durable(&fs, "a", b"old");
    let file = fs.open(&path("b"), Mode::CreateNew).unwrap();
    fs.write_at(&file, 0, b"new").unwrap();
    fs.rename(&path("b"), &path("a")).unwrap();
    assert_eq!(outcomes(&machine, LossMode::Torn, "a"), set(["new", "\0\0\0"]));
    assert_eq!(outcomes(&machine, LossMode::Mixed, "a"), set(["old", "new", "\0\0\0", ""]));
}

#[test]
fn a_power_loss_is_a_new_boot_and_a_kill_is_not() {
    let machine = Machine::new(1);
    let boot = machine.fs().boot_id();
    machine.kill_all();
    assert_eq!(machine.fs().boot_id(), boot);
    machine.power_loss(LossMode::Strict);
    assert_ne!(machine.fs().boot_id(), boot);
    let fork = machine.fork(2);
    assert_eq!(fork.fs().boot_id(), machine.fs().boot_id());
}

#[test]
fn a_kill_loses_no_byte_and_releases_the_lock() {
    let machine = Machine::new(1);
    machine.stop_at(Moment::Call(4), Stop::Before, Victim::Caller);
    let outcome = machine.run_one(|fs| {
        let file = fs.open(&path("lock"), Mode::Create).unwrap();
        assert!(fs.try_lock(&file).unwrap());
        fs.write_at(&file, 0, b"written").unwrap();
        // Never dropped: the process dies with the file open.
        std::mem::forget(file);
        fs.list(&path("x")).unwrap();
        unreachable!();
    });
    assert_eq!(outcome, Outcome::<()>::Killed);
    assert_eq!(text(&machine, "lock"), Some("written".into()));
    let fs = machine.fs();
    assert!(fs.try_lock(&fs.open(&path("lock"), Mode::Write).unwrap()).unwrap());
}

#[test]
fn a_killed_process_has_no_lock_even_before_it_notices() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    let file = fs.open(&path("lock"), Mode::Create).unwrap();
    assert!(fs.try_lock(&file).unwrap());
    machine.kill_all();
    let other = machine.fs();
    assert!(other.try_lock(&other.open(&path("lock"), Mode::Write).unwrap()).unwrap());
    assert_eq!(other.has_writer(&path("lock")), Ok(Some(false)));
}

#[test]
fn who_waits_for_a_lock_lets_its_holder_go_on() {
    let machine = Machine::new(1);
    machine.switch_one_in(usize::MAX);
    machine.limit_calls(5000);
    let program = |fs: SimFs| {
        let file = fs.open(&path("lock"), Mode::Create).unwrap();
        while !fs.try_lock(&file).unwrap() {}
        fs.pause(Duration::from_millis(1));
    };
    let outcomes = machine.run(vec![Box::new(program), Box::new(program), Box::new(program)]);
    assert_eq!(outcomes, vec![Outcome::Finished(()); 3]);
}

#[test]
fn a_call_stops_before_after_or_in_the_middle() {
    let long = "x".repeat(100);
    let mut lengths = BTreeSet::new();
    for (stop, seeds) in [(Stop::Before, 1), (Stop::After, 1), (Stop::Torn, 50)] {
        for seed in 0..seeds {
            let machine = Machine::new(seed);
            machine.stop_at(Moment::Change(2), stop, Victim::Machine);
            let outcome = machine.run_one(|fs| {
                let file = fs.open(&path("a"), Mode::Create).unwrap();
                fs.stamp(&file).unwrap();
                fs.write_at(&file, 0, long.as_bytes()).unwrap();
            });
            assert_eq!(outcome, Outcome::Killed);
            let length = text(&machine, "a").unwrap().len();
            match stop {
                Stop::Before => assert_eq!(length, 0),
                Stop::After => assert_eq!(length, 100),
                Stop::Torn => _ = lengths.insert(length),
            }
        }
    }
    assert!(lengths.len() > 20, "{lengths:?}");
}

#[test]
fn folders_may_be_made_in_part() {
    let mut made = BTreeSet::new();
    for seed in 0..30 {
        let machine = Machine::new(seed);
        machine.stop_at(Moment::Change(1), Stop::Torn, Victim::Caller);
        assert_eq!(machine.run_one(|fs| fs.make_folder(&path("a/b/c"))), Outcome::Killed);
        let fs = machine.fs();
        made.insert(["a", "a/b", "a/b/c"].iter().filter(|folder| fs.list(&path(folder)).unwrap().is_some()).count());
    }
    assert_eq!(made, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn an_ending_process_no_longer_reaches_the_world() {
    struct Cleanup(SimFs);
    impl Drop for Cleanup {
        fn drop(&mut self) {
            assert!(self.0.remove(&path("a")).is_err());
            self.0.pause(Duration::from_secs(1));
            self.0.now();
        }
    }
    let machine = Machine::new(1);
    machine.stop_at(Moment::Call(2), Stop::Before, Victim::Caller);
    let outcome = machine.run_one(|fs| {
        let _cleanup = Cleanup(fs.clone());
        fs.open(&path("a"), Mode::Create).unwrap();
        let _ = fs.look(&path("a"));
    });
    assert_eq!(outcome, Outcome::Killed);
    assert!(text(&machine, "a").is_some());
}

#[test]
fn an_assertion_of_a_program_is_no_kill() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = Machine::new(77).run_one(|fs| assert_eq!(fs.process(), 0, "told apart"));
    std::panic::set_hook(quiet);
    let Outcome::Panicked(message) = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("told apart") && message.contains("seed 77"), "{message}");
}

/// Three processes that each take a lock, read a number, and write the next.
fn counting(machine: &Machine, rounds: usize) -> Vec<Outcome<()>> {
    let program = |_| {
        let count = move |fs: SimFs| {
            let file = fs.open(&path("number"), Mode::Create).unwrap();
            for _ in 0..rounds {
                while !fs.try_lock(&file).unwrap() {
                    fs.pause(Duration::from_millis(1));
                }
                let mut number = [0];
                fs.read_at(&file, 0, &mut number).unwrap();
                fs.write_at(&file, 0, &[number[0] + 1]).unwrap();
                fs.unlock(&file).unwrap();
            }
        };
        Box::new(count) as Program<'_, ()>
    };
    machine.run((0..3).map(program).collect())
}

#[test]
fn processes_interleave_and_locks_exclude() {
    let mut histories = BTreeSet::new();
    for seed in 0..20 {
        let machine = Machine::new(seed);
        assert_eq!(counting(&machine, 20), vec![Outcome::Finished(()); 3]);
        assert_eq!(machine.files()["number"], [60]);
        histories.insert(machine.fingerprint());
        let trace = machine.trace();
        let switches = trace.lines().zip(trace.lines().skip(1)).filter(|(one, next)| one[..24] != next[..24]).count();
        assert!(switches > 10, "{trace}");
    }
    assert_eq!(histories.len(), 20, "each seed has its own history");
}

#[test]
fn one_seed_has_one_history() {
    let history = |seed: u64| {
        let machine = Machine::new(seed);
        machine.stop_at(Moment::Call(50), Stop::Torn, Victim::Process(1));
        machine.inject(Injection::new(FaultKind::Device).on(Operation::Read).after(30).times(1));
        let quiet: Vec<Outcome<()>> = machine.run(
            (0..3)
                .map(|number: u8| {
                    let program = move |fs: SimFs| {
                        for round in 0..20 {
                            let file = fs.open(&path(&format!("{}", round % 3)), Mode::Create).unwrap();
                            fs.write_at(&file, u64::from(number), &[number; 700]).unwrap();
                            let _ = fs.read_at(&file, 0, &mut [0; 10]);
                            fs.pause(Duration::from_micros(50));
                        }
                    };
                    Box::new(program) as Program<'_, ()>
                })
                .collect(),
        );
        machine.power_loss(LossMode::Mixed);
        (quiet, machine.operations(), machine.changes(), machine.fingerprint(), machine.trace(), machine.files())
    };
    for seed in 0..10 {
        assert_eq!(history(seed), history(seed));
    }
    assert_ne!(history(1).3, history(2).3);
}

#[test]
fn one_process_dies_and_the_others_go_on() {
    let reached = AtomicUsize::new(0);
    for call in 1..60 {
        let machine = Machine::new(call);
        machine.stop_at(Moment::Call(call), Stop::Before, Victim::Process(2));
        let outcomes = counting(&machine, 5);
        assert_eq!(outcomes[..2], [Outcome::Finished(()), Outcome::Finished(())]);
        if outcomes[2] == Outcome::Killed {
            reached.fetch_add(1, Ordering::Relaxed);
        }
    }
    assert!(reached.into_inner() > 20);
}

/// QL-22: the holder of a lock can be found stopped.
#[test]
fn a_suspended_process_keeps_its_lock_until_it_goes_on() {
    for seed in 0..20 {
        let machine = Machine::new(seed);
        let holder = |fs: SimFs| {
            let file = fs.open(&path("lock"), Mode::Create).unwrap();
            while !fs.try_lock(&file).unwrap() {}
            machine.suspend(0);
            fs.write_at(&file, 0, &fs.process().to_le_bytes()).unwrap();
            fs.now().steady
        };
        let waiter = |fs: SimFs| {
            fs.pause(Duration::from_secs(1));
            let file = fs.open(&path("lock"), Mode::Create).unwrap();
            assert!(!fs.try_lock(&file).unwrap());
            fs.pause(Duration::from_secs(30));
            assert_eq!(fs.process_state(fs.process() - 1), ProcessState::Stopped);
            assert!(!fs.try_lock(&file).unwrap());
            fs.now().steady
        };
        let ends: Vec<_> =
            machine.run(vec![Box::new(holder), Box::new(waiter)]).into_iter().map(Outcome::returned).collect();
        assert!(ends[0] > ends[1], "{ends:?}");
    }
}

#[test]
fn the_whole_machine_dies_at_once() {
    let machine = Machine::new(3);
    machine.stop_at(Moment::Call(25), Stop::After, Victim::Machine);
    assert_eq!(counting(&machine, 100), vec![Outcome::Killed; 3]);
    assert_eq!(machine.operations(), 25);
}

#[test]
fn when_all_sleep_time_jumps() {
    let machine = Machine::new(1);
    let sleeper = |seconds| {
        let sleep = move |fs: SimFs| {
            fs.pause(Duration::from_secs(seconds));
            fs.now().steady
        };
        Box::new(sleep) as Program<'_, Duration>
    };
    let before = machine.fs().now().steady;
    let ends: Vec<Duration> =
        machine.run([3600, 5, 60].map(sleeper).into()).into_iter().filter_map(Outcome::returned).collect();
    for (end, seconds) in ends.iter().zip([3600, 5, 60]) {
        let slept = *end - before;
        assert!((seconds..=seconds + 1).contains(&slept.as_secs()), "{slept:?}");
    }
}

#[test]
fn what_never_ends_is_named() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let machine = Machine::new(5);
    machine.limit_calls(1000);
    let wait = |fs: SimFs| {
        while fs.look(&path("never")).unwrap().is_none() {
            fs.pause(Duration::from_millis(1));
        }
    };
    let outcomes = machine.run(vec![Box::new(wait), Box::new(wait)]);
    std::panic::set_hook(quiet);
    for outcome in outcomes {
        let Outcome::Panicked(message) = outcome else { panic!("{outcome:?}") };
        assert!(message.contains("no end after 1000 calls") && message.contains("seed 5"), "{message}");
    }
}

#[test]
fn faults_strike_where_they_are_planned() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    fs.make_folder(&path("a")).unwrap();
    let kinds = [
        FaultKind::DiskFull,
        FaultKind::Device,
        FaultKind::Denied,
        FaultKind::NoHandles,
        FaultKind::ReadOnly,
        FaultKind::Unsupported,
    ];
    for kind in kinds {
        machine.inject(Injection::new(kind).on(Operation::Create).below("a/").after(1).times(2));
        let tries: Vec<Result<(), Fault>> =
            ["a/1", "b", "a/2", "a/3", "a/4"].map(|name| fs.open(&path(name), Mode::Create).map(drop)).into();
        let found: Vec<_> = tries.iter().map(|result| result.as_ref().err().map(|fault| fault.kind)).collect();
        assert_eq!(found, [None, None, Some(kind), Some(kind), None]);
        assert_eq!(tries[2].as_ref().unwrap_err().path, "a/2");
        machine.mend();
    }
    machine.inject(Injection::new(FaultKind::Device).at(Moment::Change(machine.changes() + 1)));
    fs.look(&path("b")).unwrap();
    assert!(fs.remove(&path("b")).is_err());
    assert!(fs.remove(&path("b")).is_ok());
}

#[test]
fn a_failed_sync_is_told_once_to_each_open_handle_and_writes_no_more() {
    let mut lost = 0;
    for seed in 0..20 {
        let machine = Machine::new(seed);
        let fs = machine.fs();
        durable(&fs, "a", b"old");
        let one = fs.open(&path("a"), Mode::Write).unwrap();
        let two = fs.open(&path("a"), Mode::Read).unwrap();
        fs.write_at(&one, 0, b"new").unwrap();
        machine.inject(Injection::new(FaultKind::Device).on(Operation::Sync).times(1));
        assert_eq!(fs.sync(&one).unwrap_err().kind, FaultKind::Device);
        let later = fs.open(&path("a"), Mode::Write).unwrap();
        fs.sync(&one).unwrap();
        fs.sync(&later).unwrap();
        assert_eq!(fs.sync(&two).unwrap_err().kind, FaultKind::Device);
        fs.sync(&two).unwrap();
        assert_eq!(text(&machine, "a"), Some("new".into()), "the cache still has it");
        lost += usize::from(outcomes(&machine, LossMode::Kind, "a") == set(["old"]));
        fs.write_at(&one, 0, b"new").unwrap();
        fs.sync(&one).unwrap();
        assert_eq!(outcomes(&machine, LossMode::Strict, "a"), set(["new"]));
    }
    assert!((1..20).contains(&lost), "{lost}");
}

#[test]
fn a_full_disk_takes_what_fits() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    machine.set_capacity(Some(1000));
    let file = fs.open(&path("a"), Mode::Create).unwrap();
    assert_eq!(fs.write_at(&file, 0, &[1; 1200]).unwrap_err().kind, FaultKind::DiskFull);
    assert!(fs.stamp(&file).unwrap().size <= 1000);
    fs.write_at(&file, 0, &[2; 1000]).unwrap();
    assert_eq!(fs.truncate(&file, 1001).unwrap_err().kind, FaultKind::DiskFull);
    fs.remove(&path("a")).unwrap();
    let other = fs.open(&path("b"), Mode::Create).unwrap();
    assert!(fs.write_at(&other, 0, b"x").is_err(), "a removed file that is open still takes space");
    drop(file);
    fs.write_at(&other, 0, b"x").unwrap();
    machine.set_capacity(None);
    fs.write_at(&other, 0, &[3; 5000]).unwrap();
}

#[test]
fn inode_numbers_and_file_times_come_twice() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    let make = || {
        let file = fs.open(&path("a"), Mode::CreateNew).unwrap();
        fs.write_at(&file, 0, b"x").unwrap();
        fs.stamp(&file).unwrap()
    };
    let first = make();
    fs.remove(&path("a")).unwrap();
    assert_eq!(make(), first, "another file, the same stamp");
}

#[test]
fn people_edit_as_editors_do() {
    let machine = Machine::new(1);
    let person = machine.person();
    let document = path("db/a.md");
    assert_eq!(person.read(&document), Ok(None));
    person.save_by_rename(&document, b"one").unwrap();
    assert_eq!(person.read(&document), Ok(Some(b"one".to_vec())));
    person.save_in_place(&document, b"0123456789", 4).unwrap();
    person.overwrite(&document, 2, b"xx").unwrap();
    assert_eq!(text(&machine, "db/a.md"), Some("01xx456789".into()));

    let edit = person.edit(&document).unwrap();
    edit.truncate(0).unwrap();
    assert_eq!(text(&machine, "db/a.md"), Some(String::new()), "half a save");
    assert_eq!(machine.fs().has_writer(&document), Ok(Some(true)));
    edit.write(0, b"done").unwrap();
    drop(edit);
    assert_eq!(machine.fs().has_writer(&document), Ok(Some(false)));
    machine.hide_writers();
    assert_eq!(machine.fs().has_writer(&document), Ok(None));

    person.remove(&document).unwrap();
    for special in [Special::SymbolicLink, Special::Pipe, Special::Socket, Special::Device] {
        let odd = path(&format!("db/{special:?}"));
        person.make_special(&odd, special).unwrap();
        assert_eq!(machine.fs().look(&odd).unwrap_err().kind, FaultKind::NotAFile);
    }
    assert_eq!(machine.files().len(), 0);
    let calls = machine.operations();
    person.save_by_rename(&document, b"one").unwrap();
    assert_eq!(machine.operations(), calls, "what people do is not counted");
}

#[test]
fn a_scheduled_editor_saves_while_programs_run() {
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let machine = Machine::new(seed);
        let document = path("a.md");
        machine.person().save_by_rename(&document, b"before").unwrap();
        let reader = |fs: SimFs| {
            let person_free = Random::new(seed).below(10);
            for _ in 0..person_free {
                let _ = fs.look(&path("a.md"));
            }
            fs.look(&path("a.md")).unwrap().map(|stamp| stamp.size)
        };
        let editor = |fs: SimFs| {
            Person::new(fs).save_in_place(&path("a.md"), b"after-after", 4).unwrap();
            None
        };
        let outcomes = machine.run(vec![Box::new(reader), Box::new(editor)]);
        seen.insert(outcomes.into_iter().next().and_then(Outcome::returned).flatten());
    }
    assert!(seen.len() >= 4, "before, in the middle and after: {seen:?}");
}

#[test]
fn clocks_can_be_moved() {
    let machine = Machine::new(1);
    let fs = machine.fs();
    let before = fs.now();
    machine.set_clock_back(Duration::from_secs(100));
    machine.pass(Duration::from_secs(1));
    let after = fs.now();
    assert!(after.wall < before.wall && after.steady > before.steady);
}
