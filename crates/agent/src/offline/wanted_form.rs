//! Which language, which length and which pair a request names.
//!
//! Owns these readings of a sentence. It must not know what becomes of them.

use super::number_words;
use super::wanted::Length;
use super::wanted_scope::{has_phrase, is_whole, phrases, plain_lower, plain_object, words_of};
use super::words::{self, Language};

/// The languages that a text names.
pub(crate) fn languages_in(text: &str) -> Vec<Language> {
    let mut found: Vec<Language> = Vec::new();
    for (names, language) in LANGUAGES {
        let is_named = names.split(' ').any(|name| match name.is_ascii() {
            true => text.split(|c: char| !c.is_alphabetic()).any(|word| word == name),
            false => text.contains(name),
        });
        if is_named && !found.contains(language) {
            found.push(*language);
        }
    }
    found
}

/// The language in which a text asks to answer: `in German`, `auf Deutsch`, `日本語で`.
pub(crate) fn asked_language(lower: &str) -> Option<Language> {
    const BEFORE: [&str; 14] = [
        "in ",
        "auf ",
        "en ",
        "em ",
        "in het ",
        "po ",
        "на ",
        "用",
        "w języku ",
        "into ",
        "als ",
        "di ",
        "in lingua ",
        "ins ",
    ];
    const BEHIND: [&str; 8] = ["で", "로", "으로", " olarak", "语写", " language", " version", "语"];
    for (names, language) in LANGUAGES {
        for name in names.split(' ') {
            for (at, _) in lower.match_indices(name) {
                let (front, rest) = (&lower[..at], &lower[at + name.len()..]);
                let is_whole = !name.is_ascii()
                    || (!front.ends_with(char::is_alphanumeric) && !rest.starts_with(char::is_alphanumeric));
                let is_asked = BEFORE.iter().any(|word| {
                    front.strip_suffix(word).is_some_and(|more| {
                        // 引用 is to quote, 使用 to use: neither says in which language to answer.
                        let is_verb = *word == "用" && more.ends_with(['引', '使', '采', '採']);
                        !is_verb && (more.is_empty() || !more.ends_with(char::is_alphanumeric) || !word.is_ascii())
                    })
                }) || BEHIND.iter().any(|word| rest.starts_with(word) && !name.is_ascii());
                // "sources in German" says what there is, "what is said in German" too.
                let is_there =
                    ["sources ", "documents ", "files ", "quotes ", "sentences ", "quellen ", "said ", "written "]
                        .iter()
                        .any(|word| {
                            front
                                .trim_end()
                                .rsplit_once(' ')
                                .is_some_and(|(more, _)| format!("{more} ").ends_with(word))
                        });
                if is_whole && is_asked && !is_there {
                    return Some(*language);
                }
            }
        }
    }
    None
}

const LANGUAGES: &[(&str, Language)] = &[
    (
        "english englisch englischer anglais inglés inglese inglês engels angielsku angielsk ingilizce английском английский 英語 英语 영어",
        Language::English,
    ),
    (
        "german deutsch deutscher deutsche deutschen allemand alemán tedesco alemão duits niemiecku almanca немецком немецкий ドイツ語 德语 독일어",
        Language::German,
    ),
    (
        "french französisch französische français française francés francese francês frans francusku fransızca французском французский フランス語 法语 프랑스어",
        Language::French,
    ),
    (
        "spanish spanisch spanische espagnol español spagnolo espanhol spaans hiszpańsku ispanyolca испанском スペイン語 西班牙语 스페인어",
        Language::Spanish,
    ),
    (
        "italian italienisch italienische italien italiano italiaans włosku italyanca итальянском イタリア語 意大利语 이탈리아어",
        Language::Italian,
    ),
    (
        "portuguese portugiesisch portugais portugués portoghese português portugees portugalsku portekizce португальском ポルトガル語 葡萄牙语 포르투갈어",
        Language::Portuguese,
    ),
    (
        "dutch niederländisch néerlandais neerlandés olandese holandês nederlands niderlandzku felemenkçe нидерландском オランダ語 荷兰语 네덜란드어",
        Language::Dutch,
    ),
    (
        "polish polnisch polonais polaco polacco polonês pools polsku lehçe польском ポーランド語 波兰语 폴란드어",
        Language::Polish,
    ),
    ("turkish türkisch turc turco turks turecku türkçe турецком トルコ語 土耳其语 터키어", Language::Turkish),
    (
        "russian russisch russische russe ruso russo rosyjsku rusça русском русский ロシア語 俄语 러시아어",
        Language::Russian,
    ),
    (
        "japanese japanisch japanische japonais japonés giapponese japonês japans japońsku japonca японском японский 日本語 日语 일본어",
        Language::Japanese,
    ),
    (
        "korean koreanisch koreanische coréen coreano koreaans koreańsku korece корейском корейский 韓国語 韩语 한국어",
        Language::Korean,
    ),
    (
        "chinese chinesisch chinesische chinois chino cinese chinês chinees chińsku çince китайском китайский 中国語 中文 중국어",
        Language::Chinese,
    ),
    (
        "arabic arabisch arabe árabe arabo arabisch arabsku arapça арабском アラビア語 阿拉伯语 아랍어 العربية",
        Language::Arabic,
    ),
];

