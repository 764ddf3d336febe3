//! Who speaks, whether something is claimed at all, and what only leads over from the sentence before.
//!
//! Owns the turns of speech around a claim, in several languages. It must not know what claims are.

use super::dates::Dated;
use super::figures::Figure;
use super::vocabulary::{self, Part};
use super::words::{self, Language, Script, Word};

/// Whether a sentence only makes sense behind the one before it.
pub(crate) fn goes_on(text: &str) -> bool {
    let chars: Vec<char> = text.chars().take(60).collect();
    let first = words::words(&chars).into_iter().next();
    let beginning = first.map(|word| word.text.to_lowercase()).unwrap_or_default();
    const LATIN: &str = " it its they their them he she his her this that these those both such of-these thereof es er sie ihr ihre dieser diese dieses davon dabei dort il elle ils elles cela ceux ces celui dont ello esto estos estas ellos su sus он она оно они это этот эти их из هي هو هذه هذا ";
    let lower = text.to_lowercase();
    // "In 2024 it counted 91,000 visitors."
    let leads = matches!(beginning.as_str(), "in" | "since" | "by" | "im" | "seit" | "en" | "nel" | "em" | "w" | "в");
    let follows = words::words(&chars).into_iter().skip(1).take(3).map(|word| word.text.to_lowercase());
    const WHO: [&str; 12] = ["it", "they", "he", "she", "es", "sie", "il", "elle", "ils", "он", "она", "они"];
    if leads && follows.into_iter().any(|word| WHO.contains(&word.as_str())) {
        return true;
    }
    LATIN.contains(&format!(" {beginning} "))
        || [
            "of these",
            "of them",
            "of which",
            "in the same",
            "the same",
            "그중",
            "이는",
            "이 중",
            "このうち",
            "これは",
            "そのうち",
            "其中",
            "该",
        ]
        .iter()
        .any(|turn| lower.starts_with(turn))
}

/// Whether a sentence claims nothing that could be compared: a denial, a condition, a share of something.
pub(crate) fn is_open(text: &str, words: &[Word], language: Language) -> bool {
    let mut lowers = words.iter().map(|word| (word, word.text.to_lowercase())).peekable();
    while let Some((word, lower)) = lowers.next() {
        let key = words::key(word).unwrap_or_default();
        // "no more than 40" is a bound, "no hay 40" a denial.
        let is_no = lower == "no" && matches!(language, Language::Spanish | Language::Italian);
        let next = lowers.peek().map(|(_, next)| next.as_str()).unwrap_or_default();
        let is_bound = matches!(next, "more" | "less" | "fewer" | "menos" | "más");
        if is_no && !is_bound {
            return true;
        }
        match vocabulary::part(&key, &lower) {
            // "si trova" is no condition.
            Part::Doubt if lower == "si" && matches!(language, Language::Italian | Language::Portuguese) => {}
            // Le Rose and the Never Valley are names.
            Part::Doubt | Part::Share if is_named_inside(word, language) => {}
            Part::Share if rate(&lower, next).is_some() => {}
            Part::Doubt if !is_bound => return true,
            Part::Share => return true,
            _ => {}
        }
    }
    let lower = text.to_lowercase();
    const TURNS: [&str; 23] = [
        "of which",
        "of these",
        "of them",
        "out of",
        "instead of",
        "rather than",
        "on average",
        "part of the",
        "zum teil",
        "im schnitt",
        "en moyenne",
        "au lieu de",
        "de los cuales",
        "en lugar de",
        "из них",
        "из которых",
        "이 중",
        "그 중",
        "中で",
        "このうち",
        "そのうち",
        "ではない",
        "なかった",
    ];
    TURNS.iter().any(|turn| lower.contains(turn))
        || ["ありません", "ではなく", "아니라", "より多", "而不是", "بدلا"].iter().any(|turn| lower.contains(turn))
}

