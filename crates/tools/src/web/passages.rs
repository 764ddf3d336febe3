//! Which passages of a text bear on a question: by the words that they share with it, rare ones more. Pure.

use std::collections::BTreeSet;

/// Shorter ones are headings and captions; longer ones are cut at a sentence.
const SHORTEST: usize = 40;
const LONGEST: usize = 600;

/// The most passages of a text that are looked at.
const MOST_LOOKED_AT: usize = 20_000;

/// Words that say nothing about what is asked.
const EMPTY_WORDS: [&str; 30] = [
    "about", "and", "are", "can", "did", "does", "for", "from", "had", "has", "have", "how", "into", "its", "not",
    "that", "the", "their", "there", "this", "was", "were", "what", "when", "where", "which", "who", "why", "will",
    "with",
];

/// The passages that share most with the question, at most so many, in the order of the text.
pub(crate) fn best(text: &str, question: &str, count: usize) -> Vec<String> {
    let wanted: BTreeSet<String> = words(question).filter(|word| !EMPTY_WORDS.contains(&word.as_str())).collect();
    let passages: Vec<String> = passages(text).take(MOST_LOOKED_AT).collect();
    let shared: Vec<BTreeSet<&String>> = passages
        .iter()
        .map(|passage| {
            let own: BTreeSet<String> = words(passage).collect();
            wanted.iter().filter(|word| own.contains(*word)).collect()
        })
        .collect();
    let weight = |word: &String| {
        let among = shared.iter().filter(|own| own.contains(word)).count();
        (1.0 + passages.len() as f64 / (1 + among) as f64).ln()
    };
    let weights: Vec<(&String, f64)> = wanted.iter().map(|word| (word, weight(word))).collect();
    let score = |own: &BTreeSet<&String>| {
        weights.iter().filter(|(word, _)| own.contains(word)).map(|(_, weight)| weight).sum::<f64>()
    };
    let mut scored: Vec<(usize, f64)> =
        shared.iter().map(score).enumerate().filter(|(_, score)| *score > 0.0).collect();
    // Equal ones in the order of the text, so that the same text always gives the same passages.
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    scored.truncate(count);
    scored.sort_by_key(|(index, _)| *index);
    scored.into_iter().map(|(index, _)| passages[index].clone()).collect()
}

/// Paragraphs of Markdown as plain text; headings, tables and code are none.
fn passages(markdown: &str) -> impl Iterator<Item = String> {
    let mut in_code = false;
    let blocks = markdown.split("\n\n").filter(move |block| {
        let fences = block.lines().filter(|line| line.trim_start().starts_with("```")).count();
        let was_in_code = in_code;
        in_code ^= fences % 2 == 1;
        let is_code = was_in_code || fences > 0;
        !is_code && !block.trim_start().starts_with(['#', '|'])
    });
    let plain = blocks.map(|block| plain(block).split_whitespace().collect::<Vec<_>>().join(" "));
    plain.filter(|passage| passage.len() >= SHORTEST).map(|passage| first_sentences(&passage))
}

/// Without marks and links: `[text](url)` is its text.
fn plain(markdown: &str) -> String {
    let mut plain = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some(at) = rest.find(['[', '!', '*', '>', '`']) {
        plain.push_str(&rest[..at]);
        let mark = &rest[at..at + 1];
        rest = &rest[at + 1..];
        match mark {
            "[" => {
                let inside = rest.find(']').filter(|end| rest[*end..].starts_with("]("));
                let end = inside.and_then(|end| rest[end..].find(')').map(|close| (end, end + close + 1)));
                if let Some((text, whole)) = end {
                    plain.push_str(&rest[..text]);
                    rest = &rest[whole..];
                } else {
                    plain.push('[');
                }
            }
            "!" if rest.starts_with('[') => {}
            "!" => plain.push('!'),
            ">" => plain.push(' '),
            _ => {}
        }
    }
    plain.push_str(rest);
    plain
}

fn first_sentences(passage: &str) -> String {
    if passage.chars().count() <= LONGEST {
        return passage.into();
    }
    let cut: String = passage.chars().take(LONGEST).collect();
    match cut.rfind(". ").filter(|at| *at > LONGEST / 3) {
        Some(at) => cut[..=at].into(),
        None => format!("{}…", cut.trim_end()),
    }
}

/// In lower case, three letters or more; where words are not set apart, single characters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| {
        let is_wide = |character: char| matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        if part.chars().any(is_wide) {
            part.chars().map(String::from).collect()
        } else {
            let word = part.to_lowercase();
            let is_word = word.chars().count() >= 3 || word.chars().any(|character| character.is_ascii_digit());
            Vec::from_iter(is_word.then_some(word))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_that_share_rare_words_come_out() {
        let text = "# Landlock\n\nThe kernel has many parts that nobody ever looks at in daily work.\n\n\
            Landlock is [a security module](http://x) of the Linux kernel since version 5.13, it says.\n\n\
            ```\nlandlock kernel code that is long enough to be a passage\n```\n\n\
            | landlock | kernel | table that is long enough to be one |\n\n\
            Something else entirely, about gardens and the growing of roses in spring.";
        let found = best(text, "Which kernel version has Landlock?", 2);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], "Landlock is a security module of the Linux kernel since version 5.13, it says.");
        assert_eq!(best(text, "Which kernel version has Landlock?", 1), found[1..]);
        assert!(best(text, "zebra", 3).is_empty() && best("", "kernel", 3).is_empty() && best(text, "", 3).is_empty());
        let long = best(&"The kernel is large. ".repeat(100), "kernel", 1);
        assert!(long[0].len() <= LONGEST && long[0].ends_with('.'), "{long:?}");
        assert_eq!(
            best("日本の首都は東京です。人口は約千四百万人で、世界最大の都市の一つです。", "東京の人口", 1).len(),
            1
        );
        assert_eq!(plain("a ![pic](u) [b] [c](d) **e** > f! [open"), "a pic [b] c e   f! [open");
    }
}
