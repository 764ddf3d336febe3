//! Which piece of work a title asks for, of those that code can do. A title that no rule reads is none: nothing is guessed.
//! Must not do it, nor look at files.

use super::super::text_goal::Goal;
use super::words::{Segment, Sentence};

/// What can be done without a model, for messages.
pub(super) const DOABLE: &str = "without a model an item is done by rule, and this one is none that a rule reads; these are: write \
    \"TEXT\" to FILE, append \"TEXT\" to FILE, add a section \"TITLE\" to FILE from FILES, replace \"A\" with \"B\" in FILES, copy FILE \
    to FILE, join FILES into FILE, summarise, analyse, compare or report on FILES in FILE, list or count the files, headings, \
    lines or words of FILES in FILE, check that FILE exists or contains \"TEXT\", ask \"QUESTION\", and goals over text files \
    (glossary, links, headings); word it so, or name another agent with --agent";

/// A piece of work that code can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// A goal over text files.
    Text(Goal),
    /// The file holds this text and nothing else.
    Write {
        file: String,
        text: String,
    },
    /// The text stands at the end of the file.
    Append {
        file: String,
        text: String,
    },
    /// The file has a section of this title; what it says is drawn from sources.
    Section {
        file: String,
        title: String,
        sources: Vec<String>,
    },
    /// One text stands for another.
    Replace {
        old: String,
        new: String,
        files: Vec<String>,
    },
    Copy {
        from: String,
        to: String,
    },
    /// Files one after the other.
    Join {
        from: Vec<String>,
        to: String,
    },
    /// What sources say, in the form that is asked for.
    Extract {
        form: Form,
        about: String,
        sources: Vec<String>,
        to: String,
    },
    /// What there is, or how much.
    List {
        what: What,
        sources: Vec<String>,
        to: String,
    },
    Count {
        what: What,
        sources: Vec<String>,
        to: String,
    },
    Check(Check),
    /// A question for the user; the answer may be written down.
    Ask {
        question: String,
        default: String,
        to: Option<String>,
    },
}

/// What is made of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The sentences that say the most.
    Summary,
    /// Sentences, figures, dates, tables.
    Analysis,
    /// Where they contradict each other.
    Comparison,
    /// All of it, with sections.
    Report,
}

/// What is listed or counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Files,
    Headings,
    Lines,
    Words,
}

/// What must be so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Check {
    Exists(Vec<String>),
    Contains { files: Vec<String>, text: String },
}

/// Words before the place that something goes to.
const TO: [&str; 5] = ["to", "into", "in", "as", "at"];
/// Words before what it is made of.
const FROM: [&str; 8] = ["from", "of", "using", "out", "based", "on", "about", "with"];

impl Deed {
    /// What a title asks for.
    pub(super) fn read(title: &str) -> Option<Self> {
        let sentence = Sentence::read(title);
        let verb = sentence.verb.as_str();
        let is_of_texts = has(&sentence, &["link", "links", "heading", "headings"]) || sentence.has_like("glossary");
        if is_of_texts
            && !matches!(verb, "list" | "count" | "ask" | "write" | "append" | "replace" | "copy" | "join")
            && let Some(goal) = Goal::read(title)
        {
            return Some(Self::Text(goal));
        }
        match verb {
            "write" | "create" | "put" | "save" | "note" | "make" | "draft" => written(&sentence),
            "append" | "add" | "insert" => appended(&sentence),
            "replace" | "rename" | "change" => replaced(&sentence),
            "copy" | "duplicate" => {
                let [from, to] = <[String; 2]>::try_from(sentence.paths()).ok()?;
                Some(Self::Copy { from, to })
            }
            "join" | "concatenate" | "merge" | "combine" | "assemble" => joined(&sentence),
            "summarise" | "summarize" | "extract" | "describe" | "outline" | "collect" | "gather" => {
                extracted(&sentence, Form::Summary)
            }
            "analyse" | "analyze" | "examine" => extracted(&sentence, Form::Analysis),
            "compare" | "contrast" => extracted(&sentence, Form::Comparison),
            "report" | "publish" => extracted(&sentence, Form::Report),
            "list" | "index" => measured(&sentence).map(|(what, sources, to)| Self::List { what, sources, to }),
            "count" => measured(&sentence).map(|(what, sources, to)| Self::Count { what, sources, to }),
            "check" | "verify" | "ensure" | "confirm" => checked(&sentence).map(Self::Check),
            "ask" => asked(&sentence),
            _ => None,
        }
    }

