//! Owns what is known of each coding CLI: its name, oldest version, flags by role, variables, files and tongue. Data
//! alone: starts nothing, and understands nothing that a CLI says.

use super::tongue::Tongue;

/// A coding CLI that can play an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cli {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Goose,
    Aider,
    Qwen,
    Pi,
    Vibe,
}

/// How one CLI is started without a person.
#[derive(Debug)]
pub(crate) struct Manner {
    /// As it is named after `--agent`, and on the `PATH`.
    pub(crate) name: &'static str,
    /// The oldest version whose flags and events are those below.
    pub(crate) least: [u32; 3],
    /// How it is installed, for a hint.
    pub(crate) install: &'static str,
    /// Flags in every role.
    pub(crate) always: &'static [&'static str],
    /// Flags of roles that only read, and of those that write.
    pub(crate) reading: &'static [&'static str],
    pub(crate) writing: &'static [&'static str],
    /// The flag before a model's name.
    pub(crate) model: &'static str,
    pub(crate) prompt: Prompt,
    pub(crate) schema: Schema,
    pub(crate) tongue: Tongue,
    /// Variables that hold a key: passed on if they are set, and any one of them is enough (QL-35).
    pub(crate) keys: &'static [&'static str],
    /// A key that goes by another name here, if that one is not set: (known as, passed on as).
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    /// Variables without secrets: passed on if they are set.
    pub(crate) passed: &'static [&'static str],
    /// Variables that are always set: no updates, no statistics, no keyring.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// The user's settings below the home folder, of which the attempt gets copies. Logins are not among them.
    pub(crate) settings: &'static [&'static str],
    /// Files below the attempt's home that are made if the user has none: (path, content).
    pub(crate) made: &'static [(&'static str, &'static str)],
    /// Where it keeps a login, which is not handed on; and how to come by a key instead.
    pub(crate) login: &'static [&'static str],
    pub(crate) instead: &'static str,
}

/// How a CLI takes its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// On standard input, with these arguments at the end.
    Input(&'static [&'static str]),
    /// As a file, whose path follows this flag; and the files to read and write as arguments.
    File { flag: &'static str, reads: &'static str },
}

/// How a CLI is held to the form of its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schema {
    /// It is asked in words.
    Words,
    /// The schema follows this flag.
    Text(&'static str),
    /// The path of a file with the schema follows this flag.
    File(&'static str),
}

/// Variables about the network that every program understands.
pub(crate) const NETWORK: [&str; 9] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// Keys of the providers that CLIs for several of them know.
const MANY_KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
    "DEEPSEEK_API_KEY",
    "XAI_API_KEY",
];

const NONE: &[&str] = &[];

