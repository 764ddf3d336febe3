//! Who holds an office: a name beside the word for a responsibility, in a sentence or in a row.
//!
//! Owns the list of offices and how a name is known. It must not know what the names are compared with. It prefers silence:
//! a lone word with a capital, somebody who was it before, and a deputy are left out.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::words::{self, Word};

/// A name, the office, and where both stand among the words of a sentence.
pub(crate) struct Held {
    /// The words of the name, without titles.
    pub(crate) name: Vec<String>,
    pub(crate) office: &'static str,
    /// Where the name stands in the text.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The place of the word for the office.
    pub(crate) at: usize,
}

/// How many telling words may stand between an office and who holds it.
const BETWEEN: usize = 4;

/// The office that a word names.
pub(crate) fn office(lower: &str) -> Option<&'static str> {
    let list = list();
    if let Some(known) = list.whole.get(lower) {
        return Some(known);
    }
    // 担当責任者 holds 責任者.
    if lower.chars().all(|c| c >= '\u{2e80}') {
        let starts: Vec<usize> = lower.char_indices().map(|(at, _)| at).collect();
        let parts = starts.iter().map(|at| &lower[*at..]).filter(|part| part.chars().count() > 1);
        if let Some(known) = parts.filter_map(|part| list.whole.get(part)).next() {
            return Some(known);
        }
    }
    let ends: Vec<usize> = lower.char_indices().map(|(at, _)| at).skip(2).chain([lower.len()]).collect();
    ends.iter().rev().find_map(|end| list.beginnings.get(&lower[..*end]).copied()).or_else(|| {
        ends.iter().filter(|from| lower.len() - **from >= 6).find_map(|from| list.endings.get(&lower[*from..]).copied())
    })
}

/// All names of a sentence that stand beside an office.
pub(crate) fn held(chars: &[char], all: &[Word]) -> Vec<Held> {
    let lower: Vec<String> = all.iter().map(|word| word.text.to_lowercase()).collect();
    let names = names(chars, all, &lower);
    let mut found: Vec<Held> = Vec::new();
    for (at, word) in lower.iter().enumerate() {
        let Some(office) = office(word) else { continue };
        if is_other(&lower, at) {
            continue;
        }
        let distance = |(from, to): &(usize, usize)| match *to <= at {
            true => (*to..at).filter(|index| !words::is_stop(&lower[*index])).count(),
            false => (at + 1..*from).filter(|index| !words::is_stop(&lower[*index])).count(),
        };
        let is_joined = |(from, to): &&(usize, usize)| {
            let (start, end) =
                if *to <= at { (all[*to - 1].end, all[at].start) } else { (all[at].end, all[*from].start) };
            let gap: String = chars[start.min(end)..end.max(start)].iter().collect();
            let cuts = gap.matches([',', ';', '(', ')', '、', '。']).count();
            // A comma or a bracket right between them joins, further ones part.
            cuts == 0 || cuts == 1 && gap.chars().count() <= 16 && !gap.contains(';')
        };
        let near = names.iter().filter(|span| span.1 <= at || span.0 > at).filter(is_joined);
        let Some(span) = near.min_by_key(|span| (distance(span), span.0)) else { continue };
        if distance(span) > BETWEEN {
            continue;
        }
        let name: Vec<String> = lower[span.0..span.1].iter().filter(|word| !is_title(word)).cloned().collect();
        let (start, end) = (all[span.0].start, all[span.1 - 1].end);
        if !name.is_empty() && !found.iter().any(|known| known.start == start && known.office == office) {
            found.push(Held { name, office, start, end, at });
        }
    }
    found
}

/// All runs of words of a sentence that are a person's name: where they begin and end in the text, and their words.
pub(crate) fn people(chars: &[char], all: &[Word]) -> Vec<(usize, usize, Vec<String>)> {
    let lower: Vec<String> = all.iter().map(|word| word.text.to_lowercase()).collect();
    let made = |(from, to): (usize, usize)| {
        let name: Vec<String> = lower[from..to].iter().filter(|word| !is_title(word)).cloned().collect();
        (all[from].start, all[to - 1].end, name)
    };
    names(chars, all, &lower).into_iter().map(made).filter(|(.., name)| !name.is_empty()).collect()
}

