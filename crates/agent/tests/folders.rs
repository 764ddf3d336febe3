//! Whole folders of documents, each with a request and with a list of what contradicts what in it, written before the
//! program read them: what is found, what is drawn, what is left out, and whether the page stands alone.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends where it fails, and prints its figures"
)]

mod project;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use project::{Project, RUN, cites, paper_of};

const FOLDERS: [&str; 5] = ["bicycles", "springs", "clinic", "museum", "coffee"];

/// A line of a source: its path and its number.
type Spot = (String, usize);
/// Lines that are cited: the path, the first and the last.
type Cited = (String, usize, usize);

struct Folder {
    assets: Vec<(String, Vec<u8>)>,
    request: String,
    pairs: Vec<(Spot, Spot)>,
    traps: Vec<(Spot, Spot)>,
}

impl Folder {
    fn read(name: &str) -> Self {
        Self::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/folders").join(name))
    }

    fn at(place: &Path) -> Self {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(place.join("assets")).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let named =
            |path: &PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap());
        let mut folder = Self {
            assets: paths.iter().map(named).collect(),
            request: fs::read_to_string(place.join("request.txt")).unwrap_or_default().trim().to_owned(),
            pairs: Vec::new(),
            traps: Vec::new(),
        };
        for line in fs::read_to_string(place.join("truth.txt")).unwrap().lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let both = (folder.spot(cells[1], cells[2]), folder.spot(cells[3], cells[4]));
            match cells[0] {
                "pair" => folder.pairs.push(both),
                _ => folder.traps.push(both),
            }
        }
        folder
    }

    /// The line of a source on which words stand.
    fn spot(&self, file: &str, words: &str) -> Spot {
        let (_, bytes) = self.assets.iter().find(|(name, _)| name == file).unwrap_or_else(|| panic!("{file}"));
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{file}: {words}"));
        (format!("assets/{file}"), line + 1)
    }

    fn project(&self, request: &str) -> Project {
        let assets: Vec<(&str, Vec<u8>)> =
            self.assets.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
        Project::new(&assets, request)
    }

    /// What is reported as a contradiction: the places of each.
    fn reported(&self) -> Vec<(String, Vec<Cited>)> {
        self.told("## Contradictions")
    }

    /// What a section of the comparison says: the places of each.
    fn told(&self, title: &str) -> Vec<(String, Vec<Cited>)> {
        let paper = paper_of(&self.project("Compare."), "comparison.md");
        let part = paper.split(title).nth(1).unwrap_or("").split("\n## ").next().unwrap_or("").to_owned();
        let mut found: Vec<(String, Vec<Cited>)> = Vec::new();
        for line in part.lines() {
            if let Some(about) = line.strip_prefix("- ") {
                found.push((about.to_owned(), Vec::new()));
            } else if let Some((_, places)) = found.last_mut() {
                places.extend(cites(line));
            }
        }
        found
    }
}

fn is_at(places: &[Cited], (path, line): &Spot) -> bool {
    places.iter().any(|(cited, first, last)| cited == path && (*first..=*last).contains(line))
}

/// What was measured of folders: known pairs, those among the contradictions, those told at all, entries, right entries.
#[derive(Clone, Copy, Default)]
struct Measured {
    pairs: usize,
    strict: usize,
    told: usize,
    entries: usize,
    right: usize,
}

