//! What a request asks for, as far as its words say: goal, forms, subject, language.
//!
//! Owns the reading of requests and instructions. It must not know plans. It never guesses an intention.

use std::collections::BTreeSet;

use serde_json::Value;

use super::read::Piece;
use super::sentences::sentences;
use super::tongue;
use super::words::{self, Language};

/// A form of deliverable that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    Markdown,
    Html,
    Text,
    Csv,
    Json,
}

impl Format {
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Text => "txt",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
            Self::Text => "plain text",
            Self::Csv => "CSV",
            Self::Json => "JSON",
        }
    }

    pub(crate) fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "txt" | "text" => Some(Self::Text),
            "csv" => Some(Self::Csv),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The request in the brief: of the context, else the prompt.
pub(crate) fn text(context: &Value, prompt: &str) -> String {
    let from_context = ["request", "user_request"].iter().find_map(|name| context.get(name).and_then(Value::as_str));
    from_context.filter(|text| !text.trim().is_empty()).unwrap_or(prompt).trim().to_owned()
}

/// The sentences of a request.
pub(crate) fn goals(request: &str) -> Vec<String> {
    let pieces: Vec<Piece> = request.lines().map(|line| Piece { line: 1, text: line.to_owned() }).collect();
    // A line of its own, such as an item of a list, is a sentence even without a full stop.
    pieces
        .chunks(1)
        .flat_map(sentences)
        .map(|sentence| sentence.text.trim_start_matches(['-', '*', ' ']).to_owned())
        .collect()
}

/// The words that a request is about.
pub(crate) fn subject(text: &str) -> BTreeSet<String> {
    words::content(text)
        .into_iter()
        .filter(|word| Format::of_ending(word).is_none() && !ASKING.contains(&word.as_str()))
        .collect()
}

/// Words by which one asks for something, whatever it is about.
const ASKING: [&str; 30] = [
    "write",
    "make",
    "create",
    "report",
    "summarise",
    "summarize",
    "summary",
    "analyse",
    "analyze",
    "analysis",
    "deliver",
    "deliverable",
    "file",
    "document",
    "page",
    "format",
    "produce",
    "prepare",
    "give",
    "show",
    "use",
    "source",
    "asset",
    "output",
    "schreibe",
    "bericht",
    "erstelle",
    "보고서",
    "작성",
    "정리",
];

/// What a sentence of a request is about, where it says so: the words behind `about`, up to the form it asks for.
pub(crate) fn topic(sentence: &str) -> Option<String> {
    const MARKS: [&str; 13] = [
        "summary of ",
        "overview of ",
        "analysis of ",
        "comparison of ",
        " about ",
        " on ",
        " über ",
        " zu ",
        " sur ",
        " sobre ",
        " о ",
        " об ",
        " su ",
    ];
    const ENDS: [&str; 30] = [
        " with charts",
        ", with ",
        ", mit ",
        ", avec ",
        ", con ",
        " instead",
        ", but ",
        ", only ",
        ", leave ",
        " without ",
        ", ohne ",
        ", nur ",
        ", sans ",
        ", sin ",
        ", senza ",
        ", sem ",
        ", as ",
        " as ",
        " in markdown",
        " in html",
        ", in ",
        " als ",
        " en markdown",
        " en html",
        " au format",
        " como ",
        " в формате",
        "; ",
        ". ",
        " and deliver",
    ];
    if let Some(topic) = topic_before(sentence) {
        return Some(topic);
    }
    // Letters keep their length in lower case here, or places would not fit: anything else has no topic.
    let lower = sentence.to_lowercase();
    if lower.len() != sentence.len() {
        return None;
    }
    let from = MARKS.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).min()?;
    let until = ENDS.iter().filter_map(|end| lower[from..].find(end)).min().map_or(sentence.len(), |at| from + at);
    let words = without_language(sentence.get(from..until)?.trim().trim_end_matches([',', '.', ' ']));
    let mut chars = words.chars();
    let first = chars.next()?;
    (words.chars().count() > 2).then(|| first.to_uppercase().chain(chars).collect())
}

