//! A family tree as data, and lists of what is stale or would be affected.

use std::fmt::Write as _;

use engine::knowledge::{Direction, NodeId};
use serde::Serialize;

use super::super::failure::Failure;
use super::super::output::{BAD, HINT, Output, PLACE};
use super::super::visible;
use super::selection::Selection;

const USUAL_COLUMNS: usize = 120;
/// Up to so many files each is told with what it goes back to.
const ROOTS_TOLD: usize = 1000;

/// All that is shown, as one object.
#[derive(Serialize)]
pub(super) struct Whole<'a> {
    lineage: Tree<'a>,
}

#[derive(Serialize)]
struct Tree<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    files: Vec<FileLine<'a>>,
    /// Source and product, as places in `files`.
    edges: Vec<(usize, usize)>,
    /// Files that are made of themselves, as places in `files`.
    rings: Vec<Vec<usize>>,
}

#[derive(Serialize)]
struct FileLine<'a> {
    path: &'a str,
    run: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    phase: &'a str,
    task: &'a str,
    lineage: &'a str,
    summary: &'a str,
    /// The catalogs and lines that list it.
    listed: &'a [(String, usize)],
    exists: bool,
    /// Whether it is what the newest run made of its path.
    newest: bool,
    /// What it goes back to; left out where very many files are told.
    #[serde(skip_serializing_if = "Option::is_none")]
    roots: Option<Vec<&'a str>>,
    stale: Vec<String>,
    unknown: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_by_hand: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Stale(FileLine<'a>),
    Affected(FileLine<'a>),
}

pub(super) fn whole<'a>(selection: &'a Selection<'_>) -> Whole<'a> {
    let places: std::collections::BTreeMap<NodeId, usize> =
        selection.nodes.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let place = |id: &NodeId| places.get(id).copied();
    let edges = selection.edges();
    let edges = edges.iter().filter_map(|(source, product)| Some((place(source)?, place(product)?))).collect();
    let rings = selection.rings().iter().map(|ring| ring.iter().filter_map(place).collect()).collect();
    let files = selection.nodes.iter().map(|id| file(selection, *id)).collect();
    Whole { lineage: Tree { file: selection.file, files, edges, rings } }
}

pub(super) fn lines(selection: &Selection<'_>, affected: bool, output: &mut Output) -> Result<(), Failure> {
    for id in &selection.nodes {
        let line = file(selection, *id);
        output.json(&if affected { Line::Affected(line) } else { Line::Stale(line) })?;
    }
    Ok(())
}

fn file<'a>(selection: &'a Selection<'_>, id: NodeId) -> FileLine<'a> {
    let ancestry = selection.ancestry;
    let node = ancestry.lineage.node(id);
    let is_told = selection.nodes.len() <= ROOTS_TOLD || selection.file == Some(node.entry.path.as_str());
    let roots = is_told.then(|| ancestry.lineage.roots(id));
    let unknown = ancestry.standings.get(&id).map(|standing| standing.unknown.as_slice()).unwrap_or_default();
    FileLine {
        path: &node.entry.path,
        run: &node.entry.run,
        kind: &node.entry.kind,
        phase: &node.entry.phase,
        task: &node.entry.task,
        lineage: &node.entry.lineage,
        summary: &node.entry.summary,
        listed: &node.rows,
        exists: !ancestry.gone.contains_key(&id),
        newest: ancestry.lineage.is_newest(id),
        roots: roots.map(|roots| roots.iter().map(|root| ancestry.lineage.node(*root).entry.path.as_str()).collect()),
        stale: selection.causes(id),
        unknown: unknown.iter().map(|(source, why)| format!("{}: {why}", selection.name(*source))).collect(),
        edited_by_hand: ancestry.edited.get(&id).copied(),
    }
}

/// The files, and why each is there.
pub(super) fn list(selection: &Selection<'_>, affected: bool, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(USUAL_COLUMNS).max(20);
    let mut shown = String::new();
    for id in &selection.nodes {
        let _ = writeln!(shown, "{PLACE}{}{PLACE:#}  {HINT}{}{HINT:#}", selection.name(*id), selection.what(*id));
        let reasons = match affected {
            true => through(selection, *id),
            false => selection.causes(*id),
        };
        for reason in reasons {
            for piece in visible::wrapped(&reason, columns - 2) {
                let style = if affected { HINT } else { BAD };
                let _ = writeln!(shown, "  {style}{piece}{style:#}");
            }
        }
    }
    shown
}

/// What of the file, or of what is affected by it, a file was made of.
fn through(selection: &Selection<'_>, id: NodeId) -> Vec<String> {
    let lineage = &selection.ancestry.lineage;
    let is_on_the_way = |source: &&NodeId| {
        let path = lineage.node(**source).entry.path.as_str();
        selection.nodes.contains(source) || selection.file == Some(path)
    };
    let sources: Vec<String> =
        lineage.next(id, Direction::Up).iter().filter(is_on_the_way).map(|source| selection.name(*source)).collect();
    if sources.is_empty() { Vec::new() } else { vec![format!("made of {}", sources.join(", "))] }
}