impl Measured {
    fn of(name: &str, folder: &Folder) -> Self {
        let (sure, doubts) = (folder.reported(), folder.told("## To be checked"));
        let is_of = |both: &(Spot, Spot), places: &[Cited]| is_at(places, &both.0) && is_at(places, &both.1);
        let is_told = |pair: &(Spot, Spot)| sure.iter().chain(&doubts).any(|(_, places)| is_of(pair, places));
        let is_right = |entry: &(String, Vec<Cited>)| folder.pairs.iter().any(|pair| is_of(pair, &entry.1));
        for pair in folder.pairs.iter().filter(|pair| !is_told(pair)) {
            println!("{name}: missed {pair:?}");
        }
        for entry in sure.iter().chain(&doubts) {
            println!("{name}: told, {}: {} {:?}", if is_right(entry) { "true" } else { "not" }, entry.0, entry.1);
        }
        let in_sure = |pair: &&(Spot, Spot)| sure.iter().any(|(_, places)| is_of(pair, places));
        let made = Self {
            pairs: folder.pairs.len(),
            strict: folder.pairs.iter().filter(in_sure).count(),
            told: folder.pairs.iter().filter(|pair| is_told(pair)).count(),
            entries: sure.len() + doubts.len(),
            right: sure.iter().chain(&doubts).filter(|entry| is_right(entry)).count(),
        };
        made.print(name);
        made
    }

    fn print(&self, name: &str) {
        println!(
            "{name}: {} true pairs, {} among the contradictions, {} told at all; {} of {} entries wrong",
            self.pairs,
            self.strict,
            self.told,
            self.entries - self.right,
            self.entries
        );
    }

    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.strict += other.strict;
        self.told += other.told;
        self.entries += other.entries;
        self.right += other.right;
    }
}

/// Folders that lie elsewhere: `MULTIVERSE_FOLDERS=/place cargo nextest run -p agent --test folders --no-capture -E
/// 'test(folders_elsewhere)'` prints what is found in each of them. Without the variable there is nothing to do.
#[test]
fn folders_elsewhere() {
    let Some(place) = std::env::var_os("MULTIVERSE_FOLDERS") else { return };
    let mut paths: Vec<PathBuf> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.join("truth.txt").is_file());
    paths.sort();
    let mut all = Measured::default();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        all.add(Measured::of(&name, &Folder::at(&path)));
    }
    all.print("all");
}

/// How many of the true pairs of folders are found, and how many of the reports are right.
fn measure(names: &[&str]) -> (f64, f64) {
    let (mut pairs, mut traps, mut found, mut reports, mut right) = (0, 0, 0, 0, 0);
    for name in names {
        let folder = Folder::read(name);
        let reported = folder.reported();
        let is_of = |both: &(Spot, Spot), places: &[Cited]| is_at(places, &both.0) && is_at(places, &both.1);
        pairs += folder.pairs.len();
        traps += folder.traps.len();
        for pair in &folder.pairs {
            let is_found = reported.iter().any(|(_, places)| is_of(pair, places));
            found += usize::from(is_found);
            if !is_found {
                println!("{name}: missed {pair:?}");
            }
        }
        for (about, places) in &reported {
            let is_right = folder.pairs.iter().any(|pair| is_of(pair, places));
            reports += 1;
            right += usize::from(is_right);
            if !is_right {
                println!("{name}: wrongly reported: {about} {places:?}");
            }
        }
    }
    let (recall, precision) = (found as f64 / pairs as f64, right as f64 / reports as f64);
    println!(
        "{pairs} true pairs, {traps} traps: {found} found, {} wrongly reported; recall {:.0} %, precision {:.0} %",
        reports - right,
        recall * 100.0,
        precision * 100.0
    );
    (recall, precision)
}

/// How many true pairs of folders stand among the contradictions or among what is to be checked, and how many of the pairs
/// told are true ones.
fn measure_with_doubts(names: &[&str]) -> (f64, f64) {
    let (mut pairs, mut found, mut told, mut right) = (0, 0, 0, 0);
    for name in names {
        let folder = Folder::read(name);
        let (sure, doubts) = (folder.reported(), folder.told("## To be checked"));
        let is_of = |both: &(Spot, Spot), places: &[Cited]| is_at(places, &both.0) && is_at(places, &both.1);
        pairs += folder.pairs.len();
        for pair in &folder.pairs {
            let is_found = sure.iter().chain(&doubts).any(|(_, places)| is_of(pair, places));
            found += usize::from(is_found);
            if !is_found {
                println!("{name}: missed {pair:?}");
            }
        }
        for (about, places) in sure.iter().chain(&doubts) {
            told += 1;
            let is_right = folder.pairs.iter().any(|pair| is_of(pair, places));
            right += usize::from(is_right);
            println!("{name}: told, {}: {about} {places:?}", if is_right { "true" } else { "not" });
        }
    }
    let (recall, precision) = (found as f64 / pairs as f64, right as f64 / f64::from(told.max(1)));
    println!("{names:?}: {found} of {pairs} true pairs are told; {right} of {told} that are told are true");
    (recall, precision)
}

