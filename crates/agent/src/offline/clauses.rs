//! Clauses: a sentence cut where one statement with a figure ends, and the words of each sorted.
//!
//! Owns what each word does in its clause. It must not know periods of documents, nor what claims are made of a clause.

use super::alike;
use super::asides;
use super::claims::Subject;
use super::dates::Dated;
use super::figures::Figure;
use super::names::At;
use super::place::Place;
use super::qualifiers::{self, Stands};
use super::speech;
use super::turns;
use super::units;
use super::vocabulary::{self, Part};
use super::words::{self, Language, Script, Word};

/// What a clause holds, once its words have been sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clause {
    pub(crate) subject: Subject,
    pub(crate) event: Option<&'static str>,
    /// The event as it is written.
    pub(crate) event_shown: String,
    pub(crate) is_plan: bool,
    pub(crate) change: Option<&'static str>,
    /// Whether something reaches as far as its figure says.
    pub(crate) is_running: bool,
    pub(crate) dates: Vec<Dated>,
    pub(crate) figures: Vec<Figure>,
}

/// Cuts a sentence where one statement with a figure ends and the next begins.
pub(crate) fn clauses(
    place: &Place<'_>,
    chars: &[char],
    words: &[Word],
    dates: &[Dated],
    figures: &[Figure],
) -> Vec<Clause> {
    let in_value = |index: usize| {
        figures.iter().any(|one| one.start <= index && index < one.end)
            || dates.iter().any(|one| one.start <= index && index < one.end)
    };
    let marks: Vec<usize> = (0..chars.len())
        .filter(|index| {
            matches!(chars[*index], ',' | ';' | '，' | '、' | '；' | '(' | '（' | '،' | '—' | '–') && !in_value(*index)
        })
        .collect();
    const JOINTS: &str = " and while but whereas compared versus vs against after und während aber gegenüber nach et mais contre y pero frente tras а и но против ";
    let is_joint = |word: &&Word| JOINTS.contains(&format!(" {} ", word.text.to_lowercase()));
    let joints: Vec<usize> = words.iter().filter(is_joint).map(|word| word.start).collect();
    let mut cuts = vec![0];
    cuts.extend(&marks);
    cuts.extend(&joints);
    // "rose from 61,000 in 2022 to 70,000 in 2023"
    const TARGETS: &str = " to auf à a до ";
    let is_target = |word: &&Word| {
        TARGETS.contains(&format!(" {} ", word.text.to_lowercase()))
            && figures.iter().any(|one| one.start == word.end + 1)
    };
    cuts.extend(words.iter().filter(is_target).map(|word| word.start));
    cuts.sort_unstable();
    cuts.push(chars.len());
    let has_value = |from: usize, to: usize| {
        figures.iter().any(|one| from <= one.start && one.start < to)
            || (figures.is_empty() && dates.iter().any(|one| from <= one.start && one.start < to))
    };
    let other = turns::goes_on_at(words);
    // A stretch without a figure belongs to the clause before it, or to the one after it at the beginning.
    let mut ranges = Vec::new();
    let mut from = 0;
    for pair in cuts.windows(2) {
        if has_value(from, pair[0]) && has_value(pair[0], pair[1]) {
            // "covers 190 hectares and gives work to 24 people": the second begins with its verb.
            let joint = joints.iter().copied().find(|at| from < *at && *at < pair[0] && !has_value(*at, pair[0]));
            let end = joint.unwrap_or(pair[0]);
            ranges.push(from..end);
            from = end;
        }
    }
    ranges.push(from..chars.len());
    let made = ranges.into_iter().map(|range| {
        // What follows the last value behind a comma tells more, but not what the figure is of.
        let ends = marks.iter().chain(&other).copied();
        let tail = ends.filter(|mark| range.contains(mark) && !has_value(*mark, range.end)).min();
        // What stands before a colon leads up to what is said.
        let head =
            range.clone().find(|at| matches!(chars[*at], ':' | '：') && !in_value(*at) && !has_value(range.start, *at));
        let core = head.unwrap_or(range.start)..tail.unwrap_or(range.end);
        let mut made = clause(place, words, dates, figures, range.clone(), &core);
        made.subject.marks.extend(qualifiers::numbered(chars, &range));
        made.subject.glossed = alike::glossed(chars, words);
        made
    });
    made.collect()
}

