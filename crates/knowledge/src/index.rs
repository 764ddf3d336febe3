//! Past runs by their requests, ranked by BM25. A score is a share of what the request would score against itself, so 1
//! is the same request and 0 has no word in common, whatever the project. Equal scores stand newest first.

use std::collections::HashMap;
use std::fmt;

use crate::terms::{GRAM, Term, terms};

/// How fast further mentions of a term count less.
const SATURATION: f64 = 1.2;
/// How much long texts count less, from 0 to 1. Requests differ in length more than in how much they say.
const LENGTH: f64 = 0.4;
/// So many more texts are supposed than there are: where there are few, that a word is in one of them says little.
const SUPPOSED: f64 = 10.0;
/// The most words that a reason names.
const REASONS: usize = 8;

/// How alike, in thousandths: an integer, so that it is the same wherever it is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Score(pub u16);

impl Score {
    /// The score of the same request.
    pub const SAME: Self = Self(1000);

    /// Of a number from 0 to 1; what is beyond is cut.
    pub fn of(share: f64) -> Self {
        Self((share.clamp(0.0, 1.0) * 1000.0).round() as u16)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{:02}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Which past runs are worth telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The least score.
    pub least: Score,
    /// How many at most.
    pub most: usize,
}

/// A run that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Past<'a> {
    /// Its id.
    pub run_id: &'a str,
    /// What was asked for.
    pub request: &'a str,
}

/// A past run that is like a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// Its id.
    pub run_id: String,
    /// How alike.
    pub score: Score,
    /// The words that both have, those that say most first.
    pub why: Vec<String>,
}

/// Past runs, ready to be compared with requests. Runs are added and never change: one whose request is another now
/// makes the index outdated as a whole.
#[derive(Debug, Clone, Default)]
pub struct Index {
    runs: Vec<Entry>,
    numbers: HashMap<Box<str>, u32>,
    /// Which runs have a term, and how much of it.
    places: HashMap<Box<str>, Vec<(u32, f32)>>,
    length: f64,
}

#[derive(Debug, Clone)]
struct Entry {
    run_id: Box<str>,
    length: f32,
}

impl Index {
    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether a run is there.
    pub fn contains(&self, run_id: &str) -> bool {
        self.numbers.contains_key(run_id)
    }

    /// Adds a run; one that is there already stays as it is.
    pub fn add(&mut self, past: Past<'_>) {
        let Ok(number) = u32::try_from(self.runs.len()) else { return };
        if self.contains(past.run_id) {
            return;
        }
        self.numbers.insert(past.run_id.into(), number);
        let said = terms(past.request);
        let counted = counted(&said);
        let length = counted.iter().map(|(_, count)| count).sum::<f64>();
        for (text, count) in counted {
            match self.places.get_mut(text) {
                Some(places) => places.push((number, count as f32)),
                None => drop(self.places.insert(text.into(), vec![(number, count as f32)])),
            }
        }
        self.length += length;
        self.runs.push(Entry { run_id: past.run_id.into(), length: length as f32 });
    }

