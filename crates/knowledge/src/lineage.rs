//! Where every file came from and what was made of it, across runs. A file that several runs changed is there once for
//! each of them, so that made-of leads back in time; what still goes round was written by hand, and is named. Must not
//! know whether files exist or changed: that is asked from outside.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::entry::Entry;
use crate::library::Link;
use crate::natural::natural;

/// Which file of which run, counted from 0.
pub type NodeId = usize;

/// A file as one run left it, or as it was given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// What the row says; only the path where no catalog lists it.
    pub entry: Entry,
    /// The catalogs and lines that list it, from 1.
    pub rows: Vec<(String, usize)>,
}

/// Which way to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what a file was made of.
    Up,
    /// To what was made of it.
    Down,
}

/// A file on the way through a lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The file.
    pub node: NodeId,
    /// How far from the beginning.
    pub depth: usize,
    /// Whether it was shown before: what follows from it is not shown again.
    pub again: bool,
    /// Whether the way leads back to where it came from.
    pub round: bool,
}

/// The graph.
#[derive(Debug, Clone, Default)]
pub struct Lineage {
    nodes: Vec<Node>,
    sources: Vec<Vec<NodeId>>,
    products: Vec<Vec<NodeId>>,
    /// The versions of each path, oldest first.
    versions: HashMap<String, Vec<NodeId>>,
}

/// Rows and plans from which a graph is made.
#[derive(Debug, Clone, Default)]
pub struct LineageBuilder {
    rows: Vec<(String, usize, Entry)>,
    links: HashMap<(String, String), BTreeSet<String>>,
}

impl LineageBuilder {
    /// A row of a catalog.
    pub fn add(&mut self, document: &str, line: usize, entry: Entry) {
        self.rows.push((document.to_owned(), line, entry));
    }

    /// What a plan says a file is made of. It counts where the catalog itself does not say.
    pub fn link(&mut self, link: &Link) {
        if !link.output.is_empty() {
            let inputs = self.links.entry((link.run.clone(), link.output.clone())).or_default();
            inputs.extend(link.inputs.iter().filter(|input| !input.is_empty()).cloned());
        }
    }

    /// The graph of all rows.
    pub fn build(self) -> Lineage {
        let Self { rows, links } = self;
        let mut nodes: BTreeMap<(String, String), Node> = BTreeMap::new();
        for (document, line, mut entry) in rows {
            if entry.sources.is_empty()
                && let Some(inputs) = links.get(&(entry.run.clone(), entry.path.clone()))
            {
                entry.sources = inputs.iter().cloned().collect();
            }
            let run = if is_given(&entry) { String::new() } else { entry.run.clone() };
            let node = nodes.entry((entry.path.clone(), run)).or_default();
            node.rows.push((document, line));
            merge(&mut node.entry, entry);
        }
        let mut lineage = Lineage::default();
        for (_, node) in nodes {
            lineage.push(node);
        }
        lineage.connect();
        lineage
    }
}

impl Lineage {
    /// A file of the graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// All of them.
    pub fn ids(&self) -> std::ops::Range<NodeId> {
        0..self.nodes.len()
    }

    /// The versions of a path, oldest first.
    pub fn versions(&self, path: &str) -> &[NodeId] {
        self.versions.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The newest version of a path.
    pub fn newest(&self, path: &str) -> Option<NodeId> {
        self.versions(path).last().copied()
    }

    /// Whether a version is the newest of its path.
    pub fn is_newest(&self, id: NodeId) -> bool {
        self.newest(&self.nodes[id].entry.path) == Some(id)
    }

    /// All paths, in order.
    pub fn paths(&self) -> BTreeSet<&str> {
        self.versions.keys().map(String::as_str).collect()
    }

    /// What a file was made of, or what was made of it.
    pub fn next(&self, id: NodeId, direction: Direction) -> &[NodeId] {
        match direction {
            Direction::Up => &self.sources[id],
            Direction::Down => &self.products[id],
        }
    }

    /// All that can be reached from some files, they themselves left out.
    pub fn reach(&self, from: &[NodeId], direction: Direction) -> BTreeSet<NodeId> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<NodeId> = from.to_vec();
        while let Some(id) = open.pop() {
            open.extend(self.next(id, direction).iter().filter(|next| seen.insert(**next)));
        }
        seen.retain(|id| !from.contains(id));
        seen
    }

