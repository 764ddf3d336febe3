//! The words of agents to their log (RM-08, RM-09): an agent with tools of its own edits the log while it holds it, asks in the
//! task file, and ends only where it may; what is not valid changes nothing.

#![allow(clippy::cloned_ref_to_slice_refs, clippy::needless_pass_by_value, reason = "tests say it shortest")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod roadmaps;

use std::sync::{Arc, Mutex};

use engine::agent::{Guidance, Job};
use engine::roadmap::Desk;
use engine::{Interrupt, LogKeeper, Stop};
use roadmaps::{Hands, LOG, Project, TASK, done, item, plan};

fn desk(job: &Job) -> Desk {
    let fence = job.brief.context["fence"].as_u64().unwrap();
    Desk::open(&job.project, &job.brief.run_id, fence, Arc::new(Guidance::default())).unwrap()
}

const QUESTION: &str = "\n---\n### JIXO: CLARIFICATION REQUEST\n**ID**: q-1\n**To User**: I go on meanwhile.\n\n**Question**:\n- Which colour?\n\n**Response**:\n- <!-- Please fill in your answer here. -->\n---\n";

/// RM-09: the log is edited by whoever holds it and by nobody else; a valid edit counts, another one changes nothing.
#[test]
fn rm09_an_agent_edits_the_log_while_it_holds_it() {
    let project = Project::new("Do two things.");
    let found = Arc::new(Mutex::new(Vec::new()));
    let seen = found.clone();
    let items = vec![item("1", "Do one thing", &[]), item("2", "Do another", &["1"])];
    let hands = Arc::new(Hands::new(plan(items), move |job| {
        if job.brief.item["id"] != "1" {
            return done("done");
        }
        let desk = desk(job);
        let mut seen = seen.lock().unwrap();
        let mut tell = |result: Result<String, String>| seen.push(result);
        let more = ("2. Do another\n".to_string(), "2. Do another, better\n".to_string());
        tell(desk.edit(std::slice::from_ref(&more)));
        tell(desk.lock(&Stop::new()));
        tell(desk.edit(&[("no such text".into(), "x".into())]));
        // What another item is done with is not this one's to say.
        let log = desk.lock(&Stop::new()).unwrap();
        let second = log.split("2. Do another\n").nth(1).unwrap().split("\n- [").next().unwrap().to_string();
        let status = format!("2. Do another\n{}", second.split('\n').next().unwrap());
        tell(desk.edit(&[(status.clone(), status.replace("Pending", "Completed"))]));
        tell(desk.edit(&[more]));
        tell(desk.unlock());
        tell(desk.edit(&[("2. Do another, better".into(), "2. Do it".into())]));
        tell(desk.exit("No parallelizable tasks available."));
        done("done")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 1, "hand");
    let run = service.join_roadmap(TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    let told = found.lock().unwrap().clone();
    assert!(told[0].as_ref().unwrap_err().contains("jixo_log_lock"), "{told:#?}");
    let log = told[1].as_ref().unwrap();
    assert!(log.contains("## Roadmap") && log.contains("status: Locked"), "the newest content: {log}");
    assert!(told[2].as_ref().unwrap_err().contains("stands 0 times"), "{told:#?}");
    assert!(told[3].is_err(), "{told:#?}");
    assert!(told[4].is_ok() && told[5].is_ok(), "{told:#?}");
    assert!(told[6].as_ref().unwrap_err().contains("jixo_log_lock"), "{told:#?}");
    assert!(told[7].as_ref().unwrap_err().contains("item 1 is yours"), "{told:#?}");
    let view = service.roadmap_status(&run).unwrap();
    assert_eq!((view.progress, view.items[1].title.as_str()), (100, "Do another, better"), "{}", project.read(LOG));
}

/// RM-08, RM-09: a question goes to the end of the task file; nothing else does.
#[test]
fn rm08_an_agent_asks_in_the_task_file() {
    let project = Project::new("Paint the shed.");
    let found = Arc::new(Mutex::new(Vec::new()));
    let seen = found.clone();
    let hands = Arc::new(Hands::new(plan(vec![item("1", "Paint it", &[])]), move |job| {
        let desk = desk(job);
        let mut seen = seen.lock().unwrap();
        seen.push(desk.append("Paint the house, too.\n"));
        seen.push(desk.append(&QUESTION.replace("q-1", "")));
        seen.push(desk.append(QUESTION));
        seen.push(desk.append(QUESTION));
        done("painted it green")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 1, "hand");
    let run = service.join_roadmap(TASK).unwrap().run;
    service.drive(&[run], &Interrupt::new()).unwrap();
    let told = found.lock().unwrap().clone();
    assert!(told[0].as_ref().unwrap_err().contains("goal"), "{told:#?}");
    assert!(told[1].is_err() && told[2].is_ok() && told[3].is_err(), "{told:#?}");
    let task = project.read(TASK);
    assert_eq!(task.matches("CLARIFICATION REQUEST").count(), 1, "{task}");
    assert!(task.starts_with("---\nname: work\n---\n\nPaint the shed.\n"), "{task}");
}
