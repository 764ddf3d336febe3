//! What the Human may say to each gate, and what follows. Words are asked for where words count; what cannot be taken
//! back is approved by its own word, written out.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::decide::{NOBODY_ANSWERED, Step, not_now};
use super::fact::Fact;
use super::input::Verdict;
use super::state::{Asks, Ending, Gate, Ground, Place, Stage, Work};
use super::words::{Party, Word};
use crate::input::Refusal;

/// The words that a gate takes, the usual one first.
pub fn valid_words(asks: Asks) -> &'static [Word] {
    use Word::{Answered, Approved, DeleteApproved, MergeApproved, RevisionRequested, Stopped};
    match asks {
        Asks::Plan | Asks::Sufficient | Asks::Close => &[Approved, RevisionRequested, Stopped],
        Asks::Clarification => &[Answered, Stopped],
        Asks::Escalation(_) | Asks::Insufficient => &[Approved, Answered, RevisionRequested, Stopped],
        Asks::LoopLimit | Asks::TimeLimit => &[Approved, Stopped],
        Asks::Merge => &[MergeApproved, RevisionRequested, Stopped],
        Asks::Conflict => &[Answered, RevisionRequested, Stopped],
        Asks::Delete => &[DeleteApproved, Answered, Stopped],
    }
}

/// The loop that words want to go back to, to what stood before it: `back to loop 3, …`.
pub fn back_to(words: &str) -> Option<u32> {
    const WORDS: &str = "back to loop ";
    let begins = words.get(..WORDS.len())?.eq_ignore_ascii_case(WORDS);
    let rest = words.get(WORDS.len()..).filter(|_| begins)?;
    let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    rest.get(..digits)?.parse().ok()
}

/// The words that a gate takes, for messages.
pub fn options(asks: Asks) -> String {
    let names: Vec<&str> = valid_words(asks).iter().map(|word| word.name()).collect();
    names.join(", ")
}

/// An answer as a person types it: the word first, then words of their own. Where a question was asked, an answer that
/// begins with no such word is the answer. A merge and a deletion want their word exactly as it is written.
pub fn read_answer(asks: Asks, text: &str) -> Result<Verdict, Refusal> {
    let text = text.trim();
    let end = text.find(|mark: char| !(mark.is_alphanumeric() || mark == '_' || mark == '-')).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    let rest = rest.trim_start_matches([':', ',', '.', ';']).trim();
    let spelled = first.replace('-', "_").to_uppercase();
    let word = Word::ALL.into_iter().find(|word| word.name() == spelled && word.party() == Party::Human);
    match word {
        Some(word @ (Word::MergeApproved | Word::DeleteApproved)) if first != word.name() => {
            Err(Refusal::new(format!("`{first}` is not `{word}`"), format!("write {word}, exactly so")))
        }
        Some(word) => Ok(Verdict { word, words: rest.to_string() }),
        None if asks == Asks::Clarification && !text.is_empty() => {
            Ok(Verdict { word: Word::Answered, words: text.to_string() })
        }
        None => {
            let reason =
                if first.is_empty() { "the answer is empty".into() } else { format!("`{first}` is no answer") };
            Err(Refusal::new(reason, format!("begin with one of: {}", options(asks))))
        }
    }
}

