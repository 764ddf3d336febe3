//! What a goal asks for, entry by entry: leaves of its lists are items, headings and entries with entries below them are
//! groups. Owns which is which, the order, and what each comes after. Must not know the roadmap that there is already.

use std::collections::{BTreeMap, BTreeSet};

use super::entries::{Part, PartKind, Ticked, parts};
use super::references::{self, Referring, is_ordered, referring};
use crate::roadmap::Item;

/// Names before a colon that say something of the entry above instead of being one.
const DEPENDS: [&str; 7] = ["dependson", "depends on", "depends", "needs", "after", "requires", "依赖"];
const CLAIMS: [&str; 5] = ["files", "file", "claims", "claim", "changes"];
const IGNORED: [&str; 3] = ["status", "executor", "note"];

/// The fewest letters of a title's beginning that can stand for it.
const SHORTEST: usize = 3;

/// One thing that a goal asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) title: String,
    /// As the text has it; empty if it has none.
    pub(super) number: String,
    /// The titles of its groups, the outermost first.
    pub(super) groups: Vec<String>,
    /// Those that it comes after, by their places among the wishes.
    pub(super) after: BTreeSet<usize>,
    /// Files that the entry names as its own.
    pub(super) claims: Vec<String>,
    pub(super) is_done: bool,
}

/// What a goal asks for, and what of it is odd.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) wishes: Vec<Wish>,
    pub(super) notes: Vec<String>,
}

/// An entry or a heading while the text is read.
#[derive(Debug, Default)]
struct Node {
    wish: Wish,
    /// What the entry itself and the groups around it name.
    named: Vec<String>,
    /// Whether it is a heading: its depth is not that of entries.
    level: Option<usize>,
    indent: usize,
    parent: Option<usize>,
    has_entries: bool,
    /// Whether its entries follow each other.
    is_ordered: bool,
    /// The number of a numbered list, for those who name it by that.
    marked: String,
}

/// Reads a goal. A text without a list has no wishes.
pub(super) fn outline(goal: &str) -> Outline {
    let parts = parts(goal);
    let mut nodes = nodes(&parts);
    let titles: Vec<String> = nodes.iter().map(|node| folded(&node.wish.title)).collect();
    // A title is read twice: whom it names can only be told when all are known.
    for at in 0..nodes.len() {
        let is_meant = |name: &str| found(name, &nodes, &titles, at).is_some();
        let Referring { title, named } = referring(&nodes[at].wish.title, &is_meant);
        nodes[at].wish.title = title;
        nodes[at].named.extend(named);
    }
    let titles: Vec<String> = nodes.iter().map(|node| folded(&node.wish.title)).collect();
    resolved(&nodes, &titles)
}

/// The items that a log has, as far as a planner must know them: numbers, titles, and whether they are cancelled.
pub(super) fn in_log(log: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for part in parts(log) {
        let PartKind::Entry { .. } = part.kind else { continue };
        match part.text.split_once(':') {
            Some((key, value)) if key.trim().eq_ignore_ascii_case("status") => {
                if let Some(item) = items.last_mut() {
                    item.status = value.trim().into();
                }
            }
            _ if !part.number.is_empty() => {
                let (key, number) = (part.number.clone(), part.number);
                items.push(Item { key, number, title: part.text, ..Item::default() });
            }
            _ => {}
        }
    }
    items
}

/// The tree of headings and entries, in order; each knows what it lies in.
fn nodes(parts: &[Part]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    // A heading that holds all others is the title of the goal, and no group.
    let tops = parts.iter().filter(|part| part.kind == PartKind::Heading(1)).count();
    let is_title = |level: usize| level == 1 && tops == 1;
    let (mut heading, mut entry): (Option<usize>, Option<usize>) = (None, None);
    let mut is_sequence = false;
    for part in parts {
        match part.kind {
            PartKind::Prose => {
                is_sequence = is_ordered(&part.text);
                entry = None;
            }
            PartKind::Heading(level) => {
                entry = None;
                is_sequence = is_ordered(&part.text);
                let mut above = heading;
                while let Some(at) = above {
                    if nodes[at].level.is_some_and(|own| own < level) {
                        break;
                    }
                    above = nodes[at].parent;
                }
                heading = above;
                if !is_title(level) {
                    let wish = Wish { title: part.text.trim_end_matches(':').to_string(), ..Wish::default() };
                    let marked = part.number.clone();
                    nodes.push(Node { wish, level: Some(level), parent: above, marked, ..Node::default() });
                    heading = Some(nodes.len() - 1);
                }
            }
            PartKind::Entry { indent, ticked } => {
                let mut above = entry;
                while let Some(at) = above {
                    if nodes[at].indent < indent {
                        break;
                    }
                    above = nodes[at].parent.filter(|parent| nodes[*parent].level.is_none());
                }
                if let Some(at) = above
                    && said_of(&part.text, &mut nodes[at])
                {
                    continue;
                }
                let parent = above.or(heading);
                if let Some(at) = parent {
                    nodes[at].has_entries = true;
                    nodes[at].is_ordered |= is_sequence && above.is_none() || is_ordered(&nodes[at].wish.title);
                }
                let number = if part.number.contains('.') { part.number.clone() } else { String::new() };
                let wish = Wish { title: part.text.clone(), number, is_done: ticked == Ticked::Yes, ..Wish::default() };
                let is_ordered = is_sequence && parent.is_none();
                nodes.push(Node { wish, indent, parent, marked: part.number.clone(), is_ordered, ..Node::default() });
                entry = Some(nodes.len() - 1);
            }
        }
    }
    nodes
}

