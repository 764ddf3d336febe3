//! A corpus of sloppy projects, each with the report that is expected of it (`snapshots/`), and the same projects changed
//! at random.

use std::collections::BTreeMap;

use text::Text;

use super::*;

/// A project in one text: `=== path` before each file, with `crlf`, `bom` or `latin1` behind it.
#[derive(Debug, Clone)]
struct Project(BTreeMap<String, Vec<u8>>);

impl Project {
    fn of(text: &str) -> Self {
        let mut files = BTreeMap::new();
        for part in text.split("=== ").skip(1) {
            let (head, body) = part.split_once('\n').unwrap();
            let mut words = head.split(' ');
            let path = words.next().unwrap().to_owned();
            let marks: Vec<&str> = words.collect();
            let mut bytes = match marks.contains(&"latin1") {
                true => body.chars().map(|letter| letter as u8).collect(),
                false => body.as_bytes().to_vec(),
            };
            if marks.contains(&"crlf") {
                bytes = String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes();
            }
            if marks.contains(&"bom") {
                bytes = [b"\xef\xbb\xbf", bytes.as_slice()].concat();
            }
            files.insert(path, bytes);
        }
        Self(files)
    }

    /// The project with all that would be mended.
    fn mended(&self, examined: &Examined) -> Self {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (path, bytes) in &self.0 {
            let place = examined.moves.get(path).unwrap_or(path);
            assert!(files.insert(place.clone(), bytes.clone()).is_none(), "{place} is taken twice");
        }
        for (place, text) in &examined.documents {
            assert!(files.insert(place.clone(), text.to_vec()).is_some(), "{place} was not there");
        }
        Self(files)
    }
}

impl Files for Project {
    fn paths(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
    fn read(&self, path: &str) -> Option<Text> {
        self.0.get(path).map(|bytes| Text::from(bytes.clone()))
    }
    fn has_content(&self, path: &str) -> bool {
        self.0.get(path).is_some_and(|bytes| !bytes.is_empty())
    }
}

const CORPUS: [(&str, &str); 15] = [
    ("01-lineage-left-pending", include_str!("corpus/01-lineage-left-pending.txt")),
    ("02-lineage-ids", include_str!("corpus/02-lineage-ids.txt")),
    ("03-lineage-output-folder", include_str!("corpus/03-lineage-output-folder.txt")),
    ("04-lineage-missing-outputs", include_str!("corpus/04-lineage-missing-outputs.txt")),
    ("05-lineage-cross-run-paths", include_str!("corpus/05-lineage-cross-run-paths.txt")),
    ("06-lineage-headers", include_str!("corpus/06-lineage-headers.txt")),
    ("07-lineage-broken-rows", include_str!("corpus/07-lineage-broken-rows.txt")),
    ("08-lineage-windows", include_str!("corpus/08-lineage-windows.txt")),
    ("09-lineage-tables-elsewhere", include_str!("corpus/09-lineage-tables-elsewhere.txt")),
    ("11-multiverse-left-pending", include_str!("corpus/11-multiverse-left-pending.txt")),
    ("12-multiverse-ids", include_str!("corpus/12-multiverse-ids.txt")),
    ("13-multiverse-output-folder", include_str!("corpus/13-multiverse-output-folder.txt")),
    ("14-multiverse-nothing-wrong", include_str!("corpus/14-multiverse-nothing-wrong.txt")),
    ("15-neither", include_str!("corpus/15-neither.txt")),
    ("16-both-and-binary", include_str!("corpus/16-both-and-binary.txt")),
];

fn report(project: &Project, examined: &Examined) -> String {
    let mut told = format!("{:?}\n", examined.kind);
    for weight in [Weight::Found, Weight::Mended, Weight::Decide] {
        told.push_str(&format!("\n{weight:?}\n"));
        for Finding { path, line, what, hint, .. } in examined.findings.iter().filter(|one| one.weight == weight) {
            let hint = if hint.is_empty() { String::new() } else { format!(" [{hint}]") };
            told.push_str(&format!("  {path}:{line}: {what}{hint}\n"));
        }
    }
    let mended = project.mended(examined);
    for (place, text) in &mended.0 {
        let is_same = project.0.get(place) == Some(text);
        if !is_same {
            told.push_str(&format!("\n=== {place}\n{}", String::from_utf8_lossy(text)));
        }
    }
    told.replace('\r', "␍").replace('\u{feff}', "␏")
}

/// LN-03, LN-15: what each project is told, and what it becomes.
#[test]
fn each_project_of_the_corpus_is_reported_as_expected() {
    for (name, text) in CORPUS {
        let project = Project::of(text);
        let examined = examine(&project);
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(name, report(&project, &examined));
        });
    }
}