impl Step<'_> {
    /// The table of gates and words.
    pub(super) fn answer(
        &mut self,
        gate: &Gate,
        verdict: &Verdict,
        by: &str,
        shown: Option<u64>,
    ) -> Result<(), Refusal> {
        if shown.is_some_and(|shown| shown != gate.number) {
            let reason = format!("the answer is to question {}, and another waits", shown.unwrap_or_default());
            return Err(Refusal::new(reason, format!("question {} is: {}", gate.number, gate.question)));
        }
        if !valid_words(gate.asks).contains(&verdict.word) {
            let what = format!("does not take {} now", verdict.word);
            return Err(not_now(&self.cycle, &what));
        }
        let needs_words = matches!(verdict.word, Word::RevisionRequested | Word::Answered);
        if needs_words && verdict.words.trim().is_empty() {
            let reason = format!("{} for cycle {} came without words", verdict.word, self.cycle.id);
            return Err(Refusal::new(reason, "say what shall be so, in words"));
        }
        if verdict.word == Word::Stopped {
            self.stop(by, &verdict.words);
            return Ok(());
        }
        let back = match verdict.word {
            Word::RevisionRequested => self.gone_back(&verdict.words)?,
            _ => None,
        };
        let work = if back.is_some() { Work::Plan(Stage::Loop) } else { self.work_after(gate, verdict.word) };
        let signature = self.cycle.signature_at(gate.asks);
        let next = match work {
            Work::Checkpoint | Work::Outline | Work::Plan(_) => Party::Planner,
            Work::Check(_) | Work::Judge(_) => Party::Judge,
            Work::Act(_) | Work::Offer | Work::Merge | Work::Delete | Work::Archive(_) => Party::Actor,
        };
        let is_new_goal = gate.asks == Asks::Insufficient && verdict.word == Word::RevisionRequested && back.is_none();
        let context = if is_new_goal { "these words are the goal from here on" } else { "" };
        self.human_turn(signature, verdict, by, Some(next), context);
        if self.cycle.paused.as_ref().is_some_and(|reason| reason.starts_with(NOBODY_ANSWERED)) {
            self.fact(Fact::Resumed);
        }
        if let Some((number, commit)) = back {
            self.fact(Fact::WentBack { number, commit });
        }
        match (gate.asks, verdict.word) {
            (Asks::Plan, Word::Approved) => self.fact(Fact::Agreed),
            _ if is_new_goal => {
                self.fact(Fact::GoalChanged { goal: verdict.words.trim().to_string() });
            }
            (Asks::LoopLimit | Asks::TimeLimit, _) => {
                let loops = self.cycle.loops_allowed.saturating_add(match gate.asks {
                    Asks::LoopLimit => self.limits.loops.max(1),
                    _ => 0,
                });
                let more = match gate.asks {
                    Asks::TimeLimit => {
                        let passed = crate::moment::seconds_between(&self.cycle.since, self.world.now);
                        self.limits.seconds.map(|seconds| passed.saturating_add(seconds.max(1)))
                    }
                    _ => self.cycle.seconds_allowed,
                };
                self.fact(Fact::Allowed { loops, seconds: more });
            }
            _ => {}
        }
        self.go_on(work);
        Ok(())
    }

    /// What stood before the loop that a revision goes back to; nothing if it goes back to none.
    fn gone_back(&self, words: &str) -> Result<Option<(u32, String)>, Refusal> {
        let Some(number) = back_to(words) else { return Ok(None) };
        if self.cycle.ground == Ground::Files {
            return Err(Refusal::new(
                "without a repository no loop can be gone back to",
                "`multiverse history` and `restore` bring files back, one by one",
            ));
        }
        match self.cycle.checkpoints.iter().rev().find(|(one, _)| *one == number) {
            Some((number, commit)) => Ok(Some((*number, commit.clone()))),
            None => {
                let known: Vec<String> = self.cycle.checkpoints.iter().map(|(one, _)| one.to_string()).collect();
                let hint = format!("the loops that can be gone back to are: {}", known.join(", "));
                Err(Refusal::new(format!("what stood before loop {number} is not known"), hint))
            }
        }
    }

    /// What a gate leads to with a word.
    fn work_after(&self, gate: &Gate, word: Word) -> Work {
        match (gate.asks, word) {
            (Asks::Merge, Word::MergeApproved) | (Asks::Conflict, Word::Answered) => Work::Merge,
            (Asks::Delete, Word::DeleteApproved) => Work::Delete,
            // The branch is kept.
            (Asks::Delete, _) => Work::Archive(Ending::Complete),
            (Asks::Close, Word::Approved) => Work::Archive(Ending::Complete),
            (Asks::Plan | Asks::Insufficient | Asks::LoopLimit | Asks::TimeLimit, _) => Work::Plan(Stage::Loop),
            (Asks::Clarification, _) | (_, Word::Approved) => gate.then,
            _ => Work::Plan(Stage::Loop),
        }
    }

    /// The gate that an escalation opens.
    pub(super) fn escalate(&mut self, party: Party, question: String, then: Work) {
        self.ask(Asks::Escalation(party), question, then);
    }

    /// The cycle ends by a critical error (CY-08).
    pub(super) fn collapse(&mut self) {
        self.go(Place::Due(Work::Archive(Ending::Failed)));
    }
}
