//! Coding CLIs as agents (QL-30, QL-32, QL-35, MV-21): small programs that say and do exactly what the real ones were seen
//! to, with every trap among it. The events are those of the real CLIs, shortened.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

mod stage;

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use agent::{Cli, Ending, Preset, Surroundings};
use stage::{OUTPUT, Stage, error, problems, report, write_program};
use tools::Stop;

/// A report as the last answer, as a JSON string inside an event.
const ANSWER: &str = r#"{\"status\": \"done\", \"summary\": \"made x\", \"outputs\": [{\"path\": \"runs/run-1/workspace/ANALYSIS/x.md\"}]}"#;

/// The CLI, played by a shell script that gets the prompt on its input.
fn preset(stage: &Stage, cli: Cli, script: &str) -> Preset {
    let program = stage.outside.join(format!("bin/{}", cli.name()));
    let head = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 9.9.9; exit; }\n";
    write_program(&program, &format!("{head}{script}\n"));
    Preset::new(cli, None).with_program(program).with_surroundings(surroundings(stage)).with_limits(stage.limits)
}

fn surroundings(stage: &Stage) -> Surroundings {
    let home = stage.outside.join("home");
    fs::create_dir_all(&home).unwrap();
    Surroundings { home: Some(home), variables: Vec::new() }
}

/// Lets it work, with the script writing its output unless told otherwise.
fn play(stage: &mut Stage, cli: Cli, script: &str) -> Ending {
    let job = stage.job();
    let preset = preset(stage, cli, script);
    stage.work(&preset, &job)
}

/// A script that prints events; `ANSWER` in them is the report.
fn events(lines: &str) -> String {
    format!("cat > /dev/null\ncat <<'END'\n{}\nEND", lines.trim().replace("ANSWER", ANSWER))
}

fn writing(lines: &str) -> String {
    format!("echo '# x' > {OUTPUT}\n{}", events(lines))
}

const CLAUDE: &str = r#"
{"type":"system","subtype":"init","tools":["Write"],"apiKeySource":"ANTHROPIC_API_KEY"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/x.md","content":"x"}}]}}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"File created successfully"}]}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"ANSWER"}]}}
{"type":"result","subtype":"success","is_error":false,"result":"ANSWER","total_cost_usd":0.5,"usage":{"input_tokens":20,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":7},"permission_denials":[]}"#;

const CODEX: &str = r#"
{"type":"thread.started","thread_id":"01"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `mock` not found."}}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"echo x > x.md","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"echo x > x.md","aggregated_output":"","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"ANSWER"}}
{"type":"turn.completed","usage":{"input_tokens":23,"cached_input_tokens":2,"output_tokens":7}}"#;

const GEMINI: &str = r#"
{"type":"init","session_id":"s","model":"gemini-2.5-flash"}
{"type":"message","role":"user","content":"Create"}
{"type":"message","role":"assistant","content":"I begin.","delta":true}
{"type":"tool_use","tool_name":"write_file","tool_id":"w","parameters":{"file_path":"/w/x.md","content":"x"}}
{"type":"tool_result","tool_id":"w","status":"success"}
{"type":"message","role":"assistant","content":"ANSWER","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":30,"input_tokens":23,"output_tokens":7,"cached":2}}"#;

const OPENCODE: &str = r#"
{"type":"step_start","part":{"type":"step-start","messageID":"m1"}}
{"type":"tool_use","part":{"type":"tool","tool":"write","state":{"status":"completed","input":{"filePath":"/w/x.md"}}}}
{"type":"step_finish","part":{"reason":"tool-calls","tokens":{"input":11,"output":3,"cache":{"read":2}},"cost":0.25}}
{"type":"text","part":{"messageID":"m2","type":"text","text":"ANSWER"}}
{"type":"step_finish","part":{"reason":"stop","tokens":{"input":10,"output":4,"cache":{"read":0}},"cost":0.25}}"#;

const GOOSE: &str = r#"
{"type":"message","message":{"id":"c1","role":"assistant","content":[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"write","arguments":{"path":"/w/x.md"}}}}]}}
{"type":"message","message":{"id":"u1","role":"user","content":[{"type":"toolResponse","id":"t","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"Created"}],"isError":false}}}]}}
{"type":"message","message":{"id":"c2","role":"assistant","content":[{"type":"text","text":"{\"status\": \"done\","}]}}
{"type":"message","message":{"id":"c2","role":"assistant","content":[{"type":"text","text":" \"summary\": \"made x\"}"}]}}
{"type":"complete","total_tokens":30,"input_tokens":23,"output_tokens":7,"cache_read_input_tokens":2}"#;

const PI: &str = r#"
{"type":"session","version":3,"id":"s"}
{"type":"agent_start"}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"toolCall","name":"write"}],"usage":{"input":10,"output":3,"cacheRead":2,"cost":{"total":0.25}},"stopReason":"toolUse"}}
{"type":"tool_execution_start","toolName":"write","args":{"path":"/w/x.md"}}
{"type":"tool_execution_end","toolName":"write","result":{"content":[{"type":"text","text":"ok"}]},"isError":false}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"ANSWER"}],"usage":{"input":11,"output":4,"cacheRead":0,"cost":{"total":0.25}},"stopReason":"stop"}}
{"type":"agent_end","messages":[]}"#;

