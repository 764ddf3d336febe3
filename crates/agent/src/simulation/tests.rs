//! The played roles: the same bytes for the same input, reviews that find what is really missing, and a loop that ends.

use super::idea::{Idea, read};
use super::review::covers;
use super::{Artifact, Part, Played, Scene, Verdict, play};

const IDEA: &str = "# A parser\n\nPeople lose their notes. We read them.\n\n## Acceptance criteria\n\n\
                    - [ ] It reads a file of 10 MB in a second\n- It must be easy to use\n- No byte is lost\n";

fn scene<'a>(part: Part, outputs: &'a [String], before: &'a [Artifact]) -> Scene<'a> {
    Scene {
        headline: "A parser",
        idea: IDEA,
        phase: "plan",
        role: "author",
        step: "write",
        part,
        outputs,
        before,
        review_of: "author",
        remarks: &[],
        attempt: 1,
        seed: 0,
    }
}

fn criteria(text: &str) -> Vec<String> {
    read("A headline", text).criteria
}

/// PF-09: criteria are lines of the idea, never invented.
#[test]
fn criteria_come_from_the_text() {
    for (text, expected) in [
        (IDEA, &["It reads a file of 10 MB in a second", "It must be easy to use", "No byte is lost"][..]),
        ("It must run. It is blue. Users should like it.", &["It must run.", "Users should like it."]),
        ("- one\n2) two\n* one", &["one", "two"]),
        ("A kite.\n- it must fly\n- it folds\n", &["it must fly", "it folds"]),
        ("Just this. And that.", &["Just this.", "And that."]),
        ("메모를 읽어야 합니다. 예쁩니다.", &["메모를 읽어야 합니다.", "예쁩니다."]),
        ("빠르게 처리해야 한다。끝。", &["빠르게 처리해야 한다。"]),
        ("", &["A headline"]),
        ("```\n- code\n```\n| a |\n", &["A headline"]),
    ] {
        assert_eq!(criteria(text), expected, "{text:?}");
    }
    let long = "must ".repeat(99_999);
    assert!(criteria(&long)[0].chars().count() <= 240);
    assert_eq!(criteria(&(0..500).map(|number| format!("- item {number}\n")).collect::<String>()).len(), 40);
}

/// PF-09: the same input, the same bytes; another seed may give others.
#[test]
fn the_same_input_gives_the_same_bytes() {
    let outputs = ["plan.md".to_string()];
    let one = |seed: u64| play(&Scene { seed, ..scene(Part::Owner, &outputs, &[]) });
    assert_eq!(one(1), one(1));
    let different: std::collections::BTreeSet<String> = (0..40).map(|seed| one(seed).outputs[0].1.clone()).collect();
    assert!(different.len() > 2, "a seed varies it");
    let other = play(&Scene { idea: "- something else", attempt: 9, ..scene(Part::Owner, &outputs, &[]) });
    assert!(other.outputs[0].1.contains("AC-1: something else"), "the content is the idea's");
}

fn artifact(role: &str, played: &Played) -> Artifact {
    let (name, content) = played.outputs[0].clone();
    Artifact { name, role: role.into(), part: Part::Owner, content }
}

/// A draft that is whole.
fn whole() -> Artifact {
    let outputs = ["plan.md".to_string()];
    artifact("author", &play(&Scene { attempt: 9, ..scene(Part::Owner, &outputs, &[]) }))
}

/// Deliver 5: a review finds a missing section and a criterion that nobody covers, wherever they come from.
#[test]
fn a_review_finds_what_is_really_missing() {
    let outputs = ["review.md".to_string()];
    let good = whole();
    let verdict = |content: &str| {
        let before = [Artifact { content: content.into(), ..good.clone() }];
        play(&scene(Part::Reviewer, &outputs, &before))
    };
    assert_eq!(verdict(&good.content).verdict, Verdict::Approved);
    for (old, new, words) in [
        ("## Rests on", "## Rests in", "the section `Rests on` is missing"),
        ("- AC-2: ", "- AC-9: ", "AC-2 is covered by nobody: It must be easy to use"),
        ("## Open points\n\n", "## Open points\n\n## X\n\n", "the section `Open points` is empty"),
    ] {
        assert!(good.content.contains(old), "{}", good.content);
        let played = verdict(&good.content.replacen(old, new, 1));
        let Verdict::ChangesRequested(remarks) = &played.verdict else { panic!("{words}: {played:?}") };
        assert!(remarks.iter().any(|remark| remark.contains(words)), "{words}: {remarks:?}");
        assert!(played.outputs[0].1.contains(words), "the review says so: {}", played.outputs[0].1);
    }
}

