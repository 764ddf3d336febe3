//! Real programs as agents: what they get, what they give, and every way in which they go wrong (MV-21, MV-32, MV-36,
//! QL-30, QL-32, QL-35).
#![cfg(target_os = "linux")]

mod stage;

use std::fs;
use std::path::Path;

use agent::{Access, Backend, Command, Ending};
use stage::{DONE, OUTPUT, Stage, error, file, problems, report, write_program};
use tools::Stop;

/// MV-21, MV-31: a program reads its brief and its files, writes its output into the workdir and reports it.
#[test]
fn a_program_gets_a_brief_and_gives_a_report() {
    let mut stage = Stage::new();
    let program = stage.program(
        "#!/usr/bin/env python3\n\
         import json, os, sys\n\
         brief = json.load(sys.stdin)\n\
         assert brief == json.load(open(os.environ['MULTIVERSE_BRIEF']))\n\
         assert os.getcwd() == brief['workdir'], os.getcwd()\n\
         rows = open(brief['files'][0]['path']).read()\n\
         path = brief['expects']['outputs'][0]\n\
         open(path, 'w').write('# found\\n' + rows)\n\
         print('working', file=sys.stderr)\n\
         print(json.dumps({'status': 'done', 'outputs': [{'path': path}], 'confidence': 8,\n\
             'summary': sys.argv[1], 'usage': {'input_tokens': 3}, 'unknown': 1}))\n",
    );
    let job = stage.job();
    let command = stage.command(&format!("{} 'two words'", program.display()));
    let (ending, said) = stage.work_and_listen(&command, &job);
    let Ending::Report { report, log } = ending else { panic!("{ending:?}") };
    assert_eq!(log, "working\n");
    assert_eq!(said, [format!("started {} 'two words'", program.display())]);
    assert_eq!((report.summary.as_str(), report.confidence), ("two words", Some(8.0)));
    let outputs = stage.collect(&report).unwrap();
    assert_eq!(outputs.len(), 1);
    assert_eq!((outputs[0].path.as_str(), &outputs[0].content[..]), (OUTPUT, &b"# found\na,b\n1,2\n"[..]));
    stage.assert_untouched();
    stage.scratch.take().unwrap().remove().unwrap();
    assert!(!job.workdir.exists());
    stage.assert_untouched();
}

/// QL-35: the environment is exactly what is documented, home and temporary files lie in the workdir.
#[test]
fn the_environment_is_exactly_what_is_documented() {
    let mut stage = Stage::new();
    let ending = stage.sh("env | sed 's/=.*//' | grep -vx -e PWD -e SHLVL -e _ -e OLDPWD | sort | tr '\\n' ' ' >&2\n\
         touch \"$HOME/h\" \"$TMPDIR/t\" && echo \"$TERM $MULTIVERSE_RUN\" >&2\n\
         echo '{\"status\": \"paused\"}'");
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    let names = "HOME LANG MULTIVERSE_BRIEF MULTIVERSE_PROJECT MULTIVERSE_RUN PATH TERM TMPDIR ";
    assert_eq!(log, format!("{names}dumb run-1\n"));
    assert!(stage.workdir().join(".home/h").exists() && stage.workdir().join(".tmp/t").exists());
}

/// QL-32: it exits early, prints nothing, garbage or half an object.
#[test]
fn early_exits_and_garbage_are_named() {
    let mut stage = Stage::new();
    let found = error(stage.sh("echo 'no model' >&2; exit 1"));
    assert_eq!(found, "the agent ended with exit code 1 and no report: no model");
    let found = error(stage.sh("kill -SEGV $$"));
    assert_eq!(found, "the agent was ended by signal 11");
    let found = problems(stage.sh("exit 0"));
    assert_eq!(found, ["there is no report: nothing was printed, expected one JSON object on standard output"]);
    let found = problems(stage.sh("printf '{\"status\": \"done\", \"outp'"));
    let half = "the report is not JSON: EOF while parsing a string at line 1 column 24; it begins with \
                `{\"status\": \"done\", \"outp`";
    assert_eq!(found, [half]);
    let found = report(stage.sh("echo '{\"status\": \"failed\", \"error\": \"no data\"}'; exit 1"));
    assert_eq!(found.error.as_deref(), Some("no data"));
    let found = error(stage.sh(&format!("echo '{DONE}'; exit 1")));
    assert_eq!(found, "the agent ended with exit code 1 although its report says done");
}

/// MV-21, QL-32: work that was not done is not believed.
#[test]
fn claims_are_checked() {
    let mut stage = Stage::new();
    let claims = report(stage.sh(&format!("echo '{DONE}'")));
    let missing = format!("{OUTPUT}: the report names it, but it was not written into the workdir");
    assert_eq!(stage.collect(&claims).unwrap_err(), [missing]);
    let claims = report(stage.sh(&format!(": > {OUTPUT}; echo '{DONE}'")));
    assert_eq!(stage.collect(&claims).unwrap_err(), [format!("{OUTPUT}: is empty")]);
    let claims = report(stage.sh(&format!("rm -r runs; mkdir -p {OUTPUT}; echo '{DONE}'")));
    assert_eq!(stage.collect(&claims).unwrap_err(), [format!("{OUTPUT}: is no ordinary file")]);
    let claims = report(stage.sh("echo '{\"status\": \"done\"}'"));
    let forgotten = format!("{OUTPUT}: is asked for, but is neither in the report nor in the workdir");
    assert_eq!(stage.collect(&claims).unwrap_err(), [forgotten]);
}