    /// The runs most like a request, best first; only those that `counts` is true of.
    pub fn rank(&self, request: &str, choice: Choice, mut counts: impl FnMut(&str) -> bool) -> Vec<Ranked> {
        let asked = terms(request);
        let wanted = counted(&asked);
        let length = wanted.iter().map(|(_, count)| count).sum::<f64>();
        // The request counts as one of the texts: so no figure is divided by nothing, and few texts judge mildly.
        let texts = self.runs.len() as f64 + 1.0;
        let average = (self.length + length) / texts;
        let share = |count: f64, of: f64| {
            let damped = SATURATION * (1.0 - LENGTH + LENGTH * of / average.max(f64::MIN_POSITIVE));
            count * (SATURATION + 1.0) / (count + damped)
        };
        let mut sums: Vec<f64> = vec![0.0; self.runs.len()];
        let mut same = 0.0;
        for (text, wanted) in &wanted {
            let places = self.places.get(*text).map(Vec::as_slice).unwrap_or_default();
            let rarity = (1.0 + (texts + SUPPOSED) / (places.len() as f64 + 2.0)).ln();
            same += rarity * share(*wanted, length);
            for (number, count) in places {
                let of = f64::from(self.runs[*number as usize].length);
                // A term that one text dwells on is not more alike than one that both have as often.
                let count = f64::from(*count).min(*wanted);
                sums[*number as usize] += rarity * share(count, of);
            }
        }
        let mut scored: Vec<(Score, usize)> = sums
            .iter()
            .enumerate()
            .filter(|(_, sum)| **sum > 0.0)
            .map(|(number, sum)| (Score::of(sum / same), number))
            .filter(|(score, _)| *score >= choice.least)
            .collect();
        scored.sort_by(|one, other| {
            let name = |number: usize| &self.runs[number].run_id;
            other.0.cmp(&one.0).then_with(|| name(other.1).cmp(name(one.1)))
        });
        let fitting = scored.into_iter().filter(|(_, number)| counts(&self.runs[*number].run_id)).take(choice.most);
        fitting
            .map(|(score, number)| Ranked {
                run_id: self.runs[number].run_id.to_string(),
                score,
                why: self.reasons(number as u32, &asked),
            })
            .collect()
    }

    /// The words that a run and a request share, in words for people: pairs of letters that overlap are one, and a stem
    /// stands only where the word itself does not.
    fn reasons(&self, number: u32, asked: &[Term]) -> Vec<String> {
        let has = |term: &Term| {
            self.places
                .get(term.text.as_str())
                .is_some_and(|places| places.binary_search_by_key(&number, |at| at.0).is_ok())
        };
        let mut found: Vec<(String, f64)> = Vec::new();
        let mut last: Option<(usize, usize)> = None;
        let words = asked.iter().enumerate().filter(|(_, term)| !term.text.starts_with(GRAM));
        for (at, term) in words.filter(|(_, term)| has(term)) {
            let rarity = 1.0 / (1.0 + self.places.get(term.text.as_str()).map_or(0, Vec::len) as f64);
            let worth = term.weight + rarity;
            match (term.run, last, found.last_mut()) {
                (Some(run), Some((before, same)), Some((text, most))) if run == same && before + 1 == at => {
                    text.push_str(last_letter(&term.text));
                    *most = most.max(worth);
                }
                _ => found.push((term.text.clone(), worth)),
            }
            last = term.run.map(|run| (at, run));
        }
        let mut kept: Vec<(String, f64)> = Vec::new();
        for (index, (text, worth)) in found.iter().enumerate() {
            // The word stands right behind its stem.
            let stem = text.strip_suffix('…');
            let is_covered = stem.is_some_and(|stem| found.get(index + 1).is_some_and(|next| next.0.starts_with(stem)));
            if !is_covered && !kept.iter().any(|(there, _)| there == text) {
                kept.push((text.clone(), *worth));
            }
        }
        kept.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        kept.truncate(REASONS);
        kept.into_iter().map(|(text, _)| text).collect()
    }
}