fn clause(
    place: &Place<'_>,
    words: &[Word],
    dates: &[Dated],
    figures: &[Figure],
    range: std::ops::Range<usize>,
    core: &std::ops::Range<usize>,
) -> Clause {
    let mut clause = Clause {
        dates: dates.iter().filter(|one| range.contains(&one.start)).copied().collect(),
        figures: figures.iter().filter(|one| range.contains(&one.start)).cloned().collect(),
        ..Clause::default()
    };
    let inside = |at: usize| {
        dates.iter().any(|one| one.start <= at && at < one.end)
            || figures.iter().any(|one| one.start <= at && at < one.end)
    };
    let stands = |at: usize| match dates.iter().any(|one| one.start <= at && at < one.end) {
        true => Stands::Date,
        false if inside(at) => Stands::Figure,
        false => Stands::Word,
    };
    // ", the other works the rest" is about another thing.
    let is_rest = words.iter().any(|word| {
        core.end <= word.start && word.start < range.end && matches!(word.text.as_str(), "rest" | "remainder" | "Rest")
    });
    clause.subject.marks = qualifiers::marks(words, &range, &stands);
    let predicate = asides::predicate_at(words, figures);
    for (index, word) in words.iter().enumerate().filter(|(_, word)| range.contains(&word.start)) {
        let next = words.get(index + 1).map(|next| next.text.to_lowercase()).unwrap_or_default();
        // "900 kg a week" is a rate, "a week ticket" is none.
        let is_behind = figures.iter().any(|one| one.end <= word.start && word.start < one.end + 30);
        let is_article = matches!(word.text.as_str(), "a" | "an" | "A" | "An");
        if let Some(rate) = speech::rate(&word.text.to_lowercase(), &next).filter(|_| is_behind || !is_article) {
            clause.subject.words.insert(rate.to_owned());
        }
        let end = dates.iter().find(|one| one.start <= word.start && word.start < one.end).map(|one| one.end);
        let behind = end.and_then(|end| speech::behind_date(word, end));
        let word = behind.as_ref().unwrap_or(word);
        if inside(word.start) || (is_rest && word.start >= core.end) {
            continue;
        }
        // "opened in 1998" happens once, "opened three shops in 2023" may happen again.
        let is_once = words.get(index + 1).is_none_or(|next| {
            // Where the verb stands first, what follows is who did it.
            word.script != Script::Spaced
                || place.language == Language::Arabic
                || words::is_stop(&next.text.to_lowercase())
                || inside(next.start)
        });
        let counted = figures.iter().any(|one| one.end == word.start);
        if counted && word.script == Script::Hangul {
            continue;
        }
        let is_by = is_by_whom(&words[..index], &range, core, dates, figures);
        let is_event = matches!(vocabulary::part("", &word.text.to_lowercase()), Part::Event(_));
        if is_by && !is_event {
            continue;
        }
        let word = if counted { speech::without_counter(word) } else { word.clone() };
        let is_aside = !core.contains(&word.start)
            || predicate.is_some_and(|at| at <= word.start)
            || asides::is_predicate(words, index, figures);
        sort_word(place, &word, is_once, is_aside, &mut clause);
    }
    let said: Vec<Word> = words.iter().filter(|word| core.contains(&word.start)).cloned().collect();
    deed(place.language, &said, figures, core, &mut clause);
    turn(&said, &mut clause);
    clause
}

/// "founded in 1967 by Edda Lorne": who did it does not tell what was done. So it is in what is told besides: "has 34 singers
/// and was founded by Maja Lind".
fn is_by_whom(
    before: &[Word],
    range: &std::ops::Range<usize>,
    core: &std::ops::Range<usize>,
    dates: &[Dated],
    figures: &[Figure],
) -> bool {
    before.iter().any(|by| {
        let is_behind = figures.is_empty() && dates.iter().any(|date| date.end <= by.start);
        range.contains(&by.start) && asides::BY.contains(&by.text.as_str()) && (is_behind || by.start >= core.end)
    })
}

/// Whether something is had, or what else is done with what is counted.
fn deed(language: Language, said: &[Word], figures: &[Figure], core: &std::ops::Range<usize>, clause: &mut Clause) {
    let is_possession = |word: &Word| vocabulary::is_possession(&word.text.to_lowercase(), language);
    clause.subject.has_possession = said.iter().any(is_possession);
    match clause.subject.has_possession {
        true => clause.subject.verbs.clear(),
        false => verb_before_figure(said, figures, core, clause),
    }
}

