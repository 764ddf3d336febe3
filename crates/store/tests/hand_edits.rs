//! QL-23: documents edited by hand in the ways that editors, shells and git edit them, on a store that is open. Taken
//! over or refused with a way back; never overwritten in silence, never a crash, never a hang.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests only")]

mod desk;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use desk::{Desk, ROWS, open, path, records, settle};
use rustix::fs::{CWD, FileType, Mode as Bits, mknodat};
use store::{Commit, CommitError, Due, FaultKind, Fs, Kind, Notice, What, document_at};
use text::{Change, Text};

/// A way to save a file.
type Save = fn(&Path, &[u8]);

fn by_rename(file: &Path, content: &[u8]) {
    let beside = file.with_extension("swp");
    fs::write(&beside, content).unwrap();
    fs::rename(&beside, file).unwrap();
}

fn in_place(file: &Path, content: &[u8]) {
    fs::write(file, content).unwrap();
}

/// vim with `backupcopy=no`: the old file becomes the backup, a new one is written.
fn with_backup(file: &Path, content: &[u8]) {
    let backup = file.with_extension("md~");
    fs::rename(file, &backup).unwrap();
    fs::write(file, content).unwrap();
    fs::remove_file(&backup).unwrap();
}

const SAVES: [(&str, Save); 3] = [("by rename", by_rename), ("in place", in_place), ("with a backup", with_backup)];

/// Whatever a person saves becomes a record, is left as it is, and can be taken back and forth.
#[test]
fn an_edit_is_taken_over_as_it_is() {
    let large = format!("{ROWS}{}", "| T | PENDING | some more text in a row |\n".repeat(120_000));
    let contents: [(&str, Vec<u8>); 9] = [
        ("a cell", ROWS.replace("T2 | PENDING", "T2 | DONE").into()),
        ("CRLF", ROWS.replace('\n', "\r\n").into()),
        ("no final newline", ROWS.trim_end().into()),
        ("a BOM", format!("\u{feff}{ROWS}").into()),
        ("invalid UTF-8", [ROWS.as_bytes(), b"| \xff\xfe\x80 |\n"].concat()),
        ("NUL", [ROWS.as_bytes(), &[0; 2000]].concat()),
        ("empty", Vec::new()),
        ("something else", b"# Notes\n\nnothing of the table is left\n".to_vec()),
        ("5 MB", large.into()),
    ];
    for (name, content) in &contents {
        for (how, save) in SAVES {
            println!("{name}, saved {how}");
            check_edit(save, content);
        }
    }
}

fn check_edit(save: Save, content: &[u8]) {
    let mut desk = Desk::with("db/a.md", ROWS);
    save(&desk.at("db/a.md"), content);
    let edit = desk.edited(&["db/a.md"]);
    desk.is("db/a.md", Some(content));
    let then = document_at(desk.store.fs(), &path("db/a.md"), edit).unwrap();
    assert_eq!(then.map(|text| text.to_vec()).as_deref(), Some(content));
    let undo = desk.store.undo(edit).unwrap();
    desk.is("db/a.md", Some(ROWS.as_bytes()));
    desk.store.undo(undo).unwrap();
    desk.is("db/a.md", Some(content));
    desk.store.restore(&path("db/a.md"), 1).unwrap();
    desk.is("db/a.md", Some(ROWS.as_bytes()));
    let kinds: Vec<Kind> = records(desk.store.fs()).iter().map(|record| record.kind).collect();
    assert_eq!(kinds, [Kind::Commit, Kind::Edit, Kind::Undo, Kind::Undo, Kind::Restore]);
    desk.prove();
}

/// A shell that appends has no idea of saving.
#[test]
fn lines_appended_by_a_shell_are_taken_over() {
    let mut desk = Desk::with("a.md", ROWS);
    let line = format!("echo '| T3 | NEW | |' >> {}", desk.at("a.md").display());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
    desk.edited(&["a.md"]);
    desk.is("a.md", Some(format!("{ROWS}| T3 | NEW | |\n").as_bytes()));
    desk.prove();
}

