//! What a project knows of its files: `catalog` and `lineage`, on projects of both protocols, and on what hands and
//! accidents made of them.

use std::fs;

use crate::place::{Place, Ran};

const HEADER: &str = "| file_path (PK) | lineage_id | data_type | source_task_id | source_files | run_id | summary |\n\
                      |:--|:--|:--|:--|:--|:--|:--|\n";

/// A project of the protocol `lineage` in which three runs built on one another; nobody recorded how.
fn three_runs() -> Place {
    let catalog = |rows: &str| format!("# Catalog\n\n{HEADER}{rows}");
    let first = catalog(
        "| data/wishes.md | L-1 | ORIGINAL_INPUT | | [] | run-001 | What the users of 조선소 wish |\n\
         | outputs/ph-1_Spec/spec.md | L-1 | FINAL_REPORT | ph-1_stg-1_sub-01_tsk-01 | [\"data/wishes.md\"] | run-001 | The specification |\n",
    );
    let second = catalog(
        "| data/change.md | L-2 | ORIGINAL_INPUT | | [] | run-002 | 変更の要望、四半期ごとの売上 |\n\
         | outputs/ph-1_Spec/spec.md | L-1 + L-2 | FINAL_REPORT | ph-1_stg-1_sub-01_tsk-01 | [\"data/change.md\"] | run-002 | The specification, changed |\n",
    );
    let third = catalog(
        "| outputs/ph-2_Guide/guide.md | L-1 + L-2 | FINAL_REPORT | ph-2_stg-1_sub-01_tsk-01 | [\"outputs/ph-1_Spec/spec.md\", \"data/change.md\"] | run-003 | A guide that follows from both |\n",
    );
    let runs = "| run_id (PK) | creation_timestamp | user_request | status | current_phase_id | current_stage_id | current_sub_stage_id | current_task_id |\n\
                |--|--|--|--|--|--|--|--|\n";
    Place::with(&[
        ("db/process_runs.md", runs.as_bytes()),
        ("db/run-001_knowledge_base_catalog.md", first.as_bytes()),
        ("db/run-002_knowledge_base_catalog.md", second.as_bytes()),
        ("db/run-003_knowledge_base_catalog.md", third.as_bytes()),
        ("data/wishes.md", b"wishes"),
        ("data/change.md", b"change"),
        ("outputs/ph-1_Spec/spec.md", b"spec"),
        ("outputs/ph-2_Guide/guide.md", b"guide"),
    ])
}

fn paths(ran: &Ran, key: &str) -> Vec<String> {
    ran.json().iter().map(|line| line[key]["path"].as_str().unwrap().to_owned()).collect()
}

