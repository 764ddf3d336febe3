//! Programs that are talked with, and those whose lines are watched (QL-31, QL-32): real processes, on Linux.
#![cfg(test)]
#![cfg(target_os = "linux")]

mod stage;

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use stage::{Stage, text};
use tools::{Conversation, How, LINE_BYTES, Launch, LaunchFault, Stop, converse, launch_watched};

/// Answers every line, leaves processes behind, and answers no request to end.
const STUBBORN: &str = "trap '' TERM HUP; setsid sleep 1000 & while read -r line; do echo \"heard $line\"; done; \
                        echo over >&2; sleep 1000 & wait; sleep 1000";

fn say(conversation: &mut Conversation, line: &str) -> (std::io::PipeWriter, BufReader<std::io::PipeReader>, String) {
    let mut writer = conversation.take_writer().unwrap();
    let mut reader = BufReader::new(conversation.take_reader().unwrap());
    writeln!(writer, "{line}").unwrap();
    let mut answer = String::new();
    reader.read_line(&mut answer).unwrap();
    (writer, reader, answer)
}

#[test]
fn words_go_in_and_answers_come_back_until_it_ends_by_itself() {
    let stage = Stage::new();
    let mut launched = stage.sh("while read -r line; do echo \"heard $line\"; done; echo over >&2; exit 3");
    launched.input = b"not given\n".to_vec();
    let mut conversation = converse(&launched, &Stop::new()).unwrap();
    let (mut writer, mut reader, answer) = say(&mut conversation, "one");
    assert_eq!(answer, "heard one\n");
    assert!(conversation.take_writer().is_none() && conversation.take_reader().is_none(), "each is given once");
    writeln!(writer, "two").unwrap();
    drop(writer);
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "heard two\n");
    let ended = conversation.end().unwrap();
    assert_eq!((ended.how, text(&ended.log), text(&ended.output)), (How::Exit(3), "over\n".into(), String::new()));
    stage.assert_nothing_left();
}

/// A pipe of it serves an async runtime as well.
#[test]
fn the_pipes_are_pipes_of_tokio_too() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let stage = Stage::new();
    let mut conversation = converse(&stage.sh("cat"), &Stop::new()).unwrap();
    let (writer, reader) = (conversation.take_writer().unwrap(), conversation.take_reader().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let heard = runtime.block_on(async {
        let mut writer = tokio::net::unix::pipe::Sender::from_owned_fd(writer.into()).unwrap();
        let mut reader = tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into()).unwrap();
        writer.write_all(b"hello").await.unwrap();
        drop(writer);
        let mut heard = String::new();
        reader.read_to_string(&mut heard).await.unwrap();
        heard
    });
    assert_eq!(heard, "hello");
    assert_eq!(conversation.end().unwrap().how, How::Exit(0));
}

/// QL-31: however a conversation ends, nothing of it is left, and how it ended is told.
#[test]
fn every_way_to_end_ends_the_whole_tree() {
    let check = |change: &dyn Fn(&mut Launch), end: &dyn Fn(Conversation, &Stop) -> Option<How>, how: Option<How>| {
        let stage = Stage::new();
        let mut launched = stage.sh(STUBBORN);
        launched.limits.grace = Duration::from_millis(50);
        change(&mut launched);
        let stop = Stop::new();
        let mut conversation = converse(&launched, &stop).unwrap();
        let (writer, mut reader, answer) = say(&mut conversation, "one");
        assert_eq!(answer, "heard one\n");
        drop(writer);
        assert_eq!(end(conversation, &stop), how);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "its output is at its end");
        stage.assert_nothing_left();
    };
    let ended = |conversation: Conversation| Some(conversation.end().unwrap().how);
    check(&|_| {}, &|conversation, _| ended(conversation), Some(How::Stopped));
    check(&|_| {}, &|conversation, _| Some(conversation.end_now().unwrap().how), Some(How::Stopped));
    let patient = |launched: &mut Launch| launched.limits.grace = Duration::from_secs(600);
    check(&patient, &|conversation, _| Some(conversation.end_now().unwrap().how), Some(How::Stopped));
    check(
        &patient,
        &|conversation, _| {
            drop(conversation);
            None
        },
        None,
    );
    check(
        &patient,
        &|conversation, stop| {
            stop.end_now();
            ended(conversation)
        },
        Some(How::Stopped),
    );
}

