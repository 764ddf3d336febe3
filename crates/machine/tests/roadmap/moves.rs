//! RM-03: the diagram, every pair of state and move; and that nothing else moves an item.

use machine::roadmap::{Fact, Input, Move, Status, move_between, moved};

use crate::driver::{Universe, with_status};

/// Every arrow of the diagram, and Failed → Pending and Failed → Cancelled by a plan.
const ARROWS: [(Status, Move, Status); 8] = [
    (Status::Pending, Move::Lock, Status::Locked),
    (Status::Pending, Move::Cancel, Status::Cancelled),
    (Status::Locked, Move::Complete, Status::Completed),
    (Status::Locked, Move::Fail, Status::Failed),
    (Status::Locked, Move::Release, Status::Pending),
    (Status::Locked, Move::Cancel, Status::Cancelled),
    (Status::Failed, Move::Reopen, Status::Pending),
    (Status::Failed, Move::Cancel, Status::Cancelled),
];

#[test]
fn every_pair() {
    for from in Status::ALL {
        for by in Move::ALL {
            let arrow = ARROWS.iter().find(|(state, one, _)| *state == from && *one == by);
            assert_eq!(moved(from, by), arrow.map(|(_, _, to)| *to), "{from} by {by:?}");
        }
        for to in Status::ALL {
            let arrow = ARROWS.iter().find(|(state, _, end)| *state == from && *end == to);
            assert_eq!(move_between(from, to), arrow.map(|(_, by, _)| *by), "{from} to {to}");
        }
    }
}

/// Every pair of states, written into the log by a person: along the diagram it is taken, anything else is put back with
/// a problem, and the item stays as it was.
#[test]
fn every_pair_by_hand() {
    for from in Status::ALL {
        for to in Status::ALL {
            let mut universe = holding(from);
            universe.must(&Input::Pause { reason: "nothing is to be taken".into() });
            let facts = universe.edit(|reading| reading.items[0].status = Some(to));
            let is_put_back = facts.iter().any(|fact| matches!(fact, Fact::PutBack { item, .. } if item == "1"));
            let by_hand = match (from, to) {
                _ if from == to => Some(to),
                // A lock is of somebody who is at work, and a person is not in that list.
                (_, Status::Locked) => None,
                // Taken and ended by whoever writes it: two arrows.
                (Status::Pending, Status::Completed | Status::Failed) => Some(to),
                _ => move_between(from, to).map(|_| to),
            };
            assert_eq!(universe.status("1"), by_hand.unwrap_or(from), "{from} to {to}");
            assert_eq!(is_put_back, by_hand.is_none(), "{from} to {to}: {facts:?}");
            for fact in &facts {
                if let Fact::Moved { from, to, .. } = fact {
                    assert!(move_between(*from, *to).is_some(), "{from} to {to} is an arrow");
                }
            }
            universe.session().pool.audit().unwrap();
        }
    }
}

/// A session whose item 1 is in this state; item 2 keeps it open.
fn holding(status: Status) -> Universe {
    match status {
        Status::Locked => Universe::with(vec![with_status("1", Status::Pending), with_status("2", Status::Pending)]),
        other => Universe::idle(vec![with_status("1", other), with_status("2", Status::Pending)]),
    }
}
