//! How an attempt ends: what its outcome makes true, and where the cycle goes. One arm for each kind of work and outcome.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::acted::{overstepped, unproven};
use super::decide::Step;
use super::digest::cut;
use super::fact::Fact;
use super::input::{Deed, Effect, Findings, Outcome, Plan, Said, Told};
use super::route::{LEAST_CONFIDENCE, Reason, Route, Routed, route};
use super::state::{Asks, Attempt, Ending, Ground, Place, Rest, Stage, Upfront, Work};
use super::turn::{Check, Turn};
use super::words::{Party, Standing, Word, field};
use crate::moment::later;

/// Of what a check printed, so much stands in the record, in bytes.
const PRINTED_BYTES: usize = 120;

impl Step<'_> {
    /// The table of work and outcome.
    pub(super) fn settle(&mut self, attempt: &Attempt, outcome: &Outcome) {
        let fence = attempt.fence;
        match (attempt.work, outcome) {
            (_, Outcome::Lost(reason)) => self.lose(attempt, reason),
            (_, Outcome::Failed(error)) => self.falter(attempt, error),
            (_, Outcome::Broken(problems)) => self.send_back(attempt, problems.clone()),
            (_, Outcome::Paused(reason)) => {
                self.fact(Fact::Lost { fence, reason: format!("the agent asked for a pause: {reason}") });
                self.hold(reason.clone());
            }
            (_, Outcome::Later { seconds, reason }) => self.put_off(attempt, *seconds, reason),
            (Work::Checkpoint, Outcome::Checkpointed { branch, base, commit }) => {
                let (branch, base, commit) = (branch.clone(), base.clone(), commit.clone());
                self.fact(Fact::Checkpointed { fence, branch, base, commit });
                let is_outline = self.cycle.upfront == Upfront::Asked;
                self.go(Place::Due(if is_outline { Work::Outline } else { Work::Plan(Stage::Loop) }));
            }
            (Work::Outline | Work::Plan(_), Outcome::Planned { said, plan }) => self.planned(attempt, said, plan),
            (Work::Outline | Work::Plan(_), Outcome::Clarify { said, question }) => {
                self.clarify(attempt, said, question);
            }
            (Work::Act(stage), Outcome::Succeeded { said, deed, measured }) => {
                let mut problems = self.wrong_with(said);
                problems.extend(overstepped(&self.cycle, stage, measured, self.limits));
                if !problems.is_empty() {
                    return self.send_back(attempt, problems);
                }
                self.fact(Fact::Changed { measured: measured.clone() });
                self.take_turn(attempt, Word::Success, said, deed_fields(deed), None, vec![]);
            }
            (Work::Act(_), Outcome::Blocked { said }) => match self.wrong_with(said) {
                problems if problems.is_empty() => {
                    self.take_turn(attempt, Word::Fail, said, vec![], None, vec![]);
                }
                problems => self.send_back(attempt, problems),
            },
            (Work::Check(stage), Outcome::Checked { commit, checks }) => {
                self.fact(Fact::Checked { fence, commit: commit.clone(), checks: checks.clone() });
                self.go(Place::Due(Work::Judge(stage)));
            }
            (Work::Judge(_), Outcome::Judged { said, word, standing, findings }) => {
                self.judged(attempt, said, *word, *standing, findings);
            }
            (Work::Offer, Outcome::Offered { number, said }) => self.offered(attempt, *number, said),
            (Work::Merge, Outcome::Merged { commit, note }) => self.merged(attempt, commit, note),
            (Work::Merge, Outcome::Conflicted { files }) => {
                self.fact(Fact::Conflicted { fence, files: files.clone() });
                let question = format!(
                    "the merge conflicts in {}: nothing was changed; resolve it on the branch and answer, or ask for a revision",
                    files.join(", ")
                );
                self.ask(Asks::Conflict, question, Work::Merge);
            }
            (Work::Delete, Outcome::Deleted) => {
                self.fact(Fact::Deleted { fence });
                self.go(Place::Due(Work::Archive(Ending::Complete)));
            }
            (Work::Archive(ending), Outcome::Archived { path }) => self.archived(attempt, ending, path),
            (work, _) => {
                let problem = format!("`{}` was asked for, and something else came", work.action());
                self.send_back(attempt, vec![problem]);
            }
        }
    }

    /// The attempt is made again; after the last time a person is to look at it.
    pub(super) fn lose(&mut self, attempt: &Attempt, reason: &str) {
        self.fact(Fact::Lost { fence: attempt.fence, reason: reason.into() });
        if self.cycle.tries.lost > self.limits.lost {
            self.hold(format!("`{}` was lost {} times: {reason}", attempt.work.action(), self.cycle.tries.lost));
        }
    }

    fn hold(&mut self, reason: String) {
        if self.cycle.paused.is_none() {
            self.fact(Fact::Paused { reason });
            self.effect(Effect::Tell(Told::Paused));
        }
    }

    /// An Actor that fails is blocked: the Planner thinks again. A Planner or Judge is tried again, and then the cycle
    /// fails. What code does waits for whoever mends what stands in its way.
    fn falter(&mut self, attempt: &Attempt, error: &str) {
        let error = if error.trim().is_empty() { "it failed without a word" } else { error.trim() };
        self.fact(Fact::Faltered { fence: attempt.fence, error: error.into() });
        match attempt.work {
            Work::Act(_) => self.blocked_by(attempt, error),
            Work::Outline | Work::Plan(_) | Work::Judge(_) => {
                if self.cycle.tries.failed > self.limits.failed {
                    self.collapse();
                }
            }
            Work::Offer => self.offered(attempt, None, error),
            Work::Checkpoint | Work::Check(_) | Work::Merge | Work::Delete | Work::Archive(_) => {
                self.hold(format!("`{}` did not succeed: {error}", attempt.work.action()));
            }
        }
    }

    /// A FAIL that code writes for an Actor that could not.
    fn blocked_by(&mut self, attempt: &Attempt, error: &str) {
        let said = Said {
            summary: error.into(),
            confidence: 10,
            context: "written by the engine: the Actor did not come to an end that counts".into(),
            ..Said::default()
        };
        self.take_turn(attempt, Word::Fail, &said, vec![], None, vec![]);
    }

    /// The report goes back with its problems; after the last time it counts as a failure of its kind.
    fn send_back(&mut self, attempt: &Attempt, mut problems: Vec<String>) {
        if problems.is_empty() {
            problems.push("the report breaks the contract".into());
        }
        let error = problems.join("\n");
        self.fact(Fact::SentBack { fence: attempt.fence, problems });
        if self.cycle.tries.sent_back <= self.limits.sent_back {
            return;
        }
        match attempt.work {
            Work::Act(_) => self.blocked_by(attempt, &error),
            Work::Judge(stage) => {
                let question =
                    format!("the Judge cannot be followed: {error}; APPROVED runs the checks and judges again");
                self.escalate(Party::Judge, question, Work::Check(stage));
            }
            Work::Outline | Work::Plan(_) => self.collapse(),
            Work::Checkpoint | Work::Check(_) | Work::Offer | Work::Merge | Work::Delete | Work::Archive(_) => {
                self.hold(error);
            }
        }
    }

    fn put_off(&mut self, attempt: &Attempt, seconds: u64, reason: &str) {
        let since = self.world.now.to_string();
        let until = later(&since, seconds.clamp(1, self.limits.rest_seconds.max(1)));
        let reason = if reason.trim().is_empty() { "it gave no reason" } else { reason };
        let rest = Rest { since, until, reason: reason.into() };
        self.fact(Fact::Rested { fence: attempt.fence, rest });
        let rests = self.cycle.tries.rests;
        if rests > self.limits.rests {
            self.hold(format!("`{}` was put off {rests} times, the last time: {reason}", attempt.work.action()));
        }
    }

    /// What is wrong with what every report says.
    fn wrong_with(&self, said: &Said) -> Vec<String> {
        let mut problems = Vec::new();
        if said.confidence > 10 {
            problems.push(format!("confidence {} is not from 0 to 10", said.confidence));
        }
        if said.summary.trim().is_empty() {
            problems.push("the summary is empty: say in one line what happened".into());
        }
        let most = self.limits.field_bytes;
        let named = said.more.iter().map(|(name, value)| (name.as_str(), value));
        for (name, value) in named.chain([("summary", &said.summary), ("context", &said.context)]) {
            if value.len() > most {
                problems.push(format!("{name} has {} bytes, {most} is the most", value.len()));
            }
        }
        if said.response.len() > self.limits.response_bytes {
            let most = self.limits.response_bytes;
            problems.push(format!("the response has {} bytes, {most} is the most", said.response.len()));
        }
        problems
    }

    fn planned(&mut self, attempt: &Attempt, said: &Said, plan: &Plan) {
        let mut problems = self.wrong_with(said);
        if plan.change.trim().is_empty() {
            problems.push("the plan does not say what to change".into());
        }
        if attempt.work == Work::Plan(Stage::Loop) {
            if plan.locations.iter().all(|place| place.trim().is_empty()) {
                problems.push("the plan names no file to work at".into());
            }
            if plan.win_state.trim().is_empty() {
                problems.push("the plan does not say by what it is known that the loop reached its goal".into());
            }
        }
        if !problems.is_empty() {
            return self.send_back(attempt, problems);
        }
        let fields = [
            (field::LOCATIONS, plan.locations.join(", ")),
            (field::CHANGE, plan.change.clone()),
            (field::AVOID, plan.avoid.clone()),
            (field::WIN_STATE, plan.win_state.clone()),
        ];
        self.take_turn(attempt, Word::PlanCreated, said, filled(&fields), None, plan.avoid_paths.clone());
    }

    fn clarify(&mut self, attempt: &Attempt, said: &Said, question: &str) {
        let mut problems = self.wrong_with(said);
        if question.trim().is_empty() {
            problems.push("CLARIFICATION_NEEDED came without a question".into());
        }
        if !problems.is_empty() {
            return self.send_back(attempt, problems);
        }
        let asked = Said { context: question.trim().into(), ..said.clone() };
        self.take_turn(attempt, Word::ClarificationNeeded, &asked, vec![], None, vec![]);
    }

    fn judged(&mut self, attempt: &Attempt, said: &Said, word: Word, standing: Standing, findings: &Findings) {
        let mut problems = self.wrong_with(said);
        match word {
            Word::Pass => problems.extend(unproven(&self.cycle, self.limits)),
            Word::Insufficient => {
                let wanted = [
                    (field::DISCREPANCY, &findings.discrepancy),
                    (field::SOURCE, &findings.main_source),
                    (field::RECOMMENDED, &findings.recommended),
                ];
                let missing = wanted.into_iter().filter(|(_, value)| value.trim().is_empty());
                problems.extend(missing.map(|(name, _)| format!("INSUFFICIENT came without {name}")));
            }
            other => problems.push(format!("a Judge says PASS or INSUFFICIENT, not {other}")),
        }
        if findings.subordinate.trim().is_empty() {
            problems.push(format!("{} is empty", field::SUBORDINATE));
        }
        if !problems.is_empty() {
            return self.send_back(attempt, problems);
        }
        let fields = [
            (field::SUPERORDINATE, standing.name().to_string()),
            (field::SUBORDINATE, findings.subordinate.clone()),
            (field::DISCREPANCY, findings.discrepancy.clone()),
            (field::SOURCE, findings.main_source.clone()),
            (field::RECOMMENDED, findings.recommended.clone()),
            (field::NEXT_STEPS, findings.next_steps.clone()),
        ];
        let mut fields = filled(&fields);
        // What code saw stands beside what the Judge says.
        fields.extend(self.cycle.checks.as_ref().and_then(|(_, checks)| evidence(checks)));
        self.take_turn(attempt, word, said, fields, Some(standing), vec![]);
    }

    /// A turn of an agent enters the record, and the cycle goes where the routing table says.
    fn take_turn(
        &mut self,
        attempt: &Attempt,
        word: Word,
        said: &Said,
        mut fields: Vec<(String, String)>,
        standing: Option<Standing>,
        avoid: Vec<String>,
    ) {
        let party = word.party();
        let wish = (attempt.work == Work::Outline).then_some(Party::Human);
        let confidence = Some(said.confidence);
        let routed = Routed { party, word, confidence, standing, signature: attempt.signature, wish };
        let streak = match word {
            Word::Insufficient => self.cycle.insufficient.saturating_add(1),
            _ => 0,
        };
        let is_streak = streak > 0 && streak >= self.limits.insufficient;
        let route = route(&routed).unwrap_or(Route::Human(Reason::Unsure(said.confidence)));
        let next = if is_streak { Some(Party::Human) } else { route.party() };
        fields.extend(said.more.iter().cloned());
        if party == Party::Judge
            && next == Some(Party::Human)
            && !fields.iter().any(|(name, _)| name == field::NEXT_STEPS)
        {
            fields.push((field::NEXT_STEPS.into(), next_steps(route, is_streak)));
        }
        let turn = Turn {
            signature: attempt.signature,
            party,
            word,
            summary: said.summary.trim().into(),
            confidence,
            next,
            context: said.context.clone(),
            fields,
            standing,
            response: said.response.clone(),
            at: self.world.now.into(),
        };
        // A question is asked in all its words.
        let told = if word == Word::ClarificationNeeded { &turn.context } else { &turn.summary };
        let told = told.clone();
        self.fact(Fact::Turned { fence: Some(attempt.fence), turn, avoid });
        let then = after(attempt.work, word, standing);
        match route {
            _ if is_streak && attempt.work.stage() == Stage::Loop => {
                let question = format!("{streak} times in a row INSUFFICIENT: go on, change the goal, or stop");
                self.ask(Asks::Insufficient, question, Work::Plan(Stage::Loop));
            }
            Route::Human(reason) => self.ask_human((reason, party), word, standing, &told, then),
            Route::To(_) | Route::End => self.go_on(then),
        }
    }

    /// Which gate a reason opens.
    fn ask_human(&mut self, doubt: (Reason, Party), word: Word, standing: Option<Standing>, told: &str, then: Work) {
        let is_closing = then.stage() == Stage::Closing;
        let question = |due: Reason| format!("{}: {told}", in_doubt(&due.to_string(), doubt));
        match (doubt.0, word) {
            (Reason::Plan, _) => self.ask(Asks::Plan, question(Reason::Plan), Work::Plan(Stage::Loop)),
            (Reason::Clarification, _) => self.ask(Asks::Clarification, question(Reason::Clarification), then),
            // Who is not sure that the goal is met asks the same as who is.
            (_, Word::Pass) if then == Work::Merge && self.cycle.ground == Ground::Files => {
                let question = format!("{}: {told}", in_doubt("the end waits for approval", doubt));
                self.ask(Asks::Close, question, Work::Archive(Ending::Complete));
            }
            (_, Word::Pass) if then == Work::Merge && self.limits.offers => self.go(Place::Due(Work::Offer)),
            (_, Word::Pass) if then == Work::Merge => self.ask(Asks::Merge, question(Reason::Merge), Work::Merge),
            (_, Word::Pass) if standing == Some(Standing::Sufficient) && is_closing => {
                self.ask(Asks::Sufficient, question(Reason::Sufficient), then);
            }
            (Reason::Unsure(_), _) => {
                let (reason, party) = doubt;
                self.escalate(party, format!("the {party} is not sure ({reason}): {told}"), then);
            }
            (reason, _) => self.escalate(doubt.1, question(reason), then),
        }
    }

    /// The merge waits for the Human, whatever came of the pull request.
    fn offered(&mut self, attempt: &Attempt, number: Option<u64>, said: &str) {
        let said = cut(said, self.limits.field_bytes).to_string();
        let judged = self.cycle.recent.back().cloned();
        let reason = match judged.as_ref().and_then(|turn| turn.confidence) {
            Some(confidence) if confidence < LEAST_CONFIDENCE => Reason::Unsure(confidence),
            _ => Reason::Merge,
        };
        let due = in_doubt(&Reason::Merge.to_string(), (reason, Party::Judge));
        let summary = judged.map(|turn| turn.summary).unwrap_or_default();
        let request = match number {
            Some(number) => format!("pull request {number}: {said}"),
            None => format!("there is no pull request: {said}"),
        };
        self.fact(Fact::Offered { fence: attempt.fence, number, said });
        self.ask(Asks::Merge, format!("{due}: {summary}; {request}"), Work::Merge);
    }

    fn merged(&mut self, attempt: &Attempt, commit: &str, note: &str) {
        self.fact(Fact::Merged { fence: attempt.fence, commit: commit.into() });
        let summary = format!("merged {} as {commit}", self.cycle.branch);
        self.code_turn(attempt, &summary, note, Some(Party::Human));
        let question =
            format!("{} is merged: may it be deleted? DELETE_APPROVED, or ANSWERED to keep it", self.cycle.branch);
        self.ask(Asks::Delete, question, Work::Delete);
    }

    fn archived(&mut self, attempt: &Attempt, ending: Ending, path: &str) {
        if ending == Ending::Complete {
            self.code_turn(attempt, &format!("complete; the record is {path}"), "", None);
        }
        self.fact(Fact::Archived { fence: attempt.fence, path: path.into() });
        self.go(Place::Over(ending));
    }

    /// A step of the Actor's that code takes.
    fn code_turn(&mut self, attempt: &Attempt, summary: &str, context: &str, next: Option<Party>) {
        let turn = Turn {
            signature: attempt.signature,
            party: Party::Actor,
            word: Word::Success,
            summary: summary.into(),
            confidence: Some(10),
            next,
            context: context.into(),
            fields: vec![],
            standing: None,
            response: String::new(),
            at: self.world.now.into(),
        };
        self.fact(Fact::Turned { fence: None, turn, avoid: vec![] });
    }
}

