//! Contradictions: claims about the same thing, in the same unit, for the same period, whose values do not meet.
//!
//! Owns the comparison. It must not know where claims come from. What it finds is said with both places, never judged.

use std::collections::{BTreeMap, BTreeSet};

use super::claims::{Claim, Named, Said};
use super::dates::Period;
use super::limits;

/// Two claims that cannot both be true.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contradiction {
    pub(crate) first: Claim,
    pub(crate) second: Claim,
}

/// What the comparison came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Compared {
    pub(crate) found: Vec<Contradiction>,
    pub(crate) extent: Extent,
}

/// Whether all claims that share a word were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    #[default]
    All,
    Part,
}

/// All pairs of claims that contradict each other, each pair of values once, in the order of the sources.
pub(crate) fn contradictions(claims: &[Claim]) -> Compared {
    let mut extent = if claims.len() > limits::CLAIMS { Extent::Part } else { Extent::All };
    let claims = &claims[..claims.len().min(limits::CLAIMS)];
    let mut alike: BTreeMap<(&str, Option<Period>, &str), Vec<usize>> = BTreeMap::new();
    for (index, claim) in claims.iter().enumerate() {
        let unit = match &claim.said {
            Said::Value(figure) => figure.unit.as_str(),
            Said::Date(_) => "(date)",
        };
        for word in &claim.subject {
            alike.entry((unit, claim.period, word)).or_default().push(index);
        }
    }
    // The rarest words first: if there are too many pairs, those that are least likely to be alike are left out.
    let mut lists: Vec<&Vec<usize>> = alike.values().filter(|list| list.len() > 1).collect();
    lists.sort_by_key(|list| list.len());
    let mut left = limits::COMPARISONS;
    let mut pairs = BTreeSet::new();
    for list in lists {
        for (position, first) in list.iter().enumerate() {
            let others = &list[position + 1..];
            if others.len() > left || pairs.len() > limits::CONTRADICTIONS * limits::CONTRADICTIONS {
                extent = Extent::Part;
                break;
            }
            left -= others.len();
            let apart = others.iter().filter(|second| contradict(&claims[*first], &claims[**second]));
            pairs.extend(apart.map(|second| (*first, *second)));
        }
    }
    Compared { found: once(claims, &pairs), extent }
}

fn contradict(first: &Claim, second: &Claim) -> bool {
    let apart = match (&first.said, &second.said) {
        (Said::Value(one), Said::Value(other)) => one.disagrees(other),
        (Said::Date(one), Said::Date(other)) => !one.agrees(*other),
        _ => false,
    };
    apart && same_thing(first, second)
}

/// Whether two claims are about the same: what one says and the other does not must stand in the other's context.
fn same_thing(first: &Claim, second: &Claim) -> bool {
    let only_first: Vec<&String> = first.subject.difference(&second.subject).collect();
    let only_second: Vec<&String> = second.subject.difference(&first.subject).collect();
    if !only_first.iter().all(|word| second.context.contains(*word))
        || !only_second.iter().all(|word| first.context.contains(*word))
    {
        return false;
    }
    if first.named == Named::Yes || second.named == Named::Yes {
        return true;
    }
    // Neither names anybody: then the places where they stand must not speak of different things.
    let here = first.context.difference(&second.context).next().is_some();
    let there = second.context.difference(&first.context).next().is_some();
    !(here && there)
}

/// One contradiction for each subject and pair of values, with the first places that have them.
fn once(claims: &[Claim], pairs: &BTreeSet<(usize, usize)>) -> Vec<Contradiction> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (first, second) in pairs {
        let (first, second) = (&claims[*first], &claims[*second]);
        let subject: Vec<&String> = first.subject.intersection(&second.subject).collect();
        let mut values = [first.written.as_str(), second.written.as_str()];
        values.sort_unstable();
        if seen.insert((subject, first.period, values)) {
            found.push(Contradiction { first: first.clone(), second: second.clone() });
        }
        if found.len() == limits::CONTRADICTIONS {
            break;
        }
    }
    found
}

