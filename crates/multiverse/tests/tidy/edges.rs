//! Which crate may use which: the table in ARCHITECTURE.md against the manifests.

use std::collections::{BTreeMap, BTreeSet};

use crate::Finding;
use crate::repository::TextFile;

const TABLE_PATH: &str = "ARCHITECTURE.md";
const TABLE_HEADER: [&str; 3] = ["crate", "may use", "tests may use"];

/// The crates of this workspace that one crate names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Edges {
    always: BTreeSet<String>,
    in_tests: BTreeSet<String>,
}

/// Edges that the table does not have, edges and rows of the table that nothing stands for.
pub(crate) fn findings(architecture: &str, manifests: &[&TextFile]) -> Vec<Finding> {
    let Some(rows) = table_rows(architecture) else {
        let what = format!("the table of edges is missing: it begins with | {} |", TABLE_HEADER.join(" | "));
        return vec![Finding::new(TABLE_PATH, 1, what)];
    };
    let members: BTreeSet<String> = manifests.iter().map(|manifest| crate_name(&manifest.text)).collect();
    let mut allowed: BTreeMap<String, (usize, Edges)> =
        rows.into_iter().map(|(line, name, edges)| (name, (line, edges))).collect();
    let mut findings = Vec::new();
    for manifest in manifests {
        let name = crate_name(&manifest.text);
        let Some((line, edges)) = allowed.remove(&name) else {
            findings.push(Finding::new(TABLE_PATH, 1, format!("crate {name} has no row in the table of edges")));
            continue;
        };
        let real = manifest_edges(&manifest.text, &members);
        compare(&name, "uses", &manifest.path, line, &real.always, &edges.always, &mut findings);
        compare(&name, "uses in tests", &manifest.path, line, &real.in_tests, &edges.in_tests, &mut findings);
    }
    for (name, (line, _)) in allowed {
        findings.push(Finding::new(TABLE_PATH, line, format!("the table has a row for {name}, but no such crate")));
    }
    findings
}

/// The name in a manifest.
pub(crate) fn crate_name(manifest: &str) -> String {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]");
    let name = lines.find_map(|line| line.strip_prefix("name")?.trim_start().strip_prefix('='));
    name.unwrap_or_default().trim().trim_matches('"').into()
}

fn compare(
    name: &str,
    uses: &str,
    manifest: &str,
    line: usize,
    real: &BTreeSet<String>,
    allowed: &BTreeSet<String>,
    findings: &mut Vec<Finding>,
) {
    for other in real.difference(allowed) {
        let what = format!("{name} {uses} {other}, which the table of edges does not allow: a new edge needs an ADR");
        findings.push(Finding::new(manifest, 1, what));
    }
    for other in allowed.difference(real) {
        let what = format!("the table says that {name} {uses} {other}, but its manifest does not: remove it");
        findings.push(Finding::new(TABLE_PATH, line, what));
    }
}

/// The rows of the table, each with its line; nothing if there is no such table.
fn table_rows(architecture: &str) -> Option<Vec<(usize, String, Edges)>> {
    let mut lines = (1..).zip(architecture.lines()).skip_while(|(_, line)| cells(line) != TABLE_HEADER);
    lines.next()?;
    let rows = lines.skip(1).take_while(|(_, line)| line.starts_with('|'));
    let parsed = rows.map(|(number, line)| {
        let cells = cells(line);
        let names = |index: usize| cells.get(index).map(|cell| crate_names(cell)).unwrap_or_default();
        let name = names(0).into_iter().next().unwrap_or_default();
        (number, name, Edges { always: names(1), in_tests: names(2) })
    });
    Some(parsed.collect())
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(str::trim).collect()).unwrap_or_default()
}

/// Names between commas; a dash stands for none.
fn crate_names(cell: &str) -> BTreeSet<String> {
    let names = cell.split(',').map(|name| name.trim().trim_matches('`'));
    names.filter(|name| !matches!(*name, "" | "-" | "–")).map(String::from).collect()
}

