//! Words of several scripts: which carry content, and in what form two of them are the same.
//!
//! Owns the word lists. It must not know files, figures or plans. Nothing here understands a language: a word is
//! content if no list says otherwise, and two words are the same if they are equal once endings are taken off.

use std::collections::HashSet;
use std::sync::OnceLock;

/// How a run of characters is cut into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Script {
    Spaced,
    Hangul,
    Han,
    Katakana,
    Hiragana,
    Other,
}

/// One word with its place, counted in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
    pub(crate) script: Script,
}

pub(crate) fn script(c: char) -> Script {
    match c {
        '\u{3041}'..='\u{309f}' => Script::Hiragana,
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Script::Katakana,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}' => {
            Script::Han
        }
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => Script::Hangul,
        c if c.is_alphanumeric() => Script::Spaced,
        // Vowel signs and viramas are marks, and belong to the letter before them.
        '\u{0900}'..='\u{0dff}' | '\u{0300}'..='\u{036f}' | '\u{064b}'..='\u{065f}' => Script::Spaced,
        _ => Script::Other,
    }
}

/// Whether text of this script is written without spaces between words.
pub(crate) fn unspaced(c: char) -> bool {
    matches!(script(c), Script::Han | Script::Katakana | Script::Hiragana)
        || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff20}')
}

/// Cuts text into words: at spaces and signs, and where the script changes in scripts without spaces.
pub(crate) fn words(chars: &[char]) -> Vec<Word> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let kind = script(chars[at]);
        if kind == Script::Other {
            at += 1;
            continue;
        }
        let start = at;
        while at < chars.len() && (script(chars[at]) == kind || joins(chars, at, kind)) {
            let is_in_all = matches!(chars[at], '共' | '现' | '現') && chars.get(at + 1) == Some(&'有');
            if kind == Script::Han && (is_in_all || is_function_character(chars[at])) {
                break;
            }
            at += 1;
        }
        if at > start {
            let text = chars[start..at].iter().collect();
            found.push(Word { start, end: at, text, script: kind });
        } else {
            at += 1;
        }
    }
    found
}

/// A hyphen, apostrophe or dot inside a word of a spaced script does not end it.
fn joins(chars: &[char], at: usize, kind: Script) -> bool {
    kind == Script::Spaced
        && matches!(chars[at], '-' | '\'' | '\u{2019}' | '_' | '&')
        && chars.get(at + 1).is_some_and(|c| script(*c) == Script::Spaced)
}

/// Chinese words that are grammar, and so end a word in front of them.
fn is_function_character(c: char) -> bool {
    matches!(
        c,
        '的' | '了'
            | '是'
            | '为'
            | '為'
            | '在'
            | '和'
            | '与'
            | '與'
            | '有'
            | '达'
            | '達'
            | '于'
            | '於'
            | '其'
            | '及'
            | '也'
            | '而'
            | '就'
    )
}

/// The content words of a text in the form in which they are compared, in order, with repetitions.
pub(crate) fn content(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    words(&chars).iter().filter_map(key).collect()
}

/// The form in which a word is compared; nothing for a word without content of its own.
pub(crate) fn key(word: &Word) -> Option<String> {
    match word.script {
        Script::Hiragana | Script::Other => None,
        Script::Han => {
            let long_enough = word.text.chars().count() > 1;
            (long_enough && !STOP_HAN.contains(&word.text.as_str())).then(|| word.text.clone())
        }
        Script::Katakana => Some(word.text.clone()),
        Script::Hangul => {
            let stem = without_particle(&word.text);
            // 명이, 개를: what only counts, with its particle.
            let mut letters = word.text.chars();
            let is_counted = letters.next().is_some_and(|c| "명개척대곳건권".contains(c));
            let rest = letters.as_str();
            let is_counter = is_counted
                && (rest.chars().count() == 1 && "이을를은는의가에".contains(rest)
                    || matches!(rest, "이다" | "입니다" | "이었다" | "였다" | "이며" | "이고"));
            if is_counter {
                return None;
            }
            (!STOP_HANGUL.contains(&stem.as_str()) && stem.chars().count() > 1).then_some(stem)
        }
        Script::Spaced => {
            let lower = word.text.to_lowercase();
            let lower = without_elision(&lower);
            if lower.chars().all(|c| c.is_numeric()) || is_stop(lower) {
                return None;
            }
            let stem = stem(lower);
            let letters = stem.chars().filter(|c| c.is_alphabetic()).count();
            // "Las Eras" is a name, though without its ending it is a small word.
            let is_small = is_stop(&stem);
            let stem = if is_small { lower.to_owned() } else { stem };
            (letters > 1 && (!is_small || is_capitalised(&word.text))).then_some(stem)
        }
    }
}

