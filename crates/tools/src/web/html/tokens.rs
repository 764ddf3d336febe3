//! A page as a sequence of tags and text. Never fails: what is no tag is text. Looks at every byte once.

use std::borrow::Cow;

use super::entities;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'page> {
    Text(Cow<'page, str>),
    Open {
        name: String,
        attributes: Attributes,
        /// Whether it ends in `/>`.
        closed: bool,
    },
    Close {
        name: String,
    },
}

/// The attributes that anybody here asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) href: Option<String>,
    pub(crate) src: Option<String>,
    pub(crate) alt: Option<String>,
    pub(crate) class: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) start: Option<String>,
    pub(crate) colspan: Option<String>,
    pub(crate) hidden: bool,
}

/// A longer name is no element of any page.
const LONGEST_NAME: usize = 32;
const LONGEST_VALUE: usize = 8 << 10;
const MOST_ATTRIBUTES: usize = 256;

pub(crate) struct Tokens<'page> {
    rest: &'page str,
    /// The element whose content is text up to its end, tags or not.
    raw: Option<String>,
}

impl<'page> Tokens<'page> {
    pub(crate) fn new(page: &'page str) -> Self {
        Self { rest: page, raw: None }
    }

    /// Everything up to `</name`, or to the end if that does not come.
    fn raw_text(&mut self, name: &str) -> Token<'page> {
        let end = closing(self.rest, name).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let is_decoded = matches!(name, "title" | "textarea");
        Token::Text(if is_decoded { entities::decoded(text) } else { text.into() })
    }

    fn text(&mut self) -> Token<'page> {
        // A `<` that opens nothing is text, together with what follows it.
        let end = self
            .rest
            .char_indices()
            .skip(1)
            .find(|(_, character)| *character == '<')
            .map_or(self.rest.len(), |(at, _)| at);
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Token::Text(entities::decoded(text))
    }

    fn skip_to(&mut self, end: &str, from: usize) {
        let found = self.rest.get(from..).and_then(|rest| rest.find(end));
        self.rest = found.map_or("", |at| &self.rest[from + at + end.len()..]);
    }

    fn tag(&mut self) -> Token<'page> {
        let is_close = self.rest.starts_with("</");
        let after = &self.rest[if is_close { 2 } else { 1 }..];
        let end = after.find(|character: char| character.is_ascii_whitespace() || matches!(character, '>' | '/'));
        let end = end.unwrap_or(after.len());
        let name: String = after[..end].chars().take(LONGEST_NAME).collect::<String>().to_ascii_lowercase();
        let (attributes, closed, rest) = attributes(&after[end..]);
        self.rest = rest;
        if is_close {
            return Token::Close { name };
        }
        if matches!(
            name.as_str(),
            "script" | "style" | "title" | "textarea" | "iframe" | "noembed" | "noframes" | "xmp"
        ) {
            self.raw = Some(name.clone());
        }
        Token::Open { name, attributes, closed }
    }
}

impl<'page> Iterator for Tokens<'page> {
    type Item = Token<'page>;

    fn next(&mut self) -> Option<Token<'page>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if let Some(name) = self.raw.take() {
                return Some(self.raw_text(&name));
            }
            let mut front = self.rest.chars();
            if front.next() != Some('<') {
                return Some(self.text());
            }
            match front.next() {
                Some('!') if self.rest.starts_with("<!--") => self.skip_to("-->", 4),
                Some('!') if self.rest.starts_with("<![CDATA[") => self.skip_to("]]>", 9),
                Some('!' | '?') => self.skip_to(">", 2),
                Some('/') => match front.next() {
                    Some(letter) if letter.is_ascii_alphabetic() => return Some(self.tag()),
                    _ => self.skip_to(">", 2),
                },
                Some(letter) if letter.is_ascii_alphabetic() => return Some(self.tag()),
                _ => return Some(self.text()),
            }
        }
    }
}

/// Where `</name` begins, whatever its case.
fn closing(text: &str, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    text.match_indices("</").map(|(at, _)| at).find(|at| {
        let after = &bytes[at + 2..];
        let is_name = after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        is_name && !after.get(name.len()).is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// Reads up to the end of the tag: what it says, whether it ends in `/>`, and what follows.
fn attributes(mut rest: &str) -> (Attributes, bool, &str) {
    let mut attributes = Attributes::default();
    let mut closed = false;
    let mut count = 0;
    loop {
        rest = rest.trim_ascii_start();
        let Some(first) = rest.chars().next() else { return (attributes, closed, "") };
        if first == '>' {
            return (attributes, closed, &rest[1..]);
        }
        if first == '/' {
            closed = rest[1..].trim_ascii_start().starts_with('>');
            rest = &rest[1..];
            continue;
        }
        // A name may begin with anything, an equals sign too.
        let is_end = |(at, character): &(usize, char)| {
            *at > 0 && (character.is_ascii_whitespace() || matches!(character, '=' | '>' | '/'))
        };
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        let name = &rest[..end];
        rest = rest[end..].trim_ascii_start();
        let value = match rest.strip_prefix('=') {
            Some(after) => {
                let (value, after) = value(after.trim_ascii_start());
                rest = after;
                value
            }
            None => "",
        };
        count += 1;
        if count <= MOST_ATTRIBUTES {
            set(&mut attributes, name, value);
        }
    }
}

fn value(rest: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = rest.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    let end = rest.find(|character: char| character.is_ascii_whitespace() || character == '>');
    rest.split_at(end.unwrap_or(rest.len()))
}

fn set(attributes: &mut Attributes, name: &str, value: &str) {
    let kept = || (value.len() <= LONGEST_VALUE).then(|| entities::decoded(value).trim().to_owned());
    let place = match name.to_ascii_lowercase().as_str() {
        "href" => &mut attributes.href,
        "src" => &mut attributes.src,
        "alt" => &mut attributes.alt,
        "class" => &mut attributes.class,
        "role" => &mut attributes.role,
        "start" => &mut attributes.start,
        "colspan" => &mut attributes.colspan,
        "hidden" => {
            attributes.hidden = true;
            return;
        }
        "aria-hidden" => {
            attributes.hidden |= value.eq_ignore_ascii_case("true");
            return;
        }
        "style" => {
            let style: String =
                value.chars().take(LONGEST_VALUE).filter(|character| !character.is_whitespace()).collect();
            attributes.hidden |= style.to_ascii_lowercase().contains("display:none");
            return;
        }
        _ => return,
    };
    // The first of two counts.
    if place.is_none() {
        *place = kept();
    }
}
