//! Agents that speak the Agent Client Protocol (QL-30, QL-31, QL-32): a small one of our own that behaves well and badly
//! on demand, as a real process behind real pipes.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

mod stage;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use agent::{Acp, Answered, Backend, Ending, ReportStatus};
use stage::{OUTPUT, Stage, error, problems, report};
use tools::{Effect, Grants, Rule, Stop};

fn puppet(stage: &Stage, manner: &str) -> Acp {
    let text = format!("{} {manner}", env!("CARGO_BIN_EXE_acp-puppet"));
    Acp::new(&text, &stage.outside).unwrap().with_limits(stage.limits)
}

fn play(stage: &mut Stage, manner: &str) -> Ending {
    let job = stage.job();
    stage.work(&puppet(stage, manner), &job)
}

/// MV-21: a turn with a tool, a file written through us, and a report in several pieces.
#[test]
fn a_turn_becomes_a_report() {
    let mut stage = Stage::new();
    let job = stage.job();
    let (ending, said) = stage.work_and_listen(&puppet(&stage, "well"), &job);
    let found = report(ending);
    assert_eq!(found.summary, "made x");
    let usage = found.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cost_usd), (1200, Some(0.25)), "BY-08");
    assert!(said.contains(&"Write x.md".into()), "{said:?}");
    assert_eq!(&stage.collect(&found).unwrap()[0].content[..], b"# x\n");
    stage.assert_untouched();
    assert_eq!(report(play(&mut stage, "by-file")).summary, "by file");
    assert_eq!(report(play(&mut stage, "prose")).summary, "All is well.");
    assert_eq!(report(play(&mut stage, "stays")).summary, "made x", "one that does not end by itself is ended");
}

/// BY-08: what an agent says at the end of its turn counts before what its context held; nonsense counts for nothing.
#[test]
fn usage_is_what_the_agent_says() {
    let mut stage = Stage::new();
    let mut used = |manner: &str| report(play(&mut stage, manner)).usage.unwrap();
    let counted = used("counts");
    assert_eq!((counted.input_tokens, counted.cached_tokens, counted.output_tokens), (900, 800, 90));
    assert_eq!(counted.cost_usd, Some(0.25));
    assert_eq!(used("miscounts").input_tokens, 1200);
}

/// QL-30: files are served from the folder and the brief; other requests are answered with -32601; ids may be texts.
#[test]
fn requests_of_the_agent_are_answered() {
    let mut stage = Stage::new();
    let found = report(play(&mut stage, "reads"));
    let content = stage.collect(&found).unwrap()[0].content.clone();
    assert_eq!(String::from_utf8_lossy(&content), "a,b\n1,2||refused|refused|-32601|-32601|-32602");
    stage.assert_untouched();
}

/// QL-30: what is asked for is allowed by role and place; denied writes are no work, whatever the agent says.
#[test]
fn permissions_are_answered_by_policy() {
    let mut stage = Stage::new();
    report(play(&mut stage, "asks"));
    assert_eq!(fs::read_to_string(stage.workdir().join("answers")).unwrap(), "once no no once");
    let found = problems(play(&mut stage, "denied"));
    assert!(found[0].starts_with("there is no JSON object"), "{found:?}");
    let job = stage.job();
    let deny = Grants::new(Vec::new(), Effect::Deny).unwrap();
    let strict = vec![Rule::new(Effect::Deny, "*")];
    let careful =
        puppet(&stage, "asks").with_grants([("executor".into(), Grants::new(strict, Effect::Deny).unwrap())].into());
    let Ending::Report { log, .. } = stage.work(&careful, &job) else { panic!("no report") };
    assert_eq!(fs::read_to_string(stage.workdir().join("answers")).unwrap(), "no no no no");
    assert!(log.contains("was not allowed: edit /etc/passwd"), "{log}");
    let other = puppet(&stage, "asks").with_grants([("planner".into(), deny)].into());
    let job = stage.job();
    stage.work(&other, &job);
    assert_eq!(fs::read_to_string(stage.workdir().join("answers")).unwrap(), "once no no once");
}

