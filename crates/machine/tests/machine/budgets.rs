//! BY-08: what a run may use is set aside before an attempt, settled after it, and asked about when it is used up.

use machine::{Budget, Course, Fact, Input, Measure, Metered, Outcome, Status, Used, Work};

use crate::driver::{Universe, at_gate, kinds, words};

fn tokens(bound: u64) -> Budget {
    Budget { tokens: Some(bound), ..Budget::default() }
}

/// A run with a budget whose first task is being done; each attempt may use 1,000 tokens.
fn at_work(bound: u64, jobs: usize) -> Universe {
    let mut universe = Universe::new(&machine::MULTIVERSE);
    universe.budget = tokens(bound);
    universe.limits.attempt_tokens = 1000;
    universe.start();
    universe.until(|universe| universe.run().course == Course::Gate);
    (universe.jobs, universe.tasks) = (jobs, 7);
    universe.until(Universe::at_work(&Work::Execute("T05".into())));
    universe
}

fn uses(universe: &mut Universe, fence: u64, tokens: u64) -> Vec<String> {
    universe.used = Metered { tokens, micro_dollars: None };
    let work = universe.run().attempts[&fence].work.clone();
    let outcome = universe.outcome(&work);
    kinds(&universe.report(fence, outcome).facts)
}

fn answer(universe: &mut Universe, words: &str) -> Result<Vec<String>, String> {
    let tell = Input::Tell { fence: None, answer: words.into(), by: "me".into() };
    universe.give(&tell).map(|decision| kinds(&decision.facts)).map_err(|refusal| refusal.to_string())
}

/// BY-08: an attempt gets what it may use at most, or what is left if that is less.
#[test]
fn what_an_attempt_may_use_is_set_aside_for_it() {
    let mut universe = at_work(2500, 8);
    let reserved = |universe: &Universe| -> Vec<u64> {
        universe.attempts().iter().map(|attempt| attempt.reserved.tokens).collect()
    };
    assert_eq!(reserved(&universe), [1000, 1000, 500], "no more are begun than can be paid for");
    assert_eq!(universe.run().left(Measure::Tokens), Some(0));
    let fence = universe.attempts()[0].fence;
    let facts = uses(&mut universe, fence, 400);
    assert_eq!(facts[0], "Spent");
    assert_eq!(reserved(&universe), [1000, 500, 600], "what was not used is there for the next");
    assert_eq!(universe.run().used.tokens, 400);
}

/// BY-08: at the limit nothing is begun any more; a person is asked, the question survives, and a number raises it.
#[test]
fn a_budget_that_is_used_up_is_a_question() {
    let mut universe = at_work(200_000, 1);
    universe.limits.attempt_tokens = 200_000;
    let fence = universe.only().fence;
    let facts = uses(&mut universe, fence, 198_400);
    assert_eq!(facts.last().map(String::as_str), Some("Exhausted"));
    assert!(universe.attempts().is_empty());
    let question = universe.run().budget_question().unwrap_or_default();
    assert_eq!(
        question,
        "the budget of 200,000 tokens is used up: 198,400 tokens used; answer with a number of tokens to raise it, or cancel"
    );
    universe.me = "p2".into();
    universe.alive = words(&["p2"]);
    assert_eq!(kinds(&universe.must(&Input::Claim).facts), ["Driven"], "whoever takes it up waits, too");
    for (words, reason) in [("more", "is no budget"), ("100k", "is no more than the 198,400 tokens"), ("", "no budget")]
    {
        let refused = answer(&mut universe, words).expect_err("it is refused");
        assert!(refused.contains(reason), "{words}: {refused}");
    }
    let facts = answer(&mut universe, "400,000").expect("it is raised");
    assert_eq!(facts, ["Budgeted", "Assigned plan pre T06"]);
    assert_eq!(universe.only().reserved.tokens, 200_000);
    universe.used = Metered::default();
    universe.until(|universe| universe.run().course == Course::Over);
    assert_eq!(universe.run().status, Status::Completed);
}

