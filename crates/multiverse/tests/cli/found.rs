//! Who works where nobody was named: whoever is found on the `PATH` with a key, else offline, said in one line; and a run
//! goes on with whom it began.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, Ran};
use crate::scripted::{REQUEST, last, place};

const LINE: &str = "no agent is configured: ";

/// A project, and a CLI that is a shell script and says that it was there.
fn with_cli(version: &str) -> (Place, String) {
    let place = place("");
    fs::create_dir_all(place.path("bin")).unwrap();
    let text =
        format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo aider {version}; exit; }}\necho 'I was here'; exit 3\n");
    fs::write(place.path("bin/aider"), text).unwrap();
    fs::set_permissions(place.path("bin/aider"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    (place, path)
}

fn run(place: &Place, path: &str, key: Option<&str>, arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    command.env("PATH", path).envs(key.map(|key| ("DEEPSEEK_API_KEY", key)));
    Ran::of(command.output().unwrap())
}

#[track_caller]
fn who(ran: &Ran) -> String {
    let line = ran.stderr.lines().find_map(|line| line.strip_prefix(LINE));
    line.unwrap_or_else(|| panic!("{}", ran.shown())).split_once(" works").unwrap().0.to_string()
}

/// The first that runs, is new enough and has a key; without a key, or too old, it is offline.
#[test]
fn whoever_is_found_works() {
    let (place, path) = with_cli("0.86.2");
    let ran = run(&place, &path, Some("k"), &["run", REQUEST, "--dry-run"]);
    assert_eq!(who(&ran), "aider", "{}", ran.shown());
    let told = "error: aider drafted no proposal: ";
    assert!(ran.code == 1 && ran.stderr.contains(told) && !ran.stderr.contains("Failed("), "in words: {}", ran.shown());
    assert!(
        ran.stderr.contains("with the key in DEEPSEEK_API_KEY; it costs what its provider asks for"),
        "{}",
        ran.shown()
    );
    assert_eq!(who(&run(&place, &path, None, &["run", REQUEST, "--dry-run"])), "offline");
    assert_eq!(who(&run(&place, "/usr/bin:/bin", Some("k"), &["run", REQUEST, "--dry-run"])), "offline");
    let named = run(&place, &path, Some("k"), &["run", REQUEST, "--dry-run", "--agent", "offline"]);
    assert!(named.code == 0 && !named.stderr.contains(LINE), "{}", named.shown());
    let (old, path) = with_cli("0.1.0");
    assert_eq!(who(&run(&old, &path, Some("k"), &["run", REQUEST, "--dry-run"])), "offline");
}

/// A run that began offline goes on so where a key has come meanwhile, and one of a CLI with that CLI.
#[test]
fn a_run_goes_on_with_whom_it_began() {
    let (place, path) = with_cli("0.86.2");
    let began = run(&place, &path, None, &["run", "Make a report of what is in assets."]);
    assert_eq!(began.code, 3, "{}", began.shown());
    let ran = run(&place, &path, Some("k"), &["confirm", "last"]);
    assert_eq!((ran.code, who(&ran).as_str()), (0, "offline"), "{}", ran.shown());
    let began = run(&place, &path, Some("k"), &["run", REQUEST]);
    let id = last(&place);
    assert_eq!(who(&began), "aider", "{}", began.shown());
    let kept = place.run(&["explain", &id]).stdout;
    assert!(began.code == 4 && kept.contains("aider"), "{}\n{kept}", began.shown());
    let retried = run(&place, &path, None, &["retry", &id]);
    assert!(retried.stderr.contains("with the agents it began with: aider"), "{}", retried.shown());
}
