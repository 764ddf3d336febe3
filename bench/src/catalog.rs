//! QL-09: a catalog of 100,000 files: a query beside one scan of the catalog's file, the index made anew, and brought up to
//! date after one row was added; and the lineage of all of them.

use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::engine::knowledge::Query;
use ::engine::{Depth, Scope, Service, Settings};
use store::Missing;
use syntax::{Document, Wanted};

use crate::times::{Line, median, micros, millis, ratio};

const ROWS: usize = 100_000;
const ROUNDS: usize = 9;
const CATALOG: &str = "db/run-001_knowledge_base_catalog.md";
const WORDS: &str = "yards boats prices sales quarter regions staff training costs harbour engines paint steel survey \
    customers suppliers contracts delivery delays weather crews safety audit budget forecast salmon pond fish licence \
    export taxes Gdansk Szczecin Hamburg Rotterdam Oslo winter summer docks cranes 조선소 매출 분기별 비교 造船所 売上 推移";

pub(crate) fn search(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let project = folder.join("catalog");
    std::fs::create_dir_all(project.join("db"))?;
    std::fs::write(project.join("db/process_runs.md"), "| run_id | user_request | status |\n|---|---|---|\n")?;
    let header = "| file_path (PK) | lineage_id | data_type | source_task_id | source_files | run_id | summary |\n";
    let rows: String = (0..ROWS).map(row).collect();
    std::fs::write(project.join(CATALOG), format!("{header}|---|---|---|---|---|---|---|\n{rows}"))?;
    let size = std::fs::metadata(project.join(CATALOG))?.len() as f64 / 1e6;
    let settings = Settings::new(project.clone());
    Service::open(settings.clone(), Missing::Create, Arc::new(|_| {}))?.close()?;
    let look = || Service::open_to_look(&settings, &(Arc::new(|_| {}) as ::engine::Listener));

    let rebuild = timed(3, || look()?.rebuild_shelves().map(drop))?;
    let scan = timed(ROUNDS, || scanned(&project))?;
    let bytes = timed(ROUNDS, || found_in_bytes(&project))?;
    let service = look()?;
    let shelves = service.shelves(Depth::Catalogs);
    let warm = median(
        &queries().iter().map(|query| time(|| drop(black_box(shelves.library.search(query))))).collect::<Vec<_>>(),
    );
    let slowest =
        queries().iter().map(|query| time(|| drop(black_box(shelves.library.search(query))))).max().unwrap_or_default();
    let query = &queries()[0];
    let cold = timed(ROUNDS, || {
        let shelves = look()?.shelves(Depth::Catalogs);
        drop(black_box(shelves.library.search(query)));
        Ok::<_, ::engine::EngineError>(())
    })?;
    let mut read = 0;
    let mut number = ROWS;
    let renewed = timed(ROUNDS, || {
        number += 1;
        let mut file = std::fs::OpenOptions::new().append(true).open(project.join(CATALOG))?;
        file.write_all(row(number).as_bytes())?;
        drop(file);
        read = look()?.shelves(Depth::Catalogs).renewed.read;
        Ok::<_, Box<dyn Error>>(())
    })?;
    let shelves = service.shelves(Depth::Plans);
    let lineage = timed(3, || service.ancestry(&shelves, Scope::File("data/f500.md")).map(drop))?;
    let against = format!("one scan of the catalog ({size:.0} MB), rows read: {}", millis(scan));
    let line = |what: String, measured: String, time: Duration, bar: &'static str| Line {
        id: "QL-09",
        what,
        measured,
        against: against.clone(),
        ratio: ratio(time, scan),
        bar,
    };
    let rate = ROWS as f64 / rebuild.as_secs_f64();
    Ok(vec![
        line(format!("a warm query over {ROWS} entries, median of {}", queries().len()), micros(warm), warm, "≤ 0.1"),
        line("the slowest of them".into(), micros(slowest), slowest, ""),
        Line {
            id: "QL-09",
            what: "the warm query beside a search for bytes that understands nothing".into(),
            measured: micros(warm),
            against: format!("read and searched: {}", millis(bytes)),
            ratio: ratio(warm, bytes),
            bar: "",
        },
        line("project opened, index read, one query".into(), millis(cold), cold, ""),
        line(format!("the same after a row was added ({read} rows read again)"), millis(renewed), renewed, ""),
        line(format!("index made anew: {rate:.0} files/s"), millis(rebuild), rebuild, "≥ 1,000 files/s"),
        line("lineage of one file among all, with what is stale".into(), millis(lineage), lineage, ""),
    ])
}

fn queries() -> Vec<Query> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let query = |number: usize| {
        let mut asked: Vec<String> =
            (0..=number % 3).map(|place| words[(number * 7 + place * 5) % words.len()].to_owned()).collect();
        if number.is_multiple_of(4) {
            asked.push("type:DRAFT_CONTENT".into());
        }
        Query::read(&asked, 20)
    };
    (0..200).map(query).collect()
}

/// The file read, its rows read, and a word looked for in each: what has to be done without an index.
fn scanned(project: &Path) -> Result<(), Box<dyn Error>> {
    let document = Document::parse(std::fs::read(project.join(CATALOG))?);
    let table = document.find_table(&Wanted { columns: &["file_path"], heading: None }).ok_or("no table")?;
    let columns = [table.column("file_path"), table.column("summary")].map(Option::unwrap_or_default);
    let has =
        |row: &syntax::Row<'_>| columns.iter().any(|column| row.value(*column).to_lowercase().contains("harbour"));
    black_box(table.rows().filter(has).count());
    Ok(())
}

fn found_in_bytes(project: &Path) -> Result<(), Box<dyn Error>> {
    let text = String::from_utf8(std::fs::read(project.join(CATALOG))?)?;
    black_box(text.matches("harbour").count());
    Ok(())
}

fn timed<E>(rounds: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    Ok(median(&times))
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn row(number: usize) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let word = |place: usize| words[(number * 7 + place * (number % 13 + 1) * 5) % words.len()];
    let said = (0..8).map(word).collect::<Vec<_>>().join(" ");
    let kind = ["ORIGINAL_INPUT", "ANALYSIS_DATA", "DRAFT_CONTENT", "FINAL_REPORT"][number % 4];
    let source = number / 10;
    let task = format!("ph-{}_stg-1_sub-01_tsk-{:02}", number % 5 + 1, number % 90);
    format!(
        "| data/f{number}.md | L-{} | {kind} | {task} | [\"data/f{source}.md\"] | run-001 | {said} of {number} |\n",
        number % 100
    )
}
