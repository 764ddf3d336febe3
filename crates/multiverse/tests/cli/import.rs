//! `import`: projects that others made are looked at, mended in one step that can be taken back, or mended in a copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::place::Place;

const RUNS: &str = "| run_id (PK) | creation_timestamp | user_request | status | current_phase_id | current_stage_id | current_sub_stage_id | current_task_id |\r\n\
                    |--|--|--|--|--|--|--|--|\r\n| run-001 | 2025 | 명세를 써 줘 | done | P01 | | | |\r\n";
const PHASES: &str = "| phase_id | run_id | phase_name | phase_reason | phase_purpose | status |\n|--|--|--|--|--|--|\n\
                      | P01 | run-001 | Spec | r | p | PENDING |\n";
const STAGES: &str = "| stage_id | run_id | phase_id | stage_name | stage_reason | stage_purpose | status |\n|--|--|--|--|--|--|--|\n\
                      | S01 | run-001 | P01 | DRAFTING | r | p | 완료 |\n";
const CATALOG: &str = "| file_path | lineage_id | data_type | source_task_id | source_files | run_id | summary |\n|--|--|--|--|--|--|--|\n\
                       | output/ph-1_Spec/명세.md | L | FINAL_REPORT | | data/a.md, data/b.md | run-001 | x |\n\
                       | data/gone.md | L | X | | [] | run-001 | gone |\n";

fn sloppy() -> Place {
    Place::with(&[
        ("old/db/process_runs.md", RUNS.as_bytes()),
        ("old/settings/set_phases.md", b"| phase_name | phase_purpose |\n|--|--|\n| Spec | p |\n"),
        ("old/db/run-001_knowledge_base_catalog.md", CATALOG.as_bytes()),
        ("old/runs/run-001/db/phases.md", PHASES.as_bytes()),
        ("old/runs/run-001/db/P01_stages.md", STAGES.as_bytes()),
        ("old/output/ph-1_Spec/명세.md", "명세\n".as_bytes()),
        ("old/output/picture.png", b"\x89PNG\x00\xff"),
        ("old/data/a.md", b"a\n"),
        ("old/data/b.md", b"b\n"),
    ])
}

