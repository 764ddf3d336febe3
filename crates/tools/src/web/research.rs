//! The Web Search specialist (MV-29): searches, reads the best results, and writes a report in which every statement is a
//! quotation with its URL and the time of its retrieval. It adds nothing of its own.

use super::search::shortened;
use super::toolbox::Outcome;
use super::{SearchFault, Web, passages};
use crate::Stop;

pub(crate) const USUAL_SOURCES: usize = 5;
pub(crate) const MOST_SOURCES: usize = 10;
const PASSAGES_OF_A_SOURCE: usize = 3;

/// What was found, for a file in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub markdown: String,
    pub sources: Vec<Source>,
}

/// Where a part of the report comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub title: String,
    /// Where it was read, or where it should have been.
    pub url: String,
    pub retrieved: String,
    /// Why it could not be read; then only what the search service said of it is quoted.
    pub unread: Option<String>,
}

/// Searches for an answer and reads up to so many of the results.
pub fn research(web: &Web, query: &str, sources: usize, stop: &Stop) -> Result<Report, SearchFault> {
    let found = web.search(query, super::search::USUAL_HITS, stop)?;
    let hits = &found.hits[..found.hits.len().min(sources.clamp(1, MOST_SOURCES))];
    let urls: Vec<String> = hits.iter().map(|hit| hit.url.clone()).collect();
    let outcomes = if urls.is_empty() { Ok(Vec::new()) } else { web.read_all(&urls, stop) };
    let outcomes = outcomes.map_err(|answer| SearchFault::NotDone(answer.text))?;
    let retrieved = (web.settings.clock)();
    let service = web.settings.search.as_ref().map_or("", |provider| provider.service());
    let mut findings = String::new();
    let mut list = Vec::new();
    for (index, (hit, outcome)) in hits.iter().zip(&outcomes).enumerate() {
        let (source, quoted) = source(hit, outcome, query, &retrieved);
        let number = index + 1;
        findings.push_str(&format!("### [{number}] {}\n\n", source.title));
        if quoted.is_empty() {
            findings.push_str("Nothing in it bears on the question.\n\n");
        }
        let note = if source.unread.is_some() {
            format!(", as the search service {service} quotes it")
        } else {
            String::new()
        };
        for passage in quoted {
            findings
                .push_str(&format!("> {passage}\n>\n> — [{number}] <{}>, retrieved {retrieved}{note}\n\n", source.url));
        }
        list.push(source);
    }
    let summary = found.answer.as_deref().map(|answer| {
        let quoted: Vec<String> = answer.trim().lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
        format!("## Summary\n\n{}\n>\n> — the search service {service}, asked {retrieved}; its numbers are those of its results\n\n", quoted.join("\n"))
    });
    let head = format!("# Web search: {}\n\n{}\n\n", shortened(query, 300), counted(&list, service, &retrieved));
    let findings = if findings.is_empty() { String::new() } else { format!("## Findings\n\n{findings}") };
    let markdown = format!("{head}{}{findings}{}", summary.unwrap_or_default(), table(&list));
    Ok(Report { markdown: format!("{}\n", markdown.trim_end()), sources: list })
}

fn source(hit: &super::Hit, outcome: &Outcome, query: &str, retrieved: &str) -> (Source, Vec<String>) {
    let retrieved = retrieved.to_owned();
    match outcome {
        Ok(read) => {
            let title = read.document.title.as_ref().map(|title| shortened(title, 200));
            let source = Source {
                title: title.unwrap_or_else(|| hit.title.clone()),
                url: read.url.clone(),
                retrieved,
                unread: None,
            };
            (source, passages::best(&read.document.text, query, PASSAGES_OF_A_SOURCE))
        }
        Err(answer) => {
            let unread = Some(shortened(&answer.text, 300));
            let quoted = Vec::from_iter((!hit.snippet.is_empty()).then(|| hit.snippet.clone()));
            (Source { title: hit.title.clone(), url: hit.url.clone(), retrieved, unread }, quoted)
        }
    }
}

fn counted(sources: &[Source], service: &str, retrieved: &str) -> String {
    let read = sources.iter().filter(|source| source.unread.is_none()).count();
    match sources.len() {
        0 => format!("The search service {service} found nothing ({retrieved})."),
        all => format!(
            "{read} of {all} results of the search service {service} were read ({retrieved}). \
             What follows is quoted as it was found; nothing was added."
        ),
    }
}

fn table(sources: &[Source]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let mut table = String::from("## Sources\n\n| no. | title | address | retrieved | read |\n|---|---|---|---|---|\n");
    for (index, source) in sources.iter().enumerate() {
        let cell = |text: &str| text.replace('|', "\\|");
        let read = source.unread.as_deref().map_or_else(|| "yes".into(), |why| format!("no: {why}"));
        let (title, url) = (cell(&source.title), cell(&source.url));
        table.push_str(&format!(
            "| {} | {title} | <{url}> | {} | {} |\n",
            index + 1,
            cell(&source.retrieved),
            cell(&read)
        ));
    }
    table
}