/// The workspace's crates among the dependencies, by whatever name and in whatever section they are given.
fn manifest_edges(manifest: &str, members: &BTreeSet<String>) -> Edges {
    let mut edges = Edges::default();
    let mut section = String::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = header.into();
        }
        let Some((in_tests, entry)) = dependency(&section, line) else { continue };
        if let Some(member) = members.iter().find(|member| names_crate(entry, line, member)) {
            let kind = if in_tests { &mut edges.in_tests } else { &mut edges.always };
            kind.insert(member.clone());
        }
    }
    edges
}

/// Whether a line belongs to a section of dependencies, for tests or always, and the name of the entry.
fn dependency<'a>(section: &'a str, line: &'a str) -> Option<(bool, &'a str)> {
    let names: Vec<&str> = section.split('.').collect();
    let place = names.iter().position(|name| name.ends_with("dependencies"))?;
    let in_tests = names[place] == "dev-dependencies";
    let entry = names.get(place + 1).copied().or_else(|| line.split(['.', '=', ' ']).next())?;
    Some((in_tests, entry))
}

fn names_crate(entry: &str, line: &str, member: &str) -> bool {
    let compact: String = line.chars().filter(|character| !character.is_whitespace()).collect();
    entry == member || compact.contains(&format!("package=\"{member}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_cases;

    const TABLE: &str = "# Map\n\n| crate | may use | tests may use |\n|---|---|---|\n\
                         | `a` | – | – |\n| `b` | `a` | `c` |\n| `c` | – | – |\n";

    fn check(architecture: &str, manifest_of_b: &str, expected: &[&str]) {
        let manifest = |name: &str, rest: &str| TextFile {
            path: format!("crates/{name}/Cargo.toml"),
            text: format!("[package]\nname = \"{name}\"\n\n{rest}"),
        };
        let rule = |architecture: &str| {
            let files = [manifest("a", ""), manifest("b", manifest_of_b), manifest("c", "")];
            findings(architecture, &files.iter().collect::<Vec<_>>())
        };
        check_cases(rule, &[(architecture, expected)]);
    }

    #[test]
    fn edges_are_exactly_those_of_the_table() {
        let good = "[dependencies]\na.workspace = true\nserde = \"1\"\n\n[dev-dependencies]\nc = { path = \"../c\" }\n";
        check(TABLE, good, &[]);
        let not_allowed = "crates/b/Cargo.toml:1: b uses c, which the table of edges does not allow";
        let dev = "[dev-dependencies]\nc.workspace = true\n";
        for entry in [
            "[dependencies]\na.workspace = true\nc.workspace = true\n",
            "[dependencies]\na.workspace = true\nother = { package = \"c\", path = \"../c\" }\n",
            "[dependencies]\na.workspace = true\n[dependencies.c]\nworkspace = true\n",
            "[dependencies]\na.workspace = true\n[target.'cfg(unix)'.dependencies]\nc = { workspace = true }\n",
            "[dependencies]\na.workspace = true\n[build-dependencies]\nc = { workspace = true }\n",
        ] {
            check(TABLE, &format!("{entry}{dev}"), &[not_allowed]);
        }
        check(TABLE, &good.replace("c =", "a ="), &["b uses in tests a", "says that b uses in tests c"]);
        check(TABLE, dev, &["ARCHITECTURE.md:6: the table says that b uses a, but its manifest does not"]);
    }

    #[test]
    fn rows_and_crates_match() {
        let good = "[dependencies]\na.workspace = true\n[dev-dependencies]\nc.workspace = true\n";
        check(&format!("{TABLE}| `d` | – | – |\n"), good, &["ARCHITECTURE.md:8: the table has a row for d"]);
        check(&TABLE.replace("| `c` | – | – |\n", ""), good, &["crate c has no row"]);
        check("# Map\n", good, &["the table of edges is missing"]);
    }
}