const VIBE: &str = r#"
{"id":"u","type":"message","role":"user","content":[{"type":"text","text":"Create"}]}
{"id":"e","type":"effect","title":"file_system.write_file","detail":{"input":{"filePath":"/w/x.md"}},"state":{"status":"completed"}}
{"id":"a","type":"message","role":"assistant","content":[{"type":"text","text":"ANSWER"}]}"#;

/// MV-21: each CLI's events become progress, usage and a report; the file it wrote is taken.
#[test]
fn every_cli_is_understood() {
    let cases = [
        (Cli::Claude, CLAUDE, "Write /w/x.md", 23, Some(0.5)),
        (Cli::Qwen, CLAUDE, "Write /w/x.md", 23, Some(0.5)),
        (Cli::Codex, CODEX, "runs echo x > x.md", 23, None),
        (Cli::Gemini, GEMINI, "write_file /w/x.md", 23, None),
        (Cli::Opencode, OPENCODE, "write /w/x.md", 23, Some(0.5)),
        (Cli::Goose, GOOSE, "write /w/x.md", 23, None),
        (Cli::Pi, PI, "write /w/x.md", 23, Some(0.5)),
        (Cli::Vibe, VIBE, "file_system.write_file /w/x.md", 0, None),
    ];
    for (cli, lines, progress, input, cost) in cases {
        let mut stage = Stage::new();
        let job = stage.job();
        let preset = preset(&stage, cli, &writing(lines));
        let (ending, said) = stage.work_and_listen(&preset, &job);
        let report = report(ending);
        assert_eq!(report.summary, "made x", "{cli:?}");
        assert!(said.iter().any(|line| line == progress), "{cli:?}: {said:?}");
        if input > 0 {
            let usage = report.usage.unwrap();
            assert_eq!((usage.input_tokens, usage.output_tokens, usage.cached_tokens), (input, 7, 2), "{cli:?}");
            assert_eq!(usage.cost_usd, cost, "{cli:?}");
            assert_eq!(job.meter.reading(), usage);
        }
        assert_eq!(stage.collect(&report).unwrap().len(), 1);
        stage.assert_untouched();
    }
}

/// MV-21: one that only talks to people is understood by its files.
#[test]
fn a_cli_without_events_is_judged_by_its_files() {
    let mut stage = Stage::new();
    let script = "for last; do :; done; echo '# x' > \"$last\"\necho 'Aider v0.86.2'\necho 'Tokens: 1.2k sent, 7 received.'\n\
                  echo 'Applied edit to x.md'";
    let found = report(play(&mut stage, Cli::Aider, script));
    assert_eq!(found.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((1200, 7)));
    assert_eq!(stage.collect(&found).unwrap().len(), 1);
}