/// In languages that name the topic first: what stands before `about`.
fn topic_before(sentence: &str) -> Option<String> {
    const MARKS: [&str; 10] = [
        "에 대한 ",
        "에 관한 ",
        "에 대해",
        "에 관해",
        "을 보고서",
        "를 보고서",
        "についての",
        "について",
        "に関する",
        "を報告書",
    ];
    let end = MARKS.iter().filter_map(|mark| sentence.find(mark)).min()?;
    let topic = sentence[..end].rsplit(['.', '。', '、', ',']).next()?.trim();
    (topic.chars().count() > 1).then(|| topic.to_owned())
}

/// A sentence without the words at its end that say in which form to deliver.
pub(crate) fn without_form(text: &str) -> &str {
    const FORMS: [&str; 18] = [
        ", as markdown",
        " as markdown",
        ", as html",
        " as html",
        ", as csv",
        " as csv",
        ", as json",
        " as json",
        ", in html",
        " in html",
        " in markdown",
        " als markdown",
        " als html",
        " en html",
        " en markdown",
        " como html",
        " como markdown",
        " as a web",
    ];
    let lower = text.to_lowercase();
    let end = FORMS.iter().filter_map(|form| lower.find(form)).min().filter(|at| *at > 0 && lower.len() == text.len());
    end.and_then(|end| text.get(..end)).map_or(text, |kept| kept.trim_end_matches([',', ' ']))
}

/// A sentence without the words at its end that say in which language to answer: they are no part of a title.
pub(crate) fn without_language(text: &str) -> &str {
    const ENDS: [&str; 24] = [
        " auf deutsch",
        " auf englisch",
        " auf französisch",
        " in german",
        " in english",
        " in french",
        " in spanish",
        " in italian",
        " in korean",
        " in japanese",
        " in chinese",
        " en français",
        " en anglais",
        " en allemand",
        " en español",
        " en inglés",
        " in italiano",
        " em português",
        " po polsku",
        " türkçe olarak",
        " 한국어로",
        "한국어로",
        " 영어로",
        "日本語で",
    ];
    let lower = text.to_lowercase();
    let end = ENDS.iter().find(|end| lower.ends_with(**end)).filter(|_| lower.len() == text.len());
    let kept = end.and_then(|end| text.get(..text.len() - end.len())).map(|kept| kept.trim().trim_end_matches(','));
    kept.filter(|kept| !kept.is_empty()).unwrap_or(text)
}

pub(crate) fn language(request: &str) -> Language {
    words::language(request)
}

/// The forms that a text asks for; a name of a file that is a source asks for none.
pub(crate) fn formats(text: &str, sources: &[String]) -> Vec<Format> {
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for (word, format) in NAMES {
        for (at, _) in lower.match_indices(word) {
            let before = &lower[..at];
            let after = &lower[at + word.len()..];
            let is_whole = !word.is_ascii()
                || (!before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-'))
                    && !after.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-')));
            let is_asked = is_document(*format) || is_asked_as(before) || is_asked_for(before, after);
            if is_whole && !is_denied(before) && is_asked {
                found.insert(*format);
            }
        }
    }
    for name in lower.split(|c: char| c.is_whitespace() || "\"'`,;()".contains(c)) {
        let name = name.trim_end_matches(['.', ':', '!', '?']);
        let is_source = sources.iter().any(|path| path.to_lowercase().ends_with(name)) || name.contains("assets/");
        if let Some((_, ending)) = name.rsplit_once('.')
            && let Some(format) = Format::of_ending(ending)
            && !is_source
        {
            found.insert(format);
        }
    }
    found.into_iter().collect()
}

const NAMES: &[(&str, Format)] = &[
    ("markdown", Format::Markdown),
    ("md", Format::Markdown),
    ("마크다운", Format::Markdown),
    ("マークダウン", Format::Markdown),
    ("ماركداون", Format::Markdown),
    ("маркдаун", Format::Markdown),
    ("מרקדאון", Format::Markdown),
    ("html", Format::Html),
    ("web page", Format::Html),
    ("webpage", Format::Html),
    ("webseite", Format::Html),
    ("웹페이지", Format::Html),
    ("웹 페이지", Format::Html),
    ("ウェブページ", Format::Html),
    ("网页", Format::Html),
    ("صفحة ويب", Format::Html),
    ("página web", Format::Html),
    ("page web", Format::Html),
    ("pagina web", Format::Html),
    ("веб-страниц", Format::Html),
    ("plain text", Format::Text),
    ("csv", Format::Csv),
    ("json", Format::Json),
];

/// Markdown and HTML are what reports are written in; the others are more often what is to be read.
fn is_document(format: Format) -> bool {
    matches!(format, Format::Markdown | Format::Html)
}

fn is_denied(before: &str) -> bool {
    let before = before.trim_end();
    ["no", "not", "not in", "not as", "without", "kein", "keine", "ohne", "nicht als"]
        .iter()
        .any(|word| before.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}

fn is_asked_as(before: &str) -> bool {
    let before = before.trim_end();
    ["as", "as a", "in", "into", "als", "and", "or", "to", ",", "deliver as"].iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| *word == "," || rest.is_empty() || rest.ends_with(' '))
    })
}