/// Whether the text of a cell is a name and nothing else.
pub(crate) fn is_name(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let all = words::words(&chars);
    let lower: Vec<String> = all.iter().map(|word| word.text.to_lowercase()).collect();
    !all.is_empty() && all.len() <= 4 && names(&chars, &all, &lower) == [(0, all.len())]
}

/// Runs of words that are a person's name: two with capitals, one behind a title, or a Korean name of three signs.
fn names(chars: &[char], all: &[Word], lower: &[String]) -> Vec<(usize, usize)> {
    let is_part = |index: usize| {
        let word = &all[index];
        let is_initial = word.text.chars().count() == 1 && word.text.chars().all(char::is_uppercase);
        let is_capital = words::is_capitalised(&word.text) && !word.text.chars().all(char::is_uppercase);
        (is_initial || is_capital || is_title(&lower[index]))
            && office(&lower[index]).is_none()
            && (is_title(&lower[index]) || !words::is_stop(&lower[index]))
            && !word.text.contains(|c: char| c.is_ascii_digit())
    };
    let touches = |index: usize| {
        let gap = &chars[all[index - 1].end..all[index].start];
        gap.iter().all(|c| matches!(c, ' ' | '.' | '-' | '\u{a0}'))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if is_korean_name(&all[at].text) || is_called(chars, &all[at]) {
            found.push((at, at + 1));
            at += 1;
            continue;
        }
        if is_han_name(chars, all, lower, at) {
            let end = at + 1 + usize::from(is_apart(chars, all, at));
            found.push((at, end));
            at = end;
            continue;
        }
        let mut end = at;
        while end < all.len() && is_part(end) && (end == at || touches(end)) {
            end += 1;
        }
        // "Ask Tom Hill": a capital at the beginning need not be of a name.
        if at == 0 && end > 2 && !is_title(&lower[0]) {
            at = 1;
        }
        let titles = lower[at..end].iter().filter(|word| is_title(word)).count();
        let own = end - at - titles;
        if (own >= 2 || own == 1 && titles > 0) && own <= 4 {
            found.push((at, end));
        }
        at = end.max(at + 1);
    }
    found
}

/// Whether two short runs of signs have nothing but a gap between them, as family and given name have: 小田切 真由美.
fn is_apart(chars: &[char], all: &[Word], at: usize) -> bool {
    let is_short = |word: &Word| {
        (1..=3).contains(&word.text.chars().count())
            && word.text.chars().all(|c| matches!(c, '\u{3400}'..='\u{9fff}' | '々'))
    };
    all.get(at + 1).is_some_and(|next| {
        is_short(&all[at])
            && is_short(next)
            && next.start == all[at].end + 1
            && matches!(chars[all[at].end], ' ' | '\u{3000}')
    })
}

/// Whether a name in signs begins here: family and given name apart, or a short run behind an office and a gap (館長 宮本佳代).
fn is_han_name(chars: &[char], all: &[Word], lower: &[String], at: usize) -> bool {
    let count = all[at].text.chars().count();
    let is_signs = all[at].script == super::words::Script::Han && office(&lower[at]).is_none();
    let is_behind = at > 0
        && (3..=4).contains(&count)
        && all[at - 1].end + 1 == all[at].start
        && matches!(chars[all[at - 1].end], ' ' | '\u{3000}')
        && office(&lower[at - 1]).is_some();
    let is_held = at + 1 < all.len() && office(&lower[at + 1]).is_some();
    is_signs && (is_behind || is_apart(chars, all, at) && !is_held)
}