/// MV-21: a report that is held to a schema comes as an object; one may also lie in the working folder.
#[test]
fn reports_come_by_schema_by_file_and_by_answer() {
    let mut stage = Stage::new();
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":{"status":"done","summary":"by schema","outputs":[],"result":null,"question":null,"error":null},"permission_denials":[]}"#;
    assert_eq!(report(play(&mut stage, Cli::Claude, &writing(result))).summary, "by schema");
    let by_file =
        format!("echo '{{\"status\": \"done\", \"summary\": \"by file\"}}' > report.json\n{}", writing(CODEX));
    assert_eq!(report(play(&mut stage, Cli::Codex, &by_file)).summary, "by file");
    let prose = CODEX.replace("ANSWER", "All done.");
    assert_eq!(report(play(&mut stage, Cli::Codex, &writing(&prose))).summary, "All done.");
    let found = problems(play(&mut stage, Cli::Codex, &events(&prose)));
    assert!(found[0].starts_with("there is no JSON object"), "{found:?}");
}

/// QL-32: exit code 0, and inside it the provider failed.
#[test]
fn an_error_inside_an_exit_code_of_0_is_an_error() {
    let mut stage = Stage::new();
    let goose = r#"
{"type":"message","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Ran into this error: Server error (500 Internal Server Error) at http://127.0.0.1: mock.\n\nPlease retry."}]}}
{"type":"complete","total_tokens":0,"input_tokens":0,"output_tokens":0}"#;
    let found = error(play(&mut stage, Cli::Goose, &writing(goose)));
    assert!(found.starts_with("goose could not go on: Ran into this error: Server error (500"), "{found}");
    let claude = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":500,"result":"API Error: 500 mock","permission_denials":[]}"#;
    let found = error(play(&mut stage, Cli::Claude, &writing(claude)));
    assert_eq!(found, "claude could not go on: API Error: 500 mock");
    let aider =
        format!("touch {OUTPUT}\necho 'litellm.InternalServerError: mock error500'\necho 'Retrying in 64 seconds...'");
    let found = error(play(&mut stage, Cli::Aider, &aider));
    assert_eq!(found, "aider could not go on: litellm.InternalServerError: mock error500");
    let codex = r#"{"type":"turn.failed","error":{"message":"unexpected status 500"}}"#;
    let found = error(play(&mut stage, Cli::Codex, &format!("{}\nexit 1", events(codex))));
    assert_eq!(found, "codex could not go on: unexpected status 500");
}

/// BY-09: a rate limit is a rest, not an error.
#[test]
fn a_rate_limit_is_a_rest() {
    let mut stage = Stage::new();
    let claude = r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 429 rate_limit_error","permission_denials":[]}"#;
    let ending = play(&mut stage, Cli::Claude, &events(claude));
    assert!(matches!(&ending, Ending::Later { seconds: 60, reason } if reason.contains("claude")), "{ending:?}");
}

/// QL-32: exit code 0, the answer says done, and the write was not allowed.
#[test]
fn a_refused_write_is_no_work() {
    let mut stage = Stage::new();
    let claude = CLAUDE.replace(
        "\"permission_denials\":[]",
        r#""permission_denials":[{"tool_name":"Write","tool_input":{"file_path":"/w/x.md"}}]"#,
    );
    let found = problems(play(&mut stage, Cli::Claude, &events(&claude)));
    assert_eq!(found.last().unwrap(), "was not allowed: Write /w/x.md");
    assert!(found[0].contains("was not written into the workdir"), "{found:?}");
    // Codex leaves the command that its read-only sandbox refused out of its events.
    let codex: Vec<&str> = CODEX.lines().filter(|line| !line.contains("item_1")).collect();
    let found = report(play(&mut stage, Cli::Codex, &events(&codex.join("\n"))));
    assert!(stage.collect(&found).unwrap_err()[0].contains("was not written into the workdir"));
}