/// The last three folders were written before anything compared figures that only may be of one thing: 44 % and 78 % when first
/// measured, when none of their pairs was among the contradictions; the rules were mended with them.
#[test]
fn what_is_to_be_checked_in_whole_folders() {
    let seen = ["bicycles", "springs", "clinic", "museum", "coffee", "theatre", "dairy", "harbour", "vineyard"];
    let (recall, _) = measure_with_doubts(&seen);
    assert!(recall >= 0.85, "recall {recall}");
    measure_with_doubts(&["library", "solar", "railway", "bakery", "zoo"]);
    let (recall, precision) = measure_with_doubts(&["annex", "observatory", "orchard"]);
    assert!(recall >= 0.55 && precision >= 0.8, "recall {recall}, precision {precision}");
}

/// Issue 4: at least ten true pairs and ten traps; recall and precision are printed. 17 % and 100 % when first measured: the
/// rules grew with these folders.
#[test]
fn contradictions_in_whole_folders() {
    let (recall, precision) = measure(&FOLDERS);
    assert!(recall >= 0.85, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

/// Written when the rules had grown, before anything was measured with them: 29 % and 100 % then, mended since.
#[test]
fn contradictions_in_folders_that_were_written_afterwards() {
    let (recall, precision) = measure(&["theatre", "dairy"]);
    assert!(recall >= 0.75, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

/// Written after those, before anything was measured with them: 19 % and 100 % then, mended since.
#[test]
fn contradictions_in_folders_that_were_written_last() {
    let (recall, precision) = measure(&["harbour", "vineyard"]);
    assert!(recall >= 0.7, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

/// Written after these again: 35 % and 75 % then, mended since.
#[test]
fn contradictions_in_folders_that_were_written_after_those() {
    let (recall, precision) = measure(&["library", "solar"]);
    assert!(recall >= 0.75, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

/// And again: 24 % and 100 % then, mended since.
#[test]
fn contradictions_in_folders_that_were_written_after_these_again() {
    let (recall, precision) = measure(&["railway", "bakery"]);
    assert!(recall >= 0.65, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

/// Written as strangers would write: minutes, a newsletter, an export, a page, in seven languages. When first measured, none of
/// their 28 pairs was among the contradictions and 6 were to be checked; what is weighed, and how much it counts, was mended
/// with them.
#[test]
fn what_is_to_be_checked_in_folders_of_strangers() {
    let (recall, precision) = measure_with_doubts(&["choir", "ferry", "hanok", "olives"]);
    // 0.7 while the weights were fitted to these above all; now those of strangers count most.
    assert!(recall >= 0.5 && precision >= 0.75, "recall {recall}, precision {precision}");
    // Run once when everything was done; but whoever wrote them wrote the list of words, too: 22 of 28 pairs told, 24 of 24 in the list right.
    let (recall, precision) = measure_with_doubts(&["bees", "tram", "sake", "date-palms"]);
    // 0.7 then, too; told are fewer since, and none of them wrong.
    assert!(recall >= 0.6 && precision >= 0.75, "recall {recall}, precision {precision}");
}

/// Issue 4: written by somebody who knew nothing of the rules. Names of who is responsible count, too.
#[test]
fn contradictions_in_folders_by_somebody_else() {
    let seen =
        ["dental-practice", "regional-railway", "fishing-cooperative", "charity-annual-papers", "baustelle-kita"];
    measure(&seen);
    measure_with_doubts(&seen);
    // Run once, when everything was done, and used for nothing; looked at since.
    let unseen = ["domaine-viticole", "compras-hospital", "museo-civico", "kyoiku-iinkai", "startup-mixed"];
    measure(&unseen);
    measure_with_doubts(&unseen);
}

/// Issue 4: written by somebody else again, in two or three languages each; what is weighed is fitted to these and the ten above.
#[test]
fn contradictions_in_further_folders_by_somebody_else() {
    let mut all = Measured::default();
    for name in ["allotments", "city-library", "bee-school", "hospital-kitchen", "coffee-exporter"] {
        all.add(Measured::of(name, &Folder::read(name)));
    }
    all.print("all");
}

/// The last of them: 29 % and 67 % then, mended since.
#[test]
fn contradictions_in_the_folder_that_was_written_last() {
    let (recall, precision) = measure(&["zoo"]);
    assert!(recall >= 0.65, "recall {recall}");
    assert!(precision >= 0.95, "precision {precision}");
}

fn outputs(folder: &Folder) -> BTreeMap<String, String> {
    let made = folder.project(&folder.request).run();
    let published = format!("outputs/{RUN}/");
    made.into_iter().filter_map(|(path, text)| Some((path.strip_prefix(&published)?.to_owned(), text))).collect()
}

/// Issue 4: the deliverable is one file that needs nothing else, whatever the language of the request.
#[test]
fn pages_stand_alone() {
    for name in FOLDERS {
        let made = outputs(&Folder::read(name));
        let page =
            made.iter().find(|(path, _)| path.ends_with(".html")).unwrap_or_else(|| panic!("{name}: {made:?}")).1;
        for banned in ["<script", "src=", "href=\"http", "@import", "url("] {
            assert!(!page.contains(banned), "{name}: {banned}");
        }
    }
}

/// What the request asks for is what is there: its forms, and nothing of what it leaves out.
#[test]
fn requests_are_obeyed_in_whole_folders() {
    for (name, forms, absent) in [
        ("bicycles", &["report.html", "report.md"][..], ""),
        ("springs", &["report.html"], ""),
        ("clinic", &["report.html"], "310 Plätze"),
        ("museum", &["report.html", "report.md"], ""),
        ("coffee", &["report.html", "report.md"], "200 hectares"),
    ] {
        let made = outputs(&Folder::read(name));
        let published: Vec<&str> = made.keys().map(String::as_str).collect();
        assert_eq!(published, forms, "{name}");
        let is_said = |text: &String| !absent.is_empty() && text.contains(absent);
        assert!(!made.values().any(is_said), "{name}: {absent} was to be left out");
    }
}

/// No chart adds up codes, versions, marks, percentages or coordinates, and two things side by side are not mixed up.
#[test]
fn charts_and_comparisons_fit_the_data() {
    for name in FOLDERS {
        let folder = Folder::read(name);
        let report = folder.project("Report as Markdown.").run();
        let text = &report[&format!("outputs/{RUN}/report.md")];
        let charts: Vec<&str> = text.lines().filter(|line| line.starts_with("## Chart")).collect();
        assert!(!charts.is_empty(), "{name}");
        let banned = [
            "상태코드",
            "펌웨어",
            "Statuscode",
            "Artikelnr",
            "estado",
            "lat",
            "lon",
            "위도",
            "緯度",
            "만족도",
            "評価",
            "%",
        ];
        for chart in charts.iter().filter(|chart| chart.contains("sum of")) {
            assert!(!banned.iter().any(|head| chart.contains(head)), "{name}: {chart}");
        }
    }
    let made = outputs(&Folder::read("coffee"));
    let sides = made["report.md"].split("## Side by side").nth(1).unwrap().split("\n## ").next().unwrap();
    let row =
        |words: &str| sides.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {sides}"));
    assert!(row("Puntaje").contains("84,5") && row("Puntaje").contains("87,0"), "{sides}");
    assert!(!sides.contains("1.290"), "what is said of Santa Ana is of neither:\n{sides}");
}
