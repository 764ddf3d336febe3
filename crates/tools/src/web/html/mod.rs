//! A page as Markdown: headings, paragraphs, lists, links, tables, code. What is not its content (scripts, styles,
//! navigation, forms) is left out. Any text is taken, however broken; the work is linear in its length. Must not know where
//! a page came from, nor who reads it.

mod entities;
mod table;
mod tokens;
mod writer;

use reqwest::Url;

use tokens::{Token, Tokens};
use writer::Writer;

/// A page as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    /// Whether it was longer than is kept.
    pub(crate) cut: bool,
}

/// The most text that one page becomes.
const LONGEST_TEXT: usize = 2 << 20;

/// A main part with less text than this is not the page: some are filled by a script.
const LEAST_MAIN: usize = 200;

/// Its elements are not content.
const LEFT_OUT: [&str; 20] = [
    "audio", "button", "canvas", "datalist", "dialog", "embed", "iframe", "map", "math", "menu", "nav", "noscript",
    "object", "script", "select", "style", "svg", "template", "textarea", "video",
];

const LEFT_OUT_ROLES: [&str; 6] = ["navigation", "banner", "search", "contentinfo", "menu", "dialog"];

/// A whole page, or a part of one. Links are made whole from where it was found.
pub(crate) fn to_markdown(source: &str, base: Option<&Url>) -> Page {
    let main = written(source, base, Part::Main);
    if main.text.len() >= LEAST_MAIN {
        return main;
    }
    let whole = written(source, base, Part::Whole);
    if main.text.is_empty() || whole.text.len() > main.text.len() * 4 { whole } else { main }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// What the page itself calls its main part.
    Main,
    Whole,
}

fn written(source: &str, base: Option<&Url>, part: Part) -> Page {
    let mut walk = Walk { writer: Writer::new(base.cloned(), LONGEST_TEXT), part, main: 0, skipped: None, title: None };
    for token in Tokens::new(source) {
        walk.take(&token);
        if walk.writer.is_full() {
            break;
        }
    }
    let cut = walk.writer.is_full();
    let text = walk.writer.finish();
    Page { title: walk.title.map(|title| in_one_line(&title)).filter(|title| !title.is_empty()), text, cut }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which tokens are content.
struct Walk {
    writer: Writer,
    part: Part,
    /// How many open elements are the main part.
    main: usize,
    /// The element that is left out, and how many of its name are open inside it.
    skipped: Option<(String, usize)>,
    title: Option<String>,
}

impl Walk {
    fn take(&mut self, token: &Token<'_>) {
        if let Some((name, depth)) = &mut self.skipped {
            match token {
                Token::Open { name: inner, .. } if inner == name => *depth += 1,
                Token::Close { name: inner } if inner == name => *depth -= 1,
                Token::Text(text) if name == "title" && *depth > 0 => {
                    self.title.get_or_insert_default().push_str(text);
                }
                // The body cannot be inside the head: one of the two was not closed.
                Token::Open { name: inner, .. } if name == "head" && inner == "body" => *depth = 0,
                Token::Open { name: inner, .. } if name == "head" && inner == "title" => {
                    self.skipped = Some(("title".into(), 1));
                    return;
                }
                _ => {}
            }
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        match token {
            Token::Open { name, attributes, closed } => {
                let left_out =
                    LEFT_OUT.contains(&name.as_str()) || attributes.hidden || self.is_aside(name, attributes);
                if left_out {
                    if !closed && !is_void(name) {
                        self.skipped = Some((name.clone(), 1));
                    }
                    return;
                }
                match name.as_str() {
                    // The head itself holds nothing but a title; its other elements are void or left out.
                    "title" if self.title.is_none() => self.skipped = Some(("title".into(), 1)),
                    "base" => self.writer.set_base(attributes.href.as_deref()),
                    "main" | "article" => self.main += 1,
                    _ if attributes.role.as_deref() == Some("main") => self.main += 1,
                    _ => {}
                }
                if self.is_wanted() {
                    self.writer.open(name, attributes);
                }
            }
            Token::Close { name } => {
                if self.is_wanted() {
                    self.writer.close(name);
                }
                if matches!(name.as_str(), "main" | "article") {
                    self.main = self.main.saturating_sub(1);
                }
            }
            Token::Text(text) => {
                if self.is_wanted() {
                    self.writer.text(text);
                }
            }
        }
    }

    fn is_wanted(&self) -> bool {
        self.part == Part::Whole || self.main > 0
    }

    fn is_aside(&self, name: &str, attributes: &tokens::Attributes) -> bool {
        let by_role = attributes.role.as_deref().is_some_and(|role| LEFT_OUT_ROLES.contains(&role));
        // Inside the main part, a foot or an aside belongs to it.
        by_role || (self.main == 0 && matches!(name, "footer" | "aside"))
    }
}

/// Elements that have no end.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests;
