//! What can be set, what is wrong with it, and where it came from.

use super::*;

fn read_text(text: &str) -> Read {
    read(text, &|_| None)
}

fn problems(text: &str) -> Vec<String> {
    let read = read_text(text);
    read.problems.iter().map(|one| format!("{}:{} {} ({})", one.line, one.column, one.message, one.hint)).collect()
}

#[test]
fn all_keys_are_read() {
    let read = read_text(
        "jobs = 8\nseconds = 1_000\n[agents]\ndefault = \"offline\"\nplanner = 'command:./plan'\n[sandbox]\nread = ['/opt']\n\
         [models.small]\nmodel = 'ollama/qwen'\nkey = 'env:KEY'\ntemperature = 0\n[budget]\ntokens = 9\ndollars = 0.5\n\
         [[grants]]\nrule = 'deny'\npattern = '*'\n[[grants]]\nrule = 'allow'\npattern = 'read_file'\nrole = 'planner'\n\
         [web]\nsearch = 'searxng'\nallow = ['localhost:1']\n[mcp.files]\ncommand = 'x'\nargs = ['-a']\nenv = { A = '1' }\n",
    );
    assert_eq!(read.problems, []);
    let set = &read.set;
    assert_eq!((set.jobs, set.seconds, &set.sandbox_read[..]), (Some(8), Some(1000), &["/opt".to_string()][..]));
    let agents: Vec<(&str, &str)> = set.agents.iter().map(|(role, set)| (role.as_str(), set.text.as_str())).collect();
    assert_eq!(agents, [("default", "offline"), ("planner", "command:./plan")]);
    assert_eq!(set.models["small"].temperature, Some(0.0));
    assert_eq!((set.budget_tokens, set.budget_dollars), (Some(9), Some(0.5)));
    assert_eq!((set.grants.len(), set.grants[1].role.as_deref()), (2, Some("planner")));
    assert_eq!(set.mcp["files"].env["A"], "1");
    assert_eq!(read_text("").set, Configuration::default());
    let learning = |text: &str| (read_text(text).set.least, read_text(text).set.most, read_text(text).problems.len());
    assert_eq!(learning("[learning]\nleast = 0.35\nmost = 0x0a\n"), (Some(350), Some(10), 0));
    assert_eq!(learning("[learning]\nleast = 1\nmost = 0\n"), (Some(1000), Some(0), 0));
}

#[test]
fn what_is_wrong_has_a_place_and_the_valid_options() {
    let keys = "valid keys: agents, budget, checks, cycle, grants, guidance, jobs, learning, mcp, models, notify, sandbox, seconds, web";
    let check = |text: &str, expected: &[&str]| assert_eq!(problems(text), expected, "{text}");
    check("job = 3\n", &[&format!("1:1 there is no key `job` ({keys})")]);
    check("# 보고\n\"보\" = 1", &[&format!("2:1 there is no key `보` ({keys})")]);
    let jobs = "1:8 jobs must be a whole number from 1 to 1000 (for example: jobs = 4)";
    check("jobs = 0", &[jobs]);
    check("jobs = \"4\"", &[jobs]);
    check("seconds = -1", &["1:11 seconds must be a whole number from 1 to 604800 (for example: seconds = 1800)"]);
    check("agents = 1", &["1:10 agents must be a table (for example: [agents], and below it: default = \"offline\")"]);
    check(
        "[agents]\nplaner = 'offline'\ndefault = 3",
        &[
            "3:11 default must be a text (for example: default = \"offline\")",
            "2:1 there is no key `planer` below [agents] (valid keys: communicator, default, executor, planner)",
        ],
    );
    check("[sandbox]\nread = [1]", &["2:8 read must be a list of texts (for example: read = [\"/opt/models\"])"]);
    let least = "least must be a number from 0 to 1 (for example: least = 0.15)";
    check("[learning]\nleast = 1.1", &[&format!("2:9 {least}")]);
    check("[learning]\nleast = nan", &[&format!("2:9 {least}")]);
    check("[models.a]\nkey = 'env:A'", &["2:7 [models.a] names no model (add: model = \"PROVIDER/NAME\")"]);
    check(
        "[[grants]]\nrule = 'allow'",
        &["2:8 rule 1 of [[grants]] has no `pattern` (every rule needs `rule` and `pattern`)"],
    );
    check("[mcp.a]\nargs = []", &["2:8 [mcp.a] has neither a command nor a url (keep one of the two)"]);
    check(
        "web.search = 'x'",
        &["1:14 search must be one of gemini, brave, tavily, searxng (for example: search = \"searxng\")"],
    );
    assert_eq!(problems("jobs = \nseconds = 3\n").len(), 1);
}

