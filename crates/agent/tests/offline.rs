//! The offline agent through a whole run, as the engine would drive it: proposal, four phases, messages.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

mod project;

use agent::{BriefFile, ReportStatus};
use project::{Project, RUN, cites, file};
use serde_json::{Map, Value, json};

const REQUEST: &str = "Report on the revenue and employees of Acme. Deliver it as Markdown and HTML.";

fn fixture() -> Vec<(&'static str, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/assets");
    ["annual.md", "company.csv", "interview.txt", "korea.md", "logo.png", "market.html", "plant.json"]
        .into_iter()
        .map(|name| (name, fs::read(folder.join(name)).unwrap()))
        .collect()
}

fn report_of(files: &BTreeMap<String, String>, ending: &str) -> String {
    files[&format!("outputs/{RUN}/report.{ending}")].clone()
}

#[test]
fn mv37_a_run_publishes_each_form_that_was_asked_for() {
    let files = Project::new(&fixture(), REQUEST).run();
    let published: Vec<&String> = files.keys().filter(|path| path.starts_with("outputs/")).collect();
    assert_eq!(published, [&format!("outputs/{RUN}/report.html"), &format!("outputs/{RUN}/report.md")]);
    assert!(files.contains_key(&format!("runs/{RUN}/workspace/GENERATING_OUTPUT/assembly_plan.md")));
    for (path, text) in &files {
        let seen = text.split("<body>").last().unwrap();
        let top: String = seen.lines().take(6).collect();
        assert!(top.contains("Made by extraction, without a model"), "{path} does not say how it was made");
    }
}

#[test]
fn contradictions_of_the_fixture_are_found_and_nothing_else() {
    let files = Project::new(&fixture(), REQUEST).run();
    let report = report_of(&files, "md");
    let part = report.split("## Contradictions").nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
    let mut places: Vec<String> = Vec::new();
    for line in part.lines() {
        let quoted: Vec<String> = cites(line).iter().map(|(path, line, _)| format!("{path}:{line}")).collect();
        match places.last_mut() {
            Some(last) if !quoted.is_empty() => last.push_str(&format!(" {}", quoted.join(" "))),
            _ => {}
        }
        if line.starts_with("- ") {
            places.push(String::new());
        }
    }
    let mut places: Vec<String> = places.iter().map(|one| one.trim().to_owned()).collect();
    places.sort();
    assert_eq!(
        places,
        [
            "assets/annual.md:3 assets/company.csv:3",
            "assets/annual.md:8 assets/interview.txt:1 assets/company.csv:3",
            "assets/annual.md:8 assets/interview.txt:2",
            "assets/korea.md:3 assets/korea.md:5",
        ],
        "{part}"
    );
    assert!(!report.contains("999 employees"), "a script is no source");
}

#[test]
fn the_same_input_makes_the_same_bytes() {
    let first = Project::new(&fixture(), REQUEST).run();
    let mut turned = fixture();
    turned.reverse();
    let mut second = Project::new(&turned, REQUEST);
    assert_eq!(first, second.run());
}

/// Run by the test below in processes of their own, which differ in what must not matter.
#[test]
fn what_a_run_makes_as_one_text() {
    let Some(path) = std::env::var_os("OFFLINE_BYTES") else { return };
    let made = Project::new(&fixture(), REQUEST).run();
    let all: String = made.iter().map(|(path, text)| format!("{path}\n{text}\n")).collect();
    fs::write(path, all).unwrap();
}

#[test]
fn language_and_time_zone_of_the_machine_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let made: Vec<String> = [("C", "UTC"), ("de_DE.UTF-8", "Asia/Tokyo"), ("tr_TR.UTF-8", "America/St_Johns")]
        .into_iter()
        .map(|(locale, zone)| {
            let file = folder.path().join(locale);
            let done = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "what_a_run_makes_as_one_text"])
                .env("LC_ALL", locale)
                .env("LANG", locale)
                .env("TZ", zone)
                .env("OFFLINE_BYTES", &file)
                .output()
                .unwrap();
            assert!(done.status.success(), "{done:?}");
            fs::read_to_string(file).unwrap()
        })
        .collect();
    assert!(made[0].len() > 1000 && made.iter().all(|text| *text == made[0]));
}

