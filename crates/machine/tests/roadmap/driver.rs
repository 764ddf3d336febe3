//! A session in memory, with any number of openings: it goes on by decisions, and is replayed from its facts.

use std::collections::BTreeSet;

use machine::roadmap::{
    Attempt, Beginning, ChangeItem, Decision, Editor, Effect, Entry, Fact, Ground, Group, Input, Item, Limits, NewItem,
    Outcome, Part, PlanChanges, ReadItem, ReadQuestion, Reading, Session, Status, TaskReading, Told, Verdict, Why,
    Work, World, apply, decide, start,
};
use machine::{Cast, Refusal};

pub(crate) const RUN: &str = "run-20261117-031500-001";
pub(crate) const GOAL: &str = "goal-1";

pub(crate) struct Universe {
    pub(crate) session: Option<Session>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) limits: Limits,
    pub(crate) me: String,
    pub(crate) alive: BTreeSet<String>,
    pub(crate) stopped: BTreeSet<String>,
    pub(crate) people: BTreeSet<Part>,
    /// How many attempts an opening may have at once.
    pub(crate) hands: usize,
    pub(crate) now: String,
    pub(crate) cast: Cast,
}

fn uuid(opening: &str, fence: u64) -> String {
    format!("{opening}-{fence:04}")
}

impl Universe {
    pub(crate) fn new() -> Self {
        Self {
            session: None,
            facts: Vec::new(),
            effects: Vec::new(),
            limits: Limits::default(),
            me: "p1".into(),
            alive: ["p1", "p2", "p3"].map(String::from).into(),
            stopped: BTreeSet::new(),
            people: BTreeSet::new(),
            hands: 1,
            now: "2026-11-17T03:15:00Z".into(),
            cast: Cast::default(),
        }
    }

    /// A session with these items, planned for its goal, and one hand.
    pub(crate) fn with(items: Vec<ReadItem>) -> Self {
        let mut universe = Self::new();
        universe.start(&beginning(items));
        universe
    }

    /// The same with no hand free, so that nothing is taken.
    pub(crate) fn idle(items: Vec<ReadItem>) -> Self {
        let mut universe = Self::new();
        universe.hands = 0;
        universe.start(&beginning(items));
        universe.hands = 1;
        universe
    }

    pub(crate) fn start(&mut self, beginning: &Beginning) {
        let decision = self.try_start(beginning).expect("a session begins");
        self.take(decision);
    }

    pub(crate) fn try_start(&self, beginning: &Beginning) -> Result<Decision, Refusal> {
        start(RUN, beginning, &self.world(0), &self.limits)
    }

