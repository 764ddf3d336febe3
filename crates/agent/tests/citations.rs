//! Every citation of every paper is right: what is quoted, or the figure, stands on the lines that are named.
//!
//! A property over all sources of the fixtures and over odd ones: CRLF, a byte order mark, very long lines, front matter,
//! cells with line breaks, pages whose sentences run over several lines, digits of other scripts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends where it fails, and prints its figures"
)]

mod project;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use project::{Project, cites};

const REQUEST: &str = "Report on the boats, the staff and the revenue as Markdown and HTML.";

type Files = Vec<(String, Vec<u8>)>;

fn folder(path: &str) -> Files {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut files: Files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn odd() -> Files {
    let long =
        format!("The quay {} ended at 1,234 metres in 2021. The crane lifted 45 t in 2022.", "and then ".repeat(120));
    let files: Vec<(&str, String)> = vec![
        ("crlf.md", "# Yard\r\n\r\nThe yard built 12 boats\r\nin 2023, and sold 9\r\nof them abroad.\r\n".into()),
        ("bom.txt", "\u{feff}The mill had 31 workers in 2020.\nIt had 28 workers in 2019.\n".into()),
        ("long.txt", long),
        ("front.md", "---\ntitle: 99 things\ndate: 2020-01-01\n---\n\n# Report\n\n> The **dock** cost *4.5 million* euros\n> in 2022 [see](http://x.example/77).\n".into()),
        ("cells.csv", "name;note;value\r\nA;\"two\r\nlines\";1,5\r\nB;plain;2,5\r\nC;\"a; b\";\r\nD;x;10,25\r\n".into()),
        ("page.html", "<html>\n<head><title>Pier</title>\n<script>var n = 555;</script></head>\n<body><p>The pier is <b>310\nmetres</b> long &amp; was\nopened in 1931.</p>\n<table><tr><th>year<th>guests\n<tr><td>2022<td>1,200\n<tr><td>2023<td>1,450\n<tr><td>2024<td>1,380</table></body></html>\n".into()),
        ("nested.json", "{\n \"port\": {\n  \"name\": \"Almena\",\n  \"berths\": [\n   {\"berth\": \"A\",\n    \"length_m\": 210},\n   {\"berth\": \"B\",\n    \"length_m\": 180}\n  ],\n  \"text\": \"The port of Almena was opened in 1978 and has handled more cargo than any other on this coast.\"\n }\n}\n".into()),
        ("arabic.txt", "بلغ عدد الموظفين ٢١٠ في عام ٢٠٢٤.\nزاد الإنتاج بنسبة ١٢٪ في عام ٢٠٢٥.\n".into()),
        ("korean.md", "# 조선소\n\n한빛조선은 2025년에 선박 40척을 건조했다.\n직원은 1,200명이다.\n".into()),
        ("old-mac.txt", "The ferry has 3 decks.\rIt carries 400 passengers.\r".into()),
        ("empty.md", String::new()),
        ("server.log", "2023-02-02T01:01:07Z INFO till1 req=1 ms=334\n2023-03-03T02:02:07Z INFO till2 req=2 ms=669\n2023-04-04T03:03:07Z INFO till3 req=3 ms=843\n".into()),
        ("broken.html", "<h1>News\n<p>The shop had 17 employees at the end of 2023.\n<table><tr><td>Branch<td>Sales<tr><td>Quay<td>58,075\n</tabel>\n<script>if (1<2) {}\n</script>\n<p>Opening hours &amp; prices: see the door. <!-- no\n".into()),
        ("broken.json", "{\"a\": 12, \"b\": [3, }\nThe rest counts 7 things.\n".into()),
        ("setext.md", "Title of 2020\n=============\n\nThe lock holds 3,200 m³ of water.\n\n```\nnot 77 this\n```\n".into()),
    ];
    files.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())).collect()
}

/// The lines of a source as an editor shows them, digits of all scripts made plain.
fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).replace('\u{feff}', "");
    let text = if text.contains('\n') { text } else { text.replace('\r', "\n") };
    text.lines()
        .map(|line| plain(&line.replace("&amp;", "&").replace("&eacute;", "é").replace("&ecirc;", "ê")))
        .collect()
}

fn plain(text: &str) -> String {
    let digit = |c: char, zero: char| char::from_digit(c as u32 - zero as u32, 10).unwrap();
    text.chars()
        .map(|c| match c {
            '٠'..='٩' => digit(c, '٠'),
            '０'..='９' => digit(c, '０'),
            c => c,
        })
        .collect()
}