/// QL-30: an output that is a link, or lies behind one, is not followed; nor is a pipe waited for.
#[test]
fn linked_outputs_are_not_followed() {
    let mut stage = Stage::new();
    let secret = stage.outside.join("secret").display().to_string();
    let claims = report(stage.sh(&format!("ln -s {secret} {OUTPUT}; echo '{DONE}'")));
    let link = format!("{OUTPUT}: `x.md` is a symbolic link, which is not followed");
    assert_eq!(stage.collect(&claims).unwrap_err(), [link]);
    let folder = stage.project.join("runs/run-2/workspace").display().to_string();
    let script = format!("cd runs/run-1/workspace; rmdir ANALYSIS; ln -s {folder} ANALYSIS; echo '{DONE}'");
    let claims = report(stage.sh(&script));
    let found = stage.collect(&claims).unwrap_err();
    assert_eq!(found[0], format!("{OUTPUT}: `ANALYSIS` is a symbolic link, which is not followed"));
    let claims = report(stage.sh(&format!("mkfifo {OUTPUT}; echo '{DONE}'")));
    assert_eq!(stage.collect(&claims).unwrap_err(), [format!("{OUTPUT}: is no ordinary file")]);
    let claims = report(stage.sh(&format!("echo x > notes; ln notes {OUTPUT}; echo '{DONE}'")));
    let hard = format!("{OUTPUT}: has another name (a hard link): write a file of its own");
    assert_eq!(stage.collect(&claims).unwrap_err(), [hard]);
    stage.assert_untouched();
}

/// MV-32, MV-36, QL-30: it cannot write the project, read other runs or leave, whatever way it takes.
#[test]
fn a_program_reaches_nothing_but_its_own() {
    let mut stage = Stage::new();
    std::os::unix::fs::symlink(stage.outside.join("secret"), stage.project.join("assets/way_out")).unwrap();
    stage.brief.files.push(file("assets/way_out", Access::Read));
    let program = stage.program(
        "#!/bin/sh\n\
         P=\"$MULTIVERSE_PROJECT\"; tried() { if \"$@\" 2>/dev/null >&2; then echo \"could: $*\" >&2; fi; }\n\
         write() { echo x >> \"$1\"; }\n\
         tried cat assets/a.csv; tried write notes\n\
         tried write \"$P/db/table.md\"; tried write \"$P/db/new.md\"; tried write \"$P/assets/a.csv\"\n\
         tried write assets/a.csv; tried write \"$P/runs/run-2/workspace/other.md\"; tried rm -f \"$P/assets/a.csv\"\n\
         tried cat \"$P/runs/run-2/workspace/other.md\"; tried ls \"$P/runs\"; tried cat \"$P/db/table.md\"\n\
         tried cat \"$P/../outside/secret\"; tried cat assets/way_out; tried cat ../../../../../outside/secret\n\
         ln -s \"$P/db\" mine; tried cat mine/table.md; tried write mine/table.md\n\
         tried ln \"$P/db/table.md\" hard; tried cat /proc/$PPID/environ; tried cat /etc/shadow\n\
         echo '{\"status\": \"paused\"}'\n",
    );
    let job = stage.job();
    let command = stage.command(&program.display().to_string());
    let (ending, said) = stage.work_and_listen(&command, &job);
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    assert_eq!(log, "could: cat assets/a.csv\ncould: write notes\n");
    let left_out =
        format!("{} leads out of the project and is left out", stage.project.join("assets/way_out").display());
    assert!(said.contains(&left_out), "{said:?}");
    stage.assert_untouched();
}

/// MV-32: what it writes into its own `db/`, `assets/`, … was not asked for either.
#[test]
fn files_nobody_asked_for_are_named() {
    let mut stage = Stage::new();
    let script = format!(
        "mkdir -p db guidelines outputs/run-1 notes; echo x | tee {OUTPUT} db/tasks.md guidelines/g.md notes/n.md \
         outputs/run-1/o.md tmp.txt assets/more.md > /dev/null; rm assets/a.csv; echo mine > assets/a.csv; \
         echo '{DONE}'"
    );
    let claims = report(stage.sh(&script));
    let stray = |path: &str| format!("wrote {path} which it may not: write only what the brief asks for");
    let expected =
        ["db/tasks.md", "assets/a.csv", "assets/more.md", "guidelines/g.md", "outputs/run-1/o.md"].map(stray);
    assert_eq!(stage.collect(&claims).unwrap_err(), expected);
    stage.assert_untouched();
}