/// BY-08: what failed attempts used counts, too; a price that nobody knows counts as what was set aside.
#[test]
fn whatever_an_attempt_used_counts() {
    let check = |outcome: Outcome, used: Metered, expected: Used| {
        let mut universe = at_gate();
        universe.must(&Input::Release);
        machine::apply(
            universe.hierarchy,
            &mut universe.run,
            "run-1",
            &Fact::Budgeted { budget: Budget { micro_dollars: Some(5_000_000), ..tokens(1000) }, by: None },
        );
        universe.replayed = universe.run.clone();
        universe.must(&Input::Claim);
        universe.until(Universe::at_work(&Work::Execute("T05".into())));
        let before = universe.run().used;
        universe.used = used;
        let fence = universe.only().fence;
        universe.report(fence, outcome);
        let now = universe.run().used;
        assert_eq!(now.tokens - before.tokens, expected.tokens);
        assert_eq!(now.micro_dollars - before.micro_dollars, expected.micro_dollars);
    };
    let priced = Metered { tokens: 30, micro_dollars: Some(12) };
    let unpriced = Metered { tokens: 30, micro_dollars: None };
    let used = |tokens, micro_dollars| Used { tokens, micro_dollars, seconds: 0 };
    check(Outcome::Failed("no".into()), priced, used(30, 12));
    check(Outcome::Broken(vec!["bad".into()]), priced, used(30, 12));
    check(Outcome::Later { seconds: 5, reason: "x".into() }, priced, used(30, 12));
    check(Outcome::Question("which?".into()), unpriced, used(30, 1_000_000));
    check(Outcome::Lost("killed".into()), Metered::default(), used(0, 0));
}

/// BY-08: whoever is ended because a budget left it less than usual has not failed: a person is asked, and it is done again.
#[test]
fn a_share_that_is_used_up_is_no_failure() {
    let mut universe = at_work(1500, 1);
    let fence = universe.only().fence;
    uses(&mut universe, fence, 1100);
    let fence = universe.only().fence;
    assert_eq!(universe.only().reserved.tokens, 400, "less than the usual 1,000");
    universe.used = Metered { tokens: 400, micro_dollars: None };
    let facts = universe.report(fence, Outcome::Failed("400 tokens of 400 without a report".into())).facts;
    assert_eq!(kinds(&facts), ["Spent", "Lost", "Exhausted"]);
    assert_eq!(universe.run().status, Status::Pending);
    let facts = answer(&mut universe, "4000").expect("it is raised");
    assert_eq!(facts[0], "Budgeted");
    // One that had its usual share, or did not use it up, has failed.
    for tokens in [1000, 10] {
        let mut universe = universe.clone();
        let fence = universe.only().fence;
        assert_eq!(universe.only().reserved.tokens, 1000);
        universe.used = Metered { tokens, micro_dollars: None };
        universe.report(fence, Outcome::Failed("no".into()));
        assert_eq!(universe.run().status, Status::Failed, "{tokens}");
    }
}

/// BY-08: amounts as people write and read them.
#[test]
fn amounts_are_read_and_shown() {
    let check = |measure: Measure, text: &str, expected: Option<(Measure, u64)>| {
        assert_eq!(measure.read(text), expected, "{text}");
    };
    check(Measure::Tokens, "400000", Some((Measure::Tokens, 400_000)));
    check(Measure::Tokens, "1,5", Some((Measure::Tokens, 15)));
    check(Measure::Tokens, "1.5M tokens", None);
    check(Measure::Tokens, "1.5M", Some((Measure::Tokens, 1_500_000)));
    check(Measure::Tokens, "200 k", Some((Measure::Tokens, 200_000)));
    check(Measure::Tokens, "$2.50", Some((Measure::Money, 2_500_000)));
    check(Measure::Money, "3", Some((Measure::Money, 3_000_000)));
    check(Measure::Money, "0.000001", Some((Measure::Money, 1)));
    check(Measure::Time, "90", Some((Measure::Time, 5400)));
    check(Measure::Time, "1.5h", Some((Measure::Time, 5400)));
    for nonsense in ["", "$", "k", "-5", "1e9", "5.", "99999999999999999999", "18446744073709551615M"] {
        let expected = if nonsense == "5." { Some((Measure::Tokens, 5)) } else { None };
        check(Measure::Tokens, nonsense, expected);
    }
    for (measure, amount, shown) in [
        (Measure::Tokens, 1_234_567, "1,234,567 tokens"),
        (Measure::Money, 1_500_000, "$1.50"),
        (Measure::Money, 1, "$0.000001"),
        (Measure::Time, 5400, "90 min"),
        (Measure::Time, 61, "61 s"),
        (Measure::Time, 0, "0 s"),
    ] {
        assert_eq!(measure.in_words(amount), shown);
    }
}