    fn world(&self, held: usize) -> World<'_> {
        World {
            now: &self.now,
            me: &self.me,
            cast: &self.cast,
            alive: &self.alive,
            stopped: &self.stopped,
            free: self.hands.saturating_sub(held),
            people: &self.people,
            uuid,
        }
    }

    /// How many hands of this opening are at work, that of whoever reports not counted; what code does takes none.
    fn held(&self, input: &Input) -> usize {
        let reported = if let Input::Report { fence, .. } = input { Some(*fence) } else { None };
        let all = self.session.iter().flat_map(|session| session.attempts.iter());
        let mine = all.filter(|(fence, one)| one.opening == self.me && Some(**fence) != reported);
        mine.filter(|(_, one)| one.work.part().is_some()).count()
    }

    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().expect("a session")
    }

    pub(crate) fn try_decide(&self, input: &Input) -> Result<Decision, Refusal> {
        decide(self.session.as_ref(), RUN, input, &self.world(self.held(input)), &self.limits)
    }

    /// Decides, takes the facts in, and gives those of this step.
    pub(crate) fn must(&mut self, input: &Input) -> Vec<Fact> {
        let decision = self.try_decide(input).unwrap_or_else(|refusal| panic!("{input:?} is refused: {refusal}"));
        let facts = decision.facts.clone();
        self.take(decision);
        facts
    }

    pub(crate) fn refused(&self, input: &Input) -> String {
        match self.try_decide(input) {
            Err(refusal) => refusal.to_string(),
            Ok(decision) => panic!("{input:?} is not refused: {:?}", decision.facts),
        }
    }

    pub(crate) fn take(&mut self, decision: Decision) {
        for fact in &decision.facts {
            apply(&mut self.session, RUN, fact);
        }
        assert_eq!(self.session.as_ref(), Some(&decision.session), "a decision gives the session that follows");
        self.facts.extend(decision.facts);
        self.effects.extend(decision.effects);
    }

    /// The same from its facts alone, as the journal keeps them.
    pub(crate) fn replayed(&self) -> Option<Session> {
        let mut session = None;
        for fact in &self.facts {
            let kept = serde_json::to_string(fact).expect("a fact can be written");
            let fact: Fact = serde_json::from_str(&kept).expect("and read");
            apply(&mut session, RUN, &fact);
        }
        session
    }

    /// The same as a checkpoint keeps it.
    pub(crate) fn restored(&self) -> Session {
        let kept = serde_json::to_string(self.session()).expect("a session can be written");
        serde_json::from_str(&kept).expect("and read")
    }

    pub(crate) fn wake(&mut self) -> Vec<Fact> {
        self.must(&Input::Wake)
    }

    /// Another opening speaks from here on.
    pub(crate) fn at(&mut self, opening: &str) -> &mut Self {
        self.me = opening.into();
        self
    }

    pub(crate) fn join(&mut self, opening: &str) -> Vec<Fact> {
        self.at(opening).must(&Input::Join { name: format!("runner-{opening}") })
    }

    /// The newest attempt of this opening.
    pub(crate) fn attempt(&self) -> Attempt {
        let mine = self.session().attempts.iter().filter(|(_, one)| one.opening == self.me);
        mine.last().map(|(_, one)| one.clone()).unwrap_or_else(|| panic!("{} is at work", self.me))
    }

    pub(crate) fn works(&self) -> Vec<Work> {
        self.session().attempts.iter().map(|(_, attempt)| attempt.work.clone()).collect()
    }

    pub(crate) fn report(&mut self, outcome: Outcome) -> Vec<Fact> {
        let fence = self.attempt().fence;
        self.must(&Input::Report { fence, outcome })
    }

    pub(crate) fn item(&self, key: &str) -> Item {
        self.session().pool.item(key).unwrap_or_else(|| panic!("there is an item {key}")).clone()
    }

    pub(crate) fn status(&self, key: &str) -> Status {
        self.item(key).status
    }

    pub(crate) fn statuses(&self) -> String {
        let all = self.session().pool.items().map(|item| format!("{} {}", item.key, item.status));
        all.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.facts
            .iter()
            .filter_map(|fact| if let Fact::Logged(entry) = fact { Some(entry.clone()) } else { None })
            .collect()
    }

    pub(crate) fn last_entry(&self) -> Entry {
        self.entries().pop().expect("an entry")
    }

    pub(crate) fn waits(&self, key: &str) -> String {
        let waits = self.session().waits_for(key, &self.limits);
        waits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        let told = self
            .effects
            .iter()
            .filter_map(|effect| if let Effect::Tell(told) = effect { Some(told.clone()) } else { None });
        told.collect()
    }

    /// The log as it would read.
    pub(crate) fn reading(&self) -> Reading {
        let items = self.session().pool.items().map(|item| ReadItem {
            key: item.key.clone(),
            number: item.number.clone(),
            title: item.title.clone(),
            group: item.group.clone(),
            depends_on: item.depends_on.clone(),
            claims: item.claims.clone(),
            status: Some(item.status),
            executor: item.executor.clone(),
            last: item.last.clone(),
        });
        let groups: Vec<Group> = self.session().pool.groups().cloned().collect();
        Reading { groups, items: items.collect(), log_number: self.session().log_number, entries: vec![] }
    }

    /// A person saves the log after this change.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Reading)) -> Vec<Fact> {
        let mut reading = self.reading();
        change(&mut reading);
        self.must(&Input::Edited { reading, by: Editor::Person })
    }

    pub(crate) fn task(&self) -> TaskReading {
        let questions = self.session().questions.iter().map(|(id, question)| ReadQuestion {
            id: id.clone(),
            question: question.question.clone(),
            answer: question.answer.clone(),
        });
        TaskReading { goal: self.session().goal.clone(), questions: questions.collect() }
    }
}