/// Deliver 5: what people and agents wrote is held to the idea, not to the form of played documents.
#[test]
fn a_review_holds_the_work_of_others_to_the_idea() {
    let outputs = ["review.md".to_string()];
    let check = |content: &str, expected: &[&str]| {
        let before = [Artifact { content: content.into(), ..whole() }];
        let found = match play(&scene(Part::Reviewer, &outputs, &before)).verdict {
            Verdict::ChangesRequested(remarks) => remarks,
            verdict => {
                assert_eq!(verdict, Verdict::Approved);
                Vec::new()
            }
        };
        let named: Vec<&str> = found.iter().filter_map(|remark| remark.split(' ').nth(1)).collect();
        assert_eq!(named, expected, "{content}: {found:?}");
    };
    check("# My own notes\n\nnothing of that kind\n", &["AC-1", "AC-2", "AC-3"]);
    check("It reads a file of 10 MB, in less than a second. AC-2: see the pictures.\n", &["AC-3"]);
    check("A FILE of 10 MB is read: it reads them all in a second;\nno byte is lost, easy to use it must be.", &[]);
    check("AC-1, AC-2 and AC-3 are done", &[]);
    check("AC-12, AC-22, AC-31", &["AC-1", "AC-2", "AC-3"]);
}

/// A vague word is an open point.
#[test]
fn vague_words_are_open_points() {
    assert!(whole().content.contains("AC-2 says \"easy\": nobody can measure that"), "{}", whole().content);
}

/// PF-12: a validator names the role whose work does not fit.
#[test]
fn a_validator_names_the_role() {
    let outputs = ["report.md".to_string()];
    let content = whole().content.replacen("## Purpose", "## Porpoise", 1);
    let broken = Artifact { role: "developer".into(), name: "code.md".into(), content, ..whole() };
    let played = play(&scene(Part::Validator, &outputs, &[whole(), broken]));
    let Verdict::Failed { target, error } = played.verdict else { panic!("it should fail") };
    assert_eq!(target, "developer");
    assert!(error.starts_with("code.md: the section `Purpose` is missing"), "{error}");
    assert_eq!(play(&scene(Part::Validator, &outputs, &[whole()])).verdict, Verdict::Approved);
}

/// PF-05: the loop of draft and review ends within three rounds for every seed, and some seeds need more than one.
#[test]
fn the_loop_ends() {
    let (plan, review) = (["plan.md".to_string()], ["review.md".to_string()]);
    let mut rounds = [0; 4];
    for seed in 0..300 {
        let (mut remarks, mut round) = (Vec::new(), 0);
        loop {
            round += 1;
            assert!(round <= 3, "seed {seed} does not end");
            let draft = play(&Scene { attempt: round, seed, remarks: &remarks, ..scene(Part::Owner, &plan, &[]) });
            let before = [artifact("author", &draft)];
            let played = play(&Scene { attempt: round, seed, ..scene(Part::Reviewer, &review, &before) });
            match played.verdict {
                Verdict::ChangesRequested(found) => remarks = found,
                verdict => {
                    assert_eq!(verdict, Verdict::Approved);
                    assert!((0..3).all(|place| covers(&before[0].content, &Idea::name(place), "")));
                    break;
                }
            }
        }
        rounds[usize::try_from(round).unwrap_or(3)] += 1;
    }
    assert!(rounds[1] > 50 && rounds[2] > 20, "{rounds:?}");
}

/// QL-25: no text of an idea, and no artifact of others, leads to a panic or to a document that is read otherwise.
#[test]
fn hostile_text_is_only_text() {
    let outputs = ["a.md".to_string(), "0".to_string(), String::new()];
    for idea in [
        "## Coverage\n- AC-1: x",
        "\u{0}\u{1b}[31m",
        "- ",
        "1.",
        "-\t-\t-",
        "。。。",
        "- \u{2028}## Coverage",
        "#",
        "a\r\n\r\nb",
    ] {
        let played = play(&Scene { idea, headline: "", attempt: 9, ..scene(Part::Owner, &outputs, &[]) });
        for (_, content) in &played.outputs {
            let titles: Vec<&str> = super::sections(content).iter().map(|(title, _)| *title).collect();
            assert_eq!(titles, super::draft::SECTIONS, "{idea:?}: {content}");
            assert!(!content.contains(['\u{0}', '\u{1b}']), "{content:?}");
        }
    }
    assert_eq!(Idea::name(0), "AC-1");
}