/// Whether a capital inside a sentence says that a word is part of a name.
pub(crate) fn is_named_inside(word: &Word, language: Language) -> bool {
    word.start > 0 && language != Language::German && words::is_capitalised(&word.text) && word.text.chars().count() > 1
}

/// What a figure is for each of: `per day`, `pro Kopf`, `40 a week`. It is part of what is measured.
pub(crate) fn rate(lower: &str, next: &str) -> Option<&'static str> {
    if !matches!(lower, "per" | "pro" | "je" | "par" | "por" | "a" | "an" | "every" | "each") {
        return None;
    }
    const RATES: [&str; 6] = [
        "(per day) day tag jour día",
        "(per hour) hour stunde heure hora",
        "(per week) week woche semaine semana",
        "(per month) month monat mois mes",
        "(per year) year annum jahr an année año",
        "(per head) head capita person kopf habitant tête habitante",
    ];
    let is_known =
        |list: &&&str| list.split_once(") ").is_some_and(|(_, names)| names.split(' ').any(|one| one == next));
    RATES.iter().find(is_known).and_then(|list| list.find(')').map(|end| &list[..=end]))
}

/// Where a sentence goes on to a part of what it has counted: `742 Betten, davon 64 …`, `14 platforms, 3 of them closed`.
pub(crate) fn main_part(chars: &[char], dates: &[Dated], figures: &[Figure]) -> usize {
    let in_value = |at: usize| {
        figures.iter().any(|one| one.start <= at && at < one.end)
            || dates.iter().any(|one| one.start <= at && at < one.end)
    };
    let mut marks: Vec<usize> =
        (0..chars.len()).filter(|at| matches!(chars[*at], ',' | ';' | '、' | '，' | '(') && !in_value(*at)).collect();
    marks.push(chars.len());
    let is_part = |pair: &&[usize]| {
        let has_figure = |from: usize, to: usize| figures.iter().any(|one| from <= one.start && one.start < to);
        let part = chars[pair[0] + 1..pair[1]].iter().collect::<String>().to_lowercase();
        let begins =
            ["davon ", "darunter ", "dont ", "w tym ", "из них ", "其中", "그중", "うち", "このうち", "そのうち"];
        has_figure(0, pair[0])
            && has_figure(pair[0], pair[1])
            && (begins.iter().any(|turn| part.trim_start().starts_with(turn))
                || [" of them", " of which", " of whom", " of these", "of which "]
                    .iter()
                    .any(|turn| part.contains(turn)))
    };
    marks.windows(2).find(is_part).map_or(chars.len(), |pair| pair[0])
}

/// Whether a sentence begins with who says it, or with whom it is said to: `according to …,`, `Dear members, …`.
fn is_said_first(first: &str, second: &str) -> bool {
    const FIRST: &str = " according laut selon según согласно 据 根据 وفقا secondo segundo dear liebe lieber geehrte chers chères \
        cher chère estimados queridos queridas cari caros drodzy уважаемые ";
    FIRST.contains(&format!(" {first} "))
        || matches!((first, second), ("d'après", _) | ("nach", "angaben") | ("по", "данным") | ("по", "словам"))
}