/// Takes in `dependsOn: 1.2` and `files: a.md` below an entry; whether it was one of these.
fn said_of(text: &str, node: &mut Node) -> bool {
    let Some((key, value)) = text.split_once([':', '：']) else { return false };
    let key = key.trim().to_lowercase();
    let (key, value) = (key.as_str(), value.trim());
    if DEPENDS.contains(&key) {
        node.named.extend(references::names(value));
    } else if CLAIMS.contains(&key) {
        let files = value.split([',', ' ']).map(|path| path.trim_matches(['`', '[', ']', '"', ' ']));
        node.wish.claims.extend(files.filter(|path| !path.is_empty()).map(str::to_owned));
    } else if key == "status" {
        node.wish.is_done |= matches!(value.to_lowercase().as_str(), "completed" | "done" | "cancelled");
    } else {
        return IGNORED.contains(&key);
    }
    true
}

/// The wishes with what they come after.
fn resolved(nodes: &[Node], titles: &[String]) -> Outline {
    let is_leaf = |node: &Node| node.level.is_none() && !node.has_entries;
    let places: BTreeMap<usize, usize> =
        nodes.iter().enumerate().filter(|(_, node)| is_leaf(node)).map(|(at, _)| at).zip(0..).collect();
    let mut out = Outline::default();
    let mut before: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for (at, place) in &places {
        let node = &nodes[*at];
        let mut wish = node.wish.clone();
        let mut named: Vec<&String> = node.named.iter().collect();
        let (mut above, mut is_sequence) = (node.parent, node.is_ordered);
        while let Some(parent) = above {
            wish.groups.insert(0, nodes[parent].wish.title.clone());
            named.extend(&nodes[parent].named);
            is_sequence |= nodes[parent].is_ordered && above == node.parent;
            above = nodes[parent].parent;
        }
        for name in named {
            match found(name, nodes, titles, *at) {
                Some(meant) => wish.after.extend(below(meant, nodes).iter().filter_map(|one| places.get(one))),
                None => out.notes.push(format!("`{}` needs {name}, which the goal does not have", wish.title)),
            }
        }
        if is_sequence && let Some(last) = before.get(&node.parent) {
            wish.after.insert(*last);
        }
        before.insert(node.parent, *place);
        wish.after.remove(place);
        out.wishes.push(wish);
    }
    out
}

/// The node itself and all that lie in it.
fn below(top: usize, nodes: &[Node]) -> Vec<usize> {
    let is_within = |mut at: usize| loop {
        if at == top {
            return true;
        }
        match nodes[at].parent {
            Some(parent) => at = parent,
            None => return false,
        }
    };
    (0..nodes.len()).filter(|at| is_within(*at)).collect()
}