/// QL-32: "created successfully", and the file has no byte in it.
#[test]
fn an_empty_file_is_no_work() {
    let mut stage = Stage::new();
    let said = OPENCODE.replace("ANSWER", "The file x.md was created successfully.");
    let found = problems(play(&mut stage, Cli::Opencode, &format!("touch {OUTPUT}\n{}", events(&said))));
    assert!(found[0].starts_with("there is no JSON object"), "{found:?}");
    let found = report(play(&mut stage, Cli::Opencode, &format!("touch {OUTPUT}\n{}", events(OPENCODE))));
    assert!(stage.collect(&found).unwrap_err()[0].contains("empty"));
}

/// QL-32: a stream that is cut off, or that never began, with an exit code of 0.
#[test]
fn a_stream_without_its_end_is_an_error() {
    let mut stage = Stage::new();
    let found = error(play(&mut stage, Cli::Gemini, "trap 'exit 0' TERM; cat > /dev/null; kill -TERM $$; sleep 9"));
    assert_eq!(found, "gemini said nothing, although its exit code is 0");
    for (cli, lines) in
        [(Cli::Claude, CLAUDE), (Cli::Codex, CODEX), (Cli::Gemini, GEMINI), (Cli::Opencode, OPENCODE), (Cli::Pi, PI)]
    {
        let (cut, _) = lines.rsplit_once('\n').unwrap();
        let found = error(play(&mut stage, cli, &writing(cut)));
        assert!(found.contains("stopped before its last event, although its exit code is 0"), "{found}");
    }
}

/// QL-32: a login that is asked for is named, with the variable to set instead.
#[test]
fn a_login_that_is_asked_for_is_named() {
    let mut stage = Stage::new();
    let claude = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login","permission_denials":[]}"#;
    let codex = r#"{"type":"turn.failed","error":{"message":"Missing environment variable: `LOCAL_KEY`."}}"#;
    let gemini = "echo 'Please set an Auth method in settings.json or GEMINI_API_KEY' >&2; exit 41";
    let goose = "echo; echo \"  error: No provider configured. Run 'goose configure' first.\" >&2; exit 1";
    for (cli, script, part) in [
        (Cli::Claude, format!("{}\nexit 1", events(claude)), "claude setup-token"),
        (Cli::Codex, format!("{}\nexit 1", events(codex)), "CODEX_API_KEY"),
        (Cli::Gemini, gemini.into(), "GEMINI_API_KEY"),
        (Cli::Goose, goose.into(), "GOOSE_PROVIDER"),
    ] {
        let found = error(play(&mut stage, cli, &script));
        assert!(found.contains("it asks for a login or a key") && found.contains(part), "{found}");
    }
}

/// QL-32: whatever an update or a banner prints first is talk, and is kept in the log.
#[test]
fn an_update_at_the_start_is_talk() {
    let mut stage = Stage::new();
    let script = format!("echo 'Updating to 9.9.10 … done'; echo '{{half'; echo '[1]'\n{}", writing(CODEX));
    let ending = play(&mut stage, Cli::Codex, &script);
    let Ending::Report { log, .. } = &ending else { panic!("{ending:?}") };
    assert!(log.contains("Updating to 9.9.10"), "{log}");
}

/// QL-32: one that waits for an answer that nobody gives is ended in its time, with all that it started.
#[test]
fn one_that_waits_on_a_prompt_is_ended() {
    let mut stage = Stage::new();
    stage.brief.limits.seconds = 1;
    let script =
        "trap '' TERM; echo 'Continue? [y/N]'; read -r answer < /dev/zero & sleep 1000.4711 & wait; sleep 1000.4711";
    let found = error(play(&mut stage, Cli::Qwen, script));
    assert!(found.starts_with("the agent did not end within 1 s, its limit"), "{found}");
    assert_gone("1000.4711");
}

/// QL-31: children that a launcher of a CLI leaves behind end with it.
#[test]
fn orphaned_children_end() {
    let mut stage = Stage::new();
    let script =
        format!("setsid sleep 1000.4712 > /dev/null 2>&1 &\n(setsid setsid sleep 1000.4712 &)\n{}", writing(CODEX));
    report(play(&mut stage, Cli::Codex, &script));
    assert_gone("1000.4712");
}

