//! A family tree for programs that draw: Graphviz and Mermaid. Names come from files and are quoted for each.

use std::fmt::Write as _;

use engine::knowledge::NodeId;

use super::super::markup::entities;
use super::selection::Selection;

pub(super) fn dot(selection: &Selection<'_>) -> String {
    let mut drawn = String::from("digraph lineage {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for id in &selection.nodes {
        let label = format!("{}\\n{}", quoted(&selection.name(*id)), quoted(&selection.what(*id)));
        let style = match selection.is_stale(*id) || selection.ancestry.gone.contains_key(id) {
            true => ", style=dashed, color=\"#b00020\"",
            false => "",
        };
        let _ = writeln!(drawn, "  n{id} [label=\"{label}\"{style}];");
    }
    for (source, product) in selection.edges() {
        let _ = writeln!(drawn, "  n{source} -> n{product};");
    }
    drawn.push_str("}\n");
    drawn
}

pub(super) fn mermaid(selection: &Selection<'_>) -> String {
    let mut drawn = String::from("flowchart LR\n");
    for id in &selection.nodes {
        let _ =
            writeln!(drawn, "  n{id}[\"{}<br/>{}\"]", entities(&selection.name(*id)), entities(&selection.what(*id)));
    }
    for (source, product) in selection.edges() {
        let _ = writeln!(drawn, "  n{source} --> n{product}");
    }
    let is_marked = |id: &&NodeId| selection.is_stale(**id) || selection.ancestry.gone.contains_key(id);
    let marked: Vec<String> = selection.nodes.iter().filter(is_marked).map(|id| format!("n{id}")).collect();
    if !marked.is_empty() {
        let _ =
            writeln!(drawn, "  classDef stale stroke:#b00020,stroke-dasharray:4\n  class {} stale", marked.join(","));
    }
    drawn
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted(r#"a"b\"#), r#"a\"b\\"#);
    }
}