pub(crate) fn read(key: &str) -> ReadItem {
    ReadItem {
        key: key.into(),
        number: key.into(),
        title: format!("do {key}"),
        status: Some(Status::Pending),
        ..ReadItem::default()
    }
}

pub(crate) fn with_status(key: &str, status: Status) -> ReadItem {
    ReadItem { status: Some(status), ..read(key) }
}

pub(crate) fn after(key: &str, depends_on: &[&str]) -> ReadItem {
    ReadItem { depends_on: depends_on.iter().map(|on| (*on).to_string()).collect(), ..read(key) }
}

pub(crate) fn claiming(key: &str, claims: &[&str]) -> ReadItem {
    ReadItem { claims: claims.iter().map(|claim| (*claim).to_string()).collect(), ..read(key) }
}

pub(crate) fn group(key: &str, parent: Option<&str>) -> Group {
    Group { key: key.into(), title: format!("group {key}"), parent: parent.map(String::from) }
}

pub(crate) fn beginning(items: Vec<ReadItem>) -> Beginning {
    Beginning {
        name: "demo".into(),
        task_file: ".jixo/demo.task.md".into(),
        log_file: ".jixo/demo.log.md".into(),
        dirs: vec![],
        ground: Ground::Files,
        quota: 50,
        period: None,
        period_key: String::new(),
        task: TaskReading { goal: GOAL.into(), questions: vec![] },
        asked: vec![],
        log: Reading { items, ..Reading::default() },
        planned: GOAL.into(),
        definition: String::new(),
        executor: "runner-p1".into(),
    }
}

pub(crate) fn done() -> Outcome {
    Outcome::Done { summary: "it is done".into(), commit: None, files: vec![] }
}

pub(crate) fn committed(commit: &str) -> Outcome {
    Outcome::Done { summary: "it is done".into(), commit: Some(commit.into()), files: vec!["a.rs".into()] }
}

pub(crate) fn failed() -> Outcome {
    Outcome::Failed { summary: "it does not compile".into() }
}

pub(crate) fn paused() -> Outcome {
    Outcome::Pending { summary: "half of it".into(), is_blocker: false, partial: Some("kept/1".into()) }
}

pub(crate) fn blocked() -> Outcome {
    Outcome::Pending { summary: "the service is down".into(), is_blocker: true, partial: None }
}

pub(crate) fn planned(changes: PlanChanges) -> Outcome {
    Outcome::Planned { changes, summary: "planned".into() }
}

pub(crate) fn add(number: &str, depends_on: &[&str]) -> NewItem {
    NewItem {
        number: (!number.is_empty()).then(|| number.into()),
        title: format!("new {number}"),
        depends_on: depends_on.iter().map(|on| (*on).to_string()).collect(),
        ..NewItem::default()
    }
}

pub(crate) fn adds(items: &[NewItem]) -> PlanChanges {
    PlanChanges { add: items.to_vec(), ..PlanChanges::default() }
}

pub(crate) fn change(key: &str) -> ChangeItem {
    ChangeItem { item: key.into(), ..ChangeItem::default() }
}

pub(crate) fn misaligned() -> Work {
    Work::Plan(Why::Misaligned)
}

pub(crate) fn work(key: &str) -> Work {
    Work::Do(key.into())
}

pub(crate) fn is_entry(entry: &Entry, role: Part, result: Verdict, objective: &str) {
    assert_eq!((entry.role, entry.result), (role, result), "{entry:?}");
    assert_eq!(entry.objective, objective, "{entry:?}");
    assert!(!entry.summary.is_empty() && !entry.executor_name.is_empty() && !entry.at.is_empty(), "{entry:?}");
}