/// The examples of a grant are tried when the file is read, whoever works, and the rule that is wrong is the one that is shown.
#[test]
fn grants_are_held_to_their_examples() {
    let text = "[[grants]]\nrule = 'allow'\npattern = 'read_file'\n[[grants]]\nrule = 'allow'\n\
                pattern = 'run_shell_command: git *'\nmatches = ['ls']\n[[grants]]\nrule = 'deny'\npattern = 'a b'\n";
    assert_eq!(
        problems(text),
        [
            "6:11 rule 2, allow `run_shell_command: git *`: its example `ls` should match, but does not: \
             mend the pattern or the example (docs/security.md describes the rules)",
            "10:11 rule 3, deny `a b`: expected `TOOL` or `TOOL: ARGUMENT`, the tool of letters, digits, \
             `_`, `-`, `.` and `*` (docs/security.md describes the rules)",
        ]
    );
}

/// QL-35: a key that was written into the file is refused, and not shown.
#[test]
fn a_secret_in_the_file_is_refused_and_hidden() {
    let read = read_text("[models.a]\nmodel = 'openai/x'\nkey = 'sk-sesame'\n");
    assert_eq!(read.problems.len(), 1);
    let shown = read.rendered(&read.problems[0]);
    assert!(
        shown.contains("multiverse.toml:3:7") && shown.contains("env:NAME") && !shown.contains("sesame"),
        "{shown}"
    );
}

#[test]
fn the_environment_stands_over_the_file() {
    let variables = |name: &str| match name {
        "MULTIVERSE_JOBS" => Some("2".to_string()),
        "MULTIVERSE_AGENTS_EXECUTOR" => Some("person".into()),
        "MULTIVERSE_BUDGET_TOKENS" => Some("many".into()),
        _ => None,
    };
    let read = read("jobs = 8\n", &variables);
    assert_eq!(read.set.jobs, Some(2));
    assert_eq!(read.set.agents["executor"].text, "person");
    let origin = &read.entries.iter().find(|entry| entry.path == "jobs").unwrap().origin;
    assert_eq!(read.place(origin), "MULTIVERSE_JOBS");
    assert_eq!(
        read.problems_in_words().unwrap(),
        "MULTIVERSE_BUDGET_TOKENS: must be a whole number from 1 to 1000000000000"
    );
}

/// QL-25: no bytes break the reader.
#[test]
fn any_text_is_read_without_a_panic() {
    let whole =
        "jobs = 8\n[agents]\ndefault = \"off\\u00e9\"\n[[grants]]\nmatches = ['''x''', { a = 1 }]\n[models.a]\nkey=1\n";
    for from in 0..whole.len() {
        for to in from..whole.len() {
            let read = read_text(&format!("{}{}", &whole[..from], &whole[to..]));
            for problem in &read.problems {
                assert!(read.rendered(problem).contains(FILE));
            }
        }
    }
}

/// The commented file sets nothing; with the comments taken off, all of it can be read.
#[test]
fn the_commented_file_is_valid_both_ways() {
    assert_eq!(read_text(&commented()).entries, []);
    let bare: String = commented()
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| line.starts_with('[') || line.split_once(" = ").is_some_and(|(name, _)| !name.contains(' ')))
        .map(|line| format!("{line}\n"))
        .collect();
    let wrong: Vec<String> =
        problems(&bare).into_iter().filter(|problem| !problem.contains("[mcp.NAME] has both")).collect();
    assert_eq!(wrong, Vec::<String>::new(), "{bare}");
}