/// What the Human is asked for, and who is not sure of it.
fn in_doubt(due: &str, (reason, party): (Reason, Party)) -> String {
    match reason {
        Reason::Unsure(_) => format!("{due}, and the {party} is not sure ({reason})"),
        _ => due.to_string(),
    }
}

/// The work that follows a turn when all goes as it should.
fn after(work: Work, word: Word, standing: Option<Standing>) -> Work {
    let stage = work.stage();
    match (word, stage, standing) {
        (Word::PlanCreated, _, _) => Work::Act(stage),
        (Word::Success, _, _) => Work::Check(stage),
        (Word::Pass, Stage::Closing, _) => Work::Merge,
        (Word::Pass, Stage::Loop, Some(Standing::Sufficient)) => Work::Plan(Stage::Closing),
        (Word::ClarificationNeeded, Stage::Closing, _) => Work::Plan(Stage::Closing),
        _ => Work::Plan(Stage::Loop),
    }
}

fn next_steps(route: Route, is_streak: bool) -> String {
    match route {
        _ if is_streak => "continue, change the goal, or stop".into(),
        Route::Human(Reason::Sufficient) => "approve what was reached, or ask for a revision".into(),
        Route::Human(Reason::Merge) => "approve the merge, or ask for a revision".into(),
        Route::Human(_) | Route::To(_) | Route::End => "say how to go on".into(),
    }
}

/// The checks as a field of the Judge's block: how each ended, and the end of what it printed (CY-05).
fn evidence(checks: &[Check]) -> Option<(String, String)> {
    let told = |check: &Check| {
        let last = check.tail.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let last = if last.is_empty() { String::new() } else { format!(" ({})", cut(last, PRINTED_BYTES)) };
        format!("{}: {}{last}", check.name, check.end)
    };
    let told: Vec<String> = checks.iter().map(told).collect();
    (!told.is_empty()).then(|| (field::CHECKS.into(), told.join("; ")))
}

fn deed_fields(deed: &Deed) -> Vec<(String, String)> {
    filled(&[
        (field::WHERE, deed.where_to_look.clone()),
        (field::WHAT, deed.what_changed.clone()),
        (field::WHY, deed.why.clone()),
        (field::TESTING, deed.testing_notes.clone()),
    ])
}

fn filled(fields: &[(&str, String)]) -> Vec<(String, String)> {
    let filled = fields.iter().filter(|(_, value)| !value.trim().is_empty());
    filled.map(|(name, value)| ((*name).to_string(), value.clone())).collect()
}