/// What the engine committed while an editor had the file open stays; so does what the person did.
#[test]
fn a_stale_buffer_reverts_nothing() {
    let done = |row: &str, text: &str| text.replace(&format!("{row} | PENDING"), &format!("{row} | DONE"));
    let more = |text: &str| format!("{text}| T3 | PENDING | |\n");
    let noted = |row: &str, text: &str| text.replace(&format!("| {row} |"), &format!("| {row}, mine |"));
    let cases = [
        // the engine's version, the person's version of ROWS, both together
        (done("T1", ROWS), noted("T2", ROWS), noted("T2", &done("T1", ROWS))),
        (more(ROWS), noted("T2", ROWS), noted("T2", &more(ROWS))),
        (more(&done("T1", ROWS)), format!("mine\n{ROWS}"), format!("mine\n{}", more(&done("T1", ROWS)))),
        (
            done("T1", ROWS),
            ROWS.replace("| T2 | PENDING | |\n", ""),
            done("T1", ROWS).replace("| T2 | PENDING | |\n", ""),
        ),
    ];
    for (engine, person, both) in cases {
        for (how, save) in SAVES {
            for placed in [true, false] {
                println!("saved {how}, placed before: {placed}\n{person}");
                let mut desk = Desk::with("a.md", ROWS);
                desk.write("a.md", &engine).unwrap();
                if placed {
                    desk.place();
                }
                save(&desk.at("a.md"), person.as_bytes());
                desk.edited(&["a.md"]);
                desk.is("a.md", Some(both.as_bytes()));
                desk.prove();
            }
        }
    }
}

/// Somebody who saves an old buffer without having changed anything in it is told, and reverts nothing.
#[test]
fn an_old_version_that_is_saved_again_is_rolled_forward_and_told() {
    let mut desk = Desk::with("a.md", ROWS);
    let newer = ROWS.replace("T1 | PENDING", "T1 | DONE");
    desk.write("a.md", &newer).unwrap();
    desk.place();
    in_place(&desk.at("a.md"), ROWS.as_bytes());
    assert_eq!(settle(&mut desk.store), None);
    assert_eq!(*desk.heard.lock().unwrap(), [Notice::Stale { path: path("a.md"), version: 1 }]);
    desk.is("a.md", Some(newer.as_bytes()));
    desk.prove();
}

/// A person who takes their own edit back in the editor, and saves, means it.
#[test]
fn a_person_may_take_their_own_edit_back() {
    let mut desk = Desk::with("a.md", ROWS);
    let mine = ROWS.replace("| T2 |", "| T2, mine |");
    in_place(&desk.at("a.md"), mine.as_bytes());
    desk.edited(&["a.md"]);
    in_place(&desk.at("a.md"), ROWS.as_bytes());
    desk.edited(&["a.md"]);
    desk.is("a.md", Some(ROWS.as_bytes()));
    desk.prove();
}

/// Half a save is not an edit: as long as the file is open for writing, it is waited for, whatever is committed.
#[test]
fn half_a_save_is_waited_for() {
    let mut desk = Desk::with("a.md", ROWS);
    desk.create("b.md", ROWS).unwrap();
    desk.place();
    let mine = ROWS.replace("| T2 |", "| T2, mine |");
    let (one, other) = mine.as_bytes().split_at(70);
    let mut file = File::create(desk.at("a.md")).unwrap();
    file.write_all(one).unwrap();
    for round in 0..20 {
        let look = desk.store.look().unwrap();
        assert_eq!((look.record, look.unsettled), (None, 1), "round {round}");
        desk.store.fs().pause(Duration::from_millis(10));
    }
    desk.write("a.md", &format!("{ROWS}| T3 | PENDING | |\n")).unwrap();
    desk.write("b.md", "b").unwrap();
    desk.store.place(Due::All).unwrap();
    assert_eq!(desk.on_disk("a.md").as_deref(), Some(one), "a file that somebody writes was replaced");
    assert_eq!(desk.on_disk("b.md").as_deref(), Some(&b"b"[..]), "other documents go on");
    file.write_all(other).unwrap();
    drop(file);
    desk.edited(&["a.md"]);
    desk.is("a.md", Some(format!("{mine}| T3 | PENDING | |\n").as_bytes()));
    desk.prove();
}

/// An editor that opened the file before it was placed anew, and writes afterwards, writes into the old file.
#[test]
fn what_is_written_to_a_file_that_was_replaced_is_found() {
    let mut desk = Desk::with("a.md", ROWS);
    let mut file = OpenOptions::new().append(true).open(desk.at("a.md")).unwrap();
    desk.write("a.md", &ROWS.replace("T1 | PENDING", "T1 | DONE")).unwrap();
    desk.place();
    file.write_all(b"| T3 | MINE | |\n").unwrap();
    drop(file);
    desk.edited(&["a.md"]);
    let expected = format!("{}| T3 | MINE | |\n", ROWS.replace("T1 | PENDING", "T1 | DONE"));
    desk.is("a.md", Some(expected.as_bytes()));
    desk.prove();
}