    /// The files that a file goes back to and that were made of nothing.
    pub fn roots(&self, id: NodeId) -> BTreeSet<NodeId> {
        self.reach(&[id], Direction::Up).into_iter().filter(|id| self.sources[*id].is_empty()).collect()
    }

    /// The outputs that would have to be made again if a file changed: those whose newest version goes back to it.
    pub fn affected(&self, path: &str) -> BTreeSet<NodeId> {
        let reached = self.reach(self.versions(path), Direction::Down);
        reached.into_iter().filter(|id| self.is_newest(*id) && self.nodes[*id].entry.path != path).collect()
    }

    /// The way from a file in one direction, every file before what follows from it. What was shown is not followed again,
    /// so the way ends, whatever is written in the catalogs.
    pub fn walk(&self, from: NodeId, direction: Direction) -> Vec<Step> {
        enum Task {
            Enter(NodeId, usize),
            Leave(NodeId),
        }
        let (mut steps, mut shown, mut above) = (Vec::new(), HashSet::new(), HashSet::new());
        let mut open = vec![Task::Enter(from, 0)];
        while let Some(task) = open.pop() {
            let (node, depth) = match task {
                Task::Leave(node) => {
                    above.remove(&node);
                    continue;
                }
                Task::Enter(node, depth) => (node, depth),
            };
            let next = self.next(node, direction);
            let again = !shown.insert(node);
            steps.push(Step { node, depth, again: again && !next.is_empty(), round: above.contains(&node) });
            if !again {
                above.insert(node);
                open.push(Task::Leave(node));
                open.extend(next.iter().rev().map(|next| Task::Enter(*next, depth + 1)));
            }
        }
        steps
    }

    /// Files that are made of themselves, over others or at once: each ring by its files.
    pub fn rings(&self) -> Vec<Vec<NodeId>> {
        let mut rings = Vec::new();
        for mut group in self.groups() {
            if group.len() > 1 || self.sources[group[0]].contains(&group[0]) {
                group.sort_unstable();
                rings.push(group);
            }
        }
        rings.sort();
        rings
    }

    /// Files that reach each other, after Tarjan, without recursion.
    fn groups(&self) -> Vec<Vec<NodeId>> {
        const NEW: usize = usize::MAX;
        let count = self.nodes.len();
        let (mut order, mut low) = (vec![NEW; count], vec![0; count]);
        let (mut stack, mut is_on_stack, mut next_order) = (Vec::new(), vec![false; count], 0);
        let mut groups = Vec::new();
        for start in 0..count {
            let mut open = if order[start] == NEW { vec![(start, 0)] } else { Vec::new() };
            while let Some((node, edge)) = open.pop() {
                if edge == 0 {
                    (order[node], low[node]) = (next_order, next_order);
                    next_order += 1;
                    stack.push(node);
                    is_on_stack[node] = true;
                }
                if let Some(next) = self.sources[node].get(edge).copied() {
                    open.push((node, edge + 1));
                    if order[next] == NEW {
                        open.push((next, 0));
                    } else if is_on_stack[next] {
                        low[node] = low[node].min(order[next]);
                    }
                    continue;
                }
                if low[node] == order[node] {
                    let at = stack.iter().rposition(|one| *one == node).unwrap_or_default();
                    let group = stack.split_off(at);
                    group.iter().for_each(|one| is_on_stack[*one] = false);
                    groups.push(group);
                }
                if let Some((above, _)) = open.last() {
                    low[*above] = low[*above].min(low[node]);
                }
            }
        }
        groups
    }

    fn push(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len();
        self.versions.entry(node.entry.path.clone()).or_default().push(id);
        self.nodes.push(node);
        self.sources.push(Vec::new());
        self.products.push(Vec::new());
        id
    }

