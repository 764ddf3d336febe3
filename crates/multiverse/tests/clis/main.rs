//! Whole runs carried to COMPLETED by real coding CLIs, unmodified, installed by package name; the model behind them is
//! the offline agent, on loopback, in the words of three providers. Each test is skipped with a line that says so where
//! its CLI cannot be installed.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test ends where it fails")]

mod endpoint;
mod wires;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use endpoint::Endpoint;

const REQUEST: &str = "Compare the units of January and February and write a short report.";

/// Says that a test is skipped, also where `./test` lists it: a runner shows nothing of what passes.
fn skip(why: &str) {
    eprintln!("skipped: {why}");
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("skipped.txt");
    if let Ok(mut list) = fs::File::options().create(true).append(true).open(list) {
        let _ = writeln!(list, "{why}");
    }
}

/// A CLI that can be had: where its programs are.
struct Cli {
    programs: PathBuf,
}

/// Installs a package once, beside what the build makes; nothing if that is not possible.
fn installed(name: &str, package: &str, programs: &str) -> Option<Cli> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?.join("real-parts").join(name);
    let programs = place.join(programs);
    if !programs.is_dir() {
        fs::create_dir_all(&place).ok()?;
        let installing = Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--fetch-retries",
                "0",
                "--fetch-timeout",
                "20000",
                "--prefix",
            ])
            .arg(&place)
            .arg(package)
            .stdin(Stdio::null())
            .output();
        if !installing.is_ok_and(|installing| installing.status.success()) || !programs.is_dir() {
            skip(&format!("a run by {package}, which npm cannot install here"));
            return None;
        }
    }
    Some(Cli { programs })
}

/// Variables for the CLI, after its settings were written into its home.
type Settings = dyn Fn(&Endpoint, &Path) -> Vec<(String, String)>;