/// Whether the words around a form ask to write it: `Write only a CSV`, `a JSON file, please`, `JSON only`.
fn is_asked_for(before: &str, after: &str) -> bool {
    const ASKS: &str = " write make create give deliver produce generate prepare export save want need only just output \
        schreibe schreib erstelle gib mach mache liefere nur écris fais donne seulement uniquement escribe haz crea dame solo ";
    let is_one_of = |word: &str, list: &str| !word.is_empty() && list.contains(&format!(" {word} "));
    let sentence = before.rsplit(['.', ';', '!', '?', '\n']).next().unwrap_or(before);
    let mut words = sentence.split_whitespace().rev();
    if sentence.split_whitespace().next_back().is_some_and(|word| is_one_of(word, THERE)) {
        return false;
    }
    let next = after.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    words.by_ref().take(5).any(|word| is_one_of(word, ASKS)) || matches!(next, "only" | "please" | "bitte" | "nur")
}

/// Words in front of a form by which it is there already.
const THERE: &str =
    " the this that these those each every all of from der die das den dem diese dieser le la les el los las ";

/// Forms that are asked for and that this agent cannot write.
pub(crate) fn beyond(text: &str) -> Vec<&'static str> {
    const NAMES: [&str; 22] = [
        "pdf",
        "docx",
        "word",
        "odt",
        "rtf",
        "pptx",
        "powerpoint",
        "slides",
        "slide",
        "presentation",
        "präsentation",
        "présentation",
        "presentación",
        "deck",
        "xlsx",
        "excel",
        "ods",
        "spreadsheet",
        "epub",
        "latex",
        "xml",
        "yaml",
    ];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_asked = |at: usize, name: &str| {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let is_there =
            THERE.contains(&format!(" {before} ")) || matches!(before, "no" | "not" | "without" | "ohne" | "kein");
        let is_form = name != "word" || before == "as" || words.get(at + 1).is_some_and(|next| *next == "document");
        words[at] == name && (before.is_empty() || !is_there) && is_form
    };
    NAMES.into_iter().filter(|name| (0..words.len()).any(|at| is_asked(at, name))).collect()
}