/// QL-32: it hangs; it ignores the polite signal; both end at their limit.
#[test]
fn hanging_programs_end_at_their_limit() {
    let mut stage = Stage::new();
    stage.brief.limits.seconds = 1;
    let late = "the agent did not end within 1 s, its limit";
    assert_eq!(error(stage.sh("exec sleep 1000")), late);
    assert_eq!(error(stage.sh("trap '' TERM; echo deaf >&2; while :; do sleep 1000; done")), format!("{late}: deaf"));
    // A report before the end is no excuse: what came after it is not known.
    assert_eq!(error(stage.sh(&format!("echo x > {OUTPUT}; echo '{DONE}'; exec sleep 1000"))), late);
}

/// QL-31, QL-32: whatever it leaves behind ends with it.
#[test]
fn grandchildren_end_with_the_program() {
    let mut stage = Stage::new();
    // Process numbers inside need not be those outside, so it is known by how long it sleeps.
    let mark = format!("1000.{:09}", std::process::id());
    let script = format!(
        "setsid sh -c 'trap \"\" TERM HUP; : > there; sleep {mark}; sleep {mark}' &\n\
         while [ ! -e there ]; do sleep 0.01; done; echo '{{\"status\": \"paused\"}}'"
    );
    report(stage.sh(&script));
    let command_line = |process: &Path| fs::read(process.join("cmdline")).unwrap_or_default();
    assert!(!command_line(Path::new("/proc/self")).is_empty());
    let left = fs::read_dir("/proc").unwrap().map(|process| process.unwrap().path());
    let left = left.filter(|process| String::from_utf8_lossy(&command_line(process)).contains(&mark));
    assert_eq!(left.count(), 0);
}

/// QL-32: floods are cut off, on either pipe.
#[test]
fn floods_are_bounded() {
    let mut stage = Stage::new();
    assert_eq!(error(stage.sh("exec yes")), "the agent printed more than 1048576 bytes, its limit");
    let ending = stage.sh("yes | head -c 3000000 >&2; echo '{\"status\": \"paused\"}'");
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    assert!(log.len() < 70_000 && log.ends_with("\n(more was said, and not kept)"), "{}", log.len());
    let end = error(stage.sh("yes | head -c 60000 >&2; exit 1"));
    assert!(end.len() < 3000, "{}", end.len());
}

/// A stop from another thread ends the program; a stop from before lets it never begin.
#[test]
fn a_stop_ends_the_program() {
    let mut stage = Stage::new();
    let program = stage.program("#!/bin/sh\n: > begun; exec sleep 1000\n");
    let job = stage.job();
    let command = stage.command(&program.display().to_string());
    let stop = Stop::new();
    let begun = stage.workdir().join("begun");
    let ending = std::thread::scope(|scope| {
        let working = scope.spawn(|| command.work(&job, &stop, &|_| {}));
        while !begun.exists() && !working.is_finished() {
            std::thread::yield_now();
        }
        stop.stop();
        working.join().unwrap()
    });
    assert_eq!(ending, Ending::Stopped);
    assert_eq!(command.work(&job, &stop, &|_| {}), Ending::Stopped);
}

/// MV-36: a script that lies in the project can be run, with its modules, and opens nothing else.
#[test]
fn a_script_in_the_project_does_not_open_the_project() {
    let mut stage = Stage::new();
    let script = "import json, os, agent_words\n\
                  for path in ['db/table.md', 'runs/run-2/workspace/other.md', 'README']:\n    \
                  try: open(os.environ['MULTIVERSE_PROJECT'] + '/' + path).read(); print('could', path)\n    \
                  except PermissionError: pass\n\
                  print(json.dumps({'status': 'paused', 'summary': agent_words.WORDS}))\n";
    write_program(&stage.project.join("agents/a.py"), script);
    write_program(&stage.project.join("agents/agent_words.py"), "WORDS = 'from beside'\n");
    fs::write(stage.project.join("README"), "x").unwrap();
    let job = stage.job();
    let command = Command::new("python3 agents/a.py", &stage.project).unwrap().with_limits(stage.limits);
    let found = report(stage.work(&command, &job));
    assert_eq!(found.summary, "from beside");
    write_program(
        &stage.project.join("a.sh"),
        "#!/bin/sh\ncat \"$MULTIVERSE_PROJECT/README\" || echo '{\"status\": \"paused\"}'\n",
    );
    let command = Command::new("./a.sh", &stage.project).unwrap().with_limits(stage.limits);
    report(stage.work(&command, &job));
}

/// A program that is not there is named, before or when it is started.
#[test]
fn a_missing_program_is_named() {
    let mut stage = Stage::new();
    let found = Command::new("./none x", &stage.project).unwrap_err();
    assert_eq!(found, format!("there is no program {}", stage.project.join("./none").display()));
    let job = stage.job();
    let found = error(stage.work(&stage.command("no-such-program-here"), &job));
    assert!(found.contains("no-such-program-here") && found.contains("PATH"), "{found}");
}