/// How long a text asks the deliverable to be.
pub(crate) fn length(lower: &str) -> Option<Length> {
    type Make = fn(usize) -> Length;
    const UNITS: [(&str, Make); 5] = [
        (
            "page pages pager seite seiten página páginas pagina pagine pagina's strona strony stron sayfa страница страницы страниц страницу ページ 쪽 페이지 页",
            Length::Pages,
        ),
        (
            "word words wort worte wörter wörtern mot mots palabra palabras parole palavras woorden słów kelime слов 語 단어 字",
            Length::Words,
        ),
        (
            "sentence sentences satz sätze sätzen phrase frase frases frasi zinnen zdań zdania cümle предложений предложения 文 문장 句",
            Length::Entries,
        ),
        (
            "bullet bullets point points punkte punkten stichpunkte stichpunkten puces puntos punti pontos punten punktów madde пунктов 点 항목",
            Length::Entries,
        ),
        ("line lines zeile zeilen ligne lignes línea líneas righe linhas regels satır строк 行 줄", Length::Entries),
    ];
    if phrases("short").iter().any(|phrase| has_phrase(lower, phrase)) {
        return Some(Length::Pages(1));
    }
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let mut number: Option<usize> = None;
    for (index, word) in words.iter().enumerate() {
        let digits = word.chars().take_while(char::is_ascii_digit).count();
        let (count, rest) = word.split_at(digits);
        if let Ok(count) = count.parse::<usize>() {
            number = Some(count);
        } else if let Some(count) = number_words::small(word) {
            number = Some(count);
            continue;
        }
        let unit = if rest.is_empty() { "" } else { rest };
        let is_of = |list: &str| {
            list.split(' ').any(|one| one == unit || (!one.is_ascii() && !unit.is_empty() && unit.starts_with(one)))
        };
        if let (Some(count), Some((_, make))) = (number, UNITS.iter().find(|(list, _)| is_of(list)))
            && (1..=1_000_000).contains(&count)
            && !words.get(index + 1).is_some_and(|next| matches!(*next, "of" | "from"))
        {
            return Some(make(count));
        }
        if count.is_empty() && !matches!(*word, "bullet" | "short" | "kurze" | "more" | "single") {
            number = None;
        }
    }
    const PAGE: [&str; 9] = [
        "one-page",
        "one page",
        "single page",
        "single-page",
        "one-pager",
        "einseitig",
        "a page",
        "한 페이지",
        "한 쪽",
    ];
    PAGE.iter().any(|page| has_phrase(lower, page)).then_some(Length::Pages(1))
}

/// The two things that a sentence sets side by side.
pub(crate) fn sides(text: &str) -> Vec<String> {
    let lower = plain_lower(text);
    if lower.len() != text.len() {
        return sides_in(&lower);
    }
    sides_in(text)
}

fn sides_in(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return Vec::new();
    }
    let split = |object: &str, bonds: &[String]| -> Option<(String, String)> {
        let low = object.to_lowercase();
        let bond = |bond: &String| {
            let spaced = if bond.is_ascii() || words::script(bond.chars().next()?) == words::Script::Spaced {
                format!(" {bond} ")
            } else {
                bond.clone()
            };
            low.find(&spaced).map(|at| (at, spaced.len()))
        };
        let (at, length) = bonds.iter().filter_map(bond).min()?;
        let trim =
            |side: &str| plain_object(side.trim().trim_end_matches(['.', ',', '!', '?', '。'])).trim().to_owned();
        Some((trim(&object[..at]), trim(&object[at + length..])))
    };
    let ending = |object: &str| {
        let cut = [
            " as ",
            " in a ",
            " in terms",
            ", ",
            "; ",
            ". ",
            " als ",
            " en html",
            " in html",
            " in markdown",
            " regarding ",
            " using ",
            " with respect",
        ];
        let low = object.to_lowercase();
        let end = cut.iter().filter_map(|mark| low.find(mark)).min().unwrap_or(object.len());
        object[..end].to_owned()
    };
    let is_thing = |side: &String| !words_of(&side.to_lowercase()).is_empty() || side.contains('.');
    let found = |pair: Option<(String, String)>| {
        pair.filter(|(one, other)| is_thing(one) && is_thing(other) && one != other)
            .map(|(one, other)| vec![one, other])
    };
    for phrase in phrases("compare") {
        if let Some((at, _)) = lower.match_indices(phrase.as_str()).find(|(at, _)| is_whole(&lower, *at, phrase)) {
            let object = ending(&text[at + phrase.len()..]);
            return found(split(&object, phrases("and")).or_else(|| split(&object, phrases("versus"))))
                .unwrap_or_default();
        }
    }
    for phrase in phrases("compare_behind") {
        if let Some(at) = lower.find(phrase.as_str()) {
            return found(split(object_clause(&text[..at]), phrases("and"))).unwrap_or_default();
        }
    }
    let has_versus = [" vs ", " vs. ", " versus "].iter().any(|mark| lower.contains(mark));
    if has_versus {
        return found(split(&ending(text), phrases("versus"))).unwrap_or_default();
    }
    Vec::new()
}

/// The clause at the end of what stands in front of a verb.
fn object_clause(front: &str) -> &str {
    front.rsplit(['.', '。', ',', '、', '\n']).next().unwrap_or(front)
}
