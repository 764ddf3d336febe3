//! The protocol `lineage` with agents that mean no good.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::place::Place;

/// LN-14: what people put in and set is read-only to agents, whatever they try. The same program does harm where nobody
/// confines it, so that the test could fail.
#[test]
fn ln14_settings_guidelines_and_data_are_read_only_to_agents() {
    let place =
        Place::with(&[("data/a.md", b"The yard has 40 boats.\n"), ("guidelines/style.md", b"# Style\n\nShort.\n")]);
    let made = place.run(&["init", "--protocol", "lineage"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    let targets = ["settings/set_phases.md", "settings/mcp_list.md", "guidelines/style.md", "data/a.md", "data/new.md"];
    let harm: String =
        targets.iter().map(|target| format!("echo evil >> '{}'\n", place.path(target).display())).collect();
    fs::write(place.path("evil.sh"), format!("#!/bin/sh\ncat > /dev/null\n{harm}exit 1\n")).unwrap();
    fs::set_permissions(place.path("evil.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let now = || targets.map(|target| fs::read(place.path(target)).ok());

    let before = now();
    let agent = format!("executor=command:{}", place.path("evil.sh").display());
    let request = "Write a report on the yards, as Markdown.";
    let ran = place.run(&["run", request, "--yes", "--agent", "planner=offline", "--agent", &agent]);
    assert_eq!(ran.code, 4, "{}", ran.shown());
    assert_eq!(now(), before, "{}", ran.shown());

    let status = std::process::Command::new(place.path("evil.sh")).stdin(std::process::Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(now().iter().zip(&before).all(|(after, before)| after != before), "it does harm where it can");
}