impl Contradiction {
    /// What it is about, in words: the subject, the period, the unit.
    pub(crate) fn about(&self) -> String {
        let all = self.first.subject.union(&self.second.subject);
        let words: Vec<&str> = all.map(|word| word.trim_matches(['(', ')'])).collect();
        match self.first.period {
            Some(period) => format!("{}, {period}", words.join(" ")),
            None => words.join(" "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::claims::claims;
    use crate::offline::read::{Extent, document};

    /// Each source is a path and a text; the contradictions are given as the lines of both places.
    fn check(sources: &[(&str, &str)], expected: &[(&str, &str)]) {
        let mut all = Vec::new();
        for (path, text) in sources {
            all.extend(claims(&document(path, text.as_bytes(), Extent::Whole).unwrap()));
        }
        let place = |claim: &Claim| format!("{}:{}", claim.path, claim.line);
        let found: Vec<(String, String)> =
            contradictions(&all).found.iter().map(|one| (place(&one.first), place(&one.second))).collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect();
        assert_eq!(found, expected, "{sources:?}\n{all:#?}");
    }

    #[test]
    fn the_same_measure_with_another_value_is_found() {
        let one_and_two: &[(&str, &str)] = &[("a.md:1", "b.md:1")];
        for (first, second) in [
            (
                "Acme's revenue in 2023 was EUR 4.2 million.",
                "In 2023, Acme GmbH reported revenues of 4.5 million euros.",
            ),
            ("Acme had 120 employees in 2023.", "The headcount of Acme reached 135 in 2023."),
            ("The population of Arden is 52,000.", "Arden has a population of 61,000."),
            ("Revenue at Acme rose 5% to EUR 4.2 million in 2023.", "Acme made revenue of EUR 4.9 million in 2023."),
            ("Acme was founded in 1998.", "Acme was established on 3 March 1999."),
            ("2023년 아크메의 매출은 42억 원이었다.", "아크메의 매출은 2023년 45억 원을 기록했다."),
            ("2023年のアクメの売上高は42億円だった。", "アクメの2023年の売上高は45億円である。"),
            (
                "Der Umsatz der Acme GmbH lag 2023 bei 4,2 Mio. EUR.",
                "Acme erzielte 2023 einen Umsatz von 4,5 Mio. Euro.",
            ),
            (
                "Acme's profit was $3 million and its revenue $10 million in 2023.",
                "Acme had revenue of $12 million in 2023.",
            ),
            ("The head of sales said that Acme had 120 employees in 2023.", "Acme had 135 staff in 2023."),
            ("Acme had more than 500 customers in 2023.", "Acme had 430 clients in 2023."),
        ] {
            check(&[("a.md", first), ("b.md", second)], one_and_two);
        }
    }

    #[test]
    fn what_only_looks_like_a_contradiction_is_not_reported() {
        let base = "Acme's revenue in 2023 was EUR 4.2 million.";
        for other in [
            "Acme's revenue in 2022 was EUR 3.9 million.",
            "Acme's revenue in 2023 was USD 4.5 million.",
            "Globex's revenue in 2023 was EUR 7.1 million.",
            "Acme's profit in 2023 was EUR 0.4 million.",
            "Acme's planned revenue for 2023 was EUR 5.0 million.",
            "Acme's revenue in 2023 grew by EUR 0.3 million.",
            "Acme's revenue in the first quarter of 2023 was EUR 1.1 million.",
            "Acme's revenue in 2023 was EUR 4,213,000.",
            "Acme's revenue in 2023 was about EUR 4.3 million.",
            "Acme's revenue in 2023 was more than EUR 4 million.",
            "Acme's online revenue in 2023 was EUR 1.2 million.",
            "Acme's revenue in Germany in 2023 was EUR 2.2 million.",
            "Acme's revenue in 2023 was not EUR 5 million.",
            "Was Acme's revenue in 2023 EUR 5 million?",
            "Acme's revenue in 2023 was between EUR 4–5 million.",
            "Acme's revenue rose from EUR 3.9 million in 2023.",
        ] {
            check(&[("a.md", base), ("b.md", other)], &[]);
        }
    }

    #[test]
    fn names_of_one_letter_and_numbered_names_are_told_apart() {
        for (first, second) in [
            ("Plant A has a capacity of 40 MW.", "Plant B has a capacity of 50 MW."),
            ("Plant 1 produced 40 t in 2023.", "Plant 2 produced 50 t in 2023."),
            ("The site C12 had 40 employees in 2023.", "The site C13 had 50 employees in 2023."),
            ("Line 3 made 400 pumps in 2023.", "Line 4 made 500 pumps in 2023."),
        ] {
            check(&[("a.md", first), ("b.md", second)], &[]);
        }
        check(
            &[("a.md", "Plant B has a capacity of 40 MW."), ("b.md", "Plant B has a capacity of 50 MW.")],
            &[("a.md:1", "b.md:1")],
        );
        check(&[("a.csv", "plant,year,output\nC1,2023,4\nC2,2023,5\nC1,2023,6\n")], &[("a.csv:2", "a.csv:4")]);
        check(&[("a.csv", "plant,year,output\nA,2023,4\nB,2023,5\n")], &[]);
    }

    #[test]
    fn tables_headings_and_records_are_compared_with_prose() {
        let prose = ("a.md", "# Acme\n\n## 2023\n\nRevenue was EUR 4.2 million.\n");
        check(
            &[prose, ("b.csv", "company,year,revenue_eur\nAcme,2022,3900000\nAcme,2023,4500000\nGlobex,2023,1\n")],
            &[("a.md:5", "b.csv:3")],
        );
        check(
            &[
                prose,
                (
                    "c.md",
                    "| company | Revenue 2022 (EUR million) | Revenue 2023 (EUR million) |\n|---|---|---|\n| Acme | 3.9 | 4.6 |\n",
                ),
            ],
            &[("a.md:5", "c.md:3")],
        );
        check(
            &[prose, ("d.json", "[\n {\"company\": \"Acme\", \"year\": 2023, \"revenue\": \"4.7 million EUR\"}\n]")],
            &[("a.md:5", "d.json:2")],
        );
        check(&[prose, ("e.html", "<h1>Globex</h1><h2>2023</h2><p>Revenue was EUR 9 million.</p>")], &[]);
    }
}
