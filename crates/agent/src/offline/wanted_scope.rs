//! What a sentence limits a report to, and what it leaves out: files, languages, years, sections, words.
//!
//! Owns the reading of these limits. It must not know what becomes of them. What is scoped stands behind words such as
//! `only about` and `ohne`, and in front of others such as `のみ` and `제외`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::dates::{Period, dates, plain_digits};
use super::paper::Kind;
use super::read::Form;
use super::request;
use super::vocabulary::{self, Part};
use super::wanted::{LanguageName, Matter};
use super::wanted_form::{asked_language, languages_in, length};
use super::words;

/// A limit or a ban, and what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) way: Way,
    pub(crate) object: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Only,
    Without,
}

pub(crate) fn plain_lower(text: &str) -> String {
    plain_digits(text).into_iter().collect::<String>().to_lowercase().replace('’', "'")
}

/// `lasse sales.csv weg`, `leave the prices out`: what is left out stands within the verb.
fn taken_out(lower: &str) -> Option<&str> {
    const VERBS: [(&str, &str); 9] = [
        ("lassen sie ", " weg"),
        ("lasse ", " weg"),
        ("lass ", " weg"),
        ("lasse ", " aus"),
        ("lass ", " aus"),
        ("leave ", " out"),
        ("laat ", " weg"),
        ("deja ", " fuera"),
        ("laisse ", " de côté"),
    ];
    VERBS.iter().find_map(|(front, end)| {
        let from = lower.find(front).filter(|at| is_whole(lower, *at, front.trim_end()))? + front.len();
        let rest = &lower[from..];
        let to = rest.find(end).filter(|at| is_whole(rest, *at + 1, end.trim_start()))?;
        let object = rest[..to].trim();
        (!object.is_empty() && object.split_whitespace().count() <= 8).then_some(object)
    })
}

/// The limits and bans of a sentence in lower case.
pub(crate) fn scopes(lower: &str) -> Vec<Scope> {
    if let Some(object) = taken_out(lower) {
        return vec![Scope { way: Way::Without, object: object.to_owned() }];
    }
    let mut marks: Vec<(usize, usize, Way, bool)> = Vec::new();
    for (kind, way, is_behind) in [
        ("only", Way::Only, false),
        ("without", Way::Without, false),
        ("only_behind", Way::Only, true),
        ("without_behind", Way::Without, true),
    ] {
        for phrase in phrases(kind) {
            for (at, _) in lower
                .match_indices(phrase.as_str())
                .filter(|(at, _)| is_whole(lower, *at, phrase) && is_mark(lower, *at, phrase))
            {
                marks.push((at, at + phrase.len(), way, is_behind));
            }
        }
    }
    // The longest of those that overlap; a mark behind its object only where the same words are none in front.
    marks.sort_by_key(|(start, end, _, is_behind)| (*start, usize::MAX - *end, *is_behind));
    let mut kept: Vec<(usize, usize, Way, bool)> = Vec::new();
    for mark in marks {
        if kept.last().is_none_or(|last| last.1 <= mark.0) {
            kept.push(mark);
        }
    }
    let mut found = Vec::new();
    for (index, (start, end, way, is_behind)) in kept.iter().enumerate() {
        if lower[..*start].trim_end().ends_with("not") && *way == Way::Only {
            continue;
        }
        let next = kept.get(index + 1).map_or(lower.len(), |mark| mark.0);
        let before = index.checked_sub(1).map_or(0, |index| kept[index].1);
        let behind = object_behind(&lower[*end..next]);
        // "Kyoto only": what is meant stands in front where nothing follows.
        let says_something = !words_of(behind).is_empty() || years_in(behind).is_some() || !parts_in(behind).is_empty();
        let in_front = *is_behind || (*way == Way::Only && !says_something);
        let object = if in_front { object_before(&lower[before..*start]) } else { behind };
        let object = object.trim().trim_end_matches([',', '.', ' ']).to_owned();
        if !words_of(&object).is_empty()
            || object.contains('.')
            || !parts_in(&object).is_empty()
            || years_in(&object).is_some()
        {
            found.push(Scope { way: *way, object });
        }
    }
    found
}