#[track_caller]
fn assert_gone(mark: &str) {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let left: Vec<_> = processes
        .filter(|entry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.starts_with(b"sleep\0") && line.windows(mark.len()).any(|window| window == mark.as_bytes())
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// QL-32: a stop ends it, and it is told as such.
#[test]
fn a_stop_is_a_stop() {
    let mut stage = Stage::new();
    let job = stage.job();
    let preset = preset(
        &stage,
        Cli::Gemini,
        "trap 'exit 0' TERM; echo '{\"type\":\"tool_use\",\"tool_name\":\"wait\"}'; sleep 1000 & wait",
    );
    let stop = Stop::new();
    let ending = agent::Backend::work(&preset, &job, &stop, &|line| {
        if line == "wait" {
            stop.stop();
        }
    });
    assert_eq!(ending, Ending::Stopped);
}

/// QL-35: of the environment a CLI gets what its row names and nothing else; what it says of its key is struck out.
#[test]
fn keys_go_to_their_own_cli_and_nowhere_else() {
    let mut stage = Stage::new();
    let script = format!(
        "env | sed 's/=.*//' | sort > names\necho \"bad key $CODEX_API_KEY\" >&2\n{}\nexit 1",
        events(r#"{"type":"turn.failed","error":{"message":"Incorrect API key: sk-secret-1"}}"#)
    );
    let variables =
        ["OPENAI_API_KEY=sk-secret-1", "ANTHROPIC_API_KEY=sk-secret-2", "AWS_SECRET_ACCESS_KEY=s3", "HTTPS_PROXY=p"];
    let split =
        |pair: &&str| pair.split_once('=').map(|(name, value)| (OsString::from(name), OsString::from(value))).unwrap();
    let surroundings = Surroundings { variables: variables.iter().map(split).collect(), ..surroundings(&stage) };
    let job = stage.job();
    let preset = preset(&stage, Cli::Codex, &script).with_surroundings(surroundings);
    let Ending::Failed { error, log } = stage.work(&preset, &job) else { panic!("not failed") };
    assert!(error.contains("Incorrect API key: [OPENAI_API_KEY]"), "{error}");
    assert!(!error.contains("sk-secret") && !log.contains("sk-secret"), "{error} {log}");
    let names = fs::read_to_string(job.workdir.join("names")).unwrap();
    let expected = "CODEX_API_KEY HOME HTTPS_PROXY INITIAL_AGENT_MODE LANG MULTIVERSE_BRIEF MULTIVERSE_PROJECT \
                    MULTIVERSE_RUN NO_BROWSER OPENAI_API_KEY PATH PWD TERM TMPDIR";
    let names: Vec<&str> = names.lines().filter(|name| !matches!(*name, "OLDPWD" | "SHLVL" | "_")).collect();
    assert_eq!(names.join(" "), expected);
}

/// QL-35: settings are copied, a login is not; the user's own folder stays closed.
#[test]
fn settings_are_copied_and_logins_are_not() {
    let mut stage = Stage::new();
    let home = surroundings(&stage).home.unwrap();
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::write(home.join(".codex/config.toml"), "model = \"m\"\n").unwrap();
    fs::write(home.join(".codex/auth.json"), "token").unwrap();
    let look = format!(
        "cat ~/.codex/config.toml >&2; ls ~/.codex >&2; cat {}/.codex/auth.json >&2; echo x >> ~/.codex/config.toml",
        home.display()
    );
    let ending = play(&mut stage, Cli::Codex, &format!("{look}\n{}", writing(CODEX)));
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    assert!(log.starts_with("model = \"m\"\nconfig.toml\n"), "{log}");
    assert!(log.contains("ermission denied"), "{log}");
    assert_eq!(fs::read_to_string(home.join(".codex/config.toml")).unwrap(), "model = \"m\"\n");
}

/// Flags are as narrow as the role needs, the model is passed on, and the prompt comes on standard input.
#[test]
fn flags_follow_the_role() {
    let check = |role: &str, cli: Cli, expected: &[&str], not: &[&str]| {
        let mut stage = Stage::new();
        stage.brief.role = role.into();
        stage.brief.prompt = "Do it.".into();
        if role != "executor" {
            stage.brief.expects.outputs.clear();
        }
        let job = stage.job();
        let program = stage.outside.join("bin/cli");
        let script =
            "#!/bin/sh\n[ \"$1\" = --version ] && { echo 9.9.9; exit; }\necho \"$@\" > arguments; cat > prompt";
        write_program(&program, script);
        let preset = Preset::new(cli, Some("m1")).with_program(program).with_surroundings(surroundings(&stage));
        stage.work(&preset, &job);
        let arguments = fs::read_to_string(job.workdir.join("arguments")).unwrap();
        for part in expected {
            assert!(arguments.contains(part), "{cli:?} {role}: {part} in {arguments}");
        }
        for part in not {
            assert!(!arguments.contains(part), "{cli:?} {role}: {part} in {arguments}");
        }
        let prompt = fs::read_to_string(job.workdir.join("prompt")).unwrap();
        assert!(prompt.starts_with("Do it.") && prompt.contains("# Your report"), "{prompt}");
    };
    check(
        "planner",
        Cli::Claude,
        &["--allowedTools Read,Grep,Glob ", "--model m1", "--json-schema {"],
        &["acceptEdits", "Write"],
    );
    check("executor", Cli::Claude, &["acceptEdits", "Write"], &["bypass"]);
    check("planner", Cli::Gemini, &["--approval-mode default", "-m m1"], &["yolo"]);
    check("executor", Cli::Gemini, &["yolo"], &[]);
    check("communicator", Cli::Opencode, &["--agent plan"], &[]);
    check("planner", Cli::Pi, &["--tools read,grep,find,ls "], &["write"]);
    check("executor", Cli::Codex, &["exec --json", "--output-schema ", " -"], &[]);
}

/// QL-32: a CLI that is missing or too old says so, with how to get it.
#[test]
fn missing_and_old_clis_are_named() {
    let mut stage = Stage::new();
    let job = stage.job();
    let missing = Preset::new(Cli::Goose, None).with_program("no-such-goose");
    let found = error(stage.work(&missing, &job));
    assert!(
        found.contains("there is no program \"no-such-goose\" on PATH") && found.contains("npm install"),
        "{found}"
    );
    let program = stage.outside.join("bin/old");
    write_program(&program, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'codex-cli 0.20.0' >&2; echo worked > worked");
    let old = Preset::new(Cli::Codex, None).with_program(program);
    let found = error(stage.work(&old, &job));
    assert!(found.contains("version 0.20.0 is too old, 0.100.0 is needed; update it: npm"), "{found}");
    assert!(!job.workdir.join("worked").exists());
}

/// QL-30: a CLI that writes outside its folder does not get through.
#[test]
fn nothing_outside_is_written() {
    let mut stage = Stage::new();
    let script = format!(
        "echo x > {0}/secret; echo x > {1}/db/table.md; cat {0}/secret >&2\n{2}",
        stage.outside.display(),
        stage.project.display(),
        writing(CODEX)
    );
    let ending = play(&mut stage, Cli::Codex, &script);
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    assert!(!log.contains("secret\n") || log.contains("ermission denied"), "{log}");
    stage.assert_untouched();
}

/// QL-32: a flood of events is read and not kept.
#[test]
fn a_flood_of_events_is_bounded() {
    let mut stage = Stage::new();
    stage.limits.grace = Duration::from_millis(100);
    let script = format!(
        "cat > /dev/null\nyes '{{\"type\":\"item.completed\",\"item\":{{\"type\":\"error\",\"message\":\"again\"}}}}' | head -c 30000000\n{}",
        writing(CODEX)
    );
    let ending = play(&mut stage, Cli::Codex, &script);
    let Ending::Report { log, .. } = ending else { panic!("{ending:?}") };
    assert!(log.len() < 200_000, "{}", log.len());
}
