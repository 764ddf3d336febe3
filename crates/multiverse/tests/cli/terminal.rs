//! The program on a terminal of its own: the live view, questions and their answers, and how the terminal is left.

use std::process::Command;

use unicode_width::UnicodeWidthStr as _;

use crate::place::Place;
use crate::pty::Terminal;
use crate::scripted::{REQUEST, last, place, status};

const SCRIPT: [&str; 2] = ["--agent", "script:script.yaml"];
/// An executor that never ends.
const HANGS: [&str; 4] = ["--agent", "planner=script:script.yaml", "--agent", "executor=command:sh hang.sh"];

/// A project whose executor never ends.
fn hanging() -> Place {
    let place = place("");
    std::fs::write(place.path("hang.sh"), "cat > /dev/null\necho looking closely >&2\nsleep 1000\n").unwrap();
    place
}

/// A run of it, at its first slow task.
fn at_work(place: &Place, columns: u16, lines: u16) -> Terminal {
    let terminal = Terminal::with(place, &[&["run", REQUEST, "--yes"][..], &HANGS].concat(), columns, lines);
    terminal.until_shown("executor: sh hang.sh");
    terminal
}

/// The way a shell finds the terminal: lines, echo, a cursor, nothing marked.
fn is_given_back(terminal: &Terminal) {
    terminal.until("terminal that is given back", |screen| {
        screen.shows_cursor && screen.wraps && !screen.marks_pasted && terminal.is_ordinary()
    });
}

/// MV-09, MV-10: the proposal is shown readably and answered by a key; the tree stays as a summary.
#[test]
fn a_proposal_is_answered_by_a_key() {
    let place = place("");
    let terminal = Terminal::with(&place, &[&["run", REQUEST][..], &SCRIPT].concat(), 100, 30);
    let shown = terminal.until_shown("Shall it be so?");
    assert!(shown.contains("Count every sale once."), "{shown}");
    assert!(!shown.contains("multiverse confirm"), "whoever can press a key needs no commands:\n{shown}");
    terminal.types("y");
    let (code, screen) = terminal.end();
    let shown = screen.text();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("P04 GENERATING_OUTPUT"), "{shown}");
    assert!(shown.contains(&format!("outputs/{}/report.md", last(&place))), "{shown}");
    assert!(screen.shows_cursor && screen.wraps && !screen.marks_pasted);
}

/// MV-10: typed words change the proposal, once they are meant; another draft follows.
#[test]
fn a_proposal_is_answered_by_words() {
    let place = place("");
    let terminal = Terminal::with(&place, &[&["run", REQUEST][..], &SCRIPT].concat(), 80, 30);
    terminal.until_shown("or type what shall be otherwise:");
    terminal.types("only 두 번째 quarter\r").until_shown("Have the proposal changed like this?");
    terminal.types("y").until_shown("answered MODIFY");
    terminal.until("second question", |screen| {
        let shown = screen.text();
        shown.rfind("Shall it be so?") > shown.find("answered MODIFY")
    });
    terminal.types("n").until_shown("No. What then?");
    terminal.types("l");
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{}", screen.text());
    assert!(screen.text().contains("multiverse confirm"), "{}", screen.text());
    assert_eq!(status(&place, &last(&place)), "AWAITING_CONFIRMATION");
}

/// Where the cursor cannot be moved the same letters and words answer, each with Enter behind it.
#[test]
fn a_plain_terminal_understands_the_same_letters() {
    let place = place("");
    let run = || {
        let command = place.command(&[&["run", REQUEST][..], &SCRIPT].concat());
        let terminal = Terminal::of(&command, "dumb", 80, 30);
        terminal.until_shown("or type what shall be otherwise:");
        terminal
    };
    let terminal = run();
    terminal
        .types("p\n")
        .until("proposal twice", |screen| screen.text().matches("Count every sale once.").count() == 2);
    terminal.types("n\n").until_shown("No. What then?");
    terminal.types("b\n").until("question again", |screen| screen.text().matches("Shall it be so?").count() == 3);
    terminal.types("year 2024 only\n").until_shown("Have the proposal changed like this?");
    terminal.types("n\n");
    terminal.until("question once more", |screen| screen.text().matches("Shall it be so?").count() == 4);
    terminal.types("y\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{}", screen.text());
    let terminal = run();
    terminal.types("l\n");
    assert_eq!(terminal.end().0, 3);
}

/// QL-36: on a terminal an agent's question is asked there, and answered in as many lines as one likes.
#[test]
fn an_agent_s_question_is_asked() {
    let asks =
        "- {action: execute, item: T05, attempt: 1, report: {status: question, question: \"Which year is meant?\"}}\n";
    for kind in ["xterm", "dumb"] {
        let place = place(asks);
        let command = place.command(&[&["run", REQUEST, "--yes"][..], &SCRIPT].concat());
        let terminal = Terminal::of(&command, kind, 80, 30);
        let shown = terminal.until_shown("Your answer?");
        assert_eq!(shown.matches("Which year is meant?").count(), 1, "{shown}");
        terminal.types("The last one,\\\r").until_shown("The last one,");
        terminal.types("두 번째\r");
        let (code, screen) = terminal.end();
        assert_eq!(code, 0, "{}", screen.text());
        let log = place.run(&["logs", "last", "T05"]);
        assert!(log.stdout.contains("The last one,") && log.stdout.contains("두 번째"), "{}", log.shown());
    }
}