/// A word as it is shown among others: without the ending of a possessive.
pub(crate) fn bare(text: &str) -> String {
    text.trim_end_matches("'s").trim_end_matches("\u{2019}s").to_owned()
}

pub(crate) fn is_stop(lower: &str) -> bool {
    static ALL: OnceLock<HashSet<&'static str>> = OnceLock::new();
    ALL.get_or_init(|| STOP.iter().flat_map(|list| list.split_ascii_whitespace()).collect()).contains(lower)
}

/// `l'usine`, `d'euros`: what stands before the apostrophe is an article or the like.
fn without_elision(lower: &str) -> &str {
    const ELIDED: [&str; 12] = ["l", "d", "qu", "n", "s", "j", "c", "m", "t", "jusqu", "dell", "nell"];
    match lower.split_once(['\'', '\u{2019}']) {
        Some((before, rest)) if ELIDED.contains(&before) && rest.chars().count() > 1 => rest,
        _ => lower,
    }
}

/// Russian words without the ending of their case, Arabic and Hebrew ones without what is written together with them.
fn stem_other(word: &str) -> Option<String> {
    let count = word.chars().count();
    match word.chars().next()? {
        '\u{0400}'..='\u{04ff}' if count > 4 => {
            const ENDINGS: [&str; 33] = [
                "иями", "ями", "ами", "ого", "его", "ому", "ему", "ыми", "ими", "ов", "ев", "ам", "ям", "ах", "ях",
                "ом", "ем", "ой", "ей", "ий", "ый", "ая", "яя", "ое", "ее", "ые", "ие", "ых", "их", "ую", "а", "е",
                "и",
            ];
            const SHORT: [&str; 6] = ["у", "ю", "ы", "я", "о", "ь"];
            let ending = ENDINGS.iter().chain(&SHORT).find(|ending| word.ends_with(**ending))?;
            let stem = word.strip_suffix(ending)?;
            (stem.chars().count() >= 3).then(|| stem.to_owned())
        }
        '\u{0600}'..='\u{06ff}' => {
            let article = ["وال", "بال", "لل", "ال"].iter().find(|article| word.starts_with(**article))?;
            let stem = word.strip_prefix(article)?;
            (stem.chars().count() >= 3).then(|| stem.to_owned())
        }
        // Hebrew writes "in", "the", "and" and "to" together with the word.
        '\u{05d0}'..='\u{05ea}' => {
            let first = ['ו', 'ב', 'ה', 'ל', 'כ', 'ש'].into_iter().find(|prefix| word.starts_with(*prefix))?;
            let stem = word.strip_prefix(first)?;
            (stem.chars().count() >= 3).then(|| stem.to_owned())
        }
        _ => None,
    }
}

/// English and near-English endings: possessive and plural. Other words stay as they are.
pub(crate) fn stem(lower: &str) -> String {
    let word = lower.trim_end_matches("'s").trim_end_matches("\u{2019}s").trim_end_matches(['\'', '\u{2019}']);
    let count = word.chars().count();
    if let Some(stem) = stem_other(word) {
        return stem;
    }
    if !word.is_ascii() || count < 4 {
        return word.to_owned();
    }
    if let Some(base) = word.strip_suffix("ies") {
        return if count > 4 { format!("{base}y") } else { word.to_owned() };
    }
    for ending in ["sses", "xes", "ches", "shes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        return word[..word.len() - 1].to_owned();
    }
    word.to_owned()
}

