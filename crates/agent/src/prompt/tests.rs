//! What every template must hold, and which one is chosen.

use serde_json::json;

use super::*;

fn brief(role: &str, action: &str, target: Option<&str>) -> Brief {
    let mut brief = Brief::new("run-1", "multiverse", role, action);
    brief.plan_target = target.map(String::from);
    brief.context = json!({"request": "Report on the wheat.", "instructions": [{"instruction_id": "I-1", "content": "Be short."}],
        "catalog": [{"file_path": "assets/a.md", "asset_type": "ORIGINAL_INPUT", "summary": "prices"}],
        "phase": {"phase_name": "ANALYZING"}, "tool_types": ["WebSearch"]});
    brief
}

fn check(brief: &Brief, template: &str, expected: &[&str]) {
    let prompts = Prompts::load(&[]).unwrap();
    for form in [Form::Report, Form::Simple] {
        let rendered = prompts.render(brief, form, Tools::None);
        assert_eq!(rendered.template, template);
        assert_eq!(prompts.digest(brief), (template, rendered.digest.as_str()));
        for words in expected {
            assert!(rendered.text().contains(words), "{template} must say `{words}`:\n{}", rendered.text());
        }
        assert!(!rendered.text().contains("{{"), "{}", rendered.text());
        assert!(
            !rendered.system.contains("Report on the wheat"),
            "the first part is the same for every item: {}",
            rendered.system
        );
    }
}

/// MV-39: stages by why and how; tasks by method, input, action, output, small files; then tools before and after.
#[test]
fn planners_are_told_how_to_plan() {
    let common = ["Report on the wheat.", "Be short.", "assets/a.md: prices"];
    let stages: Vec<&str> = [&common[..], &["Why:", "How:", "target assets", "\"stage_goal\""]].concat();
    check(&brief("planner", "plan_stages", Some("phase:P01")), "planner.plan_stages", &stages);
    let tasks: Vec<&str> = [
        &common[..],
        &["Choose a method", "one action", "related_references", "small files", "runs/run-1/workspace/ANALYZING/"],
    ]
    .concat();
    check(&brief("planner", "plan_tasks", Some("stage:S01")), "planner.plan_tasks", &tasks);
    let full =
        Prompts::built_in().render(&brief("planner", "plan_tasks", Some("stage:S01")), Form::Report, Tools::None);
    for words in ["pre_tool_purpose", "post_tool_purpose", "WebSearch"] {
        assert!(full.text().contains(words), "{words}");
    }
    check(&brief("planner", "plan_tasks", Some("phase:0")), "planner.plan_prelude", &["T00, T02, T03 and T04"]);
    check(&brief("planner", "propose", Some("proposal")), "planner.propose", &["instructions", "I-1: Be short."]);
    check(&brief("planner", "plan_tools", Some("pre_tool:T05")), "planner.plan_pre_tools", &["- WebSearch", "PRE"]);
    check(&brief("planner", "plan_tools", Some("post_tool:T05")), "planner.plan_post_tools", &["- WebSearch", "POST"]);
}

#[test]
fn executors_are_told_by_the_kind_of_their_task() {
    let mut task = brief("executor", "execute", None);
    task.item.insert("task_purpose".into(), json!("Extract the prices"));
    task.expects.outputs = vec!["runs/run-1/workspace/ANALYZING/prices.csv".into()];
    check(&task, "executor.execute", &["Extract the prices", "prices.csv (CSV", "Invent no facts"]);
    for (tool, template) in [
        ("WebSearch", "executor.web_search"),
        ("DataVisualization", "executor.data_visualization"),
        ("read_file", "executor.tool"),
    ] {
        task.item.insert("tool_type".into(), json!(tool));
        check(&task, template, &["prices.csv"]);
    }
    let mut simple = brief("executor", "execute", None);
    simple.context["mode"] = json!("SIMPLE_TASK");
    check(&simple, "executor.simple", &["Report on the wheat."]);
}

/// MV-41: the Communicator tells what the package says.
#[test]
fn communicators_are_given_the_package() {
    for kind in ["proposal", "failure", "completion"] {
        let mut brief = brief("communicator", "communicate", None);
        brief.context = json!({"kind": kind, "package": {"text": "the package itself"}});
        check(&brief, &format!("communicator.{kind}"), &["the package itself", "\"message\"", "run-1"]);
    }
    let mut other = brief("communicator", "communicate", None);
    other.context = json!({"kind": "question", "package": {"text": "which file?"}});
    check(&other, "any", &["which file?"]);
    check(&brief("judge", "review", None), "any", &["You are the judge"]);
}

