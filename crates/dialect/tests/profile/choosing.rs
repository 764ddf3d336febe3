//! Which profile is meant, which gates people decide, what things are called.

use dialect::profile::{
    Invocation, SHIPPED, artifact_folder, artifact_path, choose, human_gates, read_invocation, read_profile, run_id,
    slug, workspace,
};
use machine::profile::Profile;

fn profiles() -> Vec<Profile> {
    let schema = crate::reading::schema();
    SHIPPED.iter().map(|(_, text)| read_profile(text.as_bytes(), &schema).profile.unwrap()).collect()
}

/// PF-02: how a workflow is started.
#[test]
fn invocations() {
    let named = |name: &str| Some(Invocation::Named(name.to_owned()));
    for (text, expected) in [
        ("/orchestrator @small", named("small")),
        ("  /orchestrator   @small ", named("small")),
        ("/orchestrator", Some(Invocation::Bare)),
        ("/orchestrator ", Some(Invocation::Bare)),
        ("/orchestrator small", None),
        ("/orchestrator @", None),
        ("/orchestrator@small", None),
        ("/orchestrators", None),
        ("/orchestrator @a b", None),
        ("build me a parser", None),
    ] {
        assert_eq!(read_invocation(text), expected, "{text:?}");
    }
}

/// PF-02, PF-04 rule 1: an unknown name gets a friendly list of the valid ones.
#[test]
fn rule_1_an_unknown_profile_gets_the_valid_ones() {
    let profiles = profiles();
    let name = |invocation: &Invocation, preferred: Option<&str>| {
        choose(invocation, preferred, &profiles).map(|profile| profile.name.clone())
    };
    let named = |name: &str| Invocation::Named(name.to_owned());
    assert_eq!(name(&named("default_fallback_profile"), None).unwrap(), "default_fallback_profile");
    assert_eq!(name(&Invocation::Bare, None).unwrap(), "default_realization_profile", "bare means realization");
    assert_eq!(name(&Invocation::Bare, Some("default_fallback_profile")).unwrap(), "default_fallback_profile");
    assert_eq!(name(&named("default_fallback_profile"), Some("x")).unwrap(), "default_fallback_profile");
    let refusal = name(&named("default_falback_profile"), None).unwrap_err();
    assert!(refusal.reason.contains("`default_falback_profile`"), "{refusal}");
    assert!(refusal.hint.contains("did you mean `default_fallback_profile`?"), "{refusal}");
    assert!(refusal.hint.contains("default_realization_profile (realization): Default realization"), "{refusal}");
    assert!(name(&Invocation::Bare, Some("gone")).unwrap_err().reason.contains("gone"));
    assert!(choose(&Invocation::Bare, None, &[]).unwrap_err().hint.contains("init --protocol profile"));
}

/// PF-06: the gates in `.env`.
#[test]
fn gates_of_people() {
    for (env, expected) in [
        ("", &[][..]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A,B", &["A", "B"]),
        ("X=1\nexport ORCHESTRATOR_MIDFLOW_HUMAN_GATES = \"A , B\" # why\n", &["A", "B"]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES='A'", &["A"]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A # B", &["A"]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A\nORCHESTRATOR_MIDFLOW_HUMAN_GATES=none", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=NO", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=False", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=0", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=", &[]),
        ("#ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A,,B,", &["A", "B"]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES= # nobody yet", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=#A", &[]),
        ("export\tORCHESTRATOR_MIDFLOW_HUMAN_GATES=A,B\t# why\r\n", &["A", "B"]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=\"\"", &[]),
        ("ORCHESTRATOR_MIDFLOW_HUMAN_GATES=A#1", &["A#1"]),
        ("exportORCHESTRATOR_MIDFLOW_HUMAN_GATES=A", &[]),
    ] {
        let found: Vec<String> = human_gates(env).into_iter().collect();
        assert_eq!(found, expected, "{env:?}");
    }
}

/// PF-11: slugs, folders, ids.
#[test]
fn names() {
    for (headline, expected) in [
        ("A Parser for YAML!", "a_parser_for_yaml"),
        ("  --x--  ", "x"),
        ("Ünïcode 7", "n_code_7"),
        ("가나", ""),
        ("../../etc", "etc"),
        ("", ""),
    ] {
        assert_eq!(slug(headline), expected, "{headline:?}");
    }
    assert!(slug(&"x".repeat(9999)).len() <= 120);
    assert_eq!(artifact_folder("가나", "idea-7"), "agent_runtime/artifacts/idea_7");
    let numbered = artifact_folder("가나", "/");
    assert!(numbered.starts_with("agent_runtime/artifacts/idea_") && numbered.len() == 37, "{numbered}");
    assert_ne!(numbered, artifact_folder("나가", "/"), "two ideas have two folders");
    assert_eq!(artifact_path("A b", "i", "x.md"), "agent_runtime/artifacts/a_b/x.md");
    assert_eq!(run_id("demo", "2026-02-08T14:46:05Z"), "run-demo-20260208T144605Z");
    assert_eq!(workspace("idea-7"), "implementations/idea-7");
    assert_eq!(workspace("../x"), "implementations/_x");
    assert_eq!(workspace("a/b"), "implementations/a_b");
    assert_eq!(workspace("가나 7"), "implementations/가나_7", "two ideas have two repositories");
}