/// Two people, one in the old file and one in the new, at the same time: two records, each of which can be taken back.
#[test]
fn two_edits_of_one_document_at_once_are_two_records() {
    let mut desk = Desk::with("a.md", ROWS);
    let mut file = OpenOptions::new().append(true).open(desk.at("a.md")).unwrap();
    let engine = ROWS.replace("T1 | PENDING", "T1 | DONE");
    desk.write("a.md", &engine).unwrap();
    desk.place();
    file.write_all(b"| T3 | MINE | |\n").unwrap();
    drop(file);
    in_place(&desk.at("a.md"), engine.replace("| T2 |", "| T2, hers |").as_bytes());
    assert_eq!(settle(&mut desk.store), Some(4));
    let expected = format!("{}| T3 | MINE | |\n", engine.replace("| T2 |", "| T2, hers |"));
    desk.is("a.md", Some(expected.as_bytes()));
    desk.store.undo(3).unwrap();
    desk.is("a.md", Some(engine.replace("| T2 |", "| T2, hers |").as_bytes()));
    desk.store.undo(4).unwrap();
    desk.is("a.md", Some(engine.as_bytes()));
    desk.prove();
}

/// An editor writes its buffer into the file that came out of its place, and later the same buffer with one more row
/// into the one that stands there: each row stands once, also when another process takes over the later one first.
#[test]
fn a_stray_and_a_later_save_of_the_same_buffer_bring_each_row_once() {
    let engine = ROWS.replace("T1 | PENDING", "T1 | DONE");
    let early = "| T3 | MINE | |\n";
    let cases = [
        (format!("{early}| T4 | MINE | |\n"), Looks::Holder),
        (format!("{early}| T4 | MINE | |\n"), Looks::Other),
        (format!("| T0 | MINE | |\n{early}"), Looks::Other),
        ("| T3 | MINE | changed |\n| T4 | MINE | |\n".to_owned(), Looks::Holder),
    ];
    for (late, first) in cases {
        println!("{first:?} looks first, saved:\n{late}");
        let mut desk = Desk::with("a.md", ROWS);
        let mut file = OpenOptions::new().append(true).open(desk.at("a.md")).unwrap();
        desk.write("a.md", &engine).unwrap();
        desk.place();
        file.write_all(early.as_bytes()).unwrap();
        drop(file);
        in_place(&desk.at("a.md"), format!("{ROWS}{late}").as_bytes());
        if first == Looks::Other {
            let (mut other, _) = open(desk.folder.path());
            assert_eq!(settle(&mut other), Some(3));
            other.finish().unwrap();
        }
        settle(&mut desk.store);
        desk.is("a.md", Some(format!("{engine}{late}").as_bytes()));
        let kinds: Vec<Kind> = records(desk.store.fs()).iter().map(|record| record.kind).collect();
        assert_eq!(kinds, [Kind::Commit, Kind::Commit, Kind::Edit, Kind::Edit], "each of the two files is a record");
        desk.prove();
    }
}

/// Which process looks at the files first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// The one whose placing let a file come out.
    Holder,
    Other,
}

/// A buffer that was merged and is saved again as it was is no edit: it takes back nothing that others committed. One
/// that was saved over since, by hand alone, takes back just that.
#[test]
fn a_merged_buffer_that_is_saved_again_reverts_nothing() {
    let engine = ROWS.replace("T1 | PENDING", "T1 | DONE");
    let mine = format!("{ROWS}| T3 | MINE | |\n");
    let both = format!("{engine}| T3 | MINE | |\n");
    for (how, save) in SAVES {
        println!("saved {how}");
        let mut desk = Desk::with("a.md", ROWS);
        desk.write("a.md", &engine).unwrap();
        desk.place();
        save(&desk.at("a.md"), mine.as_bytes());
        desk.edited(&["a.md"]);
        desk.is("a.md", Some(both.as_bytes()));
        desk.heard.lock().unwrap().clear();
        save(&desk.at("a.md"), mine.as_bytes());
        assert_eq!(settle(&mut desk.store), None);
        assert!(matches!(desk.heard.lock().unwrap()[..], [Notice::Stale { .. }]));
        desk.is("a.md", Some(both.as_bytes()));
        save(&desk.at("a.md"), format!("{both}| T4 | MINE | |\n").as_bytes());
        desk.edited(&["a.md"]);
        save(&desk.at("a.md"), mine.as_bytes());
        desk.edited(&["a.md"]);
        desk.is("a.md", Some(both.as_bytes()));
        desk.prove();
    }
}