/// MV-29: the Data Visualization agent leaves a drawing in one file of its own.
#[test]
fn mv29_a_chart_is_drawn_of_what_a_task_made() {
    let mut project = Project::new(&fixture(), REQUEST);
    let analysis = format!("runs/{RUN}/workspace/ANALYZING/analysis_01.md");
    let made = |project: &Project, tool: &str, inputs: &[&str], output: &str| {
        let report = project.ask("executor", "execute", |brief| {
            brief.item.insert("tool_type".into(), json!(tool));
            brief.files = inputs.iter().map(|path| file((*path).to_owned())).collect();
            brief.expects.outputs = vec![output.to_owned()];
        });
        assert_eq!(report.status, ReportStatus::Done, "{report:?}");
        report.outputs[0].content.clone().unwrap()
    };
    let paper = made(&project, "", &["assets/company.csv"], &analysis);
    project.keep(&analysis, &paper);
    let page = format!("runs/{RUN}/workspace/ANALYZING/T05_datavisualization.html");
    let drawn = made(&project, "DataVisualization", &[&analysis], &page);
    assert!(drawn.contains("<svg ") && drawn.contains("assets/company.csv:"), "{drawn}");
    assert!(!drawn.contains("<script") && !drawn.contains("http"), "one file, and nothing from elsewhere");
    project.keep(&page, &drawn);
    let plan =
        project.ask("planner", "plan_tasks", |brief| brief.context["phase"] = json!({"phase_name": "STRATEGIZING"}));
    assert!(!plan.result.to_string().contains("datavisualization"), "a drawing is no evidence: {}", plan.result);
    let findings = made(&project, "", &[&analysis, &page], &format!("runs/{RUN}/workspace/STRATEGIZING/findings.md"));
    assert!(!findings.contains("datavisualization"), "{findings}");
    let none = made(&project, "DataVisualization", &["assets/interview.txt"], &page);
    assert!(none.contains("could be drawn"), "{none}");
}

#[test]
fn problems_of_the_attempt_before_are_regarded() {
    let project = Project::new(&fixture(), REQUEST);
    let plan = |problems: &[&str]| {
        let report = project.ask("planner", "plan_tasks", |brief| {
            brief.context["phase"] = json!({"phase_name": "ANALYZING"});
            brief.context["stage"] = json!({"stage_name": "Compare the sources"});
            brief.problems = problems.iter().map(|problem| (*problem).to_owned()).collect();
        });
        report.result["tasks"][0].clone()
    };
    let gone = "row 1, column related_references: assets/plant.json does not exist";
    assert!(plan(&[]).to_string().contains("assets/plant.json"));
    assert!(!plan(&[gone]).to_string().contains("assets/plant.json"));
    let output = plan(&[])["output_path"].as_str().unwrap().to_owned();
    let taken = format!("row 1, column output_path: {output} is the output of T05 already");
    assert_ne!(plan(&[&taken])["output_path"], output.as_str());
}

#[test]
fn without_assets_a_run_says_that_there_was_nothing_to_read() {
    let files = Project::new(&[], "Report on the sales of Acme.").run();
    let report = report_of(&files, "md");
    assert!(report.contains("There was nothing to read in assets/"), "{report}");
    assert!(report.contains("Report on the sales of Acme."), "{report}");
}

#[test]
fn text_from_sources_cannot_become_markup() {
    let odd = "The <img src=x onerror=alert(1)> price is *4* EUR | [x](javascript:1) in 2023.\n";
    let files = Project::new(&[("odd.txt", odd.as_bytes().to_vec())], REQUEST).run();
    assert!(!report_of(&files, "html").contains("<img"));
    assert!(report_of(&files, "md").contains("\\<img src=x"), "{}", report_of(&files, "md"));
}

#[test]
fn many_sources_are_shared_out_among_a_bounded_number_of_tasks() {
    let assets: Vec<(String, Vec<u8>)> = (0..95)
        .map(|number| (format!("note{number:03}.txt"), format!("Acme sold {number} pumps in 2023.").into_bytes()))
        .collect();
    let assets: Vec<(&str, Vec<u8>)> = assets.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let project = Project::new(&assets, REQUEST);
    let plan = project.ask("planner", "plan_tasks", |brief| {
        brief.context["phase"] = json!({"phase_name": "ANALYZING"});
        brief.context["stage"] = json!({"stage_name": "Read the sources"});
    });
    let tasks = plan.result["tasks"].as_array().unwrap();
    let read: usize = tasks.iter().map(|task| task["related_references"].as_array().unwrap().len()).sum();
    assert!(tasks.len() <= 40, "{}", tasks.len());
    assert_eq!(read, 95);
}