/// Whether a mark that stands in or behind other words is one: `만` of `교토만`, not that of `만들어`.
fn is_mark(lower: &str, at: usize, phrase: &str) -> bool {
    let before = lower[..at].chars().next_back();
    let after = lower[at + phrase.len()..].chars().next();
    let is_hangul = |c: Option<char>| c.is_some_and(|c| words::script(c) == words::Script::Hangul);
    match phrase {
        "만" => is_hangul(before) && before != Some('지') && (!is_hangul(after) || matches!(after, Some('을' | '의'))),
        "だけ" => before != Some('る'),
        "仅" | "只" | "仅关于" | "只关于" => before != Some('不'),
        "只看" | "只写" => true,
        _ => true,
    }
}

/// The sections that a text wants none of: `no charts`.
pub(crate) fn banned_parts(lower: &str) -> BTreeSet<Kind> {
    let mut found = BTreeSet::new();
    for phrase in phrases("no_part") {
        for (at, _) in lower.match_indices(phrase.as_str()).filter(|(at, _)| is_whole(lower, *at, phrase)) {
            let rest = object_behind(&lower[at + phrase.len()..]);
            let first: Vec<&str> = rest.split_whitespace().take(2).collect();
            found.extend(parts_in(&first.join(" ")));
        }
    }
    found
}

/// What follows a mark, up to where something else begins.
fn object_behind(rest: &str) -> &str {
    const ENDS: [&str; 30] = [
        ". ",
        "; ",
        "! ",
        "? ",
        "\n",
        " as html",
        " as markdown",
        " as csv",
        " as json",
        " as a ",
        " in html",
        " in markdown",
        " but ",
        " please",
        " because",
        " and deliver",
        " and write",
        " and make",
        " and leave",
        " aber ",
        " bitte",
        " mais ",
        " pero ",
        " als html",
        " als markdown",
        " en html",
        " au format",
        " et ne ",
        " (",
        " – ",
    ];
    let mut end = ENDS.iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    end = end.min(rest.find(['。', '！', '？', '；']).unwrap_or(end));
    // 京都的报告: what is reported stands in front of the particle.
    end = end
        .min(["的报告", "的内容", "的资料", "的文件"].iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(end));
    // A comma goes on with a list of a few words, and ends before a sentence of its own.
    for (at, _) in rest[..end].match_indices([',', '，', '、']) {
        let more = rest[at..end].trim_start_matches([',', '，', '、', ' ']);
        let segment = more.split([',', '，', '、']).next().unwrap_or(more);
        let asks = segment.split_whitespace().next().is_some_and(|word| ASKS.contains(&format!(" {word} ")));
        if segment.split_whitespace().count() > 4
            || asks
            || asked_language(segment).is_some()
            || length(segment).is_some()
        {
            end = at;
            break;
        }
    }
    rest[..end].trim_end_matches(['.', '!', '?'])
}

const ASKS: &str = " write make create give deliver produce show use list report summarise summarize compare leave as in at with \
    schreibe erstelle mache gib zeige als auf in mit écris fais en avec sur escribe haz en con como scrivi fai in con come \
    escreva faça em com schrijf maak in met napisz zrób w z напиши сделай на в с and und et y ";

/// What stands in front of a mark, back to where its sentence or list begins.
fn object_before(front: &str) -> &str {
    // A full stop ends a sentence only if a space follows: `sales.csv` has one inside.
    let mut ends = front.char_indices().filter(|(at, c)| match c {
        ',' | ';' | '。' | '、' | '，' | '！' | '\n' | ':' => true,
        '.' => front[at + 1..].starts_with(' '),
        _ => false,
    });
    let start = ends.next_back().map_or(0, |(at, c)| at + c.len_utf8());
    let front = &front[start..];
    let words: Vec<(usize, &str)> = front
        .split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty())
        .collect();
    // Right before the mark stands what is meant: the last word, or two where the scripts need them.
    match words.last() {
        Some((at, _)) => &front[*at..],
        None => front,
    }
}

