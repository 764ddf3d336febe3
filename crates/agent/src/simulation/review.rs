//! What a reviewer and a validator find: they read the documents before them and report what is really so, a section
//! that is missing or empty, a criterion of the idea that nobody covers. Nothing is found by chance. What others wrote,
//! people or agents, is held to the idea alone: nobody told them which sections a played document has.

use super::draft::{SECTIONS, title_of};
use super::idea::Idea;
use super::{Artifact, PLAYED, Part, Played, Scene, Verdict, sections};

/// One thing that was looked at.
struct Check {
    what: String,
    /// Why it does not hold, if it does not, and whose it is.
    fault: Option<(String, String)>,
}

pub(super) fn review(scene: &Scene<'_>, idea: &Idea) -> Played {
    let checks = look(idea, &reviewed(scene));
    let faults: Vec<String> =
        checks.iter().filter_map(|check| check.fault.as_ref()).map(|(why, _)| why.clone()).collect();
    let verdict = if faults.is_empty() { Verdict::Approved } else { Verdict::ChangesRequested(faults) };
    Played { outputs: written(scene, idea, &checks), verdict }
}

pub(super) fn validate(scene: &Scene<'_>, idea: &Idea) -> Played {
    let produced: Vec<&Artifact> = scene.before.iter().filter(|artifact| artifact.part == Part::Owner).collect();
    let checks = look(idea, &produced);
    let verdict = match checks.iter().find_map(|check| check.fault.as_ref()) {
        Some((why, role)) => Verdict::Failed { target: role.clone(), error: why.clone() },
        None => Verdict::Approved,
    };
    Played { outputs: written(scene, idea, &checks), verdict }
}

/// What is reviewed: the work of the role that is named, else whatever was produced last.
fn reviewed<'a>(scene: &Scene<'a>) -> Vec<&'a Artifact> {
    let produced = || scene.before.iter().filter(|artifact| artifact.part == Part::Owner);
    let named: Vec<&Artifact> = produced().filter(|artifact| artifact.role == scene.review_of).collect();
    match named.is_empty() {
        false => named,
        true => produced().next_back().into_iter().collect(),
    }
}

/// Whether a document was played; else somebody wrote it who knows nothing of its form.
fn is_played(content: &str) -> bool {
    content.contains(PLAYED)
}

/// Whether a document treats a criterion: a played one by its line for it, another by its name or by its words.
pub(super) fn covers(content: &str, name: &str, criterion: &str) -> bool {
    if is_played(content) {
        let start = format!("- {name}:");
        let of_coverage = |(title, lines): &(&str, Vec<&str>)| {
            *title == "Coverage" && lines.iter().any(|line| line.starts_with(&start))
        };
        return sections(content).iter().any(of_coverage);
    }
    let is_named = content.split(|letter: char| letter != '-' && !letter.is_alphanumeric()).any(|word| word == name);
    let content = content.to_lowercase();
    is_named || telling(criterion).iter().all(|word| content.contains(word))
}

/// The words of a criterion that say something: long ones, figures, and those of scripts that write short words.
fn telling(criterion: &str) -> Vec<String> {
    const LONG: usize = 4;
    let criterion = criterion.to_lowercase();
    let words: Vec<&str> =
        criterion.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let says = |word: &&&str| word.len() >= LONG || word.bytes().all(|byte| byte.is_ascii_digit());
    let telling: Vec<&&str> = words.iter().filter(says).collect();
    let kept = if telling.is_empty() { words.iter().collect() } else { telling };
    kept.into_iter().map(|word| (*word).to_owned()).collect()
}

fn look(idea: &Idea, artifacts: &[&Artifact]) -> Vec<Check> {
    let mut checks = Vec::new();
    if artifacts.is_empty() {
        checks.push(Check {
            what: "nothing was produced before it, so there was nothing to look at".into(),
            fault: None,
        });
    }
    for artifact in artifacts {
        let Artifact { name, role, content, .. } = artifact;
        let there = sections(content);
        let mut check = |what: String, why: Option<String>| {
            checks.push(Check { what, fault: why.map(|why| (why, role.clone())) });
        };
        for section in SECTIONS.iter().filter(|_| is_played(content)) {
            let fault = match there.iter().find(|(title, _)| title == section) {
                None => Some(format!("{name}: the section `{section}` is missing")),
                Some((_, lines)) if lines.is_empty() => Some(format!("{name}: the section `{section}` is empty")),
                Some(_) => None,
            };
            check(format!("{name} has a section `{section}`"), fault);
        }
        for (place, criterion) in idea.criteria.iter().enumerate() {
            let criterion_name = Idea::name(place);
            let fault = (!covers(content, &criterion_name, criterion))
                .then(|| format!("{name}: {criterion_name} is covered by nobody: {criterion}"));
            check(format!("{name} covers {criterion_name}"), fault);
        }
    }
    checks
}

fn written(scene: &Scene<'_>, idea: &Idea, checks: &[Check]) -> Vec<(String, String)> {
    let faults = checks.iter().filter(|check| check.fault.is_some()).count();
    let outcome =
        if faults == 0 { "everything holds".to_owned() } else { format!("{faults} of {} do not hold", checks.len()) };
    let document = |name: &String| {
        let mut text = format!(
            "# {}: {}\n\n{PLAYED} {} (phase {}, step {}, attempt {}). It read the documents and \
             compared them with the idea; it ran nothing. Outcome: {outcome}.\n\n## Checks\n\n",
            title_of(name),
            idea.headline,
            scene.role,
            scene.phase,
            scene.step,
            scene.attempt
        );
        for check in checks {
            match &check.fault {
                None => text.push_str(&format!("- holds: {}\n", check.what)),
                Some((why, _)) => text.push_str(&format!("- does not hold: {}; {why}\n", check.what)),
            }
        }
        (name.clone(), text)
    };
    scene.outputs.iter().map(document).collect()
}