/// Every file below a folder, what is the program's own left out.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if name.starts_with(".multiverse") {
                continue;
            } else if path.is_dir() {
                open.push(path);
            } else {
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The original is not changed unless that is asked for.
#[test]
fn looking_changes_nothing_and_says_what_is_to_be_done() {
    let place = sloppy();
    let before = files(&place.path("old"));
    insta::assert_snapshot!(place.run(&["import", "old"]).shown(), @r#"
    exit code 0
    --- stdout
    found
      .: a project of the protocol lineage, by db/run-001_knowledge_base_catalog.md and runs/run-001/db/P01_stages.md
      db/process_runs.md:1: it has the line ends of Windows, which stay
    would be mended
      db/process_runs.md:3: current_phase_id: `P01` → `ph-1`
      db/process_runs.md:3: status: `done` → `COMPLETED`
      db/run-001_knowledge_base_catalog.md:3: file_path: `output/ph-1_Spec/명세.md` → `outputs/ph-1_Spec/명세.md`
      db/run-001_knowledge_base_catalog.md:3: source_files: `data/a.md, data/b.md` → `["data/a.md", "data/b.md"]`
      output/: 2 files moved to outputs/, as the protocol calls it
      runs/run-001/db/P01_stages.md: renamed to runs/run-001/db/ph-1_stages.md
      runs/run-001/db/P01_stages.md:3: phase_id: `P01` → `ph-1`
      runs/run-001/db/P01_stages.md:3: stage_id: `S01` → `stg-1`
      runs/run-001/db/P01_stages.md:3: status: `완료` → `COMPLETED`
      runs/run-001/db/phases.md:3: phase_id: `P01` → `ph-1`
      runs/run-001/db/phases.md:3: status: `PENDING` → `COMPLETED` (all below it is)
    for you to decide
      db/run-001_knowledge_base_catalog.md:4: data/gone.md is listed, and is not there
        bring the file back, or remove the row
      output/picture.png: no catalog lists it
        a later run can only use what is catalogued: add a row, or leave it
    --- stderr
    2 found, 11 to mend, 2 to decide
    nothing was changed; --write mends it here, --into DIR in a copy
    "#);
    assert_eq!(files(&place.path("old")), before);
    assert!(!place.path("old/.multiverse").exists(), "no trace is left");
    let lines = place.run(&["import", "old", "--json"]).json();
    let last = &lines[lines.len() - 1]["imported"];
    assert_eq!(
        (last["protocol"].as_str(), last["written"].as_bool(), last["decide"].as_u64()),
        (Some("lineage"), Some(false), Some(2))
    );
    assert!(lines.iter().any(|line| line["finding"]["weight"] == "mended" && line["finding"]["line"] == 3));
}

/// All that is mended is one record, and taking it back gives every byte back.
#[test]
fn what_was_mended_can_be_taken_back() {
    let place = sloppy();
    let before = files(&place.path("old"));
    let written = place.run(&["import", "old", "--write", "--json"]);
    let lines = written.json();
    let record = lines[lines.len() - 1]["imported"]["record"].as_u64().expect("something was mended");
    let after = files(&place.path("old"));
    assert_eq!(after["outputs/picture.png"], before["output/picture.png"]);
    assert!(!after.contains_key("output/picture.png") && after.contains_key("outputs/ph-1_Spec/명세.md"));
    let runs = String::from_utf8(after["db/process_runs.md"].clone()).unwrap();
    assert!(runs.contains("| COMPLETED | ph-1 |") && runs.ends_with("\r\n"), "{runs}");
    assert!(after.contains_key("runs/run-001/db/ph-1_stages.md"));
    assert_eq!(place.run(&["-C", "old", "lineage", "outputs/ph-1_Spec/명세.md"]).code, 0);
    let status = place.run(&["-C", "old", "status", "--all"]);
    assert!(status.code == 0 && status.stdout.contains("run-001"), "{}", status.shown());
    let again = place.run(&["import", "old", "--write"]);
    assert!(again.code == 0 && again.stderr.contains("nothing to mend"), "{}", again.shown());
    assert_eq!(place.run(&["-C", "old", "undo", &record.to_string()]).code, 0);
    assert_eq!(files(&place.path("old")), before);
}

#[test]
fn a_copy_is_mended_and_the_original_stays() {
    let place = sloppy();
    let before = files(&place.path("old"));
    let ran = place.run(&["import", "old", "--into", "new"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    assert_eq!(files(&place.path("old")), before);
    assert!(!place.path("old/.multiverse").exists());
    assert!(place.path("new/outputs/picture.png").is_file() && place.path("new/.multiverse/journal").is_dir());
    let again = place.run(&["import", "old", "--into", "new"]);
    assert!(again.code == 1 && again.stderr.contains("is not empty"), "{}", again.shown());
    assert_eq!(place.run(&["import", "old", "--into", "old/inside"]).code, 1);
}

#[test]
fn a_folder_that_is_no_project_is_left_alone() {
    let place = Place::with(&[("x/README.md", b"# x\n")]);
    for arguments in [&["import", "x"][..], &["import", "x", "--write"], &["import", "x", "--into", "y"]] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 1, "{}", ran.shown());
        assert!(ran.stdout.contains("neither protocol is recognised"), "{}", ran.shown());
    }
    assert!(!place.path("x/.multiverse").exists() && !place.path("y").exists());
    assert_eq!(place.run(&["import", "gone"]).code, 1);
}

/// Bad input: links, names that no document can have, an unreadable table.
#[test]
fn strange_files_are_named_and_left_out() {
    let place = sloppy();
    std::os::unix::fs::symlink("/etc", place.path("old/data/etc")).unwrap();
    fs::write(place.path("old/data/a\u{1}b.md"), "x").unwrap();
    fs::write(place.path("old/data/😀 가.md"), "x").unwrap();
    fs::write(place.path("old/runs/run-001/db/phases.md"), b"\xff\xfe\x00").unwrap();
    let ran = place.run(&["import", "old"]);
    assert_eq!(ran.code, 0, "{}", ran.shown());
    for said in ["it is a link", "control character", "it is not UTF-8"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.shown());
    }
    assert!(!ran.stdout.contains('\u{1}'));
    assert_eq!(place.run(&["import", "old", "--write"]).code, 0);
    assert_eq!(fs::read(place.path("old/runs/run-001/db/phases.md")).unwrap(), b"\xff\xfe\x00");
}