/// `La ferme exploite 74 hectares`: the small word right before what is counted, where no known verb stands, is one.
fn verb_before_figure(inside: &[Word], figures: &[Figure], core: &std::ops::Range<usize>, clause: &mut Clause) {
    let lower = |word: &Word| word.text.to_lowercase();
    let is_known = |word: &Word| vocabulary::is_verb(&words::key(word).unwrap_or_default(), &lower(word));
    let has_verb = clause.subject.action.is_some() || !clause.subject.verbs.is_empty();
    if has_verb || clause.event.is_some() || inside.iter().any(is_known) {
        return;
    }
    let Some(figure) = figures.iter().find(|figure| core.contains(&figure.start)) else { return };
    let Some(at) = inside.iter().position(|word| word.end + 1 == figure.start) else { return };
    let verb = &inside[at];
    // Behind a preposition or an article stands a noun; before a price, whatever is sold.
    let is_behind_noun = at > 0 && !words::is_stop(&lower(&inside[at - 1]));
    let is_counted = !units::is_currency(&figure.unit.to_lowercase());
    let is_verb = is_behind_noun && is_counted && verb.script == Script::Spaced && !words::is_capitalised(&verb.text);
    let Some(key) = words::key(verb).filter(|key| is_verb && !vocabulary::is_common(key)) else { return };
    // What is counted without a unit is told apart by such a word, unless its form says that it is a verb.
    let is_sure = !figure.unit.is_empty() || clause.subject.loose.contains(&key);
    if is_sure && clause.subject.words.remove(&key) {
        clause.subject.loose.remove(&key);
        clause.subject.shown.retain(|shown| *shown != verb.text);
        clause.subject.verbs.insert(key);
    }
}

/// What several words together say of a clause.
fn turn(words: &[Word], clause: &mut Clause) {
    let subject = &mut clause.subject;
    let known = subject.action;
    subject.action = turns::action(words, known);
    if subject.action != known {
        subject.verbs.clear();
    }
    clause.is_running = turns::is_running(words);
    if turns::is_there_since(words) && clause.event.is_none() {
        clause.event = Some("founded");
        subject.verbs = ["founded".to_owned()].into();
        subject.marks.remove("time:from");
        subject.words.retain(|word| !turns::is_since(word));
    }
    if let Some((measure, said)) = turns::people(words) {
        subject.words.retain(|word| !said.contains(word));
        subject.names.retain(|word| !said.contains(word));
        match measure {
            "employee" => subject.action = subject.action.or(Some("employ")),
            measure => drop(subject.words.insert(measure.to_owned())),
        }
    }
    if turns::is_turned_over(words) {
        subject.words.retain(|word| word != "setzte" && word != "setzt");
        subject.words.insert("revenue".to_owned());
    }
    if turns::is_above_sea(words) {
        subject.words.insert("height".to_owned());
        subject.words.retain(|word| !turns::is_sea(word));
    }
    for whom in turns::opened_for(words) {
        subject.marks.remove(&format!("way {whom}:to"));
        if let Part::Subject(made) = vocabulary::part(&whom, &whom) {
            subject.words.remove(&made);
        }
        subject.words.remove(&whom);
        subject.names.remove(&whom);
    }
}

pub(crate) fn sort_word(place: &Place<'_>, word: &Word, is_once: bool, is_aside: bool, clause: &mut Clause) {
    let lower = word.text.to_lowercase();
    // Stop words have no key, but some of them change what is claimed.
    let key = words::key(word).unwrap_or_default();
    let part = part_of(place, word, &key, &clause.subject);
    let subject = &mut clause.subject;
    match part {
        _ if turns::is_spreading(&lower) || turns::is_existing(&lower) => {}
        _ if vocabulary::is_stretch(&lower) => {
            subject.words.insert(lower);
        }
        Part::Plan => clause.is_plan = true,
        Part::Change(direction) => clause.change = clause.change.or(Some(direction)),
        Part::Event(event) => {
            if clause.event.is_none() && is_once {
                clause.event = Some(event);
                clause.event_shown.clone_from(&word.text);
            }
            if !is_aside {
                subject.verbs.insert(event.to_owned());
            }
            subject.action = subject.action.or(vocabulary::action(&key, &lower));
        }
        Part::Action(action) => subject.action = subject.action.or((!is_aside).then_some(action)),
        Part::Nothing if !is_aside => subject.verbs.extend(vocabulary::past_verb(&key, &lower)),
        Part::Doubt | Part::Share | Part::Nothing => {}
        // Plant B, site C12, line 3: what is no word can still be a name.
        Part::Subject(_) if key.is_empty() => {
            let is_letter = word.text.chars().count() == 1 && words::is_capitalised(&word.text) && word.start > 0;
            if (is_letter && lower != "i") || lower.chars().any(|c| c.is_ascii_digit()) {
                subject.words.insert(lower);
                subject.shown.push(word.text.clone());
            }
        }
        Part::Subject(made) => take_subject(place, word, (&key, made), is_aside, subject),
    }
}

