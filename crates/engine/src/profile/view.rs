//! A profile's run for whoever looks: at a glance, who is at work, what waits for people, and what they are told.

use dialect::profile::artifact_folder;
use machine::profile::{
    Attempt, Blocking, Course, FailureKind, GateStatus, Missing, PlannedStep, Question, QuestionKind, Run, StepKind,
    StepState,
};
use machine::{Holder, Said};
use serde_json::{Value, json};

use crate::clock::clock;
use crate::settings::{A_PERSON, THE_ENGINE};
use crate::views::{AttemptView, Driver, ItemView, RestView, RunView, UsageView, Waiting};

/// A question that nothing waits for.
pub(super) const OPTIONAL: &str = "optional";
/// The most missing things that are named at a glance.
const TOLD: usize = 5;

/// A run, whether it is over or not.
pub(super) fn view(run: &Run, driver: Driver) -> RunView {
    let (state, state_in_words) = going_on(run, driver);
    let on = run.step();
    let done = run.states.iter().filter(|state| **state == StepState::Completed).count();
    RunView {
        run: run.id.clone(),
        request: run.idea.headline.clone(),
        protocol: Some(super::PROTOCOL),
        status: match &run.course {
            Course::Done => "COMPLETED",
            Course::Cancelled => "FAILED",
            Course::Gate(_) => "AWAITING_CONFIRMATION",
            Course::Working | Course::Rejected(_) | Course::Undecided(_) => "PENDING",
        },
        state,
        state_in_words,
        phase: on.map(|step| step.phase.clone()).unwrap_or_default(),
        stage: on.map(|step| step.step.role.clone()).unwrap_or_default(),
        tasks: on.map(|step| step.step.id.clone()).unwrap_or_default(),
        done,
        planned: run.plan.len(),
        waits: waits(run),
        paused: run.paused.clone(),
        driver: run.driver.clone(),
        asked: run.cast.asked.clone(),
        attempts: attempts(run),
        usage: usage(run),
        resting: resting(run),
        items: items(run),
        details: Some(derived(run)),
        ..RunView::default()
    }
}

/// What follows from a run and is kept nowhere (PF-08), and what there is to show for it (PF-19).
fn derived(run: &Run) -> Value {
    let step_of = |index: usize| run.plan.get(index).map(|step| step.step.id.clone());
    let outputs = run.plan.iter().flat_map(|step| step.step.required_outputs.iter().map(move |name| (step, name)));
    let outputs: Vec<Value> = outputs
        .filter_map(|(step, name)| Some((step, name, run.artifacts.get(name).filter(|_| run.has_output(name))?)))
        .map(|(step, name, artifact)| {
            json!({"step_id": step.step.id, "output": name, "path": artifact.path, "digest": artifact.digest})
        })
        .collect();
    let gates: Vec<Value> = run
        .profile
        .gates
        .iter()
        .filter_map(|gate| Some((gate, run.gates.get(&gate.id)?)))
        .map(|(gate, state)| {
            let by = if run.is_human_gate(&gate.id) { "a person" } else { "the engine" };
            json!({"gate": gate.id, "status": gate_word(state.status), "decides": by, "by": state.by,
                   "reason": state.reason, "at": state.at})
        })
        .collect();
    let commits: Vec<Value> = run
        .commits
        .iter()
        .map(|commit| json!({"step_id": commit.step_id, "role": commit.role, "commit_sha": commit.sha, "message": commit.message}))
        .collect();
    let failures: Vec<Value> = run
        .failures
        .iter()
        .map(|failure| {
            let kind = match failure.kind {
                FailureKind::Step => "step",
                FailureKind::Check => "check",
                FailureKind::Integration => "integration",
            };
            json!({"step_id": step_of(failure.step), "kind": kind, "error": failure.error, "settled": failure.settled})
        })
        .collect();
    json!({
        "profile": run.profile.name,
        "definition": run.definition,
        "roles": roles(run),
        "execution_mode": run.profile.mode.word(),
        "idea": {"id": run.idea.id, "headline": run.idea.headline, "owner": run.idea.owner, "context": run.idea.context},
        "artifacts": artifact_folder(&run.idea.headline, &run.idea.id),
        "is_blocked": run.is_blocked(),
        "blocking_reasons": run.blocking().iter().map(Blocking::in_words).collect::<Vec<_>>(),
        "missing_outputs": run.missing_outputs(),
        "pending_required_questions": run.pending_required_questions().iter().map(|one| one.id.clone()).collect::<Vec<_>>(),
        "human_gate_waiting": run.human_gate_waiting(),
        "missing": run.missing().iter().map(Missing::in_words).collect::<Vec<_>>(),
        "missing_in_short": missing_in_short(run),
        "evidence": {"outputs": outputs, "gates": gates, "commits": commits},
        "critical_failures": failures,
        "review_cycles": run.review_cycles,
    })
}

