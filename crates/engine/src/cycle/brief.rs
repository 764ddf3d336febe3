//! What the agents of a cycle are told: the goal with its state and documents, the newest turns and a digest of the older
//! ones, however long the cycle is (CY-11); and what a report must say.

use agent::{Access, Answered, Brief, BriefFile, BriefLimits, Expects};
use machine::cycle::words::field;
use machine::cycle::{Attempt, Check, Cycle, Party, Stage, Turn, Word, Work};
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use crate::settings::Settings;

/// The name that settings and agents know a party by.
pub(super) fn role(party: Party) -> &'static str {
    match party {
        Party::Human => "human",
        Party::Planner => "planner",
        Party::Actor => "actor",
        Party::Judge => "judge",
    }
}

/// The brief of an attempt.
pub(super) fn brief(cycle: &Cycle, attempt: &Attempt, party: Party, settings: &Settings) -> Brief {
    let mut brief = Brief::new(&cycle.id, PROTOCOL, role(party), attempt.work.action());
    brief.attempt = attempt.number;
    brief.problems.clone_from(&attempt.problems);
    brief.answers = answers(cycle);
    brief.limits = BriefLimits { steps: 100, tokens: 0, seconds: settings.seconds };
    let readable = |path: &String| BriefFile {
        path: path.clone(),
        why: "a context document of the goal".into(),
        access: Access::Read,
    };
    brief.files = cycle.context_docs.iter().map(readable).collect();
    brief.item = Map::from_iter([("id".to_string(), json!(attempt.signature.to_string()))]);
    brief.context = context(cycle, attempt, settings);
    brief.expects = Expects { result: schema(attempt.work).into(), outputs: Vec::new() };
    brief
}

/// What agents asked in the newest turns, and what the Human said to it (QL-36).
fn answers(cycle: &Cycle) -> Vec<Answered> {
    let answered = |(asked, said): (&Turn, &Turn)| {
        let question = match asked.word {
            Word::ClarificationNeeded => &asked.context,
            // An Actor that asks is blocked, with its question for a summary.
            Word::Fail if asked.party == Party::Actor => &asked.summary,
            _ => return None,
        };
        let answer = match said.word {
            Word::Approved => format!("yes {}", said.response),
            _ => said.response.clone(),
        };
        (said.party == Party::Human).then(|| Answered { question: question.clone(), answer: answer.trim().into() })
    };
    cycle.recent.iter().zip(cycle.recent.iter().skip(1)).filter_map(answered).collect()
}

fn context(cycle: &Cycle, attempt: &Attempt, settings: &Settings) -> Value {
    let (digest, recent) = cycle.told();
    let limits = &settings.cycle.limits;
    let mut context = json!({
        "goal": cycle.goal,
        "current_state": cycle.current_state,
        "context_docs": cycle.context_docs,
        "loop": cycle.loop_number,
        "stage": if is_closing(attempt.work) { "closing" } else { "loop" },
        "earlier_loops": digest,
        "turns": recent.iter().map(|turn| told(turn)).collect::<Vec<_>>(),
        "human_said": cycle.words,
        "limits": {"lines": limits.lines, "files": limits.files},
        "forbidden": settings.cycle.forbidden,
    });
    let mut add = |name: &str, value: Value| {
        context.as_object_mut().map(|context| context.insert(name.into(), value));
    };
    if !cycle.outline.is_empty() {
        add("outline", json!(cycle.outline));
    }
    let plan = cycle.recent.iter().rev().find(|turn| turn.word == Word::PlanCreated);
    if let (Some(plan), Work::Act(_) | Work::Judge(_)) = (plan, attempt.work) {
        let value = |name: &str| plan.field(name).unwrap_or_default();
        add(
            "plan",
            json!({
                "summary": plan.summary,
                "locations": value(field::LOCATIONS),
                "change": value(field::CHANGE),
                "avoid": value(field::AVOID),
                "win_state": value(field::WIN_STATE),
                "subjects": value(SUBJECTS),
            }),
        );
    }
    if let (Some(measured), Work::Judge(_)) = (&cycle.measured, attempt.work) {
        add("changed", json!({"lines": measured.lines, "files": measured.files, "commit": measured.commit}));
    }
    if let (Some((_, checks)), Work::Judge(_)) = (&cycle.checks, attempt.work) {
        add("checks", checks.iter().map(checked).collect());
    }
    context
}