/// A project's own words take the place of ours, with a digest of their own.
#[test]
fn a_project_has_its_own_words() {
    let own = [("planner.propose.md".to_string(), "Propose for {{request}}".to_string())];
    let prompts = Prompts::load(&own).unwrap();
    let brief = brief("planner", "propose", None);
    let rendered = prompts.render(&brief, Form::Report, Tools::None);
    assert_eq!((rendered.system.as_str(), rendered.user.as_str()), ("", "Propose for Report on the wheat."));
    assert_ne!(rendered.digest, Prompts::built_in().digest(&brief).1);
    let bad = [
        ("planner.propose.md".to_string(), "a\n---\n\n{{requst}}".to_string()),
        ("planner.dance.md".to_string(), String::new()),
    ];
    let problems = Prompts::load(&bad).unwrap_err();
    assert!(
        problems[0].starts_with("prompts/planner.propose.md: line 4: there is no field `requst`; valid: "),
        "{problems:?}"
    );
    assert!(
        problems[1].starts_with("prompts/planner.dance.md: there is no such prompt; valid: planner.plan_prelude, ")
    );
}

/// What a brief says is never read as a template, and lists are bounded (BY-17).
#[test]
fn prompts_are_bounded_and_filled_in_once() {
    let mut brief = brief("planner", "plan_stages", Some("phase:P01"));
    brief.context["request"] = json!("{{role}} ".repeat(10_000));
    let row = json!({"file_path": "a".repeat(1000), "asset_type": "X", "summary": "b".repeat(10_000)});
    brief.context["catalog"] = json!(vec![row; 1000]);
    let text = Prompts::built_in().render(&brief, Form::Report, Tools::None).text();
    assert!(text.contains("{{role}}"));
    assert!(text.len() < 60_000, "{}", text.len());
}

/// RM-14, RM-16: Planner and Executor of a roadmap are told who they are, where they work, what there is and why they plan.
#[test]
fn agents_of_a_roadmap_are_told_of_it() {
    let context = json!({"Executor_Identity": "ann-7f", "Executor_Name": "ann", "Current_Task_Max_Steps_Quota": 12,
        "Active_Executor_List": ["ann-7f", "bob-21"], "progress": "50%",
        "task": {"name": "t", "cwd": "/p", "dirs": ["docs"], "task_file": ".jixo/t.task.md", "log_file": ".jixo/t.log.md",
            "goal": "Report on the wheat."},
        "items": [{"key": "1.1", "number": "1.1", "title": "Weigh it", "group": "g1", "status": "Completed"},
            {"key": "1.2", "number": "1.2", "title": "Grind it", "group": "g1", "status": "Failed", "depends_on": ["1.1"],
             "result": "Failed", "summary": "no mill"}],
        "groups": [{"key": "g1", "title": "Phase 1"}],
        "why": {"kind": "failed", "item": "1.2", "summary": "no mill"},
        "skills": [{"name": "milling", "description": "how to mill"}]});
    let mut plan = Brief::new("r", "roadmap", "planner", "plan_roadmap");
    plan.context = context.clone();
    let common = ["Report on the wheat.", "ann-7f", ".jixo/t.task.md", ".jixo/t.log.md", "/p", "docs", "12 steps"];
    let own =
        ["Phase 1:", "- 1.2 Grind it [Failed] needs 1.1 (Failed: no mill)", "Item 1.2 failed:", "milling", "`claims`"];
    check(&plan, "planner.plan_roadmap", &[&common[..], &own].concat());
    let mut item = Brief::new("r", "roadmap", "executor", "do_item");
    item.context = context;
    item.item =
        serde_json::from_value(json!({"key": "1.2", "number": "1.2", "title": "Grind it", "claims": ["docs/b.md"]}))
            .unwrap();
    item.context["partial"] = json!("half is ground");
    item.context["asked"] = json!([{"question": "How fine?", "default": "coarse"}]);
    let own = [
        "Your item: 1.2 Grind it",
        "docs/b.md",
        "bob-21",
        "half is ground",
        "How fine?",
        "Do this: coarse",
        "milling: how",
    ];
    check(&item, "executor.do_item", &[&common[..], &own, &["\"blocker\": true"]].concat());
}