/// What is missing until it is done, for people: the steps to come in one line, and nothing of what comes with them.
pub(super) fn missing_in_short(run: &Run) -> Vec<String> {
    let missing = run.missing();
    let to_come: Vec<&str> = missing
        .iter()
        .filter_map(|one| match one {
            Missing::Step(id) => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let comes_with_a_step = |one: &&Missing| match one {
        Missing::Step(_) => true,
        Missing::Output(step, _) | Missing::Commit(step) => to_come.contains(&step.as_str()),
        Missing::Gate(_) | Missing::Failure(..) => false,
    };
    let mut told = Vec::new();
    if !to_come.is_empty() {
        let named: Vec<&str> = to_come.iter().copied().take(TOLD).collect();
        let more = to_come.len() - named.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        told.push(format!("{} of {} steps: {}{more}", to_come.len(), run.plan.len(), named.join(", ")));
    }
    told.extend(missing.iter().filter(|one| !comes_with_a_step(one)).map(Missing::in_words));
    told
}

/// The roles that somebody plays, each once.
fn roles(run: &Run) -> Vec<&str> {
    let mut roles: Vec<&str> = Vec::new();
    for step in run.plan.iter().filter(|step| step.step.kind != StepKind::Gate) {
        if !roles.contains(&step.step.role.as_str()) {
            roles.push(&step.step.role);
        }
    }
    roles
}

pub(super) fn gate_word(status: GateStatus) -> &'static str {
    match status {
        GateStatus::Pending => "pending",
        GateStatus::Approved => "approved",
        GateStatus::Rejected => "rejected",
    }
}

fn usage(run: &Run) -> Option<UsageView> {
    let mut reserved = machine::Used::default();
    run.attempts.values().for_each(|attempt| reserved.add(&attempt.reserved));
    let is_worth_it = !run.used.is_nothing() || !run.budget.is_empty();
    is_worth_it.then_some(UsageView { used: run.used, reserved, budget: run.budget })
}

fn resting(run: &Run) -> Vec<RestView> {
    let step = run.step().map(|step| step.step.id.clone());
    let view = |rest: &machine::profile::Rest| RestView {
        fence: run.fence,
        what: step.clone().unwrap_or_default(),
        item: step.clone(),
        until: rest.until.clone(),
        reason: rest.reason.clone(),
    };
    run.rest.iter().map(view).collect()
}

fn going_on(run: &Run, driver: Driver) -> (&'static str, String) {
    let place = run.step().map(|step| step.step.id.as_str()).unwrap_or("the end");
    match (&run.course, &run.paused) {
        (Course::Done, _) => return ("done", "done".into()),
        (Course::Cancelled, _) => {
            return ("failed", format!("cancelled by {}", run.cancelled_by.as_deref().unwrap_or("somebody")));
        }
        (_, Some(reason)) => return ("paused", format!("paused: {reason}")),
        (Course::Gate(gate), None) => return ("waiting", format!("waits at gate {gate}")),
        (Course::Rejected(gate), None) => return ("waiting", format!("blocked: gate {gate} was rejected")),
        (Course::Undecided(_), None) => return ("waiting", format!("waits for your decision about {place}")),
        (Course::Working, None) if run.is_at_its_end() => {
            return ("waiting", "waits for evidence that is missing".into());
        }
        (Course::Working, None) => {}
    }
    if run.exhausted.is_some() {
        return ("waiting", "waits for you: its budget is used up".into());
    }
    let theirs = run.attempts.values().any(|attempt| attempt.holder == Holder::Person);
    let is_asked = !run.pending_required_questions().is_empty();
    match (driver, run.attempts.is_empty(), &run.rest) {
        _ if is_asked => ("waiting", "waits for your answer to a question".into()),
        _ if theirs => ("waiting", "waits for work that is yours".into()),
        (Driver::Alive, _, Some(rest)) => ("resting", format!("resting until {}: {}", clock(&rest.until), rest.reason)),
        (Driver::Alive, false, None) => ("working", format!("working on {place}")),
        (Driver::Alive, true, None) => ("working", "working, between two steps".into()),
        (Driver::Gone, ..) => ("stopped", "stopped: nobody carries it on".into()),
    }
}

/// Who is at work.
pub(super) fn attempts(run: &Run) -> Vec<AttemptView> {
    let view = |attempt: &Attempt| {
        let step = run.plan.get(attempt.step)?;
        Some(AttemptView {
            fence: attempt.fence,
            role: step.step.role.clone().into(),
            what: step.step.id.clone(),
            item: Some(step.step.id.clone()),
            attempt: attempt.number,
            holder: match &attempt.holder {
                Holder::Process(name) => format!("process {}", name.split('.').next().unwrap_or_default()),
                Holder::Person => A_PERSON.into(),
            },
            agent: match &attempt.holder {
                Holder::Person => A_PERSON.into(),
                Holder::Process(_) => run.cast.parts.get(&step.step.role).cloned().unwrap_or_else(|| THE_ENGINE.into()),
            },
            since: attempt.since.clone(),
        })
    };
    run.attempts.values().filter_map(view).collect()
}

/// The phases with their steps, in order.
fn items(run: &Run) -> Vec<ItemView> {
    let mut views: Vec<ItemView> = Vec::new();
    for phase in &run.profile.phases {
        let steps: Vec<_> = run.plan.iter().zip(&run.states).filter(|(step, _)| step.phase == phase.id).collect();
        let is_done = steps.iter().all(|(_, state)| **state == StepState::Completed);
        views.push(ItemView {
            id: phase.id.clone(),
            level: "phase",
            depth: 0,
            name: phase.description.clone(),
            status: if is_done { "COMPLETED" } else { "PENDING" },
            running: false,
            output: String::new(),
        });
        for (step, state) in steps {
            let kind = step.step.kind;
            views.push(ItemView {
                id: step.step.id.clone(),
                level: "step",
                depth: 1,
                name: if kind == StepKind::Owner {
                    step.step.role.clone()
                } else {
                    format!("{} ({})", step.step.role, kind.word())
                },
                status: if *state == StepState::Completed { "COMPLETED" } else { "PENDING" },
                running: run.attempts.values().any(|attempt| attempt.step == step.index),
                output: step
                    .step
                    .required_outputs
                    .iter()
                    .find_map(|name| run.artifacts.get(name))
                    .map(|artifact| artifact.path.clone())
                    .unwrap_or_default(),
            });
        }
    }
    views
}

/// What a run wants of people.
pub(super) fn waits(run: &Run) -> Vec<Waiting> {
    let id = &run.id;
    let mut waits = Vec::new();
    if run.is_over() {
        return waits;
    }
    let mut push = |kind, fence, question: Option<String>, text: String, commands: Vec<String>| {
        waits.push(Waiting { run: id.clone(), kind, fence, question, text, commands });
    };
    for question in run.pending_required_questions() {
        let (kind, commands) = commands_of(run, question);
        push(kind, None, Some(question.id.clone()), question.text.clone(), commands);
    }
    if let Course::Rejected(gate) = &run.course {
        let text = format!("gate {gate} was rejected: the workflow is blocked until it is approved or asked again");
        let commands = vec![
            format!("multiverse gate reopen {gate} --reason \"why\""),
            format!("multiverse gate approve {gate} --reason \"why\""),
            format!("multiverse cancel {id}"),
        ];
        push("rejected", None, None, text, commands);
    }
    if let Course::Undecided(waited) = &run.course
        && let Some(question) = run.question(waited).filter(|question| !question.is_open())
    {
        let (_, commands) = commands_of(run, question);
        push("decision", None, Some(question.id.clone()), question.text.clone(), commands);
    }
    if run.is_at_its_end() {
        let missing: Vec<String> = run.missing().iter().take(TOLD).map(Missing::in_words).collect();
        let text = format!("all steps are done, and evidence is missing: {}; put it back", missing.join("; "));
        push("evidence", None, None, text, vec![format!("multiverse resume {id}"), format!("multiverse explain {id}")]);
    }
    if let Some(measure) = run.exhausted {
        let (used, bound) = (run.used.of(measure), run.budget.of(measure).unwrap_or_default());
        let text = format!(
            "its budget is used up ({} of {}): how much may it use in all?",
            measure.in_words(used),
            measure.in_words(bound)
        );
        let commands = vec![format!("multiverse answer {id} NUMBER"), format!("multiverse cancel {id}")];
        push("budget", Some(0), Some("budget".into()), text, commands);
    }
    for attempt in run.attempts.values().filter(|attempt| attempt.holder == Holder::Person) {
        let Some(step) = run.plan.get(attempt.step) else { continue };
        let fence = attempt.fence;
        let text = yours(attempt, step);
        let commands = vec![
            format!("multiverse answer {id} --attempt {fence} --file FILE"),
            format!("multiverse answer {id} --attempt {fence} --report FILE"),
        ];
        push("work", Some(fence), None, text, commands);
    }
    if let Some(reason) = &run.paused {
        push("paused", None, None, reason.clone(), vec![format!("multiverse resume {id}")]);
    }
    for question in run.questions.iter().filter(|question| question.is_open() && !question.required) {
        let text = format!("{} asks, and nothing waits for it: {}", question.from_role, question.text);
        push(OPTIONAL, None, Some(question.id.clone()), text, commands_of(run, question).1);
    }
    waits
}

/// Work that is a person's: what it leaves, and why it came back if it did.
fn yours(attempt: &Attempt, step: &PlannedStep) -> String {
    let mut text = format!("{} of {} is yours to do", step.step.id, step.step.role);
    if !step.step.required_outputs.is_empty() {
        text.push_str(&format!("; it leaves {}", step.step.required_outputs.join(", ")));
    }
    for (what, words) in [("it came back", &attempt.remarks), ("what was handed in was not taken", &attempt.problems)] {
        if !words.is_empty() {
            text.push_str(&format!("; {what}: {}", words.join("; ")));
        }
    }
    text
}

fn commands_of(run: &Run, question: &Question) -> (&'static str, Vec<String>) {
    let (id, asked) = (&run.id, &question.id);
    match &question.kind {
        QuestionKind::Gate(gate) => (
            "gate",
            vec![format!("multiverse gate approve {gate}"), format!("multiverse gate reject {gate} --reason \"why\"")],
        ),
        QuestionKind::Role => ("question", vec![format!("multiverse answer {id} --question {asked} \"your answer\"")]),
        QuestionKind::Decision(_) => {
            let answer = |word: &str| format!("multiverse answer {id} --question {asked} {word}");
            ("decision", vec![answer("more"), answer("accept"), answer("reject")])
        }
    }
}

/// What the user is told.
pub(super) fn message(run: &Run, said: Said) -> (&'static str, String) {
    let folder = artifact_folder(&run.idea.headline, &run.idea.id);
    match said {
        Said::Completion => (
            "completion",
            format!(
                "{} went through the profile {}: its artifacts are in {folder}/",
                run.idea.headline, run.profile.name
            ),
        ),
        Said::Failure => {
            let by = run.cancelled_by.as_deref().unwrap_or("somebody");
            ("failure", format!("{} was cancelled by {by}; what was made is in {folder}/", run.id))
        }
        Said::Question | Said::Proposal => {
            let lines: Vec<String> = waits(run).into_iter().map(|one| one.text).collect();
            ("question", lines.join("\n"))
        }
    }
}