/// LN-15: words of any script; fields; the score and the place.
#[test]
fn the_catalogs_of_all_runs_are_searched_as_one() {
    let place = three_runs();
    let check = |arguments: &[&str], expected: &[&str]| {
        let ran = place.run(&[&["catalog", "search", "--json"], arguments].concat());
        let found: Vec<String> =
            ran.json().iter().map(|line| line["hit"]["file"]["path"].as_str().unwrap().to_owned()).collect();
        assert_eq!(found, expected, "{arguments:?}\n{}", ran.shown());
    };
    check(&["조선소"], &["data/wishes.md"]);
    check(&["売上"], &["data/change.md"]);
    check(&["guide", "type:final_report"], &["outputs/ph-2_Guide/guide.md"]);
    check(&["specification", "--run", "run-002"], &["outputs/ph-1_Spec/spec.md"]);
    check(&["--type", "ORIGINAL_INPUT"], &["data/wishes.md", "data/change.md"]);
    check(&["--phase", "ph-2"], &["outputs/ph-2_Guide/guide.md"]);
    check(&["run:run-003", "--limit", "1"], &["outputs/ph-2_Guide/guide.md"]);
    check(&["xyzzy"], &[]);
    assert_eq!(place.run(&["catalog", "search"]).code, 2, "there is nothing to search for");
    assert_eq!(place.run(&["catalog", "search", "xyzzy"]).code, 5);
    insta::assert_snapshot!(place.run(&["catalog", "search", "changed"]).shown(), @"
    exit code 0
    --- stdout
    0.74 outputs/ph-1_Spec/spec.md  FINAL_REPORT run-002 ph-1_stg-1_sub-01_tsk-01
         The specification, changed
    0.11 data/change.md  ORIGINAL_INPUT run-002
         変更の要望、四半期ごとの売上
    --- stderr
    2 files
    ");
    insta::assert_snapshot!(place.run(&["catalog", "show", "data/change.md"]).shown(), @"
    exit code 0
    --- stdout
    data/change.md
      type     ORIGINAL_INPUT
      run      run-002
      lineage  L-2
      summary  変更の要望、四半期ごとの売上
      listed   db/run-002_knowledge_base_catalog.md:5
    --- stderr
    `multiverse lineage data/change.md` shows where it came from
    ");
    let unlisted = place.run(&["catalog", "show", "data/chang.md"]);
    assert!(unlisted.code == 1 && unlisted.stderr.contains("did you mean data/change.md"), "{}", unlisted.shown());
}

/// LN-10: ancestors and descendants across runs, as a tree, as data and as graphs.
#[test]
fn lineage_leads_across_runs_back_to_what_was_given() {
    let place = three_runs();
    insta::assert_snapshot!(place.run(&["lineage", "outputs/ph-1_Spec/spec.md"]).stdout, @"
    made of
    outputs/ph-1_Spec/spec.md  FINAL_REPORT run-002
    ├─ data/change.md  ORIGINAL_INPUT
    └─ outputs/ph-1_Spec/spec.md  FINAL_REPORT run-001 an earlier version
       └─ data/wishes.md  ORIGINAL_INPUT
    used for
    outputs/ph-1_Spec/spec.md  FINAL_REPORT run-001 an earlier version
    └─ outputs/ph-1_Spec/spec.md  FINAL_REPORT run-002
       └─ outputs/ph-2_Guide/guide.md  FINAL_REPORT run-003
    ");
    let whole = &place.run(&["lineage", "--json"]).json()[0]["lineage"];
    assert_eq!((whole["files"].as_array().unwrap().len(), whole["edges"].as_array().unwrap().len()), (5, 5));
    let guide = whole["files"].as_array().unwrap().iter().find(|file| file["path"].as_str().unwrap().contains("guide"));
    assert_eq!(guide.unwrap()["roots"], serde_json::json!(["data/change.md", "data/wishes.md"]));
    let affected = place.run(&["lineage", "data/wishes.md", "--affected", "--json"]);
    assert_eq!(paths(&affected, "affected"), ["outputs/ph-1_Spec/spec.md", "outputs/ph-2_Guide/guide.md"]);
    let dot = place.run(&["lineage", "--format", "dot"]).stdout;
    assert!(dot.starts_with("digraph") && dot.matches("->").count() == 5, "{dot}");
    let mermaid = place.run(&["lineage", "data/wishes.md", "--down", "--format", "mermaid"]).stdout;
    assert!(mermaid.starts_with("flowchart") && mermaid.matches("-->").count() == 3, "{mermaid}");
    let page = place.run(&["lineage", "--format", "html"]).stdout;
    assert!(page.starts_with("<!doctype html>") && page.matches("<rect").count() == 5, "{page}");
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"), "{page}");
}

/// LN-10: nobody recorded how these were made, so nothing is claimed.
#[test]
fn where_nobody_recorded_it_nothing_is_said_to_be_stale() {
    let place = three_runs();
    let ran = place.run(&["lineage", "--stale"]);
    assert_eq!(ran.code, 5, "{}", ran.shown());
    assert!(ran.stderr.contains("not known whether stale"), "{}", ran.shown());
    assert!(ran.stderr.contains("the journal does not tell when it was made"), "{}", ran.shown());
}

/// LN-10: changing one source lists exactly what depends on it, and why; the journal knows what it was. Works for the
/// protocol `multiverse`, whose catalog has no column for it.
#[test]
fn a_changed_source_makes_exactly_its_outputs_stale() {
    let place =
        Place::with(&[("assets/sales.csv", b"month,units\nJan,3\n"), ("assets/notes.md", b"# Notes\n\nBoats.\n")]);
    assert_eq!(place.run(&["run", "Make a report of what is in assets.", "--yes"]).code, 0);
    let none = place.run(&["lineage", "--stale"]);
    assert_eq!((none.code, none.stdout.as_str()), (5, ""), "{}", none.shown());
    assert!(!none.stderr.contains("not known"), "{}", none.shown());
    // Only the time differs: the content is what counts.
    fs::write(place.path("assets/sales.csv"), b"month,units\nJan,3\n").unwrap();
    assert_eq!(place.run(&["lineage", "--stale"]).code, 5);
    fs::write(place.path("assets/sales.csv"), b"month,units\nJan,4\n").unwrap();
    let stale = place.run(&["lineage", "--stale", "--json"]);
    let affected = place.run(&["lineage", "assets/sales.csv", "--affected", "--json"]);
    assert!(!paths(&stale, "stale").is_empty(), "{}", stale.shown());
    assert_eq!(paths(&stale, "stale"), paths(&affected, "affected"));
    let told = place.run(&["lineage", "--stale"]).stdout;
    assert!(told.contains("assets/sales.csv was changed since it was catalogued"), "{told}");
    let everything = place.run(&["lineage", "--json"]);
    let all = everything.json()[0]["lineage"]["files"].as_array().unwrap().len();
    assert!(all > paths(&stale, "stale").len() + 1, "not everything depends on it");
    fs::remove_file(place.path("assets/sales.csv")).unwrap();
    assert!(place.run(&["lineage", "--stale"]).stdout.contains("assets/sales.csv is gone"));
}

/// Bad input: a file changed by hand after it was catalogued.
#[test]
fn an_output_that_was_changed_by_hand_is_named_and_what_follows_is_stale() {
    let place = Place::with(&[("assets/sales.csv", b"month,units\nJan,3\n")]);
    assert_eq!(place.run(&["run", "Make a report of what is in assets.", "--yes"]).code, 0);
    let files = place.run(&["lineage", "assets/sales.csv", "--down", "--json"]).json();
    let files = files[0]["lineage"]["files"].as_array().unwrap().clone();
    // One that others were made of.
    let used = files.iter().filter_map(|file| file["path"].as_str()).find(|path| {
        let down = place.run(&["lineage", path, "--affected", "--json"]);
        path.starts_with("runs/") && down.code == 0
    });
    let used = used.expect("something was made of something that was made").to_owned();
    fs::write(place.path(&used), "mine\n").unwrap();
    let unrecorded = place.run(&["lineage", "--stale"]).stdout;
    assert!(unrecorded.contains(&format!("{used} was changed since record")), "{unrecorded}");
    assert_eq!(place.run(&["adopt", &used]).code, 5, "this takes the edit over");
    let recorded = place.run(&["lineage", "--stale"]).stdout;
    assert!(recorded.contains(&format!("{used} was changed by hand (record ")), "{recorded}");
    let own = place.run(&["lineage", &used, "--up"]).stdout;
    assert!(own.contains("changed by hand (record "), "{own}");
}

/// Bad input: rings by hand, rows whose file is gone, names of 300 bytes, of other scripts, with slashes and control
/// characters.
#[test]
fn rings_gone_files_and_strange_names_are_named_and_harm_nothing() {
    let long = format!("data/{}.md", "x".repeat(300));
    let rows = format!(
        "| a.md | | | | [\"c.md\"] | r1 | |\n| b.md | | | | [\"a.md\"] | r1 | |\n| c.md | | | | [\"b.md\"] | r1 | |\n\
         | {long} | | | | [] | r1 | long |\n| data/보고서 😀.md | | | | [\"data//x.md\", \"/etc/passwd\", \"data/\\u001b[2J.md\"] | r1 | emoji <script>alert(1)</script> |\n\
         | broken\n|||||||||||||\n"
    );
    let place = Place::with(&[
        ("db/process_runs.md", b"| run_id | user_request | status |\n|--|--|--|\n"),
        ("db/r1_knowledge_base_catalog.md", format!("{HEADER}{rows}").as_bytes()),
        ("a.md", b"a"),
        ("data/보고서 😀.md", b"x"),
    ]);
    let all = place.run(&["lineage"]);
    assert_eq!(all.code, 0, "{}", all.shown());
    assert!(all.stderr.contains("made of itself, which only a hand can have written: a.md ← "), "{}", all.shown());
    assert!(
        all.stdout.contains("leads back here: a ring") && all.stdout.contains("there is no such file"),
        "{}",
        all.shown()
    );
    assert!(all.stdout.contains("data/보고서 😀.md") && !all.stdout.contains('\u{1b}'), "{}", all.shown());
    for format in ["html", "dot", "mermaid", "json"] {
        let ran = place.run(&["lineage", "--format", format]);
        assert_eq!(ran.code, 0, "{format}: {}", ran.shown());
        assert!(!ran.stdout.contains("<script>alert") || format == "json", "{format}: {}", ran.shown());
        assert!(!ran.stdout.contains('\u{1b}'), "{format}");
    }
    let one = place.run(&["lineage", &long]);
    assert!(one.code == 0 && one.stdout.contains("a name in it has 303 bytes"), "{}", one.shown());
    assert_eq!(place.run(&["catalog", "search", "emoji"]).code, 0);
}

/// Bad input: the index is broken, gone, or cannot be written; nothing is lost by it.
#[test]
fn a_broken_index_is_made_again() {
    let place = three_runs();
    let expected = place.run(&["catalog", "--json"]).stdout;
    let index = place.path(".multiverse/catalog.index");
    let whole = fs::read(&index).expect("the index is kept");
    for broken in [&b""[..], b"nonsense", &whole[..whole.len() / 2], &[&whole[..], b"more"].concat()] {
        fs::write(&index, broken).unwrap();
        let ran = place.run(&["catalog", "--json"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, expected.as_str()), "{}", ran.shown());
        assert!(ran.stderr.contains("was broken, and is made again"), "{}", ran.shown());
        assert_eq!(fs::read(&index).unwrap(), whole);
    }
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    assert_eq!(place.run(&["catalog", "--json"]).stdout, expected, "where it cannot be written, it is done without");
    fs::remove_dir(&index).unwrap();
    let rebuilt = place.run(&["catalog", "rebuild", "--json"]);
    assert_eq!(rebuilt.stdout, "{\"rebuilt\":{\"catalogs\":3,\"rows\":5}}\n");
    // An edit of a catalog is seen at once.
    let catalog = place.path("db/run-003_knowledge_base_catalog.md");
    fs::write(&catalog, fs::read_to_string(&catalog).unwrap().replace("A guide", "A handbook")).unwrap();
    assert_eq!(place.run(&["catalog", "search", "handbook"]).code, 0);
}

/// Bad input: a catalog of 100,000 rows is listed, searched and followed.
#[test]
fn a_catalog_of_a_hundred_thousand_rows_is_searched() {
    let row = |number: usize| {
        let source = number.saturating_sub(1);
        format!("| data/f{number}.md | L | X | | [\"data/f{source}.md\"] | run-001 | Number {number} of boats |\n")
    };
    let rows: String = (1..=100_000).map(row).collect();
    let place = Place::with(&[
        ("db/process_runs.md", b"| run_id | user_request | status |\n|--|--|--|\n"),
        ("db/run-001_knowledge_base_catalog.md", format!("{HEADER}{rows}").as_bytes()),
    ]);
    let found = place.run(&["catalog", "search", "73219", "--json"]);
    assert_eq!(found.json()[0]["hit"]["file"]["path"], "data/f73219.md");
    let up = place.run(&["lineage", "data/f100000.md", "--up", "--format", "json"]);
    assert_eq!(up.json()[0]["lineage"]["files"].as_array().unwrap().len(), 100_001);
}

/// LN-10, LN-12: three runs that build on one another: every output goes back to files in `data/`, nothing is stale when they
/// are done, and a source that changes lists exactly what depends on it.
#[test]
fn the_example_of_three_runs_leads_back_to_its_data() {
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbour-spec/three-runs.sh");
    let place = Place::with(&[]);
    let mut runs = std::process::Command::new("/bin/sh");
    runs.arg(example).arg(place.path("p")).env_clear().env("PATH", "/usr/bin:/bin").env("USER", "ada");
    let runs = runs.env("MULTIVERSE", env!("CARGO_BIN_EXE_multiverse")).stdin(std::process::Stdio::null()).output();
    let ran = Ran::of(runs.unwrap());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    let project = |arguments: &[&str]| place.run(&[&["-C", "p"], arguments].concat());
    let all = project(&["lineage", "--json"]);
    let tree = &all.json()[0]["lineage"];
    assert_eq!(tree["rings"], serde_json::json!([]), "no ring is named");
    let files = tree["files"].as_array().unwrap();
    let outputs = files.iter().filter(|file| file["path"].as_str().unwrap().starts_with("outputs/"));
    for output in outputs {
        let roots: Vec<&str> = output["roots"].as_array().unwrap().iter().filter_map(|root| root.as_str()).collect();
        let is_given = |root: &&str| root.starts_with("data/") || root.starts_with("guidelines/");
        assert!(!roots.is_empty() && roots.iter().any(|root| root.starts_with("data/")), "{output}");
        assert!(roots.iter().all(is_given), "{output}");
    }
    let none = project(&["lineage", "--stale"]);
    assert_eq!((none.code, none.stdout.as_str()), (5, ""), "{}", none.shown());
    let source = "data/change-request-7.md";
    let text = fs::read_to_string(place.path("p").join(source)).unwrap();
    fs::write(place.path("p").join(source), format!("{text}\nOne thing more.\n")).unwrap();
    let stale = project(&["lineage", "--stale", "--json"]);
    let affected = project(&["lineage", source, "--affected", "--json"]);
    assert!(!paths(&stale, "stale").is_empty(), "{}", stale.shown());
    assert_eq!(paths(&stale, "stale"), paths(&affected, "affected"));
}