/// The contents of the ACTIVE instructions in the context.
pub(crate) fn instructions(context: &Value) -> Vec<Instruction> {
    let rows = context.get("instructions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    rows.iter()
        .filter_map(|row| {
            if let Some(text) = row.as_str() {
                return Some(Instruction { content: text.to_owned(), ..Instruction::default() });
            }
            let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let status = field("status");
            let content = field("content");
            let is_active = status.is_empty() || status.contains("ACTIVE");
            (is_active && !content.is_empty()).then(|| Instruction {
                instruction_id: field("instruction_id"),
                run_id: field("run_id"),
                content,
            })
        })
        .collect()
}

/// The sources that the instructions name: an Executor's brief has no catalog. Some may be gone since.
pub(crate) fn named_sources(context: &Value) -> Vec<String> {
    let lists = instructions(context).into_iter().filter_map(|one| {
        let (list, _) = listed_sources(&one.content)?;
        Some(list.to_owned())
    });
    // A name may hold blanks and commas; the next one begins with the folder.
    let names = lists.flat_map(|list| {
        let list = list.strip_prefix("assets/").unwrap_or_default();
        list.split(", assets/").map(str::to_owned).collect::<Vec<_>>()
    });
    names.filter(|name| !name.is_empty()).map(|name| format!("assets/{name}")).collect()
}

/// The list of sources that an instruction of this agent limits the work to, and how many more it counts.
pub(crate) fn listed_sources(instruction: &str) -> Option<(&str, &str)> {
    // The longer phrase first: the shorter one would take its end for names.
    let with_more = tongue::two_parts("i_more", instruction);
    match with_more.filter(|(_, more)| more.chars().all(|c| c.is_ascii_digit())) {
        Some(found) => Some(found),
        None => tongue::parts("i_sources", instruction)?.first().map(|list| (*list, "")),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) instruction_id: String,
    pub(crate) run_id: String,
    pub(crate) content: String,
}

/// The forms to publish: all that the instructions name, else those of the request, else Markdown.
pub(crate) fn formats_to_publish(context: &Value, prompt: &str, sources: &[String]) -> Vec<Format> {
    let mut found = BTreeSet::new();
    for instruction in instructions(context) {
        found.extend(formats(&instruction.content, sources));
    }
    if found.is_empty() {
        found.extend(formats(&text(context, prompt), sources));
    }
    if found.is_empty() {
        found.insert(Format::Markdown);
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_with_all_that_their_names_hold() {
        let told = |content: &str| named_sources(&serde_json::json!({"instructions": [content]}));
        assert_eq!(
            told(
                "Use these sources only: assets/my notes.md, assets/a,b.md, assets/sub folder/x.md; cite file and line for every statement."
            ),
            ["assets/my notes.md", "assets/a,b.md", "assets/sub folder/x.md"]
        );
        assert_eq!(
            told(
                "Use these sources only: assets/a and b.md and 3 more files of assets/; cite file and line for every statement."
            ),
            ["assets/a and b.md"]
        );
        assert_eq!(
            told("다음 자료만 사용: assets/a.md, assets/b.md; 모든 진술에 파일과 줄을 밝힌다."),
            ["assets/a.md", "assets/b.md"]
        );
        assert!(told("Use the files in assets/ only; cite file and line for every statement.").is_empty());
    }

    #[test]
    fn forms_that_a_request_names() {
        let sources = vec!["assets/sales.csv".to_owned(), "assets/page.html".to_owned()];
        for (request, expected) in [
            ("Write a report about sales", ""),
            ("Write a report as Markdown and HTML", "md html"),
            ("Compare sales.csv and page.html in a web page", "html"),
            ("Read the CSV files; deliver as CSV, no HTML", "csv"),
            ("Summarise into summary.md.", "md"),
            ("매출을 마크다운과 웹페이지로 정리", "md html"),
            ("The amd64 build, cmd.exe", ""),
            ("Deliver as Markdown (.md) and JSON (.json)", "md json"),
            ("Write only a CSV of the orders.", "csv"),
            ("Make a CSV report about the orders", "csv"),
            ("Give me only an HTML page about the hospitals.", "html"),
            ("JSON only", "json"),
            ("Write a report about the CSV", ""),
            ("Write a report from every JSON", ""),
        ] {
            let found: Vec<&str> = formats(request, &sources).into_iter().map(Format::ending).collect();
            assert_eq!(found.join(" "), expected, "{request}");
        }
        assert_eq!(beyond("as a PDF, not in other words"), ["pdf"]);
        assert_eq!(beyond("Make slides about the shop"), ["slides"]);
        assert_eq!(beyond("Report what the slides say, without PDF"), Vec::<&str>::new());
    }

    #[test]
    fn the_topic_is_what_the_title_says() {
        for (request, expected) in [
            ("Schreibe einen Bericht über das Klinikum Rosenau auf Deutsch.", "Das Klinikum Rosenau"),
            ("Écris un rapport sur les pertes du réseau en français", "Les pertes du réseau"),
            ("Write about the yards, but only 2024.", "The yards"),
            ("Report on the yards without charts", "The yards"),
        ] {
            assert_eq!(topic(request).as_deref(), Some(expected), "{request}");
        }
    }
}
