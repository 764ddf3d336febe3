//! CY-13: `multiverse cycle check`: blocks named, deviations shown with their line and how to mend them.

use crate::place::Place;

/// A record with nothing odd in it.
pub(crate) const STRICT: &str = "\
# Cycle: 2026-01-31-001

## Goal

The glossary covers all terms.

## Current State

- four terms are missing

## Context Docs

- docs/glossary.md

---

## Iteration 1

### Planner Output

Add them.

### SIGNAL BLOCK

- Agent: Planner
- Result: PLAN_CREATED
- Loop Summary: four terms to add
- Confidence: 8
- Next: Actor
- Context: docs/glossary.md

**Signature**: 1:1:1

---
";

#[test]
fn cy13_a_strict_record() {
    let place = Place::with(&[("a.md", STRICT.as_bytes())]);
    insta::assert_snapshot!(place.run(&["cycle", "check", "a.md"]).shown(), @"
    exit code 0
    --- stdout
    a.md: cycle 2026-01-31-001: The glossary covers all terms.
         23  1:1:1      Planner  PLAN_CREATED (8)  goes to the Actor
    --- stderr
    1 block; nothing is odd
    ");
    assert_eq!(std::fs::read(place.path("a.md")).unwrap(), STRICT.as_bytes(), "nothing is changed");
}

#[test]
fn cy13_an_odd_record() {
    let odd = STRICT.replace("Next: Actor", "Next: Judge or Loop 4").replace("Confidence: 8", "Confidence: high");
    let place = Place::with(&[("a.md", odd.as_bytes())]);
    insta::assert_snapshot!(place.run(&["cycle", "check", "a.md"]).shown(), @"
    exit code 1
    --- stdout
    a.md: cycle 2026-01-31-001: The glossary covers all terms.
         23  1:1:1      Planner  PLAN_CREATED  asks the Human: Confidence is not clear: `high`
    a.md:28:15: Confidence: `high` is no number
       |
    28 | - Confidence: high
       |               ^^^^
       = hint: write a whole number from 0 to 10
    a.md:29:9: Next: `Judge or Loop 4` is not one of the valid words
       |
    29 | - Next: Judge or Loop 4
       |         ^^^^^^^^^^^^^^^
       = hint: if it means `Judge`, write that alone
    --- stderr
    1 block, 1 of them ask the Human; 2 deviations
    ");
}

#[test]
fn cy13_objects_and_files_that_cannot_be_read() {
    let place = Place::with(&[("a.md", STRICT.as_bytes()), ("empty.md", b"")]);
    let ran = place.run(&["cycle", "check", "--json", "a.md", "gone.md"]);
    assert_eq!(ran.code, 1);
    let lines: Vec<serde_json::Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["block"]["signature"], "1:1:1");
    assert_eq!(lines[0]["block"]["goes_to"], "Actor");
    assert_eq!(lines[1]["error"]["kind"], "missing");
    assert_eq!(lines[2]["summary"]["blocks"], 1);
    let ran = place.run(&["cycle", "check", "empty.md"]);
    assert!(ran.code == 1 && ran.stdout.contains("there is no section `Goal`"), "{}", ran.shown());
}
