//! The live view at several sizes: what is shown, what is folded, and that every line fits.

use engine::{AttemptView, ItemView, Notice, RunView};
use unicode_width::UnicodeWidthStr as _;

use super::model::{Model, RunModel, moment_in_id};
use super::render::{Kind, Look, Signs, Size, duration, frame};

const RUN: &str = "run-20261116-071331-001";
const LOOK: Look = Look { signs: Signs::Unicode, leaving: "Ctrl-C stops here" };

/// A run that is told what happens, a second apart.
struct Story {
    model: Model,
    now: u64,
    fence: u64,
}

impl Story {
    fn new() -> Self {
        let mut run = RunModel::new(RUN, 0);
        run.request = "Make a report of what these documents say about the yards, as Markdown and HTML.".into();
        Self { model: Model { runs: vec![run], interrupted: 0 }, now: 0, fence: 0 }
    }

    fn tell(&mut self, notice: &Notice) -> &mut Self {
        self.now += 1000;
        self.model.hear(notice, self.now);
        self
    }

    fn plan(&mut self, target: &str, rows: &[(&str, &str)]) -> &mut Self {
        let rows: Vec<(String, String)> = rows.iter().map(|(id, name)| ((*id).into(), (*name).into())).collect();
        let (run, fence, target, items) = (RUN.into(), self.fence, target.into(), rows.len());
        self.tell(&Notice::Planned { run, fence, target, items, rows })
    }

    fn assign(&mut self, item: Option<&str>, what: &str) -> &mut Self {
        self.fence += 1;
        self.tell(&Notice::Assigned {
            run: RUN.into(),
            fence: self.fence,
            role: "executor".into(),
            what: what.into(),
            item: item.map(String::from),
            attempt: 1,
            agent: "command:./my-agent".into(),
        })
    }

    fn done(&mut self, item: &str) -> &mut Self {
        let (run, item, name) = (RUN.into(), item.into(), String::new());
        self.tell(&Notice::Completed { run, item, level: "task", name, files: Vec::new() })
    }

    /// The preparation is done, a stage too, and two tasks of the next are under way.
    fn in_the_middle() -> Self {
        let mut story = Self::new();
        story.plan("phase:0", &[("T00", "Environment Setup"), ("T02", "Constitution"), ("T03", "Catalog")]);
        story.assign(Some("T00"), "T00 Environment Setup").done("T00").done("T02").done("T03");
        story.plan("run", &[("P01", "ANALYZING"), ("P02", "STRATEGIZING"), ("P03", "REFINING_CONTENT")]);
        story.assign(Some("P01"), "stage plan of P01");
        story.plan("phase:P01", &[("S01", "Read the sources"), ("S02", "Compare the sources, 비교하다")]);
        story.plan("stage:S01", &[("T05", "Read assets/letter.txt")]);
        story.assign(Some("T05"), "T05 Read assets/letter.txt").done("T05").done("S01");
        story
            .plan("stage:S02", &[("T06", "보고서를 읽다 📈"), ("T07", "Compare"), ("T08", "Sum up"), ("T09", "Check")]);
        story.assign(Some("T06"), "T06").done("T06").assign(Some("T07"), "T07").assign(Some("T08"), "T08");
        story.tell(&Notice::Progress { run: RUN.into(), fence: 5, line: "half \u{1b}[2Jway".into() });
        story
    }

    fn shown(&self, columns: usize, lines: usize, kind: Kind) -> String {
        let size = Size { columns, lines };
        let frame = frame(&self.model, size, self.now, LOOK, kind);
        assert!(frame.len() <= lines, "{} lines in {lines}", frame.len());
        let plain: Vec<String> = frame.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
        for line in &plain {
            assert!(line.width() < columns.max(12), "{line:?} is wider than {columns}");
        }
        plain.join("\n")
    }
}