/// QL-32: one that talks for ever is ended when its time is over.
#[test]
fn time_out() {
    let stage = Stage::new();
    let mut launched = stage.sh("trap 'echo bye; exit 7' TERM; sleep 1000 & wait");
    launched.limits.time = Duration::from_millis(300);
    let mut conversation = converse(&launched, &Stop::new()).unwrap();
    let mut said = String::new();
    conversation.take_reader().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "bye\n");
    assert_eq!(conversation.end().unwrap().how, How::TimedOut);
    stage.assert_nothing_left();
}

/// QL-32: what cannot be started says so, at once or at the end.
#[test]
fn faults_are_told() {
    let stage = Stage::new();
    let fault = converse(&stage.program("no-such-program", &[]), &Stop::new()).unwrap_err();
    assert!(matches!(fault, LaunchFault::ProgramNotFound { .. }), "{fault}");
    let mut launched = stage.sh("exit 0");
    launched.confinement.write.push(stage.scratch().join("none"));
    let mut conversation = converse(&launched, &Stop::new()).unwrap();
    let mut said = String::new();
    conversation.take_reader().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    let fault = conversation.end().unwrap_err();
    assert!(matches!(fault, LaunchFault::CannotConfine { .. }), "{fault}");
    let stop = Stop::new();
    stop.stop();
    let conversation = converse(&stage.sh("echo begun > begun"), &stop).unwrap();
    assert_eq!(conversation.end().unwrap().how, How::Stopped);
    assert!(!stage.scratch().join("begun").exists());
}

/// QL-32: a program that says more than anybody reads, or reads nothing, holds nobody up.
#[test]
fn pipes_that_are_full_hold_nobody_up() {
    let stage = Stage::new();
    let mut launched = stage.sh("yes & yes >&2");
    launched.limits.grace = Duration::from_millis(50);
    let conversation = converse(&launched, &Stop::new()).unwrap();
    let ended = conversation.end().unwrap();
    assert_eq!(ended.how, How::Stopped);
    assert!(ended.log_cut);
    stage.assert_nothing_left();
}

/// QL-32: lines come while the program still runs; a long one is cut, the last needs no end; the limit of output holds.
#[test]
fn lines_are_watched_as_they_come() {
    let stage = Stage::new();
    let mut pipe = stage.pipe();
    let script = format!(
        "exec 9>pipe; echo first; read -r go < go; echo second >&9; head -c {} /dev/zero; echo; printf end",
        LINE_BYTES + 5
    );
    let go = stage.scratch().join("go");
    assert!(std::process::Command::new("mkfifo").arg(&go).status().unwrap().success());
    let mut launched = stage.sh(&script);
    launched.limits.output_bytes = 2 * LINE_BYTES;
    let mut lines = Vec::new();
    let ended = launch_watched(&launched, &Stop::new(), &mut |line| {
        if lines.is_empty() {
            // Only now does it go on: the line was given before the end.
            std::fs::write(&go, "go\n").unwrap();
            assert_eq!(pipe.line(), "second");
        }
        lines.push(line.to_vec());
    });
    let ended = ended.unwrap();
    assert_eq!(ended.how, How::Exit(0), "{}", text(&ended.log));
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [5, LINE_BYTES, 3]);
    assert_eq!((&lines[0][..], &lines[2][..]), (&b"first"[..], &b"end"[..]));
    assert_eq!(ended.output, b"", "what was watched is not kept");
    stage.assert_nothing_left();
    let mut launched = stage.sh("yes");
    launched.limits.output_bytes = 1001;
    let mut seen = 0;
    let ended = launch_watched(&launched, &Stop::new(), &mut |line| seen += line.len());
    assert_eq!((ended.unwrap().how, seen), (How::Flooded, 501));
}