/// A buffer that was saved twice before anybody looked, and put back to what it was in between, which nobody has seen:
/// what was written last goes, what was written first stands once, and what others committed stays.
#[test]
fn a_buffer_put_back_to_what_nobody_saw_brings_no_row_twice() {
    let engine = ROWS.replace("T1 | PENDING", "T1 | DONE");
    let rows =
        |numbers: std::ops::Range<usize>| numbers.map(|row| format!("| N{row} | MINE | |\n")).collect::<String>();
    for (first, all) in [(1, 2), (2, 3), (1, 4), (1, 10)] {
        for (how, save) in SAVES {
            println!("{first} of {all} rows are put back, saved {how}");
            let mut desk = Desk::with("a.md", ROWS);
            desk.write("a.md", &engine).unwrap();
            desk.place();
            save(&desk.at("a.md"), format!("{ROWS}{}", rows(0..all)).as_bytes());
            desk.edited(&["a.md"]);
            desk.is("a.md", Some(format!("{engine}{}", rows(0..all)).as_bytes()));
            save(&desk.at("a.md"), format!("{ROWS}{}", rows(0..first)).as_bytes());
            desk.edited(&["a.md"]);
            // Where it has less than half of what was written, an old buffer is likelier than many rows taken out.
            let left = if first * 2 >= all { first } else { all };
            desk.is("a.md", Some(format!("{engine}{}", rows(0..left)).as_bytes()));
            desk.prove();
        }
    }
}

/// Who puts back exactly what stood there before people wrote takes back what they wrote: nothing of the engine's is lost
/// by it, so it is no old buffer. (LN-13: settings that are mended by going back.)
#[test]
fn what_was_written_by_hand_can_be_taken_back_by_hand() {
    let (slip, more) = (ROWS.replace("PENDING", "PENDNG"), format!("{ROWS}| N1 | MINE | |\n"));
    for (how, save) in SAVES {
        println!("saved {how}");
        let mut desk = Desk::with("a.md", ROWS);
        for text in [slip.as_str(), ROWS, more.as_str(), ROWS] {
            save(&desk.at("a.md"), text.as_bytes());
            desk.edited(&["a.md"]);
            desk.is("a.md", Some(text.as_bytes()));
        }
        // The same while nobody has the project open: the older file is not one that was left behind.
        for text in [slip.as_str(), ROWS, more.as_str(), ROWS] {
            let Desk { store, folder, .. } = desk;
            store.close().unwrap();
            save(&folder.path().join("a.md"), text.as_bytes());
            let (store, heard) = open(folder.path());
            desk = Desk { store, heard, folder };
            settle(&mut desk.store);
            desk.is("a.md", Some(text.as_bytes()));
        }
        desk.prove();
    }
}

/// Removed by hand is an edit like any other; and so is putting it back, with other content or the same.
#[test]
fn a_document_may_be_removed_and_made_again() {
    for again in ["# another\n", ROWS] {
        let mut desk = Desk::with("db/a.md", ROWS);
        fs::remove_file(desk.at("db/a.md")).unwrap();
        let removal = desk.edited(&["db/a.md"]);
        desk.is("db/a.md", None);
        let undo = desk.store.undo(removal).unwrap();
        desk.is("db/a.md", Some(ROWS.as_bytes()));
        desk.store.undo(undo).unwrap();
        desk.is("db/a.md", None);
        in_place(&desk.at("db/a.md"), again.as_bytes());
        desk.edited(&["db/a.md"]);
        desk.is("db/a.md", Some(again.as_bytes()));
        desk.prove();
    }
}

/// What another process removed was not removed by hand.
#[test]
fn what_another_process_did_is_no_edit() {
    for (deed, what) in [("removed", What::Delete), ("wrote", What::Write("new".into()))] {
        let mut desk = Desk::with("a.md", ROWS);
        let (mut other, _) = open(desk.folder.path());
        other.commit(Commit::new("a test", 1, vec![(path("a.md"), what)])).unwrap();
        other.place(Due::All).unwrap();
        drop(other);
        assert_eq!(settle(&mut desk.store), None, "another process {deed} it");
        assert_eq!(desk.store.head().number, 2);
        desk.prove();
    }
}

