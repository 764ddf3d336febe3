//! What an owner leaves: a document with the sections that a reviewer looks for. A first draft may leave something out,
//! as the seed decides, and says so; what came back with remarks is mended. Must not claim work that was not done.

use super::idea::Idea;
use super::{PLAYED, Part, Played, Scene, Verdict, chance, sections};

/// The sections that a document must have.
pub(super) const SECTIONS: [&str; 4] = ["Purpose", "Rests on", "Coverage", "Open points"];
/// From this attempt on nothing is left out any more.
const LAST_DRAFT: u32 = 3;
/// Words that nobody can measure.
const VAGUE: [&str; 12] = [
    "fast",
    "easy",
    "simple",
    "user-friendly",
    "intuitive",
    "robust",
    "flexible",
    "soon",
    "schnell",
    "einfach",
    "robust",
    "bald",
];

/// What a draft leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    /// A section, by its place; the first and the third stay: without them there is no document.
    Section(usize),
    /// A criterion, by its place.
    Criterion(usize),
}

pub(super) fn produce(scene: &Scene<'_>, idea: &Idea) -> Played {
    let outputs = scene.outputs.iter().map(|name| (name.clone(), document(scene, idea, name)));
    Played { outputs: outputs.collect(), verdict: Verdict::Produced }
}

/// A draft has a gap now and then; what a reviewer named is no gap again.
fn gap(scene: &Scene<'_>, idea: &Idea, name: &str) -> Gap {
    let number = chance(scene.seed, &[scene.step, name, &scene.attempt.to_string()]);
    let is_draft = scene.attempt < LAST_DRAFT && number.is_multiple_of(if scene.attempt == 1 { 2 } else { 5 });
    if !is_draft {
        return Gap::Nothing;
    }
    let pick = usize::try_from((number >> 16) % 1024).unwrap_or_default();
    let found = match (number >> 8) & 3 {
        0 => Gap::Section([1, 3][pick % 2]),
        _ if idea.criteria.is_empty() => Gap::Nothing,
        _ => Gap::Criterion(pick % idea.criteria.len()),
    };
    let word = match found {
        Gap::Nothing => return Gap::Nothing,
        Gap::Section(place) => format!("`{}`", SECTIONS[place]),
        Gap::Criterion(place) => format!("{} ", Idea::name(place)),
    };
    match scene.remarks.iter().any(|remark| remark.contains(&word)) {
        true => Gap::Nothing,
        false => found,
    }
}

fn document(scene: &Scene<'_>, idea: &Idea, name: &str) -> String {
    let gap = gap(scene, idea, name);
    let mut text = format!(
        "# {}: {}\n\n{PLAYED} {} (phase {}, step {}, attempt {}). Nothing was done beside this \
         document: what it says comes from the idea and from the documents before it.\n",
        title_of(name),
        idea.headline,
        scene.role,
        scene.phase,
        scene.step,
        scene.attempt
    );
    let parts: [&dyn Fn(&mut String); 4] = [
        &|text| idea.purpose.iter().for_each(|line| push(text, line)),
        &|text| rests_on(text, scene),
        &|text| coverage(text, scene, idea, gap),
        &|text| open_points(text, idea, gap),
    ];
    for (place, (title, write)) in SECTIONS.iter().zip(parts).enumerate() {
        if gap != Gap::Section(place) {
            text.push_str(&format!("\n## {title}\n\n"));
            write(&mut text);
        }
    }
    if !scene.remarks.is_empty() {
        text.push_str("\n## Mended\n\n");
        scene
            .remarks
            .iter()
            .for_each(|remark| push(&mut text, &remark.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    text
}

fn push(text: &mut String, line: &str) {
    text.push_str(&format!("- {line}\n"));
}

fn rests_on(text: &mut String, scene: &Scene<'_>) {
    let sources: Vec<_> = scene.before.iter().filter(|artifact| artifact.part == Part::Owner).collect();
    if sources.is_empty() {
        push(text, "the idea alone");
    }
    for artifact in sources {
        let lines = sections(&artifact.content).iter().map(|(_, lines)| lines.len()).sum::<usize>();
        push(text, &format!("{} by {} ({lines} points)", artifact.name, artifact.role));
    }
}

/// One line for each criterion: what it asks for, and where it stands in what was made before.
fn coverage(text: &mut String, scene: &Scene<'_>, idea: &Idea, gap: Gap) {
    for (place, criterion) in idea.criteria.iter().enumerate() {
        if gap == Gap::Criterion(place) {
            continue;
        }
        let name = Idea::name(place);
        let said = scene.before.iter().filter(|artifact| artifact.part == Part::Owner);
        let said = said
            .filter(|artifact| super::review::covers(&artifact.content, &name, criterion))
            .map(|artifact| artifact.name.as_str());
        let said: Vec<&str> = said.collect();
        let from = if said.is_empty() { "the idea".to_owned() } else { said.join(", ") };
        push(text, &format!("{name}: {criterion} (taken from {from})"));
    }
}

fn open_points(text: &mut String, idea: &Idea, gap: Gap) {
    let mut is_empty = true;
    if let Gap::Criterion(place) = gap {
        push(text, &format!("this draft does not treat {} yet", Idea::name(place)));
        is_empty = false;
    }
    for (place, criterion) in idea.criteria.iter().enumerate() {
        let lower = criterion.to_lowercase();
        let is_word =
            |word: &str| lower.split(|letter: char| letter != '-' && !letter.is_alphanumeric()).any(|own| own == word);
        if let Some(word) = VAGUE.iter().find(|word| is_word(word)) {
            push(text, &format!("{} says \"{word}\": nobody can measure that", Idea::name(place)));
            is_empty = false;
        }
    }
    if is_empty {
        push(text, "none");
    }
}

/// `04_architecture.md` as a title: `Architecture`.
pub(super) fn title_of(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let words =
        stem.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '_').replace(['_', '-'], " ");
    let words = if words.trim().is_empty() { stem.to_owned() } else { words };
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