/// The things of a list.
pub(crate) fn listed(object: &str) -> Vec<String> {
    let mut text = object.replace(['，', '、', ';'], ",");
    for bond in [
        " and ", " und ", " et ", " y ", " e ", " en ", " oraz ", " ve ", " и ", " or ", " oder ", " ou ", " o ",
        " sowie ",
    ] {
        text = text.replace(bond, ",");
    }
    text.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

/// What an object names.
pub(crate) fn matters(object: &str, sources: &[String], way: Way) -> Vec<Matter> {
    let mut found: Vec<Matter> = files_in(object, sources).into_iter().map(Matter::File).collect();
    if !found.is_empty() {
        return found;
    }
    if let Some(form) =
        form_in(object).filter(|_| has_phrase(object, "files") || has_phrase(object, "file") || way == Way::Without)
    {
        let of_form = sources.iter().filter(|path| Form::of(path) == Some(form));
        found.extend(of_form.map(|path| Matter::File(path.clone())));
        return found;
    }
    if let Some(years) = years_in(object) {
        return vec![years];
    }
    let languages = languages_in(object);
    if !languages.is_empty() {
        return languages.into_iter().map(|one| Matter::Language(LanguageName(one))).collect();
    }
    let is_form = !request::formats(&format!("as {object}"), sources).is_empty() || !request::beyond(object).is_empty();
    let words = words_of(object);
    if words.is_empty() || is_form || length(object).is_some() {
        return Vec::new();
    }
    vec![Matter::Words(plain_object(object), words)]
}

/// An object without the small words at its beginning.
pub(crate) fn plain_object(object: &str) -> String {
    let mut rest = object.trim().trim_matches(['"', '“', '”', '«', '»', '\'', '「', '」']);
    while let Some((first, more)) = rest.split_once(' ') {
        if !words::is_stop(first) && !matches!(first, "anything" | "all" | "everything" | "what" | "speaks") {
            break;
        }
        rest = more.trim_start();
    }
    rest.to_owned()
}

/// The words of an object that say something: kinds of things only where nothing else does.
pub(crate) fn words_of(object: &str) -> BTreeSet<String> {
    const FRAME: &str = " anything everything all instead stattdessen plutôt invece now this time mention mentions speak speaks concern concerns relate relates related hakkında ilgili konusunda dotyczące sentence sentences quote quotes source sources document documents file files data information \
        concerning regarding about thing things part parts section sections please report text words aussagen sätze quellen dokumente \
        teil alles cita citas fuentes phrase phrases citations frasi citazioni fonti frases zinnen bronnen zdania źródła ";
    let canonical = |word: String| match vocabulary::part(&word, &word) {
        Part::Subject(made) => made,
        _ => word,
    };
    let all: BTreeSet<String> = request::subject(object)
        .into_iter()
        .filter(|word| !FRAME.contains(&format!(" {word} ")))
        .map(canonical)
        .collect();
    let named: BTreeSet<String> = all.iter().filter(|word| !vocabulary::is_kind(word)).cloned().collect();
    if named.is_empty() { all } else { named }
}

/// The sources that a text names by their file names; a name with an ending is one even if nobody knows it.
fn files_in(text: &str, sources: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for path in sources {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        if text.contains(&name) || text.contains(&path.to_lowercase()) {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        for word in text.split(|c: char| c.is_whitespace() || "\"'`,;()".contains(c)) {
            let word = word.trim_end_matches(['.', ':', '!', '?']);
            let has_ending = word.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty()
                    && matches!(
                        ending,
                        "md" | "txt" | "csv" | "tsv" | "json" | "jsonl" | "html" | "htm" | "log" | "yaml" | "yml"
                    )
            });
            if has_ending {
                found.push(word.to_owned());
            }
        }
    }
    found
}

fn form_in(text: &str) -> Option<Form> {
    text.split(|c: char| !c.is_alphanumeric()).find_map(|word| match word {
        "csv" | "csvs" => Some(Form::Csv),
        "html" => Some(Form::Html),
        "json" => Some(Form::Json),
        "markdown" => Some(Form::Markdown),
        _ => None,
    })
}

/// The years of a text that names nothing else in time.
fn years_in(text: &str) -> Option<Matter> {
    let found = dates(&text.chars().collect::<Vec<_>>());
    let rest_is_said = request::subject(text).len() > 1;
    let year = |period: Period| {
        let text = period.to_string();
        text.get(..4)?.parse::<u16>().ok()
    };
    match found.as_slice() {
        [one] if !rest_is_said => match one.period {
            Period::Years(from, to) => Some(Matter::Years(from, to)),
            period => year(period).map(|year| Matter::Years(year, year)),
        },
        [one, other] if !rest_is_said => {
            let (one, other) = (year(one.period)?, year(other.period)?);
            Some(Matter::Years(one.min(other), one.max(other)))
        }
        _ => None,
    }
}