/// What was mended stays mended: a second look mends nothing more.
#[test]
fn a_second_look_mends_nothing() {
    for (name, text) in CORPUS {
        let project = Project::of(text);
        let mended = project.mended(&examine(&project));
        let again = examine(&mended);
        let mends: Vec<&Finding> = again.findings.iter().filter(|one| one.weight == Weight::Mended).collect();
        assert!(mends.is_empty() && again.documents.is_empty() && again.moves.is_empty(), "{name}: {mends:?}");
    }
}

/// QL-25: whatever becomes of the files of a project, looking at it ends, files are not lost, and a file that nothing is
/// said of keeps every byte.
#[test]
fn projects_changed_at_random_are_survived() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for round in 0..1500 {
        let mut project = Project::of(CORPUS[chance.below(CORPUS.len())].1);
        for _ in 0..=chance.below(4) {
            spoil(&mut project, &mut chance);
        }
        let examined = examine(&project);
        let mended = project.mended(&examined);
        assert_eq!(mended.0.len(), project.0.len(), "round {round}: no file comes or goes");
        for (path, bytes) in &project.0 {
            let place = examined.moves.get(path).unwrap_or(path);
            let is_told = examined.findings.iter().any(|one| one.weight == Weight::Mended && one.path == *path);
            if !is_told {
                assert_eq!(mended.0.get(place), Some(bytes), "round {round}: {path} changed without a word");
            }
            kept_lines(path, bytes, &mended.0[place], &examined, round);
        }
    }
}

/// Lines that nothing is said of are in the new document as they were, in their order.
fn kept_lines(path: &str, before: &[u8], after: &[u8], examined: &Examined, round: usize) {
    let told: Vec<usize> = examined
        .findings
        .iter()
        .filter(|one| one.path == path && one.weight == Weight::Mended)
        .map(|one| one.line)
        .collect();
    let mut rest = after.split_inclusive(|byte| *byte == b'\n');
    for (number, line) in before.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if !told.contains(&(number + 1)) {
            // Columns may have been put in behind the last one.
            let is_there = rest.any(|one| one == line || one.starts_with(line.trim_ascii_end()));
            assert!(
                is_there,
                "round {round}: line {} of {path} is gone: {}",
                number + 1,
                String::from_utf8_lossy(line)
            );
        }
    }
}

/// A file is changed, cut, doubled, moved or removed.
fn spoil(project: &mut Project, chance: &mut Chance) {
    let paths: Vec<String> = project.0.keys().cloned().collect();
    let Some(path) = paths.get(chance.below(paths.len().max(1))).cloned() else { return };
    let bytes = project.0.get(&path).cloned().unwrap_or_default();
    let at = chance.below(bytes.len() + 1);
    let mut changed = bytes.clone();
    match chance.below(9) {
        0 => changed.truncate(at),
        1 => changed.splice(at..at, b"|".iter().copied()).for_each(drop),
        2 => changed.splice(at..at, "| 가 | \\| <br> `x` |\n".bytes()).for_each(drop),
        3 => changed.splice(at..at, [0xff, 0x00, 0x0a]).for_each(drop),
        4 => {
            let other = chance.below(bytes.len() + 1);
            let range = at.min(other)..at.max(other);
            changed.drain(range).for_each(drop);
        }
        5 => {
            // A line stands there twice.
            let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            let line = lines.get(chance.below(lines.len().max(1))).copied().unwrap_or_default().to_vec();
            changed.extend(line);
        }
        6 => drop(project.0.remove(&path)),
        7 => {
            project.0.remove(&path);
            let names =
                ["output/x/y.md", "runs/P01/db/p_tasks.md", "db/PROCESS_RUNS.md", "run/a/b.md", "guidelins/가.md"];
            project.0.insert(names[chance.below(names.len())].into(), bytes);
            return;
        }
        _ => {
            let words =
                [("PENDING", "완료"), ("COMPLETED", "maybe"), ("run-001", ""), ("ph-1", "P1"), ("data/", "../data/")];
            let (from, to) = words[chance.below(words.len())];
            changed = String::from_utf8_lossy(&bytes).replace(from, to).into_bytes();
        }
    }
    if project.0.contains_key(&path) {
        project.0.insert(path, changed);
    }
}

/// Numbers that are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap_or_default()
    }
}
