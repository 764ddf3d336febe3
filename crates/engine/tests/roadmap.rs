//! Sessions of the protocol `roadmap` in the engine: many openings at one run, work in copies, conflicts, pauses, hand edits
//! and stray files, with agents in this process. Real processes that are killed and stopped are in `multiverse`'s `kills`.

#![allow(clippy::cloned_ref_to_slice_refs, clippy::needless_pass_by_value, reason = "tests say it shortest")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod roadmaps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use engine::agent::{Ending, Job, Report, ReportStatus};
use engine::{Drove, Interrupt, Notice};
use roadmaps::{Hands, Project, done, item, plan, wait_until};
use serde_json::json;

/// RM-05, RM-07, RM-11, QL-22: eight openings at one session, and each item is done once; the end is that of one.
#[test]
fn many_openings_take_each_item_once() {
    let end = |openings: usize, jobs: usize| {
        let project = Project::new("Count to forty.");
        let items: Vec<_> =
            (1..=40).map(|number| item(&number.to_string(), &format!("Write out/{number}.md"), &[])).collect();
        // The first of them begin when all of them are there.
        let (all, begun) = (openings * jobs, Arc::new(std::sync::Barrier::new(openings * jobs)));
        let first = std::sync::atomic::AtomicUsize::new(0);
        let hands = Arc::new(Hands::new(plan(items), move |job| {
            if first.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < all {
                begun.wait();
            }
            let key = job.brief.item["id"].as_str().unwrap().to_string();
            std::fs::create_dir_all(job.workdir.join("out")).unwrap();
            std::fs::write(job.workdir.join(format!("out/{key}.md")), format!("this is {key}\n")).unwrap();
            done(&format!("wrote out/{key}.md"))
        }));
        let threads: Vec<_> = (0..openings)
            .map(|number| {
                let (folder, hands) = (project.path().to_path_buf(), hands.clone());
                std::thread::spawn(move || {
                    let mut service = roadmaps::open(&folder, &hands, jobs, &format!("hand-{number}"));
                    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
                    assert_eq!(service.drive(&[run], &Interrupt::new()).unwrap(), Drove::ToRest);
                    service.close().unwrap();
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let view = project.view();
        assert_eq!((view.progress, view.state, view.counts.completed), (100, "done", 40));
        let worked: Vec<String> = hands.worked();
        let once: BTreeSet<&String> = worked.iter().collect();
        assert_eq!((worked.len(), once.len()), (40, 40), "each item once");
        assert_eq!(hands.most_at_once(), openings * jobs, "they work at the same time");
        let log = project.read(roadmaps::LOG);
        assert_eq!(log.matches("- **Result**: Succeeded").count(), 41, "one plan and forty items\n{log}");
        assert!(log.contains("progress: \"100%\""), "{log}");
        (1..=40).map(|number| (number, project.read(&format!("out/{number}.md")))).collect::<BTreeMap<_, _>>()
    };
    let alone = end(1, 1);
    assert_eq!(end(8, 1), alone);
    assert_eq!(end(1, 8), alone);
}

/// RM-11: with a repository each executor works in a copy of its own, and all of it is in the history, one commit for each item.
#[test]
fn rm11_work_is_merged_in_order() {
    let project = Project::new("Fill the table.");
    project.git_init(&[("docs/table.md", "a\nb\nc\nd\ne\nf\n")]);
    let items = (1..=6).map(|number| item(&number.to_string(), "Fill a row", &[])).collect();
    let hands = Arc::new(Hands::new(plan(items), |job| {
        let row: usize = job.brief.item["id"].as_str().unwrap().parse().unwrap();
        let path = job.workdir.join("docs").join(format!("row-{row}.md"));
        assert!(!job.workdir.join(".multiverse").exists());
        std::fs::write(path, format!("row {row}\n")).unwrap();
        done("filled")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 3, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    let view = service.roadmap_status(&run).unwrap();
    assert_eq!((view.progress, view.state), (100, "done"), "{view:#?}");
    let history = project.git(&["log", "--format=%s", "main"]);
    for row in 1..=6 {
        assert_eq!(history.matches(&format!("{row}. Fill a row")).count(), 1, "{history}");
        assert_eq!(project.read(&format!("docs/row-{row}.md")), format!("row {row}\n"), "the working tree follows");
    }
    assert_eq!(project.git(&["status", "--short", "docs"]), "");
    // The program's own documents are no part of any commit.
    assert_eq!(project.git(&["log", "--format=%H", "--", ".jixo"]).lines().count(), 1);
    assert_eq!(project.git(&["for-each-ref", "refs/multiverse"]).lines().count(), 1, "only where the work goes to");
}

/// RM-11: a conflict completes nothing: it becomes an item that names both sides, with both in its files.
#[test]
fn rm11_a_conflict_becomes_an_item() {
    let project = Project::new("Title the page.");
    project.git_init(&[("docs/page.md", "# Title\n\nText.\n")]);
    let items = vec![item("1", "Title it in English", &[]), item("2", "Title it in French", &[])];
    let (begun, seen) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(Mutex::new(String::new())));
    let found = seen.clone();
    let hands = Arc::new(Hands::new(plan(items), move |job| {
        let page = job.workdir.join("docs/page.md");
        match job.brief.item["id"].as_str().unwrap() {
            "1" => {
                begun.wait();
                std::fs::write(page, "# The title\n\nText.\n").unwrap();
            }
            "2" => {
                begun.wait();
                std::fs::write(page, "# Le titre\n\nText.\n").unwrap();
            }
            both => {
                let text = std::fs::read_to_string(&page).unwrap();
                found.lock().unwrap().push_str(&format!("{both}: {} {text}", job.brief.item["title"]));
                if job.brief.attempt > 1 {
                    std::fs::write(page, "# The title, le titre\n\nText.\n").unwrap();
                }
            }
        }
        done("titled")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 2, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    let view = service.roadmap_status(&run).unwrap();
    assert_eq!((view.progress, view.state), (100, "done"), "{view:#?}\n{}", project.told());
    let seen = seen.lock().unwrap().clone();
    assert!(seen.contains("Bring together") && seen.contains("<<<<<<< ") && seen.contains("Le titre"), "{seen}");
    assert_eq!(project.read("docs/page.md"), "# The title, le titre\n\nText.\n");
    assert!(project.told().contains("the marks of a conflict are still in it"), "{}", project.told());
    assert_eq!(view.counts.cancelled, 1, "{view:#?}");
}

/// RM-11, BY-10: without a repository a file that changed meanwhile is a clash, told the same way; and items that claim the same
/// file do not run at once.
#[test]
fn rm11_clashes_without_a_repository() {
    let project = Project::new("Title the page.");
    project.write("page.md", "# Title\n");
    let items = vec![item("1", "Title it in English", &[]), item("2", "Title it in French", &[])];
    let begun = Arc::new(std::sync::Barrier::new(2));
    let hands = Arc::new(Hands::new(plan(items), move |job| {
        let page = job.workdir.join("page.md");
        let key = job.brief.item["id"].as_str().unwrap();
        if key == "1" || key == "2" {
            begun.wait();
        }
        let text = std::fs::read_to_string(&page).unwrap();
        let is_mark = |line: &&str| ["<<<<<<< ", "=======", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
        let text = match text.lines().any(|line| is_mark(&line)) {
            false => format!("{text}by {key}\n"),
            // Both sides are there, and both are wanted.
            true => text.lines().filter(|line| !is_mark(line)).map(|line| format!("{line}\n")).collect(),
        };
        std::fs::write(page, text).unwrap();
        done("titled")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 2, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    let view = service.roadmap_status(&run).unwrap();
    assert_eq!((view.progress, view.counts.cancelled), (100, 1), "{view:#?}\n{}", project.told());
    let page = project.read("page.md");
    assert!(page.contains("by 1\n") && page.contains("by 2\n") && page.lines().count() == 3, "{page}");
    let both = view.items.iter().find(|item| item.title.starts_with("Bring together ")).unwrap();
    assert!(both.title.contains("(.multiverse/aside/") && both.title.contains(" (record "), "{}", both.title);

    let project = Project::new("Title the page.");
    let items = (1..=4)
        .map(|number| json!({"number": number.to_string(), "title": "Change the page", "claims": ["page.md"]}))
        .collect();
    let hands = Arc::new(Hands::new(plan(items), |job| {
        let page = job.workdir.join("page.md");
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        std::fs::write(page, format!("{text}{}\n", job.brief.item["id"])).unwrap();
        done("changed")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 4, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    assert_eq!(service.roadmap_status(&run).unwrap().progress, 100, "{}", project.told());
    assert_eq!((project.read("page.md").lines().count(), hands.most_at_once()), (4, 1));
}

/// RM-06: whoever runs out of steps leaves what there is, and the next one finds it; with a repository and without.
#[test]
fn rm06_a_pause_keeps_the_work() {
    for has_repository in [true, false] {
        let project = Project::new("Write a long text.");
        project.write("docs/other.md", "other\n");
        if has_repository {
            project.git_init(&[]);
        }
        let hands = Arc::new(Hands::new(plan(vec![item("1", "Write docs/text.md", &[])]), |job| {
            let file = job.workdir.join("docs/text.md");
            match std::fs::read_to_string(&file) {
                Ok(half) => {
                    let context = &job.brief.context;
                    assert!(context["partial"].as_str().unwrap().contains("half of it"), "{context}");
                    std::fs::write(file, format!("{half}second half\n")).unwrap();
                    done("all of it")
                }
                Err(_) => {
                    std::fs::write(file, "first half\n").unwrap();
                    let mut report = Report::done("half of it");
                    report.status = ReportStatus::Paused;
                    report.result = json!({"blocker": false});
                    Ending::Report { report, log: String::new() }
                }
            }
        }));
        let mut service = roadmaps::open(project.path(), &hands, 1, "hand");
        let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
        service.drive(&[run.clone()], &Interrupt::new()).unwrap();
        assert_eq!(service.roadmap_status(&run).unwrap().progress, 100, "{}", project.told());
        assert_eq!(project.read("docs/text.md"), "first half\nsecond half\n");
        assert_eq!(hands.worked(), ["1", "1"]);
        let log = project.read(roadmaps::LOG);
        assert!(log.contains("- **Result**: Pending") && log.contains("- **Blocker**: no"), "{log}");
    }
}

/// RM-17: an executor that changes task or log files, or what lies outside the task's folders, is refused with the list.
#[test]
fn rm17_stray_files_are_refused() {
    for has_repository in [true, false] {
        let project = Project::with("---\ndirs: [docs]\n---\n\nTidy up.\n");
        project.write("docs/a.md", "a\n");
        project.write("other.md", "other\n");
        if has_repository {
            project.git_init(&[]);
        }
        let hands = Arc::new(Hands::new(plan(vec![item("1", "Tidy docs", &[])]), |job| {
            std::fs::write(job.workdir.join("docs/a.md"), "A\n").unwrap();
            if job.brief.problems.is_empty() {
                std::fs::write(job.workdir.join("other.md"), "changed\n").unwrap();
                std::fs::create_dir_all(job.workdir.join(".jixo")).unwrap();
                std::fs::write(job.workdir.join(".jixo/more.task.md"), "more\n").unwrap();
            } else {
                let problems = job.brief.problems.join("\n");
                assert!(problems.contains("other.md") && problems.contains(".jixo/more.task.md"), "{problems}");
            }
            done("tidied")
        }));
        let mut service = roadmaps::open(project.path(), &hands, 1, "hand");
        let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
        service.drive(&[run.clone()], &Interrupt::new()).unwrap();
        assert_eq!(service.roadmap_status(&run).unwrap().progress, 100, "{}", project.told());
        assert_eq!((project.read("docs/a.md"), project.read("other.md")), ("A\n".into(), "other\n".into()));
        assert!(!project.path().join(".jixo/more.task.md").exists());
        assert_eq!(hands.worked(), ["1", "1"]);
    }
}

/// RM-16: a brief gives by name who works, for how long, who else does, where, and in which files.
#[test]
fn rm16_a_brief_names_its_surroundings() {
    let project = Project::with("---\ndirs: [docs]\nquota: 7\n---\n\nTidy up.\n");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let briefs = seen.clone();
    let items = vec![item("1.1", "One", &[]), item("1.2", "Two", &["1.1"])];
    let hands = Arc::new(Hands::new(plan(items), move |job: &Job| {
        briefs.lock().unwrap().push((job.brief.clone(), job.workdir.clone()));
        done("it is one thing")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 1, "ann");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run], &Interrupt::new()).unwrap();
    let seen = seen.lock().unwrap();
    let (brief, workdir) = &seen[1];
    let context = &brief.context;
    let identity = context["Executor_Identity"].as_str().unwrap();
    assert!(identity.starts_with("ann-") && identity.len() == "ann-".len() + 36, "{identity}");
    assert_ne!(identity, seen[0].0.context["Executor_Identity"].as_str().unwrap(), "new for every step");
    assert_eq!((&context["Executor_Name"], &context["Current_Task_Max_Steps_Quota"]), (&json!("ann"), &json!(7)));
    assert_eq!(context["Active_Executor_List"], json!([identity]));
    assert_eq!(context["task"]["cwd"], json!(workdir.display().to_string()));
    assert_eq!(context["task"]["dirs"], json!(["docs"]));
    let files = (&context["task"]["task_file"], &context["task"]["log_file"]);
    assert_eq!(files, (&json!(roadmaps::TASK), &json!(roadmaps::LOG)));
    assert_eq!(brief.limits.steps, 7);
    let first = &context["items"][0];
    let told = (&first["key"], &first["status"], &first["summary"]);
    assert_eq!(told, (&json!("1.1"), &json!("Completed"), &json!("it is one thing")), "what its item rests on");
}

/// RM-12, QL-23: a person edits the log while executors work: items are added, cancelled and renamed, and what was stale in the
/// editor takes nothing back.
#[test]
fn rm12_the_log_is_edited_while_they_work() {
    let project = Project::new("Do ten things.");
    let items = (1..=10).map(|number| item(&number.to_string(), "Do a thing", &[])).collect();
    let folder = project.path().to_path_buf();
    let edited = Arc::new(Mutex::new(false));
    let hands = Arc::new(Hands::new(plan(items), move |_| {
        let mut edited = edited.lock().unwrap();
        if !std::mem::replace(&mut *edited, true) {
            // As an editor does it: read, change, write.
            let path = folder.join(roadmaps::LOG);
            wait_until(|| std::fs::read_to_string(&path).is_ok_and(|log| log.contains("10. Do a thing")));
            let log = std::fs::read_to_string(&path).unwrap();
            let log = log.replacen("- [ ] 10. Do a thing", "- [ ] 10. Do the last thing", 1);
            let more = "- [ ] 11. Do one more thing\n  - status: Pending\n";
            let log = log.replacen("\n## Work Log", &format!("{more}\n## Work Log"), 1);
            std::fs::write(&path, log).unwrap();
        }
        drop(edited);
        // Nobody reports before the edit is taken.
        wait_until(|| roadmaps::view(&folder).items.iter().any(|item| item.key == "11"));
        done("done")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 2, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    let view = service.roadmap_status(&run).unwrap();
    assert_eq!(
        (view.progress, view.counts.completed),
        (100, 11),
        "{}\n{}",
        project.read(roadmaps::LOG),
        project.told()
    );
    let last = view.items.iter().find(|item| item.key == "10").unwrap();
    assert_eq!(last.title, "Do the last thing");
}

/// RM-10, BY-04: whoever ends without a word loses what it had, and that is recorded.
#[test]
fn rm10_what_a_dead_opening_had_is_taken_over() {
    let project = Project::new("Do one thing.");
    let hands = Arc::new(Hands::new(plan(vec![item("1", "Do it", &[])]), |_| done("done")));
    // An opening that takes work and is over before it begins: nothing of it is left but its facts.
    let mut lost = roadmaps::open(project.path(), &hands, 1, "lost");
    let run = lost.join_roadmap(roadmaps::TASK).unwrap().run;
    assert_eq!(lost.roadmap_status(&run).unwrap().executors.len(), 1);
    drop(lost);
    let view = project.view();
    assert_eq!((view.state, view.executors[0].state, view.members[0].state), ("stopped", "gone", "gone"));
    let mut other = roadmaps::open(project.path(), &hands, 1, "other");
    assert_eq!(other.join_roadmap(roadmaps::TASK).unwrap().run, run);
    other.drive(&[run.clone()], &Interrupt::new()).unwrap();
    assert_eq!(other.roadmap_status(&run).unwrap().progress, 100, "{}", project.told());
    let story = format!("{:#?}", other.story(&run).unwrap().events);
    assert!(story.contains("is taken over: its process is gone"), "{story}");
}

/// `--no-wait`: with nothing to take while others work, an executor ends and the session goes on.
#[test]
fn who_does_not_wait_leaves_the_session_to_others() {
    let project = Project::new("Do one thing after another.");
    let items = vec![item("1", "Do it", &[]), item("2", "Then this", &["1"])];
    let (sender, goes_on) = std::sync::mpsc::channel::<()>();
    let goes_on = Mutex::new(goes_on);
    let hands = Arc::new(Hands::new(plan(items), move |job| {
        if job.brief.item["id"] == "1" {
            goes_on.lock().unwrap().recv().unwrap();
        }
        done("done")
    }));
    let folder = project.path().to_path_buf();
    let slow = {
        let hands = hands.clone();
        std::thread::spawn(move || {
            let mut service = roadmaps::open(&folder, &hands, 1, "slow");
            let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
            service.drive(&[run], &Interrupt::new()).unwrap();
        })
    };
    wait_until(|| hands.worked() == ["1"]);
    let mut settings = roadmaps::settings(project.path(), &hands, 1, "quick");
    settings.roadmap.waits = false;
    let mut quick = roadmaps::open_with(settings);
    let run = quick.join_roadmap(roadmaps::TASK).unwrap().run;
    assert_eq!(quick.drive(&[run.clone()], &Interrupt::new()).unwrap(), Drove::ToRest);
    let view = quick.roadmap_status(&run).unwrap();
    assert_eq!((view.state, view.executors.len(), view.executors[0].item.as_deref()), ("working", 1, Some("1")));
    assert_eq!(view.items[1].waits_for, ["1, which is Locked"]);
    sender.send(()).unwrap();
    slow.join().unwrap();
    quick.refresh().unwrap();
    assert_eq!(quick.roadmap_status(&run).unwrap().progress, 100);
}

/// A dirty file of a person keeps the working tree from following, and nothing else: the branch has the work, and that is said.
#[test]
fn a_persons_changes_are_left_alone() {
    let project = Project::new("Write.");
    project.git_init(&[("docs/a.md", "a\n"), ("docs/mine.md", "mine\n")]);
    project.write("docs/mine.md", "changed by me\n");
    let hands = Arc::new(Hands::new(plan(vec![item("1", "Write docs/b.md", &[])]), |job| {
        std::fs::write(job.workdir.join("docs/b.md"), "b\n").unwrap();
        done("written")
    }));
    let mut service = roadmaps::open(project.path(), &hands, 1, "hand");
    let run = service.join_roadmap(roadmaps::TASK).unwrap().run;
    service.drive(&[run.clone()], &Interrupt::new()).unwrap();
    assert_eq!(service.roadmap_status(&run).unwrap().progress, 100);
    assert_eq!(project.git(&["show", "main:docs/b.md"]), "b");
    assert_eq!(project.read("docs/mine.md"), "changed by me\n");
    let told = project.notices();
    let is_told =
        told.iter().any(|notice| matches!(notice, Notice::Problem { reason, .. } if reason.contains("mine.md")));
    assert!(is_told, "{told:?}");
}
