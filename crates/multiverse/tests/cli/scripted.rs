//! Projects whose agents are scripts: a whole run of one small task a phase, and ways to make it go otherwise.

use crate::place::{Place, Ran};

/// The request that makes a run of it.
pub(crate) const REQUEST: &str = "Make a report of the sales in assets.";

/// A plan for every phase, and an answer for every task.
const SCRIPT: &str = r##"
- {plan_target: "phase:0", report: {status: done, result: {tasks: []}}}
- {plan_target: proposal, report: {status: done, result: {instructions: ["Count every sale once.", "Write in plain words."], formats: [md]}}}
- {action: plan_stages, report: {status: done, result: {stages: [{stage_name: "look closely", stage_goal: "a list of facts that the next phase builds on", execution_order: 1}]}}}
- {plan_target: "stage:S01", report: {status: done, result: {tasks: [{task_name: "read the sales", task_purpose: "list the figures of the sales", related_references: ["assets/sales.csv"], output_path: "runs/{run_id}/workspace/ANALYZING/facts.md", execution_order: 1}]}}}
- {plan_target: "stage:S02", report: {status: done, result: {tasks: [{task_name: "choose a way", task_purpose: "choose what to tell", related_references: ["runs/{run_id}/workspace/ANALYZING/facts.md"], output_path: "runs/{run_id}/workspace/STRATEGIZING/way.md", execution_order: 1}]}}}
- {plan_target: "stage:S03", report: {status: done, result: {tasks: [{task_name: "write it out", task_purpose: "write the content", related_references: ["runs/{run_id}/workspace/STRATEGIZING/way.md"], output_path: "runs/{run_id}/workspace/REFINING_CONTENT/content.md", execution_order: 1}]}}}
- {plan_target: "stage:S04", report: {status: done, result: {tasks: [{task_name: "plan the parts", task_purpose: "plan how the parts fit together", related_references: ["runs/{run_id}/workspace/REFINING_CONTENT/content.md"], output_path: "runs/{run_id}/workspace/GENERATING_OUTPUT/assembly_plan.md", execution_order: 1}, {task_name: "publish the report", task_purpose: "publish the report", related_references: ["runs/{run_id}/workspace/GENERATING_OUTPUT/assembly_plan.md"], output_path: "outputs/{run_id}/report.md", execution_order: 2}]}}}
- {action: execute, report: {status: done, summary: "did {item}", outputs: [{path: "{output}", content: "# What {item} left\n\nSome words.\n"}]}}
"##;

/// A project with material, and the script with more entries, which count before the others.
pub(crate) fn place(more: &str) -> Place {
    let script = format!("{SCRIPT}{more}");
    Place::with(&[("assets/sales.csv", b"month,units\nJan,3\nFeb,4\n"), ("script.yaml", script.as_bytes())])
}

/// Runs a command with the script for an agent.
pub(crate) fn scripted(place: &Place, arguments: &[&str]) -> Ran {
    place.run(&[arguments, &["--agent", "script:script.yaml"]].concat())
}

/// Begins a run that then waits for an answer; gives its id.
pub(crate) fn waiting(place: &Place) -> String {
    let ran = scripted(place, &["run", REQUEST]);
    assert_eq!(ran.code, 3, "{}", ran.shown());
    last(place)
}

/// The id of the newest run.
pub(crate) fn last(place: &Place) -> String {
    let ran = place.run(&["status", "last", "--json"]);
    ran.json()[0]["run"].as_str().unwrap_or_else(|| panic!("{}", ran.shown())).into()
}

/// The word of a run's status.
pub(crate) fn status(place: &Place, run: &str) -> String {
    place.run(&["status", run, "--json"]).json()[0]["status"].as_str().unwrap().into()
}

/// The number of records so far: what changed nothing leaves it as it is.
pub(crate) fn records(place: &Place) -> usize {
    place.run(&["history", "--json"]).json().len()
}

/// What was shown, with the id of the run taken out.
pub(crate) fn without_id(ran: &Ran, run: &str) -> String {
    // In a table the blanks behind an id keep the columns in line.
    let wide = format!("{run}  ");
    ran.shown().replace(&wide, &format!("{:<1$}", "RUN", wide.len())).replace(run, "RUN")
}