    /// The files that it changes.
    pub(super) fn changes(&self) -> Vec<String> {
        match self {
            Self::Text(Goal::Glossary { glossary, .. }) => vec![glossary.clone()],
            Self::Text(Goal::Links { sources } | Goal::Headings { sources, .. }) => sources.clone(),
            Self::Write { file, .. } | Self::Append { file, .. } | Self::Section { file, .. } => vec![file.clone()],
            Self::Replace { files, .. } => files.clone(),
            Self::Copy { to, .. }
            | Self::Join { to, .. }
            | Self::Extract { to, .. }
            | Self::List { to, .. }
            | Self::Count { to, .. } => vec![to.clone()],
            Self::Check(_) => Vec::new(),
            Self::Ask { to, .. } => to.iter().cloned().collect(),
        }
    }
}

/// Whether a title asks for something that code can do.
pub(super) fn is_doable(title: &str) -> bool {
    Deed::read(title).is_some()
}

/// A title that asks for several things, one by one; nothing if it asks for one.
pub(super) fn several(title: &str) -> Option<Vec<String>> {
    let parts: Vec<String> =
        title.split(['；', ';']).flat_map(|part| part.split(", then ")).map(|part| part.trim().to_string()).collect();
    let parts: Vec<String> = parts
        .into_iter()
        .map(|part| part.strip_prefix("then ").unwrap_or(&part).to_string())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() > 1 {
        return Some(parts);
    }
    // "Summarise a.md and b.md in out/" asks for one file each: it is not read as one.
    None
}

fn has(sentence: &Sentence, words: &[&str]) -> bool {
    words.iter().any(|word| sentence.has(word))
}

/// The file behind a word for a place, the last of them.
fn place(sentence: &Sentence) -> Option<String> {
    let of =
        |segment: &Segment| TO.contains(&segment.opener.as_str()).then(|| segment.paths.first().cloned()).flatten();
    sentence.segments.iter().rev().find_map(of).filter(|path| !path.ends_with('/'))
}

/// The files that something is made of: those behind `from` or `of`, else those that are named and are not the place.
fn sources(sentence: &Sentence, place: &str) -> Vec<String> {
    let from = sentence.segments.iter().filter(|segment| FROM.contains(&segment.opener.as_str()));
    let named: Vec<String> = from.flat_map(|segment| segment.paths.clone()).filter(|path| path != place).collect();
    if !named.is_empty() {
        return named;
    }
    sentence.paths().into_iter().filter(|path| path != place).collect()
}

fn written(sentence: &Sentence) -> Option<Deed> {
    let first = sentence.segments.first().and_then(|segment| segment.paths.first().cloned());
    let file = place(sentence).or(first).filter(|path| !path.ends_with('/'))?;
    match sentence.quotes.first() {
        Some(title) if sentence.has("section") => {
            let sources = sources(sentence, &file);
            Some(Deed::Section { file, title: title.clone(), sources })
        }
        Some(text) => Some(Deed::Write { file, text: text.clone() }),
        None => {
            let form = [
                (["summary", "overview", "notes"], Form::Summary),
                (["report", "page", "deliverable"], Form::Report),
                (["analysis", "figures", "dates"], Form::Analysis),
                (["comparison", "contradictions", "differences"], Form::Comparison),
            ];
            let form = form.iter().find(|(words, _)| has(sentence, words)).map(|(_, form)| *form);
            let sources = sources(sentence, &file);
            // "Write docs/a.md" alone does not say what.
            let about = about(sentence);
            let says_what =
                form.is_some() || !sources.is_empty() || sentence.segments.iter().any(|one| one.opener == "about");
            says_what.then_some(Deed::Extract { form: form.unwrap_or(Form::Summary), about, sources, to: file })
        }
    }
}

