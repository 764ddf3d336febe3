//! The roles of a workflow played by code (PF-09): what an owner, a reviewer or a validator leaves, made from the idea's
//! text and the artifacts before it. The same input gives the same bytes, and a seed varies it. Honest about being that:
//! each document says that nothing was done beside it, a draft says what it leaves out, and a review finds only what is
//! really so in the text before it. Pure: no I/O, no clock; must not know the engine or any one profile (PF-15).

mod draft;
mod idea;
mod review;
#[cfg(test)]
mod tests;

/// What is to be played.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The idea in a line.
    pub headline: &'a str,
    /// The idea's text.
    pub idea: &'a str,
    /// The phase, the role and the step.
    pub phase: &'a str,
    /// Who is played.
    pub role: &'a str,
    /// The step's id.
    pub step: &'a str,
    /// What kind of work it is.
    pub part: Part,
    /// The files that are required.
    pub outputs: &'a [String],
    /// What the steps before it left, oldest first, each as it is now.
    pub before: &'a [Artifact],
    /// Whose work a reviewer looks at.
    pub review_of: &'a str,
    /// Why the work came back, if it did.
    pub remarks: &'a [String],
    /// The how-many-eth time the step is done, from 1.
    pub attempt: u32,
    /// What varies it.
    pub seed: u64,
}

/// What kind of work is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Produces.
    Owner,
    /// Approves, or sends back.
    Reviewer,
    /// Checks everything that was produced.
    Validator,
}

/// A file of the artifact folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its name.
    pub name: String,
    /// The role that left it.
    pub role: String,
    /// What kind of step that was.
    pub part: Part,
    /// What is in it.
    pub content: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The files: name and content.
    pub outputs: Vec<(String, String)>,
    /// What it comes to.
    pub verdict: Verdict,
}

/// What played work comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is there.
    Produced,
    /// The work before it is good.
    Approved,
    /// It is not, for these reasons.
    ChangesRequested(Vec<String>),
    /// What this role left does not fit with the rest.
    Failed {
        /// The role that is to mend it.
        target: String,
        /// Why.
        error: String,
    },
}

/// How a document begins that was played, so that whoever reads it knows.
const PLAYED: &str = "Played by the engine for the role";

/// Plays a step.
pub fn play(scene: &Scene<'_>) -> Played {
    let idea = idea::read(scene.headline, scene.idea);
    match scene.part {
        Part::Owner => draft::produce(scene, &idea),
        Part::Reviewer => review::review(scene, &idea),
        Part::Validator => review::validate(scene, &idea),
    }
}

/// A number that depends on all of these, the same on every machine (FNV-1a, stirred).
fn chance(seed: u64, parts: &[&str]) -> u64 {
    let mut number = 0xCBF2_9CE4_8422_2325_u64 ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for part in parts {
        for byte in part.bytes().chain([0xFF]) {
            number = (number ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    number ^= number >> 33;
    number = number.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    number ^ (number >> 29)
}

/// A section of a document: its title and its lines.
fn sections(content: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in content.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(title), _) => sections.push((title.trim(), Vec::new())),
            (None, Some((_, lines))) if !line.trim().is_empty() => lines.push(line.trim()),
            (None, _) => {}
        }
    }
    sections
}