/// A family name of Korea, two signs more, and at most a particle.
fn is_korean_name(text: &str) -> bool {
    const FAMILIES: &str = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허남심노하곽성차주우구민";
    const PARTICLES: [&str; 12] = ["", "은", "는", "이", "가", "을", "를", "의", "씨", "님", "이다", "에게"];
    let rest: String = text.chars().skip(3).collect();
    let is_hangul = text.chars().all(|c| matches!(c, '\u{ac00}'..='\u{d7af}'));
    is_hangul
        && text.chars().count() >= 3
        && text.chars().next().is_some_and(|first| FAMILIES.contains(first))
        && PARTICLES.contains(&rest.as_str())
        && office(text).is_none()
        && super::things::things(text).is_empty()
}

/// Signs behind which somebody is called Mr or Ms.
fn is_called(chars: &[char], word: &Word) -> bool {
    let is_signs =
        (2..=5).contains(&word.text.chars().count()) && word.text.chars().all(|c| matches!(c, '\u{3400}'..='\u{9fff}'));
    let behind: String = chars[word.end..].iter().take(2).collect();
    is_signs
        && (behind.starts_with("さん")
            || behind.starts_with('氏')
            || behind.starts_with('様')
            || behind.starts_with("先生")
            || behind.starts_with("女士"))
}

fn is_title(lower: &str) -> bool {
    const TITLES: &str = "mr mrs ms miss dr prof professor rev sir dame lord lady herr frau hr fr dipl ing mag m mme mlle me maître sr sra srta \
        don doña dra d sig sigra dott dottssa dottoressa dottor dottore ing avv arch geom dona señor señora signor signora meneer mevrouw pan pani bay bayan г-н г-жа";
    TITLES.split_whitespace().any(|one| one == lower)
}

/// Whether the word before an office says that somebody else is meant: a deputy, or who held it before.
fn is_other(lower: &[String], at: usize) -> bool {
    const OTHER: &str = "former ex previous late outgoing retired vice deputy assistant incoming acting future next stellvertretende stellvertretender \
        stellvertretenden ehemalige ehemaliger früherer frühere ancien ancienne adjoint adjointe vice-présidente antiguo antigua exdirector saliente \
        adjunto adjunta ex-presidente anterior vecchio precedente uscente aggiunto aggiunta antigo antiga вице бывший бывшая заместитель 전 전임 부 前 元 副";
    let near = at.saturating_sub(2)..(at + 2).min(lower.len());
    lower[near].iter().any(|word| OTHER.split_whitespace().any(|one| one == word))
}

struct List {
    whole: HashMap<&'static str, &'static str>,
    beginnings: HashMap<&'static str, &'static str>,
    endings: HashMap<&'static str, &'static str>,
}

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let mut list = List { whole: HashMap::new(), beginnings: HashMap::new(), endings: HashMap::new() };
        for line in include_str!("vocabulary/roles.txt").lines().filter(|line| !line.starts_with('#')) {
            let Some(first) = line.split_whitespace().next() else { continue };
            for word in line.split_whitespace() {
                let place = match (word.starts_with('*'), word.ends_with('*')) {
                    (true, _) => &mut list.endings,
                    (_, true) => &mut list.beginnings,
                    _ => &mut list.whole,
                };
                place.entry(word.trim_matches('*')).or_insert(first);
            }
        }
        list
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_holds_an_office_is_read_from_a_sentence() {
        for (text, expected) in [
            ("Our safety lead is Dr Anna Berg.", "director: anna berg"),
            ("Find Tom Hill, he is the chair here.", "chair: tom hill"),
            ("Carla Ruiz (directora) abrió la sesión.", "director: carla ruiz"),
            ("Ansprechpartnerin ist Frau Keller.", "responsible: keller"),
            ("Said managing director Fiona Alder.", "director: fiona alder"),
            ("The former director Fiona Alder spoke.", ""),
            ("The director spoke in Berlin.", ""),
            ("담당자는 김민수 씨이다.", "responsible: 김민수"),
            ("館長の田中一郎さんが話した。", "director: 田中一郎"),
        ] {
            let chars: Vec<char> = text.chars().collect();
            let all = words::words(&chars);
            let found: Vec<String> =
                held(&chars, &all).iter().map(|one| format!("{}: {}", one.office, one.name.join(" "))).collect();
            assert_eq!(found.join("; "), expected, "{text} {all:?}");
        }
    }
}
