//! `multiverse profile`: profiles listed, drawn, checked and begun (PF-01, PF-15, PF-17).

use crate::place::Place;

const FOLDER: &str = "agent_runtime/workflow_profiles";

/// PF-01: what is shipped is there without a project.
#[test]
fn pf01_shipped_profiles_are_listed() {
    insta::assert_snapshot!(Place::with(&[]).run(&["profile", "list"]).shown(), @"
    exit code 0
    --- stdout
    default_fallback_profile     simulation   11 steps, 3 gates   Default workflow
    default_realization_profile  realization  8 steps, 2 gates    Default realization
    --- stderr
    these are the profiles that come along; `multiverse init --protocol profile` puts them here
    ");
}

/// PF-01, PF-15: phases and roles of a profile, and where work goes back to.
#[test]
fn pf01_a_workflow_is_drawn() {
    let place = Place::with(&[]);
    insta::assert_snapshot!(place.run(&["profile", "show", "default_fallback_profile"]).shown(), @"
    exit code 0
    --- stdout
    default_fallback_profile version 1, simulation
    Default workflow
    From an idea to a release, in six phases, played by the engine.
    work is sent back at most 3 times; nothing may be missing when work is handed on

    requirements  What is wanted.
    ├─  1  write_requirements     business_analyst       makes 01_requirements.md
    ├─  2  review_requirements    requirements_reviewer  reviews 1, approves or sends it back; writes 02_requirements_review.md
    └─  3  approve_requirements   product_owner          decides REQUIREMENTS_APPROVAL (The requirements say what is wanted, and how one would see that it is there); leaves requirements_approval.md

    architecture  How it is to be made.
    ├─  4  design                 architect              makes 04_architecture.md
    ├─  5  review_design          architecture_reviewer  reviews 4, approves or sends it back; writes 05_architecture_review.md
    └─  6  approve_design         product_owner          decides ARCHITECTURE_APPROVAL (The design serves every requirement); leaves architecture_approval.md

    implementation  Making it.
    ├─  7  implement              developer              makes 06_implementation.md
    └─  8  review_implementation  code_reviewer          reviews 7, approves or sends it back; writes 07_implementation_review.md

    verification  Seeing whether it is what was wanted.
    └─  9  verify                 tester                 checks; what fails goes back to 7; writes 08_verification_report.md

    readiness  Everything that is needed beside it.
    └─ 10  prepare_release        release_manager        makes 09_release_notes.md

    release  Letting it out.
    └─ 11  approve_release        product_owner          decides RELEASE_APPROVAL (What was made may go out); leaves release_approval.md
    ");
    let mermaid = place.run(&["profile", "show", "default_fallback_profile", "--format", "mermaid"]).stdout;
    assert!(mermaid.starts_with("flowchart TD\n  subgraph p0[\"requirements\"]\n"), "{mermaid}");
    assert!(mermaid.contains("s1 -. changes requested .-> s0\n"), "{mermaid}");
    let page = place.run(&["profile", "show", "default_fallback_profile", "--format", "html"]).stdout;
    assert!(page.contains("<title>Workflow default_fallback_profile</title>") && !page.contains("<script"), "{page}");
    let json: serde_json::Value =
        serde_json::from_str(&place.run(&["profile", "show", "default_fallback_profile", "--json"]).stdout).unwrap();
    assert_eq!(json["profile"]["steps"][1]["producer"], 0);
}

/// PF-01, PF-17: a new profile is valid, stands beside its schema, and is found from any folder of the tree.
#[test]
fn pf01_a_new_profile_is_valid_and_never_written_over() {
    let place = Place::with(&[("ideas/boat.md", b"# A boat\n")]);
    insta::assert_snapshot!(place.run(&["profile", "new", "my_team"]).shown(), @"
    exit code 0
    --- stderr
    made agent_runtime/schemas/workflow_profile.schema.json
    made agent_runtime/schemas/status.schema.json
    made agent_runtime/workflow_profiles/my_team.yaml
    change it, and see whether it holds with `multiverse profile validate`, `multiverse profile show my_team`
    ");
    let written = std::fs::read_to_string(place.path(format!("{FOLDER}/my_team.yaml"))).unwrap();
    let checked = place.run(&["-C", "ideas", "profile", "validate"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{}", checked.shown());
    let copied = place.run(&["profile", "new", "theirs", "--from", "my_team"]);
    assert_eq!(copied.code, 0, "{}", copied.shown());
    assert_eq!(place.run(&["profile", "validate"]).code, 0);
    for arguments in [["profile", "new", "my_team"], ["profile", "new", "../evil"], ["profile", "new", "My Team"]] {
        let refused = place.run(&arguments);
        assert!(refused.code != 0 && refused.stderr.contains("hint"), "{}", refused.shown());
    }
    assert_eq!(std::fs::read_to_string(place.path(format!("{FOLDER}/my_team.yaml"))).unwrap(), written);
    let gone = place.run(&["profile", "show", "my_tam"]);
    assert!(gone.stderr.contains("did you mean `my_team`?"), "{}", gone.shown());
}

/// PF-01: each mistake with its place, its field and how to mend it; the tree may stand under `Version2/`.
#[test]
fn pf01_mistakes_are_shown_with_their_line() {
    let place = Place::with(&[]);
    let template = place.run(&["profile", "new", "mine"]);
    assert_eq!(template.code, 0, "{}", template.shown());
    std::fs::create_dir(place.path("Version2")).unwrap();
    std::fs::rename(place.path("agent_runtime"), place.path("Version2/agent_runtime")).unwrap();
    let path = place.path(format!("Version2/{FOLDER}/mine.yaml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let wrong =
        text.replace("gate: RELEASE_APPROVAL", "gate: RELEASE_APROVAL").replace("version: 1", "version: one\nextra: 1");
    std::fs::write(&path, wrong).unwrap();
    insta::assert_snapshot!(place.run(&["profile", "validate"]).shown(), @"
    exit code 1
    --- stdout
    Version2/agent_runtime/workflow_profiles/mine.yaml:3:10: version: a text stands where integer is expected
      |
    3 | version: one
      |          ^^^
      = hint: write a whole number, without quotes
    Version2/agent_runtime/workflow_profiles/mine.yaml:4:1: extra: the field `extra` is not known
      |
    4 | extra: 1
      | ^^^^^^
      = hint: remove it; valid: name, version, description, friendly_name, execution_mode, strict_mode, invocation, defaults, gates, phases
    Version2/agent_runtime/workflow_profiles/mine.yaml:14:9: gates[0].id: gate RELEASE_APPROVAL is required, and no step comes to it
       |
    14 |   - id: RELEASE_APPROVAL
       |         ^^^^^^^^^^^^^^^^
       = hint: add a step with step_type: gate and gate: RELEASE_APPROVAL, or write required: false
    Version2/agent_runtime/workflow_profiles/mine.yaml:43:15: phases[1].roles[1].gate: there is no gate `RELEASE_APROVAL`
       |
    43 |         gate: RELEASE_APROVAL
       |               ^^^^^^^^^^^^^^^
       = hint: did you mean `RELEASE_APPROVAL`? valid: RELEASE_APPROVAL
    --- stderr
    1 profile: 4 mistakes
    ");
    let listed = place.run(&["profile", "list"]);
    assert!(listed.code == 1 && listed.stderr.contains("is no valid profile"), "{}", listed.shown());
    assert_eq!(place.run(&["profile", "show", "mine"]).code, 1);
    let stdin = place.run_with_input(&["profile", "validate", "-", "--json"], b"\tname: x\n");
    assert!(
        stdin.code == 1 && stdin.stdout.starts_with("{\"complaint\":{\"path\":\"<stdin>\",\"line\":1"),
        "{}",
        stdin.shown()
    );
}

/// PF-03: the schemas are published, and are those that are put beside profiles.
#[test]
fn pf03_schemas_are_published() {
    let place = Place::with(&[]);
    assert_eq!(place.run(&["profile", "new", "mine"]).code, 0);
    for (which, file) in [("profile", "workflow_profile"), ("status", "status")] {
        let stored = std::fs::read_to_string(place.path(format!("agent_runtime/schemas/{file}.schema.json"))).unwrap();
        assert_eq!(place.run(&["schema", which]).stdout, stored, "{which}");
    }
}

/// QL-34: what a profile holds is text, on the terminal and in a page.
#[test]
fn ql34_names_in_profiles_are_text() {
    let place = Place::with(&[]);
    assert_eq!(place.run(&["profile", "new", "mine"]).code, 0);
    let path = place.path(format!("{FOLDER}/mine.yaml"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        text.replace("role: maker ", "role: \"<b>\\e[31mx\" ").replace("review_of: maker ", "review_of: make "),
    )
    .unwrap();
    for format in ["text", "mermaid", "html"] {
        let ran = place.run(&["profile", "show", "mine", "--format", format]);
        assert_eq!(ran.code, 0, "{}", ran.shown());
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.shown());
        assert!(format == "text" || !ran.stdout.contains("<b>"), "{}", ran.shown());
    }
}