fn words(text: &str) -> Vec<String> {
    plain(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn digits(text: &str) -> String {
    plain(text).chars().filter(char::is_ascii_digit).collect()
}

/// What a paper cites, and how many of its citations were checked.
struct Check<'a> {
    sources: &'a BTreeMap<String, Vec<String>>,
    checked: usize,
}

impl Check<'_> {
    fn cited(&self, line: &str) -> Vec<String> {
        let places = cites(line);
        assert!(!places.is_empty(), "nothing is cited: {line}");
        places
            .into_iter()
            .map(|(path, first, last)| {
                let source = self.sources.get(&path).unwrap_or_else(|| panic!("{path} is no source: {line}"));
                assert!(first >= 1 && last <= source.len().max(1), "{path}:{first}-{last} is not there: {line}");
                source.get(first - 1..last).unwrap_or_default().join(" ")
            })
            .collect()
    }

    /// All words of a statement stand on its lines, in their order.
    fn statement(&mut self, line: &str, text: &str) {
        let there = self.cited(line).join(" ");
        let all = words(&there);
        let mut rest = all.iter();
        for word in words(text) {
            assert!(rest.any(|one| *one == word), "`{word}` of “{text}” does not stand in “{there}”");
        }
        self.checked += 1;
    }

    fn digits(&mut self, line: &str, figure: &str) {
        let wanted = digits(figure);
        let there: Vec<String> = self.cited(line).iter().map(|text| digits(text)).collect();
        let significant = wanted.trim_end_matches('0');
        assert!(there.iter().any(|digits| digits.contains(significant)), "{figure} does not stand where {line} says");
        self.checked += 1;
    }

    fn line(&mut self, section: &str, line: &str) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let is_row = line.starts_with("| ") && line.contains('`');
        let text = line.trim_start().trim_start_matches("- ");
        let text = text.split(" (`").next().unwrap().replace('\\', "");
        match section {
            "Summary" | "Key sentences" | "Findings" if line.contains('`') => {
                let numbered =
                    text.split_once(". ").filter(|(number, _)| section == "Findings" && number.parse::<u32>().is_ok());
                self.statement(line, numbered.map_or(text.as_str(), |(_, rest)| rest).trim_end_matches('…'));
            }
            _ if (section.starts_with("Theme") || section.starts_with("About") || section == "Further findings")
                && line.starts_with("- ") =>
            {
                self.statement(line, text.trim_end_matches('…'));
            }
            "Figures" if is_row => self.digits(line, cells[0]),
            "Dates" if is_row => self.digits(line, &cells[0].chars().take(4).collect::<String>()),
            // A phrase stands without the particle that its place in the sentence gives it.
            "Key phrases" if is_row => {
                let there = self.cited(line).join(" ");
                let phrase = cells[0].replace('\\', "");
                assert!(
                    there.to_lowercase().contains(&phrase.to_lowercase()),
                    "`{phrase}` does not stand in “{there}”"
                );
                self.checked += 1;
            }
            "Contradictions" if line.starts_with("  - ") => {
                // A row is quoted with the heads of its columns, which stand elsewhere.
                let is_row = text.contains(": ") && text.contains("; ");
                let cell = |part: &str| part.split_once(": ").map_or(String::new(), |(_, cell)| cell.to_owned());
                let said = if is_row { text.split("; ").map(cell).collect::<Vec<_>>().join(" ") } else { text };
                self.statement(line, &said);
            }
            _ if section.starts_with("Chart")
                && is_row
                && !["sum of", "mean of", "distribution"].iter().any(|word| section.contains(word)) =>
            {
                self.digits(line, cells[1]);
            }
            // A table of one row is shown as it stands: name, value, source.
            _ if section.starts_with("Table") && is_row && cells.len() == 3 => self.digits(line, cells[1]),
            _ if section.starts_with("Table") && is_row => {
                for cell in [cells[3], cells[4]] {
                    self.digits(line, cell.split(" (").next().unwrap());
                }
            }
            _ => {}
        }
    }
}

fn check(files: &Files, least: usize) {
    let assets: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let sources: BTreeMap<String, Vec<String>> =
        files.iter().map(|(name, bytes)| (format!("assets/{name}"), lines(bytes))).collect();
    let made = Project::new(&assets, REQUEST).run();
    let mut checked = 0;
    for (path, text) in made.iter().filter(|(path, _)| path.ends_with(".md") && !path.contains("initial_analysis")) {
        let mut check = Check { sources: &sources, checked: 0 };
        let mut section = "";
        for line in text.lines() {
            section = line.strip_prefix("## ").unwrap_or(section);
            if !path.contains("assembly_plan") && !matches!(section, "Not covered" | "Sources" | "What was asked") {
                check.line(section, line);
            }
        }
        checked += check.checked;
    }
    println!("{} sources, {} papers, {checked} citations, all of them right", files.len(), made.len());
    assert!(checked >= least, "only {checked} citations were checked");
}

#[test]
fn citations_of_the_fixtures_are_right() {
    check(&folder("tests/offline/assets"), 100);
}

#[test]
fn citations_of_the_example_are_right() {
    check(&folder("../../examples/boats/assets"), 100);
}

#[test]
fn citations_of_odd_sources_are_right() {
    check(&odd(), 60);
}

#[test]
fn citations_of_all_sources_together_are_right() {
    let all: Files = folder("tests/offline/assets").into_iter().chain(odd()).collect();
    check(&all, 200);
}

/// Folders in several languages and scripts, right to left among them, with messy tables.
#[test]
fn citations_of_whole_folders_are_right() {
    for name in ["bicycles", "springs", "clinic", "museum", "coffee"] {
        check(&folder(&format!("tests/offline/folders/{name}/assets")), 60);
    }
}