/// What a word does; Le Rose, Poggio Alto: what is written like a name is one, whatever the word means.
fn part_of(place: &Place<'_>, word: &Word, key: &str, subject: &Subject) -> Part {
    let is_named = !key.is_empty() && speech::is_named_inside(word, place.language);
    match vocabulary::part(key, &word.text.to_lowercase()) {
        Part::Change(_) | Part::Plan | Part::Share | Part::Doubt if is_named => Part::Subject(key.to_owned()),
        Part::Subject(made) if is_named && made != key && subject.is_behind_name(word) => Part::Subject(key.to_owned()),
        part => part,
    }
}

/// Takes a word that a claim is about.
fn take_subject(place: &Place<'_>, word: &Word, (key, made): (&str, String), is_aside: bool, subject: &mut Subject) {
    let lower = word.text.to_lowercase();
    let joined = match (word.script, place.language) {
        (Script::Han, _) => vocabulary::split_measure(&made),
        (_, Language::German | Language::Dutch) => vocabulary::split_compound(&made),
        _ => None,
    };
    let made = match joined {
        Some((front, measure)) if made == key => {
            subject.words.insert(measure.to_owned());
            front
        }
        _ => made,
    };
    let at = if word.start == 0 { At::Beginning } else { At::Inside };
    // Verbs of Korean are long, too.
    let is_form = word.script == Script::Hangul && vocabulary::is_loose(&lower, place.language);
    let is_besides = is_aside && word.script != Script::Spaced;
    let is_name = place.names.is_name(word, key, at, place.language) && !is_form && !is_besides;
    if is_name {
        subject.last_name = Some(word.end);
        subject.names.insert(made.clone());
        if word.script == Script::Spaced && !subject.order.contains(&made) {
            subject.order.push(made.clone());
        }
    }
    // In German a capital says that it is none.
    let is_noun = place.language == Language::German && word.start > 0 && words::is_capitalised(&word.text);
    let is_verb = vocabulary::is_loose(&lower, place.language) && !vocabulary::is_measure(&made) && !is_noun;
    let is_loose = is_aside || is_verb || vocabulary::is_generic(&made);
    if is_loose && !is_name {
        subject.loose.insert(made.clone());
    }
    if !is_loose {
        let is_hangul = word.script == Script::Hangul;
        subject.shown.push(if is_hangul { key.to_owned() } else { words::bare(&word.text) });
    }
    subject.words.insert(made);
}

/// A later clause without a measure, or without an entity, has that of the clause before.
pub(crate) fn carry(clause: &mut Clause, last: Option<&Clause>) {
    let Some(last) = last else { return };
    let has_measure = clause.subject.words.iter().any(|word| vocabulary::is_common(word));
    let has_entity = clause.subject.words.iter().any(|word| !vocabulary::is_common(word));
    // "holds 164,000 volumes and employs 37 people": what was counted there is not counted here.
    let is_other_deed = clause.subject.action.is_some() && clause.subject.action != last.subject.action;
    let is_thing = |word: &String| last.subject.names.contains(word) || vocabulary::is_kind(word);
    let is_carried = |word: &&String| match vocabulary::is_common(word) {
        true => !has_measure && !is_other_deed,
        false => !has_entity && (!is_other_deed || is_thing(word)),
    };
    // "is 68 km long and has 14 stations": the second is of the same thing, and no length.
    let unit = |clause: &Clause| clause.figures.first().map(|figure| figure.unit.clone());
    let is_other_unit = unit(clause) != unit(last);
    let is_size = |word: &String| ["length", "height", "width", "depth", "distance", "area"].contains(&word.as_str());
    let is_carried = |word: &&String| is_carried(word) && !(is_other_unit && is_size(word));
    let own = &mut clause.subject;
    if own.names.is_empty() && (own.has_possession || own.action.is_some()) {
        own.words.extend(last.subject.words.iter().filter(|word| is_thing(word)).cloned());
        own.names.extend(last.subject.names.iter().cloned());
    }
    own.words.extend(last.subject.words.iter().filter(is_carried).cloned());
    own.names.extend(last.subject.names.iter().filter(is_carried).cloned());
    own.loose.extend(last.subject.loose.iter().filter(is_carried).cloned());
    own.action = own.action.or(last.subject.action);
    if own.verbs.is_empty() && own.action.is_none() {
        own.verbs.clone_from(&last.subject.verbs);
    }
    if own.marks.is_empty() {
        own.marks.clone_from(&last.subject.marks);
    }
    if !has_measure || !has_entity {
        let mut shown = last.subject.shown.clone();
        if has_measure {
            shown.retain(|word| !clause_has_measure(word));
        }
        shown.append(&mut own.shown);
        own.shown = shown;
    }
    clause.is_plan |= last.is_plan;
}

fn clause_has_measure(shown: &str) -> bool {
    words::content(shown).iter().any(|key| vocabulary::is_measure(key))
}