/// QL-36: where a rule says ask, the turn ends with a question, and a person's answer counts in the next attempt.
#[test]
fn a_person_is_asked_where_a_rule_says_so() {
    let mut stage = Stage::new();
    let grants = || {
        let rules = vec![Rule::new(Effect::Ask, "run_shell_command")];
        BTreeMap::from([("executor".to_string(), Grants::new(rules, Effect::Allow).unwrap())])
    };
    let job = stage.job();
    let asked = report(stage.work(&puppet(&stage, "asks").with_grants(grants()), &job));
    assert_eq!(asked.status, ReportStatus::Question);
    let question = asked.question.unwrap();
    assert_eq!(question, "May I use \"run_shell_command: execute\"? Say yes, or no and why.");
    for (answer, expected) in [("yes", "once no no once"), ("no", "once no no no")] {
        stage.brief.answers = vec![Answered { question: question.clone(), answer: answer.into() }];
        let job = stage.job();
        let found = stage.work(&puppet(&stage, "asks").with_grants(grants()), &job);
        assert!(matches!(found, Ending::Report { .. }), "{found:?}");
        assert_eq!(fs::read_to_string(stage.workdir().join("answers")).unwrap(), expected, "{answer}");
    }
}

/// QL-32: one that asks for a login, speaks another version, refuses, dies, prints garbage or a line without an end.
#[test]
fn bad_agents_are_named() {
    let mut stage = Stage::new();
    for (manner, part) in [
        ("login", "Authentication required"),
        ("later", "peer negotiated 2"),
        ("refuses", "Refusal"),
        ("dies", "exit code 3"),
        ("dies-later", "out of memory"),
        ("flood", "longer than 64 MiB"),
    ] {
        let found = error(play(&mut stage, manner));
        assert!(found.contains(part), "{manner}: {found}");
    }
    assert_eq!(report(play(&mut stage, "garbage")).summary, "made x", "lines that are none are passed over");
}

/// QL-32: one that never answers is ended in its time.
#[test]
fn a_mute_agent_is_ended_in_its_time() {
    let mut stage = Stage::new();
    stage.brief.limits.seconds = 1;
    let found = error(play(&mut stage, "mute"));
    assert!(found.starts_with("the agent did not end within 1 s, its limit"), "{found}");
}

/// QL-31: a stop is passed on as a cancel; whoever does not answer it is ended, and so is one that is told urgently.
#[test]
fn a_stop_cancels_and_then_ends() {
    let check = |manner: &str, grace: u64, stop_it: fn(&Stop)| {
        let mut stage = Stage::new();
        stage.limits.grace = Duration::from_millis(grace);
        let job = stage.job();
        let stop = Stop::new();
        let begun = Instant::now();
        let ending = puppet(&stage, manner).work(&job, &stop, &|line| {
            if line == "waits" {
                stop_it(&stop);
            }
        });
        assert_eq!(ending, Ending::Stopped, "{manner}");
        assert!(begun.elapsed() < Duration::from_secs(300), "{manner}: it was waited for");
    };
    check("cancels", 600_000, Stop::stop);
    check("hangs", 100, Stop::stop);
    check("hangs", 600_000, Stop::end_now);
    check("hangs", 600_000, |stop| {
        stop.stop();
        stop.end_now();
    });
}

/// QL-32: a program that is not there is named.
#[test]
fn a_missing_agent_is_named() {
    let mut stage = Stage::new();
    let job = stage.job();
    let missing = Acp::new("no-such-agent acp", &stage.outside).unwrap();
    let found = error(stage.work(&missing, &job));
    assert!(found.contains("there is no program \"no-such-agent\" on PATH"), "{found}");
    assert!(!stage.workdir().join(OUTPUT).exists());
    assert!(Acp::new("./no-such-agent", &stage.outside).is_err());
}