fn appended(sentence: &Sentence) -> Option<Deed> {
    let file = place(sentence)?;
    let text = sentence.quotes.first()?.clone();
    if sentence.has("section") || sentence.has("chapter") {
        let sources = sources(sentence, &file);
        return Some(Deed::Section { file, title: text, sources });
    }
    Some(Deed::Append { file, text })
}

fn replaced(sentence: &Sentence) -> Option<Deed> {
    let [old, new, ..] = sentence.quotes.as_slice() else { return None };
    let files = sentence.paths();
    (!files.is_empty() && !old.is_empty()).then(|| Deed::Replace { old: old.clone(), new: new.clone(), files })
}

fn joined(sentence: &Sentence) -> Option<Deed> {
    let to = place(sentence)?;
    let from: Vec<String> = sentence.paths().into_iter().filter(|path| *path != to).collect();
    (!from.is_empty()).then_some(Deed::Join { from, to })
}

fn extracted(sentence: &Sentence, form: Form) -> Option<Deed> {
    let to = place(sentence)?;
    Some(Deed::Extract { form, about: about(sentence), sources: sources(sentence, &to), to })
}

/// What it is about: the words behind the verb, and those behind `about` and `on`, without files.
fn about(sentence: &Sentence) -> String {
    let is_meant = |segment: &&Segment| matches!(segment.opener.as_str(), "" | "about" | "on" | "of" | "for");
    let words: Vec<&str> = sentence
        .segments
        .iter()
        .filter(is_meant)
        .flat_map(|segment| segment.words.iter().map(String::as_str))
        .collect();
    words.join(" ")
}

fn measured(sentence: &Sentence) -> Option<(What, Vec<String>, String)> {
    let what = [("file", What::Files), ("heading", What::Headings), ("line", What::Lines), ("word", What::Words)];
    let plural = |name: &str| format!("{name}s");
    let what =
        what.iter().find(|(name, _)| sentence.has(name) || sentence.has(&plural(name))).map(|(_, what)| *what)?;
    let to = place(sentence)?;
    let sources = sources(sentence, &to);
    Some((what, sources, to))
}

fn checked(sentence: &Sentence) -> Option<Check> {
    let files: Vec<String> = sentence.paths();
    if files.is_empty() {
        return None;
    }
    match sentence.quotes.first() {
        Some(text) if has(sentence, &["contains", "contain", "says", "say", "mentions", "mention", "has", "have"]) => {
            Some(Check::Contains { files, text: text.clone() })
        }
        _ if has(sentence, &["exists", "exist", "there"]) => Some(Check::Exists(files)),
        _ => None,
    }
}

