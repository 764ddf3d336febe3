//! Many that change one document take turns in placing it: shown in virtual time, where a moment is as long as it is said to be.

#![allow(clippy::unwrap_used, reason = "tests only")]

use sim::{Machine, SimFs};
use store::{Commit, Due, Missing, ProjectPath, Store, What, limits};
use text::Change;

fn open(fs: &SimFs) -> Store<SimFs> {
    Store::open(fs.clone(), Missing::Create, Box::new(|_| {})).unwrap()
}

fn document() -> ProjectPath {
    ProjectPath::document("a.md").unwrap()
}

fn add(store: &mut Store<SimFs>, line: &'static str) {
    store.catch_up().unwrap();
    let base = store.head().number;
    let change = Change::one(0, "", line);
    store.commit(Commit::new("a test", base, vec![(document(), What::Edit(change))])).unwrap();
}

/// What lies in the document's place.
fn found(machine: &Machine) -> String {
    String::from_utf8(machine.files().remove("a.md").unwrap()).unwrap()
}

/// QL-07: a document that another process has placed a moment ago is left to it for as long, and then placed all the same.
#[test]
fn ql07_what_another_has_just_placed_waits_its_turn() {
    let machine = Machine::new(7);
    let (mut one, mut other) = (open(&machine.fs()), open(&machine.fs()));
    one.commit(Commit::new("a test", 0, vec![(document(), What::Create("first\n".into()))])).unwrap();
    one.place(Due::All).unwrap();
    other.catch_up().unwrap();
    other.finish().unwrap();
    add(&mut other, "by the other\n");
    // By now it would place what it committed itself.
    machine.pass(limits::PLACE_FOR_OTHERS);
    add(&mut one, "by the one\n");
    one.place(Due::All).unwrap();
    add(&mut other, "by the other again\n");
    // A first call has it written, and a second one puts it into its place.
    let mut place = || {
        other.place_meanwhile().unwrap();
        other.place_meanwhile().unwrap();
        found(&machine)
    };
    assert_eq!(place(), "by the one\nby the other\nfirst\n");
    machine.pass(limits::PLACE_TURN * 2);
    assert_eq!(place(), "by the other again\nby the one\nby the other\nfirst\n");
}