    fn connect(&mut self) {
        for versions in self.versions.values_mut() {
            let nodes = &self.nodes;
            versions.sort_by(|one, other| natural(&nodes[*one].entry.run, &nodes[*other].entry.run));
            // What was given has no run, and is there before all of them.
            versions.sort_by_key(|id| !is_given(&nodes[*id].entry));
        }
        for id in 0..self.nodes.len() {
            let mut sources: Vec<NodeId> = Vec::new();
            for path in self.nodes[id].entry.sources.clone() {
                sources.extend(self.resolve(id, &path));
            }
            // A file that a later run changed rests on what it was before, whether its row says so or not.
            let versions = self.versions(&self.nodes[id].entry.path);
            let place = versions.iter().position(|version| *version == id);
            sources.extend(place.and_then(|place| place.checked_sub(1)).map(|before| versions[before]));
            for source in sources {
                if !self.sources[id].contains(&source) {
                    self.sources[id].push(source);
                    self.products[source].push(id);
                }
            }
        }
    }

    /// Which version of a source a file was made of: that of the same run, or else the last one before. One that no
    /// catalog lists comes into the graph with its path alone.
    fn resolve(&mut self, id: NodeId, path: &str) -> Vec<NodeId> {
        if !self.versions.contains_key(path) && path.contains(['*', '?']) {
            let own = self.nodes[id].entry.path.clone();
            let mut fitting: Vec<String> =
                self.versions.keys().filter(|known| **known != own && fits(path, known)).cloned().collect();
            fitting.sort();
            return fitting.iter().filter_map(|path| self.version_for(id, path)).collect();
        }
        match self.version_for(id, path) {
            Some(version) => vec![version],
            None if self.nodes[id].entry.path == path => vec![id],
            None => vec![self.push(Node { entry: Entry { path: path.into(), ..Entry::default() }, rows: Vec::new() })],
        }
    }

    fn version_for(&self, id: NodeId, path: &str) -> Option<NodeId> {
        let run = &self.nodes[id].entry.run;
        let versions = self.versions(path).iter().copied().filter(|version| *version != id);
        let is_before = |version: &NodeId| {
            let node = &self.nodes[*version];
            is_given(&node.entry) || node.rows.is_empty() || natural(&node.entry.run, run).is_le()
        };
        let versions: Vec<NodeId> = versions.collect();
        let before = versions.iter().rev().find(|version| is_before(version));
        // A file whose own earlier version is not there is made of itself: that was written by hand.
        let own = self.nodes[id].entry.path == path;
        before.or_else(|| versions.first().filter(|_| !own)).copied()
    }
}

/// Whether a row is of a file that people gave, which is the same in all runs.
fn is_given(entry: &Entry) -> bool {
    let is_kind =
        ["ORIGINAL_INPUT", "GUIDELINE_DOC", "GUIDELINE"].iter().any(|kind| entry.kind.eq_ignore_ascii_case(kind));
    let is_placed = ["data/", "assets/", "guidelines/"].iter().any(|folder| entry.path.starts_with(folder));
    entry.sources.is_empty() && (is_kind || is_placed || entry.run.is_empty())
}

/// Two rows of one file in one run: nothing that either says is lost, and the later one counts.
fn merge(known: &mut Entry, new: Entry) {
    let Entry { path, summary, kind, run, phase, lineage, task, sources } = new;
    let fields = [
        (&mut known.path, path),
        (&mut known.summary, summary),
        (&mut known.kind, kind),
        (&mut known.run, run),
        (&mut known.phase, phase),
        (&mut known.lineage, lineage),
        (&mut known.task, task),
    ];
    for (field, value) in fields {
        if !value.is_empty() {
            *field = value;
        }
    }
    for source in sources {
        if !known.sources.contains(&source) {
            known.sources.push(source);
        }
    }
}