/// QL-36: what is not answered now waits, and the command that answers it is said.
#[test]
fn a_question_can_be_left_for_later() {
    let asks =
        "- {action: execute, item: T05, attempt: 1, report: {status: question, question: \"Which year is meant?\"}}\n";
    let place = place(asks);
    let terminal = Terminal::with(&place, &[&["run", REQUEST, "--yes"][..], &SCRIPT].concat(), 80, 30);
    terminal.until_shown("Your answer?");
    terminal.types("\x1b");
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{}", screen.text());
    assert!(screen.text().contains(&format!("multiverse answer {}", last(&place))), "{}", screen.text());
    // Whoever takes it up is asked again, with the agents it began with.
    let terminal = Terminal::with(&place, &["resume"], 80, 30);
    let shown = terminal.until_shown("Your answer?");
    assert!(shown.contains("script:script.yaml") && shown.contains("Which year is meant?"), "{shown}");
    terminal.types("2024\r");
    assert_eq!(terminal.end().0, 0);
}

/// An executor that asks at T05 and never ends at T06, which is worked on at the same time.
fn asking() -> Place {
    let tasks = r#"- {plan_target: "stage:S01", report: {status: done, result: {tasks: [{task_name: "read the sales", task_purpose: "list the figures of the sales", related_references: ["assets/sales.csv"], output_path: "runs/{run_id}/workspace/ANALYZING/facts.md", execution_order: 1}, {task_name: "count them", task_purpose: "count the sales", related_references: ["assets/sales.csv"], output_path: "runs/{run_id}/workspace/ANALYZING/count.md", execution_order: 2}]}}}"#;
    let place = place("");
    let script = std::fs::read_to_string(place.path("script.yaml")).unwrap();
    let lines = script.lines().map(|line| if line.contains("\"stage:S01\"") { tasks } else { line });
    std::fs::write(place.path("script.yaml"), lines.collect::<Vec<_>>().join("\n")).unwrap();
    let work = r#"cat > brief.txt
out=$(grep -o 'runs/[^"]*/workspace/ANALYZING/[a-z_]*[.]md' brief.txt | tail -1)
case "$out" in
*count.md) sleep 1000 ;;
*facts.md) grep -q "the year 2031" brief.txt || { echo '{"status":"question","question":"Which year is meant?"}'; exit; } ;;
esac
echo words > "$out"
echo "{\"status\":\"done\",\"summary\":\"did it\",\"outputs\":[{\"path\":\"$out\"}]}"
"#;
    std::fs::write(place.path("work.sh"), work).unwrap();
    place
}

/// QL-36: a question is asked at once, while another agent works; what it asked for goes on with the answer, beside it.
#[test]
fn a_question_is_asked_while_others_work() {
    let agents = ["--agent", "planner=script:script.yaml", "--agent", "executor=command:sh work.sh"];
    for kind in ["xterm", "dumb"] {
        let place = asking();
        let command = place.command(&[&["run", REQUEST, "--yes"][..], &agents].concat());
        let terminal = Terminal::of(&command, kind, 90, 40);
        let shown = terminal.until_shown("Your answer?");
        assert!(shown.contains("T06 count them"), "the other works on and is to be seen:\n{shown}");
        terminal.types("the year 2031\r");
        terminal.until("T05 to be done beside T06", |screen| {
            let shown = screen.text();
            shown.contains("✓ T05 read the sales") || shown.contains("T05 read the sales … done")
        });
        terminal.types("\x03");
        let (code, screen) = terminal.end();
        assert_eq!(code, 1, "{}", screen.text());
    }
}

/// What is asked while others work can be left for later there, and waits.
#[test]
fn a_question_beside_work_can_be_left_for_later() {
    let place = asking();
    let agents = ["--agent", "planner=script:script.yaml", "--agent", "executor=command:sh work.sh"];
    let terminal = Terminal::with(&place, &[&["run", REQUEST, "--yes"][..], &agents].concat(), 90, 40);
    terminal.until_shown("Your answer?");
    terminal.types("\x1b");
    terminal.until("tree without the question", |screen| {
        let shown = screen.visible().join("\n");
        !shown.contains("Your answer?") && shown.contains("T06 count them")
    });
    terminal.types("\x03");
    assert_eq!(terminal.end().0, 3, "it waits for an answer");
    let waits = place.run(&["inbox"]);
    assert!(waits.stdout.contains("Which year is meant?"), "{}", waits.shown());
}