/// Takes one Korean particle off, if a word of at least two syllables is left.
fn without_particle(word: &str) -> String {
    const PARTICLES: [&str; 29] = [
        "에는",
        "에도",
        "으로는",
        "으로부터",
        "에서는",
        "에게서",
        "이었다",
        "이었습니다",
        "입니다",
        "이다",
        "에서",
        "에게",
        "으로",
        "부터",
        "까지",
        "보다",
        "처럼",
        "이며",
        "의",
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "에",
        "로",
        "과",
        "와",
    ];
    for particle in PARTICLES {
        if let Some(stem) = word.strip_suffix(particle)
            && stem.chars().count() >= 2
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

/// Whether a word begins with a capital letter, as names do in scripts that have capitals.
pub(crate) fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// Languages told apart by their script, and within Latin by their most frequent words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Turkish,
    Polish,
    Dutch,
    Russian,
    Korean,
    Japanese,
    Chinese,
    Arabic,
    Devanagari,
    Unknown,
}

impl Language {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "German",
            Self::French => "French",
            Self::Spanish => "Spanish",
            Self::Italian => "Italian",
            Self::Portuguese => "Portuguese",
            Self::Turkish => "Turkish",
            Self::Polish => "Polish",
            Self::Dutch => "Dutch",
            Self::Russian => "Russian",
            Self::Korean => "Korean",
            Self::Japanese => "Japanese",
            Self::Chinese => "Chinese",
            Self::Arabic => "Arabic",
            Self::Devanagari => "a language in Devanagari",
            Self::Unknown => "the language of the request",
        }
    }

    /// Its code, as pages name it.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::Portuguese => "pt",
            Self::Turkish => "tr",
            Self::Polish => "pl",
            Self::Dutch => "nl",
            Self::Russian => "ru",
            Self::Korean => "ko",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
            Self::Arabic => "ar",
            Self::Devanagari => "hi",
            Self::Unknown => "und",
        }
    }

    /// Whether a comma stands before the decimals.
    pub(crate) fn has_decimal_comma(self) -> bool {
        matches!(
            self,
            Self::German
                | Self::French
                | Self::Spanish
                | Self::Italian
                | Self::Portuguese
                | Self::Turkish
                | Self::Polish
                | Self::Dutch
                | Self::Russian
        )
    }
}

/// The language of a text, by the script of most of its letters and then by its stop words.
pub(crate) fn language(text: &str) -> Language {
    let (mut latin, mut hangul, mut kana, mut han, mut arabic, mut devanagari, mut cyrillic) = (0, 0, 0, 0, 0, 0, 0);
    for c in text.chars().take(20_000) {
        match c {
            '\u{0600}'..='\u{06ff}' => arabic += 1,
            '\u{0900}'..='\u{097f}' => devanagari += 1,
            '\u{0400}'..='\u{04ff}' => cyrillic += 1,
            _ => match script(c) {
                Script::Hangul => hangul += 1,
                Script::Hiragana | Script::Katakana => kana += 1,
                Script::Han => han += 1,
                Script::Spaced if c.is_alphabetic() => latin += 1,
                _ => {}
            },
        }
    }
    // One sign of a script without spaces says about as much as three letters.
    let most = [latin, hangul * 3, (kana + han) * 3, arabic, devanagari, cyrillic].into_iter().max().unwrap_or(0);
    match most {
        0 => Language::Unknown,
        n if n == hangul * 3 => Language::Korean,
        n if n == (kana + han) * 3 => {
            if kana * 10 > han {
                Language::Japanese
            } else {
                Language::Chinese
            }
        }
        n if n == arabic => Language::Arabic,
        n if n == devanagari => Language::Devanagari,
        n if n == cyrillic => Language::Russian,
        _ => latin_language(text),
    }
}