const CLAUDE: Manner = Manner {
    name: "claude",
    least: [2, 1, 0],
    install: "npm install -g @anthropic-ai/claude-code",
    always: &["-p", "--output-format", "stream-json", "--verbose"],
    reading: &["--permission-mode", "default", "--allowedTools", "Read,Grep,Glob"],
    writing: &["--permission-mode", "acceptEdits", "--allowedTools", "Read,Grep,Glob,Edit,Write,NotebookEdit,Bash"],
    model: "--model",
    prompt: Prompt::Input(NONE),
    schema: Schema::Text("--json-schema"),
    tongue: Tongue::Claude,
    keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    renamed: &[],
    passed: &["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "API_TIMEOUT_MS"],
    fixed: &[
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        // Eleven tries take three minutes; whoever plans retries is the engine.
        ("CLAUDE_CODE_MAX_RETRIES", "3"),
    ],
    settings: NONE,
    made: &[],
    login: &[".claude/.credentials.json", ".claude.json"],
    instead: "`claude setup-token` gives a CLAUDE_CODE_OAUTH_TOKEN; or set ANTHROPIC_API_KEY",
};

const CODEX: Manner = Manner {
    name: "codex",
    least: [0, 100, 0],
    install: "npm install -g @openai/codex",
    // Its own sandbox cannot be made inside ours, which is narrower; without it no command would run.
    always: &[
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--ephemeral",
        "--color",
        "never",
        "--disable",
        "plugins",
        "--disable",
        "apps",
        "--dangerously-bypass-approvals-and-sandbox",
    ],
    reading: NONE,
    writing: NONE,
    model: "-m",
    prompt: Prompt::Input(&["-"]),
    schema: Schema::File("--output-schema"),
    tongue: Tongue::Codex,
    keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    renamed: &[("OPENAI_API_KEY", "CODEX_API_KEY")],
    passed: &["OPENAI_BASE_URL"],
    // The same for `codex-acp`, which would also open a browser to log in.
    fixed: &[("INITIAL_AGENT_MODE", "agent-full-access"), ("NO_BROWSER", "1")],
    settings: &[".codex/config.toml"],
    made: &[],
    login: &[".codex/auth.json"],
    instead: "set CODEX_API_KEY or OPENAI_API_KEY",
};

const GEMINI: Manner = Manner {
    name: "gemini",
    least: [0, 30, 0],
    install: "npm install -g @google/gemini-cli",
    always: &["-o", "stream-json"],
    reading: &["--approval-mode", "default"],
    writing: &["--approval-mode", "yolo"],
    model: "-m",
    prompt: Prompt::Input(&["-p", "Do what is asked for above."]),
    schema: Schema::Words,
    tongue: Tongue::Gemini,
    keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    renamed: &[],
    passed: &[
        "GOOGLE_GEMINI_BASE_URL",
        "GEMINI_MODEL",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ],
    fixed: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
    settings: &[".gemini/settings.json"],
    made: &[(
        ".gemini/settings.json",
        r#"{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true,"disableUpdateNag":true},"privacy":{"usageStatisticsEnabled":false}}"#,
    )],
    login: &[".gemini/oauth_creds.json"],
    instead: "set GEMINI_API_KEY",
};

const OPENCODE: Manner = Manner {
    name: "opencode",
    least: [1, 0, 0],
    install: "npm install -g opencode-ai",
    always: &["run", "--format", "json", "--auto"],
    reading: &["--agent", "plan"],
    writing: &["--agent", "build"],
    model: "-m",
    prompt: Prompt::Input(NONE),
    schema: Schema::Words,
    tongue: Tongue::Opencode,
    keys: MANY_KEYS,
    renamed: &[],
    passed: NONE,
    fixed: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")],
    settings: &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
    made: &[],
    login: &[".local/share/opencode/auth.json"],
    instead: "set the key of its provider, such as ANTHROPIC_API_KEY",
};

const GOOSE: Manner = Manner {
    name: "goose",
    least: [1, 20, 0],
    install: "npm install -g @aaif/goose-binary-linux-x64, or its own installer",
    always: &[
        "run",
        "-q",
        "--no-session",
        "--no-profile",
        "--with-builtin",
        "developer",
        "--output-format",
        "stream-json",
        "-i",
        "-",
    ],
    reading: NONE,
    writing: NONE,
    model: "--model",
    prompt: Prompt::Input(NONE),
    schema: Schema::Words,
    tongue: Tongue::Goose,
    keys: MANY_KEYS,
    renamed: &[],
    passed: &["GOOSE_PROVIDER", "GOOSE_MODEL", "OPENAI_HOST", "OPENAI_BASE_PATH", "ANTHROPIC_HOST", "OLLAMA_HOST"],
    // It has no way to read with tools and not to write; what it writes stays in its folder.
    fixed: &[("GOOSE_DISABLE_KEYRING", "1"), ("GOOSE_MODE", "auto")],
    settings: &[".config/goose/config.yaml"],
    made: &[],
    login: &[".config/goose/secrets.yaml"],
    instead: "set GOOSE_PROVIDER, GOOSE_MODEL and the key of that provider",
};

const AIDER: Manner = Manner {
    name: "aider",
    least: [0, 80, 0],
    install: "pip install aider-chat",
    always: &[
        "--no-git",
        "--yes-always",
        "--no-stream",
        "--no-pretty",
        "--no-fancy-input",
        "--no-check-update",
        "--no-show-release-notes",
        "--no-show-model-warnings",
        "--no-analytics",
        "--no-suggest-shell-commands",
        "--no-detect-urls",
        "--map-tokens",
        "0",
    ],
    reading: &["--chat-mode", "ask"],
    writing: &["--edit-format", "whole"],
    model: "--model",
    prompt: Prompt::File { flag: "--message-file", reads: "--read" },
    schema: Schema::Words,
    tongue: Tongue::Plain,
    keys: MANY_KEYS,
    renamed: &[],
    passed: &["OPENAI_API_BASE", "OLLAMA_API_BASE", "AIDER_MODEL"],
    fixed: &[("AIDER_ANALYTICS", "false")],
    settings: &[".aider.conf.yml", ".aider.model.settings.yml", ".aider.model.metadata.json"],
    // Else it asks a code host for this list before it begins; it may not be empty.
    made: &[(".aider/caches/model_prices_and_context_window.json", r#"{"none": {}}"#)],
    login: NONE,
    instead: "set the key of its provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY",
};

const QWEN: Manner = Manner {
    name: "qwen",
    least: [0, 10, 0],
    install: "npm install -g @qwen-code/qwen-code",
    always: &["-o", "stream-json"],
    reading: &["--approval-mode", "default"],
    writing: &["--approval-mode", "yolo"],
    model: "-m",
    prompt: Prompt::Input(&["-p", "Do what is asked for above."]),
    schema: Schema::Words,
    tongue: Tongue::Claude,
    keys: &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
    renamed: &[],
    passed: &["OPENAI_BASE_URL", "OPENAI_MODEL"],
    fixed: &[],
    settings: &[".qwen/settings.json"],
    made: &[],
    login: &[".qwen/oauth_creds.json"],
    instead: "set OPENAI_API_KEY, and OPENAI_BASE_URL and OPENAI_MODEL if the provider is another",
};

const PI: Manner = Manner {
    name: "pi",
    least: [0, 60, 0],
    install: "npm install -g @mariozechner/pi-coding-agent",
    always: &["-p", "--mode", "json", "--no-session", "--offline"],
    reading: &["--tools", "read,grep,find,ls"],
    writing: &["--tools", "read,grep,find,ls,write,edit,bash"],
    model: "--model",
    prompt: Prompt::Input(NONE),
    schema: Schema::Words,
    tongue: Tongue::Pi,
    keys: MANY_KEYS,
    renamed: &[],
    passed: NONE,
    fixed: &[("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0")],
    settings: &[".pi/agent/models.json", ".pi/agent/settings.json"],
    made: &[],
    login: &[".pi/agent/auth.json"],
    instead: "set the key of its provider, such as ANTHROPIC_API_KEY",
};

const VIBE: Manner = Manner {
    name: "vibe",
    least: [3, 0, 0],
    install: "pip install mistral-vibe",
    always: &["--trust", "--auto-approve", "--output", "streaming", "-p"],
    reading: NONE,
    writing: NONE,
    model: "",
    prompt: Prompt::Input(NONE),
    schema: Schema::Words,
    tongue: Tongue::Vibe,
    keys: &["MISTRAL_API_KEY"],
    renamed: &[],
    passed: NONE,
    fixed: &[],
    settings: &[".vibe/config.toml"],
    made: &[],
    login: &[".vibe/.env"],
    instead: "set MISTRAL_API_KEY",
};

impl Cli {
    /// All of them; in this order they are looked for.
    pub const ALL: [Self; 9] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Goose,
        Self::Aider,
        Self::Qwen,
        Self::Pi,
        Self::Vibe,
    ];

    /// As it is named after `--agent`.
    pub fn name(self) -> &'static str {
        self.manner().name
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cli| cli.name() == name)
    }

    /// How it is installed.
    pub fn install(self) -> &'static str {
        self.manner().install
    }

    /// How to come by a key, since a login is not handed on.
    pub fn instead(self) -> &'static str {
        self.manner().instead
    }

    pub(crate) fn manner(self) -> &'static Manner {
        match self {
            Self::Claude => &CLAUDE,
            Self::Codex => &CODEX,
            Self::Gemini => &GEMINI,
            Self::Opencode => &OPENCODE,
            Self::Goose => &GOOSE,
            Self::Aider => &AIDER,
            Self::Qwen => &QWEN,
            Self::Pi => &PI,
            Self::Vibe => &VIBE,
        }
    }
}
