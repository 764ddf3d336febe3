//! Where the boxes and lines of a drawn family tree go: files in columns by how far they are from what was given, in an
//! order that keeps lines short and crossings few. Pure geometry: knows neither files nor how they are drawn.

use std::collections::{BTreeMap, BTreeSet};

/// The size of a box, and the room between boxes.
pub(super) const WIDTH: usize = 230;
pub(super) const HEIGHT: usize = 46;
const GAP: usize = 14;
const BETWEEN: usize = 90;
/// The room around all.
const MARGIN: usize = 16;
/// How often the order in the columns is made better.
const SWEEPS: usize = 8;

/// A drawing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Drawing {
    /// The upper left corner of each box.
    pub(super) boxes: BTreeMap<usize, (usize, usize)>,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Places boxes; every edge leads from a source to what was made of it.
pub(super) fn drawn(nodes: &BTreeSet<usize>, edges: &[(usize, usize)]) -> Drawing {
    let columns = columns(nodes, edges);
    let count = columns.values().max().map_or(0, |last| last + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, column) in &columns {
        rows[*column].push(*node);
    }
    settle(&mut rows, edges);
    let highest = rows.iter().map(Vec::len).max().unwrap_or_default();
    let height_of = |rows: usize| rows * (HEIGHT + GAP);
    let mut drawing = Drawing {
        width: 2 * MARGIN + (count * (WIDTH + BETWEEN)).saturating_sub(BETWEEN),
        height: 2 * MARGIN + height_of(highest).saturating_sub(GAP),
        ..Drawing::default()
    };
    for (column, nodes) in rows.iter().enumerate() {
        // A short column stands in the middle of the long ones.
        let top = MARGIN + (height_of(highest) - height_of(nodes.len())) / 2;
        for (row, node) in nodes.iter().enumerate() {
            drawing.boxes.insert(*node, (MARGIN + column * (WIDTH + BETWEEN), top + height_of(row)));
        }
    }
    drawing
}

/// How far each node is from those that nothing leads to, by the longest way; edges that close a ring do not count.
fn columns(nodes: &BTreeSet<usize>, edges: &[(usize, usize)]) -> BTreeMap<usize, usize> {
    let mut waits: BTreeMap<usize, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    let mut leads: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (source, product) in edges.iter().filter(|(source, product)| source != product) {
        *waits.entry(*product).or_default() += 1;
        leads.entry(*source).or_default().push(*product);
    }
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open: BTreeSet<usize> = waits.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    let mut left: BTreeSet<usize> = nodes.clone();
    while !left.is_empty() {
        // In a ring nobody is first: the first of them begins.
        let Some(node) = open.pop_first().or_else(|| left.first().copied()) else { break };
        if !left.remove(&node) {
            continue;
        }
        let column = *columns.entry(node).or_default();
        for product in leads.get(&node).into_iter().flatten() {
            if !left.contains(product) {
                continue;
            }
            let place = columns.entry(*product).or_default();
            *place = (*place).max(column + 1);
            if let Some(count) = waits.get_mut(product) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    open.insert(*product);
                }
            }
        }
    }
    columns
}

/// Puts each node near the middle of what it is joined to, column by column, there and back.
fn settle(rows: &mut [Vec<usize>], edges: &[(usize, usize)]) {
    let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (source, product) in edges {
        joined.entry(*source).or_default().push(*product);
        joined.entry(*product).or_default().push(*source);
    }
    for sweep in 0..SWEEPS {
        let mut places: BTreeMap<usize, f64> = BTreeMap::new();
        for nodes in rows.iter() {
            let middle = nodes.len() as f64 / 2.0;
            places.extend(nodes.iter().enumerate().map(|(row, node)| (*node, row as f64 - middle)));
        }
        let order: Vec<usize> =
            if sweep % 2 == 0 { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for column in order {
            let wish = |node: &usize| {
                let others = joined.get(node).map(Vec::as_slice).unwrap_or_default();
                match others.is_empty() {
                    true => places[node],
                    false => others.iter().filter_map(|other| places.get(other)).sum::<f64>() / others.len() as f64,
                }
            };
            let mut wishes: Vec<(f64, usize)> = rows[column].iter().map(|node| (wish(node), *node)).collect();
            wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
            rows[column] = wishes.into_iter().map(|(_, node)| node).collect();
            let middle = rows[column].len() as f64 / 2.0;
            places.extend(rows[column].iter().enumerate().map(|(row, node)| (*node, row as f64 - middle)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nodes: usize, edges: &[(usize, usize)]) -> Drawing {
        let nodes: BTreeSet<usize> = (0..nodes).collect();
        let drawing = drawn(&nodes, edges);
        assert_eq!(drawing.boxes.len(), nodes.len());
        let boxes: Vec<(usize, usize)> = drawing.boxes.values().copied().collect();
        for (at, one) in boxes.iter().enumerate() {
            assert!(
                one.0 + WIDTH + MARGIN <= drawing.width && one.1 + HEIGHT <= drawing.height,
                "{one:?} in {drawing:?}"
            );
            for other in &boxes[at + 1..] {
                let apart = one.0.abs_diff(other.0) >= WIDTH || one.1.abs_diff(other.1) >= HEIGHT;
                assert!(apart, "{one:?} lies on {other:?}");
            }
        }
        drawing
    }

    #[test]
    fn boxes_do_not_overlap_and_lines_lead_to_the_right() {
        let edges = [(0, 2), (1, 2), (2, 3), (0, 3)];
        let drawing = check(4, &edges);
        for (source, product) in edges {
            assert!(drawing.boxes[&source].0 < drawing.boxes[&product].0);
        }
    }

    /// LN-10: 200 files are placed; rings and loners, too.
    #[test]
    fn many_files_rings_and_none_at_all_are_drawn() {
        let edges: Vec<(usize, usize)> = (0..400).map(|number| (number % 50, 50 + number * 7 % 150)).collect();
        check(200, &edges);
        check(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
        check(5, &[]);
        assert_eq!(drawn(&BTreeSet::new(), &[]).boxes.len(), 0);
    }
}