/// Whether a path fits a pattern: `*` within a name, `**` over folders, `?` one letter.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<char>, Vec<char>) = (pattern.chars().collect(), path.chars().collect());
    let (mut at, mut place) = (0, 0);
    // Where the last star of each kind stood, and how far it reached: one within a name, one over folders.
    let mut narrow: Option<(usize, usize)> = None;
    let mut wide: Option<(usize, usize)> = None;
    while place < path.len() {
        match pattern.get(at) {
            Some('*') if pattern.get(at + 1) == Some(&'*') => {
                at += if pattern.get(at + 2) == Some(&'/') { 3 } else { 2 };
                (wide, narrow) = (Some((at, place)), None);
            }
            Some('*') => {
                at += 1;
                narrow = Some((at, place));
            }
            Some('?') if path[place] != '/' => (at, place) = (at + 1, place + 1),
            Some(letter) if *letter == path[place] => (at, place) = (at + 1, place + 1),
            _ => match (narrow.filter(|(_, reached)| path[*reached] != '/'), wide) {
                (Some((after, reached)), _) => {
                    narrow = Some((after, reached + 1));
                    (at, place) = (after, reached + 1);
                }
                (None, Some((after, reached))) => {
                    (wide, narrow) = (Some((after, reached + 1)), None);
                    (at, place) = (after, reached + 1);
                }
                (None, None) => return false,
            },
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `run path < source source`, one a line.
    pub(crate) fn lineage(rows: &str) -> Lineage {
        let mut builder = LineageBuilder::default();
        for (line, row) in rows.lines().enumerate() {
            let (row, sources) = row.split_once('<').unwrap_or((row, ""));
            let mut words = row.split_whitespace();
            let (run, path) = (words.next().unwrap(), words.next().unwrap());
            let sources = sources.split_whitespace().map(str::to_owned).collect();
            let entry = Entry { run: run.into(), path: path.into(), sources, ..Entry::default() };
            builder.add("c.md", line + 1, entry);
        }
        builder.build()
    }

    fn shown(lineage: &Lineage, path: &str, direction: Direction) -> String {
        let start = lineage.newest(path).unwrap();
        let step = |step: &Step| {
            let node = lineage.node(step.node);
            let mark = if step.round {
                "@"
            } else if step.again {
                "^"
            } else {
                ""
            };
            let run = if is_given(&node.entry) { "" } else { node.entry.run.as_str() };
            format!("{}{}{mark}", node.entry.path, if run.is_empty() { String::new() } else { format!(":{run}") })
        };
        lineage.walk(start, direction).iter().map(step).collect::<Vec<_>>().join(" ")
    }

    const THREE: &str = "\
run-001 data/wishes.md
run-001 outputs/spec.md < data/wishes.md
run-002 data/change.md
run-002 outputs/spec.md < data/change.md
run-003 outputs/guide.md < outputs/spec.md data/change.md
run-003 data/wishes.md";

    /// LN-10: three runs that build on one another: every output goes back to what was given.
    #[test]
    fn ancestors_and_descendants_lead_across_runs() {
        let lineage = lineage(THREE);
        let up = |path| shown(&lineage, path, Direction::Up);
        assert_eq!(
            up("outputs/guide.md"),
            "outputs/guide.md:run-003 outputs/spec.md:run-002 data/change.md outputs/spec.md:run-001 data/wishes.md data/change.md"
        );
        let down = shown(&lineage, "data/wishes.md", Direction::Down);
        assert_eq!(down, "data/wishes.md outputs/spec.md:run-001 outputs/spec.md:run-002 outputs/guide.md:run-003");
        let roots = lineage.roots(lineage.newest("outputs/guide.md").unwrap());
        let roots: Vec<&str> = roots.iter().map(|id| lineage.node(*id).entry.path.as_str()).collect();
        assert_eq!(roots, ["data/change.md", "data/wishes.md"]);
        assert!(lineage.rings().is_empty());
    }

    /// LN-10: what a file that changes would affect, and nothing else.
    #[test]
    fn what_is_affected_is_what_the_newest_versions_go_back_to() {
        let rows =
            format!("{THREE}\nrun-004 outputs/other.md < data/change.md\nrun-005 outputs/more.md < outputs/other.md");
        let lineage = lineage(&rows);
        let affected = |path: &str| {
            let found = lineage.affected(path);
            found.iter().map(|id| lineage.node(*id).entry.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(affected("data/wishes.md"), ["outputs/guide.md", "outputs/spec.md"]);
        assert_eq!(
            affected("data/change.md"),
            ["outputs/guide.md", "outputs/more.md", "outputs/other.md", "outputs/spec.md"]
        );
        assert!(affected("outputs/guide.md").is_empty() && affected("gone.md").is_empty());
    }

    /// LN-10: rings that somebody wrote by hand are named, and the way ends.
    #[test]
    fn a_ring_is_named_and_not_followed_for_ever() {
        let rows = "r1 a.md < c.md\nr1 b.md < a.md\nr1 c.md < b.md\nr1 d.md < c.md\nr1 self.md < self.md";
        let lineage = lineage(rows);
        let rings: Vec<Vec<&str>> = lineage
            .rings()
            .iter()
            .map(|ring| ring.iter().map(|id| lineage.node(*id).entry.path.as_str()).collect())
            .collect();
        assert_eq!(rings, [vec!["a.md", "b.md", "c.md"], vec!["self.md"]]);
        assert_eq!(shown(&lineage, "d.md", Direction::Up), "d.md:r1 c.md:r1 b.md:r1 a.md:r1 c.md:r1@");
        assert_eq!(lineage.reach(&[lineage.newest("a.md").unwrap()], Direction::Up).len(), 2);
    }

    #[test]
    fn what_no_catalog_lists_is_there_with_its_path_and_patterns_stand_for_files() {
        let lineage = lineage("r1 data/a.csv\nr1 data/x/b.csv\nr1 o.md < data/*.csv gone.md\nr1 p.md < data/**/*.csv");
        assert_eq!(shown(&lineage, "o.md", Direction::Up), "o.md:r1 data/a.csv gone.md");
        assert_eq!(shown(&lineage, "p.md", Direction::Up), "p.md:r1 data/a.csv data/x/b.csv");
        assert!(lineage.node(lineage.newest("gone.md").unwrap()).rows.is_empty());
    }

    /// Plans count where the catalog does not say (the protocol `multiverse` has no column for it).
    #[test]
    fn plans_say_what_a_catalog_without_sources_does_not() {
        let mut builder = LineageBuilder::default();
        let row = |path: &str, run: &str| Entry { path: path.into(), run: run.into(), ..Entry::default() };
        builder.add("c.md", 1, row("assets/a.md", "r1"));
        builder.add("c.md", 2, row("runs/r1/x.md", "r1"));
        let inputs = vec!["assets/a.md".into()];
        builder.link(&Link { run: "r1".into(), task: "T01".into(), output: "runs/r1/x.md".into(), inputs });
        assert_eq!(shown(&builder.build(), "runs/r1/x.md", Direction::Up), "runs/r1/x.md:r1 assets/a.md");
    }

    /// A chain of 100,000 files is walked without a stack that grows with it.
    #[test]
    fn a_very_long_chain_is_walked() {
        let rows: String = (0..100_000).map(|number| format!("r1 f{}.md < f{number}.md\n", number + 1)).collect();
        let lineage = lineage(&rows);
        assert_eq!(lineage.walk(lineage.newest("f100000.md").unwrap(), Direction::Up).len(), 100_001);
        assert!(lineage.rings().is_empty());
    }

    #[test]
    fn patterns_fit() {
        for (pattern, path, expected) in [
            ("data/*.csv", "data/a.csv", true),
            ("data/*.csv", "data/x/a.csv", false),
            ("data/**/*.csv", "data/a.csv", true),
            ("data/**", "data/x/y/a.csv", true),
            ("data/**/*.csv", "data/x/y/a.csv", true),
            ("data/**/x/*.csv", "data/y/x/z/a.csv", false),
            ("data/?.md", "data/가.md", true),
            ("data/?.md", "data/ab.md", false),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("a*b*c", "aXbYbZc", true),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, path), expected, "{pattern} {path}");
        }
    }
}