/// Whom a name means: by its number, by its place in the same list, by its title, or by a part of one that no other has.
fn found(name: &str, nodes: &[Node], titles: &[String], of: usize) -> Option<usize> {
    let others = || nodes.iter().enumerate().filter(|(at, _)| *at != of);
    if references::is_number(name) {
        let own = others().find(|(_, node)| node.wish.number == *name).map(|(at, _)| at);
        let same_list = || others().find(|(_, node)| node.marked == *name && node.parent == nodes[of].parent);
        let anywhere = || {
            let mut all = others().filter(|(_, node)| node.marked == *name);
            all.next().filter(|_| all.next().is_none())
        };
        let named = own.or_else(|| same_list().or_else(anywhere).map(|(at, _)| at));
        return named.or_else(|| counted(name, nodes)).filter(|at| *at != of);
    }
    let wanted = folded(name);
    let exact = others().find(|(at, _)| titles[*at] == wanted).map(|(at, _)| at);
    let only = |holds: &dyn Fn(&str) -> bool| {
        let mut all = others().filter(|(at, _)| holds(&titles[*at]));
        all.next().filter(|_| all.next().is_none()).map(|(at, _)| at)
    };
    let starts =
        |title: &str| title.strip_prefix(wanted.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let is_long = wanted.chars().count() >= SHORTEST;
    exact.or_else(|| if is_long { only(&starts) } else { None })
}

/// Whom a number means by counting: `2` the second at the top, `1.2` the second leaf in the first of them.
fn counted(number: &str, nodes: &[Node]) -> Option<usize> {
    let mut parts = number.split('.').map(|part| part.parse::<usize>().ok()?.checked_sub(1));
    let (first, second, rest) = (parts.next()??, parts.next(), parts.next());
    let top = nodes.iter().enumerate().filter(|(_, node)| node.parent.is_none()).nth(first)?.0;
    let Some(second) = second else { return Some(top) };
    let is_leaf = |at: &usize| nodes[*at].level.is_none() && !nodes[*at].has_entries;
    if rest.is_some() { None } else { below(top, nodes).into_iter().filter(is_leaf).nth(second?) }
}

/// A title as it is compared: lower case, words alone.
pub(super) fn folded(title: &str) -> String {
    let words = title.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_')));
    let words = words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(goal: &str) -> Vec<String> {
        let outline = outline(goal);
        let one = |wish: &Wish| {
            let after: Vec<String> = wish.after.iter().map(|at| at.to_string()).collect();
            let done = if wish.is_done { "x" } else { "" };
            format!(
                "{done}{}|{}|{}|{}|{}",
                wish.number,
                wish.title,
                wish.groups.join("/"),
                after.join(","),
                wish.claims.join(",")
            )
        };
        outline.wishes.iter().map(one).chain(outline.notes).collect()
    }

    /// RM-19: leaves alone are items; what they come after is read from the words of the goal.
    #[test]
    fn a_goal_is_read_as_groups_and_items() {
        let goal = "# The mill\n\nBuild it.\n\n## Phase 1: Ground\n- [ ] 1.1. Weigh it\n- [x] Clean it\n- Grind it (after 1.1)\n  - dependsOn: \"Clean it\"\n  - files: docs/a.md, `docs/b.md`\n\n## Phase 2: Flour (after Phase 1)\n\nDo these in order:\n1. Sieve it\n2. Pack it\n\n- Sell it\n  - in town (needs 9.9)\n  - at the gate, after Pack it\n";
        assert_eq!(
            told(goal),
            [
                "1.1|Weigh it|Phase 1: Ground||",
                "x|Clean it|Phase 1: Ground||",
                "|Grind it|Phase 1: Ground|0,1|docs/a.md,docs/b.md",
                "|Sieve it|Phase 2: Flour|0,1,2|",
                "|Pack it|Phase 2: Flour|0,1,2,3|",
                "|in town|Phase 2: Flour/Sell it|0,1,2|",
                "|at the gate|Phase 2: Flour/Sell it|0,1,2,4|",
                "`in town` needs 9.9, which the goal does not have",
            ]
        );
    }

    #[test]
    fn a_log_tells_what_there_is() {
        let log = "---\ntitle: x\n---\n## Roadmap\n- [ ] **Phase 1**\n  - [x] 1.1. Weigh it\n    - status: Completed\n  - [ ] 1.2. Grind it\n    - status: Cancelled\n\n## Work Log\n### Log 1 @a (t)\n- **Role**: Planner\n";
        let told: Vec<String> =
            in_log(log).iter().map(|item| format!("{} {} {}", item.key, item.title, item.status)).collect();
        assert_eq!(told, ["1.1 Weigh it Completed", "1.2 Grind it Cancelled"]);
    }

    #[test]
    fn lists_without_headings_and_other_languages() {
        assert_eq!(told("1. 称重\n2. 研磨（依赖 1）\n3. 包装"), ["|称重|||", "|研磨||0|", "|包装|||"]);
        assert_eq!(told("No list at all."), Vec::<String>::new());
        assert_eq!(told("# A\n- x y z\n# B\n- u (after A)"), ["|x y z|A||", "|u|B|0|"]);
        assert_eq!(told("- do it after itself\n- b (after b)"), ["|do it after itself|||", "|b (after b)|||"]);
    }
}
