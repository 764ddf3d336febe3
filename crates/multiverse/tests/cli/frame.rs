//! What all commands share: help, usage errors, streams, colours, exit codes.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::place::{Place, Ran};

/// A document with one problem.
const BROKEN: &[u8] = b"| a | b |\n|---|---|\n| 1 |\n";

#[test]
fn no_arguments_teach_and_are_a_usage_error() {
    let ran = Place::with(&[]).run(&[]);
    let shown = ran.shown();
    let (page, _) = shown.split_once("\n\nOptions:").unwrap();
    insta::assert_snapshot!(page, @r#"
    exit code 2
    --- stderr
    Long, many-agent work that does not go wrong silently

    A request becomes a run: planned, agreed with you, carried out by agents, and
    recorded step by step. What it is about lies in assets/, what comes of it in
    outputs/. Documents in Markdown, YAML and JSON are the interface: read them,
    edit them, keep them in git. Data goes to stdout, talk to stderr. With --json
    there is one object a line on stdout, errors included.

    Examples:
      multiverse "Make a report of what is in assets." --yes    carry out a request
      multiverse status --all       the runs, and where they stand
      multiverse inbox              what waits for you
      multiverse history            what happened; `undo` and `restore` go back
      multiverse help run           the page of a command
      multiverse help answers       a topic: agents, answers, files, json, trouble

    Exit codes: 0 done, 1 error, 2 usage, 3 waiting for a person, 4 run failed,
    5 nothing to do now

    Usage: multiverse [OPTIONS] <COMMAND>

    Commands:
      init         Make a project here
      run          Carry out a request
      do           Have something done at once, without a run
      status       Show runs, or one run
      watch        Watch a run as it goes
      explain      Say why a run or an item is where it is, or what an error means
      inbox        Show what waits for you
      gate         Decide at a gate of a workflow
      answer       Answer what a run asks, or hand in your work
      confirm      Confirm what a run proposes
      modify       Have a proposal changed
      cancel       End a run for good
      pause        Hand out no more work of a run
      resume       Go on with runs that stopped
      retry        Go on where a failed run ended, in a new run
      logs         Show what happened in a run
      catalog      List, search and show the files that runs know of
      lineage      Show where files came from, and what is stale
      import       Take over a project that others made
      adopt        Put documents under the journal
      history      Show what happened, newest first
      undo         Take back what one record changed
      restore      Bring a document back to what it was
      check        Look for problems in documents
      cycle        Look at a goal and its record: plan, act, judge
      roadmap      Look at a roadmap, and change it
      profile      Look at workflow profiles, and begin new ones
      mcp          Serve the tools of a roadmap's log to an agent (MCP)
      verify       Prove that the journal was not altered
      doctor       Look whether all is well here
      config       Show what is set, and where it comes from
      schema       Show what agents are given, and what they give back
      completions  Print what a shell needs to complete command lines
      man          Write manual pages
      help         Print this message or the help of the given subcommand(s)
    "#);
}

#[test]
fn options_are_the_same_for_every_command() {
    let page = Place::with(&[]).run(&["help"]).stdout;
    let (_, options) = page.split_once("\n\nOptions:\n").unwrap();
    insta::assert_snapshot!(options, @"
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Global options:
      -C, --project <DIR>
              The project's folder, or one in it; paths on the command line are taken from there, too

          --json
              Write one JSON object a line

      -q, --quiet
              Say nothing but errors, and what became of a file that is not where it was put

      -v, --verbose
              Say every step

          --color <WHEN>
              When to use colours; NO_COLOR is honoured

              Possible values:
              - auto:   On a terminal, unless NO_COLOR is set
              - always: Wherever the output goes
              - never:  Not at all
    ");
}

#[test]
fn help_is_data_and_version_is_one_line() {
    let place = Place::with(&[]);
    for arguments in [&["--help"][..], &["help"], &["check", "--help"], &["help", "check"]] {
        let ran = place.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(ran.stdout.contains("Examples:"), "{arguments:?}");
    }
    let version = place.run(&["--version"]);
    assert_eq!(version.shown(), format!("exit code 0\n--- stdout\nmultiverse {}\n", env!("CARGO_PKG_VERSION")));
}

/// Every example on every help page is run as it is written, by a shell.
#[test]
fn examples_on_the_help_pages_work() {
    let files: &[(&str, &[u8])] = &[
        ("README.md", b"# One\n"),
        ("docs/a.md", b"# Two\n"),
        ("plan.yaml", b"a: 1\n"),
        ("notes.txt", b"# Three\n"),
        ("assets/sales.csv", b"month,units\nJan,3\n"),
        ("docs/context/current_cycle.md", crate::cycle::STRICT.as_bytes()),
    ];
    let place = Place::with(files);
    let commands = place.run(&["help"]).stdout;
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let commands = commands.filter(|command| *command != "help");
    let mut pages = vec![place.run(&["help"])];
    pages.extend(commands.map(|command| place.run(&["help", command])));
    let mut count = 0;
    for page in &pages {
        let examples: Vec<&str> = examples(&page.stdout).collect();
        assert!(!examples.is_empty(), "no example in:\n{}", page.stdout);
        for example in examples {
            let binary = std::path::Path::new(env!("CARGO_BIN_EXE_multiverse"));
            let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
            let place = Place::with(files);
            prepare(&place, example);
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", example]).current_dir(place.path("")).env_clear().env("PATH", path).stdin(Stdio::null());
            let ran = Ran::of(shell.output().unwrap());
            assert_eq!(ran.code, 0, "`{example}`\n{}", ran.shown());
            count += 1;
        }
    }
    assert!(count >= pages.len());
}

/// Examples that go back need something to go back to, and those that answer a run that waits.
fn prepare(place: &Place, example: &str) {
    let is_about = |commands: &[&str]| commands.iter().any(|command| example.contains(command));
    if is_about(&["history", "undo", "restore", "verify"]) {
        assert_eq!(place.run(&["adopt", "README.md"]).code, 0);
        std::fs::write(place.path("README.md"), "# Changed\n").unwrap();
        assert_eq!(place.run(&["adopt", "docs"]).code, 0);
    }
    if is_about(&["import"]) {
        std::fs::create_dir_all(place.path("old-project/db")).unwrap();
        let runs = "| run_id | user_request | status |\n|--|--|--|\n| r1 | x | done |\n";
        std::fs::write(place.path("old-project/db/process_runs.md"), runs).unwrap();
    }
    if is_about(&["catalog", "multiverse lineage", "watch"]) {
        assert_eq!(place.run(&["run", "Make a report of what is in assets.", "--yes"]).code, 0);
    }
    let about_runs = ["status", "explain", "inbox", "answer", "confirm", "modify", "cancel", "pause", "resume"];
    if is_about(&about_runs) || is_about(&["retry", "logs"]) {
        assert_eq!(place.run(&["run", "Make a report of what is in assets."]).code, 3);
    }
    if is_about(&["cycle status"]) {
        std::fs::remove_file(place.path("docs/context/current_cycle.md")).unwrap();
        std::fs::write(place.path("docs/a.md"), "# Two Words\n").unwrap();
        let goal = "Every heading in docs/ is in sentence case.";
        assert_eq!(place.run(&["run", "--protocol", "cycle", goal]).code, 3);
    }
    if is_about(&["roadmap"]) {
        std::fs::create_dir_all(place.path(".jixo")).unwrap();
        let task = "## A\n- Write \"one\" to docs/one.md\n- Write \"two\" to docs/two.md\n";
        std::fs::write(place.path(".jixo/harbour.task.md"), task).unwrap();
    }
    if is_about(&["multiverse roadmap"]) {
        // Somebody's work keeps the session open.
        let ran = place.run(&["run", "--protocol", "roadmap", "--agent", "executor=person"]);
        assert_eq!(ran.code, 3, "{}", ran.shown());
    }
    if is_about(&["multiverse gate"]) {
        std::fs::create_dir_all(place.path("ideas")).unwrap();
        std::fs::write(place.path("ideas/one.md"), "# One\n").unwrap();
        assert_eq!(place.run(&["run", "--profile", "default_fallback_profile"]).code, 3);
    }
    if is_about(&["retry"]) {
        assert_eq!(place.run(&["cancel", "last"]).code, 0);
    }
}

/// The indented lines below "Examples:", what stands after several blanks left out.
fn examples(page: &str) -> impl Iterator<Item = &str> {
    let lines = page.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.trim().split("   ").next())
}

#[test]
fn a_typo_is_met_with_a_suggestion() {
    let place = Place::with(&[]);
    insta::assert_snapshot!(place.run(&["chekc", "a.md"]).shown(), @"
    exit code 2
    --- stderr
    error: unrecognized subcommand 'chekc'

      tip: some similar subcommands exist: 'schema', 'check'

    Usage: multiverse [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(place.run(&["check", "--jsno", "a.md"]).shown(), @"
    exit code 2
    --- stderr
    error: unexpected argument '--jsno' found

      tip: a similar argument exists: '--json'

    Usage: multiverse check --json <FILE>...

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(place.run(&["check"]).shown(), @"
    exit code 2
    --- stderr
    error: the following required arguments were not provided:
      <FILE>...

    Usage: multiverse check <FILE>...

    For more information, try '--help'.
    ");
}

#[test]
fn usage_errors_are_json_when_json_is_asked_for() {
    let place = Place::with(&[]);
    insta::assert_snapshot!(place.run(&["--json", "chekc"]).shown(), @r#"
    exit code 2
    --- stdout
    {"error":{"kind":"usage","message":"unrecognized subcommand 'chekc'","hint":"some similar subcommands exist: 'schema', 'check'"}}
    "#);
    insta::assert_snapshot!(place.run(&["check", "--json"]).shown(), @r#"
    exit code 2
    --- stdout
    {"error":{"kind":"usage","message":"the following required arguments were not provided: <FILE>...","hint":"`multiverse --help` shows what can be asked"}}
    "#);
    insta::assert_snapshot!(place.run(&["check", "-", "--json"]).shown(), @r#"
    exit code 2
    --- stdout
    {"error":{"kind":"usage","message":"stdin has no ending that says what it is","hint":"add `--as md`, `--as yaml` or `--as json`"}}
    "#);
    // Behind `--` it is the name of a file.
    assert_eq!(place.run(&["chekc", "--", "--json"]).stdout, "");
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let document = [b"| a | b |\n|---|---|\n", b"| 1 |\n".repeat(500).as_slice()].concat();
    let place = Place::with(&[("a.md", b"# A\n"), ("big.md", &document)]);
    for (arguments, code) in [(&["check", "big.md"][..], 1), (&["check", "--json", "big.md"], 1), (&["--help"], 0)] {
        // A pipe whose reading end is closed before the program begins to write.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::of(place.command(arguments).stdout(writer).output().unwrap());
        assert_eq!(ran.code, code, "{arguments:?}\n{}", ran.shown());
        assert!(!ran.stderr.contains("error") && !ran.stderr.contains("panic"), "{}", ran.shown());
    }
}

/// QL-24: output that cannot be written is an error that says so.
#[test]
fn a_full_disk_behind_stdout_is_an_error() {
    let place = Place::with(&[("a.md", BROKEN)]);
    for arguments in
        [&["check", "a.md"][..], &["check", "--json", "a.md"], &["--help"], &["help", "undo"], &["--version"]]
    {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::of(place.command(arguments).stdout(full).output().unwrap());
        let expected = "exit code 1\n--- stderr\n\
                        error: cannot write the output: no space left on device\n\
                        hint: look at where the output goes: is the disk full?\n";
        assert_eq!(ran.shown(), expected, "{arguments:?}");
    }
}

/// What the README shows is what the program prints.
#[test]
fn the_example_in_the_readme_is_true() {
    let readme = include_str!("../../../../README.md");
    let (_, rest) = readme.split_once("```console\n$ multiverse ").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let (arguments, expected) = example.split_once('\n').unwrap();
    let plan = b"# Plan\n\n| id | task | status |\n|---|---|---|\n| 1 | write | DONE |\n| 2 | read |\n";
    let ran = Place::with(&[("plan.md", plan)]).run(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(format!("{}{}", ran.stdout, ran.stderr), expected);
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let place = Place::with(&[("a.md", BROKEN)]);
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = place.command(&[&["check", "a.md"], arguments].concat());
        command.envs(variables.iter().copied());
        Ran::of(command.output().unwrap()).stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]), "no terminal, no colours");
    assert!(colored(&["--color", "always"], &[]));
    assert!(colored(&["--color=always"], &[("NO_COLOR", "1")]), "the option is nearer than the environment");
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&["--json", "--color", "always"], &[]), "JSON has no colours");
    let usage = |color: &str| place.run(&["--color", color, "chekc"]).stderr.contains('\u{1b}');
    assert!(usage("always") && !usage("never"));
}

/// QL-34: neither a name nor an argument reaches the terminal raw.
#[test]
fn escape_sequences_in_arguments_are_shown_not_sent() {
    let place = Place::with(&[]);
    for arguments in [&["check", "\u{1b}[31mx.md"][..], &["\u{1b}[31mcheck"], &["check", "--\u{1b}[31m"]] {
        let ran = place.run(arguments);
        assert_ne!(ran.code, 0);
        assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.contains('␛'), "{}", ran.shown());
    }
}

#[test]
fn quiet_and_verbose_change_the_talk_alone() {
    let place = Place::with(&[("a.md", BROKEN), ("b.md", b"# B\n")]);
    let normal = place.run(&["check", "a.md", "b.md"]);
    let quiet = place.run(&["check", "-q", "a.md", "b.md"]);
    let verbose = place.run(&["check", "-v", "a.md", "b.md"]);
    assert_eq!((&normal.stdout, normal.code), (&quiet.stdout, quiet.code));
    assert_eq!((&normal.stdout, normal.code), (&verbose.stdout, verbose.code));
    assert_eq!(normal.stderr, "1 problem in 2 documents\n");
    assert_eq!(quiet.stderr, "");
    assert_eq!(verbose.stderr, "a.md: 1 problem\nb.md: 0 problems\n1 problem in 2 documents\n");
    assert_eq!(place.run(&["check", "-q", "-v", "a.md"]).code, 2);
}
