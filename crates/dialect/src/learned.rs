//! What a run learns from, as people read it: a document of its own, and a section of the proposal. Must not decide what
//! is alike, nor look at other runs: all of it stands in the run.

use machine::{PastRun, Run};

use crate::desk::Desk;
use crate::prose::{entry, failure_path};
use crate::spelling::status_word;

/// Where it stands.
pub(crate) fn path(run_id: &str) -> String {
    format!("runs/{run_id}/learning_context.md")
}

/// Writes the document, once the run has a folder.
pub(crate) fn write(desk: &mut Desk<'_>, run: &Run) {
    desk.write(path(&run.id), document(run));
}

fn document(run: &Run) -> String {
    let mut text = format!(
        "# What {} can learn from\n\n\
         Past runs whose request is like this one, best first. A score of 1.00 is the same request, 0.00 has no word in \
         common. The list was made when the request came, and stays as it is.\n\n",
        run.id
    );
    entries(run, &mut text);
    text
}

/// The section of the proposal; empty if there is nothing to learn from.
pub(crate) fn section(run: &Run) -> String {
    let mut text = String::new();
    if !run.learned.is_empty() {
        text.push_str("\n## Past runs that are like this one\n\n");
        entries(run, &mut text);
    }
    text
}

fn entries(run: &Run, text: &mut String) {
    for past in &run.learned {
        text.push_str(&entry("- ", &told(past)));
    }
    if run.learned.is_empty() {
        text.push_str("None.\n");
    }
}

fn told(past: &PastRun) -> String {
    let PastRun { run_id, score, status, shared, request, failure, .. } = past;
    let mut told = format!("`{run_id}`: score {}, {}", written(*score), status_word(*status));
    if !request.is_empty() {
        told.push_str(&format!("\n“{}”", one_line(request)));
    }
    if !shared.is_empty() {
        told.push_str(&format!("\nin both requests: {}", shared.join(", ")));
    }
    if !failure.is_empty() {
        told.push_str(&format!("\nit failed: {} (`{}`)", one_line(failure), failure_path(run_id)));
    }
    told
}

/// A score as people read it: two places.
pub(crate) fn written(score: u16) -> String {
    format!("{}.{:02}", score / 1000, score % 1000 / 10)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
