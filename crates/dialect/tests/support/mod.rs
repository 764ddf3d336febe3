//! A project in memory: documents by path, runs that go on by facts, and sheets that are kept in step.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says why")]
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;

use dialect::{Edit, Lowered, Protocol, Sheets, Step, Trouble, multiverse};
use machine::{Fact, FileNote, Mode, Planned, Proposal, Run, Target, Timing, Verdict};
use text::Text;

pub(crate) const RUN: &str = "run-20261115-101112-001";

pub(crate) struct Project {
    pub(crate) documents: BTreeMap<String, Text>,
    pub(crate) sheets: Sheets,
    pub(crate) runs: BTreeMap<String, Run>,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::of(&multiverse::PROTOCOL)
    }

    /// A project of any protocol.
    pub(crate) fn of(protocol: &'static Protocol) -> Self {
        let documents = protocol.initial_documents().into_iter().map(|(path, text)| (path.into(), text.into()));
        Self { documents: documents.collect(), sheets: protocol.sheets(), runs: BTreeMap::new() }
    }

    /// A project with one run whose preparation and phases are planned.
    pub(crate) fn prepared() -> Self {
        let mut project = Self::new();
        project.begin(RUN);
        project
    }

    pub(crate) fn begin(&mut self, run: &str) {
        self.step(run, &[started("write a report")]);
        self.step(run, &[planned(Target::Prelude, prelude())]);
        self.step(run, &[completed("T00", &[]), planned(Target::Children(String::new()), phases())]);
    }

    /// The preparation is done and the phases begin.
    pub(crate) fn prepare(&mut self, run: &str) {
        let proposal = Proposal { instructions: vec!["be good".into()], ..Proposal::default() };
        self.step(run, &[Fact::Proposed { fence: 0, proposal }]);
        self.step(run, &[Fact::Answered { verdict: Verdict::Confirm, by: "me".into(), at: "now".into() }]);
        self.step(run, &["T02", "T03", "T04"].map(|id| completed(id, &[])));
    }

    pub(crate) fn run(&self, run: &str) -> &Run {
        &self.runs[run]
    }

    pub(crate) fn text(&self, path: &str) -> String {
        let text = self.documents.get(path).unwrap_or_else(|| panic!("no document {path}"));
        String::from_utf8(text.to_vec()).unwrap()
    }

    /// The rows of a document, without header and prose.
    pub(crate) fn rows(&self, path: &str) -> Vec<String> {
        let text = self.text(path);
        text.lines().filter(|line| line.starts_with('|')).skip(2).map(str::to_owned).collect()
    }

    /// The first cells of a document's rows.
    pub(crate) fn keys(&self, path: &str) -> Vec<String> {
        self.rows(path).iter().map(|row| row.split('|').nth(1).unwrap_or_default().trim().to_owned()).collect()
    }

    pub(crate) fn edit(&mut self, path: &str, text: impl Into<Text>) {
        self.documents.insert(path.into(), text.into());
        self.sheets.forget(path);
    }

    pub(crate) fn replace(&mut self, path: &str, from: &str, to: &str) {
        let text = self.text(path);
        assert!(text.contains(from), "{path} has no {from:?}:\n{text}");
        self.edit(path, text.replacen(from, to, 1));
    }

    pub(crate) fn step(&mut self, run: &str, facts: &[Fact]) -> Lowered {
        self.try_step(run, facts).unwrap_or_else(|trouble| panic!("{trouble}"))
    }

    pub(crate) fn try_step(&mut self, run: &str, facts: &[Fact]) -> Result<Lowered, Trouble> {
        let mut after = self.runs.get(run).cloned();
        let hierarchy = self.sheets.protocol().hierarchy;
        let before = after.as_ref().map(|run| dialect::Before::of(run, hierarchy, facts));
        for fact in facts {
            machine::apply(hierarchy, &mut after, run, fact);
        }
        let after = after.expect("a run");
        let documents = &self.documents;
        let read = |path: &str| documents.get(path).cloned();
        let step = Step { before: before.as_ref(), after: &after, facts };
        let lowered = dialect::lower(&mut self.sheets, &read, &step)?;
        self.take(&lowered);
        self.runs.insert(run.into(), after);
        Ok(lowered)
    }

    /// Commits what was lowered.
    pub(crate) fn take(&mut self, lowered: &Lowered) {
        for (path, edit) in &lowered.edits {
            let text = match edit {
                Edit::Change(revision) => {
                    let after = revision.change.apply(&self.documents[path]).expect("a change that fits");
                    assert_eq!(after, revision.after, "what was made of {path}");
                    after
                }
                Edit::Create(text) => {
                    assert!(!self.documents.contains_key(path), "{path} is there already");
                    text.as_str().into()
                }
                Edit::Write(text) => text.as_str().into(),
            };
            self.documents.insert(path.clone(), text);
        }
        self.sheets.accept(lowered);
    }

    /// Whether what is held is what the documents are.
    pub(crate) fn check_in_step(&mut self) {
        let protocol = self.sheets.protocol();
        let documents = self.documents.iter().filter(|(path, _)| protocol.layout_of(path).is_some());
        for (path, text) in documents {
            let Ok(sheet) = self.sheets.sheet(path, text) else { continue };
            assert_eq!(sheet.document().text(), text, "{path}");
            let rows = first_cells(text);
            let mut first = std::collections::HashMap::new();
            for (row, key) in rows.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
                let first = *first.entry(key).or_insert(row);
                assert_eq!(sheet.find(key), Some(first), "{path}: {key} at {row}");
            }
        }
    }
}