fn latin_language(text: &str) -> Language {
    const OF: [Language; 9] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Italian,
        Language::Portuguese,
        Language::Turkish,
        Language::Polish,
        Language::Dutch,
    ];
    let mut hits = [0_usize; 9];
    let mut count = 0;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(4_000) {
        count += 1;
        let lower = word.to_lowercase();
        for (index, list) in STOP.iter().take(6).chain(&FURTHER).enumerate() {
            let has = |list: &str| list.split_ascii_whitespace().any(|stop| stop == lower);
            hits[index] += usize::from(has(list) || has(TELLING[index]));
        }
    }
    // Letters that one language has and the others do not say more than a short word that many share.
    let letters = |signs: &str| text.chars().take(20_000).filter(|c| signs.contains(*c)).count();
    hits[6] += letters("ğışİĞŞ");
    hits[7] += letters("ąćęłńśźżŁŚŻ");
    let best = hits.iter().copied().max().unwrap_or(0);
    // A text in which hardly any word is known is in a language that is not known here, or in none.
    if best == 0 || (count > 30 && best * 25 < count) {
        return Language::Unknown;
    }
    hits.iter().position(|hit| *hit == best).map_or(Language::Unknown, |index| OF[index])
}

/// Further words that tell these languages, in the same order: those of requests, and small ones that are no stop words here.
const TELLING: [&str; 9] = [
    "write make report summarise summary compare",
    "schreibe erstelle bericht vergleiche mache zeige",
    "écris rédige rapport fais résume comparer villes l d",
    "escribe informe haz resume compara ciudades",
    "scrivi relazione fai riassumi confronta città e i le la sulle sui sugli sulla loro dalle dai",
    "escreva faça relatório resuma compare cidades e a as aos pelos pelas",
    "yaz hazırla rapor karşılaştır hakkında",
    "napisz zrób raport porównaj podsumuj ich ich",
    "schrijf maak verslag vergelijk samenvatting hun",
];

/// The most frequent words of languages whose words are not otherwise known.
const FURTHER: [&str; 3] = [
    "ve bir bu da de için ile olarak olan çok daha en gibi kadar sonra yılında yılı olduğu göre var tarafından",
    "i w z na do nie się jest oraz od po przez dla za jak ale to o że był była było były roku ze",
    "de het een en van in is op te dat die voor met zijn niet aan er om ook als bij nog uit naar heeft werd door over hij zij was waren worden deze dit of maar wordt tot",
];

