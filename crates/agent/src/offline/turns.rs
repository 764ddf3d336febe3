//! Turns of phrase that say what is done or measured without a word of its own: `paid … for`, `brought in`, `existed since`.
//!
//! Owns these turns, in several languages. It must not know claims: it is given words and says what they come to.

use super::vocabulary::has;
use super::words::{self, Word};

/// Verbs by which something only reaches over a distance or an area: the unit says which.
const SPREADING: &str = "covers extends extended extending spans spanned stretches stretched occupies occupied measures runs \
    erstreckt erstreckte bedeckt misst étend étendait couvre couvrait mesure mide abarca ocupa cubre extiende copre misura \
    occupa estende ocupa mierzy zajmuje rozciąga beslaat strekt занимает занимал тянется простирается";
/// Those of them that something long does, not something high.
const RUNNING: &str = "extends extended spans spanned stretches stretched runs erstreckt erstreckte étend étendait extiende \
    estende rozciąga strekt тянется простирается";
const EXISTING: &str = "existed exists exist existing besteht bestand existiert existe existait esiste istnieje bestaat \
    существует существовал существовала";
const SINCE: &str = "since seit depuis desde dal dalla od с sinds";

/// Whether a verb only says that something reaches so far.
pub(crate) fn is_spreading(lower: &str) -> bool {
    has(SPREADING, lower.rsplit(['\'', '\u{2019}']).next().unwrap_or(lower))
}

/// Whether such a verb says that a figure in metres is a length.
pub(crate) fn is_running(words: &[Word]) -> bool {
    words
        .iter()
        .any(|word| has(RUNNING, word.text.to_lowercase().rsplit(['\'', '\u{2019}']).next().unwrap_or_default()))
}

/// What is done, where it takes more than one word to say it: what was paid for something is what it cost.
pub(crate) fn action(words: &[Word], known: Option<&'static str>) -> Option<&'static str> {
    const FOR: &str = "for für pour por per за voor za için";
    let lowers: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let follows = |list: &'static str, next: &'static str| {
        lowers.windows(2).any(|pair| has(list, &pair[0]) && has(next, &pair[1]))
    };
    let any = |list: &'static str| lowers.iter().any(|word| has(list, word));
    match known {
        Some("pay") if any(FOR) => Some("spend"),
        None if follows("brought bring brings took takes", "in") => Some("receive"),
        None if any("gave gives give given donated") && any("to") => Some("donate"),
        known => known,
    }
}

/// Whether words say since when something is there: it began then.
pub(crate) fn is_there_since(words: &[Word]) -> bool {
    let any = |list: &'static str| words.iter().any(|word| has(list, &word.text.to_lowercase()));
    any(EXISTING) && any(SINCE)
}

/// Whether a word only says that a date is a beginning.
pub(crate) fn is_since(word: &str) -> bool {
    has(SINCE, word)
}

/// What people are counted for: those who live or work somewhere, and the words that say so.
pub(crate) fn people(words: &[Word]) -> Option<(&'static str, Vec<String>)> {
    const PEOPLE: &str = "people persons men women menschen leute personen personnes gens personas persone pessoas osób mensen kişi человек";
    const LIVE: &str = "live lives lived leben lebten wohnen wohnten vivent habitent vivaient viven vivían vivono abitano vivem \
        mieszka mieszkało wonen woonden yaşıyor живёт живет живут жило жили проживает проживают проживало проживал проживали";
    const WORK: &str = "work works worked arbeiten arbeiteten travaillent travaillaient trabajan trabajaban lavorano trabalham \
        pracuje werken çalışıyor работает работают";
    let lowers: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let verb = |list: &'static str| {
        let at = lowers.iter().position(|lower| has(list, lower))?;
        words::key(&words[at]).map(|key| vec![key, lowers[at].clone()])
    };
    if let (true, Some(said)) = (lowers.windows(2).any(|pair| pair[0] == "home" && pair[1] == "to"), verb("home")) {
        return Some(("population", said.into_iter().chain(["house".to_owned()]).collect()));
    }
    if !lowers.iter().any(|lower| has(PEOPLE, lower)) {
        return None;
    }
    // "da trabajo a 24 personas", "donne du travail à 24 personnes", "gives work to 24 people"
    const GIVES: &str = "da dan daba gives gave provides gibt bietet donne donnait dà offre oferece daje";
    if let (true, Some(said)) =
        (lowers.iter().any(|lower| has(GIVES, lower)), verb("trabajo travail work lavoro trabalho arbeit pracę"))
    {
        return Some(("employee", said));
    }
    verb(LIVE).map(|said| ("population", said)).or_else(|| verb(WORK).map(|said| ("employee", said)))
}

/// Whether an amount is what was sold for it: `setzte 19,8 Millionen Euro um`.
pub(crate) fn is_turned_over(words: &[Word]) -> bool {
    let first = words.iter().position(|word| matches!(word.text.as_str(), "setzte" | "setzt" | "setzten"));
    first.is_some() && words.last().is_some_and(|word| word.text == "um")
}

/// Whether a figure in metres is a height: `455 metres above the sea`, `410 m sul livello del mare`.
pub(crate) fn is_above_sea(words: &[Word]) -> bool {
    const ABOVE: &str = "above über sobre sul sopra au-dessus acima boven nad";
    let lowers: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    lowers
        .iter()
        .enumerate()
        .any(|(at, lower)| has(ABOVE, lower) && lowers.iter().skip(at + 1).take(4).any(|word| is_sea(word)))
}

pub(crate) fn is_sea(word: &str) -> bool {
    has("sea meer meeresspiegel mar mare mer zee zeespiegel morza level livello nivel niveau", word)
}

/// Whether a word is one of those that say so.
pub(crate) fn is_existing(lower: &str) -> bool {
    has(EXISTING, lower)
}

/// The words that only say for whom something was opened: `opened to traffic`, `opened to the public`.
pub(crate) fn opened_for(words: &[Word]) -> Vec<String> {
    const OPENED: &str = "opened eröffnet ouvert ouverte abierto abierta inaugurated";
    const TO: &str = "its their his her to for für à au al aux";
    const WHOM: &str = "doors traffic ships shipping boats public visitors passengers verkehr publikum öffentlichkeit circulation publique tráfico público";
    let lowers: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
    let mut found = Vec::new();
    for (index, lower) in lowers.iter().enumerate().filter(|(_, lower)| has(OPENED, lower)) {
        let is_for = lowers.get(index + 1).is_some_and(|next| has(TO, next));
        let whom = words.iter().zip(&lowers).skip(index + 2).take(2).find(|(_, lower)| has(WHOM, lower));
        if let (true, Some((word, _)), false) = (is_for, whom, lower.is_empty()) {
            found.extend(words::key(word));
        }
    }
    found
}

/// Where a sentence goes on to something else without a comma: `16,900 inhabitants and a fine market`.
pub(crate) fn goes_on_at(words: &[Word]) -> Vec<usize> {
    const AND: &str = "and und et y e i и en ve";
    const OTHER: &str = "a an the its their his her has is was ein eine einen der die das den ihr ihre hat ist un une le la les \
        son sa ses a una el los las su sus tiene o os um uma il lo gli een het";
    let pairs = words.windows(2).filter(|pair| has(AND, &pair[0].text.to_lowercase()));
    pairs.filter(|pair| has(OTHER, &pair[1].text.to_lowercase())).map(|pair| pair[0].start).collect()
}