/// The folder of a document may vanish with it.
#[test]
fn a_folder_may_be_removed_and_made_again() {
    let mut desk = Desk::with("db/deep/a.md", ROWS);
    desk.create("db/deep/b.md", ROWS).unwrap();
    desk.place();
    fs::remove_dir_all(desk.at("db")).unwrap();
    let removal = desk.edited(&["db/deep/a.md", "db/deep/b.md"]);
    desk.is("db/deep/a.md", None);
    desk.store.undo(removal).unwrap();
    desk.is("db/deep/a.md", Some(ROWS.as_bytes()));
    desk.is("db/deep/b.md", Some(ROWS.as_bytes()));
    desk.prove();
}

/// A checkout changes many files at once: that is one edit, forth and back.
#[test]
fn a_git_checkout_is_one_edit() {
    const FILES: usize = 40;
    let mut desk = Desk::new();
    let names: Vec<String> = (0..FILES).map(|number| format!("docs/{number:02}.md")).collect();
    let sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    for name in &names {
        desk.create(name, &format!("{name}\n{ROWS}")).unwrap();
    }
    desk.place();
    let folder = desk.folder.path().to_owned();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .current_dir(&folder)
            .output()
            .expect("git is installed");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    assert!(!git(&["ls-files"]).contains(".multiverse"), "the engine's own folder ignores itself");
    git(&["checkout", "-qb", "other"]);
    for name in &names {
        in_place(&desk.at(name), format!("{name} elsewhere\n{ROWS}").as_bytes());
    }
    let edit = desk.edited(&sorted);
    git(&["commit", "-qam", "two"]);
    git(&["checkout", "-q", "main"]);
    let back = desk.edited(&sorted);
    assert_eq!(back, edit + 1);
    git(&["checkout", "-q", "other"]);
    desk.edited(&sorted);
    for name in &names {
        desk.is(name, Some(format!("{name} elsewhere\n{ROWS}").as_bytes()));
    }
    desk.store.undo(back + 1).unwrap();
    for name in &names {
        desk.is(name, Some(format!("{name}\n{ROWS}").as_bytes()));
    }
    desk.prove();
}

/// Permissions are the person's: whatever they are when a document is placed, they stay.
#[test]
fn permissions_survive_placing() {
    let mode = |desk: &Desk| fs::metadata(desk.at("a.md")).unwrap().permissions().mode() & 0o7777;
    for bits in [0o600, 0o640, 0o444, 0o755] {
        for (how, reopened, looked) in
            [("after a look", false, true), ("at once", false, false), ("by the next process", true, false)]
        {
            let mut desk = Desk::with("a.md", ROWS);
            fs::set_permissions(desk.at("a.md"), fs::Permissions::from_mode(bits)).unwrap();
            if looked {
                assert_eq!(settle(&mut desk.store), None, "permissions alone are no edit");
            }
            desk.write("a.md", "new").unwrap();
            if reopened {
                let Desk { store, folder, .. } = desk;
                drop(store);
                let (store, heard) = open(folder.path());
                desk = Desk { store, heard, folder };
            }
            desk.is("a.md", Some(b"new"));
            assert_eq!(format!("{:o}", mode(&desk)), format!("{bits:o}"), "placed {how}");
            desk.prove();
        }
    }
}