/// The past runs most like a request, best first.
pub fn rank(request: &str, past: &[Past<'_>], choice: Choice) -> Vec<Ranked> {
    let mut index = Index::default();
    past.iter().for_each(|one| index.add(*one));
    index.rank(request, choice, |_| true)
}

/// How much more alike a past run is by what it was agreed to do and what it left than by its request alone.
///
/// Only what the new request has and the past request has not is looked for there, and it counts half: what was said about
/// a run is not what was asked.
pub fn with_context(score: Score, request: &str, past: &str, context: &str) -> Score {
    const COUNTS: f64 = 0.5;
    let asked = terms(request);
    let (said, around) = (terms(past), terms(context));
    let has = |list: &[Term], term: &Term| list.iter().any(|one| one.text == term.text);
    let all: f64 = asked.iter().map(|term| term.weight).sum();
    let more = asked.iter().filter(|term| !has(&said, term) && has(&around, term));
    let more: f64 = more.map(|term| term.weight).sum();
    let share = if all > 0.0 { more / all } else { 0.0 };
    Score::of(f64::from(score.0) / 1000.0 + COUNTS * share).min(Score::SAME)
}

/// Each term once, with how much of it there is, in the order of their text: sums are the same every time.
fn counted(terms: &[Term]) -> Vec<(&str, f64)> {
    let mut sorted: Vec<&Term> = terms.iter().collect();
    sorted.sort_by(|one, other| one.text.cmp(&other.text));
    let mut counted: Vec<(&str, f64)> = Vec::with_capacity(sorted.len());
    for term in sorted {
        match counted.last_mut() {
            Some((text, count)) if *text == term.text => *count += term.weight,
            _ => counted.push((&term.text, term.weight)),
        }
    }
    counted
}

/// What a pair adds to the one before it.
fn last_letter(pair: &str) -> &str {
    use unicode_segmentation::UnicodeSegmentation;
    pair.graphemes(true).next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Choice = Choice { least: Score(1), most: 10 };

    fn check(request: &str, past: &[&str], choice: Choice, expected: &str) {
        let ids: Vec<String> = (1..=past.len()).map(|number| format!("run-{number}")).collect();
        let past: Vec<Past<'_>> = ids.iter().zip(past).map(|(run_id, request)| Past { run_id, request }).collect();
        let found: Vec<String> = rank(request, &past, choice)
            .iter()
            .map(|one| format!("{} {} {}", one.run_id, one.score, one.why.join(",")))
            .collect();
        assert_eq!(found.join("; "), expected, "{request}");
    }

    /// MV-05
    #[test]
    fn the_same_request_scores_one_and_another_matter_nothing() {
        let past = ["Make a report of the sales of 2023.", "Describe the boats of the yards in Gdansk."];
        check("Make a report of the sales of 2023.", &past, ALL, "run-1 1.00 2023,sale,make,report");
        check("Which fish live in the pond?", &past, ALL, "");
        check("", &past, ALL, "");
        check("anything", &[], ALL, "");
    }

    /// MV-05
    #[test]
    fn a_request_is_near_what_it_is_about_in_any_script() {
        // In each case the first past request is about the same, the second only asks in the same words.
        for (request, same, other) in [
            (
                "Make a report on the yards' prices.",
                "Write about the yards and their prices as HTML",
                "Make a report on staff training.",
            ),
            (
                "Bericht über die Verkäufe der Werften",
                "Erstelle eine Übersicht: Verkäufen der Werft im Vergleich",
                "Bericht über die Schulung",
            ),
            ("Analyse des ventes des chantiers", "Les ventes du chantier naval", "Analyse des absences"),
            (
                "조선소 매출 보고서를 작성해 주세요",
                "조선소의 매출을 분석한 보고서",
                "직원 교육 비용 보고서를 작성해 주세요",
            ),
            (
                "造船所の売上を比較する報告書",
                "造船所の売上の推移についての報告書を作成してください",
                "社員研修の費用の報告書を作成してください",
            ),
            ("造船厂销售额报告", "分析造船厂的销售额", "员工培训费用报告"),
            ("Отчёт о продажах верфей", "Сделай отчет по продажам верфей за год", "Отчет об обучении персонала"),
            ("تقرير عن مبيعات السفن", "مبيعات السفن في العام الماضي", "تقرير عن التدريب"),
            ("जहाज़ों की बिक्री की रिपोर्ट", "जहाज़ों की बिक्री", "प्रशिक्षण की रिपोर्ट"),
            ("รายงานยอดขายเรือ", "สรุปยอดขายเรือปีนี้", "รายงานการฝึกอบรม"),
        ] {
            let past = [Past { run_id: "same", request: same }, Past { run_id: "other", request: other }];
            let least = Choice { least: Score(150), most: 5 };
            let found: Vec<String> = rank(request, &past, least).into_iter().map(|one| one.run_id).collect();
            assert_eq!(found, ["same"], "{request}: {:?}", rank(request, &past, ALL));
        }
    }

    /// MV-05: at or above a score, at most N; equal ones newest first.
    #[test]
    fn the_least_score_and_the_most_runs_hold() {
        let past = ["boat prices", "boat prices", "boat prices in Gdansk", "boat", "training"];
        let all = "run-2 1.00 boat,price; run-1 1.00 boat,price; run-3 0.87 boat,price; run-4 0.43 boat";
        check("boat prices", &past, ALL, all);
        check("boat prices", &past, Choice { least: Score(870), most: 10 }, &all[..all.rfind(';').unwrap_or(0)]);
        check("boat prices", &past, Choice { least: Score(0), most: 1 }, "run-2 1.00 boat,price");
        check("boat prices", &past, Choice { least: Score(0), most: 0 }, "");
        check(
            "boat prices",
            &past,
            Choice { least: Score(1000), most: 9 },
            "run-2 1.00 boat,price; run-1 1.00 boat,price",
        );
    }

    /// MV-05: another form of a word, or a slip of the pen, changes a score a little and not the order.
    #[test]
    fn small_changes_of_words_change_little() {
        let past = ["Make a report of the boat prices in Gdansk.", "Describe the training of the staff."];
        let score = |request: &str| {
            let past: Vec<Past<'_>> =
                ["a", "b"].iter().zip(past).map(|(run_id, request)| Past { run_id, request }).collect();
            let found = rank(request, &past, ALL);
            assert_eq!(found.first().map(|one| one.run_id.as_str()), Some("a"), "{request}: {found:?}");
            found[0].score.0
        };
        let same = score("Make a report of the boat prices in Gdansk.");
        for request in [
            "Make a report of boat pricing in Gdansk.",
            "Report the price of boats in Gdańsk",
            "Make a report of the boat prices in Gdanks.",
            "A summary of Gdansk boat prices, please",
        ] {
            let score = score(request);
            assert!(same - score < 450 && score > 450, "{request}: {score}");
        }
    }

    /// MV-05: what a past run was agreed to do, and what it left, speaks for it, too.
    #[test]
    fn instructions_and_summaries_make_a_past_run_more_alike() {
        let base = Score(200);
        let with = |context: &str| with_context(base, "compare harbour fees", "make a report", context);
        assert!(with("Use the tables of harbour fees.") > base);
        assert_eq!(with("nothing of the kind"), base);
        assert_eq!(with_context(Score::SAME, "harbour fees", "harbour fees", "harbour fees"), Score::SAME);
    }

    #[test]
    fn the_order_in_which_runs_came_makes_no_difference() {
        let texts = ["boat prices", "prices of boats and yards", "yards", "training costs", "a boat yard"];
        let past: Vec<Past<'_>> =
            ["a", "b", "c", "d", "e"].iter().zip(texts).map(|(run_id, request)| Past { run_id, request }).collect();
        let mut turned = past.clone();
        turned.reverse();
        assert_eq!(rank("prices of boat yards", &past, ALL), rank("prices of boat yards", &turned, ALL));
    }

    #[test]
    fn runs_that_do_not_count_make_room_for_others() {
        let mut index = Index::default();
        ["a", "b", "c"].iter().for_each(|run_id| index.add(Past { run_id, request: "boats" }));
        index.add(Past { run_id: "a", request: "something else: it stays as it was" });
        let found = index.rank("boats", Choice { least: Score(0), most: 2 }, |run| run != "c");
        assert_eq!(found.iter().map(|one| one.run_id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!((index.len(), index.contains("c"), index.contains("d")), (3, true, false));
    }

    #[test]
    fn a_score_is_written_with_two_places() {
        let written = |thousandths| Score(thousandths).to_string();
        assert_eq!([written(1000), written(617), written(50), written(0)], ["1.00", "0.61", "0.05", "0.00"]);
        assert_eq!((Score::of(0.25), Score::of(7.0), Score::of(f64::NAN)), (Score(250), Score::SAME, Score(0)));
    }
}