/// Carries one run to its end with an agent, in a project and a home of its own.
fn carried(cli: &Cli, agents: &[&str], settings: &Settings) {
    let (endpoint, agent) = (Endpoint::start(), agents.join(" "));
    let folder = tempfile::tempdir().unwrap();
    let (project, home) = (folder.path().join("project"), folder.path().join("home"));
    fs::create_dir_all(project.join("assets")).unwrap();
    fs::create_dir_all(&home).unwrap();
    fs::write(project.join("assets/sales.csv"), "month,units\nJan,3\nFeb,4\n").unwrap();
    let path = format!("{}:{}", cli.programs.display(), std::env::var("PATH").unwrap());
    let ran = Command::new(env!("CARGO_BIN_EXE_multiverse"))
        .args(["run", REQUEST, "--yes"])
        .args(agents.iter().flat_map(|agent| ["--agent", agent]))
        .current_dir(&project)
        .env_clear()
        .envs([("PATH", path.as_str()), ("USER", "ada"), ("LANG", "C.UTF-8")])
        .env("HOME", &home)
        .envs(settings(&endpoint, &home))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{agent}: {said}\n{:#?}", endpoint.asked());
    let outputs = String::from_utf8_lossy(&ran.stdout);
    let made = outputs.lines().next().unwrap_or_default();
    let report = fs::read_to_string(project.join(made)).unwrap_or_default();
    assert!(report.contains('7') || report.contains("units"), "{agent}: {made}: {report}");
    assert!(endpoint.asked().len() > 1, "{agent}: the model was asked {} times", endpoint.asked().len());
}

fn of(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

const GOOSE: (&str, &str, &str) =
    ("goose", "@aaif/goose-binary-linux-x64", "node_modules/@aaif/goose-binary-linux-x64/bin");

fn goose_settings(endpoint: &Endpoint, _: &Path) -> Vec<(String, String)> {
    of(&[
        ("GOOSE_PROVIDER", "openai"),
        ("GOOSE_MODEL", "mock"),
        ("OPENAI_HOST", &endpoint.address()),
        ("OPENAI_API_KEY", "not-a-key"),
    ])
}

/// MV-21, MV-28: all roles by goose, over OpenAI's chat completions.
#[test]
fn goose_carries_a_run() {
    let Some(cli) = installed(GOOSE.0, GOOSE.1, GOOSE.2) else { return };
    carried(&cli, &["goose"], &goose_settings);
}

/// The same agent over the Agent Client Protocol.
#[test]
fn goose_carries_a_run_over_acp() {
    let Some(cli) = installed(GOOSE.0, GOOSE.1, GOOSE.2) else { return };
    carried(&cli, &["acp:goose acp --with-builtin developer"], &goose_settings);
}

/// The work by pi, which is configured by a file, and the plans by nobody: it takes seconds to start.
#[test]
fn pi_carries_a_run() {
    let Some(cli) = installed("pi", "@mariozechner/pi-coding-agent", "node_modules/.bin") else { return };
    carried(&cli, &["offline", "executor=pi:local/mock"], &|endpoint, home| {
        let models = format!(
            r#"{{"providers":{{"local":{{"baseUrl":"{}/v1","api":"openai-completions","apiKey":"OPENAI_API_KEY","models":[{{"id":"mock"}}]}}}}}}"#,
            endpoint.address()
        );
        fs::create_dir_all(home.join(".pi/agent")).unwrap();
        fs::write(home.join(".pi/agent/models.json"), models).unwrap();
        of(&[("OPENAI_API_KEY", "not-a-key")])
    });
}

/// All roles by codex, over OpenAI's responses, its reports held to a schema.
#[test]
fn codex_carries_a_run() {
    let Some(cli) = installed("codex", "@openai/codex", "node_modules/.bin") else { return };
    carried(&cli, &["codex:mock"], &codex_settings);
}

/// The same over the Agent Client Protocol, by an adapter with a codex of its own.
#[test]
fn codex_carries_a_run_over_acp() {
    if !all_are_wanted("codex-acp") {
        return;
    }
    let Some(cli) = installed("codex-acp", "@agentclientprotocol/codex-acp", "node_modules/.bin") else { return };
    carried(&cli, &["offline", "executor=acp:codex-acp"], &codex_settings);
}

fn codex_settings(endpoint: &Endpoint, home: &Path) -> Vec<(String, String)> {
    let config = format!(
        "model = \"mock\"\nmodel_provider = \"local\"\n[model_providers.local]\nname = \"local\"\n\
         base_url = \"{}/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n",
        endpoint.address()
    );
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::write(home.join(".codex/config.toml"), config).unwrap();
    of(&[("OPENAI_API_KEY", "not-a-key")])
}

/// Whether those that take long are wanted as well.
fn all_are_wanted(name: &str) -> bool {
    let wanted = std::env::var_os("MULTIVERSE_ALL_CLIS").is_some();
    if !wanted {
        skip(&format!("a run by {name}, which takes long; set MULTIVERSE_ALL_CLIS to have it"));
    }
    wanted
}

/// The work by claude, over Anthropic's messages, its reports held to a schema.
#[test]
fn claude_carries_a_run() {
    if !all_are_wanted("claude") {
        return;
    }
    let Some(cli) = installed("claude", "@anthropic-ai/claude-code", "node_modules/.bin") else { return };
    carried(&cli, &["claude:mock"], &|endpoint, _| {
        of(&[("ANTHROPIC_BASE_URL", &endpoint.address()), ("ANTHROPIC_API_KEY", "not-a-key")])
    });
}

/// The same over the Agent Client Protocol, by an adapter that starts a second program: that one reads about itself in
/// `/proc/self` when it begins, and ends if it may not.
#[test]
fn claude_carries_a_run_over_acp() {
    if !all_are_wanted("claude-agent-acp") {
        return;
    }
    let package = "@agentclientprotocol/claude-agent-acp";
    let Some(cli) = installed("claude-agent-acp", package, "node_modules/.bin") else { return };
    carried(&cli, &["offline", "executor=acp:claude-agent-acp"], &|endpoint, _| {
        let address = endpoint.address();
        of(&[("ANTHROPIC_BASE_URL", &address), ("ANTHROPIC_API_KEY", "not-a-key"), ("ANTHROPIC_MODEL", "mock")])
    });
}

#[test]
fn gemini_carries_a_run() {
    if !all_are_wanted("gemini") {
        return;
    }
    let Some(cli) = installed("gemini", "@google/gemini-cli", "node_modules/.bin") else { return };
    let settings: &Settings =
        &|endpoint, _| of(&[("GOOGLE_GEMINI_BASE_URL", &endpoint.address()), ("GEMINI_API_KEY", "not-a-key")]);
    carried(&cli, &["offline", "executor=gemini:gemini-2.5-flash"], settings);
    carried(&cli, &["offline", "executor=acp:gemini --acp"], settings);
}

#[test]
fn opencode_carries_a_run() {
    if !all_are_wanted("opencode") {
        return;
    }
    let Some(cli) = installed("opencode", "opencode-ai", "node_modules/.bin") else { return };
    let settings: &Settings = &|endpoint, home| {
        let config = format!(
            r#"{{"model":"local/mock","autoupdate":false,"share":"disabled","provider":{{"local":{{"npm":"@ai-sdk/openai-compatible","name":"local","options":{{"baseURL":"{}/v1","apiKey":"not-a-key"}},"models":{{"mock":{{"name":"mock"}}}}}}}}}}"#,
            endpoint.address()
        );
        fs::create_dir_all(home.join(".config/opencode")).unwrap();
        fs::write(home.join(".config/opencode/opencode.json"), config).unwrap();
        Vec::new()
    };
    carried(&cli, &["offline", "executor=opencode:local/mock"], settings);
    carried(&cli, &["offline", "executor=acp:opencode acp"], settings);
}

#[test]
fn qwen_carries_a_run() {
    if !all_are_wanted("qwen") {
        return;
    }
    let Some(cli) = installed("qwen", "@qwen-code/qwen-code", "node_modules/.bin") else { return };
    let settings: &Settings = &|endpoint, _| {
        let base = format!("{}/v1", endpoint.address());
        of(&[("OPENAI_BASE_URL", &base), ("OPENAI_API_KEY", "not-a-key"), ("OPENAI_MODEL", "mock")])
    };
    carried(&cli, &["offline", "executor=qwen:mock"], settings);
    carried(&cli, &["offline", "executor=acp:qwen --acp"], settings);
}