/// Work that is a person's is shown and typed in, or named as a file.
#[test]
fn work_of_a_person_is_asked_for() {
    let place = place("");
    std::fs::write(place.path("mine.md"), "# Mine\n\nwords\n").unwrap();
    let agents = ["--agent", "script:script.yaml", "--agent", "executor=person"];
    let terminal = Terminal::with(&place, &[&["run", REQUEST, "--yes"][..], &agents].concat(), 90, 40);
    let shown = terminal.until_shown("ANALYZING/initial_analysis.md?");
    assert!(shown.contains("is yours to do") && !shown.contains("JSON"), "{shown}");
    terminal.types("# First\\\r\\\rtyped here\r").until_shown("ANALYZING/facts.md?");
    terminal.types("@gone.md\r").until_shown("cannot read gone.md");
    terminal.types("@mine.md\r").until_shown("STRATEGIZING/way.md?");
    terminal.types("\x03");
    let (_, screen) = terminal.end();
    let run = last(&place);
    let written = |path: &str| std::fs::read_to_string(place.path(path)).unwrap_or_default();
    let of = |name: &str| written(&format!("runs/{run}/workspace/ANALYZING/{name}.md"));
    assert_eq!(of("initial_analysis"), "# First\n\ntyped here\n", "{}", screen.text());
    assert_eq!(of("facts"), "# Mine\n\nwords\n", "{}", screen.text());
}

/// MV-24: Ctrl-C leaves a run that can be resumed, and says how.
#[test]
fn an_interruption_leaves_a_run_that_goes_on() {
    let place = hanging();
    let terminal = at_work(&place, 100, 24);
    terminal.types("\x03");
    let (code, screen) = terminal.end();
    let (shown, run) = (screen.text(), last(&place));
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains(&format!("`multiverse resume {run}` goes on with it")), "{shown}");
    assert!(screen.shows_cursor && screen.wraps && !screen.marks_pasted);
    let resumed = place.run(&["resume", &run, "--agent", "executor=script:script.yaml"]);
    assert_eq!(resumed.code, 0, "{}", resumed.shown());
    assert!(resumed.stderr.contains("planner=script:script.yaml"), "{}", resumed.shown());
}

/// Whoever ends it by force leaves a terminal with a cursor, and a line of its own for what comes next.
#[test]
fn what_is_killed_hides_no_cursor() {
    let place = hanging();
    let terminal = at_work(&place, 100, 24);
    terminal.signal("-KILL");
    let (code, screen) = terminal.end();
    assert_eq!(code, -9);
    assert!(screen.shows_cursor && screen.wraps, "{}", screen.text());
    assert_eq!(screen.before_cursor(), "", "{}", screen.text());
}

/// The view follows the size of the terminal, and every line fits.
#[test]
fn the_view_follows_the_size_of_the_terminal() {
    let place = hanging();
    let terminal = at_work(&place, 120, 30);
    for (columns, lines) in [(50, 12), (140, 40), (24, 6)] {
        terminal.resize(columns, lines);
        let fits = |line: &String| line.width() < usize::from(columns);
        terminal.until("view that fits", |screen| {
            let visible = screen.visible();
            visible.iter().all(fits) && visible.iter().any(|line| line.contains("T04"))
        });
    }
    terminal.types("\x03");
    assert_eq!(terminal.end().0, 1);
}

/// Another terminal sees the same, and who is at work.
#[test]
fn watching_names_the_agent() {
    let place = hanging();
    let terminal = at_work(&place, 100, 24);
    let watching = Terminal::with(&place, &["watch"], 100, 24);
    watching.until_shown("executor: sh hang.sh");
    watching.types("\x03");
    assert_eq!(watching.end().0, 0);
    let told = place.run(&["status", "last"]);
    assert!(told.stdout.contains("command:sh hang.sh"), "{}", told.shown());
    terminal.types("\x03");
    assert_eq!(terminal.end().0, 1);
}

/// Ctrl-Z gives the terminal back to the shell; `fg` draws the view anew.
#[test]
fn a_stopped_view_gives_the_terminal_back() {
    let place = hanging();
    let mut shell = Command::new("bash");
    shell.args(["--norc", "--noprofile", "--noediting", "-i"]).current_dir(place.path(""));
    shell.env("USER", "ada").env("PS1", "ready> ").env("HOME", place.path(""));
    let terminal = Terminal::of(&shell, "xterm", 100, 24);
    terminal.until_shown("ready>");
    let words: Vec<String> =
        [&["run", REQUEST, "--yes"][..], &HANGS].concat().iter().map(|word| format!("'{word}'")).collect();
    terminal.types(&format!("{} {}\n", env!("CARGO_BIN_EXE_multiverse"), words.join(" ")));
    terminal.until_shown("executor: sh hang.sh");
    terminal.types("\x1a").until_shown("Stopped");
    is_given_back(&terminal);
    terminal.types("echo back again\n").until("echo", |screen| screen.text().matches("back again").count() == 2);
    terminal.types("fg\n").until("view again", |screen| {
        let shown = screen.text();
        shown.rfind("executor: sh hang.sh") > shown.rfind("back again")
    });
    terminal.types("\x03").until_shown("goes on with it");
    is_given_back(&terminal);
    terminal.types("exit\n");
    terminal.end();
}