fn first_cells(text: &Text) -> Vec<String> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| syntax::markdown::cells::decode(row.split('|').nth(1).unwrap_or_default())).collect()
}

pub(crate) fn started(request: &str) -> Fact {
    let (protocol, request) = ("multiverse".to_owned(), request.to_owned());
    Fact::Started {
        protocol,
        request,
        mode: Mode::InitialRun,
        retry_of: None,
        definition: String::new(),
        at: String::new(),
    }
}

pub(crate) fn planned(target: Target, rows: Vec<Planned>) -> Fact {
    Fact::Planned { fence: 0, target, rows }
}

pub(crate) fn completed(item: &str, files: &[(&str, &str)]) -> Fact {
    Fact::Completed { item: item.into(), files: files.iter().map(|(path, summary)| note(path, summary)).collect() }
}

pub(crate) fn note(path: &str, summary: &str) -> FileNote {
    FileNote { path: path.into(), asset_type: "ANALYSIS_REPORT".into(), summary: summary.into(), ..FileNote::default() }
}

pub(crate) fn row(id: &str, order: u32, name: &str) -> Planned {
    Planned {
        id: Some(id.into()),
        name: name.into(),
        purpose: format!("what {name} is for"),
        order: Some(order),
        ..Planned::default()
    }
}

pub(crate) fn task(id: &str, order: u32) -> Planned {
    Planned {
        inputs: vec!["assets/a.md".into()],
        output: format!("runs/{RUN}/workspace/ANALYZING/{id}.md"),
        ..row(id, order, &format!("task {id}"))
    }
}

pub(crate) fn tool(id: &str, order: u32, timing: Timing) -> Planned {
    Planned {
        tool: "WebSearch".into(),
        timing: Some(timing),
        output: format!("runs/{RUN}/workspace/ANALYZING/{id}.md"),
        ..row(id, order, &format!("tool {id}"))
    }
}

pub(crate) fn prelude() -> Vec<Planned> {
    (1..).zip(["T00", "T02", "T03", "T04"]).map(|(order, id)| row(id, order, id)).collect()
}

pub(crate) fn phases() -> Vec<Planned> {
    let text = multiverse::PROTOCOL.initial_documents().into_iter().find(|(path, _)| *path == multiverse::TEMPLATE);
    multiverse::PROTOCOL.check_template(&text.expect("a template").1.into()).expect("an unchanged template")
}

/// A small generator of chance that gives the same every time.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}