fn asked(sentence: &Sentence) -> Option<Deed> {
    let question = sentence.quotes.first()?.clone();
    let default = sentence.quotes.get(1).cloned().unwrap_or_default();
    Some(Deed::Ask { question, default, to: place(sentence) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(title: &str) -> String {
        match Deed::read(title) {
            None => "none".into(),
            Some(deed) => {
                let changes = deed.changes().join(",");
                let name = format!("{deed:?}");
                let name = name.split([' ', '(', '{']).next().unwrap_or_default().to_string();
                let detail = match &deed {
                    Deed::Extract { form, about, sources, .. } => {
                        format!(" {form:?} about `{about}` from {}", sources.join(","))
                    }
                    Deed::Section { title, sources, .. } => format!(" `{title}` from {}", sources.join(",")),
                    Deed::Write { text, .. } | Deed::Append { text, .. } => format!(" `{text}`"),
                    Deed::Replace { old, new, .. } => format!(" `{old}` by `{new}`"),
                    Deed::Copy { from, .. } => format!(" {from}"),
                    Deed::Join { from, .. } => format!(" {}", from.join(",")),
                    Deed::List { what, sources, .. } | Deed::Count { what, sources, .. } => {
                        format!(" {what:?} of {}", sources.join(","))
                    }
                    Deed::Ask { question, default, .. } => format!(" `{question}` else `{default}`"),
                    Deed::Check(check) => format!(" {check:?}"),
                    Deed::Text(_) => String::new(),
                };
                format!("{name}{detail} -> {changes}")
            }
        }
    }

    #[test]
    fn titles_that_a_rule_reads() {
        for (title, expected) in [
            ("Write \"Hello, mill.\" to docs/a.md", "Write `Hello, mill.` -> docs/a.md"),
            ("Create `docs/a.md` with “Hello”", "Write `Hello` -> docs/a.md"),
            ("Append 'one line' to docs/a.md.", "Append `one line` -> docs/a.md"),
            (
                "Add a section \"Tides\" to docs/a.md from data/tides.md and data/moon.csv",
                "Section `Tides` from data/tides.md,data/moon.csv -> docs/a.md",
            ),
            (
                "Replace \"warf\" with \"wharf\" in docs/a.md and docs/b.md",
                "Replace `warf` by `wharf` -> docs/a.md,docs/b.md",
            ),
            ("Copy data/a.md to docs/b.md", "Copy data/a.md -> docs/b.md"),
            (
                "Join docs/a.md, docs/b.md and docs/c.md into docs/all.md",
                "Join docs/a.md,docs/b.md,docs/c.md -> docs/all.md",
            ),
            (
                "Summarise the crane's loads from data/crane.md in docs/crane.md",
                "Extract Summary about `the crane's loads` from data/crane.md -> docs/crane.md",
            ),
            (
                "Summarise data/crane.md in docs/crane.md",
                "Extract Summary about `` from data/crane.md -> docs/crane.md",
            ),
            (
                "Write a report on the harbour from data/ to out/report.html",
                "Extract Report about `a report the harbour` from data/ -> out/report.html",
            ),
            (
                "Compare data/a.md and data/b.md in docs/differences.md",
                "Extract Comparison about `` from data/a.md,data/b.md -> docs/differences.md",
            ),
            ("List the headings of docs/ in docs/contents.md", "List Headings of docs/ -> docs/contents.md"),
            ("Count the words of docs/a.md in docs/count.md", "Count Words of docs/a.md -> docs/count.md"),
            ("Check that docs/a.md exists", "Check Exists([\"docs/a.md\"]) -> "),
            (
                "Verify that docs/a.md contains \"tide\"",
                "Check Contains { files: [\"docs/a.md\"], text: \"tide\" } -> ",
            ),
            (
                "Ask \"Which colour?\" (else \"red\") and write the answer to docs/c.md",
                "Ask `Which colour?` else `red` -> docs/c.md",
            ),
            ("GLOSSARY.md covers every term of docs/", "Text -> GLOSSARY.md"),
            ("Make the headings in docs/a.md sentence case", "Text -> docs/a.md"),
            ("Write docs/a.md", "none"),
            ("Think about the mill", "none"),
            ("Refactor the blinking lights that work", "none"),
        ] {
            assert_eq!(told(title), expected, "{title}");
        }
    }

    #[test]
    fn several_things_are_taken_apart() {
        assert_eq!(
            several("Copy a.md to b.md; then join a.md and b.md into c.md").unwrap(),
            ["Copy a.md to b.md", "join a.md and b.md into c.md"]
        );
        assert_eq!(several("Copy a.md to b.md, then check that b.md exists").unwrap().len(), 2);
        assert_eq!(several("Copy a.md to b.md"), None);
    }
}