/// The words of a sentence without those that only say who says it.
pub(crate) fn without_speaker(chars: &[char], words: Vec<Word>, dates: &[Dated], figures: &[Figure]) -> Vec<Word> {
    let says_before = |at: usize| figures.iter().any(|one| one.start < at) || dates.iter().any(|one| one.start < at);
    let says_after = |at: usize| figures.iter().any(|one| one.start > at) || dates.iter().any(|one| one.start > at);
    let mut from = 0;
    // "The chair informed the committee that …": a few words may stand between.
    let is_saying = |word: &Word| SAYING.contains(&format!(" {} ", word.text.to_lowercase()));
    let that = (1..words.len()).find(|index| {
        matches!(words[*index].text.as_str(), "that" | "dass" | "que" | "что" | "أن" | "che" | "dat" | "że")
            && words[index.saturating_sub(4)..*index].iter().any(is_saying)
    });
    if let Some(index) = that
        && !says_before(words[index].start)
    {
        from = words[index].end;
    }
    // "The mayor, Ann Loe, says the Cedar dam …": what follows names what it is about.
    let says = words.windows(3).find(|three| {
        matches!(three[0].text.as_str(), "says" | "said" | "claims" | "writes" | "states" | "stated")
            && three[1].text == "the"
            && words::is_capitalised(&three[2].text)
            && three[0].start > 0
    });
    if let Some([verb, ..]) = says
        && !says_before(verb.start)
    {
        from = from.max(verb.end);
    }
    let comma = |at: usize| (at..chars.len()).find(|index| matches!(chars[*index], ',' | '，' | '、' | ':' | '،'));
    let first = words.first().map(|word| word.text.to_lowercase()).unwrap_or_default();
    let second = words.get(1).map(|word| word.text.to_lowercase()).unwrap_or_default();
    if is_said_first(&first, &second)
        && let Some(end) = comma(0)
        && !says_before(end)
    {
        from = from.max(end);
    }
    // "…에 따르면", "…によると": who says it stands in front.
    let text: String = chars.iter().collect();
    for turn in ["따르면", "의하면", "によると", "によれば"] {
        if let Some(at) = text.find(turn) {
            let end = text[..at].chars().count() + turn.chars().count();
            if !says_before(end) {
                from = from.max(end);
            }
        }
    }
    // "…, said the director.", "…, the director said.": who says it stands behind.
    let tail = (0..chars.len()).rev().find(|at| matches!(chars[*at], ',' | '，') && !says_after(*at));
    let is_told = words.last().is_some_and(is_saying);
    let until = words
        .iter()
        .find(|word| {
            let follows_comma = (0..word.start).rev().map(|index| chars[index]).find(|c| *c != ' ');
            follows_comma == Some(',')
                && !says_after(word.start)
                && (SAYING.contains(&format!(" {} ", word.text.to_lowercase()))
                    || matches!(word.text.as_str(), "according" | "so" | "laut" | "selon" | "según"))
        })
        .map(|word| word.start)
        .or(tail.filter(|at| is_told && says_before(*at)))
        .unwrap_or(chars.len());
    words.into_iter().filter(|word| from <= word.start && word.start < until).collect()
}

const SAYING: &str = " said says say stated states added adds noted notes reported reports announced announces claimed claims confirmed \
confirms informed informs explained told heard learned mentioned reminded recalled observed replied berichteten erläuterte \
informierte informó explicó comunicó expliqué informé riferito spiegato poinformował confirms writes wrote estimates shows showed sagte sagt erklärte teilte schreibt meldet meldete berichtet berichtete dit déclare déclaré \
indique affirme annonce annoncé dice dijo afirma indica informó señala сообщил сообщила сообщает заявил заявила пишет قال قالت ذكر ";

/// What follows a date in one run of signs: 2023年航次 speaks of 航次.
pub(crate) fn behind_date(word: &Word, end: usize) -> Option<Word> {
    if word.script != Script::Han || word.end <= end {
        return None;
    }
    let text: String = word.text.chars().skip(end - word.start).collect();
    let is_fiscal = text.starts_with('度');
    let start = end + usize::from(is_fiscal);
    Some(Word { start, text: text.chars().skip(usize::from(is_fiscal)).collect(), ..word.clone() })
}

/// A word behind a figure without the sign that only counts: 40艘船 counts 船.
pub(crate) fn without_counter(word: &Word) -> Word {
    const COUNTERS: &str = "名个個人家台辆艘座件张条只位户间所套吨隻棟冊匹頭軒社校本枚";
    let first = word.text.chars().next();
    if word.script != Script::Han || !first.is_some_and(|c| COUNTERS.contains(c)) {
        return word.clone();
    }
    Word { start: word.start + 1, text: word.text.chars().skip(1).collect(), ..word.clone() }
}