/// What is put in a document's place and is no file is named; nothing beyond it is touched; other documents go on; and
/// when a file is there again, all goes on.
#[test]
fn what_is_no_file_is_named_and_left_alone() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "secret").unwrap();
    type Put<'a> = Box<dyn Fn(&Path) + 'a>;
    let things: [(&str, Put<'_>); 4] = [
        ("it is a folder", Box::new(|at| fs::create_dir(at).unwrap())),
        ("it is a symbolic link", Box::new(|at| symlink(&secret, at).unwrap())),
        ("it is a symbolic link", Box::new(|at| symlink("nowhere", at).unwrap())),
        ("it is a named pipe", Box::new(|at| mknodat(CWD, at, FileType::Fifo, Bits::from_raw_mode(0o644), 0).unwrap())),
    ];
    for (because, put) in things {
        let mut desk = Desk::with("db/a.md", ROWS);
        desk.create("b.md", "b").unwrap();
        desk.place();
        let at = desk.at("db/a.md");
        fs::remove_file(&at).unwrap();
        put(&at);
        let fault = desk.store.look().unwrap_err();
        assert_eq!((fault.kind, fault.path.as_str()), (FaultKind::NotAFile, "db/a.md"), "{fault}");
        assert!(fault.reason.contains(because), "{fault}");
        desk.write("db/a.md", "new").unwrap();
        desk.write("b.md", "new b").unwrap();
        let fault = desk.store.place(Due::All).unwrap_err();
        assert_eq!((fault.kind, fault.path.as_str()), (FaultKind::NotAFile, "db/a.md"), "{fault}");
        assert!(fs::symlink_metadata(&at).is_ok(), "what was put there was taken away");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
        let metadata = fs::symlink_metadata(&at).unwrap();
        if metadata.is_dir() {
            fs::remove_dir(&at).unwrap();
        } else {
            fs::remove_file(&at).unwrap();
        }
        in_place(&at, ROWS.replace("| T2 |", "| T2, mine |").as_bytes());
        in_place(&desk.at("b.md"), b"b");
        settle(&mut desk.store);
        desk.is("b.md", Some(b"new b"));
        desk.store.finish().unwrap();
        assert!(String::from_utf8(desk.in_store("db/a.md").unwrap()).unwrap().contains("mine"));
        desk.prove();
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

/// Somebody who never stops writing one document does not keep the edits of others waiting for ever.
#[test]
fn a_document_that_is_never_quiet_holds_up_no_other() {
    let mut desk = Desk::with("log.md", "begun\n");
    desk.create("a.md", ROWS).unwrap();
    desk.place();
    let mine = ROWS.replace("| T2 |", "| T2, mine |");
    in_place(&desk.at("a.md"), mine.as_bytes());
    let mut log = OpenOptions::new().append(true).open(desk.at("log.md")).unwrap();
    for _ in 0..1200 {
        log.write_all(b"more\n").unwrap();
        if desk.store.look().unwrap().record.is_some() {
            break;
        }
        desk.store.fs().pause(Duration::from_millis(10));
    }
    assert_eq!(desk.in_store("a.md").as_deref(), Some(mine.as_bytes()));
    drop(log);
    desk.prove();
}

/// Edits while another thread commits at full speed with a store of its own: no row is lost, no line either.
#[test]
fn edits_and_commits_at_full_speed_lose_nothing() {
    const SAVES_BY_HAND: usize = 30;
    let mut desk = Desk::with("a.md", ROWS);
    let over = AtomicBool::new(false);
    let folder = desk.folder.path().to_owned();
    let rows = std::thread::scope(|scope| {
        let committer = scope.spawn(|| commit_rows(&folder, &over));
        for number in 0..SAVES_BY_HAND {
            let file = desk.at("a.md");
            let text = fs::read_to_string(&file).unwrap();
            desk.store.fs().pause(Duration::from_millis([0, 5, 70][number % 3]));
            let row = format!("| mine-{number}; | NOTE | |\n");
            let edited = if number % 2 == 0 { format!("{text}{row}") } else { format!("{row}{text}") };
            SAVES[number % SAVES.len()].1(&file, edited.as_bytes());
            desk.store.look().unwrap();
            desk.store.place(Due::Now).unwrap();
            desk.store.fs().pause(Duration::from_millis(10));
        }
        over.store(true, Ordering::Relaxed);
        committer.join().unwrap()
    });
    desk.store.finish().unwrap();
    let text = String::from_utf8(desk.in_store("a.md").unwrap()).unwrap();
    println!("{rows} rows committed, {SAVES_BY_HAND} saves by hand");
    assert!(rows > SAVES_BY_HAND);
    let rows = (0..rows).map(|number| format!("| row-{number}; |"));
    for row in rows.chain((0..SAVES_BY_HAND).map(|number| format!("| mine-{number}; |"))) {
        assert_eq!(text.matches(&row).count(), 1, "{row}");
    }
    desk.is("a.md", Some(text.as_bytes()));
    desk.prove();
}

fn commit_rows(folder: &Path, over: &AtomicBool) -> usize {
    let (mut store, _) = open(folder);
    let document = path("a.md");
    let mut rows = 0;
    while !over.load(Ordering::Relaxed) {
        let end = store.read(&document).map_or(0, Text::len);
        let change = Change::one(end, "", format!("| row-{rows}; | PENDING | |\n"));
        let commit = Commit::new("a row", store.head().number, vec![(document.clone(), What::Edit(change))]);
        match store.commit(commit) {
            Ok(_) => rows += 1,
            // Saved with a backup, the file is gone for a moment; and a person's text stands where both wrote.
            Err(CommitError::Conflict { .. } | CommitError::Unknown(_)) => store.catch_up().unwrap(),
            Err(error) => panic!("{error}"),
        }
        store.place(Due::Now).unwrap();
        store.look().unwrap();
    }
    store.close().unwrap();
    rows
}