/// The field of a plan that names what it is about.
pub(super) const SUBJECTS: &str = "Subjects";

fn is_closing(work: Work) -> bool {
    matches!(work, Work::Plan(Stage::Closing) | Work::Act(Stage::Closing) | Work::Judge(Stage::Closing))
}

fn told(turn: &Turn) -> Value {
    let fields: Map<String, Value> = turn.fields.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "signature": turn.signature.to_string(),
        "agent": turn.party.name(),
        "result": turn.word.name(),
        "summary": turn.summary,
        "confidence": turn.confidence,
        "context": turn.context,
        "fields": fields,
    })
}

fn checked(check: &Check) -> Value {
    json!({"name": check.name, "good": check.end.is_good(), "end": check.end.to_string(), "output": check.tail})
}

/// What a report must say in `result`.
fn schema(work: Work) -> Value {
    let text = || json!({"type": "string"});
    let object = |words: &[&str], fields: &[&str], more: &[(&str, Value)], required: &[&str]| {
        let mut properties: Map<String, Value> = fields.iter().map(|name| ((*name).to_string(), text())).collect();
        properties.insert("result".into(), json!({"enum": words}));
        properties.insert("context".into(), text());
        // Here too: not every agent can say it beside its result.
        properties.insert("confidence".into(), json!({"type": "number", "minimum": 0, "maximum": 10}));
        properties.insert("response".into(), text());
        properties.extend(more.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
        let required: Vec<&str> = ["result"].iter().chain(required).copied().collect();
        json!({"type": "object", "properties": properties, "required": required})
    };
    let list = || json!({"type": "array", "items": {"type": "string"}});
    match work {
        Work::Outline | Work::Plan(_) => object(
            &["PLAN_CREATED", "CLARIFICATION_NEEDED"],
            &["change", "avoid", "win_state", "question", "subjects"],
            &[("locations", list()), ("avoid_paths", list())],
            &[],
        ),
        Work::Act(_) => {
            object(&["SUCCESS", "FAIL"], &["where_to_look", "what_changed", "why", "testing_notes"], &[], &[])
        }
        Work::Judge(_) => object(
            &["PASS", "INSUFFICIENT"],
            &["subordinate", "discrepancy", "main_source", "recommended", "next_steps"],
            &[("superordinate", json!({"enum": ["SUFFICIENT", "PROGRESSING"]}))],
            &["superordinate"],
        ),
        Work::Checkpoint | Work::Check(_) | Work::Offer | Work::Merge | Work::Delete | Work::Archive(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use agent::Prompts;
    use agent::prompt::{Form, Tools};
    use machine::Cast;
    use machine::cycle::{
        self, Findings, Goal, Ground, Input, Limits, Measured, Outcome, Place, Plan, Said, Standing, Upfront, World,
    };

    use super::*;

    /// A cycle in whose loop of this number this work is due; every loop was insufficient, and all said so many words.
    fn at(number: u32, due: Work, words: usize) -> Cycle {
        let limits = Limits { loops: 10_000, insufficient: 10_000, ..Limits::default() };
        let (alive, people, cast) = (BTreeSet::from(["me".to_string()]), BTreeSet::new(), Cast::default());
        let world = World { now: "2026-01-31T14:05:30Z", me: "me", cast: &cast, alive: &alive, people: &people };
        let goal = Goal {
            cycle_id: "2026-01-31-001".into(),
            number: 1,
            text: "the glossary covers all terms".into(),
            current_state: vec!["four are missing".into()],
            context_docs: vec!["docs/a.md".into()],
            ground: Ground::Repository,
            upfront: Upfront::NotAsked,
            definition: String::new(),
        };
        let mut cycle = None;
        let begun = cycle::start("run-1", &goal, &world, &limits).unwrap();
        begun.facts.iter().for_each(|fact| cycle::apply(&mut cycle, "run-1", fact));
        loop {
            let now = cycle.as_ref().unwrap();
            let attempt = now.attempt.clone().unwrap();
            if now.loop_number == number && now.place == Place::Due(due) {
                return now.clone();
            }
            let outcome = outcome(attempt.work, now.loop_number, words);
            let input = Input::Report { fence: attempt.fence, outcome };
            let decided = cycle::decide(cycle.as_ref(), "run-1", &input, &world, &limits).unwrap();
            decided.facts.iter().for_each(|fact| cycle::apply(&mut cycle, "run-1", fact));
        }
    }

    fn outcome(work: Work, number: u32, count: usize) -> Outcome {
        let words = |what: &str| format!("{what} of loop {number}: {}", "many words ".repeat(count));
        let said = Said {
            summary: words("summary"),
            confidence: 8,
            context: words("context"),
            response: words("response").repeat(20),
            more: Vec::new(),
        };
        match work {
            Work::Checkpoint => {
                Outcome::Checkpointed { branch: "b".into(), base: "main".into(), commit: format!("c{number}") }
            }
            Work::Plan(_) => Outcome::Planned {
                said,
                plan: Plan {
                    locations: vec!["docs/a.md".into()],
                    change: words("change"),
                    avoid: words("avoid"),
                    avoid_paths: Vec::new(),
                    win_state: words("win state"),
                },
            },
            Work::Act(_) => {
                let measured =
                    Measured { lines: 3, files: vec!["docs/a.md".into()], commit: "d".into(), ..Measured::default() };
                Outcome::Succeeded { said, deed: cycle::Deed::default(), measured }
            }
            Work::Check(_) => Outcome::Checked { commit: "d".into(), checks: Vec::new() },
            _ => Outcome::Judged {
                said,
                word: Word::Insufficient,
                standing: Standing::Progressing,
                findings: Findings {
                    subordinate: words("subordinate"),
                    discrepancy: words("discrepancy"),
                    main_source: words("source"),
                    recommended: words("recommended"),
                    next_steps: String::new(),
                },
            },
        }
    }

    /// CY-11: what each agent is given in loop 50 against loop 2, and in loop 400 against loop 50, as data and in words;
    /// where everybody says much, and where everybody is brief.
    #[test]
    fn cy11_a_brief_of_loop_50_is_near_one_of_loop_2() {
        let settings = Settings::new("/project".into());
        let works = [Work::Plan(Stage::Loop), Work::Act(Stage::Loop), Work::Judge(Stage::Loop)];
        for (work, words) in works.into_iter().flat_map(|work| [(work, 40), (work, 8), (work, 1)]) {
            let size = |number: u32| {
                let cycle = at(number, work, words);
                let brief = brief(&cycle, cycle.attempt.as_ref().unwrap(), work.party().unwrap(), &settings);
                let prompt = Prompts::built_in().render(&brief, Form::Report, Tools::None).text();
                [serde_json::to_string(&brief).unwrap().len(), prompt.len()]
            };
            let [second, fiftieth, last] = [2, 50, 400].map(size);
            let told = format!("{work:?}, {words} words: {second:?}, {fiftieth:?}, {last:?} bytes in loop 2, 50, 400");
            eprintln!("{told}");
            for (late, early) in fiftieth.iter().zip(second) {
                assert!((*late as f64) < early as f64 * 1.2, "{told}");
            }
            // Numbers have more digits.
            assert!(last.iter().zip(fiftieth).all(|(late, early)| *late < early + 64), "{told}");
        }
    }
}
