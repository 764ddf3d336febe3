//! Goals over text files: what is missing is found, mended within bounds, loop by loop, and judged by looking again.

use super::{Bounds, Files, Goal, Pattern, Planned, deed, find, findings, judge, mend, plan};

fn files(entries: &[(&str, &str)]) -> Files {
    entries.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

const WIDE: Bounds = Bounds { lines: 150, files: 2 };

/// Loops until nothing more can be done: how many it took, and what is left.
fn loops(goal: &Goal, files: &mut Files, bounds: &Bounds) -> (usize, usize) {
    for number in 0..100 {
        let change = mend(goal, files, bounds);
        if change.edits.is_empty() {
            return (number, judge(goal, files).gaps.len());
        }
        let before = judge(goal, files).gaps.len();
        assert!(change.edits.len() <= bounds.files, "{:?}", change.edits);
        assert!(change.edits.iter().map(|edit| edit.lines).sum::<usize>() <= bounds.lines);
        for edit in change.edits {
            assert_eq!(files.get(&edit.path).cloned(), edit.before, "it was made for what is there");
            files.insert(edit.path, edit.after);
        }
        assert!(judge(goal, files).gaps.len() < before, "every loop comes nearer");
    }
    panic!("it does not end");
}

/// Which goal a sentence asks for.
#[test]
fn goals_are_read_from_words() {
    let sources = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    for (text, expected) in [
        (
            "The glossary docs/glossary.md must cover all terms in docs/guide.",
            Some(Goal::Glossary { glossary: "docs/glossary.md".into(), sources: sources(&["docs/guide"]) }),
        ),
        ("Links in `docs/` must resolve.", Some(Goal::Links { sources: sources(&["docs/"]) })),
        (
            "All headings in README.md shall be in sentence case",
            Some(Goal::Headings { sources: sources(&["README.md"]), pattern: Pattern::SentenceCase }),
        ),
        ("Headings follow the pattern: numbered", Some(Goal::Headings { sources: vec![], pattern: Pattern::Numbered })),
        ("Make it nicer.", None),
        (
            "Headings in ../../etc/x.md must skip no level",
            Some(Goal::Headings { sources: vec![], pattern: Pattern::NoSkippedLevel }),
        ),
    ] {
        assert_eq!(Goal::read(text), expected, "{text}");
    }
}

/// A glossary is filled with what the files say, and with nothing else: a term that nobody explains stays missing.
#[test]
fn a_glossary_covers_all_terms() {
    let goal = Goal::Glossary { glossary: "GLOSSARY.md".into(), sources: vec!["docs".into()] };
    let mut project = files(&[
        ("GLOSSARY.md", "# Glossary\n\n| word | meaning |\n|---|---|\n| fence | a rising number |\n"),
        (
            "docs/a.md",
            "A **lease** is a claim in time. It uses a **Fence**.\n\n**Journal**: all that happened.\n```\n**code**\n```\n",
        ),
        ("docs/b.md", "Some **thing** nobody explains. Two **leases**. **Note:** no term.\n"),
        ("other.md", "An **outsider** is not asked for.\n"),
    ]);
    let measure = find(&goal, &project);
    assert_eq!(measure.subjects, 4);
    let missing: Vec<&str> = measure.gaps.iter().map(|gap| gap.subject.as_str()).collect();
    assert_eq!(missing, ["lease", "Journal", "thing"]);
    let change = mend(&goal, &project, &WIDE);
    assert_eq!((change.mended.len(), change.left.len(), change.stuck.len()), (2, 0, 1));
    assert!(change.stuck[0].reason.contains("no sentence says what it is"));
    assert_eq!(loops(&goal, &mut project, &WIDE), (1, 1));
    let expected = "# Glossary\n\n| word | meaning |\n|---|---|\n| fence | a rising number |\n\
                    | Journal | all that happened (docs/a.md:3) |\n| lease | a claim in time (docs/a.md:1) |\n";
    assert_eq!(project["GLOSSARY.md"], expected, "in the order of the alphabet, each with its place");
    project.insert("docs/b.md".into(), "A **thing** is what nobody had explained.\n".into());
    assert_eq!(loops(&goal, &mut project, &WIDE), (1, 0));
    assert!(judge(&goal, &project).is_met());
}

/// A project without a glossary gets one, as a list.
#[test]
fn a_new_glossary() {
    let goal = Goal::Glossary { glossary: "docs/glossary.md".into(), sources: vec![] };
    let mut project = files(&[("a.md", "A **b** is two things.\nA **a** is one thing.\n")]);
    assert_eq!(loops(&goal, &mut project, &WIDE), (1, 0));
    assert_eq!(
        project["docs/glossary.md"],
        "# Glossary\n\n- **a**: one thing (a.md:2)\n- **b**: two things (a.md:1)\n"
    );
}

/// Bounds make loops: as much as fits at a time, the first ones first.
#[test]
fn bounds_make_loops() {
    let text: String = (0..10).map(|number| format!("A **term{number}x** is thing number {number}.\n")).collect();
    let goal = Goal::Glossary { glossary: "g.md".into(), sources: vec!["a.md".into()] };
    let mut project = files(&[("g.md", "# Glossary\n\n"), ("a.md", &text)]);
    let change = mend(&goal, &project, &Bounds { lines: 4, files: 1 });
    assert_eq!((change.mended.len(), change.left.len()), (4, 6));
    assert_eq!(loops(&goal, &mut project, &Bounds { lines: 4, files: 1 }), (3, 0));
    let wrong: Files = (0..5).map(|number| (format!("{number}.md"), "# A Title Here\n".to_owned())).collect();
    let goal = Goal::Headings { sources: vec![], pattern: Pattern::SentenceCase };
    assert_eq!(loops(&goal, &mut wrong.clone(), &Bounds { lines: 150, files: 2 }), (3, 0));
    assert_eq!(
        loops(&goal, &mut wrong.clone(), &Bounds { lines: 1, files: 2 }),
        (0, 5),
        "what never fits is never begun"
    );
}

/// Links are mended where only one thing can be meant.
#[test]
fn links_resolve() {
    let goal = Goal::Links { sources: vec![] };
    let mut project = files(&[
        (
            "README.md",
            "[a](guide.md) [b](docs/guide.md#How-It-Works \"t\") [c](https://x.y) `[d](e)` [f](gone.md) [g](docs)\n",
        ),
        (
            "docs/guide.md",
            "# Guide\n\n## How it works\n\n[up](../README.md) [here](#guide) [no](#nowhere) [two](same.md)\n",
        ),
        ("docs/a/same.md", "x\n"),
        ("docs/b/same.md", "[out](../../../x.md)\n"),
    ]);
    let measure = find(&goal, &project);
    assert_eq!((measure.subjects, measure.gaps.len()), (9, 6));
    assert_eq!(loops(&goal, &mut project, &WIDE), (1, 4));
    assert_eq!(
        project["README.md"],
        "[a](docs/guide.md) [b](docs/guide.md#how-it-works \"t\") [c](https://x.y) `[d](e)` [f](gone.md) [g](docs)\n"
    );
    let reasons: Vec<String> = judge(&goal, &project).gaps.into_iter().map(|gap| gap.reason).collect();
    assert!(
        reasons[0].contains("no file has that name") && reasons[3].contains("2 files have that name"),
        "{reasons:?}"
    );
}

/// Headings follow each pattern; nothing but their lines changes.
#[test]
fn headings_follow_a_pattern() {
    for (pattern, before, after) in [
        (
            Pattern::SentenceCase,
            "# The Whole Story of HTTP and `Some Code`\n\ntext Here\n\n## 1. another Way To GitHub\r\n",
            "# The whole story of HTTP and `Some Code`\n\ntext Here\n\n## 1. Another way to GitHub\r\n",
        ),
        (
            Pattern::Numbered,
            "# T\n## One\n### Deep\n### 7. Deeper\n## 5. Two\n# U\n## Three\n",
            "# T\n## 1. One\n### 1.1 Deep\n### 1.2 Deeper\n## 2. Two\n# U\n## 1. Three\n",
        ),
        (Pattern::NoPunctuation, "# Title.\n## What is it?\n## Note: ##\n", "# Title\n## What is it?\n## Note ##\n"),
        (
            Pattern::NoSkippedLevel,
            "# A\n### B\n### C\n##### D\n## E\n```\n#### code\n```\n",
            "# A\n## B\n## C\n### D\n## E\n```\n#### code\n```\n",
        ),
    ] {
        let goal = Goal::Headings { sources: vec![], pattern };
        let mut project = files(&[("a.md", before)]);
        assert_eq!(loops(&goal, &mut project, &WIDE), (1, 0), "{pattern:?}: {:?}", find(&goal, &project));
        assert_eq!(project["a.md"], after, "{pattern:?}");
    }
}

/// CY-03, CY-04, CY-05: Planner, Actor and Judge, loop by loop: INSUFFICIENT, PASS and a question for true reasons.
#[test]
fn turns_are_said_from_the_files() {
    let goal = Goal::Glossary { glossary: "g.md".into(), sources: vec!["a.md".into()] };
    let text = "A **lease** is a claim in time.\nA **fence** is a rising number.\nSome **thing**.\n";
    let mut project = files(&[("g.md", "# Glossary\n\n"), ("a.md", text)]);
    let narrow = Bounds { lines: 1, files: 1 };
    let mut standings = Vec::new();
    while let Planned::Plan { subjects, locations, win_state, .. } = plan(&goal, &project, &narrow) {
        assert!(!locations.is_empty() && win_state.contains(&subjects[0]), "{win_state}");
        let before = findings(&goal, &project, &subjects);
        assert!(
            !before.passes && before.subordinate.contains("still open"),
            "nothing done is INSUFFICIENT: {before:?}"
        );
        let change = mend(&goal, &project, &narrow);
        let told = deed(&goal, &change);
        assert!(told.where_to_look.contains("g.md (1 lines)") && told.testing_notes.contains("`thing`"), "{told:?}");
        change.edits.into_iter().for_each(|edit| drop(project.insert(edit.path, edit.after)));
        let after = findings(&goal, &project, &subjects);
        standings.push((after.passes, after.is_met, after.recommended));
    }
    let open = |words: &str| (true, false, words.to_owned());
    assert_eq!(standings, [open("close the 1 that a rule can mend"), open("ask the Human what is meant")]);
    let asked = plan(&goal, &project, &narrow);
    assert!(matches!(&asked, Planned::Ask(question) if question.contains("no sentence says what it is")), "{asked:?}");
    project.insert("a.md".into(), text.replace("Some **thing**.", "A **thing** is what is meant."));
    assert!(matches!(plan(&goal, &project, &narrow), Planned::Plan { .. }));
    let change = mend(&goal, &project, &narrow);
    change.edits.into_iter().for_each(|edit| drop(project.insert(edit.path, edit.after)));
    assert!(matches!(plan(&goal, &project, &narrow), Planned::Met(_)));
    assert!(findings(&goal, &project, &[]).is_met);
}

/// Whatever is in the files: no panic, and every loop comes nearer or stops.
#[test]
fn ugly_files() {
    let ugly = "# \n#\n[x](\n[](a)\n](\n**\n** **\n****a****\n---\n```\n**x** is y z\n\n\u{FEFF}# B C\n| **a** | b |\n> **q** is a b\n<!-- **c** is d e\n-->\n[가](나.md#다)\n**가** is 나 다.\n# 가 Na\n";
    for goal in [
        Goal::Glossary { glossary: "g.md".into(), sources: vec![] },
        Goal::Links { sources: vec![] },
        Goal::Headings { sources: vec![], pattern: Pattern::SentenceCase },
        Goal::Headings { sources: vec![], pattern: Pattern::Numbered },
        Goal::Headings { sources: vec![], pattern: Pattern::NoSkippedLevel },
    ] {
        for cut in 0..ugly.len() {
            if let (Some(front), Some(back)) = (ugly.get(..cut), ugly.get(cut..)) {
                for text in [front, back] {
                    loops(&goal, &mut files(&[("a.md", text), ("g.md", back)]), &WIDE);
                }
            }
        }
    }
}