#[test]
fn with_room_all_is_shown() {
    let story = Story::in_the_middle();
    insta::assert_snapshot!(story.shown(80, 24, Kind::Live), @"
    run-20261116-071331-001 at work            ━━━━━───────────────  5/8 tasks  18s
    Make a report of what these documents say about the yards, as Markdown and HTM…
    ✓ Preparation                                                       3/3    3.0s
      ✓ T00 Environment Setup                                                  1.0s
      ✓ T02 Constitution
      ✓ T03 Catalog
    ▸ P01 ANALYZING                                                     2/5
      ✓ S01 Read the sources                                                   2.0s
        ✓ T05 Read assets/letter.txt                                           1.0s
      ▸ S02 Compare the sources, 비교하다
        ✓ T06 보고서를 읽다 📈                                                 1.0s
        ⠋ T07 Compare                                    executor: my-agent    2.0s
          half ␛[2Jway
        ⠋ T08 Sum up                                     executor: my-agent    1.0s
        · T09 Check
    · P02 STRATEGIZING
    · P03 REFINING_CONTENT
    Ctrl-C stops here
    ");
    insta::assert_snapshot!(story.shown(200, 50, Kind::Live), @"
    run-20261116-071331-001 at work                                           ━━━━━───────────────  5/8 tasks  18s
    Make a report of what these documents say about the yards, as Markdown and HTML.
    ✓ Preparation                                                                                      3/3    3.0s
      ✓ T00 Environment Setup                                                                                 1.0s
      ✓ T02 Constitution
      ✓ T03 Catalog
    ▸ P01 ANALYZING                                                                                    2/5
      ✓ S01 Read the sources                                                                                  2.0s
        ✓ T05 Read assets/letter.txt                                                                          1.0s
      ▸ S02 Compare the sources, 비교하다
        ✓ T06 보고서를 읽다 📈                                                                                1.0s
        ⠋ T07 Compare                                                                   executor: my-agent    2.0s
          half ␛[2Jway
        ⠋ T08 Sum up                                                                    executor: my-agent    1.0s
        · T09 Check
    · P02 STRATEGIZING
    · P03 REFINING_CONTENT
    Ctrl-C stops here
    ");
}

#[test]
fn with_little_room_what_is_finished_is_folded_first() {
    let story = Story::in_the_middle();
    insta::assert_snapshot!(story.shown(40, 12, Kind::Live), @"
    at work run-20261116-0…  5/8 tasks  18s
    Make a report of what these documents …
    ✓ Preparation               3/3    3.0s
    ▸ P01 ANALYZING             2/5
     ✓ S01 Read the sources     1/1    2.0s
     ▸ S02 Compare the sources, 비…
      ✓ 1 done
      ⠋ T07 Compare                    2.0s
      ⠋ T08 Sum up                     1.0s
      · 1 more to come
    · 2 phases to come
    Ctrl-C stops here
    ");
    insta::assert_snapshot!(story.shown(60, 8, Kind::Live), @"
    at work run-20261116-071331-001              5/8 tasks  18s
    Make a report of what these documents say about the yards,…
    ▸ P01 ANALYZING                                 2/5
     ▸ S02 Compare the sources, 비교하다
      ⠋ T07 Compare                                        2.0s
      ⠋ T08 Sum up                                         1.0s
    ");
    insta::assert_snapshot!(story.shown(30, 4, Kind::Live), @"
    at work run-…  5/8 tasks  18s
    ⠋ T07                    2.0s
    ⠋ T08                    1.0s
    ");
    insta::assert_snapshot!(story.shown(80, 1, Kind::Live), @"run-20261116-071331-001 at work            ━━━━━───────────────  5/8 tasks  18s");
}

/// Whatever the size, every line fits and who is at work is shown before anything else below the head.
#[test]
fn every_size_is_kept() {
    let mut story = Story::in_the_middle();
    for columns in (1..140).step_by(3) {
        for lines in 1..30 {
            for kind in [Kind::Live, Kind::Last] {
                drop(story.shown(columns, lines, kind));
            }
        }
    }
    let names: Vec<String> = (10..3000).map(|number| format!("T{number}")).collect();
    let rows: Vec<(&str, &str)> = names.iter().map(|id| (id.as_str(), "one of many")).collect();
    story.plan("stage:S02", &rows);
    for id in names.iter().take(30) {
        story.assign(Some(id), id);
    }
    let shown = story.shown(80, 24, Kind::Live);
    assert!(shown.contains(" more at work"), "{shown}");
}

#[test]
fn the_last_frame_is_a_summary() {
    let mut story = Story::in_the_middle();
    story.done("T07").done("T08").done("T09").done("S02").done("P01").done("P02").done("P03");
    story.tell(&Notice::Finished { run: RUN.into() });
    insta::assert_snapshot!(story.shown(80, 24, Kind::Last), @"
    run-20261116-071331-001 done               ━━━━━━━━━━━━━━━━━━━━  8/8 tasks  26s
    Make a report of what these documents say about the yards, as Markdown and HTM…
    ✓ Preparation                                                       3/3    3.0s
    ✓ P01 ANALYZING                                                     5/5     16s
    ✓ P02 STRATEGIZING
    ✓ P03 REFINING_CONTENT
    ");
}

#[test]
fn a_failure_shows_its_place_and_reason() {
    let mut story = Story::in_the_middle();
    let items = ["T07", "S02", "P01"].map(String::from).to_vec();
    let (doing, error) = ("T07".into(), "the disk is full\nand more".into());
    story.tell(&Notice::Failed { run: RUN.into(), items, doing, error });
    insta::assert_snapshot!(story.shown(80, 24, Kind::Last), @"
    run-20261116-071331-001 failed                                   5/8 tasks  19s
    Make a report of what these documents say about the yards, as Markdown and HTM…
    ✓ Preparation                                                       3/3    3.0s
    ✗ P01 ANALYZING                                                     2/5
      ✓ S01 Read the sources                                                   2.0s
        ✓ T05 Read assets/letter.txt                                           1.0s
      ✗ S02 Compare the sources, 비교하다
        ✓ T06 보고서를 읽다 📈                                                 1.0s
        ✗ T07 Compare
        · T08 Sum up
        · T09 Check
    · P02 STRATEGIZING
    · P03 REFINING_CONTENT
    T07: the disk is full
    ");
}

#[test]
fn somebody_who_wants_to_stop_is_told_what_happens() {
    let mut story = Story::in_the_middle();
    story.model.interrupted = 1;
    assert!(story.shown(80, 24, Kind::Live).ends_with("Ctrl-C again ends them at once"));
}

#[test]
fn several_runs_have_a_line_each() {
    let mut story = Story::in_the_middle();
    for number in 2..9 {
        story.model.runs.push(RunModel::new(&format!("run-20261116-071331-00{number}"), 0));
    }
    insta::assert_snapshot!(story.shown(80, 10, Kind::Live), @"
    run-20261116-071331-001 at work            ━━━━━───────────────  5/8 tasks  18s
    run-20261116-071331-002 at work                       ────────────────────  18s
    run-20261116-071331-003 at work                       ────────────────────  18s
    run-20261116-071331-004 at work                       ────────────────────  18s
    run-20261116-071331-005 at work                       ────────────────────  18s
    run-20261116-071331-006 at work                       ────────────────────  18s
    run-20261116-071331-007 at work                       ────────────────────  18s
    run-20261116-071331-008 at work                       ────────────────────  18s
    0 of 8 runs over
    Ctrl-C stops here
    ");
}

#[test]
fn without_unicode_the_signs_are_plain() {
    let story = Story::in_the_middle();
    let look = Look { signs: Signs::Ascii, leaving: "Ctrl-C stops here" };
    let lines = frame(&story.model, Size { columns: 80, lines: 24 }, story.now, look, Kind::Live);
    let plain = anstream::adapter::strip_str(&lines.join("\n")).to_string();
    assert!(plain.contains("+ Preparation") && plain.contains("> P01") && plain.contains(". P02"), "{plain}");
}

#[test]
fn times_are_short() {
    for (milliseconds, expected) in
        [(0, "0.0s"), (9_999, "9.9s"), (10_000, "10s"), (65_000, "1:05"), (3_723_000, "1:02:03"), (90_000_000, "1d 1h")]
    {
        assert_eq!(duration(milliseconds), expected);
    }
    assert_eq!(moment_in_id("run-19700102-000001-001"), Some(86_401_000));
    assert_eq!(moment_in_id("run-harbour-19700102-000001"), Some(86_401_000));
    assert_eq!(moment_in_id("run_20250726_intro_gen"), None);
}

/// Whoever resumes a run is told how long ago it began, and how much of that was here.
#[test]
fn a_resumed_run_says_its_whole_time() {
    let mut story = Story::in_the_middle();
    let first = moment_in_id(RUN).unwrap();
    let whole = "2:00:05 since the run began, 5.0s of it in this process";
    story.model.runs[0].began = first + 2 * 3_600_000;
    story.now = first + 2 * 3_600_000 + 5_000;
    for columns in [60, 80, 200] {
        let shown = story.shown(columns, 30, Kind::Last);
        assert!(shown.contains(whole), "{shown}");
        assert!(!story.shown(columns, 30, Kind::Live).contains("since the run began"));
    }
    story.model.runs[0].began = first + 900;
    assert!(!story.shown(80, 30, Kind::Last).contains("since the run began"), "it began here");
}

/// A roadmap of three groups with ten items each: three are done, four are at work.
fn roadmap() -> Story {
    let groups = (1..=3).flat_map(|group| {
        let view = move |id: String, level, depth, name: String, status| ItemView {
            id,
            level,
            depth,
            name,
            status,
            running: false,
            output: String::new(),
        };
        let head = view(format!("key-of-{group}"), "group", 0, format!("Quay {group}"), "PENDING");
        let items = (1..=10).map(move |number| {
            let status = if group == 1 && number <= 3 { "COMPLETED" } else { "PENDING" };
            view(format!("{group}.{number}"), "item", 1, "Write down what is moored there".into(), status)
        });
        std::iter::once(head).chain(items)
    });
    let attempt = |fence: u64| AttemptView {
        fence,
        role: "executor".into(),
        what: format!("1.{fence}. Write down what is moored there"),
        item: Some(format!("1.{fence}")),
        attempt: 1,
        holder: format!("process {fence}"),
        agent: "command:./my-agent".into(),
        since: String::new(),
    };
    let view = RunView {
        run: RUN.into(),
        request: "harbour".into(),
        protocol: Some("roadmap"),
        status: "PENDING",
        driver: Some("7.a".into()),
        done: 3,
        planned: 30,
        items: groups.collect(),
        attempts: (4..=7).map(attempt).collect(),
        details: Some(serde_json::json!({"members": [{"pid": "5", "name": "ann"}]})),
        ..RunView::default()
    };
    let mut story = Story::new();
    story.model.seed(&view, 0);
    story
}

/// A roadmap in a live view: groups by their titles, items by number, who is at work; what is done is counted whole.
#[test]
fn a_roadmap_shows_who_is_at_work_on_what() {
    let story = roadmap();
    let wide = story.shown(200, 50, Kind::Live);
    let rows: Vec<&str> = wide.lines().map(str::trim_end).collect();
    assert!(
        rows[1].starts_with(&format!("{RUN} at work")) && rows[1].ends_with("━━──────────────────  3/30 tasks  0.0s"),
        "{wide}"
    );
    assert_eq!(rows[2], "harbour");
    assert!(rows[3].starts_with("▸ Quay 1") && rows[3].ends_with("3/10"), "{wide}");
    assert_eq!(rows[4], "  ✓ 1.1 Write down what is moored there");
    assert!(
        rows[7].starts_with("  ⠋ 1.4 Write down what is moored there") && rows[7].contains("executor: my-agent"),
        "{wide}"
    );
    assert_eq!(rows.len(), 3 + 33 + 1, "all of it, and what Ctrl-C does: {wide}");
    assert!(rows[8].contains("ann: my-agent"), "by the name that it was given: {wide}");
    let small = story.shown(80, 24, Kind::Live);
    for number in 4..=7 {
        assert!(small.contains(&format!("⠋ 1.{number} Write down")), "{small}");
    }
    assert!(small.contains("✓ 3 done") && small.contains("more to come") && !small.contains("phases"), "{small}");
}

/// What others complete is counted once, whoever tells it first.
#[test]
fn a_roadmap_counts_what_is_done() {
    let mut story = roadmap();
    story.done("1.4").done("1.4").done("1.5");
    assert!(story.shown(80, 24, Kind::Live).contains("5/30 tasks"));
}
