//! Every setting there is, as data: its name, its form, what it is for, an example. Reading, the schema, `config show` and
//! the commented file all come from this table; nothing else knows what can be set.

/// What a setting holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Whole {
        least: u64,
        most: u64,
    },
    Number {
        least: f64,
        most: f64,
    },
    Flag,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    Texts,
    /// Names with a text each.
    Map,
    /// Where a secret is: `env:NAME`, `file:PATH`, `cmd:COMMAND`. Never the secret itself.
    Secret,
    /// `[name]` with these keys.
    Table(&'static [Key]),
    /// `[name.ANY]` with these keys, for any number of names.
    Named(&'static [Key]),
    /// `[[name]]` with these keys, in order.
    Rows(&'static [Key]),
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) about: &'static str,
    /// As it would stand in the file, without the name.
    pub(crate) example: &'static str,
}

/// The most agents at the same time that can be asked for.
pub(crate) const MOST_JOBS: u32 = 1000;
/// The longest time for one attempt: a week.
const MOST_SECONDS: u64 = 7 * 24 * 60 * 60;
/// More than anybody will use; a number beyond it is a slip.
const MOST_TOKENS: u64 = 1_000_000_000_000;
pub(super) const ROLES: &[&str] = &["planner", "executor", "communicator"];

const fn key(name: &'static str, form: Form, about: &'static str, example: &'static str) -> Key {
    Key { name, form, about, example }
}

const fn whole(least: u64, most: u64) -> Form {
    Form::Whole { least, most }
}

const fn number(least: f64, most: f64) -> Form {
    Form::Number { least, most }
}

pub(crate) const KEYS: &[Key] = &[
    key("jobs", whole(1, MOST_JOBS as u64), "How many agents work at the same time.", "4"),
    key("seconds", whole(1, MOST_SECONDS), "How long one attempt of an agent may take.", "1800"),
    key("agents", Form::Table(AGENTS), "Who plays which role.", ""),
    key("models", Form::Named(MODELS), "Models by a name of your own, used as model:NAME.", ""),
    key("budget", Form::Table(BUDGET), "What one run may use; at the limit it pauses and asks.", ""),
    key("learning", Form::Table(LEARNING), "Past runs that a new one is told of.", ""),
    key("grants", Form::Rows(GRANTS), "What agents may do with tools; the first rule that fits counts.", ""),
    key("cycle", Form::Table(CYCLE), "How cycles go: what one loop may change, and when you are asked.", ""),
    key(
        "roadmap",
        Form::Table(ROADMAP),
        "How roadmaps go: what executors are called, and how many steps they have.",
        "",
    ),
    key(
        "checks",
        Form::Named(CHECKS),
        "Commands that are run for the Judge of a cycle, and on what executors of a roadmap did.",
        "",
    ),
    key("guidance", Form::Table(GUIDANCE), "AGENTS.md and skills of the project, for agents that read them.", ""),
    key("sandbox", Form::Table(SANDBOX), "How far programs and commands of agents may go.", ""),
    key("web", Form::Table(WEB), "Searching and fetching pages.", ""),
    key("notify", Form::Table(NOTIFY), "How you are told that a gate or a question waits for you.", ""),
    key("mcp", Form::Named(MCP), "MCP servers, beside those of .mcp.json.", ""),
];

const AGENTS: &[Key] = &[
    key("default", Form::Text, "Every role that is not named.", "\"offline\""),
    key("planner", Form::Text, "Who plans and drafts the proposal.", "\"offline\""),
    key("executor", Form::Text, "Who does the work.", "\"command:./my-agent --careful\""),
    key("communicator", Form::Text, "Who words what you are told; without one, code does.", "\"offline\""),
];

const MODELS: &[Key] = &[
    key("model", Form::Text, "PROVIDER/NAME, and @BASE_URL where it is not the usual one.", "\"ollama/qwen2.5-coder\""),
    key("key", Form::Secret, "Where the provider's key is.", "\"env:OPENAI_API_KEY\""),
    key("max_output_tokens", whole(1, MOST_TOKENS), "The most that one reply may have.", "4096"),
    key("context_tokens", whole(256, MOST_TOKENS), "The most that a request and its reply may have.", "32768"),
    key("temperature", number(0.0, 2.0), "How freely it chooses its words; the provider's own without it.", "0.2"),
    key("input_price", number(0.0, 1e6), "US dollars for a million tokens that go in.", "0.25"),
    key("cached_price", number(0.0, 1e6), "The same for those read from a cache.", "0.025"),
    key("output_price", number(0.0, 1e6), "The same for those that come out.", "2.0"),
];

const BUDGET: &[Key] = &[
    key("tokens", whole(1, MOST_TOKENS), "Tokens in and out, of all agents of a run.", "200000"),
    key("dollars", number(0.0, 1e9), "US dollars, of all agents of a run.", "5.0"),
    key(
        "seconds",
        whole(1, MOST_SECONDS * 52),
        "Seconds of all agents of a run, added up; no time on the clock.",
        "7200",
    ),
];

const LEARNING: &[Key] = &[
    key("least", number(0.0, 1.0), "How alike: 1 is the same request, 0 has no word in common.", "0.15"),
    key("most", whole(0, 100), "How many; with 0, runs learn from none.", "5"),
];

const GRANTS: &[Key] = &[
    key("role", Form::Word(ROLES), "Whom it is for; every role without it.", "\"executor\""),
    key("rule", Form::Word(&["allow", "ask", "deny"]), "What becomes of a call that fits.", "\"allow\""),
    key("pattern", Form::Text, "TOOL, or TOOL: ARGUMENT; * stands for anything.", "\"run_shell_command: git status*\""),
    key("matches", Form::Texts, "Examples that must fit, checked when the file is read.", "[\"git status --short\"]"),
    key("misses", Form::Texts, "Examples that must not fit.", "[\"git push\"]"),
];

const CYCLE: &[Key] = &[
    key("lines", whole(1, 1_000_000), "The most lines that one loop may add and remove.", "150"),
    key("files", whole(1, 100_000), "The most files that one loop may touch.", "2"),
    key("loops", whole(1, 100_000), "After how many loops you are asked.", "50"),
    key("seconds", whole(1, MOST_SECONDS * 52), "After how long you are asked.", "86400"),
    key("insufficient", whole(1, 1000), "After how many INSUFFICIENT in a row you are asked.", "5"),
    key(
        "answer_seconds",
        whole(1, MOST_SECONDS * 52),
        "How long a question waits for you; for ever without it.",
        "86400",
    ),
    key(
        "silence",
        Form::Word(&["pause", "stop"]),
        "What becomes of a cycle whose question nobody answers.",
        "\"pause\"",
    ),
    key("outline", Form::Flag, "Whether a plan of the whole is shown to you first.", "false"),
    key("forbidden", Form::Texts, "Commands that agents may not run; * stands for anything.", "[\"git push\"]"),
    key(
        "pull_request",
        Form::Text,
        "What a shell runs to ask for a pull request before the merge; none without it.",
        "\"gh pr create --fill --head \\\"$MULTIVERSE_BRANCH\\\"\"",
    ),
];

const ROADMAP: &[Key] = &[
    key(
        "name",
        Form::Text,
        "What executors are called in the log; a number that is new for every step follows.",
        "\"ann\"",
    ),
    key("quota", whole(1, 100_000), "How many steps an executor has for one item, unless the task says it.", "100"),
];

const CHECKS: &[Key] = &[
    key("command", Form::Text, "What a shell runs, in a copy of the project.", "\"make test\""),
    key("seconds", whole(1, MOST_SECONDS), "How long it may take.", "600"),
    key("required", Form::Flag, "Whether no loop passes unless it ends with code 0.", "true"),
];

const GUIDANCE: &[Key] = &[key(
    "roles",
    Form::Texts,
    "Who is given them; planner and executor without it, nobody with [].",
    "[\"executor\"]",
)];

const SANDBOX: &[Key] = &[
    key("read", Form::Texts, "Folders outside the project that programs may read.", "[\"/opt/models\"]"),
    key("network", Form::Flag, "Whether commands that a model runs may use the network.", "false"),
    key("memory_mb", whole(16, 1 << 24), "Memory of one command and all that it starts.", "2048"),
    key("processes", whole(1, 100_000), "Processes of one command.", "256"),
];

const WEB: &[Key] = &[
    key(
        "search",
        Form::Word(&["gemini", "brave", "tavily", "searxng"]),
        "Who searches; without it, searching fails and says so.",
        "\"searxng\"",
    ),
    key("key", Form::Secret, "Where the provider's key is.", "\"env:BRAVE_API_KEY\""),
    key("base_url", Form::Text, "Where the provider is, if not at its usual place.", "\"https://search.example.org\""),
    key("model", Form::Text, "Which model searches, where the provider is one.", "\"gemini-2.5-flash\""),
    key(
        "allow",
        Form::Texts,
        "Hosts that are opened though they are private: HOST or HOST:PORT.",
        "[\"localhost:8080\"]",
    ),
];

const NOTIFY: &[Key] = &[
    key(
        "command",
        Form::Text,
        "A shell line; what waits stands on its standard input, as JSON.",
        "\"cat >> notes.log\"",
    ),
    key("url", Form::Text, "An address that is sent the same, as JSON.", "\"https://hooks.example.org/gates\""),
];

const MCP: &[Key] = &[
    key("command", Form::Text, "The program of a server that talks over its standard input.", "\"my-server\""),
    key("args", Form::Texts, "Its arguments.", "[\"--readonly\"]"),
    key("env", Form::Map, "Its environment; $NAME stands for a variable of yours.", "{ TOKEN = \"$MY_TOKEN\" }"),
    key("network", Form::Flag, "Whether it may use the network.", "false"),
    key("url", Form::Text, "The address of a server that is reached over HTTP.", "\"https://mcp.example.org/mcp\""),
    key("headers", Form::Map, "What every request to it carries.", "{ Authorization = \"Bearer $MY_TOKEN\" }"),
    key("allow", Form::Texts, "Its tools that are offered; all without it. * stands for anything.", "[\"read_*\"]"),
    key("deny", Form::Texts, "Its tools that are not.", "[\"*_delete\"]"),
    key("roles", Form::Texts, "Who is offered them; all without it.", "[\"executor\"]"),
];

/// The names of keys, as a message lists them.
pub(crate) fn names(keys: &[Key]) -> String {
    let mut names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    names.sort_unstable();
    names.join(", ")
}