/// `since 2023`, `from 2021 to 2023`, `until 2020`: a stretch of years, wherever it stands.
pub(crate) fn stretch(lower: &str) -> Option<Matter> {
    let found = dates(&lower.chars().collect::<Vec<_>>());
    let years: Vec<(usize, u16)> = found
        .iter()
        .filter_map(|one| if let Period::Year(year) = one.period { Some((one.start, year)) } else { None })
        .collect();
    let chars: Vec<char> = lower.chars().collect();
    let before = |at: usize| chars[..at].iter().collect::<String>().trim_end().to_owned();
    let ends = |at: usize, words: &[&str]| {
        words.iter().any(|word| {
            let front = before(at);
            front.ends_with(word) && !front[..front.len() - word.len()].ends_with(char::is_alphanumeric)
        })
    };
    match years.as_slice() {
        [(first, from), (second, to)]
            if from < to
                && ends(*first, &["from", "between", "von", "zwischen", "de", "entre", "dal", "van", "od", "с"])
                && ends(
                    *second,
                    &["to", "until", "and", "bis", "und", "à", "et", "a", "y", "al", "e", "tot", "do", "по"],
                ) =>
        {
            Some(Matter::Years(*from, *to))
        }
        [(at, year)] if ends(*at, &["since", "seit", "depuis", "desde", "dal", "sinds", "od roku", "с", "from"]) => {
            Some(Matter::Years(*year, u16::MAX))
        }
        [(at, year)] if ends(*at, &["after", "nach", "après", "después de", "dopo il", "na", "po"]) => {
            Some(Matter::Years(year.saturating_add(1), u16::MAX))
        }
        [(at, year)] if ends(*at, &["until", "up to", "bis", "jusqu'en", "hasta", "fino al", "até", "tot", "до"]) => {
            Some(Matter::Years(0, *year))
        }
        [(at, year)] if ends(*at, &["before", "vor", "avant", "antes de", "prima del", "voor", "przed"]) => {
            Some(Matter::Years(0, year.saturating_sub(1)))
        }
        _ => None,
    }
}

/// The sections that a text names.
pub(crate) fn parts_in(text: &str) -> BTreeSet<Kind> {
    const PARTS: [(&str, Kind); 8] = [
        ("part_contradictions", Kind::Contradictions),
        ("part_figures", Kind::Figures),
        ("part_dates", Kind::Dates),
        ("part_charts", Kind::Charts),
        ("part_tables", Kind::Tables),
        ("part_phrases", Kind::Phrases),
        ("part_sources", Kind::Sources),
        ("part_summary", Kind::Summary),
    ];
    let is_named = |kind: &str| phrases(kind).iter().any(|phrase| has_phrase(text, phrase));
    PARTS.into_iter().filter(|(kind, _)| is_named(kind)).map(|(_, kind)| kind).collect()
}

pub(crate) fn is_part_word(word: &str) -> bool {
    static ALL: OnceLock<BTreeSet<String>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let kinds = [
            "part_contradictions",
            "part_figures",
            "part_dates",
            "part_charts",
            "part_tables",
            "part_phrases",
            "part_sources",
            "part_summary",
        ];
        kinds.iter().flat_map(|kind| phrases(kind)).flat_map(|phrase| words::content(phrase)).collect()
    });
    all.contains(word) || all.iter().any(|one| !one.is_ascii() && word.starts_with(one.as_str()))
}

pub(crate) fn has_phrase(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, _)| is_whole(lower, at, phrase))
}

/// Whether a phrase that stands at a place is not part of a longer word; scripts without spaces have no such ends.
pub(crate) fn is_whole(lower: &str, at: usize, phrase: &str) -> bool {
    let spaced = |c: Option<char>| c.is_some_and(|c| words::script(c) == words::Script::Spaced);
    let first = phrase.chars().next();
    let last = phrase.chars().next_back();
    let before = lower[..at].chars().next_back();
    let after = lower[at + phrase.len()..].chars().next();
    let begins = !spaced(first) || !spaced(before);
    // A stem of a listed word may go on: рекоменд, rekomendacj.
    let ends =
        !spaced(last) || !spaced(after) || (!phrase.is_ascii() && phrase.chars().count() >= 6 && !phrase.contains(' '));
    begins && ends && !(before == Some('-') && spaced(first))
}

pub(crate) fn phrases(kind: &str) -> &'static [String] {
    static ALL: OnceLock<BTreeMap<&'static str, Vec<String>>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let mut all: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
        for line in include_str!("vocabulary/asking.txt").lines().filter(|line| !line.starts_with('#')) {
            if let Some((kind, list)) = line.split_once(": ") {
                let list = list.split(" | ").map(|phrase| phrase.trim().to_owned()).filter(|phrase| !phrase.is_empty());
                all.entry(kind).or_default().extend(list);
            }
        }
        all
    });
    all.get(kind).map(Vec::as_slice).unwrap_or_default()
}