#[test]
fn mv08_conflicts_with_earlier_instructions_are_decided_with_reasons() {
    let mut project = Project::new(&[], "Compare the sales of 2023. Deliver as HTML.");
    for (id, content) in
        [("I-a-01", "Compare the sales of 2022."), ("I-a-02", "Deliver as Markdown (.md)."), ("I-a-03", "Be polite.")]
    {
        project.instructions.push(json!({"instruction_id": id, "run_id": "run-a", "content": content}));
    }
    let result = project.ask("planner", "propose", |_| {}).result;
    let ids = |name: &str| -> Vec<String> {
        result[name].as_array().unwrap().iter().map(|one| one["instruction_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("superseded"), ["I-a-01", "I-a-02"], "{result:#}");
    assert_eq!(ids("kept"), ["I-a-03"]);
    assert_eq!(result["formats"], json!(["html"]));
    for one in result["superseded"].as_array().unwrap() {
        let by = usize::try_from(one["by"].as_u64().unwrap()).unwrap();
        assert!(by >= 1 && by <= result["instructions"].as_array().unwrap().len());
        assert!(!one["justification"].as_str().unwrap().is_empty());
    }
}

#[test]
fn mv10_wishes_of_the_user_change_the_draft() {
    let project = Project::new(&fixture(), REQUEST);
    let result = project
        .ask("planner", "propose", |brief| {
            brief.context["wishes"] = json!(["Only as HTML please.", "Leave out Globex."]);
        })
        .result;
    assert_eq!(result["formats"], json!(["html"]));
    let instructions = result["instructions"].to_string();
    assert!(instructions.contains("Leave out Globex."), "{instructions}");
}

#[test]
fn mv03_a_simple_task_is_answered_from_the_sources_or_refused_plainly() {
    let project = Project::new(&fixture(), "How many employees has Acme?");
    let answer = project.ask("executor", "execute", |_| {}).result["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("120 employees") && answer.contains("(assets/annual.md:8)"), "{answer}");
    let empty = Project::new(&[], "How many employees has Acme?");
    let answer = empty.ask("executor", "execute", |_| {}).result["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("no model") && answer.contains("nothing to read"), "{answer}");
}

#[test]
fn mv41_messages_have_the_words_of_the_protocol() {
    let project = Project::new(&[], REQUEST);
    for (kind, package, expected) in [
        (
            "completion",
            json!({}),
            format!("[Job Completed] Your requested job (Run: {RUN}) has been successfully completed."),
        ),
        ("completion", json!({}), format!("outputs/{RUN}/")),
        ("failure", json!({"error": "disk full", "task_id": "T05"}), "error: disk full".to_owned()),
        ("proposal", json!({"instructions": ["Be brief."]}), "1. Be brief.".to_owned()),
    ] {
        let report = project.ask("communicator", "communicate", |brief| {
            brief.context = json!({"kind": kind, "package": package});
        });
        let message = report.result["message"].as_str().unwrap();
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn mv36_only_files_of_the_brief_and_of_the_project_are_read() {
    let project = Project::new(&[("a.txt", b"Acme had 120 employees in 2023.".to_vec())], REQUEST);
    let outside = project.folder.path().with_extension("outside.txt");
    fs::write(&outside, "Acme had secret employees in 2023.").unwrap();
    std::os::unix::fs::symlink(&outside, project.folder.path().join("assets/link.txt")).unwrap();
    let report = project.ask("executor", "execute", |brief| {
        brief.files = ["assets/link.txt", "../x.outside.txt", "/etc/hostname", "assets"]
            .map(|path| file(path.to_owned()))
            .to_vec();
        brief.expects.outputs = vec![format!("runs/{RUN}/workspace/ANALYZING/analysis_x.md")];
    });
    let content = report.outputs[0].content.as_deref().unwrap();
    assert!(!content.contains("secret") && !content.contains("120"), "{content}");
    for path in ["assets/link.txt", "/etc/hostname"] {
        assert!(content.contains(path), "{path} must be reported as not read: {content}");
    }
    fs::remove_file(PathBuf::from(&outside)).unwrap();
}

#[test]
fn what_it_cannot_do_is_a_failure_that_says_so() {
    let project = Project::new(&[], REQUEST);
    for (action, output, words) in
        [("judge", "", "cannot do `judge`"), ("execute", "outputs/x/report.pdf", "cannot write .pdf")]
    {
        let report = project.ask("executor", action, |brief| {
            brief.item = Map::new();
            brief.expects.outputs = if output.is_empty() { Vec::new() } else { vec![output.to_owned()] };
        });
        assert_eq!(report.status, ReportStatus::Failed);
        assert!(report.error.as_deref().unwrap_or_default().contains(words), "{report:?}");
    }
}

#[test]
fn mv22_a_tool_is_planned_if_there_is_one_and_refused_if_not() {
    let project = Project::new(&[], REQUEST);
    let plan = |tools: Value| {
        project.ask("planner", "plan_tools", |brief| {
            brief.plan_target = Some("post_tool:T05".into());
            brief.item.insert("output_path".into(), json!(format!("runs/{RUN}/workspace/ANALYZING/a.md")));
            brief.item.insert("post_tool_purpose".into(), json!("Chart the sales."));
            brief.context["tool_types"] = tools;
        })
    };
    let report = plan(json!(["DataVisualization"]));
    let task = &report.result["tool_tasks"][0];
    assert_eq!(task["tool_type"], "DataVisualization");
    assert_eq!(task["output_path"], format!("runs/{RUN}/workspace/ANALYZING/T05_datavisualization.html"));
    assert_eq!(plan(json!([])).status, ReportStatus::Failed);
}

/// Whatever the bytes, the agent reports, and twice the same.
#[test]
fn damaged_sources_are_read_without_a_fault() {
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below.max(1)
    };
    const PIECES: [&str; 16] =
        ["\"", "<", ">", "|", "{", "[", "\\", "\n", "2023", "1,2.3", "–", "억", "`", "&#x;", "\u{0}", "EUR -"];
    for round in 0..60 {
        let assets: Vec<(&str, Vec<u8>)> = fixture()
            .into_iter()
            .map(|(name, mut bytes)| {
                for _ in 0..=next(6) {
                    let at = next(bytes.len() + 1);
                    let until = (at + next(12)).min(bytes.len());
                    bytes.splice(at..until, PIECES[next(PIECES.len())].bytes());
                }
                (name, bytes)
            })
            .collect();
        let project = Project::new(&assets, REQUEST);
        let all: Vec<BriefFile> = assets.iter().map(|(name, _)| file(format!("assets/{name}"))).collect();
        for name in ["analysis_x.md", "comparison.md"] {
            let make = || {
                project.ask("executor", "execute", |brief| {
                    brief.files = all.clone();
                    brief.expects.outputs = vec![format!("runs/{RUN}/workspace/ANALYZING/{name}")];
                })
            };
            let report = make();
            assert_eq!(report.status, ReportStatus::Done, "round {round}: {report:?}");
            assert_eq!(report, make(), "round {round}");
        }
    }
}

/// MV-02, MV-37: the form, the length and the charts are as the request says.
#[test]
fn mv37_the_deliverable_has_the_form_and_length_that_the_request_names() {
    let published = |request: &str| {
        let files = Project::new(&fixture(), request).run();
        let made: Vec<(String, String)> = files.into_iter().filter(|(path, _)| path.starts_with("outputs/")).collect();
        let [(path, text)] = made.as_slice() else { panic!("{request}: {} files", made.len()) };
        (path.rsplit('.').next().unwrap().to_owned(), text.clone())
    };
    let (ending, csv) = published("Write only a CSV of the revenue of Acme.");
    assert_eq!(ending, "csv");
    assert!(csv.starts_with("section,statement,source\n") && csv.contains("assets/annual.md:"), "{csv}");
    let (ending, json) = published("JSON only");
    assert_eq!(ending, "json");
    assert!(serde_json::from_str::<Value>(&json).is_ok());
    assert_eq!(published("Give me only an HTML page about Acme.").0, "html");
    let (ending, page) = published("Write a one page summary of Acme.");
    assert_eq!(ending, "md");
    assert!(page.lines().count() < 60 && page.contains("Cut to the length that was asked for"), "{page}");
    assert!(published("Write a report about Acme.").1.contains("## Chart"));
    assert!(!published("Write a report about Acme without charts.").1.contains("## Chart"));
    let (_, slides) = published("Make slides about Acme.");
    assert!(slides.contains("(slides) cannot be written without other tools; this is Markdown instead"), "{slides}");
}

/// MV-37: the lines of a log are neither findings nor claims against each other.
#[test]
fn records_of_a_log_are_no_findings_and_no_contradictions() {
    let line = |n: usize| {
        format!("2023-05-25T16:40:07Z INFO till0 req={} ms=106 status=404 path=/pay/1561\n", 1480 + n * 9240)
    };
    let log: String = (0..40).map(line).collect();
    let prose = b"The shop had 17 employees at the end of 2023.\n".to_vec();
    let report = report_of(&Project::new(&[("server.log", log.into_bytes()), ("a.md", prose)], REQUEST).run(), "md");
    assert!(report.contains("The shop had 17 employees") && report.contains("assets/server.log:1"), "{report}");
    assert!(!report.contains("till0 req") && !report.contains("in Polish"), "{report}");
}