/// Words without content: English, German, French, Spanish, Italian, Portuguese first, in the order that `latin_language` counts on.
const STOP: [&str; 14] = [
    "a about above after again all also am an and any are as at be because been before being below between both but by \
     can could did do does doing down during each few for from further had has have having he her here hers him his how \
     however i if in into is it its itself just may me might more most must my no nor not now of off on once only or \
     other our ours out over own per same shall she should so some such than that the their theirs them then there these \
     they this those through to too under until up upon us very was we were what when where which while who whom whose \
     why will with within without would you your yours please onto via",
    "aber alle allem allen aller alles als also am an andere auch auf aus bei beim bin bis da damit dann das dass dem den \
     denn der des die dies diese diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es für gegen \
     hat hatte hatten haben ich ihr ihre im in ist ja kann kein keine man mehr mit nach nicht noch nur ob oder ohne sein \
     seine sich sie sind so über um und uns unter vom von vor war waren was wenn wer werden wie wir wird wurde wurden zu \
     zum zur zwischen bitte",
    "au aux avec ce ces cet cette dans de des du elle elles en entre est et eux il ils je la le les leur leurs lui mais \
     me même mes moi mon ne nos notre nous on ont ou où par pas plus pour qu que qui sa sans se ses son sont sous sur ta \
     te tes toi ton tu un une vos votre vous était étaient été être fut ont ainsi donc comme",
    "al algo como con contra cual cuando de del desde donde dos el ella ellas ellos en entre era eran es esa ese eso esta \
     estas este esto estos fue fueron ha han hasta hay la las le les lo los más me mi mis muy no nos o para pero por que \
     quien se según ser si sin sobre son su sus también tan tiene todo todos tu un una uno unos y ya aquí allí",
    "il lo gli un uno una del dello della dei degli delle nel nella nei sul sulla che di da in con su per tra fra è sono era \
     erano ha hanno non più anche come questo questa questi alla al allo agli ai dal dalla si fu furono stato stata stati state ne",
    "o os um uma uns umas do da dos das no na nos nas ao aos à às pelo pela que de em com para por não mais como é são foi \
     foram era eram tem têm ou se seu sua seus suas este esta isso também",
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о \
     из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей \
     может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет это этот эта эти \
     при об были также которые который которая году год года",
    "في من على إلى عن مع هذا هذه ذلك التي الذي كان كانت هو هي أن إن ما لا قد كل بين بعد قبل أو ثم",
    "का की के को में से है हैं था थे थी और यह वह कि पर ने भी तो हो एक इस उस लिए गया गई रहा रही",
    "de het een op te dat die voor met zijn niet aan er om ook als bij naar uit dan werd wordt worden werden heeft hebben deze \
     dit maar nog haar hun ons onze werd",
    "i w we z ze na do od po za dla się nie jest są był była było były być oraz że jak ten ta te jego jej ich który która które \
     roku rok lat przy",
    "ve bir bu da de ile için olarak olan çok daha yılında yılı göre kadar ise gibi oldu olduğu",
    "och att det som på är av för till den har inte ett hade og er af ikke fra var blev blei ble sin sitt vid ved",
    "של את על עם הוא היא זה זו אל או כי גם לא מה אבל רק כל אשר בשנת שנת יש",
];

const STOP_HANGUL: [&str; 24] = [
    "그리고",
    "그러나",
    "하지만",
    "또한",
    "이것",
    "그것",
    "저것",
    "있다",
    "없다",
    "있는",
    "있었다",
    "하는",
    "했다",
    "한다",
    "되었다",
    "된다",
    "합니다",
    "했습니다",
    "있습니다",
    "대한",
    "위한",
    "따라",
    "통해",
    "해주세요",
];

const STOP_HAN: [&str; 12] =
    ["我们", "他们", "这个", "那个", "因此", "但是", "以及", "可以", "没有", "一个", "如果", "已经"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(content(text), expected, "{text}");
    }

    #[test]
    fn content_words_of_several_scripts() {
        check("The companies' revenues were high", &["company", "revenue", "high"]);
        check("Der Umsatz der Firma", &["umsatz", "firma"]);
        check("아크메의 매출은 증가했다", &["아크메", "매출", "증가했다"]);
        check("アクメの売上高は", &["アクメ", "売上高"]);
        check("公司的营业收入为", &["公司", "营业收入"]);
        check("COVID-19 in 2023", &["covid-19"]);
    }

    #[test]
    fn languages_are_told_apart() {
        for (text, expected) in [
            ("Write a report about the sales", Language::English),
            ("Schreibe einen Bericht über die Zahlen und die Firma", Language::German),
            ("매출 보고서를 작성해 주세요", Language::Korean),
            ("売上のレポートを書いてください", Language::Japanese),
            ("请写一份销售报告", Language::Chinese),
            ("اكتب تقريرا عن المبيعات", Language::Arabic),
            ("बिक्री पर रिपोर्ट लिखें", Language::Devanagari),
            ("Çınar Hastanesi 2023 yılında 412 hasta kabul etti ve de yeni bir bina açtı.", Language::Turkish),
            ("W 2023 roku szpital przyjął 12 000 pacjentów na oddziale i do poradni.", Language::Polish),
            ("El hospital de la ciudad recibió a los pacientes", Language::Spanish),
            ("O hospital da cidade não recebeu os pacientes", Language::Portuguese),
            ("12345", Language::Unknown),
        ] {
            assert_eq!(language(text), expected, "{text}");
        }
    }
}