/// CY-03, CY-04, CY-05, CY-07: agents of a cycle are told the goal, the plan, the newest turns, the checks and the Human's
/// words, verbatim; and how to answer.
#[test]
fn agents_of_a_cycle_are_told_of_it() {
    let words = "use the *old* list,\nline by line | exactly";
    let context = json!({"goal": "Report on the wheat.", "current_state": ["two fields are sown"], "loop": 7,
        "earlier_loops": ["loop 1: PASS: weighed"], "limits": {"lines": 150, "files": 2}, "human_said": [words],
        "outline": "first weigh, then grind", "forbidden": ["git push*"],
        "turns": [{"signature": "1:6:3", "agent": "Judge", "result": "INSUFFICIENT", "summary": "not fine enough",
            "context": "", "fields": {"Discrepancy Diagnosis": "it is coarse"}}],
        "plan": {"summary": "grind it", "change": "turn the mill", "locations": "mill.md:3", "avoid": "the stone",
            "win_state": "it is fine"},
        "changed": {"lines": 12, "files": ["mill.md"], "commit": "c"},
        "checks": [{"name": "tests", "good": false, "end": "exit code 3", "output": "expected 3"}]});
    let brief = |role: &str, action: &str| {
        let mut brief = Brief::new("r", "cycle", role, action);
        brief.context = context.clone();
        brief
    };
    let turn = "1:6:3 Judge INSUFFICIENT: not fine enough | Discrepancy Diagnosis: it is coarse";
    let common = ["Report on the wheat.", "\"confidence\"", "below 5"];
    let with = |more: &[&'static str]| -> Vec<&'static str> { common.iter().chain(more).copied().collect() };
    let limits = "150 lines in 2 files";
    check(&brief("planner", "outline"), "planner.outline", &with(&[words, limits, "two fields are sown"]));
    let planner = with(&[words, turn, limits, "loop 1: PASS: weighed", "plan loop 7", "avoid_paths", "first weigh"]);
    check(&brief("planner", "plan_loop"), "planner.plan_loop", &planner);
    check(&brief("planner", "plan_closing"), "planner.plan_closing", &with(&[words, turn]));
    let plan =
        with(&[turn, limits, "grind it", "turn the mill", "mill.md:3", "the stone", "it is fine", "`git push*`"]);
    check(&brief("actor", "act"), "actor.act", &plan);
    let judged =
        with(&[turn, words, "12 lines were changed, in mill.md", "tests: exit code 3", "expected 3", "it is fine"]);
    check(&brief("judge", "judge"), "judge.judge", &judged);
}

/// PF-05, PF-12, PF-18, PF-20: whoever plays a role is told the idea, the step and its notes, the reviewer's words and a
/// person's answers whole, and how to answer; whatever the role is called, and nothing of what comes next.
#[test]
fn roles_of_a_workflow_are_told_of_their_step() {
    let long = "not *this*,\nbut that. ".repeat(60);
    let brief = |role: &str, action: &str, kind: &str| {
        let mut brief = Brief::new("r", "profile", role, action);
        brief.context = json!({"idea": {"id": "w", "headline": "Wheat", "text": "Report on the wheat."},
            "phase_description": "What is wanted.", "remarks": [long], "artifacts_dir": "artifacts",
            "handoff_packet": {"required": ["a.md"], "provided": [], "missing": ["a.md"]}});
        let item = json!({"step_id": "s7", "step_type": kind, "role": role, "phase": "plan", "notes": "mind the rain",
            "review_of": "miller"});
        brief.item = serde_json::from_value(item).unwrap();
        brief.expects.outputs = vec!["x/plan.md".into()];
        brief.answers = vec![crate::Answered { question: "which year?".into(), answer: long.clone() }];
        brief.problems = vec!["plan.md is missing".into()];
        brief
    };
    let common = [
        "Report on the wheat.",
        "Wheat",
        "What is wanted.",
        "mind the rain",
        "x/plan.md",
        "s7",
        "which year?",
        "plan.md is missing",
        "left out: a.md",
        long.trim_end(),
    ];
    let with = |more: &[&'static str]| -> Vec<&str> { common.iter().chain(more).copied().collect() };
    check(&brief("miller", "produce", "owner"), "role.produce", &with(&["You are the miller", "Your work came back"]));
    check(&brief("planner", "produce", "owner"), "role.produce", &with(&["You are the planner"]));
    let mut review = brief("judge", "review", "reviewer");
    review.expects.result = json!({"type": "object", "required": ["review_status"]}).into();
    let reviewer: Vec<&str> = with(&["\"changes_requested\", \"remarks\"", "You review the work of: miller"]);
    check(&review, "role.review", &reviewer.into_iter().filter(|words| *words != long.trim_end()).collect::<Vec<_>>());
    let mut checked = brief("tester", "validate", "validator");
    checked.expects.result = json!({"type": "object"}).into();
    check(&checked, "role.validate", &with(&["\"integration_failure_target\": \"ROLE\"", "\"passed\""]));
    let simple = Prompts::built_in().render(&brief("miller", "produce", "owner"), Form::Simple, Tools::None);
    assert!(simple.system.contains("Answer with the text of the file"), "{}", simple.system);
    let mut two = brief("miller", "produce", "owner");
    two.expects.outputs.push("x/b.md".into());
    two.context["commit_message"] = json!("<type>(miller): <what>");
    let text = Prompts::built_in().render(&two, Form::Simple, Tools::None).text();
    assert!(
        text.contains("answer with JSON only") && text.contains("Do not commit") && text.contains("x/b.md"),
        "{text}"
    );
}
